/* SPDX-License-Identifier: BSD-3-Clause */
// What an interval was like: packets, and what they cost the queues.
#include "balancer.h"

#define BURSTS_MS 1600  // bursts that are older hardly count
#define CHANCE 4        // squared: what is not two standard deviations from none may be chance
#define LEAST (1 / 64.) // of the time is the packets'

static double larger(double a, double b) {
	return a > b ? a : b;
}

// The bursts since the last call, and those since long before in all.
static struct ddp_balancer_bursts bursts_add(struct ddp_balancer_bursts *all,
					     const struct ddp_balancer_queue *now,
					     const struct ddp_balancer_queue *last, double keep) {
	struct ddp_balancer_bursts new = {
		.n = now->bursts - last->bursts,
		.packets = now->packets - last->packets,
		.cycles = now->cycles - last->cycles,
	};

	if (new.n == 0)
		return new;
	new.packets_2 = now->packets_2 - last->packets_2 - new.packets *new.packets / new.n;
	new.cycles_2 = now->cycles_2 - last->cycles_2 - new.cycles *new.cycles / new.n;
	new.products = now->products - last->products - new.packets *new.cycles / new.n;
	all->n = all->n * keep + new.n;
	all->packets = all->packets * keep + new.packets;
	all->cycles = all->cycles * keep + new.cycles;
	all->packets_2 = all->packets_2 * keep + new.packets_2;
	all->cycles_2 = all->cycles_2 * keep + new.cycles_2;
	all->products = all->products * keep + new.products;
	return new;
}

// The cycles of a burst that are the same whatever its size.
static double bursts_fixed(const struct ddp_balancer_bursts *bursts) {
	double slope, fixed, variance;

	if (bursts->packets_2 <= 0)
		return 0;
	slope = bursts->products / bursts->packets_2;
	fixed = bursts->cycles - slope * bursts->packets;
	variance = (bursts->cycles_2 - slope * bursts->products) / bursts->packets_2 / bursts->n *
		   bursts->packets * bursts->packets;
	if (fixed <= 0 || fixed * fixed <= CHANCE * variance)
		return 0;
	return (fixed - CHANCE * larger(variance, 0) / fixed) / bursts->n;
}

static void costs_find(struct ddp_balancer *balancer, unsigned int ms,
		       const struct ddp_balancer_queue *queues, double *costs) {
	const double keep = ms < BURSTS_MS ? 1 - (double)ms / BURSTS_MS : 0;
	struct {
		double packets, cycles, fixed;
	} threads[DDP_BALANCER_THREADS] = {0}, *thread;

	for (unsigned int i = 0; i < balancer->n_queues; i++) {
		struct ddp_balancer_bursts *bursts = &balancer->bursts[i];
		struct ddp_balancer_bursts new =
			bursts_add(bursts, &queues[i], &balancer->last.queues[i], keep);

		thread = &threads[queues[i].thread];
		thread->packets += new.packets;
		thread->cycles += new.cycles;
		thread->fixed += bursts_fixed(bursts) * new.n;
	}
	for (unsigned int i = 0; i < balancer->n_queues; i++) {
		thread = &threads[queues[i].thread];
		costs[i] = thread->packets == 0 ?
				   0 :
				   larger(thread->cycles - thread->fixed, thread->cycles * LEAST) /
					   thread->packets;
	}
}

bool ddp_balancer_measure(struct ddp_balancer *balancer, unsigned int ms,
			  const struct ddp_balancer_counters *now,
			  struct ddp_balancer_interval *interval) {
	const bool whole = balancer->fresh;

	for (unsigned int i = 0; i < balancer->n_entries; i++)
		balancer->measured.packets[i] = now->entries[i] - balancer->last.entries[i];
	for (unsigned int q = 0; q < balancer->n_queues; q++) {
		const struct ddp_balancer_queue *queue = &now->queues[q];
		const struct ddp_balancer_queue *last = &balancer->last.queues[q];

		balancer->measured.delivered[q] = queue->delivered - last->delivered;
		balancer->measured.usable[q] = queue->started && queue->polls != last->polls;
	}
	costs_find(balancer, ms, now->queues, balancer->measured.costs);
	*interval = (struct ddp_balancer_interval){
		.packets = balancer->measured.packets,
		.delivered = balancer->measured.delivered,
		.taken = now->taken - balancer->last.taken,
		.costs = balancer->measured.costs,
		.usable = balancer->measured.usable,
	};
	balancer->last = *now;
	balancer->fresh = true;
	return whole;
}
