/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl diff of two 700-series packages: what one has, and the other has not or otherwise.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/options.h"
#include "ctl/package/i40e_package.h"

struct diff {
	const struct ddp_package *a, *b;
	bool is_json;
	struct json_writer *json;
	struct table table; // for people
	struct strbuf text;
	unsigned int n;
};

// Something with its values in both; NULL where one has it not.
static void row_add(struct diff *diff, const char *what, const char *name, const char *a,
		    const char *b) {
	if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
		return;
	diff->n++;
	if (diff->is_json) {
		jsonw_object(diff->json, "what:%s name:%s a:%s b:%s", what, name, a, b);
		return;
	}
	table_text(&diff->table, what);
	table_text(&diff->table, name != NULL ? name : "");
	table_text(&diff->table, or_dash(a));
	table_text(&diff->table, or_dash(b));
}

// What was just written, to be freed; NULL for nothing.
static char *text_keep(struct strbuf *text) {
	const char *written = strbuf_take(text);

	return written[0] == '\0' ? NULL : strdup_or_exit(written);
}

/* Lists: items are compared by their names, whatever their places */

struct list {
	const char *what;
	size_t n_off; // of the unsigned int in struct i40e_package that counts them
	void (*name_write)(FILE *to, const struct ddp_package *package, unsigned int index);
	void (*value_write)(FILE *to, const struct ddp_package *package, unsigned int index);
};

struct item {
	char *name;
	unsigned int index;
};

// In the order of names, those of one name in the order of the package.
static int item_compare(const void *a, const void *b) {
	const struct item *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// All items, and one without a name behind them; to be freed by items_free().
static struct item *items_make(struct diff *diff, const struct list *list,
			       const struct ddp_package *package) {
	unsigned int n = *(unsigned int *)((char *)package->i40e + list->n_off);
	struct item *items = calloc_or_exit((size_t)n + 1, sizeof(*items));

	for (unsigned int i = 0; i < n; i++) {
		list->name_write(diff->text.to, package, i);
		items[i].index = i;
		items[i].name = strdup_or_exit(strbuf_take(&diff->text));
	}
	qsort(items, n, sizeof(*items), item_compare);
	return items;
}

static void items_free(struct item *items) {
	for (unsigned int i = 0; items[i].name != NULL; i++)
		free(items[i].name);
	free(items);
}

// The values of the next items if they have this name, to be freed; NULL if not. *next goes on.
static char *values_make(struct diff *diff, const struct list *list,
			 const struct ddp_package *package, const struct item **next,
			 const char *name) {
	const char *separator = "";

	for (; (*next)->name != NULL && strcmp((*next)->name, name) == 0; (*next)++) {
		fputs(separator, diff->text.to);
		list->value_write(diff->text.to, package, (*next)->index);
		separator = ", ";
	}
	return text_keep(&diff->text);
}

// Of the next items of both, the name that comes first; NULL behind the last ones.
static const char *first_name(const struct item *a, const struct item *b) {
	if (a->name == NULL || b->name == NULL)
		return a->name != NULL ? a->name : b->name;
	return strcmp(a->name, b->name) <= 0 ? a->name : b->name;
}

static void list_compare(struct diff *diff, const struct list *list) {
	struct item *a_items = items_make(diff, list, diff->a);
	struct item *b_items = items_make(diff, list, diff->b);
	const struct item *a_next = a_items, *b_next = b_items;
	const char *name;

	while ((name = first_name(a_next, b_next)) != NULL) {
		char *a = values_make(diff, list, diff->a, &a_next, name);
		char *b = values_make(diff, list, diff->b, &b_next, name);

		row_add(diff, list->what, name, a, b);
		free(a);
		free(b);
	}
	items_free(a_items);
	items_free(b_items);
}

static void device_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	const struct i40e_device *device = &package->i40e->devices[index];

	fprintf(to, "%04x:%04x subsystem %04x:%04x", device->vendor, device->device,
		device->sub_vendor, device->sub_device);
}

static void is_there(FILE *to, const struct ddp_package *package, unsigned int index) {
	(void)package;
	(void)index;
	fputs("yes", to);
}

static void nvm_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	fprintf(to, "0x%" PRIx32, package->i40e->nvms[index]);
}

static void protocol_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	fputs(package->i40e->protocols[index].name, to);
}

static void protocol_value(FILE *to, const struct ddp_package *package, unsigned int index) {
	fprintf(to, "%u", package->i40e->protocols[index].id);
}

static void pctype_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	i40e_type_write(to, package->i40e, &package->i40e->pctypes[index]);
}

