/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rss_hf.h"
#include "classify/classify.h"
#include "corpus.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

// Each header is in a packet type, so that no row is warned of that.
#define HEADERS                                                                                                \
	"profile: t\n"                                                                                         \
	"headers: {a: {first: true, layout: x:8, next: [{when: {x: 1}, then: b}, {when: {x: 2}, then: c}]},\n" \
	"  b: {layout: y:8, next: {when: {y: 1}, then: c}},\n"                                                 \
	"  c: {layout: z:8, next: {when: {z: 1}, then: b}}}\n"                                                 \
	"packet_types: {ALL: {path: a b c b c b, priority: 9}, @}\n"
#define MEET(type, profile, other, path)                                                       \
	"packet type '" type "' (profile '" profile "') and '" other "' in t.yaml:5 (profile " \
	"'t') both match '" path "'; give one of them a priority"
#define NEVER(type) "warning: packet type '" type "' never matches: no packet takes its path"
#define U(types) "profile: u\nrequires: [t]\npacket_types: {" types "}\n"

static const struct part types[] = {
	{"ONE: {path: a b}, TWO: {path: a b}", "5:73", MEET("TWO", "t", "ONE", "a b")},
	{"ONE: {path: a b}", "u.yaml:3:16", MEET("TWO", "u", "ONE", "a b"), U("TWO: {path: a b?}")},
	{"ONE: {path: a (b | c)+}, TWO: {path: a c b c}", "5:80",
	 MEET("TWO", "t", "ONE", "a c b c")},
	// that meet in many paths
	{"ONE: {path: a b?}, TWO: {path: a b?}", "5:74", MEET("TWO", "t", "ONE", "a")},
	// conditions that can both hold
	{"ONE: {path: a, when: {a.x: 0x10/0xf0}}", "u.yaml:3:16", MEET("TWO", "u", "ONE", "a"),
	 U("TWO: {path: a, when: {a.x: 0x01/0x0f}}")},
	{"ONE: {path: a b}, TWO: {path: a b, priority: 1}"},
	{"ONE: {path: a b}, TWO: {path: a b, when: {b.y: 1}}"},
	{"ONE: {path: a b, when: {b.y: [1, 2]}}, TWO: {path: a b, when: {b.y: [2, 3]}}"},
	{"ONE: {path: a, when: {a.x: 1}}", NULL, NULL, U("TWO: {path: a, when: {a.x: 2}}")},
	// paths that no packet takes do not conflict
	{"ONE: {path: a b? b}, TWO: {path: a (b | b b)}", "5:76", MEET("TWO", "t", "ONE", "a b")},
	{"ONE: {path: a}, TWO: {path: a b b}", "5:71", NEVER("TWO")},
	{"ONE: {path: b c}", "5:55", NEVER("ONE")},
	{"ONE: {path: a? b?}, TWO: {path: (b c)*}", "5:75", NEVER("TWO")},
	{"ONE: {path: ((a b?)*? (c+ b*)*)+}"},
};

PARTS(types, HEADERS)

#define LINE(column, type, other) "t.yaml:5:" column ": error: " MEET(type, "t", other, "a") "\n"

static const struct broken rows[] = {
	{"three_types_of_one_path",
	 "profile: t\nheaders: {a: {first: true, layout: x:8}}\npacket_types: {\n\n"
	 "  ONE: {path: a}, TWO: {path: a}, THREE: {path: a}}\n",
	 LINE("19", "TWO", "ONE") LINE("35", "THREE", "ONE") LINE("35", "THREE", "TWO")},
	// Which of the last 16 headers were b? Only 2^16 states could say.
	{"too_many_paths_are_refused_not_tried",
	 "profile: t\nheaders:\n"
	 "  a: {first: true, layout: x:8, next: [{when: {x: 1}, then: a}, b]}\n"
	 "  b: {layout: y:8, next: [{when: {y: 1}, then: a}, b]}\n"
	 "paths: {one: a | b, two: (one) (one), four: two two, eight: four four}\n"
	 "packet_types: {ONE: {path: (one)* b eight eight}}\n",
	 "t.yaml: error: the packet types have too many paths together\n"},
	{"no_packet_types_at_all", "profile: t\nheaders: {a: {first: true, layout: x:8}}\n", ""},
};

