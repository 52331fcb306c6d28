/* SPDX-License-Identifier: BSD-3-Clause */
#include "poller.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>

#include "packet_stream.h"
#include "pool.h"
#include "port/run/order.h"
#include "port/state/port.h"
#include "port/state/rte_pmd_ddp.h"

#define BURST_MAX 64
#define RARELY 4 // tries to poll a queue that is polled rarely

struct queue {
	pthread_mutex_t mutex; // held while the queue is polled
	uint32_t n_tries;
	uint32_t next[STREAM_RXQ_MAX][FLOWS]; // sequence number at least
	uint32_t tx_seq;
	uint16_t n_flows; // of the packets that it returned last
	uint16_t flows[BURST_MAX];
	uint64_t polled; // by TSC
	// The last time that it was polled while no change waited for it any more, or late: there
	// may be a change that did not wait for packets that were taken from the lower device
	// before.
	_Atomic uint64_t late;
	_Atomic uint8_t n_turns; // stops and starts; odd: it is stopped, or about to be
} __rte_cache_aligned;

struct worker {
	pthread_t thread;
	uint32_t random;
} __rte_cache_aligned;

struct tally tally;
atomic_uint flows_received[FLOWS];
_Atomic uint8_t types_seen[UINT16_MAX + 1];

static const struct run *run;
static struct queue queues[QUEUES_MAX];
static struct worker workers[WORKERS_MAX];
static atomic_bool running, parked;
static _Atomic uint16_t neglected = QUEUE_NONE;
static atomic_uint n_parked;
static int meta_off, tsc_off;

/* The order of flows: each flow has one word that says which queue has it and since when, exchanged
 * by the threads that poll */

// A wait is given up after DDP_ORDER_WAIT_US. Until then packets waited on the queue's ring, or its
// last burst was in use: one of both for half of the time at least.
#define LATE_US (DDP_ORDER_WAIT_US / 2)
#define TSC_UNIT 14 // bits by which times are shifted to fit a word

// The queue that has a flow's packets, as one word; 0: none.
union holder {
	uint64_t word;
	struct {
		uint32_t
			tsc; // when the last packet was taken from the lower device; see tsc_pack()
		uint16_t done; // its stamp's
		uint8_t n_turns;
		uint8_t queue; // plus 1
	};
};

static_assert(sizeof(union holder) == sizeof(uint64_t), "it is exchanged");

static _Atomic uint64_t holders[FLOWS];
static atomic_uint
	newest[FLOWS]; // sequence number plus 1 of the latest packet that anyone received
static uint64_t began; // by TSC
struct order_counts order_counts;

// A burst call, by the only thread that polls the queue now.
struct order_poll {
	uint16_t queue;
	uint8_t n_turns; // of the queue, before the call
	uint64_t tsc;
};

static uint64_t late_cycles(void) {
	return LATE_US * (rte_get_tsc_hz() / 1000000);
}

static uint32_t tsc_pack(uint64_t tsc) {
	return (tsc - began) >> TSC_UNIT;
}

static uint64_t tsc_unpack(uint32_t packed) {
	return began + ((uint64_t)packed << TSC_UNIT);
}

// Was a wait for the queue given up, and was it not polled since then?
static bool is_absent(uint16_t id) {
	const struct ddp_rxq *queue = &run->ddp->rxqs[id];

	return __atomic_load_n(&queue->absent, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&queue->polls, __ATOMIC_RELAXED);
}

/* Polls */

// Before the queue is polled: what it returned last is done.
static void order_poll_begin(struct order_poll *poll, uint16_t id) {
	struct queue *queue = &queues[id];

	for (unsigned int i = 0; i < queue->n_flows; i++) {
		union holder holder = {.word = holders[queue->flows[i]]};

		if (holder.queue == id + 1)
			atomic_compare_exchange_strong(&holders[queue->flows[i]], &holder.word, 0);
	}
	poll->queue = id;
	poll->n_turns = queue->n_turns;
	poll->tsc = rte_rdtsc();
	if (is_absent(id))
		queue->late = poll->tsc;
}

