/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages: what is read of one, and what is refused with which words.
#include "i40e/i40e.h"

#include <errno.h>

#include "i40e_write.h"
#include "personality/package_open.h"
#include "unit.h"

/* A package like Intel's for GTP */

// Places in its file.
#define METADATA 0x20 // segments
#define NOTES 0x80
#define PROFILE 0xd0
#define DEVICES 0x120
#define NVMS 0x134
#define TABLE 0x13c // of sections
#define PROTOCOLS 0x150
#define PCTYPES 0x200
#define PTYPES 0x250
#define REGISTERS 0x2a0
#define END 0x2d0

static struct i40e_device devices[] = {
	{0x8086, 0x1572, 0xffff, 0xffff},
	{0x8086, 0x1583, 0xffff, 0xffff},
};

static uint32_t nvms[] = {0x60000};

static struct i40e_protocol protocols[] = {
	{12, "IPV4"}, {13, "IPV6"}, {18, "UDP"},  {21, "GTPU"},     {22, "GTPC"},
	{35, "PAY4"}, {99, ""},     {77, "MPLS"}, {44, "IPV4FRAG"}, {52, "OIPV4"},
};

static struct i40e_type pctypes[] = {
	{22, {21, 12, 255, 255, 255, 255}},
	{23, {21, 13, 255, 255, 255, 255}},
	{24, {21, 255, 255, 255, 255, 255}},
	{25, {22, 255, 255, 255, 255, 255}},
};

static struct i40e_type ptypes[] = {
	{167, {52, 22, 35, 255, 255, 255}},
	{169, {52, 21, 12, 35, 255, 255}},
	{170, {52, 21, 44, 255, 255, 255}},
	{171, {255, 52, 255, 21, 12, 18}},
};

static const uint8_t registers[32] = {1, 2, 3, 4};

static struct i40e_section sections[] = {
	{.type = I40E_PROTOCOL},
	{.type = I40E_PCTYPE},
	{.type = I40E_PTYPE},
	{.type = I40E_MMIO, .size = sizeof(registers), .data = registers},
};

static struct i40e_package i40e = {
	.version = {1, 0, 3, 0},
	.name = "GTPv1-C/U IPv4/IPv6 payload",
	.devices = devices,
	.n_devices = COUNT(devices),
	.nvms = nvms,
	.n_nvms = COUNT(nvms),
	.sections = sections,
	.n_sections = COUNT(sections),
	.protocols = protocols,
	.n_protocols = COUNT(protocols),
	.pctypes = pctypes,
	.n_pctypes = COUNT(pctypes),
	.ptypes = ptypes,
	.n_ptypes = COUNT(ptypes),
	.notes = "Hash input set for GTPC is TEID",
};

static const struct ddp_package gtp = {
	.version = {1, 0, 3, 0},
	.name = "GTPv1-C/U IPv4/IPv6 payload",
	.track_id = 0x80000008,
	.i40e = &i40e,
};

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
	struct ddp_diag diag;
	struct ddp_package *package = description_read(&gtp, &diag);
	const struct i40e_package *read;

	(void)state;
	assert_non_null(package);
	read = package->i40e;
	assert_int_equal(diag.n_warnings, 0);
	assert_int_equal(package->kind, DDP_PACKAGE_I40E);
	assert_int_equal(package->size, END);
	assert_int_equal(package->n_segments, 3);
	assert_int_equal(package->track_id, 0x80000008);
	assert_string_equal(package->name, gtp.name);
	assert_memory_equal(&package->version, &gtp.version, sizeof(gtp.version));
	assert_string_equal(read->name, i40e.name);
	assert_memory_equal(&read->version, &i40e.version, sizeof(i40e.version));
	assert_string_equal(read->notes, i40e.notes);
	assert_int_equal(read->n_devices, COUNT(devices));
	assert_memory_equal(read->devices, devices, sizeof(devices));
	assert_int_equal(read->n_nvms, COUNT(nvms));
	assert_memory_equal(read->nvms, nvms, sizeof(nvms));
	assert_int_equal(read->n_protocols, COUNT(protocols));
	assert_memory_equal(read->protocols, protocols, sizeof(protocols));
	assert_int_equal(read->n_pctypes, COUNT(pctypes));
	assert_memory_equal(read->pctypes, pctypes, sizeof(pctypes));
	assert_int_equal(read->n_ptypes, COUNT(ptypes));
	assert_memory_equal(read->ptypes, ptypes, sizeof(ptypes));
	assert_int_equal(read->n_sections, COUNT(sections));
	assert_int_equal(read->sections[3].type, I40E_MMIO);
	assert_int_equal(read->sections[3].offset, REGISTERS);
	assert_int_equal(read->sections[3].size, sizeof(registers));
	assert_memory_equal(read->sections[3].data, registers, sizeof(registers));
	assert_true(read->has_mmio);
	assert_false(read->has_aq || read->is_rollback || read->is_x722);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

