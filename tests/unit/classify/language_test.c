/* SPDX-License-Identifier: BSD-3-Clause */
// One feature of the profile language at a time, and its effect on a packet.
#include <inttypes.h>

#include "classify/classify.h"
#include "corpus.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"
#include "verdict.h"

struct feature {
	struct sample sample; // its name is the test's
	const char *text;     // of the profile, behind "profile: t"
	const char *spec;     // NULL for "t"
};

// Four packet types beside each other: what follows a decides.
#define CHOICE(next)                                                                    \
	"parameters: {val: 5, net: 10.0.0.0/8}\n"                                       \
	"tables: {kind: numbers}\n"                                                     \
	"headers:\n"                                                                    \
	"  a:\n"                                                                        \
	"    first: true\n"                                                             \
	"    layout: x:8 y:24 s:32 v:128\n"                                             \
	"    next: " next "\n"                                                          \
	"  b: {after: 'kind(1, 7)', layout: k:8}\n"                                     \
	"  c: {after: kind(0xfffffe), layout: k:8}\n"                                   \
	"extend: {a: {next: [{when: {x: 251}, then: b}, {when: {x: 252}, then: c}]}}\n" \
	"packet_types: {A: {path: a}, B: {path: a b, rss: b.k}, C: {path: a c, rss: c.k}}\n"
#define AS(x, y, ...) PIECE(x, (y) >> 16 & 0xff, (y) >> 8 & 0xff, (y)&0xff, __VA_ARGS__, 0x4b)
#define S 10, 1, 2, 3
#define V 0xfd, 0, 0, 0, ZEROS8, 0, 0, 0, 9
#define IS_A A_HASHED("")
#define IS_B "a@0 b@24", FINE("B", "4b")
#define IS_C "a@0 c@24", FINE("C", "4b")

// A well-formed packet without a packet type of RTE: its type here, and what is hashed.
#define FINE(type, input) type, NULL, "", 0, 0, input
#define A_HASHED(input) "a@0", FINE("A", input)
#define MALFORMED "", "UNKNOWN", "malformed", "", 0, 0, ""

#define ONE(layout) "headers: {a: {first: true, layout: " layout "}}\n"

// Optional fields, of which a packet has none, one or both.
#define OPTIONAL                                      \
	ONE("'e:1 s:1 _:6 [e ? x:16] [s ? y:8] z:8'") \
	"packet_types: {A: {path: a, rss: a.x a.y a.z}}\n"
// c has no bytes; its rule counts from a on.
#define SINCE                                                               \
	"headers:\n  a: {first: true, layout: x:8 n:8, next: cw}\n"         \
	"  cw: {hidden: true, layout: w:8, next: c}\n"                      \
	"  c: {hidden: true, next: {when: since(a) + 6 == a.n, then: b}}\n" \
	"  b: {layout: k:8}\npacket_types: {A: {path: a}, B: {path: a b, rss: b.k}}\n"
#define BITS(set) ONE("x:16 y:8") "packet_types: {A: {path: a, rss: " set "}}\n"
// The source is hashed in one direction, the destination in the other.
#define DIRECTIONS                                                            \
	ONE("dir:8 src:8 dst:8")                                              \
	"packet_types: {A: {path: a, rss: [{when: {a.dir: 1}, hash: a.src}, " \
	"{when: {a.dir: 0}, hash: a.dst}, a.dir]}}\n"

#define FROM_END                                                                     \
	"headers: {a: {first: true, layout: n:8 ... _:4 e:12 f:4 g:4, length: n}}\n" \
	"packet_types: {A: {path: a, rss: a.e a.g, extract: a.e}}\n"
#define LONGER                                                 \
	"headers:\n  a: {first: true, layout: x:8, next: b}\n" \
	"  b: {layout: k:8, next: {when: {k: 1}, then: b}}\n"  \
	"packet_types: {A: {path: a}, B: {path: a b}, BB: {path: a b b}}\n"
#define SIDES                                                                                  \
	"headers:\n  ip: {first: true, layout: x:8, ptype: L3_IPV4, next: l4}\n"               \
	"  l4: {layout: k:8, ptype: L4_UDP, next: {when: ip.x != 3, then: ip}}\n"              \
	"packet_types: {T: {path: (ip l4)+, rss: inner.ip.x inner.l4.k outer.ip.x outer.l4.k " \
	"l4#2.k}}\n"

