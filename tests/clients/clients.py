#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Common applications on DPDK ports, each on a net_ddp port and on a plain device: does it
start, process every packet, spread them, and end as it should? Prints a table.

    clients.py [--short] [--list] [--row TEXT]... ddpctl ddp-traffic librte_net_ddp.so

Exit status: 0 if each application that works on a plain device also works on net_ddp, else 1;
77 if no row could run."""

import argparse
import collections
import os
import pathlib
import re
import signal
import sys
import tempfile
import time
import unittest

import examples
import lab as laboratory
import openvswitch
import suricata
from lab import Captures, Red, Skip, harness
from support import eal

Row = collections.namedtuple("Row", "name run package short", defaults=(False,))

ROWS = [
    Row("Open vSwitch", openvswitch.open_vswitch, "openvswitch-switch-dpdk", True),
    Row("Open vSwitch, n_rxq at run time", openvswitch.open_vswitch_queues,
        "openvswitch-switch-dpdk", True),
    Row("Open vSwitch, hw-offload", openvswitch.open_vswitch_offload, "openvswitch-switch-dpdk", True),
    Row("Suricata, 2 threads", suricata.suricata, "suricata"),
    Row("Suricata, 2 threads, Rx interrupts", suricata.suricata_interrupts, "suricata"),
    Row("Suricata, 2 threads, decap=on", suricata.suricata_decap, "suricata"),
    Row("l3fwd", lambda lab: examples.l3fwd(lab, "tap"), "dpdk-doc", True),
    Row("l3fwd, of a capture", lambda lab: examples.l3fwd(lab, "pcap"), "dpdk-doc"),
    Row("l3fwd-power, Rx interrupts", examples.l3fwd_power, "dpdk-doc", True),
    Row("l2fwd", lambda lab: examples.forward(lab, "l2fwd", "-p", "0x3", "-T", "1", "--no-mac-updating"),
        "dpdk-doc", True),
    # Packets go through a software event device and Rx adapter, on a service lcore.
    Row("l2fwd-event, eventdev", lambda lab: examples.forward(
        lab, "l2fwd-event", "-p", "0x3", "-T", "1", "--mode=eventdev", "--eventq-sched=atomic",
        capture=("--packets", 1000), n_lcores=4, eal_options=("--vdev", "event_sw0", "-S", "3")), "dpdk-doc"),
    # It ends by a signal only: for it that end is a clean one.
    Row("skeleton", lambda lab: examples.forward(lab, "skeleton", n_lcores=1, expected=-signal.SIGINT), "dpdk-doc"),
    Row("ip_reassembly", examples.ip_reassembly, "dpdk-doc", True),
    Row("ip_fragmentation", examples.ip_fragmentation, "dpdk-doc"),
    Row("flow_filtering", examples.flow_filtering, "dpdk-doc", True),
    Row("dpdk-test-flow-perf", examples.flow_perf, "dpdk-dev"),
]

Outcome = collections.namedtuple("Outcome", "state text")
Result = collections.namedtuple("Result", "row ours plain seconds")
NOT_RUN = Outcome("-", "")


def run_once(row, over):
    with laboratory.lab(over) as one:
        try:
            row.run(one)
        except Skip as why:
            return Outcome("skipped", str(why))
        except (Red, AssertionError, OSError, ValueError) as why:
            return Outcome("red", " ".join(str(why).split()) or type(why).__name__)
    return Outcome("green", ", ".join(one.notes))


def run_row(row, always_plain):
    """net_ddp first; the plain device shows which of the two causes a failure."""
    start = time.monotonic()
    ours, plain = run_once(row, "net_ddp"), NOT_RUN
    if ours.state == "red" or always_plain and ours.state == "green":
        plain = run_once(row, "plain")
    return Result(row, ours, plain, time.monotonic() - start)


def what(result):
    """The table's last column: what was seen on net_ddp, and what a plain device says against it."""
    ours, plain = result.ours, result.plain
    if plain.state != "red":
        return ours.text
    if ours.state != "red":
        return f"{ours.text} (plain: {plain.text})"
    if ours.text == plain.text:
        return f"both: {ours.text}"
    return f"{ours.text} (plain too: {plain.text})"


def version(row):
    """Upstream's part of the version of its package."""
    result = harness.run("dpkg-query", "--show", "--showformat", "${Version}", row.package)
    return re.sub(r"^\d+:|-[^-]*$", "", result.stdout) if result.returncode == 0 else "-"


def print_table(results):
    table = [("APPLICATION", "VERSION", "NET_DDP", "PLAIN", "SECONDS", "WHAT")]
    table += [(result.row.name, version(result.row), result.ours.state, result.plain.state,
               f"{result.seconds:7.1f}", what(result)) for result in results]
    widths = [max(map(len, column)) for column in zip(*table)]
    print()
    for cells in table:
        print("  ".join(map(str.ljust, cells, widths)).rstrip())
    counts = collections.Counter(result.ours.state for result in results)
    print(f"{counts['green']} green, {counts['red']} red, "
          f"{sum(map(red_on_both, results))} of them on any device, {counts['skipped']} skipped")
    for result in results:
        if result.ours.state == "skipped":
            # scripts/results looks for it
            print(f"skipped: {result.row.name}: {result.ours.text}")


def red_on_both(result):
    return result.ours.state == result.plain.state == "red"


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--short", action="store_true",
                        help="the rows of scripts/test; the plain device only after a red one")
    parser.add_argument("--row", action="append", default=[], metavar="TEXT",
                        help="only rows with TEXT in their name; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("tools", nargs="*", metavar="FILE", help="ddpctl, ddp-traffic, net_ddp")
    arguments = parser.parse_args()
    if not arguments.list and len(arguments.tools) != 3:
        parser.error("three files are needed: ddpctl, ddp-traffic, librte_net_ddp.so")
    return arguments


def chosen(arguments):
    return [row for row in ROWS if (row.short or not arguments.short) and
            (not arguments.row or any(text.lower() in row.name.lower() for text in arguments.row))]


def run_rows(rows, arguments, folder):
    harness.tools.update(zip(("ddpctl", "ddp-traffic", "net_ddp"),
                             map(os.path.abspath, arguments.tools)))
    harness.tools["net_ddp"] = eal.loadable(harness.tools["net_ddp"])
    examples.build_folder = folder
    Captures.folder, results = folder, []
    for row in rows:
        results.append(run_row(row, not arguments.short))
        print(f"{row.name}: {results[-1].ours.state}: {what(results[-1])}", flush=True)
    return results


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored under nohup, also by what is started
    arguments = options()
    rows = chosen(arguments)
    if not rows:
        sys.exit("clients: no row has that in its name: --list prints them")
    if arguments.list:
        print(*(f"{row.name}{' (short)' if row.short else ''}" for row in rows), sep="\n")
        return 0
    why_not = laboratory.isolate()
    if why_not is not None:
        harness.skip(why_not)
    try:
        with tempfile.TemporaryDirectory(prefix="ddp-clients-") as folder:
            results = run_rows(rows, arguments, pathlib.Path(folder))
    finally:
        unittest.doModuleCleanups()
    print_table(results)
    if all(result.ours.state == "skipped" for result in results):
        return harness.SKIPPED
    return int(any(result.ours.state == "red" and not red_on_both(result) for result in results))


if __name__ == "__main__":
    sys.exit(main())
