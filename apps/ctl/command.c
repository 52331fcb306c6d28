/* SPDX-License-Identifier: BSD-3-Clause */
#include "command.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"
#include "profile/profile.h"

#define CAPTURE " any-expansion as-captured filter interface"
#define LOAD " core-mpps load-mpps report window"
#define PROCESS " file-prefix json pid"
#define RSS " hash indir key queues reta-size rss-hf"

#define OPTIONS(command, ...) .size = sizeof(struct command##_options), .at = {__VA_ARGS__}
#define AT(group, command, member) [GROUP_##group] = offsetof(struct command##_options, member)
#define PORT_OPTIONS \
	OPTIONS(port, AT(COUNT, port, count), AT(PROCESS, port, process), AT(WRITE, port, write))

#define PACKET_OPTIONS(command, ...)                                                         \
	OPTIONS(command, AT(CAPTURE, packet, capture), AT(COUNT, packet, capture.n_packets), \
		AT(RSS, packet, rss), __VA_ARGS__)
#define CANDIDATE_OPTIONS(command, ...) \
	PACKET_OPTIONS(command, AT(CANDIDATES, command, candidates), __VA_ARGS__)

static command_function cmd_help, cmd_version;

const struct command commands[] = {
	{"", "COMMAND...", NULL, .options = "version"},
	{"list", "", "list the profiles that are found by name, with their files", cmd_list,
	 .options = "json"},
	{"info", "FILE...",
	 "show the content of profiles and their worst-case parse cost, or of Intel's packages",
	 cmd_info, .options = "json ptypes", OPTIONS(info)},
	{"check", "FILE...", "validate profiles and Intel's packages, with the place of each error",
	 cmd_check, .options = "color json strict", OPTIONS(check)},
	{"graph", "FILE", "write the parse graph for Graphviz", cmd_graph, .options = "json"},
	{"classify", "FILE PCAP", "show packet type, path, fields, hash and queue of each packet",
	 cmd_classify, .options = "count decap json jsonl rule write" CAPTURE RSS,
	 CANDIDATE_OPTIONS(classify, AT(WRITE, classify, write))},
	{"explain", "FILE PCAP",
	 "explain one packet step by step: headers, decisions and reasons, hashed bytes",
	 cmd_explain, .options = "json packet" CAPTURE RSS, PACKET_OPTIONS(explain)},
	{"simulate", "FILE PCAP",
	 "show how packets spread over queues, beside a fixed-function NIC", cmd_simulate,
	 .options = "balance count json memory nic-now rule with" CAPTURE LOAD RSS,
	 CANDIDATE_OPTIONS(simulate)},
	{"advise", "PCAP",
	 "find the profile and the input set that spread a capture best, with the reasons",
	 cmd_advise, .options = "balance count json memory with" CAPTURE LOAD RSS,
	 CANDIDATE_OPTIONS(simulate)},
	{"diff", "FILE FILE", "show what one profile or package classifies that the other does not",
	 cmd_diff, .options = "json"},
	{"new", "[NAME]", "write a commented, valid template of a profile", cmd_new,
	 .options = "after ip-at json output", OPTIONS(new)},
	{"plan", "[FILE]",
	 "show whether NICs spread the packets of a profile, by which fields, and which packet types "
	 "they hash exactly as it does",
	 cmd_plan, .options = "commands nic package pcap port queues rss-hf" PROCESS,
	 OPTIONS(plan, AT(PROCESS, plan, process), AT(RSS, plan, rss))},
	{"port", "COMMAND...", "inspect the ports of running processes and change their profiles",
	 .options = ""},
	{"port list", "", "show the net_ddp ports of all running processes", cmd_port_list,
	 .options = PROCESS, PORT_OPTIONS},
	{"port show", "PORT", "show a port: its lower device, its profiles, its counters",
	 cmd_port_show, .options = "raw" PROCESS, PORT_OPTIONS},
	{"port add", "PORT PROFILE", "add a profile to a port while packets flow", cmd_port_add,
	 .options = PROCESS, PORT_OPTIONS},
	{"port set", "PORT PROFILE",
	 "exchange all profiles of a port in one step while packets flow", cmd_port_set,
	 .options = PROCESS, PORT_OPTIONS},
	{"port del", "PORT PROFILE", "delete a profile from a port while packets flow",
	 cmd_port_del, .options = PROCESS, PORT_OPTIONS},
	{"port queues", "PORT",
	 "show the packets received and missed by each Rx queue of a port, and the imbalance",
	 cmd_port_queues, .options = PROCESS, PORT_OPTIONS},
	{"port ptypes", "PORT", "show the packet types of a port, with their packets",
	 cmd_port_ptypes, .options = "all" PROCESS, PORT_OPTIONS},
	{"port verify", "PORT", "show whether the lower device of a port hashes as expected",
	 cmd_port_verify, .options = PROCESS, PORT_OPTIONS},
	{"port balance", "[PORT] [on|off|MS]",
	 "show load-aware RSS of a port, turn it on or off, or set its interval in milliseconds",
	 cmd_port_balance, .options = PROCESS, PORT_OPTIONS},
	{"port capture", "PORT", "write the packets that a port receives to a file",
	 cmd_port_capture, .options = "count write" PROCESS, PORT_OPTIONS},
	{"port watch", "PORT", "show the rate of each Rx queue and the imbalance continuously",
	 cmd_port_watch, .options = "count interval" PROCESS, PORT_OPTIONS},
	{"version", "", "show the version", cmd_version, .options = ""},
	{"help", "[COMMAND...]", "show the help of a command", cmd_help, .options = ""},
};
const unsigned int n_commands = sizeof(commands) / sizeof(commands[0]);

