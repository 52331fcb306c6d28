/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/port_flow*.c: what no rte_flow rule can be, with the reason that its author
// reads.
#include "port_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_byteorder.h>

static const struct rte_flow_action_rss by_source = {
	.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
};

static const struct rte_flow_item_ipv4 ip_spec = {.hdr.src_addr = 1}, ip_mask = {.hdr.src_addr = 1};
static const struct rte_flow_item_ipv4 ip_last = {.hdr.src_addr = 2};
static const struct rte_flow_item_eth vlan_asked = {.has_vlan = 1}, vlan_excluded = {0};
static const struct rte_flow_item_ipv6 hop_asked = {.has_hop_ext = 1};
static const struct rte_flow_item_gre_opt gre_opt;
static const rte_be32_t gre_key = 1;

static const struct {
	const char *name;
	const struct rte_flow_item *items;
	const char *message;
} bad_patterns[] = {
	{"no pattern", NULL, "no pattern"},
	{"a range", ITEMS(ITEM(ETH), ITEM(IPV4, .spec = &ip_spec, .last = &ip_last)),
	 "ranges of values are not supported"},
	{"a mask alone", ITEMS(ITEM(ETH), ITEM(IPV4, .mask = &ip_mask)), "a mask without a value"},
	{"another extension header",
	 ITEMS(ITEM(ETH), ITEM(IPV6, .spec = &hop_asked, .mask = &hop_asked)),
	 "of what follows a header only has_vlan, has_more_vlan and has_frag_ext can be matched"},
	{"a VLAN tag that is not there",
	 ITEMS(ITEM(ETH, .spec = &vlan_excluded, .mask = &vlan_asked), ITEM(VLAN)),
	 "the pattern has a header of which it says that it does not follow"},
	{"an item for ports", ITEMS(ITEM(ETH), ITEM(PORT_ID)),
	 "no header of a profile stands for this item"},
	{"an item that there is not", ITEMS({.type = 9999}),
	 "no header of a profile stands for this item"},
	{"a negative item", ITEMS(ITEM(ETH), {.type = -1}),
	 "no header of a profile stands for this item"},
	{"a GRE option",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE), ITEM(GRE_OPTION, .spec = &gre_opt)),
	 "no header of a profile stands for this item"},
	{"a GRE key without GRE", ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE_KEY, .spec = &gre_key)),
	 "a GRE key without GRE before it"},
	{"a GRE key first", ITEMS(ITEM(GRE_KEY, .spec = &gre_key)),
	 "a GRE key without GRE before it"},
	{"an order that no packet has", ITEMS(ITEM(ETH), ITEM(UDP), ITEM(IPV4)),
	 "no packet that the loaded profiles parse has the headers eth / udp / ipv4"},
	{"a pattern that does not begin with the packet", ITEMS(ITEM(IPV4), ITEM(UDP)),
	 "no packet that the loaded profiles parse has the headers ipv4 / udp"},
	{"a header of a profile that is not loaded",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(VXLAN)),
	 "no loaded profile parses header 'vxlan': profile vxlan does"},
	{"two such headers", ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU), ITEM(GTP_PSC)),
	 "no loaded profile parses header 'gtpu': profile gtpu does"},
};

TEST(bad_patterns_are_refused) {
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(bad_patterns); i++) {
		print_message("%s\n", bad_patterns[i].name);
		rule_refused(port, &ingress, bad_patterns[i].items, ACTIONS(TO_QUEUE(1)), EINVAL,
			     bad_patterns[i].message);
	}
	assert_true(is_by_hash(port, 1));
}

TEST(more_items_and_values_than_a_rule_holds_are_refused) {
	struct rte_flow_item items[40] = {ITEM(ETH)};
	struct rte_flow_item_ipv6 all = {0}; // three values
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 1; i < 39; i++)
		items[i] = (struct rte_flow_item)ITEM(VLAN);
	rule_refused(port, &ingress, items, ACTIONS(TO_QUEUE(1)), EINVAL,
		     "too many items in one pattern");
	memset(&all.hdr, 0xff, sizeof(all.hdr));
	for (unsigned int i = 0; i < 39; i++)
		items[i] = (struct rte_flow_item)ITEM(IPV6, .spec = &all, .mask = &all);
	rule_refused(port, &ingress, items, ACTIONS(TO_QUEUE(1)), EINVAL,
		     "too many values in one pattern");
}

