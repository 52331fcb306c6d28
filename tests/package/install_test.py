#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ddpctl package on the files of a machine that each test makes: find, list, install, undo.

    install_test.py path/to/ddpctl"""

import json
import lzma
import os
import pathlib
import resource
import shutil
import stat
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402

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
                      ["--kernel", "../x"], ["--serial", DASHES, "--device", ADDRESS], ["x.pkg"],
                      ["--dry-run"]):
            with self.subTest(words):
                result = harness.ddpctl("package", "find", *words)
                self.assertEqual(result.returncode, USAGE)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        result = harness.ddpctl("package", "find", "--root", self.root / "nowhere")
        self.assertEqual(result.returncode, UNREADABLE)


class Install(Machine):
    def setUp(self):
        super().setUp()
        self.distribution()
        self.nic()
        self.file = self.put("/tmp/comms.pkg", package("Comms"))
        self.newer = self.put("/tmp/newer.pkg", package("Newer", (1, 3, 45, 0)))

    def test_both_drivers_load_what_was_installed_until_it_is_undone(self):
        before = self.tree()
        text = self.expect(GOOD, "install", self.file, "--device", "81:00.0").stdout
        self.assertIn(f"{UPDATES}/{OWN}: Comms 1.3.30.0 (Comms)\nnew: nothing was there", text)
        self.assertIn("next: ", text)
        self.assertIn(f"undo: ddpctl package undo --serial {DASHES} --root {self.root}", text)
        self.assertEqual(set(self.loads("--serial", DASHES).values()), {f"{UPDATES}/{OWN}"})
        self.assertEqual(set(self.loads("--serial", OTHER).values()), {f"{BASE}/ice.pkg"})
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())
        text = self.expect(GOOD, "undo", "--serial", DASHES).stdout
        self.assertIn("removed, as nothing was there before", text)
        self.assertEqual(self.tree(), before)
        self.assertIn("there is nothing to undo", self.refused(NO, "undo", "--serial", DASHES))

    def test_two_installs_are_undone_one_by_one(self):
        self.put(f"{UPDATES}/{OWN}", package("Mine"))
        first = self.tree()
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        second = self.tree()
        result = self.json(GOOD, "install", self.newer, "--serial", DASHES)
        self.assertEqual((result["file"], result["backup"], result["changed"]),
                         (f"{UPDATES}/{OWN}", f"{UPDATES}/{OWN}.ddpctl-2", True))
        self.assertEqual(result["package"]["version"], "1.3.45.0")
        listed = {one["file"]: one for one in self.json(GOOD, "list")}
        self.assertEqual(listed[f"{UPDATES}/{OWN}"]["undo"], 2)
        self.expect(GOOD, "undo", "--serial", DASHES)
        self.assertEqual(self.tree(), second)
        result = self.json(GOOD, "undo", "--serial", DASHES)
        self.assertEqual(result["restored"], f"{UPDATES}/{OWN}.ddpctl-1")
        self.assertEqual(self.tree(), first)

    def test_a_link_is_replaced_and_comes_back(self):
        self.put(f"{UPDATES}/ice-1.3.36.0.pkg", package("Vendor"))
        self.link(f"{UPDATES}/ice.pkg", "ice-1.3.36.0.pkg")
        before = self.tree()
        text = self.expect(GOOD, "install", self.file, "--all-devices").stdout
        self.assertIn("replaced: what was there is kept as", text)
        self.assertFalse(self.path(f"{UPDATES}/ice.pkg").is_symlink())
        self.assertEqual(self.path(f"{UPDATES}/ice-1.3.36.0.pkg").read_bytes(), package("Vendor"))
        self.assertEqual(set(self.loads("--serial", DASHES).values()), {f"{UPDATES}/ice.pkg"})
        self.expect(GOOD, "undo", "--all-devices")
        self.assertEqual(self.tree(), before)

    def test_devices_with_a_package_of_their_own_are_named(self):
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        text = self.expect(GOOD, "install", self.newer, "--all-devices").stdout
        self.assertIn(f"but {DASHES}, which has {UPDATES}/{OWN}", text)

    def test_the_same_again_changes_nothing(self):
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        before = self.tree()
        self.assertIn("nothing to do", self.expect(GOOD, "install", self.file, "--serial",
                                                   DASHES).stdout)
        self.assertEqual(self.tree(), before)

    def test_dry_run_changes_nothing(self):
        before = self.tree()
        text = self.expect(GOOD, "install", self.file, "--serial", DASHES, "--dry-run").stdout
        self.assertIn("would be new", text)
        self.assertNotIn("next:", text)
        self.assertEqual(self.tree(), before)
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        before = self.tree()
        self.assertIn("would be removed", self.expect(GOOD, "undo", "--serial", DASHES,
                                                      "--dry-run").stdout)
        self.assertFalse(self.json(GOOD, "undo", "--serial", DASHES, "--dry-run")["changed"])
        self.assertEqual(self.tree(), before)

    def test_packed_packages_are_unpacked(self):
        packed = self.put("/tmp/comms.pkg.xz", lzma.compress(self.file.read_bytes()))
        self.expect(GOOD, "install", packed, "--serial", DASHES)
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())
        cut = self.put("/tmp/cut.pkg.xz", packed.read_bytes()[:-20])
        self.assertIn("cut short", self.refused(UNREADABLE, "install", cut, "--serial", DASHES))

    def test_packed_with_zstd_they_are_too(self):
        if shutil.which("zstd") is None:
            self.skipTest("zstd is not installed")
        packed = self.path("/tmp/comms.pkg.zst")
        harness.output_of("zstd", "-q", self.file, "-o", packed)
        self.expect(GOOD, "install", packed, "--serial", DASHES)
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), self.file.read_bytes())

    def test_what_no_driver_takes_is_not_installed(self):
        rows = {
            "1.2 is too old": package(version=(1, 2, 9, 0)),
            "2.3 is too new": package(version=(2, 3, 0, 0)),
            "it is no package": b"\x7fELF",
            "too few for a package": b"",
        }
        for reason, content in rows.items():
            with self.subTest(reason):
                file = self.put("/tmp/bad.pkg", content)
                told = self.refused(NO, "install", file, "--serial", DASHES)
                self.assertIn(reason, told)
                self.assertIn("bad.pkg: not installed: ", told)
        self.nic(device=0x12d2)
        self.assertIn("no segment 0x17, which this device takes",
                      self.refused(NO, "install", self.file, "--device", ADDRESS))
        self.refused(UNREADABLE, "install", self.root / "nowhere.pkg", "--serial", DASHES)
        self.refused(UNREADABLE, "install", self.root, "--serial", DASHES)

    def test_for_which_device_has_to_be_said(self):
        for words in ([], ["--all-devices", "--serial", DASHES],
                      ["--device", ADDRESS, "--serial", DASHES]):
            with self.subTest(words):
                self.assertIn("for which device?", self.refused(USAGE, "install", self.file, *words))
                self.assertIn("for which device?", self.refused(USAGE, "undo", *words))
        self.nic(serial=None)
        self.assertIn("has no serial number",
                      self.refused(NO, "install", self.file, "--device", ADDRESS))

    def test_what_linux_would_not_load_is_not_installed_for_it(self):
        self.put("/sys/module/firmware_class/parameters/path", "/opt/firmware\n")
        self.put(f"/opt/firmware/intel/ice/ddp/{OWN}", package("Custom"))
        told = self.refused(NO, "install", self.file, "--serial", DASHES)
        self.assertIn(f"would still load /opt/firmware/intel/ice/ddp/{OWN}", told)
        self.expect(GOOD, "install", self.file, "--serial", DASHES, "--driver", "dpdk")
        self.assertEqual(self.loads("--serial", DASHES),
                         {"kernel": f"/opt/firmware/intel/ice/ddp/{OWN}",
                          "dpdk": f"{UPDATES}/{OWN}"})

    def test_list_says_what_is_there_and_for_whom(self):
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        listed = [(one["file"], one["for"], one["serial"], one["undo"], one["package"]["name"])
                  for one in self.json(GOOD, "list")]
        self.assertEqual(listed, [
            (f"{UPDATES}/{OWN}", "one", DASHES, 1, "Comms"),
            (f"{BASE}/ice-1.3.30.0.pkg", "none", None, 0, "OS"),
            (f"{BASE}/ice.pkg", "all", None, 0, "OS"),
            ("/lib/firmware/intel/ice/ddp-comms/ice_comms-1.3.31.0.pkg", "none", None, 0, "Comms"),
        ])
        text = self.expect(GOOD, "list").stdout
        self.assertEqual(len(text.splitlines()), 5)
        self.assertIn(f"{UPDATES}/{OWN}", text)

    def test_a_name_from_a_file_does_not_drive_the_terminal(self):
        self.put(f"{UPDATES}/{OWN}", package("\x1b[2J"))
        self.assertNotIn("\x1b", self.expect(GOOD, "list").stdout)
        self.assertNotIn("\x1b", self.expect(GOOD, "find", "--serial", DASHES).stdout)


class Interrupted(Machine):
    """With no more room than for a part of the package."""

    ROOM = 2048

    def setUp(self):
        super().setUp()
        self.distribution()
        self.file = self.put("/tmp/comms.pkg", package("Comms"))
        self.put(f"{UPDATES}/{OWN}", package("Mine"))

    def limit(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.ROOM, self.ROOM))

    def test_without_room_all_stays_as_it_was(self):
        # A write then fails, as Python ignores the signal.
        told = self.refused(UNREADABLE, "install", self.file, "--serial", DASHES,
                            preexec_fn=self.limit, restore_signals=False)
        self.assertIn("cannot write: File too large", told)

    def test_killed_while_it_writes_the_old_package_stays(self):
        before = self.tree()
        result = self.ddpctl("install", self.file, "--serial", DASHES, preexec_fn=self.limit)
        self.assertLess(result.returncode, 0)
        self.assertEqual(set(self.loads("--serial", DASHES).values()), {f"{UPDATES}/{OWN}"})
        self.assertEqual(self.path(f"{UPDATES}/{OWN}").read_bytes(), package("Mine"))
        self.assertNotEqual(self.tree(), before)  # there is a part of the new one
        self.expect(GOOD, "install", self.file, "--serial", DASHES)
        self.expect(GOOD, "undo", "--serial", DASHES)
        self.assertEqual(self.tree(), before)

    def test_where_there_can_be_no_folder_it_says_so(self):
        shutil.rmtree(self.path("/lib/firmware/updates"))
        self.put("/lib/firmware/updates", "a file")
        told = self.refused(UNREADABLE, "install", self.file, "--serial", DASHES)
        self.assertIn(f"{UPDATES}: error: cannot make: Not a directory", told)


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
        self.expect(GOOD, "install", self.comms, "--serial", DASHES)
        self.assertIn("ICE COMMS Package 1.3.31.0 (Comms)",
                      self.expect(GOOD, "find", "--serial", DASHES).stdout)

    def test_an_altered_package_is_refused(self):
        content = bytearray(self.comms.read_bytes())
        content[12608 + 56 + 5 * 4096 + 1000] ^= 1  # in a buffer that goes to the device
        altered = self.put("/tmp/altered.pkg", bytes(content))
        self.assertIn("the device will refuse it", self.refused(NO, "install", altered, "--serial",
                                                               DASHES))
        self.put(f"{UPDATES}/{OWN}", bytes(content))
        self.assertIn("the device will refuse it",
                      self.expect(NO, "find", "--serial", DASHES).stdout)


if __name__ == "__main__":
    harness.main("ddpctl")
