#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which of several rte_flow rules decides how a packet is hashed, and what is left when it goes: as on
an 800-series NIC, in stock testpmd. Who tries here what shall run there must not find another order.

    testpmd_rules_order_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, rules, testpmd  # noqa: E402
from support.rules import QUEUES, hash_rule, rule, vary  # noqa: E402

WIDE, NARROW = "eth / ipv4", "eth / ipv4 / udp"
UP, DOWN = (f"eth / ipv4 / udp / gtpu / gtp_psc pdu_t is {n} / ipv4" for n in (1, 0))
BY_SRC, BY_DST, BY_SPORT = "ipv4 l3-src-only", "ipv4 l3-dst-only", "ipv4-udp l4-src-only"

setUpModule = testpmd.set_up_module


class Case(rules.Case):
    def hashed_by(self, packet, *steps):
        """What of a packet is hashed after some rules were made (pattern, types) and destroyed (id):
        of "src", "dst", "sport" and "dport"; None for a packet without a hash."""
        names = [name for name in ("src", "dst", "sport", "dport") if name in rules.names_of(packet)]
        self.renew(vary(packet), *(vary(packet, name) for name in names))
        n_rules = 0
        for step in steps:
            if isinstance(step, int):
                self.destroy(step)
            else:
                self.create(hash_rule(*step), n_rules)
                n_rules += 1
        base, *packets = self.receive()
        for one in (base, *packets):
            self.check_queue(one, packet)
        if base.hash is None:
            return None
        return " ".join(name for name, one in zip(names, packets) if one.hash != base.hash)


class Order(Case):
    def test_the_newest_decides_a_wide_one_over_a_narrow_one_too(self):
        wide, narrow = (WIDE, BY_SRC), (NARROW, BY_SPORT)
        self.assertEqual(self.hashed_by("eth ipv4 udp", wide, narrow), "sport")
        self.assertEqual(self.hashed_by("eth ipv4 udp", narrow, wide), "src")
        self.assertEqual(self.hashed_by("eth ipv4 tcp", narrow, wide), "src")
        self.assertEqual(self.hashed_by("eth ipv4 tcp", wide, narrow), "src")

    def test_an_older_rule_of_another_pattern_decides_again(self):
        wide, narrow = (WIDE, BY_SRC), (NARROW, BY_SPORT)
        self.assertEqual(self.hashed_by("eth ipv4 udp", wide, narrow, 1), "src")
        self.assertEqual(self.hashed_by("eth ipv4 udp", wide, narrow, 0), "sport")
        self.assertEqual(self.hashed_by("eth ipv4 udp", narrow, wide, 1), "sport")
        self.assertIsNone(self.hashed_by("eth ipv4 udp", wide, narrow, 1, 0))

    def test_an_older_rule_of_the_same_pattern_is_dead_for_good(self):
        older, newer = (NARROW, BY_SRC), (NARROW, BY_DST)
        self.assertEqual(self.hashed_by("eth ipv4 udp", older, newer), "dst")
        self.assertEqual(self.hashed_by("eth ipv4 udp", older, newer, 0), "dst")
        self.assertIsNone(self.hashed_by("eth ipv4 udp", older, newer, 1))
        self.assertIsNone(self.hashed_by("eth ipv4 udp", older, newer, 1, 0))
        # Nor does a third one's end bring back the first.
        self.assertIsNone(self.hashed_by("eth ipv4 udp", older, newer, (NARROW, BY_SPORT), 2))

    def test_a_dead_rule_gives_way_to_one_of_another_pattern(self):
        steps = (WIDE, BY_SRC), (NARROW, BY_DST), (NARROW, BY_SPORT)
        self.assertEqual(self.hashed_by("eth ipv4 udp", *steps, 2), "src")

    def test_a_symmetric_rule_takes_the_place_of_another(self):
        for first, second, same in (("ipv4-udp", "symmetric ipv4-udp", True),
                                    ("symmetric ipv4-udp", "ipv4-udp", False)):
            self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", *rules.SWAPS))
            self.create(hash_rule(NARROW, first))
            self.create(hash_rule(NARROW, second), 1)
            one, swapped = self.receive()
            self.assertEqual(one.hash == swapped.hash, same, second)
            self.renew(vary("eth ipv4 udp"))
            self.create(hash_rule(NARROW, first))
            self.create(hash_rule(NARROW, second), 1)
            self.destroy(1)
            self.assertIsNone(self.receive()[0].hash)

    def test_uplink_and_downlink_live_side_by_side(self):
        up, down = (UP, BY_SRC), (DOWN, BY_DST)
        for steps in ((up, down), (down, up)):
            self.assertEqual(self.hashed_by("eth ipv4 udp gtpu up ipv4", *steps), "src")
            self.assertEqual(self.hashed_by("eth ipv4 udp gtpu down ipv4", *steps), "dst")
        self.assertIsNone(self.hashed_by("eth ipv4 udp gtpu up ipv4", up, down, 0))
        self.assertEqual(self.hashed_by("eth ipv4 udp gtpu down ipv4", up, down, 0), "dst")


class OnTop(Case):
    """A port that hashes by itself."""

    options = ("--rss-ip",)
    rss_hf = "ip"

    def test_the_ports_own_comes_back(self):
        own = "src dst"
        self.assertEqual(self.hashed_by("eth ipv4 udp"), own)
        self.assertEqual(self.hashed_by("eth ipv4 udp", (NARROW, "ipv4-udp")), "src dst sport dport")
        self.assertEqual(self.hashed_by("eth ipv4 udp", (NARROW, BY_SPORT), 0), own)
        self.assertEqual(self.hashed_by("eth ipv4 udp", (NARROW, BY_SPORT), (NARROW, BY_SRC), 1), own)
        self.assertEqual(self.hashed_by("eth ipv4 tcp", (NARROW, BY_SPORT)), own)

    def test_the_redirection_table_is_the_rules_too(self):
        self.renew(vary("eth ipv4 udp"))
        self.create(hash_rule(NARROW, BY_SPORT))
        value = self.receive()[0].hash
        queue = (value + 5) % QUEUES
        self.pmd.command(f"port config 0 rss reta ({value % harness.RETA_SIZE},{queue})")
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "sport"))
        self.create(hash_rule(NARROW, BY_SPORT))
        one, other = self.receive()
        self.assertEqual((one.hash, one.queue), (value, queue))
        self.check_queue(other, "another source port")
        self.pmd.command(f"port config 0 rss reta ({value % harness.RETA_SIZE},{value % QUEUES})")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
