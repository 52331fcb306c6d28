/* SPDX-License-Identifier: BSD-3-Clause */
// A package from its file, whatever its family.
#include "package/package.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e810/e810.h"
#include "package/read.h"

#define ERRORS_MAX 20              // told; a file of random bytes has thousands
#define PACKAGE_SIZE_MAX (1 << 26) // bytes: the public packages have less than one million
#define MESSAGE_SIZE 512

static void message_add(struct package_reader *reader, enum ddp_severity severity, uint64_t offset,
			const char *fmt, va_list ap) {
	struct ddp_place place = {
		.file = reader->package->path, .line = offset, .col = DDP_PLACE_BYTE};
	char text[MESSAGE_SIZE];

	vsnprintf(text, sizeof(text), fmt, ap);
	ddp_diag_add(reader->diag, severity, &place, "%s", text);
}

int reader_error(struct package_reader *reader, uint64_t offset, const char *fmt, ...) {
	va_list ap;

	if (reader->n_errors++ < ERRORS_MAX) {
		va_start(ap, fmt);
		message_add(reader, DDP_ERROR, offset, fmt, ap);
		va_end(ap);
	}
	return -EBADMSG;
}

void reader_warn(struct package_reader *reader, uint64_t offset, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	message_add(reader, DDP_WARNING, offset, fmt, ap);
	va_end(ap);
}

bool ddp_is_package(const char *spec) {
	static const char *const ends[] = {".pkg", ".pkgo"};
	size_t len = strcspn(spec, ":;");

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end_len = strlen(ends[i]);

		if (len > end_len && strncmp(spec + len - end_len, ends[i], end_len) == 0)
			return true;
	}
	return false;
}

// The family's own part, by the first segment that holds a configuration.
static int family_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;

	for (unsigned int i = 0; i < package->n_segments; i++) {
		switch (package->segments[i].type) {
		case SEGMENT_E810:
		case SEGMENT_E830:
			package->kind = DDP_PACKAGE_E810;
			return e810_read(reader);
		case SEGMENT_I40E:
		case SEGMENT_X722:
			return i40e_read(reader);
		}
	}
	return reader_error(reader, 4,
			    "no segment holds the configuration of an 800- or 700-series "
			    "NIC");
}

struct reading {
	struct package_reader reader;
	int ret;
};

static void all_read(void *arg) {
	struct reading *reading = arg;
	struct package_reader *reader = &reading->reader;
	struct ddp_place place = {.file = reader->package->path};

	reading->ret = container_read(reader);
	if (reading->ret == 0)
		reading->ret = family_read(reader);
	if (reader->n_errors > ERRORS_MAX)
		ddp_error(reader->diag, &place, "and %u errors more", reader->n_errors - ERRORS_MAX);
	if (reader->n_errors > 0)
		reading->ret = -EBADMSG;
}

// A package that holds nothing but its bytes, which are not filled in. NULL without memory.
static struct ddp_package *package_create(const char *path, size_t size, uint8_t **bytes) {
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_package *package = ddp_arena_try_alloc(arena, sizeof(*package));
	char *path_copy = ddp_arena_try_alloc(arena, strlen(path) + 1);

	*bytes = ddp_arena_try_alloc(arena, size > 0 ? size : 1);
	if (package == NULL || path_copy == NULL || *bytes == NULL) {
		ddp_arena_destroy(arena);
		return NULL;
	}
	package->arena = arena;
	package->path = strcpy(path_copy, path);
	package->bytes = *bytes;
	package->size = size;
	return package;
}

static struct ddp_package *read_or_close(struct ddp_package *package, struct ddp_diag *diag) {
	struct reading reading = {.reader = {.package = package, .diag = diag}};
	int ret = ddp_arena_run(all_read, &reading);

	if (ret < 0)
		ddp_no_memory(diag);
	else
		ret = reading.ret;
	if (ret == 0)
		return package;
	ddp_package_close(package);
	errno = ret == -ENOMEM ? ENOMEM : EBADMSG;
	return NULL;
}

static bool is_too_large(const char *path, uint64_t size, struct ddp_diag *diag) {
	struct ddp_place place = {.file = path};

	if (size > PACKAGE_SIZE_MAX)
		ddp_error(diag, &place, "too large for a package");
	return size > PACKAGE_SIZE_MAX;
}

struct ddp_package *ddp_package_read(const char *path, const void *bytes, size_t size,
				     struct ddp_diag *diag) {
	struct ddp_package *package;
	uint8_t *copy;

	if (is_too_large(path, size, diag)) {
		errno = EFBIG;
		return NULL;
	}
	package = package_create(path, size, &copy);
	if (package == NULL) {
		ddp_no_memory(diag);
		return NULL;
	}
	if (size > 0)
		memcpy(copy, bytes, size);
	return read_or_close(package, diag);
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

struct ddp_package *ddp_package_open(const char *path, struct ddp_diag *diag) {
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
	if (ret != 0 || is_too_large(path, stat.st_size, diag)) {
		close(fd);
		errno = EFBIG;
		return ret != 0 ? unreadable(path, ret, diag) : NULL;
	}
	package = package_create(path, stat.st_size, &bytes);
	if (package == NULL) {
		close(fd);
		ddp_no_memory(diag);
		return NULL;
	}
	ret = bytes_read(fd, bytes, stat.st_size);
	close(fd);
	if (ret < 0) {
		ddp_package_close(package);
		return unreadable(path, -ret, diag);
	}
	return read_or_close(package, diag);
}

void ddp_package_close(struct ddp_package *package) {
	if (package != NULL)
		ddp_arena_destroy(package->arena);
}
