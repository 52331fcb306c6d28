/* SPDX-License-Identifier: BSD-3-Clause */
// net_ddp: a virtual NIC in front of another DPDK port, the lower device.
//
// Whoever polls one of our Rx queues takes packets from the lower device for all of them: it locks
// a lower Rx queue, reads a burst, classifies and hashes it, keeps what belongs to its own queue
// and puts the rest on the rings of the others. No core distributes, and no core idles while
// packets wait.
//
//	lower Rx queue 0 --lock--> classify, hash --+--> ring (0, 0) --> Rx queue 0
//	                                            +--> ring (0, 1) --> Rx queue 1
//	lower Rx queue 1 --lock--> classify, hash --+--> ring (1, 0) --> Rx queue 0
//	                                            +--> ring (1, 1) --> Rx queue 1
//
// Threads. A driver does not own the threads that poll it; they come and go as they like, so:
//
//   - A burst call holds the busy lock of its own queue from beginning to end, but where packets go
//     straight: such a call holds the lower queue's lock instead. Nobody contends for a busy lock
//     (ethdev: one thread a queue) but calls that count packets, and the control path. That takes every
//     busy lock and every lower Rx queue's lock once after it cleared running: then no burst call is left
//     inside, and none gets in.
//   - The lock of a lower queue protects all of struct ddp_lower_rxq or ddp_lower_txq, the lower queue
//     itself, and the steering: a burst call uses a steering only under a lower Rx queue's lock, so
//     who exchanged the pointer under each of these locks may free the old one.
//   - The data path (rxtx.c) only tries locks and never waits.
//   - The port's mutex protects what is marked "control" below. A thread that holds it may wait for any of
//     the locks above. Under full load a lower queue's lock is free for moments only, so it says that it
//     wants it: see ddp_lower_rxq_lock().
//   - No lock is held while the lower device or the application is called (DDP_LOWER_CALL()), with two
//     exceptions that cannot call back: the lower device's burst functions and queue counts, and calls that
//     only read what ethdev itself keeps. The lower device may call the application, as net_bonding does when
//     it starts, and the application may then ask this port for its link or statistics. It may lead back to
//     this port: net_bonding may have it as a member. And it may wait for the interrupt thread, in which
//     the application may be asking this port.
//   - Changes of a port come one at a time (control.c). A change keeps its turn while it calls the lower
//     device. What it leaves behind for that moment can be read, though it is not final.
//
// A ring has one writer, who holds the lower Rx queue's lock (or polls the Tx queue), and one
// reader, who polls the Rx queue (or holds the lower Tx queue's lock).
//
// Counters have one writer at a time and are read at any time: see counter_add() and
// counter_read().
#ifndef DDP_PORT_PORT_H
#define DDP_PORT_PORT_H

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <ethdev_driver.h>
#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_flow_driver.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_spinlock.h>

#include "base/dpdk_compat.h"
#include "base/isa.h"
#include "classify/cache/cache.h"
#include "classify/classify.h"
#include "classify/flow/flow.h"
#include "lower_offload.h"
#include "personality/personality.h"
#include "profile/profile.h"
#include "ring.h"
#include "rss/rss.h"
#include "rte_pmd_ddp.h"
#include "rules/rules.h"

#define DDP_PORT_QUEUES 256     // Rx queues, and Tx queues
#define DDP_PORT_DESC_MAX 32768 // descriptors of one of them
#define DDP_PORT_DESC_DEFAULT 512
#define DDP_PORT_BURST 32 // packets taken from a lower queue at once
#define DDP_PORT_NONE RTE_MAX_ETHPORTS
#define DDP_PORT_TUNNELS 64

static_assert(DDP_MAX_INPUT_SIZE == DDP_HASH_INPUT_MAX, "an input set must fit the hash");
static_assert(DDP_PORT_QUEUES <= RTE_MAX_QUEUES_PER_PORT, "ethdev has room for our queues");
static_assert(DDP_PORT_BURST <= DDP_BURST_MAX, "a burst is classified in one go");
static_assert(DDP_PORT_BURST % 16 == 0, "queues of a burst are compared by sixteen");
static_assert(DDP_PORT_QUEUES == DDP_FLOW_QUEUES_MAX, "a rule may name every queue");
static_assert(DDP_PORT_QUEUES <= UINT8_MAX + 1, "a queue is named in a byte");
static_assert((DDP_RETA_SIZE & (DDP_RETA_SIZE - 1)) == 0, "a hash is masked into the table");
static_assert(sizeof(struct rte_pmd_ddp_meta) == 8, "ddp_meta is a contract");

