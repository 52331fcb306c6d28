# SPDX-License-Identifier: BSD-3-Clause
"""The bytes that a packet's hash is made of, without ddpctl and without the profiles' own text.

What each input set hashes is written down here a second time, by packet type. Addresses, ports, VLAN ids and labels
are read from the packet; other values are those that its case states.
"""

import fnmatch
import ipaddress
import re
import struct

# Words: "tuple" is addresses and ports of the last IP header, "ip" its addresses, "inner.tuple" and "inner.ip" the same
# with names that begin with "inner.", "outer.tuple" and "outer.ip" the same of the first IP header; "macs" are the
# addresses of the first Ethernet header, "macs#2" and "macs#2" of the second one. "header.field" is the value that
# the case states; a packet without it has nothing there. "A | B": B where A has a field that the packet does not have
# or that is 0.
LABELS = "mpls.label mpls#2.label mpls#3.label mpls#4.label mpls#5.label mpls#6.label"

# Unless an input set says otherwise; the first pattern that fits. Types of none of them are hashed as "inner.tuple".
DEFAULT = {
    "ETH": "",
    "ARP": "",
    "UNKNOWN": "",
    "IPV?*": "outer.tuple",
    "VLAN_*": "tuple",
    "QINQ_*": "tuple",
    "AH_UDP": "tuple",
    "AH_TCP": "tuple",
    "AH_SCTP": "tuple",
    "AH": "outer.ip ah.spi",
    "ECPRI": "ecpri.pc_id | macs",
    "ECPRI_UDP": "ecpri.pc_id | tuple",
    "ERSPAN": "macs#2 erspan.session",
    "ESP": "ip esp.spi",
    "GENEVE": "macs#2 geneve.vni",
    "GRE": "outer.ip gre.key",
    "GRE_IN_UDP": "outer.ip udp.sport gre.key",
    "GTPU": "macs#2 gtpu.teid | outer.tuple gtpu.teid",
    "GTPU_OVER_GRE": "inner.tuple gtpu.teid",
    "GTPC": "ip gtpc.teid | ip gtpc.seq gtpc.seq_v2",
    "L2TPV2": "outer.ip l2tpv2.tunnel l2tpv2.session",
    "L2TPV2_CONTROL": "outer.ip l2tpv2.tunnel",
    "L2TPV3": "outer.ip l2tpv3.session",
    "L2TPV3_CONTROL": "outer.ip",
    "L2TPV3_ETH": "inner.macs l2tpv3.session",
    "MACSEC": "macs macsec.sci",
    "MPLS": "macs#2 " + LABELS,
    "MPLS_IN_GRE": "macs#2 " + LABELS + " gre.key",
    "MPLS_IN_UDP": "outer.ip udp.sport mpls.label",
    "NATT_ESP": "outer.tuple esp.spi",
    "NATT_*": "outer.tuple",
    "NSH": "nsh.spi nsh.si mpls.label mpls#2.label macs macs#2",
    "NVGRE": "macs#2 gre.key/24",
    "PFCP_NODE": "tuple",
    "PFCP_SESSION": "ip pfcp.seid | ip pfcp.seq",
    "PPPOE": "pppoe.session vlan.vid vlan#2.vid",
    "PPPOED": "macs vlan.vid vlan#2.vid",
    "PPTP": "outer.ip gre.call_id",
    "QINQ": "macs vlan.vid vlan#2.vid",
    "QUIC": "quic.dcid_high quic.dcid_low | tuple",
    "ROCEV2": "ip bth.dest_qp",
    "SRV6_ETH": "inner.macs",
    "VLAN": "macs vlan.vid",
    "VXLAN": "macs#2 vxlan.vni",
    "VXLAN_GPE": "macs#2 mpls.label mpls#2.label vxlan_gpe.vni udp.sport",
}

