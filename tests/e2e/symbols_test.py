#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the plugins export is what rte_pmd_ddp.h promises and what testpmd asks for, each under a version: another
symbol might take the place of an application's own, and one without a version cannot be replaced later."""

import os
import re
import shutil

from support import harness
from support.harness import SOURCE_ROOT


def exported(name):
    """name@@version of each symbol that a plugin defines."""
    lines = harness.output_of("nm", "-D", "--defined-only", harness.tools[name]).splitlines()
    symbols = [line.split()[1:] for line in lines]
    return sorted(symbol for kind, symbol in symbols if kind != "A")  # A: the versions themselves


class Symbols(harness.TestCase):
    def test_the_plugin_exports_what_its_header_declares(self):
        header = (SOURCE_ROOT / "plugin" / "port" / "state" / "rte_pmd_ddp.h").read_text()
        declared = re.findall(r"(?m)^RTE_PMD_DDP_API\n(?:[a-z].*?)\b(rte_pmd_ddp_\w+)\(", header)
        self.assertEqual(len(declared), header.count("\nRTE_PMD_DDP_API\n"))
        self.assertEqual(exported("net_ddp"), sorted(f"{name}@@DDP_1.0" for name in declared))

    def test_the_bridge_exports_what_testpmd_asks_for(self):
        if os.path.basename(harness.tools["bridge"]) == "none":
            self.skipTest("this DPDK has no net_i40e, so there is no bridge")
        symbols = exported("bridge")
        self.assertTrue(symbols)
        for symbol in symbols:
            self.assertRegex(symbol, r"^rte_pmd_i40e_\w+@@DPDK_\d+$")
        testpmd = shutil.which("dpdk-testpmd")
        if testpmd is None:
            self.skipTest("dpdk-testpmd is not installed")
        asked = harness.output_of("nm", "-D", "--undefined-only", testpmd)
        for symbol in symbols:
            self.assertIn(" " + symbol.replace("@@", "@") + "\n", asked)

    def test_thread_local_data_are_static_and_small(self):
        """libc allocates other ones when a thread first uses them, and aborts the application when it cannot; all
        plugins of a process share 1664 bytes (glibc) of static ones."""
        if re.search("__[at]san_init", harness.output_of("nm", "-D", harness.tools["net_ddp"])):
            self.skipTest("a sanitizer has thread-local data of its own")
        relocations = harness.output_of("readelf", "-rW", harness.tools["net_ddp"])
        segments = harness.output_of("readelf", "-lW", harness.tools["net_ddp"])
        self.assertRegex(relocations, "TPOFF|TPREL")
        self.assertNotRegex(relocations, "DTPMOD|TLSDESC")
        self.assertLessEqual(int(re.search(r"(?m)^\s+TLS\s+(?:\S+\s+){4}(\S+)", segments)[1], 16), 1200)


if __name__ == "__main__":
    harness.main("net_ddp", "bridge")
