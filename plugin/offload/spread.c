/* SPDX-License-Identifier: BSD-3-Clause */
// The spread plan. For each hashed class a rule is searched that hashes the same fields, or else
// the inner packet. Then the newest matching rule, or the default RSS, hashes each class.
#include <assert.h>
#include <stdlib.h>

#include "draft.h"

/* Hashed bits as fields */

enum {
	FIELD_SRC = 1 << 0,
	FIELD_DST = 1 << 1,
	FIELD_SPORT = 1 << 2,
	FIELD_DPORT = 1 << 3,
	FIELD_PART = 1 << 4, // only some bits of the addresses or ports
	FIELDS_ADDRESSES = FIELD_SRC | FIELD_DST,
	FIELDS_PORTS = FIELD_SPORT | FIELD_DPORT,
	// Shift for fields of the outer packet; without it they are of the innermost one.
	FIELDS_OUTER_SHIFT = 8,
	FIELD_TEID = 1 << 16,
	FIELD_REST = 1 << 17,
	FIELDS_TUNNEL = 1 << 18, // there is an outer packet
};

static uint32_t ip_field(unsigned int byte, bool v6) {
	if (v6)
		return byte >= 24 ? FIELD_DST : byte >= 8 ? FIELD_SRC : byte == 6 ? 0 : FIELD_REST;
	return byte >= 20 ? FIELD_REST :
	       byte >= 16 ? FIELD_DST :
	       byte >= 12 ? FIELD_SRC :
	       byte == 9  ? 0 :
			    FIELD_REST;
}

static uint32_t field_of(const struct class_header *header, unsigned int byte) {
	if (header_is_ip(header->id))
		return ip_field(byte, header->id == HEADER_IPV6);
	if (header_is_l4(header->id))
		return byte < 2 ? FIELD_SPORT : byte < 4 ? FIELD_DPORT : FIELD_REST;
	if (header->id == HEADER_GTPU && byte >= 4 && byte < 8)
		return FIELD_TEID;
	return FIELD_REST;
}

static uint32_t bit_field(const struct packet_class *class, unsigned int bit) {
	const unsigned int i = packet_class_header_at(class, bit);
	const struct class_header *header = &class->headers[i];
	uint32_t field;

	if (bit >= 8u * class->len)
		return FIELD_REST;
	field = field_of(header, bit / 8 - header->off);
	if (class_has_outer(class) && (int)i < class->first_inner)
		return (field & 0xff) << FIELDS_OUTER_SHIFT | (field & ~0xffu);
	return field;
}

// Are only some bits of an inner address or port hashed?
static bool is_part(const struct packet_class *class, const struct hashed *hashed) {
	const unsigned int address = class->inner == 6 ? 128 : 32;
	const unsigned int sizes[] = {address, address, 16, 16}; // by bit of the field
	unsigned int counts[] = {0, 0, 0, 0};
	bool part = false;

	for (unsigned int i = 0; i < hashed->n; i++) {
		uint32_t field = hashed->bits[i] < 0 ? 0 : bit_field(class, hashed->bits[i]);

		for (unsigned int f = 0; f < 4; f++)
			counts[f] += field == 1u << f;
	}
	for (unsigned int f = 0; f < 4; f++)
		part |= counts[f] > 0 && counts[f] < sizes[f];
	return part;
}

// The hashed fields without the IP protocol.
static uint32_t fields_of(const struct packet_class *class, const struct hashed *hashed) {
	uint32_t fields = class_has_outer(class) ? FIELDS_TUNNEL : 0;

	for (unsigned int i = 0; i < hashed->n; i++)
		if (hashed->bits[i] >= 0)
			fields |= bit_field(class, hashed->bits[i]);
	return fields | (is_part(class, hashed) ? FIELD_PART : 0);
}

static void word_add(char *text, size_t size, const char *before, const char *word) {
	size_t len = strlen(text);

	if (len < size)
		snprintf(text + len, size - len, "%s%s", len > 0 ? before : "", word);
}

static void side_print(uint32_t fields, const char *side, char *text, size_t size) {
	static const char *const addresses[] = {"", "source address", "destination address",
						"addresses"};
	static const char *const ports[] = {"", "source port", "destination port", "ports"};
	const uint32_t ip = fields & FIELDS_ADDRESSES, l4 = fields & FIELDS_PORTS;

	if (ip == 0 && l4 == 0)
		return;
	word_add(text, size, ", ", side);
	word_add(text, size, "", addresses[ip]);
	word_add(text, size, "", ip != 0 && l4 != 0 ? " and " : "");
	word_add(text, size, "", ports[l4 >> 2]);
	if ((fields & FIELD_PART) != 0)
		word_add(text, size, "", " (some bits)");
}

