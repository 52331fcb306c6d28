/* SPDX-License-Identifier: BSD-3-Clause */
// profile -> program.
#include "build.h"

#include "classify/run/walk.h"

struct build {
	struct ddp_program *program;
	struct ddp_arena *scratch;
	const struct ddp_profile *profile;
	const struct model *model;
	struct ddp_diag *diag;
	bool failed;           // with the reason in diag
	bool *needed;          // by header: something refers to it
	unsigned int *n_named; // see program_compile()
};

#define ADD(b, what) DDP_APPEND((b)->program->arena, (b)->program->what, (b)->program->n_##what)

static struct prog_ref ref_build(struct build *b, const struct ddp_ref *ref) {
	assert(ref->node < b->profile->n_headers);
	b->needed[ref->node] = true;
	return prog_ref_of(b->program, ref);
}

static struct prog_cond cond_build(struct build *b, const struct ddp_cond *cond) {
	struct prog_cond c = {
		.first_match = b->program->n_matches,
		.first_op = b->program->n_ops,
		.n_matches = cond->n_matches,
		.n_ops = cond->expr.n_ops,
	};

	for (unsigned int i = 0; i < cond->n_matches; i++) {
		const struct ddp_match *match = &cond->matches[i];

		*ADD(b, matches) = (struct prog_match){
			.ref = ref_build(b, &match->ref),
			.negate = match->negate,
			.first_pattern = b->program->n_patterns,
			.n_patterns = match->n_patterns,
		};
		for (unsigned int j = 0; j < match->n_patterns; j++)
			*ADD(b, patterns) = match->patterns[j];
	}
	for (unsigned int i = 0; i < cond->expr.n_ops; i++) {
		const struct ddp_expr_op *op = &cond->expr.ops[i];

		*ADD(b, ops) = (struct prog_op){
			.value = op->value,
			.ref = ref_build(b, &op->ref),
			.op = op->op,
		};
	}
	return c;
}

// The condition of a rule or an input set. A parameter alone that is not 0 is no condition.
static struct prog_cond when_build(struct build *b, const struct ddp_cond *cond) {
	struct prog_cond c = cond_build(b, cond);
	const struct prog_op *ops = b->program->ops;

	if (c.n_ops == 1 && ops[c.first_op].op == DDP_OP_CONST && ops[c.first_op].value != 0)
		c.n_ops = 0;
	return c;
}

static void fields_build(struct build *b) {
	for (unsigned int i = 0; i < b->profile->n_headers; i++) {
		const struct ddp_header *header = &b->profile->headers[i];

		ADD(b, nodes)->first_field = b->program->n_fields;
		for (unsigned int j = 0; j < header->n_fields; j++) {
			const struct ddp_field *field = &header->fields[j];

			*ADD(b, fields) = (struct prog_field){
				.bit_off = field->bit_off,
				.width = field->width,
				.anchor = field->anchor,
				.group = field->group,
				.n_before = field->n_before,
			};
		}
	}
}

/* Layers of packet_type */

// The RTE_PTYPE_INNER_* bits of outer layers (0 where DPDK has none).
static uint32_t ptype_inner(uint32_t outer) {
	static const uint8_t l2[16] = {[1] = 1, [6] = 2, [7] = 3}; // ETHER, VLAN, QINQ
	// IPV4, IPV4_EXT, IPV6, IPV4_EXT_UNKNOWN, IPV6_EXT, IPV6_EXT_UNKNOWN
	static const uint8_t l3[16] = {[1] = 1, [3] = 2, [4] = 3, [9] = 4, [12] = 5, [14] = 6};
	const uint32_t l4 = outer & DDP_RTE_PTYPE_L4_MASK; // but for IGMP, inner ones are alike

	return l2[outer & 15] << 16 | l3[outer >> 4 & 15] << 20 | (l4 <= 0x600 ? l4 << 16 : 0);
}

