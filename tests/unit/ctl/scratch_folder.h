/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_SCRATCH_H
#define CTL_SCRATCH_H

#include <fcntl.h>
#include <unistd.h>

#include "common/output.h"
#include "scratch.h"
#include "unit.h"

static inline const char *file_write(const char *name, const void *data, size_t size) {
	scratch_write(name, data, size);
	return scratch_path(name);
}

static inline void output_begin(struct output *out) {
	output_init(out, open(scratch_path("output"), O_CREAT | O_TRUNC | O_WRONLY, 0600));
}

// The text that was written. The caller frees it.
static inline char *output_end(struct output *out) {
	FILE *file = fopen(scratch_path("output"), "rb");
	char *text = NULL;
	size_t size = 0;

	assert_int_equal(output_close(out), 0);
	assert_non_null(file);
	if (getdelim(&text, &size, '\0', file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

// 0 to below - 1.
static inline uint32_t draw(uint32_t below) {
	static uint64_t seed = 1;

	return random_below(&seed, below);
}

#endif
