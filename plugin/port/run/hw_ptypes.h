/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: the packet types that the lower device hashes for us.
//
// A packet of such a type keeps the hash that the lower device wrote into its mbuf: it bypasses
// classification. A port verifies hardware hashes, because a driver may accept a rule that has no
// effect: the first packets of each type, then one burst in DDP_PROOF_STRIDE, are hashed here, too.
//
// After one packet with another hash the packet type is hashed in software until a new proof, which
// begins at the next check. If the profile finds fewer headers in that packet than the NIC, it is
// cut or contradicts itself: any sender can do that, and it says nothing of other packets. Else the
// NIC may hash wrongly: each such mismatch doubles the packets of the proof, up to a limit. A NIC
// that is wrong about one packet in some hundreds fails it each time; a sender of that many fewer
// cannot keep the hardware from being used.
//
// A packet with an equal hash, but another type by the profile, is no mismatch and no proof.
//
// Packets that a flow rule may match are never proven, and so classified: rules are applied in
// software. Which these are depends on the shapes of the rules only. A rule of a new shape is in
// force after the table was made for it, and out of force before one is made without.
#pragma once

#include "classify/cache/cache.h"

#define DDP_PROOF_PACKETS 64         // packets to verify before any bypasses classification
#define DDP_PROOF_STRIDE 1024        // bursts: one of these is verified after the proof
#define DDP_PROOF_REFUTED UINT32_MAX // no packet counts before the next check

struct ddp_hw_ptype {
	uint32_t rte_ptype;         // of the lower device; 0: the slot is empty
	struct ddp_verdict verdict; // of its packets, with a hash; not parsed, so without a value
	uint16_t planned;           // control: index in the plan
	bool ruled;                 // flow rules may match it: DDP_PROOF_REFUTED for good
	// Written by all lower queues, so atomic.
	uint16_t wrong_id; // type id, for the profile, of the last packet with another hash
	uint32_t unproven; // packets to verify before any is trusted; or DDP_PROOF_REFUTED
	// Counters, in no particular order.
	uint32_t checked; // packets
	uint32_t wrong;   // checked packets with another hash
	uint32_t other;   // checked packets with an equal hash, but another type by the profile
};

// A hash table by rte_ptype. Only the counters change once it is built.
struct ddp_hw_ptypes {
	uint32_t shift; // 32 - log2 of the number of slots
	uint32_t mask;
	bool bypass; // by its redirection table, lower queue i holds packets for Rx queue i only
	uint32_t misrouted;          // verified packets that were on another queue
	struct ddp_hw_ptype slots[]; // open addressing; one or more are empty
};

static inline uint32_t ddp_hw_ptype_read(const uint32_t *counter) {
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline bool ddp_hw_ptype_is_proven(const struct ddp_hw_ptype *hw_ptype) {
	return ddp_hw_ptype_read(&hw_ptype->unproven) == 0;
}

static inline uint32_t ddp_hw_ptypes_slot(const struct ddp_hw_ptypes *hw_ptypes,
					  uint32_t rte_ptype) {
	return rte_ptype * UINT32_C(0x9e3779b1) >> hw_ptypes->shift;
}

static inline struct ddp_hw_ptype *ddp_hw_ptypes_find(struct ddp_hw_ptypes *hw_ptypes,
						      uint32_t rte_ptype) {
	uint32_t at = ddp_hw_ptypes_slot(hw_ptypes, rte_ptype);

	while (hw_ptypes->slots[at].rte_ptype != rte_ptype) {
		if (hw_ptypes->slots[at].rte_ptype == 0)
			return NULL;
		at = (at + 1) & hw_ptypes->mask;
	}
	return rte_ptype != 0 ? &hw_ptypes->slots[at] : NULL;
}

// Do packets on lower queue i go to Rx queue i without a ring? hw_ptypes may be NULL.
static inline bool ddp_hw_ptypes_bypass(const struct ddp_hw_ptypes *hw_ptypes) {
	return hw_ptypes != NULL && hw_ptypes->bypass &&
	       ddp_hw_ptype_read(&hw_ptypes->misrouted) == 0;
}
