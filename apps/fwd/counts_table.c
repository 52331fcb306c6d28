/* SPDX-License-Identifier: BSD-3-Clause */
// The report and the live table as text.
#include "counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define BAR_LEN 8 // characters

const struct drop_text drop_texts[N_DROP_REASONS] = {
#define DROP_TEXT(constant, name, meaning) {name, meaning},
	DROP_REASONS(DROP_TEXT)
#undef DROP_TEXT
};

static double ratio(double a, double b) {
	return b > 0 ? a / b : 0;
}

static double us(uint64_t ns) {
	return ns / 1e3;
}

static uint64_t load_of(const struct queue_report *row) {
	return row->packets + row->missed;
}

// With a bar for the ratio of the row's load to the most. Each table fits into 80 columns; the
// report as JSON has bytes.
static void row_print(const char *label, const struct queue_report *row, uint64_t earlier,
		      double seconds, uint64_t sum, uint64_t most, FILE *out) {
	const int len = most == 0 ? 0 : ratio(load_of(row), most) * BAR_LEN + 0.5;

	fprintf(out, "%-15s %11" PRIu64 " %7.3f %5.1f%% %-*.*s %10" PRIu64 " %8.1f %8.1f\n", label,
		row->packets, ratio(row->packets - earlier, seconds) / 1e6,
		100 * ratio(load_of(row), sum), BAR_LEN, len, "########", row->missed,
		us(row->latency.p50), us(row->latency.p99));
}

// The lines of all queues and of their sum. Rates are those of the last seconds, since the earlier
// report (NULL: since the start).
static void queues_print(const struct report *report, const struct report *earlier, double seconds,
			 FILE *out) {
	struct queue_report sum = {.latency = report->latency};
	uint64_t most = 0;
	char label[32];

	for (unsigned int i = 0; i < report->n_queues; i++) {
		const struct queue_report *row = &report->queues[i];

		sum.packets += row->packets;
		sum.missed += row->missed;
		most = RTE_MAX(most, load_of(row));
	}
	fprintf(out, "%4s %5s %4s %11s %7s %6s %-*s %10s %8s %8s\n", "port", "queue", "core",
		"packets", "Mpps", "share", BAR_LEN, "", "missed", "p50 us", "p99 us");
	for (unsigned int i = 0; i < report->n_queues; i++) {
		const struct queue_report *row = &report->queues[i];

		snprintf(label, sizeof(label), "%4u %5u %4u", row->port, row->queue, row->lcore);
		row_print(label, row, earlier == NULL ? 0 : earlier->queues[i].packets, seconds,
			  load_of(&sum), most, out);
	}
	row_print("total", &sum, earlier == NULL ? 0 : earlier->packets, seconds, load_of(&sum), 0,
		  out);
}

static void latency_row(const char *label, const struct latency_report *l, FILE *out) {
	fprintf(out, "%-14s %12" PRIu64 " %9.1f %9.1f %9.1f %9.1f %9.1f\n", label, l->count,
		us(l->p50), us(l->p90), us(l->p99), us(l->p999), us(l->max));
}

// The latency, if any was measured, and that of the last seconds (NULL: none).
static void latency_print(const struct report *report, const struct latency_report *last,
			  double seconds, FILE *out) {
	char label[32];

	if (report->latency.count == 0)
		return; // only net_ddp has the time of arrival
	fprintf(out, "%-14s %12s %9s %9s %9s %9s %9s\n", "latency us", "packets", "p50", "p90",
		"p99", "p99.9", "max");
	latency_row("since start", &report->latency, out);
	if (last == NULL)
		return;
	snprintf(label, sizeof(label), "last %.1f s", seconds);
	latency_row(label, last, out);
}

static void work_print(const struct report *report, FILE *out) {
	if (report->config->work_ns != 0)
		fprintf(out, ", work %" PRIu64 " ns a packet", report->config->work_ns);
}

static void balance_table(const struct report *report, FILE *out) {
	bool found = false;

	for (unsigned int i = 0; i < report->n_ports; i++) {
		const struct rte_pmd_ddp_balance *b = &report->ports[i].balance;

		if (!port_is_balanced(&report->ports[i]))
			continue;
		if (!found)
			fprintf(out, "\n%4s %8s %8s %8s %9s %7s %7s %10s %10s\n", "port",
				"every ms", "rounds", "moves", "imbalance", "after", "worst",
				"parked", "longest us");
		found = true;
		fprintf(out,
			"%4u %8u %8" PRIu64 " %8" PRIu64 " %9.3f %7.3f %7.3f %10" PRIu64
			" %10" PRIu64 "\n",
			report->ports[i].port->id, b->interval_ms, b->rounds, b->moves, b->before,
			b->after, b->worst, b->order_parked, b->order_longest_parking_us);
	}
}

