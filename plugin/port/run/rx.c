/* SPDX-License-Identifier: BSD-3-Clause */
// The Rx burst; state/port.h documents locks and threads.
//
// Order. Packets of one flow come from one lower Rx queue, in order, and go to one Rx queue until
// the steering changes, which order.h is about. Between the two they pass one ring or, if the
// holder of the lower queue's lock finds packets for its own queue, go directly to the application.
// That would overtake packets which other holders put on the same ring before. So the holder takes
// packets directly only if its ring is empty and the application has room for the burst; otherwise
// they go to the tail of the ring. The rings are read last: then one call reads them once.
//
// A full ring. With overflow=drop a packet that does not fit is freed and counted as missed
// (imissed). With overflow=wait the lower queue holds the packet, and all packets after it for the
// same queue; packets for other queues go on. This keeps the order, because held packets are placed
// before anything else is read. A lower queue holds one burst at most. A queue that nobody polls
// then stops the port, which is what "wait" means.
#include "port/run/burst.h"
#include "port/run/cksum.h"
#include "port/run/decap.h"
#include "port/run/flow_sample.h"
#include "port/run/ring.h"

#include <errno.h>
#include <string.h>

#define QUEUE_NONE UINT16_MAX // the packet was dropped by a rule
#define BYPASS_CALLS 255      // between polls of other lower queues,
#define OTHERS_CALLS 7        // or if the last poll found packets,
#define OTHERS_MAX 8          // of so many lower queues
#define LEFT_PER_SECOND 1000  // not polled for 1/1000 s: the queue has left its lower queue

int ddp_meta_off;
int ddp_rx_tsc_off;
struct ddp_poll_times ddp_poll_times[RTE_MAX_LCORE];

// One call of ddp_rx_burst().
struct rx_call {
	struct ddp_rxq *queue;
	struct rte_mbuf **mbufs;
	unsigned int room;
	unsigned int got;
	uint64_t bytes; // of these
};

static inline uint16_t queue_of(const struct ddp_steering *steering, uint32_t hash) {
	return steering->reta[hash & (DDP_RETA_SIZE - 1)];
}

#define FLAGS_OURS (RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID | RTE_MBUF_F_RX_RSS_HASH)

// Write the mbuf's fields. Returns the packet's queue: 0 if it is not hashed.
static inline uint16_t packet_fill(const struct rx_common *common, const bool pair,
				   const struct ddp_verdict *verdict, const bool hashed,
				   const bool own, uint32_t hash, struct rte_mbuf *mbuf) {
	const uint32_t value =
		own ? verdict->value :
		      ddp_entry_value(verdict, rte_pktmbuf_mtod(mbuf, const uint8_t *));
	const uint64_t meta = meta_of(verdict->type_id, verdict->inner_l3_off);

	mbuf->port = common->port;
	mbuf->packet_type = verdict->packet_type;
	mbuf->ol_flags = (mbuf->ol_flags & ~FLAGS_OURS) | (hashed ? RTE_MBUF_F_RX_RSS_HASH : 0);
	mbuf->hash.rss = hashed ? hash : 0;
	dynfields_write(common, pair, dynfields_of(common, meta, value), mbuf);
	return hashed ? queue_of(common->steering, hash) : 0;
}

/* What an application asked for beside classification and hashing */

struct rx_extras {
	uint64_t checksums;
	bool decap;
	uint32_t ptype_mask; // with decap: inner layers become outer ones before it applies
};

// What the lower device says of checksums: it was asked for none, and may mean the outer headers.
#define FLAGS_CHECKSUMS                                              \
	(RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK | \
	 RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD | RTE_MBUF_F_RX_OUTER_L4_CKSUM_MASK)

// The mbuf is filled. Returns whether a tunnel was removed.
static inline bool packet_extras(const struct rx_common *common, const struct rx_extras *extras,
				 const struct ddp_verdict *verdict, struct rte_mbuf *mbuf) {
	const bool inner = verdict->inner_l3_off != UINT16_MAX;

	mbuf->ol_flags &= ~FLAGS_CHECKSUMS;
	if (extras->checksums != 0)
		mbuf->ol_flags |= ddp_cksum_verify(verdict, extras->checksums, mbuf);
	if (!extras->decap)
		return false;
	if (!verdict->encapsulated ||
	    unlikely(!ddp_decap(mbuf, inner ? verdict->inner_l3_off : verdict->l3_off))) {
		mbuf->packet_type = verdict->packet_type & extras->ptype_mask;
		return false;
	}
	mbuf->packet_type = ddp_decap_ptype(verdict->packet_type) & extras->ptype_mask;
	RTE_MBUF_DYNFIELD(mbuf, common->meta_off, struct rte_pmd_ddp_meta *)->inner_l3_off =
		RTE_PMD_DDP_NO_INNER_L3;
	return true;
}

static inline void rule_tag(const struct ddp_flow_action *action, struct rte_mbuf *mbuf) {
	mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR;
	if (action->tag == DDP_FLOW_MARKED)
		mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR_ID;
	mbuf->hash.fdir.hi = action->mark; // beside hash.rss
}

