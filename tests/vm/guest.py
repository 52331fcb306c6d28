# SPDX-License-Identifier: BSD-3-Clause
"""Hosts of testpmd: a guest of QEMU with one emulated NIC, or this machine with a NIC of its own."""

import contextlib
import fcntl
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]
MODULES = ("virtio_pci", "virtio_console", "vfio_iommu_type1", "vfio-pci", "igb")
DRIVERS = ("bus_pci", "bus_vdev", "mempool_ring", "net_e1000", "net_virtio", "net_vmxnet3")
BUILT = [TREE / "build" / name for name in (
    "apps/ctl/ddpctl", "apps/fwd/ddp-fwd", "plugin/port/librte_net_ddp.so", "vm-l3fwd-power")]
TRAFFIC = TREE / "tests/traffic/ddp-traffic"
MEGABYTES = 1536
HUGEPAGES = 320
MAC = "02:00:00:00:aa:00"
PF_MAC = "02:00:00:00:cc:00"  # of the other end, and of the physical function if its virtual function is tried
TAP = "tap-ddp"
TUNSETIFF = 0x400454ca
TAP_FLAGS = 0x0002 | 0x1000 | 0x0100 | 0x4000  # TAP, NO_PI, MULTI_QUEUE, VNET_HDR
PROMPT = re.compile(r"testpmd(\s*Port \d+: [^\n]* event\s*)*> ")  # an event may stand within it
WINDOW = 128
SILENCE = 2
SO_RCVBUFFORCE = 33
SECONDS = 180  # for a command or a start; far more than they take on a quiet machine


class Failed(Exception):
    """The guest, or a program in it, did not do what it should."""


def cpio(files):
    """An archive in format newc, of {name: (mode, bytes, time)}."""
    out = []
    for i, (name, (mode, data, seconds)) in enumerate([*files.items(), ("TRAILER!!!", (0, b"", 0))]):
        name = name.encode() + b"\0"
        head = "070701" + "".join(f"{n:08x}" for n in (
            i + 1, mode, 0, 0, 1, seconds, len(data), 0, 0, 0, 0, len(name), 0))
        out += [head.encode(), name, bytes(-(110 + len(name)) % 4), data, bytes(-len(data) % 4)]
    return b"".join(out)


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


