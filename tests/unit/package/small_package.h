/* SPDX-License-Identifier: BSD-3-Clause */
// Small 800-series packages, made by the tests themselves.
//
//	struct build *build = build_create();
//	build_table(build, E810_IMEM, 0, entries, 48, 2);
//	bytes = build_end(build, &size);
//	...
//	build_destroy(build);
#ifndef PACKAGE_BUILD_H
#define PACKAGE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;

struct build *build_create(void);
void build_destroy(struct build *build);

void build_device(struct build *build, uint16_t device, uint16_t vendor);

// The payload stays the caller's until build_end().
void build_segment(struct build *build, uint32_t type, const char *name, const void *payload,
		   size_t size);

// A section: in the present buffer, or in a new one where it does not fit. The identity (section 1)
// comes before the first one, unless the test gives its own.
void build_section(struct build *build, uint32_t id, const void *bytes, size_t size);
void build_buffer(struct build *build);

// A section of n entries with count and first index; with a count and 0 where the entries carry
// their addresses; with a count alone.
void build_table(struct build *build, uint32_t id, uint16_t first, const void *entries,
		 size_t entry_size, uint16_t n);
void build_list(struct build *build, uint32_t id, const void *entries, size_t entry_size,
		uint16_t n);
void build_label(struct build *build, uint32_t id, uint16_t value, const char *name);

// The package; the bytes are build's. May be called again after more was added.
uint8_t *build_end(struct build *build, size_t *size);

static inline void put16(uint8_t *bytes, uint16_t value) {
	bytes[0] = value;
	bytes[1] = value >> 8;
}

static inline void put32(uint8_t *bytes, uint32_t value) {
	put16(bytes, value);
	put16(bytes + 2, value >> 16);
}

#endif
