/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl package find: which package each driver would load for a device, why, and how to install another.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/shell_quote.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/package/package_target.h"
#include "package/folders.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// What a device is without a package, by driver.
static const char *const safe_modes[] = {
	[DDP_DRIVER_KERNEL] =
		"safe mode: one receive and one transmit queue, no RSS, no flow steering, no "
		"tunnel offloads, no virtual functions",
	[DDP_DRIVER_DPDK] =
		"the port does not come up; with safe-mode-support=1 among its device arguments "
		"it does in safe mode: no RSS, no rte_flow, hardly an offload",
};

static const char *const states[] = {
	[DDP_ABSENT] = "absent",
	[DDP_PASSED_OVER] = "passed over",
	[DDP_TAKEN] = "loaded",
	[DDP_NOT_REACHED] = "not reached",
};

static const struct ddp_candidate *candidate_at(const struct ddp_located *located, int at) {
	return at < 0 ? NULL : &located->candidates[at];
}

// Whether the driver ends with a package that works.
static int located_status(const struct ddp_located *located) {
	const struct ddp_candidate *taken = candidate_at(located, located->taken);

	if (taken == NULL)
		return EXIT_NO;
	if (!taken->facts.known)
		return EXIT_UNREADABLE;
	return taken->facts.usable ? EXIT_GOOD : EXIT_NO;
}

/* words */

static unsigned int n_of(const struct ddp_located *located, enum ddp_candidate_state state) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < located->n_candidates; i++)
		n += located->candidates[i].state == state;
	return n;
}

static void why_write(const struct ddp_located *located, const struct aim *aim, FILE *to) {
	const struct ddp_candidate *taken = candidate_at(located, located->taken);
	const unsigned int n_passed = n_of(located, DDP_PASSED_OVER);
	char own[DDP_OWN_NAME_SIZE];

	ddp_own_name(aim->serial, own);
	if (taken == NULL)
		fprintf(to, "no place has %s%s" DDP_DEFAULT_NAME, aim->has_serial ? own : "",
			aim->has_serial ? " or " : "");
	else if (taken->own)
		fprintf(to, "the device's own name comes before " DDP_DEFAULT_NAME);
	else if (aim->has_serial)
		fprintf(to, "no place has %s, the device's own name", own);
	else
		fprintf(to, "nothing is known of a serial number, so " DDP_DEFAULT_NAME
			    " is the only name");
	if (n_passed > 0)
		fprintf(to, "%s %u file%s the driver cannot read",
			taken == NULL ? " but for" : ", but for", n_passed,
			n_passed == 1 ? " that" : "s that");
	if (taken != NULL)
		fprintf(to, "; it is the first in the driver's order");
}

static void loads_write(const struct ddp_located *located, int at, FILE *to) {
	const struct ddp_candidate *taken = candidate_at(located, at);

	if (taken == NULL) {
		fprintf(to, "nothing: %s", safe_modes[located->driver]);
		return;
	}
	fputs(taken->path, to);
	if (taken->facts.known && !taken->facts.usable)
		fprintf(to, ", which is no good: no other file is tried; %s",
			safe_modes[located->driver]);
}

// What "otherwise" hangs on.
static void condition_write(const struct ddp_located *located, FILE *to) {
	if (located->driver == DDP_DRIVER_DPDK)
		fprintf(to, "where DPDK was built without libarchive, as Debian's is");
	else
		fprintf(to, "where this kernel was built without support for %s",
			ddp_packing_suffix(located->candidates[located->taken].packing));
}

/* the command that installs another one */

// Where a driver finds a package before all that it finds now: under the device's own name, or ice.pkg where it
// has none, in the folder of updates, which no distribution's package owns; or in place of what an earlier folder
// has.
static const char *install_path(const struct ddp_located *located) {
	const char *name = strrchr(located->candidates[0].path, '/') + 1;
	char path[PATH_MAX];
	unsigned int i = 0;

	snprintf(path, sizeof(path), DDP_UPDATES_FOLDER DDP_PACKAGE_FOLDER "/%s", name);
	while ((int)i != located->taken && strcmp(located->candidates[i].path, path) != 0)
		i++;
	return located->candidates[i].path;
}

// Packed packages are unpacked: which packed ones a driver can read depends on how it was built.
static void install_write(const struct ddp_located *located, const struct options *options,
			  FILE *to) {
	static const char *const unpackers[] = {[DDP_XZ] = "xz", [DDP_ZST] = "zstd"};
	const char *package = options->n_files > 0 ? options->files[0] : "PACKAGE";
	const enum ddp_packing packing = ddp_packing_of(package);
	size_t root_len = strlen(options->root);
	struct text path;

	while (root_len > 0 && options->root[root_len - 1] == '/')
		root_len--;
	if (packing != DDP_PLAIN) {
		shell_line(to,
			   (const char *const[]){unpackers[packing], "-dc", "--", package, NULL});
		fputs(" | ", to);
		package = "/dev/stdin";
	}
	text_init(&path);
	fprintf(path.to, "%.*s%s", (int)root_len, options->root, install_path(located));
	shell_line(to, (const char *const[]){"install", "-D", "-m", "644", "--backup=numbered",
					     "--", package, text_take(&path), NULL});
	text_fini(&path);
}

