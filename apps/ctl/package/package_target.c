/* SPDX-License-Identifier: BSD-3-Clause */
#include "package_target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"

int sysroot_open(struct sysroot *sysroot, const struct options *options) {
	struct utsname host;
	struct ddp_diag diag;

	if (options->release == NULL)
		uname(&host);
	snprintf(sysroot->release, sizeof(sysroot->release), "%s",
		 options->release != NULL ? options->release : host.release);
	ddp_diag_init(&diag);
	return load_end(&diag, ddp_sysroot_open(&sysroot->root, options->root, &diag) < 0);
}

void sysroot_close(struct sysroot *sysroot) {
	ddp_sysroot_close(&sysroot->root);
}

static struct package_target target_of(const struct ddp_nic *nic) {
	return (struct package_target){
		.has_nic = true,
		.nic = *nic,
		.has_serial = nic->serial_state == DDP_SERIAL_KNOWN,
		.serial = nic->serial,
		.segment = nic->segment,
	};
}

// All NICs, or the one that was asked for.
static int nics_get(const struct sysroot *sysroot, const char *device, struct ddp_nic **nics,
		    unsigned int *n) {
	struct ddp_diag diag;
	int status, ret;

	*nics = NULL;
	*n = 0;
	ddp_diag_init(&diag);
	if (device == NULL) {
		ret = ddp_nics_get(&sysroot->root, nics, n, &diag);
	} else {
		*nics = calloc_or_exit(1, sizeof(**nics));
		*n = 1;
		ret = ddp_nic_get(&sysroot->root, device, *nics, &diag);
	}
	status = load_end(&diag, ret < 0);
	for (unsigned int i = 0; i < *n && status == EXIT_GOOD; i++) {
		if ((*nics)[i].serial_state != DDP_SERIAL_HIDDEN)
			continue;
		error_print("%s: only root can read its serial number (or give it with --serial)",
			    (*nics)[i].address);
		status = EXIT_UNREADABLE;
	}
	if (status != EXIT_GOOD)
		free(*nics);
	return status;
}

int package_targets_get(const struct sysroot *sysroot, const struct options *options,
			struct package_target **targets, unsigned int *n) {
	struct ddp_nic *nics = NULL;
	int status = EXIT_GOOD;

	if (options->device != NULL && options->has_serial) {
		error_print("either --device or --serial, not both");
		return EXIT_USAGE;
	}
	*n = 0;
	if (!options->has_serial)
		status = nics_get(sysroot, options->device, &nics, n);
	if (status != EXIT_GOOD)
		return status;
	*targets = calloc_or_exit(*n + 1, sizeof(**targets)); // one where there is no NIC
	for (unsigned int i = 0; i < *n; i++)
		(*targets)[i] = target_of(&nics[i]);
	free(nics);
	if (*n == 0) {
		(*targets)[(*n)++] = (struct package_target){
			.has_serial = options->has_serial,
			.serial = options->serial,
		};
	}
	return EXIT_GOOD;
}

struct ddp_locate locate_of(const struct sysroot *sysroot, const struct package_target *target) {
	return (struct ddp_locate){
		.root = &sysroot->root,
		.release = sysroot->release,
		.has_serial = target->has_serial,
		.serial = target->serial,
		.segment = target->segment,
	};
}

void facts_write(const struct ddp_facts *facts, FILE *to) {
	const char *track = ddp_track_name(facts->track_id);

	if (facts->name[0] != '\0') {
		fprintf(to, "%s " DDP_VERSION_FMT, facts->name,
			DDP_VERSION_NUMBERS(facts->version));
		if (track != NULL)
			fprintf(to, " (%s)", track);
		else
			fprintf(to, " (track id 0x%08" PRIx32 ")", facts->track_id);
	}
	if (facts->problem[0] != '\0')
		fprintf(to, "%s%s", facts->name[0] != '\0' ? ": " : "", facts->problem);
}

static void package_json(const struct ddp_facts *facts, struct json_writer *json) {
	char text[32];

	snprintf(text, sizeof(text), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(facts->version));
	jsonw_object(json, "name:%s version:%s track_id:%08x track:%s", facts->name, text,
		     facts->track_id, ddp_track_name(facts->track_id));
}

void facts_json(const struct ddp_facts *facts, struct json_writer *json) {
	jsonw_key(json, "usable");
	if (facts->known)
		jsonw_bool(json, facts->usable);
	else
		jsonw_null(json);
	jsonw_key(json, "package");
	if (facts->name[0] != '\0')
		package_json(facts, json);
	else
		jsonw_null(json);
	jsonw_key_text(json, "problem", facts->problem[0] != '\0' ? facts->problem : NULL);
}

void serial_json(bool has_serial, uint64_t serial, struct json_writer *json) {
	char text[DDP_SERIAL_SIZE];

	ddp_serial_print(serial, text);
	jsonw_key_text(json, "serial", has_serial ? text : NULL);
}
