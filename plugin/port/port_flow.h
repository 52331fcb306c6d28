/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules of a port, shown. What they are: plugin/rules/rules.h.
#ifndef DDP_PORT_PORT_FLOW_H
#define DDP_PORT_PORT_FLOW_H

#include <stdio.h>

#include "port.h"
#include "rules/rules.h"

// flow.c: counted since the last reset; the rule counts.
struct ddp_flow_count ddp_flow_count(const struct ddp_port *port, const struct rte_flow *flow);

// flow_dump.c: one line.
void ddp_flow_print(const struct ddp_port *port, const struct rte_flow *flow, FILE *out);

#endif
