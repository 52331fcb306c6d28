/* SPDX-License-Identifier: BSD-3-Clause */
// Load-aware RSS on all ports (--balance). Control path.
//
// A net_ddp port balances itself and keeps the order of packets meanwhile: it is turned on there,
// and asked how it goes. For any other port with a redirection table and RSS hashes in its packets
// the work is done here: the workers count packets by entry of the table, and what packets cost on
// each queue (struct queue_load); every interval the main lcore has rss/rebalance.h decide, and
// writes the entries that move. Packets that the NIC then has on their way to the old queue may be
// overtaken.
#ifndef DDP_FWD_BALANCE_H
#define DDP_FWD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "error.h"
#include "ports.h"

struct workers;
struct port_load;

// A port that is balanced. Imbalance is the load of the most loaded queue over the mean.
struct port_balance {
	const struct port *port;
	struct port_load *load; // what was measured last; NULL: the port balances itself
	uint64_t ms;            // interval
	uint64_t rounds, moves;
	double before, after; // imbalance in the last interval that had packets, without and with
			      // its moves
	double worst; // the largest before
	// An entry with more load than an even share of a queue, so that no move helps: its part of
	// the port's load, 0 if there is none, and its flow, "" if that is not known.
	double bound_share;
	char bound_flow[128];
	// Packets of a flow keep their order; what that costs is known then.
	bool keeps_order;
	uint64_t parked, given_up, longest_us;
};

struct balance {
	struct port_balance *ports;
	unsigned int n;
};

// Whether the port can be balanced as config asks, before it is started. 0, or -1 with error.
int balance_check(const struct port *port, const struct config *config,
		  const struct rte_eth_dev_info *info, struct error *error);

// Begin with the started ports whose packets workers will count: all if config says so, else those
// that balance themselves as their device arguments say. 0, or -1 with error; either way
// balance_fini() frees what there is.
int balance_init(struct balance *balance, const struct config *config, const struct ports *ports,
		 struct error *error);
void balance_fini(struct balance *balance);

// At the end of each interval: decide and move, where ports do not do so themselves. Workers are
// running.
void balance_step(struct balance *balance, const struct workers *workers);

// Read how it goes from ports that balance themselves.
void balance_read(struct balance *balance);

#endif
