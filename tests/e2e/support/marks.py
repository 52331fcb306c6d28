# SPDX-License-Identifier: BSD-3-Clause
"""The mark that ddp-traffic writes where the payload of each packet begins: which packet it is."""

import struct

from support import harness

UDP = 17
GTPU_PORT = 2152
G_PDU = 255


def ip_end(frame, at):
    """The end of the IP header at this place, and the protocol that follows."""
    if frame[at] >> 4 == 4:
        return at + 4 * (frame[at] & 15), frame[at + 9]
    return at + 40, frame[at + 6]


def gtpu_end(frame, at):
    """The begin of the user's packet, behind the optional fields and one extension header."""
    assert frame[at + 1] == G_PDU
    if not frame[at] & 7:
        return at + 8
    at += 12
    return at + 4 * frame[at] if frame[at - 1] != 0 else at


def mark(frame):
    """The number of the packet in its flow, and of the flow. Each UE has harness.FLOWS of these."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    at, protocol = ip_end(frame, at)
    if protocol == UDP and struct.unpack_from(">H", frame, at + 2)[0] == GTPU_PORT:
        at, protocol = ip_end(frame, gtpu_end(frame, at + 8))
    at += 8 if protocol == UDP else 4 * (frame[at + 12] >> 4)
    return struct.unpack_from(">II", frame, at)


def ue(frame):
    """The number of the UE."""
    return mark(frame)[1] // harness.FLOWS
