/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "i40e/i40e.h"
#include "i40e_write.h"
#include "package/read.h"
#include "personality/personality.h"
#include "small_package.h"

#define FILE_MAX (1 << 19)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct file {
	uint8_t *bytes; // zeros behind size
	size_t size;
	unsigned int align; // of segments
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
	put32(extend(file, 4), value);
}

// 32 bytes, without a NUL where the name has as many.
static void name_add(struct file *file, const char *name) {
	memcpy(extend(file, 32), name, strnlen(name, 32));
}

// A segment whose offset goes to entry of the file's list.
static uint8_t *segment_begin(struct file *file, unsigned int entry, uint32_t type,
			      struct ddp_version version, const char *name) {
	uint8_t *start;

	extend(file, -file->size & (file->align - 1));
	put32(file->bytes + 8 + 4 * entry, file->size);
	start = file->bytes + file->size;
	u32_add(file, type);
	bytes_add(file, &version, sizeof(version));
	u32_add(file, 0); // its size
	name_add(file, name);
	return start;
}

static void segment_end(struct file *file, uint8_t *start) {
	put32(start + 8, file->bytes + file->size - start);
}

// The header of the file, and the metadata, which both families have.
static struct file file_begin(unsigned int align, struct ddp_version format,
			      unsigned int n_segments, struct ddp_version version,
			      uint32_t track_id, const char *name) {
	struct file file = {.bytes = calloc(1, FILE_MAX), .align = align};
	uint8_t *start;

	assert(file.bytes != NULL);
	bytes_add(&file, &format, sizeof(format));
	u32_add(&file, n_segments);
	extend(&file, 4 * (size_t)n_segments);
	start = segment_begin(&file, 0, SEGMENT_METADATA, version, name);
	bytes_add(&file, &version, sizeof(version));
	u32_add(&file, track_id);
	name_add(&file, name);
	segment_end(&file, start);
	return file;
}

/* 800 series */

#define NAME "Test Package"
#define BUFFER_SIZE 4096

static const struct ddp_version version_1 = {1, 0, 0, 0}, build_version = {1, 3, 7, 1};

struct buffer {
	unsigned int n_sections;
	struct {
		uint32_t id;
		uint16_t from, size; // in data
	} sections[64];
	size_t size;
	uint8_t data[BUFFER_SIZE];
};

struct build {
	struct file file;
	struct buffer buffers[64];
	unsigned int n_buffers;
	struct {
		uint32_t type;
		const char *name;
		const void *payload;
		size_t size;
	} segments[8];
	unsigned int n_segments;
	uint16_t device, vendor;
	bool has_identity;
};

struct build *build_create(void) {
	struct build *build = calloc(1, sizeof(*build));

	assert(build != NULL);
	return build;
}

void build_destroy(struct build *build) {
	free(build->file.bytes);
	free(build);
}

void build_device(struct build *build, uint16_t device, uint16_t vendor) {
	build->device = device;
	build->vendor = vendor;
}

void build_segment(struct build *build, uint32_t type, const char *name, const void *payload,
		   size_t size) {
	unsigned int i = build->n_segments++;

	assert(i < COUNT(build->segments));
	build->segments[i].type = type;
	build->segments[i].name = name;
	build->segments[i].payload = payload;
	build->segments[i].size = size;
}

void build_buffer(struct build *build) {
	assert(build->n_buffers < COUNT(build->buffers));
	build->n_buffers++;
}

static void identity_add(struct build *build) {
	uint8_t bytes[36] = {1, 3, 7, 1};

	strcpy((char *)bytes + 4, NAME);
	put32(bytes + 32, DDP_TRACK_OS_DEFAULT);
	build_section(build, 1, bytes, sizeof(bytes));
}

static size_t list_size(unsigned int n_sections) {
	return 4 + 8 * (size_t)n_sections;
}

void build_section(struct build *build, uint32_t id, const void *bytes, size_t size) {
	struct buffer *buffer;
	unsigned int i;

	if (id == 1)
		build->has_identity = true;
	if (!build->has_identity)
		identity_add(build);
	if (build->n_buffers == 0)
		build_buffer(build);
	buffer = &build->buffers[build->n_buffers - 1];
	if (buffer->n_sections == COUNT(buffer->sections) ||
	    list_size(buffer->n_sections + 1) + buffer->size + size > BUFFER_SIZE) {
		build_buffer(build);
		buffer++;
	}
	assert(list_size(1) + size <= BUFFER_SIZE);
	i = buffer->n_sections++;
	buffer->sections[i].id = id;
	buffer->sections[i].from = buffer->size;
	buffer->sections[i].size = size;
	memcpy(buffer->data + buffer->size, bytes, size);
	buffer->size += size;
}

static void counted(struct build *build, uint32_t id, const uint8_t *head, size_t head_size,
		    const void *entries, size_t size) {
	uint8_t bytes[BUFFER_SIZE];

	assert(head_size + size <= sizeof(bytes));
	memcpy(bytes, head, head_size);
	memcpy(bytes + head_size, entries, size);
	build_section(build, id, bytes, head_size + size);
}

