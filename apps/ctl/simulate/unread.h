/* SPDX-License-Identifier: BSD-3-Clause */
// Headers that no profile reads: the number at which most packets of a sample end, such as
// gre.protocol 0x8200, and properties of the bytes behind it, which a new profile may hash.
#ifndef DDPCTL_SIMULATE_UNREAD_H
#define DDPCTL_SIMULATE_UNREAD_H

#include <stdint.h>

#include "common/json_writer.h"
#include "ctl/capture/capture.h"
#include "personality/personality.h"

struct ddp_arena;

struct unread {
	uint64_t packets; // packets of the sample that end there; 0: none
	uint64_t sampled;
	const char *field;      // "gre.protocol 0x8200"
	const char *after;      // as profiles write it: "gre(protocol=0x8200)"
	const char *type;       // packet type, as the profile "all" has it
	uint16_t port;          // UDP port; 0: the number is of a table
	unsigned int n_bytes;   // bytes behind the header that most packets have, at most 64
	unsigned int n_varying; // of n_bytes: differ from packet to packet
	int ip_at;              // offset of an IP header in most packets, -1: none
	uint64_t ip_packets;
};

// all: the profile with the most packet types. The arena owns the result.
void unread_find(struct unread *unread, const struct ddp_personality *all,
		 const struct sample *sample, struct ddp_arena *arena);

// Does a program find IP headers of a tunnel behind unread->port in nearly all packets?
bool unread_is_tunnel(const struct unread *unread, const struct ddp_personality *all,
		      const struct sample *sample, const struct ddp_program *program);

// May a profile that reads the bytes help?
bool unread_is_promising(const struct unread *unread);

// The key "unread" of an object.
void unread_json(const struct unread *unread, struct json_writer *json);

#endif
