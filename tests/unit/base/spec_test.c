/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "base/spec.h"
#include "unit.h"

static const struct row {
	const char *name, *text;
	const char *parsed; // name (set) parameter:value ..., a '/' behind each; or the error
} rows[] = {
	{"a_name", "gtpu", "gtpu /"},
	{"an_input_set", "gtpu:inner-ip", "gtpu (inner-ip) /"},
	{"a_parameter", "gtpu;port=2153", "gtpu port:2153 /"},
	{"parameters_in_their_order", "a;z=1;b=2;z=3", "a z:1 b:2 z:3 /"},
	{"several", "gtpu:ue;port=2153+vxlan+/a/b.yaml;x=$y",
	 "gtpu (ue) port:2153 /vxlan //a/b.yaml x:$y /"},
	{"signs_that_end_nothing", "a=b:c:d;e=f=g:h", "a=b (c:d) e:f=g:h /"},

	{"nothing_at_all", "", "a name is missing"},
	{"nothing_but_a_plus", "+", "a name is missing"},
	{"a_plus_at_the_end", "t+", "a name is missing"},
	{"a_plus_at_the_beginning", "+t", "a name is missing"},
	{"no_name_before_the_input_set", ":ue", "a name is missing"},
	{"no_name_before_the_parameter", ";port=1", "a name is missing"},
	{"an_input_set_without_a_name", "t:", "'t:' lacks the name of an input set"},
	{"the_same_before_a_parameter", "t:;port=1", "'t:' lacks the name of an input set"},
	{"the_same_before_another", "t:+u", "'t:' lacks the name of an input set"},
	{"a_parameter_without_a_value", "t;port", "'port': a parameter is given as ;name=value"},
	{"the_same_of_a_later_one", "t;a=1+u;b=2;port+v",
	 "'port': a parameter is given as ;name=value"},
	{"an_empty_value", "t;port=", "parameter 'port' has no value"},
	{"an_empty_value_before_another", "t;port=;a=1", "parameter 'port' has no value"},
	{"a_value_without_a_parameter", "t;=5", "'': a parameter is given as ;name=value"},
	{"a_semicolon_at_the_end", "t;port=5;", "'': a parameter is given as ;name=value"},
};

ROWS_TEST(text_is_parsed, rows) {
	char parsed[200] = "", printed[200] = "", error[200];
	FILE *dump = fmemopen(parsed, sizeof(parsed), "w");
	FILE *print = fmemopen(printed, sizeof(printed), "w");
	struct ddp_arena *arena = ddp_arena_create();
	const struct row *row = *state;
	struct ddp_spec *specs;
	struct ddp_diag *diag = diag_new();
	unsigned int n;

	if (ddp_spec_parse(row->text, arena, &specs, &n, diag) < 0) {
		snprintf(error, sizeof(error), "profile: error: %s", row->parsed);
		assert_string_equal(ddp_diag_first(diag), error);
		assert_int_equal(diag->n_errors, 1);
		n = 0;
	}
	for (unsigned int i = 0; i < n; i++) {
		fprintf(dump, "%s ", specs[i].file);
		if (specs[i].input_set != NULL)
			fprintf(dump, "(%s) ", specs[i].input_set);
		for (unsigned int j = 0; j < specs[i].n_params; j++)
			fprintf(dump, "%s:%s ", specs[i].params[j].name, specs[i].params[j].value);
		fputc('/', dump);
		fputs(i > 0 ? "+" : "", print);
		ddp_spec_print(&specs[i], print);
	}
	fclose(dump);
	fclose(print);
	if (n > 0) {
		assert_string_equal(parsed, row->parsed);
		assert_string_equal(printed, row->text);
	}
	ddp_arena_destroy(arena);
}

TEST(without_memory_nothing_is_parsed) {
	struct ddp_spec *specs;
	struct ddp_diag *diag = diag_new();
	unsigned int n;

	assert_int_equal(ddp_spec_parse("gtpu", NULL, &specs, &n, diag), -ENOMEM);
	assert_int_equal(n, 0);
	assert_true(diag->no_memory);
}
