/* SPDX-License-Identifier: BSD-3-Clause */
// Keeps the order of each flow when the steering changes under traffic.
//
// After a change a flow may go to another queue. Packets that were placed before the change are
// then on the ring of the old queue, or in the hands of the thread that polls it. So later packets
// are parked at their lower queue until the old queue has handed out the packets of that moment
// and has been polled once more, which means that its last burst is done. Then they are placed. No
// packet overtakes another of its flow, and no two threads have packets of one flow at once.
//
// If only entries of the redirection table changed, packets of these entries are parked until the
// queue that the entry left is done; all others go on. After any other change every flow may move,
// so all packets are parked until all queues are done. Packets keep the queue that was chosen for
// them. If the steering changes again meanwhile, packets parked from then on wait for these, too.
//
// A queue may not be polled for a long time. The wait ends after DDP_ORDER_WAIT_US, and until the
// queue is polled again no change waits for it. With a move of load-aware RSS it is the move that
// ends: the entry's packets go to its old queue again (`returns`), and the control path restores
// the table. Each lower queue gives up for itself: for some the move back is another move.
#pragma once

#include "port/state/queues.h"

#define DDP_ORDER_SLOTS 4096     // packets: the most that are parked at a lower queue
#define DDP_ORDER_WAIT_US 100000 // us: the longest wait for a queue that is not polled

// The packets of a lower queue that wait.
enum ddp_order_mode {
	DDP_ORDER_NONE,
	DDP_ORDER_ENTRIES, // those of some entries, for the queues that these left
	DDP_ORDER_ALL,     // all packets, for all queues
};

// An entry of the redirection table.
enum ddp_order_entry {
	DDP_ORDER_STAYS,
	DDP_ORDER_LEAVES,  // its packets are parked until its old queue is done
	DDP_ORDER_RETURNS, // the move was given up, the table still names the new queue
	DDP_ORDER_IS_BACK, // the table names the old queue again; some packets are still parked
};

enum ddp_order_queue {
	DDP_ORDER_DONE,
	DDP_ORDER_QUEUED, // packets from before the change are on its ring
	DDP_ORDER_HANDED, // the application may still have the last of them
};

struct ddp_order_slot {
	struct rte_mbuf *mbuf; // NULL: placed
	uint16_t entry;        // of the redirection table
	uint8_t queue;
	bool changed; // with DDP_ORDER_ALL: the steering changed before this packet
};

// Of a lower queue, while the port is started; protected by its lock.
struct ddp_order {
	bool marked;                     // marks are set
	bool returns;                    // a move that takes too long is given up
	bool release;                    // parked packets may have become ready
	bool changed;                    // the steering changed after the last packet was parked
	uint16_t n_entries;              // that do not stay
	uint16_t n_returned;             // of these: moves that were given up
	uint16_t n_waits;                // queues in waits
	uint32_t head, tail;             // positions of the packets parked
	uint64_t began;                  // by TSC
	uint64_t end;                    // of the wait
	uint8_t waits[DDP_PORT_QUEUES];  // queues that are not done
	uint8_t queues[DDP_PORT_QUEUES]; // enum ddp_order_queue
	uint32_t marks[DDP_PORT_QUEUES]; // ring positions behind the packets placed before
	uint32_t polls[DDP_PORT_QUEUES]; // the queue's, when the last of them was taken
	uint8_t entries[DDP_RETA_SIZE];  // enum ddp_order_entry
	uint8_t from[DDP_RETA_SIZE];     // queue that the entry left
	struct ddp_order_slot slots[DDP_ORDER_SLOTS];
};

// The steering of a lower queue, whose lock is held, is about to change: for another redirection
// table only, with its wait and whether moves are given up then; or in any way (the second one).
void ddp_order_change_entries(struct ddp_lower_rxq *lower, const uint16_t *before,
			      const uint16_t *now, unsigned int wait_us, bool returns);
void ddp_order_change_all(struct ddp_lower_rxq *lower);
// For the thread that changes the steering, without the lock: may packets be parked?
bool ddp_order_is_waiting(const struct ddp_lower_rxq *lower);
// Likewise, if so: was a move given up?
bool ddp_order_has_returned(const struct ddp_lower_rxq *lower);
// Write the queues that entries of given up moves went back to into a table. Returns whether any.
bool ddp_order_returned(const struct ddp_lower_rxq *lower, uint16_t *reta);
// Make moves that are under way final: they are not given up any more.
void ddp_order_keep_moves(struct ddp_lower_rxq *lower);
// An Rx queue's ring is about to be removed.
void ddp_order_queue_stop(struct ddp_lower_rxq *lower, uint16_t queue);
// Free the packets that are parked. Returns their number.
unsigned int ddp_order_clear(struct ddp_lower_rxq *lower);

/* Data path: while the lower queue's order is not DDP_ORDER_NONE */

// Put ready packets on rings. Returns whether a burst may be read.
bool ddp_order_run(struct ddp_lower_rxq *lower);
// Park those of a burst's packets that have to wait. The others stay in the batch, with their
// queues. ruled: bits of packets that rules sent to their queues, which the table does not decide.
void ddp_order_park(struct ddp_lower_rxq *lower, struct ddp_batch *batch, uint32_t ruled);
