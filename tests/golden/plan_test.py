#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plan of ddpctl for every profile of the library on every kind of NIC.

    plan_test.py path/to/ddpctl path/to/profiles path/to/package_seeds [--update]

plan.expected has a paragraph for profiles and input sets of which the same is true: what is not in software, how many
rules that takes on a NIC with the Comms package, and for gtpu why. --update writes it anew: read every line that
changes, for each is a claim about a NIC.
"""

import difflib
import functools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "library"))
import packets  # noqa: E402
from packets import eth, gtpu, ipv4, packet, udp  # noqa: E402

EXPECTED = os.path.join(HERE, "plan.expected")
SETS = ["gtpu:inner-ip", "gtpu:outer", "gtpu:teid", "gtpu:ue", "gtpu;port=2153", "vxlan;port=8472", "vxlan:outer",
        "examples/gtpu-nic.yaml"]

WORDS = {"hw": "hardware", "part": "partly", "sw": "software", "-": "not at all"}

ddpctl = None
profiles = None
package_seeds = None
update = False

# A machine without packages for 700-series NICs.
NOTHING = tempfile.TemporaryDirectory(prefix="ddp-plan-")

GTP = 0x80000008  # Intel's package for GTP


def command(*words):
    return subprocess.run([ddpctl, "plan", *words], capture_output=True, text=True,
                          timeout=60, env=dict(os.environ, DDP_PROFILE_PATH=profiles))


def plan(spec, nic):
    run = command("--json", "--nic", nic, spec)
    if run.returncode != 0:
        raise AssertionError(f"plan {spec} --nic {nic}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def short(names):
    """IPV4_UDP IPV4_TCP IPV6_TCP -> IPV4_{UDP,TCP} IPV6_TCP"""
    stems = {}
    for name in names:
        stem, _, last = name.rpartition("_")
        stems.setdefault(stem, []).append(last)
    return " ".join((stem + "_" if stem else "") +
                    (lasts[0] if len(lasts) == 1 else "{" + ",".join(lasts) + "}")
                    for stem, lasts in stems.items())


@functools.cache
def nics():
    """All kinds; there is nothing to list of the last."""
    return [nic["nic"] for nic in json.loads(command("gtpu", "--json").stdout)["nics"]] + ["none"]


def where_and_why(spec, packet_types):
    for where in "hardware", "partly":
        names = [t["name"] for t in packet_types if t["where"] == where]
        if names:
            yield f"    {where} {short(names)}"
    if spec == "gtpu":
        reasons = {}
        for t in packet_types:
            reasons.setdefault(f"{t['where']}: {t['why']}", []).append(t["name"])
        for why, names in reasons.items():
            yield f"      {short(names)}: {why}"


def lines(spec):
    """Kinds of NIC of which the same is said stand together."""
    file = os.path.join(profiles, spec) if "/" in spec else spec
    kinds = {}
    for nic in json.loads(command("--json", file).stdout)["nics"]:
        kinds.setdefault("\n".join(where_and_why(spec, nic["packet_types"])), []).append(nic["nic"])
    rules = plan(file, "ice-comms")
    counts = [f"{spec}: {'rss_hf, ' if rules['rss_hf'] else ''}{rules['rules']} rules",
              *(f"{t['header']} {t['port']}" for t in rules["tunnels"])]
    return [", ".join(counts), *(f"  {' '.join(names)}: {said.strip() or 'nothing'}" for said, names in kinds.items())]


NO_PACKETS = b"ddpctl: standard input: the capture has no packets\n"


class Plan(unittest.TestCase):
    maxDiff = None

    def test_the_table_is_as_expected(self):
        names = sorted(f[:-5] for f in os.listdir(profiles) if f.endswith(".yaml"))
        alike = {}
        for spec in names + SETS:
            head, *body = lines(spec)
            alike.setdefault("\n".join(body), []).append(head)
        text = "".join("\n".join([*heads, body, ""]) for body, heads in alike.items())
        if update:
            with open(EXPECTED, "w", encoding="utf-8") as file:
                file.write(text)
        with open(EXPECTED, encoding="utf-8") as file:
            expected = file.read()
        diff = difflib.unified_diff(expected.splitlines(), text.splitlines(), "plan.expected", "now",
                                    lineterm="")
        self.assertEqual(text, expected, "\n" + "\n".join(diff) + "\n\nIf the new text is right: "
                         f"{os.path.abspath(__file__)} {ddpctl} {profiles} --update")

    def test_all_kinds_side_by_side_are_what_each_is_alone(self):
        verdicts, matrix = command("gtpu").stdout.split("\n\n")[:2]
        titles, *rows = (line.split() for line in matrix.splitlines()[1:])
        self.assertEqual(titles, ["PACKET", "TYPE", *nics()[:-1]])
        of_all = json.loads(command("gtpu", "--json").stdout)["nics"]
        for column, nic in enumerate(nics()[:-1], 1):
            alone = json.loads(command("gtpu", "--nic", nic, "--json").stdout)["packet_types"]
            self.assertEqual([(row[0], WORDS[row[column]]) for row in rows],
                             [(one["name"], one["where"]) for one in alone])
            self.assertEqual(of_all[column - 1]["nic"], nic)
            self.assertEqual(of_all[column - 1]["packet_types"], alone)
            verdict = of_all[column - 1]["spread"]["verdict"]
            self.assertRegex(verdicts, rf"(?m)^{nic} +{verdict} ")

    def test_commands_are_shown(self):
        run = command("gtpu", "--nic", "ice-comms", "--commands")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("flow create 0 ingress pattern eth / ipv4 / udp / gtpu / ipv4 / end actions rss "
                      "types ipv4 end key_len 0 queues end / end", run.stdout)
        raw = re.search("raw pattern spec ([0-9a-f]+) pattern mask ([0-9a-f]+) ", run.stdout)
        self.assertEqual(len(raw.group(1)), len(raw.group(2)))
        self.assertIn("ethtool -N eth0 rx-flow-hash tcp4 sdfn", run.stdout)

    def test_rules_are_read_as_they_are_printed(self):
        """By ddpctl, which reads what testpmd reads: those beside net_ddp, and those of the NIC alone."""
        for planned, profile, n_least in (("gtpu", None, 8), ("gtpu:ue", None, 8), ("pppoe", None, 4),
                                          ("gtpu", "e810-comms", 24)):
            found = plan(planned, "ice-comms")
            commands = found["spread"]["testpmd"] if profile else found["testpmd"]
            rules = [line for line in commands if line.startswith("flow create")]
            self.assertGreaterEqual(len(rules), n_least)
            path = os.path.join(NOTHING.name, "rules")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(rules))
            run = subprocess.run([ddpctl, "classify", profile or planned, "-", "--rule", f"@{path}"],
                                 capture_output=True, input=packets.pcap([]), timeout=60,
                                 env=dict(os.environ, DDP_PROFILE_PATH=profiles))
            self.assertEqual((run.returncode, run.stderr), (0, NO_PACKETS))

    def test_refusals(self):
        nothing = os.path.join(NOTHING.name, "none.pkgo")
        for words, status, error in (
                (("base", "--nic", "e1000"), 2, "e1000.*ice-comms"),
                (("gtpu", "--commands"), 2, "--commands needs --nic or --port"),
                (("gtpu", "--nic", "i40e", "--pcap", nothing), 3, "No such file"),
                (("gtpu", "--pcap", nothing), 2, "--pcap"),
                (("gtpu", "--nic", "i40e", "--package", nothing), 3, "none.pkgo: error: "),
                (("gtpu", "--package", nothing), 3, "none.pkgo: error: "),
                (("gtpu", "--nic", "ice-os", "--package", nothing), 2, "--package is for NICs of kind i40e")):
            run = command(*words)
            self.assertEqual((run.returncode, run.stdout), (status, ""), words)
            self.assertRegex(run.stderr, error)

    def test_no_command_is_longer_than_testpmd_reads(self):
        """It would do nothing, and testpmd would not say so."""
        said = command("gtpu", "--nic", "ice-comms", "--commands").stdout
        found = json.loads(command("gtpu", "--nic", "ice-comms", "--json").stdout)
        self.assertLessEqual(max(map(len, found["testpmd"])), 512)
        n_rules = sum(line.startswith("flow create") for line in found["testpmd"])
        self.assertLess(n_rules, found["rules"])
        self.assertIn(f"testpmd's lines are too short for {found['rules'] - n_rules} of the "
                      f"{found['rules']} rules", said)


class Spread(unittest.TestCase):
    """Whether the NIC spreads the traffic, as text."""

    def verdict(self, spec, nic):
        return plan(spec, nic)["spread"]

    def test_verdicts(self):
        """A user buys or keeps a NIC by these words."""
        for spec, nic, verdict, same, types in (
                ("gtpu", "ice-comms", "hardware can spread it", 6, 8),
                ("gtpu", "mlx5", "hardware can spread it", 6, 8),
                ("gtpu", "i40e", "software only", 0, 8), ("gtpu", "ice-os", "software only", 0, 8),
                ("gtpu", "none", "software only", 0, 8), ("gtpu:ue", "ice-comms", "hardware plus software", 0, 8),
                ("base", "generic", "hardware can spread it", 10, 12)):
            with self.subTest(f"{spec} on {nic}"):
                found = self.verdict(spec, nic)
                self.assertEqual((found["verdict"], found["same_types"], found["types"]), (verdict, same, types))

    def test_the_redirection_table_bounds_how_even_queues_can_be(self):
        for queues, bound in (16, None), (255, "1.49"), (400, "1.56"):
            for more in [], ["--nic", "i40e"]:
                found = re.search(r"redirection table: .* up to\s+(\S+) times", command(
                    "gtpu", "--queues", str(queues), *more).stdout)
                self.assertEqual(found and found.group(1), bound)

    def test_queues_of_a_rule_that_lists_them(self):
        run = command("gtpu", "--nic", "mlx5", "--commands", "--queues", "3")
        self.assertIn("end level 2 queues 0 1 2 end / end\n", run.stdout)
        self.assertIn("FLEX_PARSER_PROFILE_ENABLE=3", run.stdout)

    def test_it_can_be_read_in_a_narrow_terminal(self):
        """Each reason once, no line broken by the terminal."""
        for columns, specs in (80, ("gtpu", "gtpu:ue", "5g-upf")), (100, ("gtpu",)):
            for nic in nics():
                for spec in specs:
                    with self.subTest(columns=columns, nic=nic, spec=spec):
                        run = subprocess.run([ddpctl, "plan", spec, "--nic", nic],
                                             capture_output=True, text=True, timeout=60,
                                             env=dict(os.environ, DDP_PROFILE_PATH=profiles, COLUMNS=str(columns)))
                        lines = run.stdout.splitlines()
                        words = [line for line in lines if len(line) > columns and " " in line.strip()]
                        self.assertEqual(words, [])
                        for note in "flex items", "a package may add it":
                            self.assertLessEqual(run.stdout.count(note), 1)
        self.assertLessEqual(max(map(len, command("gtpu").stdout.splitlines())), 80)

    def capture(self, snaplen=65535):
        """1024 users' UDP packets in GTP-U between two nodes."""
        frames = [packet(eth(), ipv4("0.0.0.1", "0.0.0.2"), udp(2152), gtpu(n), ipv4(f"10.0.{n >> 8}.{n & 255}", "192.0.2.1"),
                         udp(80, 1000 + n)) for n in range(1024)]
        path = os.path.join(NOTHING.name, f"{snaplen}.pcap")
        with open(path, "wb") as file:
            file.write(packets.pcap([(frame[:snaplen], len(frame)) for frame in frames]))
        return path

    def test_a_capture_shows_what_each_choice_gives(self):
        """Without it a user knows only what could be, not what it brings for his traffic."""
        path = self.capture()
        for nic, now, alone in (("ice-comms", 1.5, 1.5), ("ice-os", 16, 16), ("mlx5", 16, 1.5), ("i40e", 16, 16)):
            with self.subTest(nic):
                found = json.loads(command("gtpu", "--nic", nic, "--pcap", path, "--json").stdout)["capture"]
                self.assertEqual((found["packets"], found["queues"]), (1024, 16))
                choices = {one["name"]: one["imbalance"] for one in found["choices"]}
                if now == 16:  # all on one queue
                    self.assertEqual(choices["NIC without rules"], 16)
                self.assertLessEqual(choices["NIC without rules"], now)  # ice-comms hashes inner ports
                self.assertLess(choices["NIC and net_ddp"], 1.5)
                self.assertLessEqual(choices["NIC alone, with the rules"], alone)
                shares = {one["spread"]: one["packets"] for one in found["alone"]}
                self.assertEqual(shares["outer headers" if alone == 16 else "same fields"], 1024)
        text = command("gtpu", "--nic", "i40e", "--pcap", path).stdout
        self.assertRegex(text, r"NIC alone, with the rules +16\.000\n")
        self.assertLessEqual(max(map(len, text.splitlines())), 80 + len(path))

    def test_a_cut_capture_has_a_warning_at_the_top(self):
        """Without it cut packets would count as outer headers in silence, and the NIC would seem to be no use."""
        for snaplen in 64, 96, 128:
            cut = self.capture(snaplen)
            found = json.loads(command("gtpu", "--nic", "ice-comms", "--pcap", cut, "--json").stdout)["capture"]
            text = command("gtpu", "--nic", "ice-comms", "--pcap", cut).stdout
            if snaplen < 80:  # the user's packet is not captured
                self.assertIn(f"A snaplen of {found['snaplen']} would do", found["warning"])
                self.assertTrue(text.startswith("warning: 100.0 % of the packets were cut"), text[:200])
                self.assertLessEqual(max(map(len, text.split("gtpu on")[0].splitlines())), 80)
            else:
                self.assertEqual((found["warning"], found["snaplen"]), (None, None))
                self.assertNotIn("warning", text)


