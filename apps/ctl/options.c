/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "command.h"
#include "package/pci_nic.h"
#include "personality/package_locate.h"

__attribute__((format(printf, 2, 3))) static int fail(char error[OPTIONS_ERROR_SIZE],
						      const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, OPTIONS_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int number_parse(const char *value, unsigned int max, unsigned int *number) {
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)value[0]))
		return -EINVAL;
	errno = 0;
	n = strtoul(value, &end, 10);
	if (errno != 0 || *end != '\0' || n < 1 || n > max)
		return -EINVAL;
	*number = n;
	return 0;
}

// A number of the field's own, as in 14.88.
static int real_parse(const char *value, double least, double most, double *number) {
	char *end;

	*number = strtod(value, &end);
	return end != value && *end == '\0' && *number >= least && *number <= most ? 0 : -EINVAL;
}

static int mpps_set(double *mpps, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (real_parse(value, 1e-6, 1e6, mpps) == 0)
		return 0;
	return fail(error, "'%s' is not a number of million packets a second", value);
}

static int core_mpps_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	return mpps_set(&options->core_mpps, value, error);
}

static int count_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (number_parse(value, UINT_MAX, &options->count) == 0)
		return 0;
	return fail(error, "'%s' is not a number from 1", value);
}

static int device_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	unsigned int domain, bus, device, function;
	int len = 0;

	if (sscanf(value, "%x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &len) != 4 ||
	    value[len] != '\0') {
		len = 0;
		if (sscanf(value, "%2x:%2x.%1x%n", &bus, &device, &function, &len) != 3 ||
		    value[len] != '\0')
			return fail(error, "'%s' is not a PCI address, such as 0000:81:00.0", value);
	}
	options->device = value;
	return 0;
}

static int driver_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	for (unsigned int i = 0; i < DDP_N_DRIVERS; i++)
		if (strcmp(value, ddp_driver_name(i)) == 0) {
			options->drivers = 1U << i;
			return 0;
		}
	return fail(error, "'%s' is none of: %s", value, option_specs[OPTION_DRIVER].words);
}

static int dvm_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->nic.double_vlan = true;
	return 0;
}

static int port_add(const char *value, uint16_t *ports, unsigned int *n,
		    char error[OPTIONS_ERROR_SIZE]) {
	unsigned int port;

	if (number_parse(value, UINT16_MAX, &port) < 0)
		return fail(error, "'%s' is not a UDP port from 1 to %u", value, UINT16_MAX);
	if (*n == E810_PORTS_MAX)
		return fail(error, "a NIC has no room for more than %u ports", E810_PORTS_MAX);
	ports[(*n)++] = port;
	return 0;
}

static int ecpri_port_set(struct options *options, const char *value,
			  char error[OPTIONS_ERROR_SIZE]) {
	return port_add(value, options->nic.ecpri_ports, &options->nic.n_ecpri, error);
}

// A folder's name: EAL makes a folder of it, too.
static int file_prefix_set(struct options *options, const char *value,
			   char error[OPTIONS_ERROR_SIZE]) {
	if (value[0] == '\0' || strchr(value, '/') != NULL)
		return fail(error, "'%s' is not a file prefix, as given to EAL", value);
	options->file_prefix = value;
	return 0;
}

static int filter_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)error;
	options->capture.expression = value;
	return 0;
}

static int geneve_port_set(struct options *options, const char *value,
			   char error[OPTIONS_ERROR_SIZE]) {
	return port_add(value, options->nic.geneve_ports, &options->nic.n_geneve, error);
}

static int hash_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (ddp_hash_function_parse(value, &options->steer.function) == 0)
		return 0;
	return fail(error, "'%s' is none of: %s", value, option_specs[OPTION_HASH].words);
}

static int help_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->help = true;
	return 0;
}

static int interface_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)error;
	options->capture.interface = value;
	return 0;
}

static int interval_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	double seconds;

	if (real_parse(value, 0.01, 86400, &seconds) < 0)
		return fail(error, "'%s' is not a number of seconds from 0.01 to 86400", value);
	options->interval_ms = seconds * 1000;
	return 0;
}

