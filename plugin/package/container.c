/* SPDX-License-Identifier: BSD-3-Clause */
// A package of bytes; header, segments and metadata, with which both families begin; messages.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "read.h"

#define HEADER_SIZE 8    // bytes
#define SEGMENTS_MAX 256 // segments; the public packages have four to six
#define ERRORS_MAX 20    // errors that are reported; a file of random bytes has thousands
#define MESSAGE_SIZE 512 // bytes

struct ddp_package *package_create(const char *path, const void *bytes, size_t size,
				   struct ddp_diag *diag) {
	struct ddp_package *package;
	struct ddp_arena *arena;
	char *path_copy, *copy;

	if (size > PACKAGE_SIZE_MAX)
		return ddp_refuse_null(diag, DDP_FILE(path), "too large for a package");
	arena = ddp_arena_create();
	package = ddp_arena_try_alloc(arena, sizeof(*package));
	path_copy = ddp_arena_try_alloc(arena, strlen(path) + 1);
	copy = ddp_arena_try_alloc(arena, size + 1);
	if (package == NULL || path_copy == NULL || copy == NULL) {
		ddp_arena_destroy(arena);
		ddp_no_memory(diag);
		return NULL;
	}
	if (size > 0)
		memcpy(copy, bytes, size);
	package->arena = arena;
	package->path = strcpy(path_copy, path);
	package->bytes = (const uint8_t *)copy;
	package->size = size;
	return package;
}

void ddp_package_close(struct ddp_package *package) {
	if (package != NULL)
		ddp_arena_destroy(package->arena);
}

int reader_error(struct package_reader *reader, uint64_t offset, const char *fmt, ...) {
	char text[MESSAGE_SIZE];
	va_list ap;

	if (reader->n_errors++ < ERRORS_MAX) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		ddp_error(reader->diag, &READER_PLACE(reader, offset), "%s", text);
	}
	return -EBADMSG;
}

void reader_end(struct package_reader *reader) {
	if (reader->n_errors > ERRORS_MAX)
		ddp_error(reader->diag, DDP_FILE(reader->package->path), "and %u errors more",
			  reader->n_errors - ERRORS_MAX);
}

struct ddp_version version_get(const uint8_t *bytes) {
	return (struct ddp_version){bytes[0], bytes[1], bytes[2], bytes[3]};
}

void package_text(char *text, const uint8_t *bytes, size_t size) {
	memcpy(text, bytes, size);
	text[size] = '\0';
}

const struct ddp_segment *segment_find(const struct ddp_package *package, uint32_t type) {
	for (unsigned int i = 0; i < package->n_segments; i++)
		if (package->segments[i].type == type)
			return &package->segments[i];
	return NULL;
}

static int segment_read(struct package_reader *reader, unsigned int index, uint32_t offset,
			uint64_t headers_end) {
	struct ddp_package *package = reader->package;
	struct ddp_segment *segment = &package->segments[package->n_segments];
	const uint8_t *bytes = package->bytes + offset;
	uint64_t at = HEADER_SIZE + 4 * (uint64_t)index;

	if (offset < headers_end)
		return reader_error(reader, at,
				    "segment %u at 0x%" PRIx32 " overlaps the list of segments",
				    index, offset);
	if ((uint64_t)offset + SEGMENT_HEADER_SIZE > package->size)
		return reader_error(reader, at,
				    "segment %u at 0x%" PRIx32 " does not fit a file of %zu bytes",
				    index, offset, package->size);
	segment->offset = offset;
	segment->type = le32_get(bytes);
	segment->version = version_get(bytes + 4);
	segment->size = le32_get(bytes + 8);
	package_text(segment->name, bytes + 12, DDP_PACKAGE_NAME_SIZE - 1);
	if (segment->size < SEGMENT_HEADER_SIZE)
		return reader_error(reader, offset + 8,
				    "segment %u has %" PRIu32 " bytes, its header alone takes %u",
				    index, segment->size, SEGMENT_HEADER_SIZE);
	if ((uint64_t)offset + segment->size > package->size)
		return reader_error(reader, offset + 8,
				    "segment %u of %" PRIu32 " bytes does not fit a file of %zu",
				    index, segment->size, package->size);
	package->n_segments++;
	return 0;
}

