#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does the application in apps/example receive, print and exchange profiles, as meson builds it and as a user does
against the build folder?"""

import collections
import os
import pathlib
import re
import shlex

from support import eal, fwd, harness

N_FIRST = 100  # packets before the exchange of profiles
QUEUES = 4


class Example(harness.TestCase):
    def printed(self, program, profile="gtpu", **env):
        n3 = self.traffic("--ues", 50)
        result = harness.run(program, *eal.options(1, 1024), "--vdev", fwd.vdev(n3.name, "overflow=wait"),
                             "--", N_FIRST, profile, cwd=self.folder, env={**eal.environment(self.folder), **env})
        return result, [line for line in result.stdout.splitlines() if line.startswith("queue ")]

    def check(self, program, **env):
        """All packets come; those after the exchange have type and TEID, and are on the queue that ddpctl predicts."""
        result, lines = self.printed(program, **env)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = collections.Counter(
            f"queue {packet['queue']} {packet['ptype']} TEID 0x{packet['fields']['gtpu.teid']:08x}"
            for packet in harness.classify("gtpu", self.traffic("--ues", 50), "--queues", QUEUES))
        self.assertEqual(len(lines), expected.total())
        after = collections.Counter(line for line in lines if "TEID" in line)
        self.assertGreater(after.total(), len(lines) // 2)
        self.assertGreaterEqual(len(lines) - after.total(), N_FIRST)
        self.assertLessEqual(after, expected)

    def test_it_runs(self):
        self.check(harness.tools["ddp-example"])

    def test_it_is_built_against_the_build_folder_and_runs(self):
        build = pathlib.Path(harness.tools["ddpctl"]).parents[2]
        program = self.folder / "example"
        pc = f"{build}/meson-uninstalled:{os.environ.get('PKG_CONFIG_PATH', '')}"
        flags = harness.output_of("pkg-config", "--cflags", "--libs", "librte_net_ddp",
                                  env={**os.environ, "PKG_CONFIG_PATH": pc})
        harness.output_of(*shlex.split(os.environ.get("CC", "cc")), "-Werror", "-o", program,
                          harness.SOURCE_ROOT / "apps/example/main.c", *shlex.split(flags))
        self.check(program, LD_LIBRARY_PATH=f"{build}/plugin/port")

    def test_a_profile_that_does_not_exist_is_named(self):
        result, _ = self.printed(harness.tools["ddp-example"], "nothing")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(re.search("profile 'nothing' not found", result.stderr), result.stderr)


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-example")
