/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <errno.h>

#include <rte_byteorder.h>

#include "base/dpdk_compat.h"
#include "package/frames.h"

static const struct rte_flow_action_rss by_source = {
	.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
};

#define UDP4 ITEM(ETH), ITEM(IPV4), ITEM(UDP)
#define GRE4 ITEM(ETH), ITEM(IPV4), ITEM(GRE)

static const rte_be32_t gre_key_9 = RTE_BE32(9), gre_any_key = 0;

#define TEXT(text) .pattern = (const uint8_t *)(text)
#define RAW(text) VALUE(raw, TEXT(text), .length = sizeof(text) - 1)
#define RAW_ITEMS(value, its_mask) ITEMS(ITEM(RAW, .spec = (value), .mask = (its_mask)))
#define F32 "ffffffffffffffffffffffffffffffff"
#define F128 F32 F32 F32 F32
#define RAW_LONG VALUE(raw, TEXT(F128 F128 F128 F128 "ff")) // no length: up to the NUL

static const uint16_t queue_list[] = {0, 1, 2, 3}, queue_too_far[] = {0, N_QUEUES};
static uint16_t queues_too_many[300];
static const uint8_t some_key[52] = {1};

#define RSS_BY(...) ACTION(RSS, .conf = &(const struct rte_flow_action_rss){__VA_ARGS__})
#define BAD_RSS(...) ACTIONS(RSS_BY(__VA_ARGS__))
#define TO_LIST .queue = queue_list, .queue_num = 4
#define HASH ACTIONS(RSS_BY(.level = 0))
#define BY_SOURCE ACTION(RSS, .conf = &by_source)
#define ATTR(...) (&(const struct rte_flow_attr){__VA_ARGS__})

static const char
	no_item[] = "no header of a profile stands for this item",
	no_action[] = "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported",
	raw_lengths[] = "spec and mask of a raw pattern must be of one length",
	raw_text[] = "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most",
	raw_place[] = "a raw pattern begins with the packet",
	one_target[] = "a packet can have one target only",
	no_queue[] = "the port has no such Rx queue",
	types_or_queues[] =
		"types or queues: what is hashed, and where packets go, are rules of their own",
	not_ingress[] = "only ingress rules are supported";

