/* SPDX-License-Identifier: BSD-3-Clause */
// What files hold, good and damaged: any byte order, resolution of time and kind of block.
#include "capture_files.h"

#include "ctl/capture/capture.h"

static struct image image;
static struct capture_batch batch;
static const uint8_t data[300] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};

struct got {
	unsigned int n;
	bool ended_well;
	char error[sizeof(((struct capture *)0)->error)];
};

// All packets of the image: they are in batch, which has room for all.
static void image_read(struct got *got) {
	const char *path = image_write(&image, "image");
	struct capture capture;
	int ret;

	memset(got, 0, sizeof(*got));
	ret = capture_open(&capture, &(struct capture_config){.path = path});
	if (ret == 0 && capture_fill(&capture, &batch) > 0) {
		static struct capture_batch end;

		got->n = batch.n;
		ret = capture_fill(&capture, &end);
		assert_true(ret <= 0);
	} else if (ret == 0) {
		ret = capture_fill(&capture, &batch);
	}
	got->ended_well = ret == 0;
	if (ret < 0)
		memcpy(got->error, capture.error, sizeof(got->error));
	capture_close(&capture);
}

static void assert_packet(unsigned int i, uint32_t len, uint32_t wire_len, uint64_t time_ns) {
	const struct capture_packet *packet = &batch.packets[i];

	assert_int_equal(packet->len, len);
	assert_int_equal(packet->wire_len, wire_len);
	assert_memory_equal(packet->data, data, len);
	assert_true(packet->time_ns == time_ns);
}

static void assert_fails(unsigned int n, const char *error) {
	struct got got;

	image_read(&got);
	assert_int_equal(got.n, n);
	assert_false(got.ended_well);
	assert_non_null(strstr(got.error, error));
}

TEST(pcap_in_both_orders_and_resolutions) {
	struct got got;

	for (unsigned int i = 0; i < 4; i++) {
		bool ns = i & 1, big = i >> 1;

		pcap_begin(&image, big, ns ? MAGIC_NS : MAGIC_US, 200, LINK_ETHERNET);
		pcap_put(&image, 7, 999999, data, 60, 60);
		pcap_put(&image, 4294967295, 1, data, 100, 1500);
		pcap_put(&image, 8, 0, data, 250, 250); // more than the file says it has
		pcap_put(&image, 9, 0, data, 0, 0);
		image_read(&got);
		assert_true(got.ended_well);
		assert_int_equal(got.n, 4);
		assert_packet(0, 60, 60, UINT64_C(7000000000) + (ns ? 999999 : 999999000));
		assert_packet(1, 100, 1500, UINT64_C(4294967295000000000) + (ns ? 1 : 1000));
		assert_packet(2, 200, 250, UINT64_C(8000000000));
		assert_packet(3, 0, 0, UINT64_C(9000000000));
	}
}

TEST(a_pcap_that_ends_in_a_record_is_an_error_after_the_others) {
	struct got got;

	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	pcap_put(&image, 1, 0, data, 60, 60);
	for (size_t whole = image.len, cut = 0; cut < 60 + 16; cut++) {
		image.len = whole - cut;
		image_read(&got);
		assert_int_equal(got.n, cut == 0);
		assert_int_equal(got.ended_well, cut == 0);
	}
}

TEST(a_packet_of_absurd_length_is_an_error) {
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	pcap_put(&image, 1, 0, data, 60, 60);
	put32(&image, 2);
	put32(&image, 0);
	put32(&image, CAPTURE_PACKET_MAX + 1);
	put32(&image, 60);
	assert_fails(1, "invalid packet capture length 262145");
}

TEST(the_link_type_is_known_with_checksum_bits_above) {
	struct got got;

	pcap_begin(&image, true, MAGIC_US, 65535, 0x24000000 | LINK_ETHERNET);
	pcap_put(&image, 1, 0, data, 60, 60);
	image_read(&got);
	assert_int_equal(got.n, 1);
	assert_packet(0, 60, 60, 1000000000);
}

TEST(pcapng_in_both_orders) {
	// if_tsresol 9 = 10^-9, its end; if_tsoffset
	static const uint8_t little[] = {9,   0, 1, 0, 9, 0, 0, 0, 14, 0, 8, 0,
					 100, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0};
	static const uint8_t large[] = {0, 9, 0, 1, 9, 0, 0, 0,   0, 14, 0, 8,
					0, 0, 0, 0, 0, 0, 0, 100, 0, 0,  0, 0};
	static const uint32_t old[] = {0, 0, 5, 50, 55};
	struct got got;

	for (unsigned int big = 0; big < 2; big++) {
		image.len = 0;
		section_put(&image, big);
		interface_put(&image, LINK_ETHERNET, 80, "", 0);
		block_put(&image, 5, old, 3, data, 40); // statistics
		interface_put(&image, LINK_ETHERNET, 80, big ? large : little, sizeof(little));
		enhanced_put(&image, 0, 3000001, data, 60, 61);
		enhanced_put(&image, 1, 3000001, data, 79, 79);
		simple_put(&image, data, 80, 200);
		simple_put(&image, data, 21, 21);
		block_put(&image, 0x80001234, old, 1, data, 299); // unknown
		block_put(&image, 2, old, 5, data, 50);
		image_read(&got);
		assert_string_equal(got.error, "");
		assert_int_equal(got.n, 5);
		assert_packet(0, 60, 61, 3000001000);
		assert_packet(1, 79, 79, UINT64_C(100003000001));
		assert_packet(2, 80, 200, 0);
		assert_packet(3, 21, 21, 0);
		assert_packet(4, 50, 55, 5000);
	}
}

