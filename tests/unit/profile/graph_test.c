/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"
#include "unit.h"

// The profile's own text begins in line 7.
#define HEADERS                                   \
	"profile: t\n"                            \
	"parameters: {port: 5, word: http}\n"     \
	"tables: {kind: what follows}\n"          \
	"headers:\n"                              \
	"  zip: {layout: k:8, after: a(x=250)}\n" \
	"  b: {layout: k:8, after: kind(1)}\n"
#define NEXT(next) \
	HEADERS "  a: {first: true, layout: x:8 y:8 v:128, next: " next "}\n" // column 48
#define AFTER(after)                                                   \
	HEADERS "  a: {first: true, layout: x:8 y:8, next: kind(y)}\n" \
		"  c: {layout: k:8, after: " after "}\n" // line 8, column 27
#define U(headers) "profile: u\nrequires: [t]\n" headers

#define SAME_CASE(at)                                                                         \
	"u.yaml:" at ": error: 'd' (profile 'u') comes after 'a' in the same case as 'c' in " \
	"t.yaml:8 (profile 't')\n"
#define D_AFTER(after) U("headers:\n  d: {layout: k:8, after: " after "}\n")

static const struct broken rows[] = {
	{"a_misspelt_header", NEXT("zap"),
	 "t.yaml:7:49: error: unknown header or table 'zap'; did you mean 'zip'?\n"},
	{"a_misspelt_table", NEXT("kinds(x)"),
	 "t.yaml:7:49: error: unknown header or table 'kinds'; did you mean 'kind'?\n"},
	{"a_misspelt_stop", NEXT("stp"),
	 "t.yaml:7:49: error: unknown header or table 'stp'; did you mean 'stop'?\n"},
	{"a_header_where_a_table_is_meant", NEXT("zip(x)"),
	 "t.yaml:7:49: error: 'zip' is a header, no table\n"},
	{"a_table_without_a_field", NEXT("kind"),
	 "t.yaml:7:49: error: 'kind' is a table: of which field? (kind(field))\n"},
	{"a_table_with_an_empty_bracket", NEXT("kind()"),
	 "t.yaml:7:54: error: expected a field, found ')'\n"},
	{"a_table_with_an_open_bracket", NEXT("kind("),
	 "t.yaml:7:54: error: expected a field, found the end\n"},
	{"a_table_with_two_fields", NEXT("'kind(x y)'"),
	 "t.yaml:7:57: error: expected ')', found 'y'\n"},
	{"a_table_with_a_misspelt_field", NEXT("kind(yy)"),
	 "t.yaml:7:54: error: unknown field of header 'a' 'yy'; did you mean 'y'?\n"},
	{"a_table_with_a_field_too_wide", NEXT("kind(v)"),
	 "t.yaml:7:54: error: field 'v' is wider than 64 bits: no key of a table\n"},
	{"a_table_with_a_character_that_means_nothing", NEXT("'kind(;)'"),
	 "t.yaml:7:55: error: unexpected character ';'\n"},
	{"two_headers", NEXT("zip b"), "t.yaml:7:53: error: expected the end, found 'b'\n"},
	{"a_number", NEXT("5"),
	 "t.yaml:7:49: error: expected a header, table(field) or stop, found '5'\n"},
	{"nothing", NEXT(""),
	 "t.yaml:7:49: error: expected a header, table(field) or stop, found nothing\n"},
	{"a_rule_without_then", NEXT("{when: {x: 1}}"),
	 "t.yaml:7:49: error: a rule without 'then'\n"},
	{"a_rule_with_a_misspelt_key", NEXT("{when: {x: 1}, than: zip}"),
	 "t.yaml:7:64: error: unknown key of a rule: 'than'; did you mean 'then'?\n"},
	{"a_list_in_a_list_of_rules", NEXT("[[zip]]"),
	 "t.yaml:7:50: error: expected a rule such as {when: {type: 255}, then: ip}, found a list\n"},
	{"a_mapping_behind_then", NEXT("{then: {x: 1}}"),
	 "t.yaml:7:56: error: expected a header, table(field) or stop, found a mapping\n"},
	{"every_bad_rule_is_told", NEXT("[zap, {then: stpo}]"),
	 "t.yaml:7:50: error: unknown header or table 'zap'; did you mean 'zip'?\n"
	 "t.yaml:7:62: error: unknown header or table 'stpo'; did you mean 'stop'?\n"},

	{"after_a_misspelt_header", AFTER("zap"),
	 "t.yaml:8:27: error: unknown header or table 'zap'; did you mean 'zip'?\n"},
	{"after_a_number", AFTER("5"),
	 "t.yaml:8:27: error: expected what it comes after, such as udp(dport=2152), found '5'\n"},
	{"after_a_mapping", AFTER("{a: 1}"),
	 "t.yaml:8:27: error: expected what it comes after, such as udp(dport=2152), found a mapping\n"},
	{"after_two_headers_without_a_comma", AFTER("zip b"),
	 "t.yaml:8:31: error: expected ',', found 'b'\n"},
	{"after_a_comma_and_nothing", AFTER("'zip,'"),
	 "t.yaml:8:32: error: expected what it comes after, such as udp(dport=2152), found the end\n"},
	{"after_a_misspelt_field", AFTER("a(z=1)"),
	 "t.yaml:8:29: error: unknown field of header 'a' 'z'\n"},
	{"after_a_field_without_a_value", AFTER("a(x)"),
	 "t.yaml:8:30: error: expected '=', found ')'\n"},
	{"after_a_field_with_two_signs", AFTER("a(x==1)"),
	 "t.yaml:8:30: error: expected '=', found '=='\n"},
	{"after_a_field_with_nothing_behind_the_sign", AFTER("a(x=)"),
	 "t.yaml:8:31: error: expected a number or $parameter, found ')'\n"},
	{"after_a_value_that_does_not_fit", AFTER("a(x=256)"),
	 "t.yaml:8:31: error: '256' does not fit 8 bits\n"},
	{"after_a_mask_that_is_missing", AFTER("a(x=1/)"),
	 "t.yaml:8:33: error: expected a mask, found ')'\n"},
	{"after_a_mask_that_does_not_fit", AFTER("a(x=1/0x1ff)"),
	 "t.yaml:8:31: error: '1/0x1ff' does not fit 8 bits\n"},
	{"after_a_bracket_that_is_not_closed", AFTER("a(x=1"),
	 "t.yaml:8:32: error: expected ')', found the end\n"},
	{"after_a_parameter_that_is_not_there", AFTER("a(x=$prt)"),
	 "t.yaml:8:31: error: unknown parameter 'prt'; did you mean 'port'?\n"},
	{"after_a_parameter_that_is_no_number", AFTER("a(x=$word)"),
	 "t.yaml:2:29: error: 'http' is not a number\n"},
	{"after_a_table_without_a_value", AFTER("kind"),
	 "t.yaml:8:31: error: expected '(', found the end\n"},
	{"after_a_table_with_an_empty_bracket", AFTER("kind()"),
	 "t.yaml:8:32: error: expected a number or $parameter, found ')'\n"},
	{"after_a_table_with_a_mask", AFTER("kind(0x10/0xf0)"),
	 "t.yaml:8:32: error: table 'kind' holds values, not masks\n"},
	{"after_something_in_a_list", AFTER("[zip, zap]"),
	 "t.yaml:8:33: error: unknown header or table 'zap'; did you mean 'zip'?\n"},

	{"two_headers_after_one_value_of_a_table", AFTER("'kind(7, 1)'"),
	 "t.yaml:8:36: error: kind 0x1 leads to 'c' here (profile 't') but to 'b' in t.yaml:6 "
	 "(profile 't')\n"},
	{"two_profiles_with_one_value_of_a_table", AFTER("kind(2)"),
	 "u.yaml:4:32: error: kind 0x2 leads to 'd' here (profile 'u') but to 'c' in t.yaml:8 "
	 "(profile 't')\n",
	 D_AFTER("kind(2)"), "u"},
	{"two_profiles_after_one_header_in_the_same_case", AFTER("a(x=5)"), SAME_CASE("4:27"),
	 D_AFTER("a(x=5)"), "u"},
	{"two_headers_of_a_profile_in_the_same_case", AFTER("a(x=250)"),
	 "t.yaml:8:27: error: 'c' (profile 't') comes after 'a' in the same case as 'zip' in t.yaml:5 "
	 "(profile 't')\n"},
	{"two_profiles_whose_masks_meet", AFTER("a(x=0x50/0xf0)"), SAME_CASE("4:27"),
	 D_AFTER("a(x=0x05/0x0f)"), "u"},
	{"two_profiles_whose_lists_meet", AFTER("a(x=1|2|3)"), SAME_CASE("4:27"),
	 D_AFTER("a(x=9|3)"), "u"},
	{"two_profiles_given_the_same_port", AFTER("a(x=$port)"), SAME_CASE("4:27"),
	 D_AFTER("a(x=6)"), "u+t;port=6"},
	{"two_profiles_in_the_same_case_with_the_fields_in_another_order", AFTER("'a(x=1, y=2)'"),
	 SAME_CASE("4:28"), D_AFTER("'a(y=2, x=1)'"), "u"},
	{"two_headers_after_the_first_one_in_the_same_case_of_three_fields",
	 "profile: t\n"
	 "headers:\n"
	 "  a: {first: true, layout: x:8 y:8 z:8}\n"
	 "  b: {layout: k:8, after: 'a(x=1, y=2, z=3)'}\n"
	 "  c: {layout: k:8, after: 'a(z=3, y=2, x=1)'}\n",
	 "t.yaml:5:28: error: 'c' (profile 't') comes after 'a' in the same case as 'b' in t.yaml:4 "
	 "(profile 't')\n"},
	{"a_profile_that_extends_a_header_in_the_same_case", AFTER("a(x=5)"),
	 "u.yaml:3:21: error: 'b' (profile 'u') comes after 'a' in the same case as 'c' in t.yaml:8 "
	 "(profile 't')\n",
	 U("extend: {a: {next: [{when: {x: 5}, then: b}]}}\n"), "u"},

	{"the_same_header_after_one_value_twice", AFTER("'kind(2, 2)'"), ""},
	{"the_same_header_in_the_same_case_twice", AFTER("'a(x=5), a(x=5)'"), ""},
	{"values_that_do_not_meet", AFTER("a(x=5)"), "", D_AFTER("a(x=6)"), "u"},
	{"other_fields", AFTER("a(x=5)"), "", D_AFTER("a(y=5)"), "u"},
	{"one_more_field", AFTER("a(x=5)"),
	 "u.yaml:4:28: warning: this can never apply: the rule of header 'a' in t.yaml:8 always does "
	 "where this one would\n",
	 D_AFTER("'a(x=5, y=5)'"), "u"},
	{"all_values_but_that_one", AFTER("a(x=5)"), "",
	 U("extend: {a: {next: {when: {x: not 5}, then: b}}}\n"), "u"},
	{"an_expression_beside_a_value", AFTER("a(x=5)"), "",
	 U("extend: {a: {next: {when: x > 100, then: b}}}\n"), "u"},
	{"a_field_of_another_header_at_the_same_place", AFTER("a(x=5)"), "",
	 U("extend: {a: {next: {when: {zip.k: 5}, then: b}}}\n"), "u"},

	{"an_unknown_header_extended", AFTER("zip"),
	 "u.yaml:3:10: error: unknown header 'zap'; did you mean 'zip'?\n",
	 U("extend: {zap: {after: zip}}\n"), "u"},
	{"a_layout_extended", AFTER("zip"),
	 "u.yaml:3:16: error: unknown key of an extended header: 'layout'\n",
	 U("extend: {zip: {layout: k:8}}\n"), "u"},
	{"a_word_as_extension", AFTER("zip"),
	 "u.yaml:3:15: error: expected 'after' or 'next', found a word\n", U("extend: {zip: b}\n"),
	 "u"},
	{"a_list_of_extensions", AFTER("zip"),
	 "u.yaml:3:9: error: expected headers by name, found a list\n", U("extend: [zip]\n"), "u"},
};

ROWS(broken_is_reported, rows)
