/* SPDX-License-Identifier: BSD-3-Clause */
#include "balancing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"

#define IDLE_MAX 4096       // idle intervals in a row with a decision each
#define STEADY_INTERVALS 50 // intervals: limit until nothing moves
#define STEADY_QUIET 12     // intervals without a move: longer than the driver delays small moves
#define BOUND_SHARE 0.1     // of the intervals: a bound of fewer is not reported

struct balancer {
	const struct steer *steer;
	unsigned int n_entries, n_queues;
	unsigned int n_kept;
	uint64_t start_ns;
	uint64_t number; // of the current interval
	uint64_t end_ns; // end of the current interval, since start_ns
	uint32_t counts[DDP_RETA_SIZE + DDP_BALANCER_QUEUES]; // its packets, by slot
	uint16_t table[DDP_RETA_SIZE];
	struct ddp_balancer decisions;
	struct {
		uint32_t n;   // intervals in which the entry was the bound
		double share; // sum of its shares in them
		uint64_t packets;
	} bounds[DDP_RETA_SIZE]; // by entry
	uint64_t packets;        // in all intervals
	struct balancing result;
};

bool balancing_is_possible(const struct steer_config *config) {
	return config->reta_size <= DDP_RETA_SIZE && config->n_queues <= DDP_BALANCER_QUEUES;
}

/* An interval's end */

static void queues_sum(const struct balancer *balancer, const uint16_t *table,
		       uint64_t queues[DDP_BALANCER_QUEUES]) {
	for (unsigned int q = 0; q < balancer->n_queues; q++)
		queues[q] = balancer->counts[balancer->n_entries + q];
	for (unsigned int i = 0; i < balancer->n_entries; i++)
		queues[table[i]] += balancer->counts[i];
}

static double imbalance(const struct balancer *balancer, const uint16_t *table) {
	uint64_t queues[DDP_BALANCER_QUEUES];

	queues_sum(balancer, table, queues);
	return ddp_imbalance(queues, balancer->n_queues);
}

static void move_make(struct balancer *balancer, const struct ddp_balancer_move *move) {
	struct balancing *result = &balancer->result;
	const unsigned int n = result->n_moves_kept;

	assert(move->entry < balancer->n_entries && move->to < balancer->n_queues);
	balancer->table[move->entry] = move->to;
	result->n_moves++;
	if (n >= balancer->n_kept)
		return;
	result->moves = grow_or_exit(result->moves, n, sizeof(*result->moves));
	result->moves[n] = *move;
	result->moves[n].when = balancer->number;
	result->n_moves_kept++;
}

static void interval_keep(struct balancer *balancer, const struct balancing_interval *interval) {
	struct balancing *result = &balancer->result;
	const unsigned int n = result->n_intervals_kept;

	if (n >= balancer->n_kept || n != balancer->number)
		return; // none is kept after a gap
	result->intervals = grow_or_exit(result->intervals, n, sizeof(*result->intervals));
	result->intervals[n] = *interval;
	result->n_intervals_kept++;
}

// With fewer packets, imbalance and the loads of entries are mostly chance.
static bool is_loaded(const struct balancer *balancer, uint64_t packets) {
	return packets >= BALANCING_FEW * (uint64_t)balancer->n_queues;
}

// Decide as the driver does. Returns the number of moves.
static unsigned int decide(struct balancer *balancer, uint64_t packets) {
	struct ddp_balancer *decisions = &balancer->decisions;
	struct ddp_balancer_move moves[DDP_BALANCER_MOVES];
	uint64_t queues[DDP_BALANCER_QUEUES];
	const struct ddp_balancer_interval interval = {
		.reta = balancer->table,
		.packets = balancer->counts,
		.delivered = queues,
		.taken = packets,
	};
	const uint16_t *bound = &decisions->bound_entry;
	unsigned int n;

	queues_sum(balancer, balancer->table, queues);
	n = ddp_balancer_step(decisions, &interval, moves);
	for (unsigned int i = 0; i < n; i++)
		move_make(balancer, &moves[i]);
	if (is_loaded(balancer, packets) && *bound != DDP_BALANCER_NONE) {
		balancer->result.n_bound++;
		balancer->bounds[*bound].n++;
		balancer->bounds[*bound].share += decisions->bound_share;
		balancer->bounds[*bound].packets += balancer->counts[*bound];
	}
	return n;
}

static void sum_up(struct balancer *balancer, const struct balancing_interval *interval,
		   bool moved_before) {
	struct balancing *result = &balancer->result;

	balancer->packets += interval->packets;
	result->n_busy += interval->packets > 0;
	result->fixed += interval->fixed * interval->packets;
	result->balanced += interval->balanced * interval->packets;
	result->after += interval->after * interval->packets;
	if (!is_loaded(balancer, interval->packets))
		return;
	result->n_loaded++;
	result->fixed_worst = fmax(result->fixed_worst, interval->fixed);
	result->after_worst = fmax(result->after_worst, interval->after);
	if (moved_before)
		result->balanced_worst = fmax(result->balanced_worst, interval->balanced);
}

