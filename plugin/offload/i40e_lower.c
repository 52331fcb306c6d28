/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_lower.h"

#include <assert.h>
#include <stdlib.h>

const struct ddp_i40e_calls *(*ddp_i40e_lower_calls)(struct ddp_diag *diag) = ddp_i40e_calls_find;

int ddp_i40e_lower_hash(struct ddp_i40e_lower *lower, const struct ddp_plan *plan,
			struct ddp_diag *diag) {
	int ret = 0;

	for (unsigned int i = 0; i < plan->n_insets && ret == 0; i++)
		ret = ddp_i40e_port_hash(&lower->port, plan->insets[i].pctype,
					 plan->insets[i].words, plan->insets[i].n, diag);
	return ret;
}

static int package_program(struct ddp_i40e_lower *lower, const struct ddp_plan *plan,
			   struct ddp_diag *diag) {
	int ret = ddp_i40e_port_add(&lower->port, plan->package, diag);

	if (ret == 0)
		ret = ddp_i40e_port_types(&lower->port, plan->package, &lower->rss_hf, diag);
	if (ret == 0)
		ret = ddp_i40e_lower_hash(lower, plan, diag);
	if (ret < 0)
		ddp_i40e_port_undo(&lower->port, diag);
	return ret;
}

struct ddp_i40e_lower *ddp_i40e_lower_load(uint16_t port_id, uint16_t device,
					   const struct ddp_plan *plan, struct ddp_diag *diag) {
	const struct ddp_i40e_calls *calls = ddp_i40e_lower_calls(diag);
	struct ddp_i40e_lower *lower;

	assert(plan->package != NULL);
	if (calls == NULL)
		return NULL;
	lower = calloc(1, sizeof(*lower));
	if (lower == NULL) {
		ddp_no_memory(diag);
		return NULL;
	}
	ddp_i40e_port_init(&lower->port, calls, port_id, device);
	if (package_program(lower, plan, diag) < 0) {
		free(lower);
		return NULL;
	}
	return lower;
}

void ddp_i40e_lower_unload(struct ddp_i40e_lower *lower, bool gone, struct ddp_diag *diag) {
	if (lower == NULL)
		return;
	if (gone)
		ddp_i40e_port_forget(&lower->port);
	else
		ddp_i40e_port_undo(&lower->port, diag);
	free(lower);
}
