# SPDX-License-Identifier: BSD-3-Clause
"""Rows of Suricata (on Debian 12 from bookworm-backports), with two capture threads."""

import collections
import ipaddress
import json
import os
import pathlib
import re
import shutil
import time

from examples import small
from lab import IMBALANCE_MAX, PREFIX, App, Skip, check, frames_of, harness, need, tshark

THREADS = 2

CONFIG = """%YAML 1.1
---
vars:
  address-groups:
    HOME_NET: "any"
    EXTERNAL_NET: "any"
default-log-dir: {folder}
stats:
  enabled: yes
  interval: 1
outputs:
  - stats:
      enabled: yes
      filename: stats.log
      append: no
      totals: yes
      threads: yes
  - eve-log:
      enabled: yes
      filetype: regular
      filename: flows.json
      types: [flow]
logging:
  default-log-level: notice
  outputs:
    - console:
        enabled: yes
unix-command:
  enabled: no
dpdk:
  eal-params:
    proc-type: primary
    no-pci:
    no-huge:
    m: 1024
    file-prefix: {prefix}
{driver}    vdev: [{vdevs}]
  interfaces:
    - interface: {interface}
      threads: {threads}
      interrupt-mode: {interrupts}
      promisc: true
      multicast: true
      checksum-checks: true
      checksum-checks-offload: false
      mtu: 1500
      mempool-size: 16383
      mempool-cache-size: 257
      rx-descriptors: 1024
      tx-descriptors: 1024
      copy-mode: none
      copy-iface: none
threading:
  set-cpu-affinity: yes
  cpu-affinity:
    - management-cpu-set:
        cpu: [ ]
    - worker-cpu-set:
        cpu: [ "{cpus}" ]
        mode: "exclusive"
decoder:
  teredo:
    enabled: false
  vxlan:
    enabled: false
app-layer:
  protocols: {{}}
classification-file: /dev/null
reference-config-file: /dev/null
rule-files: []
"""


def counters(lab, name):
    """A counter of each thread, from the last table that Suricata wrote."""
    path = lab.folder / "stats.log"
    text = path.read_text() if path.exists() else ""
    table = text.rpartition("\nDate:")[2]
    rows = re.findall(rf"(?m)^{re.escape(name)} +\| (\S+) +\| (\d+)", table)
    return {thread: int(n) for thread, n in rows if thread != "Total"}


