/* SPDX-License-Identifier: BSD-3-Clause */
// The interpreter: from header to header through the parse graph. This is the reference: whatever
// is faster must agree with it on every packet.
//
// It reads only bytes of the packet (every read is checked against its length, once per header or
// field), and it ends: at most DDP_MAX_STEPS headers are looked at.
#include <assert.h>

#include "walk.h"

/* From header to header */

// The node behind the last header collected, if its branches do not decide.
static __attribute__((noinline)) unsigned int next_slow(struct walk *w,
							const struct prog_step *step) {
	const struct ddp_seen *seen = &w->class->seen[w->class->n_seen - 1];
	int next;

	RTE_ASSERT(w->class->n_seen > 0);
	w->self = seen;
	w->class->n_seen--; // rules that read earlier headers do not count it yet
	next = next_find(w, &w->program->nodes[seen->node], step->slow_rule);
	w->class->n_seen++;
	return next < 0 ? STEP_END : next;
}

static inline bool bit_test_holds(const struct prog_bit_test *bit_test, const uint8_t *header) {
	uint64_t word;

	memcpy(&word, header + bit_test->byte, sizeof(word));
	return ((word & bit_test->mask) == bit_test->value) != bit_test->negate;
}

// Whether a branch has the value; then *next is the next node.
static inline bool branch_has(const struct prog_branch *branch, const uint8_t *header, uint32_t len,
			      uint16_t *next) {
	const uint8_t *from = header + (branch->from_end ? len : 0);
	uint16_t value;
	uint32_t slot;

	memcpy(&value, from + branch->byte, sizeof(value));
	value &= branch->mask;
	slot = branch->slots[(uint16_t)((uint32_t)value * branch->factor) >> branch->shift];
	*next = slot;
	return slot >> 16 == value;
}

// The nearest header of a kind before this one decides the branch.
static bool back_says(const struct prog_branch *branch, const uint8_t *header,
		      const struct ddp_seen *seen, const struct ddp_seen *first) {
	const uint8_t *packet = header - seen->off;
	uint16_t value;

	while (seen-- > first) {
		if (seen->node != branch->back_node)
			continue;
		memcpy(&value, packet + seen->off + branch->back_byte, sizeof(value));
		return (value & branch->back_mask) == branch->back_value;
	}
	return false;
}

static inline bool branch_asks(const struct prog_branch *branch, const uint8_t *header,
			       const struct ddp_seen *seen, const struct ddp_seen *first) {
	return bit_test_holds(&branch->guard, header) &&
	       (seen->groups & branch->groups) == branch->groups &&
	       (!branch->asks_back || back_says(branch, header, seen, first));
}

// The result of the branches behind a step's first one.
static inline uint16_t branches_find(const struct prog_step *step, const uint8_t *header,
				     const struct ddp_seen *seen, const struct ddp_seen *first) {
	const struct prog_branch *branch = step->branches;
	uint16_t next;

	for (unsigned int n = step->n_branches; n > 0; n--, branch++)
		if (branch_has(branch, header, seen->len, &next) &&
		    branch_asks(branch, header, seen, first))
			return next;
	return step->otherwise;
}

// The next node behind a header, or STEP_END or STEP_SLOW. first: of the packet.
static inline uint16_t branch_find(const struct prog_step *step, const uint8_t *header,
				   const struct ddp_seen *seen, const struct ddp_seen *first) {
	uint16_t next;

	if (branch_has(&step->branch, header, seen->len, &next) &&
	    ((step->has & STEP_GUARD) == 0 || branch_asks(&step->branch, header, seen, first)))
		return next;
	return branches_find(step, header, seen, first);
}

static inline bool form_fits(const struct prog_form *form, const uint8_t *header, uint32_t off,
			     uint32_t limit) {
	uint64_t word;

	if (off + form->need > limit)
		return false;
	memcpy(&word, header + form->at, sizeof(word));
	return (word & form->mask) == form->value;
}

// Whether a member of a form is as far from its first as in what is seen.
#define FORM_SEEN(member)                                                         \
	(offsetof(struct prog_form, member) - offsetof(struct prog_form, node) == \
	 offsetof(struct ddp_seen, member))

// Copy the first 8 bytes of a form, which equal those of struct ddp_seen up to seen->off.
static inline void form_copy(const struct prog_form *form, struct ddp_seen *seen) {
	const uint8_t *from = (const uint8_t *)form + offsetof(struct prog_form, node);

	static_assert(FORM_SEEN(groups) && FORM_SEEN(fragment) && FORM_SEEN(len),
		      "one load and one store copy them");
	memcpy(seen, from, sizeof(uint64_t));
}

