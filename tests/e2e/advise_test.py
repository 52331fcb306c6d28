#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A person with a capture and a hot core asks ddpctl what to do: the advice names the profile that helps and
keeps its promise in a data path, says so when none is needed, and when nothing helps, why and what would.

    advise_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import collections
import json
import os
import pathlib
import shlex
import signal
import struct
import subprocess

from support import harness, testpmd
from packets import DATA, esp, eth, ipv4, packet, tcp, udp, vxlan

QUEUES = 8


def setUpModule():
    testpmd.set_up_module()


class Advise(harness.TestCase):
    def advise(self, capture, *options, status=0):
        result = harness.ddpctl("advise", capture, "--json", *options)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def hot(self):
        return self.traffic("--kind", "n3-up", "--ues", 300, "--flows", 4, "--packets-per-flow", 2)

    def test_the_advice_keeps_its_promise(self):
        """testpmd with what was advised: each packet on the queue, with the hash, that was promised."""
        capture = self.hot()
        advice = self.advise(capture, "--queues", QUEUES)
        self.assertEqual(advice["verdict"], "take")
        self.assertRegex(advice["profile"], "^gtpu:inner")
        self.assertGreater(advice["simulation"]["baseline"]["imbalance"], 2)
        promised = next(each for each in advice["simulation"]["candidates"]
                        if each["name"] == advice["profile"])
        self.assertLess(promised["imbalance"], 1.25)

        player = testpmd.Player(capture)
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev(net_pcap0,rx_pcap={player.path.name}),"
                                     f"overflow=wait,profile={advice['profile']}"],
                              f"--rxq={QUEUES}", f"--txq={QUEUES}")
        pmd.commands("set fwd rxonly", "set verbose 1")
        seen = pmd.receive(player, promised["packets"])
        pmd.quit()
        found = harness.classify(advice["profile"], capture, "--queues", QUEUES)
        for each in seen:
            answer = each.answer()
            self.assertEqual((answer["queue"], answer["hash"]),
                             (found[each.n]["queue"], int(found[each.n]["hash"], 16)), each.n)
        queues = collections.Counter(each.answer()["queue"] for each in seen)
        self.assertEqual([queues[q] for q in range(QUEUES)],
                         [q["packets"] for q in promised["queues"]])

    def test_the_same_from_a_pipe(self):
        """What can be read only once gets the same advice."""
        capture = self.hot()
        expected = self.advise(capture, "--queues", QUEUES)
        with open(capture, "rb") as file:
            advice = json.loads(harness.output_of(harness.tools["ddpctl"], "advise", "-", "--json",
                                                  "--queues", QUEUES, stdin=file))
        for key in ("verdict", "profile", "both_directions", "headline", "reasons"):
            self.assertEqual(advice[key], expected[key])

    def test_fields(self):
        """Entropy is that of the values in the packets."""
        capture = self.hot()
        fields = {(each["ptype"], each["field"]): each for each in self.advise(capture)["fields"]}
        values = collections.defaultdict(collections.Counter)
        for each in harness.classify("gtpu", capture):
            for name, value in each["fields"].items():
                values[each["ptype"], name][value] += 1
        self.assertGreater(len(values), 10)
        for key, counter in values.items():
            n = sum(counter.values())
            self.assertEqual((fields[key]["packets"], fields[key]["values"]), (n, len(counter)), key)
            self.assertAlmostEqual(fields[key]["hottest"], max(counter.values()) / n, places=6)
            self.assertAlmostEqual(fields[key]["entropy"], harness.entropy(counter.values()),
                                   places=5)

    def test_no_profile_is_needed(self):
        capture = self.traffic("--kind", "n6-up", "--ues", 300, "--flows", 4,
                               "--packets-per-flow", 2)
        advice = self.advise(capture, "--queues", 4)
        self.assertEqual((advice["verdict"], advice["profile"]), ("none needed", None))
        self.assertEqual(advice["commands"], {})

    def test_an_elephant(self):
        """One flow with most of the packets: nothing helps, and that flow is named."""
        frames = [packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), tcp(4000, 80), DATA)] * 900
        frames += [packet(eth(), ipv4("10.0.0.3", "10.0.0.2"), tcp(n, 80), DATA)
                   for n in range(1000, 1100)]
        advice = self.advise(self.capture("elephant", frames), "--queues", 8, status=1)
        self.assertEqual(advice["verdict"], "nothing helps")
        self.assertIn("One flow has 90.0 % of the packets (10.0.0.1:4000 > 10.0.0.2:80, IPV4_TCP)",
                      " ".join(advice["reasons"]))
        text = harness.ddpctl("advise", self.capture("elephant", frames), "--queues", 8).stdout
        self.assertIn("Nothing helps:", text)
        pings = [packet(eth(), ipv4("10.0.0.1", "10.0.0.2", proto=1), b"\x08\0" + DATA)] * 90 + frames[900:910]
        advice = self.advise(self.capture("pings", pings), "--queues", 8, status=1)
        self.assertTrue(any("(10.0.0.1 > 10.0.0.2, " in reason for reason in advice["reasons"]), advice["reasons"])

    def test_a_flow_in_many_tunnels(self):
        """The same addresses in each tenant's network: what tells tenants apart is no elephant's end."""
        inner = packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), udp(4000, 53), DATA)
        frames = [packet(eth(), ipv4(), udp(), vxlan(n % 64), inner) for n in range(640)]
        capture = self.capture("tenants", frames)
        advice = self.advise(capture, "--queues", 8)
        self.assertEqual(advice["profile"], "vxlan:vni")
        text = harness.ddpctl("simulate", "vxlan:vni", capture, "--queues", 8).stdout
        self.assertIn("no hash that keeps it whole can do better than imbalance 8.000", text)

    def test_the_command_shows_what_was_promised(self):
        """The command to see each queue has the options that the answer depends on."""
        capture = self.hot()
        options = ["--queues=8", "--reta-size", 128, "--hash", "symmetric_toeplitz",
                   "--rss-hf", "ip", "--filter", "udp port 2152", "--count", 2000,
                   "--with", "gtpu:teid"]
        advice = self.advise(capture, *options)
        words = shlex.split(advice["commands"]["simulate"])
        self.assertEqual(words[:3], ["ddpctl", "simulate", advice["profile"]])
        spread = json.loads(harness.output_of(harness.tools["ddpctl"], *words[1:], "--json"))
        self.assertEqual((len(spread["candidates"]), spread["packets"]), (1, 2000))
        self.assertIn(f"With the key of this run it is {spread['imbalance']:.3f}, without a profile "
                      f"{spread['baseline']['imbalance']:.3f}.", " ".join(advice["reasons"]))

    def test_a_library_too_large_to_try_all_of_it(self):
        """What is left out is said, and the rest is tried."""
        for n in range(130):
            (self.folder / f"empty{n}.yaml").write_text(
                f"profile: empty{n}\nversion: 1.0.0\nsummary: n\nrequires: [vlan]\n")
        capture = self.hot()
        with open(capture, "rb") as file:
            result = subprocess.run([harness.tools["ddpctl"], "advise", "-", "--json"], stdin=file,
                                    env=os.environ | {"DDP_PROFILE_PATH": str(self.folder)},
                                    capture_output=True, text=True, timeout=60)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assertIn("not tried", result.stderr)
        self.assertTrue(json.loads(result.stdout)["verdict"])

    def test_interrupted_while_it_looks_around(self):
        """Ctrl-C at any time: the advice is on what was read until then."""
        capture = self.traffic("--kind", "n3-up", "--packets", 600000, "--snaplen", 96)
        process = subprocess.Popen([harness.tools["ddpctl"], "advise", capture, "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while int(pathlib.Path(f"/proc/{process.pid}/io").read_text().split()[1]) < 6e6:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        spread = json.loads(out)["simulation"]
        self.assertTrue(spread["partial"])
        self.assertIn(b"interrupted after %d packets" % spread["packets"], err)
        self.assertLess(spread["packets"], 600000)
        self.assertGreater(spread["packets"], 0)

    def test_people_are_told_the_same(self):
        """The text has what the JSON has."""
        arp = packet(eth(type=0x0806), b"\0" * 28)
        for capture in (self.hot(), self.capture("arp", [arp] * 10)):
            with self.subTest(capture.name):
                result = harness.ddpctl("advise", capture, "--queues", QUEUES)
                advice = self.advise(capture, "--queues", QUEUES, status=result.returncode)
                text = " ".join(result.stdout.split())
                for said in (advice["headline"], *advice["reasons"], *advice["commands"].values()):
                    self.assertIn(" ".join(said.split()), text)
                self.assertEqual("what fields say" in text, advice["fields"] != [])

    def test_an_opaque_tunnel(self):
        """ESP of one security association: what would help is said."""
        frames = [packet(eth(), ipv4(), esp(7, n), DATA)
                  for n in range(1, 500)]
        advice = self.advise(self.capture("esp", frames), status=1)
        self.assertEqual(advice["verdict"], "nothing helps")
        self.assertTrue(any("RFC 9611" in reason for reason in advice["reasons"]), advice["reasons"])

    def test_a_profile_of_ones_own(self):
        """--with: what knows the tunnel at an odd port wins over the library."""
        capture = self.hot()
        data = bytearray(capture.read_bytes())
        data = data.replace(struct.pack(">HH", 2152, 2152), struct.pack(">HH", 2153, 2153))
        odd = self.folder / "odd.pcap"
        odd.write_bytes(data)
        self.assertEqual(self.advise(odd, "--queues", QUEUES, status=1)["verdict"], "nothing helps")
        advice = self.advise(odd, "--queues", QUEUES, "--with", "gtpu;port=2153")
        self.assertEqual(advice["profile"], "gtpu;port=2153")

    def test_nothing_to_advise_on(self):
        advice = self.advise(self.capture("none", []))
        self.assertEqual((advice["verdict"], advice["reasons"]), ("no packets", []))
        result = harness.ddpctl("advise", "/nowhere.pcap")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