def seconds_of(app):
    """CPU time that it has used."""
    words = pathlib.Path(f"/proc/{app.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run(lab, capture, *arguments, interrupts=False):
    """Packets of each capture thread of a run; arguments are those of net_ddp. With interrupts they
    come of a tap device, one by one, and the threads have to sleep afterwards."""
    program = need("suricata", "suricata")
    frames = frames_of(capture)
    n = len(frames)
    lab.add(lab.tap() if interrupts else lab.pcap(capture, queues=THREADS), arguments=arguments)
    cpus = sorted(os.sched_getaffinity(0))[:THREADS]
    config = lab.folder / "suricata.yaml"
    config.write_text(CONFIG.format(
        folder=lab.folder, prefix=PREFIX, interface=lab.vdevs[0].partition(",")[0],
        threads=len(cpus), interrupts="yes" if interrupts else "no",
        driver=f"    d: {harness.tools['net_ddp']}\n" if lab.ddp else "",
        vdevs=", ".join(f'"{vdev}"' for vdev in lab.vdevs), cpus=f"{cpus[0]}-{cpus[-1]}"))
    for name in ("stats.log", "flows.json"):
        (lab.folder / name).unlink(missing_ok=True)
    app = App(lab, [program, "-c", config, "--dpdk", "-l", lab.folder, "-S", "/dev/null"], PREFIX)
    if interrupts:
        app.wait(lambda: "Engine started" in app.output, "start")  # it resets the counters before
        lab.inject(app, frames, pause=0.005)
    lab.wait_idle(app)
    if interrupts:
        before, begin = seconds_of(app), time.monotonic()
        time.sleep(2)
        busy = (seconds_of(app) - before) / (time.monotonic() - begin)
        check(busy < 0.1, f"{busy:.2f} CPUs busy without packets")
        lab.notes.append(f"{busy:.2f} CPUs busy without packets")
    app.end()  # threads without packets write no counters until then
    loads = counters(lab, "decoder.pkts")
    check(sum(loads.values()) == n, f"{sum(loads.values())} of {n} packets decoded")
    missed = sum(counters(lab, "capture.dpdk.imissed").values())
    check(missed == 0, f"{missed} packets missed")
    check(len(loads) == len(cpus), f"{len(loads)} threads with packets: {loads}")
    return list(loads.values())


def suricata(lab):
    """Two threads; beside them what hashing of the outer headers gives."""
    capture = lab.captures.n3("--packets-per-flow", 2)
    loads = run(lab, capture, "profile=gtpu")
    lab.notes.append(f"{sum(loads)} packets")
    lab.note_spread(loads, "threads")
    if lab.ddp:
        imbalance = harness.imbalance(loads)
        check(imbalance <= IMBALANCE_MAX, f"imbalance of threads {imbalance:.2f}: {loads}")
        outer = run(lab, capture)
        lab.notes.append(f"outer headers {harness.imbalance(outer):.2f}")


def suricata_interrupts(lab):
    """Two threads that sleep while nothing comes."""
    capture = lab.captures.made("n3-few", small(frames_of(lab.captures.n3()))[:400])
    loads = run(lab, capture, "profile=gtpu", interrupts=True)
    lab.notes.append(f"{sum(loads)} packets")
    lab.note_spread(loads, "threads")


# Flows: (protocol, two ends), and the packets of both directions

def flow_of(protocol, source, destination):
    ends = [(ipaddress.ip_address(address), int(port)) for address, port in (source, destination)]
    return protocol, *sorted(ends, key=lambda end: (end[0].version, end))


def flows_seen(lab):
    """Packets of each flow, as Suricata wrote when the flow ended."""
    found = collections.Counter()
    for line in (lab.folder / "flows.json").read_text().splitlines():
        event = json.loads(line)
        flow = flow_of(event["proto"].lower(), (event["src_ip"], event["src_port"]),
                       (event["dest_ip"], event["dest_port"]))
        check(flow not in found, f"two flows {flow}")
        found[flow] = event["flow"]["pkts_toserver"] + event["flow"]["pkts_toclient"]
    return found


def flows_of(capture):
    """tshark's flows of a capture: of the outer headers, and of the innermost."""
    fields = ["frame.protocols"]
    fields += [f"{name}.{end}" for name in ("ip", "ipv6") for end in ("src", "dst")]
    fields += [f"{name}.{end}" for name in ("tcp", "udp") for end in ("srcport", "dstport")]
    output = harness.output_of(
        "tshark", "-r", capture, *tshark.OPTIONS, "-T", "fields",
        *(word for field in fields for word in ("-e", field)), env=tshark.ENVIRONMENT)
    outer, inner = collections.Counter(), collections.Counter()
    for line in output.splitlines():
        protocols, *values = line.split("\t")
        values = dict(zip(fields[1:], (value.split(",") for value in values), strict=True))
        protocols = protocols.split(":")
        for flows, place in ((outer, 0), (inner, -1)):
            ip = [name for name in protocols if name in ("ip", "ipv6")][place]
            l4 = [name for name in protocols if name in ("tcp", "udp")][place]
            flows[flow_of(l4, *((values[f"{ip}.{end}"][place], values[f"{l4}.{end}port"][place])
                                for end in ("src", "dst")))] += 1
    return outer, inner


def expect_flows(lab, expected, what):
    seen = flows_seen(lab)
    wrong = [flow for flow in seen | expected if seen[flow] != expected[flow]]
    check(not wrong, f"{len(seen)} flows, tshark {len(expected)} {what}, {len(wrong)} of them with "
                     f"other packets")
    lab.notes.append(f"{len(seen)} {what}")


def suricata_decap(lab):
    """With decap=on it sees the flows of users, and without it those of the tunnels."""
    if shutil.which("tshark") is None:
        raise Skip("tshark is not installed")
    both = zip(*(frames_of(lab.captures.n3(kind=kind)) for kind in ("n3-up", "n3-down")))
    capture = lab.captures.made("n3-both", [frame for pair in both for frame in pair])
    outer, inner = flows_of(capture)
    if lab.ddp:
        run(lab, capture, "profile=gtpu", "decap=on")
        expect_flows(lab, inner, "inner flows")
    run(lab, capture, "profile=gtpu")
    expect_flows(lab, outer, "outer flows")
