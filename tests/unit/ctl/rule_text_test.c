/* SPDX-License-Identifier: BSD-3-Clause */
// Rules in testpmd's words: what each word means, which words are wrong, and that the path cache
// and the interpreter do the same with them. (That testpmd means the same is shown end to end.)
#include "scratch_folder.h"

#include <errno.h>
#include <rte_mbuf_core.h>

#include "base/rte_item.h"
#include "ctl/flow_rule/rule_items.h"
#include "ctl/flow_rule/rule_parse.h"
#include "ctl/flow_rule/rule_text.h"
#include "ctl/profile/profile_load.h"

static struct ddp_personality comms, gtpu;
static struct ddp_diag diag;

static int begin(void **state) {
	ddp_diag_init(&diag);
	return 0;
}

static int end(void **state) {
	ddp_diag_fini(&diag);
	return 0;
}

/* Words */

// Bytes of an item's structure, in hexadecimal, as far as they are not 0.
static void bytes_check(const void *structure, const char *hex) {
	const uint8_t *bytes = structure;
	char found[3];

	if (hex == NULL) {
		assert_null(structure);
		return;
	}
	assert_non_null(structure);
	for (unsigned int i = 0; hex[2 * i] != '\0'; i++) {
		snprintf(found, sizeof(found), "%02x", bytes[i]);
		assert_memory_equal(found, hex + 2 * i, 2);
	}
}

static const struct value {
	const char *item;
	const char *spec, *mask, *last;
} values[] = {
	{"eth", NULL, NULL, NULL},
	{"eth type is 0x0800", "0000000000000000000000000800", "000000000000000000000000ffff",
	 NULL},
	{"eth src is 02:00:00:00:00:01", "000000000000020000000001", "000000000000ffffffffffff",
	 NULL},
	{"vlan vid is 5", "0005", "0fff", NULL},
	{"vlan pcp is 7 vid spec 4095", "efff", "e000", NULL},
	{"eth has_vlan is 1", "000000000000000000000000000001", "000000000000000000000000000001",
	 NULL},
	{"vlan has_more_vlan is 1", "0000000001", "0000000001", NULL},
	{"ipv6 has_frag_ext is 1",
	 "0000000000000000000000000000000000000000000000000000000000000000000000000000000004",
	 "0000000000000000000000000000000000000000000000000000000000000000000000000000000004",
	 NULL},
	{"raw relative is 1 offset is 16 limit spec 2", "01000000100000000200",
	 "01000000ffffffff0000", NULL},
	{"ipv4 src is 10.0.0.1", "0000000000000000000000000a000001",
	 "000000000000000000000000ffffffff", NULL},
	{"ipv4 src spec 0x0a000001 src prefix 9", "0000000000000000000000000a000001",
	 "000000000000000000000000ff800000", NULL},
	{"ipv4 ttl spec 64 ttl mask 0xf0 ttl last 65", "000000000000000040", "0000000000000000f0",
	 "000000000000000041"},
	{"ipv6 flow is 0x12345 tc spec 1", "00112345", "000fffff", NULL},
	{"ipv6 dst prefix 20", NULL, "000000000000000000000000000000000000000000000000fffff0",
	 NULL},
	{"udp dst is 2152", "00000868", "0000ffff", NULL},
	{"gtpu teid is 0x1234", "0000000000001234", "00000000ffffffff", NULL},
	{"gtp_psc pdu_t is 1 qfi is 9", "001009", "00f03f", NULL},
	{"mpls label prefix 8", NULL, "ff0000", NULL},
	{"pfcp seid prefix 0", NULL, "00000000000000000000000000000000", NULL},
	{"pfcp seid prefix 64", NULL, "0000000000000000ffffffffffffffff", NULL},
	{"mpls label is 0x12345 s is 1", "123451", "fffff1", NULL},
	{"gre k_bit is on", "2000", "2000", NULL},
	{"gre_key value is 7", "00000007", "ffffffff", NULL},
	{"pfcp seid is 0x9900000000000001", "00000000000000009900000000000001",
	 "0000000000000000ffffffffffffffff", NULL},
	{"pppoe_proto_id is 0x0021", "0021", "ffff", NULL},
	{"ppp proto_id is 0x0021", "00002100", "0000ffff", NULL}, // testpmd's order
	{"l2tpv2 type data_l session_id is 3", "4002000000000003", "ffff00000000ffff", NULL},
	{"l2tpv2 type data session_id is 3", "000200000003", "ffff0000ffff", NULL},
	{"ecpri common type iq_data pc_id is 7", "000000000007", "00ff0000ffff", NULL},
};

