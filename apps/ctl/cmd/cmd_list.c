/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl list: the profiles that are found by name.
#include <stdio.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/library.h"
#include "ctl/profile/profile_load.h"

struct list {
	struct library library;
	int status;
};

static void found_json(const struct library_profile *found,
		       const struct ddp_profile_summary *summary, struct json_writer *json) {
	jsonw_object(json, "name:%s version:%s summary:%s file:%s", found->name, summary->version,
		     summary->summary, found->file);
}

static void found_row(const struct library_profile *found,
		      const struct ddp_profile_summary *summary, struct table *table) {
	table_text(table, found->name);
	table_text(table, or_dash(summary->version));
	table_text(table, or_dash(summary->summary));
	table_text(table, found->file);
}

// A file that is no good is shown all the same: it is what its name finds.
static void summary_read(struct list *list, const struct library_profile *found,
			 struct ddp_profile_summary *summary) {
	struct ddp_diag diag;

	*summary = (struct ddp_profile_summary){0};
	ddp_diag_init(&diag);
	if (ddp_profile_summary(found->file, summary, &diag) < 0 && list->status != EXIT_UNREADABLE)
		list->status = load_status(&diag);
	ddp_diag_print(&diag, stderr);
	ddp_diag_fini(&diag);
}

static void list_json(struct list *list, struct output *out) {
	struct ddp_profile_summary summary;
	struct json_writer json;

	jsonw_init(&json, out);
	jsonw_open(&json, '[');
	for (unsigned int i = 0; i < list->library.n; i++) {
		summary_read(list, &list->library.profiles[i], &summary);
		found_json(&list->library.profiles[i], &summary, &json);
		ddp_profile_summary_fini(&summary);
	}
	jsonw_write(&json, "]\n");
}

static void list_table(struct list *list, struct output *out) {
	struct ddp_profile_summary summary;
	struct table table;

	table_init(&table, out, "NAME|VERSION|SUMMARY|FILE");
	for (unsigned int i = 0; i < list->library.n; i++) {
		summary_read(list, &list->library.profiles[i], &summary);
		found_row(&list->library.profiles[i], &summary, &table);
		ddp_profile_summary_fini(&summary);
	}
	table_fini(&table);
}

int cmd_list(const struct options *options, struct output *out) {
	struct list list;

	list.status = library_scan(&list.library);
	if (options->format == FORMAT_JSON)
		list_json(&list, out);
	else
		list_table(&list, out);
	library_free(&list.library);
	return list.status;
}
