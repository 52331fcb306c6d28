#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl as its users meet it: what it prints and in which shape, hashes and queues computed again
here, and what it says and returns when something is wrong."""

import collections
import ipaddress
import json
import os
import random
import re
import struct
import subprocess

from support import harness, simulation_words
from packets import DATA, eth, ipv4, packet, udp

GOOD, NO, USAGE, UNREADABLE = range(4)

# A profile with one mistake, its place and words of the message; tests/unit/profile has all messages.
MISTAKES = [
    ("headers:\n  foo: [\n", (6, 1), "YAML"),
    ("packet_types:\n  T:\n    path: link ipv4 tcp\n    priority: 1\n    rss: ipv4.sorce\n",
     (8, 10), "'sorce'"),
    ("input_sets:\n  outer:\n    IPV4_UPD: ipv4.src\n", (6, 5), "'IPV4_UPD'; did you mean 'IPV4_UDP'?"),
]


def uses(spec, capture):
    """Every command that loads a profile."""
    return [["check", spec], ["classify", spec, capture], ["simulate", spec, capture]]


class Profiles(harness.TestCase):
    """ddpctl on profiles alone."""

    def profile(self, text, name="broken"):
        path = self.folder / f"{name}.yaml"
        path.write_text(f"profile: {name}\nversion: 1.0.0\nrequires: [base]\n{text}")
        return path

    def test_the_path_is_searched_first(self):
        mine = self.profile("summary: mine\n", "gtpu")
        env = dict(os.environ, DDP_PROFILE_PATH=f"/nonexistent:{self.folder}")
        found = json.loads(harness.output_of(harness.tools["ddpctl"], "list", "--json", env=env))
        files = {profile["name"]: profile["file"] for profile in found}
        self.assertEqual(files["gtpu"], str(mine))
        self.assertIn("base", files)
        self.assertEqual(list(files), sorted(files))
        self.assertEqual(len(harness.ddpctl("list", env=env).stdout.splitlines()), 1 + len(found))

    def test_the_worst_verdict_counts(self):
        broken = self.profile(MISTAKES[0][0])
        for files, status in (([], GOOD), ([broken], NO), ([broken, "nowhere"], UNREADABLE)):
            result = harness.ddpctl("check", "--json", "gtpu", *files)
            self.assertEqual(result.returncode, status)
            self.assertEqual([verdict["valid"] for verdict in json.loads(result.stdout)],
                             [True] + [False] * len(files))
            self.assertEqual(harness.ddpctl("check", "gtpu", *files).returncode, status)

    def test_packets_that_cost_too_much(self):
        """Each rule of a header searches an earlier one, and leads back to the header."""
        path = self.folder / "rules.yaml"
        # aa; 63 times bb with 5 rules of 3, and a search in each among 1 to 63 headers; aa.x to hash
        for n, status, message in (5, GOOD, ", at most 11218 steps a packet)\n"), \
                (100, NO, " steps, more than 50000, and the header 'bb' up to "):
            path.write_text(
                "profile: rules\nversion: 1.0.0\nsummary: many rules\nheaders:\n"
                "  aa: {first: true, layout: 'x:16', next: bb}\n  bb:\n    layout: y:8\n    next:\n" +
                "".join(f"      - {{when: {{aa.x: {i}, y: 1}}, then: bb}}\n" for i in range(n)) +
                "packet_types:\n  AA: {path: aa bb, rss: aa.x}\n")
            result = harness.ddpctl("check", "--strict", path)
            self.assertEqual(result.returncode, status)
            self.assertIn(message, result.stdout + result.stderr)

    def test_a_warning_is_an_error_where_that_is_asked_for(self):
        path = self.folder / "none.yaml"
        path.write_text("profile: none\nheaders: {aa: {first: true, layout: 'k:16'}}\n")
        for options, status in ([], GOOD), (["--strict"], NO):
            result = harness.ddpctl("check", path, *options)
            self.assertEqual(result.returncode, status)
            self.assertIn(f"{path}:2:11: warning: there is no packet type, so every packet is unknown and has no hash",
                          result.stderr)

    def test_mistakes_have_a_place(self):
        capture = self.traffic("--ues", 1)
        for text, (line, column), words in MISTAKES:
            path = self.profile(text)
            place = f"{path}:{line}:{column}: error: "
            for command in uses(path, capture):
                with self.subTest(text=text, command=command[0]):
                    result = harness.ddpctl(*command)
                    self.assertEqual(result.returncode, NO)
                    message, *source = result.stderr.splitlines()
                    self.assertEqual(message[:len(place)], place, result.stderr)
                    self.assertIn(words, message)
                    is_shown = command[0] == "check" and line <= path.read_text().count("\n")
                    self.assertEqual(len(source), 2 if is_shown else 0)
            verdict = json.loads(harness.ddpctl("check", "--json", path).stdout)[0]
            self.assertEqual(verdict["messages"], [message])
            self.assertEqual(verdict["errors"], 1)
            self.assertEqual(verdict["diagnostics"], [
                {"file": str(path), "line": line, "column": column, "offset": None,
                 "severity": "error", "message": message[len(place):]}])

    def test_the_source_has_a_mark(self):
        """A user sees what is meant without an editor, also behind tabs and characters of several bytes."""
        for text, line, mark in (
                ("summary: x\nheders: {}\n", 'heders: {}', "heders"),
                ("packet_types:\n  T:\n    path: link ipv5\n", "    path: link ipv5", "ipv5"),
                ("headers:\n\tdemo: {}\n", " demo: {}", " demo"),
                ("summary: {ä€: 1, b: 2}\n", "summary: {ä€: 1, b: 2}", "{"),
                ("headers: {foo: {summary: 'ä€', layuot: x:8}}\n",
                 "headers: {foo: {summary: 'ä€', layuot: x:8}}", "layuot")):
            path = self.profile(text)
            shown, below = harness.ddpctl("check", path).stderr.splitlines()[1:3]
            self.assertEqual(shown.split(" | ", 1)[1], line)
            self.assertEqual(below.index("^"), shown.index(mark), f"{shown}\n{below}")
            self.assertNotIn("\033", shown + below)
        (self.folder / "needs.yaml").write_text("profile: needs\nrequires: [broken]\n")
        result = harness.ddpctl("check", "needs", env=dict(os.environ, DDP_PROFILE_PATH=str(self.folder)))
        self.assertIn(f"{shown}\n{below}\n", result.stderr)

    def test_colours(self):
        """--color and NO_COLOR decide; a file never gets escape sequences unless an option requests them."""
        path = self.profile("heders: {}\n")
        plain = harness.ddpctl("check", path).stderr
        for environment in ({}, {"NO_COLOR": "1"}):
            colored = harness.ddpctl("check", "--color", "always", path,
                                     env=dict(os.environ, **environment)).stderr
            self.assertIn("\033[1;31merror:\033[0m", colored)
            self.assertEqual(re.sub(r"\033\[[0-9;]*m", "", colored), plain)
        for environment, words, is_colored in (({}, [], True), ({"NO_COLOR": "1"}, [], False),
                                               ({"NO_COLOR": ""}, [], True),
                                               ({}, ["--color=never"], False)):
            master, slave = os.openpty()
            env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            subprocess.run([harness.tools["ddpctl"], "check", *words, path], stdout=subprocess.DEVNULL,
                           stderr=slave, env=dict(env, **environment), check=False)
            os.close(slave)
            seen = os.read(master, 65536).decode()
            os.close(master)
            self.assertEqual("\033[" in seen, is_colored, (environment, words, seen))

    def test_a_profile_from_standard_input(self):
        """An editor or a script checks text that is in no file."""
        text = "profile: mine\nrequires: [gtpu]\nheders: {}\n"
        result = harness.ddpctl("check", "-", stdin=None, input=text)
        self.assertEqual(result.returncode, NO)
        self.assertEqual(result.stderr.splitlines()[0][:22], "<text>:3:1: error: unk")
        self.assertIn("heders: {}\n", result.stderr)
        result = harness.ddpctl("check", "-", stdin=None, input="profile: mine\nrequires: [gtpu]\n")
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""))
        self.assertTrue(result.stdout.startswith("-: OK ("), result.stdout)
        result = harness.ddpctl("check", "-", stdin=None, input="#" * (1 << 20))
        self.assertEqual(result.returncode, UNREADABLE)
        self.assertIn("more than 1048575 bytes", result.stderr)

    def test_names_that_nearly_exist(self):
        """A misspelt name costs no search for the right one, and a file in this folder is pointed at."""
        result = harness.ddpctl("check", "gptu")
        self.assertEqual(result.returncode, UNREADABLE)
        self.assertIn("; did you mean 'gtpu'?", result.stderr)
        self.profile("", "mine")
        result = harness.ddpctl("check", "mine", cwd=self.folder)
        self.assertIn("; did you mean the file ./mine.yaml?", result.stderr)


class Wrong(harness.TestCase):
    """One line of error, and the exit status of its kind."""

    def check(self, status, args, words, **kwargs):
        with self.subTest(args=args):
            result = harness.ddpctl(*args, **kwargs)
            self.assertEqual(result.returncode, status, result.stderr)
            lines = result.stderr.splitlines()
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertIn(words, lines[0])
            return result

    def test_profiles_that_cannot_be_used(self):
        capture = self.traffic("--ues", 1)
        for status, spec, words in [
                (UNREADABLE, "nowhere", "'nowhere'"),
                (UNREADABLE, "gtpu+nowhere", "'nowhere'"),
                (NO, "gtpu;prot=1", "'prot'"),
                (NO, "gtpu;port=65536", "65536"),
                (NO, "gtpu:nonsense", "'nonsense'"),
                (NO, "gtpu+", "missing")]:
            for command in uses(spec, capture):
                self.check(status, command, words)
        for command in ("classify", "simulate"):
            self.check(NO, [command, capture, "base"], ": error: a capture, not a profile (FILE comes before PCAP)")

    def test_captures_that_cannot_be_read(self):
        capture = self.traffic("--ues", 1).read_bytes()
        for name, content in [("empty", b""), ("text", b"no capture at all\n" * 10),
                              ("head", capture[:20]),
                              ("wifi", capture[:20] + struct.pack("<I", 105) + capture[24:])]:
            (self.folder / name).write_bytes(content)
        for name in ("nowhere", "empty", "text", "head", "wifi", "."):
            path = self.folder / name
            for command in ("classify", "simulate"):
                result = self.check(UNREADABLE, [command, "gtpu", path], str(path))
                self.assertEqual(result.stdout, "")
        self.check(UNREADABLE, ["classify", "gtpu", "-"], "standard input")

    def test_output_that_cannot_be_written(self):
        capture = self.traffic("--ues", 1)
        for args in (["list"], ["--help"], *uses("gtpu", capture),
                     ["classify", "gtpu", capture, "--jsonl"],
                     ["simulate", "gtpu", capture, "--json"]):
            with open("/dev/full", "w") as full:
                self.check(UNREADABLE, args, "No space", stdout=full)

    def test_a_closed_pipe_is_quiet(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = harness.ddpctl("list", stdout=writer)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (UNREADABLE, ""))

    def test_the_first_problem_is_told_before_any_output(self):
        result = harness.ddpctl("classify", "nowhere", "nowhere.pcap")
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1))


class Help(harness.TestCase):
    def good(self, *args):
        result = harness.ddpctl(*args, env={**os.environ, "COLUMNS": "999"})
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""), args)
        return result.stdout

    def test_help_fits_a_terminal(self):
        for command in ("", "advise", "classify", "plan", "port", "port watch", "simulate"):
            text = harness.ddpctl(*command.split(), "--help").stdout
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_what_a_command_is_for(self):
        """Its own help says what the list of commands does."""
        for family in ([], ["port"]):
            listed = re.findall(r"^  (\w+) .*?  ([a-z].*)$", self.good(*family, "--help").split("\noptions:")[0], re.M)
            self.assertNotEqual(listed, [])
            for name, summary in listed:
                text = self.good(*family, name, "--help")
                self.assertIn(f"\n\n{summary}\n\n", text)
                self.assertIn(f"usage: ddpctl {' '.join([*family, name])}", text)
        self.assertEqual(self.good("simulate", "nowhere", "-h"), self.good("simulate", "--help"))

    def test_options_have_their_arguments(self):
        """Help shows the value that an option takes, as the manual page does."""
        page = (harness.SOURCE_ROOT / "apps/ctl/ddpctl.1").read_text().replace("\\-", "-")
        values = dict(re.findall(r'^\.B[IR] .*?--([a-z-]+) " (?:\\fI)?([A-Z]+)"', page, re.M))
        self.assertGreater(len(values), 20)
        seen = set()
        for words in (["advise"], ["check"], ["classify"], ["explain"], ["new"], ["plan"], ["simulate"],
                      ["port", "watch"]):
            for name, value in re.findall(r"^  .{4}--([a-z-]+) ([A-Z]*) ", self.good(*words, "--help"), re.M):
                self.assertEqual(value, values.get(name, ""), name)
                seen.add(name)
        self.assertEqual(set(values) - seen, set())

    def test_version(self):
        self.assertEqual(self.good("--version"), f"ddpctl {harness.version()}\n")


def packed(fields):
    """The bytes of fields as they are hashed."""
    return b"".join(
        ipaddress.ip_address(value).packed[:8 if name.endswith("/64") else None]
        if isinstance(value, str) else value.to_bytes(4 if name == "gtpu.teid" else
                                                      1 if name == "gtpu_psc.qfi" else 2, "big")
        for name, value in fields.items())


class Classify(harness.TestCase):
    SPECS = ["base", "gtpu", "gtpu:ue", "gtpu:teid", "gtpu:outer"]

    def captures(self):
        return [self.traffic("--kind", "mix", "--ues", 30, "--flows", 4, "--packets-per-flow", 1),
                self.traffic("--kind", "n3-up", "--ues", 20, "--outer", "ipv6", "--snaplen", 140)]

    def test_json_is_the_same_in_an_array_and_the_table_has_a_line_each(self):
        path = self.captures()[0]
        lines = harness.classify("gtpu", path)
        array = harness.ddpctl("classify", "gtpu", path, "--json")
        self.assertEqual(json.loads(array.stdout), lines)
        table = harness.ddpctl("classify", "gtpu", path).stdout.splitlines()
        self.assertEqual(len(table), 1 + len(lines))
        for row, one in zip(table[1:], lines):
            for cell in (str(one["n"]), one["ptype"], " ".join(one["chain"]), one["hash"]):
                self.assertIn(cell, row)

    def check_hashes(self, spec, path, compute, *options, queues=16, reta_size=harness.RETA_SIZE):
        packets = harness.classify(spec, path, "--queues", queues, *options)
        self.assertTrue(packets)
        for one in packets:
            place = f"{spec} {path.name} frame {one['n']}"
            expected = compute(bytes.fromhex(one["input"]))
            self.assertEqual(int(one["hash"], 16), expected, place)
            self.assertEqual(one["queue"], expected % reta_size % queues, place)
        return packets

    def test_hashes_and_queues_are_those_of_the_input(self):
        for spec in self.SPECS:
            for path in self.captures():
                for one in self.check_hashes(spec, path, harness.toeplitz):
                    place = f"{spec} {path.name} frame {one['n']}"
                    self.assertTrue(packed(one["fields"]).hex().startswith(one["input"]), place)
        key = random.Random(1).randbytes(40)
        for text in (key.hex(), key.hex(":").upper()):
            self.check_hashes("gtpu", path, lambda data: harness.toeplitz(data, key + key), "--key", text)
        for queues, reta_size in ((3, 64), (1024, 4096), (16, 1)):
            self.check_hashes("gtpu", path, harness.simple_xor, "--hash", "simple_xor", "--reta-size", reta_size,
                              queues=queues, reta_size=reta_size)

    def ethtool(self, rows, key, rings=6, function="toeplitz"):
        """A file with the output of "ethtool -x"."""
        path = self.folder / "indir.txt"
        lines = [f"RX flow hash indirection table for eth0 with {rings} RX ring(s):"]
        lines += [f"{at:5}:  " + "".join(f"{queue:6}" for queue in rows[at:at + 8]) for at in range(0, len(rows), 8)]
        lines += ["RSS hash key:", key, "RSS hash function:"]
        lines += [f"    {name}: {'on' if name == function else 'off'}" for name in ("toeplitz", "xor", "crc32")]
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_the_table_and_key_of_a_nic(self):
        """A user sees the queues of the NIC at hand, whatever its administrator made of its table."""
        rng = random.Random(2)
        capture = self.captures()[0]
        for size, key_len in ((8, 40), (128, 40), (512, 52), (2048, 52)):
            rows = [rng.randrange(6) for _ in range(size)]
            key = rng.randbytes(key_len)
            file = self.ethtool(rows, key.hex(":"))
            plain = harness.classify("gtpu", capture, "--key", key.hex(), "--queues", 6)
            found = harness.classify("gtpu", capture, "--indir", file)
            self.assertEqual([one["hash"] for one in found], [one["hash"] for one in plain])
            self.assertEqual([one["queue"] for one in found],
                             [0 if one["hash"] is None else rows[int(one["hash"], 16) % size] for one in found])
            spread = harness.simulate("gtpu", capture, "--indir", file)
            counts = collections.Counter(one["queue"] for one in found)
            self.assertEqual([queue["packets"] for queue in spread["queues"]], [counts[i] for i in range(6)])
            mine = rng.randbytes(40).hex()
            self.assertEqual([one["hash"] for one in harness.classify("gtpu", capture, "--indir", file, "--key", mine)],
                             [one["hash"] for one in harness.classify("gtpu", capture, "--key", mine)])
        file = self.ethtool(rows, "Operation not supported")
        self.assertEqual([one["hash"] for one in harness.classify("gtpu", capture, "--indir", file)],
                         [one["hash"] for one in harness.classify("gtpu", capture)])

    def test_a_broken_table_of_a_nic(self):
        """ddpctl names the line that it cannot simulate, and simulates no other NIC instead."""
        capture = self.captures()[0]
        key = bytes(40).hex(":")
        good = self.ethtool([0, 1] * 8, key).read_text()
        for text, place, words in (
                ("", None, "no redirection table"),
                ("nonsense\n", 1, "not what 'ethtool -x' prints"),
                (good.replace("6 RX ring", "0 RX ring"), 1, "number of Rx rings"),
                (good.replace("    8:", "   16:"), 3, "is missing before this one"),
                (good.replace("    8:", "    x:"), 3, "not a row"),
                (good.replace("     1", "     6", 1), 2, "no Rx ring of this NIC"),
                (good.replace("    8:", "    8:     1"), None, "not a power of two"),
                (good.replace(key, key[3:]), 5, "not an RSS key"),
                (good.replace(key, "xy" + key[2:]), 5, "not what 'ethtool -x' prints"),
                (good.replace("xor: off", "xor: on"), 8, "cannot be simulated"),
                (good + "RSS input transformation:\n    symmetric-xor: on\n", 11, "cannot be simulated"),
                (good + good, 10, "a second redirection table"),
                (good.split("    0:")[0] + "Operation not supported\n", 2, "the NIC has no redirection table"),
                (good[:70] + "1" * 2000, 2, "")):
            file = self.folder / "broken.txt"
            file.write_text(text)
            result = harness.ddpctl("simulate", "gtpu", capture, "--indir", file)
            self.assertEqual((result.returncode, result.stdout), (NO, ""), text)
            start = f"ddpctl: {file}: " if place is None else f"ddpctl: {file}:{place}: "
            self.assertTrue(result.stderr.startswith(start), f"{text}\n{result.stderr}")
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
        result = harness.ddpctl("simulate", "gtpu", capture, "--indir", self.folder / "nowhere")
        self.assertEqual(result.returncode, UNREADABLE)
        for option in ("--queues", "--reta-size"):
            result = harness.ddpctl("simulate", "gtpu", capture, "--indir", file, option, 4)
            self.assertEqual(result.returncode, USAGE)

    def test_a_rule_without_types_has_those_of_rss_hf(self):
        path = self.capture("types", [packet(eth(), ipv4(), udp(), DATA)])
        seen = set()
        for types in ("ipv4", "ipv4-udp"):
            rules = [f"pattern eth / ipv4 / udp / end actions rss {words} queues end / end"
                     for words in ("", f"types {types} end")]
            bare, named = (harness.classify("gtpu", path, "--rss-hf", types, "--rule", rule)[0]["input"]
                           for rule in rules)
            self.assertEqual(bare, named)
            seen.add(bare)
        self.assertEqual(len(seen), 2)


class Simulate(harness.TestCase):
    def test_a_profile_that_reads_no_packet(self):
        path = self.traffic("--ues", 1)
        for spec, message in ("base", ""), \
                ("vxlan;port=9", "ddpctl: no packet has a packet type of vxlan;port=9: does it read the right "
                                 "tunnel and port?\n"):
            self.assertEqual(harness.ddpctl("simulate", spec, path).stderr, message)

    def test_rules_are_of_the_candidate_before_them(self):
        path = self.traffic("--kind", "mix", "--ues", 50, "--packets-per-flow", 2)
        uplink = ("pattern eth / ipv4 / udp / gtpu / gtp_psc pdu_t is 1 / ipv4 / end "
                  "actions rss types ipv4 l3-src-only end queues end / end")
        steer = "pattern eth / ipv4 / udp / gtpu / ipv4 / end actions queue index 5 / end"
        drop = "pattern eth / ipv4 / udp / gtpu / ipv6 / end actions drop / end"
        spread = harness.simulate("gtpu", path, "--queues", 6, "--rule", uplink, "--with", "gtpu",
                                  "--with", "gtpu:ue", "--rule", steer, "--rule", drop)
        names = [each["name"] for each in spread["candidates"]]
        self.assertEqual(names, ["gtpu with rule 1", "gtpu", "gtpu:ue with rules 2 3"])
        for each, spec, rules in zip(spread["candidates"], ["gtpu", "gtpu", "gtpu:ue"],
                                     [[uplink], [], [steer, drop]]):
            options = [word for rule in rules for word in ("--rule", rule)]
            found = harness.classify(spec, path, "--queues", 6, *options)
            queues = collections.Counter(packet["queue"] for packet in found)
            self.assertEqual([q["packets"] for q in each["queues"]],
                             [queues[q] for q in range(6)], each["name"])
            self.assertEqual(each["dropped"], queues[None])
            self.assertEqual(each["packets"], sum(queues.values()) - queues[None])
        result = harness.ddpctl("simulate", "gtpu", path, "--rule", "pattern eth / ip4 / end")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)

    def test_what_is_dropped_is_on_no_queue(self):
        """Windows go on while a rule drops all, and a dropped packet parts nothing."""
        path = self.traffic("--kind", "mix", "--ues", 50, "--packets-per-flow", 2,
                            "--rate-pps", 1000)
        drop = "pattern eth / ipv4 / udp / gtpu / end actions drop / end"
        for window in (["--window", 0.1], []):
            words = ("gtpu", path, "--queues", 2, "--with", "gtpu", "--rule", drop, *window)
            spread = harness.simulate(*words)
            simulation_words.check(self, spread, *words)
            plain, dropping = spread["candidates"]
            self.assertGreater(dropping["dropped"], 100)
            self.assertEqual([each["start"] for each in dropping["windows"]],
                             [each["start"] for each in plain["windows"]])
            for each in spread["candidates"]:
                self.assertEqual(sum(window["packets"] for window in each["windows"]),
                                 each["packets"], each["name"])
            self.assertLess(max(dropping["directions"]["example"]["queues"]), 2)
        all_of_it = harness.simulate("gtpu", path, "--queues", 2,
                                     "--rule", "pattern eth / end actions drop / end")
        self.assertEqual(all_of_it["directions"]["parted"], 0)

    def test_a_rule_finds_a_queue_for_what_has_no_hash(self):
        """It is no longer among the packets that a NIC leaves on queue 0, nor in their limit."""
        frames = [packet(eth(type=0x88b5), DATA)] * 60 + [packet(eth(type=0x88cc), DATA)] * 60
        rule = "pattern eth type is 0x88cc / end actions queue index 1 / end"
        spread = harness.simulate("gtpu", self.capture("plain", frames), "--queues", 2,
                                  "--rule", rule)
        self.assertEqual([queue["packets"] for queue in spread["queues"]], [60, 60])
        self.assertEqual((spread["unhashed"], spread["least_imbalance"]), (60, 1))
        self.assertEqual(spread["baseline"]["unhashed"], 120)

    def test_more_flows_than_memory(self):
        """The first flows are counted, and one line says so; packets and queues are those of all."""
        path = self.traffic("--ues", 4000, "--flows", 8, "--packets", 40000)
        few, all_of_them = (harness.simulate("gtpu", path, "--memory", megabytes) for megabytes in (32, 200))
        self.assertEqual((all_of_them["flows"]["number"], all_of_them["flows"]["exact"]), (32000, True))
        self.assertEqual(few["flows"]["exact"], False)
        for megabytes in 32, 200:
            advice = json.loads(harness.ddpctl("advise", path, "--json", "--memory", megabytes).stdout)
            self.assertEqual(advice["simulation"]["flows"]["exact"], megabytes == 200)
        self.assertTrue(20000 < few["flows"]["number"] < 32000, few["flows"]["number"])
        for key in "packets", "queues", "imbalance", "jain", "ptypes", "scaling", "windows":
            self.assertEqual(few[key], all_of_them[key])
        text = harness.ddpctl("simulate", "gtpu", path, "--memory", 32).stdout
        self.assertEqual(text.count("came first"), 1)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
