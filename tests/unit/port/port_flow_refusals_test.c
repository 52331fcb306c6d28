/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_byteorder.h>

#include "base/dpdk_compat.h"
#include "packet.h"

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
	{"two queues", ACTIONS(TO_QUEUE(1), TO_QUEUE(2)), "a packet can have one target only"},
	{"a queue for what is dropped", ACTIONS(ACTION(DROP), TO_QUEUE(1)),
	 "a packet can have one target only"},
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

// RSS types and levels beside queues, with any pattern.
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

static const struct rte_flow_item_pfcp pfcp_spec = {.s_field = 1, .seid = RTE_BE64(0x1122)};
static const struct rte_flow_item_pfcp pfcp_mask = {.s_field = 0xff, .seid = RTE_BE64(UINT64_MAX)};
static const struct rte_flow_item_pfcp pfcp_node = {.s_field = 0}, pfcp_s_mask = {.s_field = 0xff};
static const struct rte_flow_item_gtp gtp_teid = {.teid = RTE_BE32(0x1234)};
static const struct rte_flow_item_gtp_psc psc_up = {.hdr = {.type = 1, .qfi = 9}},
					  psc_mask = {.hdr = {.type = 0xf, .qfi = 0x3f}};
static const struct rte_flow_item_nvgre nvgre_tni = {.tni = {1, 2, 3}};
static const rte_be32_t gre_key_9 = RTE_BE32(9);
static const struct rte_flow_item_l2tpv3oip l2tpv3_session = {.session_id = RTE_BE32(77)};
static const struct rte_flow_item_vlan vlan_vid = {.tci = RTE_BE16(5)};
static const struct rte_flow_item_ipv6_frag_ext frag_id = {.hdr.id = RTE_BE32(0x55667788)};
static const struct rte_flow_item_arp_eth_ipv4 arp_who = {
	.DPDK_ARP_SPA = RTE_BE32(0x01020304),
	.DPDK_ARP_TPA = RTE_BE32(0x05060708),
};
static const rte_be32_t gre_any_key = 0;
static const struct rte_flow_item_ipv6 proto_tcp = {.hdr.proto = IPPROTO_TCP},
				       proto_mask = {.hdr.proto = 0xff};
static const struct rte_flow_item_ipv4 from_ue = {.hdr.src_addr = RTE_BE32(0x0a010203)},
				       src_mask = {.hdr.src_addr = UINT32_MAX};
static const struct rte_flow_item_pppoe pppoe_session = {.session_id = RTE_BE16(3)};

#define TO_UDP(port) ETH(0x0800), IPV4(17, GNB, UPF), UDP(9, port)
#define PFCP(flags, ...) PIECE(flags, 50, 0, 12, __VA_ARGS__)

