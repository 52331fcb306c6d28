/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/command.h"
#include "man_page.h"
#include "scratch_folder.h"

#define ARGS_MAX 16

static const struct command *command_of(const char *name) {
	for (unsigned int i = 0; i < n_commands; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	fail_msg("no command %s", name);
	return NULL;
}

static char error[OPTION_ERROR_SIZE];

static int parse(const char *command, const char *line, void *options) {
	static char words[1024];
	static const char *argv[ARGS_MAX + 1];
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	error[0] = '\0';
	return command_parse(command_of(command), argc, argv, options, error);
}

TEST(nothing_given_means_the_defaults) {
	struct classify_options options;

	assert_int_equal(parse("classify", "gtpu a.pcap", &options), 0);
	assert_int_equal(options.base.rss.steer.n_queues, 16);
	assert_int_equal(options.base.rss.steer.reta_size, 512);
	assert_int_equal(options.base.rss.steer.function, DDP_HASH_TOEPLITZ);
	assert_true(options.base.rss.steer.rss_hf == DDP_RSS_HF_ALL);
	assert_memory_equal(options.base.rss.steer.key, ddp_default_key, DDP_KEY_SIZE);
	assert_int_equal(options.base.common.format, FORMAT_TABLE);
}

TEST(options_and_files_may_be_mixed) {
	struct simulate_options options;

	assert_int_equal(
		parse("simulate",
		      "gtpu --queues 16 - --json --hash=simple_xor --memory 64 --reta-size=64",
		      &options),
		0);
	assert_int_equal(options.base.common.n_files, 2);
	assert_string_equal(options.base.common.files[0], "gtpu");
	assert_string_equal(options.base.common.files[1], "-");
	assert_int_equal(options.base.rss.steer.n_queues, 16);
	assert_int_equal(options.base.rss.steer.reta_size, 64);
	assert_int_equal(options.base.rss.steer.function, DDP_HASH_SIMPLE_XOR);
	assert_int_equal(options.base.common.format, FORMAT_JSON);
	assert_int_equal(options.memory_mb, 64);
}

TEST(two_dashes_end_the_options) {
	struct check_options options;

	assert_int_equal(parse("check", "--strict -- --json -x", &options), 0);
	assert_int_equal(options.common.n_files, 2);
	assert_string_equal(options.common.files[0], "--json");
	assert_string_equal(options.common.files[1], "-x");
	assert_true(options.strict);
	assert_int_equal(options.common.format, FORMAT_TABLE);
	assert_int_equal(parse("check", "x", &options), 0);
	assert_false(options.strict);
}

TEST(help_needs_no_arguments) {
	struct classify_options options;

	assert_int_equal(parse("classify", "--help", &options), 0);
	assert_true(options.base.common.help);
	assert_int_equal(parse("classify", "-h", &options), 0);
	assert_true(options.base.common.help);
	assert_int_equal(parse("", "--version", &options), 0);
	assert_true(options.base.common.version);
}

TEST(a_key_is_40_or_52_bytes_with_or_without_colons) {
	struct classify_options options;
	char line[256];

	for (unsigned int kind = 0; kind < 3; kind++) {
		const unsigned int n = kind == 0 ? 40 : DDP_KEY_SIZE;
		char *to = stpcpy(line, "p c --key ");

		for (unsigned int i = 0; i < n; i++)
			to += kind == 1 ? sprintf(to, "%s%02X", i == 0 ? "" : ":", 255 - i) :
					  sprintf(to, "%02x", 255 - i);
		assert_int_equal(parse("classify", line, &options), 0);
		for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
			assert_int_equal(options.base.rss.steer.key[i], 255 - i % n);
		strcpy(to, kind == 1 ? ":6d" : "6d");
		assert_true(parse("classify", line, &options) < 0);
		snprintf(line, sizeof(line),
			 "option --key: %u bytes given, a key has 40 or 52 bytes", n + 1);
		assert_string_equal(error, line);
	}
}

TEST(hash_fields_are_read) {
	struct classify_options options;

	assert_int_equal(parse("classify", "p c --rss-hf none", &options), 0);
	assert_true(options.base.rss.steer.rss_hf == 0);
	assert_int_equal(parse("classify", "p c --rss-hf ip", &options), 0);
	assert_true(options.base.rss.steer.rss_hf != 0 &&
		    options.base.rss.steer.rss_hf != DDP_RSS_HF_ALL);
}

TEST(periods_and_processes_are_read) {
	struct port_options options;

	assert_int_equal(parse("port watch", "0", &options), 0);
	assert_int_equal(options.interval_ms, 0);
	assert_int_equal(options.count, 0);
	assert_int_equal(options.process.pid, 0);
	assert_null(options.process.file_prefix);
	assert_int_equal(parse("port watch", "0 --interval 0.25 --count=3 --pid 12 --file-prefix x",
			       &options),
			 0);
	assert_int_equal(options.interval_ms, 250);
	assert_int_equal(options.count, 3);
	assert_int_equal(options.process.pid, 12);
	assert_string_equal(options.process.file_prefix, "x");
	assert_int_equal(parse("port watch", "0 --interval 25e-2", &options), 0);
	assert_int_equal(options.interval_ms, 250);
}

TEST(a_letter_takes_its_value_attached_or_as_the_next_argument) {
	static const char *const lines[] = {"p c -n5", "p c -n 5", "-n5 p c"};
	struct explain_options options;

	for (unsigned int i = 0; i < COUNT(lines); i++) {
		assert_int_equal(parse("explain", lines[i], &options), 0);
		assert_int_equal(options.packet, 5);
		assert_int_equal(options.base.common.n_files, 2);
	}
	assert_int_equal(parse("explain", "p -ieth0", &options), 0);
	assert_string_equal(options.base.capture.interface, "eth0");
}

TEST(misuse_is_told_in_one_line) {
	static const struct {
		const char *command, *line, *error;
	} rows[] = {
		{"check", "", "arguments missing: FILE..."},
		{"classify", "p", "arguments missing: FILE PCAP (quote a FILE that contains ';')"},
		{"classify", "p c d", "unexpected argument 'd'"},
		{"list", "p", "unexpected argument 'p'"},
		{"", "--json", "unknown option '--json'"},
		{"check", "p --stric", "unknown option '--stric', did you mean '--strict'?"},
		{"list", "--strict", "unknown option '--strict'"},
		{"check", "p --jsn", "unknown option '--jsn', did you mean '--json'?"},
		{"check", "p --jsn=1", "unknown option '--jsn', did you mean '--json'?"},
		{"classify", "p c --queue 4", "unknown option '--queue', did you mean '--queues'?"},
		{"classify", "p c -q", "unknown option '-q'"},
		{"classify", "p c -hh", "unknown option '-hh'"},
		{"classify", "p c -h1", "unknown option '-h1'"},
		{"classify", "p c --help=1", "option --help takes no value"},
		{"explain", "p c -n0",
		 "option --packet: '0' is not the number of a packet, from 1"},
		{"explain", "p c -n=5",
		 "option --packet: '=5' is not the number of a packet, from 1"},
		{"explain", "p c -n", "option --packet needs a value: K"},
		{"classify", "p c --json=1", "option --json takes no value"},
		{"classify", "p c --queues", "option --queues needs a value: N"},
		{"classify", "p c --queues 0",
		 "option --queues: '0' is not a number from 1 to 1024"},
		{"classify", "p c --queues -1",
		 "option --queues: '-1' is not a number from 1 to 1024"},
		{"classify", "p c --queues 1025",
		 "option --queues: '1025' is not a number from 1 to 1024"},
		{"classify", "p c --queues 4x",
		 "option --queues: '4x' is not a number from 1 to 1024"},
		{"classify", "p c --queues=", "option --queues: '' is not a number from 1 to 1024"},
		{"classify", "p c --queues 99999999999999999999",
		 "option --queues: '99999999999999999999' is not a number from 1 to 1024"},
		{"classify", "p c --reta-size 100",
		 "option --reta-size: '100' is not a power of two from 1 to 4096"},
		{"classify", "p c --reta-size 8192",
		 "option --reta-size: '8192' is not a power of two from 1 to 4096"},
		{"classify", "p c --hash crc",
		 "option --hash: 'crc' is none of: toeplitz symmetric_toeplitz "
		 "symmetric_toeplitz_sort simple_xor"},
		{"classify", "p c --key 6d5", "option --key: not a byte in hexadecimal: '5'"},
		{"classify", "p c --key 6d::5a", "option --key: not a byte in hexadecimal: ':5'"},
		{"classify", "p c --key 6d:", "option --key: not a byte in hexadecimal: ':'"},
		{"classify", "p c --key zz", "option --key: not a byte in hexadecimal: 'zz'"},
		{"classify", "p c --rss-hf ip+bogus",
		 "option --rss-hf: unknown hash field 'bogus'"},
		{"simulate", "p c --report -", "option --report: '-' is not the name of a file"},
		{"diff", "p", "arguments missing: FILE FILE (quote a FILE that contains ';')"},
		{"port add", "0", "arguments missing: PORT PROFILE"},
		{"port show", "0 --count 1", "unknown option '--count'"},
		{"port watch", "0 --count 0", "option --count: '0' is not a number from 1"},
		{"port watch", "0 --interval 0",
		 "option --interval: '0' is not a number of seconds from 0.01 to 86400"},
		{"port watch", "0 --interval nan",
		 "option --interval: 'nan' is not a number of seconds from 0.01 to 86400"},
		{"port watch", "0 --interval 1s",
		 "option --interval: '1s' is not a number of seconds from 0.01 to 86400"},
		{"port list", "--pid me", "option --pid: 'me' is not the number of a process"},
		{"port list", "--pid 2147483648",
		 "option --pid: '2147483648' is not the number of a process"},
		{"port list", "--file-prefix a/b",
		 "option --file-prefix: 'a/b' is not a file prefix, as given to EAL"},
	};
	struct simulate_options options; // the largest

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		assert_true(parse(rows[i].command, rows[i].line, &options) < 0);
		assert_string_equal(error, rows[i].error);
	}
}

