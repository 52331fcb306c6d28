/* SPDX-License-Identifier: BSD-3-Clause */
// e810_parse_traced() notes the bits that decide. net_ddp keeps results by it: were a bit missing
// that decides, packets would get the queue and the type of others; were there too many, hardly any
// packet would find an entry.
#include "frames.h"
#include "genuine.h"
#include "unit.h"

static const char *const words[] = {
	"eth ipv4 udp=53 pay",
	"eth ipv4 udp=50000 pay",
	"eth ipv4 tcp pay",
	"eth ipv4=frag proto=6 pay",
	"eth ipv6 udp=2200 pay",
	"eth ipv6 hop routing dest tcp pay",
	"eth ipv6 frag6 proto=17 pay",
	"eth vlan ipv4 sctp pay",
	"eth vlan=88a8 vlan ipv6 tcp pay",
	"eth vlan=9100 ipv6 tcp pay",
	"eth arp",
	"eth type=1234 pay",
	"eth mpls mpls ipv4 udp=53 pay",
	"eth mpls x=00000000 pay",
	"eth ipv4 gre eth vlan ipv4 tcp pay",
	"eth ipv4 gre ipv6 udp=53 pay",
	"eth ipv4 ipv6 icmp6 pay",
	"eth ipv4 udp=4789 vxlan eth ipv4 tcp pay",
	"eth ipv6 udp=6081 geneve eth ipv6 udp=53 pay",
	"eth ipv4 udp=4790 gpe eth ipv4 tcp pay",
	"eth ipv4 udp=2152 gtpu ipv4 udp=53 pay",
	"eth ipv4 udp=2152 gtpu=34ff000c0000000100000085 x=01100900 ipv4 tcp pay",
	"eth ipv4 udp=2152 gtpu=34ff000c00000001000000c0 x=01000085 x=01100900 ipv6 tcp pay",
	"eth ipv6 udp=2152 gtpu=3201000400000000 x=00010000",
	"eth ipv4 udp=2123 x=4820000c0000000100000100 pay",
	"eth ipv4 udp=8805 pfcp pay",
	"eth ipv4 udp=4500 x=0000000100000001 pay",
	"eth pppoe ipv4 tcp pay",
	"eth vlan pppoe ipv6 udp=53 pay",
	"eth ipv4 esp pay",
	"eth ipv6 ah pay",
	"eth ipv6 l2tpv3 pay",
};

static const struct e810_config configs[] = {
	{.double_vlan = false},
	{.tunnels = {[E810_VXLAN] = {{4789}, 1}, [E810_GENEVE] = {{6081}, 1}}},
	{.double_vlan = true},
};

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

static void chain_make(struct chain *chain, const struct e810_parser *parser,
		       const struct e810_result *result, const struct frame *frame,
		       struct e810_trace *trace) {
	chain->n = e810_result_chain(parser, result, frame->bytes, frame->len, chain->headers,
				     chain->offsets, trace);
}

static void chains_agree(const struct chain *a, const struct chain *b) {
	assert_int_equal(a->n, b->n);
	for (unsigned int i = 0; i < a->n; i++) {
		assert_string_equal(a->headers[i], b->headers[i]);
		assert_int_equal(a->offsets[i], b->offsets[i]);
	}
}

static void trace_is_well_formed(const struct e810_trace *trace, const struct frame *frame) {
	assert_in_range(trace->min_len, 0, frame->len);
	for (unsigned int i = trace->min_len; i < sizeof(trace->mask); i++)
		assert_int_equal(trace->mask[i], 0);
}

