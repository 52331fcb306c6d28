/* SPDX-License-Identifier: BSD-3-Clause */
// The search is local: the most loaded queue gives an entry to the least loaded one, or exchanges
// entries with another, while that brings the larger of both loads down by enough. Of an entry
// that alone is more than a queue's even share the neighbours leave; its queue then counts no more,
// and the others are made even among themselves.
#include "balancer.h"

#include <assert.h>

#define TOLERANCE 0.02   // of the mean: queues that are closer to it are even
#define LEVEL_MOST 8     // intervals in a mean
#define VARIANCE_SPAN 16 // intervals in a mean of variances
#define JUMP 16          // variances: a level 4 standard deviations off is a new one
#define CERTAIN 36       // variances: a queue is relieved if it is 6 standard deviations off
#define LIKELY 9         // variances: a move's gain is 3 standard deviations or more
#define QUIET 10         // intervals without a move before moves of a smaller gain
#define FAILED_MOST 32   // queues that could not be relieved before the search ends
#define QUIET_MOVES 8    // moves of smaller gain, at most

#define BURSTS_MS 1600  // ms: older bursts hardly count
#define CHANCE 4        // variances: a gain below 2 standard deviations may be chance
#define LEAST (1 / 64.) // of the time: the packets' smallest share

static double larger(double a, double b) {
	return a > b ? a : b;
}

void ddp_balancer_init(struct ddp_balancer *balancer, uint16_t n_entries, uint16_t n_queues) {
	const size_t first = offsetof(struct ddp_balancer, n_entries);

	assert(n_entries <= DDP_RETA_SIZE && n_queues <= DDP_BALANCER_QUEUES);
	memset((char *)balancer + first, 0, sizeof(*balancer) - first);
	balancer->n_entries = n_entries;
	balancer->n_queues = n_queues;
	balancer->span = LEVEL_MOST;
	balancer->bound_entry = DDP_BALANCER_NONE;
}

static void level_begin(struct ddp_balancer_level *level, double value, double chance) {
	level->mean = value;
	level->variance = larger(level->variance, chance);
	level->n = 1;
	level->error = 0;
}

// chance: the least variance that the value can have. span: intervals in the mean, at most. Returns
// the variance that the error could be expected to have.
static double level_follow(struct ddp_balancer_level *level, double value, double chance,
			   double span) {
	double error = value - level->mean, spread, expected;

	level->variance = larger(level->variance, chance);
	if (level->n == 0) {
		level_begin(level, value, chance);
		return level->variance;
	}
	spread = 1 + 1 / level->n;
	expected = level->variance * spread;
	// A value that is far off begins another mean and says nothing of the variance, unless the
	// last one was far off to the other side: then both are how this value varies.
	if (error * error > JUMP * expected) {
		const int8_t jump = error > 0 ? 1 : -1;

		if (jump == -level->jump)
			level->variance *= 2;
		level_begin(level, value, chance);
		level->jump = jump;
		return expected;
	}
	level->n = level->n + 1 < span ? level->n + 1 : span;
	level->mean += error / level->n;
	level->error = error;
	level->jump = 0;
	level->variance += (error * error / spread - level->variance) / VARIANCE_SPAN;
	level->variance = larger(level->variance, chance);
	return expected;
}

static double packets_follow(struct ddp_balancer_level *level, double packets, double span) {
	return level_follow(level, packets, larger(larger(packets, level->mean), 1), span);
}

// Errors with the sign of those an interval before show that means follow traffic too slowly,
// errors of the other sign that they follow too quickly. (In a Kalman filter with the right gain
// they are independent.)
static void entries_follow(struct ddp_balancer *balancer, const uint32_t *packets) {
	double together = 0, all = 0;

	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		struct ddp_balancer_level *level = &balancer->packets[i];
		double last = level->error;
		double expected = packets_follow(level, packets[i], balancer->span);

		if (last != 0 && level->error != 0) {
			together += last * level->error / expected;
			all += level->error * level->error / expected;
		}
	}
	if (all == 0)
		return;
	balancer->span *= 1 - larger(-1, together < all ? together / all : 1) / 2;
	balancer->span = larger(balancer->span, 1);
	balancer->span = balancer->span < LEVEL_MOST ? balancer->span : LEVEL_MOST;
}

