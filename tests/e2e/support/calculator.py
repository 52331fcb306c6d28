# SPDX-License-Identifier: BSD-3-Clause
"""Every number of simulate --json worked out a second time, from ddpctl.1 and from what classify says of each packet
(packet type, bytes that are hashed, fields), and the decisions of advise from such numbers.

For captures without rules, of at most 65536 packets and 131072 flows, of which nothing is estimated."""

import collections
import ipaddress

from support import harness

QUEUES_MAX = 1024
WINDOWS_MAX, WINDOWS_SHOWN = 4096, 240
LEAST_PACKETS = 64  # of a window, for each queue
AS_GOOD, CLEARLY, EVEN = 1.05, 1.1, 1.25  # imbalances
KEYS_DIFFER = 0.35  # of what they give
OWN_PACKETS = 0.02  # of all
NONE = (None, None)


class Packet:
    """One as a candidate sees it."""

    def __init__(self, line, time_ns, reta_size, hashes):
        self.n = line["n"]
        self.len = line["len"]
        self.ptype = line["ptype"]
        self.fields = line["fields"]
        self.input = line["input"]
        self.time_ns = time_ns
        if self.input is not None and self.input not in hashes:
            hashes[self.input] = harness.toeplitz(bytes.fromhex(self.input))
        self.hash = hashes.get(self.input)
        self.entry = None if self.hash is None else self.hash % reta_size
        self.queue = None  # of an outcome

    def hashed_fields(self):
        """(name, value, bytes) of the fields in the input; extracted ones come behind them."""
        rest = bytes.fromhex(self.input or "")
        for name, value in self.fields.items():
            if not rest:
                return
            size = field_size(name, value)
            yield name, value, rest[:size]
            rest = rest[size:]


def field_size(name, value):
    if isinstance(value, int):
        return {"sport": 2, "dport": 2, "vid": 2, "session": 2, "vni": 3, "teid": 4, "spi": 4}[name.rsplit(".", 1)[1]]
    if value.count(":") == 5 and len(value) == 17:
        return 6
    return 8 if name.endswith("/64") else len(ipaddress.ip_address(value).packed)


class Loads(list):
    def imbalance(self):
        return max(self) * len(self) / sum(self) if sum(self) else 0

    def jain(self):
        return sum(self) ** 2 / (len(self) * sum(n * n for n in self)) if sum(self) else 0

    def hottest(self):
        return max(self) / sum(self) if sum(self) else 0


def loads(packets, n_queues, weight=lambda packet: 1):
    found = Loads([0] * n_queues)
    for packet in packets:
        found[packet.queue] += weight(packet)
    return found


class Capture:
    """Packets with their times in nanoseconds, as a simulation with these options reads them."""

    def __init__(self, path, times, n_queues, reta_size=512, window=None, core_mpps=0, load_mpps=0):
        self.path = path
        self.times = times
        self.n_queues = n_queues
        self.reta_size = reta_size
        self.window_ns = None if window is None else round(window * 1e9)
        self.core_mpps = core_mpps
        self.hashes = {}
        span = max(times) - times[0]
        self.load_mpps = load_mpps or (len(times) * 1e3 / span if span else 0)
        self.seen = {}
        self.length_ns, self.n_windows = self.windows()

    def packets(self, spec):
        if spec not in self.seen:
            self.seen[spec] = [Packet(line, time, self.reta_size, self.hashes) for line, time in
                               zip(harness.classify(spec, self.path), self.times, strict=True)]
        return self.seen[spec]

    def windows(self):
        """Length and number. Unless it is given, as short as 240 of 64 packets a queue on average allow."""
        last = max(self.times) - self.times[0]
        length = self.window_ns or 10**6
        most = WINDOWS_SHOWN if self.window_ns is None else WINDOWS_MAX
        least = LEAST_PACKETS * self.n_queues
        while last // length >= most or (self.window_ns is None and last // length > 0 and
                                         len(self.times) // (last // length + 1) < least):
            length *= 2
        return length, last // length + 1

    def window_of(self, packet):
        return max(packet.time_ns - self.times[0], 0) // self.length_ns


def scaling(packets, entries, unhashed, n):
    """Cores' worth of load that n queues carry until the most loaded one is full."""
    queues = [0] * n
    queues[0] += unhashed
    for entry, count in entries.items():
        queues[entry % n] += count
    return len(packets) / max(queues) if packets else n


def moments(capture, packets):
    found, by_window = [], collections.defaultdict(list)
    for packet in packets:
        by_window[capture.window_of(packet)].append(packet)
    for i in range(capture.n_windows):
        of_it = loads(by_window[i], capture.n_queues)
        found.append({"start": i * capture.length_ns / 1e9, "packets": sum(of_it),
                      "imbalance": of_it.imbalance()})
    return found


