/* SPDX-License-Identifier: BSD-3-Clause */
// The Rx burst; state/port.h documents locks and threads.
//
// Order. Packets of one flow come from one lower Rx queue, in order, and go to one Rx queue until
// the steering changes, which order.h is about. Between the two they pass one ring or, if the
// holder of the lower queue's lock finds packets for its own queue, go directly to the application.
// That would overtake packets which other holders put on the same ring before. So the holder takes
// packets directly only if its ring is empty and the application has room for the burst; otherwise
// they go to the tail of the ring. The rings are read last: then one call reads them once.
//
// A full ring. With overflow=drop a packet that does not fit is freed and counted as missed
// (imissed). With overflow=wait the lower queue holds the packet, and all packets after it for the
// same queue; packets for other queues go on. This keeps the order, because held packets are placed
// before anything else is read. A lower queue holds one burst at most. A queue that is not
// polled then stops the port, as overflow=wait demands.
#include "port/run/burst.h"
#include "port/run/ring.h"

#define BYPASS_CALLS 255     // burst calls between two polls of other lower queues
#define OTHERS_CALLS 7       // burst calls after a poll of others that found packets
#define OTHERS_MAX 8         // lower queues: the most that one call polls
#define LEFT_PER_SECOND 1000 // 1/s: a queue has left its lower queue after 1 ms without a poll

int ddp_meta_off;
int ddp_rx_tsc_off;
struct ddp_poll_times ddp_poll_times[RTE_MAX_LCORE];

// One call of ddp_rx_burst().
struct rx_call {
	struct ddp_rxq *queue;
	struct rte_mbuf **mbufs;
	unsigned int room;
	unsigned int got;
	uint64_t bytes; // of these
};

static void ring_drain(struct ddp_ring *ring, struct rx_call *call) {
	call->got +=
		ddp_ring_take(ring, &call->mbufs[call->got], call->room - call->got, &call->bytes);
}

static __attribute__((noinline)) void rest_place(struct ddp_lower_rxq *lower,
						 const struct ddp_batch *batch, unsigned int i,
						 enum ddp_overflow overflow) {
	struct ddp_batch *held = &lower->held;

	for (; i < batch->n; i++) {
		uint8_t queue = batch->queues[i];
		struct ddp_ring *ring = lower->rings[queue];

		if (ring != NULL &&
		    (held->n == 0 || memchr(held->queues, queue, held->n) == NULL) &&
		    ddp_ring_has_room(ring)) {
			ddp_ring_put(ring, batch->mbufs[i]);
		} else if (ring == NULL || overflow == DDP_OVERFLOW_DROP) { // NULL: it is stopped
			counter_add(&lower->missed[queue], 1);
			rte_pktmbuf_free(batch->mbufs[i]);
		} else {
			RTE_ASSERT(held->n < DDP_PORT_BURST);
			held->queues[held->n] = queue;
			held->mbufs[held->n++] = batch->mbufs[i];
		}
	}
}

static inline bool packet_place(const struct ddp_lower_rxq *lower, uint8_t queue,
				struct rte_mbuf *mbuf) {
	struct ddp_ring *ring = lower->rings[queue];

	if (unlikely(ring == NULL || !ddp_ring_has_room(ring)))
		return false;
	ddp_ring_put(ring, mbuf);
	return true;
}

static void batch_place(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			enum ddp_overflow overflow) {
	unsigned int i = 0;

	while (i < batch->n && packet_place(lower, batch->queues[i], batch->mbufs[i]))
		i++;
	rest_place(lower, batch, i, overflow);
}

// Replaces the caller's ring, so that its packets go directly to the caller.
struct direct {
	struct ddp_ring *replaced; // NULL: the packets go to the caller's ring
	struct ddp_ring ring;
};

