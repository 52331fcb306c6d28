/* SPDX-License-Identifier: BSD-3-Clause */
// net_ddp: a virtual NIC in front of another DPDK port, the lower device.
//
// A thread that polls one of our Rx queues takes packets from the lower device for all of them: it
// locks a lower Rx queue, reads a burst, classifies and hashes it, keeps what belongs to its own
// queue and puts the rest on the rings of the other queues. No core is a dedicated distributor, and
// no core idles while packets wait.
//
//	lower Rx queue 0 --lock--> classify, hash --+--> ring (0, 0) --> Rx queue 0
//	                                            +--> ring (0, 1) --> Rx queue 1
//	lower Rx queue 1 --lock--> classify, hash --+--> ring (1, 0) --> Rx queue 0
//	                                            +--> ring (1, 1) --> Rx queue 1
//
// Threads. A driver does not own the threads that poll it; they may start and stop polling at any
// time:
//
//   - A burst call holds the busy lock of its own queue from beginning to end. A call that bypasses
//     the rings (run/rx_bypass.c) holds the lower queue's lock instead. ethdev allows one thread
//     per queue, so the others that take a busy lock are calls that count packets on an Rx queue,
//     and the control path. Those that count packets on a Tx queue have a lock of their own: a
//     thread that sends would take its packets for bad ones. The control path clears running, then
//     takes every one of these locks and every lower Rx queue's lock once: after that no burst call
//     is inside the port, and none can enter.
//   - The lock of a lower queue protects all of struct ddp_lower_rxq or ddp_lower_txq, the lower
//     queue itself, and the steering: a burst call uses a steering only under a lower Rx queue's
//     lock, so a thread that exchanged the pointer under each of these locks may free the old
//     steering. Flow rules are put into tables that a steering uses, and taken out of them. Hash
//     rules, and others that path caches learn, are while all of these locks are held. Steering
//     rules with values are without a lock: a thread that took each of these locks afterwards may
//     free what it took out. That is done for many rules at once, so a burst call that runs when
//     such a rule is destroyed may still apply it.
//   - The data path (run/) only tries locks and never waits.
//   - All this also holds between processes: secondary processes run the data path, too. See mp.h.
//   - The port's mutex protects the fields that are marked "control" below. A thread that holds it
//     may wait for any of the locks above. Under full load a lower queue's lock is free for moments
//     only, so the control path announces that it wants the lock: see ddp_lower_rxq_lock().
//   - No lock is held while the lower device or the application is called (DDP_LOWER_CALL()), with
//     two exceptions that cannot call back: the lower device's functions of queues (burst, count,
//     clean-up, interrupt), and calls that only read ethdev's own data. The lower device may call
//     the application, as net_bonding does when it starts, and the application may then ask this
//     port for its link or statistics. The lower device may lead back to this port: net_bonding may
//     have it as a member. And it may wait for the interrupt thread, in which the application may
//     be asking this port.
//   - A port is changed by one thread at a time (control.c), also while that thread calls the lower
//     device. Other threads can read the port meanwhile and may see an intermediate state.
//
// A ring has one writer, which holds the lower Rx queue's lock (or polls the Tx queue), and one
// reader, which polls the Rx queue (or holds the lower Tx queue's lock).
//
// Counters have one writer at a time and can be read at any time: see counter_add() and
// counter_read().
//
// Calls between files go one way: ethdev.c, pmd.c, telemetry.c, port_flow.c,
// port_personality.c, mapping.c, rss.c -> change.c -> steering.c, lower_offload.c -> hw_ptypes.c ->
// quiesce.c, message.c.
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
#include "base/memory.h"
#include "classify/cache/cache.h"
#include "classify/classify.h"
#include "classify/flow/flow.h"
#include "personality/personality.h"
#include "port/lower/hw_ptypes.h"
#include "port/lower/lower_offload.h"
#include "port/run/flow_sample.h"
#include "port/run/load.h"
#include "port/run/order.h"
#include "port/run/ring.h"
#include "profile/profile.h"
#include "rss/rss.h"
#include "rte_pmd_ddp.h"
#include "rules/rules.h"

#define DDP_PORT_QUEUES 256     // Rx queues, and Tx queues
#define DDP_PORT_DESC_MAX 32768 // descriptors of one of them
#define DDP_PORT_DESC_DEFAULT 512
#define DDP_PORT_BURST 32 // packets taken from a lower queue at once
#define DDP_PORT_NONE RTE_MAX_ETHPORTS
#define DDP_PORT_TUNNELS 64
#define DDP_LOWER_ID_MIN (RTE_MAX_ETHPORTS / 2) // of the ids of lower ports

