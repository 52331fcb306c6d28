/* SPDX-License-Identifier: BSD-3-Clause */
// The profiles of a port: compiled aside, where errors can occur, and exchanged under traffic. The
// ids of their packet types, and UDP ports that are declared for their tunnels.
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <stdlib.h>

#include <rte_malloc.h>

#define USER_DEFINED UINT32_C(0x80000000) // with any other bits, as for Intel's NICs

/* The ids of packet types in mbufs */

// Profiles are added and deleted while packets are on rings or owned by the application, so an id
// stands for one name as long as the port exists: added again, it gets its old id and counter.
static int types_number(struct ddp_port *port, struct ddp_profile *profile) {
	char **names = realloc(port->type_names,
			       (port->n_type_ids + profile->n_types + 1) * sizeof(*names));

	if (names == NULL)
		return -ENOMEM;
	port->type_names = names;
	if (port->n_type_ids == 0)
		names[port->n_type_ids++] = NULL; // id 0 is no packet type
	for (unsigned int i = 0; i < profile->n_types; i++) {
		unsigned int id = 1;

		while (id < port->n_type_ids && strcmp(names[id], profile->types[i].name) != 0)
			id++;
		if (id > UINT16_MAX)
			return -ENOSPC;
		if (id == port->n_type_ids) {
			names[id] = strdup(profile->types[i].name);
			if (names[id] == NULL)
				return -ENOMEM;
			port->n_type_ids++;
		}
		profile->types[i].id = id;
	}
	return 0;
}

void ddp_types_forget(struct ddp_port *port, unsigned int n) {
	assert(n <= port->n_type_ids);
	while (port->n_type_ids > n)
		free(port->type_names[--port->n_type_ids]);
	if (n == 0) {
		free(port->type_names);
		port->type_names = NULL;
	}
}

/* Compiling */

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
		ret = types_number(port, new->profile);
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
	for (unsigned int i = 0; i < diag->n_kept; i++)
		ddp_port_log(diag->messages[i].severity == DDP_ERROR ? RTE_LOG_ERR :
								       RTE_LOG_WARNING,
			     "%s: %s", port->name, diag->messages[i].s);
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
static void diag_report(const struct ddp_diag *diag, char *error) {
	const char *first = ddp_diag_reason(diag);

	if (diag->n_errors > 1)
		snprintf(error, DDP_ERROR_SIZE, "%s (and %u more)", first, diag->n_errors - 1);
	else
		snprintf(error, DDP_ERROR_SIZE, "%s", first);
}

// All changes of a port's personality end here: what a steering refers to is built, then exchanged.
static int personality_exchange(struct ddp_port *port, struct ddp_personality *personality,
				char *error) {
	struct ddp_change change = {.personality = personality};
	char reason[DDP_ERROR_SIZE] = "";
	int ret = ddp_flows_compile(port, personality, DDP_PORT_QUEUES, &change.flows, reason,
				    sizeof(reason));

	if (ret == -EINVAL) {
		int n = ddp_flows_unserved(port, personality, error);

		if (n == 0) // each can be compiled, but not all together
			return ddp_fail(error, ret, "%s", reason);
		return n > 0 ? -EBUSY : DDP_FAIL_NO_MEMORY(error);
	}
	if (ret == 0)
		ret = ddp_stats_reserve(port);
	if (ret < 0) {
		ddp_flows_destroy(change.flows);
		return DDP_FAIL_NO_MEMORY(error);
	}
	// The lower device first, because that may be required.
	ret = ddp_offload_replan(port, personality, error);
	if (ret == 0) {
		ret = ddp_change_apply(port, &change);
		if (ret == 0)
			return 0;
		ddp_offload_replan(port, port->personality, error);
		DDP_FAIL_NO_MEMORY(error);
	}
	ddp_offload_renew(port);
	ddp_flows_destroy(change.flows);
	return ret;
}

