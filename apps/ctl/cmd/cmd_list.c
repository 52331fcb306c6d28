/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl list: the profiles that are found by name.
#include <stdio.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"

struct list {
	bool is_json;
	struct json_writer json;
	struct table table;
	int status;
};

// A file that is no good is shown all the same: it is what its name finds.
static void profile_show(struct list *list, const struct ddp_found *found) {
	struct ddp_profile_summary summary = {0};
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	if (ddp_profile_summary(found->file, &summary, &diag) < 0 &&
	    list->status != EXIT_UNREADABLE)
		list->status = load_status(&diag);
	ddp_diag_print(&diag, stderr);
	ddp_diag_fini(&diag);
	if (list->is_json) {
		jsonw_object(&list->json, "name:%s version:%s summary:%s file:%s", found->name,
			     summary.version, summary.summary, found->file);
	} else {
		table_text(&list->table, found->name);
		table_text(&list->table, or_dash(summary.version));
		table_text(&list->table, or_dash(summary.summary));
		table_text(&list->table, found->file);
	}
	ddp_profile_summary_fini(&summary);
}

int cmd_list(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct list list = {.is_json = options->format == FORMAT_JSON};
	struct ddp_library library;

	list.status = library_scan(&library);
	jsonw_init(&list.json, out);
	if (list.is_json)
		jsonw_open(&list.json, '[');
	else
		table_init(&list.table, out, "NAME|VERSION|SUMMARY|FILE");
	for (unsigned int i = 0; i < library.n; i++)
		profile_show(&list, &library.profiles[i]);
	if (list.is_json)
		jsonw_write(&list.json, "]\n");
	else
		table_fini(&list.table);
	ddp_arena_destroy(library.arena);
	return list.status;
}
