/* SPDX-License-Identifier: BSD-3-Clause */
// The RSS block hashes by the requests of DPDK's driver. Simulations of an E810 are worth
// what this is worth.
#include "base/rss_hf.h"
#include "e810/e810_rss.h"
#include "e810_kinds.h"
#include "frames.h"
#include "genuine.h"
#include "personality/package_model.h"
#include "personality/personality.h"
#include "scratch.h"
#include "unit.h"

static void rss_end(void *rss) {
	e810_rss_destroy(rss);
}

static struct e810_rss *rss_make(const struct e810_parser *parser, uint64_t rss_hf) {
	struct e810_rss *rss;
	struct ddp_diag *diag = diag_new();

	rss = e810_rss_create(parser, rss_hf, diag);
	if (rss == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	after_test(rss_end, rss);
	return rss;
}

struct decided {
	const char *name;       // of the request, "" for none
	const char *os, *comms; // packet types
};

static const struct decided table[] = {
	{"IPv4 addresses", "23 28-30 35-37 42-45 50-52 57-60 65-67 72",
	 "22-23 28-30 35-37 42-45 50-52 57-60 65-67 72 160 162 164 166 331-332 335 341-342 345 360"},
	{"IPv4 addresses and UDP ports", "24 31 38 46 53 61 68",
	 "24 31 38 46 53 61 68 168 325 327 329 333 343"},
	{"IPv4 addresses and TCP ports", "26 33 40 48 55 63 70", "26 33 40 48 55 63 70 334 344"},
	{"IPv4 addresses and SCTP ports", "27 34 41 49 56 64 71", "27 34 41 49 56 64 71"},
	{"IPv6 addresses", "89 94-96 101-103 108-111 116-118 123-126 131-133 138",
	 "88-89 94-96 101-103 108-111 116-118 123-126 131-133 138 161 163 165 167 336-337 340 "
	 "346-347 350 361"},
	{"IPv6 addresses and UDP ports", "90 97 104 112 119 127 134",
	 "90 97 104 112 119 127 134 169 326 328 330 338 348"},
	{"IPv6 addresses and TCP ports", "92 99 106 114 121 129 136",
	 "92 99 106 114 121 129 136 339 349"},
	{"IPv6 addresses and SCTP ports", "93 100 107 115 122 130 137",
	 "93 100 107 115 122 130 137"},
	{"PPPoE: IPv4 addresses", "", "302-303 306-307"},
	{"PPPoE: IPv4 addresses and UDP ports", "", "304"},
	{"PPPoE: IPv4 addresses and TCP ports", "", "305"},
	{"PPPoE: IPv6 addresses", "", "308-309 312-313"},
	{"PPPoE: IPv6 addresses and UDP ports", "", "310"},
	{"PPPoE: IPv6 addresses and TCP ports", "", "311"},
	{"", "22 88", "301 351-354"},
	// types without a request are hashed as others of this group are
	{"group 0", "1-2 6 11 278", "1-2 6 11 278 300 392-395"},
};

// Of packet types a row has: "23 28-30".
static void range_add(char list[512], unsigned int ptype) {
	static unsigned int last;
	char *end = list + strlen(list), *dash = strrchr(list, '-'), *space = strrchr(list, ' ');

	if (end == list || ptype != last + 1)
		sprintf(end, "%s%u", end > list ? " " : "", ptype);
	else
		sprintf(dash > space ? dash : end, "-%u", ptype);
	last = ptype;
}

TEST(each_packet_type_is_hashed_as_the_specification_says) {
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		struct e810_parser *parser = genuine_parser(i, NULL);
		struct e810_rss *rss = rss_make(parser, DDP_RSS_HF_ALL);
		unsigned int n = 0;

		for (unsigned int r = 0; r < COUNT(table); r++) {
			char list[512] = "";

			for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
				const char *request = e810_rss_group(rss, p) == 0 ?
							      "group 0" :
							      e810_rss_request(rss, p, 0);

				if (!e810_ptype_used(parser, p) ||
				    strcmp(request != NULL ? request : "", table[r].name) != 0)
					continue;
				n++;
				range_add(list, p);
			}
			assert_string_equal(list, i == GENUINE_OS ? table[r].os : table[r].comms);
		}
		assert_int_equal(n, i == GENUINE_OS ? 93 : 153);
	}
}