// An excess that is too small to be certain in one entry may be certain in the sum of a queue: then
// all of it begins again. Traffic that grows as a whole does that.
static void queues_catch_up(struct ddp_balancer *balancer,
			    const struct ddp_balancer_interval *interval) {
	double errors[DDP_BALANCER_QUEUES] = {0}, variances[DDP_BALANCER_QUEUES] = {0};

	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		const struct ddp_balancer_level *level = &balancer->packets[i];

		errors[interval->reta[i]] += interval->packets[i] - level->mean;
		variances[interval->reta[i]] += level->variance;
	}
	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		unsigned int q = interval->reta[i];

		if (errors[q] * errors[q] > JUMP * variances[q])
			level_begin(&balancer->packets[i], interval->packets[i], 1);
	}
}

static double costs_mean(const struct ddp_balancer *balancer) {
	double sum = 0;
	unsigned int n = 0;

	for (unsigned int q = 0; q < balancer->n_queues; q++) {
		if (balancer->costs[q].n > 0) {
			sum += balancer->costs[q].mean;
			n++;
		}
	}
	return n > 0 ? sum / n : 1;
}

// Packets that rules steer, or without hash, are what queues delivered beyond their entries'.
static void others_find(const struct ddp_balancer *balancer,
			const struct ddp_balancer_interval *interval,
			uint64_t others[DDP_BALANCER_QUEUES]) {
	uint64_t placed = 0, all, sum = 0;

	for (unsigned int i = 0; i < balancer->n_entries; i++)
		placed += interval->packets[i];
	all = interval->taken > placed ? interval->taken - placed : 0;
	if (all < interval->taken / 64)
		return;
	memcpy(others, interval->delivered, balancer->n_queues * sizeof(*others));
	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		uint64_t *queue = &others[interval->reta[i]];

		*queue -= *queue < interval->packets[i] ? *queue : interval->packets[i];
	}
	for (unsigned int q = 0; q < balancer->n_queues; q++)
		sum += others[q];
	for (unsigned int q = 0; q < balancer->n_queues; q++)
		others[q] = others[q] * all / (sum > 0 ? sum : 1);
}

static void observe(struct ddp_balancer *balancer, const struct ddp_balancer_interval *interval) {
	uint64_t others[DDP_BALANCER_QUEUES] = {0};

	if (interval->delivered != NULL)
		others_find(balancer, interval, others);
	entries_follow(balancer, interval->packets);
	for (unsigned int q = 0; q < balancer->n_queues; q++) {
		if (interval->delivered != NULL)
			packets_follow(&balancer->others[q], others[q], balancer->span);
		if (interval->costs != NULL && interval->costs[q] > 0)
			level_follow(&balancer->costs[q], interval->costs[q],
				     1e-5 * interval->costs[q] * interval->costs[q], LEVEL_MOST);
	}
	queues_catch_up(balancer, interval);
}

// The queues as they would be with the moves so far.
struct plan {
	struct ddp_balancer *balancer;
	const bool *usable;
	double loads[DDP_BALANCER_QUEUES];
	double variances[DDP_BALANCER_QUEUES];
	double total;
	unsigned int n_counted;         // queues that are usable or loaded
	bool done[DDP_BALANCER_QUEUES]; // nothing of it can move with a gain
	uint16_t first[DDP_BALANCER_QUEUES], next[DDP_RETA_SIZE]; // entries, largest first
	double noise[DDP_RETA_SIZE];                              // variance of loads
	bool moved[DDP_RETA_SIZE];
	struct ddp_balancer_move *moves;
	unsigned int n_moves;
};

static bool plan_may_get(const struct plan *plan, unsigned int q) {
	return (plan->usable == NULL || plan->usable[q]) && !plan->done[q];
}

static void entries_sort_by(uint16_t *to, const uint16_t *from, unsigned int n,
			    const uint32_t *keys, unsigned int shift) {
	unsigned int ends[257] = {0};

	for (unsigned int i = 0; i < n; i++)
		ends[(keys[i] >> shift & 255) + 1]++;
	for (unsigned int byte = 0; byte < 256; byte++)
		ends[byte + 1] += ends[byte];
	for (unsigned int i = 0; i < n; i++)
		to[ends[keys[from[i]] >> shift & 255]++] = from[i];
}

