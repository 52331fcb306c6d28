# SPDX-License-Identifier: BSD-3-Clause
"""Packets for tests, built from layers: packet(eth(), vlan(5), ipv4(), udp(), vxlan(7), eth(), ...).

A layer fills in what it can: the number by which the next layer is announced (EtherType, IP protocol,
UDP port, ...), lengths and the IPv4 header checksum. What a test wants otherwise it gives. Plain bytes
may stand for any layer.
"""

import ipaddress
import struct

MAC_A, MAC_B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
IP_A, IP_B = "192.0.2.1", "198.51.100.2"
IP6_A, IP6_B = "2001:db8:1::1", "2001:db8:2::2"
DATA = bytes(range(0x40, 0x60))


class Layer:
    """build(payload, next layer or None) -> bytes. numbers: how layers before it announce it."""

    def __init__(self, build, **numbers):
        self.build = build
        self.numbers = numbers


def packet(*layers):
    data, follow = b"", None
    for layer in reversed(layers):
        if isinstance(layer, bytes):
            data, follow = layer + data, None
        else:
            data, follow = layer.build(data, follow), layer
    return data


def announced(given, follow, kind, default=0):
    """The number to announce the next layer with: what the test gives, or the next layer's own."""
    if given is not None:
        return given
    return default if follow is None else follow.numbers.get(kind, default)


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def addr(text):
    return ipaddress.ip_address(text).packed


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def u24(number):
    return number.to_bytes(3, "big")


# Link


def eth(src=MAC_A, dst=MAC_B, type=None):
    def build(payload, follow):
        return mac(dst) + mac(src) + struct.pack("!H", announced(type, follow, "ethertype")) + payload
    return Layer(build, ethertype=0x6558, ppp=0x0031, gpe=3, nsh=3, ip=143)


def vlan(vid, pcp=0, dei=0, tpid=0x8100, type=None):
    def build(payload, follow):
        tci = pcp << 13 | dei << 12 | vid
        return struct.pack("!HH", tci, announced(type, follow, "ethertype")) + payload
    return Layer(build, ethertype=tpid)


def arp(oper=1, sender=IP_A, target=IP_B):
    return Layer(lambda payload, follow: struct.pack("!HHBBH", 1, 0x0800, 6, 4, oper) + mac(MAC_A) + addr(sender) +
                 mac(MAC_B) + addr(target) + payload, ethertype=0x0806)


def mpls(label, tc=0, s=None, ttl=64):
    def build(payload, follow):
        bottom = s
        if bottom is None:
            bottom = 0 if follow is not None and follow.numbers.get("mpls") else 1
        return struct.pack("!I", label << 12 | tc << 9 | bottom << 8 | ttl) + payload
    return Layer(build, ethertype=0x8847, ip=137, port=6635, ppp=0x0281, gpe=5, nsh=5, mpls=True)


def control_word(flags=0, frag=0, length=0, seq=0):
    """Of a pseudowire, RFC 4385: first nibble 0."""
    def build(payload, follow):
        return struct.pack("!BBH", flags & 0xf, frag << 6 | length, seq) + payload
    return Layer(build)


def macsec(pn=1, sci=None, c=0, e=0, an=0, sl=0, es=0, type=None):
    """SecTAG; c = e = 0: only integrity, what follows is in clear (give type)."""
    def build(payload, follow):
        tci = es << 6 | (sci is not None) << 5 | e << 3 | c << 2 | an
        data = struct.pack("!BBI", tci, sl, pn)
        if sci is not None:
            data += struct.pack("!Q", sci)
        if not e and not c:
            data += struct.pack("!H", announced(type, follow, "ethertype"))
        return data + payload
    return Layer(build, ethertype=0x88e5)


# PPP


def pppoed(code=0x09, session=0, tags=b"\x01\x01\0\0", version=0x11):
    return Layer(lambda payload, follow: struct.pack("!BBHH", version, code, session, len(tags)) + tags + payload,
                 ethertype=0x8863)


def pppoe(session, code=0, length=None, version=0x11):
    """version: and type."""
    def build(payload, follow):
        size = len(payload) if length is None else length
        return struct.pack("!BBHH", version, code, session, size) + payload
    return Layer(build, ethertype=0x8864)


