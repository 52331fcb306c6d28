/* SPDX-License-Identifier: BSD-3-Clause */
// The plan: rules are looked for shape by shape, then all shapes are held against all rules, and what is not
// right is given up until everything left is.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "i40e_capabilities.h"
#include "nic_rule.h"
#include "offload.h"

enum outcome {
	OUTCOME_UNHASHED, // the mbuf has no RSS flag: net_ddp hashes it
	OUTCOME_RIGHT,
	OUTCOME_WRONG,
};

// A shape in a plan.
struct item {
	const struct shape *shape;
	struct promise promise;
	enum outcome outcome;
	bool passes;                // its packet type is the NIC's to hash
	int rule;                   // that decides, -1: rss_hf or none
	const struct item *blocker; // for which the NIC must not have it, of the same packet type of the NIC
	bool blocked_by_type; // which is another one of the profile
};

struct draft {
	const struct ddp_nic *nic;
	struct ddp_nic taught; // that, where it has a package
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct ddp_plan_ask *ask;
	struct ddp_offload_tunnel tunnels[DDP_OFFLOAD_TUNNELS];
	unsigned int n_tunnels;
	struct shapes shapes;
	struct item *items; // sorted by ptype
	unsigned int n_items;
	bool by_rss_hf;
	struct ddp_offload_inset insets[DDP_OFFLOAD_INSETS]; // one of a pctype at most
	unsigned int n_insets;
	struct rule *rules; // in the order in which they are to be made
	unsigned int n_rules, room;
	bool failed;
};

/* Tunnels */

static int header_index(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, name) == 0)
			return i;
	return -1;
}

static void tunnel_add(struct draft *d, const char *header, uint64_t port) {
	if (d->n_tunnels < DDP_OFFLOAD_TUNNELS && port > 0 && port <= UINT16_MAX)
		d->tunnels[d->n_tunnels++] = (struct ddp_offload_tunnel){header, port};
}

// The UDP destination ports behind which the profile finds a header.
static void tunnels_find(struct draft *d, const char *header) {
	int udp = header_index(d->profile, "udp"), target = header_index(d->profile, header);

	if (udp < 0 || target < 0)
		return;
	for (unsigned int i = 0; i < d->profile->headers[udp].n_rules; i++) {
		const struct ddp_rule *rule = &d->profile->headers[udp].rules[i];

		if (rule->kind != DDP_RULE_GOTO || rule->target != target)
			continue;
		for (unsigned int m = 0; m < rule->cond.n_matches; m++)
			for (unsigned int p = 0; p < rule->cond.matches[m].n_patterns; p++)
				if (strstr(rule->cond.matches[m].ref.name, "dport") != NULL)
					tunnel_add(d, header,
						   rule->cond.matches[m].patterns[p].value_lo);
	}
}

/* Rules */

static bool rule_same(const struct ddp_offload_rule *a, const struct ddp_offload_rule *b) {
	if (a->n_items != b->n_items || a->pdu_type != b->pdu_type || a->types != b->types ||
	    a->size != b->size)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return memcmp(a->spec, b->spec, a->size) == 0 && memcmp(a->mask, b->mask, a->size) == 0;
}

// Rules of one width stay in the order in which they were found.
static bool rule_insert(struct draft *d, const struct rule *rule) {
	unsigned int at = d->n_rules;

	if (d->n_rules == d->room) {
		unsigned int room = d->room == 0 ? 64 : 2 * d->room;
		struct rule *grown = realloc(d->rules, room * sizeof(*grown));

		if (grown == NULL) {
			d->failed = true;
			return false;
		}
		d->rules = grown;
		d->room = room;
	}
	while (at > 0 && rule_compare(&d->rules[at - 1], rule) > 0)
		at--;
	memmove(&d->rules[at + 1], &d->rules[at], (d->n_rules - at) * sizeof(*d->rules));
	d->rules[at] = *rule;
	d->n_rules++;
	return true;
}

