#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bundles: what they put together, and how i40e-default hashes by rss_hf."""

import ipaddress
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import packets as p  # noqa: E402
from support import harness  # noqa: E402

OUTER = {"ipv4.src": p.IP_A, "ipv4.dst": p.IP_B}
OUTER6 = {"ipv6.src": p.IP6_A, "ipv6.dst": p.IP6_B}
UE, SERVER = "10.9.8.7", "203.0.113.5"
USER = {"inner.ipv4.src": UE, "inner.ipv4.dst": SERVER}
IN4 = p.ipv4(UE, SERVER)
TCP = p.packet(p.eth(), p.ipv4(), p.tcp(1, 2))
N3 = (p.eth(), p.ipv4(), p.udp(2152), p.gtpu(5, ext=[p.psc(1, 9)]))


def ports(l4, sport, dport, where=""):
    return {"%s%s.sport" % (where, l4): sport, "%s%s.dport" % (where, l4): dport}


SCTP = p.packet(p.eth(), p.ipv4(), p.sctp(1, 2))
VTAG = {"sctp.vtag": int.from_bytes(SCTP[38:42], "big")}


def nested(*layers):
    return p.packet(p.eth(), *layers, IN4, p.tcp(1, 2), p.DATA)


# Bundles and packets of up to three tunnels.
MIDDLE = p.ipv4("192.0.2.7", "192.0.2.8")
NESTED = [
    ("datacenter", nested(p.ipv4(), p.udp(dport=6635), p.mpls(16), MIDDLE, p.gre())),
    ("datacenter", nested(p.vlan(3), p.ipv6(), p.udp(), p.vxlan(7), p.eth(), MIDDLE, p.udp(), p.vxlan(8), p.eth())),
    ("datacenter", nested(p.ipv4(), p.gre(), MIDDLE, p.udp(), p.vxlan(8), p.eth(), p.ipv6(), p.udp(), p.geneve(9),
                          p.eth())),
    ("bng", nested(p.pppoe(7), p.ppp(), MIDDLE, p.udp(), p.l2tpv2(1, 2), p.ppp(), MIDDLE, p.gre())),
    ("all", nested(p.ipv4(), p.udp(2152), p.gtpu(7), MIDDLE, p.gre())),
]


# Fields that i40e-default hashes, by the packet's type on a 700-series NIC.
I40E = [
    ("UDP", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "all", {**OUTER, **ports("udp", 1, 2)}),
    ("UDP, udp", p.packet(p.eth(), p.ipv6(), p.udp(1, 2)), "udp", {**OUTER6, **ports("udp", 1, 2)}),
    ("UDP, ip", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "ip", None),
    ("TCP, ipv4", TCP, "ipv4", None),
    ("SCTP", SCTP, "all", {**OUTER, **ports("sctp", 1, 2), **VTAG}),
    ("SCTP, ip", SCTP, "ip", None),
    ("fragment", p.packet(p.eth(), p.ipv4(mf=1), p.udp(1, 2)), "ipv4-frag", OUTER),
    ("fragment, udp", p.packet(p.eth(), p.ipv4(mf=1), p.udp(1, 2)), "udp", None),
    ("ICMP", p.packet(p.eth(), p.ipv4(), p.icmp()), "ipv4-other", OUTER),
    ("ICMP, ipv4", p.packet(p.eth(), p.ipv4(), p.icmp()), "ipv4", None),
    ("ARP", p.packet(p.eth(), p.arp()), "l2-payload", {"eth.type": 0x0806}),
    ("ARP, ip", p.packet(p.eth(), p.arp()), "ip", None),
    ("GTP-U", p.packet(*N3, IN4, p.udp(1, 2)), "all", {**OUTER, **ports("udp", 2152, 2152)}),
]

# Fields of a UDP packet that a rule with these RSS types hashes; None: the rule does not match it.
I40E_RULES = [
    ("eth / ipv4 / udp", "ipv4-udp l3-src-only l3-dst-only", p.IP_A + " " + p.IP_B),
    ("eth / ipv4 / udp", "ipv4-udp l4-src-only l4-dst-only", "1 2"),
    ("eth / ipv4 / udp", "ipv4-udp l3-src-only", p.IP_A),
    ("eth / ipv4", "ipv4-other", None),
    ("eth / ipv4", "ipv4-frag", None),
]


def input_of(fields):
    """Addresses and ports as they are hashed."""
    return fields and b"".join(int(word).to_bytes(2, "big") if word.isdigit() else ipaddress.ip_address(word).packed
                               for word in fields.split()).hex()


def required(text):
    return re.search(r"^requires: \[([^\]]*)\]", text, re.M).group(1).replace(",", " ").split()


