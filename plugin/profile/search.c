/* SPDX-License-Identifier: BSD-3-Clause */
// Sources of profiles: specifications and texts, the names of their profiles, the search path
// ($DDP_PROFILE_PATH, the source tree when run from its build, the installed library
// DDP_INSTALLED_PROFILES), and the files in it. A program that loads a profile again, with others
// or without, has its files from the former load, not from disk: a profile in use stays as it is.
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "loader.h"

#define SOURCE_PROFILES "source-profiles" // a link in the build directory
#define BUILD_DEPTH 4                     // levels of directories in it that have programs
#define SUFFIX ".yaml"

// The source tree's profiles, if a file lies in its build. Returns their path's length, else 0.
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

// Find the source tree if this code (a program's, a plugin's) or the program is in its build.
static size_t source_profiles(char dir[PATH_MAX]) {
	size_t len = 0;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)&ddp_search_path, &info) != 0)
		len = source_profiles_of(info.dli_fname, dir);
	return len > 0 ? len : source_profiles_of("/proc/self/exe", dir);
}

char **ddp_search_path(struct ddp_arena *arena) {
	static const char installed[] = DDP_INSTALLED_PROFILES;
	const char *given = getenv("DDP_PROFILE_PATH");
	char source[PATH_MAX];
	const size_t source_len = source_profiles(source);
	const size_t size =
		(given != NULL ? strlen(given) : 0) + source_len + sizeof(installed) + 2;
	char *list = ddp_arena_try_alloc(arena, size), *dir;
	char **dirs = ddp_arena_try_alloc(arena, (size / 2 + 2) * sizeof(*dirs)); // and NULL
	unsigned int n = 0;

	if (list == NULL || dirs == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	snprintf(list, size, "%s:%.*s:%s", given != NULL ? given : "", (int)source_len, source,
		 installed);
	while ((dir = strsep(&list, ":")) != NULL)
		if (*dir != '\0')
			dirs[n++] = dir;
	return dirs;
}

static bool ends_with(const char *s, const char *end) {
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && strcmp(s + len - end_len, end) == 0;
}

struct scan {
	struct ddp_library *library;
	const char *dir;
	struct dirent **entries;
	int n;
};

static void entries_take(void *arg) {
	struct scan *s = arg;
	struct ddp_library *library = s->library;

	for (int i = 0; i < s->n; i++) {
		const char *entry = s->entries[i]->d_name;
		const size_t len = strlen(entry) - strlen(SUFFIX);

		if (ends_with(entry, SUFFIX) && len > 0 &&
		    NAME_FIND(library->profiles, library->n, entry, len) < 0)
			*DDP_APPEND(library->arena, library->profiles, library->n) =
				(struct ddp_found){
					ddp_arena_strndup(library->arena, entry, len),
					ddp_arena_printf(library->arena, "%s/%s", s->dir, entry),
				};
	}
}

int ddp_library_scan(struct ddp_library *library, void (*unreadable)(void *arg, const char *dir),
		     void *arg) {
	char **dirs = ddp_search_path(library->arena);
	int ret = dirs != NULL ? 0 : -ENOMEM;

	for (unsigned int i = 0; ret == 0 && dirs[i] != NULL; i++) {
		struct scan s = {.library = library, .dir = dirs[i]};

		s.n = scandir(dirs[i], &s.entries, NULL, alphasort);
		if (s.n < 0) {
			ret = errno == ENOMEM ? -ENOMEM : 0;
			if (unreadable != NULL)
				unreadable(arg, dirs[i]);
			continue;
		}
		ret = ddp_arena_run(entries_take, &s);
		while (s.n > 0)
			free(s.entries[--s.n]);
		free(s.entries);
	}
	return ret;
}

// "; did you mean ...?" or "".
static const char *hint_make(struct loader *l, const char *name) {
	const char *file = ddp_arena_printf(l->arena, "./%s" SUFFIX, name), **names, *nearest;
	struct ddp_library library = {.arena = l->arena};

	if (access(file, F_OK) == 0)
		return ddp_arena_printf(l->arena, "; did you mean the file %s?", file);
	if (ddp_library_scan(&library, NULL, NULL) < 0)
		return "";
	names = ddp_arena_alloc(l->arena, library.n * sizeof(*names));
	for (unsigned int i = 0; i < library.n; i++)
		names[i] = library.profiles[i].name;
	nearest = ddp_nearest(name, names, library.n);
	return nearest == NULL ? "" : ddp_arena_printf(l->arena, "; did you mean '%s'?", nearest);
}

// A missing name in a specification is the user's mistake, one in `requires` that profile's.
static void absence_report(struct loader *l, char **dirs, const char *name,
			   const struct ddp_place *place) {
	const char *where = "";

	for (unsigned int i = 0; dirs[i] != NULL; i++) {
		const char *why = access(dirs[i], X_OK) == 0 ?
					  "" :
					  ddp_arena_printf(l->arena, " (%s)", strerror(errno));

		where = ddp_arena_printf(l->arena, "%s%s%s%s", where, i > 0 ? ", " : "", dirs[i],
					 why);
	}
	if (place == NULL || place->line == 0)
		l->diag->unreadable = true;
	ddp_error(l->diag, place, "profile '%s' not found in %s (DDP_PROFILE_PATH adds folders)%s",
		  name, where, hint_make(l, name));
}

static const char *profile_find(struct loader *l, const char *name, const struct ddp_place *place) {
	char **dirs;

	if (strchr(name, '/') != NULL || ends_with(name, SUFFIX) || is_foreign(l, name))
		return name;
	dirs = ddp_search_path(l->arena);
	if (dirs == NULL) {
		ddp_no_memory(l->diag);
		return NULL;
	}
	for (unsigned int i = 0; dirs[i] != NULL; i++) {
		const char *file = ddp_arena_printf(l->arena, "%s/%s" SUFFIX, dirs[i], name);

		if (access(file, F_OK) == 0)
			return file;
	}
	absence_report(l, dirs, name, place);
	return NULL;
}

/* Questions about files */

static const char *word_of(const struct ddp_yaml *root, const char *key) {
	const struct ddp_yaml *value = ddp_yaml_get(root, key);

	return value != NULL && value->kind == DDP_YAML_SCALAR ? value->value : NULL;
}

int ddp_profile_summary(const char *file, struct ddp_arena *arena,
			struct ddp_profile_summary *summary, struct ddp_diag *diag) {
	const struct ddp_yaml *root = NULL;
	size_t size;
	const char *text = ddp_file_read(file, DDP_YAML_SIZE_MAX, &size, arena, diag);

	if (text != NULL)
		root = ddp_yaml_parse(text, size, file, arena, diag);
	*summary = (struct ddp_profile_summary){
		.name = word_of(root, "profile"),
		.version = word_of(root, "version"),
		.summary = word_of(root, "summary"),
	};
	return root != NULL ? 0 : diag->no_memory ? -ENOMEM : -EINVAL;
}

// Files are compared, not names, so that no link deceives.
bool ddp_is_same_file(const char *a, const char *b) {
	struct stat one, other;

	return stat(a, &one) == 0 && S_ISREG(one.st_mode) && stat(b, &other) == 0 &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool ddp_spec_reads(const char *spec, const char *path) {
	struct ddp_library library = {.arena = ddp_arena_create()};
	bool reads = ddp_is_same_file(spec, path);
	struct ddp_spec *specs;
	struct ddp_diag diag;
	unsigned int n;

	ddp_diag_init(&diag);
	ddp_spec_parse(spec, library.arena, &specs, &n, &diag);
	for (unsigned int i = 0; i < n && !reads; i++)
		reads = ddp_is_same_file(specs[i].file, path);
	// Any profile that is found by name may be required by these.
	ddp_library_scan(&library, NULL, NULL);
	for (unsigned int i = 0; i < library.n && !reads; i++)
		reads = ddp_is_same_file(library.profiles[i].file, path);
	ddp_diag_fini(&diag);
	ddp_arena_destroy(library.arena);
	return reads;
}

// Does the profile that a name finds, the first file of that name, define a header?
static bool name_defines(const char *name, const char *header) {
	struct ddp_profile *profile;
	struct ddp_diag ignored;
	int node;

	ddp_diag_init(&ignored);
	profile = ddp_profile_load(name, &ignored);
	node = profile != NULL ? ddp_header_find(profile, header) : -1;
	if (node >= 0 && strcmp(profile->headers[node].profile, profile->named[0]->name) != 0)
		node = -1;
	ddp_profile_destroy(profile);
	ddp_diag_fini(&ignored);
	return node >= 0;
}

char *ddp_profile_defining(const char *header) {
	struct ddp_library library = {.arena = ddp_arena_create()};
	char *found = NULL;

	ddp_library_scan(&library, NULL, NULL);
	for (unsigned int i = 0; i < library.n && found == NULL; i++)
		if (name_defines(library.profiles[i].name, header))
			found = strdup(library.profiles[i].name);
	ddp_arena_destroy(library.arena);
	return found;
}

#define TEXT_NAME_MAX 63 // characters in the name of a text

const char text_file[] = "<text>";

static struct ddp_profile_file *former_find(const struct ddp_profile *profile, const char *name,
					    bool by_path) {
	for (unsigned int i = 0; profile != NULL && i < profile->n_files; i++) {
		struct ddp_profile_file *file = profile->files[i];

		if (strcmp(by_path ? file->path : file->requested, name) == 0)
			return file;
	}
	return NULL;
}

struct ddp_profile_file *file_find(struct loader *l, const char *requested,
				   const struct ddp_place *place) {
	struct ddp_profile_file *file = former_find(l->profile, requested, false);
	const struct ddp_profile_file *former = former_find(l->former, requested, false);
	const char *path = NULL;
	struct stat st;

	if (file != NULL)
		return file;
	if (former == NULL) {
		path = profile_find(l, requested, place);
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
	file->requested = ddp_arena_strdup(l->arena, requested);
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
