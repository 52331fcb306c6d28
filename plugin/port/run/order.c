/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/run/order.h"
#include "port/run/burst.h"
#include "port/run/ring.h"

static_assert(DDP_ORDER_SLOTS % DDP_PORT_BURST == 0 &&
		      (DDP_ORDER_SLOTS & (DDP_ORDER_SLOTS - 1)) == 0,
	      "positions are masked");
static_assert(DDP_PORT_BURST <= 32, "packets of a burst are bits of a word");

static inline struct ddp_order_slot *slot_at(struct ddp_order *order, uint32_t position) {
	return &order->slots[position & (DDP_ORDER_SLOTS - 1)];
}

static uint32_t polls_read(const struct ddp_rxq *queue) {
	return __atomic_load_n(&queue->polls, __ATOMIC_ACQUIRE);
}

/* Waiting for queues */

// The state of a queue that a change waits for. The ring first: a poll is marked before it takes.
static enum ddp_order_queue queue_state(struct ddp_order *order, const struct ddp_lower_rxq *lower,
					uint16_t id) {
	const struct ddp_rxq *queue = &lower->port->rxqs[id];
	const struct ddp_ring *ring = lower->rings[id];
	uint32_t polls;

	if (ring == NULL)
		return DDP_ORDER_DONE;
	if (order->queues[id] == DDP_ORDER_HANDED)
		return polls_read(queue) == order->polls[id] ? DDP_ORDER_HANDED : DDP_ORDER_DONE;
	if ((int32_t)(__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - order->marks[id]) < 0)
		return DDP_ORDER_QUEUED;
	polls = polls_read(queue);
	order->polls[id] = polls;
	return (polls & 1) != 0 ? DDP_ORDER_HANDED : DDP_ORDER_DONE;
}

// Wait for the packets that a queue has now; a move, which can be given up, also for absent queues.
static void queue_mark(struct ddp_order *order, const struct ddp_lower_rxq *lower, uint16_t id) {
	const struct ddp_rxq *queue = &lower->port->rxqs[id];
	const bool absent = __atomic_load_n(&queue->absent, __ATOMIC_RELAXED) == polls_read(queue);
	const struct ddp_ring *ring = lower->rings[id];

	RTE_ASSERT(id < lower->port->n_rxqs);
	order->queues[id] = DDP_ORDER_QUEUED;
	if (ring != NULL)
		order->marks[id] = ring->next;
	order->queues[id] =
		absent && !order->returns ? DDP_ORDER_DONE : queue_state(order, lower, id);
	if (order->queues[id] != DDP_ORDER_DONE)
		order->waits[order->n_waits++] = id;
}

static void queues_mark(struct ddp_order *order, const struct ddp_lower_rxq *lower) {
	bool needed[DDP_PORT_QUEUES] = {false};

	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		if (order->entries[i] == DDP_ORDER_LEAVES)
			needed[order->from[i]] = true;
	order->n_waits = 0;
	for (unsigned int i = 0; i < lower->port->n_rxqs; i++)
		if (lower->order == DDP_ORDER_ALL || needed[i])
			queue_mark(order, lower, i);
		else
			order->queues[i] = DDP_ORDER_DONE;
	order->marked = true;
	order->release = true;
}

static void wait_begin(struct ddp_order *order, uint64_t end) {
	order->began = rte_rdtsc();
	order->end = end;
}

static void entries_clear(struct ddp_order *order) {
	memset(order->entries, DDP_ORDER_STAYS, sizeof(order->entries));
	order->n_entries = order->n_returned = 0;
}

static uint64_t wait_end(uint64_t us) {
	return rte_rdtsc() + us * (rte_get_tsc_hz() / 1000000);
}