static bool rule_add(void *arg, const struct rule *rule) {
	struct draft *d = arg;

	for (unsigned int i = 0; i < d->n_rules; i++)
		if (rule_same(&d->rules[i].rule, &rule->rule))
			return true;
	if (d->ask->accepts != NULL && !d->ask->accepts(d->ask->ctx, &rule->rule))
		return false;
	return rule_insert(d, rule);
}

static void rule_remove(struct draft *d, unsigned int at) {
	d->n_rules--;
	memmove(&d->rules[at], &d->rules[at + 1], (d->n_rules - at) * sizeof(*d->rules));
}

static unsigned int key_size(const struct draft *d) {
	return d->ask->key_size != 0 ? d->ask->key_size : d->nic->key_size;
}

// Does the NIC's key reach as far? Toeplitz takes 32 bits of it for each bit.
static bool is_promised(const struct draft *d, const struct promise *promise) {
	return promise->sound && promise->hashed.n > 0 && promise->hashed.n / 8 + 4 <= key_size(d);
}

/* Judging */

static bool hash_is_promised(const struct draft *d, const struct item *item,
			     const struct hashed *hashed) {
	return is_promised(d, &item->promise) && hashed_same(hashed, &item->promise.hashed);
}

static enum outcome rss_hf_judge(const struct draft *d, const struct item *item) {
	struct hashed hashed;

	if (!d->by_rss_hf)
		return OUTCOME_UNHASHED;
	if (!rss_hf_hashes(d->nic, item->shape, &hashed))
		return OUTCOME_WRONG;
	return hash_is_promised(d, item, &hashed) ? OUTCOME_RIGHT : OUTCOME_WRONG;
}

// A package's pctype is hashed, by words that nobody knows unless they were set.
static enum outcome inset_judge(const struct draft *d, const struct item *item) {
	struct hashed hashed;

	for (unsigned int i = 0; i < d->n_insets; i++)
		if (d->insets[i].pctype == item->shape->pctype &&
		    i40e_inset_hashes(&d->insets[i], item->shape, &hashed) &&
		    hash_is_promised(d, item, &hashed))
			return OUTCOME_RIGHT;
	return OUTCOME_WRONG;
}

// By the newest rule that matches.
static void item_judge(const struct draft *d, struct item *item) {
	struct hashed hashed;

	item->rule = -1;
	if (item->shape->pctype >= 0) {
		item->outcome = inset_judge(d, item);
		return;
	}
	for (unsigned int i = d->n_rules; i-- > 0;) {
		enum rule_match match = rule_matches(d->nic, &d->rules[i], item->shape);

		if (match == RULE_NEVER)
			continue;
		item->rule = i;
		item->outcome =
			match == RULE_ALWAYS &&
					rule_hashes(d->nic, &d->rules[i], item->shape, &hashed) &&
					hash_is_promised(d, item, &hashed) ?
				OUTCOME_RIGHT :
				OUTCOME_WRONG;
		return;
	}
	item->outcome = rss_hf_judge(d, item);
}

static unsigned int group_end(const struct draft *d, unsigned int first) {
	unsigned int end = first;

	while (end < d->n_items && d->items[end].shape->ptype == d->items[first].shape->ptype)
		end++;
	return end;
}

static bool is_same_type(const struct item *a, const struct item *b) {
	return a->promise.type == b->promise.type && a->promise.rte_ptype == b->promise.rte_ptype &&
	       !a->promise.several && !b->promise.several;
}

// Of those from first to end that the NIC reports alike with item: one that it does not hash right, or that is another
// packet type to the profile. NULL: none.
static const struct item *blocker_find(const struct draft *d, unsigned int first, unsigned int end,
				       const struct item *item) {
	for (unsigned int i = first; i < end; i++)
		if (d->items[i].outcome == OUTCOME_WRONG ||
		    (d->items[i].outcome == OUTCOME_RIGHT && !is_same_type(&d->items[i], item)))
			return &d->items[i];
	return NULL;
}

