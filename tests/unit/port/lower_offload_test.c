/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/lower/lower_offload.c and plugin/offload: a packet has the hash and the queue
// of pure software, whether the fake NIC or net_ddp hashes it.
#include "harness.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_log.h>
#include <rte_thash.h>

#include "classify/classify.h"
#include "fake_nic.h"
#include "graph_packets.h"
#include "package/small_package.h"
#include "packet.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"
#include "port_rules.h"
#include "profile/profile.h"
#include "rss/rss.h"
#include "scratch.h"

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

/* Packets of any profile */

static struct graph graph;

struct drawn {
	uint8_t bytes[256]; // all that a NIC reads; longer packets are truncated
	uint16_t len;
};

static void packets_draw(const char *spec, struct drawn *packets) {
	static uint8_t bytes[PACKET_MAX];
	struct ddp_diag diag;
	struct ddp_profile *profile;
	struct ddp_program *program;

	ddp_diag_init(&diag);
	profile = ddp_profile_load(spec, &diag);
	assert_non_null(profile);
	program = ddp_program_build(profile, &diag);
	assert_non_null(program);
	graph_init(&graph, profile, program, 1);
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		uint32_t len = graph_draw(&graph, bytes);

		packets[i].len = RTE_MAX(RTE_MIN(len, sizeof(packets[i].bytes)), 14U);
		memcpy(packets[i].bytes, bytes, packets[i].len);
	}
	ddp_program_destroy(program);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&diag);
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

// Send one batch of packets through the port; results are in its order.
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

// Or begins so.
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

// Returns the share of packets with a hardware hash.
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

TEST(hardware_equals_software_for_each_profile) {
	static const char *const specs[] = {
		"base",
		"gtpu",
		"gtpu:ue",
		"gtpu:inner-ip",
		"gtpu:teid",
		"gtpu:outer",
		"vxlan",
		"gre",
		"ipip",
		"pppoe",
		"vlan",
		"qinq",
		"ipsec",
		"mpls",
		"5g-upf",
		"bng",
		"geneve",
		"l2tpv2",
		"l2tpv3",
		"pfcp",
		"gtpc",
		"srv6",
		"nsh",
		"ecpri",
		"macsec",
		"quic",
		"rocev2",
		"fronthaul",
		"vxlan-gpe",
		"mpls-in-udp",
		"all",
		"gtpu-over-gre",
		"datacenter",
		"mpls-in-gre",
		"e810-comms",
		"gre-in-udp",
		PROFILES "/examples/gtpu-nic.yaml",
	};

	most = 0;
	for (unsigned int s = 0; s < RTE_DIM(specs); s += draw_step(1)) {
		packets_draw(specs[s], packets);
		software_run(specs[s]);
		draw_cases(nic_compare, RTE_DIM(nics) + 1);
	}
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

// Make a packet of the harness a TCP packet.
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

/* Flow rules */

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

// Packets that a rule does not match are hashed by the NIC, and each packet is as in software.
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

// Returns the share of packets that the NIC hashes.
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

// What a rule says holds from its creation to its destruction, and the NIC hashes what it cannot
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

// A drop in the middle of a burst that the NIC hashes in part.
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

/* Why the NIC's hashes are not used */

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

// The NIC hashes, but nothing that comes.
TEST(a_nic_that_hashes_nothing_of_the_traffic_is_idle) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	for (unsigned int i = 0; i < DDP_IDLE_LOOKS + 10; i++) {
		idle_look(port);
		state_is(port, "on"); // no traffic is no reason
	}
	for (unsigned int i = 0; i < DDP_IDLE_LOOKS; i++) {
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

/* Packets of which NIC and profile disagree, among good ones */

#define N_FLOWS 64
#define UDP_PTYPE (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP)

static const struct {
	enum fake_nic_kind fake;
	const char *kind;
} all_nics[] = {
	{FAKE_NIC_OS, "generic"}, {FAKE_NIC_OS, "ice-os"}, {FAKE_NIC_COMMS, "ice-comms"},
	{FAKE_NIC_IAVF, "iavf"},  {FAKE_NIC_I40E, "i40e"}, {FAKE_NIC_MLX5, "mlx5"},
};

static uint16_t kind_start(unsigned int i) {
	char devargs[100];
	uint16_t port;

	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0,nic=%u),overflow=wait,offload=auto:%s",
		 all_nics[i].fake, all_nics[i].kind);
	port = ddp_start(devargs, N_QUEUES, 1, 512);
	testsrc_nic(0)->credulous = true;
	return port;
}

