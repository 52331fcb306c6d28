#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rte_flow rules in stock testpmd, as users of 800-series NICs write them: a rule hashes or moves exactly its packets,
by exactly the values that it names; which of several rules decides; and what cannot be is refused with a reason.
classify/flow_rss_test.c has what each RSS type means, classify/flow_test.c finds random rules."""

from support import harness, rules, testpmd
from support.rules import QUEUES, hash_rule, names_of, rule, vary

QUEUE = 9
MARK = 0xabc
FLOW = "src dst sport dport"
FLOW4 = bytes([10, 1, 0, 1, 192, 0, 2, 5, 1000 >> 8, 1000 & 255, 2000 >> 8, 2000 & 255])

UDP4 = "eth / ipv4 / udp"
GTPU = f"{UDP4} / gtpu"
IPS = (("ipv4", "ipv6"), ("ipv6", "ipv4"))  # each with the other one
CONTAINERS = {"gtpu": "gtpu", "gtpu / gtp_psc pdu_t is 1": "gtpu up", "gtpu / gtp_psc pdu_t is 0": "gtpu down"}
TUNNELS = {"udp / vxlan / eth": "udp vxlan eth", "udp / geneve / eth": "udp geneve eth",
           "nvgre / eth": "nvgre eth", "gre": "gre"}
L2TP = {"data": "l2tp", "data_l": "l2tp_l", "data_s": "l2tp_s", "data_o": "l2tp_o", "data_l_s": "l2tp_ls",
        "control": "l2tp_control"}


def hashed():
    """Rules that hash: a pattern; one of its packets; by RSS types, which of its values are hashed; other packets that
    hash to the same by the first of these types; packets that are not the rule's."""
    yield ("eth / ipv4", "eth ipv4",
           {"ipv4": "src dst", "eth ipv4 l2-src-only": "mac_src src dst", "symmetric ipv4": "src dst",
            "ipv4-chksum": "src dst tos ttl id length"},
           ["eth ipv4 udp", "eth ipv4 tcp", "eth frag4 udp", "eth rest4", "eth ipv4 icmp", "eth vlan ipv4 sctp",
            "eth ipv4 udp session", "eth ipv4 esp"],
           ["eth ipv6", "eth ipv6 udp", "eth arp", "eth pppoe ppp ipv4", "eth iq"])
    yield ("eth / ipv6", "eth ipv6", {"ipv6": "src dst", "ipv6-other l3-dst-only": "dst"},
           ["eth ipv6 udp", "eth ipv6 hop tcp", "eth ipv6 frag6 udp", "eth ipv6 rest6"],
           ["eth ipv4", "eth ipv4 udp", "eth arp"])
    yield ("eth / ipv6 / udp", "eth prefix6 udp",
           {"ipv6-udp l3-pre64": "src src33 src49 dst dst33 dst49 sport dport",
            "ipv6-udp l3-pre48 l3-dst-only": "dst dst33"}, [], [])
    for (ip, other), l4 in zip(IPS * 2, ("udp", "tcp", "sctp")):
        yield (f"eth / {ip} / {l4}", f"eth {ip} {l4}",
               {f"{ip}-{l4} l4-chksum": FLOW + " checksum", f"symmetric {ip}-{l4}": FLOW}, [],
               [*(f"eth {ip} {another}" for another in ("udp", "tcp", "sctp", "icmp") if another != l4), f"eth {ip}",
                f"eth {other} {l4}", f"eth frag4 {l4}", "eth rest4", f"eth ipv6 frag6 {l4}", "eth ipv6 rest6"])
    # A tunnel's packets are its outer ones, and no UDP.
    yield ("eth / ipv4", "eth ipv4 udp vxlan eth ipv4 udp", {"ipv4": "outer.src outer.dst"}, [],
           ["eth ipv6 udp vxlan eth ipv4 udp"])
    yield (UDP4, "eth ipv4 udp", {"ipv4-udp": FLOW}, [], ["eth ipv4 udp gtpu ipv4", "eth ipv4 udp vxlan eth ipv4 udp"])
    yield "eth / ipv6 / tcp", "eth ipv6 hop hop tcp", {"ipv6-tcp l3-src-only l4-dst-only": "src dport"}, [], []
    yield "eth / vlan / ipv4 / udp", "eth vlan ipv4 udp", {"c-vlan ipv4-udp": "vid pcp " + FLOW}, [], ["eth ipv4 udp"]
    yield ("eth / vlan / vlan / ipv4", "eth vlan vlan ipv4",
           {"c-vlan": "vid pcp", "s-vlan": "outer.vid outer.pcp"}, [], ["eth vlan ipv4"])
    yield ("eth / ipv4", "eth frag4 udp", {"ipv4-frag": "src dst id"}, ["eth rest4"],
           ["eth ipv4", "eth ipv4 udp", "eth ipv6 frag6 udp"])
    yield ("eth / ipv6 / ipv6_frag_ext", "eth ipv6 frag6 udp",
           {"ipv6-frag": "src dst frag_id", "ipv6": "src dst"}, ["eth ipv6 rest6"],
           ["eth ipv6", "eth ipv6 udp", "eth frag4 udp"])
    yield ("eth", "eth", {"eth": "mac_src mac_dst tag", "l2-payload": "tag"}, [], [])
    yield from hashed_gtpu()
    yield from hashed_tunnels()
    yield from hashed_l2tp()


