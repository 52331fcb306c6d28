/* SPDX-License-Identifier: BSD-3-Clause */
// Adds a package to a 700-series NIC, and removes it, through its driver's private functions.
//
// It is an error if the NIC already holds the package. Errors undo the changes; but what a NIC that
// fails has written stays until it is reset.
//
// This code has never run on such a NIC: it follows DPDK 22.11's sources (i40e/i40e.h), and tests
// use fake functions. Control path: one thread, the port is stopped.
//
//	port = ddp_i40e_load(port_id, plan, &diag);
//	...
//	ddp_i40e_unload(port, false, &diag);
#pragma once

#include "i40e/i40e.h"
#include "offload.h"

#define DDP_I40E_FLOW_TYPES 64
#define DDP_I40E_FLOW_TYPE_FIRST 26 // DPDK uses lower flow types

// Numbers and structs of rte_pmd_i40e.h, which needs ethdev; i40e_port.c compares them with it.
enum ddp_i40e_op {
	DDP_I40E_ADD = 1,
	DDP_I40E_DEL = 2,
};
#define DDP_I40E_INSET_HASH 1

struct ddp_i40e_flow_type {
	uint16_t flow_type;
	uint64_t pctype; // bits
};

struct ddp_i40e_inset {
	uint64_t inset; // bit 63 - n: word n of the field vector
	struct {
		uint8_t field_idx;
		uint16_t mask;
	} mask[2];
};

// The driver's functions: name after rte_pmd_i40e_, parameters. They return 0 or a negative errno.
// Adding a package maps its ptypes to those of DPDK, even with -EEXIST: the NIC holds the package,
// or one of its group or of a group that excludes it. Deleting it maps the built-in ptypes of the
// NIC alone.
#define DDP_I40E_CALLS(X)                                                                     \
	X(process_ddp_package, uint16_t, uint8_t *, uint32_t, int)                            \
	X(flow_type_mapping_get, uint16_t, struct ddp_i40e_flow_type *)                       \
	X(flow_type_mapping_update, uint16_t, struct ddp_i40e_flow_type *, uint16_t, uint8_t) \
	X(inset_get, uint16_t, uint8_t, struct ddp_i40e_inset *, int)                         \
	X(inset_set, uint16_t, uint8_t, struct ddp_i40e_inset *, int)

#define DDP_I40E_POINTER(name, ...) int (*name)(__VA_ARGS__);
struct ddp_i40e_calls {
	DDP_I40E_CALLS(DDP_I40E_POINTER)
};

struct ddp_i40e_port {
	const struct ddp_i40e_calls *calls;
	uint16_t id;
	uint8_t *rollback; // the file that removes the package
	size_t rollback_size;
	uint32_t track_id; // of the package
	uint64_t rss_hf;   // bits of all of its pctypes

	// Previous values, in the order of the changes.
	struct ddp_i40e_flow_type flow_types[DDP_I40E_FLOW_TYPES];
	bool flow_types_changed;
	struct {
		uint8_t pctype;
		struct ddp_i40e_inset inset;
	} insets[DDP_I40E_FLOW_TYPES];
	unsigned int n_insets;
};

// The functions of DPDK's driver net_i40e; NULL with an error in diag. Tests replace it.
extern const struct ddp_i40e_calls *(*ddp_i40e_lower_calls)(struct ddp_diag *diag);

// Write a plan's package, which ddp_i40e_package_covers() must have accepted, and its input sets to
// the stopped NIC, for all of its ports. NULL: see diag, also for changes that could not be undone.
struct ddp_i40e_port *ddp_i40e_load(uint16_t port_id, const struct ddp_plan *plan,
				    struct ddp_diag *diag);

// Write the input sets of another plan, and keep those of other pctypes. 0, or -errno: see diag.
int ddp_i40e_hash(struct ddp_i40e_port *port, const struct ddp_plan *plan, struct ddp_diag *diag);

// Undo all changes on the stopped NIC, errors in diag; if it is gone, only free. NULL: nothing.
void ddp_i40e_unload(struct ddp_i40e_port *port, bool gone, struct ddp_diag *diag);

// Does a profile have tunnels for which the NIC needs a package whose hash is documented?
bool ddp_i40e_package_wanted(const struct ddp_profile *profile);

// Open a 700-series package; the caller closes it. NULL with errors in diag.
struct ddp_package *ddp_i40e_package_open(const char *path, struct ddp_diag *diag);

// Is it for this device (0: any), and does Intel document its hashed fields? Else see diag.
bool ddp_i40e_package_covers(const struct ddp_package *package, uint16_t device,
			     struct ddp_diag *diag);
