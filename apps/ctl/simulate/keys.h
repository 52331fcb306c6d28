/* SPDX-License-Identifier: BSD-3-Clause */
// How even a candidate is with many RSS keys: with one key it may be lucky.
//
// A Toeplitz hash is linear: what a nibble of the input adds to it depends on nothing else. So a
// row of a table has what one nibble adds under all keys, and the hashes of an input under all of
// them are the XOR of a few rows. Each different input is hashed once, with the number of its
// packets.
//
//	inputs_keep(&inputs, key, input, len);     // of each new group of packets
//	keys_judge(&judged, &steer, &groups, &inputs, n_hashed, others);
#ifndef DDPCTL_SIMULATE_KEYS_H
#define DDPCTL_SIMULATE_KEYS_H

#include <stdint.h>

#include "ctl/profile/steer.h"
#include "flows.h"

#define KEYS 128          // tried: so many that medians differ little by chance
#define KEYS_BALANCED 32  // of these also with load-aware RSS, which takes longer
#define INPUTS_MAX 65536U // kept of a candidate

// What was hashed of each group, one after another: key, length, bytes.
struct inputs {
	uint32_t n;
	size_t used, room;
	uint8_t *bytes;
};

// Of what some keys give.
struct key_range {
	double median, low, high; // the 10th and the 90th percentile
};

struct key_spread {
	unsigned int n; // keys; 0: not judged
	double imbalances[KEYS];
	struct key_range plain;
	unsigned int n_balanced;   // keys; 0: net_ddp cannot have this
	struct key_range balanced; // by load-aware RSS, if each interval is like the whole capture
};

// Here and below, without memory the process ends.
void inputs_keep(struct inputs *inputs, uint64_t key, const uint8_t *input, unsigned int len);
void inputs_fini(struct inputs *inputs);

// groups: packets by key, as shard_key() makes it of a hash. others: packets by queue that the
// table does not place. n_hashed: packets that it does.
void keys_judge(struct key_spread *judged, const struct steer *steer, const struct flows *groups,
		const struct inputs *inputs, uint64_t n_hashed, const uint64_t *others);

// With how many keys a is more even than b.
unsigned int keys_won(const struct key_spread *a, const struct key_spread *b);

// Key number i of those that are tried, the same for every capture. A key whose 16 bits repeat, by
// which both directions of a flow have one hash, is tried beside others of this kind.
void keys_draw(unsigned int i, const uint8_t given[DDP_KEY_SIZE], uint8_t key[DDP_KEY_SIZE]);

#endif