#define RAW(text) \
	{ .pattern = (const uint8_t *)(text), .length = strlen_const(text) }
#define strlen_const(text) (sizeof(text) - 1)

static const struct rte_flow_item_raw raw_good = RAW("00ff"), raw_zero = RAW("0000"),
				      raw_short = RAW("00"), raw_odd = RAW("00f"),
				      raw_word = RAW("00fg"), raw_none = {0},
				      raw_search = {.search = 1,
						    .length = 4,
						    .pattern = (const uint8_t *)"00ff"},
				      raw_off = {.offset = 2,
						 .length = 4,
						 .pattern = (const uint8_t *)"00ff"};

#define F32 "ffffffffffffffffffffffffffffffff"
#define F128 F32 F32 F32 F32
static const struct rte_flow_item_raw raw_long = {
	.pattern = (const uint8_t *)F128 F128 F128 F128 "ff", // no length: up to the NUL
};

static const struct {
	const char *name;
	const struct rte_flow_item_raw *spec, *mask;
	const char *message;
} bad_raws[] = {
	{"no spec", NULL, &raw_good, "a raw pattern needs spec and mask"},
	{"no mask", &raw_good, NULL, "a raw pattern needs spec and mask"},
	{"no text", &raw_none, &raw_none, "spec and mask of a raw pattern must be of one length"},
	{"two lengths", &raw_good, &raw_short,
	 "spec and mask of a raw pattern must be of one length"},
	{"half a byte", &raw_odd, &raw_odd,
	 "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"},
	{"too much text", &raw_long, &raw_long,
	 "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"},
	{"no hexadecimal spec", &raw_word, &raw_good,
	 "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"},
	{"no hexadecimal mask", &raw_good, &raw_word,
	 "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"},
	{"nothing to hash", &raw_good, &raw_zero,
	 "the mask of a raw pattern chooses no bytes to hash"},
	{"a search", &raw_search, &raw_good, "a raw pattern begins with the packet"},
	{"an offset", &raw_off, &raw_good, "a raw pattern begins with the packet"},
	{"less than a header", &raw_good, &raw_good,
	 "the loaded profiles know no packet type for the raw pattern"},
};

TEST(bad_raw_patterns_are_refused) {
	static const struct rte_flow_action_rss rss;
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(bad_raws); i++) {
		print_message("%s\n", bad_raws[i].name);
		rule_refused(port, &ingress,
			     ITEMS(ITEM(RAW, .spec = bad_raws[i].spec, .mask = bad_raws[i].mask)),
			     ACTIONS(ACTION(RSS, .conf = &rss)), EINVAL, bad_raws[i].message);
	}
	rule_refused(port, &ingress,
		     ITEMS(ITEM(RAW, .spec = &raw_good, .mask = &raw_good), ITEM(ETH)),
		     ACTIONS(ACTION(RSS, .conf = &rss)), EINVAL, "a raw pattern stands alone");
	rule_refused(port, &ingress, ITEMS(ITEM(RAW, .spec = &raw_good, .mask = &raw_good)),
		     ACTIONS(TO_QUEUE(1)), EINVAL,
		     "a raw pattern says what is hashed: it has no other action");
}

static const uint16_t queue_list[] = {0, 1, 2, 3}, queue_too_far[] = {0, N_QUEUES};
static uint16_t queues_too_many[300];
static const uint8_t some_key[52] = {1};

#define BAD_RSS(...) ACTIONS(ACTION(RSS, .conf = &(const struct rte_flow_action_rss){__VA_ARGS__}))

