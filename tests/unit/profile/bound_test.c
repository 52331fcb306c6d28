/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

// Ten headers and two hidden ones, the last of which ends so.
#define CHAIN(end)                                                                \
	"  a: {first: true, layout: x:8, next: b}\n  b: {layout: x:8, next: c}\n" \
	"  c: {layout: x:8, next: d}\n  d: {layout: x:8, next: e}\n"              \
	"  e: {layout: x:8, next: f}\n  f: {layout: x:8, next: g}\n"              \
	"  g: {layout: x:8, next: h}\n  h: {layout: x:8, next: i}\n"              \
	"  i: {layout: x:8, next: j}\n  j: {layout: x:8, next: k}\n"              \
	"  k: {hidden: true, next: l}\n  l: {hidden: true" end

static const struct row {
	const char *name;
	const char *headers;
	struct ddp_bound bound;
} rows[] = {
	{"one_header", "  a: {first: true, layout: x:32}\n", {1, 1, 4, 4, true}},
	{"the_longest_way_counts",
	 "  a: {first: true, layout: x:8, next: [{when: {x: 1}, then: b}, c]}\n"
	 "  b: {layout: y:16, next: c}\n  c: {layout: z:8}\n",
	 {3, 3, 4, 4, true}},
	{"hidden_headers_are_steps_and_what_is_ahead_is_looked_at",
	 "  a: {first: true, layout: x:8, next: b}\n  b: {hidden: true, ahead: n:12}\n",
	 {1, 2, 3, 3, true}},
	{"a_way_of_just_so_many_steps_is_bounded_by_the_graph",
	 CHAIN("}\n"),
	 {10, 12, 10, 10, true}},
	{"a_way_of_one_step_more_is_not",
	 CHAIN(", next: m}\n  m: {hidden: true}\n"),
	 {10, 12, 10, 10, false}},
	{"a_loop_is_ended_by_the_limits",
	 "  a: {first: true, layout: x:8, next: {when: {x: 1}, then: a}}\n",
	 {10, 10, 10, 10, false}},
	{"the_packets_end_is_a_limit",
	 "  a: {first: true, layout: x:8, length: 1 + 255 * x}\n",
	 {1, 1, 1, 1000, true}},
};

ROWS_TEST(bound_is, rows) {
	const struct row *row = *state;
	struct ddp_profile *profile;
	struct ddp_bound bound;
	struct ddp_diag diag;
	char text[1000];

	snprintf(text, sizeof(text), "profile: t\nheaders:\n%s", row->headers);
	scratch_write_text("t.yaml", text);
	ddp_diag_init(&diag);
	profile = ddp_profile_load("t", &diag);
	assert_string_equal(ddp_diag_first(&diag), "");
	assert_int_equal(ddp_profile_bound(profile, 10, 12, 1000, &bound), 0);
	assert_int_equal(bound.n_headers, row->bound.n_headers);
	assert_int_equal(bound.n_steps, row->bound.n_steps);
	assert_int_equal(bound.n_bytes, row->bound.n_bytes);
	assert_int_equal(bound.end, row->bound.end);
	assert_int_equal(bound.by_graph, row->bound.by_graph);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&diag);
}
