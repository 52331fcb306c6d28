#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bundles: what they put together, and how e810-comms hashes by rss_hf.

    bundles_test.py path/to/ddpctl path/to/profiles
"""

import ipaddress
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import packets as p  # noqa: E402

ddpctl = profile_dir = None

OUTER = {"ipv4.src": p.IP_A, "ipv4.dst": p.IP_B}
OUTER6 = {"ipv6.src": p.IP6_A, "ipv6.dst": p.IP6_B}
PLAIN = {"ipv4.src": p.IP_A, "ipv4.dst": p.IP_B}
UE, SERVER = "10.9.8.7", "203.0.113.5"
USER = {"inner.ipv4.src": UE, "inner.ipv4.dst": SERVER}
IN4, IN6 = p.ipv4(UE, SERVER), p.ipv6("fd00::1", "fd00::2")
TCP = p.packet(p.eth(), p.ipv4(), p.tcp(1, 2))
N3 = (p.eth(), p.ipv4(), p.udp(2152), p.gtpu(5, ext=[p.psc(1, 9)]))


def ports(l4, sport, dport, where=""):
    return {"%s%s.sport" % (where, l4): sport, "%s%s.dport" % (where, l4): dport}


def tunnel_udp(dport):
    return {**OUTER, **ports("udp", 50000, dport, "")}


# What e810-comms hashes: name, packet, rss_hf, fields or None for "not hashed".
E810 = [
    ("UDP", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "all", {**PLAIN, **ports("udp", 1, 2)}),
    ("UDP, ip", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "ip", PLAIN),
    ("UDP, tcp", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "tcp", None),
    ("UDP, l4-chksum", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "ip+l4-chksum",
     {**PLAIN, **ports("udp", 1, 2), "udp.checksum": 0}),
    ("TCP, ipv4-chksum", TCP, "ip+ipv4-chksum",
     {**PLAIN, **ports("tcp", 1, 2), "ipv4.checksum": int.from_bytes(TCP[24:26], "big")}),
    ("fragment", p.packet(p.eth(), p.ipv4(mf=1), p.udp(1, 2)), "all", PLAIN),
    ("ARP", p.packet(p.eth(), p.arp()), "all", None),

    ("GTP-U, UDP inside", p.packet(*N3, IN4, p.udp(1, 2)), "all",
     {**OUTER, **ports("udp", 1, 2, "inner.")}),
    ("GTP-U, TCP inside", p.packet(*N3, IN6, p.tcp(1, 2)), "all",
     {**OUTER, **ports("tcp", 1, 2, "inner.")}),
    ("GTP-U, TCP inside, ip", p.packet(*N3, IN4, p.tcp(1, 2)), "ip", OUTER),
    ("GTP-U, ICMP inside", p.packet(*N3, IN4, p.icmp()), "all", OUTER),
    ("GTP-U over IPv6", p.packet(p.eth(), p.ipv6(), p.udp(2152), p.gtpu(5), IN4, p.udp(1, 2)), "all",
     {**OUTER6, **ports("udp", 1, 2, "inner.")}),
    ("GTP-U over IPv6, ipv4", p.packet(p.eth(), p.ipv6(), p.udp(2152), p.gtpu(5), IN4, p.udp(1, 2)),
     "ipv4", None),
    ("GTP-U echo", p.packet(p.eth(), p.ipv4(), p.udp(2152), p.gtpu(0, type=1)), "all", OUTER),
    ("GTP-U behind GRE", p.packet(p.eth(), p.ipv4(), p.gre(), p.ipv4(), p.udp(2152), p.gtpu(5), IN4,
                                  p.udp(1, 2)), "all",
     {**USER, **ports("udp", 1, 2, "inner.")}),
    ("GTP-U behind GRE, ICMP", p.packet(p.eth(), p.ipv4(), p.gre(), p.ipv4(), p.udp(2152),
                                        p.gtpu(5), IN4, p.icmp()), "all", USER),

    ("PPPoE, UDP", p.packet(p.eth(), p.pppoe(7), p.ppp(), IN4, p.udp(1, 2)), "all",
     {**USER, **ports("udp", 1, 2, "inner.")}),
    ("PPPoE, SCTP", p.packet(p.eth(), p.pppoe(7), p.ppp(), IN4, p.sctp(1, 2)), "all", USER),
    ("PPPoE, LCP", p.packet(p.eth(), p.pppoe(7), p.ppp(), p.lcp()), "all", None),
    ("PPPoE discovery", p.packet(p.eth(), p.pppoed()), "all", None),
    ("MPLS", p.packet(p.eth(), p.mpls(16), IN4, p.udp(1, 2)), "all",
     {**USER, **ports("udp", 1, 2, "inner.")}),

    ("VXLAN", p.packet(p.eth(), p.ipv4(), p.udp(), p.vxlan(7), p.eth(), IN4, p.udp(1, 2)), "all",
     tunnel_udp(4789)),
    ("VXLAN, ip", p.packet(p.eth(), p.ipv4(), p.udp(), p.vxlan(7), p.eth(), IN4, p.udp(1, 2)), "ip",
     OUTER),
    ("VXLAN, IPv6", p.packet(p.eth(), p.ipv6(), p.udp(), p.vxlan(7), p.eth(), IN4, p.udp(1, 2)), "all",
     {**OUTER6, **ports("udp", 50000, 4789, "")}),
    ("Geneve", p.packet(p.eth(), p.ipv4(), p.udp(), p.geneve(7), p.eth(), IN6, p.tcp(1, 2)), "all",
     tunnel_udp(6081)),
    ("L2TPv2", p.packet(p.eth(), p.ipv4(), p.udp(), p.l2tpv2(1, 2), p.ppp(), IN4, p.udp(1, 2)), "all",
     tunnel_udp(1701)),
    ("PFCP", p.packet(p.eth(), p.ipv4(), p.udp(), p.pfcp(99)), "all", tunnel_udp(8805)),
    ("GTP-C", p.packet(p.eth(), p.ipv4(), p.udp(), p.gtpc2(99)), "all", tunnel_udp(2123)),
    ("NAT-T", p.packet(p.eth(), p.ipv4(), p.udp(), p.esp(99)), "all", tunnel_udp(4500)),
    ("L2TPv3 over UDP", p.packet(p.eth(), p.ipv4(), p.udp(), p.l2tpv3_udp(9), p.DATA), "all",
     tunnel_udp(1701)),
    ("L2TPv3 over IP", p.packet(p.eth(), p.ipv4(), p.l2tpv3(9), p.DATA), "all", OUTER),
    ("ESP", p.packet(p.eth(), p.ipv4(), p.esp(99), p.DATA), "all", OUTER),
    ("ESP, udp", p.packet(p.eth(), p.ipv4(), p.esp(99), p.DATA), "udp", None),
    ("AH", p.packet(p.eth(), p.ipv4(), p.ah(99), p.udp(1, 2)), "all", OUTER),
    ("GRE", p.packet(p.eth(), p.ipv4(), p.gre(), IN4, p.udp(1, 2)), "all", OUTER),
    ("NVGRE, IPv6", p.packet(p.eth(), p.ipv6(), p.nvgre(7), p.eth(), IN4, p.udp(1, 2)), "all", OUTER6),
    ("IP in IP", p.packet(p.eth(), p.ipv4(), IN4, p.udp(1, 2)), "all", OUTER),
    ("eCPRI", p.packet(p.eth(), p.ecpri(0, bytes(20))), "all", None),
]


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


# What i40e-default hashes, by the type of a 700-series NIC that a packet has.
I40E = [
    ("UDP", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "all", {**PLAIN, **ports("udp", 1, 2)}),
    ("UDP, udp", p.packet(p.eth(), p.ipv6(), p.udp(1, 2)), "udp", {**OUTER6, **ports("udp", 1, 2)}),
    ("UDP, ip", p.packet(p.eth(), p.ipv4(), p.udp(1, 2)), "ip", None),
    ("TCP, ipv4", TCP, "ipv4", None),
    ("SCTP", SCTP, "all", {**PLAIN, **ports("sctp", 1, 2), **VTAG}),
    ("SCTP, ip", SCTP, "ip", None),
    ("fragment", p.packet(p.eth(), p.ipv4(mf=1), p.udp(1, 2)), "ipv4-frag", PLAIN),
    ("fragment, udp", p.packet(p.eth(), p.ipv4(mf=1), p.udp(1, 2)), "udp", None),
    ("ICMP", p.packet(p.eth(), p.ipv4(), p.icmp()), "ipv4-other", PLAIN),
    ("ICMP, ipv4", p.packet(p.eth(), p.ipv4(), p.icmp()), "ipv4", None),
    ("ARP", p.packet(p.eth(), p.arp()), "l2-payload", {"eth.type": 0x0806}),
    ("ARP, ip", p.packet(p.eth(), p.arp()), "ip", None),
    ("GTP-U", p.packet(*N3, IN4, p.udp(1, 2)), "all", {**PLAIN, **ports("udp", 2152, 2152)}),
]

# What a rule with these RSS types hashes there of a UDP packet; None: the rule is not for it.
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


def run(*args):
    return subprocess.run([ddpctl, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env=dict(os.environ, DDP_PROFILE_PATH=profile_dir))


def classify(spec, frames, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bundle.pcap")
        with open(path, "wb") as file:
            file.write(p.pcap(frames))
        done = run("classify", spec, path, "--jsonl", "--queues", "64", *options)
    if done.returncode != 0:
        raise AssertionError("ddpctl classify %s: %s" % (spec, done.stderr.decode()))
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def texts():
    found = {}
    for name in sorted(os.listdir(profile_dir)):
        if name.endswith(".yaml"):
            with open(os.path.join(profile_dir, name), encoding="utf-8") as file:
                found[name[:-5]] = file.read()
    return found


def required(text):
    return re.search(r"^requires: \[([^\]]*)\]", text, re.M).group(1).replace(",", " ").split()


class Bundles(unittest.TestCase):
    def test_all_has_every_profile(self):
        everything = texts()
        bundles = {name for name, text in everything.items()
                   if not re.search(r"^(headers|extend|packet_types):", text, re.M)}
        self.assertEqual(bundles, {"5g-upf", "all", "bng", "datacenter", "e810-comms", "fronthaul", "i40e-default"})
        self.assertEqual(sorted(required(everything["all"])), sorted(set(everything) - bundles))

    def test_e810_hashes_what_rss_hf_asks_for(self):
        for name, frame, rss_hf, fields in E810:
            with self.subTest(name):
                [got] = classify("e810-comms", [frame], "--rss-hf", rss_hf)
                hashed = got["hash"] is not None
                self.assertEqual(hashed, fields is not None)
                if not hashed:
                    self.assertEqual(got["queue"], 0)
                    continue
                [bare] = classify("e810-comms", [frame], "--rss-hf", "none")
                extracted = {key: value for key, value in bare["fields"].items() if key not in fields}
                self.assertEqual(got["fields"], {**fields, **extracted})
                self.assertEqual(len(got["input"]) // 2, sum(map(size_of, fields)))

    def test_nested_tunnels(self):
        for bundle, frame in NESTED:
            for spec in (bundle, "all"):
                [got] = classify(spec, [frame])
                self.assertEqual((got["ptype"], got["fields"]),
                                 ("NESTED_IPV4_TCP", {**USER, **ports("tcp", 1, 2, "inner.")}))

    def test_i40e_hashes_what_rss_hf_asks_for(self):
        """Who moves from a 700-series NIC gets the same packets hashed, and the same not."""
        for name, frame, rss_hf, fields in I40E:
            with self.subTest(name):
                [got] = classify("i40e-default", [frame], "--rss-hf", rss_hf)
                self.assertEqual(got["fields"] if got["hash"] is not None else None, fields)

    def test_i40e_rules(self):
        """A rule that was written for a 700-series NIC hashes the same here: TCP alone is in rss_hf."""
        udp = p.packet(p.eth(), p.ipv4(), p.udp(1, 2))
        fragment = p.packet(p.eth(), p.ipv6(), p.ipv6_frag(mf=1), p.udp(1, 2))
        both = p.IP6_A + " " + p.IP6_B
        for pattern, types, fields, frame in [(*row, udp) for row in I40E_RULES] + [
                ("eth / ipv6", "ipv6-frag", both, fragment), ("eth / ipv6", "ipv6-other", None, fragment)]:
            with self.subTest(types):
                [got] = classify("i40e-default", [frame], "--rss-hf", "tcp", "--rule",
                                 f"pattern {pattern} / end actions rss types {types} end queues end / end")
                self.assertEqual(got["input"], input_of(fields))

    def test_e810_all_leaves_the_length_out(self):
        frames = [p.packet(p.eth(), p.ipv4(), p.udp(1, 2), bytes(n)) for n in (10, 200)]
        self.assertEqual(len({got["hash"] for got in classify("e810-comms", frames)}), 1)

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
        got = classify("5g-upf:ue", frames)
        self.assertEqual([one["ptype"] for one in got],
                         ["GTPU_IPV4_UDP", "GTPU_IPV4_UDP", "IPV4_UDP", "GTPU_IPV4_UDP_OVER_GRE",
                          "PFCP_SESSION", "ESP"])
        self.assertEqual(len({one["queue"] for one in got[:4]}), 1)
        self.assertNotEqual(got[0]["hash"], classify("5g-upf", [up])[0]["hash"])

    def test_fronthaul(self):
        iq = p.ecpri(0, bytes.fromhex("12030180") + bytes(16))
        frames = [p.packet(p.eth(), p.vlan(2), iq),
                  p.packet(p.eth(), p.ipv4(), p.udp(1, 7000), iq),
                  p.packet(p.eth(), p.macsec(1, sci=9, e=1, c=1), p.DATA)]
        got = classify("fronthaul;ecpri.port=7000", frames)
        self.assertEqual([one["ptype"] for one in got], ["ECPRI", "ECPRI_UDP", "MACSEC"])
        self.assertEqual(got[0]["hash"], got[1]["hash"])


def size_of(field):
    """Bytes that a field of E810 takes."""
    kind = field.split(".")[-2]
    if field.endswith("checksum"):
        return 4 if kind == "sctp" else 2
    return {"ipv4": 4, "ipv6": 16}.get(kind, 2)


def main():
    global ddpctl, profile_dir
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[2].strip())
    ddpctl, profile_dir = sys.argv[1], os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=1)


if __name__ == "__main__":
    main()
