/* SPDX-License-Identifier: BSD-3-Clause */
#include "corpus.h"

#include "base/rte_ptype.h"
#include "classify/classify.h"
#include "profile/profile.h"
#include "unit.h"

#define V4 "L2_ETHER L3_IPV4_EXT_UNKNOWN"
#define V6 "L2_ETHER L3_IPV6_EXT_UNKNOWN"

// Addresses in hex, as they are hashed.
#define GNB_ "c0000201"
#define UPF_ "c0000264"
#define UE_ "0a010203"
#define NET_ "c6336407"
#define GNB6_ "20010db9000000000000000000000001"
#define UPF6_ "20010db9000000000000000000000002"
#define UE6_ "20010db8000000770102030405060708"
#define NET6_ "2606470000000000000000000000002a"

#define BAD_L3 "eth@0", "ETH", "malformed", "L2_ETHER", 0, 0, ""

// clang-format off
static const struct sample base_samples[] = {
	{"an_unknown_ethertype", {ETH(0x1234), DATA}, "eth@0", "ETH", NULL, "L2_ETHER", 0, 0, ""},
	{"no_bytes_at_all", {END}, "", "UNKNOWN", "truncated", "", 0, 0, ""},
	{"arp", {ETH(0x0806), ARP(UE, NET)}, "eth@0 arp@14", "ARP", NULL, "L2_ETHER_ARP", 0, 0, ""},
	{"ipv4_udp", {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), DATA}, "eth@0 ipv4@14 udp@34",
	 "IPV4_UDP", NULL, V4 " L4_UDP", 0, 0, UE_ NET_ "04000035"},
	{"ipv4_tcp", {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), DATA}, "eth@0 ipv4@14 tcp@34",
	 "IPV4_TCP", NULL, V4 " L4_TCP", 0, 0, UE_ NET_ "04000050"},
	{"ipv4_tcp_with_options",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 6, 0, 0, 1, 1, 1, 1)},
	 "eth@0 ipv4@14 tcp@34", "IPV4_TCP", NULL, V4 " L4_TCP", 0, 0, UE_ NET_ "04000050"},
	{"ipv4_sctp", {ETH(0x0800), IPV4(132, UE, NET), SCTP(38412, 38412), DATA},
	 "eth@0 ipv4@14 sctp@34", "IPV4_SCTP", NULL, V4 " L4_SCTP", 0, 0, UE_ NET_ "960c960c"},
	{"ipv4_icmp", {ETH(0x0800), IPV4(1, UE, NET), ICMP, DATA}, "eth@0 ipv4@14 icmp@34",
	 "IPV4_ICMP", NULL, V4 " L4_ICMP", 0, 0, UE_ NET_},
	{"ipv4_igmp_is_hashed_by_its_addresses", {ETH(0x0800), IPV4(2, UE, NET), IGMP},
	 "eth@0 ipv4@14 igmp@34", "IPV4", NULL, V4, 0, 0, UE_ NET_},
	{"an_unknown_protocol", {ETH(0x0800), IPV4(99, UE, NET), DATA}, "eth@0 ipv4@14", "IPV4",
	 NULL, V4, 0, 0, UE_ NET_},
	{"ipv4_with_options", {ETH(0x0800), IPV4_OPTIONS(17, UE, NET), UDP(1024, 53), DATA},
	 "eth@0 ipv4@14 udp@42", "IPV4_UDP", NULL, V4 " L4_UDP", 0, 0, UE_ NET_ "04000035"},
	{"one_vlan_tag", {ETH(0x8100), VLAN(5, 0x0800), IPV4(17, UE, NET), UDP(1024, 53)},
	 "eth@0 vlan@14 ipv4@18 udp@38", "IPV4_UDP", NULL, V4 " L4_UDP", 0, 0, UE_ NET_ "04000035"},
	{"qinq", {ETH(0x88a8), VLAN(5, 0x8100), VLAN(6, 0x86dd), IPV6(6, UE6, NET6), TCP(1024, 80)},
	 "eth@0 vlan@14 vlan@18 ipv6@22 tcp@62", "IPV6_TCP", NULL, V6 " L4_TCP", 0, 0,
	 UE6_ NET6_ "04000050"},
	{"qinq_as_it_was_before_the_standard",
	 {ETH(0x9100), VLAN(5, 0x9100), VLAN(6, 0x0806), ARP(UE, NET)},
	 "eth@0 vlan@14 vlan@18 arp@22", "ARP", NULL, "L2_ETHER_ARP", 0, 0, ""},
	{"a_tagged_frame_of_an_unknown_kind", {ETH(0x8100), VLAN(5, 0x1234), DATA}, "eth@0 vlan@14",
	 "ETH", NULL, "L2_ETHER", 0, 0, ""},

	{"ipv6_udp", {ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53), DATA},
	 "eth@0 ipv6@14 udp@54", "IPV6_UDP", NULL, V6 " L4_UDP", 0, 0, UE6_ NET6_ "04000035"},
	{"ipv6_sctp", {ETH(0x86dd), IPV6(132, UE6, NET6), SCTP(38412, 38412)},
	 "eth@0 ipv6@14 sctp@54", "IPV6_SCTP", NULL, V6 " L4_SCTP", 0, 0, UE6_ NET6_ "960c960c"},
	{"ipv6_icmp", {ETH(0x86dd), IPV6(58, UE6, NET6), ICMP6, DATA}, "eth@0 ipv6@14 icmp6@54",
	 "IPV6_ICMP", NULL, V6 " L4_ICMP", 0, 0, UE6_ NET6_},
	{"ipv6_with_no_next_header", {ETH(0x86dd), IPV6(59, UE6, NET6), DATA}, "eth@0 ipv6@14",
	 "IPV6", NULL, V6, 0, 0, UE6_ NET6_},
	{"ipv6_hop_by_hop_options", {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(17), UDP(1024, 53)},
	 "eth@0 ipv6@14 ipv6_ext@54 udp@62", "IPV6_UDP", NULL, V6 " L4_UDP", 0, 0,
	 UE6_ NET6_ "04000035"},
	{"ipv6_with_all_its_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(43), EXT16(60), EXT8(135), EXT8(6), TCP(1024, 80)},
	 "eth@0 ipv6@14 ipv6_ext@54 ipv6_ext@62 ipv6_ext@78 ipv6_ext@86 tcp@94", "IPV6_TCP", NULL,
	 V6 " L4_TCP", 0, 0, UE6_ NET6_ "04000050"},
	{"an_extension_header_of_ipv6_is_none_of_ipv4",
	 {ETH(0x0800), IPV4(43, UE, NET), EXT8(17), UDP(1024, 53)}, "eth@0 ipv4@14", "IPV4", NULL,
	 V4, 0, 0, UE_ NET_},

	{"the_first_fragment_of_ipv4_is_not_hashed_by_its_ports",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA}, "eth@0 ipv4@14 udp@34",
	 "IPV4_FRAG", NULL, V4 " L4_FRAG", 0, 0, UE_ NET_},
	{"a_later_fragment_of_ipv4", {ETH(0x0800), IPV4_AS(0x45, MF | 185, 17, UE, NET), DATA},
	 "eth@0 ipv4@14", "IPV4_FRAG", NULL, V4 " L4_FRAG", 0, 0, UE_ NET_},
	{"the_last_fragment_of_ipv4", {ETH(0x0800), IPV4_AS(0x45, 370, 17, UE, NET), DATA},
	 "eth@0 ipv4@14", "IPV4_FRAG", NULL, V4 " L4_FRAG", 0, 0, UE_ NET_},
	{"do_not_fragment_is_no_fragment",
	 {ETH(0x0800), IPV4_AS(0x45, 0x4000, 17, UE, NET), UDP(1024, 53)}, "eth@0 ipv4@14 udp@34",
	 "IPV4_UDP", NULL, V4 " L4_UDP", 0, 0, UE_ NET_ "04000035"},
	{"the_first_fragment_of_ipv6",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1024, 53), DATA},
	 "eth@0 ipv6@14 ipv6_frag@54 udp@62", "IPV6_FRAG", NULL, V6 " L4_FRAG", 0, 0, UE6_ NET6_},
	{"a_later_fragment_of_ipv6", {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 181, 0), DATA},
	 "eth@0 ipv6@14 ipv6_frag@54", "IPV6_FRAG", NULL, V6 " L4_FRAG", 0, 0, UE6_ NET6_},
	{"the_only_fragment_of_ipv6",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 0), UDP(1024, 53)},
	 "eth@0 ipv6@14 ipv6_frag@54 udp@62", "IPV6_FRAG", NULL, V6 " L4_FRAG", 0, 0, UE6_ NET6_},
	{"a_first_fragment_between_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 0, 1), EXT8(6), TCP(1024, 80)},
	 "eth@0 ipv6@14 ipv6_ext@54 ipv6_frag@62 ipv6_ext@70 tcp@78", "IPV6_FRAG", NULL,
	 V6 " L4_FRAG", 0, 0, UE6_ NET6_},
	{"a_later_fragment_behind_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 2, 1), EXT8(6), TCP(1024, 80)},
	 "eth@0 ipv6@14 ipv6_ext@54 ipv6_frag@62", "IPV6_FRAG", NULL, V6 " L4_FRAG", 0, 0,
	 UE6_ NET6_},

	{"an_ihl_too_small", {ETH(0x0800), IPV4_AS(0x44, 0, 17, UE, NET), UDP(1024, 53)}, BAD_L3},
	{"ipv6_where_ipv4_is_announced", {ETH(0x0800), IPV6(17, UE6, NET6), UDP(1024, 53)}, BAD_L3},
	{"version_7_where_ipv4_is_announced",
	 {ETH(0x0800), IPV4_AS(0x75, 0, 17, UE, NET), UDP(1024, 53)}, BAD_L3},
	{"ipv4_where_ipv6_is_announced", {ETH(0x86dd), IPV6_AS(0x45, 17, UE6, NET6), UDP(1024, 53)},
	 BAD_L3},
	{"a_tcp_header_too_short_for_itself",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 4, 0, 0), DATA}, "eth@0 ipv4@14", "IPV4",
	 "malformed", V4, 0, 0, UE_ NET_},
	{"a_tcp_header_longer_than_the_packet",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 15, 0, 0), DATA}, "eth@0 ipv4@14", "IPV4",
	 "truncated", V4, 0, 0, UE_ NET_},
	{"an_extension_header_longer_than_the_packet",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), PIECE(17, 255, 0, 0, ZEROS4), UDP(1024, 53)},
	 "eth@0 ipv6@14", "IPV6", "truncated", V6, 0, 0, UE6_ NET6_},
};
// clang-format on

