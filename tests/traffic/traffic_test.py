#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Captures of ddp-traffic, checked by tshark."""

import collections
import contextlib
import csv
import hashlib
import io
import ipaddress
import itertools
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import harness  # noqa: E402

KINDS = ("n3-up", "n3-down", "n6-up", "n6-down")
UE_POOLS = [ipaddress.ip_network(net) for net in ("10.0.0.0/8", "2001:db8::/32")]
SERVER_POOLS = [ipaddress.ip_network(net) for net in ("198.18.0.0/15", "203.0.113.0/24", "3fff::/20")]

# Checksum states of tshark.
GOOD = "1"
NOT_PRESENT = "3"

PCAP_HEADER_SIZE = 24  # of a capture, before its first packet

BOOLEANS = {"True": "1", "False": "0"}  # tshark 4.2 and later write words

FIELDS = [
    "frame.time_relative", "frame.len", "frame.cap_len", "eth.type", "vlan.etype", "vlan.id", "_ws.malformed",
    "_ws.expert.severity", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "ip.proto", "ipv6.nxt", "ip.flags.mf",
    "ip.frag_offset", "ip.checksum.status", "udp.checksum.status", "tcp.checksum.status", "udp.srcport", "udp.dstport",
    "tcp.srcport", "tcp.dstport", "udp.payload", "tcp.payload", "gtp.flags.s", "gtp.flags.e", "gtp.message", "gtp.teid",
    "gtp.seq_number", "gtp.ext_hdr.pdu_ses_con.pdu_type", "gtp.ext_hdr.pdu_ses_con.qos_flow_id",
]

TEXTS = ("protocol", "ue", "server")  # columns of the truth that are no numbers

Flow = collections.namedtuple("Flow", "ue ue_port server server_port protocol")


def run(*args):
    return harness.run(harness.tools["ddp-traffic"], *args)


def capture(*args):
    with tempfile.NamedTemporaryFile() as file:
        harness.traffic_run("-o", file.name, *args)
        return file.read()


def generated(*args):
    """A capture, and what its truth says of each flow, by number."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "truth.csv")
        pcap = capture("--truth", path, *args)
        with open(path, encoding="ascii") as file:
            rows = list(csv.DictReader(file))
    flows = {int(row["flow"]): {name: value if name in TEXTS else int(value) if value else None
                                for name, value in row.items()} for row in rows}
    assert len(flows) == len(rows)
    return pcap, flows


class Packet:
    """One line of tshark, where a field that occurs more than once is a list, outer first."""

    def __init__(self, line):
        self.fields = {name: [BOOLEANS.get(one, one) for one in value.split(",")] if value else []
                       for name, value in zip(FIELDS, line.split("\t"))}

    def __getitem__(self, name):
        return self.fields[name]

    def one(self, name):
        assert len(self[name]) == 1, (name, self.fields)
        return self[name][0]

    def outermost(self):
        """The version of the first IP header."""
        return {0x0800: "ip", 0x86dd: "ipv6"}[int((self["vlan.etype"] or self["eth.type"])[0], 0)]

    def inner(self):
        """Source, source port, destination, destination port, protocol of the UE's packet."""
        l4 = "tcp" if self["tcp.srcport"] else "udp"
        versions = ["ip"] * len(self["ip.src"]) + ["ipv6"] * len(self["ipv6.src"])
        if self["gtp.teid"]:
            versions.remove(self.outermost())
        assert len(versions) == 1, self.fields
        ip = versions[0]
        return (self[ip + ".src"][-1], self[l4 + ".srcport"][-1], self[ip + ".dst"][-1],
                self[l4 + ".dstport"][-1], l4)

    def flow(self, down):
        src, sport, dst, dport, protocol = self.inner()
        if down:
            return Flow(dst, dport, src, sport, protocol)
        return Flow(src, sport, dst, dport, protocol)

    def time_us(self):
        """Since the first packet."""
        return round(float(self.one("frame.time_relative")) * 1e6)

    def mark(self):
        """Sequence number and flow id."""
        payload = bytes.fromhex((self["tcp.payload"] or self["udp.payload"][-1:])[0])
        return int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big")


