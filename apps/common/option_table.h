/* SPDX-License-Identifier: BSD-3-Clause */
// A program's options: one table, from which they are read (getopt_long) and --help is written.
// Unit tests compare the manual pages with it.
//
// What was read is kept in a struct of the program; a row says in which field, and what is allowed:
//
//	{"queues", 'q', "N", "receive queues", option_number, OPTION_FIELD(struct config, n_queues),
//	 .min = 1, .max = 64},
//	{"json", '\0', NULL, "write JSON", OPTION_FLAG(struct config, json)},
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct output;

#define OPTIONS_MAX 64        // in one table
#define OPTION_ERROR_SIZE 256 // of a message

struct option_row;

// Take a value, NULL if it was left out. 0, or -EINVAL; then error may say why, in place of
// "'VALUE' is not WHAT".
typedef int option_parser(const struct option_row *row, const char *value, void *options,
			  char error[OPTION_ERROR_SIZE]);

struct option_row {
	const char *name;     // after "--", NULL for a letter only
	char letter;          // after "-", '\0' for none
	const char *argument; // what its value is called, NULL when it takes none; "[N]": it may be
			      // left out
	const char *help;
	option_parser *parse;
	size_t off, size;  // of the field
	unsigned int room; // of an array: its elements, 0 for any other field
	size_t count_off;  // of the unsigned int that counts them
	double min, max;   // numbers: bounds; option_constant: max is the constant
	double per_second; // option_seconds: the field's units
	const char *(*choice)(unsigned int i); // the words to choose from, NULL after the last
	const char *what;                      // a value has to be; NULL: as its bounds say
	bool ends;                             // nothing after it is read
	unsigned int group; // the program's: of rows whose fields lie in a struct of their own
};

#define OPTION_FIELD(type, field) \
	.off = offsetof(type, field), .size = sizeof(((type *)NULL)->field)
#define OPTION_FLAG(type, field) .parse = option_constant, OPTION_FIELD(type, field), .max = true
#define OPTION_ARRAY(type, field, count)                                          \
	.off = offsetof(type, field), .size = sizeof(((type *)NULL)->field[0]),   \
	.room = sizeof(((type *)NULL)->field) / sizeof(((type *)NULL)->field[0]), \
	.count_off = offsetof(type, count)

option_parser option_choice;   // unsigned int: which word
option_parser option_constant; // any integer; takes no value
option_parser option_key;      // bytes for ddp_key_read(), each two digits; ':' may separate them
option_parser option_number;   // any integer
option_parser option_power;    // any integer, a power of two
option_parser option_real;     // double
option_parser option_rss_hf;   // uint64_t: RTE_ETH_RSS_*
option_parser option_seconds;  // any integer; what is not 0 stays so
option_parser option_text;     // const char *; min characters at least

// Fill in why a value is none, or a line of any other use. Always -EINVAL.
int option_fail(char error[OPTION_ERROR_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Read the arguments behind argv[0]. Those that are no options are moved to argv[1] and the
// following elements, in their order. Returns their number, or -EINVAL with one line in error.
int options_read(const struct option_row *rows, unsigned int n, int argc, const char **argv,
		 void *options, char error[OPTION_ERROR_SIZE]);

// What --help says of an option, its choices included. Valid until the next call.
const char *option_summary(const struct option_row *row);

void options_help(const struct option_row *rows, unsigned int n, struct output *out);

#endif
