/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane.h"

#include <string.h>

#include "fail.h"

#define LARGEST_FLOW 0

void lane_init(struct lane *lane, const struct policy *policy, const struct cell *cell,
	       const struct traffic *traffic) {
	memset(lane, 0, sizeof(*lane));
	lane->policy = policy;
	lane->cell = cell;
	lane->next_release = UINT64_MAX;
	lane->done = calloc(traffic->n_flows + 1, sizeof(*lane->done));
	lane->parkings = calloc(DDP_REBALANCE_MOVES, sizeof(*lane->parkings));
	if (lane->done == NULL || lane->parkings == NULL)
		fail("out of memory");
	ddp_reta_fill(lane->table, cell->n_entries, cell->n_queues);
	policy->init(&lane->state, cell);
}

void lane_fini(struct lane *lane) {
	free(lane->done);
	free(lane->parkings);
}

// A packet comes to the queue at a time that is later than that of its arrival if it was parked.
static inline void queue_take(struct lane *lane, unsigned int q, uint64_t at,
			      const struct parked_packet *packet, uint16_t entry, bool measured) {
	const uint64_t service = (uint64_t)lane->cell->ns * TICKS;
	uint64_t begin = lane->free_at[q] > at ? lane->free_at[q] : at, end = begin + service;
	unsigned int bucket;

	if (begin - at > (RING - 1) * service) {
		lane->outcome.n_dropped += measured;
		return;
	}
	lane->free_at[q] = end;
	lane->served[entry]++;
	if (packet->first)
		lane->done[packet->flow] = 0;
	if (!measured) {
		lane->done[packet->flow] = end;
		return;
	}
	bucket = latency_bucket((end - packet->time) / TICKS);
	lane->outcome.latency[bucket]++;
	lane->outcome.latency_beside[bucket] += packet->flow != LARGEST_FLOW;
	if (end < lane->done[packet->flow])
		lane->outcome.n_overtakes++;
	else
		lane->done[packet->flow] = end;
}

static void parked_count(struct lane *lane, uint64_t waited) {
	double us = waited / (1000.0 * TICKS);

	lane->outcome.n_parked++;
	if (us > lane->outcome.parked_most)
		lane->outcome.parked_most = us;
}

static void parking_end(struct lane *lane, struct parking *parking, bool measured) {
	for (unsigned int i = 0; i < parking->n_packets; i++) {
		const struct parked_packet *packet = &parking->packets[i];

		if (measured)
			parked_count(lane, parking->release - packet->time);
		queue_take(lane, parking->to, parking->release, packet, parking->entry, measured);
	}
	lane->n_parked -= parking->n_packets;
	lane->parked_in[parking->entry] = 0;
	parking->n_packets = 0;
	parking->release = 0;
}

// Those whose time has come, in its order.
static void parkings_end(struct lane *lane, uint64_t now, bool measured) {
	while (lane->next_release <= now) {
		struct parking *next = NULL;

		lane->next_release = UINT64_MAX;
		for (unsigned int i = 0; i < DDP_REBALANCE_MOVES; i++) {
			struct parking *parking = &lane->parkings[i];

			if (parking->release != 0 &&
			    (next == NULL || parking->release < next->release))
				next = parking;
		}
		if (next == NULL)
			return;
		if (next->release <= now) {
			parking_end(lane, next, measured);
			lane->next_release = 0;
		} else {
			lane->next_release = next->release;
		}
	}
}

static void parking_begin(struct lane *lane, uint16_t entry, uint16_t from, uint16_t to,
			  uint64_t now) {
	const uint64_t service = (uint64_t)lane->cell->ns * TICKS;
	uint64_t drained = lane->free_at[from] > now ? lane->free_at[from] : now;

	for (unsigned int i = 0; i < DDP_REBALANCE_MOVES; i++) {
		struct parking *parking = &lane->parkings[i];

		if (parking->release != 0)
			continue;
		parking->release = drained + BURST * service;
		parking->entry = entry;
		parking->to = to;
		lane->parked_in[entry] = i + 1;
		if (parking->release < lane->next_release)
			lane->next_release = parking->release;
		return;
	}
	fail("an entry moves before the last ones have moved");
}

static void packet_park(struct lane *lane, const struct packet *packet, bool measured) {
	struct parking *parking = &lane->parkings[lane->parked_in[packet->entry] - 1];

	if (lane->n_parked == PARKED_MOST) {
		lane->outcome.n_dropped += measured;
		return;
	}
	lane->n_parked++;
	parking->packets[parking->n_packets++] = (struct parked_packet){
		.time = packet->time, .flow = packet->flow, .first = packet->first};
}

static inline unsigned int queue_choose(struct lane *lane, const struct packet *packet) {
	switch (lane->policy->placing) {
	case PLACE_IN_TURN:
		return lane->n_placed++ % lane->cell->n_queues;
	case PLACE_BY_CHANCE:
		lane->n_placed = lane->n_placed * UINT64_C(6364136223846793005) + 1;
		return (lane->n_placed >> 33) % lane->cell->n_queues;
	case PLACE_APART:
		return packet->entry;
	default:
		return lane->table[packet->entry];
	}
}