// Like branch_find(), for a form whose first branch tests a value only.
static inline unsigned int form_follow(const struct prog_form *form, const uint8_t *header,
				       const struct ddp_seen *seen, const struct ddp_seen *first) {
	uint16_t value;
	uint32_t slot;

	memcpy(&value, header + form->byte, sizeof(value));
	value &= form->bits;
	if (__builtin_expect(value == form->usual[0].value, 1))
		return form->usual[0].next;
	if (value == form->usual[1].value)
		return form->usual[1].next;
	if (value == form->usual[2].value)
		return form->usual[2].next;
	slot = form->slots[(uint16_t)((uint32_t)value * form->factor) >> form->shift];
	return slot >> 16 == value ? slot & UINT16_MAX :
				     branches_find(form->step, header, seen, first);
}

static inline uint32_t step_length(const struct prog_step *step, const uint8_t *header) {
	uint16_t word;

	memcpy(&word, header + step->length_byte, sizeof(word));
	return step->base + (uint32_t)((be16toh(word) & step->length_bits) * step->factor >> 16);
}

// The size of the header that begins left bytes before the end of what can be loaded. false: the
// step cannot say, or it is no header as it should be.
static inline bool step_measure(const struct prog_step *step, const uint8_t *header, uint32_t left,
				uint32_t *len, unsigned int *groups) {
	uint32_t size = step->size;

	*len = size;
	*groups = 0;
	if (step->need > left)
		return false;
	if ((step->has & (STEP_LENGTH | STEP_OPTIONS | STEP_VALID)) == 0)
		return true;
	for (unsigned int g = 0; g < step->n_options; g++) {
		if (!bit_test_holds(&step->options[g].present, header))
			continue;
		size += step->options[g].size;
		*groups |= 1u << g;
	}
	*len = size;
	if ((step->has & STEP_LENGTH) != 0) {
		*len = step_length(step, header);
		if (*len < size)
			return false;
	}
	return (uint64_t)*len + step->tail <= left &&
	       ((step->has & STEP_VALID) == 0 || bit_test_holds(&step->valid, header));
}

// One header that no form fits. Returns the next node, or STEP_END with the reason in *status.
static __attribute__((noinline)) unsigned int
header_other(struct walk *w, struct position *position, uint32_t limit, enum ddp_status *status) {
	const struct ddp_program *program = w->program;
	const struct prog_step *step = &program->steps[position->next];
	const uint8_t *header = w->packet->data + position->off;
	struct ddp_class *class = w->class;
	struct ddp_seen *seen = &class->seen[class->n_seen];
	unsigned int groups, follows;
	uint32_t len;

	// So few headers can never be too many.
	if (class->n_seen >= DDP_MAX_HEADERS || position->off > limit ||
	    !step_measure(step, header, limit - position->off, &len, &groups)) {
		*status = header_walk(w, position);
		return *status == DDP_STATUS_OK && position->next >= 0 ?
			       (unsigned int)position->next :
			       STEP_END;
	}
	*seen = (struct ddp_seen){
		.node = position->next,
		.groups = groups,
		.fragment =
			(step->has & STEP_FRAGMENT) != 0 && bit_test_holds(&step->fragment, header),
		.len = len,
		.off = position->off,
	};
	position_pass(program, position, seen);
	class->n_seen++;
	if (position->state < w->n_final)
		return STEP_END;
	follows = branch_find(step, header, seen, class->seen);
	position->off += len;
	return follows == STEP_SLOW ? next_slow(w, step) : follows;
}

// The form of a header, of which the first of its kind is not, and the header's size. NULL: none
// fits, or its size is not what it should be.
static inline const struct prog_form *form_other(const struct prog_form *forms,
						 const struct prog_form *form,
						 const uint8_t *header, uint32_t off,
						 uint32_t limit, uint32_t *len) {
	while (form->other != 0) {
		form = &forms[form->other];
		if (!form_fits(form, header, off, limit))
			continue;
		*len = form->len;
		if ((form->has & FORM_LENGTH) == 0)
			return form;
		*len = step_length(form->step, header);
		if (*len >= form->len && (uint64_t)off + *len + form->step->tail <= limit)
			return form;
	}
	return NULL;
}

