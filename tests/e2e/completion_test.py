#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""TAB in bash and zsh beside files that somebody named for it: nothing in a name is run, neither by TAB nor by the
Enter after it."""

import os
import pathlib
import shutil
import tempfile

from support import harness, testpmd

APPS = harness.SOURCE_ROOT / "apps"

# Letters typed for a word, and the name that is meant.
NAMES = [
    ("./\\$", "$(touch${IFS}run).yaml"),
    ("./\\`", "`touch run`.yaml"),
    ("./zz", "zz b;touch run;.yaml"),
    ("./it", "it's \"$HOME\".yaml"),
    ("./-", "-x.yaml"),
    ("'./single", "single $(touch run)&.yaml"),
    ('"./double', "double $(touch run)`touch run`.yaml"),
    ("./glob", "glob*?[a]{1,2}~.yaml"),
]
SEVERAL_LINES = "lines\n$(touch run)\n.yaml"

# The programs are functions here: they note their arguments. Completion asks the real ddpctl for profiles and help.
SETUP = """
tell() {{ printf '%s\\0' "$@" >{folder}/args.new; mv {folder}/args.new {folder}/args; }}
ddpctl() {{ case "$*" in list | *--help) {ddpctl} "$@" ;; *) tell "$@" ;; esac; }}
ddp-exporter() {{ case "$*" in --help) {ddp_exporter} "$@" ;; *) tell "$@" ;; esac; }}
"""
BASH = """
source {apps}/ctl/ddpctl.bash
source {apps}/exporter/ddp-exporter.bash
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
"""
ZSH = """
fpath=({apps}/ctl {apps}/exporter $fpath)
autoload -Uz compinit
compinit -u -D
unsetopt beep zle_bracketed_paste
"""


class Shell(testpmd.Terminal):
    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self, line, mark):
        """A line, and until it was done."""
        self.type(f"{line}\necho {mark[0]}''{mark[1:]}\n")
        self.wait(lambda: mark in self.text, mark)

    def quotes(self, typed, name):
        """Whether the shell itself completes this name for a program that has no completion of its own: bash 5.3 does
        not quote inside of double quotes."""
        completed = self.complete(f"tell {typed}") == [f"./{name}"]
        (self.folder / "run").unlink(missing_ok=True)
        return completed

    def complete(self, typed):
        """The arguments that the program gets after TAB and Enter."""
        args = self.folder / "args"
        args.unlink(missing_ok=True)
        self.type(f"{typed}\t\n")
        self.wait(args.exists, f"program behind: {typed}")
        return args.read_bytes().decode().split("\0")[:-1]


class Completion:
    def setUp(self):
        if shutil.which(self.WORDS[0]) is None:
            self.skipTest(f"{self.WORDS[0]} is not installed")
        folder = tempfile.TemporaryDirectory(prefix="ddp-completion-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for _, name in NAMES:
            (self.folder / name).write_text("profile: x\n")
        (self.folder / SEVERAL_LINES).write_text("profile: x\n")
        self.shell = Shell(self, self.WORDS, {"PS1": "", "TERM": "dumb", "HOME": str(self.folder),
                                              "DDP_PROFILE_PATH": str(self.folder)})
        self.shell.folder = self.folder
        names = {"folder": self.folder, "ddpctl": harness.tools["ddpctl"], "apps": APPS,
                 "ddp_exporter": pathlib.Path(harness.tools["ddpctl"]).parents[1] / "exporter" / "ddp-exporter"}
        script = self.folder / "setup"
        script.write_text((SETUP + self.SETUP).format(**names))
        self.shell.say(f". {script}", "set-up-done")
        script.unlink()

    def nothing_ran(self):
        self.assertFalse((self.folder / "run").exists(), self.shell.text)

    def test_names_of_files_are_quoted_and_not_run(self):
        for typed, name in NAMES:
            with self.subTest(name):
                if not self.shell.quotes(typed, name):
                    print(f"skipped: {self.WORDS[0]} does not quote {name} for any program")
                    continue
                self.assertEqual(self.shell.complete(f"ddpctl check {typed}"), ["check", f"./{name}"])
                self.nothing_ran()

    def test_names_without_a_folder_are_quoted_and_not_run(self):
        for typed, name in (("\\$", NAMES[0][1]), ("\\`", NAMES[1][1])):
            self.assertEqual(self.shell.complete(f"ddpctl check {typed}"), ["check", name])
            self.nothing_ran()

    def test_names_of_profiles_are_completed(self):
        self.assertEqual(self.shell.complete("ddpctl info pfc"), ["info", "pfcp"])
        self.nothing_ran()

    def test_commands_and_options_are_completed(self):
        self.assertEqual(self.shell.complete("ddpctl simul"), ["simulate"])
        self.assertEqual(self.shell.complete("ddpctl check --stri"), ["check", "--strict"])
        self.assertEqual("".join(self.shell.complete("ddpctl simulate --nic-now=ice-c")[1:]), "--nic-now=ice-comms")
        self.assertEqual(self.shell.complete("ddp-exporter --onc"), ["--once"])
        self.nothing_ran()

    def test_a_name_of_several_lines_is_not_run(self):
        self.shell.complete("ddpctl check ./lin")
        self.nothing_ran()


class Bash(Completion, harness.TestCase):
    WORDS = ("bash", "--norc", "--noprofile", "-i")
    SETUP = BASH


class Zsh(Completion, harness.TestCase):
    WORDS = ("zsh", "-f", "-i")
    SETUP = ZSH

    def test_a_name_of_several_lines_is_completed(self):
        self.assertEqual(self.shell.complete("ddpctl check ./lin"), ["check", f"./{SEVERAL_LINES}"])
        self.nothing_ran()


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic")
