/* SPDX-License-Identifier: BSD-3-Clause */
#include "rule_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/exit_status.h"
#include "ctl/profile/profile_load.h"
#include "rule_parse.h"

#define FILE_MAX (64 * 1024 * 1024)

struct rules {
	const struct steer_config *port;
	struct ddp_arena *arena;
	struct rule_text *texts;
	unsigned int n;
	unsigned int n_added;
};

struct rules *rules_create(const struct steer_config *port) {
	struct rules *rules = calloc(1, sizeof(*rules));

	if (rules == NULL)
		return NULL;
	rules->port = port;
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

// If some of the rules from first on are created, those that are only validated do not count.
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

		if (rule_parse(text, len, &place, rules->port, rules->arena, &rule, diag) ==
		    RULE_LINE_RULE)
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

static int flow_add(const struct build *b, const struct rte_flow_attr *attr,
		    const struct rte_flow_item *items, const struct rte_flow_action *actions,
		    struct rte_flow_error *error) {
	bool compile; // all are, in the end
	int ret;
	struct rte_flow *flow = ddp_flow_create(&b->config, attr, items, actions, error, &ret);

	if (flow == NULL)
		return ret;
	ret = ddp_flow_list_add(&b->set->list, flow, &compile, error);
	if (ret < 0)
		ddp_flow_destroy(flow);
	else
		ddp_flow_list_commit(&b->set->list, flow);
	return ret;
}

static int text_build(const struct build *b, const struct rule_text *text) {
	struct rte_flow_error error = {0};
	int ret = flow_add(b, &text->attr, text->items, text->actions, &error);

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

// has_function: the first flow is not of a text, but that of --hash.
static int unserved_report(const struct rules *rules, const struct build *b,
			   const struct ddp_profile *profile, const struct ddp_program *program,
			   bool has_function, char *reason, size_t size) {
	const struct ddp_place *place = NULL;
	const struct rte_flow *flow;
	unsigned int n = 0;

	TAILQ_FOREACH(flow, &b->set->list.flows, entry) {
		n++;
		if (flow->dead ||
		    ddp_flow_serve_check(profile, program, flow->shapes[0], reason, size) == 0)
			continue;
		ddp_flow_profile_suggest(profile, ddp_flow_rule(flow), reason, size);
		if (n > has_function)
			place = &rules->texts[n - 1 - has_function].place;
		break;
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
	const struct build b = {
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
		ret = function_build(&b, config->function);
	for (unsigned int i = 0; i < rules_count(rules) && ret == 0; i++)
		ret = text_build(&b, &rules->texts[i]);
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

/* Use */

enum rule_fate rule_fate(const struct ddp_flow_entry *rule, const uint16_t **queues,
			 unsigned int *n_queues) {
	const struct ddp_flow_action *action = rule == NULL ? NULL : ddp_flow_action_of(rule);

	if (action == NULL || action->fate == DDP_FLOW_PASS)
		return RULE_PASS;
	if (action->fate == DDP_FLOW_DROP)
		return RULE_DROP;
	*queues = ddp_flow_queues(action);
	*n_queues = action->n_queues;
	return action->n_queues == 1 ? RULE_QUEUE : RULE_RSS;
}

int rule_queue(const struct ddp_flow_entry *rule, bool hashed, uint32_t hash, unsigned int queue) {
	const uint16_t *queues = NULL;
	unsigned int n = 0;

	switch (rule_fate(rule, &queues, &n)) {
	case RULE_DROP:
		return RULE_DROPPED;
	case RULE_QUEUE:
	case RULE_RSS:
		return ddp_flow_queue(ddp_flow_action_of(rule), hashed, hash);
	default:
		return queue;
	}
}

const struct ddp_hash *rule_key(const struct ddp_flow_entry *rule) {
	return rule == NULL ? NULL : ddp_flow_key_of(ddp_flow_action_of(rule));
}

static unsigned int input_gather(const struct ddp_policy *policy, const struct ddp_packet *packet,
				 const struct ddp_class *class, const struct ddp_flow_hit *hit,
				 enum ddp_hash_function *function, uint8_t *input) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);
	uint64_t rss_hf = policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL;

	*function = DDP_HASH_TOEPLITZ;
	if (hashing == NULL && !policy->rss)
		return 0;
	if (hashing != NULL)
		*function = hashing->function;
	if (hashing != NULL && hashing->own_inputs)
		return ddp_flow_gather(policy->flows, packet, class, hit, *function, input);
	return ddp_input_gather(policy->program, packet, class, rss_hf, *function, input);
}

// key: of the rule, or NULL.
static void hashes_compute(const struct steer *steer, const struct ddp_hash *key,
			   struct ddp_answer *answer) {
	answer->hash = answer->port_hash = 0;
	answer->queue = 0;
	if (answer->input_len == 0)
		return;
	answer->port_hash = ddp_hash_compute_by(&steer->hash, answer->function, answer->input,
						answer->input_len);
	answer->hash = key == NULL ? answer->port_hash :
				     ddp_hash_compute_by(key, answer->function, answer->input,
							 answer->input_len);
	answer->queue = steer->reta[answer->port_hash & (steer->config.reta_size - 1)];
}

const struct ddp_flow_entry *rule_steer(const struct ddp_policy *policy, const struct steer *steer,
					const struct ddp_packet *packet,
					struct ddp_answer *answer) {
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};
	const struct ddp_flow_entry *rule;
	enum ddp_hash_function function;
	int queue;

	if (policy->flows != NULL)
		ddp_flow_match(policy->flows, packet, &answer->class, &hit);
	rule = hit.rules[DDP_FLOW_STEER];
	answer->input_len =
		input_gather(policy, packet, &answer->class, &hit, &function, answer->input);
	answer->function = function;
	hashes_compute(steer, rule_key(rule), answer);
	queue = rule_queue(rule, answer->input_len > 0, answer->hash, answer->queue);
	answer->dropped = queue == RULE_DROPPED;
	answer->queue = answer->dropped ? 0 : queue;
	return rule;
}

int rules_read_or_report(struct rules **rules, const struct rule_options *options,
			 const struct steer_config *port, unsigned int candidate) {
	struct ddp_diag diag;
	int status = EXIT_GOOD, ret = 0;

	*rules = rules_create(port);
	if (*rules == NULL)
		no_memory_exit();
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
