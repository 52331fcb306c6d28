/* SPDX-License-Identifier: BSD-3-Clause */
// A packet has the hash and the queue of pure software, whether the fake NIC or net_ddp hashes it.
#include "harness.h"

#include <glob.h>
#include <limits.h>
#include <string.h>

#include "classify/classify.h"
#include "fake_nic.h"
#include "graph_packets.h"
#include "packet.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"
#include "port_rules.h"
#include "profile/profile.h"
#include "rss/rss.h"

#define OS "dev(net_testsrc0,nic=1),overflow=wait,offload=auto:ice-os"
#define COMMS "dev(net_testsrc0,nic=2),profile=gtpu,overflow=wait,offload=auto:ice-comms"
#define N_PACKETS 3000 // of a profile, drawn along its own parse graph
#define BATCH 1000

// Compared byte by byte, so it has no padding.
struct answer {
	uint16_t queue, type_id;
	uint32_t hashed; // 0 or 1
	uint32_t hash, packet_type, mark;
};

static struct graph graph;

struct drawn {
	uint8_t bytes[256]; // all that a NIC reads; longer packets are truncated
	uint16_t len;
};

static void packets_draw(const char *spec, struct drawn *packets) {
	static uint8_t bytes[PACKET_MAX];
	struct ddp_diag *diag = diag_new();
	struct ddp_profile *profile;
	struct ddp_program *program;

	profile = ddp_profile_load(spec, diag);
	assert_non_null(profile);
	program = ddp_program_build(profile, diag);
	assert_non_null(program);
	graph_init(&graph, profile, program, 1);
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		uint32_t len = graph_draw(&graph, bytes);

		packets[i].len = RTE_MAX(RTE_MIN(len, sizeof(packets[i].bytes)), 14U);
		memcpy(packets[i].bytes, bytes, packets[i].len);
	}
	ddp_program_destroy(program);
	ddp_profile_destroy(profile);
}

static struct rte_mbuf *mbuf_of(const struct drawn *drawn) {
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

	assert_non_null(mbuf);
	memcpy(rte_pktmbuf_append(mbuf, drawn->len), drawn->bytes, drawn->len);
	return mbuf;
}

static void answer_read(const struct rte_mbuf *mbuf, uint16_t queue, struct answer *answer) {
	*answer = (struct answer){
		.queue = queue,
		.type_id = meta_of(mbuf)->ptype_id,
		.hashed = (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0,
		.hash = mbuf->hash.rss,
		.packet_type = mbuf->packet_type,
		.mark = mbuf->ol_flags & RTE_MBUF_F_RX_FDIR_ID ? mbuf->hash.fdir.hi : 0,
	};
}

static bool nic_spreads; // over as many queues as the port has

static void batch_run(uint16_t port, const struct drawn *packets, struct answer *answers) {
	static struct rte_mbuf *fed[BATCH];
	unsigned int n = 0;

	for (unsigned int i = 0; i < BATCH; i++) {
		fed[i] = mbuf_of(&packets[i]);
		fed[i]->vlan_tci_outer = i; // an unused field
	}
	if (nic_spreads)
		testsrc_arrive(0, fed, BATCH);
	else
		testsrc_feed(0, 0, fed, BATCH);
	while (n < BATCH)
		for (uint16_t q = 0; q < N_QUEUES; q++) {
			uint16_t got = rx(port, q);

			for (uint16_t i = 0; i < got; i++, n++)
				answer_read(mbufs[i], q, &answers[mbufs[i]->vlan_tci_outer]);
		}
	rte_pktmbuf_free_bulk(fed, BATCH);
}

static void state_is(uint16_t port, const char *expected) {
	const char *state = ddp_offload_state(rte_eth_devices[port].data->dev_private);

	if (strncmp(state, expected, strlen(expected)) != 0)
		fail_msg("%s, not %s", state, expected);
}

static bool nic_lies; // it accepts rules and does nothing

// The application's; items NULL: none.
static struct {
	const struct rte_flow_item *items;
	const struct rte_flow_action *actions;
} app_rule;

static double packets_run(const char *devargs, const struct drawn *packets,
			  struct answer *answers) {
	uint16_t port = ddp_start(devargs, N_QUEUES, 1, 1024);
	double share;

	if (nic_lies)
		testsrc_nic(0)->lies = true;
	if (app_rule.items != NULL)
		rule_create(port, app_rule.items, app_rule.actions);
	for (unsigned int i = 0; i < N_PACKETS; i += BATCH)
		batch_run(port, &packets[i], &answers[i]);
	share = (double)xstat(port, "rx_offloaded") / N_PACKETS;
	assert_int_equal(mismatched(port) > 0, nic_lies);
	assert_sum_holds(port);
	ddp_end(port);
	return share;
}

static void hex_print(const struct drawn *drawn) {
	for (unsigned int i = 0; i < drawn->len; i++)
		fprintf(stderr, "%02x", drawn->bytes[i]);
	fprintf(stderr, "\n");
}

static const struct {
	enum fake_nic_kind fake;
	const char *kind;
} nics[] = {
	{FAKE_NIC_OS, "ice-os"},
	{FAKE_NIC_COMMS, "ice-comms"},
	{FAKE_NIC_IAVF, "iavf"},
};

static struct drawn packets[N_PACKETS];
static struct answer software[N_PACKETS], hardware[N_PACKETS];

static double profile_compare(const char *spec, unsigned int nic) {
	char devargs[PATH_MAX];
	double share;

	snprintf(devargs, sizeof(devargs),
		 "dev(net_testsrc0,nic=%u,rxq=%u),profile=%s,overflow=wait,offload=auto:%s",
		 nics[nic].fake, nic_spreads ? N_QUEUES : 1, spec, nics[nic].kind);
	share = packets_run(devargs, packets, hardware);
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		if (memcmp(&software[i], &hardware[i], sizeof(software[i])) == 0)
			continue;
		hex_print(&packets[i]);
		fail_msg("%s on %s: packet %u: type %u, hash %x (%d), queue %u, ptype %x, not %u, "
			 "%x (%d), %u, %x (marks %u, %u)",
			 spec, nics[nic].kind, i, hardware[i].type_id, hardware[i].hash,
			 hardware[i].hashed, hardware[i].queue, hardware[i].packet_type,
			 software[i].type_id, software[i].hash, software[i].hashed,
			 software[i].queue, software[i].packet_type, hardware[i].mark,
			 software[i].mark);
	}
	return share;
}

