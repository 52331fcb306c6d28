#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Text of others in ddpctl's output neither drives the terminal nor looks like a line of ours."""

import json
import os
import struct
import subprocess
import unicodedata

import hostile_test
from support import exporter, harness
from packets import DATA, eth, ipv4, packet, pcap, udp

FORGED = "ice.pkg: OK"
# ESC, a line of its own, C1's CSI, directions, separators of lines and paragraphs, bytes that are no UTF-8
HOSTILE = f"\x1b[2J\n{FORGED}\r\u009b31m\u202e\u2066\u200f\u061c\u2028\u2029\x7f"
IN_YAML = json.dumps(HOSTILE)
BAD_BYTES = b"\xff\x9b\xe2\x80"

PROFILES = {
    "summary": f"profile: NAME\nsummary: {IN_YAML}\nrequires: [base]\n"
               f"packet_types:\n  T: {{path: eth ipv4 udp, priority: 1, summary: {IN_YAML}}}\n",
    "key": f"profile: NAME\n{IN_YAML}: 1\n",
    "header": f"profile: NAME\nheaders: {{{IN_YAML}: {{layout: 'a:8'}}}}\n",
    "requires": f"profile: NAME\nrequires: [{IN_YAML}]\n",
    "version": f"profile: NAME\nversion: {IN_YAML}\nrequires: [base]\n",
    "name": f"profile: {IN_YAML}\n",
    "layout": f"profile: NAME\nheaders: {{h: {{layout: {IN_YAML}}}}}\n",
    "path": f"profile: NAME\nrequires: [base]\npacket_types: {{T: {{path: {IN_YAML}}}}}\n",
}


def package(name):
    identity = struct.pack("<4B28sI", 1, 3, 30, 0, name[:28], 0xc0000002)
    buffer = struct.pack("<HHIHH", 1, 12 + len(identity), 1, 12, len(identity)) + identity
    buffer = buffer.ljust(4096, b"\0")
    header = struct.pack("<I4BI32s", 0x10, 1, 0, 0, 0, 56 + len(buffer), name[:28])
    return struct.pack("<4BII", 1, 0, 0, 0, 1, 12) + header + struct.pack("<III", 0, 0, 1) + buffer


