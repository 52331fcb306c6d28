#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-operations(7) is what somebody has open at three in the morning: a command in it that does not
work, a counter that it does not explain, or a file that its program refuses would be found then. Each
display of the page has a name, in the comment before it, and is run here as it stands there, on stock
testpmd, dpdk-dumpcap, ddp-fwd and our tools, in the order of the page, or is in NOT_RUN with the reason."""

import json
import os
import pty
import re
import shutil
import subprocess

import yaml

from documentation_test import roff_text
from support import eal, harness, hugepages, testpmd

PAGE = harness.SOURCE_ROOT / "apps" / "ctl" / "ddp-operations.7"
MONITORING = harness.SOURCE_ROOT / "apps" / "exporter" / "monitoring"
SECONDS = 60
LINES_MAX = 720  # longer, and nobody reads it; groff 1.23 makes 705 of 698
COLUMNS = 80

# By the name of a display: why it is not run.
NOT_RUN = {
    "hugepages-reserve": "changes the machine; hugepages.py reserves what the test needs",
    "kernel": "the command line of a kernel",
    "bind": "needs a NIC, and takes it away from the kernel",
    "install": "changes the machine; scripts/test-packages installs the packages",
    "here": "needs a NIC with two ports",
    "exec": "needs a cluster",
}
# Files in other languages: test_files_are_what_their_programs_read.
FILES = {"prometheus", "prometheus-pods", "kubelet", "plugin", "pod"}

huge_folder = None


def setUpModule():
    global huge_folder
    testpmd.set_up_module()
    harness.need("jq")
    try:
        huge_folder = hugepages.reserve()
    except SystemExit:
        huge_folder = None  # the capture by a second process is passed over, with the reason


def displays():
    """Their text by name, in the order of the page."""
    found = re.findall(r"(?ms)^(?:\.\\\" @(\S+)\n)?\.Bd -literal[^\n]*\n(.*?)^\.Ed$",
                       PAGE.read_text(encoding="utf-8"))
    assert all(name for name, _ in found), found
    assert len({name for name, _ in found}) == len(found)
    return {name: roff_text(text) for name, text in found}


class Operations(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.displays = displays()
        (cls.folder / "bin").mkdir()
        for name in ("ddpctl", "ddp-fwd", "ddp-exporter"):
            (cls.folder / "bin" / name).symlink_to(harness.tools[name])
        (cls.folder / "my.yaml").write_text(
            (harness.SOURCE_ROOT / "profiles" / "gtpu.yaml").read_text().replace("profile: gtpu", "profile: my"))

    def environment(self):
        return {**eal.environment(self.folder), "LC_ALL": "C.UTF-8",
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def replaced(self, text):
        """With what stands here for a NIC, and for what packages install."""
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        memory = ["--huge-dir", huge_folder] if huge_folder else ["--no-huge"]
        virtual = "net_pcap0,rx_pcap=n3.pcap,infinite_rx=1"
        for there, here in (
                ("build/tests/traffic/ddp-traffic", harness.tools["ddp-traffic"]),
                ("dpdk-testpmd ", f"dpdk-testpmd -d {harness.tools['net_ddp']} {' '.join(memory)} "),
                ("/etc/ddp/", f"{self.folder}/"), ("/var/run/dpdk/", f"{self.folder}/dpdk/"),
                ("-l 0,1", f"--lcores '(0,1)@({cpus})'"), ("-l 2-10", f"--lcores '(2-10)@({cpus})'"),
                ('-l "$(cat /sys/fs/cgroup/cpuset.cpus.effective)"', f"--lcores '(0-5)@({cpus})'"),
                ("-b $nic", "--no-huge -m 1024 --no-pci"), ("nic=0000:81:00.0", f"nic={virtual}"),
                ('-b "$PCIDEVICE_INTEL_COM_E810"', "--no-huge -m 1024 --no-pci"),
                ("$PCIDEVICE_INTEL_COM_E810", virtual)):
            text = text.replace(there, here)
        return text

    def run_text(self, text, **kwargs):
        """Of a shell that ends with the first command that fails."""
        return harness.run("bash", "-c", f"set -e\n{self.replaced(text)}", cwd=self.folder,
                           env=self.environment(), timeout=SECONDS, **kwargs)

    def good(self, name):
        """The output of a display."""
        result = self.run_text(self.displays[name])
        self.assertEqual(result.returncode, 0, f"{name}: {result.stdout} {result.stderr}")
        self.done.add(name)
        return result.stdout

    def wait_port(self):
        """The output of port show, once the port runs."""
        def running():
            result = self.run_text("ddpctl port show net_ddp0 --json")
            info = json.loads(result.stdout) if result.returncode == 0 else {"state": ""}
            return info["state"] == "running" and info
        return harness.until(running, "port")

    def start_application(self):
        """At a terminal, as the page says; Enter ends it."""
        process, terminal = self.open_terminal(self.displays["application"])
        self.wait_port()
        self.done.add("application")
        return process, terminal

    def open_terminal(self, text):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        text = re.sub("(?m)^(?=dpdk-testpmd|ddp-fwd)", "exec ", self.replaced(text))
        process = harness.start(self, "bash", "-c", text, env=self.environment(), stdin=slave,
                                stderr=subprocess.DEVNULL)
        os.close(slave)
        return process, master

    def forward(self, text):
        """ddp-fwd with a real NIC's options: it starts, forwards, and ends as it should."""
        process, _ = self.open_terminal(text)
        info = self.wait_port()
        process.terminate()
        self.assertEqual(process.wait(SECONDS), 0)
        return info

    def imbalance(self, text):
        """The last one that port watch prints."""
        return float(re.findall(r"imbalance ([0-9.]+)", text)[-1])

    def prepare(self):
        """PREPARE THE MACHINE, as far as this one can."""
        self.assertIn("Node", self.good("hugepages"))
        if shutil.which("lspci") is None or shutil.which("dpdk-devbind.py") is None:
            print("passed over, no lspci or dpdk-devbind.py: status")
            self.done.add("status")
        else:
            self.good("status")

    def change(self):
        """CHANGE PROFILES, from the first step to the last."""
        text = self.good("before")
        self.assertRegex(text, r"(?m)^ *\d+  dpdk-testpmd  upf +0  net_ddp0 ")
        self.assertEqual((self.folder / "before").read_text(), "base\n")
        uneven = self.imbalance(text)
        if huge_folder and shutil.which("dpdk-dumpcap") is not None:
            self.good("capture")
        else:
            print("passed over, no hugepages or no dpdk-dumpcap: capture")
            shutil.copy(self.folder / "n3.pcap", self.folder / "now.pcapng")
            self.done.add("capture")
        text = self.good("choose")
        self.assertRegex(text, r"(?m)^gtpu: OK ")
        self.assertEqual(self.good("set"), "port 0: gtpu\n")
        text = self.good("watch")
        self.assertLess(self.imbalance(text), 1.5)
        self.assertGreater(uneven, 2)
        self.assertIn("GTPU_IPV4_TCP", text)
        self.good("nics")
        self.good("balance")
        self.assertEqual(self.good("undo"), "port 0: base\n")
        self.assertGreater(self.imbalance(self.run_text("ddpctl port watch net_ddp0 --count 2").stdout), 2)

    def check_port(self, process):
        """Questions about a port that runs."""
        self.assertRegex(self.good("versions"),
                         rf"(?m)^{process.pid}\tdpdk-testpmd\tnet_ddp0\t{re.escape(harness.version())}$")
        text = self.good("metrics")
        self.assertRegex(text, r'(?m)^net_ddp_rx_imbalance_ratio\{port="net_ddp0",process="upf"\} \d')
        self.assertRegex(self.good("socket"), r"^drwx------ \S+ \S+/upf\n$")

    def size(self):
        self.assertGreater(float(self.good("measure")), 0)
        self.assertIn("CORES", self.good("cores"))

    def test_the_commands_of_the_page(self):
        """The order is that of somebody who follows it."""
        self.done = set()
        self.good("traffic")
        self.prepare()
        process, terminal = self.start_application()
        self.change()
        self.check_port(process)
        os.write(terminal, b"\n")
        self.assertEqual(process.wait(SECONDS), 0)
        self.size()
        self.good("check")
        info = self.forward(self.displays["e810"])
        self.assertEqual((info["rx_queues"], info["profiles"]), (8, ["gtpu"]))
        self.done.add("e810")
        self.assertEqual(self.done | set(NOT_RUN) | FILES, set(self.displays))
        self.assertEqual(self.done & (set(NOT_RUN) | FILES), set())


