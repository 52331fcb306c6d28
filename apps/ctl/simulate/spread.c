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

#define LANES_MAX 24 // each has a path cache of several MB

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
	inputs_fini(&spread->inputs);
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

/* Workers */

struct worker {
	struct pool *pool;
	pthread_t thread;
	struct shard *shards[SPREADS_MAX];
	unsigned int n_shards;
	struct flow_counter counter;
	bool begun;
	uint64_t last_ns, bytes;
	struct rte_mbuf mbufs[DDP_BURST_MAX];
	struct shard_packets packets;  // of the burst
	uint16_t *places[SPREADS_MAX]; // of the batch, for the balancers; NULL: it has none
	unsigned int n_placed;         // packets of the batch
};

static void places_keep(struct worker *worker, unsigned int n) {
	for (unsigned int i = 0; i < worker->n_shards; i++)
		if (worker->places[i] != NULL)
			memcpy(worker->places[i] + worker->n_placed, worker->shards[i]->places,
			       n * sizeof(*worker->places[i]));
	worker->n_placed += n;
}

static void burst_run(struct worker *worker) {
	struct shard_packets *packets = &worker->packets;

	for (unsigned int i = 0; i < worker->n_shards; i++)
		shard_classify(worker->shards[i], packets);
	for (unsigned int i = 0; i < worker->n_shards; i++)
		if (!has_groups(worker->shards[i]->spread)) // its keys are counted last
			shard_count(worker->shards[i], packets);
	flow_counter_begin(&worker->counter, worker->shards, packets->n);
	for (unsigned int i = 0; i < worker->n_shards; i++)
		if (has_groups(worker->shards[i]->spread))
			shard_count(worker->shards[i], packets);
	flow_counter_count(&worker->counter, worker->shards, packets->captured, packets->numbers,
			   packets->n);
	places_keep(worker, packets->n);
	packets->n = 0;
}

static void long_run(struct worker *worker, const struct capture_packet *packet, uint64_t number) {
	for (unsigned int i = 0; i < worker->n_shards; i++)
		shard_long(worker->shards[i], packet);
	flow_counter_begin(&worker->counter, worker->shards, 1);
	flow_counter_count(&worker->counter, worker->shards, &packet, &number, 1);
	places_keep(worker, 1);
}

// Packets in mbufs that nobody frees: bytes stay where they are.
static void packet_add(struct worker *worker, const struct capture_batch *batch, unsigned int i) {
	const struct capture_packet *packet = &batch->packets[i];
	struct shard_packets *packets = &worker->packets;
	struct rte_mbuf *mbuf = &worker->mbufs[packets->n];
	size_t readable = capture_readable(batch, packet);

	mbuf->buf_addr = (void *)(uintptr_t)packet->data;
	mbuf->buf_len = readable < UINT16_MAX ? readable : UINT16_MAX;
	mbuf->data_len = packet->len;
	mbuf->pkt_len = packet->len;
	packets->numbers[packets->n] = batch->first + i;
	packets->captured[packets->n] = packet;
	packets->n++;
}

// Windows of all threads begin with the capture's first packet, whoever has it.
static void windows_begin(struct worker *worker) {
	const struct spread_totals *wanted = worker->counter.wanted;

	if (wanted->first_ns == 0)
		return;
	for (unsigned int i = 0; i < worker->n_shards; i++)
		if (has_groups(worker->shards[i]->spread))
			windows_init(&worker->shards[i]->windows,
				     worker->shards[i]->spread->steer->config.n_queues,
				     wanted->first_ns, wanted->window_ns);
}