#define N3 V4 " L4_UDP TUNNEL_GTPU"
#define N3_V6 V6 " L4_UDP TUNNEL_GTPU"
#define IN4 " INNER_L3_IPV4_EXT_UNKNOWN"
#define IN6 " INNER_L3_IPV6_EXT_UNKNOWN"

// An N3 packet up to UDP.
#define OUTER ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152)
#define OUTER_CHAIN "eth@0 ipv4@14 udp@34 gtpu@42 "
#define OUTER_INPUT GNB_ UPF_ "08680868"
#define GTPU_INPUT OUTER_INPUT "11223344"
#define USER_UDP IPV4(17, UE, NET), UDP(1024, 53), DATA
#define USER_INPUT UE_ NET_ "04000035"
#define UDP_OF_USER(chain, inner_l3) \
	OUTER_CHAIN chain, "GTPU_IPV4_UDP", NULL, N3 IN4 " INNER_L4_UDP", inner_l3, TEID, USER_INPUT
#define NO_USER(status) "eth@0 ipv4@14 udp@34 gtpu@42", "GTPU", status, N3, 0, TEID, GTPU_INPUT

// clang-format off
static const struct sample gtpu_samples[] = {
	{"g_pdu", {OUTER, GTPU(0x30, 255), USER_UDP}, UDP_OF_USER("ipv4@50 udp@70", 50)},

	// Any of E, S and PN brings all optional fields.
	{"g_pdu_with_a_sequence_number", {OUTER, GTPU_OPT(0x32, 255, 0), USER_UDP},
	 UDP_OF_USER("ipv4@54 udp@74", 54)},
	{"g_pdu_with_an_n_pdu_number", {OUTER, GTPU_OPT(0x31, 255, 0), USER_UDP},
	 UDP_OF_USER("ipv4@54 udp@74", 54)},
	{"g_pdu_with_both_numbers", {OUTER, GTPU_OPT(0x33, 255, 0), USER_UDP},
	 UDP_OF_USER("ipv4@54 udp@74", 54)},
	{"g_pdu_that_announces_no_extension_header", {OUTER, GTPU_OPT(0x34, 255, 0), USER_UDP},
	 UDP_OF_USER("ipv4@54 udp@74", 54)},
	{"g_pdu_with_a_stale_next_extension_type_but_no_e_flag",
	 {OUTER, GTPU_OPT(0x32, 255, 0x85), USER_UDP}, UDP_OF_USER("ipv4@54 udp@74", 54)},
	{"g_pdu_with_the_spare_bit_set", {OUTER, GTPU(0x38, 255), USER_UDP},
	 UDP_OF_USER("ipv4@50 udp@70", 50)},
	{"g_pdu_with_numbers_and_an_extension_header",
	 {OUTER, GTPU_OPT(0x37, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP},
	 UDP_OF_USER("gtpu_psc@54 ipv4@58 udp@78", 58)},

	// Extension headers
	{"uplink", {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP},
	 UDP_OF_USER("gtpu_psc@54 ipv4@58 udp@78", 58)},
	{"downlink",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(DOWNLINK, 9, 0), IPV4(6, NET, UE), TCP(80, 1024)},
	 OUTER_CHAIN "gtpu_psc@54 ipv4@58 tcp@78", "GTPU_IPV4_TCP", NULL, N3 IN4 " INNER_L4_TCP",
	 58, TEID, NET_ UE_ "00500400"},
	{"a_longer_pdu_session_container",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC8(UPLINK, 9, 0), USER_UDP},
	 UDP_OF_USER("gtpu_psc@54 ipv4@62 udp@82", 62)},
	{"an_extension_header_of_another_kind",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0), USER_UDP},
	 UDP_OF_USER("gtpu_ext@54 ipv4@58 udp@78", 58)},
	{"a_chain_of_extension_headers",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0x85), PSC8(UPLINK, 9, 0x40), GTPU_EXT(0xc0),
	  GTPU_EXT(0), USER_UDP},
	 UDP_OF_USER("gtpu_ext@54 gtpu_psc@58 gtpu_ext@66 gtpu_ext@70 ipv4@74 udp@94", 74)},
	{"an_extension_header_of_no_length",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), PIECE(0, 0xaa, 0xbb, 0), USER_UDP},
	 NO_USER("malformed")},
	{"a_pdu_session_container_of_no_length",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PIECE(0, 0x10, 9, 0), USER_UDP}, NO_USER("malformed")},

	// What the user sends
	{"a_users_tcp", {OUTER, GTPU(0x30, 255), IPV4(6, UE, NET), TCP(1024, 80)},
	 OUTER_CHAIN "ipv4@50 tcp@70", "GTPU_IPV4_TCP", NULL, N3 IN4 " INNER_L4_TCP", 50, TEID,
	 UE_ NET_ "04000050"},
	{"a_users_sctp", {OUTER, GTPU(0x30, 255), IPV4(132, UE, NET), SCTP(1024, 80)},
	 OUTER_CHAIN "ipv4@50 sctp@70", "GTPU_IPV4_SCTP", NULL, N3 IN4 " INNER_L4_SCTP", 50, TEID,
	 UE_ NET_ "04000050"},
	{"a_users_ping", {OUTER, GTPU(0x30, 255), IPV4(1, UE, NET), ICMP, DATA},
	 OUTER_CHAIN "ipv4@50 icmp@70", "GTPU_IPV4", NULL, N3 IN4, 50, TEID, UE_ NET_},
	{"a_users_ipv6_udp", {OUTER, GTPU(0x30, 255), IPV6(17, UE6, NET6), UDP(1024, 53)},
	 OUTER_CHAIN "ipv6@50 udp@90", "GTPU_IPV6_UDP", NULL, N3 IN6 " INNER_L4_UDP", 50, TEID,
	 UE6_ NET6_ "04000035"},
	{"a_users_ipv6_tcp_behind_options",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), IPV6(0, UE6, NET6), EXT8(60),
	  EXT16(6), TCP(1024, 80)},
	 OUTER_CHAIN "gtpu_psc@54 ipv6@58 ipv6_ext@98 ipv6_ext@106 tcp@122", "GTPU_IPV6_TCP", NULL,
	 N3 IN6 " INNER_L4_TCP", 58, TEID, UE6_ NET6_ "04000050"},
	{"a_users_ipv6_sctp", {OUTER, GTPU(0x30, 255), IPV6(132, UE6, NET6), SCTP(1024, 80)},
	 OUTER_CHAIN "ipv6@50 sctp@90", "GTPU_IPV6_SCTP", NULL, N3 IN6 " INNER_L4_SCTP", 50, TEID,
	 UE6_ NET6_ "04000050"},
	{"a_users_ipv6_ping", {OUTER, GTPU(0x30, 255), IPV6(58, UE6, NET6), ICMP6, DATA},
	 OUTER_CHAIN "ipv6@50 icmp6@90", "GTPU_IPV6", NULL, N3 IN6, 50, TEID, UE6_ NET6_},
	{"a_users_first_fragment",
	 {OUTER, GTPU(0x30, 255), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA},
	 OUTER_CHAIN "ipv4@50 udp@70", "GTPU_IPV4", NULL, N3 IN4 " INNER_L4_FRAG", 50, TEID,
	 UE_ NET_},
	{"a_users_later_fragment", {OUTER, GTPU(0x30, 255), IPV4_AS(0x45, 185, 17, UE, NET), DATA},
	 OUTER_CHAIN "ipv4@50", "GTPU_IPV4", NULL, N3 IN4 " INNER_L4_FRAG", 50, TEID, UE_ NET_},
	{"a_users_first_ipv6_fragment",
	 {OUTER, GTPU(0x30, 255), IPV6(44, UE6, NET6), FRAG6(6, 0, 1), TCP(1024, 80)},
	 OUTER_CHAIN "ipv6@50 ipv6_frag@90 tcp@98", "GTPU_IPV6", NULL, N3 IN6 " INNER_L4_FRAG", 50,
	 TEID, UE6_ NET6_},
	{"a_users_later_ipv6_fragment",
	 {OUTER, GTPU(0x30, 255), IPV6(44, UE6, NET6), FRAG6(6, 181, 0), DATA},
	 OUTER_CHAIN "ipv6@50 ipv6_frag@90", "GTPU_IPV6", NULL, N3 IN6 " INNER_L4_FRAG", 50, TEID,
	 UE6_ NET6_},
	{"a_users_own_tunnel_is_the_users_udp",
	 {OUTER, GTPU(0x30, 255), IPV4(17, UE, NET), UDP(4096, 2152), GTPU(0x30, 255),
	  IPV4(6, NET, UE), TCP(7, 8)}, OUTER_CHAIN "ipv4@50 udp@70 gtpu@78 ipv4@86 tcp@106",
	 "GTPU_IPV4_UDP", NULL, N3 IN4 " INNER_L4_UDP", 50, TEID, UE_ NET_ "10000868"},

	// What carries it
	{"outer_ipv6",
	 {ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 255), USER_UDP},
	 "eth@0 ipv6@14 udp@54 gtpu@62 ipv4@70 udp@90", "GTPU_IPV4_UDP", NULL,
	 N3_V6 IN4 " INNER_L4_UDP", 70, TEID, USER_INPUT},
	{"outer_ipv6_with_options_and_inner_ipv6",
	 {ETH(0x86dd), IPV6(0, GNB6, UPF6), EXT8(17), UDP(2152, 2152), GTPU(0x30, 255),
	  IPV6(6, UE6, NET6), TCP(1024, 80)},
	 "eth@0 ipv6@14 ipv6_ext@54 udp@62 gtpu@70 ipv6@78 tcp@118", "GTPU_IPV6_TCP", NULL,
	 N3_V6 IN6 " INNER_L4_TCP", 78, TEID, UE6_ NET6_ "04000050"},
	{"outer_vlan_and_ipv4_options",
	 {ETH(0x8100), VLAN(5, 0x0800), IPV4_OPTIONS(17, GNB, UPF), UDP(2152, 2152),
	  GTPU(0x30, 255), USER_UDP}, "eth@0 vlan@14 ipv4@18 udp@46 gtpu@54 ipv4@62 udp@82",
	 "GTPU_IPV4_UDP", NULL, N3 IN4 " INNER_L4_UDP", 62, TEID, USER_INPUT},
	{"the_first_outer_fragment_is_hashed_by_the_outer_addresses",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), USER_UDP},
	 OUTER_CHAIN "ipv4@50 udp@70", "IPV4_FRAG", NULL, V4 " L4_FRAG", 0, 0, GNB_ UPF_},
	{"a_later_outer_fragment_too", {ETH(0x0800), IPV4_AS(0x45, 185, 17, GNB, UPF), DATA},
	 "eth@0 ipv4@14", "IPV4_FRAG", NULL, V4 " L4_FRAG", 0, 0, GNB_ UPF_},
	{"the_first_outer_ipv6_fragment",
	 {ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 0, 1), UDP(2152, 2152), GTPU(0x30, 255),
	  USER_UDP}, "eth@0 ipv6@14 ipv6_frag@54 udp@62 gtpu@70 ipv4@78 udp@98", "IPV6_FRAG", NULL,
	 V6 " L4_FRAG", 0, 0, GNB6_ UPF6_},

	// What is no user's packet
	{"echo_request", {OUTER, GTPU_OPT(0x32, 1, 0)}, NO_USER(NULL)},
	{"end_marker", {OUTER, GTPU(0x30, 254)}, NO_USER(NULL)},
	{"an_error_indication_with_an_extension_header_has_no_ip_inside",
	 {OUTER, GTPU_OPT(0x34, 26, 0x40), GTPU_EXT(0), IPV4(17, UE, NET)},
	 OUTER_CHAIN "gtpu_ext@54", "GTPU", NULL, N3, 0, TEID, GTPU_INPUT},
	{"signalling_over_outer_ipv6",
	 {ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 254)},
	 "eth@0 ipv6@14 udp@54 gtpu@62", "GTPU", NULL, N3_V6, 0, TEID,
	 GNB6_ UPF6_ "0868086811223344"},
	{"a_g_pdu_that_holds_no_ip", {OUTER, GTPU(0x30, 255), DATA}, NO_USER(NULL)},
	{"a_g_pdu_that_holds_nothing", {OUTER, GTPU(0x30, 255)}, NO_USER("truncated")},
	{"a_users_ihl_too_small",
	 {OUTER, GTPU(0x30, 255), IPV4_AS(0x43, 0, 17, UE, NET), UDP(1024, 53)},
	 NO_USER("malformed")},
	{"a_frame_of_a_user_is_no_ip",
	 {OUTER, PIECE(0x30, 255, 0, 50, BE32(TEID)), IPV4_AS(0x46, 0, 17, UE, NET), UDP(1024, 53)},
	 NO_USER(NULL)},
	{"gtp_version_2_is_not_gtpu", {OUTER, GTPU(0x50, 255), USER_UDP}, "eth@0 ipv4@14 udp@34",
	 "IPV4_UDP", "malformed", V4 " L4_UDP", 0, 0, OUTER_INPUT},
	{"gtp_prime_is_not_gtpu", {OUTER, GTPU(0x20, 255), USER_UDP}, "eth@0 ipv4@14 udp@34",
	 "IPV4_UDP", "malformed", V4 " L4_UDP", 0, 0, OUTER_INPUT},
	{"answers_come_from_the_port",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 9), GTPU(0x30, 255), USER_UDP},
	 UDP_OF_USER("ipv4@50 udp@70", 50)},
	{"another_port_is_no_tunnel",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2151, 9), GTPU(0x30, 255), USER_UDP},
	 "eth@0 ipv4@14 udp@34", "IPV4_UDP", NULL, V4 " L4_UDP", 0, 0, GNB_ UPF_ "08670009"},
	{"plain_packets_are_hashed_beside", {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80)},
	 "eth@0 ipv4@14 tcp@34", "IPV4_TCP", NULL, V4 " L4_TCP", 0, 0, UE_ NET_ "04000050"},
};
// clang-format on

