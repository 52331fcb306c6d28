/* SPDX-License-Identifier: BSD-3-Clause */
// The lower device: attached, configured, started and programmed.
#pragma once

#include "port/state/port.h"

// lower.c: errors are logged, -errno returned. The port must be in the registry for
// ddp_lower_attach(), which learns of the lower port by an event, and not in it for the others.
int ddp_lower_attach(struct ddp_port *port, const char *devargs);
// Undo an attach, even a failed one: remove the device if we probed it.
void ddp_lower_release(struct ddp_port *port);
// Close the lower port, and remove its device from its bus if remove_device is set.
void ddp_lower_close(struct ddp_port *port, bool remove_device);

// RSS types for a lower device with several queues. They only have to keep a flow on one queue.
#define DDP_LOWER_SPREAD_HF (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP)

// lower.c: under the port's mutex; errors are logged, -errno returned. Can the lower device write
// RSS hashes into mbufs, and may it? Only the RSS flag of an mbuf shows that its packet was hashed.
bool ddp_lower_can_hash(const struct ddp_port *port);
uint64_t ddp_lower_tx_capa(const struct ddp_port *port);
// May the lower device have this mempool, Rx queue 0's? -EINVAL: not with several threads.
int ddp_lower_pool_check(const struct ddp_port *port, const struct rte_mempool *pool);
int ddp_lower_configure(struct ddp_port *port, const struct rte_eth_conf *conf);
// Reset it while it is stopped, and configure it as before.
int ddp_lower_reset(struct ddp_port *port);
int ddp_lower_start(struct ddp_port *port);
void ddp_lower_stop(struct ddp_port *port);

static inline bool ddp_lower_is(const struct ddp_port *port, const char *driver) {
	return port->lower.info.driver_name != NULL &&
	       strcmp(port->lower.info.driver_name, driver) == 0;
}

// Unplugged or removed? No lock is needed.
static inline bool ddp_lower_is_unplugged(const struct ddp_port *port) {
	return port->lower.gone || __atomic_load_n(&port->lower.unplugged, __ATOMIC_SEQ_CST);
}

// lower_offload.c

// At probe: identify an 800-series NIC by the package in its driver's arguments, and open the
// package `file` (or NULL) for a 700-series NIC. 0, or -errno (logged).
int ddp_package_find(struct ddp_port *port, const char *file);
// Remove the package, if there is one, from the stopped NIC: undoes ddp_offload_prepare().
void ddp_package_unload(struct ddp_port *port);
// Can the lower device hash for us, so that it should have as many Rx queues as we?
bool ddp_offload_spreads(const struct ddp_port *port);
// Call this before the lower port starts: a 700-series NIC takes a package only then. -ENOTSUP or
// -ENOMEM if the offload is required but fails (logged).
int ddp_offload_prepare(struct ddp_port *port);
// Call this after the lower port started. Returns as ddp_offload_prepare().
int ddp_offload_start(struct ddp_port *port);
// Call this before the lower port stops, or after its removal.
void ddp_offload_stop(struct ddp_port *port);
// Program the lower port for a personality that the port is about to get. If that is required but
// fails, or without memory, -errno with one line in error, and the lower port is as before, but no
// packet bypasses classification until ddp_offload_renew(). error must not be the port's `reason`.
int ddp_offload_replan(struct ddp_port *port, const struct ddp_personality *personality,
		       char *error);
// Call this after each change of the steering.
void ddp_offload_renew(struct ddp_port *port);
// "on", "idle" (the same, but the lower device hashed none of the packets of 10 s), "off" (by the
// argument), "waiting" (a change is under way), or the reason why it hashes nothing.
const char *ddp_offload_state(const struct ddp_port *port);
// The lower device of a port has recovered from an error, and may have lost rules and tunnels.
// Schedule programming it again. Any thread, also one inside its driver.
void ddp_offload_recovered(struct ddp_port *port);

// lower_plan.c: the rte_flow rules and tunnels of the port's plan on the lower port.

// A ddp_plan_request.accepts; ctx is the port.
bool ddp_lower_rule_is_accepted(void *ctx, const struct ddp_offload_rule *rule);
// -errno with the reason in error: some may have been created, to be undone by the next function.
int ddp_lower_rules_create(struct ddp_port *port, char *error);
void ddp_lower_rules_destroy(struct ddp_port *port);

// The table of packet types that it hashes: made, exchanged under traffic, and watched.

// Returns the number of the plan's packet types that flow rules may match.
unsigned int ddp_hw_ptypes_n_ruled(const struct ddp_port *port);
// Make the table for the port's plan, exchange it under traffic, and watch it every tenth of a
// second from now on: the data path cannot log. Packets that wait on the lower queues now are
// hashed in software if offload.drain is set. false: out of memory.
bool ddp_hw_ptypes_begin(struct ddp_port *port);
// Classify and hash every packet, as after each change of the steering.
void ddp_hw_ptypes_end(struct ddp_port *port);
// Exchange the table of one lower queue, whose lock is held. ddp_hw_ptypes_replace() follows.
void ddp_hw_ptypes_lower_set(struct ddp_port *port, struct ddp_lower_rxq *lower,
			     struct ddp_hw_ptypes *hw_ptypes);
// Free the port's table, which no lower queue uses any more, and replace it by hw_ptypes.
void ddp_hw_ptypes_replace(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes);
// Check for mismatches, log them, and begin new proofs.
void ddp_hw_ptypes_watch(struct ddp_port *port);
// Has the lower device hashed a packet since the last call? Log if not at DDP_IDLE_CHECKS calls.
void ddp_hw_ptypes_idle_watch(struct ddp_port *port);
