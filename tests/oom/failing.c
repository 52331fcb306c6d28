/* SPDX-License-Identifier: BSD-3-Clause */
#include "failing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rte_telemetry.h>
#include <yaml.h>

#include "port/harness.h"

#define ANSWERS_MAX 4096

static bool counting;
static unsigned int n_calls, failing = UINT_MAX;
static struct rte_tel_data *answers[ANSWERS_MAX]; // and what is in them
static unsigned int n_answers;
static long n_blocks; // allocated and not freed by the code under test

void failing_begin(unsigned int n) {
	n_calls = 0;
	failing = n;
	counting = true;
}

unsigned int failing_end(void) {
	counting = false;
	return n_calls;
}

static bool fails(void) {
	if (!counting || n_calls++ != failing)
		return false;
	errno = ENOMEM;
	return true;
}

static void *given(void *block) {
	n_blocks += block != NULL;
	return block;
}

// A call that fails with "failed", and else returns "result" of what it really returns.
#define WRAP(type, name, parameters, arguments, failed, result) \
	type __real_##name parameters;                          \
	type __wrap_##name parameters;                          \
	type __wrap_##name parameters {                         \
		type real;                                      \
                                                                \
		if (fails())                                    \
			return failed;                          \
		real = __real_##name arguments;                 \
		return result;                                  \
	}

/* libc */

WRAP(void *, malloc, (size_t size), (size), NULL, given(real))
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, given(real))
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size), NULL, given(real))
WRAP(void *, realloc, (void *old, size_t size), (old, size), NULL, old == NULL ? given(real) : real)
WRAP(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size), NULL,
     old == NULL ? given(real) : real)
WRAP(char *, strdup, (const char *s), (s), NULL, given(real))
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL, given(real))
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, real)
// Of this the text is freed.
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL, given(real))

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
	n_blocks -= block != NULL;
	__real_free(block);
}

int __wrap_asprintf(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *fmt, ...) {
	va_list ap;
	int len;

	if (fails()) {
		*text = (char *)(uintptr_t)0xdead; // what libc leaves there is not defined
		return -1;
	}
	va_start(ap, fmt);
	len = vasprintf(text, fmt, ap);
	va_end(ap);
	if (len >= 0)
		given(*text);
	return len;
}

// The list and its entries.
static int listed(int n) {
	n_blocks += n >= 0 ? n + 1 : 0;
	return n;
}

typedef int filter_fn(const struct dirent *);
typedef int compare_fn(const struct dirent **, const struct dirent **);
WRAP(int, scandir64,
     (const char *dir, struct dirent ***list, filter_fn *filter, compare_fn *compare),
     (dir, list, filter, compare), -1, listed(real))
WRAP(int, scandirat64,
     (int fd, const char *dir, struct dirent ***list, filter_fn *filter, compare_fn *compare),
     (fd, dir, list, filter, compare), -1, listed(real))
WRAP(void *, tsearch, (const void *key, void **root, comparison_fn_t compare), (key, root, compare),
     NULL, real)

/* libyaml */

static int parser_failed(yaml_parser_t *parser, yaml_event_t *event) {
	memset(event, 0, sizeof(*event));
	parser->error = YAML_MEMORY_ERROR;
	return 0;
}

WRAP(int, yaml_parser_initialize, (yaml_parser_t * parser), (parser), 0, real)
WRAP(int, yaml_parser_parse, (yaml_parser_t * parser, yaml_event_t *event), (parser, event),
     parser_failed(parser, event), real)

/* DPDK */

WRAP(void *, rte_malloc_socket, (const char *type, size_t size, unsigned int align, int socket),
     (type, size, align, socket), NULL, real)
WRAP(void *, rte_zmalloc, (const char *type, size_t size, unsigned int align), (type, size, align),
     NULL, real)
WRAP(void *, rte_zmalloc_socket, (const char *type, size_t size, unsigned int align, int socket),
     (type, size, align, socket), NULL, real)
