# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case
from packets import eth, ipv4, ipv6, packet, quic_long, quic_short, udp, vlan

OUTER = (eth(), ipv4(), udp(33333))
TO_443 = (eth(), ipv4(), udp(33333, 443))
CID = bytes.fromhex("0102030405060708")
DCID = {"quic.dcid_high": 0x01020304, "quic.dcid_low": 0x05060708}
# The lengths that follow (an Initial has a token), and what nobody can read.
INITIAL, HANDSHAKE = bytes.fromhex("004021") + bytes(33), bytes.fromhex("4021") + bytes(33)

# On no port of its own accord.
TSHARK = ["-d", "udp.port==443,quic"]

CASES = [
    Case("short header", packet(*OUTER, quic_short(CID), bytes(24)), "eth ipv4 udp quic", "QUIC", DCID,
         has=["quic.dcid_high", "quic.dcid_low"]),
    Case("long header, id of the server's length", packet(*OUTER, quic_long(CID, b"abcd", type=2), HANDSHAKE),
         "eth ipv4 udp quic", "QUIC", DCID,
         has=["quic.version", "quic.dcid_length", "quic.dcid_high", "quic.dcid_low"]),
    Case("long header, longer id, IPv6",
         packet(eth(), vlan(8), ipv6(), udp(33333), quic_long(CID + b"more", b""), INITIAL), "eth vlan ipv6 udp quic",
         "QUIC", DCID),
    Case("long header, shorter id", packet(*OUTER, quic_long(b"abc", CID), INITIAL), "eth ipv4 udp quic", "QUIC"),
    Case("long header, no id", packet(*OUTER, quic_long(b"", CID), INITIAL), "eth ipv4 udp quic", "QUIC"),
    Case("version negotiation", packet(*TO_443, b"\x80\0\0\0\0\x08" + CID + b"\x02ab" + b"\0\0\0\1"),
         "eth ipv4 udp quic", "QUIC", DCID),
    Case("an id of 4 bytes", packet(*OUTER, quic_short(CID), bytes(24)), "eth ipv4 udp quic", "QUIC",
         {"quic.dcid_high": 0x0102, "quic.dcid_low": 0x0304}, spec="quic;cid_length=4"),
    Case("an id of 20 bytes", packet(*OUTER, quic_short(bytes(range(20))), bytes(24)), "eth ipv4 udp quic", "QUIC",
         {"quic.dcid_high": "0x00010203040506070809", "quic.dcid_low": "0x0a0b0c0d0e0f10111213"},
         spec="quic;cid_length=20"),
    Case("an id of one byte", packet(*OUTER, quic_short(b"\x9a"), bytes(24)), "eth ipv4 udp quic", "QUIC",
         {"quic.dcid_high": 9, "quic.dcid_low": 0xa}, spec="quic;cid_length=1"),
    Case("other port", packet(eth(), ipv4(), udp(33333, 4433), quic_short(CID), bytes(24)), "eth ipv4 udp quic",
         "QUIC", DCID, spec="quic;port=4433", options=["-d", "udp.port==4433,quic"]),
    Case("two ports", packet(eth(), ipv4(), udp(33333, 4433), quic_short(CID), bytes(24)), "eth ipv4 udp quic", "QUIC",
         DCID, spec="quic;port=443;port=4433", options=["-d", "udp.port==4433,quic"]),
    Case("DTLS on the port", packet(*TO_443, bytes.fromhex("16fefd0000000000000000000500000000")), "eth ipv4 udp",
         "IPV4_UDP", tshark="eth ipv4 udp quic",
         why="with the port given, tshark takes all there for QUIC; the fixed bit says that this is none"),
    Case("fixed bit 0, as RFC 9287 allows", packet(*TO_443, b"\0" + CID, bytes(24)), "eth ipv4 udp quic", "QUIC", DCID,
         spec="quic;grease=1"),
    Case("cut in the id", packet(*OUTER, quic_short(CID), bytes(24))[:50], "eth ipv4 udp", "IPV4_UDP", status="error",
         wire_len=75, tshark="eth ipv4 udp quic", why="tshark shows the part of a header that was captured"),
]
