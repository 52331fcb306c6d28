#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl on Intel's public 800-series packages: is what is printed what was promised, and what the packages say?

The packages come from scripts/packages, which scripts/test calls; without them the test is skipped.
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))
from support import harness  # noqa: E402
from packets import DATA, eth, gtpu, ipv4, packet, ppp, pppoe, sctp, tcp, udp, vlan  # noqa: E402

GOOD, NO, USAGE, UNREADABLE = range(4)
OS, COMMS = "ice-1.3.30.0.pkg", "ice_comms-1.3.31.0.pkg"

KEYS = harness.PACKET_KEYS[:-1] + ["protocols", "flags", "rss_flags", "fd_flags", "sw_flags", "schema_version"]

# Output of info for each: its identity, segments, buffers, buffers for the device, packet types.
KNOWN = {
    OS: (["e810", "ICE OS Default Package", "1.3.30.0", "0xc0000001", 692660],
         [("0x1", 28, 84), ("0x2", 112, 100), ("0x1001", 212, 12400), ("0x10", 12612, 671800), ("0x20", 684412, 8248)],
         164, 128, 93),
    COMMS: (["e810", "ICE COMMS Package", "1.3.31.0", "0xc0000002", 717176],
            [("0x1", 24, 84), ("0x2", 108, 100), ("0x1000", 208, 12400), ("0x10", 12608, 704568)], 172, 128, 153),
}

# Tables of each that packets go through: entries, and those that are live (None: not counted).
TABLES = {
    42: ((8192, 88), (8192, 143)), 43: ((1024, 0),) * 2, 44: ((512, 5),) * 2, 45: ((128, None),) * 2,
    46: ((128, 0),) * 2, 50: ((2048, 148), (2048, 199)), 51: ((1024, 46), (1024, 66)), 52: ((192, None),) * 2,
    55: ((1024, 93), (1024, 179)), 56: ((256, 97), (256, 117)), 57: ((192, 13), (192, 14)), 58: ((16, None),) * 2,
    72: ((128, 8), (128, 10)), 76: ((128, 0),) * 2, 78: ((64, 0),) * 2, 97: ((64, 37), (64, 39)),
    0x80000016: ((155, None), (215, None)), 0x80000018: ((147, None), (145, None)),
    0x80000023: ((53, None), (55, None)),
}

# A GTP-U uplink packet, Ethernet to the last byte, whose walk was followed by hand.
UPLINK = bytes.fromhex(
    "020000000001020000000002080045000078000100004011666f0a0100010a0200029c4008680064"
    "1f9e34ff00541122334400000085011009004500004c0001000040111d76ac100001ac1005099c40"
    "9c410038fbe75041594c4f41442d5041594c4f41442d5041594c4f41442d5041594c4f41442d5041"
    "594c4f41442d5041594c4f41442d")


def package_path(name):
    return str(harness.intel_package(name))


def explain(spec, capture, n=1, *options):
    return json.loads(harness.output_of(harness.tools["ddpctl"], "explain", spec, capture, "-n", n,
                                        "--json", *options))


def flat(text):
    """Without the breaks of lines."""
    return re.sub(r"\s+", " ", text)


class Classify(harness.TestCase):
    """A user relies on the objects of --jsonl, and on the types being the NIC's."""

    def test_the_worked_example(self):
        path = self.capture("uplink", [UPLINK])
        found = harness.classify(package_path(COMMS), path, "--queues", "7")[0]
        self.assertEqual(list(found), KEYS)
        value = harness.toeplitz(bytes.fromhex(found["input"]))
        self.assertEqual((int(found["hash"], 16), found["queue"]), (value, value % harness.RETA_SIZE % 7))
        self.assertEqual((found["len"], found["schema_version"]), (134, 2))
        self.assertEqual((found["status"], found["ptype"], found["ptype_id"]),
                         ("ok", "MAC_IPV4_GTPU_IPV4_UDP_PAY", 333))
        self.assertEqual(found["protocols"],
                         [[1, 0], [9, 12], [32, 14], [33, 58], [52, 34], [53, 78]])
        self.assertEqual((found["flags"], found["rss_flags"], found["fd_flags"], found["sw_flags"]),
                         ("0x0060000000000000", "0x6000", "0x6000", "0x4000"))
        self.assertEqual(list(zip(found["chain"], found["offsets"], strict=True)),
                         [("eth", 0), ("ipv4", 14), ("udp", 34), ("gtpu", 42), ("gtpu_psc", 54),
                          ("ipv4", 58), ("udp", 78)])
        # Outer addresses with innermost ports: what surprises users of the driver's default.
        self.assertEqual(found["fields"], {"ipv4.src": "10.1.0.1", "ipv4.dst": "10.2.0.2",
                                           "inner.udp.sport": 40000, "inner.udp.dport": 40001,
                                           "gtpu.teid": 0x11223344})
        self.assertEqual(found["input"], "0a0100010a0200029c409c41")
        path_of_session = self.capture("session", [packet(eth(), pppoe(0x1234), ppp(), ipv4(), tcp(), DATA)])
        self.assertEqual(harness.classify(package_path(COMMS), path_of_session)[0]["fields"]["pppoe.session"], 0x1234)
        with_os = harness.classify(package_path(OS), path)[0]
        self.assertEqual((with_os["ptype_id"], with_os["protocols"]),
                         (24, [[1, 0], [9, 12], [32, 14], [53, 34]]))


