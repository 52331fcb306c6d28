/* SPDX-License-Identifier: BSD-3-Clause */
// Model of the 800 series' RSS block: which words of a packet are hashed.
//
// The packages' RSS part is a blank sheet: the driver decides at run time. What is exact here is
// the package's (packet type groups, protocol ids, profiles it holds); the driver's requests and
// their priorities are modelled after DPDK's ice driver, without silicon at hand.
#ifndef DDP_E810_E810_RSS_H
#define DDP_E810_E810_RSS_H

#include "e810_parser.h"

struct e810_rss;

// A word of the field vector, in the order in which it enters the hash.
struct e810_word {
	uint8_t protocol;
	uint16_t offset; // bytes from the start of that protocol's header
	uint8_t index;   // in the field vector, 23 first
};

#define E810_WORDS 24

// The driver's requests for a set of RTE_ETH_RSS_* bits: in DPDK's order, all for outer headers.
struct e810_rss *e810_rss_create(const struct e810_parser *parser, uint64_t rss_hf,
				 struct ddp_diag *diag);
void e810_rss_destroy(struct e810_rss *rss);

uint8_t e810_rss_group(const struct e810_rss *rss, uint16_t ptype); // PTG

// The request that decides for a packet type with these RSS block flags: its name for people ("IPv4
// addresses and UDP ports"), or NULL where none does (nothing is hashed): no request is for its
// group, or an entry of the package comes first, as for packets with a tunnel's OAM bit.
const char *e810_rss_request(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags);
// Its words. Returns how many, 0 for not hashed.
unsigned int e810_rss_words(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags,
			    struct e810_word words[E810_WORDS]);

// A request that decides for packets of a type without RSS block flags, if rss_hf has its bit and
// not that of a newer one.
struct e810_choice {
	uint64_t rss_hf;
	unsigned int n;
	struct e810_word words[E810_WORDS];
};
// The nth of them, the newest first, whatever rss_hf the block has. false: there are not as many.
bool e810_rss_choice(const struct e810_rss *rss, uint16_t ptype, unsigned int nth,
		     struct e810_choice *choice);

// A word as a field: "ipv4.src[0:2]", "udp.dport", "gtpu.teid[2:4]". Never NULL; buf holds it.
#define E810_WORD_NAME 48
const char *e810_word_name(uint8_t protocol, uint16_t offset, char buf[E810_WORD_NAME]);

#endif
