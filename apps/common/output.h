/* SPDX-License-Identifier: BSD-3-Clause */
// Buffered output to a file descriptor, which stores the first error.
//
// Functions that write do not fail: after the first error the rest is dropped. Loops check error
// from time to time, and main() reports it.
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Exit statuses of ddpctl and ddp-fwd.
enum exit_status {
	EXIT_GOOD = 0,
	EXIT_NO = 1,         // the answer is no, or a profile cannot be used
	EXIT_FAILED = 1,     // a request failed
	EXIT_USAGE = 2,      // the command line is wrong
	EXIT_UNREADABLE = 3, // a file or a process cannot be read, or output cannot be written
};

struct output {
	int fd;
	int error; // errno of the first failure, 0 for none
	size_t len;
	char buf[1 << 16];
};

void output_init(struct output *out, int fd);

void output_mem(struct output *out, const void *data, size_t len);
void output_text(struct output *out, const char *text);
void output_uint(struct output *out, uint64_t value);
void output_blanks(struct output *out, unsigned int n);
void output_printf(struct output *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Columns of a line: of the terminal, else of $COLUMNS, else 80; at least 40.
unsigned int output_columns(const struct output *out);

void output_flush(struct output *out);

// Flush and close the descriptor. Returns the first error ever, 0 for none.
int output_close(struct output *out);

// Print "out of memory" and exit: a tool has nothing to undo.
_Noreturn void no_memory_exit(void);

// Zeroed memory that the caller frees, never NULL.
void *calloc_or_exit(size_t n, size_t size);
char *strdup_or_exit(const char *text);
void *grow_or_exit(void *array, size_t n, size_t size); // by a zeroed element after n

static inline void output_char(struct output *out, char c) {
	if (out->len == sizeof(out->buf))
		output_flush(out);
	out->buf[out->len++] = c;
}

/* New files */

// A file that is complete or does not exist: it is written under another name in its folder, then
// replaces the old file with its owner and mode. If the old file has other names (hard links) or
// another owner that cannot be set, the content is copied into it. A device or a pipe is written
// directly.
//
//	fd = new_file_open(&file, path);
//	if (fd < 0)
//		return fd;
//	... write, then close fd; ret is 0 or the reason of a failure
//	return new_file_end(&file, ret);
struct new_file {
	char *path;    // symbolic links are followed
	char *name;    // temporary name; NULL: a device or a pipe
	bool in_place; // its content goes into the old file
};

// Returns a descriptor to write to, or -errno; then there is nothing to end.
int new_file_open(struct new_file *file, const char *path);

// If ret is 0, everything is written and closed: put the file at its path. Otherwise remove it.
// Returns ret, or -errno.
int new_file_end(struct new_file *file, int ret);

#endif
