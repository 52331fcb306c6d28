#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddp-fwd as a service: profiles are changed by `ddpctl port set` while packets flow, the service
manager is notified of start and end, and the journal gets lines that it can sort. Without this an operator would
restart a forwarder for each change of a profile, and would not see that it failed."""

import json
import os
import re
import signal
import socket

from support import eal, fwd, harness

CHANGES = 25  # of which every 5th has a broken profile
PROFILE = """profile: mine
version: 1.0.0
requires: [gtpu]
packet_types:
  {ptype}:
    path: gtpu_tunnel ipv4 udp
    priority: 1
    rss: inner.ipv4.src inner.ipv4.dst inner.udp.sport inner.udp.{field}
"""
BROKEN_AT = "mine.yaml:8:"


class Manager:
    """A service manager that listens; name is the socket's in $NOTIFY_SOCKET."""

    def __init__(self, test, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        test.addCleanup(self.socket.close)
        self.socket.settimeout(fwd.SECONDS)
        self.name = str(name)
        self.socket.bind("\0" + self.name[1:] if self.name[0] == "@" else self.name)

    def hear(self):
        """The next message, as names and values."""
        return dict(line.split("=", 1) for line in self.socket.recv(65536).decode().split("\n"))


class Service(fwd.TestCase):
    prefix = "ddp-fwd"
    n3 = harness.Traffic("--ues", 50)

    def setUp(self):
        self.profile_write()
        path = self.folder / "notify"
        path.unlink(missing_ok=True)
        self.manager = Manager(self, path)

    def profile_write(self, ptype="FIRST", field="dport"):
        (self.folder / "mine.yaml").write_text(PROFILE.format(ptype=ptype, field=field))

    def words(self, *options, eal_options=()):
        words = self.command(
            [f"net_ddp0,dev(net_pcap0,rx_pcap={self.n3.name},infinite_rx=1),profile=./mine.yaml,overflow=wait"],
            "--rxq", 4, "--fwd", "rxonly", *options)
        return [words[0], *eal_options, *words[1:]]

    def environment(self, **environment):
        return {**eal.environment(self.folder), "NOTIFY_SOCKET": self.manager.name, **environment}

    def start(self, *options):
        process = harness.start(self, *self.words(*options), env=self.environment())
        self.assertEqual(self.manager.hear(), {
            "READY": "1", "STATUS": "forwarding: 1 ports with 4 Rx queues each, 1 workers"})
        return process

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.manager.hear(), {"STOPPING": "1"})
        _, said = process.communicate(timeout=fwd.SECONDS)
        self.assertEqual((process.returncode, fwd.our_lines(said)), (0, []), said)

    def test_port_set_reads_edited_profiles_under_traffic(self):
        """A file that is broken changes nothing, and is named with the line."""
        report = self.folder / "report.json"
        process = self.start("--json", report)
        for i in range(1, CHANGES + 1):
            broken = i % 5 == 0
            self.profile_write(("FIRST", "SECOND")[i % 2], "nonsense" if broken else "dport")
            result = harness.ddpctl("port", "set", "net_ddp0", "./mine.yaml", "--file-prefix", self.prefix,
                                    env=self.environment(), cwd=self.folder)
            self.assertEqual(result.returncode, 1 if broken else 0, result.stderr)
            if broken:
                self.assertRegex(result.stderr, rf"{re.escape(BROKEN_AT)}.*nonsense")
        self.end(process)
        written = json.loads(report.read_text())
        self.check_report(written)
        self.assertEqual(written["drops"], 0, written["drop_reasons"])
        self.assertLessEqual({"FIRST", "SECOND"}, {row["name"] for row in written["ptypes"]})

    def test_a_name_without_a_file_and_a_manager_that_does_not_listen(self):
        self.manager = Manager(self, f"@ddp-service-{os.getpid()}")
        self.end(self.start())
        for name in ("/nonsense/notify", "nonsense", "@", "/" + 200 * "x", ""):
            result = harness.run(*self.words("--duration", "0.1"), cwd=self.folder,
                                 env=self.environment(NOTIFY_SOCKET=name))
            self.assertEqual((result.returncode, fwd.our_lines(result.stderr)), (0, []), name)

    def journal(self, *words, until, **environment):
        """All that a program writes to a journal, until it has written a text and is stopped."""
        log = self.folder / "journal"
        with open(log, "w", encoding="utf-8") as file:
            stat = os.fstat(file.fileno())
            process = harness.start(self, *words, stdout=file, stderr=file, env={
                **eal.environment(self.folder), "JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}", **environment})
        harness.until(lambda: until in log.read_text(), until)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        self.status_at_end = process.wait(fwd.SECONDS)
        return log.read_text()

    def test_each_line_in_the_journal_has_a_priority(self):
        """No tables, which no filter of a journal could make anything of."""
        said = self.journal(*self.words("--stats", "0.05", eal_options=["--log-level", "lib.eal:debug"]),
                            until="forwarding: ")
        self.assertEqual(self.status_at_end, 0, said)
        for line in said.splitlines():
            self.assertRegex(line, "^<[0-7]>.")
        self.assertRegex(said, r"(?m)^<6>EAL: ")
        self.assertRegex(said, r"(?m)^<7>EAL: ")
        self.assertRegex(said, r"(?m)^<6>forwarding: 1 ports with 4 Rx queues each, 1 workers$")
        self.assertRegex(said, r"(?m)^<6>rxonly: \d+ packets in \d+\.\d+ s, 0 sent, \d+ consumed, 0 dropped, "
                         r"imbalance \d+\.\d+$")
        self.assertEqual(len(re.findall(r"(?m)^<6>rxonly: |forwarding: ", said)), 2)
        self.assertNotIn("ddp-fwd:", said)

    def test_an_error_is_one_line_of_the_journal(self):
        self.profile_write(field="nonsense")
        said = self.journal(*self.words(), until="nonsense")
        self.assertEqual(self.status_at_end, 1)
        line, = (line for line in said.splitlines() if "nonsense" in line)
        self.assertRegex(line, rf"^<3>net_ddp0: .*{re.escape(BROKEN_AT)}")
        said = self.journal(*self.words("--nonsense"), until="nonsense")
        self.assertEqual(said, "<3>unknown option '--nonsense' (try 'ddp-fwd --help')\n")
        self.assertEqual(self.status_at_end, 2)

    def test_another_file_is_no_journal(self):
        """A journal that was inherited, and is not where standard error goes."""
        for stream in ("1:1", "nonsense", ""):
            said = self.journal(*self.words("--nonsense"), until="nonsense", JOURNAL_STREAM=stream)
            self.assertRegex(said, "^ddp-fwd: ")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd")
