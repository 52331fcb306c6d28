# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, packet, udp, vlan

S, C = {"vlan.vid": 0xabc}, {"vlan#2.vid": 0x123}
SUBSCRIBER = "10.64.1.2"


def tagged(name, outer, *more, **args):
    tags = (vlan(0xabc, tpid=outer), *more)
    return inner_cases((eth(), *tags), "eth" + " vlan" * len(tags), "QINQ", {}, name, base_types=True, **args)


CASES = (
    tagged("802.1ad", 0x88a8, vlan(0x123)) +
    tagged("0x8100 twice", 0x8100, vlan(0x123)) +
    tagged("0x9100", 0x9100, vlan(0x123)) +
    tagged("0x88a8 twice", 0x88a8, vlan(0x123, tpid=0x88a8)) +
    tagged("0x9200", 0x9200, vlan(0x123), options=("-o", "vlan.qinq_ethertype:0x9200")) +
    tagged("0x9300", 0x9300, vlan(0x123), options=("-o", "vlan.qinq_ethertype:0x9300")) +
    tagged("three tags", 0x8100, vlan(0x123), vlan(7)) +
    [
        Case("eight tags", packet(eth(), vlan(0xabc), vlan(0x123), *[vlan(1)] * 6, arp()),
             "eth" + " vlan" * 8 + " arp", "ARP"),
        Case("no IP", packet(eth(), vlan(0xabc, tpid=0x88a8), vlan(0x123, type=0x88b5), DATA), "eth vlan vlan", "QINQ"),
        Case("one tag", packet(eth(), vlan(0xabc), ipv4(), DATA), "eth vlan ipv4", "VLAN_IPV4"),
        Case("other direction", packet(eth(), vlan(0xabc), vlan(0x123), ipv4("10.2.0.2", "10.1.0.1"), DATA),
             "eth vlan vlan ipv4", "QINQ_IPV4", meets={"vids": "802.1ad ipv6 tcp"}),
        Case("subscriber, up", packet(eth(), vlan(1), vlan(2), ipv4(SUBSCRIBER, "8.8.8.8"), udp(1, 2)),
             "eth vlan vlan ipv4 udp", "QINQ_IPV4_UDP",
             sets={"subscriber": {"ipv4.src": SUBSCRIBER, "vlan.vid": 1, "vlan#2.vid": 2}}),
        Case("subscriber, down", packet(eth(), vlan(1), vlan(2), ipv4("8.8.8.8", SUBSCRIBER), DATA),
             "eth vlan vlan ipv4", "QINQ_IPV4", meets={"subscriber": "subscriber, up"}),
        Case("subscriber, in the core", packet(eth(), vlan(9), ipv4("8.8.8.8", SUBSCRIBER), DATA), "eth vlan ipv4",
             "VLAN_IPV4", meets={"subscriber": "subscriber, up"}),
        Case("subscriber, without a tag", packet(eth(), ipv4("8.8.8.8", SUBSCRIBER), DATA), "eth ipv4", "IPV4",
             meets={"subscriber": "subscriber, up"}),
    ]
)
