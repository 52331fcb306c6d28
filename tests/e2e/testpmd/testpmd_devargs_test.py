#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A mistake in the arguments of net_ddp must be told in one line that says what is wrong, and where
in a file, and must not take testpmd and its other ports with it. Else an operator is left with
EAL's -22.

    testpmd_devargs_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, testpmd  # noqa: E402

# A sample of what port/devargs_test.c has, and what only probing finds. What is given for {capture} works. The line must begin with the name of the port and match.
LOWER = "dev(net_pcap{n},rx_pcap={capture})"
MISTAKES = [
    ("dev(net_pcap{n},rx_pcap={capture}", r"the parenthesis of 'dev\(net_pcap.*' is not closed"),
    ("dev(net_nonsense0)", r"no bus or driver for the lower device 'net_nonsense0'"),
    ("dev(net_pcap{n},rx_pcap=no_capture)",
     r"lower device 'net_pcap\d+,rx_pcap=no_capture' cannot be probed: .*"),
    (LOWER + ",profile=nonsense", r"error: profile 'nonsense' not found in .*profiles.*"),
    (LOWER + ",profile=./syntax.yaml", r"\./syntax\.yaml:4:1: error: .*"),
    (LOWER + ",profile=./field.yaml", r"\./field\.yaml:8:\d+: error: .*'nonsense'.*"),
    (LOWER + ",profile=gtpu:nonsense", r".*error: .*'nonsense'.*"),
    (LOWER + ",overflow=maybe", r"overflow is drop or wait, not 'maybe'"),
    (LOWER + ",lower_queues=2", r"lower device net_pcap\d+ has 1 Rx queues, 2 are needed"),
    ("dev(net_ddp{n},dev(net_null{n}))", r"the lower device net_ddp\d+ is this port itself"),
]

SYNTAX_ERROR = """profile: syntax
version: 1.0.0
headers: [eth
"""
FIELD_ERROR = """profile: field
version: 1.0.0
requires: [base]

packet_types:
  IPV4_UDP_BY_NONSENSE:
    path: eth ipv4 udp
    rss: ipv4.src udp.nonsense
"""

setUpModule = testpmd.set_up_module


class Devargs(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = cls.traffic("--ues", 10)
        (cls.folder / "syntax.yaml").write_text(SYNTAX_ERROR)
        (cls.folder / "field.yaml").write_text(FIELD_ERROR)
        (cls.folder / "no_capture").write_text("no capture, but long enough for a header of one")

    def vdev(self, n, arguments):
        """With names of devices that no other has."""
        return f"net_ddp{n}," + arguments.format(n=n, capture=self.good.name)

    def lines_of(self, n, text):
        return re.findall(rf"(?m)^net_ddp{n}: (.*)$", text)

    def check(self, n, text, pattern):
        lines = self.lines_of(n, text)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], rf"^{pattern}$")

    def test_each_mistake_is_told_at_the_start_and_the_good_port_works(self):
        vdevs = [self.vdev(n, arguments) for n, (arguments, _) in enumerate(MISTAKES)]
        good = len(vdevs)
        vdevs.append(self.vdev(good, LOWER + ",profile=gtpu,overflow=wait"))
        pmd = testpmd.Testpmd(self, vdevs, "--rxq=4", "--txq=4", "--forward-mode=rxonly")
        for n, (arguments, pattern) in enumerate(MISTAKES):
            with self.subTest(arguments=arguments):
                self.check(n, pmd.banner, pattern)
        self.assertEqual(self.lines_of(good, pmd.banner), [])
        self.assertRegex(pmd.command("show port summary all"),
                         rf"available ports: 1\nPort .*\n0 .* net_ddp{good} +net_ddp +up")
        pmd.command("start")
        n_packets = len(harness.pcap_frames(self.good))
        pmd.wait(lambda: pmd.stats()["RX-packets"] == n_packets, f"{n_packets} packets")
        pmd.command("stop")
        pmd.quit()

    def test_each_mistake_is_told_at_the_prompt_and_can_be_mended(self):
        pmd = testpmd.Testpmd(self, [])
        pmd.command("set port setup on iterator")
        for arguments, pattern in MISTAKES:
            with self.subTest(arguments=arguments):
                text = pmd.command("port attach " + self.vdev(0, arguments))
                self.check(0, text, pattern)
                self.assertIn("available ports: 0", pmd.command("show port summary all"))
        # Nothing is left of them that would be in the way.
        text = pmd.command("port attach " + self.vdev(0, LOWER + ",profile=gtpu"))
        self.assertEqual(self.lines_of(0, text), [])
        self.assertIn("Now total ports is 1", text)
        pmd.command("port start all")
        self.assertIn("Device name: net_ddp0", pmd.command("show port info 0"))
        pmd.quit()

    def test_without_the_port_testpmd_runs_on(self):
        pmd = testpmd.Testpmd(self, [self.vdev(0, LOWER + ",profile=nonsense")])
        self.assertEqual(len(self.lines_of(0, pmd.banner)), 1)
        self.assertIn("available ports: 0", pmd.command("show port summary all"))
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
