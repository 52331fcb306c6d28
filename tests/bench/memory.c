/* SPDX-License-Identifier: BSD-3-Clause */
// What a port costs besides packets' time: bytes of memory, of DPDK's and of the C library's, and
// milliseconds to start it and to exchange its profile.
#include <malloc.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "bench.h"
#include "classify/cache/cache.h"
#include "classify/cache/cache_set.h"
#include "end.h"
#include "fail.h"
#include "port/rte_pmd_ddp.h"
#include "samples.h"
#include "template.h"

#define ROUNDS 15
#define SECONDS 10 // at most
#define N_RULES 1000
#define MANY_QUEUES 64

#define PORT "dev(net_template1),overflow=wait"
#define PORT_GTPU PORT ",profile=gtpu"
#define PORT_ALL PORT ",profile=all"

static uint64_t bytes_used(void) {
	struct rte_malloc_socket_stats stats;
	uint64_t sum = mallinfo2().uordblks + mallinfo2().hblkhd;

	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES; i++)
		if (rte_malloc_get_socket_stats(i, &stats) == 0)
			sum += stats.heap_allocsz_bytes;
	return sum;
}

static void bytes_put(struct table *table, const char *id, const char *title, double bytes) {
	unsigned int row = table_row(table, id, title);

	table->figures[row][0] = (struct figure){.given = true, .ns = bytes};
}

// Of a port as it is opened, with what its lower device takes.
static double port_bytes(const char *name, const char *args, uint16_t n_queues) {
	uint64_t before = bytes_used(), with;
	uint16_t port = port_open(name, args, n_queues);

	with = bytes_used();
	port_close(port, name);
	return (double)with - before;
}

static double rule_bytes(void) {
	uint16_t port = port_open("net_ddp0", PORT_GTPU, 8);
	uint64_t before = bytes_used(), with;

	for (unsigned int i = 0; i < N_RULES; i++)
		rule_create(port, rte_cpu_to_be_32(0xc0000000 + i), i % 8);
	with = bytes_used();
	port_close(port, "net_ddp0");
	return ((double)with - before) / N_RULES;
}

static void bytes_measure(void) {
	double lower, one, gtpu, all;
	struct table table;

	table_init(&table, "memory", "Memory");
	table.unit = "bytes";
	snprintf(table.note, sizeof(table.note), "bytes, without packets");
	table_column(&table, "bytes", "bytes");
	port_bytes("net_ddp0", PORT_ALL, 8); // what is loaded once
	lower = port_bytes("net_template0", NULL, 1);
	one = port_bytes("net_ddp0", PORT, 1) - lower;
	gtpu = port_bytes("net_ddp0", PORT_GTPU, 1) - lower;
	all = port_bytes("net_ddp0", PORT_ALL, 1) - lower;
	bytes_put(&table, "port", "port, 1 Rx and 1 Tx queue, 1 lower queue", one);
	bytes_put(&table, "cache", "  of it the path cache of a lower queue", ddp_cache_size());
	bytes_put(&table, "queue", "each further Rx and Tx queue",
		  (port_bytes("net_ddp0", PORT, MANY_QUEUES) - lower - one) / (MANY_QUEUES - 1));
	bytes_put(&table, "gtpu", "profile gtpu", gtpu - one);
	bytes_put(&table, "all", "profile all", all - one);
	bytes_put(&table, "path", "a path, of the path cache", sizeof(struct cache_entry));
	bytes_put(&table, "rule", "a rule", rule_bytes());
	table_done(&table);
}

/* Time */

enum {
	START,
	START_ALL,
	EXCHANGE,
	EXCHANGE_ALL,
	N_TIMES,
};

static double ms_since(uint64_t tsc) {
	return (rte_rdtsc_precise() - tsc) * 1e3 / rte_get_tsc_hz();
}

static double start_time(const char *args) {
	uint64_t tsc = rte_rdtsc_precise();
	uint16_t port = port_open("net_ddp0", args, 8);
	double ms = ms_since(tsc);

	port_close(port, "net_ddp0");
	return ms;
}

static double exchange_time(uint16_t port, const char *profile) {
	uint64_t tsc = rte_rdtsc_precise();
	char error[256];
	double ms;

	if (rte_pmd_ddp_profile_set(port, profile, error, sizeof(error)) < 0)
		fail("%s", error);
	ms = ms_since(tsc);
	must(rte_pmd_ddp_profile_set(port, "vxlan", error, sizeof(error)), "vxlan");
	return ms;
}

static void times_measure(void) {
	static const struct heading names[N_TIMES] = {
		[START] = {"start", "start, 8 queues, profile gtpu", NULL},
		[START_ALL] = {"start-all", "start, 8 queues, profile all", NULL},
		[EXCHANGE] = {"exchange", "exchange of vxlan for gtpu", NULL},
		[EXCHANGE_ALL] = {"exchange-all", "exchange of vxlan for all", NULL},
	};
	static struct samples samples;
	struct table table;
	unsigned int i;
	uint16_t port;

	table_init(&table, "times", "Start and exchange of profiles");
	table.unit = "ms";
	snprintf(table.note, sizeof(table.note), "ms, with YAML read and compiled");
	table_column(&table, "ms", "ms");
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &i)) {
		samples.ns[START][i] = start_time(PORT_GTPU);
		samples.ns[START_ALL][i] = start_time(PORT_ALL);
		port = port_open("net_ddp0", PORT ",profile=vxlan", 8);
		samples.ns[EXCHANGE][i] = exchange_time(port, "gtpu");
		samples.ns[EXCHANGE_ALL][i] = exchange_time(port, "all");
		port_close(port, "net_ddp0");
	}
	for (i = 0; i < N_TIMES; i++) {
		unsigned int row = table_row(&table, names[i].id, names[i].title);

		table.figures[row][0] = samples_figure(&samples, i, -1);
	}
	table_done(&table);
}

void memory_measure(void) {
	struct packets packets;

	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, TEMPLATE_PACKETS);
	template_packets_set(&packets);
	bytes_measure();
	times_measure();
	packets_free(&packets);
}
