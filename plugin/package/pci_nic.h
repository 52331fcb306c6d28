/* SPDX-License-Identifier: BSD-3-Clause */
// The 800-series NICs of a machine and their serial numbers, from sysfs.
//
// The serial number is PCI Express's Device Serial Number (extended capability 3): eight bytes, the
// lower half first. As a number it is written as lspci and devlink do, "00-cc-bb-ff-ff-aa-05-68",
// and in the name of a package without dashes.
#ifndef DDP_PACKAGE_PCI_NIC_H
#define DDP_PACKAGE_PCI_NIC_H

#include <stddef.h>
#include <stdint.h>

#include "sysroot.h"

#define DDP_NIC_ADDRESS_SIZE 16
#define DDP_SERIAL_SIZE 24

enum ddp_serial_state {
	DDP_SERIAL_KNOWN,
	DDP_SERIAL_NONE,   // the device has none
	DDP_SERIAL_HIDDEN, // only root may read as far
};

struct ddp_nic {
	char address[DDP_NIC_ADDRESS_SIZE]; // "0000:81:00.0"
	uint16_t device;                    // PCI device id; the vendor is Intel
	const char *model;                  // "E810-C for QSFP"
	uint32_t segment;                   // type of the package's segment that the device takes
	enum ddp_serial_state serial_state;
	uint64_t serial;
};

// Sixteen hexadecimal digits, in pairs with '-' or ':' between them or not. 0, or -EINVAL.
int ddp_serial_parse(const char *text, uint64_t *serial);
void ddp_serial_print(uint64_t serial, char text[DDP_SERIAL_SIZE]);

// The serial number in a configuration space of size bytes. 0; -ENOENT: there is none; -ELOOP: none
// was found, the list of capabilities has no end; -ENODATA: the list goes on beyond what is there.
int ddp_serial_find(const uint8_t *config, size_t size, uint64_t *serial);

// The NIC at a PCI address, with or without its domain. 0, or -errno with one error in diag.
int ddp_nic_get(const struct ddp_sysroot *root, const char *address, struct ddp_nic *nic,
		struct ddp_diag *diag);

// All 800-series NICs by address. The caller frees nics. 0, or -errno with one error in diag.
int ddp_nics_get(const struct ddp_sysroot *root, struct ddp_nic **nics, unsigned int *n,
		 struct ddp_diag *diag);

#endif