class Package(unittest.TestCase):
    """A 700-series NIC and a package for it."""

    def put(self, track_id):
        folder = tempfile.TemporaryDirectory(prefix="ddp-plan-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "gtp.pkgo")
        subprocess.run([package_seeds, folder.name], check=True)
        with open(os.path.join(folder.name, "i40e-0"), "rb") as file:
            package = file.read()
        with open(path, "wb") as file:  # the track id is in the metadata, the first segment
            file.write(package[:0x50] + struct.pack("<I", track_id) + package[0x54:])
        return path

    def plan(self, path, spec):
        run = command("--package", path, "--json", "--nic", "i40e", spec)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_the_package_for_gtp_and_its_commands(self):
        path = self.put(GTP)
        found = self.plan(path, "gtpu")
        where = {t["name"]: t["where"] for t in found["packet_types"]}
        self.assertEqual(found["package"], path)
        self.assertIsNone(found["package_why"])
        self.assertEqual(where["GTPU_IPV4_TCP"], "hardware")
        self.assertEqual(found["spread"]["verdict"], "hardware plus software")
        self.assertEqual(found["testpmd"], [
            "port stop all",
            f"ddp add 0 {path},gtp.pkgo.back",
            "port config 0 pctype 22 hash_inset clear all",
            *(f"port config 0 pctype 22 hash_inset set field {word}" for word in (15, 16, 27, 28, 29, 30)),
            "port config 0 pctype 23 hash_inset clear all",
            *(f"port config 0 pctype 23 hash_inset set field {word}" for word in range(13, 31)),
            "port config 0 pctype mapping update 22 26",
            "port config 0 pctype mapping update 23 27",
            "port config 0 pctype mapping update 24 28",
            "port config 0 pctype mapping update 25 29",
            "port start all",
            "port config all rss default"])

    def test_an_undocumented_package_is_of_no_use(self):
        found = self.plan(self.put(0x80080001), "gtpu")
        self.assertIn("Intel does not document which fields a NIC hashes with it", found["package_why"])
        self.assertEqual(found["testpmd"], ["port config all rss all"])

    def test_what_is_missing_is_said(self):
        found = self.plan(self.put(GTP), "pppoe")
        self.assertIsNone(found["package"])
        self.assertIn("gtp.pkgo: error: the profile has no GTP-U", found["package_why"])
        run = command("gtpu", "--nic", "i40e")
        self.assertIn("\npackage: none: none is given (--package)\n", run.stdout)
        self.assertEqual(json.loads(command("gtpu", "--nic", "i40e", "--json").stdout)["spread"]["verdict"],
                         "software only")
        self.assertNotIn("\npackage:", command("vxlan", "--nic", "i40e").stdout)


if __name__ == "__main__":
    ddpctl, profiles, package_seeds = sys.argv[1:4]
    update = "--update" in sys.argv
    unittest.main(argv=sys.argv[:1])