// Collect headers into class->seen. Returns how the walk ended. What forms and steps can say they
// do. What is known stays in registers: the next header waits for each load and store.
static __attribute__((noinline)) enum ddp_status steps_walk(struct walk *w) {
	const struct ddp_program *program = w->program;
	const struct prog_form *forms = program->forms;
	const uint16_t *states = program->automaton.next;
	const struct prog_layers *row = program->layers;
	const size_t n_tokens = program->automaton.n_tokens;
	const unsigned int n_final = w->n_final;
	const struct ddp_packet *packet = w->packet;
	const uint32_t limit = packet->first_len < packet->len ? packet->first_len : packet->len;
	struct ddp_class *class = w->class;
	const struct ddp_seen *end = class->seen + DDP_MAX_HEADERS;
	struct ddp_seen *seen = class->seen;
	size_t state = program->automaton.start, next = program->first;
	uint32_t layers = 0, off = 0;
	uint64_t l3 = 0;
	enum ddp_status status = DDP_STATUS_OK;
	const uint8_t *header = packet->data;

	for (;;) {
		const struct prog_form *form = &forms[next];
		const struct prog_layers *l = row + next;
		uint32_t len = form->len;

		if (__builtin_expect(seen >= end, 0))
			form = NULL;
		else if (__builtin_expect(!form_fits(form, header, off, limit), 0))
			form = form_other(forms, form, header, off, limit, &len);
		if (__builtin_expect(form == NULL, 0)) {
			struct position position = {off, state, row, next, layers, l3};

			class->n_seen = seen - class->seen;
			next = header_other(w, &position, limit, &status);
			seen = class->seen + class->n_seen;
			state = position.state;
			row = position.row;
			layers = position.layers;
			l3 = position.l3;
			off = position.off;
			header = packet->data + off;
			if (next == STEP_END)
				break;
			continue;
		}
		state = states[state * n_tokens + next];
		layers = (layers & l->keep) | l->set;
		l3 = l3 << 1 | l->is_l3;
		row = l->row;
		form_copy(form, seen);
		seen->off = off;
		seen->state = state;
		seen->layers = layers;
		if (__builtin_expect(form->has == 0, 1)) {
			next = state < n_final ? STEP_END :
						 form_follow(form, header, seen, class->seen);
		} else {
			seen->len = len;
			if (form->has & FORM_FRAGMENT) {
				state = 0;
				seen->layers = layers =
					fragment_set(program, next, l->mode, layers);
			}
			if (state < n_final)
				next = STEP_END;
			else if (form->has & FORM_BRANCH)
				next = branch_find(form->step, header, seen, class->seen);
			else
				next = form_follow(form, header, seen, class->seen);
		}
		header += len;
		off += len;
		seen++;
		if (next >= STEP_SLOW) {
			class->n_seen = seen - class->seen;
			if (next == STEP_SLOW)
				next = next_slow(w, form->step);
			if (next == STEP_END)
				break;
		}
	}
	w->l3 = l3;
	if (status != DDP_STATUS_OK)
		return status;
	return w->beyond ? DDP_STATUS_TRUNCATED : DDP_STATUS_OK;
}

/* The packet type */

static int16_t inner_l3_find(const struct ddp_program *program, const struct ddp_class *class) {
	int16_t i = class->n_matched - 1;

	while (i >= 0 && !program->nodes[class->seen[i].node].is_l3)
		i--;
	return i;
}

static __attribute__((noinline)) bool type_cond(struct walk *w, uint16_t state) {
	const struct automaton *a = &w->program->automaton;
	struct ddp_class *class = w->class;

	class->inner_l3 = inner_l3_find(w->program, class);
	for (unsigned int i = 0; i < a->n_accepts[state]; i++) {
		uint16_t type = a->accepts[a->first_accept[state] + i];

		if (walk_holds(w, &w->program->types[type].cond)) {
			class->type = type;
			return true;
		}
	}
	return false;
}

// The longest part of the path, from its start, that makes up a packet type.
static inline void type_find(struct walk *w) {
	const uint16_t *types = w->program->automaton.type;
	struct ddp_class *class = w->class;

	w->self = NULL;
	for (unsigned int n = class->n_seen; n > 0; n--) {
		uint16_t state = class->seen[n - 1].state;

		class->n_matched = n;
		class->type = types[state];
		if (class->type < TYPE_COND || (class->type == TYPE_COND && type_cond(w, state)))
			return;
	}
	class->type = DDP_TYPE_NONE;
	class->n_matched = 0;
	class->inner_l3 = -1;
}

