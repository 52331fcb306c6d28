/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define FIRST "headers:\n  a: {first: true, layout: x:8 y:8}\n"
#define U(requires, more) "profile: u\nrequires: [" requires "]\n" more
#define NAME_RULE                                                                                  \
	": a name has 1 to 31 letters, digits or '_', begins with a letter and is none of inner, " \
	"outer, stop, and, or, not"
#define NO_FIRST "no header is the first of a packet; did you mean 'requires: [base]'?"

static const struct part keys[] = {
	{"version: [1]", "2:10", "expected a word, found a list"},
	{"rss_by: rss", "2:9", "rss_by 'rss': rss_hf is all that can stand here"},
	{"requires: [t]", "2:12", "profile 't' requires itself"},
	{"requires: [u]", "u.yaml:2:12", "profile 't' requires itself", U("t", ""), "t"},
	{"requires: base", "2:11", "expected a list such as [base], found a word"},
	{"requires: [{base: 1}]", "2:12", "expected a profile's name, found a mapping"},
	{"requires: []", "", NULL, U("t, t, t", ""), "u+t"},

	{"", "u.yaml:3:11",
	 "'b' (profile 'u') and 'a' in t.yaml:4 (profile 't') cannot both be the first header",
	 U("t", "headers: {b: {first: true}}\n")},
	{"", "u.yaml:4:3", "header 'a' (profile 'u') is already in t.yaml:4 (profile 't')",
	 U("t", "headers:\n  a: {layout: x:8}\n")},
	{"tables: {kind: k}", "u.yaml:3:10",
	 "table 'kind' (profile 'u') is already in t.yaml:2 (profile 't')",
	 U("t", "tables: {kind: k}\n")},
	{"paths: {p: a}", "u.yaml:3:9",
	 "path 'p' (profile 'u') is already in t.yaml:2 (profile 't')", U("t", "paths: {p: a}\n")},

	{"tables: {ip-proto: x}", "2:10", "table 'ip-proto'" NAME_RULE},
	{"paths: {abcdefghijklmnopqrstuvwxyz_abcde: a}", "2:9",
	 "path 'abcdefghijklmnopqrstuvwxyz_abcde'" NAME_RULE},
	{"parameters: {inner: 1}", "2:14", "parameter 'inner'" NAME_RULE},
	{"parameters: {'': 1}", "2:14", "parameter ''" NAME_RULE},

	{"tables: [a]", "2:9", "expected tables by name, found a list"},
	{"tables: {kind: }", "2:16", "expected a summary: what its numbers are, found nothing"},
	{"paths: [a]", "2:8", "expected paths by name, found a list"},
	{"paths: {p: [a]}", "2:12", "expected a path such as 'eth vlan*', found a list"},
	{"parameters: [port]", "2:13", "expected parameters by name, found a list"},
	{"parameters: {port: {summary: x}}", "2:20", "parameter 'port' has no default"},
	{"parameters: {port: }", "2:20", "expected a default value, found nothing"},
	{"parameters: {port: [1, 2]}", "2:20", "expected a default value, found a list"},
	{"parameters: {port: {defualt: 1}}", "2:21",
	 "unknown key of a parameter: 'defualt'; did you mean 'default'?"},
};

PARTS(keys, "profile: t\n@\n" FIRST)

