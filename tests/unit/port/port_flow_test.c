/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules by the C API. (Patterns and refusals: port_flow_refusals_test.c. Hashed fields and
// packets: tests/e2e/testpmd_rules_test.py; look-up of rules: tests/unit/classify/flow_test.c.)
#include "port_rules.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <rte_byteorder.h>
#include <rte_thash.h>

#include "packet.h"
#include "port/state/port.h"
#include "rss/rss.h"
#include "rules/rules.h"

static const struct rte_flow_action_rss by_source = {
	.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
};
static const uint16_t queue_list[] = {0, 1, 2, 3};
static const struct rte_flow_item *const ipv4_items = ITEMS(ITEM(ETH), ITEM(IPV4));

#define ANY_UDP -1
#define ANY_IPV4 -2

static const struct rte_flow_item *items_by(int flow) {
	return flow >= 0 ? items_of_flow(flow) : flow == ANY_UDP ? udp_items : ipv4_items;
}

// A rule to the queue of its number comes with a priority, or goes.
struct step {
	int rule;
	int priority;
	int flow;    // or ANY_
	int decides; // for flow 1 from then on; GOES: the port's hash
};
#define GOES -1

static void steps_take(const struct step *steps, unsigned int n) {
	uint16_t port = rules_start(NULL);
	struct rte_flow *flows[N_QUEUES];

	for (unsigned int i = 0; i < n; i++) {
		const struct step *step = &steps[i];

		if (step->priority == GOES)
			rule_destroy(port, flows[step->rule]);
		else
			flows[step->rule] =
				rule_create_at(port, step->priority, items_by(step->flow),
					       ACTIONS(TO_QUEUE(step->rule)));
		if (step->decides == GOES)
			assert_true(is_by_hash(port, 1));
		else
			assert_int_equal(seen_of_flow(port, 1).queue, step->decides);
	}
	ddp_end(port);
}

TEST(the_smallest_priority_number_decides_then_the_newest_rule) {
	static const struct step mixed[] = {
		{0, 5, 1, 0},    {1, 4, ANY_UDP, 1}, {2, 4, 1, 2},    {3, 4, ANY_IPV4, 3},
		{3, GOES, 0, 2}, {1, GOES, 0, 2},    {2, GOES, 0, 0}, {0, GOES, 0, GOES},
	};
	// The path cache learns their decisions.
	static const struct step without_values[] = {
		{1, 5, ANY_UDP, 1}, {2, 4, ANY_UDP, 2}, {3, 3, ANY_UDP, 3},
		{3, GOES, 0, 2},    {1, GOES, 0, 2},    {2, GOES, 0, GOES},
	};
	// A rule that one without values outranked when the path was learned.
	static const struct step of_a_known_shape[] = {
		{1, 5, 2, GOES},
		{2, 4, ANY_IPV4, 2},
		{3, 3, 2, 2},
		{0, 3, 1, 0},
	};

	steps_take(mixed, RTE_DIM(mixed));
	steps_take(without_values, RTE_DIM(without_values));
	steps_take(of_a_known_shape, RTE_DIM(of_a_known_shape));
}

// By the port's key, or by one of its own of 40 bytes, which go on with their first 12, or of 52.
TEST(a_list_of_queues_shares_packets_by_their_hash) {
	const uint16_t queues[] = {3, 1, 3};
	static const unsigned int lengths[] = {0, 40, 52};
	struct rte_flow_action_rss rss = {.queue = queues, .queue_num = RTE_DIM(queues)};
	const struct rte_flow_action action = ACTION(RSS);
	uint16_t port = rules_start(NULL);
	struct rte_flow_action_rss said;
	struct rte_flow *flow = NULL;
	uint8_t key[52];

	for (unsigned int k = 0; k < RTE_DIM(lengths); k++) {
		const unsigned int len = lengths[k];

		for (unsigned int i = 0; i < sizeof(key); i++)
			key[i] = len == 0 ? ddp_default_key[i] : 7 * (i % len) + len;
		rss.key = len == 0 ? NULL : key;
		rss.key_len = len;
		flow = rule_create(port, udp_items, RSS_ACTIONS(rss));
		for (unsigned int i = 0; i < 50; i++) {
			struct seen seen = seen_of_flow(port, i);

			assert_int_equal(seen.hash, hash_by(i, key));
			assert_int_equal(seen.queue, queues[seen.hash % RTE_DIM(queues)]);
		}
		assert_int_equal(rte_flow_query(port, flow, &action, &said, NULL), 0);
		assert_int_equal(said.key_len, len);
		assert_memory_equal(said.key, key, len);
		if (k < 2)
			rule_destroy(port, flow);
	}
	rss_hf_set(port, 0);
	assert_int_equal(seen_of_flow(port, 5).queue, 3); // not hashed: the list's first
	rule_destroy(port, flow);
}

TEST(a_mark_stands_beside_the_hash) {
	static const struct rte_flow_action_mark mark = {.id = 0xdeadbeef};
	const uint64_t both = RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
	uint16_t port = rules_start(NULL);
	struct seen seen;

	rule_create(port, items_of_flow(1), ACTIONS(ACTION(MARK, .conf = &mark)));
	rule_create(port, items_of_flow(2), ACTIONS(ACTION(FLAG), TO_QUEUE(2)));
	seen = seen_of_flow(port, 1);
	assert_int_equal(seen.flags & both, both);
	assert_int_equal(seen.mark, 0xdeadbeef);
	assert_int_equal(seen.hash, hash_of(1));
	assert_int_equal(seen.queue, hash_of(1) % N_QUEUES);
	seen = seen_of_flow(port, 2);
	assert_int_equal(seen.flags & both, RTE_MBUF_F_RX_FDIR);
	assert_int_equal(seen.queue, 2);
	assert_int_equal(seen_of_flow(port, 3).flags & both, 0);
}

// Open vSwitch asks for the port's own hash over all queues.
TEST(a_query_says_what_was_asked_of_rss) {
	static const struct rte_flow_action_rss all[] = {
		{.types = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP,
		 .queue = queue_list,
		 .queue_num = RTE_DIM(queue_list)},
		{.types = RTE_ETH_RSS_IP, .queue = queue_list, .queue_num = 1},
		{.queue = queue_list, .queue_num = 2},
		{.types = RTE_ETH_RSS_IPV4, .level = 2},
	};
	const struct rte_flow_action action = ACTION(RSS);
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(all); i++) {
		struct rte_flow *flow = rule_create(port, items_of_flow(1), RSS_ACTIONS(all[i]));
		struct rte_flow_action_rss said = {0};

		assert_int_equal(rte_flow_query(port, flow, &action, &said, NULL), 0);
		assert_int_equal(said.types, all[i].types);
		assert_int_equal(said.level, all[i].level);
		assert_int_equal(said.queue_num, all[i].queue_num);
		if (said.queue_num > 0)
			assert_int_equal(seen_of_flow(port, 1).queue, hash_of(1) % said.queue_num);
		else
			assert_int_equal(said.func, RTE_ETH_HASH_FUNCTION_TOEPLITZ);
		rule_destroy(port, flow);
	}
}

