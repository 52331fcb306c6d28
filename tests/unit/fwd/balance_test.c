/* SPDX-License-Identifier: BSD-3-Clause */
// Balancing of a port that is only a redirection table, and of one that does it itself.
#include "test.h"

#include <errno.h>

#include <rte_ethdev.h>

#include "fwd/balance.h"
#include "fwd/workers.h"
#include "port/rte_pmd_ddp.h"
#include "rss/rss.h"

#define N_QUEUES 2
#define N_ENTRIES 128
#define PACKETS 1000 // of an entry in an interval
#define COST 700     // cycles of each

// The device.
static uint16_t reta[DDP_RETA_SIZE];
static unsigned int n_updates, n_written; // calls, and entries that they wrote
static int query_result, update_result;
static unsigned int ddp_ms; // interval of the one that balances itself

int __wrap_rte_eth_dev_rss_reta_query(uint16_t port, struct rte_eth_rss_reta_entry64 *groups,
				      uint16_t size);
int __wrap_rte_eth_dev_rss_reta_update(uint16_t port, struct rte_eth_rss_reta_entry64 *groups,
				       uint16_t size);

int __wrap_rte_eth_dev_rss_reta_query(uint16_t port, struct rte_eth_rss_reta_entry64 *groups,
				      uint16_t size) {
	(void)port;
	for (unsigned int i = 0; i < size; i++)
		groups[i / 64].reta[i % 64] = reta[i];
	return query_result;
}

int __wrap_rte_eth_dev_rss_reta_update(uint16_t port, struct rte_eth_rss_reta_entry64 *groups,
				       uint16_t size) {
	(void)port;
	assert_int_equal(size, N_ENTRIES);
	n_updates++;
	if (update_result < 0)
		return update_result;
	for (unsigned int i = 0; i < size; i++) {
		if ((groups[i / 64].mask >> i % 64 & 1) == 0)
			continue;
		reta[i] = groups[i / 64].reta[i % 64];
		n_written++;
	}
	return 0;
}

int rte_pmd_ddp_ptype_name(uint16_t port, uint16_t id, char *name, size_t size) {
	(void)port;
	(void)id;
	(void)name;
	(void)size;
	return -1;
}

int rte_pmd_ddp_balance_set(uint16_t port, unsigned int ms) {
	(void)port;
	ddp_ms = ms;
	return 0;
}

int rte_pmd_ddp_balance_get(uint16_t port, struct rte_pmd_ddp_balance *told) {
	(void)port;
	*told = (struct rte_pmd_ddp_balance){
		.ms = ddp_ms,
		.rounds = 7,
		.moves = 6,
		.parked = 5,
		.given_up = 4,
		.longest_us = 3,
		.before = 1.5,
		.after = 1.25,
		.worst = 2,
		.bound_entry = RTE_PMD_DDP_NO_ENTRY,
		.bound_share = 0.5,
		.bound_flow = "flow",
	};
	return 0;
}

static struct config config;
static struct ports ports;
static struct rte_eth_dev_info info;
static struct balance balance;
static struct error error;

// A worker for each queue of the port.
static struct queue queues[N_QUEUES];
static struct worker list[N_QUEUES];
static counter entries[N_QUEUES][N_ENTRIES];
static struct workers workers;

static int setup(void **state) {
	static struct queue *all[N_QUEUES];
	static counter *by_port[N_QUEUES][1];

	(void)state;
	memset(queues, 0, sizeof(queues));
	memset(list, 0, sizeof(list));
	memset(entries, 0, sizeof(entries));
	memset(&error, 0, sizeof(error));
	for (unsigned int i = 0; i < N_QUEUES; i++) {
		all[i] = &queues[i];
		by_port[i][0] = entries[i];
		queues[i].queue = i;
		list[i].entries = by_port[i];
	}
	workers = (struct workers){
		.list = list,
		.n = N_QUEUES,
		.queues = all,
		.n_queues = N_QUEUES,
		.n_ports = 1,
	};
	ddp_reta_fill(reta, DDP_RETA_SIZE, N_QUEUES);
	n_updates = n_written = 0;
	query_result = update_result = 0;
	ddp_ms = 0;
	config = (struct config){
		.n_rxq = N_QUEUES,
		.balance_ms = 100,
		.rss_hf = DDP_RSS_HF_ALL,
	};
	info = (struct rte_eth_dev_info){
		.reta_size = N_ENTRIES,
		.rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH,
		.flow_type_rss_offloads = RTE_ETH_RSS_IP,
	};
	memset(&ports, 0, sizeof(ports));
	ports.n = 1;
	ports.list[0] = (struct port){.name = "nic", .reta_size = N_ENTRIES};
	return 0;
}

static int teardown(void **state) {
	(void)state;
	balance_fini(&balance);
	return 0;
}

