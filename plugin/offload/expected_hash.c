/* SPDX-License-Identifier: BSD-3-Clause */
// The packet of a shape is classified with notes of what was looked at. If that is no more than the NIC
// looked at itself, every packet of the shape is classified and hashed like this one.
#include "expected_hash.h"

#include <stdio.h>
#include <string.h>

#include "classify/run/walk.h"

#define PAYLOAD 64 // behind the headers: bytes that the NIC does not look at

struct inquiry {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct shapes *shapes;
	const struct shape *shape;
	uint64_t rss_hf;
	struct promise *promise;
};

bool hashed_same(const struct hashed *a, const struct hashed *b) {
	return a->n == b->n && memcmp(a->bits, b->bits, a->n * sizeof(a->bits[0])) == 0;
}

static void refuse(const struct inquiry *q, const char *fmt, const char *what) {
	struct promise *promise = q->promise;

	if (promise->sound)
		snprintf(promise->why, sizeof(promise->why), fmt, what);
	promise->sound = false;
}

static const struct ddp_header *header_named(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, name) == 0)
			return &profile->headers[i];
	return NULL;
}

// The profile's name of a place in the packet.
static void place_name(const struct inquiry *q, unsigned int bit, char *name, size_t size) {
	for (unsigned int i = 0; i < q->shape->n_headers; i++) {
		const struct shape_header *at = &q->shape->headers[i];
		const struct ddp_header *header = header_named(q->profile, at->name);
		unsigned int off = bit - 8u * at->off;

		if (bit < 8u * at->off || off >= 8u * at->len)
			continue;
		snprintf(name, size, "%s", at->name);
		for (unsigned int f = 0; header != NULL && f < header->n_fields; f++) {
			const struct ddp_field *field = &header->fields[f];

			if (field->name != NULL && field->anchor == DDP_FROM_START &&
			    off >= field->bit_off && off < field->bit_off + field->width)
				snprintf(name, size, "%s.%s", at->name, field->name);
		}
		return;
	}
	snprintf(name, size, "the payload");
}

static void looked_at(const struct inquiry *q, unsigned int bit) {
	char name[100];

	place_name(q, bit, name, sizeof(name));
	refuse(q, "the profile looks at %s, the NIC does not", name);
}

static bool word_is_known(const struct inquiry *q, unsigned int byte) {
	return byte + 1 < SHAPE_SIZE && q->shape->known[byte] == 0xff &&
	       q->shape->known[byte + 1] == 0xff;
}

// A UDP port of which the NIC knows that it is no tunnel's.
static bool word_is_port(const struct inquiry *q, unsigned int byte) {
	return q->shape->udp != 0 && (byte == q->shape->udp || byte == q->shape->udp + 2u);
}

static void port_refuse(const struct inquiry *q, unsigned int byte, uint16_t port) {
	bool source = byte == q->shape->udp;
	char what[80];

	snprintf(what, sizeof(what), "%s UDP port %u", source ? "source" : "destination", port);
	refuse(q, "the profile finds a header at %s, the NIC does not", what);
}

static void words_check(const struct inquiry *q, const struct trace *trace) {
	for (unsigned int i = 0; i < trace->n_words; i++) {
		const struct trace_word *word = &trace->words[i];
		bool source = word->byte == q->shape->udp;

		if (word_is_known(q, word->byte))
			continue;
		if (!word_is_port(q, word->byte)) {
			looked_at(q, 8u * word->byte);
			continue;
		}
		for (unsigned int port = 0; port <= UINT16_MAX; port++)
			if (word_holds(word->word, port) != word->holds &&
			    !shapes_port_is_tunnel(q->shapes, q->shape, port, source)) {
				port_refuse(q, word->byte, port);
				break;
			}
	}
}

static void lists_check(const struct inquiry *q, const struct trace *trace) {
	for (unsigned int i = 0; i < trace->n_lists; i++) {
		const struct trace_list *list = &trace->lists[i];

		if (word_is_known(q, list->byte))
			continue;
		for (unsigned int v = 0; v < list->n; v++) {
			if (!word_is_port(q, list->byte))
				looked_at(q, 8u * list->byte);
			else if (!shapes_port_is_tunnel(q->shapes, q->shape, list->values[v],
							list->byte == q->shape->udp))
				port_refuse(q, list->byte, list->values[v]);
		}
	}
}

