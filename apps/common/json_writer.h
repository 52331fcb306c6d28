/* SPDX-License-Identifier: BSD-3-Clause */
// JSON, written as it comes: no tree, no allocation, commas by themselves.
//
//	jsonw_open(&emit, '{');
//	jsonw_key(&emit, "n");
//	jsonw_uint(&emit, 1);
//	jsonw_close(&emit, '}');
//
// Why not jansson here: `classify --jsonl` writes an object of some 30 values for each packet of
// captures with millions of them. Building and dumping such an object with jansson 2.14 took 11 us,
// writing it like this 0.9 us.
#ifndef COMMON_JSON_WRITER_H
#define COMMON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

// The version of all JSON documents of ddpctl and ddp-fwd: a key of a document's outermost object,
// or of each of them where the document is an array. It grows when a key is renamed or removed, or
// changes its type or meaning, and not when one is added; CHANGELOG.md promises when that may be.
#define JSON_SCHEMA_KEY "schema_version"
#define JSON_SCHEMA_VERSION 2

struct json_writer {
	struct output *out;
	bool comma;             // due before the next key or value
	unsigned int n_objects; // "{" that are open; the outermost ends with the schema version
};

void jsonw_init(struct json_writer *json, struct output *out);

void jsonw_open(struct json_writer *json, char bracket);
void jsonw_close(struct json_writer *json, char bracket);
void jsonw_key(struct json_writer *json, const char *key);

// null for NULL; bytes that are not UTF-8 become U+FFFD.
void jsonw_text(struct json_writer *json, const char *text);
void jsonw_number(struct json_writer *json, const char *digits); // as it is
void jsonw_uint(struct json_writer *json, uint64_t value);
void jsonw_real(struct json_writer *json, double value);
void jsonw_bool(struct json_writer *json, bool value);

// A key and its value; hexadecimal as text, "0x" and at least so many digits.
void jsonw_key_text(struct json_writer *json, const char *key, const char *text);
void jsonw_key_uint(struct json_writer *json, const char *key, uint64_t value);
void jsonw_key_uint_or_null(struct json_writer *json, const char *key, bool known, uint64_t value);
void jsonw_key_bool(struct json_writer *json, const char *key, bool value);
void jsonw_key_open(struct json_writer *json, const char *key, char bracket);
void jsonw_key_hex(struct json_writer *json, const char *key, uint64_t value, int digits);

// Several keys, values and brackets: "{name:%s queues:[%u %u] more:[". %s is text, %u and %ju
// numbers, %d a bool, %g a real, %04x hexadecimal as jsonw_key_hex() has it; '\n' ends the
// document. What it leaves open another call closes: "]}\n". Slower than the above: not for what is
// written for each packet.
void jsonw_write(struct json_writer *json, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// The same as an object.
void jsonw_object(struct json_writer *json, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// A key and its array.
void jsonw_key_texts(struct json_writer *json, const char *key, const char *const *texts,
		     unsigned int n);

// End a document: the next one is on a new line.
void jsonw_end(struct json_writer *json);

#endif
