/* SPDX-License-Identifier: BSD-3-Clause */
// From a classified packet to the bytes that are hashed.

#include "walk.h"

// Whether it applies to any packet of its type.
static inline bool set_is_plain(const struct prog_set *set) {
	return (set->cond.n_matches | set->cond.n_ops) == 0;
}

// The first set of a type that applies, by conditions or bits of rss_hf.
static __attribute__((noinline)) const struct prog_set *
set_ask(const struct ddp_program *program, const struct ddp_packet *packet,
	const struct ddp_class *class, uint64_t rss_hf, struct trace *trace) {
	const struct prog_type *type = &program->types[class->type];

	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct prog_set *set = &program->sets[type->first_set + i];

		if (program->by_rss_hf && (set->rss_hf & rss_hf) == 0)
			continue;
		if (set_is_plain(set) || cond_holds(program, packet, class, &set->cond, trace))
			return set;
	}
	return NULL;
}

const struct prog_set *set_choose(const struct ddp_program *program,
				  const struct ddp_packet *packet, const struct ddp_class *class,
				  uint64_t rss_hf, struct trace *trace) {
	const struct prog_type *type;
	const struct prog_set *first;

	if (class->type == DDP_TYPE_NONE || class->unhashed)
		return NULL;
	type = &program->types[class->type];
	if (type->n_sets == 0)
		return NULL;
	if (program->outermost != NULL && ddp_rss_hf_is_outermost(rss_hf))
		return program->outermost;
	first = &program->sets[type->first_set];
	if (!program->by_rss_hf && set_is_plain(first))
		return first;
	return set_ask(program, packet, class, rss_hf, trace);
}

// Copy the field's leading ref->bits to out, right-aligned in whole bytes. Returns their number, 0
// when the packet has no such field. Not inline: what gathers runs hardly needs it.
static __attribute__((noinline)) unsigned int field_copy(const struct ddp_program *program,
							 const struct ddp_packet *packet,
							 const struct ddp_class *class,
							 const struct prog_ref *ref, uint8_t *out) {
	unsigned int size = (ref->bits + 7) / 8;
	uint64_t value[2];
	struct number number;
	uint8_t buf[16];
	uint32_t bit;

	if (!field_locate(program, class, ref, &bit) || bit + ref->bits > packet->len * 8u)
		return 0;
	if (bit % 8 == 0 && ref->bits % 8 == 0) {
		memcpy(out, packet_at(packet, bit / 8, size, buf), size);
		return size;
	}
	number = bits_load(packet, bit, ref->bits);
	value[0] = htobe64(number.hi);
	value[1] = htobe64(number.lo);
	memcpy(out, (const uint8_t *)value + sizeof(value) - size, size);
	return size;
}

// A NIC hashes words at offsets: missing bytes count as zeros.
static unsigned int zeros_copy(const struct ddp_program *program, const struct ddp_packet *packet,
			       const struct ddp_class *class, const struct prog_ref *ref,
			       uint8_t *out) {
	unsigned int size = ref->bits / 8, there = 0;
	uint8_t buf[16];
	uint32_t bit;

	if (field_locate(program, class, ref, &bit) && bit / 8 < packet->len)
		there = packet->len - bit / 8 < size ? packet->len - bit / 8 : size;
	if (there > 0)
		memcpy(out, packet_at(packet, bit / 8, there, buf), there);
	memset(out + there, 0, size - there);
	return size;
}

// Field by field. Not inline: its arrays would be on the stack of what gathers runs.
static __attribute__((noinline)) unsigned int
gather_each(const struct ddp_program *program, const struct ddp_packet *packet,
	    const struct ddp_class *class, const struct prog_set *set,
	    enum ddp_hash_function function, uint8_t *input) {
	uint8_t starts[DDP_MAX_INPUT_SIZE], sizes[DDP_MAX_INPUT_SIZE];
	uint8_t plain[DDP_MAX_INPUT_SIZE]; // a field may be there twice
	unsigned int len = 0;

	for (unsigned int i = 0; i < set->n_inputs; i++) {
		const struct prog_input *in = &program->inputs[set->first_input + i];

		starts[i] = len;
		sizes[i] = field_copy(program, packet, class, &in->ref, input + len);
		if (sizes[i] == 0 && program->model != NULL)
			sizes[i] = zeros_copy(program, packet, class, &in->ref, input + len);
		len += sizes[i];
	}
	if (!ddp_hash_is_symmetric(function))
		return len;
	memcpy(plain, input, len);
	for (unsigned int i = 0; i < set->n_inputs; i++) {
		int other = program->inputs[set->first_input + i].partner;

		if (other >= 0 && sizes[i] == sizes[other])
			pair_put(function, input, plain, starts[i], starts[other], sizes[i]);
	}
	return len;
}

