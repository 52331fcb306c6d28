/* SPDX-License-Identifier: BSD-3-Clause */
// The cost of giving packets to another core, and of classifying and hashing them before.
#include <rte_distributor.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_ring.h>

#include "bench.h"
#include "methods.h"

#define ROUNDS 61
#define SECONDS 12 // for all of them, at most
#define ROUND_PACKETS 65536U
#define N_PACKETS 4096 // more than may be on their way
#define RING_SIZE 1024
#define DISTRIBUTOR_BURST 8
#define N_HANDOVERS 3
#define DISTRIBUTOR 1 // of them the one that others are compared with

struct handover {
	const char *id, *title;
	// Both return when ROUND_PACKETS have come through.
	void (*produce)(const struct packets *packets);
	void (*consume)(void);
};

// Shared by both cores; each has a line of its own.
static struct {
	uint32_t ready __rte_cache_aligned;
	uint32_t got __rte_cache_aligned;
} shared;

static struct rte_ring *ring;
static uint32_t sink; // of what is read from mbufs

static bool all_got(void) {
	return __atomic_load_n(&shared.got, __ATOMIC_ACQUIRE) != 0;
}

/* Ways */

// The mbufs of a burst to come, for who is going to read or write them: a driver would have.
static inline void mbufs_prefetch(const struct packets *packets, unsigned int first) {
	for (unsigned int i = first; i < first + BURST; i++)
		__builtin_prefetch(packets->visits[i % packets->n_visits], 1);
}

static void ring_put(struct rte_mbuf *const *mbufs) {
	unsigned int n = 0;

	while (n < BURST)
		n += rte_ring_sp_enqueue_burst(ring, (void *const *)&mbufs[n], BURST - n, NULL);
}

static void mbufs_produce(const struct packets *packets) {
	for (unsigned int i = 0; i < ROUND_PACKETS; i += BURST) {
		struct rte_mbuf **mbufs = &packets->visits[i % packets->n_visits];

		mbufs_prefetch(packets, i + BURST);
		for (unsigned int k = 0; k < BURST; k++)
			packet_hashed(mbufs[k], k, RTE_PTYPE_L2_ETHER, i);
		ring_put(mbufs);
	}
}

static void cache_produce(const struct packets *packets) {
	const struct method *method = method_ours();

	for (unsigned int i = 0; i < ROUND_PACKETS; i += BURST) {
		struct rte_mbuf **mbufs = &packets->visits[i % packets->n_visits];

		mbufs_prefetch(packets, i + BURST);
		method->run_ahead(method->arg, mbufs, BURST,
				  &packets->visits[(i + BURST) % packets->n_visits]);
		ring_put(mbufs);
	}
}

static void mbufs_consume(void) {
	struct rte_mbuf *mbufs[BURST];
	uint32_t sum = 0;
	unsigned int got;

	for (unsigned int i = 0; i < ROUND_PACKETS; i += got) {
		got = rte_ring_sc_dequeue_burst(ring, (void **)mbufs, BURST, NULL);
		for (unsigned int k = 0; k < got; k++)
			sum += mbufs[k]->hash.rss + mbufs[k]->packet_type;
	}
	sink += sum;
}

/* rte_distributor with one worker */

static struct rte_distributor *distributor;

static void distributor_produce(const struct packets *packets) {
	struct rte_mbuf *returned[2 * BURST];

	for (unsigned int i = 0; i < ROUND_PACKETS; i += BURST) {
		unsigned int sent = 0;

		mbufs_prefetch(packets, i + BURST);
		while (sent < BURST) // none while the worker is not there yet
			sent += rte_distributor_process(
				distributor, &packets->visits[i % packets->n_visits + sent],
				BURST - sent);
		rte_distributor_returned_pkts(distributor, returned, RTE_DIM(returned));
	}
	while (!all_got())
		rte_distributor_process(distributor, NULL, 0);
}

// As rte_distributor_get_pkt(), but that it does not wait for more than a round. What was got last
// is given back with the next request, in the next round.
static void distributor_consume(void) {
	static struct rte_mbuf *mbufs[DISTRIBUTOR_BURST];
	static int n_held;
	static bool requested;
	unsigned int received = 0;

	while (received < ROUND_PACKETS) {
		int got;

		if (!requested)
			rte_distributor_request_pkt(distributor, 0, mbufs, n_held);
		got = rte_distributor_poll_pkt(distributor, 0, mbufs);
		requested = got < 0;
		if (requested) {
			rte_pause();
			continue;
		}
		n_held = got;
		received += got;
	}
}

/* Measurement */

static int consumer_main(void *arg) {
	const struct handover *handover = arg;

	__atomic_store_n(&shared.ready, 1, __ATOMIC_RELEASE);
	handover->consume();
	__atomic_store_n(&shared.got, 1, __ATOMIC_RELEASE);
	return 0;
}

static double handover_time(const struct handover *handover, const struct packets *packets) {
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	uint64_t tsc;
	double ns;

	shared.ready = shared.got = 0;
	must(rte_eal_remote_launch(consumer_main, (void *)(uintptr_t)handover, lcore),
	     "second core");
	while (!__atomic_load_n(&shared.ready, __ATOMIC_ACQUIRE))
		rte_pause();
	tsc = rte_rdtsc_precise();
	handover->produce(packets);
	while (!all_got())
		rte_pause();
	ns = samples_ns(tsc, ROUND_PACKETS);
	rte_eal_wait_lcore(lcore);
	return ns;
}

static void kind_measure(struct table *table, const struct handover *handovers,
			 const struct kind *kind) {
	unsigned int column = table_column(table, kind->id, kind->title);
	static struct samples samples;
	unsigned int round;
	struct packets packets;

	packets_make(&packets, kind, N_PACKETS, N_PACKETS);
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int i = 0; i < N_HANDOVERS; i++)
			samples.ns[i][round] = handover_time(&handovers[i], &packets);
	for (unsigned int i = 0; i < N_HANDOVERS; i++)
		table->figures[i][column] = samples_figure(&samples, i, DISTRIBUTOR);
	packets_free(&packets);
}

void handover_measure(void) {
	static const struct handover handovers[N_HANDOVERS] = {
		{"ring-mbufs", "rte_ring, mbuf written and read", mbufs_produce, mbufs_consume},
		[DISTRIBUTOR] = {"distributor", "rte_distributor, 1 worker", distributor_produce,
				 distributor_consume},
		{"cache", "our cache + rte_ring", cache_produce, mbufs_consume},
	};
	struct table table;

	if (rte_lcore_count() < 2) {
		printf("\nHand-over to another core: there is one core only\n");
		return;
	}
	ring = rte_ring_create("bench", RING_SIZE, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	distributor = rte_distributor_create("bench", SOCKET_ID_ANY, 1, RTE_DIST_ALG_BURST);
	if (ring == NULL || distributor == NULL)
		fail("no memory for a ring or a distributor");
	table_init(&table, "handover", "Hand-over to another core");
	snprintf(table.note, sizeof(table.note),
		 "ns a packet; in brackets, times faster than rte_distributor, which like rte_ring "
		 "classifies nothing");
	for (unsigned int i = 0; i < RTE_DIM(handovers); i++)
		table_row(&table, handovers[i].id, handovers[i].title);
	kind_measure(&table, handovers, kind_find("gtpu"));
	kind_measure(&table, handovers, kind_find("mix"));
	table_done(&table);
	rte_ring_free(ring);
}
