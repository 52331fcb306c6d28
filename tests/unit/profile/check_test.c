/* SPDX-License-Identifier: BSD-3-Clause */
// A profile is proved to end each walk, and warned of rules without use, before any packet meets
// it.
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define HEADERS "profile: t\nheaders:\n"
#define A HEADERS "  a: {first: true, layout: x:8, next: {when: {x: 1}, then: b}}\n"

// Of the first header: a length is never smaller than the layout.
static const struct part lengths[] = {
	{"layout: x:2 y:14 z:16, length: x", "3:3",
	 "header 'a': its length is at most 3 bytes, its layout takes 4"},
	{"layout: x:32 ... y:8, length: 4", "3:3",
	 "header 'a': its length is at most 4 bytes, its layout takes 5"},
	{"layout: x:32, length: 16"},
};

PARTS(lengths, HEADERS "  a: {first: true, @}\n")

#define NO_END "header 'b' can take no bytes and lead back to itself: a walk would not end"

static const struct part seconds[] = {
	{"hidden: true, ahead: n:8, next: {when: {n: 1}, then: b}", "4:3", NO_END},
	{"hidden: true, next: c}\n  c: {hidden: true, next: b", "4:3", NO_END},
	{"hidden: true, after: kind(7), ahead: n:8, next: kind(n)}\ntables: {kind: numbers", "4:3",
	 NO_END},
	{"layout: '[a.x ? n:8]', next: b", "4:3", NO_END},
	{"length: a.x, next: b", "4:3", NO_END},
	{"hidden: true, next: c}\n  c: {layout: y:8, next: b"},
	{"layout: y:8, next: [{when: {y: 1}, then: c}, stop]}\n  c: {layout: z:8"},

	{"hidden: true}\n  c: {layout: y:8, next: d}\n  d: {layout: z:8", "5:3",
	 "warning: header 'c' is never reached: nothing leads to it\n"
	 "t.yaml:6:3: warning: header 'd' is never reached: nothing leads to it"},
	{"hidden: true}\n  c: {hidden: true"}, // an offer

	{"layout: y:8}\npacket_types:\n  A: {path: a, rss: a.x", "4:3",
	 "warning: header 'b' is in no packet type"},
	{"hidden: true}\npacket_types:\n  A: {path: a, rss: a.x"},
	{"layout: y:8}\npacket_types:\n  A: {path: a b, rss: b.y b#2.y", "6:23",
	 "warning: no packet of type 'A' has the field 'b#2.y' that is hashed here"},
	{"layout: y:8, next: b}\npacket_types:\n  A: {path: a | a b+, rss: a.x b#2.y"},
};

PARTS(seconds, A "  b: {@}\n")

#define NEVER "warning: this can never apply: the rule of header 'a' in t.yaml:3 always does"

static const struct part rules[] = {
	{"b, {when: {x: 1}, then: c}, c", "3:47", NEVER},
	{"b", "u.yaml:4:27", NEVER,
	 "profile: u\nrequires: [t]\nheaders:\n  e: {layout: y:8, after: a(x=1)}\n"},
	{"{when: {x: [1, 2]}, then: b}, {when: {x: 2, y: 3}, then: c}", "3:74",
	 NEVER " where this one would"},
	{"{when: {x: not 1}, then: b}, {when: {x: 2}, then: c}", "3:73",
	 NEVER " where this one would"},
	{"{when: {x: not 1}, then: b}, {when: {x: 1}, then: c}, {when: {x: not 2}, then: c}, "
	 "{when: {y: 1}, then: b}"},
	{"{when: {x: 1}, then: b}, c"}, // of no bytes twice on the way to d is no loop
};

PARTS(rules,
      HEADERS "  a: {first: true, layout: x:8 y:8, next: [@]}\n"
	      "  b: {hidden: true, next: d}\n  c: {hidden: true, next: d}\n  d: {hidden: true}\n")

static const struct part wholes[] = {
	{"headers: {foo: {after: udp(dport=9), layout: x:8, next: ip}}\n"
	 "packet_types:\n  T:\n    path: link ipv4 udp foo ipv4 tcp\n"
	 "    rss: inner.ipv4.src inner.udp.sport\n",
	 "7:10",
	 "warning: no packet of type 'T' has the field 'inner.udp.sport' that is hashed here"},
};

PARTS(wholes, "profile: t\nrequires: [base]\n@")

static const struct ddp_profile *load(const char *header, const char *more) {
	char text[300];

	snprintf(text, sizeof(text), HEADERS "  a: {first: true, %s}\n%s", header, more);
	scratch_write_text("t.yaml", text);
	return scratch_load("t");
}

// The range proved for a length shows in the header's sizes.
static const struct size {
	const char *header;
	uint32_t min, max;
} sizes[] = {
	{"layout: x:8 y:24", 4, 4},
	{"layout: 'x:8 [x ? y:16] [y ? z:8]'", 1, 4},
	{"layout: x:4 y:12 ..., length: 4 * x", 2, 60},
	{"layout: x:8 ..., length: 8 + 8 * x", 8, 2048},
	{"layout: x:1 y:7 ..., length: 4 + 8 * x", 4, 12},
	{"hidden: true", 0, 0},
	{"layout: x:4 y:4, length: 1 + x + y", 1, 31},
	{"layout: x:4 y:4, length: 20 - x", 5, 20},
	{"layout: x:4 y:4, length: (x + 1) * (y + 2)", 2, 272},
	{"layout: x:4 y:4, length: 1 + (x << 2)", 1, 61},
	{"layout: x:4 y:4, length: 1 + (x >> 2)", 1, 4},
	{"layout: x:4 y:4, length: 1 + (x & 6)", 1, 7},
	{"layout: x:4 y:4, length: x | 32", 32, 63},
	{"layout: x:4 y:4, length: 1 + (x > y) + (x == 3)", 1, 3},
	{"layout: x:4 y:4, length: 1 + (x and y or not x)", 1, 2},
};

ROWS_TEST(sizes_are, sizes) {
	const struct size *row = *state;
	const struct ddp_profile *profile = load(row->header, "");

	assert_int_equal(profile->headers[0].min_size, row->min);
	assert_int_equal(profile->headers[0].max_size, row->max);
}

TEST(tables_are_sorted) {
	static const uint64_t sorted[] = {0, 3, 4, 5, 9, UINT64_MAX};
	const struct ddp_profile *profile =
		load("layout: x:8, next: kind(x)",
		     "  b: {after: 'kind(9, 3, 0xffffffffffffffff, 5)'}\n"
		     "  c: {after: 'kind(4, 0)'}\ntables: {kind: numbers}\n");

	assert_int_equal(profile->tables[0].n_entries, COUNT(sorted));
	for (unsigned int i = 0; i < COUNT(sorted); i++)
		assert_int_equal(profile->tables[0].entries[i].value, sorted[i]);
}
