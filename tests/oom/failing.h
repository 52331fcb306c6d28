/* SPDX-License-Identifier: BSD-3-Clause */
// Allocations that fail: the linker replaces the calls of the code under test (--wrap,
// meson.build), not those of DPDK and libc. An event of libyaml's parser counts as an allocation.
#ifndef DDP_TESTS_OOM_FAILING_H
#define DDP_TESTS_OOM_FAILING_H

#define ERROR_SIZE 4096

// An operation returns 0, or -errno with its reason in error (of ERROR_SIZE, empty before) or the
// log.
typedef int operation_fn(const void *arg, char *error);

struct operation {
	const char *name;
	operation_fn *run;
	operation_fn *undo; // a second operation, after which all is as before; NULL: none
	const void *arg;
	void (*check)(void); // asserts that all is as before; NULL: nothing to check
};

// Run the operation and its undo, with one failing allocation each time, for a sample of OOM_MAX
// allocations (with OOM_ALL in the environment: for all). Run fails with -ENOMEM and says so, or
// succeeds; so does undo, which must succeed the second time. No memory is lost.
void operation_sweep(const struct operation *operation);

// The next n allocations succeed, the one after them fails; UINT_MAX: none fails.
void failing_begin(unsigned int n);
// Returns how many there were.
unsigned int failing_end(void);

// Free the containers given to telemetry's handlers, as the telemetry library does after an answer.
void answers_free(void);

#endif
