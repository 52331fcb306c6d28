/* SPDX-License-Identifier: BSD-3-Clause */
// The data path; port.h says who may do what when.
//
// Order. Packets of one flow come from one lower Rx queue, in order, and go to one Rx queue.
// Between the two they pass one ring or, when the holder of the lower queue's lock finds packets
// for itself, go straight to the application. That would overtake packets which other holders put
// on the same ring before, so the holder empties its ring again once it has the lock, and keeps
// packets only if the ring is now empty and the application gave room for more; else they go to the
// ring's tail like any other.
//
// A full ring. With overflow=drop the rest of the queue's packets is freed and counted as missed.
// With overflow=wait it is held, and all packets for other queues go on: that keeps the order,
// since what was held is placed before anything else is read. A burst at most is held by a lower
// queue. A queue that nobody polls then stops the port, which is what "wait" asks for.
//
// Tx. Where several Tx queues share a lower one, a burst that finds it locked goes on its queue's
// own ring. Whoever comes next, on any Rx or Tx queue of the port, takes packets off the rings
// first, so that none is left behind when its sender falls silent.
#include "port.h"

#include <errno.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <rte_prefetch.h>
#include <rte_ring_peek.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define QUEUE_NONE UINT16_MAX // of a packet that a rule drops

int ddp_meta_off;
int ddp_rx_tsc_off;

// What one call of ddp_rx_burst() is about.
struct rx_call {
	struct ddp_rxq *queue;
	struct rte_mbuf **mbufs;
	unsigned int room;
	unsigned int got;
};

// Acquire: who sees it set also sees what was set up before.
static bool port_running(const struct ddp_port *port) {
	return __atomic_load_n(&port->running, __ATOMIC_ACQUIRE);
}

// The same of a queue.
static bool queue_started(const bool *started) {
	return __atomic_load_n(started, __ATOMIC_ACQUIRE);
}

// What all packets of a burst have in common.
struct rx_common {
	const struct ddp_steering *steering;
	uint64_t tsc;
	uint16_t port;
	int meta_off, tsc_off; // of the dynamic fields
};

#define FLAGS_OURS (RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID | RTE_MBUF_F_RX_RSS_HASH)

// Fill in all that the mbuf says about its packet. Returns its queue: 0 where it is not hashed.
static inline uint16_t packet_fill(const struct rx_common *common, const struct ddp_verdict *verdict,
				   uint32_t hash, struct rte_mbuf *mbuf) {
	struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, common->meta_off, struct rte_pmd_ddp_meta *);
	bool hashed = verdict->input_len > 0;

	meta->ptype_id = verdict->type_id;
	meta->inner_l3_off = verdict->inner_l3_off;
	meta->value = ddp_verdict_value(verdict, rte_pktmbuf_mtod(mbuf, const uint8_t *));
	*RTE_MBUF_DYNFIELD(mbuf, common->tsc_off, uint64_t *) = common->tsc;
	mbuf->port = common->port;
	mbuf->packet_type = verdict->packet_type;
	mbuf->ol_flags = (mbuf->ol_flags & ~FLAGS_OURS) | (hashed ? RTE_MBUF_F_RX_RSS_HASH : 0);
	mbuf->hash.rss = hashed ? hash : 0;
	return hashed ? common->steering->reta[hash & (DDP_RETA_SIZE - 1)] : 0;
}

// All packets share a verdict: what it says is looked at once.
static void one_fill(struct ddp_lower_rxq *lower, const struct rx_common *common,
		     struct ddp_batch *batch) {
	const struct ddp_verdict verdict = *lower->burst.verdict;

	for (unsigned int i = 0; i < batch->n; i++)
		batch->queues[i] =
			packet_fill(common, &verdict, lower->burst.hashes[i], batch->mbufs[i]);
	counter_add(&lower->types[verdict.type_id], batch->n);
}

