/* SPDX-License-Identifier: BSD-3-Clause */
// Sources of profiles: specifications and texts, the names of their profiles, and the files that
// they are read from. A program that loads a profile again, with others or without, has its files
// from the former load and not from disk: a profile in use stays as it is, whatever became of its
// files.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader.h"

#define TEXT_NAME_MAX 63 // characters in the name of a text

const char text_file[] = "<text>";

// The file that was requested by a name, or that has a path.
static struct ddp_profile_file *former_find(const struct ddp_profile *profile, const char *name,
					    bool by_path) {
	for (unsigned int i = 0; profile != NULL && i < profile->n_files; i++) {
		struct ddp_profile_file *file = profile->files[i];

		if (strcmp(by_path ? file->path : file->asked, name) == 0)
			return file;
	}
	return NULL;
}

struct ddp_profile_file *file_find(struct loader *l, const char *asked,
				   const struct ddp_place *place) {
	struct ddp_profile_file *file = former_find(l->profile, asked, false);
	const struct ddp_profile_file *former = former_find(l->former, asked, false);
	const char *path = NULL;
	struct stat st;

	if (file != NULL)
		return file;
	if (former == NULL) {
		path = ddp_profile_find(l, asked, place);
		if (path == NULL)
			return NULL;
		former = former_find(l->former, path, true);
	}
	assert(path != NULL || former != NULL);
	file = ddp_arena_alloc(l->arena, sizeof(*file));
	if (former != NULL) {
		*file = *former;
		file->path = ddp_arena_strdup(l->arena, former->path);
		file->text = ddp_arena_strndup(l->arena, former->text, former->size);
	} else {
		file->path = path;
		if (stat(path, &st) == 0) { // else reading it will fail, too
			file->device = st.st_dev;
			file->inode = st.st_ino;
		}
	}
	file->asked = ddp_arena_strdup(l->arena, asked);
	*DDP_APPEND(l->arena, l->profile->files, l->profile->n_files) = file;
	return file;
}

struct ddp_yaml *file_read(struct loader *l, struct ddp_profile_file *file) {
	if (file->text == NULL)
		file->text = ddp_file_read(file->path, DDP_YAML_SIZE_MAX, &file->size, l->arena,
					   l->diag);
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
	// The next load may use this name alone.
	file->text = other->text;
	file->size = other->size;
	return true;
}

const char *file_name(struct loader *l, const char *file) {
	const char *slash = strrchr(file, '/');
	const char *base = slash == NULL ? file : slash + 1;
	size_t len = strlen(base);

	if (len > 5 && strcmp(base + len - 5, ".yaml") == 0)
		len -= 5;
	else if (is_foreign(l, base))
		len = strrchr(base, '.') - base;
	return ddp_arena_strndup(l->arena, base, len);
}

// A name by which a specification can mean the profile.
static bool text_name_check(struct loader *l, const struct ddp_yaml *name) {
	const char *s = name->value;
	bool good = *s != '\0' && strlen(s) <= TEXT_NAME_MAX;

	for (; *s != '\0'; s++)
		good &= isalnum((unsigned char)*s) || *s == '_' || *s == '-';
	if (!good)
		ddp_error(l->diag, &name->place,
			  "profile '%s': the name of a profile given as text has 1 to %d letters, "
			  "digits, '_' or '-'",
			  name->value, TEXT_NAME_MAX);
	return good;
}

// The name a text gives itself, or NULL.
static const struct ddp_yaml *text_name(struct loader *l, const struct ddp_yaml *root) {
	const struct ddp_yaml *name;

	if (!yaml_is(l, root, DDP_YAML_MAP, "a profile"))
		return NULL;
	name = ddp_yaml_get(root, "profile");
	if (name == NULL)
		ddp_error(l->diag, &root->place, "'profile: <name>' is missing");
	else if (yaml_is(l, name, DDP_YAML_SCALAR, "the profile's name") &&
		 text_name_check(l, name))
		return name;
	return NULL;
}

bool text_read(struct loader *l, const struct ddp_source *source, struct ddp_profile_part *part) {
	struct ddp_profile_file file = {
		.path = text_file,
		.text = source->text,
		.size = source->size,
	};
	const struct ddp_yaml *name;

	part->file = text_file;
	if (l->format != NULL && memchr(source->text, '\0', source->size) != NULL) // no text
		return l->format->read(l, &file, part);
	part->root = ddp_yaml_parse(source->text, source->size, text_file, l->arena, l->diag);
	name = part->root == NULL ? NULL : text_name(l, part->root);
	part->name = name == NULL ? NULL : name->value;
	return name != NULL;
}

struct naming {
	struct loader loader;
	const struct ddp_source *source;
	unsigned int nth;
	const char *name; // NULL without one
};

static void naming_run(void *arg) {
	struct naming *naming = arg;
	const struct ddp_source *source = naming->source;
	struct loader *l = &naming->loader;
	struct ddp_profile_part part = {0};
	struct ddp_spec *specs;
	unsigned int n;

	if (source->spec == NULL) {
		if (naming->nth == 0 && text_read(l, source, &part))
			naming->name = part.name;
	} else if (ddp_spec_parse(source->spec, l->arena, &specs, &n, l->diag) == 0 &&
		   naming->nth < n) {
		naming->name = file_name(l, specs[naming->nth].file);
	}
}

char *ddp_source_name(const struct ddp_source *source, unsigned int nth,
		      struct ddp_profile_format *format, struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_profile profile = {.arena = arena};
	struct naming naming = {
		.loader = {.arena = arena, .diag = diag, .profile = &profile, .format = format},
		.source = source,
		.nth = nth,
	};
	char *copy = NULL;
	int ret = ddp_arena_run(naming_run, &naming);

	if (ret == 0 && naming.name != NULL) {
		copy = strdup(naming.name);
		ret = copy != NULL ? 0 : -ENOMEM;
	}
	if (ret < 0)
		ddp_no_memory(diag);
	ddp_arena_destroy(arena);
	return copy;
}