static void fields_check(const struct ddp_rte_item *item, const struct rule_field *fields,
			 unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		if (fields[i].off + fields[i].size > item->size)
			fail_msg("rule_items.c: field '%s' of item '%s' is behind its structure",
				 fields[i].name, item->name);
}

// base/rte_item.c lists items, rule_items.c their fields.
static void each_item_with_values_has_fields(void **state) {
	for (unsigned int i = 0; i < ddp_n_rte_items; i++) {
		const struct ddp_rte_item *item = &ddp_rte_items[i];
		const struct rule_fields *fields = rule_fields_find(item->type);

		if (item->size > 0 && fields == NULL)
			fail_msg("rule_items.c has no fields of item '%s'", item->name);
		if (fields == NULL)
			continue;
		fields_check(item, fields->fields, fields->n_fields);
		for (unsigned int k = 0; k < fields->n_messages; k++)
			fields_check(item, fields->messages[k].fields,
				     fields->messages[k].n_fields);
	}
}

static void each_word_is_where_testpmd_puts_it(void **state) {
	const struct ddp_place place = {"rule", 1, 1};
	struct ddp_arena *arena = ddp_arena_create();

	for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct rule_text rule = {0};
		char text[200];

		snprintf(text, sizeof(text), "pattern %s / end actions drop / end", values[i].item);
		assert_int_equal(rule_parse(text, strlen(text), &place, arena, &rule, &diag),
				 RULE_LINE_RULE);
		bytes_check(rule.items[0].spec, values[i].spec);
		bytes_check(rule.items[0].mask, values[i].mask);
		bytes_check(rule.items[0].last, values[i].last);
		assert_int_equal(rule.items[1].type, RTE_FLOW_ITEM_TYPE_END);
	}
	ddp_arena_destroy(arena);
}

/* Refusals */

