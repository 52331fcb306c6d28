#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An operator's Prometheus sees of each net_ddp port what its xstats say, in time, whatever other processes do, and
applications do not notice that they are watched.

    exporter_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so path/to/ddp-fwd path/to/ddp-exporter"""

import os
import shutil
import signal
import threading
import time
import unittest

from support import eal, exporter, fwd, harness, telemetry, testpmd
from support.exporter import Machine, answer

QUEUES = 8
SCRAPES = 100
XSTATS_MAX = 1 << 20  # bytes
XSTATS_VALUES = 256  # in one answer of DPDK's /ethdev/xstats, at most
ANSWERS = 4  # that take the process as long as a scrape may, and one more for each so many values in it


def setUpModule():
    testpmd.set_up_module()


class Ports(fwd.TestCase):
    prefix = "ddp-fwd"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)

    def setUp(self):
        shutil.rmtree(self.folder / "dpdk", ignore_errors=True)

    def pmd(self, *arguments, prefix="upf", n_queues=QUEUES, rx=None):
        vdev = ",".join([f"net_ddp0,dev(net_pcap0,rx_pcap={rx or self.n3.name})", *arguments])
        pmd = testpmd.Testpmd(self, [vdev], f"--rxq={n_queues}", f"--txq={n_queues}", prefix=prefix)
        pmd.command("set fwd rxonly")
        return pmd

    def finish(self, pmd, port=0):
        """Forward until the capture has ended."""
        n = len(harness.pcap_frames(self.n3))
        pmd.command("start")
        pmd.wait(lambda: pmd.stats(port)["RX-packets"] == n, f"{n} packets")
        pmd.command("stop")

    def assert_xstats(self, metrics, xstats, **labels):
        """All numbers of a port."""
        for q in range(QUEUES):
            for name, key in (("rx_packets", "rx_q{}_packets"), ("rx_bytes", "rx_q{}_bytes"),
                              ("rx_missed_packets", "rx_q{}_missed"), ("tx_packets", "tx_q{}_packets"),
                              ("tx_bytes", "tx_q{}_bytes")):
                self.assertEqual(metrics.get(f"net_ddp_{name}_total", queue=str(q), **labels),
                                 xstats[key.format(q)], key.format(q))
        ptypes = metrics.of("net_ddp_ptype_packets_total", **labels)
        self.assertEqual({f"rx_type_{ptype}_packets": n for (ptype,), n in ptypes.items()},
                         {name: n for name, n in xstats.items() if name.startswith("rx_type_")})
        for name, key in (("rule_dropped_packets_total", "rx_dropped_by_rule"),
                          ("cache_hits_total", "rx_path_cache_hits"),
                          ("cache_misses_total", "rx_path_cache_misses"),
                          ("cache_paths", "rx_path_cache_entries"),
                          ("offloaded_packets_total", "rx_offloaded"),
                          ("order_parked_packets_total", "balance_parked"),
                          ("balance_moves_total", "balance_moves")):
            self.assertEqual(metrics.get(f"net_ddp_{name}", **labels), xstats[key], key)
        [lower] = metrics.of("net_ddp_lower_packets_total", **labels).values()
        self.assertEqual(lower, xstats["rx_lower_packets"])

    def test_a_testpmd_and_a_ddp_fwd_are_seen_at_once(self):
        pmd = self.pmd("profile=gtpu", "overflow=wait")
        self.finish(pmd)
        forwarder = self.start_fwd([fwd.vdev(self.n3.name, "profile=gtpu", "overflow=wait")], "--idle-exit", 0,
                                   "--stats", 0.05, "--rxq", 4, "--fwd", "rxonly")
        forwarder.stdout.readline()
        client = telemetry.Client(self, self.prefix)
        n = len(harness.pcap_frames(self.n3))
        pmd.wait(lambda: client.ask("/net_ddp/info", 0)["counters"]["rx_delivered_packets"] == n, "all packets")

        server = exporter.Exporter(self)
        metrics = server.metrics()
        self.assertEqual(metrics.get("ddp_exporter_build_info", version=harness.version()), 1)
        self.assertEqual(metrics.of("ddp_process_up"), {("upf",): 1, ("ddp-fwd",): 1})
        xstats = pmd.xstats()
        self.assertEqual(sum(xstats[f"rx_q{q}_packets"] for q in range(QUEUES)), n)
        self.assert_xstats(metrics, xstats, process="upf", port="net_ddp0")
        loads = [xstats[f"rx_q{q}_packets"] for q in range(QUEUES)]
        self.assertAlmostEqual(metrics.get("net_ddp_rx_imbalance_ratio", process="upf", port="net_ddp0"),
                               harness.imbalance(loads))
        queues = metrics.of("net_ddp_rx_packets_total", process="ddp-fwd", port="net_ddp0")
        told, _ = client.pages("queues", "/net_ddp/queues", 0)
        self.assertEqual({int(q): value for (q,), value in queues.items()},
                         {int(q): item["rx_packets"] for q, item in told.items()})
        latency = client.ask("/ddp_fwd/latency")
        self.assertEqual(latency["count"], n)
        name = "ddp_fwd_latency_seconds"
        buckets = metrics.of(f"{name}_bucket", process="ddp-fwd")
        self.assertEqual([value for _, value in sorted((float(le), value) for (le,), value in buckets.items())],
                         [*latency["packets_le"], n])
        self.assertEqual(metrics.get(f"{name}_count", process="ddp-fwd"), n)
        self.assertAlmostEqual(metrics.get(f"{name}_sum", process="ddp-fwd"), latency["sum_ns"] / 1e9)
        workers, _ = client.pages("workers", "/ddp_fwd/workers")
        self.assertEqual(metrics.of("ddp_fwd_worker_packets_total", process="ddp-fwd"),
                         {(i,): worker["packets"] for i, worker in workers.items()})
        self.assertEqual(metrics.of(f"{name}_count"), {("ddp-fwd",): n})  # testpmd has none
        self.assertEqual(server.end(), "")
        pmd.quit()

    def test_profile_changes_are_counted_and_packet_types_stay(self):
        pmd = self.pmd("overflow=wait")
        self.finish(pmd)
        client = telemetry.Client(self, "upf")
        server = exporter.Exporter(self)
        before = server.metrics()
        client.ask("/net_ddp/profile_set", 0, "gtpu+vxlan")
        client.ask("/net_ddp/profile_set", 0, "none_such")
        client.ask("/net_ddp/profile_del", 0, "vxlan")
        time.sleep(0.3)  # until an answer is made anew
        after = server.metrics()
        labels = {"process": "upf", "port": "net_ddp0"}
        self.assertEqual(before.get("net_ddp_profile_changes_total", **labels), 0)
        self.assertEqual(after.get("net_ddp_profile_changes_total", **labels), 2)
        [info] = after.of("net_ddp_port_info", **labels)
        self.assertIn("gtpu", info)
        name = "net_ddp_ptype_packets_total"
        for ptype, n in before.of(name, **labels).items():
            self.assertEqual(after.of(name, **labels)[ptype], n)
        self.assertEqual(after.get(name, ptype="GTPU_IPV4_UDP", **labels), 0)
        pmd.quit()

    def test_both_formats_are_what_their_readers_want(self):
        pmd = self.pmd("profile=gtpu", "overflow=wait")
        self.finish(pmd)
        server = exporter.Exporter(self)
        text, kind = server.text()
        self.assertTrue(kind.startswith("text/plain; version=0.0.4"), kind)
        openmetrics, kind = server.text(exporter.OPENMETRICS + ",text/plain;q=0.5")
        self.assertTrue(kind.startswith("application/openmetrics-text; version=1.0.0"), kind)
        self.assertTrue(openmetrics.endswith("\n# EOF\n"))
        self.assertIn("# TYPE net_ddp_rx_packets counter\n", openmetrics)
        self.assertEqual(exporter.Metrics(text).samples.keys(), exporter.Metrics(openmetrics).samples.keys())
        once = self.once()
        self.assertEqual(exporter.Metrics(once).samples.keys(), exporter.Metrics(text).samples.keys())
        self.assertTrue(self.once("--format", "openmetrics").endswith("\n# EOF\n"))
        pmd.quit()

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_finds_nothing_wrong(self):
        pmd = self.pmd("profile=gtpu", "overflow=wait")
        self.finish(pmd)
        result = harness.run("promtool", "check", "metrics", stdin=None, input=self.once())
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))
        pmd.quit()

    def once(self, *options):
        return harness.output_of(harness.tools["ddp-exporter"], "--once", *options,
                                 env=eal.environment(self.folder))

    def test_a_process_is_chosen(self):
        pmd = self.pmd("overflow=wait")
        exporter.Process(self, "other", Machine(1, 1))
        path = eal.telemetry_socket(self.folder, "upf")
        for options, names in (([], {"upf", "other"}), (["--file-prefix", "other"], {"other"}),
                               (["--socket", path], {"upf"}), (["--run-dir", self.folder / "none"], set()),
                               (["--run-dir", self.folder / "dpdk"], {"upf", "other"})):
            with self.subTest(options):
                metrics = exporter.Metrics(self.once(*options))
                self.assertEqual({name for (name,) in metrics.of("ddp_process_up")}, names)
        pmd.quit()

    def test_a_process_that_is_killed(self):
        """In the middle of scrapes: none fails, and then it is told to be down."""
        pmd = self.pmd("overflow=wait")
        server = exporter.Exporter(self)
        killer = threading.Timer(0.3, os.kill, (pmd.pid, signal.SIGKILL))
        killer.start()
        ups, end = [], time.monotonic() + 1
        while time.monotonic() < end:
            ups.append(server.metrics().of("ddp_process_up")[("upf",)])
        killer.join()
        self.assertEqual((ups[0], ups[-1]), (1, 0))
        self.assertEqual(ups, sorted(ups, reverse=True))

    def xstats_ask(self):
        """256 statistics at most: DPDK's telemetry has no room for more."""
        client = telemetry.Client(self, "upf")
        client.socket.send(b"/ethdev/xstats,0")
        client.socket.recv(XSTATS_MAX)
        client.socket.close()

    def ms_of(self, pmd, ask):
        """What the process spends on an answer. testpmd's lcores wait for commands meanwhile."""
        def spent(during):
            before, start = exporter.cpu_seconds(pmd.pid), time.monotonic()
            during()
            return exporter.cpu_seconds(pmd.pid) - before, time.monotonic() - start

        cpu, wall = spent(lambda: time.sleep(0.5))
        idle = cpu / wall
        cpu, wall = spent(lambda: [ask() for _ in range(SCRAPES)])
        return (cpu - idle * wall) / SCRAPES * 1e3

    def test_applications_spend_little(self):
        """A scrape of all counters, beside DPDK's own answers."""
        for n_queues, profiles in ((QUEUES, "gtpu"), (256, "all")):
            pmd = self.pmd(f"profile={profiles}", "overflow=wait", n_queues=n_queues)
            time.sleep(0.2)
            xstats = self.ms_of(pmd, self.xstats_ask)
            scrape = self.ms_of(pmd, lambda: self.once("--file-prefix", "upf"))
            print(f"{n_queues} queues, profile {profiles}: {scrape:.3f} ms of the process' time a scrape, "
                  f"{xstats:.3f} an /ethdev/xstats")
            n_values = len(exporter.Metrics(self.once("--file-prefix", "upf")).samples)
            self.assertLess(scrape, (ANSWERS + n_values / XSTATS_VALUES) * xstats)
            pmd.quit()


