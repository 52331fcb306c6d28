/* SPDX-License-Identifier: BSD-3-Clause */
// RSS rules as DPDK's drivers implement them (drivers/net/ice/ice_hash.c,
// drivers/net/iavf/iavf_hash.c): from a pattern and RSS types to hashed bits.
#include "draft.h"

#include <assert.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define L3_SIDES (HF(L3_SRC_ONLY) | HF(L3_DST_ONLY))
#define L4_SIDES (HF(L4_SRC_ONLY) | HF(L4_DST_ONLY))

static bool pattern_is_accepted(const struct ddp_nic *nic, const struct packet_class *class,
				unsigned int n) {
	for (const nic_pattern *p = nic->patterns; p != NULL && (*p)[0] != NULL; p++) {
		unsigned int i = 0;

		while (i < n && (*p)[i] != NULL &&
		       (strcmp((*p)[i], class_header_items[class->item_ids[i]]) == 0 ||
			(strcmp((*p)[i], "ip") == 0 && header_is_ip(class->item_ids[i]))))
			i++;
		if (i == n && (*p)[i] == NULL)
			return true;
	}
	return false;
}

/* Bits that RSS types hash */

static void field_add(struct hashed *hashed, const struct class_header *header, unsigned int byte,
		      unsigned int bits) {
	hashed_add(hashed, 8 * (header->off + byte), bits);
}

static unsigned int prefix_bits(uint64_t types) {
	if (types & HF(L3_PRE32))
		return 32;
	if (types & HF(L3_PRE48))
		return 48;
	return types & HF(L3_PRE64) ? 64 : 128;
}

static uint64_t ip_types(bool v6) {
	return v6 ? HF(IPV6) | HF(IPV6_UDP) | HF(IPV6_TCP) | HF(IPV6_SCTP) :
		    HF(IPV4) | HF(IPV4_UDP) | HF(IPV4_TCP) | HF(IPV4_SCTP);
}

static void addresses_add(struct hashed *hashed, const struct class_header *ip, bool v6,
			  uint64_t types) {
	unsigned int bits = v6 ? prefix_bits(types) : 32;

	if ((types & ip_types(v6)) == 0 || ((types & L4_SIDES) != 0 && (types & L3_SIDES) == 0))
		return;
	if ((types & HF(L3_DST_ONLY)) == 0)
		field_add(hashed, ip, v6 ? 8 : 12, bits);
	if ((types & HF(L3_SRC_ONLY)) == 0)
		field_add(hashed, ip, v6 ? 24 : 16, bits);
}

static void ports_add(struct hashed *hashed, const struct class_header *l4, bool v6,
		      uint64_t types) {
	if ((types & ip_types(v6) & ~(HF(IPV4) | HF(IPV6))) == 0 ||
	    ((types & L3_SIDES) != 0 && (types & L4_SIDES) == 0))
		return;
	if ((types & HF(L4_DST_ONLY)) == 0)
		field_add(hashed, l4, 0, 16);
	if ((types & HF(L4_SRC_ONLY)) == 0)
		field_add(hashed, l4, 2, 16);
}

static void types_hash(const struct ddp_nic *nic, const struct packet_class *class, unsigned int n,
		       uint64_t types, struct hashed *hashed) {
	const struct class_header *l4 = NULL, *ip, *gtpu = NULL;
	unsigned int last = n - 1;
	bool v6;

	assert(n > 0 && n <= class->n_items);
	hashed->n = 0;
	if (header_is_l4(class->item_ids[last]))
		l4 = &class->headers[class->items[last--]];
	ip = &class->headers[class->items[last]];
	v6 = ip->id == HEADER_IPV6;
	for (unsigned int i = 0; i < n; i++)
		if (class->item_ids[i] == HEADER_GTPU)
			gtpu = &class->headers[class->items[i]];
	if (l4 != NULL && nic->protocol) {
		hashed_zeros(hashed, 8);
		field_add(hashed, ip, v6 ? 6 : 9, 8);
	}
	addresses_add(hashed, ip, v6, types);
	if (l4 != NULL)
		ports_add(hashed, l4, v6, types);
	if (gtpu != NULL && (types & HF(GTPU)) != 0)
		field_add(hashed, gtpu, 4, 32);
}

/* Comparison */

#define SET_BYTES PACKET_CLASS_SIZE