static void batch_classify(struct worker *worker, const struct capture_batch *batch) {
	if (!worker->begun)
		windows_begin(worker);
	worker->begun = true;
	worker->n_placed = 0;
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct capture_packet *packet = &batch->packets[i];

		if (worker->last_ns < packet->time_ns)
			worker->last_ns = packet->time_ns;
		worker->bytes += packet->wire_len;
		if (packet->len > UINT16_MAX) {
			if (worker->packets.n > 0)
				burst_run(worker);
			long_run(worker, packet, batch->first + i);
			continue;
		}
		packet_add(worker, batch, i);
		if (worker->packets.n == DDP_BURST_MAX)
			burst_run(worker);
	}
	if (worker->packets.n > 0)
		burst_run(worker); // the batch goes back
}

/* Memory */

// What one thread may use for its tables, in bytes; all threads have as much.
struct share {
	size_t groups; // of each spread
	size_t flows, ues;
};

#define MEMORY_FIXED (24U << 20) // profiles and what else does not depend on the capture
#define INPUT_BYTES 48           // of one that is kept, on average
#define FEW_SPREADS 4            // a candidate, hardware without it, flows and UEs
#define MEMORY_LEAST (8U << 20)  // of all tables, whatever the limit is

// Flows take most: many of them have one hash where a candidate does not tell them apart, and a UE
// has several. There is no need to know many more flows than that; see flows.h on what it costs.
static struct share share_make(const struct spread *spreads, unsigned int n,
			       const struct spread_totals *totals, unsigned int n_workers) {
	size_t size = totals->memory != 0 ? totals->memory : MEMORY_DEFAULT;
	size_t fixed = MEMORY_FIXED + (n_workers + 2) * sizeof(struct capture_batch) +
		       n_workers * n * ddp_cache_size();
	unsigned int n_grouped = 0;

	for (unsigned int i = 0; i < n; i++)
		if (spreads[i].keeps_inputs) // of each thread, and together
			fixed += (n_workers + 1) * (size_t)INPUTS_MAX * INPUT_BYTES;
	size = size > fixed + MEMORY_LEAST ? size - fixed : MEMORY_LEAST;
	if (n_workers > 1)
		size /= n_workers + 1; // and all together at the end
	for (unsigned int i = 0; i < n; i++)
		n_grouped += has_groups(&spreads[i]);
	return (struct share){
		.groups = size / 4 / (n_grouped > 0 ? n_grouped : 1),
		.flows = size / 2,
		.ues = size / 4,
	};
}

static void worker_destroy(struct worker *worker) {
	for (unsigned int i = 0; i < worker->n_shards; i++) {
		shard_destroy(worker->shards[i]);
		free(worker->places[i]);
	}
	flow_counter_fini(&worker->counter);
	free(worker);
}

static struct worker *worker_create(struct spread *spreads, unsigned int n,
				    struct spread_totals *totals, const struct share *share) {
	struct worker *worker = shard_alloc(sizeof(*worker));

	memset(worker, 0, sizeof(*worker));
	flow_counter_init(&worker->counter, totals, &totals->layouts, share->flows, share->ues);
	for (unsigned int i = 0; i < DDP_BURST_MAX; i++) {
		worker->packets.mbufs[i] = &worker->mbufs[i];
		worker->mbufs[i].nb_segs = 1;
	}
	for (; worker->n_shards < n; worker->n_shards++)
		worker->shards[worker->n_shards] =
			shard_create(&spreads[worker->n_shards], share->groups);
	for (unsigned int i = 0; i < totals->n_places && totals->balance_ns != 0; i++)
		worker->places[i] =
			calloc_or_exit(CAPTURE_BATCH_PACKETS, sizeof(*worker->places[i]));
	return worker;
}

/* The pool: batches go round between the thread that reads and the workers */

#define BATCHES_MAX (SPREAD_WORKERS_MAX + 2)

// The last one is taken first: it is still in the processor's caches. Where batches have turns, the
// earliest one is, so that the worker whose turn it is never waits for another one.
struct stack {
	struct capture_batch *batches[BATCHES_MAX];
	unsigned int n;
	pthread_cond_t grown;
};

struct pool {
	pthread_mutex_t lock; // of what follows
	struct stack full, empty;
	bool ended;
	uint64_t turn; // number of the packet that balancers count next
	pthread_cond_t turned;

