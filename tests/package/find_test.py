#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl package find on the files of a machine that each test makes.

    find_test.py path/to/ddpctl"""

import json
import lzma
import os
import pathlib
import shutil
import stat
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import harness  # noqa: E402

GOOD, NO, USAGE, UNREADABLE = range(4)

SERIAL = 0x00ccbbffffaa0568
DASHES = "00-cc-bb-ff-ff-aa-05-68"
OWN = f"ice-{SERIAL:016x}.pkg"
OTHER = "40-a6-b7-ff-ff-12-34-56"
ADDRESS = "0000:81:00.0"
KERNEL = "6.1.0-18-amd64"
UPDATES = "/lib/firmware/updates/intel/ice/ddp"
BASE = "/lib/firmware/intel/ice/ddp"
OS_DEFAULT, COMMS = 0xc0000001, 0xc0000002


def package(name="Tiny", version=(1, 3, 30, 0), track_id=COMMS, segment=0x10):
    """As small as it can be: one segment with one buffer with the identity."""
    identity = struct.pack("<4B28sI", *version, name.encode(), track_id)
    buffer = struct.pack("<HHIHH", 1, 12 + len(identity), 1, 12, len(identity)) + identity
    buffer = buffer.ljust(4096, b"\0")
    header = struct.pack("<I4BI32s", segment, 1, 0, 0, 0, 56 + len(buffer), b"")
    return struct.pack("<4BII", 1, 0, 0, 0, 1, 12) + header + struct.pack("<III", 0, 0, 1) + buffer


class Machine(harness.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ddp-machine-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def path(self, name):
        return self.root / name.lstrip("/")

    def put(self, name, content):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def link(self, name, target):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def nic(self, address=ADDRESS, device=0x1592, serial=SERIAL, size=4096):
        config = bytearray(4096)
        struct.pack_into("<I", config, 0x100, 1 | 1 << 16 | 0x150 << 20)
        if serial is not None:
            struct.pack_into("<IQ", config, 0x150, 3 | 1 << 16, serial)
        folder = f"/sys/bus/pci/devices/{address}"
        self.put(f"{folder}/vendor", "0x8086\n")
        self.put(f"{folder}/device", f"0x{device:04x}\n")
        self.put(f"{folder}/config", bytes(config[:size]))

    def distribution(self):
        """What Debian and others install."""
        self.put(f"{BASE}/ice-1.3.30.0.pkg", package("OS", track_id=OS_DEFAULT))
        self.link(f"{BASE}/ice.pkg", "ice-1.3.30.0.pkg")
        self.put("/lib/firmware/intel/ice/ddp-comms/ice_comms-1.3.31.0.pkg", package("Comms"))

    def tree(self):
        """All that there is, with folders and links, and what files hold."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            for name in folders + files:
                path = pathlib.Path(folder) / name
                mode = path.lstat().st_mode
                content = (os.readlink(path) if stat.S_ISLNK(mode) else
                           path.read_bytes() if stat.S_ISREG(mode) else None)
                found[str(path.relative_to(self.root))] = (mode, content)
        return found

    def ddpctl(self, *args, **kwargs):
        return harness.ddpctl("package", *args, "--root", self.root, "--kernel", KERNEL, **kwargs)

    def expect(self, status, *args, **kwargs):
        """Run it; a run that is not good says one line why."""
        result = self.ddpctl(*args, **kwargs)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertNotIn("AddressSanitizer", result.stderr)
        return result

    def refused(self, status, *args, **kwargs):
        """What is said of a run that changes nothing."""
        before = self.tree()
        result = self.expect(status, *args, **kwargs)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(self.tree(), before)
        return result.stderr

    def json(self, status, *args):
        return json.loads(self.expect(status, *args, "--json").stdout)

    def loads(self, *args, status=GOOD):
        """What each driver loads."""
        found, = self.json(status, "find", *args)
        return {driver["driver"]: driver["loads"] for driver in found["drivers"]}