static void overlaps_check(struct package_reader *reader) {
	const struct ddp_segment *s = reader->package->segments;

	for (unsigned int i = 0; i < reader->package->n_segments; i++)
		for (unsigned int j = 0; j < i; j++)
			if ((uint64_t)s[i].offset < (uint64_t)s[j].offset + s[j].size &&
			    (uint64_t)s[j].offset < (uint64_t)s[i].offset + s[i].size)
				reader_error(reader, s[i].offset, "segment %u overlaps segment %u",
					     i, j);
}

int container_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;
	uint64_t headers_end;
	uint32_t n;

	if (package->size < HEADER_SIZE + 4)
		return reader_error(reader, 0, "%zu bytes are too few for a package",
				    package->size);
	n = le32_get(package->bytes + 4);
	if (n == 0 || n > SEGMENTS_MAX)
		return reader_error(reader, 4, "%" PRIu32 " segments: 1 to %u are possible", n,
				    SEGMENTS_MAX);
	headers_end = HEADER_SIZE + 4 * (uint64_t)n;
	if (headers_end > package->size)
		return reader_error(reader, 4,
				    "the list of %" PRIu32 " segments does not fit a file of %zu "
				    "bytes",
				    n, package->size);
	package->segments = ddp_arena_alloc(package->arena, n * sizeof(*package->segments));
	for (uint32_t i = 0; i < n; i++)
		segment_read(reader, i, le32_get(package->bytes + HEADER_SIZE + 4 * i),
			     headers_end);
	if (reader->n_errors == 0)
		overlaps_check(reader);
	return reader->n_errors > 0 ? -EBADMSG : 0;
}

int metadata_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;
	const struct ddp_segment *segment = segment_find(package, SEGMENT_METADATA);
	const uint8_t *bytes;

	if (segment == NULL)
		return -ENOENT;
	if (segment->size < METADATA_SIZE)
		return reader_error(reader, segment->offset + 8,
				    "the metadata segment has %" PRIu32 " bytes, not %u",
				    segment->size, METADATA_SIZE);
	bytes = package->bytes + segment->offset;
	package->version = version_get(bytes + 44);
	package->track_id = le32_get(bytes + 48);
	package_text(package->name, bytes + 52, DDP_PACKAGE_NAME_SIZE - 1);
	return 0;
}

int counted_take(struct cursor *cursor, const char *name, uint32_t item_size, uint32_t *n,
		 const uint8_t **items) {
	const uint8_t *bytes = cursor->reader->package->bytes + cursor->at;
	uint64_t left = cursor->end - cursor->at;

	assert(cursor->at <= cursor->end);
	if (left < 4)
		return reader_error(cursor->reader, cursor->at,
				    "the segment ends before the number of %s", name);
	*n = le32_get(bytes);
	if (*n > (left - 4) / item_size)
		return reader_error(cursor->reader, cursor->at,
				    "%" PRIu32 " %s do not fit the segment's last %" PRIu64
				    " bytes",
				    *n, name, left - 4);
	*items = bytes + 4;
	cursor->at += 4 + (uint64_t)*n * item_size;
	return 0;
}

int devices_read(struct cursor *cursor) {
	struct ddp_package *package = cursor->reader->package;
	const uint8_t *items;
	uint32_t n;

	assert(package->devices == NULL);
	if (counted_take(cursor, "devices", 8, &n, &items) < 0)
		return -EBADMSG;
	package->n_devices = n;
	package->devices = ddp_arena_alloc(package->arena, n * sizeof(*package->devices));
	for (uint32_t i = 0; i < n; i++, items += 8)
		package->devices[i] = (struct ddp_device){
			.device = le16_get(items),
			.vendor = le16_get(items + 2),
			.sub_device = le16_get(items + 4),
			.sub_vendor = le16_get(items + 6),
		};
	if (counted_take(cursor, "NVM versions", 4, &n, &items) < 0)
		return -EBADMSG;
	package->n_nvm_versions = n;
	package->nvm_versions = ddp_arena_alloc(package->arena, n * sizeof(*package->nvm_versions));
	for (uint32_t i = 0; i < n; i++)
		package->nvm_versions[i] = le32_get(items + 4 * i);
	return 0;
}
