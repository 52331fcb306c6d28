/* SPDX-License-Identifier: BSD-3-Clause */
// A file system below a folder: that of this machine ("/"), or a tree of another one.
//
// Paths begin with '/' and stay below the root whatever symbolic links say, as after chroot.
#ifndef DDP_PACKAGE_SYSROOT_H
#define DDP_PACKAGE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define DDP_ROOT_FILE_MAX \
	(64U << 20) // a file larger than this is not read: packages have less than 1 MB

struct ddp_sysroot {
	int fd;
	bool host; // this machine's own
};

// 0, or -errno with one error in diag.
int ddp_sysroot_open(struct ddp_sysroot *root, const char *path, struct ddp_diag *diag);
void ddp_sysroot_close(struct ddp_sysroot *root);

// open(2) of an existing path. A descriptor, or -errno.
int ddp_sysroot_fd(const struct ddp_sysroot *root, const char *path, int flags);

// All of a regular file, with a NUL behind it. The caller frees it. NULL with errno: EISDIR for
// what is neither file nor folder too, EFBIG, or what open and read say.
void *ddp_sysroot_read(const struct ddp_sysroot *root, const char *path, size_t *size);

// What a symbolic link leads to in the end, as a path of this root. The caller frees it. NULL for
// what is no link, or leads nowhere.
char *ddp_sysroot_target(const struct ddp_sysroot *root, const char *path);

// Whether there is a symbolic link that leads nowhere.
bool ddp_sysroot_dangles(const struct ddp_sysroot *root, const char *path);

#endif
