#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An rte_flow rule that cannot be is refused in stock testpmd, by `flow validate` as by `flow create`,
with a reason. A rule that is taken and then does nothing is found out in production.

    testpmd_rules_refusals_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, rules, testpmd  # noqa: E402
from support.rules import QUEUES, hash_rule, rule  # noqa: E402

UDP = "eth / ipv4 / udp"
UP = "eth / ipv4 / udp / gtpu / gtp_psc pdu_t is 1"

TYPES_OR_QUEUES = "types or queues: what is hashed, and where packets go, are rules of their own"
RAW_PLACE = ("a raw item behind a header is relative, has no search or limit, and an offset of 0 or "
             "more")
RAW_BYTES = "spec and mask of a raw item are bytes or hexadecimal text, of one length"

# A sample of each kind: unit tests (classify/flow_rss_test.c, port/port_flow_refusals_test.c) have the others.

# Pattern, function and types, reason.
TYPES = [
    (UDP, "ipv4 ipv4-udp", "RSS type ipv4 together with ipv4-udp or ipv4-tcp"),
    (f"{UP} / ipv4", "ipv6", "RSS type 'ipv6' does not fit the pattern"),
    ("eth / pppoes", "ipv4", "RSS type 'ipv4' does not fit the pattern"),
    ("eth / ipv4 / l2tpv3oip", "l2tpv2", "RSS type 'l2tpv2' does not fit the pattern"),
    ("eth / ipv4 / udp / pfcp", "ecpri", "RSS type 'ecpri' does not fit the pattern"),
    (UDP, "l3-src-only", "no RSS type says what to hash"),
    (UDP, "ipv4 l4-dst-only", "l4-src-only and l4-dst-only need an RSS type of UDP, TCP or SCTP"),
    ("eth / ipv6", "ipv6 l3-pre40", "an IPv6 prefix to hash has 32, 48 or 64 bits"),
    (UDP, "symmetric ipv4-udp l4-dst-only",
     "a symmetric hash needs both sides: no l3-src-only or the like"),
    ("eth / pppoes", "symmetric pppoe", "a symmetric hash needs an RSS type of IP, UDP, TCP or SCTP"),
    ("eth / ipv4", "simple_xor ipv4", "simple_xor is for the whole port: 'pattern end'"),
    ("eth / ipv4", "simple_xor", "simple_xor is for the whole port: 'pattern end'"),
    ("", "ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
    ("", "simple_xor ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
    ("", "symmetric ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
]

# Pattern, reason.
PATTERNS = [
    (f"{UDP} dst spec 1000 dst last 2000", "ranges of values are not supported"),
    ("eth / ipv4 src mask 255.255.255.0", "a mask without a value"),
    (f"{UDP} / raw relative is 0 pattern spec 00 pattern mask ff", RAW_PLACE),
    (f"{UDP} / raw relative is 1 search is 1 pattern spec 00 pattern mask ff", RAW_PLACE),
    (f"{UDP} / raw relative is 1 limit is 9 pattern spec 00 pattern mask ff", RAW_PLACE),
    (f"{UDP} / raw relative is 1 offset is 256 pattern spec 00 pattern mask ff",
     "a raw item is for the first 256 bytes behind a header"),
    (f"{UDP} / raw relative is 1 pattern spec 00f pattern mask fff", RAW_BYTES),
    (f"{UDP} / raw relative is 1 pattern spec 00 pattern mask ffff", RAW_BYTES),
    (f"{UDP} / raw relative is 1 pattern spec 0x pattern mask ff", RAW_BYTES),
    (f"{UDP} / raw relative is 1", RAW_BYTES),
    (f"{UDP} / raw relative is 1 pattern spec 00 pattern mask ff / ipv4",
     "no header can stand behind a raw item"),
    ("eth / e_tag", "no header of a profile stands for this item"),
    ("eth / ipv6 / ipv4 / ipv6 / vlan",
     "no packet that the loaded profiles parse has the headers eth / ipv6 / ipv4 / ipv6 / vlan"),
]

# Actions for UDP packets, reason.
ACTIONS = [
    (f"rss queues 0 {QUEUES} end", "the port has no such Rx queue"),
    ("drop / queue index 1", "a packet can be sent to one place only"),
    ("of_pop_vlan", "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported"),
    ("rss types ipv4-udp end queues 0 1 end", TYPES_OR_QUEUES),
    ("rss level 1 types end queues 0 1 end", TYPES_OR_QUEUES),
    ("rss func symmetric_toeplitz queues 0 1 end", "a hash function belongs to a rule without queues"),
    ("rss types ipv4 end key_len 52 queues end", "the length of a key without a key"),
    ("rss types ipv4 end key_len 0 queues end / queue index 1",
     "a rule that says how to hash has no other action"),
]

# Spec, mask, reason.
HEADER = rules.vary(UDP.replace(" / ", " "))[:42].hex()
RAW = [
    (HEADER, HEADER[:-2], "spec and mask of a raw pattern must be of one length"),
    (HEADER[:-1] + "x", "f" * 84,
     "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"),
    ("0b0101", "ffffff", "the loaded profiles know no packet type for the raw pattern"),
]

setUpModule = testpmd.set_up_module


class Refusals(rules.Case):
    def check_all(self, rows):
        for text, reason in rows:
            with self.subTest(text):
                self.refused(text, reason)
        self.no_rules()

    def test_types(self):
        self.check_all((hash_rule(pattern, hashed), reason) for pattern, hashed, reason in TYPES)

    def test_patterns(self):
        self.check_all((rule(pattern, "queue index 1"), reason) for pattern, reason in PATTERNS)

    def test_actions(self):
        for pattern in (UDP, f"{UDP} src is 1000"):
            self.check_all((rule(pattern, actions), reason) for actions, reason in ACTIONS)

    def test_raw(self):
        self.check_all((rule(f"raw pattern spec {spec} pattern mask {mask}", "rss queues end"), reason)
                       for spec, mask, reason in RAW)
        self.refused(rule(f"raw pattern spec {HEADER} pattern mask {HEADER}", "rss func simple_xor queues end"),
                     "simple_xor is for the whole port: 'pattern end'")

    def test_attributes(self):
        steer, hashes = rule(UDP, "queue index 1"), hash_rule(UDP, "ipv4")
        for text in (steer, hashes):
            for attributes, reason in (("egress", "only ingress rules are supported"),
                                       ("ingress egress", "only ingress rules are supported"),
                                       ("transfer", "only ingress rules are supported"),
                                       ("ingress group 1", "groups are not supported")):
                self.refused(text, reason, attributes)
        self.refused(hashes, "of hash rules the newest decides: they have no priority",
                     "ingress priority 1")
        self.no_rules()

    def test_a_rule_that_is_there(self):
        self.renew()
        self.create(rule(UDP, "queue index 1"))
        self.refused(rule(UDP, "queue index 2"), "the port has a rule of this pattern and priority",
                     error="File exists")
        self.destroy()
        self.no_rules()


class Gtpu(rules.Case):
    """A port that knows GTP-U and no other tunnel."""

    profile = "gtpu"

    def test_a_header_that_no_profile_parses(self):
        for item, header, profile in (("udp / vxlan", "vxlan", "vxlan"), ("udp / pfcp", "pfcp", "pfcp"),
                                      ("nvgre", "gre", "gre"), ("ah", "ah", "ipsec"),
                                      ("udp / l2tpv2", "l2tpv2", "l2tpv2")):
            self.refused(rule(f"eth / ipv4 / {item}", "queue index 1"),
                         f"no loaded profile parses header '{header}': profile {profile} does")
            self.refused(hash_rule(f"eth / ipv4 / {item}", "ipv4"),
                         f"no loaded profile parses header '{header}': profile {profile} does")
        self.create(hash_rule("eth / ipv4 / udp / gtpu / ipv4", "ipv4"))


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
