/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy.h"

#include "classify/flow_draw.h"
#include "classify/profile_draw.h"
#include "unit.h"

#define N_DRAWN 100    // packets along the parse graph, and as many for each type as
#define N_DRAWN_TYPE 6 // this
#define RULES_MAX 300

static uint64_t last_id; // of a policy: none is given twice

static void give_up(const char *spec, const char *reason) {
	fprintf(stderr, "exact: %s: %s\n", spec, reason);
	exit(2);
}

// Some types are what they are found as, and others are not.
static void names_draw(struct subject *subject, uint64_t *seed) {
	for (unsigned int i = 0; i < NAMES_MAX; i++)
		subject->ptypes[i] =
			random_below(seed, 3) == 0 ? DDP_PTYPE_AS_FOUND : random_next(seed);
}

/* Flow rules */

static const struct frame *frame_any(const struct subject *subject, uint64_t *seed) {
	return &subject->frames.list[random_below(seed, subject->frames.n)];
}

static struct ddp_flow rule_any(const struct subject *subject, uint64_t *seed) {
	const struct frame *frame = frame_any(subject, seed);
	static struct naive naive;

	naive_classify(subject->profile, frame->bytes, frame->len, &naive);
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

// n rules of one stage, or of both, in groups that look at the same places. Those of one group do
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

static void flows_add(struct subject *subject, unsigned int policy, unsigned int n, int stage,
		      unsigned int group, uint64_t *seed) {
	struct ddp_flow *rules = rules_draw(subject, n, stage, group, seed);
	struct flow_book *book = malloc(sizeof(*book));
	struct ddp_diag diag;

	for (unsigned int i = 0; i < n; i++) {
		rules[i].hashing.function = random_below(seed, 4);
		rules[i].hashing.own_inputs = rules[i].n_inputs > 0 && random_below(seed, 4) > 0;
	}
	flow_book_init(book);
	flow_book_add(book, rules, n);
	ddp_diag_init(&diag);
	subject->policies[policy].flows =
		flow_book_build(book, subject->profile, subject->program, &diag);
	if (subject->policies[policy].flows == NULL)
		give_up(subject->spec, ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
	subject->books[policy] = book;
	free(rules);
}

void subject_rules_change(struct subject *subject, unsigned int policy, uint64_t *seed) {
	struct flow_book *book = subject->books[policy];
	bool learn = false;

	for (unsigned int n = random_below(seed, 8); n > 0 && book != NULL; n--)
		learn |= flow_book_toggle(book, random_below(seed, book->n));
	if (learn)
		subject->policies[policy].id = ++last_id;
}

/* Policies */

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

static struct ddp_policy *policy_add(struct subject *subject, unsigned int i, const char *name) {
	struct ddp_policy *policy = &subject->policies[i];

	*policy = (struct ddp_policy){
		.program = subject->program,
		.rss = true,
		.rss_hf = DDP_RSS_HF_ALL,
		.id = ++last_id,
	};
	subject->names[i] = name;
	return policy;
}

static void name_types(struct subject *subject, struct ddp_policy *policy) {
	policy->ptypes = subject->ptypes;
	policy->n_ptypes = NAMES_MAX - subject->salt % 50;
	policy->ptype_hidden = subject->salt & subject->salt >> 8;
}

static void policies_make(struct subject *subject, uint64_t *seed) {
	struct ddp_policy *p;

	policy_add(subject, 0, "all");
	p = policy_add(subject, 1, "some of rss_hf, types renamed");
	p->rss_hf = rss_hf_draw(subject->program, seed);
	name_types(subject, p);
	p = policy_add(subject, 2, "some of rss_hf, any function");
	p->rss_hf = rss_hf_draw(subject->program, seed);
	p->function = random_below(seed, 4);
	p = policy_add(subject, 3, "all of rss_hf with checksums, any function");
	p->rss_hf = UINT64_MAX;
	p->function = random_below(seed, 4);
	p = policy_add(subject, 4, "no RSS, types renamed");
	p->rss = false;
	p->rss_hf = 0;
	name_types(subject, p);
	policy_add(subject, 5, "rules that steer");
	flows_add(subject, 5, 20, DDP_FLOW_STEER, 5, seed);
	policy_add(subject, 6, "rules that hash");
	flows_add(subject, 6, 20, DDP_FLOW_HASH, 3, seed);
	p = policy_add(subject, 7, "no RSS but rules that hash and steer");
	flows_add(subject, 7, 40, DDP_FLOW_STAGES, 2, seed);
	p->rss = false;
	p->rss_hf = 0;
	p = policy_add(subject, 8, "some of rss_hf, any function, rules, types renamed");
	flows_add(subject, 8, 30, DDP_FLOW_STAGES, 4, seed);
	p->function = random_below(seed, 4);
	p->rss_hf = rss_hf_draw(subject->program, seed);
	name_types(subject, p);
	policy_add(subject, 9, "many rules that steer");
	flows_add(subject, 9, RULES_MAX, DDP_FLOW_STEER, 60, seed);
}

#define RANDOM "random:" // a number follows

// As a port that had other profiles before, it has ids from first_id on.
static int spec_load(struct ddp_personality *personality, const char *spec, unsigned int first_id,
		     struct ddp_diag *diag) {
	struct ddp_source source = {.spec = spec};
	char *text = NULL;
	uint64_t seed;
	int ret;

	if (strncmp(spec, RANDOM, strlen(RANDOM)) == 0) {
		seed = strtoull(spec + strlen(RANDOM), NULL, 10) * 2 + 1;
		text = profile_draw(&seed);
		source = (struct ddp_source){.text = text, .size = strlen(text)};
	}
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
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	if (spec_load(personality, spec, first_id, &diag) < 0)
		give_up(spec, ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
}

void subject_exchange(struct subject *subject) {
	struct ddp_policy *policy;

	ddp_personality_unload(&subject->other);
	subject_load(&subject->other,
		     subject->policies[N_POLICIES - 1].id % 2 == 0 ? "base" : "gtpu", 1);
	policy = policy_add(subject, N_POLICIES - 1, "another profile");
	policy->program = subject->other.program;
}

void subject_init(struct subject *subject, const char *spec, const struct frames *common,
		  uint64_t seed) {
	memset(subject, 0, sizeof(*subject));
	subject->spec = spec;
	subject->salt = random_next(&seed) >> 32;
	names_draw(subject, &seed);
	subject_load(&subject->personality, spec, 1 + subject->salt % 5000);
	subject->profile = subject->personality.profile;
	subject->program = subject->personality.program;
	for (unsigned int i = 0; i < common->n; i++)
		frame_add(&subject->frames, common->list[i].bytes, common->list[i].len);
	frames_graph_add(&subject->frames, subject->profile, subject->program,
			 N_DRAWN + N_DRAWN_TYPE * ddp_program_n_types(subject->program),
			 random_next(&seed));
	frames_spots_find(&subject->frames, subject->profile, subject->program);
	policies_make(subject, &seed);
	subject_exchange(subject);
}

void subject_fini(struct subject *subject) {
	for (unsigned int i = 0; i < N_POLICIES; i++) {
		ddp_flow_set_destroy((struct ddp_flow_set *)subject->policies[i].flows);
		if (subject->books[i] != NULL)
			flow_book_fini(subject->books[i]);
		free(subject->books[i]);
	}
	free(subject->frames.list);
	ddp_personality_unload(&subject->personality);
	ddp_personality_unload(&subject->other);
}
