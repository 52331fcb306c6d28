#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The counters of all net_ddp ports of a machine for Prometheus: see ddp-exporter(1)."""

import argparse
import contextlib
import json
import os
import signal
import socket
import socketserver
import struct
import sys
import threading
import time

from prometheus_client import Metric, MetricsHandler, generate_latest

VERSION = "VERSION_OF_MESON"
SOCKETS_MAX, SECONDS = 256, 2  # s: timeout of all answers of a process
ENDS = {signal.SIGINT, signal.SIGTERM}
UNITS = {"ms": 1e-3, "permille": 1e-3, "us": 1e-6, "ns": 1e-9}  # by suffixes of keys

# Type, label or list of labels, names without prefix and suffix. The key in the answer follows = if it differs.
METRICS = """\
info - ddp_exporter_build net_ddp_port
gauge - ddp_exporter_scrape_duration_seconds ddp_exporter_sockets_left_out ddp_exporter_processes ddp_process_up
gauge - ddp_process_scrape_duration_seconds ddp_fwd_latency_max_seconds net_ddp_rx_imbalance_ratio net_ddp_rx_jain_ratio
histogram - ddp_fwd_latency_seconds
gauge port _running _offload_on _offload_idle _offload_ptypes=n_offload_ptypes _offload_bypass _offload_rules _flow_rules
gauge port _rx_ring_packets=rx_in_rings _tx_ring_packets=tx_in_rings _cache_paths=rx_path_cache_entries
gauge port _balance_interval_seconds=balance_interval_ms _balance_before_ratio=balance_before_permille
gauge port _balance_after_ratio=balance_after_permille _order_longest_parking_seconds=order_longest_parking_us
gauge offload_ptypes _offload_proven
counter queue _rx_packets _rx_bytes _rx_missed_packets=rx_missed _tx_packets _tx_bytes
counter ptypes _ptype_packets
counter offload_ptypes _offload_checked_packets=offload_checked _offload_refuted_packets=offload_wrong
counter lower _lower_packets=rx_lower_packets
counter port _lower_missed_packets=lower_rx_missed_errors _lower_error_packets=lower_rx_errors
counter port _lower_no_mbuf_packets=lower_rx_mbuf_allocation_errors _rule_dropped_packets=rx_dropped_by_rule
counter port _rx_stop_dropped_packets=rx_dropped_at_stop _tx_stop_dropped_packets=tx_dropped_at_stop
counter port _decapped_packets=rx_decapped_packets _not_decapped_packets=rx_not_decapped_packets
counter port _cache_hits=rx_path_cache_hits _cache_misses=rx_path_cache_misses _balance_rounds _balance_moves
counter port _cache_learned_paths=rx_path_cache_learned _profile_changes _offloaded_packets=rx_offloaded
counter port _order_parked_packets=order_parked _order_given_up=balance_given_up
counter worker _packets _bytes _sent_packets=sent _consumed_packets=consumed _tx_full_packets=tx_full _busy_seconds=busy_ns
"""
FAMILIES = [(kind, of, {"-": "", "worker": "ddp_fwd_worker"}.get(of, "net_ddp") + name.split("=")[0] +
             {"counter": "_total", "info": "_info"}.get(kind, ""), name.rpartition("=")[2].removeprefix("_"))
            for kind, of, *names in map(str.split, METRICS.splitlines()) for name in names]


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in str(text)[:128])


def say(text):
    print(f"ddp-exporter: {text}", file=sys.stderr, flush=True)


def number(value, key=""):
    if type(value) is not int or not 0 <= value < 1 << 64:
        raise ValueError(f"{printable(value)} is no count")
    return value * UNITS.get(key.rpartition("_")[2], 1)


