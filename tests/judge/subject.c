/* SPDX-License-Identifier: BSD-3-Clause */
#include "subject.h"

#include "graph_packets.h"
#include "unit.h"

#define N_DRAWN 100    // packets along the parse graph, and as many for each type as
#define N_DRAWN_TYPE 6 // this
#define RULES_MAX 300
#define CASES_MAX 1000 // of one profile
#define N_SMALL 100    // packets of small numbers, for profiles that no file has

static uint64_t last_id; // of a way: none is given twice

static void give_up(const char *spec, const char *reason) {
	fprintf(stderr, "judge: %s: %s\n", spec, reason);
	exit(2);
}

// Some types are what they are found as, and others are not.
static void names_draw(struct subject *subject, uint64_t *seed) {
	for (unsigned int i = 0; i < NAMES_MAX; i++)
		subject->ptypes[i] =
			random_below(seed, 3) == 0 ? DDP_PTYPE_AS_FOUND : random_next(seed);
}

/* Flow rules */

// The first headers of a packet; some of those that a rule need not name are left out.
static void items_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	static const char *const often_left_out[] = {"vlan", "ipv6_ext", "gtpu_ext"};
	unsigned int most = random_below(seed, n->n_headers + 1);

	for (unsigned int i = 0; i < most && rule->n_items < DDP_FLOW_ITEMS; i++) {
		bool left_out = header_of(n, i)->hidden;

		for (unsigned int j = 0; j < COUNT(often_left_out) && !rule->exact; j++)
			if (strcmp(header_of(n, i)->name, often_left_out[j]) == 0)
				left_out |= random_below(seed, 3) > 0;
		if (!left_out)
			rule->items[rule->n_items++] = header_of(n, i)->name;
	}
}

// Draw headers that may not follow eth, vlan and ipv6, in the form of rte_flow.
static void without_draw(struct ddp_flow *rule, uint64_t *seed) {
	for (unsigned int i = 0; i < rule->n_items && !rule->exact; i++) {
		const bool is_ipv6 = strcmp(rule->items[i], "ipv6") == 0;

		if ((is_ipv6 || strcmp(rule->items[i], "eth") == 0 ||
		     strcmp(rule->items[i], "vlan") == 0) &&
		    random_below(seed, 4) == 0)
			rule->without[i] = is_ipv6 ? "ipv6_frag" : "vlan";
	}
}

static struct ddp_flow_field place_draw(const struct naive *n, const struct ddp_flow *rule,
					uint64_t *seed) {
	struct ddp_flow_field at = {.item = random_below(seed, rule->n_items)};
	const struct ddp_header *header = NULL;
	const struct ddp_field *field;

	for (unsigned int i = 0; i < n->profile->n_headers; i++)
		if (strcmp(n->profile->headers[i].name, rule->items[at.item]) == 0)
			header = &n->profile->headers[i];
	field = &header->fields[random_below(seed, header->n_fields)];
	if (field->name != NULL && random_below(seed, 3) > 0) {
		at.field = field->name;
		if (random_below(seed, 4) == 0)
			at.width = 1 + random_below(seed, field->width);
	} else {
		at.bit = random_below(seed, 100);
		if (random_below(seed, 8) == 0)
			at.bit |= DDP_FLOW_PAYLOAD;
		at.width = 1 + random_below(seed, 64);
	}
	return at;
}

// Mostly a value that the packet has, as far as a mask goes.
static void value_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	struct ddp_flow_value *value = &rule->values[rule->n_values++];
	struct ddp_flow one = *rule;
	uint8_t bytes[DDP_MAX_INPUT_SIZE];
	unsigned int len;

	*value = (struct ddp_flow_value){.at = place_draw(n, rule, seed)};
	one.n_inputs = 1;
	one.inputs[0] = value->at;
	len = naive_flow_input(n, &one, false, bytes);
	for (unsigned int i = 0; i < len; i++) {
		value->pattern.value_hi =
			value->pattern.value_hi << 8 | value->pattern.value_lo >> 56;
		value->pattern.value_lo = value->pattern.value_lo << 8 | bytes[i];
	}
	switch (random_below(seed, 5)) {
	case 0:
		break; // only that it is there
	case 1:
		value->pattern.mask_hi = random_next(seed);
		value->pattern.mask_lo = random_next(seed);
		break;
	default:
		value->pattern.mask_hi = UINT64_MAX;
		value->pattern.mask_lo = UINT64_MAX;
	}
	value->negate = random_below(seed, 10) == 0;
	if (random_below(seed, 10) == 0)
		value->pattern.value_lo ^= 1;
}

