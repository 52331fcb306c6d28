/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl package list: the packages that a machine has, and what for.
#include <errno.h>
#include <string.h>

#include "machine.h"
#include "package/installed.h"
#include "table.h"
#include "text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *use_text(const struct ddp_installed *installed, char serial[DDP_SERIAL_SIZE]) {
	ddp_serial_print(installed->serial, serial);
	if (installed->use == DDP_USE_ONE)
		return serial;
	return installed->use == DDP_USE_ALL ? "all" : "-";
}

static void installed_table(const struct ddp_installed *installed, unsigned int n,
			    struct output *out) {
	static const struct table_column columns[] = {
		{.title = "FILE"},
		{.title = "FOR"},
		{.title = "UNDO", .right = true},
		{.title = "CONTENT"},
	};
	char serial[DDP_SERIAL_SIZE];
	struct table table;
	struct text text;

	table_init(&table, out, columns, COUNT(columns));
	text_init(&text);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_installed *item = &installed[i];

		table_printf(&table, "%s%s%s", item->path, item->target != NULL ? " -> " : "",
			     item->target != NULL ? item->target : "");
		table_next(&table);
		table_printf(&table, "%s", use_text(item, serial));
		table_next(&table);
		table_printf(&table, "%u", item->undo_depth);
		table_next(&table);
		facts_write(&item->facts, text.to);
		table_printf(&table, "%s", text_take(&text));
		table_next(&table);
	}
	text_fini(&text);
	table_fini(&table);
}

static void installed_json(const struct ddp_installed *installed, unsigned int n,
			   struct output *out) {
	static const char *const uses[] = {
		[DDP_USE_ALL] = "all",
		[DDP_USE_ONE] = "one",
		[DDP_USE_NONE] = "none",
	};
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '[');
	for (unsigned int i = 0; i < n; i++) {
		emit_open(&emit, '{');
		emit_key(&emit, "file");
		emit_text(&emit, installed[i].path);
		emit_key(&emit, "target");
		emit_text(&emit, installed[i].target);
		emit_key(&emit, "for");
		emit_text(&emit, uses[installed[i].use]);
		serial_json(installed[i].use == DDP_USE_ONE, installed[i].serial, &emit);
		emit_key(&emit, "undo");
		emit_uint(&emit, installed[i].undo_depth);
		facts_json(&installed[i].facts, &emit);
		emit_close(&emit, '}');
	}
	emit_close(&emit, ']');
	emit_end(&emit);
}

int cmd_package_list(const struct options *options, struct output *out) {
	struct ddp_installed *installed;
	struct machine machine;
	unsigned int n;
	int status = machine_open(&machine, options);

	if (status != CTL_GOOD)
		return status;
	if (ddp_installed_get(&machine.root, machine.release, &installed, &n) < 0) {
		fprintf(stderr, "ddpctl: %s\n", strerror(errno));
		machine_close(&machine);
		return CTL_UNREADABLE;
	}
	if (options->format == FORMAT_JSON)
		installed_json(installed, n, out);
	else
		installed_table(installed, n, out);
	for (unsigned int i = 0; i < n; i++)
		if (!installed[i].facts.known)
			status = CTL_UNREADABLE;
	ddp_installed_free(installed, n);
	machine_close(&machine);
	return status;
}