TEST(without_a_bit_of_rss_hf_its_requests_are_not_made) {
	static const struct {
		uint64_t rss_hf;
		uint16_t ptype;
		const char *request;
	} rows[] = {
		{0, 24, ""},
		{DDP_RSS_HF(IPV4), 24, "IPv4 addresses"},
		{DDP_RSS_HF(IPV4), 305, "PPPoE: IPv4 addresses"},
		{DDP_RSS_HF(IPV4), 90, ""},
		{DDP_RSS_HF(IPV4_UDP), 24, "IPv4 addresses and UDP ports"},
		{DDP_RSS_HF(IPV4_UDP), 26, ""},
		{DDP_RSS_HF(IPV6) | DDP_RSS_HF(IPV6_TCP), 92, "IPv6 addresses and TCP ports"},
		// unknown to the driver at start
		{DDP_RSS_HF(IPV4_OTHER) | DDP_RSS_HF(IPV4_FRAG) | DDP_RSS_HF(GTPU), 23, ""},
	};
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		struct e810_rss *rss = rss_make(parser, rows[i].rss_hf);
		const char *request = e810_rss_request(rss, rows[i].ptype, 0);
		struct e810_word words[E810_WORDS];

		assert_string_equal(request != NULL ? request : "", rows[i].request);
		assert_int_equal(e810_rss_words(rss, rows[i].ptype, 0, words) == 0,
				 request == NULL);
	}
}

TEST(words_fill_the_vector_from_its_end) {
	static const struct e810_word ipv4_udp[] = {
		{32, 12, 23}, {32, 14, 22}, {32, 16, 21}, {32, 18, 20}, {53, 0, 19}, {53, 2, 18},
	};
	struct e810_word words[E810_WORDS];
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct e810_rss *rss = rss_make(parser, DDP_RSS_HF_ALL);

	assert_int_equal(e810_rss_group(rss, 333), 32);
	assert_int_equal(e810_rss_words(rss, 333, 0x6000, words), COUNT(ipv4_udp));
	for (unsigned int i = 0; i < COUNT(ipv4_udp); i++) {
		assert_int_equal(words[i].protocol, ipv4_udp[i].protocol);
		assert_int_equal(words[i].offset, ipv4_udp[i].offset);
		assert_int_equal(words[i].index, ipv4_udp[i].index);
	}
	assert_int_equal(e810_rss_words(rss, 93, 0, words), 18);
	assert_int_equal(words[15].offset, 38);
	assert_int_equal(words[15].index, 8);
	assert_int_equal(words[16].protocol, 96);
	assert_int_equal(words[17].index, 6);
}

#define V4 "0a0000010a000002"
#define V6 "20010db800000000000000000000000120010db8000000000000000000000002"

static const struct input_row {
	const char *words;
	const char *input; // hex
	uint64_t rss_hf;   // 0: all
} input_rows[] = {
	{"eth ipv4 udp=53 pay", V4 "9c400035"},
	{"eth vlan ipv6 tcp pay", V6 "9c4001bb"},
	{"eth ipv4 udp=53 pay", V4, DDP_RSS_HF(IPV4)},
	{"eth ipv4 udp=2152 gtpu x=450000640001000040110000c0a80001c0a80002 x=303901bb00400001",
	 V4 "303901bb"}, // the ports are the inner ones
	{"eth ipv4=frag proto=17 pay", V4},
	// ARP is hashed as what it is grouped with
	{"eth arp", "000000000000000000000000000000000000000000000000000000000000000000000000"},
	{"eth ipv4 udp=8805 pfcp pay", ""},
	{"eth ipv4 udp=4790 x=0d00000300006400 eth ipv4 tcp pay", ""}, // for its OAM bit
	{"eth ipv4 proto=17 x=9c4000", V4 "9c400000"}, // zeros beyond the packet's end
};

