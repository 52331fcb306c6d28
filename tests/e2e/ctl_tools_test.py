#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl on profiles and single packets: info, graph, explain, new, the schema for editors."""

import copy
import collections
import json
import os
import re
import shutil

from support import harness
from support.odd_frames import MADE
from packets import DATA, control_word, eth, gtpu, ipv4, ipv6, mpls, packet, psc, srh, tcp, udp, vlan

GOOD, NO, USAGE, UNREADABLE = range(4)
SCHEMA = harness.SOURCE_ROOT / "profiles" / "ddp-profile.schema.json"

UE = (ipv4("10.1.2.3", "198.51.100.7"), udp(1024, 53), DATA)
TWO_EXTENSIONS = packet(eth(), ipv4("192.0.2.1", "192.0.2.100"), udp(),
                        gtpu(0x11223344, ext=[(0xc0, b"\0\7"), psc(1, 9)]), *UE)
SRV6 = packet(eth(), ipv6("2001:db8::1", "2001:db8::2"),
              srh(["2001:db8::3", "2001:db8::2"]), *UE)
PSEUDOWIRE = packet(eth(), mpls(16), mpls(17), control_word(), eth(), *UE)


def explain(spec, capture, n, *options):
    output = harness.output_of(harness.tools["ddpctl"], "explain", spec, capture, "-n", n, "--json",
                               *options)
    return json.loads(output)


def info(spec):
    return json.loads(harness.output_of(harness.tools["ddpctl"], "info", spec, "--json"))[0]


class Info(harness.TestCase):
    def test_parameters_and_input_sets_are_those_in_force(self):
        listed = info("gtpu:ue;port=2152;port=2153")
        self.assertEqual([part["name"] for part in listed["profiles"]], ["base", "gtpu"])
        port = next(param for param in listed["parameters"] if param["name"] == "port")
        self.assertEqual((port["profile"], port["default"], port["values"]),
                         ("gtpu", "2152", ["2152", "2153"]))
        chosen = [(named["profile"], named["name"]) for named in listed["input_sets"]
                  if named["chosen"]]
        self.assertEqual(chosen, [("gtpu", "ue")])
        gtpu_header = next(header for header in listed["headers"] if header["name"] == "gtpu")
        self.assertEqual((gtpu_header["min_size"], gtpu_header["max_size"]), (8, 12))
        self.assertIn(("udp", "dport = 2152 or 2153"),
                      [(origin.get("header"), origin.get("when")) for origin in gtpu_header["after"]])
        kind = next(kind for kind in listed["packet_types"] if kind["name"] == "GTPU_IPV4_UDP")
        self.assertEqual(kind["path"], "eth vlan* (ipv4 | ipv6 ipv6_ext*) udp gtpu "
                                       "(gtpu_ext | gtpu_psc)* (eth vlan*)? ipv4 udp")
        self.assertEqual([(one.get("when"), one["hash"], one["bytes"]) for one in kind["rss"]][:2],
                         [("gtpu_psc.pdu_type = 1", ["inner.ipv4.src"], 4),
                          ("gtpu_psc.pdu_type = 0", ["inner.ipv4.dst"], 4)])

    def test_every_profile_can_be_told(self):
        for profile in harness.profiles():
            with self.subTest(profile["name"]):
                listed = info(profile["name"])
                text = harness.output_of(harness.tools["ddpctl"], "info", profile["name"])
                for header in listed["headers"]:
                    self.assertRegex(text, rf"(?m)^{header['name']}( \*)? ")
                for kind in listed["packet_types"]:
                    self.assertIn(f"packet type {kind['id']}, {kind['name']} (", text)
                bound = listed["bound"]
                self.assertIn(f"no more than {bound['headers']} headers ({bound['steps']} ", text)