static const struct {
	const char *name;
	const struct rte_flow_action *actions;
	const char *message;
} bad_actions[] = {
	{"no actions", NULL, "no actions"},
	{"none of them does anything", ACTIONS(ACTION(VOID)), "a rule without an action"},
	{"a queue not given", ACTIONS(ACTION(QUEUE)), "no queue"},
	{"a queue that there is not", ACTIONS(TO_QUEUE(N_QUEUES)), "the port has no such Rx queue"},
	{"a mark not given", ACTIONS(ACTION(MARK)), "no mark"},
	{"two marks", ACTIONS(ACTION(FLAG), ACTION(FLAG)), "a packet can have one mark only"},
	{"two counts", ACTIONS(ACTION(COUNT), ACTION(COUNT)), "a rule counts once"},
	{"two queues", ACTIONS(TO_QUEUE(1), TO_QUEUE(2)), "a packet can be sent to one place only"},
	{"a queue for what is dropped", ACTIONS(ACTION(DROP), TO_QUEUE(1)),
	 "a packet can be sent to one place only"},
	{"a jump", ACTIONS(ACTION(JUMP)),
	 "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported"},
	{"an action that there is not", ACTIONS({.type = 9999}),
	 "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported"},
	{"RSS not given", ACTIONS(ACTION(RSS)), "no RSS"},
	{"RSS without types", BAD_RSS(.level = 0), "no RSS type says what to hash"},
	{"a level", BAD_RSS(.level = 3, .types = RTE_ETH_RSS_IPV4),
	 "the RSS level is 0, 1 (outermost) or 2 (innermost)"},
	{"a key not given", BAD_RSS(.key_len = 52, .types = RTE_ETH_RSS_IPV4),
	 "the length of a key without a key"},
	{"a key of another length",
	 BAD_RSS(.key = some_key, .key_len = 41, .queue = queue_list, .queue_num = 4),
	 "a key has 40 or 52 bytes"},
	{"a key that is not the port's",
	 BAD_RSS(.key = some_key, .key_len = 52, .types = RTE_ETH_RSS_IPV4),
	 "a rule without queues hashes by the port's key (rte_eth_dev_rss_hash_update)"},
	{"a function that there is not", BAD_RSS(.func = 99, .types = RTE_ETH_RSS_IPV4),
	 "no such hash function"},
	{"a number of queues without queues", BAD_RSS(.queue_num = 4),
	 "a number of queues without queues"},
	{"a list with a queue that there is not", BAD_RSS(.queue = queue_too_far, .queue_num = 2),
	 "the port has no such Rx queue"},
	{"more queues than a port can have", BAD_RSS(.queue = queues_too_many, .queue_num = 300),
	 "too many queues"},
	{"a function and queues",
	 BAD_RSS(.func = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ, .queue = queue_list,
		 .queue_num = 4),
	 "a hash function belongs to a rule without queues"},
};

// What is hashed, beside queues; whatever is asked of the pattern.
TEST(types_or_a_level_with_queues_are_refused) {
	static const struct rte_flow_action_rss all[] = {
		{.types = RTE_ETH_RSS_IPV4},
		{.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY},
		{.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_IPV6},
		{.types = RTE_ETH_RSS_UDP},
		{.types = RTE_ETH_RSS_IP | RTE_ETH_RSS_L3_SRC_ONLY},
		{.types = RTE_ETH_RSS_IP | RTE_ETH_RSS_LEVEL_INNERMOST},
		{.types = RTE_ETH_RSS_LEVEL_OUTERMOST},
		{.level = 1},
		{.level = 2, .types = RTE_ETH_RSS_IP},
	};
	const char *message =
		"types or queues: what is hashed, and where packets go, are rules of their own";
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		for (unsigned int n = 1; n <= 4; n += 3) {
			struct rte_flow_action_rss rss = all[i];

			rss.queue = queue_list;
			rss.queue_num = n;
			print_message("%u, %u queues\n", i, n);
			rule_refused(port, &ingress, udp_items, ACTIONS(ACTION(RSS, .conf = &rss)),
				     EINVAL, message);
			rule_refused(port, &ingress, items_of_flow(1),
				     ACTIONS(ACTION(RSS, .conf = &rss)), EINVAL, message);
		}
}

