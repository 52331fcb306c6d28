/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/flow/flow.h"

#include <errno.h>

#include "classify/flow/flow_set.h"
#include "corpus.h"
#include "naive_flow.h"
#include "unit.h"

// A rule of headers in text: "eth ipv4 udp". The words must be string literals.
static struct ddp_flow rule_of(enum ddp_flow_stage stage, const char *headers) {
	static char words[4096];
	static size_t used;
	struct ddp_flow rule = {.stage = stage};
	char *word, *save;

	if (used + strlen(headers) + 1 > sizeof(words))
		used = 0; // long out of use
	word = strcpy(words + used, headers);
	used += strlen(headers) + 1;
	for (word = strtok_r(word, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
		rule.items[rule.n_items++] = word;
	return rule;
}

static void value_add(struct ddp_flow *rule, unsigned int item, const char *field, uint64_t value) {
	rule->values[rule->n_values++] = (struct ddp_flow_value){
		.at = {.item = item, .field = field},
		.pattern = {.value_lo = value, .mask_lo = UINT64_MAX},
	};
}

static void input_add(struct ddp_flow *rule, unsigned int item, const char *field) {
	rule->inputs[rule->n_inputs++] = (struct ddp_flow_field){.item = item, .field = field};
}

struct made {
	struct flow_book book;
	struct ddp_flow_set *set;
};

static void made_end(void *object) {
	struct made *made = object;

	ddp_flow_set_destroy(made->set);
	flow_book_fini(&made->book);
	free(made);
}

static struct ddp_flow_set *set_of(const struct loaded *loaded, const struct ddp_flow *rules,
				   unsigned int n) {
	struct made *made = calloc(1, sizeof(*made));
	struct ddp_diag *diag = diag_new();

	after_test(made_end, made);
	flow_book_init(&made->book);
	flow_book_add(&made->book, rules, n);
	made->set = flow_book_build(&made->book, loaded->profile, loaded->program, diag);
	assert_string_equal(ddp_diag_first(diag), "");
	return made->set;
}

static int32_t rule_hit(const struct ddp_flow_hit *hit, enum ddp_flow_stage stage) {
	return flow_book_index(hit->rules[stage]);
}

static int32_t hit_of(const struct loaded *loaded, const struct ddp_flow_set *set,
		      const struct piece *pieces, enum ddp_flow_stage stage) {
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(pieces, bytes);
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_flow_hit hit;
	struct ddp_class class;

	ddp_classify(loaded->program, &packet, &class);
	ddp_flow_match(set, &packet, &class, &hit);
	return rule_hit(&hit, stage);
}

TEST(a_thousand_sessions_are_one_lookup) {
	static struct ddp_flow rules[1000];
	struct loaded loaded = load_good("gtpu");
	struct ddp_flow_set *set;

	for (unsigned int i = 0; i < COUNT(rules); i++) {
		rules[i] = (struct ddp_flow){.stage = DDP_FLOW_STEER,
					     .n_items = 4,
					     .items = {"eth", "ipv4", "udp", "gtpu"}};
		value_add(&rules[i], 3, "teid", TEID + 7 * i);
	}
	set = set_of(&loaded, rules, COUNT(rules));
	assert_int_equal(set->n_paths, 1);
	assert_int_equal(set->n_groups, 1);
	assert_int_equal(set->n_keys, 1);
	for (uint32_t i = 0; i < 7 * COUNT(rules); i++) {
		const struct piece packet[] = {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152),
					       PIECE(0x30, 255, 0, 0, BE32((TEID + i))), END};

		assert_int_equal(hit_of(&loaded, set, packet, DDP_FLOW_STEER),
				 i % 7 == 0 ? (int)(i / 7) : -1);
	}
}

TEST(no_rules_match_nothing) {
	const struct piece packet[] = {ETH(0x0800), IPV4(17, UE, NET), UDP(1, 2), END};
	struct loaded loaded = load_good(NULL);
	struct ddp_flow_set *set = set_of(&loaded, NULL, 0);

	assert_int_equal(hit_of(&loaded, set, packet, DDP_FLOW_HASH), -1);
	assert_int_equal(hit_of(&loaded, set, packet, DDP_FLOW_STEER), -1);
	ddp_flow_set_destroy(NULL);
}

static const struct left_out {
	const char *name;
	const char *rule;
	struct piece packet[12];
	bool matches;
} left_outs[] = {
	{"tags",
	 "eth ipv4",
	 {ETH(0x88a8), VLAN(1, 0x8100), VLAN(2, 0x0800), IPV4(6, UE, NET), END},
	 true},
	{"no_tag_where_one_is_named", "eth vlan ipv4", {ETH(0x0800), IPV4(6, UE, NET), END}, false},
	{"a_tag_behind_the_one_named",
	 "eth vlan ipv4",
	 {ETH(0x88a8), VLAN(1, 0x8100), VLAN(2, 0x0800), IPV4(6, UE, NET), END},
	 true},
	{"extension_headers",
	 "eth ipv6 udp",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(60), EXT8(17), UDP(1, 2), END},
	 true},
	{"a_fragment_has_no_ports",
	 "eth ipv6 udp",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1, 2), END},
	 false},
	{"ports_are_behind_the_fragment_header_too",
	 "eth ipv6 ipv6_frag udp",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1, 2), END},
	 false},
	{"nor_has_the_only_fragment",
	 "eth ipv6 ipv6_frag udp",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 0), UDP(1, 2), END},
	 false},
	{"extension_headers_of_gtpu",
	 "eth ipv4 udp gtpu ipv4",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0xc0), GTPU_EXT(0),
	  IPV4(6, UE, NET), END},
	 true},
	{"not_the_container",
	 "eth ipv4 udp gtpu ipv4",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
	  PSC(UPLINK, 9, 0), IPV4(6, UE, NET), END},
	 false},
	{"what_is_around_the_container",
	 "eth ipv4 udp gtpu gtpu_psc ipv4",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0xc0),
	  GTPU_EXT(0x85), PSC(UPLINK, 9, 0xc0), GTPU_EXT(0), IPV4(6, UE, NET), END},
	 true},
	{"not_what_comes_before_the_pattern", "ipv4", {ETH(0x0800), IPV4(6, UE, NET), END}, false},
	{"but_all_that_comes_behind_it",
	 "eth",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP(1, 2), END},
	 true},
};