WRAP(void *, rte_calloc_socket,
     (const char *type, size_t n, size_t size, unsigned int align, int socket),
     (type, n, size, align, socket), NULL, real)

struct rte_tel_data *__real_rte_tel_data_alloc(void);
struct rte_tel_data *__wrap_rte_tel_data_alloc(void);
struct rte_tel_data *__wrap_rte_tel_data_alloc(void) {
	if (fails())
		return NULL;
	assert_in_range(n_answers, 0, ANSWERS_MAX - 1);
	answers[n_answers] = __real_rte_tel_data_alloc();
	return answers[n_answers++];
}

void __real_rte_tel_data_free(struct rte_tel_data *data);
void __wrap_rte_tel_data_free(struct rte_tel_data *data);
void __wrap_rte_tel_data_free(struct rte_tel_data *data) {
	for (unsigned int i = 0; i < n_answers; i++)
		if (answers[i] == data)
			answers[i] = answers[--n_answers];
	__real_rte_tel_data_free(data);
}

void answers_free(void) {
	while (n_answers > 0)
		__real_rte_tel_data_free(answers[--n_answers]);
}

/* Operations */

// In our words, or in errno's if a lower device's driver has no memory.
static bool memory_named(const char *error) {
	return strstr(error, "out of memory") != NULL || strstr(error, "no memory for") != NULL ||
	       strstr(error, strerror(ENOMEM)) != NULL;
}

// Returns whether it succeeded. Any failure but of the failing allocation at fails the test.
static bool step(const struct operation *operation, operation_fn *fn, unsigned int at) {
	char error[ERROR_SIZE] = "", logged[ERROR_SIZE];
	int ret;

	log_capture(logged, sizeof(logged));
	ret = fn(operation->arg, error);
	log_release();
	if (error[0] == '\0')
		strcpy(error, logged);
	if (ret != 0 && (ret != -ENOMEM || !memory_named(error) || at == UINT_MAX))
		fail_msg("%s, allocation %u: %d, '%s'", operation->name, at, ret, error);
	return ret == 0;
}

// Returns how many allocations there were; *done: of run and undo neither failed.
static unsigned int operation_fail(const struct operation *operation, unsigned int at, bool *done) {
	operation_fn *undo = operation->undo;
	long before = n_blocks;
	unsigned int n;
	bool ran;

	failing_begin(at);
	ran = *done = step(operation, operation->run, at);
	if (ran && undo != NULL)
		*done = step(operation, undo, at);
	n = failing_end();
	if (ran && !*done)
		step(operation, undo, UINT_MAX);
	if (operation->check != NULL)
		operation->check();
	if (n_blocks < before) { // a part that a port can do without is back after the next change
		step(operation, operation->run, UINT_MAX);
		if (undo != NULL)
			step(operation, undo, UINT_MAX);
	}
	if (n_blocks != before && at != UINT_MAX)
		fail_msg("%s, allocation %u: %ld blocks are lost", operation->name, at,
			 n_blocks - before);
	return n;
}

void operation_sweep(const struct operation *operation) {
	unsigned int n, step_size, n_failed = 0, n_done = 0;
	bool done;

	operation_fail(operation, UINT_MAX, &done); // what a first time allocates for good
	n = operation_fail(operation, UINT_MAX, &done);
	step_size = getenv("OOM_ALL") != NULL || n <= OOM_MAX ? 1 : n / OOM_MAX;
	assert_true(n > 0);
	for (unsigned int at = 0; at < n; at += step_size, n_failed++) {
		if (operation_fail(operation, at, &done) <= at)
			fail_msg("%s: has not %u allocations each time", operation->name, n);
		n_done += done;
	}
	print_message("%s: %u allocations, %u of them failed once each, %u without consequences\n",
		      operation->name, n, n_failed, n_done);
}
