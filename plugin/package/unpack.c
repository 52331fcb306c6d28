/* SPDX-License-Identifier: BSD-3-Clause */
#include "unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysroot.h"

#define CHUNK (1U << 20) // a package and some more

// What is unpacked so far.
struct unpacked {
	uint8_t *bytes;
	size_t size, room;
};

static const char *const suffixes[] = {
	[DDP_PLAIN] = "",
	[DDP_XZ] = ".xz",
	[DDP_ZST] = ".zst",
};

const char *ddp_packing_suffix(enum ddp_packing packing) {
	return suffixes[packing];
}

enum ddp_packing ddp_packing_of(const char *path) {
	size_t len = strlen(path);

	if (len >= 3 && strcmp(path + len - 3, suffixes[DDP_XZ]) == 0)
		return DDP_XZ;
	if (len >= 4 && strcmp(path + len - 4, suffixes[DDP_ZST]) == 0)
		return DDP_ZST;
	return DDP_PLAIN;
}

// Room for more. NULL when all is well, else what is wrong.
static const char *grow(struct unpacked *unpacked) {
	uint8_t *bytes;

	if (unpacked->size < unpacked->room)
		return NULL;
	if (unpacked->room >= DDP_ROOT_FILE_MAX)
		return "unpacked it is far larger than a package";
	bytes = realloc(unpacked->bytes, unpacked->room + CHUNK);
	if (bytes == NULL)
		return "out of memory";
	unpacked->bytes = bytes;
	unpacked->room += CHUNK;
	return NULL;
}

static const char *problem_of(struct archive *archive) {
	return archive_errno(archive) == ENOMEM ? "out of memory" : "cut short or damaged";
}

struct packed {
	const void *bytes;
	size_t size;
};

// All at once, then the end.
static la_ssize_t packed_read(struct archive *archive, void *arg, const void **bytes) {
	struct packed *packed = arg;
	size_t size = packed->size;

	(void)archive;
	*bytes = packed->bytes;
	packed->size = 0;
	return size;
}

// With an entry of its own, or archive_read_open_memory(), libarchive crashes where memory ends.
static const char *archive_open(struct archive *archive, enum ddp_packing packing,
				struct packed *packed) {
	const int filter = packing == DDP_XZ ? ARCHIVE_FILTER_XZ : ARCHIVE_FILTER_ZSTD;
	struct archive_entry *entry = archive_entry_new();
	int ret = ARCHIVE_FATAL;

	if (entry == NULL)
		return "out of memory";
	if (archive_read_support_filter_by_code(archive, filter) == ARCHIVE_OK &&
	    archive_read_support_format_raw(archive) == ARCHIVE_OK &&
	    archive_read_set_read_callback(archive, packed_read) == ARCHIVE_OK &&
	    archive_read_set_callback_data(archive, packed) == ARCHIVE_OK &&
	    archive_read_open1(archive) == ARCHIVE_OK)
		ret = archive_read_next_header2(archive, entry);
	archive_entry_free(entry);
	if (ret != ARCHIVE_OK)
		return problem_of(archive);
	if (archive_filter_code(archive, 0) != filter)
		return packing == DDP_XZ ? "not an .xz file" : "not a .zst file";
	return NULL;
}

static const char *archive_unpack(struct archive *archive, struct unpacked *unpacked) {
	const char *problem;
	la_ssize_t n;

	do {
		problem = grow(unpacked);
		if (problem != NULL)
			return problem;
		n = archive_read_data(archive, unpacked->bytes + unpacked->size,
				      unpacked->room - unpacked->size);
		if (n > 0)
			unpacked->size += n;
	} while (n > 0);
	return n < 0 ? problem_of(archive) : NULL;
}

static const char *plain_copy(const void *bytes, size_t size, struct unpacked *unpacked) {
	unpacked->bytes = malloc(size + 1);
	if (unpacked->bytes == NULL)
		return "out of memory";
	memcpy(unpacked->bytes, bytes, size);
	unpacked->size = size;
	return NULL;
}

void *ddp_unpack(enum ddp_packing packing, const void *bytes, size_t size, size_t *unpacked_size,
		 char *reason, size_t reason_size) {
	struct archive *archive = archive_read_new();
	struct packed packed = {bytes, size};
	struct unpacked unpacked = {0};
	const char *problem;

	if (archive == NULL)
		problem = "out of memory";
	else if (packing == DDP_PLAIN)
		problem = plain_copy(bytes, size, &unpacked);
	else
		problem = archive_open(archive, packing, &packed);
	if (problem == NULL && packing != DDP_PLAIN)
		problem = archive_unpack(archive, &unpacked);
	if (problem != NULL)
		snprintf(reason, reason_size, "%s", problem);
	archive_read_free(archive);
	if (problem != NULL) {
		free(unpacked.bytes);
		return NULL;
	}
	*unpacked_size = unpacked.size;
	return unpacked.bytes;
}

// The stream header: six bytes of magic, then flags whose last four bits name the check.
bool ddp_xz_suits_linux(const void *bytes, size_t size) {
	const uint8_t *header = bytes;

	return size >= 8 && header[6] == 0 && header[7] <= 1; // none or CRC32
}
