/* SPDX-License-Identifier: BSD-3-Clause */
// The plan. It gets rules for one packet class after the other. Then all classes are evaluated
// against all rules, and rules and packet types with wrong hashes are removed until none is left.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "draft.h"

static unsigned int key_size(const struct draft *d) {
	return d->request->key_size != 0 ? d->request->key_size : d->nic->key_size;
}

// Is the hash exact, and the NIC's key long enough? Toeplitz needs 32 bits of key for each bit.
static bool is_offloadable(const struct draft *d, const struct expected_hash *expected) {
	return expected->exact && expected->hashed.n > 0 &&
	       expected->hashed.n / 8 + 4 <= key_size(d);
}

// The newest matching rule decides. A package's pctype is always hashed, by words known if set.
void draft_hash(const struct draft *d, const struct packet_class *class, struct nic_hash *hash) {
	*hash = (struct nic_hash){.rule = -1};
	if (d->by_package && class->pctype >= 0) {
		hash->match = RULE_ALWAYS;
		for (unsigned int i = 0; i < d->plan->n_insets; i++)
			if (d->plan->insets[i].pctype == class->pctype)
				hash->known = i40e_inset_hashes(&d->plan->insets[i], class,
								&hash->hashed);
		return;
	}
	for (unsigned int i = d->n_rules; hash->match == RULE_NEVER && i-- > 0;) {
		const struct rule *rule = &d->rules[i];

		hash->match = rule_matches(d->nic, rule, class);
		if (hash->match == RULE_NEVER)
			continue;
		hash->rule = i;
		hash->known = rule_hashes(d->nic, rule, class, &hash->hashed);
	}
}

static void item_evaluate(const struct draft *d, struct item *item) {
	struct nic_hash hash;
	bool known;

	draft_hash(d, item->class, &hash);
	item->rule = hash.rule;
	known = hash.match == RULE_ALWAYS && hash.known;
	if (hash.match == RULE_NEVER && d->by_rss_hf)
		known = rss_hf_hashes(d->nic, item->class, &hash.hashed);
	if (hash.match == RULE_NEVER && !d->by_rss_hf)
		item->outcome = OUTCOME_UNHASHED;
	else
		item->outcome = known && is_offloadable(d, &item->expected) &&
						hashed_same(&hash.hashed, &item->expected.hashed) ?
					OUTCOME_RIGHT :
					OUTCOME_WRONG;
}

static unsigned int group_end(const struct draft *d, unsigned int first) {
	unsigned int end = first;

	while (end < d->n_items && d->items[end].class->ptype == d->items[first].class->ptype)
		end++;
	return end;
}

// Does another item of this NIC packet type prevent the offload, by hash or packet type?
static bool is_blocker(const struct item *other, const struct item *item) {
	const struct expected_hash *a = &other->expected, *b = &item->expected;

	if (other->outcome != OUTCOME_RIGHT)
		return other->outcome == OUTCOME_WRONG;
	return a->type != b->type || a->rte_ptype != b->rte_ptype || a->mixed_types ||
	       b->mixed_types;
}

static void group_evaluate(struct draft *d, unsigned int first, unsigned int end) {
	for (unsigned int i = first; i < end; i++) {
		struct item *item = &d->items[i];
		unsigned int at = first;

		item->offloaded = false;
		if (item->outcome != OUTCOME_RIGHT)
			continue;
		while (at < end && !is_blocker(&d->items[at], item))
			at++;
		item->offloaded = at == end;
		if (item->blocker != NULL || at == end)
			continue;
		item->blocker = &d->items[at];
		item->blocked_by_type = item->blocker->outcome == OUTCOME_RIGHT;
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
	return class_is_usual(item->class) && item->expected.complete;
}

// The number of offloaded items; those of TCP and UDP, as most packets, count of_ports times.
static unsigned int score(const struct draft *d, unsigned int of_ports) {
	unsigned int sum = 0;

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];
		const enum l4 l4 = item->class->l4;

		if (item->offloaded && item_counts(item))
			sum += l4 == L4_TCP || l4 == L4_UDP ? of_ports : 1;
	}
	return sum;
}

