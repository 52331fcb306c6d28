/* SPDX-License-Identifier: BSD-3-Clause */
// Two cores: the cost of giving packets to another core, and of classifying and hashing them
// before; and what two cores do that poll net_ddp.
#include <string.h>

#include <rte_cycles.h>
#include <rte_distributor.h>
#include <rte_ethdev.h>
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

/* Two cores against one, in real time: each polls an Rx queue of net_ddp over a device with one
 * queue, and works on every packet for a while. All packets are in one tunnel, so without a profile
 * all of them are on one queue. Packets come as fast as they are taken; `overflow=wait` loses none.
 */

#define SCALING_PACKETS 8192 // more than rings and bursts hold
#define CORES 2
#define SCALING_ROUNDS 9
#define ROUND_MS 100
#define ROUND_MS_QUICK 20
#define OUTER_OFF 26 // addresses of IPv4 behind Ethernet, and the source port of UDP
#define OUTER_SIZE 10

struct poller {
	// set before it runs
	uint16_t port, queue;
	uint64_t work; // cycles a packet
	uint64_t duration;

	uint64_t packets, cycles; // results
} __rte_cache_aligned;

static volatile uint64_t bytes_received; // so that the reads are not optimized out

static int poller_run(void *arg) {
	struct poller *poller = arg;
	struct rte_mbuf *mbufs[BURST];
	uint64_t begin = rte_rdtsc(), now = begin, sum = 0;

	poller->packets = 0;
	while (now - begin < poller->duration) {
		uint16_t n = rte_eth_rx_burst(poller->port, poller->queue, mbufs, BURST);
		uint64_t end = rte_rdtsc() + n * poller->work;

		for (uint16_t i = 0; i < n; i++)
			sum += rte_pktmbuf_pkt_len(mbufs[i]) + mbufs[i]->hash.rss;
		for (now = rte_rdtsc(); now < end; now = rte_rdtsc())
			;
		poller->packets += n;
	}
	poller->cycles = now - begin;
	bytes_received += sum;
	return 0;
}

/* One set-up, with one core and with two */

enum result {
	ONE,   // million packets a second
	TWO,   // million packets a second
	TIMES, // the second of the first
	LEAST, // percent of the packets that the less loaded core has
	N_RESULTS,
};

static double mpps(const struct poller *poller) {
	return poller->packets * (rte_get_tsc_hz() / 1e6) / poller->cycles;
}

static void both_run(struct poller *pollers, unsigned int lcore) {
	must(rte_eal_remote_launch(poller_run, &pollers[1], lcore), "launch");
	poller_run(&pollers[0]);
	rte_eal_wait_lcore(lcore);
}

static void pollers_init(struct poller *pollers, uint16_t port, unsigned int work_ns) {
	const unsigned int ms = options.quick ? ROUND_MS_QUICK : ROUND_MS;

	for (unsigned int i = 0; i < CORES; i++)
		pollers[i] = (struct poller){
			.port = port,
			.queue = i,
			.work = work_ns * rte_get_tsc_hz() / 1000000000,
			.duration = ms * rte_get_tsc_hz() / 1000,
		};
}

static void scaling_run(struct table *table, unsigned int row, const char *args,
			unsigned int work_ns, unsigned int lcore) {
	static struct samples samples;
	uint16_t alone = port_open("net_ddp1", args, 1), both;
	char second[256];
	struct poller one[CORES], two[CORES];
	unsigned int i;

	// A device for each, both with the same packets.
	snprintf(second, sizeof(second), "dev(net_template2)%s", strchr(args, ')') + 1);
	both = port_open("net_ddp2", second, CORES);
	pollers_init(one, alone, work_ns);
	pollers_init(two, both, work_ns);
	poller_run(&one[0]); // they learn
	both_run(two, lcore);
	samples_begin(&samples, SCALING_ROUNDS, 60);
	while (samples_next(&samples, &i)) {
		poller_run(&one[0]);
		both_run(two, lcore);
		samples.ns[ONE][i] = mpps(&one[0]);
		samples.ns[TWO][i] = mpps(&two[0]) + mpps(&two[1]);
		samples.ns[TIMES][i] = samples.ns[TWO][i] / samples.ns[ONE][i];
		samples.ns[LEAST][i] = 100.0 * RTE_MIN(two[0].packets, two[1].packets) /
				       RTE_MAX(two[0].packets + two[1].packets, UINT64_C(1));
	}
	for (i = 0; i < N_RESULTS; i++)
		table->figures[row][i] = samples_figure(&samples, i, -1);
	port_close(both, "net_ddp2");
	port_close(alone, "net_ddp1");
}

static const unsigned int works[] = {0, 100, 300}; // ns

static void one_tunnel_make(const struct packets *packets) {
	const void *first = rte_pktmbuf_mtod_offset(packets->mbufs[0], void *, OUTER_OFF);

	for (unsigned int i = 1; i < packets->n; i++)
		memcpy(rte_pktmbuf_mtod_offset(packets->mbufs[i], void *, OUTER_OFF), first,
		       OUTER_SIZE);
}

static void all_run(struct table *table, unsigned int lcore) {
	static const struct {
		const char *id, *title, *args;
	} ways[] = {
		{"none", "no profile", "dev(net_template1),overflow=wait"},
		{"gtpu", "gtpu", "dev(net_template1),profile=gtpu,overflow=wait"},
	};

	for (unsigned int i = 0; i < RTE_DIM(ways); i++)
		for (unsigned int w = 0; w < RTE_DIM(works); w++) {
			char id[24], title[48];

			snprintf(id, sizeof(id), "%s-%u", ways[i].id, works[w]);
			snprintf(title, sizeof(title), "%s, %u ns of work", ways[i].title,
				 works[w]);
			scaling_run(table, table_row(table, id, title), ways[i].args, works[w],
				    lcore);
		}
}

void scaling_measure(void) {
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	struct packets packets;
	struct table table;

	table_init(&table, "scaling", "Two cores");
	table.unit = "value";
	snprintf(
		table.note, sizeof(table.note),
		"million packets a second of one core and of two, one lower queue, all packets in one "
		"tunnel; share of the less loaded core in percent");
	table_column(&table, "one", "one core");
	table_column(&table, "two", "two cores");
	table_column(&table, "times", "times");
	table_column(&table, "least", "less loaded %");
	if (lcore == RTE_MAX_LCORE) {
		table.rows[table_row(&table, "none", "two cores")].absent = "needs two CPUs";
		table_done(&table);
		return;
	}
	packets_make(&packets, kind_find("gtpu"), SCALING_PACKETS, SCALING_PACKETS);
	one_tunnel_make(&packets);
	template_packets_set(&packets);
	all_run(&table, lcore);
	packets_free(&packets);
	table_done(&table);
}
