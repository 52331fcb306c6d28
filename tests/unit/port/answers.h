/* SPDX-License-Identifier: BSD-3-Clause */
// Results of packets from a port whose NIC hashes some, beside those of pure software.
#ifndef DDP_TESTS_PORT_ANSWERS_H
#define DDP_TESTS_PORT_ANSWERS_H

#include "packet.h"
#include "port_rules.h"

#define N_DRAWN 3000

// Compared byte by byte, so it has no padding.
struct answer {
	uint16_t queue, type_id;
	uint32_t hashed; // 0 or 1
	uint32_t hash, packet_type, mark;
};

extern struct answer software[N_DRAWN], hardware[N_DRAWN];

// Draw packets of a profile along its own parse graph.
void answers_draw(const char *spec);
// Or take packets of these kinds in turn.
void answers_repeat(const struct piece (*kinds)[10], unsigned int n);
// Let them come from a port with N_QUEUES: all by lower queue 0, or by those that the NIC chooses.
// Returns the share that the NIC hashed; it has no mismatch.
double answers_take(uint16_t port, bool arrive, struct answer *answers);
void answers_compare(const char *what);

#endif
