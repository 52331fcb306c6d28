# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case
from packets import DATA, eth, ipv4, macsec, packet, udp, vlan

SCI = 0x020000000077_0001
CLEAR = (ipv4(), udp(), DATA, bytes(16))

CASES = [
    Case("with SCI", packet(eth(), macsec(7, sci=SCI, e=1, c=1), DATA), "eth macsec", "MACSEC", {"macsec.sci": SCI},
         has=["macsec.sci"]),
    Case("without SCI, behind a tag", packet(eth(), vlan(3), macsec(8, e=1, c=1, es=1), DATA), "eth vlan macsec",
         "MACSEC"),
    Case("integrity only", packet(eth(), macsec(9, sci=SCI), *CLEAR), "eth macsec", "MACSEC", {"macsec.sci": SCI},
         tshark="eth macsec ipv4 udp",
         why="what is only authenticated is legible; the profile takes all that follows as opaque"),
    Case("cut in the SCI", packet(eth(), macsec(7, sci=SCI, e=1, c=1))[:-1], "eth", "ETH", status="error", wire_len=28),
]
