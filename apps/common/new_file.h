/* SPDX-License-Identifier: BSD-3-Clause */
// A file that is complete or not there: it is written under another name in the same folder, then
// takes its place with the owner and mode of the old file. If the old file has other names (hard
// links) or cannot be given to its owner, the content is copied into it. A device or a pipe is
// written to as it is.
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
	char *name;    // what it is called until it is complete; NULL: a device or a pipe
	bool in_place; // its content goes into the old file
};

// A descriptor to write to, or -errno with nothing to end.
int new_file_open(struct new_file *file, const char *path);

// All was written and closed (ret is 0): put the file in its place. Otherwise remove it. Returns
// ret, or -errno.
int new_file_end(struct new_file *file, int ret);

#endif