static int json_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->format = FORMAT_JSON;
	return 0;
}

static int jsonl_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->format = FORMAT_JSONL;
	return 0;
}

static int digit_value(char c) {
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int kernel_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (value[0] == '\0' || strlen(value) > 64 || strchr(value, '/') != NULL)
		return fail(error, "'%s' is not a kernel's release, as uname -r says it", value);
	options->release = value;
	return 0;
}

// Two digits a byte, with or without ':' between bytes.
static int key_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	unsigned int n = 0;

	for (const char *at = value; *at != '\0'; n++) {
		int high = digit_value(at[0]);
		int low = high < 0 ? -1 : digit_value(at[1]);

		if (low < 0)
			return fail(error, "not a byte in hexadecimal: '%.2s'", at);
		if (n < DDP_KEY_SIZE)
			options->steer.key[n] = high << 4 | low;
		at += 2;
		if (at[0] == ':' && at[1] != '\0')
			at++;
	}
	if (n != DDP_KEY_SIZE)
		return fail(error, "%u bytes given, a key has %u bytes", n, DDP_KEY_SIZE);
	return 0;
}

static int load_mpps_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	return mpps_set(&options->load_mpps, value, error);
}

static int nic_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	options->kind = ddp_nic_find(value);
	if (options->kind != NULL)
		return 0;
	return fail(error, "'%s' is none of: %s", value, option_specs[OPTION_NIC].words);
}

static int output_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)error;
	options->output = value;
	return 0;
}

static int packet_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (number_parse(value, UINT_MAX, &options->packet) == 0)
		return 0;
	return fail(error, "'%s' is not the number of a packet, from 1", value);
}

static int pid_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (number_parse(value, INT_MAX, &options->pid) == 0)
		return 0;
	return fail(error, "'%s' is not the number of a process", value);
}

static int port_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)error;
	options->port = value;
	return 0;
}

static int ptypes_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->ptypes = true;
	return 0;
}

static int queues_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (number_parse(value, STEER_QUEUES_MAX, &options->steer.n_queues) == 0)
		return 0;
	return fail(error, "'%s' is not a number from 1 to %u", value, STEER_QUEUES_MAX);
}

static int report_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (value[0] == '\0' || strcmp(value, "-") == 0)
		return fail(error, "'%s' is no name of a file", value);
	options->report = value;
	return 0;
}

static int reta_size_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	unsigned int n;

	if (number_parse(value, STEER_RETA_MAX, &n) < 0 || (n & (n - 1)) != 0)
		return fail(error, "'%s' is not a power of two from 1 to %u", value, STEER_RETA_MAX);
	options->steer.reta_size = n;
	return 0;
}

static int root_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)error;
	options->root = value;
	return 0;
}

static int rss_hf_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	const char *unknown = value;
	size_t len = strlen(value);

	if (ddp_rss_hf_parse(value, &options->steer.rss_hf, &unknown, &len) == 0)
		return 0;
	return fail(error, "unknown hash field '%.*s'", (int)len, unknown);
}

static int rule_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (options->n_rules == OPTIONS_RULES_MAX)
		return fail(error, "more than %u of them: write them into a file, and give @FILE",
			    OPTIONS_RULES_MAX);
	options->rule_of[options->n_rules] = options->n_with;
	options->rules[options->n_rules++] = value;
	return 0;
}

static int serial_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (ddp_serial_parse(value, &options->serial) < 0)
		return fail(error, "'%s' is not a serial number, such as 00-cc-bb-ff-ff-aa-05-68",
			    value);
	options->has_serial = true;
	return 0;
}

static int strict_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->strict = true;
	return 0;
}

static int version_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	(void)value;
	(void)error;
	options->version = true;
	return 0;
}

static int vxlan_port_set(struct options *options, const char *value,
			  char error[OPTIONS_ERROR_SIZE]) {
	return port_add(value, options->nic.vxlan_ports, &options->nic.n_vxlan, error);
}

