/* SPDX-License-Identifier: BSD-3-Clause */
// The burst functions, and what ethdev calls beside them.
#pragma once

#include "port/state/port.h"

extern int ddp_meta_off; // of the dynamic mbuf fields
extern int ddp_rx_tsc_off;
uint16_t ddp_rx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_prepare(void *queue, struct rte_mbuf **mbufs, uint16_t n);
dpdk_queue_count_t ddp_rx_queue_count(void *queue);
int ddp_rx_descriptor_status(void *queue, uint16_t off);
int ddp_tx_done_cleanup(void *queue, uint32_t n);
int ddp_tx_descriptor_status(void *queue, uint16_t off);
// Send the packets on Tx rings, as far as lower queues are not locked and take them.
void ddp_tx_flush(struct ddp_port *port);
// Send what is now on the Tx rings of a lower queue, which is locked. Returns whether all went.
bool ddp_tx_lower_flush(struct ddp_port *port, struct ddp_lower_txq *lower);
