/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl graph FILE: the parse graph, for Graphviz or as JSON.
//
// Graphviz draws it from left to right. A node is a table of fields, coloured by its profile; an
// edge begins at the field that decides. Edges that lead back (payload of a tunnel) are dashed and
// do not affect the order.
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "e810/e810_parser.h"
#include "package/package.h"
#include "profile/profile_format.h"

#define LABEL_COLUMNS 28 // columns, of the label of an edge
#define GREY "#6b6f76"
#define BOOST_INDEX 44 // offset of the index in an entry

// Colours for black text, by profile; further profiles repeat them.
static const char *const colours[] = {
	"#d6e2f2", "#c8eac8", "#ffe0ae", "#f7cdd5", "#dfd2f6", "#c4eaed", "#f2eea9", "#e8d5c4",
	"#d0e8b2", "#f8cdec", "#bcdaf7", "#e0e0e0", "#ffcdb0", "#c2e6d5", "#d6ccff", "#eddd98",
};

/* Nodes and edges. The arena, profile or package owns their texts. */

struct graph_row {
	const char *text;
	int port; // at which edges begin
};

struct graph_node {
	const char *name;
	int profile;                     // index in graph->profiles; -1: a table
	const struct ddp_header *header; // NULL: no fields
	bool hidden;
	const char *note;       // next to the name; NULL: none
	struct graph_row *rows; // of a shared table
	unsigned int n_rows;
	const char **ends; // conditions that end the path here; "": always
	unsigned int n_ends;

	bool drawn;
	unsigned int depth; // edges of the shortest path from the first node
};

struct graph_edge {
	unsigned int from, to; // nodes
	int port;              // field of a header, row of a table; -1: none
	const char *when;
	bool undrawn; // only for JSON: drawn as two edges by a shared table
};

struct graph {
	const char **profiles;
	unsigned int n_profiles;
	struct graph_node *nodes; // edges refer to them by index
	unsigned int n_nodes;
	unsigned int first; // index of the first node
	struct graph_edge *edges;
	unsigned int n_edges;

	struct ddp_arena *arena;
	struct strbuf text;
	struct output *out;
};

/* Graphs of profiles. A table that several headers use is a node, which saves edges. */

// Add an edge with the condition in graph->text.
static struct graph_edge *graph_edge_add(struct graph *graph, unsigned int from, unsigned int to,
					 int port) {
	struct graph_edge *edge = DDP_APPEND(graph->arena, graph->edges, graph->n_edges);

	assert(from < graph->n_nodes && to < graph->n_nodes);
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

// The first field of its own header that a rule reads, -1: none.
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

// Write the numbers of a table for one header.
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

// Add the edges of a rule with a table, with conditions like "type = 0x8100, 0x88a8".
static void lookup_add(struct graph *graph, const struct ddp_profile *profile, unsigned int from,
		       const struct ddp_rule *rule) {
	const struct ddp_table *table = &profile->tables[rule->table];
	bool shared = is_shared(profile, rule->table);

	assert(rule->table < profile->n_tables);
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

	assert(from < graph->n_nodes);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		if (!is_first_entry(table, i))
			continue;
		numbers_write(graph, table, table->entries[i].target);
		*DDP_APPEND(graph->arena, node->rows, node->n_rows) = (struct graph_row){
			ddp_arena_strdup(graph->arena, strbuf_take(&graph->text)), i};
		graph_edge_add(graph, from, table->entries[i].target, i);
	}
}

static void graph_of_profile(struct graph *graph, const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		*DDP_APPEND(graph->arena, graph->profiles, graph->n_profiles) =
			profile->parts[i].name;
	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];
		struct graph_node *node = DDP_APPEND(graph->arena, graph->nodes, graph->n_nodes);

		node->name = header->name;
		while (node->profile + 1 < (int)profile->n_parts &&
		       strcmp(profile->parts[node->profile].name, header->profile) != 0)
			node->profile++;
		node->header = header;
		node->hidden = header->hidden;
		if (header->max_size > header->min_size)
			node->note = ddp_arena_printf(graph->arena, "%u–%u bytes", header->min_size,
						      header->max_size);
		else if (header->max_size > 0)
			node->note = ddp_arena_printf(graph->arena, "%u byte%s", header->min_size,
						      plural(header->max_size));
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

