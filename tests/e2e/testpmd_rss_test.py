#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""With profile e810-comms, what testpmd's `port config all rss <type>` says is hashed as an 800-series port hashes it, no
rte_flow rule being there, and by the function that it names. Without it, a user who tests on net_ddp what will run on
such a NIC learns of packets on other queues in production."""

from support import harness, testpmd
from packets import (DATA, IP6_A, IP6_B, IP_A, IP_B, ah, eth, esp, geneve, gre, gtpu, hopopts,
                     icmp, ipv4, ipv6, ipv6_frag, l2tpv3, lcp, mpls, nvgre, packet, pfcp, ppp, pppoe,
                     pppoed, psc, sctp, tcp, udp, vlan, vxlan)

QUEUES = 16
OTHER = "192.0.2.77"
OTHER6 = "2001:db8:3::77"

IPS = {"ipv4": (ipv4, IP_A, IP_B, OTHER), "ipv6": (ipv6, IP6_A, IP6_B, OTHER6)}
L4S = {"udp": udp, "tcp": tcp, "sctp": sctp}


def plain(name):
    """A family of packets of one flow, named <ip>[-<l4>], and others that differ from it."""
    ip, _, l4 = name.partition("-")
    layer, src, dst, other = IPS[ip]

    def frame(addresses=(src, dst), ports=(1000, 2000), data=DATA, link=(eth(),)):
        return packet(*link, layer(*addresses), *([L4S[l4](*ports)] if l4 else []), data)

    return {
        name: frame(),
        f"{name} source": frame((other, dst)),
        f"{name} destination": frame((src, other)),
        f"{name} source port": frame(ports=(1001, 2000)),
        f"{name} destination port": frame(ports=(1000, 2001)),
        f"{name} length": frame(data=DATA * 9),
        f"{name} link": frame(link=(eth("02:00:00:00:00:05", "02:00:00:00:00:06"), vlan(9))),
    }


def patched(frame, off, value):
    """A frame with a 16-bit number in some place, such as a checksum."""
    return frame[:off] + value.to_bytes(2, "big") + frame[off + 2:]


UDP4 = packet(eth(), ipv4(), udp(1000, 2000), DATA)
TCP6 = packet(eth(), ipv6(), tcp(1000, 2000), DATA)
UE, UE2 = ipv4("10.45.0.1", "10.0.0.1"), ipv4("10.45.0.2", "10.0.0.1")
N3 = (eth(), ipv4(), udp(dport=2152))
SESSION = (eth(), pppoe(7), ppp())

# By name. What a test compares has names that begin alike.
FRAMES = {
    **plain("ipv4"), **plain("ipv4-udp"), **plain("ipv4-tcp"), **plain("ipv4-sctp"),
    **plain("ipv6"), **plain("ipv6-udp"), **plain("ipv6-tcp"), **plain("ipv6-sctp"),
    "ipv4-frag": packet(eth(), ipv4(mf=1), udp(1000, 2000), DATA),
    "ipv4-frag second": packet(eth(), ipv4(frag=4), DATA),
    "ipv6-frag": packet(eth(), ipv6(), ipv6_frag(0, 1), udp(1000, 2000), DATA),
    "ipv6-frag second": packet(eth(), ipv6(), ipv6_frag(4, 0), DATA),
    "ipv4-icmp": packet(eth(), ipv4(), icmp(), DATA),
    "ipv6-ext": packet(eth(), ipv6(), hopopts(), udp(1000, 2000), DATA),
    "arp": packet(eth(type=0x0806), bytes(28)),

    "gtpu": packet(*N3, gtpu(5), UE, udp(1000, 2000), DATA),
    "gtpu session": packet(*N3, gtpu(6, ext=[psc(1, 9)]), UE2, udp(1000, 2000), DATA * 2),
    "gtpu outer port": packet(eth(), ipv4(), udp(7, 2152), gtpu(5), UE, udp(1000, 2000), DATA),
    "gtpu outer source": packet(eth(), ipv4(OTHER), udp(dport=2152), gtpu(5), UE,
                                udp(1000, 2000), DATA),
    "gtpu inner port": packet(*N3, gtpu(5), UE, udp(1001, 2000), DATA),
    "gtpu tcp": packet(*N3, gtpu(5), UE, tcp(1000, 2000), DATA),
    "gtpu tcp inner port": packet(*N3, gtpu(5), UE, tcp(1000, 2001), DATA),
    "gtpu icmp": packet(*N3, gtpu(5), UE, icmp(), DATA),
    "gtpu icmp of another": packet(*N3, gtpu(6), UE2, icmp(), DATA),
    "gtpu icmp outer source": packet(eth(), ipv4(OTHER), udp(dport=2152), gtpu(5), UE, icmp()),
    "gtpu echo": packet(*N3, gtpu(0, type=1, seq=1)),

    "gre-gtpu": packet(eth(), ipv4(), gre(), ipv4(), udp(dport=2152), gtpu(5), UE, udp(1, 2)),
    "gre-gtpu outside": packet(eth(), ipv4(OTHER), gre(), ipv4(IP_B, OTHER), udp(dport=2152),
                               gtpu(6, ext=[psc(0, 1)]), UE, udp(1, 2)),
    "gre-gtpu inner": packet(eth(), ipv4(), gre(), ipv4(), udp(dport=2152), gtpu(5), UE2, udp(1, 2)),
    "gre-gtpu port": packet(eth(), ipv4(), gre(), ipv4(), udp(dport=2152), gtpu(5), UE, udp(1, 3)),

    "pppoe": packet(*SESSION, UE, udp(1000, 2000), DATA),
    "pppoe session": packet(eth("02:00:00:00:00:05"), pppoe(8), ppp(), UE, udp(1000, 2000)),
    "pppoe source": packet(*SESSION, UE2, udp(1000, 2000), DATA),
    "pppoe port": packet(*SESSION, UE, udp(1001, 2000), DATA),
    "pppoe tcp": packet(*SESSION, ipv6(), tcp(1000, 2000), DATA),
    "pppoe tcp port": packet(*SESSION, ipv6(), tcp(1000, 2001), DATA),
    "pppoe icmp": packet(*SESSION, UE, icmp(), DATA),
    "pppoe icmp source": packet(*SESSION, UE2, icmp(), DATA),
    "pppoe-lcp": packet(*SESSION, lcp()),
    "pppoe-discovery": packet(eth(), pppoed()),

    "chksum": patched(UDP4, 40, 0x1111),
    "chksum l4": patched(UDP4, 40, 0x2222),
    "chksum ip": patched(packet(eth(), ipv4(ttl=9), udp(1000, 2000), DATA), 40, 0x1111),
    "chksum6": patched(TCP6, 70, 0x1111),
    "chksum6 l4": patched(TCP6, 70, 0x2222),
}

INNER = (ipv4("10.0.0.1", "10.0.0.2"), udp(1, 2), DATA)
INNER2 = (ipv4("10.0.0.3", "10.0.0.4"), udp(3, 4), DATA)

# Tunnels of which only the outside counts: what is between it and the inside.
TUNNELS = {
    "vxlan": lambda inner, n: (udp(5000, 4789), vxlan(n), eth(), *inner),
    "geneve": lambda inner, n: (udp(5000, 6081), geneve(n), eth(), *inner),
    "gre": lambda inner, n: (gre(key=n), *inner),
    "nvgre": lambda inner, n: (nvgre(n), eth(), *inner),
    "ipip": lambda inner, n: inner,
    "esp": lambda inner, n: (esp(n), DATA),
    "natt": lambda inner, n: (udp(5000, 4500), esp(n + 1), DATA),
    "ah": lambda inner, n: (ah(n), *inner),
    "l2tpv3": lambda inner, n: (l2tpv3(n + 1), DATA),
    "pfcp": lambda inner, n: (udp(5000, 8805), pfcp(seid=n), DATA),
}
for tunnel, between in TUNNELS.items():
    FRAMES |= {
        f"{tunnel}": packet(eth(), ipv4(), *between(INNER, 1)),
        f"{tunnel} inside": packet(eth(), ipv4(), *between(INNER2, 2)),
        f"{tunnel} source": packet(eth(), ipv4(OTHER), *between(INNER, 1)),
        f"{tunnel} in ipv6": packet(eth(), ipv6(), *between(INNER, 1)),
        f"{tunnel} in ipv6 source": packet(eth(), ipv6(OTHER6), *between(INNER, 1)),
    }
FRAMES |= {"mpls": packet(eth(), mpls(16), *INNER), "mpls inside": packet(eth(), mpls(16), *INNER2)}

HASHED_BY_ALL = {name for name in FRAMES
                 if name not in ("arp", "pppoe-lcp", "pppoe-discovery")}
PLAIN = [ip + l4 for ip in IPS for l4 in ("", "-udp", "-tcp", "-sctp")]

setUpModule = testpmd.set_up_module


class Case(harness.TestCase):
    """One testpmd replays one capture under settings that follow each other."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.all = cls.capture("all", FRAMES.values())
        cls.found = {}  # by setting
        cls.player = testpmd.Player(cls.all)
        vdev = f"net_ddp0,dev(net_pcap0,rx_pcap={cls.player.path.name}),profile=e810-comms,overflow=wait"
        cls.pmd = testpmd.Testpmd(cls.shared(), [vdev], f"--rxq={QUEUES}", f"--txq={QUEUES}")
        cls.pmd.commands("set fwd rxonly", "set verbose 1")

    def replay(self, *commands):
        """The hash of each frame by its name, None for one without, after these commands."""
        cls = type(self)
        cls.pmd.commands(*commands)
        packets = cls.pmd.receive(cls.player, len(FRAMES))
        cls.pmd.command("port stop 0")
        cls.player = testpmd.Player(cls.all)  # net_pcap opens it when the port starts
        cls.pmd.command("port start 0")
        hashes = {packet.n: packet.hash for packet in packets}
        for packet in packets:
            expected = 0 if packet.hash is None else packet.hash % QUEUES
            self.assertEqual(packet.queue, expected, list(FRAMES)[packet.n])
        return dict(zip(FRAMES, (hashes[n] for n in range(len(FRAMES)))))

    def by(self, kind):
        """Hashes by an RSS type; each is tried once."""
        if kind not in self.found:
            self.found[kind] = self.replay(f"port config all rss {kind}")
        return self.found[kind]

    def hashed(self, hashes):
        return {name for name, value in hashes.items() if value is not None}

    def check_same(self, hashes, *names):
        """All these are hashed, and alike."""
        self.assertNotIn(None, [hashes[name] for name in names], names)
        self.assertEqual(len({hashes[name] for name in names}), 1, names)

    def check_different(self, hashes, *names):
        self.assertNotIn(None, [hashes[name] for name in names], names)
        self.assertEqual(len({hashes[name] for name in names}), len(names), names)

    def check_plain(self, hashes, name, by_ports):
        """A family is hashed by its addresses, or also its ports, and by nothing else."""
        self.check_same(hashes, name, f"{name} length", f"{name} link")
        self.check_different(hashes, name, f"{name} source", f"{name} destination")
        ports = [f"{name} source port", f"{name} destination port"]
        if by_ports and "-" in name:
            self.check_different(hashes, name, *ports)
        else:
            self.check_same(hashes, name, *ports)


