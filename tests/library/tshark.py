# SPDX-License-Identifier: BSD-3-Clause
"""Output of tshark for a capture, in our tokens: for each packet the headers (our token, offset) and
their fields. Header by header: nothing is reassembled, and the first protocol that is none of ours ends
it, whether tshark knows it or guesses."""

import os
import re
import xml.etree.ElementTree

from support import harness

OPTIONS = ["-n", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-o", "tcp.desegment_tcp_streams:FALSE",
           "-o", "sctp.reassembly:FALSE"]

# Nobody's own preferences.
ENVIRONMENT = dict(os.environ, LC_ALL="C", WIRESHARK_CONFIG_DIR="/nonexistent")

# tshark's protocol -> our token. What is not here ends the chain: it is an application's.
TOKENS = {name: name for name in (
    "eth", "vlan", "arp", "mpls", "macsec", "pppoed", "ppp", "ipv6", "tcp", "udp", "sctp", "icmp", "igmp", "esp", "ah",
    "gre", "erspan", "vxlan", "geneve", "nsh", "pfcp", "ecpri", "quic")} | {
    "ieee8021ad": "vlan",
    "pppoes": "pppoe",
    "ip": "ipv4",
    "ipv6.hopopts": "ipv6_ext",
    "ipv6.routing": "ipv6_ext",
    "ipv6.dstopts": "ipv6_ext",
    "mipv6": "ipv6_ext",
    "ipv6.fraghdr": "ipv6_frag",
    "icmpv6": "icmp6",
    "gtp": "gtpu",
    "gtpv2": "gtpc",
    "l2tp": "l2tpv2",
    "infiniband": "bth",
}

BOOLEANS = {"True": "1", "False": "0"}  # tshark 4.2 and later write words

# Layers of tshark that are no headers.
NEUTRAL = {"geninfo", "frame", "ethertype", "fake-field-wrapper", "data", "etherip", "pwethheuristic", "pwethcw",
           "pwethnocw", "udpencap"}

# Bytes without which a header is none; tshark shows parts of headers, too.
AT_LEAST = {
    "eth": 14, "vlan": 4, "arp": 8, "mpls": 4, "pppoe": 6, "pppoed": 6, "ppp": 1,
    "ipv4": 20, "ipv6": 40, "ipv6_ext": 8, "ipv6_frag": 8,
    "tcp": 20, "udp": 8, "sctp": 12, "icmp": 8, "icmp6": 4, "igmp": 8,
    "gre": 4, "vxlan": 8, "vxlan_gpe": 8, "geneve": 8, "nsh": 8, "gtpu": 8,
}

# Packets inside these are quotations.
LAST = {"icmp", "icmp6", "igmp", "arp"}

# Our field -> tshark's; several where it has several names for it.
FIELDS = {name: [name] for name in (
    "eth.src", "eth.dst", "mpls.label", "ipv6.src", "ipv6.dst", "gre.key", "gre.checksum", "vxlan.vni",
    "geneve.vni", "nsh.spi", "nsh.si", "pfcp.seid", "esp.spi", "ah.spi")} | {
    f"{l4}.{ours}": [f"{l4}.{theirs}"] for l4 in ("udp", "tcp", "sctp")
    for ours, theirs in (("sport", "srcport"), ("dport", "dstport"))} | {
    "vlan.vid": ["vlan.id", "ieee8021ad.id", "ieee8021ad.svid", "ieee8021ad.cvid"],
    "vlan.pcp": ["vlan.priority", "ieee8021ad.priority"],
    "pppoe.session": ["pppoe.session_id"],
    "pppoed.session": ["pppoe.session_id"],
    "ipv4.src": ["ip.src"],
    "ipv4.dst": ["ip.dst"],
    "ipv4.id": ["ip.id"],
    "ipv6.flow_label": ["ipv6.flow"],
    "gre.sequence": ["gre.sequence_number"],
    "gre.ack": ["gre.ack_number"],
    "gre.call_id": ["gre.key.call_id"],
    "erspan.session": ["erspan.spanid"],
    "vxlan_gpe.vni": ["vxlan.vni"],
    "gtpu.teid": ["gtp.teid"],
    "gtpu.seq": ["gtp.seq_number"],
    "gtpu.npdu": ["gtp.npdu_number"],
    "gtpu_psc.qfi": ["gtp.ext_hdr.pdu_ses_con.qos_flow_id"],
    "gtpc.teid": ["gtp.teid", "gtpv2.teid"],
    "gtpc.seq": ["gtp.seq_number", "gtpv2.seq"],
    "l2tpv2.tunnel": ["l2tp.tunnel"],
    "l2tpv2.session": ["l2tp.session"],
    "l2tpv3.session": ["l2tp.sid"],
    "ecpri.pc_id": ["ecpri.pcid", "ecpri.rtcid", "ecpri.rtcd.rtcid"],
    "ecpri.seq_id": ["ecpri.seqid", "ecpri.iqd.seqid", "ecpri.rtcd.seqid"],
    "bth.dest_qp": ["infiniband.bth.destqp"],
}