class Process(threading.Thread):
    """Read the process of a telemetry socket. Its answers are in values, by name, suffix and labels."""

    def __init__(self, name, path):
        super().__init__(daemon=True)
        self.label, self.path, self.begin = ("process", name), path, time.monotonic()
        self.values, self.error, self.has_net_ddp = {}, "", True
        self.start()

    def run(self):
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as self.socket, self.spared("telemetry"):
                self.wait()
                self.socket.connect(self.path)
                self.socket.recv(1 << 16)  # the PID
                self.read()
        except OSError as reason:
            self.error = "no answer in time" if isinstance(reason, BlockingIOError) else str(reason.strerror or reason)
        self.add("ddp_process_up", int(not self.error))
        self.add("ddp_process_scrape_duration_seconds", time.monotonic() - self.begin)

    @contextlib.contextmanager
    def spared(self, what):
        """Skip a refused or invalid part and read the rest of the process; only a timeout ends it."""
        try:
            yield
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as reason:
            self.error = self.error or printable(f"{what}: {reason}")

    def wait(self):
        left = int(1e6 * (self.begin + SECONDS - time.monotonic()))
        if left <= 0:
            raise BlockingIOError
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.socket.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", *divmod(left, 10**6)))

    def request(self, *words):
        self.wait()
        self.socket.send(",".join(map(str, words)).encode())
        answer = json.loads(self.socket.recv(1 << 20))[words[0]]
        if isinstance(answer, dict) and "error" in answer:
            raise ValueError("".join(answer[key] for key in answer if key.startswith("error")))
        return answer

    def pages(self, *words):
        """All pages as one answer; a refused page is the end."""
        whole = page = self.request(*words, 0)
        while start := page.get("next"):
            page = {}
            with self.spared(f"{words} from {start}"):
                page = self.request(*words, start)
            if page.get("count", whole["count"]) != whole["count"]:
                return self.pages(*words)  # the profiles were changed
            for key, value in page.items():
                if isinstance(value, (dict, list)):
                    old = whole.get(key, type(value)())
                    whole[key] = {**old, **value} if isinstance(value, dict) else old + value
        return whole

    def add(self, name, value, suffix="", **labels):
        """Sum values of equal names; of _proven values keep the smallest."""
        key = (name, suffix, (self.label, *labels.items()))
        both = [value, *([self.values[key]] if key in self.values else [])]
        self.values[key] = min(both) if name.endswith("_proven") else sum(both)

    def read(self):
        ports = self.request("/net_ddp/list")
        self.has_net_ddp = ports is not None
        for port in ports or []:
            with self.spared(f"port {port}"):
                self.read_port(self.pages("/net_ddp/metrics", port))
        with contextlib.suppress(ValueError):  # refused before and after forwarding
            if latency := self.request("/ddp_fwd/latency"):
                with self.spared("ddp-fwd"):
                    self.read_fwd(latency)

    def read_port(self, answer):
        text = {key: printable(value) for key, value in answer.items() if isinstance(value, str)}
        lower, labels = text["lower_device"], {"port": text["name"]}
        self.add("net_ddp_port_info", 1, version=text["version"], lower=lower, isa=text["isa"], nic=text["offload"],
                 offload_state=text["offload_state"], profiles="+".join(map(printable, answer["profiles"])), **labels)
        numbers = {**answer, **answer["counters"], "n_offload_ptypes": len(set(answer.get("offload_ptypes", []))),
                   "running": int(text["state"] == "running"), "offload_on": int(text["offload_state"] in ("on", "idle")),
                   "offload_idle": int(text["offload_state"] == "idle")}
        for _, of, name, key in FAMILIES:
            with self.spared(f"{text['name']}: {key}"):
                if of in ("port", "lower") and key in numbers:
                    self.add(name, number(numbers[key], key), **labels, **({"lower": lower} if of == "lower" else {}))
                elif of in ("queue", "ptypes", "offload_ptypes"):
                    column = [number(value) for value in answer.get(key, [])]
                    for item, value in list(zip(answer.get(of, range(len(column))), column, strict=True)):
                        self.add(name, value, **labels, **{"queue" if of == "queue" else "ptype": printable(item)})
        loads = list(map(sum, zip(answer.get("rx_packets", []), answer.get("rx_missed", []))))
        total, squares = sum(loads), sum(load * load for load in loads)
        self.add("net_ddp_rx_imbalance_ratio", max(loads) * len(loads) / total if total else 0, **labels)
        self.add("net_ddp_rx_jain_ratio", total * total / len(loads) / squares if total else 0, **labels)

    def read_fwd(self, latency):
        counts = [*latency["packets_le"], latency["count"]]
        for bound, n in list(zip([*(f"{bound / 1e9:g}" for bound in latency["le_ns"]), "+Inf"], counts, strict=True)):
            self.add("ddp_fwd_latency_seconds", number(n), "_bucket", le=bound)
        self.add("ddp_fwd_latency_seconds", number(latency["sum_ns"], "ns"), "_sum")
        self.add("ddp_fwd_latency_seconds", number(latency["count"]), "_count")
        self.add("ddp_fwd_latency_max_seconds", number(latency["max_ns"], "ns"))
        for worker, numbers in self.pages("/ddp_fwd/workers")["workers"].items():
            for name, key in ((name, key) for _, of, name, key in FAMILIES if of == "worker"):
                self.add(name, number(numbers[key], key), worker=printable(worker))