// Call this before up to n packets are placed. The caller gets its own packets directly if it has
// room for all of them and its ring is empty.
static void placing_begin(struct ddp_lower_rxq *lower, const struct rx_call *call, unsigned int n,
			  struct direct *direct) {
	struct ddp_ring **own = &lower->rings[call->queue->id];

	RTE_ASSERT(call->got <= call->room && *own != NULL);
	direct->replaced = NULL;
	if (call->room - call->got < n || ddp_ring_count(*own) > 0)
		return;
	direct->replaced = *own;
	direct->ring.mbufs = &call->mbufs[call->got];
	direct->ring.mask = UINT32_MAX;
	direct->ring.next = 0;
	direct->ring.limit = UINT32_MAX;
	*own = &direct->ring;
}

// If there are no more rings than packets, it is cheaper to publish all of them.
static inline bool all_are_published(const struct ddp_batch *batch, unsigned int n_rings) {
	return n_rings <= batch->n;
}

static void rings_publish(const struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			  unsigned int n_rings) {
	bool all = all_are_published(batch, n_rings);
	unsigned int n = all ? n_rings : batch->n;

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_ring *ring = lower->rings[all ? i : batch->queues[i]];

		if (likely(ring != NULL))
			ddp_ring_publish(ring);
	}
}

// Must queues be notified of packets on their rings?
static inline bool queues_are_notified(const struct ddp_lower_rxq *lower,
				       const struct ddp_port *port) {
	return lower_bypasses(lower) || port->rx_intr;
}

static __attribute__((noinline)) void queues_notify(const struct ddp_batch *batch,
						    const struct rx_call *call, bool direct) {
	struct ddp_port *port = call->queue->port;

	if (port->rx_intr)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < batch->n; i++) {
		struct ddp_rxq *queue = &port->rxqs[batch->queues[i]];

		if (direct && queue == call->queue)
			continue;
		__atomic_store_n(&queue->waiting, true, __ATOMIC_RELEASE);
		if (port->rx_intr)
			queue_wake(queue);
	}
}

static void placing_end(struct ddp_lower_rxq *lower, const struct ddp_batch *batch,
			struct rx_call *call, struct direct *direct) {
	struct ddp_ring **own = &lower->rings[call->queue->id];

	rings_publish(lower, batch, call->queue->port->n_rxqs);
	if (unlikely(queues_are_notified(lower, call->queue->port)))
		queues_notify(batch, call, direct->replaced != NULL);
	if (direct->replaced == NULL)
		return;
	call->got += (uint32_t)direct->ring.next;
	call->bytes += direct->ring.next >> 32;
	*own = direct->replaced;
}

static bool held_place(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;
	struct direct direct;

	if (lower->held.n == 0)
		return true;
	batch = lower->held;
	lower->held.n = 0;
	placing_begin(lower, call, batch.n, &direct);
	batch_place(lower, &batch, call->queue->port->overflow);
	placing_end(lower, &batch, call, &direct);
	return lower->held.n == 0;
}

// Fill the mbufs from packet i on, which all share one verdict, with a hash: of a cache entry, or
// the lower device's (own). on_rings: also put them on their rings, up to the first one that does
// not fit. Returns the index of that one.
static inline __attribute__((always_inline)) unsigned int
one_fill(const struct ddp_lower_rxq *lower, struct rx_common common, struct ddp_batch *batch,
	 size_t i, const bool own, const bool on_rings) {
	const struct ddp_verdict verdict = *lower->burst.verdict;
	const size_t n = batch->n;

	for (; i < n; i++) {
		struct rte_mbuf *mbuf = batch->mbufs[i];
		uint16_t queue = packet_fill(&common, true, &verdict, true, own,
					     lower->burst.hashes[i], mbuf);

		if (on_rings && unlikely(!packet_place(lower, queue, mbuf)))
			break;
	}
	return i;
}

// Not inlined, so that its variables fit into registers.
static __attribute__((noinline)) unsigned int one_fill_placing(const struct ddp_lower_rxq *lower,
							       const struct rx_common *common,
							       struct ddp_batch *batch) {
	return one_fill(lower, *common, batch, 0, false, true);
}

static __attribute__((noinline)) unsigned int hw_fill_placing(const struct ddp_lower_rxq *lower,
							      const struct rx_common *common,
							      struct ddp_batch *batch) {
	return one_fill(lower, *common, batch, 0, true, true);
}

