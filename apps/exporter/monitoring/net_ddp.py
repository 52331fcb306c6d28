# SPDX-License-Identifier: BSD-3-Clause
"""Endpoint of DPDK's dpdk-telemetry-exporter.py: the counters of the net_ddp ports of one process.

The exporter loads this file from /usr/share/dpdk/telemetry-endpoints and puts dpdk_net_ddp_ before the names."""

# By list of the answer: name, the label of its items, the list of their names (None: numbers), help.
LISTS = {
    "rx_packets": ("rx_packets_total", "queue", None, "Packets received from an Rx queue"),
    "rx_bytes": ("rx_bytes_total", "queue", None, "Bytes received from an Rx queue"),
    "rx_missed": ("rx_missed_packets_total", "queue", None, "Packets dropped because an Rx queue was full"),
    "tx_packets": ("tx_packets_total", "queue", None, "Packets sent to a Tx queue"),
    "tx_bytes": ("tx_bytes_total", "queue", None, "Bytes sent to a Tx queue"),
    "ptype_packets": ("ptype_packets_total", "ptype", "ptypes", "Packets by packet type"),
    "offload_checked": ("offload_checked_packets_total", "ptype", "offload_ptypes",
                        "Packets hashed in software, too, to verify the lower device"),
    "offload_wrong": ("offload_refuted_packets_total", "ptype", "offload_ptypes",
                      "Packets for which the lower device had another hash than software"),
}

# By key of the answer or of its counters: name, type, help.
NUMBERS = {
    "rx_lower_packets": ("lower_packets_total", "counter", "Packets read from the lower device"),
    "lower_rx_missed_errors": ("lower_missed_packets_total", "counter", "Packets missed by the lower device"),
    "lower_rx_errors": ("lower_error_packets_total", "counter",
                        "Packets that the lower device received with an error"),
    "lower_rx_mbuf_allocation_errors": ("lower_no_mbuf_packets_total", "counter",
                                        "Packets for which the lower device had no mbuf"),
    "rx_dropped_by_rule": ("rule_dropped_packets_total", "counter", "Packets dropped by flow rules"),
    "rx_offloaded": ("offloaded_packets_total", "counter", "Packets hashed by the lower device"),
    "rx_path_cache_hits": ("cache_hits_total", "counter", "Packets whose path was in the path cache"),
    "rx_path_cache_misses": ("cache_misses_total", "counter", "Packets whose path was not in the path cache"),
    "balance_parked": ("order_parked_packets_total", "counter",
                          "Packets that waited so that they overtake none of their flow"),
    "balance_given_up": ("order_given_up_total", "counter", "Queues that a change or a move stopped waiting for"),
    "balance_moves": ("balance_moves_total", "counter",
                         "Entries of the redirection table that load-aware RSS moved"),
    "profile_changes": ("profile_changes_total", "counter", "Changes of the port's profiles while it existed"),
    "flow_rules": ("flow_rules", "gauge", "Flow rules of the port"),
}


def info():
    """Description and type of each metric."""
    return {**{name: (text, "counter") for name, _, _, text in LISTS.values()},
            **{name: (text, kind) for name, kind, text in NUMBERS.values()}}


def port_read(sock, port):
    """All pages of a port as one answer."""
    whole = sock.cmd("/net_ddp/metrics", port)
    start = whole.get("next")
    while start is not None:
        page = sock.cmd("/net_ddp/metrics", f"{port},{start}")
        for key in {*LISTS, *(names for _, _, names, _ in LISTS.values() if names)} & page.keys():
            whole[key] = whole.get(key, []) + page[key]
        start = page.get("next")
    return whole


def port_metrics(answer):
    """(name, value, labels) of a port."""
    labels = {"port": answer["name"]}
    found = []
    for key, (name, label, names, _) in LISTS.items():
        for i, value in enumerate(answer.get(key, [])):
            item = i if names is None else answer[names][i]
            found.append((name, value, {**labels, label: item}))
    for key, (name, _, _) in NUMBERS.items():
        value = answer["counters"].get(key, answer.get(key))
        if value is not None:
            found.append((name, value, dict(labels)))
    return found


def metrics(sock):
    """(name, value, labels) of all ports, those of a name together."""
    found = [metric for port in sock.cmd("/net_ddp/list") or [] for metric in port_metrics(port_read(sock, port))]
    return sorted(found, key=lambda metric: metric[0])