TEST(bad_actions_are_refused) {
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(bad_actions); i++) {
		print_message("%s\n", bad_actions[i].name);
		rule_refused(port, &ingress, udp_items, bad_actions[i].actions, EINVAL,
			     bad_actions[i].message);
	}
	rule_refused(port, &ingress, udp_items,
		     ACTIONS(ACTION(RSS, .conf = &by_source), ACTION(RSS, .conf = &by_source)),
		     EINVAL, "a packet has one hash only");
	rule_refused(port, &ingress, udp_items,
		     ACTIONS(ACTION(RSS, .conf = &by_source), ACTION(COUNT)), EINVAL,
		     "a rule that says how to hash has no other action");
	assert_true(is_by_hash(port, 1));
}

TEST(rules_are_for_ingress_and_group_0) {
	const struct rte_flow_attr none = {0}, egress = {.ingress = 1, .egress = 1},
				   transfer = {.transfer = 1}, group = {.ingress = 1, .group = 1},
				   late = {.ingress = 1, .priority = 1};
	const struct rte_flow_action *actions = ACTIONS(TO_QUEUE(1));
	uint16_t port = rules_start(NULL);

	rule_refused(port, NULL, udp_items, actions, EINVAL, "only ingress rules are supported");
	rule_refused(port, &none, udp_items, actions, EINVAL, "only ingress rules are supported");
	rule_refused(port, &egress, udp_items, actions, EINVAL, "only ingress rules are supported");
	rule_refused(port, &transfer, udp_items, actions, EINVAL,
		     "only ingress rules are supported");
	rule_refused(port, &group, udp_items, actions, EINVAL, "groups are not supported");
	rule_refused(port, &late, udp_items, ACTIONS(ACTION(RSS, .conf = &by_source)), EINVAL,
		     "of hash rules the newest decides: they have no priority");
}

TEST(a_steering_rule_is_there_once) {
	uint16_t port = rules_start(NULL);
	struct rte_flow *flow = rule_create(port, items_of_flow(1), ACTIONS(TO_QUEUE(1)));

	rule_refused(port, &ingress, items_of_flow(1), ACTIONS(TO_QUEUE(2)), EEXIST,
		     "the port has a rule of this pattern and priority");
	rule_create_at(port, 1, items_of_flow(1), ACTIONS(TO_QUEUE(2)));
	rule_create(port, items_of_flow(2), ACTIONS(TO_QUEUE(2)));
	rule_destroy(port, flow);
	rule_create(port, items_of_flow(1), ACTIONS(TO_QUEUE(3)));
	assert_int_equal(seen_of_flow(port, 1).queue, 3);
}

TEST(handles_that_are_no_rules_are_refused) {
	uint16_t port = rules_start(NULL);
	struct rte_flow *flow = rule_create(port, items_of_flow(1), ACTIONS(TO_QUEUE(1)));
	const struct rte_flow_action count = ACTION(COUNT), rss = ACTION(RSS);
	struct rte_flow_query_count counted = {0};
	struct rte_flow_action_rss said;
	struct rte_flow_error error;

	assert_int_equal(rte_flow_query(port, flow, &count, &counted, &error), -ENOTSUP);
	assert_string_equal(error.message, "the rule has no such action that can be queried");
	assert_int_equal(rte_flow_query(port, flow, NULL, &counted, &error), -EINVAL);
	assert_int_equal(rte_flow_query(port, flow, &count, NULL, &error), -EINVAL);
	assert_int_equal(rte_flow_query(port, flow, &rss, &said, NULL), 0);
	assert_int_equal(said.queue_num, 1);
	assert_int_equal(said.queue[0], 1);
	assert_int_equal(rte_flow_destroy(port, NULL, &error), -ENOENT);
	rule_destroy(port, flow);
	assert_int_equal(rte_flow_destroy(port, flow, &error), -ENOENT);
	assert_string_equal(error.message, "the port has no such rule");
	assert_int_equal(rte_flow_query(port, flow, &count, &counted, &error), -ENOENT);
	assert_int_equal(rte_flow_dev_dump(port, flow, stdout, &error), -ENOENT);
}

PORT_TESTS(leak_setup)
