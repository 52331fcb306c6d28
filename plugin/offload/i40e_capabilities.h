/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what a 700-series package adds to the NIC, as far as a plan needs it.
//
// The NIC finds a packet's pctype and ptype. The pctype has an input set: the words of the field
// vector that are hashed, in their order. A package says which protocols its pctypes and ptypes
// stand for, but not from where the words are taken: undocumented registers hold that. Intel
// publishes it for its GTP package, and only with this a plan can predict the hash.
#ifndef DDP_OFFLOAD_I40E_CAPABILITIES_H
#define DDP_OFFLOAD_I40E_CAPABILITIES_H

#include "i40e/i40e.h"
#include "nic.h"

#define I40E_PUBLISHED_FIELDS 4

// The words of the field vector that hold n words of a header, from this byte on.
struct i40e_field {
	const char *header; // an inner one; NULL: UDP, TCP or SCTP
	uint8_t byte, first, n;
};

// Published contents of a pctype's field vector.
struct i40e_published {
	uint8_t pctype;
	const char *type;
	struct i40e_field fields[I40E_PUBLISHED_FIELDS];
};

// How the NIC reports and hashes packets of one kind with the package.
struct i40e_capability {
	uint32_t ptype; // RTE_PTYPE_*; 0: not distinguished from other packets
	int pctype;
	const struct i40e_published *published; // of the pctype; NULL: nothing
};

// Packets from outer IP version (4, 6) to inner L4 header.
struct i40e_capability i40e_capability_find(const struct ddp_package *package, unsigned int outer,
					    unsigned int inner, enum l4 l4);

// Add to nic what the package adds to the NIC.
void i40e_nic_extend(const struct ddp_package *package, struct ddp_nic *nic);

// Does the NIC need a package to distinguish such packets?
static inline bool i40e_needs_package(enum encap encap) {
	return (ENCAPS_GTPU & 1U << encap) != 0;
}

#endif
