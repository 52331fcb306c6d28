# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, control_word, eth, ipv4, ipv6, mpls, packet, tcp, udp, vlan

# What a frame begins with decides whether it looks like a control word (0) or another protocol.
VENDOR_0 = {"src": "00:1b:21:00:00:0a", "dst": "00:1b:21:00:00:0b"}
VENDOR_8 = {"src": "80:1f:02:00:00:0a", "dst": "80:1f:02:00:00:0b"}
FRAME_0 = {"eth#2.src": "00:1b:21:00:00:0a", "eth#2.dst": "00:1b:21:00:00:0b"}
FRAME_8 = {"eth#2.src": "80:1f:02:00:00:0a", "eth#2.dst": "80:1f:02:00:00:0b"}

IP = {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2"}


def labels(*values):
    return {("mpls#%d.label" % n if n > 1 else "mpls.label"): value
            for n, value in enumerate(values, 1)}


def label_sets(*values, entropy=None):
    """What the sets made of labels hash. Two labels are extracted whatever is hashed."""
    return {
        "label": labels(values[0]),
        "labels": labels(*values),
        "entropy": {entropy[0]: entropy[1]} if entropy else labels(*values),
    }


ELI = 7 # entropy label indicator

# Without a control word tshark only guesses what follows the labels, and its versions guess differently.
NO_CONTROL_WORD = ("-d", "mpls.label==100,pwethnocw")

CASES = (
    inner_cases((eth(), vlan(9), mpls(100)), "eth vlan mpls", "MPLS", labels(100), "one label",
                sets=label_sets(100)) +
    inner_cases((eth(), mpls(100), mpls(200), mpls(300)), "eth mpls mpls mpls", "MPLS",
                labels(100, 200), "three labels", sets=label_sets(100, 200, 300)) +
    inner_cases((eth(), mpls(100), control_word(seq=5), eth(**VENDOR_0), vlan(6)),
                "eth mpls eth vlan", "MPLS", labels(100), "pseudowire", sets=label_sets(100)) +
    [
        Case("entropy label in front", packet(eth(), mpls(ELI), mpls(777), mpls(100), ipv4(), DATA),
             "eth mpls mpls mpls ipv4", "MPLS_IPV4", {**IP, **labels(ELI, 777)},
             sets=dict(entropy=labels(ELI, 777))),
        Case("entropy label second", packet(eth(), mpls(100), mpls(ELI), mpls(777), ipv4(), DATA),
             "eth mpls mpls mpls ipv4", "MPLS_IPV4", {**IP, **labels(100, ELI)},
             sets=dict(entropy={**labels(100, ELI), "mpls#3.label": 777})),
        Case("entropy label third", packet(eth(), mpls(100), mpls(200), mpls(ELI), mpls(777), ipv4(),
                                           DATA),
             "eth mpls mpls mpls mpls ipv4", "MPLS_IPV4", {**IP, **labels(100, 200)},
             sets=dict(entropy={**labels(100, 200), "mpls#4.label": 777})),
        Case("same entropy, other path", packet(eth(), mpls(101), mpls(ELI), mpls(777), ipv6(), DATA),
             "eth mpls mpls mpls ipv6", "MPLS_IPV6",
             {"inner.ipv6.src": "2001:db8:1::1", "inner.ipv6.dst": "2001:db8:2::2", **labels(101, ELI)},
             meets={"entropy": "entropy label third"}),
        Case("entropy label fifth", packet(eth(), *map(mpls, (1, 2, 3, 4, ELI, 777)), ipv4(), DATA),
             "eth" + " mpls" * 6 + " ipv4", "MPLS_IPV4", {**IP, **labels(1, 2)},
             sets=dict(entropy={**labels(1, 2), "mpls#6.label": 777}),
             meets={"entropy": "entropy label third"}),
        Case("entropy label fourth", packet(eth(), *map(mpls, (100, 101, 102, ELI, 777)), ipv4(), DATA),
             "eth" + " mpls" * 5 + " ipv4", "MPLS_IPV4", {**IP, **labels(100, 101)},
             sets=dict(entropy={**labels(100, 101), "mpls#5.label": 777})),
        Case("twenty labels", packet(eth(), *map(mpls, range(100, 120)), ipv4(), udp(1, 2), DATA),
             "eth" + " mpls" * 20 + " ipv4 udp", "MPLS_IPV4_UDP",
             {**IP, "inner.udp.sport": 1, "inner.udp.dport": 2, **labels(100, 101)}),
        Case("pseudowire with arp", packet(eth(), mpls(100), mpls(200), control_word(), eth(**VENDOR_8),
                                           arp()),
             "eth mpls mpls eth arp", "MPLS", {**FRAME_8, **labels(100, 200)},
             sets={"labels": labels(100, 200), "label": labels(100, 200)}),
        Case("no control word, 8...", packet(eth(), mpls(100), eth(**VENDOR_8), ipv4(), tcp(1, 2)),
             "eth mpls eth ipv4 tcp", "MPLS_IPV4_TCP",
             {**IP, "inner.tcp.sport": 1, "inner.tcp.dport": 2, **labels(100)},
             options=NO_CONTROL_WORD),
        Case("no control word, 0... IPv4", packet(eth(), mpls(100), eth(**VENDOR_0), ipv4(), tcp(1, 2)),
             "eth mpls eth ipv4 tcp", "MPLS_IPV4_TCP",
             {**IP, "inner.tcp.sport": 1, "inner.tcp.dport": 2, **labels(100)}, options=NO_CONTROL_WORD),
        Case("no control word, 0... IPv6", packet(eth(), mpls(100), eth(**VENDOR_0), ipv6(), DATA),
             "eth mpls eth ipv6", "MPLS_IPV6",
             {"inner.ipv6.src": "2001:db8:1::1", "inner.ipv6.dst": "2001:db8:2::2", **labels(100)},
             options=NO_CONTROL_WORD),
        Case("no control word, 0... tag", packet(eth(), mpls(100), eth(**VENDOR_0), vlan(5), arp()),
             "eth mpls eth vlan arp", "MPLS", {**FRAME_0, **labels(100)}, options=NO_CONTROL_WORD),
        Case("associated channel", packet(eth(), mpls(100), b"\x10\0\0\x07" + DATA), "eth mpls", "MPLS",
             labels(100)),
        Case("associated channel label", packet(eth(), mpls(100), mpls(13), b"\x10\0\0\x07" + DATA),
             "eth mpls mpls", "MPLS", labels(100, 13)),
        Case("no bottom of the stack", packet(eth(), mpls(100, s=0)), "eth mpls", "MPLS", labels(100),
             status="error"),
        Case("multicast", packet(eth(type=0x8848), mpls(100), ipv4(), DATA), "eth mpls ipv4", "MPLS_IPV4",
             {**IP, **labels(100)}),
    ]
)
