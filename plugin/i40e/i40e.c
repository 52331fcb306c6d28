/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series profile package, read and checked.
#include "i40e.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "i40e_file.h"
#include "package/read.h"

#define IDS_MAX 256 // that 8 bits can tell apart

// A part of the file that is being read, by offsets from the start of the file.
struct span {
	uint64_t start, end;
};

struct profile_reader {
	struct package_reader *reader;
	struct i40e_package *i40e;
	const uint8_t *bytes; // of the file
	struct span segment;  // the profile's
	uint64_t tables_end;  // of the last table before the sections

	// the first sections of their types, NULL for none
	const struct i40e_section *protocols, *pctypes, *ptypes;
};

/* Tables of the segment */

// The table at offset: a count, and items of item_size. Where it ends, or 0 if it runs off the
// segment.
static uint64_t table_end(struct profile_reader *profile, uint64_t offset, unsigned int item_size,
			  const char *name) {
	uint64_t end, space;
	uint32_t n;

	if (offset + 4 > profile->segment.end) {
		reader_error(profile->reader, offset, "the segment ends before its %s", name);
		return 0;
	}
	n = le32_get(profile->bytes + offset);
	end = offset + 4 + (uint64_t)n * item_size;
	space = profile->segment.end - offset - 4;
	if (end > profile->segment.end) {
		reader_error(profile->reader, offset,
			     "the %s of %" PRIu32 " entries needs %" PRIu64
			     " bytes, the segment has %" PRIu64 " left",
			     name, n, (uint64_t)n * item_size, space);
		return 0;
	}
	return end;
}

static struct i40e_device device_get(const uint8_t *bytes) {
	uint32_t id = le32_get(bytes), sub_id = le32_get(bytes + 4);

	return (struct i40e_device){
		.vendor = id >> 16,
		.device = id,
		.sub_vendor = sub_id >> 16,
		.sub_device = sub_id,
	};
}

// Where the table ends, or 0.
static uint64_t devices_read(struct profile_reader *profile, uint64_t offset) {
	struct i40e_package *i40e = profile->i40e;
	uint64_t end = table_end(profile, offset, DEVICE_SIZE, "device table");

	if (end == 0)
		return 0;
	i40e->n_devices = le32_get(profile->bytes + offset);
	i40e->devices = ddp_arena_alloc(profile->reader->package->arena,
					i40e->n_devices * sizeof(*i40e->devices));
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		i40e->devices[i] = device_get(profile->bytes + offset + 4 + DEVICE_SIZE * i);
	return end;
}

// Where the table ends, or 0.
static uint64_t nvms_read(struct profile_reader *profile, uint64_t offset) {
	struct i40e_package *i40e = profile->i40e;
	uint64_t end = table_end(profile, offset, 4, "table of NVM versions");

	if (end == 0)
		return 0;
	i40e->n_nvms = le32_get(profile->bytes + offset);
	i40e->nvms = ddp_arena_alloc(profile->reader->package->arena,
				     i40e->n_nvms * sizeof(*i40e->nvms));
	for (unsigned int i = 0; i < i40e->n_nvms; i++)
		i40e->nvms[i] = le32_get(profile->bytes + offset + 4 + 4 * i);
	return end;
}

/* Lists within a section */

// The record at offset in a section: its length in bytes, or 0 if drivers would not get past it.
static uint64_t record_len(struct profile_reader *profile, uint64_t offset, uint64_t end) {
	uint64_t len = (uint64_t)le16_get(profile->bytes + offset + 2) * RECORD_SIZE;

	if (len == 0)
		reader_error(profile->reader, offset + 2, "a record of length 0");
	else if (len > end - offset)
		reader_error(profile->reader, offset + 2,
			     "a record of %" PRIu64 " bytes where the section has %" PRIu64 " left",
			     len, end - offset);
	return len <= end - offset ? len : 0;
}

