/* SPDX-License-Identifier: BSD-3-Clause */
// A profile is proved to end each walk, and warned of rules without use, before any packet meets
// it.
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define HEADERS "profile: t\nheaders:\n"
#define A HEADERS "  a: {first: true, layout: x:8, next: {when: {x: 1}, then: b}}\n"

#define TYPE_A "packet_types:\n  A: {path: a, rss: a.x}\n"

#define NO_END(at)   \
	"t.yaml:" at \
	": error: header 'b' can take no bytes and lead back to itself: a walk would not end\n"
#define SHADOWED(at)                                                                               \
	"t.yaml:" at ": warning: this can never apply: the rule of header 'a' in t.yaml:3 always " \
	"does where this one would\n"

static const struct broken rows[] = {
	{"a_length_smaller_than_the_layout_whatever_its_fields_say",
	 HEADERS "  a: {first: true, layout: x:2 y:14 z:16, length: x}\n",
	 "t.yaml:3:3: error: header 'a': its length is at most 3 bytes, its layout takes 4\n"},
	{"a_constant_length_smaller_than_the_layout",
	 HEADERS "  a: {first: true, layout: x:32 ... y:8, length: 4}\n",
	 "t.yaml:3:3: error: header 'a': its length is at most 4 bytes, its layout takes 5\n"},
	{"a_constant_length_larger_than_the_layout",
	 HEADERS "  a: {first: true, layout: x:32, length: 16}\n", ""},

	{"a_header_of_no_bytes_behind_itself",
	 A "  b: {hidden: true, ahead: n:8, next: {when: {n: 1}, then: b}}\n", NO_END("4:3")},
	{"two_headers_of_no_bytes_behind_each_other",
	 A "  b: {hidden: true, next: c}\n  c: {hidden: true, next: b}\n", NO_END("4:3")},
	{"a_loop_of_no_bytes_through_a_table",
	 "profile: t\ntables: {kind: numbers}\nheaders:\n"
	 "  a: {first: true, layout: x:8, next: b}\n"
	 "  b: {hidden: true, after: kind(7), ahead: n:8, next: kind(n)}\n",
	 NO_END("5:3")},
	{"a_loop_whose_header_may_say_that_it_has_no_bytes",
	 A "  b: {layout: '[a.x ? n:8]', next: b}\n", NO_END("4:3")},
	{"a_loop_whose_length_may_be_0", A "  b: {length: a.x, next: b}\n", NO_END("4:3")},
	{"a_loop_in_which_one_header_has_bytes",
	 A "  b: {hidden: true, next: c}\n  c: {layout: y:8, next: b}\n", ""},
	{"a_header_of_no_bytes_twice_on_the_way_is_no_loop",
	 HEADERS
	 "  a: {first: true, layout: x:8, next: [{when: {x: 1}, then: b}, c]}\n"
	 "  b: {hidden: true, next: d}\n  c: {hidden: true, next: d}\n  d: {hidden: true}\n",
	 ""},

	{"a_header_that_nothing_leads_to",
	 HEADERS "  a: {first: true, layout: x:8}\n  b: {layout: y:8, next: c}\n"
		 "  c: {layout: z:8}\n",
	 "t.yaml:4:3: warning: header 'b' is never reached: nothing leads to it\n"
	 "t.yaml:5:3: warning: header 'c' is never reached: nothing leads to it\n"},
	{"a_hidden_header_that_nothing_leads_to_is_an_offer",
	 HEADERS "  a: {first: true, layout: x:8}\n  b: {hidden: true}\n", ""},
	{"a_rule_behind_one_that_always_applies",
	 HEADERS "  a: {first: true, layout: x:8, next: [b, {when: {x: 1}, then: c}, c]}\n"
		 "  b: {layout: y:8}\n  c: {layout: y:8}\n",
	 "t.yaml:3:43: warning: this can never apply: the rule of header 'a' in t.yaml:3 always "
	 "does\n"},
	{"an_attachment_behind_a_rule_that_always_applies",
	 HEADERS "  a: {first: true, layout: x:8, next: b}\n  b: {layout: y:8}\n",
	 "u.yaml:4:27: warning: this can never apply: the rule of header 'a' in t.yaml:3 always "
	 "does\n",
	 "profile: u\nrequires: [t]\nheaders:\n  c: {layout: y:8, after: a(x=1)}\n", "u"},
	{"a_rule_whose_values_an_earlier_one_takes",
	 HEADERS
	 "  a: {first: true, layout: x:8 y:8, next: [{when: {x: [1, 2]}, then: b}, {when: {x: 2, "
	 "y: 3}, then: c}]}\n  b: {layout: y:8}\n  c: {layout: y:8}\n",
	 SHADOWED("3:74")},
	{"a_rule_whose_value_an_earlier_one_does_not_exclude",
	 HEADERS
	 "  a: {first: true, layout: x:8, next: [{when: {x: not 1}, then: b}, {when: {x: 2}, "
	 "then: c}]}\n  b: {layout: y:8}\n  c: {layout: y:8}\n",
	 SHADOWED("3:69")},
	{"rules_of_which_each_applies_to_something",
	 HEADERS
	 "  a: {first: true, layout: x:8 y:8, next: [{when: {x: not 1}, then: b}, {when: {x: 1}, "
	 "then: c}, {when: {x: not 2}, then: c}, {when: {y: 1}, then: b}]}\n"
	 "  b: {layout: y:8}\n  c: {layout: y:8}\n",
	 ""},
	{"a_header_in_no_packet_type", A "  b: {layout: y:8}\n" TYPE_A,
	 "t.yaml:4:3: warning: header 'b' is in no packet type\n"},
	{"a_hidden_header_in_no_packet_type", A "  b: {hidden: true}\n" TYPE_A, ""},
	{"a_hashed_field_that_comes_before_the_last_ip_header",
	 "profile: t\nrequires: [base]\nheaders: {foo: {after: udp(dport=9), layout: x:8, next: ip}}\n"
	 "packet_types:\n  T:\n    path: link ipv4 udp foo ipv4 tcp\n"
	 "    rss: inner.ipv4.src inner.udp.sport\n",
	 "t.yaml:7:10: warning: no packet of type 'T' has the field 'inner.udp.sport' that is hashed "
	 "here\n"},
	{"a_second_header_that_no_packet_of_the_type_has",
	 A "  b: {layout: y:8}\npacket_types:\n  A: {path: a b, rss: b.y b#2.y}\n",
	 "t.yaml:6:23: warning: no packet of type 'A' has the field 'b#2.y' that is hashed here\n"},
	{"hashed_fields_of_either_path",
	 A "  b: {layout: y:8, next: b}\npacket_types:\n  A: {path: a | a b+, rss: a.x b#2.y}\n",
	 ""},
	{"a_stop_behind_everything",
	 A "  b: {layout: y:8, next: [{when: {y: 1}, then: c}, stop]}\n  c: {layout: z:8}\n", ""},
};

