/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"
#include "unit.h"

#define HEADERS                                   \
	"profile: t\n"                            \
	"parameters: {port: 5, word: http}\n"     \
	"tables: {kind: what follows}\n"          \
	"headers:\n"                              \
	"  zip: {layout: k:8, after: a(x=250)}\n" \
	"  b: {layout: k:8, after: kind(1)}\n"
#define U(headers) "profile: u\nrequires: [t]\n" headers

#define SAME_CASE \
	"'d' (profile 'u') comes after 'a' in the same case as 'c' in t.yaml:8 (profile 't')"
#define D_AFTER(after) U("headers:\n  d: {layout: k:8, after: " after "}\n")

static const struct part nexts[] = {
	{"zap", "7:49", "unknown header or table 'zap'; did you mean 'zip'?"},
	{"kinds(x)", "7:49", "unknown header or table 'kinds'; did you mean 'kind'?"},
	{"stp", "7:49", "unknown header or table 'stp'; did you mean 'stop'?"},
	{"zip(x)", "7:49", "'zip' is a header, no table"},
	{"kind", "7:49", "'kind' is a table: of which field? (kind(field))"},
	{"kind()", "7:54", "expected a field, found ')'"},
	{"kind(", "7:54", "expected a field, found the end"},
	{"'kind(x y)'", "7:57", "expected ')', found 'y'"},
	{"kind(yy)", "7:54", "unknown field of header 'a' 'yy'; did you mean 'y'?"},
	{"kind(v)", "7:54", "field 'v' is wider than 64 bits: no key of a table"},
	{"'kind(;)'", "7:55", "unexpected character ';'"},
	{"zip b", "7:53", "expected the end, found 'b'"},
	{"5", "7:49", "expected a header, table(field) or stop, found '5'"},
	{"", "7:49", "expected a header, table(field) or stop, found nothing"},
	{"{when: {x: 1}}", "7:49", "a rule without 'then'"},
	{"{when: {x: 1}, than: zip}", "7:64",
	 "unknown key of a rule: 'than'; did you mean 'then'?"},
	{"[[zip]]", "7:50", "expected a rule such as {when: {type: 255}, then: ip}, found a list"},
	{"{then: {x: 1}}", "7:56", "expected a header, table(field) or stop, found a mapping"},
	{"[zap, {then: stpo}]", "7:50",
	 "unknown header or table 'zap'; did you mean 'zip'?\n"
	 "t.yaml:7:62: error: unknown header or table 'stpo'; did you mean 'stop'?"},
};

PARTS(nexts, HEADERS "  a: {first: true, layout: x:8 y:8 v:128, next: @}\n")

static const struct part afters[] = {
	{"zap", "8:27", "unknown header or table 'zap'; did you mean 'zip'?"},
	{"5", "8:27", "expected what it comes after, such as udp(dport=2152), found '5'"},
	{"{a: 1}", "8:27",
	 "expected what it comes after, such as udp(dport=2152), found a mapping"},
	{"zip b", "8:31", "expected ',', found 'b'"},
	{"'zip,'", "8:32", "expected what it comes after, such as udp(dport=2152), found the end"},
	{"a(w=1)", "8:29", "unknown field of header 'a' 'w'"},
	{"a(x)", "8:30", "expected '=', found ')'"},
	{"a(x==1)", "8:30", "expected '=', found '=='"},
	{"a(x=)", "8:31", "expected a number or $parameter, found ')'"},
	{"a(x=256)", "8:31", "'256' does not fit 8 bits"},
	{"a(x=1/)", "8:33", "expected a mask, found ')'"},
	{"a(x=1/0x1ff)", "8:31", "'1/0x1ff' does not fit 8 bits"},
	{"a(x=1", "8:32", "expected ')', found the end"},
	{"a(x=$prt)", "8:31", "unknown parameter 'prt'; did you mean 'port'?"},
	{"a(x=$word)", "2:29", "'http' is not a number"},
	{"kind", "8:31", "expected '(', found the end"},
	{"kind()", "8:32", "expected a number or $parameter, found ')'"},
	{"kind(0x10/0xf0)", "8:32", "table 'kind' holds values, not masks"},
	{"[zip, zap]", "8:33", "unknown header or table 'zap'; did you mean 'zip'?"},
	{"'kind(7, 1)'", "8:36",
	 "kind 0x1 leads to 'c' here (profile 't') but to 'b' in t.yaml:6 (profile 't')"},
	{"kind(2)", "u.yaml:4:32",
	 "kind 0x2 leads to 'd' here (profile 'u') but to 'c' in t.yaml:8 (profile 't')",
	 D_AFTER("kind(2)")},
	{"a(x=5)", "u.yaml:4:27", SAME_CASE, D_AFTER("a(x=5)")},
	{"a(x=250)", "8:27",
	 "'c' (profile 't') comes after 'a' in the same case as 'zip' in t.yaml:5 (profile 't')"},
	{"a(x=0x50/0xf0)", "u.yaml:4:27", SAME_CASE, D_AFTER("a(x=0x05/0x0f)")},
	{"a(x=1|2|3)", "u.yaml:4:27", SAME_CASE, D_AFTER("a(x=9|3)")},
	{"a(x=$port)", "u.yaml:4:27", SAME_CASE, D_AFTER("a(x=6)"), "u+t;port=6"},
	{"'a(x=1, y=2)'", "u.yaml:4:28", SAME_CASE, D_AFTER("'a(y=2, x=1)'")},
	{"a(x=5)", "u.yaml:3:21",
	 "'b' (profile 'u') comes after 'a' in the same case as 'c' in t.yaml:8 (profile 't')",
	 U("extend: {a: {next: [{when: {x: 5}, then: b}]}}\n")},
	{"'a(x=1, y=2, z=3)'}\n  d: {layout: k:8, after: 'a(z=3, y=2, x=1)'", "9:28",
	 "'d' (profile 't') comes after 'a' in the same case as 'c' in t.yaml:8 (profile 't')"},
	{"'kind(2, 2)'"},
	{"'a(x=5), a(x=5)'"},
	{"a(x=5)", "", NULL, D_AFTER("a(x=6)")},
	{"a(x=5)", "", NULL, D_AFTER("a(y=5)")},
	{"a(x=5)", "u.yaml:4:28",
	 "warning: this can never apply: the rule of header 'a' in t.yaml:8 always does where "
	 "this one would",
	 D_AFTER("'a(x=5, y=5)'")},
	{"a(x=5)", "", NULL, U("extend: {a: {next: {when: {x: not 5}, then: b}}}\n")},
	{"a(x=5)", "", NULL, U("extend: {a: {next: {when: x > 100, then: b}}}\n")},
	{"a(x=5)", "", NULL, U("extend: {a: {next: {when: {zip.k: 5}, then: b}}}\n")},
	{"zip", "u.yaml:3:10", "unknown header 'zap'; did you mean 'zip'?",
	 U("extend: {zap: {after: zip}}\n")},
	{"zip", "u.yaml:3:16", "unknown key of an extended header: 'layout'",
	 U("extend: {zip: {layout: k:8}}\n")},
	{"zip", "u.yaml:3:15", "expected 'after' or 'next', found a word", U("extend: {zip: b}\n")},
	{"zip", "u.yaml:3:9", "expected headers by name, found a list", U("extend: [zip]\n")},
};

PARTS(afters, HEADERS "  a: {first: true, layout: x:8 y:8 z:8, next: kind(y)}\n"
		      "  c: {layout: k:8, after: @}\n")
