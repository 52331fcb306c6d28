/* SPDX-License-Identifier: BSD-3-Clause */
// The driver does what `ddpctl simulate --balance` predicts, if a packet costs the same on every
// queue: the same moves in the same order, interval by interval. The alarm rings when this
// test says so, as if packets came by a capture's time.
#include "port_rules.h"

#include <inttypes.h>

#include <rte_alarm.h>

#include "ctl/simulate/balancing.h"
#include "port/exchange/exchange.h"
#include "port/run/load.h"
#include "port/state/control.h"
#include "rss/rss.h"

#define QUEUES 8
#define FLOWS 400
#define INTERVALS 60
#define PACKETS 8000 // of an interval
#define INTERVAL_NS UINT64_C(100000000)
#define START UINT64_C(1700000000000000000)
#define ELEPHANT 5000 // comes in the middle
#define MOVES_MAX 2000

static bool rings_itself; // the alarm of this test
static rte_eal_alarm_callback ring;
static void *ring_arg;

int __real_rte_eal_alarm_set(uint64_t us, rte_eal_alarm_callback fn, void *arg);
int __wrap_rte_eal_alarm_set(uint64_t us, rte_eal_alarm_callback fn, void *arg);

int __wrap_rte_eal_alarm_set(uint64_t us, rte_eal_alarm_callback fn, void *arg) {
	if (!rings_itself)
		return __real_rte_eal_alarm_set(us, fn, arg);
	ring = fn;
	ring_arg = arg;
	return 0;
}

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
	return random_below(&seed, below);
}

// Small numbers are more frequent; the flows that they stand for change with time.
static unsigned int flow_draw(unsigned int interval) {
	unsigned int rank = draw(1 + draw(1 + draw(1 + draw(FLOWS))));

	if (interval >= INTERVALS / 3 && interval < INTERVALS / 2 && draw(3) == 0)
		return ELEPHANT;
	return rank + FLOWS * ((interval + rank) / 20 % 8);
}

// Nothing is known of costs, so all are equal.
static void costs_forget(uint16_t id) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);

	for (unsigned int q = 0; q < rte_eth_devices[id].data->nb_rx_queues; q++)
		memset(&port->rxqs[q].load, 0, sizeof(port->rxqs[q].load));
	ddp_change_end(port);
}

static uint16_t balancing_start(unsigned int n_rxq) {
	uint16_t port = ddp_start("dev(net_testsrc0),balance=on,overflow=wait", n_rxq, 1, 1024);

	poll_to_end(port, n_rxq, 0, NULL);
	costs_forget(port);
	ring(ring_arg); // from here on it measures
	return port;
}

struct prediction {
	struct capture_packet packets[PACKETS];
	uint16_t slots[PACKETS];
	struct balancer *balancer;
};

// Packets of an interval, then the alarm. Nothing may be parked any more when it rings the next
// time: the driver would put off its decision.
static void interval_run(uint16_t port, unsigned int interval, struct prediction *prediction) {
	for (unsigned int i = 0; i < PACKETS; i++) {
		unsigned int flow = flow_draw(interval);

		prediction->packets[i].time_ns =
			START + interval * INTERVAL_NS + i * INTERVAL_NS / PACKETS;
		prediction->slots[i] = hash_of(flow) % DDP_RETA_SIZE;
		packet_feed(0, packet(flow, i));
	}
	assert_int_equal(poll_to_end(port, QUEUES, 0, NULL), PACKETS);
	costs_forget(port);
	ring(ring_arg);
	poll_to_end(port, QUEUES, 0, NULL);
	balancer_count(prediction->balancer, prediction->slots, prediction->packets, PACKETS);
}

// The moves of an interval, which the driver keeps for a while. Returns how many there were until
// then.
static uint64_t moves_keep(uint16_t id, uint64_t n, struct ddp_balancer_move *moves) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);
	const struct ddp_balancer *balancer = &port->balance->balancer;

	for (; n < balancer->n_moves; n++) {
		assert_true(n < MOVES_MAX);
		moves[n] = balancer->moves[n % DDP_BALANCER_LAST];
	}
	ddp_change_end(port);
	return n;
}

