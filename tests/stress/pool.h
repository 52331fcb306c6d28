/* SPDX-License-Identifier: BSD-3-Clause */
// A pool of mbufs that notices when one is freed twice or handed out twice. Its free list is code
// of this program (and not of DPDK's libraries), so ThreadSanitizer sees that a mbuf which is freed
// in one thread and allocated in another has passed from the one to the other.
#ifndef DDP_TESTS_STRESS_POOL_H
#define DDP_TESTS_STRESS_POOL_H

struct rte_mempool;

// n mbufs with room for size bytes of a packet. Aborts where there is no memory.
struct rte_mempool *pool_create(const char *name, unsigned int n, unsigned int size);

#endif