def hashed_gtpu():
    """With the PDU session container of one direction, of any, and without."""
    for outer, (ip, other), (pattern, words) in zip(("ipv4", "ipv6", "ipv4"), IPS * 2, CONTAINERS.items()):
        begin, start = f"eth / {outer} / udp / {pattern}", f"eth {outer} udp {words}"
        others = [f"eth {outer} udp {another}" for another in CONTAINERS.values() if another != words]
        yield (f"{begin} / {ip}", f"{start} {ip}", {f"{ip} gtpu": "src dst teid"},
               [f"{start} {ip} udp", f"{start} {ip} tcp", f"eth {outer} gre {other} udp {words} {ip}"],
               [*(f"{another} {ip}" for another in others), f"{start} {other}", f"eth {ip} udp", f"eth {ip} udp echo"])
        yield (f"{begin} / {ip} / tcp", f"{start} {ip} tcp", {f"{ip}-tcp": FLOW}, [],
               [*(f"{more} {ip} tcp" for more in others), f"{start} {ip}", f"{start} {ip} udp", f"{start} {other} tcp"])
    # Without pdu_t a rule is for both directions.
    yield (f"{GTPU} / gtp_psc / ipv4", "eth ipv4 udp gtpu up ipv4", {"ipv4": "src dst"},
           ["eth ipv4 udp gtpu down ipv4"], ["eth ipv4 udp gtpu ipv4"])
    yield (GTPU, "eth ipv4 udp gtpu ipv4", {"ipv4": "outer.src outer.dst", "gtpu": "teid"}, [],
           ["eth ipv6 udp gtpu ipv4", "eth ipv4 udp", "eth ipv4 udp gtpc"])
    yield ("eth / ipv6 / udp / gtpc", "eth ipv6 udp gtpc", {"ipv6": "src dst", "gtpu": "teid"}, [],
           ["eth ipv4 udp gtpc", "eth ipv6 udp", "eth ipv6 udp gtpu ipv4"])
    # Of the IP header in GRE the version does not matter.
    start = "eth ipv4 gre ipv4 udp gtpu up ipv4 tcp"
    yield ("eth / ipv4 / gre / ipv4 / udp / gtpu / gtp_psc pdu_t is 1 / ipv4 / tcp", start, {"ipv4-tcp": FLOW},
           [start.replace("gre ipv4", "gre ipv6")],
           [start.replace("up", "down"), start.replace("gre ipv4 ", ""), start.replace("tcp", "udp")])


