# SPDX-License-Identifier: BSD-3-Clause
"""ddp-exporter as a server, and what it serves."""

import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request

from support import eal, harness

SECONDS = 30
OPENMETRICS = "application/openmetrics-text; version=1.0.0"
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Exporter:
    """A server on a free port, which ends with its test at the latest."""

    def __init__(self, test, *options):
        self.process = subprocess.Popen(
            [harness.tools["ddp-exporter"], "--listen", "127.0.0.1:0", *map(str, options)],
            env=eal.environment(test.folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, encoding="utf-8", bufsize=1)
        test.addCleanup(self.process.stderr.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"ddp-exporter: (http://127\.0\.0\.1:(\d+)/metrics)\n", line)
        assert found, line
        self.url, self.port = found[1], int(found[2])

    def text(self, accept="text/plain"):
        """The metrics, and the type of the text."""
        request = urllib.request.Request(self.url, headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read().decode(), answer.headers["Content-Type"]

    def metrics(self):
        return Metrics(self.text()[0])

    def status(self, key):
        """A line of /proc/PID/status, in kB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(rf"(?m)^{key}:\s+(\d+) kB$", text)[1])

    def end(self):
        """End it in order. What it said since its start."""
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stderr.read()
        status = self.process.wait(SECONDS)
        assert status == 0, (status, said)
        return said


class Metrics:
    """Samples by name and labels."""

    def __init__(self, text):
        self.samples = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                key = (name, frozenset(LABEL.findall(labels or "")))
                assert key not in self.samples, line
                self.samples[key] = float(value)

    def get(self, name, **labels):
        """The one sample with exactly these labels."""
        return self.samples[name, frozenset(labels.items())]

    def of(self, name, **labels):
        """Those that have these labels among others: values by the other labels' values."""
        wanted = set(labels.items())
        return {tuple(value for label, value in sorted(found - wanted)): sample
                for (key, found), sample in self.samples.items() if key == name and wanted <= found}


class Process:
    """Pretends to be a process of DPDK at the other end of its telemetry socket: answers is called
    with each command, and returns the answer, or None to say nothing; "" closes the connection."""

    def __init__(self, test, prefix, answers, greeting=b'{"version":"DPDK","pid":7,"max_output_len":16384}'):
        path = eal.telemetry_socket(test.folder, prefix)
        path.parent.mkdir(parents=True)
        self.answers, self.greeting = answers, greeting
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        self.listener.listen(16)
        self.n_commands = 0
        test.addCleanup(self.close)
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was closed by its test
        self.listener.close()

    def serve(self):
        try:
            while True:
                threading.Thread(target=self.serve_one, args=self.listener.accept()[:1], daemon=True).start()
        except OSError:
            pass  # closed

    def serve_one(self, connection):
        with connection:
            try:
                connection.send(self.greeting)
                while command := connection.recv(4096):
                    self.n_commands += 1
                    answer = self.answers(command.decode())
                    if answer == b"":
                        return
                    if answer is not None:
                        connection.send(answer)
            except OSError:
                pass  # the other end is gone


def cpu_seconds(pid):
    """That a process has used so far, its ended threads included."""
    return time.clock_gettime((~pid << 3) | 2)
