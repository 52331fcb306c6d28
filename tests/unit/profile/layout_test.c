/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"
#include "unit.h"

static const struct part layouts[] = {
	{"x:8 y", "6:18", "expected ':', found the end"},
	{"x y:8", "6:15", "expected ':', found 'y'"},
	{"x:y", "6:15", "expected a number of bits, found 'y'"},
	{"'x:'", "6:16", "expected a number of bits, found the end"},
	{"x:0", "6:13", "field 'x': 0 bits, 1 to 128 are possible"},
	{"x:8 y:129", "6:17", "field 'y': 129 bits, 1 to 128 are possible"},
	{"_:0", "6:13", "field '_': 0 bits, 1 to 128 are possible"},
	{"x:8bits", "6:15", "'8bits' is not a number"},
	{"x:99999999999999999999", "6:15",
	 "'99999999999999999999' is not a number of at most 64 bits"},
	{"x:(3 * 0x5555555555555558)", "6:13", "field 'x': 4096 bits, 1 to 128 are possible"},
	{"x:(8 * 2 y:8", "6:22", "expected ')', found 'y'"},
	{"x:(8 * )", "6:20", "expected a number of bits, found ')'"},
	{"x:$ones", "6:15", "unknown parameter 'ones'; did you mean 'one'?"},
	{"x:$word", "2:29", "'http' is not a number"},
	{"x:$wide", "2:41", "'70000' does not fit 16 bits"},
	{"x:$one", "6:15", "$one has several values, a width takes one", NULL, "t;one=8;one=16"},
	{"x:8 y:4", "6:13", "header 'a': its layout takes 12 bits, not whole bytes"},
	{"x:12 ... y:8\n    length: 8", "6:13",
	 "header 'a': its layout takes 12 bits, not whole bytes"},
	{"x:8 ... y:7\n    length: 8", "6:13",
	 "header 'a': its layout takes 7 bits behind '...', not whole bytes"},
	{"x:8 _:8 _:8 x:16", "6:25", "header 'a': field 'x' stands twice in its layout"},
	{"x:8\n    ahead: x:8", "7:12", "header 'a': field 'x' stands twice in its layout"},
	{"a:128 b:128 c:128 d:128 e:8", "6:37", "header 'a': a layout holds at most 64 bytes"},
	{"a1:8 a2:8 a3:8 a4:8 a5:8 a6:8 a7:8 a8:8 a9:8 a10:8 a11:8 a12:8 a13:8 a14:8 a15:8 a16:8\n"
	 "      b1:8 b2:8 b3:8 b4:8 b5:8 b6:8 b7:8 b8:8 b9:8 b10:8 b11:8 b12:8 b13:8 b14:8 b15:8 "
	 "b16:8\n      c1:8 c2:8 c3:8 c4:8 c5:8 c6:8 c7:8 c8:8 c9:8 c10:8 c11:8 c12:8 c13:8 c14:8 c15:8 "
	 "c16:8\n      d:8",
	 "9:7", "header 'a': more than 48 fields"},
	{"a.x:8", "6:13", "expected a field such as 'teid:32', found 'a.x'"},
	{"x:8 + y:8", "6:17", "expected a field such as 'teid:32', found '+'"},
	{"x:8 ; y:8", "6:17", "unexpected character ';'"},
	{"x:8 ä:8", "6:17", "unexpected character 'ä'"},
	{"[x, y]", "6:13", "expected a layout, found a list"},
	{"", "6:12", "expected a layout, found nothing"},
	{"e:8 [e ? x:8", "6:25", "expected ']', found the end"},
	{"e:8 x:8 ]", "6:21", "']' without '['"},
	{"e:8 [x:8]", "6:21", "expected 'condition ? fields ]', found ']'"},
	{"e:8 [ ? x:8]", "6:19", "expected a field or a number, found '?'"},
	{"e:8 [e ? x:8 [e ? y:8]]", "6:26", "optional fields cannot stand inside optional fields"},
	{"e:8 ... [e ? x:8]\n    length: 8", "6:21",
	 "optional fields cannot stand behind '...' or in 'ahead'"},
	{"e:8\n    ahead: \"[e ? x:8]\"", "7:13",
	 "optional fields cannot stand behind '...' or in 'ahead'"},
	{"e:4 [e ? x:8] y:4", "6:17", "optional fields must begin at a whole byte, this is bit 4"},
	{"e:8 [e ? x:4] y:4", "6:25", "optional fields must take whole bytes, these take 4 bits"},
	{"e:8 [e ? ]", "6:22", "optional fields must take whole bytes, these take 0 bits"},
	{"e:8 [y ? x:8] y:8", "6:17",
	 "whether these fields are there depends on 'y', which comes later"},
	{"e:8 [x ? x:8]", "6:17",
	 "whether these fields are there depends on 'x', which comes later"},
	{"e:8 [y ? x:8] ... y:8\n    length: 8", "6:18",
	 "'y' lies where the header ends, and that is not known here yet"},
	{"ext:8 [exd ? x:8]", "6:20", "unknown field of header 'a' 'exd'; did you mean 'ext'?"},
	{"e:8 [e ? a1:8] [e ? a2:8] [e ? a3:8] [e ? a4:8] [e ? a5:8] [e ? a6:8] [e ? a7:8]\n"
	 "      [e ? a8:8] [e ? a9:8]",
	 "7:18", "more than 8 groups of optional fields"},
	{"k:8 x:200 y:8\n    valid: {k: 1, x: 2, y: 3}\n    next: {when: y > 4, then: stop}",
	 "6:17", "field 'x': 200 bits, 1 to 128 are possible"},
	{"x:8 ... y:8 ... z:7\n    length: 8", "6:25",
	 "'...' stands twice: a layout has one part of varying size"},
	{"x:8 [x ? ... y:8]\n    length: 8", "6:22",
	 "'...' cannot stand inside optional fields: put it behind ']'"},
	{"x:8\n    ahead: x2:8 ... y:8", "7:17", "'...' cannot stand in 'ahead': only in 'layout'"},
	{"x:8 ...", "4:3", "header 'a': '...' in its layout needs a 'length'"},
	{"a:1 b:7 c:128 d:127 e:1 f:65 _:7"},
	{"x:8 _:400"},
	{"x:$one y:(8 * 2) z:(2 * $one)"},
	{"x:8\n    ahead: n:3"},
	{"a:128 b:128 c:128 d:128 ... e:128 f:128 g:128 h:128\n    length: 128"},
	{"e:8 [e ? a1:8] [e ? a2:8] [e ? a3:8] [e ? a4:8] [e ? a5:8] [e ? a6:8] [e ? a7:8]\n"
	 "      [a7 ? a8:8]"},
};

PARTS(layouts, "profile: t\n"
	       "parameters: {one: 24, word: http, wide: 70000}\n"
	       "headers:\n"
	       "  a:\n"
	       "    first: true\n"
	       "    layout: @\n")
