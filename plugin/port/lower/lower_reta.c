/* SPDX-License-Identifier: BSD-3-Clause */
// Makes the lower device's redirection table equal to ours.
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RETA_MAX 2048 // entries of a table
#define RETA_GROUPS (RETA_MAX / RTE_ETH_RETA_GROUP_SIZE)

static int reta_write(struct ddp_port *port, const uint16_t *reta, unsigned int n) {
	struct rte_eth_rss_reta_entry64 groups[RETA_GROUPS];

	assert(n <= RETA_MAX && n % RTE_ETH_RETA_GROUP_SIZE == 0);
	for (unsigned int i = 0; i < n; i++) {
		groups[i / RTE_ETH_RETA_GROUP_SIZE].mask = UINT64_MAX;
		groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] = reta[i];
	}
	return DDP_LOWER_CALL(port, rte_eth_dev_rss_reta_update(port->lower.port_id, groups, n));
}

static int reta_read(struct ddp_port *port, uint16_t *reta, unsigned int n) {
	struct rte_eth_rss_reta_entry64 groups[RETA_GROUPS];
	int ret;

	assert(n <= RETA_MAX && n % RTE_ETH_RETA_GROUP_SIZE == 0);
	for (unsigned int i = 0; i < n / RTE_ETH_RETA_GROUP_SIZE; i++)
		groups[i].mask = UINT64_MAX;
	ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_reta_query(port->lower.port_id, groups, n));
	for (unsigned int i = 0; ret == 0 && i < n; i++)
		reta[i] = groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
	return ret;
}

// Can a table of n entries express ours?
static bool reta_fits(const struct ddp_port *port, unsigned int n) {
	if (n < RTE_ETH_RETA_GROUP_SIZE || n > RETA_MAX || (n & (n - 1)) != 0)
		return false;
	for (unsigned int i = n; i < DDP_RETA_SIZE; i++)
		if (port->rss.reta[i] != port->rss.reta[i % n])
			return false;
	return true;
}

void ddp_lower_reta_undo(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	if (offload->reta_was != NULL && !port->lower.gone &&
	    reta_write(port, offload->reta_was, offload->reta_size) < 0)
		PORT_LOG(ERR, port->name,
			 "the redirection table of lower device %s cannot be restored",
			 port->lower.name);
	free(offload->reta_was);
	offload->reta_was = NULL;
	offload->bypass = false;
}

// Save the original table.
static bool reta_keep(struct ddp_offload *offload, const uint16_t *now, unsigned int n) {
	if (offload->reta_was != NULL)
		return true;
	offload->reta_size = n;
	offload->reta_was = malloc(n * sizeof(*now));
	if (offload->reta_was != NULL)
		memcpy(offload->reta_was, now, n * sizeof(*now));
	return offload->reta_was != NULL;
}

void ddp_lower_reta_follow(struct ddp_port *port) {
	unsigned int n = port->lower.info.reta_size;
	struct ddp_offload *offload = &port->offload;
	uint16_t reta[RETA_MAX], now[RETA_MAX];

	offload->bypass = port->n_lower_rxqs == port->n_rxqs && !offload->misrouted;
	if (!offload->bypass || port->n_rxqs == 1)
		return;
	offload->bypass = reta_fits(port, n) && reta_read(port, now, n) == 0;
	if (!offload->bypass)
		return;
	for (unsigned int i = 0; i < n; i++)
		reta[i] = port->rss.reta[i % DDP_RETA_SIZE];
	if (memcmp(now, reta, n * sizeof(*reta)) == 0)
		return;
	offload->drain = true;
	offload->bypass = reta_keep(offload, now, n) && reta_write(port, reta, n) == 0;
}
