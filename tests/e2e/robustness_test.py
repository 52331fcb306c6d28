#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl on packets that somebody damaged: it never crashes, never claims what is not in the packet, and what it prints
stays well-formed. Most use with sanitizers. Damaged captures: ctl/capture_test.c; damaged profiles: mutation_test.py.

Hashes: the judge. Everything is drawn from SEED: a failure is there again in the next run. DDP_DAMAGED=100000 in
the environment tries more packets (minutes)."""

import json
import os
import random

from support import harness, odd_frames
from support.odd_frames import LONG, MADE
from packets import eth, hopopts, ipv6, ipv6_ext, packet, udp
from tshark import AT_LEAST

SEED = 20260101
N_DAMAGED = int(os.environ.get("DDP_DAMAGED", 2000))  # packets of a profile
QUEUES = 16
HEAD = 128  # bytes from a packet's start that are worth damaging

LEAST_SIZES = AT_LEAST | {"gtpu_ext": 4, "gtpu_psc": 4}

# Packets that go on and on, the last one further than 16 bits count.
ENDLESS = odd_frames.ENDLESS + [packet(eth(type=0x86dd), ipv6().build(b"", hopopts()), hopopts(),
                                       *[ipv6_ext(60, bytes(2046))] * 40, udp())]


def damaged(rng, data, other):
    """A packet, with another one to take a part from."""
    at = rng.randrange(min(len(data), HEAD))
    head, tail = data[:at], data[at:]
    return rng.choice([
        lambda: head + bytes([tail[0] ^ 1 << rng.randrange(8)]) + tail[1:],
        lambda: head + rng.choice([0, 1, 4, 7, 0x7fff, 0xffff, len(tail)]).to_bytes(2, "big") + tail[2:],  # a length lies
        lambda: head,
        lambda: head + tail[rng.randint(1, 8):],
        lambda: head + other[rng.randrange(min(len(other), HEAD)):],
        lambda: head + tail[:rng.randint(1, 16)] * rng.randint(2, 100) + tail,
        lambda: head + rng.randbytes(rng.randint(0, 256))])()


class Robustness(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = MADE + LONG
        for options in (["--kind", "mix"], ["--outer", "ipv6", "--vlan", 3], ["--no-psc"]):
            path = cls.traffic("--ues", 10, "--packets-per-flow", 1, "--sizes", 100, *options)
            cls.good += [data for data, _ in harness.pcap_frames(path)]

    def damaged(self, n, seed):
        rng = random.Random(SEED + seed)
        frames = []
        for _ in range(n):
            data = rng.choice(self.good)
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                if len(data) > 1:
                    data = damaged(rng, data, rng.choice(self.good))
            frames.append(data)
        return frames

    def output(self, frames, *args):
        path = self.capture("damaged", frames)
        result = harness.ddpctl(*args[:2], path, *args[2:])
        self.assertEqual((result.returncode, result.stderr), (0, ""), args)
        return result.stdout

    def check_packet(self, one, data):
        """Invariants of any packet, whatever the profile."""
        self.assertEqual(list(one), harness.PACKET_KEYS)
        self.assertEqual(one["len"], len(data))
        self.assertIn(one["status"], ("ok", "error", "loop"))
        self.assertEqual(one["ptype_id"] == 0, one["ptype"] == "UNKNOWN")
        self.check_chain(one)
        for name, value in one["fields"].items():
            self.assertRegex(name, r"^[a-z][\w.#/]*$")
            self.assertRegex(str(value), r"^[0-9a-f][0-9a-fx:.]*$|^::")

    def check_chain(self, one):
        end = 0
        for token, offset in zip(one["chain"], one["offsets"], strict=True):
            self.assertTrue(offset >= end, "headers overlap")
            end = offset + LEAST_SIZES.get(token, 1)
        self.assertLessEqual(end, one["len"], "a header is not in the packet")
        self.assertLessEqual(len(one["chain"]), 64)

    def check_frames(self, spec, frames):
        lines = self.output(frames, "classify", spec, "--jsonl", "--queues", QUEUES).splitlines()
        self.assertEqual(len(lines), len(frames), spec)
        for n, (line, data) in enumerate(zip(lines, frames), 1):
            try:
                one = json.loads(line)
                self.assertEqual(one["n"], n)
                self.check_packet(one, data)
            except (AssertionError, ValueError, KeyError) as error:
                self.fail(f"{spec} frame {n}: {error}\n{line}\npacket {data.hex()}")

    def test_damaged_packets_with_every_profile(self):
        for seed, profile in enumerate([*(profile["name"] for profile in harness.profiles()), "gtpu:ue"]):
            with self.subTest(profile=profile):
                n = N_DAMAGED if profile in ("gtpu", "gtpu:ue") else N_DAMAGED // 10
                self.check_frames(profile, self.damaged(n, seed) + ENDLESS)

    def test_intels_packages(self):
        """package/nic_test.py checks the output, without sanitizers."""
        paths = list(harness.intel_package("").glob("*.pkg"))
        if not paths:
            self.skipTest("no packages of Intel's (scripts/packages fetches them)")
        for path in paths:
            for command in "check", "info":
                result = harness.ddpctl(command, "--json", path)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_damaged_packets_in_every_output(self):
        frames = self.damaged(N_DAMAGED, 200) + ENDLESS
        self.assertEqual(len(self.output(frames, "classify", "gtpu").splitlines()), 1 + len(frames))
        self.assertEqual(len(json.loads(self.output(frames, "classify", "gtpu", "--json"))), len(frames))
        queues = json.loads(self.output(frames, "simulate", "gtpu", "--json", "--queues", QUEUES))["queues"]
        self.assertEqual(sum(queue["packets"] for queue in queues), len(frames))
        self.assertEqual(sum(queue["bytes"] for queue in queues), sum(map(len, frames)))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
