/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "rss/balancer.h"
#include "unit.h"

#define N_ENTRIES 512
#define SECOND 10 // intervals

static struct port {
	struct ddp_balancer balancer;
	struct ddp_balancer_move moves[DDP_BALANCER_MOVES];
	unsigned int n_moves; // in the last interval
	uint64_t random;
	unsigned int n_entries, n_queues;
	double rates[N_ENTRIES]; // packets in an interval, on average
	uint16_t reta[N_ENTRIES];
	uint32_t packets[N_ENTRIES];
	uint64_t others[DDP_BALANCER_QUEUES];
	double costs[DDP_BALANCER_QUEUES];
	bool usable[DDP_BALANCER_QUEUES];
} port;

static void port_init(unsigned int n_entries, unsigned int n_queues, uint64_t seed) {
	memset(&port, 0, sizeof(port));
	ddp_balancer_init(&port.balancer, n_entries, n_queues);
	ddp_reta_fill(port.reta, n_entries, n_queues);
	port.random = 88172645463325252 + seed * 7919;
	port.n_entries = n_entries;
	port.n_queues = n_queues;
	for (unsigned int q = 0; q < n_queues; q++) {
		port.costs[q] = 1;
		port.usable[q] = true;
	}
}

static void port_init_even(unsigned int n_entries, unsigned int n_queues, uint64_t seed,
			   double rate) {
	port_init(n_entries, n_queues, seed);
	for (unsigned int i = 0; i < n_entries; i++)
		port.rates[i] = rate;
}

static double uniform(uint64_t *random) {
	return ((random_next(random) >> 11) + 0.5) / (UINT64_C(1) << 53);
}

static uint32_t poisson(uint64_t *random, double mean) {
	if (mean > 200) {
		double angle = 2 * M_PI * uniform(random);
		double n = mean + sqrt(mean) * sqrt(-2 * log(uniform(random))) * cos(angle);

		return n > 0 ? n + 0.5 : 0;
	}
	double product = uniform(random), least = exp(-mean);
	uint32_t n = 0;

	for (; product > least; n++)
		product *= uniform(random);
	return n;
}

static double imbalance(void) {
	uint64_t loads[DDP_BALANCER_QUEUES] = {0};

	for (unsigned int i = 0; i < port.n_entries; i++)
		loads[port.reta[i]] += port.rates[i];
	return ddp_imbalance(loads, port.n_queues);
}

static void assert_moves_are_sound(void) {
	bool moved[N_ENTRIES] = {false};

	assert_in_range(port.n_moves, 0, DDP_BALANCER_MOVES);
	for (unsigned int i = 0; i < port.n_moves; i++) {
		const struct ddp_balancer_move *move = &port.moves[i];

		assert_in_range(move->entry, 0, port.n_entries - 1);
		assert_false(moved[move->entry]);
		moved[move->entry] = true;
		assert_int_equal(move->from, port.reta[move->entry]);
		assert_in_range(move->to, 0, port.n_queues - 1);
		assert_int_not_equal(move->to, move->from);
		assert_true(port.usable[move->to]);
	}
	assert_true(port.balancer.after <= port.balancer.before);
	if (port.n_moves == 0)
		assert_float_equal(port.balancer.after, port.balancer.before, 0);
}

static void port_decide(void) {
	uint64_t delivered[DDP_BALANCER_QUEUES];
	struct ddp_balancer_interval interval = {
		.reta = port.reta,
		.packets = port.packets,
		.delivered = delivered,
		.costs = port.costs,
		.usable = port.usable,
	};

	memcpy(delivered, port.others, sizeof(delivered));
	for (unsigned int i = 0; i < port.n_entries; i++)
		delivered[port.reta[i]] += port.packets[i];
	for (unsigned int q = 0; q < port.n_queues; q++)
		interval.taken += delivered[q];
	port.n_moves = ddp_balancer_step(&port.balancer, &interval, port.moves);
	assert_moves_are_sound();
	for (unsigned int i = 0; i < port.n_moves; i++)
		port.reta[port.moves[i].entry] = port.moves[i].to;
}

static unsigned int port_run(void) {
	for (unsigned int i = 0; i < port.n_entries; i++)
		port.packets[i] = poisson(&port.random, port.rates[i]);
	port_decide();
	return port.n_moves;
}

static unsigned int port_run_for(unsigned int n_intervals) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_intervals; i++)
		n += port_run();
	return n;
}

