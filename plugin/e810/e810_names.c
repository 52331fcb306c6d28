/* SPDX-License-Identifier: BSD-3-Clause */
// Names of packet types and protocol ids, and DPDK's packet types.
#include <string.h>

#include "base/rte_ptype.h"
#include "e810_model.h"

void e810_names_init(struct e810_parser *parser) {
	unsigned int n;
	const struct e810_label *labels = e810_labels(parser->package, E810_LABELS_PTYPE, &n);

	for (unsigned int i = 0; i < n; i++) {
		const struct e810_label *label = &labels[i];

		if (label->value < E810_N_PTYPES && parser->ptype_names[label->value] == NULL &&
		    strncmp(label->name, "PT_RESERVED", strlen("PT_RESERVED")) != 0)
			parser->ptype_names[label->value] = label->name;
	}
	for (unsigned int i = 0; i < E810_N_PTYPES; i++)
		if (parser->ptype_names[i] == NULL)
			parser->ptype_names[i] = ddp_arena_printf(parser->arena, "PTYPE_%u", i);
}

bool e810_ptype_used(const struct e810_parser *parser, uint16_t ptype) {
	return ptype < E810_N_PTYPES && parser->ptype_used[ptype / 64] >> ptype % 64 & 1;
}

const char *e810_protocol_name(const struct e810_parser *parser, uint8_t id) {
	static const char *const names[256] = {
		[1] = "ethernet (outer or only)",
		[2] = "ethernet (second outer)",
		[4] = "ethernet (inner)",
		[7] = "ethernet (MAC in MAC)",
		[9] = "EtherType (outer or only)",
		[10] = "EtherType (inner)",
		[15] = "payload",
		[16] = "vlan (external)",
		[17] = "vlan (internal)",
		[18] = "vlan (in a tunnel)",
		[27] = "mpls (first label)",
		[28] = "mpls (second label)",
		[29] = "mpls (third label)",
		[32] = "ipv4 (outer or only)",
		[33] = "ipv4 (inner)",
		[34] = "ipv4 (third)",
		[40] = "ipv6 (outer or only)",
		[41] = "ipv6 (inner)",
		[42] = "ipv6 (third)",
		[43] = "ipv6 next header",
		[47] = "ipv6 fragment header",
		[49] = "tcp (innermost)",
		[52] = "udp (of a tunnel)",
		[53] = "udp (innermost)",
		[64] = "gre",
		[84] = "nsh",
		[88] = "esp",
		[89] = "ah",
		[96] = "sctp",
		[98] = "icmp",
		[100] = "icmp6",
		[101] = "vrrp",
		[102] = "ospf",
		[103] = "pppoe",
		[104] = "l2tpv3",
		[105] = "ecpri",
		[106] = "ppp",
		[114] = "ATA over Ethernet",
		[116] = "MAC control",
		[117] = "lldp",
		[118] = "arp",
		[119] = "ptp",
		[120] = "EAPOL",
		[255] = "metadata",
	};
	const char *label;

	if (names[id] != NULL)
		return names[id];
	label = e810_label(parser->package, E810_LABELS_PROTOCOL, id);
	return label != NULL ? label : "unknown";
}

/* DPDK's packet types */

#define RTE(name, bits) RTE_##name = bits,
enum {
	DDP_RTE_PTYPES(RTE)
};

// Protocols after an IP header, in the order of the packet types of a group.
static const uint8_t kinds_legacy[] = {RTE_L4_FRAG >> 8, RTE_L4_NONFRAG >> 8, RTE_L4_UDP >> 8, 0,
				       RTE_L4_TCP >> 8,  RTE_L4_SCTP >> 8,    RTE_L4_ICMP >> 8};
static const uint8_t kinds_pppoe[] = {RTE_L4_FRAG >> 8, RTE_L4_NONFRAG >> 8, RTE_L4_UDP >> 8,
				      RTE_L4_TCP >> 8,  RTE_L4_SCTP >> 8,    RTE_L4_ICMP >> 8};
static const uint8_t kinds_gtpu[] = {RTE_L4_FRAG >> 8, RTE_L4_NONFRAG >> 8, RTE_L4_UDP >> 8,
				     RTE_L4_TCP >> 8, RTE_L4_ICMP >> 8};

struct ptype_group {
	uint16_t first;
	uint8_t n;
	const uint8_t *kinds; // NULL: n times the same; else of L4, or of inner L4 with an inner L3
	uint32_t rte;
};

