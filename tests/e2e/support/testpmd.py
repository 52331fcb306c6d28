# SPDX-License-Identifier: BSD-3-Clause
"""Debian's dpdk-testpmd at the other end of a terminal: commands in, answers out."""

import os
import pty
import re
import select
import signal
import threading
import time

from support import eal, harness

PROGRAM = "dpdk-testpmd"
PROMPT = "testpmd> "
MEGABYTES = 256
SECONDS = 30  # for a command, a start, an end; far more than they take
FIRST_US = 1700000000 * 1000000  # time of a capture's first packet; each further one is 1 us later
PCAP_HEADER_SIZE = 24  # of a capture, before its first packet

# The lines of `set verbose 1` about a packet (net_pcap's have a time stamp).
PACKET = re.compile(r"- length=(?P<len>\d+) - nb_segs=\d+"
                    r"(?: - RSS hash=0x(?P<hash>[0-9a-f]+) - RSS queue=0x(?P<rss_queue>[0-9a-f]+))?"
                    r"(?: - FDIR matched (?:ID=0x(?P<mark>[0-9a-f]+)|(?P<flag>hash=\S+ ID=\S+ )))?"
                    r" - timestamp (?P<timestamp>\d+) "
                    r"(?: - hw ptype: (?P<ptype>.*?) )?"
                    r" - sw ptype: .* - Receive queue=0x(?P<queue>[0-9a-f]+)\n"
                    r"  ol_flags: (?P<flags>.*)\n")
PACKET_END = "  ol_flags: "


def set_up_module():
    """To be called in the setUpModule() of each program of tests."""
    harness.need(PROGRAM)
    eal.drivers_load("net_ddp", "testsrc")


class Player:
    """A capture as a named pipe, to be read once, which begins to give packets on request.

    testpmd writes its prompt letter by letter from one thread, and what it says of packets from
    another: with a capture that is simply there, the two could not be distinguished.
    """

    def __init__(self, capture):
        self.capture = capture
        self.path = capture.with_suffix(".pipe")
        self.path.unlink(missing_ok=True)
        os.mkfifo(self.path)
        self.playing = threading.Event()
        threading.Thread(target=self.feed, daemon=True).start()

    def feed(self):
        data = self.capture.read_bytes()
        try:
            with open(self.path, "wb", buffering=0) as pipe:
                pipe.write(data[:PCAP_HEADER_SIZE])
                self.playing.wait()
                pipe.write(data[PCAP_HEADER_SIZE:])
        except OSError:
            pass  # testpmd is gone, and its test says so

    def play(self):
        self.playing.set()


class Terminal:
    """A program at the other end of a terminal, which ends with its test at the latest."""

    def __init__(self, test, command, environment):
        self.text = ""  # all that it wrote
        self.closed = False
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            become(command, test.folder, environment)
        test.addCleanup(self.kill)

    def read(self):
        """Take what is there, or comes soon."""
        if not self.closed and select.select([self.fd], [], [], 0.05)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # EIO: how a terminal ends
                data = b""
            self.closed = not data
            self.text += data.decode(errors="replace").replace("\r", "")

    def wait(self, condition, what):
        """Read until the condition holds."""
        deadline = time.monotonic() + SECONDS
        while not condition():
            if self.closed or time.monotonic() > deadline:
                why = "it ended" if self.closed else f"{SECONDS} s passed"
                raise AssertionError(f"{why} without {what}: {self.text[-2000:]}")
            self.read()

    def reap(self):
        os.close(self.fd)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.reap()


