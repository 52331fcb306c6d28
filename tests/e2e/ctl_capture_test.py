#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Captures of all kinds: compressed, cut short, from a pipe or an interface, filtered, too long to wait for.
Whatever it is, the same packets give the same answers. Links and formats: unit tests (ctl/capture_test.c)."""

import contextlib
import ctypes
import fcntl
import gzip
import json
import lzma
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import termios
import time

import cut_test
from support import harness
from packets import DATA, eth, gtpu, ipv4, packet, pcap, udp

GOOD, NO, USAGE, UNREADABLE = range(4)
QUEUES = 16
CLONE_NEWNET = 0x40000000
PORT = 9


def without(objects, gone):
    return [{key: value for key, value in each.items() if key != gone} for each in objects]


class TestCase(harness.TestCase):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def mix(self, *options):
        return self.traffic("--kind", "mix", "--ues", 20, "--packets-per-flow", 1, *options)


class Files(TestCase):
    def test_compressed(self):
        """Also on standard input; what is left of a damaged one is shown."""
        plain = self.mix().read_bytes()
        expected = harness.simulate("gtpu", self.mix(), "--queues", QUEUES)
        for content in gzip.compress(plain, 1), lzma.compress(plain, preset=0):
            path = self.file("compressed", content)
            with open(path, "rb") as file:
                spread = harness.output_of(harness.tools["ddpctl"], "simulate", "gtpu", "-", "--json",
                                           "--queues", QUEUES, stdin=file)
            self.assertEqual(json.loads(spread), expected)
            path.write_bytes(content[:len(content) // 2])
            result = harness.ddpctl("simulate", "gtpu", path, "--json")
            self.assertEqual(result.returncode, UNREADABLE)
            self.assertRegex(result.stderr, "cut short or damaged: .*; packets read: ")
            self.assertTrue(json.loads(result.stdout)["partial"])

    def test_what_was_read_of_a_cut_capture_is_shown(self):
        cut = self.file("cut.pcap", pcap(harness.pcap_frames(self.mix())[:8])[:-1])
        lines = harness.classify("gtpu", self.mix())[:7]
        for option, read in ("--jsonl", lambda text: list(map(json.loads, text.splitlines()))), ("--json", json.loads):
            result = harness.ddpctl("classify", "gtpu", cut, option)
            self.assertEqual((result.returncode, read(result.stdout)), (UNREADABLE, lines))
            self.assertRegex(result.stderr, rf"^ddpctl: {re.escape(str(cut))}: .*\n$")

    def test_a_compressed_capture_does_not_expand_without_limit(self):
        """A user would wait for minutes, for a file of a few kilobytes."""
        plain = self.mix().read_bytes()
        packets = lzma.compress((struct.pack("<IIII", 0, 0, 1500, 1500) + bytes(1500)) * 20000, preset=0)
        path = self.file("bomb.xz", lzma.compress(plain[:24], preset=0) + 10 * packets)
        result = harness.ddpctl("simulate", "gtpu", path, "--json")
        self.assertEqual(result.returncode, UNREADABLE)
        self.assertIn("expands more than 1000 times; --any-expansion reads such a capture, too; packets read: ",
                      result.stderr)
        self.assertEqual(harness.simulate("gtpu", path, "--any-expansion")["packets"], 200000)

    def test_a_small_stack_is_enough(self):
        limit = "ulimit -s 64; exec \"$@\""
        for command in (["list"], ["info", "gtpu"], ["check", "gtpu"], ["graph", "gtpu"], ["plan", "gtpu"],
                        ["classify", "gtpu", self.mix()], ["explain", "gtpu", self.mix()],
                        ["simulate", "gtpu", self.mix()], ["advise", self.mix()],
                        ["plan", "gtpu", "--nic", "mlx5", "--pcap", self.mix()],
                        ["port", "list", "--file-prefix", "none"]):
            with self.subTest(command=command):
                result = harness.run("bash", "-c", limit, "bash", harness.tools["ddpctl"], *command)
                self.assertIn(result.returncode, (0, 1, UNREADABLE), result.stderr)

    def test_packets_cut_short_are_counted(self):
        frames = [(data[:70], length) for data, length in harness.pcap_frames(self.mix())]
        n_cut = sum(len(data) < length for data, length in frames)
        self.assertGreater(n_cut, 100)
        path = self.file("snap.pcap", pcap(frames))
        self.assertEqual(harness.simulate("gtpu", path)["cut"], n_cut)
        self.assertEqual(harness.simulate("gtpu", self.mix())["cut"], 0)
        self.assertIn(f"\ncut short in the capture: {n_cut} (",
                      harness.ddpctl("simulate", "gtpu", path).stdout)
        self.assertNotIn("cut short", harness.ddpctl("simulate", "gtpu", self.mix()).stdout)

    def test_filter_and_count(self):
        everything = harness.classify("gtpu", self.mix())
        tunnelled = [each for each in everything if "gtpu" in each["chain"]]
        self.assertLess(0, len(tunnelled), len(everything))
        expected = without(tunnelled, "n")
        found = harness.classify("gtpu", self.mix(), "--filter", "udp port 2152")
        self.assertEqual(without(found, "n"), expected)
        self.assertEqual([each["n"] for each in found], list(range(1, len(expected) + 1)))
        spread = harness.simulate("gtpu", self.mix(), "--filter", "udp port 2152", "--count", 11)
        self.assertEqual((spread["packets"], spread["partial"]), (11, False))
        report = json.loads(harness.output_of(harness.tools["ddpctl"], "explain", "gtpu", self.mix(),
                                              "--filter", "udp port 2152", "-n", 3, "--json"))
        self.assertEqual(report["ptype"], tunnelled[2]["ptype"])


class NicNow(TestCase):
    """NICs without rules answer "do I need this at all?": the answer must be that of the NIC's own tables."""

    PACKAGES = {"ice-os": "ice-1.3.30.0.pkg", "ice-comms": "ice_comms-1.3.31.0.pkg"}

    @staticmethod
    def figures(found):
        return found["imbalance"], found["hashes"], found["unhashed"]

    def nics(self, path, *options):
        found = harness.simulate("base", path, "--nic-now", *options)
        return {nic["nic"]: nic for nic in found["nics"]}, found

    def test_a_fixed_function_nic_and_the_emulated_one(self):
        nics, found = self.nics(self.mix(), "--with", "e810-comms")
        self.assertEqual(list(nics), ["generic", "i40e", "iavf", "ice-comms", "ice-os", "mlx5"])
        for name in ("generic", "i40e", "ice-os", "mlx5"):
            self.assertEqual(self.figures(nics[name]), self.figures(found["baseline"]))
        for name in ("iavf", "ice-comms"):
            self.assertEqual(self.figures(nics[name]), self.figures(found["candidates"][1]))
        self.assertGreater(nics["ice-comms"]["hashes"], nics["ice-os"]["hashes"])

    def test_intels_packages(self):
        if not harness.intel_package(self.PACKAGES["ice-os"]).exists():
            self.skipTest("no packages: scripts/packages fetches them")
        draw = random.Random(1)
        path = self.capture("nic-now", [*harness.pcap_frames(self.mix()), *(cut_test.n3(draw) for _ in range(300)),
                                        *(cut_test.datacenter(draw) for _ in range(300))])
        for name, package in self.PACKAGES.items():
            with self.subTest(nic=name):
                nics, found = self.nics(path, "--with", harness.intel_package(package))
                self.assertEqual(self.figures(nics[name]), self.figures(found["candidates"][1]))

    def test_it_says_why(self):
        path = self.capture("n3", [packet(eth(), ipv4(), udp(2152, 2152), gtpu(n), ipv4(f"10.0.0.{n}"), udp(n, 80), DATA)
                                   for n in range(200)])
        run = harness.ddpctl("simulate", "gtpu", path, "--nic-now")
        self.assertRegex(run.stdout, r"\nice-os +16\.000 +1 of 16 +1 +0\.0%\n")
        text = " ".join(run.stdout.split())
        self.assertIn("generic, i40e, ice-os, mlx5: outer addresses and ports (100.0% of the packets). The headers "
                      "behind are not parsed: all packets with the same outer addresses and ports stay on one queue.", text)
        self.assertIn("iavf, ice-comms: outer addresses, inner ports (100.0% of the packets)", text)
        nics, _ = self.nics(path)
        self.assertEqual(nics["ice-os"]["hashed"], [{"fields": "outer addresses and ports", "packets": 200}])
        self.assertEqual((nics["ice-os"]["queues_used"], nics["ice-comms"]["queues_used"]), (1, 16))

    def test_one_kind(self):
        found = harness.simulate("base", self.mix(), "--nic-now=none")
        self.assertEqual([(nic["nic"], nic["unhashed"]) for nic in found["nics"]], [("none", found["packets"])])
        self.assertEqual(harness.ddpctl("simulate", "base", self.mix(), "--nic-now=x710").returncode, USAGE)
        self.assertNotIn("nics", harness.simulate("base", self.mix()))


