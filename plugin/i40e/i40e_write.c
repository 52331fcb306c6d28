/* SPDX-License-Identifier: BSD-3-Clause */
// The file of a 700-series package, from what it shall hold.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "i40e.h"
#include "i40e_file.h"
#include "package/read.h"

// A file that grows. Once a piece does not fit, error is set and what follows has no effect.
struct file {
	uint8_t *bytes;
	size_t size;
	size_t room;
	int error;
};

// Zeros at the end of the file; where they begin.
static size_t file_extend(struct file *file, size_t size) {
	size_t start = file->size, room = file->room > 0 ? file->room : 1024;
	uint8_t *grown;

	if (file->error != 0)
		return 0;
	if (size > UINT32_MAX - start) {
		file->error = -EINVAL;
		return 0;
	}
	while (room < start + size)
		room *= 2;
	if (room != file->room) {
		grown = realloc(file->bytes, room);
		if (grown == NULL) {
			file->error = -ENOMEM;
			return 0;
		}
		memset(grown + file->room, 0, room - file->room);
		file->bytes = grown;
		file->room = room;
	}
	file->size += size;
	return start;
}

static void le16_put(uint8_t *bytes, uint16_t value) {
	bytes[0] = value;
	bytes[1] = value >> 8;
}

static void file_u32_set(struct file *file, size_t offset, uint32_t value) {
	if (file->error != 0)
		return;
	le16_put(file->bytes + offset, value);
	le16_put(file->bytes + offset + 2, value >> 16);
}

static void file_u32_add(struct file *file, uint32_t value) {
	size_t offset = file_extend(file, 4);

	file_u32_set(file, offset, value);
}

static void file_bytes_add(struct file *file, const void *bytes, size_t size) {
	size_t offset = file_extend(file, size);

	if (file->error == 0 && size > 0)
		memcpy(file->bytes + offset, bytes, size);
}

static void file_align(struct file *file) {
	file_extend(file, -file->size % I40E_SEGMENT_ALIGN);
}

static void version_add(struct file *file, struct ddp_version version) {
	const uint8_t bytes[] = {version.major, version.minor, version.update, version.draft};

	file_bytes_add(file, bytes, sizeof(bytes));
}

// 32 bytes, without a NUL where the name has as many.
static void name_add(struct file *file, const char name[DDP_PACKAGE_NAME_SIZE]) {
	char padded[DDP_PACKAGE_NAME_SIZE - 1] = {0};

	memcpy(padded, name, strnlen(name, sizeof(padded)));
	file_bytes_add(file, padded, sizeof(padded));
}

/* Sections */

// A record of a list: its bytes are filled up to whole units.
static void record_add(struct file *file, const uint8_t *data, size_t size) {
	size_t len = (RECORD_HEADER_SIZE + size + RECORD_SIZE - 1) / RECORD_SIZE;
	size_t offset = file_extend(file, len * RECORD_SIZE);

	if (file->error != 0)
		return;
	le16_put(file->bytes + offset + RECORD_LEN_AT, len);
	memcpy(file->bytes + offset + RECORD_HEADER_SIZE, data, size);
}

static void protocols_add(struct file *file, const struct i40e_package *i40e) {
	for (unsigned int i = 0; i < i40e->n_protocols; i++) {
		const struct i40e_protocol *protocol = &i40e->protocols[i];
		size_t len = strnlen(protocol->name, sizeof(protocol->name));
		uint8_t data[1 + I40E_PROTOCOL_NAME_SIZE] = {protocol->id};

		if (len == sizeof(protocol->name)) {
			file->error = -EINVAL;
			return;
		}
		memcpy(data + 1, protocol->name, len);
		record_add(file, data, 1 + len + 1);
	}
}

static void types_add(struct file *file, const struct i40e_type *types, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		uint8_t data[1 + I40E_TYPE_PROTOCOLS] = {types[i].id};

		memcpy(data + 1, types[i].protocols, sizeof(types[i].protocols));
		record_add(file, data, sizeof(data));
	}
}

static void section_data_add(struct file *file, const struct i40e_package *i40e,
			     const struct i40e_section *section) {
	if (section->data != NULL)
		file_bytes_add(file, section->data, section->size);
	else if (section->type == I40E_PROTOCOL)
		protocols_add(file, i40e);
	else if (section->type == I40E_PCTYPE)
		types_add(file, i40e->pctypes, i40e->n_pctypes);
	else if (section->type == I40E_PTYPE)
		types_add(file, i40e->ptypes, i40e->n_ptypes);
	else if (section->size > 0 && file->error == 0)
		file->error = -EINVAL;
}

static void section_add(struct file *file, const struct i40e_package *i40e,
			const struct i40e_section *section) {
	size_t start = file_extend(file, SECTION_HEADER_SIZE);
	size_t size;

	section_data_add(file, i40e, section);
	size = file->size - start;
	if (file->error != 0)
		return;
	le16_put(file->bytes + start, 1); // tables in it
	le16_put(file->bytes + start + SECTION_DATA_END_AT, size);
	file_u32_set(file, start + SECTION_TYPE_AT, section->type);
	file_u32_set(file, start + SECTION_OFFSET_AT, SECTION_HEADER_SIZE);
	file_u32_set(file, start + SECTION_SIZE_AT, size - SECTION_HEADER_SIZE);
	file_extend(file, -file->size % 4);
}

/* Segments */

// Where the segment begins; its size comes with its end.
static size_t segment_begin(struct file *file, uint32_t type, struct ddp_version version,
			    const char *name) {
	size_t start;

	file_align(file);
	start = file->size;
	file_u32_add(file, type);
	version_add(file, version);
	file_u32_add(file, 0);
	name_add(file, name);
	return start;
}