class Terminal(harness.TestCase):
    def harmless(self, *words, env=None):
        """Run it; what it writes shows itself, and no line is another's. Returns all of it."""
        result = subprocess.run(list(map(str, words)), capture_output=True, check=False,
                                stdin=subprocess.DEVNULL, timeout=harness.TIMEOUT, env=env)
        self.assertGreaterEqual(result.returncode, 0, words)
        text = (result.stdout + result.stderr).decode()  # or it fails
        for char in text:
            if char not in "\n\t":  # HOSTILE has none
                self.assertNotIn(unicodedata.category(char), ("Cc", "Cf", "Zl", "Zp"),
                                 f"{words}: {text!r}")
        for line in text.splitlines():
            self.assertFalse(line.startswith(FORGED), f"{words}: {text!r}")
        return text

    def check_all(self, *words, env=None):
        """As text and as JSON."""
        tool = harness.tools["ddpctl"]
        text = self.harmless(tool, *words, env=env)
        said = self.harmless(tool, *words, "--json", env=env)
        lines = said.splitlines()
        if lines and lines[0][0] in "[{":
            json.loads(lines[0])
        return text

    def test_profiles(self):
        for name, text in PROFILES.items():
            file = self.folder / f"{name}.yaml"
            file.write_text(text.replace("NAME", name))
            for command in ("check", "info", "graph"):
                with self.subTest(f"{command} {name}"):
                    self.check_all(command, file)
            self.check_all("diff", file, "gtpu")
            self.check_all("plan", file, "--nic", "ice-comms")
        self.assertIn("\\x1b[2J\\x0a" + FORGED, self.check_all("info", self.folder / "summary.yaml"))

    def test_bytes_that_are_no_text(self):
        file = self.folder / "bytes.yaml"
        file.write_bytes(b"profile: bytes\nsummary: " + BAD_BYTES + b"\n")
        self.check_all("check", file)
        self.check_all("info", file)

    def test_names_of_files(self):
        folder = self.folder / HOSTILE
        folder.mkdir()
        file = folder / "x.yaml"
        file.write_text(PROFILES["summary"].replace("NAME", "x"))
        capture = folder / "x.pcap"
        capture.write_bytes(pcap([packet(eth(), ipv4(), udp(), DATA)]))
        broken = folder / "broken.pcap"
        broken.write_bytes(b"not a capture")
        rules = folder / "rules"
        rules.write_text("flow create 0 " + HOSTILE)
        report = folder / "none" / "report.html"
        for words in (("check", file), ("info", file), ("graph", file), ("check", folder / "none.yaml"),
                      ("classify", file, capture), ("explain", file, capture),
                      ("explain", file, capture, "-n", "9"), ("classify", file, broken),
                      ("simulate", file, capture), ("simulate", file, broken), ("advise", capture),
                      ("simulate", file, capture, "--with", folder / "none.yaml"),
                      ("simulate", file, capture, "--report", report),
                      ("classify", file, capture, "--rule", f"@{rules}"),
                      ("classify", file, capture, "--rule", HOSTILE),
                      ("classify", file, capture, "--filter", HOSTILE),
                      ("classify", file, capture, "--hash", HOSTILE),
                      ("new", "x", "-o", file), ("new", HOSTILE), ("new", "y", "-o", folder / "y.yaml"),
                      ("plan", file, "--nic", "i40e"), ("diff", file, folder / "none.yaml"),
                      ("plan", file, "--nic", "i40e", "--package", file),
                      ("port", "list", "--file-prefix", HOSTILE.replace("/", "")),
                      (HOSTILE,), ("check", "--" + HOSTILE)):
            with self.subTest(words):
                self.check_all(*words)

    def test_profiles_that_are_found_by_name(self):
        folder = self.folder / "found"
        folder.mkdir()
        for name in (HOSTILE, "a"):
            (folder / f"{name}.yaml").write_text(PROFILES["summary"].replace("NAME", "a"))
        (folder / "b.yaml").write_text(PROFILES["version"].replace("NAME", "b"))
        text = self.check_all("list", env={**os.environ, "DDP_PROFILE_PATH": str(folder)})
        self.assertIn("\\x1b[2J\\x0a", text)

    def test_rules_of_a_file(self):
        capture = self.folder / "rules.pcap"
        capture.write_bytes(pcap([packet(eth(), ipv4(), udp(), DATA)]))
        rules = self.folder / "rules"
        for line in (HOSTILE, f"flow create 0 ingress pattern {HOSTILE} / end actions drop / end",
                     f"flow create 0 ingress pattern eth / end actions {HOSTILE} / end",
                     f"flow create 0 ingress pattern eth type is {HOSTILE} / end actions drop / end"):
            with self.subTest(line):
                rules.write_text(line)
                self.check_all("classify", "gtpu", capture, "--rule", f"@{rules}")
                self.check_all("classify", "gtpu", capture, "--rule", line)

    def test_packages(self):
        for name in (HOSTILE.encode(), BAD_BYTES):
            file = self.folder / "ice.pkg"
            file.write_bytes(package(name))
            for command in ("check", "info"):
                self.check_all(command, file)
            self.check_all("diff", file, "gtpu")
            self.check_all("plan", "gtpu", "--nic", "i40e", "--package", file)

    def test_answers_of_a_process(self):
        def hostile(value):
            if isinstance(value, dict):
                return {key: hostile(member) for key, member in value.items()}
            return [hostile(member) for member in value] if isinstance(value, list) else \
                HOSTILE if isinstance(value, str) else value

        answers = hostile(hostile_test.GOOD)
        answers["/net_ddp/info"][HOSTILE] = HOSTILE
        del answers["/net_ddp/profile_set"]
        exporter.Process(self, "rte", lambda command: exporter.answer(
            name := command.split(",")[0], answers.get(name, {"ok": 0, "error": HOSTILE})))
        env = {**os.environ, "RUNTIME_DIRECTORY": str(self.folder)}
        shown = self.check_all("port", "show", "0", env=env)
        self.assertIn("\\x1b[2J\\x0a" + FORGED, shown)
        for words in hostile_test.COMMANDS:
            with self.subTest(words):
                self.check_all(*words, env=env)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
