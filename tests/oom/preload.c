/* SPDX-License-Identifier: BSD-3-Clause */
// Preloaded into a program: one allocation of main() fails, whoever asks for it. OOM_FAIL is its number, from 1 on.
// The number of allocations is written to the file OOM_COUNT, if that is given.
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

static int (*program_main)(int, char **, char **);
static atomic_bool running;
static atomic_ulong n_calls;
static unsigned long failing;

static bool fails(void) {
	if (!atomic_load_explicit(&running, memory_order_relaxed))
		return false;
	if (atomic_fetch_add(&n_calls, 1) + 1 != failing)
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

void *reallocarray(void *old, size_t n, size_t size) {
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, all);
}

void *aligned_alloc(size_t align, size_t size) {
	return fails() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **to, size_t align, size_t size) {
	void *data = aligned_alloc(align, size);

	if (data == NULL)
		return ENOMEM;
	*to = data;
	return 0;
}

static int counted_main(int argc, char **argv, char **envp) {
	const char *path = getenv("OOM_COUNT"), *fail = getenv("OOM_FAIL");
	int status;

	failing = fail != NULL ? strtoul(fail, NULL, 10) : 0;
	running = true;
	status = program_main(argc, argv, envp);
	running = false;
	if (path != NULL) {
		FILE *out = fopen(path, "w");

		if (out == NULL || fprintf(out, "%lu\n", n_calls) < 0 || fclose(out) != 0)
			abort();
	}
	return status;
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
		       void (*)(void), void *);

#include <dlfcn.h>

start_main __libc_start_main;

// What libraries allocate before main() is not counted: it is none of the program's.
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*end)(void), void *stack) {
	start_main *real = (start_main *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return real(counted_main, argc, argv, init, fini, end, stack);
}
