# SPDX-License-Identifier: BSD-3-Clause
"""ddp-exporter as a server, what it serves, and processes of DPDK for it."""

import json
import re
import signal
import socket
import threading
import urllib.request

from support import eal, harness

SECONDS = 30
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Exporter:
    """A server on a free port, which ends with its test at the latest."""

    def __init__(self, test, *options, host="127.0.0.1"):
        self.process = harness.start(test, harness.tools["ddp-exporter"], "--listen", f"{host}:0", *options,
                                     env=eal.environment(test.folder), bufsize=1)
        line = self.process.stderr.readline()
        found = re.fullmatch(rf"ddp-exporter: (http://{re.escape(host)}:(\d+)/metrics)\n", line)
        assert found, line
        self.url, self.port = found[1], int(found[2])

    def text(self, accept="text/plain"):
        request = urllib.request.Request(self.url, headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read().decode()

    def metrics(self):
        return Metrics(self.text())

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

    def of(self, name, **labels):
        """Samples with these labels among others: values by the other labels' values."""
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
                    answer = self.answers(command.decode())
                    if answer == b"":
                        return
                    if answer is not None:
                        connection.send(answer)
            except OSError:
                pass  # the other end is gone


def answer(command, value):
    return json.dumps({command: value}, separators=(",", ":")).encode()


class Machine:
    """Answers as a process with so many ports and queues does; port and queue are in each number."""

    PAGE = 100
    PTYPES = 30

    def __init__(self, n_ports, n_queues, **lists):
        self.n_ports, self.n_queues, self.lists = n_ports, n_queues, lists

    def page(self, port, start):
        n = self.n_queues
        columns = {"rx_packets": [port * 1000 + q for q in range(n)], "rx_bytes": [q for q in range(n)],
                   "rx_missed": [0] * n, "ptypes": [f"TYPE_{i}" for i in range(self.PTYPES)],
                   "ptype_packets": [port + i for i in range(self.PTYPES)], **self.lists}
        count = n + len(columns["ptypes"])
        page = {"count": count, "start": start}
        if start == 0:
            page.update({"name": f"net_ddp{port}", "version": "1", "state": "running", "isa": "",
                         "lower_device": "lower", "offload": "", "offload_state": "off", "profiles": ["gtpu"],
                         "counters": {"rx_lower_packets": port}})
        if start + self.PAGE < count:
            page["next"] = start + self.PAGE
        for key, values in columns.items():
            begin = n if key.startswith("ptype") else 0
            page[key] = values[max(start - begin, 0):max(start + self.PAGE - begin, 0)]
        return page

    def __call__(self, command):
        path, _, parameters = command.partition(",")
        if path == "/net_ddp/list":
            return answer(path, list(range(self.n_ports)))
        if path == "/net_ddp/metrics":
            return answer(path, self.page(*map(int, parameters.split(","))))
        return answer(path, None)
