/* SPDX-License-Identifier: BSD-3-Clause */
// What an application may use of net_ddp beyond the ordinary ethdev calls.
#ifndef RTE_PMD_DDP_H
#define RTE_PMD_DDP_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names of the dynamic mbuf fields that every net_ddp port fills on Rx: rte_mbuf_dynfield_lookup().
#define RTE_PMD_DDP_META_DYNFIELD "ddp_meta" // struct rte_pmd_ddp_meta, aligned to 4
#define RTE_PMD_DDP_RX_TSC_DYNFIELD \
	"ddp_rx_tsc" // uint64_t, rte_rdtsc() when taken from the lower device

#define RTE_PMD_DDP_NO_INNER_L3 UINT16_MAX

// What net_ddp found out about a packet.
struct rte_pmd_ddp_meta {
	uint16_t ptype_id; // the profile's packet type, 0 for none; not reused while the port exists
	uint16_t inner_l3_off; // bytes from the packet's start, RTE_PMD_DDP_NO_INNER_L3 for none
	uint32_t value; // the field that the packet type extracts (such as the TEID), host order
};

// Name of a packet type of a net_ddp port, copied to name (at most size bytes with the NUL).
// Returns its length, -ENODEV when port_id is no net_ddp port, -ENOENT when it has no such id.
// Any thread, not the data path.
__attribute__((visibility("default"))) int
rte_pmd_ddp_ptype_name(uint16_t port_id, uint16_t ptype_id, char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
