/* SPDX-License-Identifier: BSD-3-Clause */
// The plan. Rules are searched for one packet class at a time. Then all classes are evaluated
// against all rules, and rules and packet types with wrong hashes are dropped until none is left.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "i40e_capabilities.h"

/* Rules */

bool draft_rule_add(struct draft *d, const struct rule *rule) {
	return rule_list_has(&d->list, rule) ||
	       ((d->ask->accepts == NULL || d->ask->accepts(d->ask->ctx, &rule->rule)) &&
		rule_list_insert(&d->list, rule));
}

static unsigned int key_size(const struct draft *d) {
	return d->ask->key_size != 0 ? d->ask->key_size : d->nic->key_size;
}

// Is the hash exact, and the NIC's key long enough? Toeplitz needs 32 bits of key for each bit.
static bool is_offloadable(const struct draft *d, const struct expected_hash *expected) {
	return expected->exact && expected->hashed.n > 0 &&
	       expected->hashed.n / 8 + 4 <= key_size(d);
}

/* Judging */

static bool hash_is_expected(const struct draft *d, const struct item *item,
			     const struct hashed *hashed) {
	return is_offloadable(d, &item->expected) && hashed_same(hashed, &item->expected.hashed);
}

static enum outcome rss_hf_evaluate(const struct draft *d, const struct item *item) {
	struct hashed hashed;

	if (!d->by_rss_hf)
		return OUTCOME_UNHASHED;
	if (!rss_hf_hashes(d->nic, item->class, &hashed))
		return OUTCOME_WRONG;
	return hash_is_expected(d, item, &hashed) ? OUTCOME_RIGHT : OUTCOME_WRONG;
}

// A package's pctype is always hashed; the words are known only if they were set.
static void inset_hash(const struct draft *d, const struct packet_class *class,
		       struct nic_hash *hash) {
	hash->match = RULE_ALWAYS;
	for (unsigned int i = 0; i < d->n_insets; i++)
		if (d->insets[i].pctype == class->pctype)
			hash->known = i40e_inset_hashes(&d->insets[i], class, &hash->hashed);
}

// The newest rule that matches decides.
void draft_hash(const struct draft *d, const struct packet_class *class, struct nic_hash *hash) {
	hash->match = RULE_NEVER;
	hash->rule = -1;
	hash->known = false;
	if (d->by_package && class->pctype >= 0) {
		inset_hash(d, class, hash);
		return;
	}
	for (unsigned int i = d->list.n; hash->match == RULE_NEVER && i-- > 0;) {
		const struct rule *rule = &d->list.rules[i];

		hash->match = rule_matches(d->nic, rule, class);
		if (hash->match == RULE_NEVER)
			continue;
		hash->rule = i;
		hash->known = rule_hashes(d->nic, rule, class, &hash->hashed);
	}
}

static void item_evaluate(const struct draft *d, struct item *item) {
	struct nic_hash hash;

	draft_hash(d, item->class, &hash);
	item->rule = hash.rule;
	if (hash.match == RULE_NEVER)
		item->outcome = rss_hf_evaluate(d, item);
	else
		item->outcome = hash.match == RULE_ALWAYS && hash.known &&
						hash_is_expected(d, item, &hash.hashed) ?
					OUTCOME_RIGHT :
					OUTCOME_WRONG;
}

static unsigned int group_end(const struct draft *d, unsigned int first) {
	unsigned int end = first;

	while (end < d->n_items && d->items[end].class->ptype == d->items[first].class->ptype)
		end++;
	return end;
}

static bool is_same_type(const struct item *a, const struct item *b) {
	return a->expected.type == b->expected.type &&
	       a->expected.rte_ptype == b->expected.rte_ptype && !a->expected.mixed_types &&
	       !b->expected.mixed_types;
}

