# SPDX-License-Identifier: BSD-3-Clause
"""Frames to try a data path with: what ddp-traffic never writes, contradictions, chains without
end, large ones, and such that are cut anywhere."""

from support import frames
from support.frames import ETHERNET_SIZE, N3, UE
from packets import Layer, eth, gtpu, hopopts, ipv4, ipv6, ipv6_ext, packet, psc, tcp, udp, vlan


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
CUT = [frame[:size] for frame in frames.LONG for size in range(ETHERNET_SIZE, len(frame))]

PRINTABLE = frames.MADE + LIES + ENDLESS + LARGE + CUT

RUNTS = [packet(eth())[:size] for size in range(ETHERNET_SIZE)]
