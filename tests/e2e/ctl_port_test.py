#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""If you run an application with net_ddp, you see from outside where its packets go, and give it
another profile without stopping it: ddpctl port, on stock testpmd. Without it profiles could be changed
only by restarting."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time

import hostile_test
from support import eal, exporter, fwd, harness, schema, testpmd

QUEUES = 8
MANY_QUEUES = 100  # more than one answer of telemetry has
PERIOD = "0.2"
UNEVEN, EVEN = 3, 1.5  # imbalance of the capture, without and with gtpu

setUpModule = testpmd.set_up_module


class Case(harness.TestCase):
    n3 = harness.Traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)

    @classmethod
    def start(cls, test, *arguments, prefix="ddp", n_queues=QUEUES, capture=None):
        return testpmd.endless(test, capture or cls.n3, *arguments, queues=n_queues, prefix=prefix)

    @classmethod
    def start_shared(cls, *arguments):
        """One for all tests of the class."""
        cls.pmd = cls.start(cls.shared(), *arguments)

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

    def watch(self, *args, **kwargs):
        return harness.start(self, harness.tools["ddpctl"], "port", "watch", "0", "--interval", PERIOD, *args,
                             env=eal.environment(self.folder), **kwargs)

    def screens(self, *args):
        """The text of a terminal, period by period."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = self.watch(*args, stdout=slave)
        os.close(slave)
        text = b""
        deadline = time.monotonic() + testpmd.SECONDS
        while time.monotonic() < deadline:
            try:
                text += os.read(master, 65536)
            except OSError:  # EIO: the other end is closed
                break
        self.assertEqual(process.wait(testpmd.SECONDS), 0)
        return text.decode().replace("\r", "")


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
        process = harness.start(self, *words, env=eal.environment(self.folder))
        for line in process.stderr:
            if "net_ddp: " in line:
                break
        self.assertRegex(line, "this process already has the driver; the copy in .* is not used")
        socket = eal.telemetry_socket(self.folder, "ddp")
        harness.until(lambda: socket.exists() and self.port("show", "net_ddp0").returncode == 0, "port")
        self.assertIn("net_ddp0", self.good("list"))
        self.good("add", "net_ddp0", "gtpu")
        self.assertEqual(self.object("list")[0]["profiles"], ["gtpu"])


class Verify(Case):
    def test_what_the_lower_device_hashes_is_proven(self):
        """And what it does not hash is said, too."""
        lower = f"net_testsrc0,nic=2,rxq=4,pcap={self.n3.name},infinite=1"
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev({lower}),profile=gtpu,offload=auto:ice-comms"], "--rxq=4", "--txq=4",
                              prefix="ddp")
        pmd.commands("set fwd rxonly", "start")
        pmd.wait(lambda: pmd.xstats()["rx_offloaded"] > 0, "packets that pass")
        proof = self.object("verify", "net_ddp0")
        self.assertEqual((proof["nic"], proof["state"]), ("ice-comms", "on"))
        proven = [each for each in proof["ptypes"] if each["state"] == "proven"]
        self.assertTrue(proven)
        self.assertTrue(all(each["checked"] >= 64 and each["wrong"] == each["other_type"] == 0
                            for each in proven))
        self.assertIn("proven", self.good("verify", "net_ddp0"))
        for more, wanted in (((), "GTPU_IPV4_TCP"), (("vxlan", "--nic", "ice-os"), "VXLAN_IPV4_TCP")):
            result = harness.ddpctl("plan", *more, "--port", "net_ddp0", "--json",
                                    env=eal.environment(self.folder), cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            plan = json.loads(result.stdout)
            self.assertEqual((plan["profile"], plan["nic"]),
                             (more[0], more[2]) if more else ("gtpu", "ice-comms"))
            self.assertIn(wanted, [each["name"] for each in plan["packet_types"]])
        pmd.quit()


class Show(Case):
    """A port whose packets have stopped."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_shared("profile=gtpu:ue+pppoe+5g-upf")
        cls.pmd.wait(lambda: cls.pmd.xstats()["rx_type_GTPU_IPV4_TCP_packets"] > 0, "packets with gtpu")
        cls.pmd.command("stop")
        cls.xstats = cls.pmd.xstats()

    def test_numbers_are_those_of_testpmd(self):
        xstats = self.xstats
        [port] = self.object("list")
        self.assertEqual((port["port"], port["name"], port["profiles"]), (0, "net_ddp0", ["gtpu", "pppoe", "5g-upf"]))
        self.assertEqual((port["pid"], port["program"], port["file_prefix"]),
                         (self.pmd.pid, "dpdk-testpmd", "ddp"))
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
        text = self.good("show", "0", "--raw")  # the names of a graph or of another tool
        self.assertRegex(text, r"(?m)^lower_device: +net_pcap0$")
        for name in self.object("show", "0")["counters"]:
            self.assertRegex(text, rf"(?m)^{name}: +{xstats[name]}$")

    def test_tables(self):
        self.assertRegex(self.good("list"),
                         r"^PROCESS  PROGRAM +FILE PREFIX +PORT +NAME +.*\n *"
                         rf"{self.pmd.pid}  dpdk-testpmd  ddp +0  net_ddp0 .* 8  gtpu:ue pppoe 5g-upf  .*\n$")
        text = self.good("show", "0")
        self.assertRegex(text, r"^net_ddp0 \(port 0\): running\n"
                               rf"process: +{self.pmd.pid} \(dpdk-testpmd\), file prefix ddp\n")
        self.assertRegex(text, r"(?m)^lower device: +net_pcap0, port \d+, queues: 1 Rx, 1 Tx$")
        self.assertRegex(text, r"(?m)^offload: +none: it does not offer .*$")
        self.assertIn("hashes nothing", self.good("verify", "net_ddp0"))
        self.assertRegex(text, r"\ncounted since .*\nCOUNTER ")
        share = 100 * self.xstats["rx_missed_packets"] / self.xstats["rx_lower_packets"]
        self.assertRegex(text, rf"(?m)^missed, .* {self.xstats['rx_missed_packets']}  packets +"
                               rf"{share:.1f}%$")
        self.assertNotIn("_", text.replace("net_ddp", "").replace("net_pcap", "").replace(
            "RSS_HASH", ""))  # unknown flags are shown by name
        text = self.good("queues", "0")
        self.assertRegex(text, r"^QUEUE +PACKETS +BYTES +MISSED +SHARE\n")
        self.assertEqual(len(re.findall(r"(?m)^ +\d+ +\d+ +\d+ +\d+ +[0-9.]+%$", text)), QUEUES)
        self.assertRegex(text, r"\npackets: \d+, missed: \d+, imbalance: \d\.\d{3}\ncounted since .*\n$")
        self.assertRegex(self.good("ptypes", "0"),
                         r"(?m)^ *\d+  GTPU_IPV4_TCP +\d+ +[0-9.]+%  0x01408291$(?s:.*)^counted since .*$")

    def test_a_profile_that_matches_nothing(self):
        """Without this line its user takes the port's outer hash for that of the profile."""
        text = self.good("show", "0")
        self.assertEqual(re.findall("no packet has .*", text),
                         ["no packet has a packet type of profile pppoe: see 'ddpctl port ptypes'"])
        gtpu, pppoe, upf = self.object("show", "0")["profile_packets"]
        self.assertEqual((gtpu, pppoe),
                         (sum(n for name, n in self.xstats.items() if name.startswith("rx_type_GTPU")), 0))
        self.assertEqual(upf, gtpu)  # a bundle has the packet types of what it requires
        self.assertRegex(text, rf"(?m)^PROFILE +VERSION +PACKETS  GIVEN AS\ngtpu +1\.0\.0 +{gtpu}  gtpu:ue\n"
                               r"pppoe +1\.0\.0 +0  pppoe$")

    def test_only_packet_types_with_packets_unless_asked(self):
        """A profile has dozens of types, a link a few: nobody finds these among rows of zeros."""
        ptypes = self.object("ptypes", "0")["ptypes"]
        self.assertEqual(len(ptypes), self.object("show", "0")["packet_types"])  # all, for machines
        seen = [ptype["name"] for ptype in ptypes if ptype["packets"] > 0]
        self.assertTrue(0 < len(seen) < len(ptypes))
        text = self.good("ptypes", "0")
        self.assertEqual(re.findall(r"(?m)^ *\d+  (\w+) ", text), seen)
        self.assertIn(f"\n{len(ptypes) - len(seen)} packet types without packets (--all shows them)\n",
                      text)
        text = self.good("ptypes", "0", "--all")
        self.assertEqual(re.findall(r"(?m)^ *\d+  (\w+) ", text),
                         [ptype["name"] for ptype in ptypes])
        self.assertNotIn("--all", text)


