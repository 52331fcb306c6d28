/* SPDX-License-Identifier: BSD-3-Clause */
#include "option_table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/rss_hf.h"
#include "output.h"
#include "rss/rss.h"
#include "strbuf.h"

int option_fail(char error[OPTION_ERROR_SIZE], const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, OPTION_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Values */

// The address of the value: the field, or the next element of an array. NULL with error if the
// array is full.
static void *value_address(const struct option_row *row, void *options,
			   char error[OPTION_ERROR_SIZE]) {
	char *field = (char *)options + row->off;
	unsigned int *count = (unsigned int *)((char *)options + row->count_off);

	if (row->room == 0)
		return field;
	if (*count == row->room) {
		option_fail(error, "no room for more than %u of them", row->room);
		return NULL;
	}
	return field + row->size * (*count)++;
}

static int integer_store(const struct option_row *row, uint64_t n, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	void *to = value_address(row, options, error);

	if (to == NULL)
		return -EINVAL;
	switch (row->size) {
	case 1:
		*(uint8_t *)to = n;
		break;
	case 2:
		*(uint16_t *)to = n;
		break;
	case 4:
		*(uint32_t *)to = n;
		break;
	default:
		assert(row->size == 8);
		*(uint64_t *)to = n;
	}
	return 0;
}

int option_constant(const struct option_row *row, const char *value, void *options,
		    char error[OPTION_ERROR_SIZE]) {
	(void)value;
	return integer_store(row, row->max, options, error);
}

// strtoull() would accept a sign and leading blanks.
static bool number_read(const struct option_row *row, const char *value, uint64_t *n) {
	char *end;

	errno = 0;
	*n = strtoull(value, &end, 10);
	return isdigit((unsigned char)value[0]) && *end == '\0' && errno == 0 && *n >= row->min &&
	       *n <= row->max;
}

int option_number(const struct option_row *row, const char *value, void *options,
		  char error[OPTION_ERROR_SIZE]) {
	uint64_t n;

	if (number_read(row, value, &n))
		return integer_store(row, n, options, error);
	if (row->what != NULL)
		return -EINVAL;
	return option_fail(error, "'%s' is not a number from %.0f to %.0f", value, row->min,
			   row->max);
}

int option_power(const struct option_row *row, const char *value, void *options,
		 char error[OPTION_ERROR_SIZE]) {
	uint64_t n;

	if (number_read(row, value, &n) && (n & (n - 1)) == 0)
		return integer_store(row, n, options, error);
	return option_fail(error, "'%s' is not a power of two from %.0f to %.0f", value, row->min,
			   row->max);
}

int option_real(const struct option_row *row, const char *value, void *options,
		char error[OPTION_ERROR_SIZE]) {
	double *to = (double *)((char *)options + row->off);
	char *end;

	(void)error;
	*to = strtod(value, &end);
	return end != value && *end == '\0' && *to >= row->min && *to <= row->max ? 0 : -EINVAL;
}

int option_seconds(const struct option_row *row, const char *value, void *options,
		   char error[OPTION_ERROR_SIZE]) {
	char *end;
	double seconds = strtod(value, &end);
	uint64_t n;

	if (end == value || *end != '\0' || !(seconds >= row->min && seconds <= row->max))
		return row->what != NULL ?
			       -EINVAL :
			       option_fail(error, "'%s' is not a number of seconds from %g to %.0f",
					   value, row->min, row->max);
	n = seconds * row->per_second + 0.5;
	return integer_store(row, n > 0 || seconds == 0 ? n : 1, options, error);
}

int option_text(const struct option_row *row, const char *value, void *options,
		char error[OPTION_ERROR_SIZE]) {
	const char **to;

	if (value != NULL && strlen(value) < row->min)
		return -EINVAL;
	to = value_address(row, options, error);
	if (to == NULL)
		return -EINVAL;
	*to = value;
	return 0;
}

int option_choice(const struct option_row *row, const char *value, void *options,
		  char error[OPTION_ERROR_SIZE]) {
	const char *word;
	int len;

	for (unsigned int i = 0; (word = row->choice(i)) != NULL; i++)
		if (strcmp(value, word) == 0)
			return integer_store(row, i, options, error);
	len = snprintf(error, OPTION_ERROR_SIZE, "'%.64s' is none of:", value);
	for (unsigned int i = 0; (word = row->choice(i)) != NULL && len < OPTION_ERROR_SIZE; i++)
		len += snprintf(error + len, OPTION_ERROR_SIZE - len, " %s", word);
	return -EINVAL;
}

int option_rss_hf(const struct option_row *row, const char *value, void *options,
		  char error[OPTION_ERROR_SIZE]) {
	uint64_t *to = (uint64_t *)((char *)options + row->off);
	const char *unknown = value;
	size_t len = strlen(value);

	if (ddp_rss_hf_parse(value, to, &unknown, &len) == 0)
		return 0;
	return option_fail(error, "unknown hash field '%.*s'", (int)len, unknown);
}

int option_key(const struct option_row *row, const char *value, void *options,
	       char error[OPTION_ERROR_SIZE]) {
	uint8_t *key = (uint8_t *)options + row->off;
	unsigned int n = 0;

	for (const char *at = value; *at != '\0'; n++) {
		unsigned int byte;

		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			return option_fail(error, "not a byte in hexadecimal: '%.2s'", at);
		sscanf(at, "%2x", &byte);
		if (n < DDP_KEY_SIZE)
			key[n] = byte;
		at += 2;
		if (at[0] == ':' && at[1] != '\0')
			at++;
	}
	if (ddp_key_read(key, key, n) < 0)
		return option_fail(error, "%u bytes given, a key has %u or %u bytes", n,
				   DDP_KEY_SHORT, DDP_KEY_SIZE);
	return 0;
}

// Set the value of an option; NULL: it has none.
static int option_set(const struct option_row *row, const char *value, void *options,
		      char error[OPTION_ERROR_SIZE]) {
	char reason[OPTION_ERROR_SIZE] = "";

	if (row->parse(row, value, options, reason) == 0)
		return 0;
	if (reason[0] == '\0')
		option_fail(reason, "'%s' is not %s", value, row->what);
	if (row->name == NULL)
		return option_fail(error, "-%c: %.*s", row->letter, OPTION_ERROR_SIZE - 8, reason);
	return option_fail(error, "option --%s: %.*s", row->name, OPTION_ERROR_SIZE - 64, reason);
}

/* Reading */

#define FIRST_CODE 256 // getopt_long() code of the first row; lower codes are letters

static const struct option_row *row_of(const struct option_row *rows, unsigned int n, int code) {
	assert(code < FIRST_CODE + (int)n);
	if (code >= FIRST_CODE)
		return &rows[code - FIRST_CODE];
	for (unsigned int i = 0; i < n; i++)
		if (code != 0 && rows[i].letter == code)
			return &rows[i];
	return NULL;
}

// Is the word a whole option? Names must not be abbreviated, and letters not share a '-'.
static bool is_whole(const struct option_row *row, const char *word) {
	if (word[1] == '-')
		return strlen(row->name) == strcspn(word + 2, "=");
	return row->argument != NULL || word[2] == '\0';
}

static int unknown_option(const struct option_row *rows, unsigned int n, const char *word,
			  char error[OPTION_ERROR_SIZE]) {
	const char *names[OPTIONS_MAX];
	const char *nearest;
	char written[64];

	for (unsigned int i = 0; i < n; i++)
		names[i] = rows[i].name;
	snprintf(written, sizeof(written), "%.*s",
		 (int)(word[1] == '-' ? strcspn(word, "=") : strlen(word)), word);
	nearest = ddp_nearest(written + strspn(written, "-"), names, n);
	if (nearest == NULL)
		return option_fail(error, "unknown option '%s'", written);
	return option_fail(error, "unknown option '%s', did you mean '--%s'?", written, nearest);
}

static void getopt_prepare(const struct option_row *rows, unsigned int n,
			   struct option longs[OPTIONS_MAX + 1],
			   char letters[2 * OPTIONS_MAX + 3]) {
	char *to = stpcpy(letters, "-:"); // keep the order, print no messages

	assert(n <= OPTIONS_MAX);
	for (unsigned int i = 0; i < n; i++) {
		const char *argument = rows[i].argument;

		longs[i] = (struct option){rows[i].name,
					   argument == NULL   ? no_argument :
					   argument[0] == '[' ? optional_argument :
								required_argument,
					   NULL, FIRST_CODE + i};
		if (rows[i].letter == '\0')
			continue;
		*to++ = rows[i].letter;
		if (argument != NULL)
			*to++ = ':';
	}
	*to = '\0';
	longs[n] = (struct option){0};
	optind = 0; // reset getopt_long()
}

// Set the option of a word by getopt_long()'s code. The row, or NULL with error.
static const struct option_row *option_take(const struct option_row *rows, unsigned int n,
					    const char *word, int code, void *options,
					    char error[OPTION_ERROR_SIZE]) {
	const struct option_row *row = row_of(rows, n, code == '?' || code == ':' ? optopt : code);

	if (row == NULL || !is_whole(row, word))
		unknown_option(rows, n, word, error);
	else if ((code == '?' || code == ':') && row->argument == NULL)
		option_fail(error, "option --%s takes no value", row->name);
	else if (code == '?' || code == ':')
		option_fail(error, "option --%s needs a value: %s", row->name, row->argument);
	else if (option_set(row, optarg, options, error) == 0)
		return row;
	return NULL;
}

int options_read(const struct option_row *rows, unsigned int n, int argc, const char **argv,
		 void *options, char error[OPTION_ERROR_SIZE]) {
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3];
	int n_words = 0, code;
	int at = 1; // index of the word

	getopt_prepare(rows, n, longs, letters);
	while ((code = getopt_long(argc, (char *const *)argv, letters, longs, NULL)) != -1) {
		const struct option_row *row;

		if (code == 1) {
			argv[1 + n_words++] = optarg;
		} else {
			row = option_take(rows, n, argv[at], code, options, error);
			if (row == NULL)
				return -EINVAL;
			if (row->ends)
				return n_words;
		}
		at = optind;
	}
	while (optind < argc) // behind "--"
		argv[1 + n_words++] = argv[optind++];
	return n_words;
}