// Among the items from first to end, which the NIC reports like item: one with a wrong hash, or of
// another packet type of the profile. NULL: none.
static const struct item *blocker_find(const struct draft *d, unsigned int first, unsigned int end,
				       const struct item *item) {
	for (unsigned int i = first; i < end; i++)
		if (d->items[i].outcome == OUTCOME_WRONG ||
		    (d->items[i].outcome == OUTCOME_RIGHT && !is_same_type(&d->items[i], item)))
			return &d->items[i];
	return NULL;
}

static void group_evaluate(struct draft *d, unsigned int first, unsigned int end) {
	for (unsigned int i = first; i < end; i++) {
		struct item *item = &d->items[i];
		const struct item *blocker;

		item->offloaded = false;
		if (item->outcome != OUTCOME_RIGHT)
			continue;
		blocker = blocker_find(d, first, end, item);
		item->offloaded = blocker == NULL;
		if (item->blocker != NULL || blocker == NULL)
			continue;
		item->blocker = blocker;
		item->blocked_by_type = blocker->outcome == OUTCOME_RIGHT;
	}
}

static void evaluate(struct draft *d) {
	unsigned int end;

	for (unsigned int i = 0; i < d->n_items; i++)
		item_evaluate(d, &d->items[i]);
	for (unsigned int i = 0; i < d->n_items; i = end) {
		end = group_end(d, i);
		group_evaluate(d, i, end);
	}
}

// Rules are created for packets in their usual form that the profile parses completely.
static bool item_counts(const struct item *item) {
	return item->class->usual && item->expected.complete;
}

static bool item_is_offloaded(const struct item *item) {
	return item->offloaded && item->outcome == OUTCOME_RIGHT;
}

static unsigned int score(const struct draft *d) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < d->n_items; i++)
		n += item_is_offloaded(&d->items[i]) && item_counts(&d->items[i]);
	return n;
}

// Remove rules that decide for no offloaded packet. Returns whether there were any.
static bool rules_prune(struct draft *d) {
	bool *used = calloc(d->list.n + 1, sizeof(*used));
	bool any = false;

	if (used == NULL) {
		d->list.failed = true;
		return false;
	}
	for (unsigned int i = 0; i < d->n_items; i++)
		if (d->items[i].rule >= 0 && item_is_offloaded(&d->items[i]))
			used[d->items[i].rule] = true;
	for (unsigned int i = d->list.n; i-- > 0;)
		if (!used[i]) {
			rule_list_remove(&d->list, i);
			any = true;
		}
	free(used);
	return any;
}

static void rules_find_once(struct draft *d) {
	for (unsigned int i = 0; i < d->n_items && !d->list.failed; i++) {
		struct item *item = &d->items[i];

		if (!item_counts(item) || !is_offloadable(d, &item->expected))
			continue;
		item_evaluate(d, item);
		if (item->outcome != OUTCOME_RIGHT)
			rule_find(d, item->class, &item->expected.hashed, false);
	}
}

// A wide rule also matches packets that rss_hf hashed correctly before; these then need their own
// rule.
static void rules_find(struct draft *d) {
	unsigned int n_before;

	do {
		n_before = d->list.n;
		rules_find_once(d);
	} while (d->list.n > n_before && !d->list.failed);
}

static bool inset_same(const struct ddp_offload_inset *a, const struct ddp_offload_inset *b) {
	return a->pctype == b->pctype && a->n == b->n && memcmp(a->words, b->words, a->n) == 0;
}

// The input set that hashes an item as expected. false: there is none.
static bool inset_ask(const struct draft *d, const struct item *item,
		      struct ddp_offload_inset *inset) {
	return item->class->pctype >= 0 && item_counts(item) &&
	       is_offloadable(d, &item->expected) &&
	       i40e_inset_find(item->class, &item->expected.hashed, inset);
}

// Does an item before the nth need the same input set?
static bool inset_was_tried(const struct draft *d, unsigned int n,
			    const struct ddp_offload_inset *inset) {
	struct ddp_offload_inset other;

	for (unsigned int i = 0; i < n; i++)
		if (inset_ask(d, &d->items[i], &other) && inset_same(&other, inset))
			return true;
	return false;
}

