# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the programs in the packages dpdk and dpdk-dev: most are second processes that look at
the ports of a first one, here testpmd."""

import functools
import os
import re
import signal
import time

import lab as laboratory
from lab import PREFIX, QUEUES, App, check, frames_of, harness, need

TESTPMD = "dpdk-testpmd"
N_FRAMES = 1000  # to be captured
RULES = 4000


def testpmd(lab, *arguments):
    """A first process, whose ports can be captured from."""
    return lab.start(need(TESTPMD, "dpdk-dev"), *arguments, "--auto-start", "--no-flush-rx",
                     "--stats-period=1", "--total-num-mbufs=20000", hugepages=True,
                     eal_options=("--proc-type=primary",))


@functools.cache
def mempool_drivers():
    """In the order in which testpmd registers them, the last one first.

    Mempools know their driver by its number. Debian's other programs load the same drivers, but in
    another order, so that the first process cannot take buffers from a mempool of the second: it
    drops every packet that it should copy for dumpcap and pdump, on any port. A library that is
    preloaded is initialized before those that precede it in the list.
    """
    result = harness.run(TESTPMD, "--no-huge", "--no-pci", "-m", 64, "--no-shconf", "--", "--help",
                         env={**os.environ, "LD_DEBUG": "files"})
    names = re.findall(r"calling init: \S*/(librte_mempool_\w+\.so\.\d+)",
                       result.stderr + result.stdout)
    return list(dict.fromkeys(reversed(names)))


def preload(lab, *libraries):
    """The environment in which a second process has the driver before it has arguments: not each one takes -d."""
    return {"LD_PRELOAD": ":".join([str(harness.tools["net_ddp"])] * lab.ddp + list(libraries))}


def proc_info(lab):
    """It prints the counters that the first process has. 22.11's then crashes on any port, while it
    cleans up: its output is judged."""
    capture = lab.captures.n3()
    n = len(frames_of(capture))
    queues = QUEUES if lab.ddp else 1  # the devargs of several captures are too long for it
    lab.add(lab.pcap(capture, queues=queues))
    first = testpmd(lab, "--forward-mode=rxonly", f"--rxq={queues}", f"--txq={queues}")
    lab.expect(first, n)
    lab.expect_spread(first, capture)
    options = ("--file-prefix", PREFIX, "--no-pci", "--", "-p", "0x1")
    for option in ("--stats", "--xstats"):
        info = App(lab, ["stdbuf", "-oL", need("dpdk-proc-info", "dpdk"), *options, option], PREFIX, env=preload(lab))
        info.finish(expected=(0, -signal.SIGSEGV, 128 + signal.SIGSEGV))
        if option == "--stats":
            found = re.search(r"RX-packets: *(\d+)", info.output)
            check(found is not None, f"no counters: {laboratory.reason(info.output)}")
            check(int(found[1]) == n, f"{found[1]} of {n} packets shown")
    if info.process.returncode != 0:
        lab.notes.append("crashes after its output")
    first.end()


def captured(lab, path, program, *arguments):
    """The second process writes the packets that the first one receives, until it is told to end."""
    lab.add(lab.tap())
    first = testpmd(lab, "--forward-mode=rxonly")
    lab.wait_started(first)
    dump = App(lab, [need(program, "dpdk"), *arguments], PREFIX, env=preload(lab, *mempool_drivers()))
    dump.wait(path.exists, "capture")
    time.sleep(1)  # it says when it begins in a buffer of its output, and so what it has captured
    frames = [bytes(12) + b"\x88\xb5" + i.to_bytes(4, "big") + bytes(82) for i in range(N_FRAMES)]
    lab.inject(first, frames)
    time.sleep(1)
    dump.end()
    found = [frame for frame in frames_of(path) if frame[12:14] == b"\x88\xb5"]
    check(found == frames, f"{len(found)} of {N_FRAMES} packets captured, or other ones")
    lab.notes.append(f"{N_FRAMES} packets captured")
    first.end()


def dumpcap(lab):
    path = lab.folder / "dump.pcap"
    captured(lab, path, "dpdk-dumpcap", f"--file-prefix={PREFIX}", "-i", "0", "-P", "-w", path)


def pdump(lab):
    path = lab.folder / "dump.pcap"
    captured(lab, path, "dpdk-pdump", "--file-prefix", PREFIX, "--no-pci", "--", "--pdump",
             f"port=0,queue=*,rx-dev={path}")


def flow_perf(lab):
    """Rules by the thousand: inserted, and deleted."""
    lab.add("net_null0" if lab.ddp else lab.tap())
    app = lab.start(need("dpdk-test-flow-perf", "dpdk-dev"), "--ingress", "--group=0", "--ether",
                    "--ipv4", "--queue", f"--rules-count={RULES}", f"--rules-batch={RULES // 4}",
                    "--deletion-rate", "--portmask=0x1")
    app.finish(seconds=120)
    rates = re.findall(r"Rules (insertion|deletion) rate -> ([\d.]+) K", app.output)
    lab.notes.append(f"{RULES} rules" + "".join(f", {what} {float(rate):.1f} K/s"
                                                for what, rate in rates))
    check("error" not in app.output.lower(), laboratory.reason(app.output))
