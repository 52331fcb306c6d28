# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case
from packets import DATA, bth, eth, ipv4, ipv6, packet, udp, vlan

QP = {"bth.dest_qp": 0x0abcde}
SEND_ONLY, ACK = 4, 17

CASES = [
    Case("send", packet(eth(), ipv4(), udp(49152), bth(SEND_ONLY, 0x0abcde), DATA), "eth ipv4 udp bth", "ROCEV2", QP),
    Case("IPv6", packet(eth(), vlan(6), ipv6(), udp(49153), bth(SEND_ONLY, 0x0abcde), DATA), "eth vlan ipv6 udp bth",
         "ROCEV2", QP, meets={"qp": "send"}),
    Case("other port", packet(eth(), ipv4(), udp(49152, 4792), bth(SEND_ONLY, 0x0abcde), DATA), "eth ipv4 udp bth",
         "ROCEV2", QP, spec="rocev2;port=4792", options=["-d", "udp.port==4792,infiniband"]),
    Case("header of version 1", packet(eth(), ipv4(), udp(49152), bth(SEND_ONLY, 5, version=1), DATA), "eth ipv4 udp",
         "IPV4_UDP", status="error", tshark="eth ipv4 udp bth", why="tshark does not ask for the version, which is 0"),
    Case("cut in the header", packet(eth(), ipv4(), udp(49152), bth(SEND_ONLY, 0x0abcde))[:-1], "eth ipv4 udp",
         "IPV4_UDP", status="error", wire_len=54, tshark="eth ipv4 udp bth",
         why="tshark shows the part of a header that was captured"),
]