// Bits that replace the layers they have, of 4 bits each.
static struct prog_layers layers_of(uint32_t bits, uint8_t mode) {
	uint32_t given = bits | bits >> 1;

	given = (given | given >> 2) & 0x11111111;
	return (struct prog_layers){.keep = ~(given * 15), .set = bits, .mode = mode};
}

// The outermost headers, the outermost tunnel and the innermost headers have room.
static void layers_build(struct build *b, const struct ddp_header *header, struct prog_node *node) {
	const unsigned int n = b->profile->n_headers;
	const uint32_t ptype = header->rte_ptype, outer = ptype & DDP_RTE_PTYPE_OUTER_MASK;
	const uint32_t tunnel = outer & DDP_RTE_PTYPE_TUNNEL_MASK;
	struct prog_layers layers[LAYERS_MODES];

	node->is_l3 = (ptype & DDP_RTE_PTYPE_L3_MASK) != 0;
	node->is_tunnel = tunnel != 0;
	layers[0] = layers_of(outer, node->is_l3);
	layers[1] = layers_of(outer, 1);
	layers[LAYERS_INSIDE] = layers_of(ptype_inner(ptype), LAYERS_INSIDE);
	if (node->is_l3) {
		layers[1] = layers[LAYERS_INSIDE];
		layers[1].keep &= ~DDP_RTE_PTYPE_TUNNEL_IP;
		layers[1].set |= DDP_RTE_PTYPE_TUNNEL_IP;
	}
	for (unsigned int i = 0; tunnel != 0 && i < LAYERS_MODES; i++)
		layers[i] = (struct prog_layers){.keep = ~DDP_RTE_PTYPE_INNER_MASK,
						 .set = i == LAYERS_INSIDE ? 0 : tunnel,
						 .mode = LAYERS_INSIDE};
	for (unsigned int mode = 0; mode < LAYERS_MODES; mode++) {
		assert(layers[mode].mode < LAYERS_MODES);
		layers[mode].row = b->program->layers + layers[mode].mode * n;
		layers[mode].is_l3 = node->is_l3;
		layers[mode].hidden = header->hidden;
		b->program->layers[mode * n + (node - b->program->nodes)] = layers[mode];
	}
}

/* Headers */

static void rules_build(struct build *b, const struct ddp_header *header, struct prog_node *node) {
	node->first_rule = b->program->n_rules;
	node->n_rules = header->n_rules;
	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *rule = &header->rules[i];
		struct prog_rule *r = ADD(b, rules);

		r->kind = rule->kind;
		r->target = rule->target;
		r->table = rule->table;
		r->cond = when_build(b, &rule->cond);
		if (rule->kind == DDP_RULE_LOOKUP)
			r->key = ref_build(b, &rule->key);
	}
}

static void node_build(struct build *b, const struct ddp_header *header, struct prog_node *node) {
	struct ddp_cond length = {.expr = header->length};

	node->info.token = ddp_arena_strdup(b->program->arena, header->name);
	node->info.hidden = header->hidden;
	node->is_link = strcmp(header->name, "eth") == 0 || strcmp(header->name, "vlan") == 0;
	node->start_size = header->start_bits / 8;
	node->end_size = header->end_bits / 8;
	node->n_groups = header->n_groups;
	for (unsigned int g = 0; g < header->n_groups; g++) {
		node->groups[g] = cond_build(b, &header->groups[g].cond);
		node->group_bits[g] = header->groups[g].bits;
	}
	node->length = cond_build(b, &length);
	node->valid = cond_build(b, &header->valid);
	node->fragment = cond_build(b, &header->fragment);
	node->can_fragment = header->can_fragment;
	layers_build(b, header, node);
	rules_build(b, header, node);
}

