#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `ddpctl simulate` predicts happens: for each profile of the library and each of its input sets, and
for Intel's packages, a replay of a capture through net_ddp gives each queue exactly the packets that
were predicted for it.

Captures: the real ones (../shared/captures beside the source tree, where that folder exists), those of
ddp-traffic, and the packets that the tests make. Each profile replays some of them, drawn from a constant seed;
all with DDP_REPLAY=all in the environment (minutes).

    replay_test.py path/to/ddpctl path/to/ddp-traffic path/to/replay"""

import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import unittest

from support import eal, frames, harness
import library_test
from support import odd_frames

QUEUES = 8
SHARE = 6  # captures of each profile, where not all are wanted
CANDIDATES = 33  # of one run of simulate
SHOWN = 10
REAL = pathlib.Path(os.environ.get("DDP_CAPTURES", harness.SOURCE_ROOT.parent / "shared" / "captures"))
PACKAGES = ("ice-1.3.30.0.pkg", "ice_comms-1.3.31.0.pkg")
TRAFFIC = [("--kind", kind) for kind in ("n3-up", "n3-down", "n6-up", "n6-down", "mix")] + [
    ("--outer", "ipv6", "--vlan", 7), ("--no-psc",), ("--snaplen", 60)]


def sets_of(name):
    """The names of a profile's own input sets."""
    info = json.loads(harness.output_of(harness.tools["ddpctl"], "info", name, "--json"))
    info = info[0] if isinstance(info, list) else info
    return [one["name"] for one in info["input_sets"] if one["profile"] == name]


class Replay(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.captures = cls.captures_make()
        cls.replayed = cls.readable(cls.captures)

    @classmethod
    def captures_make(cls):
        made = [cls.traffic("--ues", 100, "--packets-per-flow", 1, *options) for options in TRAFFIC]
        made += [cls.capture("made", frames.MADE), cls.capture("odd", odd_frames.PRINTABLE + odd_frames.RUNTS)]
        for name in library_test.cases_names():
            packets = [(case.packet, case.wire_len or len(case.packet))
                       for case in library_test.cases_load(name).CASES]
            made.append(cls.capture(f"library-{name}", packets))
        packed = cls.folder / "packed.pcap.gz"
        packed.write_bytes(gzip.compress(made[0].read_bytes()))
        return [*made, packed, *sorted(REAL.glob("*.*cap"))]

    @classmethod
    def readable(cls, captures):
        """What libpcap reads instead of a capture: itself, or its packets in a file that it accepts."""
        said = harness.output_of(harness.tools["replay"], "--count", *captures).splitlines()
        n_read = {path: int(n) for n, path in (line.split("\t") for line in said)}
        return {capture: capture if n_read[str(capture)] == len(harness.classify("base", capture)) else
                cls.converted(capture) for capture in captures}

    @classmethod
    def converted(cls, capture):
        path = cls.folder / f"converted-{capture.name}.pcap"
        if capture.suffix == ".gz":
            path.write_bytes(gzip.decompress(capture.read_bytes()))
        else:
            cls.capture(path.stem, harness.pcap_frames(capture))
        return path

    def specs(self):
        for profile in harness.profiles():
            yield profile["name"]
            yield from (f"{profile['name']}:{name}" for name in sets_of(profile["name"]))
        for name in PACKAGES:
            package = harness.intel_package(name)
            if package.exists():
                short = self.folder / name
                short.symlink_to(package)
                yield str(short)
            else:
                print(f"without {name} (scripts/packages fetches it)")

    def pairs(self):
        draw = random.Random(1)
        for spec in self.specs():
            share = self.captures
            if os.environ.get("DDP_REPLAY") != "all":
                own = self.folder / f"library-{spec.partition(':')[0]}.pcap"
                share = draw.sample(self.captures, SHARE) + ([own] if own in self.captures else [])
            yield from ((spec, capture) for capture in dict.fromkeys(share))

    def predict(self, capture, specs):
        """By spec, the packets of each queue."""
        others = [word for spec in specs[1:] for word in ("--with", spec)]
        said = harness.simulate(specs[0], capture, "--queues", QUEUES, "--as-captured", *others)
        return {spec: [queue["packets"] for queue in candidate["queues"]]
                for spec, candidate in zip(specs, said.get("candidates", [said]), strict=True)}

    def predict_all(self, pairs):
        specs = collections.defaultdict(list)
        for spec, capture in pairs:
            specs[capture].append(spec)
        runs = [(capture, some[n:n + CANDIDATES]) for capture, some in specs.items()
                for n in range(0, len(some), CANDIDATES)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda run: self.predict(*run), runs))
        found = {(spec, capture): counts for (capture, _), one in zip(runs, said)
                 for spec, counts in one.items()}
        return [found[pair] for pair in pairs]

    def replay(self, pairs):
        """By pair, the packets of each queue."""
        lines = "".join(f"{spec}\t{self.replayed[capture]}\n" for spec, capture in pairs)
        (self.folder / "pairs").write_text(lines)
        with open(self.folder / "pairs", encoding="utf-8") as given:
            said = harness.output_of(harness.tools["replay"], *eal.options(1, 512), "--", self.folder,
                                     stdin=given, env=eal.environment(self.folder), timeout=1500)
        found = [line.split("\t") for line in said.splitlines()]
        self.assertEqual([(spec, capture) for spec, capture, _ in found],
                         [(spec, str(self.replayed[capture])) for spec, capture in pairs])
        return [list(map(int, counts.split())) for _, _, counts in found]

    def test_each_queue_gets_what_was_predicted(self):
        pairs = list(self.pairs())
        predicted = self.predict_all(pairs)
        counted = self.replay(pairs)
        wrong = [f"{spec} {capture.name}: {counts}, predicted {asked}"
                 for (spec, capture), counts, asked in zip(pairs, counted, predicted) if counts != asked]
        print(f"{len(pairs)} replays of {len(self.captures)} captures, "
              f"{sum(map(sum, counted))} packets, {len(wrong)} wrong")
        if wrong:
            self.fail("\n".join(wrong[:SHOWN]))
        self.assertGreater(sum(max(counts) < sum(counts) for counts in counted), len(pairs) / 2)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "replay")
