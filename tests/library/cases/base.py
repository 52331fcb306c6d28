# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import (DATA, arp, dstopts, eth, hopopts, igmp, ipv4, ipv6, ipv6_ext, ipv6_frag, mobility,
                     packet, srh, tcp, udp, vlan)


def family(name, layers, chain):
    """Types without a family: IPV4_UDP, not _IPV4_UDP."""
    return inner_cases(layers, chain, "", {}, name, base_types=True)


CASES = (
    family("plain", (eth(),), "eth") +
    family("one tag", (eth(), vlan(5)), "eth vlan") +
    family("802.1ad", (eth(), vlan(5, tpid=0x88a8), vlan(6)), "eth vlan vlan") +
    family("0x9100", (eth(), vlan(5, tpid=0x9100), vlan(6)), "eth vlan vlan") +
    [
        Case("no IP", packet(eth(type=0x88b5), DATA), "eth", "ETH"),
        Case("802.3", packet(eth(type=8), b"\x42\x42\x03\0\0\0\0\0"), "eth", "ETH"),
        Case("eight tags", packet(eth(), *[vlan(5)] * 8, ipv4(), DATA), "eth" + " vlan" * 8 + " ipv4", "IPV4"),
        Case("arp", packet(eth(), arp()), "eth arp", "ARP"),
        Case("igmp", packet(eth(), ipv4(options=b"\x94\4\0\0"), igmp()), "eth ipv4 igmp", "IPV4"),
        Case("options", packet(eth(), ipv4(options=b"\1" * 40), tcp(options=b"\1" * 40), DATA), "eth ipv4 tcp",
             "IPV4_TCP"),
        Case("middle fragment", packet(eth(), ipv4(mf=1, frag=9, proto=6), DATA), "eth ipv4", "IPV4_FRAG"),
        Case("padded", packet(eth(), ipv4(length=28), udp(), b"\0" * 18), "eth ipv4 udp", "IPV4_UDP"),
        Case("all extension headers",
             packet(eth(), ipv6(), hopopts(), dstopts(), srh(["2001:db8::1"]), ipv6_ext(60), udp(), DATA),
             "eth ipv6 ipv6_ext ipv6_ext ipv6_ext ipv6_ext udp", "IPV6_UDP"),
        Case("mobility", packet(eth(), ipv6(), mobility()), "eth ipv6 ipv6_ext", "IPV6"),
        Case("large extension header", packet(eth(), ipv6(), hopopts(body=b"\1\xfe" + b"\0" * 2044), udp(), DATA),
             "eth ipv6 ipv6_ext udp", "IPV6_UDP"),
        Case("fragment that is the whole", packet(eth(), ipv6(), ipv6_frag(mf=0), udp(), DATA),
             "eth ipv6 ipv6_frag udp", "IPV6_FRAG"),
        Case("fragment behind and before others",
             packet(eth(), ipv6(), dstopts(), ipv6_frag(), dstopts(), udp(), DATA),
             "eth ipv6 ipv6_ext ipv6_frag ipv6_ext udp", "IPV6_FRAG"),
        Case("no next header", packet(eth(), ipv6(next=59)), "eth ipv6", "IPV6"),
        Case("cut in Ethernet", packet(eth())[:10], "", "UNKNOWN", status="error"),
        Case("cut in IPv4", packet(eth(), ipv4())[:30], "eth", "ETH", status="error"),
        Case("cut in UDP", packet(eth(), ipv4(), udp())[:40], "eth ipv4", "IPV4", status="error"),
        Case("cut in an extension header", packet(eth(), ipv6(), hopopts(), udp())[:60], "eth ipv6", "IPV6",
             status="error"),
        Case("cut in a longer one", packet(eth(), ipv6(), hopopts(body=b"\1\x0c" + b"\0" * 12))[:64], "eth ipv6",
             "IPV6", status="error", tshark="eth ipv6 ipv6_ext",
             why="tshark shows a header of which the capture holds only a part"),
        Case("IHL too small", packet(eth(type=0x0800), b"\x44" + packet(ipv4())[1:], DATA), "eth", "ETH",
             status="error", tshark="eth ipv4", why="tshark shows what it cannot read as IPv4, too"),
        Case("other version", packet(eth(type=0x0800), b"\x65" + packet(ipv4())[1:], DATA), "eth", "ETH",
             status="error"),
    ]
)
