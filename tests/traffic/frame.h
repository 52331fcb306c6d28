/* SPDX-License-Identifier: BSD-3-Clause */
// From a packet of a flow to the bytes on the wire.
#ifndef TRAFFIC_FRAME_H
#define TRAFFIC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "traffic_options.h"

#define FRAME_MAX 1514 // Ethernet without its checksum
#define FRAME_MIN 60

// Ethernet, VLAN, IPv6, UDP, GTP-U with optional fields, PDU session container.
#define N3_HEADERS_MAX 82

// Of the UE's IP packets.
#define PACKET_SIZE_MIN 36
#define PACKET_SIZE_MAX (FRAME_MAX - N3_HEADERS_MAX)

struct flow;

struct packet {
	enum kind kind;
	const struct flow *flow;
	uint32_t seq;      // of the flow in this kind, from 0
	uint32_t bytes;    // payload sent before it
	uint16_t gtpu_seq; // where the UE's tunnels are sequenced
	uint16_t size;     // of the UE's IP packet, see packet_size()
};

// Bytes of the IP packet: what --sizes says, the same whether seen on N3 or N6, and never too few
// for its headers and the 8 bytes that mark it.
uint16_t packet_size(const struct config *config, enum kind kind, const struct flow *flow,
		     uint32_t seq);

// How many of these are payload of TCP or UDP.
uint16_t packet_payload(const struct packet *packet);

// Returns the frame's length.
size_t frame_build(const struct config *config, const struct packet *packet,
		   uint8_t frame[FRAME_MAX]);

#endif
