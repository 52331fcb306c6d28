#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each number that simulate prints is what calculator.py works out from the packets, and each decision of advise what it
works out from the numbers: on captures drawn by seed that have packets without a hash, short windows at the end, and ties."""

import functools
import json
import random
import struct

from support import calculator, harness, simulation_words
from packets import DATA, esp, eth, gtpu, ipv4, ipv6, packet, ppp, pppoe, psc, tcp, udp, vlan

START_NS = 1700000000 * 10**9


class Traffic:
    """Packets of some users' flows, both directions, drawn by seed."""

    def __init__(self, seed, n_packets, n_ues, flows_per_ue, skew, unhashed=0.0, tunnelled=1.0,
                 gnbs=2):
        self.random = random.Random(seed)
        self.gnbs = gnbs
        flows = [(ue, flow, self.random.random() < tunnelled) for ue in range(n_ues)
                 for flow in range(flows_per_ue)]
        weights = [(n + 1) ** -skew for n in range(len(flows))]
        self.random.shuffle(flows)
        if skew:
            drawn = self.random.choices(flows, weights, k=n_packets)
        else:  # all alike: ties everywhere
            drawn = [flows[n % len(flows)] for n in range(n_packets)]
        self.frames = [self.frame(*flow) if self.random.random() >= unhashed else
                       packet(eth(type=0x88b5), DATA * self.random.randrange(1, 4))
                       for flow in drawn]

    def frame(self, ue, flow, tunnelled):
        up = self.random.random() < 0.5
        if ue % 4 == 3:
            make, user, server = ipv6, f"2001:db8:{ue:x}::{flow + 1:x}", f"2a00:0:0:{flow + 1:x}::1"
        else:
            make, user, server = ipv4, f"10.1.{ue // 250}.{ue % 250 + 1}", f"203.0.113.{flow + 1}"
        ends = (user, server, 40000 + flow, 8080) if up else (server, user, 8080, 40000 + flow)
        l4 = tcp if flow % 2 else udp
        inner = make(*ends[:2]), l4(*ends[2:]), DATA * (1 + flow % 3)
        if not tunnelled:
            return packet(eth(), *inner)
        ends = (f"192.0.2.{ue % self.gnbs + 1}", "198.51.100.2")
        return packet(eth(), ipv4(*(ends if up else ends[::-1])), udp(2152),
                      gtpu(ue + 1, ext=[psc(up, 9)]), *inner)

    def times(self, seconds, tail_packets):
        """Nearly all packets at an even pace, and a few when the last window has begun."""
        n = len(self.frames)
        pace = int(seconds * 1e9) // n
        times = [START_NS + i * pace + self.random.randrange(pace) for i in range(n)]
        times[0] = START_NS
        for i in range(1, tail_packets + 1):
            times[-i] = START_NS + int(seconds * 1.0625 * 1e9) - i * 1000
        return times


