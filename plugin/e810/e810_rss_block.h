/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/e810: the RSS block as e810_rss.c makes it and run/e810_words.c reads it.
#ifndef DDP_E810_E810_RSS_BLOCK_H
#define DDP_E810_E810_RSS_BLOCK_H

#include "e810_rss.h"

#define N_GROUPS 256
#define N_REQUESTS 14
#define FIELD_VECTOR (4 * E810_WORDS)

enum ip {
	IP_V4,
	IP_V6,
};

enum l4 {
	L4_NONE,
	L4_UDP,
	L4_TCP,
	L4_SCTP,
};

struct request {
	uint64_t rss_hf;
	enum ip ip;
	enum l4 l4;
	bool pppoe;
	const char *name;
};

// An entry of the package's own in the profile TCAM.
struct own_entry {
	uint16_t address;
	uint8_t value[5], care[5]; // flags, group, group of VSIs
	uint8_t profile;
};

struct e810_rss {
	const struct e810_parser *parser;
	const struct request *requests;        // all N_REQUESTS, in order
	uint8_t groups[E810_N_PTYPES];         // by ptype
	uint16_t applicable[N_GROUPS];         // by group: bit r for request r
	const struct request *asked[N_GROUPS]; // by group: the newest one that rss_hf has
	const char *group_names[N_GROUPS];
	char unlabelled[N_GROUPS][sizeof("PTG_255")];
	struct own_entry *own; // that look at flags, by address: they come before the requests
	unsigned int n_own;
	const uint8_t *vectors; // of the package, by profile
	unsigned int n_vectors;
	uint8_t redirection[256];
};

#endif
