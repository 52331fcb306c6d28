/* SPDX-License-Identifier: BSD-3-Clause */
// Statistics. The data path owns the counters, which only grow; a reset saves what to subtract.
//
// At any moment, and after any reset:
//
//	rx_lower_packets = rx_delivered_packets + rx_missed_packets + rx_dropped_by_rule +
//			   rx_dropped_at_stop + rx_in_rings
//
// rx_in_rings counts packets that were taken from the lower device and not yet counted elsewhere:
// on rings, held, or inside a burst call. At a reset these count as taken after it. The sum
// excludes drops of the lower device (lower_...).
//
// rx_path_cache_entries, order_longest_parking_us, balance_before_permille and
// balance_after_permille are not counters, so not reset.
#include "port/counts/stats.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

static size_t stats_size(unsigned int n_types) {
	return sizeof(struct ddp_stats) + n_types * sizeof(uint64_t);
}

static int stats_grow(struct ddp_stats **stats, unsigned int n_old, unsigned int n) {
	struct ddp_stats *grown = calloc(1, stats_size(n));

	assert(n_old < n);
	if (grown == NULL)
		return -ENOMEM;
	if (*stats != NULL)
		memcpy(grown, *stats, stats_size(n_old));
	free(*stats);
	*stats = grown;
	return 0;
}

// Each lower queue has its own counters, in its own cache lines. unused: arrays to free.
static int types_grow(struct ddp_port *port, uint64_t **unused, unsigned int n) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		unused[i] = rte_calloc_socket("ddp_types", n, sizeof(uint64_t), RTE_CACHE_LINE_SIZE,
					      port->data->numa_node);
		if (unused[i] == NULL)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		if (lower->types != NULL)
			memcpy(unused[i], lower->types, port->n_counted * sizeof(uint64_t));
		RTE_SWAP(unused[i], lower->types);
		ddp_unlock(&lower->lock);
	}
	return 0;
}

int ddp_stats_reserve(struct ddp_port *port) {
	const unsigned int n_old = port->n_counted, n = port->n_type_ids;
	uint64_t *unused[DDP_PORT_QUEUES] = {0};
	int ret;

	if (n <= n_old)
		return 0;
	ret = stats_grow(&port->stats_now, n_old, n);
	if (ret == 0)
		ret = stats_grow(&port->stats_base, n_old, n);
	if (ret == 0)
		ret = types_grow(port, unused, n);
	if (ret == 0)
		port->n_counted = n;
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++)
		rte_free(unused[i]);
	return ret;
}

// The sum of one counter of all lower queues, at off in each.
static uint64_t lower_sum(const struct ddp_port *port, size_t off) {
	uint64_t sum = 0;

	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++)
		sum += counter_read((const uint64_t *)((const char *)&port->lower_rxqs[i] + off));
	return sum;
}

#define LOWER_SUM(port, counter) lower_sum(port, offsetof(struct ddp_lower_rxq, counter))

// Under the port's mutex, which is held when caches are allocated and freed.
static struct ddp_cache_stats caches_read(const struct ddp_port *port) {
	struct ddp_cache_stats sum = {0};

	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		const struct ddp_lower_rxq *lower = &port->lower_rxqs[i];
		struct ddp_cache_stats now = {0};

		if (lower->cache != NULL)
			ddp_cache_stats_get(lower->cache, &now);
		sum.hits += lower->past.hits + now.hits;
		sum.misses += lower->past.misses + now.misses;
		sum.learned += lower->past.learned + now.learned;
		sum.entries += now.entries;
	}
	return sum;
}

struct rte_pmd_ddp_balance ddp_balance_numbers(const struct ddp_port *port,
					       const struct ddp_stats *stats) {
	const struct ddp_balance *balance = port->balance;
	const struct ddp_balancer_past *past;
	uint64_t longest = 0;
	struct rte_pmd_ddp_balance numbers = {
		.rounds = stats->balance_rounds,
		.moves = stats->balance_moves,
		.given_up = stats->balance_given_up,
		.order_parked = stats->order_parked,
		.bound_entry = RTE_PMD_DDP_NO_ENTRY,
	};

	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++)
		longest = RTE_MAX(longest, counter_read(&port->lower_rxqs[i].order_counts.longest));
	numbers.order_longest_parking_us = longest / RTE_MAX(rte_get_tsc_hz() / 1000000, 1U);
	if (balance == NULL)
		return numbers;
	past = &balance->balancer.past[(balance->balancer.n_past - 1) % DDP_BALANCER_LAST];
	numbers.interval_ms = balance->ms;
	numbers.before = past->before; // 0 without any
	numbers.after = past->after;
	numbers.worst = balance->balancer.worst;
	numbers.bound_entry = balance->balancer.bound_entry;
	numbers.bound_share = balance->balancer.bound_share;
	memcpy(numbers.bound_flow, balance->bound_flow, sizeof(numbers.bound_flow));
	return numbers;
}

