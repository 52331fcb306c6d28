/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "yaml.h"

static int word_copy(const struct ddp_yaml *root, const char *key, char **copy) {
	const struct ddp_yaml *value = ddp_yaml_get(root, key);

	if (value == NULL || value->kind != DDP_YAML_SCALAR)
		return 0;
	*copy = strdup(value->value);
	return *copy != NULL ? 0 : -ENOMEM;
}

static int words_copy(const struct ddp_yaml *root, struct ddp_profile_summary *summary) {
	int ret = word_copy(root, "profile", &summary->name);

	if (ret == 0)
		ret = word_copy(root, "version", &summary->version);
	if (ret == 0)
		ret = word_copy(root, "summary", &summary->summary);
	return ret;
}

int ddp_profile_summary(const char *file, struct ddp_profile_summary *summary,
			struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	const struct ddp_yaml *root = ddp_yaml_load(file, arena, diag);
	int ret = -EINVAL;

	memset(summary, 0, sizeof(*summary));
	if (root != NULL)
		ret = words_copy(root, summary);
	if (ret == -ENOMEM)
		ddp_no_memory(diag);
	if (ret < 0)
		ddp_profile_summary_fini(summary);
	ddp_arena_destroy(arena);
	return diag->no_memory ? -ENOMEM : ret;
}

void ddp_profile_summary_fini(struct ddp_profile_summary *summary) {
	free(summary->name);
	free(summary->version);
	free(summary->summary);
	memset(summary, 0, sizeof(*summary));
}
