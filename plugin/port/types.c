/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types by the id that mbufs carry. Profiles come and go while packets are on rings and in
// the application's hands, so an id means one name as long as the port exists: a name that comes
// back has its old id, and what was counted by it.
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned int id_find(const struct ddp_port *port, const char *name) {
	unsigned int id = 1;

	while (id < port->n_type_ids && strcmp(port->type_names[id], name) != 0)
		id++;
	return id;
}

static int names_grow(struct ddp_port *port, unsigned int n) {
	char **grown = realloc(port->type_names, n * sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	port->type_names = grown;
	return 0;
}

static int id_add(struct ddp_port *port, const char *name) {
	char *copy;

	if (port->n_type_ids > UINT16_MAX)
		return -ENOSPC;
	copy = strdup(name);
	if (copy == NULL)
		return -ENOMEM;
	port->type_names[port->n_type_ids++] = copy;
	return 0;
}

int ddp_types_number(struct ddp_port *port, struct ddp_program *program) {
	unsigned int n = ddp_program_n_types(program), n_before;

	if (names_grow(port, port->n_type_ids + n + 1) < 0)
		return -ENOMEM;
	if (port->n_type_ids == 0)
		port->type_names[port->n_type_ids++] = NULL; // no packet type
	n_before = port->n_type_ids;
	for (unsigned int i = 0; i < n; i++) {
		const char *name = ddp_program_type(program, i)->name;
		unsigned int id = id_find(port, name);
		int ret = id < port->n_type_ids ? 0 : id_add(port, name);

		if (ret < 0) {
			ddp_types_forget(port, n_before);
			return ret;
		}
		ddp_program_number(program, i, id);
	}
	return 0;
}

void ddp_types_forget(struct ddp_port *port, unsigned int n) {
	while (port->n_type_ids > n)
		free(port->type_names[--port->n_type_ids]);
	if (n == 0) {
		free(port->type_names);
		port->type_names = NULL;
	}
}