static const char files_help[] =
	"FILE is a profile as net_ddp takes it:\n"
	"  name-or-file[:input set][;parameter=value...][+...]\n"
	"A name without '/' is looked for in $DDP_PROFILE_PATH and in the installed\n"
	"profiles.\n"
	"Or it is an Intel package, a path to .pkg.\n";

static const char capture_help[] =
	"PCAP is a capture, pcap or pcapng, also compressed by gzip, xz or zstd; - for\n"
	"standard input.\n"
	"Without it, --interface says where to capture.\n";

static const char port_help[] =
	"PORT is the number or the name of a net_ddp port, as 'ddpctl port list' shows\n"
	"them.\n";

static const char profile_help[] =
	"PROFILE is as in net_ddp's argument 'profile':\n"
	"  name-or-file[:input set][;parameter=value...][+...]\n"
	"The process looks a name without '/' up in its own search path.\n";

static const char status_help[] =
	"exit status: 0 good, 1 the answer is no or the profile cannot be used,\n"
	"2 wrong usage, 3 a file or a running process cannot be read\n";

/* Commands by their words */

// The last word of a command's name: "add" of "port add".
static const char *last_word(const char *name) {
	const char *blank = strrchr(name, ' ');

	return blank != NULL ? blank + 1 : name;
}

// Does a command belong to a family, such as "port add" to "port", or "port" to ""?
static bool is_of(const struct command *command, const struct command *family) {
	size_t len = last_word(command->name) - command->name; // with the blank
	if (command == family || len != strlen(family->name) + (family->name[0] != '\0'))
		return false;
	return strncmp(command->name, family->name, len > 0 ? len - 1 : 0) == 0;
}

// The command of the first n_words arguments; ddpctl itself if they name none.
static const struct command *command_find(int argc, const char *const *argv, int *n_words) {
	const struct command *command = &commands[0];
	unsigned int i = 0;

	for (*n_words = 0; *n_words < argc && command->run == NULL; (*n_words)++) {
		for (i = 0; i < n_commands; i++)
			if (is_of(&commands[i], command) &&
			    strcmp(last_word(commands[i].name), argv[*n_words]) == 0)
				break;
		if (i == n_commands)
			break;
		command = &commands[i];
	}
	return command;
}

