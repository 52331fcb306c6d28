/* SPDX-License-Identifier: BSD-3-Clause */
// A net_ddp port without memory: it is not probed, does not start, or its change is refused, with
// the reason; then its profiles, its rules and where packets go are what they were.
#include "failing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_flow.h>
#include <rte_log.h>
#include <rte_telemetry.h>

#include "port/harness.h"
#include "port/port_rules.h"

#define MAX 200 // of the allocations of one operation
#define N_FLOWS 8
#define KEY_SIZE 40

static const struct port {
	const char *name, *devargs;
} ports[] = {
	{"base", "dev(net_testsrc0)"},
	{"gtpu", "dev(net_testsrc0,rxq=4),profile=gtpu,lower_queues=4"},
	{"gtpu, offload=auto", "dev(net_testsrc0,rxq=4,nic=2),profile=gtpu,overflow=wait"},
	{"gtpu, offload=require:ice-comms",
	 "dev(net_testsrc0,rxq=4,nic=2),profile=gtpu,offload=require:ice-comms,overflow=wait"},
	{"e810-comms", "dev(net_testsrc0),profile=e810-comms"},
};

/* The log */

static FILE *log_file;

static void log_begin(char *error) {
	log_file = fmemopen(error, ERROR_SIZE, "w");
	rte_openlog_stream(log_file);
}

static int log_end(int ret) {
	rte_openlog_stream(NULL);
	fclose(log_file);
	return ret;
}

static void nothing(void *arg) {
	RTE_SET_USED(arg);
}

/* Probe */

static int probe(void *arg, char *error) {
	log_begin(error);
	return log_end(rte_vdev_init("net_ddp0", arg));
}

static void probe_undo(void *arg) {
	uint16_t port;

	RTE_SET_USED(arg);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_ddp0", &port), 0);
	rte_eth_dev_close(port); // with its lower device
	assert_int_equal(rte_vdev_uninit("net_ddp0"), 0);
}

static void probe_check(void *arg) {
	RTE_SET_USED(arg);
	assert_int_equal(rte_eth_dev_count_total(), 0);
}

static void a_port_is_probed_or_not_there(void **state) {
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(ports); i++) {
		char name[100];

		snprintf(name, sizeof(name), "probe (%s)", ports[i].name);
		operation_sweep(&(struct operation){name, probe, probe_undo, probe_check,
						    (void *)(uintptr_t)ports[i].devargs},
				MAX);
	}
}

/* Start */

static int start(void *arg, char *error) {
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};
	uint16_t port = *(uint16_t *)arg;
	int ret;

	log_begin(error);
	ret = rte_eth_dev_configure(port, N_QUEUES, N_QUEUES, &conf);
	for (uint16_t q = 0; q < N_QUEUES && ret == 0; q++)
		ret = rte_eth_rx_queue_setup(port, q, 512, 0, NULL, pool);
	for (uint16_t q = 0; q < N_QUEUES && ret == 0; q++)
		ret = rte_eth_tx_queue_setup(port, q, 512, 0, NULL);
	if (ret == 0)
		ret = rte_eth_dev_start(port);
	return log_end(ret);
}

static void end(void *arg) {
	assert_int_equal(rte_eth_dev_stop(*(uint16_t *)arg), 0);
}

static void a_port_starts_or_can_be_started_again(void **state) {
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(ports); i++) {
		char name[100], error[ERROR_SIZE];
		uint16_t port;

		snprintf(name, sizeof(name), "configure and start (%s)", ports[i].name);
		port = ddp_probe(ports[i].devargs);
		operation_sweep(&(struct operation){name, start, end, NULL, &port}, MAX);
		assert_int_equal(start(&port, error), 0);
		assert_int_equal(seen_of_flow(port, 1).hash, hash_of(1));
		ddp_end(port);
	}
}

/* A running port */

