# SPDX-License-Identifier: BSD-3-Clause
"""The other end of DPDK's telemetry socket, as dpdk-telemetry.py is."""

import json
import socket

from support import eal

SECONDS = 60
REPLY_MAX = 16384


def unique(pairs):
    """An object of JSON: readers keep one of two equal keys, and not all the same one."""
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)


class Client:
    """Of a program that was started with this file prefix in environment(test.folder)."""

    def __init__(self, test, prefix):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        test.addCleanup(self.socket.close)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(eal.telemetry_socket(test.folder, prefix)))
        self.socket.recv(REPLY_MAX)

    def query(self, *words):
        """The answer to a command and its parameters."""
        self.socket.send(",".join(map(str, words)).encode())
        return json.loads(self.socket.recv(REPLY_MAX), object_pairs_hook=unique)[words[0]]

    def pages(self, key, *words):
        """All of a list that comes in pages, and how many of these there were."""
        items, start, n_pages = {}, 0, 0
        while start is not None:
            answer = self.query(*words, start)
            assert answer["start"] == start, answer
            items.update(answer[key])
            start = answer.get("next")
            n_pages += 1
        assert len(items) == answer["count"], answer
        return items, n_pages
