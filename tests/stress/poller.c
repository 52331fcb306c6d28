/* SPDX-License-Identifier: BSD-3-Clause */
#include "poller.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>

#include "fault.h"
#include "flow_order.h"
#include "packet_stream.h"
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
} __rte_cache_aligned;

struct worker {
	pthread_t thread;
	unsigned int id;
	uint32_t random;
	struct tally tally; // read by others: received
	uint32_t flow_received[FLOWS];
	uint8_t type_of[UINT16_MAX + 1]; // by ptype_id, plus 1
} __rte_cache_aligned;

static const struct run *run;
static struct queue queues[QUEUES_MAX];
static struct worker workers[WORKERS_MAX];
static bool running, parked;
static uint16_t neglected = QUEUE_NONE;
static unsigned int n_parked;
static int meta_off, tsc_off;

// That of the packet type, or of a packet that nobody looked into.
static bool meta_holds(const struct verdict *verdict, const struct rte_pmd_ddp_meta *meta) {
	if (run->no_meta)
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
static void type_check(struct worker *worker, const struct rte_mbuf *mbuf, uint8_t type) {
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, meta_off, const struct rte_pmd_ddp_meta *);
	uint8_t *known = &worker->type_of[meta->ptype_id];

	if (*known == 0)
		*known = type + 1;
	if (*known != type + 1)
		fault("ptype_id %u is %s, and was %s", meta->ptype_id, type_names[type],
		      type_names[*known - 1]);
}

// Rules come and go without a lock, so that a burst call which took its packets before a change may
// still see it, and those after it.
static bool holds_later(const struct stamp *stamp, const struct rte_mbuf *mbuf, uint16_t queue) {
	const uint32_t last = stream_last_begun();

	for (uint32_t i = stamp->begun + 1; run->unlocked && i <= last; i++)
		if (verdict_holds(&run->verdicts[i][stamp->flow], mbuf, queue))
			return true;
	return false;
}

// A packet for a queue that is stopped may be parked until the queue is started again.
static bool queue_holds(const struct stamp *stamp, const struct verdict *verdict, uint16_t queue) {
	const uint32_t last = stream_last_begun();

	for (uint32_t i = stamp->done + 1; verdict->missed && i <= last; i++)
		if (!run->verdicts[i][stamp->flow].missed ||
		    run->verdicts[i][stamp->flow].queue != queue)
			return true;
	return !verdict->missed;
}

// That of the first set-up that holds of those in force when net_ddp took the packet; or the last.
static const struct verdict *verdict_of(const struct stamp *stamp, const struct rte_mbuf *mbuf,
					uint16_t queue) {
	uint32_t i = stamp->done;

	while (i < stamp->begun && !verdict_holds(&run->verdicts[i][stamp->flow], mbuf, queue))
		i++;
	return &run->verdicts[i][stamp->flow];
}

