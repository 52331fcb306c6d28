/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: a program and packets. Data path.
#pragma once

#include <endian.h>

#include <rte_debug.h>

#include "classify/program.h"

// The bits that a walk read: it is equal for each packet with these bits that is long enough.
#define TRACE_REACH 256 // bytes from the packet's start
#define TRACE_WORDS 4   // words of each kind below

// A 16-bit word that a table said something about.
struct trace_word {
	uint16_t byte;
	bool holds;
	const struct prog_word *word;
};

// A 16-bit word that is none of some values: a port at which no tunnel is.
struct trace_list {
	uint16_t byte;
	uint16_t n;
	uint16_t values[TRACE_LIST];
};

struct trace {
	bool lost;        // it cannot be said: something else decided, such as the packet's end
	uint32_t min_len; // bytes that the packet must have
	unsigned int n_words, n_lists;
	struct trace_word words[TRACE_WORDS];
	struct trace_list lists[TRACE_WORDS];
	uint8_t mask[TRACE_REACH];
};

static inline void trace_need(struct trace *trace, uint32_t end) {
	if (trace->min_len < end)
		trace->min_len = end;
}

// header.c
void trace_bits(struct trace *trace, uint32_t bit, unsigned int width);
// Bits of 8 bytes, as a big-endian number.
void trace_mask(struct trace *trace, uint32_t byte, uint64_t mask);
void trace_word(struct trace *trace, uint32_t byte, const struct prog_word *word, bool holds);
// walk.c
// ddp_classify() with notes; trace may be NULL.
void classify_traced(const struct ddp_program *program, const struct ddp_packet *packet,
		     struct ddp_class *class, struct trace *trace);
// Like ddp_classify(), for the packet type and the hashed bytes alone: headers behind those that
// decide are not read. status, n_seen and seen describe the others. trace may be NULL.
void classify_type_traced(const struct ddp_program *program, const struct ddp_packet *packet,
			  struct ddp_class *class, struct trace *trace);

// The first n headers without hidden ones at their end, which only selected the next header.
static inline unsigned int seen_shown(const struct ddp_program *program,
				      const struct ddp_class *class, unsigned int n) {
	while (n > 0 && program->layers[class->seen[n - 1].node].hidden)
		n--;
	return n;
}