// What the file's author pads, and names as long as they can be.
static void a_name_may_take_all_its_room(void **state) {
	struct ddp_package description = gtp;
	struct i40e_package profile = i40e;
	struct i40e_protocol longest = {1, "0123456789012345678901234567890"};
	struct ddp_package *package;
	struct ddp_diag diag;

	(void)state;
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
	(void)state;
	for (unsigned int i = 0; i < COUNT(section_kinds); i++) {
		struct i40e_section section = {.type = section_kinds[i].type,
					       .size = sizeof(registers),
					       .data = registers};
		struct i40e_package profile = {.sections = &section, .n_sections = 1};
		struct ddp_package description = gtp, *package;
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
	uint32_t file_size;  // 0: all of it
	const char *message; // the first
};

static const struct damage damages[] = {
	{"no_bytes", 0, 0, 1, 1, "p.pkg:0x0: error: 1 bytes are too few for a package"},
	{"one_segment", 4, 1, 4, 0,
	 "p.pkg:0x4: error: no segment holds the configuration of an 800- or "
	 "700-series NIC"},
	{"segments_without_end", 4, 0xffffffff, 4, 0,
	 "p.pkg:0x4: error: 4294967295 segments: 1 to 256 are possible"},
	{"a_segment_behind_the_end", 8, END, 4, 0,
	 "p.pkg:0x8: error: segment 0 at 0x2d0 does not fit a file of 720 bytes"},
	{"a_segment_far_away", 8, 0xfffffff0, 4, 0,
	 "p.pkg:0x8: error: segment 0 at 0xfffffff0 does not fit a file of 720 bytes"},
	{"segments_overlap", NOTES + 8, 0x51, 4, 0,
	 "p.pkg:0xd0: error: segment 2 overlaps segment 1"},
	{"metadata_is_too_small", METADATA + 8, 83, 4, 0,
	 "p.pkg:0x28: error: the metadata segment has 83 bytes, not 84"},
	{"no_metadata", METADATA, 7, 4, 0,
	 "p.pkg:0x4: error: there is no metadata segment, which has the track id"},
	{"no_profile", PROFILE, 7, 4, 0,
	 "p.pkg:0x4: error: no segment holds the configuration of an 800- or "
	 "700-series NIC"},
	{"notes_are_longer_than_the_file", NOTES + 8, 0xfffffff0, 4, 0,
	 "p.pkg:0x88: error: segment 1 of 4294967280 bytes does not fit a file of 720"},
	{"profile_is_too_small", PROFILE + 8, 83, 4, 0,
	 "p.pkg:0xd8: error: the profile's segment has 83 bytes, less than 84"},
	{"the_file_is_cut", 0, 0, 1, END - 1,
	 "p.pkg:0xd8: error: segment 2 of 512 bytes does not fit a file of 719"},
	{"devices_run_off", DEVICES, 56, 4, 0,
	 "p.pkg:0x120: error: the device table of 56 entries needs 448 bytes, "
	 "the segment has 428 left"},
	{"devices_without_end", DEVICES, 0xffffffff, 4, 0,
	 "p.pkg:0x120: error: the device table of 4294967295 entries needs "
	 "34359738360 bytes, the segment has 428 left"},
	{"devices_up_to_the_end", DEVICES, 53, 4, 0,
	 "p.pkg:0x2d0: error: the segment ends before its section table"},
	{"nvms_run_off", NVMS, 0x66, 4, 0,
	 "p.pkg:0x2d0: error: the segment ends before its section table"},
	{"nvms_run_off_by_one", NVMS, 103, 4, 0,
	 "p.pkg:0x134: error: the table of NVM versions of 103 entries needs "
	 "412 bytes, the segment has 408 left"},
	{"nvms_without_end", NVMS, 0x40000001, 4, 0,
	 "p.pkg:0x134: error: the table of NVM versions of 1073741825 entries "
	 "needs 4294967300 bytes, the segment has 408 left"},
	{"sections_without_end", TABLE, 0x40000001, 4, 0,
	 "p.pkg:0x13c: error: the section table of 1073741825 entries needs "
	 "4294967300 bytes, the segment has 400 left"},
	{"sections_run_off_by_one", TABLE, 101, 4, 0,
	 "p.pkg:0x13c: error: the section table of 101 entries needs 404 "
	 "bytes, the segment has 400 left"},
	{"sections_of_nothing", TABLE, 23, 4, 0,
	 "p.pkg:0x13c: error: 23 sections do not fit a segment that has 308 bytes left"},
	{"a_section_in_the_tables", TABLE + 4, 0x7c, 4, 0,
	 "p.pkg:0x140: error: a section at 0x14c, where the segment's sections "
	 "are 0x150 to 0x2d0"},
	{"a_section_behind_the_end", TABLE + 16, 0x1f1, 4, 0,
	 "p.pkg:0x14c: error: a section at 0x2c1, where the segment's sections "
	 "are 0x150 to 0x2d0"},
	{"a_section_far_away", TABLE + 16, 0xffffffff, 4, 0,
	 "p.pkg:0x14c: error: a section at 0x1000000cf, where the segment's "
	 "sections are 0x150 to 0x2d0"},
	{"a_section_twice", TABLE + 16, 0x180, 4, 0,
	 "p.pkg:0x250: error: this section overlaps the one at 0x250"},
	{"a_section_longer_than_the_segment", REGISTERS + 12, 33, 4, 0,
	 "p.pkg:0x2ac: error: a section of 33 bytes where the segment has 32 left"},
	{"a_section_without_end", REGISTERS + 12, 0xfffffff0, 4, 0,
	 "p.pkg:0x2ac: error: a section of 4294967280 bytes where the segment "
	 "has 32 left"},
	{"sections_overlap", PCTYPES + 12, 0x41, 4, 0,
	 "p.pkg:0x250: error: this section overlaps the one at 0x200"},
	{"a_record_without_length", PROTOCOLS + 18, 0, 2, 0,
	 "p.pkg:0x162: error: a record of length 0"},
	{"a_record_longer_than_its_section", PTYPES + 66, 2, 2, 0,
	 "p.pkg:0x292: error: a record of 32 bytes where the section has 16 left"},
	{"a_record_as_long_as_can_be", PCTYPES + 18, 0xffff, 2, 0,
	 "p.pkg:0x212: error: a record of 1048560 bytes where the section has 64 left"},
	{"a_name_without_end", PROTOCOLS + 16 + 8 * 16 + 12, 0x78787878, 4, 0,
	 "p.pkg:0x1e5: error: the name of protocol 44 does not end within its record"},
	{"a_pctype_without_name", PCTYPES + 16 + 3 * 16 + 5, 23, 1, 0,
	 "p.pkg:0x200: error: no protocol of pctype 25 has a name"},
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
	uint8_t *bytes;
	size_t size;

	bytes = i40e_write(&gtp, &size);
	assert_int_equal(size, END);
	for (unsigned int i = 0; i < damage->size; i++)
		bytes[damage->at + i] = damage->value >> 8 * i;
	assert_string_equal(first_error(bytes, damage->file_size > 0 ? damage->file_size : size),
			    damage->message);
	free(bytes);
}

static void refused(const struct i40e_package *profile, const char *message) {
	struct ddp_package description = gtp;
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
	const size_t notes_size = 44 + strlen(i40e.notes) + 1;
	struct ddp_package *package;
	uint8_t bytes[END + 200] = {0}, *written;
	struct ddp_diag diag;
	size_t size;

	(void)state;
	written = i40e_write(&gtp, &size);
	memcpy(bytes, written, END);
	memcpy(bytes + END, written + NOTES, notes_size);
	bytes[12] = END & 0xff;
	bytes[13] = END >> 8;
	assert_string_equal(first_error(bytes, END + notes_size + 43),
			    "p.pkg:0x2d8: error: the notes segment of 76 bytes: drivers would "
			    "read as many after its header, the file has 75");
	package = bytes_read(bytes, END + notes_size + 44, &diag);
	assert_non_null(package);
	assert_string_equal(package->i40e->notes, i40e.notes);
	ddp_diag_fini(&diag);
	ddp_package_close(package);
	free(written);
}

static void a_name_is_31_characters_at_most(void **state) {
	uint8_t record[48] = {0, 0, 3, 0, 12};
	struct i40e_section section = {I40E_PROTOCOL, 0, sizeof(record), record};
	struct i40e_package profile = i40e;

	(void)state;
	memset(record + 5, 'x', 32);
	profile.sections = &section;
	profile.n_sections = 1;
	refused(&profile,
		"p.pkg:0x159: error: the name of protocol 12 has 32 characters, more than 31");
}

static void a_command_says_how_long_it_is(void **state) {
	uint8_t command[30] = {[20] = 9};
	struct i40e_section section = {I40E_AQ, 0, sizeof(command), command};
	struct i40e_package profile = i40e;

	(void)state;
	profile.sections = &section;
	profile.n_sections = 1;
	refused(&profile, "p.pkg:0x168: error: an admin queue command with 9 bytes of data, "
			  "where the section has 8");
}

static void a_command_has_22_bytes_at_least(void **state) {
	uint8_t command[21] = {0};
	struct i40e_section section = {I40E_AQ, 0, sizeof(command), command};
	struct i40e_package profile = i40e;

	(void)state;
	profile.sections = &section;
	profile.n_sections = 1;
	refused(&profile, "p.pkg:0x150: error: 21 bytes are too few for an admin queue command");
}

static void drivers_take_12_pctypes(void **state) {
	struct i40e_package profile = i40e;
	struct i40e_type many[13];

	(void)state;
	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = pctypes[3];
	profile.pctypes = many;
	profile.n_pctypes = COUNT(many);
	refused(&profile, "p.pkg:0x200: error: 13 pctypes: drivers take 12 at most");
}

static void drivers_take_256_ptypes(void **state) {
	struct i40e_package profile = i40e;
	struct i40e_type many[257];

	(void)state;
	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = ptypes[0];
	profile.ptypes = many;
	profile.n_ptypes = COUNT(many);
	refused(&profile, "p.pkg:0x250: error: 257 ptypes: drivers take 256 at most");
}

// All errors of a file at once, not one a run.
static void errors_do_not_hide_each_other(void **state) {
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t size;

	(void)state;
	bytes = i40e_write(&gtp, &size);
	bytes[METADATA] = 7;          // no metadata segment
	bytes[TABLE + 7] = 0x80;      // a section out of reach
	bytes[REGISTERS + 15] = 0x80; // one that is too long
	assert_null(bytes_read(bytes, size, &diag));
	assert_int_equal(diag.n_errors, 3);
	ddp_diag_fini(&diag);
	free(bytes);
}

/* Warnings */

// All messages, one a line; valid until the next call.
static const char *messages_join(const struct ddp_diag *diag) {
	static char text[2048];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < diag->n_kept; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? "\n" : "",
				diag->messages[i]);
	return text;
}

