/* SPDX-License-Identifier: BSD-3-Clause */
// The ids of packet types in mbufs. Profiles are added and deleted while packets are on rings or
// owned by the application, so an id stands for one name as long as the port exists: a name that is
// added again gets its old id and counter.
#include "port/state/control.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The port's array is indexed by id, its tree is sorted by name.
struct ddp_type_name {
	unsigned int id;
	char name[64]; // the language's limit
};

static int names_compare(const void *a, const void *b) {
	const struct ddp_type_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

// The id of a name; a new name gets a new one.
static int id_get(struct ddp_port *port, const char *name, unsigned int *id) {
	struct ddp_type_name *new = calloc(1, sizeof(*new));
	struct ddp_type_name **found;

	if (new == NULL)
		return -ENOMEM;
	new->id = port->n_type_ids;
	snprintf(new->name, sizeof(new->name), "%s", name);
	found = tsearch(new, &port->type_tree, names_compare);
	if (found == NULL) {
		free(new);
		return -ENOMEM;
	}
	*id = (*found)->id;
	if (*found != new) {
		free(new);
		return 0;
	}
	port->type_names[port->n_type_ids++] = new;
	return *id > UINT16_MAX ? -ENOSPC : 0;
}

int ddp_types_number(struct ddp_port *port, struct ddp_profile *profile) {
	unsigned int n = profile->n_types, n_before;
	struct ddp_type_name **names =
		realloc(port->type_names, (port->n_type_ids + n + 1) * sizeof(*names));

	if (names == NULL)
		return -ENOMEM;
	port->type_names = names;
	if (port->n_type_ids == 0)
		port->type_names[port->n_type_ids++] = NULL; // id 0 is no packet type
	n_before = port->n_type_ids;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int id;
		int ret = id_get(port, profile->types[i].name, &id);

		if (ret < 0) {
			ddp_types_forget(port, n_before);
			return ret;
		}
		profile->types[i].id = id;
	}
	return 0;
}

void ddp_types_forget(struct ddp_port *port, unsigned int n) {
	assert(n <= port->n_type_ids);
	while (port->n_type_ids > n) {
		struct ddp_type_name *name = port->type_names[--port->n_type_ids];

		if (name != NULL)
			tdelete(name, &port->type_tree, names_compare);
		free(name);
	}
	if (n == 0) {
		free(port->type_names);
		port->type_names = NULL;
	}
}

const char *ddp_types_name(const struct ddp_port *port, unsigned int id) {
	return id > 0 && id < port->n_type_ids ? port->type_names[id]->name : NULL;
}
