/* SPDX-License-Identifier: BSD-3-Clause */
// Headers -> forms: steps for headers as most packets have them. The interpreter runs on a made-up
// header that has a form's bytes, and records the bits that it reads: a header with the same bits
// is measured alike.

#include "build.h"
#include "classify/run/walk.h"

/* Known bytes */

// Whether a field is the header's own; of any length, also where it is.
static bool ref_is_own(const struct ddp_program *program, const struct prog_ref *ref,
		       bool any_length) {
	return ref->which == DDP_WHICH_SELF &&
	       (!any_length || program->fields[ref->field].anchor == DDP_FROM_START);
}

static bool cond_is_own(const struct ddp_program *program, const struct prog_cond *cond,
			bool any_length) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		if (!ref_is_own(program, &program->matches[cond->first_match + i].ref, any_length))
			return false;
	for (unsigned int i = 0; i < cond->n_ops; i++) {
		const struct prog_op *op = &program->ops[cond->first_op + i];

		if (op->op == DDP_OP_FIELD && !ref_is_own(program, &op->ref, any_length))
			return false;
	}
	return true;
}

static bool bits_add(const struct steps *s, unsigned int byte, uint8_t bits, uint64_t *mask) {
	if (bits == 0)
		return true;
	if (byte - s->at >= FORM_BYTES) // also where it is before them
		return false;
	((uint8_t *)mask)[byte - s->at] |= bits;
	return true;
}

// Add the bits that were read to mask. false: some of them do not identify a form.
static bool looked_at(const struct steps *s, const struct trace *trace, uint64_t *mask) {
	bool ok = !trace->lost;

	for (unsigned int i = 0; i < TRACE_REACH; i++)
		ok = ok && bits_add(s, i, trace->mask[i], mask);
	for (unsigned int i = 0; i < 2 * trace->n_words; i++)
		ok = ok && bits_add(s, trace->words[i / 2].byte + i % 2, 0xff, mask);
	for (unsigned int i = 0; i < 2 * trace->n_lists; i++)
		ok = ok && bits_add(s, trace->lists[i / 2].byte + i % 2, 0xff, mask);
	return ok;
}

// The value of a condition on a header: 1 or 0; -1: something else decides. Adds the bits that were
// read, and the bytes that the packet must have.
static int cond_says(const struct steps *s, const struct given *given, const struct prog_cond *cond,
		     uint64_t *mask, uint32_t *need) {
	const struct ddp_packet packet = {given->bytes, SAMPLE_SIZE, SAMPLE_SIZE, NULL, NULL};
	struct ddp_class none = {0};
	struct trace trace = {0};
	struct walk w = {
		.program = s->program,
		.packet = &packet,
		.class = &none,
		.self = &given->seen,
		.trace = &trace,
	};
	bool holds;

	if (!cond_is_own(s->program, cond, given->any_length))
		return -1;
	holds = walk_holds(&w, cond);
	if (w.beyond || !looked_at(s, &trace, mask))
		return -1;
	if (*need < trace.min_len)
		*need = trace.min_len;
	return holds;
}

int given_says(struct steps *s, const struct prog_cond *cond) {
	uint64_t mask = 0;
	uint32_t need = s->step->need;
	int says = cond_says(s, s->given, cond, &mask, &need);

	if ((mask & ~s->given->mask) != 0)
		return -1;
	s->step->need = need;
	return says;
}

/* Headers as they are usual */

// Give a header the bits that a test requires. false: some do not identify a form.
static bool bits_place(const struct steps *s, const struct prog_bit_test *bit_test, uint64_t *mask,
		       uint8_t *bytes) {
	uint8_t bits[8], wanted[8];

	memcpy(bits, &bit_test->mask, sizeof(bits));
	memcpy(wanted, &bit_test->value, sizeof(wanted));
	for (unsigned int i = 0; i < sizeof(bits); i++) {
		unsigned int at = bit_test->byte + i;

		if (at >= SAMPLE_SIZE || !bits_add(s, at, bits[i], mask))
			return false;
		if (!bit_test->negate)
			bytes[at] = (bytes[at] & ~bits[i]) | wanted[i];
	}
	return true;
}

// A header whose bits are 0, but for its version and the smallest length.
static void plain_make(struct steps *s, uint8_t *bytes) {
	const struct prog_length *linear = &s->node->linear;
	uint32_t size = s->node->start_size + s->node->end_size;
	struct prog_bit_test valid;
	uint64_t mask = 0;

	if (cond_bit_test(s, &s->node->valid, &valid))
		bits_place(s, &valid, &mask, bytes);
	if (linear->mask != 0 && linear->factor != 0 && size > linear->base) {
		uint32_t value = (size - linear->base + linear->factor - 1) / linear->factor;
		uint16_t word = htobe16((uint16_t)((value & linear->mask) << linear->shift));

		for (unsigned int i = 0; i < sizeof(word); i++)
			bytes[linear->byte + i] |= ((const uint8_t *)&word)[i];
	}
}

