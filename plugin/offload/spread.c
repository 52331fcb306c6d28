/* SPDX-License-Identifier: BSD-3-Clause */
// The spread plan. For each class that the profile hashes a rule is searched that hashes the same
// fields, or else the inner packet. Then each class is hashed by the newest rule that matches, or
// without one.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

static bool is_of_package(const struct draft *d, const struct packet_class *class) {
	return d->by_package && class->pctype >= 0;
}

static bool is_tunnel(const struct packet_class *class) {
	return class->encap != ENCAP_NONE;
}

/* Rules */

static bool plain_is_enough(const struct draft *d, const struct item *item) {
	struct hashed hashed;

	return plain_hashes(d->nic, item->class, &hashed) &&
	       hashed_compare(item->class, &hashed, &item->expected.hashed) == HASHED_EQUAL;
}

static void rule_search(struct draft *d, const struct item *item) {
	if (item->expected.hashed.n == 0 || is_of_package(d, item->class) ||
	    plain_is_enough(d, item))
		return;
	if (nic_parses(d->nic, item->class->encap) && !item->expected.depends &&
	    rule_find(d, item->class, &item->expected.hashed, true))
		return;
	if (is_tunnel(item->class))
		rule_find_level2(d, item->class);
}

/* Judging */

static bool has_inner(uint32_t fields) {
	return (fields & (FIELDS_ADDRESSES | FIELDS_PORTS | FIELD_TEID | FIELD_REST)) != 0;
}

// Of a packet whose hash is not that of the profile.
static enum ddp_spread unequal_judge(const struct item *item, const struct hashed *hashed) {
	if (is_tunnel(item->class) && has_inner(item->asked) && !has_inner(item->fields))
		return DDP_SPREAD_OUTER;
	if (!item->expected.depends &&
	    hashed_compare(item->class, hashed, &item->expected.hashed) == HASHED_LESS)
		return DDP_SPREAD_FEWER;
	return DDP_SPREAD_OTHERS;
}

static void item_judge(const struct draft *d, struct item *item) {
	struct nic_hash hash;

	draft_hash(d, item->class, &hash);
	if (!hash.known)
		hash.hashed.n = 0;
	if (hash.match == RULE_NEVER)
		hash.known = plain_hashes(d->nic, item->class, &hash.hashed);
	item->fields = fields_of(item->class, &hash.hashed);
	item->asked = fields_of(item->class, &item->expected.hashed);
	if (!hash.known)
		item->spread = DDP_SPREAD_NONE;
	else if (!item->expected.depends &&
		 hashed_compare(item->class, &hash.hashed, &item->expected.hashed) == HASHED_EQUAL)
		item->spread = DDP_SPREAD_SAME;
	else
		item->spread = unequal_judge(item, &hash.hashed);
}

/* Packet types without a class: how far does the NIC come? */

#define PATH_HEADERS 8

struct prefix {
	const char *names[PATH_HEADERS]; // headers that each packet has
	unsigned int n;
};

static bool is_name(const char *name, const char *names) {
	const char *at = strstr(names, name);

	return at != NULL && (at == names || at[-1] == ' ') &&
	       (at[strlen(name)] == ' ' || at[strlen(name)] == '\0');
}

// Headers that do not change which fields the NIC hashes.
static bool is_passed(const struct draft *d, const struct ddp_header *header) {
	return header->hidden || is_name(header->name, "vlan ipv6_ext ipv6_frag icmp icmp6") ||
	       (d->nic->labels && strcmp(header->name, "mpls") == 0);
}

static void prefix_add(const struct draft *d, const struct ddp_path *path, struct prefix *prefix) {
	const struct ddp_header *header;

	switch (path->kind) {
	case DDP_PATH_HEADER:
		header = &d->profile->headers[path->node];
		if (!is_passed(d, header) && prefix->n < PATH_HEADERS)
			prefix->names[prefix->n++] = header->name;
		break;
	case DDP_PATH_SEQUENCE:
		prefix_add(d, path->left, prefix);
		prefix_add(d, path->right, prefix);
		break;
	case DDP_PATH_EITHER:
	case DDP_PATH_SOME:
		prefix_add(d, path->left, prefix);
		break;
	default: // optional headers
		break;
	}
}

