/* SPDX-License-Identifier: BSD-3-Clause */
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classify/build/build.h"
#include "e810/e810_rss.h"
#include "package/package.h"
#include "package_model.h"
#include "package_profile.h"

static int source_copy(struct ddp_source *to, const struct ddp_source *from) {
	char *copy = malloc(from->spec != NULL ? strlen(from->spec) + 1 : from->size + 1);

	if (copy == NULL)
		return -ENOMEM;
	if (from->spec != NULL) {
		to->spec = strcpy(copy, from->spec);
	} else {
		to->text = memcpy(copy, from->text, from->size);
		to->size = from->size;
	}
	return 0;
}

static void source_free(struct ddp_source *source) {
	free((void *)(uintptr_t)source->spec);
	free((void *)(uintptr_t)source->text);
}

static int sources_copy(struct ddp_personality *personality, const struct ddp_source *sources,
			unsigned int n) {
	personality->sources = calloc(n + 1, sizeof(*personality->sources));
	personality->parts = calloc(n + 1, sizeof(*personality->parts));
	if (personality->sources == NULL || personality->parts == NULL)
		return -ENOMEM;
	for (; personality->n_sources < n; personality->n_sources++) {
		struct ddp_source *copy = &personality->sources[personality->n_sources];

		if (source_copy(copy, &sources[personality->n_sources]) < 0)
			return -ENOMEM;
	}
	return 0;
}

// Note which profile each source became.
static void parts_find(struct ddp_personality *personality) {
	const struct ddp_profile *profile = personality->profile;

	for (unsigned int i = 0; i < profile->n_parts; i++)
		if (profile->parts[i].named)
			personality->parts[profile->parts[i].source] = &profile->parts[i];
}

static int profile_load(struct ddp_personality *personality, const struct ddp_load *load,
			struct ddp_diag *diag) {
	struct ddp_load with_packages = *load;
	struct package_format packages;

	package_format_init(&packages, personality);
	with_packages.format = &packages.format;
	personality->profile = ddp_profile_read(&with_packages, diag);
	if (personality->profile == NULL)
		return diag->no_memory ? -ENOMEM : diag->unreadable ? -ENOENT : -EINVAL;
	parts_find(personality);
	return 0;
}

int ddp_personality_read(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag) {
	int ret;

	*personality = (struct ddp_personality){0};
	ret = sources_copy(personality, load->sources, load->n_sources);
	if (ret < 0)
		ddp_no_memory(diag);
	else
		ret = profile_load(personality, load, diag);
	if (ret < 0)
		ddp_personality_unload(personality);
	return ret;
}

static int program_make(struct ddp_personality *personality, const struct ddp_memory *memory,
			struct ddp_diag *diag) {
	const struct model *model = NULL;

	if (personality->package != NULL) {
		model = package_model_create(personality);
		if (model == NULL)
			return ddp_no_memory(diag);
	}
	personality->program = program_build(personality->profile, model, memory, diag);
	if (personality->program == NULL)
		return diag->no_memory ? -ENOMEM : -EINVAL;
	personality->n_types = ddp_program_n_types(personality->program);
	return 0;
}

int ddp_personality_load(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag) {
	int ret = ddp_personality_read(personality, load, diag);

	if (ret == 0) {
		ret = program_make(personality, load->memory, diag);
		if (ret < 0)
			ddp_personality_unload(personality);
	}
	return ret;
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
	for (unsigned int i = 0; i < personality->n_sources; i++)
		source_free(&personality->sources[i]);
	free(personality->sources);
	free(personality->parts);
	*personality = (struct ddp_personality){0};
}

void ddp_personality_destroy(struct ddp_personality *personality) {
	if (personality != NULL)
		ddp_personality_unload(personality);
	free(personality);
}

char *ddp_personality_name(const struct ddp_source *source, struct ddp_diag *diag) {
	struct ddp_personality personality = {0};
	struct package_format packages;
	char *name;

	package_format_init(&packages, &personality);
	name = ddp_source_name(source, &packages.format, diag);
	ddp_personality_unload(&personality);
	return name;
}