def hashed_tunnels():
    for (pattern, words), (ip, other), l4 in zip(TUNNELS.items(), IPS * 2, ("udp", "udp", "tcp", "tcp")):
        yield (f"eth / ipv4 / {pattern} / {ip} / {l4}", f"eth ipv4 {words} {ip} {l4}",
               {f"{ip}-{l4} l3-dst-only l4-src-only": "dst sport"}, [],
               [f"eth ipv4 {words} {ip}", f"eth ipv4 {words} {other} {l4}", f"eth ipv6 {words} {ip} {l4}",
                f"eth {ip} {l4}"])
        yield (f"eth / ipv6 / {pattern} / ipv4", f"eth ipv6 {words} ipv4", {"ipv4": "src dst"},
               [f"eth ipv6 {words} ipv4 udp"], ["eth ipv6 udp"])
    for tunnel, words, types, fields in (
            ("udp / vxlan", "udp vxlan", "ipv4 vxlan", "src dst vni"), ("udp / geneve", "udp geneve", "geneve", "vni"),
            ("nvgre", "nvgre", "nvgre", "vni flow_id"), ("udp / vxlan", "udp vxlan", "eth", "mac_src mac_dst")):
        yield f"eth / ipv4 / {tunnel} / eth / ipv4", f"eth ipv4 {words} eth ipv4", {types: fields}, [], []
    # A session, and what the subscriber sends; control messages are nobody's.
    yield ("eth / pppoes", "eth pppoe ppp ipv4 udp", {"pppoe eth": "session mac_src mac_dst"},
           ["eth pppoe ppp ipv6 tcp"], ["eth pppoed", "eth ipv4 udp"])
    yield ("eth / pppoes / ipv4 / udp", "eth pppoe ppp ipv4 udp", {"ipv4-udp": FLOW}, [],
           ["eth pppoe lcp", "eth pppoed", "eth pppoe ppp ipv4", "eth pppoe ppp ipv4 tcp", "eth ipv4 udp"])
    for ip, other in IPS:
        yield (f"eth / pppoes / {ip}", f"eth pppoe ppp {ip}", {f"{ip} pppoe": "src dst session"},
               [f"eth pppoe ppp {ip} tcp"], ["eth pppoe lcp", "eth pppoed", f"eth pppoe ppp {other}", f"eth {ip}"])
        yield (f"eth / {ip} / esp", f"eth {ip} esp", {f"{ip} esp": "src dst spi"}, [],
               [f"eth {other} esp", f"eth {ip} udp esp", f"eth {ip} ah"])
        yield (f"eth / {ip} / udp / esp", f"eth {ip} udp esp", {"esp": "spi"}, [],
               [f"eth {other} udp esp", f"eth {ip} esp", f"eth {ip} udp"])
        yield (f"eth / {ip} / ah", f"eth {ip} ah", {f"{ip} ah": "src dst spi"}, [f"eth {ip} ah udp"],
               [f"eth {other} ah", f"eth {ip} esp"])
        yield (f"eth / {ip} / l2tpv3oip", f"eth {ip} l2tpv3", {"l2tpv3": "session"}, [],
               [f"eth {other} l2tpv3", f"eth {ip} udp l2tp"])
        # A session's messages go by it; a node's messages have none.
        yield (f"eth / {ip} / udp / pfcp", f"eth {ip} udp session", {f"{ip} pfcp": "src dst seid"}, [],
               [f"eth {ip} udp node", f"eth {other} udp session", f"eth {ip} udp"])
    yield ("eth / ecpri", "eth iq", {"ecpri eth": "pc_id mac_src mac_dst"}, ["eth rtc"],
           ["eth event", "eth ipv4 ecpri_udp iq"])


def hashed_l2tp():
    """Optional fields move what follows."""
    for (ip, other), (kind, word) in zip(IPS * 3, L2TP.items()):
        yield (f"eth / {ip} / udp / l2tpv2 type {kind}", f"eth {ip} udp {word}", {"l2tpv2": "session"}, [],
               [f"eth {ip} udp {another}" for another in L2TP.values() if another != word] + [f"eth {other} udp {word}"])
        if kind != "control":
            yield (f"eth / {ip} / udp / l2tpv2 type {kind} / ppp / {other}", f"eth {ip} udp {word} hdlc {other}",
                   {f"{other} l2tpv2": "src dst session"},
                   [f"eth {ip} udp {word} hdlc {other} udp", f"eth {ip} udp {word} ppp {other}"],
                   [f"eth {ip} udp {word} hdlc {ip}", f"eth {other} udp {word} hdlc {other}"])
    yield (f"{UDP4} / l2tpv2", "eth ipv4 udp l2tp", {"eth l2-src-only l2tpv2": "mac_src session"},
           [f"eth ipv4 udp {word}" for word in L2TP.values()], ["eth ipv4 udp"])
    yield (f"{UDP4} / l2tpv2 / ppp / ipv6 / tcp", "eth ipv4 udp l2tp_o hdlc ipv6 tcp", {"ipv6-tcp": FLOW},
           ["eth ipv4 udp l2tp hdlc ipv6 tcp"], ["eth ipv4 udp l2tp hdlc ipv6 udp"])


