/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl package install, undo: put a package where drivers find it, and take it back.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "machine.h"
#include "package/installed.h"
#include "package/place.h"
#include "text.h"

// Linux's own documentation says so of its driver; DPDK's comes from the same base.
static const char next_help[] =
	"next: a device takes a package only as the first driver of any of its functions starts, so:\n"
	"  end the DPDK applications that use the device, and start them again;\n"
	"  Linux: modprobe -r irdma ice, then modprobe ice. Where ice is in the initial ramdisk, make that\n"
	"  anew first (update-initramfs -u, dracut -f): what is in there is loaded at boot.\n";

// A package in memory, checked.
struct content {
	void *bytes;
	size_t size;
	struct ddp_facts facts;
};

/* the file */

static int unreadable(const char *file, const char *reason) {
	fprintf(stderr, "ddpctl: %s: %s\n", file, reason);
	return CTL_UNREADABLE;
}

// The file is where the user is, not below --root.
static void *file_read(const char *file, size_t *size) {
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	void *bytes;
	int error;

	if (fd < 0)
		return NULL;
	bytes = ddp_fd_read(fd, size);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

// Read a package, unpack it where it is packed, and refuse what would not work.
static int content_read(struct content *content, const char *file, uint32_t segment) {
	char reason[DDP_REASON_SIZE];
	size_t size;
	void *bytes = file_read(file, &size);

	if (bytes == NULL)
		return unreadable(file, errno == EISDIR ? "not a regular file" : strerror(errno));
	content->bytes = ddp_unpack(ddp_packing_of(file), bytes, size, &content->size, reason,
				    sizeof(reason));
	free(bytes);
	if (content->bytes == NULL)
		return unreadable(file, reason);
	ddp_facts_read(file, content->bytes, content->size, segment, &content->facts);
	if (content->facts.usable)
		return CTL_GOOD;
	fprintf(stderr, "ddpctl: %s: not installed: %s\n", file, content->facts.problem);
	free(content->bytes);
	return CTL_NO;
}

/* what else a driver finds */

static int candidate_index(const struct ddp_located *located, const char *path) {
	for (unsigned int i = 0; i < located->n_candidates; i++)
		if (strcmp(located->candidates[i].path, path) == 0)
			return i;
	return -1;
}

// Whether a driver would go on to load another file than the one that is to be installed: say so.
static int shadow_check(const struct machine *machine, const struct aim *aim,
			enum ddp_driver driver, const char *path) {
	const struct ddp_locate locate = locate_of(machine, aim);
	struct ddp_located located;
	int status = CTL_GOOD;

	if (ddp_locate(&locate, driver, &located) < 0)
		return unreadable(path, strerror(errno));
	if (located.taken >= 0 && located.taken < candidate_index(&located, path)) {
		fprintf(stderr,
			"ddpctl: not installed: Linux's driver would still load %s, which comes before %s "
			"(remove it, or install for --driver dpdk only)\n",
			located.candidates[located.taken].path, path);
		status = CTL_NO;
	}
	ddp_located_fini(&located);
	return status;
}

// Devices that have a package of their own will not take ice.pkg.
static void exceptions_write(const struct machine *machine, FILE *to) {
	struct ddp_installed *installed;
	unsigned int n;

	if (ddp_installed_get(&machine->root, machine->release, &installed, &n) < 0)
		return;
	for (unsigned int i = 0; i < n; i++) {
		char serial[DDP_SERIAL_SIZE];

		ddp_serial_print(installed[i].serial, serial);
		if (installed[i].use == DDP_USE_ONE)
			fprintf(to, "but %s, which has %s\n", serial, installed[i].path);
	}
	ddp_installed_free(installed, n);
}

/* results */

static void undo_write(const struct options *options, const struct aim *aim, FILE *to) {
	char serial[DDP_SERIAL_SIZE];

	ddp_serial_print(aim->serial, serial);
	fprintf(to, "undo: ddpctl package undo %s%s%s%s\n",
		options->all_devices ? "--all-devices" : "--serial ",
		options->all_devices ? "" : serial,
		strcmp(options->root, "/") == 0 ? "" : " --root ",
		strcmp(options->root, "/") == 0 ? "" : options->root);
}

static void install_print(const struct machine *machine, const struct options *options,
			  const struct aim *aim, const struct content *content,
			  const struct ddp_placed *placed, struct output *out) {
	const char *would = options->dry_run ? "would be " : "";
	struct text text;

	text_init(&text);
	fprintf(text.to, "%s: ", placed->path);
	facts_write(&content->facts, text.to);
	if (placed->same)
		fprintf(text.to, ", there already: nothing to do\n");
	else if (placed->backup[0] != '\0')
		fprintf(text.to, "\n%sreplaced: what was there is kept as %s\n", would,
			placed->backup);
	else
		fprintf(text.to, "\n%snew: nothing was there\n", would);
	if (options->all_devices) {
		fprintf(text.to, "for: all 800-series NICs of this machine\n");
		exceptions_write(machine, text.to);
	}
	if (!placed->same && !options->dry_run) {
		fputs(next_help, text.to);
		undo_write(options, aim, text.to);
	}
	text_write(out, text_take(&text));
	text_fini(&text);
}

static void result_json(const struct options *options, const struct aim *aim,
			const struct ddp_placed *placed, const struct ddp_facts *facts,
			struct output *out) {
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '{');
	emit_key(&emit, "file");
	emit_text(&emit, placed->path);
	serial_json(aim->has_serial, aim->serial, &emit);
	emit_key(&emit, facts != NULL ? "backup" : "restored");
	emit_text(&emit, placed->backup[0] != '\0' ? placed->backup : NULL);
	emit_key(&emit, "changed");
	emit_bool(&emit, !placed->same && !options->dry_run);
	if (facts != NULL)
		facts_json(facts, &emit);
	emit_close(&emit, '}');
	emit_end(&emit);
}

