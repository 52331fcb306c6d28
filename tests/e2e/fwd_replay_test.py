#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd on captures: what arrives where, in which order, and what the report says of it. If a
packet went to another queue than ddpctl predicts, overtook another of its flow, or got lost
uncounted, nothing that is measured with ddp-fwd would be worth anything."""

import collections
import json
import re

from support import eal, fwd, harness, marks, odd_frames

# Packets that a full Tx ring refuses are offered again, for long: with few CPUs its reader may be off.
LOSSLESS = ["--tx-retries", 100000000]  # for as long as another lcore is off its core while it sends
N_PACKETS = 6000
def setUpModule():
    eal.drivers_load("testsrc")


def frames_of(path):
    return [frame for frame, _ in harness.pcap_frames(path)]


class Spread(fwd.TestCase):
    """The demo's job: 4 gNBs, 1 UPF, 2000 UEs with 8 equal flows each, 16 queues."""

    n3 = harness.Traffic("--packets-per-flow", 1)
    n_packets = 2000 * 8

    def replay(self, profile, n_lcores, n_queues=16, *options):
        arguments = [f"profile={profile}"] if profile else []
        report = self.forward([fwd.vdev(self.n3.name, *arguments, "overflow=wait")],
                              "--rxq", n_queues, "--fwd", "rxonly", *options, n_lcores=n_lcores)
        self.assertEqual((report["packets"], report["drops"]), (self.n_packets, 0))
        self.assertEqual((report["forward"], report["ports"][0]["tx_packets"]), ("rxonly", 0))
        self.assertEqual(len(report["workers"]), n_lcores - 1 or 1)
        self.assertEqual([row["queue"] for row in report["queues"]], list(range(n_queues)))
        return report

    def test_each_queue_has_the_packets_that_are_predicted(self):
        """Without a profile as uneven as on a fixed-function NIC, with gtpu even; also with another key, other hash
        fields, and any number of queues on any number of lcores."""
        key = bytes(range(100, 140)).hex()
        for profile, n_queues, n_lcores, options, least, most in (
                ("", 16, 3, [], 4, 16), ("gtpu", 16, 2, [], 1, 1.15), ("gtpu", 3, 1, ["--rxd", 128], 1, 3),
                ("gtpu", 256, 4, ["--rxd", 128], 1, 3), ("gtpu", 16, 2, ["--key", key], 1, 1.2),
                ("", 16, 2, ["--rss-hf", "ip"], 4, 16), ("gtpu", 16, 2, ["--rss-hf", "none"], 16, 16)):
            with self.subTest(profile=profile, queues=n_queues, lcores=n_lcores, options=options):
                report = self.replay(profile, n_lcores, n_queues, *options)
                words = [word for word in options if options[0] != "--rxd"]
                self.check_spread(report, harness.simulate(profile or "base", self.n3, "--queues", n_queues, *words))
                self.assertTrue(least <= report["imbalance"] <= most, report["imbalance"])

    def test_with_meta_off_no_undefined_field_is_read(self):
        """Packets that the NIC hashed bypass the rings."""
        below = f"net_testsrc0,nic=2,rxq=2,pcap={self.n3.name},infinite=1"
        for meta in ("off", "on"):
            path = self.folder / "meta.json"
            vdev = f"net_ddp0,dev({below}),profile=gtpu,offload=auto:ice-comms,lower_queues=2,meta={meta}"
            result = self.run_fwd([vdev], "--rxq", 2, "--fwd", "rxonly", "--packets", 100000, "--json", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(path.read_text())
            names = {row["name"] for row in report["ptypes"]}
            self.assertEqual([name for name in names if name.startswith("id ")], [], meta)
            self.assertEqual((len(names) > 0, report["latency_ns"]["count"]),
                             (meta == "on", 100000 if meta == "on" else 0))

    def test_packet_types_and_bytes_are_counted(self):
        report = self.replay("gtpu", 3)
        packets = harness.classify("gtpu", self.n3)
        self.assertEqual(report["bytes"], sum(packet["len"] for packet in packets))
        self.assertEqual({row["name"]: row["packets"] for row in report["ptypes"]},
                         collections.Counter(packet["ptype"] for packet in packets))


class Balance(fwd.TestCase):
    """Flows of very different sizes on two queues: a hash leaves these uneven."""

    KEYS = {"port", "interval_ms", "rounds", "moves", "before", "after", "worst", "bound_share", "bound_flow",
            "order_parked", "given_up", "order_longest_parking_us"}

    def test_net_ddp_is_balanced_by_option_and_by_device_argument(self):
        zipf = self.traffic("--kind", "n6-up", "--ues", 400, "--flows", 4, "--packets", 4000, "--zipf", 1.1)
        rx = f"net_pcap0,rx_pcap={zipf.name},infinite_rx=1"
        path = self.folder / "balance.json"
        for argument, options in (("", ["--balance=20"]), (",balance=20", [])):
            result = self.run_fwd([f"net_ddp0,dev({rx}),overflow=wait{argument}"], "--rxq", 2, "--fwd", "rxonly",
                                  "--duration", 1, "--stats", 0.2, "--json", path, *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            row, = json.loads(path.read_text())["balance"]
            self.assertEqual((set(row), row["port"], row["interval_ms"]), (self.KEYS, 0, 20))
            self.assertGreater(row["rounds"], 5)
            self.assertGreater(row["moves"], 0)
            # Every 0.2 s: any of these intervals may have been the worst one, but not all of them.
            shown = [float(text) for text in re.findall(r"(?m)^ +0 +20 +\d+ +\d+ +([\d.]+) ", result.stdout)]
            self.assertGreater(len(shown), 2)
            self.assertLess(min(shown), row["worst"])
            self.assertLessEqual(row["before"], row["worst"])
            self.assertGreater(len(re.findall(r"(?m)^port every ms +rounds ", result.stdout)), 2)
            self.assertRegex(result.stdout, rf"(?m)^ +0 +20 +{row['rounds']} +{row['moves']} ")


class Forward(fwd.TestCase):
    """Received packets are sent, to a capture."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--ues", 300, "--packets", N_PACKETS, "--zipf", 1)
        cls.frames = frames_of(cls.n3)

    def check_order(self, sent):
        """Packets of each flow must keep their order."""
        n_seen = collections.Counter()
        for frame in sent:
            seq, flow = marks.mark(frame)
            self.assertEqual(seq, n_seen[flow], f"flow {flow}")
            n_seen[flow] += 1

    def replay(self, rx, *options, n_lcores=2, arguments=("profile=gtpu", "overflow=wait")):
        """The report, and what was sent."""
        out = self.folder / "out.pcap"
        report = self.forward([fwd.vdev(rx, *arguments, tx=out.name)], *LOSSLESS, *options,
                              n_lcores=n_lcores)
        return report, frames_of(out)

    def test_io_sends_every_packet_as_it_came_and_each_flow_in_order(self):
        """Also through tiny rings and bursts."""
        for n_lcores, options in ((2, []), (4, []), (3, ["--rxd", 1, "--txd", 1]), (3, ["--burst", 3, "--rxd", 5]),
                                  (3, ["--burst", 512, "--rxd", 16])):
            with self.subTest(lcores=n_lcores, options=options):
                report, sent = self.replay(self.n3.name, "--rxq", 16, *options, n_lcores=n_lcores)
                self.assertEqual((report["packets"], report["drops"]), (len(self.frames), 0))
                self.assertEqual(report["ports"][0]["tx_packets"], len(self.frames))
                self.assertEqual(collections.Counter(sent), collections.Counter(self.frames))
                self.check_order(sent)

    def test_several_captures_are_lower_queues_of_one_port(self):
        parts = [self.capture(f"part{n}", [frame for frame in self.frames
                                           if marks.mark(frame)[1] % 3 == n]).name
                 for n in range(3)]
        report, sent = self.replay(parts, "--rxq", 16, n_lcores=3,
                                   arguments=("profile=gtpu", "overflow=wait", "lower_queues=3"))
        self.check_spread(report, harness.simulate("gtpu", self.n3, "--queues", 16))
        self.assertEqual(collections.Counter(sent), collections.Counter(self.frames))
        self.check_order(sent)

    def test_paired_ports_exchange_their_packets(self):
        down = self.traffic("--kind", "n3-down", "--ues", 300, "--packets", 3000)
        vdevs = [fwd.vdev(capture.name, "profile=gtpu", "overflow=wait", tx=f"sent{port}.pcap",
                          port=port) for port, capture in enumerate((self.n3, down))]
        report = self.forward(vdevs, "--rxq", 8, *LOSSLESS, n_lcores=3)
        self.assertEqual(report["packets"], N_PACKETS + 3000)
        self.assertEqual([row["rx_packets"] for row in report["ports"]], [N_PACKETS, 3000])
        self.assertEqual([row["tx_packets"] for row in report["ports"]], [3000, N_PACKETS])
        for port, capture in enumerate((down, self.n3)):
            sent = frames_of(self.folder / f"sent{port}.pcap")
            self.assertEqual(collections.Counter(sent), collections.Counter(frames_of(capture)))
            self.check_order(sent)

    def test_odd_frames_and_runts_pass_unharmed(self):
        frames = odd_frames.PRINTABLE + odd_frames.RUNTS
        odd = self.capture("odd", frames)
        for profile in ("base", "gtpu:ue"):
            with self.subTest(profile=profile):
                report, sent = self.replay(odd.name, "--rxq", 16, n_lcores=3,
                                           arguments=(f"profile={profile}", "overflow=wait"))
                self.check_spread(report, harness.simulate(profile, odd, "--queues", 16))
                self.assertEqual(collections.Counter(sent), collections.Counter(frames))
                expected = collections.Counter(packet["ptype"]
                                               for packet in harness.classify(profile, odd))
                self.assertEqual({row["name"]: row["packets"] for row in report["ptypes"]},
                                 expected)


class Overflow(fwd.TestCase):
    def test_what_full_rings_drop_is_counted_on_its_queue(self):
        n3 = self.traffic("--ues", 500)
        for profile in ("base", "gtpu"):
            with self.subTest(profile=profile):
                report = self.forward([fwd.vdev(n3.name, f"profile={profile}", "overflow=drop")],
                                      "--rxq", 16, "--rxd", 2, "--burst", 1, "--fwd", "rxonly",
                                      n_lcores=3)
                reasons = {row["reason"]: row["packets"] for row in report["drop_reasons"]}
                self.assertGreater(reasons["rx_ring_full"], 0)
                self.assertEqual(reasons["rx_ring_full"], report["drops"])
                self.assertEqual(report["drops"], sum(row["missed"] for row in report["queues"]))
                self.assertEqual(report["packets"] + report["drops"], 500 * 8 * 4)
                # Imbalance is that of the load offered.
                self.check_spread(report, harness.simulate(profile, n3, "--queues", 16))

    def test_what_tx_queues_still_hold_at_the_end_is_no_packet_sent(self):
        # A memif without a peer takes nothing, so what queues that share it leave to each other stays.
        n3 = self.traffic("--ues", 500)
        memif = f"net_memif0,role=server,socket={self.folder}/memif.sock,socket-abstract=no"
        report = self.forward([fwd.vdev([n3.name] * 4, "profile=gtpu", "overflow=wait"),
                               f"net_ddp1,dev({memif})"],
                              "--rxq", 4, "--burst", 4, "--tx-retries", 0,
                              "--idle-exit", 200, n_lcores=5)
        self.assertEqual(report["packets"], 4 * 500 * 8 * 4)
        self.assertEqual(report["drops"], report["packets"])


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd", "testsrc")