// A list that drivers do not see must not be shown as the package's.
static void the_first_list_counts(void **state) {
	struct i40e_section twice[] = {sections[0], sections[1], sections[2], sections[3],
				       sections[2]};
	struct ddp_package description = gtp, *package;
	struct i40e_package profile = i40e;
	struct ddp_diag diag;

	(void)state;
	profile.sections = twice;
	profile.n_sections = COUNT(twice);
	description.i40e = &profile;
	package = description_read(&description, &diag);
	assert_non_null(package);
	assert_int_equal(package->i40e->n_ptypes, COUNT(ptypes));
	assert_string_equal(
		messages_join(&diag),
		"p.pkg:0x2d4: warning: a second section PTYPE: drivers see the first only");
	ddp_diag_fini(&diag);
	ddp_package_close(package);
}

/* What DPDK makes of the types */

static void a_type_is_named_by_its_protocols(void **state) {
	const struct i40e_type nameless = {1, {255, 255, 255, 255, 255, 255}};
	char name[I40E_TYPE_NAME_SIZE];

	(void)state;
	i40e_type_name(&i40e, &pctypes[0], name);
	assert_string_equal(name, "GTPU_IPV4");
	i40e_type_name(&i40e, &pctypes[2], name);
	assert_string_equal(name, "GTPU");
	i40e_type_name(&i40e, &ptypes[3], name);
	assert_string_equal(name, "OIPV4_GTPU_IPV4_UDP");
	i40e_type_name(&i40e, &nameless, name);
	assert_string_equal(name, "");
}

