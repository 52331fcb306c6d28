/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check of a package: can it be read, and is it what its maker signed.
#include "common/strbuf.h"
#include "ctl/options.h"
#include "ctl/profile/profile_load.h"
#include "package_info.h"
#include "personality/package_open.h"

struct checked {
	const char *file;
	bool valid;
	const struct ddp_package *package; // NULL when it cannot be used
	enum seal seal;
	struct e810_integrity integrity;
	struct ddp_diag diag;
};

static void checked_json(const struct checked *checked, struct emit *emit) {
	const struct ddp_diag *diag = &checked->diag;

	emit_open(emit, '{');
	emit_key_text(emit, "file", checked->file);
	emit_key_bool(emit, "valid", checked->valid);
	if (checked->package != NULL) {
		package_identity_json(emit, checked->package);
		package_seal_json(emit, checked->seal, &checked->integrity);
	}
	diag_json(diag, emit);
	emit_close(emit, '}');
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
		fprintf(to, "%s (%u error%s, %u warning%s)",
			checked->seal == SEAL_ALTERED ? "altered" : "invalid", diag->n_errors,
			plural(diag->n_errors), diag->n_warnings, plural(diag->n_warnings));
	else
		fputs("OK", to);
	if (package != NULL) {
		fprintf(to, ": %s %u.%u.%u.%u, ", package->name, package->version.major,
			package->version.minor, package->version.update, package->version.draft);
		package_seal_write(to, checked->seal, &checked->integrity);
	}
}

static void checked_print(const struct checked *checked, struct output *out) {
	struct text text;

	output_flush(out);
	ddp_diag_print(&checked->diag, stderr);
	text_init(&text);
	verdict_write(checked, text.to);
	text_printf(out, "%s\n", text_take(&text));
	text_fini(&text);
}

int package_check(const struct options *options, const char *file, struct emit *emit) {
	struct checked checked = {.file = file};
	struct ddp_package *package;
	int status = EXIT_GOOD;

	ddp_diag_init(&checked.diag);
	package = ddp_package_open(file, &checked.diag);
	checked.package = package;
	if (package == NULL)
		status = load_status(&checked.diag);
	else
		checked.seal = package_seal(package, &checked.integrity, &checked.diag);
	if (checked.seal == SEAL_ALTERED || (options->strict && checked.diag.n_warnings > 0))
		status = EXIT_NO;
	checked.valid = status == EXIT_GOOD;
	if (options->format == FORMAT_JSON)
		checked_json(&checked, emit);
	else
		checked_print(&checked, emit->out);
	ddp_package_close(package);
	ddp_diag_fini(&checked.diag);
	return status;
}