static const struct {
	const char *message;
	const struct rte_flow_item *items;     // NULL: of UDP packets
	const struct rte_flow_action *actions; // NULL: to queue 1
	const struct rte_flow_attr *attr;      // NULL: ingress
} refusals[] = {
	{"ranges of values are not supported",
	 ITEMS(ITEM(ETH),
	       ITEM(IPV4, SPEC(ipv4, .hdr.src_addr = 1), .last = VALUE(ipv4, .hdr.src_addr = 2)))},
	{"a mask without a value", ITEMS(ITEM(ETH), ITEM(IPV4, MASK(ipv4, .hdr.src_addr = 1)))},
	{"of what follows a header only has_vlan, has_more_vlan and has_frag_ext can be matched",
	 ITEMS(ITEM(ETH), ITEM(IPV6, SPEC(ipv6, .has_hop_ext = 1), MASK(ipv6, .has_hop_ext = 1)))},
	{"the pattern has a header of which it says that it does not follow",
	 ITEMS(ITEM(ETH, SPEC(eth, .has_vlan = 0), MASK(eth, .has_vlan = 1)), ITEM(VLAN))},
	{no_item, ITEMS(ITEM(ETH), ITEM(PORT_ID))},
	{no_item, ITEMS({.type = 9999})},
	{no_item, ITEMS(ITEM(ETH), {.type = -1})},
	{no_item, ITEMS(GRE4, ITEM(GRE_OPTION, SPEC(gre_opt, {0})))},
	{"a GRE key without GRE before it",
	 ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(GRE_KEY, .spec = &gre_key_9))},
	{"a GRE key without GRE before it", ITEMS(ITEM(GRE_KEY, .spec = &gre_key_9))},
	{"no packet that the loaded profiles parse has the headers eth / udp / ipv4",
	 ITEMS(ITEM(ETH), ITEM(UDP), ITEM(IPV4))},
	{"no packet that the loaded profiles parse has the headers ipv4 / udp",
	 ITEMS(ITEM(IPV4), ITEM(UDP))},
	{"no loaded profile parses header 'vxlan': profile vxlan does", ITEMS(UDP4, ITEM(VXLAN))},
	{"no loaded profile parses header 'gtpu': profile gtpu does",
	 ITEMS(UDP4, ITEM(GTPU), ITEM(GTP_PSC))},

	{"a raw pattern needs spec and mask", RAW_ITEMS(NULL, RAW("00ff")), HASH},
	{"a raw pattern needs spec and mask", RAW_ITEMS(RAW("00ff"), NULL), HASH},
	{raw_lengths, RAW_ITEMS(VALUE(raw, .length = 0), VALUE(raw, .length = 0)), HASH},
	{raw_lengths, RAW_ITEMS(RAW("00ff"), RAW("00")), HASH},
	{raw_text, RAW_ITEMS(RAW("00f"), RAW("00f")), HASH},
	{raw_text, RAW_ITEMS(RAW_LONG, RAW_LONG), HASH},
	{raw_text, RAW_ITEMS(RAW("00fg"), RAW("00ff")), HASH},
	{raw_text, RAW_ITEMS(RAW("00ff"), RAW("00fg")), HASH},
	{"the mask of a raw pattern chooses no bytes to hash", RAW_ITEMS(RAW("00ff"), RAW("0000")),
	 HASH},
	{raw_place, RAW_ITEMS(VALUE(raw, TEXT("00ff"), .length = 4, .search = 1), RAW("00ff")),
	 HASH},
	{raw_place, RAW_ITEMS(VALUE(raw, TEXT("00ff"), .length = 4, .offset = 2), RAW("00ff")),
	 HASH},
	{"the loaded profiles know no packet type for the raw pattern",
	 RAW_ITEMS(RAW("00ff"), RAW("00ff")), HASH},
	{"a raw pattern stands alone",
	 ITEMS(ITEM(RAW, .spec = RAW("00ff"), .mask = RAW("00ff")), ITEM(ETH)), HASH},
	{"a raw pattern says what is hashed: it has no other action",
	 RAW_ITEMS(RAW("00ff"), RAW("00ff"))},

	{"a rule without an action", NULL, ACTIONS(ACTION(VOID))},
	{"no queue", NULL, ACTIONS(ACTION(QUEUE))},
	{no_queue, NULL, ACTIONS(TO_QUEUE(N_QUEUES))},
	{"no mark", NULL, ACTIONS(ACTION(MARK))},
	{"a packet can have one mark only", NULL, ACTIONS(ACTION(FLAG), ACTION(FLAG))},
	{"a rule counts once", NULL, ACTIONS(ACTION(COUNT), ACTION(COUNT))},
	{one_target, NULL, ACTIONS(TO_QUEUE(1), TO_QUEUE(2))},
	{one_target, NULL, ACTIONS(ACTION(DROP), TO_QUEUE(1))},
	{no_action, NULL, ACTIONS(ACTION(JUMP))},
	{no_action, NULL, ACTIONS({.type = 9999})},
	{"no RSS", NULL, ACTIONS(ACTION(RSS))},
	{"no RSS type says what to hash", NULL, BAD_RSS(.level = 0)},
	{"the RSS level is 0, 1 (outermost) or 2 (innermost)", NULL,
	 BAD_RSS(.level = 3, .types = RTE_ETH_RSS_IPV4)},
	{"the length of a key without a key", NULL,
	 BAD_RSS(.key_len = 52, .types = RTE_ETH_RSS_IPV4)},
	{"a key has 40 or 52 bytes", NULL, BAD_RSS(.key = some_key, .key_len = 41, TO_LIST)},
	{"a rule without queues hashes by the port's key (rte_eth_dev_rss_hash_update)", NULL,
	 BAD_RSS(.key = some_key, .key_len = 52, .types = RTE_ETH_RSS_IPV4)},
	{"no such hash function", NULL, BAD_RSS(.func = 99, .types = RTE_ETH_RSS_IPV4)},
	{"a number of queues without queues", NULL, BAD_RSS(.queue_num = 4)},
	{no_queue, NULL, BAD_RSS(.queue = queue_too_far, .queue_num = 2)},
	{"too many queues", NULL, BAD_RSS(.queue = queues_too_many, .queue_num = 300)},
	{"a hash function belongs to a rule without queues", NULL,
	 BAD_RSS(.func = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ, TO_LIST)},
	{types_or_queues, NULL, BAD_RSS(.types = RTE_ETH_RSS_IPV4, TO_LIST)},
	{types_or_queues, NULL,
	 BAD_RSS(.types = RTE_ETH_RSS_UDP, .queue = queue_list, .queue_num = 1)},
	{types_or_queues, NULL, BAD_RSS(.types = RTE_ETH_RSS_LEVEL_OUTERMOST, TO_LIST)},
	{types_or_queues, NULL, BAD_RSS(.level = 1, TO_LIST)},
	{"a packet has one hash only", NULL, ACTIONS(BY_SOURCE, BY_SOURCE)},
	{"a rule that says how to hash has no other action", NULL,
	 ACTIONS(BY_SOURCE, ACTION(COUNT))},

	{not_ingress, .attr = ATTR(.ingress = 0)},
	{not_ingress, .attr = ATTR(.ingress = 1, .egress = 1)},
	{not_ingress, .attr = ATTR(.transfer = 1)},
	{"groups are not supported", .attr = ATTR(.ingress = 1, .group = 1)},
	{"of hash rules the newest decides: they have no priority", NULL, ACTIONS(BY_SOURCE),
	 ATTR(.ingress = 1, .priority = 1)},
};

