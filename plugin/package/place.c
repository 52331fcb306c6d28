/* SPDX-License-Identifier: BSD-3-Clause */
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folders.h"

#define FOLDER DDP_UPDATES_FOLDER DDP_PACKAGE_FOLDER
#define TAG ".ddpctl-"
#define NONE ".none"
#define BACKUPS_MAX 999999

// A name in the folder and what lies beside it.
struct place {
	const struct ddp_root *root;
	const char *name;
	int fd; // of the folder
	struct ddp_diag *diag;
};

// What was there before a placing.
struct backup {
	unsigned int number; // 0: there is none
	bool none;           // nothing was there
	char name[NAME_MAX + 1];
};

static int fail(const struct place *place, const char *name, const char *what, int error) {
	char path[PATH_MAX];
	const struct ddp_place where = {.file = path};

	snprintf(path, sizeof(path), FOLDER "%s%s", name[0] == '\0' ? "" : "/", name);
	ddp_error(place->diag, &where, "%s: %s", what, strerror(error));
	place->diag->unreadable = true;
	return -error;
}

void ddp_package_place_path(const char *name, char path[PATH_MAX]) {
	snprintf(path, PATH_MAX, FOLDER "/%s", name);
}

/* backups */

static void backup_name(const struct place *place, unsigned int number, bool none,
			struct backup *backup) {
	backup->number = number;
	backup->none = none;
	snprintf(backup->name, sizeof(backup->name), "%s" TAG "%u%s", place->name, number,
		 none ? NONE : "");
}

static void temporary_name(const struct place *place, char name[NAME_MAX + 1]) {
	snprintf(name, NAME_MAX + 1, ".%s" TAG "new", place->name);
}

// The number of a backup of this name, 0 for another file.
static unsigned int backup_number(const struct place *place, const char *file, bool *none) {
	size_t len = strlen(place->name);
	unsigned long number;
	char *end;

	if (strncmp(file, place->name, len) != 0 || strncmp(file + len, TAG, strlen(TAG)) != 0)
		return 0;
	file += len + strlen(TAG);
	if (file[0] < '1' || file[0] > '9')
		return 0;
	number = strtoul(file, &end, 10);
	*none = strcmp(end, NONE) == 0;
	return (*none || *end == '\0') && number <= BACKUPS_MAX ? number : 0;
}

