/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: queues, started and stopped.
#pragma once

#include "port/state/port.h"

// Under the port's mutex.
int ddp_port_start(struct ddp_port *port);
void ddp_port_stop(struct ddp_port *port);
// Start and stop queues of a started port. Packets for a stopped Rx queue, including those on its
// rings, count as missed, with either overflow=. Packets on the ring of a stopped Tx queue are
// sent, or dropped if the lower device does not take them.
int ddp_rxq_start(struct ddp_port *port, uint16_t id);
void ddp_rxq_stop(struct ddp_port *port, uint16_t id);
void ddp_txq_start(struct ddp_port *port, uint16_t id);
void ddp_txq_stop(struct ddp_port *port, uint16_t id);

// Rx interrupts, under the port's mutex. May the lower device have them? -ENOTSUP, logged, if not.
int ddp_rx_intr_check(const struct ddp_port *port);
// Arm and disarm a queue. -ENOTSUP: the port is not started with Rx interrupts.
int ddp_rx_intr_enable(struct ddp_port *port, uint16_t id);
int ddp_rx_intr_disable(struct ddp_port *port, uint16_t id);