// After it. oldest: when the oldest of its packets was taken from the lower device, by TSC;
// UINT64_MAX: there are none.
static void order_poll_end(struct order_poll *poll, uint64_t oldest) {
	struct queue *queue = &queues[poll->queue];
	uint64_t now = rte_rdtsc();
	bool late = poll->tsc - queue->polled > late_cycles();

	late |= oldest + late_cycles() < now && oldest != UINT64_MAX;
	queue->polled = poll->tsc;
	poll->tsc = now;
	if (!late)
		return;
	queue->late = now;
	order_counts.late++;
}

void order_queue_stops(uint16_t queue) {
	queues[queue].n_turns |= 1;
}

void order_queue_starts(uint16_t queue) {
	queues[queue].n_turns += queues[queue].n_turns % 2;
}

/* Excuses */

// Did a rule that came or went move the flow since so many changes were done?
static bool rule_moved(uint32_t flow, uint32_t done) {
	for (uint32_t i = done + 1, last = stream_begun; i <= last; i++) {
		const struct verdict *before = &run->made[i - 1].verdicts[flow];
		const struct verdict *after = &run->made[i].verdicts[flow];

		if (run->made[i].steers &&
		    (before->queue != after->queue || before->anywhere != after->anywhere))
			return true;
	}
	return false;
}

// Of packets that a queue returned after so many stops and starts, the last of which net_ddp took
// at this time, while so many changes were done.
static enum order_excuse excuse_find(uint32_t flow, uint16_t id, uint8_t n_turns, uint64_t tsc,
				     uint32_t done) {
	const struct queue *queue = &queues[id];
	const bool absent = is_absent(id);
	const uint64_t late = queue->late;

	if (run->bypass)
		return ORDER_BYPASS;
	if (n_turns % 2 != 0 || queue->n_turns != n_turns)
		return ORDER_STOPPED;
	if (rule_moved(flow, done))
		return ORDER_RULE;
	if (run->gives_up && (absent || tsc <= late || rte_rdtsc() - tsc > late_cycles()))
		return ORDER_GIVEN_UP;
	return ORDER_NONE;
}

/* Packets */

// Either the packets of the queue that has the flow may be left behind, or this packet. Of two
// excuses the first of the list counts, which says more.
static enum order_excuse conflict_excuse(const struct order_poll *poll, const struct stamp *stamp,
					 union holder holder) {
	const enum order_excuse its = excuse_find(stamp->flow, holder.queue - 1, holder.n_turns,
						  tsc_unpack(holder.tsc), holder.done);
	const enum order_excuse mine =
		excuse_find(stamp->flow, poll->queue, poll->n_turns, stamp->tsc, stamp->done);

	return its == ORDER_NONE || mine == ORDER_NONE ? RTE_MAX(its, mine) : RTE_MIN(its, mine);
}

static void holder_check(const struct order_poll *poll, const struct stamp *stamp) {
	const union holder now = {
		.tsc = tsc_pack(stamp->tsc),
		.done = stamp->done,
		.n_turns = poll->n_turns,
		.queue = poll->queue + 1,
	};
	const union holder before = {
		.word = atomic_exchange(&holders[stamp->flow], now.word),
	};
	enum order_excuse excuse;

	if (before.queue == 0 || before.queue == now.queue)
		return;
	excuse = conflict_excuse(poll, stamp, before);
	order_counts.conflicts[excuse]++;
	if (excuse == ORDER_NONE)
		fault("flow %u: queue %u hands out packet %u while queue %u has the flow "
		      "(changes %u to %u)",
		      stamp->flow, poll->queue, stamp->seq, before.queue - 1, before.done,
		      stamp->begun);
}

