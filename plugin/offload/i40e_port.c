/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_port.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "i40e/i40e_file.h"
#include "package/read.h"

// A record of the firmware's list.
#define LOADED_SIZE 48

static int fail(const struct ddp_i40e_port *port, int error, const char *what,
		struct ddp_diag *diag) {
	if (error == -ENOMEM)
		return ddp_no_memory(diag);
	ddp_error(diag, NULL, "port %u: %s: %s", port->id, what, strerror(-error));
	return error;
}

/* What the NIC holds */

// The track ids of the profiles that the NIC holds. Returns their number, or a negative errno.
static int list_read(const struct ddp_i40e_port *port, uint32_t loaded[I40E_LOADED_MAX],
		     struct ddp_diag *diag) {
	uint8_t bytes[DDP_I40E_LIST_SIZE] = {0};
	uint32_t n;
	int ret = port->calls->get_ddp_list(port->id, bytes, sizeof(bytes));

	if (ret < 0)
		return fail(port, ret, "the NIC's list of profiles cannot be read", diag);
	n = le32_get(bytes);
	if (n > I40E_LOADED_MAX) {
		ddp_error(diag, NULL, "port %u: the NIC lists %" PRIu32 " profiles, of %u at most",
			  port->id, n, I40E_LOADED_MAX);
		return -EIO;
	}
	for (unsigned int i = 0; i < n; i++)
		loaded[i] = le32_get(bytes + 4 + i * LOADED_SIZE);
	return n;
}

static bool is_listed(const uint32_t *loaded, int n, uint32_t track_id) {
	for (int i = 0; i < n; i++)
		if (loaded[i] == track_id)
			return true;
	return false;
}

/* Adding */

// The NIC holds the package already, and keeps it; the driver learns its names by adding it again.
static int adopt(struct ddp_i40e_port *port, const struct ddp_package *package, uint8_t *bytes,
		 struct ddp_diag *diag) {
	int ret = port->calls->process_ddp_package(port->id, bytes, package->size, DDP_I40E_ADD);

	free(bytes);
	if (ret < 0 && ret != -EEXIST)
		return fail(port, ret, package->path, diag);
	return 0;
}

// The sections of a type in the file after it was added: the firmware makes those that it writes
// into ones with the previous register values.
static unsigned int sections_count(const struct i40e_package *i40e, const uint8_t *bytes,
				   uint32_t type) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < i40e->n_sections; i++)
		n += le32_get(bytes + i40e->sections[i].offset + SECTION_TYPE_AT) == type;
	return n;
}

static void package_remove(struct ddp_i40e_port *port, struct ddp_diag *diag) {
	int ret = 0;

	if (port->rollback != NULL)
		ret = port->calls->process_ddp_package(port->id, port->rollback,
						       port->rollback_size, DDP_I40E_DEL);
	if (ret < 0)
		ddp_error(diag, NULL, "port %u: profile 0x%08" PRIx32 " cannot be taken back: %s",
			  port->id, port->track_id, strerror(-ret));
	free(port->rollback);
	port->rollback = NULL;
}

// bytes becomes the port's, which removes the package with it.
static int load(struct ddp_i40e_port *port, const struct ddp_package *package, uint8_t *bytes,
		struct ddp_diag *diag) {
	int ret = port->calls->process_ddp_package(port->id, bytes, package->size, DDP_I40E_ADD);

	if (ret == -EEXIST) {
		ddp_error(diag, NULL, "port %u: %s: the NIC holds a profile that excludes it",
			  port->id, package->path);
	} else if (ret < 0) {
		fail(port, ret, package->path, diag);
	} else if (sections_count(package->i40e, bytes, I40E_MMIO) > 0) {
		ddp_error(diag, NULL, "port %u: %s: its registers were not read back", port->id,
			  package->path);
		ret = -EIO;
	}
	if (ret == 0) {
		port->rollback = bytes;
		port->rollback_size = package->size;
		port->track_id = package->track_id;
		return 0;
	}
	if (sections_count(package->i40e, bytes, I40E_RB_MMIO) > 0)
		ddp_error(diag, NULL,
			  "port %u: what the package has written stays until the NIC is reset",
			  port->id);
	free(bytes);
	return ret;
}

static int package_add(struct ddp_i40e_port *port, const struct ddp_package *package,
		       struct ddp_diag *diag) {
	uint32_t loaded[I40E_LOADED_MAX];
	uint8_t *bytes;
	int n;

	assert(port->rollback == NULL);
	n = list_read(port, loaded, diag);
	if (n < 0)
		return n;
	bytes = malloc(package->size);
	if (bytes == NULL)
		return fail(port, -ENOMEM, package->path, diag);
	memcpy(bytes, package->bytes, package->size);
	if (is_listed(loaded, n, package->track_id))
		return adopt(port, package, bytes, diag);
	return load(port, package, bytes, diag);
}

/* Types */

// The flow type of this pctype, else a free one, else DDP_I40E_FLOW_TYPES.
static unsigned int flow_type_find(const struct ddp_i40e_flow_type types[DDP_I40E_FLOW_TYPES],
				   uint8_t pctype) {
	for (unsigned int i = 0; i < DDP_I40E_FLOW_TYPES; i++)
		if (types[i].pctype == UINT64_C(1) << pctype)
			return i;
	for (unsigned int i = DDP_I40E_FLOW_TYPE_FIRST; i < DDP_I40E_FLOW_TYPES; i++)
		if (types[i].pctype == 0)
			return i;
	return DDP_I40E_FLOW_TYPES;
}

// All but the first one get 0, which the driver does not treat as a flow type.
static int flow_types_put(struct ddp_i40e_port *port, struct ddp_i40e_flow_type *types) {
	return port->calls->flow_type_mapping_update(port->id, types + 1, DDP_I40E_FLOW_TYPES - 1,
						     0);
}

