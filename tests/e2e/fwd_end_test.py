#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The end of ddp-fwd: by a signal, by itself, or before it began. A run that does not end in
order has no report; one that does not start must print the reason."""

import fcntl
import functools
import json
import os
import re
import signal
import struct
import termios

from support import eal, fwd, harness

GOOD = "dev(net_pcap0,rx_pcap={capture})"
HINT = re.escape("(try 'ddp-fwd --help')")  # behind a mistake in the command line


def screen(text):
    """The lines that a terminal shows in the end."""
    lines, row, column = [""], 0, 0
    for piece in re.findall(r"\x1b\[\d*[A-Z]|[^\x1b]", text):
        if piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif piece == "\r":
            column = 0
        elif piece.endswith("A") and piece.startswith("\33"):
            row -= int(piece[2:-1])
        elif piece == "\33[J":
            lines[row:] = [lines[row][:column]]
        else:
            lines[row] = lines[row][:column].ljust(column) + piece + lines[row][column + 1:]
            column += 1
    return lines


class End(fwd.TestCase):
    """Of a run that has begun. What comes without end is a capture played again and again."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--ues", 100)
        cls.n_packets = 100 * 8 * 4
        cls.endless = [fwd.vdev(cls.n3.name + ",infinite_rx=1", "profile=gtpu")]
        cls.finite = [fwd.vdev(cls.n3.name, "profile=gtpu", "overflow=wait")]

    def test_a_capture_played_to_its_end_is_the_end(self):
        """The time of waiting for it is not counted; reports are in a file, a table and standard output alike."""
        path = self.folder / "report.json"
        result = self.run_fwd(self.finite, "--rxq", 4, "--idle-exit", 1000, "--json", path, "--work", 1000)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(path.read_text())
        self.check_report(report)
        self.assertEqual(report["packets"], self.n_packets)
        self.assertLess(report["seconds"], 1)
        self.assertRegex(result.stdout, rf"(?m)^io: {report['packets']} packets .*, work 1000 ns a packet$")
        for row in report["queues"]:
            self.assertRegex(result.stdout, rf"(?m)^ +0 +{row['queue']} .* {row['packets']} ")
        for row in report["ptypes"]:
            self.assertRegex(result.stdout, rf"(?m)^ +{row['packets']} +{row['name']}$")
        folder = self.folder / "left"
        folder.mkdir()
        result = harness.run(*self.command(self.finite, "--json", "-"), cwd=self.folder,
                             env=eal.environment(folder), timeout=fwd.SECONDS)
        self.check_report(json.loads(result.stdout))
        self.assertIn("imbalance", result.stderr)
        self.assertEqual([name for _, _, names in os.walk(folder) for name in names], [], "nothing is left behind")

    def test_workers_that_share_a_cpu_are_reported(self):
        """The lcores of the table do not show it."""
        first, *others = sorted(os.sched_getaffinity(0))
        cases = [(1, f"(0-2)@{first}", []), (2, f"(0-2)@{first}", ["2 workers share 1 CPU"])]
        if others:
            cases.append((3, f"(0-2)@{first},3@{others[0]}", ["3 workers share 2 CPUs"]))
            cases.append((4, f"(0-2)@{first},(3-4)@{others[0]}", ["4 workers share 2 CPUs"]))
            cases.append((2, f"(0-1)@{first},2@{others[0]}", []))
        if len(others) > 1:
            cases.append((3, f"(0-2)@{first},3@({others[0]},{others[1]})", ["2 workers share 1 CPU"]))
        for n_rxq, lcores, expected in cases:
            words = self.command(self.finite, "--rxq", n_rxq)
            words[words.index("--lcores") + 1] = lcores
            result = harness.run(*words, cwd=self.folder, env=eal.environment(self.folder), timeout=fwd.SECONDS)
            self.assertEqual(re.findall("ddp-fwd: (.* share .*):", result.stderr), expected)

    def test_duration(self):
        report = self.forward(self.endless, "--rxq", 4, "--duration", 0.5)
        self.assertGreater(report["packets"], self.n_packets)
        self.assertGreaterEqual(report["seconds"], 0.5)
        self.assertLess(report["seconds"], 5)
        report = self.forward(self.finite, "--rxq", 4, "--idle-exit", 0, "--duration", 0.6)
        self.assertEqual(report["packets"], self.n_packets)
        self.assertGreaterEqual(report["seconds"], 0.6)

    def test_packets(self):
        for vdevs, n_lcores, n in ((self.endless, 2, 1), (self.endless, 3, 777), (self.finite, 3, 1)):
            with self.subTest(vdevs=vdevs, lcores=n_lcores, packets=n):
                report = self.forward(vdevs, "--rxq", 4, "--packets", n, n_lcores=n_lcores)
                self.assertEqual(report["packets"], n)

    def test_signals(self):
        path = self.folder / "report.json"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number.name):
                path.unlink(missing_ok=True)
                # The test itself may run under nohup, which ignores one of them.
                process = self.start_fwd(
                    self.endless, "--rxq", 4, "--json", path, "--stats", 0.05,
                    preexec_fn=functools.partial(signal.signal, number, signal.SIG_DFL))
                process.stdout.readline()  # of the live table, so that it runs
                process.send_signal(number)
                _, stderr = process.communicate(timeout=fwd.SECONDS)
                self.assertEqual((process.returncode, fwd.our_lines(stderr)), (0, []))
                report = json.loads(path.read_text())
                self.check_report(report)
                self.assertGreater(report["packets"], 0)

    def test_signals_that_are_ignored_at_the_start_stay_so(self):
        """nohup must go on."""
        process = self.start_fwd(self.endless, "--rxq", 4, "--stats", 0.05,
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        for _ in range(20):  # more tables come
            process.stdout.readline()
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=fwd.SECONDS)
        self.assertEqual(process.returncode, 0)

    def test_a_reader_that_has_seen_enough_ends_it(self):
        """As in "ddp-fwd ... | head": the report is there nevertheless."""
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        process = self.start_fwd(self.endless, "--rxq", 4, "--json", path, "--stats", 0.05)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(fwd.SECONDS), 3)
        self.assertEqual(fwd.our_lines(process.stderr.read()),
                         ["ddp-fwd: cannot write standard output: Broken pipe"])
        self.check_report(json.loads(path.read_text()))

    def test_a_run_that_is_killed_leaves_no_report(self):
        """An empty file would be taken for one, and an older report must not be lost."""
        folder = self.folder / "killed"
        for older in (None, "older"):
            folder.mkdir(exist_ok=True)
            path = folder / "report.json"
            if older is not None:
                path.write_text(older)
            process = self.start_fwd(self.endless, "--json", path, "--stats", 0.05)
            process.stdout.readline()
            process.kill()
            process.communicate(timeout=fwd.SECONDS)
            self.assertEqual([file.read_text() for file in folder.iterdir()],
                             [older] if older is not None else [])

    def test_a_terminal_shows_no_remains_of_the_live_table(self):
        """After Ctrl-C, which the terminal echoes, the report stands where the table was."""
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        process = self.start_fwd(self.endless, "--rxq", 4, "--stats", 0.05, stdin=slave, stdout=slave,
                                 start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        seen = b""
        while seen.count(b"\33[J") < 3:  # so many tables were drawn over
            seen += os.read(master, 65536)
        os.write(master, b"\3")
        while True:
            try:
                seen += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        self.assertEqual(process.wait(fwd.SECONDS), 0)
        self.assertIn(b"^C", seen)
        lines = screen(seen.decode())
        self.assertRegex(lines[0], r"^io: \d+ packets in ")
        self.assertNotIn("^C", "".join(lines))

    def test_captures_played_again_and_again_have_room(self):
        """net_pcap keeps them in buffers."""
        many = self.traffic("--ues", 800)
        endless = [fwd.vdev(many.name + ",infinite_rx=1", "profile=gtpu")]
        report = self.forward(endless, "--packets", 30000)
        self.assertEqual(report["packets"], 30000)
        result = self.run_fwd(endless, "--mbufs", 4096)
        self.assertEqual(result.returncode, 2)
        line, = fwd.our_lines(result.stderr)
        found = re.fullmatch(r"ddp-fwd: --mbufs 4096: with infinite_rx=1 the 25600 packets of the "
                             r"captures stay in buffers: use --mbufs (\d+)", line)
        self.assertIsNotNone(found, line)
        self.forward(endless, "--mbufs", found.group(1), "--packets", 30000)
        one = self.traffic("--ues", 1, "--flows", 1, "--packets", 1)
        result = self.run_fwd([fwd.vdev(one.name + ",infinite_rx=1")], "--mbufs", 1)
        self.assertRegex(result.stderr, "--mbufs 1: with infinite_rx=1 the 1 packets of the captures stay")

    def test_a_capture_cut_in_a_record_is_reported_up_to_there_and_exit_3(self):
        cut = self.folder / "cut.pcap"
        cut.write_bytes(self.n3.read_bytes()[:-1])
        path = self.folder / "report.json"
        result = self.run_fwd([fwd.vdev(cut.name, "profile=gtpu", "overflow=wait")], "--rxq", 4,
                              "--json", path)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(fwd.our_lines(result.stderr)), 1, result.stderr)
        self.assertRegex(result.stderr, "(?m)^ddp-fwd: cut.pcap: truncated .*$")
        report = json.loads(path.read_text())
        self.check_report(report)
        self.assertEqual((report["packets"], report["drops"]), (self.n_packets - 1, 1))

    def test_help_and_version(self):
        for option, said in (("--help", r"--idle-exit MS"),
                             ("--version", rf"^ddp-fwd {re.escape(harness.version())} \(DPDK .*\)\n$")):
            result = harness.run(harness.tools["ddp-fwd"], option)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, said)


