/* SPDX-License-Identifier: BSD-3-Clause */
#include "exposition.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

#define VALUE_SIZE 1040 // of a label: 255 bytes, each escaped

static const char *const suffixes[] = {
	[METRIC_COUNTER] = "_total",
	[METRIC_GAUGE] = "",
	[METRIC_HISTOGRAM] = "",
	[METRIC_INFO] = "_info",
};

const char *exposition_suffix(enum metric_type type) {
	return suffixes[type];
}

static const char *type_name(enum metric_type type, bool openmetrics) {
	static const char *const names[] = {
		[METRIC_COUNTER] = "counter",
		[METRIC_GAUGE] = "gauge",
		[METRIC_HISTOGRAM] = "histogram",
		[METRIC_INFO] = "info",
	};

	return names[type == METRIC_INFO && !openmetrics ? METRIC_GAUGE : type];
}

void exposition_family(struct exposition *text, enum metric_type type, const char *name,
		       const char *help) {
	const char *suffix = text->openmetrics ? "" : suffixes[type];

	text->family = name;
	text->type = type;
	fprintf(text->to, "# HELP %s%s %s\n", name, suffix, help);
	fprintf(text->to, "# TYPE %s%s %s\n", name, suffix, type_name(type, text->openmetrics));
}

static void sample_begin(struct exposition *text, const char *suffix, const char *labels) {
	const bool none = labels[0] == '\0';

	fprintf(text->to, "%s%s%s%s%s ", text->family, suffix, none ? "" : "{", labels,
		none ? "" : "}");
}

void exposition_uint(struct exposition *text, const char *labels, uint64_t value) {
	sample_begin(text, suffixes[text->type], labels);
	fprintf(text->to, "%" PRIu64 "\n", value);
}

void exposition_real(struct exposition *text, const char *labels, double value) {
	exposition_part(text, suffixes[text->type], labels, value);
}

void exposition_part(struct exposition *text, const char *suffix, const char *labels,
		     double value) {
	sample_begin(text, suffix, labels);
	fprintf(text->to, "%.12g\n", value);
}

void exposition_end(struct exposition *text) {
	if (text->openmetrics)
		fputs("# EOF\n", text->to);
}

void label_add(struct labels *labels, const char *name, const char *value) {
	char graphic[VALUE_SIZE];
	char *to = labels->text + labels->len;

	if (labels->len + strlen(name) + 2 * VALUE_SIZE + 4 > LABELS_SIZE)
		return;
	ddp_escape(value, graphic, sizeof(graphic));
	to += sprintf(to, "%s%s=\"", labels->len > 0 ? "," : "", name);
	for (const char *c = graphic; *c != '\0'; c++) {
		if (*c == '\\' || *c == '"')
			*to++ = '\\';
		*to++ = *c;
	}
	*to++ = '"';
	*to = '\0';
	labels->len = to - labels->text;
}

void label_add_uint(struct labels *labels, const char *name, unsigned int value) {
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	label_add(labels, name, text);
}
