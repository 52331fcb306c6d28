/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <pthread.h>
#include <rte_mbuf_core.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/capture/progress.h"
#include "ctl/profile/profile_load.h"
#include "flow_counter.h"

/* Candidates */

// The path cache hashes plainly unless a rule says otherwise.
static int rules_make(struct spread *spread, const struct ddp_profile *profile,
		      const struct rules *rules, struct ddp_diag *diag) {
	const struct steer_config *config = &spread->steer->config;
	int ret;

	if (rules_count(rules) == 0 &&
	    (config->function == DDP_HASH_TOEPLITZ || !spread->policy.rss))
		return 0;
	ret = rules_build(rules, profile, spread->program, config, &spread->rules, &spread->policy,
			  diag);
	spread->has_rules = ret == 0;
	return ret;
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

static void results_make(struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	uint64_t *queues;

	spread->types = calloc_or_exit(spread->n_types, sizeof(*spread->types));
	spread->type_queues =
		calloc_or_exit((size_t)spread->n_types * config->n_queues, sizeof(*queues));
	spread->entry_packets = calloc_or_exit(config->reta_size, sizeof(*spread->entry_packets));
	queues = spread->type_queues;
	for (unsigned int i = 0; i < spread->n_types; i++, queues += config->n_queues)
		spread->types[i].queue_packets = queues;
	flows_init(&spread->groups, false, 0);
}

int spread_init(struct spread *spread, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer *steer,
		const struct rules *rules, struct ddp_diag *diag) {
	int ret;

	memset(spread, 0, sizeof(*spread));
	spread->program = program;
	spread->steer = steer;
	spread->policy.program = program;
	spread->policy.rss =
		steer->config.rss_hf != 0; // 0 turns RSS off, whatever the profile says
	spread->policy.rss_hf = steer->config.rss_hf;
	spread->policy.id = 1; // each has caches of its own
	spread->n_ids = 1;
	spread->n_types = ddp_program_n_types(program) + 1;
	results_make(spread);
	types_name(spread);
	ret = rules_make(spread, profile, rules, diag);
	if (ret < 0)
		spread_fini(spread);
	return ret;
}

void spread_fini(struct spread *spread) {
	if (spread->has_rules)
		rule_set_fini(&spread->rules);
	flows_fini(&spread->groups);
	windows_fini(&spread->windows);
	balancer_destroy(spread->balancer);
	free(spread->entry_packets);
	free(spread->type_queues);
	free(spread->types);
	spread->has_rules = false;
	spread->balancer = NULL;
	spread->balancing = NULL;
	spread->entry_packets = NULL;
	spread->type_queues = NULL;
	spread->types = NULL;
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct spread_type *)a)->packets;
	uint64_t n_b = ((const struct spread_type *)b)->packets;

	if (n_a != n_b)
		return n_a < n_b ? 1 : -1;
	return strcmp(((const struct spread_type *)a)->name, ((const struct spread_type *)b)->name);
}

// Else it is there for the keys of flows or UEs.
static bool has_groups(const struct spread *spread) {
	return spread->second == NULL;
}

/* Tasks */

#define BATCHES 4

// A batch of packets, and the places that each candidate gives them.
struct placed_batch {
	struct capture_batch *batch;
	uint16_t *places[SPREADS_MAX];
};

// All packets of a candidate, of flows or of UEs, in the order of the capture.
struct task {
	struct pool *pool;
	struct shard *shard;
	struct flow_counter *counter; // NULL: a candidate
	struct rte_mbuf mbufs[DDP_BURST_MAX];
	struct shard_packets packets; // of the burst

	// under the pool's lock
	uint64_t n_done; // batches
	bool is_taken;   // by a thread
};

struct pool {
	pthread_mutex_t lock; // of what follows
	pthread_cond_t moved;
	uint64_t n_full;  // batches that were filled
	bool is_reading;  // a thread fills the next one
	bool ended;       // no more will be
	int capture_said; // last, 0 or less

	struct placed_batch batches[BATCHES]; // number n is n % BATCHES

	// for the thread that reads, with the sums of totals
	struct capture *capture;
	struct progress progress;

	struct spread *spreads;
	struct spread_totals *totals;
	struct task *tasks[SPREADS_MAX];
	unsigned int n_tasks;
	pthread_t threads[SPREAD_THREADS_MAX]; // besides the one that signals are for
	unsigned int n_threads;
};

