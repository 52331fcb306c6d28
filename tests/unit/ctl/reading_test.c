/* SPDX-License-Identifier: BSD-3-Clause */
// No packet gets lost or changed between libpcap and the user of a capture: on drawn files, good
// and damaged, and on all captures in the folder that $DDP_CAPTURES names, or in ../shared/captures
// beside the sources.
#include "capture_files.h"

#include <dirent.h>
#include <inttypes.h>

#include "ctl/capture/capture.h"

#define N_FILES 3000

static struct image image;
static uint64_t seed = 1;
static struct capture_batch batch;

static uint32_t draw(uint32_t below) {
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

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
	struct capture capture;
	struct pcap_pkthdr *header;
	unsigned int at = 0, n = 0;
	const uint8_t *data;
	int ours, theirs = 0;

	ours = capture_open(&capture, &(struct capture_config){.path = path});
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
	capture_close(&capture);
	pcap_close(pcap);
	return n;
}

TEST(drawn_files_are_read_as_libpcap_does) {
	unsigned int n_packets = 0;

	for (unsigned int i = 0; i < N_FILES; i++) {
		bool ng = draw(2), damaged = draw(2);

		size_t start = ng ? pcapng_draw() : pcap_draw();

		if (damaged)
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
