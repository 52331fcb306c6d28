/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <assert.h>
#include <string.h>

static uint8_t *frame_add(struct frame *frame, unsigned int len) {
	uint8_t *at = &frame->data[frame->len];

	assert(frame->len + len <= FRAME_MAX);
	memset(at, 0, len);
	frame->len += len;
	return at;
}

static void add8(struct frame *frame, uint8_t value) {
	*frame_add(frame, 1) = value;
}

static void add16(struct frame *frame, uint16_t value) {
	uint8_t *at = frame_add(frame, 2);

	at[0] = value >> 8;
	at[1] = value;
}

static void add32(struct frame *frame, uint32_t value) {
	add16(frame, value >> 16);
	add16(frame, value);
}

static void add_random(struct frame *frame, unsigned int len) {
	uint8_t *at = frame_add(frame, len);

	for (unsigned int i = 0; i < len; i++)
		at[i] = random_next(frame->random);
}

// A length field here, of what follows from "ahead" bytes on (counted from the field's start).
static void add_length(struct frame *frame, int ahead) {
	struct frame_length *length = &frame->lengths[frame->n_lengths++];

	assert(frame->n_lengths <= sizeof(frame->lengths) / sizeof(frame->lengths[0]));
	length->at = frame->len;
	length->from = frame->len + ahead;
	add16(frame, 0);
}

void frame_begin(struct frame *frame, struct random *random) {
	frame->random = random;
	frame->len = 0;
	frame->n_lengths = 0;
}

void frame_end(struct frame *frame, unsigned int len) {
	if (len > frame->len)
		add_random(frame, len - frame->len);
	for (unsigned int i = 0; i < frame->n_lengths; i++) {
		const struct frame_length *length = &frame->lengths[i];

		frame->data[length->at] = (frame->len - length->from) >> 8;
		frame->data[length->at + 1] = frame->len - length->from;
	}
}

void put_eth(struct frame *frame, uint16_t type) {
	for (unsigned int i = 0; i < 2; i++) {
		add8(frame, 2); // locally administered
		add_random(frame, 5);
	}
	add16(frame, type);
}

void put_vlan(struct frame *frame, uint16_t type) {
	add16(frame, random_from(frame->random, 1, 4094));
	add16(frame, type);
}

void put_mpls(struct frame *frame, bool bottom) {
	add32(frame, random_from(frame->random, 16, 0xfffff) << 12 | bottom << 8 | 64);
}

void put_pppoe(struct frame *frame, uint16_t protocol) {
	add16(frame, 0x1100);
	add16(frame, random_from(frame->random, 1, 0xfffe));
	add_length(frame, 2);
	add16(frame, protocol);
}

void put_ipv4(struct frame *frame, unsigned int ihl, uint8_t protocol) {
	add8(frame, 0x40 | ihl);
	add8(frame, 0);
	add_length(frame, -2);
	add_random(frame, 2);
	add16(frame, 0x4000); // don't fragment
	add8(frame, 64);
	add8(frame, protocol);
	add16(frame, 0); // a checksum that nobody looks at
	add_random(frame, 8);
	memset(frame_add(frame, 4 * (ihl - 5)), 1, 4 * (ihl - 5)); // no-operation options
}

void put_ipv6(struct frame *frame, uint8_t next) {
	add32(frame, 0x60000000);
	add_length(frame, 2 + 2 + 32);
	add8(frame, next);
	add8(frame, 64);
	for (unsigned int i = 0; i < 2; i++) {
		add32(frame, 0x20010db8);
		add_random(frame, 12);
	}
}

void put_ipv6_ext(struct frame *frame, uint8_t next, unsigned int size) {
	add8(frame, next);
	add8(frame, size - 1);
	add8(frame, 1); // PadN
	add8(frame, 8 * size - 4);
	frame_add(frame, 8 * size - 4);
}

static void add_ports(struct frame *frame, uint16_t dport) {
	add16(frame, random_from(frame->random, 32768, 60999));
	add16(frame, dport);
}

// Of no tunnel.
static uint16_t port_choose(struct frame *frame) {
	return random_from(frame->random, 20000, 29999);
}

void put_udp(struct frame *frame) {
	put_udp_to(frame, port_choose(frame));
}

void put_udp_to(struct frame *frame, uint16_t port) {
	add_ports(frame, port);
	add_length(frame, -4);
	add16(frame, 0);
}

void put_tcp(struct frame *frame) {
	add_ports(frame, port_choose(frame));
	add_random(frame, 8);
	add16(frame, 0x5010); // ACK
	add16(frame, 0xffff);
	add32(frame, 0);
}

void put_sctp(struct frame *frame) {
	add_ports(frame, port_choose(frame));
	add_random(frame, 8);
}

void put_vxlan(struct frame *frame) {
	add32(frame, 0x08000000);
	add_random(frame, 3);
	add8(frame, 0);
}

void put_geneve(struct frame *frame, unsigned int n_options, uint16_t type) {
	add16(frame, 2 * n_options << 8);
	add16(frame, type);
	add_random(frame, 3);
	add8(frame, 0);
	for (unsigned int i = 0; i < n_options; i++) {
		add32(frame, 0x01020001); // one word of data
		add_random(frame, 4);
	}
}

void put_gre(struct frame *frame, uint16_t flags, uint16_t type) {
	add16(frame, flags);
	add16(frame, type);
	if (flags & GRE_CHECKSUM)
		add32(frame, 0);
	if (flags & GRE_KEY)
		add_random(frame, 4);
	if (flags & GRE_SEQUENCE)
		add_random(frame, 4);
}

void put_l2tpv2(struct frame *frame, bool with_length, uint16_t protocol) {
	add16(frame, with_length ? 0x4002 : 0x0002);
	if (with_length)
		add_length(frame, -2);
	add_random(frame, 4);
	add16(frame, 0xff03); // PPP as in HDLC
	add16(frame, protocol);
}

void put_gtpu(struct frame *frame, uint8_t flags, uint8_t type, uint8_t next_ext) {
	add8(frame, 0x30 | flags);
	add8(frame, type);
	add_length(frame, 2 + 4);
	add_random(frame, 4);
	if (flags == 0)
		return;
	add_random(frame, 2);
	add8(frame, 0);
	add8(frame, next_ext);
}

void put_gtpu_psc(struct frame *frame, bool uplink, uint8_t next_ext) {
	add8(frame, 1);
	add8(frame, uplink << 4);
	add8(frame, random_below(frame->random, 64));
	add8(frame, next_ext);
}

void put_gtpu_ext(struct frame *frame, unsigned int size, uint8_t next_ext) {
	add8(frame, size);
	add_random(frame, 4 * size - 2);
	add8(frame, next_ext);
}
