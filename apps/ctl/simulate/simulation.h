/* SPDX-License-Identifier: BSD-3-Clause */
// The results of `simulate` and `advise`, ready to be shown as text, JSON or a report.
#ifndef DDPCTL_SIMULATE_SIMULATION_H
#define DDPCTL_SIMULATE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "balancing.h"
#include "candidates.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/options.h"

struct ddp_arena;

#define TOP_FLOWS 20 // flows at most

// Number of UEs, or of flows in both directions, with packets on one or several queues.
struct affinity {
	uint64_t n;       // UEs, or flows with packets in both directions
	uint64_t n_split; // on several queues
	// an example of a split one
	const char *who;     // its text; NULL: none
	uint64_t packets[2]; // two of its packets, counted in the capture from 1
	unsigned int queues[2];
};

// The distribution of a result over many keys.
struct key_range {
	double median, low, high; // the 10th and the 90th percentile
};

// The imbalance of a candidate with many RSS keys: a single key may be good by chance.
struct key_spread {
	unsigned int n; // keys; 0: not simulated
	struct key_range plain;
	unsigned int n_balanced;   // keys; 0: unsupported by net_ddp
	struct key_range balanced; // by load-aware RSS, if each interval is like the whole capture
};

// The result of a candidate.
struct outcome {
	const char *name;                // as on the command line; "fixed-function NIC"
	const struct spread *spread;     // groups: packets of one hash, which no table splits
	double imbalance, jain, hottest; // hottest: share of the most loaded queue
	double entropy;                  // of the hash, in bits
	uint64_t largest_group;          // packets of the most frequent hash
	double bound;       // least imbalance with any table, because of the largest group
	double *scaling;    // [n - 1]: load, in cores, that n queues carry until one is full
	unsigned int worst; // index of the worst window
	struct affinity ues, flows;
	// Imbalance without and with load-aware RSS: of the intervals, if there are enough, else
	// with intervals like the whole capture. 0: unsupported by net_ddp.
	double unbalanced, balanced;
	bool balance_is_measured; // in intervals
	struct key_spread keys;   // n 0: not wanted
	unsigned int cores;       // cores needed for the load; 0: more than STEER_QUEUES_MAX
};

#define NIC_SHARES 8 // groups at most

// The packets that a NIC hashes by the same fields.
struct nic_share {
	const char *by;  // "outer addresses and ports"; "nothing"
	bool inner_lost; // the NIC does not parse the headers that follow
	uint64_t packets;
};

// The result of a NIC without net_ddp.
struct nic_outcome {
	const struct ddp_nic *nic;
	const struct spread *spread;
	double imbalance;
	unsigned int n_queues;               // queues with packets
	struct nic_share shares[NIC_SHARES]; // most packets first
	unsigned int n_shares;
	const char *why; // its hash fields, as text
};

struct top_flow {
	const char *text; // "10.45.0.1:4000 > 198.51.100.7:443"
	const char *type; // packet type
	uint64_t packets, bytes;
	const char *outer;             // addresses of the outer IP header; NULL: there is only one
	const struct flow_slot *slots; // by candidate
};

struct simulation {
	const struct simulate_options *options;
	const struct candidates *candidates;
	const struct capture *capture;
	uint64_t packets;        // of the capture
	const char *cut_warning; // unknown results because of cut packets; NULL: none
	unsigned int snaplen;    // bytes, that the capture needs then
	bool partial;            // not all packets were read
	unsigned int n_queues;   // also the length of scaling
	double load_mpps;        // million packets a second; 0: neither given nor in the capture

	// candidates; the last one is the fixed-function NIC
	const struct outcome *outcomes;
	unsigned int n_outcomes;
	struct nic_outcome nics[NICS_NOW];
	unsigned int n_nics;

	// its flows: addresses, protocol and ports of the innermost IP packet
	uint64_t n_flows;
	const struct outcome *finest; // n_flows are its hashes; NULL: no candidate splits flows
	uint64_t n_no_ue;             // packets of types of base without an address of a UE
	// Memory sufficed. Else flows, UEs and hashes are those that came first.
	bool flows_exact;
	struct top_flow top_flows[TOP_FLOWS];
	unsigned int n_top_flows;

	struct ddp_arena *arena; // owns all of the above; the caller destroys it
	struct strbuf text;      // buffer of the text that is being written
};

double share_of(uint64_t part, uint64_t all); // 0 of 0

// Of a number for each of n queues: the sum, and the largest.
uint64_t sum_of(const uint64_t *loads, unsigned int n);
uint64_t most_of(const uint64_t *loads, unsigned int n);

// Compute the results of candidates after candidates_run(), which returned ret. The last one is the
// fixed-function NIC. Candidates, capture and options must outlive the simulation.
void simulation_make(struct simulation *simulation, const struct simulate_options *options,
		     struct candidates *candidates, const struct capture *capture, int ret);

// Text output, and parts of it, each followed by an empty line.
void simulation_print(const struct simulation *simulation, struct output *out);
void simulation_flows_print(const struct simulation *simulation, const struct outcome *outcome,
			    struct output *out); // with queues of this candidate
void simulation_warning_print(const struct simulation *simulation, struct output *out);
void simulation_notes_print(const struct simulation *simulation, struct output *out);

// JSON: the keys of an object, which the caller opens and closes.
void simulation_json(const struct simulation *simulation, struct json_writer *json);

// Write the answer of a command in this format, as to standard output.
typedef void answer_fn(const void *arg, enum format format, struct output *out);

// Show the answer, and write the report of the options: one self-contained HTML file, whose script
// draws the JSON; without scripts it shows the text. Returns the exit status.
int answer_show_or_report(const struct simulate_options *options, const char *capture,
			  answer_fn *answer, const void *arg, struct output *out);

// Packets with a packet type of any loaded profile but base.
uint64_t own_packets(const struct spread *spread);

#endif
