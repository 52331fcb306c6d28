/* SPDX-License-Identifier: BSD-3-Clause */
// The profiles of a port: compiled aside, where errors can occur, and exchanged under traffic.
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files that the former profile has are not read again.
static int personality_create(struct ddp_port *port, const struct ddp_profile *former,
			      const struct ddp_source *sources, unsigned int n_sources,
			      struct ddp_personality **personality, struct ddp_diag *diag) {
	const struct ddp_load load = {
		.sources = sources,
		.n_sources = n_sources,
		.tunnels = port->tunnels,
		.n_tunnels = port->n_tunnels,
		.former = former,
		.memory = &ddp_port_memory,
	};
	struct ddp_personality *new = calloc(1, sizeof(*new));
	int ret;

	*personality = NULL;
	if (new == NULL)
		return ddp_no_memory(diag);
	ret = ddp_personality_load(new, &load, diag);
	if (ret == 0) {
		ret = ddp_types_number(port, new->program);
		if (ret == -ENOSPC)
			ddp_error(
				diag, NULL,
				"no packet type ids are left: this port has had 65535 packet types");
		else if (ret < 0)
			ddp_no_memory(diag);
	}
	if (ret < 0)
		ddp_personality_destroy(new);
	else
		*personality = new;
	return ret;
}

/* Lists of sources, each of one profile */

// A list does not own its sources. pieces holds the parts of a specification.
struct list {
	struct ddp_source *sources;
	unsigned int n;
	char *pieces;
};

static unsigned int pieces_count(const char *spec) {
	unsigned int n = 1;

	for (; *spec != '\0'; spec++)
		n += *spec == '+';
	return n;
}

// The sources of a personality (NULL: none), followed by those of added.
static int list_init(struct list *list, const struct ddp_personality *now,
		     const struct ddp_source *added) {
	unsigned int n_now = now != NULL ? now->n_sources : 0;
	unsigned int n_added = added->spec != NULL ? pieces_count(added->spec) : 1;
	char *rest;

	memset(list, 0, sizeof(*list));
	list->sources = calloc(n_now + n_added, sizeof(*list->sources));
	if (list->sources == NULL)
		return -ENOMEM;
	for (; list->n < n_now; list->n++)
		list->sources[list->n] = now->sources[list->n];
	if (added->spec == NULL) {
		list->sources[list->n++] = *added;
		return 0;
	}
	list->pieces = strdup(added->spec);
	if (list->pieces == NULL)
		return -ENOMEM;
	for (rest = list->pieces; rest != NULL; list->n++)
		list->sources[list->n].spec = strsep(&rest, "+");
	return 0;
}

static void list_fini(struct list *list) {
	free(list->sources);
	free(list->pieces);
}

int ddp_personality_init(struct ddp_port *port, const char *spec, struct ddp_diag *diag) {
	const struct ddp_source source = {.spec = spec};
	struct list list = {0};
	int ret = 0;

	assert(port->personality == NULL);
	if (spec != NULL)
		ret = list_init(&list, NULL, &source);
	if (ret < 0)
		ddp_no_memory(diag);
	else
		ret = personality_create(port, NULL, list.sources, list.n, &port->personality,
					 diag);
	list_fini(&list);
	return ret;
}

/* Changes under traffic */

// The first error, which usually causes the others.
static void diag_report(const struct ddp_diag *diag, char *error, size_t error_size) {
	const char *first = ddp_diag_reason(diag);

	if (diag->n_errors > 1)
		snprintf(error, error_size, "%s (and %u more)", first, diag->n_errors - 1);
	else
		snprintf(error, error_size, "%s", first);
}

static void warnings_log(const struct ddp_port *port, const struct ddp_diag *diag) {
	for (unsigned int i = 0; i < diag->n_kept; i++)
		if (diag->severities[i] == DDP_WARNING)
			PORT_LOG(WARNING, port->name, "%s", diag->messages[i]);
}

// -EBUSY: some flow rules cannot be compiled for the personality; they are listed in error.
// -EINVAL: each can, but not all together; why says so. -ENOMEM.
static int rules_need(const struct ddp_port *port, const struct ddp_personality *personality,
		      const char *reason, char *error, size_t error_size) {
	char needed[1024];

	if (ddp_flows_unserved(port, personality, needed, sizeof(needed)) < 0)
		return DDP_FAIL_NO_MEMORY(error, error_size);
	if (needed[0] == '\0')
		return ddp_fail(error, error_size, -EINVAL, "%s", reason);

	return ddp_fail(error, error_size, -EBUSY, "needed by flow rules: %s", needed);
}

// Program the lower device first, because that may be required. On failure its former plan is
// restored.
static int personality_offload(struct ddp_port *port, const struct ddp_change *change, char *error,
			       size_t error_size) {
	int ret = ddp_offload_replan(port, change->personality, error, error_size);

	if (ret == 0) {
		ret = ddp_change_apply(port, change);
		if (ret == 0)
			return 0;
		ddp_offload_replan(port, port->personality, error, error_size);
		DDP_FAIL_NO_MEMORY(error, error_size);
	}
	ddp_offload_renew(port);
	ddp_flows_destroy(change->flows);
	return ret;
}

// All changes of a port's personality end here. All that a steering refers to is built for the new
// one first, then exchanged in one step.
static int personality_exchange(struct ddp_port *port, struct ddp_personality *personality,
				char *error, size_t error_size) {
	struct ddp_change change = {.personality = personality};
	char reason[512] = "";
	int ret = ddp_flows_compile(port, personality, DDP_PORT_QUEUES, &change.flows, reason,
				    sizeof(reason));

	if (ret == -EINVAL)
		return rules_need(port, personality, reason, error, error_size);
	if (ret == 0)
		ret = ddp_stats_reserve(port);
	if (ret < 0) {
		ddp_flows_destroy(change.flows);
		return DDP_FAIL_NO_MEMORY(error, error_size);
	}
	return personality_offload(port, &change, error, error_size);
}

