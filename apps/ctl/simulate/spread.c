/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <rte_common.h>
#include <rte_mbuf_core.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"

#define DROPPED UINT16_MAX   // queue: the packet is dropped by a rule
#define CELLS_MAX (1U << 18) // counters: with many queues there are fewer windows

#define MEMORY_DEFAULT (200U << 20) // bytes
#define MEMORY_FIXED (24U << 20)    // bytes: profiles and the rest but tables and batches
#define MEMORY_LEAST (8U << 20)     // bytes: tables, even if the limit is smaller

#define THREADS_MAX 8 // threads, with the calling one
#define STAGES 3      // batches: one is read, one counted by candidates, one by views

#define NS_PER_S 1000000000
#define FIRST_NS (NS_PER_S / 2)  // ns, until progress is shown
#define PERIOD_NS (NS_PER_S / 5) // ns, between two updates
#define BAR_LEN 20               // columns
#define NAME_LEN 24              // bytes

/* Windows */

void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns) {
	*windows = (struct windows){
		.n_queues = n_queues,
		.n_max = length_ns != 0 ? WINDOWS_MAX : WINDOWS_SHOWN,
		.start_ns = start_ns,
		.length_ns = length_ns != 0 ? length_ns : WINDOW_NS,
		.at_ns = start_ns,
	};
	if (windows->n_max > CELLS_MAX / n_queues)
		windows->n_max = CELLS_MAX / n_queues;
	windows->packets =
		calloc_or_exit((size_t)windows->n_max * n_queues, sizeof(*windows->packets));
}

void windows_fini(struct windows *windows) {
	free(windows->packets);
	windows->packets = NULL;
}

void windows_coarsen(struct windows *windows) {
	const size_t n_queues = windows->n_queues;

	for (size_t i = 0; i < windows->n * n_queues; i++) {
		uint64_t packets = windows->packets[i];

		windows->packets[i] = 0;
		windows->packets[i / n_queues / 2 * n_queues + i % n_queues] += packets;
	}
	windows->n = (windows->n + 1) / 2;
	windows->length_ns *= 2;
	windows->at = 0;
	windows->at_ns = windows->start_ns;
}

// Move to the window of this time, also for dropped packets: the windows cover the capture.
static inline void windows_pass(struct windows *windows, uint64_t time_ns) {
	uint64_t since = time_ns > windows->start_ns ? time_ns - windows->start_ns : 0;

	if (windows->n > 0 && time_ns - windows->at_ns < windows->length_ns)
		return;
	while (since / windows->length_ns >= windows->n_max)
		windows_coarsen(windows);
	windows->at = since / windows->length_ns;
	windows->at_ns = windows->start_ns + windows->at * windows->length_ns;
	if (windows->n <= windows->at)
		windows->n = windows->at + 1;
}

void windows_count(struct windows *windows, uint64_t time_ns, unsigned int queue) {
	windows_pass(windows, time_ns);
	assert(windows->at < windows->n_max && queue < windows->n_queues);
	windows->packets[(uint64_t)windows->at * windows->n_queues + queue]++;
}

const uint64_t *windows_queues(const struct windows *windows, unsigned int window) {
	assert(window < windows->n_max);
	return windows->packets + (uint64_t)window * windows->n_queues;
}

/* Candidates */

// Without rules the path cache hashes with plain Toeplitz.
static int rules_make(struct spread *spread, const struct rules *rules, struct ddp_diag *diag) {
	const struct steer_config *config = &spread->steer->config;
	int ret;

	if (rules_count(rules) == 0 &&
	    (config->function == DDP_HASH_TOEPLITZ || !spread->policy.rss))
		return 0;
	ret = rules_build(rules, spread->loaded->profile, spread->loaded->program, config,
			  &spread->rules, &spread->policy, diag);
	spread->has_rules = ret == 0;
	return ret;
}