static int window_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	double seconds;

	if (real_parse(value, 1e-6, 86400, &seconds) < 0)
		return fail(error, "'%s' is not a number of seconds from 0.000001 to 86400", value);
	options->window_ns = seconds * 1e9;
	return 0;
}

static int with_set(struct options *options, const char *value, char error[OPTIONS_ERROR_SIZE]) {
	if (options->n_with == WITH_MAX)
		return fail(error, "more than %u candidates", WITH_MAX);
	options->with[options->n_with++] = value;
	return 0;
}

const struct option_spec option_specs[N_OPTIONS] = {
	{
		.id = OPTION_CORE_MPPS,
		.name = "core-mpps",
		.argument = "X",
		.help = "million packets a second that one core can process",
		.set = core_mpps_set,
	},
	{
		.id = OPTION_COUNT,
		.name = "count",
		.argument = "N",
		.help = "stop after this many periods or packets (default: on Ctrl-C)",
		.set = count_set,
	},
	{
		.id = OPTION_DEVICE,
		.name = "device",
		.argument = "ADDRESS",
		.help = "PCI address of the NIC, such as 0000:81:00.0",
		.set = device_set,
	},
	{
		.id = OPTION_DRIVER,
		.name = "driver",
		.argument = "NAME",
		.words = "kernel dpdk",
		.help = "only this driver: kernel or dpdk (default: both)",
		.set = driver_set,
	},
	{
		.id = OPTION_DVM,
		.name = "dvm",
		.help = "package: use double VLAN mode",
		.set = dvm_set,
	},
	{
		.id = OPTION_ECPRI_PORT,
		.name = "ecpri-port",
		.argument = "P",
		.help = "package: UDP port of eCPRI; may be repeated",
		.set = ecpri_port_set,
	},
	{
		.id = OPTION_FILE_PREFIX,
		.name = "file-prefix",
		.argument = "NAME",
		.help = "use the process with this EAL --file-prefix",
		.set = file_prefix_set,
	},
	{
		.id = OPTION_FILTER,
		.name = "filter",
		.argument = "EXPR",
		.help = "only packets that match, such as 'udp port 2152' (see pcap-filter(7))",
		.set = filter_set,
	},
	{
		.id = OPTION_GENEVE_PORT,
		.name = "geneve-port",
		.argument = "P",
		.help = "package: UDP port of GENEVE; may be repeated (default: none)",
		.set = geneve_port_set,
	},
	{
		.id = OPTION_HASH,
		.name = "hash",
		.argument = "NAME",
		.words = "toeplitz symmetric_toeplitz symmetric_toeplitz_sort simple_xor",
		.help = "hash function: toeplitz (default), symmetric_toeplitz, symmetric_toeplitz_sort or simple_xor",
		.set = hash_set,
	},
	{
		.id = OPTION_HELP,
		.name = "help",
		.letter = 'h',
		.help = "show this help",
		.set = help_set,
	},
	{
		.id = OPTION_INTERFACE,
		.name = "interface",
		.letter = 'i',
		.argument = "NAME",
		.help = "capture from this network interface instead of reading PCAP",
		.set = interface_set,
	},
	{
		.id = OPTION_INTERVAL,
		.name = "interval",
		.argument = "SECONDS",
		.help = "length of a period (default 1)",
		.set = interval_set,
	},
	{
		.id = OPTION_JSON,
		.name = "json",
		.help = "write JSON instead of a table",
		.set = json_set,
	},
	{
		.id = OPTION_JSONL,
		.name = "jsonl",
		.help = "write one JSON object a line for each packet",
		.set = jsonl_set,
	},
	{
		.id = OPTION_KERNEL,
		.name = "kernel",
		.argument = "RELEASE",
		.help = "release of the kernel (default: of the running one)",
		.set = kernel_set,
	},
	{
		.id = OPTION_KEY,
		.name = "key",
		.argument = "HEX",
		.help = "RSS key, 52 bytes (default: Microsoft's 40 bytes and its first 12 again)",
		.set = key_set,
	},
	{
		.id = OPTION_LOAD_MPPS,
		.name = "load-mpps",
		.argument = "X",
		.help = "million packets a second to process (default: the rate of the capture)",
		.set = load_mpps_set,
	},
	{
		.id = OPTION_NIC,
		.name = "nic",
		.argument = "KIND",
		.words = "generic i40e iavf ice-comms ice-os mlx5 net_ddp none",
		.help = "kind of NIC: generic, i40e, iavf, ice-comms, ice-os, mlx5, net_ddp or none",
		.set = nic_set,
	},
	{
		.id = OPTION_OUTPUT,
		.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "file to write, - for standard output (default: NAME.yaml)",
		.set = output_set,
	},
	{
		.id = OPTION_PACKET,
		.name = "packet",
		.letter = 'n',
		.argument = "K",
		.help = "number of the packet in the capture (default 1)",
		.set = packet_set,
	},
	{
		.id = OPTION_PID,
		.name = "pid",
		.argument = "N",
		.help = "use the process with this id",
		.set = pid_set,
	},
	{
		.id = OPTION_PORT,
		.name = "port",
		.argument = "PORT",
		.help = "take profiles, hash fields and lower device from this running port",
		.set = port_set,
	},
	{
		.id = OPTION_PTYPES,
		.name = "ptypes",
		.help = "list all packet types of an 800-series package",
		.set = ptypes_set,
	},
	{
		.id = OPTION_QUEUES,
		.name = "queues",
		.argument = "N",
		.help = "receive queues, 1 to 1024 (default: 16 for advise, else 1)",
		.set = queues_set,
	},
	{
		.id = OPTION_REPORT,
		.name = "report",
		.argument = "FILE",
		.help = "write a report with pictures, in HTML",
		.set = report_set,
	},
	{
		.id = OPTION_RETA_SIZE,
		.name = "reta-size",
		.argument = "N",
		.help = "entries of the redirection table, a power of two up to 4096 (default 512)",
		.set = reta_size_set,
	},
	{
		.id = OPTION_ROOT,
		.name = "root",
		.argument = "FOLDER",
		.help = "root of the system whose files are read (default: /)",
		.set = root_set,
	},
	{
		.id = OPTION_RSS_HF,
		.name = "rss-hf",
		.argument = "LIST",
		.help = "hash fields as testpmd names them, such as ip+ipv4-udp, all (default) or none",
		.set = rss_hf_set,
	},
	{
		.id = OPTION_RULE,
		.name = "rule",
		.argument = "TEXT",
		.help = "an rte_flow rule in testpmd syntax, or @FILE with rules; may be repeated",
		.set = rule_set,
	},
	{
		.id = OPTION_SERIAL,
		.name = "serial",
		.argument = "NUMBER",
		.help = "serial number of the NIC, such as 00-cc-bb-ff-ff-aa-05-68",
		.set = serial_set,
	},
	{
		.id = OPTION_STRICT,
		.name = "strict",
		.help = "treat warnings as errors",
		.set = strict_set,
	},
	{
		.id = OPTION_VERSION,
		.name = "version",
		.help = "show the version",
		.set = version_set,
	},
	{
		.id = OPTION_VXLAN_PORT,
		.name = "vxlan-port",
		.argument = "P",
		.help = "package: UDP port of VXLAN; may be repeated (default: none)",
		.set = vxlan_port_set,
	},
	{
		.id = OPTION_WINDOW,
		.name = "window",
		.argument = "SECONDS",
		.help = "length of a window of imbalance over time (default: by the capture)",
		.set = window_set,
	},
	{
		.id = OPTION_WITH,
		.name = "with",
		.argument = "FILE",
		.help = "another profile or package to compare; may be repeated",
		.set = with_set,
	},
};

