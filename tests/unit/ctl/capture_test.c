/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_files.h"

#include <dirent.h>
#include <errno.h>
#include <pcap/pcap.h>

#include "ctl/capture/capture.h"
#include "ctl/command.h"

static struct image image;
static const uint8_t frame[60] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0};

static struct capture capture; // the last one that was opened
static bool is_open;
static struct capture_batch batch;
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
	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	for (uint32_t len = 10; len < 13; len++)
		pcap_put(&image, 0, 0, frame, len, len);
	assert_int_equal(open_path(image_write(&image, "good.pcap")), 0);
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

	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	for (unsigned int i = 0; i < 3; i++)
		pcap_put(&image, 0, 0, frame, 60, 60);
	image.len -= 40;
	path = image_write(&image, "cut.pcap");
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
	const char *path;
	uint32_t n;

	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	for (n = 0; n < 40000; n++) {
		const uint32_t len = n % 5000 == 0 ? 65535 : 20 + n % 100;

		memcpy(large, &n, sizeof(n));
		pcap_put(&image, 0, 0, large, len, len);
	}
	path = image_write(&image, "many.pcap");
	assert_int_equal(open_path(path), 0);
	for (n = 0; capture_fill(&capture, &batch) > 0;) {
		for (unsigned int i = 0; i < batch.n; i++, n++) {
			assert_int_equal(batch.packets[i].len,
					 n % 5000 == 0 ? 65535 : 20 + n % 100);
			assert_memory_equal(batch.packets[i].data, &n, sizeof(n));
			assert_true(capture_readable(&batch, &batch.packets[i]) >=
				    batch.packets[i].len + CAPTURE_TAILROOM);
		}
		assert_int_equal(capture.n_packets, n);
	}
	assert_int_equal(n, 40000);
	assert_int_equal(open_path(path), 0);
	for (n = 0; capture_next(&capture, &packet) > 0; n++)
		assert_memory_equal(packet.data, &n, sizeof(n));
	assert_int_equal(n, 40000);
}

