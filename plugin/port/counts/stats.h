/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: what is counted.
#pragma once

#include "port/state/port.h"

// stats.c: under the port's mutex.
int ddp_stats_get(struct ddp_port *port, struct rte_eth_stats *stats);
int ddp_stats_reset(struct ddp_port *port);
// The lower device's own statistics since the last reset, or 0. Releases the mutex meanwhile.
struct rte_eth_stats ddp_stats_lower(struct ddp_port *port);
// Names and values (either may be NULL) of at most n extended statistics. Returns their number, or
// -ENOMEM. Releases the mutex meanwhile.
int ddp_xstats_get(struct ddp_port *port, struct rte_eth_xstat_name *names,
		   struct rte_eth_xstat *values, unsigned int n);
// Those of the port only, and drops of the lower device (ddp_stats_lower()). Keeps the mutex.
unsigned int ddp_xstats_port_get(struct ddp_port *port, const struct rte_eth_stats *lower,
				 struct rte_eth_xstat_name *names, struct rte_eth_xstat *values,
				 unsigned int n);
// All counters since the last reset. Valid until the next call.
const struct ddp_stats *ddp_stats_read(struct ddp_port *port);
// Make room for the counters of all packet types that have an id. -ENOMEM leaves the old ones.
int ddp_stats_reserve(struct ddp_port *port);
// The numbers of load-aware RSS, for xstats, telemetry and applications.
struct rte_pmd_ddp_balance ddp_balance_numbers(const struct ddp_port *port,
					       const struct ddp_stats *stats);