// UDP for a credulous NIC, but not for the profile: the packet ends in its header. Where it ends
// before the ports, the NIC hashes zeros, which do not change the hash.
static struct rte_mbuf *cut_packet(unsigned int flow, bool ports) {
	struct rte_mbuf *mbuf = packet(flow, 0);

	if (!ports)
		memset(rte_pktmbuf_mtod_offset(mbuf, uint8_t *, 34), 0, 4);
	rte_pktmbuf_trim(mbuf, rte_pktmbuf_data_len(mbuf) - (ports ? 38 : 34));
	mbuf->vlan_tci_outer = 1; // an unused field
	return mbuf;
}

struct tally {
	unsigned int good, hashed; // good packets, and of them by the NIC
	unsigned int cut_udp;      // cut packets that are UDP for the application
	unsigned int wrong;        // good packets with a wrong hash
};

static void tally_add(struct tally *tally, const uint8_t *key, const struct rte_mbuf *mbuf) {
	const unsigned int flow = packet_flow(mbuf);
	uint32_t input[] = {flow_src(flow), FLOW_DST, flow_sport(flow) << 16 | 53};
	uint32_t words[RTE_DIM(input) + 1]; // of the key: rte_softrss() wants it aligned
	bool parsed = rte_pmd_ddp_meta_is_parsed(meta_of(mbuf));

	if (mbuf->vlan_tci_outer != 0) {
		tally->cut_udp += mbuf->packet_type == UDP_PTYPE;
		return;
	}
	tally->good++;
	tally->hashed += !parsed;
	memcpy(words, key, sizeof(words));
	tally->wrong +=
		mbuf->hash.rss != rte_softrss(input, RTE_DIM(input), (const uint8_t *)words);
}

#define LOOK 2560 // packets

// Let n packets come, about one in so many of them cut (0: none). After each LOOK, look for
// mismatches as an alarm does ten times a second, and verify a burst.
static struct tally flow_run(uint16_t port_id, unsigned int n, unsigned int one_in, bool ports) {
	struct ddp_port *ddp = rte_eth_devices[port_id].data->dev_private;
	struct tally tally = {0};
	uint32_t random = 1;

	for (unsigned int i = 0; i < n;) {
		for (unsigned int k = 0; k < 512; k++, i++) {
			const bool cut = one_in != 0 && (random >> 16) % one_in == 0;
			struct rte_mbuf *mbuf =
				cut ? cut_packet(i % N_FLOWS, ports) : packet(i % N_FLOWS, i);

			testsrc_feed(0, 0, &mbuf, 1);
			random = random * 1664525 + 1013904223;
		}
		for (unsigned int q = 0, got = 0; got < 512; q++) {
			uint16_t m = rx(port_id, q % N_QUEUES);

			for (uint16_t k = 0; k < m; k++)
				tally_add(&tally, ddp->rss.key, mbufs[k]);
			rte_pktmbuf_free_bulk(mbufs, m);
			got += m;
		}
		if (i % LOOK != 0)
			continue;
		ddp = ddp_registry_get(port_id);
		ddp_hw_ptypes_watch(ddp);
		ddp->lower_rxqs[0].n_bursts = DDP_PROOF_STRIDE - 1;
		ddp_registry_put(ddp);
	}
	assert_int_equal(tally.wrong, 0);
	return tally;
}

