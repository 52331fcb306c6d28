#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""However deep a packet is nested, no walk exceeds the bound that ddpctl info prints.

    nesting_test.py path/to/ddpctl path/to/profiles

For all.yaml and every profile of a tunnel: tunnels in tunnels, labels, tags, endless chains of extension
headers, extension headers of no length, headers within themselves, and all of these with seeded damage. A
packet that fits the bound is walked to its end; one that does not has the status "loop" and as many headers
as the bound allows; a second run tells the same of every packet.
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "library"))

import packets as p  # noqa: E402

TIMEOUT = 60
DEPTH = 12
N_DAMAGED = 3  # of each packet
SEED = 20221111
END = (p.ipv4(), p.udp(40000, 40001), p.DATA)
END_CHAIN = ["ipv4", "udp"]

# A tunnel around an IP packet (its first header is not Ethernet) or around a frame: layers and chain.
TUNNELS = {
    "gtpu": ((lambda: (p.ipv4(), p.udp(2152), p.gtpu(1))), "ipv4 udp gtpu"),
    "gtpu_ext": ((lambda: (p.ipv6(), p.udp(2152), p.gtpu(1, ext=[(0xc0, b"\0\1"), p.psc(1, 9)]))),
                 "ipv6 udp gtpu gtpu_ext gtpu_psc"),
    "gre": ((lambda: (p.ipv4(), p.gre())), "ipv4 gre"),
    "gre_key": ((lambda: (p.ipv6(), p.gre(key=7, seq=1, checksum=True))), "ipv6 gre"),
    "nvgre": ((lambda: (p.ipv4(), p.nvgre(5), p.eth())), "ipv4 gre eth"),
    "vxlan": ((lambda: (p.ipv4(), p.udp(4789), p.vxlan(5), p.eth())), "ipv4 udp vxlan eth"),
    "geneve": ((lambda: (p.ipv6(), p.udp(6081), p.geneve(5, p.geneve_option()), p.eth())),
               "ipv6 udp geneve eth"),
    "4in4": ((lambda: (p.ipv4(),)), "ipv4"),
    "6in6": ((lambda: (p.ipv6(),)), "ipv6"),
    "esp": ((lambda: (p.ipv6(), p.ah(1))), "ipv6 ah"),
    "l2tpv3": ((lambda: (p.ipv4(), p.l2tpv3(7), p.eth())), "ipv4 l2tpv3 eth"),
    "srv6": ((lambda: (p.ipv6(), p.srh([p.IP6_A, p.IP6_B]))), "ipv6 ipv6_ext"),
}

# Which of them nest in themselves and in each other without end, by profile.
MIXES = {
    "gtpu": ["gtpu", "gtpu_ext"],
    "gre": ["gre", "gre_key", "nvgre"],
    "gtpu-over-gre": ["gtpu", "gre"],
    "vxlan": ["vxlan"],
    "geneve": ["geneve"],
    "ipip": ["4in4", "6in6"],
    "srv6": ["srv6"],
    "all": ["gtpu", "gre", "vxlan", "4in4", "geneve", "6in6", "nvgre", "gtpu_ext", "srv6"],
}

# Profiles of the bounds only: what nests in them differs, so nothing is said of the chain but its length.
BOUNDED = ["gre-in-udp", "ipsec", "l2tpv2", "l2tpv3", "mpls", "mpls-in-gre", "mpls-in-udp", "nsh",
           "pppoe", "qinq", "vxlan-gpe", "5g-upf", "bng", "datacenter", "e810-comms", "fronthaul",
           "i40e-default"]

ddpctl = profile_dir = None


class Packet:
    """chain: the headers there are, to be found in full as far as the bound allows; None: any.
    status: None for any."""

    def __init__(self, name, data, chain=None, status=None):
        self.name, self.data, self.chain, self.status = name, data, chain, status


