/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <errno.h>
#include <pthread.h>
#include <rte_mbuf_core.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "load.h"
#include "progress.h"

#define LANES_MAX 24 // each has a path cache of several MB

/* Candidates */

// The path cache hashes plainly unless a rule says otherwise.
static int flows_make(struct spread *spread, const struct ddp_profile *profile) {
	static const struct ddp_flow every_packet = {.stage = DDP_FLOW_HASH};
	const struct ddp_flow *rule = &every_packet;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	spread->flows = ddp_flow_set_build(profile, spread->program, &rule, 1, &diag);
	ddp_diag_fini(&diag);
	spread->hashing.function = spread->steer->config.function;
	spread->policy.flows = spread->flows;
	spread->policy.hashings = &spread->hashing;
	return spread->flows == NULL ? -ENOMEM : 0;
}

static void types_name(struct spread *spread) {
	for (unsigned int i = 0; i < spread->n_types - 1; i++) {
		const struct ddp_type_info *type = ddp_program_type(spread->program, i);

		spread->types[i].name = type->name;
		if (spread->n_ids <= type->id)
			spread->n_ids = type->id + 1;
	}
	spread->types[spread->n_types - 1].name = type_name(spread->program, DDP_TYPE_NONE);
}

int spread_init(struct spread *spread, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer *steer) {
	memset(spread, 0, sizeof(*spread));
	spread->program = program;
	spread->steer = steer;
	spread->policy.program = program;
	spread->policy.rss = steer->config.rss_hf != 0; // 0 turns RSS off, whatever the profile says
	spread->policy.rss_hf = steer->config.rss_hf;
	spread->policy.id = 1; // each has caches of its own
	spread->n_ids = 1;
	spread->n_types = ddp_program_n_types(program) + 1;
	spread->types = calloc(spread->n_types, sizeof(*spread->types));
	if (spread->types == NULL)
		return -ENOMEM;
	types_name(spread);
	if (steer->config.function == DDP_HASH_TOEPLITZ || !spread->policy.rss)
		return 0;
	if (flows_make(spread, profile) < 0) {
		spread_fini(spread);
		return -ENOMEM;
	}
	return 0;
}

void spread_fini(struct spread *spread) {
	ddp_flow_set_destroy(spread->flows);
	free(spread->types);
	spread->flows = NULL;
	spread->types = NULL;
}

/* Lanes: what one thread does for one candidate */

struct queue_sum {
	uint64_t packets, bytes;
};

struct lane {
	struct spread *spread;
	struct ddp_cache *cache;
	struct queue_sum queues[STEER_QUEUES_MAX];
	uint64_t *ids; // packets of each
	struct ddp_burst burst;
};

static size_t aligned_size(size_t size) {
	return (size + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN * DDP_CACHE_ALIGN;
}

static void lane_destroy(struct lane *lane) {
	if (lane == NULL)
		return;
	free(lane->cache);
	free(lane->ids);
	free(lane);
}

static struct lane *lane_create(struct spread *spread) {
	struct lane *lane = aligned_alloc(DDP_CACHE_ALIGN, aligned_size(sizeof(*lane)));

	if (lane == NULL)
		return NULL;
	memset(lane, 0, sizeof(*lane));
	lane->spread = spread;
	lane->cache = aligned_alloc(DDP_CACHE_ALIGN, aligned_size(ddp_cache_size()));
	lane->ids = calloc(spread->n_ids, sizeof(*lane->ids));
	if (lane->cache == NULL || lane->ids == NULL) {
		lane_destroy(lane);
		return NULL;
	}
	ddp_cache_init(lane->cache, ddp_isa_best(512));
	return lane;
}

static inline void queue_count(struct lane *lane, unsigned int queue, uint32_t len) {
	lane->queues[queue].packets++;
	lane->queues[queue].bytes += len;
}

static void lane_burst(struct lane *lane, struct rte_mbuf *const *mbufs, unsigned int n) {
	const struct steer *steer = lane->spread->steer;
	const uint32_t mask = steer->config.reta_size - 1;
	struct ddp_burst *burst = &lane->burst;

	ddp_cache_run(lane->cache, &lane->spread->policy, &steer->hash, mbufs, n, burst);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(burst, i);
		bool hashed = verdict->input_len > 0;

		lane->ids[verdict->type_id]++;
		queue_count(lane, hashed ? steer->reta[burst->hashes[i] & mask] : 0,
			    mbufs[i]->pkt_len);
	}
}