/* Help */

static const char *blank_before(const char *text) {
	return text[0] != '\0' ? " " : "";
}

static int wider(int width, const char *text) {
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void commands_help(const struct command *family, struct output *out) {
	const struct command *end = commands + n_commands;
	int name_width = 0, arguments_width = 0, column;

	for (const struct command *c = commands; c < end; c++) {
		if (!is_of(c, family))
			continue;
		name_width = wider(name_width, last_word(c->name));
		arguments_width = wider(arguments_width, c->arguments);
	}
	output_text(out, "commands:\n");
	column = 2 + name_width + 2 + arguments_width + 2;
	for (const struct command *c = commands; c < end; c++) {
		if (is_of(c, family)) {
			output_printf(out, "  %-*s  %-*s  ", name_width, last_word(c->name),
				      arguments_width, c->arguments);
			output_wrapped(out, c->summary, column, column);
		}
	}
	output_printf(out, "\nddpctl%s%s COMMAND --help tells more.\n", blank_before(family->name),
		      family->name);
}

static void arguments_help(const struct command *command, struct output *out) {
	const char *arguments = command->arguments;

	if (strstr(arguments, "FILE") != NULL && strstr(arguments, "PROFILE") == NULL)
		output_printf(out, "\n%s%s", files_help,
			      strcmp(command->name, "check") == 0 ?
				      "Or it is -, a profile on standard input.\n" :
				      "");
	if (strstr(arguments, "PCAP") != NULL)
		output_printf(out, "%s%s", strstr(arguments, "FILE") == NULL ? "\n" : "",
			      capture_help);
	if (strstr(arguments, "PORT") != NULL)
		output_printf(out, "\n%s", port_help);
	if (strstr(arguments, "PROFILE") != NULL)
		output_text(out, profile_help);
}

static void help(const struct command *command, struct output *out) {
	struct option_row rows[OPTIONS_MAX];

	if (command->run == NULL) {
		output_printf(out, "usage: ddpctl%s%s COMMAND [OPTION]... [ARGUMENT]...\n\n",
			      blank_before(command->name), command->name);
		if (command->summary != NULL)
			output_printf(out, "%s\n\n", command->summary);
		commands_help(command, out);
	} else {
		output_printf(out, "usage: ddpctl %s [OPTION]...%s%s\n\n", command->name,
			      blank_before(command->arguments), command->arguments);
		output_wrapped(out, command->summary, 0, 0);
		arguments_help(command, out);
	}
	output_text(out, "\noptions:\n");
	options_help(rows, options_named(command->options, rows), out);
	output_printf(out, "\n%s", status_help);
}

static int misuse(const struct command *command, const char *error) {
	error_print("%s (try 'ddpctl%s%s --help')", error, blank_before(command->name),
		    command->name);
	return EXIT_USAGE;
}

static int unknown_command(const struct command *family, const char *word) {
	const char **names = calloc_or_exit(n_commands, sizeof(*names));
	char error[OPTION_ERROR_SIZE];
	const char *nearest;

	for (unsigned int i = 0; i < n_commands; i++)
		if (is_of(&commands[i], family))
			names[i] = last_word(commands[i].name);
	nearest = ddp_nearest(word, names, n_commands);
	free(names);
	if (nearest != NULL)
		option_fail(error, "unknown command '%.64s', did you mean '%s'?", word, nearest);
	else
		option_fail(error, "unknown command '%.64s'", word);
	return misuse(family, error);
}

static int cmd_help(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	const struct command *command;
	int n_words;

	command = command_find(options->n_files, options->files, &n_words);
	if ((unsigned int)n_words < options->n_files)
		return unknown_command(command, options->files[n_words]);
	help(command, out);
	return EXIT_GOOD;
}

static int cmd_version(const void *options, struct output *out) {
	(void)options;
	output_text(out, "ddpctl " DDP_VERSION "\n");
	return EXIT_GOOD;
}

/* Running */

static void *group_of(const struct command *command, void *options, enum option_group group) {
	return command->at[group] != 0 ? (char *)options + command->at[group] : NULL;
}

static size_t size_of(const struct command *command) {
	return command->size != 0 ? command->size : sizeof(struct common_options);
}

static int rss_complete(struct rss_options *rss, char error[OPTION_ERROR_SIZE]) {
	struct steer_config *steer = &rss->steer;

	if (rss->indir != NULL && (steer->n_queues > 0 || steer->reta_size > 0))
		return option_fail(error, "--indir has the queues and the table: without --queues "
					  "and --reta-size");
	if (steer->n_queues == 0)
		steer->n_queues = STEER_QUEUES;
	if (steer->reta_size == 0)
		steer->reta_size = DDP_RETA_SIZE;
	return 0;
}

// Returns the number of positional arguments, or -EINVAL.
static int options_parse(const struct command *command, int argc, const char **argv, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	struct option_row rows[OPTIONS_MAX];
	unsigned int n = options_named(command->options, rows);

	for (unsigned int i = 0; i < n; i++) {
		assert(rows[i].group == GROUP_OWN || command->at[rows[i].group] != 0);
		rows[i].off += command->at[rows[i].group];
		rows[i].count_off += command->at[rows[i].group];
	}
	return options_read(rows, n, argc, argv, options, error);
}

int command_parse(const struct command *command, int argc, const char **argv, void *options,
		  char error[OPTION_ERROR_SIZE]) {
	struct capture_config *capture = group_of(command, options, GROUP_CAPTURE);
	struct rss_options *rss = group_of(command, options, GROUP_RSS);
	struct common_options *common = options;
	unsigned int min = 0, max = 0, less;
	int n_files;

	memset(options, 0, size_of(command));
	if (rss != NULL) {
		rss->steer.function = DDP_HASH_TOEPLITZ;
		rss->steer.rss_hf = DDP_RSS_HF_ALL;
		memcpy(rss->steer.key, ddp_default_key, sizeof(rss->steer.key));
	}
	n_files = options_parse(command, argc, argv, options, error);
	if (n_files < 0 || (rss != NULL && rss_complete(rss, error) < 0))
		return -EINVAL;
	common->files = argv + 1;
	common->n_files = n_files;
	if (common->help || common->version)
		return 0; // other arguments may be missing
	// WORD is one word, [WORD] none or one, WORD... one or more
	for (const char *at = command->arguments;
	     command->run != NULL && at != NULL && at[0] != '\0'; at = strchr(at, ' ')) {
		at += at[0] == ' ';
		min += at[0] != '[';
		max = strstr(command->arguments, "...") != NULL ? UINT_MAX : max + 1;
	}
	less = capture != NULL && capture->interface != NULL; // it replaces PCAP
	if (common->n_files < min - less)
		return option_fail(error, "arguments missing: %s%s", command->arguments,
				   common->n_files > 0 &&
						   strncmp(command->arguments, "FILE", 4) == 0 ?
					   " (quote a FILE that contains ';')" :
					   "");
	if (common->n_files > max - less)
		return option_fail(error, "unexpected argument '%.128s'",
				   common->files[max - less]);
	assert(capture == NULL || max > 0);
	if (capture != NULL && less == 0)
		capture->path = common->files[max - 1];
	return 0;
}

static bool is_input(const struct simulate_options *options, const char *path) {
	const struct candidate_options *candidates = &options->candidates;
	const struct common_options *common = &options->base.common;
	const char *indir = options->base.rss.indir;

	for (unsigned int i = 0; i < common->n_files; i++)
		if (ddp_spec_reads(common->files[i], path) ||
		    (strcmp(common->files[i], "-") == 0 && ddp_is_same_file("/dev/stdin", path)))
			return true;
	for (unsigned int i = 0; i < candidates->n_with; i++)
		if (ddp_spec_reads(candidates->with[i], path))
			return true;
	for (unsigned int i = 0; i < candidates->rules.n; i++)
		if (candidates->rules.texts[i][0] == '@' &&
		    ddp_is_same_file(candidates->rules.texts[i] + 1, path))
			return true;
	return indir != NULL && ddp_is_same_file(indir, path);
}

struct invocation {
	const struct command *command;
	int argc;
	const char **argv; // reordered by getopt_long()
	const char **line; // original order
	struct output *out;
	int status;
};

static void command_run(void *arg) {
	struct invocation *r = arg;
	const struct command *command = r->command;
	struct common_options *options = calloc_or_exit(1, size_of(command));
	const bool may_report = command->size == sizeof(struct simulate_options);
	const struct simulate_options *simulate = may_report ? (void *)options : NULL;
	struct rss_options *rss = group_of(command, options, GROUP_RSS);
	static uint16_t reta[STEER_RETA_MAX]; // too large for a small stack
	char error[OPTION_ERROR_SIZE];

	if (command_parse(command, r->argc, r->argv, options, error) < 0) {
		r->status = misuse(command, error);
	} else if (simulate != NULL && simulate->report != NULL &&
		   is_input(simulate, simulate->report)) {
		option_fail(error, "option --report: '%.128s' is read, and would be overwritten",
			    simulate->report);
		r->status = misuse(command, error);
	} else if (options->help) {
		help(command, r->out);
	} else if (options->version) {
		r->status = cmd_version(options, r->out);
	} else if (command->run == NULL) {
		r->status = misuse(command, "command missing");
	} else {
		options->argv = r->line;
		if (rss != NULL && rss->indir != NULL)
			r->status = indir_read(rss->indir, &rss->steer, reta);
		if (r->status == EXIT_GOOD)
			r->status = command->run(options, r->out);
	}
	free(options);
}

int ctl_run(int argc, const char **argv, struct output *out) {
	const size_t room = argc + 2;
	const char **line = calloc_or_exit(2 * room, sizeof(*line));
	struct invocation r = {.line = line, .out = out, .status = EXIT_GOOD};
	int n_words;

	line[0] = "ddpctl";
	memcpy(line + 1, argv, argc * sizeof(*line));
	memcpy(line + room, line, room * sizeof(*line));
	r.command = command_find(argc, argv, &n_words);
	r.argv = line + room + n_words;
	r.argc = argc - n_words + 1;
	if (r.command->run == NULL && r.argc > 1 && r.argv[1][0] != '-')
		r.status = unknown_command(r.command, r.argv[1]);
	else if (ddp_arena_run(command_run, &r) < 0)
		no_memory_exit();
	free(line);
	return r.status;
}

/* Commands of FILE and PCAP */

int capture_use(const void *arg, struct output *out,
		int (*command)(const void *options, const struct ddp_personality *loaded,
			       struct capture *capture, struct output *out)) {
	const struct packet_options *options = arg;
	struct ddp_personality loaded;
	struct capture capture;
	struct ddp_diag diag;
	int ret, status;

	ddp_diag_init(&diag);
	ret = load_profile(&loaded, options->common.files[0], &diag);
	if (ret == 0 && loaded.package != NULL) // warnings about settings
		ddp_diag_print(&diag, stderr);
	status = load_end(&diag, ret < 0);
	if (status != EXIT_GOOD)
		return status;
	status = package_hash_check(&loaded, options->rss.steer.function);
	if (status == EXIT_GOOD)
		status = capture_open_or_report(&capture, &options->capture);
	if (status == EXIT_GOOD) {
		status = command(arg, &loaded, &capture, out);
		capture_close(&capture);
	}
	ddp_personality_unload(&loaded);
	return status;
}
