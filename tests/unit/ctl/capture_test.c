/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <pcap/pcap.h>

#include "capture_files.h"
#include "ctl/capture/capture.h"
#include "ctl/command.h"

static struct image image;
static const uint8_t frame[60] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};

static struct capture_file file;
static struct capture capture; // the last one that was opened
static bool is_open;
static struct ddp_packet packet;

static int end(void **state) {
	if (is_open)
		capture_close(&capture);
	is_open = false;
	return 0;
}

static int open_by(const struct capture_config *config) {
	int ret;

	end(NULL);
	ret = capture_open(&capture, config);
	is_open = ret == 0;
	return ret;
}

static int open_path(const char *path) {
	return open_by(&(struct capture_config){.path = path});
}

static void ends_with(const char *text, const char *end) {
	assert_true(strlen(text) >= strlen(end));
	assert_string_equal(text + strlen(text) - strlen(end), end);
}

TEST(packets_come_in_order_and_then_the_end) {
	capture_create(&file, "good.pcap", ETHERNET);
	for (uint32_t len = 10; len < 13; len++)
		capture_put(&file, frame, len, len);
	assert_int_equal(open_path(capture_done(&file)), 0);
	for (uint32_t len = 10; len < 13; len++) {
		assert_int_equal(capture_next(&capture, &packet), 1);
		assert_int_equal(packet.len, len);
		assert_int_equal(packet.first_len, len);
		assert_memory_equal(packet.data, frame, len);
		assert_int_equal(capture.n_packets, len - 9);
		assert_int_equal(capture_pending(&capture), len < 12);
	}
	assert_int_equal(capture_next(&capture, &packet), 0);
	assert_int_equal(capture_next(&capture, &packet), 0);
	assert_true(capture.n_packets == 3);
	assert_true(capture.n_cut == 0);
	assert_int_equal(capture_status(&capture, 0), EXIT_GOOD);
}

TEST(a_cut_record_is_an_error_after_the_others) {
	const char *path;

	capture_create(&file, "cut.pcap", ETHERNET);
	capture_put(&file, frame, 60, 60);
	capture_put(&file, frame, 60, 60);
	capture_put(&file, frame, 20, 60);
	path = capture_done(&file);
	assert_int_equal(open_path(path), 0);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_int_equal(capture_next(&capture, &packet), -EIO);
	assert_memory_equal(capture.error, path, strlen(path));
	ends_with(capture.error, "; packets read: 2");
	assert_int_equal(capture_status(&capture, -EIO), EXIT_UNREADABLE);
}

// Many batches, some packets as large as any, in both ways of reading: count what is lost at the
// seams.
TEST(batches_have_all_packets) {
	static uint8_t large[CAPTURE_PACKET_MAX];
	struct capture_batch *batch = malloc(sizeof(*batch));
	const char *path;
	uint32_t n = 0;

	assert_non_null(batch);
	capture_create(&file, "many.pcap", ETHERNET);
	for (uint32_t i = 0; i < 40000; i++) {
		memcpy(large, &i, sizeof(i));
		capture_put(&file, large, i % 5000 == 0 ? 65535 : 20 + i % 100,
			    i % 5000 == 0 ? 65535 : 20 + i % 100);
	}
	path = capture_done(&file);
	assert_int_equal(open_path(path), 0);
	while (capture_fill(&capture, batch) > 0) {
		for (unsigned int i = 0; i < batch->n; i++, n++) {
			assert_int_equal(batch->packets[i].len,
					 n % 5000 == 0 ? 65535 : 20 + n % 100);
			assert_memory_equal(batch->packets[i].data, &n, sizeof(n));
			assert_true(capture_readable(batch, &batch->packets[i]) >=
				    batch->packets[i].len + CAPTURE_TAILROOM);
		}
		assert_int_equal(capture.n_packets, n);
	}
	assert_int_equal(n, 40000);
	assert_int_equal(open_path(path), 0);
	for (n = 0; capture_next(&capture, &packet) > 0; n++)
		assert_memory_equal(packet.data, &n, sizeof(n));
	assert_int_equal(n, 40000);
	free(batch);
}

