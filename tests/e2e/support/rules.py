# SPDX-License-Identifier: BSD-3-Clause
"""rte_flow rules in testpmd, and packets for them as text: "eth ipv4 udp gtpu up ipv4 tcp".

A packet has its usual values but for those that a test varies: vary("eth ipv4 udp", "sport").
Where a packet is in another, the names of its values are those of the inner one; those of the one
around it are "outer.src", around that "outer.outer.src".
"""

import json
import re

from support import harness, testpmd
from packets import (DATA, ah, arp, ecpri, esp, eth, geneve, gre, gtpc1, gtpu, hopopts, icmp, ipv4, ipv6,
                     ipv6_frag, l2tpv2, l2tpv3, lcp, mpls, nvgre, packet, pfcp, ppp, pppoe, pppoed, psc, sctp,
                     tcp, udp, vlan, vxlan)

QUEUES = 16
PROFILE = "e810-comms"
ECPRI_PORT = 5123

# Values that exchange source and destination, or their ports: what a symmetric hash does not notice.
SWAPS = ["swap_ip", "swap_ports"]


class Values:
    """Of one packet: the usual ones, but for those that are varied. Collects their names."""

    def __init__(self, varied):
        self.varied = varied
        self.names = []

    def of(self, prefix=""):
        def choose(name, usual, other):
            name = prefix + name
            if name not in self.names:
                self.names.append(name)
            return other if name in self.varied else usual
        return choose


def sides(v, swap, src, dst):
    return (dst, src) if v(swap, False, True) else (src, dst)


def ip4(v, **fixed):
    src, dst = sides(v, "swap_ip", v("src", "10.1.0.1", "10.7.3.9"),
                     v("dst", "192.0.2.5", "192.0.9.77"))
    return ipv4(src, dst, tos=v("tos", 0, 8), ttl=v("ttl", 64, 9), id=v("id", 1, 1000), **fixed)


def ip6(v, src="2001:db8:0:1::1", dst="2001:db8:0:2::2"):
    src, dst = sides(v, "swap_ip", v("src", src, "2003:db8:0:1::1"),
                     v("dst", dst, "2009:db8:0:2::2"))
    return ipv6(src, dst, flow_label=v("label", 0, 99), hop_limit=v("hops", 64, 9))


def prefix6(v):
    """Addresses that differ in their first 32 bits ("src"), or from one bit on ("src33")."""
    return ip6(v, f"2001:db8:{v('src33', 1, 81)}:{v('src49', 2, 92)}::{v('src65', 3, 73)}",
               f"2001:db9:{v('dst33', 4, 64)}:{v('dst49', 5, 55)}::{v('dst65', 6, 46)}")


def transport(layer):
    def build(v):
        ports = sides(v, "swap_ports", v("sport", 1000, 1717), v("dport", 2000, 2929))
        return layer(*ports, checksum=v("checksum", 0x1111, 0x2222))
    return build


def l2tp(**options):
    return lambda v: l2tpv2(v("tunnel", 3, 30), v("session", 7, 70), **options)


def of_pc_id(kind):
    return lambda v: ecpri(kind, v("pc_id", b"\0\7", b"\x70\7") + v("seq", b"\0\1", b"\0\2"))


