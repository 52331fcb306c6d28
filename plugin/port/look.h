/* SPDX-License-Identifier: BSD-3-Clause */
// What the mbufs of a burst say, at a glance.
//
// Reading them is all that packets cost that a NIC hashed and that go straight: so there is a kernel for each
// instruction set. They differ in speed only.
#ifndef DDP_PORT_LOOK_H
#define DDP_PORT_LOOK_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "base/isa.h"

// Do all of n packets (1 to DDP_BURST_MAX) have an RSS hash, and the packet type of the first one? Returns their bytes,
// 0 for no, also if all are empty. Their mbufs get the port meanwhile, in any case.
typedef uint64_t ddp_look_fn(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n);

ddp_look_fn ddp_look_words; // portable
ddp_look_fn ddp_look_v3;    // AVX2, on x86-64 only
// The best one for a level.
ddp_look_fn *ddp_look_choose(enum ddp_isa isa);

#endif
