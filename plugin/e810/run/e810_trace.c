/* SPDX-License-Identifier: BSD-3-Clause */
// The bits of a packet that decide its walk. Data path.
//
// After a match, all compared bits are noted. After a mismatch, one bit that differs is enough, a
// witness; one witness often serves many rows, so the bit that excludes most of them is noted
// first. If the walk read zeros beyond the end of the packet, longer packets may differ: the trace
// is lost, unless other bits decide, too. Beyond the window there are only zeros.
#include "e810_walk.h"

#define HEAD_WORDS (E810_HEAD / 8)
#define MAX_ROWS 512 // rows that need a witness

// Bits of the head; bit 0 is the most significant one of word 0.
struct head_bits {
	uint64_t words[HEAD_WORDS];
};

struct witnesses {
	struct e810_trace *trace;
	const struct e810_walk *w;
	struct head_bits known;    // noted before, or constant
	struct head_bits readable; // inside the packet
	unsigned int n_rows;
	struct head_bits rows[MAX_ROWS]; // bits that differ from the packet
	bool overflow;
};

static void bit_note(struct e810_trace *trace, const struct e810_walk *w, unsigned int bit) {
	uint32_t byte = reg_get(w, REG_OFFSET) + bit / 8;

	if (byte >= E810_WINDOW)
		return;
	if (byte >= w->window) {
		trace->lost = true;
		return;
	}
	trace->mask[byte] |= 0x80 >> bit % 8;
	if (trace->min_len <= byte)
		trace->min_len = byte + 1;
}

static void reg_bit_note(struct e810_trace *trace, const struct e810_walk *w, unsigned int bit) {
	if (bit >= 16 * REG_HEAD && bit < 16 * REG_HEAD + 8 * E810_HEAD)
		bit_note(trace, w, bit - 16 * REG_HEAD);
}

static void reg_bits_note(struct e810_trace *trace, const struct e810_walk *w, struct bits bits) {
	for (unsigned int i = 0; i < bits.len; i++)
		reg_bit_note(trace, w, bits.start + i);
}

static void head_byte_put(struct head_bits *bits, unsigned int i, uint8_t byte) {
	bits->words[i / 8] |= (uint64_t)byte << (56 - 8 * (i % 8));
}

static void witnesses_init(struct witnesses *s, struct e810_trace *trace,
			   const struct e810_walk *w) {
	uint32_t offset = reg_get(w, REG_OFFSET);

	s->trace = trace;
	s->w = w;
	s->n_rows = 0;
	s->overflow = false;
	memset(&s->known, 0, sizeof(s->known));
	memset(&s->readable, 0, sizeof(s->readable));
	for (unsigned int i = 0; i < E810_HEAD; i++) {
		if (offset + i >= E810_WINDOW) {
			head_byte_put(&s->known, i, 0xff);
		} else if (offset + i < w->window) {
			head_byte_put(&s->known, i, trace->mask[offset + i]);
			head_byte_put(&s->readable, i, 0xff);
		}
	}
}

static bool overlap(const struct head_bits *a, const struct head_bits *b) {
	uint64_t common = 0;

	for (unsigned int i = 0; i < HEAD_WORDS; i++)
		common |= a->words[i] & b->words[i];
	return common != 0;
}

// Add a row that needs a witness, because no known bit excludes it.
static void row_add(struct witnesses *s, const struct head_bits *differing) {
	if (overlap(differing, &s->known))
		return;
	if (!overlap(differing, &s->readable)) {
		s->trace->lost = true;
		return;
	}
	if (s->n_rows == MAX_ROWS) {
		s->overflow = true;
		return;
	}
	for (unsigned int i = 0; i < HEAD_WORDS; i++)
		s->rows[s->n_rows].words[i] = differing->words[i] & s->readable.words[i];
	s->n_rows++;
}

static unsigned int best_bit(const struct witnesses *s) {
	uint16_t counts[8 * E810_HEAD] = {0};
	unsigned int best = 0;

	for (unsigned int r = 0; r < s->n_rows; r++)
		for (unsigned int i = 0; i < HEAD_WORDS; i++)
			for (uint64_t left = s->rows[r].words[i]; left != 0; left &= left - 1)
				counts[64 * i + 63 - __builtin_ctzll(left)]++;
	for (unsigned int bit = 1; bit < 8 * E810_HEAD; bit++)
		if (counts[bit] > counts[best])
			best = bit;
	return best;
}

static void witnesses_note(struct witnesses *s) {
	while (s->n_rows > 0) {
		unsigned int bit = best_bit(s), n = 0;

		bit_note(s->trace, s->w, bit);
		for (unsigned int r = 0; r < s->n_rows; r++)
			if (!(s->rows[r].words[bit / 64] >> (63 - bit % 64) & 1))
				s->rows[n++] = s->rows[r];
		s->n_rows = n;
	}
}

static void row_difference(const struct e810_walk *w, const struct boost_row *row,
			   struct head_bits *differing) {
	uint64_t key[BOOST_WORDS];

	memset(differing, 0, sizeof(*differing));
	memcpy(key, w->head, sizeof(key));
	for (unsigned int i = 0; i < BOOST_WORDS; i++)
		differing->words[i] = be64toh((key[i] ^ row->value[i]) & row->care[i]);
}

