/* SPDX-License-Identifier: BSD-3-Clause */
#include "e810_links.h"

#include <string.h>

#define BOOST_SIZE 88
#define KEY 4 // of a boost entry: 20 bytes, and as many inverse ones behind
#define INVERSE 24
#define SELECTOR 19 // byte of both
#define PORT_HIGH 16
#define PORT_LOW 15

uint32_t e810_entry_bits(const uint8_t *entry, unsigned int first, unsigned int n) {
	uint64_t value = 0;

	for (unsigned int i = first / 8; i <= (first + n - 1) / 8; i++)
		value |= (uint64_t)entry[i] << 8 * (i - first / 8);
	return value >> first % 8 & ((UINT64_C(1) << n) - 1);
}

/* Parse graph */

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

struct reader {
	struct e810_links *tables;
	const struct e810_table *groups;
};

static bool edge_note(void *arg, const struct e810_edge *edge) {
	const struct reader *reader = arg;
	const uint8_t *group;

	if (edge->next_pc < E810_PCS)
		reader->tables->reached[edge->next_pc] = true;
	if (!edge->group) {
		reader->tables->protocols[edge->protocol_id] = true;
		return true;
	}
	if (edge->protocol_id >= reader->groups->n_entries)
		return true;
	group = reader->groups->entries + reader->groups->entry_size * edge->protocol_id;
	for (unsigned int i = 0; i < 8 && e810_entry_bits(group, 22 * i + 1, 8) != 255; i++)
		reader->tables->protocols[e810_entry_bits(group, 22 * i + 1, 8)] = true;
	return true;
}

/* UDP ports */

const char *e810_port_purpose(const char *label) {
	static const struct {
		const char *word, *words;
	} names[] = {
		{"_ESP", "IPsec through NAT"},
		{"_GTPC", "GTP-C"},
		{"_GTPU", "GTP-U"},
		{"_IKE", "IPsec through NAT"},
		{"_L2TPV2", "L2TPv2"},
		{"_NAT_KEEP", "IPsec through NAT"},
		{"_PFCP", "PFCP"},
		{"_ROCE", "RoCE, by a flag only"},
		{"_VXLAN_GPE", "VXLAN-GPE"},
		{"_ECPRI", "eCPRI"},
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(label, names[i].word) != NULL)
			return names[i].words;
	return label;
}

// The selector by which the instruction for an outer UDP header searches, -1 for none.
static int udp_selector(const struct ddp_package *package) {
	const struct e810_table *imem = e810_table(package, E810_IMEM);
	unsigned int n;
	const struct e810_label *labels = e810_labels(package, E810_LABELS_PC, &n);

	for (unsigned int i = 0; i < n; i++)
		if (strcmp(labels[i].name, "PC_UDP_1") == 0 && labels[i].value < imem->n_entries)
			return e810_entry_bits(imem->entries + imem->entry_size * labels[i].value,
					       4, 8);
	return -1;
}

// A byte that must have one value. False: some bit may be anything, or never matches.
static bool byte_is_exact(const uint8_t *entry, unsigned int byte) {
	return (entry[KEY + byte] ^ entry[INVERSE + byte]) == 0xff;
}

static bool can_match(const uint8_t *entry) {
	for (unsigned int i = 0; i < 20; i++)
		if ((entry[KEY + i] | entry[INVERSE + i]) != 0xff)
			return false;
	return entry[44] != 0;
}

static void ports_read(struct e810_links *tables, const struct ddp_package *package) {
	const struct e810_table *boost = e810_table(package, E810_BOOST_TCAM);
	int selector = udp_selector(package);

	for (unsigned int i = 0; i < boost->n_entries; i++) {
		const uint8_t *entry = boost->entries + BOOST_SIZE * i;
		const char *label =
			e810_label(package, E810_LABELS_BOOST, entry[0] | entry[1] << 8);

		if (can_match(entry) && byte_is_exact(entry, SELECTOR) &&
		    entry[INVERSE + SELECTOR] == selector && byte_is_exact(entry, PORT_HIGH) &&
		    byte_is_exact(entry, PORT_LOW))
			tables->ports[entry[INVERSE + PORT_HIGH] << 8 | entry[INVERSE + PORT_LOW]] =
				label != NULL ? e810_port_purpose(label) : "unknown";
	}
}

void e810_links_read(struct e810_links *tables, const struct ddp_package *package) {
	const struct e810_table *flags = e810_table(package, E810_FLAG_REDIRECTION);
	const struct e810_table *init = e810_table(package, E810_METADATA_INIT);
	struct reader reader = {
		.tables = tables,
		.groups = e810_table(package, E810_PROTOCOL_GROUPS),
	};

	memset(tables, 0, sizeof(*tables));
	for (unsigned int f = 0; f < 64; f++) {
		bool given = f < flags->n_entries && (flags->entries[f] & 1);

		tables->flags[f] = given ? flags->entries[f] >> 1 & 0x3f : -1;
	}
	if (init->n_entries > 0 && e810_entry_bits(init->entries, 17, 8) < E810_PCS)
		tables->reached[e810_entry_bits(init->entries, 17, 8)] = true;
	e810_edges_each(package, edge_note, &reader);
	ports_read(tables, package);
}

/* Tables as a whole */

int e810_table_uses(const struct ddp_package *package, uint32_t id) {
	const struct e810_table *table = e810_table(package, id);
	int live = e810_table_live(package, id);

	return live >= 0 ? live : (int)table->n_given;
}

unsigned int e810_table_differ(const struct ddp_package *const packages[2], uint32_t id) {
	const struct e810_table *a = e810_table(packages[0], id), *b = e810_table(packages[1], id);
	unsigned int n = a->n_entries < b->n_entries ? a->n_entries : b->n_entries;
	unsigned int n_differ = a->n_entries + b->n_entries - 2 * n;

	for (unsigned int i = 0; i < n; i++)
		n_differ += memcmp(a->entries + a->entry_size * i, b->entries + b->entry_size * i,
				   a->entry_size) != 0;
	return n_differ;
}
