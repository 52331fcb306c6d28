# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, gtpu, icmp, ipv4, ipv6, packet, psc, tcp, udp, vlan

TEID = {"gtpu.teid": 0x12345678}
QFI = {"gtpu_psc.qfi": 9}
OPTIONAL = ["gtpu.seq", "gtpu.npdu", "gtpu.next_ext"]
N3 = (eth(), ipv4(), udp(2152))
N3_ETH = (*N3, gtpu(7, ext=[psc(1, 9)]))
FRAME = {"gtpu.teid": 7}
NIBBLE = "tshark decides by the first four bits of what a user sends, before 4.6"
FRAME_TAIL = "eth ipv4 udp gtpu gtpu_psc"
UE4, UE6, SERVER4, SERVER6 = "10.20.30.40", "2001:db8:7:8::1", "8.8.8.8", "2a00::1"
OTHER_EXT = (0xc0, b"\0\1")
LONG_EXT = (0x81, b"\0" * 6)

CASES = (
    inner_cases((*N3, gtpu(0x12345678)), "eth ipv4 udp gtpu", "GTPU", TEID, "plain") +
    inner_cases((eth(), vlan(5), ipv6(), udp(2152), gtpu(0x12345678, seq=1, npdu=2, ext=[OTHER_EXT, psc(1, 9), LONG_EXT])),
                "eth vlan ipv6 udp gtpu gtpu_ext gtpu_psc gtpu_ext", "GTPU", {**TEID, **QFI}, "everything",
                has=OPTIONAL) +
    [
        Case("echo request", packet(*N3, gtpu(0, type=1, seq=7)), "eth ipv4 udp gtpu", "GTPU", {"gtpu.teid": 0}),
        Case("end marker with an extension header", packet(*N3, gtpu(5, type=254, ext=[psc(0, 9)])),
             "eth ipv4 udp gtpu gtpu_psc", "GTPU", {"gtpu.teid": 5}),
        *(Case(f"end marker with an IP packet behind {tokens}",
               packet(*N3, gtpu(5, type=254, ext=ext), ipv4(UE4, SERVER4), tcp(1, 2), DATA), "eth ipv4 udp " + tokens,
               "GTPU", {"gtpu.teid": 5})
          for tokens, ext in (("gtpu", ()), ("gtpu gtpu_psc", [psc(0, 9)]), ("gtpu gtpu_ext", [OTHER_EXT]))),
        Case("no IP packet", packet(*N3, gtpu(5), b"\0" * 40), "eth ipv4 udp gtpu", "GTPU", {"gtpu.teid": 5}),
        # Ethernet PDU sessions: frames are distinguished from IP packets that begin like them.
        *(Case(f"frame to {dst}", packet(*N3_ETH, eth(dst=dst + ":00:00:01"), *layers), FRAME_TAIL, "GTPU", FRAME,
               tshark=f"{FRAME_TAIL} {theirs}|{FRAME_TAIL} {frame}", why=NIBBLE)
          for dst, layers, theirs, frame in (
              ("48:5b:39", (ipv4(UE4, SERVER4), tcp(1, 2)), "ipv4", "eth ipv4 tcp"),
              ("64:00:6a", (ipv4(UE4, SERVER4), tcp(1, 2)), "ipv6 igmp", "eth ipv4 tcp"),
              ("60:00:6a", (vlan(7), ipv6(), udp(1, 2)), "ipv6 igmp", "eth vlan ipv6 udp"),
              ("02:aa:39", (ipv4(UE4, SERVER4), tcp(1, 2)), "eth ipv4 tcp", "eth ipv4 tcp"))),
        Case("IPv4 options",
             packet(*N3, gtpu(5, ext=[OTHER_EXT, psc(1, 9)]), ipv4(UE4, SERVER4, options=b"\1" * 4), tcp(1, 2), DATA),
             "eth ipv4 udp gtpu gtpu_ext gtpu_psc ipv4 tcp", "GTPU_IPV4_TCP", {"gtpu.teid": 5, **QFI}),
        Case("IPv6 from an address like a frame", packet(*N3, gtpu(5), ipv6("2001:db8:800::1", SERVER6), tcp(1, 2)),
             "eth ipv4 udp gtpu ipv6 tcp", "GTPU_IPV6_TCP", {"gtpu.teid": 5}),
        Case("frame, by the parameter",
             packet(*N3_ETH, eth(dst="48:5b:39:00:00:01"), vlan(7), ipv4(UE4, SERVER4), tcp(1, 2)),
             "eth ipv4 udp gtpu gtpu_psc eth vlan ipv4 tcp", "GTPU_IPV4_TCP", {"gtpu.teid": 7, **QFI},
             spec="gtpu;ethernet=1", tshark=f"{FRAME_TAIL} ipv4|{FRAME_TAIL} eth vlan ipv4 tcp", why=NIBBLE),
        Case("frame without IP, by the parameter", packet(*N3_ETH, eth(), arp()), "eth ipv4 udp gtpu gtpu_psc eth arp",
             "GTPU", {"gtpu.teid": 7}, spec="gtpu;ethernet=1"),
        Case("outer IPv4", packet(*N3, gtpu(5), ipv6(), DATA), "eth ipv4 udp gtpu ipv6", "GTPU_IPV6", {"gtpu.teid": 5}),
        Case("outer IPv6", packet(eth(), ipv6(), udp(2152), gtpu(5), ipv4(), DATA), "eth ipv6 udp gtpu ipv4",
             "GTPU_IPV4", {"gtpu.teid": 5}),
        Case("cut in the optional fields", packet(*N3, gtpu(5, seq=1))[:52], "eth ipv4 udp", "IPV4_UDP",
             status="error", tshark="eth ipv4 udp gtpu",
             why="tshark shows a header of which the capture holds only a part"),
        Case("other port", packet(eth(), ipv4(), udp(dport=5002), gtpu(5), ipv4(), DATA), "eth ipv4 udp gtpu ipv4",
             "GTPU_IPV4", {"gtpu.teid": 5}, spec="gtpu;port=5002", options=("-d", "udp.port==5002,gtp")),
        # Both directions of a UE
        Case("up", packet(*N3, gtpu(1, ext=[psc(1, 9)]), ipv4(UE4, SERVER4), tcp(1, 2)),
             "eth ipv4 udp gtpu gtpu_psc ipv4 tcp", "GTPU_IPV4_TCP", {"gtpu.teid": 1, **QFI},
             sets={"ue": {"inner.ipv4.src": UE4, "gtpu.teid": 1, **QFI}}),
        Case("down", packet(*N3, gtpu(2, ext=[psc(0, 9)]), ipv4(SERVER4, UE4), icmp()),
             "eth ipv4 udp gtpu gtpu_psc ipv4 icmp", "GTPU_IPV4", {"gtpu.teid": 2, **QFI}, meets={"ue": "up"}),
        Case("up, LTE", packet(*N3, gtpu(1), ipv4(UE4, SERVER4), DATA), "eth ipv4 udp gtpu ipv4", "GTPU_IPV4",
             {"gtpu.teid": 1}, meets={"ue": "up"}),
        Case("down, LTE", packet(*N3, gtpu(2), ipv4(SERVER4, UE4), DATA), "eth ipv4 udp gtpu ipv4", "GTPU_IPV4",
             {"gtpu.teid": 2}, meets={"ue": "up"}),
        Case("up, IPv6", packet(*N3, gtpu(1, ext=[psc(1, 9)]), ipv6(UE6, SERVER6), DATA),
             "eth ipv4 udp gtpu gtpu_psc ipv6", "GTPU_IPV6", {"gtpu.teid": 1, **QFI},
             sets={"ue": {"inner.ipv6.src/64": "2001:db8:7:8::", "gtpu.teid": 1, **QFI}}),
        Case("down, LTE, IPv6", packet(*N3, gtpu(2), ipv6(SERVER6, UE6), DATA), "eth ipv4 udp gtpu ipv6", "GTPU_IPV6",
             {"gtpu.teid": 2}, meets={"ue": "up, IPv6"}),
        Case("N6 up", packet(eth(), ipv4(UE4, SERVER4), DATA), "eth ipv4", "IPV4", meets={"ue": "up"}),
        Case("N6 down", packet(eth(), ipv4(SERVER4, UE4), DATA), "eth ipv4", "IPV4", meets={"ue": "up"}),
        Case("N6 down, IPv6", packet(eth(), ipv6(SERVER6, UE6), DATA), "eth ipv6", "IPV6", meets={"ue": "up, IPv6"}),
    ]
)