static void table_build(struct build *b, const struct ddp_table *table) {
	struct prog_table *t = ADD(b, tables);
	unsigned int log2 = 2;

	while (1u << log2 < 2 * table->n_entries)
		log2++;
	t->shift = 64 - log2;
	t->slots = ddp_arena_alloc(b->program->arena, sizeof(*t->slots) << log2);
	for (unsigned int i = 0; i < 1u << log2; i++)
		t->slots[i].target = -1;
	for (unsigned int i = 0; i < table->n_entries; i++) {
		uint64_t at = slot_of(t, table->entries[i].value);

		while (t->slots[at].target >= 0)
			at = (at + 1) & ((1u << log2) - 1);
		t->slots[at].value = table->entries[i].value;
		t->slots[at].target = table->entries[i].target;
	}
}

static struct prog_input *input_build(struct build *b, const struct ddp_ref *ref) {
	struct prog_input *input = ADD(b, inputs);

	input->ref = ref_build(b, ref);
	input->partner = -1;
	input->name = ddp_arena_strdup(b->program->arena, ref->name);
	return input;
}

int partner_find(const struct ddp_profile *profile, const struct ddp_ref *refs, unsigned int n,
		 unsigned int of) {
	const struct ddp_header *header = &profile->headers[refs[of].node];
	struct ddp_ref partner = refs[of];

	if (header->has_pair && header->pair[0] == refs[of].field)
		partner.field = header->pair[1];
	else if (header->has_pair && header->pair[1] == refs[of].field)
		partner.field = header->pair[0];
	else
		return -1;
	for (unsigned int i = 0; i < n; i++)
		if (ddp_refs_equal(&refs[i], &partner))
			return i;
	return -1;
}

static void set_build(struct build *b, const struct ddp_input_set *set) {
	struct prog_set s = {
		.cond = when_build(b, &set->cond),
		.rss_hf = set->rss_hf,
		.first_input = b->program->n_inputs,
		.n_inputs = set->n_inputs,
	};

	for (unsigned int i = 0; i < set->n_inputs; i++)
		input_build(b, &set->inputs[i])->partner =
			partner_find(b->profile, set->inputs, set->n_inputs, i);
	*ADD(b, sets) = s;
}

// The nodes of the shortest path, room of them at most. Returns how many there are.
static unsigned int shortest_path(const struct ddp_path *path, uint8_t *nodes, unsigned int room) {
	uint8_t other[DDP_MAX_STEPS];
	unsigned int n, n_other;

	if (path->kind == DDP_PATH_OPTIONAL || path->kind == DDP_PATH_ANY || room == 0)
		return 0;
	if (path->kind == DDP_PATH_HEADER) {
		*nodes = path->node;
		return 1;
	}
	n = shortest_path(path->left, nodes, room);
	if (path->kind == DDP_PATH_SEQUENCE)
		return n + shortest_path(path->right, nodes + n, room - n);
	if (path->kind == DDP_PATH_SOME)
		return n;
	n_other = shortest_path(path->right, other, room);
	if (n_other >= n)
		return n;
	memcpy(nodes, other, n_other);
	return n_other;
}

static void path_count(const struct ddp_path *path, unsigned int *n_named) {
	if (path == NULL)
		return;
	n_named[path->node] += path->kind == DDP_PATH_HEADER;
	path_count(path->left, n_named);
	path_count(path->right, n_named);
}

