/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl diff FILE FILE: what one profile or package classifies that the other does not.
#include <stdio.h>
#include <string.h>

#include "common/strbuf.h"
#include "ctl/diff/diff.h"
#include "ctl/package/e810_device.h"
#include "ctl/package/i40e_package.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

// One of both, loaded.
struct half {
	struct ddp_package *package; // or
	struct ddp_personality loaded;
};

static const char *last_part(const char *path) {
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void diff_names(struct diff *diff, const char *a, const char *b) {
	diff->names[0] = last_part(a);
	diff->names[1] = last_part(b);
	if (strcmp(diff->names[0], diff->names[1]) != 0)
		return;
	diff->names[0] = "A";
	diff->names[1] = "B";
}

void diff_item(struct diff *diff) {
	text_wrap(diff->out, text_take(&diff->text), 0, 2);
	output_char(diff->out, '\n');
}

void diff_tell(struct diff *diff) {
	diff->differ = true;
	diff_item(diff);
}

void diff_ranges(FILE *to, const uint16_t *numbers, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		unsigned int last = i;

		while (last + 1 < n && numbers[last + 1] == numbers[last] + 1)
			last++;
		fprintf(to, "%s%u", i > 0 ? ", " : "", numbers[i]);
		if (last > i)
			fprintf(to, "-%u", numbers[last]);
		i = last;
	}
}

static int half_open(struct half *half, const char *spec) {
	*half = (struct half){0};
	if (ddp_is_package(spec))
		return nic_package_open(spec, &half->package);
	return load_or_tell(&half->loaded, spec);
}

static void half_close(struct half *half) {
	if (half->package != NULL)
		ddp_package_close(half->package);
	else
		ddp_personality_unload(&half->loaded);
}

// Only those of the 800 series hold a parser to ask.
static bool is_e810_or_tell(const struct ddp_package *package, const char *other) {
	if (package->kind == DDP_PACKAGE_E810)
		return true;
	error_print("%s: a package of the 700 series cannot be compared with %s", package->path,
		    other);
	return false;
}

static int packages_diff(struct diff *diff, struct ddp_package *const packages[2]) {
	if (packages[0]->kind == DDP_PACKAGE_I40E && packages[1]->kind == DDP_PACKAGE_I40E)
		return i40e_diff(diff->options, packages[0], packages[1], &diff->emit);
	if (!is_e810_or_tell(packages[0], "one of the 800 series") ||
	    !is_e810_or_tell(packages[1], "one of the 800 series"))
		return CTL_UNREADABLE;
	return nic_diff(diff, packages);
}

static int halves_diff(struct diff *diff, struct half halves[2]) {
	struct ddp_package *const packages[] = {halves[0].package, halves[1].package};
	const struct ddp_personality loaded[] = {halves[0].loaded, halves[1].loaded};
	bool package_first = packages[0] != NULL;

	if (packages[0] != NULL && packages[1] != NULL)
		return packages_diff(diff, packages);
	if (packages[0] == NULL && packages[1] == NULL)
		return profile_diff(diff, loaded);
	if (!is_e810_or_tell(packages[!package_first], "a profile"))
		return CTL_UNREADABLE;
	return mixed_diff(diff, packages[!package_first], &loaded[package_first], package_first);
}

int cmd_diff(const struct options *options, struct output *out) {
	struct diff diff = {.options = options, .out = out};
	struct half halves[2];
	int status = half_open(&halves[0], options->files[0]);

	if (status != CTL_GOOD)
		return status;
	status = half_open(&halves[1], options->files[1]);
	if (status != CTL_GOOD) {
		half_close(&halves[0]);
		return status;
	}
	diff_names(&diff, options->files[0], options->files[1]);
	emit_init(&diff.emit, out);
	text_init(&diff.text);
	status = halves_diff(&diff, halves);
	text_fini(&diff.text);
	half_close(&halves[0]);
	half_close(&halves[1]);
	return status;
}