// Most packets are TCP or UDP, so these count more.
static unsigned int weighted_score(const struct draft *d) {
	unsigned int sum = 0;

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];

		if (item_is_offloaded(item) && item_counts(item))
			sum += item->class->l4 == L4_TCP || item->class->l4 == L4_UDP ? 10 : 1;
	}
	return sum;
}

// Keep an input set if more is offloaded with it than with the present one, or none, of its pctype.
static void inset_try(struct draft *d, const struct ddp_offload_inset *inset, unsigned int *best) {
	unsigned int at = 0, n_before = d->n_insets, now;
	struct ddp_offload_inset before;

	while (at < d->n_insets && d->insets[at].pctype != inset->pctype)
		at++;
	if (at == DDP_OFFLOAD_INSETS)
		return;
	before = d->insets[at];
	d->insets[at] = *inset;
	if (at == d->n_insets)
		d->n_insets++;
	evaluate(d);
	now = weighted_score(d);
	if (now > *best) {
		*best = now;
		return;
	}
	d->insets[at] = before;
	d->n_insets = n_before;
}

static void insets_find(struct draft *d) {
	struct ddp_offload_inset inset;
	unsigned int best;

	evaluate(d);
	best = weighted_score(d);
	for (unsigned int i = 0; i < d->n_items; i++)
		if (inset_ask(d, &d->items[i], &inset) && !inset_was_tried(d, i, &inset))
			inset_try(d, &inset, &best);
	for (unsigned int i = 0; i < d->n_items; i++)
		d->items[i].blocker = NULL;
}

// Make the draft with or without rss_hf. Returns its score.
static unsigned int draft_make(struct draft *d, bool by_rss_hf) {
	d->by_rss_hf = by_rss_hf;
	d->list.n = 0;
	d->n_insets = 0;
	for (unsigned int i = 0; i < d->n_items; i++)
		d->items[i].blocker = NULL;
	rules_find(d);
	rule_list_join(&d->list);
	if (d->ask->package != NULL)
		insets_find(d);
	do
		evaluate(d);
	while (!d->list.failed && rules_prune(d));
	return score(d);
}

static void draft_choose(struct draft *d) {
	unsigned int with = d->nic->rss_hf != 0 ? draft_make(d, true) : 0;
	bool needed = d->ask->spreads && d->nic->rss_hf != 0;
	unsigned int without = needed ? 0 : draft_make(d, false);

	if (needed || (with > 0 && with >= without))
		draft_make(d, true);
}

/* Why */

static bool names_have(const struct draft *d, const char *name) {
	for (unsigned int id = 0; id < N_CLASS_HEADERS; id++)
		if ((d->classes.headers >> id & 1) != 0 &&
		    strcmp(class_header_names[id], name) == 0)
			return true;
	return false;
}

// The first header of a path that the NIC does not distinguish; NULL: none.
static const char *path_unknown(const struct draft *d, const struct ddp_path *path) {
	const char *name;

	switch (path->kind) {
	case DDP_PATH_HEADER:
		name = d->profile->headers[path->node].name;
		return d->profile->headers[path->node].hidden || names_have(d, name) ? NULL : name;
	case DDP_PATH_SEQUENCE:
		name = path_unknown(d, path->left);
		return name != NULL ? name : path_unknown(d, path->right);
	case DDP_PATH_EITHER:
		return path_unknown(d, path->left) == NULL ? NULL : path_unknown(d, path->right);
	case DDP_PATH_SOME:
		return path_unknown(d, path->left);
	default: // optional headers
		return NULL;
	}
}

static void pctype_reason(const struct item *item, char *text, size_t size) {
	struct ddp_offload_inset inset;
	int pctype = item->class->pctype;

	if (!i40e_inset_find(item->class, &item->expected.hashed, &inset))
		snprintf(
			text, size,
			"the field vector of pctype %d does not have exactly these fields in their "
			"order",
			pctype);
	else
		snprintf(
			text, size,
			"all packets of pctype %d share one input set, which hashes others of them",
			pctype);
}