TEST(words_of_any_length_do_no_harm) {
	static const char *const options_with_value[] = {"--queues", "--key", "--hash", "--rss-hf"};
	static char word[5000];
	struct classify_options options;

	memset(word, 'x', sizeof(word) - 1);
	for (unsigned int i = 0; i < 4; i++) {
		const char *argv[] = {"", "p", "c", options_with_value[i], word, NULL};

		assert_true(command_parse(command_of("classify"), 5, argv, &options, error) < 0);
		assert_true(strlen(error) < OPTION_ERROR_SIZE);
	}
	memcpy(word, "--", 2);
	assert_true(command_parse(command_of("classify"), 2, (const char *[]){"", word, NULL},
				  &options, error) < 0);
	assert_true(strlen(error) < OPTION_ERROR_SIZE);
}

// The manual page says what the tables say: nothing missing, nothing left over.
#define PAGE CTL_SOURCES "/ddpctl.1"

TEST(the_manual_page_has_each_command) {
	char *page = page_read(PAGE);
	char *section = page_section(page, "COMMANDS");
	char block[512];

	for (unsigned int i = 1; i < n_commands; i++) {
		const struct command *command = &commands[i];
		const char *quote = strchr(command->name, ' ') != NULL ? "\"" : "";

		if (command->arguments[0] == '\0')
			snprintf(block, sizeof(block), "\n.TP\n.B %s\n%s\n", command->name,
				 command->summary);
		else
			snprintf(block, sizeof(block), "\n.TP\n.BI %s%s%s \" %s\"\n%s\n", quote,
				 command->name, quote, command->arguments, command->summary);
		page_contains(section, block);
	}
	assert_int_equal(page_count(section, "\n.TP\n"), n_commands - 1);
	free(section);
}