static double share(const struct tally *tally) {
	return (double)tally->hashed / tally->good;
}

// The packet type of UDP, as a copy.
static struct ddp_hw_ptype udp_ptype(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	const struct ddp_hw_ptype *found = ddp_hw_ptypes_find(port->hw_ptypes, UDP_PTYPE);
	struct ddp_hw_ptype ptype;

	assert_non_null(found);
	ptype = *found;
	ddp_registry_put(port);
	return ptype;
}

static void shares_print(unsigned int nic, const char *what, const struct tally tallies[3]) {
	print_message(
		"%-9s %s: hashed by the NIC of good packets before %.2f%%, during %.2f%%, after %.2f%%\n",
		all_nics[nic].kind, what, 100 * share(&tallies[0]), 100 * share(&tallies[1]),
		100 * share(&tallies[2]));
}

static void other_type_check(unsigned int nic) {
	static const unsigned int one_in[] = {2, 256};

	for (unsigned int k = 0; k < RTE_DIM(one_in); k++) {
		uint16_t port = kind_start(nic);
		struct ddp_hw_ptype ptype;
		struct tally tallies[3];
		char what[40];

		flow_run(port, 512, one_in[k], false); // they do not disturb the proof
		assert_int_equal(udp_ptype(port).unproven, 0);
		tallies[0] = flow_run(port, LOOK, 0, false);
		tallies[1] = flow_run(port, 4 * LOOK, one_in[k], false);
		tallies[2] = flow_run(port, LOOK, 0, false);
		snprintf(what, sizeof(what), "same hash, 1 in %u cut", one_in[k]);
		shares_print(nic, what, tallies);
		for (unsigned int t = 0; t < 3; t++)
			assert_true(share(&tallies[t]) > 0.98);
		// The NIC's type, but the profile's for those that are verified.
		assert_true(tallies[1].cut_udp > 4 * LOOK / one_in[k] * 2 / 3);
		ptype = udp_ptype(port);
		assert_int_equal(ptype.wrong, 0);
		assert_true(ptype.other > 0);
		assert_int_equal(mismatched(port), 0);
		ddp_end(port);
	}
}

// Most of what anyone can send to make NIC and profile disagree: the hash is the same.
TEST(packets_of_another_type_do_not_end_the_offload) {
	draw_cases(other_type_check, RTE_DIM(all_nics));
}

// How often the proof of the only packet type with mismatches was doubled.
static unsigned int level(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int i = 0, level;

	while (plan->ptypes[i].wrong == 0 && i + 1 < plan->n_ptypes)
		i++;
	level = plan->ptypes[i].level;
	assert_int_equal(port->offload.n_mismatched, 1);
	ddp_registry_put(port);
	return level;
}

static void other_hash_check(unsigned int nic) {
	uint16_t port = kind_start(nic);
	struct tally tallies[3];

	flow_run(port, 512, 0, true);
	tallies[0] = flow_run(port, LOOK, 0, true);
	tallies[1] = flow_run(port, 40 * LOOK, 128, true);
	flow_run(port, LOOK, 0, true);
	tallies[2] = flow_run(port, LOOK, 0, true);
	shares_print(nic, "another hash, 1 in 128 cut", tallies);
	assert_true(udp_ptype(port).wrong > 0);
	assert_int_equal(level(port), 0);
	assert_true(share(&tallies[0]) > 0.98);
	assert_true(share(&tallies[1]) > 0.4);
	assert_true(share(&tallies[2]) > 0.98);
	ddp_end(port);
}

// The NIC hashes ports that the packet does not have. Its packets prove nothing of others.
TEST(packets_with_another_hash_interrupt_the_offload) {
	draw_cases(other_hash_check, RTE_DIM(all_nics));
}

