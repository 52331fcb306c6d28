# SPDX-License-Identifier: BSD-3-Clause
"""Devices, packets for them, and running applications, for the rows of clients.py."""

import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE_ROOT / "tests" / "e2e"), str(SOURCE_ROOT / "tests" / "library")]
import packets  # noqa: E402
import tshark  # noqa: E402, F401
from support import eal, harness, telemetry  # noqa: E402

SECONDS = 30  # for a start, for all packets, for an end; far more than they take
MEGABYTES = 1024
PREFIX = "ddp-clients"
BATCH = 64  # frames under way at once in the kernel: no buffer of its is as small
MAX_FRAME = 1514  # bytes: an interface takes no more by default
QUEUES = 4
IMBALANCE_MAX = 1.1  # of 2000 UEs on the queues of a port

CLONE_NEWNS = 0x00020000
CLONE_NEWNET = 0x40000000
MS_REC_PRIVATE = 0x4000 | (1 << 18)
EXAMPLES = pathlib.Path("/usr/share/dpdk/examples")

# Lines that say why an application did not start; a driver's words say more than its own.
DRIVER_WORDS = re.compile(r"net_ddp\d?: .*|Ethdev port_id=.*|Frame size \(\d+\) .*|"
                          r"Invalid portmask.*|Flow can't be created .*")
REASON_LINE = re.compile(r"\b(err(or)?|cannot|can't|could not|fail(ed|s)?|invalid|must|unable|"
                         r"refuse[sd]?|not supported|unsupported|no ports|no ethernet ports)\b", re.IGNORECASE)


class Red(Exception):
    """The application did not do what it should, and this is why."""


class Skip(Exception):
    """The row cannot run here."""


def check(condition, message):
    if not condition:
        raise Red(message)


def need(program, package):
    """The path of a program that a row needs."""
    path = shutil.which(program)
    if path is None:
        raise Skip(f"{program} is not installed (package {package})")
    return path


def reason(output):
    """The reason why an application failed, in short: the message of a driver, and its own last line."""
    lines = [re.sub(r"\x1b\[[0-9;]*m|^ETHDEV: ", "", line).strip() for line in output.splitlines()]
    found = [match[0] for line in lines if (match := DRIVER_WORDS.search(line))][:1]
    own = [line for line in lines if REASON_LINE.search(line) and
           not line.startswith(("EAL: lib.", "TELEMETRY:", "tap_nl_"))]
    found += [line for line in own[-1:] if not any(words in line for words in found)]
    return "; ".join(found) or (lines[-1] if lines else "no output")


# Namespaces

