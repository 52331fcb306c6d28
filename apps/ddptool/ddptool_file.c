/* SPDX-License-Identifier: BSD-3-Clause */
// ddptool -f: which profile a file is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ddptool.h"
#include "personality/package_open.h"
#include "profile/profile.h"

static bool ends_with(const char *text, const char *end) {
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static bool is_file(const char *path) {
	struct stat about;

	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// Packages have any name; what is no file, or is called as profiles are, is a profile.
static bool is_package(const char *file) {
	return ddp_is_package(file) || (is_file(file) && !ends_with(file, ".yaml"));
}

// Parameters may follow a package's path, as where net_ddp is given one.
static int package_add(struct ddptool_device *device, const char *file, struct ddp_diag *diag) {
	char *path = is_file(file) ? strdup(file) : strndup(file, strcspn(file, ":;"));
	struct ddp_package *package;
	char version[16];

	if (path == NULL)
		no_memory_exit();
	package = ddp_package_open(path, diag);
	free(path);
	if (package == NULL)
		return -1;
	snprintf(version, sizeof(version), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
	ddptool_profile_add(device, package->track_id, version, package->name);
	ddp_package_close(package);
	return 0;
}

static int profile_add(struct ddptool_device *device, const char *spec, struct ddp_diag *diag) {
	struct ddp_profile *profile = ddp_profile_load(spec, diag);

	if (profile == NULL)
		return -1;
	for (unsigned int i = 0; i < profile->n_parts; i++) {
		const struct ddp_profile_part *part = &profile->parts[i];
		const char *version = part->version != NULL ? part->version : "";

		if (part->named)
			ddptool_profile_add(device, ddp_profile_track_id(part->name, version),
					    version, part->name);
	}
	ddp_profile_destroy(profile);
	return 0;
}

enum ddptool_status ddptool_file_read(const struct ddptool_options *options,
				      struct ddptool_device *device) {
	enum ddptool_status status = DDPTOOL_GOOD;
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = is_package(options->file) ? package_add(device, options->file, &diag) :
					  profile_add(device, options->file, &diag);
	if (ret < 0) {
		status = diag.unreadable ? DDPTOOL_INTERNAL : DDPTOOL_BAD_PACKAGE;
		for (unsigned int i = 0; i < diag.n_kept; i++)
			ddptool_say(options, "%s", diag.messages[i]);
	}
	ddp_diag_fini(&diag);
	return status;
}