static void type_build(struct build *b, const struct ddp_packet_type *type) {
	uint8_t nodes[DDP_MAX_STEPS];
	const struct prog_layers *row = b->program->layers;
	struct prog_type *t = ADD(b, types);
	unsigned int n = 0;

	t->info.name = ddp_arena_strdup(b->program->arena, type->name);
	t->info.id = type->id;
	t->info.hashed = type->n_sets > 0;
	t->rte_set = type->rte_ptype; // all of it, where a model says so
	if (b->model == NULL) {
		struct prog_layers given = layers_of(type->rte_ptype, 0);

		t->rte_keep = given.keep;
		t->rte_set = given.set;
	}
	t->cond = cond_build(b, &type->cond);
	t->first_set = b->program->n_sets;
	t->n_sets = type->n_sets;
	for (unsigned int i = 0; i < type->n_sets; i++) {
		set_build(b, &type->sets[i]);
		t->info.rss_hf |= type->sets[i].rss_hf;
	}
	t->first_extract = b->program->n_inputs;
	t->n_extract = type->n_extract;
	for (unsigned int i = 0; i < type->n_extract; i++)
		input_build(b, &type->extract[i]);
	b->program->rss_hf |= t->info.rss_hf;
	if (type->path != NULL)
		n = shortest_path(type->path, nodes, DDP_MAX_STEPS);
	path_count(type->path, b->n_named);
	for (unsigned int i = 1; i < n; i++)
		b->n_named[nodes[i]] += 2;
	for (unsigned int i = 0; i < n; i++) { // without fragments
		const struct prog_layers *layers = row + nodes[i];

		t->info.rte_ptype = (t->info.rte_ptype & layers->keep) | layers->set;
		row = layers->row;
	}
	t->info.rte_ptype = (t->info.rte_ptype & t->rte_keep) | t->rte_set;
}

// References to both fields of a header's pair, where it comes before a tunnel.
static unsigned int outer_pair(const struct ddp_profile *profile, uint8_t node,
			       struct ddp_ref refs[2]) {
	const struct ddp_header *header = &profile->headers[node];
	unsigned int size = 0;

	for (unsigned int i = 0; i < 2; i++) {
		const struct ddp_field *field = &header->fields[header->pair[i]];

		refs[i] = (struct ddp_ref){
			.node = node,
			.field = header->pair[i],
			.which = DDP_WHICH_OUTER,
			.bits = field->width,
			.name = field->name,
		};
		size += field->width / 8;
	}
	return size;
}

// The set that a NIC without tunnels hashes: addresses and ports of the first IP header. A packet
// has one of the network headers there, and one or more of the transport headers.
static void outermost_build(struct build *b) {
	static const uint32_t layers[] = {DDP_RTE_PTYPE_L3_MASK, DDP_RTE_PTYPE_L4_MASK};
	struct ddp_ref refs[DDP_MAX_INPUT_SIZE];
	struct ddp_input_set set = {.inputs = refs};
	unsigned int size = 0, largest = 0;

	for (unsigned int l = 0; l < 2; size += largest, largest = 0, l++)
		for (unsigned int i = 0; i < b->profile->n_headers; i++) {
			const struct ddp_header *header = &b->profile->headers[i];
			unsigned int more;

			if ((header->rte_ptype & layers[l]) == 0 || !header->has_pair ||
			    set.n_inputs + 2 > DDP_MAX_INPUT_SIZE)
				continue;
			more = outer_pair(b->profile, i, &refs[set.n_inputs]);
			if (size + more > DDP_MAX_INPUT_SIZE)
				continue;
			set.n_inputs += 2;
			if (l == 0)
				largest = more > largest ? more : largest;
			else
				size += more;
		}
	set_build(b, &set);
	b->program->outermost = &b->program->sets[b->program->n_sets - 1];
}

// The types of states where no condition has a say; hidden headers lead to the same state.
static void states_finish(struct ddp_program *program) {
	struct automaton *a = &program->automaton;

	a->type = ddp_arena_alloc(program->arena, a->n_states * sizeof(*a->type));
	for (unsigned int s = 0; s < a->n_states; s++) {
		const struct prog_cond *cond;

		for (unsigned int i = 0; i < program->n_nodes; i++)
			if (program->nodes[i].info.hidden)
				a->next[s * a->n_tokens + i] = s;
		a->type[s] = DDP_TYPE_NONE;
		if (a->n_accepts[s] == 0)
			continue;
		a->type[s] = a->accepts[a->first_accept[s]];
		cond = &program->types[a->type[s]].cond;
		if ((cond->n_matches | cond->n_ops) != 0)
			a->type[s] = TYPE_COND;
	}
}

