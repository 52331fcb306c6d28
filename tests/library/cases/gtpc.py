# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case
from packets import eth, gtpc1, gtpc2, ipv4, ipv6, packet, udp, vlan

OUTER = (eth(), ipv4(), udp(2123))
ECHO = bytes([3, 0, 1, 0, 7]) # recovery, version 2
V1_PLAIN = struct.pack("!BBHI", 0x30, 21, 0, 0x77) # none of the optional fields

CASES = [
    Case("v2 echo, no TEID", packet(*OUTER, gtpc2(None, type=1, seq=0x010203), ECHO), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.seq_v2": 0x010203}, has=["gtpc.seq_v2", "gtpc.priority"]),
    Case("v2 with TEID", packet(*OUTER, gtpc2(0xcafe0001, type=34), ECHO), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.teid": 0xcafe0001}, has=["gtpc.teid"]),
    Case("v2 sets up a session", packet(*OUTER, gtpc2(0, seq=9), ECHO), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.teid": 0, "gtpc.seq_v2": 9}),
    Case("v1 with sequence number, IPv6", packet(eth(), vlan(5), ipv6(), udp(3333), gtpc1(0x44, seq=8)),
         "eth vlan ipv6 udp gtpc", "GTPC", {"gtpc.teid": 0x44}, has=["gtpc.seq", "gtpc.npdu", "gtpc.next_ext"]),
    Case("v1 without optional fields", packet(eth(), ipv4(), udp(2123, 2123), V1_PLAIN), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.teid": 0x77}),
    Case("v1 sets up a session", packet(*OUTER, gtpc1(0, seq=0x1234)), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.teid": 0, "gtpc.seq": 0x1234}),
    Case("other port", packet(eth(), ipv4(), udp(2123, 2124), gtpc2(5, seq=1), ECHO), "eth ipv4 udp gtpc", "GTPC",
         {"gtpc.teid": 5}, spec="gtpc;port=2124"),
    Case("cut in the sequence number", packet(*OUTER, gtpc2(5))[:-1], "eth ipv4 udp", "IPV4_UDP", status="error",
         wire_len=54, tshark="eth ipv4 udp gtpc", why="tshark shows the part of a header that was captured"),
    Case("version 3 is malformed", packet(eth(), ipv4(), udp(2123, 2123), b"\x68\x20\0\x08" + bytes(8)),
         "eth ipv4 udp", "IPV4_UDP", status="error"),
]