TEST(rules_have_only_so_many_keys) {
	uint8_t key[40] = {0};
	struct rte_flow_action_rss rss = {
		.queue = queue_list,
		.queue_num = RTE_DIM(queue_list),
		.key = key,
		.key_len = sizeof(key),
	};
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < DDP_FLOW_KEYS_MAX; i++) {
		key[0] = i;
		rule_create(port, items_of_flow(i), RSS_ACTIONS(rss));
	}
	rule_create(port, items_of_flow(100), RSS_ACTIONS(rss)); // one of them
	key[1] = 1;
	rule_refused(port, &ingress, items_of_flow(101), RSS_ACTIONS(rss), ENOSPC,
		     "the rules have as many different RSS keys as they may have");
}

#define N_MANY 40000

// The path cache stays as it is, as a rule of their shape is there.
TEST(rules_send_their_packets_to_their_queue_until_they_are_destroyed) {
	uint16_t port = rules_start(NULL);
	struct rte_flow *flows[N_QUEUES];
	uint64_t learned;

	rule_create(port, items_of_flow(99), ACTIONS(TO_QUEUE(0)));
	for (unsigned int i = 0; i < 10; i++)
		assert_true(is_by_hash(port, i));
	learned = xstat(port, "rx_path_cache_learned");
	for (unsigned int i = 0; i < N_QUEUES; i++)
		flows[i] = rule_create(port, items_of_flow(i), ACTIONS(TO_QUEUE(i)));
	for (unsigned int i = 0; i < N_QUEUES; i++) {
		struct seen seen = seen_of_flow(port, i);

		assert_int_equal(seen.queue, i);
		assert_int_equal(seen.hash, hash_of(i));
		assert_true((seen.flags & RTE_MBUF_F_RX_RSS_HASH) != 0);
		assert_true(is_by_hash(port, N_QUEUES + i));
	}
	for (unsigned int i = 0; i < N_QUEUES; i++)
		rule_destroy(port, flows[i]);
	for (unsigned int i = 0; i < N_QUEUES; i++)
		assert_true(is_by_hash(port, i));
	assert_int_equal(xstat(port, "rx_path_cache_learned"), learned);
}