static void begin(void) {
	assert_int_equal(balance_init(&balance, &config, &ports, &error), 0);
	n_updates = n_written = 0;
}

// An interval: each packet is counted by the worker whose queue its entry names. Entries of queue 0
// have factor times as many.
static void interval(unsigned int factor) {
	for (unsigned int i = 0; i < N_ENTRIES; i++) {
		struct queue_load *load = &queues[reta[i]].load;
		uint64_t n = i % N_QUEUES == 0 ? factor * PACKETS : PACKETS;

		counter_add(&entries[reta[i]][i], n);
		counter_add(&load->packets, n);
		counter_add(&load->cycles, n * COST);
	}
	for (unsigned int i = 0; i < N_QUEUES; i++)
		counter_add(&list[i].rounds, 1);
	balance_step(&balance, &workers);
}

static void refused(const char *text) {
	assert_int_equal(balance_check(&ports.list[0], &config, &info, &error), -1);
	assert_int_equal(error.code, EXIT_USAGE);
	assert_string_equal(error.text, text);
}

static void a_port_needs_a_table_of_64_to_512_and_hashes(void **state) {
	static const uint16_t bad[] = {1, 32, 63, 100, 511, 1024, 2048};
	char text[128];

	(void)state;
	for (info.reta_size = 64; info.reta_size <= 512; info.reta_size *= 2)
		assert_int_equal(balance_check(&ports.list[0], &config, &info, &error), 0);
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		info.reta_size = bad[i];
		snprintf(
			text, sizeof(text),
			"--balance: port 0 (nic) has a redirection table of %u entries, not of 64, "
			"128, 256 or 512",
			bad[i]);
		refused(text);
	}
	info.reta_size = 0;
	refused("--balance: port 0 (nic) has no redirection table");
	info.reta_size = N_ENTRIES;
	info.rx_offload_capa = 0;
	refused("--balance: port 0 (nic) puts no RSS hash into packets");
	info.rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	config.rss_hf = RTE_ETH_RSS_VXLAN;
	refused("--balance: port 0 (nic) hashes no packets");
	config.rss_hf = DDP_RSS_HF_ALL;
	config.n_rxq = 257;
	refused("--balance: port 0 (nic) can be balanced over at most 256 Rx queues");
}

static void nothing_is_asked_of_a_port_that_is_not_balanced(void **state) {
	(void)state;
	config.balance_ms = 0;
	info = (struct rte_eth_dev_info){0};
	assert_int_equal(balance_check(&ports.list[0], &config, &info, &error), 0);
	begin();
	assert_int_equal(balance.n, 0);
}

static void a_table_that_cannot_be_read_or_written_is_an_error(void **state) {
	(void)state;
	query_result = -ENOTSUP;
	assert_int_equal(balance_init(&balance, &config, &ports, &error), -1);
	assert_string_equal(
		error.text,
		"--balance: port 0 (nic): cannot read its redirection table: Operation not supported");
	balance_fini(&balance);
	query_result = 0;
	update_result = -EBUSY;
	assert_int_equal(balance_init(&balance, &config, &ports, &error), -1);
	assert_string_equal(
		error.text,
		"--balance: port 0 (nic): cannot write its redirection table: Device or resource busy");
	balance_fini(&balance);
	update_result = 0;
	reta[5] = N_QUEUES;
	assert_int_equal(balance_init(&balance, &config, &ports, &error), -1);
}

static void an_even_port_keeps_its_table(void **state) {
	(void)state;
	begin();
	for (unsigned int i = 0; i < 20; i++)
		interval(1);
	assert_int_equal(n_updates, 0);
	assert_int_equal(balance.ports[0].rounds, 20);
	assert_int_equal(balance.ports[0].moves, 0);
	assert_true(balance.ports[0].worst < 1.001);
}

static void entries_of_the_loaded_queue_move_until_queues_are_even(void **state) {
	const struct port_balance *row;
	double worst;

	(void)state;
	begin();
	interval(3); // 1.5 times the mean
	row = &balance.ports[0];
	assert_true(row->before > 1.49 && row->before < 1.51);
	assert_true(row->moves > 0 && row->after < row->before);
	assert_int_equal(n_updates, 1);
	worst = row->before;
	for (unsigned int i = 0; i < 20; i++)
		interval(3);
	assert_true(row->before < 1.03);
	assert_true(row->worst == worst);
	assert_int_equal(row->moves, n_written); // only what moves is written
	assert_int_equal(row->rounds, 21);
	assert_false(row->keeps_order);
}

