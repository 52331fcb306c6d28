/* SPDX-License-Identifier: BSD-3-Clause */
#include "config_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\v\f"

static int no_memory(struct error *error) {
	return error_set(error, EXIT_FAILED, "out of memory");
}

// Split a line, which is modified. Returns whether there is a name.
static bool line_split(char *text, struct config_line *line) {
	size_t len;

	text += strspn(text, BLANKS);
	if (*text == '\0' || *text == '#')
		return false;
	for (len = strlen(text); strchr(BLANKS, text[len - 1]) != NULL; len--)
		;
	text[len] = '\0';
	line->name = text;
	line->value = NULL;
	text += strcspn(text, BLANKS);
	if (*text != '\0') {
		*text++ = '\0';
		line->value = text + strspn(text, BLANKS);
	}
	return true;
}

static int lines_add(struct config_file *file, const struct config_line *line) {
	struct config_line *lines;

	lines = reallocarray(file->lines, file->n + 1, sizeof(*lines));
	if (lines == NULL)
		return -ENOMEM;
	file->lines = lines;
	file->lines[file->n++] = *line;
	return 0;
}

int config_file_parse(struct config_file *file, const char *path, const char *text, size_t size,
		      struct error *error) {
	struct config_line line = {0};
	char *at, *end;

	memset(file, 0, sizeof(*file));
	file->text = malloc(size + 1);
	if (file->text == NULL)
		return no_memory(error);
	memcpy(file->text, text, size);
	file->text[size] = '\0';
	for (at = file->text; at < file->text + size; at = end + 1) {
		line.number++;
		end = at + strcspn(at, "\n");
		if (*end == '\0' && end != file->text + size)
			return error_set(error, EXIT_USAGE, "%s:%u: the line has a NUL byte", path,
					 line.number);
		*end = '\0';
		if (line_split(at, &line) && lines_add(file, &line) < 0)
			return no_memory(error);
	}
	return 0;
}

int config_file_read(struct config_file *file, const char *path, struct error *error) {
	char *text = malloc(CONFIG_FILE_MAX + 1);
	FILE *in = fopen(path, "r");
	size_t size = 0;
	int ret;

	memset(file, 0, sizeof(*file));
	errno = in == NULL ? errno : 0;
	if (in != NULL && text != NULL)
		size = fread(text, 1, CONFIG_FILE_MAX + 1, in);
	if (text == NULL)
		ret = no_memory(error);
	else if (in == NULL || ferror(in))
		ret = error_set(error, EXIT_UNREADABLE, "%s: %s", path, strerror(errno));
	else if (size > CONFIG_FILE_MAX)
		ret = error_set(error, EXIT_USAGE, "%s: a configuration file has at most %d bytes",
				path, CONFIG_FILE_MAX);
	else
		ret = config_file_parse(file, path, text, size, error);
	if (in != NULL)
		fclose(in);
	free(text);
	return ret;
}

void config_file_fini(struct config_file *file) {
	free(file->lines);
	free(file->text);
	memset(file, 0, sizeof(*file));
}