// The place of packet i of the burst among those that were classified.
static unsigned int row_of(const struct ddp_lower_rxq *lower, unsigned int i) {
	unsigned int row = 0;

	while (i-- > 0)
		row += ddp_burst_verdict(&lower->burst, i)->inner_l3_off != RTE_PMD_DDP_UNPARSED;
	return row;
}

// What a rule does to packet i of the burst beside choosing its queue. Returns the hash that
// chooses.
static __attribute__((noinline)) uint32_t rule_extra(const struct ddp_lower_rxq *lower,
						     const struct ddp_flow_action *action,
						     unsigned int i, bool hashed, uint32_t hash,
						     struct rte_mbuf *mbuf) {
	const struct ddp_hash *key = ddp_flow_key_of(action);

	if (action->counts != NULL) {
		counter_add(&action->counts[lower->id].packets, 1);
		counter_add(&action->counts[lower->id].bytes, rte_pktmbuf_pkt_len(mbuf));
	}
	if (action->tag != DDP_FLOW_UNTAGGED)
		rule_tag(action, mbuf);
	if (key == NULL || !hashed)
		return hash;
	hash = ddp_burst_hash(&lower->burst, row_of(lower, i), ddp_burst_verdict(&lower->burst, i),
			      key);
	mbuf->hash.rss = hash;
	return hash;
}

// Apply an rte_flow rule's action to packet i of the burst, which is for queue. Returns its new
// queue.
static inline uint16_t rule_apply(const struct ddp_lower_rxq *lower,
				  const struct ddp_flow_action *action, unsigned int i, bool hashed,
				  uint32_t hash, struct rte_mbuf *mbuf, uint16_t queue) {
	if (action->fate == DDP_FLOW_QUEUE && action->tag == DDP_FLOW_UNTAGGED &&
	    action->counts == NULL)
		return action->queue;
	if (action->counts != NULL || action->tag != DDP_FLOW_UNTAGGED ||
	    ddp_flow_key_of(action) != NULL)
		hash = rule_extra(lower, action, i, hashed, hash, mbuf);
	if (action->fate == DDP_FLOW_DROP)
		return QUEUE_NONE;
	if (action->fate == DDP_FLOW_PASS)
		return queue;
	return ddp_flow_queue(action, hashed, hash);
}

static __attribute__((noinline)) void rule_drop(struct ddp_lower_rxq *lower,
						struct rte_mbuf *mbuf) {
	counter_add(&lower->rule_dropped, 1);
	rte_pktmbuf_free(mbuf);
}

// Write the mbufs and choose their queues. rules: the port has some; packets that they drop are
// removed from the batch. one: all packets share one verdict, with a hash, of a cache entry.
// Returns which packets of the batch, as bits, rules sent to their queues.
static inline __attribute__((always_inline)) uint32_t
batch_fill(struct ddp_lower_rxq *lower, struct rx_common common, struct ddp_batch *batch,
	   const bool pair, const bool rules, const bool one,
	   const struct rx_extras *const extras) {
	const struct ddp_verdict shared = one ? *lower->burst.verdict : (struct ddp_verdict){0};
	const unsigned int n_read = batch->n;
	unsigned int n = 0, n_removed = 0;
	uint32_t ruled = 0;

	for (unsigned int i = 0; i < n_read; i++) {
		const struct ddp_verdict *verdict =
			one ? &shared : ddp_burst_verdict(&lower->burst, i);
		const struct ddp_flow_entry *rule = rules ? lower->burst.steer[i] : NULL;
		const bool hashed = one || verdict->input_len > 0;
		const uint32_t hash = lower->burst.hashes[i];
		struct rte_mbuf *mbuf = batch->mbufs[i];
		uint16_t queue = packet_fill(&common, pair, verdict, hashed, !one && verdict->own,
					     hash, mbuf);

		if (!one)
			counter_add(&lower->types[verdict->type_id], 1);
		if (rule != NULL)
			queue = rule_apply(lower, ddp_flow_action_of(rule), i, hashed, hash, mbuf,
					   queue);
		if (rules && unlikely(queue == QUEUE_NONE)) {
			rule_drop(lower, mbuf);
			continue;
		}
		if (rule != NULL && ddp_flow_action_of(rule)->fate != DDP_FLOW_PASS)
			ruled |= UINT32_C(1) << n;
		if (extras != NULL) // rules count the packet as it came
			n_removed += packet_extras(&common, extras, verdict, mbuf);
		batch->queues[n] = queue;
		if (rules)
			batch->mbufs[n] = mbuf;
		n++;
	}
	batch->n = n;
	if (extras != NULL && extras->decap) {
		counter_add(&lower->decapped, n_removed);
		counter_add(&lower->decap_passed, n - n_removed);
	}
	return ruled;
}

static void ring_drain(struct ddp_ring *ring, struct rx_call *call) {
	call->got +=
		ddp_ring_take(ring, &call->mbufs[call->got], call->room - call->got, &call->bytes);
}

static void packet_drop(struct ddp_lower_rxq *lower, uint8_t queue, struct rte_mbuf *mbuf) {
	counter_add(&lower->missed[queue], 1);
	rte_pktmbuf_free(mbuf);
}

