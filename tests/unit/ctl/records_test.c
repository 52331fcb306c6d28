/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_files.h"

#include "ctl/capture/records.h"

static struct image image;
static uint8_t work[sizeof(image.bytes)];
static const uint8_t data[300] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};

#define ROOM 64

struct got {
	unsigned int n;
	struct capture_packet packets[ROOM];
	bool ended_well;
	char error[RECORDS_ERROR_SIZE];
};

// All packets of the image, of which step bytes come at a time.
static void image_split(size_t step, struct got *got) {
	struct bytes bytes = {work, 0};
	struct records records;
	size_t given = 0;

	memset(got, 0, sizeof(*got));
	memcpy(work, image.bytes, image.len);
	records_init(&records, work, image.len);
	assert_int_not_equal(records.format, RECORDS_NONE);
	while (records.error[0] == '\0') {
		got->n += records_split(&records, &bytes, got->packets + got->n, ROOM - got->n);
		if (records.error[0] != '\0' || given == image.len)
			break;
		step = step < image.len - given ? step : image.len - given;
		given += step;
		bytes.len += step;
	}
	got->ended_well = records.error[0] == '\0' && records_end(&records, bytes.len) == 0;
	memcpy(got->error, records.error, sizeof(got->error));
	assert_int_equal(got->n, records.n_packets);
	records_fini(&records);
}

static void assert_packet(const struct capture_packet *packet, uint32_t len, uint32_t wire_len,
			  uint64_t time_ns, const char *link) {
	assert_int_equal(packet->len, len);
	assert_int_equal(packet->wire_len, wire_len);
	assert_memory_equal(packet->data, data, len);
	assert_true(packet->time_ns == time_ns);
	assert_string_equal(packet->link->name, link);
}

static void assert_fails(unsigned int n, const char *error) {
	struct got got;

	image_split(SIZE_MAX, &got);
	assert_int_equal(got.n, n);
	assert_false(got.ended_well);
	assert_string_equal(got.error, error);
}

static void pcap_in_both_orders_and_resolutions(void **state) {
	struct got got;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		bool ns = i & 1, big = i >> 1;

		pcap_begin(&image, big, ns ? MAGIC_NS : MAGIC_US, 200, LINK_ETHERNET);
		pcap_put(&image, 7, 999999, data, 60, 60);
		pcap_put(&image, 4294967295, 1, data, 100, 1500);
		pcap_put(&image, 8, 0, data, 250, 250); // more than the file says it has
		pcap_put(&image, 9, 0, data, 0, 0);
		for (size_t step = 1; step < image.len; step += 37) {
			image_split(step, &got);
			assert_true(got.ended_well);
			assert_int_equal(got.n, 4);
			assert_packet(&got.packets[0], 60, 60,
				      UINT64_C(7000000000) + (ns ? 999999 : 999999000), "Ethernet");
			assert_packet(&got.packets[1], 100, 1500,
				      UINT64_C(4294967295000000000) + (ns ? 1 : 1000), "Ethernet");
			assert_packet(&got.packets[2], 200, 250, UINT64_C(8000000000), "Ethernet");
			assert_packet(&got.packets[3], 0, 0, UINT64_C(9000000000), "Ethernet");
		}
	}
}

static void a_pcap_that_ends_in_a_record_is_an_error_after_the_others(void **state) {
	struct got got;

	(void)state;
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	pcap_put(&image, 1, 0, data, 60, 60);
	for (size_t whole = image.len, cut = 0; cut < 60 + 16; cut++) {
		image.len = whole - cut;
		image_split(7, &got);
		assert_int_equal(got.n, cut == 0);
		assert_int_equal(got.ended_well, cut == 0);
	}
}

static void a_packet_of_absurd_length_is_an_error(void **state) {
	(void)state;
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	pcap_put(&image, 1, 0, data, 60, 60);
	put32(&image, 2);
	put32(&image, 0);
	put32(&image, RECORDS_PACKET_MAX + 1);
	put32(&image, 60);
	assert_fails(1, "packet 2 says that 262145 bytes of it were captured");
}

static void the_link_type_is_known_with_checksum_bits_above(void **state) {
	struct records records;

	(void)state;
	pcap_begin(&image, true, MAGIC_US, 65535, 0x24000000 | LINK_SLL2);
	records_init(&records, image.bytes, image.len);
	assert_int_equal(records_link_type(&records), LINK_SLL2);
	records_fini(&records);
}

