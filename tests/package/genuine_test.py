#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Intel's public 800-series packages: does ddpctl see in them what is there?

The packages come from scripts/packages, which scripts/test calls; without them the test is skipped.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))
from support import harness  # noqa: E402

OS = "ice-1.3.30.0.pkg"
COMMS = "ice_comms-1.3.31.0.pkg"

# Section id: entries, and how many are in use in OS and in COMMS.
TABLES = {
    42: (8192, 88, 143),
    43: (1024, 0, 0),
    44: (512, 5, 5),
    45: (128, None, None),
    46: (128, 0, 0),
    50: (2048, 148, 199),
    51: (1024, 46, 66),
    52: (192, None, None),
    55: (1024, 93, 179),
    56: (256, 97, 117),
    57: (192, 13, 14),
    58: (16, None, None),
    72: (128, 8, 10),
    76: (128, 0, 0),
    78: (64, 0, 0),
    97: (64, 37, 39),
    0x80000016: (155, None, None),
    0x80000018: (147, None, None),
    0x80000023: (53, None, None),
}
# Labels: COMMS has others.
COMMS_LABELS = {0x80000016: 215, 0x80000018: 145, 0x80000023: 55}


def info(path, *options):
    return json.loads(harness.output_of(harness.tools["ddpctl"], "info", "--json", *options, path))[0]


# What info says of each: its identity, segments, buffers, buffers for the device, packet types.
KNOWN = {
    OS: (["e810", "ICE OS Default Package", "1.3.30.0", "0xc0000001", 692660],
         [("0x1", 28, 84), ("0x2", 112, 100), ("0x1001", 212, 12400), ("0x10", 12612, 671800), ("0x20", 684412, 8248)],
         164, 128, 93),
    COMMS: (["e810", "ICE COMMS Package", "1.3.31.0", "0xc0000002", 717176],
            [("0x1", 24, 84), ("0x2", 108, 100), ("0x1000", 208, 12400), ("0x10", 12608, 704568)], 172, 128, 153),
}


class Genuine(harness.TestCase):
    def test_tables_have_the_known_sizes(self):
        for name, column, labels in ((OS, 1, {}), (COMMS, 2, COMMS_LABELS)):
            sections = {int(section["id"], 16): section for section in info(harness.intel_package(name))["sections"]}
            for number, row in TABLES.items():
                section = sections[number]
                self.assertEqual((section["entries"], section["live"]), (labels.get(number, row[0]), row[column]),
                                 (name, hex(number)))
                self.assertTrue(section["name"], (name, hex(number)))

    def test_both_are_known(self):
        for name, (identity, segments, *buffers, n_ptypes) in KNOWN.items():
            shown = info(harness.intel_package(name))
            self.assertEqual([shown[key] for key in ("kind", "name", "version", "track_id", "size")], identity)
            self.assertEqual([(s["type"], s["offset"], s["size"]) for s in shown["segments"]], segments)
            self.assertEqual([shown["buffers"], shown["device_buffers"]], buffers)
            self.assertEqual((shown["devices"], shown["nvm_versions"]), ([], []))
            ptypes = info(harness.intel_package(name), "--ptypes")["ptypes"]
            self.assertEqual(len(ptypes), n_ptypes)
            self.assertEqual([ptype["id"] for ptype in ptypes], sorted({ptype["id"] for ptype in ptypes}))
            self.assertEqual({ptype["chain"][0] for ptype in ptypes}, {"eth"})
        self.assertIn({"id": 333, "name": "MAC_IPV4_GTPU_IPV4_UDP_PAY",
                       "chain": ["eth", "ipv4", "udp", "gtpu", "ipv4", "udp"],
                       "rte_ptype": "L2_ETHER L3_IPV4_EXT_UNKNOWN TUNNEL_GTPU INNER_L3_IPV4_EXT_UNKNOWN INNER_L4_UDP"},
                      ptypes)

    def test_every_byte_of_the_sections_is_accounted_for(self):
        """The sections that info lists lie in the file, and no two share a byte."""
        for name in (OS, COMMS):
            shown = info(harness.intel_package(name))
            parts = sorted((part["offset"], part["size"]) for section in shown["sections"]
                           for part in section["parts"])
            for (offset, size), (after, _) in zip(parts, parts[1:]):
                self.assertLessEqual(offset + size, after)
            self.assertLessEqual(sum(parts[-1]), shown["size"])
            self.assertEqual(sum(size for _, size in parts),
                             sum(section["size"] for section in shown["sections"]))

    def test_both_are_valid(self):
        for name in (OS, COMMS):
            result = harness.ddpctl("check", "--json", harness.intel_package(name))
            [checked] = json.loads(result.stdout)
            self.assertEqual((result.returncode, checked["valid"], checked["messages"]), (0, True, []))
        result = harness.ddpctl("check", "--strict", harness.intel_package(OS))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{harness.intel_package(OS)}: OK: ICE OS Default Package 1.3.30.0\n")

    def test_info_of_a_cut_package_says_where_it_ends(self):
        path = self.folder / "cut.pkg"
        path.write_bytes(harness.intel_package(OS).read_bytes()[:690000])
        result = harness.ddpctl("info", path)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, f"{path}:{684412 + 8:#x}: error: segment 4 of 8248 bytes does not "
                                        "fit a file of 690000\n")

    def test_info_shows_the_tables(self):
        shown = harness.output_of(harness.tools["ddpctl"], "info", harness.intel_package(COMMS))
        self.assertRegex(shown, r"(?m)^package ICE COMMS Package 1\.3\.31\.0, track id 0xc0000002")
        self.assertRegex(shown, r"(?m)^56 +Rx boost TCAM +\d+ +\d+ +256 x 88 +117$")
        self.assertRegex(shown, r"(?m)^0x80000016 +labels of packet types +5 +\d+ +215 x 66$")
        self.assertRegex(shown, r"(?m)^594 +not documented ")

    def test_packet_types_are_shown_in_place_of_tables(self):
        shown = harness.output_of(harness.tools["ddpctl"], "info", "--ptypes", harness.intel_package(OS))
        self.assertRegex(shown, r"(?m)^ +24  MAC_IPV4_UDP_PAY +eth ipv4 udp +L2_ETHER L3_IPV4")
        self.assertNotIn("Rx boost TCAM", shown)


if __name__ == "__main__":
    missing = [name for name in (OS, COMMS) if not harness.intel_package(name).exists()]
    if missing:
        harness.skip(f"no {' and no '.join(missing)}: scripts/packages fetches them")
    harness.main("ddpctl")
