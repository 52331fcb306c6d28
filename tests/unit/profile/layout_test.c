/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"
#include "unit.h"

// The layout begins in line 6, column 13.
#define LAYOUT(layout)                                     \
	"profile: t\n"                                     \
	"parameters: {one: 24, word: http, wide: 70000}\n" \
	"headers:\n"                                       \
	"  a:\n"                                           \
	"    first: true\n"                                \
	"    layout: " layout "\n"

static const struct broken rows[] = {
	{"a_field_without_a_width", LAYOUT("x:8 y"),
	 "t.yaml:6:18: error: expected ':', found the end\n"},
	{"a_field_without_a_width_before_another", LAYOUT("x y:8"),
	 "t.yaml:6:15: error: expected ':', found 'y'\n"},
	{"a_width_that_is_a_word", LAYOUT("x:y"),
	 "t.yaml:6:15: error: expected a number of bits, found 'y'\n"},
	{"a_width_that_is_missing", LAYOUT("'x:'"),
	 "t.yaml:6:16: error: expected a number of bits, found the end\n"},
	{"a_width_of_0", LAYOUT("x:0"),
	 "t.yaml:6:13: error: field 'x': 0 bits, 1 to 128 are possible\n"},
	{"a_width_of_129", LAYOUT("x:8 y:129"),
	 "t.yaml:6:17: error: field 'y': 129 bits, 1 to 128 are possible\n"},
	{"a_filler_of_0", LAYOUT("_:0"),
	 "t.yaml:6:13: error: field '_': 0 bits, 1 to 128 are possible\n"},
	{"a_width_that_is_no_number", LAYOUT("x:8bits"),
	 "t.yaml:6:15: error: '8bits' is not a number\n"},
	{"a_width_beyond_64_bits", LAYOUT("x:99999999999999999999"),
	 "t.yaml:6:15: error: '99999999999999999999' is not a number of at most 64 bits\n"},
	{"a_product_that_would_wrap_to_a_good_width", LAYOUT("x:(3 * 0x5555555555555558)"),
	 "t.yaml:6:13: error: field 'x': 4096 bits, 1 to 128 are possible\n"},
	{"a_product_that_is_not_closed", LAYOUT("x:(8 * 2 y:8"),
	 "t.yaml:6:22: error: expected ')', found 'y'\n"},
	{"a_product_with_a_hole", LAYOUT("x:(8 * )"),
	 "t.yaml:6:20: error: expected a number of bits, found ')'\n"},
	{"a_width_from_a_parameter_that_is_not_there", LAYOUT("x:$ones"),
	 "t.yaml:6:15: error: unknown parameter 'ones'; did you mean 'one'?\n"},
	{"a_width_from_a_parameter_that_is_a_word", LAYOUT("x:$word"),
	 "t.yaml:2:29: error: 'http' is not a number\n"},
	{"a_width_from_a_parameter_that_is_too_large", LAYOUT("x:$wide"),
	 "t.yaml:2:41: error: '70000' does not fit 16 bits\n"},
	{"a_width_from_a_parameter_with_several_values", LAYOUT("x:$one"),
	 "t.yaml:6:15: error: $one has several values, a width takes one\n", NULL,
	 "t;one=8;one=16"},
	{"not_whole_bytes", LAYOUT("x:8 y:4"),
	 "t.yaml:6:13: error: header 'a': its layout takes 12 bits, not whole bytes\n"},
	{"not_whole_bytes_before_the_open_middle", LAYOUT("x:12 ... y:8\n    length: 8"),
	 "t.yaml:6:13: error: header 'a': its layout takes 12 bits, not whole bytes\n"},
	{"not_whole_bytes_behind_the_open_middle", LAYOUT("x:8 ... y:7\n    length: 8"),
	 "t.yaml:6:13: error: header 'a': its layout takes 7 bits behind '...', not whole bytes\n"},
	{"a_field_given_twice", LAYOUT("x:8 _:8 _:8 x:16"),
	 "t.yaml:6:25: error: header 'a': field 'x' stands twice in its layout\n"},
	{"a_field_in_the_layout_and_ahead", LAYOUT("x:8\n    ahead: x:8"),
	 "t.yaml:7:12: error: header 'a': field 'x' stands twice in its layout\n"},
	{"more_than_64_bytes", LAYOUT("a:128 b:128 c:128 d:128 e:8"),
	 "t.yaml:6:37: error: header 'a': a layout holds at most 64 bytes\n"},
	{"more_than_48_fields",
	 LAYOUT("a1:8 a2:8 a3:8 a4:8 a5:8 a6:8 a7:8 a8:8 a9:8 a10:8 a11:8 a12:8 a13:8 a14:8 a15:8 "
		"a16:8\n      b1:8 b2:8 b3:8 b4:8 b5:8 b6:8 b7:8 b8:8 b9:8 b10:8 b11:8 b12:8 b13:8 "
		"b14:8 b15:8 b16:8\n      c1:8 c2:8 c3:8 c4:8 c5:8 c6:8 c7:8 c8:8 c9:8 c10:8 c11:8 "
		"c12:8 c13:8 c14:8 c15:8 c16:8\n      d:8"),
	 "t.yaml:9:7: error: header 'a': more than 48 fields\n"},
	{"a_dotted_name", LAYOUT("a.x:8"),
	 "t.yaml:6:13: error: expected a field such as 'teid:32', found 'a.x'\n"},
	{"a_sign_instead_of_a_field", LAYOUT("x:8 + y:8"),
	 "t.yaml:6:17: error: expected a field such as 'teid:32', found '+'\n"},
	{"a_character_that_means_nothing", LAYOUT("x:8 ; y:8"),
	 "t.yaml:6:17: error: unexpected character ';'\n"},
	{"a_character_beyond_ascii", LAYOUT("x:8 ä:8"),
	 "t.yaml:6:17: error: unexpected character 'ä'\n"},
	{"a_list_as_layout", LAYOUT("[x, y]"),
	 "t.yaml:6:13: error: expected a layout, found a list\n"},
	{"no_layout_behind_the_word", LAYOUT(""),
	 "t.yaml:6:12: error: expected a layout, found nothing\n"},

	{"optional_fields_that_are_not_closed", LAYOUT("e:8 [e ? x:8"),
	 "t.yaml:6:25: error: expected ']', found the end\n"},
	{"optional_fields_that_were_not_opened", LAYOUT("e:8 x:8 ]"),
	 "t.yaml:6:21: error: ']' without '['\n"},
	{"optional_fields_without_a_condition", LAYOUT("e:8 [x:8]"),
	 "t.yaml:6:21: error: expected 'condition ? fields ]', found ']'\n"},
	{"optional_fields_with_an_empty_condition", LAYOUT("e:8 [ ? x:8]"),
	 "t.yaml:6:19: error: expected a field or a number, found '?'\n"},
	{"optional_fields_inside_optional_fields", LAYOUT("e:8 [e ? x:8 [e ? y:8]]"),
	 "t.yaml:6:26: error: optional fields cannot stand inside optional fields\n"},
	{"optional_fields_behind_the_open_middle", LAYOUT("e:8 ... [e ? x:8]\n    length: 8"),
	 "t.yaml:6:21: error: optional fields cannot stand behind '...' or in 'ahead'\n"},
	{"optional_fields_ahead", LAYOUT("e:8\n    ahead: \"[e ? x:8]\""),
	 "t.yaml:7:13: error: optional fields cannot stand behind '...' or in 'ahead'\n"},
	{"optional_fields_that_begin_within_a_byte", LAYOUT("e:4 [e ? x:8] y:4"),
	 "t.yaml:6:17: error: optional fields must begin at a whole byte, this is bit 4\n"},
	{"optional_fields_that_take_half_a_byte", LAYOUT("e:8 [e ? x:4] y:4"),
	 "t.yaml:6:25: error: optional fields must take whole bytes, these take 4 bits\n"},
	{"optional_fields_that_are_none", LAYOUT("e:8 [e ? ]"),
	 "t.yaml:6:22: error: optional fields must take whole bytes, these take 0 bits\n"},
	{"optional_fields_that_depend_on_a_later_field", LAYOUT("e:8 [y ? x:8] y:8"),
	 "t.yaml:6:17: error: whether these fields are there depends on 'y', which comes later\n"},
	{"optional_fields_that_depend_on_themselves", LAYOUT("e:8 [x ? x:8]"),
	 "t.yaml:6:17: error: whether these fields are there depends on 'x', which comes later\n"},
	{"optional_fields_that_depend_on_the_headers_end",
	 LAYOUT("e:8 [y ? x:8] ... y:8\n    length: 8"),
	 "t.yaml:6:18: error: 'y' lies where the header ends, and that is not known here yet\n"},
	{"optional_fields_that_depend_on_an_unknown_field", LAYOUT("ext:8 [exd ? x:8]"),
	 "t.yaml:6:20: error: unknown field of header 'a' 'exd'; did you mean 'ext'?\n"},
	{"nine_groups_of_optional_fields",
	 LAYOUT("e:8 [e ? a1:8] [e ? a2:8] [e ? a3:8] [e ? a4:8] [e ? a5:8] [e ? a6:8] [e ? a7:8]\n"
		"      [e ? a8:8] [e ? a9:8]"),
	 "t.yaml:7:18: error: more than 8 groups of optional fields\n"},

	{"one_message_of_a_bad_width",
	 LAYOUT("k:8 x:200 y:8\n    valid: {k: 1, x: 2, y: 3}\n"
		"    next: {when: y > 4, then: stop}"),
	 "t.yaml:6:17: error: field 'x': 200 bits, 1 to 128 are possible\n"},

	{"two_open_middles", LAYOUT("x:8 ... y:8 ... z:7\n    length: 8"),
	 "t.yaml:6:25: error: '...' stands twice: a layout has one part of varying size\n"},
	{"an_open_middle_in_optional_fields", LAYOUT("x:8 [x ? ... y:8]\n    length: 8"),
	 "t.yaml:6:22: error: '...' cannot stand inside optional fields: put it behind ']'\n"},
	{"an_open_middle_ahead", LAYOUT("x:8\n    ahead: x2:8 ... y:8"),
	 "t.yaml:7:17: error: '...' cannot stand in 'ahead': only in 'layout'\n"},
	{"an_open_middle_without_a_length", LAYOUT("x:8 ..."),
	 "t.yaml:4:3: error: header 'a': '...' in its layout needs a 'length'\n"},

	{"any_width_from_1_to_128", LAYOUT("a:1 b:7 c:128 d:127 e:1 f:65 _:7"), ""},
	{"a_filler_may_be_wide", LAYOUT("x:8 _:400"), ""},
	{"a_width_from_a_parameter", LAYOUT("x:$one y:(8 * 2) z:(2 * $one)"), ""},
	{"a_look_ahead_of_a_few_bits", LAYOUT("x:8\n    ahead: n:3"), ""},
	{"a_header_of_64_bytes_on_both_sides_of_the_middle",
	 LAYOUT("a:128 b:128 c:128 d:128 ... e:128 f:128 g:128 h:128\n    length: 128"), ""},
	{"eight_groups_of_optional_fields",
	 LAYOUT("e:8 [e ? a1:8] [e ? a2:8] [e ? a3:8] [e ? a4:8] [e ? a5:8] [e ? a6:8] [e ? a7:8]\n"
		"      [a7 ? a8:8]"),
	 ""},
};

ROWS(broken_is_reported, rows)
