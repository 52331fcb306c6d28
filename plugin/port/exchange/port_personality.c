/* SPDX-License-Identifier: BSD-3-Clause */
// The profiles of a port: compiled aside, where errors can occur, and exchanged under traffic.
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"

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
	ret = ddp_personality_read(new, &load, diag);
	if (ret == 0) {
		ret = ddp_types_number(port, new->profile);
		if (ret == -ENOSPC)
			ddp_error(
				diag, NULL,
				"no packet type ids are left: this port has had 65535 packet types");
		else if (ret < 0)
			ddp_no_memory(diag);
		else
			ret = ddp_personality_compile(new, load.memory, diag);
	}
	if (ret < 0)
		ddp_personality_destroy(new);
	else
		*personality = new;
	return ret;
}

static void diag_log(const struct ddp_port *port, const struct ddp_diag *diag) {
	for (unsigned int i = 0; i < diag->n_kept; i++) {
		if (diag->severities[i] == DDP_ERROR)
			PORT_LOG(ERR, port->name, "%s", diag->messages[i]);
		else
			PORT_LOG(WARNING, port->name, "%s", diag->messages[i]);
	}
}

int ddp_personality_init(struct ddp_port *port, const char *spec) {
	const struct ddp_source source = {.spec = spec};
	struct ddp_diag diag;
	int ret;

	assert(port->personality == NULL);
	ddp_diag_init(&diag);
	ret = personality_create(port, NULL, &source, spec != NULL, &port->personality, &diag);
	diag_log(port, &diag);
	ddp_diag_fini(&diag);
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
		diag_log(port, &diag); // warnings
	}
	ddp_diag_fini(&diag);
	return ret;
}

// The index of the profile with this name or specification; -1: none.
static int named_find(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_named; i++) {
		const char *spec = profile->named[i]->source.spec;

		if (strcmp(profile->named[i]->name, name) == 0 ||
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
	for (unsigned int i = 0;
	     ret == 0 && (name = ddp_personality_name(source, i, &diag)) != NULL; i++) {
		if (named_find(port->personality->profile, name) >= 0)
			ret = ddp_fail(error, error_size, -EEXIST, "profile '%s' is already there",
				       name);
		free(name);
	}
	if (diag.no_memory || diag.n_errors > 0) {
		diag_report(&diag, error, error_size);
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

// Build the port's list of profiles anew, with the UDP ports that are declared now: without the
// profile of index del, if there is one, and with added at the end, if that is not NULL.
static int list_change(struct ddp_port *port, int del, const struct ddp_source *added, char *error,
		       size_t error_size) {
	const struct ddp_profile *now = port->personality->profile;
	struct ddp_source *sources = calloc(now->n_named + 1, sizeof(*sources));
	unsigned int n = 0;
	int ret;

	if (sources == NULL)
		return DDP_FAIL_NO_MEMORY(error, error_size);
	for (unsigned int i = 0; i < now->n_named; i++)
		if ((int)i != del)
			sources[n++] = now->named[i]->source;
	if (added != NULL)
		sources[n++] = *added;
	ret = personality_change(port, now, sources, n, error, error_size);
	free(sources);
	return ret;
}

int ddp_personality_add(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size) {
	int ret = absence_check(port, source, error, error_size);

	if (ret == 0)
		ret = list_change(port, -1, source, error, error_size);
	port->n_profile_changes += ret == 0;
	return ret;
}

int ddp_personality_set(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size) {
	int ret = personality_change(port, NULL, source, source->spec != NULL, error, error_size);

	port->n_profile_changes += ret == 0;
	return ret;
}

// -EBUSY if other profiles of the list require this one.
static int need_check(const struct ddp_profile *profile, unsigned int del, char *error,
		      size_t error_size) {
	const struct ddp_profile_part *part = profile->named[del];
	uint64_t bit = UINT64_C(1) << (part - profile->parts);
	bool needed = false;

	snprintf(error, error_size, "profile '%s' is required by ", part->name);
	for (unsigned int i = 0; i < profile->n_named; i++) {
		if ((profile->named[i]->requires & bit) == 0)
			continue;
		if (needed)
			ddp_append(error, error_size, ", ");
		ddp_append(error, error_size, profile->named[i]->name);
		needed = true;
	}
	return needed ? -EBUSY : 0;
}

static int unknown(const struct ddp_profile *profile, const char *name, char *error,
		   size_t error_size) {
	snprintf(error, error_size, "no profile '%s' was added; the port has %s", name,
		 profile->n_named == 0 ? "none" : "");
	for (unsigned int i = 0; i < profile->n_named; i++) {
		ddp_append(error, error_size, i == 0 ? "" : ", ");
		ddp_append(error, error_size, profile->named[i]->name);
	}
	return -ENOENT;
}

int ddp_personality_del(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size) {
	const struct ddp_profile *now = port->personality->profile;
	int del = named_find(now, source->spec), ret;

	if (del < 0)
		return unknown(now, source->spec, error, error_size);
	ret = need_check(now, del, error, error_size);
	if (ret == 0)
		ret = list_change(port, del, NULL, error, error_size);
	port->n_profile_changes += ret == 0;
	// Only base is read, which was not used before.
	return ret == -ENOENT ? -EINVAL : ret;
}

int ddp_personality_rebuild(struct ddp_port *port) {
	char error[512];
	int ret = list_change(port, -1, NULL, error, sizeof(error));

	if (ret < 0)
		PORT_LOG(ERR, port->name, "%s", error);
	return ret;
}