static struct ddp_profile *load(struct ddp_diag *diag, const char *text) {
	struct ddp_profile *profile;

	scratch_write_text("t.yaml", text);
	ddp_diag_init(diag);
	profile = ddp_profile_load("t", diag);
	assert_string_equal(ddp_diag_first(diag), "");
	return profile;
}

static const struct size {
	const char *name;
	const char *layout;
	uint32_t min, max;
} sizes[] = {
	{"a_plain_layout", "layout: x:8 y:24", 4, 4},
	{"optional_fields", "layout: 'x:8 [x ? y:16] [y ? z:8]'", 1, 4},
	{"a_length_in_words", "layout: x:4 y:12 ..., length: 4 * x", 2, 60},
	{"a_length_with_its_own_least", "layout: x:8 ..., length: 8 + 8 * x", 8, 2048},
	{"a_length_chosen_by_a_flag", "layout: x:1 y:7 ..., length: 4 + 8 * x", 4, 12},
	{"no_bytes_at_all", "hidden: true", 0, 0},
};

static void sizes_are(void **state) {
	const struct size *row = *state;
	struct ddp_profile *profile;
	struct ddp_diag diag;
	char text[200];

	snprintf(text, sizeof(text), HEADERS "  a: {first: true, %s}\n", row->layout);
	profile = load(&diag, text);
	assert_int_equal(profile->headers[0].min_size, row->min);
	assert_int_equal(profile->headers[0].max_size, row->max);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&diag);
}

// The range proved for a length shows in the header's sizes.
static const struct size ranges[] = {
	{"a_sum", "layout: x:4 y:4, length: 1 + x + y", 1, 31},
	{"a_difference", "layout: x:4 y:4, length: 20 - x", 5, 20},
	{"a_product", "layout: x:4 y:4, length: (x + 1) * (y + 2)", 2, 272},
	{"a_shift_to_the_left", "layout: x:4 y:4, length: 1 + (x << 2)", 1, 61},
	{"a_shift_to_the_right", "layout: x:4 y:4, length: 1 + (x >> 2)", 1, 4},
	{"bits_of_both", "layout: x:4 y:4, length: 1 + (x & 6)", 1, 7},
	{"bits_of_either", "layout: x:4 y:4, length: x | 32", 32, 63},
	{"a_comparison", "layout: x:4 y:4, length: 1 + (x > y) + (x == 3)", 1, 3},
	{"logic", "layout: x:4 y:4, length: 1 + (x and y or not x)", 1, 2},
};

TEST(tables_are_sorted) {
	struct ddp_profile *profile;
	struct ddp_diag diag;

	profile = load(&diag, "profile: t\ntables: {kind: numbers}\nheaders:\n"
			      "  a: {first: true, layout: x:8, next: kind(x)}\n"
			      "  b: {layout: y:8, after: 'kind(9, 3, 0xffffffffffffffff, 5)'}\n"
			      "  c: {layout: y:8, after: 'kind(4, 0)'}\n");
	assert_int_equal(profile->tables[0].n_entries, 6);
	for (unsigned int i = 1; i < 6; i++)
		assert_true(profile->tables[0].entries[i - 1].value <
			    profile->tables[0].entries[i].value);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&diag);
}

ROWS(broken_is_reported, rows)
ROWS(sizes_are, sizes)
ROWS(sizes_are, ranges)