static void many_fill(struct ddp_lower_rxq *lower, const struct rx_common *common,
		      struct ddp_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct ddp_verdict *verdict = lower->burst.verdicts[i];

		batch->queues[i] =
			packet_fill(common, verdict, lower->burst.hashes[i], batch->mbufs[i]);
		counter_add(&lower->types[verdict->type_id], 1);
	}
}

// What an rte_flow rule says becomes of a packet that would go to queue. Returns where it goes.
static inline uint16_t rule_apply(const struct ddp_lower_rxq *lower,
				  const struct ddp_flow_action *action, struct rte_mbuf *mbuf,
				  uint16_t queue) {
	bool hashed = (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;

	if (action->counts != NULL) {
		counter_add(&action->counts[lower->id].packets, 1);
		counter_add(&action->counts[lower->id].bytes, rte_pktmbuf_pkt_len(mbuf));
	}
	if (action->flags != 0) {
		mbuf->ol_flags |= action->flags;
		mbuf->hash.fdir.hi = action->mark; // beside hash.rss
	}
	if (action->fate == DDP_FLOW_DROP)
		return QUEUE_NONE;
	if (action->fate == DDP_FLOW_QUEUES)
		return action->queues[hashed ? mbuf->hash.rss % action->n_queues : 0];
	return queue;
}

// The rules' part, for a port that has some. What they drop leaves the batch.
static void rules_apply(struct ddp_lower_rxq *lower, const struct ddp_flows *flows,
			struct ddp_batch *batch) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < batch->n; i++) {
		struct rte_mbuf *mbuf = batch->mbufs[i];
		int32_t rule = lower->burst.steer[i];
		uint16_t queue = batch->queues[i];

		if (rule >= 0)
			queue = rule_apply(lower, &flows->actions[rule], mbuf, queue);
		if (queue == QUEUE_NONE) {
			counter_add(&lower->rule_dropped, 1);
			rte_pktmbuf_free(mbuf);
			continue;
		}
		batch->queues[n] = queue;
		batch->mbufs[n++] = mbuf;
	}
	batch->n = n;
}

static void ring_drain(struct rte_ring *ring, struct rx_call *call) {
	call->got += rte_ring_sc_dequeue_burst(ring, (void **)&call->mbufs[call->got],
					       call->room - call->got, NULL);
}

// Give packets straight to the caller, if it may have them. Returns how many.
static unsigned int run_keep(const struct rte_ring *ring, struct rte_mbuf **run, unsigned int n,
			     struct rx_call *call) {
	if (!rte_ring_empty(ring))
		return 0;
	n = RTE_MIN(n, call->room - call->got);
	memcpy(&call->mbufs[call->got], run, n * sizeof(*run));
	call->got += n;
	return n;
}

static void run_drop(struct ddp_lower_rxq *lower, uint16_t queue, struct rte_mbuf **run,
		     unsigned int n) {
	counter_add(&lower->missed[queue], n);
	rte_pktmbuf_free_bulk(run, n);
}

static void run_hold(struct ddp_lower_rxq *lower, uint16_t queue, struct rte_mbuf **run,
		     unsigned int n) {
	struct ddp_batch *held = &lower->held;

	for (unsigned int i = 0; i < n; i++) {
		held->queues[held->n] = queue;
		held->mbufs[held->n] = run[i];
		held->n++;
	}
}

// Place a run of packets for one queue.
static void run_place(struct ddp_lower_rxq *lower, uint16_t queue, struct rte_mbuf **run,
		      unsigned int n, struct rx_call *call) {
	struct rte_ring *ring = lower->rings[queue];
	unsigned int n_placed = 0;

	if (ring == NULL) { // the queue is stopped
		run_drop(lower, queue, run, n);
		return;
	}
	if (queue == call->queue->id)
		n_placed = run_keep(ring, run, n, call);
	if (n_placed < n)
		n_placed += rte_ring_sp_enqueue_burst(ring, (void *const *)&run[n_placed],
						      n - n_placed, NULL);
	if (n_placed == n)
		return;
	if (call->queue->port->overflow == DDP_OVERFLOW_DROP)
		run_drop(lower, queue, &run[n_placed], n - n_placed);
	else
		run_hold(lower, queue, &run[n_placed], n - n_placed);
}

