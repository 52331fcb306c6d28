/* SPDX-License-Identifier: BSD-3-Clause */
// Numbered packets through net_ddp0 over net_ring0, polled by one or two processes, each of which
// checks what it gets.
//
//	processes EAL_OPTIONS -- [-n PACKETS] [-r RATE] [-p PROCESSES] [-b] [-l]
//	    -n  packets to send (0: until SIGTERM), 1000000 unless given
//	    -r  packets a second, as fast as possible unless given
//	    -p  2: wait for a secondary process, which polls queue 1; else the primary does
//	    -b  send each packet back once
//	    -l  packets may be lost
//
// A secondary process (--proc-type=secondary) needs no options of its own. The primary process
// prints its counts as JSON, a line every 200 ms on the way, and exits with 0 if nothing was
// wrong.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_memzone.h>
#include <rte_pdump.h>
#include <rte_ring.h>

#define N_FLOWS 64
#define N_QUEUES 2
#define N_DESC 1024
#define N_MBUFS 32767
#define BURST 32
#define UNDER_WAY_MAX 512 // packets: fewer than any ring has room for
#define STUCK_S 30
#define REPORT_HZ 5 // lines a second
#define PAUSE_US 20
#define SOURCE "ETH_RXTX15_net_ring0" // the last of net_ring0's rings: nothing else sends there

struct payload {
	uint32_t flow, seq;
	uint64_t n; // of all flows
	uint8_t back;
	uint8_t filler[40];
} __attribute__((__packed__));

struct frame {
	uint8_t eth[14];
	uint8_t ip[20];
	uint8_t udp[8];
	struct payload payload;
} __attribute__((__packed__));

struct process {
	uint64_t got, back, faults;
	uint32_t ready;
	char fault[200]; // the first one
};

struct shared {
	uint64_t sent;
	uint32_t done, lossy, returns;
	struct process processes[N_QUEUES];
};

static struct shared *shared;
static uint32_t next[2][N_FLOWS]; // by back
static int tsc_off;
static volatile sig_atomic_t ended;

static void end(int signal) {
	(void)signal;
	ended = 1;
}

static void fault(struct process *process, const struct payload *payload, const char *what) {
	if (process->faults++ == 0)
		snprintf(process->fault, sizeof(process->fault),
			 "%s: flow %u, %u where %u was next, back %u", what, payload->flow,
			 payload->seq, next[payload->back & 1][payload->flow % N_FLOWS],
			 payload->back);
}

static void frame_fill(struct frame *frame, uint32_t flow, uint32_t seq, uint64_t n) {
	static const uint8_t head[] = {2,    0, 0,  0, 0,  1, 2, 0, 0, 0,  0, 2, 8, 0, // eth
				       0x45, 0, 0,  0, 0,  0, 0, 0, 9, 17, 0, 0,       // ip
				       10,   0, 0,  0, 10, 1, 2, 3,                    // addresses
				       16,   0, 32, 0, 0,  0, 0, 0};                   // udp

	memcpy(frame, head, sizeof(head));
	frame->ip[3] = sizeof(*frame) - sizeof(frame->eth);
	frame->ip[15] = flow;
	frame->udp[1] = flow;
	frame->udp[5] = sizeof(*frame) - sizeof(frame->eth) - sizeof(frame->ip);
	frame->payload.flow = flow;
	frame->payload.seq = seq;
	frame->payload.n = n;
	frame->payload.back = 0;
	for (unsigned int i = 0; i < sizeof(frame->payload.filler); i++)
		frame->payload.filler[i] = n + i;
}

static void packet_check(struct process *process, uint16_t queue, const struct rte_mbuf *mbuf) {
	const struct frame *frame = rte_pktmbuf_mtod(mbuf, const struct frame *);
	const struct payload *payload = &frame->payload;
	struct frame wanted;
	uint32_t *seq;

	if (mbuf->pkt_len != sizeof(*frame) || payload->flow >= N_FLOWS || payload->back > 1) {
		fault(process, payload, "not one of ours");
		return;
	}
	frame_fill(&wanted, payload->flow, payload->seq, payload->n);
	wanted.payload.back = payload->back;
	if (memcmp(frame, &wanted, sizeof(wanted)) != 0)
		fault(process, payload, "changed");
	seq = &next[payload->back][payload->flow];
	if (shared->lossy ? payload->seq < *seq : payload->seq != *seq)
		fault(process, payload, "out of order");
	*seq = payload->seq + 1;
	if (mbuf->port != 0 || (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) == 0 ||
	    (mbuf->packet_type & RTE_PTYPE_L4_MASK) != RTE_PTYPE_L4_UDP ||
	    *RTE_MBUF_DYNFIELD(mbuf, tsc_off, const uint64_t *) == 0)
		fault(process, payload, "fields of the mbuf");
	if (mbuf->hash.rss % N_QUEUES != queue)
		fault(process, payload, "hash");
}

