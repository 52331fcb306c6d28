#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts of scripts/test: it reports a test that passes while tests inside of it were skipped.

    results_test.py path/to/scripts/results"""

import json

from support import harness

CMOCKA = """[ RUN      ] one
skipped: no ice.pkg: scripts/packages fetches it
[  SKIPPED ] one
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] one
[  SKIPPED ] two

 2 SKIPPED TEST(S)
[  SKIPPED ] group: 1 test(s), listed below:
[  SKIPPED ] three
"""
UNITTEST = """.s.ss
Ran 5 tests in 0.1s

OK (skipped=3)
skipped: no folder of real captures
skipped: no folder of real captures
skipped: tshark is not installed
"""


class Results(harness.TestCase):
    def lines(self, *tests):
        log = self.folder / "testlog.json"
        log.write_text("".join(json.dumps({"name": name, "result": result, "stdout": out, "stderr": err})
                               + "\n" for name, result, out, err in tests))
        return harness.output_of(harness.tools["results"], log).splitlines()

    def test_a_test_counts_once(self):
        self.assertEqual(self.lines(("a", "OK", "fine\n", ""), ("b", "FAIL", "", "bad"),
                                    ("c d", "TIMEOUT", None, None), ("e", "EXPECTEDFAIL", "", ""),
                                    ("f", "SKIP", "skipped: no tshark\n", "")),
                         ["pass a", "fail b", "why bad", "fail c d, timed out", "pass e", "skip 1 f: no tshark"])

    def test_what_is_skipped_inside_of_a_test_is_counted(self):
        self.assertEqual(self.lines(("c", "OK", CMOCKA, ""), ("p", "FAIL", "", UNITTEST)),
                         ["pass c", "skip 3 c: no ice.pkg: scripts/packages fetches it",
                          "fail p", *(f"why {line}" for line in UNITTEST.splitlines()),
                          "skip 3 p: no folder of real captures; tshark is not installed"])

    def test_a_failure_says_why(self):
        """Its last lines: a summary that only names it sends the reader through the whole log."""
        out = "".join(f"{i}\n" for i in range(100))
        self.assertEqual(self.lines(("a", "FAIL", out, "the end\n")),
                         ["fail a"] + [f"why {i}" for i in range(90, 100)] + ["why ", "why the end"])

    def test_neither_of_them(self):
        """A program that leaves something out says it in a line."""
        self.assertEqual(self.lines(("exact", "OK", "skipped: no captures in x\n1 s: fine\n", "")),
                         ["pass exact", "skip 1 exact: no captures in x"])

    def test_no_reason(self):
        self.assertEqual(self.lines(("c", "OK", "", "OK (skipped=2)\n"),
                                    ("d", "OK", "", "FAILED (failures=1, skipped=2)\n"),
                                    ("s", "SKIP", "", "")),
                         ["pass c", "skip 2 c: no reason given", "pass d",
                          "skip 2 d: no reason given", "skip 1 s: no reason given"])


if __name__ == "__main__":
    harness.main("results")
