/* SPDX-License-Identifier: BSD-3-Clause */
// What a profile is loaded from, specifications and texts, and what it is called.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "package/package.h"

#define TEXT_NAME_MAX 63 // of a text

const char text_file[] = "<text>";

const char *file_name(struct loader *l, const char *file) {
	const char *slash = strrchr(file, '/');
	const char *base = slash == NULL ? file : slash + 1;
	size_t len = strlen(base);

	if (len > 5 && strcmp(base + len - 5, ".yaml") == 0)
		len -= 5;
	else if (ddp_is_package(base))
		len = strrchr(base, '.') - base;
	return ddp_arena_strndup(l->arena, base, len);
}

const char *sources_spec(struct ddp_arena *arena, const struct ddp_source *sources,
			 unsigned int n_sources) {
	const char *joined, *spec;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		abort(); // as the arena does
	for (unsigned int i = 0; i < n_sources; i++) {
		spec = sources[i].spec != NULL ? sources[i].spec : text_file;
		fprintf(out, "%s%s", i == 0 ? "" : "+", spec);
	}
	fclose(out);
	joined = ddp_arena_strdup(arena, text);
	free(text);
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
	else if (yaml_is(l, name, DDP_YAML_SCALAR, "the profile's name") && text_name_check(l, name))
		return name;
	return NULL;
}

struct ddp_yaml *text_read(struct loader *l, const struct ddp_source *source,
			   const struct ddp_yaml **name) {
	struct ddp_yaml *root;

	if (memchr(source->text, '\0', source->size) != NULL) // no text
		root = package_text_read(l, source);
	else
		root = ddp_yaml_parse(source->text, source->size, text_file, l->arena, l->diag);
	*name = root == NULL ? NULL : text_name(l, root);
	return *name == NULL ? NULL : root;
}

static const char *source_name(struct loader *l, const struct ddp_source *source) {
	struct request *requests = NULL;
	unsigned int n_requests = 0;
	const struct ddp_yaml *name;

	if (source->spec == NULL)
		return text_read(l, source, &name) == NULL ? NULL : name->value;
	if (ddp_spec_parse(l, source->spec, &requests, &n_requests) < 0)
		return NULL;
	return file_name(l, requests[0].name);
}

char *ddp_source_name(const struct ddp_source *source, struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	struct loader l = {.arena = arena, .diag = diag};
	const char *name;
	char *copy = NULL;

	if (arena == NULL) {
		ddp_error(diag, NULL, "out of memory");
		return NULL;
	}
	name = source_name(&l, source);
	if (name != NULL)
		copy = strdup(name);
	ddp_arena_destroy(arena);
	return copy;
}
