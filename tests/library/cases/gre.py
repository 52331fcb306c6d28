# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import (DATA, arp, erspan2, erspan3, eth, gre, gre_pptp, ipv4, ipv6, lcp, nvgre, packet,
                     ppp, vlan)

KEY = {"gre.key": 0xdeadbeef}
VSID = {"gre.key/24": 0xabcdef}
SESSION = {"erspan.session": 0x3ab}
CALL = {"gre.call_id": 0x1234}
PLATFORM = b"\0\1\2\3\4\5\6\7"
II = ["erspan.index"]
III = ["erspan." + name for name in ("timestamp", "sgt", "pdu", "frame_type", "hw_id", "direction",
                                     "granularity", "o")]

CASES = (
    inner_cases((eth(), ipv4(), gre()), "eth ipv4 gre", "GRE", {}, "plain") +
    inner_cases((eth(), vlan(5), ipv6(), gre(key=0xdeadbeef, seq=7, checksum=True)), "eth vlan ipv6 gre", "GRE", KEY,
                "everything", has=["gre.key", "gre.sequence", "gre.checksum", "gre.offset"]) +
    inner_cases((eth(), ipv4(), gre(), eth(), vlan(5)), "eth ipv4 gre eth vlan", "GRE", {}, "Ethernet without a key") +
    inner_cases((eth(), ipv6(), nvgre(0xabcdef, 0x12), eth()), "eth ipv6 gre eth", "NVGRE", VSID) +
    inner_cases((eth(), ipv4(), gre(protocol=0x88be), eth(), vlan(4)), "eth ipv4 gre eth vlan", "GRE", {}, "ERSPAN I") +
    inner_cases((eth(), ipv4(), gre(seq=7), erspan2(0x3ab), eth()), "eth ipv4 gre erspan eth", "ERSPAN", SESSION,
                "ERSPAN II", has=II) +
    inner_cases((eth(), ipv6(), gre(seq=7), erspan3(0x3ab), eth(), vlan(4)), "eth ipv6 gre erspan eth vlan", "ERSPAN",
                SESSION, "ERSPAN III", has=III) +
    inner_cases((eth(), ipv4(), gre(seq=7), erspan3(0x3ab, o=PLATFORM), eth()), "eth ipv4 gre erspan eth", "ERSPAN",
                SESSION, "ERSPAN III with subheader", has=["erspan.platform"]) +
    inner_cases((eth(), ipv4(), gre_pptp(0x1234, seq=1), ppp(address=True)), "eth ipv4 gre ppp", "PPTP", CALL,
                has=["gre.payload_length", "gre.call_id"]) +
    inner_cases((eth(), ipv6(), gre_pptp(0x1234, seq=1, ack=9), ppp(short=True)), "eth ipv6 gre ppp", "PPTP", CALL,
                "PPTP with acknowledgement", has=["gre.ack"]) +
    [
        Case("acknowledgement alone", packet(eth(), ipv4(), gre_pptp(0x1234, ack=9)), "eth ipv4 gre", "GRE"),
        Case("LCP", packet(eth(), ipv4(), gre_pptp(0x1234, seq=1), ppp(), lcp()), "eth ipv4 gre ppp", "PPTP", CALL),
        Case("without a call id", packet(eth(), ipv4(), gre(flags=1, seq=1, protocol=0x880b), ppp(), lcp()),
             "eth ipv4 gre", "GRE", tshark="eth ipv4 gre ppp",
             why="tshark does not ask for the K flag that RFC 2637 demands"),
        Case("other protocol", packet(eth(), ipv4(), gre(key=5, protocol=0x88b5), DATA), "eth ipv4 gre", "GRE",
             {"gre.key": 5}),
        Case("keepalive", packet(eth(), ipv4(), gre(protocol=0)), "eth ipv4 gre", "GRE"),
        Case("routes", packet(eth(), ipv4(), gre(key=5, routing=b"\x08\0\0\4\1\2\3\4" + b"\0" * 4), ipv4(), DATA),
             "eth ipv4 gre", "GRE", {"gre.key": 5}, tshark="eth ipv4 gre ipv4",
             why="source routes are left out: deprecated since RFC 2784"),
        Case("arp in Ethernet", packet(eth(), ipv4(), gre(), eth(), arp()), "eth ipv4 gre eth arp", "GRE"),
        Case("arp in NVGRE", packet(eth(), ipv4(), nvgre(0xabcdef), eth(), arp()), "eth ipv4 gre eth arp", "NVGRE",
             VSID),
        Case("arp in ERSPAN", packet(eth(), ipv4(), gre(seq=1), erspan2(0x3ab), eth(), arp()),
             "eth ipv4 gre erspan eth arp", "ERSPAN", SESSION),
        Case("ERSPAN III of an IP packet", packet(eth(), ipv4(), gre(seq=1), erspan3(0x3ab, ft=2), ipv6(), DATA),
             "eth ipv4 gre erspan ipv6", "ERSPAN_IPV6", SESSION, tshark="eth ipv4 gre erspan",
             why="tshark only knows frames in ERSPAN"),
        Case("ERSPAN III of another kind", packet(eth(), ipv4(), gre(seq=1), erspan3(0x3ab, ft=3), DATA),
             "eth ipv4 gre erspan", "ERSPAN", SESSION),
        Case("ERSPAN of no known version", packet(eth(), ipv4(), gre(seq=1, protocol=0x88be), b"\x40" + b"\0" * 40),
             "eth ipv4 gre", "GRE", status="error"),
    ]
)