static struct {
	uint16_t id;
	struct rte_pmd_ddp_profile profiles[8];
	int n_profiles;
	struct seen seen[N_FLOWS];
	struct rte_flow *flow;
} running;

static void state_read(struct rte_pmd_ddp_profile *profiles, int *n, struct seen *seen) {
	*n = rte_pmd_ddp_profiles_get(running.id, profiles, RTE_DIM(running.profiles));
	for (unsigned int i = 0; i < N_FLOWS; i++)
		seen[i] = seen_of_flow(running.id, i);
}

// The port as it was: what is in the list, and what becomes of packets.
static void state_check(void *arg) {
	static struct rte_pmd_ddp_profile profiles[RTE_DIM(running.profiles)];
	struct seen seen[N_FLOWS];
	int n;

	RTE_SET_USED(arg);
	state_read(profiles, &n, seen);
	assert_int_equal(n, running.n_profiles);
	assert_memory_equal(profiles, running.profiles, n * sizeof(profiles[0]));
	for (unsigned int i = 0; i < N_FLOWS; i++) {
		assert_int_equal(seen[i].queue, running.seen[i].queue);
		assert_int_equal(seen[i].hash, running.seen[i].hash);
		assert_int_equal(seen[i].flags, running.seen[i].flags);
		assert_int_equal(seen[i].mark, running.seen[i].mark);
	}
}

static int profile_add(void *arg, char *error) {
	return rte_pmd_ddp_profile_add(running.id, arg, error, ERROR_SIZE);
}

static void profile_add_undo(void *arg) {
	char error[ERROR_SIZE];

	RTE_SET_USED(arg);
	assert_int_equal(rte_pmd_ddp_profile_del(running.id, "vxlan", error, sizeof(error)), 0);
}

static int profile_del(void *arg, char *error) {
	return rte_pmd_ddp_profile_del(running.id, arg, error, ERROR_SIZE);
}

static void profile_del_undo(void *arg) {
	char error[ERROR_SIZE];

	assert_int_equal(rte_pmd_ddp_profile_add(running.id, arg, error, sizeof(error)), 0);
}

static int text_change(void *arg, char *error, bool add) {
	static const char text[] = "profile: mine\nrequires: [base]\n"
				   "headers: {mine: {after: udp(dport=54), layout: n:32}}\n"
				   "packet_types: {MINE: {path: eth ipv4 udp mine, rss: mine.n}}\n";

	RTE_SET_USED(arg);
	return add ? rte_pmd_ddp_profile_add_text(running.id, text, strlen(text), error,
						  ERROR_SIZE) :
		     rte_pmd_ddp_profile_del_text(running.id, text, strlen(text), error,
						  ERROR_SIZE);
}

static int text_add(void *arg, char *error) {
	return text_change(arg, error, true);
}

static void text_add_undo(void *arg) {
	char error[ERROR_SIZE];

	assert_int_equal(text_change(arg, error, false), 0);
}

static int text_del(void *arg, char *error) {
	return text_change(arg, error, false);
}

static void text_del_undo(void *arg) {
	char error[ERROR_SIZE];

	assert_int_equal(text_change(arg, error, true), 0);
}

static int key_set(const uint8_t *key, uint64_t rss_hf, char *error) {
	struct rte_eth_rss_conf conf = {
		.rss_key = (uint8_t *)(uintptr_t)key, .rss_key_len = KEY_SIZE, .rss_hf = rss_hf};

	log_begin(error);
	return log_end(rte_eth_dev_rss_hash_update(running.id, &conf));
}

static uint8_t key_before[KEY_SIZE];

static int key_update(void *arg, char *error) {
	static const uint8_t key[KEY_SIZE] = {1, 2, 3};

	RTE_SET_USED(arg);
	return key_set(key, RTE_ETH_RSS_IPV4, error);
}

static void key_undo(void *arg) {
	char error[ERROR_SIZE];

	RTE_SET_USED(arg);
	assert_int_equal(key_set(key_before, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP, error), 0);
}

