#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two workers with work on each packet, in real time: Zipf-sized flows at several loads, with a fixed
redirection table and with load-aware RSS, the same packets at the same times. What is lost, and how
old packets get from their arrival to their end.

With --parking: one worker without work polls 16 queues, and load-aware RSS decides every millisecond.
How long packets wait whose entry of the redirection table moves.

The load is in percent of what the workers can do: that is measured first, with flows of one size
at a rate that is too high."""

import argparse
import json
import os
import pathlib
import stat
import statistics
import subprocess
import sys
import tempfile

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[3]
FLOWS = 32000
ZIPF = 1.1
CHURN = 2  # percent of the flows that are replaced in 100 ms
INTERVAL_MS = 100
STALL_US = 50  # a worker that is silent for longer is off its CPU: a burst takes a quarter of it
SKIPPED = 77  # as meson has it
IDLE_MS = 1000  # a run ends when no packet has come for so long
BUSY = 0.1  # part of the time that the clock may be stopped before the reader is told

WORK_MIN_NS = 60  # the capacity is measured at a rate for so much work at least
PARKING_QUEUES = 16
PARKING_LOADS = (50, 80, 95, 130)

# What is compared: (name, over net_ddp?, balanced?).
KINDS = (
    ("net_ddp, static", True, False),
    ("net_ddp, balanced", True, True),
    ("NIC's table, static", False, False),
    ("NIC's table, balanced", False, True),
)


def fail(message):
    sys.exit(f"workers: {message}")


def is_loadable(module):
    """EAL loads no device that others might have put there."""
    path = pathlib.Path(module).resolve()
    return not any(folder.stat().st_mode & stat.S_IWOTH for folder in (path, *path.parents))


def lcores(workers):
    """The main lcore, which sleeps most of the time, and workers with a CPU each."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("workers: two CPUs are needed")
        sys.exit(SKIPPED)
    main = cpus[workers] if len(cpus) > workers else cpus[0]
    return ",".join([f"0@{main}", *(f"{i + 1}@{cpus[i]}" for i in range(workers))])


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.seconds, self.warm_up = (0.1, 0.1) if options.check else (1, 1) if options.quick else (2, 1)
        self.stall_us = 0 if options.check else STALL_US
        self.lower_queues, self.queues, self.workers = (1, PARKING_QUEUES, 1) if options.parking else (2, 2, 2)
        self.work = 0 if options.parking else options.work
        self.interval_ms = 1 if options.parking else INTERVAL_MS

    def run(self, over_ddp, balanced, rate, zipf, seed=1):
        """What net_paced and ddp-fwd say of a run."""
        paced, report = self.folder / "paced.json", self.folder / "report.json"
        packets = int(rate * (self.seconds + self.warm_up))
        lower = (f"net_paced0,queues={self.lower_queues},rate={rate:.0f},zipf={zipf},flows={FLOWS},churn={CHURN},"
                 f"seed={seed},packets={packets},"
                 f"warmup={self.warm_up * 1000:.0f},stall={self.stall_us},report={paced}")
        words = [self.options.ddp_fwd, "--no-huge", "-m", "512", "--no-pci", "--no-shconf",
                 "--no-telemetry", "--log-level", "lib.eal:4", "--lcores", lcores(self.workers),
                 "-d", self.options.module, "--vdev",
                 f"net_ddp0,dev({lower}),profile=gtpu"
                 f"{f',balance={self.interval_ms}' if balanced else ''}" if over_ddp else lower,
                 "--", "--rxq", str(self.queues), "--work", str(self.work), "--idle-exit", str(IDLE_MS),
                 "--json", str(report)]
        if balanced and not over_ddp:
            words.append(f"--balance={self.interval_ms}")
        result = subprocess.run(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", check=False,
            env={**os.environ, "RUNTIME_DIRECTORY": str(self.folder),
                 "DDP_PROFILE_PATH": str(SOURCE_ROOT / "profiles")})
        if result.returncode != 0:
            fail(f"{' '.join(words)}\n{result.stderr}")
        paced, report = json.loads(paced.read_text()), json.loads(report.read_text())
        if paced["arrived"] < packets:
            fail(f"the machine is too busy: a worker was off its CPU for more than {IDLE_MS} ms")
        return paced, report

    def capacity(self, over_ddp):
        """Packets a second that evenly loaded workers can do."""
        paced, _ = self.run(over_ddp, False, 2.5e9 / max(self.work, WORK_MIN_NS), zipf=0)
        return paced["measured_sent"] / paced["measured_seconds"]

    def measure(self, kind, capacity, load, seed):
        name, over_ddp, balanced = kind
        paced, report = self.run(over_ddp, balanced, capacity * load / 100, self.options.zipf, seed)
        balance = report["balance"][0] if report["balance"] else {}
        return {
            "kind": name,
            "load": load,
            "seed": seed,
            "drops": 1 - paced["measured_sent"] / paced["measured"],
            **{f"{name}_us": paced["latency_ns"][name] / 1000
               for name in ("p50", "p95", "p99", "p999", "max")},
            "overtaken": paced["overtaken"],
            "rounds": balance.get("rounds", 0),
            "moves": balance.get("moves", 0),
            "imbalance": report["imbalance"],
            "stopped": paced["stopped_seconds"] / (paced["stopped_seconds"] + paced["seconds"]),
        }