static void overtaken_check(const struct order_poll *poll, const struct stamp *stamp) {
	const uint32_t next = newest[stamp->flow];
	enum order_excuse excuse;

	if (next <= stamp->seq) {
		newest[stamp->flow] = stamp->seq + 1;
		return;
	}
	excuse = excuse_find(stamp->flow, poll->queue, poll->n_turns, stamp->tsc, stamp->done);
	order_counts.overtaken[excuse]++;
	if (excuse == ORDER_NONE)
		fault("flow %u: packet %u on queue %u after packet %u (changes %u to %u)",
		      stamp->flow, stamp->seq, poll->queue, next - 1, stamp->done, stamp->begun);
}

/* Sums */

void order_reset(void) {
	began = rte_rdtsc();
	for (unsigned int i = 0; i < QUEUES_MAX; i++) {
		queues[i].polled = began;
		queues[i].late = 0;
		queues[i].n_turns = 0;
	}
	memset(holders, 0, sizeof(holders));
	memset(newest, 0, sizeof(newest));
	memset(&order_counts, 0, sizeof(order_counts));
}

const char *order_text(char *text, unsigned int size) {
#define ORDER_NAME(excuse, name) name,
	static const char *const names[] = {ORDER_EXCUSES(ORDER_NAME)};
#undef ORDER_NAME
	unsigned int len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < N_ORDER_EXCUSES; i++)
		if (order_counts.overtaken[i] + order_counts.conflicts[i] > 0 && len < size)
			len += snprintf(text + len, size - len,
					"%s%lu overtaken, %lu at two queues %s",
					len == 0 ? "" : "; ", order_counts.overtaken[i],
					order_counts.conflicts[i], names[i]);
	return text;
}

/* Verdicts */

// That of the packet type, or of a packet that nobody parsed.
static bool meta_holds(const struct verdict *verdict, const struct rte_pmd_ddp_meta *meta) {
	if (run->stage->no_meta)
		return true;
	if (run->bypass && verdict->hashed && !rte_pmd_ddp_meta_is_parsed(meta))
		return true;
	return meta->value == verdict->value && meta->inner_l3_off == verdict->inner_l3_off;
}

static bool verdict_holds(const struct verdict *verdict, const struct rte_mbuf *mbuf,
			  uint16_t queue) {
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, meta_off, const struct rte_pmd_ddp_meta *);
	bool hashed = (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
	bool marked = (mbuf->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0;

	return (queue == verdict->queue || verdict->anywhere) && !verdict->dropped &&
	       mbuf->packet_type == verdict->packet_type && hashed == verdict->hashed &&
	       (!hashed || mbuf->hash.rss == verdict->hash) && marked == verdict->marked &&
	       (!marked || mbuf->hash.fdir.hi == verdict->mark) && meta_holds(verdict, meta);
}

// A number stands for one packet type for good.
static void type_check(const struct rte_mbuf *mbuf, uint8_t type) {
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, meta_off, const struct rte_pmd_ddp_meta *);
	uint8_t known = 0;

	if (!atomic_compare_exchange_strong(&types_seen[meta->ptype_id], &known, type + 1) &&
	    known != type + 1)
		fault("ptype_id %u is %s, and was %s", meta->ptype_id, type_names[type],
		      type_names[known - 1]);
}

// Rules come and go without a lock, so that a burst call which took its packets before a change may
// still see it, and those after it.
static bool holds_later(const struct stamp *stamp, const struct rte_mbuf *mbuf, uint16_t queue) {
	for (uint32_t i = stamp->begun + 1, last = stream_begun; run->unlocked && i <= last; i++)
		if (verdict_holds(&run->made[i].verdicts[stamp->flow], mbuf, queue))
			return true;
	return false;
}

// A packet for a queue that is stopped may be parked until the queue is started again.
static bool queue_holds(const struct stamp *stamp, const struct verdict *verdict, uint16_t queue) {
	for (uint32_t i = stamp->done + 1, last = stream_begun; verdict->missed && i <= last; i++)
		if (!run->made[i].verdicts[stamp->flow].missed ||
		    run->made[i].verdicts[stamp->flow].queue != queue)
			return true;
	return !verdict->missed;
}