// Entries by load, smallest first. Floats that are not negative have the order of their bits, and
// radix sort has no branch that a CPU could guess wrong: it takes a third of the time of Shell's.
static void entries_sort(uint16_t *entries, unsigned int n, const double *loads) {
	uint16_t other[DDP_RETA_SIZE];
	uint32_t keys[DDP_RETA_SIZE];

	for (unsigned int i = 0; i < n; i++) {
		float load = loads[i];

		memcpy(&keys[i], &load, sizeof(keys[i]));
		entries[i] = i;
	}
	for (unsigned int shift = 0; shift < 32; shift += 16) {
		entries_sort_by(other, entries, n, keys, shift);
		entries_sort_by(entries, other, n, keys, shift + 8);
	}
}

static void plan_init(struct plan *plan, struct ddp_balancer *balancer,
		      const struct ddp_balancer_interval *interval) {
	double mean_cost = costs_mean(balancer);

	memset(plan, 0, sizeof(*plan));
	plan->balancer = balancer;
	plan->usable = interval->usable;
	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		const struct ddp_balancer_level *level = &balancer->packets[i];
		unsigned int q = interval->reta[i];
		double cost = balancer->costs[q].n > 0 ? balancer->costs[q].mean : mean_cost;

		balancer->loads[i] = level->mean * cost;
		plan->noise[i] = level->variance / level->n * cost * cost;
		plan->loads[q] += balancer->loads[i];
		plan->variances[q] += plan->noise[i];
	}
	for (unsigned int q = 0; q < balancer->n_queues; q++) {
		const struct ddp_balancer_level *others = &balancer->others[q];
		const struct ddp_balancer_level *cost = &balancer->costs[q];
		double each = cost->n > 0 ? cost->mean : mean_cost;

		if (others->n > 0) {
			plan->loads[q] += others->mean * each;
			plan->variances[q] += others->variance / others->n * each * each;
		}
		if (cost->n > 0) {
			double relative = plan->loads[q] / cost->mean;

			plan->variances[q] += relative * relative * cost->variance / cost->n;
		}
		plan->total += plan->loads[q];
		plan->n_counted += plan->usable == NULL || plan->usable[q] || plan->loads[q] > 0;
	}
}

static void plan_list_entries(struct plan *plan, const uint16_t *reta) {
	uint16_t entries[DDP_RETA_SIZE];
	unsigned int n = plan->balancer->n_entries;

	entries_sort(entries, n, plan->balancer->loads);
	memset(plan->first, 0xff, sizeof(plan->first));
	for (unsigned int i = 0; i < n; i++) {
		plan->next[entries[i]] = plan->first[reta[entries[i]]];
		plan->first[reta[entries[i]]] = entries[i];
	}
}

static double plan_imbalance(const struct plan *plan) {
	double most = 0;

	for (unsigned int q = 0; q < plan->balancer->n_queues; q++)
		most = larger(most, plan->loads[q]);
	return most * plan->n_counted / plan->total;
}

static void plan_move(struct plan *plan, uint16_t entry, uint16_t from, uint16_t to) {
	const double *loads = plan->balancer->loads;
	double load = loads[entry], mean = plan->total / plan->n_counted;
	uint16_t *at = &plan->first[from];

	assert(plan->n_moves < DDP_BALANCER_MOVES);
	plan->moves[plan->n_moves++] = (struct ddp_balancer_move){
		.entry = entry,
		.from = from,
		.to = to,
		.share = load / plan->total,
		.from_load = plan->loads[from] / mean,
		.to_load = plan->loads[to] / mean,
		.round = plan->balancer->rounds,
	};
	while (*at != entry)
		at = &plan->next[*at];
	*at = plan->next[entry];
	at = &plan->first[to];
	while (*at != DDP_BALANCER_NONE && loads[*at] > load)
		at = &plan->next[*at];
	plan->next[entry] = *at;
	*at = entry;
	plan->loads[from] -= load;
	plan->loads[to] += load;
	plan->variances[from] -= plan->noise[entry];
	plan->variances[to] += plan->noise[entry];
	plan->moved[entry] = true;
}

// One move, or two that exchange entries.
struct step {
	double most;          // the larger of both loads after it
	uint16_t entry, back; // back: DDP_BALANCER_NONE for one move
	uint16_t to;
};

static int hottest(const struct plan *plan) {
	int hot = -1;

	for (unsigned int q = 0; q < plan->balancer->n_queues; q++)
		if (!plan->done[q] && (hot < 0 || plan->loads[q] > plan->loads[hot]))
			hot = q;
	return hot;
}

