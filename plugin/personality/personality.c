/* SPDX-License-Identifier: BSD-3-Clause */
#include "personality.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "classify/build/build.h"
#include "e810/e810_rss.h"
#include "package/package.h"
#include "package_model.h"
#include "package_profile.h"

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

static void token_add(struct package_model *model, const char *name, uint8_t node) {
	unsigned int at = package_token_slot(name);

	while (model->tokens[at].name != NULL)
		at = (at + 1) % PACKAGE_TOKENS;
	model->tokens[at].name = name;
	model->tokens[at].node = node;
}

// NULL without memory.
static const struct model *package_model_create(const struct ddp_personality *personality) {
	const struct ddp_profile *profile = personality->profile;
	struct package_model *model = ddp_arena_try_alloc(profile->arena, sizeof(*model));

	if (model == NULL)
		return NULL;
	model->model.walk = package_walk;
	model->parser = personality->parser;
	model->rss = personality->rss;
	for (unsigned int i = 0; i < profile->n_headers; i++)
		token_add(model, profile->headers[i].name, i);
	for (unsigned int i = 0; i < E810_N_PTYPES; i++)
		model->types[i] = DDP_TYPE_NONE;
	for (unsigned int i = 0; i < profile->n_types; i++)
		model->types[personality->ptypes[i]] = i;
	return &model->model;
}

/* Loads */

int ddp_personality_compile(struct ddp_personality *personality, const struct ddp_memory *memory,
			    struct ddp_diag *diag) {
	const struct model *model = NULL;

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

int ddp_personality_load_spec(struct ddp_personality *personality, const char *spec,
			      struct ddp_diag *diag) {
	const struct ddp_source source = {.spec = spec};

	return ddp_personality_load(
		personality, &(struct ddp_load){.sources = &source, .n_sources = spec != NULL},
		diag);
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
