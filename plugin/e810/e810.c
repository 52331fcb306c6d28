/* SPDX-License-Identifier: BSD-3-Clause */
// The configuration segment of an 800-series package: from its header to its sections.
#include "e810.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "package/read.h"

#define BUFFER_SIZE 4096
#define SECTIONS_MAX 511
#define SECTION_OFFSET_MIN 12
#define SECTION_SIZE_MAX 4084
#define IS_METADATA(id) ((id) >> 31)

// Sections of one buffer, as its list gives them.
struct buffer {
	struct package_reader *reader;
	uint64_t offset; // in the file
	const uint8_t *bytes;
	unsigned int n_sections, data_end;
	uint16_t owner[BUFFER_SIZE]; // of each byte: 1 + the section that has it
};

static uint64_t entry_offset(unsigned int section) {
	return 4 + 8 * (uint64_t)section;
}

// Take the bytes of a section; those of an earlier one are an error.
static int bytes_own(struct buffer *buffer, unsigned int section, unsigned int from,
		     unsigned int size) {
	for (unsigned int i = from; i < from + size; i++) {
		if (buffer->owner[i] != 0)
			return reader_error(buffer->reader, buffer->offset + entry_offset(section),
					    "section %u of the buffer overlaps section %u", section,
					    buffer->owner[i] - 1);
		buffer->owner[i] = 1 + section;
	}
	return 0;
}

static int section_check(struct buffer *buffer, unsigned int section, struct e810_part *part) {
	const uint8_t *entry = buffer->bytes + entry_offset(section);
	uint64_t at = buffer->offset + entry_offset(section);
	unsigned int from = le16_get(entry + 4), size = le16_get(entry + 6);

	if (from < entry_offset(buffer->n_sections) || from >= BUFFER_SIZE)
		return reader_error(buffer->reader, at + 4,
				    "section %u begins at byte %u, outside the buffer's data",
				    section, from);
	if (size == 0 || size > SECTION_SIZE_MAX)
		return reader_error(buffer->reader, at + 6,
				    "section %u has %u bytes: 1 to %u are possible", section, size,
				    SECTION_SIZE_MAX);
	if (from + size > buffer->data_end)
		return reader_error(buffer->reader, at + 6,
				    "section %u ends at byte %u, the buffer's data at %u", section,
				    from + size, buffer->data_end);
	if (bytes_own(buffer, section, from, size) < 0)
		return -EBADMSG;
	part->id = le32_get(entry);
	part->offset = buffer->offset + from;
	part->size = size;
	return 0;
}

// The header of the buffer at an offset, which is inside the file.
static int buffer_check(struct buffer *buffer, struct package_reader *reader, uint64_t offset) {
	memset(buffer, 0, sizeof(*buffer));
	buffer->reader = reader;
	buffer->offset = offset;
	buffer->bytes = reader->package->bytes + offset;
	buffer->n_sections = le16_get(buffer->bytes);
	buffer->data_end = le16_get(buffer->bytes + 2);
	if (buffer->n_sections == 0 || buffer->n_sections > SECTIONS_MAX)
		return reader_error(reader, offset, "a buffer of %u sections: 1 to %u are possible",
				    buffer->n_sections, SECTIONS_MAX);
	if (buffer->data_end < SECTION_OFFSET_MIN || buffer->data_end > BUFFER_SIZE)
		return reader_error(reader, offset + 2,
				    "the buffer's data end at byte %u: %u to %u are possible",
				    buffer->data_end, SECTION_OFFSET_MIN, BUFFER_SIZE);
	if (entry_offset(buffer->n_sections) > buffer->data_end)
		return reader_error(reader, offset,
				    "a list of %u sections does not fit data that end at byte %u",
				    buffer->n_sections, buffer->data_end);
	return 0;
}

// All buffers in the rest of a segment, after a count of them. Their sections go to e810 unless it
// is NULL.
static void buffers_read(struct cursor *cursor, struct e810_package *e810) {
	struct package_reader *reader = cursor->reader;
	struct buffer buffer;
	const uint8_t *items;
	uint32_t n;

	if (counted_take(cursor, "buffers", BUFFER_SIZE, &n, &items) < 0)
		return;
	if (e810 != NULL)
		e810->n_buffers = n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t offset = items - reader->package->bytes + (uint64_t)i * BUFFER_SIZE;

		if (buffer_check(&buffer, reader, offset) < 0)
			continue;
		for (unsigned int j = 0; j < buffer.n_sections; j++) {
			struct e810_part part = {.buffer = i};

			if (section_check(&buffer, j, &part) == 0 && e810 != NULL)
				*DDP_APPEND(reader->package->arena, e810->parts, e810->n_parts) =
					part;
		}
	}
	if (cursor->at != cursor->end)
		reader_warn(reader, cursor->at,
			    "%" PRIu64 " bytes behind the segment's last buffer",
			    cursor->end - cursor->at);
}

// From the first buffer on that begins with metadata, the NIC gets none: a table's section there
// would be read, though nobody signed it and no NIC knows it.
static void metadata_find(struct package_reader *reader, struct e810_package *e810) {
	e810->first_metadata = e810->n_buffers;
	for (unsigned int i = 0; i < e810->n_parts; i++) {
		const struct e810_part *part = &e810->parts[i];
		bool is_first = i == 0 || part[-1].buffer != part->buffer;

		if (is_first && IS_METADATA(part->id) && e810->first_metadata == e810->n_buffers)
			e810->first_metadata = part->buffer;
		if (!IS_METADATA(part->id) && part->buffer >= e810->first_metadata)
			reader_error(reader, part->offset,
				     "section 0x%" PRIx32 " of buffer %u never reaches the NIC: "
				     "metadata begin in buffer %u",
				     part->id, part->buffer, e810->first_metadata);
	}
}