// Most bursts: one path or one type of the lower device, no rules. record: for placing_end().
static void one_place(struct ddp_lower_rxq *lower, const struct rx_common *common,
		      struct ddp_batch *batch, enum ddp_overflow overflow, bool record) {
	const bool own = lower->burst.verdict->own;
	unsigned int i;

	counter_add(&lower->types[lower->burst.verdict->type_id], batch->n);
	i = unlikely(own) ? hw_fill_placing(lower, common, batch) :
			    one_fill_placing(lower, common, batch);
	if (likely(i == batch->n && !record))
		return;
	one_fill(lower, *common, batch, i, own, false);
	// The mbufs are ours until the rings are published or packets are dropped.
	for (unsigned int k = 0; k < batch->n; k++)
		batch->queues[k] = queue_of(common->steering, batch->mbufs[k]->hash.rss);
	rest_place(lower, batch, i, overflow);
}

// While packets wait for queues to be done with those before a change.
static __attribute__((noinline)) void ordered_place(struct ddp_lower_rxq *lower,
						    const struct rx_common *common,
						    const struct ddp_port *port,
						    struct ddp_batch *batch) {
	ddp_order_park(lower, batch, ddp_rx_fill(lower, common, port, batch));
	batch_place(lower, batch, port->overflow);
}

// Distribute packets that were read from a lower queue, whose lock is held.
static inline __attribute__((always_inline)) void
batch_take(struct ddp_lower_rxq *lower, struct rx_call *call, struct ddp_batch *batch) {
	const struct ddp_port *port = call->queue->port;
	const struct ddp_verdict *verdict;
	struct rx_common common;
	struct direct direct;
	bool record;

	common_fill(lower, port, &common);
	ddp_rx_read(lower, batch);
	verdict = lower->burst.verdict;
	record = !all_are_published(batch, port->n_rxqs) ||
		 unlikely(queues_are_notified(lower, port));
	placing_begin(lower, call, batch->n, &direct);
	if (unlikely(lower->order != DDP_ORDER_NONE)) {
		ordered_place(lower, &common, port, batch);
	} else if (verdict != NULL && verdict->input_len > 0 &&
		   (common.steering->flows == NULL || verdict->own) && dynfields_pair(&common) &&
		   likely(!port->rx_extras)) {
		one_place(lower, &common, batch, port->overflow, record);
	} else {
		ddp_rx_fill(lower, &common, port, batch);
		batch_place(lower, batch, port->overflow);
	}
	placing_end(lower, batch, call, &direct);
}

// Has the ring enough for the caller, or no room for a burst? Then its packets are taken first, and
// the queue returns to the bypass also under full load.
static inline bool call_is_full(const struct ddp_lower_rxq *lower, const struct rx_call *call) {
	const struct ddp_ring *own = lower->rings[call->queue->id];
	const unsigned int n = ddp_ring_count(own);

	return call->got + n >= call->room || (n > 0 && n + DDP_PORT_BURST > own->size);
}

// Take packets from a lower queue, whose lock is held. Returns whether any were read.
static bool lower_take(struct ddp_lower_rxq *lower, struct rx_call *call) {
	struct ddp_batch batch;

	RTE_ASSERT(rte_spinlock_is_locked(&lower->lock));
	if (!held_place(lower, call) || call_is_full(lower, call))
		return false;
	if (unlikely(lower->order != DDP_ORDER_NONE) &&
	    (!ddp_order_run(lower) || call_is_full(lower, call)))
		return false;
	batch.n = rte_eth_rx_burst(lower->port_id, lower->id, batch.mbufs, DDP_PORT_BURST);
	if (batch.n == 0)
		return false;
	batch_take(lower, call, &batch);
	return true;
}

static uint16_t lower_after(const struct ddp_rxq *queue, uint16_t id) {
	return id + 1u < queue->port->n_lower_rxqs ? id + 1 : 0;
}

static struct ddp_lower_rxq *lower_nth(const struct ddp_rxq *queue, unsigned int i) {
	unsigned int n = queue->next + i;

