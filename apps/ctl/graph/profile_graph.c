/* SPDX-License-Identifier: BSD-3-Clause */
// The parse graph of a profile. A table that several headers use is a node of its own, or each of
// them would draw an edge for each of its numbers.
#include "graph.h"
#include "profile/profile_format.h"

struct graph_edge *graph_edge_add(struct graph *graph, unsigned int from, unsigned int to,
				  int port) {
	struct graph_edge *edge = DDP_APPEND(graph->arena, graph->edges, graph->n_edges);

	edge->from = from;
	edge->to = to;
	edge->port = port;
	edge->when = ddp_arena_strdup(graph->arena, strbuf_take(&graph->text));
	return edge;
}

static bool is_shared(const struct ddp_profile *profile, unsigned int table) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < profile->n_headers; i++)
		for (unsigned int j = 0; j < profile->headers[i].n_rules; j++)
			n += profile->headers[i].rules[j].kind == DDP_RULE_LOOKUP &&
			     profile->headers[i].rules[j].table == table;
	return n > 1;
}

// The field of its own that a rule reads first, -1 for none.
static int field_read(const struct ddp_rule *rule) {
	if (rule->kind == DDP_RULE_LOOKUP && rule->key.which == DDP_WHICH_SELF)
		return rule->key.field;
	for (unsigned int i = 0; i < rule->cond.n_matches; i++)
		if (rule->cond.matches[i].ref.which == DDP_WHICH_SELF)
			return rule->cond.matches[i].ref.field;
	for (unsigned int i = 0; i < rule->cond.expr.n_ops; i++)
		if (rule->cond.expr.ops[i].op == DDP_OP_FIELD &&
		    rule->cond.expr.ops[i].ref.which == DDP_WHICH_SELF)
			return rule->cond.expr.ops[i].ref.field;
	return -1;
}

// The numbers of a table that lead to one header.
static void numbers_write(struct graph *graph, const struct ddp_table *table, unsigned int target) {
	const char *separator = "";

	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (table->entries[i].target != target)
			continue;
		fputs(separator, graph->text.to);
		format_key(table, graph->text.to, table->entries[i].value);
		separator = ", ";
	}
}

static bool is_first_entry(const struct ddp_table *table, unsigned int entry) {
	for (unsigned int i = 0; i < entry; i++)
		if (table->entries[i].target == table->entries[entry].target)
			return false;
	return true;
}

// "type = 0x8100, 0x88a8": when a rule that uses a table leads to one header.
static void lookup_add(struct graph *graph, const struct ddp_profile *profile, unsigned int from,
		       const struct ddp_rule *rule) {
	const struct ddp_table *table = &profile->tables[rule->table];
	bool shared = is_shared(profile, rule->table);

	if (shared) {
		format_cond(profile, graph->text.to, &rule->cond);
		graph_edge_add(graph, from, profile->n_headers + rule->table, field_read(rule));
	}
	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (!is_first_entry(table, i))
			continue;
		format_cond(profile, graph->text.to, &rule->cond);
		fprintf(graph->text.to, "%s%s = ", format_is_always(&rule->cond) ? "" : " and ",
			rule->key.name);
		numbers_write(graph, table, table->entries[i].target);
		graph_edge_add(graph, from, table->entries[i].target, field_read(rule))->undrawn =
			shared;
	}
}

static void rules_add(struct graph *graph, const struct ddp_profile *profile, unsigned int from) {
	const struct ddp_header *header = &profile->headers[from];
	struct graph_node *node = &graph->nodes[from];

	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *rule = &header->rules[i];

		if (rule->kind == DDP_RULE_LOOKUP) {
			lookup_add(graph, profile, from, rule);
			continue;
		}
		format_cond(profile, graph->text.to, &rule->cond);
		if (rule->kind == DDP_RULE_GOTO)
			graph_edge_add(graph, from, rule->target, field_read(rule));
		else
			*DDP_APPEND(graph->arena, node->ends, node->n_ends) =
				ddp_arena_strdup(graph->arena, strbuf_take(&graph->text));
	}
}

static void table_add(struct graph *graph, unsigned int from, const struct ddp_table *table) {
	struct graph_node *node = &graph->nodes[from];

	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (!is_first_entry(table, i))
			continue;
		numbers_write(graph, table, table->entries[i].target);
		*DDP_APPEND(graph->arena, node->rows, node->n_rows) = (struct graph_row){
			ddp_arena_strdup(graph->arena, strbuf_take(&graph->text)), i};
		graph_edge_add(graph, from, table->entries[i].target, i);
	}
}

static const char *size_note(struct ddp_arena *arena, const struct ddp_header *header) {
	if (header->max_size == 0)
		return NULL;
	if (header->max_size > header->min_size)
		return ddp_arena_printf(arena, "%u–%u bytes", header->min_size, header->max_size);
	return ddp_arena_printf(arena, "%u byte%s", header->min_size,
				header->max_size == 1 ? "" : "s");
}

static int profile_find(const struct ddp_profile *profile, const char *name) {
	unsigned int i = 0;

	while (i + 1 < profile->n_parts && strcmp(profile->parts[i].name, name) != 0)
		i++;
	return i;
}

void graph_of_profile(struct graph *graph, const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		*DDP_APPEND(graph->arena, graph->profiles, graph->n_profiles) =
			profile->parts[i].name;
	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];

		*DDP_APPEND(graph->arena, graph->nodes, graph->n_nodes) = (struct graph_node){
			.name = header->name,
			.profile = profile_find(profile, header->profile),
			.header = header,
			.hidden = header->hidden,
			.note = size_note(graph->arena, header),
		};
	}
	for (unsigned int i = 0; i < profile->n_tables; i++)
		*DDP_APPEND(graph->arena, graph->nodes, graph->n_nodes) = (struct graph_node){
			.name = profile->tables[i].name, .profile = -1, .hidden = true};
	graph->first = profile->first;
	for (unsigned int i = 0; i < profile->n_headers; i++)
		rules_add(graph, profile, i);
	for (unsigned int i = 0; i < profile->n_tables; i++)
		if (is_shared(profile, i))
			table_add(graph, profile->n_headers + i, &profile->tables[i]);
}