// The option of this command whose name has len characters at name, N_OPTIONS for none.
static unsigned int option_find(const struct command *command, const char *name, size_t len) {
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (command_takes(command, i) && strlen(option_specs[i].name) == len &&
		    memcmp(option_specs[i].name, name, len) == 0)
			return i;
	return N_OPTIONS;
}

// The same by its letter. As getopt has it, a value may follow at once: -n5.
static unsigned int letter_find(const struct command *command, const char *letters) {
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (command_takes(command, i) && option_specs[i].letter == letters[0] &&
		    (option_specs[i].argument != NULL || letters[1] == '\0'))
			return i;
	return N_OPTIONS;
}

static int unknown_option(const struct command *command, const char *arg, int len,
			  char error[OPTIONS_ERROR_SIZE]) {
	const char *names[N_OPTIONS];
	const char *nearest;
	char written[64];

	for (unsigned int i = 0; i < N_OPTIONS; i++)
		names[i] = command_takes(command, i) ? option_specs[i].name : NULL;
	snprintf(written, sizeof(written), "%.*s", len, arg);
	nearest = ddp_nearest(written + strspn(written, "-"), names, N_OPTIONS);
	if (nearest == NULL)
		return fail(error, "unknown option '%s'", written);
	return fail(error, "unknown option '%s', did you mean '--%s'?", written, nearest);
}

