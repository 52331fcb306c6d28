/* SPDX-License-Identifier: BSD-3-Clause */
// A genuine package, damaged in hundreds of ways: each is refused with messages or read safely.
// With sanitizers (scripts/test) this shows most. What must be refused: unit tests of package.
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
#define N_VARIANTS 150 // what is not refused is slow to read
#else
#define N_VARIANTS 500
#endif

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
static bool variant_read(const char *what, size_t size, size_t offset) {
	struct timespec begin, end;
	struct ddp_package *package;
	struct ddp_diag diag;
	bool is_read;

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
	is_read = package != NULL;
	genuine.n_refused += !is_read;
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (end.tv_sec - begin.tv_sec > SECONDS_MAX)
		fail(what, offset, "takes too long");
	return is_read;
}

static void truncation_try(void) {
	size_t size = random_below(genuine.size);

	if (variant_read("truncation", size, size))
		fail("truncation", size, "read as if nothing were wrong");
}

// The place of a number that others depend on: in the headers of the file and of a segment, before
// the buffers, in a buffer's header, in a section's entry or at the begin of a section.
static size_t structure_draw(void) {
	const struct ddp_package *package = genuine.package;
	const struct e810_part *parts = package->e810->parts;
	const struct ddp_segment *segment = &package->segments[random_below(package->n_segments)];
	size_t buffers = package->e810->segment->offset + package->e810->segment->size -
			 (size_t)package->e810->n_buffers * BUFFER_SIZE;
	size_t buffer = buffers + (size_t)random_below(package->e810->n_buffers) * BUFFER_SIZE;

	switch (random_below(6)) {
	case 0:
		return random_below(8 + 4 * package->n_segments);
	case 1:
		return segment->offset + random_below(12);
	case 2:
		return buffers - 1 - random_below(12);
	case 3:
		return buffer + random_below(4);
	case 4:
		return buffer + 4 + random_below(64);
	default:
		return parts[random_below(package->e810->n_parts)].offset + random_below(4);
	}
}

// Some bytes at once, in structures or anywhere.
static void bytes_try(const char *what, unsigned int n_max, bool in_structures) {
	size_t offsets[32];
	unsigned int n = 1 + random_below(n_max);

	for (unsigned int i = 0; i < n; i++) {
		offsets[i] = in_structures ? structure_draw() : random_below(genuine.size);
		genuine.bytes[offsets[i]] ^= 1 + random_below(255);
	}
	variant_read(what, genuine.size, offsets[0]);
	for (unsigned int i = 0; i < n; i++)
		genuine.bytes[offsets[i]] = genuine.package->bytes[offsets[i]];
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
	for (unsigned int i = 0; i < N_VARIANTS; i++) {
		if (i % 4 == 0)
			truncation_try();
		else if (i % 4 == 1)
			bytes_try("random bytes", 32, false);
		else
			bytes_try("bytes of structures", 2, true);
	}
	assert(memcmp(genuine.bytes, package->bytes, package->size) == 0);
	printf("%s: %u variants, %u refused\n", argv[1], genuine.n_variants, genuine.n_refused);
	free(genuine.bytes);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return 0;
}