TEST(the_driver_makes_the_moves_that_are_predicted) {
	static struct ddp_balancer_move moves[MOVES_MAX];
	static struct prediction prediction;
	static struct steer steer;
	const struct balancing *said;
	struct steer_config config = {
		.n_queues = QUEUES,
		.reta_size = DDP_RETA_SIZE,
		.function = DDP_HASH_TOEPLITZ,
		.rss_hf = DDP_RSS_HF_ALL,
	};
	uint16_t port = balancing_start(QUEUES);
	uint64_t n = 0;

	steer_init(&steer, &config);
	prediction.balancer = balancer_create(&steer, START, INTERVAL_NS, MOVES_MAX);
	for (unsigned int i = 0; i < INTERVALS; i++) {
		interval_run(port, i, &prediction);
		n = moves_keep(port, n, moves);
	}
	said = balancer_end(prediction.balancer);
	assert_int_equal(said->n_moves, n);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(said->moves[i].when, moves[i].round - 1);
		assert_int_equal(said->moves[i].entry, moves[i].entry);
		assert_int_equal(said->moves[i].from, moves[i].from);
		assert_int_equal(said->moves[i].to, moves[i].to);
	}
	assert_true(n > 20 && moves[n - 1].round > INTERVALS / 2 + 1);
	assert_true(said->balanced < said->fixed);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	balancer_destroy(prediction.balancer);
}

static void *round_run(void *arg) {
	ring(ring_arg);
	return NULL;
}

// The alarm rings while a lower queue is locked, as by a worker that the alarm's thread preempted.
// That thread must not wait for it.
static void assert_round_does_not_wait(uint16_t id) {
	struct ddp_port *port = rte_eth_devices[id].data->dev_private;
	bool ends;

	assert_true(ddp_trylock(&port->lower_rxqs[0].lock));
	ends = ends_elsewhere(round_run, NULL);
	ddp_unlock(&port->lower_rxqs[0].lock);
	assert_true(ends);
}

TEST(a_round_without_parked_packets_waits_for_no_worker) {
	uint16_t port = balancing_start(QUEUES);
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;
	uint64_t n = xstat(port, "balance_rounds");

	assert_round_does_not_wait(port);
	assert_int_equal(xstat(port, "balance_rounds"), n + 1);
	// The flow of an entry that is more than a queue's share is sampled when that is possible.
	for (unsigned int i = 0; i < 4; i++) {
		flow_feed(0, ELEPHANT, 0, 2000);
		poll_to_end(port, QUEUES, 0, NULL);
		costs_forget(port);
		assert_round_does_not_wait(port);
	}
	assert_int_equal(xstat(port, "balance_rounds"), n + 5);
	// An alarm within a change rings again behind it, or load-aware RSS would have ended.
	assert_int_equal(ddp_change_try(ddp), 0);
	ring(ring_arg);
	ddp_change_end(ddp);
	ring(ring_arg);
	assert_int_equal(xstat(port, "balance_rounds"), n + 6);
}

