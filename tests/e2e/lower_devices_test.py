#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""net_ddp promises its personality to any DPDK port, and to be one: packets have to come through, each
counted, on every kind of lower device that runs without a NIC, under bonding and failsafe, beside
another net_ddp, on several queues and lcores, and when the lower device disappears. Where that failed,
a user's own port would be the one that is left out.

Kernel interfaces are those of a network namespace that this program makes for itself."""

import collections
import ctypes
import os
import pathlib
import select
import shutil
import socket
import time
import unittest

from support import eal, harness, testpmd

QUEUES = 4
MAX_FRAME = 1514  # bytes: an interface takes no more by default
BATCH = 64  # frames under way at once: no buffer of the kernel's is as small
CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
MEMBER = "member" if eal.dpdk_version() >= (23, 11) else "slave"  # of net_bonding
OWN = None  # why there is no network namespace of our own; None: there is one


def setUpModule():
    testpmd.set_up_module()
    global OWN
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        OWN = f"no network namespace: {os.strerror(ctypes.get_errno())}"
        print("skipped, what needs interfaces of the kernel's:", OWN)
    else:
        # Neighbor discovery would add packets of its own.
        for path in pathlib.Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
            try:
                path.write_text("1")
            except OSError:
                pass  # then there are some more packets than ours


class Wire:
    """The far end of a kernel interface."""

    def __init__(self, test, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        test.addCleanup(self.socket.close)
        self.socket.bind((interface, 0))

    def send(self, frames):
        for frame in frames:
            self.socket.send(frame)

    def receive(self, wanted):
        """Take frames until there are as many of the wanted ones, in time."""
        seen = collections.Counter()
        deadline = time.monotonic() + testpmd.SECONDS
        while seen != wanted and time.monotonic() < deadline:
            if select.select([self.socket], [], [], 0.1)[0]:
                frame, address = self.socket.recvfrom(65536)
                if address[2] != socket.PACKET_OUTGOING and frame in wanted:
                    seen[frame] += 1
        return seen


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        all_kinds = cls.traffic("--kind", "mix", "--ues", 20, "--packets-per-flow", 1)
        cls.frames = [frame for frame, _ in harness.pcap_frames(all_kinds)
                      if len(frame) <= MAX_FRAME]
        cls.mix = cls.capture("mix", cls.frames)
        cls.loads = [queue["packets"] for queue in
                     harness.simulate("gtpu", cls.mix, "--queues", QUEUES)["queues"]]
        assert min(cls.loads) > 50, cls.loads

    def start(self, *vdevs, options=(), **kwargs):
        return testpmd.Testpmd(self, vdevs, f"--rxq={QUEUES}", f"--txq={QUEUES}", *options, **kwargs)

    def ddp(self, lower, *arguments, n=0):
        return ",".join([f"net_ddp{n},dev({lower}),profile=gtpu,overflow=wait", *arguments])

    def wait_link(self, pmd, port=0):
        pmd.wait(lambda: "Link status: up" in pmd.command(f"show port info {port}"), "a link")

    def wait_rx(self, pmd, n_packets, port=0):
        pmd.wait(lambda: pmd.stats(port)["RX-packets"] >= n_packets, f"{n_packets} packets")

    def check_counters(self, pmd, times=1, port=0):
        """All packets were delivered, each so many times, on the queues that ddpctl predicts."""
        xstats = pmd.xstats(port)
        self.assertEqual(testpmd.unaccounted(xstats), 0)
        loads = [xstats[f"rx_q{q}_packets"] for q in range(QUEUES)]
        strangers = xstats["rx_lower_packets"] - times * len(self.frames)
        self.assertGreaterEqual(strangers, 0)
        self.assertEqual(xstats["rx_missed_packets"], 0)
        self.assertLessEqual(sum(loads) - times * len(self.frames), strangers)
        for load, expected in zip(loads, self.loads):
            self.assertIn(load - times * expected, range(strangers + 1))


@unittest.skipIf(shutil.which("ip") is None, "no program 'ip'")
class Kernel(Case):
    """Interfaces of the kernel's, with somebody at the other end."""

    def setUp(self):
        if OWN is not None:
            self.skipTest(OWN)

    def veth(self):
        harness.output_of("ip", "link", "add", "ddp-a", "type", "veth", "peer", "name", "ddp-b")
        self.addCleanup(harness.run, "ip", "link", "del", "ddp-a")
        for name in ("ddp-a", "ddp-b"):
            harness.output_of("ip", "link", "set", name, "up")

    def tap(self, n=0):
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            self.skipTest("no access to /dev/net/tun")
        return f"net_tap{n},iface=ddp-tap{n}"

    def exchange(self, pmd, wire, back):
        """Send all frames, and expect them on the wire where testpmd forwards them to."""
        pmd.commands("set fwd io", "start")
        for first in range(0, len(self.frames), BATCH):
            batch = self.frames[first:first + BATCH]
            wanted = collections.Counter(batch)
            wire.send(batch)
            self.assertEqual(back.receive(wanted), wanted)
        pmd.command("stop")

    def echo(self, lower, *arguments, interface):
        pmd = self.start(self.ddp(lower, *arguments))
        self.wait_link(pmd)
        wire = Wire(self, interface)
        self.exchange(pmd, wire, wire)
        self.check_counters(pmd)
        stats = pmd.stats()
        self.assertEqual((stats["RX-packets"], stats["RX-bytes"]),
                         (stats["TX-packets"], stats["TX-bytes"]))
        return pmd

    def test_tap(self):
        pmd = self.echo(self.tap(), interface="ddp-tap0")
        # The port passes these on to its lower device.
        pmd.commands("mac_addr set 0 02:00:00:00:00:42", "port config mtu 0 1400",
                     "set promisc 0 off", "set allmulti 0 off")
        text = harness.output_of("ip", "-d", "link", "show", "ddp-tap0")
        self.assertIn("02:00:00:00:00:42", text)
        self.assertIn("mtu 1400", text)
        self.assertIn("promiscuity 0", text)
        pmd.command("set link-down port 0")
        self.assertIn("Link status: down", pmd.command("show port info 0"))
        pmd.quit()

    def test_af_packet_on_several_queues(self):
        self.veth()
        pmd = self.echo("net_af_packet0,iface=ddp-a,qpairs=2", "lower_queues=2", interface="ddp-b")
        pmd.quit()

    @unittest.skipUnless(eal.has_driver("net_af_xdp"), "DPDK has no driver net_af_xdp here")
    def test_af_xdp(self):
        self.veth()
        pmd = self.echo("net_af_xdp0,iface=ddp-a", interface="ddp-b")
        pmd.quit()

    def test_two_ports_at_once_forward_to_each_other(self):
        pmd = self.start(self.ddp(self.tap(0)), self.ddp(self.tap(1), n=1))
        self.wait_link(pmd, 0)
        self.wait_link(pmd, 1)
        wires = [Wire(self, f"ddp-tap{n}") for n in range(2)]
        self.exchange(pmd, wires[0], wires[1])
        self.check_counters(pmd, port=0)
        self.exchange(pmd, wires[1], wires[0])
        self.check_counters(pmd, port=1)
        pmd.quit()

    def test_an_interface_that_is_deleted_under_traffic_is_survived(self):
        self.veth()
        for lower, interface, far in (("net_af_packet0,iface=ddp-a", "ddp-a", "ddp-b"),
                                      (self.tap(), "ddp-tap0", "ddp-tap0")):
            with self.subTest(lower=lower):
                pmd = self.start(self.ddp(lower))
                wire = Wire(self, far)
                pmd.commands("set fwd io", "start")
                wire.send(self.frames[:BATCH])
                self.wait_rx(pmd, BATCH // 2)
                harness.output_of("ip", "link", "del", interface)
                # the counters are read one by one while packets may still come
                pmd.wait(lambda: testpmd.unaccounted(pmd.xstats()) == 0, "counters that add up")
                pmd.commands("stop", "port stop 0", "show port info 0")
                pmd.quit()


class Process(Case):
    """Devices with another process, or nobody, at the other end."""

    def echo(self, near, far, near_first):
        """Packets of a capture go from another testpmd to ours and back, into another capture."""
        player = testpmd.Player(self.mix)
        made = {}

        def make_near():
            made["near"] = self.start(self.ddp(near))

        def make_far():
            made["far"] = testpmd.Testpmd(
                self, [f"net_pcap0,rx_pcap={player.path.name},tx_pcap=back.pcap", far])

        for make in (make_near, make_far) if near_first else (make_far, make_near):
            make()
        near, far = made["near"], made["far"]
        self.wait_link(near)
        for pmd in (near, far):
            # A capture is read faster than the other process takes it.
            pmd.commands("set fwd io retry", "set burst tx delay 100 retry 100000", "start")
        player.play()
        far.wait(lambda: far.stats(0)["TX-packets"] >= len(self.frames), "all packets back")
        for pmd in (far, near):
            pmd.command("stop")
        self.check_counters(near)
        for pmd in (far, near):
            pmd.quit()
        back = collections.Counter(frame for frame, _ in
                                   harness.pcap_frames(self.folder / "back.pcap"))
        self.assertEqual(back, collections.Counter(self.frames))

    def test_memif(self):
        socket_path = self.folder / "memif.sock"
        memif = f"socket={socket_path},socket-abstract=no,bsize=2048"
        self.echo(f"net_memif0,role=server,{memif}", f"net_memif1,role=client,{memif}", True)

    def test_virtio_user(self):
        self.echo("net_virtio_user0,path=vhost.sock", "net_vhost0,iface=vhost.sock", False)

    def test_ring(self):
        pmd = self.start(self.ddp("net_ring0"))
        pmd.commands("set fwd io", "start tx_first 4")  # packets that go round for ever
        n_packets = 4 * 32 * QUEUES
        self.wait_rx(pmd, 20 * n_packets)
        pmd.command("stop")
        xstats = pmd.xstats()
        self.assertEqual(testpmd.unaccounted(xstats), 0)
        self.assertEqual(xstats["rx_missed_packets"], 0)
        stats = pmd.stats()
        self.assertEqual(stats["RX-packets"], stats["TX-packets"] - n_packets)
        pmd.quit()


class Upper(Case):
    """net_ddp as a part of something larger."""

    def forward(self, pmd, port, n_packets):
        pmd.commands("set fwd rxonly", f"set portlist {port}", "start")
        self.wait_rx(pmd, n_packets, port)
        pmd.command("stop")

    def pcap(self, n):
        return self.ddp(f"net_pcap{n},rx_pcap={self.mix.name}", n=n)

    def test_bonding(self):
        for mode in (0, 1):
            with self.subTest(mode=mode):
                pmd = self.start(self.pcap(0), self.pcap(1),
                                 f"net_bonding0,{MEMBER}=net_ddp0,{MEMBER}=net_ddp1,mode={mode}")
                self.wait_link(pmd, 2)
                self.assertIn("net_bonding", pmd.command("show port info 2"))
                active = [0] if mode == 1 else [0, 1]
                self.forward(pmd, 2, len(active) * len(self.frames))
                for port in active:
                    xstats = pmd.xstats(port)
                    self.assertEqual(testpmd.unaccounted(xstats), 0)
                    self.assertEqual(xstats["rx_delivered_packets"], len(self.frames))
                    # Its key is the bonding's, which makes one up.
                    self.assertGreater(min(xstats[f"rx_q{q}_packets"] for q in range(QUEUES)), 0)
                pmd.commands("port stop 2", "port start 2")
                self.forward(pmd, 2, 2 * len(active) * len(self.frames))
                pmd.quit()

    def test_failsafe(self):
        subs = ",".join(f"dev({self.pcap(n)})" for n in range(2))
        pmd = self.start(f"net_failsafe0,{subs}")
        self.wait_link(pmd)
        self.forward(pmd, 0, 2 * len(self.frames))
        xstats = pmd.xstats()
        for sub in ("sub0", "sub1"):
            loads = [xstats[f"rx_{sub}_q{q}_packets"] for q in range(QUEUES)]
            self.assertEqual(loads, self.loads)
        pmd.commands("port stop 0", "port start 0")
        self.forward(pmd, 0, 4 * len(self.frames))
        pmd.quit()

    def test_above_its_own_kind_and_failsafe(self):
        for lower in (self.pcap(0), f"net_failsafe0,dev(net_pcap0,rx_pcap={self.mix.name})"):
            with self.subTest(lower=lower):
                pmd = self.start(self.ddp(lower, n=1))
                self.forward(pmd, 0, len(self.frames))
                self.check_counters(pmd)
                pmd.quit()

    def test_above_bonding(self):
        members = [f"net_null{n}" for n in range(2)]  # captures cannot be: they keep their address
        bonding = ",".join(["net_bonding0,mode=0", *(f"{MEMBER}={member}" for member in members)])
        pmd = testpmd.Testpmd(self, [*members, self.ddp(bonding)])
        self.wait_link(pmd, 2)  # the members are testpmd's, too
        self.forward(pmd, 2, 10000)
        self.assertEqual(testpmd.unaccounted(pmd.xstats(2)), 0)
        self.assertNotIn("MAC address: 00:00:00:00:00:00", pmd.command("show port info 2"))
        pmd.quit()

    def test_a_loop_through_bonding_is_refused(self):
        """A mistyped member must not hang the application for ever."""
        result = harness.run(testpmd.PROGRAM, *eal.options(2, testpmd.MEGABYTES), "-d", harness.tools["net_ddp"],
                             "--vdev", self.ddp(f"net_bonding0,mode=0,{MEMBER}=net_ddp0"), "--", "--no-mlockall",
                             "--total-num-mbufs=20000", timeout=testpmd.SECONDS, env=eal.environment(self.folder))
        output = result.stdout + result.stderr
        self.assertIn("net_ddp0: change refused: called from within another change, by lower "
                      "device net_bonding0", output)
        self.assertNotEqual(result.returncode, 0, output)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