static const struct refusal {
	const char *text, *error;
} refusals[] = {
	{"start", "rule 1: error: no rule is in it"},
	{"patern eth / end actions drop / end",
	 "rule 1:1:1: error: expected a rule ('flow create', 'pattern'), not 'patern'; did you mean "
	 "'pattern'?"},
	{"x", "rule 1:1:1: error: expected a rule ('flow create', 'pattern'), not 'x'"},
	{"flow destroy 0 rule 1",
	 "rule 1:1:6: error: of testpmd's flow commands only create is read, not 'destroy'"},
	{"flow create x pattern", "rule 1:1:13: error: expected a number, not 'x'"},
	{"ingress pattern eth / ipv5 / end",
	 "rule 1:1:23: error: expected an item of a pattern, or 'end', not 'ipv5'; did you mean "
	 "'ipv4'?"},
	{"pattern gtpu teidd is 1",
	 "rule 1:1:14: error: expected a field of item 'gtpu', or '/', not 'teidd'; did you mean "
	 "'teid'?"},
	{"pattern gtpu teid 1",
	 "rule 1:1:19: error: expected is, spec, last, mask or prefix, not '1'"},
	{"pattern gtpu teid is 4294967296",
	 "rule 1:1:22: error: expected a number up to 4294967295, not '4294967296'"},
	{"pattern vlan vid is 4096",
	 "rule 1:1:21: error: expected a number up to 4095, not '4096'"},
	{"pattern vlan vid prefix 13", "rule 1:1:25: error: expected a number up to 12, not '13'"},
	{"pattern ipv6 src is 1.2.3.4",
	 "rule 1:1:21: error: expected an IPv6 address, not '1.2.3.4'"},
	{"pattern eth src is -1:0:0:0:0:1",
	 "rule 1:1:20: error: expected a MAC address, not '-1:0:0:0:0:1'"},
	{"pattern eth src is 1:2", "rule 1:1:20: error: expected a MAC address, not '1:2'"},
	{"pattern l2tpv2 session_id is 1", "rule 1:1:16: error: expected 'type', not 'session_id'"},
	{"pattern eth", "rule 1:1:12: error: expected '/', not the end of the line"},
	{"pattern eth / end action drop", "rule 1:1:19: error: expected 'actions', not 'action'"},
	{"pattern eth / end actions dorp / end",
	 "rule 1:1:27: error: expected an action, or 'end', not 'dorp'; did you mean 'drop'?"},
	{"pattern eth / end actions queue 3 / end",
	 "rule 1:1:33: error: expected 'index', not '3'"},
	{"pattern eth / end actions rss types ipv4-dup end / end",
	 "rule 1:1:37: error: expected an RSS type, or 'end', not 'ipv4-dup'; did you mean "
	 "'ipv4-udp'?"},
	{"pattern eth / end actions rss func xor / end",
	 "rule 1:1:36: error: expected a hash function, not 'xor'"},
	{"pattern eth / end actions drop / end x", "rule 1:1:38: error: a rule ends before 'x'"},
	{"# ok\n\nport stop 0\n\tpattern eth / end actions drop",
	 "rule 1:4:32: error: expected '/', not the end of the line"},
	{"@/no/such/file", "error: /no/such/file: No such file or directory"},
};

static void a_wrong_word_is_named_with_its_place(void **state) {
	for (unsigned int i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct rules *rules = rules_create();
		struct ddp_diag own;

		ddp_diag_init(&own);
		assert_int_equal(rules_add(rules, refusals[i].text, &own), -EINVAL);
		assert_string_equal(ddp_diag_first(&own), refusals[i].error);
		assert_int_equal(own.n_errors, 1);
		ddp_diag_fini(&own);
		rules_destroy(rules);
	}
}

static const struct steer_config plain = {
	.n_queues = 8,
	.reta_size = 512,
	.rss_hf = UINT64_MAX,
};

// Words in order, but no rule that net_ddp takes.
static const struct refusal meanings[] = {
	{"pattern eth / ipv4 / end actions queue index 8 / end",
	 "rule 1:1:34: error: the port has no such Rx queue"},
	{"pattern eth has_vlan is 0 / vlan / end actions drop / end",
	 "rule 1:1:9: error: the pattern has a header of which it says that it does not follow"},
	{"pattern eth / raw relative is 0 pattern spec 00 pattern mask ff / end actions drop / end",
	 "rule 1:1:15: error: a raw item behind a header is relative, has no search or limit, and an "
	 "offset of 0 or more"},
	{"flow create 0 pattern eth / end actions drop / end",
	 "rule 1:1:1: error: only ingress rules are supported"},
	{"pattern eth / ipv4 / end actions drop / queue / end",
	 "rule 1:1:41: error: a packet can be sent to one place only"},
	{"pattern eth / ipv4 / end actions rss types ipv4 end / end",
	 "rule 1:1:34: error: types or queues: what is hashed, and where packets go, are rules of "
	 "their own"},
	{"pattern eth / ipv4 src is 10.0.0.1 / end actions rss types ipv4 l3-src-only end queues 0 1 "
	 "end / end",
	 "rule 1:1:50: error: types or queues: what is hashed, and where packets go, are rules of "
	 "their own"},
	{"pattern eth / ipv4 / end actions rss key 00 queues end / end",
	 "rule 1:1:34: error: a key has 40 or 52 bytes"},
	{"pattern eth / ipv4 / end actions drop / end\npattern eth / ipv4 / end actions drop / end",
	 "rule 1:2:1: error: the port has a rule of this pattern and priority"},
	{"pattern eth / end actions drop / end\npattern eth / nsh_ / end actions drop / end",
	 "rule 1:2:15: error: expected an item of a pattern, or 'end', not 'nsh_'"},
	{"pattern eth / ipv4 / udp / vxlan / end actions drop / end",
	 "rule 1:1:1: error: no loaded profile parses header 'vxlan': profile vxlan does"},
	{"pattern eth / end actions drop / end\npattern eth / ipv4 / udp / vxlan / end actions drop / "
	 "end",
	 "rule 1:2:1: error: no loaded profile parses header 'vxlan': profile vxlan does"},
};

