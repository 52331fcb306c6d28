/* SPDX-License-Identifier: BSD-3-Clause */
// Differences between DPDK 22.11 and 26.07. The sources are written for the newest; what an older
// one lacks is made up for here. No other file of plugin/ and apps/ looks at DPDK's version
// (scripts/check). It needs no ethdev, so all may include it.
#pragma once

#include <stdint.h>

#include <rte_version.h>

#define DPDK_SINCE(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))

// 23.03: numbers without a sign have a new name, and the old one is gone in 25.11.
#if !DPDK_SINCE(23, 3)
#define rte_tel_data_add_dict_uint rte_tel_data_add_dict_u64
#define rte_tel_data_add_array_uint rte_tel_data_add_array_u64
#define RTE_TEL_UINT_VAL RTE_TEL_U64_VAL
#endif

// 23.03: rte_flow_item_arp_eth_ipv4 has the header as it is on the wire; before, its fields were
// aligned. DPDK_ARP_FIELDS: testpmd's names, each with the first bit and the number of bits.
#if DPDK_SINCE(23, 3)
#define DPDK_ARP_SPA hdr.arp_data.arp_sip
#define DPDK_ARP_TPA hdr.arp_data.arp_tip
#define DPDK_ARP_FIELDS "sha@64:48m spa@112:32a tha@144:48m tpa@192:32a"
#else
#define DPDK_ARP_SPA spa
#define DPDK_ARP_TPA tpa
#define DPDK_ARP_FIELDS "sha@64:48m spa@128:32a tha@160:48m tpa@224:32a"
#endif

// 23.11: another hash function, and the function is part of a port's RSS configuration: before, it
// was the driver's own one. info and conf are pointers to rte_eth_dev_info and rte_eth_rss_conf.
#if DPDK_SINCE(23, 11)
#define DPDK_RSS_FUNCTION(conf) ((conf)->algorithm)
#define DPDK_RSS_FUNCTION_SET(conf, function) ((conf)->algorithm = (function))
#define DPDK_RSS_FUNCTION_OFFER(info, function) ((info)->rss_algo_capa |= UINT32_C(1) << (function))
#else
#define RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT (RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ + 1)
#define DPDK_RSS_FUNCTION(conf) ((void)(conf), RTE_ETH_HASH_FUNCTION_DEFAULT)
#define DPDK_RSS_FUNCTION_SET(conf, function) ((void)(conf), (void)(function))
#define DPDK_RSS_FUNCTION_OFFER(info, function) ((void)(info), (void)(function))
#endif

// 24.03: another RSS type. DPDK_RSS_IPV6_FLOW_LABEL is its bit, 0 where there is none;
// DPDK_RSS_TYPES_ADDED(X) is X(name in testpmd, bit) for each type that 22.11 lacks.
#if DPDK_SINCE(24, 3)
#define DPDK_RSS_IPV6_FLOW_LABEL (UINT64_C(1) << 37)
#define DPDK_RSS_TYPES_ADDED(X) X("ipv6-flow-label", DPDK_RSS_IPV6_FLOW_LABEL)
#else
#define DPDK_RSS_IPV6_FLOW_LABEL UINT64_C(0)
#define DPDK_RSS_TYPES_ADDED(X)
#endif

// 24.11: dev_supported_ptypes_get also says how many there are. Before, RTE_PTYPE_UNKNOWN ended the
// list. Defines the operation by a function of 24.11's type; the list must have that end as well.
#if DPDK_SINCE(24, 11)
#define DPDK_PTYPES_GET_OP(op, get)                                     \
	static const uint32_t *op(struct rte_eth_dev *dev, size_t *n) { \
		return get(dev, n);                                     \
	}
#else
#define DPDK_PTYPES_GET_OP(op, get)                          \
	static const uint32_t *op(struct rte_eth_dev *dev) { \
		size_t n;                                    \
                                                             \
		return get(dev, &n);                         \
	}
#endif

// 25.07: RTE_PMD_EXPORT_NAME numbers the names by itself.
#if DPDK_SINCE(25, 7)
#define DPDK_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name)
#else
#define DPDK_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name, __COUNTER__)
#endif

// 25.11: rx_queue_count may say why it cannot count, as -errno.
#if DPDK_SINCE(25, 11)
typedef int dpdk_queue_count_t;
#else
typedef uint32_t dpdk_queue_count_t;
#endif

// 25.11: rte_eth_stats has no counters of queues any more. stats_get is given others, which ethdev
// shows as extended statistics of drivers that have none of their own. Defines the operation.
#if DPDK_SINCE(25, 11)
#define DPDK_STATS_GET_OP(op, get)                                          \
	static int op(struct rte_eth_dev *dev, struct rte_eth_stats *stats, \
		      struct eth_queue_stats *queues) {                     \
		RTE_SET_USED(queues);                                       \
		return get(dev, stats);                                     \
	}
#define DPDK_QUEUE_STAT_SET(stats, counter, queue, value) RTE_SET_USED(value)
#else
#define DPDK_STATS_GET_OP(op, get)                                            \
	static int op(struct rte_eth_dev *dev, struct rte_eth_stats *stats) { \
		return get(dev, stats);                                       \
	}
#define DPDK_QUEUE_STAT_SET(stats, counter, queue, value) ((stats)->counter[queue] = (value))
#endif
