/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_parts.h"

#define NAMES_MAX 100 // of temporary files that are tried

static int page_write(const struct simulation *simulation, const struct report_story *story, int fd) {
	static const struct report_story untold;
	static struct output out;
	struct report report = {
		.out = &out,
		.simulation = simulation,
		.story = story == NULL ? &untold : story,
	};

	output_init(&out, fd);
	report_choose(&report);
	report_page(&report);
	return -output_close(&out);
}

// A new file beside path. Its descriptor or -errno; *name is for the caller to free.
static int beside_open(const char *path, mode_t mode, char **name) {
	for (unsigned int i = 0; i < NAMES_MAX; i++) {
		int fd;

		if (asprintf(name, "%s.%d.%u.new", path, (int)getpid(), i) < 0)
			return -ENOMEM;
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0)
			return fd;
		free(*name);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

// Put a page in the place of the regular file path, if there is one.
static int file_replace(const struct simulation *simulation, const struct report_story *story,
			const char *path, mode_t mode) {
	char *name;
	int ret = beside_open(path, mode, &name);

	if (ret < 0)
		return ret;
	ret = page_write(simulation, story, ret);
	if (ret == 0 && rename(name, path) < 0)
		ret = -errno;
	if (ret < 0)
		unlink(name);
	free(name);
	return ret;
}

// A device or a pipe is written to, not replaced.
static int stream_write(const struct simulation *simulation, const struct report_story *story,
			const char *path) {
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : page_write(simulation, story, fd);
}

int report_write(const struct simulation *simulation, const struct report_story *story,
		 const char *path) {
	struct stat st;
	char *target;
	int ret;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? file_replace(simulation, story, path, 0666) : -errno;
	if (!S_ISREG(st.st_mode))
		return stream_write(simulation, story, path);
	target = realpath(path, NULL); // a symbolic link stays one
	if (target == NULL)
		return -errno;
	ret = file_replace(simulation, story, target, st.st_mode & 0777);
	free(target);
	return ret;
}

int report_or_tell(const struct simulation *simulation, const struct report_story *story,
		   const struct options *options) {
	int ret;

	if (options->report == NULL)
		return CTL_GOOD;
	ret = report_write(simulation, story, options->report);
	if (ret == 0)
		return CTL_GOOD;
	fprintf(stderr, "ddpctl: %s: %s\n", options->report, strerror(-ret));
	return CTL_UNREADABLE;
}
