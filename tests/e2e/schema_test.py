#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl's JSON is as its schema files say: no key more, none of the required ones less.

ctl_port_test.py does the same for ddpctl port.
"""

import json
import re

from support import harness, schema

PACKAGES = ["ice-1.3.30.0.pkg", "ice_comms-1.3.31.0.pkg"]
BAD = "profile: bad\nrequires: [base]\nheaders:\n  bad: {after: udp(dport=77), layout: 'a:8', next: [{then: none}]}\n"
DROP = "pattern eth / ipv4 / udp dst is 2152 / end actions drop / end"


class Output(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--kind", "n3-up", "--ues", 5, "--packets-per-flow", 1)
        frames = harness.pcap_frames(cls.n3)
        cls.cut = cls.capture("cut", [(frame[:60], length) for frame, length in frames])
        cls.packages = [path for path in map(harness.intel_package, PACKAGES) if path.exists()]

    def said(self, name, *words, status=(0,)):
        """Runs ddpctl with --json, and checks what it says."""
        result = harness.ddpctl(name, "--json", *words, cwd=self.folder)
        self.assertIn(result.returncode, status, result.stderr)
        with self.subTest(name=name, words=words):
            schema.check(self, name, json.loads(result.stdout))

    def test_of_profiles(self):
        profiles = ["all", "e810-comms", "gtpu:ue;port=2153"]
        (self.folder / "bad.yaml").write_text(BAD)
        self.said("list")
        self.said("info", *profiles)
        self.said("check", "bad.yaml", "/nowhere.yaml", *profiles, status=(1, 3))
        self.said("graph", "all")
        self.said("new", "acme")
        self.said("diff", "gtpu", "5g-upf", status=(1,))
        self.said("diff", "ipip", "ipsec", status=(1,))
        self.said("diff", "gtpu", "gtpu")

    def test_of_packets(self):
        for capture in (self.n3, self.cut):
            self.said("classify", "gtpu:ue", capture)
            self.said("classify", "base", capture, "--rule", DROP)
            self.said("explain", "all", capture)
            self.said("explain", "e810-comms", capture)
            self.said("simulate", "gtpu", capture, "--with", "vxlan", "--rule", DROP, "--queues", 4, "--nic-now",
                      "--balance", "--load-mpps", 2, "--core-mpps", 1)
            self.said("simulate", "gtpu:ue", capture, "--memory", 100, "--window", 1)
            self.said("advise", capture, "--queues", 4, status=(0, 1))

    def test_of_plans(self):
        for words in (["gtpu"], ["vxlan", "--nic", "i40e"], ["e810-comms", "--nic", "ice-comms"],
                      ["gtpu", "--nic", "ice-comms", "--pcap", self.n3], ["base", "--nic", "mlx5", "--pcap", self.cut],
                      ["gtpu:ue", "--nic", "iavf"], ["gtpu", "--nic", "none"]):
            self.said("plan", *words)

    def test_of_packages(self):
        if len(self.packages) < len(PACKAGES):
            self.skipTest("no packages: scripts/packages gets them")
        self.said("info", *self.packages)
        self.said("info", "--ptypes", *self.packages)
        self.said("check", *self.packages)
        self.said("graph", self.packages[0])
        self.said("diff", *self.packages, status=(1,))
        for capture in (self.n3, self.cut):
            self.said("classify", self.packages[1], capture)
            self.said("explain", self.packages[1], capture)
            self.said("simulate", self.packages[1], capture)

    def test_each_command_has_a_schema(self):
        """And each schema is one that validators accept."""
        commands = re.findall(r"(?m)^  ([a-z]+) ", harness.ddpctl("--help").stdout)
        with_json = {name for name in commands if "--json" in harness.ddpctl(name, "--help").stdout}
        files = {path.name.removesuffix(".schema.json") for path in schema.FOLDER.iterdir()}
        self.assertEqual(files, with_json | {"port"})
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        for name in files:
            jsonschema.Draft202012Validator.check_schema(schema.load(name))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