// The field that a reference means, of the outer packet; FIELD_REST: another.
static uint32_t ref_field(const struct draft *d, const struct ddp_ref *ref, bool tunnel) {
	const struct ddp_header *header = &d->profile->headers[ref->node];
	const char *field = header->fields[ref->field].name;

	if ((ref->which == DDP_WHICH_INNER && tunnel) ||
	    (ref->which == DDP_WHICH_NTH && ref->nth > 1) || field == NULL)
		return FIELD_REST;
	if (is_name(header->name, "ipv4 ipv6"))
		return strcmp(field, "src") == 0 ? FIELD_SRC :
		       strcmp(field, "dst") == 0 ? FIELD_DST :
						   FIELD_REST;
	if (is_name(header->name, "udp tcp sctp"))
		return strcmp(field, "sport") == 0 ? FIELD_SPORT :
		       strcmp(field, "dport") == 0 ? FIELD_DPORT :
						     FIELD_REST;
	return is_name(header->name, "gtpu") && strcmp(field, "teid") == 0 ? FIELD_TEID :
									     FIELD_REST;
}

static uint32_t asked_fields(const struct draft *d, unsigned int type, bool tunnel) {
	const struct ddp_packet_type *of = &d->profile->types[type];
	uint32_t fields = 0;

	for (unsigned int s = 0; s < of->n_sets; s++)
		for (unsigned int i = 0; i < of->sets[s].n_inputs; i++)
			fields |= ref_field(d, &of->sets[s].inputs[i], tunnel);
	return fields;
}

static void classless_judge(const struct draft *d, unsigned int type, struct ddp_spread_type *out) {
	struct prefix prefix = {.n = 0};
	uint32_t fields = FIELDS_ADDRESSES, asked;
	bool tunnel;

	prefix_add(d, d->profile->types[type].path, &prefix);
	if (prefix.n < 2 || !is_name(prefix.names[1], "ipv4 ipv6") ||
	    (d->nic->rss_hf == 0 && d->nic->l4s == 0)) {
		out->spread = DDP_SPREAD_NONE;
		fields_print(0, out->by, sizeof(out->by));
		return;
	}
	if (prefix.n > 2 && is_name(prefix.names[2], "udp tcp sctp"))
		fields |= FIELDS_PORTS;
	tunnel = prefix.n > (fields & FIELDS_PORTS ? 3 : 2);
	asked = asked_fields(d, type, tunnel);
	out->spread = (asked & FIELD_REST) != 0 || asked == FIELD_TEID ? DDP_SPREAD_OUTER :
		      asked == fields                                  ? DDP_SPREAD_SAME :
		      asked == (fields | FIELD_TEID)                   ? DDP_SPREAD_FEWER :
									 DDP_SPREAD_OTHERS;
	out->wanted = out->spread == DDP_SPREAD_OUTER;
	out->fields = tunnel ? fields << FIELDS_OUTER_SHIFT | FIELDS_TUNNEL : fields;
	fields_print(out->fields, out->by, sizeof(out->by));
}

/* Packet types */

// Packets that count for a packet type. (Fragments of users' packets are rare.)
static bool item_counts(const struct draft *d, const struct item *item, unsigned int type) {
	if (item->expected.type != type || !item->expected.complete)
		return false;
	if (item->class->l4 != L4_FRAGMENT)
		return true;
	for (unsigned int i = 0; i < d->n_items; i++)
		if (d->items[i].expected.type == type && d->items[i].expected.complete &&
		    d->items[i].class->l4 != L4_FRAGMENT)
			return false;
	return true;
}

static void words_join(char *text, size_t size, uint32_t fields) {
	char words[80];
	size_t len = strlen(text);

	fields_print(fields, words, sizeof(words));
	if (strstr(text, words) == NULL && len + strlen(words) + 5 < size)
		snprintf(text + len, size - len, "%s%s", len > 0 ? " or " : "", words);
}

static void item_add(const struct item *item, struct ddp_spread_type *out) {
	bool inner = is_tunnel(item->class) && has_inner(item->asked);

	if (item->spread > out->spread || out->by[0] == '\0') {
		out->by[0] = out->asked[0] = '\0';
		out->fields = item->fields;
		out->spread = item->spread;
	}
	out->wanted |= inner;
	if (item->spread != out->spread)
		return;
	words_join(out->by, sizeof(out->by), item->fields);
	if (item->expected.depends)
		snprintf(out->asked, sizeof(out->asked), "by values that the NIC does not read");
	else if (item->spread != DDP_SPREAD_SAME)
		words_join(out->asked, sizeof(out->asked), item->asked);
}

static void type_judge(const struct draft *d, unsigned int type, struct ddp_spread_type *out) {
	unsigned int n = 0, n_same = 0;

	if (!ddp_program_type(d->program, type)->hashed) {
		out->spread = DDP_SPREAD_UNASKED;
		return;
	}
	for (unsigned int i = 0; i < d->n_items; i++) {
		if (!item_counts(d, &d->items[i], type))
			continue;
		item_add(&d->items[i], out);
		n++;
		n_same += d->items[i].spread == DDP_SPREAD_SAME;
	}
	if (n == 0)
		classless_judge(d, type, out);
	out->partly = n_same > 0 && n_same < n;
}

