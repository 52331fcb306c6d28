/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include "e810/e810.h"

#define CONFIG (8 + 4 * 4 + 84) // segments behind the file's header and the metadata
#define BUFFER_0 (CONFIG + 64)
#define BUFFER_1 (BUFFER_0 + 4096)
#define SIGNATURE (BUFFER_1 + 4096)
#define RUN_TIME (SIGNATURE + 44 + 68)

// Configuration: 44 devices, 56 NVM versions, 60 buffers. Buffer 0: the identity at byte 36,
// instructions at 72, an entry of the packet type TCAM at 172, a key builder at 200, the end at
// 404. Buffer 1: a label at byte 12, the end at 80. Then a signature and a run-time configuration.
static struct build *sample_build(void) {
	static const uint8_t entries[204], run_time[12], signature[68] = {0x10, [8] = 1, [16] = 1};
	struct build *build = build_new();

	build_device(build, 0x1592, 0x8086);
	build_table(build, E810_IMEM, 3, entries, 48, 2);
	build_table(build, E810_PTYPE_TCAM, 0, entries, 24, 1);
	build_section(build, E810_RSS_KEY_BUILDER, entries, 204);
	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 24, "MAC_IPV4_UDP_PAY");
	build_segment(build, 0x1001, "Signature Segment", signature, sizeof(signature));
	build_segment(build, 0x20, "Run Time", run_time, sizeof(run_time));
	return build;
}

static const struct damage rows[] = {
	{"a good package is silent", .at = NO_ERROR},

	{"the metadata segment has 83 bytes, not 84", 24 + 8, 4, 83},
	{"warning: version 1.3.9.1 of the metadata segment is not that of the configuration, 1.3.7.1",
	 24 + 46, 1, 9, -2},
	{"4294967295 devices do not fit the segment's last 8208 bytes", CONFIG + 44, 4, 0xffffffff},
	{"1027 devices do not fit the segment's last 8208 bytes", CONFIG + 44, 4, 8208 / 8 + 1},
	{"1073741824 NVM versions do not fit the segment's last 8196 bytes", CONFIG + 56, 4,
	 0x40000000},
	{"1048578 buffers do not fit the segment's last 8192 bytes", CONFIG + 60, 4, 0x00100002},
	{"3 buffers do not fit the segment's last 8192 bytes", CONFIG + 60, 4, 3},
	{"warning: 4096 bytes behind the segment's last buffer", CONFIG + 60, 4, 1, 4100},

	{"a buffer of 0 sections: 1 to 511 are possible", BUFFER_0, 2, 0},
	{"a buffer of 512 sections: 1 to 511 are possible", BUFFER_0, 2, 512},
	{"a list of 51 sections does not fit data that end at byte 404", BUFFER_0, 2, 51},
	{"the buffer's data end at byte 11: 12 to 4096 are possible", BUFFER_0 + 2, 2, 11},
	{"the buffer's data end at byte 4097: 12 to 4096 are possible", BUFFER_0 + 2, 2, 4097},
	{"section 3 ends at byte 404, the buffer's data at 403", BUFFER_0 + 2, 2, 403, 32},

	{"section 1 begins at byte 35, outside the buffer's data", BUFFER_0 + 16, 2, 35},
	{"section 1 begins at byte 4096, outside the buffer's data", BUFFER_0 + 16, 2, 4096},
	{"section 1 has 0 bytes: 1 to 4084 are possible", BUFFER_0 + 18, 2, 0},
	{"section 1 has 4085 bytes: 1 to 4084 are possible", BUFFER_0 + 18, 2, 4085},
	{"section 1 ends at byte 4156, the buffer's data at 404", BUFFER_0 + 18, 2, 4084},
	{"section 2 of the buffer overlaps section 1", BUFFER_0 + 18, 2, 101, 2},
	{"section 2 of the buffer overlaps section 1", BUFFER_0 + 24, 2, 72, -4},

	{"the configuration has no section 1 (package identity)", BUFFER_0 + 4, 4, 99, -68},
	{"a second section of package identity", BUFFER_0 + 28, 4, 1, 172},
	{"section 0x1 (package identity) has 35 bytes, too few for 1 of 36 bytes", BUFFER_0 + 10, 2,
	 35, 26},
	{"warning: version 1.4: drivers load packages of version 1.3 only", BUFFER_0 + 37, 1, 4,
	 -101},

	{"section 0x34 (Rx instructions) has 3 bytes, its header alone takes 4", BUFFER_0 + 18, 2,
	 3, 54},
	{"section 0x34 (Rx instructions) has 100 bytes, too few for 3 of 48 bytes", BUFFER_0 + 72,
	 2, 3},
	{"section 0x34 (Rx instructions) has 100 bytes, too few for 65535 of 48 bytes",
	 BUFFER_0 + 72, 2, 0xffff},
	{"Rx instructions: entries 191 to 192, but the table has 192", BUFFER_0 + 74, 2, 191},
	{"Rx packet type TCAM: address 1024, but the table has 1024", BUFFER_0 + 176, 2, 1024},
	{"section 0x80000016 (labels of packet types) has 68 bytes, too few for 2 of 66 bytes",
	 BUFFER_1 + 12, 2, 2},
	{"an unknown section is not looked into", BUFFER_0 + 12, 4, 0x252, NO_ERROR},

	{"a signature segment of 111 bytes: its header takes 112", SIGNATURE + 8, 4, 111},
	{"signs segment 4, but there are 4", SIGNATURE + 52, 4, 4},
	{"signs 1 buffers from buffer 2 on, but the segment has 2", SIGNATURE + 56, 4, 2},
	{"signs 1 buffers from buffer 4294967295 on, but the segment has 2", SIGNATURE + 56, 4,
	 0xffffffff},
	{"1 buffers do not fit the segment's last 0 bytes", SIGNATURE + 108, 4, 1},
	{"a run-time configuration of 55 bytes: its header takes 56", RUN_TIME + 8, 4, 55},
	{"1 buffers do not fit the segment's last 0 bytes", RUN_TIME + 52, 4, 1},
	{"warning: a further configuration: not read", RUN_TIME, 4, 0x10},
};

