/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread_run.h"

#include <inttypes.h>
#include <pthread.h>
#include <rte_common.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "common/strbuf.h"

#define MEMORY_DEFAULT (200U << 20)
#define MEMORY_FIXED (24U << 20) // profiles and what else does not depend on the capture
#define MEMORY_LEAST (8U << 20)  // of all tables, whatever the limit is

#define THREADS_MAX 8
#define STAGES 3 // a batch is read, counted by candidates, counted by views

#define NS_PER_S 1000000000
#define FIRST_NS (NS_PER_S / 2) // until progress is shown
#define PERIOD_NS (NS_PER_S / 5)
#define BAR_LEN 20
#define NAME_LEN 24

struct run_batch {
	struct capture_batch *batch;
	uint16_t *places[SPREADS_MAX]; // of its packets, by candidate
};

// In each round the calling thread reads a batch. Meanwhile the threads take one spread after
// another, and count the batch of the round before, those that tell flows and UEs the one before
// this: they need the candidates' places. So each spread has the packets in their order.
struct run {
	struct spread *spreads;
	unsigned int n;
	struct spread_totals *totals;
	struct run_batch batches[STAGES]; // that of round r is r % STAGES
	unsigned int round;
	unsigned int n_threads; // besides the calling one
	atomic_uint next;       // spread of this round
};

// Flows take most: many of them have one hash where a candidate does not tell them apart, and a UE
// has several.
static void memory_share(struct run *run) {
	struct spread_totals *totals = run->totals;
	size_t size = totals->memory != 0 ? totals->memory : MEMORY_DEFAULT;
	size_t fixed = MEMORY_FIXED + run->n * ddp_cache_size() +
		       STAGES * (sizeof(struct capture_batch) +
				 totals->n_places * CAPTURE_BATCH_PACKETS * sizeof(uint16_t)) +
		       (totals->sample != NULL ? SAMPLE_PACKETS * sizeof(struct sample_packet) : 0);
	unsigned int n_grouped = run->n - (totals->flows.by != NULL) - (totals->ues.by != NULL);

	size = size > fixed + MEMORY_LEAST ? size - fixed : MEMORY_LEAST;
	for (unsigned int i = 0; i < run->n; i++)
		flows_init(&run->spreads[i].groups, false, 0, size / 4 / RTE_MAX(n_grouped, 1u));
	flow_counter_init(&totals->flows, false, run->spreads, totals->n_places, size / 16 * 9);
	flow_counter_init(&totals->ues, true, run->spreads, totals->n_places, size / 16 * 3);
}

static void run_begin(struct run *run) {
	const struct spread_totals *totals = run->totals;

	memory_share(run);
	for (unsigned int i = 0; i < STAGES; i++) {
		run->batches[i].batch = calloc_or_exit(1, sizeof(struct capture_batch));
		for (unsigned int p = 0; p < totals->n_places; p++)
			run->batches[i].places[p] =
				calloc_or_exit(CAPTURE_BATCH_PACKETS, sizeof(uint16_t));
	}
	for (unsigned int i = 0; i < run->n; i++)
		spread_begin(&run->spreads[i]);
}

static void run_end(struct run *run) {
	for (unsigned int i = 0; i < run->n; i++)
		spread_end(&run->spreads[i]);
	for (unsigned int i = 0; i < STAGES; i++) {
		for (unsigned int p = 0; p < run->totals->n_places; p++)
			free(run->batches[i].places[p]);
		free(run->batches[i].batch);
	}
}

// Where times begin: with the capture's first packet.
static void times_begin(struct run *run, uint64_t first_ns) {
	struct spread_totals *totals = run->totals;

	totals->first_ns = first_ns;
	for (unsigned int i = 0; i < run->n && first_ns != 0; i++) {
		struct spread *spread = &run->spreads[i];

		if (!spread->is_view)
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
		if (which < totals->n_places)
			memcpy(stage->places[which] + i, spread->burst->places,
			       n * sizeof(uint16_t));
		if (counter != NULL)
			flow_counter_count(counter, batch, i, n, stage->places);
	}
	if (spread->balancer != NULL)
		balancer_count(spread->balancer, stage->places[which], batch->packets, batch->n);
}

// Those that tell flows take longest, and are among the last.
static void spreads_take(struct run *run) {
	unsigned int i;

	while ((i = atomic_fetch_add(&run->next, 1)) < run->n) {
		const unsigned int which = run->n - 1 - i;
		const unsigned int age = run->spreads[which].is_view ? 2 : 1;

		spread_batch(run, which, &run->batches[(run->round + STAGES - age) % STAGES]);
	}
}

static void *thread_main(void *run) {
	spreads_take(run);
	return NULL;
}

// Read the batch of this round, if there is a capture, while those of the rounds before are
// counted. Returns as capture_fill().
static int round_run(struct run *run, struct capture *capture) {
	struct capture_batch *batch = run->batches[run->round % STAGES].batch;
	pthread_t threads[THREADS_MAX];
	sigset_t all, before;
	unsigned int n = 0;
	int said;

	atomic_store(&run->next, 0);
	sigfillset(&all); // a signal is for the thread that reads
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (n < run->n_threads && pthread_create(&threads[n], NULL, thread_main, run) == 0)
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
	batch_sum_up(run->totals, batch);
	return said;
}

void spread_totals_fini(struct spread_totals *totals) {
	flow_counter_fini(&totals->flows);
	flow_counter_fini(&totals->ues);
}

/* Progress */

struct progress {
	bool possible; // standard error is a terminal
	bool shown;
	uint64_t start_ns, next_ns;
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

	if (part > 1) // it grows while it is read
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

static void progress_begin(struct progress *progress) {
	progress->possible = isatty(STDERR_FILENO);
	progress->shown = false;
	progress->start_ns = now_ns();
	progress->next_ns = progress->start_ns + FIRST_NS;
}

static void progress_show(struct progress *progress, const struct capture *capture) {
	char text[PROGRESS_TEXT_SIZE];
	uint64_t now;

	if (!progress->possible)
		return;
	now = now_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PERIOD_NS;
	progress->shown = true;
	progress_text(capture, (double)(now - progress->start_ns) / NS_PER_S, text);
	fprintf(stderr, "\r\033[K%s", text);
}

static double progress_end(struct progress *progress) {
	if (progress->shown)
		fputs("\r\033[K", stderr);
	return (double)(now_ns() - progress->start_ns) / NS_PER_S;
}

/* All of it */

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
	struct progress progress;
	int said;

	run_begin(&run);
	progress_begin(&progress);
	while ((said = round_run(&run, capture)) > 0)
		progress_show(&progress, capture);
	for (unsigned int i = 1; i < STAGES; i++) // count what was read
		round_run(&run, NULL);
	totals->seconds = progress_end(&progress);
	run_end(&run);
	return said;
}