static void verdict_find(struct ddp_spread_plan *spread) {
	for (unsigned int i = 0; i < spread->n_types; i++)
		spread->tunnels |= spread->types[i].wanted;
	for (unsigned int i = 0; i < spread->n_types; i++) {
		struct ddp_spread_type *type = &spread->types[i];

		if (!spread->tunnels)
			type->wanted = type->spread != DDP_SPREAD_UNASKED;
		if (!type->wanted)
			continue;
		spread->n_wanted++;
		spread->n_same += type->spread == DDP_SPREAD_SAME;
		spread->n_spread += type->spread <= DDP_SPREAD_OTHERS;
		spread->n_partly += type->spread > DDP_SPREAD_OTHERS && type->partly;
	}
	if (spread->n_spread == spread->n_wanted)
		spread->verdict = DDP_SPREAD_HARDWARE;
	else
		spread->verdict = spread->n_spread + spread->n_partly > 0 ? DDP_SPREAD_BOTH :
									    DDP_SPREAD_SOFTWARE;
}

/* All of it */

static const char *setup_find(const struct draft *d) {
	for (unsigned int i = 0; i < d->list.n; i++)
		for (const struct nic_level2 *p = d->nic->level2; p != NULL && p->items != NULL;
		     p++)
			if (d->list.rules[i].rule.level > 0 && p->setup != NULL &&
			    (p->encaps & 1U << d->list.rules[i].of->encap) != 0)
				return p->setup;
	return NULL;
}

static struct ddp_spread_plan *spread_fill(const struct draft *d) {
	struct ddp_spread_plan *spread = d->list.failed ? NULL : calloc(1, sizeof(*spread));

	if (spread == NULL)
		return NULL;
	spread->n_types = d->profile->n_types;
	spread->types = calloc(spread->n_types + 1, sizeof(*spread->types));
	spread->rules = rule_list_copy(&d->list);
	spread->n_rules = d->list.n;
	for (unsigned int i = 0; spread->rules != NULL && i < spread->n_rules; i++)
		spread->rules[i].n_queues = spread->rules[i].level > 0 ? d->ask->n_queues : 0;
	spread->setup = setup_find(d);
	if (spread->types == NULL || spread->rules == NULL) {
		spread_free(spread);
		return NULL;
	}
	for (unsigned int i = 0; i < spread->n_types; i++)
		type_judge(d, i, &spread->types[i]);
	verdict_find(spread);
	return spread;
}

static int by_class(const void *a, const void *b) {
	const struct packet_class *x = ((const struct item *)a)->class;
	const struct packet_class *y = ((const struct item *)b)->class;

	return x < y ? -1 : x > y;
}

// Packets of which the spread plan tells.
static bool is_told(const struct draft *d, const struct packet_class *class) {
	return class->usual && !class->tagged && (!d->by_package || class->ptype != 0);
}

struct ddp_spread_plan *spread_make(struct draft *d) {
	unsigned int n = 0;

	d->by_package = d->n_insets > 0;
	d->list.n = 0;
	for (unsigned int i = 0; i < d->n_all; i++)
		if (is_told(d, d->items[i].class))
			d->items[n++] = d->items[i];
	d->n_items = n;
	qsort(d->items, n, sizeof(*d->items), by_class);
	for (unsigned int i = 0; i < n; i++)
		rule_search(d, &d->items[i]);
	rule_list_join(&d->list);
	for (unsigned int i = 0; i < n; i++)
		item_judge(d, &d->items[i]);
	return spread_fill(d);
}

void spread_free(struct ddp_spread_plan *spread) {
	if (spread == NULL)
		return;
	free(spread->rules);
	free(spread->types);
	free(spread);
}

const char *ddp_spread_name(enum ddp_spread spread) {
	static const char *const names[] = {
		[DDP_SPREAD_SAME] = "same fields",    [DDP_SPREAD_FEWER] = "fewer fields",
		[DDP_SPREAD_OTHERS] = "other fields", [DDP_SPREAD_OUTER] = "outer headers",
		[DDP_SPREAD_NONE] = "not hashed",     [DDP_SPREAD_UNASKED] = "not asked for",
	};

	assert(spread < sizeof(names) / sizeof(names[0]));
	return names[spread];
}

const char *ddp_spread_verdict_name(enum ddp_spread_verdict verdict) {
	static const char *const names[] = {
		[DDP_SPREAD_HARDWARE] = "hardware can spread it",
		[DDP_SPREAD_BOTH] = "hardware plus software",
		[DDP_SPREAD_SOFTWARE] = "software only",
	};

	assert(verdict < sizeof(names) / sizeof(names[0]));
	return names[verdict];
}