SETS = {
    "5tuple": {},
    "inner-5tuple": {},
    "ip": {"VLAN_*": "ip", "QINQ_*": "ip"},
    "inner-ip": {"*_IPV*": "inner.ip", "AH_*": "inner.ip", "AH": "inner.ip"},
    "cvid": {"QINQ*": "vlan#2.vid"},
    "entropy": {"MPLS*": "entropy"},
    "key": {
        "GRE_IN_UDP*": "outer.ip gre.key",
        "GRE*": "outer.ip gre.key",
        "NVGRE*": "gre.key/24",
        "ERSPAN*": "erspan.session",
        "PPTP*": "outer.ip gre.call_id",
    },
    "label": {"MPLS*": "mpls.label"},
    "labels": {"MPLS*": LABELS},
    "outer": {
        "AH*": "outer.ip",
        "ECPRI": "macs",
        "ERSPAN*": "outer.ip",
        "ESP": "ip",
        "GRE_IN_UDP*": "outer.tuple",
        "GRE*": "outer.ip",
        "IPIP*": "outer.ip",
        "MPLS_IN_GRE*": "outer.ip",
        "MPLS_IPV*": "tuple",
        "NVGRE*": "outer.ip",
        "PPPOED": "macs vlan.vid vlan#2.vid",
        "PPPOE*": "macs",
        "PPTP*": "outer.ip",
        "SRV6*": "outer.ip ipv6.flow_label",
        "*": "outer.tuple",
    },
    "pc-id": {"ECPRI*": "ecpri.pc_id"},
    "qp": {"ROCEV2": "bth.dest_qp"},
    "sci": {"MACSEC": "macsec.sci | eth.src"},
    "seid": {"PFCP_SESSION": "pfcp.seid"},
    "session": {
        "L2TPV2*": "outer.dst l2tpv2.tunnel l2tpv2.session",
        "L2TPV3*": "outer.dst l2tpv3.session",
        "PPPOED": "macs vlan.vid vlan#2.vid",
        "PPPOE*": "pppoe.session vlan.vid vlan#2.vid",
    },
    "source": {"ECPRI": "eth.src ecpri.pc_id", "ECPRI_UDP": "outer.src ecpri.pc_id"},
    "spi": {
        "AH*": "ah.spi",
        "ESP": "esp.spi",
        "NATT_ESP": "esp.spi",
        "NATT_IKE": "nat_t_ike.initiator_spi",
        "NSH*": "nsh.spi",
    },
    "svid": {"QINQ*": "vlan.vid"},
    "teid": {"GTPU*": "gtpu.teid", "GTPC": "gtpc.teid | gtpc.seq gtpc.seq_v2"},
    "vid": {"VLAN*": "vlan.vid"},
    "vid-5tuple": {"VLAN_*": "tuple vlan.vid", "QINQ_*": "tuple vlan.vid vlan#2.vid"},
    "vids": {"QINQ*": "vlan.vid vlan#2.vid"},
    "vni": {"GENEVE*": "geneve.vni", "VXLAN_GPE*": "vxlan_gpe.vni", "VXLAN*": "vxlan.vni"},
}

# Shown whatever is hashed, beside all values that a case states but these.
EXTRACTED = {"MPLS*": "mpls.label mpls#2.label", "VLAN*": "vlan.vid", "QINQ*": "vlan.vid vlan#2.vid"}
HASHED_ONLY = {  # name: types
    "gre.key": "MPLS_IN_GRE", "gtpc.seq": "*", "gtpc.seq_v2": "*", "macsec.sci": "*", "nat_t_ike.initiator_spi": "*",
    "pfcp.seid": "*", "pfcp.seq": "*", "quic.dcid_high": "*", "quic.dcid_low": "*",
}

# These hash the one address that is a user's: only a case knows which of the two that is.
USERS = ("ue", "subscriber")

SIZES = {  # in bytes; bits that do not fill them are the last ones
    "ah.spi": 4, "bth.dest_qp": 3, "ecpri.pc_id": 2, "erspan.session": 2, "esp.spi": 4, "geneve.vni": 3,
    "gre.call_id": 2, "gre.key": 4, "gre.key/24": 3, "gtpc.seq": 2, "gtpc.seq_v2": 3, "gtpc.teid": 4,
    "gtpu.teid": 4, "ipv6.flow_label": 3, "l2tpv2.session": 2, "l2tpv2.tunnel": 2, "l2tpv3.session": 4,
    "macsec.sci": 8, "nat_t_ike.initiator_spi": 8, "nsh.si": 1, "nsh.spi": 3,
    "pfcp.seid": 8, "pfcp.seq": 3, "pppoe.session": 2, "quic.dcid_high": 4, "quic.dcid_low": 4,
    "vxlan.vni": 3, "vxlan_gpe.vni": 3,
}
NUMBERED = {"vlan.vid": (0, 2, 0x0fff, 0), "mpls.label": (0, 3, 0xfffff0, 4)}  # place, size, mask, shift

IP = {"ipv4": (12, 16, 4), "ipv6": (8, 24, 16)}  # offsets of the addresses and their size
BETWEEN = ("ah", "ipv6_ext", "ipv6_frag")  # an IP header and its L4 header