static bool is_hashed(const struct ddp_flow *rule, const struct ddp_flow_field *at) {
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		if (rule->inputs[i].item == at->item && rule->inputs[i].field != NULL &&
		    at->field != NULL && strcmp(rule->inputs[i].field, at->field) == 0)
			return true;
	return false;
}

// At most 16 bytes each, and none twice.
static void inputs_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	for (unsigned int i = random_below(seed, 4); i > 0; i--) {
		struct ddp_flow_field at = place_draw(n, rule, seed);

		if (!is_hashed(rule, &at))
			rule->inputs[rule->n_inputs++] = at;
	}
}

// A rule that begins as this packet does, most of whose values are its. It can always be built.
static struct ddp_flow flow_draw(const struct naive *n, uint64_t *seed) {
	struct ddp_flow rule = {
		.stage = random_below(seed, DDP_FLOW_STAGES),
		.exact = random_below(seed, 4) == 0,
		.ends = random_below(seed, 4) == 0,
	};

	items_draw(n, &rule, seed);
	without_draw(&rule, seed);
	if (rule.n_items == 0)
		return rule;
	for (unsigned int i = random_below(seed, 4); i > 0; i--)
		value_draw(n, &rule, seed);
	inputs_draw(n, &rule, seed);
	return rule;
}

static const struct frame *frame_any(const struct subject *subject, uint64_t *seed) {
	return &subject->frames.list[random_below(seed, subject->frames.n)];
}

static struct ddp_flow rule_any(const struct subject *subject, uint64_t *seed) {
	const struct frame *frame = frame_any(subject, seed);
	static struct naive naive;

	naive_classify(subject->personality.profile, frame->bytes, frame->len, &naive);
	return flow_draw(&naive, seed);
}

static void rules_shuffle(struct ddp_flow *rules, unsigned int n, uint64_t *seed) {
	for (unsigned int i = n; i > 1; i--) {
		unsigned int other = random_below(seed, i);
		struct ddp_flow rule = rules[other];

		rules[other] = rules[i - 1];
		rules[i - 1] = rule;
	}
}

// n rules of one stage, or of both, in groups that read the same fields. Those of one group do
// not follow each other: which of two groups' rules comes first is to be found out for each packet.
static struct ddp_flow *rules_draw(const struct subject *subject, unsigned int n, int stage,
				   unsigned int group, uint64_t *seed) {
	struct ddp_flow *rules = calloc(n, sizeof(*rules));

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_flow *rule = &rules[i];

		*rule = i % group != 0 ? rules[i - 1] : rule_any(subject, seed);
		if (stage < DDP_FLOW_STAGES)
			rule->stage = stage;
		if (i % group != 0 && rule->n_values > 0)
			rule->values[random_below(seed, rule->n_values)].pattern.value_lo =
				random_below(seed, 2) == 0 ? random_next(seed) :
							     rule->values[0].pattern.value_lo + 1;
	}
	rules_shuffle(rules, n, seed);
	return rules;
}

static void flows_add(struct subject *subject, struct way *way, unsigned int n, int stage,
		      unsigned int group, uint64_t *seed) {
	struct ddp_diag *diag = diag_new();

	way->rules = rules_draw(subject, n, stage, group, seed);
	way->book = malloc(sizeof(*way->book));
	for (unsigned int i = 0; i < n; i++) {
		struct ddp_flow *rule = &way->rules[i];

		rule->hashing.function = random_below(seed, 4);
		rule->hashing.own_inputs = rule->n_inputs > 0 && random_below(seed, 4) > 0;
	}
	flow_book_init(way->book);
	flow_book_add(way->book, way->rules, n);
	way->policy.flows = flow_book_build(way->book, subject->personality.profile,
					    subject->personality.program, diag);
	if (way->policy.flows == NULL)
		give_up(subject->spec, ddp_diag_first(diag));
}

void subject_rules_change(struct way *way, uint64_t *seed) {
	bool learn = false;

	for (unsigned int n = random_below(seed, 8); n > 0 && way->book != NULL; n--)
		learn |= flow_book_toggle(way->book, random_below(seed, way->book->n));
	if (learn)
		way->policy.id = ++last_id;
}

/* Ways */

