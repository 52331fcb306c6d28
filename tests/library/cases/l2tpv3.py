# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case
from packets import (DATA, IP6_A, IP6_B, IP_A, IP_B, arp, eth, icmp, ipv4, ipv6, ipv6_frag, dstopts,
                     l2tpv3, l2tpv3_udp, packet, sctp, tcp, udp, vlan)

ADDRESSES = {"ipv4.src": IP_A, "ipv4.dst": IP_B}
ADDRESSES6 = {"ipv6.src": IP6_A, "ipv6.dst": IP6_B}
SID = {"l2tpv3.session": 0x1234}
IN4, IN6 = ipv4("10.1.0.1", "10.2.0.2"), ipv6("fd00::1", "fd00::2")
INNER = {"inner.ipv4.src": "10.1.0.1", "inner.ipv4.dst": "10.2.0.2", **SID}
INNER6 = {"inner.ipv6.src": "fd00::1", "inner.ipv6.dst": "fd00::2", **SID}
MACS = {"inner.eth.src": "02:00:00:00:00:0a", "inner.eth.dst": "02:00:00:00:00:0b"}
# Behind the session id: control message header of a message over IP.
CONTROL = struct.pack("!HHIHH", 0xc803, 12, 7, 0, 0)
ETHERNET = "l2tpv3;ethernet=1"
OVER_IP = packet(eth(), ipv4(proto=115))


def layout(cookie="None", sublayer="None"):
    """tshark has to be told as well what a session carries."""
    return ["-d", "l2tp.pw_type==0,eth",
            "-o", "l2tp.cookie_size:" + cookie, "-o", "l2tp.l2_specific:" + sublayer]


def ports(l4, sport, dport):
    return {"inner.%s.sport" % l4: sport, "inner.%s.dport" % l4: dport}


def session(name, layers, chain, ptype, fields, cookie=b"", **more):
    """An Ethernet session over IP."""
    return Case(name, packet(eth(), ipv4(), l2tpv3(0x1234, cookie=cookie), eth(), *layers),
                "eth ipv4 l2tpv3 eth " + chain, ptype, fields, spec=more.pop("spec", ETHERNET),
                options=more.pop("options", layout()), **more)


