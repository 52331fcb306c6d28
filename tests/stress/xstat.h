/* SPDX-License-Identifier: BSD-3-Clause */
// A port's extended statistics, by name. Of one thread.
#ifndef DDP_TESTS_STRESS_XSTAT_H
#define DDP_TESTS_STRESS_XSTAT_H

#include <stdbool.h>
#include <stdint.h>

// Whether the port has this statistic.
bool xstat_read(uint16_t port, const char *name, uint64_t *value);
// Packets that flow rules dropped; 0 for a port that takes no rules.
uint64_t xstat_dropped_by_rule(uint16_t port);

#endif