static void what_is_neither_is_left_to_libpcap(void **state) {
	struct records records;

	(void)state;
	pcap_begin(&image, false, 0xa1b2cd34, 65535, LINK_ETHERNET); // records are longer
	records_init(&records, image.bytes, image.len);
	assert_int_equal(records.format, RECORDS_NONE);
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	image.bytes[6] = 3; // version 2.3 has lengths the other way round
	records_init(&records, image.bytes, image.len);
	assert_int_equal(records.format, RECORDS_NONE);
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	records_init(&records, image.bytes, image.len - 1);
	assert_int_equal(records.format, RECORDS_NONE);
}

static void pcapng_with_interfaces_of_several_kinds(void **state) {
	// if_tsresol 9 = 10^-9, its end; if_tsoffset
	static const uint8_t little[] = {9,   0, 1, 0, 9, 0, 0, 0, 14, 0, 8, 0,
					 100, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0};
	static const uint8_t large[] = {0, 9, 0, 1, 9, 0, 0, 0,   0, 14, 0, 8,
					0, 0, 0, 0, 0, 0, 0, 100, 0, 0,  0, 0};
	static const uint32_t old[] = {0, 0, 5, 50, 55};
	struct got got;

	(void)state;
	image.len = 0;
	for (unsigned int big = 0; big < 2; big++) { // sections of both byte orders in one file
		section_put(&image, big);
		interface_put(&image, LINK_ETHERNET, 80, "", 0);
		block_put(&image, 5, old, 3, data, 40); // statistics
		interface_put(&image, LINK_SLL, 0, big ? large : little, sizeof(little));
		enhanced_put(&image, 0, 3000001, data, 60, 61);
		enhanced_put(&image, 1, 3000001, data, 99, 99);
		simple_put(&image, data, 80, 200);
		simple_put(&image, data, 21, 21);
		block_put(&image, 0x80001234, old, 1, data, 299); // unknown
		block_put(&image, 2, old, 5, data, 50);
	}
	for (size_t step = 1; step < image.len; step += 41) {
		image_split(step, &got);
		assert_string_equal(got.error, "");
		assert_true(got.ended_well);
		assert_int_equal(got.n, 10);
		for (unsigned int i = 0; i < 10; i += 5) {
			assert_packet(&got.packets[i], 60, 61, 3000001000, "Ethernet");
			assert_packet(&got.packets[i + 1], 99, 99, UINT64_C(100003000001),
				      "Linux cooked");
			assert_packet(&got.packets[i + 2], 80, 200, 0, "Ethernet");
			assert_packet(&got.packets[i + 3], 21, 21, 0, "Ethernet");
			assert_packet(&got.packets[i + 4], 50, 55, 5000, "Ethernet");
		}
	}
}

static void times_of_pcapng_in_other_units(void **state) {
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
		{0x80 | 63, UINT64_C(1) << 62, 500000000},
		{0x80 | 127, UINT64_MAX, 0},
		{127, UINT64_MAX, 1},
	};
	struct got got;

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t option[8] = {9, 0, 1, 0, cases[i].resolution};

		image.len = 0;
		section_put(&image, false);
		interface_put(&image, LINK_ETHERNET, 0, option, sizeof(option));
		enhanced_put(&image, 0, cases[i].time, data, 60, 60);
		image_split(SIZE_MAX, &got);
		assert_int_equal(got.n, 1);
		assert_true(got.packets[0].time_ns == cases[i].time_ns);
	}
}

// A file may give any number of seconds. Such times are useless, but the packets are not lost.
static void an_absurd_time_offset_of_pcapng_harms_no_packet(void **state) {
	static const uint8_t resolutions[] = {6, 9, 0, 127, 0x80, 0x80 | 20, 0x80 | 64, 0xff};
	static const uint64_t offsets[] = {INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
					   UINT64_C(1) << 62, INT64_MAX / 1000000000 + 1};
	struct got got;

	(void)state;
	for (unsigned int i = 0; i < sizeof(resolutions); i++) {
		for (unsigned int j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			uint8_t options[20] = {9, 0, 1, 0, resolutions[i], 0, 0, 0, 14, 0, 8, 0};

			for (unsigned int byte = 0; byte < 8; byte++)
				options[12 + byte] = offsets[j] >> (8 * byte);
			image.len = 0;
			section_put(&image, false);
			interface_put(&image, LINK_ETHERNET, 0, options, sizeof(options));
			enhanced_put(&image, 0, UINT64_MAX, data, 60, 60);
			image_split(SIZE_MAX, &got);
			assert_string_equal(got.error, "");
			assert_int_equal(got.n, 1);
			assert_memory_equal(got.packets[0].data, data, 60);
		}
	}
}

