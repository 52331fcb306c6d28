/* SPDX-License-Identifier: BSD-3-Clause */
// net_ddp under full load while everything is changed that may be: two workers, a source that never
// ends. Each packet is judged (poller.h), all are accounted for, and all mbufs come back. With -b
// the same over NICs that hash and spread packets as the port does, so that these bypass its rings.
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "changes.h"
#include "packet_stream.h"
#include "poller.h"
#include "pool.h"
#include "port/counts/stats.h"
#include "port/lower/lower.h"
#include "port/run/order.h"
#include "port/state/control.h"
#include "port/state/rte_pmd_ddp.h"
#include "stress_flows.h"

#define POOL_SIZE 100000
#define STALL_MS 60000 // of what should not last
// Packets that pass while a change is made, at most, as the median: building what is exchanged
// takes its time, the exchange hardly any.
#define PACKETS_AMID_MAX 100000
#define DEEP 4096     // rings on which some milliseconds of packets wait
#define ROUNDS_MIN 10 // decisions of load-aware RSS
// Packets that pass while a queue is not polled.
#define NEGLECT_PACKETS 1500
// Minimum of packets that bypass the rings between two changes.
#define BYPASS_MIN 64
#define BYPASS_PERCENT_MIN 10 // of all that are taken between changes

// Make-believe NICs.
#define ICE_OS ",nic=1),offload=auto:ice-os"
#define ICE_COMMS ",nic=2),offload=auto:ice-comms"

static const struct stage stages[] = {
	{.n_queues = 1, .n_lower = 1, .n_desc = 128, .wait = true},
	{.n_queues = 8, .n_lower = 1, .n_desc = 256, .wait = true, .forward = true},
	{.n_queues = 8, .n_lower = 2, .n_desc = 32},
	{.n_queues = 64, .n_lower = 2, .n_desc = 64, .wait = true},
	{.n_queues = 64, .n_lower = 4, .n_desc = 64, .forward = true},
	{.n_queues = 4, .n_lower = 1, .n_desc = DEEP, .wait = true},
	{.n_queues = 16, .n_lower = 8, .n_desc = 256},
};

static const struct stage bypass_stages[] = {
	{.n_queues = 4, .n_lower = 4, .n_desc = 256, .wait = true, .nic = ICE_COMMS},
	{.n_queues = 8, .n_lower = 8, .n_desc = 64, .forward = true, .nic = ICE_COMMS},
	{4, 4, 128, .wait = true, .no_meta = true, .nic = ICE_OS},
};

static unsigned int n_rounds = 200; // of each change
static unsigned int n_between;      // packets between two changes, at most
static uint64_t min_judged;         // packets, with their order judged
static int only_stage, only_change;
static uint32_t random_state;
static struct rte_mempool *pool;
static struct run run;
static const struct stage *stage;
static struct setup setup;  // in force
static bool neglecting;     // one queue
static unsigned int n_slow; // changes with more than PACKETS_AMID_MAX packets
// stream_bypassed at first, and after the last change.
static uint64_t first_bypassed, last_bypassed;

// Of all stages.
static uint64_t n_changes_made;
static uint64_t n_quiet, n_bypassed; // packets taken while no change was under way; of them
static uint64_t n_judged;            // packets, where the order of flows must hold

static void must(int ret, const char *what) {
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-ret));
	exit(1);
}

// Wait until the condition holds. False: it lasted too long.
#define WAIT(condition, ms)                                                             \
	({                                                                              \
		uint64_t end = rte_get_timer_cycles() + (ms)*rte_get_timer_hz() / 1000; \
		while (!(condition) && rte_get_timer_cycles() < end)                    \
			usleep(20);                                                     \
		(condition);                                                            \
	})

/* Statistics */

static uint64_t xstat(const char *name) {
	uint64_t value = 0;

	if (!xstat_read(run.port, name, &value))
		fault("there is no statistic %s", name);
	return value;
}

