#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profile gtpu on captures of ddp-traffic, and profile all on real ones, judged by tshark: header by header with
offsets, and the fields that ddpctl shows. The packets of profiles' cases are checked by tests/library.

    tshark_test.py path/to/ddpctl path/to/ddp-traffic

Real captures are in ../shared/captures beside the source tree, where that folder exists."""

import ipaddress
import unittest

from support import harness
import library_test
import tshark

REAL = harness.SOURCE_ROOT.parent / "shared" / "captures"
SHOWN = 10  # disagreements in a message

# (capture, frame): the reason.
DISAGREEMENTS = {
    ("ipv6-mobility-dst-opts.pcap", 1): "an option is longer than its header: tshark stops; we, as NICs, read no options",
    ("ipv6-mobility-dst-opts.pcap", 2): "IPv6's length ends in the options: tshark stops; we go by what is captured",
    ("gtpv2.pcap", 3): "tshark looks for GTP-C in TCP, too; it is defined over UDP",
}

SMALL = ["--ues", 30, "--flows", 4, "--packets-per-flow", 1, "--ipv6", 50]
GENERATED = [
    *(["--kind", kind] for kind in ("n3-up", "n3-down", "n6-up", "n6-down")),
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
# Nobody has the UE addresses that the last one needs: only PDU types show directions.
SPECS = ["gtpu", "gtpu:outer", "gtpu:ue;ue_ipv4=233.252.0.0/24;ue_ipv6=2001:db8:ffff::/48"]


def disagreement(headers, packet, inner):
    """The fault in ddpctl's output for a packet with these headers, or None. inner: the last IP header is the
    packet type's; if it may be another one, tshark does not know which."""
    theirs = [(header.token, header.off) for header in headers]
    ours = list(zip(packet["chain"], packet["offsets"], strict=True))
    if ours != theirs:
        return f"chain {ours}, tshark {theirs}"
    for shown, value in packet["fields"].items():
        name, _, bits = shown.partition("/")
        found = library_test.field_find(headers, name) if inner or not name.startswith("inner.") else None
        if bits and found is not None:
            found = str(ipaddress.ip_network((found, int(bits)), strict=False).network_address)
        if found != value and (inner or found is not None):
            return f"{shown} {value}, tshark {found}"
    return None


class Tshark(harness.TestCase):
    def judge(self, paths, specs, inner):
        """tshark takes longer to start than to dissect most captures."""
        frames = [((path.name, n), frame) for path in paths for n, frame in enumerate(harness.pcap_frames(path), 1)]
        seen = tshark.view(self.capture("all", [frame for _, frame in frames]))
        tokens = library_test.Profile(specs[0]).all_headers()
        found = {}
        for spec in specs:
            packets = sum((harness.classify(spec, path, "--as-captured") for path in paths), [])
            for (place, (data, _)), headers, packet in zip(frames, seen, packets, strict=True):
                problem = disagreement(library_test.known_only(headers, tokens, len(data)), packet, inner)
                if problem is not None:
                    found[place] = f"{spec}: {problem}, packet {data.hex()}"
        names = {path.name for path in paths}
        listed = {place for place in DISAGREEMENTS if place[0] in names}
        unlisted = [f"{name} frame {n}: {problem}" for (name, n), problem in found.items()
                    if (name, n) not in listed]
        if unlisted:
            self.fail(f"{len(unlisted)} disagreements\n" + "\n".join(unlisted[:SHOWN]))
        self.assertEqual(sorted(listed - set(found)), [], "listed frames on which we agree")

    def test_traffic(self):
        self.judge([self.traffic(*options, *SMALL) for options in GENERATED], SPECS, True)

    @unittest.skipUnless(REAL.is_dir(), "no folder of real captures")
    def test_real_captures(self):
        paths = sorted(path for path in REAL.iterdir() if path.suffix in (".pcap", ".cap"))
        self.assertNotEqual(paths, [])
        self.judge(paths, ["all"], False)


if __name__ == "__main__":
    harness.need("tshark")
    library_test.profile_dir = harness.SOURCE_ROOT / "profiles"
    harness.main("ddpctl", "ddp-traffic")
