/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: compiled flow rules.
#ifndef DDP_CLASSIFY_FLOW_FLOW_SET_H
#define DDP_CLASSIFY_FLOW_FLOW_SET_H

#include "classify/program.h"
#include "flow.h"

// One value that a group's packets are looked up by.
struct flow_key {
	struct prog_ref ref;
	uint64_t mask_hi, mask_lo;
};

struct flow_slot {
	int32_t rule;    // -1: empty
	uint32_t values; // index of its key's first number in the set's values
};

// Rules with the same path that look at the same places: one of them matches at most.
struct flow_group {
	enum ddp_flow_stage stage;
	bool ends;
	int32_t last; // the last of its rules in the list
	struct prog_cond guards;
	uint32_t first_key, n_keys;
	uint32_t first_slot;
	unsigned int shift; // 64 - log2 of the number of slots
};

// A path, and the groups it leads to.
struct flow_path {
	uint32_t first_group, n_groups;
};

struct ddp_flow_set {
	struct ddp_arena *arena;
	// The program with the fields, conditions and inputs of the rules behind its own, so that
	// whatever reads the one can read the other.
	struct ddp_program view;
	struct automaton automaton; // accepts paths
	struct flow_path *paths;
	unsigned int n_paths;
	struct flow_path any; // no header asked for: every packet
	struct flow_group *groups;
	unsigned int n_groups;
	struct flow_key *keys;
	unsigned int n_keys;
	struct flow_slot *slots;
	unsigned int n_slots;
	uint64_t *values; // (hi, lo) for each key, rule by rule
	unsigned int n_values;
	struct prog_set *inputs; // by rule
};

static inline uint64_t flow_hash(uint64_t hash, uint64_t hi, uint64_t lo) {
	hash = (hash ^ hi) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	hash = (hash ^ lo) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return hash ^ hash >> 29;
}

#endif
