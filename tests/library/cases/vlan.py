# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, arp, eth, ipv4, ipv6, packet, vlan


def tagged(tpid, **args):
    return inner_cases((eth(), vlan(0xabc, pcp=5, dei=1, tpid=tpid)), "eth vlan", "VLAN", {}, "0x%04x" % tpid,
                       base_types=True, **args)


CASES = (
    tagged(0x8100) + tagged(0x88a8) + tagged(0x9100) +
    tagged(0x9200, options=("-o", "vlan.qinq_ethertype:0x9200")) +
    tagged(0x9300, options=("-o", "vlan.qinq_ethertype:0x9300")) +
    [
        Case("no IP", packet(eth(), vlan(0xabc, type=0x88b5), DATA), "eth vlan", "VLAN"),
        Case("arp", packet(eth(), vlan(0xabc), arp()), "eth vlan arp", "ARP"),
        Case("802.3", packet(eth(), vlan(0xabc, type=40), b"\xaa\xaa\x03\0\0\0\x08\0" + packet(ipv4())), "eth vlan",
             "VLAN"),
        Case("no tag", packet(eth(), ipv4(), DATA), "eth ipv4", "IPV4"),
        Case("addresses of the first UDP case, other VLAN",
             packet(eth(), vlan(0xabd), ipv4("10.1.0.1", "10.2.0.2"), DATA), "eth vlan ipv4", "VLAN_IPV4"),
        Case("other direction", packet(eth(), vlan(0xabc), ipv4("10.2.0.2", "10.1.0.1"), DATA), "eth vlan ipv4",
             "VLAN_IPV4", meets={"vid": "0x8100 ipv4 udp"}),
        Case("subscriber, up", packet(eth(), vlan(1), ipv6("2001:db8:7:8::1", "2a00::1"), DATA), "eth vlan ipv6",
             "VLAN_IPV6", sets={"subscriber": {"ipv6.src/64": "2001:db8:7:8::", "vlan.vid": 1}}),
        Case("subscriber, down", packet(eth(), vlan(2), ipv6("2a00::1", "2001:db8:7:8::9"), DATA), "eth vlan ipv6",
             "VLAN_IPV6", meets={"subscriber": "subscriber, up"}),
    ]
)
