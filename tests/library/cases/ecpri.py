# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case
from packets import ecpri, eth, ipv4, ipv6, packet, udp, vlan

PC = {"ecpri.pc_id": 0x1203}
IQ = ecpri(0, struct.pack("!HH", 0x1203, 0x0180) + bytes(16))
CONTROL = ecpri(2, struct.pack("!HH", 0x1203, 0x0280) + bytes(16))
DELAY = ecpri(5, bytes([1, 0]) + bytes(18)) # one-way delay measurement: no PC id
UDP = "ecpri;port=7000"
DECODE = ["-d", "udp.port==7000,ecpri"]

# With it tshark shows no PC id, but the four parts of O-RAN's eAxC id.
TSHARK = ["--disable-protocol", "oran_fh_cus"]

CASES = [
    Case("U-plane", packet(eth(), vlan(2, pcp=7), IQ), "eth vlan ecpri", "ECPRI", PC,
         has=["ecpri.pc_id", "ecpri.seq_id"]),
    Case("C-plane", packet(eth(), CONTROL), "eth ecpri", "ECPRI", PC, meets={"pc-id": "U-plane"}),
    Case("delay measurement", packet(eth(), DELAY), "eth ecpri", "ECPRI"),
    Case("U-plane, UDP", packet(eth(), ipv4(), udp(7001, 7000), IQ), "eth ipv4 udp ecpri", "ECPRI_UDP", PC, spec=UDP,
         options=DECODE),
    Case("delay measurement, UDP, IPv6", packet(eth(), ipv6(), udp(7001, 7000), DELAY), "eth ipv6 udp ecpri",
         "ECPRI_UDP", spec=UDP, options=DECODE),
    Case("UDP, port 0, which is no port", packet(eth(), ipv4(), udp(7001, 0), IQ), "eth ipv4 udp", "IPV4_UDP"),
    Case("UDP, no port given", packet(eth(), ipv4(), udp(7001, 7002), IQ), "eth ipv4 udp", "IPV4_UDP"),
    *(Case(f"revision {n}", packet(eth(), ecpri(2, bytes(20), revision=n)), "eth", "ETH", status="error",
           tshark="eth ecpri", why="tshark does not ask for the revision, which is 1") for n in (0, 2)),
    Case("cut behind the common header", packet(eth(), IQ)[:18], "eth", "ETH", status="error", wire_len=38,
         tshark="eth ecpri", why="tshark shows the part of a header that was captured"),
]
