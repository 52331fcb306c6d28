/* SPDX-License-Identifier: BSD-3-Clause */
// The cost that net_ddp adds to Tx.
#include <rte_ethdev.h>

#include "bench.h"
#include "methods.h"

#define ROUNDS 61
#define SECONDS 4 // at most
#define ROUND_PACKETS 65536U

struct sender {
	const char *id, *title, *name, *args;
	uint16_t n_queues;
};

static const struct sender senders[] = {
	{"tx-alone", "device alone", "net_template0", "", 1},
	{"tx", "through net_ddp", "net_ddp0", "dev(net_template1),profile=gtpu", 1},
	{"tx-shared", "8 queues of net_ddp share one", "net_ddp1",
	 "dev(net_template2),profile=gtpu", 8},
};

static double sender_time(const struct sender *sender, uint16_t port, struct packets *packets) {
	uint64_t tsc = rte_rdtsc_precise();

	for (unsigned int i = 0; i < ROUND_PACKETS; i += BURST) {
		uint16_t queue = i / BURST % sender->n_queues;
		uint16_t n = rte_eth_tx_burst(port, queue, &packets->visits[i % packets->n_visits],
					      BURST);

		if (n != BURST)
			fail("%s took %u packets", sender->name, n);
	}
	return samples_ns(tsc, ROUND_PACKETS);
}

void tx_measure(void) {
	static struct samples samples;
	uint16_t ports[RTE_DIM(senders)];
	struct packets packets;
	struct table table;
	unsigned int round;

	table_init(&table, "tx", "Tx");
	snprintf(table.note, sizeof(table.note), "ns a packet, hot packets");
	table_column(&table, "cost", "cost");
	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, VISITS);
	template_packets_set(&packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++)
		ports[s] = port_open(senders[s].name, senders[s].args, senders[s].n_queues);
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int s = 0; s < RTE_DIM(senders); s++)
			samples.ns[s][round] = sender_time(&senders[s], ports[s], &packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++) {
		unsigned int row = table_row(&table, senders[s].id, senders[s].title);

		table.figures[row][0] = samples_figure(&samples, s, -1);
		port_close(ports[s], senders[s].name);
	}
	packets_free(&packets);
	table_done(&table);
}