static const struct part profiles[] = {
	{"profile: t\nheadrs: {}\n", "2:1",
	 "unknown key of a profile: 'headrs'; did you mean 'headers'?"},
	{"profil: t\nbanana: 1\nsumary: x\n", "1:1",
	 "unknown key of a profile: 'profil'; did you mean 'profile'?\n"
	 "t.yaml:2:1: error: unknown key of a profile: 'banana'\n"
	 "t.yaml:3:1: error: unknown key of a profile: 'sumary'; did you mean 'summary'?"},
	{"version: 1\n" FIRST, "1:1", "'profile: t' is missing"},
	{"profile: tea\n" FIRST, "1:10", "profile 'tea' in a file named 't'"},
	{"profile: [t]\n" FIRST, "1:10", "expected the profile's name, found a list"},
	{"profile: [\n", "2:1",
	 "YAML: did not find expected node content, while parsing a flow node", U("t, t", ""),
	 "u+t"},
	{"profile: t\nheaders: {a: {layout: x:8}}\n", "1:1", NO_FIRST},
	{"profile: t\nheaders: {a: {after: udp, layout: x:8, next: ip}}\n"
	 "packet_types: {A: {path: link ip udp a, rss: ipv4.src}}\n",
	 "1:1", NO_FIRST},
	{"profile: t\n", "1:1", NO_FIRST},

	{"profile: t\nheaders: [a]\n", "2:10", "expected headers by name, found a list"},
	{"profile: t\nheaders: {6to4: {first: true}}\n", "2:11", "header '6to4'" NAME_RULE},
	{"profile: t\nheaders: {a: x}\n", "2:14",
	 "expected a header with a 'layout', found a word"},
	{"profile: t\nheaders: {a: {first: yes}}\n", "2:22",
	 "'first: yes': true or false is expected"},
	{"profile: t\ntables: {stop: 1}\nheaders:\n  a: {first: true, layout: x:200, next: c}\n"
	 "packet_types:\n  A: {path: aa, rss: b.x}\n",
	 "2:10",
	 "table 'stop'" NAME_RULE "\n"
	 "t.yaml:4:28: error: field 'x': 200 bits, 1 to 128 are possible\n"
	 "t.yaml:4:41: error: unknown header or table 'c'\n"
	 "t.yaml:6:13: error: unknown header or path 'aa'; did you mean 'a'?\n"
	 "t.yaml:6:22: error: unknown header 'b'"},
};

PARTS(profiles, "@")

#define PAIR "a pair is two fields of the header, equally wide"

static const struct part headers[] = {
	{"layuot: x:8", "2:50", "unknown key of a header: 'layuot'; did you mean 'layout'?"},
	{"pair: x", "2:57", "expected a field, found the end"},
	{"pair: [x, y]", "2:56", "expected two fields such as 'src dst', found a list"},
	{"pair: x y z", "2:56", PAIR},
	{"pair: x z", "2:56", PAIR},
	{"pair: x yy", "2:58", "unknown field of header 'a' 'yy'; did you mean 'y'?"},
	{"pair: x b.y}, b: {layout: y:8, after: a", "2:56", PAIR},
	{"ptype: TUNEL_GTPU", "2:57",
	 "unknown packet type word 'TUNEL_GTPU'; did you mean 'TUNNEL_GTPU'?"},
};

PARTS(headers, "profile: t\nheaders: {a: {first: true, layout: x:8 y:8 z:16, @}}\n")

// As many items may be there, and no more. Names beyond these took minutes, in which a port that
// was given such a profile answered nobody.
static const struct limit {
	const char *name;
	unsigned int n;
	const char *before, *item, *after; // in the item the number of those before
	const char *message;               // about one more
} limits[] = {
	{"headers", DDP_MAX_NODES - 1, "headers:\n  h: {first: true, layout: x:8}\n",
	 "  h%1$u: {layout: x:8, after: h(x=%1$u)}\n", "",
	 "t.yaml:253:3: error: more than 250 headers\n"},
	{"parameters", DDP_MAX_NAMES, FIRST "parameters:\n", "  n%u: 1\n", "",
	 "t.yaml:1005:3: error: more than 1000 parameters\n"},
	{"paths", DDP_MAX_NAMES, FIRST "paths:\n", "  n%u: 1\n", "",
	 "t.yaml:1005:3: error: more than 1000 named paths\n"},
	{"tables", DDP_MAX_NAMES, FIRST "tables:\n", "  n%u: 1\n", "",
	 "t.yaml:1005:3: error: more than 1000 tables\n"},
	{"packet types", DDP_MAX_TYPES, FIRST "packet_types:\n",
	 "  T%u: {when: {a.x: 1}, path: a}\n", "",
	 "t.yaml:1005:3: error: more than 1000 packet types\n"},
	{"steps of a path", 200,
	 "headers: {a: {first: true, layout: x:8, next: {when: {x: 1}, then: a}}}\n"
	 "packet_types:\n  T: {path:",
	 " a", "}\n", "t.yaml:4:414: error: this path is too long\n"},
};

