/* SPDX-License-Identifier: BSD-3-Clause */
#include "workers.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include "port/state/rte_pmd_ddp.h"

// Packets: the smallest burst that every driver's vector code accepts.
#define BURST_LEAST 8

unsigned int workers_count(const struct config *config) {
	unsigned int n = rte_lcore_count() == 1 ? 1 : rte_lcore_count() - 1;

	return RTE_MIN(n, config->n_rxq);
}

// Offset of a dynamic mbuf field of this size, -1: no driver has registered it.
static int dynfield_find(const char *name, size_t size) {
	struct rte_mbuf_dynfield field;
	int off = rte_mbuf_dynfield_lookup(name, &field);

	return off >= 0 && field.size == size ? off : -1;
}

static void worker_init(struct worker *worker, struct control *control, unsigned int lcore,
			const struct config *config) {
	worker->lcore = lcore;
	worker->control = control;
	worker->mode = config->mode;
	worker->burst = config->burst;
	worker->tx_retries = config->tx_retries;
	worker->work_cycles = config->work_ns * rte_get_tsc_hz() / 1000000000;
	worker->meta_off =
		dynfield_find(RTE_PMD_DDP_META_DYNFIELD, sizeof(struct rte_pmd_ddp_meta));
	worker->tsc_off = dynfield_find(RTE_PMD_DDP_RX_TSC_DYNFIELD, sizeof(uint64_t));
}

