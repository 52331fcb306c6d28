#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The whole library on real captures, judged by tshark: chain, offsets and every field that is shown.

    captures_test.py path/to/ddpctl path/to/profiles

The captures are in ../shared/captures beside the source tree; without that folder the test is skipped.
Each disagreement is listed here with its reason, and one that is gone is a failure, too."""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import library_test as library  # noqa: E402
import tshark  # noqa: E402

REAL = os.path.join(HERE, "..", "..", "..", "shared", "captures")
AT_LEAST = 0.995 # of all packets, and of those of the one capture that has more than all others together
LARGE = "gre-aruba.pcap"

OPTION = "an option is longer than its header; tshark gives up, though the header's own length is good"
DISAGREEMENTS = {
    ("gtpv2.pcap", 3): "tshark looks for GTP-C in TCP, too",
    ("ipv6-mobility-dst-opts.pcap", 1): OPTION,
    ("ipv6-mobility-dst-opts.pcap", 2): OPTION,
}


def difference(ours, theirs):
    """What is different about a packet, or None."""
    mine = list(zip(ours["chain"], ours["offsets"], strict=True))
    other = [(header.token, header.off) for header in theirs]
    if mine != other:
        return "%s, tshark %s" % (mine, other)
    for name, value in ours["fields"].items():
        # Which IP header is the inner one depends on the packet type, which tshark does not know.
        found = None if name.startswith("inner.") else library.field_find(theirs, name)
        if found is not None and found != value:
            return "%s %s, tshark %s" % (name, value, found)
    return None


class Captures(unittest.TestCase):
    def test_tshark_agrees(self):
        tokens = library.Profile("all").all_headers()
        found, n_packets = {}, {}
        names = [name for name in sorted(os.listdir(REAL)) if name.endswith(("pcap", "cap"))]
        seen = self.seen([os.path.join(REAL, name) for name in names])
        for name in names:
            ours = library.classify("all", os.path.join(REAL, name))
            n_packets[name] = len(ours)
            for n, (mine, other) in enumerate(zip(ours, itertools.islice(seen, len(ours)), strict=True), 1):
                other = library.known_only(other, tokens, mine["len"])
                what = difference(mine, other)
                if what is not None:
                    found[name, n] = what
        self.assertIsNone(next(seen, None))
        self.check_list(found)
        self.check_share("pooled", [name for name in n_packets if name != LARGE], found, n_packets)
        self.check_share(LARGE, [LARGE], found, n_packets)

    @staticmethod
    def seen(paths):
        """What tshark sees in all of them, one after the other: it takes longer to start than to read one."""
        with tempfile.NamedTemporaryFile(suffix=".pcapng") as file:
            subprocess.run(["mergecap", "-a", "-w", file.name, *paths], check=True, stdin=subprocess.DEVNULL)
            return iter(tshark.view(file.name))

    def check_list(self, found):
        self.assertEqual({place: what for place, what in found.items() if place not in DISAGREEMENTS},
                         {}, "not explained")
        self.assertEqual(sorted(set(DISAGREEMENTS) - set(found)), [], "explained, but gone")

    def check_share(self, title, names, found, n_packets):
        total = sum(n_packets[name] for name in names)
        wrong = sum(place[0] in names for place in found)
        share = 1 - wrong / total
        print("%s: %d of %d packets agree, %.2f %%" % (title, total - wrong, total, 100 * share))
        self.assertGreaterEqual(share, AT_LEAST, title)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[2].strip())
    for what, there in (("tshark", shutil.which("tshark")), (REAL, os.path.isdir(REAL))):
        if not there:
            print("no " + what)
            sys.exit(library.SKIPPED)
    library.ddpctl, library.profile_dir = sys.argv[1], os.path.abspath(sys.argv[2])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Captures)
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
