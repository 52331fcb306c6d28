# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case
from packets import eth, ipv4, ipv6, packet, pfcp, udp, vlan

OUTER = (eth(), ipv4(), udp(8805))
SEID = 0x1122334455667788
RECOVERY = bytes.fromhex("0060000400000001")

CASES = [
    Case("heartbeat", packet(*OUTER, pfcp(), RECOVERY), "eth ipv4 udp pfcp", "PFCP_NODE", {"pfcp.type": 1}),
    Case("session", packet(*OUTER, pfcp(SEID, type=52)), "eth ipv4 udp pfcp", "PFCP_SESSION",
         {"pfcp.seid": SEID, "pfcp.type": 52}, has=["pfcp.seid"]),
    Case("session set up, IPv6", packet(eth(), vlan(3), ipv6(), udp(40000), pfcp(0, type=50, seq=77)),
         "eth vlan ipv6 udp pfcp", "PFCP_SESSION", {"pfcp.seid": 0, "pfcp.seq": 77, "pfcp.type": 50}),
    Case("from another address", packet(eth(), ipv4("192.0.2.77"), udp(8805), pfcp(SEID, type=54)),
         "eth ipv4 udp pfcp", "PFCP_SESSION", {"pfcp.seid": SEID, "pfcp.type": 54}, meets={"seid": "session"}),
    Case("other port", packet(eth(), ipv4(), udp(8805, 8806), pfcp(SEID)), "eth ipv4 udp pfcp", "PFCP_SESSION",
         {"pfcp.seid": SEID, "pfcp.type": 50}, spec="pfcp;port=8806", options=["-d", "udp.port==8806,pfcp"]),
    Case("version 2 is malformed", packet(eth(), ipv4(), udp(8805, 8805), b"\x40\1\0\4" + bytes(4)), "eth ipv4 udp",
         "IPV4_UDP", status="error", tshark="eth ipv4 udp pfcp", why="tshark shows the header of any version"),
    Case("cut in the header", packet(*OUTER, pfcp(SEID))[:-2], "eth ipv4 udp", "IPV4_UDP", status="error", wire_len=58,
         tshark="eth ipv4 udp pfcp", why="tshark shows the part of a header that was captured"),
]
