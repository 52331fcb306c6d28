#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who can reach ddp-exporter's address can neither end it, nor fill its memory, nor keep others from the metrics for
long, nor make an application lose packets.

    exporter_hostile_test.py path/to/ddpctl path/to/ddp-traffic path/to/ddp-fwd path/to/ddp-exporter"""

import json
import random
import resource
import select
import shutil
import signal
import socket
import time

from support import exporter, fwd, harness
from support.exporter import Machine

REQUESTS = 10000
CONNECTIONS = 1000
CONNECTION_SECONDS = 10  # ddp-exporter's limit
MEMORY_KB = 50000
SEED = 25
SECONDS = 30
GOOD = (b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9477\r\nUser-Agent: Prometheus/2.42.0\r\n"
        b"Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\nAccept-Encoding: gzip\r\n\r\n")


def setUpModule():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS + 200
    if soft < wanted and hard != resource.RLIM_INFINITY and hard < wanted:
        harness.skip(f"{hard} open files are too few")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def bad_request(draw):
    """Bytes that are no proper request, or hardly one."""
    kind = draw.randrange(8)
    if kind == 0:
        return draw.randbytes(draw.randrange(1, 3000))
    if kind == 1:
        return GOOD[:draw.randrange(len(GOOD))]
    if kind == 2:
        changed = bytearray(GOOD)
        for _ in range(draw.randrange(1, 10)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        return bytes(changed)
    if kind == 3:
        return b"GET /" + b"a" * draw.randrange(20000) + b" HTTP/1.1\r\n\r\n"
    if kind == 4:
        return (b"GET /metrics HTTP/1.1\r\nHost: x\r\n" +
                b"".join(b"X-%d: %s\r\n" % (i, b"y" * draw.randrange(200)) for i in range(draw.randrange(100))) +
                b"\r\n")
    if kind == 5:
        return (draw.choice([b"POST", b"PUT", b"DELETE", b"OPTIONS", b"CONNECT", b"BREW", b""]) +
                b" /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                draw.choice([b"0", b"10", b"-1", b"99999999999999999999", b"x"]) + b"\r\n\r\n" + b"z" * 20)
    if kind == 6:
        return (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                draw.choice([b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\nx", b"-5\r\n", b"z\r\n", b""]))
    return draw.choice([b"GET ", b"GET  ", b"get "]) + draw.choice(
        [b"/metrics", b"/../etc/passwd", b"//", b"/%00", b"*", b"http://x/metrics", b"/metrics?a=b&" + b"c" * 900]
    ) + draw.choice([b" HTTP/1.1", b" HTTP/1.0", b" HTTP/9.9", b""]) + b"\r\n" * draw.randrange(1, 4)


class Hostile(fwd.TestCase):
    def setUp(self):
        shutil.rmtree(self.folder / "dpdk", ignore_errors=True)

    def connect(self, server, **options):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
        self.addCleanup(connection.close)
        for name, value in options.items():
            connection.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        return connection

    def assert_well(self, server, n_queues):
        """It answers, in full and in time, and is small."""
        start = time.monotonic()
        metrics = server.metrics()
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(len(metrics.of("net_ddp_rx_packets_total")), n_queues)
        self.assertLess(server.status("VmHWM"), MEMORY_KB)

    def flood(self, server, n_requests, seconds):
        """So many requests at least, for so long at least. Returns their number."""
        draw = random.Random(SEED)
        end, n = time.monotonic() + seconds, 0
        while n < n_requests or time.monotonic() < end:
            n += 1
            with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as connection:
                try:
                    connection.sendall(bad_request(draw))
                    if draw.randrange(4) == 0:
                        connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # it need not read all
        return n

    def test_random_and_cut_requests_while_packets_are_forwarded(self):
        """And a port goes on, and loses nothing."""
        self.prefix = "ddp-fwd"
        report = self.folder / "report.json"
        process = self.start_fwd(
            ["net_ddp0,dev(net_null0),profile=gtpu,overflow=wait"],
            "--rxq", 4, "--fwd", "rxonly", "--idle-exit", 0, "--json", report)
        exporter.Process(self, "upf", Machine(2, 4))
        server = exporter.Exporter(self)
        start = time.monotonic()
        n_requests = self.flood(server, REQUESTS, 5)
        seconds = time.monotonic() - start
        self.assert_well(server, 12)
        self.assertEqual(server.end(), "")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
        told = json.loads(report.read_text())
        self.assertGreater(told["packets"], 50000)
        self.assertEqual(told["drops"], 0, told["drop_reasons"])
        print(f"{n_requests} requests in {seconds:.1f} s, {told['packets']} packets, none missed")

    def test_1000_connections_that_say_nothing(self):
        exporter.Process(self, "upf", Machine(64, 256))
        server = exporter.Exporter(self, "--timeout", 5)
        idle = [self.connect(server) for _ in range(CONNECTIONS)]
        for connection in idle[::2]:
            connection.sendall(GOOD[:40])
        self.assert_well(server, 64 * 256)
        print(f"{CONNECTIONS} connections: {server.status('VmHWM') / 1e3:.1f} MB")
        # More than there is room for: they have to go before others are served.
        idle += [self.connect(server) for _ in range(200)]
        start = time.monotonic()
        server.text()
        self.assertLess(time.monotonic() - start, CONNECTION_SECONDS + 5)
        for connection in idle[:CONNECTIONS]:
            self.assertEqual(connection.recv(1000), b"")
        self.assert_well(server, 64 * 256)
        self.assertEqual(server.end(), "")

    def test_1000_clients_at_once_are_few_scrapes(self):
        machine = exporter.Process(self, "upf", Machine(1, 4))
        server = exporter.Exporter(self)
        server.text()
        once = machine.n_commands
        start = time.monotonic()
        clients = [self.connect(server) for _ in range(CONNECTIONS)]
        for client in clients:
            client.sendall(GOOD)
        for client in clients:
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 200 "))
        seconds = time.monotonic() - start
        self.assertLess(machine.n_commands, (3 + 10 * seconds) * once)
        self.assertLess(server.status("VmHWM"), MEMORY_KB)

    def test_slow_clients_are_ended(self):
        """Heads that come byte by byte, and answers that are read byte by byte, while Prometheus asks."""
        exporter.Process(self, "upf", Machine(64, 256))
        server = exporter.Exporter(self, "--timeout", 5)
        server.text()
        time.sleep(1)
        n_files = server.n_files()
        writers = [self.connect(server) for _ in range(50)]
        readers = []
        for _ in range(50):
            readers.append(self.connect(server, SO_RCVBUF=4096))
            readers[-1].sendall(GOOD)
            time.sleep(0.03)  # so that they do not read the same answer
        start, statuses = time.monotonic(), set()
        for i in range(2 * (CONNECTION_SECONDS + 2)):
            for writer in writers:
                try:
                    writer.sendall(GOOD[i:i + 1])
                except OSError:
                    pass  # it was ended
            for reader in readers:
                if select.select([reader], [], [], 0)[0]:
                    reader.recv(1)
            if i % 5 == 0:
                statuses.add(server.answer_status())
            time.sleep(0.5)
        self.assertLess(time.monotonic() - start, CONNECTION_SECONDS + 10)
        self.assertLessEqual(statuses, {200, 503})
        self.assertLessEqual(server.n_files(), n_files)
        self.assert_well(server, 64 * 256)
        print(f"slow clients: {server.status('VmHWM') / 1e3:.1f} MB, answers {sorted(statuses)}")
        self.assertEqual(server.end(), "")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd", "ddp-exporter")