# A pattern with values; a packet that has them; those of its values that the pattern matches; other
# packets that are not the rule's.
VALUES = [
    ("eth src is 02:00:00:00:00:01 dst is 02:00:00:00:00:02 / ipv6", "eth ipv6 udp", "mac_src mac_dst", ["eth ipv4"]),
    ("eth type is 0x0806", "eth arp", "tag", ["eth ipv4", "eth ipv6"]),
    ("eth / vlan tci is 5", "eth vlan ipv6", "vid pcp", ["eth ipv6"]),
    ("eth / vlan vid is 5 / vlan vid is 5", "eth vlan vlan ipv4", "outer.vid vid", ["eth vlan ipv4"]),
    ("eth / ipv4 src is 10.1.0.1", "eth ipv4 tcp", "src swap_ip", ["eth ipv6"]),
    ("eth / ipv4 dst spec 192.0.2.0 dst mask 255.255.255.0", "eth ipv4", "dst swap_ip", []),
    ("eth / ipv4 tos is 0 proto is 6", "eth ipv4 tcp", "tos", ["eth ipv4 udp"]),
    ("eth / ipv6 src spec 2001:db8:1:: src mask ffff:ffff:ffff::", "eth prefix6",
     "src src33 swap_ip", []),
    ("eth / ipv6 hop is 64", "eth ipv6", "hops", []),
    (f"{UDP4} src is 1000", "eth ipv4 udp", "sport swap_ports", ["eth ipv4 tcp", "eth frag4 udp", "eth rest4"]),
    ("eth / ipv4 / sctp dst is 2000", "eth ipv4 sctp", "dport swap_ports", []),
    ("eth / ipv4 / tcp flags spec 0x10 flags mask 0x10", "eth ipv4 tcp", "", ["eth ipv4 udp"]),
    ("eth / ipv4 / icmp type is 8", "eth ipv4 icmp", "", ["eth ipv4", "eth ipv6 icmp"]),
    ("eth has_vlan is 0", "eth ipv4", "tag", ["eth vlan ipv4", "eth vlan vlan arp"]),
    ("eth has_vlan is 1", "eth vlan ipv4 udp", "", ["eth ipv4 udp", "eth arp"]),
    ("eth type is 0x0800 has_vlan is 0 / ipv4 dst spec 192.0.2.0 dst mask 255.255.255.0 "
     "fragment_offset is 0x0", "eth ipv4 tcp", "tag dst swap_ip", ["eth vlan ipv4", "eth frag4 udp"]),
    ("eth / vlan has_more_vlan is 0", "eth vlan ipv4", "", ["eth vlan vlan ipv4", "eth ipv4"]),
    ("eth / vlan has_more_vlan is 1", "eth vlan vlan ipv6", "", ["eth vlan ipv6"]),
    ("eth / ipv6 has_frag_ext is 0", "eth ipv6 hop udp", "",
     ["eth ipv6 frag6 udp", "eth ipv6 hop rest6", "eth ipv4"]),
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
    (f"{GTPU} teid is 0x1234 / gtp_psc qfi is 9", "eth ipv4 udp gtpu up ipv4", "teid qfi",
     ["eth ipv4 udp gtpu ipv4"]),
    (f"{GTPU} / ipv4 src is 10.1.0.1", "eth ipv4 udp gtpu ipv4 udp", "src swap_ip",
     ["eth ipv4 udp gtpu up ipv4 udp"]),
    ("eth / ipv4 src is 10.1.0.1 / udp / gtpu / ipv4 dst is 192.0.2.5", "eth ipv4 udp gtpu ipv4",
     "outer.src outer.swap_ip dst swap_ip", []),
    (f"{UDP4} / gtpc teid is 0x1234", "eth ipv4 udp gtpc", "teid", ["eth ipv4 udp gtpu ipv4"]),
    ("eth / ipv4 / gre / ipv6 / udp / gtpu teid is 0x1234", "eth ipv4 gre ipv4 udp gtpu ipv4", "teid",
     ["eth ipv4 udp gtpu ipv4"]),
    (f"{UDP4} / vxlan vni is 77", "eth ipv4 udp vxlan eth ipv4", "vni", ["eth ipv4 udp geneve eth ipv4"]),
    (f"{UDP4} / vxlan / eth / ipv4 src is 10.1.0.1 / udp dst is 2000",
     "eth ipv4 udp vxlan eth ipv4 udp", "src swap_ip dport swap_ports", []),
    (f"{UDP4} / geneve vni is 77", "eth ipv4 udp geneve eth ipv6", "vni", []),
    ("eth / ipv6 / gre / ipv4 dst is 192.0.2.5", "eth ipv6 gre ipv4", "dst swap_ip",
     ["eth ipv6 nvgre eth ipv4"]),
    ("eth / pppoes seid is 7 / pppoe_proto_id is 0x57", "eth pppoe ppp ipv6", "session",
     ["eth pppoe ppp ipv4"]),
    ("eth / pppoes / ipv4 src is 10.1.0.1", "eth pppoe ppp ipv4 tcp", "src swap_ip", ["eth ipv4 tcp"]),
    ("eth / ipv4 / esp spi is 0x11", "eth ipv4 esp", "spi", ["eth ipv4 udp esp", "eth ipv4 ah"]),
    ("eth / ipv6 / ah spi is 0x11", "eth ipv6 ah", "spi", ["eth ipv4 ah"]),
    (f"{UDP4} / l2tpv2 type data session_id is 7", "eth ipv4 udp l2tp hdlc ipv4", "session",
     ["eth ipv4 udp l2tp_l hdlc ipv4"]),
    (f"{UDP4} / l2tpv2 type control tunnel_id is 3", "eth ipv4 udp l2tp_control", "tunnel",
     ["eth ipv4 udp l2tp_ls hdlc ipv4"]),
    (f"{UDP4} / l2tpv2 / ppp / ipv4 dst is 192.0.2.5", "eth ipv4 udp l2tp hdlc ipv4", "dst swap_ip",
     []),
    ("eth / ecpri common type iq_data pc_id is 7", "eth iq", "pc_id", ["eth rtc", "eth event"]),
    ("eth / ecpri common type rtc_ctrl rtc_id is 7", "eth rtc", "pc_id", ["eth iq"]),
]