// What a full ring does with a packet.
enum ddp_overflow {
	DDP_OVERFLOW_DROP, // count it as missed, as a NIC does
	DDP_OVERFLOW_WAIT, // keep it and read no more until it fits
};

// RTE_PTYPE_* that mbufs get instead of what was found, by packet type's id. Never changes once
// built.
#define DDP_PTYPE_AS_FOUND UINT32_C(0x70000000) // no packet type has these bits
struct ddp_mapping {
	unsigned int n; // ids from here on are as found
	uint32_t ptypes[];
};

// Everything that decides where a packet goes. Never changes; see ddp_steering_apply().
struct ddp_steering {
	struct ddp_policy policy;      // its id says whether path caches may keep what they learned
	const struct ddp_flows *flows; // NULL: no rules
	const struct ddp_mapping *mapping; // NULL: none
	uint32_t ptype_mask;               // of RTE_PTYPE_* layers that mbufs get
	uint16_t reta[DDP_RETA_SIZE];
	struct ddp_hash hash;
};

// RSS as the application set it; the steering is built from it.
struct ddp_rss {
	bool enabled; // mq_mode has RSS
	uint64_t rss_hf;
	uint16_t n_queues; // reta was made for
	uint16_t reta[DDP_RETA_SIZE];
	uint8_t key[DDP_KEY_SIZE];
};

// What a steering is made of, as it shall be from now on; NULL: as it is.
struct ddp_change {
	struct ddp_personality *personality;
	struct ddp_mapping *mapping;
	const struct ddp_rss *rss;
	struct ddp_flows *flows;
	uint32_t ptype_mask; // 0: as it is
};

// Packets whose queue is known.
struct ddp_batch {
	uint16_t n;
	uint8_t queues[DDP_PORT_BURST] __attribute__((aligned(16)));
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
};

struct ddp_lower_rxq {
	// One cache line for what all calls touch.
	rte_spinlock_t lock; // protects all below but wanted and seen
	bool wanted;         // by the control path: the data path leaves the lock to it
	uint16_t id;
	uint16_t port_id;            // of the lower device
	uint16_t n_bursts;           // where some may pass: read so far
	uint32_t settle;             // packets that do not pass yet
	struct ddp_through *through; // NULL: nothing passes as it comes
	uint64_t *types;             // packets by packet type's id
	uint64_t taken;              // packets read
	uint64_t offloaded;          // packets that passed
	struct ddp_batch held;       // with overflow=wait: what did not fit

	const struct ddp_steering *steering;
	struct ddp_cache *cache;                       // while the port is started
	struct ddp_cache_stats past;                   // control: of caches that are gone
	struct ddp_ring *rings[DDP_PORT_QUEUES];       // to each Rx queue that is started
	uint64_t missed[DDP_PORT_QUEUES];              // packets that did not fit, by Rx queue
	uint64_t rule_dropped;                         // packets that an rte_flow rule drops
	uint16_t seen;                                 // n_bursts when another queue looked
	const struct ddp_pass *pass;                   // of all packets just read; NULL: not
	const struct ddp_pass *passes[DDP_PORT_BURST]; // of the packets just read; NULL: not
	struct ddp_pass *claims[DDP_PORT_BURST];       // of those that do not pass: to be checked
	struct ddp_burst burst;                        // what is known of the packets just read
} __rte_cache_aligned;

static_assert(offsetof(struct ddp_lower_rxq, held) + sizeof(uint16_t) <= RTE_CACHE_LINE_SIZE,
	      "whether packets are held is in the first line");

struct ddp_lower_txq {
	rte_spinlock_t lock; // protects the lower queue, and next
	bool wanted;         // as a lower Rx queue's
	uint16_t id;
	uint16_t next; // Tx queue to flush first
	bool shared;   // by several Tx queues; set while stopped

	// Set by whoever put packets on a ring, cleared by who is about to empty all of them.
	bool waiting __rte_cache_aligned;
} __rte_cache_aligned;

