# SPDX-License-Identifier: BSD-3-Clause
"""What tshark finds in a capture, as far as our profiles base and gtpu go.

tshark knows far more protocols than these two. Each packet is followed from its first byte as long
as one known header leads to another known header; FOLLOWS says which do, and is all that tests know
about the profiles. Sizes come from fields that tshark shows, never from bytes we read ourselves.
"""

import shutil

from support import harness
import tshark
from tshark import ENVIRONMENT, OPTIONS  # noqa: F401, for those that call it themselves

IP = {"ipv4", "ipv6"}
LINK = {"vlan", "arp"} | IP
L4 = {"tcp", "udp", "sctp", "icmp", "icmp6", "igmp"}
IPV6_NEXT = {"ipv6_ext", "ipv6_frag"} | L4
GTPU_NEXT = {"gtpu_ext", "gtpu_psc"} | IP
FOLLOWS = {
    None: {"eth"}, "eth": LINK, "vlan": LINK,
    "ipv4": L4, "ipv6": IPV6_NEXT, "ipv6_ext": IPV6_NEXT, "ipv6_frag": IPV6_NEXT,
    "udp": {"gtpu"}, "gtpu": GTPU_NEXT, "gtpu_ext": GTPU_NEXT, "gtpu_psc": GTPU_NEXT,
}

FIXED_SIZES = {"eth": 14, "vlan": 4, "ipv6": 40, "ipv6_frag": 8, "udp": 8, "sctp": 12, "icmp": 8,
               "icmp6": 4, "igmp": 8}
GTPU_PORT = 2152


def number(header, field):
    return int(header.fields[field], 0)


def is_fragment(header):
    return header.token == "ipv6_frag" or header.token == "ipv4" and \
        (header.fields["ip.flags.mf"] == "1" or header.fields["ip.frag_offset"] != "0")


def gtpu_size(header):
    flags = [header.fields["gtp.flags." + flag] for flag in ("e", "s", "pn")]
    return 12 if "1" in flags else 8


def ipv6_ext_size(header):
    if "mip6.hlen" in header.fields:
        return 8 * (number(header, "mip6.hlen") + 1)
    sizes = [field for field in header.fields if field.endswith(".len_oct")]
    return number(header, sizes[0] if sizes else "len_oct")


SIZES = {
    "arp": lambda h: 8 + 2 * number(h, "arp.hw.size") + 2 * number(h, "arp.proto.size"),
    "ipv4": lambda h: number(h, "ip.hdr_len"),
    "ipv6_ext": ipv6_ext_size,
    "tcp": lambda h: number(h, "tcp.hdr_len"),
    "gtpu": gtpu_size,
    "gtpu_ext": lambda h: 4 * number(h, "gtp.ext_hdr.length"),
    "gtpu_psc": lambda h: 4 * number(h, "gtp.ext_hdr.length"),
}


def leads_to(before, header):
    """Do our profiles know this header, in this place?"""
    if header.token not in FOLLOWS.get(before and before.token, ()):
        return False
    if header.token != "gtpu":
        return True
    # tshark shows GTP' and version 0 too.
    return GTPU_PORT in (number(before, "udp.dstport"), number(before, "udp.srcport")) and \
        header.fields.get("gtp.flags.version") == "1" and \
        header.fields.get("gtp.flags.payload") == "1"


def known_headers(headers, captured):
    """The headers that our profiles can find: known, each after a known one, and wholly captured."""
    known = []
    for header in headers:
        try:
            size = SIZES[header.token](header) if header.token in SIZES else FIXED_SIZES[header.token]
            if not leads_to(known[-1] if known else None, header) or header.off + size > captured:
                break
        except KeyError:  # tshark did not get as far as the field that tells
            break
        known.append(header)
    return known


def dissect(capture):
    """For each packet the headers, outermost first."""
    return [known_headers(headers, len(frame)) for headers, (frame, _) in
            zip(tshark.view(capture), harness.pcap_frames(capture), strict=True)]


def is_installed():
    return shutil.which("tshark") is not None