static void what_net_ddp_refuses_is_refused_with_its_words(void **state) {
	for (unsigned int i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct rules *rules = rules_create();
		struct ddp_policy policy = {0};
		struct rule_set set;
		struct ddp_diag own;

		ddp_diag_init(&own);
		if (rules_add(rules, meanings[i].text, &own) == 0)
			assert_true(rules_build(rules, gtpu.profile, gtpu.program, &plain, &set,
						&policy, &own) < 0);
		assert_string_equal(ddp_diag_first(&own), meanings[i].error);
		ddp_diag_fini(&own);
		rules_destroy(rules);
	}
}

// Words of rules in any order, cut anywhere: each text is a rule or has an error, and that is all.
static void no_text_does_harm(void **state) {
	static const char *const words[] = {
		"flow",   "create",  "0",      "ingress", "pattern", "eth",     "ipv4",   "gtpu",
		"teid",   "is",      "spec",   "mask",    "prefix",  "last",    "0xffff", "/",
		"end",    "actions", "rss",    "types",   "ipv4",    "queues",  "key",    "00",
		"func",   "queue",   "index",  "drop",    "raw",     "pattern", "l2tpv2", "type",
		"data_s", "ecpri",   "common", "iq_data", "mark",    "id",      "count",  "#",
		"\n",     "@",       "vlan",   "vid",     "\x80\xff"};
	uint64_t seed = 1;

	for (unsigned int round = 0; round < 3000; round++) {
		struct rules *rules = rules_create();
		char text[300] = "pattern ";
		struct ddp_diag own;

		for (unsigned int i = 0; i < 20; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			strcat(text, words[(seed >> 33) % (sizeof(words) / sizeof(words[0]))]);
			strcat(text, " ");
		}
		text[(seed >> 40) % strlen(text)] = '\0';
		ddp_diag_init(&own);
		if (rules_add(rules, text, &own) < 0)
			assert_true(own.n_errors > 0);
		else
			assert_true(rules_count(rules) > 0);
		ddp_diag_fini(&own);
		rules_destroy(rules);
	}
}

/* Use */

static void build(struct rules *rules, struct rule_set *set, struct ddp_policy *policy) {
	*policy = (struct ddp_policy){
		.program = comms.program, .rss = true, .rss_hf = UINT64_MAX, .id = 1};
	if (rules_build(rules, comms.profile, comms.program, &plain, set, policy, &diag) < 0)
		fail_msg("%s", ddp_diag_first(&diag));
}

static void a_file_of_commands_makes_its_rules(void **state) {
	static const char commands[] =
		"# what a session had\r\n"
		"port stop 0\n"
		"flow validate 0 ingress pattern eth / end actions drop / end\n"
		"flow create 0 ingress pattern eth / end actions drop / end # one\n"
		"  flow list 0\n"
		"flow create 0 priority 3 ingress pattern eth / ipv4 / void / end "
		"actions mark id 7 / flag_ / end\n";
	char good[sizeof(commands)], at[600];
	struct rules *rules = rules_create();
	FILE *file;

	assert_int_equal(rules_add(rules, commands, &diag), -EINVAL);
	assert_non_null(strstr(ddp_diag_first(&diag), "rule 1:6:86: error: expected an action"));
	rules_destroy(rules);
	memcpy(good, commands, sizeof(good));
	memcpy(strstr(good, "flag_"), "count", 5);
	file = fopen(scratch_path("rules.txt"), "w");
	fputs(good, file);
	assert_int_equal(fclose(file), 0);
	snprintf(at, sizeof(at), "@%s", scratch_path("rules.txt"));
	rules = rules_create();
	assert_int_equal(rules_add(rules, at, &diag), 0);
	assert_int_equal(rules_count(rules), 2);
	rules_destroy(rules);
}