// With several workers on one CPU a lower queue is locked most of the time, by one that does not
// run. If a round only tried the lock, the table would stay as it is, and no move would follow.
TEST(a_round_with_parked_packets_waits_for_a_worker_only_to_restore_a_move) {
	uint16_t port = balancing_start(2), entry = hash_of(ELEPHANT) % DDP_RETA_SIZE;
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;
	const uint16_t from = ddp->rss.reta[entry];
	struct ddp_rss rss = ddp->rss;
	const struct ddp_change change = {.rss = &rss, .wait_us = 1};
	struct rte_mbuf *mbuf;
	pthread_t thread;
	uint64_t n;

	flow_feed(0, ELEPHANT, 0, 20);
	assert_int_equal(rte_eth_rx_burst(port, 1 - from, &mbuf, 1), 0);
	rss.reta[entry] = 1 - from;
	assert_int_equal(ddp_change_try(ddp), 0);
	assert_int_equal(ddp_change_apply(ddp, &change), 0);
	ddp_change_end(ddp);
	n = xstat(port, "balance_rounds");
	assert_round_does_not_wait(port);
	flow_feed(0, ELEPHANT, 0, 10);
	while (xstat(port, "balance_given_up") == 0)
		assert_int_equal(rte_eth_rx_burst(port, 1 - from, &mbuf, 1), 0);
	assert_true(ddp_trylock(&ddp->lower_rxqs[0].lock));
	assert_int_equal(pthread_create(&thread, NULL, round_run, NULL), 0);
	wait_wanted(port);
	ddp_unlock(&ddp->lower_rxqs[0].lock);
	pthread_join(thread, NULL);
	assert_int_equal(reta_get(port, entry), from);
	assert_int_equal(xstat(port, "balance_rounds"), n);
	assert_int_equal(poll_to_end(port, 2, 0, NULL), 30);
}

#define LOOP_QUEUES 8
#define LOOP_BACKLOG 1024 // packets of a queue
#define LOOP_INTERVALS 40
#define LOOP_INTERVAL 12000000 // cycles
#define LOOP_PACKET 300        // cycles of the work on one
#define LOOP_HEAVY 3000        // on one of some entries
#define LOOP_SEEDS "1"         // unless BALANCE_SEEDS is set

struct loop_case {
	unsigned int n_threads, n_queues; // of each
	uint32_t beside[2]; // cycles of other work in a turn, of the first two threads
	unsigned int gap;   // cycles between arrivals
	bool heavy;         // entries differ in cost
};

struct loop {
	const struct loop_case *row;
	struct ddp_rxq rxqs[LOOP_QUEUES];
	struct ddp_balancer balancer;
	uint16_t reta[DDP_RETA_SIZE];
	struct ddp_balancer_counters counters;
	uint64_t loads[LOOP_QUEUES]; // cycles of packets
	uint32_t costs[LOOP_QUEUES][LOOP_BACKLOG], head[LOOP_QUEUES], tail[LOOP_QUEUES];
	uint64_t arrived, now[LOOP_QUEUES]; // times, of threads
};

static uint32_t loop_cost(const struct loop *loop, unsigned int entry) {
	return loop->row->heavy && entry % 7 == 0 ? LOOP_HEAVY : LOOP_PACKET;
}

static void loop_arrive(struct loop *loop, uint64_t until) {
	for (; loop->arrived < until; loop->arrived += 1 + draw(2 * loop->row->gap)) {
		unsigned int entry = draw(1 + draw(DDP_RETA_SIZE)), q = loop->reta[entry];

		loop->counters.entries[entry]++;
		loop->loads[q] += loop_cost(loop, entry);
		if (loop->tail[q] - loop->head[q] < LOOP_BACKLOG)
			loop->costs[q][loop->tail[q]++ % LOOP_BACKLOG] = loop_cost(loop, entry);
	}
}

static uint64_t loop_burst(struct loop *loop, unsigned int q, uint64_t now) {
	struct ddp_queue_load *load = &loop->rxqs[q].load;
	unsigned int got;
	uint64_t work = 0;

	loop_arrive(loop, now);
	if (ddp_queue_load_poll(load))
		ddp_queue_load_begin(load, now);
	got = RTE_MIN(loop->tail[q] - loop->head[q], 32U);
	now += 50 + 20 * got;
	if (ddp_queue_load_got(load, got))
		ddp_queue_load_end(load, now, got);
	for (unsigned int i = 0; i < got; i++)
		work += loop->costs[q][loop->head[q]++ % LOOP_BACKLOG];
	return now + work + draw(50) + (draw(200) == 0 ? 5000 : 0);
}

static void loop_turn(struct loop *loop, unsigned int thread) {
	const struct loop_case *row = loop->row;
	uint64_t now = loop->now[thread];

	RTE_PER_LCORE(_lcore_id) = thread;
	for (unsigned int i = 0; i < row->n_queues; i++)
		now = loop_burst(loop, thread * row->n_queues + i, now);
	loop->now[thread] = now + (thread < 2 ? row->beside[thread] : 0);
}

