/* SPDX-License-Identifier: BSD-3-Clause */
#include "forward.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "live.h"

#define WATCH_US 1000     // us: interval between checks of the workers
#define IDLE_ROUNDS 100   // rounds without a packet that make a worker idle
#define FLUSH_QUIET_MS 10 // ms: Tx queues are empty after this time without a sent packet
#define FLUSH_MAX_MS 1000 // ms: maximum duration of a flush

// State of the main lcore. Times are TSC cycles.
struct watch {
	const struct config *config;
	const struct ports *ports;
	struct workers *workers;
	struct live *live; // NULL: none
	uint64_t start;
	uint64_t last;    // time of the last packet
	uint64_t *rounds; // of each worker at the last received or sent packet
	uint64_t next_live;
	bool idle;
};

static uint64_t ms_cycles(uint64_t ms) {
	return ms * (rte_get_tsc_hz() / 1000);
}

static double cycles_s(uint64_t cycles) {
	return cycles / (double)rte_get_tsc_hz();
}

static uint64_t last_packet(const struct workers *workers) {
	uint64_t last = 0;

	for (unsigned int i = 0; i < workers->n_queues; i++)
		last = RTE_MAX(last, counter_get(&workers->queues[i]->stats.last_tsc));
	return last;
}

static uint64_t packets_received(const struct workers *workers) {
	uint64_t packets = 0;

	for (unsigned int i = 0; i < workers->n_queues; i++)
		packets += counter_get(&workers->queues[i]->stats.packets);
	return packets;
}

// Time alone does not prove that no packets come: a worker may have been off its core.
static bool is_idle(struct watch *watch, uint64_t now) {
	uint64_t idle_exit_ms = watch->config->idle_exit_ms;
	uint64_t last = last_packet(watch->workers);

	if (last > watch->last) {
		watch->last = last;
		workers_rounds(watch->workers, watch->rounds);
	}
	return idle_exit_ms != 0 && now > watch->last &&
	       now - watch->last >= ms_cycles(idle_exit_ms) &&
	       workers_rounds_since(watch->workers, watch->rounds) >= IDLE_ROUNDS;
}

static bool is_over(struct watch *watch, uint64_t now) {
	const struct config *config = watch->config;

	watch->idle = is_idle(watch, now);
	if (watch->idle)
		return true;
	if (config->duration_ms != 0 && now - watch->start >= ms_cycles(config->duration_ms))
		return true;
	return config->packets != 0 && packets_received(watch->workers) >= config->packets;
}

// Wait until the next check. A main lcore without other lcores works meanwhile.
static void watch_wait(const struct watch *watch, void (*work)(struct worker *worker)) {
	struct worker *own = workers_main(watch->workers);
	uint64_t until = rte_rdtsc() + ms_cycles(1) * WATCH_US / 1000;

	if (own == NULL) {
		rte_delay_us_sleep(WATCH_US);
		return;
	}
	do
		work(own);
	while (rte_rdtsc() < until);
}

static void watch_live(struct watch *watch, uint64_t now) {
	if (watch->live == NULL || now < watch->next_live)
		return;
	if (live_show(watch->live, watch->workers, cycles_s(now - watch->start)) < 0)
		atomic_store(&watch->workers->control->running, false);
	watch->next_live = now + ms_cycles(watch->config->stats_ms);
}

static void ready_notify(const struct watch *watch) {
	char what[128];

	snprintf(what, sizeof(what),
		 "forwarding: %u ports with %" PRIu64 " Rx queues each, %u workers",
		 watch->ports->n, watch->config->n_rxq, watch->workers->n);
	service_notify("READY=1\nSTATUS=%s", what);
	if (log_is_journal())
		say(LOG_INFO, "%s", what);
}

static void watch_run(struct watch *watch) {
	struct control *control = watch->workers->control;
	uint64_t now;

	watch->start = watch->last = rte_rdtsc();
	watch->next_live = watch->start + ms_cycles(watch->config->stats_ms);
	workers_launch(watch->workers);
	ready_notify(watch);
	while (atomic_load(&control->running)) {
		watch_wait(watch, worker_poll);
		now = rte_rdtsc();
		if (is_over(watch, now))
			atomic_store(&control->running, false);
		watch_live(watch, now);
	}
	service_notify("STOPPING=1");
}

static uint64_t packets_sent(const struct ports *ports) {
	struct rte_eth_stats stats;
	uint64_t packets = 0;

	for (unsigned int i = 0; i < ports->n; i++)
		if (rte_eth_stats_get(ports->list[i].id, &stats) == 0)
			packets += stats.opackets;
	return packets;
}

// A Tx queue may hold accepted packets (those of net_ddp do, if they share a lower queue). Flush
// until no more packets are sent.
static void watch_flush(struct watch *watch) {
	uint64_t start = rte_rdtsc(), changed = start, now = start;
	uint64_t sent = packets_sent(watch->ports);

	workers_rounds(watch->workers, watch->rounds);
	while (now - start < ms_cycles(FLUSH_MAX_MS) &&
	       (now - changed < ms_cycles(FLUSH_QUIET_MS) ||
		workers_rounds_since(watch->workers, watch->rounds) < IDLE_ROUNDS)) {
		uint64_t before = sent;

		watch_wait(watch, worker_flush);
		sent = packets_sent(watch->ports);
		now = rte_rdtsc();
		if (sent == before)
			continue;
		changed = now;
		workers_rounds(watch->workers, watch->rounds);
	}
}

int forward(const struct config *config, const struct ports *ports, struct workers *workers,
	    FILE *tables, struct outcome *outcome, struct error *error) {
	struct watch watch = {.config = config, .ports = ports, .workers = workers};
	struct live live = {0};
	int ret = 0;

	assert(workers->n > 0 && workers->n_queues > 0);
	watch.rounds = calloc(workers->n, sizeof(*watch.rounds));
	if (watch.rounds == NULL ||
	    (config->stats_ms != 0 && live_init(&live, tables, config, ports, workers) < 0)) {
		ret = error_set(error, EXIT_FAILED, "out of memory");
		goto fini_live;
	}
	watch.live = config->stats_ms == 0 ? NULL : &live;
	watch_run(&watch);
	outcome->idle = watch.idle;
	outcome->seconds = cycles_s((watch.idle ? watch.last : rte_rdtsc()) - watch.start);
	if (config->mode != MODE_RXONLY)
		watch_flush(&watch);
	atomic_store(&workers->control->flushing, false);
	workers_wait(workers);
fini_live:
	live_fini(&live);
	free(watch.rounds);
	return ret;
}