// Packets taken meanwhile count as on rings. If many, read again: the thread was preempted.
#define READ_TRIES 16
#define READ_SLACK 512 // packets

static void rx_read(const struct ddp_port *port, struct ddp_stats *stats) {
	unsigned int tries = READ_TRIES;
	uint64_t before;

	do {
		const struct ddp_cache_stats caches = caches_read(port);

		before = LOWER_SUM(port, taken);
		memset(&stats->rx_all, 0, sizeof(stats->rx_all));
		for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
			stats->rx[i].packets = counter_read(&port->rxqs[i].packets);
			stats->rx[i].bytes = counter_read(&port->rxqs[i].bytes);
			stats->rx[i].missed = LOWER_SUM(port, missed[i]);
			stats->rx_all.packets += stats->rx[i].packets;
			stats->rx_all.bytes += stats->rx[i].bytes;
			stats->rx_all.missed += stats->rx[i].missed;
		}
		stats->rx_dropped = port->rx_dropped;
		stats->rx_rule_dropped = LOWER_SUM(port, rule_dropped);
		stats->rx_offloaded = LOWER_SUM(port, offloaded);
		stats->rx_decapped = LOWER_SUM(port, decapped);
		stats->rx_decap_passed = LOWER_SUM(port, decap_passed);
		stats->order_parked = LOWER_SUM(port, order_counts.parked);
		stats->balance_given_up = LOWER_SUM(port, order_counts.given_up);
		stats->cache_hits = caches.hits;
		stats->cache_misses = caches.misses;
		stats->cache_learned = caches.learned;
		// last, to include all packets counted above
		stats->rx_taken = LOWER_SUM(port, taken);
	} while (stats->rx_taken - before > READ_SLACK && --tries > 0);
}

static void all_read(const struct ddp_port *port, struct ddp_stats *stats) {
	rx_read(port, stats);
	memset(&stats->tx_all, 0, sizeof(stats->tx_all));
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		stats->tx[i].packets = counter_read(&port->txqs[i].packets);
		stats->tx[i].bytes = counter_read(&port->txqs[i].bytes);
		stats->tx_all.packets += stats->tx[i].packets;
		stats->tx_all.bytes += stats->tx[i].bytes;
	}
	stats->tx_dropped = port->tx_dropped;
	stats->balance_rounds = port->balance != NULL ? port->balance->balancer.rounds : 0;
	stats->balance_moves = port->balance != NULL ? port->balance->balancer.n_moves : 0;
	for (unsigned int i = 0; i < port->n_counted; i++) {
		stats->types[i] = 0;
		for (unsigned int j = 0; j < port->lower.n_rxq_max; j++)
			stats->types[i] += counter_read(&port->lower_rxqs[j].types[i]);
	}
}

const struct ddp_stats *ddp_stats_read(struct ddp_port *port) {
	const uint64_t *base = (const uint64_t *)port->stats_base;
	uint64_t *now = (uint64_t *)port->stats_now;

	assert(port->n_counted >= port->n_type_ids);
	all_read(port, port->stats_now);
	for (size_t i = 0; i < stats_size(port->n_counted) / sizeof(uint64_t); i++)
		now[i] -= base[i];
	return port->stats_now;
}

struct rte_eth_stats ddp_stats_lower(struct ddp_port *port) {
	const struct rte_eth_stats *base = &port->lower.base;
	struct rte_eth_stats stats;

	if (DDP_LOWER_CALL(port, rte_eth_stats_get(port->lower.port_id, &stats)) != 0)
		return (struct rte_eth_stats){0};
	stats.imissed -= base->imissed;
	stats.ierrors -= base->ierrors;
	stats.oerrors -= base->oerrors;
	stats.rx_nombuf -= base->rx_nombuf;
	return stats;
}