const struct corpus corpora[2] = {
	{"base", base_samples, COUNT(base_samples)},
	{"gtpu", gtpu_samples, COUNT(gtpu_samples)},
};

static void profile_end(void *profile) {
	ddp_profile_destroy(profile);
}

static void program_end(void *program) {
	ddp_program_destroy(program);
}

struct loaded load_good(const char *spec) {
	struct loaded loaded = {NULL, NULL};
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	loaded.profile = ddp_profile_load(spec, &diag);
	assert_string_equal(ddp_diag_first(&diag), "");
	loaded.program = ddp_program_build(loaded.profile, &diag);
	assert_string_equal(ddp_diag_first(&diag), "");
	ddp_diag_fini(&diag);
	after_test(profile_end, loaded.profile);
	after_test(program_end, loaded.program);
	return loaded;
}

uint8_t *copy_of(const uint8_t *bytes, uint32_t len) {
	uint8_t *copy = malloc(len);

	if (len > 0)
		memcpy(copy, bytes, len);
	return copy;
}

void classify_bytes(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		    struct ddp_class *class) {
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};

	ddp_classify(program, &packet, class);
	free(copy);
}

const char *input_text(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		       const struct ddp_class *class) {
	static char text[2 * DDP_MAX_INPUT_SIZE + 1];
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	uint8_t *input = malloc(DDP_MAX_INPUT_SIZE);
	unsigned int n = ddp_input_gather(program, &packet, class, UINT64_MAX, false, input);

	text[0] = '\0';
	for (unsigned int i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", input[i]);
	free(input);
	free(copy);
	return text;
}

const char *chain_text(const struct ddp_program *program, const struct ddp_class *class) {
	static char text[DDP_MAX_STEPS * 40];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node = ddp_program_node(program, class->seen[i].node);

		if (!node->hidden)
			len += snprintf(text + len, sizeof(text) - len, "%s%s@%u",
					len == 0 ? "" : " ", node->token, class->seen[i].off);
	}
	return text;
}

