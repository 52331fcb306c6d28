/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic.h"

#include <math.h>
#include <string.h>

#include "fail.h"

#define ELEPHANT 0.3    // of a core
#define STEP_MS 1       // flows end and begin between two
#define ELEPHANT_MS 500 // it stays or is away for at least, and up to three times that

static void *allocate(size_t n, size_t size) {
	void *memory = calloc(n, size);

	if (memory == NULL)
		fail("out of memory");
	return memory;
}

static double uniform(struct random *random) {
	return ((random_next(random) >> 11) + 0.5) / (UINT64_C(1) << 53);
}

static uint32_t poisson(struct random *random, double mean) {
	double product, least;
	uint32_t n = 0;

	if (mean > 200) {
		double angle = 2 * M_PI * uniform(random);
		double value = mean + sqrt(-2 * mean * log(uniform(random))) * cos(angle);

		return value > 0 ? value + 0.5 : 0;
	}
	least = exp(-mean);
	for (product = uniform(random); product > least; product *= uniform(random))
		n++;
	return n;
}

// A flow of some UE to some server: inner source, destination and ports, as IPv4 has them.
static uint16_t entry_draw(struct traffic *traffic) {
	uint32_t ue = 0x0a2d0001 + random_below(&traffic->random, traffic->cell.n_ues);
	uint64_t drawn = random_next(&traffic->random);
	uint8_t input[12] = {
		ue >> 24,    ue >> 16,    ue >> 8,
		ue,          198,         18 + (drawn & 1),
		drawn >> 8,  drawn >> 16, 0xec + (drawn >> 24 & 15),
		drawn >> 32, 443 >> 8,    443 & 255,
	};

	return ddp_hash_compute(&traffic->hash, input, sizeof(input)) &
	       (traffic->cell.n_entries - 1);
}

static void weights_init(struct traffic *traffic) {
	double sum = 0;

	for (unsigned int i = 0; i < traffic->n_flows; i++)
		sum += traffic->weights[i] = pow(i + 1, -traffic->cell.zipf);
	for (unsigned int i = 0; i < traffic->n_flows; i++)
		traffic->weights[i] /= sum;
}

// Vose's way: each slot has 1 / n of all, of at most two flows.
static void alias_init(struct traffic *traffic) {
	unsigned int n = traffic->n_flows, n_small = 0, n_large = 0;
	double *parts = allocate(n, sizeof(*parts));
	uint32_t *small = allocate(n, sizeof(*small)), *large = allocate(n, sizeof(*large));

	for (unsigned int i = 0; i < n; i++) {
		parts[i] = traffic->weights[i] * n;
		if (parts[i] < 1)
			small[n_small++] = i;
		else
			large[n_large++] = i;
	}
	while (n_small > 0 && n_large > 0) {
		uint32_t less = small[--n_small], more = large[n_large - 1];

		traffic->limits[less] = parts[less] * UINT32_MAX;
		traffic->others[less] = more;
		parts[more] -= 1 - parts[less];
		if (parts[more] < 1) {
			n_large--;
			small[n_small++] = more;
		}
	}
	while (n_large > 0)
		traffic->limits[large[--n_large]] = UINT32_MAX;
	while (n_small > 0)
		traffic->limits[small[--n_small]] = UINT32_MAX;
	free(parts);
	free(small);
	free(large);
}

static uint32_t flow_draw(struct traffic *traffic) {
	uint64_t drawn = random_next(&traffic->random);
	uint32_t slot = ((drawn >> 32) * traffic->n_flows) >> 32;

	return (uint32_t)drawn < traffic->limits[slot] ? slot : traffic->others[slot];
}

static void flow_begin(struct traffic *traffic, uint32_t flow) {
	traffic->entries[flow] = entry_draw(traffic);
	traffic->fresh[flow] = true;
}