WORDS = {
    "eth": lambda v: eth(v("mac_src", "02:00:00:00:00:01", "02:00:00:00:07:01"),
                         v("mac_dst", "02:00:00:00:00:02", "02:00:00:00:09:02")),
    "vlan": lambda v: vlan(v("vid", 5, 55), pcp=v("pcp", 0, 3)),
    "mpls": lambda v: mpls(v("label", 16, 17)),
    "arp": lambda v: arp(),
    "ipv4": ip4,
    "frag4": lambda v: ip4(v, mf=1),
    "rest4": lambda v: ip4(v, frag=4),
    "ipv6": ip6,
    "prefix6": prefix6,
    "hop": lambda v: hopopts(),
    "frag6": lambda v: ipv6_frag(0, 1, v("frag_id", 1, 1000)),
    "rest6": lambda v: ipv6_frag(4, 0, v("frag_id", 1, 1000)),
    "icmp": lambda v: icmp(),
    "udp": transport(udp),
    "tcp": transport(tcp),
    "sctp": transport(sctp),
    "ecpri_udp": lambda v: udp(v("sport", 1000, 1717), ECPRI_PORT),
    "echo": lambda v: gtpu(0, type=1, seq=1),
    "gtpc": lambda v: gtpc1(v("teid", 0x1234, 0x9234)),
    "vxlan": lambda v: vxlan(v("vni", 77, 777)),
    "geneve": lambda v: geneve(v("vni", 77, 777)),
    "gre": lambda v: gre(key=v("key", None, 9)),
    "nvgre": lambda v: nvgre(v("vni", 77, 777), v("flow_id", 0, 3)),
    "pppoe": lambda v: pppoe(v("session", 7, 70)),
    "pppoed": lambda v: pppoed(),
    "ppp": lambda v: ppp(),
    "hdlc": lambda v: ppp(address=True),
    "lcp": lambda v: lcp(),
    "esp": lambda v: esp(v("spi", 0x11, 0x9111), v("seq", 1, 2)),
    "ah": lambda v: ah(v("spi", 0x11, 0x9111), v("seq", 1, 2)),
    "l2tpv3": lambda v: l2tpv3(v("session", 7, 0x70007)),
    "l2tp": l2tp(),
    "l2tp_l": l2tp(length=True),
    "l2tp_s": l2tp(ns=1),
    "l2tp_o": l2tp(offset=6),
    "l2tp_ls": l2tp(length=True, ns=1),
    "l2tp_control": l2tp(length=True, ns=1, control=True),
    "session": lambda v: pfcp(v("seid", 0x99, 0x8000000000000099), seq=v("seq", 1, 2)),
    "node": lambda v: pfcp(seq=v("seq", 1, 2)),
    "iq": of_pc_id(0),
    "rtc": of_pc_id(2),
    "event": lambda v: ecpri(7, bytes(8)),
}
CONTAINERS = {"up": 1, "down": 0}  # of GTP-U, behind it
IPS = ("ipv4", "frag4", "rest4", "ipv6", "prefix6")
TRANSPORTS = ("udp", "tcp", "sctp", "ecpri_udp")
IN_UDP = ("gtpu", "echo", "gtpc", "vxlan", "geneve", "esp", "session", "node",
          *(word for word in WORDS if word.startswith("l2tp_") or word == "l2tp"))


def gtpu_of(v, follow):
    ext = [psc(CONTAINERS[follow], v("qfi", 9, 33))] if follow in CONTAINERS else []
    if v("gtpu_ext", False, True):
        ext.append((0xc0, b"\0\1"))
    return gtpu(v("teid", 0x1234, 0x9234), ext=ext, seq=v("gtpu_seq", None, 7))


def layer_of(word, follow, v):
    if word == "gtpu":
        return gtpu_of(v, follow)
    if word == "udp" and follow in IN_UDP:  # whose port it is
        return udp(v("sport", 1000, 1717))
    return WORDS[word](v)


def layers_of(words, values):
    inner = {"ip": sum(word in IPS for word in words), "eth": words.count("eth"),
             "vlan": words.count("vlan")}
    for i, word in enumerate(words):
        kind = "ip" if word in IPS else word
        if kind in inner:
            inner[kind] -= 1
        around = inner.get("ip" if word in TRANSPORTS else kind, 0)
        follow = words[i + 1] if i + 1 < len(words) else None
        if word not in CONTAINERS:
            yield layer_of(word, follow, values.of("outer." * around))
        if i == 0 and "vlan" not in words and values.of()("tag", False, True):
            yield vlan(99)


def build(text, varied):
    """A packet as text, with other than the usual values of these names; all names it has."""
    values = Values(varied)
    layers = list(layers_of(text.split(), values))
    layers.append(values.of()("length", DATA, DATA * 3))
    unknown = set(varied) - set(values.names)
    assert not unknown, f"'{text}' has no {unknown}"
    return packet(*layers), values.names


def vary(text, *varied):
    return build(text, varied)[0]


def names_of(text):
    return build(text, ())[1]


def hash_rule(pattern, hashed):
    """In testpmd's words. hashed: RSS types; before them perhaps a function (see below)."""
    func = {"symmetric": "symmetric_toeplitz", "toeplitz": "toeplitz", "simple_xor": "simple_xor"}
    words = hashed.split()
    action = f"rss func {func[words.pop(0)]}" if words and words[0] in func else "rss"
    if words:
        action += f" types {' '.join(words)} end"
    return rule(pattern, f"{action} key_len 0 queues end")


def rule(pattern, actions):
    return f"pattern {pattern}{' /' if pattern else ''} end actions {actions} / end"