static_assert(DDP_MAX_INPUT_SIZE == DDP_HASH_INPUT_MAX, "input sets fit the hash function");
static_assert(DDP_PORT_QUEUES <= RTE_MAX_QUEUES_PER_PORT, "ethdev has room for our queues");
static_assert(DDP_PORT_BURST <= DDP_BURST_MAX, "a burst is classified in one go");
static_assert(DDP_PORT_BURST % 16 == 0, "queues of a burst are compared in groups of 16");
static_assert(DDP_PORT_QUEUES == DDP_FLOW_QUEUES_MAX, "a rule may name every queue");
static_assert(DDP_PORT_QUEUES <= UINT8_MAX + 1, "a queue number fits one byte");
static_assert((DDP_RETA_SIZE & (DDP_RETA_SIZE - 1)) == 0, "a hash is masked into the table");
static_assert(sizeof(struct rte_pmd_ddp_meta) == 8, "ddp_meta is a contract");

// What happens to a packet that a full ring cannot take.
enum ddp_overflow {
	DDP_OVERFLOW_DROP, // count it as missed, as a NIC does
	DDP_OVERFLOW_WAIT, // keep it and read no more until it fits
};

// RTE_PTYPE_* that mbufs get instead of the detected ones, by packet type id. Constant once built.
struct ddp_mapping {
	unsigned int n; // ids from here on are not mapped
	uint32_t ptypes[];
};

// Everything that decides where a packet goes. Constant once built, but for policy.id and the rules
// in the tables of flows; see ddp_steering_apply().
struct ddp_steering {
	struct ddp_policy policy;          // path caches are valid for its id
	const struct ddp_flows *flows;     // NULL: no rules
	const struct ddp_mapping *mapping; // NULL: none
	uint32_t ptype_mask;               // RTE_PTYPE_* layers that mbufs get
	uint16_t reta[DDP_RETA_SIZE];
	struct ddp_hash hash;
};

// RSS as the application configured it; the steering is built from it.
struct ddp_rss {
	bool enabled; // mq_mode has RSS
	uint64_t rss_hf;
	enum ddp_hash_function function;
	uint16_t n_queues; // that reta was filled for
	uint16_t reta[DDP_RETA_SIZE];
	uint8_t key[DDP_KEY_SIZE];
};

// A change of what a steering is made of. NULL: unchanged.
struct ddp_change {
	struct ddp_personality *personality;
	struct ddp_mapping *mapping;
	const struct ddp_rss *rss;
	struct ddp_flows *flows;
	uint32_t ptype_mask; // 0: unchanged
	// With a redirection table: give moves of entries up after this time; 0: they are final.
	unsigned int patience_us;
};

// Packets and their Rx queues.
struct ddp_batch {
	uint16_t n;
	uint8_t queues[DDP_PORT_BURST] __attribute__((aligned(16)));
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
};

// A lock of the data path has this value while this process holds it: 1 in the primary process, in
// others their process id, so that the locks of a process that ended are known. Not
// rte_spinlock_trylock(), which writes 1 even if it fails.
extern int ddp_lock_owner;

