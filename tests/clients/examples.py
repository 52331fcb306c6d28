# SPDX-License-Identifier: BSD-3-Clause
"""Rows of DPDK's examples (package dpdk-doc), built as DPDK's documentation says, and of dpdk-test-flow-perf."""

import re
import shlex
import signal
import subprocess

import lab as laboratory
from lab import EXAMPLES, QUEUES, Skip, check, frames_of, harness, need, packets

RULES = 4000
built = {}  # paths by name, or why there is none
build_folder = None  # set by clients.py


def sources(folder):
    """The sources that the example's meson.build names."""
    text = (folder / "meson.build").read_text()
    files = re.search(r"sources = files\((.*?)\)", text, re.DOTALL)[1]
    return [folder / name for name in re.findall(r"'([^']+\.c)'", files)]


def build(name):
    folder = EXAMPLES / name
    if not (folder / "meson.build").exists():
        return Skip(f"no {folder} (package dpdk-doc)")
    program = build_folder / folder.name
    flags = shlex.split(harness.output_of("pkg-config", "--cflags", "libdpdk"))
    libs = shlex.split(harness.output_of("pkg-config", "--libs", "libdpdk"))
    result = subprocess.run(
        ["cc", "-O1", "-w", "-DALLOW_EXPERIMENTAL_API", *flags, f"-I{EXAMPLES / 'common'}",
         f"-I{folder}", *map(str, sources(folder)), "-o", str(program), *libs, "-lm"],
        capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return Skip(f"{name} does not build: {laboratory.reason(result.stderr)}")
    return program


def example(name):
    """The path of the built example."""
    if name not in built:
        built[name] = build(name)
    if isinstance(built[name], Skip):
        raise built[name]
    return built[name]


def small(frames):
    return [frame for frame in frames if len(frame) <= laboratory.MAX_FRAME]


# Layer 3

def l3fwd(lab, lower):
    """Four queues on two lcores; a capture is of a device without the offloads on which l3fwd insists. A tap device with that many queues insists on as many for Tx: a
    plain one has one queue."""
    capture = lab.captures.n3()
    if lower == "tap":
        capture = lab.captures.made("n3-short", small(frames_of(capture))[:2000])
        lab.add(lab.tap())
    else:
        lab.add(lab.pcap(capture, queues=QUEUES))
    (lab.folder / "v4").write_text("R172.16.0.0/12 0\n")
    (lab.folder / "v6").write_text("Rfd00:3::/32 0\n")
    one = not lab.ddp and lower == "tap"
    config = "(0,0,0)" if one else ",".join(f"(0,{q},{1 + q % 2})" for q in range(QUEUES))
    app = lab.start(example("l3fwd"), "-p", "0x1", "-P", "--lookup=lpm", "--config", config,
                    "--rule_ipv4=v4", "--rule_ipv6=v6", "--parse-ptype", n_lcores=1 if one else 3)
    frames = frames_of(capture)
    if lower == "tap":
        lab.wait_started(app)
        lab.inject(app, frames)
    lab.expect(app, len(frames), len(frames))
    lab.expect_spread(app, capture)
    app.end()


def l3fwd_power(lab):
    """Rx interrupts: four queues on two lcores sleep, and frames come one by one. Three of the queues
    are woken by the lcore of the first, which reads their packets."""
    capture = lab.captures.made("n3-few", small(frames_of(lab.captures.n3()))[:400])
    frames = frames_of(capture)
    # A plain tap device has as many Rx queues as Tx queues, one for each lcore.
    config = ",".join(f"(0,{q},{1 + q % 2})" for q in range(QUEUES)) if lab.ddp else "(0,0,0)"
    lab.add(lab.tap())
    app = lab.start(example("l3fwd-power"), "-p", "0x1", "-P", "--interrupt-only", "--config", config,
                    n_lcores=3 if lab.ddp else 1)
    lab.wait_started(app)
    lab.inject(app, frames, pause=0.005)
    lab.expect(app, len(frames))
    lab.expect_spread(app, capture)
    app.end()
    check("RX interrupt won't enable" not in app.output, "Rx interrupts cannot be enabled")
    # A lcore that is awake reads all its queues: so each lcore is woken, but not always by each of its queues.
    woken = re.findall(r"is waked up from rx interrupt on port 0 queue (\d+)", app.output)
    check(len({int(q) % 2 for q in woken}) == (2 if lab.ddp else 1), f"queues woken: {sorted(set(woken))}")


def fragments(n):
    """n datagrams of 1400 bytes in two fragments each, of many addresses, and how many packets."""
    frames = []
    for i in range(n):
        whole = packets.packet(packets.udp(sport=1024 + i), bytes(1392))
        for frag, part in ((0, whole[:800]), (100, whole[800:])):
            head = packets.ipv4(src=f"198.18.{i // 200}.{1 + i % 200}", dst="100.10.0.1", proto=17,
                                id=i + 1, mf=int(frag == 0), frag=frag)
            frames.append(packets.packet(packets.eth(), head, part))
    return frames


def ip_reassembly(lab):
    """It has one queue of a port; both fragments are there, and the datagram is sent. A tap device
    cannot deliver packets for as long as the application needs. Nor a capture: it closes its ports in a
    signal handler, and fclose() waits forever for the fread() that the signal interrupted."""
    frames = fragments(500)
    lab.add(lab.veth())
    app = lab.start(example("ip_reassembly"), "-p", "0x1", "-q", "1", "--maxflows=512",
                    n_lcores=1)
    lab.wait_started(app)
    lab.inject(app, frames)
    lab.expect(app, len(frames), len(frames) // 2)
    app.end()


def ip_fragmentation(lab):
    """Packets longer than 1500 bytes leave in two fragments. Of a capture, as for
    ip_reassembly."""
    body = bytes(1900)
    frames = [packets.packet(packets.eth(), packets.ipv4(src=f"198.18.0.{1 + i % 200}",
                                                         dst="100.10.0.1"), packets.udp(), body)
              for i in range(500)]
    lab.add(lab.pcap(lab.captures.made("long", frames)))
    app = lab.start(example("ip_fragmentation"), "-p", "0x1", "-q", "1", n_lcores=1)
    lab.expect(app, len(frames), 2 * len(frames))
    app.end(expected=-signal.SIGINT)


# Layer 2

def forward(lab, name, *arguments, capture=(), expected=0, **options):
    """Two ports, each with a capture, forward to each other."""
    capture = lab.captures.n3(*capture)
    n = 2 * len(frames_of(capture))
    lab.add(*(lab.pcap(capture, i) for i in range(2)))
    app = lab.start(example(name), *arguments, **options)
    lab.expect(app, n, n)
    app.end(expected=expected)


def flow_filtering(lab):
    """A rule takes what goes to 192.168.1.1 to queue 1, of four or five; other packets are spread.
    In newer DPDK it makes the rule of a template, which few drivers have, unless an option disables it."""
    frames = [packets.packet(packets.eth(), packets.ipv4(src=f"198.18.0.{1 + i}", dst=dst),
                             packets.udp()) for i in range(200)
              for dst in ("192.168.1.1", "192.168.1.2")]
    if lab.ddp:
        lab.add(lab.pcap(lab.captures.made("flow_filtering", frames)))
    else:
        lab.add(lab.tap())
    program = example("flow_filtering")
    templates = "--non-template" in (EXAMPLES / "flow_filtering" / "main.c").read_text()
    app = lab.start(program, *(["--non-template"] if templates else []))
    if not lab.ddp:
        lab.wait_started(app)
        lab.inject(app, frames)
    lab.expect(app, len(frames))
    if lab.ddp:
        loads = lab.queue_loads(app)
        check(loads[1] >= 200, f"packets of queues {loads}, 200 for queue 1 alone")
        lab.note_spread(loads)
    app.end()
    queues = re.findall(r"queue=0x(\d)", app.output)
    check(len(queues) == len(frames), f"{len(queues)} of {len(frames)} packets printed")


def flow_perf(lab):
    """Rules by the thousand: inserted, and deleted."""
    lab.add("net_null0" if lab.ddp else lab.tap())
    app = lab.start(need("dpdk-test-flow-perf", "dpdk-dev"), "--ingress", "--group=0", "--ether",
                    "--ipv4", "--queue", f"--rules-count={RULES}", f"--rules-batch={RULES // 4}",
                    "--deletion-rate", "--portmask=0x1")
    app.finish(seconds=120)
    rates = re.findall(r"Rules (insertion|deletion) rate -> ([\d.]+) K", app.output)
    lab.notes.append(f"{RULES} rules" + "".join(f", {what} {float(rate):.1f} K/s"
                                                for what, rate in rates))
    check("error" not in app.output.lower(), laboratory.reason(app.output))
