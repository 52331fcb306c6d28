/* SPDX-License-Identifier: BSD-3-Clause */
// Preloaded into a program: allocation OOM_FAIL, from 1 on, fails, whether the program or a library
// asks for it. At its end their number is written to the file OOM_COUNT, if that is given. What
// libraries allocate before main() is not counted.
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_bool running;
static atomic_ulong n_calls;
static unsigned long failing;

static bool fails(void) {
	if (!running || atomic_fetch_add(&n_calls, 1) + 1 != failing)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size) {
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size) {
	return fails() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **to, size_t align, size_t size) {
	*to = aligned_alloc(align, size);
	return *to == NULL ? ENOMEM : 0;
}

// Preloaded libraries are the last to begin before the program, and the first to end.
__attribute__((constructor)) static void begin(void) {
	const char *fail = getenv("OOM_FAIL");

	failing = fail != NULL ? strtoul(fail, NULL, 10) : 0;
	running = true;
}

__attribute__((destructor)) static void end(void) {
	const char *path = getenv("OOM_COUNT");
	FILE *out;

	running = false;
	out = path != NULL ? fopen(path, "w") : NULL;
	if (out == NULL)
		return;
	fprintf(out, "%lu\n", n_calls);
	fclose(out);
}