// That of the first set-up that holds of those in force when net_ddp took the packet; or the last.
static const struct verdict *verdict_of(const struct stamp *stamp, const struct rte_mbuf *mbuf,
					uint16_t queue) {
	uint32_t i = stamp->done;

	while (i < stamp->begun && !verdict_holds(&run->made[i].verdicts[stamp->flow], mbuf, queue))
		i++;
	return &run->made[i].verdicts[stamp->flow];
}

static void verdict_check(const struct stamp *stamp, const struct rte_mbuf *mbuf, uint16_t queue) {
	const struct verdict *verdict = verdict_of(stamp, mbuf, queue);

	tally.amid += stamp->begun != stamp->done;
	if (verdict_holds(verdict, mbuf, queue) && queue_holds(stamp, verdict, queue)) {
		if (!run->stage->no_meta)
			type_check(mbuf, verdict->type);
	} else if (!holds_later(stamp, mbuf, queue)) {
		fault("change %u to %u, flow %u: on queue %u with hash 0x%x (flags 0x%lx), packet "
		      "type 0x%x; due: queue %u, hash 0x%x, packet type 0x%x (%s)",
		      stamp->done, stamp->begun, stamp->flow, queue, mbuf->hash.rss, mbuf->ol_flags,
		      mbuf->packet_type, verdict->queue, verdict->hash, verdict->packet_type,
		      type_names[verdict->type]);
	}
}

static void order_check(const struct order_poll *poll, const struct stamp *stamp) {
	const uint16_t queue = poll->queue;
	uint32_t *next = &queues[queue].next[stamp->lower][stamp->flow];

	if (stamp->seq < *next)
		fault("flow %u on queue %u: packet %u after packet %u", stamp->flow, queue,
		      stamp->seq, *next - 1);
	*next = stamp->seq + 1;
	overtaken_check(poll, stamp);
	if (!run->bypass)
		holder_check(poll, stamp);
}

static void bytes_check(const struct stamp *stamp, const struct rte_mbuf *mbuf) {
	uint8_t copy[FLOW_FRAME_MAX];
	const uint8_t *frame;
	uint16_t len = flow_frame(stamp->flow, &frame);

	if (mbuf->pkt_len != len + sizeof(*stamp) ||
	    memcmp(rte_pktmbuf_read(mbuf, 0, len, copy), frame, len) != 0)
		fault("flow %u: packet %u has the bytes of another", stamp->flow, stamp->seq);
}

static void packet_check(const struct order_poll *poll, struct rte_mbuf *mbuf) {
	const struct stamp *stamp = stamp_of(mbuf);

	if (stamp->flow >= FLOWS || stamp->lower >= STREAM_RXQ_MAX || mbuf->port != run->port) {
		fault("a packet of flow %u from lower queue %u with port %u", stamp->flow,
		      stamp->lower, mbuf->port);
		return;
	}
	if (!run->stage->no_meta &&
	    *RTE_MBUF_DYNFIELD(mbuf, tsc_off, const uint64_t *) < stamp->tsc)
		fault("flow %u: packet %u arrived before it was sent", stamp->flow, stamp->seq);
	bytes_check(stamp, mbuf);
	verdict_check(stamp, mbuf, poll->queue);
	order_check(poll, stamp);
	flows_received[stamp->flow]++;
}

static void packets_send(uint16_t queue, struct rte_mbuf **mbufs, uint16_t n) {
	for (uint16_t i = 0; i < n; i++) {
		struct stamp *stamp = stamp_of(mbufs[i]);

		stamp->tx_queue = queue;
		stamp->tx_seq = queues[queue].tx_seq++;
	}
	for (uint16_t n_sent = 0; n_sent < n;)
		n_sent += rte_eth_tx_burst(run->port, queue, &mbufs[n_sent], n - n_sent);
	tally.sent += n;
}