TEST(interfaces_that_differ_are_refused_with_a_way_out) {
	image.len = 0;
	section_put(&image, false);
	interface_put(&image, LINK_ETHERNET, 0, "", 0);
	enhanced_put(&image, 0, 1, data, 60, 60);
	interface_put(&image, LINK_SLL, 0, "", 0);
	assert_fails(1, "an interface has a type 113 different from");
	assert_fails(1, "editcap");
	image.len = 0;
	section_put(&image, false);
	interface_put(&image, LINK_ETHERNET, 100, "", 0);
	enhanced_put(&image, 0, 1, data, 60, 60);
	interface_put(&image, LINK_ETHERNET, 200, "", 0);
	assert_fails(1, "an interface has a snapshot length 200 different from");
	assert_fails(1, "editcap");
}

TEST(times_of_pcapng_in_other_units) {
	static const struct {
		uint8_t resolution;
		uint64_t time, time_ns;
	} cases[] = {
		{0, 7, 7000000000},
		{3, 7001, 7001000000},
		{9, UINT64_C(1700000000123456789), UINT64_C(1700000000123456789)},
		{12, 7000000000001999, 7000000000001},
		{0x80, 7, 7000000000},
		{0x80 | 20, 7 << 20 | 1 << 19, 7500000000},
	};
	struct got got;

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t option[8] = {9, 0, 1, 0, cases[i].resolution};

		image.len = 0;
		section_put(&image, false);
		interface_put(&image, LINK_ETHERNET, 0, option, sizeof(option));
		enhanced_put(&image, 0, cases[i].time, data, 60, 60);
		image_read(&got);
		assert_int_equal(got.n, 1);
		assert_true(batch.packets[0].time_ns == cases[i].time_ns);
	}
}

// A file may give any number of seconds. Such times are useless, but the packets are not lost.
TEST(an_absurd_time_offset_of_pcapng_harms_no_packet) {
	static const uint8_t resolutions[] = {6, 9, 0, 19, 0x80, 0x80 | 20, 0x80 | 63};
	static const uint64_t offsets[] = {INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
					   UINT64_C(1) << 62, INT64_MAX / 1000000000 + 1};
	struct got got;

	for (unsigned int i = 0; i < sizeof(resolutions); i++) {
		for (unsigned int j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			uint8_t options[20] = {9, 0, 1, 0, resolutions[i], 0, 0, 0, 14, 0, 8, 0};

			for (unsigned int byte = 0; byte < 8; byte++)
				options[12 + byte] = offsets[j] >> (8 * byte);
			image.len = 0;
			section_put(&image, false);
			interface_put(&image, LINK_ETHERNET, 0, options, sizeof(options));
			enhanced_put(&image, 0, UINT64_MAX, data, 60, 60);
			image_read(&got);
			assert_string_equal(got.error, "");
			assert_int_equal(got.n, 1);
			assert_memory_equal(batch.packets[0].data, data, 60);
		}
	}
}

static void pcapng_begin_one(void) {
	image.len = 0;
	section_put(&image, false);
	interface_put(&image, LINK_ETHERNET, 0, "", 0);
	enhanced_put(&image, 0, 1, data, 60, 60);
}

TEST(damaged_pcapng_is_an_error_after_the_good_packets) {
	static const uint8_t options[] = {2, 0, 200, 0, 1, 2, 3, 4}; // longer than the block
	static const uint32_t short_head[] = {0, 0, 0, 200, 200};
	uint32_t huge[] = {0, 0, 0, CAPTURE_PACKET_MAX + 1, 60};

	pcapng_begin_one();
	enhanced_put(&image, 2, 1, data, 60, 60);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	block_put(&image, 6, short_head, 5, data, 100);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	block_put(&image, 6, short_head, 2, data, 0);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	block_put(&image, 6, huge, 5, data, 100);
	assert_fails(1, "invalid packet capture length 262145");
	pcapng_begin_one();
	put32(&image, 6);
	put32(&image, 8);
	put32(&image, 8);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	image.bytes[image.len - 4]++;
	assert_fails(0, "packets read: 0");
	pcapng_begin_one();
	block_put(&image, 1, short_head, 1, data, 0);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	interface_put(&image, LINK_ETHERNET, 0, options, sizeof(options));
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	block_put(&image, 0x0a0d0d0a, short_head, 4, data, 0);
	assert_fails(1, "packets read: 1");
	pcapng_begin_one();
	section_put(&image, false);
	image.bytes[image.len - 28 + 12] = 2;
	assert_fails(1, "packets read: 1");
}

TEST(pcapng_that_ends_in_a_block_is_an_error) {
	struct got got;

	pcapng_begin_one();
	for (size_t whole = image.len, cut = 1; cut < 92; cut++) {
		image.len = whole - cut;
		image_read(&got);
		assert_int_equal(got.n, 0);
		assert_false(got.ended_well);
		assert_non_null(strstr(got.error, "truncated"));
	}
}

GROUP(scratch_setup, scratch_teardown)
