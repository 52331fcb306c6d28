/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port watch: the rate of each receive queue, period by period.
//
// On a terminal a table is drawn over the one before, else there is one line a period. SIGINT and
// SIGTERM are blocked and waited for between periods, so they end it in order and never in the
// middle of an answer.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "ctl/command.h"

#define BAR_LEN 30

struct watch {
	const struct options *options;
	struct output *out;
	bool terminal;
	unsigned int n_lines; // on the terminal, of the last period
	double began, last;   // seconds
	double period;        // the same, that counts stand for
	struct queues before, now, counts;
	struct strbuf text;
};

static double seconds_now(void) {
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static double rate(const struct watch *watch, uint64_t count) {
	return count / watch->period;
}

/* For machines */

// Takes object over.
static json_t *rates_add(const struct watch *watch, json_t *object, const struct queue *queue) {
	json_object_set_new(object, "packets_per_second", json_real(rate(watch, queue->packets)));
	json_object_set_new(object, "bits_per_second", json_real(rate(watch, 8 * queue->bytes)));
	json_object_set_new(object, "missed_per_second", json_real(rate(watch, queue->missed)));
	return object;
}

static void period_json(const struct watch *watch, const struct port *port, double seconds) {
	const struct queue sum = queues_sum(&watch->counts);
	json_t *object = json_pack("{si sf}", "port", port->id, "seconds", seconds);
	json_t *queues = json_array();

	rates_add(watch, object, &sum);
	for (unsigned int i = 0; i < watch->counts.n; i++)
		json_array_append_new(queues, rates_add(watch, json_pack("{si}", "queue", i),
							&watch->counts.queues[i]));
	json_object_set_new(object, "imbalance", json_real(queues_imbalance(&watch->counts)));
	json_object_set_new(object, "queues", queues);
	json_write(watch->out, object);
}

/* For people */

static void sum_write(const struct watch *watch, double seconds, FILE *to) {
	const struct queue sum = queues_sum(&watch->counts);

	fprintf(to, "%.1f s: %.0f packets/s, %.3f Gbit/s, %.0f missed/s, imbalance ", seconds,
		rate(watch, sum.packets), rate(watch, 8 * sum.bytes) / 1e9,
		rate(watch, sum.missed));
	if (sum.packets + sum.missed > 0)
		fprintf(to, "%.3f\n", queues_imbalance(&watch->counts));
	else
		fputs("-\n", to);
}

static uint64_t load(const struct queue *queue) {
	return queue->packets + queue->missed;
}

static uint64_t longest_load(const struct queues *queues) {
	uint64_t longest = 1;

	for (unsigned int i = 0; i < queues->n; i++)
		if (load(&queues->queues[i]) > longest)
			longest = load(&queues->queues[i]);
	return longest;
}

static void queues_write(const struct watch *watch, FILE *to) {
	static const char bar[] = "##############################";
	uint64_t longest = longest_load(&watch->counts);

	_Static_assert(sizeof(bar) == BAR_LEN + 1, "a whole bar");
	fprintf(to, "%5s  %11s  %9s  %11s\n", "QUEUE", "PACKETS/S", "MBIT/S", "MISSED/S");
	for (unsigned int i = 0; i < watch->counts.n; i++) {
		const struct queue *queue = &watch->counts.queues[i];

		fprintf(to, "%5u  %11.0f  %9.1f  %11.0f  %.*s\n", i, rate(watch, queue->packets),
			rate(watch, 8 * queue->bytes) / 1e6, rate(watch, queue->missed),
			(int)((load(queue) * BAR_LEN + longest / 2) / longest), bar);
	}
}

// As far as it fits: a line that wraps, or a screen that scrolls, could not be drawn over.
static void screen_draw(struct watch *watch, const char *text) {
	struct winsize window = {0};
	unsigned int rows = 24, columns = 80;

	if (ioctl(watch->out->fd, TIOCGWINSZ, &window) == 0 && window.ws_row > 1) {
		rows = window.ws_row;
		columns = window.ws_col;
	}
	if (watch->n_lines > 0)
		output_printf(watch->out, "\r\033[%uA\033[J", watch->n_lines);
	for (watch->n_lines = 0; *text != '\0' && watch->n_lines + 1 < rows; watch->n_lines++) {
		size_t len = strcspn(text, "\n");

		output_printf(watch->out, "%.*s\n", (int)(len < columns ? len : columns), text);
		text += len + (text[len] == '\n');
	}
}

static void period_show(struct watch *watch, const struct port *port, double seconds) {
	if (watch->options->format == FORMAT_JSON) {
		period_json(watch, port, seconds);
		return;
	}
	sum_write(watch, seconds, watch->text.to);
	if (watch->terminal) {
		queues_write(watch, watch->text.to);
		screen_draw(watch, strbuf_take(&watch->text));
	} else {
		output_text(watch->out, strbuf_take(&watch->text));
	}
}

/* Periods */

static void period_end(struct watch *watch, const struct port *port) {
	double now = seconds_now();

	watch->period = now - watch->last;
	watch->counts = watch->now;
	queues_subtract(&watch->counts, &watch->before);
	period_show(watch, port, now - watch->began);
	output_flush(watch->out);
	watch->before = watch->now;
	watch->last = now;
}

static void periods_run(struct watch *watch, struct port *port, const sigset_t *signals) {
	const struct options *options = watch->options;
	const unsigned int ms = options->interval_ms;
	const struct timespec period = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	if (queues_read(&watch->before, port) != EXIT_GOOD)
		return;
	watch->began = watch->last = seconds_now();
	for (unsigned int n = 0; options->count == 0 || n < options->count; n++) {
		if (sigtimedwait(signals, NULL, &period) >= 0 || watch->out->error != 0 ||
		    queues_read(&watch->now, port) != EXIT_GOOD)
			return;
		period_end(watch, port);
	}
}

int cmd_port_watch(const struct options *options, struct output *out) {
	static struct watch watch;
	struct port port;
	sigset_t signals;

	watch = (struct watch){.options = options, .out = out, .terminal = isatty(out->fd)};
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	strbuf_init(&watch.text);
	if (port_open(&port, options->file_prefix, options->pid, options->files[0]) == EXIT_GOOD)
		periods_run(&watch, &port, &signals);
	strbuf_fini(&watch.text);
	return port_close(&port);
}
