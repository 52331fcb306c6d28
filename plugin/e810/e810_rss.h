/* SPDX-License-Identifier: BSD-3-Clause */
// Model of the 800 series' RSS block: the hashed words of a packet.
//
// The driver fills most of the block at run time. The package's part of the model is exact (packet
// type groups, protocol ids, its profiles); requests and their priorities follow DPDK's ice driver,
// and were not compared with a NIC.
#pragma once

#include "e810_parser.h"

struct e810_rss;

// A word of the field vector. Words are in the order of hashing.
struct e810_word {
	uint8_t protocol;
	uint16_t offset; // bytes from the start of the header
	uint8_t index;   // in the field vector, in descending order
};

#define E810_WORDS 24 // words of 16 bits

// Create the block with the driver's requests for RTE_ETH_RSS_* bits: in DPDK's order, all for
// outer headers.
struct e810_rss *e810_rss_create(const struct e810_parser *parser, uint64_t rss_hf,
				 struct ddp_diag *diag);
void e810_rss_destroy(struct e810_rss *rss);

uint8_t e810_rss_group(const struct e810_rss *rss, uint16_t ptype); // PTG

// The name of the deciding request for a packet type with these RSS block flags ("IPv4 addresses
// and UDP ports"). NULL: none, so nothing is hashed, because no request is for its group, or an
// entry of the package precedes them, as for tunnels with the OAM bit.
const char *e810_rss_request(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags);
// The words of the deciding request. Returns their number, 0: not hashed.
unsigned int e810_rss_words(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags,
			    struct e810_word words[E810_WORDS]);

// A request that decides for packets of a type without RSS block flags, if rss_hf has its bit and
// no bit of a newer request.
struct e810_choice {
	uint64_t rss_hf;
	unsigned int n;
	struct e810_word words[E810_WORDS];
};
// The nth of them, the newest first, for any rss_hf of the block. false: none.
bool e810_rss_choice(const struct e810_rss *rss, uint16_t ptype, unsigned int nth,
		     struct e810_choice *choice);

// A word as a field: "ipv4.src[0:2]", "udp.dport", "gtpu.teid[2:4]". Never NULL; buf holds it.
#define E810_WORD_NAME 48
const char *e810_word_name(uint8_t protocol, uint16_t offset, char buf[E810_WORD_NAME]);
