/* SPDX-License-Identifier: BSD-3-Clause */
// Preloaded into a program: allocation OOM_FAIL of main(), from 1 on, fails, whether the program or
// a library asks for it. Their number is written to the file OOM_COUNT, if that is given.
#include <dlfcn.h>
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

typedef int main_fn(int, char **, char **);

static main_fn *program_main;
static atomic_bool running; // what libraries allocate before main() is not counted
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

void *reallocarray(void *old, size_t n, size_t size) {
	size_t all;

	if (!__builtin_mul_overflow(n, size, &all))
		return realloc(old, all);
	errno = ENOMEM;
	return NULL;
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
	const char *fail = getenv("OOM_FAIL"), *path = getenv("OOM_COUNT");
	int status;
	FILE *out;

	failing = fail != NULL ? strtoul(fail, NULL, 10) : 0;
	running = true;
	status = program_main(argc, argv, envp);
	running = false;
	out = path != NULL ? fopen(path, "w") : NULL;
	if (out != NULL) {
		fprintf(out, "%lu\n", n_calls);
		fclose(out);
	}
	return status;
}

typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
		     void *);

start_fn __libc_start_main;

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*end)(void), void *stack) {
	start_fn *real = (start_fn *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return real(counted_main, argc, argv, init, fini, end, stack);
}