class Explain(harness.TestCase):
    """The output shows each step, and the fault as text."""

    def words(self, frame, name=COMMS, *options):
        path = self.capture("explained", [frame])
        result = harness.ddpctl("explain", package_path(name), path, *options)
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""))
        return flat(result.stdout)

    def test_the_worked_example(self):
        path = self.capture("uplink", [UPLINK])
        report = explain(package_path(COMMS), path, 1, "--queues", 4)
        fields = [step["fields"] for step in report["steps"]]
        self.assertEqual([(each["node"], each["instruction"], step["offset"])
                          for each, step in zip(fields, report["steps"])],
                         [(0, 0, 12), (8, 6, 34), (26, 21, 53), (26, 21, 57), (11, 9, 58), (16, 17, 78)])
        self.assertEqual((fields[1]["key"], fields[1]["boost"], fields[0]["next_protocol"]),
                         ("0x000000443322115400ff349e1f64006808409c03", "76 BOOST_UDP_GTPU_PDU_WITH_GTPU_OPTION", 0x11))
        self.assertEqual([step["next"] for step in report["steps"]],
                         [step["name"] for step in report["steps"][1:]] + [None])
        parser = report["parser"]
        self.assertEqual([marker.split()[0] for marker in parser["markers"].split(", ")], ["0", "1", "5", "12", "28"])
        self.assertEqual((parser["end"], parser["group"], parser["request"]), (86, 32, "IPv4 addresses and UDP ports"))
        self.assertEqual([(field["name"], field["offset"], field["value"]) for field in report["hashed"]],
                         [("outer.ipv4.src", 26, "10.1.0.1"), ("outer.ipv4.dst", 30, "10.2.0.2"),
                          ("inner.udp.sport", 78, 40000), ("inner.udp.dport", 80, 40001)])
        line = harness.classify(package_path(COMMS), path, "--queues", "4")[0]
        for key in ("n", "len", "ptype", "ptype_id", "chain", "offsets", "hash", "input", "queue", "status"):
            self.assertEqual(report[key], line[key], key)
        self.assertEqual((parser["packet_flags"], parser["rss_flags"]), (line["flags"], line["rss_flags"]))

    def test_people_get_the_same_in_words(self):
        text = self.words(UPLINK)
        for words in ("byte 78: N_UDP_2, 8 bytes node 16, instruction 17 PC_UDP_2",
                      "boost 80 BOOST_UDP_GTPU_PDU_EH_85 (index 33)",
                      "28 M_GTPU_PDU",
                      "packet type 333: MAC_IPV4_GTPU_IPV4_UDP_PAY",
                      "found by entry 141 of the packet type TCAM",
                      "matched: eth ipv4 udp gtpu gtpu_psc ipv4 udp",
                      "53 GTP-U PDU session container, 54 GTP-U uplink",
                      "group: 32 PTG_IPV4_TUN_GTPU_IPV4_UDP",
                      "request: IPv4 addresses and UDP ports",
                      "23 ipv4.src[0:2], byte 12 of protocol 32",
                      "18 udp.dport, byte 2 of protocol 53",
                      "outer.ipv4.src 10.1.0.1, bytes 26 to 29",
                      "12 bytes: 0a010001 0a020002 9c409c41",
                      "No silicon was at hand. Exact by the package's own tables",
                      "Modelled after DPDK's ice driver"):
            self.assertIn(words, text)

    def test_what_goes_wrong_is_told(self):
        loop = self.words(UPLINK[:54])
        self.assertIn("The walk makes no progress: it stays at byte 53", loop)
        self.assertRegex(loop, r"steps \d+ to \d+: the same again")
        table = harness.ddpctl("classify", package_path(COMMS), self.folder / "explained.pcap")
        self.assertEqual((table.returncode, "(too deep)" in table.stdout), (GOOD, True))
        self.assertIn("The packet has only 40 bytes: it is cut in the last header", self.words(UPLINK[:40]))
        wire = packet(eth(type=0x8847), bytes.fromhex("00000140") + b"\x50" * 40)
        self.assertIn("parser error: the parse graph has no entry for node 31", self.words(wire))
        steps = explain(package_path(COMMS), self.capture("wire", [wire]))["steps"]
        self.assertEqual(["flaw" in step for step in steps], [False] * (len(steps) - 1) + [True])
        no_type = packet(eth(), ipv4(), udp(2152), gtpu(7), b"\0" * 40)
        text = self.words(no_type)
        self.assertIn("no packet type", text)
        self.assertIn("not hashed, so queue 0: without a packet type", text)
        for frame in (UPLINK[:54], no_type):
            report = explain(package_path(COMMS), self.capture("none", [frame]))
            self.assertEqual([ptype for ptype in report["ptypes"] if ptype["chosen"]], [])

    def test_flags_have_the_names_of_what_sets_them(self):
        for layers, names in (
                ((ipv4(), tcp(flags=0x20)), "TCP URG"), ((ipv4(), tcp(flags=0x10)), "TCP ACK"),
                ((ipv4(), tcp(flags=8)), "TCP PSH"), ((ipv4(), tcp(flags=4)), "TCP RST"),
                ((ipv4(), tcp(flags=2)), "TCP SYN"), ((ipv4(), tcp(flags=1)), "TCP FIN"),
                ((ipv4(), udp(checksum=0)), "UDP checksum is zero"), ((ipv4(), udp(checksum=1)), None),
                ((ipv4(mf=1), DATA), "fragment"), ((vlan(5), ipv4(), sctp()), "VLAN 8100")):
            flags = re.search("packet_flags: 0x[0-9a-f]{16}(: [0-9]+ (.*?))? rss_flags", self.words(packet(eth(), *layers, DATA)))
            self.assertEqual(flags.group(2), names)

    def test_only_equal_steps_are_told_once(self):
        labels = packet(eth(type=0x8847), b"".join(struct.pack(">I", n << 12 | 64) for n in range(1, 6)),
                        b"\0\0\x11\x40" + bytes(packet(ipv4(), udp(), DATA)))
        text = self.words(labels)
        self.assertNotIn("the same again", text)
        for step in explain(package_path(COMMS), self.capture("labels", [labels]))["steps"]:
            self.assertIn(f"byte {step['offset']}: {step['name']}, ", text)

    def test_why_nothing_is_hashed(self):
        fragment = packet(eth(), ipv4(mf=1), udp(), DATA)
        self.assertIn("none of the driver's requests is for its group", self.words(fragment, OS))
        self.assertIn("rss_hf is none", self.words(UPLINK, COMMS, "--rss-hf", "none"))