// Packets longer than an mbuf's segment can be.
static void lane_long(struct lane *lane, const struct capture_packet *packet) {
	const struct spread *spread = lane->spread;
	const struct ddp_packet bytes = {packet->data, packet->len, packet->len, NULL, NULL};
	struct steered steered;
	struct ddp_class class;

	ddp_classify(spread->program, &bytes, &class);
	steer_packet(spread->steer, spread->program, &bytes, &class, &steered);
	lane->ids[class.type_id]++;
	queue_count(lane, steered.queue, packet->len);
}

static void lane_sum_up(const struct lane *lane) {
	struct spread *spread = lane->spread;

	for (unsigned int i = 0; i < spread->steer->config.n_queues; i++) {
		spread->packets += lane->queues[i].packets;
		spread->queue_packets[i] += lane->queues[i].packets;
		spread->queue_bytes[i] += lane->queues[i].bytes;
	}
	for (unsigned int i = 0; i < spread->n_types - 1; i++)
		spread->types[i].packets += lane->ids[ddp_program_type(spread->program, i)->id];
	spread->types[spread->n_types - 1].packets += lane->ids[0];
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct type_count *)a)->packets;
	uint64_t n_b = ((const struct type_count *)b)->packets;

	if (n_a != n_b)
		return n_a < n_b ? 1 : -1;
	return strcmp(((const struct type_count *)a)->name, ((const struct type_count *)b)->name);
}

/* Workers */

struct worker {
	struct pool *pool;
	pthread_t thread;
	struct lane *lanes[SPREADS_MAX];
	unsigned int n_lanes;
	struct rte_mbuf mbufs[DDP_BURST_MAX];
	struct rte_mbuf *pointers[DDP_BURST_MAX];
	unsigned int n_mbufs;
};

static void burst_run(struct worker *worker) {
	for (unsigned int i = 0; i < worker->n_lanes; i++)
		lane_burst(worker->lanes[i], worker->pointers, worker->n_mbufs);
	worker->n_mbufs = 0;
}

// Packets in mbufs that nobody frees: bytes stay where they are.
static void batch_run(struct worker *worker, const struct capture_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct capture_packet *packet = &batch->packets[i];
		struct rte_mbuf *mbuf = &worker->mbufs[worker->n_mbufs];
		size_t readable;

		if (packet->len > UINT16_MAX) {
			for (unsigned int l = 0; l < worker->n_lanes; l++)
				lane_long(worker->lanes[l], packet);
			continue;
		}
		readable = capture_readable(batch, packet);
		mbuf->buf_addr = (void *)(uintptr_t)packet->data;
		mbuf->buf_len = readable < UINT16_MAX ? readable : UINT16_MAX;
		mbuf->data_len = packet->len;
		mbuf->pkt_len = packet->len;
		if (++worker->n_mbufs == DDP_BURST_MAX)
			burst_run(worker);
	}
	if (worker->n_mbufs > 0)
		burst_run(worker); // the batch goes back
}

static void worker_destroy(struct worker *worker) {
	if (worker == NULL)
		return;
	for (unsigned int i = 0; i < worker->n_lanes; i++)
		lane_destroy(worker->lanes[i]);
	free(worker);
}

static struct worker *worker_create(struct spread *spreads, unsigned int n) {
	struct worker *worker = aligned_alloc(DDP_CACHE_ALIGN, aligned_size(sizeof(*worker)));

	if (worker == NULL)
		return NULL;
	memset(worker, 0, sizeof(*worker));
	for (unsigned int i = 0; i < DDP_BURST_MAX; i++) {
		worker->pointers[i] = &worker->mbufs[i];
		worker->mbufs[i].nb_segs = 1;
	}
	for (; worker->n_lanes < n; worker->n_lanes++) {
		worker->lanes[worker->n_lanes] = lane_create(&spreads[worker->n_lanes]);
		if (worker->lanes[worker->n_lanes] == NULL) {
			worker_destroy(worker);
			return NULL;
		}
	}
	return worker;
}

/* The pool: batches go round between the thread that reads and the workers */

#define BATCHES_MAX (SPREAD_WORKERS_MAX + 2)

struct pool {
	pthread_mutex_t lock; // of what follows
	pthread_cond_t filled, emptied;
	struct capture_batch *full[BATCHES_MAX], *empty[BATCHES_MAX];
	unsigned int n_full, n_empty;
	bool ended;

	// of the thread that reads
	struct worker *workers[SPREAD_WORKERS_MAX];
	unsigned int n_workers, n_running;
};

// Returns NULL at the end.
static struct capture_batch *full_take(struct pool *pool) {
	struct capture_batch *batch = NULL;

	pthread_mutex_lock(&pool->lock);
	while (pool->n_full == 0 && !pool->ended)
		pthread_cond_wait(&pool->filled, &pool->lock);
	if (pool->n_full > 0)
		batch = pool->full[--pool->n_full]; // any will do
	pthread_mutex_unlock(&pool->lock);
	return batch;
}

