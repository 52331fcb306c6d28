#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a user learns from ddpctl on a desk holds in a data path: stock testpmd with net_ddp shows
each packet on the queue, and with the hash, that ddpctl predicts for it.

Each packet of a capture has a time of its own, which testpmd prints: so the two are matched.

    testpmd_packets_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import collections
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, marks, odd_frames, testpmd  # noqa: E402
from packets import DATA, eth, ipv4, packet, udp, vxlan  # noqa: E402

CAPTURES = harness.SOURCE_ROOT.parent / "shared" / "captures"
QUEUES = 8
SHOWN = 10  # wrong packets in a message

# Options and commands of testpmd, and the same for ddpctl.
USUAL = ([], [], ["--rss-hf", "ip"])  # which only base takes for an answer
RSS_UDP = ([], ["port config all rss udp"], ["--rss-hf", "udp"])
RSS_ALL = ([], ["port config all rss all"], ["--rss-hf", "all"])
RSS_NONE = ([], ["port config all rss none"], ["--rss-hf", "none"])

# Headers of a path, and what the mbuf's packet type says for each: outermost, and in a tunnel.
PTYPE_WORDS = {
    "eth": ("L2_ETHER", None),
    "ipv4": ("L3_IPV4_EXT_UNKNOWN", "INNER_L3_IPV4_EXT_UNKNOWN"),
    "ipv6": ("L3_IPV6_EXT_UNKNOWN", "INNER_L3_IPV6_EXT_UNKNOWN"),
    "tcp": ("L4_TCP", "INNER_L4_TCP"), "udp": ("L4_UDP", "INNER_L4_UDP"),
    "gtpu": ("TUNNEL_GTPU", None),
}

setUpModule = testpmd.set_up_module


def ptype_words(packet):
    """Of the packet type, as the path of a packet leads to expect, where it has no surprises."""
    words = set()
    inner = False
    for token in packet["chain"]:
        words.add(PTYPE_WORDS.get(token, (None, None))[inner])
        inner = inner or token == "gtpu"
    return words - {None}


def answer_of(packet):
    """What ddpctl says of a packet, in the form of Packet.answer()."""
    value = packet["hash"] and int(packet["hash"], 16)
    return {"length": packet["len"], "hash": value, "queue": packet["queue"],
            "RSS queue": None if value is None else packet["queue"]}


def real_frames():
    """All packets of the real captures that testpmd can print, with their names."""
    return [(f"{path.name} packet {n}", frame) for path in sorted(CAPTURES.glob("*.*cap"))
            for n, (frame, _) in enumerate(harness.pcap_frames(path), 1)
            if len(frame) >= odd_frames.ETHERNET_SIZE]


class Case(harness.TestCase):
    more = "" # arguments of the port

    def lower(self, path):
        return f"net_pcap0,rx_pcap={path}"

    def replay(self, capture, n_packets, profile="", settings=USUAL):
        """All packets of a capture as testpmd prints them."""
        options, commands, _ = settings
        player = testpmd.Player(capture)
        vdev = f"net_ddp0,dev({self.lower(player.path.name)}),overflow=wait"
        if profile:
            vdev += f",profile={profile}"
        pmd = testpmd.Testpmd(self, [vdev + self.more], f"--rxq={QUEUES}", f"--txq={QUEUES}",
                              *options)
        pmd.commands("set fwd rxonly", "set verbose 1", *commands)
        packets = pmd.receive(player, n_packets)
        self.xstats = pmd.xstats()
        pmd.quit()
        return packets

    def compare(self, capture, profile="", settings=USUAL, names=None):
        """Replay a capture and expect of each packet what ddpctl says."""
        expected = harness.classify(profile or "base", capture, "--queues", QUEUES, *settings[2])
        seen = self.replay(capture, len(expected), profile, settings)
        self.assertEqual(sorted(packet.n for packet in seen), list(range(len(expected))))
        self.check_each(seen, testpmd.Packet.answer, [answer_of(packet) for packet in expected],
                        names)
        self.check_order(seen)
        return seen, expected

    def check_each(self, seen, answer, expected, names=None):
        """Expect an answer of each packet, and show some that are wrong."""
        wrong = [f"{names[packet.n] if names else packet.n + 1}: {answer(packet)}, not "
                 f"{expected[packet.n]}" for packet in seen if answer(packet) != expected[packet.n]]
        if wrong:
            self.fail("\n".join([f"{len(wrong)} of {len(seen)} packets:", *wrong[:SHOWN]]))

    def check_order(self, seen):
        """Each queue must deliver in the order of the capture."""
        for queue in range(QUEUES):
            order = [packet.n for packet in seen if packet.queue == queue]
            self.assertEqual(order, sorted(order), f"queue {queue}")

    def check_ptypes(self, seen, expected):
        self.check_each(seen, lambda packet: set(packet.ptype),
                        [ptype_words(packet) for packet in expected])


