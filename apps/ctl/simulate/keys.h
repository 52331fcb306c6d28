/* SPDX-License-Identifier: BSD-3-Clause */
// How even a candidate is with many RSS keys: with one key it may be lucky.
//
// A Toeplitz hash is a linear map of its input, drawn by the key. Inputs are long, and hashes of a
// run are known. So each tried key hashes the 4 bytes of these: another linear map, under which two
// inputs meet as often as under another key, and which keeps together what the key of the run does
// (both directions of a flow with a symmetric key or function).
#ifndef DDPCTL_SIMULATE_KEYS_H
#define DDPCTL_SIMULATE_KEYS_H

#include <stdint.h>

#include "ctl/steer/steer.h"
#include "flows.h"

#define KEYS 128         // tried: so many that medians differ little by chance
#define KEYS_BALANCED 32 // of these also with load-aware RSS, which takes longer

// Of what some keys give.
struct key_range {
	double median, low, high; // the 10th and the 90th percentile
};

struct key_spread {
	unsigned int n; // keys; 0: not judged
	struct key_range plain;
	unsigned int n_balanced;   // keys; 0: net_ddp cannot have this
	struct key_range balanced; // by load-aware RSS, if each interval is like the whole capture
};

// groups: packets by their hash. others: packets by queue that the table does not
// place. n_hashed: packets that it does. The keys are the same for every capture. Without memory
// the process ends.
void keys_judge(struct key_spread *judged, const struct steer *steer, const struct flows *groups,
		uint64_t n_hashed, const uint64_t *others);

#endif