// Waits are given up without load-aware RSS, too.
static void balance_print(const struct report *report, FILE *out) {
	balance_table(report, out);
	for (unsigned int i = 0; i < report->n_ports; i++) {
		const struct rte_pmd_ddp_balance *b = &report->ports[i].balance;
		const uint16_t port = report->ports[i].port->id;

		if (b->bound_share > 0)
			fprintf(out,
				"port %u: one %s has %.0f%% of the load: no move relieves its "
				"queue%s%s\n",
				port, b->bound_flow[0] == '\0' ? "entry of the table" : "flow",
				100 * b->bound_share, b->bound_flow[0] == '\0' ? "" : "\n  ",
				b->bound_flow);
		if (b->given_up > 0)
			fprintf(out,
				"port %u: %" PRIu64 " moves or waits given up: queues were not "
				"polled in time\n",
				port, b->given_up);
	}
}

static void drops_print(const struct report *report, FILE *out) {
	fprintf(out,
		"received %" PRIu64 " = sent %" PRIu64 " + consumed %" PRIu64
		" + dropped at Tx %" PRIu64 "\n",
		report->packets, report->sent, report->consumed,
		report->drop_reasons[DROP_TX_FULL]);
	fprintf(out, "dropped %" PRIu64 "\n", report->drops);
	for (unsigned int i = 0; i < N_DROP_REASONS; i++)
		if (report->drop_reasons[i] != 0)
			fprintf(out, "  %-14s %12" PRIu64 "  %s\n", drop_texts[i].name,
				report->drop_reasons[i], drop_texts[i].meaning);
}

static void workers_print(const struct report *report, FILE *out) {
	fprintf(out, "\n%4s %12s %8s %9s %9s %9s %9s %9s\n", "core", "packets", "Mpps", "p50 us",
		"p90 us", "p99 us", "p99.9 us", "max us");
	for (unsigned int i = 0; i < report->n_workers; i++) {
		const struct queue_report *row = &report->workers[i];
		const struct latency_report *l = &row->latency;

		fprintf(out, "%4u %12" PRIu64 " %8.3f %9.1f %9.1f %9.1f %9.1f %9.1f\n", row->lcore,
			row->packets, ratio(row->packets, report->seconds) / 1e6, us(l->p50),
			us(l->p90), us(l->p99), us(l->p999), us(l->max));
	}
}

static void ports_print(const struct report *report, FILE *out) {
	fprintf(out, "\n%4s %-12s %11s %10s %7s %9s %11s %9s\n", "port", "name", "rx packets",
		"missed", "no mbuf", "rx errors", "tx packets", "tx errors");
	for (unsigned int i = 0; i < report->n_ports; i++) {
		const struct port_report *row = &report->ports[i];
		const struct rte_eth_stats *s = &row->stats;

		fprintf(out,
			"%4u %-12s %11" PRIu64 " %10" PRIu64 " %7" PRIu64 " %9" PRIu64 " %11" PRIu64
			" %9" PRIu64 "\n",
			row->port->id, row->port->name, s->ipackets, s->imissed, s->rx_nombuf,
			s->ierrors, s->opackets, s->oerrors);
	}
}

void report_print(const struct report *report, FILE *out) {
	fprintf(out, "%s: %" PRIu64 " packets in %.3f s, %.3f Mpps, %.3f Gbit/s",
		mode_names[report->config->mode], report->packets, report->seconds,
		ratio(report->packets, report->seconds) / 1e6,
		ratio(report->bytes * 8.0, report->seconds) / 1e9);
	work_print(report, out);
	fputs("\n\n", out);
	queues_print(report, NULL, report->seconds, out);
	fprintf(out, "\nimbalance %.3f (most loaded queue over the mean), Jain's index %.3f\n",
		report->imbalance, report->jain);
	latency_print(report, NULL, 0, out);
	drops_print(report, out);
	balance_print(report, out);
	workers_print(report, out);
	ports_print(report, out);
	if (report->n_ptypes > 0)
		fprintf(out, "\n%12s  %s\n", "packets", "packet type");
	for (unsigned int i = 0; i < report->n_ptypes; i++)
		fprintf(out, "%12" PRIu64 "  %s\n", report->ptypes[i].packets,
			report->ptypes[i].name);
}

