#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""If you know i40e's DDP from testpmd's prompt, you find everything where it was: with the bridge
preloaded, the commands of Debian's unmodified testpmd add, list, explain and delete profiles of net_ddp
ports and map their packet types. Without it they could be used on one NIC alone."""

import re
import shutil
import sys
import unittest

from support import harness, testpmd

QUEUES = 4
COMMS = harness.intel_package("ice_comms-1.3.31.0.pkg")
UNKNOWN = 0  # RTE_PTYPE_UNKNOWN
USER_DEFINED = 0x80000007  # i40e's documentation has such packet types

TINY = """profile: tiny
version: 2.3.4
summary: a header of the test's own
requires: [base]

headers:
  tiny:
    after: udp(dport=7777)
    layout: id:32
    next: ip

packet_types:
  TINY:
    path: link ip udp tiny
  TINY_UDP:
    path: link ip udp tiny ip udp
    rss: tiny.id
"""
setUpModule = testpmd.set_up_module


class Case(harness.TestCase):
    """Ports 0, a net_ddp without a profile (1 is its lower port), and 2, which is no net_ddp."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", cls.folder)
        cls.write("tiny.yaml", TINY)
        cls.mix = cls.traffic("--kind", "mix", "--ues", 10, "--packets-per-flow", 1)

    @classmethod
    def write(cls, name, content):
        path = cls.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def start(self, capture):
        """testpmd with its ports stopped; it reads the capture when they are started."""
        player = testpmd.Player(capture)
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={player.path.name}),overflow=wait"
        pmd = testpmd.Testpmd(self, [vdev, "net_null0"], f"--rxq={QUEUES}", f"--txq={QUEUES}",
                              preload=harness.tools["bridge"])
        pmd.commands("set fwd rxonly", "set verbose 1", "set portlist 0", "port stop all")
        return pmd

    def replay(self, pmd, capture, stop=True):
        """The packets of a capture, as printed, in its order."""
        player = testpmd.Player(capture)
        pmd.command("port start all")
        seen = pmd.receive(player, len(harness.pcap_frames(capture)))
        if stop:
            pmd.command("port stop all")
        return sorted(seen, key=lambda packet: packet.n)

    def check_replay(self, pmd, capture, profile):
        """Packets go where ddpctl says they go with this profile, and are of its packet types."""
        expected = harness.classify(profile, capture, "--queues", QUEUES, "--rss-hf", "ip")
        seen = self.replay(pmd, capture)
        self.assertEqual([(packet.hash, packet.queue) for packet in seen],
                         [(packet["hash"] and int(packet["hash"], 16), packet["queue"])
                          for packet in expected])
        return seen, expected

    def names(self, pmd, port=0):
        text = pmd.command(f"ddp get list {port}")
        names = re.findall("(?m)^Profile name: (.*)$", text)
        self.assertIn(f"Profile number is: {len(names)}\n", text)
        return names

    def mapping(self, pmd, valid_only=0):
        lines = pmd.command(f"ptype mapping get 0 {valid_only}").splitlines()
        return {int(id): int(value, 16) for id, value in (line.split() for line in lines)}