static void row_note(struct e810_trace *trace, const struct e810_walk *w,
		     const struct boost_row *row) {
	uint8_t care[8 * BOOST_WORDS];

	memcpy(care, row->care, sizeof(care));
	for (unsigned int bit = 0; bit < 8 * BOOST_BYTES; bit++)
		if (care[bit / 8] & 0x80 >> bit % 8)
			bit_note(trace, w, bit);
}

void e810_trace_boost(struct e810_trace *trace, const struct e810_walk *w,
		      const struct boost_bucket *bucket, const struct instruction *hit) {
	const struct e810_parser *parser = w->parser;
	const uint8_t *list = parser->boost_lists + bucket->first;
	const struct instruction *boosts = parser->instructions + E810_N_PCS;
	struct witnesses s;

	if (hit != NULL)
		row_note(trace, w, &parser->boost_rows[hit - boosts]);
	witnesses_init(&s, trace, w);
	for (unsigned int i = 0; i < bucket->n && &boosts[list[i]] != hit; i++) {
		struct head_bits differing;

		row_difference(w, &parser->boost_rows[list[i]], &differing);
		row_add(&s, &differing);
	}
	witnesses_note(&s);
}

// The head bits in which a next-protocol key differs from the packet's. false: it differs in a bit
// that is the same in all packets.
static bool next_difference(const struct key_builder *key, uint32_t difference,
			    struct head_bits *differing) {
	memset(differing, 0, sizeof(*differing));
	for (; difference != 0; difference &= difference - 1) {
		unsigned int j = __builtin_ctz(difference), bit;

		if (j >= key->bits.len)
			return false;
		bit = key->bits.start + key->bits.len - 1 - j - 16 * REG_HEAD;
		if (bit >= 8 * E810_HEAD)
			return false;
		differing->words[bit / 64] |= UINT64_C(1) << (63 - bit % 64);
	}
	return true;
}

static void absence_note(struct e810_trace *trace, const struct e810_walk *w,
			 const struct key_builder *key, graph_state state, uint32_t next) {
	const struct graph_hash *hash = &w->parser->match;
	struct witnesses s;

	witnesses_init(&s, trace, w);
	for (uint32_t i = 0; i <= hash->mask; i++) {
		const struct graph_slot *slot = &hash->slots[i];
		struct head_bits differing;

		if (slot->entry != 0 && slot->state == state &&
		    next_difference(key, slot->next ^ next, &differing))
			row_add(&s, &differing);
	}
	if (s.overflow)
		reg_bits_note(trace, w, key->bits);
	witnesses_note(&s);
}

static void reg_note(struct e810_trace *trace, const struct e810_walk *w, unsigned int reg) {
	reg_bits_note(trace, w, (struct bits){16 * reg, 16});
}

void e810_trace_key(struct e810_trace *trace, const struct e810_walk *w,
		    const struct key_builder *key, graph_state state, uint32_t next, bool found) {
	reg_note(trace, w, key->alu);
	if (key->op == KEY_REGISTERS) {
		reg_note(trace, w, key->low);
		reg_note(trace, w, key->high);
	}
	if (key->op != KEY_BITS)
		return;
	if (found)
		reg_bits_note(trace, w, key->bits);
	else
		absence_note(trace, w, key, state, next);
}

static void source_note(struct e810_trace *trace, const struct e810_walk *w, const struct alu *alu,
			uint32_t bits) {
	for (; bits != 0; bits &= bits - 1)
		reg_bit_note(trace, w, alu->src.start + alu->src.len - 1 - __builtin_ctz(bits));
}

void e810_trace_alu(struct e810_trace *trace, const struct e810_walk *w, const struct alu *alu,
		    bool last) {
	uint32_t difference;

	for (unsigned int i = 0; i < alu->copy_from.len; i++)
		if (w->parser->seen_flags >> (alu->copy_to + i) & 1)
			reg_bit_note(trace, w, alu->copy_from.start + i);
	if (!alu->src_seen)
		return;
	switch (alu->opcode) {
	case ALU_MOVE_ADD:
	case ALU_ADD:
	case ALU_MOVE_XOR:
		if (last && alu->dst == REG_OFFSET)
			break;
		source_note(trace, w, alu, alu->src_mask & UINT16_MAX >> alu->shift);
		break;
	case ALU_SET_IF_EQUAL:
	case ALU_OR_IF_EQUAL:
		// with the immediate: all bits if they are equal, else one that differs
		difference = (bits_get(w, alu->src) & alu->src_mask) ^ alu->imm;
		if (difference == 0)
			source_note(trace, w, alu, alu->src_mask);
		else if ((difference & ~alu->src_mask) == 0) // else no source can be equal
			source_note(trace, w, alu, 1u << (31 - __builtin_clz(difference)));
		break;
	case ALU_OR_IF_LESS:
		if (alu->imm != 0 && alu->imm <= alu->src_mask)
			source_note(trace, w, alu, alu->src_mask);
		break;
	}
}
