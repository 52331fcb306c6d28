/* SPDX-License-Identifier: BSD-3-Clause */
// Sections of one id, checked against their layout and put together to a table.
#include <inttypes.h>
#include <string.h>

#include "e810_layout.h"

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
		package_text(labels[i].name, e810_entry(table, i) + 2, E810_LABEL_SIZE - 2);
	}
	return labels;
}

void e810_tables_read(struct package_reader *reader) {
	struct e810_package *e810 = reader->package->e810;

	e810->tables =
		ddp_arena_alloc(reader->package->arena, e810_n_layouts * sizeof(*e810->tables));
	for (unsigned int i = 0; i < e810_n_layouts; i++) {
		const struct e810_layout *layout = &e810_layouts[i];
		struct e810_table *table = &e810->tables[i];

		table->entry_size = layout->entry_size;
		if (layout->form != FORM_OPAQUE)
			table_read(reader, layout, table);
		if (layout->form == FORM_LIST && layout->entry_size == E810_LABEL_SIZE)
			table->labels = labels_make(reader->package->arena, table);
	}
}