static void queues_give_up(struct ddp_order *order, struct ddp_lower_rxq *lower) {
	for (unsigned int i = 0; i < order->n_waits; i++) {
		struct ddp_rxq *queue = &lower->port->rxqs[order->waits[i]];

		__atomic_store_n(&queue->absent, polls_read(queue), __ATOMIC_RELAXED);
		order->queues[queue->id] = DDP_ORDER_DONE;
	}
	counter_add(&lower->order_counts.given_up, order->n_waits);
	order->n_waits = 0;
	order->release = true;
}

static void queues_check(struct ddp_order *order, const struct ddp_lower_rxq *lower) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < order->n_waits; i++) {
		uint16_t id = order->waits[i];

		order->queues[id] = queue_state(order, lower, id);
		if (order->queues[id] != DDP_ORDER_DONE)
			order->waits[n++] = id;
		else
			order->release = true;
	}
	order->n_waits = n;
}

/* Parked packets */

// Put a parked packet on its queue's ring, or drop it as any other. false: the ring is full.
static bool slot_place(struct ddp_lower_rxq *lower, struct ddp_order_slot *slot) {
	struct ddp_ring *ring = lower->rings[slot->queue];
	struct ddp_port *port = lower->port;

	if (ring != NULL && ddp_ring_has_room(ring)) {
		ddp_ring_put(ring, slot->mbuf);
		ddp_ring_publish(ring);
		__atomic_store_n(&port->rxqs[slot->queue].waiting, true, __ATOMIC_RELEASE);
		if (unlikely(port->rx_intr)) {
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			queue_wake(&port->rxqs[slot->queue]);
		}
	} else if (ring == NULL || port->overflow == DDP_OVERFLOW_DROP) {
		counter_add(&lower->missed[slot->queue], 1);
		rte_pktmbuf_free(slot->mbuf);
	} else {
		return false;
	}
	slot->mbuf = NULL;
	return true;
}

static void order_end(struct ddp_order *order, struct ddp_lower_rxq *lower) {
	const uint64_t cycles = rte_rdtsc() - order->began;

	RTE_ASSERT(order->n_entries == 0);
	if (order->tail != 0 && cycles > lower->order_counts.longest)
		__atomic_store_n(&lower->order_counts.longest, cycles, __ATOMIC_RELAXED);
	order->head = order->tail = 0;
	order->returns = order->changed = false;
	__atomic_store_n(&lower->order, DDP_ORDER_NONE, __ATOMIC_RELAXED);
}

/* All packets */

// Put packets on rings in their order, up to the first that a later change concerns.
static void all_release(struct ddp_order *order, struct ddp_lower_rxq *lower) {
	bool *changed = &order->changed; // after the last packet

	for (; order->head != order->tail; order->head++) {
		struct ddp_order_slot *slot = slot_at(order, order->head);

		if (slot->changed) {
			changed = &slot->changed;
			break;
		}
		if (slot->mbuf != NULL && !slot_place(lower, slot))
			return;
	}
	if (!*changed) {
		order_end(order, lower);
		return;
	}
	*changed = false;
	queues_mark(order, lower);
	wait_begin(order, wait_end(DDP_ORDER_WAIT_US));
}

/* Entries */

static bool entry_is_ready(const struct ddp_order *order, uint16_t entry) {
	return order->entries[entry] != DDP_ORDER_LEAVES ||
	       (order->marked && order->queues[order->from[entry]] == DDP_ORDER_DONE);
}

// Parked packets of entries in this state go to the queue that the entry left.
static void slots_return(struct ddp_order *order, enum ddp_order_entry state) {
	for (uint32_t i = order->head; i != order->tail; i++) {
		struct ddp_order_slot *slot = slot_at(order, i);

		if (order->entries[slot->entry] == state)
			slot->queue = order->from[slot->entry];
	}
}