static void bits_mark(const struct packet_class *class, const struct hashed *hashed,
		      uint8_t set[SET_BYTES]) {
	memset(set, 0, SET_BYTES);
	for (unsigned int i = 0; i < hashed->n; i++)
		if (hashed->bits[i] != BIT_ZERO && hashed->bits[i] < 8 * SET_BYTES)
			set[hashed->bits[i] / 8] |= 0x80 >> hashed->bits[i] % 8;
	for (unsigned int i = 0; i < class->n_headers; i++)
		if (header_is_ip(class->headers[i].id))
			set[class->headers[i].off + (class->headers[i].id == HEADER_IPV4 ? 9 : 6)] =
				0;
}

enum hashed_relation hashed_compare(const struct packet_class *class, const struct hashed *a,
				    const struct hashed *b) {
	uint8_t in_a[SET_BYTES], in_b[SET_BYTES], only_a = 0, only_b = 0;

	bits_mark(class, a, in_a);
	bits_mark(class, b, in_b);
	for (unsigned int i = 0; i < SET_BYTES; i++) {
		only_a |= in_a[i] & ~in_b[i];
		only_b |= in_b[i] & ~in_a[i];
	}
	if (only_a != 0)
		return HASHED_OTHER;
	return only_b != 0 ? HASHED_LESS : HASHED_EQUAL;
}

/* RSS types */

static const uint64_t sides[] = {
	0,
	HF(L3_SRC_ONLY),
	HF(L3_DST_ONLY),
	HF(L4_SRC_ONLY),
	HF(L4_DST_ONLY),
	HF(L3_SRC_ONLY) | HF(L4_SRC_ONLY),
	HF(L3_SRC_ONLY) | HF(L4_DST_ONLY),
	HF(L3_DST_ONLY) | HF(L4_SRC_ONLY),
	HF(L3_DST_ONLY) | HF(L4_DST_ONLY),
};
static const uint64_t prefixes[] = {0, HF(L3_PRE64), HF(L3_PRE48), HF(L3_PRE32)};

static uint64_t type_of(enum class_header_id last, bool v6) {
	static const uint64_t types[][2] = {
		[HEADER_IPV4] = {HF(IPV4), HF(IPV4)},
		[HEADER_IPV6] = {HF(IPV6), HF(IPV6)},
		[HEADER_UDP] = {HF(IPV4_UDP), HF(IPV6_UDP)},
		[HEADER_TCP] = {HF(IPV4_TCP), HF(IPV6_TCP)},
		[HEADER_SCTP] = {HF(IPV4_SCTP), HF(IPV6_SCTP)},
	};

	return types[last][v6];
}

/* Rules of the draft */

static bool rule_same(const struct ddp_offload_rule *a, const struct ddp_offload_rule *b) {
	if (a->n_items != b->n_items || a->pdu_type != b->pdu_type || a->types != b->types ||
	    a->level != b->level || a->size != b->size)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return memcmp(a->spec, b->spec, a->size) == 0 && memcmp(a->mask, b->mask, a->size) == 0;
}

// Wider rules come first. Raw rules follow all others.
static bool is_wider(const struct ddp_offload_rule *a, const struct ddp_offload_rule *b) {
	return a->n_items != 0 && (b->n_items == 0 || a->n_items < b->n_items);
}

static bool rule_add(struct draft *d, const struct rule *rule) {
	unsigned int at = d->n_rules;

	for (unsigned int i = 0; i < d->n_rules; i++)
		if (rule_same(&d->rules[i].rule, &rule->rule))
			return true;
	if (d->request->accepts != NULL && !d->request->accepts(d->request->ctx, &rule->rule))
		return false;
	(void)DDP_APPEND(d->arena, d->rules, d->n_rules);
	for (; at > 0 && is_wider(&rule->rule, &d->rules[at - 1].rule); at--)
		d->rules[at] = d->rules[at - 1];
	d->rules[at] = *rule;
	return true;
}

void draft_rule_remove(struct draft *d, unsigned int at) {
	assert(at < d->n_rules);
	d->n_rules--;
	memmove(&d->rules[at], &d->rules[at + 1], (d->n_rules - at) * sizeof(*d->rules));
}

void draft_rules_join(struct draft *d) {
	for (unsigned int i = 0; i < d->n_rules; i++)
		for (unsigned int j = i + 1; j < d->n_rules && d->rules[i].rule.pdu_type >= 0;
		     j++) {
			struct ddp_offload_rule both = d->rules[j].rule;

			if (both.pdu_type != !d->rules[i].rule.pdu_type)
				continue;
			both.pdu_type = d->rules[i].rule.pdu_type;
			if (!rule_same(&both, &d->rules[i].rule))
				continue;
			d->rules[i].rule.pdu_type = -1;
			draft_rule_remove(d, j);
			break;
		}
}

