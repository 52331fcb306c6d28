/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check of a package.
#include "common/strbuf.h"
#include "ctl/options.h"
#include "ctl/profile/diagnostics.h"
#include "ctl/profile/profile_load.h"
#include "package_info.h"
#include "personality/package_open.h"

struct checked {
	const char *file;
	bool valid;
	const struct ddp_package *package; // NULL when it cannot be used
	struct ddp_diag diag;
};

static void checked_json(const struct checked *checked, struct json_writer *json) {
	jsonw_write(json, "{file:%s valid:%d", checked->file, checked->valid);
	if (checked->package != NULL)
		package_identity_json(json, checked->package);
	diagnostics_json(&checked->diag, json);
	jsonw_close(json, '}');
}

static void verdict_write(const struct checked *checked, FILE *to) {
	const struct ddp_package *package = checked->package;
	const struct ddp_diag *diag = &checked->diag;

	fprintf(to, "%s: ", checked->file);
	if (diag->unreadable) {
		fputs("cannot be read", to);
		return;
	}
	if (!checked->valid)
		fprintf(to, "invalid (%u error%s, %u warning%s)", diag->n_errors,
			plural(diag->n_errors), diag->n_warnings, plural(diag->n_warnings));
	else
		fputs("OK", to);
	if (package != NULL)
		fprintf(to, ": %s " DDP_VERSION_FMT, package->name,
			DDP_VERSION_NUMBERS(package->version));
}

static void checked_print(const struct checked *checked, struct output *out) {
	struct strbuf text;

	output_flush(out);
	ddp_diag_print(&checked->diag, stderr);
	strbuf_init(&text);
	verdict_write(checked, text.to);
	output_escaped_printf(out, "%s\n", strbuf_take(&text));
	strbuf_fini(&text);
}

int package_check(const char *file, bool strict, enum format format, struct json_writer *json) {
	struct checked checked = {.file = file};
	struct ddp_package *package;
	int status = EXIT_GOOD;

	ddp_diag_init(&checked.diag);
	package = ddp_package_open(file, &checked.diag);
	checked.package = package;
	if (package == NULL)
		status = load_status(&checked.diag);
	else if (strict && checked.diag.n_warnings > 0)
		status = EXIT_NO;
	checked.valid = status == EXIT_GOOD;
	if (format == FORMAT_JSON)
		checked_json(&checked, json);
	else
		checked_print(&checked, json->out);
	ddp_package_close(package);
	ddp_diag_fini(&checked.diag);
	return status;
}