// Its packets never get its hash. Later it is right, and used again.
TEST(a_nic_that_hashes_one_type_wrongly_is_not_used) {
	struct rte_eth_rss_conf conf = {.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP};
	uint8_t key[40] = {1, 2, 3};
	uint16_t port = kind_start(1);
	struct tally tally;

	testsrc_nic(0)->garbles_udp = true;
	flow_run(port, 8 * LOOK, 0, true);
	assert_int_equal(level(port), 6);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	testsrc_nic(0)->garbles_udp = false;
	// A change of the steering does not make the NIC more reliable.
	conf.rss_key = key;
	conf.rss_key_len = sizeof(key);
	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
	assert_int_equal(udp_ptype(port).unproven, 4096);
	assert_true(udp_ptype(port).wrong > 0);
	tally = flow_run(port, LOOK, 0, true);
	assert_int_equal(tally.hashed, 0);
	flow_run(port, 2 * LOOK, 0, true);
	tally = flow_run(port, LOOK, 0, true);
	assert_true(share(&tally) > 0.98);
}

/* Programming */

TEST(rules_exist_while_the_port_runs) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 64);

	assert_true(testsrc_nic(0)->n_rules >= 8);
	assert_memory_equal(testsrc_nic(0)->key, ddp_default_key, 52);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(testsrc_nic(0)->n_rules, 0);
	assert_int_equal(testsrc_nic(0)->n_created, testsrc_nic(0)->n_destroyed);
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_true(testsrc_nic(0)->n_rules >= 8);
}

TEST(another_net_ddp_is_no_nic) {
	uint16_t port =
		ddp_start("dev(net_ddp1,dev(net_testsrc0),profile=e810-comms),offload=auto:generic",
			  N_QUEUES, 1, 64);
	const struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;

	assert_string_equal(ddp_nic_name(ddp->offload.nic), "none");
	assert_null(ddp->hw_ptypes);
}

// A driver that does not keep rules has none after it recovered from an error.
TEST(rules_are_created_again_after_a_recovery) {
	const struct fake_nic *nic = testsrc_nic(0);
	unsigned int n_rules;

	ddp_start(COMMS, N_QUEUES, 1, 64);
	n_rules = nic->n_rules;
	assert_true(n_rules > 0);
	fake_nic_fini(testsrc_nic(0));
	testsrc_tell(0, RTE_ETH_EVENT_RECOVERY_SUCCESS);
	wait_until(nic->n_rules == n_rules);
	assert_int_equal(nic->n_destroyed, 0);
}

static void package_write(const char *name, uint32_t track_id) {
	struct build *build = build_create();
	uint8_t identity[36] = {1, 3, 1, 0, 'T'};
	uint8_t *bytes;
	size_t size;

	put32(identity + 32, track_id);
	build_section(build, 1, identity, sizeof(identity));
	bytes = build_end(build, &size);
	scratch_write(name, bytes, size);
	build_destroy(build);
}

static void counts_as(const char *file, const char *offload, const char *kind) {
	const struct ddp_port *ddp;
	char devargs[300];
	uint16_t port;

	snprintf(devargs, sizeof(devargs), "dev(net_ice0,nic=2%s%s),profile=gtpu,offload=%s",
		 file != NULL ? ",ddp_pkg_file=" : "", file != NULL ? scratch_path(file) : "",
		 offload);
	port = ddp_start(devargs, N_QUEUES, 1, 64);
	ddp = rte_eth_devices[port].data->dev_private;
	assert_string_equal(ddp_nic_name(ddp->offload.nic), kind);
	assert_int_equal(testsrc_nic(0)->n_rules >= 8, strcmp(kind, "ice-comms") == 0);
	ddp_end(port);
}

