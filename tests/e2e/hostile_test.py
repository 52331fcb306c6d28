#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that answers telemetry with anything at all. A port may be of another version of net_ddp,
and any process may pretend to have one: ddpctl must then say so in one line and end,
never crash, hang, or show numbers that are not there. DDP_HOSTILE=all tries each strange value in each place (minutes).
ctl/telemetry_test.c has messages that are no answers, and those about queues and balancing."""

import copy
import os
import random

from support import eal, exporter, harness

PID = 4242
ALL = os.environ.get("DDP_HOSTILE") == "all"
BIG = 9223372036854775807
STRANGE = [None, True, False, 0, -1, 1, 65536, 4294967296, BIG, -BIG - 1, 1e308, -0.5, "", "x", "0",
           "x" * 5000, "\x1b[2J\n", "%s%n", [], [1], ["x"], [None], [[]], {}, {"0": {}}, {"x": 1},
           {"ok": 0}, {"ok": False, "error": 7},
           {"ok": 0, "error": "y" * 200, "error_2": "z" * 2000}]
INFO = {"name": "net_ddp0", "state": "running", "isa": "scalar", "overflow": "drop",
        "lower_device": "net_pcap0", "lower_port": 1, "lower_rx_queues": 1, "lower_tx_queues": 1,
        "offload": "i40e", "offload_rules": 1, "offload_ptypes": 1, "offload_state": "on",
        "rx_queues": 2, "tx_queues": 2, "rss": 1, "rss_hash_function": "toeplitz",
        "rss_fields_by": "profiles", "rss_hf": ["ipv4", "gtpu"], "profiles": ["gtpu"],
        "profile_specs": ["gtpu"], "profile_packets": [0], "profile_versions": ["1.0.0"], "package_name": "GTP",
        "package_track_id": 7, "packet_types": 3, "flow_rules": 0, "counters": {"rx_lower_packets": 1, "lower_rx_missed_errors": 1}}
QUEUE = {"rx_packets": 3, "rx_bytes": 200, "rx_missed": 1, "tx_packets": 1, "tx_bytes": 1}
PTYPE = {"name": "GTPU", "packets": 4, "rte_ptype": 17}
PROOF = {"name": "GTPU", "rte_ptype": 17, "checked": 4, "wrong": 0, "other_type": 3, "state": "proven"}
CHANGE = {"ok": 1, "profiles": ["gtpu"]}
BALANCE = {"interval_ms": 100, "rounds": 1, "moves": 1, "given_up": 0, "order_parked": 0, "order_longest_parking_us": 0,
           "before_permille": 1500, "after_permille": 1100, "worst_permille": 1500,
           "bound_entry": 7, "bound_share_permille": 300, "bound_flow": "10.0.0.1 > 10.0.0.2",
           "last_intervals": {"0": {"round": 1, "before_permille": 1500, "after_permille": 1100, "moves": 1}},
           "last_moves": {"0": {"round": 1, "ms_ago": 5, "entry": 7, "from": 0, "to": 1, "share_permille": 300,
                                "from_load_permille": 1500, "to_load_permille": 500}}}
GOOD = {"/net_ddp/list": [0], "/net_ddp/info": INFO,
        "/net_ddp/queues": {"count": 2, "start": 0, "queues": {"0": QUEUE, "1": QUEUE}},
        "/net_ddp/ptypes": {"count": 1, "start": 0, "ptypes": {"0": PTYPE}},
        "/net_ddp/verify": {"count": 1, "start": 0, "offload": "i40e", "offload_state": "on",
                            "straight": 0, "ptypes": {"0": PROOF}},
        "/net_ddp/profile_add": CHANGE, "/net_ddp/profile_del": CHANGE,
        "/net_ddp/profile_set": CHANGE, "/net_ddp/balance": BALANCE}

COMMANDS = [["port", "list"], ["port", "show", "0"], ["port", "show", "net_ddp0"],
            ["port", "queues", "0"], ["port", "ptypes", "0"], ["port", "verify", "0"],
            ["port", "add", "0", "gtpu"], ["port", "set", "0", "gtpu"],
            ["port", "del", "0", "gtpu"], ["port", "balance", "0"],
            ["port", "watch", "0", "--interval", "0.1", "--count", "1"], ["plan", "--port", "0"]]
# The answers that a command reads, and so those that are worth changing.
READS = {"list": ["list", "info"], "show": ["list", "info"], "queues": ["queues"],
         "ptypes": ["ptypes"], "verify": ["verify"], "add": ["profile_add"], "del": ["profile_del"],
         "balance": ["balance"], "set": ["profile_set"],
         "watch": ["queues", "info", "balance"], "--port": ["info"]}


def places(value, path=()):
    """All members of a value, itself first, as paths."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(
        value if isinstance(value, list) else [])
    for key, member in items:
        yield from places(member, path + (key,))