static void segment_end(struct file *file, size_t start) {
	file_u32_set(file, start + 8, file->size - start);
}

static size_t metadata_add(struct file *file, const struct ddp_package *package) {
	size_t start = segment_begin(file, SEGMENT_METADATA, package->version, package->name);

	version_add(file, package->version);
	file_u32_add(file, package->track_id);
	name_add(file, package->name);
	segment_end(file, start);
	return start;
}

static size_t notes_add(struct file *file, const struct ddp_package *package) {
	size_t start = segment_begin(file, SEGMENT_NOTES, package->version, package->name);

	file_bytes_add(file, package->i40e->notes, strlen(package->i40e->notes) + 1);
	segment_end(file, start);
	return start;
}

static size_t profile_add(struct file *file, const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;
	uint32_t type = i40e->is_x722 ? SEGMENT_X722 : SEGMENT_I40E;
	size_t start = segment_begin(file, type, i40e->version, i40e->name), table;

	version_add(file, i40e->version);
	name_add(file, i40e->name);
	file_u32_add(file, i40e->n_devices);
	for (unsigned int i = 0; i < i40e->n_devices; i++) {
		const struct i40e_device *device = &i40e->devices[i];

		file_u32_add(file, (uint32_t)device->vendor << 16 | device->device);
		file_u32_add(file, (uint32_t)device->sub_vendor << 16 | device->sub_device);
	}
	file_u32_add(file, i40e->n_nvms);
	for (unsigned int i = 0; i < i40e->n_nvms; i++)
		file_u32_add(file, i40e->nvms[i]);
	file_u32_add(file, i40e->n_sections);
	table = file_extend(file, 4 * (size_t)i40e->n_sections);
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		file_u32_set(file, table + 4 * (size_t)i, file->size - start);
		section_add(file, i40e, &i40e->sections[i]);
	}
	segment_end(file, start);
	return start;
}

int i40e_write(const struct ddp_package *package, uint8_t **bytes, size_t *size) {
	uint32_t n_segments = package->i40e->notes != NULL ? 3 : 2, entry = 0;
	const struct ddp_version header_version = {.minor = 1}; // Linux wants major 0
	struct file file = {0};
	size_t list;

	version_add(&file, header_version);
	file_u32_add(&file, n_segments);
	list = file_extend(&file, 4 * (size_t)n_segments);
	file_u32_set(&file, list + 4 * entry++, metadata_add(&file, package));
	if (package->i40e->notes != NULL) // not at the end: see notes_read()
		file_u32_set(&file, list + 4 * entry++, notes_add(&file, package));
	file_u32_set(&file, list + 4 * entry++, profile_add(&file, package));
	if (file.error != 0) {
		free(file.bytes);
		return file.error;
	}
	*bytes = file.bytes;
	*size = file.size;
	return 0;
}

/* Rollback */

// Where the parts of both files differ that no driver changes, or size if they do not.
static size_t difference_find(const struct ddp_package *package, const uint8_t *readback,
			      const uint8_t *changed) {
	for (size_t i = 0; i < package->size; i++)
		if (readback[i] != package->bytes[i] && !changed[i])
			return i;
	return package->size;
}

// Take the register sections of readback into bytes. The offset of one that was not read back, or
// size.
static size_t registers_take(const struct ddp_package *package, const uint8_t *readback,
			     uint8_t *bytes, uint8_t *changed) {
	for (unsigned int i = 0; i < package->i40e->n_sections; i++) {
		const struct i40e_section *section = &package->i40e->sections[i];
		size_t data = section->offset + SECTION_HEADER_SIZE;

		if (section->type != I40E_MMIO)
			continue;
		if (le32_get(readback + section->offset + SECTION_TYPE_AT) != I40E_RB_MMIO)
			return section->offset;
		le16_put(bytes + section->offset + SECTION_TYPE_AT, I40E_RB_MMIO);
		memcpy(bytes + data, readback + data, section->size);
		memset(changed + section->offset, 1, SECTION_HEADER_SIZE + section->size);
	}
	return package->size;
}

// 0 with the rollback file in bytes, or -EINVAL.
static int rollback_make(const struct ddp_package *package, const uint8_t *readback, uint8_t *bytes,
			 uint8_t *changed, struct ddp_diag *diag) {
	struct ddp_place place = {.file = package->path, .col = DDP_PLACE_BYTE};

	place.line = registers_take(package, readback, bytes, changed);
	if (place.line < package->size) {
		ddp_error(diag, &place, "these registers were not read back");
		return -EINVAL;
	}
	place.line = difference_find(package, readback, changed);
	if (place.line < package->size) {
		ddp_error(diag, &place, "what was read back is of another file");
		return -EINVAL;
	}
	return 0;
}

int i40e_rollback(const struct ddp_package *package, const void *readback, size_t readback_size,
		  uint8_t **bytes, size_t *size, struct ddp_diag *diag) {
	struct ddp_place place = {.file = package->path};
	uint8_t *copy, *changed;
	int ret;

	if (i40e_rollback_verdict(package).error != 0)
		return -ENOTSUP;
	if (readback_size != package->size) {
		ddp_error(diag, &place, "%zu bytes were read back, the file has %zu", readback_size,
			  package->size);
		return -EINVAL;
	}
	copy = malloc(package->size);
	changed = calloc(1, package->size);
	if (copy == NULL || changed == NULL) {
		ret = -ENOMEM;
		goto free_copy;
	}
	memcpy(copy, package->bytes, package->size);
	ret = rollback_make(package, readback, copy, changed, diag);
	if (ret < 0)
		goto free_copy;
	*bytes = copy;
	*size = package->size;
	free(changed);
	return 0;

free_copy:
	free(changed);
	free(copy);
	return ret;
}