// In how many states of the path automaton another header can come behind this one.
static unsigned int states_count(const struct steps *s, unsigned int next) {
	const struct automaton *a = &s->program->automaton;
	const unsigned int own = s->node - s->program->nodes;
	unsigned int n = 0;

	for (unsigned int state = 0; state < a->n_states; state++) {
		const unsigned int to = a->next[state * a->n_tokens + own];

		n += to != 0 && a->next[to * a->n_tokens + next] != 0;
	}
	return n;
}

static bool slot_is_empty(const struct prog_branch *branch, unsigned int slot) {
	return slot_index(branch->slots[slot] >> 16, branch->factor, 16 - branch->shift) != slot;
}

// The values of the first branch that most packets have: by how often paths name the header that a
// value leads to, and how few values do. Where there are no more, the first slot's.
static void usual_choose(const struct steps *s, struct prog_form *form) {
	const struct prog_branch *branch = &s->step->branch;
	const unsigned int n_slots = 1u << (16 - branch->shift);
	unsigned int weights[DDP_MAX_NODES], n_values[DDP_MAX_NODES] = {0};

	for (unsigned int i = 0; i < n_slots; i++)
		if (!slot_is_empty(branch, i) && (uint16_t)branch->slots[i] < STEP_SLOW)
			n_values[(uint16_t)branch->slots[i]]++;
	for (unsigned int i = 0; i < s->program->n_nodes; i++)
		if (n_values[i] > 0)
			weights[i] = (states_count(s, i) * s->n_named[i] + 1) * ENTRIES_MAX /
				     n_values[i];
	for (unsigned int k = 0; k < FORM_USUAL; k++) {
		uint32_t best = branch->slots[0];
		unsigned int most = 0;

		for (unsigned int i = 0; i < n_slots; i++) {
			const uint32_t slot = branch->slots[i];
			const uint16_t value = slot >> 16, next = slot;
			const bool leads = !slot_is_empty(branch, i) && next < STEP_SLOW;
			const unsigned int weight = leads ? weights[next] : 1;
			bool skip = slot_is_empty(branch, i) || weight < most;

			for (unsigned int j = 0; j < k; j++)
				skip = skip || form->usual[j].value == value;
			if (skip || (weight == most && be16toh(value) > be16toh(best >> 16)))
				continue;
			best = slot;
			most = weight;
		}
		form->usual[k].value = best >> 16;
		form->usual[k].next = best;
	}
}

static uint64_t given_value(const struct steps *s, const struct given *given) {
	uint64_t value;

	assert(s->at + FORM_BYTES <= SAMPLE_SIZE);
	memcpy(&value, given->bytes + s->at, FORM_BYTES);
	return value & given->mask;
}

// false: the step cannot say what follows.
static bool form_fill(struct steps *s, const struct given *given, struct prog_form *form) {
	const struct prog_branch *branch;

	s->given = given;
	s->step = ddp_arena_alloc(s->program->arena, sizeof(*s->step));
	s->step->size = given->seen.len;
	s->step->need = given->seen.len < s->at + FORM_BYTES ? s->at + FORM_BYTES : given->seen.len;
	if (s->step->need < given->min_len)
		s->step->need = given->min_len;
	if (given->any_length)
		length_make(s);
	branches_make(s);
	s->given = NULL;
	if (s->step->need >= UINT16_MAX)
		return false;
	branch = &s->step->branch;
	if (branch_is_guarded(branch))
		s->step->has = STEP_GUARD;
	*form = (struct prog_form){
		.mask = given->mask,
		.value = given_value(s, given),
		.slots = branch->slots,
		.step = s->step,
		.node = given->seen.node,
		.groups = given->seen.groups,
		.fragment = given->seen.fragment,
		.len = given->seen.len,
		.byte = branch->byte,
		.bits = branch->mask,
		.factor = branch->factor,
		.shift = branch->shift,
		.at = s->at,
		.need = s->step->need,
	};
	if (given->any_length)
		form->has |= FORM_LENGTH;
	if (given->seen.fragment)
		form->has |= FORM_FRAGMENT;
	if (branch_is_guarded(branch) || branch->from_end)
		form->has |= FORM_BRANCH;
	usual_choose(s, form);
	return true;
}

