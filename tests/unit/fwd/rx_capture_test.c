/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <pcap/pcap.h>
#include <unistd.h>

#include "fwd/rx_capture.h"

static void files_are(const char *devargs, const char *const *expected, unsigned int n) {
	char path[PATH_MAX];
	size_t pos = 0;

	for (unsigned int i = 0; i < n; i++) {
		assert_true(capture_next(devargs, &pos, path));
		assert_string_equal(path, expected[i]);
	}
	assert_false(capture_next(devargs, &pos, path));
}

TEST(files_are_found_at_any_depth) {
	files_are("rx_pcap=a.pcap", (const char *[]){"a.pcap"}, 1);
	files_are("dev(net_pcap0,rx_pcap=/x/a.pcap,rx_pcap=b.pcap),profile=gtpu",
		  (const char *[]){"/x/a.pcap", "b.pcap"}, 2);
	files_are("dev(net_ddp1,dev(net_pcap0,rx_pcap=a.pcap))", (const char *[]){"a.pcap"}, 1);
}

TEST(a_path_may_have_parentheses) {
	files_are("dev(net_pcap0,rx_pcap=a(1,2).pcap,tx_pcap=c),profile=x",
		  (const char *[]){"a(1,2).pcap"}, 1);
}

TEST(other_arguments_are_no_files) {
	files_are("", NULL, 0);
	files_are("tx_pcap=a,profile=rx_pcap,xrx_pcap=b,rx_pcapng=c", NULL, 0);
}

TEST(captures_played_once_are_finite) {
	assert_true(capture_is_finite("rx_pcap=a.pcap"));
	assert_true(capture_is_finite("dev(net_pcap0,rx_pcap=a.pcap,infinite_rx=0),overflow=wait"));
	assert_true(capture_is_finite("rx_pcap=a.pcap,tx_iface=eth0"));
	assert_false(capture_is_finite("dev(net_pcap0,rx_pcap=a.pcap,infinite_rx=1)"));
	assert_false(capture_is_finite("rx_pcap=a.pcap,iface=eth0"));
	assert_false(capture_is_finite("rx_pcap=a.pcap,rx_iface=eth0"));
	assert_false(capture_is_finite("rx_pcap=a.pcap,rx_iface_in=eth0"));
	assert_false(capture_is_finite("tx_pcap=a.pcap"));
	assert_false(capture_is_finite(""));
	assert_false(capture_is_finite(NULL));
}

static void file_create(char *path, long n_cut) {
	static const uint8_t frame[60];
	struct pcap_pkthdr header = {.caplen = sizeof(frame), .len = sizeof(frame)};
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "wb");
	pcap_dumper_t *dumper;

	assert_non_null(file);
	dumper = pcap_dump_fopen(pcap, file);
	assert_non_null(dumper);
	pcap_dump((u_char *)dumper, &header, frame);
	pcap_dump((u_char *)dumper, &header, frame);
	pcap_dump_flush(dumper);
	assert_int_equal(ftruncate(fd, pcap_dump_ftell(dumper) - n_cut), 0);
	pcap_dump_close(dumper);
	pcap_close(pcap);
}

// In the bytes of the last packet, in its header, and between the two packets.
TEST(a_capture_cut_inside_a_record_is_named) {
	static const struct {
		long n_cut;
		bool good;
	} rows[] = {{0, true}, {1}, {59}, {60}, {75}, {76, true}};
	struct error error;

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		char path[] = "/tmp/ddp-fwd-XXXXXX";

		file_create(path, rows[i].n_cut);
		assert_int_equal(capture_check(path, &error), rows[i].good ? 0 : -1);
		unlink(path);
		if (rows[i].good)
			continue;
		assert_int_equal(error.code, EXIT_UNREADABLE);
		assert_memory_equal(error.text, path, strlen(path));
		assert_non_null(strstr(error.text, ": truncated dump file"));
	}
}

TEST(a_missing_capture_is_named) {
	struct error error;

	assert_int_equal(capture_check("/nowhere/a.pcap", &error), -1);
	assert_int_equal(error.code, EXIT_UNREADABLE);
	assert_string_equal(error.text, "/nowhere/a.pcap: No such file or directory");
}
