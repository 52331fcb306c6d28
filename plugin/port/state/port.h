/* SPDX-License-Identifier: BSD-3-Clause */
// net_ddp: a virtual NIC in front of another DPDK port, the lower device.
//
// A thread that polls one of our Rx queues takes packets from the lower device for all of them: it
// locks a lower Rx queue, reads a burst, classifies and hashes it, keeps what belongs to its own
// queue and puts the rest on other queues' rings. No core distributes, or idles while packets wait.
//
//	lower Rx queue 0 --lock--> classify, hash --+--> ring (0, 0) --> Rx queue 0
//	                                            +--> ring (0, 1) --> Rx queue 1
//	lower Rx queue 1 --lock--> classify, hash --+--> ring (1, 0) --> Rx queue 0
//	                                            +--> ring (1, 1) --> Rx queue 1
//
// Threads. A driver does not own the threads that poll it; they may stop and begin at any time:
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
//     free the removed ones. That is done for many rules at once, so a burst call that runs when
//     such a rule is destroyed may still apply it.
//   - The data path (run/) only tries locks and never waits.
//   - All this also holds between processes: secondary processes run the data path, too. See
//     mp/mp.h.
//   - The port's mutex protects the fields that are marked "control" below. A thread that holds it
//     may wait for any of the locks above. Under full load a lower queue's lock is free for moments
//     only, so the control path announces that it wants the lock: see ddp_lower_rxq_lock().
//   - No lock is held while the lower device or the application is called (DDP_LOWER_CALL()), with
//     two exceptions that cannot call back: the lower device's functions of queues (burst, count,
//     clean-up, interrupt), and calls that only read ethdev's own data. The lower device may call
//     the application, as net_bonding does when it starts, and the application may then request
//     this port's link or statistics. The lower device may lead back to this port: net_bonding may
//     have it as a member. And it may wait for the interrupt thread, in which the application may
//     be reading this port.
//   - A port is changed by one thread at a time (state/registry.c), also while that thread calls
//     the lower device. Other threads can read the port meanwhile and may see an intermediate
//     state.
//
// A ring has one writer, which holds the lower Rx queue's lock (or polls the Tx queue), and one
// reader, which polls the Rx queue (or holds the lower Tx queue's lock).
//
// Counters have one writer at a time and can be read at any time (counter_add(), counter_read()).
//
// Calls go down the subfolders as README.md orders them. In exchange/, all others call steering.c,
// which calls lower/. In lower/, lower.c calls lower_offload.c, and that lower_plan.c.
#pragma once

#include <pthread.h>

#include <ethdev_driver.h>
#include <rte_ethdev.h>
#include <rte_flow_driver.h>
#include <rte_log.h>

#include "base/dpdk_compat.h"
#include "offload/offload.h"
#include "personality/personality.h"
#include "port/state/queues.h"
#include "port/state/rte_pmd_ddp.h"
#include "rss/balancer.h"
#include "rules/rules.h"

struct ddp_i40e_port;
struct ddp_package;
struct rte_flow;

#define DDP_PORT_NONE RTE_MAX_ETHPORTS
#define DDP_PORT_TUNNELS 64                     // tunnel ports
#define DDP_ERROR_SIZE 512                      // of a line that says why a call failed
#define DDP_LOWER_ID_MIN (RTE_MAX_ETHPORTS / 2) // of the ids of lower ports

static_assert(DDP_MAX_INPUT_SIZE == DDP_HASH_INPUT_MAX, "input sets fit the hash function");
static_assert(DDP_PORT_QUEUES <= RTE_MAX_QUEUES_PER_PORT, "ethdev has room for our queues");
static_assert(DDP_PORT_QUEUES == DDP_FLOW_QUEUES_MAX, "a rule may name every queue");
static_assert((DDP_RETA_SIZE & (DDP_RETA_SIZE - 1)) == 0, "a hash is masked into the table");
static_assert(sizeof(struct rte_pmd_ddp_meta) == 8, "ddp_meta is a contract");

