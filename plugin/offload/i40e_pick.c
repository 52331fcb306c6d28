/* SPDX-License-Identifier: BSD-3-Clause */
// Which 700-series package covers a profile: the one that names the protocols that its headers are.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "i40e_port.h"

// Headers that a 700-series NIC does not know by itself, and protocols of packages that stand for them:
// the beginning of a name will do.
static const struct {
	const char *header, *protocol;
} names[] = {
	{"ah", "AH"},         {"ecpri", "ECPRI"}, {"esp", "ESP"},
	{"gtpc", "GTPC"},     {"gtpu", "GTPU"},   {"l2tpv2", "L2TPV2"},
	{"l2tpv3", "L2TPV3"}, {"mpls", "MPLS"},   {"pppoe", "PPPOE"},
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static bool is_wanted(const struct ddp_profile *profile, const char *header) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, header) == 0)
			return true;
	return false;
}

static bool has_protocol(const struct i40e_package *i40e, const char *protocol) {
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		if (strncmp(i40e->protocols[i].name, protocol, strlen(protocol)) == 0)
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
		ddp_error(diag, &place, "%s", verdict.why);
		return false;
	}
	for (unsigned int i = 0; i < N_NAMES; i++)
		if (is_wanted(profile, names[i].header) &&
		    !has_protocol(package->i40e, names[i].protocol)) {
			ddp_error(diag, &place, "it knows no protocol %s", names[i].protocol);
			return false;
		}
	return true;
}

static bool wants_any(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < N_NAMES; i++)
		if (is_wanted(profile, names[i].header))
			return true;
	return false;
}

static int is_package_file(const struct dirent *entry) {
	const char *dot = strrchr(entry->d_name, '.');

	return dot != NULL && (strcmp(dot, ".pkg") == 0 || strcmp(dot, ".pkgo") == 0);
}

static struct ddp_package *file_try(const struct ddp_profile *profile, uint16_t device,
				    const char *folder, const char *name, struct ddp_diag *diag) {
	struct ddp_package *package;
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	package = ddp_package_open(path, diag);
	if (package != NULL && !covers(profile, device, package, diag)) {
		ddp_package_close(package);
		package = NULL;
	}
	free(path);
	return package;
}

struct ddp_package *ddp_i40e_package_pick(const struct ddp_profile *profile, uint16_t device,
					  const char *folder, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = folder};
	struct ddp_package *package = NULL;
	struct dirent **files;
	int n;

	if (!wants_any(profile)) {
		ddp_error(diag, NULL, "profile %s has nothing that a package would add to the NIC",
			  profile->spec);
		return NULL;
	}
	n = scandir(folder, &files, is_package_file, alphasort);
	if (n <= 0) {
		ddp_error(diag, &place, "%s", n < 0 ? strerror(errno) : "there is no package in it");
		if (n == 0)
			free(files);
		return NULL;
	}
	for (int i = 0; i < n; i++) {
		if (package == NULL)
			package = file_try(profile, device, folder, files[i]->d_name, diag);
		free(files[i]);
	}
	free(files);
	return package;
}
