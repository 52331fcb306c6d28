#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd --balance on a NIC that is only a table and hashes (net_paced), and on net_ddp over it. A
balanced port must get even, an even one must be left alone, and a port that cannot be balanced must
not be forwarded as if it were.

    fwd_balance_test.py path/to/ddpctl path/to/ddp-traffic path/to/ddp-fwd path/to/librte_net_paced.so"""

import json
import re

from support import eal, fwd, harness

PACKETS = 400000
RATE = 400000  # a second
KEYS = {"port", "interval_ms", "rounds", "moves", "before", "after", "worst", "bound_share",
        "bound_flow", "keeps_order", "parked_packets", "given_up", "longest_parking_us"}


def setUpModule():
    harness.tools["net_paced"] = eal.loadable(harness.tools["net_paced"])


class Balance(fwd.TestCase):
    def command(self, vdevs, *options, n_lcores=2):
        words = super().command(vdevs, *options, n_lcores=n_lcores)
        return [words[0], "-d", harness.tools["net_paced"], *words[1:]]

    def nic(self, *arguments):
        """Its clock does not stop, or a busy machine would take long; so packets may be missed."""
        return ",".join(["net_paced0", f"rate={RATE}", f"packets={PACKETS}", "stall=0", "zipf=1.2",
                         "flows=1000", "seed=2", f"report={self.folder}/paced.json", *arguments])

    def balanced(self, vdev, *options):
        """The report, its part about balancing, and what the NIC says."""
        path = self.folder / "balance.json"
        # Workers of net_ddp share Tx queues below it, and one that is off its CPU may hold one.
        result = self.run_fwd([vdev], "--rxq", 4, "--idle-exit", 1000, "--tx-retries", 100000000,
                              "--json", path, *options, n_lcores=3)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(path.read_text())
        paced = json.loads((self.folder / "paced.json").read_text())
        self.assertEqual(paced["arrived"], PACKETS)
        self.assertEqual(report["packets"] + report["drops"], PACKETS)
        self.assertEqual(paced["sent"], report["packets"])
        for row in report["balance"]:
            self.assertEqual(set(row), KEYS)
            self.assertRegex(result.stdout, rf"(?m)^ +0 +{row['interval_ms']} +{row['rounds']} ")
        self.assertEqual("every ms" in result.stdout, report["balance"] != [])
        return report, report["balance"], paced

    def test_without_the_option_nothing_moves(self):
        report, rows, paced = self.balanced(self.nic())
        self.assertEqual((rows, paced["overtaken"]), ([], 0))
        self.assertGreater(report["imbalance"], 1.3)

    def test_a_nic_with_a_table_gets_even(self):
        for entries in (64, 128, 512):
            report, (row,), _ = self.balanced(self.nic(f"reta={entries}"), "--balance=20")
            self.assertEqual((row["port"], row["interval_ms"], row["keeps_order"]), (0, 20, False))
            self.assertGreater(row["rounds"], 10)
            self.assertGreater(row["moves"], 0)
            self.assertGreater(row["worst"], 1.2)
            self.assertLess(report["imbalance"], row["worst"])
            self.assertEqual((row["parked_packets"], row["given_up"]), (0, 0))

    def test_net_ddp_does_it_itself_and_keeps_order(self):
        lower = self.nic("queues=2")
        for vdev, options in ((f"net_ddp0,dev({lower}),profile=gtpu", ["--balance=20"]),
                              (f"net_ddp0,dev({lower}),profile=gtpu,balance=20", [])):
            report, (row,), paced = self.balanced(vdev, *options)
            self.assertEqual((row["interval_ms"], row["keeps_order"]), (20, True))
            self.assertGreater(row["rounds"], 10)
            self.assertGreater(row["moves"], 0)
            self.assertLess(report["imbalance"], row["worst"])
            self.assertEqual(paced["overtaken"], 0)

    def test_the_live_table_shows_it(self):
        result = self.run_fwd([self.nic()], "--rxq", 4, "--duration", 0.5, "--balance=20", "--stats",
                              0.1, n_lcores=3)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(len(re.findall(r"(?m)^port every ms +rounds ", result.stdout)), 2)

    def test_ports_that_cannot_be_balanced(self):
        port = r"port 0 \(net_paced0\)"
        for vdev, options, line in (
                (self.nic("reta=0"), [], f"{port} has no redirection table"),
                (self.nic("reta=1024"), [], f"{port} has a redirection table of 1024 entries, not of "
                 "64, 128, 256 or 512"),
                (self.nic("reta=32"), [], f"{port} has a redirection table of 32 entries, not of .*"),
                (self.nic(), ["--rss-hf", "none"], f"{port} hashes no packets"),
                ("net_ddp0,dev(net_null0)", ["--rss-hf", "none"],
                 r"port 0 \(net_ddp0\) hashes no packets"),
                ("net_null0", [], r"port 0 \(net_null0\) puts no RSS hash into packets"),
                ("net_ring0", [], r"port 0 \(net_ring0\) has no redirection table")):
            with self.subTest(vdev=vdev):
                result = self.run_fwd([vdev], "--balance", *options)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex("\n".join(fwd.our_lines(result.stderr)),
                                 rf"\Addp-fwd: --balance: {line}\Z")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd", "net_paced")