TEST(bad_rules_are_refused) {
	uint16_t port = rules_start(NULL);

	for (unsigned int i = 0; i < RTE_DIM(refusals); i++)
		rule_refused(port, refusals[i].attr != NULL ? refusals[i].attr : &ingress,
			     refusals[i].items != NULL ? refusals[i].items : udp_items,
			     refusals[i].actions != NULL ? refusals[i].actions :
							   ACTIONS(TO_QUEUE(1)),
			     EINVAL, refusals[i].message);
	rule_refused(port, NULL, udp_items, ACTIONS(TO_QUEUE(1)), EINVAL, not_ingress);
	rule_refused(port, &ingress, NULL, ACTIONS(TO_QUEUE(1)), EINVAL, "no pattern");
	rule_refused(port, &ingress, udp_items, NULL, EINVAL, "no actions");
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

#define PFCP(its_mask, ...) ITEMS(UDP4, ITEM(PFCP, SPEC(pfcp, __VA_ARGS__), its_mask))
#define SEID_MASK MASK(pfcp, .s_field = 0xff, .seid = RTE_BE64(UINT64_MAX))
#define UPLINK_9                                                         \
	ITEMS(UDP4, ITEM(GTPU),                                          \
	      ITEM(GTP_PSC, SPEC(gtp_psc, .hdr = {.type = 1, .qfi = 9}), \
		   MASK(gtp_psc, .hdr = {.type = 0xf, .qfi = 0x3f})))
#define GTPU_PSC "eth ipv4 udp=2152 x=34ff00001122334400070085"

// Packets that begin alike, of which the rule is for the one that goes on as good.
static const struct {
	const struct rte_flow_item *items;
	const char *start, *good, *bad;
} values[] = {
	{PFCP(SEID_MASK, .s_field = 1, .seid = RTE_BE64(0x1122)), "eth ipv4 udp=8805",
	 "x=2132000c0000000000001122 x=00000000", "x=2132000c0000000000001123 x=00000000"},
	{PFCP(MASK(pfcp, .s_field = 0xff), .s_field = 0), "eth ipv4 udp=8805", "x=2032000c00000000",
	 "x=2132000c00000000 x=0000000000000000"},
	{ITEMS(UDP4, ITEM(GTP, SPEC(gtp, .teid = RTE_BE32(0x1234)))), "eth ipv4 udp=2152",
	 "x=30ff000000001234", "x=30ff000000001235"},
	{UPLINK_9, GTPU_PSC, "x=01100900 ipv4 proto=17 pay", "x=01100800 ipv4 proto=17 pay"},
	{UPLINK_9, GTPU_PSC, "x=01100900 ipv4 proto=17 pay", "x=01000900 ipv4 proto=17 pay"},
	{ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(NVGRE, SPEC(nvgre, .tni = {1, 2, 3}))),
	 "eth ipv4 proto=47", "x=2000655801020363 eth", "x=2000655801020463 eth"},
	{ITEMS(GRE4, ITEM(GRE_KEY, .spec = &gre_key_9)), "eth ipv4 proto=47", // behind the checksum
	 "x=a00012340000000000000009", "x=800012340000000900000009"},
	{ITEMS(GRE4, ITEM(GRE_KEY, .spec = &gre_key_9, .mask = &gre_any_key)), "eth ipv4",
	 "proto=47 x=00001234", "proto=50 x=00001234"},
	{ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(L2TPV3OIP, SPEC(l2tpv3oip, .session_id = RTE_BE32(77)))),
	 "eth ipv4 proto=115", "x=0000004d", "x=0000004e"},
	{ITEMS(ITEM(ETH), ITEM(VLAN, SPEC(vlan, .tci = RTE_BE16(5)))),
	 "eth type=8100", // of any priority
	 "x=e0050800 ipv4 pay", "x=00060800 ipv4 pay"},
	{ITEMS(ITEM(ETH), ITEM(IPV6),
	       ITEM(IPV6_FRAG_EXT, SPEC(ipv6_frag_ext, .hdr.id = RTE_BE32(0x55667788)))),
	 "eth ipv6 proto=44", "x=1100000155667788 pay", "x=1100000155667789 pay"},
	{ITEMS(ITEM(ETH),
	       ITEM(ARP_ETH_IPV4, SPEC(arp_eth_ipv4, .DPDK_ARP_SPA = RTE_BE32(0x01020304),
				       .DPDK_ARP_TPA = RTE_BE32(0x05060708)))),
	 "eth type=0806 x=000108000604000100000000000001020304000000000000", "x=05060708",
	 "x=05060709"},
	{ITEMS(ITEM(ETH),
	       ITEM(IPV6, SPEC(ipv6, .hdr.proto = IPPROTO_TCP), MASK(ipv6, .hdr.proto = 0xff)),
	       ITEM(TCP)),
	 "eth ipv6", "dest tcp", "dest udp=2"}, // behind an extension header
	{ITEMS(UDP4, ITEM(VXLAN),
	       ITEM(IPV4, SPEC(ipv4, .hdr.src_addr = RTE_BE32(0x0a000001)),
		    MASK(ipv4, .hdr.src_addr = UINT32_MAX))),
	 "eth ipv4 udp=4789 vxlan eth", "ipv4 pay", // the frame left out
	 "type=0800 x=450000640001000040110000c00000010a000002 pay"},
	{ITEMS(ITEM(ETH), ITEM(PPPOES, SPEC(pppoe, .session_id = RTE_BE16(3)))), "eth type=8864",
	 "x=1100000300000021 ipv4 pay", "x=1100000400000021 ipv4 pay"},
};

