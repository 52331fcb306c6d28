/* SPDX-License-Identifier: BSD-3-Clause */
// "name-or-file[:input set][;parameter=value...]+..." taken apart. A '+' separates profiles, so
// neither file names nor values can hold one.
#include <errno.h>
#include <string.h>

#include "loader.h"

static const char spec_place[] = "profile";

static struct ddp_text piece_take(const char **s, const char *stops) {
	size_t len = strcspn(*s, stops);
	struct ddp_text piece = {.s = *s, .len = len, .place = {.file = spec_place}};

	*s += len;
	return piece;
}

static int setting_parse(struct loader *l, const char **s, struct request *request) {
	struct ddp_place place = {.file = spec_place};
	struct ddp_text name = piece_take(s, "=;+");
	struct setting *setting;

	if (**s != '=' || name.len == 0) {
		ddp_error(l->diag, &place, "'%.*s': a parameter is given as ;name=value",
			  (int)name.len, name.s);
		return -EINVAL;
	}
	(*s)++;
	setting = DDP_APPEND(l->arena, request->settings, request->n_settings);
	setting->name = ddp_arena_strndup(l->arena, name.s, name.len);
	setting->value = piece_take(s, ";+");
	setting->value.s = ddp_arena_strndup(l->arena, setting->value.s, setting->value.len);
	// What is wrong with a value is told with the setting as its place.
	setting->value.place.file =
		ddp_arena_strndup(l->arena, name.s, name.len + 1 + setting->value.len);
	if (setting->value.len == 0) {
		ddp_error(l->diag, &place, "parameter '%s' has no value", setting->name);
		return -EINVAL;
	}
	return 0;
}

static int request_parse(struct loader *l, const char **s, struct request *request) {
	struct ddp_place place = {.file = spec_place};
	struct ddp_text name = piece_take(s, ":;+");

	if (name.len == 0) {
		ddp_error(l->diag, &place, "a name is missing");
		return -EINVAL;
	}
	request->name = ddp_arena_strndup(l->arena, name.s, name.len);
	if (**s == ':') {
		struct ddp_text set;

		(*s)++;
		set = piece_take(s, ";+");
		if (set.len == 0) {
			ddp_error(l->diag, &place, "'%s:' lacks the name of an input set",
				  request->name);
			return -EINVAL;
		}
		request->input_set = ddp_arena_strndup(l->arena, set.s, set.len);
	}
	while (**s == ';') {
		int ret;

		(*s)++;
		ret = setting_parse(l, s, request);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int ddp_spec_parse(struct loader *l, const char *spec, struct request **requests,
		   unsigned int *n_requests) {
	for (;;) {
		int ret = request_parse(l, &spec, DDP_APPEND(l->arena, *requests, *n_requests));

		if (ret < 0)
			return ret;
		if (*spec == '\0')
			return 0;
		spec++; // '+'
	}
}