static int worker_alloc(struct worker *worker, const struct ports *ports,
			const struct config *config) {
	worker->queues = calloc(ports->n * config->n_rxq, sizeof(*worker->queues));
	worker->ptypes = calloc(ports->n, sizeof(*worker->ptypes));
	if (worker->queues == NULL || worker->ptypes == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < ports->n; i++) {
		if (!ports->list[i].is_ddp || worker->meta_off < 0 || worker->tsc_off < 0 ||
		    rte_pmd_ddp_meta_is_on(ports->list[i].id) != 1)
			continue;
		// Only pages of ids that occur are ever used.
		worker->ptypes[i] = calloc(PTYPE_IDS, sizeof(counter));
		if (worker->ptypes[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

static struct rx_queue *queue_create(const struct worker *worker, const struct ports *ports,
				     const struct config *config, unsigned int i, unsigned int q,
				     unsigned int n_workers) {
	const struct fwd_port *port = &ports->list[i];
	const struct fwd_port *peer = &ports->list[topology_peer(config->topology, i, ports->n)];
	struct rx_queue *queue = rte_zmalloc_socket("queue", sizeof(*queue), RTE_CACHE_LINE_SIZE,
						    rte_lcore_to_socket_id(worker->lcore));

	if (queue == NULL)
		return NULL;
	queue->port = port->id;
	queue->queue = q;
	queue->tx_port = peer->id;
	queue->tx_queue = topology_tx_queue(q, config->n_txq, n_workers);
	queue->least = port->is_ddp ? 1 : RTE_MIN(config->burst, BURST_LEAST);
	queue->ptypes = worker->ptypes[i];
	queue->has_meta = queue->ptypes != NULL;
	queue->source = peer->mac;
	// As in testpmd, a locally administered address with the number of the sending port.
	queue->destination.addr_bytes[0] = RTE_ETHER_LOCAL_ADMIN_ADDR;
	queue->destination.addr_bytes[5] = peer->id;
	return queue;
}

static int queues_create(struct workers *workers, const struct ports *ports,
			 const struct config *config) {
	workers->queues = calloc(ports->n * config->n_rxq, sizeof(*workers->queues));
	if (workers->queues == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < ports->n; i++) {
		for (unsigned int q = 0; q < config->n_rxq; q++) {
			struct worker *worker = &workers->list[topology_worker(q, workers->n)];
			struct rx_queue *queue =
				queue_create(worker, ports, config, i, q, workers->n);

			if (queue == NULL)
				return -ENOMEM;
			workers->queues[workers->n_queues++] = queue;
			worker->queues[worker->n_queues++] = queue;
		}
	}
	return 0;
}

static int list_create(struct workers *workers, const struct ports *ports,
		       const struct config *config, unsigned int n) {
	bool alone = rte_lcore_count() == 1;
	unsigned int lcore = alone ? rte_get_main_lcore() : rte_get_next_lcore(-1, 1, 0);

	workers->list = rte_zmalloc("workers", n * sizeof(*workers->list), RTE_CACHE_LINE_SIZE);
	if (workers->list == NULL)
		return -ENOMEM;
	for (workers->n = 0; workers->n < n; lcore = rte_get_next_lcore(lcore, 1, 0)) {
		struct worker *worker = &workers->list[workers->n++];

		worker_init(worker, workers->control, lcore, config);
		if (worker_alloc(worker, ports, config) < 0)
			return -ENOMEM;
	}
	return 0;
}

// Warn if there are more workers than CPUs in a set that they must not leave. While a worker waits
// for its CPU, its queues fill, and moves of load-aware RSS are given up.
static bool cpus_check(const struct workers *workers, rte_cpuset_t cpus) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < workers->n; i++) {
		rte_cpuset_t all = rte_lcore_cpuset(workers->list[i].lcore);

		RTE_CPU_OR(&all, &all, &cpus);
		n += CPU_EQUAL(&all, &cpus);
	}
	if (n <= (unsigned int)CPU_COUNT(&cpus))
		return true;
	say(LOG_WARNING, "%u workers share %d CPU%s: give each worker a CPU of its own (--lcores)",
	    n, CPU_COUNT(&cpus), CPU_COUNT(&cpus) == 1 ? "" : "s");
	return false;
}

static void all_cpus_check(const struct workers *workers) {
	rte_cpuset_t all, cpus;
	bool good;

	CPU_ZERO(&all);
	for (unsigned int i = 0; i < workers->n; i++) {
		cpus = rte_lcore_cpuset(workers->list[i].lcore);
		RTE_CPU_OR(&all, &all, &cpus);
	}
	good = cpus_check(workers, all);
	for (unsigned int i = 0; i < workers->n && good; i++)
		good = cpus_check(workers, rte_lcore_cpuset(workers->list[i].lcore));
}

int workers_create(struct workers *workers, const struct ports *ports, const struct config *config,
		   unsigned int n, struct control *control, struct error *error) {
	assert(n > 0 && n <= config->n_rxq);
	workers->n_ports = ports->n;
	workers->control = control;
	control->limited = config->packets != 0;
	atomic_store(&control->budget, config->packets);
	if (list_create(workers, ports, config, n) < 0 || queues_create(workers, ports, config) < 0)
		return error_set(error, EXIT_FAILED,
				 "no memory for the counters of %" PRIu64 " queues",
				 ports->n * config->n_rxq);
	all_cpus_check(workers);
	return 0;
}

void workers_destroy(struct workers *workers) {
	for (unsigned int i = 0; i < workers->n_queues; i++)
		rte_free(workers->queues[i]);
	for (unsigned int i = 0; i < workers->n; i++) {
		struct worker *worker = &workers->list[i];

		for (unsigned int p = 0; p < workers->n_ports && worker->ptypes != NULL; p++)
			free(worker->ptypes[p]);
		free(worker->ptypes);
		free(worker->queues);
	}
	free(workers->queues);
	rte_free(workers->list);
	memset(workers, 0, sizeof(*workers));
}

struct worker *workers_main(const struct workers *workers) {
	return workers->list[0].lcore == rte_get_main_lcore() ? &workers->list[0] : NULL;
}

static int worker_run(void *arg) {
	struct worker *worker = arg;
	struct control *control = worker->control;

	while (atomic_load_explicit(&control->running, memory_order_relaxed))
		worker_poll(worker);
	while (atomic_load_explicit(&control->flushing, memory_order_relaxed))
		worker_flush(worker);
	return 0;
}

void workers_launch(struct workers *workers) {
	for (unsigned int i = 0; i < workers->n; i++)
		workers->list[i].round_tsc = rte_rdtsc();
	for (unsigned int i = 0; i < workers->n; i++)
		if (workers->list[i].lcore != rte_get_main_lcore())
			rte_eal_remote_launch(worker_run, &workers->list[i],
					      workers->list[i].lcore);
}

void workers_wait(struct workers *workers) {
	for (unsigned int i = 0; i < workers->n; i++)
		if (workers->list[i].lcore != rte_get_main_lcore())
			rte_eal_wait_lcore(workers->list[i].lcore);
}

void workers_rounds(const struct workers *workers, uint64_t *rounds) {
	for (unsigned int i = 0; i < workers->n; i++)
		rounds[i] = counter_get(&workers->list[i].rounds);
}

uint64_t workers_rounds_since(const struct workers *workers, const uint64_t *before) {
	uint64_t fewest = UINT64_MAX;

	for (unsigned int i = 0; i < workers->n; i++)
		fewest = RTE_MIN(fewest, counter_get(&workers->list[i].rounds) - before[i]);
	return fewest;
}