// clang-format off
static const struct feature features[] = {
	/* Conditions */
	{{"a_number", {AS(1, 0, S, V)}, IS_B}, CHOICE("{when: {x: 1}, then: b}")},
	{{"another_number", {AS(2, 0, S, V)}, IS_A}, CHOICE("{when: {x: 1}, then: b}")},
	{{"a_hexadecimal_number", {AS(2, 0x10ff, S, V)}, IS_B},
	 CHOICE("{when: {y: 0x10ff}, then: b}")},
	{{"all_of_a_condition_must_hold", {AS(1, 3, S, V)}, IS_A},
	 CHOICE("{when: {x: 1, y: 2}, then: b}")},
	{{"all_of_a_condition_hold", {AS(1, 2, S, V)}, IS_B},
	 CHOICE("{when: {x: 1, y: 2}, then: b}")},
	{{"a_mask", {AS(0x5a, 0, S, V)}, IS_B}, CHOICE("{when: {x: 0x50/0xf0}, then: b}")},
	{{"a_mask_that_does_not_fit", {AS(0x6a, 0, S, V)}, IS_A},
	 CHOICE("{when: {x: 0x50/0xf0}, then: b}")},
	{{"bits_of_the_value_outside_the_mask_do_not_count", {AS(0x5a, 0, S, V)}, IS_B},
	 CHOICE("{when: {x: 0x5f/0xf0}, then: b}")},
	// Else packets of one tunnel are read as those of another that has half of its values.
	{{"all_of_a_condition_on_an_earlier_header_must_hold",
	  {PIECE(1, 3), PIECE(7), PIECE(ZEROS8, ZEROS8)}, "a@0 b@2", FINE("B", "07")},
	 "headers:\n  a: {first: true, layout: x:8 y:8, next: b}\n"
	 "  b: {layout: k:8, next: {when: {k: 7, a.x: 1, a.y: 2}, then: c}}\n  c: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}, C: {path: a b c}}\n"},
	{{"not_this_value", {AS(2, 0, S, V)}, IS_B}, CHOICE("{when: {x: not 1}, then: b}")},
	{{"but_this_value", {AS(1, 0, S, V)}, IS_A}, CHOICE("{when: {x: not 1}, then: b}")},
	{{"any_of_a_list", {AS(3, 0, S, V)}, IS_B},
	 CHOICE("{when: {x: [1, 0x80/0xf0, 3]}, then: b}")},
	{{"a_mask_in_a_list", {AS(0x83, 0, S, V)}, IS_B},
	 CHOICE("{when: {x: [1, 0x80/0xf0, 3]}, then: b}")},
	{{"none_of_a_list", {AS(2, 0, S, V)}, IS_A},
	 CHOICE("{when: {x: [1, 0x80/0xf0, 3]}, then: b}")},
	{{"an_ipv4_prefix", {AS(0, 0, S, V)}, IS_B}, CHOICE("{when: {s: 10.0.0.0/15}, then: b}")},
	{{"another_ipv4_prefix", {AS(0, 0, S, V)}, IS_A},
	 CHOICE("{when: {s: 10.0.0.0/16}, then: b}")},
	{{"an_ipv4_address", {AS(0, 0, S, V)}, IS_B}, CHOICE("{when: {s: 10.1.2.3}, then: b}")},
	{{"every_ipv4_address", {AS(0, 0, S, V)}, IS_B}, CHOICE("{when: {s: 0.0.0.0/0}, then: b}")},
	{{"an_ipv6_prefix", {AS(0, 0, S, V)}, IS_B}, CHOICE("{when: {v: 'fc00::/7'}, then: b}")},
	{{"an_ipv6_address", {AS(0, 0, S, V)}, IS_B}, CHOICE("{when: {v: 'fd00::9'}, then: b}")},
	{{"another_ipv6_address", {AS(0, 0, S, V)}, IS_A},
	 CHOICE("{when: {v: 'fd00::8'}, then: b}")},
	{{"an_ipv6_prefix_beyond_64_bits", {AS(0, 0, S, V)}, IS_A},
	 CHOICE("{when: {v: 'fd00:0:0:0:8000::/65'}, then: b}")},
	{{"a_number_for_a_wide_field_means_all_its_bits", {AS(0, 0, S, V)}, IS_A},
	 CHOICE("{when: {v: 9}, then: b}")},
	{{"a_mask_for_a_wide_field_means_its_bits", {AS(0, 0, S, V)}, IS_B},
	 CHOICE("{when: {v: 9/0xffffffffffffffff}, then: b}")},
	{{"a_parameter", {AS(5, 0, S, V)}, IS_B}, CHOICE("{when: {x: $val}, then: b}")},
	{{"a_parameter_the_user_set", {AS(5, 0, S, V)}, IS_A},
	 CHOICE("{when: {x: $val}, then: b}"), "t;val=6"},
	{{"a_parameter_with_several_values", {AS(7, 0, S, V)}, IS_B},
	 CHOICE("{when: {x: $val}, then: b}"), "t;val=6;val=7"},
	{{"none_of_a_parameters_values", {AS(7, 0, S, V)}, IS_A},
	 CHOICE("{when: {x: not $val}, then: b}"), "t;val=6;val=7"},
	{{"a_prefix_parameter", {AS(7, 0, S, V)}, IS_B}, CHOICE("{when: {s: $net}, then: b}")},
	{{"a_comparison", {AS(7, 0, S, V)}, IS_B}, CHOICE("{when: x >= 7 and y < 1, then: b}")},
	{{"operators_bind_as_they_should", {AS(6, 4, S, V)}, IS_B},
	 CHOICE("{when: x & 3 == 2 and 1 + 2 * x - 1 << 1 == 24 or y, then: b}")},
	{{"not_is_looser_than_a_comparison", {AS(6, 4, S, V)}, IS_B},
	 CHOICE("{when: not x == 7, then: b}")},
	{{"a_parameter_in_an_expression", {AS(6, 4, S, V)}, IS_B},
	 CHOICE("{when: x == $val + 1, then: b}")},

	/* Rules */
	{{"the_first_rule_that_holds_decides", {AS(1, 2, S, V)}, IS_C},
	 CHOICE("[{when: {x: 9}, then: b}, {when: {x: 1}, then: c}, {when: {y: 2}, then: b}]")},
	{{"stop_ends_the_path", {AS(1, 0, S, V)}, IS_A},
	 CHOICE("[{when: {x: 1}, then: stop}, {when: {x: 1}, then: b}]")},
	{{"what_is_attached_comes_last", {AS(251, 0, S, V)}, IS_C},
	 CHOICE("{when: {x: 251}, then: c}")},
	{{"what_is_attached_comes", {AS(251, 0, S, V)}, IS_B}, CHOICE("{when: {x: 9}, then: c}")},
	{{"a_table", {AS(0, 7, S, V)}, IS_B}, CHOICE("kind(y)")},
	{{"a_table_with_a_large_number", {AS(0, 0xfffffe, S, V)}, IS_C}, CHOICE("kind(y)")},
	{{"a_number_that_the_table_has_not_is_left_to_the_next_rule", {AS(252, 8, S, V)}, IS_C},
	 CHOICE("kind(y)")},
	{{"a_table_under_a_condition", {AS(3, 7, S, V)}, IS_A},
	 CHOICE("{when: {x: 4}, then: kind(y)}")},
	{{"the_nearest_earlier_header_of_a_name",
	  {PIECE(2, 1), PIECE(3, 1), PIECE(4, 0), PIECE(9)},
	  "a@0 a@2 a@4 b@6", FINE("B", "09")},
	 "headers:\n  a: {first: true, layout: x:8 more:8, next: [{when: {more: 1}, then: a}, b]}\n"
	 "  b: {layout: k:8, valid: {a.x: 4}}\n"
	 "packet_types: {B: {path: a+ b, rss: b.k}}\n"},
	{{"the_header_before_of_the_same_name",
	  {PIECE(7, 1), PIECE(7, 1), PIECE(8, 1), PIECE(8, 1)},
	  "a@0 a@2 a@4", FINE("A", "0708")},
	 "headers:\n  a: {first: true, layout: x:8 more:8, next: [{when: a.x != x and a.x, then: "
	 "stop}, {when: {more: 1}, then: a}]}\n"
	 "packet_types: {A: {path: a+, rss: a.x a#3.x}}\n"},
	{{"a_field_that_is_not_there_is_0_in_an_expression_and_false_in_a_match",
	  {PIECE(0), PIECE(9)}, "a@0 b@1", FINE("B", "09")},
	 "headers:\n  a: {first: true, layout: 'x:8 [x ? y:8]', next: [{when: {y: 0}, then: stop}, "
	 "{when: {y: not 1}, then: stop}, {when: y == 0, then: b}]}\n"
	 "  b: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}}\n"},
	{{"a_key_that_is_not_there_is_left_to_the_next_rule",
	  {PIECE(0), PIECE(9)}, "a@0 b@1", FINE("B", "09")},
	 "tables: {kind: k}\n"
	 "headers:\n  a: {first: true, layout: 'x:8 [x ? y:8]', next: [kind(y), b]}\n"
	 "  b: {layout: k:8}\n  c: {after: kind(0), layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}, C: {path: a c}}\n"},
	{{"a_header_of_several_places",
	  {PIECE(1), PIECE(6), PIECE(0x77)}, "a@0 b@1 c@2", FINE("C", "77")},
	 "tables: {kind: k}\n"
	 "headers:\n  a: {first: true, layout: x:8, next: [{when: {x: 1}, then: b}, kind(x)]}\n"
	 "  b: {layout: k:8}\n  c: {after: ['kind(5)', 'b(k=6|7), a(x=9)'], layout: k:8}\n"
	 "packet_types: {B: {path: a b}, C: {path: a b? c, rss: c.k}}\n"},

	/* Layouts */
	{{"a_length_from_a_field", {PIECE(6, 1, 2, 3, 4, 5), PIECE(9)}, "a@0 b@6", FINE("B", "09")},
	 "headers:\n  a: {first: true, layout: n:8 ..., length: n, next: b}\n  b: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}}\n"},
	{{"a_length_without_dots_is_a_length_all_the_same",
	  {PIECE(6, 1, 2, 3, 4, 5), PIECE(9)}, "a@0 b@6", FINE("B", "09")},
	 "headers:\n  a: {first: true, layout: n:8, length: n, next: b}\n  b: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}}\n"},
	{{"a_length_smaller_than_the_layout_is_malformed", {PIECE(2, 1, 2, 3)}, MALFORMED},
	 "headers: {a: {first: true, layout: n:8 ... e:16, length: n}}\n"
	 "packet_types: {A: {path: a}}\n"},
	{{"fields_from_the_headers_end",
	  {PIECE(9, 1, 2, 3, 4, 5, 0x6a, 0xbc, 0xd7)},
	  "a@0", "A", NULL, "", 0, 0xabc, "0abc07"},
	 FROM_END},
	{{"fields_from_the_end_of_the_shortest_header",
	  {PIECE(4, 0x6a, 0xbc, 0xd7)}, "a@0", "A", NULL, "", 0, 0xabc, "0abc07"},
	 FROM_END},
	{{"optional_fields_that_are_there_move_what_follows",
	  {PIECE(0x80, 0x11, 0x22, 0x33)}, A_HASHED("112233")}, OPTIONAL},
	{{"other_optional_fields_that_are_there", {PIECE(0x40, 0x11, 0x22)}, A_HASHED("1122")},
	 OPTIONAL},
	{{"all_optional_fields", {PIECE(0xc0, 0x11, 0x22, 0x33, 0x44)}, A_HASHED("11223344")},
	 OPTIONAL},
	{{"no_optional_fields", {PIECE(0, 0x11)}, A_HASHED("11")}, OPTIONAL},
	{{"optional_fields_that_depend_on_optional_fields",
	  {PIECE(1, 0x81, 0x33, 0x44)}, A_HASHED("3344")},
	 ONE("'e:8 [e ? f:1 _:7] [f ? x:8] z:8'") "packet_types: {A: {path: a, rss: a.x a.z}}\n"},
	{{"optional_fields_before_an_open_middle",
	  {PIECE(0x16, 0x11, 1, 2, 3, 0x99), PIECE(5)}, "a@0 b@6", FINE("B", "119905")},
	 "headers:\n  a: {first: true, layout: 'e:4 n:4 [e ? x:8] ... z:8', length: n, next: b}\n"
	 "  b: {layout: k:8}\npacket_types: {B: {path: a b, rss: a.x a.z b.k}}\n"},
	{{"a_length_too_small_for_its_optional_fields_is_malformed",
	  {PIECE(0x12, 0x11, 0x22)}, MALFORMED},
	 "headers: {a: {first: true, layout: 'e:4 n:4 [e ? x:8] ... z:8', length: n}}\n"
	 "packet_types: {A: {path: a}}\n"},
	{{"a_width_from_a_parameter", {PIECE(1, 2, 3, 4)}, A_HASHED("01020304")},
	 "parameters: {size: 3}\nheaders: {a: {first: true, layout: 'x:(8 * $size) y:8'}}\n"
	 "packet_types: {A: {path: a, rss: a.x a.y}}\n"},
	{{"what_is_not_valid_is_malformed", {PIECE(2, 2)}, MALFORMED},
	 "headers: {a: {first: true, layout: x:8 y:8, valid: {x: 1}}}\n"
	 "packet_types: {A: {path: a}}\n"},

	/* Look-ahead and hidden headers */
	{{"look_ahead", {PIECE(1), PIECE(0x4f)}, "a@0 b@1", FINE("B", "4f")},
	 "headers:\n  a: {first: true, layout: x:8, ahead: n:4, next: [{when: {n: 4}, then: b}, "
	 "{when: {n: 6}, then: c}]}\n  b: {layout: k:8}\n  c: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: b.k}, C: {path: a c}}\n"},
	{{"look_ahead_behind_a_packets_end_is_no_decision",
	  {PIECE(1)}, "a@0", "A", "truncated", "", 0, 0, ""},
	 "headers:\n  a: {first: true, layout: x:8, ahead: n:4, next: [{when: n == 0, then: b}]}\n"
	 "  b: {layout: '[a.x == 9 ? k:8]'}\n"
	 "packet_types: {A: {path: a}, B: {path: a b}}\n"},
	{{"what_stands_behind_an_undecided_rule_does_not_count",
	  {PIECE(1), PIECE(9)}, "a@0", "A", "truncated", "", 0, 0, ""},
	 "headers:\n"
	 "  a: {first: true, layout: x:8, ahead: _:8 n:8, next: [{when: {n: 4}, then: b}, c]}\n"
	 "  b: {layout: k:16}\n  c: {layout: k:8}\n"
	 "packet_types: {A: {path: a}, B: {path: a b}, C: {path: a c}}\n"},
	{{"a_hidden_header_takes_no_place_in_the_path",
	  {PIECE(1), PIECE(0xcc), PIECE(7)}, "a@0 b@2", FINE("B", "cc07")},
	 "headers:\n  a: {first: true, layout: x:8, next: cw}\n"
	 "  cw: {hidden: true, layout: w:8, next: b}\n  b: {layout: k:8}\n"
	 "packet_types: {B: {path: a b, rss: cw.w b.k}}\n"},
	{{"a_packet_may_begin_with_a_hidden_header", {PIECE(0x4f)}, "b@0", FINE("B", "4f")},
	 "headers:\n"
	 "  ip: {first: true, hidden: true, ahead: n:4, next: [{when: {n: 4}, then: b}, c]}\n"
	 "  b: {layout: k:8}\n  c: {layout: k:16}\n"
	 "packet_types: {B: {path: b, rss: b.k}, C: {path: c}}\n"},

	{{"bytes_since_a_header", {PIECE(1, 9), PIECE(0xcc), PIECE(7)}, "a@0 b@3", FINE("B", "07")},
	 SINCE},
	{{"bytes_since_a_header_that_are_others",
	  {PIECE(1, 8), PIECE(0xcc), PIECE(7)}, A_HASHED("")}, SINCE},
	{{"a_parameter_that_takes_a_rule_away", {AS(1, 0, S, V)}, IS_C},
	 CHOICE("[{when: $val, then: b}, c]"), "t;val=0"},
	{{"a_parameter_that_makes_a_rule_apply", {AS(1, 0, S, V)}, IS_B},
	 CHOICE("[{when: $val, then: b}, c]")},

	/* Some bits of a field */
	{{"leading_bits", {PIECE(0xab, 0xcd, 0xef)}, A_HASHED("2a")}, BITS("a.x/6")},
	{{"leading_bits_of_several_bytes", {PIECE(0xab, 0xcd, 0xef)}, A_HASHED("02af")},
	 BITS("a.x/10")},
	{{"bits_in_the_middle", {PIECE(0xab, 0xcd, 0xef)}, A_HASHED("bc")}, BITS("a.x/0x0ff0")},
	{{"bits_at_the_end_beside_others", {PIECE(0xab, 0xcd, 0xef)}, A_HASHED("0def0a")},
	 BITS("a.x/0xf a.y a.x/0xf000")},

	/* Packet types */
	{{"the_longest_path_is_the_type",
	  {PIECE(1), PIECE(1), PIECE(3)}, "a@0 b@1 b@2", FINE("BB", "")},
	 LONGER},
	{{"what_follows_the_longest_path_does_not_matter",
	  {PIECE(1), PIECE(1), PIECE(1), PIECE(3)}, "a@0 b@1 b@2 b@3", FINE("BB", "")},
	 LONGER},
	{{"alternatives_options_and_repeats",
	  {PIECE(1), PIECE(1), PIECE(2), PIECE(1), PIECE(9), PIECE(0)},
	  "a@0 b@1 b@2 c@3 b@4 d@5", FINE("T", "")},
	 "tables: {k: kinds}\nheaders:\n  a: {first: true, layout: x:8, next: k(x)}\n"
	 "  b: {after: k(1), layout: x:8, next: [{when: {x: 9}, then: d}, k(x)]}\n"
	 "  c: {after: k(2), layout: x:8, next: k(x)}\n  d: {layout: x:8, after: k(9)}\n"
	 "packet_types: {T: {path: a d? (b c | b)+ d}}\n"},
	{{"any_header",
	  {PIECE(1), PIECE(2), PIECE(1), PIECE(9), PIECE(0)},
	  "a@0 b@1 c@2 b@3 d@4", FINE("T", "")},
	 "tables: {k: kinds}\nheaders:\n  a: {first: true, layout: x:8, next: k(x)}\n"
	 "  b: {after: k(1), layout: x:8, next: k(x)}\n"
	 "  c: {after: k(2), layout: x:8, next: k(x)}\n  d: {layout: x:8, after: k(9)}\n"
	 "packet_types: {S: {path: a b _ b}, T: {path: a _+ d}}\n"},
	{{"the_higher_priority_wins", {PIECE(1)}, "a@0", FINE("HIGH", "")},
	 ONE("x:8") "packet_types: {LOW: {path: a, priority: -1}, HIGH: {path: a, priority: 2}, "
		    "MIDDLE: {path: a, priority: 1}}\n"},
	{{"a_type_with_a_condition_comes_before_one_without", {PIECE(1)}, "a@0", FINE("ONE", "")},
	 ONE("x:8") "packet_types: {ANY: {path: a}, ONE: {path: a, when: {a.x: 1}}}\n"},
	{{"a_condition_that_does_not_hold_leaves_the_other_type",
	  {PIECE(2)}, "a@0", FINE("ANY", "")},
	 ONE("x:8") "packet_types: {ANY: {path: a}, ONE: {path: a, when: {a.x: 1}}}\n"},
	{{"conditions_are_tried_in_their_order", {PIECE(3)}, "a@0", FINE("ODD", "")},
	 ONE("x:8")
	 "packet_types: {ODD: {path: a, when: a.x & 1}, SMALL: {path: a, when: a.x < 9}}\n"},
	{{"a_condition_that_fails_leaves_the_shorter_path",
	  {PIECE(1), PIECE(2)}, "a@0 b@1", FINE("A", "")},
	 "headers:\n  a: {first: true, layout: x:8, next: b}\n  b: {layout: k:8}\n"
	 "packet_types: {A: {path: a}, B: {path: a b, when: {b.k: 1}}}\n"},
	{{"a_ptype_of_a_packet_type_replaces_its_layers",
	  {PIECE(1)}, "a@0", "A", NULL, "L2_ETHER L3_IPV6 L4_SCTP", 0, 0, ""},
	 "headers: {a: {first: true, layout: x:8, ptype: L2_ETHER L3_IPV4}}\n"
	 "packet_types: {A: {path: a, ptype: L3_IPV6 L4_SCTP}}\n"},
	{{"a_fragment_is_a_fragment_whatever_its_header_is_else",
	  {PIECE(1)}, "a@0", "A", NULL, "L3_IPV4 L4_FRAG", 0, 0, ""},
	 "headers: {a: {first: true, layout: x:8, fragment: x, ptype: L3_IPV4 L4_SCTP}}\n"
	 "packet_types: {A: {path: a}}\n"},
	{{"ip_in_ip_is_a_tunnel",
	  {PIECE(1), PIECE(1), PIECE(7)},
	  "a@0 a@1 a@2", "A", NULL, "L3_IPV4 TUNNEL_IP INNER_L3_IPV4", 2, 0, "07"},
	 "headers: {a: {first: true, layout: x:8, ptype: L3_IPV4, next: {when: {x: 1}, then: a}}}\n"
	 "packet_types: {A: {path: a+, rss: inner.a.x}}\n"},

	/* References of packet types */
	{{"the_second_of_a_name",
	  {PIECE(1), PIECE(1), PIECE(7)}, "a@0 a@1 a@2", "A", NULL, "", 0, 7, "0701"},
	 "headers: {a: {first: true, layout: x:8, next: {when: {x: 1}, then: a}}}\n"
	 "packet_types: {A: {path: a+, rss: a#3.x a.x a#4.x, extract: a#3.x}}\n"},
	{{"inner_is_behind_the_last_ip_header_and_outer_before_the_second",
	  {PIECE(1), PIECE(0x11), PIECE(2), PIECE(0x22), PIECE(3), PIECE(0x33)},
	  "ip@0 l4@1 ip@2 l4@3 ip@4 l4@5", "T", NULL,
	  "L3_IPV4 L4_UDP TUNNEL_IP INNER_L3_IPV4 INNER_L4_UDP", 4, 0, "0333011122"},
	 SIDES},
	{{"what_is_only_inside_is_not_outer",
	  {PIECE(1), PIECE(0x11), PIECE(0x22)},
	  "ip@0 ip@1 l4@2", "T", NULL, "L3_IPV4 TUNNEL_IP INNER_L3_IPV4 INNER_L4_UDP", 1, 0,
	  "0122"},
	 "headers:\n"
	 "  ip: {first: true, layout: x:8, ptype: L3_IPV4, next: [{when: {x: 1}, then: ip}, l4]}\n"
	 "  l4: {layout: k:8, ptype: L4_UDP}\n"
	 "packet_types: {T: {path: ip+ l4, rss: outer.ip.x outer.l4.k inner.l4.k}}\n"},
	{{"without_a_second_ip_header_all_is_inner_and_outer",
	  {PIECE(3), PIECE(0x11)},
	  "ip@0 l4@1", "T", NULL, "L3_IPV4 L4_UDP", 0, 0, "03110311"},
	 SIDES},
	{{"without_an_ip_header_nothing_is_inner", {PIECE(3)}, A_HASHED("03")},
	 ONE("x:8") "packet_types: {A: {path: a, rss: inner.a.x a.x}}\n"},

	/* Input sets */
	{{"the_leading_bits_of_a_field",
	  {PIECE(0x20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)},
	  A_HASHED("20010203040506072001")},
	 ONE("v:128") "packet_types: {A: {path: a, rss: a.v/64 a.v/16}}\n"},
	{{"leading_bits_that_begin_within_a_byte",
	  {PIECE(0xa1, 0x23, 0x45, 0x6b)}, A_HASHED("1234")},
	 ONE("_:4 v:24 _:4") "packet_types: {A: {path: a, rss: a.v/16}}\n"},
	{{"leading_bits_extracted",
	  {PIECE(0x20, 1, 0xd, 0xb8, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)},
	  "a@0", "A", NULL, "", 0, 0x20010db8, ""},
	 ONE("v:128") "packet_types: {A: {path: a, extract: a.v/32}}\n"},
	{{"a_field_extracted_where_it_is_not_there_is_0", {PIECE(0)}, A_HASHED("")},
	 ONE("'x:8 [x ? y:8]'") "packet_types: {A: {path: a, extract: a.y}}\n"},
	{{"narrow_fields_take_whole_bytes", {PIECE(0xab, 0xcd)}, A_HASHED("0a05010d")},
	 ONE("a:4 b:3 c:1 _:4 d:4") "packet_types: {A: {path: a, rss: a.a a.b a.c a.d}}\n"},
	{{"the_input_set_of_a_direction", {PIECE(1, 0x11, 0x22)}, A_HASHED("11")}, DIRECTIONS},
	{{"the_input_set_of_the_other_direction", {PIECE(0, 0x11, 0x22)}, A_HASHED("22")},
	 DIRECTIONS},
	{{"the_input_set_where_no_condition_holds", {PIECE(5, 0x11, 0x22)}, A_HASHED("05")},
	 DIRECTIONS},
	{{"no_input_set_that_fits_is_not_hashed", {PIECE(5, 0x11, 0x22)}, A_HASHED("")},
	 ONE("dir:8 src:8 dst:8")
	 "packet_types: {A: {path: a, rss: {when: {a.dir: 1}, hash: a.src}}}\n"},
	{{"a_chosen_input_set", {PIECE(5, 0x11, 0x22)}, "a@0", FINE("AB", "22")},
	 ONE("dir:8 src:8 dst:8")
	 "packet_types: {AB: {path: a, rss: a.src}}\n"
	 "input_sets: {one: {A*: a.dir}, two: {'*': a.dir, A?: a.dst}}\n",
	 "t:two"},
	{{"a_fragment_that_is_the_whole",
	  {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 0), UDP(1024, 53)},
	  "eth@0 ipv6@14 ipv6_frag@54 udp@62", "IPV6_FRAG", NULL,
	  "L2_ETHER L3_IPV6_EXT_UNKNOWN L4_FRAG", 0, 0,
	  "20010db80000007701020304050607082606470000000000000000000000002a"}, "", "base"},
};
// clang-format on

