/* SPDX-License-Identifier: BSD-3-Clause */
// Packets put together from headers, so that a table of them can be read.
//
//	const struct piece packet[] = {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), END};
#ifndef PACKET_H
#define PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX 2048 // bytes

struct piece {
	const uint8_t *bytes; // NULL behind the last one
	unsigned int size;
};

#define PIECE(...) \
	{ (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}) }
#define END \
	{ NULL, 0 }

#define BE16(n) (uint8_t)((n) >> 8), (uint8_t)(n)
#define BE32(n) BE16((n) >> 16), BE16(n)
#define ZEROS4 0, 0, 0, 0
#define ZEROS8 ZEROS4, ZEROS4

// Addresses of a base station and the UPF on N3, of a user's device and a host in the network.
#define GNB 192, 0, 2, 1
#define UPF 192, 0, 2, 100
#define UE 10, 1, 2, 3
#define NET 198, 51, 100, 7
#define GNB6 0x20, 0x01, 0x0d, 0xb9, ZEROS8, 0, 0, 0, 1
#define UPF6 0x20, 0x01, 0x0d, 0xb9, ZEROS8, 0, 0, 0, 2
#define UE6 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0x77, 1, 2, 3, 4, 5, 6, 7, 8
#define NET6 0x26, 0x06, 0x47, 0x00, ZEROS8, 0, 0, 0, 0x2a
#define TEID 0x11223344

#define ETH(type) PIECE(2, 0, 0, 0, 0, 0xdd, 2, 0, 0, 0, 0, 0x55, BE16(type))
#define VLAN(vid, type) PIECE(BE16(vid), BE16(type))
#define ARP(src, dst) PIECE(0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, src, 0, 0, 0, 0, 0, 0, dst)

// ...: source, destination, and options if there are any.
#define IPV4_AS(version_ihl, frag, protocol, ...) \
	PIECE(version_ihl, 0, 0, 0, 0x12, 0x34, BE16(frag), 64, protocol, 0, 0, __VA_ARGS__)
#define IPV4(protocol, ...) IPV4_AS(0x45, 0, protocol, __VA_ARGS__)
#define IPV4_OPTIONS(protocol, ...) IPV4_AS(0x47, 0, protocol, __VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 0)
#define MF 0x2000 // of frag: more fragments; the rest is the offset in 8 bytes

#define IPV6_AS(version, next, ...) PIECE(version, 0, 0, 0, 0, 0, next, 64, __VA_ARGS__)
#define IPV6(next, ...) IPV6_AS(0x60, next, __VA_ARGS__)
#define EXT8(next) PIECE(next, 0, 1, 4, 0, 0, 0, 0)
#define EXT16(next) PIECE(next, 1, 1, 12, ZEROS4, ZEROS8)
#define FRAG6(next, off, mf) PIECE(next, 0, BE16((off) << 3 | (mf)), BE32(0x55667788))

#define UDP(sport, dport) PIECE(BE16(sport), BE16(dport), 0, 0, 0, 0)
// ...: the urgent pointer, and options if there are any.
#define TCP_AS(sport, dport, data_offset, ...)                                              \
	PIECE(BE16(sport), BE16(dport), ZEROS8, (data_offset) << 4, 0x10, 0xff, 0xff, 0, 0, \
	      __VA_ARGS__)
#define TCP(sport, dport) TCP_AS(sport, dport, 5, 0, 0)
#define SCTP(sport, dport) PIECE(BE16(sport), BE16(dport), ZEROS8)
#define ICMP PIECE(8, 0, 0, 0, ZEROS4)
#define ICMP6 PIECE(128, 0, 0, 0)
#define IGMP PIECE(0x16, 0, 0, 0, 224, 0, 0, 5)

// flags: version and PT are 0x30; E 4, S 2, PN 1: one of these brings four more bytes.
#define GTPU(flags, type) PIECE(flags, type, 0, 0, BE32(TEID))
#define GTPU_OPT(flags, type, next) PIECE(flags, type, 0, 0, BE32(TEID), 0, 7, 0, next)
#define DOWNLINK 0
#define UPLINK 1
#define PSC(pdu_type, qfi, next) PIECE(1, (pdu_type) << 4, qfi, next)
#define PSC8(pdu_type, qfi, next) PIECE(2, (pdu_type) << 4, qfi, 1, 2, 3, 4, next)
#define GTPU_EXT(next) PIECE(1, 0xaa, 0xbb, next)

#define DATA PIECE(0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee)

// Put the pieces one behind the other. Returns the packet's length.
static inline unsigned int packet_build(const struct piece *pieces, uint8_t bytes[PACKET_MAX]) {
	unsigned int len = 0;

	for (; pieces->bytes != NULL; pieces++)
		for (unsigned int i = 0; i < pieces->size; i++)
			bytes[len++] = pieces->bytes[i];
	return len;
}

#endif
