/* SPDX-License-Identifier: BSD-3-Clause */
// The NIC in net_stream: it hashes packets when they arrive, as the make-believe NIC of the unit
// tests does, and puts each on the queue that its redirection table says. There they wait until
// they are read: a change of key, table or rules finds packets that were hashed and spread before
// it.
//
// Packets arrive while somebody reads, in long runs of one type with a short one of all flows
// between them. One for a queue that is full does not arrive: a flow has no gap, and a queue that
// nobody reads keeps none but its own waiting.
#ifndef DDP_TESTS_STRESS_NIC_H
#define DDP_TESTS_STRESS_NIC_H

#include <ethdev_driver.h>
#include <rte_mbuf.h>

#include "unit/port/fake_nic.h"

#define NIC_DESC 256 // packets that wait on a queue, at most

void nic_init(enum fake_nic_kind kind);
void nic_start(uint64_t rss_hf);
// Drop what waits.
void nic_stop(void);
void nic_info(struct rte_eth_dev_info *info);
uint16_t nic_rx(uint16_t queue, struct rte_mempool *pool, struct rte_mbuf **mbufs, uint16_t n);
unsigned int nic_waiting(uint16_t queue);

// The ops that it has besides those of net_stream.
int nic_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int nic_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n);
int nic_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n);
int nic_tunnel_add(struct rte_eth_dev *dev, struct rte_eth_udp_tunnel *tunnel);
int nic_tunnel_del(struct rte_eth_dev *dev, struct rte_eth_udp_tunnel *tunnel);
int nic_flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **ops);

#define NIC_OPS                                                                 \
	.rss_hash_update = nic_rss_hash_update, .reta_update = nic_reta_update, \
	.reta_query = nic_reta_query, .udp_tunnel_port_add = nic_tunnel_add,    \
	.udp_tunnel_port_del = nic_tunnel_del, .flow_ops_get = nic_flow_ops_get

#endif
