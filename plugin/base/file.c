/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *ddp_file_read(const char *path, size_t max, size_t *size, struct ddp_arena *arena,
		    struct ddp_diag *diag) {
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // of a FIFO without waiting
	char *bytes = NULL;
	struct stat st;
	ssize_t n = -1;
	size_t room;

	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		room = (size_t)st.st_size > max ? max + 1 : (size_t)st.st_size;
		bytes = ddp_arena_try_alloc(arena, room + 1);
		errno = ENOMEM;
		while (bytes != NULL && (n = read(fd, bytes + *size, room - *size)) > 0)
			*size += n;
	} else if (fd >= 0) {
		errno = 0;
	}
	if (n < 0 && errno == ENOMEM) {
		ddp_no_memory(diag);
	} else if (n < 0) {
		diag->unreadable = true;
		if (errno == 0)
			ddp_error(diag, DDP_FILE(path), "not a file");
		else
			ddp_error(diag, DDP_FILE(path), "cannot be read: %s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return n < 0 ? NULL : bytes;
}
