/* SPDX-License-Identifier: BSD-3-Clause */
// A profile in the words of i40e's interface, which has fixed sizes for all that it says: what does
// not fit is cut.
#ifndef DDP_TESTPMD_DDP_INFO_H
#define DDP_TESTPMD_DDP_INFO_H

#include <stdint.h>

#include <rte_pmd_i40e.h>

#include "profile/profile.h"

// Name, version and track id: Intel numbers its packages, our numbers come from name and version.
void ddp_info_head(struct rte_pmd_i40e_profile_info *info, const char *name, const char *version);

// Answer as rte_pmd_i40e_get_ddp_info(): 0, -ENOTSUP (nothing of this type), -EINVAL (size too
// small), -ENOMEM.
int ddp_info_get(const struct ddp_profile *profile, uint8_t *info, uint32_t size,
		 enum rte_pmd_i40e_package_info type);

#endif
