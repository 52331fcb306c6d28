/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl simulate FILE PCAP: how the packets of a capture spread over the queues of a NIC with this
// profile, and beside it of a fixed-function NIC with the same key, hash and redirection table.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "command.h"
#include "emit.h"
#include "load.h"
#include "spread.h"
#include "table.h"

#define BAR_LEN 30 // of the most loaded queue

#define RATE_PACKETS 100000 // from here on a rate says something

enum {
	PROFILE,
	BASELINE,
	N_SPREADS,
};

struct simulation {
	const char *spec;
	unsigned int n_queues;
	struct spread spreads[N_SPREADS];
	const struct capture *capture;
	bool partial; // not all of the capture was read
	double seconds;
};

// The keys of one spread; the caller opens and closes the object.
static void spread_json(const struct spread *spread, unsigned int n_queues, struct emit *emit) {
	emit_key(emit, "packets");
	emit_uint(emit, spread->packets);
	emit_key(emit, "queues");
	emit_open(emit, '[');
	for (unsigned int i = 0; i < n_queues; i++) {
		emit_open(emit, '{');
		emit_key(emit, "queue");
		emit_uint(emit, i);
		emit_key(emit, "packets");
		emit_uint(emit, spread->queue_packets[i]);
		emit_key(emit, "bytes");
		emit_uint(emit, spread->queue_bytes[i]);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
	emit_key(emit, "imbalance");
	emit_real(emit, ddp_imbalance(spread->queue_packets, n_queues));
	emit_key(emit, "jain");
	emit_real(emit, ddp_jain(spread->queue_packets, n_queues));
	emit_key(emit, "ptypes");
	emit_open(emit, '[');
	for (unsigned int i = 0; i < spread->n_types && spread->types[i].packets > 0; i++) {
		emit_open(emit, '{');
		emit_key(emit, "name");
		emit_text(emit, spread->types[i].name);
		emit_key(emit, "packets");
		emit_uint(emit, spread->types[i].packets);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void simulation_json(const struct simulation *simulation, struct output *out) {
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '{');
	spread_json(&simulation->spreads[PROFILE], simulation->n_queues, &emit);
	emit_key(&emit, "baseline");
	emit_open(&emit, '{');
	spread_json(&simulation->spreads[BASELINE], simulation->n_queues, &emit);
	emit_close(&emit, '}');
	emit_key(&emit, "cut");
	emit_uint(&emit, simulation->capture->n_cut);
	emit_key(&emit, "partial");
	emit_bool(&emit, simulation->partial);
	emit_close(&emit, '}');
	emit_end(&emit);
}

static int no_memory(void) {
	fprintf(stderr, "ddpctl: %s\n", strerror(ENOMEM));
	return CTL_NO;
}

static double percent(uint64_t part, uint64_t all) {
	return all == 0 ? 0 : 100.0 * part / all;
}

static uint64_t most(const uint64_t *loads, unsigned int n) {
	uint64_t max = 0;

	for (unsigned int i = 0; i < n; i++)
		if (loads[i] > max)
			max = loads[i];
	return max;
}

// Packets, share and bar of a queue: three cells. longest is the load that a whole bar stands for.
static void queue_cells(const struct spread *spread, unsigned int queue, uint64_t longest,
			struct table *table) {
	static const char bar[] = "##############################";
	uint64_t packets = spread->queue_packets[queue];
	int len = longest == 0 ? 0 : (packets * BAR_LEN + longest / 2) / longest;

	_Static_assert(sizeof(bar) == BAR_LEN + 1, "a whole bar");
	table_printf(table, "%" PRIu64, packets);
	table_next(table);
	table_printf(table, "%.1f%%", percent(packets, spread->packets));
	table_next(table);
	table_printf(table, "%.*s", len == 0 && packets > 0 ? 1 : len, bar);
	table_next(table);
}

static void queues_print(const struct spread *profile, const struct spread *baseline,
			 const char *spec, unsigned int n_queues, struct output *out) {
	const struct table_column columns[] = {
		{.title = "QUEUE", .right = true},   {.title = "PACKETS", .right = true},
		{.title = "SHARE", .right = true},   {.title = spec},
		{.title = "PACKETS", .right = true}, {.title = "SHARE", .right = true},
		{.title = "fixed-function NIC"},
	};
	uint64_t longest = most(profile->queue_packets, n_queues);
	struct table table;

	if (most(baseline->queue_packets, n_queues) > longest)
		longest = most(baseline->queue_packets, n_queues);
	table_init(&table, out, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < n_queues; i++) {
		table_printf(&table, "%u", i);
		table_next(&table);
		queue_cells(profile, i, longest, &table);
		queue_cells(baseline, i, longest, &table);
	}
	table_fini(&table);
}

static void number_row(struct table *table, const char *what, double profile, double baseline) {
	table_printf(table, "%s", what);
	table_next(table);
	table_printf(table, "%.3f", profile);
	table_next(table);
	table_printf(table, "%.3f", baseline);
	table_next(table);
}

static void summary_print(const struct spread *profile, const struct spread *baseline,
			  const char *spec, unsigned int n_queues, struct output *out) {
	const struct table_column columns[] = {
		{.title = "SPREAD"},
		{.title = spec, .right = true},
		{.title = "fixed-function NIC", .right = true},
	};
	struct table table;

	table_init(&table, out, columns, sizeof(columns) / sizeof(columns[0]));
	number_row(&table, "imbalance (most loaded / mean)",
		   ddp_imbalance(profile->queue_packets, n_queues),
		   ddp_imbalance(baseline->queue_packets, n_queues));
	number_row(&table, "Jain's index (1 is even)", ddp_jain(profile->queue_packets, n_queues),
		   ddp_jain(baseline->queue_packets, n_queues));
	table_fini(&table);
}

static void types_print(const struct spread *spread, struct output *out) {
	static const struct table_column columns[] = {
		{.title = "PACKET TYPE"},
		{.title = "PACKETS", .right = true},
		{.title = "SHARE", .right = true},
	};
	struct table table;

	table_init(&table, out, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < spread->n_types && spread->types[i].packets > 0; i++) {
		table_printf(&table, "%s", spread->types[i].name);
		table_next(&table);
		table_printf(&table, "%" PRIu64, spread->types[i].packets);
		table_next(&table);
		table_printf(&table, "%.1f%%", percent(spread->types[i].packets, spread->packets));
		table_next(&table);
	}
	table_fini(&table);
}

static void notes_print(const struct simulation *simulation, struct output *out) {
	const struct capture *capture = simulation->capture;

	output_printf(out, "\npackets: %" PRIu64 "\n", capture->n_packets);
	if (capture->n_cut > 0)
		output_printf(out, "cut short in the capture: %" PRIu64 " (%.1f%%)\n",
			      capture->n_cut, percent(capture->n_cut, capture->n_packets));
	if (simulation->partial)
		output_text(out, "the capture has more: this is what was read of it\n");
	if (capture->n_packets >= RATE_PACKETS && !capture->is_live)
		output_printf(out, "%.2f seconds, %.1f million packets a second\n",
			      simulation->seconds, capture->n_packets / simulation->seconds / 1e6);
}

static void simulation_print(const struct simulation *simulation, struct output *out) {
	const struct spread *profile = &simulation->spreads[PROFILE];
	const struct spread *baseline = &simulation->spreads[BASELINE];

	queues_print(profile, baseline, simulation->spec, simulation->n_queues, out);
	output_text(out, "\n");
	summary_print(profile, baseline, simulation->spec, simulation->n_queues, out);
	output_text(out, "\n");
	types_print(profile, out);
	notes_print(simulation, out);
}

static int simulation_run(struct simulation *simulation, struct capture *capture,
			  const struct options *options, struct output *out) {
	int ret = spread_run(capture, simulation->spreads, N_SPREADS, 0, &simulation->seconds);

	simulation->capture = capture;
	simulation->partial = ret < 0 || (capture->interrupted && !capture->is_live);
	if (ret == -ENOMEM)
		return no_memory();
	if (options->format == FORMAT_JSON)
		simulation_json(simulation, out);
	else
		simulation_print(simulation, out);
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_tell(capture, ret);
}

static int simulate_with(const struct options *options, const struct loaded *loaded,
			 const struct loaded *base, struct capture *capture, struct output *out) {
	static struct simulation simulation;
	static struct steer steer;
	struct spread *spreads = simulation.spreads;
	int status = CTL_NO;

	steer_init(&steer, &options->steer);
	simulation.spec = options->files[0];
	simulation.n_queues = options->steer.n_queues;
	if (spread_init(&spreads[PROFILE], loaded->profile, loaded->program, &steer) < 0)
		return no_memory();
	if (spread_init(&spreads[BASELINE], base->profile, base->program, &steer) == 0) {
		status = simulation_run(&simulation, capture, options, out);
		spread_fini(&spreads[BASELINE]);
	} else {
		no_memory();
	}
	spread_fini(&spreads[PROFILE]);
	return status;
}

static int simulate(const struct options *options, const struct loaded *loaded,
		    struct capture *capture, struct output *out) {
	struct loaded base;
	int status = load_or_tell(&base, NULL);

	if (status != CTL_GOOD)
		return status;
	status = simulate_with(options, loaded, &base, capture, out);
	unload_profile(&base);
	return status;
}

int cmd_simulate(const struct options *options, struct output *out) {
	return capture_use(options, out, simulate);
}