static bool rules_prune(struct draft *d) {
	bool *used = ddp_arena_alloc(d->arena, d->n_rules + 1);
	bool any = false;

	for (unsigned int i = 0; i < d->n_items; i++)
		if (d->items[i].rule >= 0 && d->items[i].offloaded)
			used[d->items[i].rule] = true;
	for (unsigned int i = d->n_rules; i-- > 0;)
		if (!used[i]) {
			draft_rule_remove(d, i);
			any = true;
		}
	return any;
}

// A wide rule also matches packets that rss_hf hashed correctly; these then need their own.
static void rules_find(struct draft *d) {
	unsigned int n_before;

	do {
		n_before = d->n_rules;
		for (unsigned int i = 0; i < d->n_items; i++) {
			struct item *item = &d->items[i];

			if (!item_counts(item) || !is_offloadable(d, &item->expected))
				continue;
			item_evaluate(d, item);
			if (item->outcome != OUTCOME_RIGHT)
				rule_find(d, item->class, &item->expected.hashed, false);
		}
	} while (d->n_rules > n_before);
}

// Keep an input set if it offloads more than the present one of its pctype, or than none.
static void inset_try(struct draft *d, const struct ddp_offload_inset *inset, unsigned int *best) {
	unsigned int at = 0, n_before = d->plan->n_insets, now;
	struct ddp_offload_inset before;

	while (at < d->plan->n_insets && d->plan->insets[at].pctype != inset->pctype)
		at++;
	assert(at < DDP_OFFLOAD_INSETS);
	before = d->plan->insets[at];
	d->plan->insets[at] = *inset;
	if (at == d->plan->n_insets)
		d->plan->n_insets++;
	evaluate(d);
	now = score(d, 10);
	if (now > *best) {
		*best = now;
		return;
	}
	d->plan->insets[at] = before;
	d->plan->n_insets = n_before;
}

static void insets_find(struct draft *d) {
	struct ddp_offload_inset inset;
	unsigned int best;

	evaluate(d);
	best = score(d, 10);
	for (unsigned int i = 0; i < d->n_items; i++)
		if (d->items[i].class->pctype >= 0 && item_counts(&d->items[i]) &&
		    is_offloadable(d, &d->items[i].expected) &&
		    i40e_inset_find(d->items[i].class, &d->items[i].expected.hashed, &inset))
			inset_try(d, &inset, &best);
}

static unsigned int draft_make(struct draft *d, bool by_rss_hf) {
	d->by_rss_hf = by_rss_hf;
	d->n_rules = 0;
	d->plan->n_insets = 0;
	rules_find(d);
	draft_rules_join(d);
	if (d->request->package != NULL)
		insets_find(d);
	for (unsigned int i = 0; i < d->n_items; i++)
		d->items[i].blocker = NULL;
	do
		evaluate(d);
	while (rules_prune(d));
	return score(d, 1);
}

static void draft_choose(struct draft *d) {
	unsigned int with = d->nic->rss_hf != 0 ? draft_make(d, true) : 0;
	bool needed = d->request->spreads && d->nic->rss_hf != 0;
	unsigned int without = needed ? 0 : draft_make(d, false);

	if (needed || (with > 0 && with >= without))
		draft_make(d, true);
}

/* Reasons */

static bool names_have(const struct draft *d, const char *name) {
	for (unsigned int id = 0; id < N_CLASS_HEADERS; id++)
		if ((d->headers >> id & 1) != 0 && strcmp(class_header_names[id], name) == 0)
			return true;
	return false;
}

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