def changed(value, path, member):
    """A copy of value with another member at path: a list of one, or an empty list to remove it."""
    if not path:
        return member[0] if member else None
    value = copy.deepcopy(value)
    parent = value
    for key in path[:-1]:
        parent = parent[key]
    if member:
        parent[path[-1]] = member[0]
    else:
        del parent[path[-1]]
    return value


class Hostile(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment = eal.environment(cls.folder)
        cls.answers = {}  # an object for each path
        exporter.Process(cls.shared(), "hostile", cls.answer,
                         b'{"version":"DPDK","pid":%d,"max_output_len":16384}' % PID)

    @classmethod
    def answer(cls, command):
        path = command.split(",")[0]
        return exporter.answer(path, cls.answers.get(path))

    def check(self, answers, *words):
        """Status 0 or 1 with the answer, or 3 with one line of error."""
        type(self).answers = answers
        result = harness.run(harness.tools["ddpctl"], *words, env=self.environment,
                             cwd=self.folder, timeout=30)
        with self.subTest(words=words, answers=answers):
            self.assertIn(result.returncode, (0, 1, 3), result.stderr)
            self.assertNotIn("Sanitizer", result.stderr)
            if result.returncode == 3:
                self.assertRegex(result.stderr, r"\A(ddpctl|error): [^\n]+\n\Z")
        return result

    def strange(self, path, answer, *words):
        """An answer that cannot be understood: exit 3, and the line says which it is."""
        result = self.check({**GOOD, path: answer}, *words)
        with self.subTest(words=words, answer=answer):
            self.assertEqual((result.returncode, result.stderr),
                             (3, f"ddpctl: process {PID}: {path}: an answer of another version of "
                              "net_ddp\n"))

    def test_good_answers(self):
        for words in COMMANDS:
            for more in ([], ["--json"]):
                self.assertEqual(self.check(GOOD, *words, *more).returncode, 0, words)

    def test_members_that_are_missing_or_of_another_type(self):
        for key in ("name", "state", "lower_device", "offload", "rx_queues", "profiles",
                    "profile_specs", "profile_versions", "rss_hf"):
            for words in (["port", "list"], ["plan", "--port", "0"], ["port", "show", "net_ddp0"]):
                self.strange("/net_ddp/info", changed(INFO, (key,), []), *words)
                for value in ({}, [1], [None]) if isinstance(INFO[key], list) else ({},):
                    self.strange("/net_ddp/info", {**INFO, key: value}, *words)
        for answer in ([], {}, "x", 1):
            for words in (["port", "list"], ["plan", "--port", "0"]):
                self.strange("/net_ddp/info", answer, *words)
        for answer in ({"ok": 1}, {"ok": 1, "profiles": [7]}, []):
            self.strange("/net_ddp/profile_add", answer, "port", "add", "0", "gtpu")
        self.strange("/net_ddp/verify", {"ptypes": {}}, "port", "verify", "0")
        self.strange("/net_ddp/info", {**INFO, "offload": "nonsense"}, "plan", "--port", "0")

    def test_numbers_out_of_range(self):
        for number in (-1, 65536, 2 ** 32, BIG, 1.0, "0"):
            self.strange("/net_ddp/list", [number], "port", "list")
        for name, row in ("ptypes", PTYPE), ("verify", PROOF):
            path = f"/net_ddp/{name}"
            for member in row:
                if isinstance(row[member], int):
                    self.strange(path, {**GOOD[path], "ptypes": {"0": {**row, member: -1}}}, "port", name, "0")
            for number in ("99999999999999999999", "-1", "0x", "1e3", "65536", ""):
                self.strange(path, {**GOOD[path], "ptypes": {number: row}}, "port", name, "0")
            for number in (-1, 0, 65536, BIG, "1", 1.5, None, [1]):
                self.strange(path, {**GOOD[path], "next": number}, "port", name, "0")

    def test_members_with_strange_values(self):
        n_runs = 0
        for words in COMMANDS:
            for name in READS[words[1]]:
                path = f"/net_ddp/{name}"
                for place in places(GOOD[path]):
                    members = [[], *([value] for value in STRANGE)]
                    for member in members if ALL else random.Random(f"{words}{place}").sample(members, 1):
                        self.check({**GOOD, path: changed(GOOD[path], place, member)}, *words)
                        n_runs += 1
        self.assertGreater(n_runs, 150)



if __name__ == "__main__":
    harness.main("ddpctl")