// Packets in mbufs that nobody frees: bytes stay where they are.
static void packet_add(struct task *task, const struct capture_batch *batch, unsigned int i) {
	const struct capture_packet *packet = &batch->packets[i];
	struct shard_packets *packets = &task->packets;
	struct rte_mbuf *mbuf = &task->mbufs[packets->n];
	size_t readable = capture_readable(batch, packet);

	mbuf->buf_addr = (void *)(uintptr_t)packet->data;
	mbuf->buf_len = readable < UINT16_MAX ? readable : UINT16_MAX;
	mbuf->data_len = packet->len;
	mbuf->pkt_len = packet->len;
	packets->numbers[packets->n] = batch->first + i;
	packets->captured[packets->n] = packet;
	packets->n++;
}

// Of the next burst: another CPU may have filled the batch.
static void packet_prefetch(const struct capture_batch *batch, unsigned int i) {
	if (i >= batch->n)
		return;
	__builtin_prefetch(batch->packets[i].data);
	__builtin_prefetch(batch->packets[i].data + 64);
}

static bool is_long(const struct capture_packet *packet) {
	return packet->len > UINT16_MAX;
}

// The burst that begins with packet i of the batch; a long packet is alone.
static void burst_run(struct task *task, const struct placed_batch *placed, unsigned int first) {
	const struct capture_batch *batch = placed->batch;
	const unsigned int n_places = task->pool->totals->n_places;
	struct shard_packets *packets = &task->packets;
	const uint16_t *places[SPREADS_MAX];
	uint16_t *own = placed->places[task->shard->spread - task->pool->spreads];

	packets->n = 0;
	if (is_long(&batch->packets[first])) {
		packet_add(task, batch, first);
		shard_long(task->shard, packets->captured[0]);
	} else {
		for (unsigned int i = first;
		     i < batch->n && packets->n < DDP_BURST_MAX && !is_long(&batch->packets[i]);
		     i++) {
			packet_add(task, batch, i);
			packet_prefetch(batch, i + DDP_BURST_MAX);
		}
		shard_classify(task->shard, packets);
		shard_count(task->shard, packets);
	}
	if (own != NULL)
		memcpy(own + first, task->shard->places, packets->n * sizeof(*own));
	if (task->counter == NULL)
		return;
	for (unsigned int p = 0; p < n_places; p++)
		places[p] = placed->places[p] + first;
	flow_counter_count(task->counter, packets, places);
}

static void batch_run(struct task *task, const struct placed_batch *placed) {
	const struct capture_batch *batch = placed->batch;
	struct spread *spread = task->shard->spread;

	for (unsigned int i = 0; i < batch->n; i += task->packets.n)
		burst_run(task, placed, i);
	shard_batch_end(task->shard);
	if (spread->balancer != NULL)
		balancer_count(spread->balancer, placed->places[spread - task->pool->spreads],
			       batch->packets, batch->n);
}

static struct task *task_create(struct pool *pool, unsigned int spread) {
	struct task *task = shard_alloc(sizeof(*task));
	const bool is_flow = (int)spread == pool->totals->flow_spread;

	memset(task, 0, sizeof(*task));
	task->pool = pool;
	task->shard = shard_create(&pool->spreads[spread]);
	for (unsigned int i = 0; i < DDP_BURST_MAX; i++) {
		task->packets.mbufs[i] = &task->mbufs[i];
		task->mbufs[i].nb_segs = 1;
	}
	if (!is_flow && (int)spread != pool->totals->ue_spread)
		return task;
	task->counter = shard_alloc(sizeof(*task->counter));
	flow_counter_init(task->counter, task->shard, is_flow, pool->totals, pool->spreads);
	return task;
}

static void task_destroy(struct task *task) {
	shard_destroy(task->shard);
	free(task->counter);
	free(task);
}

/* Reading */

// Where times begin: with the capture's first packet.
static void times_begin(struct pool *pool, uint64_t first_ns) {
	struct spread_totals *totals = pool->totals;

	totals->first_ns = first_ns;
	if (first_ns == 0)
		return;
	for (unsigned int i = 0; i < pool->n_tasks; i++) {
		struct spread *spread = &pool->spreads[i];

		if (has_groups(spread))
			windows_init(&spread->windows, spread->steer->config.n_queues, first_ns,
				     totals->window_ns);
		if (i < totals->n_places && totals->balance_ns != 0)
			spread->balancer =
				balancer_create(spread->steer, first_ns, totals->balance_ns,
						INTERVALS_MAX / totals->n_places);
	}
}