def host_files(with_python):
    """testpmd, our programs, and all that they need; with Python, the modules of this process, too."""
    plugins = next(pathlib.Path("/usr/lib").glob("*/dpdk/pmds-*"))
    files = [shutil.which(name) for name in ("dpdk-testpmd", "bash", "stdbuf", "ip")]
    files += [plugins / f"librte_{name}.so" for name in DRIVERS]
    files += [path for path in (*BUILT, *pathlib.Path("/usr/libexec/coreutils").glob("*.so")) if path.exists()]
    texts = ["/etc/ld.so.cache", TRAFFIC, *(TREE / "profiles").glob("*.*")]
    if with_python:
        files.append(sys.executable)
        for module in list(sys.modules.values()):
            paths = [getattr(module, name, None) for name in ("__file__", "__cached__")]
            (files if str(paths[0]).endswith(".so") else texts).extend(
                path for path in paths if path and os.path.exists(path))
    ldd = subprocess.run(["ldd", *files], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {os.path.normpath(path) for path in (*map(str, files), *map(str, texts), *re.findall(r"(/\S+) \(0x", ldd))}


def initramfs(root, with_python):
    """The guest's whole file system: the host's files at their own paths."""
    files = {}

    def put(name, mode, data=b"", seconds=0):
        parent = os.path.dirname(name)
        if parent and parent not in files:
            put(parent, 0o40755)
        files[name] = (mode, data, int(seconds))
    for name in ("proc", "sys", "dev/hugepages", "run", "tmp", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64"):
        put(name, 0o40755)
    for name, target in (("bin", "usr/bin"), ("sbin", "usr/sbin"), ("lib", "usr/lib"), ("lib64", "usr/lib64"), ("var/run", "/run")):
        put(name, 0o120777, target.encode())
    for path in sorted(host_files(with_python)):
        real = os.path.realpath(path)
        name = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        state, data = os.stat(real), pathlib.Path(real).read_bytes()
        if "/pmds-" in name and not any(f"librte_{driver}.so" in name for driver in DRIVERS):
            name = real = os.path.normpath(f"{name}/../../../{os.path.basename(name)}")  # linked, but not for EAL to load
        if name != real:
            put(name[1:], 0o120777, real.encode())
        put(real[1:], stat.S_IFREG | (state.st_mode & 0o755), data, state.st_mtime)
    modules = kernel_modules(root)
    put("init", 0o100755, (HERE / "init").read_bytes())
    put("usr/bin/busybox", 0o100755, (root / "usr/bin/busybox").read_bytes())
    put("modules/order", 0o100644, "".join(f"{name}\n" for name, _ in modules).encode())
    for name, data in modules:
        put(f"modules/{name}", 0o100644, data)
    return cpio(files)


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
    """One end of a stream: of a character device of QEMU, or of a process."""

    def __init__(self, end, nudge=""):
        """nudge: what to type after SILENCE seconds. Emulated, an interrupt may be lost, and the next one helps."""
        self.socket, self.nudge = end, nudge
        self.text, self.heard = "", time.monotonic()

    @classmethod
    def at(cls, path, *nudge):
        end = socket.socket(socket.AF_UNIX)
        for _ in range(100):
            with contextlib.suppress(OSError):
                end.connect(str(path))
                return cls(end, *nudge)
            time.sleep(0.1)
        raise Failed("QEMU does not start")

    def write(self, text):
        self.socket.settimeout(SILENCE)
        try:
            self.socket.sendall(text.encode())
        except TimeoutError:
            raise Failed("the guest hangs: nothing reads its console") from None

    def read(self, seconds):
        """Whether something came."""
        end = time.monotonic() + seconds
        while True:
            self.socket.settimeout(max(min(end - time.monotonic(), SILENCE), 0.001))
            with contextlib.suppress(TimeoutError):
                data = self.socket.recv(65536)
                break
            if self.nudge and time.monotonic() > self.heard + SILENCE:
                self.write(self.nudge)
                self.heard = time.monotonic()
            if time.monotonic() >= end:
                return False
        self.heard = time.monotonic()
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


class Machine:
    """A shell, testpmd's console, and the frames of the NIC's other end."""

    mac = None  # the NIC's, in place of MAC
    process = None
    fd3 = ""  # how a shell opens testpmd's console as its descriptor 3
    last_resort = ""

    def close(self):
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for name in ("shell", "app", "monitor", "frames"):
            if hasattr(self, name):
                end = getattr(self, name)
                getattr(end, "socket", end).close()

    def ready(self):
        """Wait until the other end can send."""

    def run(self, command, seconds=SECONDS):
        """(exit status, output) of a command in the shell."""
        self.shell.text = ""
        self.shell.write(f"{command}\necho END-$?-\n")
        out = self.shell.until(r"END-\d+-", seconds)
        out, status = re.fullmatch(r"(?s)(.*)END-(\d+)-", out).groups()
        return int(status), out

    def testpmd(self, arguments):
        """Start it, and return what it says up to its prompt."""
        self.shell.text = self.app.text = ""
        self.shell.write(f"({self.fd3} stdbuf -oL dpdk-testpmd {arguments} <&3 >&3 2>&3; echo testpmd-rc=$?) & disown\n")
        return self.prompt()

    def prompt(self, seconds=SECONDS):
        """testpmd's words up to its prompt."""
        end = time.monotonic() + seconds
        while not (match := PROMPT.search(self.app.text)):
            self.app.read(0.2)
            self.shell.read(0.001)
            ended = "testpmd-rc=" in self.shell.text
            if ended or time.monotonic() > end:
                while self.app.read(0.2):
                    pass
                raise Failed(("testpmd ended: " if ended else "no prompt: ") + self.app.text[-3000:] + self.shell.text[-300:])
        out, self.app.text = self.app.text[:match.start()], self.app.text[match.end():]
        return out

    def cmd(self, line, seconds=SECONDS):
        """testpmd's answer to a command."""
        self.app.write(line + "\n")
        return self.prompt(seconds)

    def quit(self):
        """The exit status of testpmd. It cannot end while nobody reads what it says."""
        self.app.write("quit\n")
        for last_resort in (self.last_resort, ""):
            end = time.monotonic() + 40
            while time.monotonic() < end:
                self.app.read(0.2)
                self.shell.read(0.2)
                if match := re.search(r"testpmd-rc=(\d+)\n", self.shell.text):
                    while self.app.read(0.2):
                        pass
                    return int(match[1])
            self.shell.write(last_resort)
        raise Failed("testpmd does not end: " + self.app.text[-800:])

    def send(self, frames, pps, n_arrived=None):
        """Paced, with WINDOW under way: a burst overruns the ring of many an emulated NIC, and QEMU does not count that."""
        ours, start, n_lost = bytes.fromhex(MAC.replace(":", "")), time.monotonic(), 0
        self.frames.settimeout(8)
        for i, frame in enumerate(frames):
            if (early := start + i / pps - time.monotonic()) > 0.001:
                time.sleep(early)
            end = time.monotonic() + 2
            while n_arrived and i - n_lost - n_arrived() >= WINDOW:
                if time.monotonic() > end:
                    n_lost = i - n_arrived()
                time.sleep(0.002)
            self.frames.send(self.mac + frame[6:] if self.mac and frame.startswith(ours) else frame)

    def sent(self, seconds, out=None):
        """The frames that come from the NIC, until none came for so long."""
        out = [] if out is None else out
        self.frames.settimeout(seconds)
        with contextlib.suppress(TimeoutError):
            while True:
                out.append(self.frames.recv(65536))
        return out

    def bind(self, address):
        """A NIC that was plugged in to vfio-pci. Its own driver may come first."""
        device = f"/sys/bus/pci/devices/{address}"
        self.run(f"for i in {{1..100}}; do [ -e {device} ] && break; sleep .1; done; for i in {{1..100}}; do "
                 f"[ {device}/driver -ef /sys/bus/pci/drivers/vfio-pci ] && break; echo vfio-pci >{device}/driver_override; "
                 f"[ ! -e {device}/driver ] || echo {address} >{device}/driver/unbind; "
                 f"echo {address} >/sys/bus/pci/drivers_probe; sleep .1; done")


class Here(Machine):
    """This machine: frames come from the network interface of a second port, which is cabled to the NIC."""

    def __init__(self, address, peer):
        self.address = address
        nets = list(pathlib.Path(f"/sys/bus/pci/devices/{peer}").glob("net/*"))
        if not os.path.exists(f"/sys/bus/pci/devices/{address}") or not nets:
            raise Failed(f"there is no {address}, or {peer} has no network interface of the kernel")
        self.peer = nets[0].name
        self.frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.frames.bind((self.peer, 0))
        self.frames.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        (shell, its_shell), (app, its_app) = (socket.socketpair() for _ in range(2))
        self.shell, self.app = Console(shell), Console(app)
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], stdin=its_shell, stdout=its_shell, stderr=its_shell,
            pass_fds=[its_app.fileno()], start_new_session=True)
        self.run(f"exec 3<&{its_app.fileno()}; ip link set {self.peer} addrgenmode none; "
                 f"ip link set {self.peer} up promisc on mtu 9000")
        its_shell.close(), its_app.close()

    def ready(self):
        self.run(f"for i in {{1..100}}; do grep -qs 1 /sys/class/net/{self.peer}/carrier && break; sleep .1; done")
        self.frames.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)  # that it was down before

    def link(self, state):
        self.run(f"ip link set {self.peer} {state}")

    def unplug(self):
        self.driver = os.path.basename(os.readlink(f"/sys/bus/pci/devices/{self.address}/driver"))
        self.shell.write(f"echo 1 >/sys/bus/pci/devices/{self.address}/remove &\n")

    def plug(self):
        self.run(f"while [ -e /sys/bus/pci/devices/{self.address} ]; do sleep .1; done; echo 1 >/sys/bus/pci/rescan")
        if self.driver == "vfio-pci":
            self.bind(self.address)