def dissect(pcap):
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(pcap)
        file.flush()
        command = ["tshark", "-n", "-r", file.name, "-T", "fields", "-E", "occurrence=a"]
        for protocol in ("ip", "udp", "tcp"):
            command += ["-o", protocol + ".check_checksum:TRUE"]
        for name in FIELDS:
            command += ["-e", name]
        return [Packet(line) for line in harness.output_of(*command).splitlines()]


def count(pcap):
    """Its packets."""
    n, at = 0, PCAP_HEADER_SIZE
    while at < len(pcap):
        n, at = n + 1, at + 16 + struct.unpack_from("<I", pcap, at + 8)[0]
    return n


def dissect_each(pcaps):
    """A list of packets for each capture, of one tshark: it takes longer to start than to read one."""
    packets = iter(dissect(pcaps[0] + b"".join(pcap[PCAP_HEADER_SIZE:] for pcap in pcaps[1:])))
    found = [list(itertools.islice(packets, count(pcap))) for pcap in pcaps]
    assert next(packets, None) is None
    return found


def in_pools(address, pools):
    address = ipaddress.ip_address(address)
    return any(address in pool for pool in pools if pool.version == address.version)


class Capture(harness.TestCase):
    ERROR = str(0x00800000)  # of tshark

    def check_clean(self, packets):
        for packet in packets:
            self.assertEqual(packet["_ws.malformed"], [])
            self.assertNotIn(self.ERROR, packet["_ws.expert.severity"])
            self.assertLessEqual(int(packet.one("frame.len")), 1514)
            self.assertLessEqual(set(packet["ip.flags.mf"] + packet["ip.frag_offset"]), {"0"})
            self.assertLessEqual(set(packet["ip.checksum.status"]), {GOOD})
            self.assertLessEqual(set(packet["tcp.checksum.status"]), {GOOD})
            self.check_udp(packet)

    def check_udp(self, packet):
        states = packet["udp.checksum.status"]
        if packet["gtp.teid"] and packet.outermost() == "ip":
            self.assertEqual(states[0], NOT_PRESENT)
            states = states[1:]
        self.assertLessEqual(set(states), {GOOD})

    def check_n3(self, packets, kind, psc=True):
        for packet in packets:
            self.assertEqual(packet["udp.srcport"][0], "2152")
            self.assertEqual(packet["udp.dstport"][0], "2152")
            self.assertEqual(packet.one("gtp.message"), "0xff")
            self.assertEqual(packet["gtp.ext_hdr.pdu_ses_con.pdu_type"], [str(int(kind != "n3-down"))] if psc else [])
            self.assertEqual(len(packet["gtp.ext_hdr.pdu_ses_con.qos_flow_id"]), int(psc))
            self.assertEqual(packet.one("gtp.flags.e"), str(int(psc)))
        self.assertEqual({packet.one("gtp.flags.s") for packet in packets}, {"0", "1"})

    def test_every_kind_dissects_with_good_checksums(self):
        captures = [capture("--kind", kind, "--ues", 60) for kind in KINDS]
        for kind, packets in zip(KINDS, dissect_each(captures), strict=True):
            with self.subTest(kind=kind):
                self.assertEqual(len(packets), 60 * 8 * 4)
                self.check_clean(packets)
                if kind.startswith("n3"):
                    self.check_n3(packets, kind)

    def test_mix_is_all_kinds(self):
        packets = dissect(capture("--kind", "mix", "--ues", 100, "--packets-per-flow", 1))
        self.assertEqual(len(packets), 4 * 800)
        self.check_clean(packets)
        pdus = collections.Counter("".join(p["gtp.ext_hdr.pdu_ses_con.pdu_type"]) for p in packets)
        self.assertEqual(pdus, {"": 1600, "0": 800, "1": 800})

    def test_optional_headers_of_n3(self):
        kinds = list(itertools.product((False, True), repeat=2))
        captures = [capture("--ues", 50, "--vlan", 100, "--kind", "n3-down", "--sizes", 1432,
                            *(["--outer", "ipv6"] if outer_ipv6 else []), *([] if psc else ["--no-psc"]))
                    for outer_ipv6, psc in kinds]
        for (outer_ipv6, psc), packets in zip(kinds, dissect_each(captures), strict=True):
            with self.subTest(outer_ipv6=outer_ipv6, psc=psc):
                self.check_clean(packets)
                self.check_n3(packets, "n3-down", psc)
                self.assertEqual({packet.one("vlan.id") for packet in packets}, {"100"})
                version = "ipv6.src" if outer_ipv6 else "ip.src"
                self.assertEqual(len({packet[version][0] for packet in packets}), 1)
                if outer_ipv6 and psc:
                    self.assertEqual({packet.one("frame.len") for packet in packets}, {"1514"})

    def test_kinds_have_the_same_ues_and_flows(self):
        seen = []
        captures = [capture("--kind", kind, "--ues", 100, "--gnbs", 3, "--ipv6", 30, "--packets-per-flow", 2)
                    for kind in KINDS]
        for kind, packets in zip(KINDS, dissect_each(captures), strict=True):
            down = kind.endswith("down")
            ids = collections.defaultdict(set)
            for packet in packets:
                ids[packet.flow(down)].add(packet.mark()[1])
            self.assertTrue(all(len(found) == 1 for found in ids.values()))
            seen.append(ids)
            for flow in ids:
                self.assertTrue(in_pools(flow.ue, UE_POOLS), flow)
                self.assertTrue(in_pools(flow.server, SERVER_POOLS), flow)
            if kind.startswith("n3"):
                gnbs = {packet["ip.dst" if down else "ip.src"][0] for packet in packets}
                self.assertEqual(len(gnbs), 3)
        self.assertEqual(len(seen[0]), 800)
        self.assertEqual(len({flow.ue for flow in seen[0]}), 100)
        for ids in seen[1:]:
            self.assertEqual(ids, seen[0])

    def test_teids_belong_to_one_ue_and_direction(self):
        owners = {}
        teids = collections.defaultdict(set)
        kinds = "n3-up", "n3-down"
        captures = [capture("--kind", kind, "--ues", 100, "--packets-per-flow", 1) for kind in kinds]
        for kind, packets in zip(kinds, dissect_each(captures), strict=True):
            for packet in packets:
                owner = (kind, packet.flow(kind == "n3-down").ue)
                teid = packet.one("gtp.teid")
                self.assertEqual(owners.setdefault(teid, owner), owner)
                teids[owner].add(teid)
        self.assertEqual(len(owners), 200)
        self.assertTrue(all(len(found) == 1 for found in teids.values()))

    def test_flows_are_interleaved_and_numbered_in_order(self):
        """By their marks, and the sequence numbers of GTP-U in each tunnel."""
        n_seen, expected = collections.Counter(), collections.Counter()
        repeats, last = 0, None
        packets = dissect(capture("--ues", 20, "--packets-per-flow", 20))
        for packet in packets:
            seq, flow = packet.mark()
            self.assertEqual(seq, n_seen[flow])
            n_seen[flow] += 1
            repeats += flow == last
            last = flow
            if packet.one("gtp.flags.s") == "1":
                teid = packet.one("gtp.teid")
                self.assertEqual(int(packet.one("gtp.seq_number"), 0), expected[teid])
                expected[teid] += 1
        self.assertEqual(n_seen, {flow: 20 for flow in range(160)})
        self.assertLess(repeats, len(packets) / 50)
        self.assertTrue(expected)

    def test_shares_of_ipv6_and_tcp(self):
        shares = 0, 20, 100
        captures = [capture("--kind", "n6-up", "--ues", 2000, "--flows", 1, "--ipv6", percent, "--packets-per-flow", 1)
                    for percent in shares]
        for percent, packets in zip(shares, dissect_each(captures), strict=True):
            for name, wanted in (("ipv6.src", percent), ("tcp.srcport", 60)):
                found = 100 * sum(bool(packet[name]) for packet in packets) / len(packets)
                self.assertAlmostEqual(found, wanted, delta=0 if wanted in (0, 100) else 3)

    def test_without_zipf_all_flows_are_alike(self):
        _, flows = generated("--ues", 20, "--packets", 1600)
        self.assertEqual({row["packets"] for row in flows.values()}, {10})

    def test_zipf_of_every_exponent(self):
        """By the truth, which other tests compare with the packets."""
        for exponent in (0.9, 1.0, 1.1, 1.2, 1.3):
            _, flows = generated("--ues", 100, "--packets", 8000, "--zipf", exponent)
            sizes = sorted((row["packets"] for row in flows.values()), reverse=True)
            self.assertEqual(sum(sizes), 8000)
            harmonic = sum(rank ** -exponent for rank in range(1, 801))
            for rank in (1, 2, 10, 100):
                self.assertAlmostEqual(sizes[rank - 1], 8000 / harmonic / rank ** exponent, delta=1.5)

    def check_truth(self, packets, flows, kind):
        """Each flow has the packets that the truth says, and none before its begin or after its end."""
        down = kind.endswith("down")
        found = collections.defaultdict(list)
        for packet in packets:
            found[packet.mark()[1]].append(packet)
        self.assertLessEqual(set(found), set(flows))
        for number, row in flows.items():
            mine = found[number]
            times = [packet.time_us() for packet in mine]
            self.assertEqual([packet.mark()[0] for packet in mine], list(range(len(mine))))
            self.assertEqual((row["packets"], row["bytes"]),
                             (len(mine), sum(int(packet.one("frame.len")) for packet in mine)))
            self.assertEqual((row["first_us"], row["last_us"]),
                             (times[0], times[-1]) if times else (None, None))
            self.assertEqual({packet.flow(down) for packet in mine} or {self.ends(row)}, {self.ends(row)})
            self.assertTrue(all(row["begin_us"] <= time <= row["end_us"] for time in times), row)

    def ends(self, row):
        return Flow(row["ue"], str(row["ue_port"]), row["server"], str(row["server_port"]), row["protocol"])

    def test_churn_replaces_flows(self):
        """2 % of 400 flows in each of 10 times 100 ms, in places that keep their UEs and sizes."""
        args = ["--kind", "n3-up", "--ues", 50, "--packets", 4000, "--rate-pps", 4000]
        for options in ([], ["--kind", "n6-down", "--zipf", 1]):
            pcap, flows = generated(*args, *options, "--churn", 2)
            packets = dissect(pcap)
            self.check_clean(packets)
            self.check_truth(packets, flows, "n6-down" if "n6-down" in options else "n3-up")
            last = packets[-1].time_us()
            replaced = {number: row for number, row in flows.items() if row["replaces"] is not None}
            self.assertEqual(len(flows), 400 + len(replaced))
            self.assertEqual(len(replaced), last * 80 // 10**6)
            self.assertEqual(sorted(row["begin_us"] for row in replaced.values()),
                             [12500 * n for n in range(1, len(replaced) + 1)])
            self.assertEqual(len({row["replaces"] for row in replaced.values()}), len(replaced))
            for row in replaced.values():
                before = flows[row["replaces"]]
                self.assertEqual((before["end_us"], before["ue"]), (row["begin_us"], row["ue"]))
                self.assertNotEqual(self.ends(before), self.ends(row))
            self.assertEqual({row["end_us"] for number, row in flows.items()
                              if number not in {row["replaces"] for row in replaced.values()}}, {last})
            sizes = collections.Counter()
            for number, row in flows.items():
                while flows[number]["replaces"] is not None:
                    number = flows[number]["replaces"]
                sizes[number] += row["packets"]
            _, plain = generated(*args, *options)
            self.assertEqual(sizes, {number: row["packets"] for number, row in plain.items()})

    def test_flows_that_live_together_differ(self):
        """With as many flows as there are ports, too, and in the few tunnels of few UEs."""
        for ues, flows_each in ((2, 1500), (1, 4096), (40, 3)):
            _, flows = generated("--ues", ues, "--flows", flows_each, "--packets", 10000, "--rate-pps", 10000, "--churn", 20)
            self.assertGreater(len(flows), 2.9 * ues * flows_each)
            last = {}
            for row in sorted(flows.values(), key=lambda row: row["begin_us"]):
                key = (row["ue"], row["ue_port"])
                self.assertLessEqual(last.get(key, 0), row["begin_us"])
                last[key] = row["end_us"]

    def test_elephants_come_and_go(self):
        pcap, flows = generated("--ues", 50, "--packets", 10000, "--rate-pps", 10000,
                           "--elephant", "30:100:200", "--elephant", "10:0:50:300")
        packets = dissect(pcap)
        self.check_clean(packets)
        self.check_truth(packets, flows, "n3-up")
        elephants = [row for row in flows.values() if row["elephant"]]
        self.assertEqual(sorted((row["begin_us"], row["end_us"]) for row in elephants),
                         [(0, 50000), (100000, 300000), (300000, 350000), (600000, 650000), (900000, 950000)])
        self.assertEqual(len({self.ends(row) for row in elephants}), 5)
        for row in elephants:
            expected = 2000 * 0.3 if row["begin_us"] == 100000 else 500 * 0.1
            self.assertAlmostEqual(row["packets"], expected, delta=4 * expected ** 0.5)
        self.assertEqual(sum(row["packets"] for row in flows.values()), 10000)

    def test_elephants_in_every_kind(self):
        pcap, flows = generated("--kind", "mix", "--ues", 20, "--packets", 2000, "--churn", 3,
                           "--rate-pps", 2500, "--elephant", "50:0:1000")
        counts = collections.Counter(packet.mark()[1] for packet in dissect(pcap))
        self.assertEqual({number: row["packets"] for number, row in flows.items() if row["packets"]}, counts)
        self.assertAlmostEqual(max(counts.values()), 1000, delta=100)

    def test_snaplen_cuts_the_capture_only(self):
        whole, cut = dissect_each([capture("--ues", 20), capture("--ues", 20, "--snaplen", 100)])
        self.assertEqual([packet["frame.len"] for packet in whole], [packet["frame.len"] for packet in cut])
        for packet in cut:
            length = int(packet.one("frame.len"))
            self.assertEqual(int(packet.one("frame.cap_len")), min(100, length))

    def test_the_seed_decides(self):
        five, again, six = (capture("--ues", 50, "--seed", seed) for seed in (5, 5, 6))
        self.assertEqual(five, again)
        self.assertNotEqual(five, six)

    def test_bytes_are_the_same_on_every_machine(self):
        args = ["--kind", "mix", "--ues", 500, "--packets", 20000, "--zipf", 1.1]
        pcap = subprocess.check_output([harness.tools["ddp-traffic"], "-o", "-", *map(str, args)])
        self.assertEqual(hashlib.sha256(pcap).hexdigest(), GOLDEN)
        pcap, flows = generated(*args, "--rate-pps", 50000, "--churn", 1,
                           "--elephant", "20:50:100", "--elephant", "10:0:30:70")
        self.assertEqual(hashlib.sha256(pcap + repr(flows).encode()).hexdigest(), GOLDEN_CHURN)

    def test_misuse_is_one_line_and_exit_2(self):
        elephants = ["30", "30:0", "0:0:1", "101:0:1", "1:0:0", "1:0:9:8", "1:0:9:9:9", "1:0:9x", "1:0:1000000001",
                     "60:0:1 --elephant 41:5:1", " --elephant ".join(17 * ["1:0:1"])]
        others = ["--ues 0", "--ues x", "--ues -1", "--kind n4", "--nonsense", "--zipf 1", "--zipf nan --packets 9",
                  "--vlan 4095", "--sizes 1433", "extra", "--packets 9 --packets-per-flow 9",
                  "--packets-per-flow 4294967295", "--ues 10000000 --flows 4096", "--churn 101",
                  "--churn 100 --rate-pps 1 --packets 4000000000", "--truth="]
        for line in ("--seed 1", "-o", "-o x --truth x", *(f"-o - {words}" for words in others),
                     *(f"-o - --elephant {words}" for words in elephants)):
            with self.subTest(line=line):
                with (contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err,
                      self.assertRaises(SystemExit) as end):
                    harness.traffic_run(*line.split())
                self.assertEqual((end.exception.code, out.getvalue(), err.getvalue().count("\n")), (2, "", 1), err.getvalue())

    def test_help_goes_to_stdout(self):
        result = run("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--packets-per-flow", result.stdout)

    def test_unwritable_files_are_one_line_and_exit_1(self):
        for name in ("/no/such/folder/x", "/dev/full"):
            for options in (["-o", name], ["-o", "/dev/null", "--truth", name]):
                result = run(*options, "--ues", 20)
                self.assertEqual(result.returncode, 1)
                self.assertTrue(result.stderr.startswith("ddp-traffic: " + name))
                self.assertEqual(result.stderr.count("\n"), 1)


# Of what test_bytes_are_the_same_on_every_machine asks for. Changes with any change of the traffic.
GOLDEN = "e819e1078fc82b83d37c1553f4e33c4129e643189519a34ff3888e6871e32e1c"

GOLDEN_CHURN = "629e8c15d2deb45ea0fc9b4e5088cbdcbe7eccd9dd4234299ce7e382ca3849ab"


def setUpModule():
    harness.need("tshark")


if __name__ == "__main__":
    harness.main("ddp-traffic")
