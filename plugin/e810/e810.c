/* SPDX-License-Identifier: BSD-3-Clause */
// The configuration segment of an 800-series package: its sections, checked, as tables.
#include "e810.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "package/read.h"

/* Layouts of section ids, with the sizes of the public packages */

#define LABEL_SIZE 66 // bytes

enum e810_form {
	FORM_INDEXED,    // u16 count, u16 index of the first entry, entries
	FORM_ADDRESSED4, // u16 count, u16 0, entries that begin with their u16 address
	FORM_ADDRESSED2, // u16 count, entries that begin with their u16 address
	FORM_LIST,       // u16 count, entries
	FORM_WHOLE,      // one section with one entry
	FORM_OPAQUE,     // unknown
};

// The condition under which an entry has an effect.
enum e810_live {
	LIVE_UNKNOWN,
	LIVE_BIT,     // bit `live_at` of the entry is set
	LIVE_TERNARY, // each bit of the key at `live_at` and its inverse can match
	LIVE_ANY,     // one of the `live_len` bytes at `live_at` is not 0
	LIVE_WORDS,   // a word is used (not protocol 255, offset 0x1ff)
	LIVE_LIST8,   // the first of eight bytes is below 71
	LIVE_LIST22,  // the protocol of the first 22-bit item is below 255
};

struct e810_layout {
	uint32_t id;
	const char *name;
	enum e810_form form;
	uint16_t entry_size;
	uint16_t n_entries; // of the hardware's table; 0: any number
	enum e810_live live;
	uint8_t live_at, live_len;
};

// clang-format off

// The nine tables of a block, whose first id is tens.
#define BLOCK(tens, block, n_tcam, n_profiles, n_words)                                            \
	{.id = tens + 0, block " XLT0", FORM_INDEXED, 1, 2048},                                    \
	{.id = tens + 1, block " key builder", FORM_WHOLE, 204, 1},                                \
	{.id = tens + 2, block " packet type groups (XLT1)", FORM_INDEXED, 1, 8192, LIVE_ANY, 0, 1}, \
	{.id = tens + 3, block " VSI groups (XLT2)", FORM_INDEXED, 2, 1024, LIVE_ANY, 0, 2},       \
	{.id = tens + 4, block " profile TCAM", FORM_ADDRESSED2, 13, n_tcam, LIVE_TERNARY, 2, 5},  \
	{.id = tens + 5, block " profile redirection", FORM_INDEXED, 1, n_profiles},               \
	{.id = tens + 6, block " field vectors", FORM_INDEXED, 4 * n_words, n_profiles,            \
	 LIVE_WORDS},                                                                              \
	{.id = tens + 7, block " control domain key builder", FORM_OPAQUE},                        \
	{.id = tens + 8, block " control domain redirection", FORM_OPAQUE}

// A parser table of each direction.
#define PARSER(rx, tx, name, ...)                                                                  \
	{.id = rx, "Rx " name, __VA_ARGS__}, {.id = tx, "Tx " name, __VA_ARGS__}

#define LABELS(number, name)                                                                       \
	{.id = 0x80000000 + number, "labels of " name, FORM_LIST, LABEL_SIZE}