static void packet_hold(struct ddp_lower_rxq *lower, uint8_t queue, struct rte_mbuf *mbuf) {
	struct ddp_batch *held = &lower->held;

	RTE_ASSERT(held->n < DDP_PORT_BURST);
	held->queues[held->n] = queue;
	held->mbufs[held->n++] = mbuf;
}

static bool queue_is_held(const struct ddp_lower_rxq *lower, uint8_t queue) {
	return lower->held.n > 0 && memchr(lower->held.queues, queue, lower->held.n) != NULL;
}

// Place the packets of a batch from the first one on that does not fit.
static __attribute__((noinline)) void rest_place(struct ddp_lower_rxq *lower,
						 const struct ddp_batch *batch, unsigned int i,
						 enum ddp_overflow overflow) {
	for (; i < batch->n; i++) {
		uint8_t queue = batch->queues[i];
		struct ddp_ring *ring = lower->rings[queue];

		if (ring == NULL) // the queue is stopped
			packet_drop(lower, queue, batch->mbufs[i]);
		else if (!queue_is_held(lower, queue) && ddp_ring_has_room(ring))
			ddp_ring_put(ring, batch->mbufs[i]);
		else if (overflow == DDP_OVERFLOW_DROP)
			packet_drop(lower, queue, batch->mbufs[i]);
		else
			packet_hold(lower, queue, batch->mbufs[i]);
	}
}

static inline bool packet_place(const struct ddp_lower_rxq *lower, uint8_t queue,
				struct rte_mbuf *mbuf) {
	struct ddp_ring *ring = lower->rings[queue];

	if (unlikely(ring == NULL || !ddp_ring_has_room(ring)))
		return false;
	ddp_ring_put(ring, mbuf);
	return true;
}

// Put packets on the rings of their queues.
static void batch_place(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			enum ddp_overflow overflow) {
	unsigned int i = 0;

	while (i < batch->n && packet_place(lower, batch->queues[i], batch->mbufs[i]))
		i++;
	rest_place(lower, batch, i, overflow);
}

// Takes the place of the caller's ring, so that its packets go directly to the caller.
struct direct {
	struct ddp_ring *replaced; // NULL: the packets go to the caller's ring
	struct ddp_ring ring;
};

// Call this before up to n packets are placed. The caller gets its own packets directly if it has
// room for all of them and its ring is empty.
static void placing_begin(struct ddp_lower_rxq *lower, const struct rx_call *call, unsigned int n,
			  struct direct *direct) {
	struct ddp_ring **own = &lower->rings[call->queue->id];

	RTE_ASSERT(call->got <= call->room && *own != NULL);
	direct->replaced = NULL;
	if (call->room - call->got < n || ddp_ring_count(*own) > 0)
		return;
	direct->replaced = *own;
	direct->ring.mbufs = &call->mbufs[call->got];
	direct->ring.mask = UINT32_MAX;
	direct->ring.next = 0;
	direct->ring.limit = UINT32_MAX;
	*own = &direct->ring;
}

// If there are no more rings than packets, it is cheaper to publish all rings than those of the
// packets.
static inline bool all_are_published(const struct ddp_batch *batch, unsigned int n_rings) {
	return n_rings <= batch->n;
}

static void rings_publish(const struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			  unsigned int n_rings) {
	bool all = all_are_published(batch, n_rings);
	unsigned int n = all ? n_rings : batch->n;

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_ring *ring = lower->rings[all ? i : batch->queues[i]];

		if (likely(ring != NULL))
			ddp_ring_publish(ring);
	}
}

// Are queues told that packets wait on their rings?
static inline bool queues_are_notified(const struct ddp_lower_rxq *lower,
				       const struct ddp_port *port) {
	return lower_bypasses(lower) || port->rx_intr;
}

// Tell the queues that packets wait on their rings, except the caller's queue if it got them
// directly.
static __attribute__((noinline)) void queues_notify(const struct ddp_batch *batch,
						    const struct rx_call *call, bool direct) {
	struct ddp_port *port = call->queue->port;

	if (port->rx_intr)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < batch->n; i++) {
		struct ddp_rxq *queue = &port->rxqs[batch->queues[i]];

		if (direct && queue == call->queue)
			continue;
		__atomic_store_n(&queue->waiting, true, __ATOMIC_RELEASE);
		if (port->rx_intr)
			queue_wake(queue);
	}
}

// Does placing_end() need the packets' queues?
static inline bool queues_are_needed(const struct ddp_lower_rxq *lower,
				     const struct ddp_batch *batch, const struct ddp_port *port) {
	return !all_are_published(batch, port->n_rxqs) ||
	       unlikely(queues_are_notified(lower, port));
}

static void placing_end(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			struct rx_call *call, struct direct *direct) {
	struct ddp_ring **own = &lower->rings[call->queue->id];

	rings_publish(lower, batch, call->queue->port->n_rxqs);
	if (unlikely(queues_are_notified(lower, call->queue->port)))
		queues_notify(batch, call, direct->replaced != NULL);
	if (direct->replaced == NULL)
		return;
	call->got += (uint32_t)direct->ring.next;
	call->bytes += direct->ring.next >> 32;
	*own = direct->replaced;
}

