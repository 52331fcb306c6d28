/* SPDX-License-Identifier: BSD-3-Clause */
#include "balance.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "port/rte_pmd_ddp.h"
#include "rss/rebalance.h"
#include "workers.h"

#define GROUP RTE_ETH_RETA_GROUP_SIZE
#define RETA_LEAST 64

// Counters of a queue, at the end of the last interval.
struct queue_mark {
	uint64_t rounds; // of its worker
	uint64_t unhashed, packets, cycles;
};

struct port_load {
	unsigned int at; // the port's position
	bool failed;     // it was said that the table cannot be written
	struct ddp_rebalance rebalance;
	uint16_t reta[DDP_RETA_SIZE];
	uint64_t entries[DDP_RETA_SIZE]; // packets, at the end of the last interval
	struct queue_mark *queues;
};

// What changed within an interval.
struct measured {
	uint32_t packets[DDP_RETA_SIZE];
	uint64_t others[DDP_REBALANCE_QUEUES];
	double costs[DDP_REBALANCE_QUEUES];
	bool usable[DDP_REBALANCE_QUEUES];
};

/* Which ports can be balanced */

static bool is_balanceable(unsigned int reta_size) {
	return reta_size >= RETA_LEAST && reta_size <= DDP_RETA_SIZE &&
	       (reta_size & (reta_size - 1)) == 0;
}

static int reta_check(const struct port *port, const struct config *config,
		      const struct rte_eth_dev_info *info, struct error *error) {
	if (info->reta_size == 0)
		return error_set(error, EXIT_USAGE,
				 "--balance: port %u (%s) has no redirection table", port->id,
				 port->name);
	if (!is_balanceable(info->reta_size))
		return error_set(
			error, EXIT_USAGE,
			"--balance: port %u (%s) has a redirection table of %u entries, not "
			"of 64, 128, 256 or 512",
			port->id, port->name, info->reta_size);
	if ((info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH) == 0)
		return error_set(error, EXIT_USAGE,
				 "--balance: port %u (%s) puts no RSS hash into packets", port->id,
				 port->name);
	if (config->n_rxq > DDP_REBALANCE_QUEUES)
		return error_set(
			error, EXIT_USAGE,
			"--balance: port %u (%s) can be balanced over at most %u Rx queues",
			port->id, port->name, DDP_REBALANCE_QUEUES);
	return 0;
}

int balance_check(const struct port *port, const struct config *config,
		  const struct rte_eth_dev_info *info, struct error *error) {
	if (config->balance_ms == 0)
		return 0;
	if (!port->is_ddp && reta_check(port, config, info, error) < 0)
		return -1;
	if ((config->rss_hf & info->flow_type_rss_offloads) == 0)
		return error_set(error, EXIT_USAGE, "--balance: port %u (%s) hashes no packets",
				 port->id, port->name);
	return 0;
}

/* The table */

static int reta_query(struct port_load *load, const struct port *port, unsigned int n_rxq) {
	struct rte_eth_rss_reta_entry64 groups[DDP_RETA_SIZE / GROUP];
	int ret;

	for (unsigned int i = 0; i < DDP_RETA_SIZE / GROUP; i++)
		groups[i].mask = UINT64_MAX;
	ret = rte_eth_dev_rss_reta_query(port->id, groups, port->reta_size);
	for (unsigned int i = 0; i < port->reta_size && ret == 0; i++) {
		load->reta[i] = groups[i / GROUP].reta[i % GROUP];
		if (load->reta[i] >= n_rxq)
			ret = -ERANGE;
	}
	return ret;
}

static int reta_update(const struct port *port, const struct ddp_rebalance_move *moves,
		       unsigned int n) {
	struct rte_eth_rss_reta_entry64 groups[DDP_RETA_SIZE / GROUP] = {0};

	for (unsigned int i = 0; i < n; i++) {
		struct rte_eth_rss_reta_entry64 *group = &groups[moves[i].entry / GROUP];

		group->mask |= UINT64_C(1) << moves[i].entry % GROUP;
		group->reta[moves[i].entry % GROUP] = moves[i].to;
	}
	return rte_eth_dev_rss_reta_update(port->id, groups, port->reta_size);
}