class Find(Machine):
    def test_without_any_package_the_answer_is_safe_mode(self):
        result = self.expect(NO, "find")
        self.assertIn("no 800-series NIC here", result.stdout)
        self.assertEqual(result.stdout.count("safe mode"), 2)
        self.assertIn("safe-mode-support=1", result.stdout)
        self.assertIn("no RSS", result.stdout)
        self.assertIn(f"Linux {KERNEL}, driver ice", result.stdout)
        self.assertEqual(self.loads(status=NO), {"kernel": None, "dpdk": None})

    def test_an_argument_of_dpdks_driver_does_without_a_place(self):
        name = self.put("/root/comms.pkg", package())
        self.assertIn("argument: ADDRESS,ddp_pkg_file=PACKAGE, from DPDK 24.11 on",
                      self.expect(NO, "find").stdout)
        self.nic()
        result = self.expect(NO, "find", name)
        self.assertEqual(result.stdout.count("argument: "), 1)
        self.assertIn(f"argument: {ADDRESS},ddp_pkg_file={name}, from", result.stdout)
        self.assertNotIn("argument: ", self.expect(NO, "find", name, "--driver", "kernel").stdout)

    def test_a_nic_gets_what_the_distribution_installs(self):
        self.distribution()
        self.nic()
        text = self.expect(GOOD, "find").stdout
        self.assertIn(f"device {ADDRESS}, E810-C for QSFP, serial number {DASHES}", text)
        self.assertIn(f"{BASE}/ice.pkg -> {BASE}/ice-1.3.30.0.pkg  loaded  OS 1.3.30.0 (OS default)",
                      text)
        self.assertIn(f"why: no place has {OWN}, the device's own name", text)
        found, = self.json(GOOD, "find")
        self.assertEqual([found[key] for key in ("device", "model", "serial")],
                         [ADDRESS, "E810-C for QSFP", DASHES])
        kernel, dpdk = found["drivers"]
        self.assertEqual((kernel["kernel"], dpdk["kernel"]), (KERNEL, None))
        for driver in found["drivers"]:
            self.assertTrue(driver["good"])
            self.assertEqual(driver["loads"], f"{BASE}/ice.pkg")
            self.assertEqual(driver["otherwise"], driver["loads"])
            loaded, = [one for one in driver["candidates"] if one["state"] == "loaded"]
            self.assertEqual(loaded["package"], {"name": "OS", "version": "1.3.30.0",
                                                 "track_id": "0xc0000001", "track": "OS default"})
        self.assertEqual([one["file"] for one in dpdk["candidates"]],
                         [f"{folder}/{name}{end}" for name in (OWN, "ice.pkg")
                          for folder in (UPDATES, BASE) for end in ("", ".xz", ".zst")])
        self.assertEqual([one["file"] for one in kernel["candidates"]],
                         [f"/lib/firmware{folder}/intel/ice/ddp/{name}{end}"
                          for name in (OWN, "ice.pkg") for end in ("", ".zst", ".xz")
                          for folder in (f"/updates/{KERNEL}", "/updates", f"/{KERNEL}", "")])

    def test_each_nic_is_looked_at(self):
        self.distribution()
        self.nic()
        self.nic("0000:c1:00.0", 0x159b, 0x40a6b7ffff123456)
        self.nic("0000:03:00.0", 0x1572)  # of the 700 series
        self.put(f"{UPDATES}/ice-40a6b7ffff123456.pkg", package(version=(1, 4, 0, 0)))
        found = self.json(NO, "find")
        self.assertEqual([one["device"] for one in found], [ADDRESS, "0000:c1:00.0"])
        self.assertEqual([driver["good"] for one in found for driver in one["drivers"]],
                         [True, True, False, False])
        self.expect(GOOD, "find", "--device", ADDRESS)
        self.expect(NO, "find", "--device", "c1:00.0")
        self.expect(NO, "find", "--serial", OTHER.upper())
        self.assertIn("1.4 is too new: drivers take 1.3 only",
                      self.expect(NO, "find", "--serial", OTHER).stdout)

    def test_a_bad_package_is_not_made_up_for_by_a_good_one(self):
        self.distribution()
        self.put(f"{BASE}/{OWN}", b"no package")
        text = self.expect(NO, "find", "--serial", DASHES).stdout
        self.assertIn("which is no good: no other file is tried", text)

    def test_packed_firmware_depends_on_how_drivers_were_built(self):
        self.put(f"{BASE}/ice.pkg.xz", lzma.compress(package(), check=lzma.CHECK_CRC32))
        text = self.expect(GOOD, "find").stdout
        self.assertIn("otherwise: where DPDK was built without libarchive", text)
        self.assertIn("otherwise: where this kernel was built without support for .xz", text)
        self.put(f"/boot/config-{KERNEL}", "CONFIG_FW_LOADER_COMPRESS_XZ=y\n")
        self.assertNotIn("otherwise", self.expect(GOOD, "find", "--driver", "kernel").stdout)
        self.put(f"/boot/config-{KERNEL}", "# CONFIG_FW_LOADER_COMPRESS is not set\n")
        text = self.expect(NO, "find", "--driver", "kernel").stdout
        self.assertIn("this kernel was built without support for .xz", text)

    def test_an_xz_that_linux_cannot_unpack_is_told(self):
        self.put(f"{BASE}/ice.pkg.xz", lzma.compress(package(), check=lzma.CHECK_CRC64))
        self.assertIn("xz --check=crc32", self.expect(NO, "find", "--driver", "kernel").stdout)
        self.expect(GOOD, "find", "--driver", "dpdk")

    def test_a_serial_number_that_only_root_can_read_is_asked_for(self):
        self.nic(size=64)
        told = self.refused(UNREADABLE, "find")
        self.assertIn("only root can read its serial number (or give it with --serial)", told)
        self.assertIn("only root", self.refused(UNREADABLE, "find", "--device", ADDRESS))

    def test_what_is_no_such_device_is_told(self):
        self.nic("0000:03:00.0", 0x1572)
        self.assertIn("no such PCI device", self.refused(UNREADABLE, "find", "--device", "81:00.0"))
        self.assertIn("not an 800-series NIC", self.refused(NO, "find", "--device", "03:00.0"))

    def test_wrong_usage_is_told(self):
        for words in (["--serial", "00-cc"], ["--device", "eth0"], ["--driver", "i40e"],
                      ["--kernel", "../x"], ["--serial", DASHES, "--device", ADDRESS],
                      ["x.pkg", "y.pkg"], ["--dry-run"]):
            with self.subTest(words):
                result = harness.ddpctl("package", "find", *words)
                self.assertEqual(result.returncode, USAGE)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        result = harness.ddpctl("package", "find", "--root", self.root / "nowhere")
        self.assertEqual(result.returncode, UNREADABLE)