struct ddp_rxq {
	rte_spinlock_t busy;
	bool started; // cleared by the control path, which then waits for the lock; if set, has rings
	uint16_t id;
	uint16_t next; // lower queue to try first; below their number while started
	struct ddp_port *port;
	uint16_t straight_left; // calls until it looks at another lower queue
	// Packets may be on its rings; it looks only then, where what passes goes straight. Set by whoever put some
	// there, cleared by who is about to take them.
	bool waiting;
	// Of its number, where what passes there goes straight; NULL: it does not. Written under that one's lock; who
	// reads it without has a hint.
	struct ddp_lower_rxq *own;
	const struct ddp_pass *last; // found last for a burst of one packet type; under that one's lock, too
	uint64_t packets;            // written by the burst call
	uint64_t bytes;
	struct rte_mempool *pool; // control
	uint16_t n_desc;          // control
	bool deferred;            // control: not started with the port
} __rte_cache_aligned;

struct ddp_txq {
	rte_spinlock_t busy;
	bool started; // as an Rx queue's
	uint16_t id;
	struct ddp_port *port;
	struct ddp_lower_txq *lower; // while started
	struct rte_ring *ring;       // while the port is started, if lower is shared
	uint16_t n_desc;             // control
	bool deferred;               // control: not started with the port

	// written under the lower queue's lock, or the busy lock where it is not shared
	uint64_t packets __rte_cache_aligned;
	uint64_t bytes;
} __rte_cache_aligned;

struct ddp_queue_stats {
	uint64_t packets, bytes, missed;
};

// Everything that is counted, as an array of uint64_t.
struct ddp_stats {
	uint64_t rx_taken;        // from the lower device
	uint64_t rx_rule_dropped; // by rte_flow rules
	uint64_t rx_offloaded;    // hashed by the lower device
	uint64_t rx_dropped;      // at stop
	uint64_t tx_dropped;      // at stop
	uint64_t cache_hits, cache_misses, cache_learned;
	struct ddp_queue_stats rx[DDP_PORT_QUEUES];
	struct ddp_queue_stats tx[DDP_PORT_QUEUES];
	uint64_t types[]; // by id
};

// The lower device. Control path, but for what the data path reads: port_id, which never changes
// while running.
struct ddp_lower {
	char name[RTE_DEV_NAME_MAX_LEN];
	char bus[RTE_DEV_NAME_MAX_LEN];
	uint16_t port_id; // DDP_PORT_NONE: none yet
	bool probed;      // by us; else it was there before
	bool gone;        // removed under our feet
	bool unplugged;   // it said so; atomic, for good
	bool started;
	bool queues_ready;     // set up since it was last configured
	uint16_t n_rxq, n_txq; // queues in use, once configured
	uint16_t n_rxq_max;    // Rx queues we would use
	bool n_rxq_fixed;      // so many, and not fewer where we have fewer Rx queues
	struct rte_eth_dev_owner owner;
	struct rte_eth_dev_info info; // as it was at probe (net_pcap's maximum shrinks with use)
	struct rte_eth_conf conf;     // applied
	struct rte_mempool *pool;     // applied
	uint16_t n_rxd, n_txd;        // applied
	struct rte_eth_stats base;    // subtracted where it cannot reset its counters
};

// dev->data->dev_private
struct ddp_port {
	// read by the data path; the control path writes it while nobody is inside
	bool running; // but this one, which it writes first
	bool meta;    // packets that go straight have the dynamic fields
	uint16_t id;
	enum ddp_overflow overflow;
	struct ddp_lower_rxq *lower_rxqs;
	struct ddp_lower_txq *lower_txqs;
	uint16_t n_lower_rxqs, n_lower_txqs; // in use
	uint16_t n_rxqs, n_txqs;             // as configured
	bool tx_shared;                      // one or more lower Tx queues are

	struct ddp_rxq rxqs[DDP_PORT_QUEUES];
	struct ddp_txq txqs[DDP_PORT_QUEUES];