// The number of warnings of a port while rules come and go, each for one more bit of an address and
// so of a shape of its own.
static unsigned int warnings_of_shapes(uint16_t port) {
	struct rte_flow *flows[32];
	static char text[8192];
	unsigned int n = 0;

	log_capture(text, sizeof(text));
	for (unsigned int i = 0; i < RTE_DIM(flows); i++) {
		const rte_be32_t mask = rte_cpu_to_be_32(UINT32_MAX << (31 - i));

		flows[i] = rule_create(port,
				       ITEMS(ITEM(ETH), ITEM(IPV4, SPEC(ipv4, .hdr.src_addr = mask),
							     MASK(ipv4, .hdr.src_addr = mask))),
				       ACTIONS(TO_QUEUE(1)));
	}
	for (unsigned int i = 0; i < RTE_DIM(flows); i++)
		rule_destroy(port, flows[i]);
	log_release();
	for (const char *line = text; (line = strstr(line, "more than 32 shapes")) != NULL; line++)
		n++;
	return n;
}

TEST(a_port_warns_once_of_many_shapes) {
	uint16_t port = rules_start(NULL);

	assert_int_equal(warnings_of_shapes(port), 0);
	rule_create(port, udp_items, ACTIONS(TO_QUEUE(1)));
	assert_int_equal(warnings_of_shapes(port), 1);
	assert_int_equal(warnings_of_shapes(port), 0);
}

// As net_ddp(7) has it, a rule takes no longer among many: in square time the last quarter of these
// would take seven times as long as the first. By CPU time, as machines are busy.
TEST(many_rules_come_and_go) {
	static struct rte_flow *flows[N_MANY];
	uint16_t port = rules_start(NULL);
	clock_t at[5] = {clock()}; // after each quarter

	assert_int_equal(rte_flow_flush(port, NULL), 0); // none
	for (unsigned int i = 0; i < N_MANY; i++) {
		flows[i] = rule_create(port, items_of_flow(i), ACTIONS(TO_QUEUE(i % N_QUEUES)));
		if (i % (N_MANY / 4) == N_MANY / 4 - 1)
			at[1 + i / (N_MANY / 4)] = clock();
	}
	assert_true(at[4] - at[3] < 4 * (at[1] - at[0]));
	for (unsigned int i = 0; i < N_MANY; i += 2)
		rule_destroy(port, flows[i]);
	assert_int_equal(rte_flow_destroy(port, flows[0], NULL), -ENOENT);
	for (unsigned int i = 0; i < N_MANY; i += 97)
		if (i % 2 == 0)
			assert_true(is_by_hash(port, i));
		else
			assert_int_equal(seen_of_flow(port, i).queue, i % N_QUEUES);
	// Another profile compiles their shape only.
	assert_int_equal(rte_pmd_ddp_profile_add(port, "vxlan", NULL, 0), 0);
	assert_int_equal(seen_of_flow(port, 7).queue, 7 % N_QUEUES);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "vxlan", NULL, 0), 0);
	assert_int_equal(seen_of_flow(port, 7).queue, 7 % N_QUEUES);
	rule_create(port, udp_items, RSS_ACTIONS(by_source));
	assert_int_equal(rte_flow_flush(port, NULL), 0);
	for (unsigned int i = 0; i < N_MANY; i += 97)
		assert_true(is_by_hash(port, i));
	assert_int_equal(rte_flow_destroy(port, flows[1], NULL), -ENOENT);
}

