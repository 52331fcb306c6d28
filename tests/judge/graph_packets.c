/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_packets.h"

#include "naive.h"
#include "unit.h"

#define TRIES 16  // for one step
#define ROOM 160U // bytes for the header that it leads to

// A packet that is being drawn. It is as long as the buffer until it is cut.
struct draft {
	struct graph *graph;
	uint8_t *bytes;
	struct ddp_class class;
};

// A way from a header to the next.
struct step {
	const struct ddp_rule *rules; // of the header
	unsigned int n;               // of them, the one that shall decide
	uint64_t key;                 // at which it looks something up
	uint8_t target;
};

static unsigned int below(const struct draft *d, unsigned int n) {
	return random_below(&d->graph->seed, n);
}

static uint64_t number_draw(const struct draft *d) {
	return random_next(&d->graph->seed);
}

// As if it ended at len: what comes behind is not written yet, and would only take time.
static void draft_classify(struct draft *d, uint32_t len) {
	const struct ddp_packet packet = {
		.data = d->bytes,
		.first_len = len < PACKET_MAX ? len : PACKET_MAX,
		.len = len < PACKET_MAX ? len : PACKET_MAX,
	};

	ddp_classify(d->graph->program, &packet, &d->class);
}

/* Fields */

// A header that a reference may mean: self, or any of its kind.
static const struct ddp_seen *header_find(const struct draft *d, const struct ddp_ref *ref,
					  const struct ddp_seen *self) {
	unsigned int n = d->class.n_seen, first = n > 0 ? below(d, n) : 0;

	if (ref->which == DDP_WHICH_SELF)
		return self;
	for (unsigned int i = 0; i < n; i++)
		if (d->class.seen[(first + i) % n].node == ref->node)
			return &d->class.seen[(first + i) % n];
	return NULL;
}

static void field_set(struct draft *d, const struct ddp_ref *ref, const struct ddp_seen *self,
		      uint64_t hi, uint64_t lo) {
	const struct ddp_seen *seen = header_find(d, ref, self);
	const struct ddp_header *header;
	uint32_t bit;

	if (ref->which == DDP_WHICH_SINCE || seen == NULL)
		return;
	header = &d->graph->profile->headers[seen->node];
	if (!field_place(header, seen->off, seen->len, seen->groups, &header->fields[ref->field],
			 &bit) ||
	    bit + ref->bits > 8 * PACKET_MAX)
		return;
	for (uint32_t at = bit + ref->bits; at-- > bit;) {
		uint8_t one = 0x80 >> at % 8;

		d->bytes[at / 8] = (d->bytes[at / 8] & ~one) | ((lo & 1) != 0 ? one : 0);
		lo = lo >> 1 | hi << 63;
		hi >>= 1;
	}
}

/* Conditions */

static void match_please(struct draft *d, const struct ddp_match *match,
			 const struct ddp_seen *self) {
	const struct ddp_pattern *p = &match->patterns[below(d, match->n_patterns)];

	if (match->negate)
		field_set(d, &match->ref, self, number_draw(d), number_draw(d));
	else
		field_set(d, &match->ref, self, p->value_hi | (number_draw(d) & ~p->mask_hi),
			  p->value_lo | (number_draw(d) & ~p->mask_lo));
}

// A number that may decide: the expression's own and those beside, none, all.
static uint64_t operand_draw(const struct draft *d, const struct ddp_expr *expr) {
	const struct ddp_expr_op *op = &expr->ops[below(d, expr->n_ops)];

	if (op->op == DDP_OP_CONST)
		return op->value + below(d, 3) - 1;
	return below(d, 2) == 0 ? below(d, 8) : number_draw(d);
}

static void expr_try(struct draft *d, const struct ddp_expr *expr, const struct ddp_seen *self) {
	for (unsigned int i = 0; i < expr->n_ops; i++)
		if (expr->ops[i].op == DDP_OP_FIELD)
			field_set(d, &expr->ops[i].ref, self, 0, operand_draw(d, expr));
}

