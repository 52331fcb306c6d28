#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd answers through DPDK's telemetry socket while it runs: monitoring must see the
numbers that the final report has."""

import json
import signal

from support import fwd, harness, telemetry

MANY_QUEUES = 100  # more than one page of them
BOUNDS_NS = [digit * 10 ** power for power in range(2, 9) for digit in (1, 2, 5)] + [10 ** 9]


class Telemetry(fwd.TestCase):
    prefix = "ddp-fwd"
    n3 = harness.Traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 4)

    def start(self, *arguments, rx, options=(), n_lcores=3):
        """ddp-fwd that forwards until it is stopped, and a client of its telemetry."""
        self.report = self.folder / "report.json"
        self.process = self.start_fwd([fwd.vdev(rx, "profile=gtpu", *arguments)], "--json",
                                      self.report, "--idle-exit", 0, "--stats", 0.05, *options,
                                      n_lcores=n_lcores)
        self.process.stdout.readline()  # of the live table: it forwards
        return telemetry.Client(self, self.prefix)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        _, stderr = self.process.communicate(timeout=fwd.SECONDS)
        self.assertEqual((self.process.returncode, fwd.our_lines(stderr)), (0, []))
        return json.loads(self.report.read_text())

    def test_the_numbers_are_those_of_the_report(self):
        client = self.start("overflow=wait", rx=self.n3.name, options=["--rxq", 4, "--fwd", "mac"])
        n_packets = len(harness.pcap_frames(self.n3))
        harness.until(lambda: client.query("/ddp_fwd/latency")["count"] == n_packets, "end of the capture")
        workers, _ = client.pages("workers", "/ddp_fwd/workers")
        queues, _ = client.pages("queues", "/ddp_fwd/queues")
        latency = client.query("/ddp_fwd/latency")
        report = self.end()

        self.assertEqual([(w["lcore"], w["packets"], w["bytes"]) for w in workers.values()],
                         [(w["lcore"], w["packets"], w["bytes"]) for w in report["workers"]])
        self.assertEqual([(q["port"], q["queue"], q["packets"], q["bytes"])
                          for q in queues.values()],
                         [(q["port"], q["queue"], q["packets"], q["bytes"])
                          for q in report["queues"]])
        for i, worker in workers.items():
            own = [queue for queue in queues.values() if queue["worker"] == int(i)]
            self.assertEqual(worker["queues"], len(own))
            for name in ("packets", "bytes", "sent", "consumed", "tx_full"):
                self.assertEqual(worker[name], sum(queue[name] for queue in own), name)
            self.assertEqual(worker["packets"], worker["sent"] + worker["tx_full"])
            self.assertGreater(worker["busy_ns"], 0)
            self.assertLess(worker["busy_ns"], worker["elapsed_ns"] / 2)  # most of it idle

        self.assertEqual(latency["le_ns"], BOUNDS_NS)
        self.assertEqual(latency["count"], report["latency_ns"]["count"])
        self.assertEqual(latency["max_ns"], report["latency_ns"]["max"])
        self.assertEqual(latency["packets_le"], sorted(latency["packets_le"]))
        self.assertLessEqual(latency["packets_le"][-1], latency["count"])
        self.assertLessEqual(latency["sum_ns"], latency["count"] * latency["max_ns"])

    def test_the_live_table_has_the_latency_of_the_last_interval(self):
        """Of a problem that begins now, the numbers since the start show little."""
        self.start("overflow=wait", rx=self.n3.name, options=["--rxq", 4, "--fwd", "rxonly"])
        lines = [self.process.stdout.readline() for _ in range(60)]
        everything = [line.split() for line in lines if line.startswith("since start ")]
        last = [line.split() for line in lines if line.startswith("last 0.1 s ")]
        report = self.end()
        self.assertEqual(everything[-1][2], str(report["packets"]))
        self.assertEqual(last[-1][3:], ["0"] + 5 * ["0.0"])

    def test_long_lists_come_in_pages(self):
        client = self.start(rx=self.n3.name + ",infinite_rx=1",
                            options=["--rxq", MANY_QUEUES, "--fwd", "rxonly"])
        queues, n_pages = client.pages("queues", "/ddp_fwd/queues")
        self.assertGreater(n_pages, 1)
        self.assertEqual([queue["queue"] for queue in queues.values()], list(range(MANY_QUEUES)))
        for start in (MANY_QUEUES + 1, "x", "-1", "0,1", ""):
            answer = client.query("/ddp_fwd/queues", start)
            if start == "":
                self.assertEqual(answer["start"], 0)
            else:
                self.assertEqual(answer, {"ok": 0, "error": "not a start index: there are 100 entries"})
        self.end()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd")
