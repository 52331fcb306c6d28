/* SPDX-License-Identifier: BSD-3-Clause */
// The boost TCAM as a driver leaves it: entries of the package, with tunnel ports set and the VLAN
// mode chosen, decoded and sorted by the key byte that tells the situations apart.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "e810_model.h"

#define ENTRY_SIZE 88
#define KEY_SIZE 20

// Bytes of the key: 18 - i is byte i of the packet from the header offset on.
#define KEY_SELECTOR 19
#define KEY_PORT_HIGH 16 // of a UDP destination port
#define KEY_PORT_LOW 15
#define KEY_LAST 0

// Key and inverse of a byte whose lowest bit never matches, and of one that always does.
#define NEVER 0xfe
#define ALWAYS 0xff

struct ternary {
	uint16_t address;
	uint8_t key[KEY_SIZE], inverse[KEY_SIZE];
};

struct boost_reader {
	struct e810_parser *parser;
	struct ddp_diag *diag;
	const uint8_t *entries;
	unsigned int n;
	struct ternary *keys;
	const struct e810_label *labels;
	unsigned int n_labels;
};

static bool label_begins(const struct e810_label *label, const char *prefix) {
	return strncmp(label->name, prefix, strlen(prefix)) == 0;
}

// The entry of a label's value, or NULL.
static struct ternary *labelled(struct boost_reader *r, const struct e810_label *label) {
	for (unsigned int i = 0; i < r->n; i++)
		if (r->keys[i].address == label->value)
			return &r->keys[i];
	return NULL;
}

static void port_set(struct ternary *t, uint16_t port) {
	t->inverse[KEY_PORT_LOW] = port;
	t->inverse[KEY_PORT_HIGH] = port >> 8;
	t->key[KEY_PORT_LOW] = ~t->inverse[KEY_PORT_LOW];
	t->key[KEY_PORT_HIGH] = ~t->inverse[KEY_PORT_HIGH];
}

static int port_add(struct boost_reader *r, const char *prefix, const char *name, uint16_t port) {
	struct ddp_place place = {.file = r->parser->package->path};
	bool found = false; // a place that was free in the file

	for (unsigned int i = 0; i < r->n_labels; i++) {
		struct ternary *t;

		if (!label_begins(&r->labels[i], prefix))
			continue;
		t = labelled(r, &r->labels[i]);
		found |= t != NULL && (t->key[KEY_PORT_HIGH] != t->inverse[KEY_PORT_HIGH] ||
				       t->key[KEY_PORT_HIGH] == NEVER);
		if (t == NULL || t->key[KEY_PORT_HIGH] != NEVER ||
		    t->inverse[KEY_PORT_HIGH] != NEVER)
			continue;
		port_set(t, port);
		return 0;
	}
	if (!found) {
		ddp_warn(r->diag, &place,
			 "the package has no place for %s ports: %u stays plain UDP", name, port);
		return 0;
	}
	ddp_error(r->diag, &place, "the package has no place left for %s port %u", name, port);
	return -ENOSPC;
}

static int ports_add(struct boost_reader *r, const char *prefix, const char *name,
		     const uint16_t *ports, unsigned int n) {
	int ret = 0;

	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = port_add(r, prefix, name, ports[i]);
	return ret;
}

static void rows_enable(struct boost_reader *r, const char *prefix, bool enabled) {
	for (unsigned int i = 0; i < r->n_labels; i++) {
		struct ternary *t;

		if (!label_begins(&r->labels[i], prefix))
			continue;
		t = labelled(r, &r->labels[i]);
		if (t != NULL)
			t->key[KEY_LAST] = t->inverse[KEY_LAST] = enabled ? ALWAYS : NEVER;
	}
}

static int configure(struct boost_reader *r, const struct e810_config *config) {
	int ret = ports_add(r, "TNL_VXLAN", "VXLAN", config->vxlan_ports, config->n_vxlan);

	if (ret == 0)
		ret = ports_add(r, "TNL_GENEVE", "GENEVE", config->geneve_ports, config->n_geneve);
	if (ret == 0)
		ret = ports_add(r, "TNL_UDP_ECPRI", "eCPRI", config->ecpri_ports, config->n_ecpri);
	if (config->double_vlan) {
		rows_enable(r, "BOOST_MAC_VLAN_SVM", false);
		rows_enable(r, "BOOST_MAC_VLAN_DVM", true);
	}
	return ret;
}

// The part of a row that looks at the packet. False where a bit never matches.
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

static void entry_decode(const uint8_t *entry, struct boost *boost) {
	boost->address = entry_bits(entry, 0, 16);
	boost->index = entry_bits(entry, 352, 8);
	e810_decode_key(entry, 362, 380, &boost->key);
	boost->key.priority = entry_bits(entry, 360, 2);
	for (unsigned int k = 0; k < 3; k++)
		e810_decode_alu(entry, 415 + 96 * k, &boost->alus[k]);
}

static int buckets_fill(struct e810_parser *parser, const struct ternary *used) {
	unsigned int n = 0;

	parser->boost_lists = calloc(256 * parser->n_boosts + 1, 1);
	if (parser->boost_lists == NULL)
		return -ENOMEM;
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
	return 0;
}

static int rows_fill(struct boost_reader *r) {
	struct e810_parser *parser = r->parser;
	struct ternary *used = calloc(r->n + 1, sizeof(*used));
	int ret;

	if (used == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < r->n; i++) {
		unsigned int n = parser->n_boosts;

		entry_decode(r->entries + ENTRY_SIZE * i, &parser->boosts[n]);
		if (parser->boosts[n].index == 0 ||
		    !row_decode(&r->keys[i], &parser->boost_rows[n]))
			continue;
		used[parser->n_boosts++] = r->keys[i];
	}
	ret = buckets_fill(parser, used);
	free(used);
	return ret;
}

int e810_decode_boost(struct e810_parser *parser, const struct e810_config *config,
		      struct ddp_diag *diag) {
	struct boost_reader r = {.parser = parser, .diag = diag};
	int ret;

	r.entries = e810_decode_entries(parser->package, E810_BOOST_TCAM, ENTRY_SIZE, &r.n, diag);
	r.labels = e810_labels(parser->package, E810_LABELS_BOOST, &r.n_labels);
	if (r.n > E810_N_BOOST) {
		struct ddp_place place = {.file = parser->package->path};

		ddp_error(diag, &place, "the boost TCAM has %u entries, not %u", r.n, E810_N_BOOST);
		return -EINVAL;
	}
	r.keys = calloc(r.n + 1, sizeof(*r.keys));
	if (r.keys == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < r.n; i++) {
		const uint8_t *entry = r.entries + ENTRY_SIZE * i;

		r.keys[i].address = entry_bits(entry, 0, 16);
		memcpy(r.keys[i].key, entry + 4, KEY_SIZE);
		memcpy(r.keys[i].inverse, entry + 24, KEY_SIZE);
	}
	ret = configure(&r, config);
	if (ret == 0)
		ret = rows_fill(&r);
	free(r.keys);
	return ret;
}