static void interval_begin(struct balancer *balancer, uint64_t number) {
	const uint64_t length = balancer->result.interval_ns;

	balancer->number = number;
	balancer->end_ns = number < UINT64_MAX / length ? (number + 1) * length : UINT64_MAX;
	memset(balancer->counts, 0, sizeof(balancer->counts));
}

static void interval_end(struct balancer *balancer) {
	const bool moved_before = balancer->result.n_moves > 0;
	struct balancing_interval interval = {0};

	for (unsigned int i = 0; i < balancer->n_entries + balancer->n_queues; i++)
		interval.packets += balancer->counts[i];
	if (interval.packets > 0) {
		interval.fixed = imbalance(balancer, balancer->steer->reta);
		interval.balanced = imbalance(balancer, balancer->table);
	}
	interval.n_moves = decide(balancer, interval.packets);
	interval.after =
		interval.n_moves > 0 ? imbalance(balancer, balancer->table) : interval.balanced;
	sum_up(balancer, &interval, moved_before);
	interval_keep(balancer, &interval);
}

// End all intervals before this time. After IDLE_MAX idle ones decisions no longer change.
static void intervals_pass(struct balancer *balancer, uint64_t since_ns) {
	const uint64_t number = since_ns / balancer->result.interval_ns;

	for (unsigned int i = 0; i <= IDLE_MAX && balancer->number < number; i++) {
		interval_end(balancer);
		interval_begin(balancer, balancer->number + 1);
	}
	if (balancer->number < number)
		interval_begin(balancer, number);
}

/* The balancer */

struct balancer *balancer_create(const struct steer *steer, uint64_t start_ns, uint64_t interval_ns,
				 unsigned int n_kept) {
	struct balancer *balancer = calloc_or_exit(1, sizeof(*balancer));

	assert(balancing_is_possible(&steer->config) && interval_ns > 0);
	balancer->steer = steer;
	balancer->n_entries = steer->config.reta_size;
	balancer->n_queues = steer->config.n_queues;
	balancer->n_kept = n_kept;
	balancer->start_ns = start_ns;
	balancer->result.interval_ns = interval_ns;
	balancer->result.bound_entry = -1;
	memcpy(balancer->table, steer->reta, balancer->n_entries * sizeof(balancer->table[0]));
	ddp_balancer_init(&balancer->decisions, balancer->n_entries, balancer->n_queues);
	interval_begin(balancer, 0);
	return balancer;
}

void balancer_destroy(struct balancer *balancer) {
	if (balancer == NULL)
		return;
	free(balancer->result.intervals);
	free(balancer->result.moves);
	free(balancer);
}

void balancer_count(struct balancer *balancer, const uint16_t *slots,
		    const struct capture_packet *packets, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		uint64_t time_ns = packets[i].time_ns;
		uint64_t since_ns = time_ns > balancer->start_ns ? time_ns - balancer->start_ns : 0;

		if (since_ns >= balancer->end_ns)
			intervals_pass(balancer, since_ns);
		if (slots[i] == STEER_SLOT_NONE)
			continue;
		assert(slots[i] < balancer->n_entries + balancer->n_queues);
		balancer->counts[slots[i]]++;
	}
}

static void bound_find(struct balancer *balancer) {
	struct balancing *result = &balancer->result;
	unsigned int most = 0;

	if (result->n_bound < BOUND_SHARE * result->n_loaded)
		return;
	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		if (balancer->bounds[i].n <= most)
			continue;
		most = balancer->bounds[i].n;
		result->bound_entry = i;
		result->bound_share = balancer->bounds[i].share / most;
		result->bound_packets = balancer->bounds[i].packets;
	}
}

struct balancing *balancer_end(struct balancer *balancer) {
	struct balancing *result = &balancer->result;

	interval_end(balancer);
	result->n_intervals = balancer->number + 1;
	result->move_rate = result->n_moves * 1e9 / result->n_intervals / result->interval_ns;
	if (balancer->packets > 0) {
		result->fixed /= balancer->packets;
		result->balanced /= balancer->packets;
		result->after /= balancer->packets;
	}
	bound_find(balancer);
	return result;
}

double balancing_steady(const struct steer *steer, const uint64_t *entries,
			const uint64_t *others) {
	struct balancer *balancer = balancer_create(steer, 0, 1, 0);
	const unsigned int n = balancer->n_entries;
	unsigned int shift = 0;
	uint64_t all = 0;
	double result;

	for (unsigned int i = 0; i < n; i++)
		all += entries[i];
	while (all >> shift > UINT32_MAX)
		shift++;
	for (unsigned int i = 0; i < n; i++)
		balancer->counts[i] = entries[i] >> shift;
	for (unsigned int q = 0; q < balancer->n_queues; q++)
		balancer->counts[n + q] = others[q] >> shift;
	for (unsigned int i = 0; i < STEADY_INTERVALS && balancer->decisions.n_quiet < STEADY_QUIET;
	     i++)
		interval_end(balancer);
	result = imbalance(balancer, balancer->table);
	balancer_destroy(balancer);
	return result;
}
