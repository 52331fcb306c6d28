/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef I40E_WRITE_H
#define I40E_WRITE_H

#include "i40e/i40e.h"

// Of struct ddp_package the version, name, track id, devices, NVM versions and i40e are used. A
// section of type PROTOCOL, PCTYPE or PTYPE without data is made from the list in package->i40e.
// The caller frees the file.
uint8_t *i40e_write(const struct ddp_package *package, size_t *size);

// Intel's package for GTP as far as its documents describe it (pctypes, ptypes, their protocols),
// and three sections that write 4 registers from 64, 66 and 68 on: only from the last one to the
// first the old values come back. Of a track id of its own it is a package of which nothing is
// published.
#define I40E_GTP 0x80000008
#define I40E_GTP_REGISTER 64
#define I40E_GTP_SECTION 0x490 // the second of these, in the file
extern const struct ddp_package i40e_gtp;

// i40e_dpdk.c: ask rte_pmd_i40e_get_ddp_info() all it answers about the package's file. NULL, or
// what it answers otherwise than the package. The file lies in front of a page that cannot be read:
// if the function reads behind it, the process ends.
const char *i40e_dpdk_differs(const struct ddp_package *package);

struct ddp_package *i40e_write_gtp(uint32_t track_id);

#endif
