/* SPDX-License-Identifier: BSD-3-Clause */
// The model of a package: the NIC's parser as a program uses it (run/package_walk.c).
#include "package_model.h"

#include <assert.h>
#include <stddef.h>

#include "personality.h"

static_assert(offsetof(struct package_model, model) == 0, "its walk finds the rest so");

static void token_add(struct package_model *model, const char *name, uint8_t node) {
	unsigned int at = package_token_slot(name);

	while (model->tokens[at].name != NULL)
		at = (at + 1) % PACKAGE_TOKENS;
	model->tokens[at].name = name;
	model->tokens[at].node = node;
}

const struct model *package_model_create(const struct ddp_personality *personality) {
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