ROWS_TEST(is_left_out, left_outs) {
	const struct left_out *row = *state;
	struct loaded loaded = load_good("gtpu");
	struct ddp_flow rule = rule_of(DDP_FLOW_HASH, row->rule);
	struct ddp_flow_set *set;

	rule.optional = true; // of some rows no packet can be
	set = set_of(&loaded, &rule, 1);
	assert_int_equal(hit_of(&loaded, set, row->packet, DDP_FLOW_HASH), row->matches ? 0 : -1);
}

static const struct variants_row {
	const char *name;
	const char *rule, *variants; // joined by ", "
	bool steers, exact, outer_used;
} variants_rows[] = {
	{"gtpu_is_looked_for_behind_gre_too", "eth ipv4 udp gtpu ipv4",
	 "eth ipv4 gre ipv4 udp gtpu ipv4, eth ipv4 gre ipv6 udp gtpu ipv4"},
	{"of_outer_ipv6", "eth ipv6 udp gtpu gtpu_psc ipv6 udp",
	 "eth ipv6 gre ipv4 udp gtpu gtpu_psc ipv6 udp, eth ipv6 gre ipv6 udp gtpu gtpu_psc ipv6 udp"},
	{"gre_means_both_versions_in_it", "eth ipv4 gre ipv4 udp gtpu ipv4",
	 "eth ipv4 gre ipv6 udp gtpu ipv4"},
	{"of_ipv6_too", "eth ipv4 gre ipv6 udp gtpu", "eth ipv4 gre ipv4 udp gtpu"},
	{"other_tunnels_have_none", "eth ipv4 udp vxlan eth ipv4", ""},
	{"plain_rules_have_none", "eth ipv4 udp", ""},
	{"gtpc_has_none", "eth ipv4 udp gtpc", ""},
	{"who_steers_says_where_gtpu_is", "eth ipv4 udp gtpu", "", .steers = true},
	{"who_steers_behind_gre_means_both_versions", "eth ipv4 gre ipv4 udp gtpu",
	 "eth ipv4 gre ipv6 udp gtpu", .steers = true},
	{"a_raw_rule_is_as_it_is", "eth ipv4 udp gtpu ipv4", "", .exact = true},
	{"a_version_of_which_a_value_is_asked_is_meant", "eth ipv4 gre ipv4 udp gtpu", "",
	 .outer_used = true},
};