static int personality_change(struct ddp_port *port, const struct ddp_profile *former,
			      const struct ddp_source *sources, unsigned int n_sources, char *error,
			      size_t error_size) {
	unsigned int n_type_ids = port->n_type_ids;
	struct ddp_personality *personality;
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = personality_create(port, former, sources, n_sources, &personality, &diag);
	if (ret < 0)
		diag_report(&diag, error, error_size);
	else
		ret = personality_exchange(port, personality, error, error_size);
	if (ret < 0) {
		ddp_personality_destroy(personality);
		ddp_types_forget(port, n_type_ids);
	} else {
		warnings_log(port, &diag);
	}
	ddp_diag_fini(&diag);
	return ret;
}

// The source with this specification, or whose profile has this name; -1: none.
static int source_find(const struct ddp_personality *personality, const char *name) {
	for (unsigned int i = 0; i < personality->n_sources; i++) {
		const char *spec = personality->sources[i].spec;

		if (strcmp(personality->parts[i]->name, name) == 0 ||
		    (spec != NULL && strcmp(spec, name) == 0))
			return i;
	}
	return -1;
}

// A profile can be added once, with any parameters.
static int absence_check(const struct ddp_port *port, const struct ddp_source *source, char *error,
			 size_t error_size) {
	struct ddp_diag diag;
	char *name;
	int ret = 0;

	ddp_diag_init(&diag);
	name = ddp_personality_name(source, &diag);
	if (name == NULL) {
		diag_report(&diag, error, error_size);
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	} else if (source_find(port->personality, name) >= 0) {
		ret = ddp_fail(error, error_size, -EEXIST, "profile '%s' is already there", name);
	}
	free(name);
	ddp_diag_fini(&diag);
	return ret;
}

// A change of the list of profiles.
static int list_change(struct ddp_port *port, const struct ddp_profile *former,
		       const struct ddp_source *sources, unsigned int n_sources, char *error,
		       size_t error_size) {
	int ret = personality_change(port, former, sources, n_sources, error, error_size);

	if (ret == 0)
		port->n_profile_changes++;
	return ret;
}

int ddp_personality_add(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size) {
	struct list list;
	int ret = list_init(&list, port->personality, source);

	if (ret < 0)
		DDP_FAIL_NO_MEMORY(error, error_size);
	for (unsigned int i = port->personality->n_sources; ret == 0 && i < list.n; i++)
		ret = absence_check(port, &list.sources[i], error, error_size);
	if (ret == 0)
		ret = list_change(port, port->personality->profile, list.sources, list.n, error,
				  error_size);
	list_fini(&list);
	return ret;
}

int ddp_personality_set(struct ddp_port *port, const char *spec, char *error, size_t error_size) {
	const struct ddp_source source = {.spec = spec};
	struct list list = {0};
	int ret = 0;

	if (spec != NULL)
		ret = list_init(&list, NULL, &source);
	if (ret < 0)
		DDP_FAIL_NO_MEMORY(error, error_size);
	else
		ret = list_change(port, NULL, list.sources, list.n, error, error_size);
	list_fini(&list);
	return ret;
}

// Append to a string of at most size bytes.
static void append(char *text, size_t size, const char *more) {
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", more);
}

// -EBUSY if other profiles of the list require this one.
static int need_check(const struct ddp_personality *personality, unsigned int del, char *error,
		      size_t error_size) {
	const struct ddp_profile_part *part = personality->parts[del];
	uint64_t bit = UINT64_C(1) << (part - personality->profile->parts);
	bool needed = false;

	snprintf(error, error_size, "profile '%s' is required by ", part->name);
	for (unsigned int i = 0; i < personality->n_sources; i++) {
		if ((personality->parts[i]->requires & bit) == 0)
			continue;
		if (needed)
			append(error, error_size, ", ");
		append(error, error_size, personality->parts[i]->name);
		needed = true;
	}
	return needed ? -EBUSY : 0;
}

static int unknown(const struct ddp_personality *personality, const char *name, char *error,
		   size_t error_size) {
	snprintf(error, error_size, "no profile '%s' was added; the port has %s", name,
		 personality->n_sources == 0 ? "none" : "");
	for (unsigned int i = 0; i < personality->n_sources; i++) {
		append(error, error_size, i == 0 ? "" : ", ");
		append(error, error_size, personality->parts[i]->name);
	}
	return -ENOENT;
}

int ddp_personality_del(struct ddp_port *port, const char *name, char *error, size_t error_size) {
	const struct ddp_personality *now = port->personality;
	int del = source_find(now, name), ret;
	struct ddp_source *left;
	unsigned int n = 0;

	if (del < 0)
		return unknown(now, name, error, error_size);
	ret = need_check(now, del, error, error_size);
	if (ret < 0)
		return ret;
	left = calloc(now->n_sources, sizeof(*left));
	if (left == NULL)
		return DDP_FAIL_NO_MEMORY(error, error_size);
	for (unsigned int i = 0; i < now->n_sources; i++)
		if (i != (unsigned int)del)
			left[n++] = now->sources[i];
	ret = list_change(port, now->profile, left, n, error, error_size);
	free(left);
	// Only base is read, which was not used before.
	return ret == -ENOENT ? -EINVAL : ret;
}

int ddp_personality_rebuild(struct ddp_port *port, char *error, size_t error_size) {
	const struct ddp_personality *now = port->personality;

	return personality_change(port, now->profile, now->sources, now->n_sources, error,
				  error_size);
}
