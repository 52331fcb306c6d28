/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX 100 // attempts to find an unused temporary name

void output_init(struct output *out, int fd) {
	out->fd = fd;
	out->error = 0;
	out->len = 0;
}

void output_flush(struct output *out) {
	size_t done = 0;

	while (done < out->len && out->error == 0) {
		ssize_t n = write(out->fd, out->buf + done, out->len - done);

		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			out->error = errno;
	}
	out->len = 0;
}

void output_mem(struct output *out, const void *data, size_t len) {
	const char *from = data;

	while (len > 0) {
		size_t room = sizeof(out->buf) - out->len;
		size_t n = len < room ? len : room;

		memcpy(out->buf + out->len, from, n);
		out->len += n;
		from += n;
		len -= n;
		if (out->len == sizeof(out->buf))
			output_flush(out);
	}
}

void output_text(struct output *out, const char *text) {
	output_mem(out, text, strlen(text));
}

void output_uint(struct output *out, uint64_t value) {
	char digits[20]; // UINT64_MAX has 20 digits
	size_t at = sizeof(digits);

	do {
		digits[--at] = '0' + value % 10;
		value /= 10;
	} while (value != 0);
	output_mem(out, digits + at, sizeof(digits) - at);
}

void output_blanks(struct output *out, unsigned int n) {
	while (n-- > 0)
		output_char(out, ' ');
}

void output_printf(struct output *out, const char *fmt, ...) {
	char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		no_memory_exit();
	output_mem(out, text, len);
	free(text);
}

int output_close(struct output *out) {
	output_flush(out);
	// Some file systems report a full disk only here. With EBADF the descriptor was closed
	// before the start, and a write has failed already, if there was one.
	if (close(out->fd) < 0 && errno != EBADF && out->error == 0)
		out->error = errno;
	return out->error;
}

void *calloc_or_exit(size_t n, size_t size) {
	void *memory = calloc(n, size);

	if (memory == NULL)
		no_memory_exit();
	return memory;
}

char *strdup_or_exit(const char *text) {
	char *copy = strdup(text);

	if (copy == NULL)
		no_memory_exit();
	return copy;
}

void *grow_or_exit(void *array, size_t n, size_t size) {
	array = reallocarray(array, n + 1, size);
	if (array == NULL)
		no_memory_exit();
	memset((char *)array + n * size, 0, size);
	return array;
}

unsigned int output_columns(const struct output *out) {
	const char *given = getenv("COLUMNS");
	struct winsize window = {0};
	unsigned int columns = 80;

	if (ioctl(out->fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
		columns = window.ws_col;
	else if (given != NULL && strtoul(given, NULL, 10) > 0)
		columns = strtoul(given, NULL, 10);
	return columns < 40 ? 40 : columns;
}

void no_memory_exit(void) {
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(EXIT_UNREADABLE);
}

/* New files */

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