ROWS_TEST(means, features) {
	const struct feature *row = *state;
	struct loaded loaded;
	uint8_t bytes[PACKET_MAX];
	uint64_t seed = 77;
	char *text;

	assert_true(asprintf(&text, "profile: t\n%s", row->text) > 0);
	scratch_write_text("t.yaml", text);
	free(text);
	loaded = load_good(row->spec == NULL ? "t" : row->spec);
	assert_sample(loaded.program, &row->sample);
	for (unsigned int i = 0; i < 200; i++) {
		uint32_t len = packet_build(row->sample.packet, bytes);

		assert_agree(&loaded, bytes, mutate(bytes, len, &seed));
	}
}

static struct loaded load_text(const char *text) {
	scratch_write_text("t.yaml", text);
	return load_good("t");
}

// Bits [off, off + width) in hex, right-aligned in whole bytes; the text stays until the next call.
static const char *expected_hex(const uint8_t *bytes, unsigned int off, unsigned int width) {
	static char text[33];
	number value = 0;

	for (unsigned int bit = off; bit < off + width; bit++)
		value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
	snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, (uint64_t)(value >> 64),
		 (uint64_t)value);
	return text + 32 - (width + 7) / 8 * 2;
}

// A value that only this field's bits have, as a condition writes it.
static void expected_value(const char *hex, unsigned int width, char *value, size_t size) {
	size_t len = strlen(hex);
	size_t n = 0;

	if (width <= 64) {
		snprintf(value, size, "0x%s", hex);
	} else if (width < 128) { // its low 64 bits: a number has no more
		snprintf(value, size, "0x%s/0xffffffffffffffff", hex + len - 16);
	} else {
		for (size_t i = 0; i < len; i += 4)
			n += snprintf(value + n, size - n, "%s%.4s", i == 0 ? "'" : ":", hex + i);
		snprintf(value + n, size - n, "'");
	}
}

