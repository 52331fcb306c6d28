/* SPDX-License-Identifier: BSD-3-Clause */
// The packet of a class is classified, and a trace records which of its bits were read. If the NIC
// reads at least these bits, every packet of the class is classified and hashed like this one.
#include "draft.h"

#include <assert.h>
#include <stdarg.h>

#include "classify/run/walk.h"

#define PAYLOAD 64 // bytes after the headers, which the NIC does not read

struct check {
	const struct draft *d;
	const struct packet_class *packet_class;
	struct expected_hash *expected;
};

bool hashed_same(const struct hashed *a, const struct hashed *b) {
	return a->n == b->n && memcmp(a->bits, b->bits, a->n * sizeof(a->bits[0])) == 0;
}

// Keep the first reason.
__attribute__((format(printf, 2, 3))) static void refuse(const struct check *q, const char *fmt,
							 ...) {
	struct expected_hash *expected = q->expected;
	va_list args;

	va_start(args, fmt);
	if (expected->exact)
		vsnprintf(expected->reason, sizeof(expected->reason), fmt, args);
	va_end(args);
	expected->exact = false;
}

// NULL for the payload.
static const struct class_header *header_at(const struct check *q, unsigned int bit) {
	const struct packet_class *class = q->packet_class;

	return bit < 8u * class->len ? &class->headers[packet_class_header_at(class, bit)] : NULL;
}

static void bit_name(const struct check *q, unsigned int bit, char *name, size_t size) {
	const struct class_header *at = header_at(q, bit);
	const char *of = at == NULL ? "the payload" : class_header_names[at->id];
	const int node = ddp_header_find(q->d->profile, of);
	const struct ddp_header *header = node < 0 ? NULL : &q->d->profile->headers[node];

	snprintf(name, size, "%s", of);
	for (unsigned int f = 0; header != NULL && f < header->n_fields; f++) {
		const struct ddp_field *field = &header->fields[f];
		const unsigned int off = bit - 8u * at->off;

		if (field->anchor == DDP_FROM_START && off >= field->bit_off &&
		    off < field->bit_off + field->width)
			snprintf(name, size, "%s.%s", of, field->name);
	}
}

// A bit that rarely changes the hashed fields: in a fragment's protocol, or after the headers.
static bool is_minor(const struct check *q, unsigned int bit) {
	const struct class_header *at = header_at(q, bit);

	if (at == NULL)
		return true;
	switch (at->id) {
	case HEADER_IPV4:
		return bit / 8 == at->off + 9u;
	case HEADER_IPV6:
		return bit / 8 == at->off + 6u;
	case HEADER_IPV6_EXT:
	case HEADER_IPV6_FRAG:
		return bit / 8 == at->off;
	default:
		return false;
	}
}

static void difference_note(const struct check *q, unsigned int bit) {
	const uint16_t *lengths = q->packet_class->lengths;
	char name[100];

	for (unsigned int i = 0; i < 2; i++)
		if (lengths[i] != 0 && bit / 8 - lengths[i] < 2)
			return;
	if (!is_minor(q, bit))
		q->expected->depends = true;
	bit_name(q, bit, name, sizeof(name));
	refuse(q, "the profile reads %s, the NIC does not", name);
}

static bool word_is_known(const struct check *q, unsigned int byte) {
	return byte + 1 < PACKET_CLASS_SIZE && q->packet_class->known[byte] == 0xff &&
	       q->packet_class->known[byte + 1] == 0xff;
}

// Is the word a UDP port that identifies no tunnel to the NIC?
static bool word_is_port(const struct check *q, unsigned int byte) {
	return q->packet_class->udp != 0 &&
	       (byte == q->packet_class->udp || byte == q->packet_class->udp + 2u);
}

static void port_refuse(const struct check *q, unsigned int byte, uint16_t port) {
	refuse(q, "the profile finds a header at %s UDP port %u, the NIC does not",
	       byte == q->packet_class->udp ? "source" : "destination", port);
}

static void ports_check(const struct check *q, const struct trace_word *word) {
	bool source = word->byte == q->packet_class->udp;

	for (unsigned int i = 0; i < 65536 / 64; i++) {
		uint64_t others = word->holds ? ~word->word->holds[i] : word->word->holds[i];

		for (; others != 0; others &= others - 1) {
			uint16_t port = i * 64 + __builtin_ctzll(others);

			if (!packet_class_port_is_tunnel(q->d, q->packet_class, port, source)) {
				port_refuse(q, word->byte, port);
				return;
			}
		}
	}
}

static void words_check(const struct check *q, const struct trace *trace) {
	for (unsigned int i = 0; i < trace->n_words; i++) {
		const struct trace_word *word = &trace->words[i];

		if (word_is_known(q, word->byte))
			continue;
		if (!word_is_port(q, word->byte)) {
			difference_note(q, 8u * word->byte);
			continue;
		}
		ports_check(q, word);
	}
}

static void lists_check(const struct check *q, const struct trace *trace) {
	for (unsigned int i = 0; i < trace->n_lists; i++) {
		const struct trace_list *list = &trace->lists[i];

		if (word_is_known(q, list->byte) ||
		    (list->byte != 0 && list->byte == q->packet_class->no_type))
			continue;
		for (unsigned int v = 0; v < list->n; v++) {
			if (!word_is_port(q, list->byte))
				difference_note(q, 8u * list->byte);
			else if (!packet_class_port_is_tunnel(q->d, q->packet_class,
							      list->values[v],
							      list->byte == q->packet_class->udp))
				port_refuse(q, list->byte, list->values[v]);
		}
	}
}

