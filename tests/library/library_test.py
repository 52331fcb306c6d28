#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every profile of the library on packets made for it, judged by tshark.

    library_test.py path/to/ddpctl [profile...]
    library_test.py --write FOLDER    captures of all packets, for the judge

cases/<profile>.py holds CASES, a list of Case, and may hold
    TSHARK   more options for tshark
A profile's packets go to one capture (one for each spec of the cases). Of each packet the chain,
the packet type must be those of the case, the chain and the fields those of tshark, and the fields and the bytes that
are hashed those that inputs.py works out for that packet type and input set.
"""

import dataclasses
import functools
import os
import pathlib
import re
import runpy
import shutil
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, str(pathlib.Path(HERE).parent / "e2e")]
# The cases' folder may belong to somebody else.
sys.dont_write_bytecode = True

import inputs  # noqa: E402
import packets  # noqa: E402
import tshark  # noqa: E402
from support import harness  # noqa: E402

IP = ("ipv4", "ipv6")

profile_dir = harness.SOURCE_ROOT / "profiles"


@dataclasses.dataclass
class Case:
    """A packet and what is expected of it. Fields and hashed bytes are those that inputs.py works out."""
    name: str
    packet: bytes
    chain: str  # our tokens, separated by blanks
    ptype: str  # name of the packet type
    # Of the packet's fields but addresses, ports, VLAN ids and labels, which inputs.py reads: name -> value.
    values: dict = dataclasses.field(default_factory=dict)
    has: tuple = ()  # optional fields that this packet exercises, "header.field"; tshark must show them
    # Input set of inputs.USERS -> fields (all of them) with that set.
    sets: dict = dataclasses.field(default_factory=dict)
    # Input set -> name of the case whose hash is the same with that set.
    meets: dict = dataclasses.field(default_factory=dict)
    status: str = "ok"  # of the jsonl
    spec: str = None  # loaded instead of the profile, e.g. "vxlan;port=8472"
    tshark: str = None  # chain as tshark sees it, where that differs; with "|": as other versions do,
    why: str = None  # and for what reason
    options: tuple = ()  # of tshark, for this packet and others with the same
    wire_len: int = None  # length on the wire, for a packet that was captured only in part

    def __post_init__(self):
        assert (self.tshark is None) == (self.why is None), self.name
        self.chain = self.chain.split()
        self.tshark = None if self.tshark is None else [view.split() for view in self.tshark.split("|")]
        self.options = tuple(self.options)


ADDRESSES = {
    "ipv4": ("10.1.0.1", "10.2.0.2"),
    "ipv6": ("2001:db8:a::1", "2001:db8:b::2"),
}
PORTS = (1000, 2000)


def inner_cases(layers, chain, family, values=None, name="", base_types=False, suffix="", **args):
    """Cases for IPv4 and IPv6 packets behind layers: each L4 that has a packet type, any other, and
    fragments. base_types: the family has all types that base has for IP; suffix: of their names; args: of all
    cases."""
    found = []
    for ip, make, other, more in (("ipv4", packets.ipv4, packets.icmp, []),
                                  ("ipv6", packets.ipv6, packets.icmp6, [packets.hopopts()])):
        def add(what, tail, tokens, kind=""):
            if not base_types and kind not in ("udp", "tcp", "sctp"):
                kind = ""
            found.append(Case((name or family) + " " + ip + " " + what,
                              packets.packet(*layers, *tail, packets.DATA),
                              chain + " " + ip + tokens,
                              "_".join(filter(None, (family, ip.upper(), kind.upper(), suffix))),
                              values or {}, **args))

        l3 = make(*ADDRESSES[ip])
        add("udp", [l3, packets.udp(*PORTS)], " udp", "udp")
        add("tcp", [l3, packets.tcp(*PORTS)], " tcp", "tcp")
        add("sctp", [l3, *more, packets.sctp(*PORTS)], " ipv6_ext" * len(more) + " sctp", "sctp")
        add("icmp", [l3, other()], {"ipv4": " icmp", "ipv6": " icmp6"}[ip], "icmp")
        add("other", [l3], "")
        if ip == "ipv4":
            add("first fragment", [make(*ADDRESSES[ip], mf=1), packets.udp(*PORTS)], " udp", "frag")
            add("later fragment", [make(*ADDRESSES[ip], frag=9, proto=17)], "", "frag")
        else:
            add("first fragment", [l3, *more, packets.ipv6_frag(), packets.udp(*PORTS)],
                " ipv6_ext ipv6_frag udp", "frag")
            add("later fragment", [l3, packets.ipv6_frag(9, next=17)], " ipv6_frag", "frag")
    return found


# The cases import it from here, whatever this file is called when it runs.
sys.modules["library_test"] = sys.modules[__name__]


class Profile:
    """The parts of a profile's text that tests need. No YAML reader comes with Python; this reads the
    plain layout that all our profiles have: names at two blanks below a key at none."""

    def __init__(self, name):
        self.name = name
        with open(os.path.join(profile_dir, name + ".yaml"), encoding="utf-8") as file:
            self.text = file.read()

    def section(self, title):
        found = re.search(r"^%s:[^\n]*\n((?:[ #][^\n]*\n|\n)*)" % title, self.text, re.M)
        return found.group(1) if found else ""

    def names(self, title):
        return re.findall(r"^  ([^\s#:][^\s:]*):", self.section(title), re.M)

    def requires(self):
        found = re.search(r"^requires: *\[([^\]]*)\]", self.text, re.M)
        return [word.strip() for word in found.group(1).split(",")] if found else []

    def is_bundle(self):
        return not self.names("headers") and not self.names("packet_types")

    def all_headers(self):
        """Tokens of the profile and all that it requires."""
        tokens = set(self.names("headers"))
        for name in self.requires():
            tokens |= Profile(name).all_headers()
        return tokens

    def optional_fields(self):
        """"header.field" of all fields in [condition ? ...]."""
        fields = []
        parts = re.split(r"^  ([^\s#:][^\s:]*):", self.section("headers"), flags=re.M)
        for header, body in zip(parts[1::2], parts[2::2]):
            layout = re.search(r"^    layout:((?:.|\n      )*)", body, re.M)
            for group in re.findall(r"\[[^?\]]*\?([^\]]*)\]", layout.group(1) if layout else ""):
                fields += [header + "." + name for name in re.findall(r"(\w+):", group)
                           if name != "_"]
        return fields


@functools.cache
def cases_load(name):
    return types.SimpleNamespace(**runpy.run_path(os.path.join(HERE, "cases", name + ".py")))


def classify(spec, pcap):
    return harness.classify(spec, pcap, "--queues", 64, "--as-captured")


def packets_of(cases):
    """The bytes of a capture file."""
    return packets.pcap([(case.packet, case.wire_len or len(case.packet)) for case in cases])


def capture_write(cases):
    """A file, which ends with the object, of the packets of these cases."""
    file = tempfile.NamedTemporaryFile(suffix=".pcap")
    file.write(packets_of(cases))
    file.flush()
    return file


@functools.cache
def seen():
    """Output of tshark by profile and case, in few runs, as it takes longer to start than to read all of them: one with no
    options, and others with options that set different things."""
    runs, found = [], {}
    for name, module, case in [(name, cases_load(name), case) for name in cases_names() for case in cases_load(name).CASES]:
        options = (*getattr(module, "TSHARK", ()), *case.options)
        wanted = {re.split("[,:]", value)[0]: (option, value) for option, value in zip(options[::2], options[1::2])}
        run = next((run for run in runs if bool(run[0]) == bool(wanted) and
                    all(run[0].get(key, pair) == pair for key, pair in wanted.items())), ({}, {}))
        if not run[1]:
            runs.append(run)
        run[0].update(wanted)
        run[1][name, case.name] = case
    for options, cases in runs:
        with capture_write(cases.values()) as file:
            found.update(zip(cases, tshark.view(file.name, sum(options.values(), ())), strict=True))
    return found


class Library(unittest.TestCase):
    maxDiff = None
    profile = None # set by the class made for each profile

    @classmethod
    def setUpClass(cls):
        cls.text = Profile(cls.profile)
        cls.cases = cases_load(cls.profile).CASES
        assert len({case.name for case in cls.cases}) == len(cls.cases), "two cases of one name"
        cls.groups = {}  # by what they load
        for case in cls.cases:
            cls.groups.setdefault(case.spec or cls.profile, []).append(case)

    def test_packets_are_what_the_cases_say_and_tshark_agrees(self):
        tokens = self.text.all_headers()
        for spec, cases in self.groups.items():
            with capture_write(cases) as file:
                found = classify(spec, file.name)
            for case, got in zip(cases, found, strict=True):
                with self.subTest(case.name):
                    theirs = seen()[self.profile, case.name]
                    self.compare(case, got, known_only(theirs, tokens, len(case.packet)))
                    self.assertEqual((got["chain"], got["ptype"], got["status"]),
                                     (case.chain, case.ptype, case.status))
                    self.input_compare(case, set_of(spec), case.values, got)

    def input_compare(self, case, name, users, got):
        """`fields` shows what is hashed and what is extracted alike; `input` is what is hashed. users: the fields
        with one of inputs.USERS."""
        if name in inputs.USERS:
            if users is not None:
                self.assertEqual((got["fields"], got["input"]), (users, inputs.users(users)))
            return
        own = case.ptype in self.text.names("packet_types")
        cid = re.search(r"cid_length=(\d+)", case.spec or self.profile)
        half = (int(cid.group(1)) + 1) // 2 if cid else 4
        sizes = {"quic.dcid_high": half, "quic.dcid_low": half}
        self.assertEqual((got["fields"], got["input"]),
                         inputs.expected(case, got["offsets"], name if own else None, sizes))

    def compare(self, case, ours, theirs):
        chain = [header.token for header in theirs]
        if case.tshark is not None:
            self.assertIn(chain, case.tshark, "tshark's own view")
            if len(case.tshark) == 1:
                self.assertNotEqual(chain, ours["chain"], "the difference is gone")
            return
        self.assertEqual(ours["chain"], chain, "chain, ours and tshark's")
        self.assertEqual(ours["offsets"], [header.off for header in theirs], "offsets")
        for name, value in ours["fields"].items():
            found = field_find(theirs, name)
            if found is not None:
                self.assertEqual(value, found, name)
        for name in case.has:
            token, field = name.split(".")
            headers = [header for header in theirs if header.token == token]
            if name in tshark.FIELDS:
                self.assertTrue(any(header.get(field) is not None for header in headers), name)

    def test_every_packet_type_is_hit(self):
        hit = {case.ptype for case in self.cases}
        self.assertEqual([name for name in self.text.names("packet_types") if name not in hit], [])

    def test_every_optional_field_is_there_once(self):
        has = {name for case in self.cases for name in case.has}
        self.assertEqual(sorted(set(self.text.optional_fields()) - has), [])
        self.assertEqual(sorted(has - set(self.text.optional_fields())), [], "not optional")

    def test_input_sets(self):
        names = self.text.names("input_sets")
        if self.text.is_bundle(): # those of the profiles it is made of
            names = sorted({name for case in self.cases for name in [*case.sets, *case.meets]})
        users = {name for case in self.cases for name in case.sets}
        self.assertEqual(sorted(users ^ set(names) & set(inputs.USERS)), [], "input sets without a case")
        for spec, cases in self.groups.items():
            with capture_write(cases) as file:
                head, _, tail = spec.partition(";")
                found = [classify(head + ":" + name + (";" + tail if tail else ""), file.name) for name in names]
            for name, results in zip(names, found):
                got = {case.name: one for case, one in zip(cases, results, strict=True)}
                for case in cases:
                    with self.subTest(case.name, set=name):
                        self.set_compare(case, name, got)

    def set_compare(self, case, name, got):
        self.input_compare(case, name, case.sets.get(name), got[case.name])
        if name in case.meets:
            self.assertIsNotNone(got[case.name]["hash"])
            self.assertEqual(got[case.name]["hash"], got[case.meets[name]]["hash"])


def set_of(spec):
    """The input set that a specification chooses."""
    _, _, name = spec.partition(";")[0].partition(":")
    return name or None


def known_only(headers, tokens, captured):
    """tshark's headers up to the first that the profile does not have or that is not all there."""
    kept = []
    for header in headers:
        if (header.token not in tokens or
                header.off + tshark.AT_LEAST.get(header.token, 1) > captured):
            break
        kept.append(header)
    return kept


