#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An rte_flow rule that cannot be is refused in stock testpmd, by `flow validate` as by `flow create`,
with a reason. A rule that is taken and then does nothing is found out in production.

    testpmd_rules_refusals_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support import harness, rules, testpmd  # noqa: E402
from support.rules import hash_rule, rule  # noqa: E402

UDP = "eth / ipv4 / udp"

RAW_PLACE = ("a raw item behind a header is relative, has no search or limit, and an offset of 0 or "
             "more")
RAW_BYTES = "spec and mask of a raw item are bytes or hexadecimal text, of one length"

# A sample of each kind: unit tests (classify/flow_rss_test.c, port/port_flow_refusals_test.c) have the others.

# Pattern, function and types, reason.
TYPES = [
    (UDP, "ipv4 ipv4-udp", "RSS type ipv4 together with ipv4-udp or ipv4-tcp"),
    ("eth / ipv4 / udp / pfcp", "ecpri", "RSS type 'ecpri' does not fit the pattern"),
    (UDP, "symmetric ipv4-udp l4-dst-only",
     "a symmetric hash needs both sides: no l3-src-only or the like"),
    ("eth / ipv4", "simple_xor ipv4", "simple_xor is for the whole port: 'pattern end'"),
    ("eth / ipv4", "simple_xor", "simple_xor is for the whole port: 'pattern end'"),
    ("", "ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
    ("", "simple_xor ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
    ("", "symmetric ipv4", "RSS types of a pattern without headers: use the port's rss_hf"),
]

# Pattern, reason.
PATTERNS = [
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
    ("eth / ipv6 / ipv4 / ipv6 / vlan",
     "no packet that the loaded profiles parse has the headers eth / ipv6 / ipv4 / ipv6 / vlan"),
]

# Actions for UDP packets, reason.
ACTIONS = [
    ("of_pop_vlan", "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported"),
    ("rss types ipv4-udp end queues 0 1 end",
     "types or queues: what is hashed, and where packets go, are rules of their own"),
]

# Spec, mask, reason.
HEADER = rules.vary(UDP.replace(" / ", " "))[:42].hex()
RAW = [
    (HEADER[:-1] + "x", "f" * 84,
     "spec and mask of a raw pattern are hexadecimal text, of 512 digits at most"),
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
        for attributes, reason in (("ingress egress", "only ingress rules are supported"),
                                   ("ingress group 1", "groups are not supported"),
                                   ("ingress priority 1", "of hash rules the newest decides: they have no priority")):
            self.refused(hash_rule(UDP, "ipv4"), reason, attributes)
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
