/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules of a port as text. The rules: plugin/rules/rules.h.
#ifndef DDP_PORT_EXCHANGE_PORT_FLOW_H
#define DDP_PORT_EXCHANGE_PORT_FLOW_H

#include <stdio.h>

#include "port/state/port.h"

// port_flow_dump.c: write one line, with the counts of a rule that counts.
void ddp_flow_print(const struct ddp_port *port, const struct rte_flow *flow,
		    const struct ddp_flow_count *count, FILE *out);

#endif
