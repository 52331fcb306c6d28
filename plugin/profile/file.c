/* SPDX-License-Identifier: BSD-3-Clause */
// The files that a profile is read from. A program that loads it again, with others or without, has
// them from the former load and not from disk: a profile in use stays as it is, whatever became of
// its files.
#include <string.h>
#include <sys/stat.h>

#include "loader.h"

// The file that was asked for by a name, or that has a path.
static struct ddp_profile_file *former_find(const struct ddp_profile *profile, const char *name,
					    bool by_path) {
	for (unsigned int i = 0; profile != NULL && i < profile->n_files; i++) {
		struct ddp_profile_file *file = profile->files[i];

		if (strcmp(by_path ? file->path : file->asked, name) == 0)
			return file;
	}
	return NULL;
}

static void former_take(struct loader *l, struct ddp_profile_file *file,
			const struct ddp_profile_file *former) {
	file->path = ddp_arena_strdup(l->arena, former->path);
	file->device = former->device;
	file->inode = former->inode;
	file->text = ddp_arena_strndup(l->arena, former->text, former->size);
	file->size = former->size;
}

static void path_set(struct ddp_profile_file *file, const char *path) {
	struct stat st;

	file->path = path;
	if (stat(path, &st) < 0)
		return; // reading it will fail, too
	file->device = st.st_dev;
	file->inode = st.st_ino;
}

struct ddp_profile_file *file_find(struct loader *l, const char *asked,
				   const struct ddp_place *place) {
	struct ddp_profile_file *file = former_find(l->profile, asked, false);
	const struct ddp_profile_file *former = former_find(l->former, asked, false);
	const char *path = NULL;

	if (file != NULL)
		return file;
	if (former == NULL) {
		path = ddp_profile_find(l, asked, place);
		if (path == NULL)
			return NULL;
		former = former_find(l->former, path, true);
	}
	file = ddp_arena_alloc(l->arena, sizeof(*file));
	file->asked = ddp_arena_strdup(l->arena, asked);
	if (former != NULL)
		former_take(l, file, former);
	else
		path_set(file, path);
	*DDP_APPEND(l->arena, l->profile->files, l->profile->n_files) = file;
	return file;
}

struct ddp_yaml *file_read(struct loader *l, struct ddp_profile_file *file) {
	if (file->text == NULL)
		file->text = ddp_yaml_read(file->path, &file->size, l->arena, l->diag);
	if (file->text == NULL)
		return NULL;
	return ddp_yaml_parse(file->text, file->size, file->path, l->arena, l->diag);
}

bool file_is_same(struct ddp_profile_file *file, const struct ddp_profile_file *other) {
	if (file == other)
		return true;
	if (strcmp(file->path, other->path) != 0 &&
	    (file->inode == 0 || file->inode != other->inode || file->device != other->device))
		return false;
	// The next load may ask by this name alone.
	file->text = other->text;
	file->size = other->size;
	return true;
}
