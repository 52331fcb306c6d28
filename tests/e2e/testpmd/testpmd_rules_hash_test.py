#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an rte_flow rule says is hashed is hashed, and nothing else, of its packets, and of no others:
the patterns and RSS types that users know from 800-series NICs, in stock testpmd. A rule that hashes
less puts a whole base station on one core; one that hashes more tears flows apart.

    testpmd_rules_hash_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, rules, testpmd  # noqa: E402
from support.rules import hash_rule, names_of, vary  # noqa: E402

FLOW = "src dst sport dport"


def addresses(ip):
    """RSS types of an IP header, and what they hash."""
    return {
        ip: "src dst",
        f"{ip} l3-src-only": "src",
        f"{ip} l3-dst-only": "dst",
        f"{ip} l3-src-only l3-dst-only": "src dst",
        f"symmetric {ip}": "src dst",
    }


def flows(ip, l4):
    """The same with a transport header behind it."""
    both = f"{ip}-{l4}"
    return {
        **addresses(ip),
        both: FLOW,
        f"{both} l3-src-only": "src",
        f"{both} l3-dst-only": "dst",
        f"{both} l4-src-only": "sport",
        f"{both} l4-dst-only": "dport",
        f"{both} l3-src-only l4-src-only": "src sport",
        f"{both} l3-src-only l4-dst-only": "src dport",
        f"{both} l3-dst-only l4-src-only": "dst sport",
        f"{both} l3-dst-only l4-dst-only": "dst dport",
        f"{both} l3-src-only l3-dst-only": FLOW,
        f"{both} l4-src-only l4-dst-only": FLOW,
        f"symmetric {both}": FLOW,
    }


def macs(types="eth"):
    return {
        types: "mac_src mac_dst",
        f"{types} l2-src-only": "mac_src",
        f"{types} l2-dst-only": "mac_dst",
        f"{types} l2-src-only l2-dst-only": "mac_src mac_dst",
    }


def share(hashed, n, of):
    """Every of-th entry, from the nth on: where many patterns take the same types, each takes some."""
    return dict(list(hashed.items())[n % of::of])


class Row:
    """A pattern; one of its packets; by RSS types, which of its values are hashed; other packets that
    hash to the same by the first of these types; packets that are not the rule's."""

    def __init__(self, pattern, packet, hashed, alike=(), strangers=()):
        self.pattern = pattern
        self.packet = packet
        self.hashed = hashed
        self.alike = alike
        self.strangers = strangers

setUpModule = testpmd.set_up_module


class Case(rules.Case):
    def check_rows(self, *rows):
        for row in rows:
            alike = row.alike
            for types, changes in row.hashed.items():
                with self.subTest(pattern=row.pattern, types=types):
                    self.check(row.pattern, types, row.packet, changes.split(), alike, row.strangers)
                alike = ()

    def check(self, pattern, types, packet, changes, alike=(), strangers=()):
        """Vary all that a packet has, one after the other."""
        names = names_of(packet)
        others = [*alike, *strangers]
        self.renew(vary(packet), *(vary(packet, name) for name in names),
                   *(vary(text) for text in others))
        self.create(hash_rule(pattern, types))
        base, *packets = self.receive()
        self.assertIsNotNone(base.hash, packet)
        for name, one in zip(names, packets):
            if name in changes or self.is_swapped(name, types, changes):
                self.assertNotEqual(one.hash, base.hash, f"{packet}: {name}")
                self.assertIsNotNone(one.hash, f"{packet}: {name}")
            elif "swap" not in name or "ttl" not in changes:  # in a checksum, who knows
                self.assertEqual(one.hash, base.hash, f"{packet}: {name}")
            self.check_queue(one, f"{packet}: {name}")
        for text, one in zip(others, packets[len(names):]):
            self.assertEqual(one.hash, base.hash if text in alike else None, text)
            self.check_queue(one, text)

    def is_swapped(self, name, types, changes):
        """Would the exchange of two values change the hash?"""
        outer, swap, what = name.rpartition("swap_")
        if not swap or types.startswith("symmetric") or "ttl" in changes:
            return False
        pair = ("src", "dst") if what == "ip" else ("sport", "dport")
        return any(outer + value in changes for value in pair)


