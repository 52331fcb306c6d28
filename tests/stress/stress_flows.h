/* SPDX-License-Identifier: BSD-3-Clause */
// The flows of the stress test: their packets, and what each has to become under any
// set of profiles, hash fields, key, redirection table and rules. That is worked out here from
// tuples of addresses and DPDK's own rte_softrss(), with nothing of the plugin's.
#ifndef DDP_TESTS_STRESS_FLOWS_H
#define DDP_TESTS_STRESS_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#define FLOWS 4096
#define FLOW_FRAME_MAX 192 // bytes, stamp included
#define KEY_SIZE 40
#define RETA_SIZE 512
#define VXLAN_PORT_MORE 5789 // which some flows use
#define GROUPS 16            // of plain flows: those of one have the same source address

// Packet types, as the profiles used here name them.
#define TYPES(X)                               \
	X(TYPE_ARP, "ARP")                     \
	X(TYPE_IPV4_UDP, "IPV4_UDP")           \
	X(TYPE_IPV4_TCP, "IPV4_TCP")           \
	X(TYPE_GTPU_IPV4_UDP, "GTPU_IPV4_UDP") \
	X(TYPE_GTPU_IPV4_TCP, "GTPU_IPV4_TCP") \
	X(TYPE_VXLAN_IPV4_UDP, "VXLAN_IPV4_UDP")

#define TYPE_ENUM(type, name) type,
enum type {
	TYPES(TYPE_ENUM) N_TYPES
};
#undef TYPE_ENUM

extern const char *const type_names[N_TYPES];

// The last bytes of each packet.
struct stamp {
	uint32_t flow;
	uint32_t seq;   // of the flow, from 0
	uint32_t done;  // changes that were complete when net_ddp took the packet
	uint32_t begun; // changes that had begun
	uint64_t tsc;
	uint32_t tx_seq; // of the Tx queue it was sent on
	uint16_t tx_queue;
	uint16_t lower; // queue that net_ddp took the packet from
} __attribute__((packed));

// A rule for the plain UDP flows of a group.
struct group_rule {
	bool on;
	uint16_t group;
	uint32_t value; // the queue, the mark
};

// Everything that the application may change under traffic.
struct setup {
	bool gtpu, vxlan; // profiles that are there
	bool gtpu_teid;   // gtpu hashes the TEID alone
	bool tunnel;      // VXLAN is also behind UDP port VXLAN_PORT_MORE
	uint64_t rss_hf;
	uint8_t key[KEY_SIZE];
	uint16_t reta[RETA_SIZE];
	uint32_t tcp_ptype;  // RTE_PTYPE_* that IPV4_TCP is mapped to, 0 for none
	uint32_t ptype_mask; // layers of packet types that mbufs have, 0 for all
	bool stopped;        // one queue is
	uint16_t stopped_queue;
	bool rule_src;       // TCP is hashed by the source address alone
	bool rules_idle;     // there are some that no packet meets
	uint16_t balance_ms; // interval of load-aware RSS, 0: off
	bool adrift;         // it is on or was: the table is not known
	// They may not name the same group.
	struct group_rule rule_queue, rule_drop, rule_mark;
};

// The expected treatment of a flow's packets.
struct verdict {
	uint32_t packet_type;
	uint32_t hash;
	uint32_t value;        // of ddp_meta
	uint16_t inner_l3_off; // of ddp_meta
	uint16_t queue;
	bool anywhere; // on any queue: the table decides, and is not known
	uint32_t mark;
	uint8_t type;
	bool hashed, marked;
	bool dropped; // by a rule
	bool missed;  // its queue is stopped
};

static inline uint32_t random_next(uint32_t *state) {
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

void flows_init(void);

// The frame of a flow without its stamp; returns its length.
uint16_t flow_frame(uint32_t flow, const uint8_t **frame);

// The source address of a group.
uint32_t group_src(uint16_t group);

void verdict_find(uint32_t flow, const struct setup *setup, struct verdict *verdict);

#endif
