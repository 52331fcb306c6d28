# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, geneve, geneve_option, ipv4, ipv6, packet, udp, vlan

VNI = {"geneve.vni": 0xabcdef}
OPTIONS = geneve_option() + geneve_option(0x0103, 0x80, b"") + geneve_option(data=b"\1" * 124)
FIRST_OPTION = ["geneve.option_class", "geneve.option_type", "geneve.option_length"]

CASES = (
    inner_cases((eth(), ipv4(), udp(), geneve(0xabcdef), eth()), "eth ipv4 udp geneve eth", "GENEVE", VNI) +
    inner_cases((eth(), ipv6(), udp(), geneve(0xabcdef, OPTIONS, critical=1)), "eth ipv6 udp geneve", "GENEVE", VNI,
                "IP with options", has=FIRST_OPTION) +
    [
        Case("arp", packet(eth(), ipv4(), udp(), geneve(0xabcdef, OPTIONS, oam=1), eth(), vlan(4), arp()),
             "eth ipv4 udp geneve eth vlan arp", "GENEVE", VNI),
        Case("other protocol", packet(eth(), ipv4(), udp(), geneve(0xabcdef, protocol=0x88b5), DATA),
             "eth ipv4 udp geneve", "GENEVE", VNI),
        Case("cut in the options", packet(eth(), ipv4(), udp(), geneve(0xabcdef, OPTIONS))[:60], "eth ipv4 udp",
             "IPV4_UDP", status="error", tshark="eth ipv4 udp geneve",
             why="tshark shows a header of which the capture holds only a part"),
        Case("other port", packet(eth(), ipv4(), udp(dport=5000), geneve(5), ipv4(), DATA), "eth ipv4 udp geneve ipv4",
             "GENEVE_IPV4", {"geneve.vni": 5}, spec="geneve;port=5000", options=("-d", "udp.port==5000,geneve")),
    ]
)