static void results_make(struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	unsigned int n_ids = 1;

	spread->types = calloc_or_exit(spread->n_types, sizeof(*spread->types));
	for (unsigned int i = 0; i < spread->n_types - 1; i++) {
		const struct ddp_type_info *type = ddp_program_type(spread->loaded->program, i);

		spread->types[i].name = type->name;
		spread->types[i].id = type->id;
		spread->types[i].number = i;
		if (n_ids <= type->id)
			n_ids = type->id + 1;
	}
	spread->types[spread->n_types - 1].name = type_name(spread->loaded->program, DDP_TYPE_NONE);
	spread->types[spread->n_types - 1].number = spread->n_types - 1;
	spread->type_queues = calloc_or_exit((size_t)n_ids * config->n_queues, sizeof(uint64_t));
	spread->type_unhashed = calloc_or_exit(n_ids, sizeof(uint64_t));
	spread->entry_packets = calloc_or_exit(config->reta_size, sizeof(uint64_t));
	for (unsigned int i = 0; i < spread->n_types; i++)
		spread->types[i].queue_packets =
			spread->type_queues + (size_t)spread->types[i].id * config->n_queues;
}

int spread_init(struct spread *spread, const struct ddp_personality *loaded,
		const struct steer *steer, const struct rules *rules, struct ddp_diag *diag) {
	int ret;

	*spread = (struct spread){
		.loaded = loaded,
		.steer = steer,
		.policy.program = loaded->program,
		// 0 turns RSS off for any profile
		.policy.rss = steer->config.rss_hf != 0,
		.policy.rss_hf = steer->config.rss_hf,
		.policy.id = 1, // each spread has its own cache
		.n_types = ddp_program_n_types(loaded->program) + 1,
	};
	results_make(spread);
	ret = rules_make(spread, rules, diag);
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
	free(spread->type_unhashed);
	free(spread->type_queues);
	free(spread->types);
}

/* A packet */

// The key of the group of packets with one hash.
static uint64_t spread_key(uint32_t hash) {
	return hash | UINT64_C(1) << 63;
}

struct steered {
	uint16_t id; // packet type's id
	uint8_t input_len;
	uint32_t hash;
	uint32_t rule_hash;                // hash by the rule's key, if it has one
	const struct ddp_flow_entry *rule; // NULL: none steers it
};

// Apply a rule: a group unless it spreads by hash. Returns whether it sets the queue.
static bool rule_apply(const struct steered *steered, uint16_t *queue, uint64_t *group) {
	const struct ddp_flow_action *action = ddp_flow_action_of(steered->rule);
	const bool hashed = steered->input_len > 0;

	if (action->fate == DDP_FLOW_PASS)
		return false;
	if (action->n_queues <= 1 || !hashed)
		*group = spread_key(0) | UINT64_C(1) << 32 | steered->rule->number;
	else if (ddp_flow_key_of(action) != NULL)
		*group = spread_key(steered->rule_hash);
	*queue = action->fate == DDP_FLOW_DROP ? DROPPED :
						 ddp_flow_queue(action, hashed, steered->rule_hash);
	return true;
}

static inline void packet_count(struct spread *spread, unsigned int i,
				const struct steered *steered,
				const struct capture_packet *packet) {
	const struct steer *steer = spread->steer;
	const bool hashed = steered->input_len > 0;
	const bool timed = spread->windows.length_ns != 0;
	const uint32_t entry = steered->hash & (steer->config.reta_size - 1);
	uint16_t queue = hashed ? steer->reta[entry] : 0;
	uint64_t group = hashed ? spread_key(steered->hash) : 0;
	const bool ruled = steered->rule != NULL && rule_apply(steered, &queue, &group);
	struct spread_burst *burst = spread->burst;

	burst->types[i] = steered->id;
	burst->input_lens[i] = steered->input_len;
	burst->slots[i] = queue == DROPPED ? STEER_SLOT_NONE :
			  hashed && !ruled ? entry :
					     steer->config.reta_size + queue;
	if (queue == DROPPED) {
		spread->dropped++;
		if (timed)
			windows_pass(&spread->windows, packet->time_ns);
		return;
	}
	assert(queue < steer->config.n_queues);
	if (ruled)
		spread->ruled[queue]++;
	else if (hashed)
		spread->entry_packets[entry]++;
	else
		spread->type_unhashed[steered->id]++;
	if (group != 0 && !spread->is_view)
		burst->groups[burst->n_groups++] = group;
	spread->type_queues[(size_t)steered->id * steer->config.n_queues + queue]++;
	spread->queue_bytes[queue] += packet->wire_len;
	if (timed)
		windows_count(&spread->windows, packet->time_ns, queue);
}

