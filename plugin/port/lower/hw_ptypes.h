/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: the table of run/hw_ptypes.h, made, exchanged under traffic, and watched.
#ifndef DDP_PORT_LOWER_HW_PTYPES_H
#define DDP_PORT_LOWER_HW_PTYPES_H

#include "port/run/hw_ptypes.h"
#include "port/state/port.h"

// All of these: under the port's mutex.

// How many of the plan's packet types flow rules may match.
unsigned int ddp_hw_ptypes_n_ruled(const struct ddp_port *port);
// Build the table for the port's plan. NULL: out of memory.
struct ddp_hw_ptypes *ddp_hw_ptypes_make(struct ddp_port *port);
// Exchange the table under traffic. NULL: classify and hash every packet, as after each change of
// the steering. The port owns hw_ptypes. drain: packets that wait on the lower queues now are
// hashed in software.
void ddp_hw_ptypes_set(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes, bool drain);
// The same for one lower queue whose lock is held. ddp_hw_ptypes_replace() follows.
void ddp_hw_ptypes_lower_set(struct ddp_port *port, struct ddp_lower_rxq *lower,
			     struct ddp_hw_ptypes *hw_ptypes);
// Free the port's table, which no lower queue uses any more, and keep hw_ptypes in its place.
void ddp_hw_ptypes_replace(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes);
// Does another net_ddp below keep packets that it took before now back from its queues? They may
// come later than any number of others: no hardware hash is to be used until they have come.
// begins: now is when this is called, else when it was last called with it.
bool ddp_lower_keeps(struct ddp_port *port, bool begins);
// Look for mismatches, log them, and begin new proofs.
void ddp_hw_ptypes_watch(struct ddp_port *port);
// Has the lower device hashed any of the packets that came since the last call? Log if it has not
// at DDP_IDLE_LOOKS calls.
void ddp_hw_ptypes_idle_watch(struct ddp_port *port);
// Do both every tenth of a second from now on: the data path cannot log.
void ddp_hw_ptypes_watch_begin(struct ddp_port *port);

#endif
