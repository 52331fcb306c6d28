/* SPDX-License-Identifier: BSD-3-Clause */
// Front ends side by side: the answer, as in ddpctl, and a path cache for each instruction
// set and mode. Each is given every burst.
#ifndef JUDGE_FRONTS_H
#define JUDGE_FRONTS_H

#include "bursts.h"
#include "verdict.h"

#define CACHE_MODES 4
#define FRONTS_MAX (1 + DDP_ISA_LEVELS * CACHE_MODES)

struct front {
	struct ddp_cache *cache; // NULL: the answer
	enum ddp_isa isa;
	enum ddp_cache_mode mode;
	uint64_t n_packets;
	struct ddp_cache_stats before; // of times before the cache was initialised again
};

struct fronts {
	struct front list[FRONTS_MAX];
	unsigned int n;
	struct ddp_burst *result;
	const struct front *running; // NULL: none
};

// Caches of one instruction set, or of all that this machine has (DDP_ISA_LEVELS). name: only this
// front end ("answer", or the mode of a cache); NULL: all. False: no memory, or there are none.
bool fronts_init(struct fronts *fronts, enum ddp_isa isa, const char *name);
void fronts_fini(struct fronts *fronts);

// All of them forget.
void fronts_restart(struct fronts *fronts);

// False where one says anything else than the verdicts, with the difference printed.
bool fronts_agree(struct fronts *fronts, const struct way *way, const struct ddp_hash *hash,
		  struct burst *burst, struct verdict *verdicts);

void bytes_print(const struct bytes *packet);
// Print that the one that runs has gone beyond a buffer, at this address.
void fronts_beyond(const struct fronts *fronts, const struct burst *burst, const void *address);

// Packets that were judged.
uint64_t fronts_packets(const struct fronts *fronts);

// Print what each has done. False where that shows that little was tested: few hits, or packets not
// counted.
bool fronts_report(const struct fronts *fronts);

#endif
