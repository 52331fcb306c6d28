/* SPDX-License-Identifier: BSD-3-Clause */
// The functions of rte_pmd_ddp.h. Each gets the port, for reading or for a change.
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/state/control.h"

#include <stdlib.h>

#include "base/utf8.h"

static int error_return(int ret, const char *line, char *error, size_t error_size) {
	if (error != NULL && error_size > 0)
		ddp_escape(ret < 0 ? line : "", error, error_size);
	return ret;
}

// missing: the argument that is NULL; NULL: none. change: a function of port_personality.c.
static int profile_change(uint16_t port_id, const struct ddp_source *source, const char *missing,
			  char *error, size_t error_size, ddp_personality_change_fn *change) {
	struct ddp_port *port = NULL;
	char line[DDP_ERROR_SIZE];
	int ret = -EINVAL;

	if (missing == NULL)
		port = ddp_registry_change(port_id, &ret);
	if (port != NULL) {
		ret = change(port, source, line);
		ddp_change_end(port);
	} else if (missing != NULL) {
		snprintf(line, sizeof(line), "the %s is NULL", missing);
	} else {
		snprintf(line, sizeof(line),
			 ret == -ENODEV ? "port %u is not a net_ddp port" :
					  "port %u is being changed by the caller of this",
			 port_id);
	}
	return error_return(ret, line, error, error_size);
}

int rte_pmd_ddp_profile_add(uint16_t port_id, const char *spec, char *error, size_t error_size) {
	return profile_change(port_id, &(struct ddp_source){.spec = spec},
			      spec == NULL ? "specification" : NULL, error, error_size,
			      ddp_personality_add);
}

int rte_pmd_ddp_profile_add_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size) {
	return profile_change(port_id, &(struct ddp_source){.text = text, .size = size},
			      text == NULL ? "text" : NULL, error, error_size, ddp_personality_add);
}

int rte_pmd_ddp_profile_del(uint16_t port_id, const char *name, char *error, size_t error_size) {
	return profile_change(port_id, &(struct ddp_source){.spec = name},
			      name == NULL ? "name" : NULL, error, error_size, ddp_personality_del);
}

int rte_pmd_ddp_profile_set(uint16_t port_id, const char *spec, char *error, size_t error_size) {
	return profile_change(port_id, &(struct ddp_source){.spec = spec}, NULL, error, error_size,
			      ddp_personality_set);
}

int rte_pmd_ddp_profile_del_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size) {
	const struct ddp_source source = {.text = text, .size = size};
	char line[DDP_ERROR_SIZE];
	struct ddp_diag diag;
	int ret = -EINVAL;
	char *name;

	if (text == NULL)
		return profile_change(port_id, &source, "text", error, error_size, NULL);
	ddp_diag_init(&diag);
	name = ddp_personality_name(&source, 0, &diag);
	if (name != NULL)
		ret = rte_pmd_ddp_profile_del(port_id, name, line, sizeof(line));
	else
		snprintf(line, sizeof(line), "%s", ddp_diag_reason(&diag));
	if (diag.no_memory)
		ret = -ENOMEM;
	free(name);
	ddp_diag_fini(&diag);
	return error_return(ret, line, error, error_size);
}

static void text_set(char *to, size_t size, const char *text) {
	snprintf(to, size, "%s", text != NULL ? text : "");
}

static int profiles_fill(const struct ddp_port *port, struct rte_pmd_ddp_profile *profiles,
			 unsigned int n) {
	const struct ddp_profile *profile = port->personality->profile;

	for (unsigned int i = 0; i < RTE_MIN(n, profile->n_named); i++) {
		const struct ddp_profile_part *part = profile->named[i];
		struct rte_pmd_ddp_profile *to = &profiles[i];

		text_set(to->spec, sizeof(to->spec), part->source.spec);
		text_set(to->name, sizeof(to->name), part->name);
		text_set(to->version, sizeof(to->version), part->version);
		text_set(to->summary, sizeof(to->summary), part->summary);
		text_set(to->file, sizeof(to->file), part->file);
		to->n_packet_types = 0;
		for (unsigned int t = 0; t < profile->n_types; t++)
			to->n_packet_types += profile->types[t].profile == part->name;
	}
	return profile->n_named;
}

