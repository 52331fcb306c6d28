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

    def test_both_versions_of_ip_live_side_by_side(self):
        steps = (WIDE, BY_SRC), ("eth / ipv6", "ipv6 l3-dst-only")
        self.assertEqual(self.hashed_by("eth ipv4", *steps), "src")
        self.assertEqual(self.hashed_by("eth ipv6", *steps), "dst")

    def test_a_rule_has_id_0_each_time(self):
        self.renew(vary("eth ipv4 udp"))
        for _ in range(100):
            self.create(hash_rule(NARROW, "ipv4-udp"))
            self.destroy()
        self.no_rules()
        self.create(hash_rule(NARROW, BY_SRC))
        self.assertEqual(self.receive()[0].hash, harness.toeplitz(bytes([10, 1, 0, 1])))

    def test_list_and_flush(self):
        self.renew(vary("eth ipv4 udp"))
        self.no_rules()
        for n, pattern in enumerate((WIDE, NARROW, "eth / ipv6")):
            self.create(hash_rule(pattern, "ipv6" if "6" in pattern else "ipv4"), n)
        listed = self.pmd.command("flow list 0").splitlines()
        self.assertEqual([line.split()[0] for line in listed[1:]], ["0", "1", "2"])
        self.assertIn("ETH IPV4 UDP => RSS", listed[2])
        self.pmd.command("flow flush 0")
        self.no_rules()
        self.assertIsNone(self.receive()[0].hash)

    def test_a_rule_that_is_only_validated_does_nothing(self):
        self.renew(vary("eth ipv4 udp"))
        self.assertIn("validated", self.pmd.command(f"flow validate 0 ingress {hash_rule(WIDE, 'ipv4')}"))
        self.no_rules()
        self.assertIsNone(self.receive()[0].hash)

    def test_many_patterns_at_once(self):
        """Each packet by its own rule."""
        packets = {"eth / ipv4 / udp": "eth ipv4 udp", "eth / ipv4 / tcp": "eth ipv4 tcp",
                   "eth / ipv4 / sctp": "eth ipv4 sctp", "eth / ipv4 / esp": "eth ipv4 esp",
                   "eth / ipv4 / ah": "eth ipv4 ah", UP: "eth ipv4 udp gtpu up ipv4",
                   DOWN: "eth ipv4 udp gtpu down ipv4", "eth / pppoes / ipv4": "eth pppoe ppp ipv4",
                   "eth / ipv4 / udp / vxlan / eth / ipv4": "eth ipv4 udp vxlan eth ipv4"}
        by = {pattern: BY_SRC if n % 2 else BY_DST for n, pattern in enumerate(packets)}
        self.renew(*(vary(text, *varied) for text in packets.values()
                     for varied in ((), ("src",), ("dst",))))
        for n, pattern in enumerate(packets):
            self.create(hash_rule(pattern, by[pattern]), n)
        seen = self.receive()
        for n, pattern in enumerate(packets):
            base, src, dst = (one.hash for one in seen[3 * n:3 * n + 3])
            self.assertIsNotNone(base, pattern)
            self.assertEqual((src != base, dst != base), (by[pattern] == BY_SRC, by[pattern] == BY_DST),
                             pattern)

    def test_what_a_dump_shows(self):
        self.renew()
        self.create(hash_rule(NARROW, BY_SRC))
        self.create(rule("eth / ipv4 dst is 192.0.2.5", "queue index 3 / count"), 1)
        self.assertEqual(
            self.pmd.command("flow dump 0 all").splitlines()[:2],
            ["priority 0: eth / ipv4 / udp: hash toeplitz ipv4.src",
             "priority 0: eth / ipv4 dst=192.0.2.5: queues 3; 0 packets, 0 bytes"])
        self.assertIn("queues 3", self.pmd.command("flow dump 0 rule 1").splitlines()[0])


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

    def test_a_list_of_queues_shares_packets_by_their_hash(self):
        queues = (3, 9, 5)
        frames = [vary("eth ipv4 udp", *([name] if name else []))
                  for name in ("", "src", "dst", "swap_ip")] + [vary("eth ipv4 tcp", "src")]
        self.renew(*frames, vary("eth ipv6 udp"))
        self.create(rule(WIDE, f"rss queues {' '.join(map(str, queues))} end"))
        *seen, other = self.receive()
        for one in seen:
            self.assertEqual(one.queue, queues[one.hash % len(queues)])
        self.check_queue(other, "eth ipv6 udp")

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