ROWS_TEST(has_variants, variants_rows) {
	const struct variants_row *row = *state;
	struct ddp_flow rule = rule_of(row->steers ? DDP_FLOW_STEER : DDP_FLOW_HASH, row->rule);
	struct ddp_flow variants[DDP_FLOW_VARIANTS];
	unsigned int last = rule.n_items - 1, n;
	char text[500] = "";

	rule.exact = row->exact;
	input_add(&rule, last, "src");
	if (row->outer_used)
		value_add(&rule, 3, "src", 1);
	value_add(&rule, last, "dst", 2);
	n = ddp_flow_gre_variants(&rule, variants);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_flow *v = &variants[i];

		for (unsigned int j = 0; j < v->n_items; j++) {
			strcat(text, j > 0 ? " " : i > 0 ? ", " : "");
			strcat(text, v->items[j]);
		}
		// They mean the same header as before, wherever it is now.
		assert_true(v->optional);
		assert_int_equal(v->inputs[0].item, v->n_items - 1);
		assert_int_equal(v->values[0].at.item, v->n_items - 1);
	}
	assert_string_equal(text, row->variants);
}

// There is room for as many items as a rule may have, and not for more.
TEST(a_rule_without_room_has_no_variant) {
	struct ddp_flow rule = rule_of(DDP_FLOW_HASH, "eth ipv4 udp gtpu");
	struct ddp_flow variants[DDP_FLOW_VARIANTS];

	while (rule.n_items < DDP_FLOW_ITEMS - 2)
		rule.items[rule.n_items++] = "ipv4";
	assert_int_equal(ddp_flow_gre_variants(&rule, variants), 2);
	assert_int_equal(variants[0].n_items, DDP_FLOW_ITEMS);
	rule.items[rule.n_items++] = "ipv4";
	assert_int_equal(ddp_flow_gre_variants(&rule, variants), 0);
}

static bool has_same_headers(const struct ddp_class *a, const struct ddp_class *b) {
	bool same = a->n_seen == b->n_seen;

	for (unsigned int i = 0; same && i < a->n_seen; i++)
		same = a->seen[i].node == b->seen[i].node && a->seen[i].off == b->seen[i].off &&
		       a->seen[i].len == b->seen[i].len && a->seen[i].groups == b->seen[i].groups &&
		       a->seen[i].fragment == b->seen[i].fragment;
	return same;
}

// The rule of a packet, or what is said against it.
static struct ddp_flow raw_rule(const struct loaded *loaded, const uint8_t *bytes,
				const uint8_t *mask, uint32_t len, const char *expected) {
	struct ddp_flow rule = {0};
	char error[200] = "";
	int ret = ddp_flow_raw_rule(loaded->profile, loaded->program, bytes, mask, len, &rule,
				    error, sizeof(error));

	assert_string_equal(error, expected);
	assert_int_equal(ret, expected[0] == '\0' ? 0 : -EINVAL);
	return rule;
}

