#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What ddpctl plan says of every profile of the library on every kind of NIC.

    plan_test.py path/to/ddpctl path/to/profiles [--update]

plan.expected has a paragraph for each profile and its input sets: what is not in software, how many rules that takes,
and for gtpu why. --update writes it anew: read every line that changes, for each is a claim about a NIC.
"""

import difflib
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "plan.expected")
NICS = "generic i40e iavf ice-comms ice-os mlx5 net_ddp none".split()
SETS = ["gtpu:inner-ip", "gtpu:outer", "gtpu:teid", "gtpu:ue", "gtpu;port=2153", "vxlan;port=8472", "vxlan:outer"]

ddpctl = None
profiles = None
update = False


def plan(spec, nic):
    env = dict(os.environ, DDP_PROFILE_PATH=profiles)
    run = subprocess.run([ddpctl, "plan", "--json", "--nic", nic, spec], env=env, capture_output=True,
                         text=True, timeout=60)
    if run.returncode != 0:
        raise AssertionError(f"plan {spec} --nic {nic}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def short(names):
    """IPV4_UDP IPV4_TCP IPV6_TCP -> IPV4_{UDP,TCP} IPV6_TCP"""
    stems = {}
    for name in names:
        stem, _, last = name.rpartition("_")
        stems.setdefault(stem, []).append(last)
    return " ".join((stem + "_" if stem else "") +
                    (lasts[0] if len(lasts) == 1 else "{" + ",".join(lasts) + "}")
                    for stem, lasts in stems.items())


def lines(spec):
    yield spec
    for nic in NICS:
        found = plan(spec, nic)
        asked = (["rss_hf"] if found["rss_hf"] else []) + [f"{found['rules']} rules"]
        yield f"  {nic}: " + ", ".join(asked + [f"{t['header']} {t['port']}" for t in found["tunnels"]])
        for where in "hardware", "partly":
            names = [t["name"] for t in found["packet_types"] if t["where"] == where]
            if names:
                yield f"    {where} {short(names)}"
        if spec == "gtpu":
            for t in found["packet_types"]:
                yield f"      {t['name']}: {t['where']}: {t['why']}"


class Plan(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_as_expected(self):
        names = sorted(f[:-5] for f in os.listdir(profiles) if f.endswith(".yaml"))
        text = "\n".join(line for spec in names + SETS for line in lines(spec)) + "\n"
        if update:
            with open(EXPECTED, "w", encoding="utf-8") as file:
                file.write(text)
        with open(EXPECTED, encoding="utf-8") as file:
            expected = file.read()
        diff = difflib.unified_diff(expected.splitlines(), text.splitlines(), "plan.expected", "now",
                                    lineterm="")
        self.assertEqual(text, expected, "\n" + "\n".join(diff))

    def test_a_kind_nobody_knows_is_refused(self):
        run = subprocess.run([ddpctl, "plan", "base", "--nic", "e1000"], capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, "e1000.*ice-comms")

    def test_the_kind_has_to_be_given(self):
        run = subprocess.run([ddpctl, "plan", "base"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--nic", run.stderr)

    def test_the_table_for_people_has_the_commands(self):
        run = subprocess.run([ddpctl, "plan", "gtpu", "--nic", "ice-comms"], capture_output=True, text=True,
                             timeout=60, env=dict(os.environ, DDP_PROFILE_PATH=profiles))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("GTPU_IPV4_TCP   hardware", run.stdout)
        self.assertIn("flow create 0 ingress pattern eth / ipv4 / udp / gtpu / ipv4 / end actions rss "
                      "types ipv4 end key_len 0 queues end / end", run.stdout)
        raw = re.search("raw pattern spec ([0-9a-f]+) pattern mask ([0-9a-f]+) ", run.stdout)
        self.assertEqual(len(raw.group(1)), len(raw.group(2)))
        self.assertIn("ethtool -N eth0 rx-flow-hash tcp4 sdfn", run.stdout)


if __name__ == "__main__":
    ddpctl, profiles = sys.argv[1:3]
    update = "--update" in sys.argv
    unittest.main(argv=sys.argv[:1])
