/* SPDX-License-Identifier: BSD-3-Clause */
// A packet has the hash and the queue of pure software, whether the fake NIC or net_ddp hashes it.
#include <glob.h>
#include <limits.h>

#include "answers.h"
#include "fake_nic.h"
#include "packet.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"

#define OS "dev(net_testsrc0,nic=1),overflow=wait,offload=auto:ice-os"
#define COMMS "dev(net_testsrc0,nic=2),profile=gtpu,overflow=wait,offload=auto:ice-comms"

static void state_is(uint16_t port, const char *expected) {
	const char *state = ddp_offload_state(rte_eth_devices[port].data->dev_private);

	if (strncmp(state, expected, strlen(expected)) != 0)
		fail_msg("%s, not %s", state, expected);
}

// The application's; items NULL: none.
static struct {
	const struct rte_flow_item *items;
	const struct rte_flow_action *actions;
} app_rule;

static double port_run(const char *devargs, bool arrive, struct answer *answers) {
	uint16_t port = ddp_start(devargs, N_QUEUES, 1, 1024);
	double share;

	if (app_rule.items != NULL)
		rule_create(port, app_rule.items, app_rule.actions);
	share = answers_take(port, arrive, answers);
	assert_sum_holds(port);
	ddp_end(port);
	return share;
}

static const struct {
	enum fake_nic_kind fake;
	const char *kind;
	unsigned int n_queues;
} nics[] = {
	{FAKE_NIC_OS, "ice-os", 1},
	{FAKE_NIC_COMMS, "ice-comms", 1},
	{FAKE_NIC_IAVF, "iavf", 1},
	{FAKE_NIC_COMMS, "ice-comms", N_QUEUES}, // as many as the port has
};

static const char *drawn_spec;

static void software_run(const char *spec) {
	char devargs[PATH_MAX];

	drawn_spec = spec;
	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0),profile=%s,overflow=wait,offload=off",
		 spec);
	assert_true(port_run(devargs, false, software) == 0);
}

static double most, least; // shares that a NIC hashed

static void nic_compare(unsigned int nic) {
	char devargs[PATH_MAX];
	double share;

	snprintf(devargs, sizeof(devargs),
		 "dev(net_testsrc0,nic=%u,rxq=%u),profile=%s,overflow=wait,offload=auto:%s",
		 nics[nic].fake, nics[nic].n_queues, drawn_spec, nics[nic].kind);
	share = port_run(devargs, nics[nic].n_queues > 1, hardware);
	answers_compare(devargs);
	most = RTE_MAX(most, share);
	least = RTE_MIN(least, share);
}

static void spec_compare(const char *spec) {
	answers_draw(spec);
	software_run(spec);
	draw_cases(nic_compare, RTE_DIM(nics));
}

TEST(hardware_equals_software_for_drawn_profiles) {
	static const char *const specs[] = {"gtpu:ue", "gtpu:inner-ip", "gtpu:teid", "gtpu:outer",
					    PROFILES "/examples/gtpu-nic.yaml"};
	glob_t files;

	most = 0;
	spec_compare("base"); // of its packets the NIC hashes a quarter
	assert_int_equal(glob(PROFILES "/*.yaml", 0, NULL, &files), 0);
	for (unsigned int i = 0; i < files.gl_pathc; i += draw_step(2))
		if (strstr(files.gl_pathv[i], "i40e-default") == NULL) // has other RSS types
			spec_compare(files.gl_pathv[i]);
	for (unsigned int i = 0; i < RTE_DIM(specs); i += draw_step(2))
		spec_compare(specs[i]);
	globfree(&files);
	assert_true(most > 0.2); // else nothing was compared
}

static struct rte_mbuf *tcp_packet(unsigned int flow) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(6, 10, 0, 0, flow, NET), TCP(1024, 80),
				       END};

	return packet_of(pieces);
}

// Addresses and ports are hashed alike: only the packet type shows that the NIC is wrong. As long
// as all packets are of another type, none proves the NIC right. That is no mismatch.
TEST(a_nic_with_wrong_packet_types_is_never_proven) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	rss_hf_set(port, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	testsrc_nic(0)->mistakes_tcp = true;
	for (unsigned int i = 0; i < 512; i++)
		packet_feed(0, tcp_packet(i % 64));
	for (unsigned int q = 0, n = 0; n < 512; q = (q + 1) % N_QUEUES) {
		uint16_t got = rx(port, q);

		for (uint16_t k = 0; k < got; k++)
			assert_int_equal(mbufs[k]->packet_type & RTE_PTYPE_L4_MASK,
					 RTE_PTYPE_L4_TCP);
		rte_pktmbuf_free_bulk(mbufs, got);
		n += got;
	}
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	assert_int_equal(mismatched(port), 0);
}

static const struct rte_flow_item_gtp one_teid = {.teid = RTE_BE32(TEID)};
static const struct rte_flow_item_gtp teid_mask = {.teid = RTE_BE32(UINT32_MAX)};
#define ONE_TEID \
	ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU, .spec = &one_teid, .mask = &teid_mask))
