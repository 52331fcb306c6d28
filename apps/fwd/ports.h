/* SPDX-License-Identifier: BSD-3-Clause */
// The ports: they are found, set up equally, started and closed. Control path.
#ifndef DDP_FWD_PORTS_H
#define DDP_FWD_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "config.h"
#include "log.h"

struct fwd_port {
	uint16_t id;
	char name[RTE_ETH_NAME_MAX_LEN];
	const char *driver;
	const char *devargs; // of the device, NULL: none
	bool is_ddp;         // net_ddp: mbufs have ddp_meta and ddp_rx_tsc
	bool started;
	struct rte_ether_addr mac;
};

struct ports {
	struct fwd_port list[RTE_MAX_ETHPORTS];
	unsigned int n;
	struct rte_mempool *pool;
};

// Find all ports of this process. 0, or -1 with error; ports_stop() is required in both cases.
int ports_find(struct ports *ports, struct error *error);

// Do all packets come from captures that are played once?
bool ports_are_finite(const struct ports *ports);

// Configure and start all ports for n_workers workers. 0, or -1 with error.
int ports_start(struct ports *ports, const struct config *config, unsigned int n_workers,
		struct error *error);

// Stop and close all ports and free their packet buffers. No lcore may poll them.
void ports_stop(struct ports *ports);

#endif