static int reta_set(uint16_t first, char *error) {
	struct rte_eth_rss_reta_entry64 reta[512 / RTE_ETH_RETA_GROUP_SIZE];

	for (unsigned int i = 0; i < 512; i++) {
		reta[i / 64].mask = UINT64_MAX;
		reta[i / 64].reta[i % 64] = (first + i) % N_QUEUES;
	}
	log_begin(error);
	return log_end(rte_eth_dev_rss_reta_update(running.id, reta, 512));
}

static int reta_update(void *arg, char *error) {
	RTE_SET_USED(arg);
	return reta_set(1, error);
}

static void reta_undo(void *arg) {
	char error[ERROR_SIZE];

	RTE_SET_USED(arg);
	assert_int_equal(reta_set(0, error), 0);
}

static int tunnel_change(bool add, char *error) {
	struct rte_eth_udp_tunnel tunnel = {.udp_port = 4790,
					    .prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN};

	log_begin(error);
	return log_end(add ? rte_eth_dev_udp_tunnel_port_add(running.id, &tunnel) :
			     rte_eth_dev_udp_tunnel_port_delete(running.id, &tunnel));
}

static int tunnel_add(void *arg, char *error) {
	RTE_SET_USED(arg);
	return tunnel_change(true, error);
}

static void tunnel_add_undo(void *arg) {
	char error[ERROR_SIZE];

	RTE_SET_USED(arg);
	assert_int_equal(tunnel_change(false, error), 0);
}

static int tunnel_del(void *arg, char *error) {
	RTE_SET_USED(arg);
	return tunnel_change(false, error);
}

static void tunnel_del_undo(void *arg) {
	char error[ERROR_SIZE];

	RTE_SET_USED(arg);
	assert_int_equal(tunnel_change(true, error), 0);
}

static int said(int ret, char *error) {
	snprintf(error, ERROR_SIZE, "out of memory"); // by its return value alone
	return ret;
}

static int mapping_update(void *arg, char *error) {
	struct rte_pmd_ddp_ptype_mapping item;

	RTE_SET_USED(arg);
	assert_true(rte_pmd_ddp_ptype_mapping_get(running.id, &item, 1) > 0);
	item.rte_ptype = RTE_PTYPE_L2_ETHER;
	return said(rte_pmd_ddp_ptype_mapping_update(running.id, &item, 1, true), error);
}

static int mapping_replace(void *arg, char *error) {
	RTE_SET_USED(arg);
	return said(rte_pmd_ddp_ptype_mapping_replace(running.id, RTE_PTYPE_L2_ETHER, true,
						      RTE_PTYPE_L2_ETHER_ARP),
		    error);
}

static int mapping_reset(void *arg, char *error) {
	RTE_SET_USED(arg);
	return said(rte_pmd_ddp_ptype_mapping_reset(running.id), error);
}

static void mapping_undo(void *arg) {
	RTE_SET_USED(arg);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_reset(running.id), 0);
}

static int ptypes_set(void *arg, char *error) {
	RTE_SET_USED(arg);
	return said(rte_eth_dev_set_ptypes(running.id, RTE_PTYPE_L3_MASK, NULL, 0), error);
}

static void ptypes_undo(void *arg) {
	RTE_SET_USED(arg);
	assert_int_equal(rte_eth_dev_set_ptypes(running.id, RTE_PTYPE_ALL_MASK, NULL, 0), 0);
}

static int queue_start(void *arg, char *error) {
	RTE_SET_USED(arg);
	log_begin(error);
	return log_end(rte_eth_dev_rx_queue_start(running.id, 1));
}

static void queue_stop(void *arg) {
	RTE_SET_USED(arg);
	assert_int_equal(rte_eth_dev_rx_queue_stop(running.id, 1), 0);
}

/* Rules */