class Testpmd(Terminal):
    """A running testpmd.

    With a prefix of its files it has a telemetry socket; preload is a library (LD_PRELOAD). With a
    folder for hugepages, too, secondary processes can attach.
    """

    def __init__(self, test, vdevs, *options, n_lcores=2, prefix=None, preload=None,
                 huge_folder=None):
        command = [PROGRAM, *eal.options(n_lcores, MEGABYTES, prefix, huge_folder), "-d", harness.tools["net_ddp"],
                   *eal.fake_nics(), *(word for vdev in vdevs for word in ("--vdev", vdev)), "--", "--interactive",
                   "--no-flush-rx", "--no-mlockall", "--total-num-mbufs=20000", *map(str, options)]
        super().__init__(test, command, {"LD_PRELOAD": preload} if preload else {})
        self.wait(lambda: PROMPT in self.text, "a prompt")
        self.banner = self.text

    def command(self, line):
        """testpmd's output from this command to its next prompt."""
        start = len(self.text)
        os.write(self.fd, line.encode() + b"\n")
        self.wait(lambda: PROMPT in self.answer(start, line), f"an answer to '{line}'")
        return self.answer(start, line).partition(PROMPT)[0]

    def answer(self, start, line):
        """The text behind the echo of a command, if it has been echoed from start on."""
        _, echo, answer = self.text[start:].partition(line + "\n")
        if echo:
            return answer
        for letter in line + "\n":  # lines about packets may come between its letters
            start = self.text.find(letter, start) + 1
            if start == 0:
                return ""
        return self.text[start:]

    def commands(self, *lines):
        """Several commands that print nothing of interest."""
        for line in lines:
            self.command(line)

    def receive(self, player, n_packets):
        """Forward until so many packets of a capture have been printed: them, as printed."""
        start = at = len(self.text)
        n_seen = 0

        def all_seen():
            nonlocal at, n_seen
            n_seen += self.text.count(PACKET_END, at)
            at = max(at, len(self.text) - len(PACKET_END) + 1)
            return n_seen >= n_packets

        self.command("start")
        player.play()
        self.wait(all_seen, f"{n_packets} packets")
        self.command("stop")
        return [Packet(match) for match in PACKET.finditer(self.text, start)]

    def xstats(self, port=0):
        lines = self.command(f"show port xstats {port}").splitlines()
        return {name: int(value) for name, _, value in (line.partition(": ") for line in lines)
                if re.fullmatch(r"\d+", value)}

    def stats(self, port=0):
        """By testpmd's words, such as RX-packets."""
        found = re.findall(r"([RT]X-[a-z]+): +(\d+)", self.command(f"show port stats {port}"))
        return {name: int(value) for name, value in found}

    def key(self, port=0):
        text = self.command(f"show port {port} rss-hash key")
        return bytes.fromhex(re.search(r"RSS key:\n([0-9A-F]+)\n", text)[1])

    def quit(self):
        """End it in order. What it printed."""
        start = len(self.text)
        os.write(self.fd, b"quit\n")
        self.wait(lambda: self.closed, "an end")
        self.reap()
        if self.status != 0 or "Bye..." not in self.text[start:]:
            raise AssertionError(f"testpmd: status {self.status}: {self.text[-2000:]}")
        return self.text[start:]


def endless(test, capture, *arguments, queues=8, **kwargs):
    """A testpmd that takes a capture again and again, to the end of the test."""
    vdev = ",".join([f"net_ddp0,dev(net_pcap0,rx_pcap={capture.name},infinite_rx=1)", *arguments])
    pmd = Testpmd(test, [vdev], f"--rxq={queues}", f"--txq={queues}", **kwargs)
    pmd.commands("set fwd rxonly", "start")
    return pmd


def unaccounted(xstats):
    """The number of packets that a net_ddp took from its lower device and did not count."""
    queues = [name for name in xstats if re.fullmatch(r"rx_q\d+_(packets|missed)", name)]
    return (xstats["rx_lower_packets"] - sum(map(xstats.get, queues)) -
            xstats["rx_dropped_at_stop"] - xstats["rx_in_rings"])


class Packet:
    """A packet as testpmd printed it. hash is None for one without."""

    def __init__(self, match):
        self.len = int(match["len"])
        self.hash = None if match["hash"] is None else int(match["hash"], 16)
        self.rss_queue = None if match["rss_queue"] is None else int(match["rss_queue"], 16)
        self.queue = int(match["queue"], 16)
        self.mark = None if match["mark"] is None else int(match["mark"], 16)
        self.flag = match["mark"] is not None or match["flag"] is not None
        self.n = int(match["timestamp"]) - FIRST_US  # in the capture, from 0
        self.ptype = (match["ptype"] or "").split()
        self.flags = {name.removeprefix("RTE_MBUF_F_RX_") for name in match["flags"].split()}

    def answer(self):
        """Its queue, and why it went there."""
        return {"length": self.len, "hash": self.hash, "queue": self.queue,
                "RSS queue": self.rss_queue}


def become(command, folder, environment):
    """Turn this process, just forked, into another program. Does not return."""
    try:
        os.chdir(folder)
        os.execvpe(command[0], command, {**eal.environment(folder), **environment})
    finally:
        os._exit(127)
