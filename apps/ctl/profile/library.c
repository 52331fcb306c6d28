/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "ctl/options.h"
#include "profile/profile.h"

#define SUFFIX ".yaml"

static bool is_found(const struct library *library, const char *name) {
	for (unsigned int i = 0; i < library->n; i++)
		if (strcmp(library->profiles[i].name, name) == 0)
			return true;
	return false;
}

// Takes name and file.
static int found_add(struct library *library, char *name, char *file) {
	struct library_profile *profiles = NULL;

	if (name != NULL && file != NULL)
		profiles = reallocarray(library->profiles, library->n + 1, sizeof(*profiles));
	if (profiles == NULL) {
		free(name);
		free(file);
		return -ENOMEM;
	}
	library->profiles = profiles;
	library->profiles[library->n++] = (struct library_profile){.name = name, .file = file};
	return 0;
}

static int entry_add(struct library *library, const char *dir, const char *entry) {
	size_t len = strlen(entry);
	char *name, *file;

	if (len <= strlen(SUFFIX) || strcmp(entry + len - strlen(SUFFIX), SUFFIX) != 0)
		return 0;
	name = strndup(entry, len - strlen(SUFFIX));
	if (name != NULL && is_found(library, name)) {
		free(name);
		return 0;
	}
	if (asprintf(&file, "%s/%s", dir, entry) < 0)
		file = NULL;
	return found_add(library, name, file);
}

// A directory that does not exist is no mistake: not every place of the search path is in use.
static int dir_scan(struct library *library, const char *dir) {
	DIR *stream = opendir(dir);
	struct dirent *entry;
	int status = EXIT_GOOD;

	if (stream == NULL) {
		if (errno == ENOENT)
			return EXIT_GOOD;
		error_print("%s: %s", dir, strerror(errno));
		return EXIT_UNREADABLE;
	}
	while ((entry = readdir(stream)) != NULL) {
		if (entry_add(library, dir, entry->d_name) < 0) {
			error_print("%s: %s", dir, strerror(ENOMEM));
			status = EXIT_UNREADABLE;
			break;
		}
	}
	closedir(stream);
	return status;
}

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct library_profile *)a)->name,
		      ((const struct library_profile *)b)->name);
}

int library_scan(struct library *library) {
	char **dirs = ddp_search_path();
	int status = EXIT_GOOD;

	*library = (struct library){0};
	if (dirs == NULL) {
		error_print("%s", strerror(ENOMEM));
		return EXIT_UNREADABLE;
	}
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