static void configuration_read(struct package_reader *reader) {
	struct e810_package *e810 = reader->package->e810;
	const struct ddp_segment *segment = e810->segment;
	struct cursor cursor = {reader, segment->offset + SEGMENT_HEADER_SIZE,
				(uint64_t)segment->offset + segment->size};

	if (devices_read(&cursor) < 0)
		return;
	buffers_read(&cursor, e810);
	metadata_find(reader, e810);
}

// Check the buffers that a signature segment says it signs, and its own.
static void signature_check(struct package_reader *reader, const struct ddp_segment *segment) {
	const struct ddp_package *package = reader->package;
	const uint8_t *bytes = package->bytes + segment->offset;
	struct cursor cursor = {reader, segment->offset + 108,
				(uint64_t)segment->offset + segment->size};
	uint32_t index;

	if (segment->size < 112) {
		reader_error(reader, segment->offset + 8,
			     "a signature segment of %" PRIu32 " bytes: its header takes 112",
			     segment->size);
		return;
	}
	index = le32_get(bytes + 52);
	if (index >= package->n_segments)
		reader_error(reader, segment->offset + 52,
			     "signs segment %" PRIu32 ", but there are %u", index,
			     package->n_segments);
	else if (&package->segments[index] == package->e810->segment &&
		 (uint64_t)le32_get(bytes + 56) + le32_get(bytes + 60) > package->e810->n_buffers)
		reader_error(reader, segment->offset + 56,
			     "signs %" PRIu32 " buffers from buffer %" PRIu32
			     " on, but the segment has %u",
			     le32_get(bytes + 60), le32_get(bytes + 56), package->e810->n_buffers);
	buffers_read(&cursor, NULL);
}

static void run_time_check(struct package_reader *reader, const struct ddp_segment *segment) {
	struct cursor cursor = {reader, (uint64_t)segment->offset + SEGMENT_HEADER_SIZE + 8,
				(uint64_t)segment->offset + segment->size};

	if (segment->size < SEGMENT_HEADER_SIZE + 12)
		reader_error(reader, segment->offset + 8,
			     "a run-time configuration of %" PRIu32 " bytes: its header takes %u",
			     segment->size, SEGMENT_HEADER_SIZE + 12);
	else
		buffers_read(&cursor, NULL);
}

// Segments beside the configuration, of types that are known.
static void others_check(struct package_reader *reader) {
	const struct ddp_package *package = reader->package;

	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];

		switch (segment->type) {
		case SEGMENT_SIGNATURE:
		case SEGMENT_OLD_SIGNATURE:
			signature_check(reader, segment);
			break;
		case SEGMENT_RUN_TIME:
			run_time_check(reader, segment);
			break;
		case SEGMENT_E810:
		case SEGMENT_E830:
			if (segment != package->e810->segment)
				reader_warn(reader, segment->offset,
					    "a further configuration: not read");
			break;
		}
	}
}

// The identity that the driver goes by is in the configuration itself.
static void identity_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;
	const struct e810_table *table = e810_table(package, E810_IDENTITY);
	struct ddp_version outer = package->version;

	if (table->n_entries == 0) {
		if (reader->n_errors == 0)
			reader_error(reader, package->e810->segment->offset,
				     "the configuration has no section 1 (package identity)");
		return;
	}
	package->version = version_get(table->entries);
	package_text(package->name, table->entries + 4, 28);
	package->track_id = le32_get(table->entries + 32);
	if (package->version.major != E810_VERSION_MAJOR ||
	    package->version.minor != E810_VERSION_MINOR)
		reader_warn(reader, package->e810->segment->offset,
			    "version %u.%u: drivers load packages of version %u.%u only",
			    package->version.major, package->version.minor, E810_VERSION_MAJOR,
			    E810_VERSION_MINOR);
	if (memcmp(&outer, &package->version, sizeof(outer)) != 0 &&
	    segment_find(package, SEGMENT_METADATA) != NULL)
		reader_warn(reader, segment_find(package, SEGMENT_METADATA)->offset + 44,
			    "version " DDP_VERSION_FMT
			    " of the metadata segment is not that of the "
			    "configuration, " DDP_VERSION_FMT,
			    DDP_VERSION_NUMBERS(outer), DDP_VERSION_NUMBERS(package->version));
}

void e810_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;

	if (memcmp(package->bytes, (uint8_t[]){1, 0, 0, 0}, 4) != 0) {
		reader_error(reader, 0, "format %u.%u.%u.%u: only 1.0.0.0 is known",
			     package->bytes[0], package->bytes[1], package->bytes[2],
			     package->bytes[3]);
		return;
	}
	package->e810 = ddp_arena_alloc(package->arena, sizeof(*package->e810));
	package->e810->segment = segment_find(package, SEGMENT_E810);
	if (package->e810->segment == NULL)
		package->e810->segment = segment_find(package, SEGMENT_E830);
	if (metadata_read(reader) == -EBADMSG)
		return;
	configuration_read(reader);
	others_check(reader);
	e810_tables_read(reader);
	identity_read(reader);
}