// The treatment of a packet that does not fit on a full ring.
enum ddp_overflow {
	DDP_OVERFLOW_DROP, // count it as missed, as a NIC does
	DDP_OVERFLOW_WAIT, // keep it and read no more until it fits
};

// RTE_PTYPE_* that mbufs get instead of the detected ones, by packet type id. Constant once built.
struct ddp_mapping {
	unsigned int n; // ids from here on are not mapped
	uint32_t ptypes[];
};

static inline uint32_t ddp_mapping_apply(const struct ddp_mapping *mapping, uint16_t id,
					 uint32_t found) {
	if (mapping == NULL || id >= mapping->n || mapping->ptypes[id] == DDP_PTYPE_AS_FOUND)
		return found;
	return mapping->ptypes[id];
}

// Everything that decides where a packet goes. Constant, but for policy.id and rules in tables.
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

// Offload: the lower device hashes for the personality. Control path only.
//
// A plan (plugin/offload) says which of the lower device's packet types it can hash as the
// personality does. The plan's rules are created on the lower port, all or none. Then packets of
// these types bypass classification (state/queues.h). A change of personality:
//
//   - ddp_offload_replan(): no packet bypasses classification; the old rules are destroyed, and
//     new ones are created.
//   - The personality is exchanged.
//   - ddp_offload_renew(): packets bypass again, once the lower queues are drained of packets
//     hashed before.
enum ddp_offload_mode {
	DDP_OFFLOAD_AUTO, // as far as the lower device can
	DDP_OFFLOAD_OFF,
	DDP_OFFLOAD_REQUIRE, // or the port does not start
};

#define DDP_IDLE_CHECKS 100     // checks: 10 s of traffic without a hardware hash
#define DDP_LOWER_RETA_MAX 2048 // entries of the lower device's redirection table

struct ddp_offload {
	enum ddp_offload_mode mode;
	const struct ddp_nic *nic_given; // kind of NIC from devargs, or by the package in the
					 // driver's arguments; NULL: by its name
	bool on;                         // the lower device runs and can be programmed
	bool drain; // the lower queues may hold packets that were hashed with other rules
	const struct ddp_nic *nic;
	struct ddp_plan *plan;                 // as programmed; NULL: none
	uint64_t rss_hf;                       // of ours that the plan was made for
	uint8_t key[52];                       // that the lower device has
	uint16_t reta_was[DDP_LOWER_RETA_MAX]; // its redirection table before we changed it
	uint16_t reta_size;                    // of that; 0: unchanged
	bool bypass;                           // its redirection table equals ours
	bool misrouted;                        // but its packets were on other queues
	struct rte_flow **flows;
	unsigned int n_flows, n_tunnels;
	bool recovered;              // since they were created. Set by any thread, so atomic.
	char reason[DDP_ERROR_SIZE]; // reason why no plan is programmed
	const char *off;             // reason why the programmed plan is not used; NULL: it is used
	uint64_t taken, offloaded;   // packets at the last check
	unsigned int idle_checks;    // consecutive ones that found packets, but none offloaded
	unsigned int n_mismatched;   // packet types of the plan that had packets with another hash
	unsigned int n_unlogged;     // mismatches since the last log line
	uint64_t log_at;             // the next one, by TSC
	struct ddp_package *package; // of the argument `package`, for a 700-series NIC; NULL: none
	struct ddp_i40e_port *i40e;  // the NIC with this package; NULL: it does not have it
};

#define DDP_BALANCE_MS_MAX 60000 // longest interval

// Load-aware RSS. While it is on, the data path counts packets by entry of the redirection table,
// and what packets cost each queue. Every interval an alarm calls ddp_balancer_step() (plugin/rss)
// with these, and applies the moves it returns as a change of the table. run/order.h keeps the
// order of flows. Control path only; exists from the first time that it is on.
struct ddp_balance {
	unsigned int ms;      // interval; 0: off
	uint16_t sampled;     // entry whose flow is sampled; DDP_BALANCER_NONE: none is
	char bound_flow[128]; // the flow of that entry; "": not known
	struct ddp_balancer balancer;
};

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
	struct ddp_queue_stats rx[DDP_PORT_QUEUES], rx_all; // rx_all: their sum
	struct ddp_queue_stats tx[DDP_PORT_QUEUES], tx_all;
	uint64_t types[]; // by id
};

