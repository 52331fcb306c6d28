#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An operator changes the profiles of a running port, and reads its state, through DPDK's telemetry socket:
with dpdk-telemetry.py or any program that speaks to it, while the application knows nothing of it."""

from support import harness, telemetry, testpmd

PREFIX = "ddp"
QUEUES = 8

setUpModule = testpmd.set_up_module


class Case(harness.TestCase):
    n3 = harness.Traffic("--kind", "n3-up", "--ues", 200, "--packets-per-flow", 1)

    @classmethod
    def start(cls, test, *arguments):
        """testpmd, and who speaks to it."""
        pmd = testpmd.endless(test, cls.n3, *arguments, queues=QUEUES, prefix=PREFIX)
        return pmd, telemetry.Client(test, PREFIX)


class Change(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pmd, cls.client = cls.start(cls.shared())

    def test_a_failure_says_why_and_changes_nothing(self):
        broken = self.folder / "broken.yaml"
        broken.write_text("profile: broken\nrequires: [base]\n"
                          "headers: {x: {after: udp(dprt=9), layout: a:8}}\n")
        strange = self.folder / "strange.yaml"
        strange.write_text('profile: strange\nrequires: ["naïve \\"\\\\one"]\n')
        client = self.client
        client.query("/net_ddp/profile_set", 0, "gtpu+5g-upf")
        before = client.query("/net_ddp/info", 0)
        for words, reason in (
                (["profile_add", 0, "gtpu"], "profile 'gtpu' is already there"),
                (["profile_add", 0, broken], f"{broken}:3:26: error: unknown field of header 'udp' "
                                             "'dprt'; did you mean 'dport'?"),
                (["profile_add", 0, strange], f"{strange}:2:12: error: profile 'na??ve \"\\one' "
                                              "not found in "),
                (["profile_add", 0, "none_such"], "profile 'none_such' not found in "),
                (["profile_add", 0], "a profile is missing: /net_ddp/profile_add,<port>,<profile>"),
                (["profile_add", 0, ""],
                 "a profile is missing: /net_ddp/profile_add,<port>,<profile>"),
                (["profile_add"], "the port number is missing: /net_ddp/profile_add,<port>"),
                (["profile_add", "gtpu"],
                 "'gtpu' is not a port number: /net_ddp/profile_add,<port>"),
                (["profile_add", "0x0", "gtpu"], "'0x0' is not a port number"),
                (["profile_add", 1, "gtpu"], "port 1 is not a net_ddp port"),  # the lower one
                (["profile_add", 65536, "gtpu"], "'65536' is not a port number"),
                (["profile_del", 0, "gtpu"], "profile 'gtpu' is required by 5g-upf"),
                (["profile_del", 0, "vxlan"],
                 "no profile 'vxlan' was added; the port has gtpu, 5g-upf"),
                (["info"], "the port number is missing: /net_ddp/info,<port>"),
                (["info", 7], "port 7 is not a net_ddp port"),
                (["ptypes", 0, "x"], "'x' is not a start index: there are "),
                (["ptypes", 0, "0,1"], "'0,1' is not a start index: there are "),
                (["queues", 0, 9], "'9' is not a start index: there are 8 entries"),
                (["queues", 77], "port 77 is not a net_ddp port"),
                (["balance"], "the port number is missing: /net_ddp/balance,<port>"),
                (["balance", 77], "port 77 is not a net_ddp port"),
                (["balance", 77, "on"], "port 77 is not a net_ddp port"),
                (["balance", 0, ""], "'' is not off, on, or milliseconds from 1 to 60000"),
                (["balance", 0, "on,1"], "'on,1' is not off, on, or milliseconds from 1 to 60000"),
                (["balance", 0, "9" * 50],
                 f"'{'9' * 32}' is not off, on, or milliseconds from 1 to 60000")):
            answer = client.query(f"/net_ddp/{words[0]}", *words[1:])
            with self.subTest(words):
                self.assertEqual(answer["ok"], 0)
                # in pieces of what telemetry has room for
                self.assertIn(reason, "".join(value for key, value in answer.items() if key.startswith("error")))
        end = client.query("/net_ddp/queues", 0, QUEUES)  # nothing is behind the last one
        self.assertEqual((end["start"], "next" in end), (QUEUES, False))
        after = client.query("/net_ddp/info", 0)
        for answer in (before, after):
            del answer["counters"], answer["profile_packets"]
        self.assertEqual(after, before)


class Reading(Case):
    def test_list_and_info_tell_what_the_port_is(self):
        pmd, client = self.start(self, "profile=gtpu;port=2152", "overflow=wait")
        self.assertEqual(client.query("/net_ddp/list"), [0])
        info = client.query("/net_ddp/info", 0)
        counters = info.pop("counters")
        self.assertEqual(len(info.pop("profile_packets")), 1)
        lower = client.query("/ethdev/info", info["lower_port"])
        self.assertEqual(lower["name"], "net_pcap0")
        self.assertEqual(info, {
            "name": "net_ddp0", "version": harness.version(), "state": "running",
            "isa": info["isa"], "overflow": "wait",
            "lower_device": "net_pcap0", "lower_port": info["lower_port"], "lower_rx_queues": 1,
            "lower_tx_queues": 1, "offload": "", "offload_rules": 0, "offload_ptypes": 0, "offload_ruled": 0,
            "offload_state": "it does not offer RSS_HASH (the RSS hash in mbufs)",
            "rx_queues": QUEUES, "tx_queues": QUEUES,
            "rss": 1, "rss_hash_function": "toeplitz", "rss_fields_by": "profiles",
            "rss_hf": info["rss_hf"], "profiles": ["gtpu"], "profile_specs": ["gtpu;port=2152"],
            "profile_versions": info["profile_versions"],
            "packet_types": client.query("/net_ddp/ptypes", 0)["count"],
            "flow_rules": 0})
        self.assertIn("ipv4", info["rss_hf"])
        self.assertRegex(info["profile_versions"][0], r"^\d+\.\d+\.\d+$")
        pmd.wait(lambda: client.query("/net_ddp/info", 0)["counters"]["rx_delivered_packets"] > 1000,
                 "packets")
        counters = client.query("/net_ddp/info", 0)["counters"]
        self.assertEqual(counters["rx_lower_packets"],
                         counters["rx_delivered_packets"] + counters["rx_missed_packets"] +
                         counters["rx_dropped_at_stop"] + counters["rx_in_rings"])
        pmd.command("flow create 0 ingress pattern eth / ipv4 / udp / end actions queue index 1 / end")
        self.assertEqual(client.query("/net_ddp/info", 0)["flow_rules"], 1)
        pmd.commands("stop", "port stop 0")
        self.assertEqual(client.query("/net_ddp/info", 0)["state"], "stopped")
        pmd.command("port close 0")
        self.assertEqual(client.query("/net_ddp/list"), [])
        self.assertEqual(client.query("/net_ddp/info", 0)["error"], "port 0 is not a net_ddp port")
        pmd.quit()

    def test_drops_of_the_lower_device(self):
        """net_pcap counts an error each time it is polled where a capture is cut."""
        capture = self.folder / "cut.pcap"
        capture.write_bytes(self.n3.read_bytes()[:-1])
        pmd = testpmd.Testpmd(self, [f"net_ddp0,dev(net_pcap0,rx_pcap={capture.name})"], "--rxq=2", "--txq=2",
                              prefix=PREFIX)
        client = telemetry.Client(self, PREFIX)
        pmd.commands("set fwd rxonly", "start")
        pmd.wait(lambda: client.query("/net_ddp/info", 0)["counters"].get("lower_rx_errors") != 0, "errors")
        pmd.command("stop")
        counters = client.query("/net_ddp/metrics", 0)["counters"]
        self.assertEqual(counters, client.query("/net_ddp/info", 0)["counters"])
        lower = client.query("/ethdev/stats", client.query("/net_ddp/info", 0)["lower_port"])
        self.assertEqual([counters[key] for key in ("lower_rx_missed_errors", "lower_rx_errors",
                                                    "lower_rx_mbuf_allocation_errors")],
                         [lower[key] for key in ("imissed", "ierrors", "rx_nombuf")])
        pmd.command("clear port stats 0")
        self.assertEqual(client.query("/net_ddp/info", 0)["counters"]["lower_rx_errors"], 0)
        pmd.quit()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
