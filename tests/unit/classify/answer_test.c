/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/answer.h"

#include "base/arena.h"
#include "corpus.h"
#include "unit.h"

static struct loaded base, gtpu;
static struct ddp_arena *arena; // of the steps
static uint16_t reta[128];

static struct ddp_answer steps_of(const struct loaded *l, const uint8_t *bytes, uint32_t len) {
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	static struct ddp_hash hash;
	const struct ddp_answer_rss rss = {&hash, reta, COUNT(reta), DDP_RSS_HF_ALL};
	struct ddp_answer answer;

	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	ddp_arena_destroy(arena);
	arena = ddp_arena_create();
	assert_int_equal(ddp_answer_steps(l->profile, l->program, &rss, &packet, arena, &answer),
			 0);
	return answer;
}

static struct ddp_answer steps_of_packet(const struct loaded *l, const struct piece *pieces) {
	uint8_t bytes[PACKET_MAX];

	return steps_of(l, bytes, packet_build(pieces, bytes));
}

// Microsoft's verification suite: this connection hashes to 0x51ccc178.
TEST(the_known_answer_comes_out) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(6, 66, 9, 149, 187, 161, 142, 100, 80),
				       TCP(2794, 1766), END};
	struct ddp_answer answer = steps_of_packet(&base, pieces);

	assert_string_equal(chain_text(base.program, &answer.class), "eth@0 ipv4@14 tcp@34");
	assert_string_equal(answer.steps->type->name, "IPV4_TCP");
	assert_int_equal(answer.function, DDP_HASH_TOEPLITZ);
	assert_int_equal(answer.input_len, 12);
	assert_memory_equal(answer.input, "\x42\x09\x95\xbb\xa1\x8e\x64\x50\x0a\xea\x06\xe6", 12);
	assert_int_equal(answer.hash, 0x51ccc178);
	assert_int_equal(answer.port_hash, 0x51ccc178);
	assert_int_equal(answer.queue, 0x51ccc178 % 128 % 8);
	assert_false(answer.dropped);
}

// A step's rule leads to the next step, and the last one to nothing or to what could not be read.
static void assert_coherent(const struct loaded *l, const uint8_t *bytes, uint32_t len) {
	const struct ddp_answer answer = steps_of(l, bytes, len);
	const struct ddp_class *class = &answer.class;
	const struct ddp_steps *steps = answer.steps;

	for (unsigned int i = 0; i < steps->n_steps; i++) {
		const struct ddp_step *step = &steps->steps[i];
		bool last = i + 1 == steps->n_steps;

		assert_string_equal(step->name, l->profile->headers[class->seen[i].node].name);
		assert_int_equal(step->offset, class->seen[i].off);
		if (i < class->n_seen)
			assert_int_equal(step->size, class->seen[i].len);
		if (!last) {
			assert_string_equal(step->next, steps->steps[i + 1].name);
			assert_int_equal(step->flaw, DDP_FLAW_NONE);
			assert_true(step->tries[step->n_tries - 1].decides);
		} else if (class->status == DDP_STATUS_OK) {
			assert_null(step->next);
		} else if (class->status == DDP_STATUS_MALFORMED) {
			assert_true(step->flaw == DDP_FLAW_SHORT || step->flaw == DDP_FLAW_INVALID);
		} else if (class->status == DDP_STATUS_TRUNCATED) {
			assert_true(step->flaw == DDP_FLAW_CUT || step->flaw == DDP_FLAW_AHEAD);
		}
	}
}

TEST(steps_of_packets_that_are_cut_anywhere_are_coherent) {
	for (unsigned int c = 0; c < COUNT(corpora); c++) {
		for (unsigned int i = 0; i < corpora[c].n_packets; i++) {
			uint8_t bytes[PACKET_MAX];
			unsigned int len = packet_build(corpora[c].packets[i], bytes);

			for (unsigned int n = 0; n <= len; n++)
				assert_coherent(c == 0 ? &base : &gtpu, bytes, n);
		}
	}
}

