#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profiles/TUTORIAL.md, typed in exactly as it stands.

A block ```<language> <file> is appended to that file, behind an empty line if the file is there already.
A block ```console holds commands behind "$ " and, below each, all that it prints, messages included."""

import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import harness  # noqa: E402

PROFILES = harness.SOURCE_ROOT / "profiles"


class Tutorial(harness.TestCase):
    maxDiff = None

    def save(self, name, body):
        with open(self.folder / name, "a", encoding="utf-8") as file:
            file.write(("\n" if file.tell() > 0 else "") + body)

    def type(self, command, printed):
        path = os.path.dirname(harness.tools["ddpctl"]) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}, check=False, encoding="utf-8")
        self.assertEqual([line.rstrip() for line in done.stdout.splitlines()],
                         [line.rstrip() for line in printed.splitlines()], command)

    def test_every_step_does_what_it_says(self):
        typed = 0
        for title, body in re.findall(r"^```([^\n]+)\n(.*?)^```$", (PROFILES / "TUTORIAL.md").read_text(), re.M | re.S):
            if title != "console":
                self.save(title.split()[1], body)
                continue
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
                self.type(command, printed)
                typed += 1
        self.assertGreater(typed, 5)


if __name__ == "__main__":
    harness.main("ddpctl")