struct ddp_offload_rule *draft_rules_copy(const struct draft *d) {
	struct ddp_offload_rule *copy =
		ddp_arena_alloc(d->plan->arena, (d->n_rules + 1) * sizeof(*copy));

	for (unsigned int i = 0; i < d->n_rules; i++)
		copy[i] = d->rules[i].rule;
	return copy;
}

/* Search */

struct nic_rule_search {
	const struct ddp_nic *nic;
	const struct packet_class *class;
	const struct hashed *hashed;
	bool any_order;  // ignore the order, and the IP protocol
	struct draft *d; // gets the rule; NULL: only search
};

static bool is_found(const struct nic_rule_search *search, const struct hashed *hashed) {
	if (search->any_order)
		return hashed_compare(search->class, hashed, search->hashed) == HASHED_EQUAL;
	return hashed_same(hashed, search->hashed);
}

static bool rule_offer(const struct nic_rule_search *search, unsigned int n, uint64_t types) {
	struct rule rule = {.rule = {.n_items = n, .pdu_type = -1, .types = types},
			    .of = search->class};

	assert(n <= DDP_OFFLOAD_ITEMS);
	if (search->d == NULL)
		return true;
	for (unsigned int i = 0; i < n; i++) {
		rule.rule.items[i] = class_header_items[search->class->item_ids[i]];
		if (search->class->item_ids[i] == HEADER_GTPU_PSC)
			rule.rule.pdu_type = search->class->encap == ENCAP_GTPU_UP;
	}
	return rule_add(search->d, &rule);
}

static bool types_search(const struct nic_rule_search *search, unsigned int n, bool v6) {
	const enum class_header_id last = search->class->item_ids[n - 1];
	const bool gtpu = memchr(search->class->item_ids, HEADER_GTPU, n) != NULL;
	uint64_t type = type_of(last, v6);
	struct hashed hashed;

	if (!pattern_is_accepted(search->nic, search->class, n))
		return false;
	for (unsigned int more = 0; more < (gtpu ? 3 : 1); more++) {
		uint64_t base = more == 0 ? type : more == 1 ? type | HF(GTPU) : HF(GTPU);

		for (unsigned int s = 0; s < COUNT(sides); s++)
			for (unsigned int p = 0; p < (v6 ? COUNT(prefixes) : 1); p++) {
				uint64_t types = base | sides[s] | prefixes[p];

				if (header_is_ip(last) && (sides[s] & L4_SIDES))
					continue;
				types_hash(search->nic, search->class, n, types, &hashed);
				if (is_found(search, &hashed) && rule_offer(search, n, types))
					return true;
			}
	}
	return false;
}

// Try patterns that end in the innermost IP header, then those with an L4 header after it.
static bool items_search(const struct nic_rule_search *search) {
	const struct packet_class *class = search->class;
	unsigned int ip = class->n_items;

	while (ip > 0 && !header_is_ip(class->item_ids[ip - 1]))
		ip--;
	if (ip == 0 || !class->complete)
		return false;
	for (unsigned int n = ip; n <= class->n_items; n++)
		if (types_search(search, n, class->item_ids[ip - 1] == HEADER_IPV6))
			return true;
	return false;
}

// A raw mask selects whole words of the packet, each once and in packet order.
static bool mask_fits(const struct hashed *hashed) {
	for (unsigned int i = 0; i < hashed->n; i++)
		if (hashed->bits[i] == BIT_ZERO ||
		    (i > 0 && hashed->bits[i] <= hashed->bits[i - 1]) ||
		    hashed->bits[i] >= 8 * DDP_OFFLOAD_RAW_SIZE)
			return false;
	for (unsigned int i = 0; i < hashed->n; i += 16)
		for (unsigned int b = 0; b < 16; b++)
			if (i + b >= hashed->n || hashed->bits[i + b] != hashed->bits[i] + (int)b ||
			    hashed->bits[i] % 16 != 0)
				return false;
	return true;
}