// Which bits are hashed, by flipping each: those of the mask, as long as the packet stays what it
// is.
static unsigned int raw_bits_are_the_masks(const struct loaded *loaded, struct ddp_class *class,
					   uint8_t *bytes, uint32_t len, uint64_t *seed) {
	uint8_t mask[PACKET_MAX] = {0}, before[DDP_MAX_INPUT_SIZE], after[DDP_MAX_INPUT_SIZE];
	unsigned int n_flips = 0;
	struct ddp_flow rule;
	struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_flow_set *set;
	struct ddp_class flipped;
	struct ddp_flow_hit hit;

	for (unsigned int i = 0; i < 6; i++)
		mask[random_below(seed, len)] = random_next(seed) >> 56;
	rule = raw_rule(loaded, bytes, mask, len, "");
	set = set_of(loaded, &rule, 1);
	ddp_flow_match(set, &packet, class, &hit);
	assert_int_equal(rule_hit(&hit, DDP_FLOW_HASH), 0);
	ddp_flow_gather(set, &packet, class, &hit, false, before);
	for (uint32_t bit = 0; bit < 8 * len; bit++) {
		bool masked = mask[bit / 8] >> (7 - bit % 8) & 1;
		unsigned int n;

		bytes[bit / 8] ^= 0x80 >> bit % 8;
		ddp_classify(loaded->program, &packet, &flipped);
		ddp_flow_match(set, &packet, &flipped, &hit);
		if (has_same_headers(class, &flipped) && rule_hit(&hit, DDP_FLOW_HASH) == 0) {
			n = ddp_flow_gather(set, &packet, &flipped, &hit, false, after);
			assert_int_equal(memcmp(before, after, n) != 0, masked);
			n_flips++;
		}
		bytes[bit / 8] ^= 0x80 >> bit % 8;
	}
	return n_flips;
}

TEST(a_raw_rule_hashes_the_bits_of_its_mask) {
	struct loaded loaded = load_good("gtpu");
	unsigned int n_flips = 0, n_raws = 0;
	uint64_t seed = 22;

	for (unsigned int i = 0; i < 3 * corpora[1].n_packets; i++) {
		uint8_t bytes[PACKET_MAX];
		uint32_t len = packet_build(corpora[1].packets[i / 3], bytes);
		struct ddp_class class;

		classify_bytes(loaded.program, bytes, len, &class);
		if (len > DDP_FLOW_RAW_SIZE || class.type == DDP_TYPE_NONE)
			continue;
		n_flips += raw_bits_are_the_masks(&loaded, &class, bytes, len, &seed);
		n_raws++;
	}
	assert_in_range(n_flips, 100 * n_raws, UINT32_MAX);
}

// Addresses and ports by name, so that a symmetric hash can pair them.
TEST(a_raw_rule_finds_whole_fields_by_name) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), DATA, END};
	struct loaded loaded = load_good(NULL);
	uint8_t bytes[PACKET_MAX], mask[PACKET_MAX] = {0};
	unsigned int len = packet_build(pieces, bytes);
	struct ddp_flow rule;

	memset(mask + 26, 0xff, 9);      // addresses, and a half of a port
	memset(mask + len - 2, 0xff, 2); // of the data
	rule = raw_rule(&loaded, bytes, mask, len, "");
	assert_true(rule.exact && rule.ends);
	assert_int_equal(rule.n_items, 3);
	assert_int_equal(rule.n_inputs, 4);
	assert_string_equal(rule.inputs[0].field, "src");
	assert_string_equal(rule.inputs[1].field, "dst");
	assert_null(rule.inputs[2].field);
	assert_int_equal(rule.inputs[2].item, 2);
	assert_int_equal(rule.inputs[2].width, 8);
	assert_int_equal(rule.inputs[3].bit, DDP_FLOW_PAYLOAD | 8 * 6);
}

// Options that the rule hashes and a packet has not: it is no reason to read behind its end.
TEST(a_raw_rules_options_may_be_absent) {
	const struct piece with[] = {ETH(0x0800), IPV4_AS(0x46, 0, 0xfd, UE, NET, 1, 1, 1, 0), END};
	const struct piece without[] = {ETH(0x0800), IPV4(0xfd, UE, NET), END};
	struct loaded loaded = load_good(NULL);
	uint8_t bytes[PACKET_MAX], mask[PACKET_MAX] = {0}, input[DDP_MAX_INPUT_SIZE];
	unsigned int len = packet_build(with, bytes);
	struct ddp_packet packet = {.data = bytes};
	struct ddp_flow rule;
	struct ddp_flow_set *set;
	struct ddp_flow_hit hit;
	struct ddp_class class;

	memset(mask + len - 4, 0xff, 4);
	rule = raw_rule(&loaded, bytes, mask, len, "");
	set = set_of(&loaded, &rule, 1);
	packet.len = packet.first_len = packet_build(without, bytes);
	ddp_classify(loaded.program, &packet, &class);
	ddp_flow_match(set, &packet, &class, &hit);
	assert_int_equal(rule_hit(&hit, DDP_FLOW_HASH), 0);
	assert_int_equal(ddp_flow_gather(set, &packet, &class, &hit, false, input), 0);
}