def ppp(protocol=None, address=False, short=False):
    """address: with the FF 03 that HDLC-like framing has; short: protocol in one byte."""
    def build(payload, follow):
        number = announced(protocol, follow, "ppp")
        return ((b"\xff\x03" if address else b"") +
                (struct.pack("!B", number) if short else struct.pack("!H", number)) + payload)
    return Layer(build, ethertype=0x880b)


def lcp(code=9, ident=1, data=b"\x12\x34\x56\x78"):
    return Layer(lambda payload, follow: struct.pack("!BBH", code, ident, 4 + len(data)) + data + payload, ppp=0xc021)


def l2tpv2(tunnel, session, length=False, ns=None, offset=None, priority=0, control=False, nr=0):
    """ns: with sequence numbers; offset: that many bytes of padding behind the header."""
    def build(payload, follow):
        flags = (control << 15 | length << 14 | (ns is not None) << 11 |
                 (offset is not None) << 9 | priority << 8 | 2)
        tail = struct.pack("!HH", tunnel, session)
        if ns is not None:
            tail += struct.pack("!HH", ns, nr)
        if offset is not None:
            tail += struct.pack("!H", offset) + b"\0" * offset
        size = 2 + 2 * length + len(tail) + len(payload)
        return struct.pack("!H", flags) + (struct.pack("!H", size) if length else b"") + tail + payload
    return Layer(build, port=1701)


def l2tpv3(session, cookie=b"", sublayer=b""):
    """Over IP (protocol 115); session 0 is the control channel."""
    return Layer(lambda payload, follow: struct.pack("!I", session) + cookie + sublayer + payload, ip=115)


def l2tpv3_udp(session, cookie=b"", sublayer=b"", control=False):
    """Over UDP; control: session is the control connection's id."""
    def build(payload, follow):
        if control:
            size = 12 + len(payload)
            return struct.pack("!HHIHH", 0xc803, size, session, 0, 0) + payload
        return struct.pack("!HHI", 0x0003, 0, session) + cookie + sublayer + payload
    return Layer(build, port=1701)


# IP


def ipv4(src=IP_A, dst=IP_B, proto=None, tos=0, ttl=64, id=1, df=0, mf=0, frag=0, options=b"",
         length=None):
    """frag in units of 8 bytes; options: a multiple of 4 bytes."""
    def build(payload, follow):
        ihl = 5 + len(options) // 4
        size = 4 * ihl + len(payload) if length is None else length
        head = [0x40 | ihl, tos, size, id, df << 14 | mf << 13 | frag, ttl,
                announced(proto, follow, "ip", 253), 0, addr(src), addr(dst)]
        head[7] = checksum(struct.pack("!BBHHHBBH4s4s", *head) + options)
        return struct.pack("!BBHHHBBH4s4s", *head) + options + payload
    return Layer(build, ethertype=0x0800, ip=4, ppp=0x0021, gpe=1, nsh=1)


def ipv6(src=IP6_A, dst=IP6_B, next=None, traffic_class=0, flow_label=0, hop_limit=64):
    return Layer(lambda payload, follow: struct.pack("!IHBB", 6 << 28 | traffic_class << 20 | flow_label, len(payload),
                                                     announced(next, follow, "ip", 253), hop_limit) +
                 addr(src) + addr(dst) + payload, ethertype=0x86dd, ip=41, ppp=0x0057, gpe=2, nsh=2)


