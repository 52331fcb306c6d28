/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl graph PACKAGE: the parse graph of an 800-series package for Graphviz, read from left to
// right.
//
// A node is where the parser stands; an edge says what leads on: the entries of the boost TCAM that
// match at that place, and the number of the next protocol. What ends the walk is said in the node.
// Edges that lead back to where the packet may have been are dashed.
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "e810/e810.h"
#include "e810_graph.h"

#define N_NODES 2048
#define BOOST_SIZE 88
#define BOOST_INDEX 44 // byte of an entry

// An entry of the parse graph.
struct edge {
	bool no_match;     // no next protocol is asked
	unsigned int row;  // of its table
	uint16_t node;     // where it starts from
	uint8_t boost;     // index, 0: no entry of the boost TCAM
	uint32_t protocol; // next protocol
	uint16_t next_node;
	uint8_t next_pc;
	bool last;
};

struct graph {
	const struct ddp_package *package;
	struct ddp_arena *arena;
	struct edge *edges;
	unsigned int n_edges;
	bool reached[N_NODES], open[N_NODES]; // from the root node; by a way that is being followed
	bool *back;                           // of each edge
	unsigned int root;
	struct strbuf text;
	struct output *out;
};

// Bits first to first + n - 1 of an entry, n at most 32.
static uint32_t bits(const uint8_t *entry, unsigned int first, unsigned int n) {
	uint64_t value = 0;

	for (unsigned int i = first / 8; i <= (first + n - 1) / 8; i++)
		value |= (uint64_t)entry[i] << 8 * (i - first / 8);
	return value >> first % 8 & ((UINT64_C(1) << n) - 1);
}

// The valid entries of a table; first bits of key and action.
static void edges_read(struct graph *graph, uint32_t id, unsigned int key, unsigned int action,
		       bool no_match, unsigned int first_row) {
	const struct e810_table *table = e810_table(graph->package, id);

	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = table->entries + table->entry_size * i;

		if (bits(entry, key, 1) == 0)
			continue;
		*DDP_APPEND(graph->arena, graph->edges, graph->n_edges) = (struct edge){
			.no_match = no_match,
			.row = first_row + i,
			.node = bits(entry, key + 1, 11),
			.boost = bits(entry, key + 16, 1) ? bits(entry, key + 17, 8) : 0,
			.protocol = no_match ? 0 : bits(entry, key + 41, 32),
			.next_node = bits(entry, action, 11),
			.next_pc = bits(entry, action + 11, 8),
			.last = bits(entry, action + 40, 1),
		};
	}
}

// Follow all ways from a node.
static void node_reach(struct graph *graph, unsigned int node) {
	graph->reached[node] = graph->open[node] = true;
	for (unsigned int i = 0; i < graph->n_edges; i++) {
		const struct edge *edge = &graph->edges[i];

		if (edge->node != node || edge->last)
			continue;
		if (!graph->reached[edge->next_node])
			node_reach(graph, edge->next_node);
		graph->back[i] = graph->open[edge->next_node];
	}
	graph->open[node] = false;
}

static void edges_find(struct graph *graph) {
	const struct e810_table *init = e810_table(graph->package, E810_METADATA_INIT);

	edges_read(graph, E810_PG_CAM, 0, 73, false, 0);
	edges_read(graph, E810_PG_SPILL, 56, 0, false, 2048);
	edges_read(graph, E810_PG_NO_MATCH, 0, 41, true, 0);
	edges_read(graph, E810_NO_MATCH_SPILL, 56, 0, true, 1024);
	graph->back = ddp_arena_alloc(graph->arena, graph->n_edges + 1);
	graph->root = bits(init->entries, 25, 11);
	node_reach(graph, graph->root);
}

/* Labels */

static const char *label_of(const struct ddp_package *package, uint32_t labels, uint16_t value) {
	const char *label = e810_label(package, labels, value);

	return label != NULL ? label : "";
}

// "IPV4_1" of "N_IPV4_1"
static const char *short_label(const char *label, const char *prefix) {
	size_t len = strlen(prefix);

	return strncmp(label, prefix, len) == 0 ? label + len : label;
}

static const uint8_t *boost_entry(const struct graph *graph, unsigned int i) {
	const struct e810_table *boost = e810_table(graph->package, E810_BOOST_TCAM);

	return i < boost->n_entries ? boost->entries + BOOST_SIZE * i : NULL;
}

static const char *boost_label(const struct graph *graph, const uint8_t *entry) {
	return label_of(graph->package, E810_LABELS_BOOST, entry[0] | entry[1] << 8);
}

