/* SPDX-License-Identifier: BSD-3-Clause */
// Rules in testpmd's words: what each word means, and which words are wrong. (That testpmd means
// the same, and that the path cache and the interpreter do the same with them, is shown end to
// end.)
#include "scratch_folder.h"

#include <errno.h>

#include "base/dpdk_compat.h"
#include "base/rte_item.h"
#include "ctl/profile/profile_load.h"
#include "ctl/steer/rule_text.h"

static struct ddp_personality comms, gtpu;

static const struct steer_config port = {
	.n_queues = 8,
	.reta_size = 512,
	.rss_hf = UINT64_MAX,
};

// NULL, or "byte:hexadecimal digits" of a structure that is 0 elsewhere.
static void bytes_check(const void *structure, const char *text) {
	uint8_t expected[DDP_RTE_ITEM_SIZE] = {0};
	unsigned int off;
	int n = 0;

	if (text == NULL) {
		assert_null(structure);
		return;
	}
	assert_non_null(structure);
	assert_int_equal(sscanf(text, "%u:%n", &off, &n), 1);
	for (text += n; text[0] != '\0'; text += 2)
		sscanf(text, "%2hhx", &expected[off++]);
	assert_memory_equal(structure, expected, sizeof(expected));
}

static const struct value {
	const char *item;
	const char *spec, *mask, *last;
} values[] = {
	{"eth", NULL, NULL, NULL},
	{"eth type is 0x0800", "12:0800", "12:ffff", NULL},
	{"eth src is 02:00:00:00:00:01", "6:020000000001", "6:ffffffffffff", NULL},
	{"eth has_vlan is 1", "14:01", "14:01", NULL},
	{"vlan vid is 5", "0:0005", "0:0fff", NULL},
	{"vlan pcp is 7 vid spec 4095", "0:efff", "0:e000", NULL},
	{"vlan has_more_vlan is 1", "4:01", "4:01", NULL},
	{"arp_eth_ipv4 tpa is 1.2.3.4", DPDK_SINCE(23, 3) ? "24:01020304" : "28:01020304",
	 DPDK_SINCE(23, 3) ? "24:ffffffff" : "28:ffffffff", NULL},
	{"ipv4 src is 10.0.0.1", "12:0a000001", "12:ffffffff", NULL},
	{"ipv4 src spec 0x0a000001 src prefix 9", "12:0a000001", "12:ff800000", NULL},
	{"ipv4 ttl spec 64 ttl mask 0xf0 ttl last 65", "8:40", "8:f0", "8:41"},
	{"ipv6 flow is 0x12345 tc spec 1", "0:00112345", "0:000fffff", NULL},
	{"ipv6 dst prefix 20", NULL, "24:fffff0", NULL},
	{"ipv6 has_frag_ext is 1", "40:04", "40:04", NULL},
	{"udp dst is 2152", "2:0868", "2:ffff", NULL},
	{"gtpu teid is 0x1234", "4:00001234", "4:ffffffff", NULL},
	{"gtp_psc pdu_t is 1 qfi is 9", "1:1009", "1:f03f", NULL},
	{"pfcp seid prefix 0", NULL, "0:", NULL},
	{"pfcp seid prefix 64", NULL, "8:ffffffffffffffff", NULL},
	{"pfcp seid is 0x9900000000000001", "8:9900000000000001", "8:ffffffffffffffff", NULL},
	{"geneve optlen is 1", "0:01", "0:3f", NULL},
	{"gre k_bit is on", "0:20", "0:20", NULL},
	{"gre_key value is 7", "0:00000007", "0:ffffffff", NULL},
	{"mpls label prefix 8", NULL, "0:ff", NULL},
	{"mpls label is 0x12345 s is 1", "0:123451", "0:fffff1", NULL},
	{"pppoe_proto_id is 0x0021", "0:0021", "0:ffff", NULL},
	{"ppp proto_id is 0x0021", "2:2100", "2:ffff", NULL}, // testpmd's order
	{"l2tpv2 type data session_id is 3", "0:000200000003", "0:ffff0000ffff", NULL},
	{"l2tpv2 type data_l session_id is 3", "0:4002000000000003", "0:ffff00000000ffff", NULL},
	{"ecpri common type iq_data pc_id is 7", "4:0007", "1:ff0000ffff", NULL},
	{"raw relative is 1 offset is 16 limit spec 2", "0:01000000100000000200",
	 "0:01000000ffffffff", NULL},
};

static void item_parse(const char *item, struct ddp_arena *arena, struct rule_text *rule) {
	const struct ddp_place place = {"rule", 1, 1};
	struct ddp_diag *diag = diag_new();
	char text[200];

	snprintf(text, sizeof(text), "pattern %s / end actions drop / end", item);
	*rule = (struct rule_text){0};
	assert_true(rule_parse(text, &place, &port, arena, rule, diag));
}

