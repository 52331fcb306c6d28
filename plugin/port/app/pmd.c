/* SPDX-License-Identifier: BSD-3-Clause */
// The functions of rte_pmd_ddp.h. Each gets the port, for reading or for a change.
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/state/balance.h"
#include "port/state/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

#define ERROR_SIZE 512

// Explain why the port cannot be changed.
static int no_change(uint16_t port_id, int ret, char *error, size_t error_size) {
	return ddp_fail(error, error_size, ret,
			ret == -ENODEV ? "port %u is not a net_ddp port" :
					 "port %u is being changed by the caller of this",
			port_id);
}

// Copy the line to the caller's error, which may be NULL.
static int told(int ret, const char *line, char *error, size_t error_size) {
	if (error != NULL && error_size > 0)
		ddp_escape(ret < 0 ? line : "", error, error_size);
	return ret;
}

// what: the argument that is NULL.
static int null_refuse(const char *what, char *error, size_t error_size) {
	char line[ERROR_SIZE];
	int ret = ddp_fail(line, sizeof(line), -EINVAL, "the %s is NULL", what);

	return told(ret, line, error, error_size);
}

// Is an array missing that has entries?
static bool is_missing(const void *array, size_t n) {
	return array == NULL && n > 0;
}

// change: a function of port_personality.c.
static int profile_change(uint16_t port_id, const struct ddp_source *source, char *error,
			  size_t error_size,
			  int (*change)(struct ddp_port *port, const struct ddp_source *source,
					char *error, size_t error_size)) {
	char line[ERROR_SIZE];
	int ret;
	struct ddp_port *port = ddp_registry_change(port_id, &ret);

	if (port == NULL)
		return told(no_change(port_id, ret, line, sizeof(line)), line, error, error_size);
	ret = change(port, source, line, sizeof(line));
	ddp_change_end(port);
	return told(ret, line, error, error_size);
}

int rte_pmd_ddp_profile_add(uint16_t port_id, const char *spec, char *error, size_t error_size) {
	const struct ddp_source source = {.spec = spec};

	if (spec == NULL)
		return null_refuse("specification", error, error_size);
	return profile_change(port_id, &source, error, error_size, ddp_personality_add);
}

int rte_pmd_ddp_profile_add_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size) {
	const struct ddp_source source = {.text = text, .size = size};

	if (text == NULL)
		return null_refuse("text", error, error_size);
	return profile_change(port_id, &source, error, error_size, ddp_personality_add);
}

int rte_pmd_ddp_profile_del(uint16_t port_id, const char *name, char *error, size_t error_size) {
	const struct ddp_source source = {.spec = name};

	if (name == NULL)
		return null_refuse("name", error, error_size);
	return profile_change(port_id, &source, error, error_size, ddp_personality_del);
}

int rte_pmd_ddp_profile_set(uint16_t port_id, const char *spec, char *error, size_t error_size) {
	const struct ddp_source source = {.spec = spec};

	return profile_change(port_id, &source, error, error_size, ddp_personality_set);
}

int rte_pmd_ddp_profile_del_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size) {
	const struct ddp_source source = {.text = text, .size = size};
	char line[ERROR_SIZE];
	struct ddp_diag diag;
	int ret = -EINVAL;
	char *name;

	if (text == NULL)
		return null_refuse("text", error, error_size);
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
	return told(ret, line, error, error_size);
}

static void text_set(char *to, size_t size, const char *text) {
	snprintf(to, size, "%s", text != NULL ? text : "");
}

static void profile_fill(struct rte_pmd_ddp_profile *to, const struct ddp_profile *profile,
			 const struct ddp_profile_part *part) {
	text_set(to->spec, sizeof(to->spec), part->source.spec);
	text_set(to->name, sizeof(to->name), part->name);
	text_set(to->version, sizeof(to->version), part->version);
	text_set(to->summary, sizeof(to->summary), part->summary);
	text_set(to->file, sizeof(to->file), part->file);
	to->n_packet_types = 0;
	for (unsigned int t = 0; t < profile->n_types; t++)
		to->n_packet_types += profile->types[t].profile == part->name;
}

