#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The driver's thread-local data are static and small.

libc allocates those of a plugin that are not static when a thread first uses them, and aborts the application when it
cannot. All plugins of a process share 1664 bytes (glibc) of static ones.
"""

import re
import subprocess
import sys

SIZE_MAX = 1200


def readelf(*arguments):
    return subprocess.run(
        ["readelf", *arguments], capture_output=True, text=True, check=True
    ).stdout


def main():
    relocations = readelf("-rW", sys.argv[1])
    segment = re.search(r"^\s+TLS\s+(?:\S+\s+){4}(\S+)", readelf("-lW", sys.argv[1]), re.M)
    if not re.search("TPOFF|TPREL", relocations) or re.search("DTPMOD|TLSDESC", relocations):
        sys.exit("its thread-local data are allocated when a thread first uses them")
    if int(segment[1], 16) > SIZE_MAX:
        sys.exit(f"{int(segment[1], 16)} bytes of thread-local data, more than {SIZE_MAX}")


if __name__ == "__main__":
    main()