TEST(a_packet_with_everything) {
	const struct piece uplink[] = {
		ETH(0x0800),
		IPV4(17, GNB, UPF),
		UDP(2152, 2152),
		GTPU_OPT(0x34, 255, 0xc0),
		GTPU_EXT(0x85),
		PSC(UPLINK, 9, 0),
		IPV4(17, UE, NET),
		UDP(1024, 53),
		END,
	};
	struct ddp_answer answer = steps_of_packet(&gtpu, uplink);
	const struct ddp_step *step = &answer.steps->steps[3];
	const struct ddp_read *hashed = answer.steps->hashed.reads;

	assert_string_equal(step->name, "gtpu");
	assert_string_equal(step->size_why, "12 bytes: 8 and 4 for [seq npdu next_ext] because "
					    "e | s | pn is true (e 1, s 0, pn 0)");
	assert_int_equal(step->n_tries, 2);
	assert_false(step->tries[0].decides);
	assert_string_equal(step->tries[0].what, "gtpu_psc");
	assert_string_equal(step->tries[0].why, "next_ext is 0xc0, not 0x85");
	assert_true(step->tries[1].decides);
	assert_string_equal(step->tries[1].why, "e is 1 and next_ext is 0xc0 (not 0)");
	assert_string_equal(step->next, "gtpu_ext");
	// the rule of a header reads a field of one before it
	step = &answer.steps->steps[5];
	assert_string_equal(step->tries[step->n_tries - 1].why, "gtpu.type is 255");

	assert_string_equal(answer.steps->type->name, "GTPU_IPV4_UDP");
	assert_int_equal(answer.steps->n_sets, 1);
	assert_ptr_equal(answer.steps->set, &answer.steps->type->sets[0]);
	assert_string_equal(hashed->name, "inner.ipv4.src");
	assert_string_equal(hashed->value, "10.1.2.3");
	assert_int_equal(hashed->bit, 8 * (14 + 20 + 8 + 12 + 4 + 4 + 12));
	assert_string_equal(answer.steps->extracted.reads[0].name, "gtpu.teid");
}

// IPV4_FRAG has the path of IPV4 and is tried first.
TEST(types_of_the_same_path_are_tried_in_order) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(99, UE, NET), END};
	struct ddp_answer answer = steps_of_packet(&base, pieces);

	assert_int_equal(answer.steps->n_types, 2);
	assert_string_equal(answer.steps->types[0].what, "IPV4_FRAG");
	assert_false(answer.steps->types[0].decides);
	assert_string_equal(answer.steps->types[1].what, "IPV4");
	assert_true(answer.steps->types[1].decides);
}

TEST(flaws_are_told_apart) {
	// clang-format off
	const struct {
		struct piece packet[5];
		unsigned int cut; // bytes
		enum ddp_flaw flaw;
		const char *why;
	} rows[] = {
		{{ETH(0x0800), IPV4(17, UE, NET)}, 3, DDP_FLAW_CUT,
		 "truncated: ipv4 takes 20 bytes, the packet has 17 more"},
		{{ETH(0x0800), IPV4_AS(0x44, 0, 17, UE, NET)}, 0, DDP_FLAW_SHORT,
		 "malformed: ipv4 says it has 16 bytes: 4 * ihl (ihl 4), its own fields take 20"},
		{{ETH(0x0800), IPV4_AS(0x55, 0, 17, UE, NET)}, 0, DDP_FLAW_INVALID,
		 "malformed: no valid ipv4, version is 5, not 4"},
		{{ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255)}, 0,
		 DDP_FLAW_AHEAD,
		 "truncated: what comes next cannot be known, first lies beyond the packet's end"},
		{{ETH(0x0800), IPV4_AS(0x45, 1, 17, UE, NET)}, 0, DDP_FLAW_NONE, ""},
	};
	// clang-format on

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[PACKET_MAX];
		unsigned int len = packet_build(rows[i].packet, bytes) - rows[i].cut;
		struct ddp_answer answer = steps_of(&gtpu, bytes, len);
		const struct ddp_step *last = &answer.steps->steps[answer.steps->n_steps - 1];

		assert_int_equal(last->flaw, rows[i].flaw);
		assert_string_equal(last->flaw_why, rows[i].why);
	}
}

TEST(the_number_that_leads_nowhere_is_found) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(99, UE, NET), END};
	const struct ddp_rule *rule;
	uint8_t bytes[PACKET_MAX];
	uint64_t value;

	for (unsigned int cut = 0; cut < 2; cut++) {
		const uint32_t len = packet_build(pieces, bytes) - cut;
		const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
		const struct ddp_answer answer = steps_of(&base, bytes, len);

		assert_int_equal(ddp_answer_end(base.profile, base.program, &packet, &answer.class,
						&rule, &value),
				 cut == 0);
		if (cut > 0)
			break;
		assert_string_equal(rule->key.name, "protocol");
		assert_int_equal(value, 99);
	}
}

static int setup(void **state) {
	ddp_reta_fill(reta, COUNT(reta), 8);
	base = load_good(corpora[0].spec);
	gtpu = load_good(corpora[1].spec);
	return 0;
}

GROUP(setup, NULL)
