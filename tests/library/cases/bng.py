# SPDX-License-Identifier: BSD-3-Clause
"""Both directions of one subscriber, however they come."""
from library_test import Case
from packets import DATA, eth, ipv4, ipv6, l2tpv2, packet, ppp, pppoe, tcp, udp, vlan

SUBSCRIBER, SERVER = "10.64.1.2", "8.8.8.8"
SUBSCRIBER6, SERVER6 = "2001:db8:7:8::1", "2a00::1"
UP, DOWN = ipv4(SUBSCRIBER, SERVER), ipv4(SERVER, SUBSCRIBER)
UP6, DOWN6 = ipv6(SUBSCRIBER6, SERVER6), ipv6(SERVER6, SUBSCRIBER6)
SESSION = {"pppoe.session": 7}
L2TP = {"l2tpv2.session": 5, "l2tpv2.tunnel": 4}

CASES = [
    Case("PPPoE, up", packet(eth(), vlan(100), vlan(7), pppoe(7), ppp(), UP, tcp(1, 2)),
         "eth vlan vlan pppoe ppp ipv4 tcp", "PPPOE_IPV4_TCP", SESSION,
         sets={"subscriber": {"inner.ipv4.src": SUBSCRIBER, **SESSION}}),
    Case("PPPoE, down", packet(eth(), pppoe(7), ppp(), DOWN, DATA), "eth pppoe ppp ipv4", "PPPOE_IPV4", SESSION,
         meets={"subscriber": "PPPoE, up"}),
    Case("L2TP, down", packet(eth(), ipv4(), udp(), l2tpv2(4, 5), ppp(address=True), DOWN, DATA),
         "eth ipv4 udp l2tpv2 ppp ipv4", "L2TPV2_IPV4", L2TP, meets={"subscriber": "PPPoE, up"}),
    Case("IPoE, up", packet(eth(), vlan(100), vlan(7), UP, DATA), "eth vlan vlan ipv4", "QINQ_IPV4",
         meets={"subscriber": "PPPoE, up"}),
    Case("core, tagged", packet(eth(), vlan(9), DOWN, DATA), "eth vlan ipv4", "VLAN_IPV4",
         meets={"subscriber": "PPPoE, up"}),
    Case("core", packet(eth(), DOWN, DATA), "eth ipv4", "IPV4", meets={"subscriber": "PPPoE, up"}),
    Case("IPv6, PPPoE, up", packet(eth(), pppoe(7), ppp(), UP6, DATA), "eth pppoe ppp ipv6", "PPPOE_IPV6", SESSION,
         sets={"subscriber": {"inner.ipv6.src/64": "2001:db8:7:8::", **SESSION}}),
    Case("IPv6, IPoE, down", packet(eth(), vlan(100), vlan(7), DOWN6, DATA), "eth vlan vlan ipv6", "QINQ_IPV6",
         meets={"subscriber": "IPv6, PPPoE, up"}),
    Case("IPv6, core", packet(eth(), DOWN6, DATA), "eth ipv6", "IPV6", meets={"subscriber": "IPv6, PPPoE, up"}),
]
