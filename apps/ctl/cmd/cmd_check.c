/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check FILE...: is a profile good, and if not, what is wrong and where. Packages: package_check.c.
#include <stdio.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/package/i40e_package.h"
#include "ctl/package/package_info.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

struct checked {
	const char *file;
	bool valid;
	unsigned int n_headers;
	unsigned int n_types;
	const struct ddp_diag *diag;
};

static void checked_json(const struct checked *checked, struct emit *emit) {
	const struct ddp_diag *diag = checked->diag;

	emit_open(emit, '{');
	emit_key_text(emit, "file", checked->file);
	emit_key_bool(emit, "valid", checked->valid);
	emit_key_uint(emit, "headers", checked->n_headers);
	emit_key_uint(emit, "packet_types", checked->n_types);
	diag_json(diag, emit);
	emit_close(emit, '}');
}

// Messages go to stderr: a script that keeps only the verdicts must not hide why.
static void checked_print(const struct checked *checked, struct output *out) {
	const struct ddp_diag *diag = checked->diag;

	output_flush(out);
	ddp_diag_print(diag, stderr);
	if (checked->valid)
		text_printf(out, "%s: OK (%u header%s, %u packet type%s)\n", checked->file,
			    checked->n_headers, plural(checked->n_headers), checked->n_types,
			    plural(checked->n_types));
	else if (diag->unreadable)
		text_printf(out, "%s: cannot be read\n", checked->file);
	else
		text_printf(out, "%s: invalid (%u error%s, %u warning%s)\n", checked->file,
			    diag->n_errors, plural(diag->n_errors), diag->n_warnings,
			    plural(diag->n_warnings));
}

static int file_check(const struct options *options, const char *file, struct emit *emit) {
	struct checked checked = {.file = file};
	struct ddp_personality loaded;
	struct ddp_diag diag;
	int status = EXIT_GOOD;

	if (ddp_is_package(file))
		return package_check(options, file, emit);
	ddp_diag_init(&diag);
	checked.diag = &diag;
	if (load_profile(&loaded, file, &diag) < 0) {
		status = load_status(&diag);
	} else {
		checked.n_headers = loaded.profile->n_headers;
		checked.n_types = ddp_program_n_types(loaded.program);
		if (options->strict && diag.n_warnings > 0)
			status = EXIT_NO;
		ddp_personality_unload(&loaded);
	}
	checked.valid = status == EXIT_GOOD;
	if (options->format == FORMAT_JSON)
		checked_json(&checked, emit);
	else
		checked_print(&checked, emit->out);
	ddp_diag_fini(&diag);
	return status;
}

int cmd_check(const struct options *options, struct output *out) {
	int worst = EXIT_GOOD, together;
	struct emit emit;

	emit_init(&emit, out);
	if (options->format == FORMAT_JSON)
		emit_open(&emit, '[');
	for (unsigned int i = 0; i < options->n_files; i++) {
		int status = file_check(options, options->files[i], &emit);

		if (status > worst)
			worst = status;
	}
	together = i40e_together_check(options, &emit);
	if (together > worst)
		worst = together;
	if (options->format == FORMAT_JSON) {
		emit_close(&emit, ']');
		emit_end(&emit);
	}
	return worst;
}
