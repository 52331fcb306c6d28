/* SPDX-License-Identifier: BSD-3-Clause */
#include "personality.h"

#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "classify/build/build.h"
#include "i40e/i40e.h"
#include "package/read.h"
#include "package_model.h"

int ddp_personality_read(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag) {
	struct ddp_load with_packages = *load;
	struct package_format packages;

	*personality = (struct ddp_personality){0};
	package_format_init(&packages, personality);
	with_packages.format = &packages.format;
	personality->profile = ddp_profile_read(&with_packages, diag);
	if (personality->profile != NULL)
		return 0;
	ddp_personality_unload(personality);
	return diag->no_memory ? -ENOMEM : diag->unreadable ? -ENOENT : -EINVAL;
}

/* The model of a package: the NIC's parser as a program uses it (run/package_walk.c) */

static_assert(offsetof(struct package_model, model) == 0, "its walk finds the rest so");

static const struct model *package_model_create(const struct ddp_personality *personality) {
	const struct ddp_profile *profile = personality->profile;
	struct package_model *model = ddp_arena_try_alloc(profile->arena, sizeof(*model));

	if (model == NULL)
		return NULL;
	assert(profile->n_headers < PACKAGE_TOKENS && profile->n_types <= E810_N_PTYPES);
	model->model.walk = package_walk;
	model->parser = personality->parser;
	model->rss = personality->rss;
	for (unsigned int i = 0; i < profile->n_headers; i++) {
		unsigned int at = package_token_slot(profile->headers[i].name);

		while (model->tokens[at].name != NULL)
			at = (at + 1) % PACKAGE_TOKENS;
		model->tokens[at].name = profile->headers[i].name;
		model->tokens[at].node = i;
	}
	for (unsigned int i = 0; i < E810_N_PTYPES; i++)
		model->types[i] = DDP_TYPE_NONE;
	for (unsigned int i = 0; i < profile->n_types; i++)
		model->types[personality->ptypes[i]] = i;
	return &model->model;
}

int ddp_personality_compile(struct ddp_personality *personality, const struct ddp_memory *memory,
			    struct ddp_diag *diag) {
	const struct model *model = NULL;

	assert(personality->profile != NULL && personality->program == NULL);
	if (personality->package != NULL) {
		model = package_model_create(personality);
		if (model == NULL)
			ddp_no_memory(diag);
	}
	if (personality->package == NULL || model != NULL)
		personality->program = program_build(personality->profile, model, memory, diag);
	if (personality->program == NULL) {
		ddp_personality_unload(personality);
		return diag->no_memory ? -ENOMEM : -EINVAL;
	}
	personality->n_types = ddp_program_n_types(personality->program);
	return 0;
}

int ddp_personality_load(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag) {
	int ret = ddp_personality_read(personality, load, diag);

	return ret < 0 ? ret : ddp_personality_compile(personality, load->memory, diag);
}

void ddp_personality_unload(struct ddp_personality *personality) {
	ddp_program_destroy(personality->program);
	e810_rss_destroy(personality->rss);
	e810_parser_destroy(personality->parser);
	ddp_profile_destroy(personality->profile);
	ddp_package_close(personality->package);
	*personality = (struct ddp_personality){0};
}

void ddp_personality_destroy(struct ddp_personality *personality) {
	if (personality != NULL)
		ddp_personality_unload(personality);
	free(personality);
}

char *ddp_personality_name(const struct ddp_source *source, unsigned int nth,
			   struct ddp_diag *diag) {
	struct ddp_personality personality = {0};
	struct package_format packages;
	char *name;

	package_format_init(&packages, &personality);
	name = ddp_source_name(source, nth, &packages.format, diag);
	ddp_personality_unload(&personality);
	return name;
}

/* A package of any family from its file */

bool ddp_is_package(const char *spec) {
	static const char *const ends[] = {".pkg", ".pkgo"};
	size_t len = strcspn(spec, ":;");

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end_len = strlen(ends[i]);

		if (len > end_len && strncmp(spec + len - end_len, ends[i], end_len) == 0)
			return true;
	}
	return false;
}

// Read the family's own part, by the first segment that holds a configuration.
static void family_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;

	assert(package->e810 == NULL && package->i40e == NULL);
	for (unsigned int i = 0; i < package->n_segments; i++) {
		switch (package->segments[i].type) {
		case SEGMENT_E810:
		case SEGMENT_E830:
			package->kind = DDP_PACKAGE_E810;
			e810_read(reader);
			return;
		case SEGMENT_I40E:
			i40e_read(reader);
			return;
		}
	}
	reader_error(reader, 4, "no segment holds the configuration of an 800- or 700-series NIC");
}

static void all_read(void *arg) {
	struct package_reader *reader = arg;

	if (container_read(reader) == 0)
		family_read(reader);
	reader_end(reader);
}

struct ddp_package *ddp_package_read(const char *path, const void *bytes, size_t size,
				     struct ddp_diag *diag) {
	struct ddp_package *package = package_create(path, bytes, size, diag);
	struct package_reader reader = {.package = package, .diag = diag};

	if (package == NULL)
		return NULL;
	if (ddp_arena_run(all_read, &reader) < 0)
		ddp_no_memory(diag);
	else if (reader.n_errors == 0)
		return package;
	ddp_package_close(package);
	return NULL;
}

struct ddp_package *ddp_package_open(const char *path, struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_package *package = NULL;
	size_t size;
	const char *bytes = ddp_file_read(path, PACKAGE_SIZE_MAX, &size, arena, diag);

	if (bytes != NULL)
		package = ddp_package_read(path, bytes, size, diag);
	ddp_arena_destroy(arena);
	return package;
}
