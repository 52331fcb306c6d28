/* SPDX-License-Identifier: BSD-3-Clause */
// Telemetry commands of ddp-fwd:
//
//	/ddp_fwd/workers[,<start>]  the lcores that forward
//	/ddp_fwd/queues[,<start>]   their Rx queues
//	/ddp_fwd/latency            latency of packets, as a Prometheus histogram
//
// All numbers count from the start, and are read while the workers count: numbers of one answer may
// differ by a packet. Answers have at most 16 KB, so lists are paged as those of net_ddp (see
// port/app/telemetry.c).
//
// Handlers run in telemetry's threads and cannot be unregistered, so they check under the lock that
// there are workers.
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_telemetry.h>

#include "base/dpdk_compat.h"
#include "counts.h"

#define PAGE 64 // rows of at most 190 characters

static struct {
	pthread_mutex_t lock;
	const struct workers *workers; // NULL: not started, or stopped
	uint64_t start_tsc;
} telemetry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int fail(struct rte_tel_data *d, const char *error) {
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_int(d, "ok", 0);
	rte_tel_data_add_dict_string(d, "error", error);
	return 0;
}

// Parse the start index in params, 0 without one.
static int start_read(const char *params, unsigned int n, unsigned int *start) {
	unsigned long value;
	char *end;

	*start = 0;
	if (params == NULL)
		return 0;
	errno = 0;
	value = strtoul(params, &end, 10);
	if (!isdigit((unsigned char)*params) || *end != '\0' || errno != 0 || value > n)
		return -EINVAL;
	*start = value;
	return 0;
}

// Answer with a page of n rows, each a dict in the dict `name`.
static int page(struct rte_tel_data *d, const char *params, const char *name, unsigned int n,
		void (*fill)(struct rte_tel_data *row, const struct workers *workers,
			     unsigned int i)) {
	struct rte_tel_data *all, *row;
	unsigned int start, end;
	char text[64];

	assert(telemetry.workers != NULL);
	if (start_read(params, n, &start) < 0) {
		snprintf(text, sizeof(text), "not a start index: there are %u entries", n);
		return fail(d, text);
	}
	end = RTE_MIN(start + PAGE, n);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_uint(d, "count", n);
	rte_tel_data_add_dict_uint(d, "start", start);
	if (end < n)
		rte_tel_data_add_dict_uint(d, "next", end);
	all = rte_tel_data_alloc();
	if (all == NULL)
		return -ENOMEM;
	rte_tel_data_start_dict(all);
	rte_tel_data_add_dict_container(d, name, all, 0);
	for (unsigned int i = start; i < end; i++) {
		row = rte_tel_data_alloc();
		if (row == NULL)
			return -ENOMEM;
		rte_tel_data_start_dict(row);
		fill(row, telemetry.workers, i);
		snprintf(text, sizeof(text), "%u", i);
		rte_tel_data_add_dict_container(all, text, row, 0);
	}
	return 0;
}

static void stats_fill(struct rte_tel_data *row, const struct queue_stats *stats) {
	rte_tel_data_add_dict_uint(row, "packets", counter_get(&stats->packets));
	rte_tel_data_add_dict_uint(row, "bytes", counter_get(&stats->bytes));
	rte_tel_data_add_dict_uint(row, "sent", counter_get(&stats->sent));
	rte_tel_data_add_dict_uint(row, "consumed", counter_get(&stats->consumed));
	rte_tel_data_add_dict_uint(row, "tx_full", counter_get(&stats->tx_full));
}

static void worker_fill(struct rte_tel_data *row, const struct workers *workers, unsigned int i) {
	const struct worker *worker = &workers->list[i];
	struct queue_stats sum = {0};

	for (unsigned int q = 0; q < worker->n_queues; q++) {
		const struct queue_stats *stats = &worker->queues[q]->stats;

		counter_add(&sum.packets, counter_get(&stats->packets));
		counter_add(&sum.bytes, counter_get(&stats->bytes));
		counter_add(&sum.sent, counter_get(&stats->sent));
		counter_add(&sum.consumed, counter_get(&stats->consumed));
		counter_add(&sum.tx_full, counter_get(&stats->tx_full));
	}
	rte_tel_data_add_dict_uint(row, "lcore", worker->lcore);
	rte_tel_data_add_dict_uint(row, "queues", worker->n_queues);
	stats_fill(row, &sum);
	rte_tel_data_add_dict_uint(row, "busy_ns", cycles_ns(counter_get(&worker->busy_tsc)));
	rte_tel_data_add_dict_uint(row, "elapsed_ns", cycles_ns(rte_rdtsc() - telemetry.start_tsc));
}