static inline bool ddp_trylock(rte_spinlock_t *lock) {
	int unlocked = 0;

	return __atomic_compare_exchange_n(&lock->locked, &unlocked, ddp_lock_owner, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// Not rte_spinlock_unlock(), which on x86 exchanges the value and so waits for all stores before,
// such as those to the mbufs of a burst.
static inline void ddp_unlock(rte_spinlock_t *lock) {
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

struct ddp_lower_rxq {
	// All calls use this cache line.
	rte_spinlock_t lock; // protects all fields below but wanted, seen and left_until
	bool wanted;         // by the control path: the data path does not try the lock
	uint8_t order;       // enum ddp_order_mode
	uint16_t id;
	uint16_t port_id;                // of the lower device
	uint16_t n_bursts;               // read so far, while hw_ptypes is set
	uint32_t drain;                  // packets to hash in software before hw_ptypes is used
	struct ddp_hw_ptypes *hw_ptypes; // NULL: every packet is classified
	uint64_t *types;                 // packets by packet type id
	uint64_t taken;                  // packets read
	uint64_t offloaded;              // packets with a hardware hash
	struct ddp_batch held;           // with overflow=wait: packets that did not fit

	const struct ddp_steering *steering;
	uint32_t *entries; // with balance=: packets by entry of the redirection table; else NULL
	struct ddp_flow_sample sample;
	struct ddp_order_counts order_counts;
	struct ddp_order *orders;                // while the port is started
	struct ddp_cache *cache;                 // ditto
	struct ddp_cache_stats past;             // control: of caches that were freed
	struct ddp_ring *rings[DDP_PORT_QUEUES]; // to each Rx queue that is started
	// control: the same, while a burst call replaces one of them for itself
	struct ddp_ring *all_rings[DDP_PORT_QUEUES];
	struct ddp_port *port; // control
	uint16_t wakes;        // control: the Rx queue that its interrupt wakes; see rx_intr.c
	uint64_t missed[DDP_PORT_QUEUES];    // packets that did not fit (imissed), by Rx queue
	uint64_t rule_dropped;               // packets that an rte_flow rule drops
	uint64_t decapped, decap_passed;     // with decap=on: packets with and without a tunnel
	uint32_t seen;                       // polls of the own queue when another last looked
	uint64_t left_until;                 // by TSC: others leave it to its own queue
	const struct ddp_hw_ptype *hw_ptype; // of all packets of the burst; NULL: differs
	const struct ddp_hw_ptype
		*mixed[DDP_PORT_BURST]; // by packet of the burst; NULL: classified
	struct ddp_hw_ptype
		*unverified[DDP_PORT_BURST]; // by classified packet: to verify; NULL: nothing
	struct ddp_burst burst;              // result of classifying the burst
} __rte_cache_aligned;

static_assert(offsetof(struct ddp_lower_rxq, held) + sizeof(uint16_t) <= RTE_CACHE_LINE_SIZE,
	      "held.n is in the first cache line");

struct ddp_lower_txq {
	rte_spinlock_t lock; // protects the lower queue
	bool wanted;         // as a lower Rx queue's
	uint16_t id;
	bool shared;           // by several Tx queues; set while stopped
	struct ddp_port *port; // control

	// Set after packets were put on a ring, cleared before all rings are flushed.
	bool waiting __rte_cache_aligned;
	uint64_t ticket; // of the next burst that is put on a ring
} __rte_cache_aligned;

struct ddp_rxq {
	rte_spinlock_t busy;
	bool started; // it has rings; the control path clears this, then waits for the lock
	uint16_t id;
	uint16_t next; // lower queue to try first
	struct ddp_port *port;
	uint16_t bypass_left; // calls until the queue polls another lower queue
	uint16_t next_other;  // that one
	bool lower_first;     // before the rings, in the last call that read both
	// Packets may be on its rings. A queue that bypasses its rings reads them only if this is
	// set. Set after packets were put there, cleared before they are taken.
	bool waiting;
	// The lower queue of the same number if its packets bypass the rings; else NULL. Written
	// under that lower queue's lock; without the lock it is a hint.
	struct ddp_lower_rxq *own;
	const struct ddp_hw_ptype
		*last;    // of the last burst of one packet type; protected by the same lock
	uint64_t packets; // written by the burst call
	uint64_t bytes;
	uint32_t polls;             // ditto; see run/order.h
	uint32_t absent;            // polls when a change stopped waiting for the queue
	struct ddp_queue_load load; // written by the burst call
	struct rte_mempool *pool;   // control
	uint16_t n_desc;            // control
	bool deferred;              // control: not started with the port
	rte_spinlock_t mp; // held by a burst call of a secondary process, around all others
	// with Rx interrupts, see rx_intr.c: to be woken by who puts packets on its rings
	bool armed;
	int intr_fd, wake_fd; // control
} __rte_cache_aligned;

// A packet on a Tx ring.
struct ddp_tx_slot {
	struct rte_mbuf *mbuf;
	uint64_t ticket; // its burst's place in the order of all bursts on the lower queue's rings
};

struct ddp_txq {
	rte_spinlock_t busy;
	rte_spinlock_t counted; // by a call that any thread may make
	bool started;           // as for an Rx queue
	uint16_t id;
	struct ddp_port *port;
	struct ddp_lower_txq *lower; // while started
	struct rte_ring *ring;       // of slots; while the port is started, if lower is shared
	uint16_t n_desc;             // control
	bool deferred;               // control: not started with the port

	// written under the lower queue's lock, or under the busy lock if it is not shared
	uint64_t packets __rte_cache_aligned;
	uint64_t bytes;
} __rte_cache_aligned;

struct ddp_queue_stats {
	uint64_t packets, bytes, missed;
};

// All counters, as an array of uint64_t.
struct ddp_stats {
	uint64_t rx_taken;        // from the lower device
	uint64_t rx_rule_dropped; // by rte_flow rules
	uint64_t rx_offloaded;    // hashed by the lower device
	uint64_t rx_decapped, rx_decap_passed;
	uint64_t order_parked;
	uint64_t balance_given_up, balance_rounds, balance_moves;
	uint64_t rx_dropped; // at stop
	uint64_t tx_dropped; // at stop
	uint64_t cache_hits, cache_misses, cache_learned;
	struct ddp_queue_stats rx[DDP_PORT_QUEUES];
	struct ddp_queue_stats tx[DDP_PORT_QUEUES];
	uint64_t types[]; // by id
};

// Port ids that are held; see lower_ids.c.
struct ddp_ids {
	unsigned int n;
	struct rte_eth_dev *devs[DDP_LOWER_ID_MIN];
};

// The lower device. Control path only, except port_id, which the data path reads and which is
// constant while running.
struct ddp_lower {
	char name[RTE_DEV_NAME_MAX_LEN];
	char bus[RTE_DEV_NAME_MAX_LEN];
	uint16_t port_id;    // DDP_PORT_NONE: none yet
	struct ddp_ids held; // while it is probed
	bool probed;         // by us; else it existed before
	bool gone;           // removed by someone else
	bool unplugged; // RTE_ETH_EVENT_INTR_RMV or RTE_DEV_EVENT_REMOVE; atomic, never cleared
	bool started;
	bool queues_ready;     // set up since it was last configured
	uint16_t n_rxq, n_txq; // queues in use, once configured
	uint16_t n_rxq_max;    // Rx queues that we use at most
	bool n_rxq_fixed;      // always n_rxq_max, also if we have fewer Rx queues
	bool unshared;         // each process would have a source of its own
	struct rte_eth_dev_owner owner;
	struct rte_eth_dev_info info; // at probe (net_pcap's maximum shrinks later)
	struct rte_eth_conf conf;     // applied
	struct rte_mempool *pool;     // applied
	uint16_t n_rxd, n_txd;        // applied
	struct rte_eth_stats base;    // subtracted if it cannot reset its counters
};

enum ddp_alarm {
	DDP_ALARM_HW_PTYPES, // hashes of the lower device are watched
	DDP_ALARM_KEPT,      // packets are kept by the net_ddp below
	DDP_ALARM_MP,        // locks of other processes are watched
	DDP_ALARM_BALANCE,
	DDP_ALARM_LEAVING,   // the lower device is about to be removed
	DDP_ALARM_RECOVERED, // the lower device has recovered
	DDP_N_ALARMS,
	DDP_ALARM_CHANGES = DDP_ALARM_BALANCE, // this and the following ring within a change
};

// dev->data->dev_private
struct ddp_port {
	uint64_t layout; // ddp_mp_layout() of the primary process; first, so that all layouts have
			 // it

	// Read by the data path. The control path clears running, waits for the burst calls inside,
	// then writes the others.
	bool running;
	bool meta;             // packets that bypass the rings get the dynamic fields
	bool rx_extras;        // one or more of the following two
	bool decap;            // tunnels are removed
	bool balances;         // the load of queues is measured; changed under traffic
	bool rx_intr;          // queues may sleep
	uint64_t rx_checksums; // RTE_ETH_RX_OFFLOAD_*_CKSUM: verified in software
	uint64_t tx_checksums; // RTE_ETH_TX_OFFLOAD_*_CKSUM: computed in software
	uint16_t id;
	enum ddp_overflow overflow;
	struct ddp_lower_rxq *lower_rxqs;
	struct ddp_lower_txq *lower_txqs;
	uint16_t n_lower_rxqs, n_lower_txqs; // in use
	uint16_t n_rxqs, n_txqs;             // as configured
	bool tx_shared;                      // one or more lower Tx queues are
	bool mp_receives;                    // secondary processes may; see mp.h

	struct ddp_rxq rxqs[DDP_PORT_QUEUES];
	struct ddp_txq txqs[DDP_PORT_QUEUES];

	// control
	pthread_mutex_t *mutex;     // the registry's
	void *alarms[DDP_N_ALARMS]; // that are set; atomic
	uint64_t pid_ns;            // the primary process' namespace of process ids; 0: unknown
	bool changing;              // a change is under way,
	pthread_t changer;          // by this thread
	bool stuck;                 // a burst call did not end when a device was to be removed
	unsigned int n_out;         // threads that released the mutex to call the lower device
	bool ready;                 // set up; secondary processes read it, too
	const char *name;           // net_ddp0
	struct rte_eth_dev_data *data;
	// Names of packet types by id. A name keeps its id as long as the port exists; id 0 is
	// none.
	struct ddp_type_name **type_names;
	void *type_tree;
	unsigned int n_type_ids;
	unsigned int n_counted; // ids below this have counters; n_type_ids or more, once set up
	struct ddp_personality *personality;
	uint64_t n_profile_changes; // since probe
	struct ddp_flow_list rules;
	struct ddp_flows *flows;     // their shapes, compiled
	bool shapes_warned;          // that these are many
	struct ddp_mapping *mapping; // NULL: none yet
	struct ddp_rss rss;
	uint8_t rss_key_size; // as the application sees it, constant
	uint32_t ptype_mask;
	struct ddp_tunnel tunnels[DDP_PORT_TUNNELS]; // declared, of any header
	unsigned int n_tunnels;
	struct ddp_steering *steering;
	struct ddp_balance *balance;     // NULL: it never was on
	struct ddp_hw_ptypes *hw_ptypes; // used by the lower queues
	struct ddp_offload offload;
	enum ddp_isa isa; // of the data path, chosen at start
	struct ddp_lower lower;
	uint64_t rx_dropped, tx_dropped;
	struct ddp_stats *stats_now, *stats_base;
};

// Number of MAC addresses it can have, the default one included.
static inline uint32_t ddp_lower_n_macs(const struct ddp_port *port) {
	return RTE_MAX(port->lower.info.max_mac_addrs, 1U);
}

// What the data path reads, which also runs in secondary processes, is in EAL's memory: they all
// have it at the same address.
extern const struct ddp_memory ddp_port_memory;

extern int ddp_port_logtype;

// Log one line, preceded by the port's name. Control characters, which may come from names in it,
// are escaped.
#define PORT_LOG(level, name, fmt, ...) \
	ddp_port_log(RTE_LOG_##level, "%s: " fmt, name, ##__VA_ARGS__)
void ddp_port_log(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// Write one line to error (size bytes). Returns ret, which is negative.
int ddp_fail(char *error, size_t size, int ret, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define DDP_FAIL_NO_MEMORY(error, size) ddp_fail(error, size, -ENOMEM, "out of memory")

static inline void counter_add(uint64_t *counter, uint64_t n) {
	// Release: a reader of this counter also sees the counters that the same packets updated
	// before.
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
	X(lower_queues, "<number>")                                               \
	X(rss_key_len, "40|52")                                                   \
	X(package, "<file>")                                                      \
	X(decap, "on|off")                                                        \
	X(balance, "off|on|<ms>")

struct ddp_devargs {
	char *lower;   // devargs of the lower device
	char *profile; // NULL: none given
	char *package; // file for a 700-series NIC; NULL: none given
	bool meta;
	enum ddp_overflow overflow;
	enum ddp_offload_mode offload;
	const struct ddp_nic *nic; // NULL: none given
	uint16_t lower_queues;     // 0: none given
	uint8_t rss_key_len;       // 0: none given
	bool decap;
	unsigned int balance_ms; // 0: off
};

// 0, or -errno with one line in error. Call ddp_devargs_fini() in either case.
int ddp_devargs_parse(const char *args, struct ddp_devargs *devargs, char *error,
		      size_t error_size);
void ddp_devargs_fini(struct ddp_devargs *devargs);

// control.c: access to a port.
#define DDP_CONTROL_WAIT_US 100 // poll interval of a thread that waits for a change to end
// Begin a change, with the mutex held. -EAGAIN: not during another thread's change. -EBUSY (logged)
// if waiting for the end of a change would never end: within a change by this thread (the lower
// device, or a callback of the application, called the port again), or in the interrupt thread.
int ddp_change_try(struct ddp_port *port);
// End it, and release the mutex.
void ddp_change_end(struct ddp_port *port);
// Release the mutex to call the lower device, and take it again. false: it was removed, and the
// mutex is kept.
bool ddp_lower_enter(struct ddp_port *port);
void ddp_lower_leave(struct ddp_port *port);
// Is no other thread inside the lower device for this port? The mutex is held.
bool ddp_is_alone(const struct ddp_port *port);
// Call the lower device, or anything else that may call back or wait, with the mutex released. The
// value is that of the call, an int, or -ENODEV if the lower device was removed.
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

// Below, "under the port's mutex" means for functions that change anything: within a change.

// personality.c: all under the port's mutex (except while the port is set up).
// The first personality, from a specification (NULL: none). -errno with messages in diag.
int ddp_personality_init(struct ddp_port *port, const char *spec, struct ddp_diag *diag);
// Change it under traffic, or fail with one line in error and leave everything as it was. They
// return what the public functions of rte_pmd_ddp.h document.
int ddp_personality_add(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size);
// source->spec NULL: no profile.
int ddp_personality_set(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size);
// source->spec: a name, or a specification as it was given.
int ddp_personality_del(struct ddp_port *port, const struct ddp_source *source, char *error,
			size_t error_size);
// Compile the same profiles with the UDP ports that are declared now.
int ddp_personality_rebuild(struct ddp_port *port, char *error, size_t error_size);

// tunnels.c: UDP ports of tunnels, in addition to those in the profiles. Under the port's mutex,
// under traffic; errors are logged. Declared ports remain when a profile is deleted. -ENOTSUP: no
// profile has this tunnel; -EEXIST: the port is declared for some tunnel; -EINVAL: a profile uses
// the port for another header; -ENOSPC.
int ddp_tunnel_add(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);
// -ENOENT: it was not declared.
int ddp_tunnel_del(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);

// mapping.c: all under the port's mutex.
static inline uint32_t ddp_mapping_apply(const struct ddp_mapping *mapping, uint16_t id,
					 uint32_t found) {
	if (mapping == NULL || id >= mapping->n || mapping->ptypes[id] == DDP_PTYPE_AS_FOUND)
		return found;
	return mapping->ptypes[id];
}
// RTE_PTYPE_* that mbufs of a type of the current personality get.
uint32_t ddp_mapping_of(const struct ddp_port *port, const struct ddp_type_info *type);
// As documented in rte_pmd_ddp.h.
int ddp_mapping_update(struct ddp_port *port, const struct rte_pmd_ddp_ptype_mapping *items,
		       unsigned int n, bool exclusive);
int ddp_mapping_replace(struct ddp_port *port, uint32_t target, bool mask, uint32_t rte_ptype);
int ddp_mapping_reset(struct ddp_port *port);

// ptype_ids.c: ids of packet types. Under the port's mutex.
// Give the packet types of a program the port's ids. -ENOMEM, or -ENOSPC if no ids are left.
int ddp_types_number(struct ddp_port *port, struct ddp_program *program);
// Forget the ids from n on, which must not have been used.
void ddp_types_forget(struct ddp_port *port, unsigned int n);
// The name of an id, NULL for none.
const char *ddp_types_name(const struct ddp_port *port, unsigned int id);

// Let mbufs have only these layers of packet types. -ENOMEM leaves everything as it was.
int ddp_ptypes_set(struct ddp_port *port, uint32_t mask);

// change.c, steering.c: under the port's mutex (except while the port is set up). Apply a change,
// then let the lower device hash for the new steering. -ENOMEM leaves everything as it was.
int ddp_change_apply(struct ddp_port *port, const struct ddp_change *change);
// Build the steering and exchange it under traffic, in one step; the replaced objects are freed.
// The port owns what the change refers to, except rss, which is copied. -ENOMEM leaves everything
// as it was.
int ddp_steering_apply(struct ddp_port *port, const struct ddp_change *change);

// Between these two, rules come or go that path caches learn, and no packet is classified. After it
// the path caches learn anew, and packets wait for those of before.
void ddp_steering_relearn_begin(struct ddp_port *port);
void ddp_steering_relearn_end(struct ddp_port *port);
// Wait until no burst call uses what was taken out of the rules' tables before.
void ddp_steering_wait(struct ddp_port *port);

// rss.c: under the port's mutex; errors are logged.
void ddp_rss_init(struct ddp_rss *rss);
int ddp_rss_configure(struct ddp_port *port);
int ddp_rss_hash_update(struct ddp_port *port, const struct rte_eth_rss_conf *conf);
// Does the personality resemble an 800-series NIC, in the fields that rss_hf chooses too?
bool ddp_rss_emulates(const struct ddp_port *port);
void ddp_rss_hash_get(const struct ddp_port *port, struct rte_eth_rss_conf *conf);
int ddp_rss_reta_update(struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
			uint16_t size);
int ddp_rss_reta_query(const struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
		       uint16_t size);

// port_flow.c: under the port's mutex. Compile the port's rules for a personality and a number of
// Rx queues (DDP_PORT_QUEUES: unchanged). -EINVAL or -ENOMEM with the reason, which names the rule,
// in why (may be NULL).
int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *reason, size_t reason_size);
unsigned int ddp_flows_count(const struct ddp_port *port);
// The hash function for packets that no rule with a pattern matches.
enum ddp_hash_function ddp_flows_function(const struct ddp_port *port);
// List the patterns of the rules that cannot be compiled for a personality in text (size bytes). 0
// or -ENOMEM.
int ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
		       char *text, size_t size);
extern const struct rte_flow_ops ddp_flow_ops;

// registry.c
// For ethdev's operations. While another thread closes the port, ethdev clears dev and dev->data.
static inline uint16_t ddp_port_id(const struct rte_eth_dev *dev) {
	return dev - rte_eth_devices;
}
void ddp_registry_add(struct ddp_port *port);
// When this returns, no thread can find the port, and no thread that found it before still uses it.
void ddp_registry_del(struct ddp_port *port);
// A port with its mutex held, for reading, to be released by ddp_registry_put(). NULL: port_id is
// no net_ddp port, or one that is not set up yet.
struct ddp_port *ddp_registry_get(uint16_t port_id);
// The same, including a port that is being set up.
struct ddp_port *ddp_registry_get_early(uint16_t port_id);
void ddp_registry_put(struct ddp_port *port);
// A port with a change begun, to be ended by ddp_change_end(). Waits for another thread's change.
// NULL: -ENODEV, or -EBUSY as above, in ret.
struct ddp_port *ddp_registry_change(uint16_t port_id, int *ret);
// The interrupt thread calls fn in us microseconds, once the port is set up, with the port's mutex
// held, within a change from
// DDP_ALARM_CHANGES on, and never after the port is removed. fn
// releases it with ddp_registry_put() or ddp_change_end(). Does nothing if the alarm is set. Any
// thread, without a mutex, too. false: there is no memory (logged).
typedef void ddp_alarm_fn(struct ddp_port *port);
bool ddp_alarm_set(struct ddp_port *port, enum ddp_alarm alarm, uint64_t us, ddp_alarm_fn *fn);
static inline void ddp_alarm_unset(struct ddp_port *port, enum ddp_alarm alarm) {
	__atomic_store_n(&port->alarms[alarm], NULL, __ATOMIC_SEQ_CST);
}
void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg);

// attach.c: errors are logged, -errno returned. The port must be in the registry for
// ddp_lower_attach(), which learns of the lower port by an event, and not in it for the others.
int ddp_lower_attach(struct ddp_port *port, const char *devargs);
// Undo an attach, even a failed one: remove the device if we probed it.
void ddp_lower_release(struct ddp_port *port);
// Close the lower port, and remove its device from its bus if remove_device is set.
void ddp_lower_close(struct ddp_port *port, bool remove_device);

// lower_ids.c: hold the port ids below DDP_LOWER_ID_MIN for a port, so that its lower device gets a
// higher one. Holds none if the high ones are nearly used up.
void ddp_ids_hold(struct ddp_ids *ids, uint16_t port_id);
void ddp_ids_release(struct ddp_ids *ids);

// RSS types for a lower device with several queues. They only have to keep a flow on one queue.
#define DDP_LOWER_SPREAD_HF (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP)

// lower.c: under the port's mutex; errors are logged, -errno returned. Can the lower device write
// RSS hashes into mbufs, and may it? Without the RSS flag of an mbuf nobody knows which packets
// were hashed.
bool ddp_lower_can_hash(const struct ddp_port *port);
// The Tx offloads that it has.
uint64_t ddp_lower_tx_capa(const struct ddp_lower *lower);
// May the lower device have this mempool, Rx queue 0's? -EINVAL: not with several threads.
int ddp_lower_pool_check(const struct ddp_port *port, const struct rte_mempool *pool);
int ddp_lower_configure(struct ddp_port *port, const struct rte_eth_conf *conf);
// Reset it while it is stopped, and configure it as before.
int ddp_lower_reset(struct ddp_port *port);
int ddp_lower_start(struct ddp_port *port);
void ddp_lower_stop(struct ddp_port *port);

// Unplugged or removed? No lock is needed.
static inline bool ddp_lower_is_unplugged(const struct ddp_port *port) {
	return port->lower.gone || __atomic_load_n(&port->lower.unplugged, __ATOMIC_SEQ_CST);
}

// queues.c: under the port's mutex.
int ddp_port_start(struct ddp_port *port);
void ddp_port_stop(struct ddp_port *port);
// Start and stop queues of a started port. Packets for a stopped Rx queue, including those on its
// rings, count as missed, with either overflow=. Packets on the ring of a stopped Tx queue are
// sent, or dropped if the lower device does not take them.
int ddp_rxq_start(struct ddp_port *port, uint16_t id);
void ddp_rxq_stop(struct ddp_port *port, uint16_t id);
void ddp_txq_start(struct ddp_port *port, uint16_t id);
void ddp_txq_stop(struct ddp_port *port, uint16_t id);

// rx_intr.c: Rx interrupts. Under the port's mutex, except for ddp_rx_intr_wake().
// May the lower device have them? -ENOTSUP, logged, if not.
int ddp_rx_intr_check(const struct ddp_port *port);
// After the lower device was started, before running is set; and before it is stopped, or if the
// start failed. Errors are logged.
int ddp_rx_intr_start(struct ddp_port *port);
void ddp_rx_intr_stop(struct ddp_port *port);
// Which queues are started has changed.
int ddp_rx_intr_assign(struct ddp_port *port);
// Arm and disarm a queue. -ENOTSUP: the port is not started with Rx interrupts.
int ddp_rx_intr_enable(struct ddp_port *port, uint16_t id);
int ddp_rx_intr_disable(struct ddp_port *port, uint16_t id);
// Wake the thread that sleeps at a queue, if it does.
void ddp_rx_intr_wake(struct ddp_rxq *queue);
void ddp_rx_intr_wake_all(struct ddp_port *port);

// quiesce.c
// If the process that holds a lock has ended, these take its locks away: see mp.h. A wait of some
// seconds is logged.
// Wait for the burst call that holds this busy lock.
void ddp_call_wait(struct ddp_port *port, rte_spinlock_t *busy);
// Wait for the lock of a lower queue, ahead of the data path. ddp_unlock() releases it.
void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower);
// Likewise for microseconds at most: for what can be done later. Returns whether it is locked.
bool ddp_lower_rxq_trylock(struct ddp_lower_rxq *lower);
void ddp_lower_txq_lock(struct ddp_lower_txq *lower);
// Wait until no burst call is inside the port. running must be false.
void ddp_port_quiesce(struct ddp_port *port);
// The same for some seconds at most. Returns whether no burst call is inside.
bool ddp_port_quiesce_in(struct ddp_port *port, unsigned int seconds);

// ethdev.c
extern const struct eth_dev_ops ddp_port_ops;
// Parts of these operations, also for other processes. Under the port's mutex; the last three
// within a change.
#define DDP_PTYPES_MAX 106 // the end of the list included
void ddp_info_get(const struct ddp_port *port, struct rte_eth_dev_info *info);
int ddp_fw_version_get(const struct ddp_port *port, char *version, size_t size);
// All zero if the lower device has no link to report.
void ddp_link_get(struct ddp_port *port, bool wait, struct rte_eth_link *link);
// Values of single layers, as ethdev defines them, and RTE_PTYPE_UNKNOWN as the end. Returns how
// many come before it.
unsigned int ddp_ptypes_get(const struct ddp_port *port, uint32_t ptypes[DDP_PTYPES_MAX]);
uint32_t *ddp_ptypes_list(void);
void ddp_rxq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_rxq_info *info);
void ddp_txq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_txq_info *info);
int ddp_promiscuous_set(struct ddp_port *port, bool on);
int ddp_allmulticast_set(struct ddp_port *port, bool on);
int ddp_mtu_set(struct ddp_port *port, uint16_t mtu);

// stats.c: under the port's mutex.
int ddp_stats_get(struct ddp_port *port, struct rte_eth_stats *stats);
int ddp_stats_reset(struct ddp_port *port);
// The lower device's own statistics since the last reset, 0 if it has none. Releases the mutex
// meanwhile.
struct rte_eth_stats ddp_stats_lower(struct ddp_port *port);
// Names and values (either may be NULL) of at most n extended statistics. Returns their number, or
// -ENOMEM. Releases the mutex meanwhile.
int ddp_xstats_get(struct ddp_port *port, struct rte_eth_xstat_name *names,
		   struct rte_eth_xstat *values, unsigned int n);
// The same for the port only, and what the lower device dropped. lower: ddp_stats_lower(). Keeps
// the mutex.
unsigned int ddp_xstats_port_get(struct ddp_port *port, const struct rte_eth_stats *lower,
				 struct rte_eth_xstat_name *names, struct rte_eth_xstat *values,
				 unsigned int n);
// All counters since the last reset. Valid until the next call.
const struct ddp_stats *ddp_stats_read(struct ddp_port *port);
// Make room for the counters of all packet types that have an id. -ENOMEM leaves the old ones.
int ddp_stats_reserve(struct ddp_port *port);
// The longest time that packets were parked for (run/order.h), in microseconds.
uint64_t ddp_parking_us(const struct ddp_port *port);
// Keep the counters of a lower queue's cache, which is about to go.
void ddp_stats_cache_keep(struct ddp_lower_rxq *lower);

// telemetry.c: once a process.
void ddp_telemetry_register(void);

// probe.c
// Close a port: called by dev_close, and by remove if the application did not close it.
int ddp_port_close(struct rte_eth_dev *dev);

// run/: the burst functions and what ethdev calls beside them.
extern int ddp_meta_off; // of the dynamic mbuf fields
extern int ddp_rx_tsc_off;
uint16_t ddp_rx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_burst(void *queue, struct rte_mbuf **mbufs, uint16_t n);
uint16_t ddp_tx_prepare(void *queue, struct rte_mbuf **mbufs, uint16_t n);
dpdk_queue_count_t ddp_rx_queue_count(void *queue);
int ddp_rx_descriptor_status(void *queue, uint16_t off);
int ddp_tx_done_cleanup(void *queue, uint32_t n);
int ddp_tx_descriptor_status(void *queue, uint16_t off);
// Send the packets on Tx rings, as far as lower queues are not locked and take them.
void ddp_tx_flush(struct ddp_port *port);
// Send the packets that are now on the Tx rings of a lower queue, which is locked. Returns whether
// the lower device took all of them.
bool ddp_tx_lower_flush(struct ddp_port *port, struct ddp_lower_txq *lower);

#endif
