/* SPDX-License-Identifier: BSD-3-Clause */
// Which flows there are, how large they are, and on which queues: if this is wrong, an elephant is
// missed, or the answer to "one queue for both directions?" is.
#include <math.h>

#include "ctl/simulate/flow_counter.h"
#include "unit.h"

static uint64_t key_of(uint64_t i) {
	return (i + 1) * UINT64_C(0x9e3779b97f4a7c15) | UINT64_C(1) << 63;
}

TEST(each_is_counted) {
	const struct flow *top[3];
	struct flows flows;

	flows_init(&flows, false, 0, 4 << 20);
	for (unsigned int i = 0; i < 50000; i++)
		for (unsigned int n = 0; n <= i % 3 + (i == 4711) * 10; n++)
			assert_int_equal(flows_count(&flows, key_of(i))->packets, n + 1);
	assert_int_equal(flows.n, 50000);
	assert_int_equal(flows.n_beyond, 0);
	assert_int_equal(flows_at(&flows, 44)->packets, 3);
	assert_int_equal(flows_top(&flows, top, 3), 3);
	assert_int_equal(top[0]->key, key_of(4711));
	assert_int_equal(top[0]->packets, 12);
	assert_int_equal(top[1]->key, key_of(2)); // of those with 3 packets the first ones
	assert_int_equal(top[2]->key, key_of(5));
	flows_fini(&flows);
}

// A scan of millions of addresses does not eat the memory. Those that came first stay exact, with
// all that is known of them.
TEST(beyond_the_limit_first_ones_are_counted) {
	enum {
		N = 300000
	};
	struct flows flows;
	uint32_t n_max;

	flows_init(&flows, true, 2, 1 << 20);
	n_max = flows.n_max;
	assert_in_range(n_max, FLOWS_LEAST, (1 << 20) / sizeof(struct flow_detail));
	for (unsigned int i = 0; i < N; i++) {
		struct flow *flow = flows_count(&flows, key_of(i));

		assert_true((flow != NULL) == (i < n_max));
		assert_int_equal(flows.n_beyond == 0, i < n_max);
		if (flow != NULL)
			flow->places[1].n[0] = i + 1;
		assert_non_null(flows_count(&flows, key_of(0)));
	}
	assert_int_equal(flows.n, n_max);
	assert_int_equal(flows.packets, N + n_max);
	assert_int_equal(flows.n_beyond, N - n_max);
	assert_int_equal(flows_at(&flows, 0)->packets, N + 1);
	for (unsigned int i = 1; i < n_max; i++) {
		assert_int_equal(flows_at(&flows, i)->key, key_of(i));
		assert_int_equal(flows_at(&flows, i)->packets, 1);
		assert_int_equal(flows_at(&flows, i)->places[1].n[0], i + 1);
	}
	flows_fini(&flows);
}

// The key whose hash is this: flows.c hashed keys so before it had a seed.
static uint64_t key_hashed(uint64_t hash) {
	const uint64_t factor = UINT64_C(0xd6e8feb86659fd93);
	uint64_t inverse = factor;

	for (unsigned int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	hash ^= hash >> 32;
	hash *= inverse;
	return hash ^ hash >> 32;
}

// Slots that a search of a key that is not there reads.
static double reads_of(const struct flows *table) {
	double sum = 0;

	for (uint32_t first = 0; first <= table->mask; first++)
		for (uint32_t i = first;; i = (i + 1) & table->mask) {
			sum++;
			if (table->slots[i] == 0)
				break;
		}
	return sum / (table->mask + 1);
}

static double reads_with(bool chosen) {
	struct flows flows;
	double reads;

	flows_init(&flows, false, 0, 4 << 20);
	for (uint64_t i = 1; i <= 20000; i++)
		flows_count(&flows, chosen ? key_hashed(i << 32) : key_of(i));
	reads = reads_of(&flows);
	flows_fini(&flows);
	return reads;
}

// A capture whose sender computed keys that all begin in one slot takes no longer than others.
TEST(chosen_keys_cost_what_others_cost) {
	const double others = reads_with(false), chosen = reads_with(true);

	print_message("%.2f slots; with chosen keys %.2f\n", others, chosen);
	assert_true(chosen < 1.3 * others);
}

// Half of all packets are of one flow.
TEST(entropy_is_that_of_a_packet) {
	enum {
		N = 400000
	};
	struct flows flows;

	flows_init(&flows, false, 0, 4 << 20);
	assert_float_equal(flows_entropy(&flows), 0, 0);
	for (unsigned int i = 0; i < N; i++) {
		flows_count(&flows, key_of(i % (N / 4)));
		flows_count(&flows, key_of(N));
	}
	assert_float_equal(flows_entropy(&flows), 1 + log2(N / 4) / 2, 1e-6);
	flows_fini(&flows);
}

// Both directions of a flow are put together afterwards.
TEST(places_do_not_depend_on_order) {
	static const uint16_t queues[] = {3, 3, 5, 3, 1, 5};
	enum {
		N = 6
	};
	unsigned int order[N];

	for (unsigned int permutation = 0; permutation < 720; permutation++) {
		struct flow_place one = {0};
		unsigned int rest = permutation;
		bool used[N] = {0};

		for (unsigned int i = 0; i < N; i++) {
			unsigned int skip = rest % (N - i), at = 0;

			rest /= N - i;
			while (used[at] || skip-- > 0)
				at++;
			used[at] = true;
			order[i] = at;
		}
		for (unsigned int i = 0; i < N; i++)
			flow_place_add(&one, order[i] + 1, 10 * (order[i] + 1), queues[order[i]]);
		assert_int_equal(one.n[0], 1);
		assert_int_equal(one.queue[0], 3);
		assert_int_equal(one.n[1], 3);
		assert_int_equal(one.queue[1], 5);
		assert_int_equal(one.place, 10);
	}
}