def ipv6_ext(number, body=b"\x01\x04\0\0\0\0", next=None):
    """body: 6 bytes or 8 more, ...; the default is a PadN option."""
    return Layer(lambda payload, follow: struct.pack("!BB", announced(next, follow, "ip", 59), len(body) // 8) +
                 body + payload, ip=number)


def hopopts(**args):
    return ipv6_ext(0, **args)


def dstopts(**args):
    return ipv6_ext(60, **args)


def mobility(**args):
    return ipv6_ext(135, body=b"\x05\0\0\0\0\0", **args)


def srh(segments, left=None, tag=0, tlvs=b"", **args):
    """Segment routing header; segments in the order of the header (the last one is the first)."""
    body = struct.pack("!BBBBH", 4, len(segments) - 1 if left is None else left,
                       len(segments) - 1, 0, tag)
    return ipv6_ext(43, body=body + b"".join(addr(s) for s in segments) + tlvs, **args)


def ipv6_frag(offset=0, mf=1, id=1, next=None):
    return Layer(lambda payload, follow: struct.pack("!BBHI", announced(next, follow, "ip", 59), 0,
                                                     offset << 3 | mf, id) + payload, ip=44)


def icmp(type=8, code=0):
    return Layer(lambda payload, follow: struct.pack("!BBHHH", type, code, 0, 1, 1) + payload, ip=1)


def icmp6(type=128, code=0):
    return Layer(lambda payload, follow: struct.pack("!BBHHH", type, code, 0, 1, 1) + payload, ip=58)


def igmp(type=0x16, group="224.0.0.251"):
    return Layer(lambda payload, follow: struct.pack("!BBH", type, 0, 0) + addr(group) + payload, ip=2)


# Transport. Checksums are what a test wants: tests of checksums check nothing else.


def tcp(sport=40000, dport=40001, flags=0x10, options=b"", checksum=0):
    return Layer(lambda payload, follow: struct.pack("!HHIIBBHHH", sport, dport, 1, 1, (5 + len(options) // 4) << 4,
                                                     flags, 1024, checksum, 0) + options + payload, ip=6)


def udp(sport=50000, dport=None, checksum=0):
    def build(payload, follow):
        port = announced(dport, follow, "port", 50001)
        return struct.pack("!HHHH", sport, port, 8 + len(payload), checksum) + payload
    return Layer(build, ip=17)


def sctp(sport=60000, dport=60001, checksum=0):
    return Layer(lambda payload, follow: struct.pack("!HHII", sport, dport, 1, checksum) + payload, ip=132)


def esp(spi, seq=1):
    return Layer(lambda payload, follow: struct.pack("!II", spi, seq) + payload, ip=50, port=4500)


def ah(spi, seq=1, icv=b"\0" * 12, next=None):
    return Layer(lambda payload, follow: struct.pack("!BBHII", announced(next, follow, "ip", 59),
                                                     1 + len(icv) // 4, 0, spi, seq) + icv + payload, ip=51)


# Tunnels


def gre(key=None, seq=None, checksum=False, routing=None, protocol=None, flags=0):
    """RFC 2784, 2890; routing: source route entries of RFC 1701, the last one empty."""
    def build(payload, follow):
        bits = (flags | checksum << 15 | (routing is not None) << 14 | (key is not None) << 13 |
                (seq is not None) << 12)
        data = struct.pack("!HH", bits, announced(protocol, follow, "ethertype"))
        if checksum or routing is not None:
            data += struct.pack("!HH", 0, 0)
        if key is not None:
            data += struct.pack("!I", key)
        if seq is not None:
            data += struct.pack("!I", seq)
        return data + (routing or b"") + payload
    return Layer(build, ip=47, port=4754)


def nvgre(vsid, flow=0):
    return gre(key=vsid << 8 | flow)


def gre_pptp(call, seq=None, ack=None):
    """Version 1, RFC 2637. Without seq there is no payload."""
    def build(payload, follow):
        bits = 0x2001 | (seq is not None) << 12 | (ack is not None) << 7
        data = struct.pack("!HHHH", bits, 0x880b, len(payload), call)
        if seq is not None:
            data += struct.pack("!I", seq)
        if ack is not None:
            data += struct.pack("!I", ack)
        return data + payload
    return Layer(build, ip=47)


def erspan2(session, vlan=0, cos=0, index=0):
    return Layer(lambda payload, follow: struct.pack("!HHI", 1 << 12 | vlan, cos << 13 | session, index) + payload,
                 ethertype=0x88be)


def erspan3(session, vlan=0, cos=0, timestamp=1, sgt=0, ft=0, o=None):
    """o: the 8 bytes of the platform specific subheader."""
    return Layer(lambda payload, follow: struct.pack("!HHIHH", 2 << 12 | vlan, cos << 13 | session, timestamp, sgt,
                                                     ft << 10 | (o is not None)) + (o or b"") + payload,
                 ethertype=0x22eb)


def vxlan(vni, flags=0x08, group=0):
    return Layer(lambda payload, follow: struct.pack("!BBH", flags, 0, group) + u24(vni) + b"\0" + payload, port=4789)


def vxlan_gpe(vni, next=None, flags=0x0c):
    def build(payload, follow):
        return struct.pack("!BHB", flags, 0, announced(next, follow, "gpe")) + u24(vni) + b"\0" + payload
    return Layer(build, port=4790)


def geneve(vni, options=b"", oam=0, critical=0, protocol=None):
    return Layer(lambda payload, follow: struct.pack("!BBH", len(options) // 4, oam << 7 | critical << 6,
                                                     announced(protocol, follow, "ethertype")) + u24(vni) + b"\0" +
                 options + payload, port=6081)


def geneve_option(cls=0x0102, type=1, data=b"\0\0\0\1"):
    return struct.pack("!HBB", cls, type, len(data) // 4) + data


def nsh(spi, si=255, context=b"\0" * 16, md=1, next=None, ttl=63, oam=0):
    """RFC 8300. md 1 has 16 bytes of context; md 2 any multiple of 4."""
    def build(payload, follow):
        first = oam << 29 | ttl << 22 | (2 + len(context) // 4) << 16 | md << 8
        return struct.pack("!II", first | announced(next, follow, "nsh"), spi << 8 | si) + context + payload
    return Layer(build, ethertype=0x894f, gpe=4, nsh=4)


def gtpu(teid, type=255, seq=None, npdu=None, ext=(), length=None):
    """ext: extension headers as (type, body) with a body of 2, 6, 10, ... bytes; see psc()."""
    def build(payload, follow):
        flags = 0x30 | bool(ext) << 2 | (seq is not None) << 1 | (npdu is not None)
        data = b""
        if flags & 7:
            data = struct.pack("!HB", seq or 0, npdu or 0)
            for number, body in ext:
                data += struct.pack("!BB", number, (len(body) + 2) // 4) + body
            data += b"\0"
        size = len(data) + len(payload) if length is None else length
        return struct.pack("!BBHI", flags, type, size, teid) + data + payload
    return Layer(build, port=2152)


def psc(pdu_type, qfi):
    """PDU session container."""
    return 0x85, struct.pack("!BB", pdu_type << 4, qfi)


def gtpc1(teid, type=16, seq=1):
    def build(payload, follow):
        return struct.pack("!BBHIHBB", 0x32, type, 4 + len(payload), teid, seq, 0, 0) + payload
    return Layer(build, port=2123)


def gtpc2(teid, type=32, seq=1, piggyback=0):
    """teid None: without one (echo)."""
    def build(payload, follow):
        rest = (b"" if teid is None else struct.pack("!I", teid)) + u24(seq) + b"\0" + payload
        return struct.pack("!BBH", 0x40 | piggyback << 4 | (teid is not None) << 3, type,
                           len(rest)) + rest
    return Layer(build, port=2123)


def pfcp(seid=None, type=None, seq=1):
    """With a SEID: a session message."""
    def build(payload, follow):
        kind = type if type is not None else (1 if seid is None else 50)
        rest = (b"" if seid is None else struct.pack("!Q", seid)) + u24(seq) + b"\0" + payload
        return struct.pack("!BBH", 0x20 | (seid is not None), kind, len(rest)) + rest
    return Layer(build, port=8805)


def ecpri(type, body, more=0, revision=1):
    def build(payload, follow):
        return struct.pack("!BBH", revision << 4 | more, type, len(body) + len(payload)) + body + payload
    return Layer(build, ethertype=0xaefe)


def bth(opcode, qp, psn=0, version=0):
    """RoCE v2: InfiniBand's base transport header in UDP."""
    return Layer(lambda payload, follow: struct.pack("!BBHII", opcode, 0x40 | version, 0xffff, qp, psn) + payload,
                 port=4791)


def quic_long(dcid, scid=b"", type=0, version=1):
    return Layer(lambda payload, follow: struct.pack("!BI", 0xc0 | type << 4, version) + bytes([len(dcid)]) + dcid +
                 bytes([len(scid)]) + scid + payload, port=443)


def quic_short(dcid):
    return Layer(lambda payload, follow: b"\x40" + dcid + payload, port=443)


def pcap(packets):
    """A capture file's bytes; a packet may be (bytes, length on the wire)."""
    parts = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
    for n, one in enumerate(packets):
        one, length = one if isinstance(one, tuple) else (one, len(one))
        parts += [struct.pack("<IIII", 1700000000, n, len(one), length), one]
    return b"".join(parts)
