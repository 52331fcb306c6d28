/* SPDX-License-Identifier: BSD-3-Clause */
// DPDK's item structures are the headers as they are on the wire, so that the offset of a value is
// its offset in the header; only a few have fields that move, which are found by name.
#include "rte_item.h"

#include <assert.h>
#include <string.h>

#include "dpdk_compat.h"

#define ITEM(item, testpmd, profile) \
	.type = RTE_FLOW_ITEM_TYPE_##item, .name = testpmd, .header = profile
#define MASK(name) .mask = &rte_flow_item_##name##_mask, .size = sizeof(struct rte_flow_item_##name)
#define MASK_OF(object) .mask = &(object), .size = sizeof(object)
#define WIRE(n) .parts = {{.size = n}}
#define FOLLOWS(profile, object) .follows = profile, .follows_bit = &(object)
#define ARP(member) offsetof(struct rte_flow_item_arp_eth_ipv4, member)
#define L2TPV2_REST offsetof(struct rte_l2tpv2_combined_msg_hdr, type0)

// DPDK has no default mask for these: all of what names a session or a type.
static const struct rte_flow_item_pppoe pppoe_mask = {.session_id = RTE_BE16(0xffff)};
static const struct rte_flow_item_ipv6_frag_ext frag_mask = {.hdr = {.id = RTE_BE32(0xffffffff)}};
static const rte_be32_t key_mask = RTE_BE32(0xffffffff);

static const struct rte_flow_item_eth has_vlan = {.has_vlan = 1};
static const struct rte_flow_item_vlan has_more_vlan = {.has_more_vlan = 1};
static const struct rte_flow_item_ipv6 has_frag_ext = {.has_frag_ext = 1};

// clang-format off
const struct ddp_rte_item ddp_rte_items[] = {
	{ITEM(ETH, "eth", "eth"), MASK(eth), WIRE(14), FOLLOWS("vlan", has_vlan)},
	{ITEM(VLAN, "vlan", "vlan"), MASK(vlan), WIRE(4), FOLLOWS("vlan", has_more_vlan)},
	{ITEM(ARP_ETH_IPV4, "arp_eth_ipv4", "arp"), MASK(arp_eth_ipv4),
	 .parts = {{0, 14, 0, NULL},
		   {ARP(DPDK_ARP_SPA), 10, 14, NULL},
		   {ARP(DPDK_ARP_TPA), 4, 24, NULL}}},
	{ITEM(IPV4, "ipv4", "ipv4"), MASK(ipv4), WIRE(20)},
	{ITEM(IPV6, "ipv6", "ipv6"), MASK(ipv6), WIRE(40),
	 FOLLOWS("ipv6_frag", has_frag_ext)},
	{ITEM(IPV6_FRAG_EXT, "ipv6_frag_ext", "ipv6_frag"), MASK_OF(frag_mask), WIRE(8)},
	{ITEM(ICMP, "icmp", "icmp"), MASK(icmp), WIRE(8)},
	{ITEM(ICMP6, "icmp6", "icmp6"), MASK(icmp6), WIRE(4)},
	{ITEM(UDP, "udp", "udp"), MASK(udp), WIRE(8)},
	{ITEM(TCP, "tcp", "tcp"), MASK(tcp), WIRE(20)},
	{ITEM(SCTP, "sctp", "sctp"), MASK(sctp), WIRE(12)},
	{ITEM(GTPU, "gtpu", "gtpu"), MASK(gtp), WIRE(8)},
	{ITEM(GTPC, "gtpc", "gtpc"), MASK(gtp), WIRE(8)},
	{ITEM(GTP, "gtp", "gtpu"), MASK(gtp), WIRE(8)}, // as most drivers take it
	{ITEM(GTP_PSC, "gtp_psc", "gtpu_psc"), MASK(gtp_psc), WIRE(3)},
	{ITEM(PFCP, "pfcp", "pfcp"), MASK(pfcp), // not the version, which is before s_field
	 .parts = {{0, 1, 0, "s"}, {1, 3, 1, NULL}, {8, 8, 0, "seid"}}},
	{ITEM(VXLAN, "vxlan", "vxlan"), MASK(vxlan), WIRE(8)},
	{ITEM(VXLAN_GPE, "vxlan-gpe", "vxlan_gpe"), MASK(vxlan_gpe), WIRE(8)},
	{ITEM(GENEVE, "geneve", "geneve"), MASK(geneve), WIRE(8)},
	{ITEM(GRE, "gre", "gre"), MASK(gre), WIRE(4)},
	{ITEM(GRE_KEY, "gre_key", NULL), MASK_OF(key_mask), .parts = {{0, 4, 0, "key"}}}, // of GRE
	{ITEM(NVGRE, "nvgre", "gre"), MASK(nvgre), .parts = {{0, 4, 0, NULL}, {4, 4, 0, "key"}}},
	{ITEM(MPLS, "mpls", "mpls"), MASK(mpls), WIRE(4)},
	{ITEM(PPPOES, "pppoes", "pppoe"), MASK_OF(pppoe_mask), WIRE(6)},
	{ITEM(PPPOED, "pppoed", "pppoed"), MASK_OF(pppoe_mask), WIRE(6)},
	{ITEM(PPPOE_PROTO_ID, "pppoe_proto_id", "ppp"), MASK(pppoe_proto_id), WIRE(2)},
	{ITEM(PPP, "ppp", "ppp"), MASK(ppp), WIRE(4)},
	{ITEM(L2TPV2, "l2tpv2", "l2tpv2"), MASK(l2tpv2),
	 .parts = {{0, 2, 0, NULL}, {L2TPV2_REST, 12, 2, NULL}}},
	{ITEM(L2TPV3OIP, "l2tpv3oip", "l2tpv3"), MASK(l2tpv3oip), .parts = {{0, 4, 0, "session"}}},
	{ITEM(ESP, "esp", "esp"), MASK(esp), WIRE(8)},
	{ITEM(AH, "ah", "ah"), MASK(ah), WIRE(12)},
	{ITEM(ECPRI, "ecpri", "ecpri"), MASK(ecpri), WIRE(16)},
	{ITEM(VOID, "void", NULL)},
	{ITEM(RAW, "raw", NULL), .size = sizeof(struct rte_flow_item_raw)},
};
// clang-format on
const unsigned int ddp_n_rte_items = sizeof(ddp_rte_items) / sizeof(ddp_rte_items[0]);
static_assert(sizeof(struct rte_flow_item_ipv6) <= DDP_RTE_ITEM_SIZE, "the largest of them");

const struct ddp_rte_item *ddp_rte_item_find(enum rte_flow_item_type type) {
	for (unsigned int i = 0; i < ddp_n_rte_items; i++)
		if (ddp_rte_items[i].type == type)
			return &ddp_rte_items[i];
	return NULL;
}

enum rte_flow_item_type ddp_rte_item_type(const char *name) {
	unsigned int i = 0;

	while (strcmp(ddp_rte_items[i].name, name) != 0) {
		i++;
		assert(i < ddp_n_rte_items);
	}
	return ddp_rte_items[i].type;
}
