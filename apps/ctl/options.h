/* SPDX-License-Identifier: BSD-3-Clause */
// The command line of ddpctl, read. Which options there are, options.c says in one table.
#ifndef DDPCTL_OPTIONS_H
#define DDPCTL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/exit_status.h"
#include "common/option_table.h"
#include "common/output.h"
#include "ctl/capture/capture.h"
#include "ctl/profile/steer.h"
#include "e810/e810_parser.h"
#include "offload/offload.h"

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_JSONL,
};

#define OPTIONS_RULES_MAX 16
#define WITH_MAX 32

enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct options {
	unsigned int color; // enum color
	bool help;
	bool version;
	bool strict;
	bool ptypes;
	bool all;            // also what is zero
	bool commands;       // instead of the plan
	bool nic_now;        // of kind, NULL for the common ones
	const char *package; // of a 700-series NIC, NULL for none
	const char *pcap;    // a capture to judge by, NULL for none
	bool raw;            // by the names that the process uses
	enum format format;
	unsigned int packet; // which one of the capture, from 1
	const char *after;   // what a new header comes after, NULL for none
	unsigned int ip_at;  // bytes of it in front of an IP header
	bool has_ip_at;
	const char *output;      // file to write, NULL for the default
	const char *write;       // capture to write, NULL for none
	bool decap;              // without tunnels
	const char *file_prefix; // of the process to talk to, NULL for any
	unsigned int pid;        // the same, 0 for any
	const char *port;        // of it, NULL for none
	unsigned int interval_ms;
	unsigned int count;            // of periods or packets, 0 for no end
	struct capture_config capture; // but for the file
	double core_mpps, load_mpps;   // million packets a second, 0: not given
	unsigned int memory_mb;        // 0: the default
	unsigned int balance_ms;       // interval of load-aware RSS; 0: without it
	uint64_t window_ns;            // 0: as the capture asks for
	const char *report;            // file to write, NULL for none
	const char *with[WITH_MAX];    // further candidates
	unsigned int n_with;
	struct steer_config steer;
	const char *indir;                       // file with a NIC's table and key, NULL for none
	const char *rules[OPTIONS_RULES_MAX];    // as rules_add() takes them
	unsigned int rule_of[OPTIONS_RULES_MAX]; // candidate: 0 is FILE, then with[0] ...
	unsigned int n_rules;
	const struct ddp_nic *kind; // of NIC, NULL for none
	struct e810_config nic;     // what a driver sets, where FILE is a package
	const char *const *argv;    // the command line, up to NULL
	const char *const *files;   // arguments that are no options
	unsigned int n_files;
};

extern const struct option_row option_rows[];
extern const unsigned int n_option_rows;

// The options of a command: names are separated by blanks; "help" is always added. Returns their
// number.
unsigned int options_named(const char *names, struct option_row rows[OPTIONS_MAX]);

// Read the arguments behind argv[0]. They are reordered: options->files points into them.
// 0, or -EINVAL with one line in error.
int options_parse(const char *names, int argc, const char **argv, struct options *options,
		  char error[OPTION_ERROR_SIZE]);

#endif
