# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case
from packets import (DATA, arp, dstopts, eth, icmp, icmp6, ipv4, ipv6, ipv6_ext, ipv6_frag, hopopts, packet, sctp,
                     srh, tcp, udp, vlan)

SEGMENTS = ["fc00:0:3::e", "fc00:0:2::1", "fc00:0:1::1"]
OUTER = (eth(), vlan(11), ipv6(flow_label=0x12345))
LABEL = {"ipv6.flow_label": 0x12345}
IN4, IN6 = ipv4("10.1.0.1", "10.2.0.2"), ipv6("fd00::1", "fd00::2")
PAD = bytes.fromhex("0406000000000000") # a TLV, PadN
HMAC = bytes.fromhex("0526000000000001") + bytes(32)


def routed(name, layers, chain, ptype, header=srh(SEGMENTS)):
    return Case(name, packet(*OUTER, header, *layers), "eth vlan ipv6 ipv6_ext " + chain, ptype,
                LABEL)


def frame(name, layers, chain, ptype, headers=(srh(SEGMENTS),)):
    return Case(name, packet(*OUTER, *headers, eth(), *layers),
                "eth vlan ipv6 " + "ipv6_ext " * len(headers) + "eth " + chain, ptype,
                LABEL)


CASES = [
    routed("IPv4 other", [IN4, icmp()], "ipv4 icmp", "SRV6_IPV4"),
    routed("IPv4 UDP", [IN4, udp(1, 2), DATA], "ipv4 udp", "SRV6_IPV4_UDP"),
    routed("IPv4 TCP, reduced by its first segment", [IN4, tcp(1, 2), DATA], "ipv4 tcp", "SRV6_IPV4_TCP",
           header=srh(SEGMENTS[:2], left=2)),
    routed("IPv4 SCTP, TLVs", [IN4, sctp(1, 2), DATA], "ipv4 sctp", "SRV6_IPV4_SCTP",
           header=srh(SEGMENTS, tlvs=PAD + HMAC)),
    routed("IPv6 other", [IN6, icmp6()], "ipv6 icmp6", "SRV6_IPV6"),
    routed("IPv6 fragment", [IN6, ipv6_frag(offset=4, next=17), DATA], "ipv6 ipv6_frag", "SRV6_IPV6"),
    routed("IPv6 UDP", [IN6, hopopts(), udp(1, 2), DATA], "ipv6 ipv6_ext udp", "SRV6_IPV6_UDP"),
    routed("IPv6 TCP, two extension headers", [dstopts(), IN6, tcp(1, 2), DATA], "ipv6_ext ipv6 tcp", "SRV6_IPV6_TCP"),
    routed("IPv6 SCTP", [IN6, sctp(1, 2), DATA], "ipv6 sctp", "SRV6_IPV6_SCTP"),

    frame("Ethernet, no IP", [arp()], "arp", "SRV6_ETH"),
    frame("Ethernet, IPv4 other", [IN4, icmp()], "ipv4 icmp", "SRV6_ETH_IPV4"),
    frame("Ethernet, IPv4 UDP, no segment routing header", [vlan(7), IN4, udp(1, 2), DATA], "vlan ipv4 udp",
          "SRV6_ETH_IPV4_UDP", headers=()),
    frame("Ethernet, IPv4 TCP", [IN4, tcp(1, 2), DATA], "ipv4 tcp", "SRV6_ETH_IPV4_TCP"),
    frame("Ethernet, IPv4 SCTP", [IN4, sctp(1, 2), DATA], "ipv4 sctp", "SRV6_ETH_IPV4_SCTP"),
    frame("Ethernet, IPv6 other", [IN6, icmp6()], "ipv6 icmp6", "SRV6_ETH_IPV6"),
    frame("Ethernet, IPv6 UDP", [IN6, dstopts(), udp(1, 2), DATA], "ipv6 ipv6_ext udp", "SRV6_ETH_IPV6_UDP"),
    frame("Ethernet, IPv6 TCP", [IN6, tcp(1, 2), DATA], "ipv6 tcp", "SRV6_ETH_IPV6_TCP"),
    frame("Ethernet, IPv6 SCTP", [IN6, sctp(1, 2), DATA], "ipv6 sctp", "SRV6_ETH_IPV6_SCTP"),

    Case("routing header of RPL", packet(*OUTER, ipv6_ext(43, body=bytes((3, 0)) + bytes(20)), IN4, udp(1, 2), DATA),
         "eth vlan ipv6 ipv6_ext ipv4 udp", "IPIP_IPV4_UDP"),
    Case("transport directly behind the header", packet(*OUTER, srh(SEGMENTS), udp(1, 2), DATA),
         "eth vlan ipv6 ipv6_ext udp", "IPV6_UDP"),
    Case("cut in the segments", packet(*OUTER, srh(SEGMENTS))[:-8], "eth vlan ipv6", "IPV6", status="error",
         wire_len=114, tshark="eth vlan ipv6 ipv6_ext", why="tshark shows the part of a header that was captured"),
]
