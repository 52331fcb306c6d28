/* SPDX-License-Identifier: BSD-3-Clause */
// Kinds of packets, and what each package makes of them (reference results, default state).
#ifndef PACKAGE_E810_KINDS_H
#define PACKAGE_E810_KINDS_H

#include "e810/e810_parser.h"

#define NONE E810_NO_PTYPE

struct kind {
	const char *name; // of the test
	const char *words;
	uint16_t os, comms;
	const char *chain; // with Comms
	enum {
		PLAIN,
		PORTS, // VXLAN 4789 and GENEVE 6081 enabled
		DOUBLE_VLAN,
	} mode;
	enum e810_status status;
};

// clang-format off
static const struct kind kinds[] = {
	{"unknown EtherType", "eth type=1234 pay", 1, 1, "eth"},
	{"802.3 length", "eth type=0026 pay", 1, 1, "eth"},
	{"macsec", "eth type=88e5 pay", 1, 1, "eth"},
	{"ecpri over ethernet", "eth type=aefe pay", 1, 1, "eth"},
	{"arp", "eth arp", 11, 11, "eth arp"},
	{"arp behind a tag", "eth vlan arp", 11, 11, "eth vlan arp"},
	{"lldp", "eth lldp", 6, 6, "eth lldp"},
	{"ptp over ethernet", "eth ptp pay", 2, 2, "eth ptp"},
	{"pause", "eth pause pay", 278, 278, "eth mac_control"},
	{"ipv4 fragment", "eth ipv4=frag proto=17 pay", 22, 22, "eth ipv4"},
	{"ipv4 first fragment", "eth ipv4=first proto=17 pay", 22, 22, "eth ipv4"},
	{"ipv4 payload", "eth ipv4 proto=99 pay", 23, 23, "eth ipv4"},
	{"ipv4 udp", "eth ipv4 udp=53 pay", 24, 24, "eth ipv4 udp"},
	{"ipv4 tcp", "eth ipv4 tcp pay", 26, 26, "eth ipv4 tcp"},
	{"ipv4 sctp", "eth ipv4 sctp pay", 27, 27, "eth ipv4 sctp"},
	{"ipv4 icmp", "eth ipv4 icmp pay", 28, 28, "eth ipv4 icmp"},
	{"ipv6 fragment", "eth ipv6 frag6 proto=17 pay", 88, 88, "eth ipv6 ipv6_frag"},
	{"ipv6 payload", "eth ipv6 proto=99 pay", 89, 89, "eth ipv6"},
	{"ipv6 udp", "eth ipv6 udp=53 pay", 90, 90, "eth ipv6 udp"},
	{"ipv6 tcp", "eth ipv6 tcp pay", 92, 92, "eth ipv6 tcp"},
	{"ipv6 sctp", "eth ipv6 sctp pay", 93, 93, "eth ipv6 sctp"},
	{"ipv6 icmp6", "eth ipv6 icmp6 pay", 94, 94, "eth ipv6 icmp6"},
	{"ipv6 extension headers", "eth ipv6 hop routing dest tcp pay", 92, 92, "eth ipv6 ipv6_ext ipv6_ext ipv6_ext tcp"},
	{"ipv6 extension headers in another order", "eth ipv6 dest hop routing udp=53 pay", 90, 90, "eth ipv6 ipv6_ext ipv6_ext ipv6_ext udp"},
	{"one tag", "eth vlan ipv4 tcp pay", 26, 26, "eth vlan ipv4 tcp"},
	{"88a8 tag", "eth vlan=88a8 ipv4 tcp pay", 26, 26, "eth vlan ipv4 tcp"},
	{"88a8 and 8100", "eth vlan=88a8 vlan ipv4 udp=53 pay", 24, 24, "eth vlan vlan ipv4 udp"},
	{"9100 and 8100", "eth vlan=9100 vlan ipv6 udp=53 pay", 90, 90, "eth vlan vlan ipv6 udp"},
	{"8100 twice in single vlan mode", "eth vlan vlan ipv4 tcp pay", 1, 1, "eth vlan"},
	{"8100 twice in double vlan mode", "eth vlan vlan ipv4 tcp pay", 26, 26, "eth vlan vlan ipv4 tcp", DOUBLE_VLAN},
	{"9100 alone", "eth vlan=9100 ipv4 tcp pay", 1, 1, "eth vlan"},
	{"three tags", "eth vlan=88a8 vlan vlan ipv4 tcp pay", 1, 1, "eth vlan vlan"},
	{"wrong version nibble", "eth type=0800 x=65000064000100004006000" "00a0000010a000002 x=9c4001bb000000010000000250101000123400" "00", 26, 26, "eth ipv4 tcp"},
	{"ipv4 in ipv4", "eth ipv4 ipv4 tcp pay", 33, 33, "eth ipv4 ipv4 tcp"},
	{"ipv6 in ipv4", "eth ipv4 ipv6 udp=53 pay", 38, 38, "eth ipv4 ipv6 udp"},
	{"ipv4 in ipv6", "eth ipv6 ipv4 sctp pay", 100, 100, "eth ipv6 ipv4 sctp"},
	{"ipv6 in ipv6", "eth ipv6 ipv6 icmp6 pay", 108, 108, "eth ipv6 ipv6 icmp6"},
	{"gre with ipv4", "eth ipv4 gre ipv4 tcp pay", 48, 48, "eth ipv4 gre ipv4 tcp"},
	{"gre with ipv6", "eth ipv4 gre ipv6 udp=53 pay", 53, 53, "eth ipv4 gre ipv6 udp"},
	{"gre with something else", "eth ipv4 gre type=1234 pay", 43, 43, "eth ipv4 gre"},
	{"nvgre", "eth ipv4 gre eth ipv4 tcp pay", 63, 63, "eth ipv4 gre eth ipv4 tcp"},
	{"nvgre over ipv6 with a tag", "eth ipv6 gre eth vlan ipv6 tcp pay", 136, 136, "eth ipv6 gre eth vlan ipv6 tcp"},
	{"vxlan, no port enabled", "eth ipv4 udp=4789 vxlan eth ipv4 tcp pay", 24, 24, "eth ipv4 udp"},
	{"vxlan", "eth ipv4 udp=4789 vxlan eth ipv4 tcp pay", 63, 63, "eth ipv4 udp vxlan eth ipv4 tcp", PORTS},
	{"vxlan over ipv6", "eth ipv6 udp=4789 vxlan eth ipv6 udp=53 pay", 134, 134, "eth ipv6 udp vxlan eth ipv6 udp", PORTS},
	{"vxlan with an unknown EtherType", "eth ipv4 udp=4789 vxlan eth type=1234 pay", 58, 58, "eth ipv4 udp vxlan eth", PORTS},
	{"geneve, no port enabled", "eth ipv6 udp=6081 geneve eth ipv4 tcp pay", 90, 90, "eth ipv6 udp"},
	{"geneve", "eth ipv4 udp=6081 geneve eth ipv4 icmp pay", 65, 65, "eth ipv4 udp geneve eth ipv4 icmp", PORTS},
	{"geneve with an ip payload", "eth ipv4 udp=6081 geneve ipv4 tcp pay", 24, 24, "eth ipv4 udp", PORTS},
	{"vxlan-gpe", "eth ipv4 udp=4790 gpe eth ipv4 tcp pay", 63, 63, "eth ipv4 udp vxlan_gpe eth ipv4 tcp"},
	{"vxlan-gpe with ipv4", "eth ipv4 udp=4790 x=0c00000100006400 ipv4 tcp pay", 48, 48, "eth ipv4 udp vxlan_gpe ipv4 tcp"},
	{"mpls", "eth mpls ipv4 udp=53 pay", 24, 24, "eth mpls ipv4 udp"},
	{"mpls, many labels", "eth mpls mpls mpls mpls mpls mpls ipv6 tcp pay", 92, 92, "eth mpls mpls mpls mpls mpls mpls ipv6 tcp"},
	{"mpls multicast", "eth mplsm ipv4 udp=53 pay", 1, 1, "eth"},
	{"pseudo-wire", "eth mpls x=00000000 eth ipv4 tcp pay", 1, 1, "eth mpls", PLAIN, E810_ERROR},
	{"gtp-u with ipv4", "eth ipv4 udp=2152 gtpu ipv4 udp=53 pay", 24, 333, "eth ipv4 udp gtpu ipv4 udp"},
	{"gtp-u with tcp", "eth ipv4 udp=2152 gtpu ipv4 tcp pay", 24, 334, "eth ipv4 udp gtpu ipv4 tcp"},
	{"gtp-u with icmp", "eth ipv4 udp=2152 gtpu ipv4 icmp pay", 24, 335, "eth ipv4 udp gtpu ipv4 icmp"},
	{"gtp-u with sctp", "eth ipv4 udp=2152 gtpu ipv4 sctp pay", 24, 392, "eth ipv4 udp gtpu ipv4 sctp"},
	{"gtp-u with a fragment", "eth ipv4 udp=2152 gtpu ipv4=frag proto=17 pay", 24, 331, "eth ipv4 udp gtpu ipv4"},
	{"gtp-u with another protocol", "eth ipv4 udp=2152 gtpu ipv4 proto=99 pay", 24, 332, "eth ipv4 udp gtpu ipv4"},
	{"gtp-u over ipv6", "eth ipv6 udp=2152 gtpu ipv4 udp=53 pay", 90, 338, "eth ipv6 udp gtpu ipv4 udp"},
	{"gtp-u with ipv6", "eth ipv4 udp=2152 gtpu ipv6 tcp pay", 24, 344, "eth ipv4 udp gtpu ipv6 tcp"},
	{"gtp-u, ipv6 in ipv6", "eth ipv6 udp=2152 gtpu ipv6 icmp6 pay", 90, 350, "eth ipv6 udp gtpu ipv6 icmp6"},
	{"gtp-u with a session container", "eth ipv4 udp=2152 gtpu=34ff000c0000000100000085 x=01100900 ipv4 tcp pay", 24, 334, "eth ipv4 udp gtpu gtpu_psc ipv4 tcp"},
	{"gtp-u with two extension headers", "eth ipv4 udp=2152 gtpu=34ff000c00000001000000c0 x=01000085 x=01100900 ipv4 tcp pay", 24, 334, "eth ipv4 udp gtpu gtpu_ext gtpu_psc ipv4 tcp"},
	{"gtp-u with a sequence number", "eth ipv4 udp=2152 gtpu=32ff000c0000000100070000 ipv4 tcp pay", 24, 334, "eth ipv4 udp gtpu ipv4 tcp"},
	{"gtp-u without an ip packet", "eth ipv4 udp=2152 gtpu x=0000000000000000 pay", 24, NONE, "eth ipv4 udp gtpu"},
	{"gtp-u echo request", "eth ipv4 udp=2152 gtpu=3201000400000000 x=00010000", 24, 329, "eth ipv4 udp gtpu"},
	{"gtp-u end marker over ipv6", "eth ipv6 udp=2152 gtpu=30fe000000000001 pay", 90, 330, "eth ipv6 udp gtpu"},
	{"gtp version 2 on the gtp-u port", "eth ipv4 udp=2152 gtpu=4801000800000001 pay", 24, 24, "eth ipv4 udp"},
	{"gtp-u port as the source", "eth ipv4 proto=17 x=08680035001c0001 gtpu ipv4 tcp", 24, 24, "eth ipv4 udp"},
	{"gtp-c with a TEID", "eth ipv4 udp=2123 x=4820000c0000000100000100 pay", 24, 325, "eth ipv4 udp gtpc"},
	{"gtp-c without a TEID", "eth ipv6 udp=2123 x=4001000400000100 pay", 90, 328, "eth ipv6 udp gtpc"},
	{"pfcp session", "eth ipv4 udp=8805 pfcp pay", 24, 352, "eth ipv4 udp pfcp"},
	{"pfcp node", "eth ipv6 udp=8805 x=2001000c00000100 pay", 90, 353, "eth ipv6 udp pfcp"},
	{"pppoe discovery", "eth pppoed pay", 1, 300, "eth pppoed"},
	{"pppoe session, lcp", "eth pppoe x=c021 pay", 1, 301, "eth pppoe ppp"},
	{"pppoe with ipv4 and udp", "eth pppoe ipv4 udp=53 pay", 1, 304, "eth pppoe ppp ipv4 udp"},
	{"pppoe with ipv6 and tcp", "eth pppoe ipv6 tcp pay", 1, 311, "eth pppoe ppp ipv6 tcp"},
	{"pppoe behind a tag", "eth vlan pppoe ipv4 tcp pay", 1, 305, "eth vlan pppoe ppp ipv4 tcp"},
	{"pppoe with gtp-u", "eth pppoe ipv4 udp=2152 gtpu ipv4 tcp pay", 1, NONE, "eth pppoe ppp ipv4 udp gtpu ipv4 tcp"},
	{"esp", "eth ipv4 esp pay", 23, 160, "eth ipv4 esp"},
	{"esp over ipv6", "eth ipv6 esp pay", 89, 161, "eth ipv6 esp"},
	{"ah", "eth ipv4 ah pay", 23, 162, "eth ipv4 ah"},
	{"l2tpv3", "eth ipv6 l2tpv3 pay", 89, 361, "eth ipv6 l2tpv3"},
	{"esp in udp", "eth ipv4 udp=4500 x=0000000100000001 pay", 24, 164, "eth ipv4 udp esp"},
	{"ike on port 4500", "eth ipv6 udp=4500 x=00000000 pay", 90, 167, "eth ipv6 udp"},
	{"nat keep-alive", "eth ipv4 udp=4500 x=ff", 24, 168, "eth ipv4 udp"},
	{"ike on port 500", "eth ipv4 udp=500 pay", 24, 24, "eth ipv4 udp"},
	{"l2tpv2", "eth ipv4 udp=1701 pay", 24, 24, "eth ipv4 udp"},
	{"rocev2", "eth ipv4 udp=4791 pay", 24, 24, "eth ipv4 udp"},
	{"gtp-u inside gre", "eth ipv4 gre ipv4 udp=2152 gtpu ipv4 tcp pay", 46, 46, "eth ipv4 gre ipv4 udp"},
};
// clang-format on

static const struct e810_config kind_configs[] = {
	[PORTS] = {.tunnels = {[E810_VXLAN] = {{4789}, 1}, [E810_GENEVE] = {{6081}, 1}}},
	[DOUBLE_VLAN] = {.double_vlan = true},
};

#endif