# Rules that are refused, a sample of each kind: classify/flow_rss_test.c and port/port_flow_refusals_test.c have the others.
RAW_PLACE = "a raw item behind a header is relative, has no search or limit, and an offset of 0 or more"
RAW_BYTES = "spec and mask of a raw item are bytes or hexadecimal text, of one length"
WHOLE_PORT = "simple_xor is for the whole port: 'pattern end'"
NO_HEADERS = "RSS types of a pattern without headers: use the port's rss_hf"
HEADER = vary("eth ipv4 udp")[:42].hex()

REFUSED = [
    (hash_rule(UDP4, "ipv4 ipv4-udp"), "RSS type ipv4 together with ipv4-udp or ipv4-tcp"),
    *((hash_rule("eth / ipv4", words), WHOLE_PORT) for words in ("simple_xor ipv4", "simple_xor")),
    *((hash_rule("", words), NO_HEADERS) for words in ("ipv4", "simple_xor ipv4", "symmetric ipv4")),
    *((rule(f"{UDP4} / raw relative is {raw}", "queue index 1"), reason) for raw, reason in (
        ("0 pattern spec 00 pattern mask ff", RAW_PLACE),
        ("1 search is 1 pattern spec 00 pattern mask ff", RAW_PLACE),
        ("1 limit is 9 pattern spec 00 pattern mask ff", RAW_PLACE),
        ("1 offset is 256 pattern spec 00 pattern mask ff", "a raw item is for the first 256 bytes behind a header"),
        ("1 pattern spec 00f pattern mask fff", RAW_BYTES), ("1 pattern spec 0x pattern mask ff", RAW_BYTES),
        ("1 pattern spec 00 pattern mask ff / ipv4", "no header can stand behind a raw item"))),
    (rule(f"raw pattern spec {HEADER} pattern mask {HEADER}", "rss func simple_xor queues end"), WHOLE_PORT),
]

WIDE, NARROW = ("eth / ipv4", "ipv4 l3-src-only"), (UDP4, "ipv4-udp l4-src-only")
OLDER, NEWER = (UDP4, "ipv4 l3-src-only"), (UDP4, "ipv4 l3-dst-only")
UP, DOWN = ((f"{GTPU} / gtp_psc pdu_t is {n} / ipv4", types) for n, types in
            ((1, "ipv4 l3-src-only"), (0, "ipv4 l3-dst-only")))
UPLINK, DOWNLINK = (f"eth ipv4 udp gtpu {direction} ipv4" for direction in ("up", "down"))

# Which of several rules decides: a packet; rules made (pattern, types) and destroyed (id), in order; what of it is hashed
# then, None for nothing.
ORDER = [
    ("eth ipv4 udp", [WIDE, NARROW], "sport"),
    ("eth ipv4 udp", [NARROW, WIDE], "src"),
    ("eth ipv4 tcp", [NARROW, WIDE], "src"),
    ("eth ipv4 tcp", [WIDE, NARROW], "src"),
    # An older rule of another pattern decides again.
    ("eth ipv4 udp", [WIDE, NARROW, 1], "src"),
    ("eth ipv4 udp", [WIDE, NARROW, 0], "sport"),
    ("eth ipv4 udp", [NARROW, WIDE, 1], "sport"),
    ("eth ipv4 udp", [WIDE, NARROW, 1, 0], None),
    # One of the same pattern is dead for good, also when a third one ends, and gives way to another pattern's.
    ("eth ipv4 udp", [OLDER, NEWER], "dst"),
    ("eth ipv4 udp", [OLDER, NEWER, 0], "dst"),
    ("eth ipv4 udp", [OLDER, NEWER, 1], None),
    ("eth ipv4 udp", [OLDER, NEWER, 1, 0], None),
    ("eth ipv4 udp", [OLDER, NEWER, NARROW, 2], None),
    ("eth ipv4 udp", [WIDE, NEWER, NARROW, 2], "src"),
    # Uplink and downlink live side by side.
    (UPLINK, [UP, DOWN], "src"), (DOWNLINK, [UP, DOWN], "dst"), (UPLINK, [DOWN, UP], "src"),
    (DOWNLINK, [DOWN, UP], "dst"), (UPLINK, [UP, DOWN, 0], None), (DOWNLINK, [UP, DOWN, 0], "dst"),
]