static void equal(const char *what, uint64_t is, uint64_t due) {
	if (is != due)
		fault("%s: %lu, due: %lu", what, is, due);
}

/* Changes under load */

static void *alloc(size_t n, size_t size) {
	void *memory = calloc(n, size);

	must(memory == NULL ? -ENOMEM : 0, "set-ups");
	return memory;
}

static void setup_add(const struct setup *of, unsigned int round, bool steers) {
	struct verdict *verdicts = alloc(FLOWS, sizeof(*verdicts));

	for (uint32_t i = 0; i < FLOWS; i++)
		verdict_find(i, of, &verdicts[i]);
	run.made[round] = (struct made){
		.verdicts = verdicts,
		.stopped = of->stopped ? RTE_BIT64(of->stopped_queue) : 0,
		.steers = steers,
	};
}

// Packets received; of those for a queue that is stopped none is.
static uint64_t traffic_read(void) {
	return setup.stopped ? stream_emitted : tally.received;
}

// Wait until n more packets came. While a queue is not polled there may be none.
static void traffic_wait(uint64_t n) {
	uint64_t due = traffic_read() + n;

	if (!WAIT(traffic_read() >= due, neglecting ? 125 : STALL_MS) && !neglecting) {
		fprintf(stderr, "the port stalls: %lu packets in %d ms, not %lu\n",
			traffic_read() + n - due, STALL_MS, n);
		abort();
	}
}

// Should some packets bypass the rings with the present setup?
static bool bypass_is_due(void) {
	return run.bypass && setup.rss_hf != 0 && !setup.stopped && !setup.rule_src &&
	       !setup.rule_queue.on && !setup.rule_drop.on && !setup.rule_mark.on &&
	       !setup.rules_idle;
}

// Packets bypass the rings again after every change.
static void bypass_wait(uint64_t n) {
	if (!bypass_is_due() || WAIT(stream_bypassed >= last_bypassed + n, STALL_MS))
		return;
	fprintf(stderr, "in %d ms only %lu packets, not %lu, bypass the rings after a change\n",
		STALL_MS, stream_bypassed - last_bypassed, n);
	abort();
}

static void change_make(const struct change *change, unsigned int round) {
	struct setup next = setup;
	uint64_t before;
	int ret;

	assert(round <= ORDER_CHANGES_MAX);
	n_changes_made++;
	change->plan(&next, stage->n_queues, &random_state);
	setup_add(&next, round, change->steers);
	stream_begun = round;
	before = stream_emitted;
	ret = change->apply(run.port, &setup, &next);
	n_slow += stream_emitted - before > PACKETS_AMID_MAX;
	stream_done = round;
	if (ret < 0)
		fault("%s: %s", change->name, strerror(-ret));
	setup = next;
	last_bypassed = stream_bypassed;
	// A moment's rx_in_rings may be more than fits. A packet that is counted before it was
	// taken would make it less than none.
	if ((int64_t)xstat("rx_in_rings") < 0)
		fault("%ld packets are on rings", xstat("rx_in_rings"));
	traffic_wait(random_next(&random_state) % n_between);
	bypass_wait(BYPASS_MIN + random_next(&random_state) % n_between);
}

/* Sums */

// Let all packets that were taken come to the workers.
static void drain(void) {
	bool good;

	stream_emits = false;
	if (!WAIT(stream_waiting() == 0, STALL_MS))
		fault("%lu packets wait in the lower device", stream_waiting());
	good = WAIT(xstat("rx_in_rings") == 0, STALL_MS);
	workers_park(); // the packets in their hands are counted then
	workers_resume();
	if ((stage->forward && !WAIT(xstat("tx_in_rings") == 0, STALL_MS)) || !good)
		fault("packets are stranded: %lu Rx, %lu Tx", xstat("rx_in_rings"),
		      xstat("tx_in_rings"));
}