int ddp_stats_get(struct ddp_port *port, struct rte_eth_stats *out) {
	// First, because it releases the mutex.
	const struct rte_eth_stats lower = ddp_stats_lower(port);
	const struct ddp_stats *stats = ddp_stats_read(port);

	out->ipackets = stats->rx_all.packets;
	out->ibytes = stats->rx_all.bytes;
	out->imissed = stats->rx_all.missed + lower.imissed;
	out->ierrors = lower.ierrors;
	out->rx_nombuf = lower.rx_nombuf;
	out->opackets = stats->tx_all.packets;
	out->obytes = stats->tx_all.bytes;
	out->oerrors = lower.oerrors;
	for (unsigned int i = 0; i < RTE_ETHDEV_QUEUE_STAT_CNTRS; i++) {
		DPDK_QUEUE_STAT_SET(out, q_ipackets, i, stats->rx[i].packets);
		DPDK_QUEUE_STAT_SET(out, q_ibytes, i, stats->rx[i].bytes);
		DPDK_QUEUE_STAT_SET(out, q_errors, i, stats->rx[i].missed);
		DPDK_QUEUE_STAT_SET(out, q_opackets, i, stats->tx[i].packets);
		DPDK_QUEUE_STAT_SET(out, q_obytes, i, stats->tx[i].bytes);
	}
	return 0;
}

int ddp_stats_reset(struct ddp_port *port) {
	const uint16_t lower = port->lower.port_id;
	struct ddp_stats *base = port->stats_base;
	struct rte_eth_stats lower_base = {0};

	all_read(port, base);
	// Only packets that are counted elsewhere; the others count as taken after the reset.
	base->rx_taken = base->rx_all.packets + base->rx_all.missed + base->rx_rule_dropped +
			 base->rx_dropped;
	DDP_LOWER_CALL(port, rte_eth_xstats_reset(lower));
	if (DDP_LOWER_CALL(port, rte_eth_stats_reset(lower)) != 0)
		DDP_LOWER_CALL(port, rte_eth_stats_get(lower, &lower_base));
	port->lower.base = lower_base;
	return 0;
}

static uint64_t tx_in_rings(const struct ddp_port *port) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < port->n_txqs; i++)
		if (port->txqs[i].ring != NULL)
			n += rte_ring_count(port->txqs[i].ring);
	return n;
}

// Output for extended statistics: one function writes names and values, so their order is equal.
struct xstats {
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *values;
	unsigned int n;
	unsigned int size;
};

__rte_format_printf(3, 4) static void put(struct xstats *out, uint64_t value, const char *fmt,
					  ...) {
	unsigned int i = out->n++;
	va_list ap;

	if (i >= out->size)
		return;
	if (out->values != NULL)
		out->values[i] = (struct rte_eth_xstat){.id = i, .value = value};
	if (out->names != NULL) {
		va_start(ap, fmt);
		vsnprintf(out->names[i].name, sizeof(out->names[i].name), fmt, ap);
		va_end(ap);
	}
}

static void port_put(struct xstats *out, const struct ddp_port *port,
		     const struct ddp_stats *stats) {
	const struct rte_pmd_ddp_balance balance = ddp_balance_numbers(port, stats);

	put(out, stats->rx_taken, "rx_lower_packets");
	put(out, stats->rx_all.packets, "rx_delivered_packets");
	put(out, stats->rx_all.missed, "rx_missed_packets");
	put(out, stats->rx_rule_dropped, "rx_dropped_by_rule");
	put(out, stats->rx_offloaded, "rx_offloaded");
	put(out, stats->rx_dropped, "rx_dropped_at_stop");
	put(out,
	    stats->rx_taken - stats->rx_all.packets - stats->rx_all.missed -
		    stats->rx_rule_dropped - stats->rx_dropped,
	    "rx_in_rings");
	put(out, tx_in_rings(port), "tx_in_rings");
	put(out, stats->tx_dropped, "tx_dropped_at_stop");
	put(out, stats->cache_hits, "rx_path_cache_hits");
	put(out, stats->cache_misses, "rx_path_cache_misses");
	put(out, stats->cache_learned, "rx_path_cache_learned");
	put(out, caches_read(port).entries, "rx_path_cache_entries");
	put(out, stats->rx_decapped, "rx_decapped_packets");
	put(out, stats->rx_decap_passed, "rx_not_decapped_packets");
	put(out, balance.order_parked, "order_parked");
	put(out, balance.order_longest_parking_us, "order_longest_parking_us");
	put(out, balance.given_up, "balance_given_up");
	put(out, balance.rounds, "balance_rounds");
	put(out, balance.moves, "balance_moves");
	put(out, 1000 * balance.before + 0.5, "balance_before_permille");
	put(out, 1000 * balance.after + 0.5, "balance_after_permille");
}

