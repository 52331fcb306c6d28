/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/answer.h"

#include "corpus.h"
#include "ctl/known_frames.h"
#include "unit.h"

static struct loaded base;
static uint16_t reta[128];

static struct ddp_answer answer_of(enum ddp_hash_function function, uint64_t rss_hf,
				   const uint8_t *frame, uint32_t size) {
	const struct ddp_packet packet = {.data = frame, .first_len = size, .len = size};
	static struct ddp_hash hash;
	const struct ddp_answer_rss rss = {&hash, reta, COUNT(reta), rss_hf};
	struct ddp_answer answer;

	ddp_hash_init(&hash, function, ddp_default_key);
	memset(&answer, 0xa5, sizeof(answer));
	ddp_answer(base.program, &rss, &packet, &answer);
	assert_int_equal(answer.function, function);
	assert_false(answer.dropped);
	return answer;
}

// Microsoft's verification suite: this connection hashes to 0x51ccc178.
static void the_known_answer_comes_out(void **state) {
	struct ddp_answer answer =
		answer_of(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL, frame_tcp, sizeof(frame_tcp));

	assert_string_equal(chain_text(base.program, &answer.class), "eth@0 ipv4@14 tcp@34");
	assert_string_equal(ddp_program_type(base.program, answer.class.type)->name, "IPV4_TCP");
	assert_int_equal(answer.input_len, 12);
	assert_memory_equal(answer.input, frame_tcp + 26, 12);
	assert_int_equal(answer.hash, 0x51ccc178);
	assert_int_equal(answer.port_hash, 0x51ccc178);
	assert_int_equal(answer.queue, 0x51ccc178 % 128 % 8);
}

static void both_directions_meet_with_a_symmetric_hash(void **state) {
	uint8_t back[sizeof(frame_tcp)];
	struct ddp_answer one, other;

	frame_reverse(back);
	one = answer_of(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL, frame_tcp, sizeof(frame_tcp));
	other = answer_of(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL, back, sizeof(back));
	assert_int_not_equal(one.hash, other.hash);
	one = answer_of(DDP_HASH_SYMMETRIC_TOEPLITZ, DDP_RSS_HF_ALL, frame_tcp, sizeof(frame_tcp));
	other = answer_of(DDP_HASH_SYMMETRIC_TOEPLITZ, DDP_RSS_HF_ALL, back, sizeof(back));
	assert_int_equal(one.input_len, 12);
	assert_memory_equal(one.input, other.input, 12);
	assert_memory_equal(one.input, one.input + 4, 4);
	assert_int_equal(one.hash, other.hash);
}

static void what_is_not_hashed_is_on_queue_0(void **state) {
	struct ddp_answer off = answer_of(DDP_HASH_TOEPLITZ, 0, frame_tcp, sizeof(frame_tcp)),
			  ethernet = answer_of(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL, frame_tcp, 14);

	assert_int_equal(off.input_len, 0);
	assert_int_equal(off.hash, 0);
	assert_int_equal(off.queue, 0);
	assert_int_equal(ethernet.input_len, 0);
	assert_int_equal(ethernet.queue, 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_known_answer_comes_out),
		cmocka_unit_test(both_directions_meet_with_a_symmetric_hash),
		cmocka_unit_test(what_is_not_hashed_is_on_queue_0),
	};
	int n_failed;

	ddp_reta_fill(reta, COUNT(reta), 8);
	base = load_good("base");
	n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	unload(&base);
	return n_failed;
}
