#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""net_ddp with an Intel package is the NIC with that package: stock testpmd shows each packet on the
queue, and with the hash, that the model of the NIC says when ddpctl asks it without net_ddp.

    testpmd_package_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, testpmd  # noqa: E402
from packets import DATA, eth, ipv4, packet, tcp, udp, vxlan_gpe  # noqa: E402
from testpmd_packets_test import CAPTURES, RSS_ALL, USUAL, Case, real_frames  # noqa: E402

OS = harness.intel_package("ice-1.3.30.0.pkg")
COMMS = harness.intel_package("ice_comms-1.3.31.0.pkg")


def setUpModule():
    testpmd.set_up_module()
    if not OS.exists() or not COMMS.exists():
        harness.skip("no packages of Intel's (scripts/packages fetches them)")


class Package(Case):
    def short(self, package):
        """A name that fits a vdev's arguments."""
        path = self.folder / "nic.pkg"
        path.unlink(missing_ok=True)
        path.symlink_to(package)
        return path

    def test_gtpu_is_told_apart_by_comms_alone(self):
        path = self.traffic("--kind", "n3-up", "--ues", 40)
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
        names, frames = zip(*real_frames())
        path = self.capture("real", frames)
        for package in (OS, COMMS):
            for settings in (USUAL, RSS_ALL):
                with self.subTest(package=package.name, settings=settings):
                    self.compare(path, self.short(package), settings, names)

    @unittest.skipUnless(CAPTURES.is_dir(), "no folder of real captures")
    def test_tunnel_ports_and_double_vlan_are_parameters(self):
        names, frames = zip(*real_frames())
        path = self.capture("real", frames)
        profile = f"{self.short(COMMS)};vxlan_port=4789;geneve_port=6081;dvm=1"
        self.compare(path, profile, RSS_ALL, names)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
