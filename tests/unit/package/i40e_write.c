/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "i40e/i40e.h"
#include "package/read.h"
#include "personality/package_open.h"

#define FILE_MAX (1 << 18)
#define SEGMENT_ALIGN 16
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct file {
	uint8_t *bytes; // zeros behind size
	size_t size;
};

static uint8_t *extend(struct file *file, size_t size) {
	uint8_t *start = file->bytes + file->size;

	assert(file->size + size <= FILE_MAX);
	file->size += size;
	return start;
}

static void bytes_add(struct file *file, const void *bytes, size_t size) {
	uint8_t *start = extend(file, size);

	if (size > 0)
		memcpy(start, bytes, size);
}

static void u32_add(struct file *file, uint32_t value) {
	le32_put(extend(file, 4), value);
}

static void version_add(struct file *file, struct ddp_version version) {
	const uint8_t bytes[] = {version.major, version.minor, version.update, version.draft};

	bytes_add(file, bytes, sizeof(bytes));
}

// 32 bytes, without a NUL where the name has as many.
static void name_add(struct file *file, const char name[DDP_PACKAGE_NAME_SIZE]) {
	const size_t size = DDP_PACKAGE_NAME_SIZE - 1;

	memcpy(extend(file, size), name, strnlen(name, size));
}

/* Sections */

static void record_add(struct file *file, uint8_t id, const void *data, size_t size) {
	size_t n = (RECORD_HEADER_SIZE + 1 + size + RECORD_SIZE - 1) / RECORD_SIZE;
	uint8_t *record = extend(file, n * RECORD_SIZE);

	record[RECORD_LEN_AT] = n;
	record[RECORD_HEADER_SIZE] = id;
	memcpy(record + RECORD_HEADER_SIZE + 1, data, size);
}

static void types_add(struct file *file, const struct i40e_types *list) {
	for (unsigned int i = 0; i < list->n; i++)
		record_add(file, list->types[i].id, list->types[i].protocols, I40E_TYPE_PROTOCOLS);
}

static void section_data_add(struct file *file, const struct i40e_package *i40e,
			     const struct i40e_section *section) {
	if (section->data != NULL)
		bytes_add(file, section->data, section->size);
	else if (section->type == I40E_PCTYPE)
		types_add(file, &i40e->pctypes);
	else if (section->type == I40E_PTYPE)
		types_add(file, &i40e->ptypes);
	else if (section->type == I40E_PROTOCOL)
		for (unsigned int i = 0; i < i40e->n_protocols; i++)
			record_add(file, i40e->protocols[i].id, i40e->protocols[i].name,
				   strlen(i40e->protocols[i].name) + 1);
}

static void section_add(struct file *file, const struct i40e_package *i40e,
			const struct i40e_section *section) {
	uint8_t *start = extend(file, SECTION_HEADER_SIZE);
	size_t size;

	section_data_add(file, i40e, section);
	size = file->bytes + file->size - start;
	start[0] = 1; // tables in it
	start[SECTION_DATA_END_AT] = size;
	start[SECTION_DATA_END_AT + 1] = size >> 8;
	le32_put(start + SECTION_TYPE_AT, section->type);
	le32_put(start + SECTION_OFFSET_AT, SECTION_HEADER_SIZE);
	le32_put(start + SECTION_SIZE_AT, size - SECTION_HEADER_SIZE);
	extend(file, -file->size % 4);
}

/* Segments */

// A segment whose offset goes to entry of the file's list.
static uint8_t *segment_begin(struct file *file, unsigned int entry, uint32_t type,
			      struct ddp_version version, const char *name) {
	uint8_t *start;

	extend(file, -file->size % SEGMENT_ALIGN);
	le32_put(file->bytes + 8 + 4 * entry, file->size);
	start = file->bytes + file->size;
	u32_add(file, type);
	version_add(file, version);
	u32_add(file, 0); // its size
	name_add(file, name);
	return start;
}

static void segment_end(struct file *file, uint8_t *start) {
	le32_put(start + 8, file->bytes + file->size - start);
}

static void profile_add(struct file *file, unsigned int entry, const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;
	uint8_t *start = segment_begin(file, entry, SEGMENT_I40E, i40e->version, i40e->name);
	uint8_t *table;

	version_add(file, i40e->version);
	name_add(file, i40e->name);
	u32_add(file, package->n_devices);
	for (unsigned int i = 0; i < package->n_devices; i++) {
		const struct ddp_device *device = &package->devices[i];

		u32_add(file, (uint32_t)device->vendor << 16 | device->device);
		u32_add(file, (uint32_t)device->sub_vendor << 16 | device->sub_device);
	}
	u32_add(file, package->n_nvm_versions);
	for (unsigned int i = 0; i < package->n_nvm_versions; i++)
		u32_add(file, package->nvm_versions[i]);
	u32_add(file, i40e->n_sections);
	table = extend(file, 4 * (size_t)i40e->n_sections);
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		le32_put(table + 4 * (size_t)i, file->bytes + file->size - start);
		section_add(file, i40e, &i40e->sections[i]);
	}
	segment_end(file, start);
}

