/* SPDX-License-Identifier: BSD-3-Clause */
#include "package_locate.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e810/e810.h"
#include "package/folders.h"
#include "personality/package_open.h"

#define NAMES_MAX 2
#define N_PACKINGS 3

// What reading a file came to.
enum outcome {
	MISSING,
	READABLE,
	EMPTY,
	BROKEN,    // reason says why: no driver can read it
	NOT_LINUX, // reason says why: Linux cannot read it
	UNSEEN,    // a driver may read it, we cannot; the facts' problem says why
};

static void reason_set(char reason[DDP_REASON_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void reason_set(char reason[DDP_REASON_SIZE], const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, DDP_REASON_SIZE, fmt, ap);
	va_end(ap);
}

void ddp_own_name(uint64_t serial, char name[DDP_OWN_NAME_SIZE]) {
	snprintf(name, DDP_OWN_NAME_SIZE, "ice-%016" PRIx64 ".pkg", serial);
}

const char *ddp_driver_name(enum ddp_driver driver) {
	return driver == DDP_DRIVER_KERNEL ? "kernel" : "dpdk";
}

const char *ddp_track_name(uint32_t track_id) {
	if (track_id == DDP_TRACK_OS_DEFAULT)
		return "OS default";
	return track_id == DDP_TRACK_COMMS ? "Comms" : NULL;
}

/* what a file holds */

static bool has_segment(const struct ddp_package *package, uint32_t type) {
	for (unsigned int i = 0; i < package->n_segments; i++)
		if (package->segments[i].type == type)
			return true;
	return false;
}

static bool version_suits(const struct ddp_version *version, char problem[DDP_REASON_SIZE]) {
	if (version->major == E810_VERSION_MAJOR && version->minor == E810_VERSION_MINOR)
		return true;
	reason_set(problem, "its version %u.%u is %s: drivers take %u.%u only", version->major,
		   version->minor,
		   version->major > E810_VERSION_MAJOR || (version->major == E810_VERSION_MAJOR &&
							   version->minor > E810_VERSION_MINOR) ?
			   "too new" :
			   "too old",
		   E810_VERSION_MAJOR, E810_VERSION_MINOR);
	return false;
}

// Of a signature of a kind that cannot be checked here, the device is the judge.
static bool is_intact(const struct ddp_package *package, char problem[DDP_REASON_SIZE]) {
	struct e810_integrity integrity;
	struct ddp_diag diag;
	bool intact;
	int ret;

	ddp_diag_init(&diag);
	ret = e810_integrity_check(package, &integrity, &diag);
	intact = ret == 0 || ret == -ENOTSUP;
	if (ret == -ENOMEM)
		reason_set(problem, "it cannot be checked: %s", ddp_diag_reason(&diag));
	else if (!intact)
		reason_set(problem, "the device will refuse it: %s", ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
	return intact;
}

static bool is_usable(const struct ddp_package *package, uint32_t segment,
		      char problem[DDP_REASON_SIZE]) {
	if (package->kind != DDP_PACKAGE_E810) {
		reason_set(problem, "it is a package for the 700 series");
		return false;
	}
	if (segment != 0 && !has_segment(package, segment)) {
		reason_set(problem, "it has no segment 0x%x, which this device takes", segment);
		return false;
	}
	return version_suits(&package->version, problem) && is_intact(package, problem);
}

void ddp_facts_read(const char *path, const void *bytes, size_t size, uint32_t segment,
		    struct ddp_facts *facts) {
	struct ddp_package *package;
	struct ddp_diag diag;

	*facts = (struct ddp_facts){.known = true};
	ddp_diag_init(&diag);
	package = ddp_package_read(path, bytes, size, &diag);
	if (package == NULL && diag.no_memory) {
		reason_set(facts->problem, "it cannot be read: %s", ddp_diag_reason(&diag));
	} else if (package == NULL) {
		reason_set(facts->problem, "it is no package: %s", ddp_diag_first(&diag));
	} else {
		memcpy(facts->name, package->name, sizeof(facts->name));
		facts->version = package->version;
		facts->track_id = package->track_id;
		facts->usable = is_usable(package, segment, facts->problem);
	}
	ddp_package_close(package);
	ddp_diag_fini(&diag);
}

/* one file */

static enum outcome error_outcome(const struct ddp_sysroot *root, struct ddp_candidate *candidate) {
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		if (ddp_sysroot_dangles(root, candidate->path))
			reason_set(candidate->reason, "a symbolic link that leads nowhere");
		return MISSING;
	case EISDIR:
		reason_set(candidate->reason, "not a regular file");
		return BROKEN;
	case ELOOP:
		reason_set(candidate->reason, "a symbolic link that leads back to itself");
		return BROKEN;
	case EFBIG:
		reason_set(candidate->facts.problem, "it is far larger than a package");
		candidate->facts.known = true; // and not usable
		return UNSEEN;
	default:
		reason_set(candidate->facts.problem, "it cannot be read here: %s", strerror(errno));
		return UNSEEN;
	}
}

static enum outcome content_look(const struct ddp_locate *locate, struct ddp_candidate *candidate,
				 const void *bytes, size_t size) {
	void *content;
	size_t content_size;

	if (size == 0) {
		reason_set(candidate->reason, "an empty file");
		return EMPTY;
	}
	content = ddp_unpack(candidate->packing, bytes, size, &content_size, candidate->reason,
			     sizeof(candidate->reason));
	if (content == NULL)
		return BROKEN;
	ddp_facts_read(candidate->path, content, content_size, locate->segment, &candidate->facts);
	free(content);
	if (candidate->packing == DDP_XZ && !ddp_xz_suits_linux(bytes, size)) {
		reason_set(candidate->reason,
			   "Linux unpacks .xz with CRC32 only (xz --check=crc32)");
		return NOT_LINUX;
	}
	return READABLE;
}

static enum outcome file_look(const struct ddp_locate *locate, struct ddp_candidate *candidate) {
	enum outcome outcome;
	size_t size;
	void *bytes = ddp_sysroot_read(locate->root, candidate->path, &size);

	if (bytes == NULL)
		return error_outcome(locate->root, candidate);
	candidate->target = ddp_sysroot_target(locate->root, candidate->path);
	outcome = content_look(locate, candidate, bytes, size);
	free(bytes);
	return outcome;
}

/* the places */

static int candidate_add(struct ddp_located *located, const char *folder, const char *name,
			 bool own, enum ddp_packing packing) {
	struct ddp_candidate *candidate = &located->candidates[located->n_candidates];

	if (asprintf(&candidate->path, "%s" DDP_PACKAGE_FOLDER "/%s%s", folder, name,
		     ddp_packing_suffix(packing)) < 0) {
		candidate->path = NULL;
		return -ENOMEM;
	}
	candidate->own = own;
	candidate->packing = packing;
	located->n_candidates++;
	return 0;
}

static int kernel_candidates(const struct ddp_locate *locate, struct ddp_located *located,
			     const char *name, bool own) {
	static const enum ddp_packing order[N_PACKINGS] = {DDP_PLAIN, DDP_ZST, DDP_XZ};
	char folders[DDP_FOLDERS_MAX][PATH_MAX];
	unsigned int n = ddp_kernel_folders(locate->root, locate->release, folders);

	for (unsigned int p = 0; p < N_PACKINGS; p++)
		for (unsigned int f = 0; f < n; f++)
			if (candidate_add(located, folders[f], name, own, order[p]) < 0)
				return -ENOMEM;
	return 0;
}

static int dpdk_candidates(struct ddp_located *located, const char *name, bool own) {
	static const enum ddp_packing order[N_PACKINGS] = {DDP_PLAIN, DDP_XZ, DDP_ZST};
	char folders[DDP_FOLDERS_MAX][PATH_MAX];
	unsigned int n = ddp_dpdk_folders(folders);

	for (unsigned int f = 0; f < n; f++)
		for (unsigned int p = 0; p < N_PACKINGS; p++)
			if (candidate_add(located, folders[f], name, own, order[p]) < 0)
				return -ENOMEM;
	return 0;
}

static int candidates_make(const struct ddp_locate *locate, struct ddp_located *located) {
	// Linux takes a serial number of zero for none.
	const bool own_name =
		locate->has_serial && (locate->serial != 0 || located->driver == DDP_DRIVER_DPDK);
	char own[DDP_OWN_NAME_SIZE];
	int ret = 0;

	located->candidates =
		calloc(NAMES_MAX * DDP_FOLDERS_MAX * N_PACKINGS, sizeof(*located->candidates));
	if (located->candidates == NULL)
		return -ENOMEM;
	ddp_own_name(locate->serial, own);
	for (unsigned int i = own_name ? 0 : 1; i < NAMES_MAX && ret == 0; i++) {
		const char *name = i == 0 ? own : DDP_DEFAULT_NAME;

		ret = located->driver == DDP_DRIVER_KERNEL ?
			      kernel_candidates(locate, located, name, i == 0) :
			      dpdk_candidates(located, name, i == 0);
	}
	return ret;
}

// Whether a kernel's configuration has a line.
static bool config_has(const char *config, const char *line) {
	size_t len = strlen(line);

	for (const char *at = config; (at = strstr(at, line)) != NULL; at++)
		if ((at == config || at[-1] == '\n') && (at[len] == '\n' || at[len] == '\0'))
			return true;
	return false;
}

// Linux: as it was configured. DPDK: as it was built, and there may be several on a machine.
static void support_read(const struct ddp_locate *locate, struct ddp_located *located) {
	static const char *const files[] = {"/boot/config-%s", "/lib/modules/%s/config"};
	char path[PATH_MAX];
	char *config = NULL;
	size_t size;

	located->support[DDP_PLAIN] = DDP_SUPPORT_YES;
	located->support[DDP_XZ] = located->support[DDP_ZST] = DDP_SUPPORT_UNKNOWN;
	if (located->driver != DDP_DRIVER_KERNEL)
		return;
	for (unsigned int i = 0; i < 2 && config == NULL; i++) {
		snprintf(path, sizeof(path), files[i], locate->release);
		config = ddp_sysroot_read(locate->root, path, &size);
	}
	if (config == NULL)
		return;
	located->support[DDP_ZST] = config_has(config, "CONFIG_FW_LOADER_COMPRESS_ZSTD=y");
	// Before 5.19 there was one option for the one kind.
	located->support[DDP_XZ] = config_has(config, "CONFIG_FW_LOADER_COMPRESS_XZ=y") ||
				   (config_has(config, "CONFIG_FW_LOADER_COMPRESS=y") &&
				    strstr(config, "CONFIG_FW_LOADER_COMPRESS_XZ") == NULL);
	free(config);
}

/* the driver's way through them */

// Whether the driver gets to read a file; maybe: files of unknown support are read.
static bool is_read(const struct ddp_located *located, const struct ddp_candidate *candidate,
		    enum outcome outcome, bool maybe) {
	const enum ddp_support support = located->support[candidate->packing];

	if (support == DDP_SUPPORT_NO || (support == DDP_SUPPORT_UNKNOWN && !maybe))
		return false;
	switch (outcome) {
	case READABLE:
	case UNSEEN:
		return true;
	case NOT_LINUX:
		return located->driver == DDP_DRIVER_DPDK;
	case EMPTY: // libarchive refuses it, EAL alone is content with nothing
		return located->driver == DDP_DRIVER_DPDK && !maybe &&
		       candidate->packing == DDP_PLAIN;
	default:
		return false;
	}
}

// Linux goes on to packed names only if the last folder had nothing, whatever became of the others.
static int kernel_walk(const struct ddp_located *located, const enum outcome *outcomes,
		       bool maybe) {
	const struct ddp_candidate *candidates = located->candidates;
	bool stopped = false; // for the name at hand

	for (unsigned int i = 0; i < located->n_candidates; i++) {
		const struct ddp_candidate *candidate = &candidates[i];
		const enum ddp_support support = located->support[candidate->packing];
		const bool tried =
			support == DDP_SUPPORT_YES || (support == DDP_SUPPORT_UNKNOWN && maybe);

		if (i > 0 && candidate->own != candidates[i - 1].own)
			stopped = false;
		if (stopped)
			continue;
		if (is_read(located, candidate, outcomes[i], maybe))
			return i;
		if (i + 1 < located->n_candidates &&
		    candidates[i + 1].packing != candidate->packing)
			stopped = tried && outcomes[i] != MISSING;
	}
	return -1;
}

// DPDK tries no more than one packed file in a place.
static int dpdk_walk(const struct ddp_located *located, const enum outcome *outcomes, bool maybe) {
	bool stopped = false;

	for (unsigned int i = 0; i < located->n_candidates; i++) {
		if (located->candidates[i].packing == DDP_PLAIN)
			stopped = false;
		if (stopped)
			continue;
		if (is_read(located, &located->candidates[i], outcomes[i], maybe))
			return i;
		stopped = located->candidates[i].packing != DDP_PLAIN && outcomes[i] != MISSING;
	}
	return -1;
}

static void state_set(const struct ddp_located *located, unsigned int i, enum outcome outcome) {
	struct ddp_candidate *candidate = &located->candidates[i];

	if (outcome == MISSING) {
		candidate->state = DDP_ABSENT;
	} else if ((int)i == located->taken) {
		candidate->state = DDP_TAKEN;
		candidate->reason[0] = '\0'; // what hinders others
	} else if (located->taken >= 0 && (int)i > located->taken) {
		candidate->state = DDP_NOT_REACHED;
	} else {
		candidate->state = DDP_PASSED_OVER;
		if (located->support[candidate->packing] == DDP_SUPPORT_NO)
			reason_set(candidate->reason,
				   "this kernel was built without support for %s",
				   ddp_packing_suffix(candidate->packing));
		else if (candidate->reason[0] == '\0')
			reason_set(candidate->reason,
				   "another file that cannot be read ends the search for "
				   "packed ones");
	}
}

int ddp_locate(const struct ddp_locate *locate, enum ddp_driver driver,
	       struct ddp_located *located) {
	enum outcome outcomes[NAMES_MAX * DDP_FOLDERS_MAX * N_PACKINGS];
	int (*walk)(const struct ddp_located *, const enum outcome *, bool) =
		driver == DDP_DRIVER_KERNEL ? kernel_walk : dpdk_walk;
	int ret;

	*located = (struct ddp_located){.driver = driver};
	ret = candidates_make(locate, located);
	if (ret < 0) {
		ddp_located_fini(located);
		errno = -ret;
		return ret;
	}
	support_read(locate, located);
	for (unsigned int i = 0; i < located->n_candidates; i++)
		outcomes[i] = file_look(locate, &located->candidates[i]);
	located->taken = walk(located, outcomes, true);
	located->otherwise = walk(located, outcomes, false);
	for (unsigned int i = 0; i < located->n_candidates; i++)
		state_set(located, i, outcomes[i]);
	return 0;
}

void ddp_located_fini(struct ddp_located *located) {
	for (unsigned int i = 0; i < located->n_candidates; i++) {
		free(located->candidates[i].path);
		free(located->candidates[i].target);
	}
	free(located->candidates);
	*located = (struct ddp_located){0};
}
