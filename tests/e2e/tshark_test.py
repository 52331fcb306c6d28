#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profile gtpu on every packet of many captures, judged by tshark: header by header with offsets,
packet type, and every field that ddpctl shows. Profile all on real captures: headers and fields.

    tshark_test.py path/to/ddpctl path/to/ddp-traffic

Captures come from ddp-traffic, from packets made here for what it never writes, and from
../shared/captures beside the source tree where that folder exists."""

import ipaddress
import unittest

from support import dissect, harness
from support.frames import LONG, MADE
import library_test
import tshark

REAL = harness.SOURCE_ROOT.parent / "shared" / "captures"
SHOWN = 10  # disagreements in a message

# (capture, frame): the reason. README.md of tests says more.
DISAGREEMENTS = {
    ("ipv6-mobility-dst-opts.pcap", 1): "an option is longer than its header; we read no options",
    ("ipv6-mobility-dst-opts.pcap", 2): "IPv6's length is too short; we go by what is captured",
}
LIBRARY_DISAGREEMENTS = DISAGREEMENTS | {
    ("gtpv2.pcap", 3): "tshark looks for GTP-C in TCP, too",
}

SMALL = ["--ues", 30, "--flows", 4, "--packets-per-flow", 1, "--ipv6", 50]
GENERATED = [
    ["--kind", "n3-up"],
    ["--kind", "n3-down"],
    ["--kind", "n6-up"],
    ["--kind", "n6-down"],
    ["--kind", "mix", "--seed", 7],
    ["--kind", "n3-up", "--outer", "ipv6"],
    ["--kind", "n3-up", "--no-psc"],
    ["--kind", "n3-up", "--outer", "ipv6", "--no-psc", "--vlan", 1],
    ["--kind", "n3-down", "--outer", "ipv6", "--vlan", 100],
    ["--kind", "n3-down", "--no-psc", "--vlan", 4094],
    ["--kind", "mix", "--snaplen", 60],
    ["--kind", "mix", "--snaplen", 80, "--vlan", 5],
    ["--kind", "mix", "--snaplen", 100, "--outer", "ipv6"],
]


# Expected of a packet with these headers of tshark


def type_headers(headers):
    """Those that make up the packet type: one tunnel, and nothing behind a fragmented IP header."""
    n_tunnels = 0
    for i, header in enumerate(headers):
        n_tunnels += header.token == "gtpu"
        if n_tunnels == 2:
            return headers[:i]
        if dissect.is_fragment(header):
            return headers[:i + 1]
    return headers


def split(headers):
    """The type's headers before the tunnel, and from it on (none for no tunnel)."""
    headers = type_headers(headers)
    for i, header in enumerate(headers):
        if header.token == "gtpu":
            return headers[:i], headers[i:]
    return headers, []


def of_token(headers, *tokens):
    """The first such header, or None."""
    return next((header for header in headers if header.token in tokens), None)


def packet_type(headers):
    outer, tunnel = split(headers)
    headers = tunnel or outer
    if not headers:
        return "UNKNOWN"
    ip = of_token(headers, "ipv4", "ipv6")
    if ip is None:
        return "GTPU" if tunnel else "ARP" if of_token(headers, "arp") else "ETH"
    name = ("GTPU_" if tunnel else "") + ip.token.upper()
    if any(dissect.is_fragment(header) for header in headers):
        return name if tunnel else name + "_FRAG"
    if of_token(headers, "icmp", "icmp6") and not tunnel:
        return name + "_ICMP"
    l4 = of_token(headers, "udp", "tcp", "sctp")
    return f"{name}_{l4.token.upper()}" if l4 else name


def chain_wrong(headers, packet):
    theirs = [(header.token, header.off) for header in headers]
    ours = list(zip(packet["chain"], packet["offsets"], strict=True))
    return None if ours == theirs else f"chain {ours}, tshark {theirs}"


def type_wrong(headers, packet):
    expected = packet_type(headers)
    if packet["ptype"] == expected:
        return None
    return f"packet type {packet['ptype']}, by tshark's headers {expected}"


def fields_wrong(headers, packet):
    """Which fields there are for a packet type, cases of the library say."""
    for name, value in packet["fields"].items():
        name, _, bits = name.partition("/")
        found = library_test.field_find(type_headers(headers), name)
        if bits:
            found = str(ipaddress.ip_network((found, int(bits)), strict=False).network_address)
        if found != value:
            return f"{name} {value}, tshark {found}"
    return None


