/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "common/strbuf.h"
#include "steer.h"

#define LINE_SIZE 1024 // bytes; ethtool's longest line is a key of 52 bytes

void steer_init(struct steer *steer, const struct steer_config *config) {
	assert(config->n_queues > 0 && config->n_queues <= STEER_QUEUES_MAX);
	assert(config->reta_size > 0 && config->reta_size <= STEER_RETA_MAX);
	assert((config->reta_size & (config->reta_size - 1)) == 0);
	steer->config = *config;
	ddp_hash_init(&steer->hash, config->function, config->key);
	if (config->reta != NULL)
		memcpy(steer->reta, config->reta, config->reta_size * sizeof(steer->reta[0]));
	else
		ddp_reta_fill(steer->reta, config->reta_size, config->n_queues);
}

/* The output of 'ethtool -x' */

enum section {
	NONE,
	TABLE,
	KEY,
	FUNCTION,
	TRANSFORMATION
};

struct reading {
	const char *path;
	unsigned int line; // 0: errors have no line
	enum section section;
	unsigned int n_queues; // 0: no table so far
	unsigned int n_entries;
	uint16_t *reta;
	uint8_t key[DDP_KEY_SIZE];
	unsigned int key_len; // 0: no key so far
};

static int fail(const struct reading *r, const char *why) {
	if (r->line > 0)
		error_print("%s:%u: %s", r->path, r->line, why);
	else
		error_print("%s: %s", r->path, why);
	return EXIT_NO;
}

static bool begins(const char *line, const char *with) {
	return strncmp(line, with, strlen(with)) == 0;
}

static bool is_unsupported(const char *line) {
	return strstr(line, "not supported") != NULL;
}

/* A line of each section */

// "    8:      0     1     2": the index of the first entry, and queues.
static int entries_read(struct reading *r, const char *line) {
	char *end;
	unsigned long value = strtoul(line, &end, 10);

	if (is_unsupported(line))
		return fail(r, "the NIC has no redirection table");
	if (end == line || *end != ':')
		return fail(r, "not a row of the redirection table");
	if (value != r->n_entries)
		return fail(r, "a row of the redirection table is missing before this one");
	for (line = end + 1;; line = end) {
		line += strspn(line, " \t");
		if (*line == '\0')
			return EXIT_GOOD;
		value = strtoul(line, &end, 10);
		if (!isdigit((unsigned char)*line) || value >= r->n_queues)
			return fail(r, "an entry is no Rx ring of this NIC");
		if (r->n_entries == STEER_RETA_MAX)
			return fail(r, "more than 4096 entries");
		r->reta[r->n_entries++] = value;
	}
}

static int key_read(struct reading *r, const char *line) {
	unsigned int n = 0, byte;
	int len;

	if (is_unsupported(line))
		return EXIT_GOOD;
	for (; n < DDP_KEY_SIZE && sscanf(line, "%2x%n", &byte, &len) == 1 && len == 2; n++) {
		r->key[n] = byte;
		line += len + (line[len] == ':');
	}
	if (*line != '\0' || ddp_key_read(r->key, r->key, n) < 0)
		return fail(r, "not an RSS key of 40 or 52 bytes");
	r->key_len = n;
	return EXIT_GOOD;
}

// "    toeplitz: on"
static int function_read(struct reading *r, const char *line) {
	line += strspn(line, " \t");
	if (strstr(line, ": on") == NULL)
		return EXIT_GOOD;
	if (r->section == TRANSFORMATION)
		return fail(r, "this input transformation cannot be simulated");
	return begins(line, "toeplitz:") ? EXIT_GOOD :
					   fail(r, "this hash function cannot be simulated");
}

static int heading_read(struct reading *r, const char *line) {
	const char *with = strstr(line, " with ");

	if (begins(line, "RSS hash key:")) {
		r->section = KEY;
	} else if (begins(line, "RSS hash function:")) {
		r->section = FUNCTION;
	} else if (begins(line, "RSS input transformation:")) {
		r->section = TRANSFORMATION;
	} else if (begins(line, "RX flow hash indirection table for ") && with != NULL) {
		if (r->n_queues != 0)
			return fail(r, "a second redirection table");
		r->section = TABLE;
		if (sscanf(with, " with %u RX ring(s):", &r->n_queues) != 1 || r->n_queues == 0 ||
		    r->n_queues > STEER_QUEUES_MAX)
			return fail(r, "not a number of Rx rings from 1 to 1024");
	} else {
		return fail(r, "not what 'ethtool -x' prints");
	}
	return EXIT_GOOD;
}

static int line_read(struct reading *r, char *line) {
	size_t len = strcspn(line, "\r\n");
	bool in_row;

	if (len == LINE_SIZE - 1)
		return fail(r, "line too long");
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	line[len] = '\0';
	if (len == 0)
		return EXIT_GOOD;
	// Keys and "not supported" are not indented either.
	in_row = line[0] == ' ' || line[0] == '\t' || is_unsupported(line) ||
		 (r->section == KEY && r->key_len == 0 && isxdigit((unsigned char)line[0]));
	if (!in_row)
		return heading_read(r, line);
	switch (r->section) {
	case TABLE:
		return entries_read(r, line);
	case KEY:
		return key_read(r, line);
	case FUNCTION:
	case TRANSFORMATION:
		return function_read(r, line);
	default:
		return fail(r, "not what 'ethtool -x' prints");
	}
}

static int end_check(struct reading *r) {
	r->line = 0;
	if (r->n_queues == 0)
		return fail(r, "no redirection table, as 'ethtool -x' prints it");
	if (r->n_entries == 0 || (r->n_entries & (r->n_entries - 1)) != 0)
		return fail(r, "the number of entries of the table is not a power of two");
	return EXIT_GOOD;
}

int indir_read(const char *path, struct steer_config *steer, uint16_t reta[STEER_RETA_MAX]) {
	struct reading r = {.path = path, .reta = reta};
	FILE *in = fopen(path, "r");
	char line[LINE_SIZE];
	int status = EXIT_GOOD;

	while (in != NULL && status == EXIT_GOOD && fgets(line, sizeof(line), in) != NULL) {
		r.line++;
		status = line_read(&r, line);
	}
	if (in == NULL || (status == EXIT_GOOD && ferror(in))) {
		error_print("%s: cannot be read: %s", path, strerror(errno));
		status = EXIT_UNREADABLE;
	}
	if (in != NULL)
		fclose(in);
	if (status == EXIT_GOOD)
		status = end_check(&r);
	if (status != EXIT_GOOD)
		return status;
	steer->n_queues = r.n_queues;
	steer->reta_size = r.n_entries;
	steer->reta = reta;
	if (r.key_len > 0 && memcmp(steer->key, ddp_default_key, sizeof(steer->key)) == 0)
		memcpy(steer->key, r.key, sizeof(steer->key));
	return EXIT_GOOD;
}