static void group_judge(struct draft *d, unsigned int first, unsigned int end) {
	for (unsigned int i = first; i < end; i++) {
		struct item *item = &d->items[i];
		const struct item *blocker;

		item->passes = false;
		if (item->outcome != OUTCOME_RIGHT)
			continue;
		blocker = blocker_find(d, first, end, item);
		item->passes = blocker == NULL;
		if (item->blocker != NULL || blocker == NULL)
			continue;
		item->blocker = blocker;
		item->blocked_by_type = blocker->outcome == OUTCOME_RIGHT;
	}
}

static void judge(struct draft *d) {
	unsigned int end;

	for (unsigned int i = 0; i < d->n_items; i++)
		item_judge(d, &d->items[i]);
	for (unsigned int i = 0; i < d->n_items; i = end) {
		end = group_end(d, i);
		group_judge(d, i, end);
	}
}

// Rules are made for packets of the usual form that the profile knows to their end.
static bool item_counts(const struct item *item) {
	return item->shape->usual && item->promise.whole;
}

static bool item_is_offloaded(const struct item *item) {
	return item->passes && item->outcome == OUTCOME_RIGHT;
}

static unsigned int score(const struct draft *d) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < d->n_items; i++)
		n += item_is_offloaded(&d->items[i]) && item_counts(&d->items[i]);
	return n;
}

// Give up rules that decide for no packet that passes. Returns whether there were any.
static bool rules_prune(struct draft *d) {
	bool *used = calloc(d->n_rules + 1, sizeof(*used));
	bool any = false;

	if (used == NULL) {
		d->failed = true;
		return false;
	}
	for (unsigned int i = 0; i < d->n_items; i++)
		if (d->items[i].rule >= 0 && item_is_offloaded(&d->items[i]))
			used[d->items[i].rule] = true;
	for (unsigned int i = d->n_rules; i-- > 0;)
		if (!used[i]) {
			rule_remove(d, i);
			any = true;
		}
	free(used);
	return any;
}

static void rules_find_once(struct draft *d) {
	for (unsigned int i = 0; i < d->n_items && !d->failed; i++) {
		struct item *item = &d->items[i];

		if (!item_counts(item) || !is_promised(d, &item->promise))
			continue;
		item_judge(d, item);
		if (item->outcome != OUTCOME_RIGHT)
			rule_find(d->nic, item->shape, &item->promise.hashed, rule_add, d);
	}
}

// A wide rule also takes packets that rss_hf hashed right before: these need one of their own then.
static void rules_find(struct draft *d) {
	unsigned int n_before;

	do {
		n_before = d->n_rules;
		rules_find_once(d);
	} while (d->n_rules > n_before && !d->failed);
}

static bool inset_same(const struct ddp_offload_inset *a, const struct ddp_offload_inset *b) {
	return a->pctype == b->pctype && a->n == b->n && memcmp(a->words, b->words, a->n) == 0;
}

// The input set that serves an item. false: there is none.
static bool inset_ask(const struct draft *d, const struct item *item,
		      struct ddp_offload_inset *inset) {
	return item->shape->pctype >= 0 && item_counts(item) && is_promised(d, &item->promise) &&
	       i40e_inset_find(item->shape, &item->promise.hashed, inset);
}

// Has an item before the nth asked for the same?
static bool inset_was_tried(const struct draft *d, unsigned int n,
			    const struct ddp_offload_inset *inset) {
	struct ddp_offload_inset other;

	for (unsigned int i = 0; i < n; i++)
		if (inset_ask(d, &d->items[i], &other) && inset_same(&other, inset))
			return true;
	return false;
}

// Of users' packets most are TCP or UDP: what serves these comes first.
static unsigned int worth(const struct draft *d) {
	unsigned int sum = 0;

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];

		if (item_is_offloaded(item) && item_counts(item))
			sum += item->shape->l4 == L4_TCP || item->shape->l4 == L4_UDP ? 10 : 1;
	}
	return sum;
}

