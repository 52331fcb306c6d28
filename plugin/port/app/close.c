/* SPDX-License-Identifier: BSD-3-Clause */
// Closes a port.
#include "port/app/app.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/start/start.h"
#include "port/state/control.h"

#include <stdlib.h>

#include <rte_interrupts.h>
#include <rte_malloc.h>

#include "package/package.h"

#define PATIENCE_S 2 // with burst calls when the port is removed

// Set in a thread while it is in our remove, which must not remove other devices. See
// lower/attach.c.
static __thread bool removing;

static void lower_queues_free(struct ddp_port *port) {
	for (unsigned int i = 0; port->lower_rxqs != NULL && i < port->lower.n_rxq_max; i++)
		rte_free(port->lower_rxqs[i].types);
	rte_free(port->lower_rxqs);
	rte_free(port->lower_txqs);
}

void ddp_port_tables_free(struct ddp_port *port) {
	ddp_balance_free(port);
	free(port->stats_now);
	free(port->stats_base);
	lower_queues_free(port);
	rte_free(port->steering);
	rte_free(port->hw_ptypes);
	ddp_flows_destroy(port->flows);
	ddp_flow_list_fini(&port->rules);
	ddp_personality_destroy(port->personality);
	ddp_package_close(port->offload.package);
	rte_free(port->mapping);
	ddp_types_forget(port, 0);
}

// Some applications clean up in a signal handler. If the signal interrupted a burst call, that call
// never ends: waiting for it would keep the process from ending, too. The port then stays as it is.
static bool burst_calls_end(struct ddp_port *port) {
	__atomic_store_n(&port->running, false, __ATOMIC_SEQ_CST);
	port->stuck = !ddp_port_quiesce_in(port, PATIENCE_S);
	if (port->stuck)
		PORT_LOG(WARNING, port->name,
			 "the port is not removed, because a burst call does not end");
	return !port->stuck;
}

int ddp_port_close(struct rte_eth_dev *dev) {
	int ret;
	struct ddp_port *port = ddp_registry_change(ddp_port_id(dev), &ret);

	if (port == NULL)
		return ret;
	if (removing && !burst_calls_end(port)) {
		ddp_change_end(port);
		return -EBUSY;
	}
	ddp_port_stop(port);
	ddp_change_end(port);
	ddp_registry_del(port);
	ddp_lower_close(port, !removing);
	ddp_port_tables_free(port);
	rte_intr_instance_free(dev->intr_handle);
	dev->intr_handle = NULL;
	return 0;
}

int ddp_port_remove(struct rte_eth_dev *dev) {
	const bool outermost = !removing;
	int ret;

	removing = true;
	ret = ddp_port_close(dev);
	if (outermost)
		removing = false;
	return ret;
}
