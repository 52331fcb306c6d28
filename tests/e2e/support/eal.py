# SPDX-License-Identifier: BSD-3-Clause
"""Start programs of DPDK in tests: without hugepages or NICs; nothing is left behind."""

import os
import pathlib
import shutil
import stat
import tempfile
import unittest

from support import harness


def options(n_lcores, megabytes, prefix=None, huge_folder=None):
    """EAL's options for so many lcores; the first controls, each may use any CPU.

    With a file prefix there is a telemetry socket: see telemetry_socket(). With a folder for
    hugepages (hugepages.py) secondary processes can attach.
    """
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    memory = ["--no-huge"] if huge_folder is None else ["--huge-dir", str(huge_folder)]
    return ["--lcores", f"(0-{n_lcores - 1})@({cpus})", *memory, "-m", str(megabytes),
            "--no-pci", *(["--no-telemetry", "--no-shconf"] if prefix is None else
                          ["--file-prefix", prefix])]


def dpdk_version():
    """Of the DPDK that is built for, as numbers."""
    text = harness.output_of("pkg-config", "--modversion", "libdpdk")
    return tuple(int(number) for number in text.strip().split("-")[0].split("."))


def has_driver(name):
    """Does EAL find this driver of DPDK's in its folder of plugins?"""
    folder = pathlib.Path(harness.output_of("pkg-config", "--variable=libdir", "libdpdk").strip())
    return any(folder.glob(f"dpdk/pmds-*/librte_{name}.so*"))


def telemetry_socket(folder, prefix):
    """Of a program that was started in environment(folder)."""
    return folder / "dpdk" / prefix / "dpdk_telemetry.v2"


def environment(folder):
    """For a program that may write to a folder; our profiles, wherever its files are."""
    return {**os.environ, "RUNTIME_DIRECTORY": str(folder),
            "DDP_PROFILE_PATH": str(harness.SOURCE_ROOT / "profiles")}


def is_protected(path):
    """EAL loads no plugin that others might have put there."""
    path = pathlib.Path(path).resolve()
    return not any(folder.stat().st_mode & stat.S_IWOTH for folder in (path, *path.parents))


def home_folders():
    """Folders in which we may leave a file for a while, best first."""
    home = pathlib.Path.home()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return [folder for folder in (cache, home)
            if folder.is_dir() and os.access(folder, os.W_OK) and is_protected(folder)]


def drivers_load(*names):
    """To be called in setUpModule(): such of these tools as there are become loadable()."""
    for name in names:
        if name in harness.tools:
            harness.tools[name] = loadable(harness.tools[name])


def fake_nics():
    """EAL's options for net_testsrc (tests/unit/port/testsrc.h), in the tests that have it."""
    return ["-d", harness.tools["testsrc"]] if "testsrc" in harness.tools else []


def loadable(module):
    """The path of a plugin that EAL agrees to load: a copy, where folders above it are open to all.

    To be called in setUpModule(); the program is skipped where there is no place for a copy.
    """
    if is_protected(module):
        return module
    if not home_folders():
        harness.skip("no folder for a plugin that EAL would load it from")
    folder = tempfile.TemporaryDirectory(prefix="ddp-e2e-", dir=home_folders()[0])
    unittest.addModuleCleanup(folder.cleanup)
    return shutil.copy(module, folder.name)