TEST(packets_that_agree_in_what_decided_have_one_result) {
	unsigned int n_kept = 0, n = 0;

	genuine_need();
	for (unsigned int c = 0; c < N_GENUINE * COUNT(configs); c++) {
		struct e810_parser *parser = genuine_parser(c % N_GENUINE, &configs[c / N_GENUINE]);

		for (unsigned int i = 0; i < 250 * COUNT(words); i++) {
			bool with_chain = random_below(&seed, 2);
			struct e810_result result, plain, again;
			struct chain chain, other_chain;
			struct e810_trace trace;
			static struct frame frame, other;

			frame_make(&frame, words[i % COUNT(words)]);
			mutate(&frame);
			e810_parse_traced(parser, frame.bytes, frame.len, &result, &trace);
			e810_parse(parser, frame.bytes, frame.len, &plain);
			results_agree(&result, &plain);
			assert_int_equal(result.packet_flags, plain.packet_flags);
			assert_int_equal(result.end, plain.end);
			n++;
			if (with_chain)
				chain_make(&chain, parser, &result, &frame, &trace);
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
				chain_make(&other_chain, parser, &again, &other, NULL);
				chains_agree(&chain, &other_chain);
			}
		}
		e810_parser_destroy(parser);
	}
	// cut ones are lost, whole ones are not
	assert_true(n_kept > n / 2);
}

TEST(whole_packets_are_never_lost) {
	genuine_need();
	for (unsigned int c = 0; c < N_GENUINE * COUNT(configs); c++) {
		struct e810_parser *parser = genuine_parser(c % N_GENUINE, &configs[c / N_GENUINE]);

		for (unsigned int i = 0; i < COUNT(words); i++) {
			struct e810_result result;
			struct e810_trace trace;
			struct chain chain;
			struct frame frame;

			frame_make(&frame, words[i]);
			e810_parse_traced(parser, frame.bytes, frame.len, &result, &trace);
			chain_make(&chain, parser, &result, &frame, &trace);
			assert_false(trace.lost);
		}
		e810_parser_destroy(parser);
	}
}

TEST(a_packet_whose_end_decided_is_lost) {
	struct e810_parser *parser;
	struct e810_result result;
	struct e810_trace trace;
	struct frame frame;

	genuine_need();
	parser = genuine_parser(GENUINE_COMMS, NULL);
	frame_make(&frame, "eth ipv4 tcp");
	for (unsigned int len = 1; len < 47; len++) {
		e810_parse_traced(parser, frame.bytes, len, &result, &trace);
		// with a byte of the TCP header the walk goes on to it, and nothing in it decides
		assert_int_equal(trace.lost, len < 35);
	}
	e810_parser_destroy(parser);
}

/* Not wider than need be: one entry for many flows */

struct narrow_row {
	const char *name;
	const char *words;
	const char *mask; // hex; "" would be nothing
};

#define MAC "000000000000000000000000"

static const struct narrow_row narrow_rows[] = {
	{"tcp over ipv4: neither addresses, ports nor flags", "eth ipv4 tcp pay",
	 MAC "ffff"
	     "ff0000000000"
	     "3fff00ff"
	     "00000000000000000000"},
	{"udp over ipv4: one bit of the port tells all tunnels away", "eth ipv4 udp=50000 pay",
	 MAC "ffff"
	     "ff0000000000"
	     "3fff00ff"
	     "00000000000000000000"
	     "000080"},
	{"tcp over ipv6", "eth ipv6 tcp pay", MAC "fffff00000000000ff"},
	{"gtp-u: the port, what kind of gtp-u, the inner ip header",
	 "eth ipv4 udp=2152 gtpu ipv4 tcp pay",
	 MAC "ffff"
	     "ff0000000000"
	     "3fff00ff"
	     "00000000000000000000"
	     "0000ffff00000000"
	     "27ff000000000000"
	     "ff0000000000"
	     "3fff00ff"},
};

ROWS_TEST(mask_is, narrow_rows) {
	const struct narrow_row *row = *state;
	struct e810_parser *parser;
	struct e810_result result;
	struct e810_trace trace;
	struct frame frame;
	char text[2 * sizeof(trace.mask) + 1] = "";

	genuine_need();
	frame_make(&frame, row->words);
	parser = genuine_parser(GENUINE_COMMS, NULL);
	e810_parse_traced(parser, frame.bytes, frame.len, &result, &trace);
	for (unsigned int i = 0; i < sizeof(trace.mask); i++)
		snprintf(text + 2 * i, 3, "%02x", trace.mask[i]);
	text[strlen(row->mask)] = '\0';
	assert_string_equal(text, row->mask);
	for (unsigned int i = strlen(row->mask) / 2; i < sizeof(trace.mask); i++)
		assert_int_equal(trace.mask[i], 0);
	e810_parser_destroy(parser);
}

GROUP(NULL, genuine_close)
