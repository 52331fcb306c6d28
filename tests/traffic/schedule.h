/* SPDX-License-Identifier: BSD-3-Clause */
// Which place sends when (see lives.h).
//
// A stream is one place in one kind of capture: number place * n_kinds + index of the kind. Each
// stream gets its share of the packets, then all are put in pseudo-random order.
#ifndef TRAFFIC_SCHEDULE_H
#define TRAFFIC_SCHEDULE_H

#include <stdint.h>

struct config;

struct schedule {
	uint32_t *streams; // one a packet
	uint64_t n_packets;
};

// 0, or -ENOMEM. The caller has checked that streams can be numbered in 32 bits.
int schedule_init(struct schedule *schedule, const struct config *config);
void schedule_fini(struct schedule *schedule);

#endif
