#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""With profile e810-comms, what testpmd's `port config all rss <type>` says is hashed as an 800-series port hashes it, no
rte_flow rule being there, and by the function that it names. Without it, a user who tests on net_ddp what will run on
such a NIC learns of packets on other queues in production."""

from support import harness, rules, testpmd
from support.rules import SWAPS, names_of, vary

IPS, L4S = ("ipv4", "ipv6"), ("udp", "tcp", "sctp")
FLOW = "src dst sport dport"

# A packet as text, which of its values all types together hash, and the types that hash these, too; the type of its IP
# version alone, and ip, hash the addresses among them. Other types hash nothing of it.
ROWS = [
    *((packet, "", "") for packet in ("eth arp", "eth pppoe lcp", "eth pppoed", "eth iq")),
    *((f"eth ipv4 {l4}", FLOW, f"ipv4-{l4} ipv4-chksum l4-chksum") for l4 in L4S),
    *((f"eth ipv6 {l4}", FLOW, f"ipv6-{l4} l4-chksum") for l4 in L4S),
    ("eth ipv4", "src dst", "ipv4-other ipv4-chksum"), ("eth ipv4 icmp", "src dst", "ipv4-other ipv4-chksum"),
    ("eth frag4 udp", "src dst", "ipv4-frag ipv4-chksum"), ("eth rest4", "src dst", "ipv4-frag ipv4-chksum"),
    ("eth ipv6", "src dst", "ipv6-other"),
    ("eth ipv6 frag6 udp", "src dst", "ipv6-frag"), ("eth ipv6 rest6", "src dst", "ipv6-frag"),
    ("eth ipv6 hop udp", FLOW, "ipv6-udp l4-chksum"), ("eth mpls ipv4 udp", FLOW, "ipv4-udp"),
    ("eth vlan ipv4 udp", FLOW, "ipv4-udp ipv4-chksum l4-chksum"), ("eth vlan ipv6 tcp", FLOW, "ipv6-tcp l4-chksum"),
    # Of GTP-U outer addresses and the innermost ports; behind GRE the innermost addresses, too.
    *((f"eth ipv4 udp gtpu {inner}", "outer.src outer.dst sport dport", f"ipv4-{inner[-3:]}")
      for inner in ("ipv4 udp", "up ipv4 udp", "ipv4 tcp")),
    ("eth ipv6 udp gtpu ipv4 udp", "outer.src outer.dst sport dport", "ipv6-udp"),
    ("eth ipv4 udp gtpu ipv4 icmp", "outer.src outer.dst", "ipv4-udp ipv4-other"),
    ("eth ipv4 udp echo", "src dst", "ipv4-udp ipv4-other"),
    *((f"eth ipv4 gre ipv4 udp {gtpu} ipv4 udp", FLOW, "ipv4-udp") for gtpu in ("gtpu", "gtpu up")),
    ("eth pppoe ppp ipv4 udp", FLOW, "ipv4-udp"), ("eth pppoe ppp ipv6 tcp", FLOW, "ipv6-tcp"),
    ("eth pppoe ppp ipv4 icmp", "src dst", "ipv4-other"),
    # Tunnels of which only the outside counts
    *((f"eth {ip} {tunnel}", fields, f"{ip}-{kind}") for ip in IPS for tunnel, fields, kind in (
        ("udp vxlan eth ipv4 udp", "outer.src outer.dst outer.sport", "udp"),
        ("udp geneve eth ipv4 udp", "outer.src outer.dst outer.sport", "udp"),
        ("udp l2tp hdlc ipv4 udp", "outer.src outer.dst outer.sport", "udp"),
        *((layers, "outer.src outer.dst", "other") for layers in ("gre ipv4 udp", "nvgre eth ipv4 udp", "ipv4 udp",
                                                                   "ah ipv4 udp")),
        ("esp", "src dst", "other"), ("l2tpv3", "src dst", "other"),
        *((f"udp {layer}", "src dst sport", "udp") for layer in ("esp", "session", "gtpc")))),
]
FRAMES = [(row, name, vary(row[0], *([name] if name else []))) for row in ROWS
          for name in (None, *(name for name in names_of(row[0]) if name.rpartition(".")[2] not in SWAPS))]
CHECKSUMS = {"ipv4-chksum": " tos ttl id length", "l4-chksum": " checksum"}  # fields that a checksum depends on
KINDS = ["all", "default", "ip", "none", *L4S, *CHECKSUMS,
         "gtpu", "ipv6-flow-label",  # unknown, as to net_ice, or to testpmd before 24.03
         *(f"{ip}{kind}" for ip in IPS for kind in ("", "-udp", "-tcp", "-sctp", "-other", "-frag"))]

setUpModule = testpmd.set_up_module


def hashed_by(kind, row):
    """The names of the values that a type hashes, None for no hash."""
    _, fields, types = row
    types = types.split()
    if kind in types or types and (kind in ("all", "default") or kind in [name[5:] for name in types if name[5:] in L4S]):
        return (fields + CHECKSUMS.get(kind, "")).split()
    if types and kind in ("ip", types[0][:4]):
        return [name for name in fields.split() if not name.endswith("port")]
    return None


class Types(rules.Case):
    options = ()

    def replay(self, *commands):
        self.renew(*(frame for _, _, frame in FRAMES))
        self.pmd.commands("port config all rss none", *commands)
        packets = self.receive()
        for (row, _, _), one in zip(FRAMES, packets, strict=True):
            self.check_queue(one, row[0])
        return packets

    def test_what_each_type_hashes(self):
        for kind in KINDS:
            with self.subTest(rss=kind):
                found = {}
                for (row, name, _), one in zip(FRAMES, self.replay(f"port config all rss {kind}")):
                    if name is None:
                        base, found[row] = one.hash, None if one.hash is None else []
                    elif one.hash != base:
                        self.assertNotIn(None, (one.hash, base), (row, name))
                        found[row].append(name)
                for row, names in found.items():
                    expected = hashed_by(kind, row)
                    self.assertEqual(names and sorted(names), expected and sorted(expected), row)

    def test_hashes_are_what_ddpctl_says(self):
        """Hash functions of the whole port, which testpmd has words for since DPDK 24.03."""
        if "Bad arguments" in self.pmd.command("port config 0 rss-hash-algo toeplitz"):
            self.skipTest("this testpmd has no `port config 0 rss-hash-algo`")
        for function in ("symmetric_toeplitz", "symmetric_toeplitz_sort", "simple_xor", "toeplitz"):
            with self.subTest(function=function):  # other changes keep the function
                found = self.replay(f"port config 0 rss-hash-algo {function}", "port config all rss all")
                self.assertEqual(self.pmd.command("show port 0 rss-hash algorithm").split()[-1], function)
                packets = harness.classify(self.profile, self.folder / "packets.pcap", "--hash", function)
                self.assertEqual([None if one.hash is None else f"0x{one.hash:08x}" for one in found],
                                 [one["hash"] for one in packets])


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
