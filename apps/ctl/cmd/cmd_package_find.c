/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl package find: which package each driver would load for a device, why, and how to install
// another.
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

struct finding {
	const struct options *options;
	struct sysroot sysroot;
	bool is_json;
	struct json_writer json; // for people too: its output
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

static void reason_write(const struct ddp_located *located, const struct package_target *target,
			 FILE *to) {
	const struct ddp_candidate *taken = candidate_at(located, located->taken);
	const unsigned int n_passed = n_of(located, DDP_PASSED_OVER);
	char own[DDP_OWN_NAME_SIZE];

	ddp_own_name(target->serial, own);
	if (taken == NULL)
		fprintf(to, "no place has %s%s" DDP_DEFAULT_NAME, target->has_serial ? own : "",
			target->has_serial ? " or " : "");
	else if (taken->own)
		fprintf(to, "the device's own name comes before " DDP_DEFAULT_NAME);
	else if (target->has_serial)
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

// Where a driver finds a package before all that it finds now: under the device's own name, or
// ice.pkg where it has none, in the folder of updates, which no distribution's package owns; or in
// place of what an earlier folder has.
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
	struct strbuf path;

	while (root_len > 0 && options->root[root_len - 1] == '/')
		root_len--;
	if (packing != DDP_PLAIN) {
		shell_line(to,
			   (const char *const[]){unpackers[packing], "-dc", "--", package, NULL});
		fputs(" | ", to);
		package = "/dev/stdin";
	}
	strbuf_init(&path);
	fprintf(path.to, "%.*s%s", (int)root_len, options->root, install_path(located));
	shell_line(to, (const char *const[]){"install", "-D", "-m", "644", "--backup=numbered",
					     "--", package, strbuf_take(&path), NULL});
	strbuf_fini(&path);
}

// How to do without an installation, with DPDK's driver alone.
static void argument_write(const struct package_target *target, const struct options *options,
			   FILE *to) {
	fprintf(to,
		"%s,ddp_pkg_file=%s, from DPDK 24.11 on: net_ice takes that file and looks in none of "
		"these places",
		target->has_nic ? target->nic.address : "ADDRESS",
		options->n_files > 0 ? options->files[0] : "PACKAGE");
}

// Whether a driver and a device would take the package that is to be installed. EXIT_GOOD, or it
// was said why not.
static int installable_check(const char *file, const struct package_target *target) {
	const struct ddp_sysroot here = {.fd = AT_FDCWD, .host = true}; // not below --root
	char reason[DDP_REASON_SIZE];
	struct ddp_facts facts;
	void *content = NULL;
	size_t size;
	void *bytes = ddp_sysroot_read(&here, file, &size);

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
	ddp_facts_read(file, content, size, target->segment, &facts);
	free(content);
	if (facts.usable)
		return EXIT_GOOD;
	error_print("%s: not to be installed: %s", file, facts.problem);
	return EXIT_NO;
}

static void lines_print(const struct finding *find, const struct ddp_located *located,
			const struct package_target *target) {
	struct output *out = find->json.out;
	struct strbuf text;

	strbuf_init(&text);
	loads_write(located, located->taken, text.to);
	output_escaped_printf(out, "loads: %s\n", strbuf_take(&text));
	reason_write(located, target, text.to);
	output_escaped_printf(out, "why: %s\n", strbuf_take(&text));
	if (located->otherwise != located->taken) {
		condition_write(located, text.to);
		fprintf(text.to, ", ");
		loads_write(located, located->otherwise, text.to);
		output_escaped_printf(out, "otherwise: %s\n", strbuf_take(&text));
	}
	install_write(located, find->options, text.to);
	output_escaped_printf(out, "install: %s\n", strbuf_take(&text));
	if (located->driver == DDP_DRIVER_DPDK) {
		argument_write(target, find->options, text.to);
		output_escaped_printf(out, "argument: %s\n", strbuf_take(&text));
	}
	strbuf_fini(&text);
}

/* table */

static void candidate_row(const struct ddp_candidate *candidate, struct table *table,
			  struct strbuf *text) {
	table_cell(table, "%s%s%s", candidate->path, candidate->target != NULL ? " -> " : "",
		   candidate->target != NULL ? candidate->target : "");
	table_text(table, candidate->state == DDP_ABSENT ? "-" : states[candidate->state]);
	if (candidate->reason[0] != '\0')
		fputs(candidate->reason, text->to);
	else if (candidate->state != DDP_ABSENT)
		facts_write(&candidate->facts, text->to);
	table_text(table, strbuf_take(text));
}

// Packed files only where there are some: three times as many rows would tell nothing more.
static void located_table(const struct ddp_located *located, struct output *out) {
	struct table table;
	struct strbuf text;

	table_init(&table, out, "PLACE|STATE|CONTENT");
	strbuf_init(&text);
	for (unsigned int i = 0; i < located->n_candidates; i++) {
		const struct ddp_candidate *candidate = &located->candidates[i];

		if (candidate->packing == DDP_PLAIN || candidate->state != DDP_ABSENT)
			candidate_row(candidate, &table, &text);
	}
	strbuf_fini(&text);
	table_fini(&table);
}

static void target_print(const struct package_target *target, struct output *out) {
	char serial[DDP_SERIAL_SIZE];

	ddp_serial_print(target->serial, serial);
	if (target->has_nic)
		output_escaped_printf(out, "device %s, %s, ", target->nic.address,
				      target->nic.model);
	if (target->has_serial)
		output_escaped_printf(out, "serial number %s\n", serial);
	else if (target->has_nic)
		output_escaped_printf(out, "without a serial number\n");
	else
		output_escaped_printf(
			out, "no 800-series NIC here: what one without a package of its own "
			     "would get\n");
}

static void located_print(const struct finding *find, const struct ddp_located *located,
			  const struct package_target *target) {
	struct output *out = find->json.out;

	if (located->driver == DDP_DRIVER_KERNEL)
		output_escaped_printf(out, "\nLinux %s, driver ice:\n", find->sysroot.release);
	else
		output_text(out, "\nDPDK, driver net_ice:\n");
	located_table(located, out);
	lines_print(find, located, target);
}

/* JSON */

static void candidate_json(const struct ddp_candidate *candidate, struct json_writer *json) {
	jsonw_write(json, "{file:%s state:%s target:%s reason:%s", candidate->path,
		    states[candidate->state], candidate->target,
		    jsonw_if(candidate->reason[0] != '\0', candidate->reason));
	facts_json(&candidate->facts, json);
	jsonw_close(json, '}');
}

static void file_json(const struct ddp_located *located, const char *key, int at,
		      struct json_writer *json) {
	jsonw_key_text(json, key, at < 0 ? NULL : located->candidates[at].path);
}

static void located_json(struct finding *find, const struct ddp_located *located,
			 const struct package_target *target) {
	struct json_writer *json = &find->json;
	struct strbuf text;

	strbuf_init(&text);
	jsonw_write(json, "{driver:%s kernel:%s", ddp_driver_name(located->driver),
		    jsonw_if(located->driver == DDP_DRIVER_KERNEL, find->sysroot.release));
	file_json(located, "loads", located->taken, json);
	file_json(located, "otherwise", located->otherwise, json);
	reason_write(located, target, text.to);
	jsonw_write(json, "good:%d why:%s", located_status(located) == EXIT_GOOD,
		    strbuf_take(&text));
	install_write(located, find->options, text.to);
	jsonw_write(json, "install:%s candidates:[", strbuf_take(&text));
	for (unsigned int i = 0; i < located->n_candidates; i++)
		candidate_json(&located->candidates[i], json);
	jsonw_write(json, "]}");
	strbuf_fini(&text);
}

static void target_open(const struct package_target *target, struct json_writer *json) {
	jsonw_write(json, "{device:%s model:%s", jsonw_if(target->has_nic, target->nic.address),
		    jsonw_if(target->has_nic, target->nic.model));
	serial_json(target->has_serial, target->serial, json);
	jsonw_key_open(json, "drivers", '[');
}

/* find */

static int driver_find(struct finding *find, const struct package_target *target,
		       enum ddp_driver driver) {
	const struct ddp_locate locate = locate_of(&find->sysroot, target);
	struct ddp_located located;
	int status;

