/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include "e810/e810.h"
#include "personality/package_open.h"

#define SIGNATURE (64 + 2 * 4096) // from the configuration: the segment behind it
#define RUN_TIME (SIGNATURE + 44 + 68)

// Configuration: 44 devices, 56 NVM versions, 60 buffers, 64 buffer 0. Buffer 0: the identity at
// byte 36, instructions at 72, an entry of the packet type TCAM at 172, a key builder at 200, the
// end at 404. Buffer 1: a label at byte 12, the end at 80. Then a signature and a run-time
// configuration.
static struct build *sample_build(void) {
	static const uint8_t entries[204], run_time[12];
	struct build *build = build_create();
	uint8_t signature[68] = {0x10};

	put32(signature + 8, 1);
	put32(signature + 16, 1);
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
	{"a_good_package_is_silent", .told = TOLD_NOTHING},

	{"metadata_segment_too_small", FILE_START, 24 + 8, 4, 83, 24 + 8,
	 "the metadata segment has 83 bytes, not 84"},
	{"another_version_in_the_metadata", FILE_START, 24 + 46, 1, 9, 24 + 44,
	 "warning: version 1.3.9.1 of the metadata segment is not that of the configuration, 1.3.7.1"},
	{"absurdly_many_devices", CONFIGURATION, 44, 4, 0xffffffff, 44,
	 "4294967295 devices do not fit the segment's last 8208 bytes"},
	{"one_device_too_many", CONFIGURATION, 44, 4, 8208 / 8 + 1, 44,
	 "1027 devices do not fit the segment's last 8208 bytes"},
	{"absurdly_many_nvm_versions", CONFIGURATION, 56, 4, 0x40000000, 56,
	 "1073741824 NVM versions do not fit the segment's last 8196 bytes"},
	{"absurdly_many_buffers", CONFIGURATION, 60, 4, 0x00100002, 60,
	 "1048578 buffers do not fit the segment's last 8192 bytes"},
	{"one_buffer_too_many", CONFIGURATION, 60, 4, 3, 60,
	 "3 buffers do not fit the segment's last 8192 bytes"},
	{"bytes_behind_the_last_buffer", CONFIGURATION, 60, 4, 1, 64 + 4096,
	 "warning: 4096 bytes behind the segment's last buffer"},

	{"a_buffer_without_sections", BUFFER_0, 0, 2, 0, 0,
	 "a buffer of 0 sections: 1 to 511 are possible"},
	{"absurdly_many_sections", BUFFER_0, 0, 2, 512, 0,
	 "a buffer of 512 sections: 1 to 511 are possible"},
	{"more_sections_than_the_data_hold", BUFFER_0, 0, 2, 51, 0,
	 "a list of 51 sections does not fit data that end at byte 404"},
	{"data_that_end_before_they_begin", BUFFER_0, 2, 2, 11, 2,
	 "the buffer's data end at byte 11: 12 to 4096 are possible"},
	{"data_that_end_behind_the_buffer", BUFFER_0, 2, 2, 4097, 2,
	 "the buffer's data end at byte 4097: 12 to 4096 are possible"},
	{"data_that_end_before_the_last_section", BUFFER_0, 2, 2, 403, 34,
	 "section 3 ends at byte 404, the buffer's data at 403"},

	{"a_section_in_the_list_of_sections", BUFFER_0, 16, 2, 35, 16,
	 "section 1 begins at byte 35, outside the buffer's data"},
	{"a_section_behind_the_buffer", BUFFER_0, 16, 2, 4096, 16,
	 "section 1 begins at byte 4096, outside the buffer's data"},
	{"a_section_of_no_bytes", BUFFER_0, 18, 2, 0, 18,
	 "section 1 has 0 bytes: 1 to 4084 are possible"},
	{"a_section_of_too_many_bytes", BUFFER_0, 18, 2, 4085, 18,
	 "section 1 has 4085 bytes: 1 to 4084 are possible"},
	{"a_section_whose_end_is_behind_the_buffer", BUFFER_0, 18, 2, 4084, 18,
	 "section 1 ends at byte 4156, the buffer's data at 404"},
	{"sections_overlap", BUFFER_0, 18, 2, 101, 20,
	 "section 2 of the buffer overlaps section 1"},
	{"one_section_twice", BUFFER_0, 24, 2, 72, 20,
	 "section 2 of the buffer overlaps section 1"},

	{"no_identity", BUFFER_0, 4, 4, 99, TOLD_CONFIGURATION,
	 "the configuration has no section 1 (package identity)"},
	{"two_identities", BUFFER_0, 28, 4, 1, 200, "a second section of package identity"},
	{"an_identity_that_is_too_small", BUFFER_0, 10, 2, 35, 36,
	 "section 0x1 (package identity) has 35 bytes, too few for 1 of 36 bytes"},
	{"a_version_that_no_driver_takes", BUFFER_0, 37, 1, 4, TOLD_CONFIGURATION,
	 "warning: version 1.4: drivers load packages of version 1.3 only"},

