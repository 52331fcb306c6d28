# SPDX-License-Identifier: BSD-3-Clause
from library_test import Case, inner_cases
from packets import (DATA, MAC_A, MAC_B, eth, ipv4, ipv6, lcp, packet, ppp, pppoe, pppoed, tcp, udp,
                     vlan)

SESSION = {"pppoe.session": 0x1234}
TAGGED = (eth(), vlan(100, tpid=0x88a8), vlan(7))
BACK = (eth(src=MAC_B, dst=MAC_A), vlan(100, tpid=0x88a8), vlan(7))
SUBSCRIBER4, SUBSCRIBER6 = "10.64.1.2", "2001:db8:5:6::1"

CASES = (
    inner_cases((eth(), pppoe(0x1234), ppp()), "eth pppoe ppp", "PPPOE", SESSION) +
    inner_cases((*TAGGED, pppoe(0x1234), ppp()), "eth vlan vlan pppoe ppp", "PPPOE", SESSION, "tagged") +
    [
        Case("discovery", packet(*TAGGED, pppoed()), "eth vlan vlan pppoed", "PPPOED", {"pppoed.session": 0}),
        Case("discovery, session given", packet(eth(), pppoed(code=0x65, session=0x1234)), "eth pppoed", "PPPOED",
             {"pppoed.session": 0x1234}),
        Case("LCP", packet(eth(), pppoe(0x1234), ppp(), lcp()), "eth pppoe ppp", "PPPOE", SESSION,
             meets={"session": "PPPOE ipv4 udp"}),
        *(Case(f"session, {what}", packet(eth(), pppoe(0x1234, **args), ppp(), ipv4(), DATA), "eth", "ETH",
               status="error", tshark="eth pppoe ppp ipv4",
               why="tshark does not ask for the values that RFC 2516 demands")
          for what, args in (("version 2", {"version": 0x21}), ("type 2", {"version": 0x12}),
                             ("code of discovery", {"code": 0xa7}))),
        Case("discovery, version 2", packet(eth(), pppoed(version=0x21)), "eth", "ETH", status="error",
             tshark="eth pppoed", why="tshark does not ask for the version that RFC 2516 demands"),
        Case("short protocol number", packet(eth(), pppoe(0x1234), ppp(short=True), ipv4(), DATA),
             "eth pppoe ppp ipv4", "PPPOE_IPV4", SESSION),
        Case("cut in PPP", packet(eth(), pppoe(0x1234), b"\0"), "eth pppoe", "PPPOE", SESSION, status="error"),
        Case("up", packet(*TAGGED, pppoe(0x1234), ppp(), ipv4(SUBSCRIBER4, "8.8.8.8"), udp(1, 2)),
             "eth vlan vlan pppoe ppp ipv4 udp", "PPPOE_IPV4_UDP", SESSION,
             sets={"subscriber": {"inner.ipv4.src": SUBSCRIBER4, **SESSION}}),
        Case("down", packet(*BACK, pppoe(0x1234), ppp(), ipv4("8.8.8.8", SUBSCRIBER4), udp(2, 1)),
             "eth vlan vlan pppoe ppp ipv4 udp", "PPPOE_IPV4_UDP", SESSION,
             meets={"session": "up", "subscriber": "up"}),
        Case("plain, down", packet(eth(), ipv4("8.8.8.8", SUBSCRIBER4), tcp(2, 1)), "eth ipv4 tcp", "IPV4_TCP",
             meets={"subscriber": "up"}),
        Case("plain, up", packet(eth(), ipv4(SUBSCRIBER4, "8.8.8.8"), tcp(1, 2)), "eth ipv4 tcp", "IPV4_TCP",
             meets={"subscriber": "up"}),
        Case("plain, strangers", packet(eth(), ipv4("9.9.9.9", "8.8.8.8"), tcp(1, 2)), "eth ipv4 tcp", "IPV4_TCP",
             sets={"subscriber": {"ipv4.src": "9.9.9.9", "ipv4.dst": "8.8.8.8"}}),
        Case("up, IPv6", packet(*TAGGED, pppoe(0x1234), ppp(), ipv6(SUBSCRIBER6, "2a00::1"), udp(1, 2)),
             "eth vlan vlan pppoe ppp ipv6 udp", "PPPOE_IPV6_UDP", SESSION,
             sets={"subscriber": {"inner.ipv6.src/64": "2001:db8:5:6::", **SESSION}}),
        Case("down, IPv6, other address",
             packet(*BACK, pppoe(0x1234), ppp(), ipv6("2a00::1", "2001:db8:5:6::99"), DATA),
             "eth vlan vlan pppoe ppp ipv6", "PPPOE_IPV6", SESSION, meets={"subscriber": "up, IPv6"}),
        Case("plain, down, IPv6", packet(eth(), ipv6("2a00::1", "2001:db8:5:6::99"), DATA), "eth ipv6", "IPV6",
             meets={"subscriber": "up, IPv6"}),
    ]
)