static void the_longest_name_of_a_type_has_room(void **state) {
	struct i40e_protocol longest = {1, "0123456789012345678901234567890"};
	struct i40e_package profile = {.protocols = &longest, .n_protocols = 1};
	const struct i40e_type type = {1, {1, 1, 1, 1, 1, 1}};
	char name[I40E_TYPE_NAME_SIZE];

	(void)state;
	i40e_type_name(&profile, &type, name);
	assert_int_equal(strlen(name), I40E_TYPE_NAME_SIZE - 1);
	assert_string_equal(name + I40E_TYPE_NAME_SIZE - 33, "_0123456789012345678901234567890");
}

static void dpdk_knows_pctypes_by_name(void **state) {
	uint8_t known[I40E_N_KNOWN_PCTYPES];

	(void)state;
	i40e_known_pctypes(&i40e, known);
	assert_int_equal(known[I40E_KNOWN_GTPU_IPV4], 22);
	assert_int_equal(known[I40E_KNOWN_GTPU_IPV6], 23);
	assert_int_equal(known[I40E_KNOWN_GTPU], 24);
	assert_int_equal(known[I40E_KNOWN_GTPC], 25);
	assert_int_equal(known[I40E_KNOWN_IPV4_AH], 0);
	assert_int_equal(i40e_known_find("IPV4_UDP_ESP"), I40E_KNOWN_IPV4_UDP_ESP);
	assert_int_equal(i40e_known_find("GTPU_IPV"), -ENOENT);
	assert_string_equal(i40e_known_name(I40E_KNOWN_IPV6_L2TPV3), "IPV6_L2TPV3");
}

