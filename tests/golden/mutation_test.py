#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every line of every profile of the library deleted, doubled and garbled; ddpctl check must stand it.

    mutation_test.py path/to/ddpctl path/to/profiles [profile...]

Checked of each mutant: no crash, hang, leak or undefined behaviour (with sanitizers in the build), an exit
code of 0, 1 or 3, and of every message that its place lies inside the file it names. What is garbled
depends on the line's own text only, so that a failure can be had again. Every eighth mutant is made: each kind on
every eighth line; with sanitizers every 24th. DDP_MUTANTS_STEP=1 in the environment makes all (minutes).
"""

import concurrent.futures
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

TIMEOUT = 120  # of one ddpctl with FILES_AT_ONCE files: each takes milliseconds
FILES_AT_ONCE = 150
STEP = int(os.environ.get("DDP_MUTANTS_STEP", "8"))
PLACE = re.compile(r"(.+?):(\d+):(\d+): (error|warning): .+", re.DOTALL)
VALUES = ("0", "-1", "18446744073709551616", "[]", "{}", "''", "~", "[a, b]", "{a: b}", "$x", "a.b.c", "*",
          "( ( (", "&x y", "stop", "inner", "0x", "é", "|", "1:128 2:0")

ddpctl = profile_dir = None


def swapped(line, rng):
    """Two neighbouring characters that differ, exchanged."""
    spots = [i for i in range(len(line) - 1) if line[i] != line[i + 1]]
    if not spots:
        return None
    i = rng.choice(spots)
    return line[:i] + line[i + 1] + line[i] + line[i + 2:]


def cut(line, rng):
    return line[:rng.randrange(1, len(line))] if len(line) > 1 else None


def indented(line, rng):
    text = line.lstrip(" ")
    return rng.choice([text, " " + line, "  " + line, line[1:] if line[0] == " " else "\t" + line])


def replaced(line, rng):
    """Another value behind the first colon, or in place of a list's item."""
    key, colon, _ = line.partition(": ")
    if colon:
        return key + ": " + rng.choice(VALUES)
    return line[:len(line) - len(line.lstrip(" -"))] + rng.choice(VALUES)


def wild(line, rng):
    """Any character set to any other."""
    i = rng.randrange(len(line))
    return line[:i] + rng.choice("\0\t:[]{}()?*|&#'\"$\\\x7f0Aé\ufffd") + line[i + 1:]


GARBLERS = (swapped, cut, indented, replaced, wild)


def mutants(text):
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not line or line.startswith("#"):
            continue
        before, behind = lines[:i], lines[i + 1:]
        yield before + behind
        yield before + [line, line] + behind
        rng = random.Random(f"{i} {line}")
        for garble in GARBLERS:
            other = garble(line, rng)
            if other is not None and other != line:
                yield before + [other] + behind


def read_lines(file):
    with open(file, "rb") as source:
        return source.read().decode("utf-8", "replace").split("\n")


class Mutation(unittest.TestCase):
    def place_check(self, message, files):
        found = PLACE.fullmatch(message)
        self.assertIsNotNone(found, "no place: " + message)
        file, line, col = found.group(1), int(found.group(2)), int(found.group(3))
        if file not in files:
            files[file] = read_lines(file)
        lines = files[file]
        self.assertTrue(1 <= line <= len(lines), message)
        self.assertTrue(1 <= col <= len(lines[line - 1]) + 1, message)

    def batch(self, paths):
        """Check these files in one go. Returns how many are valid."""
        env = dict(os.environ, DDP_PROFILE_PATH=profile_dir)
        done = subprocess.run([ddpctl, "check", "--json", *paths], env=env, timeout=TIMEOUT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr.decode()[-4000:])
        self.assertNotIn(b"runtime error", done.stderr)
        self.assertNotIn(b"Sanitizer", done.stderr)
        results = json.loads(done.stdout)
        self.assertEqual(paths, [result["file"] for result in results])
        files = {}
        for result in results:
            self.assertEqual(result["valid"], result["errors"] == 0, result)
            for message in result["messages"]:
                self.place_check(message, files)
        return sum(result["valid"] for result in results)

    def mutate(self, profile):
        with open(os.path.join(profile_dir, profile + ".yaml"), encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for n, lines in enumerate(itertools.islice(mutants(text), 0, None, STEP)):
                os.mkdir(os.path.join(folder, str(n)))
                paths.append(os.path.join(folder, str(n), profile + ".yaml"))
                with open(paths[-1], "w", encoding="utf-8", newline="\n") as file:
                    file.write("\n".join(lines))
            batches = [paths[i:i + FILES_AT_ONCE] for i in range(0, len(paths), FILES_AT_ONCE)]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                n_valid = sum(pool.map(self.batch, batches))
        print(f"{profile}: {len(paths)} mutants, {n_valid} still valid", flush=True)
        # Else the mutants were not read at all.
        self.assertLess(n_valid, len(paths))


def main():
    global ddpctl, profile_dir
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ddpctl, profile_dir = (os.path.abspath(path) for path in sys.argv[1:3])
    names = sys.argv[3:] or sorted(file[:-5] for file in os.listdir(profile_dir) if file.endswith(".yaml"))
    for name in names:
        setattr(Mutation, "test_" + name.replace("-", "_"), lambda self, name=name: self.mutate(name))
    unittest.main(argv=sys.argv[:1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