ROWS_TEST(limit_is, limits) {
	const struct limit *row = *state;

	for (unsigned int more = 0; more <= 1; more++) {
		struct broken broken = {.messages = more > 0 ? row->message : ""};
		void *arg = &broken;
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fprintf(out, "profile: t\n%s", row->before);
		for (unsigned int i = 0; i < row->n + more; i++)
			fprintf(out, row->item, i);
		fputs(row->after, out);
		fclose(out);
		broken.text = text;
		broken_is_reported(&arg);
		free(text);
	}
}

static void profiles_are(unsigned int n, const char *messages) {
	struct broken row = {.text = "profile: t\nrequires: [p0]\n", .messages = messages};
	void *state = &row;

	for (unsigned int i = 0; i < n; i++) {
		char name[24], text[128];

		snprintf(name, sizeof(name), "p%u.yaml", i);
		if (i + 1 < n)
			snprintf(text, sizeof(text), "profile: p%u\nrequires: [p%u]\n", i, i + 1);
		else
			snprintf(text, sizeof(text), "profile: p%u\n" FIRST, i);
		scratch_write_text(name, text);
	}
	broken_is_reported(&state);
}

TEST(sixty_four_profiles_take_part_and_no_more) {
	profiles_are(63, "");
	profiles_are(64, "p62.yaml:2:12: error: profile 'p63': more than 64 profiles at once\n");
}

static const struct ddp_header *header_of(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, name) == 0)
			return &profile->headers[i];
	fail_msg("no header %s", name);
	return NULL;
}

static const struct ddp_packet_type *type_of(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_types; i++)
		if (strcmp(profile->types[i].name, name) == 0)
			return &profile->types[i];
	fail_msg("no packet type %s", name);
	return NULL;
}

TEST(no_profile_at_all_is_base_by_rss_hf) {
	static const char *const specs[] = {NULL, "base"};

	for (unsigned int i = 0; i < COUNT(specs); i++) {
		const struct ddp_profile *profile = scratch_load(specs[i]);

		assert_string_equal(profile->spec, "base");
		assert_true(profile->by_rss_hf);
		assert_int_equal(profile->n_parts, 1);
		assert_string_equal(profile->parts[0].name, "base");
		assert_true(profile->parts[0].named);
		assert_string_equal(profile->headers[profile->first].name, "eth");
	}
}

TEST(gtpu_brings_base_and_its_own_input_sets) {
	const struct ddp_profile *profile = scratch_load("gtpu");

	assert_string_equal(profile->spec, "gtpu");
	assert_false(profile->by_rss_hf);
	assert_int_equal(profile->n_parts, 2);
	assert_string_equal(profile->parts[0].name, "base");
	assert_false(profile->parts[0].named);
	assert_string_equal(profile->parts[1].name, "gtpu");
	assert_true(profile->parts[1].named);
	assert_string_equal(header_of(profile, "gtpu")->profile, "gtpu");
	assert_string_equal(header_of(profile, "udp")->profile, "base");
	assert_int_equal(type_of(profile, "GTPU_IPV4_UDP")->sets[0].size, 12);
	assert_int_equal(type_of(profile, "GTPU_IPV6_UDP")->sets[0].size, 36);
	assert_false(scratch_load("base+gtpu")->by_rss_hf);
}

static const struct ports {
	const char *spec; // and the name of the test
	unsigned int n, ports[3];
} ports[] = {
	{"gtpu", 1, {2152}},
	{"gtpu;port=2153", 1, {2153}},
	{"gtpu;port=0x869", 1, {2153}},
	{"gtpu;port=2152;port=2153", 2, {2152, 2153}},
	{"base+gtpu:ue;ue_ipv4=10.1.0.0/16;port=5;port=6;port=7", 3, {5, 6, 7}},
	{"bundle", 1, {2152}},
	{"bundle;gtpu.port=2153", 1, {2153}},
	{"bundle;gtpu.port=2153;gtpu.port=2154", 2, {2153, 2154}},
	{"bundle+gtpu;port=9", 1, {9}},
};

