/* SPDX-License-Identifier: BSD-3-Clause */
#include "ddptool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "profile/profile.h"

// The version of Intel's tool that this one does as: what scripts ask for.
#define AS_VERSION "1.0.37.0"

const char *ddptool_message(enum ddptool_status status) {
#define MESSAGE(name, value, message) [value] = message,
	static const char *const messages[] = {DDPTOOL_STATUSES(MESSAGE)};
#undef MESSAGE

	return messages[status];
}

void ddptool_say(const struct ddptool_options *options, const char *fmt, ...) {
	char escaped[PATH_MAX];
	char *line;
	va_list ap;
	int len;

	if (options->silent)
		return;
	va_start(ap, fmt);
	len = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	ddp_escape(line, escaped, sizeof(escaped));
	fprintf(stderr, "ddptool: %s\n", escaped);
	free(line);
}

/* Devices */

struct ddptool_device *ddptool_device_add(struct ddptool_inventory *inventory, const char *address,
					  const char *name, const char *display) {
	struct ddptool_device *device;

	inventory->devices = grow_or_exit(inventory->devices, inventory->n, sizeof(*device));
	device = &inventory->devices[inventory->n++];
	snprintf(device->address, sizeof(device->address), "%s", address);
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->display = strdup_or_exit(display);
	return device;
}

// "1.0.0" as "1.0.0.0": Intel's versions have four numbers.
static void version_complete(char *version, size_t size) {
	unsigned int n = 1;

	if (version[0] == '\0')
		snprintf(version, size, "0");
	if (version[strspn(version, ".0123456789")] != '\0')
		return;
	for (const char *c = version; *c != '\0'; c++)
		n += *c == '.';
	for (; n < 4 && strlen(version) + 2 < size; n++)
		strcat(version, ".0");
}

void ddptool_profile_add(struct ddptool_device *device, uint32_t track_id, const char *version,
			 const char *name) {
	struct ddptool_profile *profile;

	device->profiles = grow_or_exit(device->profiles, device->n_profiles, sizeof(*profile));
	profile = &device->profiles[device->n_profiles++];
	profile->track_id = track_id;
	snprintf(profile->version, sizeof(profile->version), "%s", version);
	version_complete(profile->version, sizeof(profile->version));
	snprintf(profile->name, sizeof(profile->name), "%s", name);
}

void ddptool_inventory_fini(struct ddptool_inventory *inventory) {
	for (unsigned int i = 0; i < inventory->n; i++) {
		free(inventory->devices[i].display);
		free(inventory->devices[i].profiles);
	}
	free(inventory->devices);
}

bool ddptool_is_meant(const struct ddptool_options *options, const char *address,
		      const char *name) {
	if (options->location != NULL)
		return strcasecmp(options->location, address) == 0;
	return options->interface == NULL || strcmp(options->interface, name) == 0;
}

// Some device's profile is enough, as is one device that could have had one.
static enum ddptool_status found_status(const struct ddptool_inventory *inventory) {
	enum ddptool_status status = DDPTOOL_NO_ADAPTER;

	for (unsigned int i = 0; i < inventory->n; i++) {
		if (inventory->devices[i].n_profiles > 0)
			return DDPTOOL_GOOD;
		if (inventory->devices[i].state == DDPTOOL_ASKED)
			status = DDPTOOL_NO_PROFILE;
	}
	return status;
}

// A process that does not answer matters where what was asked for may be in it.
static enum ddptool_status status_of(const struct ddptool_inventory *inventory,
				     const struct ddptool_options *options) {
	const bool chosen = options->interface != NULL || options->location != NULL;

	if (inventory->status != DDPTOOL_GOOD)
		return inventory->status;
	if (inventory->has_silent && !(chosen && inventory->n > 0))
		return DDPTOOL_NO_CONTACT;
	if (inventory->n > 0)
		return found_status(inventory);
	if (!inventory->has_driver)
		return DDPTOOL_NO_DRIVER;
	return chosen ? DDPTOOL_NOT_FOUND : DDPTOOL_NO_ADAPTER;
}

/* Output */

// JSON and XML stay what they are where they go to standard output: what is said before them does
// not.
static void header_write(const struct ddptool_options *options, struct output *out) {
	static const char header[] =
		"Dynamic Device Personalization tool of ddpsteer " DDP_VERSION
		"\nDDPTool version " AS_VERSION "\nIn place of Intel's tool of this version.\n\n";

	if (options->silent)
		return;
	if (options->format == DDPTOOL_TABLE || options->output != NULL || options->version ||
	    options->help)
		output_text(out, header);
	else
		fputs(header, stderr);
}