static void packet_interpret(struct spread *spread, unsigned int i,
			     const struct capture_packet *packet) {
	struct ddp_answer answer;
	struct steered steered;
	struct cut cut = {.captured = packet};

	steered.rule = cut_answer(&cut, spread->loaded->program, spread->steer,
				  spread->has_rules ? &spread->policy : NULL, &answer);
	cut_count_add(&spread->cut, &cut);
	steered = (struct steered){answer.class.type_id, answer.input_len, answer.port_hash,
				   answer.hash, steered.rule};
	if (steered.input_len > 0)
		ddp_rows_put(&spread->burst->run.rows, i, answer.input);
	packet_count(spread, i, &steered, packet);
}

static void packet_take(struct spread *spread, unsigned int i,
			const struct capture_packet *packet) {
	const struct ddp_burst *run = &spread->burst->run;
	const struct ddp_verdict *verdict = ddp_burst_verdict(run, i);
	struct steered steered = {
		.id = verdict->type_id,
		.input_len = verdict->input_len,
		.hash = run->hashes[i],
		.rule_hash = run->hashes[i],
		.rule = spread->policy.flows != NULL ? run->steer[i] : NULL,
	};
	const struct ddp_hash *key =
		steered.rule == NULL ? NULL : ddp_flow_key_of(ddp_flow_action_of(steered.rule));

	// A cached path is valid for longer packets, too. Rows of other paths are not kept.
	if (verdict->own && (is_cut(packet) || spread->is_view)) {
		packet_interpret(spread, i, packet);
		return;
	}
	if (key != NULL && steered.input_len > 0)
		steered.rule_hash = ddp_burst_hash(run, i, ddp_burst_verdict(run, i), key);
	packet_count(spread, i, &steered, packet);
}

/* A burst */

// Let the mbufs of a burst point to the packets' bytes, and prefetch those of the next burst.
// Returns their number, 0 if the first packet is too long for an mbuf.
static unsigned int mbufs_fill(struct spread_burst *burst, const struct capture_batch *batch,
			       unsigned int first) {
	const struct capture_packet *packets = &batch->packets[first];
	const unsigned int left = batch->n - first;
	unsigned int n = 0;

	assert(first < batch->n);
	for (; n < left && n < DDP_BURST_MAX && packets[n].len <= UINT16_MAX; n++) {
		size_t readable = capture_readable(batch, &packets[n]);
		struct rte_mbuf *mbuf = burst->mbufs[n];

		mbuf->buf_addr = (void *)(uintptr_t)packets[n].data;
		mbuf->buf_len = readable < UINT16_MAX ? readable : UINT16_MAX;
		mbuf->data_len = packets[n].len;
		mbuf->pkt_len = packets[n].len;
		if (n + DDP_BURST_MAX < left) {
			__builtin_prefetch(packets[n + DDP_BURST_MAX].data);
			__builtin_prefetch(packets[n + DDP_BURST_MAX].data + 64);
		}
	}
	return n;
}