static void options_of_interfaces_that_make_no_sense_are_passed_over(void **state) {
	static const uint8_t options[] = {2, 0, 200, 0, 1, 2, 3, 4}; // longer than the block
	struct got got;

	(void)state;
	image.len = 0;
	section_put(&image, false);
	for (size_t len = 0; len <= sizeof(options); len++)
		interface_put(&image, LINK_ETHERNET, 0, options, len);
	enhanced_put(&image, 8, 1, data, 60, 60);
	image_split(SIZE_MAX, &got);
	assert_int_equal(got.n, 1);
	assert_packet(&got.packets[0], 60, 60, 1000, "Ethernet");
}

static void pcapng_begin_two(void) {
	image.len = 0;
	section_put(&image, false);
	interface_put(&image, LINK_ETHERNET, 0, "", 0);
	interface_put(&image, 105, 0, "", 0); // 802.11
	enhanced_put(&image, 0, 1, data, 60, 60);
}

static void an_interface_that_profiles_have_no_use_for_harms_when_it_has_packets(void **state) {
	struct got got;

	(void)state;
	pcapng_begin_two();
	image_split(SIZE_MAX, &got);
	assert_true(got.ended_well);
	enhanced_put(&image, 1, 1, data, 60, 60);
	image_split(SIZE_MAX, &got);
	assert_int_equal(got.n, 1);
	assert_non_null(strstr(got.error, "packet 2 is of interface 1, whose link type "
					  "IEEE802_11 is none of: Ethernet, "));
}

static void damaged_pcapng_is_an_error_after_the_good_packets(void **state) {
	static const uint32_t short_head[] = {0, 0, 0, 200, 200};
	uint32_t huge[] = {0, 0, 0, RECORDS_PACKET_MAX + 1, 60};

	(void)state;
	pcapng_begin_two();
	enhanced_put(&image, 2, 1, data, 60, 60);
	assert_fails(1, "packet 2 is of interface 2, which is not described");
	pcapng_begin_two();
	block_put(&image, 6, short_head, 5, data, 100);
	assert_fails(1, "packet 2 does not fit in its block of 132 bytes");
	pcapng_begin_two();
	block_put(&image, 6, short_head, 2, data, 0);
	assert_fails(1, "packet 2 does not fit in its block of 20 bytes");
	pcapng_begin_two();
	block_put(&image, 6, huge, 5, data, 100);
	assert_fails(1, "packet 2 says that 262145 bytes of it were captured");
	pcapng_begin_two();
	put32(&image, 6);
	put32(&image, 8);
	put32(&image, 8);
	assert_fails(1, "a block of 8 bytes");
	pcapng_begin_two();
	put32(&image, 6);
	put32(&image, RECORDS_SIZE_MAX + 4);
	put32(&image, 0);
	assert_fails(1, "a block of 524292 bytes");
	pcapng_begin_two();
	image.bytes[image.len - 4]++;
	assert_fails(0, "a block whose lengths in front and behind differ");
	pcapng_begin_two();
	block_put(&image, 1, short_head, 1, data, 0);
	assert_fails(1, "an interface block of 16 bytes");
	pcapng_begin_two();
	block_put(&image, 0x0a0d0d0a, short_head, 4, data, 0);
	assert_fails(1, "a section without a byte order");
	pcapng_begin_two();
	section_put(&image, false);
	image.bytes[image.len - 28 + 12] = 2;
	assert_fails(1, "a section of pcapng version 2.0, not 1.0");
}

static void pcapng_that_ends_in_a_block_is_an_error(void **state) {
	struct got got;

	(void)state;
	pcapng_begin_two();
	for (size_t whole = image.len, cut = 1; cut < 92; cut++) {
		image.len = whole - cut;
		image_split(11, &got);
		assert_int_equal(got.n, 0);
		assert_false(got.ended_well);
		assert_string_equal(got.error, "it ends in the middle of a record");
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pcap_in_both_orders_and_resolutions),
		cmocka_unit_test(a_pcap_that_ends_in_a_record_is_an_error_after_the_others),
		cmocka_unit_test(a_packet_of_absurd_length_is_an_error),
		cmocka_unit_test(the_link_type_is_known_with_checksum_bits_above),
		cmocka_unit_test(what_is_neither_is_left_to_libpcap),
		cmocka_unit_test(pcapng_with_interfaces_of_several_kinds),
		cmocka_unit_test(times_of_pcapng_in_other_units),
		cmocka_unit_test(an_absurd_time_offset_of_pcapng_harms_no_packet),
		cmocka_unit_test(options_of_interfaces_that_make_no_sense_are_passed_over),
		cmocka_unit_test(
			an_interface_that_profiles_have_no_use_for_harms_when_it_has_packets),
		cmocka_unit_test(damaged_pcapng_is_an_error_after_the_good_packets),
		cmocka_unit_test(pcapng_that_ends_in_a_block_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