class Bundles(harness.TestCase):
    def classify(self, spec, frames, *options):
        return harness.classify(spec, self.capture("bundle", frames), "--queues", 64, *options)

    def test_all_has_every_profile(self):
        everything = {path.stem: path.read_text() for path in (harness.SOURCE_ROOT / "profiles").glob("*.yaml")}
        bundles = {name for name, text in everything.items()
                   if not re.search(r"^(headers|extend|packet_types):", text, re.M)}
        self.assertEqual(bundles, {"5g-upf", "all", "bng", "datacenter", "e810-comms", "fronthaul", "i40e-default"})
        self.assertEqual(sorted(required(everything["all"])), sorted(set(everything) - bundles))

    def test_e810_hashes_ports_of_l2tpv3_over_udp(self):
        """testpmd_rss_test.py has other packets."""
        [got] = self.classify("e810-comms", [p.packet(p.eth(), p.ipv4(), p.udp(), p.l2tpv3_udp(9), p.DATA)])
        self.assertEqual(got["input"], input_of(f"{p.IP_A} {p.IP_B} 50000 1701"))

    def test_nested_tunnels(self):
        for bundle, frame in NESTED:
            for spec in (bundle, "all"):
                [got] = self.classify(spec, [frame])
                self.assertEqual((got["ptype"], got["fields"]),
                                 ("NESTED_IPV4_TCP", {**USER, **ports("tcp", 1, 2, "inner.")}))

    def test_i40e_hashes_what_rss_hf_asks_for(self):
        """After a move from a 700-series NIC, the same packets are hashed."""
        for name, frame, rss_hf, fields in I40E:
            with self.subTest(name):
                [got] = self.classify("i40e-default", [frame], "--rss-hf", rss_hf)
                self.assertEqual(got["fields"] if got["hash"] is not None else None, fields)

    def test_i40e_rules(self):
        """A rule that was written for a 700-series NIC hashes the same here: TCP alone is in rss_hf."""
        udp = p.packet(p.eth(), p.ipv4(), p.udp(1, 2))
        fragment = p.packet(p.eth(), p.ipv6(), p.ipv6_frag(mf=1), p.udp(1, 2))
        both = p.IP6_A + " " + p.IP6_B
        for pattern, types, fields, frame in [(*row, udp) for row in I40E_RULES] + [
                ("eth / ipv6", "ipv6-frag", both, fragment), ("eth / ipv6", "ipv6-other", None, fragment)]:
            with self.subTest(types):
                [got] = self.classify("i40e-default", [frame], "--rss-hf", "tcp", "--rule",
                                 f"pattern {pattern} / end actions rss types {types} end queues end / end")
                self.assertEqual(got["input"], input_of(fields))

    def test_upf(self):
        up = p.packet(*N3, IN4, p.udp(1, 2))
        down = p.packet(p.eth(), p.ipv4(p.IP_B, p.IP_A), p.udp(2152), p.gtpu(6, ext=[p.psc(0, 9)]),
                        p.ipv4(SERVER, UE), p.udp(2, 1))
        n6 = p.packet(p.eth(), p.ipv4(SERVER, UE), p.udp(2, 1))
        gre = p.packet(p.eth(), p.ipv4(), p.gre(), p.ipv4(), p.udp(2152), p.gtpu(5, ext=[p.psc(1, 9)]),
                       IN4, p.udp(1, 2))
        n4 = p.packet(p.eth(), p.ipv4(), p.udp(), p.pfcp(7))
        esp = p.packet(p.eth(), p.ipv4(), p.esp(7), p.DATA)
        frames = [up, down, n6, gre, n4, esp]
        got = self.classify("5g-upf:ue", frames)
        self.assertEqual([one["ptype"] for one in got],
                         ["GTPU_IPV4_UDP", "GTPU_IPV4_UDP", "IPV4_UDP", "GTPU_IPV4_UDP_OVER_GRE",
                          "PFCP_SESSION", "ESP"])
        self.assertEqual(len({one["queue"] for one in got[:4]}), 1)
        self.assertNotEqual(got[0]["hash"], self.classify("5g-upf", [up])[0]["hash"])

    def test_fronthaul(self):
        iq = p.ecpri(0, bytes.fromhex("12030180") + bytes(16))
        frames = [p.packet(p.eth(), p.vlan(2), iq),
                  p.packet(p.eth(), p.ipv4(), p.udp(1, 7000), iq),
                  p.packet(p.eth(), p.macsec(1, sci=9, e=1, c=1), p.DATA)]
        got = self.classify("fronthaul;ecpri.port=7000", frames)
        self.assertEqual([one["ptype"] for one in got], ["ECPRI", "ECPRI_UDP", "MACSEC"])
        self.assertEqual(got[0]["hash"], got[1]["hash"])


if __name__ == "__main__":
    harness.main("ddpctl")