# On a port that hashes addresses by itself.
ON_TOP = [
    ("eth ipv4 udp", [], "src dst"),
    ("eth ipv4 udp", [(UDP4, "ipv4-udp")], FLOW),
    ("eth ipv4 udp", [NARROW, 0], "src dst"),
    ("eth ipv4 udp", [NARROW, OLDER, 1], "src dst"),
    ("eth ipv4 tcp", [NARROW], "src dst"),
]

setUpModule = testpmd.set_up_module


class Case(rules.Case):
    def check_order(self, rows):
        for packet, steps, expected in rows:
            with self.subTest(packet=packet, steps=steps):
                self.assertEqual(self.hashed_by(packet, *steps), expected)

    def hashed_by(self, packet, *steps):
        """The values of a packet that are hashed after these steps: of "src", "dst", "sport" and "dport"."""
        names = [name for name in ("src", "dst", "sport", "dport") if name in names_of(packet)]
        self.renew(vary(packet), *(vary(packet, name) for name in names))
        n_rules = 0
        for step in steps:
            if isinstance(step, int):
                self.destroy(step)
            else:
                self.create(hash_rule(*step), n_rules)
                n_rules += 1
        base, *packets = self.receive()
        for one in (base, *packets):
            self.check_queue(one, packet)
        if base.hash is None:
            return None
        return " ".join(name for name, one in zip(names, packets) if one.hash != base.hash)


