/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl graph FILE: the parse graph for Graphviz, read from left to right.
//
// A header is a table of its fields, coloured by the profile that brings it; an edge leaves the
// field that is asked. A table that several headers ask is a box of its own, or each of them would
// draw an edge for each of its numbers. Edges that lead back (a tunnel's payload) are dashed and do
// not count for the order from left to right.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/json_writer.h"
#include "common/output.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/package/e810_graph.h"
#include "ctl/profile/profile_load.h"
#include "profile/profile_format.h"

#define LABEL_COLUMNS 28 // of an edge's label
#define GREY "#6b6f76"

// Light enough for black text; profiles beyond take them again.
static const char *const colours[] = {
	"#d6e2f2", "#c8eac8", "#ffe0ae", "#f7cdd5", "#dfd2f6", "#c4eaed", "#f2eea9", "#e8d5c4",
	"#d0e8b2", "#f8cdec", "#bcdaf7", "#e0e0e0", "#ffcdb0", "#c2e6d5", "#d6ccff", "#eddd98",
};

// A box: a header, or a table that several headers ask.
struct box {
	bool drawn;
	unsigned int depth; // edges from the first header, the fewest
};

struct edge {
	unsigned int from, to; // boxes
	int port;              // field of a header, entry of a table; -1 for none
	const char *label;     // lines
};

struct graph {
	const struct ddp_profile *profile;
	struct ddp_arena *arena;
	struct box *boxes; // headers, then tables
	unsigned int n_boxes;
	struct edge *edges;
	unsigned int n_edges;
	struct profile_format format;
	struct strbuf text;
	struct output *out;
};

static bool is_table(const struct graph *graph, unsigned int box) {
	return box >= graph->profile->n_headers;
}

/* Edges */

static bool is_shared(const struct graph *graph, unsigned int table) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < graph->profile->n_headers; i++) {
		const struct ddp_header *header = &graph->profile->headers[i];

		for (unsigned int j = 0; j < header->n_rules; j++)
			n += header->rules[j].kind == DDP_RULE_LOOKUP &&
			     header->rules[j].table == table;
	}
	return n > 1;
}

// Add an edge with the text just written; one that is there already gets a line more.
static void edge_add(struct graph *graph, unsigned int from, unsigned int to, int port) {
	const char *line = strbuf_take(&graph->text);
	struct edge *edge = NULL;

	for (unsigned int i = 0; i < graph->n_edges && edge == NULL; i++)
		if (graph->edges[i].from == from && graph->edges[i].to == to &&
		    !is_table(graph, from))
			edge = &graph->edges[i];
	if (edge == NULL) {
		edge = DDP_APPEND(graph->arena, graph->edges, graph->n_edges);
		*edge = (struct edge){.from = from, .to = to, .port = port};
	}
	if (edge->label != NULL) {
		char *both = ddp_arena_alloc(graph->arena, strlen(edge->label) + strlen(line) + 2);

		sprintf(both, "%s\n%s", edge->label, line);
		edge->label = both;
	} else {
		edge->label = ddp_arena_strdup(graph->arena, line);
	}
}

// The field of its own that a rule asks first, -1 for none.
static int field_asked(const struct ddp_rule *rule) {
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

// "type = 0x8100, 0x88a8": when a rule that asks a table leads to one header.
static void lookup_write(struct graph *graph, const struct ddp_rule *rule, unsigned int target) {
	format_cond(&graph->format, graph->text.to, &rule->cond);
	fprintf(graph->text.to, "%s%s = ", format_is_always(&rule->cond) ? "" : " and ",
		rule->key.name);
	numbers_write(graph, &graph->profile->tables[rule->table], target);
}

static void lookup_add(struct graph *graph, unsigned int from, const struct ddp_rule *rule) {
	const struct ddp_table *table = &graph->profile->tables[rule->table];

	if (is_shared(graph, rule->table)) {
		format_cond(&graph->format, graph->text.to, &rule->cond);
		edge_add(graph, from, graph->profile->n_headers + rule->table, field_asked(rule));
		return;
	}
	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (!is_first_entry(table, i))
			continue;
		lookup_write(graph, rule, table->entries[i].target);
		edge_add(graph, from, table->entries[i].target, field_asked(rule));
	}
}