const char *status_text(unsigned int status) {
	static const char *const texts[] = {
		[DDP_STATUS_OK] = "ok",
		[DDP_STATUS_TRUNCATED] = "truncated",
		[DDP_STATUS_MALFORMED] = "malformed",
		[DDP_STATUS_TOO_DEEP] = "too deep",
	};

	return status < COUNT(texts) ? texts[status] : "no status";
}

// "L2_ETHER L4_UDP" as bits.
static uint32_t ptype_bits(const char *words) {
	static const struct {
		const char *word;
		uint32_t bits;
	} known[] = {
#define X(name, bits) {#name, bits},
		DDP_RTE_PTYPES(X)
#undef X
	};
	uint32_t sum = 0;

	while (*words != '\0') {
		size_t len = strcspn(words, " ");
		unsigned int i = 0;

		while (i < COUNT(known) &&
		       (strlen(known[i].word) != len || memcmp(known[i].word, words, len) != 0))
			i++;
		assert_true(i < COUNT(known));
		sum |= known[i].bits;
		words += len + strspn(words + len, " ");
	}
	return sum;
}

void assert_sample(const struct ddp_program *program, const struct sample *sample) {
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(sample->packet, bytes);

	classify_bytes(program, bytes, len, &class);
	assert_string_equal(chain_text(program, &class), sample->chain);
	assert_string_equal(ddp_program_type(program, class.type)->name, sample->type);
	assert_int_equal(class.type_id, ddp_program_type(program, class.type)->id);
	assert_string_equal(status_text(class.status),
			    sample->status == NULL ? "ok" : sample->status);
	assert_int_equal(class.rte_ptype, ptype_bits(sample->ptype));
	assert_int_equal(class.inner_l3_off, sample->inner_l3 == 0 ? UINT16_MAX : sample->inner_l3);
	assert_int_equal(class.value, sample->value);
	assert_string_equal(input_text(program, bytes, len, &class), sample->input);
}
