/* SPDX-License-Identifier: BSD-3-Clause */
// A profile and ways to classify and hash with it: by rss_hf, with each hash function, with flow
// rules that hash, that steer, with both, and what an application wants types to be called.
#ifndef JUDGE_SUBJECT_H
#define JUDGE_SUBJECT_H

#include "classify/cache/cache.h"
#include "frames.h"
#include "naive_flow.h"
#include "personality/personality.h"

#define N_WAYS 11
#define NAMES_MAX 5100 // ids that the application may name

struct way {
	const char *name;
	struct ddp_policy policy;
	const struct ddp_personality *personality;
	struct flow_book *book; // of flow rules; NULL: none
	struct ddp_flow *rules; // in the book, by index
};

struct subject {
	const char *spec;
	struct ddp_personality personality, other; // other: of the last way
	struct frames frames;
	unsigned int first_case, n_cases; // of frames: the cases of the profile
	struct way ways[N_WAYS];
	uint32_t salt;              // of the application's names,
	uint32_t ptypes[NAMES_MAX]; // which are these, by id
};

// Profiles that no file has: "random:7", one of any number that nobody wrote; "lines:7", one of
// these with headers of any length, or with values that a path cache must not have.
extern const unsigned int n_lines_specs;
// Its text, which the caller frees; NULL: it has a file.
char *subject_text(const char *spec);

// The text of a random profile named t without an error. The caller frees it.
char *profile_draw(uint64_t *seed);

// Load a profile, find packets for it (those that frames has already, those in a capture of the
// profile's name in cases, which may be NULL, and more) and make the ways.
// Ends the program if the profile is no good, or has a packet type that no packet drawn has.
void subject_init(struct subject *subject, const char *spec, const struct frames *common,
		  const char *cases, uint64_t seed);
// Free another profile's program, and make it again for a new way: as a port does whose profile is
// exchanged.
void subject_exchange(struct subject *subject);
// Take some rules of a way out of force, or put them in force again.
void subject_rules_change(struct way *way, uint64_t *seed);
void subject_fini(struct subject *subject);

#endif
