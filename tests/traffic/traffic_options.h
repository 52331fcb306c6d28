/* SPDX-License-Identifier: BSD-3-Clause */
// The options of a run.
#ifndef TRAFFIC_CONFIG_H
#define TRAFFIC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_FLOWS 4096 // of one UE: each has its own of the ephemeral ports
#define ELEPHANTS_MAX 16

enum kind {
	KIND_N3_UP,
	KIND_N3_DOWN,
	KIND_N6_UP,
	KIND_N6_DOWN,
	N_KINDS,
};

static inline bool kind_is_n3(enum kind kind) {
	return kind == KIND_N3_UP || kind == KIND_N3_DOWN;
}

static inline bool kind_is_down(enum kind kind) {
	return kind == KIND_N3_DOWN || kind == KIND_N6_DOWN;
}

// A flow that has a share of all packets while it is there.
struct elephant {
	uint32_t share; // percent
	uint64_t begin_us, length_us;
	uint64_t every_us; // another one comes so long after the last one came; 0: none does
};

struct config {
	const char *output;
	uint64_t seed;
	unsigned int kind; // or N_KINDS: all
	enum kind kinds[N_KINDS];
	unsigned int n_kinds;
	uint64_t ues;
	uint64_t flows; // of each UE
	uint64_t gnbs;
	uint64_t packets;          // together; 0: packets_per_flow decides
	uint64_t packets_per_flow; // in each kind; 0: not given
	double zipf;               // 0: flows of equal size
	uint64_t ipv6;             // percent of the UEs
	uint64_t size;             // of the UE's IP packets; 0: IMIX
	bool no_psc;
	bool outer_ipv6;
	uint64_t vlan; // 0: none
	uint64_t snaplen;
	uint64_t rate_pps;
	uint64_t churn; // percent of the flows replaced in 100 ms
	struct elephant elephants[ELEPHANTS_MAX];
	unsigned int n_elephants;
	const char *truth; // file, NULL for none
	bool help;
};

#endif