class Watched(testpmd.Testpmd):
    """A testpmd whose rules are known: the commands that created them, or None where they have gone or
    the port has another setting than ddpctl."""

    rules = None
    reconfigured = False  # until the test's end, which takes it back

    def command(self, line):
        said = super().command(line)
        self.reconfigured |= line.startswith("port config")
        if line == "port stop 0" and not self.reconfigured:
            self.rules = []
        elif line.startswith(("flow destroy", "flow flush", "port stop", "port config")):
            self.rules = None
        elif line.startswith("flow create") and " created" in said and self.rules is not None:
            self.rules.append(line)
        return said


class Case(harness.TestCase):
    """Tests that share a testpmd. Its packets come from a capture, once for each request.

    Of each packet ddpctl, given the same rules as text, must say what testpmd prints, and of each rule that is
    refused, why."""

    options = ("--disable-rss",)  # so that only rules hash
    rss_hf = "none"  # for ddpctl
    profile = PROFILE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.launch()

    @classmethod
    def launch(cls):
        player = testpmd.Player(cls.capture("packets", []))
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={player.path.name}),overflow=wait"
        if cls.profile:
            vdev += f",profile={cls.profile}"
        cls.pmd = Watched(cls.shared(), [vdev], f"--rxq={QUEUES}", f"--txq={QUEUES}",
                                  "--disable-link-check", *cls.options)
        cls.pmd.rules = []
        cls.pmd.commands("set fwd rxonly", "set verbose 1")

    def setUp(self):
        if self.pmd.closed:
            self.launch()
        self.pmd.reconfigured = False

    def renew(self, *frames):
        """Have these packets wait to be received. A stop takes the rules of testpmd with it."""
        self.pmd.text = ""  # it would grow and grow
        self.pmd.command("port stop 0")
        self.player = testpmd.Player(self.capture("packets", frames))
        self.n_frames = len(frames)
        self.pmd.command("port start 0")

    def receive(self):
        """Each packet as testpmd prints it."""
        in_order = sorted(self.pmd.receive(self.player, self.n_frames), key=lambda one: one.n)
        self.assertEqual([one.n for one in in_order], list(range(self.n_frames)))
        if self.pmd.rules:
            self.check_predicted(in_order)
        return in_order

    def predict(self, *texts):
        """ddpctl's run with the port's rules and these."""
        path = self.folder / "rules.txt"
        path.write_text("\n".join([*self.pmd.rules, *texts]) + "\n")
        return harness.ddpctl("classify", self.profile, self.folder / "packets.pcap", "--jsonl", "--queues",
                              QUEUES, "--rss-hf", self.rss_hf, "--rule", f"@{path}")

    def check_predicted(self, packets):
        result = self.predict()
        self.assertEqual(result.returncode, 0, result.stderr)
        said = map(json.loads, result.stdout.splitlines())
        self.assertEqual([(one["queue"], one["hash"]) for one in said],
                         [(one.queue, one.hash if one.hash is None else f"0x{one.hash:08x}") for one in packets],
                         self.pmd.rules)

    def create(self, text, rule_id=0, attributes="ingress"):
        """Validate and create a rule: they must agree."""
        said = self.pmd.command(f"flow validate 0 {attributes} {text}")
        self.assertIn("Flow rule validated", said, text)
        said = self.pmd.command(f"flow create 0 {attributes} {text}")
        self.assertIn(f"Flow rule #{rule_id} created", said, text)

    def refused(self, text, reason, attributes="ingress", error="Invalid argument"):
        for command in ("validate", "create"):
            said = self.pmd.command(f"flow {command} 0 {attributes} {text}")
            self.assertRegex(said, rf"Caught PMD error type .*{re.escape(reason)}: {error}", text)
        if self.pmd.rules is not None:
            result = self.predict(f"flow create 0 {attributes} {text}")
            self.assertEqual(result.returncode, 1, text)
            self.assertRegex(result.stderr, rf"\d+: error: ({re.escape(reason)}|expected an (item|action).*)\n", text)

    def destroy(self, rule_id=0):
        self.assertIn(f"Flow rule #{rule_id} destroyed",
                      self.pmd.command(f"flow destroy 0 rule {rule_id}"))

    def no_rules(self):
        self.assertEqual(self.pmd.command("flow list 0").strip(), "")
        self.pmd.rules = None if self.pmd.reconfigured else []

    def check_queue(self, one, text):
        """By its hash; queue 0 without one."""
        self.assertEqual(one.queue, 0 if one.hash is None else one.hash % QUEUES, text)