# Nobody has the UE addresses that the last one is told: only PDU types tell directions.
SPECS = ["gtpu", "gtpu:outer", "gtpu:ue;ue_ipv4=233.252.0.0/24;ue_ipv6=2001:db8:ffff::/48"]


def disagreement(headers, packets):
    """What is wrong with what ddpctl says of a packet with these specifications, or None."""
    return (chain_wrong(headers, packets[0]) or type_wrong(headers, packets[0]) or
            next(filter(None, (fields_wrong(headers, packet) for packet in packets)), None))


def library_disagreement(tokens, headers, packet):
    """The same of profile all, whose headers have these tokens."""
    headers = library_test.known_only(headers, tokens, packet["len"])
    wrong = chain_wrong(headers, packet)
    if wrong is not None:
        return wrong
    for name, value in packet["fields"].items():
        # Which IP header is the inner one depends on the packet type, which tshark does not know.
        found = None if name.startswith("inner.") else library_test.field_find(headers, name)
        if found is not None and found != value:
            return f"{name} {value}, tshark {found}"
    return None


class Tshark(harness.TestCase):
    def view(self, paths):
        """(capture, number), bytes, and tshark's headers of each packet: it takes longer to start than to dissect
        most captures."""
        frames = [((path.name, n), frame) for path in paths for n, frame in enumerate(harness.pcap_frames(path), 1)]
        seen = tshark.view(self.capture("all", [frame for _, frame in frames]))
        return [(place, frame[0], headers) for (place, frame), headers in zip(frames, seen, strict=True)]

    @staticmethod
    def classify(spec, paths):
        return sum((harness.classify(spec, path, "--as-captured") for path in paths), [])

    def judge(self, paths):
        packets = self.view(paths)
        found = {}
        views = [self.classify(spec, paths) for spec in SPECS]
        for (place, data, headers), *ours in zip(packets, *views, strict=True):
            problem = disagreement(dissect.known_headers(headers, len(data)), ours)
            if problem is not None:
                found[place] = f"{problem}, packet {data.hex()}"
        self.check_list(DISAGREEMENTS, paths, found)
        return packets

    def check_list(self, disagreements, paths, found):
        names = {path.name for path in paths}
        listed = {place for place in disagreements if place[0] in names}
        unlisted = [f"{name} frame {n}: {problem}" for (name, n), problem in found.items()
                    if (name, n) not in listed]
        if unlisted:
            self.fail(f"{len(unlisted)} disagreements\n" + "\n".join(unlisted[:SHOWN]))
        self.assertEqual(sorted(listed - set(found)), [], "listed frames on which we agree")

    def test_traffic(self):
        self.judge([self.traffic(*options, *SMALL) for options in GENERATED])

    def test_what_traffic_never_has(self):
        self.judge([self.capture("made", MADE)])

    def test_cut_at_every_byte(self):
        """Cut anywhere up to beyond the last header."""
        frames = {}  # one of each chain
        for options in (["--kind", "mix", "--seed", 3], ["--kind", "n3-up", "--outer", "ipv6"]):
            path = self.traffic(*options, *SMALL)
            for (data, wire), packet in zip(harness.pcap_frames(path), harness.classify("gtpu", path, "--as-captured")):
                frames.setdefault(tuple(packet["chain"]), (data[:packet["offsets"][-1] + 24], wire))
        self.assertGreater(len(frames), 8)
        # tshark 4.6 finds no IP in GTP-U whose length goes beyond the packet as it was sent
        cuts = [(data[:size], wire) for data, wire in
                [*frames.values(), *((data, len(data)) for data in LONG)]
                for size in range(len(data))]
        self.judge([self.capture("cut", cuts)])

    @unittest.skipUnless(REAL.is_dir(), "no folder of real captures")
    def test_real_captures(self):
        paths = sorted(path for path in REAL.iterdir() if path.suffix in (".pcap", ".cap"))
        self.assertNotEqual(paths, [])
        packets = self.judge(paths)
        library_test.profile_dir = harness.SOURCE_ROOT / "profiles"
        tokens = library_test.Profile("all").all_headers()
        found = {}
        for (place, _, headers), ours in zip(packets, self.classify("all", paths), strict=True):
            problem = library_disagreement(tokens, headers, ours)
            if problem is not None:
                found[place] = problem
        self.check_list(LIBRARY_DISAGREEMENTS, paths, found)


if __name__ == "__main__":
    if not dissect.is_installed():
        harness.skip("tshark is not installed")
    harness.main("ddpctl", "ddp-traffic")