/* Graphs of 800-series packages. A node is a state of the parser; an edge is an entry of the parse
 * graph: the matching entries of the boost TCAM, and the number of the next protocol. */

struct source {
	struct graph *graph;
	const struct ddp_package *package;
	unsigned int nodes[E810_N_NODES]; // 1 + index; 0: not yet in the graph
};

// "IPV4_1" of "N_IPV4_1"
static const char *short_label(const char *label, const char *prefix) {
	size_t len = strlen(prefix);

	return strncmp(label, prefix, len) == 0 ? label + len : label;
}

static unsigned int node_get(struct source *source, uint16_t node) {
	const char *label = e810_label(source->package, E810_LABELS_NODE, node);
	struct graph *graph = source->graph;

	if (source->nodes[node] != 0)
		return source->nodes[node] - 1;
	*DDP_APPEND(graph->arena, graph->nodes, graph->n_nodes) = (struct graph_node){
		.name = label != NULL ? short_label(label, "N_") : "(no label)",
		.note = ddp_arena_printf(graph->arena, "node %u", node),
	};
	source->nodes[node] = graph->n_nodes;
	return graph->n_nodes - 1;
}

// Write the first entry of the boost TCAM with an index, and the number of the others.
static void boost_write(struct source *source, uint8_t index) {
	const struct e810_table *boost = e810_table(source->package, E810_BOOST_TCAM);
	FILE *to = source->graph->text.to;
	unsigned int n = 0;

	for (unsigned int i = 0; i < boost->n_entries; i++) {
		const uint8_t *entry = boost->entries + boost->entry_size * i;
		const char *label;

		if (entry[BOOST_INDEX] != index || n++ > 0)
			continue;
		label = e810_label(source->package, E810_LABELS_BOOST, entry[0] | entry[1] << 8);
		fputs(label != NULL ? short_label(label, "BOOST_") : "(no label)", to);
	}
	if (n == 0)
		fprintf(to, "index %u", index);
	if (n > 1)
		fprintf(to, " and %u more", n - 1);
}

// The labels of the nodes decide on the meaning of a number.
static void number_write(FILE *to, uint32_t number, const char *from, const char *next) {
	static const struct {
		uint32_t number;
		const char *label;
	} ip[] = {
		{0, "IPV6_EXT"},  {1, "ICMP"},     {4, "IPV4"},      {6, "TCP"},
		{17, "UDP"},      {41, "IPV6"},    {43, "IPV6_EXT"}, {44, "IPV6_FH"},
		{47, "NVGRE"},    {50, "ESP"},     {51, "AH"},       {58, "ICMPv6"},
		{60, "IPV6_EXT"}, {115, "L2TPV3"}, {132, "SCTP"},    {135, "IPV6_EXT"},
	};

	// A number before an IP header or in one may be an IP protocol.
	const bool may_be_ip = strncmp(from, "MAC", 3) == 0 || strncmp(from, "IPV", 3) == 0;

	for (unsigned int i = 0; i < sizeof(ip) / sizeof(ip[0]); i++) {
		if (number != ip[i].number || !may_be_ip ||
		    strncmp(next, ip[i].label, strlen(ip[i].label)) != 0)
			continue;
		fprintf(to, "IP protocol %" PRIu32, number);
		return;
	}
	fprintf(to, number >= 0x600 ? "EtherType 0x%04" PRIx32 : "0x%02" PRIx32, number);
}