class Types(Case):
    def check_by_addresses(self, hashes):
        self.assertEqual(self.hashed(hashes), HASHED_BY_ALL)
        for name in PLAIN:
            self.check_plain(hashes, name, by_ports=False)
        for ip in IPS:
            self.check_same(hashes, ip, f"{ip}-udp", f"{ip}-tcp", f"{ip}-sctp", f"{ip}-frag",
                            f"{ip}-frag second")

    def check_only_l4(self, hashes, l4):
        """Of plain packets only those of one protocol are hashed, with their ports."""
        plains = {name for name in FRAMES if name.split()[0] in PLAIN}
        self.assertEqual(self.hashed(hashes) & plains,
                         {name for name in plains if name.split()[0].endswith(f"-{l4}")})
        for ip in IPS:
            self.check_plain(hashes, f"{ip}-{l4}", by_ports=True)

    def check_all(self, hashes):
        self.assertEqual(self.hashed(hashes), HASHED_BY_ALL)
        for name in PLAIN:
            self.check_plain(hashes, name, by_ports=True)
        self.check_gtpu(hashes)
        self.check_pppoe(hashes)
        for name in TUNNELS:
            self.check_same(hashes, name, f"{name} inside")
            self.check_different(hashes, name, f"{name} source", f"{name} in ipv6",
                                 f"{name} in ipv6 source")
        for ip in IPS:
            self.check_same(hashes, ip, f"{ip}-frag", f"{ip}-frag second")
        self.check_same(hashes, "ipv4", "ipv4-icmp")
        self.check_same(hashes, "ipv6-udp", "ipv6-ext")
        self.check_different(hashes, "mpls", "mpls inside")

    def check_gtpu(self, hashes):
        """Outer addresses and the innermost ports; behind GRE the innermost addresses, too."""
        self.check_same(hashes, "gtpu", "gtpu session", "gtpu outer port")
        self.check_different(hashes, "gtpu", "gtpu outer source", "gtpu inner port")
        self.check_different(hashes, "gtpu tcp", "gtpu tcp inner port")
        self.check_same(hashes, "gtpu icmp", "gtpu icmp of another", "gtpu echo")
        self.check_different(hashes, "gtpu icmp", "gtpu icmp outer source")
        self.check_same(hashes, "gre-gtpu", "gre-gtpu outside")
        self.check_different(hashes, "gre-gtpu", "gre-gtpu inner", "gre-gtpu port")

    def check_pppoe(self, hashes):
        self.check_same(hashes, "pppoe", "pppoe session")
        self.check_different(hashes, "pppoe", "pppoe source", "pppoe port")
        self.check_different(hashes, "pppoe tcp", "pppoe tcp port")
        self.check_different(hashes, "pppoe icmp", "pppoe icmp source")

    def test_groups_of_types(self):
        self.check_by_addresses(self.by("ip"))
        for kind in ("all", "default"):
            self.check_all(self.by(kind))
        for l4 in L4S:
            with self.subTest(rss=l4):
                self.check_only_l4(self.by(l4), l4)
        self.assertEqual(self.hashed(self.by("none")), set())

    def test_single_types_hash_their_packets_only(self):
        for kind in PLAIN:
            hashes = self.by(kind)
            with self.subTest(rss=kind):
                plains = {name.split()[0] for name in self.hashed(hashes)} & set(PLAIN)
                # Addresses are those of all packets that have them, ports are of one protocol.
                self.assertEqual(plains, {name for name in PLAIN if name.startswith(kind)})
                self.check_plain(hashes, kind, by_ports=True)
                if "-" not in kind:
                    for l4 in L4S:
                        self.check_plain(hashes, f"{kind}-{l4}", by_ports=False)

    def test_tunnels_in_ipv4_have_no_hash_by_a_type_of_ipv6(self):
        """Not even of their ports alone."""
        in_udp = [f"{tunnel} in ipv6" for tunnel in ("vxlan", "geneve", "natt", "pfcp")]
        for kind, others in (("ipv6-udp", ["ipv6-ext", *in_udp]), ("ipv6-tcp", ["chksum6", "pppoe tcp"])):
            self.assertEqual(self.hashed(self.by(kind)), {name for name in FRAMES if name.startswith((kind, *others))})

    def test_other_and_fragments(self):
        for ip in IPS:
            hashed = self.hashed(self.by(f"{ip}-other"))
            self.assertIn(ip, hashed)
            self.assertEqual(hashed & {f"{ip}-udp", f"{ip}-tcp", f"{ip}-sctp"}, set())
            hashes = self.by(f"{ip}-frag")
            self.assertEqual(self.hashed(hashes), {f"{ip}-frag", f"{ip}-frag second"})
            self.check_same(hashes, f"{ip}-frag", f"{ip}-frag second")

    def test_checksums_count_when_asked_for(self):
        hashes = self.by("ipv4-chksum")
        self.check_same(hashes, "chksum", "chksum l4")
        self.check_different(hashes, "chksum", "chksum ip")
        hashes = self.by("l4-chksum")
        self.check_same(hashes, "chksum", "chksum ip")
        self.check_different(hashes, "chksum", "chksum l4")
        self.check_different(hashes, "chksum6", "chksum6 l4")
        self.check_same(self.by("all"), "chksum", "chksum l4", "chksum ip")

    def test_a_type_that_the_port_does_not_know_alone_hashes_nothing(self):
        # net_ice knows no flow label either, and testpmd since 24.03.
        for kind in ("gtpu", "ipv6-flow-label"):
            hashes = self.replay("port config all rss none", f"port config all rss {kind}")
            self.assertEqual(self.hashed(hashes), set(), kind)


class Functions(Case):
    """Hash functions of the whole port, which testpmd has words for since DPDK 24.03."""

    def test_hashes_are_what_ddpctl_says(self):
        if "Bad arguments" in self.pmd.command("port config 0 rss-hash-algo toeplitz"):
            self.skipTest("this testpmd has no `port config 0 rss-hash-algo`")
        for function in ("symmetric_toeplitz", "symmetric_toeplitz_sort", "simple_xor", "toeplitz"):
            with self.subTest(function=function):  # other changes keep the function
                found = self.replay(f"port config 0 rss-hash-algo {function}", "port config all rss all")
                self.assertEqual(self.pmd.command("show port 0 rss-hash algorithm").split()[-1], function)
                packets = harness.classify("e810-comms", self.all, "--hash", function)
                self.assertEqual({name: value and f"0x{value:08x}" for name, value in found.items()},
                                 {name: packet["hash"] for name, packet in zip(FRAMES, packets, strict=True)})


if __name__ == "__main__":
    harness.main("ddpctl", "ddp-traffic", "net_ddp")
