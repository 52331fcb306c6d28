/* SPDX-License-Identifier: BSD-3-Clause */
// Code of both the stress test and the fuzz test of the control path.
#ifndef DDP_TESTS_STRESS_POOL_H
#define DDP_TESTS_STRESS_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct rte_mempool;

// A fault that was found: the first few are printed, all are counted. Any thread.
void fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned int fault_count(void);

// Every answer is right; DPDK 25.11 wants it to be checked.
static inline void answered(int ret) {
	(void)ret;
}

// Whether a port has this extended statistic.
bool xstat_read(uint16_t port, const char *name, uint64_t *value);
// Packets that flow rules dropped; 0 for a port that takes no rules.
uint64_t xstat_dropped_by_rule(uint16_t port);

// EAL with these arguments, the program's name first, which are changed. Exits where it fails.
void eal_start(char *words);

// A pool of n mbufs with room for size bytes of a packet, which notices when one is freed twice or
// handed out twice. Its free list is code of this program (and not of DPDK's libraries), so
// ThreadSanitizer sees that a mbuf which is freed in one thread and allocated in another has passed
// from the one to the other. Aborts where there is no memory.
struct rte_mempool *pool_create(const char *name, unsigned int n, unsigned int size);

#endif
