/* SPDX-License-Identifier: BSD-3-Clause */
// The answer for one packet: packet type, headers, the bytes that are hashed, hash and queue.
//
// Applications, ddpctl and tests get it here. A port's bursts find the same in cache/.
//
//	struct ddp_answer_rss rss = {&hash, reta, 128, rss_hf};
//	struct ddp_answer answer;
//
//	ddp_answer(program, &rss, &packet, &answer);
//	printf("%u bytes hashed to 0x%08x: queue %u\n", answer.input_len, answer.hash,
//	       answer.queue);
//
// Data path, but for the steps: no call allocates, fails or reads outside the packet. Any number of
// threads may use one program and one struct ddp_answer_rss.
#pragma once

#include "classify.h"

struct ddp_arena;
struct ddp_steps;

// A port's hashing and distribution of packets. The caller owns the objects behind the pointers and
// does not change them meanwhile.
struct ddp_answer_rss {
	const struct ddp_hash *hash; // key and hash function
	const uint16_t *reta;        // queues by entry
	uint32_t reta_size;          // entries, a power of two
	uint64_t rss_hf;             // RTE_ETH_RSS_*; 0: RSS is off, nothing is hashed
};

// About 2 KB, of which only what says something about the packet is written: seen beyond n_seen
// and input beyond input_len (padded to 4 bytes) are undefined. Nothing to release.
struct ddp_answer {
	struct ddp_class class; // type id, packet_type of the mbuf, extracted value, status,
				// headers

	uint32_t hash;      // 0 if nothing is hashed
	uint32_t port_hash; // differs from hash only if a flow rule has a key of its own
	uint16_t queue;     // 0 if nothing is hashed
	bool dropped;       // by a flow rule: no queue
	uint8_t function;   // enum ddp_hash_function by which the bytes were gathered and hashed
	uint8_t input_len;  // bytes hashed, 0 to DDP_MAX_INPUT_SIZE; 0: not hashed
	uint8_t input[DDP_MAX_INPUT_SIZE];

	struct ddp_steps *steps; // the explanation; NULL: not requested
};

// All of answer, as a port without flow rules does it.
void ddp_answer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		const struct ddp_packet *packet, struct ddp_answer *answer);

// Like ddp_answer(), for a packet whose class is filled in.
void ddp_answer_steer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		      const struct ddp_packet *packet, struct ddp_answer *answer);

/* Steps: why an answer is what it is */

// A field or number that was read. Texts have no line breaks.
struct ddp_read {
	const char *name;  // "next_ext", "inner.ipv4.src"
	const char *text;  // the value as text: "0xc0", "10.0.0.1", "(not there)"
	const char *value; // the value in JSON: decimal, or an address; NULL: not there
	uint32_t bit;      // of what is hashed or extracted: where, bits from the packet's start
	uint8_t bits;
	bool ahead; // of the bytes behind the header
};

struct ddp_reads {
	struct ddp_read *reads;
	unsigned int n;
};

// Tried in order until one applies: rules of a header, packet types, input sets, table entries.
struct ddp_try {
	const char *what; // target: "gtpu", "ethertype(type)", "stop"; the type; the fields
	const char *when; // its condition, as the profile writes it
	const char *why;  // reason that it applies to this packet or not; "" if it always does
	const struct ddp_place *place; // NULL: not from a file with lines
	bool decides;
	// It does not apply because one field, which is there, has another value; else NULL.
	struct ddp_read *compared;
	const char *wanted; // "0x85 or 0x86"
};

// The fault of a header.
enum ddp_flaw {
	DDP_FLAW_NONE,
	DDP_FLAW_CUT,     // the packet ends inside it
	DDP_FLAW_SHORT,   // its length is less than its own fields take
	DDP_FLAW_INVALID, // 'valid' does not hold; packages: the parse graph has no entry
	DDP_FLAW_AHEAD,   // good itself, but the packet ends before what its rule wants to see
};

// A header that was looked at; of a package, a step of the NIC's parser.
struct ddp_step {
	const char *name;              // header, or the parser's node
	const struct ddp_place *place; // NULL: not from a profile
	uint32_t offset;               // bytes from the packet's start
	uint64_t size;        // bytes, as its length says, or the layout; cut: as far as known
	const char *size_why; // "12 bytes: 8 and 4 for [seq] because s is true (s 1)"
	bool hidden;          // not part of a path
	bool fragment;
	const char *fragment_why;
	enum ddp_flaw flaw;
	const char *flaw_why;
	struct ddp_reads reads; // fields of it that mattered
	struct ddp_try *tries;  // up to the one that decides
	unsigned int n_tries;
	const char *next; // header that follows, NULL: the path ends
};

struct ddp_steps {
	struct ddp_step *steps; // headers found, then the one that was no good, if any
	unsigned int n_steps;
	const struct ddp_packet_type *type; // NULL for none
	const char *path;                   // of the type, as the profile writes it
	struct ddp_try *types; // that have the packet's path, up to the one that applies
	unsigned int n_types;
	struct ddp_try *sets; // input sets of the type, up to the one that applies
	unsigned int n_sets;
	const struct ddp_input_set *set; // that applies, NULL for none
	const char *unhashed;            // reason that none applies; NULL: the type has none
	struct ddp_reads hashed;         // fields of the set, those that the packet has not too
	struct ddp_reads extracted;      // the first is the class's value
	struct ddp_reads parser;         // packages: results of the NIC's parser, such as flags
};

// ddp_answer() with answer->steps, which live as long as arena, program and its profile. Control
// path. 0, or -ENOMEM without steps. Packages: see ddp_personality_answer().
int ddp_answer_steps(const struct ddp_profile *profile, const struct ddp_program *program,
		     const struct ddp_answer_rss *rss, const struct ddp_packet *packet,
		     struct ddp_arena *arena, struct ddp_answer *answer);

// Whether a path ends because no rule of its last header applies to the packet, which class is of.
// Then rule is the first one that looked up a number of that header in a table in vain, and value
// the number; NULL for none. False of packages. Control path, but it allocates nothing.
bool ddp_answer_end(const struct ddp_profile *profile, const struct ddp_program *program,
		    const struct ddp_packet *packet, const struct ddp_class *class,
		    const struct ddp_rule **rule, uint64_t *value);