TEST(the_manual_page_has_each_option) {
	page_has_options(PAGE, option_rows, n_option_rows);
}

TEST(the_page_on_plans_has_each_kind_of_nic) {
	char *page = page_read(CTL_SOURCES "/ddp-plan.7");
	char *from = strstr(page, "\n.Ss Kinds of NIC\n"), item[64];

	assert_non_null(from);
	*strstr(from, "\n.El\n") = '\0';
	for (unsigned int i = 0; i < ddp_n_nics; i++) {
		const char *alias = ddp_nic_alias(ddp_nics[i]);

		snprintf(item, sizeof(item), "\n.It Cm %s%s%s\n", ddp_nic_name(ddp_nics[i]),
			 alias != NULL ? " , " : "", alias != NULL ? alias : "");
		page_contains(from, item);
	}
	assert_int_equal(page_count(from, "\n.It "), ddp_n_nics);
}

// Each name that a command gives is one of the table's, so that it is not left out in silence.
TEST(commands_take_options_that_there_are) {
	for (unsigned int i = 0; i < n_commands; i++) {
		struct option_row rows[OPTIONS_MAX];
		char *names = strdup(commands[i].options);
		unsigned int n = 1; // help

		assert_non_null(names);
		for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
			n++;
		assert_int_equal(options_named(commands[i].options, rows), n);
		free(names);
	}
}

TEST(help_can_be_read_by_shells) {
	for (unsigned int i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		assert_null(strpbrk(option_summary(row),
				    "\"$`\\[]")); // zsh would take them for its own
		assert_null(strstr(option_summary(row), "  "));
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(row->name));
		if (row->argument != NULL)
			assert_int_equal(strspn(row->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]"),
					 strlen(row->argument));
	}
	for (unsigned int i = 1; i < n_commands; i++) {
		assert_int_equal(strspn(commands[i].name, "abcdefghijklmnopqrstuvwxyz "),
				 strlen(commands[i].name));
		assert_null(strstr(commands[i].summary, "  "));
	}
}
