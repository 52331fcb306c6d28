/* SPDX-License-Identifier: BSD-3-Clause */
// The command line. Needs no EAL.
#ifndef DDP_FWD_CONFIG_H
#define DDP_FWD_CONFIG_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "log.h"
#include "rss/rss.h"

#define BURST_MAX 512          // packets
#define CONFIG_AUTO UINT64_MAX // not given: depends on the ports

enum mode {
	MODE_IO,     // forward packets unchanged
	MODE_MAC,    // forward with new Ethernet addresses
	MODE_RXONLY, // free received packets
};

extern const char *const mode_names[];

/* Ports, queues and workers of packets */

// The topologies of testpmd's --port-topology.
enum topology {
	TOPOLOGY_PAIRED,  // 0 <-> 1, 2 <-> 3, ...; an odd last port with itself
	TOPOLOGY_CHAINED, // 0 -> 1 -> 2 -> ... -> 0
	TOPOLOGY_LOOP,    // each port with itself
};

// The port that sends the packets that port i of n receives (both are positions, not port ids).
static inline unsigned int topology_peer(enum topology topology, unsigned int i, unsigned int n) {
	assert(i < n);
	switch (topology) {
	case TOPOLOGY_PAIRED:
		return (i ^ 1) < n ? i ^ 1 : i;
	case TOPOLOGY_CHAINED:
		return (i + 1) % n;
	case TOPOLOGY_LOOP:
		break;
	}
	return i;
}

// The worker that polls Rx queue q of every port.
static inline unsigned int topology_worker(unsigned int q, unsigned int n_workers) {
	return q % n_workers;
}

// The Tx queue for packets of Rx queue q. Tx queue t belongs to worker t mod n_workers, because
// only one lcore may use it. Rx queue q uses the Tx queue of its number, modulo n_txq, if it
// belongs to the worker of q, else the worker's first one. If there are not fewer Tx queues than
// workers, each worker has one.
static inline unsigned int topology_tx_queue(unsigned int q, unsigned int n_txq,
					     unsigned int n_workers) {
	unsigned int worker = topology_worker(q, n_workers);
	unsigned int t = q % n_txq;

	assert(n_txq > 0);
	return t % n_workers == worker ? t : worker;
}

struct config {
	uint64_t n_rxq, n_txq; // n_txq CONFIG_AUTO: as many as Rx queues
	uint64_t n_rxd, n_txd;
	uint64_t burst;
	enum mode mode;
	enum topology topology;
	uint64_t tx_retries;
	uint64_t balance_ms; // ms: interval of load-aware RSS; 0: off
	uint64_t work_ns;    // ns: busy work for each packet
	uint64_t rss_hf;     // RTE_ETH_RSS_* bits; DDP_RSS_HF_ALL: those of the device
	const uint8_t *key;  // DDP_KEY_SIZE bytes, NULL: the device's
	uint8_t key_bytes[DDP_KEY_SIZE];
	bool promiscuous;
	uint64_t n_mbufs;      // CONFIG_AUTO: enough
	uint64_t duration_ms;  // 0: no limit
	uint64_t packets;      // 0: no limit
	uint64_t idle_exit_ms; // 0: never, CONFIG_AUTO: when all ports are finite captures
	uint64_t stats_ms;     // 0: none, CONFIG_AUTO: on a terminal
	const char *json;      // NULL: none
	bool help, version;
	char **eal_args; // from argv[0] to a NULL
	unsigned int n_eal_args;
};

extern const struct option_row config_options[];
extern const unsigned int n_config_options;

// Read the options behind "--", and --help, -h and --version among the options of EAL before it.
// Strings of argv are kept, and NULL replaces "--". After help or version, the rest is not read. 0,
// or -1 with error.
int config_parse(struct config *config, int argc, char **argv, struct error *error);

void config_help(struct output *out);

#endif