static void pctype_value(FILE *to, const struct ddp_package *package, unsigned int index) {
	fprintf(to, "%u", package->i40e->pctypes[index].id);
}

static void ptype_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	i40e_type_write(to, package->i40e, &package->i40e->ptypes[index]);
}

static void ptype_value(FILE *to, const struct ddp_package *package, unsigned int index) {
	fprintf(to, "%u", package->i40e->ptypes[index].id);
}

/* What is in the sections for the NIC alone: nobody but the NIC knows what it means */

static bool is_list(uint32_t type) {
	return type == I40E_PROTOCOL || type == I40E_PCTYPE || type == I40E_PTYPE;
}

static void section_name(FILE *to, const struct ddp_package *package, unsigned int index) {
	const char *name = i40e_section_name(package->i40e->sections[index].type);

	if (name != NULL)
		fputs(name, to);
	else
		fprintf(to, "0x%" PRIx32, package->i40e->sections[index].type);
}

// Its size and a checksum (FNV-1a), so that other content shows. Lists are compared item by item.
static void section_value(FILE *to, const struct ddp_package *package, unsigned int index) {
	const struct i40e_section *section = &package->i40e->sections[index];
	uint32_t sum = 0x811c9dc5;

	if (is_list(section->type)) {
		is_there(to, package, index);
		return;
	}
	for (uint32_t i = 0; i < section->size; i++)
		sum = (sum ^ section->data[i]) * 0x01000193;
	fprintf(to, "%" PRIu32 " bytes #%08" PRIx32, section->size, sum);
}

static const struct list lists[] = {
	{"device", offsetof(struct i40e_package, n_devices), device_name, is_there},
	{"NVM version", offsetof(struct i40e_package, n_nvms), nvm_name, is_there},
	{"protocol", offsetof(struct i40e_package, n_protocols), protocol_name, protocol_value},
	{"pctype", offsetof(struct i40e_package, n_pctypes), pctype_name, pctype_value},
	{"ptype", offsetof(struct i40e_package, n_ptypes), ptype_name, ptype_value},
	{"section", offsetof(struct i40e_package, n_sections), section_name, section_value},
};

/* The package itself */

static void written_compare(struct diff *diff, const char *what,
			    void (*write)(FILE *to, const struct ddp_package *package)) {
	char *a, *b;

	write(diff->text.to, diff->a);
	a = text_keep(&diff->text);
	write(diff->text.to, diff->b);
	b = text_keep(&diff->text);
	row_add(diff, what, NULL, a, b);
	free(a);
	free(b);
}

static void package_write(FILE *to, const struct ddp_package *package) {
	fprintf(to, "%s " DDP_VERSION_FMT, package->name, DDP_VERSION_NUMBERS(package->version));
}

static void profile_write(FILE *to, const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;

	fprintf(to, "%s " DDP_VERSION_FMT, i40e->name, DDP_VERSION_NUMBERS(i40e->version));
}

static void track_id_write(FILE *to, const struct ddp_package *package) {
	fprintf(to, "0x%08" PRIx32, package->track_id);
}

static void family_write(FILE *to, const struct ddp_package *package) {
	fputs(package->i40e->is_x722 ? "X722" : "X710, XL710, XXV710", to);
}

static void notes_write(FILE *to, const struct ddp_package *package) {
	if (package->i40e->notes != NULL)
		fputs(package->i40e->notes, to);
}

static void packages_compare(struct diff *diff) {
	written_compare(diff, "package", package_write);
	written_compare(diff, "profile", profile_write);
	written_compare(diff, "track id", track_id_write);
	written_compare(diff, "NICs", family_write);
	for (unsigned int i = 0; i < COUNT(lists); i++)
		list_compare(diff, &lists[i]);
	written_compare(diff, "notes", notes_write);
}

int i40e_diff(const struct options *options, const struct ddp_package *a,
	      const struct ddp_package *b, struct json_writer *json) {
	struct diff diff = {
		.a = a,
		.b = b,
		.is_json = options->format == FORMAT_JSON,
		.json = json,
	};

	strbuf_init(&diff.text);
	if (diff.is_json) {
		jsonw_write(json, "{a:%s b:%s differences:[", a->path, b->path);
		packages_compare(&diff);
		jsonw_write(json, "]}\n");
	} else {
		table_init(&diff.table, json->out, "WHAT|OF");
		table_column(&diff.table, a->path);
		table_column(&diff.table, b->path);
		packages_compare(&diff);
		table_fini(&diff.table);
	}
	strbuf_fini(&diff.text);
	return diff.n > 0 ? EXIT_NO : EXIT_GOOD;
}