class Rules(Case):
    def test_what_is_hashed(self):
        """A rule that hashes less puts a whole base station on one core; one that hashes more tears flows apart."""
        for pattern, packet, hashes, alike, strangers in hashed():
            for types, changes in hashes.items():
                with self.subTest(pattern=pattern, types=types):
                    self.check_hashed(pattern, types, packet, changes.split(), alike, strangers)
                alike = []

    def check_hashed(self, pattern, types, packet, changes, alike=(), strangers=()):
        """Vary all that a packet has, one after the other."""
        names = names_of(packet)
        others = [*alike, *strangers]
        self.renew(vary(packet), *(vary(packet, name) for name in names), *map(vary, others))
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

    def test_ipv6_flow_label(self):
        """An RSS type since DPDK 24.03. What is built with an older one does not know it."""
        text = hash_rule("eth / ipv6", "ipv6-flow-label")
        if "Bad arguments" in self.pmd.command(f"flow validate 0 ingress {text}"):
            self.renew()
            result = self.predict(f"flow create 0 ingress {text}")
            self.assertEqual(result.returncode, 1)
            self.assertIn("expected an RSS type, or 'end'", result.stderr)
            self.skipTest("this DPDK has no RSS type for the flow label of IPv6")
        self.check_hashed("eth / ipv6", "ipv6-flow-label l3-dst-only", "eth ipv6 udp", ["dst", "label"],
                          ["eth ipv6", "eth vlan ipv6 tcp"], ["eth ipv4 udp"])
        self.check_hashed(f"{GTPU} / ipv6", "ipv6-flow-label gtpu", "eth ipv4 udp gtpu ipv6 tcp",
                          ["src", "dst", "label", "teid"], [], ["eth ipv6"])

    def test_ecpri_over_udp_from_when_its_port_is_declared(self):
        """Messages of one id hash alike however they come."""
        packets = ["eth iq", "eth ipv4 ecpri_udp iq", "eth ipv4 ecpri_udp rtc", "eth ipv4 ecpri_udp event"]
        other = vary("eth ipv4 ecpri_udp iq", "pc_id")

        def hashes():
            self.renew(*map(vary, packets), other)
            self.create(hash_rule("eth / ecpri", "ecpri"))
            self.create(hash_rule(f"{UDP4} / ecpri", "ecpri"), 1)
            return [one.hash for one in self.receive()]

        frame, *over_udp = hashes()
        self.assertIsNotNone(frame)
        self.assertEqual(over_udp, [None] * 4)
        self.pmd.command(f"port config 0 udp_tunnel_port add ecpri {rules.ECPRI_PORT}")
        found = hashes()
        self.assertEqual(found[:4], [frame, frame, frame, None])
        self.assertNotIn(found[4], (None, frame))
        self.check_hashed(f"{UDP4} / ecpri", "ipv4 ecpri", "eth ipv4 ecpri_udp iq", ["src", "dst", "pc_id"], [], ["eth iq"])
        self.check_hashed("eth / ipv6 / udp / ecpri", "ecpri", "eth ipv6 ecpri_udp rtc", ["pc_id"], [],
                          ["eth ipv4 ecpri_udp rtc"])
        self.pmd.command(f"port config 0 udp_tunnel_port rm ecpri {rules.ECPRI_PORT}")
        self.assertEqual(hashes(), [frame, *[None] * 4])

    def test_functions_of_the_whole_port(self):
        for function, n_hashes, compute in (("simple_xor", 2, harness.simple_xor), ("symmetric", 1, None),
                                            ("toeplitz", 3, harness.toeplitz)):
            self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "swap_ip"), vary("eth ipv4 udp", "swap_ports"),
                       vary("eth ipv6 tcp"), vary("eth arp"))
            self.create(hash_rule("", function))
            packets = self.receive()
            for one in packets:
                self.check_queue(one, function)
            usual, swapped_ips, _, ipv6, arp = (one.hash for one in packets)
            self.assertEqual(len({one.hash for one in packets[:3]}), n_hashes)
            self.assertEqual(usual == swapped_ips, n_hashes < 3)  # ports are in one word
            self.assertEqual((ipv6 is None, arp), (False, None))
            if compute:
                self.assertEqual(usual, compute(FLOW4))

    def test_a_rule_on_top_of_that_counts_for_its_packets(self):
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 tcp"))
        self.create(hash_rule("", "simple_xor"))
        self.create(hash_rule(UDP4, "ipv4"), 1)
        by_rule, by_port = self.receive()
        self.assertEqual(by_rule.hash, harness.toeplitz(FLOW4[:8]))
        self.assertEqual(by_port.hash, harness.simple_xor(FLOW4))

    # Raw rules: a packet and a mask in hexadecimal.

    def test_the_mask_of_a_raw_rule_chooses_what_is_hashed(self):
        """Uplink and downlink are different packets. classify/flow_test.c has masks of any bits."""
        for text, size, ranges, changes, strangers, func in (
                ("eth ipv4 udp", 42, [(6, 12), (36, 38)], ["mac_src", "dport", "swap_ports"],
                 ["eth ipv4 tcp", "eth ipv6 udp", "eth ipv4"], ""),
                ("eth ipv4 udp", 42, [(26, 38)], ["src", "dst", "sport", "dport"], [], "func symmetric_toeplitz "),
                ("eth ipv4 udp gtpu up ipv4", 58 + 20, [(58 + 12, 58 + 16)], ["src", "swap_ip"],
                 ["eth ipv4 udp gtpu down ipv4", "eth ipv4 udp gtpu ipv4"], "")):
            # One more header makes it another packet.
            names = [name for name in names_of(text) if name not in ("tag", "gtpu_ext")]
            self.renew(vary(text), *(vary(text, name) for name in names), *map(vary, strangers))
            mask = bytes(0xff if any(start <= i < end for start, end in ranges) else 0 for i in range(size))
            self.create(rule(f"raw pattern spec {vary(text)[:size].hex()} pattern mask {mask.hex()}",
                             f"rss {func}queues end"))
            base, *packets = self.receive()
            self.assertIsNotNone(base.hash)
            for name, one in zip(names, packets):
                self.assertEqual(one.hash != base.hash, name in changes, name)
            self.assertEqual([one.hash for one in packets[len(names):]], [None] * len(strangers), strangers)

    # Steering

    def test_values(self):
        """A rule that takes more packets than its author meant takes somebody else's."""
        for pattern, packet, matched, strangers in VALUES:
            with self.subTest(pattern, packet=packet):
                self.check_values(pattern, packet, matched, strangers)

    def check_values(self, pattern, packet, matched, strangers):
        names = names_of(packet)
        self.renew(vary(packet), *(vary(packet, name) for name in names), *map(vary, strangers))
        self.create(rule(pattern, f"queue index {QUEUE} / mark id {MARK}"))
        base, *packets = self.receive()
        self.assertEqual((base.queue, base.mark), (QUEUE, MARK), packet)
        for name, one in zip(names, packets):
            expected = (0, None) if name in matched.split() else (QUEUE, MARK)
            self.assertEqual((one.queue, one.mark), expected, f"{packet}: {name}")
        for text, one in zip(strangers, packets[len(names):]):
            self.assertEqual((one.queue, one.flag), (0, False), text)

    def test_mark_and_flag(self):
        for actions, expected in (*((f"mark id {mark}", (True, mark, 0)) for mark in (0, 1, 0xffffffff)),
                                  ("flag / queue index 2", (True, None, 2))):
            self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "sport"))
            self.create(rule(f"{UDP4} src is 1000", actions))
            one, other = self.receive()
            self.assertEqual((one.flag, one.mark, one.queue), expected)
            self.assertFalse(other.flag)

    def test_passthru_takes_packets_out_of_a_wider_rule(self):
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "sport"))
        self.create(rule(UDP4, f"queue index {QUEUE}"), attributes="ingress priority 1")
        self.create(rule(f"{UDP4} src is 1000", "passthru"), 1)
        self.assertEqual([one.queue for one in self.receive()], [0, QUEUE])

    def test_a_packet_that_ends_before_the_bytes_of_a_raw_item(self):
        raw = "raw relative is 1 offset is 32 pattern spec 40 pattern mask ff"
        short, long = vary("eth ipv6 tcp"), vary("eth ipv6 tcp", "length")
        for frames in ([short, long], [long, short]):  # the path cache knows either first
            self.renew(*frames)
            self.create(rule(f"eth / ipv6 / tcp / {raw}", "queue index 2"))
            self.assertEqual([one.queue for one in self.receive()],
                             [0 if frame == short else 2 for frame in frames])

    # Several rules

    def test_which_rule_decides(self):
        self.check_order(ORDER)

    def test_a_symmetric_rule_takes_the_place_of_another(self):
        for first, second, same in (("ipv4-udp", "symmetric ipv4-udp", True),
                                    ("symmetric ipv4-udp", "ipv4-udp", False)):
            self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", *rules.SWAPS))
            self.create(hash_rule(UDP4, first))
            self.create(hash_rule(UDP4, second), 1)
            one, swapped = self.receive()
            self.assertEqual(one.hash == swapped.hash, same, second)
            self.assertIsNone(self.hashed_by("eth ipv4 udp", (UDP4, first), (UDP4, second), 1))

    # Refusals

    def test_refusals(self):
        """A rule that is taken and then does nothing is found out in production."""
        self.renew()
        for text, reason in REFUSED:
            with self.subTest(text):
                self.refused(text, reason)
        self.refused(hash_rule(UDP4, "ipv4"), "groups are not supported", "ingress group 1")
        self.no_rules()
        self.create(rule(UDP4, "queue index 1"))
        self.refused(rule(UDP4, "queue index 2"), "the port has a rule of this pattern and priority",
                     error="File exists")
        self.destroy()
        self.no_rules()