static void rx_sums_check(uint64_t received, bool was_reset, bool stops) {
	struct rte_eth_stats stats;
	uint64_t missed = xstat("rx_missed_packets");

	must(rte_eth_stats_get(run.port, &stats), "rte_eth_stats_get");
	equal("taken, as the sum of where it went", xstat("rx_lower_packets"),
	      xstat("rx_delivered_packets") + missed + xstat_dropped_by_rule(run.port) +
		      xstat("rx_dropped_at_stop"));
	equal("packets on rings", xstat("rx_in_rings"), 0);
	equal("ipackets", stats.ipackets, xstat("rx_delivered_packets"));
	equal("imissed", stats.imissed, missed);
	if (was_reset)
		return;
	equal("taken", xstat("rx_lower_packets"), stream_emitted);
	equal("delivered", stats.ipackets, received);
	if (stage->wait && !stops)
		equal("missed", missed, 0);
}

static void tx_sums_check(uint64_t sent, bool was_reset) {
	struct rte_eth_stats stats;

	must(rte_eth_stats_get(run.port, &stats), "rte_eth_stats_get");
	equal("packets on Tx rings", xstat("tx_in_rings"), 0);
	if (was_reset)
		return;
	equal("sent", sent, stats.opackets + xstat("tx_dropped_at_stop"));
	equal("opackets", stats.opackets, stream_sent);
}

// Whether a rule may have dropped packets of a flow, or a queue that it was on before was stopped,
// on whose ring some were still.
static bool flow_was_dropped(uint32_t flow, unsigned int n_setups) {
	uint64_t queues = 0;

	for (unsigned int i = 0; i < n_setups; i++) {
		const struct verdict *verdict = &run.made[i].verdicts[flow];

		queues |= verdict->anywhere ? UINT64_MAX : RTE_BIT64(verdict->queue);
		if (verdict->dropped || verdict->missed || (queues & run.made[i].stopped) != 0)
			return true;
	}
	return false;
}

// If a full queue waits and the port was not stopped, each packet of each flow came, or a rule or a
// stopped queue dropped it.
static void flows_check(unsigned int n_setups, bool was_reset) {
	uint64_t n_lacking = 0;

	for (uint32_t i = 0; i < FLOWS; i++) {
		uint32_t emitted = stream_flow_emitted(i), received = flows_received[i];

		n_lacking += emitted - received;
		if (emitted != received && !flow_was_dropped(i, n_setups))
			fault("flow %u: %u of %u packets came", i, received, emitted);
	}
	if (!was_reset)
		equal("dropped by a rule or missed",
		      xstat_dropped_by_rule(run.port) + xstat("rx_missed_packets"), n_lacking);
}

// The numbers in ddp_meta are those of the packet types that the packets had.
static void names_check(void) {
	for (unsigned int id = 0; id <= UINT16_MAX; id++) {
		uint8_t type = types_seen[id];
		char name[64];

		if (type != 0 && rte_pmd_ddp_ptype_name(run.port, id, name, sizeof(name)) > 0 &&
		    strcmp(name, type_names[type - 1]) != 0)
			fault("ptype_id %u is %s, and %s in packets", id, name,
			      type_names[type - 1]);
	}
}

/* A stage */

static void traffic_begin(unsigned int n, bool gives_up) {
	run.made = alloc(n + 1, sizeof(*run.made));
	run.gives_up = gives_up;
	run.ddp = rte_eth_devices[run.port].data->dev_private;
	setup_add(&setup, 0, false);
	stream_begun = stream_done = 0;
	stream_reset();
	workers_reset();
	order_reset();
	last_bypassed = first_bypassed = stream_bypassed;
	must(rte_eth_stats_reset(run.port), "rte_eth_stats_reset");
	changes_count_drops(run.port, &setup);
	stream_emits = true;
	workers_resume();
}

