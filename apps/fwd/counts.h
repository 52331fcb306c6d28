/* SPDX-License-Identifier: BSD-3-Clause */
// The report: numbers of workers and ports, shown as a table or as JSON. Control path.
#ifndef FWD_COUNTS_H
#define FWD_COUNTS_H

#include <stdint.h>
#include <stdio.h>

#include <rte_ethdev.h>

#include "config.h"
#include "latency.h"
#include "port/state/rte_pmd_ddp.h"
#include "ports.h"
#include "workers.h"

#define PTYPE_NAME_SIZE 128 // bytes

// Reasons of drops: X(constant, name, meaning). Packets dropped at Rx are not counted as received,
// those dropped at Tx are.
#define DROP_REASONS(X)                                                     \
	X(RX_RING_FULL, "rx_ring_full", "the ring of an Rx queue was full") \
	X(RX_MISSED, "rx_missed", "the device below had no room")           \
	X(RX_NO_MBUF, "rx_no_mbuf", "no packet buffer was free")            \
	X(RX_ERRORS, "rx_errors", "received with an error")                 \
	X(TX_FULL, "tx_full", "the Tx queue was full, after all retries")   \
	X(TX_ERRORS, "tx_errors", "the device could not send it")

enum drop_reason {
#define DROP_ENUM(constant, name, meaning) DROP_##constant,
	DROP_REASONS(DROP_ENUM)
#undef DROP_ENUM
	N_DROP_REASONS,
};

struct drop_text {
	const char *name, *meaning;
};

extern const struct drop_text drop_texts[N_DROP_REASONS];

struct latency_report {
	uint64_t count;
	uint64_t p50, p90, p99, p999, max; // ns
};

// Counters of a queue, or of a worker, which has no port, queue and missed packets.
struct queue_report {
	uint16_t port, queue;
	unsigned int lcore;
	uint64_t packets, bytes, missed;
	struct latency_report latency;
};

struct port_report {
	const struct fwd_port *port;
	struct rte_eth_stats stats;
	unsigned int n_cut;   // captures that end inside a record
	uint64_t *missed_ids; // ids of xstats by Rx queue, valid if each queue has one
	unsigned int n_missed_ids;
	struct rte_pmd_ddp_balance balance; // only of net_ddp
};

struct ptype_report {
	char name[PTYPE_NAME_SIZE];
	uint64_t packets;
};

struct report {
	const struct config *config;
	double seconds;
	uint64_t packets, bytes; // received by the workers
	uint64_t sent, consumed;
	uint64_t drops;
	uint64_t drop_reasons[N_DROP_REASONS];
	double imbalance, jain;
	struct latency_report latency;
	struct latency histogram; // of all queues, in cycles
	struct queue_report *queues;
	unsigned int n_queues;
	struct queue_report *workers;
	unsigned int n_workers;
	struct port_report *ports;
	unsigned int n_ports;
	struct ptype_report *ptypes; // most frequent first
	unsigned int n_ptypes;
};

// Convert TSC cycles to ns.
uint64_t cycles_ns(uint64_t cycles);

// Allocate a report, which report_fini() frees even after an error. workers and ports must outlive
// it. 0 or -ENOMEM.
int report_init(struct report *report, const struct config *config, const struct ports *ports,
		const struct workers *workers);
void report_fini(struct report *report);

// Read all counters of this time but those of packet types. Workers may be running.
void report_collect(struct report *report, const struct workers *workers, double seconds);

// The latency of packets since the earlier report.
struct latency_report report_latency_since(const struct report *report,
					   const struct report *earlier);

// At the end, without workers: count packets that Tx queues accepted and did not send as not sent.
void report_collect_left(struct report *report);

// Read the counters of packet types. 0 or -ENOMEM.
int report_collect_ptypes(struct report *report, const struct workers *workers);

static inline bool port_is_balanced(const struct port_report *row) {
	return row->balance.interval_ms != 0 || row->balance.rounds != 0;
}

// Write the report as text or as JSON. The caller checks out for errors.
void report_print(const struct report *report, FILE *out);
int report_json(const struct report *report, FILE *out); // 0 or -ENOMEM

// Write the sums as one line to the log.
void report_say(const struct report *report);

/* The live table. On a terminal it is redrawn in place and truncated to the window; other output
 * has one table after the other, without control characters. */

struct live {
	FILE *out;
	bool terminal;
	bool discards;        // the terminal discards output on Ctrl-C
	unsigned int n_lines; // on the screen
	struct report now, before;
};

// 0 or -ENOMEM; live_fini() frees it.
int live_init(struct live *live, FILE *out, const struct config *config, const struct ports *ports,
	      const struct workers *workers);

// Clear the table.
void live_fini(struct live *live);

// Show the counters after these seconds. 0, or -EPIPE: out has no reader.
int live_show(struct live *live, const struct workers *workers, double seconds);

#endif
