/* SPDX-License-Identifier: BSD-3-Clause */
// What a burst call needs of other threads: the value of its locks, and who sleeps.
#include "port/state/port.h"

#include <unistd.h>

int ddp_lock_owner = 1;

void ddp_rx_intr_wake(struct ddp_rxq *queue) {
	const uint64_t one = 1;

	if (__atomic_exchange_n(&queue->armed, false, __ATOMIC_ACQ_REL) &&
	    write(queue->wake_fd, &one, sizeof(one)) < 0)
		return; // it is set already
}

void ddp_rx_intr_wake_all(struct ddp_port *port) {
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned int i = 0; port->rx_intr && i < port->n_rxqs; i++)
		ddp_rx_intr_wake(&port->rxqs[i]);
}