#define ETHER RTE_L2_ETHER
#define IPV4 (ETHER | RTE_L3_IPV4_EXT_UNKNOWN)
#define IPV6 (ETHER | RTE_L3_IPV6_EXT_UNKNOWN)
#define IN_IPV4 RTE_INNER_L3_IPV4_EXT_UNKNOWN
#define IN_IPV6 RTE_INNER_L3_IPV6_EXT_UNKNOWN
#define IN_ETHER RTE_INNER_L2_ETHER
#define INNER_L3 DDP_RTE_PTYPE_INNER_L3_MASK
// clang-format off
#define MANY(first, n, rte) {first, n, NULL, rte}
#define ONE(ptype, rte) MANY(ptype, 1, rte)
#define EACH(first, kinds, rte) {first, sizeof(kinds), kinds, rte}
// clang-format on
// Packet types of IPv4 from first on, and 66 later those of IPv6 in this order.
#define IP_GROUPS(first, ip)                                                                   \
	EACH(first, kinds_legacy, ip),                                                         \
		EACH(first + 7, kinds_legacy, (ip) | RTE_TUNNEL_IP | IN_IPV4),                 \
		EACH(first + 14, kinds_legacy, (ip) | RTE_TUNNEL_IP | IN_IPV6),                \
		ONE(first + 21, (ip) | RTE_TUNNEL_GRENAT),                                     \
		EACH(first + 22, kinds_legacy, (ip) | RTE_TUNNEL_GRENAT | IN_IPV4),            \
		EACH(first + 29, kinds_legacy, (ip) | RTE_TUNNEL_GRENAT | IN_IPV6),            \
		ONE(first + 36, (ip) | RTE_TUNNEL_GRENAT | IN_ETHER),                          \
		EACH(first + 37, kinds_legacy, (ip) | RTE_TUNNEL_GRENAT | IN_ETHER | IN_IPV4), \
		EACH(first + 44, kinds_legacy, (ip) | RTE_TUNNEL_GRENAT | IN_ETHER | IN_IPV6)

static const struct ptype_group groups[] = {
	ONE(1, ETHER),
	ONE(2, RTE_L2_ETHER_TIMESYNC),
	ONE(6, RTE_L2_ETHER_LLDP),
	ONE(11, RTE_L2_ETHER_ARP),
	IP_GROUPS(22, IPV4),
	IP_GROUPS(88, IPV6),
	MANY(300, 2, RTE_L2_ETHER_PPPOE),
	EACH(302, kinds_pppoe, RTE_L2_ETHER_PPPOE | RTE_L3_IPV4_EXT_UNKNOWN),
	EACH(308, kinds_pppoe, RTE_L2_ETHER_PPPOE | RTE_L3_IPV6_EXT_UNKNOWN),
	ONE(325, IPV4 | RTE_TUNNEL_GTPC),
	ONE(326, IPV6 | RTE_TUNNEL_GTPC),
	ONE(327, IPV4 | RTE_TUNNEL_GTPC),
	ONE(328, IPV6 | RTE_TUNNEL_GTPC),
	ONE(329, IPV4 | RTE_TUNNEL_GTPU),
	ONE(330, IPV6 | RTE_TUNNEL_GTPU),
	EACH(331, kinds_gtpu, IPV4 | RTE_TUNNEL_GTPU | IN_IPV4),
	EACH(336, kinds_gtpu, IPV6 | RTE_TUNNEL_GTPU | IN_IPV4),
	EACH(341, kinds_gtpu, IPV4 | RTE_TUNNEL_GTPU | IN_IPV6),
	EACH(346, kinds_gtpu, IPV6 | RTE_TUNNEL_GTPU | IN_IPV6),
	MANY(372, 10, IPV4 | RTE_L4_UDP),
	MANY(382, 10, IPV6 | RTE_L4_UDP),
};

// The driver has one list of packet types for all packages.
uint32_t e810_ptype_rte(uint16_t ptype) {
	for (unsigned int i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		const struct ptype_group *group = &groups[i];
		unsigned int k = ptype - group->first;

		if (ptype < group->first || k >= group->n)
			continue;
		if (group->kinds == NULL)
			return group->rte;
		if (group->kinds[k] == 0)
			return 0;
		return group->rte | (uint32_t)group->kinds[k] << (group->rte & INNER_L3 ? 24 : 8);
	}
	return 0;
}

/* Packet flags */

const char *e810_packet_flag_name(unsigned int flag) {
	static const char *const names[64] = {
		[8] = "unicast",
		[9] = "multicast",
		[10] = "broadcast",
		[11] = "two outer MACs",
		[12] = "S-tag 88a8",
		[13] = "I-tag",
		[14] = "external VLAN 8100",
		[15] = "external VLAN 9100",
		[16] = "VLAN 8100",
		[17] = "NSH",
		[18] = "MPLS 8847",
		[19] = "MPLS 8848",
		[20] = "several MPLS labels",
		[21] = "inner MPLS",
		[22] = "MAC in a tunnel",
		[23] = "VLAN in a tunnel",
		[24] = "fragment",
		[25] = "IPv6 extension header",
		[26] = "VLAN in double VLAN mode",
		[28] = "RoCE",
		[29] = "UDP checksum is zero",
		[30] = "ESP",
		[31] = "ESP in UDP",
		[32] = "TCP URG",
		[33] = "TCP ACK",
		[34] = "TCP PSH",
		[35] = "TCP RST",
		[36] = "TCP SYN",
		[37] = "TCP FIN",
		[38] = "tunnel type bit 0",
		[39] = "tunnel type bit 1",
		[40] = "tunnel type bit 2",
		[41] = "UDP or GRE tunnel",
		[42] = "OAM",
		[43] = "NSH tunnel",
		[50] = "abort",
		[51] = "partial",
		[53] = "GTP-U PDU session container",
		[54] = "GTP-U uplink",
	};

	return flag < 64 ? names[flag] : NULL;
}
