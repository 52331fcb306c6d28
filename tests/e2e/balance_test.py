#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `simulate --balance` predicts of load-aware RSS, worked out a second time from what classify
says of each packet: a user who sizes a machine by it must not be told a spread that no table gives.

    balance_test.py path/to/ddpctl path/to/ddp-traffic"""

import collections
import struct

from support import harness

QUEUES = 8
ENTRIES = 512
INTERVAL_MS = 50


def times(path):
    """Of the packets of a capture, in nanoseconds."""
    data = path.read_bytes()
    unit = 1 if data[:4] == bytes.fromhex("4d3cb2a1") else 1000
    at = 24
    while at < len(data):
        seconds, fraction, captured = struct.unpack_from("<III", data, at)
        yield seconds * 10**9 + fraction * unit
        at += 16 + captured


def imbalance(entries, table):
    loads = [0] * QUEUES
    for entry, packets in entries.items():
        loads[table[entry]] += packets
    return max(loads) * QUEUES / sum(loads) if sum(loads) else 0


class Balance(harness.TestCase):
    def intervals(self, spec, path):
        """Packets by entry of each interval."""
        found = collections.defaultdict(collections.Counter)
        start = None
        for packet, time in zip(harness.classify(spec, path), times(path), strict=True):
            start = time if start is None else start
            entry = int(packet["hash"], 16) % ENTRIES
            found[(time - start) // (INTERVAL_MS * 10**6)][entry] += 1
        return [found[i] for i in range(max(found) + 1)]

    def simulate(self, path, *options):
        found = harness.simulate("gtpu", path, "--queues", QUEUES, *options)
        return found["balance"]

    def zipf(self, seed):
        return self.traffic("--packets", 60000, "--ues", 300, "--zipf", 1.0, "--rate-pps", 60000,
                            "--seed", seed)

    def test_each_interval_is_as_loaded_as_it_says(self):
        for seed in (1, 2, 3):
            with self.subTest(seed=seed):
                path = self.zipf(seed)
                intervals = self.intervals("gtpu", path)
                balance = self.simulate(path, f"--balance={INTERVAL_MS}")
                moves = collections.defaultdict(list)
                for move in balance["moves"]:
                    moves[move["interval"]].append(move)
                fixed = [entry % QUEUES for entry in range(ENTRIES)]
                table = list(fixed)
                self.assertEqual(len(balance["intervals"]), len(intervals))
                for i, (said, entries) in enumerate(zip(balance["intervals"], intervals)):
                    self.assertEqual(said["packets"], entries.total())
                    self.assertAlmostEqual(said["fixed"], imbalance(entries, fixed), places=5)
                    self.assertAlmostEqual(said["balanced"], imbalance(entries, table), places=5)
                    self.assertEqual(said["moves"], len(moves[i]))
                    for move in moves[i]:
                        self.assertEqual(table[move["entry"]], move["from"])
                        self.assertNotEqual(move["from"], move["to"])
                        table[move["entry"]] = move["to"]

    def test_skewed_traffic_gets_more_even(self):
        for seed in (1, 2, 3):
            with self.subTest(seed=seed):
                balance = self.simulate(self.zipf(seed), f"--balance={INTERVAL_MS}")
                self.assertGreater(balance["moves"], [])
                self.assertLess(balance["balanced"], balance["fixed"])
                settled = balance["intervals"][8:-1]
                self.assertLess(sum(i["balanced"] for i in settled),
                                sum(i["fixed"] for i in settled))

    def test_even_traffic_moves_nothing(self):
        path = self.traffic("--ues", 4000, "--packets-per-flow", 4, "--rate-pps", 128000)
        self.assertEqual(self.simulate(path, "--balance")["moves"], [])

    def test_an_elephant_is_named(self):
        path = self.traffic("--packets", 60000, "--ues", 100, "--zipf", 3, "--rate-pps", 60000)
        balance = self.simulate(path, "--balance")
        packets = harness.classify("gtpu", path)
        flows = collections.Counter(int(packet["hash"], 16) % ENTRIES for packet in packets)
        entry, count = flows.most_common(1)[0]
        self.assertEqual(balance["bound_entry"], entry)
        self.assertAlmostEqual(balance["bound_share"], count / len(packets), delta=0.02)
        text = harness.output_of(harness.tools["ddpctl"], "simulate", "gtpu", path, "--queues",
                                 QUEUES, "--balance")
        self.assertRegex(text, rf"entry {entry} has \d+\.\d%, a queue's even share is 12\.5%")

    def advise(self, path):
        return " ".join(harness.ddpctl("advise", path, "--queues", QUEUES).stdout.split())

    def test_advice_says_whether_it_helps(self):
        self.assertRegex(self.advise(self.zipf(1)),
                         r"Load-aware RSS \(balance=on of net_ddp\) brings imbalance from ")
        elephant = self.traffic("--packets", 60000, "--ues", 100, "--zipf", 3, "--rate-pps", 60000)
        self.assertIn("Load-aware RSS does not help", self.advise(elephant))
        even = self.traffic("--ues", 4000, "--packets-per-flow", 4, "--rate-pps", 128000)
        self.assertNotIn("Load-aware RSS", self.advise(even))

    def test_what_net_ddp_cannot_have_is_refused(self):
        path = self.zipf(1)
        for options in (["--queues", 257], ["--queues", 8, "--reta-size", 1024]):
            refused = harness.ddpctl("simulate", "gtpu", path, "--balance", *options)
            self.assertEqual(refused.returncode, 2)
            self.assertEqual(refused.stderr,
                             "ddpctl: --balance needs a redirection table of at most 512 entries "
                             "and at most 256 queues\n")
        for value in ("0", "60001", "x", ""):
            refused = harness.ddpctl("simulate", "gtpu", path, f"--balance={value}")
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
