/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include "ctl/simulate/spread.h"

static struct capture capture = {.path = "/some/where/n3.pcap"};

static void assert_text(double seconds, const char *expected) {
	char text[PROGRESS_TEXT_SIZE];

	progress_text(&capture, seconds, text);
	assert_string_equal(text, expected);
}

TEST(a_file_has_a_bar_and_an_end_in_sight) {
	capture.input.size = UINT64_C(10000000000);
	capture.input.position = UINT64_C(2500000000);
	capture.n_packets = 50000000;
	assert_text(25, "n3.pcap [#####               ]  25% of 10.0 GB, 1:15 left, "
			"50000000 packets, 2.0 million a second");
}

TEST(a_file_that_grows_is_at_its_end) {
	capture.input.size = 1000000000;
	capture.input.position = 1000000001;
	capture.n_packets = 1000000;
	assert_text(1, "n3.pcap [####################] 100% of 1.0 GB, 0:00 left, "
		       "1000000 packets, 1.0 million a second");
}

TEST(nothing_read_yet_is_no_reason_to_divide) {
	capture.input.position = 0;
	capture.n_packets = 0;
	assert_text(0, "n3.pcap [                    ]   0% of 1.0 GB, 0:00 left, "
		       "0 packets, 0.0 million a second");
}

TEST(what_has_no_size_has_no_bar) {
	capture.path = "standard input";
	capture.input.size = 0;
	capture.n_packets = 3000;
	assert_text(1, "standard input, 3000 packets, 0.0 million a second");
}

TEST(the_line_never_overflows) {
	char text[PROGRESS_TEXT_SIZE];

	capture.path = "/a-name-that-is-longer-than-anybody-would-like-it-to-be-on-a-terminal.pcap";
	capture.input.size = UINT64_MAX;
	capture.input.position = UINT64_MAX / 3;
	capture.n_packets = UINT64_MAX;
	progress_text(&capture, 1e9, text);
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_non_null(strstr(text, " a second"));
}
