/* SPDX-License-Identifier: BSD-3-Clause */
#include "log_line.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

#define LINE_SIZE (2 * PATH_MAX + 512) // may name a file twice

bool log_is_journal(void) {
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_line(const char *program, int priority, const char *fmt, ...) {
	char text[LINE_SIZE], line[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ddp_escape(text, line, sizeof(line));
	if (log_is_journal())
		fprintf(stderr, "<%d>%s\n", priority, line);
	else
		fprintf(stderr, "%s: %s\n", program, line);
}