class Machines(Case):
    def test_json_tells_its_version_and_has_more_than_telemetry_tells_at_once(self):
        """A program that reads it must notice when what it reads is no longer what it knows."""
        pmd = self.start(self, n_queues=MANY_QUEUES)
        for words in (("list",), ("show", "0"), ("add", "0", "gtpu"), ("set", "0", "gtpu:ue"),
                      ("queues", "0"), ("ptypes", "0"), ("verify", "0"), ("balance",),
                      ("balance", "0"), ("balance", "0", "off"), ("del", "0", "gtpu"),
                      ("watch", "0", "--count", 1, "--interval", PERIOD)):
            answer = self.object(*words)
            changes = words[0] in ("add", "set", "del") or words[2:] == ("off",)
            schema.check(self, "port", answer, "change" if changes else words[0])
            for each in answer if isinstance(answer, list) else [answer]:
                self.assertEqual(each["schema_version"], 2, words)
        result = self.port("del", "0", "gtpu", "--json")
        self.assertEqual((result.returncode, json.loads(result.stdout)["schema_version"]), (1, 2))
        schema.check(self, "port", json.loads(result.stdout), "change")
        self.good("add", "0", "all")
        queues = self.object("queues", "0")["queues"]
        self.assertEqual([queue["queue"] for queue in queues], list(range(MANY_QUEUES)))
        ptypes = self.object("ptypes", "0")["ptypes"]
        self.assertEqual(len(ptypes), self.object("show", "0")["packet_types"])
        self.assertGreater(len(ptypes), 200)
        pmd.quit()


