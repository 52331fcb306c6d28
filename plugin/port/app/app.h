/* SPDX-License-Identifier: BSD-3-Clause */
// Entry points of applications: ethdev's operations, the public functions, telemetry, arguments.
#pragma once

#include "port/state/port.h"

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
int ddp_devargs_parse(const char *args, struct ddp_devargs *devargs, char *error);
void ddp_devargs_fini(struct ddp_devargs *devargs);

// ethdev.c
extern const struct eth_dev_ops ddp_port_ops;
// Values of single layers, as ethdev defines them, and RTE_PTYPE_UNKNOWN as the end. Returns how
// many come before it. Under the port's mutex.
#define DDP_PTYPES_MAX 106 // the end of the list included
unsigned int ddp_ptypes_get(const struct ddp_port *port, uint32_t ptypes[DDP_PTYPES_MAX]);
extern __thread uint32_t
	ddp_ptypes[DDP_PTYPES_MAX]; // such a list, as ethdev's operation returns it
void ddp_rxq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_rxq_info *info);
void ddp_txq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_txq_info *info);

// Close a port that the application did not close, because its device is being removed.
int ddp_port_remove(struct rte_eth_dev *dev);
// Free all except the lower device and ethdev's data.
void ddp_port_tables_free(struct ddp_port *port);

// telemetry.c: once a process.
void ddp_telemetry_register(void);