class Install(Machine):
    """The commands that are printed, copied into a shell."""

    def setUp(self):
        super().setUp()
        self.distribution()
        self.nic()
        self.file = self.put("/tmp/comms.pkg", package("Comms"))

    def installs(self, *args, status=GOOD):
        """The command for each driver, as it is printed."""
        text = self.expect(status, "find", *args).stdout
        lines = [line[len("install: "):] for line in text.splitlines()
                 if line.startswith("install: ")]
        found, = self.json(status, "find", *args)
        self.assertEqual(lines, [driver["install"] for driver in found["drivers"]])
        return lines

    def run_in_shells(self, line, cwd=None):
        for shell in ("sh", "bash", "zsh"):
            if shutil.which(shell) is not None:
                harness.output_of(shell, "-c", line, cwd=cwd)

    def test_both_drivers_load_what_the_command_installs(self):
        kernel, dpdk = self.installs(self.file, "--device", "81:00.0")
        self.assertEqual(kernel, dpdk)
        self.assertEqual(kernel, f"install -D -m 644 --backup=numbered -- {self.file} "
                                 f"{self.root}{UPDATES}/{OWN}")
        self.run_in_shells(kernel)
        self.assertEqual(set(self.loads("--serial", DASHES).values()), {f"{UPDATES}/{OWN}"})
        self.assertEqual(set(self.loads("--serial", OTHER).values()), {f"{BASE}/ice.pkg"})
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())

    def test_without_a_package_the_command_has_a_word_in_its_place(self):
        self.assertEqual(self.installs("--serial", DASHES)[0],
                         "install -D -m 644 --backup=numbered -- PACKAGE "
                         f"{self.root}{UPDATES}/{OWN}")
        self.nic(serial=None)
        self.assertTrue(self.installs()[0].endswith(f" PACKAGE {self.root}{UPDATES}/ice.pkg"))

    def test_the_root_itself_is_no_folder_twice(self):
        text = harness.ddpctl("package", "find", "--serial", DASHES).stdout
        self.assertIn(f" PACKAGE {UPDATES}/{OWN}\n", text)

    def test_what_is_replaced_is_kept(self):
        self.put(f"{UPDATES}/{OWN}", package("Mine"))
        harness.output_of("sh", "-c", self.installs(self.file)[0])
        self.assertEqual(self.path(f"{UPDATES}/{OWN}.~1~").read_bytes(), package("Mine"))
        self.assertEqual(set(self.loads().values()), {f"{UPDATES}/{OWN}"})

    def test_a_link_is_replaced_and_not_what_it_leads_to(self):
        self.put(f"{UPDATES}/ice-1.3.36.0.pkg", package("Vendor"))
        self.link(f"{UPDATES}/{OWN}", "ice-1.3.36.0.pkg")
        harness.output_of("sh", "-c", self.installs(self.file)[0])
        self.assertFalse(self.path(f"{UPDATES}/{OWN}").is_symlink())
        self.assertEqual(self.path(f"{UPDATES}/ice-1.3.36.0.pkg").read_bytes(), package("Vendor"))

    def test_names_that_a_shell_would_run_are_quoted(self):
        names = ["r;touch X $(id)", "`touch X`", "it's \"$HOME\"", "a\nb", "-x", "\x1b[2J\u202e"]
        for name in names:
            with self.subTest(name):
                root = pathlib.Path(self.root, "roots", name)
                root.mkdir(parents=True)
                (root / name).write_bytes(self.file.read_bytes())
                result = harness.ddpctl("package", "find", "--serial", DASHES, "--driver", "dpdk",
                                        f"--root=../{name}", "--", name, cwd=root)
                self.assertEqual(result.returncode, NO, result.stderr)
                self.assertNotIn("\x1b", result.stdout)
                line, = [line for line in result.stdout.splitlines()
                         if line.startswith("install: ")]
                harness.output_of("bash", "-c", line[len("install: "):], cwd=root)
                self.assertEqual(sorted(os.listdir(root)), sorted([name, "lib"]))
                self.assertTrue((root / UPDATES.lstrip("/") / OWN).exists())

    def test_packed_packages_are_unpacked(self):
        packed = self.put("/tmp/co mms.pkg.xz", lzma.compress(self.file.read_bytes()))
        self.run_in_shells(self.installs(packed, "--serial", DASHES)[0])
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())
        cut = self.put("/tmp/cut.pkg.xz", packed.read_bytes()[:-20])
        self.assertIn("cut short", self.refused(UNREADABLE, "find", cut, "--serial", DASHES))

    def test_packed_with_zstd_they_are_too(self):
        if shutil.which("zstd") is None:
            self.skipTest("zstd is not installed")
        packed = self.path("/tmp/comms.pkg.zst")
        harness.output_of("zstd", "-q", self.file, "-o", packed)
        self.run_in_shells(self.installs(packed, "--serial", DASHES)[0])
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())

    def test_for_what_no_driver_takes_there_is_no_command(self):
        rows = {
            "1.2 is too old": package(version=(1, 2, 9, 0)),
            "2.3 is too new": package(version=(2, 3, 0, 0)),
            "it is no package": b"\x7fELF",
            "too few for a package": b"",
        }
        for reason, content in rows.items():
            with self.subTest(reason):
                file = self.put("/tmp/bad.pkg", content)
                told = self.refused(NO, "find", file, "--serial", DASHES)
                self.assertIn(reason, told)
                self.assertIn("bad.pkg: not to be installed: ", told)
        self.nic(device=0x12d2)
        self.assertIn("no segment 0x17, which this device takes",
                      self.refused(NO, "find", self.file, "--device", ADDRESS))
        self.refused(UNREADABLE, "find", self.root / "nowhere.pkg", "--serial", DASHES)
        self.refused(UNREADABLE, "find", self.root, "--serial", DASHES)

    def test_what_an_earlier_folder_has_is_what_the_command_replaces(self):
        custom = f"/opt/firmware/intel/ice/ddp/{OWN}"
        self.put("/sys/module/firmware_class/parameters/path", "/opt/firmware\n")
        self.put(custom, package("Custom"))
        kernel, dpdk = self.installs(self.file, "--serial", DASHES)
        harness.output_of("sh", "-c", dpdk)
        self.assertEqual(self.loads("--serial", DASHES),
                         {"kernel": custom, "dpdk": f"{UPDATES}/{OWN}"})
        self.assertEqual(self.path(custom).read_bytes(), package("Custom"))
        harness.output_of("sh", "-c", kernel)
        self.assertEqual(self.path(custom).read_bytes(), self.file.read_bytes())

    def test_a_name_from_a_file_does_not_drive_the_terminal(self):
        self.put(f"{UPDATES}/{OWN}", package("\x1b[2J"))
        self.assertNotIn("\x1b", self.expect(GOOD, "find", "--serial", DASHES).stdout)


