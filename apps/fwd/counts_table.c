/* SPDX-License-Identifier: BSD-3-Clause */
// The report as text.
#include "counts.h"

#include <inttypes.h>

#define BAR_LEN 10

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

// A column with a bar for the ratio of this load to the greatest one.
static void bar_print(uint64_t load, uint64_t most, FILE *out) {
	static const char full[] = "##########";
	int len = ratio(load, most) * BAR_LEN + 0.5;

	fprintf(out, " %-*.*s", BAR_LEN, len, full);
}

static struct queue_report queues_sum(const struct report *report) {
	struct queue_report sum = {.latency = report->latency};

	for (unsigned int i = 0; i < report->n_queues; i++) {
		sum.packets += report->queues[i].packets;
		sum.bytes += report->queues[i].bytes;
		sum.missed += report->queues[i].missed;
	}
	return sum;
}

static uint64_t load_of(const struct queue_report *row) {
	return row->packets + row->missed;
}

static uint64_t load_most(const struct report *report) {
	uint64_t most = 0;

	for (unsigned int i = 0; i < report->n_queues; i++)
		if (load_of(&report->queues[i]) > most)
			most = load_of(&report->queues[i]);
	return most;
}

// Narrow windows truncate the columns after the bar first.
static void row_print(const char *label, const struct queue_report *row, uint64_t earlier,
		      double seconds, uint64_t sum, uint64_t most, FILE *out) {
	fprintf(out, "%-15s %12" PRIu64 " %8.3f %5.1f%%", label, row->packets,
		ratio(row->packets - earlier, seconds) / 1e6, 100 * ratio(load_of(row), sum));
	bar_print(most == 0 ? 0 : load_of(row), most, out);
	fprintf(out, " %10" PRIu64 " %15" PRIu64 " %9.1f %9.1f\n", row->missed, row->bytes,
		us(row->latency.p50), us(row->latency.p99));
}

void report_print_queues(const struct report *report, const struct report *earlier, double seconds,
			 FILE *out) {
	struct queue_report sum = queues_sum(report);
	char label[32];

	fprintf(out, "%4s %5s %4s %12s %8s %6s %-*s %10s %15s %9s %9s\n", "port", "queue", "core",
		"packets", "Mpps", "share", BAR_LEN, "", "missed", "bytes", "p50 us", "p99 us");
	for (unsigned int i = 0; i < report->n_queues; i++) {
		const struct queue_report *row = &report->queues[i];

		snprintf(label, sizeof(label), "%4u %5u %4u", row->port, row->queue, row->lcore);
		row_print(label, row, earlier == NULL ? 0 : earlier->queues[i].packets, seconds,
			  load_of(&sum), load_most(report), out);
	}
	row_print("total", &sum, earlier == NULL ? 0 : earlier->packets, seconds, load_of(&sum), 0,
		  out);
}

static void latency_line(const struct latency_report *l, FILE *out) {
	fprintf(out, "p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, max %.1f (%" PRIu64 " packets)\n",
		us(l->p50), us(l->p90), us(l->p99), us(l->p999), us(l->max), l->count);
}

void report_print_latency(const struct report *report, const struct latency_report *last,
			  double seconds, FILE *out) {
	if (report->latency.count == 0)
		return; // only net_ddp has the time of arrival
	fputs("latency us, from net_ddp on: ", out);
	latency_line(&report->latency, out);
	if (last == NULL)
		return;
	fprintf(out, "last %.1f s: ", seconds);
	latency_line(last, out);
}

void report_print_work(const struct report *report, FILE *out) {
	if (report->config->work_ns != 0)
		fprintf(out, ", work %" PRIu64 " ns a packet", report->config->work_ns);
}