// One or some bits that mean something to the program.
static uint64_t rss_hf_draw(const struct ddp_program *program, uint64_t *seed) {
	uint64_t known = ddp_program_rss_hf(program), mask = random_next(seed);

	switch (random_below(seed, 4)) {
	case 0:
		return DDP_RSS_HF(IPV4) | DDP_RSS_HF(IPV6);
	case 1:
		return DDP_RSS_HF_ALL;
	case 2:
		return known & mask & random_next(seed);
	default:
		return known & mask;
	}
}

static struct way *way_add(struct subject *subject, unsigned int i, const char *name,
			   const struct ddp_personality *personality) {
	struct way *way = &subject->ways[i];

	*way = (struct way){
		.name = name,
		.personality = personality,
		.policy =
			{
				.program = personality->program,
				.rss = true,
				.rss_hf = DDP_RSS_HF_ALL,
				.id = ++last_id,
			},
	};
	return way;
}

static void name_types(struct subject *subject, struct ddp_policy *policy) {
	policy->ptypes = subject->ptypes;
	policy->n_ptypes = NAMES_MAX - subject->salt % 50;
	policy->ptype_hidden = subject->salt & subject->salt >> 8;
}

static void ways_make(struct subject *subject, uint64_t *seed) {
	static const struct {
		const char *name;
		bool some_hf, any_function, no_rss, renamed;
		unsigned int n_rules, group;
		int stage; // of the rules
	} rows[N_WAYS - 1] = {
		{"all"},
		{"some of rss_hf, types renamed", .some_hf = true, .renamed = true},
		{"some of rss_hf, any function", .some_hf = true, .any_function = true},
		{"all of rss_hf with checksums, any function", .any_function = true},
		{"no RSS, types renamed", .no_rss = true, .renamed = true},
		{"rules that steer", .n_rules = 20, .group = 5, .stage = DDP_FLOW_STEER},
		{"rules that hash", .n_rules = 20, .group = 3, .stage = DDP_FLOW_HASH},
		{"no RSS but rules that hash and steer", .no_rss = true, .n_rules = 40, .group = 2,
		 .stage = DDP_FLOW_STAGES},
		{"some of rss_hf, any function, rules, types renamed", .some_hf = true,
		 .any_function = true, .renamed = true, .n_rules = 30, .group = 4,
		 .stage = DDP_FLOW_STAGES},
		{"many rules that steer", .n_rules = RULES_MAX, .group = 60,
		 .stage = DDP_FLOW_STEER},
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		struct way *way = way_add(subject, i, rows[i].name, &subject->personality);
		struct ddp_policy *p = &way->policy;

		if (rows[i].some_hf)
			p->rss_hf = rss_hf_draw(p->program, seed);
		else if (rows[i].no_rss || rows[i].any_function)
			p->rss_hf = rows[i].no_rss ? 0 : UINT64_MAX;
		if (rows[i].any_function)
			p->function = random_below(seed, 4);
		p->rss = !rows[i].no_rss;
		if (rows[i].renamed)
			name_types(subject, p);
		if (rows[i].n_rules > 0)
			flows_add(subject, way, rows[i].n_rules, rows[i].stage, rows[i].group,
				  seed);
	}
}

/* Profiles */

#define RANDOM "random:"
#define LINES "lines:"

