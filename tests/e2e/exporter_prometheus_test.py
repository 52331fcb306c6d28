#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's Prometheus scrapes ddp-exporter: it has the numbers of the ports, an alert fires when a queue runs hot and
ends after the change of profiles that helps. Alerts and dashboard are read by the tools that they are for.

    exporter_prometheus_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so path/to/ddp-fwd
        path/to/ddp-exporter"""

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request

from support import eal, exporter, fwd, harness, telemetry, testpmd

MONITORING = harness.SOURCE_ROOT / "apps" / "exporter" / "monitoring"
QUEUES = 8
SECONDS = 40  # for a scrape, an alert


def setUpModule():
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        harness.skip("prometheus is not installed")
    testpmd.set_up_module()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


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
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log = open(folder / "log", "w+", encoding="utf-8")
        test.addCleanup(self.log.close)
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.url.removeprefix('http://')}", "--log.level=warn"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)

    def get(self, path, **parameters):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}",
                                    timeout=SECONDS) as answer:
            return json.loads(answer.read())["data"]

    def query(self, expression):
        """Values by labels."""
        return {frozenset(row["metric"].items()): float(row["value"][1])
                for row in self.get("query", query=expression)["result"]}

    def firing(self, alert):
        """The processes that it fires for."""
        return {found["labels"]["process"] for found in self.get("alerts")["alerts"]
                if found["labels"]["alertname"] == alert and found["state"] == "firing"}

    def wait(self, condition, what):
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass  # it is starting
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.log.seek(0)
                raise AssertionError(f"no {what}: {self.log.read()[-2000:]}")
            time.sleep(0.2)


class Scrape(fwd.TestCase):
    prefix = "ddp-fwd"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)

    def test_a_hot_queue_is_seen_and_mended(self):
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={self.n3.name},infinite_rx=1),overflow=wait"
        pmd = testpmd.Testpmd(self, [vdev], f"--rxq={QUEUES}", f"--txq={QUEUES}", prefix="upf")
        pmd.commands("set fwd rxonly", "start")
        forwarder = self.start_fwd([fwd.vdev(self.n3.name, "profile=gtpu", "overflow=wait")], "--idle-exit", 0,
                                   "--stats", 0.05, "--rxq", 4, "--fwd", "rxonly")
        forwarder.stdout.readline()
        client = telemetry.Client(self, self.prefix)
        n = len(harness.pcap_frames(self.n3))
        pmd.wait(lambda: client.ask("/net_ddp/info", 0)["counters"]["rx_delivered_packets"] == n, "all packets")
        server = exporter.Exporter(self)
        prometheus = Prometheus(self, f"127.0.0.1:{server.port}")

        prometheus.wait(lambda: list(prometheus.query("up").values()) == [1], "scrape")
        prometheus.wait(lambda: set(prometheus.query("sum by (process) (ddp_process_up)").items()) ==
                        {(frozenset({("process", name)}), 1) for name in ("upf", "ddp-fwd")}, "both processes")
        told, _ = client.pages("queues", "/net_ddp/queues", 0)
        for name, key in (("rx_packets", "rx_packets"), ("rx_bytes", "rx_bytes"),
                          ("rx_missed_packets", "rx_missed")):
            found = prometheus.query(f'sum by (queue) (net_ddp_{name}_total{{process="ddp-fwd"}})')
            self.assertEqual(found, {frozenset({("queue", q)}): item[key] for q, item in told.items()})
        [quantile] = prometheus.query('histogram_quantile(0.5, ddp_fwd_latency_seconds_bucket)').values()
        self.assertGreater(quantile, 0)

        prometheus.wait(lambda: prometheus.firing("DdpHotQueue") == {"upf"}, "alert for a hot queue")
        harness.output_of(harness.tools["ddpctl"], "port", "set", "net_ddp0", "gtpu", "--file-prefix", "upf",
                          env=eal.environment(self.folder))
        prometheus.wait(lambda: prometheus.firing("DdpHotQueue") == set(), "end of the alert")
        prometheus.wait(lambda: sum(prometheus.query("net_ddp_profile_changes_total").values()) == 1, "change")
        self.assertEqual(prometheus.firing("DdpUnknownPacketTypes"), set())
        self.assertEqual(prometheus.firing("DdpProcessDown"), set())

        forwarder.kill()
        prometheus.wait(lambda: prometheus.firing("DdpProcessDown") == {"ddp-fwd"}, "alert for a killed process")
        self.assertEqual(set(prometheus.query("up").values()), {1})
        pmd.quit()


class Files(fwd.TestCase):
    def promtool(self, *words):
        result = harness.run("promtool", *words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def names(self):
        """All names of samples, and all labels."""
        text = harness.output_of(harness.tools["ddp-exporter"], "--once", "--run-dir", self.folder)
        names = re.findall(r"(?m)^# TYPE (\S+) \w+$", text)
        return {*names, *(f"{name}_{part}" for name in names for part in ("bucket", "sum", "count"))}

    def test_alerts_are_right(self):
        self.promtool("check", "rules", MONITORING / "alerts.yml")
        self.promtool("test", "rules", MONITORING / "alerts_test.yml")

    def test_alerts_and_dashboard_use_metrics_that_there_are(self):
        for name in ("alerts.yml", "alerts_test.yml", "dashboard.json"):
            text = (MONITORING / name).read_text(encoding="utf-8")
            used = set(re.findall(r"\b((?:net_ddp|ddp_fwd|ddp_process|ddp_exporter)_\w+)", text))
            self.assertTrue(used)
            self.assertLessEqual(used, self.names(), name)

    def test_each_expression_of_the_dashboard_is_one(self):
        dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
        panels = dashboard["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        expressions = [target["expr"] for panel in panels for target in panel["targets"]]
        expressions += [note["expr"] for note in dashboard["annotations"]["list"]]
        self.assertGreater(len(expressions), len(panels))
        rules = [{"record": f"r{i}", "expr": text.replace("$__rate_interval", "1m")}
                 for i, text in enumerate(expressions)]
        path = self.folder / "dashboard.rules"
        path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
        self.promtool("check", "rules", path)
        variables = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
        self.assertLessEqual(set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard))) - {"__all"}, variables)
        taken = set()  # panels do not overlap
        for panel in panels:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            taken |= cells


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd", "ddp-exporter")
