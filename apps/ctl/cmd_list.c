/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl list: the profiles that are found by name. A file of the same name in a later directory is not
// reached, and not shown.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "emit.h"
#include "load.h"
#include "table.h"

#define SUFFIX ".yaml"

struct found {
	char *name; // by which it is loaded: the file's, without suffix
	char *file;
};

struct list {
	struct found *found;
	unsigned int n_found;
	int status;
};

static const struct table_column columns[] = {
	{.title = "NAME"},
	{.title = "VERSION"},
	{.title = "SUMMARY"},
	{.title = "FILE"},
};

static bool is_found(const struct list *list, const char *name) {
	for (unsigned int i = 0; i < list->n_found; i++)
		if (strcmp(list->found[i].name, name) == 0)
			return true;
	return false;
}

// Takes name and file.
static int found_add(struct list *list, char *name, char *file) {
	struct found *found = NULL;

	if (name != NULL && file != NULL)
		found = reallocarray(list->found, list->n_found + 1, sizeof(*found));
	if (found == NULL) {
		free(name);
		free(file);
		return -ENOMEM;
	}
	list->found = found;
	list->found[list->n_found++] = (struct found){.name = name, .file = file};
	return 0;
}

static int entry_add(struct list *list, const char *dir, const char *entry) {
	size_t len = strlen(entry);
	char *name, *file;

	if (len <= strlen(SUFFIX) || strcmp(entry + len - strlen(SUFFIX), SUFFIX) != 0)
		return 0;
	name = strndup(entry, len - strlen(SUFFIX));
	if (name != NULL && is_found(list, name)) {
		free(name);
		return 0;
	}
	if (asprintf(&file, "%s/%s", dir, entry) < 0)
		file = NULL;
	return found_add(list, name, file);
}

// A directory that does not exist is no mistake: not every place of the search path is in use.
static void dir_scan(struct list *list, const char *dir) {
	DIR *stream = opendir(dir);
	struct dirent *entry;

	if (stream == NULL) {
		if (errno == ENOENT)
			return;
		fprintf(stderr, "ddpctl: %s: %s\n", dir, strerror(errno));
		list->status = CTL_UNREADABLE;
		return;
	}
	while ((entry = readdir(stream)) != NULL) {
		if (entry_add(list, dir, entry->d_name) < 0) {
			fprintf(stderr, "ddpctl: %s: %s\n", dir, strerror(ENOMEM));
			list->status = CTL_UNREADABLE;
			break;
		}
	}
	closedir(stream);
}

static int list_scan(struct list *list) {
	char **dirs = ddp_search_path();

	if (dirs == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; dirs[i] != NULL; i++)
		dir_scan(list, dirs[i]);
	ddp_search_path_free(dirs);
	return 0;
}

static int by_name(const void *a, const void *b) {
	return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

static void found_json(const struct found *found, const struct ddp_profile_summary *summary,
		       struct emit *emit) {
	emit_open(emit, '{');
	emit_key(emit, "name");
	emit_text(emit, found->name);
	emit_key(emit, "version");
	emit_text(emit, summary->version);
	emit_key(emit, "summary");
	emit_text(emit, summary->summary);
	emit_key(emit, "file");
	emit_text(emit, found->file);
	emit_close(emit, '}');
}

static const char *or_dash(const char *text) {
	return text != NULL ? text : "-";
}

static void found_row(const struct found *found, const struct ddp_profile_summary *summary,
		      struct table *table) {
	table_printf(table, "%s", found->name);
	table_next(table);
	table_printf(table, "%s", or_dash(summary->version));
	table_next(table);
	table_printf(table, "%s", or_dash(summary->summary));
	table_next(table);
	table_printf(table, "%s", found->file);
	table_next(table);
}

// A file that is no good is shown all the same: it is what its name finds.
static void summary_read(struct list *list, const struct found *found,
			 struct ddp_profile_summary *summary) {
	struct ddp_diag diag;

	*summary = (struct ddp_profile_summary){0};
	ddp_diag_init(&diag);
	if (ddp_profile_summary(found->file, summary, &diag) < 0 && list->status != CTL_UNREADABLE)
		list->status = load_status(&diag);
	ddp_diag_print(&diag, stderr);
	ddp_diag_fini(&diag);
}

static void list_json(struct list *list, struct output *out) {
	struct ddp_profile_summary summary;
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '[');
	for (unsigned int i = 0; i < list->n_found; i++) {
		summary_read(list, &list->found[i], &summary);
		found_json(&list->found[i], &summary, &emit);
		ddp_profile_summary_fini(&summary);
	}
	emit_close(&emit, ']');
	emit_end(&emit);
}

static void list_table(struct list *list, struct output *out) {
	struct ddp_profile_summary summary;
	struct table table;

	table_init(&table, out, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < list->n_found; i++) {
		summary_read(list, &list->found[i], &summary);
		found_row(&list->found[i], &summary, &table);
		ddp_profile_summary_fini(&summary);
	}
	table_fini(&table);
}

int cmd_list(const struct options *options, struct output *out) {
	struct list list = {0};

	if (list_scan(&list) < 0) {
		fprintf(stderr, "ddpctl: %s\n", strerror(ENOMEM));
		return CTL_UNREADABLE;
	}
	qsort(list.found, list.n_found, sizeof(list.found[0]), by_name);
	if (options->format == FORMAT_JSON)
		list_json(&list, out);
	else
		list_table(&list, out);
	for (unsigned int i = 0; i < list.n_found; i++) {
		free(list.found[i].name);
		free(list.found[i].file);
	}
	free(list.found);
	return list.status;
}