static bool raw_search(const struct nic_rule_search *search) {
	const struct hashed *hashed = search->hashed;
	struct rule rule = {.rule = {.pdu_type = -1, .size = search->class->len},
			    .of = search->class,
			    .hashed = hashed};

	if (!search->nic->raw || search->class->len > DDP_OFFLOAD_RAW_SIZE || !mask_fits(hashed))
		return false;
	for (unsigned int i = 0; i < search->class->len; i++)
		rule.rule.spec[i] = search->class->data[i] & search->class->known[i];
	for (unsigned int i = 0; i < hashed->n; i++)
		rule.rule.mask[hashed->bits[i] / 8] |= 0x80 >> hashed->bits[i] % 8;
	return rule_add(search->d, &rule);
}

bool rule_find(struct draft *d, const struct packet_class *class, const struct hashed *hashed,
	       bool spreads) {
	const struct nic_rule_search search = {d->nic, class, hashed, .any_order = spreads, .d = d};

	return (class->l4 != L4_FRAGMENT && items_search(&search)) ||
	       (!spreads && raw_search(&search));
}

#define INNER_TYPES                                                                           \
	(HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_OTHER) | HF(IPV4_UDP) | HF(IPV4_TCP) | HF(IPV6) | \
	 HF(IPV6_FRAG) | HF(IPV6_OTHER) | HF(IPV6_UDP) | HF(IPV6_TCP))

// The last "ip" of the pattern is the inner packet, an earlier one the outer packet.
bool rule_find_level2(struct draft *d, const struct packet_class *class) {
	for (const struct nic_level2 *p = d->nic->level2; p != NULL && p->encaps != 0; p++) {
		struct rule rule = {.rule = {.pdu_type = -1, .level = 2, .types = INNER_TYPES},
				    .of = class};
		unsigned int *n = &rule.rule.n_items;

		if ((p->encaps & 1U << class->encap) == 0)
			continue;
		for (; p->items[*n] != NULL; ++*n) {
			const bool is_last = p->items[*n + 1] == NULL;

			if (strcmp(p->items[*n], "ip") != 0)
				rule.rule.items[*n] = p->items[*n];
			else
				rule.rule.items[*n] = (is_last ? class->inner : class->outer) == 4 ?
							      "ipv4" :
							      "ipv6";
		}
		return rule_add(d, &rule);
	}
	return false;
}

bool rule_spreads(const struct ddp_nic *nic, const struct packet_class *class,
		  const struct hashed *hashed) {
	struct ddp_nic plain = *nic;
	const struct nic_rule_search search = {.nic = &plain, .class = class, .hashed = hashed};

	plain.protocol = false;
	return nic->protocol && items_search(&search);
}

/* Matches */

static enum rule_match items_match(const struct ddp_nic *nic, const struct rule *rule,
				   const struct packet_class *class) {
	const struct ddp_offload_rule *r = &rule->rule;
	bool l4 = header_is_l4(rule->of->item_ids[r->n_items - 1]);

	if (!nic_parses(nic, class->encap) || r->n_items > class->n_items ||
	    memcmp(rule->of->item_ids, class->item_ids, r->n_items) != 0)
		return RULE_NEVER;
	if (r->pdu_type >= 0 && r->pdu_type != (class->encap == ENCAP_GTPU_UP))
		return RULE_NEVER;
	// The headers after the pattern's last one may turn it into another packet.
	if (class->items[r->n_items - 1] < class->first_inner)
		return RULE_MAYBE;
	if (class->l4 == L4_FRAGMENT)
		return RULE_MAYBE;
	return l4 && class->encap != ENCAP_NONE && !class->complete ? RULE_MAYBE : RULE_ALWAYS;
}

// Packets of the same tunnel and outer IP version; of IP in IP, also of the same inner version.
static enum rule_match level2_matches(const struct ddp_nic *nic, const struct rule *rule,
				      const struct packet_class *class) {
	const uint32_t both = 1U << class->encap | 1U << rule->of->encap;

	if (class->outer != rule->of->outer ||
	    (class->encap == ENCAP_IPIP && class->inner != rule->of->inner))
		return RULE_NEVER;
	for (const struct nic_level2 *p = nic->level2; p != NULL && p->encaps != 0; p++)
		if ((both & ~p->encaps) == 0)
			return RULE_ALWAYS;
	return RULE_NEVER;
}

enum rule_match rule_matches(const struct ddp_nic *nic, const struct rule *rule,
			     const struct packet_class *class) {
	assert(rule->rule.n_items <= DDP_OFFLOAD_ITEMS);
	if (rule->rule.level == 2)
		return level2_matches(nic, rule, class);
	if (rule->rule.n_items > 0)
		return items_match(nic, rule, class);
	return rule->of->ptype == class->ptype ? RULE_ALWAYS : RULE_NEVER;
}