static const struct e810_layout layouts[] = {
	{.id = E810_IDENTITY, "package identity", FORM_WHOLE, 36, 1},
	{.id = E810_MANIFEST, "manifest", FORM_OPAQUE},
	{.id = E810_HASHES, "hash list", FORM_OPAQUE},
	BLOCK(10, "SW", 512, 256, 48),
	BLOCK(20, "ACL", 512, 128, 32),
	BLOCK(30, "FD", 512, 128, 24),
	BLOCK(40, "RSS", 512, 128, 24),
	BLOCK(80, "PE", 64, 32, 32),
	PARSER(50, 60, "parse graph", FORM_INDEXED, 16, 2048, LIVE_BIT, 0),
	PARSER(51, 61, "parse graph, no match", FORM_INDEXED, 12, 1024, LIVE_BIT, 0),
	PARSER(52, 62, "instructions", FORM_INDEXED, 48, 192),
	PARSER(53, 63, "XLT0 builder", FORM_OPAQUE),
	PARSER(54, 64, "node packet types", FORM_OPAQUE),
	PARSER(55, 65, "packet type TCAM", FORM_ADDRESSED4, 24, 1024, LIVE_TERNARY, 4, 10),
	PARSER(56, 66, "boost TCAM", FORM_ADDRESSED4, 88, 256, LIVE_ANY, 44, 1),
	PARSER(57, 67, "protocol groups", FORM_INDEXED, 24, 192, LIVE_LIST22),
	PARSER(58, 68, "metadata init", FORM_INDEXED, 24, 16),
	PARSER(59, 69, "XLT0", FORM_INDEXED, 1, 1024),
	PARSER(70, 71, "init redirection", FORM_OPAQUE),
	PARSER(72, 73, "marker groups", FORM_INDEXED, 8, 128, LIVE_LIST8),
	PARSER(74, 75, "last protocol", FORM_OPAQUE),
	PARSER(76, 77, "parse graph spill", FORM_INDEXED, 17, 128, LIVE_BIT, 56),
	PARSER(78, 79, "no match spill", FORM_INDEXED, 13, 64, LIVE_BIT, 56),
	PARSER(97, 98, "flag redirection", FORM_INDEXED, 1, 64, LIVE_BIT, 0),
	LABELS(0x10, "Rx instructions"),
	LABELS(0x11, "Tx instructions"),
	LABELS(0x12, "Rx parse graph nodes"),
	LABELS(0x13, "Tx parse graph nodes"),
	LABELS(0x14, "Rx markers"),
	LABELS(0x15, "Tx markers"),
	LABELS(0x16, "packet types"),
	LABELS(0x17, "protocols"),
	LABELS(0x18, "Rx boost TCAM entries"),
	LABELS(0x19, "Tx boost TCAM entries"),
	LABELS(0x1f, "ACL profile TCAM entries"),
	LABELS(0x20, "PE profile TCAM entries"),
	LABELS(0x21, "RSS profile TCAM entries"),
	LABELS(0x22, "FD profile TCAM entries"),
	LABELS(0x23, "packet flags"),
	{.id = 0x80000024, "metadata words", FORM_LIST, 70},
	LABELS(0x25, "SW packet type groups"),
	LABELS(0x26, "ACL packet type groups"),
	LABELS(0x27, "PE packet type groups"),
	LABELS(0x28, "RSS packet type groups"),
	LABELS(0x29, "FD packet type groups"),
	LABELS(0x2a, "SW VSI groups"),
	LABELS(0x2b, "ACL VSI groups"),
	LABELS(0x2c, "PE VSI groups"),
	LABELS(0x2d, "RSS VSI groups"),
	LABELS(0x2e, "FD VSI groups"),
	{.id = 0x8000002f, "metadata", FORM_LIST, 34},
	LABELS(0x30, "SW profiles"),
	LABELS(0x31, "ACL profiles"),
	LABELS(0x32, "PE profiles"),
	LABELS(0x33, "RSS profiles"),
	LABELS(0x34, "FD profiles"),
	LABELS(0x35, "Rx marker groups"),
	LABELS(0x36, "Tx marker groups"),
	LABELS(0x37, "Rx protocol groups"),
	LABELS(0x38, "Tx protocol groups"),
	LABELS(0x39, "parser flags"),
	LABELS(0x3a, "switch recipes"),
	LABELS(0x3b, "MAC field offsets"),
	LABELS(0x40, "SW field vector slots"),
	LABELS(0x41, "packet types of 8 bits"),
	{.id = E810_PROTOCOL_PTYPES, "packet types of protocols", FORM_LIST, 130},
	LABELS(0x48, "Rx TCAM search keys"),
	LABELS(0x49, "Tx TCAM search keys"),
};
// clang-format on

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const struct e810_layout *layout_find(uint32_t id) {
	for (unsigned int i = 0; i < N_LAYOUTS; i++)
		if (layouts[i].id == id)
			return &layouts[i];
	return NULL;
}

const char *e810_section_name(uint32_t id) {
	const struct e810_layout *layout = layout_find(id);

	return layout != NULL ? layout->name : NULL;
}

