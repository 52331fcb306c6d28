# SPDX-License-Identifier: BSD-3-Clause
"""Packets of what ddp-traffic never writes."""

from support import harness  # noqa: F401, tells where the next ones are
import library_test
from packets import DATA, arp, dstopts, eth, gtpu, hopopts, ipv4, ipv6, ipv6_frag, packet, sctp, srh, tcp, udp, vlan

ETHERNET_SIZE = 14
N3 = (eth(), ipv4(), udp(2152))
UE = (ipv4("10.45.0.1"), udp(1000, 2000), DATA)
MADE = [case.packet for name in ("base", "gtpu", "nested") for case in library_test.cases_load(name).CASES
        if len(case.packet) >= ETHERNET_SIZE]

# Every header whose length is a matter of its content.
LONG = [packet(*layers) for layers in [
    (eth(), vlan(1), arp()),
    (eth(), ipv4(options=b"\x01" * 12), tcp(options=b"\x01" * 20), b"\0"),
    (eth(), ipv6(), hopopts(), srh(["2001:db8::1", "2001:db8::2"]), dstopts(), ipv6_frag(0), tcp(),
     b"\0"),
    (*N3, gtpu(7, ext=[(0x40, b"\x08\x68"), (0x85, b"\x10\x09" + b"\0" * 8), (0xc0, b"\0" * 6)]),
     ipv4("10.0.0.1", options=b"\x01" * 4), sctp(), b"\0"),
]]
