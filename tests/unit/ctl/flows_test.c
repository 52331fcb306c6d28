/* SPDX-License-Identifier: BSD-3-Clause */
// Which flows there are, how large they are, and on which queues: if this is wrong, an elephant is
// missed, or the answer to "one queue for both directions?" is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ctl/simulate/flows.h"

static uint64_t key_of(uint64_t i) {
	return (i + 1) * UINT64_C(0x9e3779b97f4a7c15) | UINT64_C(1) << 63;
}

static void each_is_counted(void **state) {
	const struct flow *top[3];
	struct flows flows;

	flows_init(&flows, false, 0);
	for (unsigned int i = 0; i < 50000; i++)
		for (unsigned int n = 0; n <= i % 3 + (i == 4711) * 10; n++)
			assert_non_null(flows_count(&flows, key_of(i)));
	assert_int_equal(flows_number(&flows), 50000);
	assert_true(flows_are_exact(&flows));
	assert_int_equal(flows.error, 0);
	assert_int_equal(flows_find(&flows, key_of(44))->packets, 3);
	assert_null(flows_find(&flows, key_of(50000)));
	assert_int_equal(flows_top(&flows, top, 3), 3);
	assert_int_equal(top[0]->key, key_of(4711));
	assert_int_equal(top[0]->packets, 12);
	assert_int_equal(top[1]->packets, 3);
	assert_true(top[1]->key < top[2]->key);
	flows_fini(&flows);
}

static void flow_tell(struct flows *flows, struct flow *flow) {
	if (flow != NULL && flows_wants_detail(flows, flow))
		flow->is_told = true;
}