class Graph(harness.TestCase):
    def test_edges_are_the_rules(self):
        graph = json.loads(harness.output_of(harness.tools["ddpctl"], "graph", "gtpu", "--json"))
        edges = {(edge["from"], edge["to"], edge["when"]) for edge in graph["edges"]}
        self.assertIn(("udp", "gtpu", "dport = 2152"), edges)
        self.assertIn(("eth", "ipv4", "type = 0x0800"), edges)
        self.assertIn(("gtpu", "gtpu_psc", "e = 1 and next_ext = 0x85"), edges)
        self.assertIn(("ip", "ipv6", "version = 6"), edges)

    def test_every_profile_in_a_picture(self):
        """Graphviz reads it; dashed edges lead back to where the packet has been: itself, the step before, or further
        back on a way that returns."""
        files = []
        for profile in harness.profiles():
            text = harness.output_of(harness.tools["ddpctl"], "graph", profile["name"])
            files.append(self.folder / f"{profile['name']}.dot")
            files[-1].write_text(text, encoding="utf-8")
            self.check_edges(profile["name"], re.findall(r"(?m)^  (b\d+)\S* -> (b\d+)\S* \[style=(\w+)", text))
        if shutil.which("dot") is None:
            self.skipTest("Graphviz is not installed")
        result = harness.run("dot", "-Tsvg", "-O", *files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def check_edges(self, name, edges):
        follow = collections.defaultdict(set)
        for start, end, _ in edges:
            follow[start].add(end)

        def steps(start):
            found, ways = {start: 0}, [start]
            for at in ways:
                new = follow[at] - set(found)
                found |= dict.fromkeys(new, found[at] + 1)
                ways += new
            return found
        depth = steps("b0")
        for start, end, style in edges:
            back = depth[start] - depth[end]
            dashed = (start == end or (back == 1 and start in follow[end]) or
                      (back > 1 and start in steps(end)))
            self.assertEqual(style, "dashed" if dashed else "solid", (name, start, end))

    def test_names_and_sizes_are_in_the_picture(self):
        """Which colour is which profile, and how long a header is."""
        path = self.folder / "short.yaml"
        path.write_text("profile: short\nheaders:\n  one: {first: true, layout: 'n:8', next: two}\n"
                        "  two: {layout: 'n:16', next: three}\n  three: {layout: 'n:8', length: n}\n")
        text = harness.output_of(harness.tools["ddpctl"], "graph", path)
        self.assertIn(">short</TD>", text.split("label=<<TABLE")[1])
        self.assertRegex(text, r"<B>one</B>.*>  1 byte</FONT>")
        self.assertRegex(text, r"<B>two</B>.*>  2 bytes</FONT>")
        for name, has_more in (("one", False), ("two", False), ("three", True)):  # than its fields
            self.assertEqual("…" in re.search(f"<B>{name}</B>.*", text)[0], has_more)


class Explain(harness.TestCase):
    """explain agrees with the line of classify."""

    def assert_same(self, spec, capture, *options):
        for line in harness.classify(spec, capture, *options):
            with self.subTest(spec=spec, n=line["n"]):
                report = explain(spec, capture, line["n"], *options)
                for key in ("n", "len", "status", "ptype", "ptype_id", "hash", "input", "queue"):
                    self.assertEqual(report[key], line[key], key)
                self.assertEqual(report["reta_index"], line["hash"] and int(line["hash"], 16) % harness.RETA_SIZE)
                found = [header for header in report["headers"]
                         if not header["hidden"] and
                         (header.get("flaw") is None or "rules" in header)]
                self.assertEqual([header["name"] for header in found], line["chain"])
                self.assertEqual([header["offset"] for header in found], line["offsets"])
                listed = {entry["name"]: entry["value"] for entry in report["hashed"]}
                listed |= {name: value for name, value in report["extracted"].items()
                           if value is not None}
                self.assertEqual({name: listed[name] for name in listed if "/" not in name},
                                 {name: value for name, value in line["fields"].items()
                                  if "/" not in name})
                self.assert_coherent(report)
                text = harness.output_of(harness.tools["ddpctl"], "explain", spec, capture, "-n", line["n"])
                self.assertEqual(re.findall(r"^byte (\d+): (\w+)", text, re.M),
                                 [(str(header["offset"]), header["name"]) for header in report["headers"]])

    def assert_coherent(self, report):
        headers = report["headers"]
        for this, after in zip(headers, headers[1:] + [None]):
            deciding = [rule for rule in this.get("rules", []) if rule["decides"]]
            self.assertLessEqual(len(deciding), 1)
            self.assertTrue(all(rule["why"] for rule in this.get("rules", [])))
            if after is not None:
                self.assertEqual(this["next"], after["name"])
                self.assertEqual(this["offset"] + this["size"], after["offset"])
                self.assertEqual(len(deciding), 1)
                self.assertIs(this["rules"][-1], deciding[0])
            elif report["status"] == "ok":
                self.assertIsNone(this["next"])
        flaws = [header for header in headers if "flaw" in header]
        self.assertEqual(flaws, headers[-1:] if report["status"] == "error" else [])

    def test_frames_of_all_kinds(self):
        frames = [TWO_EXTENSIONS, SRV6, PSEUDOWIRE, b"", *MADE]
        self.assert_same("gtpu:ue", self.capture("some", frames[::3]), "--queues", 16)
        self.assert_same("all", self.capture("others", frames[1::3]), "--queues", 7, "--hash", "symmetric_toeplitz")

    def test_frames_cut_anywhere(self):
        for name, whole in [("gtpu", TWO_EXTENSIONS), ("srv6", SRV6), ("mpls", PSEUDOWIRE)]:
            capture = self.capture(f"cut_{name}", [whole[:n] for n in range(0, len(whole), 9)])
            self.assert_same(name, capture)

    def test_fields_of_rss_hf(self):
        capture = self.capture("plain", [packet(eth(), ipv4(), udp(), DATA)])
        for fields in ("ipv4", "none"):
            self.assert_same("base", capture, "--rss-hf", fields)
        report = explain("base", capture, 1, "--rss-hf", "ipv4")
        self.assertEqual([(one["chosen"], one["why"]) for one in report["input_sets"]],
                         [(False, "rss_hf has none of ipv4-udp"), (True, "")])

    def explained(self, spec, frame, *options):
        capture = self.capture("explained", [frame])
        return harness.output_of(harness.tools["ddpctl"], "explain", spec, capture, *options,
                                 env={**os.environ, "COLUMNS": "100"})

    def assert_lines(self, text, lines):
        """These lines, in this order, line numbers of profiles left open."""
        pattern = ".*".join(re.escape(line).replace(":N\\)", r":\d+\)") for line in lines)
        self.assertRegex(" ".join(text.split()), pattern)

    def test_two_extension_headers(self):
        self.assert_lines(self.explained("gtpu:ue", TWO_EXTENSIONS, "--queues", 16), [
            "byte 34: udp, 8 bytes (base.yaml:N) dport 2152",
            "next is gtpu: dport is 2152 (gtpu.yaml:N)",
            "byte 42: gtpu, 12 bytes: 8 and 4 for [seq npdu next_ext] because e | s | pn is true "
            "(e 1, s 0, pn 0) (gtpu.yaml:N)",
            "not gtpu_psc: next_ext is 0xc0, not 0x85 (gtpu.yaml:N)",
            "next is gtpu_ext: e is 1 and next_ext is 0xc0 (not 0) (gtpu.yaml:N)",
            "byte 54: gtpu_ext, 4 bytes: 4 * len (len 1) (gtpu.yaml:N)",
            "byte 58: gtpu_psc, 4 bytes: 4 * len (len 1) (gtpu.yaml:N)",
            "not gtpu_psc: next_ext is 0x00, not 0x85 (gtpu.yaml:N)",
            "next is gtpu_user: gtpu.type is 255 (gtpu.yaml:N)",
            "byte 62: gtpu_user, hidden, without bytes (gtpu.yaml:N)",
            "next is ipv4: first is 0x45 (0x41/0xf1) (gtpu.yaml:N)",
            ": GTPU_IPV4_UDP (gtpu.yaml:N)",
            "matched: eth ipv4 udp gtpu gtpu_ext gtpu_psc ipv4 udp",
            "extracted: gtpu.teid 287454020 (into the mbuf), gtpu_psc.qfi 9",
            "hashed: inner.ipv4.src (gtpu.yaml:N) because gtpu_psc.pdu_type is 1 "
            "inner.ipv4.src 10.1.2.3, bytes 74 to 77 4 bytes: 0a010203 toeplitz: 0x",
        ])

    def test_a_field_that_counts_twice_is_shown_once(self):
        path = self.folder / "twice.yaml"
        path.write_text("profile: twice\nheaders:\n  one: {first: true, layout: 'n:4 m:4 _:8', "
                        "length: n + m * n}\n")
        self.assert_lines(self.explained(path, b"\x21" + bytes(9)), ["one, 4 bytes: n + m * n (n 2, m 1) ("])

    def test_only_questions_about_one_field_share_a_line(self):
        path = self.folder / "fields.yaml"
        path.write_text("profile: fields\nheaders:\n  one: {first: true, layout: 'x:8', next: two}\n"
                        "  two: {layout: 'x:8', next: three}\n  three:\n    layout: 'x:8'\n    next:\n" +
                        "".join(f"      - {{when: {{{field}: {value}}}, then: four}}\n" for field, value in
                                (("one.x", 1), ("two.x", 1), ("x", 1), ("x", 2))) +
                        "  four: {layout: 'x:8'}\n")
        self.assert_lines(self.explained(path, bytes(8)), [
            "not four: one.x is 0, not 1 (", ") not four: two.x is 0, not 1 (",
            ") x 0: not four (1, fields.yaml:N), four (2, fields.yaml:N) no rule applies"])

    def test_segment_routing(self):
        self.assert_lines(self.explained("srv6", SRV6), [
            "next is ipv6_ext: next_header is 43, its number in table ipv6_next (base.yaml:N)",
            "byte 54: ipv6_ext, 40 bytes: 8 + 8 * ext_length (ext_length 4) (base.yaml:N)",
            "next is ipv4: next_header is 4, its number in table ip_proto (",
            "matched: eth ipv6 ipv6_ext ipv4 udp",
        ])

    def test_what_is_wrong(self):
        whole = packet(eth(), ipv4(), udp(), DATA)
        self.assertIn("truncated: ipv4 takes 20 bytes, the packet has 6 more",
                      self.explained("base", whole[:20]))
        self.assertIn("malformed: ipv4 says it has 16 bytes: 4 * ihl (ihl 4), its own fields take 20",
                      self.explained("base", whole[:14] + b"\x44" + whole[15:]))
        self.assertIn("malformed: no valid ipv4, version is 5, not 4",
                      self.explained("base", whole[:14] + b"\x55" + whole[15:]))
        self.assertIn("a fragment: mf or frag_offset is true (mf 1, frag_offset 0)",
                      self.explained("base", packet(eth(), ipv4(mf=1), udp(), DATA)))
        self.assertIn("and so on: the walk ends after 64 headers",
                      self.explained("base", packet(eth(), *[vlan(1)] * 90, DATA)))

    def test_packets_that_are_not_there(self):
        capture = self.capture("three", [packet(eth(), ipv4(), tcp())] * 3)
        result = harness.ddpctl("explain", "base", capture, "-n", 4)
        self.assertEqual((result.returncode, result.stdout), (NO, ""))
        self.assertEqual(result.stderr,
                         f"ddpctl: {capture}: there is no packet 4, the last one is 3\n")
        cut = self.folder / "cut.pcap"
        cut.write_bytes(capture.read_bytes()[:-5])
        self.assertEqual(harness.ddpctl("explain", "base", cut, "-n", 2).returncode, GOOD)
        self.assertEqual(harness.ddpctl("explain", "base", cut, "-n", 3).returncode, UNREADABLE)
        for wrong in ("0", "-1", "x", ""):
            result = harness.ddpctl("explain", "base", capture, "-n", wrong)
            self.assertEqual(result.returncode, USAGE, wrong)


class New(harness.TestCase):
    def test_it_needs_no_standard_input(self):
        """Under some schedulers there is none, and the file's descriptor is 0."""
        folder = self.folder / "no standard input"
        folder.mkdir()
        harness.output_of("bash", "-c", 'exec "$0" new acme <&-', harness.tools["ddpctl"], cwd=folder)
        result = harness.ddpctl("check", "--strict", folder / "acme.yaml")
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""))

    def test_the_command_that_it_shows_can_be_copied(self):
        folder = self.folder / "it's $(touch run)`touch run`&"
        folder.mkdir()
        said = harness.output_of(harness.tools["ddpctl"], "new", "acme", "-o", folder / "acme.yaml",
                                 cwd=self.folder)
        command = said.strip().split(" and: ")[1]
        self.assertRegex(command, "^ddpctl check --strict ")
        harness.output_of("bash", "-c", command.replace("ddpctl", harness.tools["ddpctl"], 1),
                          cwd=self.folder)
        self.assertFalse((self.folder / "run").exists())

    def test_it_does_what_it_says(self):
        path = self.folder / "proto.yaml"
        harness.output_of(harness.tools["ddpctl"], "new", "proto", "-o", path, "--json")
        header = b"\1\0\0\0" + b"\0\0\0\7"  # IP behind it, id 7
        capture = self.capture("proto", [packet(eth(), ipv4(), udp(dport=port), header, *UE)
                                         for port in (50000, 50001)])
        lines = harness.classify(f"{path};port=50001", capture)
        self.assertEqual([line["ptype"] for line in lines], ["IPV4_UDP", "PROTO_IPV4_UDP"])
        self.assertEqual(lines[1]["fields"]["proto.id"], 7)
        lines = harness.classify(f"{path}:id", capture)
        self.assertEqual(lines[0]["fields"], {"proto.id": 7})

    def test_after_a_number_that_no_profile_knows(self):
        """Each name that advise prints begins a good profile, with the path to the header and the profiles it needs."""
        for after, name, path, requires in (
                ("gre(protocol=0x8200)", "gre-8200", "link ip gre gre_8200", "[base, gre]"),
                ("ethertype(0x88b5)", "ethertype-88b5", "link ethertype_88b5", "[base]"),
                ("ip_proto(253)", "ip_proto-253", "link ip ip_proto_253", "[base]"),
                ("udp(dport=4444)", "udp-4444", "link ip udp udp_4444", "[base]"),
                ("ppp_proto(0x99)", "ppp_proto-99", "link ppp ppp_proto_99", "[base, ppp]")):
            for options in ([], *([["--ip-at", at] for at in (1, 64, 0)] if name == "gre-8200" else [])):
                with self.subTest(after=after, options=options):
                    file = self.folder / f"{name}.yaml"
                    file.unlink(missing_ok=True)
                    result = harness.ddpctl("new", "--after", after, *options, cwd=self.folder)
                    self.assertEqual((result.returncode, result.stderr), (GOOD, ""))
                    text = file.read_text()
                    if options[1:] == [0]:  # no header; gre has packet types of IP in it
                        self.assertIn(f"  ip: {{after: {after}}}", text)
                    else:
                        self.assertIn(f"    path: {path} ipv4\n", text)
                    self.assertIn(f"requires: {requires} ", text)
                    result = harness.ddpctl("check", "--strict", file)
                    self.assertEqual((result.returncode, result.stderr), (GOOD, ""))

    def test_after_nothing(self):
        """One line says what is wrong, and no file is left."""
        for words, status, said in (
                (["--after", "gre"], USAGE, "'gre' is none of HEADER(FIELD=VALUE)"),
                (["--after", "gree(protocol=1)"], NO, "did you mean 'gre'?"),
                (["--after", "udp(dpot=1)"], NO, "did you mean 'dport'?"),
                (["--after", "udp(dport=)"], NO, "udp-"),
                (["acme", "--ip-at", 4], USAGE, "--ip-at needs --after"),
                ([], USAGE, "arguments missing: NAME")):
            with self.subTest(words=words):
                result = harness.ddpctl("new", *words, cwd=self.folder)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(said, result.stderr)
                self.assertEqual(list(self.folder.glob("udp-.yaml")) + list(self.folder.glob("udp-1.yaml")), [])

    def test_names_that_make_no_profile(self):
        """A file that is there stays, and has the profile's name."""
        path = self.folder / "acme.yaml"
        path.write_text("mine")
        for status, file, names in ((USAGE, "-", ("", "5g", "a b", "../x", "a_name_that_is_much_too_long_for_it")),
                                    (NO, "-", ("udp", "IPv4", "base", "link", "stop", "icmp6")), (NO, path, ["acme"]),
                                    (USAGE, self.folder / "other.yaml", ["acme"])):
            for name in names:
                result = harness.ddpctl("new", name, "-o", file)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (status, "", 1), name)
        self.assertEqual(path.read_text(), "mine")
        self.assertEqual(list(self.folder.glob("other*")), [])