def heading(capacities, work):
    for name, capacity in capacities.items():
        print(f"{name}: two workers do {capacity / 1e6:.3f} Mpps with {work} ns of work a packet")
    print(f"\n{'load':>5} {'':22} {'drops':>9} {'p50 us':>9} {'p95 us':>9} {'p99 us':>9} "
          f"{'p99.9 us':>9} {'p99, worst':>10} {'overtaken':>9} {'moves':>6} {'imbalance':>9}", flush=True)


def row_print(rows):
    """Of all seeds: the median of percentiles and the worst one, the mean of the rest, and the sum of
    packets that were overtaken."""
    def of_all(calculate, name):
        return calculate(row[name] for row in rows)

    def median(name):
        return of_all(statistics.median, name)

    print(f"{rows[0]['load']:>4}% {rows[0]['kind']:22} {100 * of_all(statistics.mean, 'drops'):>8.3f}% "
          f"{median('p50_us'):>9.1f} {median('p95_us'):>9.1f} {median('p99_us'):>9.1f} "
          f"{median('p999_us'):>9.1f} {of_all(max, 'p99_us'):>10.1f} {of_all(sum, 'overtaken'):>9} "
          f"{of_all(statistics.mean, 'moves'):>6.0f} "
          f"{of_all(statistics.mean, 'imbalance'):>9.3f}", flush=True)


def bench(options):
    with tempfile.TemporaryDirectory() as folder:
        one = Bench(options, folder)
        loads, seeds = (((80,), 1) if options.check else
                        ((80, 95), 1) if options.quick else ((70, 80, 90, 95), 3))
        capacities = {"net_ddp": one.capacity(True), "NIC's table": one.capacity(False)}
        rows = []
        heading(capacities, options.work)
        for load in loads:
            # Kinds take turns, so that a slow minute hits all of them.
            found = [[one.measure(kind, capacities[kind[0].split(",")[0]], load, seed)
                      for kind in KINDS] for seed in range(1, seeds + 1)]
            for of_kind in zip(*found):
                row_print(of_kind)
                rows += of_kind
    stopped = max(row["stopped"] for row in rows)
    if stopped > BUSY:
        print(f"\nThe machine was busy: in one run the clock was stopped for {100 * stopped:.0f} % of "
              f"the time, because a worker was off its CPU. Each stop adds up to {STALL_US} us to the "
              "age of some packets, and load-aware RSS takes that worker for slow: do not compare.")
    return {"work_ns": options.work, "zipf": options.zipf, "capacities": capacities, "rows": rows}


def parking(options):
    with tempfile.TemporaryDirectory() as folder:
        one = Bench(options, folder)
        seeds = 1 if options.check or options.quick else 3
        capacity = one.capacity(True)
        rows = []
        print(f"One worker polls {one.queues} queues: {capacity / 1e6:.1f} Mpps\n\n{'load':>5} {'moves':>6} "
              f"{'parked':>7} {'given up':>8} {'longest us':>10}  of each seed", flush=True)
        for load in (PARKING_LOADS[1:2] if options.check else PARKING_LOADS):
            of_load = []
            for seed in range(1, seeds + 1):
                _, report = one.run(True, True, capacity * load / 100, options.zipf, seed)
                of_load.append(report["balance"][0])
            longest = [balance["longest_parking_us"] for balance in of_load]
            print(f"{load:>4}% {sum(balance['moves'] for balance in of_load):>6} "
                  f"{sum(balance['parked_packets'] for balance in of_load):>7} "
                  f"{sum(balance['given_up'] for balance in of_load):>8} {max(longest):>10}  "
                  f"{' '.join(map(str, longest))}", flush=True)
            rows.append({"load": load, "longest_parking_us": longest})
    return {"zipf": options.zipf, "capacity": capacity, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ddp_fwd", help="the program")
    parser.add_argument("module", help="librte_net_paced.so")
    parser.add_argument("--quick", action="store_true", help="fewer loads and packets")
    parser.add_argument("--check", action="store_true", help="only see whether it runs")
    parser.add_argument("--work", type=int, default=300, help="nanoseconds a packet (300)")
    parser.add_argument("--zipf", type=float, default=ZIPF,
                        help=f"exponent of the sizes of flows ({ZIPF})")
    parser.add_argument("--parking", action="store_true", help="how long packets are parked")
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    # There are more threads that poll than CPUs: with real-time priority, one would wait for ever.
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    if not is_loadable(options.module):
        print(f"workers: EAL loads no {options.module}: a folder above it is open to all")
        sys.exit(SKIPPED if options.check else 1)
    report = parking(options) if options.parking else bench(options)
    if options.json:
        try:
            pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
        except OSError as error:
            fail(f"{options.json}: {error.strerror}")


if __name__ == "__main__":
    main()