// Whether a driver and a device would take the package that is to be installed. EXIT_GOOD, or it was said why not.
static int installable_check(const char *file, const struct aim *aim) {
	const struct ddp_root here = {.fd = AT_FDCWD, .host = true}; // not below --root
	char reason[DDP_REASON_SIZE];
	struct ddp_facts facts;
	void *content = NULL;
	size_t size;
	void *bytes = ddp_root_read(&here, file, &size);

	if (bytes == NULL)
		snprintf(reason, sizeof(reason), "%s",
			 errno == EISDIR ? "not a regular file" : strerror(errno));
	else
		content = ddp_unpack(ddp_packing_of(file), bytes, size, &size, reason,
				     sizeof(reason));
	free(bytes);
	if (content == NULL) {
		error_print("%s: %s", file, reason);
		return EXIT_UNREADABLE;
	}
	ddp_facts_read(file, content, size, aim->segment, &facts);
	free(content);
	if (facts.usable)
		return EXIT_GOOD;
	error_print("%s: not to be installed: %s", file, facts.problem);
	return EXIT_NO;
}

static void lines_print(const struct ddp_located *located, const struct aim *aim,
			const struct options *options, struct output *out) {
	struct text text;

	text_init(&text);
	loads_write(located, located->taken, text.to);
	text_printf(out, "loads: %s\n", text_take(&text));
	why_write(located, aim, text.to);
	text_printf(out, "why: %s\n", text_take(&text));
	if (located->otherwise != located->taken) {
		condition_write(located, text.to);
		fprintf(text.to, ", ");
		loads_write(located, located->otherwise, text.to);
		text_printf(out, "otherwise: %s\n", text_take(&text));
	}
	install_write(located, options, text.to);
	text_printf(out, "install: %s\n", text_take(&text));
	text_fini(&text);
}

/* table */

static void candidate_row(const struct ddp_candidate *candidate, struct table *table,
			  struct text *text) {
	table_cell(table, "%s%s%s", candidate->path, candidate->target != NULL ? " -> " : "",
		   candidate->target != NULL ? candidate->target : "");
	table_text(table, candidate->state == DDP_ABSENT ? "-" : states[candidate->state]);
	if (candidate->reason[0] != '\0')
		fputs(candidate->reason, text->to);
	else if (candidate->state != DDP_ABSENT)
		facts_write(&candidate->facts, text->to);
	table_text(table, text_take(text));
}

// Packed files only where there are some: three times as many rows would tell nothing more.
static void located_table(const struct ddp_located *located, struct output *out) {
	static const struct table_column columns[] = {
		{.title = "PLACE"},
		{.title = "STATE"},
		{.title = "CONTENT"},
	};
	struct table table;
	struct text text;

	table_init(&table, out, columns, COUNT(columns));
	text_init(&text);
	for (unsigned int i = 0; i < located->n_candidates; i++) {
		const struct ddp_candidate *candidate = &located->candidates[i];

		if (candidate->packing == DDP_PLAIN || candidate->state != DDP_ABSENT)
			candidate_row(candidate, &table, &text);
	}
	text_fini(&text);
	table_fini(&table);
}

static void aim_print(const struct aim *aim, struct output *out) {
	char serial[DDP_SERIAL_SIZE];

	ddp_serial_print(aim->serial, serial);
	if (aim->has_nic)
		text_printf(out, "device %s, %s, ", aim->nic.address, aim->nic.model);
	if (aim->has_serial)
		text_printf(out, "serial number %s\n", serial);
	else if (aim->has_nic)
		text_printf(out, "without a serial number\n");
	else
		text_printf(out, "no 800-series NIC here: what one without a package of its own "
				 "would get\n");
}

static void located_print(const struct ddp_located *located, const struct machine *machine,
			  const struct aim *aim, const struct options *options, struct output *out) {
	if (located->driver == DDP_DRIVER_KERNEL)
		text_printf(out, "\nLinux %s, driver ice:\n", machine->release);
	else
		text_printf(out, "\nDPDK, driver net_ice:\n");
	located_table(located, out);
	lines_print(located, aim, options, out);
}

/* JSON */