// Count a burst that begins with packet `first` of the batch. Returns its number of packets.
static unsigned int spread_count(struct spread *spread, const struct capture_batch *batch,
				 unsigned int first) {
	struct spread_burst *burst = spread->burst;
	unsigned int n = mbufs_fill(burst, batch, first);

	burst->n_groups = 0;
	if (n > 0)
		ddp_cache_run(burst->cache, &spread->policy, &spread->steer->hash, burst->mbufs, n,
			      &burst->run);
	for (unsigned int i = 0; i < n; i++)
		packet_take(spread, i, &batch->packets[first + i]);
	if (n == 0) { // a packet longer than an mbuf
		packet_interpret(spread, 0, &batch->packets[first]);
		n = 1;
	}
	flows_prefetch(&spread->groups, burst->groups, burst->n_groups);
	for (unsigned int i = 0; i < burst->n_groups; i++)
		flows_count(&spread->groups, burst->groups[i]);
	return n;
}

/* Begin and end */

static void *aligned_or_exit(size_t size) {
	void *memory = aligned_alloc(DDP_CACHE_ALIGN,
				     (size + DDP_CACHE_ALIGN - 1) & -(size_t)DDP_CACHE_ALIGN);

	if (memory == NULL)
		no_memory_exit();
	return memory;
}

static void spread_begin(struct spread *spread) {
	struct spread_burst *burst = aligned_or_exit(sizeof(*burst));
	struct rte_mbuf *mbufs = aligned_or_exit(DDP_BURST_MAX * sizeof(*mbufs));

	memset(burst, 0, sizeof(*burst));
	memset(mbufs, 0, DDP_BURST_MAX * sizeof(*mbufs));
	spread->burst = burst;
	burst->cache = aligned_or_exit(ddp_cache_size());
	ddp_cache_init(burst->cache, ddp_isa_best(512));
	for (unsigned int i = 0; i < DDP_BURST_MAX; i++) {
		burst->mbufs[i] = &mbufs[i];
		mbufs[i].nb_segs = 1;
	}
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct spread_type *)a)->packets;
	uint64_t n_b = ((const struct spread_type *)b)->packets;

	if (n_a != n_b)
		return n_a < n_b ? 1 : -1;
	return strcmp(((const struct spread_type *)a)->name, ((const struct spread_type *)b)->name);
}

static void spread_end(struct spread *spread) {
	for (unsigned int i = 0; i < spread->n_types; i++) {
		struct spread_type *type = &spread->types[i];

		for (unsigned int q = 0; q < spread->steer->config.n_queues; q++) {
			type->packets += type->queue_packets[q];
			spread->queue_packets[q] += type->queue_packets[q];
		}
		type->unhashed = spread->type_unhashed[type->id];
		spread->packets += type->packets;
		spread->unhashed += type->unhashed;
	}
	qsort(spread->types, spread->n_types, sizeof(spread->types[0]), by_packets);
	if (spread->balancer != NULL)
		spread->balancing = balancer_end(spread->balancer);
	free(spread->burst->mbufs[0]);
	free(spread->burst->cache);
	free(spread->burst);
	spread->burst = NULL;
}

/* A run */

struct run_batch {
	struct capture_batch *batch;
	uint16_t (*slots)[CAPTURE_BATCH_PACKETS]; // slots of its packets, by candidate
};

// In each round the calling thread reads a batch. Meanwhile the threads take one spread after
// another: candidates count the batch of the round before, views the batch before that, as they
// need the candidates' slots. So each spread gets the packets in order.
struct run {
	struct spread *spreads;
	const struct steer *steers[SPREADS_MAX]; // of the spreads
	unsigned int n;
	struct spread_totals *totals;
	struct run_batch batches[STAGES]; // round r uses r % STAGES
	unsigned int round;
	unsigned int n_threads; // besides the calling one
	atomic_uint next;       // next spread of this round
};

static void counter_begin(const struct run *run, struct flow_counter *counter, size_t size) {
	if (counter->by == NULL)
		return;
	counter->is_ue = counter == &run->totals->ues;
	counter->steers = run->steers;
	counter->n_candidates = run->totals->n_candidates;
	flows_init(&counter->table, true, counter->n_candidates, size);
}

