/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check FILE...: is a profile or a package good, and if not, what is wrong and where.
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

#define TEXT_MAX (1 << 20) // bytes of a profile on standard input

struct checked {
	const char *file;
	bool valid;
	unsigned int n_headers;
	unsigned int n_types;
	uint32_t steps;
	struct ddp_personality loaded; // all zero if it is not good
	struct ddp_diag diag;
	const char *text; // that was read from standard input, NULL for a file
};

static void checked_json(const struct checked *checked, struct json_writer *json) {
	jsonw_write(json, "{file:%s valid:%d", checked->file, checked->valid);
	if (checked->loaded.package != NULL)
		package_identity_json(json, checked->loaded.package);
	else
		jsonw_write(json, "headers:%u packet_types:%u steps:%u", checked->n_headers,
			    checked->n_types, checked->steps);
	diagnostics_json(&checked->diag, json);
	jsonw_close(json, '}');
}

static void verdict_write(const struct checked *checked, FILE *to) {
	const struct ddp_package *package = checked->loaded.package;
	const struct ddp_diag *diag = &checked->diag;

	if (diag->unreadable)
		fputs("cannot be read", to);
	else if (!checked->valid)
		fprintf(to, "invalid (%u error%s, %u warning%s)", diag->n_errors,
			plural(diag->n_errors), diag->n_warnings, plural(diag->n_warnings));
	else
		fputs("OK", to);
	if (package != NULL)
		fprintf(to, ": %s " DDP_VERSION_FMT, package->name,
			DDP_VERSION_NUMBERS(package->version));
	else if (checked->valid)
		fprintf(to, " (%u header%s, %u packet type%s, at most %u steps a packet)",
			checked->n_headers, plural(checked->n_headers), checked->n_types,
			plural(checked->n_types), checked->steps);
}

// Messages go to stderr: a script that keeps only the verdicts must not hide why.
static void checked_print(const struct checked *checked, unsigned int color, struct output *out) {
	struct strbuf text;

	output_flush(out);
	diagnostics_print(&checked->diag, checked->text, is_colored(color, STDERR_FILENO));
	strbuf_init(&text);
	verdict_write(checked, text.to);
	output_escaped_printf(out, "%s: %s\n", checked->file, strbuf_take(&text));
	strbuf_fini(&text);
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

static int source_load(struct checked *checked) {
	struct ddp_source source = {0};

	if (strcmp(checked->file, "-") != 0)
		return load_file(&checked->loaded, checked->file, &checked->diag);
	source.text = checked->text = stdin_read(&source.size, &checked->diag);
	if (checked->text == NULL)
		return -EIO;
	return load_sources(&checked->loaded, &source, 1, &checked->diag);
}

// A profile without packet types is of use to profiles that require it, and to nobody else.
static void types_check(const struct ddp_profile *profile, struct checked *checked) {
	checked->n_headers = profile->n_headers;
	checked->n_types = ddp_program_n_types(checked->loaded.program);
	if (checked->n_types == 0 && profile->n_headers > 0)
		ddp_warn(&checked->diag, &profile->headers[profile->first].place,
			 "there is no packet type, so every packet is unknown and has no hash");
}

// Packets that nobody expects can cost more than all others together.
static int cost_check(const struct ddp_profile *profile, struct checked *checked) {
	const struct ddp_header *header;
	struct ddp_cost cost;

	if (ddp_program_cost(checked->loaded.program, &cost) < 0)
		return ddp_no_memory(&checked->diag);
	checked->steps = cost.steps;
	header = &profile->headers[cost.header];
	if (cost.steps > DDP_COST_MAX)
		ddp_warn(
			&checked->diag, &header->place,
			"a packet can take %u steps, more than %u, and the header '%s' up to %u each "
			"time; use a table instead of many rules",
			cost.steps, DDP_COST_MAX, header->name, cost.header_steps);
	return 0;
}

static int checked_fill(struct checked *checked, bool strict) {
	const struct ddp_profile *profile;

	if (source_load(checked) < 0)
		return load_status(&checked->diag);
	profile = checked->loaded.profile;
	if (profile != NULL && cost_check(profile, checked) < 0)
		return load_status(&checked->diag);
	if (profile != NULL)
		types_check(profile, checked);
	return strict && checked->diag.n_warnings > 0 ? EXIT_NO : EXIT_GOOD;
}

static int file_check(const struct check_options *options, const char *file,
		      struct json_writer *json) {
	struct checked checked = {.file = file};
	int status;

	ddp_diag_init(&checked.diag);
	status = checked_fill(&checked, options->strict);
	checked.valid = status == EXIT_GOOD;
	if (options->common.format == FORMAT_JSON)
		checked_json(&checked, json);
	else
		checked_print(&checked, options->color, json->out);
	free((char *)(uintptr_t)checked.text);
	ddp_personality_unload(&checked.loaded);
	ddp_diag_fini(&checked.diag);
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
