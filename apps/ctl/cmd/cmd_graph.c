/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl graph FILE: the parse graph, for Graphviz or as JSON.
#include "common/json_writer.h"
#include "ctl/command.h"
#include "ctl/graph/graph.h"
#include "ctl/profile/profile_load.h"

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
