/* SPDX-License-Identifier: BSD-3-Clause */
#include "spec.h"

#include <errno.h>
#include <string.h>

#define WRONG(diag, ...) (ddp_error(diag, DDP_FILE("profile"), __VA_ARGS__), -EINVAL)

// The text at *at before the first of stops or the end; *at moves behind that sign, *stop.
static const char *piece_take(char **at, const char *stops, char *stop) {
	char *piece = *at;

	*at += strcspn(piece, stops);
	*stop = **at;
	if (*stop != '\0')
		*(*at)++ = '\0';
	return piece;
}

static int spec_parse(char *at, struct ddp_spec *spec, struct ddp_diag *diag) {
	char stop;

	spec->file = piece_take(&at, ":;", &stop);
	if (*spec->file == '\0')
		return WRONG(diag, "a name is missing");
	if (stop == ':') {
		spec->input_set = piece_take(&at, ";", &stop);
		if (*spec->input_set == '\0')
			return WRONG(diag, "'%s:' lacks the name of an input set", spec->file);
	}
	while (stop == ';') {
		struct ddp_spec_param *param = &spec->params[spec->n_params++];

		param->name = piece_take(&at, "=;", &stop);
		if (stop != '=' || *param->name == '\0')
			return WRONG(diag, "'%s': a parameter is given as ;name=value",
				     param->name);
		param->value = piece_take(&at, ";", &stop);
		if (*param->value == '\0')
			return WRONG(diag, "parameter '%s' has no value", param->name);
	}
	return 0;
}

static unsigned int count(const char *text, char sign) {
	unsigned int n = 0;

	for (; *text != '\0'; text++)
		n += *text == sign;
	return n;
}

int ddp_spec_parse(const char *text, struct ddp_arena *arena, struct ddp_spec **specs,
		   unsigned int *n_specs, struct ddp_diag *diag) {
	const size_t size = strlen(text) + 1;
	struct ddp_spec *spec = ddp_arena_try_alloc(arena, (count(text, '+') + 1) * sizeof(*spec));
	struct ddp_spec_param *params =
		ddp_arena_try_alloc(arena, count(text, ';') * sizeof(*params));
	char *rest = ddp_arena_try_alloc(arena, 2 * size), *pieces;
	int ret = 0;

	*specs = spec;
	*n_specs = 0;
	if (spec == NULL || params == NULL || rest == NULL)
		return ddp_no_memory(diag);
	memcpy(rest, text, size);
	pieces = rest + size;
	for (; rest != NULL && ret == 0; spec++) {
		spec->text = strsep(&rest, "+");
		spec->params = params;
		ret = spec_parse(strcpy(pieces, spec->text), spec, diag);
		pieces += strlen(spec->text) + 1;
		params += spec->n_params;
		++*n_specs;
	}
	return ret;
}

void ddp_spec_print(const struct ddp_spec *spec, FILE *to) {
	fputs(spec->file, to);
	if (spec->input_set != NULL)
		fprintf(to, ":%s", spec->input_set);
	for (unsigned int i = 0; i < spec->n_params; i++)
		fprintf(to, ";%s=%s", spec->params[i].name, spec->params[i].value);
}
