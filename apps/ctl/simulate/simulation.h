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

#define TOP_FLOWS 20

// Do packets that belong together (a UE's, both directions of a flow) come to one queue?
struct affinity {
	uint64_t n;       // UEs; flows that have packets in both directions
	uint64_t n_split; // of them: not on one queue
	// one of these
	const char *who;     // NULL: none
	uint64_t packets[2]; // two of its packets, counted in the capture from 1
	unsigned int queues[2];
};

// Of what some keys give.
struct key_range {
	double median, low, high; // the 10th and the 90th percentile
};

// How even a candidate is with many RSS keys: with one key it may be lucky.
struct key_spread {
	unsigned int n; // keys; 0: not judged
	struct key_range plain;
	unsigned int n_balanced;   // keys; 0: net_ddp cannot have this
	struct key_range balanced; // by load-aware RSS, if each interval is like the whole capture
};

// How one candidate does.
struct outcome {
	const char *name; // as on the command line; "fixed-function NIC"
	const struct spread
		*spread; // its groups: packets of one hash stay together whatever the table
	double imbalance, jain, hottest; // share of the most loaded queue
	double entropy;                  // of the hash, in bits
	uint64_t largest_group;          // packets of one hash, the most
	double bound;    // least imbalance that any table could reach, for the largest group stays
			 // whole
	double *scaling; // [n - 1]: cores' worth of load that n queues and cores carry until
			 // one is full
	unsigned int worst; // of the windows of time
	struct affinity ues, flows;
	// Imbalance without and with load-aware RSS: in intervals, if there are enough of them, or
	// with intervals like the whole capture. 0: net_ddp cannot have this.
	double unbalanced, balanced;
	bool balance_is_measured; // in intervals
	struct key_spread keys;   // of many RSS keys; its n is 0: not asked for
	unsigned int cores; // needed for the load; 0: no number of queues up to STEER_QUEUES_MAX
			    // suffices
};

#define NIC_SHARES 8

// Of the capture's packets, those that a NIC hashes alike.
struct nic_share {
	const char *by;  // "outer addresses and ports"; "nothing"
	bool inner_lost; // the NIC does not parse the headers that follow
	uint64_t packets;
};

// How a NIC as it is does.
struct nic_outcome {
	const struct ddp_nic *nic;
	const struct spread *spread;
	double imbalance;
	unsigned int n_queues;               // that have packets
	struct nic_share shares[NIC_SHARES]; // most packets first
	unsigned int n_shares;
	const char *why; // what it hashes, in words
};

struct top_flow {
	const char *text; // "10.45.0.1:4000 > 198.51.100.7:443", for people
	const char *type; // packet type
	uint64_t packets, bytes;
	const char *outer; // addresses of the outer IP header; NULL: there is only one
	const struct flow_place *places; // by candidate
};

struct simulation {
	const struct simulate_options *options;
	const struct candidates *candidates;
	const struct capture *capture;
	uint64_t packets;        // of the capture
	const char *cut_warning; // what is not known because packets were cut; NULL: all is
	unsigned int snaplen;    // that would do then
	bool partial;            // the capture has more
	unsigned int n_queues;   // the answer is for; also the length of scaling
	double load_mpps;        // what all cores have to do; 0: neither given nor in the capture

	// candidates; the last one is the fixed-function NIC
	const struct outcome *outcomes;
	unsigned int n_outcomes;
	struct nic_outcome nics[NICS_NOW];
	unsigned int n_nics;

	// its flows: addresses, protocol and ports of the innermost IP packet
	uint64_t n_flows;
	const struct outcome *finest; // a candidate that tells more flows apart: n_flows is its
				      // number of hashes, and no top flow is the largest; else NULL
	// Else memory did not suffice, and what is said of flows, UEs and hashes is of those that
	// came first.
	bool flows_exact;
	struct top_flow top_flows[TOP_FLOWS];
	unsigned int n_top_flows;

	struct ddp_arena *arena; // owns all of the above; the caller destroys it
	struct strbuf text;      // while it is made: of what is written next
};

double share_of(uint64_t part, uint64_t all); // 0 of 0

// Of a number for each of n queues: the sum, and the largest.
uint64_t sum_of(const uint64_t *loads, unsigned int n);
uint64_t most_of(const uint64_t *loads, unsigned int n);

// What came of candidates that have run, the last one being the fixed-function NIC; they, the
// capture and the options must outlive it. ret is what candidates_run() returned.
void simulation_make(struct simulation *simulation, const struct simulate_options *options,
		     struct candidates *candidates, const struct capture *capture, int ret);

// For people, and parts of that, each with an empty line behind it.
void simulation_print(const struct simulation *simulation, struct output *out);
void simulation_flows_print(const struct simulation *simulation, const struct outcome *outcome,
			    struct output *out); // with queues of this candidate
void simulation_warning_print(const struct simulation *simulation, struct output *out);
void simulation_notes_print(const struct simulation *simulation, struct output *out);

// For machines: the keys of an object, which the caller opens and closes.
void simulation_json(const struct simulation *simulation, struct json_writer *json);

// Packets with a packet type of the profile's own, or of one that it loads other than base.
uint64_t own_packets(const struct spread *spread);

#endif
