/* SPDX-License-Identifier: BSD-3-Clause */
// The commands of ddpctl. A command is a file in cmd/, a function here and a row in command.c, from
// which --help and the completions are made. A unit test compares the manual page.
#ifndef DDPCTL_COMMAND_H
#define DDPCTL_COMMAND_H

#include "common/json_writer.h"
#include "ctl/capture/capture.h"
#include "options.h"
#include "personality/personality.h"

// options: the command's struct, which begins with struct common_options. Returns enum exit_status.
typedef int command_function(const void *options, struct output *out);

command_function cmd_advise, cmd_check, cmd_classify, cmd_diff, cmd_explain, cmd_graph, cmd_info,
	cmd_list, cmd_new, cmd_plan, cmd_port_add, cmd_port_balance, cmd_port_capture, cmd_port_del,
	cmd_port_list, cmd_port_set, cmd_port_ptypes, cmd_port_queues, cmd_port_show,
	cmd_port_verify, cmd_port_watch, cmd_simulate;

struct command {
	const char *name;      // "" for ddpctl itself, "port add" for a command of port
	const char *arguments; // "FILE...", "[FILE]"
	const char *summary;
	command_function *run; // NULL: the next word is a command
	const char *options;   // names, separated by blanks
	size_t size;           // bytes of the options; 0: struct common_options
	size_t at[N_GROUPS];   // offset of each group of options; 0: none
};

extern const struct command commands[];
extern const unsigned int n_commands;

// Read the arguments after argv[0] into a struct of the command's size. They are reordered, and
// files points into them. 0, or -EINVAL with one line in error.
int command_parse(const struct command *command, int argc, const char **argv, void *options,
		  char error[OPTION_ERROR_SIZE]);

// Run ddpctl. argv has no program name. Returns the exit status.
int ctl_run(int argc, const char **argv, struct output *out);

// Run a command of struct packet_options with FILE loaded and PCAP opened. Returns its status.
int capture_use(const void *options, struct output *out,
		int (*command)(const void *options, const struct ddp_personality *loaded,
			       struct capture *capture, struct output *out));

// `info` of an Intel package; ptypes: the packet types of an 800-series package instead of its
// sections. Returns the exit status.
int package_info(const struct ddp_package *package, bool ptypes, bool is_json,
		 struct json_writer *json);

// The members "kind", "name", "version" and "track_id" of a package.
void package_identity_json(struct json_writer *json, const struct ddp_package *package);

#endif