static void dpdk_does_not_forget_the_last_pctype_it_knew(void **state) {
	struct i40e_type types[] = {pctypes[3], {30, {77, 255, 255, 255, 255, 255}}};
	struct i40e_package profile = i40e;
	uint8_t known[I40E_N_KNOWN_PCTYPES];

	(void)state;
	profile.pctypes = types;
	profile.n_pctypes = COUNT(types);
	i40e_known_pctypes(&profile, known);
	assert_int_equal(known[I40E_KNOWN_GTPC], 30);
}

// Without names of protocols, DPDK looks at no pctype.
static void dpdk_learns_no_pctype_without_protocols(void **state) {
	struct i40e_package profile = i40e;
	uint8_t known[I40E_N_KNOWN_PCTYPES];

	(void)state;
	profile.n_protocols = 0;
	i40e_known_pctypes(&profile, known);
	for (unsigned int i = 0; i < I40E_N_KNOWN_PCTYPES; i++)
		assert_int_equal(known[i], 0);
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
	(void)state;
	assert_int_equal(i40e_rte_ptype(&i40e, &ptypes[0]), 0x7090);    // OIPV4 GTPC PAY4
	assert_int_equal(i40e_rte_ptype(&i40e, &ptypes[1]), 0x408090);  // OIPV4 GTPU IPV4 PAY4
	assert_int_equal(i40e_rte_ptype(&i40e, &ptypes[2]), 0x3408090); // OIPV4 GTPU IPV4FRAG
	assert_int_equal(i40e_rte_ptype(&i40e, &ptypes[3]), 0x2408090); // OIPV4 GTPU IPV4 UDP
	assert_null(i40e_refused_ptype(&i40e));
}

static void dpdk_takes_no_ptype_after_one_it_refuses(void **state) {
	// IPV4 IPV6: both layer 3
	struct i40e_type types[] = {ptypes[0], {9, {12, 13, 255, 255, 255, 255}}};
	struct i40e_package profile = i40e;

	(void)state;
	profile.ptypes = types;
	profile.n_ptypes = COUNT(types);
	assert_ptr_equal(i40e_refused_ptype(&profile), &types[1]);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_package_holds_is_read),
		cmocka_unit_test(a_name_may_take_all_its_room),
		cmocka_unit_test(sections_say_what_a_package_does),
		cmocka_unit_test(notes_need_something_behind_them),
		cmocka_unit_test(a_name_is_31_characters_at_most),
		cmocka_unit_test(a_command_says_how_long_it_is),
		cmocka_unit_test(a_command_has_22_bytes_at_least),
		cmocka_unit_test(drivers_take_12_pctypes),
		cmocka_unit_test(drivers_take_256_ptypes),
		cmocka_unit_test(errors_do_not_hide_each_other),
		cmocka_unit_test(the_first_list_counts),
		cmocka_unit_test(a_type_is_named_by_its_protocols),
		cmocka_unit_test(the_longest_name_of_a_type_has_room),
		cmocka_unit_test(dpdk_knows_pctypes_by_name),
		cmocka_unit_test(dpdk_does_not_forget_the_last_pctype_it_knew),
		cmocka_unit_test(dpdk_learns_no_pctype_without_protocols),
		cmocka_unit_test(outer_addresses_begin_a_tunnel),
		cmocka_unit_test(dpdk_takes_no_ptype_after_one_it_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       rows_run("damage", damage_is_told, damages) +
	       rows_run("prefixes", a_protocol_adds_bits_to_a_ptype, prefixes);
}