// Uplink and downlink of one session are different packets to a NIC.
TEST(a_raw_rule_is_for_one_direction) {
	const struct piece up[] = {
		ETH(0x0800),       IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
		PSC(UPLINK, 9, 0), IPV4(6, UE, NET),   TCP(1, 2),       END};
	const struct piece down[] = {
		ETH(0x0800),         IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
		PSC(DOWNLINK, 8, 0), IPV4(6, UE, NET),   TCP(1, 2),       END};
	struct loaded loaded = load_good("gtpu");
	uint8_t bytes[PACKET_MAX], mask[PACKET_MAX] = {0};
	unsigned int len = packet_build(up, bytes);
	struct ddp_flow rule;
	struct ddp_flow_set *set;

	mask[26] = 0xff;
	rule = raw_rule(&loaded, bytes, mask, len, "");
	set = set_of(&loaded, &rule, 1);
	assert_int_equal(hit_of(&loaded, set, up, DDP_FLOW_HASH), 0);
	assert_int_equal(hit_of(&loaded, set, down, DDP_FLOW_HASH), -1);
}

TEST(a_raw_rule_is_of_a_known_packet_and_a_few_places) {
	// Ethernet, IPv4, UDP; every other bit of the addresses and ports.
	const uint8_t bytes[42] = {[12] = 8, [14] = 0x45, [17] = 28, [22] = 64, [23] = 17};
	uint8_t mask[42] = {0};
	struct loaded loaded = load_good(NULL);

	memset(mask + 26, 0xaa, 12);
	assert_int_equal(raw_rule(&loaded, bytes, mask, 42, "").n_inputs, DDP_MAX_INPUT_SIZE);
	mask[5] = 1;
	raw_rule(&loaded, bytes, mask, 42, "the mask of the raw pattern selects too many fields");
	raw_rule(&loaded, bytes, mask, 4,
		 "the loaded profiles know no packet type for the raw pattern");
}

static const struct reach_row {
	const char *name, *rule, *types; // of gtpu
} reach_rows[] = {
	{"a_rule_for_gtpu_reaches_what_is_in_it", "eth ipv4 udp gtpu",
	 "GTPU GTPU_IPV4 GTPU_IPV4_UDP GTPU_IPV4_TCP GTPU_IPV4_SCTP GTPU_IPV6 GTPU_IPV6_UDP "
	 "GTPU_IPV6_TCP GTPU_IPV6_SCTP"},
	{"a_rule_for_tcp_in_gtpu_reaches_one_type", "eth ipv6 udp gtpu ipv4 tcp", "GTPU_IPV4_TCP"},
	{"a_rule_for_ip_in_gtpu_reaches_no_other_version", "eth ipv4 udp gtpu gtpu_psc ipv6",
	 "GTPU_IPV6 GTPU_IPV6_UDP GTPU_IPV6_TCP GTPU_IPV6_SCTP"},
	{"a_rule_for_tcp_reaches_no_tunnel", "eth ipv4 tcp", "IPV4_TCP"},
	{"a_rule_for_tags_reaches_what_has_them", "eth vlan vlan arp", "ARP"},
};