// Headers whose length is no bar to knowing what follows, as long as nothing else asks for it: here
// something does. And headers that are no part of the path, but of what is hashed.
static const char *const lines[] = {
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       next: [{when: {last: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', valid: {len: not 2},\n"
	"       next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', next:\n"
	"       [{when: {len: 2, x: 1}, then: stop}, {when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       valid: {last: not 3}, next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       fragment: {last: 3}, next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... y:16', length: '4 * len', next:\n"
	"       [{when: {y: 0x0101}, then: stop}, {when: {x: 1, y: 0x0102}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', ahead: 'p:24',\n"
	"       next: [{when: {p: 0x010101, x: 1}, then: bb}]}\n",
};

#define KINDS "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768"
#define AA_BB "packet_types:\n  AA: {path: aa, rss: aa.y}\n  BB: {path: aa bb, rss: aa.y}\n"

// Values that an entry of the path cache must not have: as many as it has room for, two lists of
// them, and a condition that is no comparison with one value.
static const char *const values[] = {
	"tables: {kind: numbers}\n"
	"headers:\n"
	"  aa: {first: true, layout: 'v:8 k:16 y:32', valid: {v: 1}, next: kind(k)}\n"
	"  bb: {after: 'kind(" KINDS ")', layout: 'z:8'}\n" AA_BB,
	"tables: {kind: numbers, sort: numbers}\n"
	"headers:\n"
	"  aa: {first: true, layout: 'v:8 k:16 m:16 y:16', valid: {v: 1}, next: [kind(k), sort(m)]}\n"
	"  bb: {after: 'kind(" KINDS ")', layout: 'z:8'}\n"
	"  cc: {after: 'sort(" KINDS ")', layout: 'z:8'}\n" AA_BB
	"  CC: {path: aa cc, rss: aa.y}\n",
	"headers:\n"
	"  aa: {first: true, layout: 'v:8 n:8 y:32', valid: {v: 1},\n"
	"       next: {when: 'n > 5 and n < 20 or n == 33', then: bb}}\n"
	"  bb: {layout: 'z:8'}\n" AA_BB,
	// Of what lies ahead a part may be there.
	"headers:\n"
	"  aa: {first: true, layout: 'x:32 y:32', ahead: 'a:16',\n"
	"       next: {when: {a: 0x0100/0xff00}, then: bb}}\n"
	"  bb: {layout: 'z:8'}\n" AA_BB,
	"headers:\n"
	"  aa: {first: true, layout: 'x:32 y:32', ahead: 'a:8 b:8',\n"
	"       next: [{when: {b: 0}, then: bb}, {when: {a: 1}, then: bb}]}\n"
	"  bb: {layout: 'z:8'}\n" AA_BB,
};
const unsigned int n_lines_specs = 2 * COUNT(lines) + COUNT(values);

static char *lines_text(unsigned int i) {
	const unsigned int n = 2 * COUNT(lines);
	char *text;
	int ret;

	if (i >= n)
		ret = asprintf(&text, "profile: t\n%s", values[(i - n) % COUNT(values)]);
	else
		ret = asprintf(&text,
			       "profile: t\n"
			       "headers:\n"
			       "%s"
			       "  bb: {layout: 'z:8', next: [{when: {z: 1}, then: hh}]}\n"
			       "  hh: {hidden: true, layout: 'h:8'}\n"
			       "packet_types:\n"
			       "  AA: {path: aa, rss: aa.x}\n"
			       "  BB: {path: aa bb, rss: %s}\n",
			       lines[i / 2], i % 2 == 0 ? "bb.z" : "bb.z hh.h");
	if (ret < 0)
		abort();
	return text;
}

char *subject_text(const char *spec) {
	const char *number = strchr(spec, ':');
	uint64_t n = number != NULL ? strtoull(number + 1, NULL, 10) : 0;

	if (strncmp(spec, LINES, strlen(LINES)) == 0)
		return lines_text(n);
	if (strncmp(spec, RANDOM, strlen(RANDOM)) != 0)
		return NULL;
	n = n * 2 + 1;
	return profile_draw(&n);
}

// As a port that had other profiles before, it has ids from first_id on.
static int spec_load(struct ddp_personality *personality, const char *spec, unsigned int first_id,
		     struct ddp_diag *diag) {
	char *text = subject_text(spec);
	struct ddp_source source = {.spec = spec};
	int ret;

	if (text != NULL)
		source = (struct ddp_source){.text = text, .size = strlen(text)};
	ret = ddp_personality_read(personality,
				   &(struct ddp_load){.sources = &source, .n_sources = 1}, diag);
	for (unsigned int i = 0; ret == 0 && i < personality->profile->n_types; i++)
		personality->profile->types[i].id = first_id + i;
	if (ret == 0)
		ret = ddp_personality_compile(personality, NULL, diag);
	free(text);
	return ret;
}

static void subject_load(struct ddp_personality *personality, const char *spec,
			 unsigned int first_id) {
	struct ddp_diag *diag = diag_new();

	if (spec_load(personality, spec, first_id, diag) < 0)
		give_up(spec, ddp_diag_first(diag));
}

void subject_exchange(struct subject *subject) {
	const bool odd = subject->ways[N_WAYS - 1].policy.id % 2 != 0;

	ddp_personality_unload(&subject->other);
	subject_load(&subject->other, odd ? "gtpu" : "base", 1);
	way_add(subject, N_WAYS - 1, "another profile", &subject->other);
}

/* Packets */

// Packet types that a profile with the parameters it has otherwise cannot find: pseudowires of
// L2TPv3 carry nothing known, eCPRI has no port.
static bool is_off(const char *spec, const char *type) {
	return strchr(spec, ';') == NULL &&
	       (strcmp(type, "L2TPV3_ETH") == 0 || strncmp(type, "L2TPV3_IPV", 10) == 0 ||
		strcmp(type, "ECPRI_UDP") == 0);
}

// A packet type that none of the frames has by the reference; NULL: there is none.
static const char *type_missed(const struct subject *subject, unsigned int *n_looked,
			       bool found[DDP_MAX_TYPES]) {
	const struct ddp_profile *profile = subject->personality.profile;
	static struct naive naive;

	for (; *n_looked < subject->frames.n; (*n_looked)++) {
		const struct frame *frame = &subject->frames.list[*n_looked];

		naive_classify(profile, frame->bytes, frame->len, &naive);
		if (naive.type != NULL)
			found[naive.type - profile->types] = true;
	}
	for (unsigned int i = 0; i < profile->n_types; i++)
		if (!found[i] && !is_off(subject->spec, profile->types[i].name))
			return profile->types[i].name;
	return NULL;
}

// Along the parse graph, each packet type in turn. A profile of the library has a packet of each of
// its types then; an input set has the types of its profile, and all.yaml those of the others,
// which takes long.
static void drawn_add(struct subject *subject, uint64_t seed) {
	const struct ddp_profile *profile = subject->personality.profile;
	unsigned int n = N_DRAWN + N_DRAWN_TYPE * profile->n_types, n_looked = 0;
	const bool covers = subject->personality.package == NULL &&
			    strchr(subject->spec, ':') == NULL &&
			    strstr(subject->spec, "/all.yaml") == NULL;
	const char *missed = covers ? subject->spec : NULL;
	bool *found = calloc(DDP_MAX_TYPES, sizeof(*found));
	unsigned int most = n + (covers ? 200 * profile->n_types : 0);
	static struct graph graph;
	uint8_t bytes[PACKET_MAX];

	graph_init(&graph, profile, subject->personality.program, seed);
	for (unsigned int i = 0; i < most && (i < n || missed != NULL); i++) {
		frame_add(&subject->frames, bytes, graph_draw(&graph, bytes));
		if (covers && i + 1 >= n && (i + 1 - n) % 64 == 0)
			missed = type_missed(subject, &n_looked, found);
	}
	free(found);
	if (missed != NULL) {
		fprintf(stderr, "judge: %s: no packet drawn is %s\n", subject->spec, missed);
		exit(1);
	}
}

// In a file of the profile's name: "gtpu.pcap" for "/profiles/gtpu.yaml:ue".
static void cases_add(struct subject *subject, const char *dir) {
	const char *slash = strrchr(subject->spec, '/');
	const char *name = slash != NULL ? slash + 1 : subject->spec;
	char *path;

	if (asprintf(&path, "%s/%.*s.pcap", dir, (int)strcspn(name, ".:;+"), name) < 0)
		abort();
	subject->first_case = subject->frames.n;
	subject->n_cases = frames_capture_add(&subject->frames, path, CASES_MAX);
	free(path);
}

void subject_init(struct subject *subject, const char *spec, const struct frames *common,
		  const char *cases, uint64_t seed) {
	memset(subject, 0, sizeof(*subject));
	subject->spec = spec;
	subject->salt = random_next(&seed) >> 32;
	names_draw(subject, &seed);
	subject_load(&subject->personality, spec, 1 + subject->salt % 5000);
	if (strncmp(spec, LINES, strlen(LINES)) == 0 || strncmp(spec, RANDOM, strlen(RANDOM)) == 0)
		frames_small_add(&subject->frames, N_SMALL, random_next(&seed));
	else
		for (unsigned int i = 0; i < common->n; i++)
			frame_add(&subject->frames, common->list[i].bytes, common->list[i].len);
	if (cases != NULL)
		cases_add(subject, cases);
	drawn_add(subject, random_next(&seed));
	frames_spots_find(&subject->frames, subject->personality.profile,
			  subject->personality.program);
	ways_make(subject, &seed);
	subject_exchange(subject);
}

void subject_fini(struct subject *subject) {
	for (unsigned int i = 0; i < N_WAYS; i++) {
		struct way *way = &subject->ways[i];

		ddp_flow_set_destroy((struct ddp_flow_set *)way->policy.flows);
		if (way->book != NULL)
			flow_book_fini(way->book);
		free(way->book);
		free(way->rules);
	}
	free(subject->frames.list);
	ddp_personality_unload(&subject->personality);
	ddp_personality_unload(&subject->other);
}