static void zipf_fill(unsigned int n_flows, double exponent, double packets) {
	double sum = 0;

	memset(port.rates, 0, sizeof(port.rates));
	for (unsigned int i = 1; i <= n_flows; i++)
		sum += pow(i, -exponent);
	for (unsigned int i = 1; i <= n_flows; i++)
		port.rates[random_below(&port.random, port.n_entries)] +=
			packets * pow(i, -exponent) / sum;
}

static const struct even_traffic {
	const char *name;
	unsigned int n_entries, n_queues;
	double rate; // of an entry, in packets an interval
} even_traffic[] = {
	{"even_traffic_moves_nothing_at_full_rate", 512, 16, 9000},
	{"even_traffic_moves_nothing_at_a_hundredth_of_it", 512, 16, 90},
	{"even_traffic_moves_nothing_when_an_entry_has_a_packet_now_and_then", 512, 16, 0.3},
	{"even_traffic_moves_nothing_with_a_queue_for_each_two_entries", 512, 256, 40},
	{"even_traffic_moves_nothing_with_few_entries", 128, 8, 500},
	{"even_traffic_moves_nothing_on_one_queue", 128, 1, 500},
	{"an_idle_port_moves_nothing", 128, 4, 0},
};

ROWS_TEST(even_traffic_stays, even_traffic) {
	const struct even_traffic *row = *state;

	for (unsigned int seed = 0; seed < 20; seed++) {
		port_init_even(row->n_entries, row->n_queues, seed, row->rate);
		assert_int_equal(port_run_for(60 * SECOND / 5), 0);
		assert_int_equal(port.balancer.bound_entry, DDP_BALANCER_NONE);
		assert_float_equal(port.balancer.bound_share, 0, 0);
		assert_int_equal(port.balancer.before > 0, row->rate > 0);
	}
}

// All entries double and halve together, as by the hour.
TEST(even_traffic_that_grows_and_shrinks_moves_nothing) {
	port_init_even(512, 16, 1, 1000);
	for (unsigned int i = 0; i < 200; i++) {
		for (unsigned int e = 0; e < 512; e++)
			port.rates[e] = i / 7 % 2 ? 2000 : 1000;
		assert_int_equal(port_run(), 0);
	}
}

// 30 % of what a queue has, on top.
TEST(an_elephant_is_answered_at_once) {
	port_init_even(512, 16, 1, 9000);
	port_run_for(3 * SECOND);
	port.rates[37] += 0.3 * 32 * 9000;
	assert_in_range(port_run(), 1, DDP_BALANCER_MOVES);
	port_run();
	assert_true(imbalance() < 1.02);
	assert_true(port_run_for(2 * SECOND) <= 10);
	port.rates[37] = 9000;
	assert_in_range(port_run(), 1, DDP_BALANCER_MOVES);
	port_run();
	assert_true(imbalance() < 1.02);
}

TEST(a_bounding_elephant_stays_and_its_neighbours_leave) {
	double total = 0;

	port_init_even(512, 16, 1, 1000);
	port.rates[21] = 64 * 1000; // of 32 a queue
	port_run_for(2 * SECOND);
	assert_int_equal(port.reta[21], 21 % 16);
	for (unsigned int i = 0; i < 512; i++) {
		total += port.rates[i];
		if (i != 21)
			assert_int_not_equal(port.reta[i], port.reta[21]);
	}
	assert_int_equal(port.balancer.bound_entry, 21);
	assert_float_equal(port.balancer.bound_share, port.rates[21] / total, 0.01);
	assert_float_equal(port.balancer.after, 16 * port.rates[21] / total, 0.02);
	assert_int_equal(port_run_for(10 * SECOND), 0);
}

// The others are even among themselves, although nothing helps the hottest.
TEST(queues_beside_a_bounded_one_become_even) {
	uint64_t loads[16] = {0};

	port_init_even(512, 16, 1, 1000);
	port.rates[21] = 64 * 1000;
	for (unsigned int i = 3; i < 512; i += 16)
		port.rates[i] = 1300;
	port_run_for(2 * SECOND);
	for (unsigned int i = 0; i < 512; i++)
		loads[port.reta[i]] += port.rates[i];
	loads[5] = loads[15];
	assert_true(ddp_imbalance(loads, 15) < 1.03);
}

