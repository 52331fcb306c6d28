/* SPDX-License-Identifier: BSD-3-Clause */
// The layouts of sections, private to this folder.
#ifndef DDP_E810_E810_LAYOUT_H
#define DDP_E810_E810_LAYOUT_H

#include "e810.h"
#include "package/read.h"

#define E810_BUFFER_SIZE 4096
#define E810_LABEL_SIZE 66

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

extern const struct e810_layout e810_layouts[];
extern const unsigned int e810_n_layouts;

// All tables and labels from the parts.
void e810_tables_read(struct package_reader *reader);

#endif
