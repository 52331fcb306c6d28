/* SPDX-License-Identifier: BSD-3-Clause */
#include "e810_links.h"

uint32_t e810_entry_bits(const uint8_t *entry, unsigned int first, unsigned int n) {
	uint64_t value = 0;

	for (unsigned int i = first / 8; i <= (first + n - 1) / 8; i++)
		value |= (uint64_t)entry[i] << 8 * (i - first / 8);
	return value >> first % 8 & ((UINT64_C(1) << n) - 1);
}

static const struct {
	uint32_t id;
	unsigned int size, key, action; // bytes; first bits
	bool no_match;
	unsigned int first_row;
} graphs[] = {
	{E810_PG_CAM, 16, 0, 73, false, 0},
	{E810_PG_SPILL, 17, 56, 0, false, 2048},
	{E810_PG_NO_MATCH, 12, 0, 41, true, 0},
	{E810_NO_MATCH_SPILL, 13, 56, 0, true, 1024},
};

static void edge_read(const uint8_t *entry, unsigned int key, unsigned int action,
		      struct e810_edge *edge) {
	edge->node = e810_entry_bits(entry, key + 1, 11);
	edge->boost = e810_entry_bits(entry, key + 16, 1) ? e810_entry_bits(entry, key + 17, 8) : 0;
	edge->protocol = edge->no_match ? 0 : e810_entry_bits(entry, key + 41, 32);
	edge->next_node = e810_entry_bits(entry, action, 11);
	edge->next_pc = e810_entry_bits(entry, action + 11, 8);
	edge->group = e810_entry_bits(entry, action + 19, 1);
	edge->protocol_id = e810_entry_bits(entry, action + 23, 8);
	edge->last = e810_entry_bits(entry, action + 40, 1);
}

void e810_edges_each(const struct ddp_package *package,
		     bool (*fn)(void *arg, const struct e810_edge *edge), void *arg) {
	for (unsigned int g = 0; g < sizeof(graphs) / sizeof(graphs[0]); g++) {
		const struct e810_table *table = e810_table(package, graphs[g].id);

		for (unsigned int i = 0; i < table->n_entries; i++) {
			const uint8_t *entry = table->entries + table->entry_size * i;
			struct e810_edge edge = {
				.no_match = graphs[g].no_match,
				.row = graphs[g].first_row + i,
			};

			if (e810_entry_bits(entry, graphs[g].key, 1) == 0)
				continue;
			edge_read(entry, graphs[g].key, graphs[g].action, &edge);
			if (!fn(arg, &edge))
				return;
		}
	}
}
