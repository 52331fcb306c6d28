# SPDX-License-Identifier: BSD-3-Clause
"""Packets of what ddp-traffic never writes."""

from support import harness  # noqa: F401, tells where the next one is
from packets import (DATA, arp, dstopts, esp, eth, gre, gtpu, hopopts, icmp, icmp6, igmp, ipv4,
                     ipv6, ipv6_frag, mobility, mpls, packet, psc, sctp, srh, tcp, udp, vlan, vxlan)

N3 = (eth(), ipv4(), udp(2152))
UE = (ipv4("10.45.0.1"), udp(1000, 2000), DATA)
UE6 = (ipv6("2001:db8:45::1"), tcp(), DATA)
MADE = [packet(*layers) for layers in [
    # Link
    (eth(), arp()),
    (eth(), vlan(5), arp(), b"\0" * 14),
    (eth(type=46), b"\x42\x42\x03" + DATA),  # 802.3: a length, not a type
    (eth(type=0x88cc), DATA),
    (eth(), vlan(1, tpid=0x88a8), vlan(2), *UE),
    (eth(), vlan(1, tpid=0x9100), vlan(2), vlan(3), *UE6),
    (eth(), mpls(16), *UE),
    # IPv4
    (eth(), ipv4(options=b"\x94\x04\0\0"), udp(), DATA),
    (eth(), ipv4(options=b"\x01" * 40), tcp(options=b"\x01" * 40), DATA),
    (eth(), ipv4(), sctp(), DATA),
    (eth(), ipv4(), icmp(), DATA),
    (eth(), ipv4(), icmp(3, 1), *UE),  # quotes a packet
    (eth(), ipv4(ttl=1), igmp()),
    (eth(), ipv4(), esp(1), DATA),
    (eth(), ipv4(proto=253), DATA),
    (eth(), ipv4(), ipv4(), udp(), DATA),
    (eth(), ipv4(), ipv6(), udp(), DATA),
    (eth(), ipv4(), gre(), *UE),
    (eth(), ipv4(), udp(), vxlan(1), eth(), *UE),
    (eth(), ipv4(mf=1), udp(), DATA),
    (eth(), ipv4(mf=1, frag=3), udp(), DATA),
    (eth(), ipv4(frag=3), udp(), DATA),
    (eth(), ipv4(df=1), udp(), DATA),
    # IPv6
    (eth(), ipv6(), udp(), DATA),
    (eth(), ipv6(), sctp(), DATA),
    (eth(), ipv6(), icmp6(), DATA),
    (eth(), ipv6(), icmp6(1), *UE6),
    (eth(), ipv6(next=59), DATA),
    (eth(), ipv6(), hopopts(), udp(), DATA),
    (eth(), ipv6(), hopopts(body=b"\x01\x0c" + b"\0" * 12), dstopts(), tcp(), DATA),
    (eth(), ipv6(), hopopts(), srh(["2001:db8::1", "2001:db8::2"]), dstopts(), udp(), DATA),
    (eth(), ipv6(), mobility()),
    (eth(), ipv6(), ipv6_frag(0, 1), udp(), DATA),
    (eth(), ipv6(), ipv6_frag(3, 1), udp(), DATA),
    (eth(), ipv6(), hopopts(), ipv6_frag(3, 0), tcp(), DATA),
    (eth(), ipv6(), ipv6_frag(0, 0), tcp(), DATA),
    (eth(), ipv6(), ipv6_frag(0, 1), dstopts(), tcp(), DATA),
    (eth(), ipv6(), ipv4(), udp(), DATA),
    # GTP-U itself
    (*N3, gtpu(0, type=1, seq=7)),
    (*N3, gtpu(0, type=2, seq=7), b"\x0e\0"),
    (*N3, gtpu(0, type=26, seq=7), b"\x10\0\0\0\1\x85\0\4\x0a\0\0\1"),
    (*N3, gtpu(5, type=254)),
    (*N3, gtpu(6), *UE),
    (*N3, gtpu(6, seq=1), *UE),
    (*N3, gtpu(6, npdu=1), *UE),
    (*N3, gtpu(6, seq=1, npdu=1), *UE6),
    (*N3, gtpu(0xffffffff, ext=[psc(0, 63)]), *UE),
    (*N3, gtpu(7, ext=[psc(1, 1)], seq=9), *UE6),
    (*N3, gtpu(7, ext=[(0x85, b"\x18\x09" + b"\0" * 12)]), *UE),  # with a delay's time stamps
    (*N3, gtpu(7, ext=[(0x40, b"\x08\x68")]), *UE),
    (*N3, gtpu(7, ext=[(0xc0, b"\0\1")]), *UE),
    (*N3, gtpu(7, ext=[(0x40, b"\x08\x68"), psc(1, 5)]), *UE),
    (*N3, gtpu(7, ext=[psc(0, 5), (0xc0, b"\0\1"), (0x40, b"\x08\x68")]), *UE6),
    (*N3, gtpu(7, type=254, ext=[psc(0, 5)])),
    (eth(), ipv4(), udp(2152, 4000), gtpu(7), *UE),  # only from the port
    (eth(), ipv4(), udp(4000, 2152), gtpu(7), *UE),
    (eth(), ipv4(), udp(2152, 2123), DATA),
    (eth(), ipv4(mf=1), udp(2152), gtpu(7), *UE),
    (eth(), ipv6(), hopopts(), udp(2152), gtpu(7, ext=[psc(1, 5)]), *UE6),
    (eth(), vlan(3), ipv6(), udp(2152), gtpu(7, ext=[psc(0, 5)]), *UE),
    # A UE's packet
    (*N3, gtpu(7), ipv4("10.0.0.1"), sctp(), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1"), icmp(), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1", options=b"\x94\x04\0\0"), udp(), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1", mf=1), udp(), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1", frag=9), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1", proto=253), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1"), ipv4("10.0.0.2"), udp(), DATA),
    (*N3, gtpu(7), ipv4("10.0.0.1"), udp(2152), gtpu(8), *UE),
    (*N3, gtpu(7), ipv6("2001:db8:45::1"), icmp6(), DATA),
    (*N3, gtpu(7), ipv6("2001:db8:45::1"), sctp(), DATA),
    (*N3, gtpu(7), ipv6("2001:db8:45::1"), dstopts(), udp(), DATA),
    (*N3, gtpu(7), ipv6("2001:db8:45::1"), ipv6_frag(0, 1), udp(), DATA),
    (*N3, gtpu(7), ipv6("2001:db8:45::1"), ipv6_frag(7, 0), DATA),
]]

# Every header whose length is a matter of its content.
LONG = [packet(*layers) for layers in [
    (eth(), vlan(1), arp()),
    (eth(), ipv4(options=b"\x01" * 12), tcp(options=b"\x01" * 20), b"\0"),
    (eth(), ipv6(), hopopts(), srh(["2001:db8::1", "2001:db8::2"]), dstopts(), ipv6_frag(0), tcp(),
     b"\0"),
    (*N3, gtpu(7, ext=[(0x40, b"\x08\x68"), (0x85, b"\x10\x09" + b"\0" * 8), (0xc0, b"\0" * 6)]),
     ipv4("10.0.0.1", options=b"\x01" * 4), sctp(), b"\0"),
]]
