/* SPDX-License-Identifier: BSD-3-Clause */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX 100 // attempts to find an unused temporary name

// Create a temporary file beside file->path. Returns its descriptor or -errno.
static int beside_open(struct new_file *file, mode_t mode) {
	for (unsigned int i = 0; i < NAMES_MAX; i++) {
		int fd;

		if (asprintf(&file->name, "%s.%d.%u.new", file->path, (int)getpid(), i) < 0)
			return -ENOMEM;
		fd = open(file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0)
			return fd;
		free(file->name);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int new_file_open(struct new_file *file, const char *path) {
	bool exists;
	struct stat st;
	int fd;

	*file = (struct new_file){0};
	exists = stat(path, &st) == 0;
	if (!exists && errno != ENOENT)
		return -errno;
	if (exists && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	file->path = exists ? realpath(path, NULL) : strdup(path);
	if (file->path == NULL)
		return -errno;
	fd = beside_open(file, exists ? st.st_mode & 0777 : 0666);
	if (fd < 0) {
		free(file->path);
		return fd;
	}
	// The file keeps its owner, mode and other names. If the owner cannot be set, the old file
	// is written, if that is allowed.
	if (exists) {
		file->in_place = (fchown(fd, st.st_uid, st.st_gid) < 0 || st.st_nlink > 1) &&
				 access(file->path, W_OK) == 0;
		fchmod(fd, st.st_mode & 07777);
	}
	return fd;
}

static int content_copy(const struct new_file *file) {
	int from = open(file->name, O_RDONLY | O_CLOEXEC);
	int to = open(file->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int ret = from < 0 || to < 0 ? -errno : 0;
	ssize_t n = 1;

	while (ret == 0 && n > 0) {
		n = sendfile(to, from, NULL, INT_MAX);
		ret = n < 0 ? -errno : 0;
	}
	if (close(to) < 0 && ret == 0)
		ret = -errno;
	close(from);
	return ret;
}

int new_file_end(struct new_file *file, int ret) {
	if (file->name == NULL)
		return ret;
	if (ret == 0 && file->in_place)
		ret = content_copy(file);
	else if (ret == 0 && rename(file->name, file->path) < 0)
		ret = -errno;
	if (ret < 0 || file->in_place)
		unlink(file->name);
	free(file->name);
	free(file->path);
	return ret;
}