uint8_t *i40e_write(const struct ddp_package *package, size_t *size) {
	const char *notes = package->i40e->notes;
	struct file file = {.bytes = calloc(1, FILE_MAX)};
	uint8_t *start;

	assert(file.bytes != NULL);
	version_add(&file, (struct ddp_version){.minor = 1});
	u32_add(&file, notes != NULL ? 3 : 2);
	extend(&file, notes != NULL ? 12 : 8);
	start = segment_begin(&file, 0, SEGMENT_METADATA, package->version, package->name);
	version_add(&file, package->version);
	u32_add(&file, package->track_id);
	name_add(&file, package->name);
	segment_end(&file, start);
	if (notes != NULL) { // not at the end: see notes_read()
		start = segment_begin(&file, 1, SEGMENT_NOTES, package->version, package->name);
		bytes_add(&file, notes, strlen(notes) + 1);
		segment_end(&file, start);
	}
	profile_add(&file, notes != NULL ? 2 : 1, package);
	*size = file.size;
	return realloc(file.bytes, file.size);
}

/* GTP */

static struct i40e_protocol protocols[] = {
	{12, "IPV4"}, {13, "IPV6"},     {17, "TCP"},      {18, "UDP"},    {19, "SCTP"},
	{20, "ICMP"}, {21, "GTPU"},     {22, "GTPC"},     {23, "ICMPV6"}, {34, "PAY3"},
	{35, "PAY4"}, {44, "IPV4FRAG"}, {48, "IPV6FRAG"}, {52, "OIPV4"},  {53, "OIPV6"},
};

#define NONE I40E_NO_PROTOCOL

static struct i40e_type pctypes[] = {
	{22, {21, 12, NONE, NONE, NONE, NONE}},
	{23, {21, 13, NONE, NONE, NONE, NONE}},
	{24, {21, NONE, NONE, NONE, NONE, NONE}},
	{25, {22, NONE, NONE, NONE, NONE, NONE}},
};

static struct i40e_type ptypes[] = {
	{167, {52, 22, NONE, NONE, NONE, NONE}}, {168, {53, 22, NONE, NONE, NONE, NONE}},
	{169, {52, 21, 12, 34, NONE, NONE}},     {170, {52, 21, 44, 34, NONE, NONE}},
	{171, {52, 21, 12, 18, 35, NONE}},       {172, {52, 21, 12, 17, 35, NONE}},
	{173, {52, 21, 12, 19, 35, NONE}},       {174, {52, 21, 12, 20, 35, NONE}},
	{175, {53, 21, 12, 34, NONE, NONE}},     {176, {53, 21, 44, 34, NONE, NONE}},
	{177, {53, 21, 12, 18, 35, NONE}},       {178, {53, 21, 12, 17, 35, NONE}},
	{179, {53, 21, 12, 19, 35, NONE}},       {180, {53, 21, 12, 20, 35, NONE}},
	{181, {52, 21, 35, NONE, NONE, NONE}},   {182, {53, 21, 35, NONE, NONE, NONE}},
	{183, {52, 21, 48, 34, NONE, NONE}},     {184, {52, 21, 13, 34, NONE, NONE}},
	{185, {52, 21, 13, 18, 35, NONE}},       {186, {52, 21, 13, 17, 35, NONE}},
	{187, {52, 21, 13, 19, 35, NONE}},       {188, {52, 21, 13, 23, 35, NONE}},
	{189, {53, 21, 13, 34, NONE, NONE}},     {190, {53, 21, 48, 34, NONE, NONE}},
	{191, {53, 21, 13, 18, 35, NONE}},       {113, {53, 21, 13, 17, 35, NONE}},
	{120, {53, 21, 13, 19, 35, NONE}},       {128, {53, 21, 13, 23, 35, NONE}},
};

static const uint8_t registers[3][8] = {
	{I40E_GTP_REGISTER, 0, 0, 0, 0x55, 0x55, 0x55, 0x55},
	{I40E_GTP_REGISTER + 2, 0, 0, 0, 0x56, 0x56, 0x56, 0x56},
	{I40E_GTP_REGISTER + 4, 0, 0, 0, 0x57, 0x57, 0x57, 0x57},
};

static struct i40e_section sections[] = {
	{.type = I40E_PROTOCOL},
	{.type = I40E_PCTYPE},
	{.type = I40E_PTYPE},
	{.type = I40E_MMIO, .size = sizeof(registers[0]), .data = registers[0]},
	{.type = I40E_MMIO, .size = sizeof(registers[1]), .data = registers[1]},
	{.type = I40E_MMIO, .size = sizeof(registers[2]), .data = registers[2]},
};

static struct ddp_device devices[] = {
	{0x8086, 0x1572, 0xffff, 0xffff},
	{0x8086, 0x1583, 0x8086, 0x0001},
};

static uint32_t nvms[] = {0x60001};

static struct i40e_package gtp = {
	.version = {1, 0, 3, 1},
	.name = "GTPv1-C/U IPv4/IPv6 payload",
	.sections = sections,
	.n_sections = COUNT(sections),
	.protocols = protocols,
	.n_protocols = COUNT(protocols),
	.pctypes = {pctypes, COUNT(pctypes)},
	.ptypes = {ptypes, COUNT(ptypes)},
	.notes = "Hash input set for GTPC is TEID",
};

const struct ddp_package i40e_gtp = {
	.version = {1, 0, 3, 0},
	.name = "GTP",
	.track_id = I40E_GTP,
	.devices = devices,
	.n_devices = COUNT(devices),
	.nvm_versions = nvms,
	.n_nvm_versions = COUNT(nvms),
	.i40e = &gtp,
};

struct ddp_package *i40e_write_gtp(uint32_t track_id) {
	struct ddp_package description = i40e_gtp, *package;
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t size;

	description.track_id = track_id;
	bytes = i40e_write(&description, &size);
	ddp_diag_init(&diag);
	package = ddp_package_read("gtp.pkgo", bytes, size, &diag);
	assert(package != NULL);
	ddp_diag_fini(&diag);
	free(bytes);
	return package;
}