static void candidate_json(const struct ddp_candidate *candidate, struct emit *emit) {
	emit_open(emit, '{');
	emit_key_text(emit, "file", candidate->path);
	emit_key_text(emit, "state", states[candidate->state]);
	emit_key_text(emit, "target", candidate->target);
	emit_key_text(emit, "reason", candidate->reason[0] != '\0' ? candidate->reason : NULL);
	facts_json(&candidate->facts, emit);
	emit_close(emit, '}');
}

static void file_json(const struct ddp_located *located, const char *key, int at, struct emit *emit) {
	const struct ddp_candidate *candidate = candidate_at(located, at);

	emit_key_text(emit, key, candidate != NULL ? candidate->path : NULL);
}

static void located_json(const struct ddp_located *located, const struct machine *machine,
			 const struct aim *aim, const struct options *options, struct emit *emit) {
	struct text text;

	text_init(&text);
	emit_open(emit, '{');
	emit_key_text(emit, "driver", ddp_driver_name(located->driver));
	emit_key_text(emit, "kernel",
		      located->driver == DDP_DRIVER_KERNEL ? machine->release : NULL);
	file_json(located, "loads", located->taken, emit);
	file_json(located, "otherwise", located->otherwise, emit);
	emit_key_bool(emit, "good", located_status(located) == EXIT_GOOD);
	emit_key(emit, "why");
	why_write(located, aim, text.to);
	emit_text(emit, text_take(&text));
	emit_key(emit, "install");
	install_write(located, options, text.to);
	emit_text(emit, text_take(&text));
	emit_key_open(emit, "candidates", '[');
	for (unsigned int i = 0; i < located->n_candidates; i++)
		candidate_json(&located->candidates[i], emit);
	emit_close(emit, ']');
	emit_close(emit, '}');
	text_fini(&text);
}

static void aim_open(const struct aim *aim, struct emit *emit) {
	emit_open(emit, '{');
	emit_key_text(emit, "device", aim->has_nic ? aim->nic.address : NULL);
	emit_key_text(emit, "model", aim->has_nic ? aim->nic.model : NULL);
	serial_json(aim->has_serial, aim->serial, emit);
	emit_key_open(emit, "drivers", '[');
}

static void aim_close(struct emit *emit) {
	emit_close(emit, ']');
	emit_close(emit, '}');
}

/* find */

static int driver_find(const struct machine *machine, const struct options *options,
		       const struct aim *aim, enum ddp_driver driver, struct output *out,
		       struct emit *emit) {
	const struct ddp_locate locate = locate_of(machine, aim);
	struct ddp_located located;
	int status;

	if (ddp_locate(&locate, driver, &located) < 0) {
		error_print("%s", strerror(errno));
		return EXIT_UNREADABLE;
	}
	status = located_status(&located);
	if (emit != NULL)
		located_json(&located, machine, aim, options, emit);
	else
		located_print(&located, machine, aim, options, out);
	ddp_located_fini(&located);
	return status;
}

static int worse(int a, int b) {
	return a > b ? a : b;
}

static int aim_find(const struct machine *machine, const struct options *options,
		    const struct aim *aim, struct output *out, struct emit *emit) {
	int status = EXIT_GOOD;

	if (emit != NULL)
		aim_open(aim, emit);
	else
		aim_print(aim, out);
	for (unsigned int i = 0; i < DDP_N_DRIVERS; i++)
		if (options->drivers >> i & 1)
			status = worse(status, driver_find(machine, options, aim, i, out, emit));
	if (emit != NULL)
		aim_close(emit);
	return status;
}

static int aims_find(const struct machine *machine, const struct options *options,
		     const struct aim *aims, unsigned int n, struct output *out) {
	const bool json = options->format == FORMAT_JSON;
	int status = EXIT_GOOD;
	struct emit emit;

	emit_init(&emit, out);
	if (json)
		emit_open(&emit, '[');
	for (unsigned int i = 0; i < n; i++) {
		if (i > 0 && !json)
			output_char(out, '\n');
		status = worse(status,
			       aim_find(machine, options, &aims[i], out, json ? &emit : NULL));
	}
	if (json) {
		emit_close(&emit, ']');
		emit_end(&emit);
	}
	return status;
}

int cmd_package_find(const struct options *options, struct output *out) {
	struct machine machine;
	struct aim *aims;
	unsigned int n;
	int status = machine_open(&machine, options);

	if (status != EXIT_GOOD)
		return status;
	status = aims_get(&machine, options, &aims, &n);
	if (status == EXIT_GOOD) {
		for (unsigned int i = 0; i < n * options->n_files && status == EXIT_GOOD; i++)
			status = installable_check(options->files[0], &aims[i]);
		if (status == EXIT_GOOD)
			status = aims_find(&machine, options, aims, n, out);
		free(aims);
	}
	machine_close(&machine);
	return status;
}