static void protocol_read(struct profile_reader *profile, uint64_t offset, uint64_t len) {
	const uint8_t *bytes = profile->bytes + offset + RECORD_HEADER_SIZE;
	const uint8_t *name = bytes + 1;
	size_t room = len - RECORD_HEADER_SIZE - 1, name_len = strnlen((const char *)name, room);
	struct i40e_package *i40e = profile->i40e;
	struct i40e_protocol *protocol;

	if (name_len == room) {
		reader_error(profile->reader, offset + RECORD_HEADER_SIZE + 1,
			     "the name of protocol %u does not end within its record", bytes[0]);
		return;
	}
	if (name_len >= I40E_PROTOCOL_NAME_SIZE) {
		reader_error(profile->reader, offset + RECORD_HEADER_SIZE + 1,
			     "the name of protocol %u has %zu characters, more than %u", bytes[0],
			     name_len, I40E_PROTOCOL_NAME_SIZE - 1);
		return;
	}
	protocol = DDP_APPEND(profile->reader->package->arena, i40e->protocols, i40e->n_protocols);
	protocol->id = bytes[0];
	memcpy(protocol->name, name, name_len);
}

static struct i40e_type type_get(const uint8_t *record) {
	struct i40e_type type = {.id = record[RECORD_HEADER_SIZE]};

	memcpy(type.protocols, record + RECORD_HEADER_SIZE + 1, sizeof(type.protocols));
	return type;
}

static void pctype_read(struct profile_reader *profile, uint64_t offset, uint64_t len) {
	struct i40e_package *i40e = profile->i40e;

	(void)len;
	*DDP_APPEND(profile->reader->package->arena, i40e->pctypes, i40e->n_pctypes) =
		type_get(profile->bytes + offset);
}

static void ptype_read(struct profile_reader *profile, uint64_t offset, uint64_t len) {
	struct i40e_package *i40e = profile->i40e;

	(void)len;
	*DDP_APPEND(profile->reader->package->arena, i40e->ptypes, i40e->n_ptypes) =
		type_get(profile->bytes + offset);
}

typedef void (*record_fn)(struct profile_reader *profile, uint64_t offset, uint64_t len);

static void records_read(struct profile_reader *profile, const struct i40e_section *section,
			 record_fn record_read) {
	uint64_t offset = section->offset + SECTION_HEADER_SIZE;
	uint64_t end = offset + section->size / RECORD_SIZE * RECORD_SIZE, len;

	if (section->size % RECORD_SIZE != 0)
		reader_warn(profile->reader, end,
			    "%" PRIu32 " bytes after the last record of the section",
			    section->size % RECORD_SIZE);
	for (; offset < end; offset += len) {
		len = record_len(profile, offset, end);
		if (len == 0)
			return;
		record_read(profile, offset, len);
	}
}

/* Sections */

// An admin queue command: its data must be in the section, for drivers send what datalen says.
static void command_check(struct profile_reader *profile, const struct i40e_section *section) {
	uint64_t offset = section->offset + SECTION_HEADER_SIZE;
	uint16_t data_len;

	if (section->size < COMMAND_SIZE) {
		reader_error(profile->reader, section->offset + SECTION_SIZE_AT,
			     "%" PRIu32 " bytes are too few for an admin queue command",
			     section->size);
		return;
	}
	data_len = le16_get(section->data + COMMAND_DATA_LEN_AT);
	if (data_len > section->size - COMMAND_SIZE)
		reader_error(profile->reader, offset + COMMAND_DATA_LEN_AT,
			     "an admin queue command with %u bytes of data, where the section has "
			     "%" PRIu32,
			     data_len, section->size - COMMAND_SIZE);
}

static void list_read(struct profile_reader *profile, const struct i40e_section *section,
		      const struct i40e_section **first, record_fn record_read) {
	if (*first == NULL) {
		*first = section;
		records_read(profile, section, record_read);
	} else {
		reader_warn(profile->reader, section->offset,
			    "a second section 0x%" PRIx32 ": drivers see the first only",
			    section->type);
	}
}

