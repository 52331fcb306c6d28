/* SPDX-License-Identifier: BSD-3-Clause */
// The options of a program: a table from which they are read (getopt_long) and --help is written.
// Unit tests compare the manual pages with it.
//
// Values are stored in a struct of the program. A row has the field and the allowed values:
//
//	{"queues", 'q', "N", "receive queues", option_number, OPTION_FIELD(struct config, n_queues),
//	 .min = 1, .max = 64},
//	{"json", '\0', NULL, "write JSON", OPTION_FLAG(struct config, json)},
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct output;

#define OPTIONS_MAX 64        // rows of a table
#define OPTION_ERROR_SIZE 256 // bytes of a message

struct option_row;

// Store a value, NULL if it is omitted. 0, or -EINVAL with a reason in error that replaces "'VALUE'
// is not WHAT", if it is not empty.
typedef int option_parser(const struct option_row *row, const char *value, void *options,
			  char error[OPTION_ERROR_SIZE]);

struct option_row {
	const char *name;     // after "--", NULL for a letter only
	char letter;          // after "-", '\0' for none
	const char *argument; // name of the value, NULL: none; "[N]": the value is optional
	const char *help;
	option_parser *parse;
	size_t off, size;  // of the field
	unsigned int room; // elements of an array field; 0: not an array
	size_t count_off;  // offset of their number, an unsigned int
	double min, max;   // numbers: bounds; option_constant: max is the constant
	double per_second; // option_seconds: units of the field
	const char *(*choice)(unsigned int i); // the ith choice, NULL after the last
	const char *what;                      // description of a valid value; NULL: its bounds
	bool ends;                             // the rest of the command line is not read
	unsigned int group; // for the program: number of the struct that has the field
};

#define OPTION_FIELD(type, field) \
	.off = offsetof(type, field), .size = sizeof(((type *)NULL)->field)
#define OPTION_FLAG(type, field) .parse = option_constant, OPTION_FIELD(type, field), .max = true
#define OPTION_ARRAY(type, field, count)                                          \
	.off = offsetof(type, field), .size = sizeof(((type *)NULL)->field[0]),   \
	.room = sizeof(((type *)NULL)->field) / sizeof(((type *)NULL)->field[0]), \
	.count_off = offsetof(type, count)

option_parser option_choice;   // unsigned int: index of the choice
option_parser option_constant; // any integer, without a value
option_parser option_key;     // bytes of two digits for ddp_key_read(), optionally separated by ':'
option_parser option_number;  // any integer
option_parser option_power;   // any integer, a power of two
option_parser option_real;    // double
option_parser option_rss_hf;  // uint64_t: RTE_ETH_RSS_*
option_parser option_seconds; // any integer; values above 0 are not rounded to 0
option_parser option_text;    // const char *; at least min characters

// Write the reason why a value is invalid, or another error line. Always -EINVAL.
int option_fail(char error[OPTION_ERROR_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Read the arguments behind argv[0]. Operands are moved to argv[1] and the following elements, in
// their order. Returns their number, or -EINVAL with one line in error.
int options_read(const struct option_row *rows, unsigned int n, int argc, const char **argv,
		 void *options, char error[OPTION_ERROR_SIZE]);

// The help text of an option with its choices. Valid until the next call.
const char *option_summary(const struct option_row *row);

void options_help(const struct option_row *rows, unsigned int n, struct output *out);

#endif