// The rule that was added as the nth.
static const struct ddp_flow_entry *nth(const struct rule_set *set, unsigned int n) {
	const struct rte_flow *flow = TAILQ_FIRST(&set->list.flows);

	while (n-- > 0)
		flow = TAILQ_NEXT(flow, entry);
	return flow->entries[0];
}

static void each_fate_is_told(void **state) {
	struct rules *rules = rules_create();
	const uint16_t *queues = NULL;
	struct ddp_policy policy;
	unsigned int n = 0;
	struct rule_set set;

	assert_int_equal(rules_add(rules,
				   "priority 3 pattern eth / end actions queue index 5 / end\n"
				   "priority 2 pattern eth / end actions rss queues 6 7 end / end\n"
				   "priority 1 pattern eth / end actions mark id 1 / end\n"
				   "pattern eth / end actions drop / end\n"
				   "priority 4 pattern eth / end actions rss / end",
				   &diag),
			 0);
	build(rules, &set, &policy);
	assert_int_equal(rule_fate(nth(&set, 4), &queues, &n), RULE_RSS);
	assert_int_equal(n, plain.n_queues);
	assert_int_equal(rule_queue(nth(&set, 4), true, 9, 2), 1);
	assert_int_equal(rule_fate(nth(&set, 0), &queues, &n), RULE_QUEUE);
	assert_int_equal(rule_queue(nth(&set, 0), true, 9, 2), 5);
	assert_int_equal(rule_queue(nth(&set, 1), true, 9, 2), 7);
	assert_int_equal(rule_queue(nth(&set, 1), false, 9, 2), 6);
	assert_int_equal(rule_fate(nth(&set, 2), &queues, &n), RULE_PASS);
	assert_int_equal(rule_queue(nth(&set, 2), true, 9, 2), 2);
	assert_int_equal(rule_fate(nth(&set, 3), &queues, &n), RULE_DROP);
	assert_int_equal(rule_queue(nth(&set, 3), true, 9, 2), RULE_DROPPED);
	assert_int_equal(rule_queue(NULL, true, 9, 2), 2);
	rule_set_fini(&set);
	rules_destroy(rules);
}

#define N_FRAMES 64

// Frames of IPv4 with UDP, some of them GTP-U.
static void frame_make(unsigned int i, uint8_t frame[128]) {
	static const uint8_t udp[] = {2,    0, 0,  0,   0, 1, 2, 0, 0,  0,  0, 2,  8,  0,
				      0x45, 0, 0,  100, 0, 0, 0, 0, 64, 17, 0, 0,  10, 0,
				      0,    0, 10, 1,   0, 0, 0, 0, 0,  0,  0, 80, 0,  0};
	static const uint8_t gtpu[] = {0x30, 255, 0, 44, 0, 0, 0, 0};

	memset(frame, 0, 128);
	memcpy(frame, udp, sizeof(udp));
	frame[29] = i % 7;
	frame[35] = i % 5;
	if (i % 3 == 0)
		return;
	frame[36] = 2152 >> 8;
	frame[37] = 2152 & 0xff;
	memcpy(frame + 42, gtpu, sizeof(gtpu));
	frame[49] = i % 4;
	memcpy(frame + 50, udp + 14, sizeof(udp) - 14);
	frame[50 + 15] = i % 11;
}