static void content_read(struct profile_reader *profile, const struct i40e_section *section) {
	struct i40e_package *i40e = profile->i40e;

	switch (section->type) {
	case I40E_MMIO:
		i40e->has_mmio = true;
		break;
	case I40E_RB_MMIO:
		i40e->is_rollback = true;
		break;
	case I40E_RB_AQ:
		i40e->is_rollback = true;
		i40e->has_aq = true;
		break;
	case I40E_AQ:
		i40e->has_aq = true;
		command_check(profile, section);
		break;
	case I40E_PROTOCOL:
		list_read(profile, section, &profile->protocols, protocol_read);
		break;
	case I40E_PCTYPE:
		list_read(profile, section, &profile->pctypes, pctype_read);
		break;
	case I40E_PTYPE:
		list_read(profile, section, &profile->ptypes, ptype_read);
		break;
	}
}

// The section whose offset, from the start of the segment, is at entry of the section table.
static void section_read(struct profile_reader *profile, uint64_t entry) {
	struct i40e_package *i40e = profile->i40e;
	uint64_t start = profile->segment.start + le32_get(profile->bytes + entry);
	struct i40e_section *section;
	uint32_t size;

	if (start < profile->tables_end || start + SECTION_HEADER_SIZE > profile->segment.end) {
		reader_error(profile->reader, entry,
			     "a section at 0x%" PRIx64
			     ", where the segment's sections are 0x%" PRIx64 " to 0x%" PRIx64,
			     start, profile->tables_end, profile->segment.end);
		return;
	}
	size = le32_get(profile->bytes + start + SECTION_SIZE_AT);
	if (size > profile->segment.end - start - SECTION_HEADER_SIZE) {
		reader_error(profile->reader, start + SECTION_SIZE_AT,
			     "a section of %" PRIu32 " bytes where the segment has %" PRIu64
			     " left",
			     size, profile->segment.end - start - SECTION_HEADER_SIZE);
		return;
	}
	section = &i40e->sections[i40e->n_sections++];
	section->type = le32_get(profile->bytes + start + SECTION_TYPE_AT);
	section->offset = start;
	section->size = size;
	section->data = profile->bytes + start + SECTION_HEADER_SIZE;
}

static int by_offset(const void *a, const void *b) {
	const struct i40e_section *const *x = a, *const *y = b;

	return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

// A section in two places of the table is an overlap, too: drivers would write it twice.
static void overlaps_check(struct profile_reader *profile) {
	const struct i40e_package *i40e = profile->i40e;
	const struct i40e_section **sorted;

	if (i40e->n_sections == 0)
		return;
	sorted = ddp_arena_alloc(profile->reader->package->arena,
				 i40e->n_sections * sizeof(const struct i40e_section *));
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		sorted[i] = &i40e->sections[i];
	qsort(sorted, i40e->n_sections, sizeof(*sorted), by_offset);
	for (unsigned int i = 1; i < i40e->n_sections; i++)
		if ((uint64_t)sorted[i - 1]->offset + SECTION_HEADER_SIZE + sorted[i - 1]->size >
		    sorted[i]->offset)
			reader_error(profile->reader, sorted[i]->offset,
				     "this section overlaps the one at 0x%" PRIx32,
				     sorted[i - 1]->offset);
}

static void sections_read(struct profile_reader *profile, uint64_t offset) {
	struct i40e_package *i40e = profile->i40e;
	uint32_t n;

	i40e->section_table_at = offset;
	profile->tables_end = table_end(profile, offset, 4, "section table");
	if (profile->tables_end == 0)
		return;
	n = le32_get(profile->bytes + offset);
	if (n > (profile->segment.end - profile->tables_end) / SECTION_HEADER_SIZE) {
		reader_error(profile->reader, offset,
			     "%" PRIu32 " sections do not fit a segment that has %" PRIu64
			     " bytes left",
			     n, profile->segment.end - profile->tables_end);
		return;
	}
	i40e->sections =
		ddp_arena_alloc(profile->reader->package->arena, n * sizeof(*i40e->sections));
	for (uint32_t i = 0; i < n; i++)
		section_read(profile, offset + 4 + 4 * (uint64_t)i);
	overlaps_check(profile);
	if (profile->reader->n_errors > 0)
		return;
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		content_read(profile, &i40e->sections[i]);
}

/* Segments */

static bool is_named(const struct i40e_package *i40e, const struct i40e_type *type) {
	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++)
		if (type->protocols[i] != I40E_NO_PROTOCOL &&
		    i40e_protocol_find(i40e, type->protocols[i]) != NULL)
			return true;
	return false;
}