static const struct {
	const char *name;
	const struct rte_flow_item *items;
	struct piece good[10], bad[10];
} values[] = {
	{"a SEID",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP),
	       ITEM(PFCP, .spec = &pfcp_spec, .mask = &pfcp_mask)),
	 {TO_UDP(8805), PFCP(0x21, ZEROS4, 0, 0, 0x11, 0x22, ZEROS4), END},
	 {TO_UDP(8805), PFCP(0x21, ZEROS4, 0, 0, 0x11, 0x23, ZEROS4), END}},
	{"no SEID",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP),
	       ITEM(PFCP, .spec = &pfcp_node, .mask = &pfcp_s_mask)),
	 {TO_UDP(8805), PFCP(0x20, ZEROS4), END},
	 {TO_UDP(8805), PFCP(0x21, ZEROS8, ZEROS4), END}},
	{"a TEID by the item for both kinds of GTP",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTP, .spec = &gtp_teid)),
	 {TO_UDP(2152), PIECE(0x30, 255, 0, 0, 0, 0, 0x12, 0x34), END},
	 {TO_UDP(2152), PIECE(0x30, 255, 0, 0, 0, 0, 0x12, 0x35), END}},
	{"a QFI and a direction",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU),
	       ITEM(GTP_PSC, .spec = &psc_up, .mask = &psc_mask)),
	 {TO_UDP(2152), GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), IPV4(17, UE, NET), DATA, END},
	 {TO_UDP(2152), GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 8, 0), IPV4(17, UE, NET), DATA,
	  END}},
	{"a direction and a QFI",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU),
	       ITEM(GTP_PSC, .spec = &psc_up, .mask = &psc_mask)),
	 {TO_UDP(2152), GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), IPV4(17, UE, NET), DATA, END},
	 {TO_UDP(2152), GTPU_OPT(0x34, 255, 0x85), PSC(DOWNLINK, 9, 0), IPV4(17, UE, NET), DATA,
	  END}},
	{"a virtual subnet",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(NVGRE, .spec = &nvgre_tni)),
	 {ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0x20, 0, 0x65, 0x58, 1, 2, 3, 99), ETH(0x1234),
	  END},
	 {ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0x20, 0, 0x65, 0x58, 1, 2, 4, 99), ETH(0x1234),
	  END}},
	{"a GRE key behind the checksum",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE), ITEM(GRE_KEY, .spec = &gre_key_9)),
	 {ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0xa0, 0, 0x12, 0x34, ZEROS4, 0, 0, 0, 9), END},
	 {ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0x80, 0, 0x12, 0x34, 0, 0, 0, 9, 0, 0, 0, 9),
	  END}},
	{"an L2TPv3 session",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(L2TPV3OIP, .spec = &l2tpv3_session)),
	 {ETH(0x0800), IPV4(115, GNB, UPF), PIECE(0, 0, 0, 77), END},
	 {ETH(0x0800), IPV4(115, GNB, UPF), PIECE(0, 0, 0, 78), END}},
	{"a VLAN whatever its priority",
	 ITEMS(ITEM(ETH), ITEM(VLAN, .spec = &vlan_vid)),
	 {ETH(0x8100), VLAN(0xe005, 0x0800), IPV4(17, UE, NET), END},
	 {ETH(0x8100), VLAN(0x0006, 0x0800), IPV4(17, UE, NET), END}},
	{"a fragment",
	 ITEMS(ITEM(ETH), ITEM(IPV6), ITEM(IPV6_FRAG_EXT, .spec = &frag_id)),
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), DATA, END},
	 {ETH(0x86dd), IPV6(44, UE6, NET6), PIECE(17, 0, 0, 1, 0x55, 0x66, 0x77, 0x89), DATA, END}},
	{"who asks by ARP, and for whom",
	 ITEMS(ITEM(ETH), ITEM(ARP_ETH_IPV4, .spec = &arp_who)),
	 {ETH(0x0806), PIECE(0, 1, 8, 0, 6, 4, 0, 1, ZEROS4, 0, 0, 1, 2, 3, 4),
	  PIECE(ZEROS4, 0, 0, 5, 6, 7, 8), END},
	 {ETH(0x0806), PIECE(0, 1, 8, 0, 6, 4, 0, 1, ZEROS4, 0, 0, 1, 2, 3, 4),
	  PIECE(ZEROS4, 0, 0, 5, 6, 7, 9), END}},
	{"any GRE key, or none",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE),
	       ITEM(GRE_KEY, .spec = &gre_key_9, .mask = &gre_any_key)),
	 {ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0, 0, 0x12, 0x34), END},
	 {ETH(0x0800), IPV4(50, GNB, UPF), PIECE(0, 0, 0x12, 0x34), END}},
	{"TCP behind an extension header",
	 ITEMS(ITEM(ETH), ITEM(IPV6, .spec = &proto_tcp, .mask = &proto_mask), ITEM(TCP)),
	 {ETH(0x86dd), IPV6(60, UE6, NET6), EXT8(6), TCP(1, 2), END},
	 {ETH(0x86dd), IPV6(60, UE6, NET6), EXT8(17), UDP(1, 2), END}},
	{"an address in VXLAN, the frame left out",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(VXLAN),
	       ITEM(IPV4, .spec = &from_ue, .mask = &src_mask)),
	 {TO_UDP(4789), PIECE(8, 0, 0, 0, ZEROS4), ETH(0x0800), IPV4(17, UE, NET), END},
	 {TO_UDP(4789), PIECE(8, 0, 0, 0, ZEROS4), ETH(0x0800), IPV4(17, NET, UE), END}},
	{"a PPPoE session",
	 ITEMS(ITEM(ETH), ITEM(PPPOES, .spec = &pppoe_session)),
	 {ETH(0x8864), PIECE(0x11, 0, 0, 3, 0, 0, 0, 0x21), IPV4(17, UE, NET), END},
	 {ETH(0x8864), PIECE(0x11, 0, 0, 4, 0, 0, 0, 0x21), IPV4(17, UE, NET), END}},
};

// Uplink of GTP-U behind GRE, in IPv4 or IPv6.
#define BEHIND_GRE(type, ip) \
	ETH(0x0800), IPV4(47, GNB, UPF), PIECE(0, 0, (type) >> 8, (type)&0xff), ip, UDP(9, 2152)

static bool is_marked(uint16_t port, const struct piece *pieces) {
	return (seen_of(port, packet_of(pieces)).flags & RTE_MBUF_F_RX_FDIR) != 0;
}

TEST(values_are_found_where_a_packet_has_them) {
	uint16_t port = rules_start("e810-comms");

	for (unsigned int i = 0; i < RTE_DIM(values); i++) {
		struct rte_flow *flow = rule_create(port, values[i].items, ACTIONS(ACTION(FLAG)));

		print_message("%s\n", values[i].name);
		assert_true(is_marked(port, values[i].good));
		assert_false(is_marked(port, values[i].bad));
		rule_destroy(port, flow);
	}
}

// Else a rule for IPv6 behind GRE would take the place of one for IPv4, and hash no packet of it.
TEST(both_versions_behind_gre_have_rules_of_their_own) {
	static const struct rte_flow_action_rss by_ipv4 = {
		.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
	};
	static const struct rte_flow_action_rss by_ipv6 = {
		.types = RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_L3_SRC_ONLY,
	};
	const struct piece pieces[] = {BEHIND_GRE(0x0800, IPV4(17, UE, NET)), GTPU(0x30, 255), END};
	uint16_t port = rules_start("e810-comms");
	uint32_t hash;

	rule_create(port,
		    ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE), ITEM(IPV4), ITEM(UDP), ITEM(GTPU)),
		    ACTIONS(ACTION(RSS, .conf = &by_ipv4)));
	hash = seen_of(port, packet_of(pieces)).hash;
	rule_create(port,
		    ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE), ITEM(IPV6), ITEM(UDP), ITEM(GTPU)),
		    ACTIONS(ACTION(RSS, .conf = &by_ipv6)));
	assert_int_equal(seen_of(port, packet_of(pieces)).hash, hash);
}

PORT_TESTS(leak_setup)