// The latest backup below a number, and how many there are; 0, or -errno.
static int backup_find(const struct place *place, unsigned int below, struct backup *backup,
		       unsigned int *n) {
	int fd = openat(place->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*backup = (struct backup){0};
	*n = 0;
	if (dir == NULL)
		return -errno;
	while ((entry = readdir(dir)) != NULL) {
		bool none;
		unsigned int number = backup_number(place, entry->d_name, &none);

		if (number == 0 || number >= below)
			continue;
		++*n;
		if (number > backup->number)
			backup_name(place, number, none, backup);
	}
	closedir(dir);
	return 0;
}

// Whether a backup was made for a placing that did not come to its end, or is what an undo left over.
static bool is_leftover(const struct place *place, const struct backup *backup) {
	struct stat now, then;

	if (fstatat(place->fd, place->name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		return backup->none && errno == ENOENT;
	return !backup->none && fstatat(place->fd, backup->name, &then, AT_SYMLINK_NOFOLLOW) == 0 &&
	       then.st_dev == now.st_dev && then.st_ino == now.st_ino;
}

// The latest backup of a placing that took place, and the leftover above it, each with number 0 for none.
static int backups_find(const struct place *place, struct backup *backup, struct backup *leftover,
			unsigned int *n) {
	int ret = backup_find(place, BACKUPS_MAX + 1, backup, n);

	*leftover = (struct backup){0};
	if (ret < 0 || backup->number == 0 || !is_leftover(place, backup))
		return ret;
	*leftover = *backup;
	return backup_find(place, leftover->number, backup, n);
}

/* the folder */

static int lock(const struct place *place) {
	if (flock(place->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return fail(place, "", "another ddpctl is at work here", EBUSY);
	return fail(place, "", "cannot lock", errno);
}

// Remove folders that a placing made, from the lowest on, as far as nothing else is in them.
static void folders_remove(const struct place *place, unsigned int n) {
	char path[] = FOLDER;

	while (n > 0 && path[0] != '\0') {
		char *slash = strrchr(path, '/');
		int fd, error;

		*slash = '\0';
		fd = ddp_root_fd(place->root, slash == path ? "/" : path, O_RDONLY | O_DIRECTORY);
		error = fd < 0 ? -fd : unlinkat(fd, slash + 1, AT_REMOVEDIR) < 0 ? errno : 0;
		if (fd >= 0)
			close(fd);
		if (error != 0 && error != ENOENT)
			return;
		n -= error == 0;
	}
}

// How many folders were made, as the mark of an empty place says.
static unsigned int folders_made(const struct place *place, const struct backup *mark) {
	int fd = openat(place->fd, mark->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	unsigned int n = 0;
	char digit = '0';

	if (fd >= 0 && read(fd, &digit, 1) == 1 && digit >= '0' && digit <= '9')
		n = digit - '0';
	if (fd >= 0)
		close(fd);
	return n;
}

/* place */

// Write a file that is not there, whole and on the disk. 0, or -errno.
static int file_write(const struct place *place, const char *name, const void *bytes, size_t size) {
	int fd = openat(place->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t n = 0;
	int error = 0;

	if (fd < 0)
		return -errno;
	while (n < size && error == 0) {
		ssize_t written = write(fd, (const char *)bytes + n, size - n);

		if (written >= 0)
			n += written;
		else if (errno != EINTR)
			error = errno;
	}
	if (error == 0 &&
	    (fchmod(fd, 0644) < 0 || fsync(fd) < 0)) // whatever the umask: others look, too
		error = errno;
	if (close(fd) < 0 && error == 0)
		error = errno;
	return -error;
}

// Give what is there a second name, or mark the empty place. 0, or -errno with an error.
static int backup_make(const struct place *place, const struct backup *backup, unsigned int n_made) {
	const char digit = '0' + n_made;
	int ret;

	if (backup->none)
		ret = file_write(place, backup->name, &digit, 1);
	else
		ret = linkat(place->fd, place->name, place->fd, backup->name, 0) < 0 ? -errno : 0;
	if (ret == 0 && fsync(place->fd) < 0)
		ret = -errno;
	return ret < 0 ? fail(place, backup->name, "cannot keep what is replaced", -ret) : 0;
}

static bool is_same(const struct place *place, const void *bytes, size_t size) {
	int fd = openat(place->fd, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t there_size;
	bool same = false;
	void *there;

	if (fd < 0)
		return false;
	there = ddp_fd_read(fd, &there_size);
	if (there != NULL)
		same = there_size == size && memcmp(there, bytes, size) == 0;
	free(there);
	close(fd);
	return same;
}

static bool is_there(const struct place *place) {
	struct stat st;

	return fstatat(place->fd, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

// The file is written as temporary and comes by its name at last.
static int replace(const struct place *place, const char *temporary, const struct backup *backup,
		   bool marked, unsigned int n_made, const void *bytes, size_t size) {
	int ret;

	unlinkat(place->fd, temporary, 0); // of one who was killed
	ret = file_write(place, temporary, bytes, size);
	if (ret < 0) {
		fail(place, temporary, "cannot write", -ret);
		goto remove_temporary;
	}
	ret = marked ? 0 : backup_make(place, backup, n_made);
	if (ret < 0)
		goto remove_backup;
	if (renameat(place->fd, temporary, place->fd, place->name) < 0) {
		ret = fail(place, place->name, "cannot replace", errno);
		goto remove_backup;
	}
	if (fsync(place->fd) < 0) // it is there, though perhaps not after a power failure
		return fail(place, "", "cannot sync", errno);
	return 0;

remove_backup:
	if (!marked)
		unlinkat(place->fd, backup->name, 0);
remove_temporary:
	unlinkat(place->fd, temporary, 0);
	return ret;
}

static int locked_place(const struct place *place, unsigned int n_made, const void *bytes,
			size_t size, bool dry_run, struct ddp_placed *placed) {
	char temporary[NAME_MAX + 1];
	struct backup backup, leftover;
	unsigned int n;
	int ret = backups_find(place, &backup, &leftover, &n);

	if (ret < 0)
		return fail(place, "", "cannot read", -ret);
	temporary_name(place, temporary);
	placed->same = is_same(place, bytes, size);
	if (placed->same)
		return 0;
	// The mark of a leftover says what ours would say, and knows which folders were made.
	if (leftover.number != 0 && leftover.none)
		backup = leftover;
	else
		backup_name(place, (leftover.number ?: backup.number) + 1, !is_there(place),
			    &backup);
	if (!backup.none)
		snprintf(placed->backup, sizeof(placed->backup), FOLDER "/%s", backup.name);
	if (dry_run)
		return 0;
	if (leftover.number != 0 && !leftover.none)
		unlinkat(place->fd, leftover.name, 0);
	return replace(place, temporary, &backup, leftover.number != 0 && leftover.none, n_made,
		       bytes, size);
}

static void placed_init(struct ddp_placed *placed, const char *name) {
	*placed = (struct ddp_placed){0};
	ddp_package_place_path(name, placed->path);
}

int ddp_package_place(const struct ddp_root *root, const char *name, const void *bytes, size_t size,
		      bool dry_run, struct ddp_placed *placed, struct ddp_diag *diag) {
	struct place place = {.root = root, .name = name, .diag = diag};
	unsigned int n_made = 0;
	int ret;

	placed_init(placed, name);
	place.fd = dry_run ? ddp_root_fd(root, FOLDER, O_RDONLY | O_DIRECTORY) :
			     ddp_root_dir_make(root, FOLDER, &n_made);
	if (dry_run && place.fd == -ENOENT)
		return 0;
	if (place.fd < 0) {
		folders_remove(&place, n_made);
		return fail(&place, "", "cannot make", -place.fd);
	}
	ret = dry_run ? 0 : lock(&place);
	if (ret == 0)
		ret = locked_place(&place, n_made, bytes, size, dry_run, placed);
	if (ret < 0)
		folders_remove(&place, n_made);
	close(place.fd);
	return ret;
}

/* undo */

static int restore(const struct place *place, const struct backup *backup) {
	unsigned int n_made = 0;

	if (!backup->none) {
		if (renameat(place->fd, backup->name, place->fd, place->name) < 0)
			return fail(place, place->name, "cannot restore", errno);
	} else {
		n_made = folders_made(place, backup);
		if (unlinkat(place->fd, place->name, 0) < 0 && errno != ENOENT)
			return fail(place, place->name, "cannot remove", errno);
		if (unlinkat(place->fd, backup->name, 0) < 0)
			return fail(place, backup->name, "cannot remove", errno);
	}
	if (fsync(place->fd) < 0)
		return fail(place, "", "cannot sync", errno);
	folders_remove(place, n_made);
	return 0;
}

static int nothing(const struct place *place) {
	char path[PATH_MAX];
	const struct ddp_place where = {.file = path};

	snprintf(path, sizeof(path), FOLDER "/%s", place->name);
	ddp_error(place->diag, &where, "there is nothing to undo");
	return -ENOENT;
}

static int locked_undo(const struct place *place, bool dry_run, struct ddp_placed *placed) {
	char temporary[NAME_MAX + 1];
	struct backup backup, leftover;
	unsigned int n;
	int ret = backups_find(place, &backup, &leftover, &n);

	if (ret < 0)
		return fail(place, "", "cannot read", -ret);
	if (backup.number != 0 && !backup.none)
		snprintf(placed->backup, sizeof(placed->backup), FOLDER "/%s", backup.name);
	if (dry_run)
		return backup.number != 0 ? 0 : nothing(place);
	temporary_name(place, temporary);
	unlinkat(place->fd, temporary, 0);
	if (leftover.number != 0 && leftover.none)
		ret = restore(place, &leftover);
	else if (leftover.number != 0)
		unlinkat(place->fd, leftover.name, 0);
	if (ret < 0)
		return ret;
	return backup.number != 0 ? restore(place, &backup) : nothing(place);
}

int ddp_package_undo(const struct ddp_root *root, const char *name, bool dry_run,
		     struct ddp_placed *placed, struct ddp_diag *diag) {
	struct place place = {.root = root, .name = name, .diag = diag};
	int ret;

	placed_init(placed, name);
	place.fd = ddp_root_fd(root, FOLDER, O_RDONLY | O_DIRECTORY);
	if (place.fd == -ENOENT)
		return nothing(&place);
	if (place.fd < 0)
		return fail(&place, "", "cannot open", -place.fd);
	ret = dry_run ? 0 : lock(&place);
	if (ret == 0)
		ret = locked_undo(&place, dry_run, placed);
	close(place.fd);
	return ret;
}

unsigned int ddp_package_undo_depth(const struct ddp_root *root, const char *name) {
	struct place place = {.root = root, .name = name};
	struct backup backup, leftover;
	unsigned int n = 0;

	place.fd = ddp_root_fd(root, FOLDER, O_RDONLY | O_DIRECTORY);
	if (place.fd < 0)
		return 0;
	if (backups_find(&place, &backup, &leftover, &n) < 0)
		n = 0;
	close(place.fd);
	return n;
}
