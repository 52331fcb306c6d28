# SPDX-License-Identifier: BSD-3-Clause
"""Frames to try a data path with: what ddp-traffic never writes, contradictions, chains without
end, large ones, and such that are cut anywhere."""

from support import harness  # noqa: F401, adds the path of the next ones
import library_test
from packets import (DATA, Layer, arp, dstopts, eth, gtpu, hopopts, ipv4, ipv6, ipv6_ext, ipv6_frag, packet, psc, sctp,
                     srh, tcp, udp, vlan)

ETHERNET_SIZE, MAX_FRAME = 14, 1514
N3 = (eth(), ipv4(), udp(2152))
UE = (ipv4("10.45.0.1"), udp(1000, 2000), DATA)
MADE = [case.packet for name in ("base", "gtpu", "nested") for case in library_test.cases_load(name).CASES
        if ETHERNET_SIZE <= len(case.packet) <= MAX_FRAME]

# Every header whose length is a matter of its content.
LONG = [packet(*layers) for layers in [
    (eth(), vlan(1), arp()),
    (eth(), ipv4(options=b"\x01" * 12), tcp(options=b"\x01" * 20), b"\0"),
    (eth(), ipv6(), hopopts(), srh(["2001:db8::1", "2001:db8::2"]), dstopts(), ipv6_frag(0), tcp(),
     b"\0"),
    (*N3, gtpu(7, ext=[(0x40, b"\x08\x68"), (0x85, b"\x10\x09" + b"\0" * 8), (0xc0, b"\0" * 6)]),
     ipv4("10.0.0.1", options=b"\x01" * 4), sctp(), b"\0"),
]]


def first_byte(value, layer):
    """A header that lies about its version, its length, or its flags."""
    return Layer(lambda *args: bytes([value]) + layer.build(*args)[1:], **layer.numbers)


LIES = [packet(*layers) for layers in [
    (eth(), first_byte(0x55, ipv4()), udp()),  # version 5
    (eth(), first_byte(0x44, ipv4()), udp()),  # 4 words
    (eth(), first_byte(0x4f, ipv4()), udp()),  # options that are not there
    (eth(), first_byte(0x40, ipv6()), udp()),  # version 4
    (eth(), ipv4(proto=17)),
    (eth(), ipv4(), tcp(options=bytes(40)))] + [
    (*N3, first_byte(flags, gtpu(7, seq=1)), *UE) for flags in (0x20, 0x50, 0x70)] + [
    (*N3, b"\x34\xff\0\x06\0\0\0\4" b"\0\0\0\xc0\0\0", *UE)]]  # extension header of length 0

ENDLESS = [packet(*layers) for layers in [
    (eth(), *(vlan(n) for n in range(90))),
    (eth(), ipv6(), *[hopopts()] * 100),
    (*N3, gtpu(7, ext=[psc(0, 9)] * 100), *UE)]]


def large(size):
    """With GTP-U behind so many bytes of IPv6."""
    return packet(eth(), ipv6(), ipv6_ext(60, body=bytes(size - 40 - 2)), udp(2152), gtpu(7), *UE)


LARGE = [packet(*N3, gtpu(7, ext=[psc(1, 9)]), ipv4(), udp(), bytes(7000))] + \
    [large(size) for size in range(2000, 2064, 8)]  # headers before, on and behind a segment's end

# Behind each byte that they have after their Ethernet header: testpmd itself reads that much.
CUT = [frame[:size] for frame in LONG for size in range(ETHERNET_SIZE, len(frame))]

PRINTABLE = MADE + LIES + ENDLESS + LARGE + CUT

RUNTS = [packet(eth())[:size] for size in range(ETHERNET_SIZE)]