static void balance_row_print(const struct port_report *row, FILE *out) {
	const struct rte_pmd_ddp_balance *b = &row->balance;

	fprintf(out,
		"%4u %8u %10" PRIu64 " %10" PRIu64 " %9.3f %9.3f %9.3f %10" PRIu64 " %10" PRIu64
		"\n",
		row->port->id, b->interval_ms, b->rounds, b->moves, b->before, b->after, b->worst,
		b->order_parked, b->order_longest_parking_us);
	if (b->bound_share > 0)
		fprintf(out,
			"     %s has %.0f%% of the load, more than an even share: no move relieves its "
			"queue further\n",
			b->bound_flow[0] != '\0' ? b->bound_flow : "one entry of the table",
			100 * b->bound_share);
}

void report_print_balance(const struct report *report, FILE *out) {
	bool found = false;

	for (unsigned int i = 0; i < report->n_ports; i++) {
		if (!port_is_balanced(&report->ports[i]))
			continue;
		if (!found)
			fprintf(out, "\n%4s %8s %10s %10s %9s %9s %9s %10s %10s\n", "port",
				"every ms", "rounds", "moves", "imbalance", "after", "worst",
				"parked", "longest us");
		found = true;
		balance_row_print(&report->ports[i], out);
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
	fprintf(out, "\n%4s %12s %8s %15s %9s %9s %9s %9s %9s\n", "core", "packets", "Mpps",
		"bytes", "p50 us", "p90 us", "p99 us", "p99.9 us", "max us");
	for (unsigned int i = 0; i < report->n_workers; i++) {
		const struct queue_report *row = &report->workers[i];
		const struct latency_report *l = &row->latency;

		fprintf(out,
			"%4u %12" PRIu64 " %8.3f %15" PRIu64 " %9.1f %9.1f %9.1f %9.1f %9.1f\n",
			row->lcore, row->packets, ratio(row->packets, report->seconds) / 1e6,
			row->bytes, us(l->p50), us(l->p90), us(l->p99), us(l->p999), us(l->max));
	}
}

static void ports_print(const struct report *report, FILE *out) {
	fprintf(out, "\n%4s %-16s %12s %10s %9s %9s %12s %9s\n", "port", "name", "rx packets",
		"missed", "no mbuf", "rx errors", "tx packets", "tx errors");
	for (unsigned int i = 0; i < report->n_ports; i++) {
		const struct port_report *row = &report->ports[i];
		const struct rte_eth_stats *s = &row->stats;

		fprintf(out,
			"%4u %-16s %12" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %12" PRIu64
			" %9" PRIu64 "\n",
			row->port->id, row->port->name, s->ipackets, s->imissed, s->rx_nombuf,
			s->ierrors, s->opackets, s->oerrors);
	}
}

static void ptypes_print(const struct report *report, FILE *out) {
	if (report->n_ptypes == 0)
		return;
	fprintf(out, "\n%12s  %s\n", "packets", "packet type");
	for (unsigned int i = 0; i < report->n_ptypes; i++)
		fprintf(out, "%12" PRIu64 "  %s\n", report->ptypes[i].packets,
			report->ptypes[i].name);
}

void report_print(const struct report *report, FILE *out) {
	fprintf(out, "%s: %" PRIu64 " packets in %.3f s, %.3f Mpps, %.3f Gbit/s",
		mode_names[report->config->mode], report->packets, report->seconds,
		ratio(report->packets, report->seconds) / 1e6,
		ratio(report->bytes * 8.0, report->seconds) / 1e9);
	report_print_work(report, out);
	fputs("\n\n", out);
	report_print_queues(report, NULL, report->seconds, out);
	fprintf(out, "\nimbalance %.3f (most loaded queue over the mean), Jain's index %.3f\n",
		report->imbalance, report->jain);
	report_print_latency(report, NULL, 0, out);
	drops_print(report, out);
	report_print_balance(report, out);
	workers_print(report, out);
	ports_print(report, out);
	ptypes_print(report, out);
}

void report_say(const struct report *report) {
	say(LOG_INFO,
	    "%s: %" PRIu64 " packets in %.3f s, %" PRIu64 " sent, %" PRIu64 " consumed, %" PRIu64
	    " dropped, imbalance %.3f",
	    mode_names[report->config->mode], report->packets, report->seconds, report->sent,
	    report->consumed, report->drops, report->imbalance);
}
