/* SPDX-License-Identifier: BSD-3-Clause */
// Ways to classify and hash with one profile: by rss_hf, with each hash function, with flow rules
// that hash, that steer, with both, and what an application wants types to be called.
#ifndef EXACT_POLICY_H
#define EXACT_POLICY_H

#include "classify/cache/cache.h"
#include "classify/flow_book.h"
#include "made_frame.h"
#include "personality/personality.h"

#define N_POLICIES 11

#define NAMES_MAX 5100 // ids that the application may name

struct subject {
	const char *spec;
	struct ddp_personality personality;
	struct ddp_profile *profile; // its
	struct ddp_program *program;
	struct frames frames;
	struct ddp_policy policies[N_POLICIES];
	const char *names[N_POLICIES];
	struct flow_book *books[N_POLICIES]; // of flow rules; NULL: none
	uint32_t salt;                       // of the application's names,
	uint32_t ptypes[NAMES_MAX];          // which are these, by id
	struct ddp_personality other;        // of the last policy
};

// Load a profile ("random:7": one nobody wrote), find packets for it (those that frames has
// already, and more) and make the policies. A profile that is no good ends the program.
void subject_init(struct subject *subject, const char *spec, const struct frames *common,
		  uint64_t seed);
// Free another profile's program, and make it again for a new policy: as a port does whose profile
// is exchanged.
void subject_exchange(struct subject *subject);
// Take some rules of a policy out of force, or put them in force again.
void subject_rules_change(struct subject *subject, unsigned int policy, uint64_t *seed);
void subject_fini(struct subject *subject);

#endif
