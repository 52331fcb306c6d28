/* SPDX-License-Identifier: BSD-3-Clause */
// The end of a benchmark that cannot go on.
#ifndef BENCH_FAIL_H
#define BENCH_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *fmt, ...) {
	va_list args;

	va_start(args, fmt);
	fputs("ddp-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

// ret is 0 or -errno.
static inline void must(int ret, const char *what) {
	if (ret < 0)
		fail("%s: %s", what, strerror(-ret));
}

#endif
