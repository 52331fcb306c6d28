/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: secondary processes.
//
// DPDK maps the memory of a port at the same address in all processes. Profiles, rules and the
// port's mutex belong to the primary process, and so do the calls of the lower device that change
// or read its state. So a secondary process writes a request into shared memory, sends its
// address to the primary process (rte_mp_sendmsg()), and waits until the request is done.
//
// The primary process carries requests out in threads of their own. The thread that receives
// messages must not wait for a port: the one that changes the port may wait for that thread,
// because EAL sends messages when it takes more memory from the system.
//
// Packets. Secondary processes run the same data path. Its locks, counters and rings are in shared
// memory, as is everything that it reads; nothing there refers to code or static data, which are at
// other addresses in other processes. The lower device must be attached in the same process. The
// programs of packages have pointers to code, so secondary processes do not receive while a port
// runs one.
//
// A process may end inside a burst call (a signal handler that calls exit() is enough), and then
// never releases its locks. The locks have its process id: the primary process checks them once a
// second, and when it waits for one. It discards what the call had begun, empties the path cache,
// which may be half written, and takes the locks away. Packets that the call held are lost, as are
// their mbufs. The lower device's driver must survive a burst call that does not return.
// Process ids mean nothing in another namespace, so a process there counts as living.
//
// A request is freed by the process that uses it last: the primary process, if the secondary one
// stops waiting or dies. A request that was never received is lost.
#pragma once

#include "port/state/port.h"

struct rte_vdev_device;

// Identifies the layout of shared memory: all processes must run one build of net_ddp.
uint32_t ddp_mp_layout(void);
// Once a process; further calls do nothing. If it fails, as without shared memory, secondary
// processes cannot attach.
void ddp_mp_serve(void);
// In a secondary process: attach to the primary process' port. -errno, logged.
int ddp_mp_attach(struct rte_vdev_device *vdev);
// Detach from it and from its lower port.
int ddp_mp_remove(struct rte_eth_dev *dev);