int rte_pmd_ddp_profiles_get(uint16_t port_id, struct rte_pmd_ddp_profile *profiles,
			     unsigned int n) {
	const struct ddp_profile *profile;
	struct ddp_port *port;
	unsigned int n_profiles;

	if (is_missing(profiles, n))
		return -EINVAL;
	port = ddp_registry_get(port_id);
	if (port == NULL)
		return -ENODEV;
	profile = port->personality->profile;
	n_profiles = profile->n_named;
	for (unsigned int i = 0; i < RTE_MIN(n, n_profiles); i++)
		profile_fill(&profiles[i], profile, profile->named[i]);
	ddp_registry_put(port);
	return n_profiles;
}

int rte_pmd_ddp_ptypes_get(uint16_t port_id, struct rte_pmd_ddp_ptype *ptypes, unsigned int n) {
	struct ddp_port *port;
	const struct ddp_stats *stats;
	unsigned int n_types;

	if (is_missing(ptypes, n))
		return -EINVAL;
	port = ddp_registry_get(port_id);
	if (port == NULL)
		return -ENODEV;
	stats = ddp_stats_read(port);
	n_types = port->personality->n_types;
	for (unsigned int i = 0; i < RTE_MIN(n, n_types); i++) {
		const struct ddp_type_info *type = ddp_program_type(port->personality->program, i);

		ptypes[i].id = type->id;
		ptypes[i].rte_ptype = ddp_mapping_of(port, type);
		ptypes[i].packets = stats->types[type->id];
		text_set(ptypes[i].name, sizeof(ptypes[i].name), type->name);
	}
	ddp_registry_put(port);
	return n_types;
}

int rte_pmd_ddp_ptype_name(uint16_t port_id, uint16_t ptype_id, char *name, size_t size) {
	struct ddp_port *port;
	const char *found;
	int ret = -ENOENT;

	if (is_missing(name, size))
		return -EINVAL;
	port = ddp_registry_get(port_id);
	if (port == NULL)
		return -ENODEV;
	found = ddp_types_name(port, ptype_id);
	if (found != NULL)
		ret = snprintf(name, size, "%s", found);
	ddp_registry_put(port);
	return ret;
}

int rte_pmd_ddp_meta_is_on(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	int ret;

	if (port == NULL)
		return -ENODEV;
	ret = port->meta;
	ddp_registry_put(port);
	return ret;
}

int rte_pmd_ddp_ptype_mapping_get(uint16_t port_id, struct rte_pmd_ddp_ptype_mapping *items,
				  unsigned int n) {
	struct ddp_port *port;
	unsigned int n_types;

	if (is_missing(items, n))
		return -EINVAL;
	port = ddp_registry_get(port_id);
	if (port == NULL)
		return -ENODEV;
	n_types = port->personality->n_types;
	for (unsigned int i = 0; i < RTE_MIN(n, n_types); i++) {
		const struct ddp_type_info *type = ddp_program_type(port->personality->program, i);

		items[i].id = type->id;
		items[i].rte_ptype = ddp_mapping_of(port, type);
	}
	ddp_registry_put(port);
	return n_types;
}

int rte_pmd_ddp_ptype_mapping_update(uint16_t port_id,
				     const struct rte_pmd_ddp_ptype_mapping *items, unsigned int n,
				     bool exclusive) {
	if (is_missing(items, n))
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
	struct ddp_port *port;

	if (balance == NULL)
		return -EINVAL;
	port = ddp_registry_get(port_id);
	if (port == NULL)
		return -ENODEV;
	*balance = ddp_balance_numbers(port, ddp_stats_read(port));
	ddp_registry_put(port);
	return 0;
}
