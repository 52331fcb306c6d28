# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, gre, ipv4, ipv6, mpls, packet

VENDOR = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}

CASES = (
    inner_cases((eth(), ipv4(), gre(), mpls(100)), "eth ipv4 gre mpls", "MPLS_IN_GRE", {}, "one label") +
    inner_cases((eth(), ipv6(), gre(key=5, seq=1), mpls(100), mpls(200), control_word(), eth(**VENDOR)),
                "eth ipv6 gre mpls mpls eth", "MPLS_IN_GRE", {}, "pseudowire") +
    [
        Case("arp", packet(eth(), ipv4(), gre(key=5), mpls(100), mpls(200), control_word(), eth(**VENDOR), arp()),
             "eth ipv4 gre mpls mpls eth arp", "MPLS_IN_GRE", {"gre.key": 5}),
        Case("associated channel", packet(eth(), ipv4(), gre(), mpls(100), b"\x10\0\0\x07" + DATA),
             "eth ipv4 gre mpls", "MPLS_IN_GRE"),
        Case("multicast", packet(eth(), ipv4(), gre(protocol=0x8848), mpls(100), ipv4(), DATA),
             "eth ipv4 gre mpls ipv4", "MPLS_IN_GRE_IPV4"),
    ]
)