def isolate():
    """Network and mounts of our own, so that interfaces and hugepages do not outlive us.

    Returns why that was not possible, or None.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET | CLONE_NEWNS) != 0:
        return f"no namespace of our own: {os.strerror(ctypes.get_errno())}"
    libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None)
    # Neighbor discovery would add packets of its own.
    for path in pathlib.Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
        with contextlib.suppress(OSError):
            path.write_text("1")
    return None


# Packets

def frames_of(path):
    return [frame for frame, _ in harness.pcap_frames(path)]


class Captures(harness.TestCase):
    """Captures that rows replay, made in the folder at the first use."""

    @classmethod
    def n3(cls, *options, kind="n3-up"):
        """Traffic of 2000 UEs behind 4 gNBs, 16000 packets by default."""
        return cls.traffic("--kind", kind, "--ues", 2000, *(options or ("--packets-per-flow", 1)))

    @classmethod
    def made(cls, name, frames):
        path = cls.folder / f"{name}.pcap"
        return path if path.exists() else cls.capture(name, frames)

    @classmethod
    def part(cls, capture, n, of):
        """Every so manieth packet of a capture: for devices with a capture for each queue."""
        return cls.made(f"{capture.stem}.{n}of{of}", frames_of(capture)[n::of])


# Applications

class App:
    """A running application, which ends with its row at the latest."""

    def __init__(self, lab, command, prefix=None):
        self.lab = lab
        self.name = pathlib.Path(str(command[0])).name
        self.path = lab.folder / f"{self.name}-{len(lab.apps)}.log"
        self.prefix = prefix
        self.socket = None
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, cwd=lab.folder,
                env={**eal.environment(lab.folder), **lab.environment})
        lab.apps.append(self)

    @property
    def output(self):
        return self.path.read_text(errors="replace")

    def telemetry(self):
        if self.socket is None:
            self.wait(self.connect, "a telemetry socket")
        return self.socket

    def connect(self):
        with contextlib.suppress(OSError):  # not there yet, or nobody listens yet
            self.socket = telemetry.Client(self.lab, self.prefix)
        return self.socket is not None

    def query(self, *words):
        """The answer of its telemetry. An application that has ended says why."""
        try:
            if (answer := self.telemetry().query(*words)) is None:  # the port is gone
                raise ValueError(f"no answer to {words}")
            return answer
        except (OSError, ValueError):
            self.finish(expected=None)
            raise

    def alive(self):
        return self.process.poll() is None

    def wait(self, condition, what, seconds=SECONDS):
        """Until the condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            if not self.alive():
                raise Red(f"{self.ending()}: {reason(self.output)}")
            if time.monotonic() > deadline:
                raise Red(f"no {what} after {seconds} s: {reason(self.output)}")
            time.sleep(0.02)

    def ending(self):
        status = self.process.returncode
        if status is None:
            return "still running"
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return f"exit {status}"

    def end(self, expected=0):
        """SIGINT, and the end that it should lead to."""
        if self.alive():
            self.process.send_signal(signal.SIGINT)
        self.finish(expected)

    def finish(self, expected=0, seconds=SECONDS):
        """Its end; expected is an exit status, or None if it should not have ended."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Red(f"{self.name} does not end") from None
        check(self.process.returncode == expected, f"{self.ending()}: {reason(self.output)}")

    def kill(self):
        if self.alive():
            self.process.kill()
        self.process.wait()


class Lab:
    """One run of a row: devices, applications, a folder. over is "net_ddp" or "plain"."""

    def __init__(self, over, folder):
        self.over = over
        self.captures = Captures
        self.folder = folder
        self.apps = []
        self.environment = {}
        self.ports = []  # their ids
        self.vdevs = []
        self.links = {}
        self.injected = []  # interfaces at the other end of devices
        self.notes = []  # for the table
        self.cleanups = contextlib.ExitStack()
        self.addCleanup = self.cleanups.callback

    @property
    def ddp(self):
        return self.over == "net_ddp"

    # Devices

    def add(self, *lowers, arguments=("profile=gtpu",)):
        """Ports over these lower devices, or these devices themselves: 0, 1, ... in either case."""
        self.vdevs, self.ports = list(lowers), list(range(len(lowers)))
        if self.ddp:
            self.vdevs = [",".join((f"net_ddp{i}", f"dev({lower})", "overflow=wait", *arguments))
                          for i, lower in enumerate(lowers)]

    def pcap(self, capture, n=0, queues=1):
        """A device that replays a capture; a plain one has a part of it for each queue."""
        if self.ddp or queues == 1:
            parts = [capture]
        else:
            parts = [self.captures.part(capture, i, queues) for i in range(queues)]
        return f"net_pcap{n}," + ",".join(f"rx_pcap={self.link(part)}" for part in parts)

    def link(self, path):
        """A short name of a file in our folder: net_pcap keeps 63 characters of its arguments."""
        if path not in self.links:
            self.links[path] = f"{len(self.links)}.pcap"
            (self.folder / self.links[path]).symlink_to(path)
        return self.links[path]

    def tap(self, n=0):
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise Skip("no access to /dev/net/tun")
        name = f"ddp-c{n}"
        self.injected.append(name)
        return f"net_tap{n},iface={name}"

    def veth(self):
        """A device on one end of a pair of interfaces: what the kernel sends there is received."""
        name, peer = "ddp-c0", "ddp-p0"
        harness.output_of(need("ip", "iproute2"), "link", "add", name, "type", "veth",
                          "peer", "name", peer)
        for end in (name, peer):
            harness.output_of("ip", "link", "set", end, "up")
        self.injected.append(name)
        self.addCleanup(harness.run, "ip", "link", "delete", name)
        return f"net_pcap0,rx_iface={peer}"

    # Applications

    def start(self, program, *arguments, n_lcores=2, eal_options=()):
        """An application on the devices; arguments are its own."""
        plugin = ["-d", harness.tools["net_ddp"]] if self.ddp else []
        vdevs = [word for vdev in self.vdevs for word in ("--vdev", vdev)]
        options = [*eal.options(n_lcores, MEGABYTES, PREFIX), *plugin, *vdevs, *eal_options]
        return App(self, [program, *options, "--", *arguments], PREFIX)

    def run(self, *command):
        """A program to its end."""
        return harness.run(*command, cwd=self.folder, env={**eal.environment(self.folder), **self.environment})

    # Counts

    def stats(self, app):
        """Of our ports together: packets received, sent."""
        answers = [app.query("/ethdev/stats", port) for port in self.ports]
        return (sum(answer["ipackets"] for answer in answers),
                sum(answer["opackets"] for answer in answers))

    def wait_started(self, app):
        app.wait(lambda: self.started(app), "port that is started")

    def started(self, app):
        infos = [app.query("/ethdev/info", port) for port in self.ports]
        return all(info.get("state") == 1 and info.get("dev_started", info.get("dev_start"))
                   for info in infos)

    def expect(self, app, rx, tx=None):
        """So many packets are received and, if requested, sent, and no more."""
        def there():
            return self.stats(app)[0] >= rx and (tx is None or self.stats(app)[1] >= tx)

        with contextlib.suppress(Red):
            app.wait(there, "packets", SECONDS / 3)
        if not app.alive():
            app.wait(there, "packets")
        received, sent = self.stats(app)
        check(received == rx, f"{received} of {rx} packets received")
        check(tx is None or sent == tx, f"{sent} of {tx} packets sent")
        self.notes.append(f"{rx} packets")

    def wait_idle(self, app, seconds=1):
        """Until packets have come, and no more do. For applications that reset the counters."""
        def quiet():
            before = self.stats(app)
            time.sleep(seconds)
            return before[0] > 0 and self.stats(app) == before

        app.wait(quiet, "packets")

    def queue_loads(self, app):
        """Packets of each Rx queue of the first net_ddp port."""
        xstats = app.query("/ethdev/xstats", self.ports[0])
        found = {int(match[1]): value for name, value in xstats.items()
                 if (match := re.fullmatch(r"rx_q(\d+)_packets", name))}
        return [found[q] for q in sorted(found)]

    def expect_spread(self, app, capture):
        """The queues got what ddpctl predicts."""
        if not self.ddp:
            return
        loads = self.queue_loads(app)
        report = harness.simulate("gtpu", capture, "--queues", QUEUES)
        predicted = [queue["packets"] for queue in report["queues"]]
        check(loads == predicted, f"packets of queues {loads}, predicted {predicted}")
        self.note_spread(loads)

    def note_spread(self, loads, what="queues"):
        self.notes.append(f"{len(loads)} {what}, imbalance {harness.imbalance(loads):.2f}")

    def inject(self, app, frames, n=0, pause=0):
        """Send frames into the other end of a tap device, no faster than they are received; with a
        pause after each."""
        app.wait(lambda: self.link_is_up(self.injected[n]), "interface")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as wire:
            wire.bind((self.injected[n], 0))
            before = self.stats(app)[0]
            for first in range(0, len(frames), BATCH):
                batch = frames[first:first + BATCH]
                for frame in batch:
                    wire.send(frame)
                    time.sleep(pause)
                app.wait(lambda: self.stats(app)[0] >= before + first + len(batch), "packets")

    @staticmethod
    def link_is_up(interface):
        path = pathlib.Path(f"/sys/class/net/{interface}/flags")
        try:
            return int(path.read_text(), 16) & 1 != 0
        except OSError:
            # /sys may show another network namespace's interfaces.
            return interface in dict((name, n) for n, name in socket.if_nameindex())

    def close(self):
        for app in reversed(self.apps):
            app.kill()
        self.cleanups.close()


@contextlib.contextmanager
def lab(over):
    with tempfile.TemporaryDirectory(prefix="ddp-client-") as folder:
        one = Lab(over, pathlib.Path(folder))
        try:
            yield one
        finally:
            one.close()
