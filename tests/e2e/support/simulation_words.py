# SPDX-License-Identifier: BSD-3-Clause
"""The rows of simulate's text output, written a second time from its JSON."""

from support import harness

TABLES_MAX = 8  # candidates that have a table of queues and of cores


def share(part, whole=1, decimals=1):
    """A share that is there is never 0.0%."""
    percent = 100 * part / whole if whole else 0
    if 0 < percent < 0.01:
        return "<0.01%"
    return f"{percent:.{2 if 0 < percent < 0.1 else decimals}f}%"


def loads(sides, n_packets, core_mpps):
    """Of queues, as a whole, and of cores; bars are left out."""
    n_queues = len(sides[0][1]["queues"])
    for queue in range(n_queues if len(sides) <= TABLES_MAX else 0):
        packets = [side["queues"][queue]["packets"] for _, side in sides]
        yield queue, *(word for n in packets for word in ((n, share(n, n_packets)) if len(sides) == 2 else
                                                          (share(n, n_packets),)))
    for name, side in sides:
        yield (name, f"{side['imbalance']:.3f}", f"{side['jain']:.3f}", share(side["hottest"]),
               share(side["unhashed"], n_packets), side["hashes"], f"{side['entropy']:.2f}",
               f"{side['least_imbalance']:.3f}",
               *([share(side["dropped"], n_packets)] if any(other["dropped"] for _, other in sides) else []),
               *([side["cores"] or "never"] if "cores" in side else []))
    if 1 < n_queues and len(sides) <= TABLES_MAX:
        for n in sorted({1 << i for i in range(11) if 1 << i < n_queues} | {n_queues}):
            yield n, *(f"{(core_mpps or 1) * side['scaling'][n - 1]:.2f}" for _, side in sides)


def flows(side, found, n_packets):
    if not found["top"]:
        return
    largest = found["top"][0]["packets"]
    yield f"flows: {found['number']}, the largest has {share(largest, n_packets, 2)} of the packets:",
    yield f"can do better than imbalance {max(largest / n_packets * len(side['queues']), 1):.3f}",
    outer = any(flow["outer"] for flow in found["top"][:5])
    for flow in found["top"][:5]:
        if flow["packets"] >= 0.01 * n_packets:
            queues_of = [", ".join(map(str, flow["queues"][i])) or "-" for i in (0, -1)]
            yield (flow["flow"], flow["ptype"], flow["packets"], share(flow["packets"], n_packets), *queues_of,
                   *([flow["outer"] or "-"] if outer else []))


def meetings(sides):
    first = sides[0][1]
    for key, all_of_them in (("ues", "UEs"), ("directions", "flows")):
        for name, side in sides if first[key]["number"] and len(first["queues"]) > 1 else []:
            met = side[key]
            yield f"{name}:", *([f"no, {met['parted']} of {met['number']} {all_of_them} are split over several queues, "
                                 f"such as {met['example']['who']}:",
                                 ", ".join(f"packet {n} on queue {queue}" for n, queue in
                                           zip(met["example"]["packets"], met["example"]["queues"]))]
                                if met["parted"] else [f"yes, all {met['number']}"])


def rows(got, core_mpps):
    sides = [(side["name"], side) for side in got["candidates"]] + [("fixed-function NIC", got["baseline"])]
    first = sides[0][1]
    n_packets = first["packets"] + first["dropped"]
    yield from loads(sides, n_packets, core_mpps)
    for kind, spread in zip(first["ptypes"], first["ptype_spreads"], strict=True):
        n = kind["packets"]
        yield (kind["name"], n, share(n, n_packets), f"{spread['imbalance']:.3f}", f"{spread['jain']:.3f}",
               share(spread["hottest"]), share(spread["unhashed"], n))
    for name, side in sides if len(first["windows"]) > 1 else []:
        worst = side["worst_window"]
        yield f"{name}: imbalance {side['windows'][worst]['imbalance']:.3f} after {worst * got['window']:g} s",
    yield from flows(first, got["flows"], n_packets)
    yield from meetings(sides)
    yield f"packets: {n_packets}",


def check(case, got, *words, core_mpps=0):
    """The text has the rows of the JSON that simulate gives with the same options, in order."""
    text = harness.output_of(harness.tools["ddpctl"], "simulate", *words)
    text = f" {' '.join(word for word in text.split() if set(word) != {'#'})} "
    at = 0
    for row in rows(got, core_mpps):
        shown = f" {' '.join(map(str, row))} "
        case.assertIn(shown, text[at:])
        at = text.index(shown, at) + len(shown) - 1