static void fields_print(uint32_t fields, char *text, size_t size) {
	text[0] = '\0';
	side_print(fields >> FIELDS_OUTER_SHIFT & 0xff, "outer ", text, size);
	if (fields & FIELD_TEID)
		word_add(text, size, ", ", "TEID");
	side_print(fields & 0xff, fields & FIELDS_TUNNEL ? "inner " : "", text, size);
	if (fields & FIELD_REST)
		word_add(text, size, ", ", "other fields");
	if (text[0] == '\0')
		snprintf(text, size, "nothing");
}

static bool is_tunnel(const struct packet_class *class) {
	return class->encap != ENCAP_NONE;
}

/* Rules */

static void rule_search(struct draft *d, const struct item *item) {
	const struct packet_class *class = item->class;
	const struct hashed *expected = &item->expected.hashed;
	struct hashed plain;

	if (expected->n == 0 || (d->by_package && class->pctype >= 0))
		return;
	if (plain_hashes(d->nic, class, &plain) &&
	    hashed_compare(class, &plain, expected) == HASHED_EQUAL)
		return;
	if (nic_parses(d->nic, class->encap) && !item->expected.depends &&
	    rule_find(d, class, expected, true))
		return;
	if (is_tunnel(class) && item->expected.complete) // else the profile hashes outer headers
		rule_find_level2(d, class);
}

/* Evaluation */

static bool has_inner(uint32_t fields) {
	return (fields & (FIELDS_ADDRESSES | FIELDS_PORTS | FIELD_TEID | FIELD_REST)) != 0;
}

static enum ddp_spread hash_compare(const struct item *item, const struct hashed *hashed) {
	enum hashed_relation relation = hashed_compare(item->class, hashed, &item->expected.hashed);

	if (item->expected.depends)
		relation = HASHED_OTHER;
	if (relation == HASHED_EQUAL)
		return DDP_SPREAD_SAME;
	if (is_tunnel(item->class) && has_inner(item->hashed) && !has_inner(item->fields))
		return DDP_SPREAD_OUTER;
	return relation == HASHED_LESS ? DDP_SPREAD_FEWER : DDP_SPREAD_OTHERS;
}

static void item_evaluate(const struct draft *d, struct item *item) {
	struct nic_hash hash;

	draft_hash(d, item->class, &hash);
	if (!hash.known)
		hash.hashed.n = 0;
	if (hash.match == RULE_NEVER)
		hash.known = plain_hashes(d->nic, item->class, &hash.hashed);
	item->fields = fields_of(item->class, &hash.hashed);
	item->hashed = fields_of(item->class, &item->expected.hashed);
	item->spread = hash.known ? hash_compare(item, &hash.hashed) : DDP_SPREAD_NONE;
}

/* Packet types without a class */

#define PATH_HEADERS 8 // headers

struct prefix {
	const char *names[PATH_HEADERS]; // of headers that each packet has
	unsigned int n;
};

static bool is_name(const char *name, const char *names) {
	const char *at = strstr(names, name);

	return at != NULL && (at == names || at[-1] == ' ') &&
	       (at[strlen(name)] == ' ' || at[strlen(name)] == '\0');
}

