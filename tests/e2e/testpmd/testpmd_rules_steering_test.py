#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rte_flow rules that say where packets go: by any value of any header, exactly those packets, in stock
testpmd. A rule that takes more packets than its author meant takes somebody else's.

    testpmd_rules_steering_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, rules, testpmd  # noqa: E402
from support.rules import QUEUES, hash_rule, names_of, rule, vary  # noqa: E402

QUEUE = 9
MARK = 0xabc

UDP4 = "eth / ipv4 / udp"
GTPU = f"{UDP4} / gtpu"

# A pattern with values; a packet that has them; those of its values that the pattern asks for; other
# packets that are not the rule's.
VALUES = [
    ("eth src is 02:00:00:00:00:01", "eth ipv4", "mac_src", []),
    ("eth dst is 02:00:00:00:00:02 / ipv6", "eth ipv6 udp", "mac_dst", ["eth ipv4"]),
    ("eth type is 0x0806", "eth arp", "tag", ["eth ipv4", "eth ipv6"]),
    ("eth / vlan vid is 5 / ipv4", "eth vlan ipv4", "vid", ["eth ipv4"]),
    ("eth / vlan tci is 5", "eth vlan ipv6", "vid pcp", ["eth ipv6"]),
    ("eth / vlan vid is 5 / vlan vid is 5", "eth vlan vlan ipv4", "outer.vid vid", ["eth vlan ipv4"]),
    ("eth / ipv4 src is 10.1.0.1", "eth ipv4 tcp", "src swap_ip", ["eth ipv6"]),
    ("eth / ipv4 dst is 192.0.2.5", "eth frag4 udp", "dst swap_ip", []),
    ("eth / ipv4 src is 10.1.0.1 dst is 192.0.2.5", "eth ipv4 udp", "src dst swap_ip", []),
    ("eth / ipv4 dst spec 192.0.2.0 dst mask 255.255.255.0", "eth ipv4", "dst swap_ip", []),
    ("eth / ipv4 dst spec 192.0.2.0 dst mask 255.255.0.0", "eth ipv4", "swap_ip", ["eth ipv6"]),
    ("eth / ipv4 ttl is 64", "eth ipv4", "ttl", []),
    ("eth / ipv4 tos is 0 proto is 6", "eth ipv4 tcp", "tos", ["eth ipv4 udp"]),
    ("eth / ipv6 src is 2001:db8:0:1::1", "eth ipv6 udp", "src swap_ip", []),
    ("eth / ipv6 dst is 2001:db8:0:2::2", "eth ipv6 hop tcp", "dst swap_ip", []),
    ("eth / ipv6 src spec 2001:db8:1:: src mask ffff:ffff:ffff::", "eth prefix6",
     "src src33 swap_ip", []),
    ("eth / ipv6 hop is 64", "eth ipv6", "hops", []),
    (f"{UDP4} src is 1000", "eth ipv4 udp", "sport swap_ports", ["eth ipv4 tcp", "eth frag4 udp"]),
    (f"{UDP4} dst is 2000", "eth ipv4 udp", "dport swap_ports", ["eth ipv4 sctp", "eth rest4"]),
    (f"{UDP4} dst spec 2000 dst mask 0xfff0", "eth ipv4 udp", "dport swap_ports", []),
    ("eth / ipv6 / tcp src is 1000 dst is 2000", "eth ipv6 tcp", "sport dport swap_ports",
     ["eth ipv4 tcp"]),
    ("eth / ipv4 / sctp dst is 2000", "eth ipv4 sctp", "dport swap_ports", []),
    ("eth / ipv4 / tcp flags spec 0x10 flags mask 0x10", "eth ipv4 tcp", "", ["eth ipv4 udp"]),
    ("eth / ipv4 / icmp type is 8", "eth ipv4 icmp", "", ["eth ipv4", "eth ipv6 icmp"]),
    ("eth / ipv4 src is 10.1.0.1 / udp dst is 2000", "eth ipv4 udp", "src swap_ip dport swap_ports",
     []),

    ("eth has_vlan is 0", "eth ipv4", "tag", ["eth vlan ipv4", "eth vlan vlan arp"]),
    ("eth has_vlan is 1", "eth vlan ipv4 udp", "", ["eth ipv4 udp", "eth arp"]),
    ("eth has_vlan is 1 / ipv4", "eth vlan vlan ipv4", "", ["eth ipv4", "eth vlan ipv6"]),
    ("eth has_vlan is 1 / vlan vid is 5 / ipv4", "eth vlan ipv4", "vid", ["eth ipv4"]),
    ("eth type is 0x0800 has_vlan is 0 / ipv4 dst spec 192.0.2.0 dst mask 255.255.255.0 "
     "fragment_offset is 0x0", "eth ipv4 tcp", "tag dst swap_ip", ["eth vlan ipv4", "eth frag4 udp"]),
    ("eth / vlan has_more_vlan is 0", "eth vlan ipv4", "", ["eth vlan vlan ipv4", "eth ipv4"]),
    ("eth / vlan has_more_vlan is 1", "eth vlan vlan ipv6", "", ["eth vlan ipv6"]),
    ("eth / vlan has_more_vlan is 1 / ipv6", "eth vlan vlan ipv6", "", ["eth vlan ipv6"]),
    ("eth / vlan vid is 5 has_more_vlan is 0 / ipv4", "eth vlan ipv4", "vid", ["eth vlan vlan ipv4"]),
    ("eth / ipv6 has_frag_ext is 0", "eth ipv6 hop udp", "",
     ["eth ipv6 frag6 udp", "eth ipv6 hop rest6", "eth ipv4"]),
    ("eth / ipv6 has_frag_ext is 0 / udp", "eth ipv6 udp", "", ["eth ipv6 frag6 udp", "eth ipv6 tcp"]),
    ("eth / ipv6 has_frag_ext is 1", "eth ipv6 hop rest6", "", ["eth ipv6 udp", "eth ipv6 hop tcp"]),
    ("eth / ipv6 has_frag_ext is 1 / ipv6_frag_ext packet_id is 1", "eth ipv6 frag6 udp", "frag_id",
     ["eth ipv6 udp"]),

    (f"{UDP4} / raw relative is 1 offset is 2 pattern spec 4243 pattern mask ffff", "eth ipv4 udp", "",
     ["eth ipv4 tcp", "eth ipv4 udp vxlan eth ipv4", "eth frag4 udp", "eth ipv4 udp gtpu ipv4"]),
    (f"{UDP4} / raw relative is 1 offset is 4 pattern spec 00001234 pattern mask 0000ffff",
     "eth ipv4 udp gtpu ipv4", "teid", ["eth ipv4 udp"]),
    (f"{UDP4} / raw relative is 1 pattern spec 40 pattern mask ff / raw relative is 1 offset is 30 "
     "pattern spec 5f pattern mask ff", "eth ipv4 udp", "", ["eth ipv4 udp gtpu ipv4"]),
    (f"{UDP4} / vxlan / raw relative is 1 offset is 4 pattern spec 00 pattern mask ff",
     "eth ipv4 udp vxlan eth ipv4", "mac_dst", []),

    (f"{GTPU} teid is 0x1234", "eth ipv4 udp gtpu ipv4", "teid", ["eth ipv6 udp gtpu ipv4"]),
    (f"{GTPU} teid is 0x1234", "eth ipv4 udp gtpu up ipv6 tcp", "teid", ["eth ipv4 udp gtpc"]),
    (f"{GTPU} teid is 0x1234 / gtp_psc qfi is 9", "eth ipv4 udp gtpu up ipv4", "teid qfi",
     ["eth ipv4 udp gtpu ipv4"]),
    (f"{GTPU} / gtp_psc qfi is 9 / ipv4", "eth ipv4 udp gtpu down ipv4", "qfi",
     ["eth ipv4 udp gtpu down ipv6"]),
    (f"{GTPU} / gtp_psc pdu_t is 1", "eth ipv4 udp gtpu up ipv4", "", ["eth ipv4 udp gtpu down ipv4"]),
    (f"{GTPU} / ipv4 src is 10.1.0.1", "eth ipv4 udp gtpu ipv4 udp", "src swap_ip",
     ["eth ipv4 udp gtpu up ipv4 udp"]),
    (f"{GTPU} / gtp_psc / ipv4 / tcp dst is 2000", "eth ipv4 udp gtpu up ipv4 tcp", "dport swap_ports",
     ["eth ipv4 udp gtpu up ipv4 udp"]),
    ("eth / ipv4 src is 10.1.0.1 / udp / gtpu / ipv4 dst is 192.0.2.5", "eth ipv4 udp gtpu ipv4",
     "outer.src outer.swap_ip dst swap_ip", []),
    (f"{UDP4} / gtpc teid is 0x1234", "eth ipv4 udp gtpc", "teid", ["eth ipv4 udp gtpu ipv4"]),
    ("eth / ipv4 / gre / ipv6 / udp / gtpu teid is 0x1234", "eth ipv4 gre ipv4 udp gtpu ipv4", "teid",
     ["eth ipv4 udp gtpu ipv4"]),

    (f"{UDP4} / vxlan vni is 77", "eth ipv4 udp vxlan eth ipv4", "vni", ["eth ipv4 udp geneve eth ipv4"]),
    (f"{UDP4} / vxlan vni is 77 / eth dst is 02:00:00:00:00:02", "eth ipv4 udp vxlan eth ipv4",
     "vni mac_dst", []),
    (f"{UDP4} / vxlan / eth / ipv4 src is 10.1.0.1 / udp dst is 2000",
     "eth ipv4 udp vxlan eth ipv4 udp", "src swap_ip dport swap_ports", []),
    (f"{UDP4} / geneve vni is 77", "eth ipv4 udp geneve eth ipv6", "vni", []),
    ("eth / ipv4 / nvgre tni is 77", "eth ipv4 nvgre eth ipv4", "vni", ["eth ipv4 gre ipv4"]),
    ("eth / ipv6 / gre / ipv4 dst is 192.0.2.5", "eth ipv6 gre ipv4", "dst swap_ip",
     ["eth ipv6 nvgre eth ipv4"]),
    ("eth / pppoes seid is 7", "eth pppoe ppp ipv4 udp", "session", ["eth pppoed"]),
    ("eth / pppoes seid is 7 / pppoe_proto_id is 0x57", "eth pppoe ppp ipv6", "session",
     ["eth pppoe ppp ipv4"]),
    ("eth / pppoes / ipv4 src is 10.1.0.1", "eth pppoe ppp ipv4 tcp", "src swap_ip", ["eth ipv4 tcp"]),
    ("eth / ipv4 / esp spi is 0x11", "eth ipv4 esp", "spi", ["eth ipv4 udp esp", "eth ipv4 ah"]),
    (f"{UDP4} / esp spi is 0x11", "eth ipv4 udp esp", "spi", ["eth ipv4 esp"]),
    ("eth / ipv6 / ah spi is 0x11", "eth ipv6 ah", "spi", ["eth ipv4 ah"]),
    ("eth / ipv4 / l2tpv3oip session_id is 7", "eth ipv4 l2tpv3", "session", []),
    (f"{UDP4} / l2tpv2 type data session_id is 7", "eth ipv4 udp l2tp hdlc ipv4", "session",
     ["eth ipv4 udp l2tp_l hdlc ipv4"]),
    (f"{UDP4} / l2tpv2 type data_l session_id is 7", "eth ipv4 udp l2tp_l hdlc ipv4", "session",
     ["eth ipv4 udp l2tp hdlc ipv4"]),
    (f"{UDP4} / l2tpv2 type data_s tunnel_id is 3", "eth ipv4 udp l2tp_s hdlc ipv4", "tunnel", []),
    (f"{UDP4} / l2tpv2 type data_o session_id is 7", "eth ipv4 udp l2tp_o hdlc ipv4", "session", []),
    (f"{UDP4} / l2tpv2 type control tunnel_id is 3", "eth ipv4 udp l2tp_control", "tunnel",
     ["eth ipv4 udp l2tp_ls hdlc ipv4"]),
    (f"{UDP4} / l2tpv2 / ppp / ipv4 dst is 192.0.2.5", "eth ipv4 udp l2tp hdlc ipv4", "dst swap_ip",
     []),
    (f"{UDP4} / pfcp s_field is 1", "eth ipv4 udp session", "", ["eth ipv4 udp node"]),
    (f"{UDP4} / pfcp s_field is 0", "eth ipv4 udp node", "", ["eth ipv4 udp session"]),
    (f"{UDP4} / pfcp s_field is 1 seid is 0x99", "eth ipv4 udp session", "seid", []),
    ("eth / ecpri common type iq_data pc_id is 7", "eth iq", "pc_id", ["eth rtc", "eth event"]),
    ("eth / ecpri common type rtc_ctrl rtc_id is 7", "eth rtc", "pc_id", ["eth iq"]),
]

