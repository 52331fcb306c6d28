/* SPDX-License-Identifier: BSD-3-Clause */
// A genuine package, damaged in thousands of ways: each is refused with messages or read safely.
// With sanitizers (scripts/test) this shows most.
//
//	package_damage PACKAGE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "e810/e810.h"
#include "personality/package_open.h"
#include "unit/package/look_at_all.h"

#define BUFFER_SIZE 4096
#define ERRORS_MAX 21  // told of one file
#define SECONDS_MAX 20 // for one variant, on a busy machine with sanitizers
#ifdef DDP_SANITIZED
#define STEP 4 // each so manyth bit and random variant: what is not refused is slow to read
#else
#define STEP 1
#endif

enum verdict {
	ANY,       // good or bad
	MUST_FAIL, // the reader refuses it
};

static struct {
	const char *path;
	uint8_t *bytes;
	size_t size;
	const struct ddp_package *package;
	unsigned int n_variants, n_refused;
	uint64_t random;
} genuine;

static uint32_t random_below(uint32_t n) {
	genuine.random = genuine.random * UINT64_C(6364136223846793005) + 1;
	return (genuine.random >> 33) % n;
}

static void fail(const char *what, size_t offset, const char *reason) {
	fprintf(stderr, "%s: %s at 0x%zx: %s\n", genuine.path, what, offset, reason);
	exit(1);
}

// Read the file's first size bytes as they are now; offset is where they were changed.
static void variant_read(const char *what, size_t size, size_t offset, enum verdict verdict) {
	struct timespec begin, end;
	struct ddp_package *package;
	struct ddp_diag diag;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	ddp_diag_init(&diag);
	package = ddp_package_read("damaged.pkg", genuine.bytes, size, &diag);
	if ((package == NULL) != (diag.n_errors > 0))
		fail(what, offset, package == NULL ? "refused without a word" : "errors, but read");
	if (diag.n_errors > ERRORS_MAX)
		fail(what, offset, "too many messages");
	if (package != NULL && package->kind == DDP_PACKAGE_E810)
		e810_look(package);
	genuine.n_variants++;
	genuine.n_refused += package == NULL;
	if (verdict == MUST_FAIL && package != NULL)
		fail(what, offset, "read as if nothing were wrong");
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (end.tv_sec - begin.tv_sec > SECONDS_MAX)
		fail(what, offset, "takes too long");
}

static uint32_t number_get(size_t offset, unsigned int width) {
	uint32_t value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= (uint32_t)genuine.bytes[offset + i] << 8 * i;
	return value;
}

static void number_put(size_t offset, unsigned int width, uint32_t value) {
	for (unsigned int i = 0; i < width; i++)
		genuine.bytes[offset + i] = value >> 8 * i;
}

static void number_try(const char *what, size_t offset, unsigned int width, uint32_t value,
		       enum verdict verdict) {
	uint32_t good = number_get(offset, width);

	if (value == good)
		return;
	number_put(offset, width, value);
	variant_read(what, genuine.size, offset, verdict);
	number_put(offset, width, good);
}

static void flip_try(const char *what, size_t offset, unsigned int bit, enum verdict verdict) {
	static unsigned int n;

	if (n++ % STEP != 0)
		return;
	genuine.bytes[offset + bit / 8] ^= 1 << bit % 8;
	variant_read(what, genuine.size, offset, verdict);
	genuine.bytes[offset + bit / 8] ^= 1 << bit % 8;
}

static void truncations_try(void) {
	for (size_t size = 0; size < 120; size++)
		variant_read("truncation", size, size, MUST_FAIL);
	for (size_t size = 120; size < genuine.size; size += 1 + random_below(12000))
		variant_read("truncation", size, size, MUST_FAIL);
	variant_read("truncation", genuine.size - 1, genuine.size - 1, MUST_FAIL);
}

// Every bit of the package header and of each segment's type, version and size.
static void headers_try(void) {
	const struct ddp_package *package = genuine.package;

	for (unsigned int bit = 0; bit < 8 * (8 + 4 * package->n_segments); bit++)
		flip_try("bit of the package header", 0, bit, ANY);
	for (unsigned int i = 0; i < package->n_segments; i++) {
		size_t at = package->segments[i].offset;

		for (unsigned int bit = 0; bit < 8 * 12; bit++)
			flip_try("bit of a segment header", at, bit, ANY);
		number_try("offset of a segment", 8 + 4 * (size_t)i, 4, UINT32_MAX, MUST_FAIL);
		number_try("offset of a segment", 8 + 4 * (size_t)i, 4, 0, MUST_FAIL);
		number_try("offset of a segment", 8 + 4 * (size_t)i, 4,
			   package->segments[(i + 1) % package->n_segments].offset, MUST_FAIL);
		number_try("size of a segment", at + 8, 4, UINT32_MAX, MUST_FAIL);
		number_try("size of a segment", at + 8, 4, 43, MUST_FAIL);
	}
}