ROWS_TEST(reaches, reach_rows) {
	const struct reach_row *row = *state;
	const struct ddp_flow rule = rule_of(DDP_FLOW_STEER, row->rule);
	struct loaded loaded = load_good("gtpu");
	struct ddp_flow_set *set = set_of(&loaded, &rule, 1);
	char wanted[400], all[400], word[50];

	snprintf(wanted, sizeof(wanted), " %s ", row->types);
	strcpy(all, " ");
	for (unsigned int i = 0; i < ddp_program_n_types(loaded.program); i++) {
		snprintf(word, sizeof(word), "%s ", ddp_program_type(loaded.program, i)->name);
		if (ddp_flow_set_reaches(set, i))
			strcat(all, word);
	}
	assert_string_equal(all, wanted);
}

TEST(a_rule_for_all_packets_reaches_all) {
	const struct ddp_flow rules[] = {rule_of(DDP_FLOW_STEER, "eth ipv4 tcp"),
					 rule_of(DDP_FLOW_STEER, "")};
	struct loaded loaded = load_good("gtpu");
	struct ddp_flow_set *set = set_of(&loaded, rules, COUNT(rules));

	for (unsigned int i = 0; i < ddp_program_n_types(loaded.program); i++)
		assert_true(ddp_flow_set_reaches(set, i));
}

static void cannot_be_built(const struct ddp_flow *rule, const char *message) {
	struct flow_book book;
	struct loaded loaded = load_good("gtpu");
	struct ddp_diag *diag = diag_new();

	flow_book_init(&book);
	flow_book_add(&book, rule, 1);
	assert_null(flow_book_build(&book, loaded.profile, loaded.program, diag));
	flow_book_fini(&book);
	assert_string_equal(ddp_diag_first(diag), message);
}

TEST(what_no_packet_has_is_an_error) {
	struct ddp_flow rule = rule_of(DDP_FLOW_HASH, "eth ipv4 udp vxlan");

	cannot_be_built(&rule, "error: no loaded profile parses header 'vxlan'");
	rule = rule_of(DDP_FLOW_HASH, "eth udp");
	cannot_be_built(&rule, "error: no packet that the loaded profiles parse has the headers "
			       "eth / udp");
	rule = rule_of(DDP_FLOW_HASH, "eth ipv4 udp");
	value_add(&rule, 2, "checksums", 1);
	cannot_be_built(&rule,
			"error: header 'udp' of profile 'base' has no field 'checksums' of 0 "
			"bits or more");
	rule.n_values = 0;
	input_add(&rule, 1, "src");
	rule.inputs[0].width = 33;
	cannot_be_built(&rule,
			"error: header 'ipv4' of profile 'base' has no field 'src' of 33 bits "
			"or more");
}

TEST(more_than_can_be_hashed_is_an_error) {
	struct ddp_flow rule = rule_of(DDP_FLOW_HASH, "eth ipv6 udp gtpu ipv6 udp");
	struct ddp_flow_set *set;
	struct loaded loaded;

	input_add(&rule, 1, "src");
	input_add(&rule, 4, "src");
	input_add(&rule, 4, "dst");
	input_add(&rule, 4, "next_header");
	cannot_be_built(&rule, "error: 49 bytes to hash are more than 48");
	rule.inputs[3].spare = true;
	loaded = load_good("gtpu");
	set = set_of(&loaded, &rule, 1);
	assert_int_equal(set->groups[0].inputs.n_inputs, 3);
}

// An optional rule is left out where its headers are not parsed; the others are not.
TEST(an_optional_rule_is_left_out) {
	const struct piece packet[] = {ETH(0x0800), IPV4(17, UE, NET), UDP(4789, 4789), DATA, END};
	struct ddp_flow rules[] = {
		rule_of(DDP_FLOW_HASH, "eth ipv4 udp vxlan"),
		rule_of(DDP_FLOW_HASH, "eth ipv4 udp"),
		rule_of(DDP_FLOW_HASH, "eth udp ipv4"),
	};
	struct loaded loaded = load_good("gtpu");
	struct ddp_flow_set *set;

	rules[0].optional = true;
	rules[2].optional = true;
	set = set_of(&loaded, rules, COUNT(rules));
	assert_int_equal(hit_of(&loaded, set, packet, DDP_FLOW_HASH), 1);
}
