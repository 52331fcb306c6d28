/* SPDX-License-Identifier: BSD-3-Clause */
// net_testsrc: a lower device for tests. It delivers the mbufs that a test gave it, and keeps those
// sent to it for the test to check. Devargs: rxq=N, txq=N (its maximum, default 1 each), spread=N
// (the number of queues it says it wants), promisc=0 (it does not receive everything), paired=1 (it
// wants as many Rx as Tx queues, as net_tap does), intr=1 (it has Rx interrupts), fail=1 (its probe
// fails), nic=N (it is a fake NIC, of enum fake_nic_kind), pcap=FILE (its packets arrive when a
// queue that has none is read; their times are in the mbufs), infinite=1 (again and again). It
// cannot change its first MAC address. Removed, it works until its port's last event.
#ifndef DDP_TESTS_TESTSRC_H
#define DDP_TESTS_TESTSRC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define TESTSRC_QUEUES 8
#define TESTSRC_RING 65536

// Devices net_testsrc0 to net_testsrc3 by their number; net_i40e0 to net_i40e3 are the same by
// another driver's name.

// Let Rx queue deliver these next. They belong to the device from then on.
void testsrc_feed(unsigned int dev, unsigned int queue, struct rte_mbuf **mbufs, unsigned int n);
// As testsrc_feed(), to the queue that the device, a fake NIC, chooses.
void testsrc_arrive(unsigned int dev, struct rte_mbuf **mbufs, unsigned int n);
struct fake_nic;
struct fake_nic *testsrc_nic(unsigned int dev);
// Packets that were fed and not yet taken.
unsigned int testsrc_left(unsigned int dev);
struct rte_mbuf *testsrc_sent(unsigned int dev, unsigned int queue);
// Free all packets that were fed and not taken, and all that were sent.
void testsrc_clear(void);
// From now on each Tx queue takes n packets more, and refuses what follows.
void testsrc_tx_room(unsigned int dev, unsigned int n);
// Call fn inside the next Rx or Tx call of the device, once: what other threads do meanwhile.
void testsrc_hook(void (*fn)(void *arg), void *arg);
// Call fn inside each call of the control path of a device, until it is NULL: what an application
// called back or another thread does meanwhile.
void testsrc_control_hook(void (*fn)(const char *op, void *arg), void *arg);
// Notify of a changed link, that it was unplugged, and of any event, as a driver's interrupt thread
// does.
void testsrc_link(unsigned int dev, bool up);
void testsrc_unplug(unsigned int dev);
void testsrc_tell(unsigned int dev, enum rte_eth_event_type type);
// Number of times that two threads were in one of its queues at once, or that it was used while
// stopped, or stopped while in use.
unsigned int testsrc_faults(void);

#endif