class Schema(harness.TestCase):
    """The schema with which editors check a profile agrees with ddpctl."""

    def setUp(self):
        self.schema = json.loads(SCHEMA.read_text())
        try:
            import jsonschema
            import yaml
        except ImportError as error:
            self.skipTest(f"{error.name} is not installed")
        self.validator = jsonschema.Draft7Validator(self.schema)
        self.load = yaml.safe_load

    def test_every_profile_is_good(self):
        for path in sorted((harness.SOURCE_ROOT / "profiles").glob("**/*.yaml")):
            with self.subTest(path.name):
                errors = self.validator.iter_errors(self.load(path.read_text()))
                self.assertEqual([error.message for error in errors], [])

    def test_keys_that_are_none_are_refused(self):
        """A key renamed, at each place of a profile that has all kinds of them."""
        whole = self.load((harness.SOURCE_ROOT / "profiles" / "gtpu.yaml").read_text())
        places = [(), ("headers", "gtpu"), ("packet_types", "GTPU"), ("parameters", "port"),
                  ("headers", "gtpu", "next", 0), ("input_sets", "ue", "GTPU_IPV4*", 0)]
        for place in places:
            profile = copy.deepcopy(whole)
            node = profile
            for key in place:
                node = node[key]
            self.assertTrue(self.validator.is_valid(profile))
            key = next(iter(node))
            node["x" + key] = node.pop(key)
            with self.subTest(place=place):
                self.assertFalse(self.validator.is_valid(profile))

    def test_ddpctl_knows_each_key(self):
        """ddpctl may find fault with a value, never with the key."""
        definitions = self.schema["definitions"]
        keys = [("", key) for key in self.schema["properties"]]
        keys += [("headers", key) for key in definitions["header"]["properties"]]
        keys += [("packet_types", key) for key in definitions["packet_type"]["properties"]]
        for group, key in keys:
            path = self.folder / "keys.yaml"
            text = f"{key}: []\n" if group == "" else f"{group}:\n  x:\n    {key}: []\n"
            path.write_text(text if key == "profile" else f"profile: keys\n{text}")
            result = harness.ddpctl("check", path)
            with self.subTest(group=group, key=key):
                self.assertNotIn("unknown key", result.stderr)
                self.assertIn(result.returncode, (GOOD, NO))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