// Make it likely that a condition holds.
static void cond_please(struct draft *d, const struct ddp_cond *cond, const struct ddp_seen *self) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		match_please(d, &cond->matches[i], self);
	expr_try(d, &cond->expr, self);
}

static void field_spoil(struct draft *d, const struct ddp_ref *ref, const struct ddp_seen *self) {
	switch (below(d, 4)) {
	case 0:
		return;
	case 1:
		field_set(d, ref, self, number_draw(d), number_draw(d));
		return;
	default:
		field_set(d, ref, self, 0, 0);
	}
}

// Make it likely that it does not.
static void cond_spoil(struct draft *d, const struct ddp_cond *cond, const struct ddp_seen *self) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		field_spoil(d, &cond->matches[i].ref, self);
	for (unsigned int i = 0; i < cond->expr.n_ops; i++)
		if (cond->expr.ops[i].op == DDP_OP_FIELD)
			field_spoil(d, &cond->expr.ops[i].ref, self);
}

/* Headers */

// Random bytes that are likely to be such a header, in its smallest form or any other.
static void header_write(struct draft *d, uint8_t node, uint32_t off) {
	const struct ddp_header *header = &d->graph->profile->headers[node];
	const struct ddp_seen self = {
		.node = node,
		.off = off,
		.len = (header->start_bits + header->end_bits) / 8,
	};

	for (uint32_t at = off; at < PACKET_MAX && at < off + DDP_MAX_LAYOUT_SIZE; at++)
		d->bytes[at] = number_draw(d) >> 56;
	for (unsigned int g = 0; g < header->n_groups; g++)
		if (below(d, 2) == 0)
			cond_spoil(d, &header->groups[g].cond, &self);
	expr_try(d, &header->length, &self);
	if (below(d, 4) > 0)
		cond_spoil(d, &header->fragment, &self);
	cond_please(d, &header->valid, &self);
}

static bool first_write(struct draft *d) {
	for (unsigned int i = 0; i < TRIES; i++) {
		header_write(d, d->graph->profile->first, 0);
		draft_classify(d, ROOM);
		if (d->class.n_seen > 0)
			return true;
	}
	return false;
}

// Is this a way to the header wanted (any, if -1)?
static bool is_wanted(const struct draft *d, uint8_t target, int wanted) {
	return wanted < 0 || target == wanted ||
	       (d->graph->profile->headers[target].hidden && d->graph->leads[target][wanted]);
}

// Of n ways that are wanted, any; or, where none is asked for, one to a rare header, so that what
// is behind one of a hundred comes up, too.
static bool is_better(const struct draft *d, uint8_t target, const struct step *than,
		      unsigned int n, int wanted) {
	const unsigned int *n_drawn = d->graph->n_drawn;

	if (n > 1 && wanted < 0 && below(d, 3) > 0)
		return n_drawn[target] < n_drawn[than->target];
	return below(d, n) == 0;
}

// A way on from a header. False: there is none.
static bool step_draw(const struct draft *d, const struct ddp_header *header, int wanted,
		      struct step *step) {
	unsigned int n = 0;

	*step = (struct step){.rules = header->rules};
	for (unsigned int r = 0; r < header->n_rules; r++) {
		const struct ddp_rule *rule = &header->rules[r];
		const struct ddp_table *table;

		if (rule->kind == DDP_RULE_GOTO && is_wanted(d, rule->target, wanted) &&
		    is_better(d, rule->target, step, ++n, wanted)) {
			step->n = r;
			step->target = rule->target;
		}
		if (rule->kind != DDP_RULE_LOOKUP)
			continue;
		table = &d->graph->profile->tables[rule->table];
		for (unsigned int i = 0; i < table->n_entries; i++) {
			const struct ddp_table_entry *entry = &table->entries[i];

			if (is_wanted(d, entry->target, wanted) &&
			    is_better(d, entry->target, step, ++n, wanted)) {
				step->n = r;
				step->target = entry->target;
				step->key = entry->value;
			}
		}
	}
	return n > 0;
}