class Plain(Case):
    def test_ipv4(self):
        self.check_rows(
            Row("eth / ipv4", "eth ipv4",
                {**addresses("ipv4"), **macs(), "ipv4-other": "src dst",
                 "eth ipv4": "mac_src mac_dst src dst",
                 "ipv4-chksum": "src dst tos ttl id length", "toeplitz ipv4": "src dst"},
                alike=["eth ipv4 udp", "eth ipv4 tcp", "eth frag4 udp", "eth rest4", "eth ipv4 icmp",
                       "eth vlan ipv4 sctp", "eth ipv4 udp session", "eth ipv4 esp"],
                strangers=["eth ipv6", "eth ipv6 udp", "eth arp", "eth pppoe ppp ipv4", "eth iq"]),
            # A tunnel's packets are its outer ones.
            Row("eth / ipv4", "eth ipv4 udp vxlan eth ipv4 udp", {"ipv4": "outer.src outer.dst"},
                strangers=["eth ipv6 udp vxlan eth ipv4 udp"]))

    def test_ipv6_flow_label(self):
        """An RSS type since DPDK 24.03. What is built with an older one does not know it."""
        text = hash_rule("eth / ipv6", "ipv6-flow-label")
        if "Bad arguments" in self.pmd.command(f"flow validate 0 ingress {text}"):
            result = self.predict(f"flow create 0 ingress {text}")
            self.assertEqual(result.returncode, 1)
            self.assertIn("expected an RSS type, or 'end'", result.stderr)
            self.skipTest("this DPDK has no RSS type for the flow label of IPv6")
        self.check_rows(
            Row("eth / ipv6", "eth ipv6 udp",
                {"ipv6-flow-label": "src dst label", "ipv6 ipv6-flow-label": "src dst label",
                 "ipv6-flow-label l3-dst-only": "dst label"},
                alike=["eth ipv6", "eth vlan ipv6 tcp"], strangers=["eth ipv4 udp"]),
            Row("eth / ipv6 / tcp", "eth ipv6 tcp", {"ipv6-tcp ipv6-flow-label": f"{FLOW} label"},
                strangers=["eth ipv6 udp"]),
            Row("eth / ipv4 / udp / gtpu / ipv6", "eth ipv4 udp gtpu ipv6 tcp",
                {"ipv6-flow-label gtpu": "src dst label teid"}, strangers=["eth ipv6"]))
        self.renew()
        self.refused(hash_rule("eth / ipv4", "ipv6-flow-label"),
                     "RSS type 'ipv6-flow-label' does not fit the pattern")
        self.refused(hash_rule("eth / ipv6", "symmetric ipv6-flow-label"),
                     "a symmetric hash has no ipv6-flow-label: each direction has its own")

    def test_ipv6(self):
        self.check_rows(
            Row("eth / ipv6", "eth ipv6", {**addresses("ipv6"), **macs(), "ipv6-other": "src dst"},
                alike=["eth ipv6 udp", "eth ipv6 hop tcp", "eth ipv6 frag6 udp", "eth ipv6 rest6"],
                strangers=["eth ipv4", "eth ipv4 udp", "eth arp"]),
            Row("eth / ipv6", "eth prefix6", {
                "ipv6": "src src33 src49 src65 dst dst33 dst49 dst65",
                "ipv6 l3-pre32": "src dst",
                "ipv6 l3-pre48": "src src33 dst dst33",
                "ipv6 l3-pre64": "src src33 src49 dst dst33 dst49",
                "ipv6 l3-pre32 l3-src-only": "src",
                "ipv6 l3-pre48 l3-dst-only": "dst dst33",
                "ipv6 l3-pre64 l3-src-only": "src src33 src49",
            }),
            Row("eth / ipv6 / udp", "eth prefix6 udp", {
                "ipv6-udp l3-pre64": "src src33 src49 dst dst33 dst49 sport dport",
                "ipv6-udp l3-pre48 l4-src-only": "sport",
            }))

    def test_transport(self):
        for n, (ip, other) in enumerate((("ipv4", "ipv6"), ("ipv6", "ipv4"))):
            for l4 in ("udp", "tcp", "sctp"):
                strangers = [f"eth {ip} {another}" for another in ("udp", "tcp", "sctp", "icmp")
                             if another != l4]
                hashed = {**flows(ip, l4), **macs(), "l4-chksum": "checksum",
                          f"{ip}-{l4} l4-chksum": FLOW + " checksum"}
                self.check_rows(
                    Row(f"eth / {ip} / {l4}", f"eth {ip} {l4}",
                        hashed if l4 == "udp" else share(hashed, n, 2),
                        strangers=[*strangers, f"eth {ip}", f"eth {other} {l4}", f"eth frag4 {l4}",
                                   "eth rest4", f"eth ipv6 frag6 {l4}", "eth ipv6 rest6"]))

    def test_udp_is_not_for_tunnels_in_it(self):
        self.check_rows(
            Row("eth / ipv4 / udp", "eth ipv4 udp", {"ipv4-udp": FLOW},
                strangers=["eth ipv4 udp gtpu ipv4", "eth ipv4 udp vxlan eth ipv4 udp"]))

    def test_extension_headers(self):
        for n, l4 in enumerate(("udp", "tcp", "sctp")):
            self.check_rows(Row(f"eth / ipv6 / {l4}", f"eth ipv6 hop hop {l4}",
                                share(flows("ipv6", l4), n, 3)))

    def test_fragments(self):
        self.check_rows(
            Row("eth / ipv4", "eth frag4 udp",
                {"ipv4-frag": "src dst id", "ipv4 ipv4-frag": "src dst id",
                 "ipv4-frag l3-src-only": "src id", "ipv4-frag l3-dst-only": "dst id"},
                alike=["eth rest4"], strangers=["eth ipv4", "eth ipv4 udp", "eth ipv6 frag6 udp"]),
            Row("eth / ipv6 / ipv6_frag_ext", "eth ipv6 frag6 udp",
                {"ipv6-frag": "src dst frag_id", "ipv6": "src dst",
                 "ipv6-frag l3-src-only": "src frag_id", "ipv6-frag l3-dst-only": "dst frag_id",
                 **macs("eth")},
                alike=["eth ipv6 rest6"], strangers=["eth ipv6", "eth ipv6 udp", "eth frag4 udp"]))

    def test_frames(self):
        self.check_rows(
            Row("eth", "eth", {
                "eth": "mac_src mac_dst tag",
                "eth l2-src-only": "mac_src tag",
                "eth l2-dst-only": "mac_dst tag",
                "l2-payload": "tag",
            }),
            Row("eth", "eth ipv4 udp", {"eth": "mac_src mac_dst tag"}))

    def test_vlan(self):
        for ip, l4 in (("ipv4", "udp"), ("ipv4", "tcp"), ("ipv4", "sctp"), ("ipv6", "udp")):
            self.check_rows(
                Row(f"eth / vlan / {ip} / {l4}", f"eth vlan {ip} {l4}",
                    {"c-vlan": "vid pcp", "s-vlan": "vid pcp", f"{ip}-{l4}": FLOW,
                     f"c-vlan {ip}-{l4}": "vid pcp " + FLOW, f"{ip}-{l4} l4-dst-only": "dport"},
                    strangers=[f"eth {ip} {l4}", f"eth vlan {ip}"]))
        self.check_rows(
            Row("eth / vlan / ipv4", "eth vlan ipv4",
                {"c-vlan": "vid pcp", "ipv4 l3-src-only": "src", **macs()},
                alike=["eth vlan ipv4 udp"], strangers=["eth ipv4", "eth vlan ipv6"]),
            Row("eth / vlan / vlan / ipv4", "eth vlan vlan ipv4",
                {"c-vlan": "vid pcp", "s-vlan": "outer.vid outer.pcp",
                 "s-vlan c-vlan": "vid pcp outer.vid outer.pcp"}, strangers=["eth vlan ipv4"]))


