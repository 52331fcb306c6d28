/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types that get in each other's way, and those that no packet can be.
#include "scratch.h"
#include "unit.h"

// Each header is in a packet type, so that no row is warned of that.
#define HEADERS                                                                                                \
	"profile: t\n"                                                                                         \
	"headers: {a: {first: true, layout: x:8, next: [{when: {x: 1}, then: b}, {when: {x: 2}, then: c}]},\n" \
	"  b: {layout: y:8, next: {when: {y: 1}, then: c}},\n"                                                 \
	"  c: {layout: z:8, next: {when: {z: 1}, then: b}}}\n"                                                 \
	"packet_types:\n"                                                                                      \
	"  ALL: {path: a b c b c b, priority: 9}\n"
#define U(types) "profile: u\nrequires: [t]\npacket_types:\n" types

static const struct broken rows[] = {
	{"two_types_of_one_path", HEADERS "  ONE: {path: a b}\n  TWO: {path: a b}\n",
	 "t.yaml:8:3: error: packet type 'TWO' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a b'; give one of them a priority\n"},
	{"types_of_two_profiles_name_both", HEADERS "  ONE: {path: a b}\n",
	 "u.yaml:4:3: error: packet type 'TWO' (profile 'u') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a b'; give one of them a priority\n",
	 U("  TWO: {path: a b?}\n"), "u"},
	{"the_path_where_they_meet_is_told",
	 HEADERS "  ONE: {path: a (b | c)+}\n  TWO: {path: a c b c}\n",
	 "t.yaml:8:3: error: packet type 'TWO' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a c b c'; give one of them a priority\n"},
	{"two_types_that_meet_in_many_paths_are_told_once",
	 HEADERS "  ONE: {path: a b?}\n  TWO: {path: a b?}\n",
	 "t.yaml:8:3: error: packet type 'TWO' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a'; give one of them a priority\n"},
	{"three_types_of_one_path",
	 HEADERS "  ONE: {path: a}\n  TWO: {path: a}\n  THREE: {path: a}\n",
	 "t.yaml:8:3: error: packet type 'TWO' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a'; give one of them a priority\n"
	 "t.yaml:9:3: error: packet type 'THREE' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a'; give one of them a priority\n"
	 "t.yaml:9:3: error: packet type 'THREE' (profile 't') and 'TWO' in t.yaml:8 (profile 't') both "
	 "match 'a'; give one of them a priority\n"},
	{"conditions_of_two_profiles_that_can_both_hold",
	 HEADERS "  ONE: {path: a, when: {a.x: 0x10/0xf0}}\n",
	 "u.yaml:4:3: error: packet type 'TWO' (profile 'u') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a'; give one of them a priority\n",
	 U("  TWO: {path: a, when: {a.x: 0x01/0x0f}}\n"), "u"},

	{"a_priority_decides", HEADERS "  ONE: {path: a b}\n  TWO: {path: a b, priority: 1}\n", ""},
	{"a_condition_of_one_decides",
	 HEADERS "  ONE: {path: a b}\n  TWO: {path: a b, when: {b.y: 1}}\n", ""},
	{"conditions_of_one_profile_have_an_order",
	 HEADERS
	 "  ONE: {path: a b, when: {b.y: [1, 2]}}\n  TWO: {path: a b, when: {b.y: [2, 3]}}\n",
	 ""},
	{"conditions_of_two_profiles_that_exclude_each_other",
	 HEADERS "  ONE: {path: a, when: {a.x: 1}}\n", "", U("  TWO: {path: a, when: {a.x: 2}}\n"),
	 "u"},
	{"paths_that_no_packet_takes_do_not_conflict",
	 HEADERS "  ONE: {path: a b? b}\n  TWO: {path: a (b | b b)}\n",
	 "t.yaml:8:3: error: packet type 'TWO' (profile 't') and 'ONE' in t.yaml:7 (profile 't') both "
	 "match 'a b'; give one of them a priority\n"},
	{"a_path_that_no_packet_takes", HEADERS "  ONE: {path: a}\n  TWO: {path: a b b}\n",
	 "t.yaml:8:3: warning: packet type 'TWO' never matches: no packet takes its path\n"},
	{"a_path_that_does_not_begin_where_packets_do", HEADERS "  ONE: {path: b c}\n",
	 "t.yaml:7:3: warning: packet type 'ONE' never matches: no packet takes its path\n"},
	{"a_path_of_nothing", HEADERS "  ONE: {path: a? b?}\n  TWO: {path: (b c)*}\n",
	 "t.yaml:8:3: warning: packet type 'TWO' never matches: no packet takes its path\n"},
	{"repeats_of_repeats", HEADERS "  ONE: {path: ((a b?)*? (c+ b*)*)+}\n", ""},
	{"no_packet_types_at_all", "profile: t\nheaders: {a: {first: true, layout: x:8}}\n", ""},
};

// Which of the last 16 headers were b? Only 2^16 states could tell.
TEST(too_many_paths_are_refused_not_tried) {
	struct broken row = {
		.text = "profile: t\n"
			"headers:\n"
			"  a: {first: true, layout: x:8, next: [{when: {x: 1}, then: a}, b]}\n"
			"  b: {layout: y:8, next: [{when: {y: 1}, then: a}, b]}\n"
			"paths: {one: a | b, two: (one) (one), four: two two, eight: four four}\n"
			"packet_types: {ONE: {path: (one)* b eight eight}}\n",
		.messages = "t.yaml: error: the packet types have too many paths together\n",
	};

	*state = &row;
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

	fputs(HEADERS, out);
	for (unsigned int i = 0; i < 160; i++) {
		fprintf(out, "  T%u: {path: a", i);
		for (unsigned int n = 1; n < 200; n++)
			fputs(n % 2 == 0 ? " b" : " c", out);
		fputs("}\n", out);
	}
	fclose(out);
	row.text = text;
	*state = &row;
	broken_is_reported(state);
	free(text);
}

ROWS(broken_is_reported, rows)