class Gtpu(rules.Case):
    """A port that knows GTP-U and no other tunnel."""

    profile = "gtpu"

    def test_a_header_that_no_profile_parses(self):
        for item, header, profile in (("udp / vxlan", "vxlan", "vxlan"), ("nvgre", "gre", "gre"), ("ah", "ah", "ipsec")):
            for text in rule(f"eth / ipv4 / {item}", "queue index 1"), hash_rule(f"eth / ipv4 / {item}", "ipv4"):
                self.refused(text, f"no loaded profile parses header '{header}': profile {profile} does")
        self.create(hash_rule(f"{GTPU} / ipv4", "ipv4"))


class OnTop(Case):
    """A port that hashes by itself."""

    options = ("--rss-ip",)
    rss_hf = "ip"

    def test_the_ports_own_comes_back(self):
        self.check_order(ON_TOP)

    def test_the_redirection_table_is_the_rules_too(self):
        self.renew(vary("eth ipv4 udp"))
        self.create(hash_rule(*NARROW))
        value = self.receive()[0].hash
        queue = (value + 5) % QUEUES
        self.pmd.command(f"port config 0 rss reta ({value % harness.RETA_SIZE},{queue})")
        self.renew(vary("eth ipv4 udp"), vary("eth ipv4 udp", "sport"))
        self.create(hash_rule(*NARROW))
        one, other = self.receive()
        self.assertEqual((one.hash, one.queue), (value, queue))
        self.check_queue(other, "another source port")
        self.pmd.command(f"port config 0 rss reta ({value % harness.RETA_SIZE},{value % QUEUES})")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
