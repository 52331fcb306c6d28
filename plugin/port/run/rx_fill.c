/* SPDX-License-Identifier: BSD-3-Clause */
// Writes the mbufs of a burst and chooses their queues, by verdicts, flow rules, and the port's
// checksum offloads and decap=.
#include "port/run/burst.h"
#include "port/run/extras.h"

#define QUEUE_NONE UINT16_MAX // the packet was dropped by a rule

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
