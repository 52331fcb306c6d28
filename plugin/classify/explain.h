/* SPDX-License-Identifier: BSD-3-Clause */
// Why a packet was classified as it was.
//
// The walk notes nothing for this. The answers are found afterwards: the rules of each header are
// asked again, with the interpreter's own code, so that they cannot tell another story than
// ddp_classify(). Names and places come from the profile that the program was built from: header i
// of the profile is node i of the program, and its rules, groups and sets have the same order.
// Control path.
//
//	ddp_explain_init(&explain, profile, program, &packet);
//	for (unsigned int i = 0; i < explain.n_steps; i++) {
//		ddp_explain_step(&explain, i, &step);
//		printf("%u: %s\n", step.seen->off, step.header->name);
//	}
#ifndef DDP_CLASSIFY_EXPLAIN_H
#define DDP_CLASSIFY_EXPLAIN_H

#include "classify.h"
#include "profile/profile.h"

struct ddp_explain {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	struct ddp_packet packet; // no longer than a walk looks
	struct ddp_class class;
	unsigned int
		n_steps; // headers looked at: those found, then the one that was no good, if any
};

// What is wrong with a header.
enum ddp_flaw {
	DDP_FLAW_NONE,
	DDP_FLAW_CUT,     // the packet ends inside it
	DDP_FLAW_SHORT,   // its length is less than its own fields take
	DDP_FLAW_INVALID, // 'valid' does not hold
	DDP_FLAW_AHEAD,   // good itself, but the packet ends before what its rule wants to see
};

// A header that was looked at.
struct ddp_step {
	const struct ddp_header *header;
	const struct ddp_seen *seen;
	enum ddp_flaw flaw;
	uint64_t size;        // as its length says, or the layout; cut: as far as that is known
	uint32_t fields_size; // what its own fields take
	uint32_t left;        // bytes of the packet from its start
	int rule;             // that decided or, with DDP_FLAW_AHEAD, could not; -1: none applied
	const struct ddp_table_entry *entry; // by which, where that rule asks a table
	int next;                            // header that follows, -1: the path ends
};

// A condition of the profile.
enum ddp_asked {
	DDP_ASKED_RULE,  // of a header: whether a rule applies
	DDP_ASKED_GROUP, // whether optional fields are there
	DDP_ASKED_VALID,
	DDP_ASKED_FRAGMENT,
	DDP_ASKED_TYPE, // 'when' of a packet type
	DDP_ASKED_SET,  // of an input set of a packet type
};

struct ddp_question {
	enum ddp_asked asked;
	unsigned int at;    // step; packet type
	unsigned int index; // which rule, group or set
};

#define DDP_EXPLAIN_TYPE UINT32_MAX // not from a header: as packet types see it

// Classify packet, whose bytes must outlive the explanation.
void ddp_explain_init(struct ddp_explain *explain, const struct ddp_profile *profile,
		      const struct ddp_program *program, const struct ddp_packet *packet);

void ddp_explain_step(const struct ddp_explain *explain, unsigned int at, struct ddp_step *step);

const struct ddp_cond *ddp_explain_cond(const struct ddp_explain *explain,
					const struct ddp_question *question);
bool ddp_explain_holds(const struct ddp_explain *explain, const struct ddp_question *question);
// The same for one of the condition's matches.
bool ddp_explain_match(const struct ddp_explain *explain, const struct ddp_question *question,
		       unsigned int match);

// The value of a field, up to 128 bits.
struct ddp_value {
	uint64_t hi, lo;
	uint32_t bit; // where it begins, bits from the packet's start; only as packet types see it
	bool beyond;  // not there because the packet ends before
};

// As step at sees it. false: the packet has no such field.

bool ddp_explain_field(const struct ddp_explain *explain, unsigned int at,
		       const struct ddp_ref *ref, struct ddp_value *value);

// Packet types that have the packet's path too and are asked before the one it got. Returns their
// number.
unsigned int ddp_explain_rivals(const struct ddp_explain *explain, uint16_t *types,
				unsigned int max);

// The input set that applies, as ddp_input_gather() chooses it: index in the packet type's sets, or
// -1.
int ddp_explain_set(const struct ddp_explain *explain, uint64_t rss_hf);

#endif