static void unserved_reason(const struct draft *d, const struct item *item, char *text,
			    size_t size) {
	char class[128];

	packet_class_print(item->class, class, sizeof(class));
	if (!item->expected.exact)
		snprintf(text, size, "%s", item->expected.reason);
	else if (item->class->pctype >= 0)
		pctype_reason(item, text, size);
	else if (item->expected.hashed.n / 8 + 4 > key_size(d))
		snprintf(text, size,
			 "the NIC's RSS key of %u bytes is too short for %u bytes of input",
			 key_size(d), item->expected.hashed.n / 8);
	else if (rule_spreads(d->nic, item->class, &item->expected.hashed))
		snprintf(text, size,
			 "the NIC would hash the same fields of '%s' and the IP protocol, which "
			 "gives another value",
			 class);
	else
		snprintf(text, size, "no rule of the driver hashes exactly these fields of '%s'",
			 class);
}

// Explain why a packet class is not offloaded.
static void item_reason(const struct draft *d, const struct item *item, char *text, size_t size) {
	const struct item *other = item->blocker;
	char class[128], reason[200];

	if (other == NULL) {
		unserved_reason(d, item, text, size);
		return;
	}
	packet_class_print(other->class, class, sizeof(class));
	if (!other->expected.exact)
		snprintf(reason, sizeof(reason), "%s", other->expected.reason);
	else if (!item->blocked_by_type)
		snprintf(reason, sizeof(reason), "the profile has another hash");
	else
		snprintf(reason, sizeof(reason), "another packet type of the profile");
	snprintf(text, size, "the NIC's packet type is also that of '%s': %s", class, reason);
}

struct tally {
	unsigned int n, n_offloaded;
	const struct item *first; // that is not offloaded
};

static struct tally tally(const struct draft *d, unsigned int type) {
	struct tally t = {0};

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];

		if (!item_counts(item) || item->expected.type != type)
			continue;
		t.n++;
		t.n_offloaded += item_is_offloaded(item);
		if (!item_is_offloaded(item) && t.first == NULL)
			t.first = item;
	}
	return t;
}

// Returns the note at the end; NULL: none.
static const char *unknown_reason(const struct draft *d, unsigned int type, char *text,
				  size_t size) {
	const char *header;

	if (d->profile->modelled) {
		snprintf(text, size,
			 "the package is emulated in software: its NIC needs no profile");
		return NULL;
	}
	if (d->n_items == 0) {
		snprintf(text, size, "the lower device hashes nothing reliably");
		return NULL;
	}
	header = path_unknown(d, d->profile->types[type].path);
	if (header == NULL)
		snprintf(text, size, "no packet type of the driver is for these packets only");
	else
		snprintf(text, size, "no packet type of the driver is for packets with '%s'%s%s",
			 header, d->nic->note != NULL ? ": " : "",
			 d->nic->note != NULL ? d->nic->note : "");
	return header != NULL ? d->nic->note : NULL;
}

static void type_evaluate(const struct draft *d, unsigned int type, struct ddp_offload_type *out) {
	struct tally t = tally(d, type);

	if (!ddp_program_type(d->program, type)->hashed) {
		out->class = DDP_OFFLOAD_NONE;
		snprintf(out->reason, sizeof(out->reason), "the profile has no input set for it");
	} else if (t.n == 0) {
		out->class = DDP_OFFLOAD_SOFTWARE;
		out->note = unknown_reason(d, type, out->reason, sizeof(out->reason));
	} else if (t.first == NULL) {
		out->class = DDP_OFFLOAD_HARDWARE;
		snprintf(out->reason, sizeof(out->reason), "the NIC's hash is the profile's");
	} else {
		out->class = t.n_offloaded > 0 ? DDP_OFFLOAD_PARTLY : DDP_OFFLOAD_SOFTWARE;
		item_reason(d, t.first, out->reason, sizeof(out->reason));
	}
}

/* The result */