static inline void l3_find(const struct walk *w) {
	struct ddp_class *class = w->class;
	int16_t first = 0, last;

	if (class->n_seen <= 64 && w->program->model == NULL) { // w->l3 has all
		const uint64_t bits = w->l3 >> (class->n_seen - class->n_matched);

		first = bits == 0 ? -1 : class->n_matched - 64 + __builtin_clzll(bits);
		last = bits == 0 ? -1 : class->n_matched - 1 - __builtin_ctzll(bits);
	} else {
		last = inner_l3_find(w->program, class);
		while (first < last && !w->program->nodes[class->seen[first].node].is_l3)
			first++;
	}
	class->inner_l3 = last;
	if (last < 0)
		return;
	class->l3_off = class->seen[first].off;
	class->encapsulated = first < last;
	if (first < last)
		class->inner_l3_off = class->seen[last].off;
	for (int16_t i = 0; i < last && !class->encapsulated; i++)
		class->encapsulated = !w->program->nodes[class->seen[i].node].is_link;
}

// The first field that the type extracts, 0 where the packet has none.
static inline uint32_t value_find(struct walk *w, const struct prog_type *type) {
	const struct prog_run *run = &type->value;
	const struct ddp_seen *seen;
	uint32_t bit;

	if (run->size > 0) {
		seen = seen_header(w->program, w->class, &run->ref);
		if (seen == NULL)
			return 0;
		return bytes_load(w->packet, seen->off + run->byte, run->size)
			       << type->value_left >>
		       (64 - run->ref.bits);
	}
	return field_locate(w->program, w->class, &run->ref, &bit) ?
		       bits_load(w->packet, bit, run->ref.bits).lo :
		       0;
}

static inline void type_fill(struct walk *w) {
	const struct prog_type *type = &w->program->types[w->class->type];
	struct ddp_class *class = w->class;
	// A header behind a hidden one at the end is no part of DPDK's packet type.
	const unsigned int n = seen_shown(w->program, class, class->n_matched);

	l3_find(w);
	class->type_id = type->info.id;
	class->rte_ptype =
		((n > 0 ? class->seen[n - 1].layers : 0) & type->rte_keep) | type->rte_set;
	if (type->n_extract > 0)
		class->value = value_find(w, type);
}

/* Packages */

// The headers that the NIC's parser found, with the library's layouts for their fields. A header
// that is cut or malformed has only the fields that are there.
static enum ddp_status model_headers(struct walk *w) {
	struct ddp_class *class = w->class;
	const struct model *model = w->program->model;
	enum ddp_status status = model->walk(model, w->packet, class, w->trace);
	unsigned int n = class->n_seen;

	class->n_seen = 0; // those before the one that is looked at
	for (; class->n_seen < n; class->n_seen++) {
		struct ddp_seen *seen = &class->seen[class->n_seen];
		const struct prog_node *node = &w->program->nodes[seen->node];

		w->self = seen;
		if (seen->off > w->packet->len || header_measure(w, node, seen) != DDP_STATUS_OK)
			beyond_set(w);
		else
			seen->fragment = node->can_fragment && walk_holds(w, &node->fragment);
	}
	w->self = NULL;
	class->n_matched = class->type == DDP_TYPE_NONE ? 0 : n;
	return status;
}

static __attribute__((noinline)) void packet_walk(const struct ddp_program *program,
						  const struct ddp_packet *packet,
						  struct ddp_class *class, struct trace *trace,
						  unsigned int n_final) {
	struct ddp_packet clipped = *packet; // offsets have 16 bits
	struct walk w = {.program = program,
			 .packet = &clipped,
			 .class = class,
			 .trace = trace,
			 .n_final = n_final};

	if (clipped.len > UINT16_MAX)
		clipped.len = UINT16_MAX;
	class->type = DDP_TYPE_NONE;
	class->type_id = 0;
	class->n_seen = 0;
	class->n_matched = 0;
	class->l3_off = UINT16_MAX;
	class->inner_l3_off = UINT16_MAX;
	class->rte_ptype = 0;
	class->value = 0;
	class->inner_l3 = -1;
	class->encapsulated = false;
	class->unhashed = false;
	if (program->model != NULL) {
		class->status = model_headers(&w);
	} else {
		class->status = trace != NULL ? headers_walk(&w) : steps_walk(&w);
		type_find(&w);
	}
	if (class->type != DDP_TYPE_NONE)
		type_fill(&w);
	if (trace != NULL && class->status != DDP_STATUS_OK)
		trace->lost = true;
}

void classify_traced(const struct ddp_program *program, const struct ddp_packet *packet,
		     struct ddp_class *class, struct trace *trace) {
	packet_walk(program, packet, class, trace, 0);
}

void classify_type_traced(const struct ddp_program *program, const struct ddp_packet *packet,
			  struct ddp_class *class, struct trace *trace) {
	packet_walk(program, packet, class, trace, program->automaton.n_final);
}

void ddp_classify(const struct ddp_program *program, const struct ddp_packet *packet,
		  struct ddp_class *class) {
	packet_walk(program, packet, class, NULL, 0);
}