static struct rte_flow_query_count count_of(uint16_t port, struct rte_flow *flow, bool reset) {
	struct rte_flow_query_count count = {.reset = reset};
	const struct rte_flow_action action = ACTION(COUNT);

	assert_int_equal(rte_flow_query(port, flow, &action, &count, NULL), 0);
	assert_true(count.hits_set && count.bytes_set);
	return count;
}

TEST(dropped_packets_are_counted_and_the_sum_holds) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", N_QUEUES, 1, 512);
	struct rte_flow *drop =
		rule_create(port, items_of_flow(3), ACTIONS(ACTION(COUNT), ACTION(DROP)));
	struct rte_flow *watch =
		rule_create(port, items_of_flow(4), ACTIONS(ACTION(VOID), ACTION(COUNT)));
	struct rte_flow_query_count count;

	packets_feed(0, 0, 10, 500);
	packets_feed(0, 1, 10, 250);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 675);
	count = count_of(port, drop, true);
	assert_int_equal(count.hits, 75);
	assert_int_equal(count.bytes, 75 * 46);
	assert_int_equal(count_of(port, drop, false).hits, 0);
	assert_int_equal(count_of(port, drop, false).bytes, 0);
	assert_int_equal(count_of(port, watch, false).hits, 75);
	assert_int_equal(xstat(port, "rx_dropped_by_rule"), 75);
	assert_sum_holds(port);
	packets_feed(0, 1, 10, 10);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 9);
	assert_int_equal(count_of(port, drop, false).hits, 1);
	assert_int_equal(count_of(port, watch, false).hits, 76);
}

TEST(a_hash_rule_says_what_is_hashed) {
	uint32_t src = flow_src(9), sorted[] = {src, FLOW_DST, 53 << 16 | flow_sport(9)};
	const uint32_t src_hash = rte_softrss(&src, 1, ddp_default_key);
	const struct {
		struct rte_flow_action_rss rss;
		uint32_t hash;
	} rows[] = {
		{by_source, src_hash},
		{{.types = by_source.types, .key = ddp_default_key, .key_len = 40}, src_hash},
		{{.types = RTE_ETH_RSS_NONFRAG_IPV4_UDP,
		  .func = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT},
		 rte_softrss(sorted, RTE_DIM(sorted), ddp_default_key)},
	};
	uint16_t port = rules_start(NULL);

	rss_hf_set(port, 0);
	for (unsigned int i = 0; i < 3 * RTE_DIM(rows); i++) { // interpreted, and from the cache
		struct rte_flow *flow = rule_create(port, udp_items, RSS_ACTIONS(rows[i / 3].rss));
		struct seen seen = seen_of_flow(port, 9);

		assert_int_equal(seen.hash, rows[i / 3].hash);
		assert_true((seen.flags & RTE_MBUF_F_RX_RSS_HASH) != 0);
		assert_int_equal(seen.queue, seen.hash % N_QUEUES);
		rule_destroy(port, flow);
		assert_int_equal(seen_of_flow(port, 9).flags & RTE_MBUF_F_RX_RSS_HASH, 0);
	}
}

