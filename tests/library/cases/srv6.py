# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, dstopts, eth, ipv4, ipv6, ipv6_ext, packet, sctp, srh, tcp, udp, vlan

SEGMENTS = ["fc00:0:3::e", "fc00:0:2::1", "fc00:0:1::1"]
OUTER = (eth(), vlan(11), ipv6(flow_label=0x12345))
LABEL = {"ipv6.flow_label": 0x12345}
IN4, IN6 = ipv4("10.1.0.1", "10.2.0.2"), ipv6("fd00::1", "fd00::2")
PAD = bytes.fromhex("0406000000000000") # a TLV, PadN
HMAC = bytes.fromhex("0526000000000001") + bytes(32)
CHAIN = "eth vlan ipv6 ipv6_ext "

CASES = inner_cases((*OUTER, srh(SEGMENTS)), CHAIN.rstrip(), "SRV6", LABEL) + inner_cases(
    (*OUTER, srh(SEGMENTS), eth()), CHAIN + "eth", "SRV6_ETH", LABEL) + [
    Case("reduced by its first segment", packet(*OUTER, srh(SEGMENTS[:2], left=2), IN4, tcp(1, 2), DATA),
         CHAIN + "ipv4 tcp", "SRV6_IPV4_TCP", LABEL),
    Case("TLVs", packet(*OUTER, srh(SEGMENTS, tlvs=PAD + HMAC), IN4, sctp(1, 2), DATA), CHAIN + "ipv4 sctp",
         "SRV6_IPV4_SCTP", LABEL),
    Case("two extension headers", packet(*OUTER, srh(SEGMENTS), dstopts(), IN6, tcp(1, 2), DATA),
         CHAIN + "ipv6_ext ipv6 tcp", "SRV6_IPV6_TCP", LABEL),
    Case("Ethernet, no IP", packet(*OUTER, srh(SEGMENTS), eth(), arp()), CHAIN + "eth arp", "SRV6_ETH", LABEL),
    Case("Ethernet, no segment routing header", packet(*OUTER, eth(), vlan(7), IN4, udp(1, 2), DATA),
         "eth vlan ipv6 eth vlan ipv4 udp", "SRV6_ETH_IPV4_UDP", LABEL),
    Case("routing header of RPL", packet(*OUTER, ipv6_ext(43, body=bytes((3, 0)) + bytes(20)), IN4, udp(1, 2), DATA),
         "eth vlan ipv6 ipv6_ext ipv4 udp", "IPIP_IPV4_UDP"),
    Case("transport directly behind the header", packet(*OUTER, srh(SEGMENTS), udp(1, 2), DATA),
         "eth vlan ipv6 ipv6_ext udp", "IPV6_UDP"),
    Case("cut in the segments", packet(*OUTER, srh(SEGMENTS))[:-8], "eth vlan ipv6", "IPV6", status="error",
         wire_len=114, tshark="eth vlan ipv6 ipv6_ext", why="tshark shows the part of a header that was captured"),
]