// Flows get most memory: many flows may have one hash, and a UE has several flows.
static void memory_share(struct run *run) {
	struct spread_totals *totals = run->totals;
	size_t size = totals->memory != 0 ? totals->memory : MEMORY_DEFAULT;
	size_t fixed = MEMORY_FIXED + run->n * ddp_cache_size() +
		       STAGES * (sizeof(struct capture_batch) +
				 totals->n_candidates * CAPTURE_BATCH_PACKETS * sizeof(uint16_t)) +
		       (totals->sample != NULL ? SAMPLE_PACKETS * sizeof(struct sample_packet) : 0);
	unsigned int n_grouped = run->n - (totals->flows.by != NULL) - (totals->ues.by != NULL);

	size = size > fixed + MEMORY_LEAST ? size - fixed : MEMORY_LEAST;
	for (unsigned int i = 0; i < run->n; i++) {
		run->steers[i] = run->spreads[i].steer;
		flows_init(&run->spreads[i].groups, false, 0, size / 4 / RTE_MAX(n_grouped, 1u));
	}
	counter_begin(run, &totals->flows, size / 16 * 9);
	counter_begin(run, &totals->ues, size / 16 * 3);
}

static void run_begin(struct run *run) {
	const struct spread_totals *totals = run->totals;

	memory_share(run);
	for (unsigned int i = 0; i < STAGES; i++) {
		run->batches[i].batch = calloc_or_exit(1, sizeof(struct capture_batch));
		run->batches[i].slots =
			calloc_or_exit(totals->n_candidates, sizeof(*run->batches[i].slots));
	}
	for (unsigned int i = 0; i < run->n; i++)
		spread_begin(&run->spreads[i]);
}

static void times_begin(struct run *run, uint64_t first_ns) {
	struct spread_totals *totals = run->totals;

	totals->first_ns = first_ns;
	for (unsigned int i = 0; i < run->n && first_ns != 0; i++) {
		struct spread *spread = &run->spreads[i];

		if (!spread->is_view)
			windows_init(&spread->windows, spread->steer->config.n_queues, first_ns,
				     totals->window_ns);
		if (i < totals->n_candidates && totals->balance_ns != 0)
			spread->balancer =
				balancer_create(spread->steer, first_ns, totals->balance_ns,
						INTERVALS_MAX / totals->n_candidates);
	}
}

/* A round */

static void spread_batch(struct run *run, unsigned int which, const struct run_batch *stage) {
	struct spread_totals *totals = run->totals;
	const struct capture_batch *batch = stage->batch;
	struct spread *spread = &run->spreads[which];
	struct flow_counter *counter = spread == totals->flows.by ? &totals->flows :
				       spread == totals->ues.by   ? &totals->ues :
								    NULL;
	unsigned int n;

	for (unsigned int i = 0; i < batch->n; i += n) {
		n = spread_count(spread, batch, i);
		if (which < totals->n_candidates)
			memcpy(stage->slots[which] + i, spread->burst->slots, n * sizeof(uint16_t));
		if (counter != NULL)
			flow_counter_count(counter, batch, i, n, stage->slots);
	}
	if (spread->balancer != NULL)
		balancer_count(spread->balancer, stage->slots[which], batch->packets, batch->n);
}

// Views take longest and are last: start with them.
static void *spreads_take(void *arg) {
	struct run *run = arg;
	unsigned int i;

	while ((i = atomic_fetch_add(&run->next, 1)) < run->n) {
		const unsigned int which = run->n - 1 - i;
		const unsigned int age = run->spreads[which].is_view ? 2 : 1;

		spread_batch(run, which, &run->batches[(run->round + STAGES - age) % STAGES]);
	}
	return NULL;
}

