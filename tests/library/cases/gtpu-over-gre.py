# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import DATA, eth, gre, gtpu, ipv4, ipv6, packet, psc, udp, vlan

OUTER = (eth(), ipv4("192.0.2.9", "192.0.2.10"), gre())
MIDDLE = (ipv4(), udp(2152))
UE, SERVER = "10.9.8.7", "203.0.113.5"
UE6, SERVER6 = "2001:db8:9:1::7", "2001:67c::5"
IN4, IN6 = ipv4(UE, SERVER), ipv6(UE6, SERVER6)
TEID = {"gtpu.teid": 0x1234}
UPLINK = gtpu(0x1234, ext=[psc(1, 9)])
QFI = {"gtpu_psc.qfi": 9}
CHAIN = "eth ipv4 gre ipv4 udp gtpu gtpu_psc"

CASES = inner_cases((*OUTER, *MIDDLE, UPLINK), CHAIN, "GTPU", {**TEID, **QFI}, suffix="OVER_GRE") + [
    Case("echo", packet(*OUTER, *MIDDLE, gtpu(0, type=1, seq=3)), "eth ipv4 gre ipv4 udp gtpu", "GTPU_OVER_GRE",
         {"gtpu.teid": 0}),
    Case("no IP in it", packet(eth(), vlan(3), ipv6(), gre(key=5), ipv6(), udp(2152), gtpu(0x1234), bytes(8)),
         "eth vlan ipv6 gre ipv6 udp gtpu", "GTPU_OVER_GRE", TEID),
    Case("without session container", packet(*OUTER, *MIDDLE, gtpu(0x1234), IN4, udp(1, 2), DATA),
         "eth ipv4 gre ipv4 udp gtpu ipv4 udp", "GTPU_IPV4_UDP_OVER_GRE", TEID),

    # gtpu's input sets mean these packet types too.
    *(Case(f"set {name}, {ip}", packet(*OUTER, *MIDDLE, UPLINK, user, udp(1, 2), DATA),
           f"{CHAIN} {ip} udp", f"GTPU_{ip.upper()}_UDP_OVER_GRE", {**ue, **TEID, **QFI}, spec="gtpu-over-gre:" + name)
      for name, ip, user, ue in (("ue", "ipv4", IN4, {"inner.ipv4.src": UE}),
                                 ("ue", "ipv6", IN6, {"inner.ipv6.src/64": "2001:db8:9:1::"}),
                                 ("teid", "ipv4", IN4, {}), ("inner-ip", "ipv4", IN4, {}))),
    Case("other port", packet(*OUTER, ipv4(), udp(2152, 2153), UPLINK, IN4, udp(1, 2), DATA),
         CHAIN + " ipv4 udp", "GTPU_IPV4_UDP_OVER_GRE", {**TEID, **QFI},
         spec="gtpu-over-gre;gtpu.port=2153", options=["-d", "udp.port==2153,gtp"]),
]
