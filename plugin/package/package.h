/* SPDX-License-Identifier: BSD-3-Clause */
// An Intel DDP package file: the common part of both families of NICs.
//
//	e810/e810.h   the tables of an 800-series package (ice*.pkg)
//	i40e/i40e.h   a 700-series profile package (*.pkg, *.pkgo)
//
// personality/personality.h opens them.
//
// A package that was opened is whole: every offset, count and size in it was checked, and what is
// found through these headers lies inside the file. It never changes, so any number of threads may
// read it. All numbers of a file are little endian; here they are in host order.
#pragma once

#include <stddef.h>

#include "base/diag.h"

#define DDP_PACKAGE_NAME_SIZE 33 // bytes: 32 characters of the file and a NUL

// Track ids of Intel's packages for the 800 series.
#define DDP_TRACK_OS_DEFAULT 0xc0000001
#define DDP_TRACK_COMMS 0xc0000002

enum ddp_package_kind {
	DDP_PACKAGE_E810, // 800 series: holds an ICE configuration segment
	DDP_PACKAGE_I40E, // 700 series: holds an i40e segment
};

struct ddp_version {
	uint8_t major, minor, update, draft;
};

// To print one: printf("%s " DDP_VERSION_FMT, name, DDP_VERSION_NUMBERS(version)).
#define DDP_VERSION_FMT "%u.%u.%u.%u"
#define DDP_VERSION_NUMBERS(version) \
	(version).major, (version).minor, (version).update, (version).draft

struct ddp_segment {
	uint32_t type;
	uint32_t offset; // from the start of the file
	uint32_t size;   // bytes, header included
	struct ddp_version version;
	char name[DDP_PACKAGE_NAME_SIZE];
};

struct ddp_device { // PCI ids
	uint16_t vendor, device;
	uint16_t sub_vendor, sub_device; // 0xffff: any, 700 series
};

struct ddp_arena;

struct ddp_package {
	struct ddp_arena *arena; // of all that follows
	enum ddp_package_kind kind;
	const char *path; // as given
	const uint8_t *bytes;
	size_t size;
	struct ddp_segment *segments;
	unsigned int n_segments;
	struct ddp_version version; // of the package
	char name[DDP_PACKAGE_NAME_SIZE];
	uint32_t track_id;
	struct ddp_device *devices; // none: any device
	unsigned int n_devices;
	uint32_t *nvm_versions; // none: any version
	unsigned int n_nvm_versions;
	struct e810_package *e810; // of that kind, else NULL
	struct i40e_package *i40e;
};

void ddp_package_close(struct ddp_package *package);