static void batch_sum_up(struct spread_totals *totals, const struct capture_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		if (totals->last_ns < batch->packets[i].time_ns)
			totals->last_ns = batch->packets[i].time_ns;
		totals->bytes += batch->packets[i].wire_len;
	}
	if (totals->sample != NULL)
		sample_take(totals->sample, batch);
}

// Returns as capture_fill().
static int capture_read(struct pool *pool, struct capture_batch *batch) {
	int ret = capture_fill(pool->capture, batch);

	if (ret > 0) {
		if (batch->first == 1)
			times_begin(pool, batch->packets[0].time_ns);
		batch_sum_up(pool->totals, batch);
	}
	progress_show(&pool->progress, pool->capture);
	return ret;
}

/* Threads */

// Batches that the first n tasks have behind them. With the pool's lock, as what follows.
static uint64_t done_least(const struct pool *pool, unsigned int n) {
	uint64_t least = pool->n_full;

	for (unsigned int i = 0; i < n; i++)
		if (pool->tasks[i]->n_done < least)
			least = pool->tasks[i]->n_done;
	return least;
}

// The task that is farthest behind, of those that can go on. NULL: none.
static struct task *task_take(struct pool *pool) {
	const uint64_t n_placed = done_least(pool, pool->totals->n_places);
	struct task *chosen = NULL;

	for (unsigned int i = 0; i < pool->n_tasks; i++) {
		struct task *task = pool->tasks[i];

		if (!task->is_taken &&
		    task->n_done < (task->counter != NULL ? n_placed : pool->n_full) &&
		    (chosen == NULL || task->n_done < chosen->n_done))
			chosen = task;
	}
	if (chosen != NULL)
		chosen->is_taken = true;
	return chosen;
}

// Run its next batch, without the lock.
static void task_run(struct pool *pool, struct task *task) {
	pthread_mutex_unlock(&pool->lock);
	batch_run(task, &pool->batches[task->n_done % BATCHES]);
	pthread_mutex_lock(&pool->lock);
	task->is_taken = false;
	task->n_done++;
}

// Whether the next batch is to be filled: all tasks have behind them what it had before. Where that
// may wait for packets, a signal ends it.
static bool batch_is_free(const struct pool *pool, bool has_signals) {
	return !pool->is_reading && !pool->ended &&
	       (has_signals || !capture_waits(pool->capture)) &&
	       pool->n_full - done_least(pool, pool->n_tasks) < BATCHES;
}

// Fill the next batch, without the lock.
static void read_run(struct pool *pool) {
	int ret;

	pool->is_reading = true;
	pthread_mutex_unlock(&pool->lock);
	ret = capture_read(pool, pool->batches[pool->n_full % BATCHES].batch);
	pthread_mutex_lock(&pool->lock);
	pool->is_reading = false;
	if (ret > 0) {
		pool->n_full++;
	} else {
		pool->ended = true;
		pool->capture_said = ret;
	}
}

// Any thread does what can be done next: if one of them only read, it would wait for the others or
// they for it, and a CPU has nothing to do.
static void work(struct pool *pool, bool has_signals) {
	pthread_mutex_lock(&pool->lock);
	while (!pool->ended || done_least(pool, pool->n_tasks) < pool->n_full) {
		struct task *task;

		if (batch_is_free(pool, has_signals)) {
			read_run(pool);
		} else if ((task = task_take(pool)) != NULL) {
			task_run(pool, task);
		} else {
			pthread_cond_wait(&pool->moved, &pool->lock);
			continue;
		}
		pthread_cond_broadcast(&pool->moved);
	}
	pthread_mutex_unlock(&pool->lock);
}

static void *thread_main(void *pool) {
	work(pool, false);
	return NULL;
}

static unsigned int threads_wanted(void) {
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
}

// Signals are for this thread.
static void pool_run(struct pool *pool, unsigned int n_threads) {
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool->n_threads < n_threads &&
	       pthread_create(&pool->threads[pool->n_threads], NULL, thread_main, pool) == 0)
		pool->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work(pool, true);
	for (unsigned int i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
}

