#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who runs an application with net_ddp must be able to see from outside where its packets go, and to give it
another profile without stopping it: ddpctl port, on stock testpmd. Without it profiles could be changed
only by restarting.

    ctl_port_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so path/to/ddp-fwd"""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time

from support import eal, fwd, harness, testpmd

QUEUES = 8
MANY_QUEUES = 100  # more than telemetry tells at once
PERIOD = "0.2"
UNEVEN, EVEN = 3, 1.5  # imbalance of the capture, without and with gtpu


def setUpModule():
    testpmd.set_up_module()


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)

    def start(self, prefix="ddp", n_queues=QUEUES):
        """testpmd that forwards the capture again and again."""
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={self.n3.name},infinite_rx=1)"
        pmd = testpmd.Testpmd(self, [vdev], f"--rxq={n_queues}", f"--txq={n_queues}", prefix=prefix)
        pmd.commands("set fwd rxonly", "start")
        return pmd

    def port(self, *args, **kwargs):
        """A run of ddpctl port, in the folder."""
        return harness.ddpctl("port", *args, env=eal.environment(self.folder), cwd=self.folder,
                              **kwargs)

    def good(self, *args):
        result = self.port(*args)
        self.assertEqual((result.returncode, result.stderr), (0, ""), args)
        return result.stdout

    def object(self, *args):
        return json.loads(self.good(*args, "--json"))

    def refused(self, status, pattern, *args):
        """One line on standard error, and nothing else."""
        result = self.port(*args)
        self.assertRegex(result.stderr, f"^ddpctl: {pattern}\n$")
        self.assertEqual((result.returncode, result.stdout), (status, ""), args)

    def imbalance(self):
        lines = self.good("watch", "0", "--count", 2, "--interval", PERIOD, "--json").splitlines()
        return json.loads(lines[-1])["imbalance"]


class Copies(fwd.TestCase, Case):
    def test_a_second_copy_of_the_plugin_steps_aside(self):
        """ddp-fwd has the plugin; with another file of it, of an older version in EAL's folder of drivers say, it
        gets another one. Were both at work, ports would forward and nobody could see or change them."""
        folder = tempfile.TemporaryDirectory(prefix="ddp-e2e-", dir=eal.home_folders()[0])
        self.addCleanup(folder.cleanup)
        copy = shutil.copy(harness.tools["net_ddp"], folder.name)
        words = self.command([f"net_ddp0,dev(net_pcap0,rx_pcap={self.n3.name},infinite_rx=1)"],
                             "--rxq", 4, "--duration", fwd.SECONDS)
        words[words.index("--no-telemetry"):words.index("--no-shconf") + 1] = [
            "--file-prefix", "ddp", "-d", copy]
        process = subprocess.Popen(words, cwd=self.folder, env=eal.environment(self.folder),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "net_ddp: " in line:
                break
        self.assertRegex(line, "this process already has the driver; the copy in .* is not used")
        socket = eal.telemetry_socket(self.folder, "ddp")
        deadline = time.monotonic() + fwd.SECONDS
        while not socket.exists() or self.port("show", "net_ddp0").returncode != 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertIn("net_ddp0", self.good("list"))
        self.good("add", "net_ddp0", "gtpu")
        self.assertEqual(self.object("list")[0]["profiles"], ["gtpu"])


class Verify(Case):
    def test_what_the_lower_device_hashes_is_proven(self):
        """A net_ddp below stands for a NIC; what it does not do is said, too."""
        lower = f"net_ddp1,dev(net_pcap0,rx_pcap={self.n3.name},infinite_rx=1),profile=e810-comms"
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev({lower}),profile=gtpu"], "--rxq=4", "--txq=4",
                              prefix="ddp")
        pmd.commands("set fwd rxonly", "start")
        pmd.wait(lambda: pmd.xstats()["rx_offloaded"] > 0, "packets that pass")
        proof = self.object("verify", "net_ddp0")
        self.assertEqual((proof["nic"], proof["state"]), ("net_ddp", "on"))
        proven = [each for each in proof["ptypes"] if each["state"] == "proven"]
        self.assertTrue(proven)
        self.assertTrue(all(each["checked"] >= 64 and each["wrong"] == 0 for each in proven))
        self.assertIn("proven", self.good("verify", "net_ddp0"))
        for more, wanted in (((), "GTPU_IPV4_TCP"), (("vxlan", "--nic", "ice-os"), "VXLAN_IPV4_TCP")):
            result = harness.ddpctl("plan", *more, "--port", "net_ddp0", "--json",
                                    env=eal.environment(self.folder), cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            plan = json.loads(result.stdout)
            self.assertEqual((plan["profile"], plan["nic"]),
                             (more[0], more[2]) if more else ("gtpu", "net_ddp"))
            self.assertIn(wanted, [each["name"] for each in plan["packet_types"]])
        pmd.quit()
        pmd = self.start()
        self.assertIn("hashes nothing", self.good("verify", "net_ddp0"))
        pmd.quit()


class Show(Case):
    def test_numbers_are_those_of_testpmd(self):
        pmd = self.start()
        self.good("add", "net_ddp0", "gtpu")
        pmd.wait(lambda: pmd.xstats()["rx_type_GTPU_IPV4_TCP_packets"] > 0, "packets with gtpu")
        pmd.command("stop")
        xstats = pmd.xstats()
        [port] = self.object("list")
        self.assertEqual((port["port"], port["name"], port["profiles"]), (0, "net_ddp0", ["gtpu"]))
        self.assertEqual(self.object("show", "net_ddp0"), port)
        self.assertEqual(port["counters"]["rx_lower_packets"], xstats["rx_lower_packets"])

        answer = self.object("queues", "0")
        self.assertEqual(answer["queues"], [
            {"queue": q, "packets": xstats[f"rx_q{q}_packets"], "bytes": xstats[f"rx_q{q}_bytes"],
             "missed": xstats[f"rx_q{q}_missed"]} for q in range(QUEUES)])
        loads = [queue["packets"] + queue["missed"] for queue in answer["queues"]]
        self.assertAlmostEqual(answer["imbalance"], harness.imbalance(loads), places=5)

        answer = self.object("ptypes", "net_ddp0")
        self.assertEqual({ptype["name"]: ptype["packets"] for ptype in answer["ptypes"]},
                         {name[len("rx_type_"):-len("_packets")]: n for name, n in xstats.items()
                          if name.startswith("rx_type_") and not name.endswith("_none_packets")})
        pmd.quit()

    def test_tables(self):
        pmd = self.start()
        self.good("add", "0", "gtpu:ue+vxlan")
        pmd.wait(lambda: pmd.xstats()["rx_type_GTPU_IPV4_TCP_packets"] > 0, "packets with gtpu")
        pmd.command("stop")
        self.assertRegex(self.good("list"), r"^PORT +NAME +.*\n +0  net_ddp0 .* 8  gtpu vxlan  .*\n$")
        text = self.good("show", "0")
        self.assertRegex(text, r"(?m)^lower_device: +net_pcap0$")
        self.assertRegex(text, r"(?m)^PROFILE +VERSION +GIVEN AS\n"
                               r"gtpu +1\.0\.0 +gtpu:ue\nvxlan +1\.0\.0 +vxlan$")
        self.assertRegex(text, r"(?m)^rx_missed_packets +\d+$")
        text = self.good("queues", "0")
        self.assertRegex(text, r"^QUEUE +PACKETS +BYTES +MISSED +SHARE\n")
        self.assertEqual(len(re.findall(r"(?m)^ +\d+ +\d+ +\d+ +\d+ +[0-9.]+%$", text)), QUEUES)
        self.assertRegex(text, r"\npackets: \d+, missed: \d+, imbalance: \d\.\d{3}\n$")
        self.assertRegex(self.good("ptypes", "0"),
                         r"(?m)^ *\d+  GTPU_IPV4_TCP +\d+ +[0-9.]+%  0x01408291$")
        pmd.quit()

    def test_more_than_telemetry_tells_at_once(self):
        pmd = self.start(n_queues=MANY_QUEUES)
        self.good("add", "0", "all")
        queues = self.object("queues", "0")["queues"]
        self.assertEqual([queue["queue"] for queue in queues], list(range(MANY_QUEUES)))
        ptypes = self.object("ptypes", "0")["ptypes"]
        self.assertEqual(len(ptypes), self.object("show", "0")["packet_types"])
        self.assertGreater(len(ptypes), 200)
        pmd.quit()


class Change(Case):
    def test_a_profile_evens_the_load_while_packets_flow(self):
        pmd = self.start()
        self.assertGreater(self.imbalance(), UNEVEN)
        self.assertEqual(self.good("add", "0", "gtpu"), "port 0: gtpu\n")
        self.assertLess(self.imbalance(), EVEN)
        self.assertEqual(self.good("del", "0", "gtpu"), "port 0: no profile\n")
        self.assertGreater(self.imbalance(), UNEVEN)
        self.assertEqual(self.object("add", "0", "gtpu:ue"),
                         {"ok": True, "port": 0, "profiles": ["gtpu"], "schema_version": 1})
        self.assertEqual(self.object("del", "0", "gtpu:ue"),
                         {"ok": True, "port": 0, "profiles": [], "schema_version": 1})
        self.assertGreater(pmd.stats()["RX-packets"], 0)
        pmd.quit()

    def test_files_are_those_of_the_current_folder(self):
        folder = self.folder / "other"
        folder.mkdir()
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", folder / "gtpu.yaml")
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "vxlan.yaml", folder / "vxlan.yaml")
        self.start()
        for file in ("gtpu.yaml", "./gtpu.yaml;port=2153", "../other/gtpu.yaml+vxlan.yaml"):
            result = harness.ddpctl("port", "add", "0", file, cwd=folder,
                                    env=eal.environment(self.folder))
            self.assertEqual((result.returncode, result.stderr), (0, ""), file)
            specs = self.object("show", "0")["profile_specs"]
            self.assertTrue(all(spec.startswith(f"{folder}/") for spec in specs), specs)
            for name in file.split("+"):
                self.good("del", "0", name)
        self.assertEqual(self.object("show", "0")["profiles"], [])

    def test_a_folder_that_cuts_the_profile_is_named(self):
        self.start()
        for sign in "+:;":
            folder = self.folder / f"of{sign}signs"
            folder.mkdir()
            shutil.copy(harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", folder / "gtpu.yaml")
            for spec in ("gtpu.yaml", "vxlan+./gtpu.yaml;port=2153"):
                result = harness.ddpctl("port", "add", "0", spec, cwd=folder,
                                        env=eal.environment(self.folder))
                self.assertEqual((result.returncode, result.stdout), (1, ""), spec)
                self.assertRegex(result.stderr, f"^ddpctl: .*'{re.escape(sign)}'.*folder.*\n$")
            result = harness.ddpctl("port", "add", "0", "gtpu", cwd=folder,
                                    env=eal.environment(self.folder))
            self.assertEqual((result.returncode, result.stderr), (0, ""), sign)
            self.good("del", "0", "gtpu")

    def test_refusals(self):
        (self.folder / "bad.yaml").write_text("profile: bad\nrequires: [base]\nheaders: {a: 1}\n")
        pmd = self.start()
        self.good("add", "0", "gtpu")
        self.refused(1, "profile 'gtpu' is already there", "add", "0", "gtpu")
        self.refused(1, "profile 'nonsense' not found in .*", "add", "0", "nonsense")
        self.refused(1, r"/.*/bad\.yaml:3:\d+: error: .*", "add", "0", "./bad.yaml")
        self.refused(1, "no profile 'vxlan' was added.*", "del", "0", "vxlan")
        self.refused(1, "no profile 'long-name' was added.*", "del", "0", "./long-name")
        self.refused(1, rf"process {pmd.pid} has no net_ddp port 70000", "show", "70000")
        # longer than a string of telemetry's
        name = "./" + "x" * 200 + ".yaml"
        self.refused(1, f"{self.folder}/{re.escape(name)}: .*No such file.*", "add", "0", name)
        self.refused(3, ".*no more than 1023 bytes of a command", "add", "0", "x" * 1100)
        for command in ("show", "queues", "ptypes", "watch"):
            self.refused(1, "port 7 is not a net_ddp port", command, "7")
            self.refused(1, rf"process {pmd.pid} has no net_ddp port 'net_ddp1'", command, "net_ddp1")
        result = self.port("add", "0", "nonsense", "--json")
        answer = json.loads(result.stdout)
        self.assertEqual((result.returncode, answer["ok"]), (1, False))
        self.assertIn("'nonsense'", answer["error"])
        self.assertEqual(self.object("show", "0")["profiles"], ["gtpu"])
        pmd.quit()


class Processes(Case):
    def test_which_process(self):
        self.refused(3, f"no running process of DPDK found in {self.folder}/dpdk", "list")
        one = self.start("one")
        self.assertEqual(len(self.object("list")), 1)
        two = self.start("two")
        self.refused(3, "choose a process with --file-prefix or --pid: "
                        rf"one \(process {one.pid}, dpdk-testpmd\), "
                        rf"two \(process {two.pid}, dpdk-testpmd\)", "list")
        self.good("add", "0", "gtpu", "--pid", two.pid)
        self.assertEqual(self.object("show", "0", "--file-prefix", "one")["profiles"], [])
        self.assertEqual(self.object("show", "0", "--file-prefix", "two")["profiles"], ["gtpu"])
        self.refused(3, "no running process with file prefix 'three' found in .*", "list",
                     "--file-prefix", "three")
        self.refused(3, "process 1 has no telemetry socket in .*", "list", "--pid", 1)
        two.kill()  # its socket stays behind
        self.assertEqual(self.object("show", "0")["profiles"], [])
        one.quit()


class Watch(Case):
    def watch(self, *args, **kwargs):
        process = subprocess.Popen([harness.tools["ddpctl"], "port", "watch", "0", "--interval",
                                    PERIOD, *args], encoding="utf-8",
                                   env=eal.environment(self.folder), **kwargs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_lines_until_interrupted(self):
        pmd = self.start()
        process = self.watch(stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        line = (r"^\d+\.\d s: [1-9]\d* packets/s, \d+\.\d{3} Gbit/s, \d+ missed/s, "
                r"imbalance \d\.\d{3}\n$")
        for _ in range(3):
            self.assertRegex(process.stdout.readline(), line)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(testpmd.SECONDS), 0)
        pmd.quit()

    def test_no_rate_while_nothing_comes_or_counters_are_reset(self):
        pmd = self.start()
        process = self.watch("--json", stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertGreater(json.loads(process.stdout.readline())["packets_per_second"], 0)
        pmd.commands("stop", "clear port xstats 0")
        rates = [json.loads(process.stdout.readline())["packets_per_second"] for _ in range(5)]
        self.assertEqual(rates[-2:], [0, 0])
        self.assertGreaterEqual(min(rates), 0)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(testpmd.SECONDS), 0)
        self.assertEqual(self.good("watch", "0", "--count", 1, "--interval", PERIOD)[-12:],
                         "imbalance -\n")
        pmd.quit()

    def test_the_end_of_the_process_is_told(self):
        pmd = self.start()
        process = self.watch(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertNotEqual(process.stdout.readline(), "")
        pmd.kill()
        _, error = process.communicate(timeout=testpmd.SECONDS)
        self.assertRegex(error, rf"^ddpctl: process {pmd.pid}: /net_ddp/queues: .*\n$")
        self.assertEqual(process.returncode, 3)

    def test_a_terminal_shows_a_table_drawn_over(self):
        pmd = self.start()
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = self.watch("--count", "3", stdout=slave)
        os.close(slave)
        text = b""
        deadline = time.monotonic() + testpmd.SECONDS
        while time.monotonic() < deadline:
            try:
                text += os.read(master, 65536)
            except OSError:  # EIO: the other end is closed
                break
        self.assertEqual(process.wait(testpmd.SECONDS), 0)
        frames = text.decode().replace("\r", "").split(f"\033[{QUEUES + 2}A\033[J")
        self.assertEqual(len(frames), 3)
        for frame in frames:
            lines = frame.splitlines()
            self.assertRegex(lines[0], r"^\d+\.\d s: ")
            self.assertEqual(lines[1].split(), ["QUEUE", "PACKETS/S", "MBIT/S", "MISSED/S"])
            self.assertEqual([line.split()[0] for line in lines[2:]], list(map(str, range(QUEUES))))
            loads = [float(line.split()[1]) + float(line.split()[3]) for line in lines[2:]]
            for load, line in zip(loads, lines[2:], strict=True):
                self.assertAlmostEqual(line.count("#"), 30 * load / max(*loads, 1), delta=0.6)
            self.assertIn("#" * 30, frame)
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd")