// Which packets of a batch go to a queue: bit i for packet i. Bits of packets that it has not are any.
static inline uint64_t batch_same(const struct ddp_batch *batch, uint8_t queue) {
	uint64_t same = 0;

#ifdef __SSE2__
	for (unsigned int i = 0; i < DDP_PORT_BURST; i += sizeof(__m128i)) {
		__m128i queues = _mm_load_si128((const __m128i *)&batch->queues[i]);
		unsigned int equal =
			_mm_movemask_epi8(_mm_cmpeq_epi8(queues, _mm_set1_epi8((char)queue)));

		same |= (uint64_t)equal << i;
	}
#else
	for (unsigned int i = 0; i < DDP_PORT_BURST; i++)
		same |= (uint64_t)(batch->queues[i] == queue) << i;
#endif
	return same;
}

// Sort packets into runs of one queue each, and place these. Looking for each queue's packets in one go is
// faster than counting them: a counter in memory makes each packet wait for the one before.
static void batch_place(struct ddp_lower_rxq *lower, struct ddp_batch *batch, struct rx_call *call) {
	uint64_t left = batch->n > 0 ? UINT64_MAX >> (64 - batch->n) : 0;
	struct rte_mbuf *mbufs[DDP_PORT_BURST];

	while (left != 0) {
		uint8_t queue = batch->queues[__builtin_ctzll(left)];
		uint64_t run = batch_same(batch, queue) & left;
		unsigned int n = 0;

		left &= ~run;
		if (left == 0 && (run & 1) != 0) { // all of the batch
			run_place(lower, queue, batch->mbufs, batch->n, call);
			return;
		}
		for (; run != 0; run &= run - 1)
			mbufs[n++] = batch->mbufs[__builtin_ctzll(run)];
		run_place(lower, queue, mbufs, n, call);
	}
}

// Try again to place what was held. Returns whether all is placed.
static bool held_place(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;

	if (lower->held.n == 0)
		return true;
	batch = lower->held;
	lower->held.n = 0;
	batch_place(lower, &batch, call);
	return lower->held.n == 0;
}

// The first bytes that classifying looks at, of most packets all.
static inline void packet_prefetch(const struct rte_mbuf *mbuf) {
	const uint8_t *data = rte_pktmbuf_mtod(mbuf, const uint8_t *);

	rte_prefetch0(data);
	rte_prefetch0(data + RTE_CACHE_LINE_SIZE);
}

// Read a burst and fill in everything but where it goes. Returns the number of packets, those that a
// rule drops included.
static unsigned int batch_read(struct ddp_lower_rxq *lower, const struct ddp_port *port,
			       struct ddp_batch *batch) {
	const struct ddp_steering *steering = lower->steering;
	unsigned int n =
		rte_eth_rx_burst(port->lower.port_id, lower->id, batch->mbufs, DDP_PORT_BURST);
	const struct rx_common common = {
		.steering = steering,
		.tsc = rte_rdtsc(),
		.port = port->id,
		.meta_off = ddp_meta_off,
		.tsc_off = ddp_rx_tsc_off,
	};

	batch->n = n;
	if (n == 0)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		packet_prefetch(batch->mbufs[i]);
	counter_add(&lower->taken, n);
	ddp_cache_run(lower->cache, &steering->policy, &steering->hash, batch->mbufs, n,
		      &lower->burst);
	if (lower->burst.verdict != NULL)
		one_fill(lower, &common, batch);
	else
		many_fill(lower, &common, batch);
	if (steering->flows != NULL)
		rules_apply(lower, steering->flows, batch);
	return n;
}

