/* SPDX-License-Identifier: BSD-3-Clause */
// The largest flow of an entry of the redirection table, for load-aware RSS: the data path looks at
// some packets of the entry and keeps the beginning of one of the flow that has the most of them,
// if that is more than half.
#ifndef DDP_PORT_RUN_FLOW_SAMPLE_H
#define DDP_PORT_RUN_FLOW_SAMPLE_H

#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

#include "port/state/queues.h"

// The majority vote of Boyer and Moore: flows of an entry differ in their hashes.
static inline void ddp_flow_sample_vote(struct ddp_flow_sample *sample, uint32_t hash,
					uint16_t inner_l3_off, const struct rte_mbuf *mbuf) {
	sample->left--;
	if (sample->votes > 0 && sample->hash != hash) {
		sample->votes--;
		return;
	}
	if (sample->votes == 0) {
		sample->hash = hash;
		sample->inner_l3_off = inner_l3_off;
		sample->len = RTE_MIN(rte_pktmbuf_data_len(mbuf), DDP_FLOW_SAMPLE_BYTES);
		memcpy(sample->data, rte_pktmbuf_mtod(mbuf, const void *), sample->len);
	}
	sample->votes++;
}

#endif