static const char *drawn_spec;

static void software_run(const char *spec) {
	char devargs[PATH_MAX];

	drawn_spec = spec;
	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0),profile=%s,overflow=wait,offload=off",
		 spec);
	assert_true(packets_run(devargs, packets, software) == 0);
}

static double most, least; // shares that a NIC hashed

// The last of them has as many queues as the port.
static void nic_compare(unsigned int nic) {
	double share;

	nic_spreads = nic == RTE_DIM(nics);
	share = profile_compare(drawn_spec, nic_spreads ? 1 : nic);
	nic_spreads = false;
	most = RTE_MAX(most, share);
	least = RTE_MIN(least, share);
}

static void spec_compare(const char *spec) {
	packets_draw(spec, packets);
	software_run(spec);
	draw_cases(nic_compare, RTE_DIM(nics) + 1);
}

TEST(hardware_equals_software_for_each_profile) {
	static const char *const specs[] = {"gtpu:ue", "gtpu:inner-ip", "gtpu:teid", "gtpu:outer",
					    PROFILES "/examples/gtpu-nic.yaml"};
	glob_t files;

	most = 0;
	assert_int_equal(glob(PROFILES "/*.yaml", 0, NULL, &files), 0);
	for (unsigned int i = 0; i < files.gl_pathc; i++)
		if (strstr(files.gl_pathv[i], "i40e-default") == NULL) // has other RSS types
			spec_compare(files.gl_pathv[i]);
	for (unsigned int i = 0; i < RTE_DIM(specs); i++)
		spec_compare(specs[i]);
	globfree(&files);
	assert_true(most > 0.2); // else nothing was compared
}

// Some drivers accept a rule that has no effect. Each packet must be right all the same.
TEST(a_nic_with_wrong_hashes_is_detected) {
	static const char *const specs[] = {"gtpu", "gtpu:inner-ip"};

	for (unsigned int s = 0; s < RTE_DIM(specs); s++) {
		packets_draw(specs[s], packets);
		software_run(specs[s]);
		nic_lies = true;
		profile_compare(specs[s], 1);
		nic_lies = false;
	}
}

static struct rte_mbuf *tcp_packet(unsigned int flow) {
	struct rte_mbuf *mbuf = packet(flow, 0);

	memset(rte_pktmbuf_append(mbuf, 20), 0, 20);
	*rte_pktmbuf_mtod_offset(mbuf, uint8_t *, 14 + 9) = 6;
	*rte_pktmbuf_mtod_offset(mbuf, uint8_t *, 34 + 12) = 5 << 4;
	return mbuf;
}

