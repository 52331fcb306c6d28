/* SPDX-License-Identifier: BSD-3-Clause */
// The parse graph of an 800-series package. A node is a state of the parser; an edge is an entry of
// the parse graph: the entries of the boost TCAM that match, and the number of the next protocol.
#include <inttypes.h>
#include <string.h>

#include "e810/e810_parser.h"
#include "graph.h"
#include "package/package.h"

#define BOOST_INDEX 44 // byte of an entry

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

// The entries of the boost TCAM with an index: the first, and how many more.
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

// The meaning of a number depends on the place where it is, which only labels tell.
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

void graph_of_package(struct graph *graph, const struct ddp_personality *personality) {
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
