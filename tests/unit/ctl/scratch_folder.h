/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_SCRATCH_H
#define CTL_SCRATCH_H

#include <unistd.h>

#include "common/output.h"
#include "scratch.h"
#include "unit.h"

#define ETHERNET 1 // link types

// The content of a file, with a NUL behind it. The caller frees it.
static inline char *file_read(const char *path) {
	FILE *file = fopen(path, "rb");
	char *text;
	long size;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, size, file), size);
	fclose(file);
	return text;
}

static inline const char *file_write(const char *name, const void *data, size_t size) {
	scratch_write(name, data, size);
	return scratch_path(name);
}

struct capture_file {
	FILE *file;
	const char *path;
};

static inline void capture_create(struct capture_file *capture, const char *name,
				  uint32_t link_type) {
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snap_len, link_type;
	} header = {0xa1b2c3d4, 2, 4, 0, 0, 65535, link_type};

	capture->path = scratch_path(name);
	capture->file = fopen(capture->path, "wb");
	assert_non_null(capture->file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, capture->file), 1);
}

// len bytes are said to be there, size are written.
static inline void capture_put(struct capture_file *capture, const void *data, uint32_t size,
			       uint32_t len) {
	const uint32_t header[4] = {0, 0, len, len};

	assert_int_equal(fwrite(header, sizeof(header), 1, capture->file), 1);
	assert_int_equal(fwrite(data, 1, size, capture->file), size);
}

static inline const char *capture_done(struct capture_file *capture) {
	assert_int_equal(fclose(capture->file), 0);
	return capture->path;
}

static inline void output_begin(struct output *out) {
	FILE *file = fopen(scratch_path("output"), "wb");

	assert_non_null(file);
	output_init(out, dup(fileno(file)));
	fclose(file);
}

static inline char *output_end(struct output *out) {
	assert_int_equal(output_close(out), 0);
	return file_read(scratch_path("output"));
}

#endif
