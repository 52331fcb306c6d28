/* SPDX-License-Identifier: BSD-3-Clause */
// The boost TCAM after the driver's changes (tunnel ports, VLAN mode), in buckets by key byte 19.
#include <string.h>

#include "e810_model.h"

#define KEY_SIZE 20 // bytes

// Bytes of the key. Byte 18 - i is byte i of the packet from the header offset on.
#define KEY_SELECTOR 19
#define KEY_PORT_HIGH 16 // UDP destination port
#define KEY_PORT_LOW 15
#define KEY_LAST 0

// Key and inverse of bytes that never match, and of bytes that always match.
#define NEVER 0xfe
#define ALWAYS 0xff

struct ternary {
	uint16_t address;
	uint8_t key[KEY_SIZE], inverse[KEY_SIZE];
};

struct boost_reader {
	struct e810_parser *parser;
	struct ddp_diag *diag;
	const struct e810_table *table;
	struct ternary keys[E810_N_BOOST]; // of the entries, after the driver's changes
	const struct e810_label *labels;
	unsigned int n_labels;
};

// The entry of the next label, from *at on, with this prefix. NULL: none.
static struct ternary *labelled_next(struct boost_reader *r, const char *prefix, unsigned int *at) {
	while (*at < r->n_labels) {
		const struct e810_label *label = &r->labels[(*at)++];
		const bool begins = strncmp(label->name, prefix, strlen(prefix)) == 0;

		for (unsigned int i = 0; begins && i < r->table->n_entries; i++)
			if (r->keys[i].address == label->value)
				return &r->keys[i];
	}
	return NULL;
}

static void port_set(struct ternary *t, uint16_t port) {
	t->inverse[KEY_PORT_LOW] = port;
	t->inverse[KEY_PORT_HIGH] = port >> 8;
	t->key[KEY_PORT_LOW] = ~t->inverse[KEY_PORT_LOW];
	t->key[KEY_PORT_HIGH] = ~t->inverse[KEY_PORT_HIGH];
}

static bool port_add(struct boost_reader *r, const char *prefix, const char *name, uint16_t port) {
	bool found = false; // an entry for this tunnel
	unsigned int at = 0;
	struct ternary *t;

	while ((t = labelled_next(r, prefix, &at)) != NULL) {
		found |= t->key[KEY_PORT_HIGH] != t->inverse[KEY_PORT_HIGH] ||
			 t->key[KEY_PORT_HIGH] == NEVER;
		if (t->key[KEY_PORT_HIGH] != NEVER || t->inverse[KEY_PORT_HIGH] != NEVER)
			continue;
		port_set(t, port);
		return true;
	}
	if (!found) {
		ddp_warn(r->diag, DDP_FILE(r->parser->package->path),
			 "the package has no entry for %s ports: %u stays plain UDP", name, port);
		return true;
	}
	return ddp_refuse(r->diag, DDP_FILE(r->parser->package->path),
			  "the package has no entry left for %s port %u", name, port);
}

static void rows_enable(struct boost_reader *r, const char *prefix, bool enabled) {
	unsigned int at = 0;
	struct ternary *t;

	while ((t = labelled_next(r, prefix, &at)) != NULL)
		t->key[KEY_LAST] = t->inverse[KEY_LAST] = enabled ? ALWAYS : NEVER;
}

static void configure(struct boost_reader *r, const struct e810_config *config) {
	static const struct {
		const char *prefix, *name;
	} tunnels[] = {
		[E810_VXLAN] = {"TNL_VXLAN", "VXLAN"},
		[E810_GENEVE] = {"TNL_GENEVE", "GENEVE"},
		[E810_ECPRI] = {"TNL_UDP_ECPRI", "eCPRI"},
	};

	for (unsigned int t = 0; t < E810_N_TUNNELS; t++)
		for (unsigned int i = 0; i < config->tunnels[t].n; i++)
			if (!port_add(r, tunnels[t].prefix, tunnels[t].name,
				      config->tunnels[t].ports[i]))
				return;
	if (config->double_vlan) {
		rows_enable(r, "BOOST_MAC_VLAN_SVM", false);
		rows_enable(r, "BOOST_MAC_VLAN_DVM", true);
	}
}

// Decode the packet bytes of a row. false: it never matches.
static bool row_decode(const struct ternary *t, struct boost_row *row) {
	uint8_t values[KEY_SIZE], cares[KEY_SIZE];
	uint8_t value[8 * BOOST_WORDS] = {0}, care[8 * BOOST_WORDS] = {0};

	if (!ternary_decode(t->key, t->inverse, KEY_SIZE, values, cares))
		return false;
	for (unsigned int i = 0; i < BOOST_BYTES; i++) {
		value[i] = values[BOOST_BYTES - 1 - i];
		care[i] = cares[BOOST_BYTES - 1 - i];
	}
	memcpy(row->value, value, sizeof(row->value));
	memcpy(row->care, care, sizeof(row->care));
	return true;
}

static void buckets_fill(struct e810_parser *parser, const struct ternary *used) {
	unsigned int n = 0;

	parser->boost_lists = ddp_arena_alloc(parser->arena, 256 * parser->n_boosts + 1);
	for (unsigned int selector = 0; selector < 256; selector++) {
		struct boost_bucket *bucket = &parser->buckets[selector];

		bucket->first = n;
		for (unsigned int i = 0; i < parser->n_boosts; i++) {
			uint8_t key = used[i].key[KEY_SELECTOR];
			uint8_t inverse = used[i].inverse[KEY_SELECTOR];

			if (((selector & ~inverse) | (~selector & ~key & 0xff)) == 0)
				parser->boost_lists[n++] = i;
		}
		bucket->n = n - bucket->first;
	}
}

static void rows_fill(struct boost_reader *r) {
	struct e810_parser *parser = r->parser;

	assert(r->table->n_entries <= E810_N_BOOST);
	for (unsigned int i = 0; i < r->table->n_entries; i++) {
		const uint8_t *entry = e810_entry(r->table, i);
		struct instruction *boost = &parser->instructions[E810_N_PCS + parser->n_boosts];

		boost->address = entry_bits(entry, 0, 16);
		boost->index = entry_bits(entry, 352, 8);
		e810_decode_instruction(entry, 346, boost);
		if (boost->index == 0 ||
		    !row_decode(&r->keys[i], &parser->boost_rows[parser->n_boosts]))
			continue;
		r->keys[parser->n_boosts++] = r->keys[i];
	}
	buckets_fill(parser, r->keys);
}

void e810_decode_boost(struct e810_parser *parser, const struct e810_config *config,
		       struct ddp_diag *diag) {
	const struct e810_table *table = e810_table(parser->package, E810_BOOST_TCAM);
	struct boost_reader r = {.parser = parser, .diag = diag, .table = table};

	r.labels = e810_labels(parser->package, E810_LABELS_BOOST, &r.n_labels);
	if (table->n_entries > E810_N_BOOST) {
		ddp_error(diag, DDP_FILE(parser->package->path),
			  "the boost TCAM has %u entries, not %u", table->n_entries, E810_N_BOOST);
		return;
	}
	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = e810_entry(table, i);

		r.keys[i].address = entry_bits(entry, 0, 16);
		memcpy(r.keys[i].key, entry + 4, KEY_SIZE);
		memcpy(r.keys[i].inverse, entry + 24, KEY_SIZE);
	}
	configure(&r, config);
	rows_fill(&r);
}
