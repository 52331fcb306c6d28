/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what a 700-series package teaches the NIC, as the plan has it.
//
// The NIC finds a packet's pctype and ptype. The pctype has an input set, the words of the field vector that are
// hashed, in their order. A package says of which protocols its pctypes and ptypes are, but not where the words
// come from: that is in registers nobody describes. It is published of some packages (i40e_taught.c), and of
// these alone a hash can be promised.
#ifndef DDP_OFFLOAD_I40E_CAPABILITIES_H
#define DDP_OFFLOAD_I40E_CAPABILITIES_H

#include "expected_hash.h"
#include "i40e/i40e.h"

// What the NIC tells apart with the package.
void i40e_nic_teach(const struct ddp_package *package, struct ddp_nic *nic);

// Is it the package that tells such packets from others?
static inline bool i40e_teaches(enum encap encap) {
	return (ENCAPS_GTPU & 1U << encap) != 0;
}

// What it tells of such a packet from outer IP version (4, 6) to inner L4 header. ptype 0: it does not tell it
// from others.
struct i40e_taught i40e_taught_find(const struct ddp_package *package, unsigned int outer,
				    unsigned int inner, enum l4 l4);

// The input set of the shape's pctype that hashes just these bits. false: there is none.
bool i40e_inset_find(const struct shape *shape, const struct hashed *hashed,
		     struct ddp_offload_inset *inset);

// What an input set of its pctype hashes of a shape. false: that is not known.
bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct shape *shape,
		       struct hashed *hashed);

// Why the package is of no help where the NIC knows nothing of a header ("pppoe"); "" where nothing can be said.
void i40e_header_reason(const struct ddp_package *package, const char *header, char *text,
			size_t size);

// Protocols of packages that stand for a header: what their names begin with. NULL: the NIC needs no package for it,
// or there is none.
const char *i40e_protocol_of(const char *header);

#endif
