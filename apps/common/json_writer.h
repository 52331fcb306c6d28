/* SPDX-License-Identifier: BSD-3-Clause */
// JSON, written as it comes: no tree, no allocation, commas by themselves.
//
//	emit_open(&emit, '{');
//	emit_key(&emit, "n");
//	emit_uint(&emit, 1);
//	emit_close(&emit, '}');
//
// Why not jansson here: `classify --jsonl` writes an object of some 30 values for each packet of captures
// with millions of them. Building and dumping such an object with jansson 2.14 took 11 us, writing it
// like this 0.9 us.
#ifndef COMMON_JSON_WRITER_H
#define COMMON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

struct emit {
	struct output *out;
	bool comma; // due before the next key or value
	bool in_lines;
	bool after_key;
	bool versioned;         // outermost objects end with the schema version
	unsigned int depth;     // brackets that are open
	unsigned int n_objects; // of these, "{"
};

void emit_init(struct emit *emit, struct output *out);

// The same with each key or value on a line of its own, indented by tabs, and without a schema version: ddptool's
// documents are as Intel made them.
void emit_init_lines(struct emit *emit, struct output *out);

void emit_open(struct emit *emit, char bracket);
void emit_close(struct emit *emit, char bracket);
void emit_key(struct emit *emit, const char *key);

// null for NULL; bytes that are not UTF-8 become U+FFFD.
void emit_text(struct emit *emit, const char *text);
void emit_number(struct emit *emit, const char *digits); // as it is
void emit_uint(struct emit *emit, uint64_t value);
void emit_real(struct emit *emit, double value);
void emit_bool(struct emit *emit, bool value);
void emit_null(struct emit *emit);

// A key and its value; hexadecimal as text, "0x" and at least so many digits.
void emit_key_text(struct emit *emit, const char *key, const char *text);
void emit_key_uint(struct emit *emit, const char *key, uint64_t value);
void emit_key_bool(struct emit *emit, const char *key, bool value);
void emit_key_real(struct emit *emit, const char *key, double value);
void emit_key_open(struct emit *emit, const char *key, char bracket);
void emit_key_hex(struct emit *emit, const char *key, uint64_t value, int digits);

// End a document: the next one is on a new line.
void emit_end(struct emit *emit);

#endif
