/* SPDX-License-Identifier: BSD-3-Clause */
// The file of a 700-series package for a test.
#ifndef I40E_WRITE_H
#define I40E_WRITE_H

#include "i40e/i40e.h"

// Of struct ddp_package the version, name, track id and i40e are used. A section of type PROTOCOL,
// PCTYPE or PTYPE without data is made from the list in package->i40e. The caller frees the file.
uint8_t *i40e_write(const struct ddp_package *package, size_t *size);

#endif
