# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, ipv4, ipv6, mpls, packet, tcp, udp, vlan

# The first byte of a frame decides whether it looks like a control word (0) or another protocol.
VENDOR_0 = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}
VENDOR_8 = {"src": "80:1f:02:00:00:0a", "dst": "80:1f:02:00:00:0b"}

ELI = 7 # entropy label indicator

# Without a control word tshark only guesses what follows the labels, and its versions guess differently.
NO_CONTROL_WORD = ("-d", "mpls.label==100,pwethnocw")

CASES = (
    inner_cases((eth(), vlan(9), mpls(100)), "eth vlan mpls", "MPLS", {}, "one label") +
    inner_cases((eth(), mpls(100), mpls(200), mpls(300)), "eth mpls mpls mpls", "MPLS", {}, "three labels") +
    inner_cases((eth(), mpls(100), control_word(seq=5), eth(**VENDOR_0), vlan(6)), "eth mpls eth vlan", "MPLS", {},
                "pseudowire") +
    [
        *(Case(f"entropy label {where}", packet(eth(), *map(mpls, labels), ipv4(), DATA),
               "eth" + " mpls" * len(labels) + " ipv4", "MPLS_IPV4",
               meets={"entropy": "entropy label third"} if where == "fifth" else {})
          for where, labels in (("in front", (ELI, 777, 100)), ("second", (100, ELI, 777)),
                                ("third", (100, 200, ELI, 777)), ("fourth", (100, 101, 102, ELI, 777)),
                                ("fifth", (1, 2, 3, 4, ELI, 777)))),
        Case("same entropy, other path", packet(eth(), mpls(101), mpls(ELI), mpls(777), ipv6(), DATA),
             "eth mpls mpls mpls ipv6", "MPLS_IPV6", meets={"entropy": "entropy label third"}),
        Case("twenty labels", packet(eth(), *map(mpls, range(100, 120)), ipv4(), udp(1, 2), DATA),
             "eth" + " mpls" * 20 + " ipv4 udp", "MPLS_IPV4_UDP"),
        Case("pseudowire with arp", packet(eth(), mpls(100), mpls(200), control_word(), eth(**VENDOR_8), arp()),
             "eth mpls mpls eth arp", "MPLS"),
        *(Case(f"no control word, {vendor['src'][0]}... {tokens}", packet(eth(), mpls(100), eth(**vendor), *layers),
               "eth mpls eth " + tokens, ptype, options=NO_CONTROL_WORD)
          for vendor, layers, tokens, ptype in (
              (VENDOR_8, (ipv4(), tcp(1, 2)), "ipv4 tcp", "MPLS_IPV4_TCP"),
              (VENDOR_0, (ipv4(), tcp(1, 2)), "ipv4 tcp", "MPLS_IPV4_TCP"),
              (VENDOR_0, (ipv6(), DATA), "ipv6", "MPLS_IPV6"),
              (VENDOR_0, (vlan(5), arp()), "vlan arp", "MPLS"))),
        Case("associated channel", packet(eth(), mpls(100), b"\x10\0\0\x07" + DATA), "eth mpls", "MPLS"),
        Case("associated channel label", packet(eth(), mpls(100), mpls(13), b"\x10\0\0\x07" + DATA), "eth mpls mpls",
             "MPLS"),
        Case("no bottom of the stack", packet(eth(), mpls(100, s=0)), "eth mpls", "MPLS", status="error"),
        Case("multicast", packet(eth(type=0x8848), mpls(100), ipv4(), DATA), "eth mpls ipv4", "MPLS_IPV4"),
    ]
)