static void entries_release(struct ddp_order *order, struct ddp_lower_rxq *lower) {
	bool left[DDP_RETA_SIZE] = {false}, full[DDP_PORT_QUEUES] = {false}, again = false;

	for (uint32_t i = order->head; i != order->tail; i++) {
		struct ddp_order_slot *slot = slot_at(order, i);

		if (slot->mbuf == NULL)
			continue;
		if (entry_is_ready(order, slot->entry) && !full[slot->queue]) {
			if (slot_place(lower, slot))
				continue;
			full[slot->queue] = again = true;
		}
		left[slot->entry] = true;
	}
	while (order->head != order->tail && slot_at(order, order->head)->mbuf == NULL)
		order->head++;
	// Entries without parked packets are done, unless the table still names another queue.
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++) {
		if (order->entries[i] == DDP_ORDER_STAYS ||
		    order->entries[i] == DDP_ORDER_RETURNS || left[i] || !entry_is_ready(order, i))
			continue;
		order->entries[i] = DDP_ORDER_STAYS;
		order->n_entries--;
	}
	order->release = again;
	if (order->n_entries == 0)
		order_end(order, lower);
}

// Give up the moves of entries whose old queues are not done.
static void entries_return(struct ddp_order *order, struct ddp_lower_rxq *lower) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++) {
		if (order->entries[i] != DDP_ORDER_LEAVES || entry_is_ready(order, i))
			continue;
		order->entries[i] = DDP_ORDER_RETURNS;
		n++;
	}
	slots_return(order, DDP_ORDER_RETURNS);
	__atomic_store_n(&order->n_returned, order->n_returned + n, __ATOMIC_RELAXED);
	counter_add(&lower->order_counts.given_up, n);
	while (order->n_waits > 0)
		order->queues[order->waits[--order->n_waits]] = DDP_ORDER_DONE;
	order->release = true;
}

static bool has_parked(struct ddp_order *order, uint16_t entry) {
	for (uint32_t i = order->head; i != order->tail; i++)
		if (slot_at(order, i)->mbuf != NULL && slot_at(order, i)->entry == entry)
			return true;
	return false;
}

/* Data path */

bool ddp_order_run(struct ddp_lower_rxq *lower) {
	struct ddp_order *order = lower->orders;
	bool full, room;

	RTE_ASSERT(lower->order != DDP_ORDER_NONE && lower->held.n == 0);
	if (!order->marked) {
		order->end += rte_rdtsc() - order->began; // packets were held until now
		queues_mark(order, lower);
	}
	queues_check(order, lower);
	full = order->tail - order->head > DDP_ORDER_SLOTS - DDP_PORT_BURST;
	if (order->n_waits > 0 && (rte_rdtsc() > order->end || (full && order->returns))) {
		if (order->returns)
			entries_return(order, lower);
		else
			queues_give_up(order, lower);
	}
	if (lower->order == DDP_ORDER_ENTRIES && order->release)
		entries_release(order, lower);
	else if (lower->order == DDP_ORDER_ALL && order->n_waits == 0)
		all_release(order, lower);
	// With overflow=wait: if parked packets wait only for room on a ring, no burst is read
	// before they are placed. Its packets would be parked, too, without end if overloaded.
	if (lower->order == DDP_ORDER_ENTRIES)
		room = order->release;
	else
		room = lower->order == DDP_ORDER_ALL && order->n_waits == 0 &&
		       order->head != order->tail;
	return !room && order->tail - order->head <= DDP_ORDER_SLOTS - DDP_PORT_BURST;
}

// Must packet i of a batch wait? ruled: a rule sent it to its queue. If not, its queue may change.
static bool has_to_wait(struct ddp_order *order, const struct ddp_lower_rxq *lower,
			struct ddp_batch *batch, unsigned int i, bool ruled, uint16_t *entry) {
	const struct rte_mbuf *mbuf = batch->mbufs[i];

	*entry = mbuf->hash.rss & (DDP_RETA_SIZE - 1);
	if (lower->order == DDP_ORDER_ALL)
		return true;
	if (ruled || (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) == 0 ||
	    order->entries[*entry] == DDP_ORDER_STAYS)
		return false;
	if (order->entries[*entry] != DDP_ORDER_RETURNS)
		return true;
	batch->queues[i] = order->from[*entry];
	return has_parked(order, *entry);
}