// Unless the user knows better.
TEST(a_port_of_net_ice_is_the_kind_of_its_package) {
	rte_log_set_level(ddp_port_logtype, RTE_LOG_INFO);
	package_write("comms.pkg", 0xc0000002);
	package_write("os.pkg", 0xc0000001);
	package_write("other.pkg", 0xc0000009);
	counts_as(NULL, "auto", "ice-os");
	counts_as("comms.pkg", "auto", "ice-comms");
	assert_non_null(strstr(ddp_probe_log(), "comms.pkg: it counts as ice-comms"));
	counts_as("comms.pkg", "auto:ice-os", "ice-os");
	counts_as("os.pkg", "auto", "ice-os");
	assert_non_null(strstr(ddp_probe_log(), "os.pkg: it counts as ice-os"));
	counts_as("other.pkg", "auto", "ice-os");
	assert_non_null(strstr(ddp_probe_log(), "it is none of Intel's known ones"));
	counts_as("missing.pkg", "auto", "ice-os");
	assert_non_null(strstr(ddp_probe_log(), "No such file or directory"));
	rte_log_set_level(ddp_port_logtype, RTE_LOG_WARNING);
}

TEST(a_rule_that_fails_removes_all_others) {
	uint16_t port;

	for (unsigned int fail_at = 1; fail_at <= 8; fail_at += draw_step(3)) {
		port = ddp_probe(COMMS);
		ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
		testsrc_nic(0)->fail_at = fail_at;
		assert_int_equal(rte_eth_dev_start(port), 0);
		assert_int_equal(testsrc_nic(0)->n_refused, 1);
		assert_int_equal(testsrc_nic(0)->n_rules, 0);
		packets_feed(0, 0, 16, 64);
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 64);
		assert_int_equal(xstat(port, "rx_offloaded"), 0);
		ddp_end(port);
	}
}

TEST(a_port_that_requires_rules_does_not_start_without) {
	int port = ddp_probe("dev(net_testsrc0,nic=2),profile=gtpu,offload=require:ice-comms");

	ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP);
	testsrc_nic(0)->fail_at = 3;
	assert_true(rte_eth_dev_start(port) < 0);
	assert_int_equal(testsrc_nic(0)->n_rules, 0);
	testsrc_nic(0)->fail_at = 0;
	assert_int_equal(rte_eth_dev_start(port), 0);
}

// With a driver without raw patterns the other rules remain.
TEST(refused_patterns_stay_in_software) {
	uint16_t port = ddp_probe(COMMS);

	ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP);
	testsrc_nic(0)->no_raw = true;
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(testsrc_nic(0)->n_refused, 0);
	assert_true(testsrc_nic(0)->n_rules > 0);
}

TEST(a_profile_change_creates_new_rules) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 64);
	unsigned int before = testsrc_nic(0)->n_rules;
	char error[200];

	assert_int_equal(rte_pmd_ddp_profile_add(port, "ipip", error, sizeof(error)), 0);
	assert_true(testsrc_nic(0)->n_rules > before);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "ipip", error, sizeof(error)), 0);
	assert_int_equal(testsrc_nic(0)->n_rules, before);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", error, sizeof(error)), 0);
	assert_true(testsrc_nic(0)->n_rules < before);
}

TEST(a_change_that_the_lower_device_refuses_fails_if_required) {
	uint16_t port = ddp_start("dev(net_testsrc0,nic=2),profile=gtpu,offload=require:ice-comms",
				  N_QUEUES, 1, 64);
	struct fake_nic *nic = testsrc_nic(0);
	unsigned int before = nic->n_rules;
	struct rte_pmd_ddp_profile profiles[2];
	char error[200];

	nic->fail_at = nic->n_created + 5;
	assert_true(rte_pmd_ddp_profile_add(port, "ipip", error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "offload=require: rule 5 of"));
	assert_int_equal(rte_pmd_ddp_profiles_get(port, profiles, 2), 1);
	assert_int_equal(nic->n_rules, before);
}

// Let n packets through the port, and return how many the NIC has hashed so far.
static uint64_t pass(uint16_t port, unsigned int n) {
	packets_feed(0, 0, 16, n);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), n);
	return xstat(port, "rx_offloaded");
}

static uint8_t other_key[40] = {1, 2, 3};

static void key_change(uint16_t port) {
	struct rte_eth_rss_conf conf = {
		.rss_key = other_key,
		.rss_key_len = sizeof(other_key),
		.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};

	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
}

