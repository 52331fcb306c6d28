/* SPDX-License-Identifier: BSD-3-Clause */
// Random frames, the kinds of traffic that are measured, and their packets in mbufs.
#ifndef BENCH_PACKETS_H
#define BENCH_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

/* Random numbers that are the same on every machine (splitmix64) */

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random) {
	uint64_t x = random->state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

// 0 to n - 1.
static inline uint32_t random_below(struct random *random, uint32_t n) {
	return ((random_next(random) >> 32) * n) >> 32;
}

// low to high, both included.
static inline uint32_t random_from(struct random *random, uint32_t low, uint32_t high) {
	return low + random_below(random, high - low + 1);
}

// True so many times in a hundred.
static inline bool random_percent(struct random *random, unsigned int percent) {
	return random_below(random, 100) < percent;
}

/* Frames, put together header by header from the outside in. What says how a flow differs from
 * another (addresses, ports, labels, session ids) is random; what says which header follows is
 * given. */

#define FRAME_MAX 512
#define FRAME_MIN 60

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_TEB = 0x6558, // Ethernet in a tunnel
	TYPE_VLAN = 0x8100,
	TYPE_IPV6 = 0x86dd,
	TYPE_MPLS = 0x8847,
	TYPE_PPPOE = 0x8864,
	TYPE_QINQ = 0x88a8,
	PPP_IPV4 = 0x0021,
	PPP_IPV6 = 0x0057,
	IP_TCP = 6,
	IP_UDP = 17,
	IP_GRE = 47,
	IP_DSTOPTS = 60,
	IP_SCTP = 132,
	PORT_L2TP = 1701,
	PORT_GTPU = 2152,
	PORT_VXLAN = 4789,
	PORT_GENEVE = 6081,
	GRE_CHECKSUM = 0x8000,
	GRE_KEY = 0x2000,
	GRE_SEQUENCE = 0x1000,
};

// A length field: the bytes from "from" to the frame's end.
struct frame_length {
	uint16_t at, from;
};

struct frame {
	struct random *random;
	uint16_t len;
	uint16_t n_lengths;
	struct frame_length lengths[16];
	uint8_t data[FRAME_MAX];
};

void frame_begin(struct frame *frame, struct random *random);
// Add payload, so that the frame has len bytes (a header's worth more than fits is left out), and
// fill in lengths.
void frame_end(struct frame *frame, unsigned int len);

void put_eth(struct frame *frame, uint16_t type);
void put_vlan(struct frame *frame, uint16_t type);
void put_mpls(struct frame *frame, bool bottom);
void put_pppoe(struct frame *frame, uint16_t protocol);
// ihl: words of the header, options included.
void put_ipv4(struct frame *frame, unsigned int ihl, uint8_t protocol);
void put_ipv6(struct frame *frame, uint8_t next);
// size in units of 8 bytes
void put_ipv6_ext(struct frame *frame, uint8_t next, unsigned int size);
void put_udp(struct frame *frame); // to a port without a meaning
void put_udp_to(struct frame *frame, uint16_t port);
void put_tcp(struct frame *frame);
void put_sctp(struct frame *frame);
void put_vxlan(struct frame *frame);
void put_geneve(struct frame *frame, unsigned int n_options, uint16_t type);
void put_gre(struct frame *frame, uint16_t flags, uint16_t type);
void put_l2tpv2(struct frame *frame, bool with_length, uint16_t protocol);

// GTP-U: the fixed header, the optional fields if any flag asks for them, then extension headers,
// the last of which says so.
enum {
	GTPU_SEQUENCE = 2,
	GTPU_EXTENDED = 4,
	GTPU_ECHO = 1,
	GTPU_DATA = 255,
};
void put_gtpu(struct frame *frame, uint8_t flags, uint8_t type, uint8_t next_ext);
void put_gtpu_psc(struct frame *frame, bool uplink, uint8_t next_ext);
// size in words
void put_gtpu_ext(struct frame *frame, unsigned int size, uint8_t next_ext);
#define GTPU_EXT_PSC 0x85
#define GTPU_EXT_OTHER 0xc0

/* Kinds of traffic */

struct kind {
	const char *id, *title;
	const char *group;      // of the table it is in: "one", "mixed"
	unsigned int n_packets; // distinct ones
	// Each packet has a path of its own: too many to be hot, so they are prefetched.
	bool ahead;
	// As ddpctl prints it; NULL where packets differ in it.
	const char *chain;
	// Add the headers of packet i.
	void (*make)(const struct kind *kind, struct frame *frame, unsigned int i);
};

extern const struct kind kinds[];
extern const unsigned int n_kinds;

// NULL: unknown.
const struct kind *kind_find(const char *id);
// Packet i of a kind.
void kind_frame(const struct kind *kind, unsigned int i, struct random *random,
		struct frame *frame);

// Traffic of several kinds: an operator's links.
void n3_make(const struct kind *kind, struct frame *frame, unsigned int i);
// Combinations of headers: 512 of them in turn; a new one for each packet.
void paths_make(const struct kind *kind, struct frame *frame, unsigned int i);
void adversarial_make(const struct kind *kind, struct frame *frame, unsigned int i);

/* Packets of a kind in mbufs, and the order in which they are visited */

#define BURST 32
#define VISITS 65536        // of a round over hot packets
#define LESSONS 8           // so many visits before what learns is measured
#define POOL_PACKETS 200000 // in the pool, at least

struct packets {
	unsigned int n, n_visits, next_visit;
	struct rte_mbuf **mbufs;
	struct rte_mbuf **visits; // n_visits of them, a multiple of BURST
};

// The pool that all packets are from.
struct rte_mempool *packets_pool(void);
// n packets. As many visits as packets visit each once, others choose at random. Exits where memory
// lacks.
void packets_make(struct packets *packets, const struct kind *kind, unsigned int n,
		  unsigned int n_visits);
void packets_free(struct packets *packets);
// Give an mbuf that is nobody else's a frame.
void packet_fill(struct rte_mbuf *mbuf, const struct frame *frame);

#endif