class Guest(Machine):
    """A running guest. Its QEMU ends with this process, whatever ends it."""

    fd3 = "exec 3<>/dev/vport*p1;"
    last_resort = "kill -9 $(pidof dpdk-testpmd)\n"

    def __init__(self, root, folder, device, queues=0, word=""):
        """A NIC with several queues, in QEMU's view, is a tap interface; others exchange datagrams.

        word: "sriov" for a virtual function of it, "here" for two, joined, the second with the kernel's driver."""
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.word = word
        try:
            self.start(root, device, queues)
        except BaseException as error:
            log = self.folder / "log"
            words = log.read_text(errors="replace")[-500:] if log.exists() else ""
            self.close()
            if isinstance(error, Failed):
                raise Failed(f"{error}: {words}") from None
            raise

    def start(self, root, device, queues):
        start, folder, peer, fds = time.monotonic(), self.folder, [], []
        (folder / "initramfs").write_bytes(initramfs(root, self.word == "here"))
        netdev = (f"dgram,id=net,local.type=unix,local.path={folder}/guest,"
                  f"remote.type=unix,remote.path={folder}/host")
        if queues:
            fds = [self.open_tap() for _ in range(queues)]
            for words in (["addrgenmode", "none"], ["up", "mtu", "9000", "txqueuelen", "50000"]):
                subprocess.run(["ip", "link", "set", TAP, *words], check=True)
            self.frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            self.frames.bind((TAP, 0))
            netdev = f"tap,id=net,fds={':'.join(map(str, fds))},vhost=off"
            device += f",mq=on,vectors={2 * queues + 2}"
        elif self.word == "here":
            netdev = "hubport,id=net,hubid=0"
            peer = ["-device", "pcie-root-port,id=peerslot,chassis=2,slot=2,addr=11", "-netdev", "hubport,id=peer,hubid=0",
                    "-device", f"{device},netdev=peer,bus=peerslot,mac={PF_MAC},romfile="]
        else:
            self.frames = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.frames.bind(str(folder / "host"))
        self.device = f"{device},id=nic,netdev=net,bus=nicslot,mac={PF_MAC if self.word == 'sriov' else MAC},romfile="
        kvm = has_kvm()
        append = (f"console=ttyS0 quiet no_timer_check panic=-1 intel_iommu=on mitigations=off hugepages={HUGEPAGES} "
                  f"guest={self.word}")
        command = [
            "setpriv", "--pdeathsig", "KILL", *qemu(root),
            *(("-accel", "kvm", "-cpu", "host") if kvm else ("-accel", "tcg,thread=multi", "-cpu", "max,la57=off")),
            "-M", "q35,kernel-irqchip=split" if kvm else "q35", "-m", str(MEGABYTES), "-smp", "2",
            "-nodefaults", "-display", "none", "-no-reboot",
            "-kernel", next(root.glob("boot/vmlinuz-*")), "-initrd", folder / "initramfs", "-append", append,
            "-device", "intel-iommu,caching-mode=on,intremap=on",
            "-chardev", f"socket,id=shell,path={folder}/shell,server=on,wait=off", "-serial", "chardev:shell",
            "-chardev", f"socket,id=app,path={folder}/app,server=on,wait=off",
            "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=app,nr=1",
            "-qmp", f"unix:{folder}/monitor,server=on,wait=off",
            "-device", "pcie-root-port,id=nicslot,chassis=1,slot=1,addr=10", "-netdev", netdev, "-device", self.device, *peer]
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(list(map(str, command)), pass_fds=fds, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        for fd in fds:
            os.close(fd)
        self.shell, self.app, self.monitor = (
            Console.at(folder / name, *nudge) for name, *nudge in (["shell"], ["app", "\x0b"], ["monitor"]))
        self.monitor.until("QMP")
        self.qmp("qmp_capabilities")
        self.shell.until("guest is up", 240)
        if hasattr(self, "frames") and not queues:
            self.frames.connect(str(folder / "guest"))
        self.run(f"export HOME=/run DDP_PROFILE_PATH={TREE}/profiles")
        self.address = self.run("ls /sys/bus/pci/drivers/vfio-pci | grep ^0000")[1].strip()
        self.boot_seconds = time.monotonic() - start

    @staticmethod
    def open_tap():
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", TAP.encode(), TAP_FLAGS))
        return fd

    def qmp(self, command, **arguments):
        self.monitor.write(json.dumps({"execute": command, "arguments": arguments}))
        return self.monitor.until(r'\{"(return|error)".*\n')

    def link(self, state):
        self.qmp("set_link", name="nic", up=state == "up")

    def unplug(self):
        if self.word == "sriov":
            self.shell.write(f"echo 0 >{self.numvfs()} &\n")
        else:
            self.qmp("device_del", id="nic")

    def plug(self):
        if self.word == "sriov":
            self.run(f"while ! echo 1 >{self.numvfs()}; do sleep .1; done 2>/dev/null; "
                     f"ip link set $(ls {os.path.dirname(self.numvfs())}/net) vf 0 mac {MAC}")
        else:
            self.monitor.until("DEVICE_DELETED.*nic", 20)
            self.qmp("human-monitor-command", **{"command-line": f"device_add {self.device}"})
        self.bind(self.address)

    def numvfs(self):
        return f"/sys/bus/pci/devices/{self.address.rpartition(':')[0]}:00.0/sriov_numvfs"