// Port ids that are held; see lower/lower.c.
struct ddp_ids {
	unsigned int n;
	struct rte_eth_dev *devs[DDP_LOWER_ID_MIN];
};

// The lower device. Control path only, but for port_id, which is constant while running.
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
	DDP_ALARM_MP,        // locks of other processes are watched
	DDP_ALARM_BALANCE,
	DDP_ALARM_LEAVING,   // the lower device is about to be removed
	DDP_ALARM_RECOVERED, // the lower device has recovered
	DDP_N_ALARMS,
	DDP_ALARM_CHANGES = DDP_ALARM_BALANCE, // this and the following ring within a change
};

// dev->data->dev_private
struct ddp_port {
	uint32_t layout; // ddp_mp_layout() of the primary process; first, so that all have it

	// Read by the data path. To write others: clear running, then wait for burst calls.
	bool running;
	bool meta;             // packets that bypass the rings get the dynamic fields
	bool rx_extras;        // rx_checksums or decap is set
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
	bool tx_shared;                      // several Tx queues share a lower one
	bool mp_receives;                    // secondary processes may; see mp/mp.h

	struct ddp_rxq rxqs[DDP_PORT_QUEUES];
	struct ddp_txq txqs[DDP_PORT_QUEUES];

	// control
	pthread_mutex_t *mutex;     // the registry's
	void *alarms[DDP_N_ALARMS]; // that are set; atomic
	uint64_t pid_ns;            // the primary process' namespace of process ids; 0: unknown
	bool changing;              // a change is under way
	pthread_t changer;          // thread that changes the port
	bool stuck;                 // a burst call did not end when a device was to be removed
	unsigned int n_out;         // threads that released the mutex to call the lower device
	bool ready;                 // set up; secondary processes read it, too
	const char *name;           // net_ddp0
	struct rte_eth_dev_data *data;
	// Names of packet types by id, which they keep as long as the port exists; 0 is none.
	char **type_names;
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

// Number of MAC addresses of the lower device, the default one included.
static inline uint32_t ddp_lower_n_macs(const struct ddp_port *port) {
	return RTE_MAX(port->lower.info.max_mac_addrs, 1U);
}

// Text output: log lines, and the error of a call.
extern int ddp_port_logtype;

// Log one line behind the port's name. Control characters, as in names, are escaped.
#define PORT_LOG(level, name, fmt, ...) \
	ddp_port_log(RTE_LOG_##level, "%s: " fmt, name, ##__VA_ARGS__)
// Log an error. Evaluates to ret, for functions that then return it.
#define PORT_FAIL(name, ret, fmt, ...) (PORT_LOG(ERR, name, fmt, ##__VA_ARGS__), ret)
// The same two for a text that goes on behind "lower device NAME ".
#define LOWER_LOG(level, port, fmt, ...) \
	PORT_LOG(level, (port)->name, "lower device %s " fmt, (port)->lower.name, ##__VA_ARGS__)
#define LOWER_FAIL(port, ret, fmt, ...) (LOWER_LOG(ERR, port, fmt, ##__VA_ARGS__), ret)
void ddp_port_log(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// Write one line to error, which has DDP_ERROR_SIZE bytes. Returns ret, which is negative.
int ddp_fail(char *error, int ret, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// Append to such a line, truncated.
void ddp_append(char *error, const char *more);
#define DDP_FAIL_NO_MEMORY(error) ddp_fail(error, -ENOMEM, "out of memory")

// EAL's memory, which all processes have at the same address, for all that the data path reads.
extern const struct ddp_memory ddp_port_memory;