/* Help */

const char *option_summary(const struct option_row *row) {
	static char summary[256];
	int len = snprintf(summary, sizeof(summary), "%s", row->help);
	const char *word;

	for (unsigned int i = 0; row->choice != NULL && (word = row->choice(i)) != NULL; i++)
		len += snprintf(summary + len, sizeof(summary) - len, "%s %s",
				i == 0 ? ", one of:" : "", word);
	assert(len < (int)sizeof(summary));
	return summary;
}

static int left_write(const struct option_row *row, char left[64]) {
	const char letter[] = {'-', row->letter, ',', ' ', '\0'};
	const char *argument = row->argument != NULL ? row->argument : "";
	const char *blank = row->argument != NULL ? " " : "";

	if (row->name == NULL)
		return snprintf(left, 64, "-%c%s%s", row->letter, blank, argument);
	if (argument[0] == '[') // an optional value must follow '='
		return snprintf(left, 64, "%s--%s[=%s", row->letter != '\0' ? letter : "    ",
				row->name, argument + 1);
	return snprintf(left, 64, "%s--%s%s%s", row->letter != '\0' ? letter : "    ", row->name,
			blank, argument);
}

void options_help(const struct option_row *rows, unsigned int n, struct output *out) {
	char left[64];
	int width = 0;

	for (unsigned int i = 0; i < n; i++) {
		int len = left_write(&rows[i], left);

		assert(len < (int)sizeof(left));
		width = len > width ? len : width;
	}
	for (unsigned int i = 0; i < n; i++) {
		left_write(&rows[i], left);
		output_printf(out, "  %-*s  ", width, left);
		output_wrapped(out, option_summary(&rows[i]), width + 4, width + 4);
	}
}