// That lead from udp to gtpu, in whichever direction.
ROWS_TEST(ports_are, ports) {
	const struct ports *row = *state;
	const struct ddp_profile *profile;
	const struct ddp_header *udp;

	scratch_write_text("bundle.yaml", "profile: bundle\nrequires: [gtpu]\n");
	profile = scratch_load(row->spec);
	udp = header_of(profile, "udp");
	assert_true(udp->n_rules > 0);
	for (unsigned int r = 0; r < udp->n_rules; r++) {
		const struct ddp_match *match = &udp->rules[r].cond.matches[0];

		assert_true(udp->rules[r].attached);
		assert_string_equal(profile->headers[udp->rules[r].target].name, "gtpu");
		assert_non_null(strstr("dport sport", udp->fields[match->ref.field].name));
		assert_int_equal(match->n_patterns, row->n);
		for (unsigned int i = 0; i < row->n; i++) {
			assert_int_equal(match->patterns[i].value_lo, row->ports[i]);
			assert_int_equal(match->patterns[i].mask_lo, 0xffff);
		}
	}
}

TEST(addresses_of_ues_are_what_the_user_says) {
	const struct ddp_profile *profile =
		scratch_load("gtpu:ue;ue_ipv4=100.64.0.0/10;ue_ipv6=fd00::/8");
	const struct ddp_input_set *sets = type_of(profile, "IPV4_UDP")->sets;
	const struct ddp_pattern *pattern = &sets[0].cond.matches[0].patterns[0];

	assert_int_equal(pattern->value_lo, 0x64400000);
	assert_int_equal(pattern->mask_lo, 0xffc00000);
	pattern = &type_of(profile, "IPV6_TCP")->sets[0].cond.matches[0].patterns[0];
	assert_int_equal(pattern->value_hi, UINT64_C(0xfd00000000000000));
	assert_int_equal(pattern->mask_hi, UINT64_C(0xff00000000000000));
	assert_int_equal(pattern->mask_lo, 0);
}

TEST(a_chosen_input_set_replaces_those_of_the_types_it_names) {
	const struct ddp_profile *profile = scratch_load("gtpu:teid");
	const struct ddp_packet_type *type = type_of(profile, "GTPU_IPV6_TCP");

	assert_int_equal(type->n_sets, 1);
	assert_int_equal(type->sets[0].n_inputs, 1);
	assert_string_equal(type->sets[0].inputs[0].name, "gtpu.teid");
	assert_int_equal(type->sets[0].size, 4);
	assert_string_equal(type_of(profile, "IPV4_UDP")->sets[0].inputs[3].name, "udp.dport");
}

// A bundle says what is hashed for the types of its parts where it is requested itself, not where
// another requires it.
TEST(a_set_named_default_holds_where_its_profile_is_named) {
	const struct ddp_profile *profile;

	scratch_write_text("bundle.yaml", "profile: bundle\nrequires: [gtpu]\n"
					  "input_sets: {default: {GTPU_IPV4* GTPU: gtpu.teid}}\n");
	scratch_write_text("larger.yaml", "profile: larger\nrequires: [bundle]\n");
	profile = scratch_load("bundle");
	assert_int_equal(type_of(profile, "GTPU")->sets[0].size, 4);
	assert_int_equal(type_of(profile, "GTPU_IPV4_UDP")->sets[0].size, 4);
	assert_int_equal(type_of(profile, "GTPU_IPV6_UDP")->sets[0].size, 36);
	profile = scratch_load("larger");
	assert_int_equal(type_of(profile, "GTPU_IPV4_UDP")->sets[0].size, 12);
}

// The first port that leads from udp to a header, 0 for none.
static uint64_t port_to(const struct ddp_profile *profile, const char *name) {
	const struct ddp_header *udp = header_of(profile, "udp");

	for (unsigned int i = 0; i < udp->n_rules; i++)
		if (strcmp(profile->headers[udp->rules[i].target].name, name) == 0)
			return udp->rules[i].cond.matches[0].patterns[0].value_lo;
	return 0;
}

