# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, mpls, packet, udp, vlan, vxlan_gpe

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000,
          "udp.dport": 4790}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2",
          "udp.sport": 50000, "udp.dport": 4790}
FRAME = {"eth#2.src": "02:00:00:00:00:0a", "eth#2.dst": "02:00:00:00:00:0b"}
PORT = {"udp.sport": 50000}
VNI = {"vxlan_gpe.vni": 0xabcdef}

CASES = (
    inner_cases((eth(), ipv4(), udp(), vxlan_gpe(0xabcdef)), "eth ipv4 udp vxlan_gpe", "VXLAN_GPE", VNI,
                sets={"vni": VNI, "outer": OUTER4}) +
    inner_cases((eth(), ipv6(), udp(), vxlan_gpe(0xabcdef), eth(), vlan(5)),
                "eth ipv6 udp vxlan_gpe eth vlan", "VXLAN_GPE", VNI, "Ethernet",
                sets={"vni": VNI, "outer": OUTER6}) +
    [
        Case("arp", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), eth(), arp()),
             "eth ipv4 udp vxlan_gpe eth arp", "VXLAN_GPE", dict(FRAME, **VNI, **PORT)),
        Case("labels", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), mpls(100), mpls(200),
                              b"\x10\0\0\x07" + DATA),
             "eth ipv4 udp vxlan_gpe mpls mpls", "VXLAN_GPE",
             {"mpls.label": 100, "mpls#2.label": 200, **VNI, **PORT}),
        Case("IPv4 behind a label", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), mpls(100), ipv4(),
                                           DATA),
             "eth ipv4 udp vxlan_gpe mpls ipv4", "VXLAN_GPE_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", **VNI}),
        Case("without P a frame follows", packet(eth(), ipv4(), udp(),
                                                 vxlan_gpe(0xabcdef, next=0, flags=0x08), eth(), arp()),
             "eth ipv4 udp vxlan_gpe eth arp", "VXLAN_GPE", dict(FRAME, **VNI, **PORT),
             tshark="eth ipv4 udp vxlan_gpe",
             why="tshark looks at the next protocol even where P says that there is none"),
        Case("other next protocol", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef, next=7), DATA),
             "eth ipv4 udp vxlan_gpe", "VXLAN_GPE", dict(VNI, **PORT)),
        Case("other port", packet(eth(), ipv4(), udp(dport=5000), vxlan_gpe(5), ipv4(), DATA),
             "eth ipv4 udp vxlan_gpe ipv4", "VXLAN_GPE_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", "vxlan_gpe.vni": 5},
             spec="vxlan-gpe;port=5000", options=("-d", "udp.port==5000,vxlan_gpe")),
    ]
)