class Packet:
    """Its bytes, its headers as (name, offset), and the values that its case states."""

    def __init__(self, data, chain, offsets, values, sizes):
        self.data = data
        self.headers = list(zip(chain, offsets, strict=True))
        self.values = values
        self.sizes = SIZES | sizes

    def nth(self, names, n):
        """Index of the header, n as for lists; None where there is none."""
        found = [i for i, (name, _) in enumerate(self.headers) if name in names]
        return found[n] if -len(found) <= n < len(found) else None

    def cut(self, i, at, size):
        off = self.headers[i][1] + at
        return self.data[off:off + size]

    def ip(self, n, which=("src", "dst"), prefix=""):
        i = self.nth(IP, n)
        if i is None:
            return []
        name = self.headers[i][0]
        src, dst, size = IP[name]
        return [(f"{prefix}{name}.{end}", self.cut(i, src if end == "src" else dst, size)) for end in which]

    def ports(self, n, prefix=""):
        i = self.nth(IP, n)
        if i is None or self.headers[i][0] == "ipv4" and struct.unpack("!H", self.cut(i, 6, 2))[0] & 0x3fff:
            return []
        for i in range(i + 1, len(self.headers)):
            name = self.headers[i][0]
            if name in ("udp", "tcp", "sctp"):
                return [(f"{prefix}{name}.sport", self.cut(i, 0, 2)), (f"{prefix}{name}.dport", self.cut(i, 2, 2))]
            if name not in BETWEEN or name == "ipv6_frag":
                return []
        return []

    def macs(self, n, name="eth"):
        i = self.nth(("eth",), n)
        return [] if i is None else [(name + ".src", self.cut(i, 6, 6)), (name + ".dst", self.cut(i, 0, 6))]

    def numbered(self, name, header, n, place):
        """A field of the nth header of that name."""
        i = self.nth((header,), n - 1)
        if i is None:
            return []
        at, size, mask, shift = place
        value = (int.from_bytes(self.cut(i, at, size), "big") & mask) >> shift
        return [(name, value.to_bytes(size, "big"))]

    def value(self, name):
        header, n, field = re.fullmatch(r"(\w+)(?:#(\d))?\.(.*)", name).groups()
        place = NUMBERED.get(f"{header}.{field}")
        if place:
            return self.numbered(name, header, int(n or 1), place)
        value = self.values.get(name)
        if value is None:
            return []
        if isinstance(value, str):
            return [(name, bytes.fromhex(value.removeprefix("0x")))]
        return [(name, value.to_bytes(self.sizes[name], "big"))]

    def word(self, word):
        """(name, bytes) of each field."""
        read = {
            "inner.tuple": lambda: self.ip(-1, prefix="inner.") + self.ports(-1, "inner."),
            "inner.ip": lambda: self.ip(-1, prefix="inner."),
            "tuple": lambda: self.ip(-1) + self.ports(-1),
            "ip": lambda: self.ip(-1),
            "outer.tuple": lambda: self.ip(0) + self.ports(0),
            "outer.ip": lambda: self.ip(0),
            "outer.src": lambda: self.ip(0, ("src",)),
            "outer.dst": lambda: self.ip(0, ("dst",)),
            "udp.sport": lambda: self.ports(0)[:1],
            "macs": lambda: self.macs(0),
            "macs#2": lambda: self.macs(1, "eth#2"),
            "inner.macs": lambda: self.macs(1, "inner.eth"),
            "eth.src": lambda: self.macs(0)[:1],
            "entropy": self.entropy,
        }.get(word)
        return read() if read else self.value(word)

    def entropy(self):
        """RFC 6790: the label behind the entropy label indicator, 7; without one all labels."""
        labels = self.fields(LABELS)
        for (_, label), following in zip(labels, labels[1:]):
            if label == bytes((0, 0, 7)):
                return [following]
        return labels

    def has(self, words):
        return all(any(any(data) for _, data in self.word(word)) for word in words.split())

    def fields(self, words):
        first, _, other = words.partition(" | ")
        chosen = first if not other or self.has(first) else other
        return [field for word in chosen.split() for field in self.word(word)]

    def shown(self, name, data):
        """The value as ddpctl shows it."""
        if name in self.values:
            return self.values[name]
        if name.endswith((".src", ".dst")):
            return data.hex(":") if len(data) == 6 else str(ipaddress.ip_address(data))
        return int.from_bytes(data, "big")


def words_of(ptype, input_set):
    """The hash input of a packet type, as words."""
    for table in (SETS[input_set] if input_set else {}, DEFAULT):
        for pattern, words in table.items():
            if fnmatch.fnmatchcase(ptype, pattern):
                return words
    return "inner.tuple"


def expected(case, offsets, input_set, sizes):
    """(fields, bytes) as classify --jsonl writes them, no bytes where nothing is hashed. sizes: where a parameter
    alters them."""
    packet = Packet(case.packet, case.chain, offsets, case.values, sizes)
    hashed = packet.fields(words_of(case.ptype, input_set))
    extracted = [field for pattern, words in EXTRACTED.items() if fnmatch.fnmatchcase(case.ptype, pattern)
                 for field in packet.fields(words)]
    shown = {name: packet.shown(name, data) for name, data in hashed + extracted}
    shown |= {name: value for name, value in case.values.items()
              if not fnmatch.fnmatchcase(case.ptype, HASHED_ONLY.get(name, ""))}
    return (shown, b"".join(data for _, data in hashed).hex() or None)


def users(fields):
    """The hash input of a set of USERS, by the fields that are hashed and extracted with that set."""
    found = b""
    for name, value in fields.items():
        if re.search(r"\bipv[46]\.(src|dst)", name):
            size = 8 if name.endswith("/64") else None
            found += ipaddress.ip_address(value).packed[:size]
    return found.hex()
