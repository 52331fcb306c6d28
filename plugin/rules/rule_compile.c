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

static int reason_set(char *reason, size_t size, int ret, const char *message) {
	if (reason != NULL)
		snprintf(reason, size, "%s", message);
	return ret;
}

static int no_memory(const struct compilation *c) {
	return reason_set(c->reason, c->size, -ENOMEM, "out of memory");
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
			if (reason != NULL)
				snprintf(reason, size, "a flow rule sends packets to Rx queue %u",
					 queue);
			return -EINVAL;
		}
	return 0;
}

static int raw_insert(const struct rte_flow *flow, const struct ddp_flow *rule,
		      struct ddp_flow_table *table) {
	struct ddp_flow_entry *entry = ddp_flow_entry_create(table);

	if (entry == NULL)
		return -ENOMEM;
	ddp_flow_entry_fill(entry, rule);
	if (ddp_flow_table_reserve(table, entry) < 0)
		return -ENOMEM;
	entry->number = flow->number;
	ddp_flow_table_insert(table, entry);
	return 0;
}

// What the packet of a raw rule is to this profile.
static int raw_add(struct compilation *c, const struct rte_flow *flow) {
	const struct ddp_flow_raw *raw = flow->raw;
	struct ddp_flow rule = flow->shapes[0]->rule;
	struct ddp_flow_shape *shape;
	char ignored[200];
	int ret;

	ret = ddp_flow_raw_rule(c->profile, c->program, raw->spec, raw->mask, raw->n, &rule,
				c->reason != NULL ? c->reason : ignored,
				c->reason != NULL ? c->size : sizeof(ignored));
	if (ret < 0)
		return ret;
	shape = ddp_flow_shape_create(&c->flows->raws, ddp_program_memory(c->program), &rule,
				      sizeof(flow->action));
	if (shape == NULL || raw_insert(flow, &rule, shape->table) < 0)
		return no_memory(c);
	c->shapes[c->flows->n++] = shape;
	return 0;
}

static int shape_add(struct compilation *c, const struct ddp_flow_shape *shape) {
	if (shape->owner != NULL)
		return raw_add(c, shape->owner);
	c->shapes[c->flows->n++] = shape;
	return 0;
}

static int set_build(struct compilation *c) {
	struct ddp_diag diag;
	int ret = 0;

	ddp_diag_init(&diag);
	c->flows->set = ddp_flow_set_build(c->profile, c->program, c->shapes, c->flows->n, &diag);
	if (c->flows->set == NULL)
		ret = reason_set(c->reason, c->size, diag.no_memory ? -ENOMEM : -EINVAL,
				 ddp_diag_reason(&diag));
	ddp_diag_fini(&diag);
	return ret;
}

// Room for n shapes.
static int compilation_begin(struct compilation *c, unsigned int n) {
	c->shapes = calloc(n + 1, sizeof(*c->shapes));
	c->flows = calloc(1, sizeof(*c->flows));
	if (c->flows != NULL)
		TAILQ_INIT(&c->flows->raws);
	return c->shapes != NULL && c->flows != NULL ? 0 : no_memory(c);
}

// Returns ret. *flows is set if that is 0.
static int compilation_end(struct compilation *c, int ret, struct ddp_flows **flows) {
	free(c->shapes);
	if (ret == 0)
		*flows = c->flows;
	else
		ddp_flows_destroy(c->flows);
	return ret;
}

static unsigned int n_shapes(const struct ddp_flow_list *list) {
	const struct ddp_flow_shape *shape;
	unsigned int n = 0;

	TAILQ_FOREACH(shape, &list->shapes, entry)
		n++;
	return n;
}

int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	const struct ddp_flow_shape *shape;
	int ret = queues_check(list, n_rxqs, reason, size);

	if (ret < 0)
		return ret;
	ret = compilation_begin(&c, n_shapes(list));
	TAILQ_FOREACH(shape, &list->shapes, entry)
		if (ret == 0 && shape->n_rules > 0)
			ret = shape_add(&c, shape);
	if (ret == 0)
		ret = set_build(&c);
	return compilation_end(&c, ret, flows);
}

int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 const struct ddp_flow_shape *shape, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	struct ddp_flows *flows;
	int ret = compilation_begin(&c, 1);

	if (ret == 0)
		ret = shape_add(&c, shape);
	if (ret == 0)
		ret = set_build(&c);
	ret = compilation_end(&c, ret, &flows);
	if (ret == 0)
		ddp_flows_destroy(flows);
	return ret;
}

// Where a rule failed for a header that is not parsed: which profile to load.
void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size) {
	char more[100], *name;
	size_t len;
	unsigned int i = 0;

	while (i < rule->n_items && ddp_header_find(profile, rule->items[i]) >= 0)
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
	struct ddp_flow_shape *shape;

	if (flows == NULL)
		return;
	ddp_flow_set_destroy(flows->set);
	while ((shape = TAILQ_FIRST(&flows->raws)) != NULL)
		ddp_flow_shape_put(&flows->raws, shape);
	free(flows);
}
