#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An application that knows no tunnels sees users' packets: with decap=on, what stock testpmd gets
and sends on is, byte for byte, what tshark's reading of the capture leads to."""

import itertools
import struct

from support import harness, testpmd
import library_test
import tshark
import testpmd_packets_test as packets_test

ETHER_TYPES = {"ipv4": 0x0800, "ipv6": 0x86dd}
PROFILE = "gtpu"
SNAPLEN = 65535  # of an IP packet, and more than any has here


def setUpModule():
    testpmd.set_up_module()
    harness.need("tshark")
    library_test.profile_dir = harness.SOURCE_ROOT / "profiles"


def decapped(frame, headers):
    """The frame without its GTP-U tunnel; None if it has none, or comes in fragments."""
    tokens = [header.token for header in headers]
    ips = [header for header in headers if header.token in ETHER_TYPES]
    if "gtpu" not in tokens or len(ips) < 2 or ips[0].fields.get("ip.flags.mf") == "1":
        return None
    if "ipv6_frag" in tokens[:tokens.index("gtpu")]:
        return None
    inner = ips[1]
    return frame[:12] + struct.pack("!H", ETHER_TYPES[inner.token]) + frame[inner.off:]


class Decap(packets_test.Case):
    more = ",decap=on"

    def forward(self, capture, n_packets):
        sent = self.folder / "sent.pcap"
        vdev = (f"net_ddp0,dev(net_pcap0,rx_pcap={capture},tx_pcap={sent}),overflow=wait,"
                f"profile={PROFILE}{self.more}")
        pmd = testpmd.Testpmd(self, [vdev], "--port-topology=loop")
        pmd.commands("set fwd io", "start")
        pmd.wait(lambda: pmd.stats()["TX-packets"] == n_packets, "all packets sent")
        pmd.command("stop")
        self.xstats = pmd.xstats()
        pmd.command("port stop 0")
        pmd.quit()
        return [frame for frame, _ in harness.pcap_frames(sent)]

    def expected(self, capture):
        frames = [frame for frame, _ in harness.pcap_frames(capture)]
        # tshark 4.6 finds no IP in GTP-U whose length goes beyond the packet as it was sent
        cut = self.capture("cut", [(frame, SNAPLEN) for frame in frames])
        tokens = library_test.Profile(PROFILE).all_headers()
        return [(frame, decapped(frame, library_test.known_only(headers, tokens, len(frame))))
                for frame, headers in zip(frames, tshark.view(cut))]

    def test_packets_of_all_kinds(self):
        """Also over IPv6, and real ones. port/extras_test.c has odd ones, and other tunnels."""
        paths = [self.traffic("--kind", "mix", "--ues", 30, "--packets-per-flow", 1, "--ipv6", 30),
                 self.traffic("--kind", "n3-up", "--outer", "ipv6", "--ues", 10, "--ipv6", 50)]
        parts = [[frame for frame, _ in harness.pcap_frames(path)] for path in paths]
        if packets_test.CAPTURES.is_dir():
            parts.append([frame for _, frame in packets_test.real_frames()])
        else:
            print("skipped: no folder of real captures")
        capture = self.capture("all", itertools.chain(*parts))
        expected = self.expected(capture)
        sent = self.forward(capture, len(expected))
        for n, ((frame, inner), got) in enumerate(zip(expected, sent, strict=True), 1):
            self.assertEqual(got.hex(), (inner or frame).hex(), f"packet {n}")
        inners = [inner for _, inner in expected]
        for part, n_least in zip(parts, (100, 100, 5)):
            self.assertGreater(sum(inner is not None for inner in inners[:len(part)]), n_least)
            del inners[:len(part)]
        n_inner = sum(inner is not None for _, inner in expected)
        self.assertEqual(self.xstats["rx_decapped_packets"], n_inner)
        self.assertEqual(self.xstats["rx_not_decapped_packets"], len(expected) - n_inner)
        self.assertEqual(testpmd.unaccounted(self.xstats), 0)

    def test_ddpctl_writes_the_same(self):
        capture = self.traffic("--kind", "mix", "--ues", 10, "--packets-per-flow", 1)
        expected = self.expected(capture)
        written = self.folder / "written.pcap"
        for options, choose in ((["--decap"], lambda frame, inner: inner or frame),
                                ([], lambda frame, inner: frame)):
            harness.classify(PROFILE, capture, "-w", written, *options)
            self.assertEqual([frame for frame, _ in harness.pcap_frames(written)],
                             [choose(frame, inner) for frame, inner in expected])
        times = ["-T", "fields", "-e", "frame.time_epoch"]
        self.assertEqual(harness.output_of("tshark", "-r", written, *times),
                         harness.output_of("tshark", "-r", capture, *times))

    def test_what_ddpctl_cannot_write_it_says(self):
        capture = self.traffic("--kind", "n3-up", "--ues", 5, "--packets-per-flow", 1)
        for options, status, message in (
                (["--decap"], 2, "--decap needs a file to write: -w FILE"),
                (["--decap", "-w", "/nosuch/file"], 3, "/nosuch/file: No such file or directory"),
                (["-w", "/dev/full"], 3, "/dev/full: No space left on device")):
            result = harness.run(harness.tools["ddpctl"], "classify", PROFILE, capture, *options)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(message, result.stderr)



if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
