# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, geneve, geneve_option, ipv4, ipv6, packet, udp, vlan

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000,
          "udp.dport": 6081}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2",
          "udp.sport": 50000, "udp.dport": 6081}
FRAME = {"eth#2.src": "02:00:00:00:00:0a", "eth#2.dst": "02:00:00:00:00:0b"}
VNI = {"geneve.vni": 0xabcdef}
OPTIONS = geneve_option() + geneve_option(0x0103, 0x80, b"") + geneve_option(data=b"\1" * 124)
FIRST_OPTION = ["geneve.option_class", "geneve.option_type", "geneve.option_length"]

CASES = (
    inner_cases((eth(), ipv4(), udp(), geneve(0xabcdef), eth()), "eth ipv4 udp geneve eth", "GENEVE",
                VNI, sets={"vni": VNI, "outer": OUTER4}) +
    inner_cases((eth(), ipv6(), udp(), geneve(0xabcdef, OPTIONS, critical=1)), "eth ipv6 udp geneve",
                "GENEVE", VNI, "IP with options", sets={"vni": VNI, "outer": OUTER6}, has=FIRST_OPTION) +
    [
        Case("arp", packet(eth(), ipv4(), udp(), geneve(0xabcdef, OPTIONS, oam=1), eth(), vlan(4),
                           arp()),
             "eth ipv4 udp geneve eth vlan arp", "GENEVE", dict(FRAME, **VNI)),
        Case("other protocol", packet(eth(), ipv4(), udp(), geneve(0xabcdef, protocol=0x88b5), DATA),
             "eth ipv4 udp geneve", "GENEVE", VNI),
        Case("cut in the options", packet(eth(), ipv4(), udp(), geneve(0xabcdef, OPTIONS))[:60],
             "eth ipv4 udp", "IPV4_UDP",
             {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2", "udp.sport": 50000,
              "udp.dport": 6081},
             status="error", tshark="eth ipv4 udp geneve",
             why="tshark shows a header of which the capture holds only a part"),
        Case("other port", packet(eth(), ipv4(), udp(dport=5000), geneve(5), ipv4(), DATA),
             "eth ipv4 udp geneve ipv4", "GENEVE_IPV4",
             {"inner.ipv4.src": "192.0.2.1", "inner.ipv4.dst": "198.51.100.2", "geneve.vni": 5},
             spec="geneve;port=5000", options=("-d", "udp.port==5000,geneve")),
    ]
)
