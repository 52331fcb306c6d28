#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The units of systemd: systemd accepts them and finds little that a broken process could do, and the programs
work with the rights and limits that the units leave them. A unit that fails is found by an operator at night."""

import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
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

    def environment_file(self, text):
        """The words of its variables, as systemd splits them."""
        text = text.replace("\\\n", " ")
        return {name: shlex.split(value) for name, value in re.findall(r"(?m)^(\w+)=(.*)$", text)}

    def test_the_example_is_a_valid_configuration(self):
        """Also the one of the manual page: its devices are not on this machine, and its options are known."""
        example = harness.SOURCE_ROOT / "apps" / "service" / "ddp-fwd.conf"
        manual = (harness.SOURCE_ROOT / "apps" / "fwd" / "ddp-fwd.1").read_text(encoding="utf-8")
        shown = re.search(r"(?ms)^# /etc/ddp\\-fwd.*?(?=^\.fi)", manual)[0].replace("\\-", "-")
        for text in (example.read_text(encoding="utf-8"), shown):
            words = self.environment_file(text)
            self.assertEqual(set(words), {"EAL_OPTIONS", "OPTIONS"})
            self.assertTrue(all(arg.startswith("net_ddp") for option, arg in
                                zip(words["EAL_OPTIONS"], words["EAL_OPTIONS"][1:]) if option == "--vdev"))
            options = [word for word in words["OPTIONS"] if not word.startswith("/")]
            result = self.run_fwd([], *options[:-1], "--duration", 0.1)  # without the name of the report
            self.assertEqual((result.returncode, fwd.our_lines(result.stderr)), (
                1, ["ddp-fwd: no ports: give EAL a device with --vdev or -a"]))

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
        return shlex.split(command.replace("%i", INSTANCE))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv") and shutil.which("prlimit"),
                         "only root can give up capabilities")
    def test_ddp_fwd_and_ddp_exporter_with_the_rights_of_their_units(self):
        """Start, and metrics of root's process for a user who has no right but one."""
        words = self.environment_file("\n".join([
            f"EAL_OPTIONS=--lcores {eal.options(2, fwd.MEGABYTES)[1]} --no-huge -m {fwd.MEGABYTES} --no-pci \\",
            f"  --vdev net_ddp0,dev(net_pcap0,rx_pcap={self.n3},infinite_rx=1),profile=gtpu", "OPTIONS=--rxq 4"]))
        unit = settings(self.text[f"ddp-fwd@{INSTANCE}.service"])
        self.assertEqual(unit["EnvironmentFile"], ["/etc/ddp-fwd/%i.conf"])
        [start] = unit["ExecStart"]
        start = [part for word in self.in_unit(start) for part in
                 (words[word[1:]] if word.startswith("$") else [word])]
        process = harness.start(self, *self.limited(f"ddp-fwd@{INSTANCE}.service"), *start, cwd="/",
                                env=eal.environment(self.folder))
        path = eal.telemetry_socket(self.folder, f"ddp-fwd-{INSTANCE}")
        harness.until(lambda: path.exists() or process.poll() is not None)
        self.assertTrue(path.exists(), process.poll() is not None and process.stderr.read())
        self.check_metrics()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(fwd.SECONDS), 0)

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
