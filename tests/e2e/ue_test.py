#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The purpose of profile gtpu: uplink and downlink of a UE, on N3 and N6, meet on one queue with input set 'ue'.
How even the load is: fwd_replay_test.py. A symmetric hash: classify/input_set_test.c."""

import collections

from support import harness
from support.marks import ue

QUEUES = 16
KINDS = ["n3-up", "n3-down", "n6-up", "n6-down"]


class Ue(harness.TestCase):
    def queues_of_ues(self, spec, *options):
        """For each UE the queues that its packets of all kinds get, and where they were seen."""
        queues = collections.defaultdict(dict)
        for kind in KINDS:
            path = self.traffic("--kind", kind, *options)
            packets = harness.classify(spec, path, "--queues", QUEUES)
            for (frame, _), packet in zip(harness.pcap_frames(path), packets, strict=True):
                place = f"{path.name} frame {packet['n']}"
                queues[ue(frame)].setdefault(packet["queue"], place)
        return queues

    def n_apart(self, spec, *options):
        """The number of UEs with several queues."""
        return sum(len(places) > 1 for places in self.queues_of_ues(spec, *options).values())

    def test_both_directions_meet(self):
        """Outer headers and extension headers do not matter."""
        for options in (["--ipv6", 0], ["--ipv6", 100, "--seed", 2], ["--no-psc"], ["--outer", "ipv6"],
                        ["--outer", "ipv6", "--no-psc"], ["--vlan", 100, "--seed", 5]):
            with self.subTest(options=options):
                queues = self.queues_of_ues("gtpu:ue", "--ues", 200, "--packets-per-flow", 1, *options)
                for number, places in queues.items():
                    self.assertEqual(len(places), 1, f"UE {number} has several queues: {places}")
                self.assertEqual({queue for places in queues.values() for queue in places}, set(range(QUEUES)))

    def test_without_the_input_set_they_do_not(self):
        options = ["--ues", 200, "--packets-per-flow", 1]
        for spec in ("base", "gtpu", "gtpu:teid"):
            with self.subTest(spec=spec):
                self.assertGreater(self.n_apart(spec, *options), 180)

    def test_parameters_tell_ue_addresses(self):
        """Without PDU types, and with addresses that nobody has, directions do not meet."""
        options = ["--ues", 200, "--packets-per-flow", 1, "--no-psc"]
        spec = "gtpu:ue;ue_ipv4=233.252.0.0/24;ue_ipv6=2001:db8:ffff::/48"
        self.assertGreater(self.n_apart(spec, *options), 180)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