// Is more offloaded with an input set than with the one, or none, that its pctype has now?
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
	judge(d);
	now = worth(d);
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

	judge(d);
	best = worth(d);
	for (unsigned int i = 0; i < d->n_items; i++)
		if (inset_ask(d, &d->items[i], &inset) && !inset_was_tried(d, i, &inset))
			inset_try(d, &inset, &best);
	for (unsigned int i = 0; i < d->n_items; i++)
		d->items[i].blocker = NULL;
}

// A rule for uplink and the same for downlink are one for both.
static void directions_join(struct draft *d) {
	for (unsigned int i = 0; i < d->n_rules; i++)
		for (unsigned int j = i + 1; j < d->n_rules && d->rules[i].rule.pdu_type >= 0; j++) {
			struct ddp_offload_rule both = d->rules[j].rule;

			if (both.pdu_type != !d->rules[i].rule.pdu_type)
				continue;
			both.pdu_type = d->rules[i].rule.pdu_type;
			if (!rule_same(&both, &d->rules[i].rule))
				continue;
			d->rules[i].rule.pdu_type = -1;
			rule_remove(d, j);
			break;
		}
}

// The draft with or without rss_hf. Returns how much is offloaded.
static unsigned int draft_make(struct draft *d, bool by_rss_hf) {
	d->by_rss_hf = by_rss_hf;
	d->n_rules = 0;
	d->n_insets = 0;
	for (unsigned int i = 0; i < d->n_items; i++)
		d->items[i].blocker = NULL;
	rules_find(d);
	directions_join(d);
	if (d->ask->package != NULL)
		insets_find(d);
	do
		judge(d);
	while (!d->failed && rules_prune(d));
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
	for (unsigned int i = 0; i < d->shapes.n; i++)
		if (shape_find(&d->shapes.shapes[i], name) >= 0)
			return true;
	return false;
}

// The first header of a path that the NIC does not tell from others, NULL: there is none.
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
	default: // need not be there
		return NULL;
	}
}

static void pctype_reason(const struct item *item, char *text, size_t size) {
	struct ddp_offload_inset inset;
	int pctype = item->shape->pctype;

	if (item->shape->published == NULL)
		snprintf(text, size,
			 "pctype %d of the package is for them, but which words of its field vector hold "
			 "what is not published",
			 pctype);
	else if (!i40e_inset_find(item->shape, &item->promise.hashed, &inset))
		snprintf(text, size,
			 "no words of the field vector of pctype %d are just these fields, in their "
			 "order",
			 pctype);
	else
		snprintf(text, size,
			 "all packets of pctype %d have one input set, which is that of others of them",
			 pctype);
}

static void unserved_reason(const struct draft *d, const struct item *item, char *text, size_t size) {
	char shape[128];

	shape_print(item->shape, shape, sizeof(shape));
	if (!item->promise.sound)
		snprintf(text, size, "%s", item->promise.why);
	else if (item->shape->pctype >= 0)
		pctype_reason(item, text, size);
	else if (item->promise.hashed.n / 8 + 4 > key_size(d))
		snprintf(text, size,
			 "the NIC's RSS key of %u bytes is too short for %u bytes of input",
			 key_size(d), item->promise.hashed.n / 8);
	else if (rule_spreads(d->nic, item->shape, &item->promise.hashed))
		snprintf(text, size,
			 "the NIC would spread '%s' by the same fields, but hash the IP protocol with "
			 "them: another value",
			 shape);
	else
		snprintf(text, size, "no rule of the driver hashes just these fields of '%s'",
			 shape);
}

