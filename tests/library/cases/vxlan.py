# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, packet, udp, vlan, vxlan

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000,
          "udp.dport": 4789}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2",
          "udp.sport": 50000, "udp.dport": 4789}
FRAME = {"eth#2.src": "02:00:00:00:00:0a", "eth#2.dst": "02:00:00:00:00:0b"}
VNI = {"vxlan.vni": 0xabcdef}

CASES = (
    inner_cases((eth(), ipv4(), udp(), vxlan(0xabcdef), eth()), "eth ipv4 udp vxlan eth", "VXLAN", VNI,
                sets={"vni": VNI, "outer": OUTER4}) +
    inner_cases((eth(), ipv6(), udp(), vxlan(0xabcdef, flags=0x88, group=7), eth(), vlan(5)),
                "eth ipv6 udp vxlan eth vlan", "VXLAN", VNI, "with a group and a tag",
                sets={"vni": VNI, "outer": OUTER6}) +
    [
        Case("arp", packet(eth(), vlan(3), ipv4(), udp(), vxlan(0xabcdef), eth(), arp()),
             "eth vlan ipv4 udp vxlan eth arp", "VXLAN", dict(FRAME, **VNI),
             sets={"outer": dict(OUTER4, **VNI)}),
        Case("cut behind the header", packet(eth(), ipv4(), udp(), vxlan(0xabcdef)),
             "eth ipv4 udp vxlan", "VXLAN", VNI, status="error"),
        Case("no network, as the I flag is 0", packet(eth(), ipv4(), udp(), vxlan(5, flags=0), eth(), ipv4(), DATA),
             "eth ipv4 udp", "IPV4_UDP", OUTER4, status="error", tshark="eth ipv4 udp vxlan eth ipv4",
             why="tshark does not ask for the flag that RFC 7348 demands"),
        Case("port of Linux", packet(eth(), ipv4(), udp(dport=8472), vxlan(5), eth(), ipv4(), DATA),
             "eth ipv4 udp vxlan eth ipv4", "VXLAN_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", "vxlan.vni": 5},
             spec="vxlan;port=8472", options=("-d", "udp.port==8472,vxlan")),
    ]
)