static void full_put(struct pool *pool, struct capture_batch *batch) {
	pthread_mutex_lock(&pool->lock);
	pool->full[pool->n_full++] = batch;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_signal(&pool->filled);
}

// The one used last is still in the processor's caches.
static struct capture_batch *empty_take(struct pool *pool) {
	struct capture_batch *batch;

	pthread_mutex_lock(&pool->lock);
	while (pool->n_empty == 0)
		pthread_cond_wait(&pool->emptied, &pool->lock);
	batch = pool->empty[--pool->n_empty];
	pthread_mutex_unlock(&pool->lock);
	return batch;
}

static void empty_put(struct pool *pool, struct capture_batch *batch) {
	pthread_mutex_lock(&pool->lock);
	pool->empty[pool->n_empty++] = batch;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_signal(&pool->emptied);
}

static void *worker_main(void *arg) {
	struct worker *worker = arg;
	struct capture_batch *batch;

	while ((batch = full_take(worker->pool)) != NULL) {
		batch_run(worker, batch);
		empty_put(worker->pool, batch);
	}
	return NULL;
}

// The one that reads has a core, too.
static unsigned int workers_wanted(unsigned int n_spreads) {
	unsigned int n_cpus = 1, n;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n_cpus = CPU_COUNT(&cpus);
	n = n_cpus > 1 ? n_cpus - 1 : 1;
	if (n > SPREAD_WORKERS_MAX)
		n = SPREAD_WORKERS_MAX;
	if (n > LANES_MAX / n_spreads)
		n = LANES_MAX / n_spreads;
	return n > 0 ? n : 1;
}

static void pool_fini(struct pool *pool) {
	for (unsigned int i = 0; i < pool->n_workers; i++)
		worker_destroy(pool->workers[i]);
	for (unsigned int i = 0; i < pool->n_empty; i++)
		free(pool->empty[i]);
	pthread_cond_destroy(&pool->filled);
	pthread_cond_destroy(&pool->emptied);
	pthread_mutex_destroy(&pool->lock);
}

static int pool_init(struct pool *pool, struct spread *spreads, unsigned int n,
		     unsigned int n_workers) {
	memset(pool, 0, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->filled, NULL);
	pthread_cond_init(&pool->emptied, NULL);
	for (unsigned int i = 0; i < n_workers + 2; i++) {
		struct capture_batch *batch = calloc(1, sizeof(*batch));

		if (batch == NULL)
			goto failed;
		pool->empty[pool->n_empty++] = batch;
	}
	for (unsigned int i = 0; i < n_workers; i++) {
		struct worker *worker = worker_create(spreads, n);

		if (worker == NULL)
			goto failed;
		worker->pool = pool;
		pool->workers[pool->n_workers++] = worker;
	}
	return 0;

failed:
	pool_fini(pool);
	return -ENOMEM;
}

// Signals are for the thread that waits for packets.
static void pool_start(struct pool *pool) {
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; pool->n_running < pool->n_workers; pool->n_running++) {
		struct worker *worker = pool->workers[pool->n_running];

		if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_stop(struct pool *pool) {
	pthread_mutex_lock(&pool->lock);
	pool->ended = true;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_broadcast(&pool->filled);
	for (unsigned int i = 0; i < pool->n_running; i++)
		pthread_join(pool->workers[i]->thread, NULL);
}

static void batch_hand_over(struct pool *pool, struct capture_batch *batch) {
	if (pool->n_running > 0) {
		full_put(pool, batch);
		return;
	}
	batch_run(pool->workers[0], batch); // no thread could be had
	empty_put(pool, batch);
}

int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       unsigned int n_workers, double *seconds) {
	struct progress progress;
	struct pool pool;
	int ret = pool_init(&pool, spreads, n, n_workers > 0 ? n_workers : workers_wanted(n));

	if (ret < 0)
		return ret;
	progress_begin(&progress);
	pool_start(&pool);
	do {
		struct capture_batch *batch = empty_take(&pool);

		ret = capture_fill(capture, batch);
		if (ret > 0)
			batch_hand_over(&pool, batch);
		else
			empty_put(&pool, batch);
		progress_show(&progress, capture);
	} while (ret > 0);
	pool_stop(&pool);
	*seconds = progress_end(&progress);
	for (unsigned int i = 0; i < pool.n_workers; i++)
		for (unsigned int lane = 0; lane < n; lane++)
			lane_sum_up(pool.workers[i]->lanes[lane]);
	for (unsigned int i = 0; i < n; i++)
		qsort(spreads[i].types, spreads[i].n_types, sizeof(spreads[i].types[0]), by_packets);
	pool_fini(&pool);
	return ret;
}
