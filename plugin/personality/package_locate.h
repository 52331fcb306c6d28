/* SPDX-License-Identifier: BSD-3-Clause */
// Which package a driver would load, and why.
//
// Both drivers of the 800 series, Linux's ice and DPDK's net_ice, ask for two names below
// intel/ice/ddp: first ice-<serial number>.pkg, for this device alone, then ice.pkg.
//
// - Linux tries each name first as it is in all folders, then as .zst in all, then as .xz in all.
//   The folders, in order, are the one of firmware_class.path, then updates/<release>, updates,
//   <release> and "." below /lib/firmware.
// - DPDK tries each name in /lib/firmware/updates, then in /lib/firmware: in each folder as it is,
//   then as .xz, then as .zst, if EAL was built with libarchive. From DPDK 24.11 on, net_ice reads
//   only the file in its device argument ddp_pkg_file, if there is one.
//
// A file that was read is the last: if it is not a valid package, no other file is tried, and the
// device is in safe mode. A file that cannot be read is passed over.
//
// This describes Linux 6.x and DPDK 22.11. A driver may also find firmware that was built into the
// kernel or is in the initial ramdisk, which cannot be seen from here.
#ifndef DDP_PERSONALITY_PACKAGE_LOCATE_H
#define DDP_PERSONALITY_PACKAGE_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "package/package.h"
#include "package/sysroot.h"
#include "package/unpack.h"

#define DDP_DEFAULT_NAME "ice.pkg"
#define DDP_OWN_NAME_SIZE 32

#define DDP_REASON_SIZE 320

enum ddp_driver {
	DDP_DRIVER_KERNEL,
	DDP_DRIVER_DPDK,
	DDP_N_DRIVERS,
};

// What is asked: the same for both drivers.
struct ddp_locate {
	const struct ddp_sysroot *root;
	const char *release; // of the kernel
	bool has_serial;
	uint64_t serial;
	uint32_t segment; // type of segment that the device takes, 0: not known, so any
};

enum ddp_candidate_state {
	DDP_ABSENT,
	DDP_PASSED_OVER, // the driver cannot read it; reason says why
	DDP_TAKEN,       // the driver reads it, and no other
	DDP_NOT_REACHED, // it is there, but another one comes before it
};

enum ddp_support {
	DDP_SUPPORT_NO,
	DDP_SUPPORT_YES,
	DDP_SUPPORT_UNKNOWN,
};

// What a file holds, for a driver.
struct ddp_facts {
	bool known;  // it could be read here: what follows is filled
	bool usable; // by driver and device
	char name[DDP_PACKAGE_NAME_SIZE];
	struct ddp_version version;
	uint32_t track_id;
	char problem[DDP_REASON_SIZE]; // why it is not usable, or not known
};

struct ddp_candidate {
	char *path; // in the root
	bool own;   // the device's own name, with its serial number
	enum ddp_packing packing;
	enum ddp_candidate_state state;
	char *target; // what a symbolic link leads to; or NULL
	char reason[DDP_REASON_SIZE];
	struct ddp_facts facts; // of what exists
};

struct ddp_located {
	enum ddp_driver driver;
	struct ddp_candidate *candidates; // in the driver's order
	unsigned int n_candidates;
	enum ddp_support support[DDP_ZST + 1]; // by packing
	int taken;                             // candidate, or -1 for none
	// The same where files of unknown support are not read after all. Differs from taken only
	// if so.
	int otherwise;
};

// The device's own name.
void ddp_own_name(uint64_t serial, char name[DDP_OWN_NAME_SIZE]);

const char *ddp_driver_name(enum ddp_driver driver);

// What a package is for, by its track id: "OS default", "Comms"; NULL for one not known.
const char *ddp_track_name(uint32_t track_id);

// Go through a driver's places. 0; -ENOMEM with errno.
int ddp_locate(const struct ddp_locate *locate, enum ddp_driver driver,
	       struct ddp_located *located);
void ddp_located_fini(struct ddp_located *located);

// Read a package as a driver would; path is for messages.
void ddp_facts_read(const char *path, const void *bytes, size_t size, uint32_t segment,
		    struct ddp_facts *facts);

#endif