/* Begin and end */

// The port's table is where balancing begins. Writing an entry as it is shows whether that works.
static int load_init(struct port_load *load, const struct port *port, const struct config *config,
		     struct error *error) {
	const struct ddp_rebalance_move none = {.entry = 0};
	struct ddp_rebalance_move move = none;
	int ret = reta_query(load, port, config->n_rxq);

	if (ret < 0)
		return error_set(error, EXIT_FAILED,
				 "--balance: port %u (%s): cannot read its redirection table: %s",
				 port->id, port->name, rte_strerror(-ret));
	move.from = move.to = load->reta[0];
	ret = reta_update(port, &move, 1);
	if (ret < 0)
		return error_set(error, EXIT_FAILED,
				 "--balance: port %u (%s): cannot write its redirection table: %s",
				 port->id, port->name, rte_strerror(-ret));
	ddp_rebalance_init(&load->rebalance, port->reta_size, config->n_rxq);
	return 0;
}

static int load_create(struct port_balance *balance, unsigned int at, const struct config *config,
		       struct error *error) {
	balance->load = calloc(1, sizeof(*balance->load));
	if (balance->load == NULL)
		return error_set(error, EXIT_FAILED, "out of memory");
	balance->load->at = at;
	balance->load->queues = calloc(config->n_rxq, sizeof(*balance->load->queues));
	if (balance->load->queues == NULL)
		return error_set(error, EXIT_FAILED, "out of memory");
	return load_init(balance->load, balance->port, config, error);
}

static int ddp_begin(const struct port *port, const struct config *config, struct error *error) {
	int ret =
		config->balance_ms == 0 ? 0 : rte_pmd_ddp_balance_set(port->id, config->balance_ms);

	if (ret < 0)
		return error_set(error, EXIT_FAILED, "--balance: port %u (%s): %s", port->id,
				 port->name, rte_strerror(-ret));
	return 0;
}

static bool ddp_balances(const struct port *port) {
	struct rte_pmd_ddp_balance told;

	return rte_pmd_ddp_balance_get(port->id, &told) == 0 && told.ms != 0;
}

static int port_init(struct balance *balance, const struct config *config,
		     const struct ports *ports, unsigned int i, struct error *error) {
	const struct port *port = &ports->list[i];
	struct port_balance *row = &balance->ports[balance->n];

	if (port->is_ddp && ddp_begin(port, config, error) < 0)
		return -1;
	if (port->is_ddp ? !ddp_balances(port) : config->balance_ms == 0)
		return 0;
	row->port = port;
	row->ms = config->balance_ms;
	row->keeps_order = port->is_ddp;
	balance->n++;
	return port->is_ddp ? 0 : load_create(row, i, config, error);
}

int balance_init(struct balance *balance, const struct config *config, const struct ports *ports,
		 struct error *error) {
	balance->ports = calloc(ports->n, sizeof(*balance->ports));
	if (balance->ports == NULL)
		return error_set(error, EXIT_FAILED, "out of memory");
	for (unsigned int i = 0; i < ports->n; i++)
		if (port_init(balance, config, ports, i, error) < 0)
			return -1;
	return 0;
}

void balance_fini(struct balance *balance) {
	for (unsigned int i = 0; i < balance->n; i++) {
		if (balance->ports[i].load != NULL)
			free(balance->ports[i].load->queues);
		free(balance->ports[i].load);
	}
	free(balance->ports);
	memset(balance, 0, sizeof(*balance));
}

/* An interval */

static uint64_t entry_read(const struct workers *workers, unsigned int at, unsigned int entry) {
	uint64_t packets = 0;

	for (unsigned int w = 0; w < workers->n; w++)
		packets += counter_get(&workers->list[w].entries[at][entry]);
	return packets;
}