static void unserved_reason(const struct draft *d, const struct item *item, char *text,
			    size_t size) {
	const struct hashed *hashed = &item->expected.hashed;
	struct ddp_offload_inset inset;
	char class[128];

	packet_class_print(item->class, class, sizeof(class));
	if (!item->expected.exact)
		snprintf(text, size, "%s", item->expected.reason);
	else if (item->class->pctype >= 0 && !i40e_inset_find(item->class, hashed, &inset))
		snprintf(
			text, size,
			"the field vector of pctype %d does not have exactly these fields in their "
			"order",
			item->class->pctype);
	else if (item->class->pctype >= 0)
		snprintf(
			text, size,
			"all packets of pctype %d share one input set, which hashes others of them",
			item->class->pctype);
	else if (hashed->n / 8 + 4 > key_size(d))
		snprintf(text, size,
			 "the NIC's RSS key of %u bytes is too short for %u bytes of input",
			 key_size(d), hashed->n / 8);
	else if (rule_spreads(d->nic, item->class, hashed))
		snprintf(text, size,
			 "the NIC would hash the same fields of '%s' and the IP protocol, which "
			 "gives another value",
			 class);
	else
		snprintf(text, size, "no rule of the driver hashes exactly these fields of '%s'",
			 class);
}

static void item_reason(const struct draft *d, const struct item *item, char *text, size_t size) {
	const struct item *other = item->blocker;
	const char *reason = "another packet type of the profile";
	char class[128];

	if (other == NULL) {
		unserved_reason(d, item, text, size);
		return;
	}
	packet_class_print(other->class, class, sizeof(class));
	if (!other->expected.exact)
		reason = other->expected.reason;
	else if (!item->blocked_by_type)
		reason = "the profile has another hash";
	snprintf(text, size, "the NIC's packet type is also that of '%s': %s", class, reason);
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
	const struct item *first = NULL; // item that is not offloaded
	unsigned int n = 0, n_offloaded = 0;

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];

		if (!item_counts(item) || item->expected.type != type)
			continue;
		n++;
		n_offloaded += item->offloaded;
		if (!item->offloaded && first == NULL)
			first = item;
	}
	if (!ddp_program_type(d->program, type)->hashed) {
		out->class = DDP_OFFLOAD_NONE;
		snprintf(out->reason, sizeof(out->reason), "the profile has no input set for it");
	} else if (n == 0) {
		out->class = DDP_OFFLOAD_SOFTWARE;
		out->note = unknown_reason(d, type, out->reason, sizeof(out->reason));
	} else if (first == NULL) {
		out->class = DDP_OFFLOAD_HARDWARE;
		snprintf(out->reason, sizeof(out->reason), "the NIC's hash is the profile's");
	} else {
		out->class = n_offloaded > 0 ? DDP_OFFLOAD_PARTLY : DDP_OFFLOAD_SOFTWARE;
		item_reason(d, first, out->reason, sizeof(out->reason));
	}
}

/* The result */

// Drivers report IPv4 with or without information on options.
static void ptype_add(const struct draft *d, const struct item *item) {
	static const uint32_t l3s[] = {0x10, 0x30}; // RTE_PTYPE_L3_IPV4, _EXT
	struct ddp_plan *plan = d->plan;
	struct ddp_offload_ptype ptype = {
		.rte_ptype = item->class->ptype,
		.found = item->expected.rte_ptype,
		.type = item->expected.type,
	};

	*DDP_APPEND(plan->arena, plan->ptypes, plan->n_ptypes) = ptype;
	for (unsigned int i = 0; d->nic->any_ipv4 && i < 2; i++) {
		ptype.rte_ptype = (item->class->ptype & ~0xf0u) | l3s[i];
		*DDP_APPEND(plan->arena, plan->ptypes, plan->n_ptypes) = ptype;
	}
}

static int ptype_compare(const void *a, const void *b) {
	const struct ddp_offload_ptype *x = a, *y = b;

	return x->rte_ptype < y->rte_ptype ? -1 : x->rte_ptype > y->rte_ptype;
}

static void ptypes_fill(const struct draft *d) {
	unsigned int end;

	for (unsigned int i = 0; i < d->n_items; i = end) {
		unsigned int first = i;

		end = group_end(d, i);
		while (first < end && !d->items[first].offloaded)
			first++;
		if (first < end)
			ptype_add(d, &d->items[first]);
	}
	if (d->plan->n_ptypes > 0)
		qsort(d->plan->ptypes, d->plan->n_ptypes, sizeof(*d->plan->ptypes), ptype_compare);
}

