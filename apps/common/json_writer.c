/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json_schema.h"

// Write the character at text where it cannot stand for itself. Returns its length.
static size_t special_write(struct output *out, const unsigned char *text) {
	uint32_t character;
	size_t len = ddp_utf8_decode((const char *)text, &character);

	if (len == 0) {
		output_text(out, "\xef\xbf\xbd"); // U+FFFD
		return 1;
	}
	if (text[0] == '"' || text[0] == '\\') {
		output_char(out, '\\');
		output_char(out, text[0]);
	} else if (character > 0xffff && !ddp_utf8_is_graphic(character)) {
		output_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10),
			      0xdc00 + (character & 0x3ff));
	} else if (!ddp_utf8_is_graphic(character)) {
		output_printf(out, "\\u%04x", character);
	} else {
		output_mem(out, text, len);
	}
	return len;
}

static void string_write(struct output *out, const char *text) {
	const unsigned char *at = (const unsigned char *)text;

	output_char(out, '"');
	while (*at != '\0') {
		size_t plain = 0;

		while (at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' && at[plain] != '\\')
			plain++;
		output_mem(out, at, plain);
		at += plain;
		if (*at != '\0')
			at += special_write(out, at);
	}
	output_char(out, '"');
}

static void line_begin(struct emit *emit) {
	output_char(emit->out, '\n');
	for (unsigned int i = 0; i < emit->depth; i++)
		output_char(emit->out, '\t');
}

static void comma_write(struct emit *emit) {
	if (emit->comma)
		output_char(emit->out, ',');
	if (emit->in_lines && emit->depth > 0 && !emit->after_key)
		line_begin(emit);
	emit->comma = true;
	emit->after_key = false;
}

void emit_init(struct emit *emit, struct output *out) {
	*emit = (struct emit){.out = out, .versioned = true};
}

void emit_init_lines(struct emit *emit, struct output *out) {
	*emit = (struct emit){.out = out, .in_lines = true};
}

void emit_open(struct emit *emit, char bracket) {
	comma_write(emit);
	output_char(emit->out, bracket);
	emit->comma = false;
	emit->depth++;
	emit->n_objects += bracket == '{';
}

void emit_close(struct emit *emit, char bracket) {
	if (bracket == '}' && --emit->n_objects == 0 && emit->versioned)
		emit_key_uint(emit, JSON_SCHEMA_KEY, JSON_SCHEMA_VERSION);
	emit->depth--;
	if (emit->in_lines && emit->comma)
		line_begin(emit);
	output_char(emit->out, bracket);
	emit->comma = true;
}

void emit_key(struct emit *emit, const char *key) {
	comma_write(emit);
	string_write(emit->out, key);
	output_text(emit->out, emit->in_lines ? ": " : ":");
	emit->comma = false;
	emit->after_key = true;
}

void emit_text(struct emit *emit, const char *text) {
	if (text == NULL) {
		emit_null(emit);
		return;
	}
	comma_write(emit);
	string_write(emit->out, text);
}

void emit_number(struct emit *emit, const char *digits) {
	comma_write(emit);
	output_text(emit->out, digits);
}

void emit_uint(struct emit *emit, uint64_t value) {
	comma_write(emit);
	output_uint(emit->out, value);
}

void emit_real(struct emit *emit, double value) {
	comma_write(emit);
	output_printf(emit->out, "%.9g", value);
}

void emit_bool(struct emit *emit, bool value) {
	comma_write(emit);
	output_text(emit->out, value ? "true" : "false");
}

void emit_null(struct emit *emit) {
	comma_write(emit);
	output_text(emit->out, "null");
}

void emit_key_text(struct emit *emit, const char *key, const char *text) {
	emit_key(emit, key);
	emit_text(emit, text);
}

void emit_key_uint(struct emit *emit, const char *key, uint64_t value) {
	emit_key(emit, key);
	emit_uint(emit, value);
}

void emit_key_bool(struct emit *emit, const char *key, bool value) {
	emit_key(emit, key);
	emit_bool(emit, value);
}

void emit_key_real(struct emit *emit, const char *key, double value) {
	emit_key(emit, key);
	emit_real(emit, value);
}

void emit_key_open(struct emit *emit, const char *key, char bracket) {
	emit_key(emit, key);
	emit_open(emit, bracket);
}

void emit_key_hex(struct emit *emit, const char *key, uint64_t value, int digits) {
	char text[2 + 16 + 1];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, digits, value);
	emit_key_text(emit, key, text);
}

void emit_end(struct emit *emit) {
	output_char(emit->out, '\n');
	emit->comma = false;
}
