/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series profile package, read and checked.
#include "i40e.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "package/read.h"

#define IDS_MAX 256 // values of 8 bits

struct profile_reader {
	struct package_reader *reader;
	struct ddp_arena *arena;
	struct i40e_package *i40e;
	const uint8_t *bytes; // of the file
	uint64_t start, end;  // of the profile's segment
	uint64_t tables_end;  // of the last table before the sections

	const struct i40e_section *lists[3]; // the first section of each type, NULL for none
};

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
	size_t room = len - RECORD_HEADER_SIZE - 1;
	size_t name_len = strnlen((const char *)bytes + 1, room);
	struct i40e_package *i40e = profile->i40e;
	struct i40e_protocol *protocol;

	if (name_len == room || name_len >= I40E_PROTOCOL_NAME_SIZE) {
		reader_error(profile->reader, offset + RECORD_HEADER_SIZE + 1,
			     "the name of protocol %u does not end within its record and %u "
			     "characters",
			     bytes[0], I40E_PROTOCOL_NAME_SIZE - 1);
		return;
	}
	protocol = DDP_APPEND(profile->arena, i40e->protocols, i40e->n_protocols);
	protocol->id = bytes[0];
	memcpy(protocol->name, bytes + 1, name_len);
}

static void type_read(struct profile_reader *profile, struct i40e_types *types, uint64_t offset) {
	const uint8_t *bytes = profile->bytes + offset + RECORD_HEADER_SIZE;
	struct i40e_type *type = DDP_APPEND(profile->arena, types->types, types->n);

	type->id = bytes[0];
	memcpy(type->protocols, bytes + 1, sizeof(type->protocols));
}

static void records_read(struct profile_reader *profile, const struct i40e_section *section) {
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
		if (section->type == I40E_PROTOCOL)
			protocol_read(profile, offset, len);
		else if (section->type == I40E_PCTYPE)
			type_read(profile, &profile->i40e->pctypes, offset);
		else
			type_read(profile, &profile->i40e->ptypes, offset);
	}
}

/* Sections */

static void list_read(struct profile_reader *profile, const struct i40e_section *section) {
	const struct i40e_section **first = &profile->lists[section->type - I40E_PROTOCOL];

	if (*first == NULL) {
		*first = section;
		records_read(profile, section);
	} else {
		reader_warn(profile->reader, section->offset,
			    "a second section 0x%" PRIx32 ": drivers see the first only",
			    section->type);
	}
}

static void content_read(struct profile_reader *profile, const struct i40e_section *section) {
	struct i40e_package *i40e = profile->i40e;

	i40e->is_rollback |= section->type == I40E_RB_MMIO || section->type == I40E_RB_AQ;
	i40e->has_aq |= section->type == I40E_AQ || section->type == I40E_RB_AQ;
	// An admin queue command: drivers send its data as long as datalen says.
	if (section->type == I40E_AQ &&
	    (section->size < COMMAND_SIZE ||
	     le16_get(section->data + COMMAND_DATA_LEN_AT) > section->size - COMMAND_SIZE))
		reader_error(profile->reader, section->offset + SECTION_SIZE_AT,
			     "%" PRIu32
			     " bytes are too few for an admin queue command and its data",
			     section->size);
	if (section->type >= I40E_PROTOCOL && section->type <= I40E_PTYPE)
		list_read(profile, section);
}