class Exporter:
    """A registry of prometheus_client: each collection reads all processes."""

    options, lock, said = None, threading.Lock(), {}

    def collect(self):
        with self.lock:
            begin, troubles, sockets, top = time.monotonic(), {}, {}, self.options.run_dir
            for folder, _, files in os.walk(top, onerror=lambda e: isinstance(e, FileNotFoundError) or
                                            troubles.update({e.filename: e.strerror})):
                prefix = os.path.relpath(folder, top)
                for file in files if self.options.file_prefix in (None, prefix) else []:
                    if file.startswith("dpdk_telemetry.v2"):  # or :1 and so on for further processes of the prefix
                        sockets[printable(prefix + file[len("dpdk_telemetry.v2"):])] = f"{folder}/{file}"
            processes = [Process(*found) for found in sorted(sockets.items())[:SOCKETS_MAX]]
            for process in processes:
                process.join()
            processes = [process for process in processes if process.has_net_ddp]
            errors = {process.path: process.error for process in processes if process.error}
            troubles.update(errors if processes else {"no process with net_ddp": top})
            for where in troubles.keys() - self.said.keys():  # once when the error begins
                say(f"{printable(where)}: {troubles[where]}")
            self.said = troubles
        own = {("ddp_exporter_build_info", "", (("version", VERSION),)): 1,
               ("ddp_exporter_processes", "", ()): len(processes),
               ("ddp_exporter_sockets_left_out", "", ()): max(len(sockets) - SOCKETS_MAX, 0),
               ("ddp_exporter_scrape_duration_seconds", "", ()): time.monotonic() - begin}
        metrics = {name: Metric(name.removesuffix("_total").removesuffix("_info"), "see ddp-operations(7)", kind)
                   for kind, _, name, _ in FAMILIES}
        for values in (own, *(process.values for process in processes)):
            for (name, suffix, labels), value in values.items():
                metrics[name].add_sample(name + suffix, dict(labels), value)
        return metrics.values()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    handle_error = lambda *_: isinstance(sys.exc_info()[1], OSError) or say(repr(sys.exc_info()[1]))  # an OSError is the client's


def main():
    run = os.getenv("RUNTIME_DIRECTORY") or ("/var/run" if os.getuid() == 0 else os.getenv("XDG_RUNTIME_DIR", "/tmp"))
    parser = argparse.ArgumentParser("ddp-exporter", allow_abbrev=False, description="Serve metrics of net_ddp ports.")
    parser.error = lambda text: (say(text), sys.exit(2))
    parser.add_argument("--file-prefix", metavar="NAME", help="only processes with this EAL --file-prefix")
    parser.add_argument("--listen", metavar="ADDRESS:PORT", default="127.0.0.1:9477", help="serve HTTP (%(default)s)")
    parser.add_argument("--once", action="store_true", help="write all metrics to standard output and end")
    parser.add_argument("--run-dir", metavar="DIR", default=run + "/dpdk", help="folder of file prefixes (%(default)s)")
    parser.add_argument("--version", action="version", version=f"ddp-exporter {VERSION}", help="show the version")
    Exporter.options = options = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        if options.once:
            with open(1, "wb", closefd=False) as out:
                out.write(generate_latest(Exporter()))
            return 0
        host, _, port = options.listen.rpartition(":")
        if not port.isdigit() or int(port) > 65535:
            parser.error(f"--listen: '{options.listen}' is not an address and a port")
        Server.address_family, _, _, _, address = socket.getaddrinfo(
            host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICHOST)[0]
        MetricsHandler.timeout = 10  # seconds, for a client to read or write
        server = Server(address, MetricsHandler.factory(Exporter()))
    except OSError as error:
        say(f"{'standard output' if options.once else options.listen}: {error.strerror}")
        return 3 if options.once else 2 if isinstance(error, socket.gaierror) else 1
    host, port = server.server_address[:2]
    say(f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait(ENDS)
    os._exit(0)  # without waiting for processes and clients


sys.exit(main())