void build_table(struct build *build, uint32_t id, uint16_t first, const void *entries,
		 size_t entry_size, uint16_t n) {
	uint8_t head[4];

	put32(head, (uint32_t)first << 16 | n);
	counted(build, id, head, sizeof(head), entries, n * entry_size);
}

void build_list(struct build *build, uint32_t id, const void *entries, size_t entry_size,
		uint16_t n) {
	uint8_t head[2];

	put16(head, n);
	counted(build, id, head, sizeof(head), entries, n * entry_size);
}

void build_label(struct build *build, uint32_t id, uint16_t value, const char *name) {
	uint8_t entry[66] = {value, value >> 8};

	assert(strlen(name) <= sizeof(entry) - 2);
	memcpy(entry + 2, name, strlen(name));
	build_list(build, id, entry, sizeof(entry), 1);
}

static void buffer_write(struct file *file, const struct buffer *buffer) {
	uint8_t *at = extend(file, BUFFER_SIZE);
	size_t list = list_size(buffer->n_sections);

	put16(at, buffer->n_sections);
	put16(at + 2, list + buffer->size);
	for (unsigned int i = 0; i < buffer->n_sections; i++) {
		put32(at + list_size(i), buffer->sections[i].id);
		put16(at + list_size(i) + 4, list + buffer->sections[i].from);
		put16(at + list_size(i) + 6, buffer->sections[i].size);
	}
	memcpy(at + list, buffer->data, buffer->size);
}

uint8_t *build_end(struct build *build, size_t *size) {
	struct file *file = &build->file;
	uint8_t *start;

	if (!build->has_identity)
		identity_add(build);
	free(file->bytes);
	*file = file_begin(1, version_1, 2 + build->n_segments, build_version, UINT32_MAX, NAME);
	start = segment_begin(file, 1, SEGMENT_E810, version_1, "ICE Configuration Data");
	u32_add(file, build->device != 0);
	if (build->device != 0) {
		u32_add(file, (uint32_t)build->vendor << 16 | build->device);
		u32_add(file, 0);
	}
	u32_add(file, 0); // NVM versions
	u32_add(file, build->n_buffers);
	for (unsigned int i = 0; i < build->n_buffers; i++)
		buffer_write(file, &build->buffers[i]);
	segment_end(file, start);
	for (unsigned int i = 0; i < build->n_segments; i++) {
		start = segment_begin(file, 2 + i, build->segments[i].type, version_1,
				      build->segments[i].name);
		bytes_add(file, build->segments[i].payload, build->segments[i].size);
		segment_end(file, start);
	}
	*size = file->size;
	return file->bytes;
}

/* 700 series */

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

static void section_add(struct file *file, const struct i40e_package *i40e,
			const struct i40e_section *section) {
	uint8_t *start = extend(file, SECTION_HEADER_SIZE);
	size_t size;

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
	size = file->bytes + file->size - start;
	start[0] = 1; // tables in it
	put16(start + SECTION_DATA_END_AT, size);
	put32(start + SECTION_TYPE_AT, section->type);
	put32(start + SECTION_OFFSET_AT, SECTION_HEADER_SIZE);
	put32(start + SECTION_SIZE_AT, size - SECTION_HEADER_SIZE);
	extend(file, -file->size % 4);
}

uint8_t *i40e_write(const struct ddp_package *package, size_t *size) {
	const struct i40e_package *i40e = package->i40e;
	const bool has_notes = i40e->notes != NULL;
	struct file file = file_begin(16, (struct ddp_version){.minor = 1}, has_notes ? 3 : 2,
				      package->version, package->track_id, package->name);
	uint8_t *start, *table;

	if (has_notes) { // not at the end: see notes_read()
		start = segment_begin(&file, 1, SEGMENT_NOTES, package->version, package->name);
		bytes_add(&file, i40e->notes, strlen(i40e->notes) + 1);
		segment_end(&file, start);
	}
	start = segment_begin(&file, has_notes ? 2 : 1, SEGMENT_I40E, i40e->version, i40e->name);
	bytes_add(&file, &i40e->version, sizeof(i40e->version));
	name_add(&file, i40e->name);
	u32_add(&file, package->n_devices);
	for (unsigned int i = 0; i < package->n_devices; i++) {
		const struct ddp_device *device = &package->devices[i];

		u32_add(&file, (uint32_t)device->vendor << 16 | device->device);
		u32_add(&file, (uint32_t)device->sub_vendor << 16 | device->sub_device);
	}
	u32_add(&file, package->n_nvm_versions);
	for (unsigned int i = 0; i < package->n_nvm_versions; i++)
		u32_add(&file, package->nvm_versions[i]);
	u32_add(&file, i40e->n_sections);
	table = extend(&file, 4 * (size_t)i40e->n_sections);
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		put32(table + 4 * (size_t)i, file.bytes + file.size - start);
		section_add(&file, i40e, &i40e->sections[i]);
	}
	segment_end(&file, start);
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