class Gtpu(Case):
    def test_user_plane(self):
        """With the PDU session container of one direction, of any, and without."""
        containers = {
            "gtpu": ("gtpu", ["gtpu up", "gtpu down"]),
            "gtpu / gtp_psc pdu_t is 1": ("gtpu up", ["gtpu", "gtpu down"]),
            "gtpu / gtp_psc pdu_t is 0": ("gtpu down", ["gtpu", "gtpu up"]),
            "gtpu / gtp_psc": ("gtpu up", ["gtpu"]),
        }
        n = 0
        for outer in ("ipv4", "ipv6"):
            for pattern, (words, others) in containers.items():
                for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
                    self.check_user_plane(n, f"eth / {outer} / udp / {pattern}",
                                          f"eth {outer} udp {words}",
                                          [f"eth {outer} udp {other}" for other in others], ip, other)
                    n += 1

    def check_user_plane(self, n, pattern, start, others, ip, other):
        of_addresses = {**addresses(ip), f"{ip} gtpu": "src dst teid", "gtpu": "teid",
                        f"{ip} l3-src-only gtpu": "src teid"}
        self.check_rows(
            Row(f"{pattern} / {ip}", f"{start} {ip}", share(of_addresses, n, 4),
                alike=[f"{start} {ip} udp", f"{start} {ip} tcp"],
                strangers=[*(f"{another} {ip}" for another in others), f"{start} {other}",
                           f"eth {ip} udp", f"eth {ip} udp echo"]))
        for l4, another in (("udp", "tcp"), ("tcp", "udp")):
            of_flows = {**flows(ip, l4), f"{ip}-{l4} gtpu": FLOW + " teid",
                        f"{ip}-{l4} l4-src-only gtpu": "sport teid"}
            self.check_rows(
                Row(f"{pattern} / {ip} / {l4}", f"{start} {ip} {l4}", share(of_flows, n, 8),
                    strangers=[*(f"{more} {ip} {l4}" for more in others), f"{start} {ip}",
                               f"{start} {ip} {another}", f"{start} {other} {l4}"]))

    def test_both_directions(self):
        """Without pdu_t a rule is for both."""
        self.check_rows(
            Row("eth / ipv4 / udp / gtpu / gtp_psc / ipv4", "eth ipv4 udp gtpu up ipv4",
                {"ipv4": "src dst"}, alike=["eth ipv4 udp gtpu down ipv4"]))

    def test_without_inner(self):
        for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
            self.check_rows(
                Row(f"eth / {ip} / udp / gtpu", f"eth {ip} udp gtpu ipv4",
                    {ip: "outer.src outer.dst", f"{ip} l3-src-only": "outer.src",
                     f"{ip} l3-dst-only": "outer.dst", "gtpu": "teid"},
                    strangers=[f"eth {other} udp gtpu ipv4", f"eth {ip} udp", f"eth {ip} udp gtpc"]),
                Row(f"eth / {ip} / udp / gtpc", f"eth {ip} udp gtpc",
                    {ip: "src dst", f"{ip} l3-src-only": "src", f"{ip} l3-dst-only": "dst",
                     f"symmetric {ip}": "src dst", "gtpu": "teid"},
                    strangers=[f"eth {other} udp gtpc", f"eth {ip} udp", f"eth {ip} udp gtpu ipv4"]))

    def test_behind_gre(self):
        """Of the IP header in GRE the version does not matter, nor whether the pattern has GRE."""
        for outer in ("ipv4", "ipv6"):
            for middle, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
                for container in ("", " up", " down"):
                    self.check_gre(outer, middle, other, container)

    def check_gre(self, outer, middle, other, container):
        psc = {"": "", " up": " / gtp_psc pdu_t is 1", " down": " / gtp_psc pdu_t is 0"}[container]
        start = f"eth {outer} gre {middle} udp gtpu{container}"
        alike = f"eth {outer} gre {other} udp gtpu{container}"
        inside = f"eth {outer} udp gtpu{container}"
        strangers = [f"eth {outer} gre {middle} udp gtpu{more} ipv4 tcp" for more in ("", " up", " down")
                     if more != container]
        self.check_rows(
            Row(f"eth / {outer} / gre / {middle} / udp / gtpu{psc} / ipv4 / tcp", f"{start} ipv4 tcp",
                {"ipv4-tcp": FLOW, "symmetric ipv4 gtpu": "src dst teid"},
                alike=[f"{alike} ipv4 tcp"],
                strangers=[*strangers, f"{inside} ipv4 tcp", f"{start} ipv4 udp"]),
            Row(f"eth / {outer} / udp / gtpu{psc} / ipv6", f"{start} ipv6",
                {"ipv6": "src dst"},
                alike=[f"{alike} ipv6 udp", f"{inside} ipv6"],
                strangers=[f"{start} ipv4 udp"]))


