# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, ipv4, ipv6, mpls, packet, udp

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000,
          "udp.dport": 6635}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2",
          "udp.sport": 50000, "udp.dport": 6635}
PLAIN4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000}
VENDOR = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}
ONE = {"mpls.label": 100}
TWO = {"mpls.label": 100, "mpls#2.label": 200}

CASES = (
    inner_cases((eth(), ipv4(), udp(), mpls(100)), "eth ipv4 udp mpls", "MPLS_IN_UDP", ONE, "one label",
                sets={"label": ONE, "labels": ONE, "outer": OUTER4}) +
    inner_cases((eth(), ipv6(), udp(), mpls(100), mpls(200), control_word(), eth(**VENDOR)),
                "eth ipv6 udp mpls mpls eth", "MPLS_IN_UDP", TWO, "pseudowire",
                sets={"label": TWO, "labels": TWO, "outer": OUTER6}) +
    [
        Case("arp", packet(eth(), ipv4(), udp(), mpls(100), mpls(200), control_word(), eth(**VENDOR),
                           arp()),
             "eth ipv4 udp mpls mpls eth arp", "MPLS_IN_UDP", {**PLAIN4, **TWO}),
        Case("associated channel", packet(eth(), ipv4(), udp(), mpls(100), b"\x10\0\0\x07" + DATA),
             "eth ipv4 udp mpls", "MPLS_IN_UDP", {**PLAIN4, **ONE}),
        Case("other port", packet(eth(), ipv4(), udp(dport=5000), mpls(100), ipv4(), DATA),
             "eth ipv4 udp mpls ipv4", "MPLS_IN_UDP_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", **ONE},
             spec="mpls-in-udp;port=5000", options=("-d", "udp.port==5000,mpls")),
    ]
)
