/* SPDX-License-Identifier: BSD-3-Clause */
// A package that holds nothing but its bytes, from a file or from memory.
#include "package.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read.h"

#define PACKAGE_SIZE_MAX (1 << 26) // bytes: the public packages have less than one million

// The bytes are not filled in. NULL with errno and an error in diag.
static struct ddp_package *package_create(const char *path, uint64_t size, uint8_t **bytes,
					  struct ddp_diag *diag) {
	struct ddp_place place = {.file = path};
	struct ddp_package *package;
	struct ddp_arena *arena;
	char *path_copy;

	if (size > PACKAGE_SIZE_MAX) {
		ddp_error(diag, &place, "too large for a package");
		errno = EFBIG;
		return NULL;
	}
	arena = ddp_arena_create();
	package = ddp_arena_try_alloc(arena, sizeof(*package));
	path_copy = ddp_arena_try_alloc(arena, strlen(path) + 1);
	*bytes = ddp_arena_try_alloc(arena, size > 0 ? size : 1);
	if (package == NULL || path_copy == NULL || *bytes == NULL) {
		ddp_arena_destroy(arena);
		ddp_no_memory(diag);
		return NULL;
	}
	package->arena = arena;
	package->path = strcpy(path_copy, path);
	package->bytes = *bytes;
	package->size = size;
	return package;
}

struct ddp_package *package_copy(const char *path, const void *bytes, size_t size,
				 struct ddp_diag *diag) {
	uint8_t *copy;
	struct ddp_package *package = package_create(path, size, &copy, diag);

	if (package != NULL && size > 0)
		memcpy(copy, bytes, size);
	return package;
}

// Exactly size bytes. 0 or -errno.
static int bytes_read(int fd, uint8_t *bytes, size_t size) {
	while (size > 0) {
		ssize_t n = read(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		size -= n;
	}
	return 0;
}

static struct ddp_package *unreadable(const char *path, int error, struct ddp_diag *diag) {
	struct ddp_place place = {.file = path};

	ddp_error(diag, &place, "cannot be read: %s", strerror(error));
	diag->unreadable = true;
	errno = error;
	return NULL;
}

struct ddp_package *package_load(const char *path, struct ddp_diag *diag) {
	struct ddp_package *package;
	struct stat stat;
	uint8_t *bytes;
	int fd, ret = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return unreadable(path, errno, diag);
	if (fstat(fd, &stat) < 0)
		ret = errno;
	else if (!S_ISREG(stat.st_mode))
		ret = S_ISDIR(stat.st_mode) ? EISDIR : EINVAL;
	if (ret != 0) {
		close(fd);
		return unreadable(path, ret, diag);
	}
	package = package_create(path, stat.st_size, &bytes, diag);
	if (package != NULL)
		ret = bytes_read(fd, bytes, stat.st_size);
	close(fd);
	if (ret < 0) {
		ddp_package_close(package);
		return unreadable(path, -ret, diag);
	}
	return package;
}

void ddp_package_close(struct ddp_package *package) {
	if (package != NULL)
		ddp_arena_destroy(package->arena);
}