class Processes(TestCase):
    def start(self, *args, **kwargs):
        return harness.start(self, harness.tools["ddpctl"], *args, encoding=None,
                             **{"stdin": None, "stdout": subprocess.PIPE, "stderr": None, **kwargs})


class Waiting(Processes):
    """Output before the end."""

    def pipe_write(self, process, content):
        """Write, and wait until it has been read."""
        process.stdin.write(content)
        process.stdin.flush()
        left = b"\1\0\0\0"
        for _ in range(1000):
            left = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))
            if left == bytes(4):
                return
            time.sleep(0.01)
        self.fail("nobody reads")

    def test_ctrl_c_shows_what_is_known(self):
        frames = harness.pcap_frames(self.mix())
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("simulate", "gtpu", "-", "--json", stdin=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
            self.pipe_write(process, pcap(frames[:100]) + b"half")
            process.send_signal(signal_number)
            out, err = process.communicate(timeout=harness.TIMEOUT)
            self.assertEqual(process.returncode, 128 + signal_number)
            self.assertEqual(err, b"ddpctl: standard input: interrupted after 100 packets\n")
            spread = json.loads(out)
            self.assertEqual((spread["packets"], spread["partial"]), (100, True))

    def test_packets_of_a_pipe_are_shown_as_they_come(self):
        """If you pipe tcpdump into it, you wait for no end of the capture."""
        frames = harness.pcap_frames(self.mix())
        for words, n_titles, number_of in ((["--jsonl"], 0, lambda line: json.loads(line)["n"]),
                                           ([], 1, lambda line: int(line.split()[0]))):
            process = self.start("classify", "gtpu", "-", *words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(pcap(frames[:1]))
            process.stdin.flush()
            for _ in range(n_titles):
                process.stdout.readline()
            self.assertEqual(number_of(process.stdout.readline()), 1)
            process.stdin.write(pcap(frames[1:3])[24:])
            process.stdin.close()
            self.assertEqual([number_of(line) for line in process.stdout], [2, 3])
            self.assertEqual(process.wait(timeout=harness.TIMEOUT), GOOD)

    def test_progress_on_a_terminal(self):
        frames = harness.pcap_frames(self.mix())
        leader, follower = pty.openpty()
        process = self.start("simulate", "gtpu", "-", "--json", stdin=subprocess.PIPE,
                             stderr=follower)
        os.close(follower)
        self.pipe_write(process, pcap(frames[:100]))
        n_sent, shown = 100, b""
        deadline = time.monotonic() + harness.TIMEOUT
        while b" packets, " not in shown:  # it is shown when some time has passed and a packet comes
            self.assertLess(time.monotonic(), deadline, "no progress is shown")
            self.pipe_write(process, pcap(frames[n_sent % 100:][:1])[24:])
            n_sent += 1
            if select.select([leader], [], [], 0.02)[0]:
                shown += os.read(leader, 4096)
        process.stdin.close()
        self.assertEqual(json.load(process.stdout)["packets"], n_sent)
        self.assertEqual(process.wait(timeout=harness.TIMEOUT), GOOD)
        with contextlib.suppress(OSError):  # how a terminal says that nobody is left to write
            while data := os.read(leader, 4096):
                shown += data
        os.close(leader)
        shown = shown.decode()
        n_shown = [int(n) for n in re.findall(r"standard input, (\d+) packets, ", shown)]
        self.assertNotEqual(n_shown, [])
        self.assertTrue(all(100 < n <= n_sent for n in n_shown), (n_shown, n_sent))
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)


class Interface(Processes):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNET) != 0:
            cls.skipTest(cls, f"no network namespace: {os.strerror(ctypes.get_errno())}")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            request = struct.pack("16sH14x", b"lo", 0x41)  # up and running
            fcntl.ioctl(control, 0x8914, request)  # SIOCSIFFLAGS

    def send_until(self, done):
        """Packets on the loopback until done() says so."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(3000):
                sender.sendto(b"packet", ("127.0.0.1", PORT))
                if done():
                    return
                time.sleep(0.01)
        self.fail("no packet arrived")

    def test_so_many_packets(self):
        for interface in ("lo", "any"):  # Ethernet, and Linux cooked
            process = self.start("simulate", "base", "-i", interface, "--json", "--count", 20,
                                 "--filter", f"udp dst port {PORT}")
            self.send_until(lambda process=process: process.poll() is not None)
            spread = json.load(process.stdout)
            self.assertEqual((process.returncode, spread["packets"]), (GOOD, 20))
            self.assertEqual(spread["ptypes"], [{"name": "IPV4_UDP", "packets": 20}])
            self.assertIs(spread["partial"], False)

    def test_ctrl_c_is_the_ordinary_end(self):
        process = self.start("classify", "base", "-i", "lo", "--jsonl", "--filter", "udp",
                             stderr=subprocess.PIPE)
        os.set_blocking(process.stdout.fileno(), False)
        self.send_until(lambda: process.stdout.peek() != b"")
        if shutil.which("ip") is not None:  # packets for others are among them
            link, = json.loads(harness.output_of("ip", "-details", "-json", "link", "show", "lo"))
            self.assertEqual(link["promiscuity"], 1)
        process.send_signal(signal.SIGINT)
        os.set_blocking(process.stdout.fileno(), True)
        out, err = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual((process.returncode, err), (GOOD, b""))
        for n, line in enumerate(out.splitlines(), 1):
            found = json.loads(line)
            self.assertEqual((found["n"], found["fields"]["udp.dport"]), (n, PORT))

    def test_without_packets_ctrl_c_ends_it_too(self):
        process = self.start("simulate", "base", "-i", "lo", "--json", "--filter", "arp")
        sockets = pathlib.Path(f"/proc/{process.pid}/net/packet")
        while sockets.read_text().count("\n") < 2:  # a title, and it listens
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual((process.returncode, json.loads(out)["packets"]), (GOOD, 0))

    def test_what_cannot_be_captured_from(self):
        result = harness.ddpctl("simulate", "base", "-i", "nowhere0")
        self.assertEqual((result.returncode, result.stdout), (UNREADABLE, ""))
        self.assertEqual(result.stderr, "ddpctl: nowhere0: no such interface\n")
        result = harness.ddpctl("simulate", "base", "-i", "lo", "--filter", "udp prt 1")
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("syntax error", result.stderr)
        result = harness.ddpctl("simulate", "base", "some.pcap", "-i", "lo")
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("unexpected argument 'some.pcap'", result.stderr)

    def test_without_rights(self):
        if shutil.which("setpriv") is None:
            self.skipTest("no setpriv")
        result = harness.run("setpriv", "--bounding-set=-net_raw,-net_admin", "--inh-caps=-all",
                             harness.tools["ddpctl"], "simulate", "base", "-i", "lo")
        self.assertEqual((result.returncode, result.stdout), (UNREADABLE, ""))
        self.assertIn("lo: no right to capture there", result.stderr)


class Overwritten(harness.TestCase):
    """A report must not overwrite the capture or the profile that it is about."""

    def test_an_input_is_never_overwritten(self):
        capture = self.capture("mine", [packet(eth(), ipv4(), udp(), DATA)])
        profile = self.folder / "own.yaml"
        profile.write_text("profile: own\nrequires: [base]\n")
        package = self.folder / "p.pkg"
        package.write_bytes(b"package")
        rules = self.folder / "rules"
        rules.write_text("flow create 0 ingress pattern eth / end actions drop / end\n")
        (self.folder / "soft").symlink_to(capture)
        (self.folder / "hard").hardlink_to(capture)
        library = self.folder / "library" / "found.yaml"
        library.parent.mkdir()
        library.write_text("profile: found\nrequires: [base]\n")
        inputs = {path: path.read_bytes() for path in (capture, profile, package, rules, library)}
        simulate = ("simulate", f"found+{profile};x=1", capture, "--rule", f"@{rules}", "--with", package)
        rows = [(*simulate, "--report", path) for path in
                (capture, profile, package, rules, library, self.folder / "soft", self.folder / "hard",
                 f"{self.folder}/../{self.folder.name}/{capture.name}")]
        rows += [("advise", capture, "--report", capture), ("simulate", "gtpu", "-", "--report", capture)]
        for words in rows:
            with self.subTest(words), open(capture, "rb") as stdin:
                result = harness.ddpctl(*words, stdin=stdin, env={**os.environ, "DDP_PROFILE_PATH":
                                                                  str(library.parent)})
                self.assertEqual(result.returncode, USAGE)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn("is read, and would be overwritten", result.stderr)
                for path, content in inputs.items():
                    self.assertEqual(path.read_bytes(), content)

    def test_owner_mode_and_other_names_of_a_file_stay(self):
        """root writes a report over the file of a service, which must be able to read it on."""
        capture = self.capture("mine", [packet(eth(), ipv4(), udp(), DATA)])
        for name, links in (("alone", 0), ("linked", 1)):
            out = self.folder / f"{name}.pcap"
            out.write_bytes(bytes(1000))
            out.chmod(0o666)  # more than the umask leaves
            if os.geteuid() == 0:
                os.chown(out, 1234, 5678)
            for i in range(links):
                (self.folder / f"{name}{i}").hardlink_to(out)
            before = out.stat()
            harness.output_of(harness.tools["ddpctl"], "classify", "gtpu", capture, "-w", out)
            after = out.stat()
            for field in ("st_uid", "st_gid", "st_mode", "st_nlink"):
                self.assertEqual(getattr(after, field), getattr(before, field), (name, field))
            self.assertEqual(out.read_bytes()[2:4], capture.read_bytes()[2:4])
            self.assertEqual([path.name for path in self.folder.glob("*.new")], [])

if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
