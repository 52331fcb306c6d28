/* SPDX-License-Identifier: BSD-3-Clause */
// The options of ddpctl, from the table in options.c.
#ifndef DDPCTL_OPTIONS_H
#define DDPCTL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "common/output.h"
#include "ctl/capture/capture.h"
#include "ctl/steer/steer.h"
#include "offload/offload.h"

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_JSONL,
};

enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

#define WITH_MAX 32 // options --with

// Options of several commands are a struct, a group. struct command has its offset.
enum option_group {
	GROUP_OWN, // of one command: offset in its struct
	GROUP_CANDIDATES,
	GROUP_CAPTURE,
	GROUP_COUNT, // a uint64_t
	GROUP_PROCESS,
	GROUP_RSS,
	GROUP_WRITE, // a const char *
	N_GROUPS,
};

// The options of each command begin with these.
struct common_options {
	const char *const *argv;  // the command line, up to NULL
	const char *const *files; // positional arguments
	unsigned int n_files;
	bool help, version;
	enum format format;
};

struct process_options {
	const char *file_prefix; // of the process, NULL for any
	unsigned int pid;        // of the process, 0 for any
};

struct rss_options {
	struct steer_config steer;
	const char *indir; // file with a NIC's table and key, NULL for none
};

struct check_options {
	struct common_options common;
	bool strict;
	unsigned int color; // enum color
};

struct info_options {
	struct common_options common;
	bool ptypes;
};

struct plan_options {
	struct common_options common;
	struct process_options process;
	struct rss_options rss;
	const struct ddp_nic *kind; // of NIC, NULL for all
	const char *package;        // of a 700-series NIC, NULL for none
	const char *pcap;           // capture to compare choices on, NULL for none
	const char *port;           // of the process, NULL for none
	bool commands;              // instead of the plan
};

struct port_options {
	struct common_options common;
	struct process_options process;
	bool all;                 // ptypes: also those without packets
	bool raw;                 // show: by the names of telemetry
	unsigned int interval_ms; // watch; 0: the default
	uint64_t count;           // watch: periods, capture: packets; 0 for no end
	const char *write;        // capture: the file
};

struct new_options {
	struct common_options common;
	const char *after;  // value of "after" of the new header, NULL for the default
	unsigned int ip_at; // bytes of the header before an IP header
	bool has_ip_at;
	const char *output; // file to write, NULL for the default
};

// The options of commands that read packets begin with these.
struct packet_options {
	struct common_options common;
	struct capture_config capture;
	struct rss_options rss;
};

struct candidate_options {
	const char *with[WITH_MAX]; // besides FILE
	unsigned int n_with;
	struct rule_options rules;
};

struct classify_options {
	struct packet_options base;
	struct candidate_options candidates;
	const char *write; // capture to write, NULL for none
	bool decap;        // without tunnels
};

struct explain_options {
	struct packet_options base;
	unsigned int packet; // number of the packet, from 1; 0: the first
};

// Of simulate and advise.
struct simulate_options {
	struct packet_options base;
	struct candidate_options candidates;
	double core_mpps, load_mpps; // million packets a second, 0: not given
	unsigned int memory_mb;      // 0: the default
	unsigned int balance_ms;     // interval of load-aware RSS; 0: without it
	uint64_t window_ns;          // 0: by the time of the capture
	const char *report;          // file to write, NULL for none
	bool nic_now;                // show NICs without net_ddp
	const struct ddp_nic *kind;  // of NIC, NULL for the common ones
};

extern const struct option_row option_rows[];
extern const unsigned int n_option_rows;

// The options with these names, separated by blanks, and "help". Returns their number.
unsigned int options_named(const char *names, struct option_row rows[OPTIONS_MAX]);

#endif