class Others(harness.TestCase):
    """Processes that are no good, beside some that are."""

    def setUp(self):
        shutil.rmtree(self.folder / "dpdk", ignore_errors=True)

    def test_64_ports_with_256_queues_are_told_in_time(self):
        exporter.Process(self, "big", Machine(64, 256))
        exporter.Process(self, "small", Machine(2, 3))
        server = exporter.Exporter(self, "--timeout", 8)
        start = time.monotonic()
        metrics = server.metrics()
        self.assertLess(time.monotonic() - start, 8)
        self.assertEqual(metrics.of("ddp_process_up"), {("big",): 1, ("small",): 1})
        rx = metrics.of("net_ddp_rx_packets_total", process="big")
        self.assertEqual(rx, {(f"net_ddp{p}", str(q)): p * 1000 + q for p in range(64) for q in range(256)})
        tx = metrics.of("net_ddp_tx_bytes_total", process="big")
        self.assertEqual(tx, {(f"net_ddp{p}", str(q)): p + q + 5 for p in range(64) for q in range(256)})
        ptypes = metrics.of("net_ddp_ptype_packets_total", process="big")
        self.assertEqual(ptypes, {(f"net_ddp{p}", f"TYPE_{i}"): p + i for p in range(64) for i in range(30)})
        self.assertLess(server.status("VmHWM"), 50000)
        print(f"64 ports with 256 queues: {metrics.get('ddp_exporter_scrape_duration_seconds'):.2f} s, "
              f"{server.status('VmHWM') / 1e3:.1f} MB")

    def test_what_one_process_does_leaves_the_others_alone(self):
        good = Machine(1, 4)
        exporter.Process(self, "a-good", good)
        exporter.Process(self, "hangs", lambda command: None)
        exporter.Process(self, "hangs-later", lambda command: good(command) if "list" in command else None)
        exporter.Process(self, "dies", lambda command: good(command) if "list" in command else b"")
        exporter.Process(self, "garbage", lambda command: os.urandom(500))
        exporter.Process(self, "huge", lambda command: b"[" * 60000)
        exporter.Process(self, "silly", lambda command: answer(command.split(",")[0], {"count": 10 ** 15}))
        exporter.Process(self, "rude", good, greeting=b"go away")
        exporter.Process(self, "without", lambda command: answer(command, None))
        exporter.Process(self, "z-good", good)
        exporter.Process(self, "gone", good).close()
        server = exporter.Exporter(self, "--timeout", 0.5)
        start = time.monotonic()
        metrics = server.metrics()
        self.assertLess(time.monotonic() - start, 3)
        self.assertEqual({name for (name,), up in metrics.of("ddp_process_up").items() if up}, {"a-good", "z-good"})
        self.assertEqual({name for (name,), up in metrics.of("ddp_process_up").items() if not up},
                         {"hangs", "hangs-later", "dies", "garbage", "huge", "silly", "rude", "gone"})
        for name in ("a-good", "z-good"):
            self.assertEqual(len(metrics.of("net_ddp_rx_packets_total", process=name)), 4)
        server.metrics()
        said = server.end().splitlines()
        self.assertEqual(len(said), 8, said)  # each once
        self.assertEqual(len([line for line in said if "not answered within 0.5 s" in line]), 2, said)

    def test_a_killed_process_is_down_and_a_new_one_up(self):
        first = exporter.Process(self, "upf", Machine(1, 4))
        server = exporter.Exporter(self)
        self.assertEqual(server.metrics().of("ddp_process_up"), {("upf",): 1})
        first.close()
        time.sleep(0.3)
        self.assertEqual(server.metrics().of("ddp_process_up"), {("upf",): 0})
        shutil.rmtree(self.folder / "dpdk" / "upf")
        exporter.Process(self, "upf", Machine(1, 4))
        time.sleep(0.3)
        self.assertEqual(server.metrics().of("ddp_process_up"), {("upf",): 1})
        self.assertEqual(server.end().count("\n"), 1)

    def test_many_clients_are_one_scrape(self):
        machine = exporter.Process(self, "upf", Machine(1, 4))
        server = exporter.Exporter(self)
        server.text()
        once = machine.n_commands
        for _ in range(10):
            server.text()
        self.assertLess(machine.n_commands, 10 * once)

    def test_a_wrong_command_line_is_refused(self):
        for options, status, reason in (
                (["--listen", "nowhere"], 1, "option --listen: 'nowhere' is not an address and a port"),
                (["--listen", "localhost:1"], 1, "option --listen: 'localhost:1': "),
                (["--listen", "127.0.0.1:x"], 1, "option --listen: '127.0.0.1:x': "),
                (["--format", "xml"], 2, "option --format: 'xml' is none of: auto openmetrics prometheus"),
                (["--timeout", "0"], 2, "option --timeout: "),
                (["--socket", "a", "--file-prefix", "b"], 2, "--socket excludes --run-dir and --file-prefix"),
                (["--onc"], 2, "unknown option '--onc', did you mean '--once'?"),
                (["x"], 2, "argument 'x' means nothing here")):
            with self.subTest(options):
                result = harness.run(harness.tools["ddp-exporter"], *options)
                self.assertEqual(result.returncode, status)
                self.assertTrue(result.stderr.startswith(f"ddp-exporter: {reason}"), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)

    def test_an_address_in_use_is_told(self):
        server = exporter.Exporter(self)
        result = harness.run(harness.tools["ddp-exporter"], "--listen", f"127.0.0.1:{server.port}")
        self.assertEqual((result.returncode, result.stderr), (
            1, f"ddp-exporter: cannot listen on 127.0.0.1:{server.port}: Address already in use\n"))
        self.assertEqual(server.end(), "")

    def test_both_signals_end_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = exporter.Exporter(self)
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(exporter.SECONDS), 0)

    def test_output_that_cannot_be_written_is_told(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = harness.run(harness.tools["ddp-exporter"], "--once", "--run-dir", self.folder, stdout=full)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"^ddp-exporter: standard output: No space left on device\n$")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd", "ddp-exporter")
