#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Operators inspect a running port with dpdk-proc-info, dpdk-dumpcap and dpdk-pdump, and share its
queues between processes. None of that may lose or change a packet, whatever becomes of the other
process.

Processes that share memory need hugepages, which this program reserves and gives back. With
DDP_ATTACH_CYCLES=100 it attaches and detaches as often instead of a few times."""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from support import eal, harness, hugepages, telemetry, testpmd

CYCLES = int(os.environ.get("DDP_ATTACH_CYCLES", "5"))
LOOKERS = ("dpdk-dumpcap", "dpdk-pdump", "dpdk-proc-info")
PREFIX = "ddp-processes"
RING = "net_ddp0,dev(net_ring0),overflow=wait,profile=gtpu"
MEGABYTES = 256
N_FLOWS = 64
FRAME_LEN = 14 + 20 + 8 + 57
SECONDS = 60
# A testpmd with this mempool driver linked in numbers the handlers of all mempools in another order
# than programs without it: those could not take its mbufs.
MEMPOOL = "librte_mempool_dpaa.so.23"

huge_folder = None


def lcore(number):
    """An lcore of a process' own, on any CPU: those of one number share what mempools keep for them.

    dpdk-dumpcap and dpdk-proc-info have number 0.
    """
    return ["--lcores", f"{number}@({','.join(map(str, sorted(os.sched_getaffinity(0))))})"]


def eal_options(number):
    """For a process with this lcore."""
    return [*lcore(number), *eal.options(1, MEGABYTES, PREFIX, huge_folder)[2:]]


def setUpModule():
    global huge_folder
    testpmd.set_up_module()
    huge_folder = hugepages.reserve()


class Case(harness.TestCase):
    def environment(self, *preloads):
        extra = {"LD_PRELOAD": " ".join(map(str, preloads))} if preloads else {}
        return {**eal.environment(self.folder), **extra}

    def start(self, command, **kwargs):
        """A program in the background, which ends with its test at the latest."""
        return harness.start(self, *command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                             **{"env": self.environment(), **kwargs})

    def finish(self, process, number=None):
        """Its output since it was last read."""
        if process.poll() is None and number is not None:
            process.send_signal(number)
        try:
            return process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired as error:
            threads = [[(task / name).read_text().strip() for name in ("comm", "stat", "wchan")]
                       for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()]
            self.fail(f"{process.args} does not end: {threads}, {error.output}")

    def inspect(self, program, *args, preloads=(), words=()):
        """A program of DPDK's that attaches to the primary process, and ends by itself."""
        result = harness.run(program, *words, "--file-prefix", PREFIX, *args, cwd=self.folder,
                             env=self.environment(*preloads))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def proc_info(self, *args):
        return self.inspect("dpdk-proc-info", "--no-pci", "-d", harness.tools["net_ddp"], "--", *args)

    def dumpcap(self, *args, preloads=()):
        # It takes no other options for EAL.
        return self.inspect("dpdk-dumpcap", *args,
                            preloads=(*preloads, harness.tools["net_ddp"]))


class Primary:
    """processes.c as the primary process."""

    def __init__(self, test, *options, vdev=RING):
        self.test = test
        self.process = test.start([harness.tools["processes"], *eal_options(1), "--vdev", vdev,
                                   "--", *options])
        self.text = ""
        self.counts = self.wait("ready")

    def wait(self, state):
        """Read until it prints its counts in this state."""
        for line in self.process.stdout:
            self.text += line
            if line.startswith("{"):
                self.counts = json.loads(line)
                if self.counts["state"] == state:
                    return self.counts
        raise AssertionError(f"not {state}: {self.text[-3000:]}")

    def attach(self):
        """Start processes.c as a secondary process."""
        return self.test.start([harness.tools["processes"], *eal_options(2),
                                "--proc-type=secondary"])

    def end(self):
        """The last counts, without a fault."""
        if self.counts["state"] != "end":
            self.wait("end")
        self.text += self.test.finish(self.process)
        self.test.assertEqual(self.process.returncode, 0, self.text[-3000:])
        self.test.assertEqual((self.counts["fault"], self.counts["faults"]), ("", [0, 0]))
        return self.counts

    def stop(self):
        self.process.terminate()
        return self.end()


