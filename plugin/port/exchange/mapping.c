/* SPDX-License-Identifier: BSD-3-Clause */
// RTE_PTYPE_* that the application assigns to packet types. Kept by id, so that a type whose
// profile is deleted and added again keeps its own.
#include "port/exchange/exchange.h"

#include <errno.h>

#include <rte_malloc.h>

#define USER_DEFINED UINT32_C(0x80000000) // with any other bits, as for Intel's NICs

static bool is_ptype(uint32_t ptype) {
	return (ptype & USER_DEFINED) != 0 || (ptype & ~(uint32_t)RTE_PTYPE_ALL_MASK) == 0;
}

static const struct ddp_type_info *type_at(const struct ddp_port *port, unsigned int i) {
	return ddp_program_type(port->personality->program, i);
}

// A copy of the port's mapping with room for all ids, or NULL.
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

// Apply mapping, which the port then owns, or free it.
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
