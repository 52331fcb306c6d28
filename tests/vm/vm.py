# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's drivers of NICs that QEMU emulates, plain and with net_ddp in front: what works, as a table. For scripts/vm."""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import guest
from guest import MAC, TREE, Failed, Guest, Here

sys.path[:0] = [str(TREE / "tests" / "e2e"), str(TREE / "tests" / "library")]
import packets  # noqa: E402
from packets import eth, ipv4, packet, tcp, udp, vlan  # noqa: E402
from support.harness import pcap_frames  # noqa: E402

CTL, FWD, PLUGIN, POWER = guest.BUILT
LOG = "/run/ddp-vm.log"
QUEUES = 4
PACKETS = 2000
PPS = 2500
N = 8  # packets that ask one question
OTHER, GROUP = "02:00:00:00:bb:01", "01:00:5e:01:02:03"
KEY = "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa"  # net_ddp's own
NEW_KEY = KEY[8:] + KEY[:8]
MARKER = 0xffff  # the packet behind those that may be filtered

# name: QEMU's device, its queues in QEMU's view (a tap interface) or 0, the Rx queues of the plain driver.
NICS = {
    "net_e1000_igb": ("igb", 0, QUEUES),
    "net_virtio": ("virtio-net-pci,rss=on,hash=on,disable-legacy=on,iommu_platform=on", QUEUES, QUEUES),
    "net_e1000_em": ("e1000e", 0, 1),
    "net_vmxnet3": ("vmxnet3", 0, QUEUES),
    "net_e1000_igb_vf": ("igb", 0, 1),
    "here": ("igb", 0, QUEUES),
}
WORDS = {"net_e1000_igb_vf": "sriov", "here": "here"}
# name: net_ddp's arguments behind the profile; none is the driver alone.
CASES = {"plain": None, "auto": "", "off": ",offload=off", "require": ",offload=require", "decap": ",decap=on",
         "balance": ",balance=on", "malformed": ""}


class Red(Exception):
    """The answer is wrong, and this is how."""


class Missing(Exception):
    """The driver cannot do this, and said so."""


def check(fact, wanted, what):
    if fact != wanted:
        raise Red(f"{what}: {fact}, not {wanted}")


def numbered(frames):
    """The frames for the NIC's address, each from an address with its number."""
    return [packets.mac(MAC) + bytes.fromhex("02000001") + i.to_bytes(2, "big") + frame[12:].ljust(48, b"\0")
            for i, frame in enumerate(frames)]


def question(dst=MAC, vid=None, n=N, size=60, number=0):
    """Frames of one flow: one of them cannot overtake another."""
    tag = [] if vid is None else [vlan(vid)]
    frame = packet(eth(f"02:00:00:01:{number >> 8:02x}:{number & 255:02x}", dst), *tag, ipv4("10.1.0.1"), udp(), bytes(size - 60))
    return [frame.ljust(60, b"\0")] * n


def flows(n=64):
    return numbered([packet(eth(), ipv4(f"10.2.0.{i}"), udp(5000 + i), bytes(32)) for i in range(n)])


def all_kinds():
    from support import odd_frames  # builds thousands of frames
    return numbered(odd_frames.MADE + odd_frames.LIES)


