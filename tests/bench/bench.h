/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-bench: what the command line says, and the parts of the benchmark.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include "print.h"

struct options {
	bool quick;
	unsigned int only;   // parts, as bits; 0: all
	const char *isa;     // only this level of our cache and hash; NULL: all
	const char *kind;    // only this kind of packets; NULL: all
	const char *capture; // for net_pcap; NULL: none
	const char *json;
};

extern struct options options;

// Each measures, and calls table_done() for every table.
void kinds_measure(void);
void flood_measure(void);
void toeplitz_measure(void);
void end_measure(void);
void handover_measure(void);
void tx_measure(void);
void scaling_measure(void);

// Print a table, and keep it for --json. Frees nothing.
void table_done(const struct table *table);
// Do the benchmark's frames have the paths that they shall, and do all methods agree on them? Says
// what differs. Returns an exit status.
int check(void);

#endif
