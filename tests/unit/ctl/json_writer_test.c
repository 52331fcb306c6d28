/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include <errno.h>
#include <jansson.h>

#include "common/json_writer.h"

static struct output out;
static struct json_writer json;

static void begin(void) {
	output_begin(&out);
	jsonw_init(&json, &out);
}

static void assert_written(const char *expected) {
	char *written = output_end(&out);

	assert_string_equal(written, expected);
	free(written);
}

#define BAD "\xef\xbf\xbd"

// Read back with somebody else's JSON.
TEST(any_text_comes_back_as_it_was_or_as_utf8) {
	static const struct {
		const char *text, *expected; // NULL: as it was
	} rows[] = {
		{""},
		{"plain"},
		{"a \"quoted\" word"},
		{"back\\slash"},
		{"tab\tnew line\n"},
		{"\x01\x1f"},
		{"\x7f"},
		{"gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac"},
		{"\xf0\x9f\x98\x80"},
		{"/"},
		{"\xef\xbf\xbdok"},
		{"\xf4\x8f\xbf\xbf"},
		{"\xff", BAD},
		{"a\x80z", "a" BAD "z"},
		{"\xc3", BAD},                         // cut off
		{"\xe2\x82", BAD BAD},                 // cut off
		{"\xc0\xaf", BAD BAD},                 // too long
		{"\xed\xa0\x80", BAD BAD BAD},         // surrogate
		{"\xf4\x90\x80\x80", BAD BAD BAD BAD}, // too big
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		char *written;
		json_t *value;

		begin();
		jsonw_text(&json, rows[i].text);
		jsonw_end(&json);
		written = output_end(&out);
		value = json_loads(written, JSON_DECODE_ANY, NULL);
		assert_string_equal(json_string_value(value),
				    rows[i].expected != NULL ? rows[i].expected : rows[i].text);
		json_decref(value);
		free(written);
	}
}

TEST(commas_are_where_they_belong) {
	begin();
	jsonw_open(&json, '{');
	jsonw_key(&json, "a");
	jsonw_open(&json, '[');
	jsonw_uint(&json, 0);
	jsonw_uint(&json, UINT64_MAX);
	jsonw_real(&json, 1.25);
	jsonw_close(&json, ']');
	jsonw_key(&json, "b");
	jsonw_open(&json, '{');
	jsonw_close(&json, '}');
	jsonw_key(&json, "c");
	jsonw_text(&json, NULL);
	jsonw_key(&json, "d");
	jsonw_bool(&json, true);
	jsonw_key(&json, "e");
	jsonw_number(&json, "12");
	jsonw_close(&json, '}');
	jsonw_end(&json);
	jsonw_open(&json, '['); // each document of an array has the schema version
	for (unsigned int i = 0; i < 2; i++) {
		jsonw_open(&json, '{');
		jsonw_close(&json, '}');
	}
	jsonw_close(&json, ']');
	jsonw_end(&json);
	jsonw_open(&json, '[');
	jsonw_close(&json, ']');
	jsonw_end(&json);
	assert_written("{\"a\":[0,18446744073709551615,1.25],\"b\":{},\"c\":null,"
		       "\"d\":true,\"e\":12,\"schema_version\":2}\n"
		       "[{\"schema_version\":2},{\"schema_version\":2}]\n[]\n");
}

TEST(fields_are_written_by_their_types) {
	begin();
	jsonw_open(&json, '[');
	jsonw_object(&json, "a:%s b:%u c:%ju d:%d e:%g f:%04x", "x", 1U, (uintmax_t)UINT64_MAX, 1,
		     0.5, 10U);
	jsonw_close(&json, ']');
	assert_written("[{\"a\":\"x\",\"b\":1,\"c\":18446744073709551615,\"d\":true,"
		       "\"e\":0.5,\"f\":\"0x000a\",\"schema_version\":2}]");
}

TEST(more_than_a_buffer_is_written_whole) {
	char *written;

	output_begin(&out);
	for (unsigned int i = 0; i < 50000; i++)
		output_printf(&out, "%06u\n", i);
	written = output_end(&out);
	assert_int_equal(strlen(written), 50000 * 7);
	for (unsigned int i = 0; i < 50000; i++)
		assert_int_equal(strtoul(written + 7 * i, NULL, 10), i);
	free(written);
}

TEST(the_first_write_error_is_kept) {
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	output_init(&out, fds[0]); // the end that cannot be written
	output_text(&out, "lost");
	output_flush(&out);
	assert_int_equal(out.error, EBADF);
	output_text(&out, "also lost");
	assert_int_equal(output_close(&out), EBADF);
	close(fds[1]);
}