class Genuine(Machine):
    def setUp(self):
        super().setUp()
        default = harness.intel_package("ice-1.3.30.0.pkg")
        self.comms = harness.intel_package("ice_comms-1.3.31.0.pkg")
        if not default.exists() or not self.comms.exists():
            self.skipTest(f"no packages in {default.parent}: scripts/packages fetches them")
        self.put(f"{BASE}/ice-1.3.30.0.pkg", default.read_bytes())
        self.link(f"{BASE}/ice.pkg", "ice-1.3.30.0.pkg")

    def test_intels_packages_are_found_and_installed(self):
        self.assertIn("ICE OS Default Package 1.3.30.0 (OS default)", self.expect(GOOD, "find").stdout)
        found, = self.json(GOOD, "find", self.comms, "--serial", DASHES)
        harness.output_of("sh", "-c", found["drivers"][0]["install"])
        self.assertIn("ICE COMMS Package 1.3.31.0 (Comms)",
                      self.expect(GOOD, "find", "--serial", DASHES).stdout)

    def test_an_altered_package_is_refused(self):
        content = bytearray(self.comms.read_bytes())
        content[12608 + 56 + 5 * 4096 + 1000] ^= 1  # in a buffer that goes to the device
        altered = self.put("/tmp/altered.pkg", bytes(content))
        self.assertIn("the device will refuse it", self.refused(NO, "find", altered, "--serial",
                                                               DASHES))
        self.put(f"{UPDATES}/{OWN}", bytes(content))
        self.assertIn("the device will refuse it",
                      self.expect(NO, "find", "--serial", DASHES).stdout)


if __name__ == "__main__":
    harness.main("ddpctl")
