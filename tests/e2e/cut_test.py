#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Captures with a short snaplen: a person who has such a capture gets the answers of the whole one, or one warning
at the top that says what is not known and which snaplen would do. Without it TCP in GTP-U would silently become
"GTPU_IPV4", and all flows of a UE would seem to be on one queue."""

import random

from support import harness
from packets import (DATA, eth, geneve, geneve_option, gre, gtpu, ipv4, ipv6, mpls, packet, ppp,
                     pppoe, psc, tcp, udp, vlan, vxlan)

QUEUES = 8
SNAPLENS = range(64, 257, 32)
SIZES = (0, 6, 200, 1200)  # of payloads: short packets are not cut


def address(draw):
    return ".".join(str(draw.randrange(1, 255)) for _ in range(4))


def end(draw):
    """The layers of a user's packet: IP, ports, data."""
    data = DATA + bytes(draw.choice(SIZES))
    ports = draw.randrange(1024, 65536), draw.choice((53, 80, 443, 8080))
    l4 = tcp(*ports) if draw.random() < 0.6 else udp(*ports)
    if draw.random() < 0.3:
        return ipv6(f"2001:db8::{draw.randrange(1, 65536):x}", "2001:db8::1"), l4, data
    return ipv4(address(draw), address(draw)), l4, data


def n3(draw):
    tunnel = [gtpu(draw.randrange(1, 9999))]
    if draw.random() < 0.8:
        tunnel = [gtpu(draw.randrange(1, 9999), ext=[psc(1, draw.randrange(64))])]
    tags = [vlan(draw.randrange(1, 4095))] if draw.random() < 0.3 else []
    outer = ipv6() if draw.random() < 0.3 else ipv4()
    return packet(eth(), *tags, outer, udp(2152, 2152), *tunnel, *end(draw))


def bng(draw):
    tags = [vlan(draw.randrange(1, 4095)) for _ in range(draw.randrange(3))]
    session = [pppoe(draw.randrange(1, 65536)), ppp()] if draw.random() < 0.8 else []
    return packet(eth(), *tags, *session, *end(draw))


def datacenter(draw):
    sport = draw.randrange(49152, 65536)
    tunnel = draw.choice(((),
                          (ipv4(), udp(sport), vxlan(draw.randrange(64)), eth()),
                          (ipv6(), udp(sport), vxlan(draw.randrange(64)), eth()),
                          (ipv4(), udp(sport), geneve(draw.randrange(64), geneve_option()), eth()),
                          (ipv4(), gre(key=draw.randrange(9))),
                          (mpls(draw.randrange(16, 9999)),)))
    return packet(eth(), *tunnel, *end(draw))