static void queue_fill(struct rte_tel_data *row, const struct workers *workers, unsigned int i) {
	const struct rx_queue *queue = workers->queues[i];

	rte_tel_data_add_dict_uint(row, "port", queue->port);
	rte_tel_data_add_dict_uint(row, "queue", queue->queue);
	rte_tel_data_add_dict_uint(row, "worker", topology_worker(queue->queue, workers->n));
	stats_fill(row, &queue->stats);
}

static int workers_fill(struct rte_tel_data *d, const struct workers *workers, const char *params) {
	return page(d, params, "workers", workers->n, worker_fill);
}

static int queues_fill(struct rte_tel_data *d, const struct workers *workers, const char *params) {
	return page(d, params, "queues", workers->n_queues, queue_fill);
}

// Upper bounds: 1, 2 and 5 times each power of ten from 100 ns to 1 s, on all machines.
#define BOUND_LEAST_NS 100
#define BOUND_MOST_NS 1000000000

static uint64_t bound_next(uint64_t bound) {
	uint64_t power = 1;

	while (power * 10 <= bound)
		power *= 10;
	return bound / power == 2 ? 5 * power : 2 * bound;
}

static int latency_fill(struct rte_tel_data *d, const struct workers *workers, const char *params) {
	struct rte_tel_data *le_ns = rte_tel_data_alloc(), *packets_le = rte_tel_data_alloc();
	struct latency all = {0};

	(void)params;
	if (le_ns == NULL || packets_le == NULL) {
		rte_tel_data_free(le_ns);
		rte_tel_data_free(packets_le);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < workers->n_queues; i++)
		if (counter_get(&workers->queues[i]->latency.count) != 0)
			latency_merge(&all, &workers->queues[i]->latency);
	rte_tel_data_start_array(le_ns, RTE_TEL_UINT_VAL);
	rte_tel_data_start_array(packets_le, RTE_TEL_UINT_VAL);
	for (uint64_t ns = BOUND_LEAST_NS; ns <= BOUND_MOST_NS; ns = bound_next(ns)) {
		uint64_t limit = ns / 1e9 * rte_get_tsc_hz();

		rte_tel_data_add_array_uint(le_ns, ns);
		rte_tel_data_add_array_uint(packets_le, latency_count_to(&all, limit));
	}
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_uint(d, "count", counter_get(&all.count));
	rte_tel_data_add_dict_uint(d, "sum_ns", cycles_ns(counter_get(&all.sum)));
	rte_tel_data_add_dict_uint(d, "max_ns", cycles_ns(counter_get(&all.max)));
	rte_tel_data_add_dict_container(d, "le_ns", le_ns, 0);
	rte_tel_data_add_dict_container(d, "packets_le", packets_le, 0);
	return 0;
}

static const struct {
	const char *name, *help;
	int (*fill)(struct rte_tel_data *d, const struct workers *workers, const char *params);
} commands[] = {
	{"/ddp_fwd/workers", "Returns what each worker has forwarded. Parameters: [int start]",
	 workers_fill},
	{"/ddp_fwd/queues", "Returns what came in on each Rx queue. Parameters: [int start]",
	 queues_fill},
	{"/ddp_fwd/latency", "Returns a histogram of latency. Takes no parameters", latency_fill},
};

static int show(const char *cmd, const char *params, struct rte_tel_data *d) {
	unsigned int i = 0;
	int ret;

	while (strcmp(commands[i].name, cmd) != 0)
		i++;
	pthread_mutex_lock(&telemetry.lock);
	ret = telemetry.workers != NULL ? commands[i].fill(d, telemetry.workers, params) :
					  fail(d, "forwarding has ended");
	pthread_mutex_unlock(&telemetry.lock);
	return ret;
}

void telemetry_start(const struct workers *workers) {
	pthread_mutex_lock(&telemetry.lock);
	telemetry.workers = workers;
	telemetry.start_tsc = rte_rdtsc();
	pthread_mutex_unlock(&telemetry.lock);
	for (unsigned int i = 0; i < RTE_DIM(commands); i++)
		rte_telemetry_register_cmd(commands[i].name, show, commands[i].help);
}

void telemetry_stop(void) {
	pthread_mutex_lock(&telemetry.lock);
	telemetry.workers = NULL;
	pthread_mutex_unlock(&telemetry.lock);
}
