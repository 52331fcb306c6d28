# SPDX-License-Identifier: BSD-3-Clause
"""Tools, captures and plain hashes for the end-to-end tests."""

import functools
import gc
import json
import math
import os
import pathlib
import re
import runpy
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(SOURCE_ROOT / "tests" / "library"))
import packets  # noqa: E402

SKIPPED = 77
TIMEOUT = 60  # seconds, for one run of a tool

# Of an object of classify --jsonl, in order.
PACKET_KEYS = ["n", "len", "ptype", "ptype_id", "chain", "offsets", "fields", "hash", "input", "queue", "status",
               "schema_version"]
# Microsoft's 40 bytes and their first 12 again.
KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b4"
                    "77cb2da38030f20c6a42b73bbeac01fa6d5a56da255b0ec24167253d")
RETA_SIZE = 512
SNAPLEN = 262144  # the most that libpcap takes
FLOWS = 8  # of each UE, ddp-traffic's preset

tools = {}  # their paths, by name


def main(*names):
    """Run the tests of the calling program, whose arguments are the paths of these tools."""
    if len(sys.argv) != 1 + len(names):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(names)}")
    tools.update(zip(names, map(os.path.abspath, sys.argv[1:])))
    result = unittest.main(module="__main__", argv=sys.argv[:1], exit=False).result
    for _, reason in result.skipped:
        print(f"skipped: {reason}")  # scripts/results looks for it
    sys.exit(not result.wasSuccessful())


def skip(reason):
    """End the program as a skipped test."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def need(program):
    """Where this one is not installed, too."""
    if shutil.which(program) is None:
        skip(f"{program} is not installed")


def run(*command, **kwargs):
    """The finished process, with its output as text unless the caller redirects it."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    kwargs.setdefault("timeout", TIMEOUT)
    return subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, check=False,
                          encoding="utf-8", errors="backslashreplace", **kwargs)


def start(test, *command, **kwargs):
    """A process in the folder of a test, which ends with the test at the latest."""
    kwargs = {"cwd": test.folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE,
              "encoding": "utf-8", **kwargs}
    process = subprocess.Popen([str(word) for word in command], **kwargs)
    test.addCleanup(process.__exit__, None, None, None)
    test.addCleanup(process.kill)
    return process


def until(condition, what="end"):
    """Wait until a condition returns a true value, and return that."""
    deadline = time.monotonic() + TIMEOUT
    while not (value := condition()):
        assert time.monotonic() < deadline, f"no {what}"
        time.sleep(0.05)
    return value


def output_of(*command, **kwargs):
    result = run(*command, **kwargs)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {result.returncode}: {result.stderr}")
    return result.stdout


def version():
    """The version that all programs print: meson's."""
    return re.search(r"(?m)^  version: '(.*)',$", (SOURCE_ROOT / "meson.build").read_text())[1]


def traffic_run(*options):
    """ddp-traffic in this process: Python takes longer to start than to write most captures."""
    try:
        with unittest.mock.patch("sys.argv", [tools["ddp-traffic"], *map(str, options)]):
            runpy.run_path(tools["ddp-traffic"], run_name="__main__")
    finally:
        gc.enable()  # ddp-traffic disables it


def ddpctl(*args, **kwargs):
    return run(tools["ddpctl"], *args, **kwargs)


def classify(spec, capture, *options):
    """ddpctl's answer about each packet."""
    lines = output_of(tools["ddpctl"], "classify", spec, capture, "--jsonl", *options)
    return [json.loads(line) for line in lines.splitlines()]


def profiles():
    """The profiles that ddpctl finds by name, as list prints them."""
    return json.loads(output_of(tools["ddpctl"], "list", "--json"))


def intel_package(name):
    """The path of one of Intel's public packages, where scripts/packages puts them."""
    home = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return pathlib.Path(os.environ.get("DDP_PACKAGE_CACHE", f"{home}/ddpsteer/packages")) / name


def simulate(spec, capture, *options):
    return json.loads(output_of(tools["ddpctl"], "simulate", spec, capture, "--json", *options))


class TestCase(unittest.TestCase):
    """Tests with a folder for captures, which ends with them."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ddp-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    @classmethod
    def shared(cls):
        """In the place of a test: what is started for it ends with the class."""
        return types.SimpleNamespace(folder=cls.folder, addCleanup=cls.addClassCleanup)

    @classmethod
    def traffic(cls, *options):
        """The path of a capture of ddp-traffic with these options, made at the first use."""
        path = cls.folder / ("_".join(str(option).strip("-") for option in options) + ".pcap")
        if not path.exists():
            traffic_run("-o", path, *options)
        return path

    @classmethod
    def capture(cls, name, frames):
        """The path of a new capture; a frame is bytes, or (bytes captured, length on the wire)."""
        content = bytearray(packets.pcap(frames))
        struct.pack_into("<I", content, 16, SNAPLEN)
        path = cls.folder / f"{name}.pcap"
        path.write_bytes(content)
        return path


class Traffic:
    """An attribute of a TestCase: the path of a capture of ddp-traffic with these options."""

    def __init__(self, *options):
        self.options = options

    def __get__(self, test, cls):
        return cls.traffic(*self.options)


def pcap_frames(path):
    """(bytes captured, length on the wire) of each packet of a little-endian pcap file."""
    data = path.read_bytes()
    frames = []
    at = 24
    while at < len(data):
        captured, length = struct.unpack_from("<II", data, at + 8)
        frames.append((data[at + 16:at + 16 + captured], length))
        at += 16 + captured
    return frames


def entropy(counts):
    """Shannon's, in bits."""
    counts = list(counts)
    return sum(n / sum(counts) * math.log2(sum(counts) / n) for n in counts)


@functools.cache
def toeplitz(data, key=KEY):
    """Bit by bit, as Microsoft's text has it."""
    window = int.from_bytes(key, "big")
    shift = 8 * len(key) - 32
    result = 0
    for byte in data:
        for bit in range(7, -1, -1):
            if byte >> bit & 1:
                result ^= window >> shift
            shift -= 1
    return result & 0xffffffff


def simple_xor(data):
    data += bytes(-len(data) % 4)
    result = 0
    for (word,) in struct.iter_unpack(">I", data):
        result ^= word
    return result


def imbalance(loads):
    """Of packets or whatever else each queue got: the largest over the mean."""
    return max(loads) * len(loads) / sum(loads)
