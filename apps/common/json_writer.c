/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
// Write a character that must be escaped or replaced. Returns its length.
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

		while (at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' &&
		       at[plain] != '\\')
			plain++;
		output_mem(out, at, plain);
		at += plain;
		if (*at != '\0')
			at += special_write(out, at);
	}
	output_char(out, '"');
}

static void comma_write(struct json_writer *json) {
	if (json->comma)
		output_char(json->out, ',');
	json->comma = true;
}

void jsonw_init(struct json_writer *json, struct output *out) {
	*json = (struct json_writer){.out = out};
}

void jsonw_open(struct json_writer *json, char bracket) {
	comma_write(json);
	output_char(json->out, bracket);
	json->comma = false;
	json->n_objects += bracket == '{';
}

void jsonw_close(struct json_writer *json, char bracket) {
	assert(bracket == ']' || json->n_objects > 0);
	if (bracket == '}' && --json->n_objects == 0)
		jsonw_key_uint(json, JSON_SCHEMA_KEY, JSON_SCHEMA_VERSION);
	output_char(json->out, bracket);
	json->comma = true;
}

void jsonw_key(struct json_writer *json, const char *key) {
	comma_write(json);
	string_write(json->out, key);
	output_char(json->out, ':');
	json->comma = false;
}

void jsonw_text(struct json_writer *json, const char *text) {
	comma_write(json);
	if (text != NULL)
		string_write(json->out, text);
	else
		output_text(json->out, "null");
}

void jsonw_number(struct json_writer *json, const char *digits) {
	comma_write(json);
	output_text(json->out, digits);
}

void jsonw_uint(struct json_writer *json, uint64_t value) {
	comma_write(json);
	output_uint(json->out, value);
}

void jsonw_real(struct json_writer *json, double value) {
	comma_write(json);
	output_printf(json->out, "%.9g", value);
}

void jsonw_bool(struct json_writer *json, bool value) {
	comma_write(json);
	output_text(json->out, value ? "true" : "false");
}

void jsonw_key_text(struct json_writer *json, const char *key, const char *text) {
	jsonw_key(json, key);
	jsonw_text(json, text);
}

void jsonw_key_uint(struct json_writer *json, const char *key, uint64_t value) {
	jsonw_key(json, key);
	jsonw_uint(json, value);
}

void jsonw_key_uint_or_null(struct json_writer *json, const char *key, bool known, uint64_t value) {
	if (known)
		jsonw_key_uint(json, key, value);
	else
		jsonw_key_text(json, key, NULL);
}

void jsonw_key_bool(struct json_writer *json, const char *key, bool value) {
	jsonw_key(json, key);
	jsonw_bool(json, value);
}

void jsonw_key_open(struct json_writer *json, const char *key, char bracket) {
	jsonw_key(json, key);
	jsonw_open(json, bracket);
}

void jsonw_key_texts(struct json_writer *json, const char *key, const char *const *texts,
		     unsigned int n) {
	jsonw_key_open(json, key, '[');
	for (unsigned int i = 0; i < n; i++)
		jsonw_text(json, texts[i]);
	jsonw_close(json, ']');
}

static void hex_write(struct json_writer *json, uint64_t value, int digits) {
	char text[2 + 16 + 1];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, digits, value);
	jsonw_text(json, text);
}

void jsonw_key_hex(struct json_writer *json, const char *key, uint64_t value, int digits) {
	jsonw_key(json, key);
	hex_write(json, value, digits);
}

// Write the value of a conversion. Returns the format after it.
static const char *value_write(struct json_writer *json, const char *type, va_list *ap) {
	char *end;
	int digits = strtol(type, &end, 10);
	bool wide = *end == 'j';
	uint64_t number = 0;

	type = end + wide;
	if (*type == 'u' || *type == 'x')
		number = wide ? va_arg(*ap, uintmax_t) : va_arg(*ap, unsigned int);
	if (*type == 's')
		jsonw_text(json, va_arg(*ap, const char *));
	else if (*type == 'd')
		jsonw_bool(json, va_arg(*ap, int));
	else if (*type == 'g')
		jsonw_real(json, va_arg(*ap, double));
	else if (*type == 'x')
		hex_write(json, number, digits);
	else
		jsonw_uint(json, number);
	return type + 1;
}

static void format_write(struct json_writer *json, const char *fmt, va_list *ap) {
	char key[64];

	while (*fmt != '\0') {
		size_t len = strcspn(fmt, ":%{}[] \n");

		if (len > 0) {
			snprintf(key, sizeof(key), "%.*s", (int)len, fmt);
			jsonw_key(json, key);
			fmt += len + 1; // with the ':'
		} else if (*fmt == '%') {
			fmt = value_write(json, fmt + 1, ap);
		} else if (*fmt == '{' || *fmt == '[') {
			jsonw_open(json, *fmt++);
		} else if (*fmt == '}' || *fmt == ']') {
			jsonw_close(json, *fmt++);
		} else if (*fmt++ == '\n') {
			jsonw_end(json);
		}
	}
}

void jsonw_write(struct json_writer *json, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	format_write(json, fmt, &ap);
	va_end(ap);
}

void jsonw_object(struct json_writer *json, const char *fmt, ...) {
	va_list ap;

	jsonw_open(json, '{');
	va_start(ap, fmt);
	format_write(json, fmt, &ap);
	va_end(ap);
	jsonw_close(json, '}');
}

void jsonw_end(struct json_writer *json) {
	output_char(json->out, '\n');
	json->comma = false;
}
