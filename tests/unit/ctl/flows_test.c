/* SPDX-License-Identifier: BSD-3-Clause */
// Which flows there are, how large they are, and on which queues: if this is wrong, an elephant is
// missed, or the answer to "one queue for both directions?" is.
#include <math.h>

#include "ctl/simulate/balancing.h"
#include "ctl/simulate/flow_counter.h"
#include "scratch_folder.h"

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
			flow->slots[1].n[0] = i + 1;
		assert_non_null(flows_count(&flows, key_of(0)));
	}
	assert_int_equal(flows.n, n_max);
	assert_int_equal(flows.packets, N + n_max);
	assert_int_equal(flows.n_beyond, N - n_max);
	assert_int_equal(flows_at(&flows, 0)->packets, N + 1);
	for (unsigned int i = 1; i < n_max; i++) {
		assert_int_equal(flows_at(&flows, i)->key, key_of(i));
		assert_int_equal(flows_at(&flows, i)->packets, 1);
		assert_int_equal(flows_at(&flows, i)->slots[1].n[0], i + 1);
	}
	flows_fini(&flows);
}

// The key whose hash is this: flow_counter.c hashed keys so before it had a seed.
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

TEST(places_do_not_depend_on_order) {
	static const uint16_t queues[] = {3, 3, 5, 3, 1, 5};

	for (unsigned int round = 0; round < 5000; round++) {
		struct flow_slot one = {0};
		unsigned int added = 0;

		while (added != (1 << COUNT(queues)) - 1) {
			unsigned int i = draw(COUNT(queues));

			if ((added & 1 << i) == 0)
				flow_slot_add(&one, i + 1, 10 * (i + 1), queues[i]);
			added |= 1 << i;
		}
		assert_int_equal(one.n[0], 1);
		assert_int_equal(one.queue[0], 3);
		assert_int_equal(one.n[1], 3);
		assert_int_equal(one.queue[1], 5);
		assert_int_equal(one.slot, 10);
	}
}

// The prediction of load-aware RSS: a capture with a wrong time must not take all the memory.
// port/balance_prediction_test.c shows that its moves are those of net_ddp.
#define START UINT64_C(1700000000000000000)
#define MS UINT64_C(1000000)
#define QUEUES 4
#define ENTRIES 64
#define PACKETS_MAX 40000

static struct steer steer;

static struct capture_packet packets[PACKETS_MAX];
static uint16_t slots[PACKETS_MAX];
static unsigned int n_packets;

static int setup(void **state) {
	struct steer_config config = {
		.n_queues = QUEUES,
		.reta_size = ENTRIES,
		.function = DDP_HASH_TOEPLITZ,
		.rss_hf = DDP_RSS_HF_ALL,
	};

	steer_init(&steer, &config);
	n_packets = 0;
	return 0;
}

static void put(uint64_t time_ns, uint16_t slot) {
	assert_true(n_packets < PACKETS_MAX);
	packets[n_packets].time_ns = time_ns;
	slots[n_packets++] = slot;
}

// Entries 0, 4, 8 and 12, all on queue 0, have most of the packets.
static void uneven_put(uint64_t from_ns, uint64_t until_ns, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		put(from_ns + (until_ns - from_ns) * i / n,
		    draw(2) == 0 ? 4 * draw(4) : draw(ENTRIES));
}

static void run_end(void *balancer) {
	balancer_destroy(balancer);
}

static struct balancing *run(uint64_t interval_ns, unsigned int n_kept) {
	struct balancer *balancer = balancer_create(&steer, START, interval_ns, n_kept);

	after_test(run_end, balancer);
	for (unsigned int i = 0; i < n_packets;) {
		unsigned int n = 1 + draw(3000);

		n = n < n_packets - i ? n : n_packets - i;
		balancer_count(balancer, slots + i, packets + i, n);
		i += n;
	}
	return balancer_end(balancer);
}

