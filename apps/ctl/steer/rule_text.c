/* SPDX-License-Identifier: BSD-3-Clause */
#include "rule_text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "ctl/profile/profile_load.h"

struct rules {
	const struct steer_config *port;
	struct ddp_arena *arena;
	struct rule_text *texts;
	unsigned int n;
	unsigned int n_added;
};

struct rules *rules_create(const struct steer_config *port) {
	struct ddp_arena *arena = ddp_arena_create();
	struct rules *rules = ddp_arena_alloc(arena, sizeof(*rules));

	rules->port = port;
	rules->arena = arena;
	return rules;
}

void rules_destroy(struct rules *rules) {
	if (rules != NULL)
		ddp_arena_destroy(rules->arena);
}

unsigned int rules_count(const struct rules *rules) {
	return rules != NULL ? rules->n : 0;
}

/* Text */

int rules_add(struct rules *rules, const char *text, struct ddp_diag *diag) {
	const unsigned int failures = ddp_diag_failures(diag), n = rules->n;
	const bool is_file = text[0] == '@';
	FILE *in = is_file ? fopen(text + 1, "r") :
			     fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	struct ddp_place place = {.col = 1};
	char *line = NULL;
	size_t size = 0;

	rules->n_added++;
	place.file = is_file ? ddp_arena_strdup(rules->arena, text + 1) :
			       ddp_arena_printf(rules->arena, "rule %u", rules->n_added);
	while (in != NULL && getline(&line, &size, in) > 0) {
		struct rule_text rule = {0};

		place.line++;
		if (rule_parse(line, &place, rules->port, rules->arena, &rule, diag))
			*DDP_APPEND(rules->arena, rules->texts, rules->n) = rule;
	}
	if (in == NULL || ferror(in)) {
		ddp_error(diag, NULL, "%s: %s", place.file, strerror(errno));
		diag->unreadable = true;
	}
	if (in != NULL)
		fclose(in);
	free(line);
	if (ddp_diag_failures(diag) == failures && rules->n == n)
		ddp_error(diag, DDP_FILE(place.file), "no rule is in it");
	return ddp_diag_failures(diag) == failures ? 0 : -EINVAL;
}

/* Building */

struct rule_set_build {
	const struct ddp_flow_config config;
	struct rule_set *set;
	struct ddp_diag *diag;
};

static const struct ddp_place *place_of(const struct rule_text *text, const void *cause) {
	const unsigned int n = text->n_items;

	for (unsigned int i = 0; i < text->n_places; i++)
		if (i < n ? cause == &text->items[i] : cause == &text->actions[i - n])
			return &text->places[i];
	return &text->place;
}

static int flow_add(const struct rule_set_build *b, const struct rule_text *text) {
	struct rte_flow_error error = {0};
	bool compile; // unused: all are compiled later
	int ret;
	struct rte_flow *flow =
		ddp_flow_create(&b->config, &text->attr, text->items, text->actions, &error, &ret);

	if (flow != NULL)
		ret = ddp_flow_list_add(&b->set->list, flow, &compile, &error);
	if (flow != NULL && ret == 0)
		ddp_flow_list_commit(&b->set->list, flow);
	else if (flow != NULL)
		ddp_flow_destroy(flow);
	if (ret == -ENOMEM)
		return ddp_no_memory(b->diag);
	if (ret < 0)
		ddp_error(b->diag, place_of(text, error.cause), "%s", error.message);
	return ret;
}

// --hash is a rule for all packets without another rule.
static int function_add(const struct rule_set_build *b, enum ddp_hash_function function) {
	const struct rte_flow_action_rss rss = {.func = ddp_flow_function(function)};
	struct rte_flow_item end = {.type = RTE_FLOW_ITEM_TYPE_END};
	struct rte_flow_action all[] = {
		{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};

	return flow_add(b, &(struct rule_text){.attr.ingress = 1, .items = &end, .actions = all});
}

// has_function: the first flow is that of --hash, without a text.
static int unserved_report(const struct rules *rules, const struct rule_set_build *b,
			   const struct ddp_profile *profile, const struct ddp_program *program,
			   bool has_function, char *reason, size_t size) {
	const struct ddp_place *place = NULL;
	const struct rte_flow *flow;
	int n = has_function ? -1 : 0;

	TAILQ_FOREACH(flow, &b->set->list.flows, entry) {
		if (!flow->dead &&
		    ddp_flow_serve_check(profile, program, flow->shapes[0], reason, size) != 0) {
			ddp_flow_profile_suggest(profile, ddp_flow_rule(flow), reason, size);
			assert(n < (int)rules_count(rules));
			place = n < 0 ? NULL : &rules->texts[n].place;
			break;
		}
		n++;
	}
	ddp_error(b->diag, place, "%s", reason);
	return -EINVAL;
}

void rule_set_fini(struct rule_set *set) {
	ddp_flows_destroy(set->flows);
	set->flows = NULL;
	ddp_flow_list_fini(&set->list);
}

int rules_build(const struct rules *rules, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer_config *config,
		struct rule_set *set, struct ddp_policy *policy, struct ddp_diag *diag) {
	const struct rule_set_build b = {
		.config =
			{
				.n_rxqs = config->n_queues,
				.n_counts = 1,
				.rss_hf = config->rss_hf,
				.dialect = ddp_flow_dialect_of(profile),
				.key = config->key,
			},
		.set = set,
		.diag = diag,
	};
	bool has_function = config->function != DDP_HASH_TOEPLITZ && config->rss_hf != 0;
	char reason[500];
	int ret = 0;

	ddp_flow_list_init(&set->list, NULL);
	set->flows = NULL;
	if (has_function)
		ret = function_add(&b, config->function);
	for (unsigned int i = 0; i < rules_count(rules) && ret == 0; i++)
		ret = flow_add(&b, &rules->texts[i]);
	if (ret == 0) {
		ret = ddp_flow_list_compile(&set->list, profile, program, config->n_queues,
					    &set->flows, reason, sizeof(reason));
		if (ret == -ENOMEM)
			ddp_no_memory(diag);
		else if (ret < 0)
			ret = unserved_report(rules, &b, profile, program, has_function, reason,
					      sizeof(reason));
	}
	if (ret < 0) {
		rule_set_fini(set);
		return ret;
	}
	policy->flows = set->flows->n > 0 ? set->flows->set : NULL;
	return 0;
}

int rules_read_or_report(struct rules **rules, const struct rule_options *options,
			 const struct steer_config *port, unsigned int candidate) {
	struct ddp_diag diag;
	int status = EXIT_GOOD, ret = 0;

	*rules = rules_create(port);
	ddp_diag_init(&diag);
	for (unsigned int r = 0; r < options->n && ret == 0; r++)
		if (options->candidates[r] == candidate)
			ret = rules_add(*rules, options->texts[r], &diag);
	ddp_diag_print(&diag, stderr);
	if (ret < 0) {
		status = load_status(&diag);
		rules_destroy(*rules);
		*rules = NULL;
	}
	ddp_diag_fini(&diag);
	return status;
}