static void pool_init(struct pool *pool, struct capture *capture, struct spread *spreads,
		      unsigned int n, struct spread_totals *totals) {
	memset(pool, 0, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->moved, NULL);
	pool->capture = capture;
	pool->spreads = spreads;
	pool->totals = totals;
	for (unsigned int i = 0; i < BATCHES; i++) {
		pool->batches[i].batch = calloc_or_exit(1, sizeof(struct capture_batch));
		for (unsigned int p = 0; p < totals->n_places; p++)
			pool->batches[i].places[p] =
				calloc_or_exit(CAPTURE_BATCH_PACKETS, sizeof(uint16_t));
	}
	for (; pool->n_tasks < n; pool->n_tasks++)
		pool->tasks[pool->n_tasks] = task_create(pool, pool->n_tasks);
}

static void pool_fini(struct pool *pool) {
	for (unsigned int i = 0; i < pool->n_tasks; i++)
		task_destroy(pool->tasks[i]);
	for (unsigned int i = 0; i < BATCHES; i++) {
		for (unsigned int p = 0; p < pool->totals->n_places; p++)
			free(pool->batches[i].places[p]);
		free(pool->batches[i].batch);
	}
	pthread_cond_destroy(&pool->moved);
	pthread_mutex_destroy(&pool->lock);
}

static void pool_sum_up(const struct pool *pool) {
	for (unsigned int i = 0; i < pool->n_tasks; i++) {
		struct spread *spread = &pool->spreads[i];

		shard_sum_up(pool->tasks[i]->shard);
		if (spread->balancer != NULL)
			spread->balancing = balancer_end(spread->balancer);
		qsort(spread->types, spread->n_types, sizeof(spread->types[0]), by_packets);
	}
}

/* Memory */

#define MEMORY_FIXED (24U << 20) // profiles and what else does not depend on the capture
#define MEMORY_LEAST (8U << 20)  // of all tables, whatever the limit is

// Flows take most: many of them have one hash where a candidate does not tell them apart, and a UE
// has several. There is no need to know many more flows than that; see flows.h on what it costs.
static void memory_share(struct spread *spreads, unsigned int n, struct spread_totals *totals) {
	size_t size = totals->memory != 0 ? totals->memory : MEMORY_DEFAULT;
	size_t fixed = MEMORY_FIXED + n * ddp_cache_size() +
		       BATCHES * (sizeof(struct capture_batch) +
				  totals->n_places * CAPTURE_BATCH_PACKETS * sizeof(uint16_t));
	unsigned int n_grouped = 0;

	for (unsigned int i = 0; i < n; i++)
		n_grouped += has_groups(&spreads[i]);
	size = size > fixed + MEMORY_LEAST ? size - fixed : MEMORY_LEAST;
	for (unsigned int i = 0; i < n; i++)
		flows_limit(&spreads[i].groups, size / 4 / (n_grouped > 0 ? n_grouped : 1));
	flows_limit(&totals->flows, size / 16 * 9);
	flows_limit(&totals->ues, size / 16 * 3);
}

void spread_totals_init(struct spread_totals *totals) {
	memset(totals, 0, sizeof(*totals));
	totals->flow_spread = -1;
	totals->ue_spread = -1;
}

void spread_totals_fini(struct spread_totals *totals) {
	flows_fini(&totals->flows);
	flows_fini(&totals->ues);
}

int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals, unsigned int n_threads) {
	struct pool *pool = calloc_or_exit(1, sizeof(*pool)); // too large for some stacks
	int said;

	if (n_threads == 0)
		n_threads = threads_wanted();
	n_threads--; // besides this one
	if (n_threads > n)
		n_threads = n;
	if (n_threads > SPREAD_THREADS_MAX)
		n_threads = SPREAD_THREADS_MAX;
	pthread_mutex_init(&totals->layouts.lock, NULL);
	flows_init(&totals->flows, true, totals->n_places);
	flows_init(&totals->ues, true, totals->n_places);
	memory_share(spreads, n, totals);
	pool_init(pool, capture, spreads, n, totals);
	progress_begin(&pool->progress);
	pool_run(pool, n_threads);
	totals->seconds = progress_end(&pool->progress);
	pool_sum_up(pool);
	pool_fini(pool);
	said = pool->capture_said;
	free(pool);
	return said;
}
