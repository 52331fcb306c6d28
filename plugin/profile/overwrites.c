/* SPDX-License-Identifier: BSD-3-Clause */
// Whether an output would overwrite an input: files are compared, not names, so that no link
// deceives.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/spec.h"
#include "profile.h"

bool ddp_is_same_file(const char *a, const char *b) {
	struct stat one, other;

	return stat(a, &one) == 0 && S_ISREG(one.st_mode) && stat(b, &other) == 0 &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// All profiles that are found by name are inputs: those that are asked for may require any of them.
static bool is_found_by_name(const char *path) {
	char real[PATH_MAX], file[PATH_MAX];
	const char *name, *dot;
	bool found = false;
	char **dirs;

	if (realpath(path, real) == NULL)
		return false;
	name = strrchr(real, '/');
	dot = strrchr(name, '.');
	if (dot == NULL || strcmp(dot, ".yaml") != 0)
		return false;
	dirs = ddp_search_path();
	for (unsigned int i = 0; dirs != NULL && dirs[i] != NULL && !found; i++)
		found = snprintf(file, sizeof(file), "%s%s", dirs[i], name) < (int)sizeof(file) &&
			ddp_is_same_file(file, real);
	ddp_search_path_free(dirs);
	return found;
}

bool ddp_spec_reads(const char *spec, const char *path) {
	bool reads = ddp_is_same_file(spec, path) || is_found_by_name(path);
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_spec *specs;
	struct ddp_diag diag;
	unsigned int n;

	ddp_diag_init(&diag);
	ddp_spec_parse(spec, arena, &specs, &n, &diag);
	for (unsigned int i = 0; i < n && !reads; i++)
		reads = ddp_is_same_file(specs[i].file, path);
	ddp_diag_fini(&diag);
	ddp_arena_destroy(arena);
	return reads;
}