#define ANY_GTPU ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU))
static const struct rte_flow_action_mark mark = {.id = 42};
static const uint16_t spread_queues[] = {1, 3};
static const struct rte_flow_action_rss spread_rss = {.queue = spread_queues, .queue_num = 2};
static const struct rte_flow_action_rss source_rss = {.types = RTE_ETH_RSS_NONFRAG_IPV4_TCP |
							       RTE_ETH_RSS_L3_SRC_ONLY};

TEST(hardware_equals_software_with_flow_rules) {
	const struct {
		const struct rte_flow_item *items;
		const struct rte_flow_action *actions;
	} rules[] = {
		{ANY_GTPU, ACTIONS(ACTION(MARK, .conf = &mark))},
		{ANY_GTPU, ACTIONS(TO_QUEUE(3), ACTION(COUNT))},
		{udp_items, ACTIONS(ACTION(RSS, .conf = &spread_rss))},
		{ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(TCP)),
		 ACTIONS(ACTION(RSS, .conf = &source_rss))},
		{ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU), ITEM(IPV4), ITEM(TCP)),
		 ACTIONS(TO_QUEUE(2))},
	};

	answers_draw("gtpu");
	least = 1;
	for (unsigned int i = 0; i < RTE_DIM(rules); i++) {
		app_rule.items = rules[i].items;
		app_rule.actions = rules[i].actions;
		software_run("gtpu");
		draw_cases(nic_compare, RTE_DIM(nics));
		assert_true(least > 0.02);
	}
	app_rule.items = NULL;
}

#define MIXED 4096 // packets, one in 32 of them TCP in GTP-U, else TCP

struct mixed {
	unsigned int n_marked, n_of_queue[N_QUEUES];
	double share; // that the NIC hashed
};

// n: of each 64 packets so many come.
static struct mixed mixed_run(uint16_t port, unsigned int n) {
	const uint64_t before = xstat(port, "rx_offloaded");
	struct mixed mixed = {0};

	for (unsigned int i = 0; i < MIXED; i += 64) {
		for (unsigned int k = 0; k < 64; k++)
			packet_feed(0, k % 32 == 0 ? gtpu_tcp_packet() : tcp_packet(k));
		for (unsigned int q = 0, come = 0; come < n; q = (q + 1) % N_QUEUES) {
			uint16_t got = rx(port, q);

			for (uint16_t k = 0; k < got; k++)
				mixed.n_marked += (mbufs[k]->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0;
			rte_pktmbuf_free_bulk(mbufs, got);
			mixed.n_of_queue[q] += got;
			come += got;
		}
	}
	mixed.share = (double)(xstat(port, "rx_offloaded") - before) / MIXED;
	return mixed;
}

// A rule holds from its creation to its destruction, and the NIC hashes packets that it cannot
// match.
TEST(a_rule_leaves_other_packet_types_to_the_nic) {
	const struct {
		unsigned int n, n_marked;
		const struct rte_flow_action *actions;
	} rules[] = {
		{64, 0, ACTIONS(ACTION(COUNT))},
		{64, MIXED / 32, ACTIONS(ACTION(MARK, .conf = &mark), ACTION(COUNT))},
		{64, 0, ACTIONS(TO_QUEUE(3), ACTION(COUNT))},
		{62, 0, ACTIONS(ACTION(DROP), ACTION(COUNT))},
	};
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 512);
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;

	mixed_run(port, 64); // proves that the NIC is right
	for (unsigned int i = 0; i < RTE_DIM(rules); i++) {
		struct rte_flow *flow = rule_create(port, ONE_TEID, rules[i].actions);
		struct rte_flow_query_count count = {0};
		struct mixed with, without;

		mixed_run(port, rules[i].n); // proves it again
		with = mixed_run(port, rules[i].n);
		assert_int_equal(rte_flow_query(port, flow, ACTIONS(ACTION(COUNT)), &count, NULL),
				 0);
		assert_int_equal(count.hits, 2 * MIXED / 32);
		state_is(port, "on");
		assert_in_range(ddp_hw_ptypes_n_ruled(ddp), 1, ddp->offload.plan->n_ptypes - 1);
		rule_destroy(port, flow);
		assert_int_equal(ddp_hw_ptypes_n_ruled(ddp), 0);
		without = mixed_run(port, 64);
		assert_int_equal(with.n_marked, rules[i].n_marked);
		assert_int_equal(without.n_marked, 0);
		assert_int_equal(with.n_of_queue[3] > without.n_of_queue[3], i == 2);
		assert_true(with.share > 0.95);
	}
	assert_int_equal(xstat(port, "rx_dropped_by_rule"), 2 * MIXED / 32);
}

static void port_stop(uint16_t port) {
	assert_int_equal(rte_eth_dev_stop(port), 0);
}

static void rule_for_all(uint16_t port) {
	rule_create(port, ITEMS(ITEM(VOID)), ACTIONS(ACTION(COUNT)));
}

