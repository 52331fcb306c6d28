# SPDX-License-Identifier: BSD-3-Clause
"""Rows of Open vSwitch with DPDK (package openvswitch-switch-dpdk): a bridge of its own, in a
folder, whose ports are attached by their devargs."""

import contextlib
import functools
import pathlib
import re
import socket
import time

from lab import App, Red, Skip, check, frames_of, harness, need, packets
from support import hugepages

BINARIES = ("/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk",
            "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd")
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
MEGABYTES = 512
QUEUES = 4
HUGEPAGES = 600  # of 2 MB

# Counters of a PMD thread, as Open vSwitch 3 and 4 name them
RECEIVED = "packets received|Rx packets"
FAILED = "miss with failed upcall|- Lost upcalls"
OFFLOADED = "phwol hits|- PHWOL hits"


@functools.cache
def hugepages_have():
    """Until the program ends."""
    try:
        hugepages.have(HUGEPAGES)
    except OSError as error:
        raise Skip(f"no hugepages: {error.strerror}") from None


class Bridge:
    def __init__(self, lab, *config):
        binary = next((path for path in BINARIES if pathlib.Path(path).exists()), None)
        if binary is None:
            raise Skip("ovs-vswitchd with DPDK is not installed (package openvswitch-switch-dpdk)")
        hugepages_have()
        self.lab = lab
        for name in ("RUNDIR", "LOGDIR", "DBDIR", "SYSCONFDIR"):
            lab.environment[f"OVS_{name}"] = str(lab.folder)
        socket = lab.folder / "db.sock"
        self.database = lab.folder / "conf.db"
        self.database.unlink(missing_ok=True)  # of the row's bridge before
        self.tool("ovsdb-tool", "create", self.database, SCHEMA)
        self.server = App(lab, [need("ovsdb-server", "openvswitch-switch"),
                                f"--remote=punix:{socket}", "--unixctl", lab.folder / "server.ctl",
                                self.database])
        self.server.wait(socket.exists, "database")
        self.vsctl_words = ["ovs-vsctl", f"--db=unix:{socket}", "--timeout=30"]
        extra = f"-m {MEGABYTES} --no-pci" + (f" -d {harness.tools['net_ddp']}" if lab.ddp else "")
        self.vsctl("--no-wait", "init")
        self.vsctl("--no-wait", "set", "Open_vSwitch", ".", "other_config:dpdk-init=true",
                   f'other_config:dpdk-extra="{extra}"', "other_config:pmd-cpu-mask=3",
                   "other_config:per-port-memory=true", *config)
        self.switch = App(lab, [binary, f"unix:{socket}", "--unixctl", lab.folder / "vswitchd.ctl"])
        self.switch.wait(lambda: "DPDK Enabled - initialized" in self.switch.output, "DPDK")
        self.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev")
        self.tool("ovs-ofctl", "del-flows", self.management())
        self.tool("ovs-ofctl", "add-flow", self.management(), "actions=drop")

    def management(self):
        return f"unix:{self.lab.folder / 'br0.mgmt'}"

    def tool(self, name, *words):
        need(name, "openvswitch-switch")
        result = self.lab.run(name, *words)
        check(result.returncode == 0, f"{name}: {result.stderr.strip()}")
        return result.stdout

    def vsctl(self, *words):
        return self.tool(self.vsctl_words[0], *self.vsctl_words[1:], *words)

    def appctl(self, *words):
        return self.tool("ovs-appctl", "-t", self.lab.folder / "vswitchd.ctl", *words)

    def attach(self, name, devargs, queues=QUEUES):
        self.vsctl("add-port", "br0", name, "--", "set", "Interface", name, "type=dpdk",
                   f'options:dpdk-devargs="{devargs}"', f"options:n_rxq={queues}")
        error = self.vsctl("get", "Interface", name, "error").strip()
        check(error == "[]", f"{error.strip(chr(34))}; {self.last_error()}")

    def detach(self, name):
        self.vsctl("del-port", "br0", name)

    def last_error(self):
        lines = re.findall(r"\|dpdk\|ERR\|(.*)", self.switch.output)
        return lines[-1] if lines else "no error logged"

    def dropped(self):
        """Packets that our flow took."""
        text = self.tool("ovs-ofctl", "dump-flows", self.management())
        return sum(map(int, re.findall(r"n_packets=(\d+)", text)))

    def of_threads(self, what=RECEIVED):
        """A counter of each PMD thread."""
        text = self.appctl("dpif-netdev/pmd-stats-show").partition("\nmain thread:")[0]
        return [int(n) for n in re.findall(rf"\n +(?:{what}): +(\d+)", text)]

    def queues(self, name):
        """The number of polled Rx queues of a port."""
        return len(re.findall(rf"port: {name} +queue-id:", self.appctl("dpif-netdev/pmd-rxq-show")))

    def statistics(self, name):
        return int(self.vsctl("get", "Interface", name, "statistics:rx_packets"))

    def expect(self, name, devargs, n):
        """Attach a port. So many of its packets come to the threads.

        These begin to poll before the bridge knows the port: packets until then are counted as
        failed upcalls, later ones have our flow.
        """
        before = self.dropped()
        self.attach(name, devargs)

        def received():
            return sum(self.of_threads())

        with contextlib.suppress(Red):
            self.switch.wait(lambda: received() >= n, "packets", 10)
        check(received() == n, f"{received()} of {n} packets in PMD threads")
        failed = sum(self.of_threads(FAILED))
        with contextlib.suppress(Red):
            self.switch.wait(lambda: self.dropped() - before + failed >= n, "packets", 10)
        flow = self.dropped() - before
        check(flow + failed == n,
              f"{flow} packets in the flow, {failed} failed upcalls, {n} in all")
        self.switch.wait(lambda: self.statistics(name) == n, f"{n} packets in the statistics")

    def end(self):
        self.appctl("exit", "--cleanup")
        self.switch.finish()
        self.tool("ovs-appctl", "-t", self.lab.folder / "server.ctl", "exit")
        self.server.finish()