// The entries of the boost TCAM with an index: the first, and how many more.
static void boost_write(struct graph *graph, uint8_t index) {
	unsigned int n = 0;
	const uint8_t *entry;

	for (unsigned int i = 0; (entry = boost_entry(graph, i)) != NULL; i++) {
		if (entry[BOOST_INDEX] != index)
			continue;
		if (n == 0)
			fputs(short_label(boost_label(graph, entry), "BOOST_"), graph->text.to);
		n++;
	}
	if (n == 0)
		fprintf(graph->text.to, "index %u", index);
	if (n > 1)
		fprintf(graph->text.to, " and %u more", n - 1);
}

// Whether an edge is drawn with another: the same places and index.
static bool is_together(const struct edge *a, const struct edge *b) {
	return a->node == b->node && a->next_node == b->next_node && a->last == b->last &&
	       a->boost == b->boost;
}

// Whether a number there may be an IP protocol: those nodes look into IP headers.
static bool is_before_ip_protocol(const char *label) {
	return strncmp(label, "MAC", 3) == 0 || strncmp(label, "IPV", 3) == 0;
}

// Numbers have a meaning by the place where they are, which only labels tell.
static void number_write(struct graph *graph, const struct edge *edge) {
	static const struct {
		uint32_t number;
		const char *label;
	} ip[] = {
		{0, "IPV6_EXT"},  {1, "ICMP"},     {4, "IPV4"},      {6, "TCP"},
		{17, "UDP"},      {41, "IPV6"},    {43, "IPV6_EXT"}, {44, "IPV6_FH"},
		{47, "NVGRE"},    {50, "ESP"},     {51, "AH"},       {58, "ICMPv6"},
		{60, "IPV6_EXT"}, {115, "L2TPV3"}, {132, "SCTP"},    {135, "IPV6_EXT"},
	};
	const struct ddp_package *package = graph->package;
	const char *from = short_label(label_of(package, E810_LABELS_NODE, edge->node), "N_");
	const char *label = short_label(label_of(package, E810_LABELS_NODE, edge->next_node), "N_");

	for (unsigned int i = 0; i < sizeof(ip) / sizeof(ip[0]); i++) {
		if (edge->protocol != ip[i].number || !is_before_ip_protocol(from) ||
		    strncmp(label, ip[i].label, strlen(ip[i].label)) != 0)
			continue;
		fprintf(graph->text.to, "IP protocol %" PRIu32, edge->protocol);
		return;
	}
	fprintf(graph->text.to, edge->protocol >= 0x600 ? "EtherType 0x%04" PRIx32 : "0x%02" PRIx32,
		edge->protocol);
}

// What leads along an edge and those that are drawn as the same line.
static void line_write(struct graph *graph, unsigned int first) {
	const struct edge *edge = &graph->edges[first];
	const char *separator = "";

	if (edge->boost != 0) {
		boost_write(graph, edge->boost);
		separator = ": ";
	}
	for (unsigned int i = first; i < graph->n_edges; i++) {
		if (!is_together(edge, &graph->edges[i]))
			continue;
		fputs(separator, graph->text.to);
		if (graph->edges[i].no_match)
			fputs(*separator == '\0' ? "otherwise" : "any", graph->text.to);
		else
			number_write(graph, &graph->edges[i]);
		separator = ", ";
	}
}

static bool is_first_of_line(const struct graph *graph, unsigned int i) {
	for (unsigned int j = 0; j < i; j++)
		if (is_together(&graph->edges[i], &graph->edges[j]))
			return false;
	return true;
}

static bool is_arrow(const struct edge *a, const struct edge *b) {
	return a->node == b->node && a->next_node == b->next_node && a->last == b->last;
}

static bool is_first_of_arrow(const struct graph *graph, unsigned int i) {
	for (unsigned int j = 0; j < i; j++)
		if (is_arrow(&graph->edges[i], &graph->edges[j]))
			return false;
	return true;
}

/* Graphviz */

static void html(struct output *out, const char *text) {
	output_markup(out, text, strlen(text));
}

// "ends with" of a node: what the walk ends by.
static void ends_write(struct graph *graph, unsigned int node) {
	bool any = false;

	for (unsigned int i = 0; i < graph->n_edges; i++) {
		const struct edge *edge = &graph->edges[i];

		if (edge->node != node || !edge->last || edge->boost == 0 ||
		    !is_first_of_line(graph, i))
			continue;
		output_text(graph->out, any ? "<BR ALIGN=\"LEFT\"/>" :
					      "<BR/><FONT POINT-SIZE=\"7\">ends with<BR/>");
		boost_write(graph, edge->boost);
		html(graph->out, strbuf_take(&graph->text));
		any = true;
	}
	if (any)
		output_text(graph->out, "<BR ALIGN=\"LEFT\"/></FONT>");
}