	if (n >= queue->port->n_lower_rxqs)
		n -= queue->port->n_lower_rxqs;
	return &queue->port->lower_rxqs[n];
}

static void rings_drain(struct rx_call *call) {
	unsigned int n_lower = call->queue->port->n_lower_rxqs;

	for (unsigned int i = 0; i < n_lower && call->got < call->room; i++)
		ring_drain(lower_nth(call->queue, i)->rings[call->queue->id], call);
}

static unsigned int rings_count(const struct ddp_rxq *queue) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < queue->port->n_lower_rxqs; i++)
		n += ddp_ring_count(queue->port->lower_rxqs[i].rings[queue->id]);
	return n;
}

static bool lower_try(struct ddp_lower_rxq *lower, struct rx_call *call) {
	bool any;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return false;
	any = lower_take(lower, call);
	ddp_unlock(&lower->lock);
	return any;
}

// Has the queue of this number left its lower queue? Until it has, others must not read there:
// if all packets are for that queue, they would fill its ring as fast as it takes them, and no
// packet would bypass the ring again.
static bool lower_is_left(struct ddp_lower_rxq *lower, const struct ddp_port *port) {
	const uint32_t polls = __atomic_load_n(&port->rxqs[lower->id].polls, __ATOMIC_RELAXED);
	const uint64_t now = rte_rdtsc();

	if (__atomic_exchange_n(&lower->seen, polls, __ATOMIC_RELAXED) == polls)
		return now >= __atomic_load_n(&lower->left_until, __ATOMIC_RELAXED);
	__atomic_store_n(&lower->left_until, now + rte_get_tsc_hz() / LEFT_PER_SECOND,
			 __ATOMIC_RELAXED);
	return false;
}

// Read a burst from a lower queue whose own queue is not polled. Returns whether there was one.
static bool others_rx(struct rx_call *call) {
	struct ddp_rxq *queue = call->queue;
	unsigned int n = RTE_MIN(queue->port->n_lower_rxqs, OTHERS_MAX);

	for (unsigned int i = 0; i < n && call->got < call->room; i++) {
		struct ddp_lower_rxq *lower = &queue->port->lower_rxqs[queue->next_other];

		queue->next_other = lower_after(queue, queue->next_other);
		if (lower_is_left(lower, queue->port) && lower_try(lower, call))
			return true;
	}
	return false;
}

// Read a burst of the own lower queue, and from time to time first one of another, because its own
// queue may not be polled. A burst that finds packets from the rings before it has no room and
// would go on a ring, as would the next one: it is left for the next call.
static void lowers_rx(struct rx_call *call, struct ddp_lower_rxq *own) {
	struct ddp_rxq *queue = call->queue;

	if (queue->bypass_left == 0)
		queue->bypass_left = others_rx(call) ? OTHERS_CALLS : BYPASS_CALLS;
	else
		queue->bypass_left--;
	if (call->got == 0 || call->room - call->got >= DDP_PORT_BURST)
		lower_try(own, call);
}

// Take packets from the rings and from lower queues, in turn first, so that none starves.
static void own_rx(struct rx_call *call, struct ddp_lower_rxq *own) {
	struct ddp_rxq *queue = call->queue;

	(void)__atomic_exchange_n(&queue->waiting, false,
				  __ATOMIC_ACQ_REL); // before the rings are read
	queue->lower_first = !queue->lower_first;
	// Not in each call: with an even number of rings some would never be the first.
	if (queue->lower_first)
		lowers_rx(call, own);
	else
		queue->next = lower_after(queue, queue->next);
	rings_drain(call);
	if (call->got == call->room) // more may be waiting
		__atomic_store_n(&queue->waiting, true, __ATOMIC_RELEASE);
	else if (!queue->lower_first) {
		lowers_rx(call, own);
		rings_drain(call);
	}
}