static int created(struct rte_flow_error *flow_error, char *error) {
	if (running.flow != NULL)
		return 0;
	snprintf(error, ERROR_SIZE, "%s", flow_error->message);
	return -rte_errno;
}

static int rule_create_steering(void *arg, char *error) {
	struct rte_flow_error flow_error = {0};

	RTE_SET_USED(arg);
	running.flow = rte_flow_create(running.id, &ingress, items_of_flow(3),
				       ACTIONS(TO_QUEUE(2), ACTION(COUNT)), &flow_error);
	return created(&flow_error, error);
}

static int rule_create_hash(void *arg, char *error) {
	static const struct rte_flow_action_rss rss = {.types = RTE_ETH_RSS_IPV4};
	struct rte_flow_error flow_error = {0};

	RTE_SET_USED(arg);
	running.flow = rte_flow_create(running.id, &ingress, udp_items,
				       ACTIONS(ACTION(RSS, .conf = &rss)), &flow_error);
	return created(&flow_error, error);
}

static void rule_undo(void *arg) {
	RTE_SET_USED(arg);
	assert_int_equal(rte_flow_destroy(running.id, running.flow, NULL), 0);
}

static int rule_validate(void *arg, char *error) {
	struct rte_flow_error flow_error = {0};
	int ret = rte_flow_validate(running.id, &ingress, items_of_flow(3), ACTIONS(TO_QUEUE(2)),
				    &flow_error);

	RTE_SET_USED(arg);
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error.message);
	return ret;
}

static int rule_destroy_one(void *arg, char *error) {
	struct rte_flow_error flow_error = {0};
	int ret = rte_flow_destroy(running.id, running.flow, &flow_error);

	RTE_SET_USED(arg);
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error.message);
	return ret;
}

static int rules_flush(void *arg, char *error) {
	struct rte_flow_error flow_error = {0};
	int ret = rte_flow_flush(running.id, &flow_error);

	RTE_SET_USED(arg);
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error.message);
	return ret;
}

static void rule_again(void *arg) {
	char error[ERROR_SIZE];

	assert_int_equal(rule_create_steering(arg, error), 0);
}

// A profile that a rule needs: that its names are told takes memory, too.
static int needed_del(void *arg, char *error) {
	int ret = rte_pmd_ddp_profile_del(running.id, arg, error, ERROR_SIZE);

	return ret == -EBUSY ? 0 : ret;
}

/* Telemetry */

static struct {
	const char *command;
	telemetry_cb call;
} telemetry[32];
static unsigned int n_telemetry;

int __wrap_rte_telemetry_register_cmd(const char *command, telemetry_cb call, const char *help);
int __wrap_rte_telemetry_register_cmd(const char *command, telemetry_cb call, const char *help) {
	RTE_SET_USED(help);
	telemetry[n_telemetry].command = command;
	telemetry[n_telemetry++].call = call;
	return 0;
}

// What there is no memory for is left out of an answer.
static int telemetry_ask(void *arg, char *error) {
	RTE_SET_USED(error);
	for (unsigned int i = 0; i < n_telemetry; i++) {
		struct rte_tel_data *data;

		if (strstr(telemetry[i].command, "profile_") != NULL)
			continue; // changes
		data = rte_tel_data_alloc();
		if (data != NULL) // the telemetry library has one of its own
			telemetry[i].call(telemetry[i].command, arg, data);
		answers_free();
	}
	return 0;
}

/* All of them */

static void sweep(const char *on, const char *name, int (*run)(void *, char *),
		  void (*undo)(void *), const char *arg) {
	char whole[200];

	snprintf(whole, sizeof(whole), "%s (%s)", name, on);
	state_read(running.profiles, &running.n_profiles, running.seen);
	operation_sweep(&(struct operation){whole, run, undo, state_check, (void *)(uintptr_t)arg},
			MAX);
}

