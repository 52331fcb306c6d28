/* SPDX-License-Identifier: BSD-3-Clause */
#include "seed.h"

#include <sys/random.h>
#include <time.h>

void ddp_seed_draw(struct ddp_seed *seed) {
	struct timespec now;

	if (getrandom(seed, sizeof(*seed), GRND_NONBLOCK) == (ssize_t)sizeof(*seed))
		return;
	// Old kernels and sandboxes refuse it. Senders do not know time and stack either.
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed->start =
		((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec) * UINT64_C(0x9e3779b97f4a7c15);
	seed->factor = (seed->start ^ (uintptr_t)&now) * UINT64_C(0xc2b2ae3d27d4eb4f);
}