// Take packets from a lower queue, whose lock is held. Returns how many were read.
static unsigned int lower_take(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;
	unsigned int n;

	ring_drain(lower->rings[call->queue->id], call);
	if (!held_place(lower, call) || call->got == call->room)
		return 0;
	n = batch_read(lower, call->queue->port, &batch);
	if (batch.n > 0)
		batch_place(lower, &batch, call);
	return n;
}

// Not while the control path waits for the lock: its turn would never come.
static bool lower_trylock(rte_spinlock_t *lock, const bool *wanted) {
	return !__atomic_load_n(wanted, __ATOMIC_RELAXED) && rte_spinlock_trylock(lock);
}

static struct ddp_lower_rxq *lower_nth(const struct ddp_rxq *queue, unsigned int i) {
	unsigned int n = queue->next + i;

	if (n >= queue->port->n_lower_rxqs)
		n -= queue->port->n_lower_rxqs;
	return &queue->port->lower_rxqs[n];
}

// First what waits on the rings, then a burst of the first lower queue that is free and has one.
static void rx(struct rx_call *call) {
	struct ddp_rxq *queue = call->queue;
	unsigned int n_lower = queue->port->n_lower_rxqs;

	for (unsigned int i = 0; i < n_lower && call->got < call->room; i++)
		ring_drain(lower_nth(queue, i)->rings[queue->id], call);
	for (unsigned int i = 0; i < n_lower && call->got < call->room; i++) {
		struct ddp_lower_rxq *lower = lower_nth(queue, i);
		unsigned int n_read;

		if (!lower_trylock(&lower->lock, &lower->wanted))
			continue;
		n_read = lower_take(lower, call);
		rte_spinlock_unlock(&lower->lock);
		if (n_read > 0)
			break;
	}
	queue->next = queue->next + 1u < n_lower ? queue->next + 1 : 0;
}

static void rx_count(struct rx_call *call) {
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < call->got; i++)
		bytes += rte_pktmbuf_pkt_len(call->mbufs[i]);
	counter_add(&call->queue->packets, call->got);
	counter_add(&call->queue->bytes, bytes);
}

// Send packets of a Tx queue. The lower queue is locked, or nobody else's. Returns how many it
// took.
static unsigned int lower_send(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	uint64_t bytes = 0;
	unsigned int n_sent;

	for (unsigned int i = 0; i < n; i++)
		bytes += rte_pktmbuf_pkt_len(mbufs[i]);
	n_sent = rte_eth_tx_burst(queue->port->lower.port_id, queue->lower->id, mbufs, n);
	for (unsigned int i = n_sent; i < n; i++)
		bytes -= rte_pktmbuf_pkt_len(mbufs[i]);
	counter_add(&queue->packets, n_sent);
	counter_add(&queue->bytes, bytes);
	return n_sent;
}

bool ddp_tx_ring_flush(struct ddp_txq *queue) {
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
	unsigned int left =
		rte_ring_count(queue->ring); // more may come: they are not for us to wait for

	while (left > 0) {
		unsigned int n = rte_ring_dequeue_burst_start(queue->ring, (void **)mbufs,
							      RTE_MIN(left, DDP_PORT_BURST), NULL);
		unsigned int n_sent = lower_send(queue, mbufs, n);

		rte_ring_dequeue_finish(queue->ring, n_sent);
		if (n_sent < n)
			return false;
		left -= n;
	}
	return true;
}

// Send what is on the rings of all Tx queues that use a lower one, which is locked; first is
// flushed first.
static void lower_flush(struct ddp_port *port, struct ddp_lower_txq *lower, uint16_t first) {
	uint16_t t = first;

	// Cleared before the rings are looked at: what is added from now on sets it again.
	if (!__atomic_exchange_n(&lower->waiting, false, __ATOMIC_ACQ_REL))
		return;
	do {
		if (!ddp_tx_ring_flush(&port->txqs[t])) {
			__atomic_store_n(&lower->waiting, true, __ATOMIC_RELEASE);
			lower->next = t;
			return;
		}
		t += port->n_lower_txqs;
		if (t >= port->n_txqs)
			t = lower->id;
	} while (t != first);
}