TEST(two_profiles_come_together) {
	const struct ddp_profile *profile;

	scratch_write_text("mine.yaml",
			   "profile: mine\nversion: 3\nsummary: my own\nrequires: [base]\n"
			   "parameters: {port: 4000}\n"
			   "headers: {mine: {after: udp(dport=$port), layout: 'id:32 kind:8'}}\n"
			   "packet_types: {MINE: {path: link ip udp mine, rss: mine.id}}\n"
			   "extend: {ip: {after: mine(kind=4|6)}}\n");
	profile = scratch_load("gtpu;port=2153+mine;port=4001");
	assert_int_equal(profile->n_parts, 3);
	assert_string_equal(profile->parts[2].version, "3");
	assert_string_equal(profile->parts[2].summary, "my own");
	assert_int_equal(port_to(profile, "gtpu"), 2153);
	assert_int_equal(port_to(profile, "mine"), 4001);
	assert_int_equal(header_of(profile, "mine")->n_rules, 1);
	assert_string_equal(profile->headers[header_of(profile, "mine")->rules[0].target].name,
			    "ip");
}

TEST(a_profile_by_its_path_requires_others_by_name) {
	assert_int_equal(unsetenv("DDP_PROFILE_PATH"), 0);
	scratch_write_text("own.yaml", "profile: own\nrequires: [gtpu]\n");
	assert_int_equal(scratch_load(scratch_path("own.yaml"))->n_parts, 3);
	assert_int_equal(setenv("DDP_PROFILE_PATH", scratch_dir(), 1), 0);
}

TEST(a_failure_leaves_earlier_messages_alone) {
	struct ddp_diag *diag = diag_new();

	ddp_error(diag, NULL, "before");
	ddp_profile_destroy(ddp_profile_load("base", diag));
	assert_null(ddp_profile_load("+", diag));
	assert_int_equal(diag->n_errors, 2);
}

static struct ddp_profile *read_again(const struct ddp_profile *former,
				      const struct ddp_source *sources, unsigned int n_sources,
				      struct ddp_diag *diag) {
	return ddp_profile_read(
		&(struct ddp_load){.sources = sources, .n_sources = n_sources, .former = former},
		diag);
}

