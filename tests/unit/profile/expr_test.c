/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"
#include "unit.h"

#define HEADERS                                                \
	"profile: t\n"                                         \
	"parameters: {num: 5, addr: 10.0.0.0/8, word: http}\n" \
	"headers:\n"                                           \
	"  zip: {layout: k:8, after: a(x=250)}\n"              \
	"  a:\n"                                               \
	"    first: true\n"                                    \
	"    layout: x:8 y:16 w:64 v:128 s:32 ... e:8\n"       \
	"    ahead: n:4\n"
#define LENGTH(text) HEADERS "    length: " text "\n"               // line 9, column 13
#define VALID(text) HEADERS "    length: 32\n    valid: " text "\n" // line 10, column 12
#define WHEN(text) HEADERS "    length: 32\n    next: {when: " text ", then: zip}\n" // column 18

#define NEGATIVE(text) "t.yaml:9:13: error: '" text "' can become negative\n"
#define LARGE(text) "t.yaml:9:13: error: '" text "' can become too large\n"

static const struct broken rows[] = {
	{"an_empty_expression", LENGTH("''"),
	 "t.yaml:9:13: error: expected an expression, found nothing\n"},
	{"an_expression_that_breaks_off", LENGTH("4 *"),
	 "t.yaml:9:16: error: expected a field or a number, found the end\n"},
	{"an_expression_that_goes_on", LENGTH("40 x"),
	 "t.yaml:9:16: error: expected an operator, found 'x'\n"},
	{"an_expression_that_begins_with_an_operator", LENGTH("\"* 4\""),
	 "t.yaml:9:14: error: expected a field or a number, found '*'\n"},
	{"a_bracket_that_is_not_closed", LENGTH("(40 + x"),
	 "t.yaml:9:20: error: expected ')', found the end\n"},
	{"a_bracket_that_was_not_opened", LENGTH("40 + x)"),
	 "t.yaml:9:19: error: expected an operator, found ')'\n"},
	{"a_number_that_is_none", LENGTH("40 + 0xzz"),
	 "t.yaml:9:18: error: '0xzz' is not a number\n"},
	{"a_number_beyond_64_bits", LENGTH("0x10000000000000000"),
	 "t.yaml:9:13: error: '0x10000000000000000' is not a number of at most 64 bits\n"},
	{"a_division", LENGTH("x / 2"), "t.yaml:9:15: error: expected an operator, found '/'\n"},
	{"a_misspelt_field", LENGTH("40 + xx"),
	 "t.yaml:9:18: error: unknown field of header 'a' 'xx'; did you mean 'x'?\n"},
	{"a_field_of_more_than_64_bits", LENGTH("40 + v"),
	 "t.yaml:9:13: error: '40 + v' uses a field of more than 64 bits\n"},
	{"a_parameter_that_is_not_there", LENGTH("40 + $nun"),
	 "t.yaml:9:18: error: unknown parameter 'nun'; did you mean 'num'?\n"},
	{"a_parameter_that_is_no_number", LENGTH("40 + $word"),
	 "t.yaml:2:46: error: 'http' is not a number\n"},
	{"a_parameter_with_several_values", LENGTH("40 + $num"),
	 "t.yaml:9:18: error: $num has several values, one is needed here\n", NULL,
	 "t;num=5;num=6"},
	{"a_dollar_without_a_name", LENGTH("40 + $"),
	 "t.yaml:9:18: error: unexpected character '$'\n"},
	{"a_difference_that_may_be_negative", LENGTH("300 - y"), NEGATIVE("300 - y")},
	{"a_difference_of_the_same_field_is_not_understood", LENGTH("32 + x - x"),
	 NEGATIVE("32 + x - x")},
	{"a_sum_that_may_wrap", LENGTH("w + 1"), LARGE("w + 1")},
	{"a_product_that_may_wrap", LENGTH("w * 2"), LARGE("w * 2")},
	{"a_shift_that_may_lose_bits", LENGTH("y << 49"), LARGE("y << 49")},
	{"a_shift_by_a_field", LENGTH("1 << x"), LARGE("1 << x")},
	{"a_shift_to_the_right_by_too_much", LENGTH("y >> 64"),
	 "t.yaml:9:13: error: 'y >> 64' shifts by more than 63 bits\n"},
	{"a_part_that_may_be_negative_though_the_whole_is_not", LENGTH("300 + (x - y)"),
	 NEGATIVE("300 + (x - y)")},
	{"twelve_brackets_are_enough", LENGTH("((((((((((((40))))))))))))"), ""},
	{"thirteen_brackets", LENGTH("(((((((((((((40)))))))))))))"),
	 "t.yaml:9:25: error: nested too deep\n"},
	{"thirteen_times_not", VALID("not not not not not not not not not not not not not x"),
	 "t.yaml:10:64: error: nested too deep\n"},
	{"too_many_operators", LENGTH("40+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x"),
	 "t.yaml:9:63: error: this expression is too long\n"},
	{"too_many_numbers_at_once",
	 VALID("1 or 1 and 1 == 1 | 1 & 1 << 1 + 1 * (1 or 1 and 1 == 1 | 1 & 1 << 1 + 1 * (1))"),
	 "t.yaml:10:89: error: this expression is too long\n"},
	{"a_list_as_length", LENGTH("[40]"),
	 "t.yaml:9:13: error: expected an expression, found a list\n"},

	{"a_difference_that_cannot_be_negative", LENGTH("300 - x"), ""},
	{"a_shift_that_just_fits", LENGTH("40 + (y << 47)"), ""},
	{"a_shift_to_the_highest_bit", VALID("(y << 48) == 0"), ""},
	{"a_shift_of_one_to_the_highest_bit", VALID("(1 << 63) == 0"), ""},
	{"a_shift_beyond_the_highest_bit", VALID("(1 << 64) == 0"),
	 "t.yaml:10:12: error: '(1 << 64) == 0' can become too large\n"},
	{"all_operators",
	 VALID("x + 1 * 2 << 3 >> 1 & 7 | 8 == 9 and not x != 1 or x <= 1 or x >= 2 or x < 3 or "
	       "x > 4"),
	 ""},
	{"a_parameter_in_an_expression", LENGTH("40 + $num"), ""},

	{"a_field_of_an_unknown_header", WHEN("zap.k == 1"),
	 "t.yaml:10:18: error: unknown header 'zap'; did you mean 'zip'?\n"},
	{"an_unknown_field_of_another_header", WHEN("zip.x == 1"),
	 "t.yaml:10:18: error: unknown field of header 'zip' 'x'\n"},
	{"a_reference_of_three_words", WHEN("zip.k.x == 1"),
	 "t.yaml:10:18: error: 'zip.k.x' is not of the form header.field\n"},
	{"the_second_of_a_name_in_a_header", WHEN("zip#2.k == 1"),
	 "t.yaml:10:18: error: 'zip#2.k': a header knows only itself and the nearest header of a name "
	 "before it\n"},
	{"inner_in_a_header", WHEN("inner.zip.k == 1"),
	 "t.yaml:10:18: error: 'inner.zip.k': a header knows only itself and the nearest header of a "
	 "name before it\n"},
	{"a_length_that_depends_on_the_headers_end", LENGTH("40 + e"),
	 "t.yaml:9:18: error: 'e' lies where the header ends, and that is not known here yet\n"},
	{"a_length_that_depends_on_what_is_ahead", LENGTH("40 + n"),
	 "t.yaml:9:18: error: 'n' lies where the header ends, and that is not known here yet\n"},
	{"look_ahead_decides_whether_a_header_is_valid", VALID("n == 4"),
	 "t.yaml:10:12: error: 'n' is look-ahead: only the header's own 'next' may use it\n"},
	{"look_ahead_of_another_header",
	 HEADERS "    length: 32\n  b: {layout: k:8, after: zip, valid: a.n == 4}\n",
	 "t.yaml:10:39: error: 'a.n' is look-ahead: only the header's own 'next' may use it\n"},
	{"the_headers_end_decides_whether_it_is_valid", VALID("e == 4"), ""},
	{"look_ahead_decides_what_follows", WHEN("{n: 4}"), ""},

	{"a_value_that_does_not_fit", WHEN("{x: 256}"),
	 "t.yaml:10:22: error: '256' does not fit 8 bits\n"},
	{"a_mask_that_does_not_fit", WHEN("{x: 1/0x1ff}"),
	 "t.yaml:10:22: error: '1/0x1ff' does not fit 8 bits\n"},
	{"a_value_that_is_no_number", WHEN("{x: udp}"),
	 "t.yaml:10:22: error: 'udp' is not a number\n"},
	{"a_value_of_more_than_64_bits", WHEN("{s: 0x10000000000000000}"),
	 "t.yaml:10:22: error: '0x10000000000000000' is not a number of at most 64 bits\n"},
	{"a_negative_value", WHEN("{x: -1}"), "t.yaml:10:22: error: '-1' is not a number\n"},
	{"a_mask_that_is_missing", WHEN("{x: 1/}"), "t.yaml:10:22: error: '1/' is not a number\n"},
	{"an_address_that_is_none", WHEN("{s: 10.0.0.256}"),
	 "t.yaml:10:22: error: '10.0.0.256' is no IPv4 address or prefix\n"},
	{"a_prefix_that_is_too_long", WHEN("{s: 10.0.0.0/33}"),
	 "t.yaml:10:22: error: '10.0.0.0/33' is no IPv4 address or prefix\n"},
	{"a_prefix_that_is_no_number", WHEN("{s: 10.0.0.0/x}"),
	 "t.yaml:10:22: error: '10.0.0.0/x' is no IPv4 address or prefix\n"},
	{"an_ipv6_address_for_a_field_of_32_bits", WHEN("{s: 2001::1}"),
	 "t.yaml:10:22: error: '2001::1' is no IPv4 address or prefix\n"},
	{"an_ipv4_address_for_a_field_of_128_bits", WHEN("{v: 10.0.0.1}"),
	 "t.yaml:10:22: error: '10.0.0.1' is no IPv6 address or prefix\n"},
	{"an_ipv6_prefix_that_is_too_long", WHEN("{v: 2001::/129}"),
	 "t.yaml:10:22: error: '2001::/129' is no IPv6 address or prefix\n"},
	{"an_address_for_a_field_that_is_none", WHEN("{y: 10.0.0.1}"),
	 "t.yaml:10:22: error: '10.0.0.1' is no value for a field that is no IP address\n"},
	{"a_list_with_a_value_that_does_not_fit", WHEN("{x: [1, 2, 300]}"),
	 "t.yaml:10:29: error: '300' does not fit 8 bits\n"},
	{"an_empty_list", WHEN("{x: []}"), "t.yaml:10:22: error: an empty list matches nothing\n"},
	{"a_list_in_a_list", WHEN("{x: [1, [2]]}"),
	 "t.yaml:10:26: error: expected a value, found a list\n"},
	{"a_list_without_one_of_its_values", WHEN("{x: [1, '']}"),
	 "t.yaml:10:26: error: expected a value, found nothing\n"},
	{"a_field_of_the_same_header_by_its_full_name", WHEN("{a.x: 1}"),
	 "t.yaml:10:19: warning: 'a.x' is that of a 'a' before this one; this one's own is 'x'\n"},
	{"a_mapping_as_value", WHEN("{x: {y: 1}}"),
	 "t.yaml:10:22: error: expected a value or a list of values, found a mapping\n"},
	{"no_value_at_all", WHEN("{x: }"), "t.yaml:10:22: error: '' is not a number\n"},
	{"not_and_no_value", WHEN("{x: not}"), "t.yaml:10:22: error: 'not' is not a number\n"},
	{"not_and_a_value_that_does_not_fit", WHEN("{x: not 256}"),
	 "t.yaml:10:26: error: '256' does not fit 8 bits\n"},
	{"an_empty_condition", WHEN("{}"),
	 "t.yaml:10:18: error: an empty condition: leave 'when' out\n"},
	{"a_list_as_condition", WHEN("[x]"),
	 "t.yaml:10:18: error: expected a condition such as {type: 255, e: 1}, found a list\n"},
	{"a_misspelt_field_in_a_condition", WHEN("{xx: 1}"),
	 "t.yaml:10:19: error: unknown field of header 'a' 'xx'; did you mean 'x'?\n"},
	{"a_parameter_that_does_not_fit_the_field", WHEN("{x: $num}"),
	 "num=256: error: '256' does not fit 8 bits\n", NULL, "t;num=256"},
	{"an_address_parameter_for_a_number", WHEN("{x: $addr}"),
	 "t.yaml:2:28: error: '10.0.0.0/8' is no value for a field that is no IP address\n"},
	{"a_misspelt_parameter_in_a_condition", WHEN("{x: $nums}"),
	 "t.yaml:10:22: error: unknown parameter 'nums'; did you mean 'num'?\n"},
	{"every_mistake_of_a_condition_is_told", WHEN("{x: 256, y: 65536, nn: 1}"),
	 "t.yaml:10:22: error: '256' does not fit 8 bits\n"
	 "t.yaml:10:30: error: '65536' does not fit 16 bits\n"
	 "t.yaml:10:37: error: unknown field of header 'a' 'nn'; did you mean 'n'?\n"},

	{"numbers_masks_lists_prefixes_and_parameters",
	 WHEN("{x: [1, 0x2, 0x80/0xf0], y: not $num, s: $addr, v: 'fc00::/7', w: "
	      "0xffffffffffffffff}"),
	 ""},
};

ROWS(broken_is_reported, rows)