static const char *const rules_of_one[] = {
	"pattern eth / ipv4 / udp / gtpu / ipv4 / end actions rss types ipv4 l3-src-only end queues "
	"end / end",
	"pattern eth / ipv4 / udp / gtpu / ipv4 / udp / end actions rss func symmetric_toeplitz types "
	"ipv4-udp end queues end / end",
	"pattern end actions rss func simple_xor queues end / end",
	"pattern eth / ipv4 src spec 10.0.0.4 src mask 255.255.255.252 / end actions queue index 3 / "
	"end\npriority 1 pattern eth / ipv4 / udp / gtpu teid is 2 / end actions drop / end",
	"pattern eth has_vlan is 0 / ipv4 / udp / raw relative is 1 offset is 7 pattern spec 02 "
	"pattern mask 03 / end actions queue index 3 / end",
	"pattern eth / ipv4 / udp / raw relative is 1 pattern spec 30ff pattern mask ffff / "
	"raw relative is 1 offset is 5 pattern spec 01 pattern mask ff / end "
	"actions rss types ipv4 end queues end / end",
	"pattern eth / ipv4 / end actions rss queues 1 2 5 end / end",
	"pattern eth / ipv4 / end actions rss key "
	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627 "
	"queues 1 2 5 end / end",
};

static void cache_compare(const struct ddp_policy *policy, const struct steer *steer) {
	static uint8_t frames[N_FRAMES][128 + DDP_HASH_INPUT_MAX];
	static struct rte_mbuf mbufs[N_FRAMES];
	static struct ddp_burst burst;
	struct ddp_cache *cache = aligned_alloc(DDP_CACHE_ALIGN, ddp_cache_size());
	struct rte_mbuf *pointers[N_FRAMES];

	ddp_cache_init(cache, ddp_isa_best(512));
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		frame_make(i, frames[i]);
		pointers[i] = &mbufs[i];
		mbufs[i] = (struct rte_mbuf){
			.buf_addr = frames[i],
			.buf_len = sizeof(frames[i]),
			.data_len = 128,
			.pkt_len = 128,
			.nb_segs = 1,
		};
	}
	for (unsigned int round = 0; round < 2; round++) {
		ddp_cache_run(cache, policy, &steer->hash, pointers, N_FRAMES, &burst);
		for (unsigned int i = 0; i < N_FRAMES; i++) {
			const struct ddp_packet packet = {frames[i], 128, 128, NULL, NULL};
			bool hashed = ddp_burst_verdict(&burst, i)->input_len > 0;
			const struct ddp_hash *key;
			struct steered steered;
			struct ddp_class class;
			int queue;

			ddp_classify(comms.program, &packet, &class);
			rule_steer(policy, steer, &packet, &class, &steered);
			key = rule_key(burst.steer[i]);
			if (policy->flows != NULL && hashed && key != NULL)
				burst.hashes[i] = ddp_burst_hash(&burst, i, key);
			assert_int_equal(hashed, steered.input_len > 0);
			if (hashed)
				assert_int_equal(burst.hashes[i], steered.hash);
			queue = rule_queue(burst.steer[i], hashed, burst.hashes[i],
					   hashed ? steer->reta[burst.hashes[i] & 511] : 0);
			assert_int_equal(queue,
					 steered.dropped ? RULE_DROPPED : (int)steered.queue);
		}
	}
	free(cache);
}

static void the_path_cache_does_what_the_interpreter_does(void **state) {
	static struct steer steer;

	steer_init(&steer, &plain);
	for (unsigned int i = 0; i < sizeof(rules_of_one) / sizeof(rules_of_one[0]); i++) {
		struct rules *rules = rules_create();
		struct ddp_policy policy;
		struct rule_set set;

		assert_int_equal(rules_add(rules, rules_of_one[i], &diag), 0);
		build(rules, &set, &policy);
		cache_compare(&policy, &steer);
		rule_set_fini(&set);
		rules_destroy(rules);
	}
}

/* Rules that a sender chose */

#define N_CHOSEN 5000