class Case(harness.TestCase):
    def write(self, name, traffic, times):
        """A capture with nanoseconds."""
        parts = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, harness.SNAPLEN, 1)]
        for frame, time in zip(traffic.frames, times, strict=True):
            parts += [struct.pack("<IIII", time // 10**9, time % 10**9, len(frame), len(frame)), frame]
        path = self.folder / f"{name}.pcap"
        path.write_bytes(b"".join(parts))
        return path

    def equal(self, got, expected, place=""):
        """Alike, numbers that are not whole to five digits; expected may leave keys out."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                self.assertIn(key, got, place)
                self.equal(got[key], value, f"{place}.{key}")
        elif isinstance(expected, list):
            self.assertEqual(len(got), len(expected), place)
            for i, value in enumerate(expected):
                self.equal(got[i], value, f"{place}[{i}]")
        elif isinstance(expected, float):
            self.assertAlmostEqual(got, expected, delta=1e-5 * max(1, abs(expected)), msg=place)
        else:
            self.assertEqual(got, expected, place)


class Numbers(Case):
    def compare(self, capture, specs, *options):
        words = (specs[0], capture.path, "--queues", capture.n_queues, "--reta-size", capture.reta_size,
                 *options, *[word for spec in specs[1:] for word in ("--with", spec)])
        got = harness.simulate(*words)
        expected = calculator.simulation(capture, specs)
        self.equal(got, expected)
        for side in (got, got["baseline"], *got["candidates"]):
            known = {*expected, "name", "flows", "cores", "schema_version", "unknown", "warning", "snaplen"}
            self.assertEqual(set(side) - known, set(), "numbers that nothing is compared with")
        self.assertEqual([got["unknown"], got["warning"], got["snaplen"]], [0, None, None], "no packet is cut")
        self.compare_flows(capture, got["flows"])
        simulation_words.check(self, {**expected, "flows": got["flows"]}, *words, core_mpps=capture.core_mpps)
        return got

    def compare_flows(self, capture, flows):
        top = calculator.Flows(capture).top()
        self.equal(flows, {"number": len(top), "exact": True})
        shown = [(flow["flow"], flow["ptype"]) for flow in flows["top"]]
        self.assertEqual(len(set(shown)), min(len(top), 20))
        for flow, key in zip(flows["top"], shown):
            self.assertEqual((flow["packets"], flow["bytes"]), top[key], key)
        self.assertEqual([flow["packets"] for flow in flows["top"]],
                         sorted((n for n, _ in top.values()), reverse=True)[:20])

    def test_captures_drawn_by_seed(self):
        for seed in 1, 2:
            with self.subTest(seed=seed):
                draw = random.Random(seed)
                traffic = Traffic(seed, draw.randrange(900, 2500), draw.randrange(5, 60),
                                  draw.randrange(1, 6), draw.choice([0, 0.8, 1.3]),
                                  unhashed=draw.choice([0, 0.1, 0.4]), tunnelled=draw.choice([1, 0.6]))
                times = traffic.times(draw.choice([0.3, 2]), draw.randrange(1, 30))
                path = self.write(f"drawn{seed}", traffic, times)
                capture = calculator.Capture(path, times, draw.randrange(2, 13),
                                             draw.choice([64, 512]), core_mpps=0.001, load_mpps=0.004)
                self.compare(capture, ["gtpu", "gtpu:ue", "gtpu:teid", "gtpu:outer"],
                             "--core-mpps", 0.001, "--load-mpps", 0.004)

    def test_packets_without_a_hash_are_load_and_limit(self):
        """They stay together on queue 0, whatever the table: of one queue, of the limit and of the cores."""
        traffic = Traffic(1, 1500, 60, 4, 0, unhashed=0.5)
        times = traffic.times(1, 5)
        path = self.write("unhashed", traffic, times)
        capture = calculator.Capture(path, times, 8, core_mpps=0.001, load_mpps=0.004)
        got = self.compare(capture, ["gtpu"], "--core-mpps", 0.001, "--load-mpps", 0.004)
        self.assertIsNone(got["cores"], "no number of cores carries queue 0")
        self.assertGreater(got["unhashed"], 700)
        self.assertEqual(got["largest_hash"], got["unhashed"])
        self.assertGreater(got["least_imbalance"], 3.5)
        self.assertLess(got["scaling"][7], 2.2)

    def test_flows_are_told_by_whatever_is_hashed(self):
        """Also without ports, addresses, or all but numbers; and of packets longer than any mbuf."""
        traffic = Traffic(6, 0, 1, 1, 0)
        for n in range(4):
            traffic.frames += [packet(*layers, DATA) for layers in (
                (eth(), ipv4(f"10.0.0.{n + 1}")), (eth(), ipv6(f"2001:db8::{n + 1}")),
                (eth(), ipv4(), esp(n)), (eth(), vlan(n), pppoe(n + 1), ppp(0xc021)), (eth(), vlan(n)),
                (eth(), ipv4(f"10.1.0.{n + 1}"), udp(7, 9)))]
        for n in range(1, 9):
            ends = (f"10.2.0.{n}", "10.3.0.1")
            traffic.frames += [packet(eth(), ipv4(*ends), udp(7, n)) + bytes(66000),
                               packet(eth(), ipv4(*ends[::-1]), udp(n, 7))]
        times = [START_NS + i * 1000 for i in range(len(traffic.frames))]
        path = self.write("kinds", traffic, times)
        got = self.compare(calculator.Capture(path, times, 4), ["gtpu", "all"])
        named = " ".join(flow["flow"] for flow in got["flows"]["top"])
        for words in ("session=1 vid=0", "spi=", "2001:db8::", "vid="):
            self.assertIn(words, named)

    def test_largest_flows_have_their_queues_and_the_ends_of_their_tunnel(self):
        """Which gNB is on queue 5? Also in tunnels over IPv6, and of a flow that is dropped or on two queues."""
        def inner(n, *l4):
            return ipv4(f"10.9.0.{n}", "203.0.113.1"), *(l4 or (udp(9, n),)), DATA
        kinds = [((eth(), ipv4("192.0.2.1", "198.51.100.2"), udp(2152), gtpu(1)), "192.0.2.1 > 198.51.100.2"),
                 ((eth(), vlan(5), ipv6("2001:db8::1", "2001:db8::2"), udp(2152), gtpu(2)), "2001:db8::1 > 2001:db8::2"),
                 ((eth(),), None)]
        frames = [packet(*outer, *inner(n)) for n, (outer, _) in enumerate(kinds) for _ in range(20 - n)]
        frames += [packet(eth(), ipv4(f"192.0.2.{n}", "198.51.100.2"), udp(2152), gtpu(n), *inner(3)) for n in range(1, 17)]
        path = self.capture("ends", frames)
        rule = "pattern eth / ipv4 src is 10.9.0.2 / udp / end actions drop / end"
        got = harness.simulate("gtpu", path, "--queues", 7, "--rule", rule)["flows"]["top"]
        self.assertEqual([flow["outer"] for flow in got], [outer for _, outer in kinds] + ["192.0.2.1 > 198.51.100.2"])
        with_profile, without = (harness.classify(spec, path, "--queues", 7) for spec in ("gtpu", "base"))
        for n, flow in enumerate(got):
            first = 20 * n - (0, 0, 1, 3)[n]
            last = first + (20, 19, 18, 16)[n]
            for side, packets in enumerate((with_profile, without)):
                queues = [each["queue"] for each in packets[first:last]]
                self.assertEqual(flow["queues"][side], [] if n == 2 and side == 0 else list(dict.fromkeys(queues))[:2])
        self.assertEqual(len(got[3]["queues"][1]), 2, "a flow on several queues")

    def test_a_candidate_that_drops_all_has_no_worst_window(self):
        traffic = Traffic(5, 4000, 60, 4, 0)
        path = self.write("dropped", traffic, traffic.times(1, 3))
        text = harness.ddpctl("simulate", "gtpu", path, "--queues", 4, "--rule", "pattern eth / end actions drop / end").stdout
        self.assertIn("  gtpu with rule 1: too few packets\n", text)

    def test_a_short_window_at_the_end_is_not_the_worst(self):
        """A few packets on few queues are uneven by chance."""
        for window in (None, 0.125):
            with self.subTest(window=window):
                traffic = Traffic(3, 4000, 60, 4, 0)
                times = traffic.times(1, 3)
                path = self.write("short", traffic, times)
                capture = calculator.Capture(path, times, 4, window=window)
                got = self.compare(capture, ["gtpu"], *(["--window", window] if window else []))
                last = got["windows"][-1]
                self.assertLess(last["packets"], 64 * 4)
                self.assertEqual(last["imbalance"], max(w["imbalance"] for w in got["windows"]))
                self.assertNotEqual(got["worst_window"], len(got["windows"]) - 1)

    def test_captures_of_one_window_one_queue_and_no_packets(self):
        """Missing windows and packets are not reported, nor divided by."""
        for n_packets, n_queues in ((300, 4), (300, 1), (0, 4)):
            with self.subTest(packets=n_packets, queues=n_queues):
                traffic = Traffic(4, n_packets, 9, 3, 1.1)
                times = [START_NS + i for i in range(n_packets)]
                path = self.write("small", traffic, times)
                words = ("gtpu", path, "--queues", n_queues)
                got = harness.simulate(*words)
                self.assertEqual(got["worst_window"], 0 if n_packets else None)
                simulation_words.check(self, got, *words)


@functools.cache
def info(spec):
    return json.loads(harness.output_of(harness.tools["ddpctl"], "info", spec, "--json"))[0]


def n_parts(name):
    """The number of profiles that a specification loads, with those that they require."""
    return 0 if name == "fixed-function NIC" else len(info(name)["profiles"])


class Decisions(Case):
    def advise(self, name, traffic, n_queues, *options):
        """The advice, compared with the calculator's by the same numbers, which advise_test.py compares with simulate's."""
        path = self.write(name, traffic, traffic.times(1, 3))
        result = harness.ddpctl("advise", path, "--json", "--queues", n_queues, *options)
        got = json.loads(result.stdout)
        outcomes = {each["name"]: each for each in got["simulation"]["candidates"]}
        advice = calculator.Advice(outcomes, got["simulation"]["baseline"], n_parts,
                                   {"UNKNOWN", *(kind["name"] for kind in info("base")["packet_types"])})
        self.assertEqual(got["equal"], advice.equal)
        self.assertEqual((got["verdict"], got["profile"]), (advice.verdict, advice.profile))
        self.assertEqual(result.returncode, 1 if advice.verdict == "nothing helps" else 0)
        self.reasons_compare(n_queues, got, advice)
        return got

    def reasons_compare(self, n_queues, got, advice):
        """Each number in the sentences is the calculator's."""
        text = " ".join([got["headline"], *got["reasons"]])
        base = advice.outcomes[advice.base]
        best = advice.outcomes[advice.profile or advice.base]
        base_score, best_score = advice.of(advice.base), advice.of(advice.profile or advice.base)
        self.assertIn(self.score(base), got["headline"])
        if advice.verdict == "take":
            self.assertIn(f"Take {advice.profile}: on {n_queues} queues imbalance is "
                          f"{self.score(best)}", text)
            self.assertIn(f"sees {base['hashes']} different hash", text)
            self.assertIn(f"puts {100 * base_score / n_queues:.1f} %", text)
            self.assertIn(f"there are {best['hashes']} and the most loaded queue has "
                          f"{100 * best_score / n_queues:.1f} %", text)
        unhashed = best["unhashed"] / best["packets"]
        self.assertEqual("nothing that is hashed" in text, unhashed >= 0.02)
        if unhashed >= 0.02:
            self.assertIn(f"{100 * unhashed:.1f} % of the packets have nothing that is hashed", text)
        self.elephant_compare(n_queues, got["simulation"]["flows"]["top"][0], text, advice)

    def score(self, outcome):
        keys = outcome["keys"]["imbalance"]
        return f"{keys['median']:.3f} ({keys['low']:.3f} to {keys['high']:.3f} by key)"

    def elephant_compare(self, n_queues, largest, text, advice):
        """The largest flow is reported if no candidate splits it and it alone loads a queue too much."""
        packets, n_packets = largest["packets"], advice.outcomes[advice.base]["packets"]
        bound = packets / n_packets * n_queues
        best = advice.of(advice.profile or advice.base)
        is_parted = any(each["largest_hash"] * calculator.CLEARLY < packets
                        for each in advice.outcomes.values())
        warned = best >= calculator.EVEN and not is_parted and bound >= 1.1
        self.assertEqual("One flow has" in text, warned, (best, is_parted, bound))
        if warned:
            self.assertRegex(text, rf"One flow has {100 * packets / n_packets:.1f} % of the packets \(.*, \w+\)")
            self.assertIn(f"imbalance is {bound:.2f} at least", text)

    def test_decisions_drawn_by_seed(self):
        verdicts = set()
        for seed in 1, 3, 6, 9:
            with self.subTest(seed=seed):
                draw = random.Random(100 + seed)
                traffic = Traffic(seed, 1200, draw.choice([4, 12, 40, 120]), draw.choice([1, 3]),
                                  draw.choice([0, 0.5, 1.1]), unhashed=draw.choice([0, 0, 0.05]),
                                  tunnelled=draw.choice([1, 0.3, 0.05, 0]),
                                  gnbs=draw.choice([2, 8, 64]))
                got = self.advise(f"advice{seed}", traffic, draw.choice([2, 4, 6]))
                verdicts.add(got["verdict"])
        self.assertEqual(verdicts, {"take", "none needed", "nothing helps"})

    def test_an_elephant_that_tunnels_part(self):
        """It is reported unless a candidate puts at least a tenth of it under another hash."""
        for share in (0.085, 0.1):
            with self.subTest(share=share):
                traffic = Traffic(7, 1000, 100, 4, 0)
                flow = ipv4("10.1.200.1", "203.0.113.200"), udp(5000, 6000), DATA
                for n in range(800):
                    teid = 1001 if n < share * 800 else 1000
                    outer = eth(), ipv4("192.0.2.1", "198.51.100.2"), udp(2152)
                    traffic.frames[n] = packet(*outer, gtpu(teid), *flow)
                got = self.advise(f"elephant{share}", traffic, 4)
                self.assertEqual(any("One flow has" in reason for reason in got["reasons"]),
                                 share < 0.09, got["reasons"])
                self.assertGreater(min(each["imbalance"] for each in got["simulation"]["candidates"]),
                                   calculator.EVEN, "nothing to give a reason for")


if __name__ == "__main__":
    harness.main("ddpctl")
