/* SPDX-License-Identifier: BSD-3-Clause */
// The ports forwarded between: found, set up alike, started, and taken down again. Control path.
#ifndef DDP_FWD_PORTS_H
#define DDP_FWD_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "config.h"
#include "log.h"

struct port {
	uint16_t id;
	char name[RTE_ETH_NAME_MAX_LEN];
	const char *driver;
	const char *devargs; // of its device, NULL for none
	bool is_ddp;         // of net_ddp: its mbufs have ddp_meta and ddp_rx_tsc
	bool started;
	struct rte_ether_addr mac;
};

struct ports {
	struct port list[RTE_MAX_ETHPORTS];
	unsigned int n;
	struct rte_mempool *pool;
};

// Find all ports of this process. 0, or -1 with error; either way ports_stop() closes what was
// found.
int ports_find(struct ports *ports, struct error *error);

// Whether all packets come from captures that are played once.
bool ports_are_finite(const struct ports *ports);

// Configure and start all ports for n_workers lcores that forward. 0, or -1 with error.
int ports_start(struct ports *ports, const struct config *config, unsigned int n_workers,
		struct error *error);

// Stop and close all ports and free their packet buffers. Nobody may poll them any more.
void ports_stop(struct ports *ports);

#endif