static int no_output(const struct ddptool_options *options, int error) {
	ddptool_say(options, "%s: %s: %s", ddptool_message(DDPTOOL_NO_OUTPUT), options->output,
		    strerror(error));
	return DDPTOOL_NO_OUTPUT;
}

// Returns the exit status.
static int told_write(const struct ddptool_told *told, const struct ddptool_options *options,
		      struct output *out) {
	static void (*const writers[])(const struct ddptool_told *told, struct output *out) = {
		[DDPTOOL_TABLE] = ddptool_table_write,
		[DDPTOOL_JSON] = ddptool_json_write,
		[DDPTOOL_XML] = ddptool_xml_write,
	};
	static struct output file;
	int fd, error;

	if (options->output == NULL) {
		writers[options->format](told, out);
		return told->status;
	}
	fd = open(options->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return no_output(options, errno);
	output_init(&file, fd);
	writers[options->format](told, &file);
	error = output_close(&file);
	return error == 0 ? (int)told->status : no_output(options, error);
}

static int file_run(const struct ddptool_options *options, struct output *out) {
	struct ddptool_inventory inventory = {0};
	struct ddptool_told told = {.file = options->file, .inventory = &inventory};
	struct ddptool_device *device = ddptool_device_add(&inventory, "", options->file, "");
	int status;

	told.status = ddptool_file_read(options, device);
	if (told.status != DDPTOOL_GOOD) {
		ddptool_inventory_fini(&inventory);
		inventory = (struct ddptool_inventory){0};
	}
	status = told_write(&told, options, out);
	ddptool_inventory_fini(&inventory);
	return status;
}

static int devices_run(const struct ddptool_machine *machine, const struct ddptool_options *options,
		       struct output *out) {
	struct ddptool_inventory inventory = {0};
	struct ddptool_told told = {.inventory = &inventory};
	int status;

	ddptool_ports_add(&inventory, options, machine->root);
	ddptool_nics_add(&inventory, options, machine);
	told.status = status_of(&inventory, options);
	if (told.status != DDPTOOL_GOOD)
		ddptool_say(options, "%s", ddptool_message(told.status));
	status = told_write(&told, options, out);
	ddptool_inventory_fini(&inventory);
	return status;
}

// Whoever wants JSON gets it, whatever else is wrong.
static int misuse(const struct ddptool_options *options, const char *error, struct output *out) {
	const struct ddptool_inventory none = {0};
	const struct ddptool_told told = {
		.file = options->file,
		.inventory = &none,
		.status = DDPTOOL_USAGE,
	};

	ddptool_say(options, "%s (try 'ddptool -h')", error);
	return told_write(&told, options, out);
}

// An output must not take the place of a file that is read. Then the answer goes to standard
// output.
static int output_check(int argc, const char **argv, struct ddptool_options *options,
			char error[OPTION_ERROR_SIZE]) {
	for (int i = 0; i < argc && options->output != NULL; i++) {
		if (argv[i] == options->output || !ddp_spec_reads(argv[i], options->output))
			continue;
		option_fail(error, "'%.64s' is read, and would be overwritten", options->output);
		options->output = NULL;
		return -EINVAL;
	}
	return 0;
}

int ddptool_run_on(const struct ddptool_machine *machine, int argc, const char **argv,
		   struct output *out) {
	char error[OPTION_ERROR_SIZE];
	struct ddptool_options options;
	int parsed;

	parsed = ddptool_options_parse(argc, argv, &options, error);

	if (output_check(argc, argv, &options, error) < 0 || parsed < 0)
		return misuse(&options, error, out);
	header_write(&options, out);
	if (options.version)
		return DDPTOOL_GOOD;
	if (options.help) {
		ddptool_help(out);
		return DDPTOOL_GOOD;
	}
	return options.file != NULL ? file_run(&options, out) : devices_run(machine, &options, out);
}

int ddptool_run(int argc, const char **argv, struct output *out) {
	struct ddptool_machine machine = {.ethtool = {.call = ethtool_call}};
	struct ddp_sysroot root;
	struct ddp_diag diag;
	int status;

	ddp_diag_init(&diag);
	if (ddp_sysroot_open(&root, "/", &diag) < 0) {
		ddp_diag_print(&diag, stderr);
		ddp_diag_fini(&diag);
		return DDPTOOL_INTERNAL;
	}
	ddp_diag_fini(&diag);
	machine.root = &root;
	netlink_open(&machine.netlink);
	status = ddptool_run_on(&machine, argc, argv, out);
	netlink_close(&machine.netlink);
	ddp_sysroot_close(&root);
	return status;
}
