/* SPDX-License-Identifier: BSD-3-Clause */
// What PCI devices are called, from the file pci.ids that lspci reads.
#ifndef DDPTOOL_PCI_IDS_H
#define DDPTOOL_PCI_IDS_H

#include <stdint.h>

#include "package/sysroot.h"

struct pci_ids {
	char *text; // NULL: there is no such file
};

struct pci_id {
	uint16_t vendor, device;
	uint16_t sub_vendor, sub_device;
};

void pci_ids_open(struct pci_ids *ids, const struct ddp_sysroot *root);
void pci_ids_close(struct pci_ids *ids);

// "Intel Corporation Ethernet Network Adapter E810-C-Q2": of the card, else of the chip. The caller
// frees it; NULL where nothing is known.
char *pci_ids_name(const struct pci_ids *ids, const struct pci_id *id);

#endif
