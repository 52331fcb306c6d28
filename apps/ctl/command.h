/* SPDX-License-Identifier: BSD-3-Clause */
// What ddpctl can do: one table of commands. A command is a file in cmd/, its function here and its
// row in command.c. --help and the completions follow from the row; a unit test compares the manual
// page.
#ifndef DDPCTL_COMMAND_H
#define DDPCTL_COMMAND_H

#include "ctl/capture/capture.h"
#include "options.h"
#include "personality/personality.h"

// options is the command's own struct, which begins with struct common_options. Returns enum
// exit_status.
typedef int command_function(const void *options, struct output *out);

command_function cmd_advise, cmd_check, cmd_classify, cmd_diff, cmd_explain, cmd_graph, cmd_info,
	cmd_list, cmd_new, cmd_plan, cmd_port_add, cmd_port_balance, cmd_port_capture, cmd_port_del,
	cmd_port_list, cmd_port_set, cmd_port_ptypes, cmd_port_queues, cmd_port_show,
	cmd_port_verify, cmd_port_watch, cmd_simulate;

struct command {
	const char *name;      // "" for ddpctl itself, "port add" for a command of port
	const char *arguments; // as in "FILE...", "[FILE]": how many there may be
	const char *summary;
	command_function *run; // NULL where the next word is a command again
	const char *options;   // their names, separated by blanks
	size_t size;           // of its struct of options, 0: struct common_options
	size_t at[N_GROUPS];   // where that has a group of options, 0: it has none
};

extern const struct command commands[];
extern const unsigned int n_commands;

// The command that the first n_words arguments name; ddpctl itself if they name none.
const struct command *command_find(int argc, const char *const *argv, int *n_words);

// Whether a command is one of a family's, such as "port add" of "port", or "port" of "".
bool command_is_of(const struct command *command, const struct command *family);

// Read the arguments behind argv[0] into a struct of the command's size. They are reordered: files
// points into them. 0, or -EINVAL with one line in error.
int command_parse(const struct command *command, int argc, const char **argv, void *options,
		  char error[OPTION_ERROR_SIZE]);

// The whole tool but for the process around it; argv is without the program's name. Returns the
// exit status.
int ctl_run(int argc, const char **argv, struct output *out);

// For a command with the arguments FILE and PCAP: run the rest of it with FILE loaded and PCAP
// opened; options begin with struct packet_options. Returns the exit status.
int capture_use(const void *options, struct output *out,
		int (*command)(const void *options, const struct ddp_personality *loaded,
			       struct capture *capture, struct output *out));

#endif
