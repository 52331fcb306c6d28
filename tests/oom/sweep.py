#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a program once for each of its allocations, which fails: it must end by itself, never by a signal, and say why.

usage: sweep.py MAX PRELOAD PROGRAM [ARGUMENT...]

Of the allocations MAX are chosen evenly, unless OOM_ALL is in the environment.
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile

STATUS = 3  # without memory
REASONS = ("out of memory", "cannot allocate memory")


def run(preload, command, **env):
    return subprocess.run(
        command, env={**os.environ, "LD_PRELOAD": preload, **env}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", timeout=60, check=False)


def problem(whole, result):
    if result.returncode < 0:
        return f"signal {-result.returncode}"
    if (result.returncode, result.stdout) == (whole.returncode, whole.stdout):
        return None  # the failed call was not needed, or another one replaced it
    if not any(reason in result.stderr.lower() for reason in REASONS):
        return f"exit {result.returncode} without the reason"
    if result.returncode != STATUS and "in libarchive" not in result.stderr:  # it ends the process itself
        return f"exit {result.returncode}"
    return None


def main():
    most, preload, *command = sys.argv[1:]
    with tempfile.NamedTemporaryFile("r") as counted:
        whole = run(preload, command, OOM_COUNT=counted.name)
        n = int(counted.read())
    step = 1 if "OOM_ALL" in os.environ else max(1, n // int(most))
    failing = range(1, n + 1, step)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for at, result in zip(failing, pool.map(lambda at: run(preload, command, OOM_FAIL=str(at)), failing)):
            wrong = problem(whole, result)
            if wrong is not None:
                bad += 1
                print(f"allocation {at}: {wrong}: {result.stderr.strip()[-300:]}")
    print(f"{n} allocations, {len(failing)} of them failed once each, {bad} wrong")
    return 1 if bad or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
