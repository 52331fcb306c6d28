/* SPDX-License-Identifier: BSD-3-Clause */
// A burst of a lower queue: what its packets are, their mbufs and their queues.
//
// Packets are classified, or what the lower device hashed is trusted and verified; with load-aware
// RSS they are counted by entry of the redirection table. Then verdicts, flow rules, the port's
// checksum offloads and decap= say what is written into the mbufs, and which queues they go to.
#include "port/run/burst.h"
#include "port/run/extras.h"

#define QUEUE_NONE UINT16_MAX // the packet was dropped by a rule

/* What the packets are */

// The burst's result, if all packets have one hardware packet type. Returns whether they have.
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

// Packets of a burst, divided by their hardware packet types.
struct hw_match {
	const struct ddp_verdict *verdicts[DDP_PORT_BURST]; // NULL: to be classified
	unsigned int n_rest;                                // packets to classify
	struct rte_mbuf *rest[DDP_PORT_BURST];
	struct ddp_hw_ptype
		*unverified[DDP_PORT_BURST]; // of the packets to classify; NULL: not to be verified
	bool any_unverified;
};

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

static void hw_ptype_count(uint32_t *counter) {
	if (ddp_hw_ptype_read(counter) < UINT32_MAX / 2)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

// Count a packet for the proof, unless another queue has found a mismatch.
static void hw_ptype_confirm(struct ddp_hw_ptype *hw_ptype) {
	uint32_t n = ddp_hw_ptype_read(&hw_ptype->unproven);

	while (n > 0 && n != DDP_PROOF_REFUTED &&
	       !__atomic_compare_exchange_n(&hw_ptype->unproven, &n, n - 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

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
			hw_ptype_count(&hw_ptype->wrong);
			__atomic_store_n(&hw_ptype->wrong_id, verdict->type_id, __ATOMIC_RELAXED);
			__atomic_store_n(&hw_ptype->unproven, DDP_PROOF_REFUTED, __ATOMIC_RELEASE);
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

// Spread the results of classified packets over the burst, the last first, those of others between.
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

// With hw_ptypes: classify packets without a hardware hash, or to be verified. Returns whether all.
static __attribute__((noinline)) bool hw_read(struct ddp_lower_rxq *lower,
					      const struct ddp_batch *batch) {
	const uint16_t n_bursts = lower->n_bursts + 1;
	const bool check = n_bursts % DDP_PROOF_STRIDE == 0;
	struct hw_match match;

	__atomic_store_n(&lower->n_bursts, n_bursts, __ATOMIC_RELAXED);
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

/* Load by entry of the redirection table, for load-aware RSS */

// Sample packets of an entry, and copy the beginning of one of the flow that has more than half of
// them. This is the majority vote of Boyer and Moore: flows of an entry differ in their hashes.
static void sample_vote(struct ddp_flow_sample *sample, uint32_t hash, uint16_t l3_off,
			const struct rte_mbuf *mbuf) {
	sample->left--;
	if (sample->votes > 0 && sample->hash != hash) {
		sample->votes--;
		return;
	}
	if (sample->votes == 0) {
		sample->hash = hash;
		sample->l3_off = l3_off;
		sample->len = RTE_MIN(rte_pktmbuf_data_len(mbuf), DDP_FLOW_SAMPLE_BYTES);
		memcpy(sample->data, rte_pktmbuf_mtod(mbuf, const void *), sample->len);
	}
	sample->votes++;
}

static void sample_collect(struct ddp_lower_rxq *lower, const struct ddp_batch *batch) {
	struct ddp_flow_sample *sample = &lower->sample;

	for (unsigned int i = 0; sample->left > 0 && i < batch->n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(&lower->burst, i);
		const uint32_t hash = lower->burst.hashes[i];

		if (verdict->input_len > 0 && (hash & (DDP_RETA_SIZE - 1)) == sample->entry)
			sample_vote(sample, hash,
				    verdict->inner_l3_off != UINT16_MAX ? verdict->inner_l3_off :
									  verdict->l3_off,
				    batch->mbufs[i]);
	}
}

// Before they are placed: then they may be dropped.
static void entries_count(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			  bool classified) {
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

void ddp_rx_read(struct ddp_lower_rxq *lower, const struct ddp_batch *batch) {
	const bool drained = likely(lower->drain == 0);
	const size_t n = batch->n;
	bool classified = true;

	counter_add(&lower->taken, batch->n);
	// Each burst counts, also while no hashes are used: changes may follow each other at once.
	if (!drained)
		lower->drain = n < lower->drain ? lower->drain - n : 0;
	if (drained && unlikely(lower->hw_ptypes != NULL)) {
		classified = hw_read(lower, batch);
	} else {
#pragma GCC unroll 4
		for (size_t i = 0; i < n; i++)
			packet_prefetch(batch->mbufs[i]);
		burst_classify(lower, batch->mbufs, batch->n);
	}
	if (unlikely(lower->entries != NULL))
		entries_count(lower, batch, classified);
}

/* Checksums and decap= */

struct rx_extras {
	uint64_t checksums;
	bool decap;
	uint32_t ptype_mask; // with decap: inner layers become outer ones before it applies
};

// Flags of the lower device to remove: it verifies none for us, and may mean the outer headers.
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

// The index of packet i of the burst among those that were classified.
static unsigned int row_of(const struct ddp_lower_rxq *lower, unsigned int i) {
	unsigned int row = 0;

	RTE_ASSERT(i < DDP_PORT_BURST);
	while (i-- > 0)
		row += ddp_burst_verdict(&lower->burst, i)->inner_l3_off != RTE_PMD_DDP_UNPARSED;
	return row;
}

// Count and mark packet i of the burst as a rule says, and hash it by the rule's key. Returns the
// hash that chooses the queue.
static __attribute__((noinline)) uint32_t rule_extra(const struct ddp_lower_rxq *lower,
						     const struct ddp_flow_action *action,
						     unsigned int i, bool hashed, uint32_t hash,
						     struct rte_mbuf *mbuf) {
	const struct ddp_hash *key = ddp_flow_key_of(action);

	if (action->counts != NULL) {
		counter_add(&action->counts[lower->id].packets, 1);
		counter_add(&action->counts[lower->id].bytes, rte_pktmbuf_pkt_len(mbuf));
	}
	if (action->tag != DDP_FLOW_UNTAGGED) {
		mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR;
		if (action->tag == DDP_FLOW_MARKED)
			mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR_ID;
		mbuf->hash.fdir.hi = action->mark; // beside hash.rss
	}
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

	if (one)
		counter_add(&lower->types[shared.type_id], n_read);
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

	if (one)
		return batch_fill(lower, *common, batch, true, false, true, &extras);
	return batch_fill(lower, *common, batch, dynfields_pair(common),
			  common->steering->flows != NULL, false, &extras);
}

uint32_t ddp_rx_fill(struct ddp_lower_rxq *lower, const struct rx_common *common,
		     const struct ddp_port *port, struct ddp_batch *batch) {
	const struct ddp_verdict *verdict = lower->burst.verdict;
	const bool rules = common->steering->flows != NULL, pair = dynfields_pair(common);
	const bool one = pair && verdict != NULL && verdict->input_len > 0 && !verdict->own;

	if (unlikely(port->rx_extras))
		return extras_fill(lower, common, port, batch, one && !rules);
	if (rules && one)
		return batch_fill(lower, *common, batch, true, true, true, NULL);
	if (rules)
		return batch_fill(lower, *common, batch, pair, true, false, NULL);
	if (likely(pair))
		return batch_fill(lower, *common, batch, true, false, false, NULL);
	return batch_fill(lower, *common, batch, false, false, false, NULL);
}
