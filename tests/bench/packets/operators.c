/* SPDX-License-Identifier: BSD-3-Clause */
// Traffic as it comes on operators' links.
#include "kinds.h"

static void put_l4(struct frame *frame, bool tcp) {
	if (tcp)
		put_tcp(frame);
	else
		put_udp(frame);
}

static void put_ip(struct frame *frame, bool ipv6, bool tcp) {
	if (ipv6)
		put_ipv6(frame, tcp ? IP_TCP : IP_UDP);
	else
		put_ipv4(frame, 5, tcp ? IP_TCP : IP_UDP);
	put_l4(frame, tcp);
}

// What a UPF's port sees: users' packets in both directions with their PDU session container, plain
// IP beyond the UPF, and the echo by which the ends of a tunnel watch each other.
void n3_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	bool tcp = random_percent(frame->random, 60), ipv6 = random_percent(frame->random, 10);
	unsigned int what = random_below(frame->random, 100);

	put_eth(frame, TYPE_IPV4);
	if (what < 16) { // N6
		put_ip(frame, false, tcp);
		return;
	}
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_GTPU);
	if (what < 18) {
		put_gtpu(frame, GTPU_SEQUENCE, GTPU_ECHO, 0);
		return;
	}
	put_gtpu(frame, GTPU_EXTENDED, GTPU_DATA, GTPU_EXT_PSC);
	put_gtpu_psc(frame, random_percent(frame->random, 40), 0);
	put_ip(frame, ipv6, tcp);
}

// The VLAN tags of a subscriber; type is what follows.
static void put_tags(struct frame *frame, bool two, uint16_t type) {
	put_eth(frame, two ? TYPE_QINQ : TYPE_VLAN);
	if (two)
		put_vlan(frame, TYPE_VLAN);
	put_vlan(frame, type);
}

// What a BNG's ports see: PPPoE and plain IP (IPoE) of subscribers behind one tag or two, and
// sessions of other providers in L2TP.
void bng_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	bool tcp = random_percent(frame->random, 70), ipv6 = random_percent(frame->random, 25);
	bool two = random_percent(frame->random, 60);
	unsigned int what = random_below(frame->random, 100);

	if (what < 60) {
		put_tags(frame, two, TYPE_PPPOE);
		put_pppoe(frame, ipv6 ? PPP_IPV6 : PPP_IPV4);
	} else if (what < 85) {
		put_tags(frame, two, ipv6 ? TYPE_IPV6 : TYPE_IPV4);
	} else {
		put_eth(frame, TYPE_IPV4);
		put_ipv4(frame, 5, IP_UDP);
		put_udp_to(frame, PORT_L2TP);
		put_l2tpv2(frame, two, ipv6 ? PPP_IPV6 : PPP_IPV4);
	}
	put_ip(frame, ipv6, tcp);
}
