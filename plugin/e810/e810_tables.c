/* SPDX-License-Identifier: BSD-3-Clause */
// The sections of one id, checked against their layout and put together to a table. One row for
// each section id of the configuration segment; sizes are those of the public packages.
#include <inttypes.h>
#include <string.h>

#include "e810.h"
#include "package/read.h"

#define LABEL_SIZE 66

enum e810_form {
	FORM_INDEXED,    // u16 count, u16 index of the first entry, entries
	FORM_ADDRESSED4, // u16 count, u16 0, entries that begin with their u16 address
	FORM_ADDRESSED2, // u16 count, such entries
	FORM_LIST,       // u16 count, entries
	FORM_WHOLE,      // one entry, in one section
	FORM_OPAQUE,     // not known
};

// When an entry does anything at all.
enum e810_live {
	LIVE_UNKNOWN,
	LIVE_BIT,     // bit `live_at` of the entry is set
	LIVE_TERNARY, // every bit of the `live_len` key bytes at `live_at` and the inverse behind
		      // can match
	LIVE_ANY,     // one of the `live_len` bytes at `live_at` is not 0
	LIVE_WORDS,   // a word is not the unused one (protocol 255, offset 0x1ff)
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

// The nine tables of a block; tens is its first id.
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

// A table of the parser, which both directions have.
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

static bool is_any(const uint8_t *bytes, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		if (bytes[i] != 0)
			return true;
	return false;
}

// Bits of key and inverse that are both 0 never match.
static bool can_match(const uint8_t *key, unsigned int len) {
	for (unsigned int i = 0; i < len; i++)
		if ((key[i] | key[len + i]) != 0xff)
			return false;
	return true;
}

static bool is_word_used(const uint8_t *entry, unsigned int size) {
	for (unsigned int i = 0; i < size; i += 4)
		if (entry[i] != 255 || le16_get(entry + i + 1) != 0x1ff)
			return true;
	return false;
}

static bool is_live(const struct e810_layout *layout, const uint8_t *entry) {
	switch (layout->live) {
	case LIVE_BIT:
		return entry[layout->live_at / 8] >> layout->live_at % 8 & 1;
	case LIVE_TERNARY:
		return can_match(entry + layout->live_at, layout->live_len);
	case LIVE_ANY:
		return is_any(entry + layout->live_at, layout->live_len);
	case LIVE_WORDS:
		return is_word_used(entry, layout->entry_size);
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

/* From sections to tables */

struct filling {
	struct package_reader *reader;
	const struct e810_layout *layout;
	struct e810_table *table;
	uint8_t *entries;
	bool *given; // by index or address
	bool repeated;
};

// Bytes of a section before its entries.
static const uint8_t head_sizes[] = {
	[FORM_INDEXED] = 4, [FORM_ADDRESSED4] = 4, [FORM_ADDRESSED2] = 2,
	[FORM_LIST] = 2,    [FORM_WHOLE] = 0,
};

static const uint8_t *part_bytes(const struct filling *filling, const struct e810_part *part) {
	return filling->reader->package->bytes + part->offset;
}

// How many entries a section holds, 0 when it does not hold what it says.
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
		filling->repeated = true; // one message a table
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

// Entries with addresses and such without follow what is there.
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
	if (layout->n_entries != 0 && table->n_given > layout->n_entries)
		reader_warn(reader, e810->segment->offset, "%s: %u entries for a table of %u",
			    layout->name, table->n_given, layout->n_entries);
}

static struct e810_label *labels_make(struct ddp_arena *arena, const struct e810_table *table) {
	struct e810_label *labels = ddp_arena_alloc(arena, table->n_entries * sizeof(*labels));

	for (unsigned int i = 0; i < table->n_entries; i++) {
		labels[i].value = le16_get(e810_entry(table, i));
		package_text(labels[i].name, e810_entry(table, i) + 2, LABEL_SIZE - 2);
	}
	return labels;
}

void e810_tables_read(struct package_reader *reader) {
	struct e810_package *e810 = reader->package->e810;

	e810->tables = ddp_arena_alloc(reader->package->arena, N_LAYOUTS * sizeof(*e810->tables));
	for (unsigned int i = 0; i < N_LAYOUTS; i++) {
		const struct e810_layout *layout = &layouts[i];
		struct e810_table *table = &e810->tables[i];

		table->entry_size = layout->entry_size;
		if (layout->form != FORM_OPAQUE)
			table_read(reader, layout, table);
		if (layout->form == FORM_LIST && layout->entry_size == LABEL_SIZE)
			table->labels = labels_make(reader->package->arena, table);
	}
}
