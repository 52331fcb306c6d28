/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check FILE...: is a profile good, and if not, what is wrong and where. Packages:
// package_check.c.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "classify/cost.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/package/package_info.h"
#include "ctl/profile/diagnostics.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

#define TEXT_MAX (1 << 20) // bytes of a profile on standard input

struct checked {
	const char *file;
	bool valid;
	unsigned int n_headers;
	unsigned int n_types;
	uint32_t steps;
	const struct ddp_diag *diag;
	const char *text; // that was read from standard input, NULL for a file
	unsigned int color;
};

static void checked_json(const struct checked *checked, struct json_writer *json) {
	jsonw_write(json, "{file:%s valid:%d headers:%u packet_types:%u steps:%u", checked->file,
		    checked->valid, checked->n_headers, checked->n_types, checked->steps);
	diagnostics_json(checked->diag, json);
	jsonw_close(json, '}');
}

// Messages go to stderr: a script that keeps only the verdicts must not hide why.
static void checked_print(const struct checked *checked, struct output *out) {
	const struct ddp_diag *diag = checked->diag;

	output_flush(out);
	diagnostics_print(diag, checked->text, is_colored(checked->color, STDERR_FILENO));
	if (checked->valid)
		output_escaped_printf(
			out, "%s: OK (%u header%s, %u packet type%s, at most %u steps a packet)\n",
			checked->file, checked->n_headers, plural(checked->n_headers),
			checked->n_types, plural(checked->n_types), checked->steps);
	else if (diag->unreadable)
		output_escaped_printf(out, "%s: cannot be read\n", checked->file);
	else
		output_escaped_printf(out, "%s: invalid (%u error%s, %u warning%s)\n",
				      checked->file, diag->n_errors, plural(diag->n_errors),
				      diag->n_warnings, plural(diag->n_warnings));
}

// All of standard input, to be freed; NULL with the reason in diag.
static char *stdin_read(size_t *size, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = "-"};
	char *text = calloc_or_exit(1, TEXT_MAX + 1);

	*size = fread(text, 1, TEXT_MAX, stdin);
	if (!ferror(stdin) && *size < TEXT_MAX)
		return text;
	diag->unreadable = true;
	if (ferror(stdin))
		ddp_error(diag, &place, "cannot be read: %s", strerror(errno));
	else
		ddp_error(diag, &place, "more than %d bytes", TEXT_MAX - 1);
	free(text);
	return NULL;
}

static int source_load(struct checked *checked, struct ddp_personality *loaded,
		       struct ddp_diag *diag) {
	struct ddp_source source = {.spec = checked->file};

	if (strcmp(checked->file, "-") != 0)
		return load_profile(loaded, checked->file, diag);
	source.spec = NULL;
	source.text = checked->text = stdin_read(&source.size, diag);
	return checked->text != NULL ? load_sources(loaded, &source, 1, diag) : -EIO;
}

// A profile without packet types is of use to profiles that require it, and to nobody else.
static void types_check(const struct ddp_personality *loaded, struct ddp_diag *diag) {
	const struct ddp_profile *profile = loaded->profile;

	if (ddp_program_n_types(loaded->program) == 0 && profile->n_headers > 0)
		ddp_warn(diag, &profile->headers[profile->first].place,
			 "there is no packet type, so every packet is unknown and has no hash");
}

// Packets that nobody expects can cost more than all others together.
static int cost_check(const struct ddp_personality *loaded, struct checked *checked,
		      struct ddp_diag *diag) {
	const struct ddp_header *header;
	struct ddp_cost cost;

	if (ddp_program_cost(loaded->program, &cost) < 0)
		return ddp_no_memory(diag);
	checked->steps = cost.steps;
	header = &loaded->profile->headers[cost.header];
	if (cost.steps > DDP_COST_MAX)
		ddp_warn(
			diag, &header->place,
			"a packet can take %u steps, more than %u, and the header '%s' up to %u each "
			"time; use a table instead of many rules",
			cost.steps, DDP_COST_MAX, header->name, cost.header_steps);
	return 0;
}

static int file_check(const struct check_options *options, const char *file,
		      struct json_writer *json) {
	struct checked checked = {.file = file, .color = options->color};
	struct ddp_personality loaded;
	struct ddp_diag diag;
	int status = EXIT_GOOD;

	if (ddp_is_package(file))
		return package_check(file, options->strict, options->common.format, json);
	ddp_diag_init(&diag);
	checked.diag = &diag;
	if (source_load(&checked, &loaded, &diag) < 0) {
		status = load_status(&diag);
	} else if (cost_check(&loaded, &checked, &diag) < 0) {
		status = load_status(&diag);
		ddp_personality_unload(&loaded);
	} else {
		checked.n_headers = loaded.profile->n_headers;
		checked.n_types = ddp_program_n_types(loaded.program);
		types_check(&loaded, &diag);
		if (options->strict && diag.n_warnings > 0)
			status = EXIT_NO;
		ddp_personality_unload(&loaded);
	}
	checked.valid = status == EXIT_GOOD;
	if (options->common.format == FORMAT_JSON)
		checked_json(&checked, json);
	else
		checked_print(&checked, json->out);
	free((char *)(uintptr_t)checked.text);
	ddp_diag_fini(&diag);
	return status;
}

int cmd_check(const void *arg, struct output *out) {
	const struct check_options *options = arg;
	const bool is_json = options->common.format == FORMAT_JSON;
	int worst = EXIT_GOOD;
	struct json_writer json;

	jsonw_init(&json, out);
	if (is_json)
		jsonw_open(&json, '[');
	for (unsigned int i = 0; i < options->common.n_files; i++) {
		int status = file_check(options, options->common.files[i], &json);

		if (status > worst)
			worst = status;
	}
	if (is_json)
		jsonw_write(&json, "]\n");
	return worst;
}