static void node_write(struct graph *graph, unsigned int node) {
	const char *label = label_of(graph->package, E810_LABELS_NODE, node);

	output_printf(graph->out, "  n%u [label=<<B>", node);
	html(graph->out, *label != '\0' ? short_label(label, "N_") : "(no label)");
	output_printf(graph->out,
		      "</B><BR/><FONT POINT-SIZE=\"8\" COLOR=\"#6b6f76\">node %u</FONT>", node);
	ends_write(graph, node);
	output_text(graph->out, ">];\n");
}

static void arrow_write(struct graph *graph, unsigned int first) {
	const struct edge *edge = &graph->edges[first];

	output_printf(graph->out, "  n%u -> n%u [style=%s, label=<", edge->node, edge->next_node,
		      graph->back[first] ? "dashed, constraint=false" : "solid");
	for (unsigned int i = first; i < graph->n_edges; i++) {
		if (!is_arrow(edge, &graph->edges[i]) || !is_first_of_line(graph, i))
			continue;
		line_write(graph, i);
		html(graph->out, strbuf_take(&graph->text));
		output_text(graph->out, "<BR ALIGN=\"LEFT\"/>");
	}
	output_text(graph->out, ">];\n");
}

static void graph_write(struct graph *graph) {
	const struct ddp_package *package = graph->package;

	output_text(graph->out,
		    "digraph package {\n"
		    "  graph [rankdir=LR, bgcolor=\"white\", pad=0.3, nodesep=0.2, ranksep=0.9,\n"
		    "         labelloc=t, fontname=\"Helvetica\", fontsize=11, label=<");
	html(graph->out, package->name);
	output_printf(graph->out,
		      " " DDP_VERSION_FMT
		      ": the entries of the boost TCAM that match, and the next "
		      "protocol>];\n",
		      DDP_VERSION_NUMBERS(package->version));
	output_text(graph->out,
		    "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#d6e2f2\",\n"
		    "        color=\"#7b8089\", fontname=\"Helvetica\", fontsize=10];\n"
		    "  edge [fontname=\"Helvetica\", fontsize=8, fontcolor=\"#333333\",\n"
		    "        color=\"#5a6270\", arrowsize=0.7];\n");
	for (unsigned int i = 0; i < N_NODES; i++)
		if (graph->reached[i])
			node_write(graph, i);
	for (unsigned int i = 0; i < graph->n_edges; i++)
		if (graph->reached[graph->edges[i].node] && !graph->edges[i].last &&
		    is_first_of_arrow(graph, i))
			arrow_write(graph, i);
	output_text(graph->out, "}\n");
}

/* JSON */

static void boost_json(struct graph *graph, struct json_writer *json, uint8_t index) {
	const uint8_t *entry;

	jsonw_write(json, "boost_index:%u boost:[", index);
	for (unsigned int i = 0; index != 0 && (entry = boost_entry(graph, i)) != NULL; i++)
		if (entry[BOOST_INDEX] == index)
			jsonw_text(json, boost_label(graph, entry));
	jsonw_close(json, ']');
}

static void edge_json(struct graph *graph, struct json_writer *json, const struct edge *edge) {
	jsonw_write(json, "{table:%s row:%u from:%u to:%u", edge->no_match ? "no-match CAM" : "CAM",
		    edge->row, edge->node, edge->next_node);
	boost_json(graph, json, edge->boost);
	jsonw_key_uint_or_null(json, "next_protocol", !edge->no_match, edge->protocol);
	jsonw_write(json, "next_pc:%u next_pc_label:%s last:%d}", edge->next_pc,
		    e810_label(graph->package, E810_LABELS_PC, edge->next_pc), edge->last);
}

static void graph_json(struct graph *graph) {
	struct json_writer json;

	jsonw_init(&json, graph->out);
	jsonw_write(&json, "{root:%u nodes:[", graph->root);
	for (unsigned int i = 0; i < N_NODES; i++)
		if (graph->reached[i])
			jsonw_object(&json, "node:%u label:%s", i,
				     e810_label(graph->package, E810_LABELS_NODE, i));
	jsonw_write(&json, "] edges:[");
	for (unsigned int i = 0; i < graph->n_edges; i++)
		edge_json(graph, &json, &graph->edges[i]);
	jsonw_write(&json, "]}\n");
}

void e810_graph(const struct ddp_package *package, enum format format, struct output *out) {
	struct graph graph = {.package = package, .out = out, .arena = ddp_arena_create()};

	strbuf_init(&graph.text);
	edges_find(&graph);
	if (format == FORMAT_JSON)
		graph_json(&graph);
	else
		graph_write(&graph);
	strbuf_fini(&graph.text);
	ddp_arena_destroy(graph.arena);
}