static struct seen seen_of_words(uint16_t port, const char *start, const char *end) {
	static struct frame frame;
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	char words[200];

	snprintf(words, sizeof(words), "%s %s", start, end);
	frame_make(&frame, words);
	memcpy(rte_pktmbuf_append(mbuf, frame.len), frame.bytes, frame.len);
	return seen_of(port, mbuf);
}

TEST(values_are_found_where_a_packet_has_them) {
	uint16_t port = rules_start("e810-comms");

	for (unsigned int i = 0; i < RTE_DIM(values); i++) {
		const char *const ends[] = {values[i].bad, values[i].good};
		struct rte_flow *flow = rule_create(port, values[i].items, ACTIONS(ACTION(FLAG)));

		for (unsigned int good = 0; good < 2; good++)
			if (((seen_of_words(port, values[i].start, ends[good]).flags &
			      RTE_MBUF_F_RX_FDIR) != 0) != good)
				fail_msg("%s %s", values[i].start, ends[good]);
		rule_destroy(port, flow);
	}
}

// Else a rule for IPv6 behind GRE would take the place of one for IPv4, and hash no packet of it.
TEST(both_versions_behind_gre_have_rules_of_their_own) {
	const struct rte_flow_action_rss by_ipv6 = {
		.types = RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_L3_SRC_ONLY,
	};
	const char *start = "eth ipv4 gre ipv4 udp=2152 gtpu";
	uint16_t port = rules_start("e810-comms");
	uint32_t hash;

	rule_create(port, ITEMS(GRE4, ITEM(IPV4), ITEM(UDP), ITEM(GTPU)), ACTIONS(BY_SOURCE));
	hash = seen_of_words(port, start, "ipv4").hash;
	rule_create(port, ITEMS(GRE4, ITEM(IPV6), ITEM(UDP), ITEM(GTPU)),
		    ACTIONS(ACTION(RSS, .conf = &by_ipv6)));
	assert_int_equal(seen_of_words(port, start, "ipv4").hash, hash);
}

PORT_TESTS(leak_setup)