class Transcript(Case):
    def test_add_list_delete(self):
        pmd = self.start(self.mix)
        self.assertEqual(pmd.command("ddp get list 0"), "Profile number is: 0\n\n")
        self.assertEqual(pmd.command("ddp add 0 gtpu.yaml,backup"), "")
        self.assertRegex(pmd.command("ddp get list 0"),
                         "^Profile number is: 1\n\nProfile 0:\nTrack id:     0xdd[0-9a-f]{6}\n"
                         r"Version:      1\.0\.0\.0" "\nProfile name: gtpu\n\n$")
        self.assertEqual((self.folder / "backup").read_bytes(),
                         (self.folder / "gtpu.yaml").read_bytes())
        self.assertEqual(pmd.command("ddp add 0 tiny.yaml"), "")
        self.assertEqual(self.names(pmd), ["gtpu", "tiny"])
        self.assertEqual(pmd.command("ddp del 0 backup"), "")
        self.assertEqual(self.names(pmd), ["tiny"])
        self.assertEqual(pmd.command("ddp del 0 tiny.yaml"), "")
        self.assertEqual(self.names(pmd), [])
        # A list is exchanged.
        (self.folder / "list").write_text("profiles: vxlan+gtpu:teid\n")
        (self.folder / "bad").write_text("profiles: nosuch")
        pmd.command("ddp add 0 tiny.yaml")
        self.assertEqual(pmd.command("ddp add 0 list"), "")
        self.assertEqual(self.names(pmd), ["vxlan", "gtpu"])
        self.assertIn("nosuch", pmd.command("ddp add 0 bad"))
        self.assertEqual(self.names(pmd), ["vxlan", "gtpu"])
        pmd.quit()

    def test_packets_are_classified_by_what_was_added(self):
        pmd = self.start(self.mix)
        self.check_replay(pmd, self.mix, "base")
        pmd.command("ddp add 0 gtpu.yaml,backup")
        seen, _ = self.check_replay(pmd, self.mix, "gtpu")
        self.assertIn("TUNNEL_GTPU", {word for packet in seen for word in packet.ptype})
        pmd.command("ddp del 0 backup")
        seen, _ = self.check_replay(pmd, self.mix, "base")
        self.assertNotIn("TUNNEL_GTPU", {word for packet in seen for word in packet.ptype})
        pmd.quit()

    def test_the_page_of_a_profile(self):
        pmd = self.start(self.mix)
        pmd.command("ddp add 0 tiny.yaml")
        track = re.search("Track id: +(0x.*)", pmd.command("ddp get list 0"))[1]
        page = pmd.command("ddp get info tiny.yaml")
        numbers = {name: int(id) for id, name in re.findall(r"(?m)^ +(\d+): (\w+)$", page)}
        self.assertEqual(set(numbers), {"eth", "ipv4", "ipv6", "udp", "tiny"})
        ids = sorted(self.mapping(pmd))[-2:]  # the last ones are those just added
        protocols = "".join(f"  {id:2}: {name}\n" for name, id in
                            sorted(numbers.items(), key=lambda item: item[1]))
        udp_types = "".join(f"  {ids[1]:2}: eth {outer} udp tiny {inner} udp\n"
                            for outer in ("ipv4", "ipv6") for inner in ("ipv4", "ipv6"))
        self.assertEqual(page, f"""Global Track id:       {track}
Global Version:        2.3.4.0
Global Package name:   tiny

i40e Profile Track id: {track}
i40e Profile Version:  2.3.4.0
i40e Profile name:     tiny

Package Notes:
a header of the test's own

List of used protocols:
{protocols}
List of defined packet classification types:
{udp_types}
List of defined packet types:
  {ids[0]:2}: eth ipv4 udp tiny
  {ids[0]:2}: eth ipv6 udp tiny
{udp_types}
""")
        for profile in ("base", "gtpu-over-gre", "all"):
            shutil.copy(harness.SOURCE_ROOT / "profiles" / f"{profile}.yaml", self.folder)
            with self.subTest(profile=profile):
                page = pmd.command(f"ddp get info {profile}.yaml")
                self.assertIn(f"Global Package name:   {profile}\n", page)
                types = page.partition("List of defined packet types:\n")[2].splitlines()
                self.assertRegex(types[0], "^ +[0-9]+: eth")
                self.assertEqual(len(types), len(set(types)))
        pmd.quit()


class Mapping(Case):
    def test_types_are_mapped(self):
        """port/tunnels_test.c checks packets, and has more."""
        pmd = self.start(self.mix)
        pmd.command("ddp add 0 tiny.yaml")
        default = self.mapping(pmd)
        tiny, tiny_udp = sorted(default)[-2:]  # the last ones are those just added
        self.assertEqual(pmd.command(f"ptype mapping update 0 {tiny_udp} 0x11"), "")
        self.assertEqual(self.mapping(pmd), {**default, tiny_udp: 0x11})
        self.assertEqual(pmd.command(f"ptype mapping update 0 {tiny} {UNKNOWN}"), "")
        self.assertEqual(set(default) - set(self.mapping(pmd, valid_only=1)), {tiny})
        self.assertEqual(pmd.command("ptype mapping reset 0"), "")
        self.assertEqual(self.mapping(pmd), default)
        # A mask means all types without other bits.
        l2_l3 = 0xff
        self.assertEqual(pmd.command(f"ptype mapping replace 0 {l2_l3} 1 {USER_DEFINED}"), "")
        self.assertEqual(self.mapping(pmd), {id: USER_DEFINED if value and value & ~l2_l3 == 0 else value
                                             for id, value in default.items()})
        pmd.command("ptype mapping reset 0")
        text = pmd.command("ptype mapping update 0 200 0x11")
        self.assertRegex(text, "^net_ddp: port 0: .*200.*\n.*\n$")
        self.assertEqual(self.mapping(pmd), default)
        pmd.quit()