static void queue_poll(struct process *process, uint16_t queue) {
	struct rte_mbuf *mbufs[BURST];
	uint16_t n = rte_eth_rx_burst(0, queue, mbufs, BURST);

	for (unsigned int i = 0; i < n; i++) {
		struct payload *payload = &rte_pktmbuf_mtod(mbufs[i], struct frame *)->payload;

		packet_check(process, queue, mbufs[i]);
		if (!shared->returns || payload->back != 0) {
			__atomic_add_fetch(shared->returns ? &process->back : &process->got, 1,
					   __ATOMIC_RELAXED);
			rte_pktmbuf_free(mbufs[i]);
			continue;
		}
		payload->back = 1;
		__atomic_add_fetch(&process->got, 1, __ATOMIC_RELAXED);
		while (rte_eth_tx_burst(0, queue, &mbufs[i], 1) == 0)
			if (ended || shared->done) {
				rte_pktmbuf_free(mbufs[i]);
				break;
			}
	}
}

static int secondary_run(void) {
	struct process *own = &shared->processes[1];

	__atomic_store_n(&own->ready, 1, __ATOMIC_RELEASE);
	while (!ended && !__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE))
		queue_poll(own, 1);
	__atomic_store_n(&own->ready, 0, __ATOMIC_RELEASE);
	return 0;
}

/* The primary process */

static void give_up(const char *what) {
	fprintf(stderr, "processes: %s\n", what);
	exit(1);
}

static void port_start(struct rte_mempool *pool) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};

	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
	if (rte_eth_dev_configure(0, N_QUEUES, N_QUEUES, &conf) != 0)
		give_up("the port cannot be configured");
	for (unsigned int q = 0; q < N_QUEUES; q++)
		if (rte_eth_rx_queue_setup(0, q, N_DESC, SOCKET_ID_ANY, NULL, pool) != 0 ||
		    rte_eth_tx_queue_setup(0, q, N_DESC, SOCKET_ID_ANY, NULL) != 0)
			give_up("a queue cannot be set up");
	if (rte_eth_dev_start(0) != 0)
		give_up("the port cannot be started");
}

static uint64_t sum(void) {
	const struct process *p = shared->processes;

	return shared->returns ? p[0].back + p[1].back : p[0].got + p[1].got;
}

static void burst_send(struct rte_ring *source, struct rte_mempool *pool) {
	static uint32_t seqs[N_FLOWS];
	struct rte_mbuf *mbufs[BURST];

	if (rte_pktmbuf_alloc_bulk(pool, mbufs, BURST) != 0)
		return;
	for (unsigned int i = 0; i < BURST; i++) {
		uint64_t n = shared->sent + i;
		uint32_t flow = n % N_FLOWS;

		frame_fill((struct frame *)rte_pktmbuf_append(mbufs[i], sizeof(struct frame)), flow,
			   seqs[flow]++, n);
	}
	for (unsigned int i = 0; i < BURST;) {
		i += rte_ring_sp_enqueue_burst(source, (void **)&mbufs[i], BURST - i, NULL);
		if (i < BURST)
			queue_poll(&shared->processes[0], 0);
	}
	shared->sent += BURST;
}

static void counts_print(const char *state) {
	const struct process *p = shared->processes;
	struct rte_eth_stats stats = {0};

	rte_eth_stats_get(0, &stats);
	printf("{\"state\": \"%s\", \"sent\": %" PRIu64 ", \"got\": [%" PRIu64 ", %" PRIu64
	       "], \"back\": [%" PRIu64 ", %" PRIu64 "], \"faults\": [%" PRIu64 ", %" PRIu64
	       "], \"fault\": \"%s%s\", \"missed\": %" PRIu64 "}\n",
	       state, shared->sent, p[0].got, p[1].got, p[0].back, p[1].back, p[0].faults,
	       p[1].faults, p[0].fault, p[1].fault, stats.imissed);
	fflush(stdout);
}

