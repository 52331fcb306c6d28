#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who has Intel's ddptool in scripts, or Kubernetes' SR-IOV network device plugin, must get the same answers
when ours is installed under that name, now for net_ddp ports, too: options, JSON, exit status. NICs are in
tests/unit/ddptool/ddptool_test.c.

    ddptool_test.py path/to/ddpctl path/to/ddp-traffic path/to/librte_net_ddp.so path/to/ddptool"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import eal, harness, testpmd

GOOD, USAGE, INTERNAL, NO_ADAPTER, NO_DRIVER, NO_PROFILE, NO_OUTPUT, NOT_FOUND, BAD_PACKAGE = \
    0, 1, 2, 4, 5, 8, 10, 11, 12
VERSION = "1.0.0.0"  # of gtpu and vxlan, as Intel writes it
HEADER_LINES = 4
SECONDS = 20  # for a shell to complete a word

# The structure that the device plugin decodes into: fields as Go sees them, their names in JSON, their types.
PACKAGE = {"TrackID": ("track_id", str), "Version": ("version", str), "Name": ("name", str)}
INVENTORY = {"Device": ("device", str), "Address": ("address", str), "Name": ("name", str),
             "Display": ("display", str), "DDPpackage": ("DDPpackage", PACKAGE)}
INFO = {"DDPInventory": ("DDPInventory", INVENTORY)}

# A driver of NICs in this kernel: without one there is none to be found.
HAS_DRIVER = any(pathlib.Path("/sys/bus/pci/drivers", name).is_dir()
                 for name in ("i40e", "ice", "ice_sw", "ice_swx"))


class UnmarshalError(Exception):
    """What Go calls UnmarshalTypeError."""


def unmarshal(value, kind):
    """As Go's encoding/json: keys in any case, unknown ones are passed over, missing ones are empty."""
    if not isinstance(kind, dict):
        if value is not None and not isinstance(value, kind):
            raise UnmarshalError(f"{value!r} is no {kind}")
        return kind() if value is None else value
    if not isinstance(value, dict):
        raise UnmarshalError(f"{value!r} is no object")
    fields = {field: unmarshal({}, inner) if isinstance(inner, dict) else inner()
              for field, (_, inner) in kind.items()}
    for key, content in value.items():
        for field, (name, inner) in kind.items():
            if key.lower() == name.lower():
                fields[field] = unmarshal(content, inner)
    return fields


def profile_name(result):
    """What the device plugin makes of a run: the profile's name; None where there is none."""
    if result.returncode == NO_PROFILE:
        return None
    if result.returncode != GOOD:
        raise AssertionError(f"exit {result.returncode}: {result.stderr}")
    return unmarshal(json.loads(result.stdout), INFO)["DDPInventory"]["DDPpackage"]["Name"]


def setUpModule():
    testpmd.set_up_module()


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n3 = cls.traffic("--kind", "n3-up", "--ues", 20, "--packets-per-flow", 1)

    def ddptool(self, *args):
        return harness.run(harness.tools["ddptool"], *args, env=eal.environment(self.folder),
                           cwd=self.folder)

    def inventory(self, status, *args):
        """What a silent run tells in JSON."""
        result = self.ddptool("-l", "-j", *args)
        self.assertEqual((result.returncode, result.stderr), (status, ""), args)
        return json.loads(result.stdout)["DDPInventory"]

    def start(self, *profiles, prefix="ddp"):
        """testpmd with a port for each of these; "" is one without a profile."""
        vdevs = [f"net_ddp{i},dev(net_pcap{i},rx_pcap={self.n3.name})"
                 f"{',profile=' if profile else ''}{profile}"
                 for i, profile in enumerate(profiles)]
        return testpmd.Testpmd(self, vdevs, prefix=prefix)