@unittest.skipUnless(COMMS.exists(), "scripts/packages fetches Intel's packages")
class Package(Case):
    def test_the_port_becomes_the_nic_of_a_package(self):
        """ddp add takes Intel's own file, as it would for the NIC."""
        shutil.copy(COMMS, self.folder / "comms.pkg")
        pmd = self.start(self.mix)
        self.assertEqual(pmd.command("ddp add 0 comms.pkg"), "")
        self.assertEqual(self.names(pmd), ["ICE-COMMS-Package"])
        self.assertIn("cannot be joined", pmd.command("ddp add 0 tiny.yaml"))
        self.check_replay(pmd, self.mix, COMMS)
        self.assertEqual(pmd.command("ddp del 0 comms.pkg"), "")
        self.assertEqual(self.names(pmd), [])
        pmd.quit()


class Refusals(Case):
    def check(self, pmd, command, *patterns):
        """A command's answer: one line for each pattern."""
        lines = pmd.command(command).splitlines()
        self.assertEqual(len(lines), len(patterns), lines)
        for line, pattern in zip(lines, patterns):
            self.assertRegex(line, f"^{pattern}$")

    def test_what_cannot_be_added_or_deleted(self):
        self.write("syntax.yaml", "profile: syntax\nheaders: [eth\n")
        self.write("field.yaml", TINY.replace("tiny.id", "tiny.nonsense"))
        self.write("empty", "")
        self.write("gtp.pkg", bytes(range(256)))
        pmd = self.start(self.mix)
        failed = "Failed to load profile."
        self.check(pmd, "ddp add 0 missing.yaml", "open_file: Failed to open missing.yaml")
        self.check(pmd, "ddp add 0 syntax.yaml", r"net_ddp: port 0: .*:\d+:\d+: error: .*", failed)
        self.check(pmd, "ddp add 0 field.yaml",
                   r"net_ddp: port 0: .*:\d+:\d+: error: .*'nonsense'.*", failed)
        self.check(pmd, "ddp add 0 empty", r"net_ddp: port 0: .*error: the file is empty", failed)
        self.check(pmd, "ddp add 0 gtp.pkg", "net_ddp: port 0: <text>:0x4: error: .*", failed)
        self.check(pmd, "ddp add 0 /dev/null", "open_file: File operations failed")
        self.check(pmd, "ddp add 0 gtpu.yaml")
        self.check(pmd, "ddp add 0 gtpu.yaml", "net_ddp: port 0: .*'gtpu'.*",
                   "Profile has already existed.")
        self.check(pmd, "ddp del 0 tiny.yaml", "net_ddp: port 0: .*'tiny'.*",
                   "Profile does not exist.")
        self.check(pmd, "ddp del 0 gtp.pkg", "net_ddp: port 0: <text>:0x4: error: .*",
                   "Failed to delete profile.")
        self.assertEqual(self.names(pmd), ["gtpu"])
        self.check(pmd, "ddp get info field.yaml", r".*:\d+:\d+: error: .*'nonsense'.*")
        self.replay(pmd, self.mix, stop=False)
        for command in ("ddp add 0 tiny.yaml", "ddp del 0 gtpu.yaml"):
            self.check(pmd, command, "Please stop all ports first")
        pmd.command("port stop all")
        # Other ports are left to i40e: as testpmd answers without the bridge.
        self.check(pmd, "ddp add 1 gtpu.yaml", "Failed to load profile.")
        self.check(pmd, "ddp del 1 gtpu.yaml", "Failed to delete profile.")
        self.check(pmd, "ddp get list 1", "Failed to get ddp list")
        for command in ("get 1 0", "update 1 1 1", "replace 1 1 0 1", "reset 1"):
            self.check(pmd, f"ptype mapping {command}", "function not implemented")
        self.check(pmd, "ddp get list 7", "(ETHDEV: )?Invalid port_id=7", "Failed to get ddp list")
        pmd.quit()


if __name__ == "__main__":
    if sys.argv[-1] == "none":
        harness.skip("this DPDK has no net_i40e, so testpmd has no ddp commands")
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "bridge")