static void rules_flush(uint16_t port) {
	assert_int_equal(rte_flow_flush(port, NULL), 0);
}

static void rule_refuse(uint16_t port) {
	port_stop(port);
	testsrc_nic(0)->fail_at = testsrc_nic(0)->n_created + 2;
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static void rss_off(uint16_t port) {
	rss_hf_set(port, 0);
}

static void rss_on(uint16_t port) {
	rss_hf_set(port, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
}

static void rss_outermost(uint16_t port) {
	rss_hf_set(port, RTE_ETH_RSS_IP | RTE_ETH_RSS_LEVEL_OUTERMOST);
}

// As rte_eth_dev_rss_hash_update() does from DPDK 24.03 on.
static void function_set(uint16_t id, enum ddp_hash_function function) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);
	struct ddp_rss rss = port->rss;
	const struct ddp_change change = {.rss = &rss};

	rss.function = function;
	assert_int_equal(ddp_change_apply(port, &change), 0);
	ddp_change_end(port);
}

static void symmetric(uint16_t port) {
	function_set(port, DDP_HASH_SYMMETRIC_TOEPLITZ);
}

static void toeplitz(uint16_t port) {
	function_set(port, DDP_HASH_TOEPLITZ);
}

// The lower device verifies none.
static void checksums_ask(uint16_t port) {
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rxmode.offloads = RTE_ETH_RX_OFFLOAD_UDP_CKSUM,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};

	port_stop(port);
	ddp_configure_by(port, N_QUEUES, 1, 512, &conf);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

// Telemetry and `ddpctl port show` say the same: testpmd_offload_test.py.
TEST(each_state_has_its_name) {
	static const struct {
		const char *state, *devargs; // more of them
		void (*change)(uint16_t port);
		void (*undo)(uint16_t port); // then it is "on"
	} rows[] = {
		{"on", "", NULL, rss_on},
		{"off", ",offload=off"},
		{"the port is stopped", "", port_stop},
		{"a device that hashes nothing hashes no packet type as the profile does",
		 ",offload=auto:none"},
		{"rule 2 of ", "", rule_refuse},
		{"RSS is off", "", rss_off, rss_on},
		{"with decap=on software parses each packet", ",decap=on"},
		{"software parses each packet to verify checksums", "", checksums_ask},
		{"rss_hf asks for the outermost headers of each packet", "", rss_outermost, rss_on},
		{"the hash function is not Toeplitz", "", symmetric, toeplitz},
		{"flow rules can match each packet type that it hashes", "", rule_for_all,
		 rules_flush},
	};

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		char devargs[200];
		uint16_t port;

		snprintf(devargs, sizeof(devargs), "dev(net_testsrc0,nic=2),profile=gtpu%s%s",
			 rows[i].devargs,
			 strstr(rows[i].devargs, "offload") == NULL ? ",offload=auto:ice-comms" :
								      "");
		port = ddp_start(devargs, N_QUEUES, 1, 512);
		if (rows[i].change != NULL)
			rows[i].change(port);
		state_is(port, rows[i].state);
		if (rows[i].change == port_stop) {
			ddp_close(port);
			continue;
		}
		assert_int_equal(mixed_run(port, 64).share > 0, i == 0);
		if (rows[i].undo != NULL) {
			rows[i].undo(port);
			state_is(port, "on");
			assert_true(mixed_run(port, 64).share > 0);
		}
		ddp_end(port);
	}
}

static void state_note(const char *op, void *arg) {
	const uint16_t *port = arg;

	if (strcmp(op, "flow_create") == 0)
		state_is(*port, "waiting");
}

// Telemetry answers while a change of the profiles programs the NIC.
TEST(within_a_change_the_nic_is_waited_for) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 64);
	unsigned int before = testsrc_nic(0)->n_created;

	testsrc_control_hook(state_note, &port);
	assert_int_equal(rte_pmd_ddp_profile_add(port, "ipip", NULL, 0), 0);
	assert_true(testsrc_nic(0)->n_created > before);
	state_is(port, "on");
}

// As an alarm does ten times a second.
static void idle_look(uint16_t port) {
	ddp_hw_ptypes_idle_watch(ddp_registry_get(port));
	ddp_registry_put(rte_eth_devices[port].data->dev_private);
}

TEST(a_nic_that_hashes_nothing_of_the_traffic_is_idle) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	for (unsigned int i = 0; i < DDP_IDLE_CHECKS + 10; i++) {
		idle_look(port);
		state_is(port, "on"); // no traffic is no reason
	}
	for (unsigned int i = 0; i < DDP_IDLE_CHECKS; i++) {
		struct rte_mbuf *mbuf = packet(0, i);

		rte_pktmbuf_mtod(mbuf, uint8_t *)[12] = 0x88; // of no known EtherType
		packet_feed(0, mbuf);
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 1);
		idle_look(port);
	}
	state_is(port, "idle");
	packets_pass(port, N_QUEUES, 256);
	idle_look(port);
	state_is(port, "on");
}

PORT_TESTS(leak_setup)
