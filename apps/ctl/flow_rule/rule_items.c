/* SPDX-License-Identifier: BSD-3-Clause */
#include "rule_items.h"

#include <stddef.h>

#include "base/dpdk_compat.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
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

static const struct rule_field eth[] = {
	ADDRESS(MAC, eth, "dst", hdr.dst_addr),
	ADDRESS(MAC, eth, "src", hdr.src_addr),
	FIELD(eth, "type", hdr.ether_type),
	BEHIND("has_vlan", 16, 1),
};
static const struct rule_field vlan[] = {
	FIELD(vlan, "tci", hdr.vlan_tci),         BITS(vlan, "pcp", hdr.vlan_tci, 0xe000),
	BITS(vlan, "dei", hdr.vlan_tci, 0x1000),  BITS(vlan, "vid", hdr.vlan_tci, 0x0fff),
	FIELD(vlan, "inner_type", hdr.eth_proto), BEHIND("has_more_vlan", 4, 1),
};
static const struct rule_field arp_eth_ipv4[] = {
	ADDRESS(MAC, arp_eth_ipv4, "sha", DPDK_ARP_SHA),
	ADDRESS(IPV4, arp_eth_ipv4, "spa", DPDK_ARP_SPA),
	ADDRESS(MAC, arp_eth_ipv4, "tha", DPDK_ARP_THA),
	ADDRESS(IPV4, arp_eth_ipv4, "tpa", DPDK_ARP_TPA),
};
static const struct rule_field ipv4[] = {
	FIELD(ipv4, "version_ihl", hdr.version_ihl),
	FIELD(ipv4, "tos", hdr.type_of_service),
	FIELD(ipv4, "packet_id", hdr.packet_id),
	FIELD(ipv4, "fragment_offset", hdr.fragment_offset),
	FIELD(ipv4, "ttl", hdr.time_to_live),
	FIELD(ipv4, "proto", hdr.next_proto_id),
	ADDRESS(IPV4, ipv4, "src", hdr.src_addr),
	ADDRESS(IPV4, ipv4, "dst", hdr.dst_addr),
};
static const struct rule_field ipv6[] = {
	BITS(ipv6, "tc", hdr.vtc_flow, 0x0ff00000),
	BITS(ipv6, "flow", hdr.vtc_flow, 0x000fffff),
	FIELD(ipv6, "proto", hdr.proto),
	FIELD(ipv6, "hop", hdr.hop_limits),
	ADDRESS(IPV6, ipv6, "src", hdr.src_addr),
	ADDRESS(IPV6, ipv6, "dst", hdr.dst_addr),
	BEHIND("has_frag_ext", 40, 4),
};
static const struct rule_field ipv6_frag_ext[] = {
	FIELD(ipv6_frag_ext, "next_hdr", hdr.next_header),
	FIELD(ipv6_frag_ext, "frag_data", hdr.frag_data),
	FIELD(ipv6_frag_ext, "packet_id", hdr.id),
};
static const struct rule_field icmp[] = {
	FIELD(icmp, "type", hdr.icmp_type),
	FIELD(icmp, "code", hdr.icmp_code),
	FIELD(icmp, "ident", hdr.icmp_ident),
	FIELD(icmp, "seq", hdr.icmp_seq_nb),
};
static const struct rule_field icmp6[] = {
	FIELD(icmp6, "type", type),
	FIELD(icmp6, "code", code),
};
static const struct rule_field udp[] = {
	FIELD(udp, "src", hdr.src_port),
	FIELD(udp, "dst", hdr.dst_port),
};
static const struct rule_field tcp[] = {
	FIELD(tcp, "src", hdr.src_port),
	FIELD(tcp, "dst", hdr.dst_port),
	FIELD(tcp, "flags", hdr.tcp_flags),
};
static const struct rule_field sctp[] = {
	FIELD(sctp, "src", hdr.src_port),
	FIELD(sctp, "dst", hdr.dst_port),
	FIELD(sctp, "tag", hdr.tag),
	FIELD(sctp, "cksum", hdr.cksum),
};
static const struct rule_field gtp[] = {
	FIELD(gtp, "v_pt_rsv_flags", v_pt_rsv_flags),
	FIELD(gtp, "msg_type", msg_type),
	FIELD(gtp, "teid", teid),
};
static const struct rule_field gtp_psc[] = {
	BEHIND("qfi", 2, 0x3f),
	BEHIND("pdu_t", 1, 0xf0),
};
static const struct rule_field pfcp[] = {
	FIELD(pfcp, "s_field", s_field),
	FIELD(pfcp, "seid", seid),
};
static const struct rule_field vxlan[] = {
	FIELD(vxlan, "vni", vni),
	FIELD(vxlan, "last_rsvd", rsvd1),
};
static const struct rule_field vxlan_gpe[] = {
	FIELD(vxlan_gpe, "vni", vni),
};
static const struct rule_field geneve[] = {
	FIELD(geneve, "vni", vni),
	FIELD(geneve, "protocol", protocol),
	BITS(geneve, "optlen", ver_opt_len_o_c_rsvd0, 0x3f00),
};
static const struct rule_field gre[] = {
	FIELD(gre, "protocol", protocol),          FIELD(gre, "c_rsvd0_ver", c_rsvd0_ver),
	SWITCH(gre, "c_bit", c_rsvd0_ver, 0x8000), SWITCH(gre, "k_bit", c_rsvd0_ver, 0x2000),
	SWITCH(gre, "s_bit", c_rsvd0_ver, 0x1000),
};
static const struct rule_field gre_key[] = {
	{"value", 0, 4, RULE_NUMBER, 0, false},
};
static const struct rule_field nvgre[] = {
	FIELD(nvgre, "tni", tni),
};
static const struct rule_field mpls[] = {
	BITS(mpls, "label", label_tc_s, 0xfffff0),
	BITS(mpls, "tc", label_tc_s, 0x00000e),
	BITS(mpls, "s", label_tc_s, 0x000001),
};
static const struct rule_field pppoe[] = {
	FIELD(pppoe, "seid", session_id),
};
static const struct rule_field pppoe_proto_id[] = {
	FIELD(pppoe_proto_id, "", proto_id),
};
static const struct rule_field ppp[] = {
	FIELD(ppp, "addr", hdr.addr),
	FIELD(ppp, "ctrl", hdr.ctrl),
	{"proto_id", PLACE(ppp, hdr.proto_id), RULE_NUMBER, 0, true},
};
static const struct rule_field l2tpv3oip[] = {
	FIELD(l2tpv3oip, "session_id", session_id),
};
static const struct rule_field esp[] = {
	FIELD(esp, "spi", hdr.spi),
};
static const struct rule_field ah[] = {
	FIELD(ah, "spi", spi),
};

