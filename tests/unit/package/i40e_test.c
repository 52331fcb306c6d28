/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages: what is read of one, and what is refused with which words. (What every
// package is refused for: container_test.c.)
#include "i40e/i40e.h"

#include <errno.h>

#include "damage.h"
#include "i40e_write.h"

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

static struct ddp_diag *diag; // of the last package

static struct ddp_package *written_read(const struct ddp_package *description) {
	size_t size;
	uint8_t *bytes = i40e_write(description, &size);

	diag = diag_new();
	after_test(free, bytes);
	return bytes_read(bytes, size, diag);
}

static struct ddp_package *profile_read(const struct i40e_package *profile) {
	struct ddp_package description = i40e_gtp;
	struct i40e_package copy = *profile;

	description.i40e = &copy;
	return written_read(&description);
}

// (i40e_dpdk_test.c compares the lists with what DPDK reads.)
TEST(what_a_package_holds_is_read) {
	const struct i40e_package *written = i40e_gtp.i40e, *read;
	struct ddp_package *package = written_read(&i40e_gtp);

	assert_non_null(package);
	read = package->i40e;
	assert_int_equal(diag->n_warnings, 0);
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
}

#define RECORD(section, i) ((section) + 16 + 16 * (i))

static const struct damage damages[] = {
	{"the metadata segment has 83 bytes, not 84", METADATA + 8, 4, 83},
	{"there is no metadata segment, which has the track id", METADATA, 4, 7, -28},
	{"segment 1 of 4294967280 bytes does not fit a file of 1216", NOTES + 8, 4, 0xfffffff0},
	{"the profile's segment has 83 bytes, less than 84", PROFILE + 8, 4, 83},
	{"116 devices do not fit the segment's last 924 bytes", DEVICES, 4, 116},
	{"the segment ends before the number of sections", NVMS, 4, 226, 908},
	{"1073741825 NVM versions do not fit the segment's last 904 bytes", NVMS, 4, 0x40000001},
	{"225 sections do not fit the segment's last 896 bytes", TABLE, 4, 225},
	{"45 sections do not fit a segment that has 716 bytes left", TABLE, 4, 45},
	{"a section at 0x154, where the segment's sections are 0x158 to 0x4c0", TABLE + 4, 4,
	 PROTOCOLS - PROFILE - 4},
	{"a section at 0x4b1, where the segment's sections are 0x158 to 0x4c0", TABLE + 24, 4,
	 END - PROFILE - 15},
	{"a section at 0x1000000cf, where the segment's sections are 0x158 to 0x4c0", TABLE + 24, 4,
	 0xffffffff},
	{"this section overlaps the one at 0x2a8", TABLE + 24, 4, PTYPES - PROFILE, 340},
	{"a section of 9 bytes where the segment has 8 left", REGISTERS + 12, 4, 9},
	{"a section of 4294967280 bytes where the segment has 8 left", REGISTERS + 12, 4,
	 0xfffffff0},
	{"this section overlaps the one at 0x258", PCTYPES + 12, 4, 0x41, 68},
	{"a record of length 0", PROTOCOLS + 18, 2, 0},
	{"a record of 32 bytes where the section has 16 left", RECORD(PTYPES, 27) + 2, 2, 2},
	{"the name of protocol 44 does not end within its record and 31 characters",
	 RECORD(PROTOCOLS, 11) + 12, 4, 0x78787878, -7},
	{"no protocol of pctype 25 has a name", RECORD(PCTYPES, 3) + 5, 1, 99, -69},
};

ROWS_TEST(damage_is_told, damages) {
	size_t size;
	uint8_t *bytes = i40e_write(&i40e_gtp, &size);

	after_test(free, bytes);
	assert_int_equal(size, END);
	damage_check(*state, bytes, size);
}

static void assert_error(const struct ddp_package *package, uint32_t at, const char *error) {
	char expected[200];

	assert_null(package);
	snprintf(expected, sizeof(expected), "t.pkg:0x%x: error: %s", at, error);
	assert_string_equal(ddp_diag_first(diag), expected);
}

// DPDK reads 44 bytes more than a notes segment has.
TEST(notes_need_something_behind_them) {
	const size_t notes_size = 44 + strlen(i40e_gtp.i40e->notes) + 1;
	struct ddp_package *package;
	uint8_t bytes[END + 200] = {0}, *written;
	size_t size;

	diag = diag_new();
	written = i40e_write(&i40e_gtp, &size);
	memcpy(bytes, written, END);
	memcpy(bytes + END, written + NOTES, notes_size);
	free(written);
	put16(bytes + 12, END);
	assert_error(
		bytes_read(bytes, END + notes_size + 43, diag), 0x4c8,
		"the notes segment of 76 bytes: drivers would read as many after its header, the "
		"file has 75");
	package = bytes_read(bytes, END + notes_size + 44, diag_new());
	assert_non_null(package);
	assert_string_equal(package->i40e->notes, i40e_gtp.i40e->notes);
}

static const struct {
	struct i40e_section section;
	uint32_t at;
	const char *error;
} bad[] = {
	{{I40E_PROTOCOL, 0, 48, (const uint8_t[48]){"\0\0\3\0\f01234567890123456789012345678901"}},
	 0x159,
	 "the name of protocol 12 does not end within its record and 31 characters"},
	{{I40E_AQ, 0, 30, (const uint8_t[30]){[20] = 9}},
	 0x150,
	 "30 bytes are too few for an admin queue command and its data"},
	{{I40E_AQ, 0, 21, (const uint8_t[21]){0}},
	 0x150,
	 "21 bytes are too few for an admin queue command and its data"},
};

TEST(sections_and_lists_have_limits) {
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_type many[257];

	profile.n_sections = 1;
	for (unsigned int i = 0; i < COUNT(bad); i++) {
		struct i40e_section section = bad[i].section;

		profile.sections = &section;
		assert_error(profile_read(&profile), bad[i].at, bad[i].error);
	}
	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = profile.pctypes.types[3];
	profile = *i40e_gtp.i40e;
	profile.pctypes = (struct i40e_types){many, 13};
	assert_error(profile_read(&profile), PCTYPES, "13 pctypes: drivers take 12 at most");
	profile = *i40e_gtp.i40e;
	profile.ptypes = (struct i40e_types){many, COUNT(many)};
	assert_error(profile_read(&profile), PTYPES, "257 ptypes: drivers take 256 at most");
}

// A list that drivers do not see must not be shown as the package's.
TEST(the_first_list_counts) {
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_section twice[7];
	struct ddp_package *package;

	memcpy(twice, profile.sections, 6 * sizeof(twice[0]));
	twice[6] = twice[2];
	profile.sections = twice;
	profile.n_sections = COUNT(twice);
	package = profile_read(&profile);
	assert_non_null(package);
	assert_int_equal(package->i40e->ptypes.n, profile.ptypes.n);
	assert_int_equal(diag->n_warnings, 1);
	assert_string_equal(
		diag->messages[0].s,
		"t.pkg:0x4c4: warning: a second section 0x80000004: drivers see the first only");
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
	struct ddp_package *package = written_read(&description);
	const char *reason;

	assert_non_null(package);
	assert_int_equal(i40e_verdict(package, verdict->device, &reason), verdict->error);
}