static void loop_interval(struct loop *loop, uint64_t end) {
	struct ddp_balancer_move moves[DDP_BALANCER_MOVES];
	struct ddp_balancer_interval interval;
	unsigned int n, next;

	do {
		next = 0;
		for (unsigned int i = 1; i < loop->row->n_threads; i++)
			if (loop->now[i] < loop->now[next])
				next = i;
		loop_turn(loop, next);
	} while (loop->now[next] < end);
	for (unsigned int i = 0; i < loop->balancer.n_queues; i++)
		loop->counters.queues[i] = ddp_balance_queue_read(&loop->rxqs[i], i);
	ddp_balancer_measure(&loop->balancer, DDP_BALANCER_MS, &loop->counters, &interval);
	interval.reta = loop->reta;
	interval.delivered = NULL;
	interval.usable = NULL;
	n = ddp_balancer_step(&loop->balancer, &interval, moves);
	for (unsigned int i = 0; i < n; i++)
		loop->reta[moves[i].entry] = moves[i].to;
}

static void loop_run(struct loop *loop, const struct loop_case *row, uint64_t seed_of) {
	const unsigned int n_queues = row->n_threads * row->n_queues;
	const uint64_t begin = rte_rdtsc();
	uint64_t sum = 0;

	memset(loop, 0, sizeof(*loop));
	seed = seed_of;
	loop->row = row;
	ddp_balancer_init(&loop->balancer, DDP_RETA_SIZE, n_queues);
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		loop->reta[i] = i % n_queues;
	loop->arrived = begin;
	for (unsigned int i = 0; i < row->n_threads; i++)
		loop->now[i] = begin;
	for (unsigned int i = 0; i < LOOP_INTERVALS; i++) {
		if (i == LOOP_INTERVALS / 2)
			memset(loop->loads, 0, sizeof(loop->loads));
		loop_interval(loop, begin + (uint64_t)(i + 1) * LOOP_INTERVAL);
	}
	for (unsigned int q = 0; q < n_queues; q++)
		sum += loop->loads[q];
	for (unsigned int q = 0; q < n_queues; q++) // even within 10 %
		if (loop->loads[q] * n_queues * 10 < sum * 9 ||
		    loop->loads[q] * n_queues * 10 > sum * 11)
			fail_msg("seed %" PRIu64 ": queue %u of %u has %.1f %%", seed_of, q,
				 n_queues, 100. * loop->loads[q] / sum);
}

TEST(what_does_not_grow_with_the_burst_is_not_the_packets) {
	static const struct loop_case rows[] = {
		{1, 4, {60000}, 2000, false}, // a few packets in a turn
		{1, 4, {60000}, 500, false},  // more than the thread can do
		{1, 8, {3000}, 1000, false},
		{2, 1, {60000}, 1000, false}, // one of two threads has other work
		{2, 1, {20000, 60000}, 1000, false},
		{2, 4, {60000}, 1000, false},
		{4, 2, {0, 30000}, 400, false},
		{4, 1, {0}, 400, false},
		{4, 1, {0}, 600, true}, // the work on packets does count
		{4, 1, {30000}, 600, true},
	};
	static struct loop loop;
	const unsigned int lcore = rte_lcore_id();
	const char *seeds = getenv("BALANCE_SEEDS");
	const uint64_t n_seeds = strtoull(seeds != NULL ? seeds : LOOP_SEEDS, NULL, 10);

	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		for (uint64_t seed_of = 1; seed_of <= n_seeds; seed_of++)
			loop_run(&loop, &rows[i], seed_of);
	RTE_PER_LCORE(_lcore_id) = lcore;
}

static int balance_setup(void **state) {
	rings_itself = true;
	return port_setup(state);
}

GROUP(balance_setup, NULL)
EACH(leak_setup, leak_teardown)