// Stop the port with packets on its rings, or let all of them come first.
static void traffic_end(bool drained) {
	if (drained)
		drain();
	workers_park();
	if (!drained) {
		stream_dropped_some = true;
		reader_park();
		must(rte_eth_dev_stop(run.port), "rte_eth_dev_stop");
		stream_emits = false;
	}
}

// Check that no packet type had a hash, or a queue, other than expected.
static void hardware_hashes_check(void) {
	struct ddp_port *port = ddp_registry_get(run.port);

	ddp_hw_ptypes_watch(port);
	if (port->offload.n_mismatched > 0 || port->offload.misrouted)
		fault("%u packet types are found wrong%s: the lower device is no more trusted",
		      port->offload.n_mismatched,
		      port->offload.misrouted ? ", and their queues" : "");
	ddp_registry_put(port);
}

static uint64_t percent(uint64_t part, uint64_t all) {
	return all == 0 ? 0 : 100 * part / all;
}

static void section_report(const char *name, uint64_t tsc) {
	char text[256];

	printf("  %-20s %8lu taken %8lu delivered %8lu missed %6lu by rule %5lu at stop; "
	       "%6lu amid; %.1f s%s%s\n",
	       name, stream_emitted, tally.received, xstat("rx_missed_packets"),
	       xstat_dropped_by_rule(run.port), xstat("rx_dropped_at_stop"), tally.amid,
	       (double)(rte_get_timer_cycles() - tsc) / rte_get_timer_hz(),
	       order_text(text, sizeof(text))[0] != '\0' ? "; " : "", text);
	if (run.bypass)
		printf("  %-20s %8lu bypassed: %lu %% between changes\n", "",
		       stream_bypassed - first_bypassed,
		       percent(stream_bypassed - first_bypassed, tally.received - tally.amid));
}

/* Sections */

// Every round makes a change of any kind, or none.
static const struct change any_change = {
	.name = "any of these", .resets = true, .stops = true, .unlocked = true};
static const struct change no_change = {.name = "none"};

// Changes on a port, under load.
struct section {
	const char *name;
	const struct change *change;
	bool balanced;  // load-aware RSS is on when it begins, every millisecond; skewed traffic
	bool at_random; // it moves entries at random
	bool neglects;  // queues are not polled for a while
};

static const struct section balance_sections[] = {
	{"load-aware RSS", &no_change, .balanced = true},
	{"random moves", &no_change, .balanced = true, .at_random = true, .neglects = true},
	{"..., RETA", &changes[0], .balanced = true, .at_random = true},
	{"..., any change", &any_change, .balanced = true, .at_random = true},
	{"..., queues left", &any_change, .balanced = true, .at_random = true, .neglects = true},
	{"load-aware, any", &any_change, .balanced = true},
};

static bool change_possible(const struct change *change) {
	return change->possible == NULL || change->possible(run.port);
}

static const struct change *change_choose(const struct change *change) {
	if (change != &any_change)
		return change;
	do
		change = &changes[random_next(&random_state) % n_changes];
	while (!change_possible(change));
	return change;
}

// The others get their packets while a queue is not polled. With overflow=wait its ring must not
// get full.
static void others_wait(uint16_t queue) {
	uint64_t due = tally.received + NEGLECT_PACKETS;

	if (stage->wait &&
	    (stage->n_desc < DEEP || rte_eth_rx_queue_count(run.port, queue) >= DEEP / 8))
		return;
	if (!WAIT(traffic_read() >= due, STALL_MS))
		fault("while queue %u is not polled, the others stall", queue);
}

// Have a queue not polled for 15 to 30 intervals of load-aware RSS, which then gives moves up; or
// for so long that a change made meanwhile (NULL: none) gives up, too.
static void queue_neglect(const struct change *change, unsigned int round) {
	uint16_t queue = random_next(&random_state) % stage->n_queues;

	neglecting = true;
	workers_neglect(queue);
	usleep(1000 * (15 + random_next(&random_state) % 16));
	if (change == &no_change) {
		others_wait(queue);
	} else if (change != NULL) {
		change_make(change_choose(change), round);
		usleep(DDP_ORDER_WAIT_US * 5 / 4);
	}
	workers_neglect(QUEUE_NONE);
	neglecting = false;
}