// Change the packet so that it goes that way from header n. False, and no change, where that fails.
static bool step_take(struct draft *d, unsigned int n, const struct step *step) {
	const struct ddp_seen self = d->class.seen[n];
	const struct ddp_rule *rule = &step->rules[step->n];
	uint32_t end = self.off + self.len;
	const struct ddp_class class = d->class;
	uint8_t before[PACKET_MAX];

	memcpy(before, d->bytes, sizeof(before));
	for (unsigned int i = 0; i < TRIES; i++) {
		header_write(d, step->target, end);
		for (unsigned int r = 0; r < step->n; r++)
			cond_spoil(d, &step->rules[r].cond, &self);
		cond_please(d, &rule->cond, &self);
		if (rule->kind == DDP_RULE_LOOKUP)
			field_set(d, &rule->key, &self, 0, step->key);
		draft_classify(d, end + ROOM);
		if (d->class.n_seen > n + 1 && d->class.seen[n + 1].node == step->target)
			return true;
		memcpy(d->bytes, before, sizeof(before));
		d->class = class;
	}
	return false;
}

// Any way on from header n, or one to the header wanted.
static bool step_find(struct draft *d, unsigned int n, int wanted, struct step *step) {
	const struct ddp_header *header = &d->graph->profile->headers[d->class.seen[n].node];

	for (unsigned int i = 0; i < 4; i++)
		if (step_draw(d, header, wanted, step) && step_take(d, n, step))
			return true;
	return false;
}

// Headers wherever rules lead. Returns their number.
static unsigned int headers_write(struct draft *d, unsigned int most) {
	unsigned int n = 1;
	struct step step;

	for (; n < most && step_find(d, n - 1, -1, &step); n++)
		d->graph->n_drawn[step.target]++;
	return n;
}

/* Paths of packet types */

struct chain {
	uint8_t nodes[DDP_MAX_HEADERS];
	unsigned int n;
};

static void chain_draw(const struct draft *d, const struct ddp_path *path, struct chain *chain) {
	unsigned int times = 1;

	switch (path->kind) {
	case DDP_PATH_HEADER:
		if (chain->n < DDP_MAX_HEADERS)
			chain->nodes[chain->n++] = path->node;
		return;
	case DDP_PATH_SEQUENCE:
		chain_draw(d, path->left, chain);
		chain_draw(d, path->right, chain);
		return;
	case DDP_PATH_EITHER:
		chain_draw(d, below(d, 2) == 0 ? path->left : path->right, chain);
		return;
	case DDP_PATH_OPTIONAL:
		times = below(d, 2);
		break;
	case DDP_PATH_ANY:
		times = below(d, 4) == 0 ? 1 + below(d, 2) : 0;
		break;
	case DDP_PATH_SOME:
		times = 1 + below(d, 2);
		break;
	}
	while (times-- > 0)
		chain_draw(d, path->left, chain);
}

// Headers of a packet type's path, and hidden ones between them. Returns their number.
static unsigned int chain_write(struct draft *d, const struct chain *chain) {
	unsigned int n = 1, at = 1;
	struct step step;

	while (at < chain->n && n < DDP_MAX_STEPS && step_find(d, n - 1, chain->nodes[at], &step)) {
		n++;
		at += step.target == chain->nodes[at];
	}
	return n;
}

static void ref_add(struct chain *chain, const struct ddp_ref *ref) {
	bool there = chain->n == DDP_MAX_HEADERS;

	for (unsigned int i = 0; i < chain->n; i++)
		there |= chain->nodes[i] == ref->node;
	if (!there)
		chain->nodes[chain->n++] = ref->node;
}

// A condition may be about hidden headers behind the path.
static void cond_add(struct chain *chain, const struct ddp_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		ref_add(chain, &cond->matches[i].ref);
	for (unsigned int i = 0; i < cond->expr.n_ops; i++)
		if (cond->expr.ops[i].op == DDP_OP_FIELD)
			ref_add(chain, &cond->expr.ops[i].ref);
}

