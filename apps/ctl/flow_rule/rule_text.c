/* SPDX-License-Identifier: BSD-3-Clause */
#include "rule_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "rule_parse.h"

#define FILE_MAX (64 * 1024 * 1024)
#define TESTPMD_QUEUES 128 // of an RSS action that names none, at most

struct rules {
	struct ddp_arena *arena;
	struct rule_text *texts;
	unsigned int n;
	unsigned int n_added;
};

struct rules *rules_create(void) {
	struct rules *rules = calloc(1, sizeof(*rules));

	if (rules == NULL)
		return NULL;
	rules->arena = ddp_arena_create();
	return rules;
}

void rules_destroy(struct rules *rules) {
	if (rules == NULL)
		return;
	ddp_arena_destroy(rules->arena);
	free(rules);
}

unsigned int rules_count(const struct rules *rules) {
	return rules != NULL ? rules->n : 0;
}

/* Text */

// Who creates rules, from first on, only tried those that he validated.
static void validated_drop(struct rules *rules, unsigned int first) {
	unsigned int n = first;

	for (unsigned int i = first; i < rules->n; i++)
		if (!rules->texts[i].validated)
			rules->texts[n++] = rules->texts[i];
	if (n > first)
		rules->n = n;
}

static int lines_add(struct rules *rules, const char *name, const char *text,
		     struct ddp_diag *diag) {
	struct ddp_place place = {
		.file = ddp_arena_strdup(rules->arena, name), .line = 1, .col = 1};
	unsigned int failures = ddp_diag_failures(diag), n = rules->n;

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		struct rule_text rule = {0};

		if (rule_parse(text, len, &place, rules->arena, &rule, diag) == RULE_LINE_RULE)
			*DDP_APPEND(rules->arena, rules->texts, rules->n) = rule;
		text += text[len] == '\n' ? len + 1 : len;
		place.line++;
	}
	validated_drop(rules, n);
	if (ddp_diag_failures(diag) == failures && rules->n == n)
		ddp_error(diag, &(struct ddp_place){.file = place.file}, "no rule is in it");
	return ddp_diag_failures(diag) == failures ? 0 : -EINVAL;
}