static void verdict_check(struct worker *worker, const struct stamp *stamp,
			  const struct rte_mbuf *mbuf, uint16_t queue) {
	const struct verdict *verdict = verdict_of(stamp, mbuf, queue);

	worker->tally.amid += stamp->begun != stamp->done;
	if (verdict_holds(verdict, mbuf, queue) && queue_holds(stamp, verdict, queue)) {
		if (!run->no_meta)
			type_check(worker, mbuf, verdict->type);
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
	order_packet(poll, stamp);
}

static void bytes_check(const struct stamp *stamp, const struct rte_mbuf *mbuf) {
	uint8_t copy[FLOW_FRAME_MAX];
	const uint8_t *frame;
	uint16_t len = flow_frame(stamp->flow, &frame);

	if (mbuf->pkt_len != len + sizeof(*stamp) ||
	    memcmp(rte_pktmbuf_read(mbuf, 0, len, copy), frame, len) != 0)
		fault("flow %u: packet %u has the bytes of another", stamp->flow, stamp->seq);
}

static void packet_check(struct worker *worker, const struct order_poll *poll,
			 struct rte_mbuf *mbuf) {
	const struct stamp *stamp = stamp_of(mbuf);

	if (stamp->flow >= FLOWS || stamp->lower >= STREAM_RXQ_MAX || mbuf->port != run->port) {
		fault("a packet of flow %u from lower queue %u with port %u", stamp->flow,
		      stamp->lower, mbuf->port);
		return;
	}
	if (!run->no_meta && *RTE_MBUF_DYNFIELD(mbuf, tsc_off, const uint64_t *) < stamp->tsc)
		fault("flow %u: packet %u arrived before it was sent", stamp->flow, stamp->seq);
	bytes_check(stamp, mbuf);
	verdict_check(worker, stamp, mbuf, poll->queue);
	order_check(poll, stamp);
	worker->flow_received[stamp->flow]++;
}

static void packets_send(struct worker *worker, uint16_t queue, struct rte_mbuf **mbufs,
			 uint16_t n) {
	for (uint16_t i = 0; i < n; i++) {
		struct stamp *stamp = stamp_of(mbufs[i]);

		stamp->tx_queue = queue;
		stamp->tx_seq = queues[queue].tx_seq++;
	}
	for (uint16_t n_sent = 0; n_sent < n;)
		n_sent += rte_eth_tx_burst(run->port, queue, &mbufs[n_sent], n - n_sent);
	worker->tally.sent += n;
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

	order_poll_begin(poll, id, queue->flows, queue->n_flows);
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
		packet_check(worker, &poll, mbufs[i]);
	if (run->forward)
		packets_send(worker, queue, mbufs, n);
	else
		rte_pktmbuf_free_bulk(mbufs, n);
	__atomic_store_n(&worker->tally.received, worker->tally.received + n, __ATOMIC_RELEASE);
}

// Every eighth queue is polled rarely, so that its ring overflows.
static bool is_due(struct queue *queue, uint16_t id) {
	if (id == __atomic_load_n(&neglected, __ATOMIC_RELAXED))
		return false;
	return id % 8 != 1 || run->even || queue->n_tries++ % RARELY == 0;
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
	__atomic_add_fetch(&n_parked, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&parked, __ATOMIC_ACQUIRE))
		usleep(50);
	__atomic_sub_fetch(&n_parked, 1, __ATOMIC_ACQ_REL);
}

static void *worker_main(void *arg) {
	struct worker *worker = arg;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		uint32_t first = random_next(&worker->random);

		if (__atomic_load_n(&parked, __ATOMIC_ACQUIRE))
			park();
		else
			for (uint32_t i = 0; i < run->n_queues; i++)
				queue_poll(worker, (first + i) % run->n_queues);
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
		workers[i].id = i;
		workers[i].random = i;
		memset(workers[i].type_of, 0, sizeof(workers[i].type_of));
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
			abort();
	}
	workers_park();
	workers_reset();
}

void workers_stop(void) {
	__atomic_store_n(&running, false, __ATOMIC_RELEASE);
	workers_resume();
	for (unsigned int i = 0; i < run->n_workers; i++)
		pthread_join(workers[i].thread, NULL);
}

void workers_park(void) {
	__atomic_store_n(&parked, true, __ATOMIC_RELEASE);
	while (__atomic_load_n(&n_parked, __ATOMIC_ACQUIRE) < run->n_workers)
		usleep(50);
}

void workers_resume(void) {
	__atomic_store_n(&parked, false, __ATOMIC_RELEASE);
	while (__atomic_load_n(&n_parked, __ATOMIC_ACQUIRE) > 0)
		usleep(50);
}

void workers_neglect(uint16_t queue) {
	__atomic_store_n(&neglected, queue, __ATOMIC_RELAXED);
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
	for (unsigned int i = 0; i < run->n_workers; i++) {
		memset(&workers[i].tally, 0, sizeof(workers[i].tally));
		memset(workers[i].flow_received, 0, sizeof(workers[i].flow_received));
	}
}

struct tally workers_tally(void) {
	struct tally sum = {0};

	for (unsigned int i = 0; i < run->n_workers; i++) {
		sum.received += workers[i].tally.received;
		sum.sent += workers[i].tally.sent;
		sum.amid += workers[i].tally.amid;
	}
	return sum;
}

uint64_t workers_received(void) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < run->n_workers; i++)
		n += __atomic_load_n(&workers[i].tally.received, __ATOMIC_ACQUIRE);
	return n;
}

uint32_t workers_flow_received(uint32_t flow) {
	uint32_t n = 0;

	for (unsigned int i = 0; i < run->n_workers; i++)
		n += workers[i].flow_received[flow];
	return n;
}

uint8_t workers_type_of(uint16_t ptype_id) {
	for (unsigned int i = 0; i < run->n_workers; i++)
		if (workers[i].type_of[ptype_id] != 0)
			return workers[i].type_of[ptype_id] - 1;
	return N_TYPES;
}