void traffic_init(struct traffic *traffic, const struct cell *cell, uint64_t seed) {
	unsigned int n = cell->even_entries ? cell->n_entries : cell->n_ues * FLOWS_OF_UE;

	memset(traffic, 0, sizeof(*traffic));
	traffic->cell = *cell;
	traffic->random.state = seed;
	random_next(&traffic->random);
	ddp_hash_init(&traffic->hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	traffic->n_flows = n;
	traffic->weights = allocate(n, sizeof(*traffic->weights));
	traffic->entries = allocate(n + 1, sizeof(*traffic->entries));
	traffic->fresh = allocate(n + 1, sizeof(*traffic->fresh));
	traffic->limits = allocate(n, sizeof(*traffic->limits));
	traffic->others = allocate(n, sizeof(*traffic->others));
	traffic->elephant_left = ELEPHANT_MS;
	weights_init(traffic);
	alias_init(traffic);
	for (unsigned int i = 0; i < n; i++) {
		flow_begin(traffic, i);
		if (cell->even_entries)
			traffic->entries[i] = i;
		traffic->shares[traffic->entries[i]] += traffic->weights[i];
	}
}

void traffic_fini(struct traffic *traffic) {
	free(traffic->weights);
	free(traffic->entries);
	free(traffic->fresh);
	free(traffic->limits);
	free(traffic->others);
}

double traffic_largest(const struct traffic *traffic) {
	return traffic->weights[0];
}

void window_init(struct window *window, const struct cell *cell, bool packets) {
	memset(window, 0, sizeof(*window));
	if (!packets)
		return;
	window->size = (cell_rate(cell) + ELEPHANT * cell_capacity(cell)) * WINDOW_MS / 1000 * 1.1;
	window->packets = allocate(window->size, sizeof(*window->packets));
}

void window_fini(struct window *window) {
	free(window->packets);
}

// Flows that end within a step, which is short.
static void flows_churn(struct traffic *traffic, double ms) {
	unsigned int n = poisson(&traffic->random,
				 traffic->n_flows * traffic->cell.churn / 100 * ms / WINDOW_MS);

	for (unsigned int i = 0; i < n; i++) {
		uint32_t flow = random_below(&traffic->random, traffic->n_flows);

		traffic->shares[traffic->entries[flow]] -= traffic->weights[flow];
		flow_begin(traffic, flow);
		traffic->shares[traffic->entries[flow]] += traffic->weights[flow];
	}
}

static void elephant_walk(struct traffic *traffic, double ms) {
	if (!traffic->cell.elephant)
		return;
	traffic->elephant_left -= ms;
	if (traffic->elephant_left > 0)
		return;
	traffic->elephant = !traffic->elephant;
	traffic->elephant_left = ELEPHANT_MS * (1 + 2 * uniform(&traffic->random));
	if (traffic->elephant)
		flow_begin(traffic, traffic->n_flows);
}

// Packets a second.
static double elephant_rate(const struct traffic *traffic) {
	return traffic->elephant ? ELEPHANT * cell_capacity(&traffic->cell) : 0;
}

// What a step has on average, by entry.
static void means_add(double means[MAX_ENTRIES], const struct traffic *traffic) {
	double packets = cell_rate(&traffic->cell) * STEP_MS / 1000;

	for (unsigned int i = 0; i < traffic->cell.n_entries; i++)
		means[i] += traffic->shares[i] > 0 ? traffic->shares[i] * packets : 0;
	means[traffic->entries[traffic->n_flows]] += elephant_rate(traffic) * STEP_MS / 1000;
}

static void packets_add(struct window *window, unsigned int slice, unsigned int *n,
			struct traffic *traffic) {
	const uint64_t end = traffic->now + UINT64_C(1000000) * STEP_MS * TICKS;
	const double rate = cell_rate(&traffic->cell) + elephant_rate(traffic);
	const double gap = 1e9 * TICKS / rate;
	const uint32_t elephants = elephant_rate(traffic) / rate * UINT32_MAX;
	double time = traffic->now;

	for (;;) {
		uint64_t drawn = random_next(&traffic->random);
		struct packet *packet;

		time -= gap * logf(((drawn >> 40) + 0.5f) / (1 << 24));
		if (time >= end || *n == window->size)
			return;
		packet = &window->packets[(*n)++];
		packet->time = time;
		packet->flow = (uint32_t)drawn < elephants ? traffic->n_flows : flow_draw(traffic);
		packet->entry = traffic->entries[packet->flow];
		packet->first = traffic->fresh[packet->flow];
		traffic->fresh[packet->flow] = false;
		window->counts[slice][packet->entry]++;
	}
}

static void slice_next(struct window *window, unsigned int slice, unsigned int *n,
		       struct traffic *traffic) {
	double means[MAX_ENTRIES] = {0};

	for (unsigned int ms = 0; ms < SLICE_MS; ms += STEP_MS) {
		if (window->packets != NULL)
			packets_add(window, slice, n, traffic);
		else
			means_add(means, traffic);
		traffic->now += UINT64_C(1000000) * STEP_MS * TICKS;
		flows_churn(traffic, STEP_MS);
		elephant_walk(traffic, STEP_MS);
	}
	window->ends[slice] = *n;
	if (window->packets == NULL)
		for (unsigned int i = 0; i < traffic->cell.n_entries; i++)
			window->counts[slice][i] = poisson(&traffic->random, means[i]);
}

void window_next(struct window *window, struct traffic *traffic) {
	unsigned int n = 0;

	memset(window->counts, 0, sizeof(window->counts));
	for (unsigned int slice = 0; slice < WINDOW; slice++)
		slice_next(window, slice, &n, traffic);
}