static int coldest(const struct plan *plan, unsigned int but) {
	int cold = -1;

	for (unsigned int q = 0; q < plan->balancer->n_queues; q++)
		if (q != but && plan_may_get(plan, q) &&
		    (cold < 0 || plan->loads[q] < plan->loads[cold]))
			cold = q;
	return cold;
}

static void step_offer(struct step *best, double most, uint16_t entry, uint16_t back, uint16_t to) {
	if (most < best->most)
		*best = (struct step){.most = most, .entry = entry, .back = back, .to = to};
}

// Both lists are sorted, so as one entry gets smaller its best counterpart does, too.
static void step_exchange(const struct plan *plan, unsigned int hot, unsigned int cold,
			  struct step *best) {
	const double *loads = plan->balancer->loads;
	double aim = (plan->loads[hot] - plan->loads[cold]) / 2;
	uint16_t back = plan->first[cold];

	for (uint16_t i = plan->first[hot]; i != DDP_BALANCER_NONE; i = plan->next[i]) {
		if (plan->moved[i])
			continue;
		for (; back != DDP_BALANCER_NONE; back = plan->next[back]) {
			double more = loads[i] - loads[back];

			if (plan->moved[back])
				continue;
			step_offer(best, larger(plan->loads[hot] - more, plan->loads[cold] + more),
				   i, back, cold);
			if (more > aim)
				break;
		}
	}
}

static double plan_mean(const struct plan *plan) {
	double sum = 0;
	unsigned int n = 0;

	for (unsigned int q = 0; q < plan->balancer->n_queues; q++) {
		if (!plan->done[q]) {
			sum += plan->loads[q];
			n += plan->usable == NULL || plan->usable[q] || plan->loads[q] > 0;
		}
	}
	return n > 0 ? sum / n : 0;
}

static bool is_beyond(double value, double variance, double times) {
	return value > 0 && value * value > times * variance;
}

// Are both gains of a step more than chance: of the hot queue, and of the other against it?
static bool step_is_certain(const struct plan *plan, unsigned int hot, const struct step *step) {
	const double *loads = plan->balancer->loads;
	double moved = loads[step->entry], noise = plan->noise[step->entry];

	if (step->back != DDP_BALANCER_NONE) {
		moved -= loads[step->back];
		noise += plan->noise[step->back];
	}
	return is_beyond(moved, noise, LIKELY) &&
	       is_beyond(plan->loads[hot] - plan->loads[step->to] - moved,
			 plan->variances[hot] + plan->variances[step->to], LIKELY);
}

// Relieve the queue by one step. False if there is none that is worth it.
static bool relieve(struct plan *plan, unsigned int hot, double mean, unsigned int n_left) {
	const double *loads = plan->balancer->loads;
	double load = plan->loads[hot], least; // gain that is worth a move
	int cold = coldest(plan, hot);
	struct step best = {.most = load};
	struct step both;

	if (cold < 0 || plan->first[hot] == DDP_BALANCER_NONE)
		return false;
	// Entries beside one that is too much for their queue lose packets, so there each gain is.
	if (loads[plan->first[hot]] > plan->total / plan->n_counted)
		least = 0;
	else
		least = mean *
			(load - mean > 2 * TOLERANCE * mean ? TOLERANCE / 16 : TOLERANCE / 4);
	for (uint16_t i = plan->first[hot]; i != DDP_BALANCER_NONE; i = plan->next[i])
		if (!plan->moved[i])
			step_offer(&best, larger(load - loads[i], plan->loads[cold] + loads[i]), i,
				   DDP_BALANCER_NONE, cold);
	if (load - best.most < least && n_left >= 2 && plan_may_get(plan, hot)) {
		both.most = load - 2 * least;
		for (unsigned int q = 0; q < plan->balancer->n_queues; q++)
			if (q != hot && plan_may_get(plan, q) &&
			    (load + plan->loads[q]) / 2 < both.most) // as good as it can be
				step_exchange(plan, hot, q, &both);
		if (both.most < load - 2 * least)
			best = both;
	}
	if (best.most == load || load - best.most < least || !step_is_certain(plan, hot, &best))
		return false;
	plan_move(plan, best.entry, hot, best.to);
	if (best.back != DDP_BALANCER_NONE)
		plan_move(plan, best.back, best.to, hot);
	return true;
}

