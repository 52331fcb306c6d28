#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The units of systemd: systemd accepts them and finds little that a broken process could do, and the programs
work with the rights and limits that the units leave them. A unit that fails is found by an operator at night.

    systemd_units_test.py path/to/ddpctl path/to/ddp-traffic path/to/ddp-fwd path/to/ddp-exporter"""

import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from support import eal, exporter, fwd, harness

EXPOSURE_MOST = {"ddp-fwd@n3.service": 3.0, "ddp-exporter.service": 2.0}  # systemd calls 4 and less OK
INSTANCE = "n3"


def settings(text):
    """Of a unit: lists of values by name."""
    found = {}
    for name, value in re.findall(r"(?m)^(\w+)=(.*)$", text):
        found.setdefault(name, []).append(value)
    return found


def may_change_rights():
    return os.geteuid() == 0 and shutil.which("setpriv") and shutil.which("prlimit")


class Units(fwd.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--ues", 50)
        cls.text = {}
        built = pathlib.Path(harness.tools["ddpctl"]).parents[1] / "service"
        for path in built.glob("*.service"):
            text = path.read_text(encoding="utf-8")
            for name in ("ddp-fwd", "ddp-exporter"):
                text = re.sub(rf"(?m)^(Exec\w+=)\S*/{name} ", rf"\g<1>{harness.tools[name]} ", text)
            name = path.name.replace("@", "@" + INSTANCE)
            cls.text[name] = text
            (cls.folder / name).write_text(text)
        assert set(cls.text) == set(EXPOSURE_MOST), cls.text.keys()

    def analyze(self, *words):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        return harness.run("systemd-analyze", *words, cwd=self.folder, env={**os.environ, "SYSTEMD_COLORS": "0"})

    def test_systemd_accepts_them(self):
        for name in self.text:
            result = self.analyze("verify", "--man=no", f"./{name}")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), name)
        (self.folder / "bad.service").write_text(self.text["ddp-exporter.service"] + "Nonsense=yes\n")
        self.assertIn("Nonsense", self.analyze("verify", "--man=no", "./bad.service").stderr)

    def test_a_broken_process_could_do_little(self):
        for name, most in EXPOSURE_MOST.items():
            result = self.analyze("security", "--offline=yes", f"./{name}")
            if "offline" in result.stderr:
                self.skipTest("this systemd-analyze cannot judge a unit that is not loaded")
            level = re.search(r"Overall exposure level for \S+: (\d+\.\d)", result.stdout)
            self.assertIsNotNone(level, result.stderr)
            self.assertLessEqual(float(level[1]), most, result.stdout)
            print(f"{name}: exposure {level[1]}")

    def test_the_example_is_a_valid_configuration(self):
        """Also the one of the manual page."""
        example = harness.SOURCE_ROOT / "apps" / "service" / "ddp-fwd.conf"
        manual = (harness.SOURCE_ROOT / "apps" / "fwd" / "ddp-fwd.1").read_text(encoding="utf-8")
        shown = re.search(r"(?ms)^# /etc/ddp\\-fwd.*?(?=^\.fi)", manual)[0].replace("\\-", "-")
        (self.folder / "shown.conf").write_text(shown)
        for path in (example, self.folder / "shown.conf"):
            result = harness.run(harness.tools["ddp-fwd"], "--config", path, "--check-config",
                                 env=eal.environment(self.folder))
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def limit(self, name, value):
        """As much of it as root may have here, as systemd does."""
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        if value == "infinity":
            return "unlimited" if hard == resource.RLIM_INFINITY else hard
        return value if hard == resource.RLIM_INFINITY else min(int(value), hard)

    def limited(self, name, *setpriv):
        """Words that start a program with the capabilities and limits of a unit."""
        unit = settings(self.text[name])
        capabilities = unit["CapabilityBoundingSet"][0].lower().replace("cap_", "+").replace(" ", ",")
        limits = [f"--{key[5:].lower()}={self.limit(key[5:], value[0])}"
                  for key, value in unit.items() if key.startswith("Limit")]
        return ["prlimit", *limits, "setpriv", "--no-new-privs", f"--bounding-set=-all,{capabilities}", *setpriv]

    def in_unit(self, command):
        return shlex.split(command.replace("/etc/ddp-fwd", str(self.folder)).replace("%i", INSTANCE))

    @unittest.skipUnless(may_change_rights(), "only root can give up capabilities")
    def test_ddp_fwd_and_ddp_exporter_with_the_rights_of_their_units(self):
        """Start, reload, and metrics of root's process for a user who has no right but one."""
        profile = self.folder / "mine.yaml"
        profile.write_text("profile: mine\nversion: 1.0.0\nrequires: [gtpu]\n")
        (self.folder / f"{INSTANCE}.conf").write_text("\n".join([
            f"--lcores {eal.options(2, fwd.MEGABYTES)[1]}", "--no-huge", f"-m {fwd.MEGABYTES}", "--no-pci",
            f"--vdev net_ddp0,dev(net_pcap0,rx_pcap={self.n3},infinite_rx=1),profile={profile}", "rxq 4"]))
        unit = settings(self.text[f"ddp-fwd@{INSTANCE}.service"])
        [start], reloads = unit["ExecStart"], unit["ExecReload"]
        process = subprocess.Popen(
            self.limited(f"ddp-fwd@{INSTANCE}.service") + self.in_unit(start), cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", env=eal.environment(self.folder),
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for(eal.telemetry_socket(self.folder, f"ddp-fwd-{INSTANCE}"), process)
        self.check_metrics()
        for text, status in (("1.0.1", 0), ("nonsense: [", 1), ("1.0.2", 0)):
            profile.write_text(f"profile: mine\nversion: {text}\nrequires: [gtpu]\n")
            for command in reloads:
                result = harness.run(*self.in_unit(command.replace("$MAINPID", str(process.pid))), cwd="/",
                                     env=eal.environment(self.folder))
                if result.returncode != 0:
                    break
            self.assertEqual(result.returncode, status, result.stderr)
            if status == 0:
                self.assertIn(f"profiles reloaded: mine {text}", self.line_of(process, "reloaded"))
            else:
                self.assertRegex(result.stderr, r"^ddp-fwd: .*mine\.yaml:2:")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(fwd.SECONDS), 0)

    def wait_for(self, path, process):
        end = time.monotonic() + fwd.SECONDS
        while not path.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(path.exists(), process.poll() is not None and process.stderr.read())

    def line_of(self, process, text):
        while text not in (line := process.stderr.readline()):
            self.assertNotEqual(line, "")
        return line

    def check_metrics(self):
        """As the unit of the exporter starts it: a user without rights, and the capability that it needs."""
        unit = settings(self.text["ddp-exporter.service"])
        [ambient] = unit["AmbientCapabilities"]
        words = self.in_unit(unit["ExecStart"][0].replace("$OPTIONS", "").replace("/run/dpdk", f"{self.folder}/dpdk"))
        user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        capability = ambient.lower().replace("cap_", "+")
        with_it = [*user, f"--inh-caps=-all,{capability}", f"--ambient-caps=-all,{capability}"]
        for rights, seen in ((with_it, True), (user, False)):
            result = harness.run(*self.limited("ddp-exporter.service", *rights),
                                 *(word for word in words if not word.startswith(("--listen", "${"))), "--once", cwd="/")
            if not seen and result.returncode in (126, 127):
                return  # this user cannot even read the program
            up = exporter.Metrics(result.stdout).of("ddp_process_up")
            self.assertEqual([value for value in up.values() if value], [1] if seen else [], result.stderr)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd", "ddp-exporter")
