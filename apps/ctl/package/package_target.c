/* SPDX-License-Identifier: BSD-3-Clause */
#include "package_target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"

static int give_up(const struct ddp_diag *diag) {
	ddp_diag_print(diag, stderr);
	return load_status(diag);
}

int machine_open(struct machine *machine, const struct options *options) {
	struct utsname host;
	struct ddp_diag diag;
	int status = EXIT_GOOD;

	ddp_diag_init(&diag);
	if (ddp_root_open(&machine->root, options->root, &diag) < 0)
		status = give_up(&diag);
	ddp_diag_fini(&diag);
	if (options->release == NULL)
		uname(&host);
	snprintf(machine->release, sizeof(machine->release), "%s",
		 options->release != NULL ? options->release : host.release);
	return status;
}

void machine_close(struct machine *machine) {
	ddp_root_close(&machine->root);
}

static struct aim aim_of(const struct ddp_nic *nic) {
	return (struct aim){
		.has_nic = true,
		.nic = *nic,
		.has_serial = nic->serial_state == DDP_SERIAL_KNOWN,
		.serial = nic->serial,
		.segment = nic->segment,
	};
}

static int hidden(const struct ddp_nic *nic) {
	error_print("%s: only root can read its serial number (or give it with --serial)",
		    nic->address);
	return EXIT_UNREADABLE;
}

// All NICs, or the one that was asked for.
static int nics_get(const struct machine *machine, const char *device, struct ddp_nic **nics,
		    unsigned int *n) {
	struct ddp_diag diag;
	int status = EXIT_GOOD, ret;

	*nics = NULL;
	*n = 0;
	ddp_diag_init(&diag);
	if (device == NULL) {
		ret = ddp_nics_get(&machine->root, nics, n, &diag);
	} else {
		*nics = calloc(1, sizeof(**nics));
		*n = 1;
		ret = *nics == NULL ? -ENOMEM : ddp_nic_get(&machine->root, device, *nics, &diag);
	}
	if (ret < 0)
		status = give_up(&diag);
	ddp_diag_fini(&diag);
	for (unsigned int i = 0; i < *n && status == EXIT_GOOD; i++)
		if ((*nics)[i].serial_state == DDP_SERIAL_HIDDEN)
			status = hidden(&(*nics)[i]);
	if (status != EXIT_GOOD)
		free(*nics);
	return status;
}

int aims_get(const struct machine *machine, const struct options *options, struct aim **aims,
	     unsigned int *n) {
	struct ddp_nic *nics = NULL;
	int status = EXIT_GOOD;

	if (options->device != NULL && options->has_serial) {
		error_print("either --device or --serial, not both");
		return EXIT_USAGE;
	}
	*n = 0;
	if (!options->has_serial)
		status = nics_get(machine, options->device, &nics, n);
	if (status != EXIT_GOOD)
		return status;
	*aims = calloc(*n + 1, sizeof(**aims)); // one where there is no NIC
	if (*aims == NULL) {
		error_print("%s", strerror(ENOMEM));
		free(nics);
		return EXIT_UNREADABLE;
	}
	for (unsigned int i = 0; i < *n; i++)
		(*aims)[i] = aim_of(&nics[i]);
	free(nics);
	if (*n == 0) {
		(*aims)[(*n)++] = (struct aim){
			.has_serial = options->has_serial,
			.serial = options->serial,
		};
	}
	return EXIT_GOOD;
}

struct ddp_locate locate_of(const struct machine *machine, const struct aim *aim) {
	return (struct ddp_locate){
		.root = &machine->root,
		.release = machine->release,
		.has_serial = aim->has_serial,
		.serial = aim->serial,
		.segment = aim->segment,
	};
}

static void version_write(const struct ddp_version *version, FILE *to) {
	fprintf(to, "%u.%u.%u.%u", version->major, version->minor, version->update, version->draft);
}

void facts_write(const struct ddp_facts *facts, FILE *to) {
	const char *track = ddp_track_name(facts->track_id);

	if (facts->name[0] != '\0') {
		fprintf(to, "%s ", facts->name);
		version_write(&facts->version, to);
		if (track != NULL)
			fprintf(to, " (%s)", track);
		else
			fprintf(to, " (track id 0x%08" PRIx32 ")", facts->track_id);
	}
	if (facts->problem[0] != '\0')
		fprintf(to, "%s%s", facts->name[0] != '\0' ? ": " : "", facts->problem);
}

static void package_json(const struct ddp_facts *facts, struct emit *emit) {
	char text[32];

	emit_open(emit, '{');
	emit_key_text(emit, "name", facts->name);
	emit_key(emit, "version");
	snprintf(text, sizeof(text), "%u.%u.%u.%u", facts->version.major, facts->version.minor,
		 facts->version.update, facts->version.draft);
	emit_text(emit, text);
	emit_key(emit, "track_id");
	snprintf(text, sizeof(text), "0x%08" PRIx32, facts->track_id);
	emit_text(emit, text);
	emit_key_text(emit, "track", ddp_track_name(facts->track_id));
	emit_close(emit, '}');
}

void facts_json(const struct ddp_facts *facts, struct emit *emit) {
	emit_key(emit, "usable");
	if (facts->known)
		emit_bool(emit, facts->usable);
	else
		emit_null(emit);
	emit_key(emit, "package");
	if (facts->name[0] != '\0')
		package_json(facts, emit);
	else
		emit_null(emit);
	emit_key_text(emit, "problem", facts->problem[0] != '\0' ? facts->problem : NULL);
}

void serial_json(bool has_serial, uint64_t serial, struct emit *emit) {
	char text[DDP_SERIAL_SIZE];

	ddp_serial_print(serial, text);
	emit_key_text(emit, "serial", has_serial ? text : NULL);
}
