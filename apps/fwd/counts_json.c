/* SPDX-License-Identifier: BSD-3-Clause */
// The report as JSON.
#include "counts.h"

#include <errno.h>
#include <jansson.h>

#include "common/json_writer.h"

// Pack functions return a new object, or NULL without memory. json_pack() releases objects of "o",
// and fails if one is NULL.
static json_int_t number(uint64_t value) {
	return value;
}

static json_t *latency_pack(const struct latency_report *latency) {
	return json_pack("{sI sI sI sI sI sI}", "count", number(latency->count), "p50",
			 number(latency->p50), "p90", number(latency->p90), "p99",
			 number(latency->p99), "p999", number(latency->p999), "max",
			 number(latency->max));
}

static json_t *drop_pack(const struct report *report, unsigned int i) {
	return json_pack("{ss sI}", "reason", drop_texts[i].name, "packets",
			 number(report->drop_reasons[i]));
}

static json_t *queue_pack(const struct report *report, unsigned int i) {
	const struct queue_report *row = &report->queues[i];

	return json_pack("{si si sI sI sI so}", "port", row->port, "queue", row->queue, "packets",
			 number(row->packets), "bytes", number(row->bytes), "missed",
			 number(row->missed), "latency_ns", latency_pack(&row->latency));
}

static json_t *worker_pack(const struct report *report, unsigned int i) {
	const struct queue_report *row = &report->workers[i];

	return json_pack("{si sI sI so}", "lcore", row->lcore, "packets", number(row->packets),
			 "bytes", number(row->bytes), "latency_ns", latency_pack(&row->latency));
}

static json_t *port_pack(const struct report *report, unsigned int i) {
	const struct port_report *row = &report->ports[i];
	const struct rte_eth_stats *s = &row->stats;

	return json_pack("{si ss ss sI sI sI sI sI sI sI sI sI}", "port", row->port->id, "name",
			 row->port->name, "driver", row->port->driver, "rx_packets",
			 number(s->ipackets), "rx_bytes", number(s->ibytes), "rx_missed",
			 number(s->imissed), "rx_errors", number(s->ierrors), "rx_no_mbuf",
			 number(s->rx_nombuf), "tx_packets", number(s->opackets), "tx_bytes",
			 number(s->obytes), "tx_errors", number(s->oerrors), "given_up",
			 number(row->balance.given_up));
}

static json_t *ptype_pack(const struct report *report, unsigned int i) {
	return json_pack("{ss sI}", "name", report->ptypes[i].name, "packets",
			 number(report->ptypes[i].packets));
}

static json_t *balance_pack(const struct report *report, unsigned int i) {
	const struct rte_pmd_ddp_balance *b = &report->ports[i].balance;

	return json_pack("{si sI sI sI sf sf sf sf ss sI sI sI}", "port", report->ports[i].port->id,
			 "interval_ms", number(b->interval_ms), "rounds", number(b->rounds),
			 "moves", number(b->moves), "before", b->before, "after", b->after, "worst",
			 b->worst, "bound_share", b->bound_share, "bound_flow", b->bound_flow,
			 "order_parked", number(b->order_parked), "given_up", number(b->given_up),
			 "order_longest_parking_us", number(b->order_longest_parking_us));
}

static json_t *balances_pack(const struct report *report) {
	json_t *list = json_array();
	int ret = 0;

	for (unsigned int i = 0; i < report->n_ports && ret == 0; i++)
		if (port_is_balanced(&report->ports[i]))
			ret = json_array_append_new(list, balance_pack(report, i));
	if (ret == 0)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *list_pack(const struct report *report, unsigned int n,
			 json_t *(*pack)(const struct report *report, unsigned int i)) {
	json_t *list = json_array();

	for (unsigned int i = 0; i < n && list != NULL; i++) {
		if (json_array_append_new(list, pack(report, i)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

int report_json(const struct report *report, FILE *out) {
	json_t *root = json_pack(
		"{sf ss sI sI sI sI so so sf sf so so so so so si}", "seconds", report->seconds,
		"forward", mode_names[report->config->mode], "work_ns",
		number(report->config->work_ns), "packets", number(report->packets), "bytes",
		number(report->bytes), "drops", number(report->drops), "drop_reasons",
		list_pack(report, N_DROP_REASONS, drop_pack), "queues",
		list_pack(report, report->n_queues, queue_pack), "imbalance", report->imbalance,
		"jain", report->jain, "latency_ns", latency_pack(&report->latency), "workers",
		list_pack(report, report->n_workers, worker_pack), "ports",
		list_pack(report, report->n_ports, port_pack), "ptypes",
		list_pack(report, report->n_ptypes, ptype_pack), "balance", balances_pack(report),
		JSON_SCHEMA_KEY, JSON_SCHEMA_VERSION);

	if (root == NULL)
		return -ENOMEM;
	json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
	json_decref(root);
	return 0;
}