class Ports(Case):
    def test_one_device_decodes_as_the_device_plugin_does(self):
        pmd = self.start("gtpu")
        result = self.ddptool("-l", "-a", "-j", "-i", "net_ddp0")
        self.assertEqual(profile_name(result), "gtpu")
        decoded = unmarshal(json.loads(result.stdout), INFO)["DDPInventory"]
        self.assertEqual(decoded, {
            "Device": "N/A", "Address": "N/A", "Name": "net_ddp0",
            "Display": f"net_ddp port 0 of process {pmd.pid}, on net_pcap0",
            "DDPpackage": {"TrackID": decoded["DDPpackage"]["TrackID"], "Version": VERSION,
                           "Name": "gtpu"}})
        self.assertRegex(decoded["DDPpackage"]["TrackID"], r"^DD[0-9A-F]{6}$")

        # Profiles come and go, and several are one name.
        self.assertEqual(harness.ddpctl("port", "add", "0", "vxlan",
                                        env=eal.environment(self.folder)).returncode, 0)
        self.assertEqual(profile_name(self.ddptool("-l", "-a", "-j", "-i", "net_ddp0")),
                         "gtpu+vxlan")
        pmd.commands("port stop 0", "port close 0")
        self.assertEqual(self.inventory(NOT_FOUND, "-i", "net_ddp0")["error"], str(NOT_FOUND))
        pmd.quit()

    def test_several_devices_are_an_array(self):
        pmds = [self.start("gtpu", "", prefix="first"), self.start("vxlan", prefix="second")]
        devices = self.inventory(GOOD, "-a")
        ours = [device for device in devices if device["name"].startswith("net_ddp")]
        self.assertEqual([(device["name"], device.get("DDPpackage", {}).get("name"))
                          for device in ours],
                         [("net_ddp0", "gtpu"), ("net_ddp1", None), ("net_ddp0", "vxlan")])
        for device in ours:
            unmarshal({"DDPInventory": device}, INFO)

        # One name in two processes; the second port of one.
        self.assertEqual([device["DDPpackage"]["name"]
                          for device in self.inventory(GOOD, "-i", "net_ddp0")], ["gtpu", "vxlan"])
        result = self.ddptool("-l", "-a", "-j", "-i", "net_ddp1")
        self.assertEqual(result.returncode, NO_PROFILE)
        self.assertIsNone(profile_name(result))
        decoded = unmarshal(json.loads(result.stdout), INFO)["DDPInventory"]
        self.assertEqual((decoded["Name"], decoded["DDPpackage"]["Name"]), ("net_ddp1", ""))

        lines = self.ddptool("-l").stdout.splitlines()
        self.assertRegex(lines[0], r"^NIC  DevId D:B:S\.F      DevName         TrackId  Version")
        self.assertRegex("\n".join(lines[2:]), rf"(?m)^\d{{3}}\) N/A   N/A          net_ddp0        "
                                               rf"DD[0-9A-F]{{6}} {VERSION}      gtpu$")
        self.assertRegex("\n".join(lines[2:]), r"(?m)^\d{3}\) N/A   N/A          net_ddp1        "
                                               r"-        -            No profile loaded$")
        root = xml.etree.ElementTree.fromstring(self.ddptool("-l", "-x").stdout)
        self.assertEqual([package.get("name") for package in root.iter("DDPpackage")
                          if package.get("track_id").startswith("DD")], ["gtpu", "vxlan"])
        for pmd in pmds:
            pmd.quit()

    def test_a_port_with_intels_package_is_known_by_the_package(self):
        package = harness.intel_package("ice_comms-1.3.31.0.pkg")
        if not package.exists():
            self.skipTest("no packages of Intel's (scripts/packages fetches them)")
        (self.folder / "nic.pkg").symlink_to(package)
        pmd = self.start("nic.pkg")
        self.assertEqual(self.inventory(GOOD, "-i", "net_ddp0")["DDPpackage"],
                         {"track_id": "C0000002", "version": "1.3.31.0",
                          "name": "ICE COMMS Package"})
        pmd.quit()