	bool has_turns;

	// of the thread that reads
	struct worker *workers[SPREAD_WORKERS_MAX];
	unsigned int n_workers, n_running;
};

static struct capture_batch *stack_take(struct stack *from, bool earliest) {
	unsigned int at = from->n - 1;
	struct capture_batch *batch;

	for (unsigned int i = 0; earliest && i < from->n; i++)
		if (from->batches[i]->first < from->batches[at]->first)
			at = i;
	batch = from->batches[at];
	from->batches[at] = from->batches[--from->n];
	return batch;
}

// Returns NULL at the end.
static struct capture_batch *batch_take(struct pool *pool, struct stack *from) {
	struct capture_batch *batch = NULL;

	pthread_mutex_lock(&pool->lock);
	while (from->n == 0 && !pool->ended)
		pthread_cond_wait(&from->grown, &pool->lock);
	if (from->n > 0)
		batch = stack_take(from, pool->has_turns && from == &pool->full);
	pthread_mutex_unlock(&pool->lock);
	return batch;
}

static void batch_put(struct pool *pool, struct stack *to, struct capture_batch *batch) {
	pthread_mutex_lock(&pool->lock);
	to->batches[to->n++] = batch;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_signal(&to->grown);
}

// Balancers count in the order of the capture.
static void batch_balance(struct worker *worker, const struct capture_batch *batch) {
	struct pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	while (pool->turn != batch->first)
		pthread_cond_wait(&pool->turned, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < worker->n_shards; i++)
		if (worker->shards[i]->spread->balancer != NULL)
			balancer_count(worker->shards[i]->spread->balancer, worker->places[i],
				       batch->packets, batch->n);
	pthread_mutex_lock(&pool->lock);
	pool->turn = batch->first + batch->n;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_broadcast(&pool->turned);
}

static void batch_run(struct worker *worker, const struct capture_batch *batch) {
	batch_classify(worker, batch);
	if (worker->pool->has_turns)
		batch_balance(worker, batch);
}

static void *worker_main(void *arg) {
	struct worker *worker = arg;
	struct capture_batch *batch;

	while ((batch = batch_take(worker->pool, &worker->pool->full)) != NULL) {
		batch_run(worker, batch);
		batch_put(worker->pool, &worker->pool->empty, batch);
	}
	return NULL;
}

// The thread that reads has less to do than one that classifies, and waits for it. But each more
// shares the memory, so it has a CPU of its own where there are many candidates.
static unsigned int workers_wanted(unsigned int n_spreads) {
	unsigned int n = 1;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = CPU_COUNT(&cpus);
	if (n > 1 && n_spreads > FEW_SPREADS)
		n--;
	if (n > SPREAD_WORKERS_MAX)
		n = SPREAD_WORKERS_MAX;
	if (n > LANES_MAX / n_spreads)
		n = LANES_MAX / n_spreads;
	return n > 0 ? n : 1;
}

static void pool_fini(struct pool *pool) {
	for (unsigned int i = 0; i < pool->n_workers; i++)
		worker_destroy(pool->workers[i]);
	for (unsigned int i = 0; i < pool->empty.n; i++)
		free(pool->empty.batches[i]);
	pthread_cond_destroy(&pool->full.grown);
	pthread_cond_destroy(&pool->empty.grown);
	pthread_cond_destroy(&pool->turned);
	pthread_mutex_destroy(&pool->lock);
}

static void pool_init(struct pool *pool, struct spread *spreads, unsigned int n,
		      struct spread_totals *totals, unsigned int n_workers,
		      const struct share *share) {
	memset(pool, 0, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->full.grown, NULL);
	pthread_cond_init(&pool->empty.grown, NULL);
	pthread_cond_init(&pool->turned, NULL);
	pool->has_turns = totals->balance_ns != 0;
	for (unsigned int i = 0; i < n_workers + 2; i++)
		pool->empty.batches[pool->empty.n++] =
			calloc_or_exit(1, sizeof(struct capture_batch));
	for (unsigned int i = 0; i < n_workers; i++) {
		struct worker *worker = worker_create(spreads, n, totals, share);

		worker->pool = pool;
		pool->workers[pool->n_workers++] = worker;
	}
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
	pthread_cond_broadcast(&pool->full.grown);
	for (unsigned int i = 0; i < pool->n_running; i++)
		pthread_join(pool->workers[i]->thread, NULL);
}

