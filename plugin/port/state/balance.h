/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: load-aware RSS.
//
// While it is on, the data path counts packets by entry of the redirection table, and what packets
// cost each queue. Every interval an alarm calls ddp_balancer_step() (plugin/rss) with these, and
// applies the moves it returns as a change of the table. run/order.h keeps the order of flows.
#ifndef DDP_PORT_STATE_BALANCE_H
#define DDP_PORT_STATE_BALANCE_H

#include "port/state/queues.h"
#include "rss/balancer.h"

#define DDP_BALANCE_MS_MAX 60000 // longest interval
#define DDP_BALANCE_PATIENCE 10 // intervals: a queue that is not polled for so long keeps its entry

// Control path. Exists from the first time that it is on.
struct ddp_balance {
	unsigned int ms;      // interval; 0: off
	uint16_t sampled;     // entry whose flow is looked for; DDP_BALANCER_NONE: none is
	char bound_flow[128]; // the flow of that entry; "": not known
	struct ddp_balancer balancer;
};

#endif