static bool may_send(const struct rte_mempool *pool, uint64_t rate, uint64_t begin) {
	if (rate > 0 && shared->sent > (rte_rdtsc() - begin) / (double)rte_get_tsc_hz() * rate)
		return false;
	return shared->lossy ? rte_mempool_avail_count(pool) > N_MBUFS / 2 :
			       shared->sent - sum() < UNDER_WAY_MAX;
}

// Returns whether all packets came.
static bool primary_run(struct rte_mempool *pool, uint64_t n, uint64_t rate, unsigned int n_procs) {
	struct rte_ring *source = rte_ring_lookup(SOURCE);
	uint64_t begin = rte_rdtsc(), reported = begin, last = 0;
	unsigned int n_idle = 0;

	while (!ended && (n == 0 || shared->lossy || sum() < n) && n_idle < STUCK_S * REPORT_HZ) {
		if (source != NULL && (n == 0 || shared->sent < n) && may_send(pool, rate, begin))
			burst_send(source, pool);
		else if (rate > 0)
			rte_delay_us_sleep(PAUSE_US);
		for (unsigned int q = 0; q < (n_procs == 2 ? 1 : N_QUEUES); q++)
			queue_poll(&shared->processes[q], q);
		if (rte_rdtsc() - reported < rte_get_tsc_hz() / REPORT_HZ)
			continue;
		reported = rte_rdtsc();
		counts_print("running");
		n_idle = sum() == last ? n_idle + 1 : 0;
		last = sum();
	}
	return n_idle < STUCK_S * REPORT_HZ;
}

static int primary(int argc, char **argv) {
	uint64_t n = 1000000, rate = 0;
	unsigned int n_procs = 1;
	struct rte_mempool *pool;
	bool complete;
	int option;

	while ((option = getopt(argc, argv, "n:r:p:bl")) != -1) {
		if (option == 'n')
			n = RTE_ALIGN_MUL_CEIL(strtoull(optarg, NULL, 10), BURST);
		else if (option == 'r')
			rate = strtoull(optarg, NULL, 10);
		else if (option == 'p')
			n_procs = atoi(optarg);
		else if (option == 'b')
			shared->returns = 1;
		else if (option == 'l')
			shared->lossy = 1;
		else
			give_up("unknown option");
	}
	// A process that is killed while it puts an mbuf into a mempool of DPDK's usual kind, a
	// ring, stops all others that put some there. If it is killed while it puts some into an
	// lcore's cache, they may be in the mempool twice.
	pool = rte_pktmbuf_pool_create_by_ops("processes", N_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
					      SOCKET_ID_ANY, "lf_stack");
	if (pool == NULL || rte_pdump_init() != 0)
		give_up("no memory");
	port_start(pool);
	counts_print("ready");
	while (n_procs == 2 && !ended &&
	       !__atomic_load_n(&shared->processes[1].ready, __ATOMIC_ACQUIRE))
		rte_delay_us_sleep(1000);
	complete = primary_run(pool, n, rate, n_procs);
	__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < 2000 && shared->processes[1].ready && !shared->lossy; i++)
		rte_delay_us_sleep(1000);
	counts_print(complete ? "end" : "stuck");
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	rte_eal_cleanup();
	return complete ? 0 : 2;
}

int main(int argc, char **argv) {
	const struct rte_memzone *zone;
	bool first;
	int n = rte_eal_init(argc, argv);

	if (n < 0)
		give_up("no EAL");
	signal(SIGTERM, end);
	first = rte_eal_process_type() == RTE_PROC_PRIMARY;
	zone = first ? rte_memzone_reserve("processes", sizeof(*shared), SOCKET_ID_ANY, 0) :
		       rte_memzone_lookup("processes");
	tsc_off = rte_mbuf_dynfield_lookup("ddp_rx_tsc", NULL);
	if (zone == NULL || tsc_off < 0 || !rte_eth_dev_is_valid_port(0))
		give_up("no port, or no memory");
	shared = zone->addr;
	if (!first)
		return secondary_run();
	memset(shared, 0, sizeof(*shared));
	return primary(argc - n, argv + n);
}
