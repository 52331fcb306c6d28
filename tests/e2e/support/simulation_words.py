# SPDX-License-Identifier: BSD-3-Clause
"""simulate's text for people, written a second time from its JSON, with the words of a line apart."""

from support import harness

BAR_LEN, BAR_SHORT, BARS_MAX = 30, 12, 8  # with two candidates, with more; candidates that have bars


def share(part, whole=1, decimals=1):
    """A share that is there is never 0.0%."""
    percent = 100 * part / whole if whole else 0
    if 0 < percent < 0.01:
        return "<0.01%"
    return f"{percent:.{2 if 0 < percent < 0.1 else decimals}f}%"


def bar(part, longest, room):
    """Of what is there, at least one mark is seen."""
    return "#" * max(int(part * room / longest + 0.5), part > 0) if longest else ""


def queues(sides, n_packets):
    if len(sides) > BARS_MAX:
        return
    loads = [[queue["packets"] for queue in side["queues"]] for _, side in sides]
    longest = max(map(max, loads))
    if len(sides) == 2:
        yield "QUEUE", *(word for name, _ in sides for word in ("PACKETS", "SHARE", name))
    else:
        yield "QUEUE", *(name for name, _ in sides)
    for queue, row in enumerate(zip(*loads)):
        words = [queue]
        for n in row:
            words += ([n, share(n, n_packets), bar(n, longest, BAR_LEN)] if len(sides) == 2 else
                      [share(n, n_packets), bar(n, longest, BAR_SHORT)])
        yield words


def outcomes(sides, n_packets):
    dropped = any(side["dropped"] for _, side in sides)
    cores = "cores" in sides[0][1]
    yield ("CANDIDATE IMBALANCE JAIN HOTTEST NO HASH HASHES ENTROPY LEAST", "DROPPED" * dropped,
           "CORES" * cores)
    for name, side in sides:
        shares = [share(side[key], n_packets) for key in ("unhashed", "dropped")]
        yield (name, f"{side['imbalance']:.3f}", f"{side['jain']:.3f}", share(side["hottest"]),
               shares[0], side["hashes"], f"{side['entropy']:.2f}", f"{side['least_imbalance']:.3f}",
               shares[1] if dropped else "", (side["cores"] or "never") if cores else "")


def scaling(sides, core_mpps):
    n_queues = len(sides[0][1]["queues"])
    if n_queues == 1 or len(sides) > BARS_MAX:
        return
    unit = "million packets a second" if core_mpps else "cores' worth of load"
    yield f"{unit} that so many cores with a queue each carry:",
    yield "CORES", *(name for name, _ in sides)
    for n in sorted({1 << i for i in range(11) if 1 << i < n_queues} | {n_queues}):
        words = [n]
        for _, side in sides:
            cores = side["scaling"][n - 1]
            words += [f"{(core_mpps or 1) * cores:.2f}", bar(cores, n_queues, BAR_LEN // 2)]
        yield words


def types(side, n_packets):
    yield "PACKET TYPE PACKETS SHARE IMBALANCE JAIN HOTTEST NO HASH",
    for kind, spread in zip(side["ptypes"], side["ptype_spreads"], strict=True):
        n = kind["packets"]
        yield (kind["name"], n, share(n, n_packets), f"{spread['imbalance']:.3f}", f"{spread['jain']:.3f}",
               share(spread["hottest"]), share(spread["unhashed"], n))


def windows(sides, length):
    n = len(sides[0][1]["windows"])
    if n < 2:
        return
    yield f"over time, in {n} windows of {length:g} s, at worst:",
    for name, side in sides:
        worst = side["worst_window"]
        yield f"{name}: imbalance {side['windows'][worst]['imbalance']:.3f} after {worst * length:g} s",


def flows(side, found, n_packets):
    if not found["top"]:
        return
    largest = found["top"][0]["packets"]
    yield f"flows: {found['number']}, the largest has {share(largest, n_packets, 2)} of the packets:",
    bound = max(largest / n_packets * len(side["queues"]), 1)
    yield f"no hash that keeps it whole can do better than imbalance {bound:.3f}",
    large = [flow for flow in found["top"][:5] if flow["packets"] >= 0.01 * n_packets]
    outer = any(flow["outer"] for flow in found["top"][:5])
    if large:
        yield "LARGEST FLOWS PACKET TYPE PACKETS SHARE QUEUE NIC QUEUE", "OUTER" * outer
    for flow in large:
        queues_of = [", ".join(map(str, flow["queues"][i])) or "-" for i in (0, -1)]
        yield (flow["flow"], flow["ptype"], flow["packets"], share(flow["packets"], n_packets), *queues_of,
               (flow["outer"] or "-") if outer else "")


def meetings(sides):
    first = sides[0][1]
    if len(first["queues"]) == 1:
        return
    for key, one, all_of_them in (("ues", "UE", "UEs"), ("directions", "flow", "flows")):
        if first[key]["number"] == 0:
            continue
        yield (f"both directions of a {one} on one queue?",
               "(the capture has one direction only)" if first["directions"]["number"] == 0 else "")
        for name, side in sides:
            met = side[key]
            if not met["parted"]:
                yield f"{name}: yes, all {met['number']}",
                continue
            (a, b), (on_a, on_b) = met["example"]["packets"], met["example"]["queues"]
            yield (f"{name}: no, {met['parted']} of {met['number']} {all_of_them} are split over "
                   "several queues, such as "
                   f"{met['example']['who']}: packet {a} on queue {on_a}, packet {b} on queue {on_b}",)


def lines(got, core_mpps=0):
    """Of the JSON that simulate gives with the same options, as lists of words."""
    sides = [(side["name"], side) for side in got["candidates"]] + [("fixed-function NIC", got["baseline"])]
    first = sides[0][1]
    n_packets = first["packets"] + first["dropped"]
    found = [*queues(sides, n_packets), *outcomes(sides, n_packets), *scaling(sides, core_mpps),
             *types(first, n_packets), *windows(sides, got["window"]), *flows(first, got["flows"], n_packets),
             *meetings(sides), (f"packets: {n_packets}",)]
    return " ".join(" ".join(map(str, line)) for line in found).split()


def printed(*words):
    text = harness.output_of(harness.tools["ddpctl"], "simulate", *words)
    return text.split()