// Read a batch unless capture is NULL, while earlier ones are counted. Returns as capture_fill().
static int round_run(struct run *run, struct capture *capture) {
	struct capture_batch *batch = run->batches[run->round % STAGES].batch;
	struct spread_totals *totals = run->totals;
	pthread_t threads[THREADS_MAX];
	sigset_t all, before;
	unsigned int n = 0;
	int said;

	atomic_store(&run->next, 0);
	sigfillset(&all); // only the reading thread gets signals
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (n < run->n_threads && pthread_create(&threads[n], NULL, spreads_take, run) == 0)
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	said = capture != NULL ? capture_fill(capture, batch) : 0;
	if (said <= 0)
		batch->n = 0;
	spreads_take(run);
	while (n > 0)
		pthread_join(threads[--n], NULL);
	run->round++;
	if (said > 0 && batch->first == 1)
		times_begin(run, batch->packets[0].time_ns);
	for (unsigned int i = 0; i < batch->n; i++) {
		totals->last_ns = RTE_MAX(totals->last_ns, batch->packets[i].time_ns);
		totals->bytes += batch->packets[i].wire_len;
	}
	if (totals->sample != NULL)
		sample_take(totals->sample, batch);
	return said;
}

/* Progress */

struct progress {
	bool shown;
	uint64_t start_ns, next_ns; // next_ns: UINT64_MAX unless standard error is a terminal
};

static uint64_t now_ns(void) {
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void bar_text(const struct input *input, double seconds, char *text, size_t size) {
	static const char bar[] = "####################";
	double part = (double)input_position(input) / input->size;
	unsigned int left;

	if (part > 1) // the file grows while it is read
		part = 1;
	left = part > 0 ? seconds / part - seconds + 0.5 : 0;
	snprintf(text, size, " [%-*.*s] %3.0f%% of %.1f GB, %u:%02u left", BAR_LEN,
		 (int)(part * BAR_LEN), bar, 100 * part, input->size / 1e9, left / 60, left % 60);
}

void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]) {
	char name[NAME_LEN + 1], bar[64] = "";

	ddp_escape(path_name(capture->path), name, sizeof(name));
	if (capture->input.size > 0)
		bar_text(&capture->input, seconds, bar, sizeof(bar));
	snprintf(text, PROGRESS_TEXT_SIZE, "%s%s, %" PRIu64 " packets, %.1f million a second", name,
		 bar, capture->n_packets, seconds > 0 ? capture->n_packets / seconds / 1e6 : 0);
}

static void progress_show(struct progress *progress, const struct capture *capture) {
	const uint64_t now = now_ns();
	char text[PROGRESS_TEXT_SIZE];

	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PERIOD_NS;
	progress->shown = true;
	progress_text(capture, (double)(now - progress->start_ns) / NS_PER_S, text);
	fprintf(stderr, "\r\033[K%s", text);
}

/* Running */

static unsigned int threads_wanted(unsigned int n_spreads) {
	unsigned int n = 1;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = CPU_COUNT(&cpus);
	n = n < n_spreads + 1 ? n : n_spreads + 1;
	return (n < THREADS_MAX ? n : THREADS_MAX) - 1;
}

int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals) {
	struct run run = {
		.spreads = spreads,
		.n = n,
		.totals = totals,
		.n_threads = threads_wanted(n),
	};
	struct progress progress = {0};
	int said;

	assert(n > 0 && n <= SPREADS_MAX);
	run_begin(&run);
	progress.start_ns = now_ns();
	progress.next_ns = isatty(STDERR_FILENO) ? progress.start_ns + FIRST_NS : UINT64_MAX;
	while ((said = round_run(&run, capture)) > 0)
		progress_show(&progress, capture);
	for (unsigned int i = 1; i < STAGES; i++) // count the last batches
		round_run(&run, NULL);
	if (progress.shown)
		fputs("\r\033[K", stderr);
	totals->seconds = (double)(now_ns() - progress.start_ns) / NS_PER_S;
	for (unsigned int i = 0; i < n; i++)
		spread_end(&spreads[i]);
	for (unsigned int i = 0; i < STAGES; i++) {
		free(run.batches[i].slots);
		free(run.batches[i].batch);
	}
	return said;
}