TEST(each_word_is_where_testpmd_puts_it) {
	struct ddp_arena *arena = ddp_arena_create();
	struct rule_text rule;

	for (unsigned int i = 0; i < COUNT(values); i++) {
		item_parse(values[i].item, arena, &rule);
		bytes_check(rule.items[0].spec, values[i].spec);
		bytes_check(rule.items[0].mask, values[i].mask);
		bytes_check(rule.items[0].last, values[i].last);
		assert_int_equal(rule.items[1].type, RTE_FLOW_ITEM_TYPE_END);
	}
	// base/rte_item.c lists items, rule_parse.c their fields.
	for (unsigned int i = 0; i < ddp_n_rte_items; i++) {
		item_parse(ddp_rte_items[i].name, arena, &rule);
		assert_int_equal(rule.items[0].type, ddp_rte_items[i].type);
	}
	ddp_arena_destroy(arena);
}

static const struct refusal {
	const char *text;
	const char *at; // behind "rule 1"
	const char *error;
} refusals[] = {
	{"start", "", "no rule is in it"},
	{"patern eth / end actions drop / end", ":1:1",
	 "expected a rule ('flow create', 'pattern'), not 'patern'; did you mean 'pattern'?"},
	{"x", ":1:1", "expected a rule ('flow create', 'pattern'), not 'x'"},
	{"flow destroy 0 rule 1", ":1:6",
	 "of testpmd's flow commands only create is read, not 'destroy'"},
	{"flow create x pattern", ":1:13", "expected a number, not 'x'"},
	{"ingress pattern eth / ipv5 / end", ":1:23",
	 "expected an item of a pattern, or 'end', not 'ipv5'; did you mean 'ipv4'?"},
	{"pattern gtpu teidd is 1", ":1:14",
	 "expected a field of item 'gtpu', or '/', not 'teidd'; did you mean 'teid'?"},
	{"pattern gtpu teid 1", ":1:19", "expected is, spec, last, mask or prefix, not '1'"},
	{"pattern gtpu teid is 4294967296", ":1:22",
	 "expected a number up to 4294967295, not '4294967296'"},
	{"pattern vlan vid is 4096", ":1:21", "expected a number up to 4095, not '4096'"},
	{"pattern vlan vid prefix 13", ":1:25", "expected a number up to 12, not '13'"},
	{"pattern ipv6 src is 1.2.3.4", ":1:21", "expected an IPv6 address, not '1.2.3.4'"},
	{"pattern eth src is -1:0:0:0:0:1", ":1:20", "expected a MAC address, not '-1:0:0:0:0:1'"},
	{"pattern l2tpv2 session_id is 1", ":1:16", "expected 'type', not 'session_id'"},
	{"pattern eth", ":1:12", "expected '/', not the end of the line"},
	{"pattern eth / end action drop", ":1:19", "expected 'actions', not 'action'"},
	{"pattern eth / end actions dorp / end", ":1:27",
	 "expected an action, or 'end', not 'dorp'; did you mean 'drop'?"},
	{"pattern eth / end actions queue 3 / end", ":1:33", "expected 'index', not '3'"},
	{"pattern eth / end actions rss types ipv4-dup end / end", ":1:37",
	 "expected an RSS type, or 'end', not 'ipv4-dup'; did you mean 'ipv4-udp'?"},
	// A word that testpmd has, and a prefix that no rule hashes.
	{"pattern eth / ipv6 / end actions rss types ipv6 l3-pre96 end queues end / end", ":1:75",
	 "an IPv6 prefix to hash has 32, 48 or 64 bits"},
	{"pattern eth / end actions rss func xor / end", ":1:36",
	 "expected a hash function, not 'xor'"},
	{"pattern eth / end actions drop / end x", ":1:38", "a rule ends before 'x'"},
	{"# ok\n\nport stop 0\n\tpattern eth / end actions drop", ":4:32",
	 "expected '/', not the end of the line"},
	// Words in order, but no rule that net_ddp takes (port/port_flow_refusals_test.c): of the
	// place of an action, an item, a rule.
	{"pattern eth / ipv4 / end actions queue index 8 / end", ":1:34",
	 "the port has no such Rx queue"},
	{"pattern eth has_vlan is 0 / vlan / end actions drop / end", ":1:9",
	 "the pattern has a header of which it says that it does not follow"},
	{"pattern eth / raw relative is 0 pattern spec 00 pattern mask ff / end actions drop / end",
	 ":1:15",
	 "a raw item behind a header is relative, has no search or limit, and an offset of 0 or more"},
	{"flow create 0 pattern eth / end actions drop / end", ":1:1",
	 "only ingress rules are supported"},
	{"pattern eth / ipv4 / end actions drop / end\npattern eth / ipv4 / end actions drop / end",
	 ":2:1", "the port has a rule of this pattern and priority"},
	{"pattern eth / ipv4 / udp / vxlan / end actions drop / end", ":1:1",
	 "no loaded profile parses header 'vxlan': profile vxlan does"},
	{"pattern eth / end actions drop / end\npattern eth / ipv4 / udp / vxlan / end actions drop / end",
	 ":2:1", "no loaded profile parses header 'vxlan': profile vxlan does"},
};