// Bursts of less than half the maximum do not use the bypass.
static uint16_t room_choose(struct worker *worker) {
	if (run->bypass && random_next(&worker->random) % 8 != 0)
		return BURST_MAX / 2 + random_next(&worker->random) % (BURST_MAX / 2);
	return 1 + random_next(&worker->random) % BURST_MAX;
}

static uint16_t rx(struct worker *worker, struct order_poll *poll, uint16_t id,
		   struct rte_mbuf **mbufs) {
	struct queue *queue = &queues[id];
	uint64_t oldest = UINT64_MAX;

	order_poll_begin(poll, id);
	stream_array = mbufs;
	queue->n_flows = rte_eth_rx_burst(run->port, id, mbufs, room_choose(worker));
	stream_array = NULL;
	for (uint16_t i = 0; i < queue->n_flows; i++) {
		const struct stamp *stamp = stamp_of(mbufs[i]);

		queue->flows[i] = stamp->flow % FLOWS;
		oldest = RTE_MIN(oldest, stamp->tsc);
	}
	order_poll_end(poll, oldest);
	return queue->n_flows;
}

static void poll_once(struct worker *worker, uint16_t queue) {
	struct rte_mbuf *mbufs[BURST_MAX];
	struct order_poll poll;
	uint16_t n = rx(worker, &poll, queue, mbufs);

	for (uint16_t i = 0; i < n; i++)
		packet_check(&poll, mbufs[i]);
	if (run->stage->forward)
		packets_send(queue, mbufs, n);
	else
		rte_pktmbuf_free_bulk(mbufs, n);
	tally.received += n;
}

// Every eighth queue is polled rarely, so that its ring overflows.
static bool is_due(struct queue *queue, uint16_t id) {
	return id != neglected && (id % 8 != 1 || queue->n_tries++ % RARELY == 0);
}

static void queue_poll(struct worker *worker, uint16_t id) {
	struct queue *queue = &queues[id];

	if (pthread_mutex_trylock(&queue->mutex) != 0)
		return;
	if (is_due(queue, id))
		poll_once(worker, id);
	pthread_mutex_unlock(&queue->mutex);
}

static void park(void) {
	n_parked++;
	while (parked)
		usleep(50);
	n_parked--;
}

static void *worker_main(void *arg) {
	struct worker *worker = arg;

	while (running) {
		uint32_t first = random_next(&worker->random);

		if (parked)
			park();
		else
			for (uint32_t i = 0; i < run->stage->n_queues; i++)
				queue_poll(worker, (first + i) % run->stage->n_queues);
	}
	return NULL;
}

void workers_start(const struct run *of) {
	run = of;
	meta_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL);
	tsc_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_RX_TSC_DYNFIELD, NULL);
	running = true;
	parked = true;
	for (unsigned int i = 0; i < QUEUES_MAX; i++)
		pthread_mutex_init(&queues[i].mutex, NULL);
	for (unsigned int i = 0; i < run->n_workers; i++) {
		workers[i].random = i;
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
			abort();
	}
	workers_park();
	workers_reset();
	memset(types_seen, 0, sizeof(types_seen));
}

void workers_stop(void) {
	running = false;
	workers_resume();
	for (unsigned int i = 0; i < run->n_workers; i++)
		pthread_join(workers[i].thread, NULL);
}

void workers_park(void) {
	parked = true;
	while (n_parked < run->n_workers)
		usleep(50);
}

void workers_resume(void) {
	parked = false;
	while (n_parked > 0)
		usleep(50);
}

void workers_neglect(uint16_t queue) {
	neglected = queue;
	if (queue == QUEUE_NONE)
		return;
	pthread_mutex_lock(&queues[queue].mutex);
	pthread_mutex_unlock(&queues[queue].mutex);
}

void workers_reset(void) {
	for (unsigned int i = 0; i < QUEUES_MAX; i++) {
		memset(queues[i].next, 0, sizeof(queues[i].next));
		queues[i].tx_seq = 0;
		queues[i].n_flows = 0;
	}
	memset(&tally, 0, sizeof(tally));
	memset(flows_received, 0, sizeof(flows_received));
}