static void assert_field(unsigned int off, unsigned int width, uint8_t bytes[18]) {
	const char *expected = expected_hex(bytes, off, width);
	char filler[8] = "", text[300], value[60];
	unsigned int last = off + width - 1;
	struct ddp_class class;
	struct loaded loaded;

	if (off > 0)
		snprintf(filler, sizeof(filler), "_:%u", off);
	expected_value(expected, width, value, sizeof(value));
	snprintf(text, sizeof(text),
		 "profile: t\nheaders: {a: {first: true, layout: '%s x:%u _:%u'}}\n"
		 "packet_types: {THIS: {path: a, when: {a.x: %s}, rss: a.x}, OTHER: {path: a}}\n",
		 filler, width, 144 - off - width, value);
	loaded = load_text(text);
	assert_agree(&loaded, bytes, 18);
	classify_bytes(loaded.program, bytes, 18, &class);
	assert_int_equal(class.type_id, 1);
	assert_string_equal(input_text(loaded.program, bytes, 18, &class), expected);
	bytes[last / 8] ^= 0x80 >> last % 8;
	assert_agree(&loaded, bytes, 18);
	classify_bytes(loaded.program, bytes, 18, &class);
	assert_int_equal(class.type_id, 2);
	bytes[last / 8] ^= 0x80 >> last % 8;
}