TEST(a_wrong_rule_is_refused_with_its_place) {
	for (unsigned int i = 0; i < COUNT(refusals); i++) {
		struct rules *rules = rules_create(&port);
		struct ddp_policy policy = {0};
		struct rule_set set;
		struct ddp_diag *diag = diag_new();
		char error[300];

		if (rules_add(rules, refusals[i].text, diag) == 0)
			assert_true(rules_build(rules, gtpu.profile, gtpu.program, &port, &set,
						&policy, diag) < 0);
		snprintf(error, sizeof(error), "rule 1%s: error: %s", refusals[i].at,
			 refusals[i].error);
		assert_string_equal(ddp_diag_first(diag), error);
		assert_int_equal(diag->n_errors, 1);
		rules_destroy(rules);
	}
}

// Each text, cut anywhere and followed by the rest of another, is a rule or has an error.
TEST(no_text_does_harm) {
	for (unsigned int round = 0; round < 3000; round++) {
		struct rules *rules = rules_create(&port);
		const char *parts[2];
		struct ddp_diag *diag = diag_new();
		char text[300];

		for (unsigned int i = 0; i < 2; i++)
			parts[i] = refusals[draw(COUNT(refusals))].text;
		snprintf(text, sizeof(text), "%.*s%s", (int)draw(strlen(parts[0])), parts[0],
			 parts[1] + draw(strlen(parts[1])));
		if (rules_add(rules, text, diag) < 0)
			assert_true(diag->n_errors > 0);
		else
			assert_true(rules_count(rules) > 0);
		rules_destroy(rules);
	}
}

struct built {
	struct rules *rules;
	struct rule_set set;
	struct ddp_policy policy;
};

static void build(struct built *built, const char *text) {
	struct ddp_diag *diag = diag_new();

	built->policy = (struct ddp_policy){
		.program = comms.program, .rss = true, .rss_hf = UINT64_MAX, .id = 1};
	built->rules = rules_create(&port);
	if (rules_add(built->rules, text, diag) < 0 ||
	    rules_build(built->rules, comms.profile, comms.program, &port, &built->set,
			&built->policy, diag) < 0)
		fail_msg("%s", ddp_diag_first(diag));
}

static void built_end(struct built *built) {
	rule_set_fini(&built->set);
	rules_destroy(built->rules);
}

TEST(a_file_of_commands_makes_its_rules) {
	struct built built;
	char at[600];

	snprintf(at, sizeof(at), "@%s", scratch_path("rules.txt"));
	scratch_write_text("rules.txt",
			   "# what a session had\r\n"
			   "port stop 0\n"
			   "flow validate 0 ingress pattern eth / end actions drop / end\n"
			   "flow create 0 ingress pattern eth / end actions drop / end # one\n"
			   "  flow list 0\n"
			   "flow create 0 priority 3 ingress pattern eth / ipv4 / void / end "
			   "actions mark id 7 / count / end\n");
	build(&built, at);
	assert_int_equal(rules_count(built.rules), 2);
	built_end(&built);
}

TEST(each_action_has_its_queues) {
	static const struct {
		enum ddp_flow_fate fate;
		unsigned int n_queues, first;
	} expected[] = {
		{DDP_FLOW_QUEUE, 1, 5}, {DDP_FLOW_SPREAD, 2, 6}, {DDP_FLOW_PASS, 0, 0},
		{DDP_FLOW_DROP, 0, 0},  {DDP_FLOW_SPREAD, 8, 0},
	};
	const struct rte_flow *flow;
	struct built built;
	unsigned int n = 0;

	build(&built, "priority 3 pattern eth / end actions queue index 5 / end\n"
		      "priority 2 pattern eth / end actions rss queues 6 7 end / end\n"
		      "priority 1 pattern eth / end actions mark id 1 / end\n"
		      "pattern eth / end actions drop / end\n"
		      "priority 4 pattern eth / end actions rss / end");
	TAILQ_FOREACH(flow, &built.set.list.flows, entry) {
		assert_int_equal(flow->action.fate, expected[n].fate);
		assert_int_equal(flow->action.n_queues, expected[n].n_queues);
		if (expected[n].n_queues > 0)
			assert_int_equal(ddp_flow_queues(&flow->action)[0], expected[n].first);
		n++;
	}
	assert_int_equal(n, COUNT(expected));
	built_end(&built);
}

static int set_up(void **state) {
	return load_or_report(&gtpu, "gtpu") != 0 || load_or_report(&comms, "e810-comms") != 0;
}

static int tear_down(void **state) {
	ddp_personality_unload(&gtpu);
	ddp_personality_unload(&comms);
	return 0;
}

GROUP(set_up, tear_down)
