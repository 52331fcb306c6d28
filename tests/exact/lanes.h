/* SPDX-License-Identifier: BSD-3-Clause */
// Caches side by side, one for each instruction set and front end. Each is given every burst.
#ifndef EXACT_LANES_H
#define EXACT_LANES_H

#include "mbufs.h"
#include "verdict.h"

#define LANE_MODES 4
#define LANES_MAX (DDP_ISA_LEVELS * LANE_MODES)

struct lane {
	enum ddp_isa isa;
	enum ddp_cache_mode mode;
	struct ddp_cache *cache;
	uint64_t n_packets;
	struct ddp_cache_stats before; // of times before the cache was initialised again
};

struct lanes {
	struct lane list[LANES_MAX];
	unsigned int n;
	struct ddp_burst *result;
	const struct lane *running; // NULL: none
};

// Of one instruction set, or of all that this machine has (DDP_ISA_LEVELS); of one front end, or of
// all (-1). False: no memory, or there are none.
bool lanes_init(struct lanes *lanes, enum ddp_isa isa, int mode);
void lanes_fini(struct lanes *lanes);

// All of them forget.
void lanes_restart(struct lanes *lanes);

// False where one says anything else than the verdicts, with the difference printed.
bool lanes_agree(struct lanes *lanes, const struct ddp_policy *policy, const struct ddp_hash *hash,
		 struct burst *burst, const struct verdict *verdicts);

// Print that the one that runs has gone beyond a buffer, at this address.
void lanes_beyond(const struct lanes *lanes, const struct burst *burst, const void *address);

// Packets that were compared.
uint64_t lanes_packets(const struct lanes *lanes);

// Print what each has done. False where that shows that little was tested: few hits, or packets not
// counted.
bool lanes_report(const struct lanes *lanes);

const char *lane_mode_name(enum ddp_cache_mode mode);

#endif