setUpModule = testpmd.set_up_module


class Values(rules.Case):
    def check(self, pattern, packet, asked, strangers):
        names = names_of(packet)
        self.renew(vary(packet), *(vary(packet, name) for name in names), *map(vary, strangers))
        self.create(rule(pattern, f"queue index {QUEUE} / mark id {MARK}"))
        base, *packets = self.receive()
        self.assertEqual((base.queue, base.mark), (QUEUE, MARK), packet)
        for name, one in zip(names, packets):
            expected = (0, None) if name in asked.split() else (QUEUE, MARK)
            self.assertEqual((one.queue, one.mark), expected, f"{packet}: {name}")
        for text, one in zip(strangers, packets[len(names):]):
            self.assertEqual((one.queue, one.flag), (0, False), text)

    def test_values(self):
        for pattern, packet, asked, strangers in VALUES:
            with self.subTest(pattern, packet=packet):
                self.check(pattern, packet, asked, strangers)


class Fates(rules.Case):
    def seen(self, packet, rule_text, *varied, n_dropped=0, attributes="ingress"):
        """Two packets, the second with varied values, under a rule."""
        self.renew(vary(packet), vary(packet, *varied))
        self.create(rule_text, attributes=attributes)
        return self.receive(n_dropped)

    def test_mark_and_flag(self):
        for mark in (0, 1, 0xffffffff):
            one, other = self.seen("eth ipv4 udp", rule(f"{UDP4} src is 1000", f"mark id {mark}"), "sport")
            self.assertEqual((one.mark, one.queue), (mark, 0))
            self.assertFalse(other.flag)
        one, other = self.seen("eth ipv4 udp", rule(f"{UDP4} src is 1000", "flag / queue index 2"), "sport")
        self.assertEqual((one.flag, one.mark, one.queue), (True, None, 2))
        self.assertFalse(other.flag)

    def test_drop_and_count(self):
        before = self.pmd.xstats()
        one, other = self.seen("eth ipv4 udp", rule(f"{UDP4} src is 1000", "drop / count"), "sport",
                               n_dropped=1)
        self.assertIsNone(one)
        self.assertEqual(other.queue, 0)
        counted = self.pmd.command("flow query 0 0 count")
        self.assertRegex(counted, rf"hits: 1\s+bytes: {len(vary('eth ipv4 udp'))}\s")
        after = self.pmd.xstats()
        change = {name: after[name] - before[name] for name in
                  ("rx_dropped_by_rule", "rx_delivered_packets", "rx_lower_packets", "rx_missed_packets")}
        self.assertEqual(list(change.values()), [1, 1, 2, 0])

    def test_passthru_takes_packets_out_of_a_wider_rule(self):
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "sport"))
        self.create(rule(UDP4, f"queue index {QUEUE}"), attributes="ingress priority 1")
        self.create(rule(f"{UDP4} src is 1000", "passthru"), 1)
        self.assertEqual([one.queue for one in self.receive()], [0, QUEUE])

    def test_one_rule_hashes_another_steers(self):
        """A list of queues is shared by the hash of the hash rule."""
        frames = [vary("eth ipv4 udp", *([name] if name else [])) for name in ("", "src", "dst", "sport")]
        self.renew(*frames)
        self.create(hash_rule(UDP4, "ipv4 l3-src-only"))
        self.create(rule(UDP4, "rss queues 4 6 8 end"), 1)
        seen = self.receive()
        self.assertEqual(len({one.hash for one in seen}), 2)
        for one in seen:
            self.assertEqual(one.queue, (4, 6, 8)[one.hash % 3])

    def test_a_packet_that_ends_before_the_bytes_of_a_raw_item(self):
        raw = "raw relative is 1 offset is 32 pattern spec 40 pattern mask ff"
        short, long = vary("eth ipv6 tcp"), vary("eth ipv6 tcp", "length")
        for frames in ([short, long], [long, short]):  # the path cache knows either first
            self.renew(*frames)
            self.create(rule(f"eth / ipv6 / tcp / {raw}", "queue index 2"))
            self.assertEqual([one.queue for one in self.receive()],
                             [0 if frame == short else 2 for frame in frames])


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
