/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what Intel's GTP package adds to a 700-series NIC, as far as a plan
// needs it.
//
// The NIC finds a packet's pctype and ptype. The pctype has an input set: the words of the field
// vector that are hashed, in their order. A package says which protocols its pctypes and ptypes
// stand for, but not from where the words are taken: undocumented registers hold that. Intel
// publishes it for its GTP package, and only with this a plan can predict the hash.
#ifndef DDP_OFFLOAD_I40E_CAPABILITIES_H
#define DDP_OFFLOAD_I40E_CAPABILITIES_H

#include "expected_hash.h"

#define I40E_PUBLISHED_FIELDS 4

// The words of the field vector that hold n words of a header, from this byte on.
struct i40e_field {
	enum class_header_id header; // an inner one; N_CLASS_HEADERS: UDP, TCP or SCTP
	uint8_t byte, first, n;
};

// Published contents of a pctype's field vector.
struct i40e_published {
	uint8_t pctype;
	const char *type;
	struct i40e_field fields[I40E_PUBLISHED_FIELDS];
};

// Of packets with this inner IP version (4, 6).
const struct i40e_published *i40e_published_find(unsigned int inner);

// The RTE_PTYPE_* of packets from outer IP version (4, 6) to inner L4 header.
uint32_t i40e_ptype(unsigned int outer, unsigned int inner, enum l4 l4);

// Add to nic what the package adds to the NIC.
void i40e_nic_extend(struct ddp_nic *nic);

// The input set of the class's pctype that hashes exactly these bits. false: there is none.
bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset);

// The bits of a packet class that an input set of its pctype hashes. false: not known.
bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed);

#endif