static void list_check(struct profile_reader *profile, const struct i40e_section *section,
		       const char *name, unsigned int n, unsigned int max) {
	if (n > max)
		reader_error(profile->reader, section->offset, "%u %s: drivers take %u at most", n,
			     name, max);
}

// Where DPDK's names of pctypes end up without a character, it cuts off the last one all the same.
static void names_check(struct profile_reader *profile) {
	const struct i40e_package *i40e = profile->i40e;

	for (unsigned int i = 0; i < i40e->n_pctypes && i40e->n_protocols > 0; i++)
		if (!is_named(i40e, &i40e->pctypes[i]))
			reader_error(profile->reader, profile->pctypes->offset,
				     "no protocol of pctype %u has a name", i40e->pctypes[i].id);
}

static void lists_check(struct profile_reader *profile) {
	const struct i40e_package *i40e = profile->i40e;

	list_check(profile, profile->protocols, "protocols", i40e->n_protocols, IDS_MAX);
	list_check(profile, profile->pctypes, "pctypes", i40e->n_pctypes, I40E_PCTYPES_MAX);
	list_check(profile, profile->ptypes, "ptypes", i40e->n_ptypes, IDS_MAX);
	if (profile->reader->n_errors == 0)
		names_check(profile);
}

static void profile_read(struct package_reader *reader, const struct ddp_segment *segment) {
	struct i40e_package *i40e = reader->package->i40e;
	struct profile_reader profile = {
		.reader = reader,
		.i40e = i40e,
		.bytes = reader->package->bytes,
		.segment = {segment->offset, (uint64_t)segment->offset + segment->size},
	};
	const uint8_t *bytes = profile.bytes + segment->offset;
	uint64_t end;

	if (segment->size < PROFILE_SIZE) {
		reader_error(reader, segment->offset + 8,
			     "the profile's segment has %" PRIu32 " bytes, less than %u",
			     segment->size, PROFILE_SIZE);
		return;
	}
	i40e->segment_at = segment->offset;
	i40e->is_x722 = segment->type == SEGMENT_X722;
	i40e->version = version_get(bytes + SEGMENT_HEADER_SIZE);
	package_text(i40e->name, bytes + SEGMENT_HEADER_SIZE + 4, DDP_PACKAGE_NAME_SIZE - 1);
	end = devices_read(&profile, segment->offset + PROFILE_DEVICES_AT);
	if (end > 0)
		end = nvms_read(&profile, end);
	if (end > 0)
		sections_read(&profile, end);
	lists_check(&profile);
}

// DPDK copies as many bytes from behind the segment's header as the whole segment has.
static void notes_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;
	const struct ddp_segment *segment = segment_find(package, SEGMENT_NOTES);
	const char *text;

	if (segment == NULL)
		return;
	if ((uint64_t)segment->offset + SEGMENT_HEADER_SIZE + segment->size > package->size) {
		reader_error(reader, segment->offset + 8,
			     "the notes segment of %" PRIu32
			     " bytes: drivers would read as many after its header, "
			     "the file has %" PRIu64,
			     segment->size,
			     (uint64_t)package->size - segment->offset - SEGMENT_HEADER_SIZE);
		return;
	}
	text = (const char *)package->bytes + segment->offset + SEGMENT_HEADER_SIZE;
	package->i40e->notes = ddp_arena_strndup(
		package->arena, text, strnlen(text, segment->size - SEGMENT_HEADER_SIZE));
}

int i40e_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;
	const struct ddp_segment *segment = segment_find(package, SEGMENT_I40E);

	package->kind = DDP_PACKAGE_I40E;
	package->i40e = ddp_arena_alloc(package->arena, sizeof(*package->i40e));
	if (segment == NULL)
		segment = segment_find(package, SEGMENT_X722);
	if (metadata_read(reader) == -ENOENT)
		reader_error(reader, 4, "there is no metadata segment, which has the track id");
	profile_read(reader, segment);
	notes_read(reader);
	if (reader->n_errors > 0)
		return -EBADMSG;
	return 0;
}