static bool is_live(const struct e810_layout *layout, const uint8_t *entry) {
	const uint8_t *at = entry + layout->live_at;
	const unsigned int len = layout->live_len;

	switch (layout->live) {
	case LIVE_BIT:
		return entry[layout->live_at / 8] >> layout->live_at % 8 & 1;
	case LIVE_TERNARY:
		for (unsigned int i = 0; i < len; i++)
			if ((at[i] | at[len + i]) != 0xff)
				return false;
		return true;
	case LIVE_ANY:
		for (unsigned int i = 0; i < len; i++)
			if (at[i] != 0)
				return true;
		return false;
	case LIVE_WORDS:
		for (unsigned int i = 0; i < layout->entry_size; i += 4)
			if (entry[i] != 255 || le16_get(entry + i + 1) != 0x1ff)
				return true;
		return false;
	case LIVE_LIST8:
		return entry[0] < 71;
	case LIVE_LIST22:
		return (le16_get(entry) >> 1 & 0xff) != 255;
	case LIVE_UNKNOWN:
		break;
	}
	return false;
}

int e810_table_live(const struct ddp_package *package, uint32_t id) {
	const struct e810_layout *layout = layout_find(id);
	const struct e810_table *table = e810_table(package, id);
	int n = 0;

	if (layout == NULL || layout->live == LIVE_UNKNOWN)
		return -1;
	for (unsigned int i = 0; i < table->n_entries; i++)
		n += is_live(layout, e810_entry(table, i));
	return n;
}

const struct e810_table *e810_table(const struct ddp_package *package, uint32_t id) {
	static const struct e810_table none;
	const struct e810_layout *layout = layout_find(id);

	return layout != NULL ? &package->e810->tables[layout - layouts] : &none;
}

const struct e810_label *e810_labels(const struct ddp_package *package, uint32_t id,
				     unsigned int *n) {
	const struct e810_table *table = e810_table(package, id);

	*n = table->labels != NULL ? table->n_entries : 0;
	return table->labels;
}

const char *e810_label(const struct ddp_package *package, uint32_t id, uint16_t value) {
	unsigned int n;
	const struct e810_label *labels = e810_labels(package, id, &n);

	for (unsigned int i = 0; i < n; i++)
		if (labels[i].value == value)
			return labels[i].name;
	return NULL;
}

/* Tables */

struct filling {
	struct package_reader *reader;
	const struct e810_layout *layout;
	struct e810_table *table;
	uint8_t *entries;
	bool *given; // by index or address
	bool repeated;
};

// Sizes of section headers in bytes.
static const uint8_t head_sizes[] = {
	[FORM_INDEXED] = 4, [FORM_ADDRESSED4] = 4, [FORM_ADDRESSED2] = 2,
	[FORM_LIST] = 2,    [FORM_WHOLE] = 0,
};

static const uint8_t *part_bytes(const struct filling *filling, const struct e810_part *part) {
	return filling->reader->package->bytes + part->offset;
}

// The number of entries of a section; 0 with an error if they do not fit.
static unsigned int part_count(struct filling *filling, const struct e810_part *part) {
	const struct e810_layout *layout = filling->layout;
	unsigned int head = head_sizes[layout->form], n = 1;

	if (part->size < head) {
		reader_error(filling->reader, part->offset,
			     "section 0x%" PRIx32 " (%s) has %u bytes, its header alone takes %u",
			     layout->id, layout->name, part->size, head);
		return 0;
	}
	if (layout->form != FORM_WHOLE)
		n = le16_get(part_bytes(filling, part));
	if (head + n * layout->entry_size > part->size) {
		reader_error(filling->reader, part->offset,
			     "section 0x%" PRIx32 " (%s) has %u bytes, too few for %u of %u bytes",
			     layout->id, layout->name, part->size, n, layout->entry_size);
		return 0;
	}
	return n;
}

static void slot_take(struct filling *filling, const struct e810_part *part, unsigned int slot) {
	if (filling->given[slot] && !filling->repeated) {
		reader_warn(filling->reader, part->offset, "%s: entry %u is given twice",
			    filling->layout->name, slot);
		filling->repeated = true;
	}
	filling->given[slot] = true;
}

