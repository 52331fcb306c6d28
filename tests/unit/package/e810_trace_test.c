/* SPDX-License-Identifier: BSD-3-Clause */
// e810_parse_watched() notes the bits that decide. net_ddp keeps results by it: were a bit missing
// that decides, packets would get the queue and the type of others; were there too many, hardly any
// packet would find an entry.
#include "e810_kinds.h"
#include "frames.h"
#include "genuine.h"
#include "unit.h"

static uint64_t seed = 7;

static void mutate(struct frame *frame) {
	unsigned int n = random_below(&seed, 4);

	for (unsigned int i = 0; i < n; i++) {
		unsigned int at = random_below(&seed, frame->len < 80 ? frame->len : 80);

		if (random_below(&seed, 2))
			frame->bytes[at] ^= 1 << random_below(&seed, 8);
		else
			frame->bytes[at] = random_next(&seed) >> 50;
	}
	if (random_below(&seed, 4) == 0)
		frame->len = 1 + random_below(&seed, frame->len);
}

// Another packet of the same set: all that the mask leaves free is random, and so is the length.
static void other_make(const struct frame *frame, const struct e810_trace *trace,
		       struct frame *other) {
	other->len = trace->min_len + random_below(&seed, 3) * random_below(&seed, 300);
	if (other->len == 0)
		other->len = 1;
	for (unsigned int i = 0; i < other->len; i++) {
		uint8_t mask = i < sizeof(trace->mask) ? trace->mask[i] : 0;
		uint8_t noise = random_next(&seed) >> 50;

		// mostly few bits, else all differ at once and hide what each does
		if (random_below(&seed, 2))
			noise = i < frame->len ?
					frame->bytes[i] ^ (noise & noise >> 3 & noise >> 5) :
					noise;
		other->bytes[i] = (noise & ~mask) | ((i < frame->len ? frame->bytes[i] : 0) & mask);
	}
}

static void results_agree(const struct e810_result *a, const struct e810_result *b) {
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->ptype, b->ptype);
	assert_int_equal(a->rss_flags, b->rss_flags);
	assert_int_equal(a->n_steps, b->n_steps);
	assert_int_equal(a->node, b->node);
	assert_int_equal(a->n_protocols, b->n_protocols);
	for (unsigned int i = 0; i < a->n_protocols; i++) {
		assert_int_equal(a->protocols[i].id, b->protocols[i].id);
		assert_int_equal(a->protocols[i].offset, b->protocols[i].offset);
	}
}

struct chain {
	unsigned int n;
	const char *headers[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
};

static struct chain chain_of(const struct e810_parser *parser, const struct e810_result *result,
			     const struct frame *frame, struct e810_trace *trace) {
	struct chain chain;

	memset(&chain, 0, sizeof(chain));
	chain.n = e810_result_chain(parser, result, frame->bytes, frame->len, chain.headers,
				    chain.offsets, trace);
	return chain;
}

static void trace_is_well_formed(const struct e810_trace *trace, const struct frame *frame) {
	assert_in_range(trace->min_len, 0, frame->len);
	for (unsigned int i = trace->min_len; i < sizeof(trace->mask); i++)
		assert_int_equal(trace->mask[i], 0);
}

TEST(packets_that_agree_in_what_decided_have_one_result) {
	unsigned int n_kept = 0, n = 0;

	for (unsigned int c = 0; c < N_GENUINE * COUNT(kind_configs); c++) {
		struct e810_parser *parser =
			genuine_parser(c % N_GENUINE, &kind_configs[c / N_GENUINE]);

		for (unsigned int i = 0; i < 80 * COUNT(kinds); i++) {
			bool with_chain = random_below(&seed, 2);
			struct e810_result result, plain, again;
			struct chain chain, other_chain;
			struct e810_trace trace;
			static struct frame frame, other;

			frame_make(&frame, kinds[i % COUNT(kinds)].words);
			mutate(&frame);
			e810_parse_watched(parser, frame.bytes, frame.len, &result, &trace, NULL,
					   NULL);
			e810_parse(parser, frame.bytes, frame.len, &plain);
			results_agree(&result, &plain);
			assert_int_equal(result.packet_flags, plain.packet_flags);
			assert_int_equal(result.end, plain.end);
			n++;
			if (with_chain)
				chain = chain_of(parser, &result, &frame, &trace);
			if (trace.lost)
				continue;
			n_kept++;
			trace_is_well_formed(&trace, &frame);
			for (unsigned int k = 0; k < 6; k++) {
				other_make(&frame, &trace, &other);
				e810_parse(parser, other.bytes, other.len, &again);
				results_agree(&result, &again);
				if (!with_chain)
					continue;
				other_chain = chain_of(parser, &again, &other, NULL);
				assert_memory_equal(&chain, &other_chain, sizeof(chain));
			}
		}
	}
	// cut ones are lost, whole ones are not
	assert_true(n_kept > n / 2);
}

TEST(whole_packets_are_never_lost) {
	for (unsigned int c = 0; c < N_GENUINE * COUNT(kind_configs); c++) {
		struct e810_parser *parser =
			genuine_parser(c % N_GENUINE, &kind_configs[c / N_GENUINE]);

		for (unsigned int i = 0; i < COUNT(kinds); i++) {
			struct e810_result result;
			struct e810_trace trace;
			struct frame frame;

			frame_make(&frame, kinds[i].words);
			e810_parse_watched(parser, frame.bytes, frame.len, &result, &trace, NULL,
					   NULL);
			chain_of(parser, &result, &frame, &trace);
			assert_false(trace.lost);
		}
	}
}

TEST(a_packet_whose_end_decided_is_lost) {
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct e810_result result;
	struct e810_trace trace;
	struct frame frame;

	frame_make(&frame, "eth ipv4 tcp");
	for (unsigned int len = 1; len < 47; len++) {
		e810_parse_watched(parser, frame.bytes, len, &result, &trace, NULL, NULL);
		// with a byte of the TCP header the walk goes on to it, and nothing in it decides
		assert_int_equal(trace.lost, len < 35);
	}
}

#define MAC "000000000000000000000000"
#define IPV4 "ff00000000003fff00ff" // fragments, version and length, protocol
#define REST "00000000000000000000" // checksum and addresses

static const struct narrow_row {
	const char *words;
	const char *mask; // hex, as far as bits decide
} narrow_rows[] = {
	{"eth ipv4 tcp pay", MAC "ffff" IPV4 REST},
	// one bit of the port excludes all tunnels
	{"eth ipv4 udp=50000 pay", MAC "ffff" IPV4 REST "000080"},
	{"eth ipv6 tcp pay", MAC "fffff00000000000ff"},
	{"eth ipv4 udp=2152 gtpu ipv4 tcp pay", MAC "ffff" IPV4 REST "0000ffff00000000"
						    "27ff000000000000" IPV4},
};

ROWS_TEST(mask_is, narrow_rows) {
	const struct narrow_row *row = *state;
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct e810_result result;
	struct e810_trace trace;
	struct frame frame;
	char text[2 * sizeof(trace.mask) + 1] = "";

	frame_make(&frame, row->words);
	e810_parse_watched(parser, frame.bytes, frame.len, &result, &trace, NULL, NULL);
	for (unsigned int i = 0; i < sizeof(trace.mask); i++)
		snprintf(text + 2 * i, 3, "%02x", trace.mask[i]);
	text[strlen(row->mask)] = '\0';
	assert_string_equal(text, row->mask);
	for (unsigned int i = strlen(row->mask) / 2; i < sizeof(trace.mask); i++)
		assert_int_equal(trace.mask[i], 0);
}