@unittest.skipUnless(all(map(shutil.which, LOOKERS)), "DPDK was built without " + ", ".join(LOOKERS))
class Inspection(Case):
    def captured(self, path):
        """(flow, seq) of each packet of a capture. processes.c compares all bytes of what it gets."""
        frames = harness.pcap_frames(path)
        self.assertEqual({(len(frame), length) for frame, length in frames}, {(FRAME_LEN, FRAME_LEN)})
        return [struct.unpack_from("<II", frame, 42) for frame, _ in frames]

    def test_dumpcap_under_load_costs_no_packet(self):
        # Not as fast as possible: DPDK 22.11 frees what a capture needs while a burst call that
        # began before the end of the capture may still use it, and crashes (with any driver) if
        # that call is interrupted. A process that sleeps between its bursts hardly ever is.
        primary = Primary(self, "-n", "0", "-r", "300000")
        for cycle in range(CYCLES):
            path = self.folder / f"{cycle}.pcap"
            self.assertIsNone(primary.process.poll(), f"cycle {cycle}")
            self.dumpcap("-P", "-q", "-i", "net_ddp0", "-c", 200, "-w", path)
            self.assertGreaterEqual(len(self.captured(path)), 200)
            path.unlink()
        while sum(primary.wait("running")["got"]) <= 100000:
            pass
        counts = primary.stop()
        self.assertGreater(sum(counts["got"]), 100000)
        self.assertEqual(counts["missed"], 0)

    def test_dumpcap_ends_in_order_over_net_pcap(self):
        """It wrote its file and then crashed: net_pcap closed its port a second time. A script that
        captures would take the file for a broken one."""
        n3 = self.traffic("--kind", "n3-up", "--ues", 20, "--packets-per-flow", 1)
        n3 = n3.rename(self.folder / "n3.pcap")  # net_pcap keeps 63 letters of its arguments
        primary = testpmd.endless(self, n3, queues=4, prefix=PREFIX, huge_folder=huge_folder)
        self.dumpcap("-P", "-q", "-i", "net_ddp0", "-c", 100, "-w", self.folder / "pcap.pcap",
                     preloads=[MEMPOOL])
        self.assertGreaterEqual(len(harness.pcap_frames(self.folder / "pcap.pcap")), 100)
        primary.quit()

    def test_a_capture_has_all_packets(self):
        primary = Primary(self, "-n", "0", "-r", "20000")
        path = self.folder / "all.pcap"
        text = self.dumpcap("-P", "-i", "net_ddp0", "-c", 5000, "-w", path)
        self.assertRegex(text, r"received/dropped on interface 'net_ddp0': \d+/0 ")
        numbers = collections.defaultdict(list)
        for flow, seq in self.captured(path):
            numbers[flow].append(seq)
        self.assertGreaterEqual(sum(map(len, numbers.values())), 5000)
        self.assertEqual(len(numbers), N_FLOWS)
        # Of each flow, not of all: a capture begins and ends on one queue before the other.
        for flow, seqs in numbers.items():
            self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))), f"flow {flow}")
        primary.stop()

    def test_dumpcap_may_be_killed(self):
        primary = Primary(self, "-n", "0", "-r", "200000")
        path = self.folder / "killed.pcapng"
        dumpcap = self.start(["dpdk-dumpcap", "--file-prefix", PREFIX, "-q", "-i", "net_ddp0", "-w", path],
                             env=self.environment(harness.tools["net_ddp"]))
        harness.until(lambda: path.exists() and path.stat().st_size >= 10000, "capture")
        self.finish(dumpcap, signal.SIGKILL)
        before = sum(primary.wait("running")["got"])
        self.assertIn("net_ddp0", self.proc_info("--show-port"))
        self.assertGreater(sum(primary.wait("running")["got"]), before)
        primary.stop()

    def test_proc_info_says_what_testpmd_says(self):
        primary = testpmd.Testpmd(self, ["net_ddp0,dev(net_null0),profile=gtpu"], "--rxq=4",
                                  "--txq=4", prefix=PREFIX, huge_folder=huge_folder)
        primary.commands("start")
        primary.wait(lambda: primary.stats()["RX-packets"] > 0, "packets")
        primary.commands("stop", "port config mtu 0 1400", "port stop 0")
        xstats = primary.xstats()
        self.assertGreater(xstats["rx_q0_packets"], 0)
        shown = dict(re.findall(r"(?m)^(\w+): (\d+)$", self.proc_info("-p", 1, "--xstats")))
        for name, value in xstats.items():
            self.assertEqual(int(shown[name]), value, name)
        self.assertIn(f"RX-packets: {xstats['rx_good_packets']} ",
                      re.sub(" +", " ", self.proc_info("-p", 1, "--stats")))
        text = self.proc_info("--show-port")
        self.assertIn("driver net_ddp device net_ddp0", text)
        self.assertIn("mtu (1400)", text)
        self.assertIn(primary.key().hex(), text)
        primary.command("port start 0")
        for _ in range(max(CYCLES // 5, 3)):  # programs attach while the port starts and stops
            reader = self.start(["dpdk-proc-info", "--no-pci", "--file-prefix", PREFIX,
                                 "-d", harness.tools["net_ddp"], "--", "-p", "1", "--xstats"])
            while reader.poll() is None:
                primary.commands("start", "stop", "port stop 0", "port start 0")
            text = self.finish(reader)
            self.assertEqual(reader.returncode, 0, text)
            self.assertIn("rx_lower_packets", text)
        primary.quit()

    def test_pdump_on_testpmd(self):
        primary = testpmd.Testpmd(self, ["net_ddp0,dev(net_null0),profile=gtpu"], "--rxq=4",
                                  "--txq=4", prefix=PREFIX, huge_folder=huge_folder)
        primary.commands("start")
        pdump = self.start(["dpdk-pdump", "--no-pci", "--file-prefix", PREFIX, "--", "--pdump",
                            f"port=0,queue=*,rx-dev={self.folder / 'pdump.pcap'}"],
                           env=self.environment(MEMPOOL, harness.tools["net_ddp"]))
        path = self.folder / "pdump.pcap"
        harness.until(lambda: path.exists() and path.stat().st_size >= 10000, "capture")
        text = self.finish(pdump, signal.SIGINT)
        self.assertRegex(text, r"packets dequeued:\s+[1-9]")
        self.assertEqual(set(harness.pcap_frames(path)), {(bytes(64), 64)})
        self.assertGreater(primary.xstats()["rx_q0_packets"], 0)
        primary.quit()


class Polling(Case):
    def test_two_processes_share_a_port(self):
        for more in ("", ",lower_queues=16", ",meta=off,offload=off"):
            with self.subTest(more=more):
                primary = Primary(self, "-p", 2, "-b", "-n", 100000, vdev=RING + more)
                secondary = primary.attach()
                counts = primary.end()
                text = self.finish(secondary)
                self.assertEqual(secondary.returncode, 0, text)
                self.assertEqual(sum(counts["got"]), counts["sent"])
                self.assertEqual(sum(counts["back"]), counts["sent"])
                self.assertGreater(min(counts["got"]), counts["sent"] // 4)

    def test_a_process_that_is_killed_while_it_polls_does_not_stop_the_others(self):
        primary = Primary(self, "-p", 2, "-n", 0, "-l", vdev=RING.replace("=wait", "=drop"))
        seed = random.Random(1)
        died_inside = r"net_ddp0: process \d+ ended inside a burst call"
        for n in range(max(CYCLES, 60)):
            if n >= 10 and re.search(died_inside, primary.text):
                break  # a kill hits a burst call by chance
            secondary = primary.attach()
            before = primary.wait("running")["got"]
            deadline = time.monotonic() + SECONDS
            while primary.wait("running")["got"][1] == before[1]:
                self.assertLess(time.monotonic(), deadline, primary.text[-2000:])
            time.sleep(seed.random() / 10)
            self.finish(secondary, signal.SIGKILL)
        until = time.monotonic() + 3  # the primary process looks once a second
        while time.monotonic() < until:
            counts = primary.wait("running")
        self.assertGreater(primary.wait("running")["got"][0], counts["got"][0])
        primary.stop()
        self.assertRegex(primary.text, died_inside)

    def test_what_cannot_be_shared_is_refused_in_one_line(self):
        capture = self.traffic("--ues", 2)
        primary = Primary(self, "-p", 2, "-n", 0,
                          vdev=f"net_ddp0,dev(net_pcap0,rx_pcap={capture}),profile=gtpu")
        secondary = primary.attach()
        primary.wait("running")
        counts = primary.wait("running")
        self.assertGreater(counts["missed"] + counts["faults"][0], 0)  # packets of others
        text = self.finish(secondary, signal.SIGTERM)
        self.assertEqual(text.count("only the primary process can receive and send packets"), 1,
                         text)
        primary.process.kill()

    def test_telemetry_tells_what_a_secondary_process_received(self):
        # Only primary processes have a socket.
        primary = Primary(self, "-p", 2, "-n", 0, "-r", 100000)
        secondary = primary.attach()
        while primary.wait("running")["got"][1] == 0:
            self.assertIsNone(secondary.poll())
        client = telemetry.Client(self, PREFIX)
        queues, _ = client.pages("queues", "/net_ddp/queues", 0)
        self.assertGreater(min(queue["rx_packets"] for queue in queues.values()), 0)
        self.assertEqual(client.query("/net_ddp/profile_add", 0, "vxlan")["ok"], 1)
        primary.wait("running")  # with the new profile
        primary.stop()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "processes")
