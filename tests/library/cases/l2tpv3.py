# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, ipv6_frag, dstopts, l2tpv3, l2tpv3_udp, packet, udp, vlan

SID = {"l2tpv3.session": 0x1234}
IN4, IN6 = ipv4("10.1.0.1", "10.2.0.2"), ipv6("fd00::1", "fd00::2")
# Behind the session id: control message header of a message over IP.
CONTROL = struct.pack("!HHIHH", 0xc803, 12, 7, 0, 0)
ETHERNET = "l2tpv3;ethernet=1"
OVER_IP = packet(eth(), ipv4(proto=115))


def layout(cookie="None", sublayer="None"):
    """tshark needs an option for the content of a session."""
    return ["-d", "l2tp.pw_type==0,eth",
            "-o", "l2tp.cookie_size:" + cookie, "-o", "l2tp.l2_specific:" + sublayer]


def session(name, layers, chain, ptype, cookie=b"", spec=ETHERNET, options=layout()):
    """An Ethernet session over IP."""
    return Case(name, packet(eth(), ipv4(), l2tpv3(0x1234, cookie=cookie), eth(), *layers),
                "eth ipv4 l2tpv3 eth " + chain, ptype, SID, spec=spec, options=options)


CASES = inner_cases((eth(), ipv4(), l2tpv3(0x1234), eth()), "eth ipv4 l2tpv3 eth", "L2TPV3", SID, spec=ETHERNET,
                    options=layout()) + [
    Case("control over IP", packet(eth(), ipv4(), l2tpv3(0), CONTROL), "eth ipv4 l2tpv3", "L2TPV3_CONTROL",
         {"l2tpv3.session": 0},
         has=["l2tpv3.flags", "l2tpv3.control_length", "l2tpv3.control_id", "l2tpv3.control_ns", "l2tpv3.control_nr"]),
    Case("control over UDP", packet(eth(), ipv4(), udp(1701), l2tpv3_udp(7, control=True)), "eth ipv4 udp l2tpv3",
         "L2TPV3_CONTROL", {"l2tpv3.session": 7},
         has=["l2tpv3.t", "l2tpv3.l", "l2tpv3.s", "l2tpv3.version", "l2tpv3.length", "l2tpv3.ns", "l2tpv3.nr"]),
    Case("session over IP", packet(eth(), vlan(4), ipv4(), l2tpv3(0x1234), DATA), "eth vlan ipv4 l2tpv3", "L2TPV3",
         SID),
    Case("session over IPv6", packet(eth(), ipv6(), dstopts(), l2tpv3(0x1234), DATA), "eth ipv6 ipv6_ext l2tpv3",
         "L2TPV3", SID),
    Case("first fragment of a session over IPv6, whose id looks like a version over UDP",
         packet(eth(), ipv6(), ipv6_frag(), l2tpv3(0x00030001)), "eth ipv6 ipv6_frag l2tpv3", "IPV6_FRAG"),
    Case("session over UDP", packet(eth(), ipv6(), udp(1701), l2tpv3_udp(0x1234), DATA), "eth ipv6 udp l2tpv3",
         "L2TPV3", SID),
    Case("other port", packet(eth(), ipv4(), udp(1701, 1702), l2tpv3_udp(0x1234), eth(), IN4, udp(1, 2), DATA),
         "eth ipv4 udp l2tpv3 eth ipv4 udp", "L2TPV3_IPV4_UDP", SID, spec="l2tpv3;ethernet=1;l2tpv2.port=1702",
         options=[*layout(), "-d", "udp.port==1702,l2tp"]),

    session("no IP in it", [arp()], "arp", "L2TPV3_ETH"),
    session("a tag", [vlan(7), IN4, udp(1, 2), DATA], "vlan ipv4 udp", "L2TPV3_IPV4_UDP"),
    session("cookie", [IN4, udp(1, 2), DATA], "ipv4 udp", "L2TPV3_IPV4_UDP", cookie=b"\xc0\x0c\x1e\5",
            spec="l2tpv3;ethernet=1;cookie=4", options=layout("4 Byte Cookie")),
    session("long cookie and sublayer", [IN4, udp(1, 2), DATA], "ipv4 udp", "L2TPV3_IPV4_UDP",
            cookie=b"\xc0\x0c\x1e\5\1\2\3\4" + b"\0\0\0\0", spec="l2tpv3;ethernet=1;cookie=8;sublayer=4",
            options=layout("8 Byte Cookie", "Default L2-Specific")),
    Case("Ethernet over UDP, cookie",
         packet(eth(), ipv4(), udp(1701), l2tpv3_udp(0x1234, cookie=b"abcd"), eth(), IN4, udp(1, 2), DATA),
         "eth ipv4 udp l2tpv3 eth ipv4 udp", "L2TPV3_IPV4_UDP", SID, spec="l2tpv3;ethernet=1;cookie=4",
         options=layout("4 Byte Cookie")),
    Case("cut in the cookie", OVER_IP + struct.pack("!IH", 0x1234, 0), "eth ipv4", "IPV4", status="error",
         spec="l2tpv3;cookie=4"),
]
