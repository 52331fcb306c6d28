#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an operator does with a port at testpmd's prompt has to work on net_ddp as on any NIC: look,
steer, count, stop and start, remove and add. Without it nobody can tune or trust a running port.

    testpmd_port_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import collections
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, testpmd  # noqa: E402

QUEUES = 8
OTHER_KEY = bytes(range(1, 41))

setUpModule = testpmd.set_up_module


def vdev(source, *arguments, name="net_ddp0", lower="net_pcap0"):
    return ",".join([f"{name},dev({lower},rx_pcap={source})", *arguments])


def reta_index(packet):
    return int(packet["hash"], 16) % harness.RETA_SIZE


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

    def check_sums(self, xstats, n_queues=QUEUES):
        """All that was taken from the lower device is somewhere."""
        delivered = sum(xstats[f"rx_q{q}_packets"] for q in range(n_queues))
        missed = sum(xstats[f"rx_q{q}_missed"] for q in range(n_queues))
        self.assertEqual(xstats["rx_delivered_packets"], delivered)
        self.assertEqual(xstats["rx_missed_packets"], missed)
        self.assertEqual(xstats["rx_lower_packets"], delivered + missed +
                         xstats["rx_dropped_by_rule"] + xstats["rx_dropped_at_stop"] +
                         xstats["rx_in_rings"])


class Show(Case):
    def test_info_is_that_of_a_nic_with_40_bytes_of_key_and_512_entries(self):
        pmd = self.start(self.mix.name)
        text = pmd.command("show port info 0")
        for line in ("Device name: net_ddp0", "Driver name: net_ddp", "Link status: up",
                     "Hash key size in bytes: 40", "Redirection table size: 512",
                     "Current number of RX queues: 8", "Current number of TX queues: 8"):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r"(?m)^Devargs: dev\(net_pcap0,rx_pcap=\S+\),profile=gtpu$")
        self.assertRegex(text, r"Supported RSS offload flow types:\n.* ipv4-udp ")

    def test_the_lower_port_is_hidden(self):
        text = self.start(self.mix.name).command("show port summary all")
        self.assertIn("Number of available ports: 1\n", text)
        self.assertRegex(text, r"(?m)^0 .* net_ddp0 +net_ddp +up")

    def test_key_and_table_are_the_documented_ones(self):
        pmd = self.start(self.mix.name)
        self.assertEqual(pmd.key(), harness.KEY[:40])
        self.assertEqual(pmd.reta(), [i % QUEUES for i in range(harness.RETA_SIZE)])
        self.assertIn("ipv4", pmd.command("show port 0 rss-hash"))


