/* SPDX-License-Identifier: BSD-3-Clause */
// A specification asks profiles for input sets and parameters that they have, or have not.
#include "scratch.h"
#include "unit.h"

#define T                                                                          \
	"profile: t\n"                                                             \
	"parameters: {port: 5, other: 6}\n"                                        \
	"headers:\n"                                                               \
	"  a: {first: true, layout: x:16, next: {when: {x: $port}, then: stop}}\n" \
	"packet_types:\n"                                                          \
	"  A: {path: a, rss: a.x}\n"                                               \
	"input_sets:\n"                                                            \
	"  ue: {A: a.x}\n"                                                         \
	"  teid: {A: a.x}\n"
#define U "profile: u\nrequires: [t]\n"

static const struct broken rows[] = {
	{"what_is_no_specification", T, "profile: error: a name is missing\n", NULL, ""},
	{"a_misspelt_parameter", T,
	 "prt=1: error: unknown parameter of profile 't': 'prt'; did you mean 'port'?\n", NULL,
	 "t;prt=1"},
	{"a_parameter_of_a_profile_that_is_not_loaded", T,
	 "u.port=1: error: unknown parameter of profile 't': 'u.port'; did you mean 'port'?\n",
	 NULL, "t;u.port=1"},
	{"a_value_too_large_for_its_field", T, "port=70000: error: '70000' does not fit 16 bits\n",
	 NULL, "t;port=70000"},
	{"a_value_that_is_no_number", T, "port=http: error: 'http' is not a number\n", NULL,
	 "t;port=http"},
	{"a_misspelt_input_set", T,
	 "t.yaml: error: unknown input set of profile 't': 'uee'; did you mean 'ue'?\n", NULL,
	 "t:uee"},
	{"an_input_set_nothing_like_any", T,
	 "t.yaml: error: unknown input set of profile 't': 'banana'\n", NULL, "t:banana"},
	{"an_input_set_that_no_part_of_a_bundle_has", T,
	 "u.yaml: error: unknown input set of profile 'u': 'uee'\n", U, "u:uee"},
	{"a_profile_named_twice", T, "profile: error: 't' is named twice\n", NULL,
	 "t;port=1+t;port=2"},
	{"a_profile_named_by_name_and_by_file_is_named_twice", T,
	 "profile: error: 't' is named twice\n", U, "u+t+t"},

	// and what is good
	{"a_parameter", T, "", NULL, "t;port=7"},
	{"an_input_set_and_parameters", T, "", NULL, "t:ue;port=7;other=8;port=9"},
	{"a_profile_that_another_requires_may_be_named_too", T, "", U, "u+t:teid;port=9"},
	{"a_bundle_has_the_input_sets_of_its_parts", T, "", U, "u:teid"},
	{"a_bundle_has_the_parameters_of_its_parts", T, "", U, "u;t.port=7"},
};

ROWS(broken_is_reported, rows)