static void packets_run(struct lane *lane, const struct packet *packets, unsigned int n,
			bool measured) {
	for (unsigned int i = 0; i < n; i++) {
		const struct packet *packet = &packets[i];
		const struct parked_packet arrived = {packet->time, packet->flow, packet->first};
		unsigned int q;

		if (packet->time >= lane->next_release)
			parkings_end(lane, packet->time, measured);
		if (lane->parked_in[packet->entry] != 0) {
			packet_park(lane, packet, measured);
			continue;
		}
		q = queue_choose(lane, packet);
		queue_take(lane, q, packet->time, &arrived, packet->entry, measured);
	}
	lane->outcome.n_packets += measured ? n : 0;
}

// Without single packets: a queue takes what it can serve, of each entry alike.
static void served_estimate(struct lane *lane, const uint32_t *counts) {
	double capacity = cell_capacity(lane->cell) * SLICE_MS / 1000, queues[MAX_QUEUES] = {0};

	for (unsigned int i = 0; i < lane->cell->n_entries; i++)
		queues[lane->table[i]] += counts[i];
	for (unsigned int i = 0; i < lane->cell->n_entries; i++) {
		double load = queues[lane->table[i]];

		lane->served[i] += load > capacity ? counts[i] * capacity / load : counts[i];
	}
}

static void decide(struct lane *lane, const uint32_t *packets, uint64_t now, bool measured) {
	const struct observed observed = {
		.cell = lane->cell,
		.capacity = cell_capacity(lane->cell) * SLICE_MS / 1000 * lane->policy->slices,
		.packets = packets,
		.served = lane->served,
	};
	uint16_t before[MAX_ENTRIES];

	memcpy(before, lane->table, sizeof(before));
	lane->policy->decide(&lane->state, &observed, lane->table);
	for (unsigned int i = 0; i < lane->cell->n_entries; i++) {
		if (before[i] == lane->table[i])
			continue;
		lane->outcome.n_moves += measured;
		if (lane->policy->parks)
			parking_begin(lane, i, before[i], lane->table[i], now);
	}
	memset(lane->packets, 0, sizeof(lane->packets));
	memset(lane->served, 0, sizeof(lane->served));
	lane->n_slices = 0;
}

// A policy that foresees decides at a window's beginning, with what will come in it.
static void foresee(struct lane *lane, const struct window *window, uint64_t now, bool measured) {
	uint32_t packets[MAX_ENTRIES] = {0};

	for (unsigned int slice = 0; slice < WINDOW; slice++)
		for (unsigned int i = 0; i < lane->cell->n_entries; i++)
			packets[i] += window->counts[slice][i];
	decide(lane, packets, now, measured);
}

static void slice_run(struct lane *lane, const struct window *window, unsigned int slice,
		      bool measured) {
	unsigned int begin = slice == 0 ? 0 : window->ends[slice - 1];

	for (unsigned int i = 0; i < lane->cell->n_entries; i++) {
		lane->packets[i] += window->counts[slice][i];
		lane->loads[lane->table[i]] += window->counts[slice][i];
	}
	if (window->packets == NULL)
		served_estimate(lane, window->counts[slice]);
	else
		packets_run(lane, &window->packets[begin], window->ends[slice] - begin, measured);
}

static void window_measure(struct lane *lane) {
	double imbalance = ddp_imbalance(lane->loads, lane->cell->n_queues);

	if (lane->policy->placing != PLACE_BY_TABLE)
		imbalance = 1; // nothing to tell
	lane->outcome.n_windows++;
	lane->outcome.seconds += WINDOW_MS / 1000.0;
	lane->outcome.imbalance += imbalance;
	if (imbalance > lane->outcome.imbalance_most)
		lane->outcome.imbalance_most = imbalance;
}

void lane_run(struct lane *lane, const struct window *window, uint64_t start, bool measured) {
	if (lane->policy->foresees)
		foresee(lane, window, start, measured);
	memset(lane->loads, 0, sizeof(lane->loads));
	for (unsigned int slice = 0; slice < WINDOW; slice++) {
		uint64_t end = start + UINT64_C(1000000) * SLICE_MS * TICKS * (slice + 1);

		slice_run(lane, window, slice, measured);
		if (++lane->n_slices == lane->policy->slices && !lane->policy->foresees) {
			parkings_end(lane, end, measured);
			decide(lane, lane->packets, end, measured);
		}
	}
	if (measured)
		window_measure(lane);
}

void outcome_add(struct outcome *sum, const struct outcome *outcome) {
	sum->seconds += outcome->seconds;
	sum->n_windows += outcome->n_windows;
	sum->imbalance += outcome->imbalance;
	if (outcome->imbalance_most > sum->imbalance_most)
		sum->imbalance_most = outcome->imbalance_most;
	sum->n_packets += outcome->n_packets;
	sum->n_dropped += outcome->n_dropped;
	sum->n_moves += outcome->n_moves;
	sum->n_overtakes += outcome->n_overtakes;
	sum->n_parked += outcome->n_parked;
	if (outcome->parked_most > sum->parked_most)
		sum->parked_most = outcome->parked_most;
	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++) {
		sum->latency[i] += outcome->latency[i];
		sum->latency_beside[i] += outcome->latency_beside[i];
	}
}

double outcome_latency(const uint64_t latency[LATENCY_BUCKETS], unsigned int permyriad) {
	uint64_t n = 0, seen = 0;

	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++)
		n += latency[i];
	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++) {
		seen += latency[i];
		if (n > 0 && seen * 10000 >= n * permyriad)
			return latency_bucket_value(i) / 1000.0;
	}
	return 0;
}
