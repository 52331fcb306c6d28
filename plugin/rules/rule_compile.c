/* SPDX-License-Identifier: BSD-3-Clause */
// A list of rules -> what the data path makes of it.
#include "rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What rules are compiled for.
struct program {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
};

// What is compiled: rules in the order of their precedence, last the one that wins, each with its
// variants behind it.
struct ranked {
	unsigned int n;
	struct rte_flow **flows;
	unsigned int n_rules;
	const struct ddp_flow **rules;
	unsigned int *flow_of;  // index in flows, by rule
	struct ddp_flow **made; // rules of raw patterns, and variants: for this compilation only
	unsigned int n_made;
};

static int reason_set(char *reason, size_t size, int ret, const char *message) {
	if (reason != NULL)
		snprintf(reason, size, "%s", message);
	return ret;
}

static int flow_compare(const void *a, const void *b) {
	const struct rte_flow *x = *(struct rte_flow *const *)a, *y = *(struct rte_flow *const *)b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? 1 : -1;
	return x->number < y->number ? -1 : 1;
}

static void ranked_free(struct ranked *ranked) {
	for (unsigned int i = 0; i < ranked->n_made; i++)
		free(ranked->made[i]);
	free(ranked->made);
	free(ranked->flows);
	free(ranked->rules);
	free(ranked->flow_of);
}

static int ranked_make(const struct ddp_flow_list *list, struct ranked *ranked) {
	struct rte_flow *flow;
	size_t n = 1;

	TAILQ_FOREACH(flow, list, entry)
		n++;
	ranked->flows = calloc(n, sizeof(*ranked->flows));
	n *= 1 + DDP_FLOW_VARIANTS;
	ranked->rules = calloc(n, sizeof(*ranked->rules));
	ranked->made = calloc(n, sizeof(*ranked->made));
	ranked->flow_of = calloc(n, sizeof(*ranked->flow_of));
	if (ranked->flows == NULL || ranked->rules == NULL || ranked->made == NULL ||
	    ranked->flow_of == NULL)
		return -ENOMEM;
	TAILQ_FOREACH(flow, list, entry)
		if (!flow->dead && !flow->leaving)
			ranked->flows[ranked->n++] = flow;
	qsort(ranked->flows, ranked->n, sizeof(*ranked->flows), flow_compare);
	return 0;
}

static int queues_check(const struct rte_flow *flow, unsigned int n_rxqs, char *reason,
			size_t size) {
	for (unsigned int i = 0; i < flow->action.n_queues; i++) {
		if (flow->action.queues[i] < n_rxqs)
			continue;
		if (reason != NULL)
			snprintf(reason, size, "a flow rule sends packets to Rx queue %u",
				 flow->action.queues[i]);
		return -EINVAL;
	}
	return 0;
}

static void rule_add(struct ranked *ranked, unsigned int flow, const struct ddp_flow *rule) {
	ranked->rules[ranked->n_rules] = rule;
	ranked->flow_of[ranked->n_rules++] = flow;
}

// A copy of a rule. NULL: no memory.
static struct ddp_flow *rule_make(struct ranked *ranked, const struct ddp_flow *rule) {
	struct ddp_flow *made = malloc(sizeof(*made));

	if (made == NULL)
		return NULL;
	*made = *rule;
	ranked->made[ranked->n_made++] = made;
	return made;
}

static int raw_resolve(const struct program *program, struct ranked *ranked, unsigned int i,
		       char *reason, size_t size) {
	const struct rte_flow *flow = ranked->flows[i];
	struct ddp_flow *rule = rule_make(ranked, &flow->rule);
	char ignored[200];

	if (rule == NULL)
		return reason_set(reason, size, -ENOMEM, "out of memory");
	rule_add(ranked, i, rule);
	return ddp_flow_raw_rule(program->profile, program->program, flow->raw.spec, flow->raw.mask,
				 flow->raw.n, rule, reason != NULL ? reason : ignored,
				 reason != NULL ? size : sizeof(ignored));
}

static int flow_resolve(const struct program *program, struct ranked *ranked, unsigned int i,
			char *reason, size_t size) {
	const struct rte_flow *flow = ranked->flows[i];
	struct ddp_flow variants[DDP_FLOW_VARIANTS];
	unsigned int n;

	if (flow->raw.n > 0)
		return raw_resolve(program, ranked, i, reason, size);
	rule_add(ranked, i, &flow->rule);
	n = ddp_flow_gre_variants(&flow->rule, variants);
	for (unsigned int v = 0; v < n; v++) {
		const struct ddp_flow *variant = rule_make(ranked, &variants[v]);

		if (variant == NULL)
			return reason_set(reason, size, -ENOMEM, "out of memory");
		rule_add(ranked, i, variant);
	}
	return 0;
}

