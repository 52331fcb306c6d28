/* SPDX-License-Identifier: BSD-3-Clause */
// Advice from a simulation of all candidates: the best one, the reasons, and the commands to use
// it. Imbalance is the median of many RSS keys, not that of one key. If candidates differ less than
// the keys do, the profile with more own packet types in the traffic is preferred.
#ifndef DDPCTL_SIMULATE_ADVICE_H
#define DDPCTL_SIMULATE_ADVICE_H

#include "common/strbuf.h"
#include "simulation.h"

/* Headers that no profile reads: the number at which most packets of a sample end, such as
 * gre.protocol 0x8200, and properties of the bytes behind it, which a new profile may hash */

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

/* Advice */

enum verdict {
	ADVICE_TAKE,          // a candidate is clearly better than a fixed-function NIC
	ADVICE_BALANCE,       // no candidate is better, but load-aware RSS helps
	ADVICE_NONE_NEEDED,   // the fixed-function NIC does well
	ADVICE_NOTHING_HELPS, // neither candidates nor load-aware RSS help
	ADVICE_UNREAD,        // nothing helps, but a new profile could
	ADVICE_TOO_FEW,       // nothing helps, but there are too few packets to be sure
	ADVICE_NO_PACKETS,
};

extern const char *const verdict_names[]; // "take", "balance", "none needed", ...

#define REASONS_MAX 8     // reasons
#define ADVICE_COMMANDS 4 // commands

struct advice_command {
	const char *key;  // for JSON
	const char *what; // for text output
	const char *text;
};

struct advice {
	// set by the caller
	const struct simulation *simulation;
	const char *const *argv; // "ddpctl", "advise" and the rest of the command line, then NULL
	struct unread unread;
	int n_named; // candidates of --with, the first ones of the simulation

	struct strbuf text; // buffer of the sentence that is being written
	enum verdict verdict;
	const struct outcome *best; // the fixed-function NIC unless ADVICE_TAKE
	const struct outcome *base; // the fixed-function NIC
	bool balance;               // load-aware RSS makes the best one clearly better
	// Most even first, without candidates that a simpler one replaces unless they are named.
	// The first n_equal are equal but for chance.
	const struct outcome **ranking;
	unsigned int n_ranking, n_equal;
	const char *headline;
	const char *reasons[REASONS_MAX];
	unsigned int n_reasons;
	struct advice_command commands[ADVICE_COMMANDS];
	unsigned int n_commands;
};

// The imbalance by which candidates are compared.
static inline double outcome_score(const struct outcome *outcome) {
	return outcome->keys.n > 0 ? outcome->keys.plain.median : outcome->imbalance;
}

// All pointers of advice belong to the simulation or its arena.
void advice_make(struct advice *advice);

#endif
