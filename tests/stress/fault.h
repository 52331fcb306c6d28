/* SPDX-License-Identifier: BSD-3-Clause */
// Faults that a stress test found: the first few are printed, all are counted. Any thread.
#ifndef DDP_TESTS_STRESS_FAULT_H
#define DDP_TESTS_STRESS_FAULT_H

void fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned int fault_count(void);

// Every answer is right; DPDK 25.11 wants it to be looked at.
static inline void answered(int ret) {
	(void)ret;
}

#endif
