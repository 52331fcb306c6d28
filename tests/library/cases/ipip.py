# SPDX-License-Identifier: BSD-3-Clause
from library_test import inner_cases
from packets import dstopts, eth, ipv4, ipv6

OUTER4 = {"ipv4.src": "192.0.2.1", "ipv4.dst": "198.51.100.2"}
OUTER6 = {"ipv6.src": "2001:db8:1::1", "ipv6.dst": "2001:db8:2::2"}

CASES = (
    inner_cases((eth(), ipv4()), "eth ipv4", "IPIP", {}, "in IPv4", sets={"outer": OUTER4}) +
    inner_cases((eth(), ipv6()), "eth ipv6", "IPIP", {}, "in IPv6", sets={"outer": OUTER6}) +
    inner_cases((eth(), ipv6(), dstopts(body=b"\x04\x01\x04\x01\0\0")), "eth ipv6 ipv6_ext", "IPIP", {},
                "with encapsulation limit", sets={"outer": OUTER6})
)