static void round_make(const struct section *section, unsigned int round) {
	const struct change *change = section->change;
	const bool none = change == &no_change, amid = none || round % 16 == 3;

	if (section->neglects && round % 4 == 3) {
		queue_neglect(amid ? change : NULL, round);
		if (amid)
			return;
	}
	if (none)
		traffic_wait(random_next(&random_state) % n_between);
	else
		change_make(change_choose(change), round);
}

/* The order, and load-aware RSS */

// Of the port, ever.
struct order_port {
	uint64_t parked, given_up, rounds, moves, longest_us;
};

static struct order_port order_port_read(void) {
	struct ddp_port *port = ddp_registry_get(run.port);
	struct order_port order = {
		.longest_us =
			ddp_balance_numbers(port, ddp_stats_read(port)).order_longest_parking_us,
	};

	for (unsigned int i = 0; i < stage->n_lower; i++) {
		order.parked += counter_read(&port->lower_rxqs[i].order_counts.parked);
		order.given_up += counter_read(&port->lower_rxqs[i].order_counts.given_up);
	}
	if (port->balance != NULL) {
		order.rounds = port->balance->balancer.rounds;
		order.moves = port->balance->balancer.n_moves;
	}
	ddp_registry_put(port);
	return order;
}

// Load-aware RSS gives moves up when it likes, and the order holds all the same.
static void order_check(bool drained, const struct order_port *before) {
	const struct order_port now = order_port_read();
	const uint64_t n_given_up = now.given_up - before->given_up;
	if (n_given_up > 0 && order_counts.late == 0 && drained && !setup.adrift)
		fault("%lu waits were given up, while all queues were polled", n_given_up);
	if (n_given_up == 0 &&
	    order_counts.overtaken[ORDER_GIVEN_UP] + order_counts.conflicts[ORDER_GIVEN_UP] > 0)
		fault("flows are out of order, and no wait was given up");
	if (!run.bypass)
		n_judged += tally.received;
	printf("  %-20s %8lu parked, %lu us at most; %lu moves; %lu given up\n", "",
	       now.parked - before->parked, now.longest_us, now.moves - before->moves, n_given_up);
}

static void section_check(unsigned int n, bool drained, bool was_reset, bool stops) {
	// Rules count what they drop.
	if (!was_reset)
		equal("dropped by rules", xstat_dropped_by_rule(run.port),
		      changes_n_dropped(run.port, &setup));
	rx_sums_check(tally.received, was_reset, stops);
	if (stage->forward)
		tx_sums_check(tally.sent, was_reset);
	if (drained && stage->wait)
		flows_check(n + 1, was_reset);
	names_check();
	if (run.bypass)
		hardware_hashes_check();
	n_quiet += tally.received - tally.amid;
	n_bypassed += stream_bypassed - first_bypassed;
}

static unsigned int rounds_of(const struct change *change) {
	if (change == &no_change)
		return 4 * n_rounds;
	if (run.bypass && change->slow)
		return n_rounds / 4 + 1;
	return change->pairs ? 2 * n_rounds : n_rounds;
}

// The port and the packets as the section begins with.
static void section_begin(const struct section *section, unsigned int n) {
	const struct change *change = section->change;

	n_slow = 0;
	run.unlocked = change->unlocked;
	must(changes_spread(run.port, &setup, stage->n_queues), "spread");
	moves_random = section->at_random;
	stream_skewed = section->balanced;
	if (section->balanced) {
		must(changes_flush(run.port, &setup), "flush");
		setup.balance_ms = 1;
		setup.adrift = true;
		must(rte_pmd_ddp_balance_set(run.port, 1), "rte_pmd_ddp_balance_set");
	}
	traffic_begin(n, change != &no_change);
}

