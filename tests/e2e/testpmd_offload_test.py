#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""net_ddp in front of a port that can do a part of the work: a make-believe NIC, which has rte_flow rules, keys and
hash flags. Whoever hashed a packet, it has the queue and the hash that ddpctl predicts for it."""

import re

from support import eal, harness, telemetry, testpmd
import testpmd_packets_test as packets_test

REQUIRED = ",offload=require:ice-comms,lower_queues=1" # one, so that a queue has the order of the capture

GTPU_NIC = harness.SOURCE_ROOT / "profiles" / "examples" / "gtpu-nic.yaml" # GTP-U as NICs parse it

setUpModule = testpmd.set_up_module


class Case(packets_test.Case):
    more = REQUIRED

    def lower(self, path):
        return f"net_testsrc0,nic=2,rxq=8,pcap={path}"

    def mix(self, n_ues=40):
        return self.traffic("--kind", "mix", "--ues", n_ues, "--packets-per-flow", 1)


class Traffic(Case):
    def test_gtpu_is_hashed_below(self):
        """port/lower_offload_test.c has all profiles, bypass_test.c several lower queues."""
        for profile, least in ("gtpu", 0.4), (GTPU_NIC, 0.8):  # the first of each packet type are checked
            with self.subTest(profile=profile):
                self.compare(self.mix(150), profile)
                self.assertGreater(self.xstats["rx_offloaded"] / self.xstats["rx_lower_packets"], least)


class Reasons(Case):
    """ddpctl and telemetry give one reason why the lower device hashes nothing."""

    def start(self, more=",offload=auto:ice-comms"):
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev({self.lower(self.mix().name)}),profile=gtpu{more}"],
                              "--rxq=2", "--txq=2", prefix="why")
        return pmd, telemetry.Client(self, "why")

    def says(self, state, shown=None):
        self.assertEqual(self.client.query("/net_ddp/info", 0)["offload_state"], state)
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
