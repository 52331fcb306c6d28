/* SPDX-License-Identifier: BSD-3-Clause */
// What ddpctl can do: one table of commands, one of options.
//
// Parsing and help come from these tables; the manual page and the completions for bash and zsh are compared
// with them by a unit test.
#ifndef DDPCTL_COMMAND_H
#define DDPCTL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/exit_status.h"
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

// A command line, read.
struct options {
	bool help;
	bool version;
	bool strict;
	bool ptypes;
	enum format format;
	unsigned int packet;     // which one of the capture, from 1
	const char *output;      // file to write, NULL for the default
	const char *file_prefix; // of the process to talk to, NULL for any
	unsigned int pid;        // the same, 0 for any
	const char *port;        // of it, NULL for none
	unsigned int interval_ms;
	unsigned int count;            // of periods or packets, 0 for no end
	struct capture_config capture; // but for the file
	const char *root;              // folder of a machine's files
	const char *release;           // of its kernel, NULL for the running one
	const char *device;            // PCI address of a NIC, NULL for none
	bool has_serial;               // of a NIC
	uint64_t serial;
	unsigned int drivers;        // bits 1 << enum ddp_driver
	double core_mpps, load_mpps; // million packets a second, 0: not given
	uint64_t window_ns;          // 0: as the capture asks for
	const char *report;          // file to write, NULL for none
	const char *with[WITH_MAX];  // further candidates
	unsigned int n_with;
	struct steer_config steer;
	const char *rules[OPTIONS_RULES_MAX];    // as rules_add() takes them
	unsigned int rule_of[OPTIONS_RULES_MAX]; // candidate: 0 is FILE, then with[0] ...
	unsigned int n_rules;
	const struct ddp_nic *kind; // of NIC, NULL for none
	struct e810_config nic;     // what a driver sets, where FILE is a package
	const char *const *argv;    // the command line, up to NULL
	const char *const *files;   // arguments that are no options
	unsigned int n_files;
};

#define OPTIONS_ERROR_SIZE 256

enum option_id {
	OPTION_CORE_MPPS,
	OPTION_COUNT,
	OPTION_DEVICE,
	OPTION_DRIVER,
	OPTION_DVM,
	OPTION_ECPRI_PORT,
	OPTION_FILE_PREFIX,
	OPTION_FILTER,
	OPTION_GENEVE_PORT,
	OPTION_HASH,
	OPTION_HELP,
	OPTION_INTERFACE,
	OPTION_INTERVAL,
	OPTION_JSON,
	OPTION_JSONL,
	OPTION_KERNEL,
	OPTION_KEY,
	OPTION_LOAD_MPPS,
	OPTION_NIC,
	OPTION_OUTPUT,
	OPTION_PACKET,
	OPTION_PID,
	OPTION_PORT,
	OPTION_PTYPES,
	OPTION_QUEUES,
	OPTION_REPORT,
	OPTION_RETA_SIZE,
	OPTION_ROOT,
	OPTION_RSS_HF,
	OPTION_RULE,
	OPTION_SERIAL,
	OPTION_STRICT,
	OPTION_VERSION,
	OPTION_VXLAN_PORT,
	OPTION_WINDOW,
	OPTION_WITH,
	N_OPTIONS,
};

struct option_spec {
	enum option_id id;    // its place in option_specs
	const char *name;     // after "--"
	char letter;          // after "-", '\0' for none
	const char *argument; // what its value is called, NULL when it takes none
	const char *words;    // values to choose from, for completion; may be NULL
	const char *help;
	// Take the value into options. 0, or -EINVAL with what is wrong with it in error.
	int (*set)(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]);
};

extern const struct option_spec option_specs[N_OPTIONS];

struct command {
	const char *name; // "" for ddpctl itself, "port add" for a command of port
	const char *arguments;
	unsigned int min_files, max_files;
	const char *summary;
	uint64_t options;      // bits 1 << enum option_id
	unsigned int n_queues; // unless the command line says; 0: 1
	// Returns enum ctl_status. NULL where the next word is a command again.
	int (*run)(const struct options *options, struct output *out);
	// In place of run: takes what follows its name as it is, and returns an exit status of its own.
	int (*run_words)(int argc, const char **argv, struct output *out);
	const struct command *commands;
	unsigned int n_commands;
};

#define N_COMMANDS 14
#define N_PACKAGE_COMMANDS 1
#define N_PORT_COMMANDS 8

extern const struct command ctl_command; // ddpctl without a command
extern const struct command commands[N_COMMANDS];
extern const struct command package_commands[N_PACKAGE_COMMANDS];
extern const struct command port_commands[N_PORT_COMMANDS];

static inline bool command_takes(const struct command *command, unsigned int option) {
	return command->options >> option & 1;
}

// Read the arguments after the command's name. They are reordered: options->files points into them.
// 0, or -EINVAL with one line in error.
int options_parse(const struct command *command, int argc, const char **argv,
		  struct options *options, char error[OPTIONS_ERROR_SIZE]);

// The whole tool but for the process around it; argv without the program's name. Returns the exit status.
int ctl_run(int argc, const char **argv, struct output *out);

int cmd_advise(const struct options *options, struct output *out);
int cmd_check(const struct options *options, struct output *out);
int cmd_classify(const struct options *options, struct output *out);
int cmd_diff(const struct options *options, struct output *out);
int cmd_explain(const struct options *options, struct output *out);
int cmd_graph(const struct options *options, struct output *out);
int cmd_info(const struct options *options, struct output *out);
int cmd_list(const struct options *options, struct output *out);
int cmd_new(const struct options *options, struct output *out);
int cmd_package_find(const struct options *options, struct output *out);
int cmd_plan(const struct options *options, struct output *out);
int cmd_port_add(const struct options *options, struct output *out);
int cmd_port_del(const struct options *options, struct output *out);
int cmd_port_list(const struct options *options, struct output *out);
int cmd_port_ptypes(const struct options *options, struct output *out);
int cmd_port_queues(const struct options *options, struct output *out);
int cmd_port_show(const struct options *options, struct output *out);
int cmd_port_verify(const struct options *options, struct output *out);
int cmd_port_watch(const struct options *options, struct output *out);
int cmd_simulate(const struct options *options, struct output *out);

#endif
