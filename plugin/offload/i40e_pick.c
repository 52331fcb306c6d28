/* SPDX-License-Identifier: BSD-3-Clause */
// Finds the 700-series package that covers a profile: one that has protocols for the profile's
// headers.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "i40e_capabilities.h"
#include "i40e_port.h"
#include "package/folders.h"
#include "personality/package_open.h"

static bool has_protocol(const struct i40e_package *i40e, const char *protocol) {
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		if (strncasecmp(i40e->protocols[i].name, protocol, strlen(protocol)) == 0)
			return true;
	return false;
}

static bool covers(const struct ddp_profile *profile, uint16_t device,
		   const struct ddp_package *package, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = package->path};
	struct i40e_verdict verdict;

	if (package->kind != DDP_PACKAGE_I40E) {
		ddp_error(diag, &place, "it is for the 800 series");
		return false;
	}
	verdict = i40e_add_verdict(I40E_DPDK, package, device, NULL, 0);
	if (verdict.error != 0) {
		ddp_error(diag, &place, "%s", verdict.reason);
		return false;
	}
	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const char *protocol = i40e_protocol_of(profile->headers[i].name);

		if (protocol == NULL || has_protocol(package->i40e, protocol))
			continue;
		ddp_error(diag, &place, "it knows no protocol %s", protocol);
		return false;
	}
	return true;
}

static bool wants_any(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (i40e_protocol_of(profile->headers[i].name) != NULL)
			return true;
	return false;
}

static int is_package_file(const struct dirent *entry) {
	const char *dot = strrchr(entry->d_name, '.');

	return dot != NULL && (strcmp(dot, ".pkg") == 0 || strcmp(dot, ".pkgo") == 0);
}

/* Files */

struct search {
	const struct ddp_profile *profile;
	uint16_t device;
	const struct ddp_sysroot *root;
	struct ddp_diag *diag;
	unsigned int n_files;
};

static struct ddp_package *file_read(const struct search *search, const char *path) {
	const struct ddp_place place = {.file = path};
	struct ddp_package *package;
	size_t size;
	void *bytes = ddp_sysroot_read(search->root, path, &size);

	if (bytes == NULL && errno == ENOMEM) {
		ddp_no_memory(search->diag);
		return NULL;
	}
	if (bytes == NULL) {
		ddp_error(search->diag, &place, "%s", strerror(errno));
		return NULL;
	}
	package = ddp_package_read(path, bytes, size, search->diag);
	free(bytes);
	return package;
}

static struct ddp_package *file_try(struct search *search, const char *folder, const char *name) {
	struct ddp_package *package;
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		ddp_no_memory(search->diag);
		return NULL;
	}
	search->n_files++;
	package = file_read(search, path);
	if (package != NULL && !covers(search->profile, search->device, package, search->diag)) {
		ddp_package_close(package);
		package = NULL;
	}
	free(path);
	return package;
}

// A missing folder has no files.
static struct ddp_package *folder_try(struct search *search, const char *folder) {
	int fd = ddp_sysroot_fd(search->root, folder, O_RDONLY | O_DIRECTORY), n;
	struct ddp_package *package = NULL;
	struct dirent **files;

	if (fd < 0)
		return NULL;
	n = scandirat(fd, ".", &files, is_package_file, alphasort);
	if (n < 0 && errno == ENOMEM)
		ddp_no_memory(search->diag);
	for (int i = 0; i < n; i++) {
		if (package == NULL)
			package = file_try(search, folder, files[i]->d_name);
		free(files[i]);
	}
	if (n >= 0)
		free(files);
	close(fd);
	return package;
}

struct ddp_package *ddp_i40e_package_pick(const struct ddp_profile *profile, uint16_t device,
					  const struct ddp_sysroot *root, struct ddp_diag *diag) {
	struct search search = {.profile = profile, .device = device, .root = root, .diag = diag};
	char folders[DDP_FOLDERS_MAX][PATH_MAX];
	struct ddp_package *package = NULL;
	struct utsname host;
	unsigned int n;

	if (!ddp_i40e_package_wanted(profile)) {
		ddp_error(diag, NULL, "profile %s has nothing that a package would add to the NIC",
			  profile->spec);
		return NULL;
	}
	uname(&host);
	n = ddp_kernel_folders(root, host.release, folders);
	for (unsigned int i = 0; i < n && package == NULL; i++) {
		strncat(folders[i], DDP_I40E_PACKAGE_FOLDER, PATH_MAX - strlen(folders[i]) - 1);
		package = folder_try(&search, folders[i]);
	}
	if (package == NULL && search.n_files == 0 && !diag->no_memory)
		ddp_error(diag, NULL,
			  "there is no package for it in " DDP_FIRMWARE_FOLDER
				  DDP_I40E_PACKAGE_FOLDER);
	return package;
}

bool ddp_i40e_package_wanted(const struct ddp_profile *profile) {
	return !profile->modelled && wants_any(profile);
}
