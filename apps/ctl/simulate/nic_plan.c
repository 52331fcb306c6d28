/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic_plan.h"

#include "common/output.h"
#include "ctl/profile/profile_load.h"

struct ddp_plan *nic_plan(const struct ddp_nic *nic, const struct ddp_personality *loaded,
			  const struct ddp_plan_ask *ask, struct ddp_spread_plan **spread) {
	struct ddp_plan *plan = ddp_plan_build(nic, loaded->profile, loaded->program, ask);

	*spread = NULL;
	if (plan == NULL)
		no_memory_exit();
	if (loaded->profile->modelled)
		return plan;
	*spread = ddp_spread_build(plan, loaded->profile, loaded->program, ask);
	if (*spread == NULL)
		no_memory_exit();
	return plan;
}
