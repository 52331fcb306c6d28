/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_mbuf_ptype.h>

#include "base/rte_ptype.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define HEADERS                                                                                      \
	"profile: t\n"                                                                               \
	"headers:\n"                                                                                 \
	"  alpha: {first: true, layout: x:8 y:16 v:128, next: {when: {x: 1}, then: beta}}\n"         \
	"  beta: {layout: k:8 m:40, next: [{when: {k: 1}, then: gamma}, hid]}\n"                     \
	"  gamma: {layout: p:16, ahead: n:4}\n"                                                      \
	"  hid: {hidden: true, next: gamma}\n"                                                       \
	"paths: {part: alpha beta?, again: alpha again, one: alpha two, two: beta one, bad: 'alpha " \
	"beta)', gamma: alpha, whole: part}\n"                                                       \
	"packet_types:\n"
#define TYPE(text) HEADERS "  A: {" text "}\n"                      // line 9, column 7
#define PATH(path) TYPE("path: " path)                              // column 13
#define RSS(rss) HEADERS "  A: {path: alpha, rss: " rss "}\n"       // column 25
#define SETS(sets) HEADERS "  A: {path: alpha}\ninput_sets:\n" sets // line 11, column 6

#define TEN "(((((((((("

static const struct broken rows[] = {
	{"a_misspelt_header", PATH("alpha bta"),
	 "t.yaml:9:19: error: unknown header or path 'bta'; did you mean 'beta'?\n"},
	{"a_misspelt_name_of_a_path", PATH("prt"),
	 "t.yaml:9:13: error: unknown header or path 'prt'; did you mean 'part'?\n"},
	{"a_hidden_header", PATH("alpha hid"),
	 "t.yaml:9:19: error: 'hid' is hidden: it cannot be part of a path\n"},
	{"a_path_within_itself", PATH("again"),
	 "t.yaml:7:41: error: path 'again' contains itself\n"},
	{"two_paths_within_each_other", PATH("one"),
	 "t.yaml:7:74: error: path 'one' contains itself\n"},
	{"a_path_with_a_header_of_the_same_name", PATH("alpha gamma"),
	 "t.yaml:7:99: error: path 'gamma': a header in t.yaml:5 has this name\n"},
	{"a_mistake_in_a_named_path_is_told_where_it_is", PATH("bad"),
	 "t.yaml:7:95: error: expected a header, found ')'\n"},
	{"a_bracket_that_is_not_closed", PATH("alpha (beta"),
	 "t.yaml:9:24: error: expected ')', found the end\n"},
	{"a_bracket_that_was_not_opened", PATH("alpha beta)"),
	 "t.yaml:9:23: error: expected a header, found ')'\n"},
	{"an_empty_bracket", PATH("alpha ()"),
	 "t.yaml:9:20: error: expected a header, found ')'\n"},
	{"an_alternative_that_is_missing", PATH("alpha | "),
	 "t.yaml:9:20: error: expected a header, found the end\n"},
	{"nothing_to_repeat", PATH("\"* alpha\""),
	 "t.yaml:9:14: error: expected a header, found '*'\n"},
	{"a_number_of_repeats", PATH("alpha 3"),
	 "t.yaml:9:19: error: expected a header, found '3'\n"},
	{"a_field_in_a_path", PATH("alpha.x"),
	 "t.yaml:9:13: error: unknown header or path 'alpha.x'; did you mean 'alpha'?\n"},
	{"24_brackets_are_enough", PATH(TEN TEN "((((alpha))))))))))))))))))))))))"),
	 "t.yaml:4:3: warning: header 'beta' is in no packet type\n"
	 "t.yaml:5:3: warning: header 'gamma' is in no packet type\n"},
	{"25_brackets", PATH(TEN TEN "(((((alpha)))))))))))))))))))))))))"),
	 "t.yaml:9:37: error: nested too deep\n"},
	{"24_brackets_around_a_path_of_a_path", PATH(TEN TEN "((((whole))))))))))))))))))))))))"),
	 "t.yaml:7:120: error: path 'part': nested too deep\n"},
	{"no_path", TYPE("rss: alpha.x"), "t.yaml:9:3: error: packet type 'A' has no 'path'\n"},
	{"an_empty_path", PATH("''"),
	 "t.yaml:9:13: error: expected a path such as 'eth vlan* ipv4 udp', found nothing\n"},
	{"a_list_as_path", PATH("[alpha]"),
	 "t.yaml:9:13: error: expected a path such as 'eth vlan* ipv4 udp', found a list\n"},

	{"a_word_as_packet_type", HEADERS "  A: alpha\n",
	 "t.yaml:9:6: error: expected a packet type with a 'path', found a word\n"},
	{"a_list_of_packet_types", "profile: t\npacket_types: [A]\nheaders: {a: {first: true}}\n",
	 "t.yaml:2:15: error: expected packet types by name, found a list\n"},
	{"a_misspelt_key", TYPE("pth: alpha"),
	 "t.yaml:9:7: error: unknown key of a packet type: 'pth'; did you mean 'path'?\n"},
	{"a_name_with_a_space", HEADERS "  A B: {path: alpha}\n",
	 "t.yaml:9:3: error: packet type 'A B': a name has 1 to 63 letters, digits, '_' or '-'\n"},
	{"the_names_of_none", HEADERS "  none: {path: alpha}\n  UNKNOWN: {path: alpha beta}\n",
	 "t.yaml:9:3: error: packet type 'none': packets without a packet type are called so\n"
	 "t.yaml:10:3: error: packet type 'UNKNOWN': packets without a packet type are called so\n"},
	{"a_name_of_64_letters",
	 HEADERS "  ABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCD: "
		 "{path: alpha}\n",
	 "t.yaml:9:3: error: packet type "
	 "'ABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCD': a name has 1 to 63 "
	 "letters, digits, '_' or '-'\n"},
	{"a_packet_type_of_two_profiles", PATH("alpha"),
	 "u.yaml:3:16: error: packet type 'A' (profile 'u') is already in t.yaml:9 (profile 't')\n",
	 "profile: u\nrequires: [t]\npacket_types: {A: {path: alpha beta}}\n", "u"},
	{"a_priority_that_is_no_number", TYPE("path: alpha, priority: high"),
	 "t.yaml:9:30: error: priority 'high': a number from -1000 to 1000\n"},
	{"a_list_as_priority", TYPE("path: alpha, priority: [1]"),
	 "t.yaml:9:30: error: expected a number, found a list\n"},
	{"a_priority_that_is_too_high", TYPE("path: alpha, priority: 1001"),
	 "t.yaml:9:30: error: priority '1001': a number from -1000 to 1000\n"},
	{"a_priority_with_something_behind", TYPE("path: alpha, priority: 1st"),
	 "t.yaml:9:30: error: priority '1st': a number from -1000 to 1000\n"},
	{"a_misspelt_ptype", TYPE("path: alpha, ptype: L2_ETHR L3_IPV4"),
	 "t.yaml:9:27: error: unknown packet type word 'L2_ETHR'; did you mean 'L2_ETHER'?\n"},
	{"a_list_as_ptype", TYPE("path: alpha, ptype: [L2_ETHER]"),
	 "t.yaml:9:27: error: expected packet type words such as L3_IPV4, found a list\n"},
	{"a_sign_in_a_ptype", TYPE("path: alpha, ptype: L2_ETHER | L3_IPV4"),
	 "t.yaml:9:36: error: expected a packet type word, found '|'\n"},
	{"a_condition_without_a_header", TYPE("path: alpha, when: {x: 1}"),
	 "t.yaml:9:27: error: field 'x': of which header? (header.field)\n"},
	{"a_condition_on_what_is_ahead", TYPE("path: alpha, when: {gamma.n: 1}"),
	 "t.yaml:9:27: error: 'gamma.n' is look-ahead: only the header's own 'next' may use it\n"},
	{"the_zeroth_header", TYPE("path: alpha, when: {'alpha#0.x': 1}"),
	 "t.yaml:9:27: error: 'alpha#0.x': after '#' comes which one it is, from 1\n"},
	{"a_header_numbered_with_a_word", TYPE("path: alpha, when: {'alpha#two.x': 1}"),
	 "t.yaml:9:27: error: 'alpha#two.x': after '#' comes which one it is, from 1\n"},
	{"the_second_inner_header", TYPE("path: alpha, when: {'inner.alpha#2.x': 1}"),
	 "t.yaml:9:27: error: 'inner.alpha#2.x': after '#' comes which one it is, from 1\n"},
	{"an_inner_field_without_its_header", TYPE("path: alpha, when: {inner.x: 1}"),
	 "t.yaml:9:27: error: 'inner.x' is not of the form header.field\n"},

	{"a_field_hashed_without_its_header", RSS("x"),
	 "t.yaml:9:25: error: field 'x': of which header? (header.field)\n"},
	{"a_misspelt_header_hashed", RSS("alpha.x alhpa.y"),
	 "t.yaml:9:33: error: unknown header 'alhpa'; did you mean 'alpha'?\n"},
	{"a_misspelt_field_hashed", RSS("beta.kk"),
	 "t.yaml:9:25: error: unknown field of header 'beta' 'kk'; did you mean 'k'?\n"},
	{"fields_with_a_comma_between", RSS("'alpha.x, alpha.y'"),
	 "t.yaml:9:33: error: expected a field, found ','\n"},
	{"what_is_ahead_hashed", RSS("gamma.n"),
	 "t.yaml:9:25: error: 'gamma.n' is look-ahead: only the header's own 'next' may use it\n"},
	{"a_mask_with_a_gap", RSS("alpha.y/0xff0f"),
	 "t.yaml:9:33: error: 'alpha.y/0xff0f': expected a number of leading bits, 1 to 16, or a mask of "
	 "bits side by side, such as 0x3c\n"},
	{"a_mask_without_a_bit", RSS("alpha.y/0x0"),
	 "t.yaml:9:33: error: 'alpha.y/0x0': expected a number of leading bits, 1 to 16, or a mask of "
	 "bits side by side, such as 0x3c\n"},
	{"a_prefix_longer_than_its_field", RSS("alpha.y/24"),
	 "t.yaml:9:33: error: 'alpha.y/24': expected a number of leading bits, 1 to 16, or a mask of "
	 "bits side by side, such as 0x3c\n"},
	{"a_prefix_of_0", RSS("alpha.y/0"),
	 "t.yaml:9:33: error: 'alpha.y/0': expected a number of leading bits, 1 to 16, or a mask of "
	 "bits side by side, such as 0x3c\n"},
	{"a_prefix_that_is_missing", RSS("alpha.y/"),
	 "t.yaml:9:33: error: 'alpha.y/': expected a number of leading bits, 1 to 16, or a mask of "
	 "bits side by side, such as 0x3c\n"},
	{"a_mask_wider_than_its_field", RSS("alpha.y/0x10000"),
	 "t.yaml:9:33: error: '0x10000' does not fit 16 bits\n"},
	{"48_bytes_are_hashed", RSS("alpha.v alpha.v alpha.v"),
	 "t.yaml:4:3: warning: header 'beta' is in no packet type\n"
	 "t.yaml:5:3: warning: header 'gamma' is in no packet type\n"},
	{"49_bytes_are_too_many", RSS("alpha.v alpha.v alpha.v alpha.x"),
	 "t.yaml:9:25: error: this input set takes 49 bytes, a hash covers at most 48\n"},
	{"nothing_hashed", RSS("''"),
	 "t.yaml:9:25: error: expected fields such as 'ipv4.src ipv4.dst', found nothing\n"},
	{"only_spaces_hashed", RSS("' '"), "t.yaml:9:25: error: an input set without a field\n"},
	{"a_header_that_the_type_does_not_have_hashed", RSS("gamma.p"),
	 "t.yaml:9:25: error: packet type 'A' has none of the headers that are hashed here\n"},
	{"a_set_without_hash", RSS("{when: {alpha.x: 1}}"),
	 "t.yaml:9:25: error: an input set without 'hash'\n"},
	{"a_set_with_a_misspelt_key", RSS("{hsah: alpha.x}"),
	 "t.yaml:9:26: error: unknown key of an input set: 'hsah'; did you mean 'hash'?\n"},
	{"a_set_in_a_list_of_lists", RSS("[[alpha.x]]"),
	 "t.yaml:9:26: error: expected an input set such as {when: {...}, hash: ipv4.src}, found a "
	 "list\n"},
	{"an_unknown_rss_type", RSS("{rss_hf: ipv4 ipv7, hash: alpha.x}"),
	 "t.yaml:9:39: error: unknown RSS type 'ipv7'; did you mean 'ipv4'?\n"},
	{"a_list_of_rss_types", RSS("{rss_hf: [ipv4], hash: alpha.x}"),
	 "t.yaml:9:34: error: expected RSS types such as 'ipv4-udp ipv4', found a list\n"},

	{"more_than_32_bits_extracted", TYPE("path: alpha beta, extract: beta.m"),
	 "t.yaml:9:34: error: 'beta.m' has 40 bits: the first field extracted goes into the mbuf and "
	 "has at most 32\n"},
	{"a_prefix_of_more_than_32_bits_extracted", TYPE("path: alpha beta, extract: alpha.v/40"),
	 "t.yaml:9:34: error: 'alpha.v/40' has 40 bits: the first field extracted goes into the mbuf "
	 "and has at most 32\n"},
	{"a_field_of_another_path_extracted", TYPE("path: alpha, extract: beta.k"),
	 "t.yaml:9:3: error: packet type 'A' extracts 'beta.k', but its path has no such header\n"},
	{"a_prefix_of_32_bits_extracted", TYPE("path: alpha, extract: alpha.v/32"),
	 "t.yaml:4:3: warning: header 'beta' is in no packet type\n"
	 "t.yaml:5:3: warning: header 'gamma' is in no packet type\n"},
	{"more_bits_extracted_behind_the_first", TYPE("path: alpha beta, extract: beta.k beta.m"),
	 "t.yaml:5:3: warning: header 'gamma' is in no packet type\n"},

	{"a_set_for_a_misspelt_packet_type", SETS("  s: {B: alpha.x}\n"),
	 "t.yaml:11:7: error: unknown packet type 'B'\n"},
	{"a_set_for_a_pattern_that_no_packet_type_fits", SETS("  s: {B*: alpha.x}\n"),
	 "t.yaml:11:7: error: unknown packet type 'B*'\n"},
	{"a_set_with_a_misspelt_field", SETS("  s: {A: alpha.z}\n"),
	 "t.yaml:11:10: error: unknown field of header 'alpha' 'z'\n"},
	{"a_set_that_is_not_chosen_is_read_all_the_same",
	 SETS("  s: {A: alpha.x}\n  r: {A: alpha.z}\n"),
	 "t.yaml:12:10: error: unknown field of header 'alpha' 'z'\n", NULL, "t:s"},
	{"a_set_that_is_a_word", SETS("  s: alpha.x\n"),
	 "t.yaml:11:6: error: expected packet types and what to hash for them, found a word\n"},
	{"sets_that_are_a_list", HEADERS "  A: {path: alpha}\ninput_sets: [s]\n",
	 "t.yaml:10:13: error: expected input sets by name, found a list\n"},
	{"a_set_that_hashes_what_the_type_does_not_have", SETS("  s: {A: beta.k}\n"),
	 "t.yaml:11:10: error: packet type 'A' has none of the headers that are hashed here\n",
	 NULL, "t:s"},
};

