/* SPDX-License-Identifier: BSD-3-Clause */
// DPDK as the judge of what we read of a 700-series package.
#ifndef I40E_DPDK_H
#define I40E_DPDK_H

#include "i40e/i40e.h"

// Ask rte_pmd_i40e_get_ddp_info() all it answers about the package's file. NULL, or what it answers
// otherwise than the package. The file lies in front of a page that cannot be read: where the
// function reads behind it, the process ends.
const char *i40e_dpdk_differs(const struct ddp_package *package);

#endif