	// control
	pthread_mutex_t mutex;
	bool changing;      // a change has its turn,
	pthread_t changer;  // that of this thread
	unsigned int n_out; // threads that released the mutex to call the lower device
	bool ready;         // set up, for anybody to use
	const char *name;   // net_ddp0
	struct rte_eth_dev_data *data;
	// Names of packet types by id. Every name that the port ever knew keeps its id; 0 is none.
	struct ddp_type_name **type_names;
	void *type_tree;
	unsigned int n_type_ids;
	unsigned int n_counted; // ids below this have counters: n_type_ids at least, once set up
	struct ddp_personality *personality;
	struct ddp_flow_list rules;
	struct ddp_flows *flows;     // the rules, compiled
	struct ddp_mapping *mapping; // NULL: none yet
	struct ddp_rss rss;
	uint32_t ptype_mask;
	struct ddp_tunnel tunnels[DDP_PORT_TUNNELS]; // declared, of any header
	unsigned int n_tunnels;
	struct ddp_steering *steering;
	struct ddp_through *through; // the lower queues'
	struct ddp_offload offload;
	enum ddp_isa isa; // that the data path uses, chosen at start
	struct ddp_lower lower;
	uint64_t rx_dropped, tx_dropped;
	struct ddp_stats *stats_now, *stats_base;
};

// MAC addresses it can have, the default one included.
static inline uint32_t ddp_lower_n_macs(const struct ddp_port *port) {
	return RTE_MAX(port->lower.info.max_mac_addrs, 1U);
}

extern int ddp_port_logtype;

