/* SPDX-License-Identifier: BSD-3-Clause */
// A user's input: specifications, and files as bytes.
#include "spec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRONG(diag, ...) \
	(ddp_error(diag, &(struct ddp_place){.file = "profile"}, __VA_ARGS__), -EINVAL)

// What stands at *at before the first of stops or the end; *at moves behind that sign, *stop.
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

char *ddp_file_read(const char *path, size_t max, size_t *size, struct ddp_arena *arena,
		    struct ddp_diag *diag) {
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // of a FIFO without waiting
	const struct ddp_place place = {.file = path};
	char *bytes = NULL;
	struct stat st;
	ssize_t n = -1;
	size_t room;

	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		room = (size_t)st.st_size > max ? max + 1 : (size_t)st.st_size;
		bytes = ddp_arena_try_alloc(arena, room + 1);
		errno = ENOMEM;
		while (bytes != NULL && (n = read(fd, bytes + *size, room - *size)) > 0)
			*size += n;
	} else if (fd >= 0) {
		errno = 0;
	}
	if (n < 0 && errno == ENOMEM) {
		ddp_no_memory(diag);
	} else if (n < 0) {
		diag->unreadable = true;
		if (errno == 0)
			ddp_error(diag, &place, "not a file");
		else
			ddp_error(diag, &place, "cannot be read: %s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return n < 0 ? NULL : bytes;
}