// Why a shape is not the NIC's.
static void item_reason(const struct draft *d, const struct item *item, char *text, size_t size) {
	const struct item *other = item->blocker;
	char shape[128], why[200];

	if (other == NULL) {
		unserved_reason(d, item, text, size);
		return;
	}
	shape_print(other->shape, shape, sizeof(shape));
	if (!other->promise.sound)
		snprintf(why, sizeof(why), "%s", other->promise.why);
	else if (!item->blocked_by_type)
		snprintf(why, sizeof(why), "the profile hashes in another way");
	else
		snprintf(why, sizeof(why), "another packet type of the profile");
	snprintf(text, size, "the NIC's packet type is also that of '%s': %s", shape, why);
}

struct tally {
	unsigned int n, n_offloaded;
	const struct item *first; // that is not
};

static struct tally tally(const struct draft *d, unsigned int type) {
	struct tally t = {0};

	for (unsigned int i = 0; i < d->n_items; i++) {
		const struct item *item = &d->items[i];

		if (!item_counts(item) || item->promise.type != type)
			continue;
		t.n++;
		t.n_offloaded += item_is_offloaded(item);
		if (!item_is_offloaded(item) && t.first == NULL)
			t.first = item;
	}
	return t;
}

static void stranger_reason(const struct draft *d, unsigned int type, char *text, size_t size) {
	const char *header, *more;
	char taught[160] = "";

	if (d->profile->modelled) {
		snprintf(text, size, "a package is run in software: its NIC needs no profile");
		return;
	}
	if (d->shapes.n == 0) {
		snprintf(text, size, "the lower device hashes nothing that could be relied on");
		return;
	}
	header = path_unknown(d, d->profile->types[type].path);
	if (header != NULL && d->ask->package != NULL)
		i40e_header_reason(d->ask->package, header, taught, sizeof(taught));
	more = taught[0] != '\0' ? taught : d->nic->more;
	if (header == NULL)
		snprintf(text, size, "no packet type of the driver is for just these packets");
	else
		snprintf(text, size, "no packet type of the driver is for packets with '%s'%s%s",
			 header, more != NULL ? ": " : "", more != NULL ? more : "");
}

static void type_judge(const struct draft *d, unsigned int type, struct ddp_offload_type *out) {
	struct tally t = tally(d, type);

	if (!ddp_program_type(d->program, type)->hashed) {
		out->class = DDP_OFFLOAD_NONE;
		snprintf(out->reason, sizeof(out->reason), "the profile hashes nothing of it");
	} else if (t.n == 0) {
		out->class = DDP_OFFLOAD_SOFTWARE;
		stranger_reason(d, type, out->reason, sizeof(out->reason));
	} else if (t.first == NULL) {
		out->class = DDP_OFFLOAD_HARDWARE;
		snprintf(out->reason, sizeof(out->reason), "the NIC's hash is the profile's");
	} else {
		out->class = t.n_offloaded > 0 ? DDP_OFFLOAD_PARTLY : DDP_OFFLOAD_SOFTWARE;
		item_reason(d, t.first, out->reason, sizeof(out->reason));
	}
}

/* The result */

static bool rules_give(const struct draft *d, struct ddp_plan *plan) {
	plan->rules = calloc(d->n_rules + 1, sizeof(*plan->rules));
	if (plan->rules == NULL)
		return false;
	for (unsigned int i = 0; i < d->n_rules; i++)
		plan->rules[plan->n_rules++] = d->rules[i].rule;
	return true;
}

static bool types_give(const struct draft *d, struct ddp_plan *plan) {
	plan->n_types = d->profile->n_types;
	plan->types = calloc(plan->n_types + 1, sizeof(*plan->types));
	for (unsigned int i = 0; plan->types != NULL && i < plan->n_types; i++)
		type_judge(d, i, &plan->types[i]);
	return plan->types != NULL;
}

