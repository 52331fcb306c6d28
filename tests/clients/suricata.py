# SPDX-License-Identifier: BSD-3-Clause
"""Rows of Suricata (on Debian 12 from bookworm-backports), with two capture threads."""

import os
import re

from lab import IMBALANCE_MAX, PREFIX, App, check, frames_of, harness, need

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


def run(lab, profile):
    """Packets of each capture thread of a run."""
    program = need("suricata", "suricata")
    capture = lab.captures.n3("--packets-per-flow", 2)
    n = len(frames_of(capture))
    lab.add(lab.pcap(capture, queues=THREADS), profile=profile)
    cpus = sorted(os.sched_getaffinity(0))[:THREADS]
    config = lab.folder / "suricata.yaml"
    config.write_text(CONFIG.format(
        folder=lab.folder, prefix=PREFIX, interface=lab.vdevs[0].partition(",")[0],
        threads=len(cpus),
        driver=f"    d: {harness.tools['net_ddp']}\n" if lab.ddp else "",
        vdevs=", ".join(f'"{vdev}"' for vdev in lab.vdevs), cpus=f"{cpus[0]}-{cpus[-1]}"))
    (lab.folder / "stats.log").unlink(missing_ok=True)
    app = App(lab, [program, "-c", config, "--dpdk", "-l", lab.folder, "-S", "/dev/null"], PREFIX)
    lab.settle(app)
    app.end()  # threads without packets write no counters until then
    loads = counters(lab, "decoder.pkts")
    check(sum(loads.values()) == n, f"{sum(loads.values())} of {n} packets decoded")
    missed = sum(counters(lab, "capture.dpdk.imissed").values())
    check(missed == 0, f"{missed} packets missed")
    check(len(loads) == len(cpus), f"{len(loads)} threads with packets: {loads}")
    return n, list(loads.values())


def suricata(lab):
    """Two threads; beside them what hashing of the outer headers gives."""
    n, loads = run(lab, "gtpu")
    lab.notes.append(f"{n} packets")
    lab.note_spread(loads, "threads")
    if lab.ddp:
        imbalance = harness.imbalance(loads)
        check(imbalance <= IMBALANCE_MAX, f"imbalance of threads {imbalance:.2f}: {loads}")
        _, outer = run(lab, None)
        lab.notes.append(f"outer headers {harness.imbalance(outer):.2f}")