// An application that reads this does not create them anew, which would fail.
TEST(rules_outlive_a_stop_as_the_port_tells) {
	uint16_t port = rules_start(NULL);
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_int_equal(info.dev_capa, RTE_ETH_DEV_CAPA_FLOW_RULE_KEEP);
	rule_create(port, items_of_flow(1), ACTIONS(TO_QUEUE(2)));
	ddp_restart(port);
	assert_int_equal(seen_of_flow(port, 1).queue, 2);
	assert_null(rte_flow_create(port, &ingress, items_of_flow(1), ACTIONS(TO_QUEUE(2)), NULL));
	assert_int_equal(rte_errno, EEXIST);
}

TEST(a_port_keeps_the_queues_that_its_rules_use) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	uint16_t port = rules_start(NULL);
	struct rte_flow *flow = rule_create(port, items_of_flow(1), ACTIONS(TO_QUEUE(2)));

	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, 2, 1, &conf), -EINVAL);
	assert_int_equal(rte_eth_dev_configure(port, 0, 1, &conf), -EINVAL);
	ddp_configure(port, 3, 1, 512, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	packets_feed(0, 0, 2, 2);
	assert_int_equal(poll_to_end(port, 2, 0, NULL) + poll_to_end(port, 3, 0, NULL), 2);
	rule_destroy(port, flow);
	ddp_reconfigure(port, 2, 512, RTE_ETH_RSS_IP);
}

static char error[200];

static void profile_del(uint16_t port, const char *name, int ret, const char *expected) {
	assert_int_equal(rte_pmd_ddp_profile_del(port, name, error, sizeof(error)), ret);
	assert_string_equal(error, expected);
}

TEST(a_profile_that_rules_need_stays) {
	uint16_t port = rules_start("gtpu+vxlan");
	const struct rte_flow_item *session =
		ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP),
		      ITEM(GTPU, SPEC(gtp, .teid = RTE_BE32(TEID))), ITEM(IPV4));
	const struct rte_flow_item *vxlan = ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(VXLAN));
	const struct rte_flow_item *over_ipv6 = ITEMS(ITEM(ETH), ITEM(IPV6), ITEM(UDP), ITEM(GTPU));
	struct rte_flow *flows[] = {
		rule_create(port, session, ACTIONS(TO_QUEUE(3))),
		rule_create(port, vxlan, ACTIONS(TO_QUEUE(1))),
		rule_create(port, over_ipv6, ACTIONS(TO_QUEUE(3))),
	};

	rule_create(port, udp_items, RSS_ACTIONS(by_source)); // needs neither
	profile_del(port, "vxlan", -EBUSY, "needed by flow rules: eth / ipv4 / udp / vxlan");
	profile_del(
		port, "gtpu", -EBUSY,
		"needed by flow rules: eth / ipv4 / udp / gtpu / ipv4; eth / ipv6 / udp / gtpu");
	assert_int_equal(seen_of(port, gtpu_packet()).queue, 3);
	assert_int_equal(rte_pmd_ddp_profile_set(port, "gtpu:teid", error, sizeof(error)), -EBUSY);
	assert_string_equal(error, "needed by flow rules: eth / ipv4 / udp / vxlan");
	assert_int_equal(rte_pmd_ddp_profile_set(port, "vxlan+gtpu:teid", error, sizeof(error)), 0);
	assert_int_equal(seen_of(port, gtpu_packet()).queue, 3);
	rule_destroy(port, flows[1]);
	rule_destroy(port, flows[2]);
	profile_del(port, "vxlan", 0, "");
	assert_int_equal(seen_of(port, gtpu_packet()).queue, 3); // the rule knows its way
	rule_destroy(port, flows[0]);
	profile_del(port, "gtpu", 0, "");
	rule_refused(port, &ingress, session, ACTIONS(TO_QUEUE(3)), EINVAL,
		     "no loaded profile parses header 'gtpu': profile gtpu does");
}

static const char *dump_of(uint16_t port, struct rte_flow *flow) {
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	memset(text, 0, sizeof(text));
	assert_int_equal(rte_flow_dev_dump(port, flow, out, NULL), 0);
	fclose(out);
	return text;
}