// A file may give any number of seconds. Such times are useless, but the packets are not lost.
TEST(an_absurd_time_offset_of_pcapng_harms_no_packet) {
	static const uint8_t resolutions[] = {6, 9, 0, 19, 0x80, 0x80 | 20, 0x80 | 63};
	static const uint64_t offsets[] = {INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
					   UINT64_C(1) << 62, INT64_MAX / 1000000000 + 1};

	for (unsigned int i = 0; i < sizeof(resolutions); i++) {
		for (unsigned int j = 0; j < COUNT(offsets); j++) {
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

static void assert_filtered(const struct capture_config *config, unsigned int n) {
	assert_int_equal(open_by(config), 0);
	for (; n > 0; n--) {
		assert_int_equal(capture_next(&capture, &packet), 1);
		assert_int_equal(packet.data[37], 53);
	}
	assert_int_equal(capture_next(&capture, &packet), 0);
}

TEST(a_filter_keeps_packets_of_any_link) {
	struct capture_config config = {.expression = "udp dst port 53"};

	for (unsigned int raw = 0; raw < 2; raw++) {
		dns_draw(raw ? LINK_RAW : LINK_ETHERNET);
		config.path = image_write(&image, "dns.pcapng");
		assert_filtered(&config, 20);
		assert_int_equal(capture.n_cut, 20);
	}
	config.n_packets = 7;
	assert_filtered(&config, 7);
	config.expression = "udp dst port 99";
	assert_filtered(&config, 0);
}

TEST(a_filter_that_is_none_is_wrong_usage) {
	struct capture_config config = {.expression = "udp prt 53"};

	pcap_begin(&image, false, MAGIC_US, 65535, LINK_ETHERNET);
	config.path = image_write(&image, "any.pcap");
	assert_int_equal(open_by(&config), -EINVAL);
	assert_non_null(strstr(capture.error, "any.pcap: filter 'udp prt 53': "));
	assert_non_null(strstr(capture.error, "syntax error"));
	assert_int_equal(capture_status(&capture, -EINVAL), EXIT_USAGE);
}

TEST(only_so_many_packets_are_read_as_are_asked_for) {
	struct capture_config config = {.n_packets = 2};

	dns_draw(LINK_ETHERNET);
	config.path = image_write(&image, "dns.pcapng");
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_int_equal(capture_next(&capture, &packet), 1);
	assert_int_equal(capture_next(&capture, &packet), 0);
	assert_int_equal(open_by(&config), 0);
	assert_int_equal(capture_fill(&capture, &batch), 1);
	assert_int_equal(batch.n, 2);
	assert_int_equal(capture_fill(&capture, &batch), 0);
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

// A packet of a link type is made an Ethernet frame: zero addresses, this EtherType, and what is
// behind the link's own header.
static const struct link_row {
	const char *name;
	int link_type;
	uint8_t bytes[26];
	uint32_t len, header; // of the link
	uint16_t type;
} link_rows[] = {
	{"raw_ipv4", DLT_RAW, {0x45, 'i', 'p'}, 3, 0, 0x0800},
	{"raw_ipv6", DLT_RAW, {0x60, 'i', 'p'}, 3, 0, 0x86dd},
	{"raw_ip_of_another_version", DLT_RAW, {0x50, 'i', 'p'}, 3, 0, 0},
	{"no_bytes_of_raw_ip", DLT_RAW, {0}, 0, 0, 0},
	{"ipv4", DLT_IPV4, {0x45, 'i', 'p'}, 3, 0, 0x0800},
	{"ipv6", DLT_IPV6, {0x60, 'i', 'p'}, 3, 0, 0x86dd},
	{"cooked", DLT_LINUX_SLL, {[14] = 0x86, 0xdd, 'd', 'a', 't', 'a'}, 20, 16, 0x86dd},
	{"cooked_v2", DLT_LINUX_SLL2, {8, 6, [20] = 'd', 'a', 't', 'a'}, 24, 20, 0x0806},
	{"a_cooked_tag_stays", DLT_LINUX_SLL, {[14] = 0x81, [17] = 5, 8, 0, 0x45}, 22, 16, 0x8100},
	{"a_length_in_place_of_the_type", DLT_LINUX_SLL, {[15] = 4, 0x42, 0x42, 3}, 21, 16, 5},
	{"a_length_of_cooked_v2", DLT_LINUX_SLL2, {0, 1, [20] = 0xff, 0xff}, 25, 20, 5},
	{"af_inet", DLT_NULL, {2, 0, 0, 0, 0x45}, 5, 4, 0x0800},
	{"af_inet_in_network_order", DLT_LOOP, {0, 0, 0, 2, 0x45}, 5, 4, 0x0800},
	{"af_inet6_of_linux", DLT_NULL, {10, 0, 0, 0, 0x60}, 5, 4, 0x86dd},
	{"af_inet6_of_netbsd", DLT_LOOP, {0, 0, 0, 24, 0x60}, 5, 4, 0x86dd},
	{"af_inet6_of_freebsd", DLT_NULL, {28, 0, 0, 0, 0x60}, 5, 4, 0x86dd},
	{"af_inet6_of_macos", DLT_LOOP, {0, 0, 0, 30, 0x60}, 5, 4, 0x86dd},
	{"another_family", DLT_NULL, {7, 0, 0, 0, 0x60}, 5, 4, 0},
};

ROWS_TEST(becomes_ethernet, link_rows) {
	const struct link_row *row = *state;
	const struct link *link = link_find(row->link_type);
	const uint8_t head[14] = {[12] = row->type >> 8, row->type & 0xff};
	const uint32_t len = row->len - row->header;
	uint8_t made[64];

	memset(made, 0xee, sizeof(made));
	for (uint32_t n = 0; n <= row->header; n++) // without that header
		assert_int_equal(link_to_ethernet(link, row->bytes, n, made),
				 n < row->header ? 0 : 14);
	assert_int_equal(link_to_ethernet(link, row->bytes, row->len, made), 14 + len);
	assert_memory_equal(made, head, 14);
	assert_memory_equal(made + 14, row->bytes + row->header, len);
}

TEST(ethernet_stays_as_it_is) {
	uint8_t made[16];

	assert_int_equal(link_to_ethernet(link_find(DLT_EN10MB), frame, 16, made), 16);
	assert_memory_equal(made, frame, 16);
}

TEST(other_links_are_not_known) {
	assert_null(link_find(105));
	assert_string_equal(link_type_name(105), "IEEE802_11");
	assert_string_equal(link_type_name(65000), "65000");
	assert_string_equal(link_names(), "Ethernet, raw IP, raw IPv4, raw IPv6, Linux cooked, "
					  "Linux cooked v2, BSD loopback, BSD null");
}

// No packet gets lost or changed between libpcap and the user of a capture: on drawn files, good
// and damaged, and on all captures in the folder that $DDP_CAPTURES names, or in ../shared/captures
// beside the sources.
#define N_FILES 3000

static uint32_t length_draw(void) {
	static const uint32_t special[] = {0, 1, 13, 14, 15, 4000, 65535, 65536};

	return draw(20) == 0 ? special[draw(8)] : 14 + draw(200);
}

static const uint8_t *data_draw(uint32_t len) {
	static uint8_t data[65536];

	for (uint32_t i = 0; i < len && i < 128; i++)
		data[i] = draw(256);
	return data;
}

static size_t pcap_draw(void) {
	static const uint32_t snap_lens[] = {0, 60, 65535, 262144, UINT32_MAX};

	pcap_begin(&image, draw(2), draw(2) ? MAGIC_US : MAGIC_NS, snap_lens[draw(5)],
		   draw(4) ? LINK_ETHERNET : LINK_RAW);
	for (uint32_t n = draw(12); n > 0; n--) {
		uint32_t len = length_draw();

		pcap_put(&image, draw(UINT32_MAX), draw(1000000), data_draw(len), len,
			 len + (draw(3) ? 0 : draw(2000)));
	}
	return 24;
}

static size_t pcapng_draw(void) {
	static const uint8_t resolutions[] = {3, 6, 9, 0x80 | 10};
	uint32_t link_type = draw(4) ? LINK_ETHERNET : LINK_RAW;
	// libpcap takes no second interface of raw IP: it mixes its number and that in files up.
	uint32_t n_interfaces = link_type == LINK_RAW ? 1 : 1 + draw(3);
	size_t start;

	image.len = 0;
	section_put(&image, draw(2));
	for (uint32_t i = 0; i < n_interfaces; i++) {
		uint8_t option[8] = {9, 0, 1, 0, resolutions[draw(4)]};

		if (image.big)
			memcpy(option, (const uint8_t[]){0, 9, 0, 1}, 4);
		interface_put(&image, link_type, 0, option, draw(2) ? sizeof(option) : 0);
	}
	start = image.len;
	for (uint32_t n = draw(12); n > 0; n--) {
		uint32_t len = length_draw();

		if (draw(5) == 0)
			block_put(&image, 4 + draw(2), NULL, 0, data_draw(len), len);
		else if (draw(5) == 0)
			simple_put(&image, data_draw(len), len, len);
		else
			enhanced_put(&image, draw(n_interfaces),
				     (uint64_t)draw(1 << 19) << 32 | draw(UINT32_MAX),
				     data_draw(len), len, len + (draw(3) ? 0 : draw(2000)));
	}
	return start;
}

// From off on: a byte is another one, or the end is missing.
static void image_damage(size_t off) {
	if (image.len <= off)
		return;
	if (draw(2))
		image.len = off + draw(image.len - off);
	else
		image.bytes[off + draw(image.len - off)] ^= 1 << draw(8);
}

static void packet_compare(const struct capture_packet *ours, const struct pcap_pkthdr *theirs,
			   const uint8_t *data, uint32_t before) {
	int64_t seconds = theirs->ts.tv_sec;

	assert_int_equal(ours->len, theirs->caplen + before);
	assert_memory_equal(ours->data + before, data, theirs->caplen);
	if (theirs->len >= theirs->caplen)
		assert_int_equal(ours->wire_len, theirs->len + before);
	if (seconds < 0) // libpcap takes them for signed: no year 2038 there
		seconds += INT64_C(1) << 32;
	if (theirs->ts.tv_usec >= 0) // as above, damaged
		assert_true(ours->time_ns == seconds * UINT64_C(1000000000) + theirs->ts.tv_usec);
}

static unsigned int file_compare(const char *path) {
	char reason[PCAP_ERRBUF_SIZE];
	pcap_t *pcap =
		pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, reason);
	struct pcap_pkthdr *header;
	unsigned int at = 0, n = 0;
	const uint8_t *data;
	int ours, theirs = 0;

	ours = open_path(path);
	if (pcap == NULL || ours < 0) {
		if (pcap != NULL || ours == 0)
			fail_msg("%s", pcap != NULL ? capture.error : reason);
		return 0;
	}
	batch.n = 0;
	for (;; n++, at++) {
		if (at == batch.n) {
			ours = capture_fill(&capture, &batch);
			at = 0;
		}
		theirs = pcap_next_ex(pcap, &header, &data);
		if (theirs != 1 || ours != 1)
			break;
		packet_compare(&batch.packets[at], header, data,
			       pcap_datalink(pcap) != DLT_EN10MB ? LINK_ETH_SIZE : 0);
	}
	if (theirs == 1)
		fail_msg("packet %u is missing: %s", n + 1, capture.error);
	if (theirs == PCAP_ERROR_BREAK && ours != 0)
		fail_msg("after packet %u: %s", n, ours < 0 ? capture.error : "more packets");
	if (theirs == PCAP_ERROR && ours >= 0)
		fail_msg("after packet %u: no error, but libpcap says %s", n, pcap_geterr(pcap));
	pcap_close(pcap);
	return n;
}

TEST(drawn_files_are_read_as_libpcap_does) {
	unsigned int n_packets = 0;

	for (unsigned int i = 0; i < N_FILES; i++) {
		size_t start = draw(2) ? pcapng_draw() : pcap_draw();

		if (draw(2))
			image_damage(start);
		n_packets += file_compare(image_write(&image, "drawn"));
	}
	assert_true(n_packets > N_FILES);
}

TEST(real_captures_are_read_as_libpcap_does) {
	const char *folder = getenv("DDP_CAPTURES");
	unsigned int n_packets = 0;
	struct dirent *entry;
	DIR *dir;

	dir = opendir(folder != NULL ? folder : CTL_SOURCES "/../../../shared/captures");
	if (dir == NULL) {
		print_message("skipped: no folder of real captures\n");
		skip();
	}
	while ((entry = readdir(dir)) != NULL) {
		char path[1024];

		if (strstr(entry->d_name, "cap") == NULL)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dirfd(dir), entry->d_name);
		n_packets += file_compare(path);
	}
	closedir(dir);
	assert_true(n_packets > 100);
}

EACH(NULL, end)