// Packets that wait in the NIC were hashed by the rules of their arrival.
TEST(packets_from_before_a_change_are_hashed_again) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	// As many are hashed in software after a change, even if none are reported as waiting.
	pass(port, DDP_PORT_BURST);
	assert_int_equal(pass(port, 64), 0); // they prove that it is right
	assert_int_equal(pass(port, 64), 64);
	packets_feed(0, 0, 16, 64);
	key_change(port);
	assert_memory_equal(testsrc_nic(0)->key, other_key, sizeof(other_key));
	key_change(port); // changes nothing
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 64);
	assert_int_equal(xstat(port, "rx_offloaded"), 64);
	pass(port, DDP_PORT_BURST);
	for (unsigned int i = 1; i <= 2; i++) // and once more
		assert_int_equal(pass(port, 64), 64 * i);
	assert_int_equal(mismatched(port), 0);
}

// A driver returns no packets while the mempool is empty, although packets wait. If such a burst
// were taken for an empty queue, packets would reach the application with the hash of the old key,
// and on its queue.
TEST(an_empty_burst_does_not_mean_an_empty_queue) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);
	packets_feed(0, 0, 16, 256);
	key_change(port);
	testsrc_starve(0, 1);
	assert_int_equal(rx(port, 0), 0);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 256);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
}

// A driver does not count packets in its own buffer.
TEST(uncounted_packets_are_drained_too) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	packets_feed(0, 0, 16, DDP_PORT_BURST);
	testsrc_stage(0, DDP_PORT_BURST);
	key_change(port);
	packets_feed(0, 0, 16, 64);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), DDP_PORT_BURST + 64);
	assert_int_equal(xstat(port, "rx_offloaded"), 0); // the last 64 prove that it is right
	assert_int_equal(pass(port, 64), 64);
}

TEST(flow_rules_and_rss_off_end_the_bypass) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);
	struct rte_eth_rss_conf conf = {.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP};
	struct rte_eth_rss_conf none = {0};
	struct rte_flow *flow;

	flow = rule_create(port, udp_items, ACTIONS(TO_QUEUE(1)));
	for (unsigned int i = 0; i < 4; i++) { // more than it takes to prove that the NIC is right
		uint64_t counts[N_QUEUES] = {0};

		packets_feed(0, 0, 16, 64);
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, counts), 64);
		assert_int_equal(counts[1], 64);
	}
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	rule_destroy(port, flow);
	assert_int_equal(rte_eth_dev_rss_hash_update(port, &none), 0);
	assert_int_equal(pass(port, 64), 0);
	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pass(port, 64), 64 * i);
}

// The NIC goes on hashing by Toeplitz.
TEST(another_hash_function_ends_the_bypass) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	pass(port, 64); // the NIC is proven right
	function_set(port, DDP_HASH_SYMMETRIC_TOEPLITZ);
	assert_int_equal(pass(port, 64), 0);
	function_set(port, DDP_HASH_TOEPLITZ);
	pass(port, 64);
	assert_true(pass(port, 64) >= 64);
}

TEST(a_declared_port_is_declared_on_the_lower_device) {
	uint16_t port =
		ddp_start("dev(net_testsrc0,nic=2),profile=vxlan:outer,offload=auto:ice-comms",
			  N_QUEUES, 1, 64);

	if (testsrc_nic(0)->vxlan_ports[0] != 0)
		assert_int_equal(testsrc_nic(0)->vxlan_ports[0], 4789);
	ddp_end(port);
	assert_int_equal(testsrc_nic(0)->vxlan_ports[0], 0);
}

TEST(an_unplugged_lower_device_is_not_called) {
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 64);

	testsrc_unplug(0);
	wait_until(!rte_eth_dev_is_valid_port(port + 1));
	ddp_end(port);
	assert_int_equal(testsrc_faults(), 0);
}

PORT_TESTS(leak_setup)
