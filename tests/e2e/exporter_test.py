#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An operator's Prometheus sees each net_ddp port of the machine, over each kind of NIC, whatever other processes do,
and an alert fires for a hot queue until the profile is there that helps."""

import contextlib
import json
import os
import re
import shutil
import socket
import time
import urllib.parse
import urllib.request

import yaml

from support import eal, exporter, harness, telemetry, testpmd
from support.exporter import Machine, answer

FOLDER = harness.SOURCE_ROOT / "apps" / "exporter"
MONITORING = FOLDER / "monitoring"
NICS = ["ice-os", "ice-comms", "iavf", "i40e", "mlx5"]  # nic=1 and so on of net_testsrc
SECONDS = 40  # for a scrape, an alert


def setUpModule():
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        harness.skip("prometheus is not installed")
    testpmd.set_up_module()


def once(test, *options, **kwargs):
    return harness.run(harness.tools["ddp-exporter"], "--once", *options, env=eal.environment(test.folder), **kwargs)


def documented():
    """Names of metrics in the manual page that explains them."""
    page = harness.SOURCE_ROOT / "apps" / "ctl" / "ddp-operations.7"
    items = " ".join(re.findall(r"(?m)^\.It Va (.*)$", page.read_text(encoding="utf-8")))
    return set(re.findall(r"\b(?:net_ddp|ddp)_\w+", items))


class Prometheus:
    """Scrapes every second, with our alerts, whose minutes are seconds here."""

    def __init__(self, test, target):
        folder = test.folder / "prometheus"
        folder.mkdir()
        rules = (MONITORING / "alerts.yml").read_text(encoding="utf-8")
        rules = re.sub(r"\[\d+m\]", "[4s]", re.sub(r"for: \d+m", "for: 2s", rules))
        (folder / "alerts.yml").write_text(rules, encoding="utf-8")
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [{"job_name": "ddp", "static_configs": [{"targets": [target]}]}]}))
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        harness.start(test, "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                      f"--web.listen-address={self.url.removeprefix('http://')}", "--log.level=warn", stderr=None)

    def get(self, path, **parameters):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}",
                                    timeout=SECONDS) as found:
            return json.loads(found.read())["data"]

    def query(self, expression):
        return {frozenset(row["metric"].items()): float(row["value"][1])
                for row in self.get("query", query=expression)["result"]}

    def firing(self, alert):
        """The processes that it fires for."""
        return {found["labels"].get("process") for found in self.get("alerts")["alerts"]
                if found["labels"]["alertname"] == alert and found["state"] == "firing"}

    def wait(self, condition, what):
        def holds():
            with contextlib.suppress(OSError):  # it is starting
                return condition()
        harness.until(holds, what)


class Ports(harness.TestCase):
    """Of testpmd, and over each kind of NIC that a fake driver plays."""

    def start_nics(self, capture, prefix, kinds):
        vdevs = [f"net_ddp{i},dev(net_testsrc{i},nic={NICS.index(kind) + 1},rxq=4,pcap={capture.name},infinite=1),"
                 f"profile=gtpu,offload=auto:{kind}" for i, kind in enumerate(kinds)]
        pmd = testpmd.Testpmd(self, vdevs, "--rxq=4", "--txq=4", "--rxd=256", "--txd=256", prefix=prefix)
        pmd.commands("set fwd rxonly", "start")
        return pmd

    def test_prometheus_sees_all_ports_and_a_hot_queue(self):
        n3 = self.traffic("--kind", "mix", "--ues", 50, "--packets-per-flow", 1)
        first, second = self.start_nics(n3, "nics", NICS[:3]), self.start_nics(n3, "others", NICS[3:])
        up = self.traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)
        pmd = testpmd.endless(self, up, "overflow=wait", prefix="upf")
        server = exporter.Exporter(self)
        harness.until(lambda: len(found := server.metrics().of("net_ddp_offloaded_packets_total")) == 6 and all(
            n > 0 for (_, process), n in found.items() if process != "upf"))
        metrics = server.metrics()
        info = {dict(labels)["nic"]: dict(labels) for name, labels in metrics.samples if name == "net_ddp_port_info"}
        self.assertEqual(set(info), {*NICS, ""})
        for kind in NICS:
            labels = {"process": info[kind]["process"], "port": info[kind]["port"]}
            self.assertEqual((info[kind]["profiles"], info[kind]["offload_state"]), ("gtpu", "on"))
            self.assertEqual(metrics.of("net_ddp_offload_on", **labels), {(): 1})
            self.assertGreater(sum(metrics.of("net_ddp_offload_checked_packets_total", **labels).values()), 0)
            self.assertEqual(set(metrics.of("net_ddp_offload_refuted_packets_total", **labels).values()), {0})
            self.assertEqual(len(metrics.of("net_ddp_offload_proven", **labels)),
                             metrics.of("net_ddp_offload_ptypes", **labels)[()])
            for name in ("missed", "error", "no_mbuf"):
                self.assertEqual(len(metrics.of(f"net_ddp_lower_{name}_packets_total", **labels)), 1)
        result = harness.run("promtool", "check", "metrics", stdin=None, input=server.text())
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))
        self.assertTrue(server.text("application/openmetrics-text;version=1.0.0").endswith("\n# EOF\n"))
        first.command("stop")
        second.command("stop")
        second.quit()
        (queues, _), before = telemetry.Client(self, "nics").pages("queues", "/net_ddp/queues", 0), metrics
        after = server.metrics().of("net_ddp_rx_packets_total", process="nics", port="net_ddp0")
        for (queue,), n in after.items():
            self.assertLessEqual(before.of("net_ddp_rx_packets_total", process="nics", port="net_ddp0")[(queue,)],
                                 queues[queue]["rx_packets"])
            self.assertLessEqual(queues[queue]["rx_packets"], n)

        prometheus = Prometheus(self, f"127.0.0.1:{server.port}")
        prometheus.wait(lambda: list(prometheus.query("up").values()) == [1], "scrape")
        prometheus.wait(lambda: prometheus.firing("DdpHotQueue") == {"upf"}, "alert for a hot queue")
        harness.output_of(harness.tools["ddpctl"], "port", "set", "net_ddp0", "gtpu", "--file-prefix", "upf",
                          env=eal.environment(self.folder))
        prometheus.wait(lambda: prometheus.firing("DdpHotQueue") == set(), "end of the alert")
        self.assertEqual(prometheus.firing("DdpNoProcess"), set())
        first.kill()
        prometheus.wait(lambda: prometheus.firing("DdpProcessDown") == {"nics"}, "alert for a killed process")
        pmd.quit()


class Others(harness.TestCase):
    """Processes that are no good, beside some that are."""

    def setUp(self):
        shutil.rmtree(self.folder / "dpdk", ignore_errors=True)

    def test_what_one_process_does_leaves_the_others_alone(self):
        good = Machine(1, 4)
        exporter.Process(self, "a-good", good)
        exporter.Process(self, "hangs", lambda command: time.sleep(60))
        exporter.Process(self, "hangs-later", lambda command: good(command) if "list" in command else None)
        exporter.Process(self, "dies", lambda command: good(command) if "list" in command else b"")
        exporter.Process(self, "garbage", lambda command: os.urandom(500))
        exporter.Process(self, "cut", lambda command: good(command)[:-9])
        exporter.Process(self, "deep", lambda command: b"[" * 60000)
        exporter.Process(self, "huge", lambda command: answer(command.split(",")[0], {"count": 10 ** 400}))
        exporter.Process(self, "endless", lambda command: good(command) if "list" in command else answer(
            "/net_ddp/metrics", {"count": 1, "next": 1}))
        exporter.Process(self, "rude", good, greeting=b"go away")
        exporter.Process(self, "without", lambda command: answer(command, None))
        exporter.Process(self, "z-good", good)
        exporter.Process(self, "gone", good).close()
        (self.folder / "dpdk" / ("long" * 30)).mkdir()
        (self.folder / "dpdk" / ("long" * 30) / "dpdk_telemetry.v2").touch()
        server = exporter.Exporter(self)
        start = time.monotonic()
        metrics = server.metrics()
        self.assertLess(time.monotonic() - start, 4)
        names = {"a-good", "z-good", "rude"}
        ups = metrics.of("ddp_process_up")
        self.assertEqual({name for (name,), up in ups.items() if up}, names)
        self.assertEqual({name for (name,), up in ups.items() if not up}, {
            "hangs", "hangs-later", "dies", "garbage", "cut", "deep", "huge", "endless", "gone", "long" * 30})
        self.assertEqual(metrics.of("ddp_exporter_processes"), {(): len(ups)})
        for name in names:
            self.assertEqual(len(metrics.of("net_ddp_rx_packets_total", process=name)), 4)
        server.metrics()
        said = server.end().splitlines()
        self.assertEqual(len(said), 10, said)  # each once
        self.assertEqual(len([line for line in said if "no answer in time" in line]), 3, said)

    def test_pages_are_joined_and_what_is_refused_leaves_the_rest(self):
        def refuses(command):
            path, _, parameters = command.partition(",")
            if path == "/net_ddp/metrics" and parameters.endswith(",100"):
                return answer(path, {"ok": 0, "error": "no ", "error_2": "rings"})
            return Machine(2, 256)(command)

        exporter.Process(self, "big", Machine(16, 256))
        exporter.Process(self, "refuses", refuses)
        exporter.Process(self, "strange", Machine(1, 4, rx_bytes=[1, "2", 3, 4]))
        exporter.Process(self, "equal", Machine(1, 4, ptypes=["A", "B", "A"], ptype_packets=[1, 2, 5]))
        server = exporter.Exporter(self)
        metrics = server.metrics()
        rx = "net_ddp_rx_packets_total"
        self.assertEqual(metrics.of(rx, process="big"),
                         {(f"net_ddp{p}", str(q)): p * 1000 + q for p in range(16) for q in range(256)})
        self.assertEqual(metrics.of("net_ddp_ptype_packets_total", process="big"),
                         {(f"net_ddp{p}", f"TYPE_{i}"): p + i for p in range(16) for i in range(30)})
        self.assertEqual({key for key, n in metrics.of("ddp_process_up").items() if n}, {("big",), ("equal",)})
        self.assertEqual(len(metrics.of(rx, process="refuses")), 200)
        self.assertEqual(len(metrics.of(rx, process="strange")), 4)
        self.assertEqual(metrics.of("net_ddp_rx_bytes_total", process="strange"), {})
        self.assertEqual(metrics.of("net_ddp_ptype_packets_total", process="equal"),
                         {("net_ddp0", "A"): 6, ("net_ddp0", "B"): 2})
        self.assertIn("no rings", server.end())

    def test_a_nic_that_is_idle_is_on(self):
        exporter.Process(self, "off", Machine(1, 1))
        exporter.Process(self, "idle", lambda command: Machine(1, 1)(command).replace(
            b'"offload_state":"off"', b'"offload_state":"idle"'))
        metrics = exporter.Exporter(self).metrics()
        for name in "net_ddp_offload_on", "net_ddp_offload_idle":
            self.assertEqual(metrics.of(name), {("net_ddp0", "off"): 0, ("net_ddp0", "idle"): 1}, name)

    def test_names_of_others_are_labels(self):
        odd = 'A"\n\\\ud800\x1b'
        exporter.Process(self, "odd", Machine(1, 1, ptypes=[odd], ptype_packets=[1]))
        result = harness.run("promtool", "check", "metrics", stdin=None, input=once(self).stdout)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_an_empty_machine_is_told_once(self):
        server = exporter.Exporter(self, "--run-dir", self.folder)
        for _ in range(2):
            self.assertEqual(server.metrics().of("ddp_exporter_processes"), {(): 0})
        self.assertEqual(server.end(), f"ddp-exporter: no process with net_ddp: {self.folder}\n")

    def test_addresses_and_options(self):
        server = exporter.Exporter(self, host="[::1]")
        server.metrics()
        exporter.Process(self, "one", Machine(1, 1))
        exporter.Process(self, "two", Machine(1, 1))
        self.assertEqual(exporter.Metrics(once(self, "--file-prefix", "two").stdout).of("ddp_process_up"), {("two",): 1})
        for options, status, reason in (
                (["--listen", "nowhere"], 2, "--listen: 'nowhere' is not an address and a port"),
                (["--listen", "127.0.0.1:65536"], 2, "--listen: '127.0.0.1:65536' is not an address and a port"),
                (["--listen", "nowhere:1"], 2, "nowhere:1: "), (["--onc"], 2, "unrecognized arguments: --onc"),
                (["--listen", f"[::1]:{server.port}"], 1, f"[::1]:{server.port}: Address already in use")):
            with self.subTest(options):
                result = harness.run(harness.tools["ddp-exporter"], *options, timeout=SECONDS)
                self.assertEqual((result.returncode, result.stderr.count("\n")), (status, 1), result.stderr)
                self.assertTrue(result.stderr.startswith(f"ddp-exporter: {reason}"), result.stderr)
        server.end()
        with open("/dev/full", "w", encoding="ascii") as full:
            result = once(self, stdout=full)
        self.assertEqual((result.returncode, result.stderr),
                         (3, "ddp-exporter: standard output: No space left on device\n"))


class Files(harness.TestCase):
    def promtool(self, *words):
        result = harness.run("promtool", *words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_manual_pages_have_each_metric_and_option(self):
        text = once(self).stdout
        self.assertEqual(set(re.findall(r"(?m)^# TYPE (\w+) ", text)), documented())
        page = (FOLDER / "ddp-exporter.1").read_text().split(".SH ")[4].replace("\\-", "-")
        usage = harness.output_of(harness.tools["ddp-exporter"], "--help")
        options = set(re.findall(r"(?m)^  (?:-h, )?(--[a-z-]+)", usage))
        self.assertEqual(set(re.findall(r"(?m)^\.B[IR]? (?:-h \", \" )?(--[a-z-]+)", page)), options)

    def test_alerts_and_dashboard_are_right(self):
        self.promtool("check", "rules", MONITORING / "alerts.yml")
        self.promtool("test", "rules", MONITORING / "alerts_test.yml")
        known = documented() | {f"ddp_fwd_latency_seconds_{part}" for part in ("bucket", "sum", "count")}
        base = yaml.safe_load((harness.SOURCE_ROOT / "profiles" / "base.yaml").read_text(encoding="utf-8"))
        for name in ("alerts.yml", "alerts_test.yml", "dashboard.json"):
            text = (MONITORING / name).read_text(encoding="utf-8")
            used = set(re.findall(r"\b((?:net_ddp|ddp_fwd|ddp_process|ddp_exporter)_\w+)", text))
            self.assertTrue(used)
            self.assertLessEqual(used, known, name)
            for types in re.findall(r'ptype=~\\?"(.*?)\\?"', text):
                for ptype in ("none", *base["packet_types"]):
                    self.assertRegex(ptype, f"^(?:{types})$")
                self.assertNotRegex("GTPU_IPV4_UDP", f"^(?:{types})$")
        panels = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))["panels"]
        rules = [{"record": "r", "expr": target["expr"].replace("$__rate_interval", "1m")}
                 for panel in panels for target in panel["targets"]]
        path = self.folder / "dashboard.rules"
        path.write_text(json.dumps({"groups": [{"name": str(i), "rules": [rule]} for i, rule in enumerate(rules)]}))
        self.promtool("check", "rules", path)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd", "ddp-exporter", "testsrc")