def run(*args):
    env = dict(os.environ, DDP_PROFILE_PATH=profile_dir)
    done = subprocess.run([ddpctl, *args], env=env, timeout=TIMEOUT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{args}: exit {done.returncode}\n{done.stderr.decode()[-4000:]}")
    return done.stdout


def nested(names):
    """Tunnels in this order, an IPv4 packet with UDP innermost."""
    layers, chain = [p.eth()], ["eth"]
    for name in names:
        make, tokens = TUNNELS[name]
        layers += make()
        chain += tokens.split()
    return Packet(" ".join(names), p.packet(*layers, *END), chain + END_CHAIN)


def tunnels(mix, rng):
    """Each in itself, all in turn, and seeded mixes; from few to far more than fit."""
    made = [nested([name] * n) for name in mix for n in (1, 2, DEPTH, 80)]
    made.append(nested([mix[i % len(mix)] for i in range(DEPTH)]))
    made += [nested(rng.choices(mix, k=n)) for n in (DEPTH, DEPTH, DEPTH, 20, 40)]
    return made


def tags():
    made = []
    for n in (8, 61, 62, 100, 400):
        layers = [p.vlan(i % 4095, tpid=(0x8100, 0x88a8, 0x9100)[i % 3]) for i in range(n)]
        made.append(Packet(f"{n} tags", p.packet(p.eth(), *layers, *END),
                           ["eth"] + ["vlan"] * n + END_CHAIN))
    return made


def labels():
    made = []
    for n in (20, 61, 62, 100, 400):
        layers = [p.mpls(1000 + i) for i in range(n)]
        made.append(Packet(f"{n} labels", p.packet(p.eth(), *layers, *END),
                           ["eth"] + ["mpls"] * n + END_CHAIN))
    return made


def ipv6_chains():
    made = []
    for n in (1, 20, 61, 62, 300):
        for name, make in (("options", p.dstopts), ("hop-by-hop", p.hopopts), ("mobility", p.mobility)):
            layers = [make() for _ in range(n)]
            made.append(Packet(f"{n} headers of {name}", p.packet(p.eth(), p.ipv6(), *layers, p.udp(1, 2)),
                               ["eth", "ipv6"] + ["ipv6_ext"] * n + ["udp"]))
    # Each names itself as what follows, up to the very end of the packet.
    made.append(Packet("options that follow themselves for ever",
                       p.packet(p.eth(), p.ipv6(next=60), (b"\x3c\0" + b"\0" * 6) * 1000),
                       ["eth", "ipv6"] + ["ipv6_ext"] * 1000))
    made.append(Packet("a header of options longer than the packet",
                       p.packet(p.eth(), p.ipv6(next=60), b"\x3c\xff" + b"\0" * 60), ["eth", "ipv6"],
                       "error"))
    return made


def gtpu_chains():
    made = []
    head = (p.eth(), p.ipv4(), p.udp(2152, 2152))
    for n in (1, 20, 100, 300):
        ext = [(0xc0, b"\0\1") if i % 2 else p.psc(1, 9) for i in range(n)]
        tokens = ["gtpu_ext" if i % 2 else "gtpu_psc" for i in range(n)]
        made.append(Packet(f"{n} GTP-U extension headers", p.packet(*head, p.gtpu(1, ext=ext), *END),
                           ["eth", "ipv4", "udp", "gtpu"] + tokens + END_CHAIN))
    for number, name in ((0xc0, "gtpu_ext"), (0x85, "gtpu_psc")):
        start = struct.pack("!BBHIHBB", 0x34, 255, 1000, 1, 0, 0, number)
        made.append(Packet(f"{name} of no length", p.packet(*head, start, bytes([0]) + b"\0\0" +
                                                            bytes([number]) + b"\0" * 400),
                           ["eth", "ipv4", "udp", "gtpu"], "error"))
        made.append(Packet(f"{name} for ever", p.packet(*head, start,
                                                        bytes([1, 0, 0, number]) * 1000),
                           ["eth", "ipv4", "udp", "gtpu"] + [name] * 1000))
        made.append(Packet(f"{name} longer than the packet", p.packet(*head, start, b"\xff" + b"\0" * 60),
                           ["eth", "ipv4", "udp", "gtpu"], "error"))
    return made


def without_length():
    """Headers whose length field is 0: shorter than their own fixed part."""
    frame = bytearray(p.packet(p.eth(), *END))
    frame[14] = 0x40
    tcp = bytearray(p.packet(p.eth(), p.ipv4(), p.tcp(), p.DATA))
    tcp[14 + 20 + 12] = 0
    return [Packet("IPv4 without length", bytes(frame), ["eth"], "error"),
            Packet("TCP without length", bytes(tcp), ["eth", "ipv4"], "error")]


def self_similar(rng):
    """One header's bytes over and over: whatever a number says, the same follows."""
    pieces = [p.packet(make()) for make in (
        p.eth, p.ipv4, p.ipv6, p.udp, p.gre, lambda: p.vlan(1), lambda: p.mpls(1, s=0), p.dstopts,
        lambda: p.gtpu(1, ext=[p.psc(1, 9)]), lambda: p.geneve(1), lambda: p.vxlan(1),
        lambda: p.vxlan_gpe(1), lambda: p.nsh(1), lambda: p.ah(1), lambda: p.ppp())]
    made = []
    for i, piece in enumerate(pieces):
        for number in (0x0800, 0x8100, 0x8847, 0x86dd, 0x6558, 0x894f, 0x88be):
            made.append(Packet(f"piece {i} behind 0x{number:04x}",
                               p.packet(p.eth(type=number), piece * (1400 // len(piece)))))
        for number in (4, 6, 17, 41, 43, 47, 51, 60, 115, 137):
            made.append(Packet(f"piece {i} behind protocol {number}",
                               p.packet(p.eth(), p.ipv4(proto=number), piece * (1400 // len(piece)))))
        for port in (1701, 2152, 4500, 4789, 4790, 4791, 4754, 6081, 6635):
            made.append(Packet(f"piece {i} behind port {port}",
                               p.packet(p.eth(), p.ipv6(), p.udp(port, port),
                                        piece * (1400 // len(piece)))))
    made += [Packet(f"noise {i}", p.packet(p.eth(type=rng.choice((0x0800, 0x8847, 0x86dd))),
                                           rng.randbytes(600))) for i in range(100)]
    return made


def damaged(packet, rng):
    """Bits turned, a part of the packet copied over another, the end cut off."""
    data = bytearray(packet.data[:2000])
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.5:
        size = rng.randrange(1, len(data))
        start, to = rng.randrange(len(data) - size + 1), rng.randrange(len(data) - size + 1)
        data[to:to + size] = data[start:start + size]
    if rng.random() < 0.3:
        del data[rng.randrange(14, len(data)):]
    return Packet("damaged: " + packet.name, bytes(data))


def profile_packets(profile):
    rng = random.Random(f"{SEED} {profile}")
    made = tags() + ipv6_chains() + without_length()
    if profile in MIXES:
        made += tunnels(MIXES[profile], rng)
    if profile in ("all", "gtpu"):
        made += gtpu_chains()
    if profile in ("all", "mpls"):
        made += labels()
    made += self_similar(rng)
    if profile not in MIXES:  # what others nest must not lead these astray either
        made += [Packet(q.name, q.data) for q in
                 tunnels(MIXES["all"], rng) + gtpu_chains() + labels()]
    return made + [damaged(q, rng) for q in made for _ in range(N_DAMAGED)]


class Nesting(unittest.TestCase):
    def chain_check(self, packet, got, bound):
        """A chain that fits is there to its end; of a longer one, as much as the bound allows."""
        fits = len(packet.chain) <= bound
        self.assertEqual(packet.chain[:bound], got["chain"], packet.name)
        if fits and packet.status is not None:
            self.assertEqual(packet.status, got["status"], packet.name)
        elif not fits:
            self.assertEqual("loop", got["status"], packet.name)
        elif packet.chain[-1] == "udp":
            self.assertEqual("ok", got["status"], packet.name)

    def nest(self, profile):
        file = os.path.join(profile_dir, profile + ".yaml")
        bound = json.loads(run("info", "--json", file))[0]["bound"]
        packets = profile_packets(profile)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nested.pcap")
            with open(path, "wb") as out:
                out.write(p.pcap([packet.data for packet in packets]))
            told = run("classify", file, path, "--jsonl", "--queues", "64")
            self.assertEqual(told, run("classify", file, path, "--jsonl", "--queues", "64"))
        results = [json.loads(line) for line in told.splitlines()]
        self.assertEqual(len(packets), len(results))
        longest = 0
        for packet, got in zip(packets, results):
            self.assertLessEqual(len(got["chain"]), bound["headers"], packet.name)
            self.assertEqual(sorted(set(got["offsets"])), got["offsets"], packet.name)
            self.assertTrue(all(at < len(packet.data) for at in got["offsets"]), packet.name)
            longest = max(longest, len(got["chain"]))
            if packet.chain is not None:
                self.chain_check(packet, got, bound["headers"])
        # The same header over and over reaches the bound, so that it is a bound and not out of reach.
        self.assertEqual(bound["headers"], longest)
        n_loops = sum(got["status"] == "loop" for got in results)
        print(f"{profile}: {len(packets)} packets, bound {bound['headers']} headers, {n_loops} reach it",
              flush=True)


def main():
    global ddpctl, profile_dir
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    ddpctl, profile_dir = (os.path.abspath(path) for path in sys.argv[1:3])
    for name in [*MIXES, *BOUNDED]:
        setattr(Nesting, "test_" + name.replace("-", "_"), lambda self, name=name: self.nest(name))
    unittest.main(argv=sys.argv[:1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
