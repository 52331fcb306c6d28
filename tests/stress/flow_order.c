/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_order.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>

#include "fault.h"
#include "packet_stream.h"
#include "port/run/order.h"
#include "port/state/port.h"

// A wait is given up after DDP_ORDER_WAIT_US. Until then packets waited on the queue's ring, or its
// last burst was in use: one of both for half of the time at least.
#define LATE_US (DDP_ORDER_WAIT_US / 2)
#define TSC_UNIT 14 // bits by which times are shifted to fit a word

struct queue {
	uint64_t polled; // by TSC
	// The last time that it was polled while no change waited for it any more, or late: there
	// may be a change that did not wait for packets that were taken from the lower device
	// before.
	uint64_t late;
	uint8_t n_turns; // stops and starts; odd: it is stopped, or about to be
} __rte_cache_aligned;

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

static struct queue queues[ORDER_QUEUES];
static uint64_t holders[FLOWS];
static uint32_t newest[FLOWS]; // sequence number plus 1 of the latest packet that anyone received
static uint64_t began;         // by TSC
static struct order_rules rules;
static struct order_counts counts;

static void count(uint64_t *counter) {
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

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
	const struct ddp_rxq *queue = &rules.port->rxqs[id];

	return __atomic_load_n(&queue->absent, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&queue->polls, __ATOMIC_RELAXED);
}

/* Polls */

void order_poll_begin(struct order_poll *poll, uint16_t queue, const uint16_t *flows,
		      unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		union holder holder = {
			.word = __atomic_load_n(&holders[flows[i]], __ATOMIC_RELAXED)};

		if (holder.queue == queue + 1)
			__atomic_compare_exchange_n(&holders[flows[i]], &holder.word, 0, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	poll->queue = queue;
	poll->n_turns = __atomic_load_n(&queues[queue].n_turns, __ATOMIC_ACQUIRE);
	poll->tsc = rte_rdtsc();
	if (is_absent(queue))
		__atomic_store_n(&queues[queue].late, poll->tsc, __ATOMIC_RELEASE);
}

void order_poll_end(struct order_poll *poll, uint64_t oldest) {
	struct queue *queue = &queues[poll->queue];
	uint64_t now = rte_rdtsc();
	bool late = poll->tsc - queue->polled > late_cycles();

	late |= oldest + late_cycles() < now && oldest != UINT64_MAX;
	queue->polled = poll->tsc;
	poll->tsc = now;
	if (!late)
		return;
	__atomic_store_n(&queue->late, now, __ATOMIC_RELEASE);
	count(&counts.late);
}

void order_queue_stops(uint16_t queue) {
	__atomic_fetch_or(&queues[queue].n_turns, 1, __ATOMIC_SEQ_CST);
}

void order_queue_starts(uint16_t queue) {
	if (queues[queue].n_turns % 2 != 0)
		__atomic_fetch_add(&queues[queue].n_turns, 1, __ATOMIC_SEQ_CST);
}

/* Excuses */

// Did a rule that came or went move the flow since so many changes were done?
static bool rule_moved(uint32_t flow, uint32_t done) {
	const uint32_t last = stream_last_begun();

	for (uint32_t i = done + 1; i <= last; i++) {
		const struct verdict *before = &rules.verdicts[i - 1][flow];
		const struct verdict *after = &rules.verdicts[i][flow];

		if (rules.steers[i] &&
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
	const uint64_t late = __atomic_load_n(&queue->late, __ATOMIC_ACQUIRE);

	if (rules.bypass)
		return ORDER_BYPASS;
	if (n_turns % 2 != 0 || __atomic_load_n(&queue->n_turns, __ATOMIC_ACQUIRE) != n_turns)
		return ORDER_STOPPED;
	if (rule_moved(flow, done))
		return ORDER_RULE;
	if (rules.gives_up && (absent || tsc <= late || rte_rdtsc() - tsc > late_cycles()))
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
		.word = __atomic_exchange_n(&holders[stamp->flow], now.word, __ATOMIC_ACQ_REL),
	};
	enum order_excuse excuse;

	if (before.queue == 0 || before.queue == now.queue)
		return;
	excuse = conflict_excuse(poll, stamp, before);
	count(&counts.conflicts[excuse]);
	if (excuse == ORDER_NONE)
		fault("flow %u: queue %u hands out packet %u while queue %u has the flow "
		      "(changes %u to %u)",
		      stamp->flow, poll->queue, stamp->seq, before.queue - 1, before.done,
		      stamp->begun);
}

static void overtaken_check(const struct order_poll *poll, const struct stamp *stamp) {
	const uint32_t next = __atomic_load_n(&newest[stamp->flow], __ATOMIC_RELAXED);
	enum order_excuse excuse;

	if (next <= stamp->seq) {
		__atomic_store_n(&newest[stamp->flow], stamp->seq + 1, __ATOMIC_RELAXED);
		return;
	}
	excuse = excuse_find(stamp->flow, poll->queue, poll->n_turns, stamp->tsc, stamp->done);
	count(&counts.overtaken[excuse]);
	if (excuse == ORDER_NONE)
		fault("flow %u: packet %u on queue %u after packet %u (changes %u to %u)",
		      stamp->flow, stamp->seq, poll->queue, next - 1, stamp->done, stamp->begun);
}

void order_packet(const struct order_poll *poll, const struct stamp *stamp) {
	overtaken_check(poll, stamp);
	if (!rules.bypass)
		holder_check(poll, stamp);
}

/* Sums */

void order_reset(const struct order_rules *of) {
	rules = *of;
	began = rte_rdtsc();
	memset(queues, 0, sizeof(queues));
	for (unsigned int i = 0; i < ORDER_QUEUES; i++)
		queues[i].polled = began;
	memset(holders, 0, sizeof(holders));
	memset(newest, 0, sizeof(newest));
	memset(&counts, 0, sizeof(counts));
}

struct order_counts order_counts(void) {
	return counts;
}

const char *order_text(const struct order_counts *of, char *text, unsigned int size) {
#define ORDER_NAME(excuse, name) name,
	static const char *const names[] = {ORDER_EXCUSES(ORDER_NAME)};
#undef ORDER_NAME
	unsigned int len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < N_ORDER_EXCUSES; i++)
		if (of->overtaken[i] + of->conflicts[i] > 0 && len < size)
			len += snprintf(
				text + len, size - len, "%s%lu overtaken, %lu at two queues %s",
				len == 0 ? "" : "; ", of->overtaken[i], of->conflicts[i], names[i]);
	return text;
}