static int header_like(const struct packet_class *class, const struct packet_class *of,
		       unsigned int header) {
	unsigned int n_behind = 0;

	for (unsigned int i = header + 1; i < of->n_headers; i++)
		n_behind += of->headers[i].id == of->headers[header].id;
	for (int i = (int)class->n_headers - 1; i >= 0; i--)
		if (class->headers[i].id == of->headers[header].id && n_behind-- == 0)
			return i;
	return -1;
}

static bool raw_hashes(const struct rule *rule, const struct packet_class *class,
		       struct hashed *hashed) {
	const struct packet_class *of = rule->of;

	hashed->n = 0;
	for (unsigned int i = 0; i < rule->hashed->n; i++) {
		const unsigned int bit = rule->hashed->bits[i];
		const unsigned int h = packet_class_header_at(of, bit);
		const int like = header_like(class, of, h);

		if (like < 0)
			return false;
		hashed_add(hashed, bit + 8 * (class->headers[like].off - of->headers[h].off), 1);
	}
	return true;
}

bool rule_hashes(const struct ddp_nic *nic, const struct rule *rule,
		 const struct packet_class *class, struct hashed *hashed) {
	const bool v6 = class->inner == 6;
	const int ip = packet_class_header(class, v6 ? HEADER_IPV6 : HEADER_IPV4);

	if (rule->rule.level == 2) {
		hashed->n = 0;
		addresses_add(hashed, &class->headers[ip], v6, v6 ? HF(IPV6) : HF(IPV4));
		if (class->l4 == L4_UDP || class->l4 == L4_TCP)
			field_add(hashed, &class->headers[class->n_headers - 1], 0, 32);
		return true;
	}
	if (rule->rule.n_items == 0)
		return raw_hashes(rule, class, hashed);
	types_hash(nic, class, rule->rule.n_items, rule->rule.types, hashed);
	return true;
}

static int header_first(const struct packet_class *class, enum class_header_id id) {
	for (unsigned int i = 0; i < class->n_headers; i++)
		if (class->headers[i].id == id)
			return i;
	return -1;
}

static int ports_header(const struct ddp_nic *nic, const struct packet_class *class) {
	bool known = class->encap == ENCAP_NONE || class->encap == ENCAP_PPPOE ||
		     (nic->inner_ports & nic->encaps & 1U << class->encap) != 0;

	if (!known)
		return header_first(class, HEADER_UDP) < class->first_inner ?
			       header_first(class, HEADER_UDP) :
			       -1;
	if (!class_has_ports(class) || (class->l4 == L4_SCTP && (nic->l4s & L4(SCTP)) == 0))
		return -1;
	return class->n_headers - 1;
}

bool plain_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		  struct hashed *hashed) {
	bool v6 = (class->encap == ENCAP_PPPOE ? class->inner : class->outer) == 6;
	int ip = header_first(class, v6 ? HEADER_IPV6 : HEADER_IPV4),
	    ports = ports_header(nic, class);

	assert(ip >= 0);
	hashed->n = 0;
	if (nic->rss_hf == 0 && nic->l4s == 0)
		return false; // it hashes nothing
	if (class->encap == ENCAP_PPPOE && (nic->encaps & ENCAP(PPPOE)) == 0)
		return false; // it sees no IP header
	addresses_add(hashed, &class->headers[ip], v6, v6 ? HF(IPV6) : HF(IPV4));
	if (ports >= 0)
		field_add(hashed, &class->headers[ports], 0, 32);
	return true;
}

bool rss_hf_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		   struct hashed *hashed) {
	static const uint64_t types[N_L4S][2] = {
		[L4_FRAGMENT] = {HF(IPV4_FRAG), HF(IPV6_FRAG)},
		[L4_OTHER] = {HF(IPV4_OTHER), HF(IPV6_OTHER)},
		[L4_UDP] = {HF(IPV4_UDP), HF(IPV6_UDP)},
		[L4_TCP] = {HF(IPV4_TCP), HF(IPV6_TCP)},
		[L4_SCTP] = {HF(IPV4_SCTP), HF(IPV6_SCTP)},
		[L4_ICMP] = {HF(IPV4_OTHER), HF(IPV6_OTHER)},
	};

	return class->encap == ENCAP_NONE &&
	       (types[class->l4][class->inner == 6] & ~nic->rss_hf) == 0 &&
	       plain_hashes(nic, class, hashed);
}
