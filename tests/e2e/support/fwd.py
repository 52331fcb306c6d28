# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd, run on net_ddp ports that replay captures."""

import json
import re
import subprocess

from support import eal, harness

MEGABYTES = 1024
SECONDS = 60  # no run takes a tenth of that
DROP_REASONS = ["rx_ring_full", "rx_missed", "rx_no_mbuf", "rx_errors", "tx_full", "tx_errors"]


def vdev(rx, *arguments, tx=(), port=0):
    """A port that receives captures and, if requested, writes what it sends."""
    rx, tx = ([files] if isinstance(files, str) else files for files in (rx, tx))
    lower = [f"net_pcap{port}", *(f"rx_pcap={name}" for name in rx),
             *(f"tx_pcap={name}" for name in tx)]
    return ",".join([f"net_ddp{port},dev({','.join(lower)})", *arguments])


class TestCase(harness.TestCase):
    prefix = None  # of EAL's files: with one there is a telemetry socket

    def command(self, vdevs, *options, n_lcores=2):
        """n_lcores - 1 of them forward."""
        words = [harness.tools["ddp-fwd"], *eal.options(n_lcores, MEGABYTES, self.prefix),
                 *eal.fake_nics()]
        for device in vdevs:
            words += ["--vdev", device]
        return [*words, "--", *map(str, options)]

    def run_fwd(self, vdevs, *options, n_lcores=2):
        """The finished process, whatever its end."""
        return harness.run(*self.command(vdevs, *options, n_lcores=n_lcores), cwd=self.folder,
                           env=eal.environment(self.folder), timeout=SECONDS)

    def forward(self, vdevs, *options, n_lcores=2, status=0):
        """The report of a run that ends as expected, and by itself agrees with itself."""
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        result = self.run_fwd(vdevs, "--json", path, *options, n_lcores=n_lcores)
        self.assertEqual(result.returncode, status, result.stderr)
        report = json.loads(path.read_text())
        self.check_report(report)
        return report

    def start_fwd(self, vdevs, *options, n_lcores=2, **kwargs):
        """A process that runs, until the test ends at the latest."""
        return harness.start(self, *self.command(vdevs, *options, n_lcores=n_lcores), env=eal.environment(self.folder),
                             **{"stdout": subprocess.PIPE, **kwargs})

    def check_report(self, report):
        self.assertEqual(set(report), {"seconds", "forward", "work_ns", "packets", "bytes",
                                       "drops", "drop_reasons", "queues", "imbalance", "jain", "latency_ns",
                                       "workers", "ports", "ptypes", "balance", "schema_version"})
        self.assertEqual([row["reason"] for row in report["drop_reasons"]], DROP_REASONS)
        self.assertEqual(report["drops"], sum(row["packets"] for row in report["drop_reasons"]))
        for part in ("queues", "workers"):
            for unit in ("packets", "bytes"):
                self.assertEqual(report[unit], sum(row[unit] for row in report[part]), part)
        self.assertEqual(report["packets"], sum(row["rx_packets"] for row in report["ports"]))
        self.assertEqual(report["packets"], sum(row["packets"] for row in report["ptypes"]))
        if report["forward"] != "rxonly":
            self.assertEqual(report["packets"], sum(row["tx_packets"] for row in report["ports"]) +
                             sum(row["packets"] for row in report["drop_reasons"]
                                 if row["reason"].startswith("tx_")))
        for row in (report, *report["queues"], *report["workers"]):
            self.check_latency(row["latency_ns"], row["packets"], report)

    def check_latency(self, latency, n_packets, report):
        """Of each packet, in order, and no longer than it all took, with the last burst's end."""
        self.assertEqual(latency["count"], n_packets)
        values = [latency[name] for name in ("p50", "p90", "p99", "p999", "max")]
        self.assertEqual(values, sorted(values))
        if n_packets > 0:
            self.assertGreater(latency["p50"], 0)
            self.assertLess(latency["max"], (report["seconds"] + 1) * 1e9)

    def check_spread(self, report, expected):
        """Each queue has the packets that simulate predicts."""
        self.assertEqual([(row["packets"] + row["missed"]) for row in report["queues"]],
                         [row["packets"] for row in expected["queues"]])
        for name in ("imbalance", "jain"):
            self.assertAlmostEqual(report[name], expected[name], places=6)


def our_lines(text):
    """Lines of ddp-fwd and its ports, not of EAL, nor that this machine has few CPUs."""
    return re.findall(r"(?m)^(?:ddp-fwd|net_ddp\d+): (?!\d+ workers share ).*$", text)