class Tunnels(Case):
    def test_data_center(self):
        """What is in VXLAN, GENEVE, NVGRE and GRE."""
        tunnels = {"udp / vxlan / eth": "udp vxlan eth", "udp / geneve / eth": "udp geneve eth",
                   "nvgre / eth": "nvgre eth", "gre": "gre"}
        for pattern, words in tunnels.items():
            for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
                for l4 in ("udp", "tcp"):
                    self.check_rows(
                        Row(f"eth / ipv4 / {pattern} / {ip} / {l4}", f"eth ipv4 {words} {ip} {l4}",
                            {f"{ip}-{l4}": FLOW, f"{ip}-{l4} l3-dst-only l4-src-only": "dst sport",
                             f"symmetric {ip}": "src dst"},
                            strangers=[f"eth ipv4 {words} {ip}", f"eth ipv4 {words} {other} {l4}",
                                       f"eth ipv6 {words} {ip} {l4}", f"eth {ip} {l4}"]))
            self.check_rows(
                Row(f"eth / ipv6 / {pattern} / ipv4", f"eth ipv6 {words} ipv4", {"ipv4": "src dst"},
                    alike=[f"eth ipv6 {words} ipv4 udp"], strangers=["eth ipv6 udp"]))

    def test_names_of_networks(self):
        self.check_rows(
            Row("eth / ipv4 / udp / vxlan / eth / ipv4", "eth ipv4 udp vxlan eth ipv4",
                {"vxlan": "vni", "ipv4 vxlan": "src dst vni", "eth": "mac_src mac_dst"}),
            Row("eth / ipv4 / udp / geneve / eth / ipv4", "eth ipv4 udp geneve eth ipv4",
                {"geneve": "vni"}),
            Row("eth / ipv4 / nvgre / eth / ipv4", "eth ipv4 nvgre eth ipv4", {"nvgre": "vni flow_id"}))

    def test_pppoe(self):
        """A session, and what the subscriber sends; control messages are nobody's."""
        nobody = ["eth pppoe lcp", "eth pppoed"]
        self.check_rows(
            Row("eth / pppoes", "eth pppoe ppp ipv4 udp",
                {"pppoe": "session", **macs(), "pppoe eth": "session mac_src mac_dst"},
                alike=["eth pppoe ppp ipv6 tcp"], strangers=["eth pppoed", "eth ipv4 udp"]))
        for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
            self.check_rows(
                Row(f"eth / pppoes / {ip}", f"eth pppoe ppp {ip}",
                    {**addresses(ip), **macs(), "pppoe": "session", f"{ip} pppoe": "src dst session",
                     "eth l2-src-only pppoe": "mac_src session"},
                    alike=[f"eth pppoe ppp {ip} tcp"],
                    strangers=[*nobody, f"eth pppoe ppp {other}", f"eth {ip}"]))
            for n, (l4, another) in enumerate((("udp", "tcp"), ("tcp", "udp"))):
                self.check_rows(
                    Row(f"eth / pppoes / {ip} / {l4}", f"eth pppoe ppp {ip} {l4}",
                        share({**flows(ip, l4), "pppoe": "session"}, n, 2),
                        strangers=[*nobody, f"eth pppoe ppp {ip}", f"eth pppoe ppp {ip} {another}",
                                   f"eth {ip} {l4}"]))

    def test_security_associations(self):
        for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
            self.check_rows(
                Row(f"eth / {ip} / esp", f"eth {ip} esp", {"esp": "spi", f"{ip} esp": "src dst spi"},
                    strangers=[f"eth {other} esp", f"eth {ip} udp esp", f"eth {ip} ah"]),
                Row(f"eth / {ip} / udp / esp", f"eth {ip} udp esp", {"esp": "spi"},
                    strangers=[f"eth {other} udp esp", f"eth {ip} esp", f"eth {ip} udp"]),
                Row(f"eth / {ip} / ah", f"eth {ip} ah", {"ah": "spi", f"{ip} ah": "src dst spi"},
                    alike=[f"eth {ip} ah udp"], strangers=[f"eth {other} ah", f"eth {ip} esp"]),
                Row(f"eth / {ip} / l2tpv3oip", f"eth {ip} l2tpv3", {"l2tpv3": "session"},
                    strangers=[f"eth {other} l2tpv3", f"eth {ip} udp l2tp"]))

    def test_pfcp(self):
        """A session's messages go by it; a node's messages have none."""
        for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
            self.check_rows(
                Row(f"eth / {ip} / udp / pfcp", f"eth {ip} udp session",
                    {"pfcp": "seid", f"{ip} pfcp": "src dst seid"},
                    strangers=[f"eth {ip} udp node", f"eth {other} udp session", f"eth {ip} udp"]))

    def test_l2tpv2(self):
        """Optional fields move what follows."""
        kinds = {"data": "l2tp", "data_l": "l2tp_l", "data_s": "l2tp_s", "data_o": "l2tp_o",
                 "data_l_s": "l2tp_ls", "control": "l2tp_control"}
        for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
            for kind, word in kinds.items():
                self.check_rows(
                    Row(f"eth / {ip} / udp / l2tpv2 type {kind}", f"eth {ip} udp {word}",
                        {"l2tpv2": "session"},
                        strangers=[f"eth {ip} udp {another}" for another in kinds.values()
                                   if another != word] + [f"eth {other} udp {word}"]))
        self.check_rows(
            Row("eth / ipv4 / udp / l2tpv2", "eth ipv4 udp l2tp",
                {"l2tpv2": "session", "eth l2-src-only l2tpv2": "mac_src session"},
                alike=[f"eth ipv4 udp {word}" for word in kinds.values()], strangers=["eth ipv4 udp"]))

    def test_ppp_in_l2tpv2(self):
        n = 0
        for word, kind in (("l2tp", "data"), ("l2tp_l", "data_l"), ("l2tp_s", "data_s"),
                           ("l2tp_o", "data_o"), ("l2tp_ls", "data_l_s")):
            for outer, around in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
                for ip, other in (("ipv4", "ipv6"), ("ipv6", "ipv4")):
                    pattern = f"eth / {outer} / udp / l2tpv2 type {kind} / ppp / {ip}"
                    start = f"eth {outer} udp {word}"
                    l4, another = ("udp", "tcp") if n % 3 else ("tcp", "udp")
                    self.check_rows(
                        Row(pattern, f"{start} hdlc {ip}",
                            share({**addresses(ip), f"{ip} l2tpv2": "src dst session"}, n, 6),
                            alike=[f"{start} hdlc {ip} udp", f"{start} ppp {ip}"],
                            strangers=[f"{start} hdlc {other}", f"eth {around} udp {word} hdlc {ip}"]),
                        Row(f"{pattern} / {l4}", f"{start} hdlc {ip} {l4}",
                            share(flows(ip, l4), n, 16), strangers=[f"{start} hdlc {ip} {another}"]))
                    n += 1
        self.check_rows(
            Row("eth / ipv4 / udp / l2tpv2 / ppp / ipv6 / tcp", "eth ipv4 udp l2tp_o hdlc ipv6 tcp",
                {"ipv6-tcp": FLOW}, alike=["eth ipv4 udp l2tp hdlc ipv6 tcp"]))


