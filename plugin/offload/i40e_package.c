/* SPDX-License-Identifier: BSD-3-Clause */
// Does a 700-series package have the protocols that a profile needs?
#include <string.h>
#include <strings.h>

#include "i40e_capabilities.h"
#include "i40e_port.h"
#include "personality/package_open.h"

struct ddp_package *ddp_i40e_package_open(const char *path, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = path};
	struct ddp_package *package = ddp_package_open(path, diag);

	if (package == NULL || package->kind == DDP_PACKAGE_I40E)
		return package;
	ddp_error(diag, &place, "it is for the 800 series");
	ddp_package_close(package);
	return NULL;
}

static bool has_protocol(const struct i40e_package *i40e, const char *protocol) {
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		if (strncasecmp(i40e->protocols[i].name, protocol, strlen(protocol)) == 0)
			return true;
	return false;
}

bool ddp_i40e_package_covers(const struct ddp_package *package, uint16_t device,
			     const struct ddp_profile *profile, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = package->path};
	const char *reason;

	if (i40e_verdict(package, device, &reason) != 0) {
		ddp_error(diag, &place, "%s", reason);
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

bool ddp_i40e_package_wanted(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_headers && !profile->modelled; i++)
		if (i40e_protocol_of(profile->headers[i].name) != NULL)
			return true;
	return false;
}
