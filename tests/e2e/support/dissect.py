# SPDX-License-Identifier: BSD-3-Clause
"""What tshark finds in a capture, in the words of our profiles base and gtpu.

tshark knows far more protocols than these two. Each packet is followed from its first byte as long
as one known header leads to another known header; FOLLOWS says which do, and is all that tests know
about the profiles. Sizes come from fields that tshark shows, never from bytes we read ourselves.
"""

import ipaddress
import os
import shutil
import subprocess
import xml.parsers.expat

PREFERENCES = [
    # Each packet by itself, as a NIC sees it.
    "-o", "ip.defragment:FALSE",
    "-o", "ipv6.defragment:FALSE",
    "-o", "tcp.desegment_tcp_streams:FALSE",
    # The first bits of a G-PDU's payload say which IP it is.
    "-o", "gtp.dissect_tpdu_as:TPDU Heuristic",
]
COMMAND = ["tshark", "-n", "-T", "pdml", *PREFERENCES]

# Nobody's own preferences.
ENVIRONMENT = dict(os.environ, LC_ALL="C", WIRESHARK_CONFIG_DIR="/nonexistent")

TOKENS = {
    "eth": "eth", "vlan": "vlan", "ieee8021ad": "vlan", "arp": "arp",
    "ip": "ipv4", "ipv6": "ipv6",
    "ipv6.hopopts": "ipv6_ext", "ipv6.routing": "ipv6_ext", "ipv6.dstopts": "ipv6_ext",
    "mipv6": "ipv6_ext", "ipv6.fraghdr": "ipv6_frag",
    "tcp": "tcp", "udp": "udp", "sctp": "sctp", "icmp": "icmp", "icmpv6": "icmp6", "igmp": "igmp",
    "gtp": "gtpu",
}
BOOLEANS = {"True": "1", "False": "0"}  # tshark 4.2 and later write words
# No headers of the packet, but what tshark adds to it.
REMARKS = {"geninfo", "frame", "fake-field-wrapper", "ethertype"}

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
PSC = 0x85  # of the extension header types of GTP-U
GTPU_PORT = 2152


class Header:
    """A header that tshark found, with the first value of each of its fields."""

    def __init__(self, token, name, offset):
        self.token = token
        self.name = name  # tshark's
        self.offset = offset
        self.fields = {}

    def __contains__(self, field):
        return field in self.fields

    def number(self, field):
        return int(self.fields[field], 0)

    def address(self, field):
        return ipaddress.ip_address(self.fields[field])

    def size(self):
        """Bytes; KeyError where tshark did not get as far as the field that tells."""
        if self.token in FIXED_SIZES:
            return FIXED_SIZES[self.token]
        return SIZES[self.token](self)

    def is_fragment(self):
        if self.token == "ipv6_frag":
            return True
        return self.token == "ipv4" and \
            (self.fields["ip.flags.mf"] == "1" or self.fields["ip.frag_offset"] != "0")


def gtpu_size(header):
    flags = [header.fields["gtp.flags." + flag] for flag in ("e", "s", "pn")]
    return 12 if "1" in flags else 8


def ipv6_ext_size(header):
    if header.name == "mipv6":
        return 8 * (header.number("mip6.hlen") + 1)
    return header.number(header.name + ".len_oct")


SIZES = {
    "arp": lambda h: 8 + 2 * h.number("arp.hw.size") + 2 * h.number("arp.proto.size"),
    "ipv4": lambda h: h.number("ip.hdr_len"),
    "ipv6_ext": ipv6_ext_size,
    "tcp": lambda h: h.number("tcp.hdr_len"),
    "gtpu": gtpu_size,
    "gtpu_ext": lambda h: 4 * h.number("gtp.ext_hdr.length"),
    "gtpu_psc": lambda h: 4 * h.number("gtp.ext_hdr.length"),
}


def leads_to(before, header):
    """Do our profiles know this header, in this place?"""
    if header.token not in FOLLOWS.get(before and before.token, ()):
        return False
    if header.token != "gtpu":
        return True
    # tshark shows GTP-C, GTP' and version 0 too.
    return GTPU_PORT in (before.number("udp.dstport"), before.number("udp.srcport")) and \
        header.fields.get("gtp.flags.version") == "1" and \
        header.fields.get("gtp.flags.payload") == "1"


def known_headers(headers, captured):
    """Those that our profiles can find: known, each after a known one, and wholly captured."""
    known = []
    for header in headers:
        try:
            if not leads_to(known[-1] if known else None, header) or \
                    header.offset + header.size() > captured:
                break
        except KeyError:
            break
        known.append(header)
    return known


class Reader:
    """PDML to headers. Elements come in packet order, nested ones behind their parent."""

    def __init__(self):
        self.packets = []
        self.headers = []
        self.captured = 0
        self.ext_type = 0  # of the GTP-U extension header that comes next

    def start(self, element, attributes):
        if element == "packet":
            self.headers = []
        elif element == "proto":
            self.proto(attributes["name"], attributes)
        elif element == "field":
            self.field(attributes["name"], attributes)

    def end(self, element):
        if element == "packet":
            self.packets.append(known_headers(self.headers, self.captured))

    def proto(self, name, attributes):
        if name not in REMARKS and not name.startswith("_ws."):
            self.headers.append(Header(TOKENS.get(name), name, int(attributes["pos"])))

    def field(self, name, attributes):
        show = attributes.get("show", "")
        if name == "frame.cap_len":
            self.captured = int(show)
        elif name == "gtp.ext_hdr.next":
            self.ext_type = int(show, 0)
        elif name == "gtp.ext_hdr":
            token = "gtpu_psc" if self.ext_type == PSC else "gtpu_ext"
            self.headers.append(Header(token, name, int(attributes["pos"])))
        if self.headers:
            self.headers[-1].fields.setdefault(name, BOOLEANS.get(show, show))


def dissect(capture):
    """For each packet the headers, outermost first."""
    reader = Reader()
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    process = subprocess.run(COMMAND + ["-r", str(capture)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False, env=ENVIRONMENT)
    if process.returncode != 0:
        raise AssertionError(f"tshark: {capture}: {process.stderr.decode()}")
    parser.Parse(process.stdout, True)
    return reader.packets


def is_installed():
    return shutil.which("tshark") is not None
