/* SPDX-License-Identifier: BSD-3-Clause */
// Preloaded into a program: one allocation of main() fails, whoever asks for it. OOM_FAIL is its
// number, from 1 on. To the file OOM_COUNT, if that is given, their number is written, and behind
// it those by which a place of the program allocates for the first time, itself or by a library.
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

#define DEPTH 32 // of calls looked at
#define OWN 2    // of the program, innermost ones, that make a place
#define PLACES 8192

static int (*program_main)(int, char **, char **);
static atomic_bool running;
static atomic_ulong n_calls;
static unsigned long failing;
static const char *count_path;
static uintptr_t text_begin, text_end; // of the program

static struct place {
	atomic_uintptr_t at;
	unsigned long first;
} places[PLACES];

static void place_note(unsigned long call) {
	void *frames[DEPTH];
	int n = backtrace(frames, DEPTH);
	uintptr_t at = 0;

	for (int i = 0, own = 0; i < n && own < OWN; i++) {
		if ((uintptr_t)frames[i] < text_begin || (uintptr_t)frames[i] >= text_end)
			continue;
		at = at * 31 + (uintptr_t)frames[i];
		own++;
	}
	for (unsigned int i = at % PLACES, tries = 0; at != 0 && tries < PLACES;
	     tries++, i = (i + 1) % PLACES) {
		uintptr_t there = 0;

		if (atomic_compare_exchange_strong(&places[i].at, &there, at))
			places[i].first = call;
		if (there == 0 || there == at)
			return;
	}
}

static bool fails(void) {
	unsigned long call;

	if (!atomic_load_explicit(&running, memory_order_relaxed))
		return false;
	call = atomic_fetch_add(&n_calls, 1) + 1;
	if (count_path != NULL)
		place_note(call);
	if (call != failing)
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

// The program comes first.
static int text_find(struct dl_phdr_info *info, size_t size, void *arg) {
	(void)size;
	(void)arg;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD ||
		    (info->dlpi_phdr[i].p_flags & PF_X) == 0)
			continue;
		text_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		text_end = text_begin + info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

static void count_write(void) {
	FILE *out = fopen(count_path, "w");

	if (out == NULL || fprintf(out, "%lu\n", n_calls) < 0)
		abort();
	for (unsigned int i = 0; i < PLACES; i++)
		if (places[i].first != 0)
			fprintf(out, "%lu\n", places[i].first);
	if (fclose(out) != 0)
		abort();
}

static int counted_main(int argc, char **argv, char **envp) {
	const char *fail = getenv("OOM_FAIL");
	void *frame;
	int status;

	count_path = getenv("OOM_COUNT");
	dl_iterate_phdr(text_find, NULL);
	backtrace(&frame, 1); // what it allocates at first is not the program's
	failing = fail != NULL ? strtoul(fail, NULL, 10) : 0;
	running = true;
	status = program_main(argc, argv, envp);
	running = false;
	if (count_path != NULL)
		count_write();
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