// One line, preceded by the port's name; names in it are others', so what does not show itself is escaped.
#define PORT_LOG(level, name, fmt, ...) \
	ddp_port_log(RTE_LOG_##level, "%s: " fmt, name, ##__VA_ARGS__)
void ddp_port_log(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void counter_add(uint64_t *counter, uint64_t n) {
	// Release: who reads this count also sees what was counted before on the packets' way.
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELEASE);
}

static inline uint64_t counter_read(const uint64_t *counter) {
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

// devargs.c
#define DDP_DEVARGS(X)                                                            \
	X(profile, "<name or file>[:<input set>][;<parameter>=<value>...][+...]") \
	X(meta, "on|off")                                                         \
	X(overflow, "drop|wait")                                                  \
	X(offload, "off|auto|require[:<kind of NIC>]")                            \
	X(lower_queues, "<number>")

struct ddp_devargs {
	char *lower;   // devargs of the lower device
	char *profile; // NULL: none given
	bool no_meta;
	enum ddp_overflow overflow;
	enum ddp_offload_mode offload;
	const struct ddp_nic *nic; // NULL: none given
	uint16_t lower_queues;     // 0: none given
};

// 0, or -errno with one line in error. ddp_devargs_fini() is due in any case.
int ddp_devargs_parse(const char *args, struct ddp_devargs *devargs, char *error, size_t error_size);
void ddp_devargs_fini(struct ddp_devargs *devargs);

// control.c: who may change a port.
#define DDP_CONTROL_WAIT_US 100 // between looks, of a thread that waits for its turn
// Begin a change: returns with the mutex held, to be ended. It waits for the change of another thread. -EBUSY
// (logged) where waiting would never end: for a change that is this thread's own, which the lower device or a
// callback of the application's came back from, and in the interrupt thread for anybody's.
int ddp_change_begin(struct ddp_port *port);
void ddp_change_end(struct ddp_port *port);
// The same without waiting, with the mutex held. -EAGAIN: not now.
int ddp_change_try(struct ddp_port *port);
// Release the mutex to call the lower device, and take it again. false: it is gone, and the mutex is kept.
bool ddp_lower_enter(struct ddp_port *port);
void ddp_lower_leave(struct ddp_port *port);
// Is no other thread in the lower device on behalf of this port? The mutex is held.
bool ddp_is_alone(const struct ddp_port *port);
// Call the lower device, or anything else that may come back or wait: the mutex is released meanwhile. Gives what
// the call returns, an int, or -ENODEV where the lower device is gone.
#define DDP_LOWER_CALL(port, call)             \
	({                                     \
		int ret_ = -ENODEV;            \
                                               \
		if (ddp_lower_enter(port)) {   \
			ret_ = (call);         \
			ddp_lower_leave(port); \
		}                              \
		ret_;                          \
	})

// "Under the port's mutex" of functions that change anything below: within a change.
// personality.c: all under the port's mutex (but for the port not yet seen by others).
// The first one, of a specification (NULL: none given). -errno with messages in diag.
int ddp_personality_init(struct ddp_port *port, const char *spec, struct ddp_diag *diag);
void ddp_personality_destroy(struct ddp_personality *personality);
// Change it under traffic, or fail with one line in error and leave everything as it was. The
// public functions of rte_pmd_ddp.h say what is returned.
int ddp_personality_add(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size);
int ddp_personality_del(struct ddp_port *port, const char *name, char *error, size_t error_size);
// The same profiles again, with the UDP ports that are declared now.
int ddp_personality_rebuild(struct ddp_port *port, char *error, size_t error_size);

// tunnels.c: UDP ports of tunnels, besides those that the profiles name. Under the port's mutex, under
// traffic; they log what is wrong. They outlive a profile, for the next one that knows the tunnel.
// -ENOTSUP where no profile knows it, -EEXIST declared before (for any tunnel), -EINVAL where a profile
// has it for another, -ENOSPC.
int ddp_tunnel_add(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);
// -ENOENT where it was not declared.
int ddp_tunnel_del(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);

// mapping.c: all under the port's mutex.
static inline uint32_t ddp_mapping_apply(const struct ddp_mapping *mapping, uint16_t id,
					 uint32_t found) {
	if (mapping == NULL || id >= mapping->n || mapping->ptypes[id] == DDP_PTYPE_AS_FOUND)
		return found;
	return mapping->ptypes[id];
}
// RTE_PTYPE_* that mbufs of a type of the present personality get.
uint32_t ddp_mapping_of(const struct ddp_port *port, const struct ddp_type_info *type);
// As the public functions of rte_pmd_ddp.h say.
int ddp_mapping_update(struct ddp_port *port, const struct rte_pmd_ddp_ptype_mapping *items,
		       unsigned int n, bool exclusive);
int ddp_mapping_replace(struct ddp_port *port, uint32_t target, bool mask, uint32_t rte_ptype);
int ddp_mapping_reset(struct ddp_port *port);

// types.c: ids of packet types. Under the port's mutex.
// Give the packet types of a program the port's ids. -ENOMEM, -ENOSPC where there are none left.
int ddp_types_number(struct ddp_port *port, struct ddp_program *program);
// Forget ids from n on, which nobody has seen.
void ddp_types_forget(struct ddp_port *port, unsigned int n);
// The name of an id, NULL for none.
const char *ddp_types_name(const struct ddp_port *port, unsigned int id);

// steering.c: all under the port's mutex (but for the port not yet seen by others).
void ddp_rss_init(struct ddp_rss *rss);
// Build the steering and exchange it under traffic, in one step; what it replaces is freed. The
// port owns what the change brings, and rss is copied. -ENOMEM leaves everything as it was.
int ddp_steering_apply(struct ddp_port *port, const struct ddp_change *change);
// Let packets pass by the hash they come with; NULL: none, as after every change of the steering. The port
// owns through; settle: but not those that wait on the lower queues now.
void ddp_through_set(struct ddp_port *port, struct ddp_through *through, bool settle);
// Let mbufs have only these layers of packet types. -ENOMEM leaves everything as it was.
int ddp_ptypes_set(struct ddp_port *port, uint32_t mask);
// The same from what ethdev was told: they log what is wrong with it.
int ddp_rss_configure(struct ddp_port *port);
int ddp_rss_hash_update(struct ddp_port *port, const struct rte_eth_rss_conf *conf);
void ddp_rss_hash_get(const struct ddp_port *port, struct rte_eth_rss_conf *conf);
int ddp_rss_reta_update(struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf, uint16_t size);
int ddp_rss_reta_query(const struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
		       uint16_t size);

// flow.c: under the port's mutex. Compile the port's rules for a personality and number of Rx queues;
// DDP_PORT_QUEUES where that does not change. Rules outlive a port that has none for a while, since it
// could not be configured.
// -EINVAL or -ENOMEM with the reason, which names the rule, in why (may be NULL).
int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *why, size_t why_size);
unsigned int ddp_flows_count(const struct ddp_port *port);
// The hash function of packets that no rule with headers is for.
enum ddp_hash_function ddp_flows_function(const struct ddp_port *port);
// The patterns of the rules that cannot be compiled for a personality, in text (size bytes). 0 or -ENOMEM.
int ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
		       char *text, size_t size);
extern const struct rte_flow_ops ddp_flow_ops;

