/* SPDX-License-Identifier: BSD-3-Clause */
// net_stream: a lower device that always has packets, of all flows of flows.h, as fast as it is read, and
// that checks what is sent to it. Devargs: rxq=N (1, 2 or 4); it has one Tx queue. There is one such device.
#ifndef DDP_TESTS_STRESS_STREAM_H
#define DDP_TESTS_STRESS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "flows.h"

#define STREAM_RXQ_MAX 4
#define STREAM_SENDERS 64 // Tx queues of net_ddp that may send to it

// Where the stamp of a packet lies.
struct stamp *stamp_of(struct rte_mbuf *mbuf);

// Whether there are packets. They begin anew with each flow's packet 0 after stream_reset().
void stream_emit(bool emit);
void stream_reset(void);
// Stamps say from now on that so many changes have begun, or are complete.
void stream_begun(uint32_t n);
void stream_done(uint32_t n);
// Packets emitted: all, and of a flow. The latter only while nobody reads.
uint64_t stream_emitted(void);
uint32_t stream_flow_emitted(uint32_t flow);

// Whether the Tx queue is slow: takes as many packets of a burst as it likes, from none to all.
void stream_slow(bool slow);
// Packets that were sent to it. Those of each Tx queue must come in the order of their tx_seq; one that is
// missing is a fault, unless dropped (at a stop).
uint64_t stream_sent(void);
void stream_dropped_some(void);

#endif