TEST(a_field_of_any_width_at_any_bit) {
	uint8_t bytes[18];
	uint64_t seed = 5;

	random_bytes(&seed, bytes, sizeof(bytes));
	for (unsigned int width = 1; width <= 128; width++)
		for (unsigned int off = 0; off < 8; off++)
			assert_field(off, width, bytes);
}

// A profile with numbers from 1 on in it.
static struct loaded load_numbers(const char *before, unsigned int end, unsigned int step,
				  const char *after) {
	char *text = NULL;
	struct loaded loaded;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(before, out);
	for (unsigned int i = 1; i < end; i += step)
		fprintf(out, "%s%u", i > 1 ? ", " : "", i);
	fputs(after, out);
	fclose(out);
	loaded = load_text(text);
	free(text);
	return loaded;
}

TEST(a_list_of_70000_values_is_not_cut) {
	struct loaded loaded = load_numbers(
		"profile: t\nheaders:\n"
		"  a: {first: true, layout: x:32, next: {then: b, when: {x: [",
		70000, 1, "]}}}\n  b: {layout: k:8}\npacket_types: {B: {path: a b}}\n");
	struct ddp_class class;

	classify_bytes(loaded.program, (const uint8_t[]){BE32(69999), 9}, 5, &class);
	assert_int_equal(class.type_id, 1);
	classify_bytes(loaded.program, (const uint8_t[]){BE32(70000), 9}, 5, &class);
	assert_int_equal(class.type_id, 0);
}

TEST(a_table_of_many_values_knows_each_and_no_other) {
	struct loaded loaded = load_numbers(
		"profile: t\ntables: {kind: k}\nheaders:\n"
		"  a: {first: true, layout: x:32, next: kind(x)}\n  b: {layout: k:8, after: 'kind(",
		4000, 2, ")'}\npacket_types: {B: {path: a b}}\n");
	struct ddp_class class;

	for (unsigned int i = 0; i < 5000; i++) {
		classify_bytes(loaded.program, (const uint8_t[]){BE32(i), 9}, 5, &class);
		assert_int_equal(class.type_id, i % 2 == 1 && i < 4000);
	}
}