def worst_of(capture, windows):
    """The last window may have a few packets, which are uneven by chance."""
    fit = windows
    if len(windows) > 1 and windows[-1]["packets"] < LEAST_PACKETS * capture.n_queues:
        fit = windows[:-1]
    return max(range(len(fit)), key=lambda i: (fit[i]["imbalance"], -i))


def meeting(groups, who):
    """Groups of packets that belong together, each by time: those on several queues, and the first example."""
    parted = []
    for group in groups:
        first = group[0]
        other = next((p for p in group if p.queue != first.queue), None)
        if other is not None:
            parted.append((first, other))
    result = {"number": len(groups), "parted": len(parted)}
    if parted:
        first, other = min(parted, key=lambda pair: pair[0].n)
        result["example"] = {"who": who(first), "packets": [first.n, other.n],
                             "queues": [first.queue, other.queue]}
    return result


class Flows:
    """Flows and UEs of a capture, by what profile `all` and input set gtpu:ue hash."""

    def __init__(self, capture):
        self.by_all = capture.packets("all")
        self.by_ue = capture.packets("gtpu:ue")
        self.flows = collections.defaultdict(list)
        self.ends = collections.defaultdict(list)
        self.ues = collections.defaultdict(list)
        for packet in self.by_all:
            if packet.input is not None:
                self.flows[packet.ptype, packet.input].append(packet)
                self.ends[packet.input].append(packet.n)
        for packet in self.by_ue:
            if ue_address(packet) is not None:
                self.ues[packet.input].append(packet.n)
        self.n_no_ue = sum(packet.input is not None and ue_address(packet) is None and "GTPU" not in packet.ptype
                           for packet in self.by_ue)

    def directions(self):
        """Of flows with both directions, in a tunnel or not: the numbers of their packets."""
        found = {}
        for ends, numbers in self.ends.items():
            back = reverse(self.by_all[numbers[0] - 1])
            if back != ends and back in self.ends:
                found[frozenset((ends, back))] = sorted(numbers + self.ends[back])
        return list(found.values())

    def meetings(self, packets):
        place = {packet.n: packet for packet in packets}
        return {
            "ues": meeting([[place[n] for n in numbers] for numbers in self.ues.values()],
                           lambda first: ue_address(self.by_ue[first.n - 1])),
            "directions": meeting([[place[n] for n in numbers] for numbers in self.directions()],
                                  lambda first: flow_text(self.by_all[first.n - 1])),
        }

    def top(self):
        """Each flow by its text and packet type."""
        return {(flow_text(packets[0]), ptype): (len(packets), sum(p.len for p in packets))
                for (ptype, _), packets in self.flows.items()}


def ue_address(packet):
    """The address, if nothing else is hashed."""
    hashed = list(packet.hashed_fields())
    if len(hashed) != 1 or hashed[0][0].split("/")[0].rsplit(".", 1)[1] not in ("src", "dst"):
        return None
    name, value, _ = hashed[0]
    return value + ("/64" if name.endswith("/64") else "")


def reverse(packet):
    """The input of the other direction."""
    swap = {"src": "dst", "dst": "src", "sport": "dport", "dport": "sport"}
    hashed = {name: data for name, _, data in packet.hashed_fields()}
    other = b""
    for name, data in hashed.items():
        header, _, field = name.rpartition(".")
        other += hashed.get(f"{header}.{swap.get(field)}", data)
    return other.hex()


def flow_text(packet):
    found, rest = {}, []
    for name, value, _ in packet.hashed_fields():
        field = name.rsplit(".", 1)[1]
        if field in ("src", "dst", "sport", "dport") and field not in found:
            found[field] = str(value)
        else:
            rest.append(f"{field}={value}")

    def end(address, port):
        if port in found and ":" in found[address]:
            return f"[{found[address]}]:{found[port]}"
        return found[address] + (f":{found[port]}" if port in found else "")
    words = [f"{end('src', 'sport')} > {end('dst', 'dport')}"] if "src" in found else []
    return " ".join(words + rest)


