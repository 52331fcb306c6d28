#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A person with a capture and a hot core asks ddpctl what to do: the advice names the profile that helps and
keeps its promise in a data path, says so when none is needed, and when nothing helps, why and what would.

    advise_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import collections
import json
import os
import pathlib
import random
import shlex
import signal
import struct
import subprocess
import unittest

from support import harness, testpmd
from packets import DATA, esp, eth, gre, ipv4, packet, tcp, udp, vxlan

QUEUES = 8
CASES = harness.SOURCE_ROOT.parent / "shared" / "cases"
ARUBA = harness.SOURCE_ROOT.parent / "shared" / "captures" / "gre-aruba.pcap"


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

    def test_what_a_profile_cannot_do_and_load_aware_rss_can(self):
        """A capture too short to advise load-aware RSS: that nothing helps would be wrong."""
        frames = [packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), tcp(1000 + n, 80), DATA)
                  for n in range(1, 200) for _ in range(400 // n)]
        text = harness.ddpctl("advise", self.capture("short", frames), "--queues", 4).stdout
        self.assertRegex(text, r"(?m)^No profile helps: on 4 queues")
        self.assertIn("Load-aware RSS (balance=on of net_ddp) brings", text)

    def test_a_flow_in_many_tunnels(self):
        """The same addresses in each tenant's network: what tells tenants apart is no elephant's end."""
        inner = packet(eth(), ipv4("10.0.0.1", "10.0.0.2"), udp(4000, 53), DATA)
        frames = [packet(eth(), ipv4(), udp(), vxlan(n % 64), inner) for n in range(640)]
        capture = self.capture("tenants", frames)
        advice = self.advise(capture, "--queues", 8)
        self.assertEqual(advice["profile"], "vxlan:vni")
        text = harness.ddpctl("simulate", "vxlan:vni", capture, "--queues", 8).stdout
        self.assertIn("flows: 64 (hashes of vxlan:vni), the largest has 1.56% of the packets", text)
        self.assertNotIn("8.000", text.split("flows: ")[1])

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

    def test_a_known_tunnel_on_another_port(self):
        """The library's own profile is found by its parameter, also for both directions of a UE."""
        capture = self.hot()
        data = bytearray(capture.read_bytes())
        data = data.replace(struct.pack(">HH", 2152, 2152), struct.pack(">HH", 2153, 2153))
        odd = self.folder / "odd.pcap"
        odd.write_bytes(data)
        advice = self.advise(odd, "--queues", QUEUES)
        self.assertEqual((advice["verdict"], advice["profile"]), ("take", "gtpu;port=2153"))
        self.assertIn("gtpu:ue;port=2153", [c["name"] for c in advice["simulation"]["candidates"]])
        self.assertEqual(advice["simulation"]["flows"]["number"],
                         self.advise(capture, "--queues", QUEUES)["simulation"]["flows"]["number"])

    def wlan(self, n_flows):
        """802.11 in GRE, as access points send it: no profile of the library reads it."""
        draw = random.Random(1)
        flows = [(ipv4(f"10.37.0.{draw.randrange(256)}", f"203.0.113.{n % 256}"), tcp(draw.randrange(1024, 65536), 443))
                 for n in range(n_flows)]
        return [packet(eth(), ipv4(), gre(protocol=0x8200), bytes.fromhex("88010000"), bytes(18),
                       n.to_bytes(4, "big"), bytes.fromhex("aaaa030000000800"), *flows[n % n_flows], DATA)
                for n in range(2000)]

    def test_what_no_profile_knows(self):
        """It is named, with what lies behind it, and with the command that begins a profile; that profile helps."""
        capture = self.capture("wlan", self.wlan(500))
        advice = self.advise(capture, status=1)
        unread = advice["unread"]
        self.assertEqual((advice["verdict"], unread["after"]), ("unread", "gre(protocol=0x8200)"))
        self.assertEqual((unread["packets"], unread["sampled"]), (2000, 2000))
        self.assertEqual((unread["ip_at"], unread["ip_version"], unread["ip_packets"]), (34, 4, 2000))
        behind = [frame[38:102] for frame, _ in harness.pcap_frames(capture)]
        for i, bits in enumerate(unread["entropy"]):
            counts = collections.Counter(data[i] for data in behind if i < len(data))
            self.assertAlmostEqual(bits, harness.entropy(counts.values()), places=4, msg=i)
        self.assertEqual(unread["varying"], sum(bits >= 0.1 for bits in unread["entropy"]))
        text = harness.ddpctl("advise", capture).stdout
        for said in ("2000 of 2000 packets end at gre.protocol 0x8200, which no profile reads",
                     "bytes behind gre.protocol 0x8200, entropy of each in bits:",
                     "behind gre.protocol 0x8200 they are not told apart"):
            self.assertIn(said, " ".join(text.split()))
        for never in ("Nothing helps", "One flow has", "no hash that keeps it whole"):
            self.assertNotIn(never, text)
        harness.output_of("bash", "-c", advice["commands"]["new"].replace("ddpctl", harness.tools["ddpctl"], 1),
                          cwd=self.folder)
        written = self.folder / "gre-8200.yaml"
        harness.output_of(harness.tools["ddpctl"], "check", "--strict", written)
        better = self.advise(capture, "--with", written)
        self.assertEqual((better["verdict"], better["profile"]), ("take", str(written)))
        self.assertEqual((better["unread"], better["simulation"]["flows"]["number"]), (None, 500))
        self.assertFalse(any("no profile reads" in reason for reason in better["reasons"]))

    @unittest.skipUnless(ARUBA.exists(), "no real captures")
    def test_what_no_profile_knows_in_a_real_capture(self):
        """An access point's traffic: the 23 flows behind GRE are found, and never called one."""
        advice = self.advise(ARUBA, status=1)
        self.assertEqual((advice["verdict"], advice["unread"]["packets"]), ("unread", 2407))
        self.assertEqual((advice["unread"]["after"], advice["unread"]["ip_at"]), ("gre(protocol=0x8200)", 34))
        words = shlex.split(advice["commands"]["new"])[1:]
        path = self.folder / "aruba.yaml"
        harness.output_of(harness.tools["ddpctl"], *words, "aruba", "-o", path)
        harness.output_of(harness.tools["ddpctl"], "check", "--strict", path)
        advice = self.advise(ARUBA, "--with", path)
        self.assertEqual((advice["profile"], advice["simulation"]["flows"]["number"]), (str(path), 23))
        self.assertLess(advice["simulation"]["candidates"][0]["keys"]["imbalance"]["median"], 6)

    @unittest.skipUnless(CASES.exists(), "no cases of users' reports")
    def test_cases_that_users_reported(self):
        """What would a user lose? The name of the profile, or the place of the header, that spreads the traffic."""
        advice = self.advise(CASES / "vxlan-8472.pcap", "--queues", "8")
        self.assertEqual((advice["verdict"], advice["profile"]), ("take", "vxlan;port=8472"))
        self.assertEqual(advice["simulation"]["candidates"][0]["hashes"], 64)
        for name, versions in ("own-tunnel-no-inner-checksum", 4), ("own-tunnel-dual-stack", None):
            with self.subTest(capture=name):
                advice = self.advise(CASES / f"{name}.pcap", "--queues", "8", status=1)
                self.assertEqual(advice["commands"]["new"], "ddpctl new --after 'udp(dport=9999)' --ip-at 12")
                self.assertEqual((advice["verdict"], advice["unread"]["ip_version"]), ("unread", versions))
        advice = self.advise(CASES / "netflow-one-exporter.pcap", "--queues", "8", status=1)
        said = " ".join(advice["reasons"])
        self.assertIn("no profile parts it", said)
        self.assertIn("what is behind udp.dport 2055 is not read", said)
        self.assertNotIn("only the sender", said)

    def test_a_candidate_that_is_named_is_shown(self):
        """Also one that is equal to a simpler one, and once."""
        result = harness.ddpctl("advise", self.hot(), "--with", "gtpu:ue", "--with", "base")
        rows = [line.split()[0] for line in result.stdout.splitlines() if line]
        self.assertEqual((rows.count("gtpu:ue"), rows.count("base")), (1, 1), result.stdout)

    def test_nics_that_need_no_software_are_named(self):
        reasons = " ".join(self.advise(self.hot())["reasons"])
        self.assertRegex(reasons, r"A NIC may do it without net_ddp: .*ice-comms.* \(rules: ddpctl plan gtpu")

    def test_a_large_flow_to_an_odd_port_is_no_tunnel(self):
        """Bytes that differ are data as well: only an IP header behind UDP is a reason to write a profile."""
        draw = random.Random(2)
        frames = [packet(eth(), ipv4(), udp(4000, 5004), draw.randbytes(100)) for _ in range(500)]
        advice = self.advise(self.capture("media", frames), status=1)
        self.assertEqual(advice["verdict"], "nothing helps")
        self.assertTrue(any("One flow has 100.0 %" in reason for reason in advice["reasons"]))

    def test_few_packets_say_little(self):
        """Of a handful of packets "nothing helps" would be false: they say nothing."""
        frames = [packet(eth(), ipv4(), udp(4000, 53), DATA)] * 7
        advice = self.advise(self.capture("few", frames))
        self.assertEqual(advice["verdict"], "too few packets")
        self.assertIn("7 for 16 queues", advice["headline"])
        frames += [packet(eth(), ipv4(), udp(4000, 53), DATA)] * 93
        advice = self.advise(self.capture("more", frames), status=1)
        self.assertEqual(advice["verdict"], "nothing helps")
        self.assertIn("The capture has 100 packets for 16 queues", advice["reasons"][0])

    def test_nothing_to_advise_on(self):
        advice = self.advise(self.capture("none", []))
        self.assertEqual((advice["verdict"], advice["reasons"]), ("no packets", []))
        result = harness.ddpctl("advise", "/nowhere.pcap")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
