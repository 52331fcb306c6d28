/* SPDX-License-Identifier: BSD-3-Clause */
// Frames, put together header by header from the outside in. What says how a flow differs from
// another (addresses, ports, labels, session ids) is random; what says which header follows is
// given.
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

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

#endif
