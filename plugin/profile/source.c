/* SPDX-License-Identifier: BSD-3-Clause */
// What a profile is loaded from, specifications and texts, and what it is called.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

#define TEXT_NAME_MAX 63 // of a text

const char text_file[] = "<text>";

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

const char *sources_spec(struct ddp_arena *arena, const struct ddp_source *sources,
			 unsigned int n_sources) {
	const char *joined = "";

	for (unsigned int i = 0; i < n_sources; i++)
		joined = ddp_arena_printf(arena, "%s%s%s", joined, i == 0 ? "" : "+",
					  sources[i].spec != NULL ? sources[i].spec : text_file);
	return joined;
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

struct ddp_yaml *text_read(struct loader *l, const struct ddp_source *source,
			   const struct ddp_yaml **name) {
	struct ddp_yaml *root;

	if (l->format != NULL && memchr(source->text, '\0', source->size) != NULL) // no text
		root = l->format->text_read(l, source);
	else
		root = ddp_yaml_parse(source->text, source->size, text_file, l->arena, l->diag);
	*name = root == NULL ? NULL : text_name(l, root);
	return *name == NULL ? NULL : root;
}

struct naming {
	struct loader loader;
	const struct ddp_source *source;
	const char *name; // NULL without one
};

static void name_find(void *arg) {
	struct naming *naming = arg;
	const struct ddp_source *source = naming->source;
	struct loader *l = &naming->loader;
	struct request *requests = NULL;
	unsigned int n_requests = 0;
	const struct ddp_yaml *name;

	if (source->spec == NULL)
		naming->name = text_read(l, source, &name) == NULL ? NULL : name->value;
	else if (ddp_spec_parse(l, source->spec, &requests, &n_requests) == 0)
		naming->name = file_name(l, requests[0].name);
}

char *ddp_source_name(const struct ddp_source *source, struct ddp_profile_format *format,
		      struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_profile profile = {.arena = arena};
	struct naming naming = {
		.loader = {.arena = arena, .diag = diag, .profile = &profile, .format = format},
		.source = source,
	};
	char *copy = NULL;
	int ret = ddp_arena_run(name_find, &naming);

	if (ret == 0 && naming.name != NULL) {
		copy = strdup(naming.name);
		ret = copy != NULL ? 0 : -ENOMEM;
	}
	if (ret < 0)
		ddp_no_memory(diag);
	ddp_arena_destroy(arena);
	return copy;
}
