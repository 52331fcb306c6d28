/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port watch: the rate of each Rx queue for each period; with load-aware RSS also the
// imbalance of its intervals, and its moves.
//
// On a terminal each table overwrites the last one; else a period is a line. SIGINT and SIGTERM are
// blocked except between periods, so they never interrupt an answer.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

#define INTERVALS_SHOWN 10 // intervals at most
#define MOVES_SHOWN 8      // moves at most

struct watch {
	const struct port_options *options;
	struct output *out;
	bool terminal;
	unsigned int n_lines; // lines of the last table on the terminal
	double began, last;   // seconds
	double period;        // seconds of counts
	struct queues before, now, counts;
	bool knows_lower;             // false: an older net_ddp
	uint64_t lower_before, lower; // packets that the lower device dropped
	json_t *balance;
	uint64_t round_before; // last interval of the period before
	struct strbuf text;
};

static double rate(const struct watch *watch, uint64_t count) {
	return count / watch->period;
}

static bool balance_is_on(const struct watch *watch) {
	return balance_number(watch->balance, "interval_ms") > 0;
}

static double lower_rate(const struct watch *watch) {
	const bool reset = watch->lower < watch->lower_before;

	return rate(watch, watch->lower - (reset ? 0 : watch->lower_before));
}

/* JSON */

// Returns object with the rates of a queue.
static json_t *rates_add(const struct watch *watch, json_t *object, const struct queue *queue) {
	json_object_set_new(object, "packets_per_second", json_real(rate(watch, queue->packets)));
	json_object_set_new(object, "bits_per_second", json_real(rate(watch, 8 * queue->bytes)));
	json_object_set_new(object, "missed_per_second", json_real(rate(watch, queue->missed)));
	return object;
}

static void period_json(const struct watch *watch, const struct port *port, double seconds) {
	const struct queue sum = queues_sum(&watch->counts);
	json_t *object = json_pack("{si sf sf}", "port", port->id, "seconds", seconds, "interval",
				   watch->period);
	json_t *queues = json_array();

	rates_add(watch, object, &sum);
	for (unsigned int i = 0; i < watch->counts.n; i++)
		json_array_append_new(queues, rates_add(watch, json_pack("{si}", "queue", i),
							&watch->counts.queues[i]));
	if (watch->knows_lower)
		json_object_set_new(object, "lower_dropped_per_second",
				    json_real(lower_rate(watch)));
	json_object_set_new(object, "imbalance", json_real(queues_imbalance(&watch->counts)));
	json_object_set_new(object, "queues", queues);
	if (balance_is_on(watch))
		json_object_set(object, "balance", watch->balance);
	json_write(watch->out, object);
}

/* Text output */

static void sum_write(const struct watch *watch, double seconds, FILE *to) {
	const struct queue sum = queues_sum(&watch->counts);

	fprintf(to, "%.1f s: %.0f packets/s, %.3f Gbit/s, %.0f missed/s, imbalance ", seconds,
		rate(watch, sum.packets), rate(watch, 8 * sum.bytes) / 1e9,
		rate(watch, sum.missed));
	if (sum.packets + sum.missed > 0)
		fprintf(to, "%.3f", queues_imbalance(&watch->counts));
	else
		fputs("-", to);
	if (lower_rate(watch) > 0)
		fprintf(to, "%slower device: %.0f dropped/s", watch->terminal ? "\n" : ", ",
			lower_rate(watch));
}

// Write means of the period's intervals and the last move on one line.
static void balance_line_write(const struct watch *watch, FILE *to) {
	const json_t *intervals = json_object_get(watch->balance, "last_intervals");
	const json_t *moves = json_object_get(watch->balance, "last_moves");
	const size_t n = json_array_size(intervals);
	double before = 0, after = 0;
	json_t *interval;
	size_t i;

	json_array_foreach(intervals, i, interval) {
		before += balance_number(interval, "before");
		after += balance_number(interval, "after");
	}
	fputs(", balance ", to);
	if (n > 0)
		fprintf(to, "%.3f -> %.3f", before / n, after / n);
	else
		fputs("-", to);
	if (json_array_size(moves) > 0) {
		fputs(", moved ", to);
		balance_move_write(json_array_get(moves, 0), to);
	}
}

// Write the imbalances of the last intervals, the newest at the end.
static void imbalances_write(const json_t *balance, const char *key, FILE *to) {
	const json_t *intervals = json_object_get(balance, "last_intervals");
	const size_t n = json_array_size(intervals);

	fprintf(to, "imbalance %-6s", key);
	for (size_t i = n < INTERVALS_SHOWN ? n : INTERVALS_SHOWN; i-- > 0;)
		fprintf(to, "  %.2f", balance_number(json_array_get(intervals, i), key));
	fputc('\n', to);
}

static void moves_write(const struct watch *watch, FILE *to) {
	json_t *move;
	size_t i;

	if (json_object_get(watch->balance, "bound_entry") != NULL) {
		fputs("elephant: ", to);
		balance_bound_write(watch->balance, to);
		fputc('\n', to);
	}
	json_array_foreach(json_object_get(watch->balance, "last_moves"), i, move) {
		if (i == MOVES_SHOWN)
			break;
		fprintf(to, "moved %.1f s ago: ", balance_number(move, "ms_ago") / 1000);
		balance_move_write(move, to);
		fputc('\n', to);
	}
}

