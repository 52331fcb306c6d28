# SPDX-License-Identifier: BSD-3-Clause
"""A guest of QEMU with one emulated NIC: its shell, a testpmd in it, its monitor, and the frames of its NIC."""

import contextlib
import fcntl
import gzip
import json
import lzma
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "vfio_iommu_type1", "vfio-pci", "igb")
MEGABYTES = 1536
HUGEPAGES = 320
MAC = "02:00:00:00:aa:00"
PF_MAC = "02:00:00:00:cc:00"  # if its virtual function is tried
TAP = "tap-ddp"
TUNSETIFF = 0x400454ca
TAP_FLAGS = 0x0002 | 0x1000 | 0x0100 | 0x4000  # TAP, NO_PI, MULTI_QUEUE, VNET_HDR
PROMPT = "testpmd> "
SECONDS = 180  # for a command or a start; far more than they take on a quiet machine


class Failed(Exception):
    """The guest, or a program in it, did not do what it should."""


def cpio(files):
    """An archive in format newc, of (name, mode, bytes)."""
    out = b""
    for i, (name, mode, data) in enumerate([*files, ("TRAILER!!!", 0, b"")]):
        name = name.encode() + b"\0"
        head = "070701" + "".join(f"{n:08x}" for n in (
            i + 1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0))
        out += head.encode() + name + bytes(-(110 + len(name)) % 4) + data + bytes(-len(data) % 4)
    return out


def kernel_modules(root):
    """(file name, bytes) of MODULES and what they depend on, in the order in which to load them."""
    files = {path.name.split(".")[0].replace("-", "_"): path
             for path in root.glob("usr/lib/modules/*/kernel/**/*.ko*")}
    loaded = {}

    def add(name):
        name = name.replace("-", "_")
        if name in loaded or name not in files:  # or in the kernel itself
            return
        data = files[name].read_bytes()
        if files[name].suffix == ".xz":
            data = lzma.decompress(data)
        for needed in re.search(rb"\0depends=([^\0]*)\0", data)[1].decode().split(","):
            add(needed)
        loaded[name] = data
    for name in MODULES:
        add(name)
    return [(f"{name}.ko", data) for name, data in loaded.items()]


def initramfs(root):
    modules = kernel_modules(root)
    files = [(name, 0o40755, b"") for name in ("bin", "proc", "sys", "dev", "host", "modules")]
    files += [("init", 0o100755, (HERE / "init").read_bytes()),
              ("bin/busybox", 0o100755, (root / "usr/bin/busybox").read_bytes()),
              ("modules/order", 0o100644, "".join(f"{name}\n" for name, _ in modules).encode())]
    files += [(f"modules/{name}", 0o100644, data) for name, data in modules]
    return gzip.compress(cpio(files), 1)


def qemu(root):
    """The command: Debian's QEMU in the folder, with its own libraries, or the system's."""
    program = root / "usr/bin/qemu-system-x86_64"
    if not program.exists():
        return ["qemu-system-x86_64"]
    libs = root / "usr/lib/x86_64-linux-gnu"
    return [root / "usr/lib64/ld-linux-x86-64.so.2", "--library-path", f"{libs}:{libs}/pulseaudio", program,
            "-L", root / "usr/share/qemu", "-L", root / "usr/share/seabios"]


def has_kvm():
    """Whether the CPU virtualizes: a /dev/kvm without that cannot run a stock kernel."""
    return (os.access("/dev/kvm", os.R_OK | os.W_OK)
            and re.search(r"^flags.*\b(vmx|svm)\b", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE) is not None)


class Console:
    """One end of a character device of QEMU."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.text = ""
        for attempt in range(100):
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if attempt == 99:
                    raise Failed("QEMU does not start") from None
                time.sleep(0.1)

    def write(self, text):
        self.socket.sendall(text.encode())

    def read(self, seconds):
        """Whether something came."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            return False
        if not data:
            raise Failed("QEMU ended")
        self.text += data.decode(errors="replace").replace("\r", "")
        return True

    def until(self, pattern, seconds=SECONDS):
        """The text up to the end of a match, which is taken away."""
        end = time.monotonic() + seconds
        while not (match := re.search(pattern, self.text)):
            if time.monotonic() > end:
                raise Failed(f"no {pattern!r} in: {self.text[-800:]}")
            self.read(end - time.monotonic())
        out, self.text = self.text[:match.end()], self.text[match.end():]
        return out


