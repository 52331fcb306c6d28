#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl predicts on a desk what a data path does: stock testpmd with net_ddp shows
each packet on the queue, and with the hash, that ddpctl predicts for it.

Each packet of a capture has a time of its own, which testpmd prints: so the two are matched."""

import unittest

from support import harness, odd_frames, testpmd
from packets import DATA, eth, ipv4, packet, tcp, udp, vxlan, vxlan_gpe

CAPTURES = harness.SOURCE_ROOT.parent / "shared" / "captures"
OS, COMMS = map(harness.intel_package, ("ice-1.3.30.0.pkg", "ice_comms-1.3.31.0.pkg"))
QUEUES = 8
SHOWN = 10  # wrong packets in a message
FIRST = 150  # packets of a real capture

# Options and commands of testpmd, and the same for ddpctl.
USUAL = ([], [], ["--rss-hf", "ip"])  # which only base takes for an answer
RSS_UDP = ([], ["port config all rss udp"], ["--rss-hf", "udp"])
RSS_ALL = ([], ["port config all rss all"], ["--rss-hf", "all"])
RSS_NONE = ([], ["port config all rss none"], ["--rss-hf", "none"])

setUpModule = testpmd.set_up_module


def answer_of(packet):
    """ddpctl's answer about a packet, in the form of Packet.answer()."""
    value = packet["hash"] and int(packet["hash"], 16)
    return {"length": packet["len"], "hash": value, "queue": packet["queue"],
            "RSS queue": None if value is None else packet["queue"]}


def real_frames():
    """The first packets of each real capture, as far as testpmd can print them, with their names."""
    return [(f"{path.name} packet {n}", frame) for path in sorted(CAPTURES.glob("*.*cap"))
            for n, (frame, _) in enumerate(harness.pcap_frames(path)[:FIRST], 1)
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


class Traffic(Case):
    def test_each_profile_and_setting(self):
        """Without a profile, as testpmd asks: addresses, ports of UDP alone, all; gtpu; without RSS whatever the profile."""
        mix = self.traffic("--kind", "mix", "--ues", 30, "--packets-per-flow", 1)
        for profile, settings in (("", USUAL), ("", RSS_UDP), ("", RSS_ALL), ("gtpu", USUAL), ("gtpu", RSS_NONE),
                                  ("gtpu;port=2153", USUAL)):
            with self.subTest(profile=profile, settings=settings):
                seen, _ = self.compare(mix, profile, settings)
                self.assertEqual(any("TUNNEL_GTPU" in packet.ptype for packet in seen), profile == "gtpu")

    def test_gtpu_over_outer_ipv6_with_vlan_and_without_container(self):
        frames = [frame for options in (["--outer", "ipv6", "--vlan", 7], ["--no-psc"], ["--snaplen", 60])
                  for frame in harness.pcap_frames(self.traffic("--ues", 20, "--packets-per-flow", 1, *options))]
        self.compare(self.capture("around", frames), "gtpu")

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


class Frames(Case):
    """Odd and real ones."""

    def compare_odd(self, frames, profile, settings, names=None):
        seen, expected = self.compare(self.capture("odd", frames), profile, settings, names)
        # These frames are of use only if they take different ways through net_ddp.
        self.assertGreater(len({packet["ptype"] for packet in expected}), 8)
        self.assertLessEqual({"ok", "error", "loop"}, {packet["status"] for packet in expected})
        self.assertIn(None, {packet.hash for packet in seen})
        self.assertGreater(max(packet.n_segs for packet in seen), 1)

    def test_each_profile(self):
        frames = [(f"odd {n}", frame) for n, frame in enumerate(odd_frames.PRINTABLE, 1)]
        if CAPTURES.is_dir():
            frames += real_frames()
        else:
            print("skipped: no folder of real captures")
        names, frames = zip(*frames)
        for profile, settings in (("", RSS_ALL), ("gtpu", USUAL), ("gtpu:ue", USUAL)):
            with self.subTest(profile=profile):
                self.compare_odd(frames, profile, settings, names)


@unittest.skipUnless(OS.exists() and COMMS.exists(), "no packages of Intel's (scripts/packages fetches them)")
class Package(Case):
    """net_ddp with an Intel package is the NIC with that package, as the model of the NIC says when ddpctl asks it."""

    def short(self, package):
        """A name that fits a vdev's arguments."""
        path = self.folder / "nic.pkg"
        path.unlink(missing_ok=True)
        path.symlink_to(package)
        return path

    def test_gtpu_is_told_apart_by_comms_alone(self):
        path = self.traffic("--kind", "n3-up", "--ues", 10)
        for package, even in ((OS, False), (COMMS, True)):
            with self.subTest(package=package.name):
                seen, expected = self.compare(path, self.short(package), RSS_ALL)
                self.assertEqual(any("GTPU" in packet["ptype"] for packet in expected), even)
                self.assertEqual(len({packet.queue for packet in seen}) > 4, even)

    def test_a_tunnels_oam_packets_have_no_hash(self):
        """As on the NIC: they stay on queue 0, and the mbuf has no hash."""
        frames = [packet(eth(), ipv4(f"192.0.2.{n}"), udp(1000 + n), vxlan_gpe(7, flags=flags), eth(),
                         ipv4(f"10.0.0.{n}"), tcp(n), DATA)
                  for n in range(1, 31) for flags in (0x0c, 0x0d)]
        seen, _ = self.compare(self.capture("oam", frames), self.short(COMMS), RSS_ALL)
        answers = sorted(seen, key=lambda each: each.n)
        self.assertEqual([each.hash is None for each in answers], [False, True] * 30)
        self.assertEqual({each.queue for each in answers[1::2]}, {0})

    @unittest.skipUnless(CAPTURES.is_dir(), "no folder of real captures")
    def test_real_packets(self):
        """Also with tunnel ports and double VLAN as parameters."""
        names, frames = zip(*real_frames())
        path = self.capture("real", frames)
        for package, more, settings in ((OS, "", USUAL), (COMMS, "", RSS_ALL),
                                        (COMMS, ";vxlan_port=4789;geneve_port=6081;dvm=1", RSS_ALL)):
            with self.subTest(package=package.name, more=more):
                self.compare(path, f"{self.short(package)}{more}", settings, names)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
