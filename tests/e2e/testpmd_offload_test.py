#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""net_ddp in front of a port that can do a part of the work: a make-believe NIC, which has rte_flow rules, keys and
hash flags. Whoever hashed a packet, it has the queue and the hash that ddpctl predicts for it."""

import re

from support import eal, harness, odd_frames, telemetry, testpmd
import testpmd_packets_test as packets_test
from packets import DATA, eth, gre, gtpu, ipv4, ipv6, packet, tcp, udp, vlan, vxlan

REQUIRED = ",offload=require:ice-comms,lower_queues=1" # one, so that a queue has the order of the capture

GTPU_NIC = harness.SOURCE_ROOT / "profiles" / "examples" / "gtpu-nic.yaml" # GTP-U as NICs parse it

setUpModule = testpmd.set_up_module


class Case(packets_test.Case):
    more = REQUIRED

    def lower(self, path):
        return f"net_testsrc0,nic=2,rxq=8,pcap={path}"

    def share(self):
        return self.xstats["rx_offloaded"] / self.xstats["rx_lower_packets"]

    def mix(self, n_ues=40):
        return self.traffic("--kind", "mix", "--ues", n_ues, "--packets-per-flow", 1)


class Traffic(Case):
    def test_gtpu_is_hashed_below(self):
        for profile, least in ("gtpu", 0.4), (GTPU_NIC, 0.8): # the first of each packet type are checked
            with self.subTest(profile=profile):
                self.compare(self.mix(150), profile)
                self.assertGreater(self.share(), least)

    def test_gtpu_by_ue_is_hashed_below_where_the_packet_tells_the_direction(self):
        self.compare(self.mix(150), "gtpu:ue")
        self.assertGreater(self.share(), 0.2)
        self.assertLess(self.share(), 0.4)

    def test_without_a_profile_addresses_and_ports_are_hashed_below(self):
        self.compare(self.mix(), settings=packets_test.RSS_ALL)
        self.assertGreater(self.share(), 0.1)

    def test_a_key_of_the_applications_own_is_the_lower_devices_too(self):
        key = "".join(f"{37 * n % 256:02x}" for n in range(40))
        capture = self.mix()
        expected = harness.classify("gtpu", capture, "--queues", packets_test.QUEUES, "--key", key)
        seen = self.replay(capture, len(expected), "gtpu",
                           ([], [f"port config 0 rss-hash-key ipv4 {key}"], []))
        self.check_each(seen, testpmd.Packet.answer, [packets_test.answer_of(one) for one in expected])
        self.assertGreater(self.share(), 0.1)

    def test_as_many_lower_queues(self):
        """Packets that bypass the rings go from a lower queue to the Rx queue of its number."""
        self.more = f",offload=require:ice-comms,lower_queues={packets_test.QUEUES}"
        self.check_order = lambda seen: None
        self.compare(self.mix(), "gtpu")
        self.assertGreater(self.share(), 0.1)


class Frames(Case):
    def test_what_no_nic_takes_for_what_it_is(self):
        """Tags, extension headers, fragments, tunnels in tunnels and at the wrong ports."""
        inner = (ipv4("10.1.2.3"), tcp(1000, 2000), DATA)
        self.compare(self.capture("odd-tunnels", ([
            packet(eth(), *[vlan(n)] * n, ipv4(), udp(dport=2152), gtpu(1), *inner) for n in range(5)
        ] + [
            packet(eth(), ipv4(), udp(sport=2152, dport=9), gtpu(1), *inner),
            packet(eth(), ipv4(), udp(dport=2152), gtpu(1), ipv4(), udp(dport=2152), gtpu(2), *inner),
            packet(eth(), ipv4(), udp(dport=2152), gtpu(1), ipv4(), udp(dport=4789), vxlan(2), eth(), *inner),
            packet(eth(), ipv4(), gre(), ipv4(), udp(dport=2152), gtpu(1), *inner),
            packet(eth(), ipv6(), udp(dport=2152), gtpu(1), *inner),
            packet(eth(), ipv4(), udp(dport=4789), vxlan(1), eth(), *inner),
        ]) * 70), "gtpu") # more than prove that they may pass
        self.assertGreater(self.xstats["rx_offloaded"], 0)

    def test_odd_and_real_frames(self):
        frames = list(odd_frames.PRINTABLE)
        if packets_test.CAPTURES.is_dir():
            frames += [frame for _, frame in packets_test.real_frames()]
        else:
            print("skipped: no folder of real captures")
        capture = self.capture("odd-and-real", frames)
        self.compare(capture, settings=packets_test.RSS_ALL)
        self.compare(capture, "5g-upf")


class Reasons(Case):
    """Why the lower device hashes nothing: ddpctl and telemetry say the same."""

    def start(self, more=",offload=auto:ice-comms"):
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev({self.lower(self.mix().name)}),profile=gtpu{more}"],
                              "--rxq=2", "--txq=2", prefix="why")
        return pmd, telemetry.Client(self, "why")

    def says(self, state, shown=None):
        self.assertEqual(self.client.ask("/net_ddp/info", 0)["offload_state"], state)
        text = harness.output_of(harness.tools["ddpctl"], "port", "show", "0", "--file-prefix", "why",
                                 env=eal.environment(self.folder))
        self.assertRegex(text, rf"(?m)^offload: +{shown or 'none: ' + re.escape(state)}")
        return text

    def test_what_is_asked_for_while_it_runs(self):
        pmd, self.client = self.start()
        self.says("on", "on, as ")
        pmd.command("flow create 0 ingress pattern eth / ipv4 / udp / gtpu teid is 7 / end actions count / end")
        self.assertRegex(self.says("on", "on, as "), r"(?m)^flow rules: +1; they keep \d+ packet types of the lower ")
        pmd.command("flow create 0 ingress pattern end actions count / end")
        self.says("flow rules can match each packet type that it hashes")
        pmd.wait(lambda: "hashes nothing for us: flow rules can match each" in pmd.text, "a line in the log")
        pmd.command("flow flush 0")
        self.says("on", "on, as ")
        pmd.command("port config all rss none")
        self.says("RSS is off")
        pmd.commands("port config all rss all", "port config all rss level-outer")
        self.says("rss_hf asks for the outermost headers of each packet")
        pmd.commands("stop", "port stop 0")
        self.says("the port is stopped")
        pmd.commands("port config 0 rx_offload udp_cksum on", "port start 0")
        self.says("software parses each packet to verify checksums")
        pmd.quit()


    def test_off(self):
        pmd, self.client = self.start(",offload=off")
        self.says("off", "off$")
        pmd.quit()


class Refusals(Case):
    def test_a_lower_device_without_hashes_does_not_do_what_is_required(self):
        player = testpmd.Player(self.mix())
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev(net_pcap0,rx_pcap={player.path.name}),offload=require"],
                              "--disable-device-start")
        pmd.command("port start 0")
        pmd.wait(lambda: "offload=require, but lower device net_pcap0" in pmd.text, "the reason")
        pmd.kill()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "testsrc")