static bool rules_fill(const struct draft *d, struct ddp_plan *plan) {
	plan->rules = rule_list_copy(&d->list);
	plan->n_rules = d->list.n;
	return plan->rules != NULL;
}

static bool types_fill(const struct draft *d, struct ddp_plan *plan) {
	plan->n_types = d->profile->n_types;
	plan->types = calloc(plan->n_types + 1, sizeof(*plan->types));
	for (unsigned int i = 0; plan->types != NULL && i < plan->n_types; i++)
		type_evaluate(d, i, &plan->types[i]);
	return plan->types != NULL;
}

// Drivers report IPv4 with or without information on options.
static void ptype_add(const struct draft *d, struct ddp_plan *plan, const struct item *item) {
	static const uint32_t l3s[] = {0x10, 0x30}; // RTE_PTYPE_L3_IPV4, _EXT
	struct ddp_offload_ptype ptype = {
		.rte_ptype = item->class->ptype,
		.found = item->expected.rte_ptype,
		.type = item->expected.type,
	};

	assert(plan->n_ptypes + 3 <= 3 * d->n_items);
	plan->ptypes[plan->n_ptypes++] = ptype;
	for (unsigned int i = 0; d->nic->any_ipv4 && i < 2; i++) {
		ptype.rte_ptype = (item->class->ptype & ~0xf0u) | l3s[i];
		plan->ptypes[plan->n_ptypes++] = ptype;
	}
}

static int ptype_compare(const void *a, const void *b) {
	const struct ddp_offload_ptype *x = a, *y = b;

	return x->rte_ptype < y->rte_ptype ? -1 : x->rte_ptype > y->rte_ptype;
}

static bool ptypes_fill(const struct draft *d, struct ddp_plan *plan) {
	unsigned int end;

	plan->ptypes = calloc(3 * d->n_items + 1, sizeof(*plan->ptypes));
	if (plan->ptypes == NULL)
		return false;
	for (unsigned int i = 0; i < d->n_items; i = end) {
		unsigned int first = i;

		end = group_end(d, i);
		while (first < end && !item_is_offloaded(&d->items[first]))
			first++;
		if (first < end)
			ptype_add(d, plan, &d->items[first]);
	}
	qsort(plan->ptypes, plan->n_ptypes, sizeof(*plan->ptypes), ptype_compare);
	return true;
}

// Declare tunnels even if their contents are not offloaded: the NIC must not treat them as plain
// UDP.
static void tunnels_fill(const struct draft *d, struct ddp_plan *plan) {
	plan->n_tunnels = nic_parses(d->nic, ENCAP_VXLAN) && plan->n_ptypes > 0 ? d->n_tunnels : 0;
	memcpy(plan->tunnels, d->tunnels, sizeof(plan->tunnels));
}

static void insets_fill(const struct draft *d, struct ddp_plan *plan) {
	plan->package = d->n_insets > 0 ? d->ask->package : NULL;
	plan->n_insets = d->n_insets;
	memcpy(plan->insets, d->insets, sizeof(plan->insets));
}

static struct ddp_plan *plan_fill(struct draft *d, const struct ddp_nic *nic) {
	struct ddp_plan *plan = d->list.failed ? NULL : calloc(1, sizeof(*plan));

	if (plan == NULL)
		return NULL;
	plan->nic = nic;
	if (rules_fill(d, plan) && types_fill(d, plan) && ptypes_fill(d, plan)) {
		tunnels_fill(d, plan);
		insets_fill(d, plan);
		plan->rss_hf = d->by_rss_hf ? d->nic->rss_hf : 0;
		if (!d->ask->spread || d->profile->modelled)
			return plan;
		if (plan->package == NULL) // it is of no use, so the NIC does not get it
			d->nic = nic;
		plan->spread = spread_make(d);
		if (plan->spread != NULL)
			return plan;
	}
	ddp_plan_destroy(plan);
	return NULL;
}