static void edges_collect(struct graph *graph) {
	for (unsigned int i = 0; i < graph->profile->n_headers; i++) {
		const struct ddp_header *header = &graph->profile->headers[i];

		for (unsigned int j = 0; j < header->n_rules; j++) {
			const struct ddp_rule *rule = &header->rules[j];

			if (rule->kind == DDP_RULE_LOOKUP) {
				lookup_add(graph, i, rule);
			} else if (rule->kind == DDP_RULE_GOTO) {
				format_cond(&graph->format, graph->text.to, &rule->cond);
				edge_add(graph, i, rule->target, field_asked(rule));
			}
		}
	}
	for (unsigned int i = 0; i < graph->profile->n_tables; i++) {
		const struct ddp_table *table = &graph->profile->tables[i];

		for (unsigned int j = 0; is_shared(graph, i) && j < table->n_entries; j++)
			if (is_first_entry(table, j))
				edge_add(graph, graph->profile->n_headers + i,
					 table->entries[j].target, j);
	}
}

// What the first header leads to, nearest first. A hidden header that nothing uses is not drawn.
static void boxes_reach(struct graph *graph) {
	bool any = true;

	graph->boxes[graph->profile->first].drawn = true;
	for (unsigned int depth = 0; any; depth++) {
		any = false;
		for (unsigned int i = 0; i < graph->n_edges; i++) {
			const struct box *from = &graph->boxes[graph->edges[i].from];
			struct box *to = &graph->boxes[graph->edges[i].to];

			if (!from->drawn || from->depth != depth || to->drawn)
				continue;
			*to = (struct box){.drawn = true, .depth = depth + 1};
			any = true;
		}
	}
	for (unsigned int i = 0; i < graph->profile->n_headers; i++)
		graph->boxes[i].drawn |= !graph->profile->headers[i].hidden;
}

static bool is_reached(const struct graph *graph, unsigned int from, unsigned int to, bool *seen) {
	if (from == to)
		return true;
	seen[from] = true;
	for (unsigned int i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].from == from && !seen[graph->edges[i].to] &&
		    is_reached(graph, graph->edges[i].to, to, seen))
			return true;
	return false;
}

static bool is_edge(const struct graph *graph, unsigned int from, unsigned int to) {
	for (unsigned int i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].from == from && graph->edges[i].to == to)
			return true;
	return false;
}

// Leads to where the packet has been: straight back, or by more than the step that one of two ways
// to the same place can be longer than the other.
static bool is_back(const struct graph *graph, const struct edge *edge) {
	unsigned int from = graph->boxes[edge->from].depth, to = graph->boxes[edge->to].depth;
	bool seen[2 * DDP_MAX_NODES] = {false};

	if (to >= from)
		return edge->from == edge->to;
	if (to + 1 == from)
		return is_edge(graph, edge->to, edge->from);
	return is_reached(graph, edge->to, edge->from, seen);
}

/* Graphviz */

// A row over both columns.
static void note_write(struct output *out, const char *what, const char *text) {
	output_text(out, "<TR><TD COLSPAN=\"2\" ALIGN=\"LEFT\"><FONT COLOR=\"" GREY "\"><I>");
	output_markup(out, what, strlen(what));
	output_markup(out, text, strlen(text));
	output_text(out, "</I></FONT></TD></TR>");
}

static const char *colour_of(const struct graph *graph, const struct ddp_header *header) {
	unsigned int i = 0;

	if (header->hidden)
		return "#f6f6f6";
	while (i + 1 < graph->profile->n_parts &&
	       strcmp(graph->profile->parts[i].name, header->profile) != 0)
		i++;
	return colours[i % COUNT(colours)];
}

static void title_write(struct graph *graph, const struct ddp_header *header) {
	struct output *out = graph->out;

	output_printf(out, "<TR><TD COLSPAN=\"2\" PORT=\"top\" BGCOLOR=\"%s\">",
		      colour_of(graph, header));
	if (header->hidden)
		output_printf(out, "<FONT COLOR=\"" GREY "\"><I>%s</I></FONT>", header->name);
	else
		output_printf(out, "<B>%s</B>", header->name);
	if (header->max_size > 0) {
		output_printf(out, "<FONT POINT-SIZE=\"8\" COLOR=\"" GREY "\">  %u",
			      header->min_size);
		if (header->max_size > header->min_size)
			output_printf(out, "–%u", header->max_size);
		output_text(out, header->max_size == 1 ? " byte</FONT>" : " bytes</FONT>");
	}
	output_text(out, "</TD></TR>");
}

static void field_write(struct graph *graph, const struct ddp_header *header, unsigned int i) {
	const struct ddp_field *field = &header->fields[i];
	bool optional = field->group >= 0;
	bool grey = header->hidden || optional || field->anchor == DDP_AHEAD;

	output_printf(graph->out, "<TR><TD ALIGN=\"LEFT\">%s%s%s%s%s</TD>",
		      grey ? "<FONT COLOR=\"" GREY "\">" : "", optional ? "[" : "", field->name,
		      optional ? "]" : "", grey ? "</FONT>" : "");
	output_printf(graph->out,
		      "<TD ALIGN=\"RIGHT\" PORT=\"f%u\"><FONT COLOR=\"" GREY
		      "\">%s%u</FONT></TD></TR>",
		      i, field->anchor == DDP_AHEAD ? "ahead " : "", field->width);
}