static int personality_change(struct ddp_port *port, const struct ddp_profile *former,
			      const struct ddp_source *sources, unsigned int n_sources,
			      char *error) {
	unsigned int n_type_ids = port->n_type_ids;
	struct ddp_personality *personality;
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = personality_create(port, former, sources, n_sources, &personality, &diag);
	if (ret < 0)
		diag_report(&diag, error);
	else
		ret = personality_exchange(port, personality, error);
	if (ret < 0) {
		ddp_personality_destroy(personality);
		ddp_types_forget(port, n_type_ids);
	} else {
		diag_log(port, &diag); // warnings
	}
	ddp_diag_fini(&diag);
	return ret;
}

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
static int absence_check(const struct ddp_port *port, const struct ddp_source *source,
			 char *error) {
	struct ddp_diag diag;
	char *name;
	int ret = 0;

	ddp_diag_init(&diag);
	for (unsigned int i = 0;
	     ret == 0 && (name = ddp_personality_name(source, i, &diag)) != NULL; i++) {
		if (named_find(port->personality->profile, name) >= 0)
			ret = ddp_fail(error, -EEXIST, "profile '%s' is already there", name);
		free(name);
	}
	if (diag.no_memory || diag.n_errors > 0) {
		diag_report(&diag, error);
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

// Rebuild the port's list of profiles, with the UDP ports that are declared now: without the
// profile of index del, if there is one, and with added at the end, if that is not NULL.
static int list_change(struct ddp_port *port, int del, const struct ddp_source *added,
		       char *error) {
	const struct ddp_profile *now = port->personality->profile;
	struct ddp_source *sources = calloc(now->n_named + 1, sizeof(*sources));
	unsigned int n = 0;
	int ret;

	if (sources == NULL)
		return DDP_FAIL_NO_MEMORY(error);
	for (unsigned int i = 0; i < now->n_named; i++)
		if ((int)i != del)
			sources[n++] = now->named[i]->source;
	if (added != NULL)
		sources[n++] = *added;
	ret = personality_change(port, now, sources, n, error);
	free(sources);
	return ret;
}

int ddp_personality_add(struct ddp_port *port, const struct ddp_source *source, char *error) {
	int ret = absence_check(port, source, error);

	if (ret == 0)
		ret = list_change(port, -1, source, error);
	port->n_profile_changes += ret == 0;
	return ret;
}

int ddp_personality_set(struct ddp_port *port, const struct ddp_source *source, char *error) {
	int ret = personality_change(port, NULL, source, source->spec != NULL, error);

	port->n_profile_changes += ret == 0;
	return ret;
}

static int need_check(const struct ddp_profile *profile, unsigned int del, char *error) {
	const struct ddp_profile_part *part = profile->named[del];
	uint64_t bit = UINT64_C(1) << (part - profile->parts);
	bool needed = false;

	snprintf(error, DDP_ERROR_SIZE, "profile '%s' is required by ", part->name);
	for (unsigned int i = 0; i < profile->n_named; i++) {
		if ((profile->named[i]->requires & bit) == 0)
			continue;
		if (needed)
			ddp_append(error, ", ");
		ddp_append(error, profile->named[i]->name);
		needed = true;
	}
	return needed ? -EBUSY : 0;
}

int ddp_personality_del(struct ddp_port *port, const struct ddp_source *source, char *error) {
	const struct ddp_profile *now = port->personality->profile;
	int del = named_find(now, source->spec), ret;

	if (del < 0) {
		snprintf(error, DDP_ERROR_SIZE, "no profile '%s' was added; the port has %s",
			 source->spec, now->n_named == 0 ? "none" : "");
		for (unsigned int i = 0; i < now->n_named; i++) {
			ddp_append(error, i == 0 ? "" : ", ");
			ddp_append(error, now->named[i]->name);
		}
		return -ENOENT;
	}
	ret = need_check(now, del, error);
	if (ret == 0)
		ret = list_change(port, del, NULL, error);
	port->n_profile_changes += ret == 0;
	// Only base is read, which was not used before.
	return ret == -ENOENT ? -EINVAL : ret;
}

static int rebuild(struct ddp_port *port) {
	char error[DDP_ERROR_SIZE];
	int ret = list_change(port, -1, NULL, error);

	if (ret < 0)
		PORT_LOG(ERR, port->name, "%s", error);
	return ret;
}

/* UDP ports that the application declares for tunnels */

// The headers of the profile library for ethdev's tunnel types, and their profiles.
static const struct known {
	enum rte_eth_tunnel_type type;
	const char *header, *profile;
} known[] = {
	{RTE_ETH_TUNNEL_TYPE_VXLAN, "vxlan", "vxlan"},
	{RTE_ETH_TUNNEL_TYPE_GENEVE, "geneve", "geneve"},
	{RTE_ETH_TUNNEL_TYPE_VXLAN_GPE, "vxlan_gpe", "vxlan-gpe"},
	{RTE_ETH_TUNNEL_TYPE_ECPRI, "ecpri", "ecpri"},
};

static const struct known *known_find(const struct ddp_port *port,
				      const struct rte_eth_udp_tunnel *tunnel) {
	for (unsigned int i = 0; i < RTE_DIM(known); i++)
		if (known[i].type == tunnel->prot_type)
			return &known[i];
	return PORT_FAIL(
		port->name, NULL,
		"UDP ports can be declared for vxlan, vxlan-gpe, geneve and ecpri; those of other "
		"tunnels are parameters of their profiles");
}

static int tunnel_find(const struct ddp_port *port, uint16_t udp_port) {
	for (unsigned int i = 0; i < port->n_tunnels; i++)
		if (port->tunnels[i].port == udp_port)
			return i;
	return -1;
}

int ddp_tunnel_add(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel) {
	const struct known *to = known_find(port, tunnel);
	int at = tunnel_find(port, tunnel->udp_port), ret;

	if (to == NULL)
		return -ENOTSUP;
	if (ddp_header_find(port->personality->profile, to->header) < 0)
		return PORT_FAIL(port->name, -ENOTSUP,
				 "no profile of this port has the header %s; profile '%s' has it",
				 to->header, to->profile);
	if (at >= 0)
		return PORT_FAIL(port->name, -EEXIST, "UDP port %u is already declared for %s",
				 tunnel->udp_port, port->tunnels[at].header);
	if (port->n_tunnels == DDP_PORT_TUNNELS)
		return PORT_FAIL(port->name, -ENOSPC,
				 "%u UDP ports are declared, which is the maximum",
				 port->n_tunnels);
	port->tunnels[port->n_tunnels++] = (struct ddp_tunnel){to->header, tunnel->udp_port};
	ret = rebuild(port);
	if (ret < 0)
		port->n_tunnels--;
	return ret;
}

int ddp_tunnel_del(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel) {
	const struct known *from = known_find(port, tunnel);
	struct ddp_tunnel *tunnels = port->tunnels;
	struct ddp_tunnel del;
	int at, ret;

	if (from == NULL)
		return -ENOTSUP;
	at = tunnel_find(port, tunnel->udp_port);
	if (at < 0 || strcmp(tunnels[at].header, from->header) != 0)
		return PORT_FAIL(port->name, -ENOENT, "UDP port %u was not declared for %s",
				 tunnel->udp_port, from->header);
	del = tunnels[at];
	tunnels[at] = tunnels[--port->n_tunnels];
	ret = rebuild(port);
	if (ret < 0)
		tunnels[port->n_tunnels++] = del;
	return ret;
}

/* RTE_PTYPE_* that the application assigns to packet types, by id: if a profile is deleted and
   added again, its types keep theirs. */

static bool is_ptype(uint32_t ptype) {
	return (ptype & USER_DEFINED) != 0 || (ptype & ~(uint32_t)RTE_PTYPE_ALL_MASK) == 0;
}

static const struct ddp_type_info *type_at(const struct ddp_port *port, unsigned int i) {
	return ddp_program_type(port->personality->program, i);
}

static struct ddp_mapping *mapping_copy(const struct ddp_port *port) {
	const struct ddp_mapping *now = port->mapping;
	struct ddp_mapping *copy;

	copy = rte_zmalloc("ddp_mapping",
			   sizeof(*copy) + port->n_type_ids * sizeof(copy->ptypes[0]), 0);
	if (copy == NULL)
		return NULL;
	copy->n = port->n_type_ids;
	for (unsigned int id = 0; id < copy->n; id++)
		copy->ptypes[id] = ddp_mapping_apply(now, id, DDP_PTYPE_AS_FOUND);
	return copy;
}

static int mapping_exchange(struct ddp_port *port, struct ddp_mapping *mapping) {
	const struct ddp_change change = {.mapping = mapping};
	int ret;

	assert(mapping != NULL && mapping != port->mapping);
	ret = ddp_change_apply(port, &change);
	if (ret < 0)
		rte_free(mapping);
	return ret;
}

static bool has_id(const struct ddp_port *port, uint16_t id) {
	for (unsigned int i = 0; i < port->personality->n_types; i++)
		if (type_at(port, i)->id == id)
			return true;
	return false;
}

uint32_t ddp_mapping_of(const struct ddp_port *port, const struct ddp_type_info *type) {
	return ddp_mapping_apply(port->mapping, type->id, type->rte_ptype);
}

int ddp_mapping_update(struct ddp_port *port, const struct rte_pmd_ddp_ptype_mapping *items,
		       unsigned int n, bool exclusive) {
	struct ddp_mapping *mapping;

	for (unsigned int i = 0; i < n; i++)
		if (!has_id(port, items[i].id) || !is_ptype(items[i].rte_ptype))
			return -EINVAL;
	mapping = mapping_copy(port);
	if (mapping == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; exclusive && i < port->personality->n_types; i++)
		mapping->ptypes[type_at(port, i)->id] = RTE_PTYPE_UNKNOWN;
	for (unsigned int i = 0; i < n; i++)
		mapping->ptypes[items[i].id] = items[i].rte_ptype;
	return mapping_exchange(port, mapping);
}

int ddp_mapping_replace(struct ddp_port *port, uint32_t target, bool mask, uint32_t rte_ptype) {
	struct ddp_mapping *mapping;

	if (!is_ptype(target) || !is_ptype(rte_ptype))
		return -EINVAL;
	mapping = mapping_copy(port);
	if (mapping == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < port->personality->n_types; i++) {
		const struct ddp_type_info *type = type_at(port, i);
		uint32_t now = ddp_mapping_of(port, type);

		if (mask ? (now & target) == target : now == target)
			mapping->ptypes[type->id] = rte_ptype;
	}
	return mapping_exchange(port, mapping);
}

int ddp_mapping_reset(struct ddp_port *port) {
	struct ddp_mapping *mapping = rte_zmalloc("ddp_mapping", sizeof(*mapping), 0);

	return mapping == NULL ? -ENOMEM : mapping_exchange(port, mapping);
}

int ddp_ptypes_set(struct ddp_port *port, uint32_t mask) {
	const struct ddp_change change = {.ptype_mask = mask};

	assert(mask != 0); // which would mean: unchanged
	return ddp_change_apply(port, &change);
}
