/* SPDX-License-Identifier: BSD-3-Clause */
// A header -> the profile to load for it, for messages about a header that is missing.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

static const char *named(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		if (profile->parts[i].named)
			return profile->parts[i].name;
	return "";
}

static bool defines(const struct ddp_profile *profile, const char *header) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, header) == 0)
			return strcmp(profile->headers[i].profile, named(profile)) == 0;
	return false;
}

// By the name, not the file: of two files of a name the search finds the first.
static bool name_defines(const char *name, const char *header) {
	struct ddp_profile *profile;
	struct ddp_diag ignored;
	bool found = false;

	ddp_diag_init(&ignored);
	profile = ddp_profile_load(name, &ignored);
	if (profile != NULL)
		found = defines(profile, header);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&ignored);
	return found;
}

static char *dir_search(const char *dir, const char *header) {
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);
	char *found = NULL;

	for (int i = 0; i < n; i++) {
		char *name = entries[i]->d_name, *suffix = strrchr(name, '.');

		if (found == NULL && suffix != NULL && strcmp(suffix, ".yaml") == 0) {
			*suffix = '\0';
			found = name_defines(name, header) ? strdup(name) : NULL;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return found;
}

char *ddp_profile_defining(const char *header) {
	char **dirs = ddp_search_path();
	char *found = NULL;

	for (unsigned int i = 0; dirs != NULL && dirs[i] != NULL && found == NULL; i++)
		found = dir_search(dirs[i], header);
	ddp_search_path_free(dirs);
	return found;
}