static int flow_types_set(struct ddp_i40e_port *port, const struct i40e_package *i40e,
			  struct ddp_diag *diag) {
	struct ddp_i40e_flow_type now[DDP_I40E_FLOW_TYPES];
	int ret = port->calls->flow_type_mapping_get(port->id, now);

	if (ret < 0)
		return fail(port, ret, "its flow types cannot be read", diag);
	memcpy(port->flow_types, now, sizeof(now));
	for (unsigned int i = 0; i < i40e->pctypes.n; i++) {
		uint8_t pctype = i40e->pctypes.types[i].id;
		unsigned int type;

		if (pctype >= DDP_I40E_FLOW_TYPES)
			continue; // the NIC has none
		type = flow_type_find(now, pctype);
		if (type == DDP_I40E_FLOW_TYPES)
			return fail(port, -ENOSPC, "no flow type is free for a pctype", diag);
		now[type].flow_type = type;
		now[type].pctype = UINT64_C(1) << pctype;
		port->rss_hf |= UINT64_C(1) << type;
	}
	ret = flow_types_put(port, now);
	if (ret < 0)
		return fail(port, ret, "its flow types cannot be set", diag);
	port->flow_types_changed = true;
	return 0;
}

static void flow_types_undo(struct ddp_i40e_port *port, struct ddp_diag *diag) {
	int ret = port->flow_types_changed ? flow_types_put(port, port->flow_types) : 0;

	if (ret < 0)
		fail(port, ret, "its flow types cannot be taken back", diag);
}

/* Hashing */

static bool inset_is_saved(const struct ddp_i40e_port *port, uint8_t pctype) {
	for (unsigned int i = 0; i < port->n_insets; i++)
		if (port->insets[i].pctype == pctype)
			return true;
	return false;
}

static int inset_set(struct ddp_i40e_port *port, uint8_t pctype, const uint8_t *words,
		     unsigned int n, struct ddp_diag *diag) {
	struct ddp_i40e_inset before, inset = {0};
	int ret;

	assert(words != NULL || n == 0);
	if (pctype >= DDP_I40E_FLOW_TYPES)
		return fail(port, -EINVAL, "no such pctype", diag);
	for (unsigned int i = 0; i < n; i++) {
		if (words[i] >= DDP_OFFLOAD_FIELDS)
			return fail(port, -EINVAL, "no such word of the field vector", diag);
		inset.inset |= UINT64_C(1) << (DDP_OFFLOAD_FIELDS - 1 - words[i]);
	}
	ret = port->calls->inset_get(port->id, pctype, &before, DDP_I40E_INSET_HASH);
	if (ret < 0)
		return fail(port, ret, "a pctype's input set cannot be read", diag);
	if (!inset_is_saved(port, pctype)) { // before the change: a partial change is undone, too
		port->insets[port->n_insets].pctype = pctype;
		port->insets[port->n_insets++].inset = before;
	}
	ret = port->calls->inset_set(port->id, pctype, &inset, DDP_I40E_INSET_HASH);
	return ret < 0 ? fail(port, ret, "a pctype's input set cannot be set", diag) : 0;
}

static void inset_undo(struct ddp_i40e_port *port, uint8_t pctype, struct ddp_i40e_inset *before,
		       struct ddp_diag *diag) {
	int ret = port->calls->inset_set(port->id, pctype, before, DDP_I40E_INSET_HASH);

	if (ret < 0)
		fail(port, ret, "a pctype's input set cannot be taken back", diag);
}

// All changes, the last one first, also if one fails.
static void undo(struct ddp_i40e_port *port, struct ddp_diag *diag) {
	for (unsigned int i = port->n_insets; i-- > 0;)
		inset_undo(port, port->insets[i].pctype, &port->insets[i].inset, diag);
	flow_types_undo(port, diag);
	package_remove(port, diag);
}

/* A lower device */

const struct ddp_i40e_calls *(*ddp_i40e_lower_calls)(struct ddp_diag *diag) = ddp_i40e_calls_find;

int ddp_i40e_hash(struct ddp_i40e_port *port, const struct ddp_plan *plan, struct ddp_diag *diag) {
	int ret = 0;

	for (unsigned int i = 0; i < plan->n_insets && ret == 0; i++)
		ret = inset_set(port, plan->insets[i].pctype, plan->insets[i].words,
				plan->insets[i].n, diag);
	return ret;
}

static int package_program(struct ddp_i40e_port *port, const struct ddp_plan *plan,
			   struct ddp_diag *diag) {
	int ret = package_add(port, plan->package, diag);

	if (ret == 0)
		ret = flow_types_set(port, plan->package->i40e, diag);
	if (ret == 0)
		ret = ddp_i40e_hash(port, plan, diag);
	if (ret < 0)
		undo(port, diag);
	return ret;
}

struct ddp_i40e_port *ddp_i40e_load(uint16_t port_id, const struct ddp_plan *plan,
				    struct ddp_diag *diag) {
	const struct ddp_i40e_calls *calls = ddp_i40e_lower_calls(diag);
	struct ddp_i40e_port *port;

	assert(plan->package != NULL);
	if (calls == NULL)
		return NULL;
	port = calloc(1, sizeof(*port));
	if (port == NULL) {
		ddp_no_memory(diag);
		return NULL;
	}
	port->calls = calls;
	port->id = port_id;
	if (package_program(port, plan, diag) < 0) {
		free(port);
		return NULL;
	}
	return port;
}

void ddp_i40e_unload(struct ddp_i40e_port *port, bool gone, struct ddp_diag *diag) {
	if (port == NULL)
		return;
	if (gone)
		free(port->rollback);
	else
		undo(port, diag);
	free(port);
}
