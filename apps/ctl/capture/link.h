/* SPDX-License-Identifier: BSD-3-Clause */
// What the packets of a capture begin with. Profiles begin with Ethernet, so packets of other links get an
// Ethernet header made up, in the place of their link's own header: zero addresses and the EtherType that the
// link's header or the IP version says.
#ifndef DDPCTL_CAPTURE_LINK_H
#define DDPCTL_CAPTURE_LINK_H

#include <stdint.h>

#define LINK_ETH_SIZE 14 // bytes that must be writable in front of a packet's data

struct capture_packet {
	const uint8_t *data; // a frame; a few bytes behind it may be read, too
	uint32_t len;        // bytes of it
	uint32_t wire_len;   // what it had before it was cut short
	uint64_t time_ns;    // since 1970; 0 where the capture does not say
	const struct link *link;
};

struct link {
	const char *name;  // "Ethernet"
	int dlt;           // libpcap's number, DLT_*
	uint16_t types[4]; // numbers in files, LINKTYPE_*, as far as they are others; 0 ends them
	uint32_t header;   // bytes of its header, which the Ethernet header replaces
	// The EtherType; NULL: this is Ethernet already. len is at least header.
	uint16_t (*ether_type)(const uint8_t *data, uint32_t len);
};

// By a number of libpcap's or of a file's. NULL: profiles have no use for it.
const struct link *link_find(int type);

// "RAW", or its number.
const char *link_type_name(int type);

// All that are known, for messages: "Ethernet, raw IP, ...".
const char *link_names(void);

// Make the packet begin with Ethernet. A packet that is too short for its link's header becomes empty.
void link_to_ethernet(struct capture_packet *packet);

#endif