class Change(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_shared()

    def test_a_profile_evens_the_load_while_packets_flow(self):
        self.assertGreater(self.imbalance(), UNEVEN)
        self.assertEqual(self.good("add", "0", "gtpu"), "port 0: gtpu\n")
        self.assertLess(self.imbalance(), EVEN)
        self.assertEqual(self.good("set", "0", "gtpu:ue;port=2153"), "port 0: gtpu:ue;port=2153\n")
        self.assertIn(" gtpu:ue;port=2153 ", self.good("list"))
        self.assertEqual(self.good("del", "0", "gtpu"), "port 0: no profile\n")
        self.assertGreater(self.imbalance(), UNEVEN)
        self.assertEqual(self.object("add", "0", "gtpu:ue"),
                         {"ok": True, "port": 0, "profiles": ["gtpu"], "schema_version": 2})
        self.assertEqual(self.object("del", "0", "gtpu:ue"),
                         {"ok": True, "port": 0, "profiles": [], "schema_version": 2})
        self.assertGreater(self.pmd.stats()["RX-packets"], 0)

    def test_files_are_those_of_the_current_folder(self):
        folder = self.folder / "other"
        folder.mkdir()
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", folder / "gtpu.yaml")
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "vxlan.yaml", folder / "vxlan.yaml")
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
        self.good("add", "0", "gtpu")
        self.refused(1, "profile 'gtpu' is already there", "add", "0", "gtpu")
        self.refused(1, r"/.*/bad\.yaml:3:\d+: error: .*", "add", "0", "./bad.yaml")
        self.refused(1, "no profile 'vxlan' was added.*", "del", "0", "vxlan")
        self.refused(1, "no profile 'long-name' was added.*", "del", "0", "./long-name")
        self.refused(1, rf"process {self.pmd.pid} has no net_ddp port 70000", "show", "70000")
        self.refused(1, rf"process {self.pmd.pid} runs with --no-huge: no second process can attach .*",
                     "capture", "0", "-w", "now.pcapng")
        self.refused(2, r"which file\? \(-w FILE\)", "capture", "0")
        # longer than a string of telemetry's
        name = "./" + "x" * 200 + ".yaml"
        self.refused(1, f"{self.folder}/{re.escape(name)}: .*No such file.*", "add", "0", name)
        self.refused(3, ".*no more than 1023 bytes of a command", "add", "0", "x" * 1100)
        for command in ("show", "queues", "ptypes", "watch"):
            self.refused(1, "port 7 is not a net_ddp port", command, "7")
            self.refused(1, rf"process {self.pmd.pid} has no net_ddp port 'net_ddp1'", command, "net_ddp1")
        result = self.port("add", "0", "nonsense", "--json")
        answer = json.loads(result.stdout)
        self.assertEqual((result.returncode, answer["ok"]), (1, False))
        self.assertIn("'nonsense'", answer["error"])
        self.assertEqual(self.object("show", "0")["profiles"], ["gtpu"])
        self.good("del", "0", "gtpu")