class Files(Operations):
    test_the_commands_of_the_page = None

    def test_prometheus_takes_its_configuration(self):
        if shutil.which("promtool") is None:
            self.skipTest("prometheus is not installed")
        text = self.displays["prometheus"].replace("/usr/share/ddpsteer/monitoring", str(MONITORING))
        (self.folder / "prometheus.yml").write_text(text)
        result = harness.run("promtool", "check", "config", self.folder / "prometheus.yml")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_files_are_what_their_programs_read(self):
        """Files name each other's resources as these are."""
        files = {name: yaml.safe_load(self.displays[name]) for name in FILES}
        plugin = json.loads(files["plugin"]["data"]["config.json"])
        [resource] = plugin["resourceList"]
        containers = {each["name"]: each for each in files["pod"]["spec"]["containers"]}
        limits = containers["fwd"]["resources"]["limits"]
        name = f"intel.com/{resource['resourceName']}"
        self.assertEqual(limits[name], 1)
        variable = "PCIDEVICE_" + re.sub(r"\W", "_", name).upper()
        [command] = containers["fwd"]["args"]
        self.assertEqual(set(re.findall(r"\$(\w+)", command)), {variable})
        self.assertEqual(int(limits["cpu"]) % 2, 0)  # whole cores, with two threads each
        self.assertGreaterEqual(limits["cpu"], 1 + int(re.search(r"--rxq (\d+)", command)[1]))
        for container in containers.values():  # class Guaranteed needs both of all
            self.assertLessEqual({"cpu", "memory"}, set(container["resources"]["limits"]))
            self.assertNotIn("requests", container["resources"])
        volumes = {volume["name"] for volume in files["pod"]["spec"]["volumes"]}
        mounts = [{mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
                  for container in containers.values()]
        self.assertEqual(volumes, set(mounts[0]))
        self.assertEqual(mounts[0]["sockets"], mounts[1]["sockets"])
        [port] = containers["exporter"]["ports"]
        self.assertIn(f"0.0.0.0:{port['containerPort']}", containers["exporter"]["command"])
        [job] = files["prometheus-pods"]  # Debian's promtool does not know this discovery
        rule = job["relabel_configs"][0]
        self.assertEqual((rule["regex"], rule["action"]), (port["name"], "keep"))
        self.assertEqual((files["kubelet"]["kind"], files["kubelet"]["cpuManagerPolicy"]),
                         ("KubeletConfiguration", "static"))

    def test_the_command_of_the_pod_runs(self):
        self.run_text(self.displays["traffic"])
        [container] = [each for each in yaml.safe_load(self.displays["pod"])["spec"]["containers"]
                       if each["name"] == "fwd"]
        self.assertEqual(container["command"], ["sh", "-c"])
        info = self.forward(container["args"][0])
        self.assertEqual((info["rx_queues"], info["profiles"], info["file_prefix"]), (5, ["gtpu"], "upf"))


class Counters(harness.TestCase):
    """Nobody acts upon a counter that is not explained."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = PAGE.read_text(encoding="utf-8")
        items = " ".join(re.findall(r"(?m)^\.It Va (.*)$", cls.text))
        cls.explained = items.replace(" , ", " ").split()

    def test_each_xstat_is_explained(self):
        n3 = self.traffic("--kind", "n3-up", "--ues", 20, "--packets-per-flow", 1)
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev(net_pcap0,rx_pcap={n3.name}),profile=gtpu"])
        names = {re.sub(r"_q\d+_", "_qN_", re.sub(r"_type_\w+_packets", "_type_NAME_packets", name))
                 for name in pmd.xstats()}
        # The lower device has more.
        names = {name if not name.startswith("lower_") or name in self.explained else "lower_NAME" for name in names}
        # All ports have those of ethdev.
        names = {name for name in names
                 if not re.match(r"[rt]x_(good_|errors$|missed_errors$|mbuf_alloc)", name)}
        pmd.quit()
        self.assertEqual(sorted(name for name in self.explained if not re.match("(net_)?ddp_", name)),
                         sorted(names))

    def test_it_is_short_enough_to_be_read(self):
        """On a terminal of the usual width a command is not broken."""
        if shutil.which("man") is None:
            self.skipTest("man is not installed")
        shown = harness.output_of("man", "-l", PAGE, env={**os.environ, "MANWIDTH": str(COLUMNS),
                                                          "LC_ALL": "C.UTF-8"})
        self.assertLess(len(shown.splitlines()), LINES_MAX)
        self.assertEqual([line for line in shown.splitlines() if len(line) > COLUMNS], [])


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd", "ddp-exporter")