// Every other entry has a third more: no single move makes two queues of two entries each equal.
TEST(entries_are_exchanged_where_no_single_move_helps) {
	port_init(4, 2, 1);
	for (unsigned int i = 0; i < 4; i++)
		port.rates[i] = i % 2 ? 30000 : 40000;
	assert_int_equal(port_run(), 2);
	assert_float_equal(imbalance(), 1, 0.001);
	assert_int_equal(port_run_for(10 * SECOND), 0);
}

TEST(a_queue_that_is_not_usable_gets_nothing) {
	port_init(512, 8, 1);
	for (unsigned int i = 0; i < 512; i++)
		port.rates[i] = port.reta[i] == 2 ? 0 : 100 * (1 + port.reta[i]);
	port.usable[2] = false; // and it is the coldest
	assert_true(port_run_for(2 * SECOND) > 0);
	for (unsigned int i = 0; i < 512; i++)
		assert_true(port.reta[i] != 2 || i % 8 == 2);
}

TEST(a_hot_queue_that_is_not_usable_is_relieved) {
	double load = 0;

	port_init_even(512, 8, 1, 1000);
	for (unsigned int i = 2; i < 512; i += 8)
		port.rates[i] = 1500;
	port.usable[2] = false;
	port_run_for(2 * SECOND);
	for (unsigned int i = 0; i < 512; i++)
		load += port.reta[i] == 2 ? port.rates[i] : 0;
	assert_true(load < 1.03 * 64 * (7 * 1000 + 1500) / 8.0);
}

TEST(no_usable_queue_is_no_move) {
	port_init(128, 4, 1);
	zipf_fill(1000, 1, 1e6);
	memset(port.usable, 0, sizeof(port.usable));
	assert_int_equal(port_run_for(10), 0);
}

// A packet costs twice as much on queue 1.
TEST(dear_packets_weigh_more) {
	double loads[4] = {0};

	port_init_even(512, 4, 1, 1000);
	port.costs[1] = 2;
	for (unsigned int i = 0; i < 3 * SECOND; i++)
		port_run();
	for (unsigned int i = 0; i < 512; i++)
		loads[port.reta[i]] += port.rates[i] * port.costs[port.reta[i]];
	for (unsigned int q = 0; q < 4; q++)
		assert_float_equal(loads[q] / loads[0], 1, 0.05);
	assert_true(port_run_for(10 * SECOND) < 10);
}

// A queue without packets shows no cost.
TEST(a_cost_that_is_not_known_is_the_mean) {
	port_init_even(128, 4, 1, 1000);
	for (unsigned int q = 0; q < 3; q++)
		port.costs[q] = 100;
	port.costs[3] = 0;
	assert_int_equal(port_run_for(2 * SECOND), 0);
	for (unsigned int i = 3; i < 128; i += 4)
		port.rates[i] = 2000;
	assert_true(port_run_for(2 * SECOND) > 0);
	assert_true(imbalance() < 1.03);
}

TEST(packets_that_the_table_did_not_place_count) {
	unsigned int n_entries = 0;

	port_init_even(512, 4, 1, 1000);
	port.others[3] = 64 * 1000;
	port_run_for(2 * SECOND);
	for (unsigned int i = 0; i < 512; i++)
		n_entries += port.reta[i] == 3;
	assert_in_range(n_entries, 79, 81); // (512 + 64) / 4 - 64
}

// A slow clock of one queue: each tenth cost is far off. That is no reason to move.
TEST(a_cost_that_jumps_now_and_then_moves_little) {
	unsigned int n = 0;

	port_init_even(512, 8, 1, 1000);
	for (unsigned int i = 0; i < 60 * SECOND; i++) {
		for (unsigned int q = 0; q < 8; q++)
			port.costs[q] = 300 * (0.99 + 0.02 * uniform(&port.random));
		n += port_run();
	}
	assert_true(n <= 60);
}

// On for an interval and off for one: its next value is no better known than its mean.
TEST(an_entry_that_comes_and_goes_is_not_chased) {
	unsigned int n = 0;

	port_init_even(512, 16, 1, 9000);
	for (unsigned int i = 0; i < 60 * SECOND; i++) {
		port.rates[100] = i % 2 ? 9000 : 9000 + 0.2 * 32 * 9000;
		n += port_run();
	}
	assert_true(n <= 60);
}

