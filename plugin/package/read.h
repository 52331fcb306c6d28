/* SPDX-License-Identifier: BSD-3-Clause */
// Functions that the readers of both families share: for package/, e810/, i40e/ and personality/.
//
// A reader goes on after an error as long as it can trust its data: one run shows all errors.
#pragma once

#include "base/arena.h"
#include "package.h"

#define SEGMENT_HEADER_SIZE 44 // bytes
#define METADATA_SIZE 84       // bytes

enum segment_type {
	SEGMENT_METADATA = 0x1,
	SEGMENT_NOTES = 0x2,
	SEGMENT_E810 = 0x10,
	SEGMENT_I40E = 0x11,
	SEGMENT_E830 = 0x17,
	SEGMENT_RUN_TIME = 0x20,
	SEGMENT_OLD_SIGNATURE = 0x1000,
	SEGMENT_SIGNATURE = 0x1001,
};

struct package_reader {
	struct ddp_package *package;
	struct ddp_diag *diag;
	unsigned int n_errors; // reported or not
};

// The position of a byte of the file.
#define READER_PLACE(reader, offset)             \
	((struct ddp_place){                     \
		.file = (reader)->package->path, \
		.line = (offset),                \
		.col = DDP_PLACE_BYTE,           \
	})

// An error at a byte of the file; those beyond a limit are only counted. Returns -EBADMSG.
int reader_error(struct package_reader *reader, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define reader_warn(reader, offset, ...) \
	ddp_warn((reader)->diag, &READER_PLACE(reader, offset), __VA_ARGS__)

// End of reading: report how many errors were left out.
void reader_end(struct package_reader *reader);

static inline uint16_t le16_get(const uint8_t *bytes) {
	return bytes[0] | bytes[1] << 8;
}

static inline uint32_t le32_get(const uint8_t *bytes) {
	return le16_get(bytes) | (uint32_t)le16_get(bytes + 2) << 16;
}

#define PACKAGE_SIZE_MAX (1 << 26) // bytes: the public packages have less than one million

// A package that has only its bytes yet, a copy. NULL with errors in diag.
struct ddp_package *package_create(const char *path, const void *bytes, size_t size,
				   struct ddp_diag *diag);

// Copy a text of size bytes, NUL padded or not, into size + 1 bytes.
void package_text(char *text, const uint8_t *bytes, size_t size);
struct ddp_version version_get(const uint8_t *bytes);

// The package header and the segments' headers: fills package->segments. 0, or -EBADMSG.
int container_read(struct package_reader *reader);

// The first segment of a type, or NULL.
const struct ddp_segment *segment_find(const struct ddp_package *package, uint32_t type);

// A run of bytes, taken piece by piece.
struct cursor {
	struct package_reader *reader;
	uint64_t at, end; // offsets in the file
};

// A u32 count and as many items of a size, called name; *items: where they begin. 0, -EBADMSG.
int counted_take(struct cursor *cursor, const char *name, uint32_t item_size, uint32_t *n,
		 const uint8_t **items);

// The devices and NVM versions that a configuration is for, behind its header. 0, -EBADMSG.
int devices_read(struct cursor *cursor);

// Version, track id and name of the package from its metadata segment. 0, -ENOENT, -EBADMSG.
int metadata_read(struct package_reader *reader);
