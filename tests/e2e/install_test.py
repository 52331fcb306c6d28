#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An installation by `meson install` works by itself: nothing in it knows of the build, EAL takes the plugin from the
folder it is in, programs and plugin find the profiles, and ddp-fwd and EAL load the same plugin once.
The plugins export what the public header declares and testpmd needs; apps/example is built and runs as users have it."""

import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unittest

from support import eal, fwd, harness, testpmd
from support.harness import SOURCE_ROOT

QUEUES = 4
PROGRAM = """#include <rte_pmd_ddp.h>
#include <stdio.h>

int main(void) {
	char name[64];

	printf("%d\\n", rte_pmd_ddp_ptype_name(0, 1, name, sizeof(name)));
	return 0;
}
"""
N_FIRST = 100  # packets that the example receives before it exchanges profiles
NO_PORT = "-19\n"  # -ENODEV: it was called, and there is no EAL

root = None  # value of DESTDIR
prefix = None  # of the installation, below it
driver = None  # the plugin, in a folder of EAL's


def setUpModule():
    global root, prefix, driver
    if not eal.home_folders():
        harness.skip("no folder for plugins that EAL would load them from")
    root = pathlib.Path(tempfile.mkdtemp(prefix="ddp-install-", dir=eal.home_folders()[0]))
    unittest.addModuleCleanup(shutil.rmtree, root)
    build = pathlib.Path(harness.tools["ddpctl"]).parents[2]
    harness.output_of("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
    [program] = root.rglob("bin/ddp-fwd")
    prefix = program.parents[1]
    [driver] = [path for path in root.rglob("pmds-*/librte_net_ddp.so.*") if not path.is_symlink()]
    harness.tools.update({"ddp-fwd": str(program), "ddpctl": str(program.with_name("ddpctl")),
                          "net_ddp": str(driver.parent)})
    os.environ["DDP_PROFILE_PATH"] = str(prefix / "share" / "ddp" / "profiles")
    os.environ.pop("LD_LIBRARY_PATH", None)  # with which meson leads to the build


class Files(harness.TestCase):
    def names(self, below):
        return sorted(str(path.relative_to(below)) for path in below.rglob("*") if not path.is_dir())

    def test_all_profiles_are_there(self):
        installed = self.names(prefix / "share" / "ddp" / "profiles")
        source = [name for name in self.names(SOURCE_ROOT / "profiles")
                  if name.endswith((".yaml", ".schema.json"))]
        self.assertEqual(installed, source)
        self.assertEqual(self.names(prefix / "share" / "ddp" / "schema"),
                         self.names(SOURCE_ROOT / "apps" / "ctl" / "schema"))

    def test_manual_pages_completions_and_documents_are_there(self):
        share = prefix / "share"
        self.assertEqual(self.names(share / "man"), [
            "man1/ddp-exporter.1", "man1/ddp-fwd.1", "man1/ddpctl.1", "man5/ddp-profile.5", "man7/ddp-operations.7", "man7/ddp-packages.7",
            "man7/ddp-plan.7", "man7/net_ddp.7"])
        self.assertEqual(self.names(share / "bash-completion"), [
            "completions/ddp-exporter", "completions/ddpctl"])
        self.assertEqual(self.names(share / "zsh"), [
            "site-functions/_ddp-exporter", "site-functions/_ddpctl"])
        self.assertEqual(self.names(share / "doc"), [f"ddpsteer/{name}" for name in (
            "CHANGELOG.md", "LICENSE", "README.md", "TUTORIAL.md", "scripts/demo.svg")])
        self.assertEqual(self.names(share / "ddpsteer"), ["ddp-fwd.conf", *(f"monitoring/{name}" for name in (
            "alerts.yml", "alerts_test.yml", "dashboard.json"))])

    def test_units_start_the_installed_programs(self):
        units = {path.name: path.read_text() for path in (prefix / "lib" / "systemd" / "system").iterdir()}
        self.assertEqual(set(units), {"ddp-exporter.service", "ddp-fwd@.service"})
        for name, text in units.items():
            program = re.search(r"(?m)^ExecStart=/(\S+)", text)[1]
            self.assertTrue((root / program).is_file(), (name, program))
        self.assertEqual(self.names(prefix / "lib" / "tmpfiles.d"), ["ddpsteer.conf"])

    def test_a_build_without_tests_is_set_up(self):
        """The demo and the packages are built so."""
        harness.output_of("meson", "setup", self.folder / "build", SOURCE_ROOT, "-Dtests=false")

    def test_nothing_knows_of_the_build(self):
        for path in root.rglob("*"):
            if path.is_file():
                self.assertNotIn(str(SOURCE_ROOT).encode(), path.read_bytes(), path)

    def test_profiles_are_looked_for_where_they_are(self):
        """Without DDP_PROFILE_PATH, and nowhere else: here they are below DESTDIR, and so not found."""
        env = {name: value for name, value in os.environ.items() if name != "DDP_PROFILE_PATH"}
        result = harness.ddpctl("check", "gtpu", env=env)
        searched = re.search(r"profile 'gtpu' not found in (/\S+) \(No such .*\) \(DDP_PROFILE_PATH adds folders\)\n", result.stderr)
        if searched is None:  # by chance the same version is installed on this machine
            self.assertEqual(result.returncode, 0, result.stderr)
            return
        self.assertTrue((root / searched[1].lstrip("/") / "gtpu.yaml").exists(), searched[1])

    def test_a_program_is_built_against_the_public_header(self):
        source, program = self.folder / "program.c", self.folder / "program"
        source.write_text(PROGRAM)
        [pc] = root.rglob("librte_net_ddp.pc")
        env = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}
        flags = harness.output_of("pkg-config", "--cflags", "--libs", "librte_net_ddp", env=env).split()
        installed = "/" + str(prefix.relative_to(root))
        flags = [re.sub(f"^(-[IL]){installed}", rf"\1{prefix}", flag) for flag in flags]
        harness.output_of("cc", "-o", program, source, *flags, f"-Wl,-rpath,{pc.parents[1]}")
        self.assertEqual(harness.output_of(program), NO_PORT)


class Programs(fwd.TestCase):
    """Run from there, on a capture that the build's ddpctl knows the spread of."""

    def setUp(self):
        self.n3 = self.traffic("--ues", 50)
        self.vdev = fwd.vdev(self.n3.name, "profile=gtpu", "overflow=wait")

    def fwd_run(self, *options):
        """Messages of ddp-fwd and its port in a run that puts each packet where it belongs."""
        report = self.folder / "report.json"
        words = self.command([self.vdev], "--rxq", QUEUES, "--json", report)
        words[1:1] = options
        result = harness.run(*words, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        spread = harness.simulate("gtpu", self.n3, "--queues", QUEUES)
        self.check_spread(json.loads(report.read_text()), spread)
        return result.stderr

    def test_ddp_fwd_runs_on_the_installed_plugin(self):
        loaded = harness.output_of("ldd", harness.tools["ddp-fwd"])
        path = re.search(r"librte_net_ddp\.so\S* => (\S+)", loaded)[1]
        self.assertEqual(pathlib.Path(path).resolve(), driver)
        self.assertNotIn("has the driver already", self.fwd_run())

    def test_ddp_fwd_and_eal_load_the_same_plugin_once(self):
        """EAL's folder of drivers, the plugin by its path and by its link in the folder of libraries."""
        [link] = [path for path in root.rglob("librte_net_ddp.so") if path.parent != driver.parent]
        for path in (driver.parent, driver, link):
            self.assertNotIn("has the driver already", self.fwd_run("-d", path))

    @unittest.skipIf(shutil.which(testpmd.PROGRAM) is None, "dpdk-testpmd is not installed")
    def test_testpmd_with_eals_folder_of_drivers_has_the_port(self):
        pmd = testpmd.Testpmd(self, [self.vdev], f"--rxq={QUEUES}", f"--txq={QUEUES}", prefix="ddp")
        listed = harness.output_of(harness.tools["ddpctl"], "port", "list", "--json",
                                   env=eal.environment(self.folder))
        [port] = json.loads(listed)
        self.assertEqual((port["name"], port["version"], port["profiles"]),
                         ("net_ddp0", harness.version(), ["gtpu"]))
        pmd.quit()


def exported(path):
    """name@@version of each symbol that a plugin defines."""
    lines = harness.output_of("nm", "-D", "--defined-only", path).splitlines()
    symbols = [line.split()[1:] for line in lines]
    return sorted(symbol for kind, symbol in symbols if kind != "A")  # A: the versions themselves


class Symbols(unittest.TestCase):
    """Another symbol might take the place of an application's own, and one without a version cannot be replaced later."""

    def test_the_plugin_exports_what_its_header_declares(self):
        header = (SOURCE_ROOT / "plugin" / "port" / "state" / "rte_pmd_ddp.h").read_text()
        declared = re.findall(r"(?m)^int (rte_pmd_ddp_\w+)\(", header)
        self.assertEqual(exported(driver), sorted(f"{name}@@DDP_1.0" for name in declared))

    def test_the_bridge_exports_what_testpmd_asks_for(self):
        bridges = [path for path in root.rglob("librte_ddp_testpmd.so*") if not path.is_symlink()]
        if not bridges:
            self.skipTest("this DPDK has no net_i40e, so there is no bridge")
        symbols = exported(bridges[0])
        self.assertTrue(symbols)
        for symbol in symbols:
            self.assertRegex(symbol, r"^rte_pmd_i40e_\w+@@DPDK_\d+$")
        program = shutil.which(testpmd.PROGRAM)
        if program is None:
            self.skipTest("dpdk-testpmd is not installed")
        undefined = harness.output_of("nm", "-D", "--undefined-only", program)
        for symbol in symbols:
            self.assertIn(" " + symbol.replace("@@", "@") + "\n", undefined)

    def test_thread_local_data_are_static_and_small(self):
        """libc allocates other ones when a thread first uses them, and aborts the application when it cannot; all
        plugins of a process share 1664 bytes (glibc) of static ones."""
        if re.search("__[at]san_init", harness.output_of("nm", "-D", driver)):
            self.skipTest("a sanitizer has thread-local data of its own")
        relocations = harness.output_of("readelf", "-rW", driver)
        segments = harness.output_of("readelf", "-lW", driver)
        self.assertRegex(relocations, "TPOFF|TPREL")
        self.assertNotRegex(relocations, "DTPMOD|TLSDESC")
        self.assertLessEqual(int(re.search(r"(?m)^\s+TLS\s+(?:\S+\s+){4}(\S+)", segments)[1], 16), 1200)


class Example(harness.TestCase):
    """apps/example, as built here and as a user builds it against the build folder."""

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
        result, _ = self.printed(harness.tools["ddp-example"], "nothing")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(re.search("profile 'nothing' not found", result.stderr), result.stderr)

    def test_it_is_built_against_the_build_folder_and_runs(self):
        build = pathlib.Path(harness.tools["ddp-example"]).parents[2]
        program = self.folder / "example"
        pc = f"{build}/meson-uninstalled:{os.environ.get('PKG_CONFIG_PATH', '')}"
        flags = harness.output_of("pkg-config", "--cflags", "--libs", "librte_net_ddp",
                                  env={**os.environ, "PKG_CONFIG_PATH": pc})
        harness.output_of(*shlex.split(os.environ.get("CC", "cc")), "-Werror", "-o", program,
                          SOURCE_ROOT / "apps/example/main.c", *shlex.split(flags))
        self.check(program, LD_LIBRARY_PATH=f"{build}/plugin/port")


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "ddp-example")