// Add the headers of a path, without those that do not change the fields that the NIC hashes.
static void prefix_add(const struct draft *d, const struct ddp_path *path, struct prefix *prefix) {
	const struct ddp_header *header;

	switch (path->kind) {
	case DDP_PATH_HEADER:
		header = &d->profile->headers[path->node];
		if (!header->hidden &&
		    !is_name(header->name, "vlan ipv6_ext ipv6_frag icmp icmp6") &&
		    !(d->nic->labels && strcmp(header->name, "mpls") == 0) &&
		    prefix->n < PATH_HEADERS)
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

// Fields of the profile library.
static const struct {
	const char *header, *field;
	uint32_t bit;
} names[] = {
	{"gtpu", "teid", FIELD_TEID},   {"ipv4", "src", FIELD_SRC},
	{"ipv4", "dst", FIELD_DST},     {"ipv6", "src", FIELD_SRC},
	{"ipv6", "dst", FIELD_DST},     {"udp", "sport", FIELD_SPORT},
	{"udp", "dport", FIELD_DPORT},  {"tcp", "sport", FIELD_SPORT},
	{"tcp", "dport", FIELD_DPORT},  {"sctp", "sport", FIELD_SPORT},
	{"sctp", "dport", FIELD_DPORT},
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))
#define N_OUTER_NAMES 7 // the first names, without TCP and SCTP: an outer packet has none

static uint32_t ref_field(const struct draft *d, const struct ddp_ref *ref, bool tunnel) {
	const struct ddp_header *header = &d->profile->headers[ref->node];
	const char *field = header->fields[ref->field].name;

	if ((ref->which == DDP_WHICH_INNER && tunnel) ||
	    (ref->which == DDP_WHICH_NTH && ref->nth > 1) || field == NULL)
		return FIELD_REST;
	for (unsigned int i = 0; i < N_NAMES; i++)
		if (strcmp(header->name, names[i].header) == 0 &&
		    strcmp(field, names[i].field) == 0)
			return names[i].bit;
	return FIELD_REST;
}

static uint32_t hashed_fields(const struct draft *d, unsigned int type, bool tunnel) {
	const struct ddp_packet_type *of = &d->profile->types[type];
	uint32_t fields = 0;

	for (unsigned int s = 0; s < of->n_sets; s++)
		for (unsigned int i = 0; i < of->sets[s].n_inputs; i++)
			fields |= ref_field(d, &of->sets[s].inputs[i], tunnel);
	return fields;
}

static void classless_evaluate(const struct draft *d, unsigned int type,
			       struct ddp_spread_type *out) {
	struct prefix prefix = {.n = 0};
	uint32_t fields = FIELDS_ADDRESSES, hashed;
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
	hashed = hashed_fields(d, type, tunnel);
	out->spread = (hashed & FIELD_REST) != 0 || hashed == FIELD_TEID ? DDP_SPREAD_OUTER :
		      hashed == fields                                   ? DDP_SPREAD_SAME :
		      hashed == (fields | FIELD_TEID)                    ? DDP_SPREAD_FEWER :
									   DDP_SPREAD_OTHERS;
	out->wanted = out->spread == DDP_SPREAD_OUTER;
	out->fields = tunnel ? fields << FIELDS_OUTER_SHIFT | FIELDS_TUNNEL : fields;
	fields_print(out->fields, out->by, sizeof(out->by));
}

/* Packet types */

// Does an item count for a packet type? Fragments, which are rare, only if it has no others.
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

	fields_print(fields, words, sizeof(words));
	if (strstr(text, words) == NULL && strlen(text) + strlen(words) + 5 < size)
		word_add(text, size, " or ", words);
}

static void item_add(const struct item *item, struct ddp_spread_type *out) {
	bool inner = is_tunnel(item->class) && has_inner(item->hashed);

	if (item->spread > out->spread || out->by[0] == '\0') {
		out->by[0] = out->hashed[0] = '\0';
		out->fields = item->fields;
		out->spread = item->spread;
	}
	out->wanted |= inner;
	if (item->spread != out->spread)
		return;
	words_join(out->by, sizeof(out->by), item->fields);
	if (item->expected.depends)
		snprintf(out->hashed, sizeof(out->hashed), "by values that the NIC does not read");
	else if (item->spread != DDP_SPREAD_SAME)
		words_join(out->hashed, sizeof(out->hashed), item->hashed);
}

