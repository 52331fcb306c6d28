/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check of several 700-series packages: can one NIC hold them all.
#include <stdlib.h>

#include "common/strbuf.h"
#include "ctl/options.h"
#include "i40e_package.h"
#include "personality/package_open.h"

struct set {
	struct ddp_package **packages;
	unsigned int *order;
	unsigned int n;
	struct i40e_verdict verdict;
};

// What is wrong with a file was said when it was checked by itself.
static void set_add(struct set *set, const char *file) {
	struct ddp_package *package;
	struct ddp_diag diag;

	if (!ddp_is_package(file))
		return;
	ddp_diag_init(&diag);
	package = ddp_package_open(file, &diag);
	ddp_diag_fini(&diag);
	if (package != NULL && package->kind == DDP_PACKAGE_I40E)
		set->packages[set->n++] = package;
	else
		ddp_package_close(package);
}

static void set_json(const struct set *set, struct json_writer *json) {
	jsonw_write(json, "{together:%d why:%s order:[", set->verdict.error == 0,
		    set->verdict.reason);
	for (unsigned int i = 0; i < set->n; i++)
		jsonw_text(json, set->packages[set->order[i]]->path);
	jsonw_write(json, "]}");
}

static void set_print(const struct set *set, struct output *out) {
	struct strbuf text;

	strbuf_init(&text);
	if (set->verdict.error == 0) {
		fputs("together: OK, in this order:", text.to);
		for (unsigned int i = 0; i < set->n; i++)
			fprintf(text.to, "%s %s", i > 0 ? "," : "",
				set->packages[set->order[i]]->path);
	} else {
		fprintf(text.to, "together: not on one NIC: %s", set->verdict.reason);
	}
	output_escaped_printf(out, "%s\n", strbuf_take(&text));
	strbuf_fini(&text);
}

int i40e_compatibility_check(const struct options *options, struct json_writer *json) {
	struct set set = {
		.packages = calloc_or_exit(options->n_files, sizeof(struct ddp_package *)),
		.order = calloc_or_exit(options->n_files, sizeof(unsigned int)),
	};
	int status = EXIT_GOOD;

	for (unsigned int i = 0; i < options->n_files; i++)
		set_add(&set, options->files[i]);
	if (set.n > 1) {
		set.verdict = i40e_together((const struct ddp_package *const *)set.packages, set.n,
					    set.order);
		if (options->format == FORMAT_JSON)
			set_json(&set, json);
		else
			set_print(&set, json->out);
		if (options->strict && set.verdict.error != 0)
			status = EXIT_NO;
	}
	while (set.n > 0)
		ddp_package_close(set.packages[--set.n]);
	free(set.packages);
	free(set.order);
	return status;
}