static void indexed_take(struct filling *filling, const struct e810_part *part, unsigned int n) {
	const struct e810_layout *layout = filling->layout;
	unsigned int first = le16_get(part_bytes(filling, part) + 2);

	if (first + n > layout->n_entries) {
		reader_error(filling->reader, part->offset + 2,
			     "%s: entries %u to %u, but the table has %u", layout->name, first,
			     first + n - 1, layout->n_entries);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		slot_take(filling, part, first + i);
	memcpy(filling->entries + (size_t)first * layout->entry_size,
	       part_bytes(filling, part) + head_sizes[layout->form], n * layout->entry_size);
	filling->table->n_given += n;
}

// Append entries with addresses, or without.
static void appended_take(struct filling *filling, const struct e810_part *part, unsigned int n) {
	const struct e810_layout *layout = filling->layout;
	const uint8_t *from = part_bytes(filling, part) + head_sizes[layout->form];
	struct e810_table *table = filling->table;

	for (unsigned int i = 0; layout->n_entries != 0 && i < n; i++) {
		unsigned int address = le16_get(from + i * layout->entry_size);

		if (address >= layout->n_entries) {
			reader_error(filling->reader,
				     part->offset + head_sizes[layout->form] +
					     i * layout->entry_size,
				     "%s: address %u, but the table has %u", layout->name, address,
				     layout->n_entries);
			return;
		}
		slot_take(filling, part, address);
	}
	memcpy(filling->entries + (size_t)table->n_entries * layout->entry_size, from,
	       n * layout->entry_size);
	table->n_entries += n;
	table->n_given = table->n_entries;
}

static void part_take(struct filling *filling, const struct e810_part *part) {
	unsigned int n = part_count(filling, part);

	assert(filling->layout->form != FORM_OPAQUE);
	if (filling->layout->form == FORM_INDEXED) {
		indexed_take(filling, part, n);
	} else if (filling->layout->form != FORM_WHOLE) {
		appended_take(filling, part, n);
	} else {
		memcpy(filling->entries, part_bytes(filling, part),
		       n * filling->layout->entry_size);
		filling->table->n_entries = filling->table->n_given = n;
	}
}

static void table_read(struct package_reader *reader, const struct e810_layout *layout,
		       struct e810_table *table) {
	const struct e810_package *e810 = reader->package->e810;
	struct filling filling = {.reader = reader, .layout = layout, .table = table};
	size_t n_parts = 0, room = layout->n_entries;

	for (unsigned int i = 0; i < e810->n_parts; i++) {
		if (e810->parts[i].id != layout->id)
			continue;
		if (n_parts++ > 0 && layout->form == FORM_WHOLE)
			reader_error(reader, e810->parts[i].offset, "a second section of %s",
				     layout->name);
		if (layout->form != FORM_INDEXED)
			room += e810->parts[i].size / layout->entry_size;
	}
	if (n_parts == 0)
		return;
	filling.entries = ddp_arena_alloc(reader->package->arena, room * layout->entry_size);
	filling.given = ddp_arena_alloc(reader->package->arena, layout->n_entries);
	table->entries = filling.entries;
	if (layout->form == FORM_INDEXED)
		table->n_entries = layout->n_entries;
	for (unsigned int i = 0; i < e810->n_parts; i++)
		if (e810->parts[i].id == layout->id)
			part_take(&filling, &e810->parts[i]);
	assert(table->n_entries <= room);
	if (layout->n_entries != 0 && table->n_given > layout->n_entries)
		reader_warn(reader, e810->segment->offset, "%s: %u entries for a table of %u",
			    layout->name, table->n_given, layout->n_entries);
}

static void tables_read(struct package_reader *reader) {
	struct e810_package *e810 = reader->package->e810;
	struct ddp_arena *arena = reader->package->arena;

	e810->tables = ddp_arena_alloc(arena, N_LAYOUTS * sizeof(*e810->tables));
	for (unsigned int i = 0; i < N_LAYOUTS; i++) {
		const struct e810_layout *layout = &layouts[i];
		struct e810_table *table = &e810->tables[i];

		table->entry_size = layout->entry_size;
		if (layout->form != FORM_OPAQUE)
			table_read(reader, layout, table);
		if (layout->form != FORM_LIST || layout->entry_size != LABEL_SIZE)
			continue;
		table->labels = ddp_arena_alloc(arena, table->n_entries * sizeof(*table->labels));
		for (unsigned int j = 0; j < table->n_entries; j++) {
			table->labels[j].value = le16_get(e810_entry(table, j));
			package_text(table->labels[j].name, e810_entry(table, j) + 2,
				     LABEL_SIZE - 2);
		}
	}
}

/* Sections */

// The version that drivers load (drivers/net/ice/base/ice_ddp.h and Linux' ice_ddp.h).
#define VERSION_MAJOR 1
#define VERSION_MINOR 3

#define BUFFER_SIZE 4096      // bytes
#define SECTIONS_MAX 511      // sections of a buffer
#define SECTION_OFFSET_MIN 12 // bytes
#define SECTION_SIZE_MAX 4084 // bytes
#define IS_METADATA(id) ((id) >> 31)

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

static int bytes_own(struct buffer *buffer, unsigned int section, unsigned int from,
		     unsigned int size) {
	assert(from + size <= BUFFER_SIZE);
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

// The NIC gets no buffer from the first one on that begins with metadata. Sections of tables there
// are an error: no signature covers them, and they do not reach the NIC.
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

static void signature_check(struct package_reader *reader, const struct ddp_segment *segment) {
	const struct ddp_package *package = reader->package;
	const uint8_t *bytes = package->bytes + segment->offset;
	const uint32_t index = le32_get(bytes + 52);

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
}

static void other_check(struct package_reader *reader, const struct ddp_segment *segment,
			const char *what, uint32_t header) {
	struct cursor cursor = {reader, segment->offset + header - 4,
				(uint64_t)segment->offset + segment->size};

	if (segment->size < header) {
		reader_error(reader, segment->offset + 8,
			     "a %s of %" PRIu32 " bytes: its header takes %" PRIu32, what,
			     segment->size, header);
		return;
	}
	if (segment->type != SEGMENT_RUN_TIME)
		signature_check(reader, segment);
	buffers_read(&cursor, NULL);
}

static void others_check(struct package_reader *reader) {
	const struct ddp_package *package = reader->package;

	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];

		switch (segment->type) {
		case SEGMENT_SIGNATURE:
		case SEGMENT_OLD_SIGNATURE:
			other_check(reader, segment, "signature segment", 112);
			break;
		case SEGMENT_RUN_TIME:
			other_check(reader, segment, "run-time configuration",
				    SEGMENT_HEADER_SIZE + 12);
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

// The driver uses the identity in the configuration.
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
	if (package->version.major != VERSION_MAJOR || package->version.minor != VERSION_MINOR)
		reader_warn(reader, package->e810->segment->offset,
			    "version %u.%u: drivers load packages of version %u.%u only",
			    package->version.major, package->version.minor, VERSION_MAJOR,
			    VERSION_MINOR);
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
	struct e810_package *e810;
	struct cursor cursor;

	if (memcmp(package->bytes, (uint8_t[]){1, 0, 0, 0}, 4) != 0) {
		reader_error(reader, 0, "format %u.%u.%u.%u: only 1.0.0.0 is known",
			     package->bytes[0], package->bytes[1], package->bytes[2],
			     package->bytes[3]);
		return;
	}
	package->e810 = e810 = ddp_arena_alloc(package->arena, sizeof(*e810));
	e810->segment = segment_find(package, SEGMENT_E810);
	if (e810->segment == NULL)
		e810->segment = segment_find(package, SEGMENT_E830);
	if (metadata_read(reader) == -EBADMSG)
		return;
	cursor = (struct cursor){reader, e810->segment->offset + SEGMENT_HEADER_SIZE,
				 (uint64_t)e810->segment->offset + e810->segment->size};
	if (devices_read(&cursor) >= 0) {
		buffers_read(&cursor, e810);
		metadata_find(reader, e810);
	}
	others_check(reader);
	tables_read(reader);
	identity_read(reader);
}