class Statuses(Case):
    """Exit status by words of the command line, without a device."""

    NOTHING = NO_ADAPTER if HAS_DRIVER else NO_DRIVER
    ROWS = [
        (GOOD, "-v"), (GOOD, "--version"), (GOOD, "-h"), (GOOD, "-?"), (GOOD, "--help"),
        (GOOD, "-f", "gtpu"), (GOOD, "-f", "gtpu:ue"), (GOOD, "-f", "gtpu", "-j"),
        (USAGE, "-z"), (USAGE, "-lj"), (USAGE, "--json"), (USAGE, "-s"), (USAGE, "-i"),
        (USAGE, "-f"), (USAGE, "-l", "-l"), (USAGE, "-j", "-x"), (USAGE, "-f", "gtpu", "-a"),
        (USAGE, "-i", "a", "-s", "0000:00:00.0"), (USAGE, ""),
        (INTERNAL, "-f", "no-such-profile"), (INTERNAL, "-f", "/no/such/file.pkg"),
        (NOT_FOUND if HAS_DRIVER else NO_DRIVER, "-i", "net_ddp0"),
        (NOT_FOUND if HAS_DRIVER else NO_DRIVER, "-s", "ffff:ff:1f.7"),
        (NO_OUTPUT, "-f", "gtpu", "-j", "/no/such/folder/file"),
        (BAD_PACKAGE, "-f", "/etc/passwd"), (BAD_PACKAGE, "-f", "broken.yaml"),
    ]

    def test_version(self):
        """Ours, and the one of Intel's tool that scripts ask for."""
        self.assertRegex(self.ddptool("--version").stdout,
                         rf"ddpsteer {re.escape(harness.version())}\nDDPTool version 1\.0\.37\.0\n")

    def test_each(self):
        (self.folder / "broken.yaml").write_text("profile: broken\nheaders: 1\n")
        for status, *words in self.ROWS:
            with self.subTest(words=words):
                result = self.ddptool(*words)
                self.assertEqual(result.returncode, status, result.stderr)
                is_quiet = (status == GOOD and "-j" not in words) or "-l" in words
                self.assertEqual(result.stderr == "", is_quiet)

    def test_each_in_silence(self):
        for status, *words in self.ROWS:
            if status == USAGE:  # words may be missing, and -l would be taken for one
                continue
            with self.subTest(words=words):
                result = self.ddptool("-l", *words)
                self.assertEqual((result.returncode, result.stderr), (status, ""))

    @unittest.skipIf(HAS_DRIVER, "this machine may have NICs")
    def test_none(self):
        error = self.inventory(self.NOTHING, "-a")
        self.assertEqual(error, {"error": str(self.NOTHING), "message": "No driver available"})
        self.assertEqual(unmarshal({"DDPInventory": error}, INFO)["DDPInventory"]["Name"], "")
        root = xml.etree.ElementTree.fromstring(self.ddptool("-l", "-x").stdout)
        self.assertEqual(root.find("Status").get("error"), str(self.NOTHING))
        self.assertEqual(self.ddptool("-l").stdout, "")

    def test_help_shows_what_options_take(self):
        text = harness.output_of(harness.tools["ddptool"], "-h")
        for option in ("-a  ", "-f FILE", "-i DEVNAME", "-j [FILE]", "-l  ", "-s LOCATION", "-x [FILE]"):
            self.assertIn(f"\n  {option} ", text)