static void rules_sweep(const char *on) {
	char error[ERROR_SIZE];

	sweep(on, "create a steering rule", rule_create_steering, rule_undo, NULL);
	sweep(on, "create a hash rule", rule_create_hash, rule_undo, NULL);
	sweep(on, "validate a rule", rule_validate, nothing, NULL);
	assert_int_equal(rule_create_steering(NULL, error), 0);
	sweep(on, "destroy a rule", rule_destroy_one, rule_again, NULL);
	sweep(on, "flush rules", rules_flush, rule_again, NULL);
	sweep(on, "add a profile beside a rule", profile_add, profile_add_undo, "vxlan");
	rule_undo(NULL);
}

static void needed_sweep(const char *on) {
	static const struct rte_flow_item items[] = {ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU),
						     ITEM(END)};
	struct rte_flow_error flow_error = {0};

	running.flow =
		rte_flow_create(running.id, &ingress, items, ACTIONS(TO_QUEUE(2)), &flow_error);
	assert_non_null(running.flow);
	sweep(on, "delete a profile that a rule needs", needed_del, nothing, "gtpu");
	rule_undo(NULL);
}

static void profiles_sweep(const char *on, bool has_gtpu) {
	char error[ERROR_SIZE];

	sweep(on, "add a profile", profile_add, profile_add_undo, "vxlan");
	sweep(on, "add a text", text_add, text_add_undo, NULL);
	assert_int_equal(text_add(NULL, error), 0);
	sweep(on, "delete a text", text_del, text_del_undo, NULL);
	text_add_undo(NULL);
	if (!has_gtpu)
		return;
	sweep(on, "delete a profile", profile_del, profile_del_undo, "gtpu");
	needed_sweep(on);
}

static void tunnels_sweep(const char *on) {
	char error[ERROR_SIZE];

	assert_int_equal(profile_add((void *)(uintptr_t) "vxlan", error), 0);
	sweep(on, "declare a UDP port", tunnel_add, tunnel_add_undo, NULL);
	assert_int_equal(tunnel_add(NULL, error), 0);
	sweep(on, "take a UDP port back", tunnel_del, tunnel_del_undo, NULL);
	tunnel_add_undo(NULL);
	profile_add_undo(NULL);
}

static void steering_sweep(const char *on) {
	struct rte_eth_rss_conf conf = {.rss_key = key_before, .rss_key_len = sizeof(key_before)};

	assert_int_equal(rte_eth_dev_rss_hash_conf_get(running.id, &conf), 0);
	sweep(on, "set the RSS key and types", key_update, key_undo, NULL);
	sweep(on, "set the redirection table", reta_update, reta_undo, NULL);
	sweep(on, "set the layers of packet types", ptypes_set, ptypes_undo, NULL);
	sweep(on, "map a packet type", mapping_update, mapping_undo, NULL);
	sweep(on, "map packet types", mapping_replace, mapping_undo, NULL);
	sweep(on, "map no packet type", mapping_reset, mapping_undo, NULL);
}

static void the_rest_sweep(const char *on) {
	queue_stop(NULL);
	operation_sweep(&(struct operation){"start a queue", queue_start, queue_stop, NULL, NULL},
			MAX);
	assert_int_equal(rte_eth_dev_rx_queue_start(running.id, 1), 0);
	if (SLOWDOWN == 1) // the containers of an answer are only freed with the socket
		sweep(on, "ask by telemetry", telemetry_ask, nothing, "0");
}

static void a_running_port_changes_or_stays(void **state) {
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 4; i++) {
		const char *on = ports[i].name;

		running.id = ddp_start(ports[i].devargs, N_QUEUES, 1, 512);
		profiles_sweep(on, i > 0);
		if (i < 3)
			tunnels_sweep(on);
		steering_sweep(on);
		rules_sweep(on);
		the_rest_sweep(on);
		ddp_end(running.id);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		port_test(a_port_is_probed_or_not_there),
		port_test(a_port_starts_or_can_be_started_again),
		port_test(a_running_port_changes_or_stays),
	};

	eal_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
