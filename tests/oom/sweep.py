#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a program once for each of its allocations, which fails: it must end by itself, never by a signal, and say why.

usage: sweep.py [--max N] [--status N] PRELOAD PROGRAM [ARGUMENT...]

With --max, N allocations are chosen evenly, and 3 N of those that are the first of a place of the program that
allocates, unless OOM_ALL is in the environment. --status is that of a program without memory (3).
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

REASONS = ("out of memory", "cannot allocate memory")


def run(options, env, timeout=60):
    return subprocess.run(
        [options.program, *options.arguments],
        env={**os.environ, "LD_PRELOAD": options.preload, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )


def count(options):
    with tempfile.NamedTemporaryFile("r") as counted:
        # Finding the place of each allocation takes minutes under QEMU: the limit is the test's.
        whole = run(options, {"OOM_COUNT": counted.name}, timeout=None)
        n, *firsts = map(int, counted.read().split())
        return n, firsts, whole


def sample(numbers, most):
    return numbers[::max(1, -(-len(numbers) // most))]


def judge(options, whole, result):
    """What is wrong with a run, or None."""
    if result.returncode < 0:
        return f"signal {-result.returncode}"
    if (result.returncode, result.stdout) == (whole.returncode, whole.stdout):
        return None  # what failed was of no use, or something else did instead
    if not any(reason in result.stderr.lower() for reason in REASONS):
        return f"exit {result.returncode} without the reason"
    if "in libarchive" in result.stderr:
        return None  # which ends the process itself
    if result.returncode != options.status:
        return f"exit {result.returncode}"
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--max", type=int, default=0)
    parser.add_argument("--status", type=int, default=3)
    parser.add_argument("preload")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    n, firsts, whole = count(options)
    failing = range(1, n + 1)
    if options.max and "OOM_ALL" not in os.environ:
        failing = sorted({*sample(failing, options.max), *sample(sorted(firsts), 3 * options.max)})
    bad = same = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda at: run(options, {"OOM_FAIL": str(at)}), failing)
        for at, result in zip(failing, runs):
            same += result.returncode == whole.returncode
            problem = judge(options, whole, result)
            if problem is not None:
                bad += 1
                print(f"allocation {at}: {problem}: {result.stderr.strip()[-300:]}")
    command = " ".join([os.path.basename(options.program), *options.arguments])
    print(f"{command}: {n} allocations, {len(failing)} of them failed once each, "
          f"{same} without consequences, {bad} wrong")
    return 1 if bad or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