// Try again to place held packets. Returns whether all are placed.
static bool held_place(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;
	struct direct direct;

	if (lower->held.n == 0)
		return true;
	batch = lower->held;
	lower->held.n = 0;
	placing_begin(lower, call, batch.n, &direct);
	batch_place(lower, &batch, call->queue->port->overflow);
	placing_end(lower, &batch, call, &direct);
	return lower->held.n == 0;
}

// Compute the queues of packets that were put on rings without recording them. The mbufs are ours
// until the rings are published or packets are dropped.
static void queues_record(const struct ddp_steering *steering, struct ddp_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++)
		batch->queues[i] = queue_of(steering, batch->mbufs[i]->hash.rss);
}

// Fill the mbufs from packet i on, which all share one verdict, with a hash: of a cache entry, or
// the lower device's (own). With places, put them on their rings, too, up to the first one that
// does not fit. Returns the index of that one.
static inline __attribute__((always_inline)) unsigned int
one_fill(const struct ddp_lower_rxq *lower, struct rx_common common, struct ddp_batch *batch,
	 size_t i, const bool own, const bool places) {
	const struct ddp_verdict verdict = *lower->burst.verdict;
	const size_t n = batch->n;

	for (; i < n; i++) {
		struct rte_mbuf *mbuf = batch->mbufs[i];
		uint16_t queue = packet_fill(&common, true, &verdict, true, own,
					     lower->burst.hashes[i], mbuf);

		if (places && unlikely(!packet_place(lower, queue, mbuf)))
			break;
	}
	return i;
}

// Not inlined, because what it uses fits into registers then.
static __attribute__((noinline)) unsigned int one_fill_placing(const struct ddp_lower_rxq *lower,
							       const struct rx_common *common,
							       struct ddp_batch *batch) {
	return one_fill(lower, *common, batch, 0, false, true);
}

static __attribute__((noinline)) unsigned int hw_fill_placing(const struct ddp_lower_rxq *lower,
							      const struct rx_common *common,
							      struct ddp_batch *batch) {
	return one_fill(lower, *common, batch, 0, true, true);
}

// Most bursts: one path or one type of the lower device, no rules. record: placing_end() needs the
// queues.
static void one_place(struct ddp_lower_rxq *lower, const struct rx_common *common,
		      struct ddp_batch *batch, enum ddp_overflow overflow, bool record) {
	const bool own = lower->burst.verdict->own;
	unsigned int i;

	counter_add(&lower->types[lower->burst.verdict->type_id], batch->n);
	i = unlikely(own) ? hw_fill_placing(lower, common, batch) :
			    one_fill_placing(lower, common, batch);
	if (likely(i == batch->n && !record))
		return;
	one_fill(lower, *common, batch, i, own, false);
	queues_record(common->steering, batch);
	rest_place(lower, batch, i, overflow);
}

// Packets that rules steer, all of one path.
static uint32_t ruled_fill(struct ddp_lower_rxq *lower, const struct rx_common *common,
			   struct ddp_batch *batch) {
	counter_add(&lower->types[lower->burst.verdict->type_id], batch->n);
	return batch_fill(lower, *common, batch, true, true, true, NULL);
}

// one: as for batch_fill(), without rules.
static __attribute__((noinline)) uint32_t extras_fill(struct ddp_lower_rxq *lower,
						      const struct rx_common *common,
						      const struct ddp_port *port,
						      struct ddp_batch *batch, bool one) {
	const struct rx_extras extras = {
		.checksums = port->rx_checksums,
		.decap = port->decap,
		.ptype_mask = common->steering->ptype_mask,
	};

	if (one) {
		counter_add(&lower->types[lower->burst.verdict->type_id], batch->n);
		return batch_fill(lower, *common, batch, true, false, true, &extras);
	}
	return batch_fill(lower, *common, batch, dynfields_pair(common),
			  common->steering->flows != NULL, false, &extras);
}

static uint32_t many_fill(struct ddp_lower_rxq *lower, const struct rx_common *common,
			  const struct ddp_port *port, struct ddp_batch *batch) {
	const struct ddp_verdict *verdict = lower->burst.verdict;
	const bool rules = common->steering->flows != NULL, pair = dynfields_pair(common);
	const bool one = pair && verdict != NULL && verdict->input_len > 0 && !verdict->own;

	if (unlikely(port->rx_extras))
		return extras_fill(lower, common, port, batch, one && !rules);
	if (rules && one)
		return ruled_fill(lower, common, batch);
	if (rules)
		return batch_fill(lower, *common, batch, pair, true, false, NULL);
	if (likely(pair))
		return batch_fill(lower, *common, batch, true, false, false, NULL);
	return batch_fill(lower, *common, batch, false, false, false, NULL);
}

static void many_place(struct ddp_lower_rxq *lower, const struct rx_common *common,
		       const struct ddp_port *port, struct ddp_batch *batch,
		       enum ddp_overflow overflow) {
	many_fill(lower, common, port, batch);
	batch_place(lower, batch, overflow);
}

