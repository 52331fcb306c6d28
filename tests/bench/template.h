/* SPDX-License-Identifier: BSD-3-Clause */
// net_template: the fastest device there can be. Its Rx hands out prepared packets, over and over:
// it copies a burst's pointers and fills the mbufs in, as a driver does. What it does not do is
// move any bytes.
//
// The packets stay the device's: who receives one uses it for a while and forgets it, instead of
// freeing it; so nobody's figure has the cost of a mempool in it. No more of them may be in use
// than there are. With hashed=N every Nth of them comes with a hash, as from a NIC that knows
// GTP-U. With restores=1 it writes their tunnels back, which decap=on overwrites.
#ifndef BENCH_TEMPLATE_H
#define BENCH_TEMPLATE_H

#include "packets/packets.h"

#define TEMPLATE_PACKETS 1024 // enough for 8 Rx queues of net_ddp

// What devices that are set up from now on hand out, and how many.
void template_packets_set(struct packets *packets);
unsigned int template_packets(void);
// Packets that device net_template<number> has handed out.
uint64_t template_served(unsigned int number);

#endif
