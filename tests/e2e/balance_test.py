#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`simulate --balance` predicts load-aware RSS: worked out a second time from what classify
says of each packet: a user who sizes a machine by it must not get a spread that no table gives."""

import collections
import csv
import json
import re
import shlex
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
    def packets(self, path):
        """(time, entry) of each."""
        return [(time, int(packet["hash"], 16) % ENTRIES)
                for packet, time in zip(harness.classify("gtpu", path), times(path), strict=True)]

    def intervals(self, packets, interval_ms=INTERVAL_MS):
        """Packets by entry of each interval."""
        found = collections.defaultdict(collections.Counter)
        for time, entry in packets:
            found[(time - packets[0][0]) // (interval_ms * 10**6)][entry] += 1
        return [found[i] for i in range(max(found) + 1)]

    def simulate(self, path, *options):
        found = harness.simulate("gtpu", path, "--queues", QUEUES, *options)
        return found["balance"]

    def zipf(self):
        return self.traffic("--packets", 30000, "--ues", 300, "--zipf", 1.0, "--rate-pps", 30000)

    def live(self, *options):
        """Flows that come and go, and the truth about them."""
        path, truth = self.folder / "live.pcap", self.folder / "live.csv"
        harness.traffic_run("-o", path, "--truth", truth, "--packets", 60000, "--ues", 300, "--zipf", 1.0,
                            "--rate-pps", 20000, "--churn", 2, *options)
        with open(truth, encoding="ascii") as file:
            return path, list(csv.DictReader(file))

    def check_moves(self, moves, table):
        for move in moves:
            self.assertEqual(table[move["entry"]], move["from"])
            self.assertNotEqual(move["from"], move["to"])
            table[move["entry"]] = move["to"]

    def check_sums(self, balance):
        """The sums of all intervals are those of each."""
        intervals = balance["intervals"]
        packets = sum(said["packets"] for said in intervals)
        many = [said for said in intervals if said["packets"] >= 64 * QUEUES]
        for key in ("fixed", "balanced", "after"):
            mean = sum(said[key] * said["packets"] for said in intervals) / packets
            self.assertAlmostEqual(balance[key], mean, places=4)
        for key in ("fixed", "after"):
            self.assertAlmostEqual(balance[key + "_worst"],
                                   max((said[key] for said in many), default=0))
        self.assertEqual((balance["n_intervals"], balance["n_moves"]),
                         (len(intervals), len(balance["moves"])))
        self.assertEqual(balance["busy_intervals"], sum(said["packets"] > 0 for said in intervals))
        self.assertEqual(balance["loaded_intervals"], len(many))
        self.assertAlmostEqual(balance["moves_per_second"],
                               len(balance["moves"]) / len(intervals) / balance["interval"], places=3)

    def check_intervals(self, balance, intervals):
        """Imbalances are those of the packets, and of the table as the moves make it."""
        moves = collections.defaultdict(list)
        for move in balance["moves"]:
            moves[move["interval"]].append(move)
        fixed = [entry % QUEUES for entry in range(ENTRIES)]
        table = list(fixed)
        for i, (said, entries) in enumerate(zip(balance["intervals"], intervals, strict=True)):
            self.assertEqual(said["packets"], entries.total())
            self.assertAlmostEqual(said["fixed"], imbalance(entries, fixed), places=5)
            self.assertAlmostEqual(said["balanced"], imbalance(entries, table), places=5)
            self.assertEqual(said["moves"], len(moves[i]))
            self.check_moves(moves[i], table)
            self.assertAlmostEqual(said["after"], imbalance(entries, table), places=5)
        self.check_sums(balance)

    def test_each_interval_is_as_loaded_as_it_says(self):
        """Skewed traffic gets more even."""
        balance = self.simulate(self.zipf(), f"--balance={INTERVAL_MS}")
        self.check_intervals(balance, self.intervals(self.packets(self.zipf())))
        self.assertGreater(balance["moves"], [])
        self.assertLess(balance["balanced"], balance["fixed"])
        later = balance["intervals"][8:-1]
        self.assertLess(sum(i["balanced"] for i in later), sum(i["fixed"] for i in later))

    def test_flows_that_come_and_go(self):
        """Also in very many intervals: each is as long as requested, because the decisions depend
        on it."""
        path, _ = self.live("--elephant", "20:500:800:1000")
        packets = self.packets(path)
        balance = self.simulate(path, f"--balance={INTERVAL_MS}")
        self.check_intervals(balance, self.intervals(packets))
        self.assertGreater(balance["moves"], [])
        self.assertLess(balance["balanced"], balance["fixed"])
        balance = self.simulate(path, "--balance=1")
        self.assertEqual(balance["interval"], 0.001)
        self.assertGreater(balance["n_intervals"], 2900)
        self.check_intervals(balance, self.intervals(packets, 1))

    def test_every_candidate_has_its_own(self):
        path = self.zipf()
        found = harness.simulate("gtpu", path, "--queues", QUEUES, "--with", "gtpu:ue", "--balance")
        alone = harness.simulate("gtpu:ue", path, "--queues", QUEUES, "--balance")
        self.assertEqual(found["candidates"][1]["balance"], alone["balance"])
        self.assertEqual(found["baseline"]["balance"], alone["baseline"]["balance"])
        self.assertNotIn("balance", harness.simulate("gtpu", path, "--queues", QUEUES))

    def test_an_elephant_that_comes_and_goes_is_named(self):
        path, truth = self.live("--elephant", "40:1000:1000")
        elephant = next(row for row in truth if row["elephant"] == "1")
        form = "[{ue}]:{ue_port} > [{server}]:{server_port}" if ":" in elephant["ue"] else \
            "{ue}:{ue_port} > {server}:{server_port}"
        name = form.format(**elephant)
        balance = self.simulate(path, "--balance")
        self.assertEqual(balance["bound_flow"], name)
        n_bound = balance["bound_intervals"]  # the largest other flow has about an even share
        self.assertIn(n_bound, range(10, balance["loaded_intervals"]))
        self.assertAlmostEqual(balance["bound_share"], 0.4, delta=0.05)
        text = harness.output_of(harness.tools["ddpctl"], "simulate", "gtpu", path, "--queues",
                                 QUEUES, "--balance")
        self.assertRegex(" ".join(text.split()),
                         rf"gtpu: in {n_bound} of \d+ intervals an entry has more than a queue's even share of "
                         rf"12\.5%, .* most often entry {balance['bound_entry']} with [\d.]+%: {re.escape(name)}")

    def test_an_entry_of_many_flows_names_none(self):
        path, _ = self.live()
        baseline = harness.simulate("gtpu", path, "--queues", QUEUES, "--balance")["baseline"]
        self.assertGreater(baseline["balance"]["bound_share"], 0.2)
        self.assertIsNone(baseline["balance"]["bound_flow"])

    def advise_json(self, path, *options, status=0):
        result = harness.ddpctl("advise", path, "--queues", QUEUES, "--json", *options)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_advice_to_balance(self):
        """On N6 no other fields help, so the verdict is load-aware RSS, and the commands turn it on."""
        path = self.traffic("--kind", "n6-up", "--packets", 60000, "--ues", 300, "--zipf", 1.0,
                            "--rate-pps", 10000)
        advice = self.advise_json(path, "--balance=200")
        self.assertEqual((advice["verdict"], advice["profile"], advice["balance"]),
                         ("balance", None, True))
        balance = advice["simulation"]["baseline"]["balance"]
        self.assertEqual((balance["interval"], len(balance["intervals"])), (0.2, balance["n_intervals"]))
        self.assertIn(f"imbalance is {balance['balanced']:.3f}, without it {balance['fixed']:.3f}",
                      advice["headline"])
        self.assertIn("That helps more than other hash fields.", " ".join(advice["reasons"]))
        for name in ("ddp-fwd", "testpmd"):
            self.assertIn("net_ddp0,dev(0000:81:00.0),balance=on",
                          shlex.split(advice["commands"][name]))
        self.assertEqual(advice["commands"]["port"], "ddpctl port balance net_ddp0 on")
        words = shlex.split(advice["commands"]["simulate"])
        self.assertIn("--balance=200", words)
        again = json.loads(harness.output_of(harness.tools["ddpctl"], *words[1:], "--json"))
        self.assertEqual(again["balance"]["balanced"], balance["balanced"])
        self.assertNotIn("intervals", self.advise_json(path)["simulation"]["baseline"]["balance"])

    def test_advice_on_a_profile_and_to_balance(self):
        path = self.traffic("--packets", 60000, "--ues", 300, "--zipf", 1.0, "--rate-pps", 20000)
        advice = self.advise_json(path)
        self.assertEqual((advice["verdict"], advice["balance"]), ("take", True))
        self.assertIn(f"profile={advice['profile']},balance=on", advice["commands"]["ddp-fwd"])

    def test_advice_on_intervals_of_few_packets(self):
        """They are uneven by chance, with load-aware RSS and without, so it is not judged by them."""
        path = self.traffic("--packets", 40000, "--ues", 2000, "--rate-pps", 500)
        reasons = " ".join(self.advise_json(path)["reasons"])
        self.assertNotIn("Load-aware RSS", reasons)
        self.assertNotIn("intervals", reasons)

    def test_advice_names_the_elephant(self):
        """It makes load-aware RSS useless, which is then not advised."""
        path = self.traffic("--kind", "n6-up", "--packets", 60000, "--ues", 300, "--rate-pps", 20000,
                            "--elephant", "60:0:10000")
        advice = self.advise_json(path, status=1)
        self.assertEqual((advice["verdict"], advice["balance"]), ("nothing helps", False))
        self.assertIn("Load-aware RSS does not help", " ".join(advice["reasons"]))

    def test_what_net_ddp_cannot_have_is_refused(self):
        path = self.zipf()
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
