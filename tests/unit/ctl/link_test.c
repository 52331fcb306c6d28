/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_files.h"

#include <pcap/pcap.h>

#include "ctl/capture/capture.h"

static uint8_t frame[128];

// A packet of the link type with these bytes, made an Ethernet frame. Returns its length.
static uint32_t framed(int link_type, const void *data, uint32_t len) {
	const struct link *link = link_find(link_type);

	assert_non_null(link);
	memset(frame, 0xee, sizeof(frame));
	return link_to_ethernet(link, data, len, frame);
}

// The header made up has zero addresses and this EtherType, and then comes what is at payload.
static void assert_frame(uint32_t len, uint16_t type, const void *payload, uint32_t payload_len) {
	static const uint8_t zeros[12];

	assert_int_equal(len, 14 + payload_len);
	assert_memory_equal(frame, zeros, 12);
	assert_int_equal(frame[12] << 8 | frame[13], type);
	assert_memory_equal(frame + 14, payload, payload_len);
}

TEST(ethernet_stays_as_it_is) {
	assert_int_equal(framed(DLT_EN10MB, "abcdefghijklmnop", 16), 16);
	assert_memory_equal(frame, "abcdefghijklmnop", 16);
}

TEST(raw_ip_says_its_version) {
	assert_frame(framed(DLT_RAW, "\x45ip", 3), 0x0800, "\x45ip", 3);
	assert_frame(framed(DLT_RAW, "\x60ip", 3), 0x86dd, "\x60ip", 3);
	assert_frame(framed(DLT_RAW, "\x50ip", 3), 0, "\x50ip", 3);
	assert_frame(framed(DLT_RAW, "", 0), 0, "", 0);
	assert_frame(framed(DLT_IPV4, "\x45ip", 3), 0x0800, "\x45ip", 3);
	assert_frame(framed(DLT_IPV6, "\x60ip", 3), 0x86dd, "\x60ip", 3);
}

TEST(cooked_headers_say_the_ether_type) {
	uint8_t sll[16 + 4] = {[14] = 0x86, [15] = 0xdd, 'd', 'a', 't', 'a'};
	uint8_t sll2[20 + 4] = {0x08, 0x06, [20] = 'd', 'a', 't', 'a'};

	assert_frame(framed(DLT_LINUX_SLL, sll, sizeof(sll)), 0x86dd, "data", 4);
	assert_frame(framed(DLT_LINUX_SLL2, sll2, sizeof(sll2)), 0x0806, "data", 4);
}

TEST(vlan_tags_of_cooked_captures_stay) {
	static const uint8_t tagged[16 + 6] = {[14] = 0x81, [16] = 0, 5, 8, 0, 0x45};

	assert_frame(framed(DLT_LINUX_SLL, tagged, sizeof(tagged)), 0x8100, tagged + 16, 6);
}

TEST(cooked_frames_without_ether_type_have_a_length) {
	uint8_t sll[16 + 5] = {[15] = 4, [16] = 0x42, 0x42, 3};
	uint8_t sll2[20 + 5] = {0, 1, [20] = 0xff, 0xff};

	assert_frame(framed(DLT_LINUX_SLL, sll, sizeof(sll)), 5, sll + 16, 5);
	assert_frame(framed(DLT_LINUX_SLL2, sll2, sizeof(sll2)), 5, sll2 + 20, 5);
}

TEST(address_families_are_known_in_both_byte_orders) {
	static const struct {
		uint8_t bytes[5];
		uint16_t type;
	} cases[] = {
		{{2, 0, 0, 0, 0x45}, 0x0800},  {{0, 0, 0, 2, 0x45}, 0x0800},
		{{10, 0, 0, 0, 0x60}, 0x86dd}, {{0, 0, 0, 24, 0x60}, 0x86dd},
		{{28, 0, 0, 0, 0x60}, 0x86dd}, {{0, 0, 0, 30, 0x60}, 0x86dd},
		{{7, 0, 0, 0, 0x60}, 0},
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_frame(framed(i % 2 == 0 ? DLT_NULL : DLT_LOOP, cases[i].bytes, 5),
			     cases[i].type, cases[i].bytes + 4, 1);
}

TEST(a_packet_without_its_links_header_is_empty) {
	static const struct {
		int link_type;
		uint32_t header;
	} cases[] = {{DLT_NULL, 4}, {DLT_LOOP, 4}, {DLT_LINUX_SLL, 16}, {DLT_LINUX_SLL2, 20}};
	uint8_t zeros[20] = {0};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint32_t len = 0; len <= cases[i].header; len++)
			assert_int_equal(framed(cases[i].link_type, zeros, len),
					 len < cases[i].header ? 0 : 14);
}

TEST(other_links_are_not_known) {
	assert_null(link_find(105));
	assert_string_equal(link_type_name(105), "IEEE802_11");
	assert_string_equal(link_type_name(65000), "65000");
	assert_string_equal(link_names(), "Ethernet, raw IP, raw IPv4, raw IPv6, Linux cooked, "
					  "Linux cooked v2, BSD loopback, BSD null");
}