static int rules_resolve(const struct program *program, struct ranked *ranked, unsigned int n_rxqs,
			 char *reason, size_t size) {
	int ret = 0;

	for (unsigned int i = 0; i < ranked->n && ret == 0; i++) {
		ret = queues_check(ranked->flows[i], n_rxqs, reason, size);
		if (ret == 0)
			ret = flow_resolve(program, ranked, i, reason, size);
	}
	return ret;
}

static struct ddp_flows *flows_alloc(const struct ddp_memory *memory, unsigned int n) {
	struct ddp_flows *flows =
		ddp_memory_alloc(memory, sizeof(*flows) + n * sizeof(flows->actions[0]));

	if (flows == NULL)
		return NULL;
	flows->memory = memory;
	flows->n = n;
	flows->hashings = ddp_memory_alloc(memory, (n > 0 ? n : 1) * sizeof(*flows->hashings));
	if (flows->hashings == NULL) {
		ddp_memory_free(memory, flows);
		return NULL;
	}
	return flows;
}

static int flows_make(const struct program *program, const struct ranked *ranked,
		      struct ddp_flows **flows, char *reason, size_t size) {
	struct ddp_diag diag;
	int ret = 0;

	*flows = flows_alloc(ddp_program_memory(program->program), ranked->n_rules);
	if (*flows == NULL)
		return reason_set(reason, size, -ENOMEM, "out of memory");
	ddp_diag_init(&diag);
	(*flows)->set = ddp_flow_set_build(program->profile, program->program, ranked->rules,
					   ranked->n_rules, &diag);
	for (unsigned int i = 0; i < ranked->n_rules; i++) {
		(*flows)->hashings[i] = ranked->flows[ranked->flow_of[i]]->hashing;
		(*flows)->actions[i] = ranked->flows[ranked->flow_of[i]]->action;
	}
	if ((*flows)->set == NULL) {
		ret = reason_set(reason, size, diag.no_memory ? -ENOMEM : -EINVAL,
				 ddp_diag_reason(&diag));
		ddp_flows_destroy(*flows);
		*flows = NULL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size) {
	const struct program with = {profile, program};
	struct ranked ranked = {0};
	int ret = ranked_make(list, &ranked);

	if (ret < 0)
		reason_set(reason, size, ret, "out of memory");
	else
		ret = rules_resolve(&with, &ranked, n_rxqs, reason, size);
	if (ret == 0)
		ret = flows_make(&with, &ranked, flows, reason, size);
	ranked_free(&ranked);
	return ret;
}

int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 struct rte_flow *flow) {
	const struct program with = {profile, program};
	const struct ddp_flow *rules[1 + DDP_FLOW_VARIANTS];
	struct ddp_flow *made[1 + DDP_FLOW_VARIANTS];
	unsigned int flow_of[1 + DDP_FLOW_VARIANTS];
	struct ranked one = {
		.n = 1,
		.flows = &flow,
		.rules = rules,
		.flow_of = flow_of,
		.made = made,
	};
	struct ddp_flows *flows = NULL;
	int ret = flow_resolve(&with, &one, 0, NULL, 0);

	if (ret == 0)
		ret = flows_make(&with, &one, &flows, NULL, 0);
	ddp_flows_destroy(flows);
	while (one.n_made > 0)
		free(made[--one.n_made]);
	return ret;
}

static bool is_parsed(const struct ddp_profile *profile, const char *header) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, header) == 0)
			return true;
	return false;
}

// Where a rule failed for a header that is not parsed: which profile to load.
void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size) {
	char more[100], *name;
	size_t len;
	unsigned int i = 0;

	while (i < rule->n_items && is_parsed(profile, rule->items[i]))
		i++;
	name = i < rule->n_items ? ddp_profile_defining(rule->items[i]) : NULL;
	if (name == NULL)
		return;
	snprintf(more, sizeof(more), ": profile %s does", name);
	len = strlen(reason);
	snprintf(reason + len, size - len, "%s", more);
	free(name);
}

void ddp_flows_destroy(struct ddp_flows *flows) {
	if (flows == NULL)
		return;
	ddp_flow_set_destroy(flows->set);
	ddp_memory_free(flows->memory, flows->hashings);
	ddp_memory_free(flows->memory, flows);
}
