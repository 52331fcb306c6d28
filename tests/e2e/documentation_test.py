#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The documents show what commands print: every command of the READMEs' indented blocks and of the manual
pages' EXAMPLES is run as it stands there, in a folder that has `build`, `scripts` and the captures made so
far, with the programs in PATH.

A table lists the commands that cannot be run like that, with how they are run instead or why they are not
run. What is in no table is run, so that no example is without a test."""

import json
import os
import pathlib
import re
import select
import shutil
import tempfile
import time

from support import eal, harness, testpmd
from support.harness import SOURCE_ROOT

MARKDOWN = ["README.md", "plugin/README.md", "plugin/port/README.md", "plugin/testpmd/README.md",
            "scripts/README.md", "tests/README.md", "tests/bench/README.md", "tests/clients/README.md",
            "tests/stress/README.md", "tests/traffic/README.md"]
MANUALS = sorted(str(path.relative_to(SOURCE_ROOT)) for folder in ("apps/*", "plugin/*", "profiles")
                 for path in SOURCE_ROOT.glob(f"{folder}/*.[1-9]")
                 if path.name != "ddp-operations.7")  # operations_test.py runs all of it
SECONDS = 120
PRINTED = 10  # packets that a testpmd on a capture must print
OUTPUT_MAX = 400000  # characters of its output
PREFIX = "rte"

# Exit statuses that are an answer, too.
ANSWERS = {"ddpctl check my.yaml": 1, "ddpctl diff": 1}
# Programs without which an example is passed over.
NEEDED = ("dot ", "jq ", "dpdk-telemetry.py")
# Paths of a machine, and here.
FILES = {"/etc/ddp/my.yaml": "my.yaml"}
PROFILE = """profile: my
version: 1.0.0
requires: [gtpu]
packet_types:
  MY_TYPE:
    when: {gtpu.typ: 255}
    path: link ip udp gtpu
