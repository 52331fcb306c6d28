/* SPDX-License-Identifier: BSD-3-Clause */
// How the cost of a packet grows with what a port has: Rx queues, lower queues, profiles, other
// ports that are polled in turn. How it grows with paths is in part `kinds`, with rules in part
// `end`.
#include <rte_common.h>

#include "bench.h"
#include "end.h"
#include "samples.h"
#include "template.h"
#include "work.h"

#define ROUNDS 31
#define ROUNDS_QUICK 9
#define SECONDS 5 // for all of them, at most
#define SECONDS_QUICK 1
#define N_PACKETS 32768 // 256 queues that are polled in turn have thousands in their rings
#define PORTS_MAX 4

static const struct {
	const char *id, *title;
	const char *alone_args, *ddp_args;
	uint16_t lower_queues, queues;
} rows[] = {
	{"queues-1", "1 Rx queue", NULL, "dev(net_template1),profile=gtpu,overflow=wait", 1, 1},
	{"queues-8", "8", NULL, "dev(net_template1),profile=gtpu,overflow=wait", 1, 8},
	{"queues-64", "64", NULL, "dev(net_template1),profile=gtpu,overflow=wait", 1, 64},
	{"queues-256", "256", NULL, "dev(net_template1),profile=gtpu,overflow=wait", 1, 256},
	{"lower-2", "8, 2 lower queues", "hashed=1,queues=2",
	 "dev(net_template1,hashed=1,queues=2),profile=gtpu,overflow=wait,lower_queues=2,offload=off",
	 2, 8},
	{"lower-4", "8, 4 lower queues", "hashed=1,queues=4",
	 "dev(net_template1,hashed=1,queues=4),profile=gtpu,overflow=wait,lower_queues=4,offload=off",
	 4, 8},
	{"lower-8", "8, 8 lower queues", "hashed=1,queues=8",
	 "dev(net_template1,hashed=1,queues=8),profile=gtpu,overflow=wait,lower_queues=8,offload=off",
	 8, 8},
	{"profiles-2", "8, gtpu+vxlan", NULL, "dev(net_template1),profile=gtpu+vxlan,overflow=wait",
	 1, 8},
	{"profiles-4", "8, these and pppoe+mpls", NULL,
	 "dev(net_template1),profile=gtpu+vxlan+pppoe+mpls,overflow=wait", 1, 8},
	{"profiles-all", "8, the whole library", NULL,
	 "dev(net_template1),profile=all,overflow=wait", 1, 8},
};

// n pairs of ports, each polled for a round in turn.
static void ports_measure(struct table *table, unsigned int n, const char *id, const char *title) {
	static struct samples samples;
	unsigned int row = table_row(table, id, title), i;
	uint16_t ports[PORTS_MAX], alone = port_open("net_template0", NULL, 1);
	char names[PORTS_MAX][24], args[64];

	for (unsigned int p = 0; p < n; p++) {
		snprintf(names[p], sizeof(names[p]), "net_ddp%u", p);
		snprintf(args, sizeof(args), "dev(net_template%u),profile=gtpu,overflow=wait",
			 p + 1);
		ports[p] = port_open(names[p], args, N_QUEUES);
		port_time(ports[p], N_QUEUES, false);
		port_time(ports[p], N_QUEUES, false);
	}
	samples_begin(&samples, options.quick ? ROUNDS_QUICK : ROUNDS,
		      options.quick ? SECONDS_QUICK : SECONDS);
	while (samples_next(&samples, &i)) {
		samples.ns[ALONE][i] = port_time(alone, 1, false);
		samples.ns[DDP][i] = 0;
		for (unsigned int p = 0; p < n; p++)
			samples.ns[DDP][i] += port_time(ports[p], N_QUEUES, false) / n;
		samples.ns[ADDED][i] = samples.ns[DDP][i] - samples.ns[ALONE][i];
	}
	for (i = 0; i < N_SERIES; i++)
		table->figures[row][i] = samples_figure(&samples, i, -1);
	for (unsigned int p = 0; p < n; p++)
		port_close(ports[p], names[p]);
	port_close(alone, "net_template0");
}

void growth_measure(void) {
	struct packets packets;
	struct table table;

	table_init(&table, "growth", "Growth");
	snprintf(
		table.note, sizeof(table.note),
		"ns a packet; GTP-U, %u packets are in use, so a row is slower than its like of the part "
		"end; lower queues are those of a device that hashes addresses",
		N_PACKETS);
	setup_columns(&table);
	packets_make(&packets, kind_find("gtpu"), N_PACKETS, N_PACKETS);
	template_packets_set(&packets);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		const struct setup setup = {
			.id = rows[i].id,
			.title = rows[i].title,
			.alone = "net_template0",
			.alone_args = rows[i].alone_args,
			.alone_queues = rows[i].lower_queues,
			.ddp = "net_ddp0",
			.ddp_args = rows[i].ddp_args,
			.ddp_queues = rows[i].queues,
		};

		setup_measure(&table, &setup);
	}
	ports_measure(&table, 2, "ports-2", "8 of each of 2 ports");
	ports_measure(&table, PORTS_MAX, "ports-4", "8 of each of 4 ports");
	packets_free(&packets);
	table_done(&table);
}
