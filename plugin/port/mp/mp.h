/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: secondary processes.
//
// DPDK maps the memory of a port at the same address in all processes. Profiles, rules and the
// port's mutex belong to the primary process, and so do the calls of the lower device that change
// or read its state. So a secondary process asks the primary process: it writes a request into
// shared memory, sends its address (rte_mp_sendmsg()), and waits until the request is done.
//
//	mp_secondary.c    attaches to a port; its operations, most of which are requests
//	mp_primary.c      carries requests out
//
// The primary process carries requests out in threads of their own. The thread that receives
// messages must not wait for a port: the one that changes the port may wait for that thread,
// because EAL sends messages when it takes more memory from the system.
//
// Packets. Secondary processes run the same data path. Its locks, counters and rings are in shared
// memory, as is everything that it reads; nothing there refers to code or static data, which are at
// other addresses in other processes. It calls the lower device, which must be attached in the same
// process. The primary process polls queues as before, and has no additional work.
//
// A process may end inside a burst call (a signal handler that calls exit() is enough), and then
// never releases its locks. The locks have its process id: the primary process looks at them once a
// second, and when it waits for one. It discards what the call had begun, empties the path cache,
// which may be half written, and takes the locks away. Packets that the call held are lost, as are
// their mbufs. Whether the lower device survives a burst call that does not return is its affair.
// Process ids mean nothing in another namespace, so a process there counts as living.
//
// A request is freed by the process that uses it last. If the secondary process stops waiting, or
// dies, that is the primary process, so that neither writes into memory that is not a request any
// more. A request that was never received is lost, with the process that it was sent to.
#ifndef DDP_PORT_MP_H
#define DDP_PORT_MP_H

#include <stdint.h>

#include "port/state/port.h"

struct rte_vdev_device;

// Requests: X(name, the call that mp_primary.c makes of it, mostly of an operation).
#define DDP_MP_OPS(X)                                                                \
	X(ALLMULTICAST_DISABLE, ops->allmulticast_disable(dev))                      \
	X(ALLMULTICAST_ENABLE, ops->allmulticast_enable(dev))                        \
	X(ATTACH, DDP_PORT_READ(request->port_id, port, (ddp_mp_watch(port), 0)))    \
	X(FW_VERSION, ops->fw_version_get(dev, data, request->size))                 \
	X(INFO, ops->dev_infos_get(dev, data))                                       \
	X(LINK, ops->link_update(dev, request->n))                                   \
	X(LINK_DOWN, ops->dev_set_link_down(dev))                                    \
	X(LINK_UP, ops->dev_set_link_up(dev))                                        \
	X(MTU, ops->mtu_set(dev, request->n))                                        \
	X(PROMISCUOUS_DISABLE, ops->promiscuous_disable(dev))                        \
	X(PROMISCUOUS_ENABLE, ops->promiscuous_enable(dev))                          \
	X(PTYPES, DDP_PORT_READ(request->port_id, port, ddp_ptypes_get(port, data))) \
	X(RETA_QUERY, ops->reta_query(dev, data, request->n))                        \
	X(RETA_UPDATE, ops->reta_update(dev, data, request->n))                      \
	X(RSS_HASH_CONF_GET, ops->rss_hash_conf_get(dev, rss_conf(data)))            \
	X(RSS_HASH_UPDATE, ops->rss_hash_update(dev, rss_conf(data)))                \
	X(STATS, DDP_PORT_READ(request->port_id, port, ddp_stats_get(port, data)))   \
	X(STATS_RESET, ops->stats_reset(dev))                                        \
	X(XSTATS, ops->xstats_get(dev, data, request->n))                            \
	X(XSTATS_NAMES, ops->xstats_get_names(dev, data, request->n))

enum ddp_mp_op {
#define OP(name, call) DDP_MP_##name,
	DDP_MP_OPS(OP)
#undef OP
};

// The primary process makes a request done, the secondary process gives it up: whichever comes
// second frees it.
enum ddp_mp_state {
	DDP_MP_PENDING,
	DDP_MP_DONE,
	DDP_MP_GIVEN_UP,
};

struct ddp_mp_request {
	uint32_t state; // enum ddp_mp_state; atomic
	uint16_t op;    // enum ddp_mp_op
	uint16_t port_id;
	uint32_t n; // of the items in data; or the value of a change
	int ret;
	size_t size;
	uint8_t data[] __rte_aligned(16); // argument and result
};

// A key has no place in rte_eth_rss_conf, which points to it.
struct ddp_mp_rss {
	struct rte_eth_rss_conf conf;
	bool has_key;
	uint8_t key[DDP_KEY_SIZE];
};

#define DDP_MP_NAME "net_ddp" // of the message, which has the address of a request

// Identifies the layout of what processes share: they must all run the same net_ddp.
uint64_t ddp_mp_layout(void);

// mp_primary.c: once a process; further calls do nothing. Secondary processes cannot attach to a
// process where this fails, such as one without shared memory.
void ddp_mp_serve(void);

// mp_secondary.c: attach to the primary process' port. -errno, logged.
int ddp_mp_attach(struct rte_vdev_device *vdev);
// Detach from it and from its lower port.
int ddp_mp_remove(struct rte_eth_dev *dev);

#endif