// Items that the NIC distinguishes, by what it reports; then the others.
static int item_compare(const void *a, const void *b) {
	const struct packet_class *x = ((const struct item *)a)->class;
	const struct packet_class *y = ((const struct item *)b)->class;

	if (x->parsed != y->parsed)
		return x->parsed ? -1 : 1;
	if (x->parsed && x->ptype != y->ptype)
		return x->ptype < y->ptype ? -1 : 1;
	return x < y ? -1 : x > y;
}

// The UDP ports at which the profile finds VXLAN.
static void tunnels_find(struct draft *d) {
	int udp = ddp_header_find(d->profile, "udp"), vxlan = ddp_header_find(d->profile, "vxlan");

	for (unsigned int i = 0; udp >= 0 && i < d->profile->headers[udp].n_rules; i++) {
		const struct ddp_rule *rule = &d->profile->headers[udp].rules[i];

		if (rule->kind != DDP_RULE_GOTO || rule->target != vxlan)
			continue;
		for (unsigned int m = 0; m < rule->cond.n_matches; m++)
			for (unsigned int p = 0; p < rule->cond.matches[m].n_patterns; p++) {
				uint64_t port = rule->cond.matches[m].patterns[p].value_lo;

				if (strstr(rule->cond.matches[m].ref.name, "dport") != NULL &&
				    d->n_tunnels < DDP_OFFLOAD_TUNNELS && port > 0 &&
				    port <= UINT16_MAX)
					d->tunnels[d->n_tunnels++] =
						(struct ddp_offload_tunnel){"vxlan", port};
			}
	}
}

static bool items_make(struct draft *d) {
	if (d->profile->modelled)
		return true;
	tunnels_find(d);
	if (!packet_classes_make(&d->classes, d->nic, d->by_package, d->tunnels, d->n_tunnels,
				 d->ask->spread))
		return false;
	d->items = calloc(d->classes.n + 1, sizeof(*d->items));
	if (d->items == NULL)
		return false;
	for (; d->n_all < d->classes.n; d->n_all++) {
		struct item *item = &d->items[d->n_all];

		item->class = &d->classes.classes[d->n_all];
		d->n_items += item->class->parsed;
		expected_hash_make(d->profile, d->program, &d->classes, item->class, d->ask->rss_hf,
				   &item->expected);
	}
	qsort(d->items, d->n_all, sizeof(*d->items), item_compare);
	return true;
}

struct ddp_plan *ddp_plan_build(const struct ddp_nic *nic, const struct ddp_profile *profile,
				const struct ddp_program *program, const struct ddp_plan_ask *ask) {
	static const struct ddp_plan_ask anything = {.rss_hf = DDP_RSS_HF_ALL};
	struct draft d = {
		.nic = nic,
		.profile = profile,
		.program = program,
		.ask = ask != NULL ? ask : &anything,
	};
	struct ddp_plan *plan = NULL;

	assert(nic != NULL && profile != NULL && program != NULL);
	if (d.ask->package != NULL) {
		d.package_nic = *nic;
		i40e_nic_extend(&d.package_nic);
		d.nic = &d.package_nic;
		d.by_package = true;
	}
	if (items_make(&d)) {
		draft_choose(&d);
		plan = plan_fill(&d, nic);
	}
	rule_list_fini(&d.list);
	free(d.items);
	packet_classes_free(&d.classes);
	if (plan == NULL)
		errno = ENOMEM;
	return plan;
}

void ddp_plan_destroy(struct ddp_plan *plan) {
	if (plan == NULL)
		return;
	spread_free(plan->spread);
	free(plan->rules);
	free(plan->types);
	free(plan->ptypes);
	free(plan);
}

const char *ddp_offload_class_name(enum ddp_offload_class class) {
	static const char *const names[] = {
		[DDP_OFFLOAD_HARDWARE] = "hardware",
		[DDP_OFFLOAD_PARTLY] = "partly",
		[DDP_OFFLOAD_SOFTWARE] = "software",
		[DDP_OFFLOAD_NONE] = "not at all",
	};

	assert(class < sizeof(names) / sizeof(names[0]));
	return names[class];
}
