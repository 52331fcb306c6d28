/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages: what is read of one, and what is refused with which words. (What every
// package is refused for: container_test.c.)
#include "i40e/i40e.h"

#include <errno.h>

#include "i40e_write.h"
#include "personality/package_open.h"
#include "unit.h"

// Places in the file of the package for GTP.
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

// A package as it is read, with all that is said of it; the caller closes it.
static struct ddp_package *description_read(const struct ddp_package *description,
					    struct ddp_diag *diag) {
	struct ddp_package *package;
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(description, &size);
	package = bytes_read(bytes, size, diag);
	free(bytes);
	return package;
}

/* Reading */

static void what_a_package_holds_is_read(void **state) {
	const struct i40e_package *written = i40e_gtp.i40e, *read;
	struct ddp_diag diag;
	struct ddp_package *package = description_read(&i40e_gtp, &diag);

	assert_non_null(package);
	read = package->i40e;
	assert_int_equal(diag.n_warnings, 0);
	assert_int_equal(package->kind, DDP_PACKAGE_I40E);
	assert_int_equal(package->size, END);
	assert_int_equal(package->n_segments, 3);
	assert_int_equal(package->track_id, I40E_GTP);
	assert_string_equal(package->name, i40e_gtp.name);
	assert_memory_equal(&package->version, &i40e_gtp.version, sizeof(package->version));
	assert_string_equal(read->name, written->name);
	assert_memory_equal(&read->version, &written->version, sizeof(read->version));
	assert_string_equal(read->notes, written->notes);
#define SAME(n, list)                          \
	assert_int_equal(read->n, written->n); \
	assert_memory_equal(read->list, written->list, written->n * sizeof(written->list[0]))
	SAME(n_devices, devices);
	SAME(n_nvms, nvms);
	SAME(n_protocols, protocols);
	SAME(n_pctypes, pctypes);
	SAME(n_ptypes, ptypes);
	assert_int_equal(read->n_sections, 6);
	assert_int_equal(read->sections[5].type, I40E_MMIO);
	assert_int_equal(read->sections[5].offset, REGISTERS);
	assert_int_equal(read->sections[5].size, 8);
	assert_memory_equal(read->sections[5].data, written->sections[5].data, 8);
	assert_true(read->has_mmio);
	assert_false(read->has_aq || read->is_rollback || read->is_x722);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

// What the file's author pads, and names as long as they can be.
static void a_name_may_take_all_its_room(void **state) {
	struct ddp_package description = i40e_gtp;
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_protocol longest = {1, "0123456789012345678901234567890"};
	struct ddp_package *package;
	struct ddp_diag diag;

	memset(description.name, 'n', 32);
	memset(profile.name, 'p', 32);
	profile.protocols = &longest;
	profile.n_protocols = 1;
	profile.n_pctypes = 0;
	profile.n_ptypes = 0;
	profile.notes = NULL;
	description.i40e = &profile; // it has devices: what follows the name is not 0
	package = description_read(&description, &diag);
	assert_non_null(package);
	assert_string_equal(package->name, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
	assert_string_equal(package->i40e->name, "pppppppppppppppppppppppppppppppp");
	assert_string_equal(package->i40e->protocols[0].name, longest.name);
	assert_null(package->i40e->notes);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

static const struct {
	uint32_t type;
	bool mmio, aq, rollback;
} section_kinds[] = {
	{I40E_MMIO, true, false, false},
	{I40E_RB_MMIO, false, false, true},
	{I40E_AQ, false, true, false},
	{I40E_RB_AQ, false, true, true},
};

static void sections_say_what_a_package_does(void **state) {
	static const uint8_t data[32];

	for (unsigned int i = 0; i < COUNT(section_kinds); i++) {
		struct i40e_section section = {
			.type = section_kinds[i].type, .size = sizeof(data), .data = data};
		struct i40e_package profile = {.sections = &section, .n_sections = 1};
		struct ddp_package description = i40e_gtp, *package;
		struct ddp_diag diag;

		description.i40e = &profile;
		package = description_read(&description, &diag);
		assert_non_null(package);
		assert_int_equal(package->i40e->has_mmio, section_kinds[i].mmio);
		assert_int_equal(package->i40e->has_aq, section_kinds[i].aq);
		assert_int_equal(package->i40e->is_rollback, section_kinds[i].rollback);
		ddp_diag_fini(&diag);
		ddp_package_close(package);
	}
}

/* Broken files */

struct damage {
	const char *name;
	uint32_t at;    // a number of the file is another one
	uint32_t value; // of size bytes
	unsigned int size;
	uint32_t told_at;
	const char *told; // what the first message begins with
};

#define RECORD(section, i) ((section) + 16 + 16 * (i))

static const struct damage damages[] = {
	{"metadata_is_too_small", METADATA + 8, 83, 4, METADATA + 8, "the metadata segment has 83"},
	{"no_metadata", METADATA, 7, 4, 4, "there is no metadata segment"},
	{"notes_without_end", NOTES + 8, 0xfffffff0, 4, NOTES + 8, "segment 1 of 4294967280"},
	{"profile_is_too_small", PROFILE + 8, 83, 4, PROFILE + 8, "the profile's segment has 83"},
	{"devices_run_off", DEVICES, 116, 4, DEVICES, "the device table of 116 entries needs"},
	{"devices_without_end", DEVICES, 0xffffffff, 4, DEVICES, "the device table of 4294967295"},
	{"nvms_up_to_the_end", NVMS, 226, 4, END, "the segment ends before its section table"},
	{"nvms_run_off_by_one", NVMS, 227, 4, NVMS, "the table of NVM versions of 227 entries"},
	{"nvms_without_end", NVMS, 0x40000001, 4, NVMS, "the table of NVM versions of 1073741825"},
	{"sections_without_end", TABLE, 0x40000001, 4, TABLE, "the section table of 1073741825"},
	{"sections_run_off_by_one", TABLE, 225, 4, TABLE, "the section table of 225 entries"},
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
	{"a_record_far_too_long", PCTYPES + 18, 0xffff, 2, PCTYPES + 18,
	 "a record of 1048560 bytes"},
	{"a_name_without_end", RECORD(PROTOCOLS, 11) + 12, 0x78787878, 4, RECORD(PROTOCOLS, 11) + 5,
	 "the name of protocol 44 does not end"},
	{"a_pctype_without_name", RECORD(PCTYPES, 3) + 5, 99, 1, PCTYPES,
	 "no protocol of pctype 25 has a name"},
};

static const char *first_error(const uint8_t *bytes, size_t size) {
	static char message[512];
	struct ddp_package *package;
	struct ddp_diag diag;

	package = bytes_read(bytes, size, &diag);
	assert_null(package);
	snprintf(message, sizeof(message), "%s", ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
	return message;
}

static void damage_is_told(void **state) {
	const struct damage *damage = *state;
	const char *message;
	char expected[200];
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(&i40e_gtp, &size);
	assert_int_equal(size, END);
	for (unsigned int i = 0; i < damage->size; i++)
		bytes[damage->at + i] = damage->value >> 8 * i;
	message = first_error(bytes, size);
	snprintf(expected, sizeof(expected), "p.pkg:0x%x: error: %s", damage->told_at,
		 damage->told);
	if (strncmp(message, expected, strlen(expected)) != 0)
		assert_string_equal(message, expected);
	free(bytes);
}

static void refused(const struct i40e_package *profile, const char *message) {
	struct ddp_package description = i40e_gtp;
	struct i40e_package copy = *profile;
	uint8_t *bytes;
	size_t size;

	description.i40e = &copy;
	bytes = i40e_write(&description, &size);
	assert_string_equal(first_error(bytes, size), message);
	free(bytes);
}

// DPDK reads 44 bytes more than a notes segment has.
static void notes_need_something_behind_them(void **state) {
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
	assert_string_equal(first_error(bytes, END + notes_size + 43),
			    "p.pkg:0x4c8: error: the notes segment of 76 bytes: drivers would "
			    "read as many after its header, the file has 75");
	package = bytes_read(bytes, END + notes_size + 44, &diag);
	assert_non_null(package);
	assert_string_equal(package->i40e->notes, i40e_gtp.i40e->notes);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
	free(written);
}

static const struct {
	struct i40e_section section; // the only one
	const char *message;
} bad_sections[] = {
	{{I40E_PROTOCOL, 0, 48, (const uint8_t[48]){"\0\0\3\0\f01234567890123456789012345678901"}},
	 "p.pkg:0x159: error: the name of protocol 12 has 32 characters, more than 31"},
	{{I40E_AQ, 0, 30, (const uint8_t[30]){[20] = 9}},
	 "p.pkg:0x168: error: an admin queue command with 9 bytes of data, where the section has 8"},
	{{I40E_AQ, 0, 21, (const uint8_t[21]){0}},
	 "p.pkg:0x150: error: 21 bytes are too few for an admin queue command"},
};

static void a_section_fits_what_it_holds(void **state) {
	struct i40e_package profile = *i40e_gtp.i40e;

	profile.n_sections = 1;
	for (unsigned int i = 0; i < COUNT(bad_sections); i++) {
		struct i40e_section section = bad_sections[i].section;

		profile.sections = &section;
		refused(&profile, bad_sections[i].message);
	}
}

static void drivers_take_12_pctypes_and_256_ptypes(void **state) {
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_type many[257];

	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = profile.pctypes[3];
	profile.pctypes = many;
	profile.n_pctypes = 13;
	refused(&profile, "p.pkg:0x258: error: 13 pctypes: drivers take 12 at most");
	profile = *i40e_gtp.i40e;
	profile.ptypes = many;
	profile.n_ptypes = COUNT(many);
	refused(&profile, "p.pkg:0x2a8: error: 257 ptypes: drivers take 256 at most");
}

// All errors of a file at once, not one a run.
static void errors_do_not_hide_each_other(void **state) {
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(&i40e_gtp, &size);
	bytes[METADATA] = 7;          // no metadata segment
	bytes[TABLE + 7] = 0x80;      // a section out of reach
	bytes[REGISTERS + 15] = 0x80; // one that is too long
	assert_null(bytes_read(bytes, size, &diag));
	assert_int_equal(diag.n_errors, 3);
	ddp_diag_fini(&diag);
	free(bytes);
}

// A list that drivers do not see must not be shown as the package's.
static void the_first_list_counts(void **state) {
	struct ddp_package description = i40e_gtp, *package;
	struct i40e_package profile = *i40e_gtp.i40e;
	struct i40e_section twice[7];
	struct ddp_diag diag;

	memcpy(twice, profile.sections, 6 * sizeof(twice[0]));
	twice[6] = twice[2];
	profile.sections = twice;
	profile.n_sections = COUNT(twice);
	description.i40e = &profile;
	package = description_read(&description, &diag);
	assert_non_null(package);
	assert_int_equal(package->i40e->n_ptypes, profile.n_ptypes);
	assert_int_equal(diag.n_warnings, 1);
	assert_string_equal(
		diag.messages[0],
		"p.pkg:0x4c4: warning: a second section 0x80000004: drivers see the first only");
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

/* What DPDK makes of the types */

static void a_type_is_named_by_its_protocols(void **state) {
	static const struct i40e_type types[] = {
		{22, {21, 12, 255, 255, 255, 255}},
		{171, {255, 52, 255, 21, 99, 18}},
		{1, {255, 255, 255, 255, 255, 255}},
	};
	static const char *const names[] = {"GTPU_IPV4", "OIPV4_GTPU_UDP", ""};
	char name[I40E_TYPE_NAME_SIZE];

	for (unsigned int i = 0; i < COUNT(types); i++) {
		i40e_type_name(i40e_gtp.i40e, &types[i], name);
		assert_string_equal(name, names[i]);
	}
}

static void the_longest_name_of_a_type_has_room(void **state) {
	struct i40e_protocol longest = {1, "0123456789012345678901234567890"};
	struct i40e_package profile = {.protocols = &longest, .n_protocols = 1};
	const struct i40e_type type = {1, {1, 1, 1, 1, 1, 1}};
	char name[I40E_TYPE_NAME_SIZE];

	i40e_type_name(&profile, &type, name);
	assert_int_equal(strlen(name), I40E_TYPE_NAME_SIZE - 1);
	assert_string_equal(name + I40E_TYPE_NAME_SIZE - 33, "_0123456789012345678901234567890");
}

struct prefix {
	const char *name;    // of a protocol
	uint32_t alone;      // RTE_PTYPE_* of a packet with it
	uint32_t behind_gtp; // of one with GTPU before it, without GTPU's
};

static const struct prefix prefixes[] = {
	{"PPPoE", 0x8, 0x8},
	{"IPV4FRAG", 0x390, 0x3400000},
	{"ipv4frag9", 0x390, 0x3400000},
	{"IPV4", 0x90, 0x400000},
	{"IPV4FRA", 0x90, 0x400000},
	{"IPV6FRAG", 0x3e0, 0x3600000},
	{"IPv6", 0xe0, 0x600000},
	{"OIPV4", 0x90, 0x90},
	{"OIPV6", 0xe0, 0xe0},
	{"UDP", 0x200, 0x2000000},
	{"UDPLITE", 0x200, 0x2000000},
	{"TCP", 0x100, 0x1000000},
	{"SCTP", 0x400, 0x4000000},
	{"ICMP", 0x500, 0x5000000},
	{"ICMPV6", 0x500, 0x5000000},
	{"GTPU", 0x8000, 0},
	{"ESP", 0x9000, 0x9000},
	{"GRENAT", 0x6000, 0x6000},
	{"L2TPV2CTL", 0xa000, 0xa000},
	{"L2TPV2", 0xa000, 0xa000},
	{"L2TPV3", 0xa000, 0xa000},
	{"L2TP", 0, 0},
	{"MPLS", 0, 0},
	{"PAY4", 0, 0},
	{"", 0, 0},
};

static void a_protocol_adds_bits_to_a_ptype(void **state) {
	const struct prefix *prefix = *state;
	struct i40e_protocol list[] = {{1, "GTPU"}, {.id = 2}};
	struct i40e_package profile = {.protocols = list, .n_protocols = COUNT(list)};
	struct i40e_type type = {1, {2, 255, 255, 255, 255, 255}};

	strcpy(list[1].name, prefix->name);
	assert_int_equal(i40e_rte_ptype(&profile, &type), prefix->alone);
	type.protocols[0] = 1;
	type.protocols[1] = 2;
	assert_int_equal(i40e_rte_ptype(&profile, &type), 0x8000 | prefix->behind_gtp);
}

static void outer_addresses_begin_a_tunnel(void **state) {
	const struct i40e_package *i40e = i40e_gtp.i40e;

	assert_int_equal(i40e_rte_ptype(i40e, &i40e->ptypes[0]), 0x7090);    // OIPV4 GTPC
	assert_int_equal(i40e_rte_ptype(i40e, &i40e->ptypes[2]), 0x408090);  // OIPV4 GTPU IPV4 PAY4
	assert_int_equal(i40e_rte_ptype(i40e, &i40e->ptypes[3]), 0x3408090); // OIPV4 GTPU IPV4FRAG
	assert_int_equal(i40e_rte_ptype(i40e, &i40e->ptypes[4]), 0x2408090); // OIPV4 GTPU IPV4 UDP
	assert_null(i40e_refused_ptype(i40e));
}

static void dpdk_takes_no_ptype_after_one_it_refuses(void **state) {
	// IPV4 IPV6: both layer 3
	struct i40e_type types[] = {i40e_gtp.i40e->ptypes[0], {9, {12, 13, 255, 255, 255, 255}}};
	struct i40e_package profile = *i40e_gtp.i40e;

	profile.ptypes = types;
	profile.n_ptypes = COUNT(types);
	assert_ptr_equal(i40e_refused_ptype(&profile), &types[1]);
}

/* Verdicts */

static struct i40e_device devices[] = {
	{0x8086, 0x158b, 0xffff, 0xffff},
	{0x15b3, 0x1583, 0xffff, 0xffff},
};

static const struct verdict {
	const char *name;
	struct i40e_package i40e;
	uint32_t track_id;
	int error;
	uint16_t device;
} verdicts[] = {
	{"any_device", {0}, I40E_GTP, 0, 0x1572},
	{"its_device", {.devices = devices, .n_devices = 2}, I40E_GTP, 0, 0x158b},
	{"other", {.devices = devices, .n_devices = 2}, I40E_GTP, -ENODEV, 0x1572},
	{"vendor", {.devices = devices, .n_devices = 2}, I40E_GTP, -ENODEV, 0x1583},
	{"no_intel", {.devices = devices + 1, .n_devices = 1}, I40E_GTP, -ENODEV, 0},
	{"x722", {.is_x722 = true}, I40E_GTP, -EINVAL, 0},
	{"an_invalid_track_id", {0}, 0xffffffff, -EINVAL, 0},
	{"a_read_only_track_id", {0}, 0x00010001, -EINVAL, 0},
	{"a_rollback_file", {.is_rollback = true}, I40E_GTP, -ENOTSUP, 0},
	{"commands", {.has_aq = true}, I40E_GTP, -ENOTSUP, 0},
};

static void a_package_is_accepted_or_refused(void **state) {
	const struct verdict *verdict = *state;
	struct i40e_package i40e = verdict->i40e;
	struct ddp_package package = {.track_id = verdict->track_id, .i40e = &i40e};
	const char *reason;

	assert_int_equal(i40e_verdict(&package, verdict->device, &reason), verdict->error);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_package_holds_is_read),
		cmocka_unit_test(a_name_may_take_all_its_room),
		cmocka_unit_test(sections_say_what_a_package_does),
		cmocka_unit_test(notes_need_something_behind_them),
		cmocka_unit_test(a_section_fits_what_it_holds),
		cmocka_unit_test(drivers_take_12_pctypes_and_256_ptypes),
		cmocka_unit_test(errors_do_not_hide_each_other),
		cmocka_unit_test(the_first_list_counts),
		cmocka_unit_test(a_type_is_named_by_its_protocols),
		cmocka_unit_test(the_longest_name_of_a_type_has_room),
		cmocka_unit_test(outer_addresses_begin_a_tunnel),
		cmocka_unit_test(dpdk_takes_no_ptype_after_one_it_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       rows_run("damage", damage_is_told, damages) +
	       rows_run("prefixes", a_protocol_adds_bits_to_a_ptype, prefixes) +
	       rows_run("verdicts", a_package_is_accepted_or_refused, verdicts);
}