def ddpctl(frames, *options):
    """The prediction of ddpctl for each frame, with the length after decap."""
    key = (b"".join(frames), options)
    if key not in predictions:
        with tempfile.TemporaryDirectory(prefix="ddp-vm-") as folder:
            capture, bare = pathlib.Path(folder, "frames.pcap"), pathlib.Path(folder, "bare.pcap")
            capture.write_bytes(packets.pcap(frames))
            answers = [json.loads(line) for line in subprocess.run(
                [CTL, "classify", "gtpu", capture, "--jsonl", f"--queues={QUEUES}", "--decap", "-w", bare, *options],
                check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()]
            for answer, (frame, _) in zip(answers, pcap_frames(bare)):
                answer["bare_size"] = len(frame)
                answer["hash"] = int(str(answer["hash"]), 0) if answer.get("hash") is not None else None
        predictions[key] = answers
    return predictions[key]


predictions = {}  # by frames and options
PRINTED = re.compile(r"src=02:00:00:01:(?P<number>\S+) - .*? - length=(?P<size>\d+) - nb_segs=\d+"
                     r"(?: - RSS hash=0x(?P<hash>[0-9a-f]+))?.* - Receive queue=0x(?P<queue>[0-9a-f]+)", re.IGNORECASE)


class Run:
    """A testpmd on the NIC, plain or with net_ddp in front."""

    def __init__(self, machine, nic, case):
        self.guest, self.nic, self.case = machine, nic, case
        self.ddp = CASES[case] is not None
        self.queues = QUEUES if self.ddp else NICS.get(nic, NICS["here"])[2]
        self.address = self.guest.address
        self.status = None
        if self.ddp:
            self.eal = f"-l 0,1 -a 0000:00:00.0 --vdev 'net_ddp0,dev({self.address}),profile=gtpu{CASES[case]}'"
        else:
            self.eal = f"-l 0,1 -a {self.address}"

    def start(self):
        self.started = self.guest.testpmd(
            f"-d {PLUGIN} {self.eal} -- -i --disable-link-check --rxq={self.queues} --txq={self.queues} --nb-cores=1 "
            f"--total-num-mbufs=8192 --rxd=512 --txd=512 {'' if self.case == 'off' else '--hot-plug'}")
        if "Fail to start port" in self.started:
            self.end()
            raise Failed(self.started)
        address = self.info("MAC address")
        if ":" not in address:
            raise Failed("testpmd prints no MAC address")
        self.guest.mac = packets.mac(address)
        self.cmd("set fwd rxonly")
        self.cmd("set verbose 1")
        self.cmd("start")
        self.wait_link("up")

    def cmd(self, line):
        return self.guest.cmd(line)

    def end(self):
        if self.status is None:
            self.status = self.guest.quit()

    def try_cmd(self, line):
        """A command that the driver may refuse."""
        answer = self.cmd(line)
        if re.search(r"not supported|ENOTSUP|-95|fail|error|bad|invalid|please", answer.partition("\n")[2], re.IGNORECASE):
            raise Missing(" ".join(answer.partition("\n")[2].split())[:60])
        return answer

    def info(self, what):
        match = re.search(rf"{what}: *(.*)", self.cmd("show port info 0"))
        return match[1] if match else "0"

    def wait_link(self, state, seconds=20):
        end = time.monotonic() + seconds
        while not re.search(rf"\b{state}\b", self.cmd("show port summary 0")):
            if time.monotonic() > end:
                raise Red(f"link is not {state}")
            time.sleep(0.1)
        if state == "up":
            self.guest.ready()

    def receive(self, frames, wanted=None, seconds=4.0, during=None):
        """Send, and return the packets that arrived by number, until the wanted ones came or none for so long."""
        wanted = set(range(len(frames))) if wanted is None else wanted
        errors = []

        def at_work(function, *args):
            try:
                function(*args)
            except (OSError, Red, Failed) as error:
                errors.append(error)
        got, n_got, quiet = collections.defaultdict(list), 0, time.monotonic()
        threads = [threading.Thread(target=at_work, args=(self.guest.send, frames, PPS, lambda: n_got))]
        if during is not None:
            threads.append(threading.Thread(target=at_work, args=(during,)))
        self.guest.app.text = ""
        for thread in threads:
            thread.start()
        while True:
            self.guest.app.read(0.5 if not wanted <= got.keys() else 0.1)
            before, busy = n_got, any(thread.is_alive() for thread in threads)
            lines, _, self.guest.app.text = self.guest.app.text.rpartition("\n")
            for match in PRINTED.finditer(lines):
                number = int(match["number"].replace(":", ""), 16)
                got[number].append((int(match["hash"], 16) if match["hash"] else None, int(match["queue"], 16),
                                    int(match["size"])))
                n_got += 1
            if busy or n_got > before:
                quiet = time.monotonic()
            if not busy and (wanted <= got.keys() or time.monotonic() > quiet + seconds):
                if errors:
                    raise Red(f"{errors[0]}")
                return got

    def count(self, **how):
        """The number of N such packets that arrive before another one that always does."""
        got = self.receive(question(**how) + question("ff:ff:ff:ff:ff:ff", n=1, number=MARKER), {MARKER})
        check(len(got[MARKER]), 1, "broadcasts")
        return len(got[0])

    def predicted(self, frames, *options, during=None):
        """Receive the frames, compare each with the prediction; (right, had a hash, sent)."""
        got = self.receive(frames, during=during)
        if not self.ddp:
            return sum(len(one) == 1 for one in got.values()), sum(one[0][0] is not None for one in got.values())
        right, wrong = 0, []
        for i, want in enumerate(ddpctl(frames, *options)):
            have = got.get(i, [])
            expected = (want["hash"], want["queue"], want["bare_size"] if self.case == "decap" else len(frames[i]))
            if self.case == "balance":  # which may have moved the entry
                have, expected = [(one[0], one[2]) for one in have], (expected[0], expected[2])
            if have == [expected]:
                right += 1
            else:
                wrong.append(f"{want.get('type')}: {have or 'lost'}, not {expected}")
        self.wrong = wrong
        return right, self.counted()[0]

    def counted(self, *names):
        """Statistics since the last call: by default how many packets the NIC hashed."""
        text = self.cmd("show port xstats 0")
        self.cmd("clear port xstats 0")
        return [int((re.search(rf"\b{name}: (\d+)", text) or (0, 0))[1]) for name in names or ["rx_offloaded"]]


# The rows: each returns what to print, or raises Red or Missing.

def compare(run, frames, *options, during=None):
    right, hashed = run.predicted(frames, *options, during=during)
    answer = f"{right}/{len(frames)} ({hashed})"
    if right < len(frames):
        raise Red(answer + ("; " + "; ".join(run.wrong[:3]) if run.ddp else ""))
    return answer


def row_link(run):
    try:
        run.guest.link("down")
        run.wait_link("down", 5)
    except Red as error:
        if not isinstance(run.guest, Here):
            raise
        raise Missing("the link stays when that of its peer is off") from error
    finally:
        run.guest.link("up")
    run.wait_link("up")
    check(run.count(), N, "packets after link up")


def row_stop_start(run):
    restart(run)
    check(run.count(), N, "packets")


def restart(run, *between):
    for line in ("stop", "port stop 0", *between, "port start 0", "start"):
        run.try_cmd(line) if line in between else run.cmd(line)
    run.wait_link("up")


def row_mtu(run):
    for mtu in (1400, 1500):
        run.try_cmd(f"port config mtu 0 {mtu}")
        check(run.info("MTU"), str(mtu), "MTU")
        check(run.count(size=mtu), N, f"packets at MTU {mtu}")
    try:
        restart(run, "port config mtu 0 1900")
        check(run.count(size=1900), N, "packets at MTU 1900")
    finally:
        restart(run, "port config mtu 0 1500")


@contextlib.contextmanager
def only_own(run):
    run.try_cmd("set promisc 0 off")
    try:
        yield
    finally:
        run.cmd("set promisc 0 on")


def row_promiscuous(run):
    with only_own(run):
        check(run.count(), N, "own")
        check(run.count(dst=OTHER), 0, "foreign, off")
    check(run.count(dst=OTHER), N, "foreign, on")


def row_mac(run):
    with only_own(run):
        run.try_cmd(f"mac_addr add 0 {OTHER}")
        check(run.count(dst=OTHER), N, "added")
        run.try_cmd(f"mac_addr remove 0 {OTHER}")
        check(run.count(dst=OTHER), 0, "removed")


def row_multicast(run):
    with only_own(run):
        check(run.count(dst=GROUP), 0, "unknown group")
        run.try_cmd(f"mcast_addr add 0 {GROUP}")
        check(run.count(dst=GROUP), N, "added")
        run.try_cmd(f"mcast_addr remove 0 {GROUP}")
        check(run.count(dst=GROUP), 0, "removed")
        run.try_cmd("set allmulti 0 on")
        check(run.count(dst=GROUP), N, "all multicast")
        run.try_cmd("set allmulti 0 off")
        check(run.count(dst=GROUP), 0, "not all")


def row_vlan(run):
    check(run.count(vid=5), N, "no filter")
    run.try_cmd("vlan set filter on 0")
    try:
        check(run.count(vid=5), 0, "filter")
        run.try_cmd("rx_vlan add 5 0")
        check(run.count(vid=5), N, "added")
        run.try_cmd("rx_vlan rm 5 0")
        check(run.count(vid=5), 0, "removed")
    finally:
        run.cmd("vlan set filter off 0")
    check(run.count(vid=5), N, "filter off")


def row_key(run):
    run.try_cmd(f"port config 0 rss-hash-key ipv4 {NEW_KEY}")
    try:
        answer = compare(run, flows(), f"--key={NEW_KEY}")
    finally:
        run.cmd(f"port config 0 rss-hash-key ipv4 {KEY}")
    return answer


def row_table(run):
    """Redirect the entries of some flows to the next queue."""
    size = int(run.info("Redirection table size"))
    before = run.receive(flows(N))
    if not size or any(one[0][0] is None for one in before.values()):
        raise Missing("no table, or no hash in mbufs")
    entries = {one[0][0] % size: one[0][1] for one in before.values()}

    def write(add):
        run.try_cmd("port config 0 rss reta " + ",".join(f"({i},{(q + add) % run.queues})" for i, q in entries.items()))
    write(1)
    try:
        after = run.receive(flows(N))
        check({i: one[0][1] for i, one in after.items()},
              {i: (entries[one[0][0] % size] + 1) % run.queues for i, one in before.items()}, "queues")
    finally:
        write(0)


def row_queue_stop(run):
    frames = flows()
    queues = {i: one[0][1] for i, one in run.receive(frames).items()}

    def change(what):
        run.cmd("stop")
        try:
            run.try_cmd(f"port 0 rxq 1 {what}")
        finally:
            run.cmd("start")
    others = {i for i, queue in queues.items() if queue != 1}
    change("stop")
    try:
        check(set(run.receive(frames, others)), others, "packets of other queues")
    finally:
        change("start")
    got = {i: one[-1][1] for i, one in run.receive(frames).items()}  # the first may have waited
    check(got, queues, "queues after start")


def row_port_set(run):
    """Profiles change while packets flow; each packet arrives once."""
    def change():
        for profile in ("gtpu+vxlan", "gtpu"):
            status, out = run.guest.run(f"{CTL} port set net_ddp0 {profile}")
            check(status, 0, out.strip() or "ddpctl")
    got = run.receive(run.traffic, during=change)
    check(sum(len(one) == 1 for one in got.values()), len(run.traffic), "packets")


def row_reset(run):
    try:
        restart(run, "port reset 0")
        check(run.count(), N, "packets")
    finally:
        run.cmd("start")


def row_reset_event(run):
    """The physical function goes and comes: its virtual one reports it, and works again after a reset."""
    run.guest.app.text = ""
    run.guest.run("for word in down up; do ip link set eth0 $word; done")
    try:
        run.guest.app.until("reset event", 10)
    except Failed:
        raise Red("no event") from None
    row_reset(run)


def row_unplug(run):
    """The last one: testpmd has no port then, and quits. The NIC comes back."""
    run.guest.unplug()
    try:
        if run.case == "off":  # without --hot-plug testpmd gets no event
            time.sleep(2)
            check(run.info("Link status") in ("up", "down"), True, "testpmd answers")
        else:
            said = run.guest.app.until(r"Now total ports is \d\nDone\n|Failed to detach", 30)
            time.sleep(3 if "Failed" in said else 0)  # it goes on forwarding then
            check("Failed" in said, False, "fails to detach")
        if run.case == "auto":
            # testpmd's alarm goes on forwarding with the port that is left: a quit meanwhile never ends.
            run.guest.app.until(r"nb forwarding ports=\d", 10)
            run.guest.app.write("show port info 0\n")  # its prompt is not whole now
            check(run.guest.app.until(r"Link status: \w+").split()[-1], "down", "link of the port that is left")
    finally:
        run.end()
        run.guest.plug()


def row_interrupts(run):
    """Threads of DPDK's l3fwd-power sleep until a queue wakes them, with packets one by one. After testpmd."""
    run.end()
    if not POWER.exists():
        raise Missing("l3fwd-power cannot be built (package dpdk-doc)")
    config = ",".join(f"(0,{q},{q % 2})" for q in range(run.queues))
    options = f"-p 1 -P --interrupt-only --parse-ptype --config='{config}'"
    if run_beside(run, f"{POWER} -d {PLUGIN} {run.eal} -- {options}", "entering main"):
        raise Missing(run.guest.run(f"grep -ai 'cause\\|error\\|cannot' {LOG} | tail -n 2")[1].strip())
    run.guest.sent(0.1)
    frames = flows()
    run.guest.send(frames, 100)
    n_back = sum(len(frame) == len(frames[0]) for frame in run.guest.sent(2.0))
    output = run.guest.run(f"kill -INT $(pidof vm-l3fwd-power); {ENDED}; grep -a 'waked up' {LOG}")[1]
    # A thread that is awake reads all its queues: each is woken, but not always by each of its queues.
    woken = {int(q) % 2 for q in re.findall(r"is waked up from rx interrupt on port 0 queue (\d+)", output)}
    check((n_back, len(woken)), (len(frames), min(run.queues, 2)), "packets forwarded, threads woken")


def run_beside(run, command, word):
    """Start a program in place of testpmd, and wait for its word and the link; whether it has ended."""
    run.guest.mac = b"\xff" * 6  # a virtual function may have another address now
    run.guest.run(f"rm -f {LOG}; ({command} >{LOG} 2>&1; echo ended >>{LOG}) & disown; for i in {{1..600}}; do "
                  f"grep -qs '{word}\\|^ended' {LOG} && break; sleep .1; done; sleep 4")
    return run.guest.run(f"grep -q ^ended {LOG}")[0] == 0


def row_fwd(run):
    """ddp-fwd sends back what it receives, and its queues have what ddpctl predicts."""
    run.end()
    if run_beside(run, f"{FWD} {run.eal} -- --rxq {QUEUES} --fwd mac --stats 1 --json /run/ddp-vm.json", "Mpps"):
        raise Red(run.guest.run(f"tail -n 3 {LOG}")[1])
    run.guest.sent(0.1)
    back = []
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        executor.submit(run.guest.sent, 3.0, back)
        run.guest.send(run.traffic, PPS, lambda: len(back))
    report = json.loads(run.guest.run(f"kill -INT $(pidof ddp-fwd); {ENDED}; cat /run/ddp-vm.json")[1])
    sent = {frame[12:] for frame in run.traffic}
    counts = collections.Counter(answer["queue"] for answer in ddpctl(run.traffic))
    check([row["packets"] for row in report["queues"]], [counts[q] for q in range(QUEUES)], "packets of queues")
    n_back = sum(frame[12:] in sent for frame in back)
    check(n_back, len(run.traffic), "forwarded")
    return f"{n_back}/{len(run.traffic)}"


def row_malformed(run):
    """The share of good TCP packets that the NIC hashes: before, beside and after 1,000 packets a second that say TCP
    and are too short for it."""
    good = numbered([packet(eth(), ipv4(f"10.3.0.{i}"), tcp(5000 + i), bytes(20)) for i in range(32)])
    bad = numbered([packet(eth(), ipv4("10.9.0.1", proto=6))])

    def hashed(seconds, *pattern):
        """(the part that the NIC hashed, packets)"""
        frames = [good[i % len(good)] if one == "good" else bad[0] for i in range(int(seconds * 500)) for one in pattern]
        run.counted()
        run.guest.send(frames, 500 * len(pattern))
        time.sleep(0.5)
        n_hashed, n = run.counted("rx_offloaded", "rx_good_packets")
        if n < 0.9 * len(frames):
            raise Red(f"{n} of {len(frames)} packets arrived")
        return n_hashed, n

    def share(seconds):
        n_hashed, n = hashed(seconds, "good")
        return n_hashed / n
    run.cmd("set verbose 0")
    try:
        hashed(0.5, "good")
        before = share(2)
        if not before:
            raise Missing("the NIC hashes no TCP packets")
        restart(run)  # no type is proven
        seconds = 60 if run.case == "malformed" else 3
        for pattern in (["bad", "bad"], ["good", "bad", "bad"]):
            hashed(1, *pattern)
        n_hashed, n = hashed(seconds, "good", "bad", "bad")
        bad_hashed, n_bad = hashed(1, "bad", "bad")
        beside = (n_hashed - bad_hashed / n_bad * n * 2 / 3) / (n / 3)
        after = share(2)
    finally:
        run.cmd("set verbose 1")
    answer = f"{before:.0%}, {beside:.0%}, {after:.0%}"
    if min(beside, after) < before / 2:
        raise Red(answer)
    return answer


ENDED = f"until grep -q ^ended {LOG}; do sleep .1; done"
ROWS = {"prediction, 5G": lambda run: compare(run, run.traffic),
        "prediction, all kinds": lambda run: compare(run, run.kinds), "link off, on": row_link,
        "stop, start": row_stop_start, "MTU": row_mtu, "promiscuous": row_promiscuous, "MAC addresses": row_mac,
        "multicast": row_multicast, "VLAN filter": row_vlan, "RSS key": row_key, "redirection table": row_table,
        "queue stop, start": row_queue_stop, "port set, traffic": row_port_set, "malformed beside": row_malformed,
        "reset": row_reset, "reset event": row_reset_event, "hot unplug": row_unplug, "Rx interrupts": row_interrupts,
        "ddp-fwd": row_fwd}
# Rows of some cases only.
ONLY = {"port set, traffic": [case for case in CASES if case not in ("plain", "malformed")], "malformed beside": ["auto", "malformed"],
        "reset event": ["plain", "auto"], "hot unplug": ["plain", "auto", "off"], "Rx interrupts": ["plain", "auto"],
        "ddp-fwd": ["auto"]}


def asked(run):
    """Rows for the case and NIC."""
    for name, row in ROWS.items():
        if run.case in ONLY.get(name, [] if run.case == "malformed" else CASES):
            if name != "reset event" or run.nic == "net_e1000_igb_vf":
                yield name, row


def recover(run):
    """Start testpmd again if it receives nothing any more: the next rows are others' answers."""
    with contextlib.suppress(Red, Failed):
        if run.status is None and run.count() == N:
            return
    if run.status is None:
        run.end()
        run.status = None
        run.start()


def try_case(run):
    """{row: (verdict, text)}"""
    start, cells = time.monotonic(), {}
    try:
        run.start()
        cells["start"] = ("ok", "ok", time.monotonic() - start)
    except (Failed, Red) as error:
        reason = re.findall(r"net_ddp0?: .*", str(error))
        cells["start"] = ("missing", reason[-1] if reason else str(error)[-300:], None)
        say(f"{run.nic:17} {run.case:8} does not start: {cells['start'][1]}")
        if isinstance(run.guest, Guest):
            run.guest.run("kill -9 $(pidof dpdk-testpmd) 2>/dev/null")
        return cells
    for name, row in asked(run):
        begin = time.monotonic()
        try:
            cells[name] = ("ok", row(run) or "ok")
        except (Missing, Red, Failed) as error:
            cells[name] = ("missing" if isinstance(error, Missing) else "red", str(error))
            recover(run)
        verdict, text = cells[name]
        cells[name] = (verdict, text, time.monotonic() - begin)
        say(f"{run.nic:17} {run.case:8} {name:24} {verdict}: {text} ({cells[name][2]:.1f} s)")
    try:
        run.end()
        cells["exit status"] = ("ok", "ok", None) if run.status == 0 else ("red", str(run.status), None)
    except Failed as error:
        cells["exit status"] = ("red", str(error), None)
    cells["seconds"] = ("ok", f"{time.monotonic() - start:.0f}", None)
    return cells


def try_nic(root, nic, cases, folder):
    """(table, whether net_ddp is worse)"""
    device, queues, _ = NICS[nic]
    with contextlib.closing(Guest(root, folder, device, queues, WORDS.get(nic, ""))) as machine:
        say(f"{nic}: guest is up after {machine.boot_seconds:.0f} s, by {'KVM' if guest.has_kvm() else 'TCG'}")
        return try_here(machine, cases) if nic == "here" else try_cases(machine, nic, cases)


def try_here(machine, cases):
    """This program again, in a guest with two NICs."""
    machine.shell.write(f"{sys.executable} -B {__file__} - --here {machine.address} --peer 0000:02:00.0 {' '.join(cases)} 2>&1; "
                        "echo END-$?-\n")
    lines = []
    while not (lines and lines[-1].startswith("END-")):
        lines.append(machine.shell.until("\n", 600).rstrip())
        say(lines[-1])
    start = next((i for i, line in enumerate(lines) if line.startswith("|")), 0)
    return lines[start:-1], lines[-1] != "END-0-"


def try_cases(machine, nic, cases):
    answers = {case: try_case(Run(machine, nic, case)) for case in cases}
    worse = list(judge(nic, answers))
    return [*table(nic, answers), "", *(f"worse: {nic}, {one}" for one in worse)], bool(worse)


def say(line):
    print(line, flush=True)


def judge(nic, answers):
    """Results of net_ddp that are worse than the driver's alone, or not as predicted."""
    plain = answers.get("plain", {})
    for case, cells in answers.items():
        for row, (verdict, text, _) in cells.items():
            refused = case == "require" and row == "start" and "offload=require, but" in text
            if verdict == "red" and case == "plain" or refused:
                continue
            if verdict == "red" and plain.get(row, "ok")[0] != "red" or (
                    verdict == "missing" and plain.get(row, ("missing",))[0] == "ok"):
                yield f"{case}, {row}: {text}"


def table(nic, answers):
    """Rows with the same answers are one."""
    rows = {}
    for row in ("start", *ROWS, "exit status", "seconds"):
        texts = []
        for cells in answers.values():
            verdict, text, _ = cells.get(row, ("missing", "", None))
            words = text.partition("; ")[0][:60]
            texts.append({"ok": words, "red": f"**{words}**", "missing": "-" if text else ""}[verdict])
        if any(texts):
            rows.setdefault(tuple(texts), []).append(row)
    yield f"| {nic} | " + " | ".join(answers) + " |"
    yield "|---" * (len(answers) + 1) + "|"
    for texts, names in rows.items():
        yield f"| {'; '.join(names)} | " + " | ".join(texts) + " |"


def build_power():
    sys.path.insert(0, str(TREE / "tests/clients"))
    import examples
    examples.build_folder = POWER.parent
    built = POWER if POWER.exists() else examples.build("l3fwd-power")
    if isinstance(built, pathlib.Path):
        built.rename(POWER)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--here")
    parser.add_argument("--peer")
    parser.add_argument("words", nargs="*")
    args = parser.parse_intermixed_args()
    nics = [one for one in args.words if one in NICS] or [one for one in NICS if one != "here"]
    cases = [one for one in args.words if one in CASES] or [one for one in CASES if one != "malformed"]
    folder, start = tempfile.mkdtemp(prefix="ddp-vm-"), time.monotonic()

    def terminate(*_):  # QEMU dies with its thread of ours
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, terminate)
    build_power()
    capture = pathlib.Path(folder, "traffic.pcap")
    subprocess.run([sys.executable, guest.TRAFFIC, "-o", capture, "--kind", "mix", "--ues", "200", "--packets", str(PACKETS)], check=True)
    Run.traffic, Run.kinds = numbered(frame for frame, _ in pcap_frames(capture)), all_kinds()

    def attempt(nic):
        try:
            return try_nic(args.root, nic, cases, folder)
        except Failed as error:
            return [f"worse: {nic}: {error}"], True
    try:
        if args.here:
            with contextlib.closing(Here(args.here, args.peer or args.here[:-1] + str(int(args.here[-1]) ^ 1))) as machine:
                results = [try_cases(machine, args.here, cases)]
        else:
            with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("DDP_VM_GUESTS", "2"))) as executor:
                results = list(executor.map(attempt, nics))
    except Failed as error:
        results = [([f"worse: {error}"], True)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for lines, _ in results:
        print("", *lines, sep="\n")
    print(f"\n{time.monotonic() - start:.0f} s")
    return any(worse for _, worse in results)


if __name__ == "__main__":
    sys.exit(main())