// An empty array has an address, too, so that readers need no check.
static void arrays_begin(struct ddp_program *program) {
	void *nothing = ddp_arena_alloc(program->arena, 1);

	program->fields = nothing;
	program->ops = nothing;
	program->matches = nothing;
	program->patterns = nothing;
	program->rules = nothing;
	program->tables = nothing;
	program->tests = nothing;
	program->words = nothing;
	program->inputs = nothing;
	program->runs = nothing;
	program->sets = nothing;
	program->types = nothing;
}

static void program_fill(void *arg) {
	struct build *b = arg;
	const struct ddp_profile *profile = b->profile;

	b->program->by_rss_hf = profile->by_rss_hf;
	b->program->first = profile->first;
	b->needed = ddp_arena_alloc(b->scratch, profile->n_headers);
	arrays_begin(b->program);
	fields_build(b);
	b->program->layers =
		ddp_arena_alloc(b->program->arena,
				LAYERS_MODES * b->profile->n_headers * sizeof(*b->program->layers));
	for (unsigned int i = 0; i < profile->n_headers; i++)
		node_build(b, &profile->headers[i], &b->program->nodes[i]);
	for (unsigned int i = 0; i < profile->n_tables; i++)
		table_build(b, &profile->tables[i]);
	b->n_named = ddp_arena_alloc(b->scratch, profile->n_headers * sizeof(*b->n_named));
	memset(b->needed, false, profile->n_headers); // from now on by packet types
	for (unsigned int i = 0; i < profile->n_types; i++)
		type_build(b, &profile->types[i]);
	if (b->model == NULL && !profile->by_rss_hf)
		outermost_build(b);
	b->program->model = b->model;
	if (b->model == NULL)
		b->failed = !automaton_build(&b->program->automaton, profile, b->needed,
					     b->program->arena, b->scratch, b->diag);
	if (b->failed)
		return;
	states_finish(b->program);
	program_compile(b->program, b->n_named, b->scratch);
}

struct ddp_program *program_build(const struct ddp_profile *profile, const struct model *model,
				  const struct ddp_memory *memory, struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create_in(memory);
	struct build b = {
		.program = ddp_arena_try_alloc(arena, sizeof(*b.program)),
		.scratch = ddp_arena_create(),
		.profile = profile,
		.model = model,
		.diag = diag,
	};

	assert(profile->modelled == (model != NULL));
	if (b.program != NULL)
		b.program->arena = arena;
	if (b.program == NULL || ddp_arena_run(program_fill, &b) < 0) {
		ddp_no_memory(diag);
		b.failed = true;
	}
	ddp_arena_destroy(b.scratch);
	if (!b.failed)
		return b.program;
	ddp_arena_destroy(arena);
	return NULL;
}

struct ddp_program *ddp_program_build(const struct ddp_profile *profile, struct ddp_diag *diag) {
	return program_build(profile, NULL, NULL, diag);
}

void ddp_program_destroy(struct ddp_program *program) {
	if (program != NULL)
		ddp_arena_destroy(program->arena);
}

const struct ddp_memory *ddp_program_memory(const struct ddp_program *program) {
	return ddp_arena_memory(program->arena);
}

unsigned int ddp_program_n_types(const struct ddp_program *program) {
	return program->n_types;
}

const struct ddp_type_info *ddp_program_type(const struct ddp_program *program, uint16_t type) {
	static const struct ddp_type_info none = {.name = "UNKNOWN"};

	return type < program->n_types ? &program->types[type].info : &none;
}

const struct ddp_node_info *ddp_program_node(const struct ddp_program *program, uint8_t node) {
	assert(node < program->n_nodes);
	return &program->nodes[node].info;
}

uint64_t ddp_program_rss_hf(const struct ddp_program *program) {
	return program->rss_hf;
}