class Ecpri(Case):
    def test_over_ethernet(self):
        self.check_rows(
            Row("eth / ecpri", "eth iq", {"ecpri": "pc_id", "ecpri eth": "pc_id mac_src mac_dst"},
                alike=["eth rtc"], strangers=["eth event", "eth ipv4 ecpri_udp iq"]))

    def test_over_udp_from_when_its_port_is_declared(self):
        """Messages of one id hash alike however they come."""
        packets = ["eth iq", "eth ipv4 ecpri_udp iq", "eth ipv4 ecpri_udp rtc",
                   "eth ipv4 ecpri_udp event"]
        other = vary("eth ipv4 ecpri_udp iq", "pc_id")

        def hashes():
            self.renew(*map(vary, packets), other)
            self.create(hash_rule("eth / ecpri", "ecpri"))
            self.create(hash_rule("eth / ipv4 / udp / ecpri", "ecpri"), 1)
            return [one.hash for one in self.receive()]

        frame, *over_udp = hashes()
        self.assertIsNotNone(frame)
        self.assertEqual(over_udp, [None] * 4)
        self.pmd.command(f"port config 0 udp_tunnel_port add ecpri {rules.ECPRI_PORT}")
        found = hashes()
        self.assertEqual(found[:4], [frame, frame, frame, None])
        self.assertNotIn(found[4], (None, frame))
        self.check_rows(
            Row("eth / ipv4 / udp / ecpri", "eth ipv4 ecpri_udp iq",
                {"ecpri": "pc_id", "ipv4 ecpri": "src dst pc_id"}, strangers=["eth iq"]),
            Row("eth / ipv6 / udp / ecpri", "eth ipv6 ecpri_udp rtc", {"ecpri": "pc_id"},
                strangers=["eth ipv4 ecpri_udp rtc"]))
        self.pmd.command(f"port config 0 udp_tunnel_port rm ecpri {rules.ECPRI_PORT}")
        self.assertEqual(hashes(), [frame, *[None] * 4])


