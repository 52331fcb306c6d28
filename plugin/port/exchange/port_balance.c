/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/exchange/exchange.h"
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"
#include "port/state/control.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_malloc.h>

#define WAIT_INTERVALS 10 // intervals without a poll of the old queue: then a move is given up

/* Counting on or off */

static void counting_set(struct ddp_port *port, bool on) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		memset(lower->entry_counts, 0, sizeof(lower->entry_counts));
		lower->entries = on ? lower->entry_counts : NULL;
		lower->sample.left = 0;
		ddp_unlock(&lower->lock);
	}
	__atomic_store_n(&port->balances, on, __ATOMIC_RELAXED);
}

/* Counters */

// Threads that are none of EAL's are not known, as if each polled one queue.
struct ddp_balancer_queue ddp_balance_queue_read(const struct ddp_rxq *queue, unsigned int id) {
	const struct ddp_queue_load *load = &queue->load;
	const uint32_t lcore = __atomic_load_n(&load->lcore, __ATOMIC_RELAXED);

	static_assert(RTE_MAX_LCORE + DDP_PORT_QUEUES <= DDP_BALANCER_THREADS, "threads");
	return (struct ddp_balancer_queue){
		.started = queue->started,
		.polls = __atomic_load_n(&queue->polls, __ATOMIC_RELAXED),
		.thread = lcore < RTE_MAX_LCORE ? lcore : RTE_MAX_LCORE + id,
		.delivered = counter_read(&queue->packets),
		.bursts = counter_read(&load->bursts),
		.packets = counter_read(&load->packets),
		.cycles = counter_read(&load->cycles),
		.packets_2 = counter_read(&load->packets_2),
		.cycles_2 = counter_read(&load->cycles_2),
		.products = counter_read(&load->products),
	};
}

static void counters_read(const struct ddp_port *port, struct ddp_balancer_counters *now) {
	memset(now, 0, sizeof(*now));
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		now->taken += counter_read(&port->lower_rxqs[i].taken);
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		for (unsigned int entry = 0; entry < DDP_RETA_SIZE; entry++)
			now->entries[entry] += __atomic_load_n(&port->lower_rxqs[i].entries[entry],
							       __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < port->n_rxqs; i++)
		now->queues[i] = ddp_balance_queue_read(&port->rxqs[i], i);
}

/* The flow that bounds the rest */

static struct ddp_flow_sample sample_take(struct ddp_port *port, uint16_t entry) {
	struct ddp_flow_sample best = {0};

	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		if (!ddp_lower_rxq_trylock(lower)) // next time
			continue;
		if (lower->sample.entry == entry && lower->sample.votes > best.votes)
			best = lower->sample;
		lower->sample.votes = 0;
		lower->sample.entry = entry;
		lower->sample.left = DDP_FLOW_SAMPLE_PACKETS;
		ddp_unlock(&lower->lock);
	}
	return best;
}

// Addresses, protocol and ports: "UDP 10.0.0.1:1234 > 10.0.0.2:80".
static void flow_text(const struct ddp_flow_sample *sample, char *text, size_t size) {
	char from[INET6_ADDRSTRLEN] = "?", to[INET6_ADDRSTRLEN] = "?";
	uint16_t ports[2] = {0};
	const uint8_t *ip;
	uint8_t proto;
	const unsigned int l3 = sample->l3_off;
	unsigned int l4;
	bool v4;

	snprintf(text, size, "hash 0x%08x", sample->hash);
	if (l3 + sizeof(struct rte_ipv4_hdr) > sample->len) // as without an IP header
		return;
	ip = &sample->data[l3];
	v4 = ip[0] >> 4 == 4;
	if (!v4 && l3 + sizeof(struct rte_ipv6_hdr) > sample->len)
		return;
	proto = v4 ? ip[9] : ip[6];
	l4 = l3 + (v4 ? (ip[0] & 15) * 4U : sizeof(struct rte_ipv6_hdr));
	inet_ntop(v4 ? AF_INET : AF_INET6, ip + (v4 ? 12 : 8), from, sizeof(from));
	inet_ntop(v4 ? AF_INET : AF_INET6, ip + (v4 ? 16 : 24), to, sizeof(to));
	if ((proto != IPPROTO_TCP && proto != IPPROTO_UDP && proto != IPPROTO_SCTP) ||
	    l4 + sizeof(ports) > sample->len) {
		snprintf(text, size, "%s > %s protocol %u", from, to, proto);
		return;
	}
	memcpy(ports, &sample->data[l4], sizeof(ports));
	snprintf(text, size, v4 ? "%s:%u > %s:%u %s" : "[%s]:%u > [%s]:%u %s", from,
		 ntohs(ports[0]), to, ntohs(ports[1]),
		 proto == IPPROTO_TCP ? "TCP" :
		 proto == IPPROTO_UDP ? "UDP" :
					"SCTP");
}

/* Decisions */

static unsigned int move_wait_us(const struct ddp_balance *balance) {
	return balance->ms * 1000 * WAIT_INTERVALS;
}

static int table_apply(struct ddp_port *port, const struct ddp_rss *rss, unsigned int wait_us) {
	const struct ddp_change change = {.rss = rss, .wait_us = wait_us};

	return ddp_change_apply(port, &change);
}

