# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, gre, ipv4, ipv6, mpls, packet

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2"}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2"}
VENDOR = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}
FRAME = {"eth#2.src": "00:1b:21:00:00:0a", "eth#2.dst": "00:1b:21:00:00:0b"}
ONE = {"mpls.label": 100}
TWO = {"mpls.label": 100, "mpls#2.label": 200}

CASES = (
    inner_cases((eth(), ipv4(), gre(), mpls(100)), "eth ipv4 gre mpls", "MPLS_IN_GRE", ONE, "one label",
                sets={"label": ONE, "labels": ONE, "outer": OUTER4}) +
    inner_cases((eth(), ipv6(), gre(key=5, seq=1), mpls(100), mpls(200), control_word(), eth(**VENDOR)),
                "eth ipv6 gre mpls mpls eth", "MPLS_IN_GRE", TWO, "pseudowire",
                sets={"label": TWO, "labels": TWO, "outer": OUTER6}) +
    [
        Case("arp", packet(eth(), ipv4(), gre(key=5), mpls(100), mpls(200), control_word(),
                           eth(**VENDOR), arp()),
             "eth ipv4 gre mpls mpls eth arp", "MPLS_IN_GRE", {**FRAME, **TWO, "gre.key": 5}),
        Case("associated channel", packet(eth(), ipv4(), gre(), mpls(100), b"\x10\0\0\x07" + DATA),
             "eth ipv4 gre mpls", "MPLS_IN_GRE", ONE),
        Case("multicast", packet(eth(), ipv4(), gre(protocol=0x8848), mpls(100), ipv4(), DATA),
             "eth ipv4 gre mpls ipv4", "MPLS_IN_GRE_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", **ONE}),
    ]
)
