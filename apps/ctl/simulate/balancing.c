/* SPDX-License-Identifier: BSD-3-Clause */
#include "balancing.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/output.h"
#include "rss/rebalance.h"

#define FEW_PACKETS 64 // a queue, on average: fewer are uneven by chance

#define END_INTERVALS 50 // until nothing moves any more

struct replay {
	const struct spread *spread;
	unsigned int n_queues, n_entries;
	uint16_t fixed[DDP_RETA_SIZE], table[DDP_RETA_SIZE];
	struct ddp_rebalance rebalance;
	uint32_t packets[DDP_RETA_SIZE];
	uint32_t bounds[DDP_RETA_SIZE]; // intervals in which an entry was the bound
	double shares[DDP_RETA_SIZE];   // sum of its shares then
	struct balancing_move *moves;
	unsigned int n_moves, n_room;
};

static double imbalance(const struct replay *replay, const uint16_t *table, const uint64_t *loads) {
	uint64_t queues[STEER_QUEUES_MAX] = {0};

	for (unsigned int i = 0; i < replay->n_entries; i++)
		queues[table[i]] += loads[i];
	for (unsigned int q = 0; q < replay->n_queues; q++)
		queues[q] += loads[replay->n_entries + q];
	return ddp_imbalance(queues, replay->n_queues);
}

static void move_add(struct replay *replay, unsigned int interval,
		     const struct ddp_rebalance_move *move) {
	if (replay->n_moves == replay->n_room) {
		replay->n_room = replay->n_room > 0 ? 2 * replay->n_room : 64;
		replay->moves = realloc(replay->moves, replay->n_room * sizeof(*replay->moves));
		if (replay->moves == NULL)
			no_memory_exit();
	}
	replay->moves[replay->n_moves++] =
		(struct balancing_move){interval, move->entry, move->from, move->to};
	replay->table[move->entry] = move->to;
}

// Decide as the driver does at the end of an interval. Returns the number of moves.
static unsigned int interval_end(struct replay *replay, unsigned int number,
				 const uint64_t *loads) {
	struct ddp_rebalance_move moves[DDP_REBALANCE_MOVES];
	const struct ddp_rebalance_interval interval = {
		.reta = replay->table,
		.packets = replay->packets,
		.others = &loads[replay->n_entries],
	};
	unsigned int n;

	for (unsigned int i = 0; i < replay->n_entries; i++)
		replay->packets[i] = loads[i];
	n = ddp_rebalance_step(&replay->rebalance, &interval, moves);
	for (unsigned int i = 0; i < n; i++)
		move_add(replay, number, &moves[i]);
	if (replay->rebalance.bound_entry != DDP_REBALANCE_NONE) {
		replay->bounds[replay->rebalance.bound_entry]++;
		replay->shares[replay->rebalance.bound_entry] += replay->rebalance.bound_share;
	}
	return n;
}

static void interval_do(struct replay *replay, struct balancing *balancing, unsigned int number,
			struct balancing_interval *interval) {
	const uint64_t *loads = windows_queues(&replay->spread->loads, number);
	const bool begun = replay->n_moves > 0;

	for (unsigned int i = 0; i < replay->n_entries + replay->n_queues; i++)
		interval->packets += loads[i];
	interval->fixed = imbalance(replay, replay->fixed, loads);
	interval->balanced = imbalance(replay, replay->table, loads);
	interval->n_moves = interval_end(replay, number, loads);
	balancing->fixed += interval->fixed * interval->packets;
	balancing->balanced += interval->balanced * interval->packets;
	if (interval->packets < FEW_PACKETS * (uint64_t)replay->n_queues)
		return;
	if (interval->fixed > balancing->fixed_worst)
		balancing->fixed_worst = interval->fixed;
	if (begun && interval->balanced > balancing->balanced_worst)
		balancing->balanced_worst = interval->balanced;
}

static void bound_find(const struct replay *replay, struct balancing *balancing) {
	balancing->bound_entry = -1;
	for (unsigned int i = 0; i < replay->n_entries; i++) {
		if (replay->bounds[i] <= balancing->n_intervals / 2)
			continue;
		balancing->bound_entry = i;
		balancing->bound_share = replay->shares[i] / replay->bounds[i];
	}
}

void balancing_make(struct balancing *balancing, const struct spread *spread,
		    struct ddp_arena *arena) {
	static struct replay replay;
	const unsigned int n = spread->loads.n;
	struct balancing_interval *intervals = ddp_arena_alloc(arena, (n + 1) * sizeof(*intervals));
	struct balancing_move *moves;
	uint64_t packets = 0;

	memset(balancing, 0, sizeof(*balancing));
	memset(&replay, 0, sizeof(replay));
	replay.spread = spread;
	replay.n_queues = spread->steer->config.n_queues;
	replay.n_entries = spread->steer->config.reta_size;
	memcpy(replay.fixed, spread->steer->reta, replay.n_entries * sizeof(replay.fixed[0]));
	memcpy(replay.table, replay.fixed, sizeof(replay.table));
	ddp_rebalance_init(&replay.rebalance, replay.n_entries, replay.n_queues);
	balancing->interval_ns = spread->loads.length_ns;
	balancing->n_intervals = n;
	for (unsigned int i = 0; i < n; i++) {
		interval_do(&replay, balancing, i, &intervals[i]);
		packets += intervals[i].packets;
	}
	balancing->fixed /= packets > 0 ? packets : 1;
	balancing->balanced /= packets > 0 ? packets : 1;
	bound_find(&replay, balancing);
	moves = ddp_arena_alloc(arena, (replay.n_moves + 1) * sizeof(*moves));
	if (replay.n_moves > 0)
		memcpy(moves, replay.moves, replay.n_moves * sizeof(*moves));
	free(replay.moves);
	balancing->intervals = intervals;
	balancing->moves = moves;
	balancing->n_moves = replay.n_moves;
}

double balancing_end(const struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	static struct replay replay;
	uint64_t loads[DDP_RETA_SIZE + STEER_QUEUES_MAX];

	if (config->reta_size > DDP_RETA_SIZE || config->n_queues > DDP_REBALANCE_QUEUES)
		return 0;
	memset(&replay, 0, sizeof(replay));
	replay.spread = spread;
	replay.n_queues = config->n_queues;
	replay.n_entries = config->reta_size;
	memcpy(replay.table, spread->steer->reta, config->reta_size * sizeof(replay.table[0]));
	memcpy(loads, spread->entry_packets, config->reta_size * sizeof(loads[0]));
	for (unsigned int q = 0; q < config->n_queues; q++)
		loads[config->reta_size + q] = spread->ruled[q];
	loads[config->reta_size] += spread->unhashed;
	ddp_rebalance_init(&replay.rebalance, config->reta_size, config->n_queues);
	for (unsigned int i = 0; i < END_INTERVALS; i++)
		interval_end(&replay, i, loads);
	free(replay.moves);
	return imbalance(&replay, replay.table, loads);
}