class Files(Case):
    def test_a_profile(self):
        for spec, name in (("gtpu", "gtpu"), ("gtpu:ue;port=2153", "gtpu"),
                           (harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", "gtpu"),
                           ("gtpu+vxlan", "gtpu+vxlan")):
            told = self.inventory(GOOD, "-f", spec)
            self.assertEqual(list(told), ["file_name", "DDPpackage"])
            self.assertEqual((told["file_name"], told["DDPpackage"]["name"]), (str(spec), name))
            decoded = unmarshal({"DDPInventory": told}, INFO)["DDPInventory"]["DDPpackage"]
            self.assertEqual(decoded["Name"], name)
        root = xml.etree.ElementTree.fromstring(self.ddptool("-l", "-x", "-f", "gtpu").stdout)
        instance = root.find("Instance")
        self.assertEqual((instance.get("file"), instance.find("DDPpackage").get("version")),
                         ("gtpu", VERSION))
        self.assertRegex(self.ddptool("-l", "-f", "gtpu").stdout,
                         rf"^File Name +TrackId +Version +Name\n[= ]+\n"
                         rf"gtpu +DD[0-9A-F]{{6}} {VERSION}      gtpu\n$")

    def test_a_package(self):
        package = harness.intel_package("ice-1.3.30.0.pkg")
        if not package.exists():
            self.skipTest("no packages of Intel's (scripts/packages fetches them)")
        other_name = self.folder / "package.bin"
        other_name.symlink_to(package)
        for path in (package, other_name):
            self.assertEqual(self.inventory(GOOD, "-f", path)["DDPpackage"],
                             {"track_id": "C0000001", "version": "1.3.30.0",
                              "name": "ICE OS Default Package"})

    def test_a_name_that_json_has_to_escape(self):
        folder = self.folder / "a\\b"
        folder.mkdir()
        shutil.copy(harness.SOURCE_ROOT / "profiles" / "gtpu.yaml", folder)
        told = self.inventory(GOOD, "-f", "a\\b/gtpu.yaml")
        self.assertEqual(told["file_name"], "a\\b/gtpu.yaml")

    def test_a_file_for_the_answer(self):
        path = self.folder / "answer.json"
        result = self.ddptool("-f", "gtpu", "-j", path)
        self.assertEqual((result.returncode, result.stderr), (GOOD, ""))
        self.assertEqual(result.stdout.count("\n"), HEADER_LINES)
        self.assertEqual(json.loads(path.read_text())["DDPInventory"]["file_name"], "gtpu")

    def test_an_input_is_never_overwritten(self):
        profile, package = self.folder / "own.yaml", self.folder / "p.pkg"
        profile.write_text("profile: own\nrequires: [base]\n")
        package.write_bytes(b"package")
        inputs = {path: path.read_bytes() for path in (profile, package)}
        for words in (("-f", package, "-j", package), ("-x", profile, "-f", profile),
                      ("-j", package, "-Z", "-f", package)):
            with self.subTest(words):
                result = self.ddptool(*words)
                self.assertNotEqual(result.returncode, GOOD)
                self.assertIn("is read, and would be overwritten", result.stderr)
                for path, content in inputs.items():
                    self.assertEqual(path.read_bytes(), content)

    def test_standard_output_is_json_alone(self):
        result = self.ddptool("-f", "gtpu", "-j")
        json.loads(result.stdout)
        self.assertEqual(result.stderr.count("\n"), HEADER_LINES)


class Completion(harness.TestCase):
    """In the shells themselves."""

    SOURCES = {"ddpctl": harness.SOURCE_ROOT / "apps/ctl", "ddptool": harness.SOURCE_ROOT / "apps/ddptool"}

    def environment(self):
        folders = {os.path.dirname(harness.tools[name]) for name in ("ddpctl", "ddptool")}
        return {**eal.environment(self.folder), "TERM": "dumb",
                "PATH": ":".join([*folders, os.environ["PATH"]])}

    def bash(self, *words):
        script = (f"source {self.SOURCES[words[0]]}/{words[0]}.bash; COMP_WORDS=(\"$@\"); "
                  f"COMP_CWORD=$(($# - 1)); _{words[0]}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return harness.output_of("bash", "-c", script, "bash", *words,
                                 env=self.environment()).split()

    def test_bash(self):
        commands = ["list", "info", "check", "graph", "classify", "explain", "simulate", "advise", "diff", "new",
                    "plan", "package", "port", "version", "help"]
        self.assertEqual(self.bash("ddpctl", ""), [*commands, "--help", "--version"])
        self.assertEqual(self.bash("ddpctl", "package", "f"), ["find"])
        self.assertEqual(self.bash("ddpctl", "list", "--"), ["--help", "--json"])
        self.assertEqual(self.bash("ddpctl", "port", "watch", "--"),
                         ["--count", "--file-prefix", "--help", "--interval", "--json", "--pid"])
        self.assertEqual(self.bash("ddpctl", "classify", "--hash", "=", "sym"),
                         ["symmetric_toeplitz", "symmetric_toeplitz_sort"])
        self.assertEqual(self.bash("ddpctl", "package", "find", "--driver", ""), ["kernel", "dpdk"])
        self.assertEqual(self.bash("ddpctl", "port", "show", "--pid", ""), [])
        self.assertEqual(self.bash("ddpctl", "new", ""),
                         ["--after", "--help", "--ip-at", "--json", "--output"])
        self.assertEqual(self.bash("ddpctl", "nonsense", "--"), [])
        self.assertEqual(self.bash("ddptool", "-f", "gtpu-o"), ["gtpu-over-gre"])
        self.assertIn("lo", self.bash("ddptool", "-i", ""))
        self.assertEqual(self.bash("ddptool", "-l", "-s", ""),
                         sorted(os.listdir("/sys/bus/pci/devices")))

    def zsh(self, line, wanted):
        """Type a line and a tab until what is wanted is on the screen."""
        pid, fd = pty.fork()
        if pid == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.environment())
        self.addCleanup(os.close, fd)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.kill, pid, 9)
        text = ""
        os.write(fd, f"unsetopt beep; fpath=({' '.join(map(str, self.SOURCES.values()))} $fpath); autoload -U compinit; "
                     f"compinit -u -D; PS1=rea''dy\n".encode())
        deadline = time.monotonic() + SECONDS
        typed = False
        while wanted not in text and time.monotonic() < deadline:
            if select.select([fd], [], [], 0.1)[0]:
                text += os.read(fd, 65536).decode(errors="replace")
            if not typed and "ready" in text:
                os.write(fd, f"{line}\t".encode())
                typed = True
                text = ""
        self.assertIn(wanted, text)

    @unittest.skipIf(shutil.which("zsh") is None, "zsh is not installed")
    def test_zsh(self):
        for line, wanted in (("ddpctl simul", "simulate "),
                             ("ddpctl port wat", "watch "),
                             ("ddpctl port watch --interv", "--interval="),
                             ("ddpctl classify --hash sym", "symmetric_toeplitz"),
                             ("ddpctl classify gtpu-o", "gtpu-over-gre"),
                             ("ddpctl package find --driver ", "kernel"),
                             ("ddpctl list --js", "--json"),
                             ("ddptool -", "write XML")):
            with self.subTest(line=line):
                self.zsh(line, wanted)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp", "ddptool")