// The sizes that addresses and ports have need no call of memcpy().
static inline void run_copy(uint8_t *to, const uint8_t *from, unsigned int size) {
	switch (size) {
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	case 32:
		memcpy(to, from, 32);
		break;
	default:
		memcpy(to, from, size);
		break;
	}
}

static unsigned int gather_runs(const struct ddp_program *program, const struct ddp_packet *packet,
				const struct ddp_class *class, const struct prog_set *set,
				uint8_t *input) {
	const struct prog_run *run = &program->runs[set->first_run];
	const struct prog_run *end = run + set->n_runs;
	unsigned int len = 0;
	uint8_t buf[DDP_MAX_INPUT_SIZE];

	for (; run < end; run++) {
		const struct ddp_seen *seen;

		if (run->size == 0) {
			len += field_copy(program, packet, class, &run->ref, input + len);
			continue;
		}
		if (run->ref.which == DDP_WHICH_INNER && class->inner_l3 >= 0) // as most are
			seen = nth_find(class->seen + class->inner_l3,
					class->seen + class->n_matched, run->ref.node, 1);
		else
			seen = seen_header(program, class, &run->ref);
		if (seen == NULL)
			continue;
		run_copy(input + len, packet_at(packet, seen->off + run->byte, run->size, buf),
			 run->size);
		len += run->size;
	}
	return len;
}

unsigned int set_gather(const struct ddp_program *program, const struct ddp_packet *packet,
			const struct ddp_class *class, const struct prog_set *set,
			enum ddp_hash_function function, uint8_t *input) {
	unsigned int len = ddp_hash_is_symmetric(function) || program->model != NULL ?
				   gather_each(program, packet, class, set, function, input) :
				   gather_runs(program, packet, class, set, input);

	RTE_ASSERT(len <= DDP_MAX_INPUT_SIZE);
	if (len % 4 != 0)
		memset(input + len, 0, 4 - len % 4);
	return len;
}

unsigned int ddp_input_gather(const struct ddp_program *program, const struct ddp_packet *packet,
			      const struct ddp_class *class, uint64_t rss_hf,
			      enum ddp_hash_function function, uint8_t *input) {
	const struct prog_set *set = set_choose(program, packet, class, rss_hf, NULL);

	return set != NULL ? set_gather(program, packet, class, set, function, input) : 0;
}

static bool is_repeat(const struct ddp_program *program, uint32_t first, unsigned int n,
		      const char *name) {
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(program->inputs[first + i].name, name) == 0)
			return true;
	return false;
}

static void field_tell(const struct ddp_program *program, const struct ddp_packet *packet,
		       const struct ddp_class *class, const struct prog_input *in, ddp_field_fn fn,
		       void *arg) {
	uint8_t value[16] = {0}, bytes[16];
	unsigned int size = field_copy(program, packet, class, &in->ref, bytes);

	memcpy(value + sizeof(value) - size, bytes, size);
	if (size > 0)
		fn(arg, in->name, in->ref.bits, value);
}

void ddp_fields_each(const struct ddp_program *program, const struct ddp_packet *packet,
		     const struct ddp_class *class, uint64_t rss_hf, ddp_field_fn fn, void *arg) {
	const struct prog_set *set = set_choose(program, packet, class, rss_hf, NULL);
	const struct prog_type *type;
	unsigned int first = 0, n = 0; // of the set

	if (class->type == DDP_TYPE_NONE)
		return;
	type = &program->types[class->type];
	if (set != NULL) {
		first = set->first_input;
		n = set->n_inputs;
	}
	for (unsigned int i = 0; i < n + type->n_extract; i++) {
		const unsigned int own = i < n ? first : type->first_extract - n;
		const struct prog_input *in = &program->inputs[own + i];

		if (!is_repeat(program, first, i < n ? i : n, in->name) &&
		    (i < n || !is_repeat(program, type->first_extract, i - n, in->name)))
			field_tell(program, packet, class, in, fn, arg);
	}
}