class Cut(harness.TestCase):
    def check(self, profile, build, others=()):
        """Each answer about a cut capture is that about the whole one, or has the warning."""
        draw = random.Random(profile)
        frames = [build(draw) for _ in range(200)]
        whole = self.answers(profile, self.capture(f"{profile}-whole", frames), others)
        self.assertIsNone(whole["warning"])
        n_warned = 0
        for snaplen in SNAPLENS:
            with self.subTest(profile=profile, snaplen=snaplen):
                path = self.cut(profile, frames, snaplen)
                found = self.answers(profile, path, others)
                self.check_packets(whole["packets"], found["packets"], profile)
                n_unknown = sum("cut" in packet for packet in found["packets"])
                self.assertEqual(n_unknown, found["unknown"])
                self.assertEqual(n_unknown > 0, found["classified"].startswith("warning: "))
                if found["warning"] is None:
                    self.assertEqual(found["spreads"], whole["spreads"])
                    self.assertNotIn("warning", found["text"])
                    continue
                n_warned += 1
                self.assertTrue(found["text"].startswith("warning: "), found["text"][:200])
                self.check_warning(found, frames, whole, profile, others)
        self.assertGreater(n_warned, 0, "no snaplen was too short: nothing was tested")
        self.assertLess(n_warned, len(SNAPLENS) / 2)

    def cut(self, profile, frames, snaplen):
        return self.capture(f"{profile}-{snaplen}", [(frame[:snaplen], len(frame)) for frame in frames])

    def check_packets(self, whole, found, profile):
        """A packet that is not marked is the same, but for how much of it was captured."""
        for one, other in zip(whole, found, strict=True):
            if "cut" not in other:
                self.assertEqual({**one, "len": None}, {**other, "len": None}, profile)

    def check_warning(self, found, frames, whole, profile, others):
        """The snaplen that it names is enough, and the share is that of the packets."""
        self.assertIn(f"A snaplen of {found['snaplen']} would do", found["warning"])
        if found["unknown"]:
            share = f"{100 * found['unknown'] / len(frames):.1f} % of the packets)"
            self.assertIn(f"{profile} ({share}", found["warning"])
        again = self.answers(profile, self.cut(profile, frames, found["snaplen"]), others)
        self.assertIsNone(again["warning"])
        self.assertEqual(again["spreads"], whole["spreads"])

    def answers(self, profile, path, others):
        words = [word for other in others for word in ("--with", other)]
        said = harness.simulate(profile, path, "--queues", QUEUES, *words)
        sides = [said, said["baseline"], *said["candidates"]]
        keys = ("packets", "queues", "ptypes", "hashes", "unhashed", "ues", "directions")
        result = {
            "spreads": [{key: side[key] for key in keys} for side in sides],
            "unknown": said["unknown"], "warning": said["warning"], "snaplen": said["snaplen"],
            "packets": harness.classify(profile, path, "--queues", QUEUES),
            "classified": harness.ddpctl("classify", profile, path).stdout,
            "text": harness.ddpctl("simulate", profile, path, "--queues", QUEUES, *words).stdout,
        }
        result["spreads"].append(said["flows"])
        return result

    def test_n3(self):
        self.check("gtpu", n3, ("gtpu:teid", "gtpu:ue", "e810-comms"))

    def test_bng(self):
        self.check("bng", bng, ("pppoe", "pppoe:session"))

    def test_data_center(self):
        self.check("datacenter", datacenter, ("vxlan:vni", "geneve", "gre", "mpls"))

    def test_intels_package(self):
        """The model of an 800-series NIC reads ahead: what it needs and lacks has a warning, too."""
        package = harness.intel_package("ice_comms-1.3.31.0.pkg")
        if not package.exists():
            self.skipTest("no packages: scripts/packages fetches them")
        draw, keys = random.Random(3), ("queues", "ptypes", "hashes", "unhashed")
        frames = [n3(draw) for _ in range(200)]
        whole = harness.simulate(package, self.capture("package-whole", frames), "--queues", QUEUES)
        n_warned = 0
        for snaplen in SNAPLENS:
            found = harness.simulate(package, self.cut("package", frames, snaplen), "--queues", QUEUES)
            n_warned += found["unknown"] > 0
            self.assertEqual(found["warning"] is not None, snaplen < 144)
            if found["warning"] is None:
                self.assertEqual([found[key] for key in keys], [whole[key] for key in keys], snaplen)
        self.assertIn(n_warned, range(1, len(SNAPLENS) // 2 + 1))

    def test_tcp_in_gtpu_stays_tcp(self):
        """tcpdump -s 96 on GTP-U: the ports were captured, not all of TCP's header."""
        frame = packet(eth(), ipv4(), udp(2152, 2152), gtpu(7, ext=[psc(1, 9)]), ipv4("10.0.0.1", "10.0.0.2"),
                       tcp(4000, 443), DATA)
        path = self.capture("gtpu-tcp", [(frame[:96], len(frame))])
        one, = harness.classify("gtpu", path)
        self.assertEqual((one["ptype"], one["status"]), ("GTPU_IPV4_TCP", "ok"))
        self.assertEqual(one["input"], "0a0000010a0000020fa001bb")
        text = harness.ddpctl("explain", "gtpu", path).stdout
        self.assertNotIn("warning", text)
        self.assertIn(f"96 of {len(frame)} bytes captured", text)
        one, = harness.classify("gtpu", path, "--as-captured")
        self.assertEqual((one["ptype"], one["status"]), ("GTPU_IPV4", "error"))
        text = harness.ddpctl("explain", "gtpu", self.capture("shorter", [(frame[:80], len(frame))])).stdout
        self.assertTrue(text.startswith(f"warning: only 80 of the packet's {len(frame)} bytes were captured."), text)

    def test_advise_and_report(self):
        """The warning is at the top of the advice, in its JSON, and in the report."""
        draw = random.Random(1)
        frames = [n3(draw) for _ in range(200)]
        report = self.folder / "report.html"
        text = harness.ddpctl("advise", self.cut("gtpu", frames, 64), "--report", report).stdout
        self.assertRegex(" ".join(text.split()), r"^warning: \S+ % of the packets were cut by the capture, which has at most 64 bytes")
        self.assertIn('"warning":"warning: ', report.read_text())
        text = harness.ddpctl("advise", self.cut("gtpu", frames, 256)).stdout
        self.assertNotIn("warning", text)

    def test_a_pipe(self):
        """A pipe cannot be read twice: the warning is at its end."""
        draw = random.Random(2)
        path = self.cut("gtpu", [n3(draw) for _ in range(20)], 64)
        with open(path, "rb") as file:
            text = harness.output_of(harness.tools["ddpctl"], "classify", "gtpu", "-", stdin=file)
        self.assertEqual(text.count("warning: "), 1)
        self.assertTrue(text.lstrip().startswith("N  TYPE"), text)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