static unsigned int path_write(struct draft *d) {
	const struct ddp_profile *profile = d->graph->profile;
	unsigned int type = d->graph->next_type++ % profile->n_types;
	struct chain chain = {.n = 0};
	unsigned int n;

	chain_draw(d, profile->types[type].path, &chain);
	cond_add(&chain, &profile->types[type].cond);
	n = chain_write(d, &chain);
	if (n == chain.n || below(d, 2) == 0)
		cond_please(d, &profile->types[type].cond, NULL);
	draft_classify(d, PACKET_MAX);
	return n;
}

// Write the fields by which packet types of one path differ, and those that choose input sets.
static void types_write(struct draft *d) {
	const struct ddp_profile *profile = d->graph->profile;
	const struct ddp_packet_type *type = &profile->types[below(d, profile->n_types)];

	if (below(d, 4) == 0)
		cond_please(d, &type->cond, NULL);
	draft_classify(d, PACKET_MAX);
	if (d->class.type == DDP_TYPE_NONE || below(d, 2) == 0)
		return;
	type = &profile->types[d->class.type];
	if (type->n_sets > 0)
		cond_please(d, &type->sets[below(d, type->n_sets)].cond, NULL);
	draft_classify(d, PACKET_MAX);
}

// Note that a header leads to target. True: that is news.
static bool lead_add(struct graph *graph, unsigned int header, uint8_t target) {
	bool more = !graph->leads[header][target];

	graph->leads[header][target] = true;
	if (!graph->profile->headers[target].hidden)
		return more;
	for (unsigned int i = 0; i < graph->profile->n_headers; i++) {
		more |= graph->leads[target][i] && !graph->leads[header][i];
		graph->leads[header][i] |= graph->leads[target][i];
	}
	return more;
}

static bool leads_add(struct graph *graph, unsigned int header) {
	const struct ddp_header *h = &graph->profile->headers[header];
	bool more = false;

	for (unsigned int r = 0; r < h->n_rules; r++) {
		const struct ddp_rule *rule = &h->rules[r];
		const struct ddp_table *table;

		if (rule->kind == DDP_RULE_GOTO)
			more |= lead_add(graph, header, rule->target);
		if (rule->kind != DDP_RULE_LOOKUP)
			continue;
		table = &graph->profile->tables[rule->table];
		for (unsigned int i = 0; i < table->n_entries; i++)
			more |= lead_add(graph, header, table->entries[i].target);
	}
	return more;
}

void graph_init(struct graph *graph, const struct ddp_profile *profile,
		const struct ddp_program *program, uint64_t seed) {
	bool more = true;

	memset(graph, 0, sizeof(*graph));
	graph->profile = profile;
	graph->program = program;
	graph->seed = seed;
	while (more) {
		more = false;
		for (unsigned int i = 0; i < profile->n_headers; i++)
			more |= leads_add(graph, i);
	}
}

uint32_t graph_draw(struct graph *graph, uint8_t bytes[PACKET_MAX]) {
	struct draft d = {.graph = graph, .bytes = bytes};
	const struct ddp_seen *last;
	unsigned int n;
	uint32_t len;

	for (unsigned int i = 0; i < PACKET_MAX; i++)
		bytes[i] = number_draw(&d) >> 56;
	if (!first_write(&d))
		return below(&d, 64);
	switch (below(&d, 30)) {
	case 0:
		n = headers_write(&d, DDP_MAX_HEADERS + 4);
		break;
	case 1 ... 9:
		n = headers_write(&d, 2 + below(&d, 11));
		break;
	default:
		n = path_write(&d);
	}
	types_write(&d);
	if (d.class.n_seen == 0)
		return below(&d, 64);
	// Random bytes behind the last header drawn may have been taken for more headers.
	last = &d.class.seen[(n < d.class.n_seen ? n : d.class.n_seen) - 1];
	len = last->off + last->len;
	if (below(&d, 3) > 0)
		len += below(&d, 64);
	return len < PACKET_MAX ? len : PACKET_MAX;
}
