/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum part {
	SRC,
	DST,
	SPORT,
	DPORT,
	N_PARTS,
};

static const char *const part_names[N_PARTS] = {"src", "dst", "sport", "dport"};

struct flow_words {
	char parts[N_PARTS][FIELD_TEXT_SIZE];
	char rest[FLOW_TEXT_SIZE];
};

// What a field is called behind its header.
static const char *last_name(const char *name) {
	const char *dot = memrchr(name, '.', strcspn(name, "/"));

	return dot != NULL ? dot + 1 : name;
}

static unsigned int field_size(const struct layout *layout, unsigned int field) {
	return (layout->widths[field] + 7) / 8;
}

static void field_value(struct fields *fields, const struct layout *layout, unsigned int field,
			const uint8_t *bytes, char text[FIELD_TEXT_SIZE]) {
	unsigned int size = field_size(layout, field);
	uint8_t value[16] = {0};

	memcpy(value + sizeof(value) - size, bytes, size);
	fields_text(fields, layout->names[field], layout->widths[field], value, text);
}

static void word_take(struct flow_words *words, const char *name, const char *value) {
	size_t len = strlen(words->rest);

	for (unsigned int i = 0; i < N_PARTS; i++)
		if (strncmp(name, part_names[i], strlen(part_names[i])) == 0 &&
		    words->parts[i][0] == '\0') {
			snprintf(words->parts[i], sizeof(words->parts[i]), "%s", value);
			return;
		}
	snprintf(words->rest + len, sizeof(words->rest) - len, "%s%s=%s", len > 0 ? " " : "", name,
		 value);
}

// Addresses of IPv6 are in brackets where a port follows.
static int end_write(char *text, size_t room, const char *address, const char *port) {
	const char *format = port[0] == '\0' ? "%s%s" : strchr(address, ':') ? "[%s]:%s" : "%s:%s";

	return snprintf(text, room, format, address, port);
}

void flow_text(struct fields *fields, const struct layout *layout, const struct flow_detail *detail,
	       char text[FLOW_TEXT_SIZE]) {
	char value[FIELD_TEXT_SIZE];
	struct flow_words words;
	unsigned int at = 0;
	int len = 0;

	memset(&words, 0, sizeof(words));
	for (unsigned int i = 0; i < layout->n_fields; i++) {
		if (at + field_size(layout, i) > detail->input_len)
			break;
		field_value(fields, layout, i, detail->input + at, value);
		word_take(&words, last_name(layout->names[i]), value);
		at += field_size(layout, i);
	}
	text[0] = '\0';
	if (words.parts[SRC][0] != '\0' || words.parts[SPORT][0] != '\0')
		len = end_write(text, FLOW_TEXT_SIZE, words.parts[SRC], words.parts[SPORT]);
	if (words.parts[DST][0] != '\0' || words.parts[DPORT][0] != '\0') {
		len += snprintf(text + len, FLOW_TEXT_SIZE - len, "%s> ", len > 0 ? " " : "");
		len += end_write(text + len, FLOW_TEXT_SIZE - len, words.parts[DST],
				 words.parts[DPORT]);
	}
	if (words.rest[0] != '\0' && len < FLOW_TEXT_SIZE)
		snprintf(text + len, FLOW_TEXT_SIZE - len, "%s%s", len > 0 ? " " : "", words.rest);
}

void flow_outer_text(const struct flow_detail *detail, char text[FLOW_TEXT_SIZE]) {
	const unsigned int size = detail->outer_len / 2;
	const int family = size == 16 ? AF_INET6 : AF_INET;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	inet_ntop(family, detail->outer, src, sizeof(src));
	inet_ntop(family, detail->outer + size, dst, sizeof(dst));
	snprintf(text, FLOW_TEXT_SIZE, "%s > %s", src, dst);
}

bool flow_is_address(const struct layout *layout, const struct flow_detail *detail) {
	const char *name = layout->n_fields == 1 ? last_name(layout->names[0]) : "";

	return (strncmp(name, "src", 3) == 0 || strncmp(name, "dst", 3) == 0) &&
	       field_size(layout, 0) == detail->input_len;
}

void flow_address(struct fields *fields, const struct layout *layout,
		  const struct flow_detail *detail, char text[FIELD_TEXT_SIZE]) {
	const char *name = last_name(layout->names[0]);

	field_value(fields, layout, 0, detail->input, text);
	if (strchr(name, '/') != NULL) { // a prefix of it
		size_t len = strlen(text);

		snprintf(text + len, FIELD_TEXT_SIZE - len, "%s", strchr(name, '/'));
	}
}
