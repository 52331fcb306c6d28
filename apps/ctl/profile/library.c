/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "common/strbuf.h"
#include "profile/profile.h"

#define SUFFIX ".yaml"

static bool is_found(const struct library *library, const char *name) {
	for (unsigned int i = 0; i < library->n; i++)
		if (strcmp(library->profiles[i].name, name) == 0)
			return true;
	return false;
}

static void entry_add(struct library *library, const char *dir, const char *entry) {
	int len = strlen(entry) - strlen(SUFFIX);
	struct library_profile found;

	if (len <= 0 || strcmp(entry + len, SUFFIX) != 0)
		return;
	if (asprintf(&found.name, "%.*s", len, entry) < 0 ||
	    asprintf(&found.file, "%s/%s", dir, entry) < 0)
		no_memory_exit();
	if (is_found(library, found.name)) {
		free(found.name);
		free(found.file);
		return;
	}
	library->profiles = grow_or_exit(library->profiles, library->n, sizeof(found));
	library->profiles[library->n++] = found;
}

// A directory that does not exist is no mistake: not every place of the search path is in use.
static int dir_scan(struct library *library, const char *dir) {
	DIR *stream = opendir(dir);
	struct dirent *entry;

	if (stream == NULL) {
		if (errno == ENOENT)
			return EXIT_GOOD;
		error_print("%s: %s", dir, strerror(errno));
		return EXIT_UNREADABLE;
	}
	while ((entry = readdir(stream)) != NULL)
		entry_add(library, dir, entry->d_name);
	closedir(stream);
	return EXIT_GOOD;
}

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct library_profile *)a)->name,
		      ((const struct library_profile *)b)->name);
}

int library_scan(struct library *library) {
	char **dirs = ddp_search_path();
	int status = EXIT_GOOD;

	*library = (struct library){0};
	if (dirs == NULL)
		no_memory_exit();
	for (unsigned int i = 0; dirs[i] != NULL; i++)
		if (dir_scan(library, dirs[i]) != EXIT_GOOD)
			status = EXIT_UNREADABLE;
	ddp_search_path_free(dirs);
	if (library->n > 0)
		qsort(library->profiles, library->n, sizeof(library->profiles[0]), by_name);
	return status;
}

void library_free(struct library *library) {
	for (unsigned int i = 0; i < library->n; i++) {
		free(library->profiles[i].name);
		free(library->profiles[i].file);
	}
	free(library->profiles);
}
