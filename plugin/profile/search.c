/* SPDX-License-Identifier: BSD-3-Clause */
// The search path of profiles: $DDP_PROFILE_PATH, the source tree when run from its build, the
// installed library (DDP_INSTALLED_PROFILES).
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader.h"

#define SOURCE_PROFILES "source-profiles" // a link in the build directory
#define BUILD_DEPTH 4                     // of the directories in it that have programs
#define SUFFIX ".yaml"
#define NAMES_MAX 64 // of profiles that a misspelt name is compared with
#define NAME_SIZE 64
#define HINT_SIZE (NAME_SIZE + 32)

// The source tree's profiles where a file lies in a build directory. Returns their path's length,
// else 0.
static size_t source_profiles_of(const char *file, char dir[PATH_MAX]) {
	char link[PATH_MAX + sizeof(SOURCE_PROFILES)];
	char *slash;
	ssize_t len;

	if (realpath(file, link) == NULL)
		return 0;
	for (unsigned int i = 0; i < BUILD_DEPTH && (slash = strrchr(link, '/')) != NULL; i++) {
		strcpy(slash + 1, SOURCE_PROFILES);
		len = readlink(link, dir, PATH_MAX);
		if (len > 0)
			return len;
		*slash = '\0';
	}
	return 0;
}

// Find the source tree if this code, a program's or a plugin's, or else the program, lies in its
// build.
static size_t source_profiles(char dir[PATH_MAX]) {
	size_t len = 0;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)&ddp_search_path, &info) != 0)
		len = source_profiles_of(info.dli_fname, dir);
	return len > 0 ? len : source_profiles_of("/proc/self/exe", dir);
}

static bool dir_add(char **dirs, unsigned int *n, const char *dir, size_t len) {
	dirs[*n] = strndup(dir, len);
	return dirs[(*n)++] != NULL;
}

static bool dirs_add(char **dirs, const char *path) {
	char source[PATH_MAX];
	size_t source_len = source_profiles(source);
	unsigned int n = 0;

	while (*path != '\0') {
		size_t len = strcspn(path, ":");

		if (len > 0 && !dir_add(dirs, &n, path, len))
			return false;
		path += len + (path[len] == ':');
	}
	if (source_len > 0 && !dir_add(dirs, &n, source, source_len))
		return false;
	return dir_add(dirs, &n, DDP_INSTALLED_PROFILES, strlen(DDP_INSTALLED_PROFILES));
}

char **ddp_search_path(void) {
	const char *given = getenv("DDP_PROFILE_PATH"), *path = given != NULL ? given : "";
	char **dirs = calloc(strlen(path) / 2 + 4, sizeof(*dirs)); // "a:b", two more and NULL

	if (dirs != NULL && dirs_add(dirs, path))
		return dirs;
	ddp_search_path_free(dirs);
	errno = ENOMEM;
	return NULL;
}

void ddp_search_path_free(char **dirs) {
	for (unsigned int i = 0; dirs != NULL && dirs[i] != NULL; i++)
		free(dirs[i]);
	free(dirs);
}

static bool ends_with(const char *s, const char *end) {
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && strcmp(s + len - end_len, end) == 0;
}

static bool dirs_search(char **dirs, const char *name, char *file, size_t size) {
	for (unsigned int i = 0; dirs[i] != NULL; i++) {
		size_t len = snprintf(file, size, "%s/%s" SUFFIX, dirs[i], name);

		if (len < size && access(file, F_OK) == 0)
			return true;
	}
	return false;
}

// Names of profiles; those too long for it resemble no other name.
struct names {
	char names[NAMES_MAX][NAME_SIZE];
	unsigned int n;
};

static void names_list(struct names *names, const char *dir) {
	DIR *stream = opendir(dir);
	const struct dirent *entry;

	if (stream == NULL)
		return;
	while (names->n < NAMES_MAX && (entry = readdir(stream)) != NULL) {
		size_t len = strlen(entry->d_name);

		if (!ends_with(entry->d_name, SUFFIX) || len - strlen(SUFFIX) >= NAME_SIZE)
			continue;
		len -= strlen(SUFFIX);
		memcpy(names->names[names->n], entry->d_name, len);
		names->names[names->n++][len] = '\0';
	}
	closedir(stream);
}

// Write a hint: "; did you mean ...?" or "". Nothing is allocated, since the caller owns memory
// that an arena without memory would not free.
static void hint_write(char **dirs, const char *name, char hint[HINT_SIZE]) {
	const char *pointers[NAMES_MAX], *nearest;
	struct names names = {.n = 0};
	char file[NAME_SIZE];

	hint[0] = '\0';
	if (snprintf(file, sizeof(file), "./%s" SUFFIX, name) < (int)sizeof(file) &&
	    access(file, F_OK) == 0) {
		snprintf(hint, HINT_SIZE, "; did you mean the file %s?", file);
		return;
	}
	for (unsigned int i = 0; dirs[i] != NULL; i++)
		names_list(&names, dirs[i]);
	for (unsigned int i = 0; i < names.n; i++)
		pointers[i] = names.names[i];
	nearest = ddp_nearest(name, pointers, names.n);
	if (nearest != NULL)
		snprintf(hint, HINT_SIZE, "; did you mean '%s'?", nearest);
}

// A missing name in a specification is the user's mistake; a missing name in `requires` is that
// profile's.
static void absence_report(struct loader *l, char **dirs, const char *name,
			   const struct ddp_place *place) {
	char where[PATH_MAX] = "", hint[HINT_SIZE];
	size_t len = 0;

	for (unsigned int i = 0; dirs[i] != NULL && len < sizeof(where); i++)
		len += snprintf(where + len, sizeof(where) - len, "%s%s", i == 0 ? "" : ", ",
				dirs[i]);
	if (place == NULL || place->line == 0)
		l->diag->unreadable = true;
	hint_write(dirs, name, hint);
	ddp_error(l->diag, place, "profile '%s' not found in %s (DDP_PROFILE_PATH adds folders)%s",
		  name, where, hint);
}

static const char *search(struct loader *l, const char *name, const struct ddp_place *place) {
	char **dirs = ddp_search_path();
	char *file = malloc(PATH_MAX), *found = NULL; // too large for some stacks

	if (dirs == NULL || file == NULL) {
		ddp_no_memory(l->diag);
	} else if (!dirs_search(dirs, name, file, PATH_MAX)) {
		absence_report(l, dirs, name, place);
	} else {
		found = ddp_arena_try_alloc(l->arena, strlen(file) + 1);
		if (found != NULL)
			strcpy(found, file);
		else
			ddp_no_memory(l->diag);
	}
	free(file);
	ddp_search_path_free(dirs);
	return found;
}

const char *ddp_profile_find(struct loader *l, const char *name, const struct ddp_place *place) {
	if (strchr(name, '/') != NULL || ends_with(name, SUFFIX) || is_foreign(l, name))
		return name;
	return search(l, name, place);
}