// A file may give any number of seconds. Such times are useless, but the packets are not lost.
TEST(an_absurd_time_offset_of_pcapng_harms_no_packet) {
	static const uint8_t resolutions[] = {6, 9, 0, 19, 0x80, 0x80 | 20, 0x80 | 63};
	static const uint64_t offsets[] = {INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
					   UINT64_C(1) << 62, INT64_MAX / 1000000000 + 1};

	for (unsigned int i = 0; i < sizeof(resolutions); i++) {
		for (unsigned int j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			uint8_t options[20] = {9, 0, 1, 0, resolutions[i], 0, 0, 0, 14, 0, 8, 0};

			for (unsigned int byte = 0; byte < 8; byte++)
				options[12 + byte] = offsets[j] >> (8 * byte);
			image.len = 0;
			section_put(&image, false);
			interface_put(&image, LINK_ETHERNET, 0, options, sizeof(options));
			enhanced_put(&image, 0, UINT64_MAX, frame, 60, 60);
			assert_int_equal(open_path(image_write(&image, "absurd.pcapng")), 0);
			assert_int_equal(capture_next(&capture, &packet), 1);
			assert_memory_equal(packet.data, frame, 60);
			assert_int_equal(capture_next(&capture, &packet), 0);
		}
	}
}

TEST(interfaces_that_differ_are_refused_with_a_way_out) {
	static const struct {
		uint16_t link_type;
		uint32_t snap_len;
		const char *error;
	} seconds[] = {
		{LINK_SLL, 100, "an interface has a type 113 different from"},
		{LINK_ETHERNET, 200, "an interface has a snapshot length 200 different from"},
	};

	for (unsigned int i = 0; i < COUNT(seconds); i++) {
		image.len = 0;
		section_put(&image, false);
		interface_put(&image, LINK_ETHERNET, 100, "", 0);
		enhanced_put(&image, 0, 1, frame, 60, 60);
		interface_put(&image, seconds[i].link_type, seconds[i].snap_len, "", 0);
		assert_int_equal(open_path(image_write(&image, "two.pcapng")), 0);
		assert_int_equal(capture_next(&capture, &packet), 1);
		assert_int_equal(capture_next(&capture, &packet), -EIO);
		assert_non_null(strstr(capture.error, seconds[i].error));
		assert_non_null(strstr(capture.error, "editcap"));
	}
}

TEST(links_of_no_use_are_refused) {
	pcap_begin(&image, false, MAGIC_US, 65535, 105);
	assert_int_equal(open_path(image_write(&image, "wifi.pcap")), -EIO);
	assert_non_null(strstr(capture.error, "wifi.pcap: link type IEEE802_11 is none of: "
					      "Ethernet, raw IP, "));
}

TEST(what_is_no_capture_is_told) {
	assert_int_equal(open_path(scratch_path("nowhere.pcap")), -EIO);
	ends_with(capture.error, "nowhere.pcap: No such file or directory");
	assert_int_equal(open_path(file_write("text.pcap", "just some text\n", 15)), -EIO);
	ends_with(capture.error, "text.pcap: not a capture: unknown file format");
	assert_int_equal(open_path(file_write("empty.pcap", "", 0)), -EIO);
	assert_non_null(strstr(capture.error, "empty.pcap: not a capture: "));
	assert_int_equal(
		open_path(file_write("gzip.pcap", "\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff", 12)), -EIO);
	assert_non_null(strstr(capture.error, "gzip.pcap: cut short or damaged: "));
	assert_int_equal(open_path(scratch_dir()), -EIO);
	assert_non_null(strstr(capture.error, "Is a directory"));
}

// Frames to UDP port 53 and to 54, one after the other; as raw IP their Ethernet headers are
// missing.
static void dns_draw(int link_type) {
	static uint8_t udp[42] = {[12] = 8, [14] = 0x45, [23] = 17};
	unsigned int before = link_type == LINK_RAW ? 14 : 0;

	image.len = 0;
	section_put(&image, false);
	interface_put(&image, link_type, 0, "", 0);
	for (unsigned int i = 0; i < 40; i++) {
		udp[37] = 53 + (i & 1);
		enhanced_put(&image, 0, i, udp + before, 42 - before, 100);
	}
}

