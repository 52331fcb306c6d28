/* SPDX-License-Identifier: BSD-3-Clause */
// Allocations that fail: the linker puts these in the place of those that the library and the
// driver call
// (--wrap, meson.build), so DPDK's and libc's own are left alone. libyaml's parser counts as one
// that can run out of memory at each event.
#ifndef DDP_TESTS_OOM_FAILING_H
#define DDP_TESTS_OOM_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ERROR_SIZE 4096

// What can run out of memory.
struct operation {
	const char *name;
	// Fails with -errno and text in error (of ERROR_SIZE, empty before), or does it.
	int (*run)(void *arg, char *error);
	// Undo what was done, which must succeed; may be NULL.
	int (*undo)(void *arg, char *error);
	// Asserts that all is as before; may be NULL.
	void (*check)(void *arg);
	void *arg;
};

// Run the operation with its first allocation failing, its second, and so on until it has no more.
// Each time it must fail with -ENOMEM and say so, or work all the same (and be undone); afterwards
// all is as it was, and no memory is lost. At most max of the allocations, chosen evenly, unless
// OOM_ALL is in the environment. Prints how many.
void operation_sweep(const struct operation *operation, unsigned int max);

// Free what telemetry's handlers were given, as the telemetry library does once an answer is sent.
void answers_free(void);

// The next n allocations from now succeed, the one behind them fails; UINT_MAX: none does.
void failing_begin(unsigned int n);
// Returns how many there were.
unsigned int failing_end(void);

// Sanitizers make loading a profile ten times slower, and look at each failure more closely.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOWDOWN 5
#endif
#endif
#ifndef SLOWDOWN
#define SLOWDOWN 1
#endif

#endif
