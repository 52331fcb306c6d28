/* SPDX-License-Identifier: BSD-3-Clause */
// decap=on: packets reach the application as if they had come without their tunnel.
#ifndef DDP_PORT_RUN_DECAP_H
#define DDP_PORT_RUN_DECAP_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

// Remove what is between the Ethernet addresses and the IP header at inner_l3_off: the packet
// begins with the outer addresses and the EtherType of its inner IP version, and mbuf->packet_type
// tells the inner layers as outer ones. Returns whether it did; else the packet is unchanged: no IP
// header is there, or its first segment is shared with others, or has no room for an Ethernet
// header.
bool ddp_decap(struct rte_mbuf *mbuf, uint16_t inner_l3_off);

#endif