class Refusal(fwd.TestCase):
    """ddp-fwd refuses to begin: one line says why, from it or from the port, with an exit
    status that is not 0."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--ues", 10)
        (cls.folder / "field.yaml").write_text(
            "profile: field\nversion: 1.0.0\nrequires: [base]\npacket_types:\n"
            "  X:\n    path: eth ipv4 udp\n    priority: 1\n    rss: ipv4.nonsense\n")

    def refused(self, status, line, vdevs, *options, n_lcores=2):
        """Ends with the status and the one line of ours, which may be the port's."""
        vdevs = [f"net_ddp{n}," + vdev.format(capture=self.n3.name) for n, vdev in enumerate(vdevs)]
        result = self.run_fwd(vdevs, *options, n_lcores=n_lcores)
        with self.subTest(vdevs=vdevs, options=options):
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            lines = fwd.our_lines(result.stderr)
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertRegex(lines[0], rf"^{line}$")

    def refuse(self, status, line, *options, vdevs=(GOOD,), n_lcores=2):
        self.refused(status, f"ddp-fwd: {line}", vdevs, *options, n_lcores=n_lcores)

    def test_options(self):
        for words, line in (
                (["--rxq", 257], r"--rxq 257: port 0 \(net_ddp0\) has at most 256 Rx queues"),
                (["--rxq", 1, "--txq", 257], r"--txq 257: port 0 \(net_ddp0\) has at most 256 Tx queues"),
                (["--rxq", 4, "--txq", 1], "--txq 1: .* 2 lcores forward: use at least 2"),
                (["--rxqs", 4], rf"unknown option '--rxqs', did you mean '--rxq'\? {HINT}"),
                (["--balance", "--rss-hf", "none"], r"--balance: port 0 \(net_ddp0\) hashes no packets")):
            self.refuse(2, line, *words, n_lcores=3)
        result = self.run_fwd(["net_null0"], "--balance")
        self.assertEqual((result.returncode, fwd.our_lines(result.stderr)),
                         (2, ["ddp-fwd: --balance: port 0 (net_null0) is no net_ddp port"]))

    def test_reports_that_cannot_be_written(self):
        for path, reason in (("no/such/folder/r.json", "No such file or directory"),
                             (".", "Is a directory")):
            self.refuse(3, re.escape(f"cannot write {path}: {reason}"), "--json", path)
        result = self.run_fwd([fwd.vdev(self.n3.name)], "--json", "/dev/full")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(fwd.our_lines(result.stderr),
                         ["ddp-fwd: cannot write /dev/full: No space left on device"])

    def test_a_run_that_does_not_begin_leaves_no_report(self):
        path = self.folder / "never.json"
        self.refused(1, r"net_ddp0: error: .*", [GOOD + ",profile=nonsense"], "--json", path)
        self.assertFalse(path.exists())

    def test_an_input_is_never_overwritten(self):
        profile = self.folder / "mine.yaml"
        profile.write_text("profile: mine\nrequires: [base]\n")
        (self.folder / "link.json").unlink(missing_ok=True)
        (self.folder / "link.json").symlink_to(self.n3)
        inputs = {path: path.read_bytes() for path in (self.n3, profile)}
        for path in (*inputs, self.folder / "link.json"):
            self.refuse(2, re.escape(f"--json: {path} is read, and would be overwritten"), "--json", path,
                        vdevs=[GOOD + ",profile=./mine.yaml;x=1+gtpu"])
        for path, content in inputs.items():
            self.assertEqual(path.read_bytes(), content)

    def test_ports(self):
        """A sample: port/probe_test.c has more."""
        self.refused(1, r"net_ddp0: \./field\.yaml:8:10: error: .*'nonsense'.*", [f"{GOOD},profile=./field.yaml"])
        self.refused(1, "net_ddp1: no bus or driver for the lower device 'net_nonsense0,.*'",
                     [GOOD, GOOD.replace("net_pcap0", "net_nonsense0")])
        self.refuse(1, "no ports: give EAL a device with --vdev or -a", vdevs=[])
        self.refuse(1, r"cannot create 5000000 packet buffers.*: .* more memory "
                    r"\(-m\), or ask for fewer .*", "--mbufs", 5000000)

    def test_captures_without_ethernet_headers(self):
        """Each packet would be taken for something else, and all be sent to one queue."""
        forms = (["dev(net_pcap0,rx_pcap=raw.pcap),profile=gtpu"], ["dev(net_pcap0,rx_pcap={capture},rx_pcap=raw.pcap)"],
                 [GOOD, "dev(net_ddp9,dev(net_pcap1,rx_pcap=raw.pcap,infinite_rx=1))"])
        for (link_type, name, payload), vdevs in zip(((101, "Raw IP", "p"), (276, "Linux cooked v2", "p.payload"),
                                                      (105, "802.11", "")), forms):
            content = bytearray(self.n3.read_bytes())
            struct.pack_into("<I", content, 20, link_type)
            (self.folder / "raw.pcap").write_bytes(content)
            line = f"raw.pcap: the link type is {name}: ports receive Ethernet frames only"
            if payload:
                line += (". Convert it, for example with Scapy: wrpcap('ethernet.pcap', "
                         f"[Ether()/{payload} for p in rdpcap('raw.pcap')])")
            # libpcap has called raw IP differently since 1.10.5
            line = re.escape(line).replace("Raw\\ IP:", "Raw\\ (IP|IPv4/IPv6):")
            self.refuse(3, line, vdevs=vdevs)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd")