ROWS_TEST(is_reported, rows) {
	broken_is_reported(state);
}

// 160 packet types, each of a path of 200 headers.
TEST(too_long_paths_are_refused) {
	struct broken row = {
		.messages = "t.yaml: error: the paths of all packet types are too long together\n",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%.*s", (int)strcspn(HEADERS, "@"), HEADERS);
	for (unsigned int i = 0; i < 160; i++) {
		fprintf(out, "T%u: {path: a", i);
		for (unsigned int n = 1; n < 200; n++)
			fputs(n % 2 == 0 ? " b" : " c", out);
		fputs("}, ", out);
	}
	fputs("}\n", out);
	fclose(out);
	row.text = text;
	*state = &row;
	broken_is_reported(state);
	free(text);
}

TEST(packet_types_are_numbered_from_1_in_the_order_of_the_profile) {
	struct loaded loaded = load_good("gtpu");
	unsigned int n = ddp_program_n_types(loaded.program);

	assert_int_equal(n, loaded.profile->n_types);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_type_info *type = ddp_program_type(loaded.program, i);

		assert_int_equal(type->id, i + 1);
		assert_string_equal(type->name, loaded.profile->types[i].name);
		assert_int_equal(type->hashed, loaded.profile->types[i].n_sets > 0);
	}
}

TEST(no_packet_type_is_called_unknown) {
	struct loaded loaded = load_good("base");
	const struct ddp_type_info *type = ddp_program_type(loaded.program, DDP_TYPE_NONE);

	assert_string_equal(type->name, "UNKNOWN");
	assert_int_equal(type->id, 0);
	assert_false(type->hashed);
	assert_ptr_equal(ddp_program_type(loaded.program, ddp_program_n_types(loaded.program)),
			 type);
}

TEST(headers_keep_their_names_when_the_profile_is_gone) {
	struct ddp_profile *profile = ddp_profile_load("base", diag_new());
	struct ddp_program *program = ddp_program_build(profile, diag_new());
	uint8_t first = profile->first;

	ddp_profile_destroy(profile);
	assert_string_equal(ddp_program_node(program, first)->token, "eth");
	assert_false(ddp_program_node(program, first)->hidden);
	assert_string_equal(ddp_program_type(program, 0)->name, "ETH");
	ddp_program_destroy(program);
}

// A port offers what its program knows (flow_type_rss_offloads).
TEST(base_knows_the_rss_types_of_a_fixed_function_nic) {
	struct loaded loaded = load_good("base");
	const char *unknown;
	size_t unknown_len;
	uint64_t bits;

	assert_int_equal(ddp_rss_hf_parse("ip+udp+tcp+sctp", &bits, &unknown, &unknown_len), 0);
	assert_true(loaded.profile->by_rss_hf);
	assert_int_equal(ddp_program_rss_hf(loaded.program), bits);
	loaded = load_good("gtpu");
	assert_false(loaded.profile->by_rss_hf);
}

// Before any packet is seen: what rte_eth_dev_get_supported_ptypes() is made of.
TEST(a_types_packet_type_is_that_of_its_shortest_path) {
	struct loaded loaded;

	scratch_write_text("t.yaml",
			   "profile: t\nheaders:\n"
			   "  a: {first: true, layout: x:8, ptype: L2_ETHER, next: [{when: {x: 1}, "
			   "then: b}, c]}\n"
			   "  b: {layout: x:8, ptype: L3_IPV6, next: c}\n"
			   "  c: {layout: x:8, ptype: L3_IPV4}\n"
			   "packet_types:\n"
			   "  LONG: {path: a b+ c?}\n"
			   "  SHORT: {path: a b* c, ptype: L4_UDP, priority: 1}\n");
	loaded = load_good("t");
	assert_int_equal(ddp_program_type(loaded.program, 0)->rte_ptype, 0x41);
	assert_int_equal(ddp_program_type(loaded.program, 1)->rte_ptype, 0x211);
}

TEST(no_program_can_be_destroyed) {
	ddp_program_destroy(NULL);
	ddp_profile_destroy(NULL);
}
