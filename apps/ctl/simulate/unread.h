/* SPDX-License-Identifier: BSD-3-Clause */
// Headers that no profile reads: the number behind which most packets of a sample end, such as
// gre.protocol 0x8200, and what the bytes behind it are like. A profile that reads them may spread
// the packets.
#ifndef DDPCTL_SIMULATE_UNREAD_H
#define DDPCTL_SIMULATE_UNREAD_H

#include <stdint.h>

#include "common/json_writer.h"
#include "ctl/capture/capture.h"
#include "personality/personality.h"

struct ddp_arena;

struct unread {
	uint64_t packets; // of the sample that end there; 0: nothing is unread
	uint64_t sampled;
	const char *field;      // "gre.protocol 0x8200"
	const char *after;      // as profiles write it: "gre(protocol=0x8200)"
	const char *type;       // packet type, as the profile "all" has it
	uint16_t port;          // of UDP; 0: the number is of a table
	unsigned int n_bytes;   // behind the header, that most packets have, at most 64
	unsigned int n_varying; // of them differ from packet to packet
	int ip_at;              // where an IP header begins in most packets, -1: nowhere
	uint64_t ip_packets;
};

// all: the profile that knows most packets. The arena owns the result.
void unread_find(struct unread *unread, const struct ddp_personality *all,
		 const struct sample *sample, struct ddp_arena *arena);

// Whether a program reads what is behind unread->port as a tunnel: it finds an IP header with the
// length that the packets leave in nearly all of them.
bool unread_is_tunnel(const struct unread *unread, const struct ddp_personality *all,
		      const struct sample *sample, const struct ddp_program *program);

// Whether a profile that reads this is worth trying.
bool unread_is_promising(const struct unread *unread);

// The key "unread" of an object.
void unread_json(const struct unread *unread, struct json_writer *json);

#endif