	{"a_table_smaller_than_its_header", BUFFER_0, 18, 2, 3, 72,
	 "section 0x34 (Rx instructions) has 3 bytes, its header alone takes 4"},
	{"more_entries_than_the_section_holds", BUFFER_0, 72, 2, 3, 72,
	 "section 0x34 (Rx instructions) has 100 bytes, too few for 3 of 48 bytes"},
	{"absurdly_many_entries", BUFFER_0, 72, 2, 0xffff, 72,
	 "section 0x34 (Rx instructions) has 100 bytes, too few for 65535 of 48 bytes"},
	{"entries_behind_the_end_of_the_table", BUFFER_0, 74, 2, 191, 74,
	 "Rx instructions: entries 191 to 192, but the table has 192"},
	{"an_address_behind_the_end_of_the_table", BUFFER_0, 176, 2, 1024, 176,
	 "Rx packet type TCAM: address 1024, but the table has 1024"},
	{"more_labels_than_the_section_holds", BUFFER_1, 12, 2, 2, 12,
	 "section 0x80000016 (labels of packet types) has 68 bytes, too few for 2 of 66 bytes"},
	{"an_unknown_section_is_not_looked_into", BUFFER_0, 12, 4, 0x252, .told = TOLD_NOTHING},

	{"a_signature_segment_too_small", CONFIGURATION, SIGNATURE + 8, 4, 111, SIGNATURE + 8,
	 "a signature segment of 111 bytes: its header takes 112"},
	{"a_segment_signed_that_is_not_there", CONFIGURATION, SIGNATURE + 52, 4, 4, SIGNATURE + 52,
	 "signs segment 4, but there are 4"},
	{"more_buffers_signed_than_there_are", CONFIGURATION, SIGNATURE + 56, 4, 2, SIGNATURE + 56,
	 "signs 1 buffers from buffer 2 on, but the segment has 2"},
	{"a_sum_of_signed_buffers_that_needs_more_than_32_bits", CONFIGURATION, SIGNATURE + 56, 4,
	 0xffffffff, SIGNATURE + 56,
	 "signs 1 buffers from buffer 4294967295 on, but the segment has 2"},
	{"more_buffers_than_the_signature_segment_holds", CONFIGURATION, SIGNATURE + 108, 4, 1,
	 SIGNATURE + 108, "1 buffers do not fit the segment's last 0 bytes"},
	{"a_run_time_configuration_too_small", CONFIGURATION, RUN_TIME + 8, 4, 55, RUN_TIME + 8,
	 "a run-time configuration of 55 bytes: its header takes 56"},
	{"more_buffers_than_the_run_time_configuration_holds", CONFIGURATION, RUN_TIME + 52, 4, 1,
	 RUN_TIME + 52, "1 buffers do not fit the segment's last 0 bytes"},
	{"a_second_configuration", CONFIGURATION, RUN_TIME, 4, 0x10, RUN_TIME,
	 "warning: a further configuration: not read"},
};

ROWS_TEST(damage_is_told, rows) {
	damage_check(*state, sample_build());
}

static struct ddp_package *sample_read(struct build *build, struct ddp_diag *diag) {
	size_t size;
	const uint8_t *bytes = build_end(build, &size);

	ddp_diag_init(diag);
	return ddp_package_read("t.pkg", bytes, size, diag);
}

TEST(the_identity_is_that_of_the_configuration) {
	struct build *build = sample_build();
	struct ddp_diag diag;
	struct ddp_package *package = sample_read(build, &diag);

	assert_non_null(package);
	assert_int_equal(package->kind, DDP_PACKAGE_E810);
	assert_string_equal(package->name, "Test Package");
	assert_int_equal(package->version.major, 1);
	assert_int_equal(package->version.minor, 3);
	assert_int_equal(package->version.update, 7);
	assert_int_equal(package->version.draft, 1);
	assert_int_equal(package->track_id, 0xc0000001);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	build_destroy(build);
}

TEST(devices_buffers_and_sections_are_found) {
	struct build *build = sample_build();
	struct ddp_diag diag;
	struct ddp_package *package = sample_read(build, &diag);
	const struct e810_part *parts;

	assert_non_null(package);
	assert_int_equal(package->n_devices, 1);
	assert_int_equal(package->devices[0].device, 0x1592);
	assert_int_equal(package->devices[0].vendor, 0x8086);
	assert_int_equal(package->e810->n_buffers, 2);
	assert_int_equal(package->e810->first_metadata, 1);
	parts = package->e810->parts;
	assert_int_equal(package->e810->n_parts, 5);
	assert_int_equal(parts[1].id, E810_IMEM);
	assert_int_equal(parts[1].offset, build_buffer_at(build, 0) + 72);
	assert_int_equal(parts[1].size, 100);
	assert_int_equal(parts[1].buffer, 0);
	assert_int_equal(parts[4].id, E810_LABELS_PTYPE);
	assert_int_equal(parts[4].buffer, 1);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	build_destroy(build);
}

TEST(a_table_that_never_reaches_the_nic_is_refused) {
	struct build *build = sample_build();
	struct ddp_package *package;
	struct ddp_diag diag;

	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 25, "MORE");
	build_section(build, 99, "late", 4);
	package = sample_read(build, &diag);
	assert_null(package);
	assert_int_equal(diag.n_errors, 1);
	assert_non_null(strstr(diag.messages[0].s,
			       "error: section 0x63 of buffer 2 never reaches the "
			       "NIC: metadata begin in buffer 1"));
	ddp_diag_fini(&diag);
	build_destroy(build);
}