// May hardware hashes be used? Not for packets that may have been hashed before a change. Each
// burst counts, also while no hashes are used: changes may follow each other at once.
static bool has_drained(struct ddp_lower_rxq *lower, unsigned int n) {
	if (likely(lower->drain == 0))
		return true;
	lower->drain = n < lower->drain ? lower->drain - n : 0;
	return false;
}

// If all packets of a burst have one hardware packet type, this is the result of the burst. Returns
// whether it is.
static bool hw_burst_match(struct ddp_lower_rxq *lower, const struct ddp_batch *batch) {
	const uint32_t rte_ptype = batch->mbufs[0]->packet_type;
	uint64_t flags = RTE_MBUF_F_RX_RSS_HASH;
	uint32_t others = 0;
	struct ddp_hw_ptype *hw_ptype;

	for (unsigned int i = 0; i < batch->n; i++) {
		flags &= batch->mbufs[i]->ol_flags;
		others |= batch->mbufs[i]->packet_type ^ rte_ptype;
	}
	if (flags == 0 || others != 0)
		return false;
	hw_ptype = ddp_hw_ptypes_find(lower->hw_ptypes, rte_ptype);
	if (hw_ptype == NULL || !ddp_hw_ptype_is_proven(hw_ptype))
		return false;
	lower->burst.verdict = &hw_ptype->verdict;
	for (unsigned int i = 0; i < batch->n; i++)
		lower->burst.hashes[i] = batch->mbufs[i]->hash.rss;
	if (lower->steering->flows != NULL)
		memset(lower->burst.steer, 0, batch->n * sizeof(lower->burst.steer[0]));
	return true;
}

// Packets of a burst by what the lower device says of them.
struct hw_match {
	const struct ddp_verdict *verdicts[DDP_PORT_BURST]; // NULL: to be classified
	unsigned int n_rest;                                // those, in their order
	struct rte_mbuf *rest[DDP_PORT_BURST];
	struct ddp_hw_ptype *unverified[DDP_PORT_BURST]; // of them; NULL: not to be verified
	bool any_unverified;
};

// check: verify all.
static void hw_ptypes_match(struct ddp_lower_rxq *lower, const struct ddp_batch *batch, bool check,
			    struct hw_match *match) {
	match->n_rest = 0;
	match->any_unverified = false;
	for (unsigned int i = 0; i < batch->n; i++) {
		struct rte_mbuf *mbuf = batch->mbufs[i];
		struct ddp_hw_ptype *hw_ptype = NULL;

		if (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH)
			hw_ptype = ddp_hw_ptypes_find(lower->hw_ptypes, mbuf->packet_type);
		if (hw_ptype != NULL && !check && ddp_hw_ptype_is_proven(hw_ptype)) {
			match->verdicts[i] = &hw_ptype->verdict;
			continue;
		}
		if (hw_ptype != NULL && ddp_hw_ptype_read(&hw_ptype->unproven) == DDP_PROOF_REFUTED)
			hw_ptype = NULL;
		match->verdicts[i] = NULL;
		match->unverified[match->n_rest] = hw_ptype;
		match->any_unverified |= hw_ptype != NULL;
		packet_prefetch(mbuf);
		match->rest[match->n_rest++] = mbuf;
	}
}

// Is this burst verified in software?
static inline bool burst_is_checked(struct ddp_lower_rxq *lower) {
	uint16_t n = lower->n_bursts + 1;

	__atomic_store_n(&lower->n_bursts, n, __ATOMIC_RELAXED);
	return n % DDP_PROOF_STRIDE == 0;
}

