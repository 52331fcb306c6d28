# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import (DATA, arp, erspan2, eth, gre, gre_pptp, ipv4, ipv6, lcp, nvgre, packet, ppp, udp,
                     vlan)

KEY = {"gre.key": 0xdeadbeef}
VSID = {"gre.key": 0xabcdef12}

CASES = (
    inner_cases((eth(), ipv4(), udp(), gre()), "eth ipv4 udp gre", "GRE_IN_UDP", {}, "plain") +
    inner_cases((eth(), vlan(5), ipv6(), udp(), gre(key=0xdeadbeef, seq=7, checksum=True)), "eth vlan ipv6 udp gre",
                "GRE_IN_UDP", KEY, "everything") +
    inner_cases((eth(), ipv4(), udp(), gre(), eth(), vlan(5)), "eth ipv4 udp gre eth vlan", "GRE_IN_UDP", {},
                "Ethernet") +
    inner_cases((eth(), ipv6(), udp(), nvgre(0xabcdef, 0x12), eth()), "eth ipv6 udp gre eth", "GRE_IN_UDP", VSID,
                "NVGRE") +
    inner_cases((eth(), ipv4(), udp(), gre(seq=7), erspan2(0x3ab), eth()), "eth ipv4 udp gre erspan eth", "GRE_IN_UDP",
                {}, "ERSPAN") +
    inner_cases((eth(), ipv4(), udp(dport=4754), gre_pptp(0x1234, seq=1), ppp()), "eth ipv4 udp gre ppp", "GRE_IN_UDP",
                {}, "PPTP") +
    [
        Case("arp", packet(eth(), ipv4(), udp(), gre(key=5), eth(), arp()), "eth ipv4 udp gre eth arp", "GRE_IN_UDP",
             {"gre.key": 5}),
        Case("LCP", packet(eth(), ipv4(), udp(dport=4754), gre_pptp(0x1234, seq=1), ppp(), lcp()),
             "eth ipv4 udp gre ppp", "GRE_IN_UDP"),
        Case("other protocol", packet(eth(), ipv4(), udp(), gre(key=5, protocol=0x88b5), DATA), "eth ipv4 udp gre",
             "GRE_IN_UDP", {"gre.key": 5}),
        Case("GRE without UDP", packet(eth(), ipv4(), gre(key=5, protocol=0x88b5), DATA), "eth ipv4 gre", "GRE",
             {"gre.key": 5}),
        Case("DTLS", packet(eth(), ipv4(), udp(dport=4755), b"\x17\xfe\xfd" + bytes(40)), "eth ipv4 udp", "IPV4_UDP"),
        Case("other port", packet(eth(), ipv4(), udp(dport=5001), gre(), ipv4(), DATA), "eth ipv4 udp gre ipv4",
             "GRE_IN_UDP_IPV4", spec="gre-in-udp;port=5001", options=("-d", "udp.port==5001,gre")),
    ]
)
