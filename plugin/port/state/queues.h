/* SPDX-License-Identifier: BSD-3-Clause */
// The queues of a port, the packet types that its lower device hashes, and the locks and counters
// of the data path.
#pragma once

#include <assert.h>

#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_spinlock.h>

#include "classify/cache/cache.h"

struct ddp_order;
struct ddp_port;
struct ddp_ring;
struct ddp_steering;

#define DDP_PORT_QUEUES 256     // Rx queues, and Tx queues
#define DDP_PORT_DESC_MAX 32768 // descriptors of one of them
#define DDP_PORT_DESC_DEFAULT 512
#define DDP_PORT_BURST 32 // packets taken from a lower queue at once

static_assert(DDP_PORT_BURST <= DDP_BURST_MAX, "a burst is classified in one go");
static_assert(DDP_PORT_BURST % 16 == 0, "queues of a burst are compared in groups of 16");
static_assert(DDP_PORT_QUEUES <= UINT8_MAX + 1, "a queue number fits one byte");

/* Parts of the queues below; run/order.h, run/load.h and run/rx_batch.c use them. */

// Of a lower queue; counters since the port exists.
struct ddp_order_counts {
	uint64_t parked;   // packets
	uint64_t given_up; // waits for a queue, and moves of an entry
	uint64_t longest;  // wait that packets were parked for, in TSC cycles
};

// Written by the burst call.
struct ddp_queue_load {
	uint64_t bursts, packets, cycles; // of the bursts whose time is known
	// Sums over these bursts: squares, and packets times cycles.
	uint64_t packets_2, cycles_2, products;
	uint32_t n_got;   // bursts with packets
	uint32_t got;     // packets of the last burst; 0: it is not timed
	uint64_t since;   // when that burst was returned
	uint32_t n_polls; // of the thread then
	uint32_t lcore;   // that polled
};

#define DDP_FLOW_SAMPLE_PACKETS 64 // packets of an entry from which a sample is chosen
#define DDP_FLOW_SAMPLE_BYTES 192  // bytes of a packet that a sample has

// The beginning of a packet of an entry's largest flow.
struct ddp_flow_sample {
	uint16_t entry;
	uint16_t left;   // packets to sample; 0: no sample is wanted, or it is complete
	uint16_t votes;  // of the flow, less those of others
	uint16_t len;    // bytes in data
	uint16_t l3_off; // of the innermost IP header; UINT16_MAX: none
	uint32_t hash;   // of the flow
	uint8_t data[DDP_FLOW_SAMPLE_BYTES];
};

// Packets and their Rx queues.
struct ddp_batch {
	uint16_t n;
	uint8_t queues[DDP_PORT_BURST] __attribute__((aligned(16)));
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
};

// Value of a data path lock that this process holds: 1 in the primary process, the process id in
// others, so that the locks of a process that ended are known. Not
// rte_spinlock_trylock(), which writes 1 even if it fails.
extern int ddp_lock_owner;

