#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The output of ddpctl and ddp-fwd, byte by byte, for a few packets, profiles and packages: run each command of
ctl.expected or fwd.expected again.

    answers_test.py path/to/ddpctl path/to/profiles path/to/package_seeds path/to/ddp-traffic path/to/ddp-fwd
                    ctl.expected|fwd.expected [--update]

A command is a line that begins with "$ "; behind it is what it prints, and its exit status if that is not 0. Of an output line above 200 characters it is the beginning, with the checksum of all of it. --update writes the file anew: read each line that changes, for a user sees it.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "library"), str(HERE.parent / "e2e")]
import packets  # noqa: E402
from packets import (arp, esp, eth, gre, gtpu, icmp, ipv4, ipv6, ipv6_frag, mpls, packet, psc,  # noqa: E402
                     sctp, tcp, udp, vlan, vxlan)
from support import eal  # noqa: E402

UE, SERVER = "10.0.0.7", "203.0.113.9"
GTPU_TCP = packet(eth(), ipv4(), udp(2152), gtpu(0x1234, ext=[psc(1, 9)]), ipv4(UE, SERVER), tcp())
KINDS = [
    packet(eth(), arp()),
    packet(eth(), ipv4(), tcp()),
    packet(eth(), vlan(5), vlan(6), ipv6(), udp(53, 53)),
    packet(eth(), ipv4(mf=1), udp()),
    packet(eth(), ipv6(), ipv6_frag(offset=8), b"rest of a fragment"),
    packet(eth(), ipv4(), sctp()),
    packet(eth(), ipv4(), icmp()),
    packet(eth(), mpls(77), ipv4(), udp()),
    packet(eth(), ipv4(), gre(7), ipv4(UE, SERVER), tcp()),
    packet(eth(), ipv4(), udp(), vxlan(9), eth(), ipv6(), tcp()),
    packet(eth(), ipv4(), esp(0x99), b"secret" * 4),
    GTPU_TCP,
    (GTPU_TCP[:70], len(GTPU_TCP)),
    packet(eth(), ipv4(), udp(2152), gtpu(0x1235), ipv6(), udp()),
    packet(eth(), ipv4(), udp(4000), b"\x18\1\0\7trac", ipv4(UE, SERVER), tcp()),
    packet(eth(type=0x88b5), b"no header that a profile knows"),
    b"short",
]

# Behind a header that no profile reads one byte varies, and the others would be an IPv6 header but for its version.
UNREAD = [packet(eth(type=0x88b5), bytes([i, 0, 0, 0, 0, 20]) + bytes(54)) for i in range(32)]

PROFILE = """\
profile: my
version: 1.0.0
summary: a tunnel of a test
requires: [base]
parameters:
  port: {default: 4000, summary: UDP port}
headers:
  my:
    after: udp(dport=$port)
    layout: version:4 t:1 _:3 type:8 id:16 [t ? trace:32]
    valid: {version: 1}
    next: [{when: {type: 1}, then: ip}, {when: {type: 2}, then: eth}]
packet_types:
  MY: {path: link ip udp my, rss: ipv4.src ipv4.dst my.id, extract: my.id}
  MY_IPV4: {path: link ip udp my ipv4, rss: inner.ipv4.src inner.ipv4.dst}
  MY_IPV4_TCP:
    path: link ip udp my ipv4 tcp
    rss: inner.ipv4.src inner.ipv4.dst inner.tcp.sport inner.tcp.dport
input_sets:
  id: {summary: packets of one id on one queue, MY*: my.id}
"""


class Answers(unittest.TestCase):
    def test_all_is_printed_as_expected(self):
        lines, rest = [], expected.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="ddp-answers-") as folder:
            Path(folder, "kinds.pcap").write_bytes(packets.pcap(KINDS))
            Path(folder, "unread.pcap").write_bytes(packets.pcap(UNREAD))
            Path(folder, "my.yaml").write_text(PROFILE, encoding="utf-8")
            subprocess.run([package_seeds, folder], check=True, stdout=subprocess.DEVNULL)
            Path(folder, "everything-0").rename(Path(folder, "e.pkg"))
            env = {**os.environ, "DDP_PROFILE_PATH": profiles, "COLUMNS": "80", "LC_ALL": "C.UTF-8",
                   "EAL": " ".join(eal.options(2, 256)),
                   "PATH": ":".join([*(os.path.dirname(p) for p in (ddpctl, ddp_traffic, ddp_fwd)), os.environ["PATH"]])}
            for command in re.findall(r"(?m)^\$ (.*)$", rest):
                run = subprocess.run(command, shell=True, cwd=folder, env=env, stdin=subprocess.DEVNULL, timeout=60,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                out = re.sub(r", /\S+/share/ddp/profiles( \(No such[^)]*\))?", "", run.stdout.replace(profiles, "PROFILES"))
                lines.append(f"$ {command}")
                for line in out.splitlines():
                    line = line.rstrip() if len(line) <= 200 else f"{line[:120]}... {zlib.crc32(line.encode()):08x}"
                    lines += [line] if not re.match("[A-Z]+: ", line) else []  # of DPDK's log
                lines += [f"exit {run.returncode}"] if run.returncode else []
        text = "".join(line + "\n" for line in lines)
        if update:
            expected.write_text(text, encoding="utf-8")
        diff = difflib.unified_diff(rest.splitlines(), text.splitlines(), expected.name, "now", n=2, lineterm="")
        self.assertTrue(text == rest or update, "\n".join(["", *list(diff)[:60]]))


if __name__ == "__main__":
    ddpctl, profiles, package_seeds, ddp_traffic, ddp_fwd = map(os.path.abspath, sys.argv[1:6])
    expected = HERE / sys.argv[6]
    update = "--update" in sys.argv
    unittest.main(argv=sys.argv[:1])
