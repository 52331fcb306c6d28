/* SPDX-License-Identifier: BSD-3-Clause */
// Port ids of lower devices. ethdev gives a new port the first free id, and many applications
// expect that their n ports have the ids 0 to n - 1. So the low ids are held while a lower device
// is probed, and its port, which the application does not use, gets a high one.
//
// An id is held as a driver allocates one. Such a port was never announced: ethdev's iterators skip
// it, its functions refuse it, and no event is sent when it is released.
#include "port/lower/lower.h"

#include <stdio.h>

// Of the high ids, those to leave free. A lower device may have several ports before the one that
// we use, as net_failsafe has; without a free id its probe would fail.
#define IDS_SPARE 4

// Also an id of a port that is not announced yet is in use.
static bool is_free(uint16_t id) {
	const struct rte_eth_dev_data *data = rte_eth_devices[id].data;

	return data == NULL || data->name[0] == '\0';
}

static unsigned int high_ids_free(void) {
	unsigned int n = 0;

	for (uint16_t id = DDP_LOWER_ID_MIN; id < RTE_MAX_ETHPORTS; id++)
		n += is_free(id);
	return n;
}

// Hold one more low id. Returns whether there was one.
static bool id_hold(struct ddp_ids *ids, uint16_t port_id) {
	char name[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev *dev;

	// Names differ while a net_ddp port is probed as lower device of another.
	snprintf(name, sizeof(name), "net_ddp held %u for %u", ids->n, port_id);
	dev = rte_eth_dev_allocate(name);
	if (dev == NULL)
		return false;
	if (dev->data->port_id >= DDP_LOWER_ID_MIN) {
		rte_eth_dev_release_port(dev);
		return false;
	}
	ids->devs[ids->n++] = dev;
	return true;
}

void ddp_ids_hold(struct ddp_ids *ids, uint16_t port_id) {
	ids->n = 0;
	if (high_ids_free() < IDS_SPARE)
		return;
	while (ids->n < RTE_DIM(ids->devs) && id_hold(ids, port_id))
		;
}

void ddp_ids_release(struct ddp_ids *ids) {
	while (ids->n > 0)
		rte_eth_dev_release_port(ids->devs[--ids->n]);
}