class Diff(harness.TestCase):
    """The output describes a change of package as text."""

    def test_comms_beside_os(self):
        result = harness.ddpctl("diff", package_path(OS), package_path(COMMS))
        self.assertEqual((result.returncode, result.stderr), (NO, ""))
        text = flat(result.stdout)
        added = re.search(f"only in {re.escape(COMMS)}: (.*?) hashed", text).group(1).split(", ")
        self.assertEqual(len(added), 153 - 93)
        self.assertLess({"MAC_IPV4_ESP", "MAC_IPV6_NAT_T_IKE", "MAC_PPPOD_PAY", "MAC_IPV4_GTPU_IPV6_SCTP",
                         "MAC_IPV6_PFCP_NODE", "MAC_IPV4_L2TPV3"}, set(added))
        self.assertNotIn(f"only in {OS}", text)
        self.assertIn("MAC_IPV4_FRAG: nothing in ice-1.3.30.0.pkg; IPv4 addresses", text)
        self.assertRegex(text, r"Rx boost TCAM 97 117 \d+")

    def test_for_machines(self):
        result = harness.ddpctl("diff", package_path(COMMS), package_path(OS), "--json")
        self.assertEqual(result.returncode, NO)
        found = json.loads(result.stdout)
        self.assertIs(found["equal"], False)
        self.assertEqual((found["a"]["ptypes"], found["b"]["ptypes"]), (153, 93))
        self.assertEqual((found["a"]["track_id"], found["b"]["version"]), ("0xc0000002", "1.3.30.0"))
        self.assertEqual([found_type["only"] for found_type in found["packet_types"]], ["a"] * (153 - 93))
        self.assertIn({"only": "a", "ptype": "MAC_IPV4_GTPU", "all": True,
                       "chain": ["eth", "ipv4", "udp", "gtpu"], "other": None}, found["packet_types"])
        self.assertEqual((found["named_differently"], found["headers"], found["rules"]), ([], [], []))

    def test_equal(self):
        copy = self.folder / "copy.pkg"
        shutil.copyfile(package_path(OS), copy)
        result = harness.ddpctl("diff", package_path(OS), copy)
        self.assertEqual(result.returncode, GOOD)
        self.assertRegex(result.stdout, "\nequal: .*\n\Z")
        found = json.loads(harness.ddpctl("diff", package_path(OS), copy, "--json").stdout)
        self.assertIs(found["equal"], True)
        self.assertEqual((found["packet_types"], found["hashed_differently"], found["tables"]), ([], [], []))

    def test_a_profile_is_refused(self):
        for files in ((package_path(OS), "gtpu"), ("gtpu", package_path(OS))):
            result = harness.ddpctl("diff", *files)
            self.assertEqual((result.returncode, result.stdout), (USAGE, ""))
            self.assertRegex(result.stderr, r"\Addpctl: diff: a package and a profile cannot be compared; .*\n\Z")


