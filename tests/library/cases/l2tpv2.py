# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, eth, ipv4, ipv6, hopopts, l2tpv2, lcp, packet, ppp, tcp, udp, vlan

OUTER = (eth(), ipv4(), udp(1701))
OUTER6 = (eth(), vlan(9), ipv6(), udp(1701))
IDS = {"l2tpv2.session": 0x55, "l2tpv2.tunnel": 0x1f}
USER, SERVER = "10.9.8.7", "203.0.113.5"
USER6, SERVER6 = "2001:db8:9:1::7", "2001:67c::5"
IN4, IN6 = ipv4(USER, SERVER), ipv6(USER6, SERVER6)
# ff 03 and two bytes of number, as it is without compression.
HDLC = ppp(address=True)

CASES = inner_cases((*OUTER, l2tpv2(0x1f, 0x55), HDLC), "eth ipv4 udp l2tpv2 ppp", "L2TPV2", IDS) + [
    Case("control with length and sequence numbers",
         packet(*OUTER, l2tpv2(0x1f, 0, length=True, ns=1, nr=2, control=True), bytes.fromhex("800800000000000f")),
         "eth ipv4 udp l2tpv2", "L2TPV2_CONTROL", {"l2tpv2.tunnel": 0x1f, "l2tpv2.session": 0},
         has=["l2tpv2.length", "l2tpv2.ns", "l2tpv2.nr"]),
    Case("LCP", packet(*OUTER, l2tpv2(0x1f, 0x55), HDLC, lcp()), "eth ipv4 udp l2tpv2 ppp", "L2TPV2", IDS),
    Case("IPv4 UDP, plain", packet(*OUTER, l2tpv2(0x1f, 0x55), HDLC, IN4, udp(5, 6), DATA),
         "eth ipv4 udp l2tpv2 ppp ipv4 udp", "L2TPV2_IPV4_UDP", IDS,
         sets={"subscriber": {"inner.ipv4.src": USER, **IDS}}),
    Case("down again", packet(*OUTER, l2tpv2(0x20, 0x56), HDLC, ipv4(SERVER, USER), udp(6, 5), DATA),
         "eth ipv4 udp l2tpv2 ppp ipv4 udp", "L2TPV2_IPV4_UDP", {"l2tpv2.session": 0x56, "l2tpv2.tunnel": 0x20},
         meets={"subscriber": "IPv4 UDP, plain"}),
    Case("and without tunnel", packet(eth(), IN4, udp(5, 6), DATA), "eth ipv4 udp", "IPV4_UDP",
         meets={"subscriber": "IPv4 UDP, plain"}),
    *(Case(name, packet(*OUTER, l2tpv2(0x1f, 0x55, **fields), number, IN4, udp(5, 6), DATA),
           "eth ipv4 udp l2tpv2 ppp ipv4 udp", "L2TPV2_IPV4_UDP", IDS,
           has=["l2tpv2.offset"] if "offset" in fields else ())
      for name, fields, number in (
          ("length", {"length": True}, HDLC), ("sequence", {"ns": 3}, HDLC), ("offset 0", {"offset": 0}, HDLC),
          ("everything", {"length": True, "ns": 3, "offset": 6, "priority": 1}, HDLC),
          ("no address and control", {}, ppp()), ("compressed number", {}, ppp(0x21, short=True)),
          ("address, control, compressed number", {}, ppp(0x21, address=True, short=True)))),
    Case("IPv6 UDP", packet(*OUTER, l2tpv2(0x1f, 0x55), HDLC, IN6, udp(5, 6), DATA),
         "eth ipv4 udp l2tpv2 ppp ipv6 udp", "L2TPV2_IPV6_UDP", IDS,
         sets={"subscriber": {"inner.ipv6.src/64": "2001:db8:9:1::", **IDS}}),
    Case("IPv6 TCP", packet(*OUTER6, l2tpv2(0x1f, 0x55), HDLC, IN6, hopopts(), tcp(5, 6), DATA),
         "eth vlan ipv6 udp l2tpv2 ppp ipv6 ipv6_ext tcp", "L2TPV2_IPV6_TCP", IDS),
    Case("other port", packet(eth(), ipv4(), udp(1701, 1702), l2tpv2(0x1f, 0x55), HDLC, IN4, udp(5, 6)),
         "eth ipv4 udp l2tpv2 ppp ipv4 udp", "L2TPV2_IPV4_UDP", IDS, spec="l2tpv2;port=1702"),
    Case("outer fragment", packet(eth(), ipv4(mf=1), udp(1701), l2tpv2(0x1f, 0x55), HDLC, IN4, udp(5, 6)),
         "eth ipv4 udp l2tpv2 ppp ipv4 udp", "IPV4_FRAG"),
    Case("cut in the sequence numbers", packet(*OUTER, l2tpv2(0x1f, 0x55, ns=1))[:-2], "eth ipv4 udp", "IPV4_UDP",
         status="error", wire_len=52, tshark="eth ipv4 udp l2tpv2",
         why="tshark shows the part of a header that was captured"),
]
