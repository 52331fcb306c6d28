/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl diff FILE FILE: what one profile or package classifies that the other does not.
#include <string.h>

#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/diff/diff.h"
#include "ctl/package/e810_nic.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

// One of both, loaded.
struct half {
	struct ddp_package *package; // or
	struct ddp_personality loaded;
};

static int half_open(struct half *half, const char *spec) {
	*half = (struct half){0};
	if (ddp_is_package(spec))
		return e810_nic_package_open(spec, &half->package);
	return load_or_report(&half->loaded, spec);
}

static void half_close(struct half *half) {
	if (half->package != NULL)
		ddp_package_close(half->package);
	else
		ddp_personality_unload(&half->loaded);
}

static int packages_diff(struct diff *diff, struct ddp_package *const packages[2]) {
	for (unsigned int i = 0; i < 2; i++)
		if (packages[i]->kind != DDP_PACKAGE_E810) {
			error_print("%s: a package of the 700 series; compare what 'ddpctl info' "
				    "prints of both",
				    packages[i]->path);
			return EXIT_UNREADABLE;
		}
	return e810_diff(diff, packages);
}

static int halves_diff(struct diff *diff, struct half halves[2]) {
	struct ddp_package *const packages[] = {halves[0].package, halves[1].package};
	const struct ddp_personality loaded[] = {halves[0].loaded, halves[1].loaded};

	if (packages[0] != NULL && packages[1] != NULL)
		return packages_diff(diff, packages);
	if (packages[0] == NULL && packages[1] == NULL)
		return profile_diff(diff, loaded);
	error_print(
		"diff: a package and a profile cannot be compared; 'ddpctl plan' shows what a NIC "
		"can do of a profile");
	return EXIT_USAGE;
}

int cmd_diff(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct diff diff = {.is_json = options->format == FORMAT_JSON, .out = out};
	struct half halves[2];
	int status = half_open(&halves[0], options->files[0]);

	if (status != EXIT_GOOD)
		return status;
	status = half_open(&halves[1], options->files[1]);
	if (status != EXIT_GOOD) {
		half_close(&halves[0]);
		return status;
	}
	diff_names(&diff, options->files[0], options->files[1]);
	jsonw_init(&diff.json, out);
	strbuf_init(&diff.text);
	status = halves_diff(&diff, halves);
	strbuf_fini(&diff.text);
	half_close(&halves[0]);
	half_close(&halves[1]);
	return status;
}
