#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profiles/TUTORIAL.md, typed in exactly as it stands.

    tutorial_test.py path/to/ddpctl path/to/profiles

A block ```<language> <file> is appended to that file, behind an empty line if the file is there already.
A block ```console holds commands behind "$ " and, below each, all that it prints, messages included.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ddpctl = profile_dir = None


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(what stands behind the backquotes, the lines between them) of each block."""
    for title, body in re.findall(r"^```([^\n]+)\n(.*?)^```$", text, re.M | re.S):
        yield title, body


def commands(body):
    """(command, what it prints) of a console block."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


class Tutorial(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        path = os.path.dirname(os.path.abspath(ddpctl)) + os.pathsep + os.environ["PATH"]
        self.env = dict(os.environ, PATH=path, DDP_PROFILE_PATH=profile_dir, LC_ALL="C.UTF-8")
        self.typed = 0

    def save(self, name, body):
        path = os.path.join(self.dir.name, name)
        with open(path, "a", encoding="utf-8") as file:
            file.write(("\n" if file.tell() > 0 else "") + body)

    def type(self, command, printed):
        done = subprocess.run(["sh", "-c", command], cwd=self.dir.name, env=self.env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual([line.rstrip() for line in done.stdout.decode().splitlines()],
                         [line.rstrip() for line in printed], command)
        self.typed += 1

    def test_every_step_does_what_it_says(self):
        for title, body in blocks(read(profile_dir, "TUTORIAL.md")):
            if title == "console":
                for command, printed in commands(body):
                    self.type(command, printed)
            else:
                self.save(title.split()[1], body)
        self.assertGreater(self.typed, 5)
        # What has come of it is the example of the library.
        example = read(profile_dir, "examples", "acme.yaml")
        self.assertEqual(example.split("\n", 1)[1], read(self.dir.name, "acme.yaml"))
        self.assertIn("SPDX", example.split("\n", 1)[0])


def main():
    global ddpctl, profile_dir
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[2].strip())
    ddpctl, profile_dir = sys.argv[1], os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=1)


if __name__ == "__main__":
    main()
