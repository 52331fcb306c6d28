# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, ipv4, ipv6, mpls, packet, udp

VENDOR = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}

CASES = (
    inner_cases((eth(), ipv4(), udp(), mpls(100)), "eth ipv4 udp mpls", "MPLS_IN_UDP", {}, "one label") +
    inner_cases((eth(), ipv6(), udp(), mpls(100), mpls(200), control_word(), eth(**VENDOR)),
                "eth ipv6 udp mpls mpls eth", "MPLS_IN_UDP", {}, "pseudowire") +
    [
        Case("arp", packet(eth(), ipv4(), udp(), mpls(100), mpls(200), control_word(), eth(**VENDOR), arp()),
             "eth ipv4 udp mpls mpls eth arp", "MPLS_IN_UDP"),
        Case("associated channel", packet(eth(), ipv4(), udp(), mpls(100), b"\x10\0\0\x07" + DATA),
             "eth ipv4 udp mpls", "MPLS_IN_UDP"),
        Case("other port", packet(eth(), ipv4(), udp(dport=5003), mpls(200), ipv4(), DATA), "eth ipv4 udp mpls ipv4",
             "MPLS_IN_UDP_IPV4", spec="mpls-in-udp;port=5003", options=("-d", "udp.port==5003,mpls")),
    ]
)