// Restore, in the table, entries whose move a lower queue gave up. Returns whether packets are or
// were parked: then no new move is decided. last: no move is given up from now on.
//
// Takes only needed locks: a thread that waits for a lower queue's lock keeps workers off the
// queue.
//
// Other lower queues move the entry back, too. They wait longer: if all queues are polled slowly,
// one lower queue after the other would give up otherwise, and no move would end.
static bool moves_restore(struct ddp_port *port, bool last) {
	struct ddp_rss rss = port->rss;
	bool parked = false, returned = false;

	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		if (!ddp_order_is_waiting(lower))
			continue;
		parked = true;
		if (!last && !ddp_order_has_returned(lower))
			continue;
		ddp_lower_rxq_lock(lower);
		returned |= ddp_order_returned(lower, rss.reta);
		if (last)
			ddp_order_keep_moves(lower);
		ddp_unlock(&lower->lock);
	}
	if (returned)
		table_apply(port, &rss,
			    last ? 0 : RTE_MAX(move_wait_us(port->balance), DDP_ORDER_WAIT_US));
	return parked;
}

static void decide(struct ddp_port *port, struct ddp_balance *balance,
		   const struct ddp_balancer_interval *interval) {
	struct ddp_balancer_move moves[DDP_BALANCER_MOVES];
	unsigned int n = ddp_balancer_step(&balance->balancer, interval, moves);
	const uint16_t bound = balance->balancer.bound_entry;
	struct ddp_flow_sample sample = {0};
	struct ddp_rss rss = port->rss;

	if (bound != balance->sampled)
		balance->bound_flow[0] = '\0';
	balance->sampled = bound;
	if (bound != DDP_BALANCER_NONE)
		sample = sample_take(port, bound);
	if (sample.votes > 0)
		flow_text(&sample, balance->bound_flow, sizeof(balance->bound_flow));
	for (unsigned int i = 0; i < n; i++)
		rss.reta[moves[i].entry] = moves[i].to;
	if (n > 0 && table_apply(port, &rss, move_wait_us(balance)) < 0)
		n = 0;
	ddp_balancer_keep(&balance->balancer, moves, n, rte_rdtsc());
}

static void round_do(struct ddp_port *port) {
	struct ddp_balance *balance = port->balance;
	struct ddp_balancer *balancer = &balance->balancer;
	struct ddp_balancer_interval interval;
	struct ddp_balancer_counters now;

	if (!__atomic_load_n(&port->running, __ATOMIC_RELAXED) || port->n_rxqs <= 1 ||
	    !port->rss.enabled) {
		balancer->fresh = false;
		return;
	}
	if (balancer->n_queues != port->n_rxqs)
		ddp_balancer_init(balancer, DDP_RETA_SIZE, port->n_rxqs);
	counters_read(port, &now);
	if (!ddp_balancer_measure(balancer, balance->ms, &now, &interval))
		return;
	interval.reta = port->rss.reta;
	if (!moves_restore(port, false))
		decide(port, balance, &interval);
}

/* On and off */

static void interval_end(struct ddp_port *port) {
	ddp_alarm_set(port, DDP_ALARM_BALANCE, 1000ULL * port->balance->ms, interval_end);
	round_do(port);
	ddp_change_end(port);
}

int ddp_balance_ms_read(const char *text, unsigned int *ms) {
	unsigned long n;
	char *end;

	if (strcmp(text, "off") == 0 || strcmp(text, "on") == 0) {
		*ms = strcmp(text, "on") == 0 ? DDP_BALANCER_MS : 0;
		return 0;
	}
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end != '\0' || n < 1 || n > DDP_BALANCE_MS_MAX)
		return -EINVAL;
	*ms = n;
	return 0;
}

int ddp_balance_set(struct ddp_port *port, unsigned int ms) {
	unsigned int before;
	int ret = 0;

	if (ms > DDP_BALANCE_MS_MAX)
		return PORT_FAIL(port->name, -EINVAL,
				 "balance: the interval is at most %u ms, not %u",
				 DDP_BALANCE_MS_MAX, ms);
	if (port->balance == NULL) {
		if (ms == 0)
			return 0;
		port->balance = calloc(1, sizeof(*port->balance));
		if (port->balance == NULL)
			return PORT_FAIL(port->name, -ENOMEM, "balance: out of memory");
		port->balance->sampled = DDP_BALANCER_NONE;
		ddp_balancer_init(&port->balance->balancer, 0, 0);
	}
	before = port->balance->ms;
	port->balance->ms = ms;
	if (ms == before)
		return 0;
	port->balance->balancer.fresh = false;
	ddp_alarm_unset(port, DDP_ALARM_BALANCE);
	if (ms == 0) {
		moves_restore(port, true);
		counting_set(port, false);
		return 0;
	}
	if (before == 0)
		counting_set(port, true);
	if (!ddp_alarm_set(port, DDP_ALARM_BALANCE, 1000ULL * ms, interval_end))
		ret = -ENOMEM;
	if (ret < 0)
		port->balance->ms = 0;
	return ret;
}
