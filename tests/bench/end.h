/* SPDX-License-Identifier: BSD-3-Clause */
// What net_ddp adds to a device, for one set-up of both; of part `end` and of others that ask how
// it grows.
#ifndef BENCH_END_H
#define BENCH_END_H

#include <rte_byteorder.h>

#include "packets/packets.h"
#include "print.h"

// A device, once alone and once below net_ddp.
struct setup {
	const char *id, *title;
	const char *alone, *alone_args;
	const char *ddp, *ddp_args;
	uint16_t alone_queues, ddp_queues;
	unsigned int simd_bits; // that EAL allows; 0: as it is
	bool frees;             // packets are the receiver's to free; else they are a template's
	unsigned int n_rules;   // of net_ddp, for one TEID each
	const struct packets *packets; // whose TEIDs the first rules are for
};

// Columns of a table of set-ups.
enum series {
	ALONE,
	DDP,
	ADDED,
	N_SERIES,
};

void setup_columns(struct table *table);
// Add a row.
void setup_measure(struct table *table, const struct setup *setup);

// All that fails ends the process.
uint16_t port_open(const char *name, const char *args, uint16_t n_queues);
void port_close(uint16_t port, const char *name);
// ns a packet, polling all queues. frees: as in struct setup.
double port_time(uint16_t port, uint16_t n_queues, bool frees);
// Packets with this TEID come to that queue.
void rule_create(uint16_t port, rte_be32_t teid, uint16_t queue);

#endif
