# SPDX-License-Identifier: BSD-3-Clause
# tshark knows PPP only in what carries it: l2tpv2.py and pppoe.py have it judged there.
from library_test import Case
from packets import DATA, eth, ipv4, ipv6, lcp, packet, ppp, tcp, udp


def case(name, chain, *layers, **more):
    return Case(name, packet(eth(type=0x880b), *layers), "eth " + chain, "ETH", tshark="eth",
                why="tshark does not look for PPP behind its EtherType", **more)


CASES = [
    case("control protocol", "ppp", ppp(), lcp(), has=["ppp.low"]),
    case("address, control and IPv4", "ppp ipv4 udp", ppp(address=True), ipv4(), udp(), DATA,
         has=["ppp.control", "ppp.number", "ppp.low"]),
    case("compressed number", "ppp ipv4 udp", ppp(0x21, short=True), ipv4(), udp(), DATA),
    case("address, control and compressed number", "ppp ipv6 tcp",
         ppp(0x57, address=True, short=True), ipv6(), tcp(), DATA),
    case("another control byte than RFC 1662's", "ppp", b"\xff\x13\0\x21", ipv4(), udp(), DATA),
    case("IPv6", "ppp ipv6 udp", ppp(), ipv6(), udp(), DATA),
    case("a number with a high byte is not its low byte", "ppp", ppp(0x8021), ipv4(), udp()),
    Case("cut in the number", packet(eth(type=0x880b), b"\xff\x03\x00"), "eth", "ETH", status="error"),
]
