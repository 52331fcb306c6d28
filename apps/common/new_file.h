/* SPDX-License-Identifier: BSD-3-Clause */
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
#ifndef DDP_COMMON_NEW_FILE_H
#define DDP_COMMON_NEW_FILE_H

#include <stdbool.h>

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
