# SPDX-License-Identifier: BSD-3-Clause
from library_test import inner_cases
from packets import dstopts, eth, ipv4, ipv6

CASES = (
    inner_cases((eth(), ipv4()), "eth ipv4", "IPIP", {}, "in IPv4") +
    inner_cases((eth(), ipv6()), "eth ipv6", "IPIP", {}, "in IPv6") +
    inner_cases((eth(), ipv6(), dstopts(body=b"\x04\x01\x04\x01\0\0")), "eth ipv6 ipv6_ext", "IPIP", {},
                "with encapsulation limit")
)
