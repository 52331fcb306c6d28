/* SPDX-License-Identifier: BSD-3-Clause */
// What the packets of a capture begin with. Profiles begin with Ethernet, so packets of other link
// types get an Ethernet header in place of their own link header: zero addresses and the EtherType
// that the link header or the IP version tells.
#ifndef DDPCTL_CAPTURE_LINK_H
#define DDPCTL_CAPTURE_LINK_H

#include <stdint.h>

#define LINK_ETH_SIZE 14 // bytes by which a frame can be longer than its packet

struct link {
	const char *name;    // "Ethernet"
	int type;            // DLT_*
	uint32_t header_len; // of its header, which the Ethernet header replaces
	// NULL: this is Ethernet already. len is at least header_len.
	uint16_t (*ether_type)(const uint8_t *data, uint32_t len);
};

// NULL: not supported.
const struct link *link_find(int type);

// "RAW", or its number.
const char *link_type_name(int type);

// All that are supported, for messages: "Ethernet, raw IP, ...".
const char *link_names(void);

// Copy a packet as an Ethernet frame. Returns its length: 0 if the packet is too short for its link
// header.
uint32_t link_to_ethernet(const struct link *link, const uint8_t *data, uint32_t len,
			  uint8_t *frame);

#endif
