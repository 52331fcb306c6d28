/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl graph FILE: the parse graph, for Graphviz or as JSON.
//
// For Graphviz it is read from left to right. A node is a table of its fields, coloured by the
// profile that brings it; an edge leaves the field that decides. Edges that lead back (a tunnel's
// payload) are dashed and do not count for the order from left to right.
#include <string.h>

#include "common/json_writer.h"
#include "ctl/command.h"
#include "ctl/graph/graph.h"
#include "ctl/profile/profile_load.h"

#define LABEL_COLUMNS 28 // of an edge's label
#define GREY "#6b6f76"

// Light enough for black text; profiles beyond take them again.
static const char *const colours[] = {
	"#d6e2f2", "#c8eac8", "#ffe0ae", "#f7cdd5", "#dfd2f6", "#c4eaed", "#f2eea9", "#e8d5c4",
	"#d0e8b2", "#f8cdec", "#bcdaf7", "#e0e0e0", "#ffcdb0", "#c2e6d5", "#d6ccff", "#eddd98",
};

/* Order */

// What the first node leads to, nearest first. A hidden header that nothing uses is not drawn.
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

static bool is_edge(const struct graph *graph, unsigned int from, unsigned int to) {
	for (unsigned int i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].from == from && graph->edges[i].to == to &&
		    !graph->edges[i].undrawn)
			return true;
	return false;
}

// Leads to where the packet has been: straight back, or by more than the step that one of two ways
// to the same place can be longer than the other.
static bool is_back(const struct graph *graph, const struct graph_edge *edge) {
	unsigned int from = graph->nodes[edge->from].depth, to = graph->nodes[edge->to].depth;

	if (to >= from)
		return edge->from == edge->to;
	if (to + 1 == from)
		return is_edge(graph, edge->to, edge->from);
	return is_reached(graph, edge->to, edge->from,
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

// Are they drawn as one, with a line each? Those of a table leave their rows.
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

// Where an edge ends: at the title, and for one that goes to the right at its left side.
static const char *head_of(const struct graph *graph, const struct graph_edge *edge) {
	if (edge->from == edge->to)
		return "";
	return graph->nodes[edge->from].depth < graph->nodes[edge->to].depth ? ":top:w" : ":top";
}

static void edge_write(struct graph *graph, unsigned int first) {
	const struct graph_edge *edge = &graph->edges[first];
	const struct graph_node *from = &graph->nodes[edge->from];
	struct output *out = graph->out;
	bool any = false;

	output_printf(out, "  b%u", edge->from);
	if (edge->port >= 0 && edge->from != edge->to)
		output_printf(out, ":f%d:e", edge->port);
	output_printf(out, " -> b%u%s", edge->to, head_of(graph, edge));
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

// A bundle has no header of its own.
static bool has_header(const struct graph *graph, int profile) {
	for (unsigned int i = 0; i < graph->n_nodes; i++)
		if (graph->nodes[i].profile == profile)
			return true;
	return false;
}

static void legend_write(struct graph *graph) {
	struct output *out = graph->out;

	output_text(out, "  label=<<TABLE BORDER=\"0\" CELLSPACING=\"4\"><TR>");
	for (unsigned int i = 0; i < graph->n_profiles; i++) {
		if (!has_header(graph, i))
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

/* For programs */

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