def outcome(capture, spec, flows):
    """The outcome of one candidate, by the names of simulate --json; base for a fixed-function NIC."""
    packets = capture.packets(spec)
    n_queues = capture.n_queues
    for packet in packets:
        packet.queue = 0 if packet.entry is None else packet.entry % n_queues
    entries = collections.Counter(p.entry for p in packets if p.entry is not None)
    groups = collections.Counter(p.hash for p in packets if p.hash is not None)
    unhashed = sum(p.hash is None for p in packets)
    queues = loads(packets, n_queues)
    sizes = loads(packets, n_queues, lambda packet: packet.len)
    largest = max([unhashed, *groups.values()])
    windows = moments(capture, packets)
    by_type = collections.defaultdict(list)
    for packet in packets:
        by_type[packet.ptype].append(packet)
    types = sorted(by_type, key=lambda name: (-len(by_type[name]), name))
    result = {
        "packets": len(packets),
        "queues": [{"queue": q, "packets": queues[q], "bytes": sizes[q]} for q in range(n_queues)],
        "imbalance": queues.imbalance(),
        "jain": queues.jain(),
        "ptypes": [{"name": name, "packets": len(by_type[name])} for name in types],
        "ptype_spreads": [spread_of(name, by_type[name], n_queues) for name in types],
        "hottest": queues.hottest(),
        "unhashed": unhashed,
        "dropped": 0,
        "hashes": len(groups),
        "entropy": harness.entropy(groups.values()) if groups else 0,
        "largest_hash": largest,
        "least_imbalance": max(largest / len(packets) * n_queues, 1),
        "scaling": [scaling(packets, entries, unhashed, n) for n in range(1, n_queues + 1)],
        "windows": windows,
        "worst_window": worst_of(capture, windows),
        **flows.meetings(packets),
    }
    if capture.core_mpps and capture.load_mpps:
        load = capture.load_mpps / capture.core_mpps
        result["cores"] = next((n for n in range(1, QUEUES_MAX + 1)
                                if scaling(packets, entries, unhashed, n) >= load), None)
    return result


def spread_of(name, packets, n_queues):
    queues = loads(packets, n_queues)
    return {"name": name, "unhashed": sum(p.hash is None for p in packets),
            "imbalance": queues.imbalance(), "jain": queues.jain(), "hottest": queues.hottest()}


def simulation(capture, specs):
    """All of simulate --json but "flows", by the names of the candidates; the fixed-function NIC is of base."""
    flows = Flows(capture)
    outcomes = {spec: outcome(capture, spec, flows) for spec in specs}
    base = outcome(capture, "base", flows)
    return {
        **(outcomes[specs[0]] if specs else base),
        "baseline": base,
        "candidates": [{"name": spec, **outcomes[spec]} for spec in specs],
        "window": capture.length_ns / 1e9,
        "load_mpps": capture.load_mpps,
        "bytes": sum(packet.len for packet in capture.packets("base")),
        "cut": 0,
        "partial": False,
        "no_ue": flows.n_no_ue,
    }


# Advice


class Advice:
    """The candidate to take. n_parts: how many profiles a candidate loads, by its name."""

    def __init__(self, outcomes, base, n_parts, base_types):
        self.base_types = base_types
        self.outcomes = dict(outcomes, **{"fixed-function NIC": base})
        self.base = "fixed-function NIC"
        self.n_parts = n_parts
        self.ranking = sorted((name for name in self.outcomes if not self.is_stood_for(name)),
                              key=lambda name: (self.of(name), name))
        self.equal = self.equal_find()
        best = self.best()
        gain = self.of(best) < self.of(self.base) / CLEARLY
        self.verdict = ("take" if gain else "none needed" if self.of(self.base) <= EVEN
                        else "nothing helps")
        self.profile = best if gain else None

    def of(self, name):
        return self.outcomes[name]["keys"]["imbalance"]["median"]

    def entropy(self, name):
        return round(self.outcomes[name]["entropy"], 9)

    def is_same(self, a, b):
        return self.entropy(a) == self.entropy(b) and all(
            self.outcomes[a][key] == self.outcomes[b][key]
            for key in ("hashes", "unhashed", "queues"))

    def simplicity(self, name):
        """Of those within 5 %: fewest profiles, then most even hash, then one that names an input set."""
        return self.n_parts(name), -self.entropy(name), ":" not in name, name

    def equal_find(self):
        """The candidates that keys do not distinguish from the most even one."""
        first = self.ranking[0]
        keys = self.outcomes[first]["keys"]["imbalance"]
        limit = self.of(first) + max(KEYS_DIFFER * (keys["high"] - keys["low"]), (AS_GOOD - 1) * self.of(first))
        worth = self.of(self.base) / CLEARLY
        if self.of(self.base) > limit and self.of(first) < worth:
            limit = min(limit, worth)
        return [name for name in self.ranking if self.of(name) <= limit]

    def own_packets(self, name):
        return sum(each["packets"] for each in self.outcomes[name]["ptypes"]
                   if each["name"] not in self.base_types)

    def best(self):
        """Of the equal: no profile, else the one made for the most packets, else the simplest."""
        if self.base in self.equal:
            return self.base
        found = self.equal[0]
        for name in self.equal[1:]:
            more = self.own_packets(name) - self.own_packets(found)
            if abs(more) > OWN_PACKETS * self.outcomes[name]["packets"]:
                found = name if more > 0 else found
            elif self.simplicity(name) < self.simplicity(found):
                found = name
        return found

    def is_stood_for(self, name):
        return name != self.base and any(
            other != name and self.is_same(other, name) and
            (other == self.base or self.simplicity(other) < self.simplicity(name))
            for other in self.outcomes)
