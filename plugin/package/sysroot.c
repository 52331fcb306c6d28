/* SPDX-License-Identifier: BSD-3-Clause */
#include "sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int ddp_sysroot_open(struct ddp_sysroot *root, const char *path, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = path};
	struct stat own, host;
	int error;

	root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0) {
		error = errno;
		ddp_error(diag, &place, "%s", strerror(error));
		diag->unreadable = true;
		return -error;
	}
	root->host = fstat(root->fd, &own) == 0 && stat("/", &host) == 0 &&
		     own.st_dev == host.st_dev && own.st_ino == host.st_ino;
	return 0;
}

void ddp_sysroot_close(struct ddp_sysroot *root) {
	close(root->fd);
}

int ddp_sysroot_fd(const struct ddp_sysroot *root, const char *path, int flags) {
	const struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int fd;

	if (root->host) // needs nothing that old kernels and sandboxes lack
		fd = open(path, flags | O_CLOEXEC);
	else
		fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

static void *fd_read(int fd, size_t *size) {
	struct stat st;
	size_t n = 0;
	char *bytes;
	ssize_t got;

	if (fstat(fd, &st) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode)) {
		errno = EISDIR;
		return NULL;
	}
	// Files of sysfs say 4096 and have less.
	if (st.st_size < 0 || st.st_size > DDP_ROOT_FILE_MAX) {
		errno = EFBIG;
		return NULL;
	}
	bytes = malloc(st.st_size + 1);
	if (bytes == NULL)
		return NULL;
	do {
		got = pread(fd, bytes + n, st.st_size - n, n);
		if (got > 0)
			n += got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		free(bytes);
		return NULL;
	}
	bytes[n] = '\0';
	*size = n;
	return bytes;
}

void *ddp_sysroot_read(const struct ddp_sysroot *root, const char *path, size_t *size) {
	int fd = ddp_sysroot_fd(root, path, O_RDONLY | O_NONBLOCK); // a FIFO must not hold us up
	void *bytes;
	int error;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	bytes = fd_read(fd, size);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

// Where a descriptor leads to, as this process sees it.
static int fd_path(int fd, char path[PATH_MAX]) {
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX - 1);
	if (len < 0)
		return -errno;
	path[len] = '\0';
	return 0;
}

static bool is_link(const struct ddp_sysroot *root, const char *path) {
	int fd = ddp_sysroot_fd(root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	bool link;

	if (fd < 0)
		return false;
	link = fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
	close(fd);
	return link;
}

char *ddp_sysroot_target(const struct ddp_sysroot *root, const char *path) {
	char own[PATH_MAX], target[PATH_MAX];
	int fd, ret;
	size_t len;

	if (!is_link(root, path))
		return NULL;
	fd = ddp_sysroot_fd(root, path, O_PATH);
	if (fd < 0)
		return NULL;
	ret = fd_path(fd, target);
	close(fd);
	if (ret < 0 || fd_path(root->fd, own) < 0)
		return NULL;
	len = strcmp(own, "/") == 0 ? 0 : strlen(own);
	return strncmp(target, own, len) == 0 ? strdup(target + len) : NULL;
}

bool ddp_sysroot_dangles(const struct ddp_sysroot *root, const char *path) {
	int fd;

	if (!is_link(root, path))
		return false;
	fd = ddp_sysroot_fd(root, path, O_PATH);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}
