/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "base/utf8.h"
#include "rss/rss.h"

// Find the ids of the xstats that count missed packets of each queue. net_ddp has them;
// rte_eth_stats has only 16 queues. 0 or -ENOMEM.
static int missed_ids_find(struct port_report *row, unsigned int n_rxq) {
	int n = rte_eth_xstats_get_names(row->port->id, NULL, 0);
	struct rte_eth_xstat_name *names;

	if (n <= 0)
		return 0;
	names = calloc(n, sizeof(*names));
	row->missed_ids = calloc(n_rxq, sizeof(*row->missed_ids));
	if (names == NULL || row->missed_ids == NULL) {
		free(names);
		return -ENOMEM;
	}
	if (rte_eth_xstats_get_names(row->port->id, names, n) != n)
		n = 0;
	for (int i = 0; i < n; i++) {
		unsigned int q;
		int len = 0;

		if (sscanf(names[i].name, "rx_q%u_missed%n", &q, &len) != 1 || len == 0 ||
		    names[i].name[len] != '\0' || q >= n_rxq)
			continue;
		row->missed_ids[q] = i;
		row->n_missed_ids++;
	}
	free(names);
	return 0;
}

static int ports_init(struct report *report, const struct ports *ports) {
	report->ports = calloc(ports->n, sizeof(*report->ports));
	if (report->ports == NULL)
		return -ENOMEM;
	report->n_ports = ports->n;
	for (unsigned int i = 0; i < ports->n; i++) {
		report->ports[i].port = &ports->list[i];
		if (missed_ids_find(&report->ports[i], report->config->n_rxq) < 0)
			return -ENOMEM;
	}
	return 0;
}

int report_init(struct report *report, const struct config *config, const struct ports *ports,
		const struct workers *workers) {
	memset(report, 0, sizeof(*report));
	report->config = config;
	report->queues = calloc(workers->n_queues, sizeof(*report->queues));
	report->workers = calloc(workers->n, sizeof(*report->workers));
	if (report->queues == NULL || report->workers == NULL)
		return -ENOMEM;
	report->n_queues = workers->n_queues;
	report->n_workers = workers->n;
	return ports_init(report, ports);
}

void report_fini(struct report *report) {
	for (unsigned int i = 0; i < report->n_ports; i++)
		free(report->ports[i].missed_ids);
	free(report->ports);
	free(report->queues);
	free(report->workers);
	free(report->ptypes);
	memset(report, 0, sizeof(*report));
}

uint64_t cycles_ns(uint64_t cycles) {
	return cycles * 1e9 / rte_get_tsc_hz() + 0.5;
}

static struct latency_report latency_read(const struct latency *latency) {
	return (struct latency_report){
		.count = counter_get(&latency->count),
		.p50 = cycles_ns(latency_percentile(latency, 500)),
		.p90 = cycles_ns(latency_percentile(latency, 900)),
		.p99 = cycles_ns(latency_percentile(latency, 990)),
		.p999 = cycles_ns(latency_percentile(latency, 999)),
		.max = cycles_ns(counter_get(&latency->max)),
	};
}

// Histograms are large, so they are merged one after the other: those of queues into that of their
// worker, and those of workers into one.
static void worker_collect(struct report *report, const struct workers *workers, unsigned int w) {
	struct queue_report *worker = &report->workers[w];
	struct latency sum = {0};

	*worker = (struct queue_report){.lcore = workers->list[w].lcore};
	for (unsigned int i = 0; i < workers->list[w].n_queues; i++) {
		const struct rx_queue *queue = workers->list[w].queues[i];

		worker->packets += counter_get(&queue->stats.packets);
		worker->bytes += counter_get(&queue->stats.bytes);
		latency_merge(&sum, &queue->latency);
	}
	worker->latency = latency_read(&sum);
	latency_merge(&report->histogram, &sum);
}

static void queue_collect(struct report *report, const struct workers *workers, unsigned int i) {
	const struct rx_queue *queue = workers->queues[i];
	unsigned int w = topology_worker(queue->queue, workers->n);
	struct queue_report *row = &report->queues[i];
	struct latency copy = {0};

	latency_merge(&copy, &queue->latency);
	*row = (struct queue_report){
		.port = queue->port,
		.queue = queue->queue,
		.lcore = workers->list[w].lcore,
		.packets = counter_get(&queue->stats.packets),
		.bytes = counter_get(&queue->stats.bytes),
		.latency = latency_read(&copy),
	};
	report->packets += row->packets;
	report->bytes += row->bytes;
	report->sent += counter_get(&queue->stats.sent);
	report->consumed += counter_get(&queue->stats.consumed);
	report->drop_reasons[DROP_TX_FULL] += counter_get(&queue->stats.tx_full);
}

// Read the missed packets of each queue of port i, if the port counts them. Queues are sorted by
// port. Returns the sum.
static uint64_t missed_collect(struct report *report, unsigned int i) {
	unsigned int n_rxq = report->config->n_rxq;
	struct port_report *row = &report->ports[i];
	uint64_t missed[n_rxq];
	uint64_t sum = 0;

	assert(report->n_queues == report->n_ports * n_rxq);
	if (row->n_missed_ids != n_rxq ||
	    rte_eth_xstats_get_by_id(row->port->id, row->missed_ids, missed, n_rxq) != (int)n_rxq)
		return 0;
	for (unsigned int q = 0; q < n_rxq; q++) {
		report->queues[i * n_rxq + q].missed = missed[q];
		sum += missed[q];
	}
	return sum;
}