static void trace_check(const struct check *q, const struct trace *trace) {
	for (unsigned int at = 0; at < TRACE_REACH; at += sizeof(uint64_t)) {
		uint64_t read, known;

		memcpy(&read, trace->mask + at, sizeof(read));
		memcpy(&known, q->packet_class->known + at, sizeof(known));
		if ((read & ~known) == 0)
			continue;
		for (unsigned int i = at; i < at + sizeof(read); i++) {
			uint8_t more = trace->mask[i] & ~q->packet_class->known[i];

			if (more != 0)
				difference_note(q, 8 * i + __builtin_clz((unsigned int)more << 24));
		}
	}
	words_check(q, trace);
	lists_check(q, trace);
}

static void set_bits(const struct check *q, const struct ddp_class *class,
		     const struct prog_set *set, struct hashed *hashed) {
	for (unsigned int i = 0; i < set->n_inputs; i++) {
		const struct prog_ref *ref = &q->d->program->inputs[set->first_input + i].ref;
		uint32_t bit;

		if (!field_locate(q->d->program, class, ref, &bit))
			continue;
		hashed_zeros(hashed, (8 - ref->bits % 8) % 8);
		hashed_add(hashed, bit, ref->bits);
	}
}

static void packet_hash(const struct check *q, const uint8_t *data, unsigned int len,
			struct ddp_class *class, struct trace *trace, struct hashed *hashed) {
	const struct ddp_packet packet = {.data = data, .first_len = len, .len = len};
	const struct prog_set *set;

	memset(trace, 0, sizeof(*trace));
	classify_traced(q->d->program, &packet, class, trace);
	set = set_choose(q->d->program, &packet, class, q->d->request->rss_hf, trace);
	hashed->n = 0;
	if (set != NULL)
		set_bits(q, class, set, hashed);
}

// If the profile reads beyond the NIC's headers, a packet that ends there must have the same hash.
static void truncations_check(const struct check *q, const uint8_t *data, unsigned int min_len,
			      const struct hashed *whole) {
	struct ddp_class class;
	struct hashed hashed;
	struct trace trace;

	for (unsigned int len = q->packet_class->len; len < min_len && q->expected->exact; len++) {
		packet_hash(q, data, len, &class, &trace, &hashed);
		trace_check(q, &trace);
		if (!hashed_same(&hashed, whole))
			refuse(q, "the profile reads the payload, the NIC does not");
	}
}

static void packet_check(const struct check *q, const uint8_t *data, struct hashed *hashed,
			 struct ddp_class *class) {
	struct trace trace;

	packet_hash(q, data, q->packet_class->len + PAYLOAD, class, &trace, hashed);
	trace_check(q, &trace);
	if (trace.lost)
		refuse(q, "the profile classifies such packets as malformed or too complex");
	truncations_check(q, data, trace.min_len, hashed);
}

// All protocols that the NIC does not know must have the same hash.
static void other_protocols_check(const struct check *q) {
	uint8_t data[PACKET_CLASS_SIZE + PAYLOAD] = {0};
	struct ddp_class class;
	struct hashed hashed;

	memcpy(data, q->packet_class->data, q->packet_class->len);
	for (unsigned int protocol = 0; protocol < 256 && q->expected->exact; protocol++) {
		if (!packet_class_protocol_is_other(q->d, q->packet_class, protocol))
			continue;
		data[q->packet_class->other] = protocol;
		packet_check(q, data, &hashed, &class);
		if (class.type != q->expected->type)
			q->expected->mixed_types = true;
		if (!hashed_same(&hashed, &q->expected->hashed))
			refuse(q, "the profile parses more after IP protocol %u than the NIC does",
			       protocol);
	}
}

// A NIC reads no IP header behind the inner one: with it, the profile must hash the same fields.
static void deeper_ip_check(const struct check *q) {
	static const struct {
		uint8_t protocol, bytes[6]; // first bytes of the next header
	} deeper[] = {{4, {0x45}}, {41, {0x60}}, {47, {0, 0, 0x08, 0, 0x45}}};
	uint8_t data[PACKET_CLASS_SIZE + PAYLOAD] = {0};
	struct ddp_class class;
	struct hashed hashed;
	struct trace trace;

	memcpy(data, q->packet_class->data, q->packet_class->len);
	for (unsigned int i = 0; i < sizeof(deeper) / sizeof(deeper[0]); i++) {
		data[q->packet_class->other] = deeper[i].protocol;
		memcpy(&data[q->packet_class->len], deeper[i].bytes, sizeof(deeper[i].bytes));
		packet_hash(q, data, q->packet_class->len + PAYLOAD, &class, &trace, &hashed);
		if (!hashed_same(&hashed, &q->expected->hashed))
			refuse(q,
			       "the profile hashes an IP header behind IP protocol %u, the NIC does not",
			       deeper[i].protocol);
	}
}

void expected_hash_make(const struct draft *d, const struct packet_class *packet_class,
			struct expected_hash *expected) {
	const struct check q = {d, packet_class, expected};
	uint8_t data[PACKET_CLASS_SIZE + PAYLOAD] = {0};
	struct ddp_class class;

	assert(packet_class->len > 0 && packet_class->len <= PACKET_CLASS_SIZE);
	memset(expected, 0, sizeof(*expected));
	expected->exact = true;
	memcpy(data, packet_class->data, packet_class->len);
	packet_check(&q, data, &expected->hashed, &class);
	expected->type = class.type;
	expected->rte_ptype = class.rte_ptype;
	expected->complete = class.n_seen > 0 &&
			     class.seen[class.n_seen - 1].off + class.seen[class.n_seen - 1].len >=
				     packet_class->len;
	if (packet_class->other != 0)
		other_protocols_check(&q);
	if (packet_class->other != 0 && packet_class->first_inner != 0 &&
	    packet_class->pctype < 0 && expected->exact)
		deeper_ip_check(&q);
}