	if (ddp_locate(&locate, driver, &located) < 0) {
		error_print("%s", strerror(errno));
		return EXIT_UNREADABLE;
	}
	status = located_status(&located);
	if (find->is_json)
		located_json(find, &located, target);
	else
		located_print(find, &located, target);
	ddp_located_fini(&located);
	return status;
}

static int worse(int a, int b) {
	return a > b ? a : b;
}

static int target_find(struct finding *find, const struct package_target *target) {
	int worst = EXIT_GOOD;

	if (find->is_json)
		target_open(target, &find->json);
	else
		target_print(target, find->json.out);
	for (unsigned int i = 0; i < DDP_N_DRIVERS; i++)
		if (find->options->drivers >> i & 1)
			worst = worse(worst, driver_find(find, target, i));
	if (find->is_json)
		jsonw_write(&find->json, "]}");
	return worst;
}

static int targets_find(struct finding *find, const struct package_target *targets,
			unsigned int n) {
	int worst = EXIT_GOOD;

	if (find->is_json)
		jsonw_open(&find->json, '[');
	for (unsigned int i = 0; i < n; i++) {
		if (i > 0 && !find->is_json)
			output_char(find->json.out, '\n');
		worst = worse(worst, target_find(find, &targets[i]));
	}
	if (find->is_json)
		jsonw_write(&find->json, "]\n");
	return worst;
}

int cmd_package_find(const struct options *options, struct output *out) {
	struct finding find = {.options = options, .is_json = options->format == FORMAT_JSON};
	struct package_target *targets;
	unsigned int n;
	int status = sysroot_open(&find.sysroot, options);

	if (status != EXIT_GOOD)
		return status;
	jsonw_init(&find.json, out);
	status = package_targets_get(&find.sysroot, options, &targets, &n);
	if (status == EXIT_GOOD) {
		for (unsigned int i = 0; i < n * options->n_files && status == EXIT_GOOD; i++)
			status = installable_check(options->files[0], &targets[i]);
		if (status == EXIT_GOOD)
			status = targets_find(&find, targets, n);
		free(targets);
	}
	sysroot_close(&find.sysroot);
	return status;
}