static void hw_ptype_count(uint32_t *counter) {
	if (ddp_hw_ptype_read(counter) < UINT32_MAX / 2)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

// A packet more for the proof, unless another queue has found a mismatch.
static void hw_ptype_confirm(struct ddp_hw_ptype *hw_ptype) {
	uint32_t n = ddp_hw_ptype_read(&hw_ptype->unproven);

	while (n > 0 && n != DDP_PROOF_REFUTED &&
	       !__atomic_compare_exchange_n(&hw_ptype->unproven, &n, n - 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static void hw_ptype_refute(struct ddp_hw_ptype *hw_ptype, uint16_t type_id) {
	hw_ptype_count(&hw_ptype->wrong);
	__atomic_store_n(&hw_ptype->wrong_id, type_id, __ATOMIC_RELAXED);
	__atomic_store_n(&hw_ptype->unproven, DDP_PROOF_REFUTED, __ATOMIC_RELEASE);
}

// Compare the hardware hashes of the packets that were classified with those of software.
static void unverified_check(struct ddp_lower_rxq *lower, const struct hw_match *match) {
	for (unsigned int i = 0; i < match->n_rest; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(&lower->burst, i);
		const uint32_t hash = match->rest[i]->hash.rss;
		struct ddp_hw_ptype *hw_ptype = match->unverified[i];

		if (hw_ptype == NULL)
			continue;
		hw_ptype_count(&hw_ptype->checked);
		if (verdict->input_len == 0 || lower->burst.hashes[i] != hash ||
		    (lower->steering->flows != NULL && lower->burst.steer[i] != NULL)) {
			hw_ptype_refute(hw_ptype, verdict->type_id);
			continue;
		}
		if (verdict->type_id == hw_ptype->verdict.type_id)
			hw_ptype_confirm(hw_ptype);
		else
			hw_ptype_count(&hw_ptype->other);
		if (lower_bypasses(lower) && queue_of(lower->steering, hash) != lower->id)
			hw_ptype_count(&lower->hw_ptypes->misrouted);
	}
}

static inline void burst_classify(struct ddp_lower_rxq *lower, struct rte_mbuf *const *mbufs,
				  unsigned int n) {
	ddp_cache_run(lower->cache, &lower->steering->policy, &lower->steering->hash, mbufs, n,
		      &lower->burst);
}

// Spread the results of the packets that were classified over the burst, the last one first, and
// put those of the others between them.
static void results_join(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			 const struct hw_match *match) {
	struct ddp_burst *burst = &lower->burst;
	const struct ddp_verdict *const shared = burst->verdict;
	const bool rules = lower->steering->flows != NULL;
	unsigned int k = match->n_rest;

	for (unsigned int i = batch->n; i-- > 0;) {
		const struct ddp_verdict *hw = match->verdicts[i];
		const struct ddp_verdict *verdict;

		k -= hw == NULL;
		verdict = shared != NULL ? shared : burst->verdicts[k];
		burst->verdicts[i] = hw != NULL ? hw : verdict;
		burst->hashes[i] = hw != NULL ? batch->mbufs[i]->hash.rss : burst->hashes[k];
		if (rules)
			burst->steer[i] = hw != NULL ? NULL : burst->steer[k];
	}
	burst->verdict = NULL;
}

// Read a batch while hw_ptypes is set: classify packets without a hardware hash, and those to be
// verified. Returns whether these are all.
static __attribute__((noinline)) bool hw_read(struct ddp_lower_rxq *lower,
					      const struct ddp_batch *batch) {
	const bool check = burst_is_checked(lower);
	struct hw_match match;

	if (!check && hw_burst_match(lower, batch)) {
		counter_add(&lower->offloaded, batch->n);
		return false;
	}
	hw_ptypes_match(lower, batch, check, &match);
	if (match.n_rest > 0)
		burst_classify(lower, match.rest, match.n_rest);
	if (match.any_unverified)
		unverified_check(lower, &match);
	if (match.n_rest == batch->n)
		return true;
	results_join(lower, batch, &match);
	counter_add(&lower->offloaded, batch->n - match.n_rest);
	return false;
}

// Identify the packets of a burst. Returns whether all were classified.
static inline bool batch_read(struct ddp_lower_rxq *lower, const struct ddp_port *port,
			      struct rx_common *common, const struct ddp_batch *batch) {
	const size_t n = batch->n;

	common_fill(lower, port, common);
	counter_add(&lower->taken, batch->n);
	if (has_drained(lower, batch->n) && unlikely(lower->hw_ptypes != NULL))
		return hw_read(lower, batch);
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
		packet_prefetch(batch->mbufs[i]);
	burst_classify(lower, batch->mbufs, batch->n);
	return true;
}

// While packets wait for queues to be done with those before a change.
static __attribute__((noinline)) void ordered_place(struct ddp_lower_rxq *lower,
						    const struct rx_common *common,
						    const struct ddp_port *port,
						    struct ddp_batch *batch) {
	ddp_order_park(lower, batch, many_fill(lower, common, port, batch));
	batch_place(lower, batch, port->overflow);
}

/* Load by entry of the redirection table, for load-aware RSS */

// Look at the packets of one entry.
static void sample_collect(struct ddp_lower_rxq *lower, const struct ddp_batch *batch) {
	struct ddp_flow_sample *sample = &lower->sample;

	for (unsigned int i = 0; sample->left > 0 && i < batch->n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(&lower->burst, i);
		const uint32_t hash = lower->burst.hashes[i];

		if (verdict->input_len > 0 && (hash & (DDP_RETA_SIZE - 1)) == sample->entry)
			ddp_flow_sample_vote(sample, hash, verdict->inner_l3_off, batch->mbufs[i]);
	}
}

// Before they are placed: then they may be dropped.
static __attribute__((noinline)) void
entries_count(struct ddp_lower_rxq *lower, const struct ddp_batch *batch, bool classified) {
	const struct ddp_verdict *verdict = lower->burst.verdict;
	const bool rules = lower->steering->flows != NULL;

	if (unlikely(lower->sample.left > 0) && classified)
		sample_collect(lower, batch);
	if (verdict != NULL && !rules) {
		for (unsigned int i = 0; verdict->input_len > 0 && i < batch->n; i++)
			entry_count(lower->entries, lower->burst.hashes[i]);
		return;
	}
	for (unsigned int i = 0; i < batch->n; i++)
		if (ddp_burst_verdict(&lower->burst, i)->input_len > 0 &&
		    (!rules || lower->burst.steer[i] == NULL))
			entry_count(lower->entries, lower->burst.hashes[i]);
}

// Distribute packets that were read from a lower queue, whose lock is held.
static inline __attribute__((always_inline)) void
batch_take(struct ddp_lower_rxq *lower, struct rx_call *call, struct ddp_batch *batch) {
	const struct ddp_port *port = call->queue->port;
	const struct ddp_verdict *verdict;
	struct rx_common common;
	struct direct direct;
	bool classified, record;

	classified = batch_read(lower, port, &common, batch);
	verdict = lower->burst.verdict;
	record = queues_are_needed(lower, batch, port);
	if (unlikely(lower->entries != NULL))
		entries_count(lower, batch, classified);
	placing_begin(lower, call, batch->n, &direct);
	if (unlikely(lower->order != DDP_ORDER_NONE))
		ordered_place(lower, &common, port, batch);
	else if (verdict != NULL && verdict->input_len > 0 &&
		 (common.steering->flows == NULL || verdict->own) && dynfields_pair(&common) &&
		 likely(!port->rx_extras))
		one_place(lower, &common, batch, port->overflow, record);
	else
		many_place(lower, &common, port, batch, port->overflow);
	placing_end(lower, batch, call, &direct);
}

// Does the caller get enough from its ring, or has the ring too little room for a burst? Then its
// packets are taken first.
static inline bool call_is_full(const struct ddp_lower_rxq *lower, const struct rx_call *call) {
	const struct ddp_ring *own = lower->rings[call->queue->id];
	const unsigned int n = ddp_ring_count(own);

	return call->got + n >= call->room || (n > 0 && n + DDP_PORT_BURST > own->size);
}

// Take packets from a lower queue, whose lock is held. Returns whether any were read.
static bool lower_take(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;

	RTE_ASSERT(rte_spinlock_is_locked(&lower->lock));
	if (!held_place(lower, call) || call_is_full(lower, call))
		return false;
	if (unlikely(lower->order != DDP_ORDER_NONE) &&
	    (!ddp_order_run(lower) || call_is_full(lower, call)))
		return false;
	batch.n = rte_eth_rx_burst(lower->port_id, lower->id, batch.mbufs, DDP_PORT_BURST);
	if (batch.n == 0)
		return false;
	batch_take(lower, call, &batch);
	return true;
}

static uint16_t lower_after(const struct ddp_rxq *queue, uint16_t id) {
	return id + 1u < queue->port->n_lower_rxqs ? id + 1 : 0;
}

static struct ddp_lower_rxq *lower_nth(const struct ddp_rxq *queue, unsigned int i) {
	unsigned int n = queue->next + i;

	if (n >= queue->port->n_lower_rxqs)
		n -= queue->port->n_lower_rxqs;
	return &queue->port->lower_rxqs[n];
}

static void next_advance(struct ddp_rxq *queue) {
	queue->next = lower_after(queue, queue->next);
}

// Take packets from the queue's rings.
static void rings_drain(struct rx_call *call) {
	unsigned int n_lower = call->queue->port->n_lower_rxqs;

	for (unsigned int i = 0; i < n_lower && call->got < call->room; i++)
		ring_drain(lower_nth(call->queue, i)->rings[call->queue->id], call);
}

// The packets that wait on the queue's rings.
static unsigned int rings_count(const struct ddp_rxq *queue) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < queue->port->n_lower_rxqs; i++)
		n += ddp_ring_count(queue->port->lower_rxqs[i].rings[queue->id]);
	return n;
}

static bool lower_try(struct ddp_lower_rxq *lower, struct rx_call *call) {
	bool any;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return false;
	any = lower_take(lower, call);
	ddp_unlock(&lower->lock);
	return any;
}

// Has the queue of the same number left its lower queue? Until it has, others must not read there:
// if all packets are for that queue, they would fill its ring as fast as it takes them, and no
// packet would bypass the ring again.
static bool lower_is_left(struct ddp_lower_rxq *lower, const struct ddp_port *port) {
	const uint32_t polls = __atomic_load_n(&port->rxqs[lower->id].polls, __ATOMIC_RELAXED);
	const uint64_t now = rte_rdtsc();

	if (__atomic_exchange_n(&lower->seen, polls, __ATOMIC_RELAXED) == polls)
		return now >= __atomic_load_n(&lower->left_until, __ATOMIC_RELAXED);
	__atomic_store_n(&lower->left_until, now + rte_get_tsc_hz() / LEFT_PER_SECOND,
			 __ATOMIC_RELAXED);
	return false;
}

// Read a burst from another lower queue if its own queue is not polled. Returns whether there was
// one.
static bool other_rx(struct ddp_rxq *queue, struct rx_call *call) {
	struct ddp_lower_rxq *lower = &queue->port->lower_rxqs[queue->next_other];

	queue->next_other = lower_after(queue, queue->next_other);
	return lower_is_left(lower, queue->port) && lower_try(lower, call);
}

static bool others_rx(struct rx_call *call) {
	unsigned int n = RTE_MIN(call->queue->port->n_lower_rxqs, OTHERS_MAX);

	for (unsigned int i = 0; i < n && call->got < call->room; i++)
		if (other_rx(call->queue, call))
			return true;
	return false;
}

// Read a burst of the own lower queue, and from time to time first one of another, because its own
// queue may not be polled. A burst that finds packets from the rings before it has no room and
// would go on a ring, as would the next one: it is left for the next call.
static void lowers_rx(struct rx_call *call, struct ddp_lower_rxq *own) {
	struct ddp_rxq *queue = call->queue;

	if (queue->bypass_left == 0)
		queue->bypass_left = others_rx(call) ? OTHERS_CALLS : BYPASS_CALLS;
	else
		queue->bypass_left--;
	if (call->got == 0 || call->room - call->got >= DDP_PORT_BURST)
		lower_try(own, call);
}

// Take packets from the rings and from lower queues, in turn first from these and from those, or
// one would keep the other waiting.
static void own_rx(struct rx_call *call, struct ddp_lower_rxq *own) {
	struct ddp_rxq *queue = call->queue;

	(void)__atomic_exchange_n(&queue->waiting, false,
				  __ATOMIC_ACQ_REL); // before the rings are read
	queue->lower_first = !queue->lower_first;
	// Not in each call: with an even number of rings, some would never be the first of those
	// calls that have room for them.
	if (queue->lower_first)
		lowers_rx(call, own);
	else
		next_advance(queue);
	rings_drain(call);
	if (call->got == call->room) // more may be waiting
		__atomic_store_n(&queue->waiting, true, __ATOMIC_RELEASE);
	else if (!queue->lower_first) {
		lowers_rx(call, own);
		rings_drain(call);
	}
}

// Take a burst from the first lower queue that is not locked and has one, unless the rings have
// enough packets. Then take packets from the rings. With several rings one is read before, in turn,
// or bursts of other lower queues could keep its packets waiting.
static void rx(struct rx_call *call) {
	struct ddp_rxq *queue = call->queue;
	unsigned int n_lower = queue->port->n_lower_rxqs;

	if (n_lower > 1)
		ring_drain(lower_nth(queue, 0)->rings[queue->id], call);
	if (call->got + rings_count(queue) < call->room)
		for (unsigned int i = 0; i < n_lower && call->got < call->room; i++)
			if (lower_try(lower_nth(queue, i), call))
				break;
	rings_drain(call);
	next_advance(queue);
}

// Put packets that cannot bypass the rings on them. This uses the caller's ring, which a count of
// waiting packets may be reading. So without the busy lock all packets go on the rings, and the
// caller gets its own at the next call.
uint16_t ddp_rx_fallback(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
			 struct rte_mbuf **mbufs, unsigned int n) {
	bool busy = ddp_trylock(&queue->busy);
	struct rx_call call = {.queue = queue, .mbufs = mbufs, .room = busy ? n : 0};
	struct ddp_batch batch = {.n = n};

	RTE_ASSERT(n <= DDP_PORT_BURST && rte_spinlock_is_locked(&lower->lock));
	memcpy(batch.mbufs, mbufs, n * sizeof(*mbufs));
	batch_take(lower, &call, &batch);
	if (busy)
		ring_drain(lower->rings[queue->id], &call);
	counter_add(&queue->packets, call.got);
	counter_add(&queue->bytes, call.bytes);
	if (busy)
		ddp_unlock(&queue->busy);
	return call.got;
}

uint16_t ddp_rx_any(struct ddp_rxq *queue, struct ddp_lower_rxq *own, struct rte_mbuf **mbufs,
		    uint16_t n) {
	struct rx_call call = {.queue = queue, .mbufs = mbufs, .room = n};

	if (!ddp_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port)) {
		poll_begin(queue);
		if (own != NULL)
			own_rx(&call, own);
		else
			rx(&call);
		poll_end(queue, call.got);
		counter_add(&queue->packets, call.got);
		counter_add(&queue->bytes, call.bytes);
		if (unlikely(queue->port->tx_shared))
			ddp_tx_flush(queue->port);
	}
	ddp_unlock(&queue->busy);
	return call.got;
}

// The packets that wait on a lower queue. 0 if it cannot count them, or is in use.
static unsigned int lower_count(struct ddp_lower_rxq *lower, bool bypassing) {
	int n = 0;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return 0;
	if (!bypassing || lower_bypasses(lower))
		n = rte_eth_rx_queue_count(lower->port_id, lower->id);
	ddp_unlock(&lower->lock);
	return RTE_MAX(n, 0);
}

// The packets that wait on lower queues and are all for this queue: those that bypass the rings, or
// all if the port has no other queue.
static unsigned int lowers_count(struct ddp_rxq *queue) {
	struct ddp_lower_rxq *own = __atomic_load_n(&queue->own, __ATOMIC_RELAXED);
	const struct ddp_port *port = queue->port;
	unsigned int n = 0;

	if (port->n_rxqs > 1)
		return own != NULL ? lower_count(own, true) : 0;
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		n += lower_count(&port->lower_rxqs[i], false);
	return n;
}

dpdk_queue_count_t ddp_rx_queue_count(void *rxq) {
	struct ddp_rxq *queue = rxq;
	unsigned int n = 0;

	if (!ddp_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port))
		n = rings_count(queue) + lowers_count(queue);
	ddp_unlock(&queue->busy);
	return n;
}

// Waiting packets fill the first descriptors, as if the queue were one ring.
int ddp_rx_descriptor_status(void *rxq, uint16_t off) {
	const struct ddp_rxq *queue = rxq;

	if (off >= queue->n_desc)
		return -EINVAL;
	return off < ddp_rx_queue_count(rxq) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}