static void port_collect(struct report *report, unsigned int i) {
	struct port_report *row = &report->ports[i];
	struct rte_eth_stats *stats = &row->stats;
	uint64_t ring_full = missed_collect(report, i);

	memset(stats, 0, sizeof(*stats));
	rte_eth_stats_get(row->port->id, stats);
	report->drop_reasons[DROP_RX_RING_FULL] += ring_full;
	if (stats->imissed > ring_full) // includes ring_full
		report->drop_reasons[DROP_RX_MISSED] += stats->imissed - ring_full;
	report->drop_reasons[DROP_RX_NO_MBUF] += stats->rx_nombuf;
	// After a truncated record, net_pcap counts an error in each poll.
	report->drop_reasons[DROP_RX_ERRORS] += row->n_cut != 0 ? row->n_cut : stats->ierrors;
	report->drop_reasons[DROP_TX_ERRORS] += stats->oerrors;
	if (row->port->is_ddp)
		rte_pmd_ddp_balance_get(row->port->id, &row->balance);
}

void report_collect(struct report *report, const struct workers *workers, double seconds) {
	uint64_t loads[report->n_queues];

	assert(report->n_queues == workers->n_queues && report->n_workers == workers->n);
	report->seconds = seconds;
	report->packets = report->bytes = report->sent = report->consumed = report->drops = 0;
	memset(report->drop_reasons, 0, sizeof(report->drop_reasons));
	memset(&report->histogram, 0, sizeof(report->histogram));
	for (unsigned int w = 0; w < report->n_workers; w++)
		worker_collect(report, workers, w);
	report->latency = latency_read(&report->histogram);
	for (unsigned int i = 0; i < report->n_queues; i++)
		queue_collect(report, workers, i);
	for (unsigned int i = 0; i < report->n_ports; i++)
		port_collect(report, i);
	for (unsigned int i = 0; i < N_DROP_REASONS; i++)
		report->drops += report->drop_reasons[i];
	for (unsigned int i = 0; i < report->n_queues; i++)
		loads[i] = report->queues[i].packets + report->queues[i].missed;
	report->imbalance = ddp_imbalance(loads, report->n_queues);
	report->jain = ddp_jain(loads, report->n_queues);
}

struct latency_report report_latency_since(const struct report *report,
					   const struct report *earlier) {
	struct latency difference;

	latency_subtract(&difference, &report->histogram, &earlier->histogram);
	return latency_read(&difference);
}

void report_collect_left(struct report *report) {
	for (unsigned int i = 0; i < report->n_ports; i++) {
		const struct fwd_port *port = report->ports[i].port;
		uint64_t id, n;

		if (!port->is_ddp ||
		    rte_eth_xstats_get_id_by_name(port->id, "tx_in_rings", &id) != 0 ||
		    rte_eth_xstats_get_by_id(port->id, &id, &n, 1) != 1)
			continue;
		report->sent -= n;
		report->drop_reasons[DROP_TX_FULL] += n;
		report->drops += n;
	}
}

// Received packets of type id of the port at a position.
static uint64_t ptype_packets(const struct workers *workers, unsigned int port, unsigned int id) {
	uint64_t packets = 0;

	for (unsigned int w = 0; w < workers->n; w++)
		if (workers->list[w].ptypes[port] != NULL)
			packets += counter_get(&workers->list[w].ptypes[port][id]);
	return packets;
}

// Add the packets to the line of their type's name: several ports may have it, and a profile may
// have been loaded again. Names of Intel's packages are escaped.
static int ptype_add(struct report *report, const char *theirs, uint64_t packets) {
	struct ptype_report *ptypes;
	char name[sizeof(ptypes->name)];

	ddp_escape(theirs, name, sizeof(name));
	for (unsigned int i = 0; i < report->n_ptypes; i++) {
		if (strcmp(report->ptypes[i].name, name) == 0) {
			report->ptypes[i].packets += packets;
			return 0;
		}
	}
	ptypes = reallocarray(report->ptypes, report->n_ptypes + 1, sizeof(*ptypes));
	if (ptypes == NULL)
		return -ENOMEM;
	report->ptypes = ptypes;
	ptypes = &ptypes[report->n_ptypes++];
	strcpy(ptypes->name, name);
	ptypes->packets = packets;
	return 0;
}

static int ptype_compare(const void *a, const void *b) {
	const struct ptype_report *left = a, *right = b;

	if (left->packets != right->packets)
		return left->packets < right->packets ? 1 : -1;
	return strcmp(left->name, right->name);
}

int report_collect_ptypes(struct report *report, const struct workers *workers) {
	for (unsigned int i = 0; i < report->n_ports; i++) {
		if (workers->list[0].ptypes[i] == NULL)
			continue;
		for (unsigned int id = 0; id < PTYPE_IDS; id++) {
			uint64_t packets = ptype_packets(workers, i, id);
			char name[PTYPE_NAME_SIZE] = "UNKNOWN";

			if (packets == 0)
				continue;
			if (id != 0 && rte_pmd_ddp_ptype_name(report->ports[i].port->id, id, name,
							      sizeof(name)) < 0)
				snprintf(name, sizeof(name), "id %u", id); // its profile is gone
			if (ptype_add(report, name, packets) < 0)
				return -ENOMEM;
		}
	}
	if (report->n_ptypes != 0)
		qsort(report->ptypes, report->n_ptypes, sizeof(*report->ptypes), ptype_compare);
	return 0;
}
