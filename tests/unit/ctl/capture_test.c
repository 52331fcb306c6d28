/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"

#include <inttypes.h>

#include "ctl/capture.h"

static const uint8_t frame[60] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};

static void ends_with(const char *text, const char *end) {
	assert_true(strlen(text) >= strlen(end));
	assert_string_equal(text + strlen(text) - strlen(end), end);
}

static void packets_come_in_order_and_then_the_end(void **state) {
	struct capture_file file;
	struct capture capture;
	struct ddp_packet packet;

	(void)state;
	capture_create(&file, "good.pcap", ETHERNET);
	for (uint32_t len = 10; len < 13; len++)
		capture_put(&file, frame, len, len);
	assert_int_equal(capture_open(&capture, capture_done(&file)), 0);
	for (uint32_t len = 10; len < 13; len++) {
		assert_int_equal(capture_next(&capture, &packet), 1);
		assert_int_equal(packet.len, len);
		assert_int_equal(packet.first_len, len);
		assert_memory_equal(packet.data, frame, len);
	}
	assert_int_equal(capture_next(&capture, &packet), 0);
	assert_true(capture.n_packets == 3);
	assert_true(capture.size == 24 + 3 * 16 + 10 + 11 + 12);
	assert_true(capture_position(&capture) == capture.size);
	capture_close(&capture);
}

static void a_cut_record_is_an_error_after_the_others(void **state) {
	struct capture_file file;
	struct capture capture;
	struct ddp_packet packet;
	const char *path;

	(void)state;
	capture_create(&file, "cut.pcap", ETHERNET);
	capture_put(&file, frame, 60, 60);
	capture_put(&file, frame, 60, 60);
	capture_put(&file, frame, 20, 60);
	path = capture_done(&file);
	assert_int_equal(capture_open(&capture, path), 0);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_true(capture_next(&capture, &packet) < 0);
	assert_memory_equal(capture.error, path, strlen(path));
	ends_with(capture.error, "; packets read: 2");
	capture_close(&capture);
}

static void only_ethernet_is_taken(void **state) {
	struct capture_file file;
	struct capture capture;

	(void)state;
	capture_create(&file, "raw.pcap", RAW_IP);
	assert_true(capture_open(&capture, capture_done(&file)) < 0);
	ends_with(capture.error, "raw.pcap: link type RAW is not Ethernet");
}

static void what_is_no_capture_is_told(void **state) {
	struct capture capture;

	(void)state;
	assert_true(capture_open(&capture, scratch_path("nowhere.pcap")) < 0);
	ends_with(capture.error, "nowhere.pcap: No such file or directory");
	assert_true(capture_open(&capture, file_write("text.pcap", "just some text\n", 15)) < 0);
	ends_with(capture.error, "text.pcap: not a capture: unknown file format");
	assert_true(capture_open(&capture, file_write("empty.pcap", "", 0)) < 0);
	assert_non_null(strstr(capture.error, "empty.pcap: not a capture: "));
	assert_true(capture_open(&capture, scratch_dir) < 0);
	assert_non_null(strstr(capture.error, "Is a directory"));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_come_in_order_and_then_the_end),
		cmocka_unit_test(a_cut_record_is_an_error_after_the_others),
		cmocka_unit_test(only_ethernet_is_taken),
		cmocka_unit_test(what_is_no_capture_is_told),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