// Make one field of the input symmetric with the other one of its pair: the XOR of both, or the
// smaller one first. plain is the input as it was.
static inline void pair_put(enum ddp_hash_function function, uint8_t *input, const uint8_t *plain,
			    unsigned int at, unsigned int other, unsigned int size) {
	RTE_ASSERT(at + size <= DDP_MAX_INPUT_SIZE && other + size <= DDP_MAX_INPUT_SIZE);
	if (function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		for (unsigned int b = 0; b < size; b++)
			input[at + b] ^= plain[other + b];
	else if ((memcmp(plain + at, plain + other, size) < 0) != (at < other))
		memcpy(input + at, plain + other, size);
}

// input_set.c: ddp_input_gather() for one set.
unsigned int set_gather(const struct ddp_program *program, const struct ddp_packet *packet,
			const struct ddp_class *class, const struct prog_set *set,
			enum ddp_hash_function function, uint8_t *input);

// The set that applies, or NULL: the packet is not hashed. trace may be NULL.
const struct prog_set *set_choose(const struct ddp_program *program,
				  const struct ddp_packet *packet, const struct ddp_class *class,
				  uint64_t rss_hf, struct trace *trace);

// The nth header of a kind among those of the packet from first to end.
static inline const struct ddp_seen *
nth_find(const struct ddp_seen *first, const struct ddp_seen *end, uint8_t node, unsigned int nth) {
	for (; first < end; first++)
		if (first->node == node && --nth == 0)
			return first;
	return NULL;
}

// header.c: the header that a reference means, or NULL; not DDP_WHICH_SELF.
const struct ddp_seen *seen_header(const struct ddp_program *program, const struct ddp_class *class,
				   const struct prog_ref *ref);
bool cond_holds(const struct ddp_program *program, const struct ddp_packet *packet,
		const struct ddp_class *class, const struct prog_cond *cond, struct trace *trace);
// The offset of a field in the packet, in bits. false: the packet has no such field.
bool field_locate(const struct ddp_program *program, const struct ddp_class *class,
		  const struct prog_ref *ref, uint32_t *bit);
// Its value, right-aligned. false: the packet has no such field, or ends before it.
bool field_value(const struct ddp_program *program, const struct ddp_packet *packet,
		 const struct ddp_class *class, const struct prog_ref *ref, uint64_t *hi,
		 uint64_t *lo);
struct number {
	uint64_t hi, lo;
};

// From where conditions and fields are seen: a header, class holding those before it, or all of
// them. With the interpreter's own code, for what is no packet's.
struct walk {
	const struct ddp_program *program;
	const struct ddp_packet *packet;
	struct ddp_class *class;
	const struct ddp_seen *self; // the header, not yet counted in class; or NULL
	bool beyond;                 // the packet ends before the bytes read
	struct trace *trace;         // notes what is looked at; or NULL
	unsigned int n_final;        // the walk ends in the first so many states of the automaton
	uint64_t l3;                 // which headers are IP headers; bit 0: the last one
};
bool walk_holds(struct walk *w, const struct prog_cond *cond);
bool walk_match(struct walk *w, const struct prog_match *match);
uint64_t walk_value(struct walk *w, const struct prog_cond *cond);
// false: the header or packet has no such field; the value is 0.
bool walk_field(struct walk *w, const struct prog_ref *ref, struct number *value);
// The first bit of a field. false: the header or packet has no such field.
bool field_find(struct walk *w, const struct prog_ref *ref, uint32_t *bit);

static inline void beyond_set(struct walk *w) {
	w->beyond = true;
	if (w->trace != NULL)
		w->trace->lost = true;
}

// header.c, for forms.c: fill in the first header of a packet, of kind seen->node. false: bad.
bool header_look(const struct ddp_program *program, const struct ddp_packet *packet,
		 struct ddp_seen *seen, struct trace *trace);
// Bytes that optional groups take, of the first n those that are present.
uint32_t groups_size(const struct prog_node *node, unsigned int present, unsigned int n);
// len bytes from off; buf has room for them.
static inline const uint8_t *packet_at(const struct ddp_packet *packet, uint32_t off, uint32_t len,
				       uint8_t *buf) {
	RTE_ASSERT(off + len <= packet->len);
	if (off + len <= packet->first_len)
		return packet->data + off;
	return packet->read(packet->ctx, off, len, buf);
}

// Bits [bit, bit + width) of the packet, right-aligned: any width, any segments.
struct number bits_gather(const struct ddp_packet *packet, uint32_t bit, unsigned int width);

// Like bits_gather(). Most fields are narrow and not the packet's last bytes: one load does.
static inline struct number bits_load(const struct ddp_packet *packet, uint32_t bit,
				      unsigned int width) {
	uint64_t word;

	if (width > 57 || bit / 8 + 8 > packet->first_len)
		return bits_gather(packet, bit, width);
	memcpy(&word, packet->data + bit / 8, sizeof(word));
	return (struct number){.lo = be64toh(word) << bit % 8 >> (64 - width)};
}

// Up to 8 bytes of the packet, which has size of them, as a big-endian number; 0 beyond.
static inline uint64_t bytes_load(const struct ddp_packet *packet, uint32_t at, unsigned int size) {
	uint64_t word = 0;
	uint8_t buf[8];

	RTE_ASSERT(size <= sizeof(word));
	if (__builtin_expect(at + 8 <= packet->first_len, 1))
		memcpy(&word, packet->data + at, sizeof(word));
	else
		memcpy(&word, packet_at(packet, at, size, buf), size);
	return be64toh(word);
}

// The position of a walk: the header of kind next begins at off.
struct position {
	uint32_t off;
	uint16_t state;                // of the path automaton
	const struct prog_layers *row; // of the program's
	int next;                      // -1: none
	uint32_t layers;
	uint64_t l3; // as the walk's
};

// Find out the header's size. Its length field may lie: reads only what is known to be there.
enum ddp_status header_measure(struct walk *w, const struct prog_node *node, struct ddp_seen *seen);
// Collect one header of any kind into class->seen. Other than OK: the walk ends with it.
enum ddp_status header_walk(struct walk *w, struct position *position);
// All headers so, which notes each bit that is read.
enum ddp_status headers_walk(struct walk *w);
// The node that follows, by the rules from first on, or -1 for the end of the path.
int next_find(struct walk *w, const struct prog_node *node, unsigned int first);
// The layers after a fragment's header, whose own layers are in word.
uint32_t fragment_set(const struct ddp_program *program, unsigned int node, unsigned int mode,
		      uint32_t word);

// The header of kind position->next is there: what it is on the path, into seen.
static inline void position_pass(const struct ddp_program *program, struct position *position,
				 struct ddp_seen *seen) {
	const struct automaton *a = &program->automaton;
	const struct prog_layers *layers = position->row + position->next;

	RTE_ASSERT(position->next >= 0);
	position->state = a->next[position->state * a->n_tokens + position->next];
	position->layers = (position->layers & layers->keep) | layers->set;
	position->row = layers->row;
	position->l3 = position->l3 << 1 | layers->is_l3;
	seen->state = position->state;
	// Headers behind a fragmented IP header are no part of the packet type: only its first
	// fragment has them, and all fragments must go one way.
	if (seen->fragment) {
		position->layers =
			fragment_set(program, position->next, layers->mode, position->layers);
		position->state = 0;
	}
	seen->layers = position->layers;
}
