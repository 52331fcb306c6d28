#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A person with a capture and a hot core asks ddpctl what to do: the advice names the profile that helps, says so when
none is needed, and when nothing helps, why. numbers_test.py compares each number and decision with a calculator.
The truth about captures that are drawn by a seed (ADVICE_CAPTURES, default 1) is what `simulate` says with other keys."""

import collections
import json
import os
import random
import shlex
import statistics
import struct
import unittest

from support import harness
from packets import DATA, eth, gre, ipv4, packet, tcp, udp

QUEUES = 8
CASES = harness.SOURCE_ROOT.parent / "shared" / "cases"


class Advise(harness.TestCase):
    def advise(self, capture, *options, status=0):
        result = harness.ddpctl("advise", capture, "--json", "--queues", QUEUES, *options)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def text(self, capture, *options):
        return harness.ddpctl("advise", capture, "--queues", QUEUES, *options).stdout

    def hot(self):
        return self.traffic("--kind", "n3-up", "--ues", 300, "--flows", 4, "--packets-per-flow", 2)

    def test_the_advice_keeps_its_promise(self):
        """Each packet is on the queue that was promised, in text and JSON, of a file and of a pipe."""
        advice = self.advise(self.hot())
        self.assertEqual(advice["verdict"], "take")
        self.assertRegex(advice["profile"], "^gtpu:inner")
        self.assertIn(advice["profile"], advice["equal"])
        self.assertGreater(advice["simulation"]["baseline"]["imbalance"], 2)
        promised = next(c for c in advice["simulation"]["candidates"] if c["name"] == advice["profile"])
        self.assertLess(promised["imbalance"], 1.25)
        queues = collections.Counter(each["queue"] for each in
                                     harness.classify(advice["profile"], self.hot(), "--queues", QUEUES))
        self.assertEqual([queues[q] for q in range(QUEUES)], [q["packets"] for q in promised["queues"]])
        self.assertRegex(" ".join(advice["reasons"]),
                         r"A NIC may do it without net_ddp: .*ice-comms.* \(rules: ddpctl plan gtpu")
        text = self.text(self.hot())
        self.assertLessEqual(max(len(line) for line in text.splitlines() if line.startswith("    ")), 80, text)
        text = " ".join(text.replace("\\\n", "").split())
        for said in (advice["headline"], *advice["reasons"], *advice["commands"].values()):
            self.assertIn(" ".join(said.split()), text)
        with open(self.hot(), "rb") as file:
            piped = json.loads(harness.output_of(harness.tools["ddpctl"], "advise", "-", "--json", "--queues", QUEUES,
                                                 stdin=file))
        for key in ("verdict", "profile", "headline", "reasons"):
            self.assertEqual(advice[key], piped[key])

    def test_the_command_shows_what_was_promised(self):
        """The command to see each queue has the options that the answer depends on."""
        advice = self.advise(self.hot(), "--reta-size", 128, "--hash", "symmetric_toeplitz", "--rss-hf", "ip",
                             "--filter", "udp port 2152", "--count", 2000)
        words = shlex.split(advice["commands"]["simulate"])
        self.assertEqual(words[:3], ["ddpctl", "simulate", advice["profile"]])
        spread = json.loads(harness.output_of(harness.tools["ddpctl"], *words[1:], "--json"))
        for key in "packets", "queues", "imbalance":
            self.assertEqual(spread[key], advice["simulation"]["candidates"][[
                each["name"] for each in advice["simulation"]["candidates"]].index(advice["profile"])][key])

    def test_candidates(self):
        """One that is named is shown, once; one that stands in for a NIC only then."""
        result = self.text(self.hot(), "--with", "gtpu:ue", "--with", "base", "--with", "e810-comms")
        rows = [line.split()[0] for line in result.splitlines() if line]
        self.assertEqual([rows.count(name) for name in ("gtpu:ue", "base", "e810-comms")], [1, 1, 1], result)
        for name in "e810", "i40e":
            self.assertNotIn(name, json.dumps(self.advise(self.hot())["simulation"]))

    def test_no_profile_is_needed(self):
        advice = self.advise(self.traffic("--kind", "n6-up", "--ues", 3000, "--packets-per-flow", 2))
        self.assertEqual((advice["verdict"], advice["profile"], advice["commands"]), ("none needed", None, {}))

    def test_an_elephant(self):
        """One flow with most of the packets: nothing helps, and that flow is named. Data behind a port is no tunnel."""
        draw = random.Random(2)
        frames = [packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), udp(4000, 80), draw.randbytes(100)) for _ in range(900)]
        frames += [packet(eth(), ipv4("10.0.0.3", "10.0.0.2"), tcp(n, 80), DATA) for n in range(1000, 1100)]
        advice = self.advise(self.capture("elephant", frames), status=1)
        self.assertEqual(advice["verdict"], "nothing helps")
        self.assertIn("One flow has 90.0 % of the packets (10.0.0.1:4000 > 10.0.0.2:80, IPV4_UDP)",
                      " ".join(advice["reasons"]))
        self.assertIn("Nothing helps:", self.text(self.capture("elephant", frames)))

    def test_what_a_profile_cannot_do_and_load_aware_rss_can(self):
        """A capture too short to advise load-aware RSS: that nothing helps would be wrong."""
        frames = [packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), tcp(1000 + n, 80), DATA)
                  for n in range(1, 200) for _ in range(400 // n)]
        text = self.text(self.capture("short", frames))
        self.assertRegex(text, r"(?m)^No profile helps: on 8 queues")
        self.assertIn("Load-aware RSS (balance=on of net_ddp) brings", text)

    def test_a_known_tunnel_on_another_port(self):
        """The library's own profile is found by its parameter."""
        capture = self.hot()
        odd = self.folder / "odd.pcap"
        odd.write_bytes(capture.read_bytes().replace(struct.pack(">HH", 2152, 2152), struct.pack(">HH", 2153, 2153)))
        advice = self.advise(odd)
        self.assertEqual((advice["verdict"], advice["profile"]), ("take", "gtpu;port=2153"))
        self.assertEqual(advice["simulation"]["flows"]["number"],
                         self.advise(capture)["simulation"]["flows"]["number"])

    def test_what_no_profile_knows(self):
        """802.11 in GRE, as access points send it: the protocol is named, with the command that begins a profile, which
        helps."""
        draw = random.Random(1)
        flows = [(ipv4(f"10.37.0.{draw.randrange(256)}", f"203.0.113.{n % 256}"), tcp(draw.randrange(1024, 65536), 443))
                 for n in range(500)]
        frames = [packet(eth(), ipv4(), gre(protocol=0x8200), bytes.fromhex("88010000"), bytes(18),
                         n.to_bytes(4, "big"), bytes.fromhex("aaaa030000000800"), *flows[n % 500], DATA)
                  for n in range(2000)]
        capture = self.capture("wlan", frames)
        advice = self.advise(capture, status=1)
        self.assertEqual((advice["verdict"], advice["unread"]["after"]), ("unread", "gre(protocol=0x8200)"))
        self.assertEqual((advice["unread"]["packets"], advice["unread"]["ip_at"]), (2000, 34))
        text = self.text(capture)
        for never in ("Nothing helps", "One flow has", "no hash that keeps it whole"):
            self.assertNotIn(never, text)
        path = self.folder / f"{capture.stem}.yaml"
        harness.output_of(harness.tools["ddpctl"], *shlex.split(advice["commands"]["new"])[1:], capture.stem, "-o", path)
        harness.output_of(harness.tools["ddpctl"], "check", "--strict", path)
        advice = self.advise(capture, "--with", path)
        self.assertEqual((advice["verdict"], advice["profile"], advice["unread"]), ("take", str(path), None))
        self.assertEqual(advice["simulation"]["flows"]["number"], 500)

    @unittest.skipUnless(CASES.exists(), "no cases of users' reports")
    def test_cases_that_users_reported(self):
        """The advice names the profile, or the place of the header, that spreads the traffic."""
        advice = self.advise(CASES / "vxlan-8472.pcap")
        self.assertEqual((advice["verdict"], advice["profile"]), ("take", "vxlan;port=8472"))
        self.assertEqual(advice["simulation"]["candidates"][0]["hashes"], 64)
        for name in "own-tunnel-no-inner-checksum", "own-tunnel-dual-stack":
            advice = self.advise(CASES / f"{name}.pcap", status=1)
            self.assertEqual(advice["commands"]["new"], "ddpctl new --after 'udp(dport=9999)' --ip-at 12")
            self.assertEqual(advice["verdict"], "unread")
        said = " ".join(self.advise(CASES / "netflow-one-exporter.pcap", status=1)["reasons"])
        self.assertIn("no profile parts it", said)
        self.assertIn("what is behind udp.dport 2055 is not read", said)
        self.assertNotIn("only the sender", said)

    def test_few_packets_and_none(self):
        """Of a handful of packets "nothing helps" would be false: they say nothing."""
        advice = self.advise(self.capture("few", [packet(eth(), ipv4(), udp(4000, 53), DATA)] * 7))
        self.assertEqual(advice["verdict"], "too few packets")
        self.assertIn("7 for 8 queues", advice["headline"])
        advice = self.advise(self.capture("none", []))
        self.assertEqual((advice["verdict"], advice["reasons"]), ("no packets", []))

    def test_drawn_captures(self):
        """The advice is the most even candidate, or one within the range that was printed."""
        for seed in range(1, 1 + int(os.environ.get("ADVICE_CAPTURES", 1))):
            draw, truth = random.Random(seed), collections.defaultdict(list)
            capture = self.traffic("--kind", draw.choice(["n3-up", "n3-down", "mix"]), "--seed", seed, "--packets", 10000,
                                   "--ues", draw.choice([20, 200]), "--zipf", draw.choice([0.9, 1.1]), "--flows", 4)
            advice = self.advise(capture)
            sides = {side["name"]: side for side in advice["simulation"]["candidates"]}
            for _ in range(12):
                with_all = [word for name in sides for word in ("--with", name)]
                said = harness.simulate("base", capture, "--queues", QUEUES, "--key", draw.randbytes(52).hex(), *with_all)
                truth[None].append(said["baseline"]["imbalance"])
                for side in said["candidates"][1:]:
                    truth[side["name"]].append(side["imbalance"])
            sides[None] = advice["simulation"]["baseline"]
            truth = {name: statistics.median(values) for name, values in truth.items()}
            best = min(truth, key=truth.get)
            for name, value in truth.items():  # 12 keys have another median than 128
                keys = sides[name]["keys"]["imbalance"]
                self.assertTrue(keys["low"] * 0.97 <= value <= keys["high"] * 1.03, (seed, name, value, keys))
            self.assertLessEqual(truth[advice["profile"]],
                                 max(sides[best]["keys"]["imbalance"]["high"] * 1.01, truth[best] * 1.06), (seed, truth))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
