/* SPDX-License-Identifier: BSD-3-Clause */
#include "rule_items.h"

#include <stddef.h>

#include "base/dpdk_compat.h"

#define ITEM(name) struct rte_flow_item_##name
#define PLACE(item, member) offsetof(ITEM(item), member), sizeof(((ITEM(item) *)0)->member)
#define FIELD(item, name, member) \
	{ name, PLACE(item, member), RULE_NUMBER, 0, false }
#define BITS(item, name, member, bits) \
	{ name, PLACE(item, member), RULE_NUMBER, bits, false }
#define SWITCH(item, name, member, bits) \
	{ name, PLACE(item, member), RULE_SWITCH, bits, false }
#define ADDRESS(kind, item, name, member) \
	{ name, PLACE(item, member), RULE_##kind, 0, false }
// A bit behind the header, where there is no name to take the place of: byte, bits.
#define BEHIND(name, off, bits) \
	{ name, off, 1, RULE_NUMBER, bits, false }

// The bits before the offset of a raw item.
#define RAW_FLAGS (offsetof(ITEM(raw), offset) - sizeof(uint32_t))

// Fields and their number, in two members.
#define LIST(...)                                 \
	(const struct rule_field[]){__VA_ARGS__}, \
		sizeof((const struct rule_field[]){__VA_ARGS__}) / sizeof(struct rule_field)
#define FIELDS(type, ...) \
	{ RTE_FLOW_ITEM_TYPE_##type, LIST(__VA_ARGS__), NULL, NULL, 0 }
#define MESSAGES(type, key, messages)                              \
	{                                                          \
		RTE_FLOW_ITEM_TYPE_##type, NULL, 0, key, messages, \
			sizeof(messages) / sizeof((messages)[0])   \
	}

#define GTP_FIELDS                                                                      \
	FIELD(gtp, "v_pt_rsv_flags", v_pt_rsv_flags), FIELD(gtp, "msg_type", msg_type), \
		FIELD(gtp, "teid", teid)
#define L2TPV2_DATA_L_S                                            \
	FIELD(l2tpv2, "length", hdr.type3.length),                 \
		FIELD(l2tpv2, "tunnel_id", hdr.type3.tunnel_id),   \
		FIELD(l2tpv2, "session_id", hdr.type3.session_id), \
		FIELD(l2tpv2, "ns", hdr.type3.ns), FIELD(l2tpv2, "nr", hdr.type3.nr)

// Of L2TPv2 the place of a field depends on which of them there are.
#define L2TPV2(name, type, ...) \
	{ name, 0, 2, RTE_L2TPV2_MSG_TYPE_##type, LIST(__VA_ARGS__) }
static const struct rule_message l2tpv2[] = {
	L2TPV2("data", DATA, FIELD(l2tpv2, "tunnel_id", hdr.type7.tunnel_id),
	       FIELD(l2tpv2, "session_id", hdr.type7.session_id)),
	L2TPV2("data_l", DATA_L, FIELD(l2tpv2, "length", hdr.type6.length),
	       FIELD(l2tpv2, "tunnel_id", hdr.type6.tunnel_id),
	       FIELD(l2tpv2, "session_id", hdr.type6.session_id)),
	L2TPV2("data_s", DATA_S, FIELD(l2tpv2, "tunnel_id", hdr.type5.tunnel_id),
	       FIELD(l2tpv2, "session_id", hdr.type5.session_id), FIELD(l2tpv2, "ns", hdr.type5.ns),
	       FIELD(l2tpv2, "nr", hdr.type5.nr)),
	L2TPV2("data_o", DATA_O, FIELD(l2tpv2, "tunnel_id", hdr.type4.tunnel_id),
	       FIELD(l2tpv2, "session_id", hdr.type4.session_id),
	       FIELD(l2tpv2, "offset_size", hdr.type4.offset_size)),
	L2TPV2("data_l_s", DATA_L_S, L2TPV2_DATA_L_S),
	L2TPV2("control", CONTROL, L2TPV2_DATA_L_S),
};

#define ECPRI(name, type, ...) \
	{ name, 1, 1, RTE_ECPRI_MSG_TYPE_##type, LIST(__VA_ARGS__) }
static const struct rule_message ecpri[] = {
	ECPRI("iq_data", IQ_DATA, FIELD(ecpri, "pc_id", hdr.type0.pc_id)),
	ECPRI("rtc_ctrl", RTC_CTRL, FIELD(ecpri, "rtc_id", hdr.type2.rtc_id)),
	ECPRI("delay_measure", DLY_MSR, FIELD(ecpri, "msr_id", hdr.type5.msr_id)),
};

static const struct rule_fields items[] = {
	FIELDS(ETH, ADDRESS(MAC, eth, "dst", hdr.dst_addr), ADDRESS(MAC, eth, "src", hdr.src_addr),
	       FIELD(eth, "type", hdr.ether_type), BEHIND("has_vlan", 14, 1)),
	FIELDS(VLAN, FIELD(vlan, "tci", hdr.vlan_tci), BITS(vlan, "pcp", hdr.vlan_tci, 0xe000),
	       BITS(vlan, "dei", hdr.vlan_tci, 0x1000), BITS(vlan, "vid", hdr.vlan_tci, 0x0fff),
	       FIELD(vlan, "inner_type", hdr.eth_proto), BEHIND("has_more_vlan", 4, 1)),
	FIELDS(ARP_ETH_IPV4, ADDRESS(MAC, arp_eth_ipv4, "sha", DPDK_ARP_SHA),
	       ADDRESS(IPV4, arp_eth_ipv4, "spa", DPDK_ARP_SPA),
	       ADDRESS(MAC, arp_eth_ipv4, "tha", DPDK_ARP_THA),
	       ADDRESS(IPV4, arp_eth_ipv4, "tpa", DPDK_ARP_TPA)),
	FIELDS(IPV4, FIELD(ipv4, "version_ihl", hdr.version_ihl),
	       FIELD(ipv4, "tos", hdr.type_of_service), FIELD(ipv4, "packet_id", hdr.packet_id),
	       FIELD(ipv4, "fragment_offset", hdr.fragment_offset),
	       FIELD(ipv4, "ttl", hdr.time_to_live), FIELD(ipv4, "proto", hdr.next_proto_id),
	       ADDRESS(IPV4, ipv4, "src", hdr.src_addr), ADDRESS(IPV4, ipv4, "dst", hdr.dst_addr)),
	FIELDS(IPV6, BITS(ipv6, "tc", hdr.vtc_flow, 0x0ff00000),
	       BITS(ipv6, "flow", hdr.vtc_flow, 0x000fffff), FIELD(ipv6, "proto", hdr.proto),
	       FIELD(ipv6, "hop", hdr.hop_limits), ADDRESS(IPV6, ipv6, "src", hdr.src_addr),
	       ADDRESS(IPV6, ipv6, "dst", hdr.dst_addr), BEHIND("has_frag_ext", 40, 4)),
	FIELDS(IPV6_FRAG_EXT, FIELD(ipv6_frag_ext, "next_hdr", hdr.next_header),
	       FIELD(ipv6_frag_ext, "frag_data", hdr.frag_data),
	       FIELD(ipv6_frag_ext, "packet_id", hdr.id)),
	FIELDS(ICMP, FIELD(icmp, "type", hdr.icmp_type), FIELD(icmp, "code", hdr.icmp_code),
	       FIELD(icmp, "ident", hdr.icmp_ident), FIELD(icmp, "seq", hdr.icmp_seq_nb)),
	FIELDS(ICMP6, FIELD(icmp6, "type", type), FIELD(icmp6, "code", code)),
	FIELDS(UDP, FIELD(udp, "src", hdr.src_port), FIELD(udp, "dst", hdr.dst_port)),
	FIELDS(TCP, FIELD(tcp, "src", hdr.src_port), FIELD(tcp, "dst", hdr.dst_port),
	       FIELD(tcp, "flags", hdr.tcp_flags)),
	FIELDS(SCTP, FIELD(sctp, "src", hdr.src_port), FIELD(sctp, "dst", hdr.dst_port),
	       FIELD(sctp, "tag", hdr.tag), FIELD(sctp, "cksum", hdr.cksum)),
	FIELDS(GTPU, GTP_FIELDS),
	FIELDS(GTPC, GTP_FIELDS),
	FIELDS(GTP, GTP_FIELDS),
	FIELDS(GTP_PSC, BEHIND("qfi", 2, 0x3f), BEHIND("pdu_t", 1, 0xf0)),
	FIELDS(PFCP, FIELD(pfcp, "s_field", s_field), FIELD(pfcp, "seid", seid)),
	FIELDS(VXLAN, FIELD(vxlan, "vni", vni), FIELD(vxlan, "last_rsvd", rsvd1)),
	FIELDS(VXLAN_GPE, FIELD(vxlan_gpe, "vni", vni)),
	FIELDS(GENEVE, FIELD(geneve, "vni", vni), FIELD(geneve, "protocol", protocol),
	       BITS(geneve, "optlen", ver_opt_len_o_c_rsvd0, 0x3f00)),
	FIELDS(GRE, FIELD(gre, "protocol", protocol), FIELD(gre, "c_rsvd0_ver", c_rsvd0_ver),
	       SWITCH(gre, "c_bit", c_rsvd0_ver, 0x8000), SWITCH(gre, "k_bit", c_rsvd0_ver, 0x2000),
	       SWITCH(gre, "s_bit", c_rsvd0_ver, 0x1000)),
	FIELDS(GRE_KEY, {"value", 0, 4, RULE_NUMBER, 0, false}),
	FIELDS(NVGRE, FIELD(nvgre, "tni", tni)),
	FIELDS(MPLS, BITS(mpls, "label", label_tc_s, 0xfffff0),
	       BITS(mpls, "tc", label_tc_s, 0x00000e), BITS(mpls, "s", label_tc_s, 0x000001)),
	FIELDS(PPPOES, FIELD(pppoe, "seid", session_id)),
	FIELDS(PPPOED, FIELD(pppoe, "seid", session_id)),
	FIELDS(PPPOE_PROTO_ID, FIELD(pppoe_proto_id, "", proto_id)),
	FIELDS(PPP, FIELD(ppp, "addr", hdr.addr), FIELD(ppp, "ctrl", hdr.ctrl),
	       {"proto_id", PLACE(ppp, hdr.proto_id), RULE_NUMBER, 0, true}),
	MESSAGES(L2TPV2, "type", l2tpv2),
	FIELDS(L2TPV3OIP, FIELD(l2tpv3oip, "session_id", session_id)),
	FIELDS(ESP, FIELD(esp, "spi", hdr.spi)),
	FIELDS(AH, FIELD(ah, "spi", spi)),
	MESSAGES(ECPRI, "common type", ecpri),
	// Its numbers are the machine's; the pattern is no number.
	FIELDS(RAW, {"relative", RAW_FLAGS, 1, RULE_SWITCH, 1, true},
	       {"search", RAW_FLAGS, 1, RULE_SWITCH, 2, true},
	       {"offset", PLACE(raw, offset), RULE_NUMBER, 0, true},
	       {"limit", PLACE(raw, limit), RULE_NUMBER, 0, true}),
};

const struct rule_fields *rule_fields_find(enum rte_flow_item_type type) {
	for (unsigned int i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (items[i].type == type)
			return &items[i];
	return NULL;
}