class Guest:
    """A running guest. Its QEMU ends with this process, whatever ends it."""

    def __init__(self, root, device, queues=0, sriov=False):
        """A NIC with several queues, in QEMU's view, is a tap interface; others exchange datagrams."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ddp-vm-"))
        self.process = None
        try:
            self.start(root, device, queues, sriov)
        except BaseException as error:
            log = self.folder / "log"
            words = log.read_text(errors="replace")[-500:] if log.exists() else ""
            self.close()
            if isinstance(error, Failed):
                raise Failed(f"{error}: {words}") from None
            raise

    def start(self, root, device, queues, sriov):
        start, folder = time.monotonic(), self.folder
        (folder / "initramfs").write_bytes(initramfs(root))
        fds = [self.open_tap() for _ in range(queues)]
        if queues:
            subprocess.run(["ip", "link", "set", TAP, "up", "mtu", "9000", "txqueuelen", "50000"], check=True)
            self.frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            self.frames.bind((TAP, 0))
            netdev = f"tap,id=net,fds={':'.join(map(str, fds))},vhost=off"
            device += f",mq=on,vectors={2 * queues + 2}"
        else:
            self.frames = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.frames.bind(str(folder / "host"))
            netdev = (f"dgram,id=net,local.type=unix,local.path={folder}/guest,"
                      f"remote.type=unix,remote.path={folder}/host")
        self.is_tap = queues > 0
        self.device = f"{device},id=nic,netdev=net,bus=nicslot,mac={PF_MAC if sriov else MAC},romfile="
        kvm = has_kvm()
        append = (f"console=ttyS0 quiet no_timer_check panic=-1 intel_iommu=on mitigations=off hugepages={HUGEPAGES}"
                  + (" sriov" if sriov else ""))
        command = [
            "setpriv", "--pdeathsig", "KILL", *qemu(root),
            *(("-accel", "kvm", "-cpu", "host") if kvm else ("-accel", "tcg,thread=multi", "-cpu", "max,la57=off")),
            "-M", "q35,kernel-irqchip=split" if kvm else "q35", "-m", str(MEGABYTES), "-smp", "2",
            "-nodefaults", "-display", "none", "-no-reboot",
            "-kernel", next(root.glob("boot/vmlinuz-*")), "-initrd", folder / "initramfs", "-append", append,
            "-device", "intel-iommu,caching-mode=on,intremap=on",
            "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=root,mount_tag=root",
            "-chardev", f"socket,id=shell,path={folder}/shell,server=on,wait=off", "-serial", "chardev:shell",
            "-chardev", f"socket,id=app,path={folder}/app,server=on,wait=off",
            "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=app,nr=1",
            "-qmp", f"unix:{folder}/monitor,server=on,wait=off",
            "-device", "pcie-root-port,id=nicslot,chassis=1,slot=1,addr=10",
            "-netdev", netdev, "-device", self.device]
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(list(map(str, command)), pass_fds=fds, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        for fd in fds:
            os.close(fd)
        self.shell, self.app, self.monitor = (Console(folder / name) for name in ("shell", "app", "monitor"))
        self.monitor.until("QMP")
        self.qmp("qmp_capabilities")
        self.shell.until("guest is up", 240)
        self.boot_seconds = time.monotonic() - start

    @staticmethod
    def open_tap():
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", TAP.encode(), TAP_FLAGS))
        return fd

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        for name in ("shell", "app", "monitor", "frames"):
            if hasattr(self, name):
                end = getattr(self, name)
                getattr(end, "socket", end).close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def qmp(self, command, **arguments):
        self.monitor.write(json.dumps({"execute": command, "arguments": arguments}))
        return self.monitor.until(r'\{"(return|error)".*\n')

    def run(self, command, seconds=SECONDS):
        """(exit status, output) of a command in the guest's shell."""
        self.shell.text = ""
        self.shell.write(f"{command}\necho END-$?-\n")
        out = self.shell.until(r"END-\d+-", seconds)
        out, status = re.fullmatch(r"(?s)(.*)END-(\d+)-", out).groups()
        return int(status), out

    def bind(self, address):
        """A NIC that was plugged in to vfio-pci."""
        device = f"/sys/bus/pci/devices/{address}"
        self.run(f"for i in {{1..100}}; do [ -e {device} ] && break; sleep .1; done; "
                 f"[ ! -e {device}/driver ] || echo {address} >{device}/driver/unbind; "
                 f"echo vfio-pci >{device}/driver_override; echo {address} >/sys/bus/pci/drivers_probe")

    def testpmd(self, arguments):
        """Start it, and return what it says up to its prompt."""
        self.shell.text = self.app.text = ""
        self.shell.write("(exec 3<>/dev/vport*p1; stdbuf -oL dpdk-testpmd " + arguments +
                         " <&3 >&3 2>&3; echo testpmd-rc=$?) & disown\n")
        return self.prompt()

    def prompt(self, seconds=SECONDS):
        end = time.monotonic() + seconds
        while PROMPT not in self.app.text:
            self.app.read(0.2)
            self.shell.read(0.001)
            ended = "testpmd-rc=" in self.shell.text
            if ended or time.monotonic() > end:
                while self.app.read(0.2):
                    pass
                raise Failed(("testpmd ended: " if ended else "no prompt: ") + self.app.text[-3000:])
        out, _, self.app.text = self.app.text.partition(PROMPT)
        return out

    def cmd(self, line, seconds=SECONDS):
        """testpmd's answer to a command."""
        self.app.write(line + "\n")
        return self.prompt(seconds)

    def quit(self):
        """The exit status of testpmd."""
        self.app.write("quit\n")
        status = self.shell.until(r"testpmd-rc=\d+\n")
        return int(re.search(r"testpmd-rc=(\d+)", status)[1])

    def send(self, frames, pps):
        """Paced: a burst overruns the ring of many an emulated NIC, and QEMU does not count that."""
        start = time.monotonic()
        self.frames.settimeout(8)
        for i, frame in enumerate(frames):
            if (early := start + i / pps - time.monotonic()) > 0.001:
                time.sleep(early)
            if self.is_tap:
                self.frames.send(frame)
            else:
                self.frames.sendto(frame, str(self.folder / "guest"))

    def sent(self, seconds):
        """The frames that the guest sent, until none came for so long."""
        self.frames.settimeout(seconds)
        out = []
        with contextlib.suppress(TimeoutError):
            while True:
                out.append(self.frames.recv(65536))
        return out
