/* SPDX-License-Identifier: BSD-3-Clause */
// A parse graph as `ddpctl graph` writes it: nodes and edges, of a profile or of an 800-series
// package. All texts live in the graph's arena, or as long as the profile or package.
#ifndef DDPCTL_GRAPH_GRAPH_H
#define DDPCTL_GRAPH_GRAPH_H

#include "base/arena.h"
#include "common/output.h"
#include "common/strbuf.h"
#include "ctl/options.h"
#include "personality/personality.h"

struct graph_row {
	const char *text;
	int port; // an edge begins there
};

struct graph_node {
	const char *name;
	int profile;                     // of graph->profiles, that defines it; -1: a table
	const struct ddp_header *header; // with the fields; NULL: none
	bool hidden;
	const char *note;       // beside the name; NULL: none
	struct graph_row *rows; // of a table that several headers use
	unsigned int n_rows;
	const char **ends; // conditions under which parsing ends here; "": always
	unsigned int n_ends;

	bool drawn;
	unsigned int depth; // edges from the first node, the fewest
};

struct graph_edge {
	unsigned int from, to; // nodes
	int port;              // field of a header, row of a table; -1: none
	const char *when;
	bool undrawn; // JSON alone: the same as two edges by a table
};

struct graph {
	const char **profiles;
	unsigned int n_profiles;
	struct graph_node *nodes; // an edge's numbers are indexes
	unsigned int n_nodes;
	unsigned int first; // node
	struct graph_edge *edges;
	unsigned int n_edges;

	struct ddp_arena *arena;
	struct strbuf text;
	struct output *out;
};

// An edge under the condition just written to graph->text.
struct graph_edge *graph_edge_add(struct graph *graph, unsigned int from, unsigned int to,
				  int port);

void graph_of_profile(struct graph *graph, const struct ddp_profile *profile);
void graph_of_package(struct graph *graph, const struct ddp_personality *personality);

#endif