static void plan_fill(struct draft *d) {
	struct ddp_plan *plan = d->plan;

	plan->rules = draft_rules_copy(d);
	plan->n_rules = d->n_rules;
	plan->n_types = d->profile->n_types;
	plan->types = ddp_arena_alloc(plan->arena, (plan->n_types + 1) * sizeof(*plan->types));
	for (unsigned int i = 0; i < plan->n_types; i++)
		type_evaluate(d, i, &plan->types[i]);
	ptypes_fill(d);
	// Declare tunnels even if their contents are not offloaded: else they are plain UDP.
	if (!nic_parses(d->nic, ENCAP_VXLAN) || plan->n_ptypes == 0)
		plan->n_tunnels = 0;
	plan->package = plan->n_insets > 0 ? d->request->package : NULL;
	plan->rss_hf = d->by_rss_hf ? d->nic->rss_hf : 0;
}

// Sort items by the NIC's packet type, followed by those that it does not distinguish.
static int item_compare(const void *a, const void *b) {
	const struct packet_class *x = ((const struct item *)a)->class;
	const struct packet_class *y = ((const struct item *)b)->class;

	if (x->parsed != y->parsed)
		return x->parsed ? -1 : 1;
	if (x->parsed && x->ptype != y->ptype)
		return x->ptype < y->ptype ? -1 : 1;
	return x < y ? -1 : x > y;
}

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
				    d->plan->n_tunnels < DDP_OFFLOAD_TUNNELS && port > 0 &&
				    port <= UINT16_MAX)
					d->plan->vxlan_ports[d->plan->n_tunnels++] = port;
			}
	}
}

static void items_make(struct draft *d) {
	if (d->profile->modelled)
		return;
	tunnels_find(d);
	packet_classes_make(d);
	d->items = ddp_arena_alloc(d->arena, (d->n_classes + 1) * sizeof(*d->items));
	for (unsigned int i = 0; i < d->n_classes; i++) {
		struct item *item = &d->items[i];

		item->class = &d->classes[i];
		d->n_items += item->class->parsed;
		expected_hash_make(d, item->class, &item->expected);
	}
	qsort(d->items, d->n_classes, sizeof(*d->items), item_compare);
}

static void plan_make(void *arg) {
	struct draft *d = arg;
	const struct ddp_nic *nic = d->nic;

	d->plan = ddp_arena_alloc(d->plan_arena, sizeof(*d->plan));
	d->plan->arena = d->plan_arena;
	d->plan->nic = nic;
	if (d->by_package) {
		d->package_nic = *nic;
		d->package_nic.encaps |= ENCAPS_GTPU;
		d->package_nic.note = NULL;
		d->nic = &d->package_nic;
	}
	items_make(d);
	draft_choose(d);
	plan_fill(d);
	if (d->plan->package == NULL) // without effect, so the NIC does not get it
		d->nic = nic;
	if (d->request->spread && !d->profile->modelled)
		spread_make(d);
}

struct ddp_plan *ddp_plan_build(const struct ddp_nic *nic, const struct ddp_profile *profile,
				const struct ddp_program *program,
				const struct ddp_plan_request *request) {
	static const struct ddp_plan_request anything = {.rss_hf = DDP_RSS_HF_ALL};
	struct draft d = {
		.arena = ddp_arena_create(),
		.plan_arena = ddp_arena_create(),
		.nic = nic,
		.profile = profile,
		.program = program,
		.request = request != NULL ? request : &anything,
		.by_package = request != NULL && request->package != NULL,
	};
	int ret;

	assert(nic != NULL && profile != NULL && program != NULL);
	ret = ddp_arena_run(plan_make, &d);
	ddp_arena_destroy(d.arena);
	if (ret == 0)
		return d.plan;
	ddp_arena_destroy(d.plan_arena);
	errno = ENOMEM;
	return NULL;
}

void ddp_plan_destroy(struct ddp_plan *plan) {
	if (plan != NULL)
		ddp_arena_destroy(plan->arena);
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