class Graph(harness.TestCase):
    """A user sees the NIC's own parse graph, not the library's."""

    def test_graphviz_takes_it(self):
        for name in (OS, COMMS):
            dot = harness.output_of(harness.tools["ddpctl"], "graph", package_path(name))
            self.assertEqual("<B>GTPU</B>" in dot, name == COMMS)
            self.assertIn(">MAC_IPV4 and 1 more: IP", dot)
            if shutil.which("dot") is not None:
                subprocess.run(["dot", "-Tsvg"], input=dot, text=True, check=True, timeout=60,
                               stdout=subprocess.DEVNULL)

    def test_json_has_every_entry(self):
        for name, n_edges in ((OS, 126), (COMMS, 160)):
            graph = json.loads(harness.output_of(harness.tools["ddpctl"], "graph", package_path(name), "--json"))
            self.assertEqual(len(graph["edges"]), n_edges)
            self.assertIn({"from": "MAC_1", "to": "UDP_1", "when": "MAC_IPV4 and 1 more: IP protocol 17"}, graph["edges"])
            udp = next(header for header in graph["headers"] if header["name"] == "UDP_1")
            self.assertIn("VXLAN_GPE_0", udp["ends"])


class Info(harness.TestCase):
    """A user sees what is in a package."""

    def info(self, name, *options):
        return json.loads(harness.output_of(harness.tools["ddpctl"], "info", "--json", *options, package_path(name)))[0]

    def test_both_are_known_and_valid(self):
        for name, (identity, segments, *buffers, n_ptypes) in KNOWN.items():
            shown = self.info(name)
            self.assertEqual([shown[key] for key in ("kind", "name", "version", "track_id", "size")], identity)
            self.assertEqual([(s["type"], s["offset"], s["size"]) for s in shown["segments"]], segments)
            self.assertEqual([shown["buffers"], shown["device_buffers"]], buffers)
            self.assertEqual((shown["devices"], shown["nvm_versions"]), ([], []))
            sections = {int(section["id"], 16): section for section in shown["sections"]}
            for number, figures in TABLES.items():
                section = sections[number]
                self.assertEqual((section["entries"], section["live"]), figures[name == COMMS], (name, number))
                self.assertTrue(section["name"], number)
            # The parts of all sections lie in the file, and no two share a byte.
            parts = sorted((part["offset"], part["size"]) for section in shown["sections"] for part in section["parts"])
            for (offset, size), (after, _) in zip(parts, [*parts[1:], (shown["size"], 0)]):
                self.assertLessEqual(offset + size, after)
            self.assertEqual(sum(size for _, size in parts), sum(section["size"] for section in shown["sections"]))
            ptypes = self.info(name, "--ptypes")["ptypes"]
            self.assertEqual(len(ptypes), n_ptypes)
            self.assertEqual([ptype["id"] for ptype in ptypes], sorted({ptype["id"] for ptype in ptypes}))
            [checked] = json.loads(harness.output_of(harness.tools["ddpctl"], "check", "--json", package_path(name)))
            self.assertEqual((checked["valid"], checked["messages"]), (True, []))
        self.assertIn({"id": 333, "name": "MAC_IPV4_GTPU_IPV4_UDP_PAY",
                       "chain": ["eth", "ipv4", "udp", "gtpu", "ipv4", "udp"],
                       "rte_ptype": "L2_ETHER L3_IPV4_EXT_UNKNOWN TUNNEL_GTPU INNER_L3_IPV4_EXT_UNKNOWN INNER_L4_UDP"},
                      ptypes)
        result = harness.ddpctl("check", "--strict", package_path(OS))
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""))
        self.assertEqual(result.stdout, f"{package_path(OS)}: OK: ICE OS Default Package 1.3.30.0\n")

    def test_a_cut_package_ends_somewhere(self):
        path = self.folder / "cut.pkg"
        path.write_bytes(harness.intel_package(OS).read_bytes()[:690000])
        result = harness.ddpctl("info", path)
        self.assertEqual((result.returncode, result.stdout), (NO, ""))
        self.assertEqual(result.stderr, f"{path}:{684412 + 8:#x}: error: segment 4 of 8248 bytes does not "
                                        "fit a file of 690000\n")

    def test_tables_or_packet_types_are_shown(self):
        shown = harness.output_of(harness.tools["ddpctl"], "info", package_path(COMMS))
        self.assertRegex(shown, r"(?m)^package ICE COMMS Package 1\.3\.31\.0, track id 0xc0000002")
        self.assertRegex(shown, r"(?m)^56 +Rx boost TCAM +\d+ +\d+ +256 x 88 +117$")
        self.assertRegex(shown, r"(?m)^0x80000016 +labels of packet types +5 +\d+ +215 x 66$")
        self.assertRegex(shown, r"(?m)^594 +not documented ")
        shown = harness.output_of(harness.tools["ddpctl"], "info", "--ptypes", package_path(OS))
        self.assertRegex(shown, r"(?m)^ +24  MAC_IPV4_UDP_PAY +eth ipv4 udp +L2_ETHER L3_IPV4")
        self.assertNotIn("Rx boost TCAM", shown)