static void fields_write(struct graph *graph, const struct ddp_header *header) {
	bool open = header->open; // its middle is still to come

	for (unsigned int i = 0; i < header->n_fields; i++) {
		if (open && header->fields[i].anchor != DDP_FROM_START) {
			note_write(graph->out, "…", "");
			open = false;
		}
		field_write(graph, header, i);
	}
	if (open)
		note_write(graph->out, "…", "");
}

static void ends_write(struct graph *graph, const struct ddp_header *header) {
	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *rule = &header->rules[i];

		if (rule->kind != DDP_RULE_STOP)
			continue;
		format_cond(&graph->format, graph->text.to, &rule->cond);
		note_write(graph->out,
			   format_is_always(&rule->cond) ? "ends here" : "ends here if ",
			   strbuf_take(&graph->text));
	}
}

static void frame_open(struct graph *graph, unsigned int box, const char *name, bool light) {
	output_printf(graph->out,
		      "  b%u [tooltip=\"%s\", label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" "
		      "CELLSPACING=\"0\" CELLPADDING=\"2\" COLOR=\"%s\">",
		      box, name, light ? "#c4c8cf" : "#7b8089");
}

static void header_write(struct graph *graph, unsigned int box) {
	const struct ddp_header *header = &graph->profile->headers[box];

	frame_open(graph, box, header->name, header->hidden);
	title_write(graph, header);
	fields_write(graph, header);
	ends_write(graph, header);
	output_text(graph->out, "</TABLE>>];\n");
}

static void table_write(struct graph *graph, unsigned int box) {
	const struct ddp_table *table = &graph->profile->tables[box - graph->profile->n_headers];

	frame_open(graph, box, table->name, true);
	output_printf(graph->out, "<TR><TD PORT=\"top\" BGCOLOR=\"#fafafa\"><I>%s</I></TD></TR>",
		      table->name);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		const char *numbers;

		if (!is_first_entry(table, i))
			continue;
		numbers_write(graph, table, table->entries[i].target);
		numbers = strbuf_take(&graph->text);
		output_printf(graph->out, "<TR><TD ALIGN=\"RIGHT\" PORT=\"f%u\">", i);
		output_markup(graph->out, numbers, strlen(numbers));
		output_text(graph->out, "</TD></TR>");
	}
	output_text(graph->out, "</TABLE>>];\n");
}

// The lines of a label, those that are long in several.
static void label_write(struct output *out, const char *text) {
	unsigned int column = 0;

	while (*text != '\0') {
		size_t len = 1 + strcspn(text + 1, " \n");

		if (*text == '\n' || (*text == ' ' && column + len > LABEL_COLUMNS)) {
			output_text(out, "<BR ALIGN=\"LEFT\"/>");
			column = 0;
			text++;
			len--;
		}
		output_markup(out, text, len);
		column += len;
		text += len;
	}
	output_text(out, "<BR ALIGN=\"LEFT\"/>");
}

// Where an edge ends: at the title, and for one that goes to the right at its left side.
static const char *head_of(const struct graph *graph, const struct edge *edge) {
	if (edge->from == edge->to)
		return "";
	return graph->boxes[edge->from].depth < graph->boxes[edge->to].depth ? ":top:w" : ":top";
}

static void edge_write(struct graph *graph, const struct edge *edge) {
	struct output *out = graph->out;
	bool hidden = !is_table(graph, edge->from) && graph->profile->headers[edge->from].hidden;

	if (!graph->boxes[edge->from].drawn || !graph->boxes[edge->to].drawn)
		return;
	output_printf(out, "  b%u", edge->from);
	if (edge->port >= 0 && edge->from != edge->to)
		output_printf(out, ":f%d:e", edge->port);
	output_printf(out, " -> b%u%s", edge->to, head_of(graph, edge));
	output_printf(out, " [style=%s",
		      is_back(graph, edge) ? "dashed, constraint=false" : "solid");
	if (hidden)
		output_text(out, ", color=\"#a8adb5\"");
	if (*edge->label != '\0') {
		output_text(out, ", label=<");
		label_write(out, edge->label);
		output_text(out, ">");
	}
	output_text(out, "];\n");
}

// A bundle has none of its own.
static bool has_header(const struct graph *graph, const char *profile) {
	for (unsigned int i = 0; i < graph->profile->n_headers; i++)
		if (strcmp(graph->profile->headers[i].profile, profile) == 0)
			return true;
	return false;
}