static void trace_check(const struct inquiry *q, const struct trace *trace) {
	for (unsigned int i = 0; i < TRACE_REACH; i++) {
		uint8_t more = trace->mask[i] & ~q->shape->known[i];

		if (more != 0)
			looked_at(q, 8 * i + __builtin_clz((unsigned int)more << 24));
	}
	words_check(q, trace);
	lists_check(q, trace);
}

static void set_bits(const struct inquiry *q, const struct ddp_class *class,
		     const struct prog_set *set, struct hashed *hashed) {
	for (unsigned int i = 0; i < set->n_inputs; i++) {
		const struct prog_ref *ref = &q->program->inputs[set->first_input + i].ref;
		uint32_t bit;

		if (!field_locate(q->program, class, ref, &bit))
			continue;
		hashed_zeros(hashed, (8 - ref->bits % 8) % 8);
		hashed_add(hashed, bit, ref->bits);
	}
}

// The packet's first len bytes.
static void cut_inquire(const struct inquiry *q, const uint8_t *data, unsigned int len,
			struct ddp_class *class, struct trace *trace, struct hashed *hashed) {
	const struct ddp_packet packet = {.data = data, .first_len = len, .len = len};
	const struct prog_set *set;

	memset(trace, 0, sizeof(*trace));
	classify_traced(q->program, &packet, class, trace);
	set = set_choose(q->program, &packet, class, q->rss_hf, trace);
	hashed->n = 0;
	if (set != NULL)
		set_bits(q, class, set, hashed);
	trace_check(q, trace);
}

// Where the profile reads on behind the headers that the NIC found: a packet that ends there must not be
// hashed in another way.
static void short_inquire(const struct inquiry *q, const uint8_t *data, unsigned int min_len,
			  const struct hashed *whole) {
	struct ddp_class class;
	struct hashed hashed;
	struct trace trace;

	for (unsigned int len = q->shape->len; len < min_len && q->promise->sound; len++) {
		cut_inquire(q, data, len, &class, &trace, &hashed);
		if (!hashed_same(&hashed, whole))
			refuse(q, "the profile looks at %s, the NIC does not", "the payload");
	}
}

static void packet_inquire(const struct inquiry *q, const uint8_t *data, struct hashed *hashed,
			   struct ddp_class *class) {
	struct trace trace;

	cut_inquire(q, data, q->shape->len + PAYLOAD, class, &trace, hashed);
	if (trace.lost)
		refuse(q, "%s", "the profile finds such packets damaged or too complex");
	short_inquire(q, data, trace.min_len, hashed);
}

// All protocols that the NIC does not know must be alike.
static void others_inquire(const struct inquiry *q) {
	uint8_t data[SHAPE_SIZE + PAYLOAD] = {0};
	struct ddp_class class;
	struct hashed hashed;
	char number[40];

	memcpy(data, q->shape->data, q->shape->len);
	for (unsigned int protocol = 0; protocol < 256 && q->promise->sound; protocol++) {
		if (!shape_protocol_is_other(q->shapes, q->shape, protocol))
			continue;
		data[q->shape->other] = protocol;
		packet_inquire(q, data, &hashed, &class);
		if (class.type != q->promise->type)
			q->promise->several = true;
		snprintf(number, sizeof(number), "IP protocol %u", protocol);
		if (!hashed_same(&hashed, &q->promise->hashed))
			refuse(q, "the profile finds more behind %s than the NIC does", number);
	}
}

void promise_make(const struct ddp_profile *profile, const struct ddp_program *program,
		  const struct shapes *shapes, const struct shape *shape, uint64_t rss_hf,
		  struct promise *promise) {
	const struct inquiry q = {profile, program, shapes, shape, rss_hf, promise};
	uint8_t data[SHAPE_SIZE + PAYLOAD] = {0};
	struct ddp_class class;

	memset(promise, 0, sizeof(*promise));
	promise->sound = true;
	memcpy(data, shape->data, shape->len);
	packet_inquire(&q, data, &promise->hashed, &class);
	promise->type = class.type;
	promise->rte_ptype = class.rte_ptype;
	promise->whole =
		class.n_seen > 0 &&
		class.seen[class.n_seen - 1].off + class.seen[class.n_seen - 1].len >= shape->len;
	if (shape->other != 0)
		others_inquire(&q);
}