TEST(a_dump_shows_what_each_rule_asks_and_does) {
	static const struct rte_flow_action_mark mark = {.id = 7};
	static const struct rte_flow_action_rss to_two = {.queue = queue_list + 2, .queue_num = 2};
	static const struct rte_flow_action_rss everything = {
		.func = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR};
	static const struct rte_flow_action_rss udp6 = {
		.func = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
		.types = RTE_ETH_RSS_NONFRAG_IPV6_UDP};
	const struct rte_flow_action *by_src = RSS_ACTIONS(by_source);
	struct rte_flow_item_ipv6 ip6 = {0};
	uint16_t port = rules_start(NULL);
	struct rte_flow *flow;

	memcpy(&ip6.hdr.dst_addr, "\x20\x01\x0d\xb8", 4); // an array, or a structure with one
	assert_string_equal(dump_of(port, NULL), "");
	rule_create(port, ITEMS(ITEM(ETH), ITEM(IPV4)), by_src);
	flow = rule_create_at(
		port, 3,
		ITEMS(ITEM(ETH, SPEC(eth, .dst.addr_bytes = {2, 0, 0, 0, 0, 1})),
		      ITEM(VLAN, SPEC(vlan, .tci = RTE_BE16(0x1005)),
			   MASK(vlan, .tci = RTE_BE16(0x1fff))),
		      ITEM(IPV4, SPEC(ipv4, .hdr.src_addr = RTE_BE32(0xc0000200)),
			   MASK(ipv4, .hdr.src_addr = RTE_BE32(0xffffff00))),
		      ITEM(TCP, SPEC(tcp, .hdr = {.dst_port = RTE_BE16(80), .tcp_flags = 2}),
			   MASK(tcp, .hdr = {.dst_port = UINT16_MAX, .tcp_flags = 0x12}))),
		ACTIONS(ACTION(RSS, .conf = &to_two), ACTION(MARK, .conf = &mark)));
	assert_string_equal(dump_of(port, flow),
			    "priority 3: eth dst=02:00:00:00:00:01 src=00:00:00:00:00:00 / "
			    "vlan dei=1 vid=5 / ipv4 src=192.0.2.0/24 / tcp dport=80 "
			    "flags=2/0x12: queues 2 3, mark 7\n");
	rule_destroy(port, flow);
	rule_create(
		port,
		ITEMS(ITEM(ETH, SPEC(eth, .has_vlan = 0), MASK(eth, .has_vlan = 1)), ITEM(IPV4),
		      ITEM(UDP),
		      ITEM(RAW,
			   SPEC(raw, .relative = 1, .offset = 16, .length = 4,
				.pattern = (const uint8_t *)"\0\0\1\0"),
			   MASK(raw, .length = 4, .pattern = (const uint8_t *)"\xff\xff\xff\xff")),
		      ITEM(RAW, // no text either
			   SPEC(raw, .relative = 1, .length = 1, .pattern = (const uint8_t *)"\1"),
			   MASK(raw, .length = 1, .pattern = (const uint8_t *)"\1"))),
		ACTIONS(ACTION(DROP)));
	rule_create(port, items_of_flow(0), ACTIONS(ACTION(DROP), ACTION(COUNT), ACTION(FLAG)));
	packets_feed(0, 0, 1, 2);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 0);
	rule_create(port, ITEMS(ITEM(END)), RSS_ACTIONS(everything));
	rule_create(port, ITEMS(ITEM(ETH), ITEM(IPV6, .spec = &ip6), ITEM(UDP)),
		    ACTIONS(ACTION(PASSTHRU)));
	rule_create(port, ITEMS(ITEM(ETH), ITEM(IPV6), ITEM(UDP)), RSS_ACTIONS(udp6));
	rule_create(port, ITEMS(ITEM(ETH), ITEM(IPV4)), by_src);
	assert_string_equal(
		dump_of(port, NULL),
		"priority 0: eth / ipv4: hash toeplitz ipv4.src; replaced by a newer rule\n"
		"priority 0: eth without vlan / ipv4 / udp behind128=256 behind167=1: drop\n"
		"priority 0: eth / ipv4 src=10.0.0.0 / udp: drop, flag; 2 packets, 92 bytes\n"
		"priority 0: any packet: hash simple_xor by rss_hf\n"
		"priority 0: eth / ipv6 src=:: dst=2001:db8:: / udp: pass\n"
		"priority 0: eth / ipv6 / udp: hash symmetric_toeplitz ipv6.src ipv6.dst udp.sport "
		"udp.dport\n"
		"priority 0: eth / ipv4: hash toeplitz ipv4.src\n");
}

