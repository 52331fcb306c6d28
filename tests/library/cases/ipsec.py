# SPDX-License-Identifier: BSD-3-Clause
import struct

from library_test import Case, inner_cases
from packets import DATA, ah, dstopts, esp, eth, icmp, ipv4, ipv6, hopopts, packet, sctp, tcp, udp, vlan

ESP_SPI, AH_SPI = {"esp.spi": 0xe0001111}, {"ah.spi": 0xa0002222}
ESP, AH = esp(0xe0001111), ah(0xa0002222)
IN4, IN6 = ipv4("10.1.0.1", "10.2.0.2"), ipv6("fd00::1", "fd00::2")
# Non-ESP marker, and an IKE_SA_INIT without payloads.
IKE = struct.pack("!IQQBBBBII", 0, 0x1111222233334444, 0, 0, 0x20, 34, 8, 0, 28)
KEEPALIVE = packet(eth(), ipv4(), udp(4500, 4500), b"\xff")

CASES = inner_cases((eth(), ipv4(), AH), "eth ipv4 ah", "AH", AH_SPI, "AH tunnel") + [
    Case("ESP", packet(eth(), vlan(2), ipv4(), ESP, DATA), "eth vlan ipv4 esp", "ESP", ESP_SPI),
    Case("ESP, IPv6", packet(eth(), ipv6(), hopopts(), ESP, DATA), "eth ipv6 ipv6_ext esp", "ESP", ESP_SPI),
    Case("NAT-T ESP", packet(eth(), ipv4(), udp(4500), ESP, DATA), "eth ipv4 udp esp", "NATT_ESP", ESP_SPI),
    Case("NAT-T ESP, client behind a NAT, IPv6", packet(eth(), ipv6(), udp(1024), ESP, DATA), "eth ipv6 udp esp",
         "NATT_ESP", ESP_SPI, meets={"spi": "ESP"}),
    Case("NAT-T IKE", packet(eth(), ipv4(), udp(4500, 4500), IKE), "eth ipv4 udp", "NATT_IKE",
         {"nat_t_ike.initiator_spi": 0x1111222233334444}),
    Case("NAT-T keepalive", KEEPALIVE, "eth ipv4 udp", "NATT_KEEPALIVE"),
    Case("NAT-T keepalive, padded frame", KEEPALIVE + bytes(60 - len(KEEPALIVE)), "eth ipv4 udp", "NATT_KEEPALIVE"),
    Case("other port", packet(eth(), ipv4(), udp(4500, 4501), ESP, DATA), "eth ipv4 udp esp", "NATT_ESP", ESP_SPI,
         spec="ipsec;port=4501"),
    Case("cut in ESP", packet(eth(), ipv4(), ESP)[:-1], "eth ipv4", "IPV4", status="error", wire_len=42,
         tshark="eth ipv4 esp", why="tshark shows the part of a header that was captured"),

    Case("AH before UDP", packet(eth(), ipv4(), AH, udp(1, 2), DATA), "eth ipv4 ah udp", "AH_UDP", AH_SPI),
    Case("AH before TCP", packet(eth(), ipv4(), AH, tcp(1, 2), DATA), "eth ipv4 ah tcp", "AH_TCP", AH_SPI),
    Case("AH before SCTP, options on both sides", packet(eth(), ipv6(), hopopts(), AH, dstopts(), sctp(1, 2), DATA),
         "eth ipv6 ipv6_ext ah ipv6_ext sctp", "AH_SCTP", AH_SPI),
    Case("AH before ICMP", packet(eth(), ipv4(), AH, icmp()), "eth ipv4 ah icmp", "AH", AH_SPI),
    Case("AH before ESP", packet(eth(), ipv4(), AH, ESP, DATA), "eth ipv4 ah esp", "AH", AH_SPI),
    Case("AH with a long ICV", packet(eth(), ipv4(), ah(0xa0002222, icv=bytes(32)), udp(1, 2), DATA),
         "eth ipv4 ah udp", "AH_UDP", AH_SPI),
    Case("AH on a fragment", packet(eth(), ipv4(mf=1), AH, udp(1, 2), DATA), "eth ipv4 ah udp", "IPV4_FRAG"),
]
