/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "yaml.h"

static char *word_copy(const struct ddp_yaml *root, const char *key) {
	const struct ddp_yaml *value = ddp_yaml_get(root, key);

	return value == NULL || value->kind != DDP_YAML_SCALAR ? NULL : strdup(value->value);
}

int ddp_profile_summary(const char *file, struct ddp_profile_summary *summary,
			struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	const struct ddp_yaml *root;
	int ret = 0;

	memset(summary, 0, sizeof(*summary));
	if (arena == NULL)
		return -ENOMEM;
	root = ddp_yaml_load(file, arena, diag);
	if (root == NULL) {
		ret = -EINVAL;
	} else {
		summary->name = word_copy(root, "profile");
		summary->version = word_copy(root, "version");
		summary->summary = word_copy(root, "summary");
	}
	ddp_arena_destroy(arena);
	return ret;
}

void ddp_profile_summary_fini(struct ddp_profile_summary *summary) {
	free(summary->name);
	free(summary->version);
	free(summary->summary);
	memset(summary, 0, sizeof(*summary));
}