class Header:
    """One header: token, offset and size, and its fields by tshark's names (the first of a name)."""

    def __init__(self, token, off, size):
        self.token = token
        self.off = off
        self.size = size
        self.fields = {}

    def get(self, name):
        """tshark's value of our field header.name; None when it has none, KeyError: unknown to us."""
        for known in FIELDS[self.token + "." + name]:
            if known in self.fields:
                return value_of(self.fields[known])
        return None


def value_of(text):
    """A number where it is one, else the address's text."""
    if re.fullmatch(r"0x[0-9a-f]+", text):
        return int(text, 16)
    return int(text) if text.isdigit() else text


def refine(header, element, before):
    """Tokens of ours that share one protocol of tshark's. Returns the headers, none or more."""
    fields = header.fields
    if header.token == "vxlan" and "vxlan.next_proto" in fields:
        header.token = "vxlan_gpe"
    elif header.token == "gtpu":
        udp = before[-1].fields
        if "2123" in (udp.get("udp.dstport"), udp.get("udp.srcport")):
            header.token = "gtpc"
            return [header]
        return [header] + gtpu_extensions(element)
    elif header.token == "gtpc" and before[-1].token == "gtpc":
        return [] # piggybacked
    elif header.token == "sctp" and "sctp.srcport" not in fields:
        return [] # a further chunk
    elif "ieee8021ad.cvid" in fields: # two tags of 0x88a8 are one protocol
        second = Header("vlan", header.off + 4, 4)
        second.fields["ieee8021ad.cvid"] = fields["ieee8021ad.cvid"]
        return [header, second]
    elif header.token == "erspan" and "erspan.spanid" not in fields:
        return [] # type I, which has no header, or no known version
    elif header.token == "l2tpv2" and fields.get("l2tp.version", "3") == "3":
        header.token = "l2tpv3"
    return [header]


def is_other(header):
    """Does tshark call something an IP header that says to be another version's?"""
    version = header.fields.get("ip.version", header.fields.get("ipv6.version"))
    return header.token in ("ipv4", "ipv6") and version != header.token[-1]


def gtpu_extensions(element):
    """The offset is that of the length octet."""
    found = []
    for field in element.iter("field"):
        if field.get("name") != "gtp.ext_hdr.length":
            continue
        token = "gtpu_ext"
        tree = [f for f in element.iter("field") if field in list(f)]
        if tree and any(f.get("name", "").startswith("gtp.ext_hdr.pdu_ses_con")
                        for f in tree[0].iter("field")):
            token = "gtpu_psc"
        header = Header(token, int(field.get("pos")), 4 * int(field.get("show"), 0))
        if tree:
            fields_collect(header, tree[0])
        found.append(header)
    return found


def fields_collect(header, element):
    """Fields of the protocol itself, not of protocols inside it."""
    for child in element:
        if child.tag == "proto" or child.get("name") in TOKENS:
            continue
        name = child.get("name")
        if name and name not in header.fields:
            show = child.get("show", "")
            header.fields[name] = BOOLEANS.get(show, show)
        fields_collect(header, child)


def headers_collect(element, found):
    """Append headers in the packet's order; False at the first thing that is none of ours."""
    for child in element:
        name = child.get("name", "")
        if child.tag == "proto" or name in TOKENS:
            if name in NEUTRAL or name.startswith("_ws."):
                continue
            if name not in TOKENS:
                return False
            header = Header(TOKENS[name], int(child.get("pos")), int(child.get("size")))
            fields_collect(header, child)
            if is_other(header):
                return False
            found.extend(refine(header, child, found))
            if header.token in LAST:
                return False
        if not headers_collect(child, found):
            return False
    return True


def view(pcap, options=()):
    """A list of packets, each a list of headers."""
    text = harness.output_of("tshark", *OPTIONS, *options, "-r", pcap, "-T", "pdml", env=ENVIRONMENT)
    packets = []
    for packet in xml.etree.ElementTree.fromstring(text):
        found = []
        headers_collect(packet, found)
        packets.append(found)
    return packets