static void worker_sum_up(struct worker *worker, struct spread_totals *totals) {
	if (totals->last_ns < worker->last_ns)
		totals->last_ns = worker->last_ns;
	totals->bytes += worker->bytes;
	for (unsigned int i = 0; i < worker->n_shards; i++)
		shard_sum_up(worker->shards[i]);
	flows_merge(&totals->flows, &worker->counter.flows);
	flows_merge(&totals->ues, &worker->counter.ues);
}

static void pool_sum_up(const struct pool *pool, struct spread *spreads, unsigned int n,
			struct spread_totals *totals) {
	for (unsigned int i = 0; i < pool->n_workers; i++)
		worker_sum_up(pool->workers[i], totals);
	for (unsigned int i = 0; i < n; i++) {
		if (spreads[i].balancer != NULL)
			spreads[i].balancing = balancer_end(spreads[i].balancer);
		qsort(spreads[i].types, spreads[i].n_types, sizeof(spreads[i].types[0]),
		      by_packets);
	}
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

// Intervals begin with the capture's first packet.
static void balancers_create(struct spread *spreads, const struct spread_totals *totals) {
	if (totals->first_ns == 0 || totals->balance_ns == 0)
		return;
	for (unsigned int i = 0; i < totals->n_places; i++)
		spreads[i].balancer =
			balancer_create(spreads[i].steer, totals->first_ns, totals->balance_ns,
					INTERVALS_MAX / totals->n_places);
}

// Let the pool have the rest of the capture. Returns what capture_fill() said last.
static int capture_run(struct pool *pool, struct capture *capture, struct spread *spreads,
		       struct spread_totals *totals) {
	struct progress progress;
	int ret;

	pool->turn = capture->n_packets + 1;
	progress_begin(&progress);
	do {
		struct capture_batch *batch = batch_take(pool, &pool->empty);

		ret = capture_fill(capture, batch);
		if (ret > 0 && batch->first == 1) {
			totals->first_ns = batch->packets[0].time_ns;
			balancers_create(spreads, totals);
		}
		if (ret > 0 && totals->sample != NULL)
			sample_take(totals->sample, batch);
		if (ret > 0 && pool->n_running == 0)
			batch_run(pool->workers[0], batch); // no thread could be had
		batch_put(pool, ret > 0 && pool->n_running > 0 ? &pool->full : &pool->empty, batch);
		progress_show(&progress, capture);
	} while (ret > 0);
	totals->seconds = progress_end(&progress);
	return ret;
}

int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals, unsigned int n_workers) {
	struct share share;
	struct pool pool;
	int ret;

	if (n_workers == 0)
		n_workers = workers_wanted(n);
	share = share_make(spreads, n, totals, n_workers);
	pthread_mutex_init(&totals->layouts.lock, NULL);
	flows_init(&totals->flows, true, totals->n_places);
	flows_init(&totals->ues, true, totals->n_places);
	flows_limit(&totals->flows, share.flows * n_workers);
	flows_limit(&totals->ues, share.ues * n_workers);
	for (unsigned int i = 0; i < n; i++)
		flows_limit(&spreads[i].groups, share.groups * n_workers);
	pool_init(&pool, spreads, n, totals, n_workers, &share);
	pool_start(&pool);
	ret = capture_run(&pool, capture, spreads, totals);
	pool_stop(&pool);
	pool_sum_up(&pool, spreads, n, totals);
	pool_fini(&pool);
	return ret;
}