static void section_run(const struct section *section, bool drained) {
	const struct change *change = section->change;
	unsigned int n = rounds_of(change);
	uint64_t tsc = rte_get_timer_cycles();
	struct order_port order;

	if (!change_possible(change)) {
		printf("  %-20s the port cannot do it\n", section->name);
		return;
	}
	section_begin(section, n);
	order = order_port_read();
	for (unsigned int i = 1; i <= n; i++)
		round_make(section, i);
	// Load-aware RSS decides where to move entries, though not while packets are parked.
	if (section->balanced && change == &no_change &&
	    !WAIT(order_port_read().rounds >= order.rounds + ROUNDS_MIN, STALL_MS))
		fault("load-aware RSS decides nothing");
	traffic_end(drained);
	if (stage->n_lower == 1 && n_slow > n / 2)
		fault("%s: %u of %u changes took the time of %u packets", section->name, n_slow, n,
		      PACKETS_AMID_MAX);
	section_check(n, drained, change->resets, change->stops);
	section_report(section->name, tsc);
	order_check(drained, &order);
	for (unsigned int i = 0; i <= n; i++)
		free(run.made[i].verdicts);
	free(run.made);
	if (drained)
		return;
	must(rte_eth_dev_start(run.port), "rte_eth_dev_start");
	reader_resume();
}

// The port counts packets that bypass it by lower queue.
static void bypass_watch(bool watch) {
	struct ddp_port *port = ddp_registry_get(run.port);

	for (uint16_t q = 0; run.bypass && q < stage->n_lower; q++)
		stream_watch(q, watch ? &port->lower_rxqs[q].offloaded : NULL);
	ddp_registry_put(port);
}

static void port_open(void) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	uint16_t n_txq = stage->forward ? stage->n_queues : 0;
	char devargs[256];

	setup_init(&setup, stage->n_queues);
	conf.rx_adv_conf.rss_conf.rss_hf = setup.rss_hf;
	snprintf(devargs, sizeof(devargs),
		 "dev(net_stream0,rxq=%u%s,lower_queues=%u,overflow=%s,meta=%s", stage->n_lower,
		 stage->nic != NULL ? stage->nic : ")", stage->n_lower,
		 stage->wait ? "wait" : "drop", stage->no_meta ? "off" : "on");
	printf("%s: %u Rx queues%s\n", devargs, stage->n_queues,
	       stage->forward ? ", sent back through one slow Tx queue" : "");
	must(rte_vdev_init("net_ddp0", devargs), "net_ddp0");
	must(rte_eth_dev_get_port_by_name("net_ddp0", &run.port), "net_ddp0");
	must(rte_eth_dev_configure(run.port, stage->n_queues, n_txq, &conf), "configure");
	for (uint16_t i = 0; i < stage->n_queues; i++)
		must(rte_eth_rx_queue_setup(run.port, i, stage->n_desc, 0, NULL, pool), "Rx queue");
	for (uint16_t i = 0; i < n_txq; i++)
		must(rte_eth_tx_queue_setup(run.port, i, stage->n_desc, 0, NULL), "Tx queue");
	must(rte_eth_dev_start(run.port), "rte_eth_dev_start");
	bypass_watch(true);
}

static void port_close(void) {
	bypass_watch(false);
	must(rte_eth_dev_stop(run.port), "rte_eth_dev_stop");
	must(rte_eth_dev_close(run.port), "rte_eth_dev_close");
	must(rte_vdev_uninit("net_ddp0"), "rte_vdev_uninit");
	equal("mbufs in the pool", rte_mempool_avail_count(pool), POOL_SIZE);
}