static void edge_take(struct source *source, const struct e810_edge *edge) {
	struct graph *graph = source->graph;
	unsigned int from = node_get(source, edge->node), to;
	struct graph_node *node = &graph->nodes[from];

	if (edge->last && edge->boost == 0)
		return;
	if (edge->boost != 0)
		boost_write(source, edge->boost);
	if (edge->last) {
		*DDP_APPEND(graph->arena, node->ends, node->n_ends) =
			ddp_arena_strdup(graph->arena, strbuf_take(&graph->text));
		return;
	}
	to = node_get(source, edge->next_node);
	if (edge->boost != 0)
		fputs(": ", graph->text.to);
	if (edge->no_match)
		fputs(edge->boost != 0 ? "any" : "otherwise", graph->text.to);
	else
		number_write(graph->text.to, edge->protocol, graph->nodes[from].name,
			     graph->nodes[to].name);
	graph_edge_add(graph, from, to, -1);
}

static void graph_of_package(struct graph *graph, const struct ddp_personality *personality) {
	const struct ddp_package *package = personality->package;
	struct source source = {.graph = graph, .package = package};
	const struct e810_edge *edges;
	unsigned int n;
	uint16_t first;

	*DDP_APPEND(graph->arena, graph->profiles, graph->n_profiles) =
		ddp_arena_printf(graph->arena, "%s " DDP_VERSION_FMT, package->name,
				 DDP_VERSION_NUMBERS(package->version));
	first = e810_edges(personality->parser, &edges, &n);
	for (unsigned int i = 0; i < n; i++)
		edge_take(&source, &edges[i]);
	graph->first = node_get(&source, first);
}

/* Order */

// Mark nodes that the first node reaches, and their depths. Unused hidden headers are not drawn.
static void nodes_reach(struct graph *graph) {
	bool any = true;

	graph->nodes[graph->first].drawn = true;
	for (unsigned int depth = 0; any; depth++) {
		any = false;
		for (unsigned int i = 0; i < graph->n_edges; i++) {
			const struct graph_node *from = &graph->nodes[graph->edges[i].from];
			struct graph_node *to = &graph->nodes[graph->edges[i].to];

			if (graph->edges[i].undrawn || !from->drawn || from->depth != depth ||
			    to->drawn)
				continue;
			to->drawn = true;
			to->depth = depth + 1;
			any = true;
		}
	}
	for (unsigned int i = 0; i < graph->n_nodes; i++)
		graph->nodes[i].drawn |= graph->nodes[i].header != NULL && !graph->nodes[i].hidden;
}

static bool is_reached(const struct graph *graph, unsigned int from, unsigned int to, bool *seen) {
	if (from == to)
		return true;
	seen[from] = true;
	for (unsigned int i = 0; i < graph->n_edges; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (edge->from == from && !edge->undrawn && !seen[edge->to] &&
		    is_reached(graph, edge->to, to, seen))
			return true;
	}
	return false;
}

// Does the edge lead back to an earlier node? By one level only if an edge leads the other way, as
// paths to a node may differ by one.
static bool is_back(const struct graph *graph, const struct graph_edge *edge) {
	unsigned int from = graph->nodes[edge->from].depth, to = graph->nodes[edge->to].depth;

	if (to >= from)
		return edge->from == edge->to;
	for (unsigned int i = 0; i < graph->n_edges && to + 1 == from; i++)
		if (graph->edges[i].from == edge->to && graph->edges[i].to == edge->from &&
		    !graph->edges[i].undrawn)
			return true;
	return to + 1 < from && is_reached(graph, edge->to, edge->from,
					   ddp_arena_alloc(graph->arena, graph->n_nodes));
}

/* Nodes */

static void markup(struct output *out, const char *text) {
	output_markup(out, text, strlen(text));
}

static void note_write(struct output *out, const char *what, const char *text) {
	output_text(out, "<TR><TD COLSPAN=\"2\" ALIGN=\"LEFT\"><FONT COLOR=\"" GREY "\"><I>");
	markup(out, what);
	markup(out, text);
	output_text(out, "</I></FONT></TD></TR>");
}

static const char *colour_of(int profile) {
	return colours[profile % COUNT(colours)];
}

