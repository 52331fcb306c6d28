/* SPDX-License-Identifier: BSD-3-Clause */
// Applies a change of what a port parses and hashes: the steering is exchanged, then the lower
// device hashes for the new one.
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"

int ddp_change_apply(struct ddp_port *port, const struct ddp_change *change) {
	int ret = ddp_steering_apply(port, change);

	if (ret == 0)
		ddp_offload_renew(port);
	return ret;
}