// A scan of millions of addresses must neither eat the memory nor hide who sends most.
static void too_many_are_estimated(void **state) {
	enum {
		N = 3000000
	};
	const struct flow *top;
	struct flows flows;

	flows_init(&flows, true, 2);
	for (unsigned int i = 0; i < N; i++) {
		flow_tell(&flows, flows_count(&flows, key_of(i)));
		if (i >= N / 2 && i % 10 == 0)
			flow_tell(&flows, flows_count(&flows, key_of(N)));
	}
	assert_true(flows.kept.n <= FLOWS_MAX);
	assert_true(flows.heavy.n <= HEAVY_MAX);
	assert_false(flows_are_exact(&flows));
	assert_in_range(flows.error, 1, N / 1000);
	assert_in_range(flows_number(&flows), N * 98L / 100, N * 102L / 100);
	assert_int_equal(flows_top(&flows, &top, 1), 1);
	assert_int_equal(top->key, key_of(N));
	assert_in_range(top->packets, N / 20 - flows.error, N / 20);
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

// The key whose hash, by which flows.c draws the sample, is this.
static uint64_t key_drawn(uint64_t hash) {
	return key_hashed(hash) ^ UINT64_C(0x9e3779b97f4a7c15);
}

// Slots that a search of a key that is not there reads.
static double reads_of(const struct flow_table *table) {
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

	flows_init(&flows, false, 0);
	for (uint64_t i = 1; i <= 20000; i++)
		flows_count(&flows, chosen ? key_hashed(i << 32) : key_of(i));
	reads = reads_of(&flows.kept);
	flows_fini(&flows);
	return reads;
}

// A capture whose sender computed keys that all begin in one slot takes no longer than others.
static void chosen_keys_cost_what_others_cost(void **state) {
	const double others = reads_with(false), chosen = reads_with(true);

	print_message("%.2f slots; with chosen keys %.2f\n", others, chosen);
	assert_true(chosen < 1.3 * others);
}

// Keys that an attacker made, so that all are in the sample, take no more memory than others.
static void drawn_keys_do_not_eat_the_memory(void **state) {
	struct flows flows;

	flows_init(&flows, false, 0);
	for (unsigned int i = 0; i < 2 * FLOWS_MAX; i++)
		flows_count(&flows, key_drawn(i));
	assert_true(flows.level >= 40);
	assert_int_equal(flows.kept.n, FLOWS_MAX);
	assert_in_range(flows.heavy.n, 1, HEAVY_MAX);
	assert_int_equal(flows.packets, 2 * FLOWS_MAX);
	flows_fini(&flows);
}

// The limit decides what is exact: as many as fit are, and one more is not.
static void the_limit_holds(void **state) {
	struct flows flows;
	uint64_t packets = 0;

	flows_init(&flows, false, 0);
	flows_limit(&flows, 1 << 18);
	assert_in_range(flows.n_max, FLOWS_LEAST, (1 << 18) / offsetof(struct flow, bytes));
	for (unsigned int i = 0; i < flows.n_max; i++)
		for (unsigned int n = 0; n <= i % 4; n++)
			assert_int_equal(flows_count(&flows, key_of(i))->packets, n + 1);
	assert_true(flows_are_exact(&flows));
	assert_int_equal(flows_number(&flows), flows.n_max);
	flows_count(&flows, key_of(flows.n_max));
	assert_int_equal(flows.level, 1);
	assert_in_range(flows.kept.n, flows.n_max * 4 / 10, flows.n_max * 6 / 10);
	for (unsigned int i = 0; i < flows.kept.n; i++)
		packets += flows_kept(&flows, i)->packets;
	assert_in_range(2 * packets, flows.packets * 9 / 10, flows.packets * 11 / 10);
	flows_fini(&flows);
}

// As soon as not all fit, what is kept costs less than all did.
static void a_sample_is_smaller_than_all(void **state) {
	enum {
		N = 2000000
	};
	struct flows flows;

	flows_init(&flows, false, 0);
	flows_limit(&flows, 1 << 25);
	assert_true(flows.n_max > 2 * SAMPLE_MAX);
	for (unsigned int i = 0; flows_are_exact(&flows); i++)
		flows_count(&flows, key_of(i));
	assert_in_range(flows.kept.n, SAMPLE_MAX * 4 / 10, SAMPLE_MAX);
	for (unsigned int i = flows.packets; i < N; i++)
		flows_count(&flows, key_of(i));
	assert_in_range(flows.kept.n, SAMPLE_MAX * 4 / 10, SAMPLE_MAX);
	assert_in_range(flows_number(&flows), N * 99L / 100, N * 101L / 100);
	flows_fini(&flows);
}

// Half of all packets are of one flow: its share, and the entropy, do not depend on whether the
// others fit.
static void entropy_is_estimated(void **state) {
	enum {
		N = 400000
	};
	double bits[2];

	for (unsigned int small = 0; small < 2; small++) {
		struct flows flows;

		flows_init(&flows, false, 0);
		flows_limit(&flows, small ? 1 << 18 : 1 << 26);
		for (unsigned int i = 0; i < N; i++) {
			flows_count(&flows, key_of(i % (N / 4)));
			flows_count(&flows, key_of(N));
		}
		assert_int_equal(flows_are_exact(&flows), !small);
		bits[small] = flows_entropy(&flows);
		flows_fini(&flows);
	}
	assert_float_equal(bits[0], 1 + log2(N / 4) / 2, 0.01);
	assert_float_equal(bits[1], bits[0], 0.1);
}

// Both directions of a flow are in the sample, or none: else most pairs would be missing.
static void pairs_stay_together(void **state) {
	unsigned int n_directions[2] = {0};
	struct flows flows;

	flows_init(&flows, true, 1);
	flows_limit(&flows, 1 << 20);
	for (unsigned int i = 0; i < 100000; i++)
		for (unsigned int direction = 0; direction < 2; direction++)
			flows_count_new(&flows, key_of(2 * i + direction), key_of(i));
	for (unsigned int i = 0; i < 100000; i++) {
		bool is_kept[2] = {false};

		for (unsigned int direction = 0; direction < 2; direction++) {
			const struct flow *flow = flows_find(&flows, key_of(2 * i + direction));

			is_kept[direction] = flow != NULL && flow >= flows_kept(&flows, 0) &&
					     flow < flows_kept(&flows, flows.kept.n);
			n_directions[direction] += is_kept[direction];
		}
		assert_int_equal(is_kept[0], is_kept[1]);
	}
	assert_true(n_directions[0] > 100);
	flows_fini(&flows);
}

// Threads see packets in any order: what comes of it must not depend on that.
static void places_do_not_depend_on_order(void **state) {
	static const uint16_t queues[] = {3, 3, 5, 3, 1, 5};
	enum {
		N = 6
	};
	unsigned int order[N];

	for (unsigned int permutation = 0; permutation < 720; permutation++) {
		struct flow_place one = {0}, parts[2] = {0};
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
		for (unsigned int i = 0; i < N; i++) {
			unsigned int n = order[i] + 1;

			flow_place_add(&one, n, 10 * n, queues[n - 1]);
			flow_place_add(&parts[i % 2], n, 10 * n, queues[n - 1]);
		}
		flow_places_merge(&parts[0], &parts[1], 1);
		assert_int_equal(one.n[0], 1);
		assert_int_equal(one.queue[0], 3);
		assert_int_equal(one.n[1], 3);
		assert_int_equal(one.queue[1], 5);
		assert_int_equal(one.place, 10);
		assert_memory_equal(&parts[0], &one, sizeof(one));
	}
}

// Most packets are where the one before was: what is known of the others must not depend on that.
static void a_flow_has_its_first_two_queues(void **state) {
	struct flows flows;
	uint32_t seed = 1;

	flows_init(&flows, true, 2);
	for (unsigned int i = 0; i < 1000; i++) {
		const uint16_t n_places = 1 + i % 5;
		struct flow *flow = flows_count(&flows, key_of(i));
		struct flow_place all[2] = {0};

		for (uint64_t n = 1; n < 20; n++)
			for (unsigned int p = 0; p < 2; p++) {
				uint16_t place = (seed = seed * 1103515245 + 12345) >> 16, queue;

				if (place % 7 == 0) {
					assert_false(flow_is_elsewhere(flow, p, STEER_PLACE_NONE));
					continue;
				}
				place %= n_places;
				queue = place / 2;
				flow_place_add(&all[p], n, place, queue);
				if (flow_is_elsewhere(flow, p, place))
					flow_put(&flows, flow, p, n, place, queue);
			}
		assert_memory_equal(flow_detail(&flows, flow)->places, all, sizeof(all));
	}
	flows_fini(&flows);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_counted),
		cmocka_unit_test(too_many_are_estimated),
		cmocka_unit_test(chosen_keys_cost_what_others_cost),
		cmocka_unit_test(drawn_keys_do_not_eat_the_memory),
		cmocka_unit_test(the_limit_holds),
		cmocka_unit_test(a_sample_is_smaller_than_all),
		cmocka_unit_test(entropy_is_estimated),
		cmocka_unit_test(pairs_stay_together),
		cmocka_unit_test(places_do_not_depend_on_order),
		cmocka_unit_test(a_flow_has_its_first_two_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