static int next_all(uint64_t *n) {
	int ret;

	for (*n = 0; (ret = capture_next(&capture, &packet)) > 0; (*n)++)
		assert_int_equal(packet.data[37], 53);
	return ret;
}

TEST(a_filter_keeps_packets_of_any_link) {
	struct capture_config config = {.expression = "udp dst port 53"};
	uint64_t n;

	for (unsigned int raw = 0; raw < 2; raw++) {
		dns_draw(raw ? LINK_RAW : LINK_ETHERNET);
		config.path = image_write(&image, "dns.pcapng");
		assert_int_equal(open_by(&config), 0);
		assert_int_equal(next_all(&n), 0);
		assert_int_equal(n, 20);
		assert_int_equal(capture.n_cut, 20);
	}
	config.n_packets = 7;
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(next_all(&n), 0);
	assert_int_equal(n, 7);
	config.expression = "udp dst port 99";
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(next_all(&n), 0);
	assert_int_equal(n, 0);
}

TEST(a_filter_that_is_none_is_wrong_usage) {
	struct capture_config config = {.expression = "udp prt 53"};

	capture_create(&file, "any.pcap", ETHERNET);
	config.path = capture_done(&file);
	assert_int_equal(open_by(&config), -EINVAL);
	assert_non_null(strstr(capture.error, "any.pcap: filter 'udp prt 53': "));
	assert_non_null(strstr(capture.error, "syntax error"));
	assert_int_equal(capture_status(&capture, -EINVAL), EXIT_USAGE);
}

TEST(only_so_many_packets_are_read_as_are_asked_for) {
	struct capture_config config = {.n_packets = 2};
	struct capture_batch *batch = malloc(sizeof(*batch));
	uint64_t n;

	capture_create(&file, "five.pcap", ETHERNET);
	for (unsigned int i = 0; i < 5; i++)
		capture_put(&file, (const uint8_t[60]){[37] = 53}, 60, 60);
	config.path = capture_done(&file);
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(next_all(&n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(capture_fill(&capture, batch), 1);
	assert_int_equal(batch->n, 2);
	assert_int_equal(capture_fill(&capture, batch), 0);
	free(batch);
}

// Not without rights, and not under user-mode QEMU.
static bool can_open(const char *interface) {
	struct capture_config config = {.interface = interface};
	struct capture capture;

	if (capture_open(&capture, &config) < 0)
		return false;
	capture_close(&capture);
	return true;
}

TEST(an_interface_that_cannot_be_opened_is_told) {
	struct capture_config config = {.interface = "no-such-if"};

	assert_int_equal(open_by(&config), -EIO);
	assert_memory_equal(capture.error, "no-such-if: ", 12);
	if (can_open("lo"))
		assert_string_equal(capture.error, "no-such-if: no such interface");
}

static uint8_t link_frame[128];

// A packet of the link type with these bytes, made an Ethernet frame. Returns its length.
static uint32_t framed(int link_type, const void *data, uint32_t len) {
	const struct link *link = link_find(link_type);

	assert_non_null(link);
	memset(link_frame, 0xee, sizeof(link_frame));
	return link_to_ethernet(link, data, len, link_frame);
}

// The header made up has zero addresses and this EtherType, and then comes what is at payload.
static void assert_frame(uint32_t len, uint16_t type, const void *payload, uint32_t payload_len) {
	static const uint8_t zeros[12];

	assert_int_equal(len, 14 + payload_len);
	assert_memory_equal(link_frame, zeros, 12);
	assert_int_equal(link_frame[12] << 8 | link_frame[13], type);
	assert_memory_equal(link_frame + 14, payload, payload_len);
}

TEST(ethernet_stays_as_it_is) {
	assert_int_equal(framed(DLT_EN10MB, "abcdefghijklmnop", 16), 16);
	assert_memory_equal(link_frame, "abcdefghijklmnop", 16);
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

EACH(NULL, end)