// registry.c
void ddp_registry_add(struct ddp_port *port);
// After this nobody finds the port, and nobody who found it before is still busy with it.
void ddp_registry_del(struct ddp_port *port);
// A port with its mutex held, to read from, to be put back; NULL where port_id is no net_ddp port, or not yet.
struct ddp_port *ddp_registry_get(uint16_t port_id);
// The same, also while the port is being set up.
struct ddp_port *ddp_registry_get_early(uint16_t port_id);
void ddp_registry_put(struct ddp_port *port);
// A port with a change begun, to be ended. NULL: -ENODEV or -EBUSY in ret.
struct ddp_port *ddp_registry_change(uint16_t port_id, int *ret);
void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg);

// attach.c: log what is wrong, return -errno. The port must be on the registry to attach (and learn
// of the lower port), and off it for the others.
int ddp_lower_attach(struct ddp_port *port, const char *devargs);
// Undo an attach, even one that failed: remove the device if it was not there before.
void ddp_lower_release(struct ddp_port *port);
// Close the lower port for good, and remove its device unless it has to stay on its bus.
void ddp_lower_close(struct ddp_port *port, bool remove_device);

// How a lower device with several queues spreads packets over them: as any NIC does. Nothing
// depends on it but that a flow stays on one queue.
#define DDP_LOWER_SPREAD_HF (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP)

// lower.c: log what is wrong, return -errno. Under the port's mutex.
int ddp_lower_configure(struct ddp_port *port, const struct rte_eth_conf *conf);
int ddp_lower_start(struct ddp_port *port);
void ddp_lower_stop(struct ddp_port *port);

// Unplugged, or gone altogether? No lock is needed.
static inline bool ddp_lower_is_unplugged(const struct ddp_port *port) {
	return port->lower.gone || __atomic_load_n(&port->lower.unplugged, __ATOMIC_SEQ_CST);
}

// queues.c: under the port's mutex.
int ddp_port_start(struct ddp_port *port);
void ddp_port_stop(struct ddp_port *port);
// Wait for a lower Rx queue's lock, ahead of the data path. rte_spinlock_unlock() releases it.
void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower);
// Of a started port. A stopped Rx queue's packets are missed, those that wait for it too, whatever
// overflow says; what waits on a stopped Tx queue is sent, or dropped where the lower device does not take it.
int ddp_rxq_start(struct ddp_port *port, uint16_t id);
void ddp_rxq_stop(struct ddp_port *port, uint16_t id);
void ddp_txq_start(struct ddp_port *port, uint16_t id);
void ddp_txq_stop(struct ddp_port *port, uint16_t id);
// Wait until no burst call is inside the port. running must be false.
void ddp_port_quiesce(struct ddp_port *port);

// ethdev.c
extern const struct eth_dev_ops ddp_port_ops;

// stats.c: under the port's mutex.
int ddp_stats_get(struct ddp_port *port, struct rte_eth_stats *stats);
int ddp_stats_reset(struct ddp_port *port);
// Names and values (either may be NULL) of at most n extended statistics. Returns how many there
// are.
unsigned int ddp_xstats_get(struct ddp_port *port, struct rte_eth_xstat_name *names,
			    struct rte_eth_xstat *values, unsigned int n);
// The same of the port as a whole only.
unsigned int ddp_xstats_port_get(struct ddp_port *port, struct rte_eth_xstat_name *names,
				 struct rte_eth_xstat *values, unsigned int n);
// Everything counted since the last reset, until the next call.
const struct ddp_stats *ddp_stats_read(struct ddp_port *port);
// Have counters for all packet types that have an id. -ENOMEM leaves those there are.
int ddp_stats_reserve(struct ddp_port *port);

// telemetry.c: once a process.
void ddp_telemetry_register(void);

// probe.c
// The end of a port: called by dev_close, and by remove when the application never closed it.
int ddp_port_close(struct rte_eth_dev *dev);

// rxtx.c
extern int ddp_meta_off; // of the dynamic mbuf fields
extern int ddp_rx_tsc_off;
uint16_t ddp_rx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_prepare(void *queue, struct rte_mbuf **mbufs, uint16_t n);
dpdk_queue_count_t ddp_rx_queue_count(void *queue);
int ddp_rx_descriptor_status(void *queue, uint16_t off);
int ddp_tx_descriptor_status(void *queue, uint16_t off);
// Send what waits on Tx rings, as far as the lower queues are free and take it.
void ddp_tx_flush(struct ddp_port *port);
// Send what is now on a Tx queue's ring; its lower queue is locked. Returns whether the lower device took
// all.
bool ddp_tx_ring_flush(struct ddp_txq *queue);

#endif