// Read the option at argv[*at], and its value when that is the next argument.
static int option_parse(const struct command *command, int argc, const char **argv, int *at,
			struct options *options, char error[OPTIONS_ERROR_SIZE]) {
	const char *arg = argv[*at];
	const bool is_long = arg[1] == '-';
	const size_t len = is_long ? strcspn(arg, "=") : strlen(arg);
	const struct option_spec *spec;
	char reason[OPTIONS_ERROR_SIZE];
	const char *value = NULL;
	unsigned int id;

	if (is_long) {
		id = option_find(command, arg + 2, len - 2);
		if (arg[len] == '=')
			value = arg + len + 1;
	} else {
		id = letter_find(command, arg + 1);
		if (len > 2)
			value = arg + 2;
	}
	if (id == N_OPTIONS)
		return unknown_option(command, arg, len, error);
	spec = &option_specs[id];
	if (spec->argument == NULL && value != NULL)
		return fail(error, "option --%s takes no value", spec->name);
	if (spec->argument != NULL && value == NULL) {
		if (*at + 1 == argc)
			return fail(error, "option --%s needs a value: %s", spec->name,
				    spec->argument);
		value = argv[++*at];
	}
	if (spec->set(options, value, reason) < 0)
		return fail(error, "option --%s: %.*s", spec->name, OPTIONS_ERROR_SIZE - 64, reason);
	return 0;
}

static int files_check(const struct command *command, const struct options *options,
		       char error[OPTIONS_ERROR_SIZE]) {
	unsigned int less = options->capture.interface != NULL; // which stands for the last one

	if (options->n_files < command->min_files - less)
		return fail(error, "arguments missing: %s", command->arguments);
	if (options->n_files > command->max_files - less)
		return fail(error, "unexpected argument '%.128s'",
			    options->files[command->max_files - less]);
	return 0;
}

int options_parse(const struct command *command, int argc, const char **argv,
		  struct options *options, char error[OPTIONS_ERROR_SIZE]) {
	bool files_only = false;

	*options = (struct options){
		.files = argv,
		.packet = 1,
		.interval_ms = 1000,
		.root = "/",
		.drivers = (1U << DDP_N_DRIVERS) - 1,
		.steer =
			{
				.n_queues = command->n_queues > 0 ? command->n_queues : 1,
				.reta_size = DDP_RETA_SIZE,
				.function = DDP_HASH_TOEPLITZ,
				.rss_hf = DDP_RSS_HF_ALL,
			},
	};
	memcpy(options->steer.key, ddp_default_key, sizeof(options->steer.key));
	for (int i = 0; i < argc; i++) {
		if (files_only || argv[i][0] != '-' || argv[i][1] == '\0') // "-" is a file
			argv[options->n_files++] = argv[i];
		else if (strcmp(argv[i], "--") == 0)
			files_only = true;
		else if (option_parse(command, argc, argv, &i, options, error) < 0)
			return -EINVAL;
		if (options->help || options->version)
			return 0; // whatever else is missing
	}
	return files_check(command, options, error);
}
