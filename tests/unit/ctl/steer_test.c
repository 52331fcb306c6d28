/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include "ctl/profile/profile_load.h"
#include "ctl/profile/steer.h"
#include "known_frames.h"

static struct ddp_personality base;
static struct steer steer;

static int base_load(void **state) {
	return load_or_report(&base, NULL);
}

static int base_unload(void **state) {
	ddp_personality_unload(&base);
	return 0;
}

static struct steer_config config_default(void) {
	struct steer_config config = {
		.n_queues = 8,
		.reta_size = 128,
		.function = DDP_HASH_TOEPLITZ,
		.rss_hf = DDP_RSS_HF_ALL,
	};

	memcpy(config.key, ddp_default_key, sizeof(config.key));
	return config;
}

static struct steered steered_of(const struct steer_config *config, const uint8_t *frame,
				 uint32_t size) {
	const struct ddp_packet packet = {.data = frame, .first_len = size, .len = size};
	struct steered steered;
	struct ddp_class class;

	steer_init(&steer, config);
	ddp_classify(base.program, &packet, &class);
	steer_packet(&steer, base.program, &packet, &class, &steered);
	return steered;
}

// Microsoft's verification suite: this connection hashes to 0x51ccc178.
static void the_known_answer_comes_out(void **state) {
	struct steer_config config = config_default();
	struct steered steered = steered_of(&config, frame_tcp, sizeof(frame_tcp));

	assert_int_equal(steered.input_len, 12);
	assert_memory_equal(steered.input, frame_tcp + 26, 12);
	assert_int_equal(steered.hash, 0x51ccc178);
	assert_int_equal(steered.queue, 0x51ccc178 % 128 % 8);
}

static void both_directions_meet_with_a_symmetric_hash(void **state) {
	struct steer_config config = config_default();
	uint8_t back[sizeof(frame_tcp)];
	struct steered one, other;

	frame_reverse(back);
	one = steered_of(&config, frame_tcp, sizeof(frame_tcp));
	other = steered_of(&config, back, sizeof(back));
	assert_int_not_equal(one.hash, other.hash);
	config.function = DDP_HASH_SYMMETRIC_TOEPLITZ;
	one = steered_of(&config, frame_tcp, sizeof(frame_tcp));
	other = steered_of(&config, back, sizeof(back));
	assert_int_equal(one.input_len, 12);
	assert_memory_equal(one.input, other.input, 12);
	assert_memory_equal(one.input, one.input + 4, 4);
	assert_int_equal(one.hash, other.hash);
}

static void without_hash_fields_all_is_queue_0(void **state) {
	struct steer_config config = config_default();
	struct steered steered;

	config.rss_hf = 0;
	steered = steered_of(&config, frame_tcp, sizeof(frame_tcp));
	assert_int_equal(steered.input_len, 0);
	assert_int_equal(steered.queue, 0);
}

static void a_packet_with_nothing_to_hash_is_queue_0(void **state) {
	struct steer_config config = config_default();
	struct steered steered = steered_of(&config, frame_tcp, 14);

	assert_int_equal(steered.input_len, 0);
	assert_int_equal(steered.queue, 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_known_answer_comes_out),
		cmocka_unit_test(both_directions_meet_with_a_symmetric_hash),
		cmocka_unit_test(without_hash_fields_all_is_queue_0),
		cmocka_unit_test(a_packet_with_nothing_to_hash_is_queue_0),
	};

	return cmocka_run_group_tests(tests, base_load, base_unload);
}
