/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <rte_mbuf_pool_ops.h>
#include <string.h>

#include "bench.h"

#define CACHE 256

static struct rte_mempool *pool;

// DPDK runs on huge pages, since packets lie in more of the small ones than a processor remembers.
// None need be reserved here: some are requested of the kernel.
static void *memory_alloc(size_t size) {
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("no memory for %u packets", POOL_PACKETS);
	madvise(memory, size, MADV_HUGEPAGE); // or it is as it is
	return memory;
}

// Its mbufs lie side by side, as on huge pages: kept within small ones each fourth would begin at
// the same address of a page, and they would drive each other out of the cache.
static void pool_make(void) {
	struct rte_pktmbuf_pool_private private = {
		.mbuf_data_room_size = RTE_PKTMBUF_HEADROOM + FRAME_MAX,
	};
	size_t chunk, align;
	ssize_t size;

	pool = rte_mempool_create_empty("bench", POOL_PACKETS + 2 * CACHE,
					sizeof(struct rte_mbuf) + private.mbuf_data_room_size,
					CACHE, sizeof(private), SOCKET_ID_ANY,
					RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	if (pool == NULL)
		fail("no memory for %u packets", POOL_PACKETS);
	must(rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL), "mempool");
	rte_pktmbuf_pool_init(pool, &private);
	size = rte_mempool_op_calc_mem_size_default(pool, pool->size, 0, &chunk, &align);
	must(rte_mempool_populate_iova(pool, memory_alloc(size), RTE_BAD_IOVA, size, NULL, NULL),
	     "mempool");
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
}

struct rte_mempool *packets_pool(void) {
	if (pool == NULL)
		pool_make();
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
