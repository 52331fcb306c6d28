/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_load.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json_writer.h"
#include "common/output.h"
#include "common/strbuf.h"
#include "ctl/capture/capture.h"
#include "ctl/capture/input.h"
#include "personality/personality.h"
#include "profile/profile.h"

int load_profile(struct ddp_personality *loaded, const char *spec, struct ddp_diag *diag) {
	const struct ddp_source source = {.spec = spec};

	return load_sources(loaded, &source, spec != NULL, diag);
}

int load_file(struct ddp_personality *loaded, const char *spec, struct ddp_diag *diag) {
	if (!ddp_is_package(spec))
		return load_profile(loaded, spec, diag);
	*loaded = (struct ddp_personality){.package = ddp_package_open(spec, diag)};
	return loaded->package != NULL ? 0 : -EINVAL;
}

int load_sources(struct ddp_personality *loaded, const struct ddp_source *sources, unsigned int n,
		 struct ddp_diag *diag) {
	const struct ddp_load load = {.sources = sources, .n_sources = n};
	struct ddp_place place = {.file = n > 0 ? sources[0].spec : NULL};
	int fd = place.file != NULL ? open(place.file, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	const bool is_capture = fd >= 0 && input_is_plain(fd);
	int ret;

	if (fd >= 0)
		close(fd);
	if (is_capture) {
		ddp_error(diag, &place, "a capture, not a profile (FILE comes before PCAP)");
		return -EINVAL;
	}
	ret = ddp_personality_load(loaded, &load, diag);
	if (diag->no_memory) // also where callers ignore profiles with errors
		no_memory_exit();
	return ret;
}

int load_or_report(struct ddp_personality *loaded, const char *spec) {
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	return load_end(&diag, load_profile(loaded, spec, &diag) < 0);
}

int load_status(const struct ddp_diag *diag) {
	return diag->unreadable ? EXIT_UNREADABLE : EXIT_NO;
}

int load_end(struct ddp_diag *diag, bool failed) {
	int status = failed ? load_status(diag) : EXIT_GOOD;

	if (failed)
		ddp_diag_print(diag, stderr);
	ddp_diag_fini(diag);
	return status;
}

const char *status_name(uint8_t status) {
	assert(status <= DDP_STATUS_TOO_DEEP);
	if (status == DDP_STATUS_OK)
		return "ok";
	return status == DDP_STATUS_TOO_DEEP ? "loop" : "error";
}

const char *type_origin(const struct ddp_profile *profile, const char *name) {
	for (unsigned int i = 0; i < profile->n_types; i++)
		if (strcmp(profile->types[i].name, name) == 0)
			return profile->types[i].profile;
	return "";
}

const char *type_name(const struct ddp_program *program, uint16_t type) {
	return type == DDP_TYPE_NONE ? "UNKNOWN" : ddp_program_type(program, type)->name;
}

void header_fields_json(const struct ddp_header *header, struct json_writer *json) {
	jsonw_key_open(json, "fields", '[');
	for (unsigned int i = 0; i < header->n_fields; i++)
		jsonw_object(json, "name:%s bits:%u", header->fields[i].name,
			     header->fields[i].width);
	jsonw_close(json, ']');
}

void chain_json(const struct ddp_program *program, const struct ddp_class *class,
		struct json_writer *json) {
	jsonw_key_open(json, "chain", '[');
	for (unsigned int i = 0; i < class->n_seen; i++)
		if (!ddp_program_node(program, class->seen[i].node)->hidden)
			jsonw_text(json, ddp_program_node(program, class->seen[i].node)->token);
	jsonw_close(json, ']');
	jsonw_key_open(json, "offsets", '[');
	for (unsigned int i = 0; i < class->n_seen; i++)
		if (!ddp_program_node(program, class->seen[i].node)->hidden)
			jsonw_uint(json, class->seen[i].off);
	jsonw_close(json, ']');
}

int package_hash_check(const struct ddp_personality *loaded, enum ddp_hash_function function) {
	if (loaded->package == NULL || function != DDP_HASH_SYMMETRIC_TOEPLITZ_SORT)
		return EXIT_GOOD;
	error_print("no NIC that Intel's packages are for has the hash function %s",
		    ddp_hash_function_name(function));
	return EXIT_USAGE;
}

int capture_open_or_report(struct capture *capture, const struct capture_config *config) {
	int ret;

	interrupt_catch();
	ret = capture_open(capture, config);
	if (ret == 0)
		return EXIT_GOOD;
	error_print("%s", capture->error);
	return capture_status(capture, ret);
}

bool capture_is_file(const struct capture_config *config) {
	struct stat stat_of;

	return config->interface == NULL && stat(config->path, &stat_of) == 0 &&
	       S_ISREG(stat_of.st_mode);
}

int capture_end_or_report(const struct capture *capture, int ret) {
	const bool empty = ret == 0 && capture->n_packets == 0 && !capture->interrupted;
	uint64_t n_dropped = capture_dropped(capture);

	if (ret < 0)
		error_print("%s", capture->error);
	else if (empty && capture->config.expression != NULL)
		error_print("%s: no packet passes the filter '%s'", capture->path,
			    capture->config.expression);
	else if (empty)
		error_print("%s: the capture has no packets", capture->path);
	else if (capture->interrupted && !capture->is_live)
		error_print("%s: interrupted after %" PRIu64 " packets", capture->path,
			    capture->n_packets);
	if (n_dropped > 0)
		error_print("%s: %" PRIu64 " packets more were dropped by the system",
			    capture->path, n_dropped);
	return capture_status(capture, ret);
}

/* The library */

// A missing directory of the search path is no error.
static void unreadable(void *status, const char *dir) {
	if (errno == ENOENT)
		return;
	error_print("%s: %s", dir, strerror(errno));
	*(int *)status = EXIT_UNREADABLE;
}

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct ddp_found *)a)->name, ((const struct ddp_found *)b)->name);
}

int library_scan(struct ddp_library *library) {
	int status = EXIT_GOOD;

	*library = (struct ddp_library){.arena = ddp_arena_create()};
	if (ddp_library_scan(library, unreadable, &status) < 0)
		no_memory_exit();
	if (library->n > 0)
		qsort(library->profiles, library->n, sizeof(library->profiles[0]), by_name);
	return status;
}
