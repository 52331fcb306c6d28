/* SPDX-License-Identifier: BSD-3-Clause */
// The shapes of a list of rules -> what the data path makes of them.
#include "rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Shapes to compile, and for what.
struct compilation {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct ddp_flow_shape **shapes;
	struct ddp_flows *flows;
	char *reason;
	size_t size;
};

static int no_memory(const struct compilation *c) {
	snprintf(c->reason, c->size, "out of memory");
	return -ENOMEM;
}

// Any entry of rules in force may be in use, so look at the rules, if one could be wrong.
static int queues_check(const struct ddp_flow_list *list, unsigned int n_rxqs, char *reason,
			size_t size) {
	const struct rte_flow *flow;

	if (list->queue_max < n_rxqs)
		return 0;
	TAILQ_FOREACH(flow, &list->flows, entry)
		for (unsigned int i = 0; i < flow->action.n_queues; i++) {
			const uint16_t queue = ddp_flow_queues(&flow->action)[i];

			if (queue < n_rxqs)
				continue;
			snprintf(reason, size, "a flow rule sends packets to Rx queue %u", queue);
			return -EINVAL;
		}
	return 0;
}

static int raw_insert(const struct rte_flow *flow, const struct ddp_flow *rule,
		      struct ddp_flow_table *table) {
	struct ddp_flow_entry *entry = ddp_flow_entry_create(table, rule);

	if (entry == NULL || ddp_flow_table_reserve(table, entry) < 0)
		return -ENOMEM;
	entry->number = flow->number;
	ddp_flow_table_insert(table, entry);
	return 0;
}

// Add the shape of a raw rule, as this profile parses its packet.
static int raw_add(struct compilation *c, const struct rte_flow *flow) {
	const struct ddp_flow_raw *raw = flow->raw;
	struct ddp_flow rule = flow->shapes[0]->rule;
	struct ddp_flow_shape *shape;
	int ret = ddp_flow_raw_rule(c->profile, c->program, raw->spec, raw->mask, raw->n, &rule,
				    c->reason, c->size);

	if (ret < 0)
		return ret;
	shape = ddp_flow_shape_create(&c->flows->raws, ddp_program_memory(c->program), &rule,
				      sizeof(flow->action));
	if (shape == NULL || raw_insert(flow, &rule, shape->table) < 0)
		return no_memory(c);
	c->shapes[c->flows->n++] = shape;
	return 0;
}

static int set_build(struct compilation *c) {
	struct ddp_diag diag;
	int ret = 0;

	ddp_diag_init(&diag);
	c->flows->set = ddp_flow_set_build(c->profile, c->program, c->shapes, c->flows->n, &diag);
	if (c->flows->set == NULL) {
		snprintf(c->reason, c->size, "%s", ddp_diag_reason(&diag));
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

// A shape that is given, or it and those behind it of which there are rules.
static int shapes_compile(struct compilation *c, const struct ddp_flow_shape *shape, bool all,
			  struct ddp_flows **flows) {
	unsigned int n = 0;
	int ret = 0;

	for (const struct ddp_flow_shape *s = shape; s != NULL; s = TAILQ_NEXT(s, entry))
		n++;
	c->shapes = calloc(n + 1, sizeof(*c->shapes));
	c->flows = calloc(1, sizeof(*c->flows));
	if (c->flows != NULL)
		TAILQ_INIT(&c->flows->raws);
	if (c->shapes == NULL || c->flows == NULL)
		ret = no_memory(c);
	for (; shape != NULL && ret == 0; shape = all ? TAILQ_NEXT(shape, entry) : NULL) {
		if (shape->owner != NULL && (shape->n_rules > 0 || !all))
			ret = raw_add(c, shape->owner);
		else if (shape->n_rules > 0 || !all)
			c->shapes[c->flows->n++] = shape;
	}
	if (ret == 0)
		ret = set_build(c);
	free(c->shapes);
	if (ret == 0)
		*flows = c->flows;
	else
		ddp_flows_destroy(c->flows);
	return ret;
}

int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	int ret = queues_check(list, n_rxqs, reason, size);

	return ret < 0 ? ret : shapes_compile(&c, TAILQ_FIRST(&list->shapes), true, flows);
}

int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 const struct ddp_flow_shape *shape, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	struct ddp_flows *flows = NULL;
	int ret = shapes_compile(&c, shape, false, &flows);

	ddp_flows_destroy(flows);
	return ret;
}

void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size) {
	const size_t len = strlen(reason);
	unsigned int i = 0;
	char *name;

	while (i < rule->n_items && ddp_header_find(profile, rule->items[i]) >= 0)
		i++;
	name = i < rule->n_items ? ddp_profile_defining(rule->items[i]) : NULL;
	if (name == NULL)
		return;
	snprintf(reason + len, size - len, ": profile %s does", name);
	free(name);
}

void ddp_flows_destroy(struct ddp_flows *flows) {
	struct ddp_flow_shape *shape;

	if (flows == NULL)
		return;
	ddp_flow_set_destroy(flows->set);
	while ((shape = TAILQ_FIRST(&flows->raws)) != NULL)
		ddp_flow_shape_put(&flows->raws, shape);
	free(flows);
}
