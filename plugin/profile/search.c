/* SPDX-License-Identifier: BSD-3-Clause */
// Where profiles are found: $DDP_PROFILE_PATH, the source tree when run from its build, the installed
// library. DDP_BUILD_ROOT, DDP_SOURCE_PROFILES and DDP_INSTALLED_PROFILES come from the build.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader.h"
#include "package/package.h"

static bool is_inside(const char *file, const char *dir) {
	char real[PATH_MAX];
	size_t len = strlen(dir);

	return realpath(file, real) != NULL && strncmp(real, dir, len) == 0 && real[len] == '/';
}

// True when this code, a program's or a plugin's, lies in the build directory.
static bool is_run_from_build(void) {
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)&ddp_search_path, &info) != 0 &&
	    is_inside(info.dli_fname, DDP_BUILD_ROOT))
		return true;
	return is_inside("/proc/self/exe", DDP_BUILD_ROOT);
}

static void dir_add(char ***dirs, unsigned int *n, const char *dir, size_t len) {
	char **grown = realloc(*dirs, (*n + 2) * sizeof(*grown));

	if (grown == NULL)
		abort();
	grown[*n] = strndup(dir, len);
	grown[++*n] = NULL;
	*dirs = grown;
}

char **ddp_search_path(void) {
	const char *path = getenv("DDP_PROFILE_PATH");
	char **dirs = NULL;
	unsigned int n = 0;

	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");

		if (len > 0)
			dir_add(&dirs, &n, path, len);
		path += len + (path[len] == ':');
	}
	if (is_run_from_build())
		dir_add(&dirs, &n, DDP_SOURCE_PROFILES, strlen(DDP_SOURCE_PROFILES));
	dir_add(&dirs, &n, DDP_INSTALLED_PROFILES, strlen(DDP_INSTALLED_PROFILES));
	return dirs;
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

static const char *search(struct loader *l, const char *name, const struct ddp_place *place) {
	char **dirs = ddp_search_path();
	const char *found = NULL;
	char file[PATH_MAX];

	for (unsigned int i = 0; dirs[i] != NULL && found == NULL; i++) {
		int len = snprintf(file, sizeof(file), "%s/%s.yaml", dirs[i], name);

		if (len < (int)sizeof(file) && access(file, F_OK) == 0)
			found = ddp_arena_strdup(l->arena, file);
	}
	if (found == NULL) {
		char *where = NULL;
		size_t size;
		FILE *out = open_memstream(&where, &size);

		for (unsigned int i = 0; out != NULL && dirs[i] != NULL; i++)
			fprintf(out, "%s%s", i == 0 ? "" : ", ", dirs[i]);
		if (out != NULL)
			fclose(out);
		l->diag->unreadable = true;
		ddp_error(l->diag, place, "profile '%s' not found in %s", name,
			  where != NULL ? where : "the search path");
		free(where);
	}
	ddp_search_path_free(dirs);
	return found;
}

const char *ddp_profile_find(struct loader *l, const char *name, const struct ddp_place *place) {
	if (strchr(name, '/') != NULL || ends_with(name, ".yaml") || ddp_is_package(name))
		return name;
	return search(l, name, place);
}