class Steer(Case):
    """Changes of RSS take effect on the packets that follow."""

    def seen(self, *commands):
        """Hash and queue of each packet of the capture after these commands, by its number."""
        player = testpmd.Player(self.mix)
        pmd = self.start(player.path.name, "overflow=wait")
        pmd.commands("set verbose 1", *commands)
        seen = {packet.n: (packet.hash, packet.queue)
                for packet in pmd.receive(player, len(self.packets))}
        pmd.quit()
        return [seen[n] for n in range(len(self.packets))]

    def test_a_changed_entry_moves_the_packets_with_that_hash_and_no_others(self):
        by_use = collections.Counter(map(reta_index, self.packets)).most_common()
        moved = {index: (index + 1 + n) % QUEUES for n, (index, _) in enumerate(by_use[:3])}
        pairs = "".join(f"({index},{queue})" for index, queue in moved.items())
        expected = [(int(packet["hash"], 16), moved.get(reta_index(packet), packet["queue"]))
                    for packet in self.packets]
        self.assertNotEqual(expected, [(int(packet["hash"], 16), packet["queue"])
                                       for packet in self.packets])
        self.assertEqual(self.seen(f"port config 0 rss reta {pairs}"), expected)

    def test_a_changed_key_changes_hashes_as_ddpctl_says(self):
        expected = [(int(packet["hash"], 16), packet["queue"])
                    for packet in harness.classify("gtpu", self.mix, "--queues", QUEUES,
                                                   "--key", OTHER_KEY.hex())]
        self.assertEqual(self.seen(f"port config 0 rss-hash-key ipv4 {OTHER_KEY.hex()}"), expected)

    def test_a_key_of_another_length_is_refused_and_changes_nothing(self):
        pmd = self.start(self.mix.name)
        for n_bytes in (1, 39, 41):
            text = pmd.command(f"port config 0 rss-hash-key ipv4 {'5a' * n_bytes}")
            self.assertIn(f"key length: {2 * n_bytes} invalid", text)
            self.assertEqual(pmd.key(), harness.KEY[:40])

    def test_an_entry_for_a_queue_that_is_not_there_is_refused_and_changes_nothing(self):
        pmd = self.start(self.mix.name)
        text = pmd.command(f"port config 0 rss reta (3,1)(4,{QUEUES})")
        self.assertIn("return code = -22", text)
        self.assertEqual(pmd.reta(), [i % QUEUES for i in range(harness.RETA_SIZE)])

    def test_key_and_table_outlive_a_stop_and_another_number_of_queues_makes_a_new_table(self):
        pmd = self.start(self.mix.name)
        pmd.commands("port config 0 rss reta (0,7)(511,0)",
                     f"port config 0 rss-hash-key ipv4 {OTHER_KEY.hex()}",
                     "port stop 0", "port start 0")
        reta = [7, *(i % QUEUES for i in range(1, 511)), 0]
        self.assertEqual((pmd.reta(), pmd.key()), (reta, OTHER_KEY))
        pmd.commands("port stop 0", "port config all rxq 4", "port config all txq 4",
                     "port start 0")
        self.assertEqual(pmd.reta(), [i % 4 for i in range(harness.RETA_SIZE)])


class Tunnels(Case):
    def test_a_udp_port_that_cannot_be_declared_is_told_why(self):
        pmd = self.start(self.mix.name)

        def refused(command):
            text = pmd.command(f"port config 0 udp_tunnel_port {command}")
            self.assertIn("udp tunneling port", text)
            return re.findall(r"(?m)^net_ddp0: (.*)$", text)

        self.assertEqual(refused("add vxlan 8472"),
                         ["no profile of this port has the header vxlan; profile 'vxlan' has it"])
        self.assertEqual(refused("rm ecpri 7000"), ["UDP port 7000 was not declared for ecpri"])