void report_say(const struct report *report) {
	say(LOG_INFO,
	    "%s: %" PRIu64 " packets in %.3f s, %" PRIu64 " sent, %" PRIu64 " consumed, %" PRIu64
	    " dropped, imbalance %.3f",
	    mode_names[report->config->mode], report->packets, report->seconds, report->sent,
	    report->consumed, report->drops, report->imbalance);
}

/* The live table */

// On Ctrl-C a terminal discards pending output. Then it has fewer lines than were drawn, and
// clearing the table would clear lines above it. Disable the discarding, or enable it again.
static void interrupt_discards_set(struct live *live, bool on) {
	int fd = fileno(live->out);
	struct termios mode;

	// A background process that changes the terminal is stopped.
	if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &mode) < 0 ||
	    ((mode.c_lflag & NOFLSH) == 0) == on)
		return;
	mode.c_lflag ^= NOFLSH;
	live->discards = tcsetattr(fd, TCSANOW, &mode) == 0;
}

int live_init(struct live *live, FILE *out, const struct config *config, const struct ports *ports,
	      const struct workers *workers) {
	memset(live, 0, sizeof(*live));
	live->out = out;
	live->terminal = isatty(fileno(out));
	if (live->terminal)
		interrupt_discards_set(live, false);
	if (report_init(&live->now, config, ports, workers) < 0 ||
	    report_init(&live->before, config, ports, workers) < 0)
		return -ENOMEM;
	return 0;
}

// Clear the screen from the begin of the last table on. The terminal may have printed "^C".
static void screen_clear(struct live *live) {
	if (live->n_lines != 0)
		fprintf(live->out, "\r\033[%uA\033[J", live->n_lines);
	live->n_lines = 0;
}

void live_fini(struct live *live) {
	if (live->terminal && live->out != NULL) {
		screen_clear(live);
		fflush(live->out);
		if (live->discards)
			interrupt_discards_set(live, true);
	}
	report_fini(&live->now);
	report_fini(&live->before);
}

// Draw the text that fits: after wrapped lines or scrolling, the next table would not replace this
// one. A long line ends with a whole word, because a part of a number is wrong.
static void screen_draw(struct live *live, const char *text) {
	struct winsize window = {0};
	unsigned int rows = 24, columns = 80;

	if (ioctl(fileno(live->out), TIOCGWINSZ, &window) == 0 && window.ws_row > 1) {
		rows = window.ws_row;
		columns = window.ws_col;
	}
	screen_clear(live);
	while (*text != '\0' && live->n_lines + 1 < rows) {
		size_t len = strcspn(text, "\n"), shown = RTE_MIN(len, columns);

		while (shown < len && shown > 0 && text[shown] != ' ')
			shown--;
		fprintf(live->out, "%.*s\n", (int)shown, text);
		text += len + (text[len] == '\n');
		live->n_lines++;
	}
}

// The sums come first, so that small windows show them.
static char *table_text(struct live *live, double seconds) {
	const struct report *now = &live->now, *before = &live->before;
	double period = seconds - before->seconds;
	struct latency_report last = report_latency_since(now, before);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fprintf(out,
		"%.1f s, %.3f Mpps, %.3f Gbit/s, %" PRIu64 " packets, %" PRIu64
		" dropped%simbalance %.3f",
		seconds, (now->packets - before->packets) / period / 1e6,
		(now->bytes - before->bytes) * 8 / period / 1e9, now->packets, now->drops,
		live->terminal ? "\n" : ", ", now->imbalance);
	work_print(now, out);
	fputc('\n', out);
	latency_print(now, &last, period, out);
	balance_print(now, out);
	queues_print(now, before, period, out);
	if (!live->terminal)
		fputc('\n', out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int live_show(struct live *live, const struct workers *workers, double seconds) {
	struct report earlier = live->before;
	char *text;

	live->before = live->now;
	live->now = earlier; // reuse the buffer
	report_collect(&live->now, workers, seconds);
	text = table_text(live, seconds);
	if (text == NULL)
		return 0;
	if (live->terminal)
		screen_draw(live, text);
	else
		fputs(text, live->out);
	free(text);
	// EIO: the terminal is gone, and SIGHUP may be ignored.
	return fflush(live->out) != 0 && (errno == EPIPE || errno == EIO) ? -EPIPE : 0;
}
