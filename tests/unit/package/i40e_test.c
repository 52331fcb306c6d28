/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages: what is read of one, and what is refused with which words. (What every
// package is refused for: container_test.c.)
#include "i40e/i40e.h"

#include <errno.h>

#include "i40e_write.h"
#include "personality/package_open.h"
#include "unit.h"

#define METADATA 0x20 // segments
#define NOTES 0x80
#define PROFILE 0xd0
#define DEVICES 0x120
#define NVMS 0x134
#define TABLE 0x13c // of sections
#define PROTOCOLS 0x158
#define PCTYPES 0x258
#define PTYPES 0x2a8
#define REGISTERS 0x4a8 // of the last section
#define END 0x4c0

static struct ddp_package *bytes_read(const uint8_t *bytes, size_t size, struct ddp_diag *diag) {
	ddp_diag_init(diag);
	return ddp_package_read("p.pkg", bytes, size, diag);
}

// A package with this profile as it is read, with all that is said of it; the caller closes it.
static struct ddp_package *profile_read(const struct i40e_package *profile, struct ddp_diag *diag) {
	struct ddp_package description = i40e_gtp, *package;
	struct i40e_package copy = *profile;
	uint8_t *bytes;
	size_t size;

	description.i40e = &copy;
	bytes = i40e_write(&description, &size);
	package = bytes_read(bytes, size, diag);
	free(bytes);
	return package;
}

// (i40e_dpdk_test.c compares the lists with what DPDK reads.)
TEST(what_a_package_holds_is_read) {
	const struct i40e_package *written = i40e_gtp.i40e, *read;
	struct ddp_diag diag;
	struct ddp_package *package = profile_read(i40e_gtp.i40e, &diag);

	assert_non_null(package);
	read = package->i40e;
	assert_int_equal(diag.n_warnings, 0);
	assert_int_equal(package->kind, DDP_PACKAGE_I40E);
	assert_int_equal(package->size, END);
	assert_int_equal(package->track_id, I40E_GTP);
	assert_string_equal(read->name, written->name);
	assert_string_equal(read->notes, written->notes);
	assert_int_equal(package->n_devices, i40e_gtp.n_devices);
	assert_int_equal(read->ptypes.n, written->ptypes.n);
	assert_memory_equal(read->ptypes.types, written->ptypes.types,
			    written->ptypes.n * sizeof(written->ptypes.types[0]));
	assert_int_equal(read->n_sections, 6);
	assert_int_equal(read->sections[5].type, I40E_MMIO);
	assert_int_equal(read->sections[5].offset, REGISTERS);
	assert_memory_equal(read->sections[5].data, written->sections[5].data, 8);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

#define RECORD(section, i) ((section) + 16 + 16 * (i))

static const struct damage {
	const char *name;
	uint32_t at;    // a number of the file is another one
	uint32_t value; // of size bytes
	unsigned int size;
	uint32_t told_at;
	const char *told; // the beginning of the first message
} damages[] = {
	{"metadata_is_too_small", METADATA + 8, 83, 4, METADATA + 8, "the metadata segment has 83"},
	{"no_metadata", METADATA, 7, 4, 4, "there is no metadata segment"},
	{"notes_without_end", NOTES + 8, 0xfffffff0, 4, NOTES + 8, "segment 1 of 4294967280"},
	{"profile_is_too_small", PROFILE + 8, 83, 4, PROFILE + 8, "the profile's segment has 83"},
	{"devices_run_off", DEVICES, 116, 4, DEVICES, "116 devices do not fit the segment's last"},
	{"nvms_up_to_the_end", NVMS, 226, 4, END, "the segment ends before the number of sections"},
	{"nvms_without_end", NVMS, 0x40000001, 4, NVMS, "1073741825 NVM versions do not fit"},
	{"sections_run_off_by_one", TABLE, 225, 4, TABLE, "225 sections do not fit the segment's"},
	{"sections_of_nothing", TABLE, 45, 4, TABLE, "45 sections do not fit a segment"},
	{"a_section_in_the_tables", TABLE + 4, PROTOCOLS - PROFILE - 4, 4, TABLE + 4,
	 "a section at 0x154,"},
	{"a_section_behind_the_end", TABLE + 24, END - PROFILE - 15, 4, TABLE + 24,
	 "a section at 0x4b1,"},
	{"a_section_far_away", TABLE + 24, 0xffffffff, 4, TABLE + 24, "a section at 0x1000000cf,"},
	{"a_section_twice", TABLE + 24, PTYPES - PROFILE, 4, PTYPES,
	 "this section overlaps the one at 0x2a8"},
	{"a_section_too_long", REGISTERS + 12, 9, 4, REGISTERS + 12, "a section of 9 bytes where"},
	{"a_section_without_end", REGISTERS + 12, 0xfffffff0, 4, REGISTERS + 12,
	 "a section of 4294967280"},
	{"sections_overlap", PCTYPES + 12, 0x41, 4, PTYPES,
	 "this section overlaps the one at 0x258"},
	{"a_record_without_length", PROTOCOLS + 18, 0, 2, PROTOCOLS + 18, "a record of length 0"},
	{"a_record_too_long", RECORD(PTYPES, 27) + 2, 2, 2, RECORD(PTYPES, 27) + 2,
	 "a record of 32 bytes"},
	{"a_name_without_end", RECORD(PROTOCOLS, 11) + 12, 0x78787878, 4, RECORD(PROTOCOLS, 11) + 5,
	 "the name of protocol 44 does not end"},
	{"a_pctype_without_name", RECORD(PCTYPES, 3) + 5, 99, 1, PCTYPES,
	 "no protocol of pctype 25 has a name"},
};

static void assert_told(struct ddp_package *package, struct ddp_diag *diag, uint32_t at,
			const char *told) {
	char expected[200];

	assert_null(package);
	snprintf(expected, sizeof(expected), "p.pkg:0x%x: error: %s", at, told);
	if (strncmp(ddp_diag_first(diag), expected, strlen(expected)) != 0)
		assert_string_equal(ddp_diag_first(diag), expected);
	ddp_diag_fini(diag);
}

ROWS_TEST(damage_is_told, damages) {
	const struct damage *damage = *state;
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(&i40e_gtp, &size);
	assert_int_equal(size, END);
	for (unsigned int i = 0; i < damage->size; i++)
		bytes[damage->at + i] = damage->value >> 8 * i;
	assert_told(bytes_read(bytes, size, &diag), &diag, damage->told_at, damage->told);
	free(bytes);
}

// DPDK reads 44 bytes more than a notes segment has.
TEST(notes_need_something_behind_them) {
	const size_t notes_size = 44 + strlen(i40e_gtp.i40e->notes) + 1;
	struct ddp_package *package;
	uint8_t bytes[END + 200] = {0}, *written;
	struct ddp_diag diag;
	size_t size;

	written = i40e_write(&i40e_gtp, &size);
	memcpy(bytes, written, END);
	memcpy(bytes + END, written + NOTES, notes_size);
	bytes[12] = END & 0xff;
	bytes[13] = END >> 8;
	assert_told(bytes_read(bytes, END + notes_size + 43, &diag), &diag, 0x4c8,
		    "the notes segment of 76 bytes: drivers would read as many after its header");
	package = bytes_read(bytes, END + notes_size + 44, &diag);
	assert_non_null(package);
	assert_string_equal(package->i40e->notes, i40e_gtp.i40e->notes);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
	free(written);
}

static const struct {
	struct i40e_section section;
	uint32_t at;
	const char *told;
} bad_sections[] = {
	{{I40E_PROTOCOL, 0, 48, (const uint8_t[48]){"\0\0\3\0\f01234567890123456789012345678901"}},
	 0x159,
	 "the name of protocol 12 does not end within its record and 31 characters"},
	{{I40E_AQ, 0, 30, (const uint8_t[30]){[20] = 9}},
	 0x150,
	 "30 bytes are too few for an admin queue command and its data"},
	{{I40E_AQ, 0, 21, (const uint8_t[21]){0}}, 0x150, "21 bytes are too few"},
};

TEST(sections_and_lists_have_limits) {
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_type many[257];
	struct ddp_diag diag;

	profile.n_sections = 1;
	for (unsigned int i = 0; i < COUNT(bad_sections); i++) {
		struct i40e_section section = bad_sections[i].section;

		profile.sections = &section;
		assert_told(profile_read(&profile, &diag), &diag, bad_sections[i].at,
			    bad_sections[i].told);
	}
	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = profile.pctypes.types[3];
	profile = *i40e_gtp.i40e;
	profile.pctypes = (struct i40e_types){many, 13};
	assert_told(profile_read(&profile, &diag), &diag, PCTYPES,
		    "13 pctypes: drivers take 12 at most");
	profile = *i40e_gtp.i40e;
	profile.ptypes = (struct i40e_types){many, COUNT(many)};
	assert_told(profile_read(&profile, &diag), &diag, PTYPES,
		    "257 ptypes: drivers take 256 at most");
}

// A list that drivers do not see must not be shown as the package's.
TEST(the_first_list_counts) {
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_section twice[7];
	struct ddp_package *package;
	struct ddp_diag diag;

	memcpy(twice, profile.sections, 6 * sizeof(twice[0]));
	twice[6] = twice[2];
	profile.sections = twice;
	profile.n_sections = COUNT(twice);
	package = profile_read(&profile, &diag);
	assert_non_null(package);
	assert_int_equal(package->i40e->ptypes.n, profile.ptypes.n);
	assert_int_equal(diag.n_warnings, 1);
	assert_string_equal(
		diag.messages[0].s,
		"p.pkg:0x4c4: warning: a second section 0x80000004: drivers see the first only");
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

TEST(a_type_is_named_by_its_protocols) {
	struct i40e_protocol longest = {1, "0123456789012345678901234567890"};
	struct i40e_package profile = {.protocols = &longest, .n_protocols = 1};
	static const struct i40e_type types[] = {
		{22, {21, 12, 255, 255, 255, 255}},
		{171, {255, 52, 255, 21, 99, 18}},
		{1, {255, 255, 255, 255, 255, 255}},
		{1, {1, 1, 1, 1, 1, 1}},
	};
	static const char *const names[] = {"GTPU_IPV4", "OIPV4_GTPU_UDP", ""};
	char name[I40E_TYPE_NAME_SIZE];

	for (unsigned int i = 0; i < COUNT(names); i++) {
		i40e_type_name(i40e_gtp.i40e, &types[i], name);
		assert_string_equal(name, names[i]);
	}
	i40e_type_name(&profile, &types[COUNT(names)], name);
	assert_int_equal(strlen(name), I40E_TYPE_NAME_SIZE - 1);
}

static struct ddp_device devices[] = {
	{0x8086, 0x158b, 0xffff, 0xffff},
	{0x15b3, 0x1583, 0xffff, 0xffff},
};

static const struct verdict {
	const char *name;
	uint32_t track_id;
	unsigned int first, n; // of the devices above
	uint16_t device;
	uint32_t section; // its type
	int error;
} verdicts[] = {
	{"any_device", I40E_GTP, 0, 0, 0x1572, I40E_MMIO, 0},
	{"its_device", I40E_GTP, 0, 2, 0x158b, I40E_MMIO, 0},
	{"other", I40E_GTP, 0, 2, 0x1572, I40E_MMIO, -ENODEV},
	{"vendor", I40E_GTP, 0, 2, 0x1583, I40E_MMIO, -ENODEV},
	{"no_intel", I40E_GTP, 1, 1, 0, I40E_MMIO, -ENODEV},
	{"an_invalid_track_id", 0xffffffff, 0, 0, 0, I40E_MMIO, -EINVAL},
	{"a_read_only_track_id", 0x00010001, 0, 0, 0, I40E_MMIO, -EINVAL},
	{"a_rollback_file", I40E_GTP, 0, 0, 0, I40E_RB_MMIO, -ENOTSUP},
	{"commands_done", I40E_GTP, 0, 0, 0, I40E_RB_AQ, -ENOTSUP},
	{"commands", I40E_GTP, 0, 0, 0, I40E_AQ, -ENOTSUP},
};

ROWS_TEST(a_package_is_accepted_or_refused, verdicts) {
	const struct verdict *verdict = *state;
	static const uint8_t data[32];
	struct i40e_section section = {verdict->section, 0, sizeof(data), data};
	struct i40e_package profile = {.sections = &section, .n_sections = 1};
	struct ddp_package description = {
		.track_id = verdict->track_id,
		.devices = devices + verdict->first,
		.n_devices = verdict->n,
		.i40e = &profile,
	};
	struct ddp_package *package;
	struct ddp_diag diag;
	const char *reason;
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(&description, &size);
	package = bytes_read(bytes, size, &diag);
	assert_non_null(package);
	assert_int_equal(i40e_verdict(package, verdict->device, &reason), verdict->error);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
	free(bytes);
}
