/* SPDX-License-Identifier: BSD-3-Clause */
#include "moves.h"

#include <stdint.h>

#include "rss/balancer.h"

static bool at_random;
static uint32_t random_state;

static uint32_t random_next(void) {
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

void moves_random(bool random) {
	__atomic_store_n(&at_random, random, __ATOMIC_RELAXED);
}

unsigned int __real_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves);
unsigned int __wrap_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves);

// A queue that is not polled may lose entries, and gets none.
unsigned int __wrap_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves) {
	unsigned int n = __real_ddp_balancer_step(balancer, interval, moves), n_tries, first;

	if (!__atomic_load_n(&at_random, __ATOMIC_RELAXED) || balancer->before == 0)
		return n;
	n = 0;
	n_tries = 1 + random_next() % DDP_BALANCER_MOVES;
	first = random_next();
	for (unsigned int i = 0; i < n_tries; i++) {
		uint16_t entry = (first + i * 37) % balancer->n_entries;
		uint16_t from = interval->reta[entry], to = random_next() % balancer->n_queues;

		if (to != from && interval->usable[to])
			moves[n++] =
				(struct ddp_balancer_move){.entry = entry, .from = from, .to = to};
	}
	return n;
}
