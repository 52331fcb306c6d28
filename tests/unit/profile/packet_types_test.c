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
	"beta)', whole: part}\n"                                                                     \
	"packet_types:\n"

#define TEN "(((((((((("
#define COUNTED ": after '#' comes which one it is, from 1"
#define BITS \
	": expected a number of leading bits, 1 to 16, or a mask of bits side by side, such as 0x3c"
#define LETTERS_64 "ABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCDEFGHIJABCD"

static const struct part paths[] = {
	{"alpha bta", "9:19", "unknown header or path 'bta'; did you mean 'beta'?"},
	{"prt", "9:13", "unknown header or path 'prt'; did you mean 'part'?"},
	{"alpha hid", "9:19", "'hid' is hidden: it cannot be part of a path"},
	{"again", "7:41", "path 'again' contains itself"},
	{"one", "7:74", "path 'one' contains itself"},
	{"alpha", "u.yaml:3:9", "path 'gamma': a header in t.yaml:5 has this name",
	 "profile: u\nrequires: [t]\npaths: {gamma: alpha}\npacket_types: {C: {path: gamma}}\n"},
	{"bad", "7:95", "expected a header, found ')'"},
	{"alpha (beta", "9:24", "expected ')', found the end"},
	{"alpha beta)", "9:23", "expected a header, found ')'"},
	{"alpha ()", "9:20", "expected a header, found ')'"},
	{"alpha | ", "9:20", "expected a header, found the end"},
	{"\"* alpha\"", "9:14", "expected a header, found '*'"},
	{"alpha 3", "9:19", "expected a header, found '3'"},
	{"alpha.x", "9:13", "unknown header or path 'alpha.x'; did you mean 'alpha'?"},
	{TEN TEN "((((alpha))))))))))))))))))))))))"},
	{TEN TEN "(((((alpha)))))))))))))))))))))))))", "9:37", "nested too deep"},
	{TEN TEN "((((whole))))))))))))))))))))))))", "7:106", "path 'part': nested too deep"},
	{"''", "9:13", "expected a path such as 'eth vlan* ipv4 udp', found nothing"},
	{"[alpha]", "9:13", "expected a path such as 'eth vlan* ipv4 udp', found a list"},
	{"alpha", "u.yaml:3:16",
	 "packet type 'A' (profile 'u') is already in t.yaml:9 (profile 't')",
	 "profile: u\nrequires: [t]\npacket_types: {A: {path: alpha beta}}\n"},
	{"alpha beta, extract: beta.m", "9:34",
	 "'beta.m' has 40 bits: the first field extracted goes into the mbuf and has at "
	 "most 32"},
	{"alpha beta, extract: beta.k beta.m"},
};

PARTS(paths, HEADERS "  A: {path: @}\n  B: {path: alpha beta gamma}\n")

static const struct part keys[] = {
	{"priority: high", "9:30", "priority 'high': a number from -1000 to 1000"},
	{"priority: 1001", "9:30", "priority '1001': a number from -1000 to 1000"},
	{"priority: 1st", "9:30", "priority '1st': a number from -1000 to 1000"},
	{"priority: [1]", "9:30", "expected a number, found a list"},
	{"ptype: [L2_ETHER]", "9:27", "expected packet type words such as L3_IPV4, found a list"},
	{"ptype: L2_ETHR", "9:27", "unknown packet type word 'L2_ETHR'; did you mean 'L2_ETHER'?"},
	{"ptype: L2_ETHER | L3_IPV4", "9:36", "expected a packet type word, found '|'"},
	{"when: {x: 1}", "9:27", "field 'x': of which header? (header.field)"},
	{"when: {gamma.n: 1}", "9:27",
	 "'gamma.n' is look-ahead: only the header's own 'next' may use it"},
	{"when: {'alpha#0.x': 1}", "9:27", "'alpha#0.x'" COUNTED},
	{"when: {'alpha#two.x': 1}", "9:27", "'alpha#two.x'" COUNTED},
	{"when: {'inner.alpha#2.x': 1}", "9:27", "'inner.alpha#2.x'" COUNTED},
	{"when: {inner.x: 1}", "9:27", "'inner.x' is not of the form header.field"},
	{"extract: alpha.v/40", "9:29",
	 "'alpha.v/40' has 40 bits: the first field extracted goes into the mbuf and has at most "
	 "32"},
	{"extract: beta.k", "9:3",
	 "packet type 'A' extracts 'beta.k', but its path has no such header"},
	{"extract: alpha.v/32"},
};

PARTS(keys, HEADERS "  A: {path: alpha, @}\n  B: {path: alpha beta gamma}\n")