static void title_write(struct graph *graph, const struct graph_node *node) {
	struct output *out = graph->out;

	output_printf(out, "<TR><TD COLSPAN=\"2\" PORT=\"top\" BGCOLOR=\"%s\">",
		      node->hidden ? "#f6f6f6" : colour_of(node->profile));
	output_text(out, node->hidden ? "<FONT COLOR=\"" GREY "\"><I>" : "<B>");
	markup(out, node->name);
	output_text(out, node->hidden ? "</I></FONT>" : "</B>");
	if (node->note != NULL)
		output_printf(out, "<FONT POINT-SIZE=\"8\" COLOR=\"" GREY "\">  %s</FONT>",
			      node->note);
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
	bool open = header->open; // the gap is not written yet

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

static void table_write(struct graph *graph, const struct graph_node *node) {
	struct output *out = graph->out;

	output_printf(out, "<TR><TD PORT=\"top\" BGCOLOR=\"#fafafa\"><I>%s</I></TD></TR>",
		      node->name);
	for (unsigned int i = 0; i < node->n_rows; i++) {
		output_printf(out, "<TR><TD ALIGN=\"RIGHT\" PORT=\"f%d\">", node->rows[i].port);
		markup(out, node->rows[i].text);
		output_text(out, "</TD></TR>");
	}
}

static void node_write(struct graph *graph, unsigned int number) {
	const struct graph_node *node = &graph->nodes[number];
	struct output *out = graph->out;

	assert(number < graph->n_nodes);
	output_printf(out, "  b%u [tooltip=\"", number);
	markup(out, node->name);
	output_printf(out,
		      "\", label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" "
		      "CELLSPACING=\"0\" CELLPADDING=\"2\" COLOR=\"%s\">",
		      node->hidden ? "#c4c8cf" : "#7b8089");
	if (node->profile < 0)
		table_write(graph, node);
	else
		title_write(graph, node);
	if (node->header != NULL)
		fields_write(graph, node->header);
	for (unsigned int i = 0; i < node->n_ends; i++)
		note_write(out, node->ends[i][0] == '\0' ? "ends here" : "ends here if ",
			   node->ends[i]);
	output_text(out, "</TABLE>>];\n");
}

/* Edges */

static void label_write(struct output *out, const char *text) {
	unsigned int column = 0;

	while (*text != '\0') {
		size_t len = 1 + strcspn(text + 1, " ");

		if (*text == ' ' && column + len > LABEL_COLUMNS) {
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

// Are two edges drawn as one with two lines? Edges of a table begin at its rows.
static bool is_together(const struct graph *graph, const struct graph_edge *a,
			const struct graph_edge *b) {
	return !a->undrawn && !b->undrawn && a->from == b->from && a->to == b->to &&
	       (a == b || graph->nodes[a->from].profile >= 0);
}

static bool is_first(const struct graph *graph, unsigned int edge) {
	for (unsigned int i = 0; i < edge; i++)
		if (is_together(graph, &graph->edges[i], &graph->edges[edge]))
			return false;
	return true;
}

static void edge_write(struct graph *graph, unsigned int first) {
	const struct graph_edge *edge = &graph->edges[first];
	const struct graph_node *from = &graph->nodes[edge->from];
	struct output *out = graph->out;
	bool any = false;

	assert(first < graph->n_edges);
	output_printf(out, "  b%u", edge->from);
	if (edge->port >= 0 && edge->from != edge->to)
		output_printf(out, ":f%d:e", edge->port);
	// it ends at the title, on its left side if it leads to the right
	output_printf(out, " -> b%u%s%s", edge->to, edge->from != edge->to ? ":top" : "",
		      from->depth < graph->nodes[edge->to].depth ? ":w" : "");
	output_printf(out, " [style=%s",
		      is_back(graph, edge) ? "dashed, constraint=false" : "solid");
	if (from->hidden && from->profile >= 0)
		output_text(out, ", color=\"#a8adb5\"");
	for (unsigned int i = first; i < graph->n_edges; i++)
		any |= is_together(graph, edge, &graph->edges[i]) && *graph->edges[i].when != '\0';
	output_text(out, any ? ", label=<" : "");
	for (unsigned int i = first; i < graph->n_edges && any; i++)
		if (is_together(graph, edge, &graph->edges[i]))
			label_write(out, graph->edges[i].when);
	output_text(out, any ? ">];\n" : "];\n");
}

static void legend_write(struct graph *graph) {
	struct output *out = graph->out;

	output_text(out, "  label=<<TABLE BORDER=\"0\" CELLSPACING=\"4\"><TR>");
	for (int i = 0; i < (int)graph->n_profiles; i++) {
		unsigned int n = 0;

		while (n < graph->n_nodes && graph->nodes[n].profile != i)
			n++;
		if (n == graph->n_nodes)
			continue;
		output_printf(out, "<TD BGCOLOR=\"%s\" CELLPADDING=\"4\">", colour_of(i));
		markup(out, graph->profiles[i]);
		output_text(out, "</TD>");
	}
	output_text(out, "</TR></TABLE>>;\n");
}

static void graph_dot(struct graph *graph) {
	nodes_reach(graph);
	output_text(graph->out,
		    "digraph profile {\n"
		    "  graph [rankdir=LR, bgcolor=\"white\", pad=0.3, nodesep=0.2, ranksep=0.9,\n"
		    "         labelloc=t, fontname=\"Helvetica\", fontsize=11];\n"
		    "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n"
		    "  edge [fontname=\"Helvetica\", fontsize=9, fontcolor=\"#333333\",\n"
		    "        color=\"#5a6270\", arrowsize=0.7];\n");
	legend_write(graph);
	for (unsigned int i = 0; i < graph->n_nodes; i++)
		if (graph->nodes[i].drawn)
			node_write(graph, i);
	for (unsigned int i = 0; i < graph->n_edges; i++)
		if (!graph->edges[i].undrawn && graph->nodes[graph->edges[i].from].drawn &&
		    graph->nodes[graph->edges[i].to].drawn && is_first(graph, i))
			edge_write(graph, i);
	output_text(graph->out, "}\n");
}

/* JSON */

static void node_json(struct json_writer *json, const struct graph *graph,
		      const struct graph_node *node) {
	jsonw_write(json, "{name:%s profile:%s hidden:%d", node->name,
		    graph->profiles[node->profile], node->hidden);
	if (node->header != NULL)
		header_fields_json(node->header, json);
	else
		jsonw_write(json, "fields:[]");
	jsonw_key_open(json, "ends", '[');
	for (unsigned int i = 0; i < node->n_ends; i++)
		jsonw_text(json, node->ends[i]);
	jsonw_write(json, "]}");
}

static void graph_json(struct graph *graph) {
	struct json_writer json;

	jsonw_init(&json, graph->out);
	jsonw_write(&json, "{headers:[");
	for (unsigned int i = 0; i < graph->n_nodes; i++)
		if (graph->nodes[i].profile >= 0)
			node_json(&json, graph, &graph->nodes[i]);
	jsonw_write(&json, "] edges:[");
	for (unsigned int i = 0; i < graph->n_edges; i++) {
		const struct graph_node *from = &graph->nodes[graph->edges[i].from];
		const struct graph_node *to = &graph->nodes[graph->edges[i].to];

		if (from->profile >= 0 && to->profile >= 0)
			jsonw_object(&json, "from:%s to:%s when:%s", from->name, to->name,
				     graph->edges[i].when);
	}
	jsonw_write(&json, "]}\n");
}

int cmd_graph(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct graph graph = {.out = out};
	struct ddp_personality loaded;
	int status = load_or_report(&loaded, options->files[0]);

	if (status != EXIT_GOOD)
		return status;
	graph.arena = ddp_arena_create();
	strbuf_init(&graph.text);
	if (loaded.package != NULL)
		graph_of_package(&graph, &loaded);
	else
		graph_of_profile(&graph, loaded.profile);
	if (options->format == FORMAT_JSON)
		graph_json(&graph);
	else
		graph_dot(&graph);
	strbuf_fini(&graph.text);
	ddp_arena_destroy(graph.arena);
	ddp_personality_unload(&loaded);
	return status;
}
