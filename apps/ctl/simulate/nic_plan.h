/* SPDX-License-Identifier: BSD-3-Clause */
// What a NIC does of a profile, and how it spreads.
#ifndef DDPCTL_SIMULATE_NIC_PLAN_H
#define DDPCTL_SIMULATE_NIC_PLAN_H

#include "offload/offload.h"

struct ddp_personality;

// Both plans are the caller's. *spread is NULL for a profile that stands for a package. Ends the
// program if there is no memory.
struct ddp_plan *nic_plan(const struct ddp_nic *nic, const struct ddp_personality *loaded,
			  const struct ddp_plan_ask *ask, struct ddp_spread_plan **spread);

#endif