static const struct part inputs[] = {
	{"x", "9:25", "field 'x': of which header? (header.field)"},
	{"alpha.x alhpa.y", "9:33", "unknown header 'alhpa'; did you mean 'alpha'?"},
	{"beta.kk", "9:25", "unknown field of header 'beta' 'kk'; did you mean 'k'?"},
	{"'alpha.x, alpha.y'", "9:33", "expected a field, found ','"},
	{"gamma.n", "9:25", "'gamma.n' is look-ahead: only the header's own 'next' may use it"},
	{"alpha.y/0xff0f", "9:33", "'alpha.y/0xff0f'" BITS},
	{"alpha.y/0x0", "9:33", "'alpha.y/0x0'" BITS},
	{"alpha.y/24", "9:33", "'alpha.y/24'" BITS},
	{"alpha.y/0", "9:33", "'alpha.y/0'" BITS},
	{"alpha.y/", "9:33", "'alpha.y/'" BITS},
	{"alpha.y/0x10000", "9:33", "'0x10000' does not fit 16 bits"},
	{"alpha.v alpha.v alpha.v"},
	{"alpha.v alpha.v alpha.v alpha.x", "9:25",
	 "this input set takes 49 bytes, a hash covers at most 48"},
	{"''", "9:25", "expected fields such as 'ipv4.src ipv4.dst', found nothing"},
	{"' '", "9:25", "an input set without a field"},
	{"gamma.p", "9:25", "packet type 'A' has none of the headers that are hashed here"},
	{"{when: {alpha.x: 1}}", "9:25", "an input set without 'hash'"},
	{"{hsah: alpha.x}", "9:26", "unknown key of an input set: 'hsah'; did you mean 'hash'?"},
	{"[[alpha.x]]", "9:26",
	 "expected an input set such as {when: {...}, hash: ipv4.src}, found a list"},
	{"{rss_hf: ipv4 ipv7, hash: alpha.x}", "9:39",
	 "unknown RSS type 'ipv7'; did you mean 'ipv4'?"},
	{"{rss_hf: [ipv4], hash: alpha.x}", "9:34",
	 "expected RSS types such as 'ipv4-udp ipv4', found a list"},
};

PARTS(inputs, HEADERS "  A: {path: alpha, rss: @}\n  B: {path: alpha beta gamma}\n")

static const struct part types[] = {
	{"A: {rss: alpha.x}", "9:3", "packet type 'A' has no 'path'"},
	{"A: {pth: alpha}", "9:7", "unknown key of a packet type: 'pth'; did you mean 'path'?"},
	{"A: alpha", "9:6", "expected a packet type with a 'path', found a word"},
	{"[A]", "9:3", "expected packet types by name, found a list"},
	{"A B: {path: alpha}", "9:3",
	 "packet type 'A B': a name has 1 to 63 letters, digits, '_' or '-'"},
	{"none: {path: alpha}\n  UNKNOWN: {path: alpha beta}", "9:3",
	 "packet type 'none': packets without a packet type are called so\n"
	 "t.yaml:10:3: error: packet type 'UNKNOWN': packets without a packet type are called so"},
	{LETTERS_64 ": {path: alpha}", "9:3",
	 "packet type '" LETTERS_64 "': a name has 1 to 63 letters, digits, '_' or '-'"},
};

PARTS(types, HEADERS "  @\n")

static const struct part sets[] = {
	{"[s]", "10:13", "expected input sets by name, found a list"},
	{"{s: alpha.x}", "10:17", "expected packet types and what to hash for them, found a word"},
	{"{s: {B: alpha.x}}", "10:18", "unknown packet type 'B'"},
	{"{s: {A B*: alpha.x}}", "10:20", "unknown packet type 'B*'"},
	{"{s: {A: alpha.x, A* A: alpha.x}}", "10:33", "'A' is given twice"},
	{"{s: {'': alpha.x}}", "10:19", "unknown packet type ''"},
	{"{s: {A: alpha.z}}", "10:21", "unknown field of header 'alpha' 'z'"},
	{"{s: {A: alpha.x}, r: {A: alpha.z}}", "10:38", "unknown field of header 'alpha' 'z'", NULL,
	 "t:s"},
	{"{s: {A: beta.k}}", "10:21",
	 "packet type 'A' has none of the headers that are hashed here", NULL, "t:s"},
};

PARTS(sets, HEADERS "  A: {path: alpha}\ninput_sets: @\n")

// The words of `ptype:` are DPDK's: a wrong bit makes an application take one packet for another.
#define MASK_ROW(name) \
	{ #name, DDP_RTE_PTYPE_##name, RTE_PTYPE_##name }

static const struct word {
	const char *name;
	uint32_t ours, dpdk;
} words[] = {MASK_ROW(L2_MASK),
	     MASK_ROW(L3_MASK),
	     MASK_ROW(L4_MASK),
	     MASK_ROW(TUNNEL_MASK),
	     MASK_ROW(INNER_L2_MASK),
	     MASK_ROW(INNER_L3_MASK),
	     MASK_ROW(INNER_L4_MASK),
	     {"OUTER_MASK", DDP_RTE_PTYPE_OUTER_MASK,
	      RTE_PTYPE_L2_MASK | RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK | RTE_PTYPE_TUNNEL_MASK},
	     {"INNER_MASK", DDP_RTE_PTYPE_INNER_MASK,
	      RTE_PTYPE_INNER_L2_MASK | RTE_PTYPE_INNER_L3_MASK | RTE_PTYPE_INNER_L4_MASK},
#define X(name, bits) {#name, bits, RTE_PTYPE_##name},
	     DDP_RTE_PTYPES(X)
#undef X
};

ROWS_TEST(is_dpdks, words) {
	const struct word *row = *state;

	assert_int_equal(row->ours, row->dpdk);
}