// Each entry goes its own way, a little in each interval: too slow means would fall behind.
TEST(entries_that_drift_are_followed) {
	double sum = 0;

	port_init_even(512, 16, 1, 9000);
	for (unsigned int i = 0; i < 60 * SECOND; i++) {
		for (unsigned int e = 0; e < 512; e++) {
			port.rates[e] *= 1 + 0.1 * (uniform(&port.random) - 0.5);
			if (port.rates[e] > 27000)
				port.rates[e] = 27000;
		}
		port_run();
		sum += imbalance();
	}
	assert_true(sum / (60 * SECOND) < 1.03);
}

// The caller may not make a move: it is proposed again, from where the entry still is.
TEST(a_move_that_was_not_made_is_no_trouble) {
	port_init(512, 8, 1);
	zipf_fill(10000, 0.9, 1e6);
	for (unsigned int i = 0; i < 2 * SECOND; i++) {
		uint16_t reta[N_ENTRIES];

		memcpy(reta, port.reta, sizeof(reta));
		assert_true(port_run() > 0);
		memcpy(port.reta, reta, sizeof(reta));
	}
}

// In no entry alone is it certain; else the loads of queues follow it for seconds.
TEST(traffic_that_grows_as_a_whole_is_seen_in_its_first_interval) {
	double sum = 0;

	port_init_even(512, 4, 1, 100);
	port_run_for(3 * SECOND);
	for (unsigned int i = 0; i < 512; i++)
		port.rates[i] = 125;
	port_run();
	for (unsigned int i = 0; i < 512; i++)
		sum += port.balancer.packets[i].mean;
	assert_float_equal(sum, 512 * 125, 512 * 2);
}

static const struct steady {
	const char *name;
	double exponent;
	unsigned int n_entries, n_queues;
	double packets; // in an interval
} steady[] = {
	{"steady_zipf_0_9_settles_on_16_queues", 0.9, 512, 16, 4e6},
	{"steady_zipf_1_0_settles_on_8_queues", 1.0, 512, 8, 4e6},
	{"steady_zipf_1_0_settles_on_16_queues", 1.0, 512, 16, 4e6},
	{"steady_zipf_1_0_settles_with_few_entries", 1.0, 128, 16, 4e6},
	{"steady_zipf_1_0_settles_at_a_low_rate", 1.0, 512, 16, 4e4},
	{"steady_zipf_1_1_settles_on_16_queues", 1.1, 512, 16, 4e6},
	{"steady_zipf_1_3_settles_on_8_queues", 1.3, 512, 8, 4e6},
	{"steady_zipf_0_9_settles_on_64_queues", 0.9, 512, 64, 8e6},
};

ROWS_TEST(steady_traffic_settles, steady) {
	const struct steady *row = *state;

	for (unsigned int seed = 0; seed < 20; seed++) {
		port_init(row->n_entries, row->n_queues, seed);
		zipf_fill(32000, row->exponent, row->packets);
		port_run_for(2 * SECOND);
		for (unsigned int second = 0; second < 10; second++)
			assert_in_range(port_run_for(SECOND), 0, 10);
		// No worse than the largest entry, or the largest two in few queues.
		if (port.balancer.bound_entry == DDP_BALANCER_NONE && row->n_queues <= 16)
			assert_true(imbalance() < 1.05);
	}
}

static void step_by_chance(void) {
	for (unsigned int i = 0; i < port.n_entries; i++) {
		unsigned int bits = random_below(&port.random, 33);

		port.packets[i] = random_next(&port.random) >> 32;
		port.packets[i] = bits == 0 ? 0 : port.packets[i] >> (32 - bits);
	}
	for (unsigned int q = 0; q < port.n_queues; q++) {
		port.others[q] =
			random_below(&port.random, 3) ? 0 : random_below(&port.random, 1e6);
		port.usable[q] = random_below(&port.random, 8) > 0;
		port.costs[q] = random_below(&port.random, 8) * 37.5;
	}
	if (random_below(&port.random, 10) == 0)
		for (unsigned int i = 0; i < port.n_entries; i++)
			port.reta[i] = random_below(&port.random, port.n_queues);
	port_decide();
}

TEST(whatever_happens_moves_are_sound) {
	for (unsigned int seed = 0; seed < 400; seed++) {
		port_init(1, 1, seed);
		port_init(1U << random_below(&port.random, 10),
			  1 + random_below(&port.random, DDP_BALANCER_QUEUES), seed);
		for (unsigned int i = 0; i < 50; i++)
			step_by_chance();
	}
}