// Of L2TPv2 the place of a field depends on which of them there are.
static const struct rule_field l2tpv2_data[] = {
	FIELD(l2tpv2, "tunnel_id", hdr.type7.tunnel_id),
	FIELD(l2tpv2, "session_id", hdr.type7.session_id),
};
static const struct rule_field l2tpv2_data_l[] = {
	FIELD(l2tpv2, "length", hdr.type6.length),
	FIELD(l2tpv2, "tunnel_id", hdr.type6.tunnel_id),
	FIELD(l2tpv2, "session_id", hdr.type6.session_id),
};
static const struct rule_field l2tpv2_data_s[] = {
	FIELD(l2tpv2, "tunnel_id", hdr.type5.tunnel_id),
	FIELD(l2tpv2, "session_id", hdr.type5.session_id),
	FIELD(l2tpv2, "ns", hdr.type5.ns),
	FIELD(l2tpv2, "nr", hdr.type5.nr),
};
static const struct rule_field l2tpv2_data_o[] = {
	FIELD(l2tpv2, "tunnel_id", hdr.type4.tunnel_id),
	FIELD(l2tpv2, "session_id", hdr.type4.session_id),
	FIELD(l2tpv2, "offset_size", hdr.type4.offset_size),
};
static const struct rule_field l2tpv2_data_l_s[] = {
	FIELD(l2tpv2, "length", hdr.type3.length),
	FIELD(l2tpv2, "tunnel_id", hdr.type3.tunnel_id),
	FIELD(l2tpv2, "session_id", hdr.type3.session_id),
	FIELD(l2tpv2, "ns", hdr.type3.ns),
	FIELD(l2tpv2, "nr", hdr.type3.nr),
};
#define L2TPV2(name, type, fields) \
	{ name, 0, 2, RTE_L2TPV2_MSG_TYPE_##type, fields, DIM(fields) }
static const struct rule_message l2tpv2[] = {
	L2TPV2("data", DATA, l2tpv2_data),
	L2TPV2("data_l", DATA_L, l2tpv2_data_l),
	L2TPV2("data_s", DATA_S, l2tpv2_data_s),
	L2TPV2("data_o", DATA_O, l2tpv2_data_o),
	L2TPV2("data_l_s", DATA_L_S, l2tpv2_data_l_s),
	L2TPV2("control", CONTROL, l2tpv2_data_l_s),
};

static const struct rule_field ecpri_iq_data[] = {
	FIELD(ecpri, "pc_id", hdr.type0.pc_id),
};
static const struct rule_field ecpri_rtc_ctrl[] = {
	FIELD(ecpri, "rtc_id", hdr.type2.rtc_id),
};
static const struct rule_field ecpri_delay_measure[] = {
	FIELD(ecpri, "msr_id", hdr.type5.msr_id),
};
#define ECPRI(name, type, fields) \
	{ name, 1, 1, RTE_ECPRI_MSG_TYPE_##type, fields, DIM(fields) }
static const struct rule_message ecpri[] = {
	ECPRI("iq_data", IQ_DATA, ecpri_iq_data),
	ECPRI("rtc_ctrl", RTC_CTRL, ecpri_rtc_ctrl),
	ECPRI("delay_measure", DLY_MSR, ecpri_delay_measure),
};

#define FIELDS(type, fields) \
	{ RTE_FLOW_ITEM_TYPE_##type, fields, DIM(fields), NULL, NULL, 0 }
#define MESSAGES(type, key, messages) \
	{ RTE_FLOW_ITEM_TYPE_##type, NULL, 0, key, messages, DIM(messages) }

static const struct rule_fields items[] = {
	FIELDS(ETH, eth),
	FIELDS(VLAN, vlan),
	FIELDS(ARP_ETH_IPV4, arp_eth_ipv4),
	FIELDS(IPV4, ipv4),
	FIELDS(IPV6, ipv6),
	FIELDS(IPV6_FRAG_EXT, ipv6_frag_ext),
	FIELDS(ICMP, icmp),
	FIELDS(ICMP6, icmp6),
	FIELDS(UDP, udp),
	FIELDS(TCP, tcp),
	FIELDS(SCTP, sctp),
	FIELDS(GTPU, gtp),
	FIELDS(GTPC, gtp),
	FIELDS(GTP, gtp),
	FIELDS(GTP_PSC, gtp_psc),
	FIELDS(PFCP, pfcp),
	FIELDS(VXLAN, vxlan),
	FIELDS(VXLAN_GPE, vxlan_gpe),
	FIELDS(GENEVE, geneve),
	FIELDS(GRE, gre),
	FIELDS(GRE_KEY, gre_key),
	FIELDS(NVGRE, nvgre),
	FIELDS(MPLS, mpls),
	FIELDS(PPPOES, pppoe),
	FIELDS(PPPOED, pppoe),
	FIELDS(PPPOE_PROTO_ID, pppoe_proto_id),
	FIELDS(PPP, ppp),
	MESSAGES(L2TPV2, "type", l2tpv2),
	FIELDS(L2TPV3OIP, l2tpv3oip),
	FIELDS(ESP, esp),
	FIELDS(AH, ah),
	MESSAGES(ECPRI, "common type", ecpri),
};

const struct rule_fields *rule_fields_find(enum rte_flow_item_type type) {
	for (unsigned int i = 0; i < DIM(items); i++)
		if (items[i].type == type)
			return &items[i];
	return NULL;
}