static void queues_put(struct xstats *out, const struct ddp_port *port,
		       const struct ddp_stats *stats) {
	for (unsigned int i = 0; i < port->n_rxqs; i++) {
		put(out, stats->rx[i].packets, "rx_q%u_packets", i);
		put(out, stats->rx[i].bytes, "rx_q%u_bytes", i);
		put(out, stats->rx[i].missed, "rx_q%u_missed", i);
	}
	for (unsigned int i = 0; i < port->n_txqs; i++) {
		put(out, stats->tx[i].packets, "tx_q%u_packets", i);
		put(out, stats->tx[i].bytes, "tx_q%u_bytes", i);
	}
}

#define TYPE_NAME_LEN ((int)(RTE_ETH_XSTATS_NAME_SIZE - sizeof("rx_type__packets")))
#define TYPE_CUT_LEN (TYPE_NAME_LEN - (int)strlen("_65535"))

// Includes types of deleted profiles, so that the sum holds and the ids of xstats, which an
// application may keep, do not change. A name that is too long ends with the id.
static void types_put(struct xstats *out, const struct ddp_port *port,
		      const struct ddp_stats *stats) {
	put(out, stats->types[0], "rx_type_none_packets");
	for (unsigned int id = 1; id < port->n_type_ids; id++) {
		const char *name = ddp_types_name(port, id);

		if (strlen(name) > (size_t)TYPE_NAME_LEN)
			put(out, stats->types[id], "rx_type_%.*s_%u_packets", TYPE_CUT_LEN, name,
			    id);
		else
			put(out, stats->types[id], "rx_type_%s_packets", name);
	}
}

unsigned int ddp_xstats_port_get(struct ddp_port *port, const struct rte_eth_stats *lower,
				 struct rte_eth_xstat_name *names, struct rte_eth_xstat *values,
				 unsigned int n) {
	struct xstats out = {.names = names, .values = values, .size = n};

	port_put(&out, port, ddp_stats_read(port));
	put(&out, lower->imissed, "lower_rx_missed_errors");
	put(&out, lower->ierrors, "lower_rx_errors");
	put(&out, lower->rx_nombuf, "lower_rx_mbuf_allocation_errors");
	return out.n;
}

int ddp_xstats_get(struct ddp_port *port, struct rte_eth_xstat_name *names,
		   struct rte_eth_xstat *values, unsigned int n) {
	const uint16_t id = port->lower.port_id;
	struct xstats out = {.names = names, .values = values, .size = n};
	// First, because calls of the lower device release the mutex.
	const int n_lower = RTE_MAX(DDP_LOWER_CALL(port, rte_eth_xstats_get_names(id, NULL, 0)), 0);
	struct rte_eth_xstat_name *lower_names = calloc(n_lower + 1, sizeof(*lower_names));
	struct rte_eth_xstat *lower = calloc(n_lower + 1, sizeof(*lower)); // 0 if it gives none
	const struct ddp_stats *stats;

	if (lower_names != NULL && lower != NULL) {
		if (names != NULL)
			DDP_LOWER_CALL(port, rte_eth_xstats_get_names(id, lower_names, n_lower));
		if (values != NULL)
			DDP_LOWER_CALL(port, rte_eth_xstats_get(id, lower, n_lower));
		stats = ddp_stats_read(port);
		port_put(&out, port, stats);
		queues_put(&out, port, stats);
		for (int i = 0; i < n_lower; i++)
			put(&out, lower[i].value, "lower_%s", lower_names[i].name);
		types_put(&out, port, stats); // last: profiles add some
	}
	free(lower_names);
	free(lower);
	return out.n > 0 ? (int)out.n : -ENOMEM;
}
