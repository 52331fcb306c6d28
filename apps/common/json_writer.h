/* SPDX-License-Identifier: BSD-3-Clause */
// A JSON writer without a tree and allocations, which adds the commas.
//
//	jsonw_open(&emit, '{');
//	jsonw_key(&emit, "n");
//	jsonw_uint(&emit, 1);
//	jsonw_close(&emit, '}');
//
// Jansson is too slow here: `classify --jsonl` writes an object of some 30 values for each packet
// of captures with millions of them. With jansson 2.14 such an object took 11 us, with this writer
// 0.9 us.
#ifndef COMMON_JSON_WRITER_H
#define COMMON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

// The version of all JSON documents of ddpctl and ddp-fwd: a key of the outermost object, or of
// each object of an outermost array. It grows if a key is renamed or removed, or changes its type
// or meaning, but not if one is added; CHANGELOG.md says when that may be.
#define JSON_SCHEMA_KEY "schema_version"
#define JSON_SCHEMA_VERSION 2

struct json_writer {
	struct output *out;
	bool comma;             // due before the next key or value
	unsigned int n_objects; // open "{"; the outermost one ends with the schema version
};

void jsonw_init(struct json_writer *json, struct output *out);

void jsonw_open(struct json_writer *json, char bracket);
void jsonw_close(struct json_writer *json, char bracket);
void jsonw_key(struct json_writer *json, const char *key);

// null for NULL; bytes that are not UTF-8 become U+FFFD.
void jsonw_text(struct json_writer *json, const char *text);
void jsonw_number(struct json_writer *json, const char *digits); // unchanged
void jsonw_uint(struct json_writer *json, uint64_t value);
void jsonw_real(struct json_writer *json, double value);
void jsonw_bool(struct json_writer *json, bool value);

// A key and its value; hexadecimal as text, "0x" and at least `digits` digits.
void jsonw_key_text(struct json_writer *json, const char *key, const char *text);
void jsonw_key_uint(struct json_writer *json, const char *key, uint64_t value);
void jsonw_key_uint_or_null(struct json_writer *json, const char *key, bool known, uint64_t value);
void jsonw_key_bool(struct json_writer *json, const char *key, bool value);
void jsonw_key_open(struct json_writer *json, const char *key, char bracket);
void jsonw_key_hex(struct json_writer *json, const char *key, uint64_t value, int digits);

// Several keys, values and brackets: "{name:%s queues:[%u %u] more:[". %s is text, %u and %ju
// numbers, %d a bool, %g a real, %04x hexadecimal as by jsonw_key_hex(); '\n' ends the document.
// Open brackets may be closed by another call: "]}\n". Slower than the functions above: not for
// each packet.
void jsonw_write(struct json_writer *json, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// As jsonw_write(), inside of "{" and "}".
void jsonw_object(struct json_writer *json, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// A key and its array.
void jsonw_key_texts(struct json_writer *json, const char *key, const char *const *texts,
		     unsigned int n);

// End a document with a newline.
void jsonw_end(struct json_writer *json);

#endif