// Whether each header with b's bits has a's, too.
static bool given_covers(const struct steps *s, const struct given *a, const struct given *b) {
	return (a->mask & ~b->mask) == 0 && (given_value(s, b) & a->mask) == given_value(s, a);
}

// Those with few bits come first: more headers have them.
static void given_add(struct steps *s, const struct given *given) {
	struct forms *forms = &s->forms;
	const int n_bits = __builtin_popcountll(given->mask);
	unsigned int at = 0, n = 0;

	while (at < forms->n && __builtin_popcountll(forms->given[at].mask) <= n_bits)
		if (given_covers(s, &forms->given[at++], given))
			return;
	if (at == FORMS_MAX)
		return;
	if (forms->n == FORMS_MAX)
		forms->n--;
	memmove(&forms->given[at + 1], &forms->given[at], (forms->n - at) * sizeof(*given));
	forms->given[at] = *given;
	forms->n++;
	for (unsigned int i = 0; i < forms->n; i++)
		if (i <= at || !given_covers(s, given, &forms->given[i]))
			forms->given[n++] = forms->given[i];
	forms->n = n;
}

// The form of a header with the given bits; mask has those that it differs in from others.
static void form_try(struct steps *s, const uint8_t *bytes, uint64_t mask) {
	const struct ddp_packet packet = {bytes, SAMPLE_SIZE, SAMPLE_SIZE, NULL, NULL};
	struct given given = {.mask = mask, .seen.node = s->node - s->program->nodes};
	struct trace trace = {0};

	if (!header_look(s->program, &packet, &given.seen, &trace))
		return;
	memcpy(given.bytes, bytes, SAMPLE_SIZE);
	given.min_len = trace.min_len;
	if (looked_at(s, &trace, &given.mask))
		given_add(s, &given);
}

// The form of a header of any length, by one field. It is the last one.
static void form_try_length(struct steps *s, const uint8_t *bytes) {
	const struct ddp_packet packet = {bytes, SAMPLE_SIZE, SAMPLE_SIZE, NULL, NULL};
	const struct prog_node *node = s->node;
	struct given given = {.seen.node = node - s->program->nodes, .any_length = true};
	struct trace trace = {0};

	if (node->linear.mask == 0 || node->n_groups > 0 ||
	    !header_look(s->program, &packet, &given.seen, &trace))
		return;
	memcpy(given.bytes, bytes, SAMPLE_SIZE);
	if (cond_says(s, &given, &node->valid, &given.mask, &given.min_len) != 1 ||
	    (node->can_fragment && cond_says(s, &given, &node->fragment, &given.mask,
					     &given.min_len) != given.seen.fragment))
		return;
	if (s->forms.n == FORMS_MAX)
		s->forms.n--;
	s->forms.given[s->forms.n++] = given;
}

static void form_try_test(struct steps *s, const uint8_t *plain,
			  const struct prog_bit_test *bit_test) {
	uint8_t bytes[SAMPLE_SIZE];
	uint64_t mask = 0;

	memcpy(bytes, plain, sizeof(bytes));
	if (bit_test->mask != 0 && bits_place(s, bit_test, &mask, bytes))
		form_try(s, bytes, mask);
}

static void given_find(struct steps *s, const struct prog_step *step) {
	const struct prog_length *linear = &s->node->linear;
	uint8_t bytes[SAMPLE_SIZE] = {0};
	struct prog_step ignored = {0};

	s->step = &ignored;
	s->at = 0;
	if (linear->mask != 0 && linear->byte + 2 > FORM_BYTES)
		s->at = linear->byte + 2 - FORM_BYTES;
	plain_make(s, bytes);
	form_try(s, bytes, 0);
	form_try_test(s, bytes, &step->branch.guard);
	for (unsigned int i = 0; i < step->n_branches; i++)
		form_try_test(s, bytes, &step->branches[i].guard);
	for (unsigned int g = 0; g < step->n_options; g++)
		form_try_test(s, bytes, &step->options[g].present);
	form_try_length(s, bytes);
}

unsigned int forms_make(struct steps *s, const struct prog_step *step, struct prog_form *forms) {
	const struct prog_node *node = s->node;
	bool is_own = cond_is_own(s->program, &node->length, false) &&
		      cond_is_own(s->program, &node->valid, false) &&
		      cond_is_own(s->program, &node->fragment, false);
	unsigned int n = 0;

	for (unsigned int g = 0; g < node->n_groups; g++)
		is_own = is_own && cond_is_own(s->program, &node->groups[g], false);
	s->forms.n = 0;
	if (is_own)
		given_find(s, step);
	for (unsigned int i = 0; i < s->forms.n; i++)
		n += form_fill(s, &s->forms.given[i], &forms[n]);
	return n;
}