void ddp_order_park(struct ddp_lower_rxq *lower, struct ddp_batch *batch, uint32_t ruled) {
	struct ddp_order *order = lower->orders;
	unsigned int n = 0;
	uint16_t entry;

	for (unsigned int i = 0; i < batch->n; i++) {
		if (has_to_wait(order, lower, batch, i, ruled >> i & 1, &entry)) {
			RTE_ASSERT(order->tail - order->head < DDP_ORDER_SLOTS);
			*slot_at(order, order->tail++) = (struct ddp_order_slot){
				.mbuf = batch->mbufs[i],
				.entry = entry,
				.queue = batch->queues[i],
				.changed = order->changed,
			};
			order->changed = false;
			continue;
		}
		batch->queues[n] = batch->queues[i];
		batch->mbufs[n++] = batch->mbufs[i];
	}
	counter_add(&lower->order_counts.parked, batch->n - n);
	batch->n = n;
}

/* Control path */

// Packets that could not be placed with overflow=wait come first.
static void order_begin(struct ddp_lower_rxq *lower, enum ddp_order_mode mode, uint64_t end) {
	struct ddp_order *order = lower->orders;

	lower->order = mode;
	wait_begin(order, end);
	order->marked = false;
	if (lower->held.n > 0)
		return;
	queues_mark(order, lower);
	if (order->n_waits > 0 || order->head != order->tail)
		return;
	entries_clear(order);
	order_end(order, lower);
}

void ddp_order_change_all(struct ddp_lower_rxq *lower) {
	struct ddp_order *order = lower->orders;

	if (order == NULL)
		return;
	RTE_ASSERT(rte_spinlock_is_locked(&lower->lock));
	order->changed = order->head != order->tail;
	if (lower->order == DDP_ORDER_ALL && order->changed)
		return; // earlier packets are done first
	entries_clear(order);
	order->returns = false;
	order_begin(lower, DDP_ORDER_ALL, wait_end(DDP_ORDER_WAIT_US));
}

// Can the entry go back, now that the table names its old queue again, and none of its packets went
// to the new one? Packets of changes by the application keep the queue that was chosen for them.
static bool entry_goes_back(const struct ddp_order *order, uint16_t entry, uint16_t queue) {
	if (order->from[entry] != queue)
		return false;
	return order->entries[entry] == DDP_ORDER_RETURNS ||
	       (order->returns && order->entries[entry] == DDP_ORDER_LEAVES &&
		!entry_is_ready(order, entry));
}

// Can the entries that differ go back, or leave their queues while others do? Not if that would let
// a queue that is done be waited for again while packets that waited for it are being placed.
static bool can_join(const struct ddp_order *order, const uint16_t *before, const uint16_t *now,
		     bool returns) {
	bool placing[DDP_PORT_QUEUES] = {false};

	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		if (order->entries[i] == DDP_ORDER_LEAVES && entry_is_ready(order, i))
			placing[order->from[i]] = true; // its other packets are parked
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++) {
		if (before[i] == now[i] || entry_goes_back(order, i, now[i]))
			continue;
		if (order->entries[i] != DDP_ORDER_STAYS || returns != order->returns ||
		    placing[before[i]])
			return false;
	}
	return true;
}

static void entry_leave(struct ddp_order *order, uint16_t entry, uint16_t queue) {
	order->entries[entry] = DDP_ORDER_LEAVES;
	order->from[entry] = queue;
	order->n_entries++;
}