class WholePort(Case):
    FLOW4 = bytes([10, 1, 0, 1, 192, 0, 2, 5, 1000 >> 8, 1000 & 255, 2000 >> 8, 2000 & 255])

    def hashes(self, function):
        """Of packets of the port, whatever they are: only the function changes."""
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "swap_ip"),
                   vary("eth ipv4 udp", "swap_ports"), vary("eth ipv6 tcp"), vary("eth arp"))
        self.create(hash_rule("", function))
        packets = self.receive()
        for one in packets:
            self.check_queue(one, function)
        self.assertIsNotNone(packets[3].hash)
        self.assertIsNone(packets[4].hash)
        return [one.hash for one in packets[:3]]

    def test_simple_xor(self):
        usual, swapped_ips, swapped_ports = self.hashes("simple_xor")
        self.assertEqual((usual, swapped_ips), (harness.simple_xor(self.FLOW4),) * 2)
        self.assertNotEqual(usual, swapped_ports)  # both are in one word

    def test_symmetric(self):
        self.assertEqual(len(set(self.hashes("symmetric"))), 1)

    def test_toeplitz(self):
        hashes = self.hashes("toeplitz")
        self.assertEqual(hashes[0], harness.toeplitz(self.FLOW4))
        self.assertEqual(len(set(hashes)), 3)

    def test_a_rule_on_top_counts_for_its_packets(self):
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 tcp"))
        self.create(hash_rule("", "simple_xor"))
        self.create(hash_rule("eth / ipv4 / udp", "ipv4"), 1)
        by_rule, by_port = self.receive()
        self.assertEqual(by_rule.hash, harness.toeplitz(self.FLOW4[:8]))
        self.assertEqual(by_port.hash, harness.simple_xor(self.FLOW4))