// They stay where they are, and count for their queue; what is dropped counts nowhere.
TEST(packets_without_an_entry_count_for_their_queue) {
	struct balancing *said;

	for (unsigned int share = 0; share < 3; share++) { // none, too few to count, many
		n_packets = 0;
		uneven_put(START, START + 1000 * MS, 30000);
		for (unsigned int i = 0; i < n_packets && share > 0; i++) {
			if (draw(share == 1 ? 200 : 4) == 0)
				slots[i] = ENTRIES + 1 + draw(2);
			if (draw(10) == 0)
				slots[i] = STEER_SLOT_NONE;
		}
		said = run(50 * MS, 1000);
		assert_true(said->balanced < said->fixed);
	}
}

TEST(intervals_without_packets_are_decided_on_too) {
	struct balancing *said;

	uneven_put(START, START + 300 * MS, 9000);
	uneven_put(START + 2010 * MS, START + 2300 * MS, 9000);
	said = run(50 * MS, 1000);
	assert_int_equal(said->n_intervals, 46);
	assert_int_equal(said->n_busy, 12);
	assert_true(said->intervals[20].packets == 0 && said->intervals[20].balanced == 0);
	assert_true(said->balanced < said->fixed);
}

TEST(what_is_not_kept_is_summed_up) {
	struct balancing *all, *some;

	uneven_put(START, START + 1000 * MS, 30000);
	all = run(10 * MS, 1000);
	some = run(10 * MS, 2);
	assert_int_equal(some->n_intervals_kept, 2);
	assert_int_equal(some->n_moves_kept, 2);
	assert_true(all->n_moves > 2);
	assert_int_equal(some->n_moves, all->n_moves);
	assert_int_equal(some->n_intervals, all->n_intervals);
	assert_float_equal(some->balanced, all->balanced, 0);
}

TEST(strange_times_do_no_harm) {
	static const uint64_t times[] = {START,     0,         START + 1,  START + 200 * MS,
					 START - 1, 1,         UINT64_MAX, UINT64_MAX / 2,
					 START,     UINT64_MAX};
	struct balancing *said;

	for (unsigned int long_ones = 0; long_ones < 2; long_ones++) {
		n_packets = 0;
		for (unsigned int i = 0; i < COUNT(times); i++)
			put(times[i], i);
		said = run(long_ones ? 60000 * MS : MS, INTERVALS_MAX);
		assert_int_equal(said->n_intervals, (UINT64_MAX - START) / said->interval_ns + 1);
		assert_true(said->n_intervals_kept <= 8192);
		assert_int_equal(said->n_busy, long_ones ? 2 : 3);
	}
}

TEST(the_entry_that_bounds_is_found) {
	struct balancing *said;

	for (unsigned int i = 0; i < 30000; i++) // the second half has an elephant
		put(START + i * 1000 * MS / 30000, i >= 15000 && draw(2) == 0 ? 17 : draw(ENTRIES));
	said = run(50 * MS, 0);
	assert_int_equal(said->bound_entry, 17);
	assert_int_equal(said->n_bound, 10);
	assert_float_equal(said->bound_share, 0.5, 0.03);
	assert_in_range(said->bound_packets, 7200, 7900);
}

TEST(even_traffic_moves_nothing) {
	struct balancing *said;

	for (unsigned int i = 0; i < 30000; i++)
		put(START + i * 1000 * MS / 30000, draw(ENTRIES));
	said = run(100 * MS, 100);
	assert_int_equal(said->n_moves, 0);
	assert_float_equal(said->fixed, said->balanced, 0);
	assert_int_equal(said->bound_entry, -1);
}

TEST(steady_traffic_ends_even) {
	uint64_t entries[ENTRIES], others[QUEUES] = {0};

	for (unsigned int scale = 0; scale < 2; scale++) { // beyond 32 bits, too
		for (unsigned int i = 0; i < ENTRIES; i++)
			entries[i] = (i % QUEUES == 0 ? 40000 : 10000) +
				     UINT64_C(3000000000) * scale * (1 + i % QUEUES);
		assert_in_range(1000 * balancing_steady(&steer, entries, others), 1000, 1060);
	}
	memset(entries, 0, sizeof(entries));
	assert_float_equal(balancing_steady(&steer, entries, others), 0, 0);
}

EACH(setup, NULL)
