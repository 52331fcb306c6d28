#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which DPDK does the build accept, and where does it find the headers for drivers? The DPDKs are made
up: a pkg-config that prints a version and an include path, a dpkg-query that knows of the package or not."""

import os
import pathlib
import shutil
import tempfile
import unittest

from support import harness
from support.harness import SOURCE_ROOT

SUPPORTED = ["22.11", "23.11", "24.11", "25.11"]
HEADERS = ["drivers/bus/vdev/bus_vdev_driver.h", "lib/eal/include/dev_driver.h",
           "lib/ethdev/ethdev_driver.h", "lib/ethdev/ethdev_vdev.h", "lib/ethdev/rte_flow_driver.h"]

PKG_CONFIG = """#!/bin/sh
case $1 in
--modversion) echo {version} ;;
--cflags) echo -I{include} ;;
--variable=pcfiledir) echo {include} ;;
esac
"""


class DriverHeaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ddp-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.tree = self.folder / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        for name in "driver-headers", "steps":
            shutil.copy(SOURCE_ROOT / "scripts" / name, self.tree / "scripts")

    def program(self, name, text):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def installed(self, version, packaged=True, public=()):
        """A DPDK whose include path has these of the headers."""
        self.include = self.folder / f"include-{version}"
        self.include.mkdir(exist_ok=True)
        for name in public:
            (self.include / name).touch()
        self.program("pkg-config", PKG_CONFIG.format(version=version, include=self.include))
        self.program("dpkg-query", f"#!/bin/sh\necho {version}-1+deb\nexit {0 if packaged else 1}\n")

    def source(self, version, headers=HEADERS):
        """A source tree of DPDK."""
        path = self.folder / f"dpdk-{version}"
        path.mkdir()
        (path / "VERSION").write_text(f"{version}\n")
        for header in headers:
            (path / header).parent.mkdir(parents=True, exist_ok=True)
            (path / header).write_text(f"// {version}\n")
        return path

    def run_script(self, *args, **kwargs):
        # The compiler shall not look where a DPDK built by hand has its headers.
        env = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.folder / "cache"),
               "CC": "cc -nostdinc"}
        return harness.run(self.tree / "scripts" / "driver-headers", *args, env={**os.environ, **env}, **kwargs)

    def accepted(self, *args, **kwargs):
        result = self.run_script(*args, **kwargs)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.rstrip("\n")

    def refused(self, *args, status=1):
        result = self.run_script(*args)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_packaged_dpdk_without_its_headers_is_for_setup_to_mend(self):
        for series in SUPPORTED:
            with self.subTest(series=series):
                public = ["rte_flow_driver.h"] if series < "25.11" else []
                self.installed(f"{series}.8", public=public)
                self.assertIn("run scripts/setup", self.refused(status=3))
                missing = self.accepted("--missing").split("\n")
                self.assertEqual(missing, HEADERS[:5 - len(public)])

    def test_dpdk_that_has_its_driver_headers_uses_those(self):
        self.installed("24.11.1", packaged=False, public=[pathlib.Path(name).name for name in HEADERS])
        self.assertEqual(self.accepted(), "")

    def test_version_that_is_not_supported_is_refused(self):
        for version in ("20.11.10", "21.11.9", "22.07.0", "24.03.0", "26.11.0"):
            with self.subTest(version=version):
                self.installed(version)
                self.assertEqual(self.refused(), f"driver-headers: DPDK {version} is not supported: "
                                                 "use 22.11, 23.11, 24.11 or 25.11\n")

    def test_version_that_is_not_tested_is_accepted_and_told(self):
        self.installed("26.07.0", public=[pathlib.Path(name).name for name in HEADERS])
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (0, "\n"))
        self.assertIn("DPDK 26.07.0 is not tested", result.stderr)

    def test_build_without_driver_headers_is_refused_with_the_way_out(self):
        self.installed("24.11.1", packaged=False)
        error = self.refused()
        self.assertIn("-Denable_driver_sdk=true", error)
        self.assertIn("scripts/setup --driver-headers", error)

    def test_headers_of_a_source_tree_are_taken_and_stay(self):
        self.installed("24.11.1", packaged=False, public=["rte_flow_driver.h"])
        self.source("24.11.6")
        folder = pathlib.Path(self.accepted("--from", "dpdk-24.11.6", cwd=self.folder))
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         sorted(pathlib.Path(name).name for name in HEADERS[:4]))
        self.assertEqual((folder / "ethdev_driver.h").read_text(), "// 24.11.6\n")
        self.assertEqual(self.accepted(), str(folder))
        self.installed("24.11.1")  # nor for the package of this version
        self.refused(status=3)
        self.installed("24.11.2", packaged=False)
        self.refused()

    def test_the_fifth_header_is_taken_from_25_11_on(self):
        self.installed("25.11.4")
        folder = pathlib.Path(self.accepted("--from", self.source("25.11.2")))
        self.assertTrue((folder / "rte_flow_driver.h").exists())

    def test_source_tree_that_does_not_fit_is_refused(self):
        self.installed("24.11.1")
        self.assertIn("no DPDK sources", self.refused("--from", self.folder))
        self.assertIn("has DPDK 25.11.2, installed is 24.11.1: take sources of 24.11",
                      self.refused("--from", self.source("25.11.2")))
        result = self.run_script("--from", self.source("24.11.6", HEADERS[:2]))
        self.assertEqual(result.returncode, 1)
        self.assertIn("lacks lib/ethdev/ethdev_driver.h", result.stderr)
        self.refused(status=3)


if __name__ == "__main__":
    harness.main()