class Count(Case):
    def test_counters_are_those_of_the_capture(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        self.forward(pmd, len(self.packets))
        stats = pmd.stats()
        self.assertEqual((stats["RX-packets"], stats["RX-bytes"], stats["RX-missed"]),
                         (len(self.packets), sum(packet["len"] for packet in self.packets), 0))
        xstats = pmd.xstats()
        self.check_sums(xstats)
        self.assertEqual(xstats["rx_lower_packets"], len(self.packets))
        for queue in harness.simulate("gtpu", self.mix, "--queues", QUEUES)["queues"]:
            counted = [xstats[f"rx_q{queue['queue']}_{unit}"] for unit in ("packets", "bytes")]
            self.assertEqual(counted, [queue["packets"], queue["bytes"]])
        self.assertEqual({name[len("rx_type_"):-len("_packets")]: n for name, n in xstats.items()
                          if name.startswith("rx_type_") and n > 0},
                         collections.Counter(packet["ptype"] for packet in self.packets))

    def test_full_rings_lose_packets_by_count_only(self):
        pmd = self.start(self.mix.name, "overflow=drop", options=["--rxd=4", "--burst=1"])
        self.forward(pmd, len(self.packets))
        stats = pmd.stats()
        xstats = pmd.xstats()
        self.check_sums(xstats)
        self.assertEqual(xstats["rx_lower_packets"], len(self.packets))
        self.assertGreater(stats["RX-missed"], 0)
        self.assertEqual(stats["RX-packets"] + stats["RX-missed"], len(self.packets))
        for queue in harness.simulate("gtpu", self.mix, "--queues", QUEUES)["queues"]:
            n = queue["queue"]
            self.assertEqual(xstats[f"rx_q{n}_packets"] + xstats[f"rx_q{n}_missed"],
                             queue["packets"])

    def test_queues_beyond_16_are_counted_too(self):
        pmd = self.start(self.mix.name, "overflow=wait", n_queues=40)
        self.forward(pmd, len(self.packets))
        xstats = pmd.xstats()
        self.check_sums(xstats, 40)
        for queue in harness.simulate("gtpu", self.mix, "--queues", 40)["queues"]:
            self.assertEqual(xstats[f"rx_q{queue['queue']}_packets"], queue["packets"])

    def test_clearing_counters_sets_all_to_0(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        self.forward(pmd, len(self.packets))
        for clear in ("clear port stats 0", "clear port xstats 0"):
            pmd.command(clear)
            counters = pmd.stats() | pmd.xstats()
            self.assertGreater(counters.pop("rx_path_cache_entries"), 0) # what is there now
            self.assertEqual({name for name, n in counters.items() if n}, set())

    def test_sums_hold_at_any_moment_under_traffic(self):
        for overflow in ("drop", "wait"):
            with self.subTest(overflow=overflow):
                pmd = self.start(self.mix.name + ",infinite_rx=1", f"overflow={overflow}",
                                 options=["--rxd=64", "--burst=4"])
                pmd.command("start")
                for n in range(8):
                    if n == 4:
                        pmd.command("clear port stats 0")
                    self.check_sums(pmd.xstats())
                pmd.command("stop")
                in_rings = pmd.xstats()["rx_in_rings"]
                pmd.command("port stop 0")
                xstats = pmd.xstats()
                self.check_sums(xstats)
                self.assertEqual((xstats["rx_in_rings"], xstats["rx_dropped_at_stop"]),
                                 (0, in_rings))
                pmd.quit()


class StopAndStart(Case):
    def test_a_started_port_delivers_again(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        for n in range(1, 4):
            # net_pcap opens its file anew
            self.forward(pmd, n * len(self.packets))
            self.assertEqual(pmd.xstats()["rx_lower_packets"], n * len(self.packets))
            pmd.command("port stop 0")
            self.assertIn("Link status: down", pmd.command("show port info 0"))
            self.assertIn("Done", pmd.command("port start 0"))
            self.assertIn("Link status: up", pmd.command("show port info 0"))
        pmd.quit()

    def test_stopping_with_full_rings_loses_no_packet_buffer(self):
        n_buffers = 6000
        pmd = self.start(self.mix.name + ",infinite_rx=1",
                         options=[f"--total-num-mbufs={n_buffers}", "--burst=1"])
        received = n_dropped = 0
        while n_dropped <= n_buffers:
            pmd.command("start")
            pmd.wait(lambda: pmd.stats()["RX-packets"] > received, "packets")
            pmd.commands("stop", "port stop 0", "port start 0")
            received = pmd.stats()["RX-packets"]
            self.assertGreater(pmd.xstats()["rx_dropped_at_stop"], n_dropped)
            n_dropped = pmd.xstats()["rx_dropped_at_stop"]
        self.assertEqual(pmd.stats()["RX-nombuf"], 0)
        pmd.quit()

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
        pmd.quit()

    def test_a_port_closed_while_it_has_packets_ends_cleanly(self):
        pmd = self.start(self.mix.name + ",infinite_rx=1", options=["--burst=1"])
        pmd.command("start")
        pmd.wait(lambda: pmd.stats()["RX-packets"] > 0, "packets")
        pmd.commands("stop", "port stop 0")
        self.assertIn("Port 0 is closed", pmd.command("port close 0"))
        self.assertIn("available ports: 0", pmd.command("show port summary all"))
        self.assertEqual(len(re.findall("net_ddp0:", pmd.quit())), 0)


class RemoveAndAdd(Case):
    def again(self, pmd, *remove):
        """Remove the port, add it with other arguments, and use it."""
        pmd.commands("port stop 0", *remove)
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

    def test_detach_and_attach_again(self):
        pmd = self.start(self.mix.name, "overflow=wait")
        self.forward(pmd, len(self.packets))
        for _ in range(3):
            self.again(pmd, "port detach 0")
        pmd.quit()

    def test_close_and_attach_again(self):
        pmd = self.start(self.mix.name, "overflow=wait")
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