class Processes(fwd.TestCase, Case):
    prefix = "fwd"

    def start_forwarder(self):
        """ddp-fwd with two ports, once it answers."""
        source = f"net_pcap0,rx_pcap={self.n3.name},infinite_rx=1"
        process = self.start_fwd([f"net_ddp0,dev({source}),profile=gtpu", "net_ddp1,dev(net_null1)"],
                                 "--rxq", 4, "--fwd", "rxonly", "--duration", fwd.SECONDS)
        harness.until(lambda: self.port("show", "net_ddp1", "--file-prefix", "fwd").returncode == 0, "port")
        return process

    def test_several_processes(self):
        """On a machine with several applications nobody knows their file prefixes by heart: the list is where one
        begins."""
        for command in ("show", "0"), ("list",):
            self.refused(3, f"no running process of DPDK found in {self.folder}/dpdk", *command)
        pmd = self.start(self, prefix="one")
        self.assertEqual(self.object("show", "0")["pid"], pmd.pid)
        process = self.start_forwarder()
        self.refused(3, "choose a process with --file-prefix or --pid: "
                        rf"fwd \(process {process.pid}, ddp-fwd\), "
                        rf"one \(process {pmd.pid}, dpdk-testpmd\)", "show", "0")
        self.good("add", "1", "vxlan", "--pid", process.pid)
        self.assertEqual(self.object("show", "0", "--file-prefix", "one")["profiles"], [])
        self.assertEqual(self.object("show", "1", "--file-prefix", "fwd")["profiles"], ["vxlan"])
        self.refused(3, "no running process with file prefix 'three' found in .*", "list",
                     "--file-prefix", "three")
        self.refused(3, "process 1 has no telemetry socket in .*", "list", "--pid", 1)
        wanted = [(process.pid, "ddp-fwd", "fwd", 0, "net_ddp0", ["gtpu"]),
                  (process.pid, "ddp-fwd", "fwd", 1, "net_ddp1", ["vxlan"]),
                  (pmd.pid, "dpdk-testpmd", "one", 0, "net_ddp0", [])]
        keys = ("pid", "program", "file_prefix", "port", "name", "profiles")
        for words, chosen in (((), wanted), (("--file-prefix", "one"), wanted[2:]),
                              (("--pid", process.pid), wanted[:2])):
            self.assertEqual([tuple(map(port.get, keys)) for port in self.object("list", *words)], chosen)
        lines = self.good("list").splitlines()[1:]
        self.assertEqual([line.split()[:5] for line in lines],
                         [list(map(str, row[:5])) for row in wanted])
        process.kill()  # its socket stays behind
        process.wait()
        self.assertEqual([port["pid"] for port in self.object("list")], [pmd.pid])
        self.assertEqual(self.object("show", "0")["profiles"], [])
        # One that does not answer hides no other.
        exporter.Process(self, "ill", lambda command: None, greeting=b"nonsense")
        exporter.Process(self, "other", lambda command: exporter.answer(command.partition(",")[0], None))
        result = self.port("list", "--json")
        self.assertEqual([port["pid"] for port in json.loads(result.stdout)], [pmd.pid])
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"^ddpctl: /.*/ill/dpdk_telemetry\.v2: .*not JSON.*\n$")

    def test_a_capture_is_of_the_process_with_the_file_prefix(self):
        (self.folder / "dpdk-dumpcap").write_text('#!/bin/sh\necho "$@"\n')
        (self.folder / "dpdk-dumpcap").chmod(0o755)
        for name in "one", "two", "three":
            exporter.Process(self, name, lambda command: exporter.answer(
                command.partition(",")[0], hostile_test.GOOD.get(command.partition(",")[0])))
        result = harness.ddpctl("port", "capture", "0", "--file-prefix", "two", "-w", "now.pcapng", cwd=self.folder,
                                env={**eal.environment(self.folder), "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual((result.stdout, result.stderr), ("--file-prefix=two -i net_ddp0 -w now.pcapng\n", ""))


class Watch(Case):
    def test_drops_of_the_lower_device(self):
        """Nothing else says that a core is too slow if packets bypass the rings."""
        counters = dict.fromkeys(("lower_rx_missed_errors", "lower_rx_errors", "lower_rx_mbuf_allocation_errors"), 0)

        def answer(command):
            path = command.partition(",")[0]
            for name in counters:
                counters[name] += 1000 * (path == "/net_ddp/info")
            return exporter.answer(path, {
                **hostile_test.GOOD, "/net_ddp/info": {**hostile_test.INFO, "counters": counters},
                "/net_ddp/balance": {**hostile_test.BALANCE, "interval_ms": 0}}.get(path))

        exporter.Process(self, "nic", answer)
        for words, pattern in ((("--json",), r'"lower_dropped_per_second":[1-9]'),
                               ((), r", imbalance -, lower device: [1-9]\d* dropped/s\n$")):
            self.assertRegex(self.good("watch", "0", "--count", 1, "--interval", PERIOD, *words), pattern)
        self.assertRegex(self.screens("--count", "1"), r"imbalance -\nlower device: [1-9]\d* dropped/s\n")

    def test_a_port_that_runs_pauses_and_ends(self):
        pmd = self.start(self)
        process = self.watch(stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        line = (r"^\d+\.\d s: [1-9]\d* packets/s, \d+\.\d{3} Gbit/s, \d+ missed/s, "
                r"imbalance \d\.\d{3}\n$")
        for _ in range(2):
            self.assertRegex(process.stdout.readline(), line)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(testpmd.SECONDS), 0)
        self.check_terminal()
        # No rate while nothing comes or counters are reset
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
        # The end of the process is reported
        process = self.watch(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertNotEqual(process.stdout.readline(), "")
        pmd.kill()
        _, error = process.communicate(timeout=testpmd.SECONDS)
        self.assertRegex(error, rf"^ddpctl: process {pmd.pid}: /net_ddp/queues: .*\n$")
        self.assertEqual(process.returncode, 3)

    def check_terminal(self):
        """It shows a table that is drawn over."""
        frames = self.screens("--count", "2").split(f"\033[{QUEUES + 2}A\033[J")
        self.assertEqual(len(frames), 2)
        for frame in frames:
            lines = frame.splitlines()
            self.assertRegex(lines[0], r"^\d+\.\d s: ")
            self.assertEqual(lines[1].split(), ["QUEUE", "PACKETS/S", "MBIT/S", "MISSED/S"])
            self.assertEqual([line.split()[0] for line in lines[2:]], list(map(str, range(QUEUES))))
            loads = [float(line.split()[1]) + float(line.split()[3]) for line in lines[2:]]
            for load, line in zip(loads, lines[2:], strict=True):
                self.assertAlmostEqual(line.count("#"), 30 * load / max(*loads, 1), delta=0.6)
            self.assertIn("#" * 30, frame)


class Balance(Case):
    """Flows of very different sizes on two queues: a hash makes these uneven, and keeps them so."""

    MS = 20
    MOVE = r"queue [01] \(load \d\.\d\d\) to [01] \(\d\.\d\d\): entry \d+, \d+\.\d% of the load"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.zipf = cls.traffic("--kind", "n6-up", "--ues", 400, "--flows", 4, "--packets", 4000,
                               "--zipf", 1.1)
        cls.uneven = harness.simulate("base", cls.zipf, "--queues", 2)["imbalance"]

    def test_load_evens_out_while_packets_flow(self):
        pmd = self.start(self, n_queues=2, capture=self.zipf)
        self.assertGreater(self.uneven, 1.2)
        self.assertGreater(self.imbalance(), 1.2)
        state = self.object("balance", "net_ddp0")
        self.assertEqual((state["interval_ms"], state["rounds"], state["moves"], state["last_moves"],
                          state["before"]), (0, 0, 0, [], 0))
        process = self.watch("--json", "--count", "60", stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertNotIn("balance", json.loads(process.stdout.readline()))
        self.assertEqual(self.good("balance", "0", self.MS),
                         f"port 0: balance on, every {self.MS} ms\n")
        self.check_watch(process)
        pmd.wait(lambda: self.object("balance", "0")["moves"] > 0, "moves")
        pmd.wait(lambda: min(interval["before"] for interval in
                             self.object("balance", "0")["last_intervals"]) < 1.1, "even queues")
        self.check_text()
        self.assertEqual(self.good("balance", "0", "off"), "port 0: balance off\n")
        pmd.command("stop")
        state = self.object("balance", "0")
        self.assertEqual(self.object("balance")[0]["moves"], state["moves"])
        moves = state["last_moves"]
        self.assertEqual(len(moves), min(state["moves"], 32))
        self.assertEqual({round(move["from_load"] + move["to_load"], 2) for move in moves}, {2})  # two queues, mean 1
        self.assertGreater(max(move["from_load"] for move in moves), max(move["to_load"] for move in moves))
        xstats = pmd.xstats()
        for key, name in (("rounds", "balance_rounds"), ("moves", "balance_moves"),
                          ("order_parked", "order_parked"), ("given_up", "balance_given_up"),
                          ("order_longest_parking_us", "order_longest_parking_us")):
            self.assertEqual(state[key], xstats[name], name)
        for key in ("before", "after"):
            self.assertEqual(round(1000 * state[key]), xstats[f"balance_{key}_permille"])
        self.assertEqual(testpmd.unaccounted(xstats), 0)
        pmd.quit()

    def check_text(self):
        text = self.good("balance")  # of all ports: of the one
        self.assertRegex(text, rf"^port 0: balance on, every {self.MS} ms\nintervals: +[1-9]\d*\n"
                               r"moves: +[1-9]\d*\nimbalance before: +\d\.\d{3}\n"
                               r"imbalance after: +\d\.\d{3}\nworst imbalance: +\d\.\d{3}\n")
        self.assertRegex(text, r"\nparked packets: +\d+\nlongest parking: +\d+ us\ngiven up: +0\n"
                               rf"\nSECONDS AGO +LAST MOVES\n +\d+\.\d +{self.MOVE}\n")

    def check_watch(self, process):
        """It shows each interval, and why."""
        periods = [json.loads(process.stdout.readline()) for _ in range(10)]
        self.assertTrue(all(0.5 < period["interval"] / float(PERIOD) < 50 for period in periods))
        process.kill()
        periods = [period["balance"] for period in periods if "balance" in period]
        rounds = [interval["round"] for period in periods
                  for interval in reversed(period["last_intervals"])]
        self.assertGreater(len(rounds), 10)
        self.assertEqual(rounds, sorted(set(rounds)))  # each in one period
        self.assertGreater(sum(len(period["last_moves"]) for period in periods), 0)

        self.assertRegex(self.good("watch", "0", "--count", 1, "--interval", PERIOD),
                         r"imbalance \d\.\d{3}, balance \d\.\d{3} -> \d\.\d{3}"
                         rf"(, moved {self.MOVE})?\n$")
        lines = self.screens("--count", "1").splitlines()
        self.assertRegex(lines[1], rf"^balance every {self.MS} ms: [1-9]\d* moves, ")
        self.assertRegex(lines[2], r"^imbalance before(  \d\.\d\d){10}$")
        self.assertRegex(lines[3], r"^imbalance after (  \d\.\d\d){10}$")
        self.assertEqual(lines[4].split()[0], "QUEUE")
        self.assertRegex(lines[-1], r"^moved \d+\.\d s ago: queue [01] ")

    def test_an_elephant_is_named(self):
        """A flow that alone is more than half of the load."""
        few = self.traffic("--kind", "n6-up", "--ues", 8, "--flows", 1, "--packets", 1000, "--zipf", 4,
                           "--ipv6", 0)
        pmd = self.start(self, "balance=on", n_queues=2, capture=few)
        pmd.wait(lambda: self.object("balance", "0").get("bound_flow"), "an elephant")
        state = self.object("balance", "0")
        self.assertGreater(state["bound_share"], 0.5)
        self.assertRegex(state["bound_flow"], r"^10\.45\.\d+\.\d+:\d+ > [0-9.]+:\d+ (TCP|UDP)$")
        self.assertRegex(self.good("balance", "0"), r"\nelephant: +entry \d+ has \d+\.\d% of the load: "
                                                    rf"{re.escape(state['bound_flow'])}\n")
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddp-fwd", "testsrc")