ROWS_TEST(damage_is_told, rows) {
	size_t size;
	uint8_t *bytes = build_end(sample_build(), &size);

	damage_check(*state, bytes, size);
}

TEST(identity_devices_buffers_and_sections_are_found) {
	struct ddp_package *package = build_read(sample_build(), diag_new());
	const struct e810_part *parts;

	assert_non_null(package);
	assert_int_equal(package->kind, DDP_PACKAGE_E810);
	assert_string_equal(package->name, "Test Package");
	assert_memory_equal(&package->version, "\1\3\7\1", 4);
	assert_int_equal(package->track_id, DDP_TRACK_OS_DEFAULT);
	assert_int_equal(package->n_devices, 1);
	assert_int_equal(package->devices[0].device, 0x1592);
	assert_int_equal(package->devices[0].vendor, 0x8086);
	assert_int_equal(package->e810->n_buffers, 2);
	assert_int_equal(package->e810->first_metadata, 1);
	parts = package->e810->parts;
	assert_int_equal(package->e810->n_parts, 5);
	assert_int_equal(parts[1].id, E810_IMEM);
	assert_int_equal(parts[1].offset, BUFFER_0 + 72);
	assert_int_equal(parts[1].size, 100);
	assert_int_equal(parts[1].buffer, 0);
	assert_int_equal(parts[4].id, E810_LABELS_PTYPE);
	assert_int_equal(parts[4].buffer, 1);
}

TEST(a_table_that_never_reaches_the_nic_is_refused) {
	struct build *build = sample_build();
	struct ddp_diag *diag = diag_new();

	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 25, "MORE");
	build_section(build, 99, "late", 4);
	assert_null(build_read(build, diag));
	assert_int_equal(diag->n_errors, 1);
	assert_non_null(strstr(diag->messages[0].s,
			       "error: section 0x63 of buffer 2 never reaches the "
			       "NIC: metadata begin in buffer 1"));
}