static void type_evaluate(const struct draft *d, unsigned int type, struct ddp_spread_type *out) {
	unsigned int n = 0, n_same = 0;

	if (!ddp_program_type(d->program, type)->hashed) {
		out->spread = DDP_SPREAD_UNWANTED;
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
		classless_evaluate(d, type, out);
	out->partly = n_same > 0 && n_same < n;
}

static void verdict_find(struct ddp_spread_plan *spread) {
	for (unsigned int i = 0; i < spread->n_types; i++)
		spread->tunnels |= spread->types[i].wanted;
	for (unsigned int i = 0; i < spread->n_types; i++) {
		struct ddp_spread_type *type = &spread->types[i];

		if (!spread->tunnels)
			type->wanted = type->spread != DDP_SPREAD_UNWANTED;
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

/* Plan */

static const char *setup_find(const struct draft *d) {
	for (unsigned int i = 0; i < d->n_rules; i++)
		for (const struct nic_level2 *p = d->nic->level2; p != NULL && p->encaps != 0; p++)
			if (d->rules[i].rule.level > 0 && p->setup != NULL &&
			    (p->encaps & 1U << d->rules[i].of->encap) != 0)
				return p->setup;
	return NULL;
}

static void spread_fill(const struct draft *d, struct ddp_spread_plan *spread) {
	spread->n_types = d->profile->n_types;
	spread->types =
		ddp_arena_alloc(d->plan->arena, (spread->n_types + 1) * sizeof(*spread->types));
	spread->rules = draft_rules_copy(d);
	spread->n_rules = d->n_rules;
	for (unsigned int i = 0; i < spread->n_rules; i++)
		spread->rules[i].n_queues = spread->rules[i].level > 0 ? d->request->n_queues : 0;
	spread->setup = setup_find(d);
	for (unsigned int i = 0; i < spread->n_types; i++)
		type_evaluate(d, i, &spread->types[i]);
	verdict_find(spread);
}

static int by_class(const void *a, const void *b) {
	const struct packet_class *x = ((const struct item *)a)->class;
	const struct packet_class *y = ((const struct item *)b)->class;

	return x < y ? -1 : x > y;
}

void spread_make(struct draft *d) {
	unsigned int n = 0;

	d->by_package = d->plan->n_insets > 0;
	d->n_rules = 0;
	for (unsigned int i = 0; i < d->n_classes; i++) {
		const struct packet_class *class = d->items[i].class;

		if (class_is_usual(class) && class->n_vlans == 0 &&
		    (!d->by_package || class->ptype != 0))
			d->items[n++] = d->items[i];
	}
	d->n_items = n;
	qsort(d->items, n, sizeof(*d->items), by_class);
	for (unsigned int i = 0; i < n; i++)
		rule_search(d, &d->items[i]);
	draft_rules_join(d);
	for (unsigned int i = 0; i < n; i++)
		item_evaluate(d, &d->items[i]);
	d->plan->spread = ddp_arena_alloc(d->plan->arena, sizeof(*d->plan->spread));
	spread_fill(d, d->plan->spread);
}

const char *ddp_spread_name(enum ddp_spread spread) {
	static const char *const names[] = {
		[DDP_SPREAD_SAME] = "same fields",    [DDP_SPREAD_FEWER] = "fewer fields",
		[DDP_SPREAD_OTHERS] = "other fields", [DDP_SPREAD_OUTER] = "outer headers",
		[DDP_SPREAD_NONE] = "not hashed",     [DDP_SPREAD_UNWANTED] = "not asked for",
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

/* Input sets of the NIC in a profile */

struct application {
	const struct ddp_spread_plan *spread;
	struct ddp_profile *profile;
};

static void fields_add(struct ddp_profile *profile, const struct ddp_path *path, uint32_t fields,
		       unsigned int n, enum ddp_which which, struct ddp_input_set *set) {
	for (unsigned int i = 0; i < n; i++) {
		const int h = ddp_header_find(profile, names[i].header);
		const struct ddp_header *in = h < 0 ? NULL : &profile->headers[h];
		const int f = in == NULL ? -1 : ddp_field_find(in, names[i].field);

		if ((fields & names[i].bit) == 0 || f < 0 || !ddp_path_has(path, h))
			continue;
		*DDP_APPEND(profile->arena, set->inputs, set->n_inputs) = (struct ddp_ref){
			.node = h,
			.field = f,
			.which = which,
			.bits = in->fields[f].width,
			.name = names[i].field,
		};
		set->size += (in->fields[f].width + 7) / 8;
	}
}

// A NIC with rules for kinds of packets evaluates a set's condition, unless it has an address.
static bool is_kept(const struct ddp_profile *profile, const struct ddp_input_set *set) {
	if (set->cond.n_matches == 0 || set->cond.expr.n_ops > 0)
		return false;
	for (unsigned int i = 0; i < set->cond.n_matches; i++) {
		const struct ddp_ref *ref = &set->cond.matches[i].ref;

		if (strncmp(profile->headers[ref->node].name, "ipv", 3) == 0)
			return false;
	}
	return true;
}

static void type_apply(const struct ddp_spread_type *type, struct ddp_profile *profile,
		       struct ddp_packet_type *of) {
	const uint32_t outer = type->fields >> FIELDS_OUTER_SHIFT & 0xff;
	struct ddp_input_set *sets = NULL, set = {0};
	unsigned int n = 0;

	for (unsigned int i = 0; type->partly && i < of->n_sets; i++)
		if (is_kept(profile, &of->sets[i]))
			*DDP_APPEND(profile->arena, sets, n) = of->sets[i];
	if (type->spread != DDP_SPREAD_NONE) {
		fields_add(profile, of->path, outer, N_OUTER_NAMES, DDP_WHICH_OUTER, &set);
		fields_add(profile, of->path, type->fields, N_NAMES, DDP_WHICH_INNER, &set);
	}
	if (set.n_inputs > 0)
		*DDP_APPEND(profile->arena, sets, n) = set;
	of->sets = sets;
	of->n_sets = n;
}

static void apply(void *arg) {
	const struct application *a = arg;

	a->profile->by_rss_hf = false;
	for (unsigned int i = 0; i < a->spread->n_types; i++) {
		const struct ddp_spread_type *type = &a->spread->types[i];

		if (type->spread != DDP_SPREAD_SAME && type->spread != DDP_SPREAD_UNWANTED)
			type_apply(type, a->profile, &a->profile->types[i]);
	}
}

bool ddp_spread_apply(const struct ddp_spread_plan *spread, struct ddp_profile *profile) {
	return ddp_arena_run(apply, &(struct application){spread, profile}) == 0;
}