static void sections_run(void) {
	const unsigned int n_more =
		run.bypass || stage->n_queues == 1 ? 0 : RTE_DIM(balance_sections);

	for (int i = 0; i < (int)(n_changes + 1 + n_more); i++) {
		struct section section = {.name = any_change.name, .change = &any_change};

		if (i < (int)n_changes)
			section = (struct section){.name = changes[i].name, .change = &changes[i]};
		else if (i > (int)n_changes)
			section = balance_sections[i - n_changes - 1];
		if (only_change < 0 || only_change == i)
			section_run(&section, i == (int)n_changes || i % 2 == 0);
	}
}

static void stage_run(const struct stage *of) {
	stage = of;
	run.stage = stage;
	run.bypass = stage->nic != NULL;
	port_open();
	workers_start(&run);
	reader_start(run.port);
	stream_slow = true;
	changes_balance = !run.bypass && stage->n_queues > 1;
	sections_run();
	reader_stop();
	workers_stop();
	port_close();
}

static void usage(FILE *out) {
	fprintf(out,
		"usage: stress [-b] [-n ROUNDS] [-w WORKERS] [-p PACKETS] [-j PACKETS] [-s SEED]\n"
		"              [-g STAGE] [-c CHANGE]\n"
		"  -b           over lower devices that hash, so that packets bypass the rings\n"
		"  -n ROUNDS    of each change on each port (default 200); with -b a quarter of what\n"
		"               the lower device has to be asked for at length\n"
		"  -w WORKERS   threads that poll, 1 to 8 (default 2)\n"
		"  -p PACKETS   between two changes, at most (default 3000)\n"
		"  -j PACKETS   of which the order has to be judged, at least (default 0)\n"
		"  -s SEED      of all that is random (default 1)\n"
		"  -g STAGE     only this one, from 0\n"
		"  -c CHANGE    only this one, from 0\n");
}

static void sums_report(bool bypass) {
	printf("stress: %lu changes; order judged of %lu packets\n", n_changes_made, n_judged);
	if (n_judged < min_judged)
		fault("the order of %lu packets was judged, not of %lu", n_judged, min_judged);
	if (bypass)
		printf("stress: %lu (%lu %%) of %lu packets between changes bypassed the rings\n",
		       n_bypassed, percent(n_bypassed, n_quiet), n_quiet);
	if (bypass && percent(n_bypassed, n_quiet) < BYPASS_PERCENT_MIN)
		fault("less than %d %% of the packets bypassed the rings between changes",
		      BYPASS_PERCENT_MIN);
}

int main(int argc, char **argv) {
	long options[128] = {
		['n'] = n_rounds, ['w'] = 2, ['p'] = 3000, ['s'] = 1, ['g'] = -1, ['c'] = -1};
	char words[] = "stress --no-huge --no-shconf --no-pci --no-telemetry -m 512 -l 0 "
		       "--log-level=lib.*:3 --log-level=user*:3 --log-level=pmd.net.ddp:1";
	bool bypass = false;

	for (int opt; (opt = getopt(argc, argv, "bn:w:p:j:s:g:c:h")) != -1;) {
		if (opt == 'h' || opt == '?') {
			usage(opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		bypass |= opt == 'b';
		options[opt] = optarg != NULL ? atol(optarg) : 0;
	}
	n_rounds = options['n'];
	run.n_workers = RTE_MIN(RTE_MAX(options['w'], 1), WORKERS_MAX);
	n_between = RTE_MAX(options['p'], 1);
	min_judged = options['j'];
	random_state = options['s'];
	only_stage = options['g'];
	only_change = options['c'];
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("stress: %u rounds, seed %u\n", n_rounds, random_state);
	eal_start(words);
	pool = pool_create("stress", POOL_SIZE, FLOW_FRAME_MAX);
	flows_init();
	for (unsigned int i = 0; i < (bypass ? RTE_DIM(bypass_stages) : RTE_DIM(stages)); i++)
		if (only_stage < 0 || only_stage == (int)i)
			stage_run(bypass ? &bypass_stages[i] : &stages[i]);
	sums_report(bypass);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	printf("stress: %u faults\n", fault_count());
	return fault_count() > 0;
}
