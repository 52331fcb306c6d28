#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl predicts on a desk what a data path does: stock testpmd with net_ddp shows
each packet on the queue, and with the hash, that ddpctl predicts for it.

Each packet of a capture has a time of its own, which testpmd prints: so the two are matched."""

from support import harness, odd_frames, testpmd

CAPTURES = harness.SOURCE_ROOT.parent / "shared" / "captures"
QUEUES = 8
SHOWN = 10  # wrong packets in a message
FIRST = 150  # packets of a real capture

# Options and commands of testpmd, and the same for ddpctl.
USUAL = ([], [], ["--rss-hf", "ip"])  # which only base takes for an answer
RSS_UDP = ([], ["port config all rss udp"], ["--rss-hf", "udp"])
RSS_ALL = ([], ["port config all rss all"], ["--rss-hf", "all"])
RSS_NONE = ([], ["port config all rss none"], ["--rss-hf", "none"])

setUpModule = testpmd.set_up_module


def answer_of(packet):
    """ddpctl's answer about a packet, in the form of Packet.answer()."""
    value = packet["hash"] and int(packet["hash"], 16)
    return {"length": packet["len"], "hash": value, "queue": packet["queue"],
            "RSS queue": None if value is None else packet["queue"]}


def real_frames():
    """The first packets of each real capture, as far as testpmd can print them, with their names."""
    return [(f"{path.name} packet {n}", frame) for path in sorted(CAPTURES.glob("*.*cap"))
            for n, (frame, _) in enumerate(harness.pcap_frames(path)[:FIRST], 1)
            if len(frame) >= odd_frames.ETHERNET_SIZE]


class Case(harness.TestCase):
    more = ""  # arguments of the port

    def lower(self, path):
        return f"net_pcap0,rx_pcap={path}"

    def replay(self, capture, n_packets, profile="", settings=USUAL):
        """All packets of a capture as testpmd prints them."""
        options, commands, _ = settings
        player = testpmd.Player(capture)
        vdev = f"net_ddp0,dev({self.lower(player.path.name)}),overflow=wait"
        if profile:
            vdev += f",profile={profile}"
        pmd = testpmd.Testpmd(self, [vdev + self.more], f"--rxq={QUEUES}", f"--txq={QUEUES}",
                              *options)
        pmd.commands("set fwd rxonly", "set verbose 1", *commands)
        packets = pmd.receive(player, n_packets)
        self.xstats = pmd.xstats()
        pmd.quit()
        return packets

    def compare(self, capture, profile="", settings=USUAL):
        """Replay a capture and expect of each packet what ddpctl says."""
        expected = harness.classify(profile or "base", capture, "--queues", QUEUES, *settings[2])
        seen = self.replay(capture, len(expected), profile, settings)
        self.assertEqual(sorted(packet.n for packet in seen), list(range(len(expected))))
        wrong = [f"{one.n + 1}: {one.answer()}, not {answer_of(expected[one.n])}" for one in seen
                 if one.answer() != answer_of(expected[one.n])]
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} of {len(seen)} packets")
        for queue in range(QUEUES):  # each must deliver in the order of the capture
            order = [packet.n for packet in seen if packet.queue == queue]
            self.assertEqual(order, sorted(order), f"queue {queue}")
        return seen


class Traffic(Case):
    def test_each_profile_and_setting(self):
        """Without a profile, as testpmd asks: addresses, ports of UDP alone, all; gtpu; without RSS whatever the profile."""
        mix = self.traffic("--kind", "mix", "--ues", 30, "--packets-per-flow", 1)
        for profile, settings in (("", USUAL), ("", RSS_UDP), ("", RSS_ALL), ("gtpu", USUAL), ("gtpu", RSS_NONE),
                                  ("gtpu;port=2153", USUAL)):
            with self.subTest(profile=profile, settings=settings):
                seen = self.compare(mix, profile, settings)
                self.assertEqual(any("TUNNEL_GTPU" in packet.ptype for packet in seen), profile == "gtpu")

    def test_a_port_says_what_cannot_be_and_is_removed_and_added_again(self):
        """With other arguments, and used; port/probe_test.c has more."""
        mix = self.traffic("--kind", "mix", "--ues", 30, "--packets-per-flow", 1)
        n_packets = len(harness.pcap_frames(mix))
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={mix.name}),overflow=wait"
        pmd = testpmd.Testpmd(self, [f"{vdev},profile=gtpu"], f"--rxq={QUEUES}", f"--txq={QUEUES}")
        pmd.command("set fwd rxonly")
        for command, why in (
                (f"port attach {vdev.replace('ddp0', 'ddp1')}", "1: lower device net_pcap0 is in use by net_ddp0"),
                ("port config 0 udp_tunnel_port add vxlan 8472",
                 "0: no profile of this port has the header vxlan; profile 'vxlan' has it"),
                ("port config 0 udp_tunnel_port rm ecpri 7000", "0: UDP port 7000 was not declared for ecpri")):
            self.assertIn(f"net_ddp{why}\n", pmd.command(command))
        self.assertIn("not supported", pmd.command("set promisc 0 off"))  # by net_pcap
        for remove in ["port detach 0"], ["port close 0", "device detach net_ddp0"]:
            pmd.commands("port stop 0", *remove)
            self.assertIn("available ports: 0", pmd.command("show port summary all"))
            # As with net_failsafe, testpmd would otherwise take each port that it hears of for its own.
            pmd.command("set port setup on iterator")
            self.assertIn("Now total ports is 1", pmd.command(f"port attach {vdev}"))
            pmd.commands("port start 0", "start")
            pmd.wait(lambda: pmd.stats()["RX-packets"] == n_packets, "all packets")
            pmd.command("stop")
            self.assertNotIn("rx_type_GTPU_IPV4_TCP_packets", pmd.xstats())
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