// Take a burst from the first lower queue that is not locked and has one, unless the rings have
// enough packets. Then take packets from the rings. With several rings one is read before, in turn,
// or bursts of other lower queues could keep its packets waiting.
static void rx(struct rx_call *call) {
	struct ddp_rxq *queue = call->queue;
	unsigned int n_lower = queue->port->n_lower_rxqs;

	if (n_lower > 1)
		ring_drain(lower_nth(queue, 0)->rings[queue->id], call);
	if (call->got + rings_count(queue) < call->room)
		for (unsigned int i = 0; i < n_lower && call->got < call->room; i++)
			if (lower_try(lower_nth(queue, i), call))
				break;
	rings_drain(call);
	queue->next = lower_after(queue, queue->next);
}

// This uses the caller's ring, which a count of waiting packets may be reading. Without the busy
// lock all go on the rings, for the next call.
uint16_t ddp_rx_fallback(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
			 struct rte_mbuf **mbufs, unsigned int n) {
	bool busy = ddp_trylock(&queue->busy);
	struct rx_call call = {.queue = queue, .mbufs = mbufs, .room = busy ? n : 0};
	struct ddp_batch batch = {.n = n};

	RTE_ASSERT(n <= DDP_PORT_BURST && rte_spinlock_is_locked(&lower->lock));
	memcpy(batch.mbufs, mbufs, n * sizeof(*mbufs));
	batch_take(lower, &call, &batch);
	if (busy)
		ring_drain(lower->rings[queue->id], &call);
	counter_add(&queue->packets, call.got);
	counter_add(&queue->bytes, call.bytes);
	if (busy)
		ddp_unlock(&queue->busy);
	return call.got;
}

uint16_t ddp_rx_any(struct ddp_rxq *queue, struct ddp_lower_rxq *own, struct rte_mbuf **mbufs,
		    uint16_t n) {
	struct rx_call call = {.queue = queue, .mbufs = mbufs, .room = n};

	if (!ddp_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port)) {
		poll_begin(queue);
		if (own != NULL)
			own_rx(&call, own);
		else
			rx(&call);
		poll_end(queue, call.got);
		counter_add(&queue->packets, call.got);
		counter_add(&queue->bytes, call.bytes);
		if (unlikely(queue->port->tx_shared))
			ddp_tx_flush(queue->port);
	}
	ddp_unlock(&queue->busy);
	return call.got;
}

uint16_t ddp_rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_rxq *queue = rxq;
	struct ddp_lower_rxq *own = __atomic_load_n(&queue->own, __ATOMIC_RELAXED);

	return unlikely(own != NULL) ? ddp_rx_bypass(queue, own, mbufs, n) :
				       ddp_rx_any(queue, NULL, mbufs, n);
}

/* Waiting packets */

// The packets that wait on a lower queue. 0 if it cannot count them, or is in use.
static unsigned int lower_count(struct ddp_lower_rxq *lower, bool bypassing) {
	int n = 0;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return 0;
	if (!bypassing || lower_bypasses(lower))
		n = rte_eth_rx_queue_count(lower->port_id, lower->id);
	ddp_unlock(&lower->lock);
	return RTE_MAX(n, 0);
}

// Packets that wait on lower queues for this queue alone: bypassing ones, or all of an only queue.
static unsigned int lowers_count(struct ddp_rxq *queue) {
	struct ddp_lower_rxq *own = __atomic_load_n(&queue->own, __ATOMIC_RELAXED);
	const struct ddp_port *port = queue->port;
	unsigned int n = 0;

	if (port->n_rxqs > 1)
		return own != NULL ? lower_count(own, true) : 0;
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		n += lower_count(&port->lower_rxqs[i], false);
	return n;
}

dpdk_queue_count_t ddp_rx_queue_count(void *rxq) {
	struct ddp_rxq *queue = rxq;
	unsigned int n = 0;

	if (!ddp_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port))
		n = rings_count(queue) + lowers_count(queue);
	ddp_unlock(&queue->busy);
	return n;
}

// Waiting packets fill the first descriptors, as if the queue were one ring.
int ddp_rx_descriptor_status(void *rxq, uint16_t off) {
	const struct ddp_rxq *queue = rxq;

	if (off >= queue->n_desc)
		return -EINVAL;
	return off < ddp_rx_queue_count(rxq) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}
