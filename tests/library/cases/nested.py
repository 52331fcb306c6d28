# SPDX-License-Identifier: BSD-3-Clause
# Tunnels of other profiles are in bundles_test.py.
from library_test import Case, inner_cases
from packets import DATA, eth, ipv4, packet

MIDDLE, IN4 = ipv4("192.0.2.7", "192.0.2.8"), ipv4("10.3.0.1", "10.3.0.2")
SUBSCRIBER = {"ipv4.dst": "10.9.9.9"}

CASES = inner_cases((eth(), ipv4(), MIDDLE), "eth ipv4 ipv4", "NESTED") + [
    Case("a subscriber's tunnel", packet(eth(), ipv4("192.0.2.1", "10.9.9.9"), MIDDLE, IN4, DATA),
         "eth ipv4 ipv4 ipv4", "NESTED_IPV4", sets={"subscriber": SUBSCRIBER, "ue": SUBSCRIBER}),
]