def open_vswitch(lab):
    """Attach, four queues on two threads, detach, attach again."""
    capture = lab.captures.n3()
    n = len(frames_of(capture))
    bridge = Bridge(lab)
    lab.add(lab.pcap(capture, queues=QUEUES))
    bridge.expect("in0", lab.vdevs[0], n)
    threads = bridge.of_threads()
    check(len(threads) == 2 and min(threads) > 0, f"packets of threads {threads}")
    lab.notes.append(f"{n} packets")
    if lab.ddp:
        lab.note_spread(threads, "threads")
    bridge.detach("in0")
    bridge.expect("in0", lab.vdevs[0], n)
    bridge.end()


def open_vswitch_queues(lab):
    """The number of queues is changed while packets flow."""
    bridge = Bridge(lab)
    lab.add("net_null0,size=100")
    bridge.attach("in0", lab.vdevs[0])
    for queues in (2, 1, 4):
        bridge.vsctl("set", "Interface", "in0", f"options:n_rxq={queues}")
        before = bridge.dropped()
        bridge.switch.wait(lambda: bridge.dropped() > before, "packets", 10)
        bridge.switch.wait(lambda: bridge.queues("in0") == queues, f"{queues} queues", 10)
    lab.notes.append("n_rxq 4, 2, 1, 4")
    bridge.end()


def frames_of_megaflows(n):
    """Packets of four flows of the datapath: IPv4 and IPv6, without and with a VLAN tag. n of each."""
    ips = [(packets.ipv4, "10.0.0.{}", "10.0.1.1"), (packets.ipv6, "2001:db8::{}", "2001:db8:1::1")]
    return [packets.packet(packets.eth(), *tag, ip(src.format(i + 1), dst), packets.udp(1000, 2000))
            for i in range(n) for tag in ((), (packets.vlan(5),)) for ip, src, dst in ips]


def open_vswitch_offload(lab):
    """With hw-offload=true, each flow of the datapath becomes a rule that marks its packets, and a marked
    packet needs no look-up. Without it there is no rule."""
    frames = frames_of_megaflows(8)
    lab.add(lab.veth())
    for enabled in (False, True):
        bridge = Bridge(lab, f"other_config:hw-offload={str(enabled).lower()}",
                        "other_config:max-idle=600000")
        bridge.attach("in0", lab.vdevs[0])
        hits = offload_rounds(bridge, frames, lab.injected[0], 4 if enabled else 0)
        lab.notes.append(f"hw-offload={str(enabled).lower()}: {hits} of {len(frames)} packets by rules")
        bridge.end()


def offload_rounds(bridge, frames, interface, n_flows):
    """Send the frames until all flows are there, and once more. Returns how many had a mark then."""
    def inserted():
        text = bridge.appctl("dpctl/offload-stats-show")
        return sum(map(int, re.findall(r"Total\s+Inserted offloads: +(\d+)", text)))

    def send():
        """One by one: of a burst, several packets of a flow would be the first. Returns how many had a mark."""
        before = sum(bridge.of_threads(OFFLOADED))
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as wire:
            wire.bind((interface, 0))
            n = sum(bridge.of_threads()) + len(frames)
            for frame in frames:
                wire.send(frame)
                time.sleep(0.01)
        bridge.switch.wait(lambda: sum(bridge.of_threads()) >= n, "packets")
        check(sum(bridge.of_threads()) == n, f"{sum(bridge.of_threads())} of {n} packets received")
        return sum(bridge.of_threads(OFFLOADED)) - before

    send()
    if n_flows:
        bridge.switch.wait(lambda: inserted() >= n_flows, f"{n_flows} rules, of {inserted()}", 10)
    expected = len(frames) if n_flows else 0
    hits = next((hits for hits in (send() for _ in range(5)) if hits == expected), None)  # each thread learns the marks
    check(hits == expected, f"not {expected} of {len(frames)} packets by rules")
    if n_flows:
        check(inserted() == n_flows, f"{inserted()} rules of {n_flows} flows")

    def flows():
        return re.findall(r"packets:(\d+)", bridge.appctl("dpctl/dump-flows"))
    # Open vSwitch reads the counts of rules periodically.
    bridge.switch.wait(lambda: len(set(flows())) == 1, f"equal packets of flows: {flows()}", 10)
    return hits