class Misuse(harness.TestCase):
    """One clear line, and the exit status that was promised."""

    def refused(self, status, words, *args):
        result = harness.ddpctl(*args)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1), result.stderr)
        self.assertIn(words, result.stderr)

    def test_values(self):
        path = self.capture("any", [UPLINK])
        spec = package_path(COMMS)
        self.refused(NO, "more than 16 UDP ports", "classify",
                     spec + "".join(f";vxlan_port={port}" for port in range(1, 18)), path)
        result = harness.ddpctl("classify", spec + ";ecpri_port=5000", path, "--jsonl")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no entry for eCPRI ports: 5000 stays plain UDP", result.stderr)
        self.assertEqual(result.stdout, harness.ddpctl("classify", spec, path, "--jsonl").stdout)
        for setting in (";port=1", ";vxlan_port=x", ";vxlan_port=65536", ";dvm=2", ";"):
            self.refused(NO, "", "explain", spec + setting, path)
        self.refused(NO, "no named input sets", "classify", spec + ":ue", path)

    def test_what_cannot_be_read(self):
        path = self.capture("any", [UPLINK])
        broken = self.folder / "broken.pkg"
        broken.write_bytes(pathlib.Path(package_path(OS)).read_bytes()[:5000])
        for command in (["classify", broken, path], ["graph", broken]):
            result = harness.ddpctl(*command)
            self.assertEqual(result.returncode, NO)
            self.assertIn(f"{broken}:0x", result.stderr)
        for other, code in ((broken, NO), (self.folder / "missing.pkg", UNREADABLE)):
            for files in ((package_path(OS), other), (other, "gtpu")):
                self.assertEqual(harness.ddpctl("diff", *files).returncode, code)
        self.refused(UNREADABLE, "No such file", "classify", self.folder / "missing.pkg", path)
        self.refused(NO, "there is no packet 2, the last one is 1", "explain", package_path(OS), path,
                     "-n", "2")


if __name__ == "__main__":
    for file in (OS, COMMS):
        if not pathlib.Path(package_path(file)).is_file():
            harness.skip(f"no {package_path(file)}: scripts/packages fetches it")
    harness.main("ddpctl")
