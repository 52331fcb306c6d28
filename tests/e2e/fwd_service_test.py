#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd and ddp-exporter as services: profiles are changed by SIGHUP while packets flow, the service manager
is told what goes on, and the journal gets lines that it can sort. Without this an operator would restart a
forwarder for each change of a profile, and would not see that it failed.

    fwd_service_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_paced.so path/to/ddp-fwd
        path/to/ddp-exporter"""

import ctypes
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

from support import eal, exporter, fwd, harness, telemetry

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000  # of waitpid(): threads, too
RELOADS = 110  # of which every 11th has a broken profile, and 100 take effect
WORK_NS = 2000  # a worker that is busy for so long with a packet forwards less than 500,000 a second
RATE = 240000  # about half of it
PACKETS = 2000000  # more than come during all reloads
PROFILE = """profile: mine
version: 1.0.{version}
requires: [gtpu]
packet_types:
  {ptype}:
    path: gtpu_tunnel ipv4 udp
    priority: 1
    rss: inner.ipv4.src inner.ipv4.dst inner.udp.sport inner.udp.dport
"""
BROKEN = PROFILE.replace("inner.udp.dport", "inner.udp.nonsense")
BROKEN_AT = "mine.yaml:8:"


def setUpModule():
    harness.tools["net_paced"] = eal.loadable(harness.tools["net_paced"])


class Manager:
    """Where a service manager listens; name gives the socket's name in $NOTIFY_SOCKET."""

    def __init__(self, test, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        test.addCleanup(self.socket.close)
        self.socket.settimeout(fwd.SECONDS)
        self.name = str(path)
        self.socket.bind("\0" + self.name[1:] if self.name[0] == "@" else self.name)

    def hear(self):
        """The next message, as names and values."""
        return dict(line.split("=", 1) for line in self.socket.recv(65536).decode().split("\n"))

    def hear_for(self, seconds):
        """All that come in this time."""
        heard, end = [], time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                heard.append(self.hear())
            except TimeoutError:
                break
        self.socket.settimeout(fwd.SECONDS)
        return heard


class Service(fwd.TestCase):
    prefix = "ddp-fwd"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ddp-service-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.profile = self.folder / "mine.yaml"
        self.config = self.folder / "fwd.conf"
        self.report = self.folder / "report.json"
        self.manager = Manager(self, self.folder / "notify")

    def profile_write(self, text, version=1, ptype="FIRST"):
        """As an editor does: the file is there at all times."""
        new = self.folder / "new"
        new.write_text(text.format(version=version, ptype=ptype))
        new.rename(self.profile)

    def config_write(self, *lines, profile="./mine.yaml", rate=RATE):
        self.config.write_text("\n".join([
            f"--vdev net_ddp0,dev(net_paced0,rate={rate},packets={PACKETS},flows=1000,queues=1,report={self.folder}/paced.json),"
            f"profile={profile},overflow=drop",
            "rxq 4", f"work {WORK_NS}", f"json {self.report}", *lines]) + "\n")

    def words(self, *extra):
        return [harness.tools["ddp-fwd"], "-d", harness.tools["net_paced"],
                *eal.options(2, fwd.MEGABYTES, self.prefix), "--config", str(self.config), *extra]

    def start(self, *extra, **environment):
        process = subprocess.Popen(
            self.words(*extra), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8",
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            env={**eal.environment(self.folder), "NOTIFY_SOCKET": self.manager.name, **environment})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def hear_ready(self):
        message = self.manager.hear()
        self.assertEqual(message.pop("READY", None), "1", message)
        return message["STATUS"]

    def reload(self, process):
        """What the service manager hears at the end of a reload."""
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        process.send_signal(signal.SIGHUP)
        message = self.manager.hear()
        self.assertEqual(message["RELOADING"], "1")
        self.assertLessEqual(before, int(message["MONOTONIC_USEC"]))
        self.assertLessEqual(int(message["MONOTONIC_USEC"]),
                             time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000)
        return self.hear_ready()

    def end(self, process):
        """What it has said, line by line."""
        process.send_signal(signal.SIGTERM)
        while (message := self.manager.hear()) != {"STOPPING": "1"}:
            self.assertEqual(message, {"WATCHDOG": "1"})
        _, said = process.communicate(timeout=fwd.SECONDS)
        self.assertEqual(process.returncode, 0, said)
        return fwd.our_lines(said)

    def test_100_reloads_under_half_load_miss_no_packet(self):
        """Also those whose file is broken: then the old profile stays, and a line says what is wrong and where."""
        self.profile_write(PROFILE, 0)
        self.config_write()
        process = self.start()
        self.assertEqual(self.hear_ready(), "forwarding: 1 ports with 4 Rx queues each, 1 workers")
        client = telemetry.Client(self, self.prefix)
        expected, good = [], 0
        for i in range(1, RELOADS + 1):
            if i % 11 == 0:
                self.profile_write(BROKEN, i, "BROKEN")
                status = self.reload(process)
                self.assertRegex(status, rf"^Forwarding, not reloaded: .*{re.escape(BROKEN_AT)}.*'.*nonsense'")
                expected.append(rf"ddp-fwd: not reloaded: (\./)?{re.escape(BROKEN_AT)}\d+: error: .*nonsense.*")
            else:
                good = i
                self.profile_write(PROFILE, i, ("FIRST", "SECOND")[i % 2])
                self.assertEqual(self.reload(process), "Forwarding, profiles reloaded")
                expected.append(rf"ddp-fwd: port 0 \(net_ddp0\): profiles reloaded: mine 1\.0\.{i}")
            if i % 11 in (0, 1):
                self.assertIn(('FIRST', 'SECOND')[good % 2], self.ptypes(client))
            time.sleep(0.02)
        worker = client.ask("/ddp_fwd/workers")["workers"]["0"]
        self.assertLess(worker["packets"], PACKETS)
        end = time.monotonic() + fwd.SECONDS
        while (client.ask("/ddp_fwd/workers")["workers"]["0"]["packets"] < PACKETS and
               time.monotonic() < end):
            time.sleep(0.1)
        lines = self.end(process)
        self.assertEqual(len(lines), len(expected))
        for line, pattern in zip(lines, expected):
            self.assertRegex(line, f"^{pattern}$")
        report = json.loads(self.report.read_text())
        paced = json.loads((self.folder / "paced.json").read_text())
        self.check_report(report)
        self.assertEqual(report["drops"], 0, report["drop_reasons"])
        self.assertEqual((paced["missed"], paced["arrived"], report["packets"], paced["sent"]),
                         (0, PACKETS, PACKETS, PACKETS))
        ptypes = {row["name"]: row["packets"] for row in report["ptypes"]}
        self.assertEqual(set(ptypes), {"FIRST", "SECOND"})
        busy = worker["busy_ns"] / worker["elapsed_ns"]
        self.assertGreater(busy, 0.3)
        print(f"{RELOADS} reloads while {worker['packets']} of {PACKETS} packets came, none missed; the worker "
              f"was busy for {busy:.0%} of the time; {ptypes}")

    def ptypes(self, client):
        """Those that the profiles of the port have now."""
        return {row["name"] for row in client.pages("ptypes", "/net_ddp/ptypes", 0)[0].values()}

    def test_a_profile_argument_that_was_changed_takes_effect(self):
        """The configuration file is read again, too; a mistake in it changes nothing."""
        self.profile_write(PROFILE)
        self.config_write()
        process = self.start()
        self.hear_ready()
        client = telemetry.Client(self, self.prefix)

        def profiles():
            return client.ask("/net_ddp/info", 0)["profiles"]

        self.assertEqual(profiles(), ["mine"])
        self.config_write(profile="gtpu:ue+vxlan")
        self.reload(process)
        self.assertEqual(profiles(), ["gtpu", "vxlan"])
        self.config_write("nonsense", profile="mpls")
        self.assertIn("nonsense", self.reload(process))
        self.assertEqual(profiles(), ["gtpu", "vxlan"])
        client.ask("/net_ddp/profile_set", 0, "geneve")
        self.config_write(profile="gtpu")
        self.reload(process)
        self.assertEqual(profiles(), ["gtpu"])
        self.config.unlink()
        self.assertIn("No such file", self.reload(process))
        self.config_write("--vdev net_ddp7,dev(net_null7),profile=gtpu")
        self.assertIn("net_ddp7: no such port: a restart adds it", self.reload(process))
        self.assertEqual(profiles(), ["mine"])
        version = re.escape(harness.version())
        for line, pattern in zip(self.end(process), [
                rf"port 0 \(net_ddp0\): profiles reloaded: gtpu {version}, vxlan \S+",
                r"not reloaded: .*fwd\.conf:5: unknown option 'nonsense'",
                r"port 0 \(net_ddp0\): profiles reloaded: gtpu \S+",
                r"not reloaded: .*fwd\.conf: No such file or directory",
                r"port 0 \(net_ddp0\): profiles reloaded: mine 1\.0\.1",
                r"net_ddp7: no such port: a restart adds it"], strict=True):
            self.assertRegex(line, f"^ddp-fwd: {pattern}$")

    def test_a_signal_before_the_start_is_complete_is_not_lost(self):
        """And does not end the program."""
        self.profile_write(PROFILE)
        self.config_write()
        process = self.start()
        while "SigBlk:\t0000000000000001" not in self.status(process):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGHUP)
        heard = [self.manager.hear() for _ in range(3)]
        self.assertEqual(sorted(set().union(*heard)), ["MONOTONIC_USEC", "READY", "RELOADING", "STATUS"])
        self.assertEqual(self.end(process), ["ddp-fwd: port 0 (net_ddp0): profiles reloaded: mine 1.0.1"])

    def status(self, process):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return file.read()

    def test_the_watchdog_hears_of_workers_that_live(self):
        self.profile_write(PROFILE)
        self.config_write()
        process = self.start(WATCHDOG_USEC="300000")
        self.hear_ready()
        heard = self.manager.hear_for(2)
        self.assertTrue(all(message == {"WATCHDOG": "1"} for message in heard), heard)
        self.assertGreater(len(heard), 5)
        self.end(process)

    def test_the_watchdog_hears_nothing_of_a_worker_that_hangs(self):
        """So that the service manager restarts the process."""
        self.profile_write(PROFILE)
        self.config_write()
        process = self.start(WATCHDOG_USEC="300000")
        self.hear_ready()
        if not self.worker_stop(process):
            self.skipTest("this user may not stop a thread of another process")
        self.manager.hear_for(0.3)
        self.assertEqual(self.manager.hear_for(1), [])

    def test_the_watchdog_of_another_process_hears_nothing(self):
        self.profile_write(PROFILE)
        self.config_write()
        process = self.start(WATCHDOG_USEC="300000", WATCHDOG_PID="1")
        self.hear_ready()
        self.assertEqual(self.manager.hear_for(1), [])
        self.end(process)

    def worker_stop(self, process):
        """Let the thread of a worker do nothing more."""
        libc = ctypes.CDLL(None, use_errno=True)
        worker, = (int(task.parent.name) for task in pathlib.Path(f"/proc/{process.pid}/task").glob("*/comm")
                   if "worker" in task.read_text())
        if (libc.ptrace(PTRACE_SEIZE, worker, None, None) != 0 or
                libc.ptrace(PTRACE_INTERRUPT, worker, None, None) != 0):
            return False
        os.waitpid(worker, WALL)
        # Cleanups run in reverse order: the thread goes on before its process is killed.
        self.addCleanup(libc.ptrace, PTRACE_DETACH, worker, None, None)
        return True

    def test_a_name_without_a_file_and_a_manager_that_does_not_listen(self):
        self.profile_write(PROFILE)
        self.config_write()
        self.manager = Manager(self, f"@ddp-service-{os.getpid()}")
        process = self.start()
        self.hear_ready()
        for _ in range(1000):  # more than the socket has room for
            process.send_signal(signal.SIGHUP)
            time.sleep(0.001)
        self.manager.hear_for(1)
        self.end(process)
        for name in ("/nonsense/notify", "nonsense", "@", "/" + 200 * "x", ""):
            result = harness.run(*self.words("--", "--duration", "0.1"), cwd=self.folder,
                                 env={**eal.environment(self.folder), "NOTIFY_SOCKET": name})
            self.assertEqual((result.returncode, fwd.our_lines(result.stderr)), (0, []), name)

    def test_nohup_and_options_of_the_command_line_alone(self):
        """Without a file there is nothing to reload."""
        self.profile_write(PROFILE)
        self.config_write()
        process = subprocess.Popen(
            self.words(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, encoding="utf-8",
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
            env={**eal.environment(self.folder), "NOTIFY_SOCKET": self.manager.name})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.hear_ready()
        process.send_signal(signal.SIGHUP)
        self.assertEqual(self.manager.hear_for(0.5), [])
        self.assertEqual(self.end(process), [])

    def journal(self, *words, until, **environment):
        """All that a program writes to a journal, until it has written a text and is told to end."""
        log = self.folder / "journal"
        with open(log, "w", encoding="utf-8") as file:
            stat = os.fstat(file.fileno())
            process = subprocess.Popen(
                words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                env={**eal.environment(self.folder), "JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}",
                     **environment})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + fwd.SECONDS
        while until not in log.read_text() and time.monotonic() < end:
            time.sleep(0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        self.status_at_end = process.wait(fwd.SECONDS)
        return log.read_text()

    def test_each_line_in_the_journal_has_a_priority(self):
        """No tables, which no filter of a journal could make anything of."""
        self.profile_write(PROFILE)
        self.config_write("stats 0.05")
        said = self.journal(*self.words("--log-level", "lib.eal:debug"), until="forwarding: ")
        self.assertEqual(self.status_at_end, 0, said)
        for line in said.splitlines():
            self.assertRegex(line, "^<[0-7]>.")
        self.assertRegex(said, r"(?m)^<6>EAL: ")
        self.assertRegex(said, r"(?m)^<7>EAL: ")
        self.assertRegex(said, r"(?m)^<6>forwarding: 1 ports with 4 Rx queues each, 1 workers$")
        self.assertRegex(said, r"(?m)^<6>io: \d+ packets in \d+\.\d+ s, \d+ sent, 0 consumed, \d+ dropped, "
                         r"imbalance \d+\.\d+$")
        self.assertEqual(len(re.findall(r"(?m)^<6>io: |forwarding: ", said)), 2)
        self.assertNotIn("ddp-fwd:", said)

    def test_an_error_is_one_line_of_the_journal(self):
        self.profile_write(BROKEN)
        self.config_write()
        said = self.journal(*self.words(), until="nonsense")
        self.assertEqual(self.status_at_end, 1)
        line, = (line for line in said.splitlines() if "nonsense" in line)
        self.assertRegex(line, rf"^<3>net_ddp0: .*{re.escape(BROKEN_AT)}")
        self.config_write("nonsense")
        said = self.journal(*self.words(), until="nonsense")
        self.assertEqual(said, f"<3>{self.config}:5: unknown option 'nonsense'\n")
        self.assertEqual(self.status_at_end, 2)

    def test_another_file_is_no_journal(self):
        """A journal that was inherited, and is not where standard error goes."""
        self.config_write("nonsense")
        for stream in ("1:1", "nonsense", ""):
            said = self.journal(*self.words(), until="nonsense", JOURNAL_STREAM=stream)
            self.assertRegex(said, "^ddp-fwd: ")

    def test_ddp_exporter(self):
        said = self.journal(harness.tools["ddp-exporter"], "--listen", "127.0.0.1:0", until="http",
                            NOTIFY_SOCKET=self.manager.name)
        self.assertRegex(said, r"\A<6>http://127\.0\.0\.1:\d+/metrics\n\Z")
        self.assertEqual([self.manager.hear(), self.manager.hear()], [{"READY": "1"}, {"STOPPING": "1"}])
        exporter.Process(self, "upf", lambda command: b"")
        server = exporter.Exporter(self)
        server.text()
        self.assertRegex(server.end(), r"^ddp-exporter: .*dpdk_telemetry\.v2: ")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_paced", "ddp-fwd", "ddp-exporter")