static char *text_of(unsigned int n_steps, unsigned int n_types) {
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("profile: t\nheaders: {a: {first: true, layout: x:8, next: {when: {x: 1}, then: a}}}\n"
	      "packet_types:\n",
	      out);
	for (unsigned int i = 0; i < n_types; i++) {
		fprintf(out, "  T%u: {when: {a.x: 1}, path: a", i);
		for (unsigned int step = 1; step < n_steps; step++)
			fputs(" a", out);
		fputs("}\n", out);
	}
	fclose(out);
	return text;
}

static void text_is(unsigned int n_steps, unsigned int n_types, const char *messages) {
	char *text = text_of(n_steps, n_types);
	struct broken row = {.text = text, .messages = messages};
	void *state = &row;

	broken_is_reported(&state);
	free(text);
}

TEST(a_path_of_200_steps_is_long_enough) {
	text_is(200, 1, "");
	text_is(201, 1, "t.yaml:4:431: error: this path is too long\n");
}

TEST(a_thousand_packet_types_are_enough) {
	text_is(1, DDP_MAX_TYPES, "");
	text_is(1, DDP_MAX_TYPES + 1, "t.yaml:1004:3: error: more than 1000 packet types\n");
}

ROWS(broken_is_reported, rows)

// The words of `ptype:` are DPDK's: a wrong bit makes an application take one packet for another.
static const struct word {
	const char *name;
	uint32_t ours, dpdk;
} words[] = {
#define X(name, bits) {#name, bits, RTE_PTYPE_##name},
	DDP_RTE_PTYPES(X)
#undef X
		{"L2_MASK", DDP_RTE_PTYPE_L2_MASK, RTE_PTYPE_L2_MASK},
	{"L3_MASK", DDP_RTE_PTYPE_L3_MASK, RTE_PTYPE_L3_MASK},
	{"L4_MASK", DDP_RTE_PTYPE_L4_MASK, RTE_PTYPE_L4_MASK},
	{"TUNNEL_MASK", DDP_RTE_PTYPE_TUNNEL_MASK, RTE_PTYPE_TUNNEL_MASK},
	{"OUTER_MASK", DDP_RTE_PTYPE_OUTER_MASK,
	 RTE_PTYPE_L2_MASK | RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK | RTE_PTYPE_TUNNEL_MASK},
	{"INNER_L2_MASK", DDP_RTE_PTYPE_INNER_L2_MASK, RTE_PTYPE_INNER_L2_MASK},
	{"INNER_L3_MASK", DDP_RTE_PTYPE_INNER_L3_MASK, RTE_PTYPE_INNER_L3_MASK},
	{"INNER_L4_MASK", DDP_RTE_PTYPE_INNER_L4_MASK, RTE_PTYPE_INNER_L4_MASK},
	{"INNER_MASK", DDP_RTE_PTYPE_INNER_MASK,
	 RTE_PTYPE_INNER_L2_MASK | RTE_PTYPE_INNER_L3_MASK | RTE_PTYPE_INNER_L4_MASK},
};

ROWS_TEST(is_dpdks, words) {
	const struct word *row = *state;

	assert_int_equal(row->ours, row->dpdk);
}
