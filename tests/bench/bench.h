/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-bench: options, tables, rounds of a measurement, ports that are measured, and the parts.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "packets.h"

struct options {
	bool check, quick;
	unsigned int only; // parts, as bits; 0: all
	const char *isa;   // only this level of our cache and hash; NULL: all
	const char *kind;  // only this kind of packets; NULL: all
	const char *json;
};

extern struct options options;

// The end of a benchmark that cannot go on.
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *fmt, ...);
// ret is 0 or -errno.
void must(int ret, const char *what);

// Each measures, and calls table_done() for every table.
void kinds_measure(void);
void flood_measure(void);
void toeplitz_measure(void);
void end_measure(void);
void handover_measure(void);
void tx_measure(void);
void scaling_measure(void);

// Do the benchmark's frames have the paths that they shall, and do all methods agree on them?
// Prints the differences. Returns an exit status.
int check(void);

/* Tables, as text and as JSON */

#define TABLE_ROWS 32
#define TABLE_COLUMNS 16

struct figure {
	bool given;
	double ns;     // median
	double ratio;  // times faster than the reference, median of the rounds' ratios; 0: none
	double spread; // between a tenth and nine tenths of the rounds, in parts of ns
};

struct heading {
	char id[24], title[48];
	const char *absent; // why the row has no figures; NULL: it has
};

struct table {
	const char *id, *title;
	const char *unit; // of its figures; "ns" unless set otherwise
	char note[512];   // below the title
	unsigned int n_rows, n_columns;
	struct heading rows[TABLE_ROWS], columns[TABLE_COLUMNS];
	struct figure figures[TABLE_ROWS][TABLE_COLUMNS];
};

void table_init(struct table *table, const char *id, const char *title);
// Return the number of the new one.
unsigned int table_row(struct table *table, const char *id, const char *title);
unsigned int table_column(struct table *table, const char *id, const char *title);
// Print a table, and keep it for --json. Frees nothing.
void table_done(const struct table *table);
// Of all tables.
extern json_t *tables;

/* Rounds: all that is compared takes its turn in each, so that what disturbs the machine for longer
 * than a round disturbs all of it */

#define ROUNDS_MAX 128

struct samples {
	unsigned int n_rounds, n_rounds_max;
	uint64_t end_tsc;
	double ns[TABLE_ROWS][ROUNDS_MAX]; // by what is measured and round
};

// Begin with n_rounds to come: fewer where they take more than so many seconds, as on a busy
// machine, and a sixth of both with --quick.
void samples_begin(struct samples *samples, unsigned int n_rounds, double seconds);
// Whether there is another round, and its number.
bool samples_next(struct samples *samples, unsigned int *round);
// The time that n took, from tsc to now.
double samples_ns(uint64_t tsc, uint64_t n);
// The figure of series i; compared with series base, -1: with none.
struct figure samples_figure(const struct samples *samples, unsigned int i, int base);

/* Ports. What fails ends the process. */

uint16_t port_open(const char *name, const char *args, uint16_t n_queues);
void port_close(uint16_t port, const char *name);

// net_template is the fastest device there can be. Its Rx hands out prepared packets, over and
// over: it copies a burst's pointers and fills the mbufs in, as a driver does, and moves no bytes.
// The packets stay the device's: an application forgets them instead of freeing them, so no figure
// has the cost of a mempool in it. No more of them may be in use than there are. With hashed=1 they
// have a hash, as from a NIC that knows GTP-U.
#define TEMPLATE_PACKETS 1024 // enough for 8 Rx queues of net_ddp
// Set the packets that devices hand out which are set up from now on.
void template_packets_set(struct packets *packets);
// Packets that device net_template<number> has handed out.
uint64_t template_served(unsigned int number);

#endif