static inline bool ddp_trylock(rte_spinlock_t *lock) {
	int unlocked = 0;

	return __atomic_compare_exchange_n(&lock->locked, &unlocked, ddp_lock_owner, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// Not rte_spinlock_unlock(): on x86 it exchanges the value, and waits for all earlier stores.
static inline void ddp_unlock(rte_spinlock_t *lock) {
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

/* The packet types that the lower device hashes for us */

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

/* Queues */

struct ddp_lower_rxq {
	// All calls use this cache line.
	rte_spinlock_t lock; // protects all fields below but wanted, seen and left_until
	bool wanted;         // by the control path: the data path does not try the lock
	uint8_t order;       // enum ddp_order_mode
	uint16_t id;
	uint16_t port_id;                // of the lower device
	uint16_t n_bursts;               // read so far, while hw_ptypes is set
	uint32_t drain;                  // packets to hash in software before hw_ptypes is used
	struct ddp_hw_ptypes *hw_ptypes; // NULL: every packet is classified
	uint64_t *types;                 // packets by packet type id
	uint64_t taken;                  // packets read
	uint64_t offloaded;              // packets with a hardware hash
	struct ddp_batch held;           // with overflow=wait: packets that did not fit

	const struct ddp_steering *steering;
	uint32_t *entries; // with balance=: entry_counts; else NULL
	struct ddp_flow_sample sample;
	struct ddp_order_counts order_counts;
	struct ddp_order *orders;                // while the port is started
	struct ddp_cache *cache;                 // while the port is started
	struct ddp_cache_stats past;             // control: of caches that were freed
	struct ddp_ring *rings[DDP_PORT_QUEUES]; // to each Rx queue that is started
	// control: these rings, also while a burst call replaces one of rings[]
	struct ddp_ring *all_rings[DDP_PORT_QUEUES];
	struct ddp_port *port; // control
	uint16_t wakes;        // control: the Rx queue that its interrupt wakes; see start.c
	uint64_t missed[DDP_PORT_QUEUES];     // packets that did not fit (imissed), by Rx queue
	uint64_t rule_dropped;                // packets that an rte_flow rule drops
	uint64_t decapped, decap_passed;      // with decap=on: packets with and without a tunnel
	uint32_t seen;                        // polls of the own queue at the last check by another
	uint64_t left_until;                  // by TSC: others leave it to its own queue
	uint32_t entry_counts[DDP_RETA_SIZE]; // packets by entry of the redirection table
	struct ddp_burst burst;               // result of classifying the burst
} __rte_cache_aligned;

static_assert(offsetof(struct ddp_lower_rxq, held) + sizeof(uint16_t) <= RTE_CACHE_LINE_SIZE,
	      "held.n is in the first cache line");

struct ddp_lower_txq {
	rte_spinlock_t lock; // protects the lower queue
	bool wanted;         // as a lower Rx queue's
	uint16_t id;
	bool shared;           // by several Tx queues; set while stopped
	struct ddp_port *port; // control

	// Set after packets were put on a ring, cleared before all rings are flushed.
	bool waiting __rte_cache_aligned;
	uint64_t ticket; // of the next burst that is put on a ring
} __rte_cache_aligned;

struct ddp_rxq {
	rte_spinlock_t busy;
	bool started; // it has rings; the control path clears this, then waits for the lock
	uint16_t id;
	uint16_t next; // lower queue to try first
	struct ddp_port *port;
	uint16_t bypass_left; // calls until the queue polls another lower queue
	uint16_t next_other;  // index of that lower queue
	bool lower_first;     // before the rings, in the last call that read both
	// Packets may be on its rings. A queue that bypasses its rings reads them only if this is
	// set. Set after packets were put there, cleared before they are taken.
	bool waiting;
	// The lower queue of the same number if its packets bypass the rings; else NULL. Written
	// under that lower queue's lock; without the lock it is a hint.
	struct ddp_lower_rxq *own;
	const struct ddp_hw_ptype
		*last;    // of the last burst of one packet type; protected by the same lock
	uint64_t packets; // written by the burst call
	uint64_t bytes;
	uint32_t polls;             // written by the burst call; see run/burst.h
	uint32_t absent;            // polls when a change stopped waiting for the queue
	struct ddp_queue_load load; // written by the burst call
	struct rte_mempool *pool;   // control
	uint16_t n_desc;            // control
	bool deferred;              // control: not started with the port
	rte_spinlock_t mp; // held by a burst call of a secondary process, around all others
	// With Rx interrupts, the thread that puts packets on its rings wakes it; see start.c.
	bool armed;
	int intr_fd, wake_fd; // control
} __rte_cache_aligned;

// A packet on a Tx ring.
struct ddp_tx_slot {
	struct rte_mbuf *mbuf;
	uint64_t ticket; // position of its burst among all bursts on the lower queue's rings
};

struct ddp_txq {
	rte_spinlock_t busy;
	rte_spinlock_t counted; // by a call that any thread may make
	bool started;           // as for an Rx queue
	uint16_t id;
	struct ddp_port *port;
	struct ddp_lower_txq *lower; // while started
	struct rte_ring *ring;       // of slots; while the port is started, if lower is shared
	uint16_t n_desc;             // control
	bool deferred;               // control: not started with the port

	// written under the lower queue's lock, or under the busy lock if it is not shared
	uint64_t packets __rte_cache_aligned;
	uint64_t bytes;
} __rte_cache_aligned;

static inline void counter_add(uint64_t *counter, uint64_t n) {
	// Release: who reads this also sees counters that the same packets updated before.
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELEASE);
}

static inline uint64_t counter_read(const uint64_t *counter) {
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

// Wake the thread that sleeps at a queue, if it does; see start/start.c.
void ddp_rx_intr_wake(struct ddp_rxq *queue);
void ddp_rx_intr_wake_all(struct ddp_port *port);

// Packets are on a ring of a queue, whose thread may sleep. After a full barrier (start/start.c).
static inline void queue_wake(struct ddp_rxq *queue) {
	if (__atomic_load_n(&queue->armed, __ATOMIC_RELAXED))
		ddp_rx_intr_wake(queue);
}
