#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An operator works with a port at testpmd's prompt, on net_ddp as on any NIC: look,
steer, count, stop and start, remove and add. Without it nobody can tune or trust a running port."""

import re

from support import harness, testpmd

QUEUES = 8

setUpModule = testpmd.set_up_module


def vdev(source, *arguments, name="net_ddp0", lower="net_pcap0"):
    return ",".join([f"{name},dev({lower},rx_pcap={source})", *arguments])


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mix = cls.traffic("--kind", "mix", "--ues", 60, "--packets-per-flow", 1)
        cls.packets = harness.classify("gtpu", cls.mix, "--queues", QUEUES)

    def start(self, source, *arguments, options=(), n_queues=QUEUES):
        pmd = testpmd.Testpmd(self, [vdev(source, "profile=gtpu", *arguments)],
                              f"--rxq={n_queues}", f"--txq={n_queues}", *options)
        pmd.command("set fwd rxonly")
        return pmd

    def forward(self, pmd, n_packets):
        """Forward until so many packets are delivered or missed since the last reset."""
        def done():
            stats = pmd.stats()
            return stats["RX-packets"] + stats["RX-missed"] >= n_packets

        pmd.command("start")
        pmd.wait(done, f"{n_packets} packets")
        pmd.command("stop")


class Use(Case):
    def test_settings_of_the_port_are_kept_and_shown(self):
        pmd = self.start(self.mix.name)
        self.assertIn("Promiscuous mode: enabled", pmd.command("show port info 0"))
        # net_pcap cannot do otherwise: the port must not say that it can
        self.assertIn("not supported", pmd.command("set promisc 0 off"))
        self.assertIn("Promiscuous mode: enabled", pmd.command("show port info 0"))
        self.assertEqual(pmd.command("set promisc 0 on").strip(), "")
        for mtu in (1400, 9000):
            self.assertEqual(pmd.command(f"port config mtu 0 {mtu}").strip(), "")
            pmd.commands("port stop 0", "port start 0")
            self.assertIn(f"MTU: {mtu}\n", pmd.command("show port info 0"))
        for command, why in (("add vxlan 8472", "no profile of this port has the header vxlan; profile 'vxlan' has it"),
                             ("rm ecpri 7000", "UDP port 7000 was not declared for ecpri")):
            text = pmd.command(f"port config 0 udp_tunnel_port {command}")
            self.assertEqual(re.findall(r"(?m)^net_ddp0: (.*)$", text), [why])
        pmd.quit()


class RemoveAndAdd(Case):
    def again(self, pmd, *remove):
        """Remove the port, add it with other arguments, and use it."""
        pmd.command("port stop 0")
        self.assertIn("Link status: down", pmd.command("show port info 0"))
        pmd.commands(*remove)
        self.assertIn("available ports: 0", pmd.command("show port summary all"))
        # As with net_failsafe, testpmd would otherwise take each port that it hears of for its own.
        pmd.command("set port setup on iterator")
        text = pmd.command("port attach " + vdev(self.mix.name, "overflow=wait"))
        self.assertIn("Now total ports is 1", text)
        pmd.commands("port start 0", "clear port xstats 0")
        self.forward(pmd, len(self.packets))
        types = {name for name, n in pmd.xstats().items() if n and name.startswith("rx_type_")}
        self.assertNotIn("rx_type_GTPU_IPV4_TCP_packets", types)
        self.assertIn("rx_type_IPV4_UDP_packets", types)

    def test_detach_or_close_and_attach_again(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        self.forward(pmd, len(self.packets))
        for _ in range(2):
            self.again(pmd, "port detach 0")
        self.again(pmd, "port close 0", "device detach net_ddp0")
        pmd.quit()

    def test_two_ports_do_not_share_a_lower_device(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        text = pmd.command("port attach " + vdev(self.mix.name, name="net_ddp1"))
        self.assertEqual(re.findall("(?m)^net_ddp1: .*$", text),
                         ["net_ddp1: lower device net_pcap0 is in use by net_ddp0"])
        pmd.command("set port setup on iterator")
        text = pmd.command("port attach " + vdev(self.mix.name, name="net_ddp1", lower="net_pcap1"))
        self.assertIn("Now total ports is 2", text)
        pmd.command("port start all")
        self.forward(pmd, len(self.packets))
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