def field_find(headers, name):
    """tshark's value of "header.field", "header#n.field" or "inner.header.field"; None for unknown."""
    inner = name.startswith("inner.")
    words = re.fullmatch(r"(?:inner\.)?(\w+)(?:#(\d+))?\.(\w+)(/\d+)?", name)
    token, nth, field, part = words.groups()
    if token + "." + field not in tshark.FIELDS or part:
        return None
    if inner:
        last = max(i for i, header in enumerate(headers) if header.token in IP)
        headers = headers[last:]
    same = [header for header in headers if header.token == token]
    return same[int(nth or 1) - 1].get(field) if len(same) >= int(nth or 1) else None


class Together(unittest.TestCase):
    """All profiles with cases on one port."""
    names = ()

    def check(self, *args):
        done = harness.ddpctl("check", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_all_profiles_in_any_order(self):
        for names in (self.names, self.names[::-1]):
            self.check("+".join(names))

    def test_each_pair(self):
        self.check(*(second + "+" + first for first in self.names for second in self.names if first < second))

    def test_types_stay_the_same(self):
        self.types_compare("+".join(self.names), self.names)

    def test_types_stay_the_same_in_bundles(self):
        for name in profile_names():
            profile = Profile(name)
            if profile.is_bundle():
                self.types_compare(name, [part for part in profile.requires() if part in self.names])

    def types_compare(self, spec, names):
        """The expectations of each profile's cases also hold if others are loaded."""
        cases = [(name, case) for name in names for case in cases_load(name).CASES if case.spec is None]
        with capture_write([case for _, case in cases]) as file:
            found = classify(spec, file.name)
        for (name, case), got in zip(cases, found, strict=True):
            with self.subTest(name + ": " + case.name, spec=spec):
                # Base's types have special cases for tags in vlan and qinq.
                self.assertIn(got["ptype"], (case.ptype, "VLAN_" + case.ptype, "QINQ_" + case.ptype))

    def test_every_profile_has_cases(self):
        self.assertEqual([name for name in profile_names()
                          if name not in self.names and not Profile(name).is_bundle()], [])

    def test_all_check_clean(self):
        self.check("--strict", *profile_names())


def profile_names():
    return sorted(file[:-5] for file in os.listdir(profile_dir) if file.endswith(".yaml"))


def cases_names():
    return sorted(file[:-3] for file in os.listdir(os.path.join(HERE, "cases"))
                  if file.endswith(".py"))


def main():
    if sys.argv[1:2] == ["--write"]:
        folder = pathlib.Path(sys.argv[2])
        folder.mkdir(exist_ok=True)
        for name in cases_names():
            (folder / f"{name}.pcap").write_bytes(packets_of(cases_load(name).CASES))
        return
    if len(sys.argv) < 2:
        sys.exit(__doc__.splitlines()[2].strip())
    if shutil.which("tshark") is None:
        harness.skip("no tshark")
    harness.tools["ddpctl"], *wanted = sys.argv[1:]
    suite = unittest.TestSuite()
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    for name in wanted or cases_names():
        suite.addTest(load(type("Library_" + name, (Library,), {"profile": name})))
    if not wanted:
        Together.names = cases_names()
        suite.addTest(load(Together))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