CASES = [
    Case("control over IP", packet(eth(), ipv4(), l2tpv3(0), CONTROL), "eth ipv4 l2tpv3",
         "L2TPV3_CONTROL", {**ADDRESSES, "l2tpv3.session": 0},
         has=["l2tpv3.flags", "l2tpv3.control_length", "l2tpv3.control_id", "l2tpv3.control_ns",
              "l2tpv3.control_nr"]),
    Case("control over UDP", packet(eth(), ipv4(), udp(1701), l2tpv3_udp(7, control=True)),
         "eth ipv4 udp l2tpv3", "L2TPV3_CONTROL", {**ADDRESSES, "l2tpv3.session": 7},
         has=["l2tpv3.t", "l2tpv3.l", "l2tpv3.s", "l2tpv3.version", "l2tpv3.length", "l2tpv3.ns",
              "l2tpv3.nr"]),
    Case("session over IP", packet(eth(), vlan(4), ipv4(), l2tpv3(0x1234), DATA),
         "eth vlan ipv4 l2tpv3", "L2TPV3", {**ADDRESSES, **SID},
         sets={"session": {"ipv4.dst": IP_B, **SID},
               "outer": {"ipv4.src": IP_A, "ipv4.dst": IP_B, **SID}}),
    Case("session over IPv6", packet(eth(), ipv6(), dstopts(), l2tpv3(0x1234), DATA),
         "eth ipv6 ipv6_ext l2tpv3", "L2TPV3", {**ADDRESSES6, **SID}),
    Case("first fragment of a session over IPv6, whose id looks like a version over UDP",
         packet(eth(), ipv6(), ipv6_frag(), l2tpv3(0x00030001)),
         "eth ipv6 ipv6_frag l2tpv3", "IPV6_FRAG", ADDRESSES6),
    Case("session over UDP", packet(eth(), ipv6(), udp(1701), l2tpv3_udp(0x1234), DATA),
         "eth ipv6 udp l2tpv3", "L2TPV3", {**ADDRESSES6, **SID},
         sets={"outer": {"ipv6.src": IP6_A, "ipv6.dst": IP6_B, "udp.sport": 1701,
                         "udp.dport": 1701, **SID}}),
    Case("other port", packet(eth(), ipv4(), udp(1701, 1702), l2tpv3_udp(0x1234), DATA),
         "eth ipv4 udp l2tpv3", "L2TPV3", {**ADDRESSES, **SID}, spec="l2tpv3;l2tpv2.port=1702",
         options=["-d", "udp.port==1702,l2tp"]),

    session("no IP in it", [arp()], "arp", "L2TPV3_ETH", {**MACS, **SID}),
    session("IPv4 other", [IN4, icmp()], "ipv4 icmp", "L2TPV3_IPV4", INNER, sets={"inner-ip": INNER}),
    session("IPv4 UDP", [vlan(7), IN4, udp(1, 2), DATA], "vlan ipv4 udp", "L2TPV3_IPV4_UDP",
            {**INNER, **ports("udp", 1, 2)}, sets={"inner-5tuple": {**INNER, **ports("udp", 1, 2)}}),
    session("IPv4 TCP", [IN4, tcp(1, 2), DATA], "ipv4 tcp", "L2TPV3_IPV4_TCP",
            {**INNER, **ports("tcp", 1, 2)}),
    session("IPv4 SCTP", [IN4, sctp(1, 2), DATA], "ipv4 sctp", "L2TPV3_IPV4_SCTP",
            {**INNER, **ports("sctp", 1, 2)}),
    session("IPv6 fragment", [IN6, ipv6_frag(offset=5, next=17), DATA], "ipv6 ipv6_frag",
            "L2TPV3_IPV6", INNER6, sets={"inner-ip": INNER6}),
    session("IPv6 UDP", [IN6, dstopts(), udp(1, 2), DATA], "ipv6 ipv6_ext udp", "L2TPV3_IPV6_UDP",
            {**INNER6, **ports("udp", 1, 2)}, sets={"inner-5tuple": {**INNER6, **ports("udp", 1, 2)}}),
    session("IPv6 TCP", [IN6, tcp(1, 2), DATA], "ipv6 tcp", "L2TPV3_IPV6_TCP",
            {**INNER6, **ports("tcp", 1, 2)}),
    session("IPv6 SCTP", [IN6, sctp(1, 2), DATA], "ipv6 sctp", "L2TPV3_IPV6_SCTP",
            {**INNER6, **ports("sctp", 1, 2)}),
    session("cookie", [IN4, udp(1, 2), DATA], "ipv4 udp", "L2TPV3_IPV4_UDP",
            {**INNER, **ports("udp", 1, 2)}, cookie=b"\xc0\x0c\x1e\5",
            spec="l2tpv3;ethernet=1;cookie=4", options=layout("4 Byte Cookie")),
    session("long cookie and sublayer", [IN4, udp(1, 2), DATA], "ipv4 udp", "L2TPV3_IPV4_UDP",
            {**INNER, **ports("udp", 1, 2)}, cookie=b"\xc0\x0c\x1e\5\1\2\3\4" + b"\0\0\0\0",
            spec="l2tpv3;ethernet=1;cookie=8;sublayer=4",
            options=layout("8 Byte Cookie", "Default L2-Specific")),
    Case("Ethernet over UDP, cookie",
         packet(eth(), ipv4(), udp(1701), l2tpv3_udp(0x1234, cookie=b"abcd"), eth(), IN4, udp(1, 2), DATA),
         "eth ipv4 udp l2tpv3 eth ipv4 udp", "L2TPV3_IPV4_UDP", {**INNER, **ports("udp", 1, 2)},
         spec="l2tpv3;ethernet=1;cookie=4", options=layout("4 Byte Cookie")),
    Case("cut in the cookie", OVER_IP + struct.pack("!IH", 0x1234, 0), "eth ipv4", "IPV4", ADDRESSES,
         status="error", spec="l2tpv3;cookie=4"),
]