// IPv4 as drivers report it that look at options, or do not.
static void ptype_give(const struct draft *d, struct ddp_plan *plan, const struct item *item) {
	static const uint32_t l3s[] = {0x10, 0x30}; // RTE_PTYPE_L3_IPV4, _EXT
	struct ddp_offload_ptype ptype = {
		.rte_ptype = item->shape->ptype,
		.found = item->promise.rte_ptype,
		.type = item->promise.type,
	};

	plan->ptypes[plan->n_ptypes++] = ptype;
	for (unsigned int i = 0; d->nic->any_ipv4 && i < 2; i++) {
		ptype.rte_ptype = (item->shape->ptype & ~0xf0u) | l3s[i];
		plan->ptypes[plan->n_ptypes++] = ptype;
	}
}

static int ptype_compare(const void *a, const void *b) {
	const struct ddp_offload_ptype *x = a, *y = b;

	return x->rte_ptype < y->rte_ptype ? -1 : x->rte_ptype > y->rte_ptype;
}

static bool ptypes_give(const struct draft *d, struct ddp_plan *plan) {
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
			ptype_give(d, plan, &d->items[first]);
	}
	qsort(plan->ptypes, plan->n_ptypes, sizeof(*plan->ptypes), ptype_compare);
	return true;
}

// Even where what is in them is not the NIC's to hash: it must not take them for plain UDP.
static void tunnels_give(const struct draft *d, struct ddp_plan *plan) {
	plan->n_tunnels = plan->n_ptypes > 0 ? d->n_tunnels : 0;
	memcpy(plan->tunnels, d->tunnels, sizeof(plan->tunnels));
}

static void insets_give(const struct draft *d, struct ddp_plan *plan) {
	plan->package = d->n_insets > 0 ? d->ask->package : NULL;
	plan->n_insets = d->n_insets;
	memcpy(plan->insets, d->insets, sizeof(plan->insets));
}

static struct ddp_plan *plan_give(const struct draft *d, const struct ddp_nic *nic) {
	struct ddp_plan *plan = d->failed ? NULL : calloc(1, sizeof(*plan));

	if (plan == NULL)
		return NULL;
	plan->nic = nic;
	if (rules_give(d, plan) && types_give(d, plan) && ptypes_give(d, plan)) {
		tunnels_give(d, plan);
		insets_give(d, plan);
		plan->rss_hf = d->by_rss_hf ? d->nic->rss_hf : 0;
		return plan;
	}
	ddp_plan_destroy(plan);
	return NULL;
}

static int item_compare(const void *a, const void *b) {
	const struct item *x = a, *y = b;

	if (x->shape->ptype != y->shape->ptype)
		return x->shape->ptype < y->shape->ptype ? -1 : 1;
	return x->shape < y->shape ? -1 : x->shape > y->shape;
}

static bool items_make(struct draft *d) {
	if (d->nic->declares_vxlan)
		tunnels_find(d, "vxlan");
	if (!d->profile->modelled &&
	    !shapes_make(&d->shapes, d->nic, d->ask->package, d->tunnels, d->n_tunnels))
		return false;
	d->items = calloc(d->shapes.n + 1, sizeof(*d->items));
	if (d->items == NULL)
		return false;
	for (; d->n_items < d->shapes.n; d->n_items++) {
		struct item *item = &d->items[d->n_items];

		item->shape = &d->shapes.shapes[d->n_items];
		promise_make(d->profile, d->program, &d->shapes, item->shape, d->ask->rss_hf,
			     &item->promise);
	}
	qsort(d->items, d->n_items, sizeof(*d->items), item_compare);
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

	if (d.ask->package != NULL) {
		d.taught = *nic;
		i40e_nic_teach(d.ask->package, &d.taught);
		d.nic = &d.taught;
	}
	if (items_make(&d)) {
		draft_choose(&d);
		plan = plan_give(&d, nic);
	}
	free(d.rules);
	free(d.items);
	shapes_free(&d.shapes);
	if (plan == NULL)
		errno = ENOMEM;
	return plan;
}

void ddp_plan_destroy(struct ddp_plan *plan) {
	if (plan == NULL)
		return;
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

	return names[class];
}