// Send 64 such packets through the port; each has its own packet type.
static void tcp_check(uint16_t port) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < 64; i++)
		packet_feed(0, tcp_packet(i));
	for (unsigned int i = 0; i < 1000 && n < 64; i++) {
		uint16_t got = rx(port, i % N_QUEUES);

		for (uint16_t k = 0; k < got; k++) {
			struct answer answer;

			answer_read(mbufs[k], i % N_QUEUES, &answer);
			assert_int_equal(answer.packet_type & RTE_PTYPE_L4_MASK, RTE_PTYPE_L4_TCP);
		}
		rte_pktmbuf_free_bulk(mbufs, got);
		n += got;
	}
	assert_int_equal(n, 64);
}

// Addresses and ports are hashed alike: only the packet type shows that the NIC is wrong. As long
// as all packets are of another type, none proves the NIC right. That is no mismatch.
TEST(a_nic_with_wrong_packet_types_is_never_proven) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);
	struct rte_eth_rss_conf conf = {.rss_hf =
						RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP};

	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
	testsrc_nic(0)->mistakes_tcp = true;
	for (unsigned int i = 0; i < 8; i++)
		tcp_check(port);
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

	packets_draw("gtpu", packets);
	least = 1;
	for (unsigned int i = 0; i < RTE_DIM(rules); i++) {
		app_rule.items = rules[i].items;
		app_rule.actions = rules[i].actions;
		software_run("gtpu");
		draw_cases(nic_compare, RTE_DIM(nics) + 1);
		assert_true(least > 0.02);
	}
	app_rule.items = NULL;
}

#define MIXED 4096 // packets, one in 32 of them TCP in GTP-U, else TCP

static double mixed_run(uint16_t port, unsigned int *n_marked, uint64_t counts[N_QUEUES]) {
	const uint64_t before = xstat(port, "rx_offloaded");

	for (unsigned int i = 0; i < MIXED; i += 64) {
		for (unsigned int k = 0; k < 64; k++) {
			struct rte_mbuf *mbuf = k % 32 == 0 ? gtpu_tcp_packet() : tcp_packet(k);

			testsrc_feed(0, 0, &mbuf, 1);
		}
		for (unsigned int q = 0, n = 0; n < 64; q++) {
			uint16_t got = rx(port, q % N_QUEUES);

			for (uint16_t k = 0; k < got; k++)
				*n_marked += (mbufs[k]->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0;
			rte_pktmbuf_free_bulk(mbufs, got);
			counts[q % N_QUEUES] += got;
			n += got;
		}
	}
	return (double)(xstat(port, "rx_offloaded") - before) / MIXED;
}

// A rule holds from its creation to its destruction, and the NIC hashes packets that it cannot
// match.
TEST(a_rule_leaves_other_packet_types_to_the_nic) {
	const struct {
		const char *name;
		const struct rte_flow_action *actions;
	} rules[] = {
		{"COUNT", ACTIONS(ACTION(COUNT))},
		{"MARK", ACTIONS(ACTION(MARK, .conf = &mark), ACTION(COUNT))},
		{"QUEUE", ACTIONS(TO_QUEUE(3), ACTION(COUNT))},
	};
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 512);
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;
	uint64_t none[N_QUEUES] = {0};
	unsigned int n_marked = 0;

	for (unsigned int i = 0; i < 2; i++) // proves that the NIC is right
		mixed_run(port, &n_marked, none);
	for (unsigned int i = 0; i < RTE_DIM(rules); i++) {
		struct rte_flow *flow = rule_create(port, ONE_TEID, rules[i].actions);
		struct rte_flow_query_count count = {0};
		uint64_t with[N_QUEUES] = {0}, without[N_QUEUES] = {0};
		double share;

		mixed_run(port, &n_marked, without); // proves again that the NIC is right
		share = mixed_run(port, &n_marked, with);

		assert_int_equal(rte_flow_query(port, flow, ACTIONS(ACTION(COUNT)), &count, NULL),
				 0);
		assert_int_equal(count.hits, 2 * MIXED / 32);
		assert_int_equal(n_marked, i == 1 ? 2 * MIXED / 32 : 0);
		state_is(port, "on");
		assert_in_range(ddp_hw_ptypes_n_ruled(ddp), 1, ddp->offload.plan->n_ptypes - 1);
		rule_destroy(port, flow);
		assert_int_equal(ddp_hw_ptypes_n_ruled(ddp), 0);
		memset(without, 0, sizeof(without));
		mixed_run(port, &n_marked, without);
		assert_int_equal(n_marked, i == 1 ? 2 * MIXED / 32 : 0);
		n_marked = 0;
		assert_int_equal(with[3] > without[3], i == 2);
		print_message("with a %s rule for one TEID: %.2f%% hashed by the NIC, 3.13%% of "
			      "the packets are GTP-U\n",
			      rules[i].name, 100 * share);
		assert_true(share > 0.95);
	}
}