class Bytes(Case):
    """The very bytes that are hashed."""

    def check_hash(self, packet, pattern, types, data):
        self.renew(vary(packet))
        self.create(hash_rule(pattern, types))
        one, = self.receive()
        self.assertEqual(one.hash, harness.toeplitz(data), pattern)

    def test_toeplitz_of_the_fields_in_their_order(self):
        src, dst = bytes([10, 1, 0, 1]), bytes([192, 0, 2, 5])
        src6 = bytes.fromhex("20010db8000000010000000000000001")
        self.check_hash("eth ipv4", "eth / ipv4", "ipv4", src + dst)
        self.check_hash("eth ipv4 udp gtpu up ipv4 tcp", "eth / ipv4 / udp / gtpu / gtp_psc / ipv4",
                        "ipv4 l3-dst-only", dst)
        self.check_hash("eth ipv4 udp gtpu ipv4", "eth / ipv4 / udp / gtpu / ipv4", "gtpu",
                        bytes([0, 0, 0x12, 0x34]))
        self.check_hash("eth ipv6", "eth / ipv6", "ipv6 l3-src-only l3-pre48", src6[:6])

    def test_symmetric_is_the_source_xor_the_destination(self):
        both = bytes(a ^ b for a, b in zip([10, 1, 0, 1], [192, 0, 2, 5]))
        self.check_hash("eth ipv4", "eth / ipv4", "symmetric ipv4", both + both)


