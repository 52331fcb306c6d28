#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Applications that insist on checksum offloads get verdicts that are right: tshark judges each
packet of all captures beside stock testpmd with net_ddp. port/extras_test.c has damaged ones."""

import collections
import unittest

from support import harness, testpmd
import testpmd_packets_test as packets_test

# IPv4, UDP, TCP, outer IPv4, outer UDP: RTE_ETH_RX_OFFLOAD_*
ALL = 0x2 | 0x4 | 0x8 | 0x40 | 0x40000
SENT = 0x2 | 0x4 | 0x8  # IPv4, UDP, TCP: RTE_ETH_TX_OFFLOAD_*
EXTENSIONS = {"ipv6.hopopts", "ipv6.routing", "ipv6.dstopts", "ipv6.fraghdr"}
STATUS = {"0": "BAD", "1": "GOOD"}  # tshark's; the others are "not verified" and "not there"
FIELDS = ["frame.protocols", "ip.checksum.status"]
FIELDS += [f"{name}.checksum{what}" for name in ("udp", "tcp")
           for what in ("", ".status", "_calculated")]

MALFORMED = {"ipv6-mobility-dst-opts.pcap packet 3"}  # an option contradicts itself


def setUpModule():
    testpmd.set_up_module()
    harness.need("tshark")


def verdicts(sums, statuses, calculated):
    """On the checksums of a protocol's headers. tshark 4.6 calls one good that covers the pseudo
    header alone; it does not equal the one that was calculated."""
    calculated = iter(calculated)
    words = [STATUS.get(status) for status in statuses]
    return [word if word is None or given == next(calculated) else "BAD"
            for word, given in zip(words, sums)]


class Layers:
    """tshark's layers of a packet: (protocol, verdict on its checksum), from the outside in."""

    def __init__(self, line):
        protocols, ip, *others = (list(filter(None, cell.split(","))) for cell in line.split("\t"))
        left = {"ip": [STATUS.get(status) for status in ip],
                "udp": verdicts(*others[:3]), "tcp": verdicts(*others[3:])}
        self.layers = [(name, left[name].pop(0) if left.get(name) else None)
                       for name in protocols[0].split(":")]
        self.ips = [at for at, (name, _) in enumerate(self.layers) if name in ("ip", "ipv6")]

    def ip(self, nth):
        return self.layers[self.ips[nth]][1]

    def l4(self, nth, names=("udp", "tcp")):
        """The verdict on the transport header that follows the nth IP header."""
        behind = [layer for layer in self.layers[self.ips[nth] + 1:] if layer[0] not in EXTENSIONS]
        return behind[0][1] if behind and behind[0][0] in names else None


def layers_of(capture):
    options = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
               "-o", "tcp.check_checksum:TRUE", "-o", "ip.defragment:FALSE",
               "-o", "ipv6.defragment:FALSE", "-T", "fields", "-E", "occurrence=a"]
    for field in FIELDS:
        options += ["-e", field]
    return [Layers(line) for line in
            harness.output_of("tshark", "-r", capture, *options).splitlines()]


def expected_of(layers, chain, ptype):
    """tshark's verdicts on the layers that flags are about."""
    n_ips = sum(token in ("ipv4", "ipv6") for token in chain)
    tunnelled = any(word.startswith("INNER_L3") for word in ptype)
    inner = n_ips - 1 if tunnelled else 0
    if n_ips > 2 or len(layers.ips) <= inner:
        return None  # which one the packet type ends with is not known here
    if n_ips == 0:
        return dict.fromkeys(("IP", "L4", "OUTER_IP", "OUTER_L4"))
    return {"IP": layers.ip(inner), "L4": layers.l4(inner),
            "OUTER_IP": "BAD" if tunnelled and layers.ip(0) == "BAD" else None,
            "OUTER_L4": layers.l4(0, ("udp",)) if tunnelled else None}


def without_sums(frame, packet):
    """The frame with wrong checksums of IPv4, UDP and TCP, as far as base finds them."""
    bad = bytearray(frame)
    for token, offset in zip(packet["chain"], packet["offsets"]):
        at = {"ipv4": 10, "udp": 6, "tcp": 16}.get(token)
        if at is not None:
            bad[offset + at:offset + at + 2] = b"\x12\x34"
    return bytes(bad)


class Verdicts(packets_test.Case):
    def judge(self, frames, profile, names=None):
        """Compare all packets. What is in a broken IP header, tools read in different ways."""
        path = self.capture("sums", frames)
        chains = [packet["chain"] for packet in harness.classify(profile, path)]
        layers = layers_of(path)
        seen = self.replay(path, len(frames), profile, ([f"--rx-offloads={ALL:#x}"], [], []))
        wrong, counts = [], collections.Counter()
        for packet in seen:
            expected = expected_of(layers[packet.n], chains[packet.n], packet.ptype)
            found = {name: next((word for word in ("GOOD", "BAD") if f"{name}_CKSUM_{word}" in packet.flags), None)
                     for name in ("IP", "L4", "OUTER_IP", "OUTER_L4")}
            counts.update(item for item in found.items() if item[1])
            broken = "BAD" in (found["IP"], found["OUTER_IP"])
            if found["L4"] == "BAD" and expected and expected["L4"] is None:
                found["L4"] = None  # tshark has no verdict on a header that contradicts itself
            name = names[packet.n] if names else packet.n + 1
            if expected and found != expected and not broken and name not in MALFORMED:
                wrong.append(f"{name}: {found}, not {expected}")
        self.assertEqual(wrong[:packets_test.SHOWN], [], f"{len(wrong)} of {len(seen)} packets")
        return counts

    def test_generated(self):
        path = self.traffic("--kind", "mix", "--ues", 40, "--packets-per-flow", 1)
        counts = self.judge([frame for frame, _ in harness.pcap_frames(path)], "gtpu")
        self.assertGreater(counts["IP", "GOOD"], 200)
        self.assertGreater(counts["L4", "GOOD"], 200)

    @unittest.skipUnless(packets_test.CAPTURES.is_dir(), "no folder of real captures")
    def test_real(self):
        names, frames = zip(*packets_test.real_frames())
        for profile in ("base", "all"):
            self.judge(frames, profile, names)


class Sent(packets_test.Case):
    """Checksums that an application leaves to the port are right on the wire; port/extras_test.c has other packets."""

    def test_a_lower_device_that_computes_nothing_gets_computed_packets(self):
        """By testpmd's checksum engine."""
        path = self.traffic("--kind", "n3-up", "--ues", 50, "--packets-per-flow", 1, "--ipv6", 30)
        frames = [without_sums(frame, packet) for (frame, _), packet in
                  zip(harness.pcap_frames(path), harness.classify("base", path))]
        capture, sent = self.capture("in", frames), self.folder / "sent.pcap"
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={capture},tx_pcap={sent}),overflow=wait"
        pmd = testpmd.Testpmd(self, [vdev], "--rxq=2", "--txq=2", f"--tx-offloads={SENT:#x}",
                              "--port-topology=loop")
        pmd.commands("port stop 0", *(f"csum set {what} hw 0" for what in ("ip", "udp", "tcp")),
                     "csum parse-tunnel off 0", "port start 0", "set fwd csum", "start")
        pmd.wait(lambda: pmd.stats()["TX-packets"] == len(frames), "all packets sent")
        pmd.commands("stop", "port stop 0")
        pmd.quit()
        for layers in layers_of(sent):
            self.assertEqual((layers.ip(0), layers.l4(0)), ("GOOD", "GOOD"))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
