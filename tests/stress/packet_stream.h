/* SPDX-License-Identifier: BSD-3-Clause */
// net_stream: a lower device that always has packets, of all flows of stress_flows.h, as fast as it
// is read, and that checks what is sent to it. There is one such device. Devargs:
//
//	rxq=N     Rx queues: 1, 2, 4 or 8; it has one Tx queue
//	nic=KIND  of enum fake_nic_kind, as a number: it hashes as that
#ifndef DDP_TESTS_STRESS_STREAM_H
#define DDP_TESTS_STRESS_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "stress_flows.h"

#define STREAM_RXQ_MAX 8
#define NIC_DESC 256      // packets that wait on a queue, at most, where it hashes
#define STREAM_SENDERS 64 // Tx queues of net_ddp that may send to it

// Offset of the stamp in a packet.
struct stamp *stamp_of(struct rte_mbuf *mbuf);

// In a thread that polls net_ddp: the array of its present call, into which packets that bypass the
// rings are read.
extern __thread struct rte_mbuf **stream_array;

// Packets that bypassed the rings while no change was under way: read into the application's own
// array, and counted as such before the next read from that queue, which is when it is noticed.
extern _Atomic uint64_t stream_bypassed;
// Set the port's counter of packets with a hardware hash for a queue of the lower device; NULL:
// there is none. Not while the queue is read.
void stream_watch(uint16_t queue, const uint64_t *passed);

// Whether the sizes of flows are as Zipf's law has them, with other flows in front every few
// milliseconds. Not of a device with runs.
extern atomic_bool stream_skewed;

// Whether there are packets. They begin anew with each flow's packet 0 after stream_reset().
extern atomic_bool stream_emits;
void stream_reset(void);
// Stamps say that so many changes have begun, or are complete.
extern atomic_uint stream_begun, stream_done;
// Packets emitted: all, and of a flow. The latter only while nobody reads.
extern _Atomic uint64_t stream_emitted;
uint32_t stream_flow_emitted(uint32_t flow);
// That wait in queues of its NIC.
uint64_t stream_waiting(void);

// Whether the Tx queue is slow: takes as many packets of a burst as it likes, from none to all.
extern atomic_bool stream_slow;
// Packets that were sent to it. Those of each Tx queue must come in the order of their tx_seq; one
// that is missing is a fault, unless some were dropped (at a stop).
extern _Atomic uint64_t stream_sent;
extern atomic_bool stream_dropped_some;

#endif
