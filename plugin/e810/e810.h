/* SPDX-License-Identifier: BSD-3-Clause */
// An 800-series package: its logical tables and labels.
//
// A table has the entries of all sections of one id, in file order. Its users decode them.
#pragma once

#include "package/package.h"

// Section ids of the configuration segment that this library reads.
enum e810_section {
	E810_IDENTITY = 1,
	E810_MANIFEST = 2,
	E810_HASHES = 3,
	E810_SW_KEY_BUILDER = 11,
	E810_ACL_KEY_BUILDER = 21,
	E810_FD_KEY_BUILDER = 31,
	E810_RSS_KEY_BUILDER = 41,
	E810_RSS_XLT1 = 42,
	E810_RSS_TCAM = 44,
	E810_RSS_REDIRECTION = 45,
	E810_RSS_FIELD_VECTOR = 46,
	E810_PG_CAM = 50,
	E810_PG_NO_MATCH = 51,
	E810_IMEM = 52,
	E810_PTYPE_TCAM = 55,
	E810_BOOST_TCAM = 56,
	E810_PROTOCOL_GROUPS = 57,
	E810_METADATA_INIT = 58,
	E810_MARKER_GROUPS = 72,
	E810_PG_SPILL = 76,
	E810_NO_MATCH_SPILL = 78,
	E810_FLAG_REDIRECTION = 97,
	E810_LABELS_PC = 0x80000010,
	E810_LABELS_NODE = 0x80000012,
	E810_LABELS_MARKER = 0x80000014,
	E810_LABELS_PTYPE = 0x80000016,
	E810_LABELS_PROTOCOL = 0x80000017,
	E810_LABELS_BOOST = 0x80000018,
	E810_LABELS_RSS_PTG = 0x80000028,
	E810_PROTOCOL_PTYPES = 0x80000042,
};

struct e810_table {
	const uint8_t *entries; // n_entries of entry_size bytes
	unsigned int entry_size;
	// With an index in each section: all entries of the hardware's table, zeros where the file
	// gives none. With an address in each entry (TCAMs): the entries in file order.
	unsigned int n_entries;
	unsigned int n_given;      // number of entries in the file
	struct e810_label *labels; // of a table of labels, by entry; else NULL
};

struct e810_label {
	uint16_t value;
	char name[65];
};

struct e810_part {
	uint32_t id;
	uint32_t offset; // from the start of the file
	uint16_t size;
	uint16_t buffer;
};

struct e810_package {
	const struct ddp_segment *segment; // the configuration
	unsigned int n_buffers;            // of the configuration
	unsigned int first_metadata;       // first buffer that the NIC does not get
	// All sections in the order in which they form the tables: by buffer, then by its list.
	struct e810_part *parts;
	unsigned int n_parts;
	struct e810_table *tables; // see e810_table()
};

static inline const uint8_t *e810_entry(const struct e810_table *table, unsigned int n) {
	return table->entries + (size_t)n * table->entry_size;
}

// The table of a section id, its entries as in the layout; none if that is unknown.
const struct e810_table *e810_table(const struct ddp_package *package, uint32_t id);

// The number of a table's entries with an effect: valid, able to match, not blank. -1: unknown.
int e810_table_live(const struct ddp_package *package, uint32_t id);

// The name of a section id ("Rx boost TCAM"), or NULL.
const char *e810_section_name(uint32_t id);

// The labels of a section id (E810_LABELS_...), in file order.
const struct e810_label *e810_labels(const struct ddp_package *package, uint32_t id,
				     unsigned int *n);
// The first label of a value, or NULL.
const char *e810_label(const struct ddp_package *package, uint32_t id, uint16_t value);

struct package_reader;

// Read the content into package->e810, and the package's identity, by package->arena.
void e810_read(struct package_reader *reader);