static uint64_t load(const struct queue *queue) {
	return queue->packets + queue->missed;
}

static void queues_write(const struct watch *watch, FILE *to) {
	static const char bar[] = "##############################";
	uint64_t longest = 1;

	for (unsigned int i = 0; i < watch->counts.n; i++)
		if (load(&watch->counts.queues[i]) > longest)
			longest = load(&watch->counts.queues[i]);
	fprintf(to, "%5s  %11s  %9s  %11s\n", "QUEUE", "PACKETS/S", "MBIT/S", "MISSED/S");
	for (unsigned int i = 0; i < watch->counts.n; i++) {
		const struct queue *queue = &watch->counts.queues[i];

		fprintf(to, "%5u  %11.0f  %9.1f  %11.0f  %.*s\n", i, rate(watch, queue->packets),
			rate(watch, 8 * queue->bytes) / 1e6, rate(watch, queue->missed),
			(int)((load(queue) * strlen(bar) + longest / 2) / longest), bar);
	}
}

// Draw only what fits: wrapped lines or a scrolled screen could not be overwritten.
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

static const char *screen_text(struct watch *watch, double seconds) {
	FILE *to = watch->text.to;

	sum_write(watch, seconds, to);
	fputc('\n', to);
	if (balance_is_on(watch)) {
		members_write(
			watch->balance,
			"balance every {interval_ms} ms: {moves} moves, {order_parked} packets "
			"parked, at most {order_longest_parking_us} us, {given_up} given up\n",
			to);
		imbalances_write(watch->balance, "before", to);
		imbalances_write(watch->balance, "after", to);
	}
	queues_write(watch, to);
	if (balance_is_on(watch))
		moves_write(watch, to);
	return strbuf_take(&watch->text);
}

static void line_print(struct watch *watch, double seconds) {
	sum_write(watch, seconds, watch->text.to);
	if (balance_is_on(watch))
		balance_line_write(watch, watch->text.to);
	fputc('\n', watch->text.to);
	output_text(watch->out, strbuf_take(&watch->text));
}

static void period_show(struct watch *watch, const struct port *port, double seconds) {
	const bool json = watch->options->common.format == FORMAT_JSON;
	const uint64_t round = balance_round(watch->balance);

	if (json || !watch->terminal)
		balance_forget(watch->balance, watch->round_before);
	watch->round_before = round;
	if (json)
		period_json(watch, port, seconds);
	else if (watch->terminal)
		screen_draw(watch, screen_text(watch, seconds));
	else
		line_print(watch, seconds);
}

/* Periods */

static int lower_read(struct watch *watch, struct port *port) {
	static const char *const names[] = {"lower_rx_missed_errors", "lower_rx_errors",
					    "lower_rx_mbuf_allocation_errors"};
	json_t *info = port_ask(port, "info", NULL);
	const json_t *counters = json_object_get(info, "counters");

	watch->knows_lower = json_object_get(counters, names[0]) != NULL;
	watch->lower = 0;
	for (unsigned int i = 0; i < COUNT(names); i++)
		watch->lower += (uint64_t)json_integer_value(json_object_get(counters, names[i]));
	json_decref(info);
	return port->status;
}

static int state_read(struct watch *watch, struct port *port) {
	json_decref(watch->balance);
	watch->balance = NULL;
	if (queues_read(&watch->now, port) == EXIT_GOOD && lower_read(watch, port) == EXIT_GOOD)
		watch->balance = balance_read(port, NULL);
	return port->status;
}

static void periods_run(struct watch *watch, struct port *port, const sigset_t *signals) {
	const unsigned int ms =
		watch->options->interval_ms > 0 ? watch->options->interval_ms : 1000;
	const unsigned int count = watch->options->count;
	const struct timespec period = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	for (unsigned int n = 0; state_read(watch, port) == EXIT_GOOD; n++) {
		struct timespec time;
		double now;

		clock_gettime(CLOCK_MONOTONIC, &time);
		now = time.tv_sec + time.tv_nsec / 1e9;
		if (n > 0) {
			watch->period = now - watch->last;
			watch->counts = watch->now;
			queues_subtract(&watch->counts, &watch->before);
			period_show(watch, port, now - watch->began);
			output_flush(watch->out);
		} else {
			watch->began = now;
			watch->round_before = balance_round(watch->balance);
		}
		watch->before = watch->now;
		watch->lower_before = watch->lower;
		watch->last = now;
		if ((count > 0 && n == count) || sigtimedwait(signals, NULL, &period) >= 0 ||
		    watch->out->error != 0)
			return;
	}
}

int cmd_port_watch(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	static struct watch watch;
	struct port port;
	sigset_t signals;

	watch = (struct watch){.options = options, .out = out, .terminal = isatty(out->fd)};
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	strbuf_init(&watch.text);
	if (port_start(&port, options) == EXIT_GOOD)
		periods_run(&watch, &port, &signals);
	json_decref(watch.balance);
	strbuf_fini(&watch.text);
	return port_close(&port);
}