// The text of a file, to be freed. NULL with an error in diag.
static char *file_read(const char *path, struct ddp_diag *diag) {
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t n = -1;

	if (file != NULL)
		n = getdelim(&text, &size, '\0', file);
	if (file == NULL || ferror(file)) {
		ddp_error(diag, NULL, "%s: %s", path, strerror(errno));
		diag->unreadable = true;
		n = -1;
	} else if (n < 0) {
		ddp_error(diag, NULL, "%s: no rule is in it", path);
	} else if (n > FILE_MAX || fgetc(file) != EOF) {
		ddp_error(diag, NULL, "%s: no text of rules", path);
		n = -1;
	}
	if (file != NULL)
		fclose(file);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

int rules_add(struct rules *rules, const char *text, struct ddp_diag *diag) {
	char name[40];
	char *read;
	int ret;

	rules->n_added++;
	if (text[0] != '@') {
		snprintf(name, sizeof(name), "rule %u", rules->n_added);
		return lines_add(rules, name, text, diag);
	}
	read = file_read(text + 1, diag);
	if (read == NULL)
		return -EINVAL;
	ret = lines_add(rules, ddp_arena_strdup(rules->arena, text + 1), read, diag);
	free(read);
	return ret;
}

/* Building */

struct build {
	const struct ddp_flow_config config;
	struct rule_set *set;
	struct ddp_diag *diag;
};

// The word that an error is about.
static const struct ddp_place *place_of(const struct rule_text *text, const void *cause) {
	for (unsigned int i = 0; i < text->n_items; i++)
		if (cause == &text->items[i])
			return &text->item_places[i];
	for (unsigned int i = 0; i < text->n_actions; i++)
		if (cause == &text->actions[i])
			return &text->action_places[i];
	return &text->place;
}

// What the text of an RSS action leaves to the port is as testpmd fills it in.
static void rss_fill(const struct ddp_flow_config *config, struct rule_rss *rss,
		     uint16_t queues[TESTPMD_QUEUES]) {
	if (rss->no_types)
		rss->conf.types = config->rss_hf;
	if (!rss->no_queues)
		return;
	rss->conf.queue = queues;
	rss->conf.queue_num = config->n_rxqs < TESTPMD_QUEUES ? config->n_rxqs : TESTPMD_QUEUES;
	for (unsigned int i = 0; i < rss->conf.queue_num; i++)
		queues[i] = i;
}

static int flow_add(const struct build *b, const struct rte_flow_attr *attr,
		    const struct rte_flow_item *items, const struct rte_flow_action *actions,
		    struct rte_flow_error *error) {
	int ret;
	struct rte_flow *flow = ddp_flow_create(&b->config, attr, items, actions, error, &ret);

	if (flow == NULL)
		return ret;
	ret = ddp_flow_list_add(&b->set->list, flow, error);
	if (ret < 0)
		ddp_flow_destroy(flow);
	return ret;
}

static int text_build(const struct build *b, const struct rule_text *text) {
	uint16_t queues[TESTPMD_QUEUES];
	struct rte_flow_error error = {0};
	struct rte_flow_action *all;
	struct rule_rss *rss;
	int ret;

	all = calloc(text->n_actions, sizeof(*all) + sizeof(*rss));
	if (all == NULL)
		return ddp_no_memory(b->diag);
	rss = (struct rule_rss *)(all + text->n_actions);
	memcpy(all, text->actions, text->n_actions * sizeof(*all));
	for (unsigned int i = 0; i < text->n_actions; i++)
		if (all[i].type == RTE_FLOW_ACTION_TYPE_RSS) {
			rss[i] = *(const struct rule_rss *)all[i].conf;
			rss_fill(&b->config, &rss[i], queues);
			all[i].conf = &rss[i].conf;
		}
	ret = flow_add(b, &text->attr, text->items, all, &error);
	if (error.cause >= (const void *)all && error.cause < (const void *)(all + text->n_actions))
		error.cause = &text->actions[(const struct rte_flow_action *)error.cause - all];
	free(all);
	if (ret == -ENOMEM)
		return ddp_no_memory(b->diag);
	if (ret < 0)
		ddp_error(b->diag, place_of(text, error.cause), "%s", error.message);
	return ret;
}

// What --hash says is for all packets that no rule is for.
static int function_build(const struct build *b, enum ddp_hash_function function) {
	const struct rte_flow_attr attr = {.ingress = 1};
	const struct rte_flow_item items[] = {{.type = RTE_FLOW_ITEM_TYPE_END}};
	const struct rte_flow_action_rss rss = {.func = ddp_flow_function(function)};
	const struct rte_flow_action all[] = {
		{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};
	struct rte_flow_error error;
	int ret = flow_add(b, &attr, items, all, &error);

	return ret == -ENOMEM ? ddp_no_memory(b->diag) : ret;
}

// The text that a flow of the list was made of; NULL for the one of --hash.
static const struct rule_text *text_of(const struct rules *rules, const struct rule_set *set,
				       const struct rte_flow *wanted, bool has_function) {
	const struct rte_flow *flow;
	unsigned int i = 0;

	TAILQ_FOREACH(flow, &set->list, entry) {
		if (flow == wanted)
			return has_function && i == 0 ? NULL : &rules->texts[i - has_function];
		i++;
	}
	return NULL;
}

static int unserved_tell(const struct rules *rules, const struct build *b,
			 const struct ddp_profile *profile, const struct ddp_program *program,
			 bool has_function, char *reason, size_t size) {
	const struct rule_text *text = NULL;
	struct rte_flow *flow;

	TAILQ_FOREACH(flow, &b->set->list, entry) {
		struct ddp_flow_list one = TAILQ_HEAD_INITIALIZER(one);
		struct rte_flow copy = *flow;
		struct ddp_flows *flows;

		if (flow->dead || ddp_flow_serve_check(profile, program, flow) == 0)
			continue;
		TAILQ_INSERT_TAIL(&one, &copy, entry);
		if (ddp_flow_list_compile(&one, profile, program, UINT16_MAX, &flows, reason,
					  size) == 0)
			ddp_flows_destroy(flows);
		ddp_flow_profile_suggest(profile, &flow->rule, reason, size);
		text = text_of(rules, b->set, flow, has_function);
		break;
	}
	ddp_error(b->diag, text != NULL ? &text->place : NULL, "%s", reason);
	return -EINVAL;
}

void rule_set_fini(struct rule_set *set) {
	ddp_flows_destroy(set->flows);
	set->flows = NULL;
	ddp_flow_list_destroy(&set->list);
}

int rules_build(const struct rules *rules, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer_config *config,
		struct rule_set *set, struct ddp_policy *policy, struct ddp_diag *diag) {
	const struct build b = {
		.config = {.n_rxqs = config->n_queues, .n_counts = 1, .rss_hf = config->rss_hf},
		.set = set,
		.diag = diag,
	};
	bool has_function = config->function != DDP_HASH_TOEPLITZ && config->rss_hf != 0;
	char reason[500];
	int ret = 0;

	TAILQ_INIT(&set->list);
	set->flows = NULL;
	if (has_function)
		ret = function_build(&b, config->function);
	for (unsigned int i = 0; i < rules_count(rules) && ret == 0; i++)
		ret = text_build(&b, &rules->texts[i]);
	if (ret == 0) {
		ret = ddp_flow_list_compile(&set->list, profile, program, config->n_queues,
					    &set->flows, reason, sizeof(reason));
		if (ret == -ENOMEM)
			ddp_no_memory(diag);
		else if (ret < 0)
			ret = unserved_tell(rules, &b, profile, program, has_function, reason,
					    sizeof(reason));
	}
	if (ret < 0) {
		rule_set_fini(set);
		return ret;
	}
	policy->flows = set->flows->n > 0 ? set->flows->set : NULL;
	policy->hashings = set->flows->hashings;
	return 0;
}

/* Use */

enum rule_fate rule_set_fate(const struct rule_set *set, int32_t rule, const uint16_t **queues,
			     unsigned int *n_queues) {
	const struct ddp_flow_action *action;

	if (rule < 0 || set->flows->actions[rule].fate == DDP_FLOW_PASS)
		return RULE_PASS;
	action = &set->flows->actions[rule];
	if (action->fate == DDP_FLOW_DROP)
		return RULE_DROP;
	*queues = action->queues;
	*n_queues = action->n_queues;
	return action->n_queues == 1 ? RULE_QUEUE : RULE_RSS;
}

int rule_set_queue(const struct rule_set *set, int32_t rule, bool hashed, uint32_t hash,
		   unsigned int queue) {
	const uint16_t *queues = NULL;
	unsigned int n = 0;

	switch (rule_set_fate(set, rule, &queues, &n)) {
	case RULE_DROP:
		return RULE_DROPPED;
	case RULE_QUEUE:
		return queues[0];
	case RULE_RSS:
		return queues[hashed ? hash % n : 0];
	default:
		return queue;
	}
}

static unsigned int input_gather(const struct ddp_policy *policy, const struct ddp_packet *packet,
				 const struct ddp_class *class, int32_t rule,
				 enum ddp_hash_function function, uint8_t *input) {
	uint64_t rss_hf = policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL;

	if (rule < 0 && !policy->rss)
		return 0;
	if (rule >= 0 && policy->hashings[rule].own_inputs)
		return ddp_flow_gather(policy->flows, packet, class, rule, function, input);
	return ddp_input_gather(policy->program, packet, class, rss_hf, function, input);
}

int32_t rule_set_steer(const struct rule_set *set, const struct ddp_policy *policy,
		       const struct steer *steer, const struct ddp_packet *packet,
		       const struct ddp_class *class, struct steered *steered) {
	enum ddp_hash_function function = DDP_HASH_TOEPLITZ;
	struct ddp_flow_hit hit = {{-1, -1}};
	int32_t rule;
	int queue;

	if (policy->flows != NULL)
		ddp_flow_match(policy->flows, packet, class, &hit);
	rule = hit.rules[DDP_FLOW_HASH];
	if (rule >= 0)
		function = policy->hashings[rule].function;
	steered->input_len = input_gather(policy, packet, class, rule, function, steered->input);
	steered->hash = 0;
	steered->queue = 0;
	if (steered->input_len > 0) {
		steered->hash = ddp_hash_compute_by(&steer->hash, function, steered->input,
						    steered->input_len);
		steered->queue = steer->reta[steered->hash & (steer->config.reta_size - 1)];
	}
	queue = rule_set_queue(set, hit.rules[DDP_FLOW_STEER], steered->input_len > 0,
			       steered->hash, steered->queue);
	steered->dropped = queue == RULE_DROPPED;
	steered->queue = steered->dropped ? 0 : queue;
	return hit.rules[DDP_FLOW_STEER];
}