void ddp_tx_flush(struct ddp_port *port) {
	if (!port->tx_shared)
		return;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++) {
		struct ddp_lower_txq *lower = &port->lower_txqs[i];

		if (!__atomic_load_n(&lower->waiting, __ATOMIC_RELAXED) ||
		    !lower_trylock(&lower->lock, &lower->wanted))
			continue;
		lower_flush(port, lower, lower->next);
		rte_spinlock_unlock(&lower->lock);
	}
}

static unsigned int ring_add(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	n = rte_ring_sp_enqueue_burst(queue->ring, (void *const *)mbufs, n, NULL);
	__atomic_store_n(&queue->lower->waiting, true, __ATOMIC_RELEASE);
	return n;
}

static unsigned int tx_shared(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	struct ddp_lower_txq *lower = queue->lower;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return ring_add(queue, mbufs, n);
	lower_flush(queue->port, lower, queue->id);
	if (rte_ring_empty(queue->ring))
		n = lower_send(queue, mbufs, n);
	else
		n = ring_add(queue, mbufs, n);
	rte_spinlock_unlock(&lower->lock);
	return n;
}

uint16_t ddp_rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_rxq *queue = rxq;
	struct rx_call call = {.queue = queue, .mbufs = mbufs, .room = n};

	if (!rte_spinlock_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port)) {
		rx(&call);
		rx_count(&call);
		ddp_tx_flush(queue->port);
	}
	rte_spinlock_unlock(&queue->busy);
	return call.got;
}

uint16_t ddp_tx_burst(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_txq *queue = txq;
	unsigned int n_taken = 0;

	if (!rte_spinlock_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port)) {
		if (queue->lower->shared)
			n_taken = tx_shared(queue, mbufs, n);
		else
			n_taken = lower_send(queue, mbufs, n);
		ddp_tx_flush(queue->port);
	}
	rte_spinlock_unlock(&queue->busy);
	return n_taken;
}

uint16_t ddp_tx_prepare(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_txq *queue = txq;
	unsigned int n_good = 0;

	rte_errno = ENODEV;
	if (!rte_spinlock_trylock(&queue->busy))
		return 0;
	if (port_running(queue->port))
		n_good = rte_eth_tx_prepare(queue->port->lower.port_id, queue->lower->id, mbufs, n);
	rte_spinlock_unlock(&queue->busy);
	return n_good;
}

uint32_t ddp_rx_queue_count(void *rxq) {
	struct ddp_rxq *queue = rxq;
	unsigned int n = 0;

	if (!rte_spinlock_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port))
		for (unsigned int i = 0; i < queue->port->n_lower_rxqs; i++)
			n += rte_ring_count(queue->port->lower_rxqs[i].rings[queue->id]);
	rte_spinlock_unlock(&queue->busy);
	return n;
}

// Packets wait in the first descriptors, as if the queue were one ring.
int ddp_rx_descriptor_status(void *rxq, uint16_t off) {
	const struct ddp_rxq *queue = rxq;

	if (off >= queue->n_desc)
		return -EINVAL;
	return off < ddp_rx_queue_count(rxq) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

int ddp_tx_descriptor_status(void *txq, uint16_t off) {
	struct ddp_txq *queue = txq;
	unsigned int n = 0;

	if (off >= queue->n_desc)
		return -EINVAL;
	if (!rte_spinlock_trylock(&queue->busy))
		return RTE_ETH_TX_DESC_FULL;
	if (port_running(queue->port) && queue->ring != NULL)
		n = rte_ring_count(queue->ring);
	rte_spinlock_unlock(&queue->busy);
	return off < n ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE;
}
