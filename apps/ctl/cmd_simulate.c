/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl simulate FILE PCAP: how the packets of a capture spread over the queues of a NIC with this
// profile, and beside it of a fixed-function NIC with the same key, hash and redirection table.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "command.h"
#include "emit.h"
#include "load.h"
#include "nic.h"
#include "table.h"

#define BAR_LEN 30 // of the most loaded queue

struct type_count {
	const char *name;
	uint64_t packets;
};

// What one program does with a capture.
struct spread {
	struct loaded loaded;
	uint64_t packets;
	uint64_t queue_packets[STEER_QUEUES_MAX];
	uint64_t queue_bytes[STEER_QUEUES_MAX]; // as captured
	struct type_count *types; // one for each of the program, and last that of no type
	unsigned int n_types;
};

static int spread_init(struct spread *spread, const char *spec) {
	int status = load_or_tell(&spread->loaded, spec);

	if (status != CTL_GOOD)
		return status;
	spread->n_types = ddp_program_n_types(spread->loaded.program) + 1;
	spread->types = calloc(spread->n_types, sizeof(*spread->types));
	if (spread->types == NULL) {
		perror("ddpctl");
		unload_profile(&spread->loaded);
		return CTL_NO;
	}
	for (unsigned int i = 0; i < spread->n_types - 1; i++)
		spread->types[i].name = type_name(spread->loaded.program, i);
	spread->types[spread->n_types - 1].name = type_name(spread->loaded.program, DDP_TYPE_NONE);
	return CTL_GOOD;
}

static void spread_fini(struct spread *spread) {
	free(spread->types);
	unload_profile(&spread->loaded);
}

static void spread_add(struct spread *spread, const struct steer *steer,
		       const struct ddp_packet *packet) {
	const struct ddp_program *program = spread->loaded.program;
	struct steered steered;
	struct ddp_class class;

	ddp_classify(program, packet, &class);
	steer_packet(steer, program, packet, &class, &steered);
	spread->packets++;
	spread->queue_packets[steered.queue]++;
	spread->queue_bytes[steered.queue] += packet->len;
	spread->types[class.type == DDP_TYPE_NONE ? spread->n_types - 1 : class.type].packets++;
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct type_count *)a)->packets;
	uint64_t n_b = ((const struct type_count *)b)->packets;

	if (n_a != n_b)
		return n_a < n_b ? 1 : -1;
	return strcmp(((const struct type_count *)a)->name, ((const struct type_count *)b)->name);
}

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

static void both_json(const struct spread *profile, const struct spread *baseline,
		      unsigned int n_queues, struct output *out) {
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '{');
	spread_json(profile, n_queues, &emit);
	emit_key(&emit, "baseline");
	emit_open(&emit, '{');
	spread_json(baseline, n_queues, &emit);
	emit_close(&emit, '}');
	emit_close(&emit, '}');
	emit_end(&emit);
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

static void both_print(const struct spread *profile, const struct spread *baseline,
		       const char *spec, unsigned int n_queues, struct output *out) {
	queues_print(profile, baseline, spec, n_queues, out);
	output_text(out, "\n");
	summary_print(profile, baseline, spec, n_queues, out);
	output_text(out, "\n");
	types_print(profile, out);
	output_printf(out, "\npackets: %" PRIu64 "\n", profile->packets);
}

// How far we are, on a terminal and where it takes long enough to wonder.
struct progress {
	bool shown;
	unsigned int percent;
};

#define PROGRESS_FILE_SIZE (64 << 20) // from here on
#define PROGRESS_PACKETS 65536        // between two looks, a power of two

static void progress_show(struct progress *progress, const struct capture *capture) {
	unsigned int now;

	if (!progress->shown || capture->n_packets % PROGRESS_PACKETS != 0)
		return;
	now = percent(capture_position(capture), capture->size);
	if (now == progress->percent)
		return;
	progress->percent = now;
	fprintf(stderr, "\r%s: %u%%", capture->path, now);
}

static void progress_erase(const struct progress *progress) {
	if (progress->shown)
		fputs("\r\033[K", stderr);
}

// Send every packet through both. Returns the exit status.
static int capture_run(struct capture *capture, const struct steer *steer, struct spread *profile,
		       struct spread *baseline) {
	struct progress progress = {
		.shown = capture->size >= PROGRESS_FILE_SIZE && isatty(STDERR_FILENO),
	};
	struct ddp_packet packet;
	int ret;

	while ((ret = capture_next(capture, &packet)) > 0) {
		spread_add(profile, steer, &packet);
		spread_add(baseline, steer, &packet);
		progress_show(&progress, capture);
	}
	progress_erase(&progress);
	qsort(profile->types, profile->n_types, sizeof(profile->types[0]), by_packets);
	qsort(baseline->types, baseline->n_types, sizeof(baseline->types[0]), by_packets);
	return ret < 0 ? CTL_UNREADABLE : CTL_GOOD;
}

static int simulate(const struct options *options, struct spread *profile, struct spread *baseline,
		    struct output *out) {
	static struct steer steer;
	unsigned int n_queues = options->steer.n_queues;
	struct capture capture;
	int status;

	if (capture_open(&capture, options->files[1]) < 0) {
		fprintf(stderr, "ddpctl: %s\n", capture.error);
		return CTL_UNREADABLE;
	}
	steer_init(&steer, &options->steer);
	status = capture_run(&capture, &steer, profile, baseline);
	if (options->format == FORMAT_JSON)
		both_json(profile, baseline, n_queues, out);
	else
		both_print(profile, baseline, options->files[0], n_queues, out);
	if (status != CTL_GOOD) {
		output_flush(out); // what was read comes before what went wrong
		fprintf(stderr, "ddpctl: %s\n", capture.error);
	}
	capture_close(&capture);
	return status;
}

int cmd_simulate(const struct options *options, struct output *out) {
	static struct spread profile, baseline;
	int status = nic_options_check(options);
	struct text spec;

	if (status != CTL_GOOD)
		return status;
	text_init(&spec);
	status = spread_init(&profile, nic_spec(options, &spec));
	text_fini(&spec);
	if (status != CTL_GOOD)
		return status;
	status = spread_init(&baseline, NULL);
	if (status == CTL_GOOD) {
		status = simulate(options, &profile, &baseline, out);
		spread_fini(&baseline);
	}
	spread_fini(&profile);
	return status;
}
