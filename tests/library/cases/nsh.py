# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, gre, ipv4, ipv6, mpls, nsh, packet, udp, vlan, vxlan_gpe

PATH = {"nsh.spi": 0x123456, "nsh.si": 200}
CONTEXT = ["nsh.context%d" % n for n in range(1, 5)]

CASES = (
    inner_cases((eth(), vlan(5), nsh(0x123456, 200)), "eth vlan nsh", "NSH", PATH, "behind Ethernet", has=CONTEXT) +
    inner_cases((eth(), ipv4(), udp(), vxlan_gpe(7), nsh(0x123456, 200, b"\0\1\2\3" * 3, md=2), eth()),
                "eth ipv4 udp vxlan_gpe nsh eth", "NSH", PATH, "behind VXLAN-GPE") +
    inner_cases((eth(), ipv6(), gre(key=5), nsh(0x123456, 200, b"", md=2)), "eth ipv6 gre nsh", "NSH", PATH,
                "behind GRE") +
    [
        Case("arp", packet(eth(), nsh(0x123456, 200), eth(), arp()), "eth nsh eth arp", "NSH", PATH),
        Case("labels", packet(eth(), nsh(0x123456, 200), mpls(100), mpls(200), b"\x10\0\0\x07" + DATA),
             "eth nsh mpls mpls", "NSH", PATH),
        Case("in a frame in VXLAN-GPE",
             packet(eth(), ipv4(), udp(), vxlan_gpe(7), eth(), vlan(1), nsh(0x123456, 200), ipv4(), DATA),
             "eth ipv4 udp vxlan_gpe eth vlan nsh ipv4", "NSH_IPV4", PATH),
        Case("in itself", packet(eth(), nsh(0x123456, 200), nsh(5), ipv4(), DATA), "eth nsh nsh ipv4", "NSH_IPV4",
             PATH),
        Case("other next protocol", packet(eth(), nsh(0x123456, 200, next=0xfe), DATA), "eth nsh", "NSH", PATH),
    ]
)
