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

#define MAX 40 // of the allocations of one operation
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

/* Probe */

static int probe(void *arg, char *error) {
	log_begin(error);
	return log_end(rte_vdev_init("net_ddp0", arg));
}

static int probe_undo(void *arg __rte_unused, char *error __rte_unused) {
	uint16_t port;

	assert_int_equal(rte_eth_dev_get_port_by_name("net_ddp0", &port), 0);
	rte_eth_dev_close(port); // with its lower device
	return rte_vdev_uninit("net_ddp0");
}

static void probe_check(void *arg __rte_unused) {
	assert_int_equal(rte_eth_dev_count_total(), 0);
}

static void a_port_is_probed_or_not_there(void **state) {
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

static int end(void *arg, char *error __rte_unused) {
	return rte_eth_dev_stop(*(uint16_t *)arg);
}

static void a_port_starts_or_can_be_started_again(void **state) {
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

static int profile_del(void *arg, char *error) {
	return rte_pmd_ddp_profile_del(running.id, arg, error, ERROR_SIZE);
}

// What a rule needs stays: that its names are told takes memory, too.
static int needed_del(void *arg, char *error) {
	int ret = profile_del(arg, error);

	return ret == -EBUSY ? 0 : ret;
}

static const char text[] = "profile: mine\nrequires: [base]\n"
			   "headers: {mine: {after: udp(dport=54), layout: n:32}}\n"
			   "packet_types: {MINE: {path: eth ipv4 udp mine, rss: mine.n}}\n";

static int text_add(void *arg __rte_unused, char *error) {
	return rte_pmd_ddp_profile_add_text(running.id, text, strlen(text), error, ERROR_SIZE);
}

static int text_del(void *arg __rte_unused, char *error) {
	return rte_pmd_ddp_profile_del_text(running.id, text, strlen(text), error, ERROR_SIZE);
}

static int key_set(const uint8_t *key, uint64_t rss_hf, char *error) {
	struct rte_eth_rss_conf conf = {
		.rss_key = (uint8_t *)(uintptr_t)key, .rss_key_len = KEY_SIZE, .rss_hf = rss_hf};

	log_begin(error);
	return log_end(rte_eth_dev_rss_hash_update(running.id, &conf));
}

static uint8_t key_before[KEY_SIZE];

static int key_read(void *arg __rte_unused, char *error __rte_unused) {
	struct rte_eth_rss_conf conf = {.rss_key = key_before, .rss_key_len = sizeof(key_before)};

	return rte_eth_dev_rss_hash_conf_get(running.id, &conf);
}

static int key_update(void *arg __rte_unused, char *error) {
	static const uint8_t key[KEY_SIZE] = {1, 2, 3};

	return key_set(key, RTE_ETH_RSS_IPV4, error);
}

static int key_undo(void *arg __rte_unused, char *error) {
	return key_set(key_before, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP, error);
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

static int reta_update(void *arg __rte_unused, char *error) {
	return reta_set(1, error);
}

static int reta_undo(void *arg __rte_unused, char *error) {
	return reta_set(0, error);
}

static struct rte_eth_udp_tunnel tunnel = {.udp_port = 4790,
					   .prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN};

static int tunnel_add(void *arg __rte_unused, char *error) {
	log_begin(error);
	return log_end(rte_eth_dev_udp_tunnel_port_add(running.id, &tunnel));
}

static int tunnel_del(void *arg __rte_unused, char *error) {
	log_begin(error);
	return log_end(rte_eth_dev_udp_tunnel_port_delete(running.id, &tunnel));
}

static int vxlan_tunnel_add(void *arg, char *error) {
	int ret = profile_add(arg, error);

	return ret == 0 ? tunnel_add(arg, error) : ret;
}

static int vxlan_tunnel_del(void *arg, char *error) {
	int ret = tunnel_del(arg, error);

	return ret == 0 ? profile_del(arg, error) : ret;
}

static int said(int ret, char *error) {
	snprintf(error, ERROR_SIZE, "out of memory"); // by its return value alone
	return ret;
}

static int mapping_update(void *arg __rte_unused, char *error) {
	struct rte_pmd_ddp_ptype_mapping item;

	assert_true(rte_pmd_ddp_ptype_mapping_get(running.id, &item, 1) > 0);
	item.rte_ptype = RTE_PTYPE_L2_ETHER;
	return said(rte_pmd_ddp_ptype_mapping_update(running.id, &item, 1, true), error);
}

static int mapping_replace(void *arg __rte_unused, char *error) {
	return said(rte_pmd_ddp_ptype_mapping_replace(running.id, RTE_PTYPE_L2_ETHER, true,
						      RTE_PTYPE_L2_ETHER_ARP),
		    error);
}

static int mapping_reset(void *arg __rte_unused, char *error) {
	return said(rte_pmd_ddp_ptype_mapping_reset(running.id), error);
}

static int ptypes_set(void *arg __rte_unused, char *error) {
	return said(rte_eth_dev_set_ptypes(running.id, RTE_PTYPE_L3_MASK, NULL, 0), error);
}

static int ptypes_undo(void *arg __rte_unused, char *error __rte_unused) {
	return rte_eth_dev_set_ptypes(running.id, RTE_PTYPE_ALL_MASK, NULL, 0);
}

static int queue_start(void *arg __rte_unused, char *error) {
	log_begin(error);
	return log_end(rte_eth_dev_rx_queue_start(running.id, 1));
}

static int queue_stop(void *arg __rte_unused, char *error __rte_unused) {
	return rte_eth_dev_rx_queue_stop(running.id, 1);
}

/* Rules */

static int told(int ret, const struct rte_flow_error *flow_error, char *error) {
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error->message);
	return ret;
}

static int flow_create(const struct rte_flow_item *items, const struct rte_flow_action *actions,
		       char *error) {
	struct rte_flow_error flow_error = {0};

	running.flow = rte_flow_create(running.id, &ingress, items, actions, &flow_error);
	return told(running.flow != NULL ? 0 : -rte_errno, &flow_error, error);
}

static int steering_create(void *arg __rte_unused, char *error) {
	return flow_create(items_of_flow(3), ACTIONS(TO_QUEUE(2), ACTION(COUNT)), error);
}

static int hash_create(void *arg __rte_unused, char *error) {
	static const struct rte_flow_action_rss rss = {.types = RTE_ETH_RSS_IPV4};

	return flow_create(udp_items, ACTIONS(ACTION(RSS, .conf = &rss)), error);
}

static int gtpu_create(void *arg __rte_unused, char *error) {
	static const struct rte_flow_item items[] = {ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU),
						     ITEM(END)};

	return flow_create(items, ACTIONS(TO_QUEUE(2)), error);
}

static int rule_validate(void *arg __rte_unused, char *error) {
	struct rte_flow_error flow_error = {0};

	return told(rte_flow_validate(running.id, &ingress, items_of_flow(3), ACTIONS(TO_QUEUE(2)),
				      &flow_error),
		    &flow_error, error);
}

static int flow_destroy(void *arg __rte_unused, char *error) {
	struct rte_flow_error flow_error = {0};

	return told(rte_flow_destroy(running.id, running.flow, &flow_error), &flow_error, error);
}

static int rules_flush(void *arg __rte_unused, char *error) {
	struct rte_flow_error flow_error = {0};

	return told(rte_flow_flush(running.id, &flow_error), &flow_error, error);
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

#if SLOWDOWN == 1 // the containers of an answer are only freed with the socket
// What there is no memory for is left out of an answer.
static int telemetry_ask(void *arg, char *error __rte_unused) {
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
#endif

/* All of them */

#define ALL 0xf    // of the ports that are started, as bits
#define GTPU 0xe   // with this profile
#define TUNNEL 0x7 // with ports of UDP to declare

static const struct entry {
	const char *name;
	int (*before)(void *arg, char *error); // NULL: nothing
	int (*run)(void *arg, char *error);
	int (*undo)(void *arg, char *error);
	int (*after)(void *arg, char *error);
	const char *arg;
	unsigned int ports;
} entries[] = {
	{"add a profile", NULL, profile_add, profile_del, NULL, "vxlan", ALL},
	{"add a text", NULL, text_add, text_del, NULL, NULL, ALL},
	{"delete a text", text_add, text_del, text_add, text_del, NULL, ALL},
	{"delete a profile", NULL, profile_del, profile_add, NULL, "gtpu", GTPU},
	{"delete a profile that a rule needs", gtpu_create, needed_del, NULL, flow_destroy, "gtpu",
	 GTPU},
	{"declare a UDP port", profile_add, tunnel_add, tunnel_del, profile_del, "vxlan", TUNNEL},
	{"take a UDP port back", vxlan_tunnel_add, tunnel_del, tunnel_add, vxlan_tunnel_del,
	 "vxlan", TUNNEL},
	{"set the RSS key and types", key_read, key_update, key_undo, NULL, NULL, ALL},
	{"set the redirection table", NULL, reta_update, reta_undo, NULL, NULL, ALL},
	{"set the layers of packet types", NULL, ptypes_set, ptypes_undo, NULL, NULL, ALL},
	{"map a packet type", NULL, mapping_update, mapping_reset, NULL, NULL, ALL},
	{"map packet types", NULL, mapping_replace, mapping_reset, NULL, NULL, ALL},
	{"map no packet type", NULL, mapping_reset, mapping_reset, NULL, NULL, ALL},
	{"create a steering rule", NULL, steering_create, flow_destroy, NULL, NULL, ALL},
	{"create a hash rule", NULL, hash_create, flow_destroy, NULL, NULL, ALL},
	{"validate a rule", NULL, rule_validate, NULL, NULL, NULL, ALL},
	{"destroy a rule", steering_create, flow_destroy, steering_create, flow_destroy, NULL, ALL},
	{"flush rules", steering_create, rules_flush, steering_create, flow_destroy, NULL, ALL},
	{"add a profile beside a rule", steering_create, profile_add, profile_del, flow_destroy,
	 "vxlan", ALL},
#if SLOWDOWN == 1
	{"ask by telemetry", NULL, telemetry_ask, NULL, NULL, "0", ALL},
#endif
};

static void entry_sweep(const struct entry *entry, const char *on) {
	char name[200], error[ERROR_SIZE];
	void *arg = (void *)(uintptr_t)entry->arg;

	snprintf(name, sizeof(name), "%s (%s)", entry->name, on);
	if (entry->before != NULL)
		assert_int_equal(entry->before(arg, error), 0);
	state_read(running.profiles, &running.n_profiles, running.seen);
	operation_sweep(&(struct operation){name, entry->run, entry->undo, state_check, arg}, MAX);
	if (entry->after != NULL)
		assert_int_equal(entry->after(arg, error), 0);
}

static void a_running_port_changes_or_stays(void **state __rte_unused) {
	for (unsigned int i = 0; i < 4; i++) {
		running.id = ddp_start(ports[i].devargs, N_QUEUES, 1, 512);
		for (unsigned int k = 0; k < RTE_DIM(entries); k++)
			if ((entries[k].ports & 1 << i) != 0)
				entry_sweep(&entries[k], ports[i].name);
		assert_int_equal(queue_stop(NULL, NULL), 0); // then not all packets are received
		operation_sweep(
			&(struct operation){"start a queue", queue_start, queue_stop, NULL, NULL},
			MAX);
		assert_int_equal(rte_eth_dev_rx_queue_start(running.id, 1), 0);
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