static void queue_measure(const struct workers *workers, const struct queue *queue,
			  struct queue_mark *last, struct measured *measured) {
	const struct worker *worker = &workers->list[topology_worker(queue->queue, workers->n)];
	const struct queue_mark now = {
		.rounds = counter_get(&worker->rounds),
		.unhashed = counter_get(&queue->load.unhashed),
		.packets = counter_get(&queue->load.packets),
		.cycles = counter_get(&queue->load.cycles),
	};
	uint64_t packets = now.packets - last->packets;

	measured->others[queue->queue] = now.unhashed - last->unhashed;
	measured->costs[queue->queue] =
		packets == 0 ? 0 : (double)(now.cycles - last->cycles) / packets;
	measured->usable[queue->queue] = now.rounds != last->rounds;
	*last = now;
}

static void measure(struct port_load *load, const struct workers *workers,
		    struct measured *measured) {
	unsigned int n_rxq = load->rebalance.n_queues;

	memset(measured, 0, sizeof(*measured));
	for (unsigned int i = 0; i < load->rebalance.n_entries; i++) {
		uint64_t now = entry_read(workers, load->at, i);

		measured->packets[i] = RTE_MIN(now - load->entries[i], UINT32_MAX);
		load->entries[i] = now;
	}
	for (unsigned int q = 0; q < n_rxq; q++)
		queue_measure(workers, workers->queues[load->at * n_rxq + q], &load->queues[q],
			      measured);
}

// The table stays as it is if it cannot be written.
static bool moves_make(struct port_balance *balance, const struct ddp_rebalance_move *moves,
		       unsigned int n) {
	struct port_load *load = balance->load;
	int ret = reta_update(balance->port, moves, n);

	if (ret == 0) {
		for (unsigned int i = 0; i < n; i++)
			load->reta[moves[i].entry] = moves[i].to;
		return true;
	}
	if (!load->failed)
		say(LOG_WARNING, "port %u (%s): cannot write its redirection table: %s",
		    balance->port->id, balance->port->name, rte_strerror(-ret));
	load->failed = true;
	return false;
}

static void results_keep(struct port_balance *balance, unsigned int n_moves) {
	const struct ddp_rebalance *rebalance = &balance->load->rebalance;

	balance->rounds++;
	balance->moves += n_moves;
	if (rebalance->before <= 0)
		return;
	balance->before = rebalance->before;
	balance->after = rebalance->after;
	balance->worst = RTE_MAX(balance->worst, balance->before);
	balance->bound_share =
		rebalance->bound_entry == DDP_REBALANCE_NONE ? 0 : rebalance->bound_share;
}

static void port_step(struct port_balance *balance, const struct workers *workers) {
	struct port_load *load = balance->load;
	struct ddp_rebalance_move moves[DDP_REBALANCE_MOVES];
	struct measured measured;
	unsigned int n;

	measure(load, workers, &measured);
	n = ddp_rebalance_step(&load->rebalance,
			       &(struct ddp_rebalance_interval){
				       .reta = load->reta,
				       .packets = measured.packets,
				       .others = measured.others,
				       .costs = measured.costs,
				       .usable = measured.usable,
			       },
			       moves);
	if (n != 0 && !moves_make(balance, moves, n)) {
		load->rebalance.after = load->rebalance.before;
		n = 0;
	}
	results_keep(balance, n);
}

void balance_step(struct balance *balance, const struct workers *workers) {
	for (unsigned int i = 0; i < balance->n; i++)
		if (balance->ports[i].load != NULL)
			port_step(&balance->ports[i], workers);
}

void balance_read(struct balance *balance) {
	for (unsigned int i = 0; i < balance->n; i++) {
		struct port_balance *row = &balance->ports[i];
		struct rte_pmd_ddp_balance told;

		if (row->load != NULL || rte_pmd_ddp_balance_get(row->port->id, &told) < 0)
			continue;
		row->ms = told.ms;
		row->rounds = told.rounds;
		row->moves = told.moves;
		row->before = told.before;
		row->after = told.after;
		row->worst = told.worst;
		row->bound_share = told.bound_entry == RTE_PMD_DDP_NO_ENTRY ? 0 : told.bound_share;
		snprintf(row->bound_flow, sizeof(row->bound_flow), "%s", told.bound_flow);
		row->parked = told.parked;
		row->given_up = told.given_up;
		row->longest_us = told.longest_us;
	}
}