// The last thing in its segment.
static size_t buffer_offset(unsigned int index) {
	const struct ddp_segment *segment = genuine.package->e810->segment;

	return segment->offset + segment->size -
	       (size_t)(genuine.package->e810->n_buffers - index) * BUFFER_SIZE;
}

// Numbers between the header of the configuration and its buffers.
static void counts_try(void) {
	size_t buffers = buffer_offset(0);

	for (size_t at = buffers - 12; at < buffers; at += 4) {
		for (unsigned int bit = 0; bit < 32; bit++)
			flip_try("bit of a count", at, bit, ANY);
		number_try("count", at, 4, UINT32_MAX, MUST_FAIL);
		number_try("count", at, 4, 0x10000000, MUST_FAIL);
	}
}

static void buffer_try(unsigned int index) {
	size_t at = buffer_offset(index);
	unsigned int n = number_get(at, 2), a = random_below(n), b = random_below(n);
	size_t entry = at + 4 + 8 * (size_t)a;

	number_try("number of sections", at, 2, 0, MUST_FAIL);
	number_try("number of sections", at, 2, UINT16_MAX, MUST_FAIL);
	number_try("data end", at + 2, 2, random_below(12), MUST_FAIL);
	number_try("data end", at + 2, 2, 4097 + random_below(60000), MUST_FAIL);
	number_try("offset of a section", entry + 4, 2, random_below(4 + 8 * n), MUST_FAIL);
	number_try("offset of a section", entry + 4, 2, 4096 + random_below(60000), MUST_FAIL);
	number_try("size of a section", entry + 6, 2, 0, MUST_FAIL);
	number_try("size of a section", entry + 6, 2, 4085 + random_below(60000), MUST_FAIL);
	number_try("overlapping sections", entry + 4, 2, number_get(at + 4 + 8 * (size_t)b + 4, 2),
		   MUST_FAIL);
	flip_try("bit of a buffer's header", at, random_below(32), ANY);
	flip_try("bit of a section's entry", entry, random_below(64), ANY);
	flip_try("bit of a buffer", at, random_below(8 * BUFFER_SIZE), ANY);
}

// Counts and first indexes inside the sections.
static void sections_try(void) {
	const struct e810_part *parts = genuine.package->e810->parts;

	for (unsigned int i = 0; i < genuine.package->e810->n_parts; i++) {
		if (e810_table(genuine.package, parts[i].id)->n_entries == 0 || parts[i].size < 4)
			continue;
		number_try("entries of a section", parts[i].offset, 2, UINT16_MAX, ANY);
		number_try("first entry of a section", parts[i].offset + 2, 2, UINT16_MAX, ANY);
	}
}

static void random_try(void) {
	for (unsigned int i = 0; i < 200 / STEP; i++) {
		size_t offsets[32];
		unsigned int n = 1 + random_below(32);

		for (unsigned int j = 0; j < n; j++) {
			offsets[j] = random_below(genuine.size);
			genuine.bytes[offsets[j]] ^= 1 + random_below(255);
		}
		variant_read("random bytes", genuine.size, offsets[0], ANY);
		for (unsigned int j = 0; j < n; j++)
			genuine.bytes[offsets[j]] = genuine.package->bytes[offsets[j]];
	}
}

int main(int argc, char **argv) {
	struct ddp_package *package;
	struct ddp_diag diag;

	if (argc != 2) {
		fputs("usage: package_damage PACKAGE\n", stderr);
		return 2;
	}
	ddp_diag_init(&diag);
	package = ddp_package_open(argv[1], &diag);
	ddp_diag_print(&diag, stderr);
	if (package == NULL)
		return 1;
	genuine.path = argv[1];
	genuine.package = package;
	genuine.size = package->size;
	genuine.bytes = malloc(package->size);
	if (genuine.bytes == NULL)
		return 1;
	memcpy(genuine.bytes, package->bytes, package->size);
	e810_look(package);
	truncations_try();
	headers_try();
	counts_try();
	for (unsigned int i = 0; i < package->e810->n_buffers; i++)
		buffer_try(i);
	sections_try();
	random_try();
	assert(memcmp(genuine.bytes, package->bytes, package->size) == 0);
	printf("%s: %u variants, %u refused\n", argv[1], genuine.n_variants, genuine.n_refused);
	free(genuine.bytes);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return 0;
}