static uint64_t mix_unseeded(uint64_t hash, uint64_t number) {
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

// The lower half of the source address of a rule that has this hash, if rules are hashed by their
// pattern as they were before there was a seed.
static uint64_t address_hashed(uint64_t hash) {
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t inverse = factor, before = mix_unseeded(DDP_FLOW_STEER, 1);

	for (unsigned int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	for (unsigned int i = 0; i < 2; i++) // priority and upper half
		before = mix_unseeded(before, 0);
	return (hash ^ hash >> 32) * inverse ^ before;
}

static void rule_of_source_add(struct ddp_flow_list *list, uint64_t address) {
	const struct ddp_flow_config config = {.n_rxqs = 2, .n_counts = 1};
	const struct rte_flow_attr attr = {.ingress = 1};
	const struct rte_flow_action_queue queue = {.index = 1};
	const struct rte_flow_action actions[] = {
		{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};
	struct rte_flow_item_ipv6 spec = {0}, mask = {0};
	const struct rte_flow_item items[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV6, .spec = &spec, .mask = &mask},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	struct rte_flow_error error;
	struct rte_flow *flow;
	bool compile;
	int ret;

	for (unsigned int i = 0; i < 8; i++)
		((uint8_t *)&spec.hdr.src_addr)[8 + i] = address >> (56 - 8 * i);
	memset(&mask.hdr.src_addr, UINT8_MAX, sizeof(mask.hdr.src_addr));
	flow = ddp_flow_create(&config, &attr, items, actions, &error, &ret);
	assert_non_null(flow);
	assert_int_equal(ddp_flow_list_add(list, flow, &compile, &error), 0);
	ddp_flow_list_commit(list, flow);
}

// A switch that makes a rule of each flow must not take longer for flows that somebody computed.
static void chosen_rules_share_no_bucket(void **state) {
	struct ddp_flow_list list;
	unsigned int most = 0;

	ddp_flow_list_init(&list, NULL);
	for (uint64_t i = 0; i < N_CHOSEN; i++)
		rule_of_source_add(&list, address_hashed(i << 32));
	for (unsigned int i = 0; i < list.by_pattern.n_buckets; i++) {
		unsigned int n = 0;

		for (const struct ddp_flow_node *node = list.by_pattern.buckets[i]; node != NULL;
		     node = node->next)
			n++;
		most = n > most ? n : most;
	}
	ddp_flow_list_fini(&list);
	assert_in_range(most, 1, 20);
}

static int set_up(void **state) {
	if (scratch_setup(state) != 0)
		return -1;
	ddp_diag_init(&diag);
	if (load_profile(&gtpu, "gtpu", &diag) < 0)
		return -1;
	return load_profile(&comms, "e810-comms", &diag);
}

static int tear_down(void **state) {
	ddp_personality_unload(&gtpu);
	ddp_personality_unload(&comms);
	ddp_diag_fini(&diag);
	return scratch_teardown(state);
}

// As ctl_run() runs a command.
static void tests_run(void *arg) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_with_values_has_fields),
		cmocka_unit_test_setup_teardown(each_word_is_where_testpmd_puts_it, begin, end),
		cmocka_unit_test(a_wrong_word_is_named_with_its_place),
		cmocka_unit_test(no_text_does_harm),
		cmocka_unit_test(what_net_ddp_refuses_is_refused_with_its_words),
		cmocka_unit_test_setup_teardown(a_file_of_commands_makes_its_rules, begin, end),
		cmocka_unit_test_setup_teardown(each_fate_is_told, begin, end),
		cmocka_unit_test_setup_teardown(the_path_cache_does_what_the_interpreter_does,
						begin, end),
		cmocka_unit_test(chosen_rules_share_no_bucket),
	};

	*(int *)arg = cmocka_run_group_tests(tests, set_up, tear_down);
}

int main(void) {
	int n_failed = -1;

	return ddp_arena_run(tests_run, &n_failed) < 0 ? 1 : n_failed;
}