// What a packet costs counts, and it differs between queues.
static void a_queue_with_costly_packets_gives_entries_away(void **state) {
	unsigned int n = 0;

	(void)state;
	begin();
	for (unsigned int round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < N_ENTRIES; i++) {
			counter_add(&entries[reta[i]][i], PACKETS);
			counter_add(&queues[reta[i]].load.packets, PACKETS);
			counter_add(&queues[reta[i]].load.cycles,
				    (1 + 2 * reta[i]) * PACKETS * COST);
		}
		for (unsigned int i = 0; i < N_QUEUES; i++)
			counter_add(&list[i].rounds, 1);
		balance_step(&balance, &workers);
	}
	for (unsigned int i = 0; i < N_ENTRIES; i++)
		n += reta[i] == 1;
	assert_true(n > N_ENTRIES / 4 - 5 && n < N_ENTRIES / 4 + 5); // a quarter costs as much
}

static void packets_without_a_hash_are_load_of_their_queue(void **state) {
	unsigned int n = 0;

	(void)state;
	begin();
	for (unsigned int i = 0; i < 20; i++) {
		counter_add(&queues[1].load.unhashed, N_ENTRIES / 2 * PACKETS);
		interval(1);
	}
	for (unsigned int i = 0; i < N_ENTRIES; i++)
		n += reta[i] == 1;
	assert_true(n > N_ENTRIES / 4 - 5 && n < N_ENTRIES / 4 + 5);
}

static void a_queue_that_nobody_polls_gets_no_entry(void **state) {
	(void)state;
	begin();
	for (unsigned int i = 0; i < 5; i++) {
		interval(3);
		if (n_written != 0)
			break;
	}
	assert_true(n_written != 0);
	teardown(NULL);
	setup(NULL);
	begin();
	for (unsigned int i = 0; i < 5; i++) {
		counter_add(&list[1].rounds, -1);
		interval(3);
	}
	assert_int_equal(n_written, 0);
}

static void a_table_that_is_refused_later_stays_and_is_tried_again(void **state) {
	const struct port_balance *row;

	(void)state;
	begin();
	row = &balance.ports[0];
	update_result = -EBUSY;
	interval(3);
	interval(3);
	assert_int_equal(n_written, 0);
	assert_int_equal(row->moves, 0);
	assert_true(row->after == row->before && row->before > 1.4);
	update_result = 0;
	for (unsigned int i = 0; i < 20; i++)
		interval(3);
	assert_true(row->before < 1.03);
}

static void an_elephant_is_told(void **state) {
	(void)state;
	begin();
	for (unsigned int i = 0; i < 3; i++) {
		counter_add(&entries[0][0], N_ENTRIES * 2 * PACKETS);
		interval(1);
	}
	assert_true(balance.ports[0].bound_share > 0.6 && balance.ports[0].bound_share < 0.7);
}

static void a_net_ddp_port_balances_itself(void **state) {
	(void)state;
	ports.list[0].is_ddp = true;
	info.reta_size = 0; // whatever it says
	assert_int_equal(balance_check(&ports.list[0], &config, &info, &error), 0);
	begin();
	assert_int_equal(ddp_ms, 100);
	balance_step(&balance, &workers);
	balance_read(&balance);
	assert_int_equal(n_updates, 0);
	assert_true(balance.ports[0].keeps_order);
	assert_int_equal(balance.ports[0].ms, 100);
	assert_int_equal(balance.ports[0].rounds, 7);
	assert_int_equal(balance.ports[0].moves, 6);
	assert_int_equal(balance.ports[0].parked, 5);
	assert_int_equal(balance.ports[0].given_up, 4);
	assert_int_equal(balance.ports[0].longest_us, 3);
	assert_true(balance.ports[0].worst == 2);
	assert_true(balance.ports[0].bound_share == 0); // there is no such entry
}

static void a_net_ddp_port_is_shown_if_its_devargs_say_so(void **state) {
	(void)state;
	ports.list[0].is_ddp = true;
	config.balance_ms = 0;
	begin();
	assert_int_equal(balance.n, 0);
	teardown(NULL);
	ddp_ms = 20;
	begin();
	assert_int_equal(balance.n, 1);
	assert_int_equal(ddp_ms, 20);
	balance_read(&balance);
	assert_int_equal(balance.ports[0].ms, 20);
}

int main(void) {
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
		TEST(a_port_needs_a_table_of_64_to_512_and_hashes),
		TEST(nothing_is_asked_of_a_port_that_is_not_balanced),
		TEST(a_table_that_cannot_be_read_or_written_is_an_error),
		TEST(an_even_port_keeps_its_table),
		TEST(entries_of_the_loaded_queue_move_until_queues_are_even),
		TEST(a_queue_with_costly_packets_gives_entries_away),
		TEST(packets_without_a_hash_are_load_of_their_queue),
		TEST(a_queue_that_nobody_polls_gets_no_entry),
		TEST(a_table_that_is_refused_later_stays_and_is_tried_again),
		TEST(an_elephant_is_told),
		TEST(a_net_ddp_port_balances_itself),
		TEST(a_net_ddp_port_is_shown_if_its_devargs_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
