/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include "naive.h"
#include "unit.h"

static void inputs_agree(const struct loaded *loaded, const struct ddp_packet *packet,
			 const struct ddp_class *class, struct naive *naive, uint64_t rss_hf) {
	for (enum ddp_hash_function function = 0; function < DDP_HASH_SIMPLE_XOR; function++) {
		uint8_t ours[DDP_MAX_INPUT_SIZE], theirs[DDP_MAX_INPUT_SIZE];
		unsigned int n =
			ddp_input_gather(loaded->program, packet, class, rss_hf, function, ours);

		assert_int_equal(n, naive_input(naive, rss_hf, function, theirs));
		assert_memory_equal(ours, theirs, (n + 3) / 4 * 4);
	}
}

static void headers_agree(const struct ddp_class *class, const struct naive *naive) {
	assert_int_equal(class->n_seen, naive->n_headers);
	for (unsigned int i = 0; i < class->n_seen; i++) {
		assert_int_equal(class->seen[i].node, naive->headers[i].node);
		assert_int_equal(class->seen[i].off, naive->headers[i].off);
		assert_int_equal(class->seen[i].len, naive->headers[i].len);
		assert_int_equal(class->seen[i].fragment, naive->headers[i].fragment);
		for (unsigned int g = 0; g < DDP_MAX_GROUPS; g++)
			assert_int_equal(class->seen[i].groups >> g & 1,
					 naive->headers[i].groups[g]);
	}
}

static void classes_agree(const struct loaded *loaded, const struct ddp_class *class,
			  const struct naive *naive) {
	const struct ddp_type_info *type = ddp_program_type(loaded->program, class->type);

	headers_agree(class, naive);
	assert_string_equal(status_text(class->status), status_text(naive->status));
	assert_string_equal(type->name, naive->type == NULL ? "UNKNOWN" : naive->type->name);
	assert_int_equal(class->type_id, type->id);
	assert_int_equal(class->n_matched, naive->n_matched);
	assert_int_equal(class->l3_off, naive->l3_off);
	assert_int_equal(class->inner_l3_off, naive->inner_l3_off);
	assert_int_equal(class->encapsulated, naive->encapsulated);
	assert_int_equal(class->rte_ptype, naive->rte_ptype);
	assert_int_equal(class->value, naive->value);
}

// What is asked for, and no more: in place where one piece has it all.
static const void *second_read(const void *ctx, uint32_t off, uint32_t len, void *buf) {
	const struct ddp_packet *packet = ctx;
	const uint8_t *second = packet->ctx;
	uint8_t *out = buf;

	assert_true(off + len <= packet->len);
	if (off >= packet->first_len)
		return second + (off - packet->first_len);
	for (uint32_t i = 0; i < len; i++, off++)
		out[i] = off < packet->first_len ? packet->data[off] :
						   second[off - packet->first_len];
	return buf;
}

// What is said of the type alone is the same, of no more headers.
static void type_agrees(const struct loaded *loaded, const struct ddp_packet *packet,
			const struct ddp_class *whole, struct naive *naive) {
	struct ddp_class class;

	memset(&class, 0xa5, sizeof(class));
	ddp_classify_type(loaded->program, packet, &class);
	assert_true(class.n_seen <= whole->n_seen && class.n_matched <= class.n_seen);
	for (unsigned int i = 0; i < class.n_seen; i++) {
		assert_int_equal(class.seen[i].node, whole->seen[i].node);
		assert_int_equal(class.seen[i].off, whole->seen[i].off);
		assert_int_equal(class.seen[i].len, whole->seen[i].len);
	}
	assert_int_equal(class.type, whole->type);
	assert_int_equal(class.type_id, whole->type_id);
	assert_int_equal(class.l3_off, whole->l3_off);
	assert_int_equal(class.inner_l3_off, whole->inner_l3_off);
	assert_int_equal(class.encapsulated, whole->encapsulated);
	assert_int_equal(class.rte_ptype, whole->rte_ptype);
	assert_int_equal(class.value, whole->value);
	inputs_agree(loaded, packet, &class, naive, UINT64_MAX);
}

static void packet_agrees(const struct loaded *loaded, const struct ddp_packet *packet,
			  struct naive *naive, struct ddp_class *class) {
	memset(class, 0xa5, sizeof(*class));
	ddp_classify(loaded->program, packet, class);
	classes_agree(loaded, class, naive);
	inputs_agree(loaded, packet, class, naive, UINT64_MAX);
	inputs_agree(loaded, packet, class, naive,
		     UINT64_C(1) << 2 | UINT64_C(1) << 8); // ipv4 ipv6
	inputs_agree(loaded, packet, class, naive, 0);
	type_agrees(loaded, packet, class, naive);
}

// The same packet in two pieces; a different first one in each call.
static void pieces_agree(const struct loaded *loaded, const uint8_t *bytes, uint32_t len,
			 struct naive *naive, struct ddp_class *class) {
	static unsigned int n_calls;
	uint32_t first_len = n_calls++ * 7 % (len + 1);
	uint8_t *first = copy_of(bytes, first_len);
	uint8_t *second = copy_of(bytes + first_len, len - first_len);
	const struct ddp_packet kept = {
		.data = first, .first_len = first_len, .len = len, .ctx = second};
	struct ddp_packet packet = kept;

	packet.read = second_read;
	packet.ctx = &kept;
	packet_agrees(loaded, &packet, naive, class);
	free(second);
	free(first);
}

void assert_agree(const struct loaded *loaded, const uint8_t *bytes, uint32_t len,
		  struct ddp_class *class) {
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	static struct naive naive;

	naive_classify(loaded->profile, copy, len, &naive);
	pieces_agree(loaded, copy, len, &naive, class);
	packet_agrees(loaded, &packet, &naive, class);
	free(copy);
}

// Values that decide something in some header.
static const uint8_t telling[] = {
	0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x11, 0x20, 0x2c, 0x2b, 0x30, 0x34, 0x3c,
	0x44, 0x45, 0x46, 0x60, 0x68, 0x80, 0x81, 0x84, 0x85, 0x86, 0xdd, 0xff,
};

static uint32_t mutate_once(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed) {
	uint32_t at, size;

	if (len == 0)
		return 0;
	at = random_below(seed, len);
	size = random_below(seed, 24);
	switch (random_below(seed, 8)) {
	case 0:
	case 1:
	case 2:
		bytes[at] = telling[random_below(seed, sizeof(telling))];
		return len;
	case 3:
		bytes[at] ^= 1 << random_below(seed, 8);
		return len;
	case 4:
		bytes[at] = random_next(seed) >> 56;
		return len;
	case 5: // cut
		return at;
	case 6: // a part again
		if (at + size > len || len + size > PACKET_MAX)
			return len;
		memmove(bytes + at + size, bytes + at, len - at);
		return len + size;
	default: // a part less
		if (at + size > len)
			return len;
		memmove(bytes + at, bytes + at + size, len - at - size);
		return len - size;
	}
}

uint32_t mutate(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed) {
	for (unsigned int n = random_below(seed, 5); n > 0; n--)
		len = mutate_once(bytes, len, seed);
	return len;
}
