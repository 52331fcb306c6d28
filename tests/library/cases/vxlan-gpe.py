# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, mpls, packet, udp, vlan, vxlan_gpe

VNI = {"vxlan_gpe.vni": 0xabcdef}

CASES = (
    inner_cases((eth(), ipv4(), udp(), vxlan_gpe(0xabcdef)), "eth ipv4 udp vxlan_gpe", "VXLAN_GPE", VNI) +
    inner_cases((eth(), ipv6(), udp(), vxlan_gpe(0xabcdef), eth(), vlan(5)), "eth ipv6 udp vxlan_gpe eth vlan",
                "VXLAN_GPE", VNI, "Ethernet") +
    [
        Case("arp", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), eth(), arp()), "eth ipv4 udp vxlan_gpe eth arp",
             "VXLAN_GPE", VNI),
        Case("labels", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), mpls(100), mpls(200), b"\x10\0\0\x07" + DATA),
             "eth ipv4 udp vxlan_gpe mpls mpls", "VXLAN_GPE", VNI),
        Case("IPv4 behind a label", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef), mpls(100), ipv4(), DATA),
             "eth ipv4 udp vxlan_gpe mpls ipv4", "VXLAN_GPE_IPV4", VNI),
        Case("without P a frame follows",
             packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef, next=0, flags=0x08), eth(), arp()),
             "eth ipv4 udp vxlan_gpe eth arp", "VXLAN_GPE", VNI, tshark="eth ipv4 udp vxlan_gpe",
             why="tshark looks at the next protocol even where P says that there is none"),
        Case("other next protocol", packet(eth(), ipv4(), udp(), vxlan_gpe(0xabcdef, next=7), DATA),
             "eth ipv4 udp vxlan_gpe", "VXLAN_GPE", VNI),
        Case("other port", packet(eth(), ipv4(), udp(dport=5004), vxlan_gpe(5), ipv4(), DATA),
             "eth ipv4 udp vxlan_gpe ipv4", "VXLAN_GPE_IPV4", {"vxlan_gpe.vni": 5}, spec="vxlan-gpe;port=5004",
             options=("-d", "udp.port==5004,vxlan_gpe")),
    ]
)