// A newer hash rule of its pattern takes its place for good: also where that is destroyed, and
// another one, which may lie where that did in memory, is validated.
TEST(a_rule_that_was_replaced_stays_out_of_force) {
	static const struct rte_flow_action_rss by_destination = {
		.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_DST_ONLY,
	};
	const struct rte_flow_item *items = ITEMS(ITEM(ETH), ITEM(IPV4));
	const struct rte_flow_action *actions = RSS_ACTIONS(by_destination);
	uint16_t port = rules_start(NULL);
	struct rte_flow *newer;

	rule_create(port, items, RSS_ACTIONS(by_source));
	assert_int_not_equal(seen_of_flow(port, 1).hash, hash_of(1));
	newer = rule_create(port, items, actions);
	assert_int_not_equal(seen_of_flow(port, 1).hash, hash_of(1));
	rule_destroy(port, newer);
	assert_int_equal(seen_of_flow(port, 1).hash, hash_of(1));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(rte_flow_validate(port, &ingress, items, actions, NULL), 0);
	rule_destroy(port, rule_create(port, udp_items, ACTIONS(TO_QUEUE(1)))); // compiles all anew
	assert_int_equal(seen_of_flow(port, 1).hash, hash_of(1));
}

// Another thread changes the rules while a burst of lower queue 0 is being read; a packet of lower
// queue 1 is hashed meanwhile.
static uint16_t port_then;
static struct rte_flow *flow_then; // that goes; NULL: it comes
static uint32_t hash_then;
static pthread_t thread_then;

static void *rule_change(void *arg) {
	if (flow_then != NULL)
		rule_destroy(port_then, flow_then);
	else
		flow_then = rule_create(port_then, items_of_flow(1), RSS_ACTIONS(by_source));
	return NULL;
}

static void packet_take(uint16_t queue) {
	struct rte_mbuf *mbuf;

	if (rte_eth_rx_burst(port_then, queue, &mbuf, 1) == 0)
		return;
	hash_then = mbuf->hash.rss;
	rte_pktmbuf_free(mbuf);
}

static void rule_change_and_read(void *arg) {
	struct ddp_port *ddp = rte_eth_devices[port_then].data->dev_private;

	if (!rte_spinlock_is_locked(&ddp->lower_rxqs[0].lock)) {
		testsrc_hook(rule_change_and_read, NULL); // this is a burst of lower queue 1
		return;
	}
	assert_int_equal(pthread_create(&thread_then, NULL, rule_change, NULL), 0);
	wait_wanted(port_then);
	packet_feed(1, packet(1, 0));
	while (testsrc_left(0) > 0)
		packet_take(1);
}

static uint32_t hash_meanwhile(void) {
	hash_then = 0;
	testsrc_hook(rule_change_and_read, NULL);
	for (unsigned int i = 0; hash_then == 0; i++)
		packet_take(i % N_QUEUES);
	pthread_join(thread_then, NULL);
	return hash_then;
}

// Else a flow would go to another queue before the old one is done, and two cores would have
// packets of it at once. Neither change compiles rules, and no path cache knows the packets' path.
TEST(a_hash_rule_changes_nothing_before_packets_wait_for_older_ones) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", N_QUEUES, 1, 512);
	uint32_t by_rule;

	port_then = port;
	rule_create(port, items_of_flow(2), RSS_ACTIONS(by_source));
	assert_int_equal(hash_meanwhile(), hash_of(1));
	by_rule = seen_of_flow(port, 1).hash;
	assert_int_not_equal(by_rule, hash_of(1));
	assert_int_equal(hash_meanwhile(), by_rule);
	assert_true(is_by_hash(port, 1));
}

PORT_TESTS(leak_setup)