// The bytes that enter the hash of a parsed packet; words of absent protocols and words beyond the
// packet's end are 0. Returns how many.
static unsigned int rss_input(const struct e810_rss *rss, const struct e810_result *result,
			      const struct frame *frame, uint8_t input[2 * E810_WORDS]) {
	struct e810_word words[E810_WORDS];
	unsigned int n = e810_rss_words(rss, result->ptype, result->rss_flags, words);

	memset(input, 0, 2 * E810_WORDS);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int p = 0; p < result->n_protocols; p++) {
			unsigned int at = result->protocols[p].offset + words[i].offset;

			for (unsigned int b = 0; b < 2; b++)
				if (result->protocols[p].id == words[i].protocol &&
				    at + b < frame->len)
					input[2 * i + b] = frame->bytes[at + b];
		}
	return 2 * n;
}

ROWS_TEST(input_is, input_rows) {
	const struct input_row *row = *state;
	uint8_t input[2 * E810_WORDS];
	char text[4 * E810_WORDS + 1] = "";
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct e810_result result;
	struct e810_rss *rss = rss_make(parser, row->rss_hf != 0 ? row->rss_hf : DDP_RSS_HF_ALL);
	struct frame frame;
	unsigned int n;

	frame_make(&frame, row->words);
	e810_parse(parser, frame.bytes, frame.len, &result);
	n = rss_input(rss, &result, &frame, input);
	for (unsigned int i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", input[i]);
	assert_string_equal(text, row->input);
}

TEST(words_have_names) {
	char buf[E810_WORD_NAME];

	assert_string_equal(e810_word_name(32, 12, buf), "ipv4.src[0:2]");
	assert_string_equal(e810_word_name(32, 18, buf), "ipv4.dst[2:4]");
	assert_string_equal(e810_word_name(41, 38, buf), "inner.ipv6.dst[14:16]");
	assert_string_equal(e810_word_name(53, 2, buf), "udp.dport");
	assert_string_equal(e810_word_name(52, 14, buf), "gtpu.teid[2:4]");
	assert_string_equal(e810_word_name(32, 2, buf), "protocol 32 byte 2");
}

static void personality_end(void *personality) {
	ddp_personality_unload(personality);
	free(personality);
}

static int genuine_load(struct ddp_personality *personality, enum genuine which,
			struct ddp_diag *diag) {
	const struct ddp_source source = {.spec = genuine_package(which)->path};

	return ddp_personality_load(personality,
				    &(struct ddp_load){.sources = &source, .n_sources = 1}, diag);
}

static const struct ddp_personality *package_load(enum genuine which) {
	struct ddp_personality *personality = calloc(1, sizeof(*personality));
	struct ddp_diag *diag = diag_new();

	if (genuine_load(personality, which, diag) < 0)
		fail_msg("%s", ddp_diag_first(diag));
	after_test(personality_end, personality);
	return personality;
}

// A frame of some kind, damaged: the parser's own view of it and the program's are the same.
static void answer_check(const struct ddp_personality *personality,
			 const struct e810_parser *parser, uint64_t rss_hf,
			 const struct e810_rss *rss, const struct frame *frame) {
	const struct ddp_packet packet = {
		.data = frame->bytes, .first_len = frame->len, .len = frame->len};
	static struct ddp_hash hash;
	static uint16_t reta[1];
	const struct ddp_answer_rss answer_rss = {&hash, reta, COUNT(reta), rss_hf};
	uint8_t input[2 * E810_WORDS];
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	struct e810_result result;
	struct ddp_answer answer;
	unsigned int n;

	e810_parse(parser, frame->bytes, frame->len, &result);
	assert_int_equal(ddp_personality_answer(personality, &answer_rss, &packet, NULL, &answer),
			 0);
	assert_int_equal(answer.input_len, rss_input(rss, &result, frame, input));
	assert_memory_equal(answer.input, input, answer.input_len);
	n = e810_result_chain(parser, &result, frame->bytes, frame->len, chain, offsets, NULL);
	for (unsigned int i = 0; i < answer.class.n_seen; i++)
		assert_true(i < n && answer.class.seen[i].off == offsets[i]);
}

TEST(a_program_answers_as_the_parser) {
	uint64_t random = 47, rss_hf = 0;

	for (unsigned int which = 0; which < N_GENUINE; which++) {
		struct e810_parser *parser = genuine_parser(which, &(struct e810_config){0});
		const struct ddp_personality *personality = package_load(which);
		const struct e810_rss *rss = NULL;

		for (unsigned int i = 0; i < DRAWN(6000); i++) {
			struct frame frame;

			if (i % 30 == 0) {
				rss_hf = UINT64_MAX >> 16; // the others change other requests
				for (unsigned int n = i / 30 % 8; n > 0; n--)
					rss_hf &= random_next(&random) >> 8;
				rss = rss_make(parser, rss_hf);
			}
			frame_make(&frame, kinds[random_below(&random, COUNT(kinds))].words);
			for (unsigned int n = random_below(&random, 3); n > 0; n--)
				frame.bytes[random_below(&random, frame.len)] = random >> 40;
			if (random_below(&random, 4) == 0)
				frame.len = 1 + random_below(&random, frame.len);
			answer_check(personality, parser, rss_hf, rss, &frame);
		}
	}
}

// Rules and fields count from these offsets. Explain shows the first n_matched headers as the
// packet type: none of a packet without one.
TEST(headers_are_as_long_as_the_next_is_behind) {
	static const struct {
		const char *words;
		unsigned int n_seen;
		bool typed;
	} rows[] = {
		{"eth ipv4 udp=53 pay", 3, true},
		{"eth vlan ipv6 tcp pay", 4, true},
		{"eth ipv4 udp=2152 gtpu ipv4 udp=53 pay", 6, true},
		{"eth ipv4 gre eth vlan ipv4 tcp pay", 7, true},
		{"eth ipv4 udp=2152 gtpu x=00 pay", 4, false},
	};
	const struct ddp_personality *personality = package_load(GENUINE_COMMS);

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		struct ddp_packet packet;
		struct ddp_class class;
		struct frame frame;

		frame_make(&frame, rows[i].words);
		packet = (struct ddp_packet){frame.bytes, frame.len, .len = frame.len};
		ddp_classify(personality->program, &packet, &class);
		assert_int_equal(class.type != DDP_TYPE_NONE, rows[i].typed);
		assert_int_equal(class.n_seen, rows[i].n_seen);
		assert_int_equal(class.n_matched, rows[i].typed ? rows[i].n_seen : 0);
		for (unsigned int h = 0; h < class.n_seen && rows[i].typed; h++)
			assert_int_equal(class.seen[h].off + class.seen[h].len,
					 h + 1 < class.n_seen ? class.seen[h + 1].off :
								frame.len - 24u);
	}
}

TEST(a_library_that_lacks_what_is_hashed_is_told) {
	static const char *const ipv4[] = {"x:8",
					   "dst:32"}; // one without a field, one with another

	for (unsigned int i = 0; i <= COUNT(ipv4); i++) {
		struct ddp_personality personality;
		struct ddp_diag *diag = diag_new();
		char text[200];

		snprintf(
			text, sizeof(text),
			"profile: all\nheaders:\n"
			"  eth: {first: true, layout: 'type:16', next: %s}\n  %s: {layout: '%s'}\n",
			i < COUNT(ipv4) ? "ipv4" : "other", i < COUNT(ipv4) ? "ipv4" : "other",
			i < COUNT(ipv4) ? ipv4[i] : "src:32");
		scratch_write_text("all.yaml", text);
		assert_true(genuine_load(&personality, GENUINE_COMMS, diag) < 0);
		assert_true(diag->n_errors > 0);
		assert_non_null(strstr(ddp_diag_first(diag), "the profile library has no '"));
	}
}