// The section whose offset, from the start of the segment, is at entry of the section table.
static void section_read(struct profile_reader *profile, uint64_t entry) {
	struct i40e_package *i40e = profile->i40e;
	uint64_t start = profile->start + le32_get(profile->bytes + entry);
	struct i40e_section *section;
	uint32_t size;

	if (start < profile->tables_end || start + SECTION_HEADER_SIZE > profile->end) {
		reader_error(profile->reader, entry,
			     "a section at 0x%" PRIx64
			     ", where the segment's sections are 0x%" PRIx64 " to 0x%" PRIx64,
			     start, profile->tables_end, profile->end);
		return;
	}
	size = le32_get(profile->bytes + start + SECTION_SIZE_AT);
	if (size > profile->end - start - SECTION_HEADER_SIZE) {
		reader_error(profile->reader, start + SECTION_SIZE_AT,
			     "a section of %" PRIu32 " bytes where the segment has %" PRIu64
			     " left",
			     size, profile->end - start - SECTION_HEADER_SIZE);
		return;
	}
	assert(i40e->sections != NULL);
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

// A section that the table names twice is an overlap, too: drivers would write it twice.
static void overlaps_check(struct profile_reader *profile) {
	const struct i40e_package *i40e = profile->i40e;
	const struct i40e_section **sorted =
		ddp_arena_alloc(profile->arena, (i40e->n_sections + 1) * sizeof(*sorted));

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

static void sections_read(struct profile_reader *profile, struct cursor *cursor) {
	struct i40e_package *i40e = profile->i40e;
	const uint64_t table = cursor->at;
	const uint8_t *entries;
	uint64_t left;
	uint32_t n;

	if (counted_take(cursor, "sections", 4, &n, &entries) < 0)
		return;
	profile->tables_end = cursor->at;
	left = profile->end - cursor->at;
	if (n > left / SECTION_HEADER_SIZE) {
		reader_error(profile->reader, table,
			     "%" PRIu32 " sections do not fit a segment that has %" PRIu64
			     " bytes left",
			     n, left);
		return;
	}
	i40e->sections = ddp_arena_alloc(profile->arena, n * sizeof(*i40e->sections));
	for (uint32_t i = 0; i < n; i++)
		section_read(profile, table + 4 + 4 * (uint64_t)i);
	assert(i40e->n_sections <= n);
	overlaps_check(profile);
	for (unsigned int i = 0; i < i40e->n_sections && profile->reader->n_errors == 0; i++)
		content_read(profile, &i40e->sections[i]);
}

/* Segments */

static void list_check(struct profile_reader *profile, enum i40e_section_type type,
		       const char *name, unsigned int n, unsigned int max) {
	if (n > max)
		reader_error(profile->reader, profile->lists[type - I40E_PROTOCOL]->offset,
			     "%u %s: drivers take %u at most", n, name, max);
}

// DPDK cuts off the last character even of an empty name.
static void lists_check(struct profile_reader *profile) {
	const struct i40e_package *i40e = profile->i40e;
	char name[I40E_TYPE_NAME_SIZE];

	list_check(profile, I40E_PROTOCOL, "protocols", i40e->n_protocols, IDS_MAX);
	list_check(profile, I40E_PCTYPE, "pctypes", i40e->pctypes.n, I40E_PCTYPES_MAX);
	list_check(profile, I40E_PTYPE, "ptypes", i40e->ptypes.n, IDS_MAX);
	if (profile->reader->n_errors > 0 || i40e->n_protocols == 0)
		return;
	for (unsigned int i = 0; i < i40e->pctypes.n; i++) {
		i40e_type_name(i40e, &i40e->pctypes.types[i], name);
		if (name[0] == '\0')
			reader_error(profile->reader,
				     profile->lists[I40E_PCTYPE - I40E_PROTOCOL]->offset,
				     "no protocol of pctype %u has a name",
				     i40e->pctypes.types[i].id);
	}
}

static void profile_read(struct package_reader *reader, const struct ddp_segment *segment) {
	struct i40e_package *i40e = reader->package->i40e;
	struct profile_reader profile = {
		.reader = reader,
		.arena = reader->package->arena,
		.i40e = i40e,
		.bytes = reader->package->bytes,
		.start = segment->offset,
		.end = (uint64_t)segment->offset + segment->size,
	};
	struct cursor cursor = {reader, segment->offset + PROFILE_DEVICES_AT, profile.end};
	const uint8_t *bytes = profile.bytes + segment->offset;

	if (segment->size < PROFILE_SIZE) {
		reader_error(reader, segment->offset + 8,
			     "the profile's segment has %" PRIu32 " bytes, less than %u",
			     segment->size, PROFILE_SIZE);
		return;
	}
	i40e->version = version_get(bytes + SEGMENT_HEADER_SIZE);
	package_text(i40e->name, bytes + SEGMENT_HEADER_SIZE + 4, DDP_PACKAGE_NAME_SIZE - 1);
	if (devices_read(&cursor) == 0)
		sections_read(&profile, &cursor);
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

	package->kind = DDP_PACKAGE_I40E;
	package->i40e = ddp_arena_alloc(package->arena, sizeof(*package->i40e));
	if (metadata_read(reader) == -ENOENT)
		reader_error(reader, 4, "there is no metadata segment, which has the track id");
	profile_read(reader, segment_find(package, SEGMENT_I40E));
	notes_read(reader);
	return reader->n_errors > 0 ? -EBADMSG : 0;
}

void i40e_type_name(const struct i40e_package *i40e, const struct i40e_type *type,
		    char name[I40E_TYPE_NAME_SIZE]) {
	size_t len = 0;

	name[0] = '\0';
	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++) {
		unsigned int n = 0;

		while (n < i40e->n_protocols && i40e->protocols[n].id != type->protocols[i])
			n++;
		if (n < i40e->n_protocols && type->protocols[i] != I40E_NO_PROTOCOL)
			len += snprintf(name + len, I40E_TYPE_NAME_SIZE - len, "%s%s",
					len > 0 ? "_" : "", i40e->protocols[n].name);
	}
}

#define TRACK_ID_INVALID 0xffffffff
#define INTEL 0x8086 // PCI vendor id

static bool is_for(const struct ddp_package *package, uint16_t device) {
	for (unsigned int i = 0; i < package->n_devices; i++)
		if (package->devices[i].vendor == INTEL &&
		    (device == 0 || package->devices[i].device == device))
			return true;
	return package->n_devices == 0;
}

int i40e_verdict(const struct ddp_package *package, uint16_t device, const char **reason) {
	*reason = "its track id is invalid or read only";
	if (package->track_id == TRACK_ID_INVALID || package->track_id >> 24 == 0)
		return -EINVAL;
	*reason = "it is for other devices";
	if (!is_for(package, device))
		return -ENODEV;
	*reason = "it is a rollback file";
	if (package->i40e->is_rollback)
		return -ENOTSUP;
	*reason = "it has admin queue commands, which DPDK cannot undo";
	if (package->i40e->has_aq)
		return -ENOTSUP;
	*reason = "DPDK accepts it, and can remove it again";
	return 0;
}