TEST(a_rule_drops_packets_between_hashed_ones) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 512);
	const unsigned int n = 2048;
	uint64_t counts[N_QUEUES] = {0};
	unsigned int n_marked = 0;

	mixed_run(port, &n_marked, counts);
	rule_create(port, ANY_GTPU, ACTIONS(ACTION(DROP)));
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = i % 5 == 0 ? gtpu_tcp_packet() : tcp_packet(i % 16);

		testsrc_feed(0, 0, &mbuf, 1);
	}
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), n - (n + 4) / 5);
	assert_int_equal(xstat(port, "rx_dropped_by_rule"), (n + 4) / 5);
	assert_true(xstat(port, "rx_offloaded") > n / 2);
}

TEST(a_rule_for_all_packets_leaves_nothing_to_the_nic) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 512);
	struct rte_flow *flow = rule_create(port, ITEMS(ITEM(VOID)), ACTIONS(ACTION(COUNT)));

	packets_feed(0, 0, 16, 128);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 128);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	rule_destroy(port, flow);
	state_is(port, "on");
}

static void stop(uint16_t port) {
	assert_int_equal(rte_eth_dev_stop(port), 0);
}

static void rule_for_all(uint16_t port) {
	rule_create(port, ITEMS(ITEM(VOID)), ACTIONS(ACTION(COUNT)));
}

static void rule_refuse(uint16_t port) {
	stop(port);
	testsrc_nic(0)->fail_at = testsrc_nic(0)->n_created + 2;
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static void rss_hf_set(uint16_t port, uint64_t rss_hf) {
	struct rte_eth_rss_conf conf = {.rss_hf = rss_hf};

	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
}

static void rss_off(uint16_t port) {
	rss_hf_set(port, 0);
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

// The lower device verifies none.
static void checksums_ask(uint16_t port) {
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rxmode.offloads = RTE_ETH_RX_OFFLOAD_UDP_CKSUM,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};

	stop(port);
	ddp_configure_by(port, N_QUEUES, 1, 512, &conf);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

// Telemetry and `ddpctl port show` say the same: testpmd_offload_test.py.
TEST(each_state_has_its_name) {
	static const struct {
		const char *state, *devargs; // more of them
		void (*change)(uint16_t port);
	} rows[] = {
		{"on", "", NULL},
		{"off", ",offload=off", NULL},
		{"the port is stopped", "", stop},
		{"a device that hashes nothing hashes no packet type as the profile does",
		 ",offload=auto:none", NULL},
		{"rule 2 of ", "", rule_refuse},
		{"RSS is off", "", rss_off},
		{"with decap=on software parses each packet", ",decap=on", NULL},
		{"software parses each packet to verify checksums", "", checksums_ask},
		{"rss_hf asks for the outermost headers of each packet", "", rss_outermost},
		{"the hash function is not Toeplitz", "", symmetric},
		{"flow rules can match each packet type that it hashes", "", rule_for_all},
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
		poll_to_end(port, N_QUEUES, 0, NULL);
		if (rte_eth_devices[port].data->dev_started)
			stop(port);
		ddp_close(port);
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
	testsrc_control_hook(NULL, NULL);
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
		testsrc_feed(0, 0, &mbuf, 1);
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 1);
		idle_look(port);
	}
	state_is(port, "idle");
	packets_feed(0, 0, 16, 256);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 256);
	idle_look(port);
	state_is(port, "on");
}

// The NIC goes on hashing by Toeplitz.
TEST(another_hash_function_ends_the_bypass) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	packets_feed(0, 0, 16, 64);
	poll_to_end(port, N_QUEUES, 0, NULL); // the NIC is proven right
	symmetric(port);
	packets_feed(0, 0, 16, 64);
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	function_set(port, DDP_HASH_TOEPLITZ);
	packets_feed(0, 0, 16, 128);
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_true(xstat(port, "rx_offloaded") >= 64);
}

PORT_TESTS(leak_setup)