static void legend_write(struct graph *graph) {
	struct output *out = graph->out;

	output_text(out, "  label=<<TABLE BORDER=\"0\" CELLSPACING=\"4\"><TR>");
	for (unsigned int i = 0; i < graph->profile->n_parts; i++) {
		const char *name = graph->profile->parts[i].name;

		if (!has_header(graph, name))
			continue;
		output_printf(out, "<TD BGCOLOR=\"%s\" CELLPADDING=\"4\">",
			      colours[i % COUNT(colours)]);
		output_markup(out, name, strlen(name));
		output_text(out, "</TD>");
	}
	output_text(out, "</TR></TABLE>>;\n");
}

static void graph_write(struct graph *graph) {
	graph->n_boxes = graph->profile->n_headers + graph->profile->n_tables;
	graph->boxes = ddp_arena_alloc(graph->arena, graph->n_boxes * sizeof(*graph->boxes));
	edges_collect(graph);
	boxes_reach(graph);
	output_text(graph->out,
		    "digraph profile {\n"
		    "  graph [rankdir=LR, bgcolor=\"white\", pad=0.3, nodesep=0.2, ranksep=0.9,\n"
		    "         labelloc=t, fontname=\"Helvetica\", fontsize=11];\n"
		    "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n"
		    "  edge [fontname=\"Helvetica\", fontsize=9, fontcolor=\"#333333\",\n"
		    "        color=\"#5a6270\", arrowsize=0.7];\n");
	legend_write(graph);
	for (unsigned int i = 0; i < graph->n_boxes; i++) {
		if (!graph->boxes[i].drawn)
			continue;
		if (is_table(graph, i))
			table_write(graph, i);
		else
			header_write(graph, i);
	}
	for (unsigned int i = 0; i < graph->n_edges; i++)
		edge_write(graph, &graph->edges[i]);
	output_text(graph->out, "}\n");
}

/* JSON */

// With the condition just written.
static void edge_json(struct graph *graph, struct json_writer *json, const struct ddp_header *from,
		      unsigned int to) {
	jsonw_object(json, "from:%s to:%s when:%s", from->name, graph->profile->headers[to].name,
		     strbuf_take(&graph->text));
}

static void rule_json(struct graph *graph, struct json_writer *json, const struct ddp_header *from,
		      const struct ddp_rule *rule) {
	const struct ddp_table *table;

	if (rule->kind == DDP_RULE_GOTO) {
		format_cond(&graph->format, graph->text.to, &rule->cond);
		edge_json(graph, json, from, rule->target);
	}
	if (rule->kind != DDP_RULE_LOOKUP)
		return;
	table = &graph->profile->tables[rule->table];
	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (!is_first_entry(table, i))
			continue;
		lookup_write(graph, rule, table->entries[i].target);
		edge_json(graph, json, from, table->entries[i].target);
	}
}

static void graph_json(struct graph *graph) {
	struct json_writer json;

	jsonw_init(&json, graph->out);
	jsonw_write(&json, "{headers:[");
	for (unsigned int i = 0; i < graph->profile->n_headers; i++) {
		const struct ddp_header *header = &graph->profile->headers[i];

		jsonw_write(&json, "{name:%s profile:%s hidden:%d", header->name, header->profile,
			    header->hidden);
		header_fields_json(header, &json);
		jsonw_close(&json, '}');
	}
	jsonw_write(&json, "] edges:[");
	for (unsigned int i = 0; i < graph->profile->n_headers; i++)
		for (unsigned int j = 0; j < graph->profile->headers[i].n_rules; j++)
			rule_json(graph, &json, &graph->profile->headers[i],
				  &graph->profile->headers[i].rules[j]);
	jsonw_write(&json, "]}\n");
}

int cmd_graph(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct graph *graph = calloc_or_exit(1, sizeof(*graph)); // too large for some stacks
	struct ddp_personality loaded;
	int status;

	graph->out = out;
	graph->arena = ddp_arena_create();
	status = load_or_report(&loaded, options->files[0]);
	if (status != EXIT_GOOD)
		goto free_arena;
	graph->profile = loaded.profile;
	format_init(&graph->format, loaded.profile);
	strbuf_init(&graph->text);
	if (loaded.package != NULL)
		e810_graph(loaded.package, options->format, out);
	else if (options->format == FORMAT_JSON)
		graph_json(graph);
	else
		graph_write(graph);
	strbuf_fini(&graph->text);
	ddp_personality_unload(&loaded);
free_arena:
	ddp_arena_destroy(graph->arena);
	free(graph);
	return status;
}