"""


def joined(lines):
    """Without the ends of lines behind a backslash."""
    return re.sub(r"\s*\\\n\s*", " ", "\n".join(lines)).splitlines()


def markdown_blocks(text):
    """The indented blocks, each a list of lines."""
    found, block, fenced, blank = [], None, False, True
    for line in text.splitlines() + [""]:
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("    ") and not fenced and (block is not None or blank):
            block = (block or []) + [line[4:]]
        elif block is not None and line.strip() == "":
            found.append(joined(block))
            block = None
        blank = line.strip() == ""
    return found


def roff_text(line):
    for escape, char in ((r"\-", "-"), (r"\(aq", "'"), (r"\e", "\\"), (r"\&", "")):
        line = line.replace(escape, char)
    return line


def manual_blocks(text):
    """The displays of the EXAMPLES."""
    section = re.search(r"(?ms)^\.S[Hh] EXAMPLES\n(.*?)(?=^\.S[Hh] |\Z)", text)
    if section is None:
        return []
    shown = re.findall(r"(?ms)^\.(?:nf|Bd[^\n]*)\n(.*?)^\.(?:fi|Ed)$", section[1])
    return [joined(map(roff_text, block.splitlines())) for block in shown]


def shown_profile():
    """The one that ddp-profile(5) begins with."""
    text = (SOURCE_ROOT / "profiles" / "ddp-profile.5").read_text(encoding="utf-8")
    return re.search(r"(?ms)^\.Bd [^\n]*\n(profile: gtpu\n.*?)^\.Ed$", text)[1]


def blocks_of(name):
    text = (SOURCE_ROOT / name).read_text(encoding="utf-8")
    return markdown_blocks(text) if name.endswith(".md") else manual_blocks(text)


class Typed(testpmd.Testpmd):
    """A script at a terminal, which ends in testpmd."""

    def __init__(self, test, script):
        self.n_packets = 0
        self.begin = ""
        testpmd.Terminal.__init__(self, test, ["bash", "-c", script], test.environment())

    def read(self):
        """Keep the first and the last lines: testpmd prints several for each packet."""
        before = len(self.text)
        if not self.closed and select.select([self.fd], [], [], 0.05)[0]:
            super().read()
        # The end of a packet may come in two parts.
        self.n_packets += self.text[max(before - len(testpmd.PACKET_END) + 1, 0):].count(testpmd.PACKET_END)
        self.begin += self.text[before:][:OUTPUT_MAX - len(self.begin)]
        self.text = self.text[-OUTPUT_MAX:]

    def finish(self, n_packets):
        if n_packets == 0:
            self.wait(lambda: testpmd.PROMPT in self.text, "a prompt")
        else:  # a prompt would be mixed up with what it says of packets
            self.wait(lambda: self.n_packets >= n_packets, f"{n_packets} packets")
        os.write(self.fd, b"quit\n")
        deadline = time.monotonic() + SECONDS
        while not self.closed and time.monotonic() < deadline:
            self.read()
        self.reap()
        return self.status


class Documents(harness.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # EAL loads no plugin from a folder that others may write to.
        folder = tempfile.TemporaryDirectory(prefix="ddp-documents-", dir=eal.home_folders()[0])
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.build = pathlib.Path(harness.tools["ddpctl"]).parents[2]
        cls.build_copy()
        for name in ("plugin", "profiles", "scripts"):
            (cls.folder / name).symlink_to(SOURCE_ROOT / name)
        cls.packages_link()
        (cls.folder / "my.yaml").write_text(PROFILE)
        (cls.folder / "gtpu.yaml").write_text(shown_profile())
        cls.printed = {}  # by document, of the blocks that were run

    @classmethod
    def build_copy(cls):
        """A build folder, with the plugins where EAL takes them from."""
        copy = cls.folder / "build"
        (copy / "plugin" / "port").mkdir(parents=True)
        shutil.copy(harness.tools["net_ddp"], copy / "plugin" / "port" / "librte_net_ddp.so")
        for name in ("apps", "tests"):
            (copy / name).symlink_to(cls.build / name)

    @classmethod
    def packages_link(cls):
        for path in harness.intel_package("").glob("*.pkg"):
            (cls.folder / path.name).symlink_to(path)
        cls.has_packages = (cls.folder / "ice_comms-1.3.31.0.pkg").exists()

    def environment(self):
        folders = [self.build / "apps" / name for name in ("ctl", "exporter", "fwd")]
        return {**eal.environment(self.folder), "LC_ALL": "C.UTF-8",
                # testpmd locks its memory, and so touches all that EAL reserves.
                "BASH_FUNC_dpdk-testpmd%%": '() { command dpdk-testpmd "$@" --no-mlockall; }',
                "PATH": os.pathsep.join([*map(str, folders), os.environ["PATH"]]),
                "LD_LIBRARY_PATH": str(self.folder / "build" / "plugin" / "port")}

    def script(self, commands):
        """A script that ends with the first command that fails, and says which."""
        lines = []
        for command in commands:
            for there, here in FILES.items():
                command = command.replace(there, here)
            most = max([0, *(status for words, status in ANSWERS.items() if command.startswith(words))])
            lines += [command, f'status=$?; [ $status -le {most} ] || '
                      f'{{ echo "exit $status: "{json.dumps(command.replace("$", ""))} >&2; exit 1; }}']
        return "\n".join(lines)

    def run_commands(self, commands):
        result = harness.run("bash", "-c", self.script(commands), cwd=self.folder,
                             env=self.environment(), timeout=SECONDS)
        self.assertEqual(result.returncode, 0, f"{commands}: {result.stderr[-2000:]}")
        return result.stdout + result.stderr

    # Functions that run blocks which cannot be run as they are. Each returns the output.

    def at_a_terminal(self, lines):
        typed = Typed(self, "\n".join(lines))
        self.running.append(typed)
        self.assertEqual(typed.finish(PRINTED if "verbose" in lines[0] else 0), 0, typed.text[-2000:])
        return typed.begin

    def start(self, *arguments):
        few = self.traffic("--ues", 100, "--packets-per-flow", 1)  # all of them in buffers
        pmd = testpmd.endless(self, few, *arguments, prefix=PREFIX)
        self.running.append(pmd)
        return pmd

    def in_testpmd(self, lines):
        """And the same to ddpctl, which reads what testpmd reads."""
        pmd = self.start("profile=gtpu")
        for n, line in enumerate(lines):
            self.assertIn(f"Flow rule #{n} created", pmd.command(line), line)
        (self.folder / "rules").write_text("\n".join(lines) + "\n")
        return self.run_commands(["ddpctl classify gtpu n3.pcap --queues 16 --rule @rules"])

    def in_telemetry(self, lines):
        """Commands behind "--> ", and below each what is answered."""
        self.start("profile=gtpu")
        commands = [line[4:] for line in lines if line.startswith("--> ")]
        answers = [json.loads(line) for line in lines if line.startswith("{")]
        self.assertEqual(len(answers), len(commands))
        (self.folder / "commands").write_text("\n".join(
            command.replace("/etc/ddp", str(self.folder)) for command in commands) + "\nquit\n")
        said = self.run_commands([lines[0].removeprefix("$ ") + " < commands"])
        found = [json.loads(line.removeprefix("--> ")) for line in said.splitlines()
                 if line.startswith(('{"/', '--> {"/'))]
        for answer in found:  # a long path makes a text of several parts
            for one in answer.values():
                one.update({"error": one["error"] + one.pop("error_2")} if "error_2" in one else {})
        self.assertEqual(json.loads(json.dumps(found).replace(str(self.folder), "/etc/ddp")), answers)
        return said

    def session(self, lines):
        """Commands behind "$ ", and below each what it prints; "..." stands for more."""
        said = self.run_commands([line[2:] for line in lines if line.startswith("$ ")])
        for line in lines:
            if not line.startswith("$ ") and line != "...":
                self.assertIn(line, said)
        return said

    def output(self, lines):
        """The README's blocks before print these lines; "..." stands for anything."""
        printed = re.sub(" +", " ", self.printed["README.md"])
        for line in lines:
            words = re.sub(r"(\\ )?\\\.\\\.\\\.", ".*", re.escape(" ".join(line.split())))
            self.assertRegex(printed, f"(?m)^ ?{words} ?$")
        return ""

    def with_packages(self, lines, run=None):
        if not self.has_packages:
            print(f"passed over, no packages of Intel's (scripts/packages fetches them): {lines[0]}")
            return ""
        return (run or self.run_commands)(lines)

    def at_a_terminal_with_packages(self, lines):
        return self.with_packages(lines, self.at_a_terminal)

    # By document and how a block's first line begins: how the block is run.
    BLOCKS = {
        ("README.md", "spread: software only"): output,
        ("README.md", "QUEUE  PACKETS  SHARE  gtpu"): output,
        ("README.md", "printf 'set fwd rxonly"): at_a_terminal,
        ("README.md", "port 0/queue 3"): output,
        ("README.md", "port queue core"): output,
        ("apps/ctl/ddp-packages.7", "P=$(scripts/packages"): with_packages,
        ("apps/ctl/ddp-packages.7", "ddpctl explain ice_comms"): with_packages,
        ("apps/ctl/ddp-packages.7", "dpdk-testpmd -d"): at_a_terminal_with_packages,
        ("apps/ctl/ddp-plan.7", "$ ddpctl plan"): session,
        ("apps/ctl/ddpctl.1", "$ ddpctl advise"): session,
        ("apps/ctl/ddpctl.1", "$ ddpctl check"): session,
        ("plugin/port/net_ddp.7", "dpdk-testpmd -d"): at_a_terminal,
        ("plugin/port/net_ddp.7", "$ dpdk-telemetry.py"): in_telemetry,
        ("plugin/port/net_ddp.7", "flow create 0 ingress"): in_testpmd,
    }

    # By document and what a line begins with (a regular expression): why it is not run.
    NOT_RUN = {
        ("README.md", "./scripts/demo "): "installs programs",
        ("README.md", "./scripts/test "): "installs programs, and runs this",
        ("plugin/README.md", "base <-"): "no command",
        ("plugin/port/net_ddp.7", "ip link|dpdk-testpmd .*net_af_xdp"):
            "an interface of the kernel; lower_devices_test.py",
        ("plugin/port/net_ddp.7", "port config 0 udp_tunnel_port"): "testpmd_rules_test.py types it",
        ("plugin/testpmd/README.md", "LD_PRELOAD=|testpmd> "): "testpmd_bridge_test.py types them",
        ("scripts/README.md", "scripts/setup --for build"): "installs programs",
        ("scripts/README.md", "meson setup build"): "it is how this test was built",
        ("tests/bench/README.md", "build/tests/bench/ddp-bench|scripts/plot-bench"):
            "minutes; scripts/test runs a shorter one",
        ("tests/clients/README.md", "ovs-vsctl| *--vdev"): "tests/clients/clients.py runs them",
        ("tests/stress/README.md", "build/tests/stress/stress|scripts/stress"):
            "minutes; scripts/test runs a shorter one",
        ("apps/ctl/ddpctl.1", "ddpctl simulate gtpu -i eth0"): "a live interface; ctl_capture_test.py",
        ("apps/exporter/ddp-exporter.1", "ddp-exporter --file-prefix"): "runs until it is ended; exporter_test.py",
        ("apps/fwd/ddp-fwd.1", "ddp-fwd -l 0-8 -a"): "needs two NICs",
    }

    def find(self, table, name, line, used):
        """The table's entry for a line, or None."""
        for key in table:
            begins = key[1] if table is self.NOT_RUN else re.escape(key[1])
            if key[0] == name and re.match(begins, line):
                used.add(key)
                return table[key]
        return None

    def passed_over(self, lines):
        """The reason why a machine cannot run it."""
        for line in lines:
            missing = [program for program in NEEDED
                       if program in line and shutil.which(program.strip()) is None]
            if missing:
                return f"{missing[0]} is not installed"
            if "-l 0,1" in line and len(os.sched_getaffinity(0)) < 2:
                return "one CPU"
        return None

    def block_run(self, name, lines, used):
        how = self.find(self.BLOCKS, name, lines[0], used) or type(self).run_commands
        lines = [line for line in lines if self.find(self.NOT_RUN, name, line, used) is None]
        why_not = self.passed_over(lines)
        if why_not:
            print(f"passed over, {why_not}: {lines[0]}")
        if why_not or not lines:
            return
        self.running = []
        try:
            self.printed[name] = self.printed.get(name, "") + how(self, lines)
        finally:
            for pmd in self.running:
                pmd.kill()

    def test_every_command_does_what_is_said(self):
        used = set()
        for name in MARKDOWN + MANUALS:
            blocks = blocks_of(name)
            if name in MANUALS:
                self.assertTrue(blocks, f"{name} has no EXAMPLES")
            for lines in blocks:
                with self.subTest(document=name, block=lines[0]):
                    self.block_run(name, lines, used)
        self.assertEqual((set(self.BLOCKS) | set(self.NOT_RUN)) - used, set(), "explained, but gone")

    def test_every_script_and_page_in_a_sentence_is_there(self):
        text = "".join((SOURCE_ROOT / name).read_text(encoding="utf-8")
                       for name in ("README.md", "scripts/README.md"))
        pages = {pathlib.Path(name).name.rsplit(".", 1)[0] for name in MANUALS} | {"ddp-operations"}
        for command, name in re.findall(r"`(scripts/|man )([^` ]+)[^`]*`", text):
            with self.subTest(command + name):
                self.assertTrue((SOURCE_ROOT / "scripts" / name).exists() if command == "scripts/" else
                                name in pages or name == "-l")

    def test_every_document_is_here(self):
        """One with an indented block, that is."""
        ignored = {"profiles/README.md"}  # reports of ddpctl, not of what a command said
        found = {str(path.relative_to(SOURCE_ROOT)) for path in SOURCE_ROOT.glob("**/README.md")
                 if not any(part.startswith("build") for part in path.relative_to(SOURCE_ROOT).parts)}
        wanted = {name for name in found - ignored if blocks_of(name)}
        self.assertLessEqual(wanted, set(MARKDOWN))


def setUpModule():
    testpmd.set_up_module()
    if not eal.home_folders():
        harness.skip("no folder for plugins that EAL would load them from")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-fwd", "net_ddp")