static void undo_print(const struct options *options, const struct ddp_placed *placed,
		       struct output *out) {
	const char *would = options->dry_run ? "would be " : "";
	struct text text;

	text_init(&text);
	if (placed->backup[0] != '\0')
		fprintf(text.to, "%s: %swhat it was before, from %s\n", placed->path, would,
			placed->backup);
	else
		fprintf(text.to, "%s: %sremoved, as nothing was there before\n", placed->path,
			would);
	if (!options->dry_run)
		fputs(next_help, text.to);
	text_write(out, text_take(&text));
	text_fini(&text);
}

/* install */

static int content_install(const struct machine *machine, const struct options *options,
			   const struct aim *aim, const char *name, const struct content *content,
			   struct output *out) {
	struct ddp_placed placed;
	struct ddp_diag diag;
	int status = CTL_GOOD;

	ddp_package_place_path(name, placed.path);
	for (unsigned int i = 0; i < DDP_N_DRIVERS && status == CTL_GOOD; i++)
		if (options->drivers >> i & 1)
			status = shadow_check(machine, aim, i, placed.path);
	if (status != CTL_GOOD)
		return status;
	ddp_diag_init(&diag);
	if (ddp_package_place(&machine->root, name, content->bytes, content->size, options->dry_run,
			      &placed, &diag) < 0)
		status = give_up(&diag);
	else if (options->format == FORMAT_JSON)
		result_json(options, aim, &placed, &content->facts, out);
	else
		install_print(machine, options, aim, content, &placed, out);
	ddp_diag_fini(&diag);
	return status;
}

int cmd_package_install(const struct options *options, struct output *out) {
	char name[DDP_OWN_NAME_SIZE];
	struct machine machine;
	struct content content;
	struct aim aim;
	int status = machine_open(&machine, options);

	if (status != CTL_GOOD)
		return status;
	status = aim_name_get(&machine, options, &aim, name);
	if (status == CTL_GOOD)
		status = content_read(&content, options->files[0], aim.segment);
	if (status == CTL_GOOD) {
		status = content_install(&machine, options, &aim, name, &content, out);
		free(content.bytes);
	}
	machine_close(&machine);
	return status;
}

/* undo */

static int name_undo(const struct machine *machine, const struct options *options,
		     const struct aim *aim, const char *name, struct output *out) {
	struct ddp_placed placed;
	struct ddp_diag diag;
	int status = CTL_GOOD;

	ddp_diag_init(&diag);
	if (ddp_package_undo(&machine->root, name, options->dry_run, &placed, &diag) < 0)
		status = give_up(&diag);
	else if (options->format == FORMAT_JSON)
		result_json(options, aim, &placed, NULL, out);
	else
		undo_print(options, &placed, out);
	ddp_diag_fini(&diag);
	return status;
}

int cmd_package_undo(const struct options *options, struct output *out) {
	char name[DDP_OWN_NAME_SIZE];
	struct machine machine;
	struct aim aim;
	int status = machine_open(&machine, options);

	if (status != CTL_GOOD)
		return status;
	status = aim_name_get(&machine, options, &aim, name);
	if (status == CTL_GOOD)
		status = name_undo(&machine, options, &aim, name, out);
	machine_close(&machine);
	return status;
}
