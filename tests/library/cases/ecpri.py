# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case
from packets import IP6_A, IP6_B, IP_A, IP_B, MAC_A, MAC_B, ecpri, eth, ipv4, ipv6, packet, udp, vlan

MACS = {"eth.src": MAC_A, "eth.dst": MAC_B}
ADDRESSES = {"ipv4.src": IP_A, "ipv4.dst": IP_B}
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
         has=["ecpri.pc_id", "ecpri.seq_id"],
         sets={"source": {"eth.src": MAC_A, **PC}, "outer": {**MACS, **PC}, "pc-id": PC}),
    Case("C-plane", packet(eth(), CONTROL), "eth ecpri", "ECPRI", PC, meets={"pc-id": "U-plane"}),
    Case("delay measurement", packet(eth(), DELAY), "eth ecpri", "ECPRI", MACS),
    Case("U-plane, UDP", packet(eth(), ipv4(), udp(7001, 7000), IQ), "eth ipv4 udp ecpri", "ECPRI_UDP",
         PC, sets={"source": {"ipv4.src": IP_A, **PC},
                   "outer": {**ADDRESSES, "udp.sport": 7001, "udp.dport": 7000, **PC}},
         spec=UDP, options=DECODE),
    Case("delay measurement, UDP, IPv6", packet(eth(), ipv6(), udp(7001, 7000), DELAY),
         "eth ipv6 udp ecpri", "ECPRI_UDP",
         {"ipv6.src": IP6_A, "ipv6.dst": IP6_B, "udp.sport": 7001, "udp.dport": 7000},
         spec=UDP, options=DECODE),
    Case("UDP, port 0, which is no port", packet(eth(), ipv4(), udp(7001, 0), IQ), "eth ipv4 udp",
         "IPV4_UDP", {**ADDRESSES, "udp.sport": 7001, "udp.dport": 0}),
    Case("UDP, no port given", packet(eth(), ipv4(), udp(7001, 7000), IQ), "eth ipv4 udp", "IPV4_UDP",
         {**ADDRESSES, "udp.sport": 7001, "udp.dport": 7000}),
    *(Case(f"revision {n}", packet(eth(), ecpri(2, bytes(20), revision=n)), "eth", "ETH", status="error",
           tshark="eth ecpri", why="tshark does not ask for the revision, which is 1") for n in (0, 2)),
    Case("cut behind the common header", packet(eth(), IQ)[:18], "eth", "ETH", status="error",
         wire_len=38, tshark="eth ecpri", why="tshark shows the part of a header that was captured"),
]