class Traffic(Case):
    def test_without_a_profile_hashes_addresses_as_testpmd_asks(self):
        seen, expected = self.compare(self.mix())
        self.check_ptypes(seen, expected)

    def test_rss_udp_hashes_ports_of_udp_and_nothing_of_tcp(self):
        seen, _ = self.compare(self.mix(), settings=RSS_UDP)
        self.assertEqual({packet.hash is None for packet in seen if "L4_TCP" in packet.ptype},
                         {True})
        self.assertEqual({packet.hash is None for packet in seen if "L4_UDP" in packet.ptype},
                         {False})

    def test_rss_all_hashes_outer_ports(self):
        self.compare(self.mix(), settings=RSS_ALL)

    def test_gtpu_sees_inside_tunnels(self):
        seen, expected = self.compare(self.mix(), "gtpu")
        self.check_ptypes(seen, expected)
        self.assertGreater(len({packet.hash for packet in seen if "TUNNEL_GTPU" in packet.ptype}),
                           900)

    def test_rss_none_turns_hashing_off_whatever_the_profile(self):
        seen, _ = self.compare(self.mix(), "gtpu", RSS_NONE)
        self.assertEqual({(packet.hash, packet.queue) for packet in seen}, {(None, 0)})

    def test_gtpu_over_outer_ipv6_with_vlan_and_without_container(self):
        for options in (["--outer", "ipv6", "--vlan", 7], ["--no-psc"], ["--snaplen", 60]):
            capture = self.traffic("--ues", 50, "--packets-per-flow", 1, *options)
            with self.subTest(options=options):
                self.compare(capture, "gtpu")

    def test_a_parameter_moves_the_tunnel_port(self):
        seen, _ = self.compare(self.traffic("--ues", 50), "gtpu;port=2153")
        self.assertEqual({"TUNNEL_GTPU" in packet.ptype for packet in seen}, {False})

    def test_a_declared_udp_port_is_as_one_that_the_profile_names(self):
        inner = [(ipv4(f"10.0.0.{n}"), udp(1000 + n, 2000), DATA) for n in range(20)]
        capture = self.capture("vxlan", [packet(eth(), ipv4(), udp(dport=port), vxlan(7), eth(), *one)
                                         for port in (4789, 8472, 8473) for one in inner])
        add = "port config 0 udp_tunnel_port add vxlan "
        rm = "port config 0 udp_tunnel_port rm vxlan "
        for ports, commands in (("port=4789;port=8472", [add + "8472"]),
                                ("port=4789", [add + "8472", add + "8473", rm + "8472", rm + "8473"])):
            expected = harness.classify(f"vxlan;{ports}", capture, "--queues", QUEUES)
            seen = self.replay(capture, len(expected), "vxlan", ([], commands, []))
            self.check_each(seen, testpmd.Packet.answer, [answer_of(one) for one in expected])
            self.assertEqual({"TUNNEL_VXLAN" in one.ptype for one in seen}, {True, False})

    def test_both_directions_of_a_ue_meet_on_n3_and_n6(self):
        capture = self.mix()
        frames = [frame for frame, _ in harness.pcap_frames(capture)]
        seen, _ = self.compare(capture, "gtpu:ue")
        queues = collections.defaultdict(collections.Counter)
        for packet in seen:
            queues[marks.ue(frames[packet.n])][packet.queue] += 1
        self.assertEqual(len(queues), 150)
        for ue, found in queues.items():
            # 8 flows in each of the 4 kinds
            self.assertEqual(list(found.values()), [32], f"UE {ue}: {dict(found)}")
        self.assertEqual(len({queue for found in queues.values() for queue in found}), QUEUES)

    def mix(self):
        return self.traffic("--kind", "mix", "--ues", 150, "--packets-per-flow", 1)


class OddFrames(Case):
    def test_each_profile(self):
        self.compare_odd("", RSS_ALL)
        for profile in ("gtpu", "gtpu:ue"):
            with self.subTest(profile=profile):
                self.compare_odd(profile)

    def compare_odd(self, profile, settings=USUAL):
        capture = self.capture("odd", odd_frames.PRINTABLE)
        seen, expected = self.compare(capture, profile, settings)
        # These frames are of use only if they take different ways through net_ddp.
        self.assertGreater(len({packet["ptype"] for packet in expected}), 8)
        self.assertLessEqual({"ok", "error", "loop"}, {packet["status"] for packet in expected})
        self.assertIn(None, {packet.hash for packet in seen})
        self.assertGreater(max(packet.n_segs for packet in seen), 1)


@unittest.skipUnless(CAPTURES.is_dir(), "no folder of real captures")
class RealCaptures(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names, frames = zip(*real_frames())
        cls.path = cls.capture("real", frames)

    def test_each_profile(self):
        for profile, settings in (("", USUAL), ("", RSS_ALL), ("gtpu", USUAL), ("gtpu:ue", USUAL)):
            with self.subTest(profile=profile, settings=settings):
                self.compare(self.path, profile, settings, self.names)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