static int ptypes_fill(struct ddp_port *port, struct rte_pmd_ddp_ptype *ptypes,
		       struct rte_pmd_ddp_ptype_mapping *mappings, unsigned int n) {
	const struct ddp_stats *stats = ddp_stats_read(port);
	const unsigned int n_types = port->personality->n_types;

	assert(ptypes == NULL || mappings == NULL);
	for (unsigned int i = 0; i < RTE_MIN(n, n_types); i++) {
		const struct ddp_type_info *type = ddp_program_type(port->personality->program, i);
		const uint32_t rte_ptype = ddp_mapping_of(port, type);

		if (mappings != NULL) {
			mappings[i].id = type->id;
			mappings[i].rte_ptype = rte_ptype;
			continue;
		}
		ptypes[i].id = type->id;
		ptypes[i].rte_ptype = rte_ptype;
		ptypes[i].packets = stats->types[type->id];
		text_set(ptypes[i].name, sizeof(ptypes[i].name), type->name);
	}
	return n_types;
}

static int name_fill(const struct ddp_port *port, uint16_t id, char *name, size_t size) {
	const char *found = ddp_types_name(port, id);

	return found != NULL ? snprintf(name, size, "%s", found) : -ENOENT;
}

// A function that reads a port. -EINVAL if an array of n items is missing.
#define GET(port_id, array, n, call) \
	((array) == NULL && (n) > 0 ? -EINVAL : DDP_PORT_READ(port_id, port, call))

int rte_pmd_ddp_profiles_get(uint16_t port_id, struct rte_pmd_ddp_profile *profiles,
			     unsigned int n) {
	return GET(port_id, profiles, n, profiles_fill(port, profiles, n));
}

int rte_pmd_ddp_ptypes_get(uint16_t port_id, struct rte_pmd_ddp_ptype *ptypes, unsigned int n) {
	return GET(port_id, ptypes, n, ptypes_fill(port, ptypes, NULL, n));
}

int rte_pmd_ddp_ptype_name(uint16_t port_id, uint16_t ptype_id, char *name, size_t size) {
	return GET(port_id, name, size, name_fill(port, ptype_id, name, size));
}

int rte_pmd_ddp_meta_is_on(uint16_t port_id) {
	return DDP_PORT_READ(port_id, port, port->meta);
}

int rte_pmd_ddp_ptype_mapping_get(uint16_t port_id, struct rte_pmd_ddp_ptype_mapping *items,
				  unsigned int n) {
	return GET(port_id, items, n, ptypes_fill(port, NULL, items, n));
}

int rte_pmd_ddp_ptype_mapping_update(uint16_t port_id,
				     const struct rte_pmd_ddp_ptype_mapping *items, unsigned int n,
				     bool exclusive) {
	if (items == NULL && n > 0)
		return -EINVAL;
	return DDP_PORT_CHANGE(port_id, port, ddp_mapping_update(port, items, n, exclusive));
}

int rte_pmd_ddp_ptype_mapping_replace(uint16_t port_id, uint32_t target, bool mask,
				      uint32_t rte_ptype) {
	return DDP_PORT_CHANGE(port_id, port, ddp_mapping_replace(port, target, mask, rte_ptype));
}

int rte_pmd_ddp_ptype_mapping_reset(uint16_t port_id) {
	return DDP_PORT_CHANGE(port_id, port, ddp_mapping_reset(port));
}

int rte_pmd_ddp_balance_set(uint16_t port_id, unsigned int ms) {
	return DDP_PORT_CHANGE(port_id, port, ddp_balance_set(port, ms));
}

int rte_pmd_ddp_balance_get(uint16_t port_id, struct rte_pmd_ddp_balance *balance) {
	return GET(port_id, balance, 1,
		   (*balance = ddp_balance_numbers(port, ddp_stats_read(port)), 0));
}
