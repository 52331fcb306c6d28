#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/compat's table says of each step what came of it.

    compat_test.py path/to/scripts/compat"""

import pathlib
import shutil
import tempfile
import unittest

from support import harness

SET_UP = "25.11.4 | Debian forky/sid | clang 21.1.8"
PASSED = {"set-up": SET_UP, "build": "compiles", "unit": "9 passed", "e2e": "5 passed",
          "exact": "1000 packets, 0 differences", "demo": "256000 of 256000 packets"}


def setUpModule():
    if shutil.which("git") is None:
        harness.skip("git is not installed")


class Compat(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "scripts").mkdir()
        self.script = shutil.copy(harness.tools["compat"], self.folder / "scripts")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=test", "-c", "user.email=test", "commit", "--quiet", "-m", "test")
        commit = self.git("rev-parse", "--short=12", "HEAD").strip()
        self.end = f" {commit[:7]} |"  # of each row
        self.results = self.folder / f"results-{commit}"
        self.results.mkdir()

    def git(self, *words):
        return harness.output_of("git", "-C", self.folder, *words)

    def step(self, row, name, outcome, result=None):
        (self.results / f"{row}.{name}.{outcome}").touch()
        text = PASSED.get(name, "") if result is None else result
        (self.results / f"{row}.{name}.result").write_text(text + "\n" if text else "")

    def steps(self, row, *names):
        for name in names:
            self.step(row, name, "passed")

    def show(self):
        """Its rows without the heading, its notes, its exit status."""
        result = harness.run(self.script, "--show", self.folder)
        self.assertEqual(result.stderr, "")
        table, _, notes = result.stdout.partition("\n\n")
        return table.splitlines()[2:], notes.splitlines(), result.returncode

    def test_all_passed(self):
        self.steps("testing", *PASSED)
        self.steps("testing-clang", "set-up", "build")
        cells = " | ".join(PASSED[step] for step in ("set-up", "unit", "e2e", "exact", "demo"))
        self.assertEqual(self.show(), ([
            f"| {cells} |{self.end}", f"| {SET_UP} | compiles | | | |{self.end}"], [], 0))

    def test_a_build_that_failed(self):
        for row in ("testing", "testing-clang"):
            for result in ("", "compiles"):
                self.steps(row, "set-up")
                self.step(row, "build", "failed", result)
                rows, _, status = self.show()
                self.assertEqual(rows[-1], f"| {SET_UP} | **build failed** | | | |{self.end}")
                self.assertEqual(status, 1)

    def test_a_system_or_its_set_up_that_failed(self):
        self.step("dpdk-26.07", "system", "failed")
        self.step("testing-clang", "set-up", "failed")
        self.assertEqual(self.show(), (
            [f"| 25.11.2 | testing-clang | clang | **set-up failed** | | | |{self.end}",
             f"| 26.07 | dpdk-26.07 | gcc | **system failed** | | | |{self.end}"], [], 1))

    def test_a_step_that_failed_in_spite_of_its_result(self):
        self.steps("testing", "set-up", "build", "unit")
        self.step("testing", "e2e", "failed")
        self.step("testing", "exact", "failed")
        self.assertEqual(self.show()[::2], (
            [f"| {SET_UP} | 9 passed | **failed** | **failed** | not run |{self.end}"], 1))

    def test_tests_that_failed_and_tests_that_were_skipped(self):
        self.steps("testing", *PASSED)
        self.step("debian-13", "set-up", "passed")
        self.step("debian-13", "build", "passed")
        self.step("debian-13", "unit", "passed", "8 passed, 1 skipped\nskip 1 a: why")
        (self.results / "testing.e2e.passed").unlink()
        self.step("testing", "e2e", "failed", "4 passed, **1 failed**\nfail b")
        rows, notes, status = self.show()
        self.assertEqual(len(rows), 2)
        self.assertIn("| 8 passed, 1 skipped | not run |", rows[0])
        self.assertIn("| 4 passed, **1 failed** |", rows[1])
        self.assertEqual(notes, ["- debian-13: skip 1 a: why", "- testing: fail b"])
        self.assertEqual(status, 1)


if __name__ == "__main__":
    harness.main("compat")
