/* SPDX-License-Identifier: BSD-3-Clause */
// Faults that a stress test found: the first few are printed, all are counted. Any thread.
#ifndef DDP_TESTS_STRESS_FAULT_H
#define DDP_TESTS_STRESS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

void fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned int fault_count(void);

// Every answer is right; DPDK 25.11 wants it to be looked at.
static inline void answered(int ret) {
	(void)ret;
}

// Whether a port has this extended statistic.
bool xstat_read(uint16_t port, const char *name, uint64_t *value);
// Packets that flow rules dropped; 0 for a port that takes no rules.
uint64_t xstat_dropped_by_rule(uint16_t port);

#endif
