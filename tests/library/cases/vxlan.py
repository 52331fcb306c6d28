# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, packet, udp, vlan, vxlan

VNI = {"vxlan.vni": 0xabcdef}

CASES = (
    inner_cases((eth(), ipv4(), udp(), vxlan(0xabcdef), eth()), "eth ipv4 udp vxlan eth", "VXLAN", VNI) +
    inner_cases((eth(), ipv6(), udp(), vxlan(0xabcdef, flags=0x88, group=7), eth(), vlan(5)),
                "eth ipv6 udp vxlan eth vlan", "VXLAN", VNI, "with a group and a tag") +
    [
        Case("arp", packet(eth(), vlan(3), ipv4(), udp(), vxlan(0xabcdef), eth(), arp()),
             "eth vlan ipv4 udp vxlan eth arp", "VXLAN", VNI),
        Case("cut behind the header", packet(eth(), ipv4(), udp(), vxlan(0xabcdef)), "eth ipv4 udp vxlan", "VXLAN",
             VNI, status="error"),
        Case("no network, as the I flag is 0", packet(eth(), ipv4(), udp(), vxlan(5, flags=0), eth(), ipv4(), DATA),
             "eth ipv4 udp", "IPV4_UDP", status="error", tshark="eth ipv4 udp vxlan eth ipv4",
             why="tshark does not ask for the flag that RFC 7348 demands"),
        Case("port of Linux", packet(eth(), ipv4(), udp(dport=8472), vxlan(5), eth(), ipv4(), DATA),
             "eth ipv4 udp vxlan eth ipv4", "VXLAN_IPV4", {"vxlan.vni": 5}, spec="vxlan;port=8472",
             options=("-d", "udp.port==8472,vxlan")),
    ]
)
