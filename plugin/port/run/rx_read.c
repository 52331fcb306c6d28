/* SPDX-License-Identifier: BSD-3-Clause */
// Identifies the packets of a burst: classifies them, or trusts what the lower device hashed and
// verifies it. With load-aware RSS they are counted by entry of the redirection table.
#include "port/run/burst.h"

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
