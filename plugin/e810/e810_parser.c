/* SPDX-License-Identifier: BSD-3-Clause */
// Life of a parser.
#include <errno.h>

#include "e810_model.h"

struct making {
	const struct ddp_package *package;
	const struct e810_config *config;
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	struct e810_parser *parser;
};

static void parser_make(void *arg) {
	struct making *making = arg;
	struct e810_parser *parser = ddp_arena_alloc(making->arena, sizeof(*parser));

	parser->arena = making->arena;
	parser->package = making->package;
	e810_decode_tables(parser, making->diag);
	e810_decode_boost(parser, making->config, making->diag);
	e810_find_seen(parser);
	e810_names_init(parser);
	making->parser = parser;
}

struct e810_parser *e810_parser_create(const struct ddp_package *package,
				       const struct e810_config *config, struct ddp_diag *diag) {
	struct ddp_place place = {.file = package->path};
	unsigned int n_errors = ddp_diag_failures(diag);
	struct making making = {.package = package, .config = config, .diag = diag};

	if (package->kind != DDP_PACKAGE_E810) {
		ddp_error(diag, &place, "not a package of the 800 series, so no parser to model");
		errno = EINVAL;
		return NULL;
	}
	making.arena = ddp_arena_create();
	if (ddp_arena_run(parser_make, &making) < 0)
		ddp_no_memory(diag);
	if (ddp_diag_failures(diag) == n_errors)
		return making.parser;
	ddp_arena_destroy(making.arena);
	errno = diag->no_memory ? ENOMEM : EINVAL;
	return NULL;
}

void e810_parser_destroy(struct e810_parser *parser) {
	if (parser != NULL)
		ddp_arena_destroy(parser->arena);
}

/* For people */

uint16_t e810_edges(const struct e810_parser *parser, e810_edge_fn fn, void *arg) {
	for (unsigned int i = 0; i < parser->n_graph; i++) {
		const struct graph_entry *entry = &parser->graph[i];
		const struct graph_hash *hash =
			entry->no_match ? &parser->no_match : &parser->match;
		const struct graph_slot *slot = hash->slots;

		while (slot <= &hash->slots[hash->mask] && slot->entry != i + 1)
			slot++;
		if (slot > &hash->slots[hash->mask])
			continue; // an entry before it has the same key
		fn(arg, &(struct e810_edge){
				.node = (uint16_t)slot->state,
				.next_node = entry->next_node,
				.boost = (uint8_t)(slot->state >> 20),
				.no_match = entry->no_match,
				.protocol = slot->next,
				.last = entry->last,
			});
	}
	return parser->first_node;
}

unsigned int e810_ptype_nearest(const struct e810_parser *parser,
				const bool markers[E810_N_MARKERS],
				struct e810_ptype_entry *nearest) {
	unsigned int least = UINT32_MAX;

	for (unsigned int i = 0; i < parser->n_marker_rows; i++) {
		const struct marker_row *row = &parser->marker_rows[i];
		struct e810_ptype_entry entry = {.address = row->address, .ptype = row->ptype};
		unsigned int n = 0;

		for (unsigned int m = 0; m < E810_N_MARKERS; m++) {
			const uint64_t value = m < 64 ? row->value : row->value_high;
			const uint64_t care = m < 64 ? row->care : row->care_high;

			entry.differs[m] =
				(care >> m % 64 & 1) != 0 && (value >> m % 64 & 1) != markers[m];
			n += entry.differs[m];
		}
		if (n < least) {
			least = n;
			*nearest = entry;
		}
	}
	return least;
}
