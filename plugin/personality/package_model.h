/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/personality: the model of a package's parser as its program has it, and
// 800-series packages as profiles, for loads that may name them.
#pragma once

#include "base/seed.h"
#include "classify/program.h"
#include "e810/e810_rss.h"
#include "personality.h"
#include "profile/loader.h"

#define PACKAGE_TOKENS 1024u // tokens: a power of two, several times DDP_MAX_NODES

struct package_model {
	struct model model; // as the program knows it
	const struct e810_parser *parser;
	const struct e810_rss *rss;
	uint16_t types[E810_N_PTYPES]; // of the program, by the NIC's number
	struct {
		const char *name; // NULL: free
		uint8_t node;
	} tokens[PACKAGE_TOKENS]; // open addressing
};

static inline unsigned int package_token_slot(const char *name) {
	uint32_t sum = ddp_text_hash(DDP_TEXT_HASH, name);

	return (sum ^ sum >> 16) % PACKAGE_TOKENS;
}

// run/package_walk.c
//
// Protocols of the 800 series' parser that its driver has hashed: IPv4 and IPv6, outer and inner,
// TCP, UDP, SCTP. The NIC finds words by them, not by headers: ddp_class.offsets, DDP_WHICH_OFFSET.
extern const uint8_t package_protocols[DDP_OFFSETS];
enum ddp_status package_walk(const struct model *of, const struct ddp_packet *packet,
			     struct ddp_class *class, struct trace *trace);

// package_profile.c
struct package_format {
	struct ddp_profile_format format;
	// Owns the package and its model's parts, if there is one.
	struct ddp_personality *personality;
};

void package_format_init(struct package_format *format, struct ddp_personality *personality);