// The queue that has surely too much, and the mean that it is compared with; -1: there is none.
static int overloaded(const struct plan *plan, double *mean) {
	const bool fine = plan->n_moves > 0 || plan->balancer->n_quiet >= QUIET;
	int hot = hottest(plan);
	double excess;

	if (hot < 0)
		return -1;
	*mean = plan_mean(plan);
	excess = plan->loads[hot] - *mean;
	return excess > *mean * (fine ? TOLERANCE / 4 : TOLERANCE) &&
			       is_beyond(excess, plan->variances[hot], CERTAIN) ?
		       hot :
		       -1;
}

static void plan_search(struct plan *plan, const uint16_t *reta) {
	unsigned int most_moves = DDP_BALANCER_MOVES, n_failed = 0;
	double mean;
	int hot = overloaded(plan, &mean);

	if (hot < 0)
		return;
	plan_list_entries(plan, reta);
	if (plan->loads[hot] - mean <= TOLERANCE * mean)
		most_moves = QUIET_MOVES;
	for (; hot >= 0 && plan->n_moves < most_moves; hot = overloaded(plan, &mean)) {
		uint16_t second = DDP_BALANCER_NONE;

		if (relieve(plan, hot, mean, most_moves - plan->n_moves))
			continue;
		plan->done[hot] = true;
		if (plan->first[hot] != DDP_BALANCER_NONE)
			second = plan->next[plan->first[hot]];
		if (second != DDP_BALANCER_NONE && plan->balancer->loads[second] != 0 &&
		    ++n_failed == FAILED_MOST)
			return;
	}
}

static void bound_find(struct plan *plan) {
	struct ddp_balancer *balancer = plan->balancer;
	double most = plan->total / plan->n_counted;

	balancer->bound_entry = DDP_BALANCER_NONE;
	balancer->bound_share = 0;
	for (unsigned int i = 0; i < balancer->n_entries; i++) {
		if (balancer->loads[i] > most) {
			most = balancer->loads[i];
			balancer->bound_entry = i;
			balancer->bound_share = most / plan->total;
		}
	}
}

unsigned int ddp_balancer_step(struct ddp_balancer *balancer,
			       const struct ddp_balancer_interval *interval,
			       struct ddp_balancer_move moves[DDP_BALANCER_MOVES]) {
	struct plan plan;

	observe(balancer, interval);
	plan_init(&plan, balancer, interval);
	balancer->rounds++;
	balancer->before = balancer->after = 0;
	balancer->bound_entry = DDP_BALANCER_NONE;
	balancer->bound_share = 0;
	if (plan.total <= 0)
		return 0;
	plan.moves = moves;
	bound_find(&plan);
	balancer->before = plan_imbalance(&plan);
	plan_search(&plan, interval->reta);
	balancer->after = plan_imbalance(&plan);
	balancer->n_quiet = plan.n_moves > 0 ? 0 : balancer->n_quiet + 1;
	// A packet may have another cost on a queue once other flows are there.
	for (unsigned int i = 0; i < plan.n_moves; i++) {
		balancer->costs[moves[i].from].n = 0;
		balancer->costs[moves[i].to].n = 0;
	}
	return plan.n_moves;
}

void ddp_balancer_keep(struct ddp_balancer *balancer, const struct ddp_balancer_move *moves,
		       unsigned int n, uint64_t when) {
	for (unsigned int i = 0; i < n; i++) {
		struct ddp_balancer_move *move =
			&balancer->moves[balancer->n_moves++ % DDP_BALANCER_LAST];

		*move = moves[i];
		move->when = when;
	}
	if (balancer->before == 0) // no packet
		return;
	balancer->worst = larger(balancer->worst, balancer->before);
	balancer->past[balancer->n_past++ % DDP_BALANCER_LAST] = (struct ddp_balancer_past){
		.round = balancer->rounds,
		.before = balancer->before,
		.after = n > 0 ? balancer->after : balancer->before,
		.n_moves = n,
	};
}

/* Measurements of an interval: packets, and their cost by queue */

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

// The cycles of a burst that do not depend on its size.
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

		assert(queues[i].thread < DDP_BALANCER_THREADS);
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

double ddp_imbalance(const uint64_t *loads, unsigned int n) {
	uint64_t most = 0;
	double sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum += loads[i];
		if (loads[i] > most)
			most = loads[i];
	}
	return sum == 0 ? 0 : most * (double)n / sum;
}

double ddp_jain(const uint64_t *loads, unsigned int n) {
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum += loads[i];
		squares += (double)loads[i] * loads[i];
	}
	return squares == 0 ? 0 : sum * sum / (n * squares);
}
