# SPDX-License-Identifier: BSD-3-Clause
"""Hugepages for the tests of secondary processes: reserved for as long as a program of tests runs.

They are mounted in a mount namespace of the program's own, which ends with it."""

import contextlib
import ctypes
import errno
import fcntl
import os
import pathlib
import tempfile
import unittest

from support import harness

KNOB = pathlib.Path("/proc/sys/vm/nr_hugepages")
PAGES = 450  # of 2 MB
CLONE_NEWNS = 0x20000
MS_REC_PRIVATE = 0x4000 | 1 << 18


@contextlib.contextmanager
def alone():
    """No other program of tests changes the number meanwhile."""
    with open(KNOB, "rb") as knob:
        with contextlib.suppress(OSError):
            fcntl.flock(knob, fcntl.LOCK_EX)
        yield


def change(pages):
    """Reserve more pages, or fewer. The change that was made."""
    with alone():
        before = int(KNOB.read_text())
        KNOB.write_text(str(max(before + pages, 0)))
        return int(KNOB.read_text()) - before


def call(function, *args):
    if function(*args) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount():
    """A folder with a file system of hugepages, for this program and its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    folder = tempfile.TemporaryDirectory(prefix="ddp-huge-")
    unittest.addModuleCleanup(folder.cleanup)
    call(libc.unshare, CLONE_NEWNS)
    call(libc.mount, b"none", b"/", None, ctypes.c_ulong(MS_REC_PRIVATE), None)
    call(libc.mount, b"none", folder.name.encode(), b"hugetlbfs", ctypes.c_ulong(0),
         b"pagesize=2M")
    unittest.addModuleCleanup(call, libc.umount2, folder.name.encode(), 0)
    return folder.name


def have(pages=PAGES):
    """Reserve so many until the program ends. The folder, or OSError."""
    added = change(pages)
    unittest.addModuleCleanup(change, -added)
    if added < pages:
        raise OSError(errno.ENOMEM, f"only {added} of {pages} can be reserved")
    return mount()


def reserve():
    """The folder. Skips the program if there are no hugepages to be had."""
    try:
        return have()
    except OSError as error:
        unittest.doModuleCleanups()  # a skipped program does not
        harness.skip(f"no hugepages: {error.strerror}")
