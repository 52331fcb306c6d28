/* SPDX-License-Identifier: BSD-3-Clause */
// What the commands of ddpctl package share: the machine, the devices that are meant, packages in
// words.
#ifndef DDPCTL_PACKAGE_PACKAGE_TARGET_H
#define DDPCTL_PACKAGE_PACKAGE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json_writer.h"
#include "ctl/options.h"
#include "package/pci_nic.h"
#include "personality/package_locate.h"

#define RELEASE_SIZE 128

struct sysroot {
	struct ddp_sysroot root;
	char release[RELEASE_SIZE]; // of its kernel
};

// A device that is meant, or with nothing known of it any that has no package of its own.
struct package_target {
	bool has_nic;
	struct ddp_nic nic;
	bool has_serial;
	uint64_t serial;
	uint32_t segment;
};

// EXIT_GOOD, or it was said what is wrong and sysroot_close is not called for.
int sysroot_open(struct sysroot *sysroot, const struct options *options);
void sysroot_close(struct sysroot *sysroot);

// Those that --device or --serial name, else all NICs there are, else one of which nothing is
// known. The caller frees aims. EXIT_GOOD, or it was said what is wrong.
int package_targets_get(const struct sysroot *sysroot, const struct options *options,
			struct package_target **targets, unsigned int *n);

struct ddp_locate locate_of(const struct sysroot *sysroot, const struct package_target *target);

// "ICE COMMS Package 1.3.31.0 (Comms)", or what is wrong with it.
void facts_write(const struct ddp_facts *facts, FILE *to);

// "usable", "package" and "problem" of an object.
void facts_json(const struct ddp_facts *facts, struct json_writer *json);

// A serial number, or null.
void serial_json(bool has_serial, uint64_t serial, struct json_writer *json);

#endif
