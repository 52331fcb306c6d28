/* SPDX-License-Identifier: BSD-3-Clause */
// The profiles of a port: built aside, where everything may fail that can, and exchanged while
// traffic flows.
#include "port.h"

#include <errno.h>
#include <stdlib.h>

static int personality_build(struct ddp_port *port, struct ddp_personality *personality,
			     const char *spec, struct ddp_diag *diag) {
	int ret;

	personality->profile = ddp_profile_load(spec, diag);
	if (personality->profile == NULL)
		return -EINVAL;
	personality->program = ddp_program_build(personality->profile, diag);
	if (personality->program == NULL)
		return -EINVAL;
	personality->n_types = ddp_program_n_types(personality->program);
	ret = ddp_types_number(port, personality->program);
	if (ret == -ENOSPC)
		ddp_error(diag, NULL, "no packet type ids are left: this port has had too many");
	else if (ret < 0)
		ddp_error(diag, NULL, "out of memory");
	return ret;
}

int ddp_personality_create(struct ddp_port *port, const char *spec,
			   struct ddp_personality **personality, struct ddp_diag *diag) {
	int ret;

	*personality = calloc(1, sizeof(**personality));
	if (*personality == NULL) {
		ddp_error(diag, NULL, "out of memory");
		return -ENOMEM;
	}
	ret = personality_build(port, *personality, spec, diag);
	if (ret < 0) {
		ddp_personality_destroy(*personality);
		*personality = NULL;
	}
	return ret;
}

void ddp_personality_destroy(struct ddp_personality *personality) {
	if (personality == NULL)
		return;
	ddp_program_destroy(personality->program);
	ddp_profile_destroy(personality->profile);
	free(personality);
}

// Everything that a steering refers to is made for the new personality first, then all of it is
// exchanged in one step.
int ddp_personality_exchange(struct ddp_port *port, struct ddp_personality *personality) {
	struct ddp_change change = {.personality = personality};
	int ret = ddp_stats_reserve(port);

	if (ret == 0)
		ret = ddp_flows_compile(port, personality, port->data->nb_rx_queues, &change.flows,
					NULL, 0);
	if (ret == 0)
		ret = ddp_steering_apply(port, &change);
	if (ret < 0)
		ddp_flows_destroy(change.flows);
	return ret;
}
