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

static const struct part lengths[] = {
	{"''", "9:13", "expected an expression, found nothing"},
	{"4 *", "9:16", "expected a field or a number, found the end"},
	{"40 x", "9:16", "expected an operator, found 'x'"},
	{"\"* 4\"", "9:14", "expected a field or a number, found '*'"},
	{"(40 + x", "9:20", "expected ')', found the end"},
	{"40 + x)", "9:19", "expected an operator, found ')'"},
	{"40 + 0xzz", "9:18", "'0xzz' is not a number"},
	{"0x10000000000000000", "9:13", "'0x10000000000000000' is not a number of at most 64 bits"},
	{"x / 2", "9:15", "expected an operator, found '/'"},
	{"40 + xx", "9:18", "unknown field of header 'a' 'xx'; did you mean 'x'?"},
	{"40 + v", "9:13", "'40 + v' uses a field of more than 64 bits"},
	{"40 + $nun", "9:18", "unknown parameter 'nun'; did you mean 'num'?"},
	{"40 + $word", "2:46", "'http' is not a number"},
	{"40 + $num", "9:18", "$num has several values, one is needed here", NULL, "t;num=5;num=6"},
	{"40 + $", "9:18", "unexpected character '$'"},
	{"300 - y", "9:13", "'300 - y' can become negative"},
	{"32 + x - x", "9:13", "'32 + x - x' can become negative"},
	{"w + 1", "9:13", "'w + 1' can become too large"},
	{"w * 2", "9:13", "'w * 2' can become too large"},
	{"y << 49", "9:13", "'y << 49' can become too large"},
	{"1 << x", "9:13", "'1 << x' can become too large"},
	{"y >> 64", "9:13", "'y >> 64' shifts by more than 63 bits"},
	{"300 + (x - y)", "9:13", "'300 + (x - y)' can become negative"},
	{"((((((((((((40))))))))))))"},
	{"(((((((((((((40)))))))))))))", "9:25", "nested too deep"},
	{"40+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x", "9:63",
	 "this expression is too long"},
	{"[40]", "9:13", "expected an expression, found a list"},
	{"300 - x"},
	{"40 + (y << 47)"},
	{"40 + $num"},
	{"40 + e", "9:18", "'e' lies where the header ends, and that is not known here yet"},
	{"40 + n", "9:18", "'n' lies where the header ends, and that is not known here yet"},
};

PARTS(lengths, HEADERS "    length: @\n")

static const struct part valids[] = {
	{"not not not not not not not not not not not not not x", "10:64", "nested too deep"},
	{"1 or 1 and 1 == 1 | 1 & 1 << 1 + 1 * (1 or 1 and 1 == 1 | 1 & 1 << 1 + 1 * (1))", "10:89",
	 "this expression is too long"},
	{"(y << 48) == 0"},
	{"(1 << 63) == 0"},
	{"(1 << 64) == 0", "10:12", "'(1 << 64) == 0' can become too large"},
	{"x + 1 * 2 << 3 >> 1 & 7 | 8 == 9 and not x != 1 or x <= 1 or x >= 2 or x < 3 or x > 4"},
	{"n == 4", "10:12", "'n' is look-ahead: only the header's own 'next' may use it"},
	{"x == 4\n  b: {layout: k:8, after: zip, valid: a.n == 4}", "11:39",
	 "'a.n' is look-ahead: only the header's own 'next' may use it"},
	{"e == 4"},
};

PARTS(valids, HEADERS "    length: 32\n    valid: @\n")

static const struct part conditions[] = {
	{"zap.k == 1", "10:18", "unknown header 'zap'; did you mean 'zip'?"},
	{"zip.x == 1", "10:18", "unknown field of header 'zip' 'x'"},
	{"zip.k.x == 1", "10:18", "'zip.k.x' is not of the form header.field"},
	{"zip#2.k == 1", "10:18",
	 "'zip#2.k': a header knows only itself and the nearest header of a name before it"},
	{"inner.zip.k == 1", "10:18",
	 "'inner.zip.k': a header knows only itself and the nearest header of a name before it"},
	{"{n: 4}"},
	{"{x: 256}", "10:22", "'256' does not fit 8 bits"},
	{"{x: 1/0x1ff}", "10:22", "'1/0x1ff' does not fit 8 bits"},
	{"{x: udp}", "10:22", "'udp' is not a number"},
	{"{s: 0x10000000000000000}", "10:22",
	 "'0x10000000000000000' is not a number of at most 64 bits"},
	{"{x: -1}", "10:22", "'-1' is not a number"},
	{"{x: 1/}", "10:22", "'1/' is not a number"},
	{"{s: 10.0.0.256}", "10:22", "'10.0.0.256' is no IPv4 address or prefix"},
	{"{s: 10.0.0.0/33}", "10:22", "'10.0.0.0/33' is no IPv4 address or prefix"},
	{"{s: 10.0.0.0/x}", "10:22", "'10.0.0.0/x' is no IPv4 address or prefix"},
	{"{s: 2001::1}", "10:22", "'2001::1' is no IPv4 address or prefix"},
	{"{v: 10.0.0.1}", "10:22", "'10.0.0.1' is no IPv6 address or prefix"},
	{"{v: 2001::/129}", "10:22", "'2001::/129' is no IPv6 address or prefix"},
	{"{y: 10.0.0.1}", "10:22", "'10.0.0.1' is no value for a field that is no IP address"},
	{"{x: [1, 2, 300]}", "10:29", "'300' does not fit 8 bits"},
	{"{x: []}", "10:22", "an empty list matches nothing"},
	{"{x: [1, [2]]}", "10:26", "expected a value, found a list"},
	{"{x: [1, '']}", "10:26", "expected a value, found nothing"},
	{"{a.x: 1}", "10:19",
	 "warning: 'a.x' is that of a 'a' before this one; this one's own is 'x'"},
	{"{x: {y: 1}}", "10:22", "expected a value or a list of values, found a mapping"},
	{"{x: }", "10:22", "'' is not a number"},
	{"{x: not}", "10:22", "'not' is not a number"},
	{"{x: not 256}", "10:26", "'256' does not fit 8 bits"},
	{"{}", "10:18", "an empty condition: leave 'when' out"},
	{"[x]", "10:18", "expected a condition such as {type: 255, e: 1}, found a list"},
	{"{xx: 1}", "10:19", "unknown field of header 'a' 'xx'; did you mean 'x'?"},
	{"{x: $num}", "num=256", "'256' does not fit 8 bits", NULL, "t;num=256"},
	{"{x: $addr}", "2:28", "'10.0.0.0/8' is no value for a field that is no IP address"},
	{"{x: $nums}", "10:22", "unknown parameter 'nums'; did you mean 'num'?"},
	{"{x: 256, y: 65536, nn: 1}", "10:22",
	 "'256' does not fit 8 bits\n"
	 "t.yaml:10:30: error: '65536' does not fit 16 bits\n"
	 "t.yaml:10:37: error: unknown field of header 'a' 'nn'; did you mean 'n'?"},
	{"{x: [1, 0x2, 0x80/0xf0], y: not $num, s: $addr, v: 'fc00::/7', w: 0xffffffffffffffff}"},
};

PARTS(conditions, HEADERS "    length: 32\n    next: {when: @, then: zip}\n")
