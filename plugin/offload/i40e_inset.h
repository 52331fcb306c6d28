/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the input sets of a 700-series NIC's pctypes.
#ifndef DDP_OFFLOAD_I40E_INSET_H
#define DDP_OFFLOAD_I40E_INSET_H

#include "expected_hash.h"

// The input set of the class's pctype that hashes exactly these bits. false: there is none.
bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset);

// The bits of a packet class that an input set of its pctype hashes. false: not known.
bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed);

#endif