static void entries_join(struct ddp_order *order, const struct ddp_lower_rxq *lower,
			 const uint16_t *before, const uint16_t *now, uint64_t end) {
	bool leaves[DDP_PORT_QUEUES] = {false};

	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++) {
		if (before[i] == now[i])
			continue;
		if (order->entries[i] == DDP_ORDER_STAYS) {
			entry_leave(order, i, before[i]);
			leaves[before[i]] = true;
			order->end = RTE_MAX(order->end, end);
		} else {
			order->n_returned -= order->entries[i] == DDP_ORDER_RETURNS;
			order->entries[i] = DDP_ORDER_IS_BACK;
		}
	}
	for (unsigned int i = 0; order->marked && i < lower->port->n_rxqs; i++) {
		if (leaves[i] && order->queues[i] == DDP_ORDER_DONE) {
			queue_mark(order, lower, i);
		} else if (leaves[i]) { // wait also for the packets that it got since
			order->queues[i] = DDP_ORDER_QUEUED;
			order->marks[i] = lower->rings[i]->next;
		}
	}
	slots_return(order, DDP_ORDER_IS_BACK);
	order->release = true;
}

void ddp_order_change_entries(struct ddp_lower_rxq *lower, const uint16_t *before,
			      const uint16_t *now, unsigned int wait_us, bool returns) {
	struct ddp_order *order = lower->orders;
	const uint64_t end = wait_end(wait_us);

	if (order == NULL)
		return;
	RTE_ASSERT(rte_spinlock_is_locked(&lower->lock));
	// Release ready packets first, so that as few entries as possible are between two queues.
	if (lower->order == DDP_ORDER_ENTRIES && order->marked && lower->held.n == 0) {
		queues_check(order, lower);
		if (order->release)
			entries_release(order, lower);
	}
	if (lower->order == DDP_ORDER_ENTRIES && can_join(order, before, now, returns)) {
		entries_join(order, lower, before, now, end);
		return;
	}
	if (lower->order != DDP_ORDER_NONE) {
		ddp_order_change_all(lower);
		return;
	}
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		if (before[i] != now[i])
			entry_leave(order, i, before[i]);
	order->returns = returns;
	if (order->n_entries > 0)
		order_begin(lower, DDP_ORDER_ENTRIES, end);
}

bool ddp_order_is_waiting(const struct ddp_lower_rxq *lower) {
	return __atomic_load_n(&lower->order, __ATOMIC_RELAXED) != DDP_ORDER_NONE;
}

bool ddp_order_has_returned(const struct ddp_lower_rxq *lower) {
	return __atomic_load_n(&lower->orders->n_returned, __ATOMIC_RELAXED) > 0;
}

bool ddp_order_returned(const struct ddp_lower_rxq *lower, uint16_t *reta) {
	const struct ddp_order *order = lower->orders;

	if (order == NULL || order->n_returned == 0)
		return false;
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		if (order->entries[i] == DDP_ORDER_RETURNS)
			reta[i] = order->from[i];
	return true;
}

void ddp_order_keep_moves(struct ddp_lower_rxq *lower) {
	struct ddp_order *order = lower->orders;

	if (order == NULL || !order->returns)
		return;
	order->returns = false;
	order->end = wait_end(DDP_ORDER_WAIT_US);
}

void ddp_order_queue_stop(struct ddp_lower_rxq *lower, uint16_t queue) {
	struct ddp_order *order = lower->orders;
	unsigned int n = 0;

	if (order == NULL || lower->order == DDP_ORDER_NONE)
		return;
	for (unsigned int i = 0; i < order->n_waits; i++)
		if (order->waits[i] != queue)
			order->waits[n++] = order->waits[i];
	order->n_waits = n;
	order->queues[queue] = DDP_ORDER_DONE;
	order->release = true;
}

unsigned int ddp_order_clear(struct ddp_lower_rxq *lower) {
	struct ddp_order *order = lower->orders;
	unsigned int n = 0;

	if (order == NULL || lower->order == DDP_ORDER_NONE)
		return 0;
	for (uint32_t i = order->head; i != order->tail; i++) {
		if (slot_at(order, i)->mbuf == NULL)
			continue;
		rte_pktmbuf_free(slot_at(order, i)->mbuf);
		n++;
	}
	entries_clear(order);
	order->tail = 0; // no wait ended
	order_end(order, lower);
	return n;
}