class Raw(Case):
    """Rules of a packet and a mask in hexadecimal."""

    def raw_rule(self, packet, mask, func=""):
        return rules.rule(f"raw pattern spec {packet.hex()} pattern mask {mask.hex()}",
                          f"rss {func}queues end")

    def masked(self, packet, *ranges):
        return bytes(0xff if any(start <= i < end for start, end in ranges) else 0
                     for i in range(len(packet)))

    def header(self, text, size):
        return vary(text)[:size]

    def check_mask(self, text, size, ranges, changes, strangers, func=""):
        spec = self.header(text, size)
        # One more header makes it another packet.
        names = [name for name in names_of(text) if name not in ("tag", "gtpu_ext")]
        self.renew(vary(text), *(vary(text, name) for name in names), *map(vary, strangers))
        self.create(self.raw_rule(spec, self.masked(spec, *ranges), func))
        base, *packets = self.receive()
        self.assertIsNotNone(base.hash)
        for name, one in zip(names, packets):
            if name in changes:
                self.assertNotEqual(one.hash, base.hash, name)
            else:
                self.assertEqual(one.hash, base.hash, name)
        for text, one in zip(strangers, packets[len(names):]):
            self.assertIsNone(one.hash, text)

    def test_the_mask_chooses_what_is_hashed(self):
        strangers = ["eth ipv4 tcp", "eth ipv6 udp", "eth ipv4"]
        self.check_mask("eth ipv4 udp", 42, [(26, 30)], ["src", "swap_ip"], strangers)
        self.check_mask("eth ipv4 udp", 42, [(26, 34)], ["src", "dst", "swap_ip"], strangers)
        self.check_mask("eth ipv4 udp", 42, [(34, 38)], ["sport", "dport", "swap_ports"], strangers)
        self.check_mask("eth ipv4 udp", 42, [(6, 12), (36, 38)], ["mac_src", "dport", "swap_ports"],
                        strangers)

    def test_symmetric(self):
        self.check_mask("eth ipv4 udp", 42, [(26, 38)], ["src", "dst", "sport", "dport"],
                        ["eth ipv4 tcp"], "func symmetric_toeplitz ")

    def test_a_tunnel(self):
        """Uplink and downlink are different packets."""
        self.check_mask("eth ipv4 udp gtpu up ipv4", 58 + 20, [(58 + 12, 58 + 16)], ["src", "swap_ip"],
                        ["eth ipv4 udp gtpu down ipv4", "eth ipv4 udp gtpu ipv4"])

    def test_the_newer_of_two_rules_for_one_packet_decides(self):
        spec = self.header("eth ipv4 udp", 42)
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "src"), vary("eth ipv4 udp", "dst"))
        self.create(self.raw_rule(spec, self.masked(spec, (26, 30))))
        self.create(self.raw_rule(spec, self.masked(spec, (30, 34))), 1)
        base, other_src, other_dst = (one.hash for one in self.receive())
        self.assertEqual(base, other_src)
        self.assertNotEqual(base, other_dst)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
