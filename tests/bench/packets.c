/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define CACHE 256

static struct rte_mempool *pool;

struct rte_mempool *packets_pool(void) {
	if (pool == NULL)
		pool = rte_pktmbuf_pool_create("bench", POOL_PACKETS + 2 * CACHE, CACHE, 0,
					       RTE_PKTMBUF_HEADROOM + FRAME_MAX, SOCKET_ID_ANY);
	if (pool == NULL)
		fail("no memory for %u packets", POOL_PACKETS);
	return pool;
}

void packet_fill(struct rte_mbuf *mbuf, const struct frame *frame) {
	rte_pktmbuf_reset(mbuf);
	memcpy(rte_pktmbuf_append(mbuf, frame->len), frame->data, frame->len);
}

static void *alloc(size_t n) {
	void *pointers = calloc(n, sizeof(void *));

	if (pointers == NULL)
		fail("no memory");
	return pointers;
}

static void shuffle(struct rte_mbuf **visits, unsigned int n, struct random *random) {
	for (unsigned int i = n - 1; i > 0; i--) {
		unsigned int k = random_below(random, i + 1);
		struct rte_mbuf *mbuf = visits[i];

		visits[i] = visits[k];
		visits[k] = mbuf;
	}
}

void packets_make(struct packets *packets, const struct kind *kind, unsigned int n,
		  unsigned int n_visits) {
	struct random random = {1};
	struct frame frame;

	packets->n = n;
	packets->n_visits = n_visits;
	packets->next_visit = 0;
	packets->mbufs = alloc(n);
	packets->visits = alloc(n_visits);
	for (unsigned int i = 0; i < n; i++) {
		packets->mbufs[i] = rte_pktmbuf_alloc(packets_pool());
		if (packets->mbufs[i] == NULL)
			fail("the pool has not %u packets", n);
		kind_frame(kind, i, &random, &frame);
		packet_fill(packets->mbufs[i], &frame);
	}
	for (unsigned int i = 0; i < n_visits; i++)
		packets->visits[i] = packets->mbufs[n == n_visits ? i : random_below(&random, n)];
	if (n == n_visits)
		shuffle(packets->visits, n, &random);
}

void packets_free(struct packets *packets) {
	rte_pktmbuf_free_bulk(packets->mbufs, packets->n);
	free(packets->mbufs);
	free(packets->visits);
}