// A port requests by one name a file that it read by another.
TEST(a_file_read_before_is_not_read_again_by_any_of_its_names) {
	const struct ddp_source by_name = {.spec = "u"};
	struct ddp_source both[2] = {by_name};
	struct ddp_profile *first, *again;
	struct ddp_diag *diag = diag_new();

	scratch_write_text("base2.yaml",
			   "profile: base2\nheaders: {h: {first: true, layout: f:8}}\n"
			   "packet_types: {T: {path: h}}\n");
	scratch_write_text("u.yaml", "profile: u\nrequires: [base2]\n");
	both[1].spec = strdup(scratch_path("./base2.yaml"));
	first = ddp_profile_read(&(struct ddp_load){.sources = both, .n_sources = 2}, diag);
	assert_non_null(first);
	assert_int_equal(unlink(scratch_path("base2.yaml")), 0);
	again = read_again(first, &both[1], 1, diag);
	assert_non_null(again);
	ddp_profile_destroy(first);
	assert_string_equal(again->types[0].name, "T");
	first = read_again(again, both, 2, diag);
	assert_null(first); // nobody had u any more, and what it requires by name is gone
	assert_false(diag->unreadable); // u can be read
	ddp_profile_destroy(again);
	free((void *)(uintptr_t)both[1].spec);
}

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
} bound_rows[] = {
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

ROWS_TEST(bound_is, bound_rows) {
	const struct row *row = *state;
	struct ddp_bound bound;
	char text[1000];

	snprintf(text, sizeof(text), "profile: t\nheaders:\n%s", row->headers);
	scratch_write_text("t.yaml", text);
	assert_int_equal(ddp_profile_bound(scratch_load("t"), 10, 12, 1000, NULL, &bound), 0);
	assert_int_equal(bound.n_headers, row->bound.n_headers);
	assert_int_equal(bound.n_steps, row->bound.n_steps);
	assert_int_equal(bound.n_bytes, row->bound.n_bytes);
	assert_int_equal(bound.end, row->bound.end);
	assert_int_equal(bound.by_graph, row->bound.by_graph);
}

static const struct spec {
	const char *spec;
	const char *messages;
} specs[] = {
	{"", "profile: error: a name is missing\n"},
	{"t;prt=1",
	 "prt=1: error: unknown parameter of profile 't': 'prt'; did you mean 'port'?\n"},
	{"t;u.port=1",
	 "u.port=1: error: unknown parameter of profile 't': 'u.port'; did you mean 'port'?\n"},
	{"t;port=70000", "port=70000: error: '70000' does not fit 16 bits\n"},
	{"t;port=http", "port=http: error: 'http' is not a number\n"},
	{"t:uee", "t.yaml: error: unknown input set of profile 't': 'uee'; did you mean 'ue'?\n"},
	{"t:banana", "t.yaml: error: unknown input set of profile 't': 'banana'\n"},
	{"u:uee", "u.yaml: error: unknown input set of profile 'u': 'uee'\n"},
	{"t;port=1+t;port=2", "profile: error: 't' is named twice\n"},
	{"u+t+t", "profile: error: 't' is named twice\n"},

	{"t;port=7", ""},
	{"t:ue;port=7;other=8;port=9", ""},
	{"u+t:teid;port=9", ""},
	{"u:teid", ""}, // a bundle has the input sets and parameters of its parts
	{"u;t.port=7", ""},
};

ROWS_TEST(specification_is_reported, specs) {
	const struct spec *row = *state;
	struct broken broken = {
		.text = "profile: t\n"
			"parameters: {port: 5, other: 6}\n"
			"headers:\n"
			"  a: {first: true, layout: x:16, next: {when: {x: $port}, then: stop}}\n"
			"packet_types: {A: {path: a, rss: a.x}}\n"
			"input_sets: {ue: {A: a.x}, teid: {A: a.x}}\n",
		.messages = row->messages,
		.other = "profile: u\nrequires: [t]\n",
		.spec = row->spec,
	};
	void *arg = &broken;

	broken_is_reported(&arg);
}

// `ddpctl list` shows the summary of a file, whatever is wrong with the rest of it.
static const struct summary_row {
	const char *name;
	const char *text;
	const char *profile, *version, *summary;
	const char *error;
} summary_rows[] = {
	{"all_three", "profile: t\nversion: 1.2\nsummary: a test\n", "t", "1.2", "a test", ""},
	{"only_a_name", "profile: t\n", "t", NULL, NULL, ""},
	{"a_profile_that_requires_what_is_not_there", "profile: t\nrequires: [nowhere]\n", "t",
	 NULL, NULL, ""},
	{"a_list_as_version", "profile: t\nversion: [1]\n", "t", NULL, NULL, ""},
	{"a_list_instead_of_a_profile", "- t\n", NULL, NULL, NULL, ""},
	{"what_is_no_yaml", "profile: [t\n", NULL, NULL, NULL,
	 "t.yaml:2:1: error: YAML: did not find expected ',' or ']', while parsing a flow "
	 "sequence in line 1\n"},
};

static bool same(const char *a, const char *b) {
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

ROWS_TEST(summary_is, summary_rows) {
	const struct summary_row *summary_row = *state;
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_profile_summary summary;
	struct ddp_diag *diag = diag_new();
	char *messages;
	int ret;

	scratch_write_text("t.yaml", summary_row->text);
	ret = ddp_profile_summary(scratch_path("t.yaml"), arena, &summary, diag);
	messages = scratch_messages(diag);
	assert_string_equal(messages, summary_row->error);
	assert_int_equal(ret < 0, *summary_row->error != '\0');
	assert_true(same(summary.name, summary_row->profile));
	assert_true(same(summary.version, summary_row->version));
	assert_true(same(summary.summary, summary_row->summary));
	free(messages);
	ddp_arena_destroy(arena);
}
